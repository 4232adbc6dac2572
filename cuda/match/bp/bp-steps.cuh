/* gst-stereomatching: the steps of bp on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A frame is a sequence of steps.  Each step needs all of the one before: data
 * costs of levels 0 and 1, 2, ...; all iterations of all levels; the results of
 * the pixels that the last iteration does not update.  The first iteration of a
 * level reads its messages from the coarser level and copies those of the
 * border, which never change.  The last iteration also stores the results of
 * the pixels that it updates.
 *
 * On a level with few tiles the iterations without results are one step: a tile
 * waits only for three rows of the previous iteration, whose tiles are counted.
 *
 * A file of its own for each precision instantiates the kernels, because they
 * take long to compile.
 */

#ifndef STEREO_BP_STEPS_CUH
#define STEREO_BP_STEPS_CUH

#include "match/bp/bp-tile.cuh"

namespace
{

/* The current tile of a warp. */
struct Walk
{
  int row;
  int column;

  __device__ __forceinline__ Walk (const BpTiles & tiles, int warp)
  {
    /* exact: there are fewer than 2^16 warps */
    row = (int) (((float) warp + 0.5f) * tiles.inverse);
    column = warp - row * tiles.in_row;
  }

  __device__ __forceinline__ void advance (const BpTiles & tiles)
  {
    row += tiles.rows_on;
    column += tiles.on;
    if (column >= tiles.in_row) {
      column -= tiles.in_row;
      row++;
    }
  }
};

template < class F, int LANES > __device__ __forceinline__ void
data_step (const BpArgs & a, int l, int warp)
{
  const int pixels = 32 / LANES, lane = threadIdx.x % 32;
  const int group = lane % LANES;
  const BpLevel & level = a.level[l];

#pragma unroll 1
  for (Walk at (level.all, warp); at.row < 2 * level.height;
      at.advance (level.all)) {
    int y = at.row >> 1;
    int x = 2 * (at.column * pixels + lane / LANES) + ((y + at.row) & 1);
    bool exists = x < level.width;
    Place place = { exists ? x : 0, y, group, a.count - F::values * group };

    make_costs < F, LANES > (a, l, place, exists && group < a.groups);
  }
}

/* Increments a counter after all previous work. */
__device__ __forceinline__ void
count_one (unsigned *word)
{
  asm volatile ("red.release.gpu.global.add.u32 [%0], 1;"::"l" (word)
      :"memory");
}

/* Reads a counter; the counted work is visible afterwards. */
__device__ __forceinline__ unsigned
counted (const unsigned *word)
{
  unsigned n;

  asm volatile ("ld.acquire.gpu.global.u32 %0, [%1];":"=r" (n):"l" (word)
      :"memory");
  return n;
}

/* Increments a counter for the warp. */
__device__ __forceinline__ void
count_done (unsigned *word)
{
  __syncwarp ();
  if (threadIdx.x % 32 == 0)
    count_one (word);
}

/* Waits for the input of iteration t in row y: three rows of the previous
 * iteration, and the frame. */
__device__ __forceinline__ void
wait_for_rows (const BpLevel & level, int t, int y)
{
  const int lane = threadIdx.x % 32;
  const int row = lane < 3 ? min (max (y + lane - 1, 1), level.height - 2) : 0;
  const unsigned needed = row > 0 ? (unsigned) (t * level.inner.in_row)
      : gridDim.x * (blockDim.x / 32);
  unsigned n = needed;

  do {
    if (lane < 4)
      n = counted (level.done + row * bp_done_pitch);
  } while (__any_sync (0xffffffffu, n < needed));
  __syncwarp ();
}

/* Iterations t0 to t0 + n - 1 of level l, without results.  Warps do not wait
 * between them. */
template < class F, int LANES > __device__ __forceinline__ void
iteration_step (const BpArgs & a, int l, int t0, int n, int warp)
{
  const BpLevel & level = a.level[l];
  const int frame = a.inner ? 1 : 0, rows = level.height - 2 * frame;
  Walk at (level.inner, warp);
  int t = t0;

  if (at.row >= rows)
    return;
#pragma unroll 1
  while (true) {
    if (t > t0)
      wait_for_rows (level, t, frame + at.row);
    iterate_tile < F, LANES, false > (a, l, t, frame + at.row, at.column, 0);
    if (n > 1)
      count_done (level.done + (frame + at.row) * bp_done_pitch);
    at.advance (level.inner);
    if (at.row < rows)
      continue;
    at.row -= rows;
    if (++t == t0 + n)
      return;
  }
}

/* Iteration t, one of the last two, with results.  If it gives winners, a block
 * processes rows_at_once rows at a time. */
template < class F, int LANES > __device__ __forceinline__ void
result_step (const BpArgs & a, int t, int warp)
{
  const BpLevel & level = a.level[0];
  const int frame = a.inner ? 1 : 0, rows = level.height - 2 * frame;
  const int at_once = a.gives_winners ? a.rows_at_once : rows;
  const int first_warp = a.gives_winners ? (int) (threadIdx.x / 32) : warp;
  int first = a.gives_winners ? (int) blockIdx.x : 0;
  Walk at (level.inner, first_warp);

  if (a.gives_winners)
    clear_right_rows (a);
#pragma unroll 1
  while (true) {
    if (at.row >= at_once) {
      if (!a.gives_winners)
        return;
      store_right_rows (a, first, t == (a.inner ? a.iterations : 1));
      first += at_once * (int) gridDim.x;
      at = Walk (level.inner, first_warp);
    }
    if (first >= rows)
      return;

    const int row = a.gives_winners ? first + at.row * (int) gridDim.x
        : at.row;

    if (row < rows)
      iterate_tile < F, LANES, true > (a, 0, t, frame + row, at.column,
          at.row);
    if (!a.gives_winners) {
      at.advance (level.inner);
      continue;
    }
    for (at.column += (int) (blockDim.x / 32);
        at.column >= level.inner.in_row; at.column -= level.inner.in_row)
      at.row++;
  }
}

/* Clears the counters of processed rows. */
__device__ __forceinline__ void
clear_done (const BpArgs & a)
{
  const int thread = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  const int threads = (int) (gridDim.x * blockDim.x);

#pragma unroll 1
  for (int l = 0; l < a.n_levels; l++) {
#pragma unroll 1
    for (int y = thread; y < a.level[l].height; y += threads)
      a.level[l].done[y * bp_done_pitch] = 0;
  }
}

/* Barrier of all blocks, for the nth time, n from 1. */
__device__ __forceinline__ void
wait_for_all (unsigned *barrier, unsigned n)
{
  __syncthreads ();
  if (threadIdx.x == 0) {
    count_one (barrier);
    while (counted (barrier) < n * gridDim.x)
      continue;
  }
  __syncthreads ();
}

template < class F, int LANES >
__global__ void __launch_bounds__ (F::threads)
steps_kernel (const __grid_constant__ BpArgs a)
{
  /* neighbouring tiles go to different blocks, to balance them */
  const int warp = (int) (threadIdx.x / 32 * gridDim.x + blockIdx.x);

  unsigned waits = 0;

#pragma unroll 1
  for (int step = a.first_step; step < a.end_step; step++) {
    if (step > a.first_step)
      wait_for_all (a.barrier, ++waits);
    if (step < a.data_steps) {
      if (step == 0)
        clear_done (a);
      data_step < F, LANES > (a, min (step + 1, a.n_levels - 1), warp);
      if (a.level[0].edges != NULL && a.n_levels > 1)
        edge_step < F > (a, step + 1);
    } else {
      int i = step - a.data_steps;
      int l = max (a.n_levels - 1 - i / a.iterations, 0);
      int t = i - (a.n_levels - 1 - l) * a.iterations;
      int n = max (l > 0 ? a.iterations : a.iterations - 1, 1);

      if (t > 0 || !a.level[l].together || step + n > a.end_step)
        n = 1;
      if (t == 0 && a.inner) {
        copy_step < F, LANES > (a, l, warp,
            (int) (gridDim.x * blockDim.x / 32));
        if (n > 1)
          count_done (a.level[l].done);
      }
      if (l == 0 && (!a.inner || t >= a.iterations - 1))
        result_step < F, LANES > (a, t, warp);
      else
        iteration_step < F, LANES > (a, l, t, n, warp);
      step += n - 1;
    }
  }
}

template < class F > BpShape
shape_of (int count, int lanes, BpStepsKernel kernel)
{
  BpShape s;

  s.kernel = kernel;
  s.words = F::words;
  s.values = F::values;
  s.lanes = lanes;
  s.groups = (count + F::values - 1) / F::values;
  s.threads = F::threads;
  s.message_parts = F::message_parts * s.groups;
  s.data_bytes = 16 * F::data_parts * s.groups;
  s.level_0_bytes = 16 * F::level_0_parts * s.groups;
  return s;
}

/* The fewest lanes for the disparities. */
template < class F > BpShape
small_shape (int count)
{
  static const BpStepsKernel kernels[6] = {
    steps_kernel < F, 1 >, steps_kernel < F, 2 >, steps_kernel < F, 4 >,
    steps_kernel < F, 8 >, steps_kernel < F, 16 >, steps_kernel < F, 32 >
  };
  int i = 0;

  while (F::values << i < count)
    i++;
  return shape_of < F > (count, 1 << i, kernels[i]);
}

template < class F > BpShape
large_shape (int count)
{
  return shape_of < F > (count, 32, steps_kernel < F, 32 >);
}

template < int PRECISION > BpShape
find_shape_of (int count)
{
  typedef Format < PRECISION, 8 > Usual;

  if (count <= 32 * Usual::values)
    return small_shape < Usual > (count);
  if constexpr (!Usual::packed) {
    if (count > 64 * Usual::values)
      return large_shape < Format < PRECISION, 32 > > (count);
  }
  return large_shape < Format < PRECISION, 16 > > (count);
}

}                               // namespace

#endif /* STEREO_BP_STEPS_CUH */
