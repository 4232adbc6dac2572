/* gst-stereomatching: slopes of a disparity map, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "refine/refine.cuh"

namespace
{

/* stereo_slope_add ().  For a, b: the differences of the codes before and behind
 * to the centre's, max (|a|, |b|) = (|a + b| + |b - a|) / 2.  Without CHECKED,
 * STEREO_INVALID is far from all codes. */
template < bool CHECKED > __device__ __forceinline__ void
add_pair (StereoSlopeSums & sums, int unit, int k, int center, int before,
    int behind)
{
  const int difference = behind - before;
  const int bend = abs (before + behind - 2 * center);

  if (CHECKED && (before == (int) STEREO_INVALID
          || behind == (int) STEREO_INVALID))
    return;
  if (bend <= unit && bend + abs (difference) <= 8 * unit) {
    sums.products += k * difference;
    sums.squares += 2 * k * k;
  }
}

/*
 * stereo_slope ().  The numerator is below 2^20, and the divisor at most 240.
 * The quotient plus half of 1 / divisor is at least as far from an integer:
 * this division, which errs by up to 2 units in the last place, is exact after
 * rounding down.
 */
__device__ __forceinline__ int
divide (const StereoSlopeSums & sums, int unit)
{
  const int q = sums.squares;
  const float n = (float) (256 * abs (sums.products) + q / 2) + 0.5f;
  const int slope = min ((int) __fdividef (n, (float) q), 128 * unit - 1);

  return q == 0 ? 0 : sums.products < 0 ? -slope : slope;
}

/* The slope at *code, step elements apart from its neighbours; n is the number
 * of neighbours on the side that has fewer of them. */
template < bool CHECKED > __device__ __forceinline__ int
slope_at (int unit, const uint16_t * code, size_t step, int n)
{
  StereoSlopeSums sums = { 0, 0 };

#pragma unroll
  for (int k = STEREO_SLOPE_STEP; k <= STEREO_SLOPE_REACH;
      k += STEREO_SLOPE_STEP) {
    if (k <= n)
      add_pair < CHECKED > (sums, unit, k, *code, *(code - k * step),
          code[k * step]);
  }
  return divide (sums, unit);
}

template < bool CHECKED > __global__ void
slopes_kernel (int width, int height, int unit,
    const __grid_constant__ StereoRefineWork work, const StereoMap map)
{
  int x, y, along_x = 0, along_y = 0;

  pdl_wait ();
  if (!stereo_own_pixel (width, height, &x, &y))
    return;
  const uint16_t *code = map_row (map, y) + x;

  if (*code != STEREO_INVALID) {
    along_x = slope_at < CHECKED > (unit, code, 1, min (x, width - 1 - x));
    along_y = slope_at < CHECKED > (unit, code, map.stride, min (y, height - 1 - y));
  }
  slope_row (work, y)[x] = ((uint32_t) along_x & 0xffff)
      | (uint32_t) along_y << 16;
}

}                               // namespace

StereoStatus
stereo_cuda_slopes (StereoQueue * queue, const StereoRefineConstants * k,
    const StereoRefineWork * work, const StereoMap * map)
{
  const bool checked = k->unit * (k->num_disparities + 3)
      >= (int) STEREO_INVALID;

  return run_kernel (queue, "slopes_kernel", true,
      stereo_pixel_grid (k->width, k->height), stereo_pixel_block, 0,
      checked ? slopes_kernel < true > : slopes_kernel < false >, k->width, k->height, k->unit, *work, *map);
}
