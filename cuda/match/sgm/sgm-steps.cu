/* gst-stereomatching: step words of sgm on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Sweeps run twice, so step words are computed in advance.  A thread processes
 * one pixel in several rows, to amortise loading the tables. */

#include "match/sgm/sgm-path.cuh"
#include "refine/winner-formula.h"

namespace
{

const int threads = 256;
const int rows = 8;

/* By g. */
struct Tables
{
  uint16_t p2[256];
  uint8_t similarity[256];
};

/* 64 u / t, rounded, for t <= 3 * 255: as stereo_sgm_weights().  The quotient
 * is half a divisor away from any integer, which exceeds its error. */
__device__ __forceinline__ uint32_t
sgm_step_weight (uint32_t u, uint32_t t)
{
  return (uint32_t) __fdividef ((float) (128 * u + t) + 0.5f, (float) (2 * t));
}

/* The step to pixel (x, y) in a direction. */
__device__ __forceinline__ uint32_t
find_step (const SgmArgs & a, const Tables & tables, int x, int y,
    SgmDirection d, uint32_t pixel)
{
  const StereoSgmConstants & k = a.k;
  const int px = x - d.dx, py = y - d.dy;

  if (px < 0 || px >= k.width || py < 0 || py >= k.height)
    return 0;
  const uint32_t g = stereo_sgm_difference (k.channels, pixel,
      stereo_view_pixel (&a.views.left, k.channels, px, py));
  const uint32_t p2 = tables.p2[g];

  if (!k.three)
    return sgm_step_word (p2, 0, 0);

  /* its neighbours in the line before */
  const int across = d.dx == 0 ? x : y;
  const int along_x = d.dx == 0, along_y = d.dx != 0;
  uint32_t b = 0, e = 0;

  if (across % STEREO_SGM_STRIP > 0)
    b = tables.similarity[stereo_sgm_difference (k.channels, pixel,
            stereo_view_pixel (&a.views.left, k.channels, px - along_x,
                py - along_y))];
  if (across % STEREO_SGM_STRIP < STEREO_SGM_STRIP - 1
      && px + along_x < k.width && py + along_y < k.height)
    e = tables.similarity[stereo_sgm_difference (k.channels, pixel,
            stereo_view_pixel (&a.views.left, k.channels, px + along_x,
                py + along_y))];
  const uint32_t t = tables.similarity[g] + b + e;

  return sgm_step_word (p2, sgm_step_weight (b, t), sgm_step_weight (e, t));
}

__global__ void
__launch_bounds__ (threads) find_steps (const __grid_constant__ SgmArgs a,
    const __grid_constant__ SgmWinners w)
{
  __shared__ Tables tables;
  const StereoSgmConstants & k = a.k;
  const int x = blockIdx.x * threads + threadIdx.x;
  const int end = min ((blockIdx.y + 1) * rows, k.height);

  tables.p2[threadIdx.x] = k.penalty[threadIdx.x].p2;
  tables.similarity[threadIdx.x] = k.similarity[threadIdx.x];
  __syncthreads ();
  pdl_wait ();
  if (x >= k.width)
    return;
  for (int y = blockIdx.y * rows; y < end; y++) {
    const uint32_t pixel = stereo_view_pixel (&a.views.left, k.channels, x, y);

    if (w.refine && w.winners.right != NULL)
      stereo_winner_store_right (&w.winners, x, y, STEREO_NO_WINNER);
    for (int sweep = 0; sweep < k.n_sweeps; sweep++) {
      const SgmDirection d = sgm_direction (sweep);

      a.steps[((size_t) sweep * k.height + y) * k.width + x] =
          find_step (a, tables, x, y, d, pixel);
    }
  }
}

}                               // namespace

void
stereo_sgm_find_steps_cuda (StereoQueue * queue, const SgmArgs & a,
    const SgmWinners & w)
{
  launch_overlapping (queue, dim3 ((a.k.width + threads - 1) / threads,
          (a.k.height + rows - 1) / rows), threads, 0, find_steps, a, w);
}
