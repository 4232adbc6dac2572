/* gst-stereomatching: step words of sgm on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Sweeps run twice, so step words are computed in advance, at the same time as
 * the words of the cost if it has any.  A thread processes one pixel in several
 * rows, to amortize loading the tables. */

#include "core/rounding.cuh"
#include "match/sgm/sgm-path.cuh"
#include "refine/winner-formula.h"

namespace
{

const int threads = 256;
const int rows = 2;

/* By g. */
struct Tables
{
  uint16_t p2[256];
  uint8_t similarity[256];
};

/* g of a pixel and each neighbour, and their similarity, 0 outside the image;
 * row by row. */
struct Neighbors
{
  uint32_t g[3][3];
  uint32_t similarity[3][3];
};

template < int CHANNELS > __device__ __forceinline__ void
find_neighbors (const SgmArgs & a, const Tables & tables, int x, int y,
    Neighbors & n)
{
  const StereoView & view = a.views.left;
  const uint32_t pixel = stereo_view_pixel (&view, CHANNELS, x, y);

#pragma unroll
  for (int i = 0; i < 9; i++) {
    const int u = x + i % 3 - 1, v = y + i / 3 - 1;
    const bool inside = (unsigned) u < (unsigned) a.k.width
        && (unsigned) v < (unsigned) a.k.height;

    n.g[i / 3][i % 3] = stereo_sgm_difference (CHANNELS, pixel,
        stereo_view_pixel (&view, CHANNELS, inside ? u : x, inside ? v : y));
    n.similarity[i / 3][i % 3] = inside
        ? tables.similarity[n.g[i / 3][i % 3]] : 0;
  }
}

/* The step in direction d with three predecessors.  Quotients of
 * stereo_sgm_weights () are multiples of 1 / (2 t), at least 1 / 1530. */
__device__ __forceinline__ uint32_t
find_step (const Tables & tables, const Neighbors & n, int x, int y,
    SgmDirection d)
{
  const int across_x = d.dx == 0, across_y = d.dx != 0;
  const int place = (across_x ? x : y) % STEREO_SGM_STRIP;
  const uint32_t own = n.similarity[1 - d.dy][1 - d.dx];
  const uint32_t b = place == 0 ? 0
      : n.similarity[1 - d.dy - across_y][1 - d.dx - across_x];
  const uint32_t e = place == STEREO_SGM_STRIP - 1 ? 0
      : n.similarity[1 - d.dy + across_y][1 - d.dx + across_x];
  const uint32_t t = own + b + e;
  const float scale = __fdividef (0.5f, to_float (t));

  return own == 0 ? 0 : sgm_step_word (tables.p2[n.g[1 - d.dy][1 - d.dx]],
      round_down (to_float (128 * b + t) * scale),
      round_down (to_float (128 * e + t) * scale));
}

/* P2 in direction d with one predecessor. */
template < int CHANNELS > __device__ __forceinline__ uint32_t
find_p2 (const SgmArgs & a, const Tables & tables, int x, int y,
    SgmDirection d)
{
  const int px = x - d.dx, py = y - d.dy;

  return px < 0 || px >= a.k.width || py < 0 || py >= a.k.height ? 0
      : tables.p2[stereo_sgm_difference (CHANNELS,
          stereo_view_pixel (&a.views.left, CHANNELS, x, y),
          stereo_view_pixel (&a.views.left, CHANNELS, px, py))];
}

/* The step words of pixel (x, y). */
template < int CHANNELS > __device__ __forceinline__ void
find_words (const SgmArgs & a, const Tables & tables, int x, int y,
    uint32_t * words)
{
  const size_t pixels = (size_t) a.k.width * a.k.height;

  if (!a.k.three) {
    for (int sweep = 0; sweep < a.k.n_sweeps; sweep++)
      words[sweep * pixels] = find_p2 < CHANNELS > (a, tables, x, y,
          sgm_direction (sweep));
    return;
  }
  Neighbors n;

  find_neighbors < CHANNELS > (a, tables, x, y, n);
#pragma unroll
  for (int sweep = 0; sweep < 4; sweep++)
    words[sweep * pixels] = find_step (tables, n, x, y, sgm_direction (sweep));
}

template < int CHANNELS > __global__ void
__launch_bounds__ (threads) find_steps (const __grid_constant__ SgmArgs a,
    const __grid_constant__ SgmWinners w, bool concurrent)
{
  __shared__ Tables tables;
  const StereoSgmConstants & k = a.k;
  const int x = blockIdx.x * threads + threadIdx.x;
  const int end = min ((blockIdx.y + 1) * rows, k.height);

  tables.p2[threadIdx.x] = k.penalty[threadIdx.x].p2;
  tables.similarity[threadIdx.x] = k.similarity[threadIdx.x];
  __syncthreads ();
  pdl_start_concurrent (concurrent);
#pragma unroll 1
  for (int y = blockIdx.y * rows; y < end && x < k.width; y++) {
    if (w.refine && w.winners.right != NULL)
      stereo_winner_store_right (&w.winners, x, y, STEREO_NO_WINNER);
    find_words < CHANNELS > (a, tables, x, y,
        a.steps + stereo_plane_offset (x, y, k.width));
  }
  pdl_end_concurrent (concurrent);
}

}                               // namespace

void
stereo_sgm_find_steps_cuda (StereoQueue * queue, const SgmArgs & a,
    const SgmWinners & w)
{
  launch_overlapping (queue, dim3 (stereo_blocks (a.k.width, threads),
          stereo_blocks (a.k.height, rows)), threads, 0,
      a.k.channels == 1 ? find_steps < 1 > : find_steps < 3 >, a, w,
      stereo_cost_uses_words (a.k.cost));
}
