/* gst-stereomatching: what the steps of sgm depend on, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Each sweep comes by twice, so they are made once.  A thread has a pixel of a
 * few rows: the tables take their time. */

#include "match/sgm-path.cuh"
#include "refine/winner-pixel.h"

namespace
{

const int threads = 256;
const int rows = 8;

/* By g. */
struct Tables
{
  uint16_t p2[256];
  uint8_t likeness[256];
};

/* The rounded part of 64 that u is of t, at most 3 * 255: as
 * stereo_sgm_weights().  The quotient is half a divisor away from any whole
 * number, which is more than it is off by. */
__device__ __forceinline__ uint32_t
part_of (uint32_t u, uint32_t t)
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

  /* beside it, in the line before */
  const int across = d.dx == 0 ? x : y;
  const int along_x = d.dx == 0, along_y = d.dx != 0;
  uint32_t b = 0, e = 0;

  if (across % STEREO_SGM_STRIP > 0)
    b = tables.likeness[stereo_sgm_difference (k.channels, pixel,
            stereo_view_pixel (&a.views.left, k.channels, px - along_x,
                py - along_y))];
  if (across % STEREO_SGM_STRIP < STEREO_SGM_STRIP - 1
      && px + along_x < k.width && py + along_y < k.height)
    e = tables.likeness[stereo_sgm_difference (k.channels, pixel,
            stereo_view_pixel (&a.views.left, k.channels, px + along_x,
                py + along_y))];
  const uint32_t t = tables.likeness[g] + b + e;

  return sgm_step_word (p2, part_of (b, t), part_of (e, t));
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
  tables.likeness[threadIdx.x] = k.likeness[threadIdx.x];
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
