/* gst-stereomatching: hole filling from the row, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A block fills a row.  Each thread has a part of it, consecutive pixels, and
 * gets the nearest valid codes on both sides of its part by a scan.  Rows
 * without valid codes are copied afterwards.
 */

#include "refine/refine.cuh"

#include "refine/fill-formula.h"

namespace
{

const int threads = 256;
const int warps = threads / 32;

/* Valid codes on one side of a pixel, 16 bits each, the nearest one lowest;
 * STEREO_INVALID after the last one.  One more fits than is needed. */
typedef unsigned long long Nearest;

const Nearest none = ~0ull;

static_assert (STEREO_FILL_REACH < 4);

__device__ __forceinline__ Nearest
add_nearest (Nearest nearest, unsigned code)
{
  return nearest << 16 | code;
}

__device__ __forceinline__ int
n_nearest (Nearest nearest)
{
  return nearest == none ? 0 : (63 - __clzll ((long long) ~nearest)) / 16 + 1;
}

/* The nearest codes of two lists, one of which is farther away. */
__device__ __forceinline__ Nearest
merge_nearest (Nearest near, Nearest far)
{
  const int n = n_nearest (near);

  return n == 0 ? far : n == 4 ? near
      : (near & ((1ull << 16 * n) - 1)) | far << 16 * n;
}

__device__ __forceinline__ unsigned
nearest_median (Nearest nearest, int reach)
{
  const int n = min (n_nearest (nearest), reach);

  return n == 0 ? STEREO_INVALID
      : stereo_fill_median ((unsigned) nearest & 0xffff,
      (unsigned) (nearest >> 16) & 0xffff, (unsigned) (nearest >> 32) & 0xffff,
      n);
}

/* The nearest codes before the part of this thread; backwards: after it.  own:
 * those of its part, seen from its end; backwards: from its beginning. */
template <bool backwards>
__device__ Nearest
nearest_outside (Nearest own, Nearest * of_warps)
{
  const int lane = (int) threadIdx.x % 32, warp = (int) threadIdx.x / 32;
  Nearest value = own;

#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const Nearest other = backwards
        ? __shfl_down_sync (0xffffffff, value, step)
        : __shfl_up_sync (0xffffffff, value, step);

    if (backwards ? lane + step < 32 : lane >= step)
      value = merge_nearest (value, other);
  }
  if (lane == (backwards ? 0 : 31))
    of_warps[warp] = value;
  value = backwards ? __shfl_down_sync (0xffffffff, value, 1)
      : __shfl_up_sync (0xffffffff, value, 1);
  if (lane == (backwards ? 31 : 0))
    value = none;
  __syncthreads ();
  for (int w = warp + (backwards ? 1 : -1); backwards ? w < warps : w >= 0;
      w += backwards ? 1 : -1)
    value = merge_nearest (value, of_warps[w]);
  return value;
}

/* The sum of n over the threads before this one, and over all of them. */
__device__ int
sum_before (int n, int * of_warps, int * whole)
{
  const int lane = (int) threadIdx.x % 32, warp = (int) threadIdx.x / 32;
  int sum = n, before = 0;

#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const int other = __shfl_up_sync (0xffffffff, sum, step);

    sum += lane >= step ? other : 0;
  }
  if (lane == 31)
    of_warps[warp] = sum;
  __syncthreads ();
  *whole = 0;
  for (int w = 0; w < warps; w++) {
    before += w < warp ? of_warps[w] : 0;
    *whole += of_warps[w];
  }
  return before + sum - n;
}

struct Part
{
  int begin, end;
  int n_holes;
  Nearest first, last;          /* from its beginning and from its end */
};

__device__ Part
find_part (const uint16_t * codes, int width)
{
  const int length = (width + threads - 1) / threads;
  Part part = { min ((int) threadIdx.x * length, width), 0, 0, none, none };

  part.end = min (part.begin + length, width);
  for (int x = part.begin; x < part.end; x++) {
    if (codes[x] != STEREO_INVALID)
      part.last = add_nearest (part.last, codes[x]);
    else
      part.n_holes++;
  }
  for (int x = part.end; x-- > part.begin;) {
    if (codes[x] != STEREO_INVALID)
      part.first = add_nearest (part.first, codes[x]);
  }
  return part;
}

/* Fills the holes of a part.  holes: their columns, or NULL. */
__device__ void
fill_part (uint16_t * codes, const Part & part, int reach, Nearest before,
    Nearest behind, uint16_t * holes)
{
  for (int x = part.begin; x < part.end;) {
    Nearest after = behind;
    int stop = x;

    if (codes[x] != STEREO_INVALID) {
      before = add_nearest (before, codes[x++]);
      continue;
    }
    while (stop < part.end && codes[stop] == STEREO_INVALID)
      stop++;
    for (int i = part.end; i-- > stop;) {
      if (codes[i] != STEREO_INVALID)
        after = add_nearest (after, codes[i]);
    }
    /* STEREO_INVALID is above all codes */
    const unsigned fill = min (nearest_median (before, reach),
        nearest_median (after, reach));

    for (; x < stop; x++) {
      if (holes != NULL)
        *holes++ = (uint16_t) x;
      codes[x] = (uint16_t) fill;
    }
  }
}

__global__ void
__launch_bounds__ (threads) fill_kernel (int width, int reach,
    const __grid_constant__ StereoRefineWork work)
{
  extern __shared__ uint16_t codes[];
  __shared__ Nearest of_warps[2][warps];
  __shared__ int holes_of_warps[warps];
  const int y = (int) blockIdx.x;
  const uint16_t *source = map_row (work.map, y);
  uint16_t *target = work.filled.data + (size_t) y * work.filled.stride;
  int n_holes;

  pdl_wait ();
  for (int x = (int) threadIdx.x; x < width; x += threads)
    codes[x] = source[x];
  __syncthreads ();
  const Part part = find_part (codes, width);
  const Nearest before = nearest_outside<false> (part.last, of_warps[0]);
  const Nearest behind = nearest_outside<true> (part.first, of_warps[1]);
  const int first = sum_before (part.n_holes, holes_of_warps, &n_holes);

  if (threadIdx.x == 0)
    work.n_holes[y] = (uint32_t) n_holes;
  fill_part (codes, part, reach, before, behind, work.holes == NULL ? NULL
      : work.holes + (size_t) y * work.map.stride + first);
  __syncthreads ();
  for (int x = (int) threadIdx.x; x < width; x += threads)
    target[x] = codes[x];
}

/* The row that an empty row copies; y if all of them are empty. */
__device__ int
find_source (const uint32_t * n_holes, uint32_t width, int height, int y)
{
  const int lane = (int) threadIdx.x;

  for (int first = y - 1; first >= 0; first -= 32) {
    const uint32_t valid = __ballot_sync (0xffffffff, first - lane >= 0
        && n_holes[first - lane] < width);

    if (valid != 0)
      return first - (__ffs ((int) valid) - 1);
  }
  for (int first = y + 1; first < height; first += 32) {
    const uint32_t valid = __ballot_sync (0xffffffff, first + lane < height
        && n_holes[first + lane] < width);

    if (valid != 0)
      return first + (__ffs ((int) valid) - 1);
  }
  return y;
}

/* A warp for each row. */
__global__ void
copy_rows_kernel (int width, int height,
    const __grid_constant__ StereoRefineWork work)
{
  const int y = (int) (blockIdx.x * blockDim.y + threadIdx.y);

  pdl_wait ();
  if (y >= height || work.n_holes[y] < (uint32_t) width)
    return;
  const uint16_t *source = map_row (work.filled, find_source (work.n_holes,
          (uint32_t) width, height, y));
  uint16_t *target = work.filled.data + (size_t) y * work.filled.stride;

  for (int x = (int) threadIdx.x; x < width && source != target; x += 32)
    target[x] = source[x];
}

}                               // namespace

StereoStatus
stereo_cuda_fill (StereoQueue * queue, const StereoRefineConstants * k,
    const StereoRefineWork * work)
{
  StereoCudaStage stage (queue);

  if (!stage.entered ())
    return stage.status ();
  launch_overlapping (queue, (unsigned) k->height, threads,
      (size_t) k->width * sizeof (uint16_t), fill_kernel, k->width,
      stereo_refine_fill_reach (k), *work);
  launch_overlapping (queue, stereo_blocks (k->height, 8),
      stereo_pixel_block, 0, copy_rows_kernel, k->width, k->height, *work);
  return STEREO_CUDA_LAUNCHED (stage, "fill_kernel");
}
