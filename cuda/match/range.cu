/* gst-stereomatching: disparity ranges from a match of half size, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/device.cuh"
#include "core/launch.cuh"
#include "match/range-formula.h"

namespace
{

/* Threads that find the range of a tile. */
const int range_threads = 128;

__global__ void
halve_kernel (const __grid_constant__ StereoRangeConstants k,
    const __grid_constant__ StereoView view,
    const __grid_constant__ StereoHalfView half)
{
  int x, y;

  pdl_wait ();
  if (!stereo_own_pixel (stereo_range_half (k.width),
          stereo_range_half (k.height), &x, &y))
    return;
  const int right = min (2 * x + 1, k.width - 1);
  const uint8_t *upper = view.plane[0] + (size_t) (2 * y) * view.stride;
  const uint8_t *lower = view.plane[0]
      + (size_t) min (2 * y + 1, k.height - 1) * view.stride;
  uint8_t *row = half.plane[0] + (size_t) y * half.stride;

  if (k.channels == 1) {
    row[x] = (uint8_t) stereo_range_mean (upper[2 * x], upper[right],
        lower[2 * x], lower[right]);
    return;
  }
  const uint32_t a = ((const uint32_t *) upper)[2 * x];
  const uint32_t b = ((const uint32_t *) upper)[right];
  const uint32_t c = ((const uint32_t *) lower)[2 * x];
  const uint32_t d = ((const uint32_t *) lower)[right];
  uint32_t pixel = 0;

#pragma unroll
  for (int shift = 0; shift < 24; shift += 8)
    pixel |= stereo_range_mean (a >> shift & 255, b >> shift & 255,
        c >> shift & 255, d >> shift & 255) << shift;
  ((uint32_t *) row)[x] = pixel;
}

/* A block finds the range of a tile. */
__global__ void
__launch_bounds__ (range_threads)
find_ranges (const __grid_constant__ StereoRangeConstants k,
    const __grid_constant__ StereoMap map,
    const __grid_constant__ StereoRanges ranges)
{
  __shared__ int extremes[2];
  const StereoRangeSpan columns = stereo_range_span (blockIdx.x,
      stereo_range_half (k.width));
  const StereoRangeSpan rows = stereo_range_span (blockIdx.y,
      stereo_range_half (k.height));
  const int width = columns.end - columns.begin;
  const int pixels = width * (rows.end - rows.begin);
  int least = STEREO_INVALID, most = -1;

  if (threadIdx.x == 0) {
    extremes[0] = STEREO_INVALID;
    extremes[1] = -1;
  }
  __syncthreads ();
  pdl_wait ();
  for (int i = threadIdx.x; i < pixels; i += range_threads) {
    const int code = map.data[(size_t) (rows.begin + i / width) * map.stride
        + columns.begin + i % width];

    least = min (least, code);
    most = max (most, code == (int) STEREO_INVALID ? -1 : code);
  }
  atomicMin (&extremes[0], least);
  atomicMax (&extremes[1], most);
  __syncthreads ();
  if (threadIdx.x == 0)
    ranges.tiles[blockIdx.y * ranges.columns + blockIdx.x] =
        stereo_range_word (&k, extremes[0], extremes[1]);
}

/* ------------------------------------------------------------------- stages */

StereoStatus
range_halve_cuda (StereoQueue * queue, const StereoRangeConstants * k,
    const StereoView * view, const StereoHalfView * half)
{
  return run_kernel (queue, "range's halve_kernel", true,
      stereo_pixel_grid (stereo_range_half (k->width),
          stereo_range_half (k->height)), stereo_pixel_block, 0, halve_kernel,
      *k, *view, *half);
}

StereoStatus
range_find_cuda (StereoQueue * queue, const StereoRangeConstants * k,
    const StereoMap * map, const StereoRanges * ranges)
{
  return run_kernel (queue, "range's find_ranges", true,
      dim3 (ranges->columns, stereo_range_tiles (k->height)), range_threads,
      0, find_ranges, *k, *map, *ranges);
}

}                               // namespace

extern "C" const void *
stereo_range_stages_cuda (void)
{
  static const StereoRangeStages stages = {
    .halve = range_halve_cuda, .find = range_find_cuda
  };

  return &stages;
}
