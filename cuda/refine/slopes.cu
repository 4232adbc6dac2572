/* gst-stereomatching: slopes of a disparity map, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A block has a tile and its surroundings in shared memory.  Invalid pixels and
 * those outside the image have a code that is far from all others: neither they
 * nor the border need a test.
 */

#include "refine/refine.cuh"

namespace
{

/* Pixels of a block. */
const int tile_width = 64;
const int tile_height = 16;
const int threads = 256;

const int reach = STEREO_SLOPE_REACH;
const int pitch = tile_width + 2 * reach;
const int rows = tile_height + 2 * reach;

const int far_code = 1 << 20;

/* stereo_slope_add ().  If a and b are the differences of both codes to the
 * centre's, max (|a|, |b|) = (|a + b| + |b - a|) / 2. */
__device__ __forceinline__ void
add_pair (StereoSlopeSums & sums, int unit, int k, int center, int before,
    int behind)
{
  const unsigned bend = __usad (before + behind, 2 * center, 0);
  const unsigned spread = __usad (before, behind, bend);

  if (bend <= (unsigned) unit && spread <= 8u * unit) {
    sums.products += k * (behind - before);
    sums.squares += 2 * k * k;
  }
}

/*
 * stereo_slope ().  The numerator is below 2^20, and the divisor at most 240.
 * With half of 1 / divisor added, the quotient is at least that far from an
 * integer.  The division errs by up to 2 units in the last place: it is exact
 * after rounding down.
 */
__device__ __forceinline__ int
divide (const StereoSlopeSums & sums, int unit)
{
  const int q = sums.squares;
  const float n = (float) (256 * abs (sums.products) + q / 2) + 0.5f;
  const int slope = min ((int) __fdividef (n, (float) q), 128 * unit - 1);

  return q == 0 ? 0 : sums.products < 0 ? -slope : slope;
}

/* The slope at *code, along neighbours at multiples of step.  It is 0 if *code
 * is far_code: pairs of other codes do not count, and those of the same code
 * have no slope. */
__device__ __forceinline__ int
slope_at (const int *code, int step, int unit)
{
  StereoSlopeSums sums = { 0, 0 };

#pragma unroll
  for (int k = STEREO_SLOPE_STEP; k <= reach; k += STEREO_SLOPE_STEP)
    add_pair (sums, unit, k, *code, *(code - k * step), *(code + k * step));
  return divide (sums, unit);
}

/* Loads the codes from (x0, y0) on.  A thread has every third row of a
 * column; surplus threads have none. */
__device__ __forceinline__ void
load_tile (int width, int height, const StereoMap & map, int x0, int y0,
    int (&codes)[rows][pitch])
{
  const int column = (int) threadIdx.x % pitch, step = threads / pitch;
  const int x = x0 + column;

  for (int row = (int) threadIdx.x / pitch; row < rows
      && threadIdx.x < step * pitch; row += step) {
    const int y = y0 + row;
    unsigned code = STEREO_INVALID;

    if ((unsigned) x < (unsigned) width && (unsigned) y < (unsigned) height)
      code = map_at (map, x, y);
    codes[row][column] = code == STEREO_INVALID ? far_code : (int) code;
  }
}

__global__ void
__launch_bounds__ (threads)
slopes_kernel (int width, int height, int unit,
    const __grid_constant__ StereoRefineWork work, const StereoMap map)
{
  __shared__ int codes[rows][pitch];
  const int x0 = (int) blockIdx.x * tile_width;
  const int y0 = (int) blockIdx.y * tile_height;
  const int column = (int) threadIdx.x % tile_width;

  pdl_start ();
  load_tile (width, height, map, x0 - reach, y0 - reach, codes);
  __syncthreads ();
  if (x0 + column >= width)
    return;
  for (int row = (int) threadIdx.x / tile_width; row < tile_height
      && y0 + row < height; row += threads / tile_width) {
    const int *code = &codes[row + reach][column + reach];

    slopes_at (work, x0 + column, y0 + row) =
        ((uint32_t) slope_at (code, 1, unit) & 0xffff)
        | (uint32_t) slope_at (code, pitch, unit) << 16;
  }
}

}                               // namespace

StereoStatus
stereo_cuda_slopes (StereoQueue * queue, const StereoRefineConstants * k,
    const StereoRefineWork * work, const StereoMap * map)
{
  return run_kernel (queue, "slopes_kernel", true,
      dim3 (stereo_blocks (k->width, tile_width),
          stereo_blocks (k->height, tile_height)), threads, 0, slopes_kernel,
      k->width, k->height, k->unit, *work, *map);
}
