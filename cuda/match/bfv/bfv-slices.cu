/* gst-stereomatching: matching of bfv on CUDA for all settings
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Processes one disparity at a time with its sums in memory, for long arms and
 * for sums of more than 16 bits, which tiles do not support.
 */

#include "match/bfv/bfv.cuh"

namespace
{

struct SliceArgs
{
  StereoBfvConstants k;
  StereoBfvViews views;
  const uint32_t *left_arms;
  const uint32_t *right_arms;
  StereoBfvWork work;
  int index;
};

const int slice_threads = 256;

/* Inclusive prefix sum over the threads of a block; shared: 32 words */
__device__ __forceinline__ uint32_t
prefix_sum (uint32_t value, uint32_t * shared)
{
  const int lane = (int) threadIdx.x & 31, warp = (int) threadIdx.x / 32;

#pragma unroll
  for (int o = 1; o < 32; o *= 2) {
    uint32_t before = __shfl_up_sync (0xffffffffu, value, o);

    if (lane >= o)
      value += before;
  }
  if (lane == 31)
    shared[warp] = value;
  __syncthreads ();
  for (int w = 0; w < warp; w++)
    value += shared[w];
  __syncthreads ();
  return value;
}

__device__ __forceinline__ uint32_t
overlap_at (const SliceArgs & a, int u, int v)
{
  const StereoBfvConstants & k = a.k;
  const int d = k.min_disparity + a.index;
  const int partner = stereo_partner_column (k.width, u * k.sampling_x, d) - d;

  return stereo_bfv_overlap (grid_arms_at (k, a.left_arms, u, v),
      a.right_arms[(size_t) v * (size_t) k.width + (size_t) partner]);
}

__global__ void __launch_bounds__ (slice_threads)
cost_kernel (const __grid_constant__ SliceArgs a)
{
  __shared__ uint32_t shared[32], total;
  const StereoBfvConstants & k = a.k;
  const int v = (int) blockIdx.x, y = v * k.sampling_y;
  const int d = k.min_disparity + a.index;
  uint32_t before = 0;

  for (int u0 = 0; u0 < k.grid_width; u0 += slice_threads) {
    const int u = u0 + (int) threadIdx.x;
    uint32_t e = 0;

    if (u < k.grid_width)
      e = stereo_bfv_cost_at (&k, &a.views, u * k.sampling_x, y, d);
    e = before + prefix_sum (e, shared);
    if (u < k.grid_width)
      a.work.row_sums[(size_t) v * (size_t) k.grid_width + (size_t) u] = e;
    if (threadIdx.x == slice_threads - 1)
      total = e;
    __syncthreads ();
    before = total;
  }
}

__global__ void __launch_bounds__ (slice_threads)
row_kernel (const __grid_constant__ SliceArgs a)
{
  const int u = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  const int v = (int) blockIdx.y;
  const size_t row = (size_t) v * (size_t) a.k.grid_width;

  if (u >= a.k.grid_width)
    return;
  const uint32_t arms = overlap_at (a, u, v);
  const int first = u - (int) (arms & 0xff);
  const int last = u + (int) (arms >> 8 & 0xff);

  a.work.sums[row + (size_t) u] =
      make_uint2 (a.work.row_sums[row + (size_t) last]
      - (first > 0 ? a.work.row_sums[row + (size_t) first - 1] : 0),
      (uint32_t) (last - first + 1));
}

/* Replaces the winner if index is better or the first one. */
__device__ __forceinline__ bool
slice_compete (uint2 sums, int index, uint2 * best, uint16_t * winner)
{
  if (*winner != STEREO_INVALID && !stereo_bfv_less (sums.x, sums.y,
          best->x, best->y))
    return false;
  *best = sums;
  *winner = (uint16_t) index;
  return true;
}

__global__ void __launch_bounds__ (slice_threads)
column_kernel (const __grid_constant__ SliceArgs a)
{
  const StereoBfvConstants & k = a.k;
  const int u = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  const int v = (int) blockIdx.y;
  const size_t here = (size_t) v * (size_t) k.grid_width + (size_t) u;
  const int partner = u * k.sampling_x - (k.min_disparity + a.index);
  uint2 sums = make_uint2 (0, 0);

  if (u >= k.grid_width)
    return;
  const uint32_t arms = overlap_at (a, u, v);

  for (int i = v - (int) (arms >> 16 & 0xff); i <= v + (int) (arms >> 24);
      i++) {
    uint2 row = a.work.sums[(size_t) i * (size_t) k.grid_width + (size_t) u];

    sums.x += row.x;
    sums.y += row.y;
  }
  if (a.work.left_winner[here] + 1 == a.index)
    a.work.after[here] = sums;
  if (slice_compete (sums, a.index, &a.work.left_best[here],
          &a.work.left_winner[here]) && a.index > k.first_index)
    a.work.before[here] = a.work.last[here];
  a.work.last[here] = sums;
  if (partner >= 0 && partner < k.width) {
    size_t there = (size_t) v * (size_t) k.width + (size_t) partner;

    slice_compete (sums, a.index, &a.work.right_best[there],
        &a.work.right_winner[there]);
  }
}

__device__ __forceinline__ StereoBfvMean
mean_of (uint2 sums)
{
  const StereoBfvMean mean = { sums.x, sums.y };

  return mean;
}

/* Stores the winners of a pixel in both views. */
__global__ void __launch_bounds__ (slice_threads)
store_kernel (const __grid_constant__ SliceArgs a, const StereoWinners w)
{
  const StereoBfvConstants & k = a.k;
  const int x = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  const int y = (int) blockIdx.y, u = divide (x, k.sampling_x);
  const int v = divide (y, k.sampling_y);
  const bool row = v * k.sampling_y == y;
  uint32_t right = STEREO_NO_WINNER;

  if (x >= k.width)
    return;
  if (row && u * k.sampling_x == x) {
    const size_t at = (size_t) v * (size_t) k.grid_width + (size_t) u;
    const unsigned index = a.work.left_winner[at];
    const uint2 none = make_uint2 (0, 1);

    stereo_bfv_store_left (&k, &w, x, y, index, mean_of ((int) index
            > k.first_index ? a.work.before[at] : none),
        mean_of (a.work.left_best[at]), mean_of ((int) index
            < k.end_index - 1 ? a.work.after[at] : none));
  } else {
    w.left[(size_t) y * w.left_stride + (size_t) x] = STEREO_NO_WINNER;
  }
  if (w.right == NULL)
    return;
  if (row)
    right = a.work.right_winner[(size_t) v * (size_t) k.width + (size_t) x];
  stereo_winner_store_right (&w, x, y, right == STEREO_INVALID
      ? STEREO_NO_WINNER : right);
}

}                               // namespace

StereoStatus
stereo_bfv_match_slices (StereoCudaStage & stage, const StereoBfvConstants * k,
    const StereoBfvViews * views, const StereoBfvMemory * m,
    const StereoBfvWork & work, const StereoWinners * winners)
{
  const dim3 grid = blocks_of (k->grid_width, k->grid_height, slice_threads,
      1);
  SliceArgs a = { *k, *views, m->left_arms, m->right_arms, work };

  (void) cudaMemsetAsync (work.left_winner, 0xff, grid_size (k)
      * sizeof (uint16_t), stage.stream ());
  (void) cudaMemsetAsync (work.right_winner, 0xff, right_size (k)
      * sizeof (uint16_t), stage.stream ());
  for (a.index = k->first_index; a.index < k->end_index; a.index++) {
    cost_kernel <<< (unsigned) k->grid_height, slice_threads, 0,
        stage.stream () >>> (a);
    row_kernel <<< grid, slice_threads, 0, stage.stream () >>> (a);
    column_kernel <<< grid, slice_threads, 0, stage.stream () >>> (a);
  }
  store_kernel <<< blocks_of (k->width, k->height, slice_threads, 1),
      slice_threads, 0, stage.stream () >>> (a, *winners);
  return STEREO_CUDA_LAUNCHED (stage, "bfv's column_kernel");
}
