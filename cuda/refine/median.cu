/* gst-stereomatching: the 3x3 median, and encoding, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "refine/median.h"

#include "core/launch.cuh"

namespace
{

/* The filtered value at (x, y). */
__device__ unsigned
median_at (int width, int height, const StereoMap & map, int x, int y,
    uint32_t invalid)
{
  const uint16_t *rows[3] = {
    map.data + (size_t) max (y - 1, 0) * map.stride,
    map.data + (size_t) y * map.stride,
    map.data + (size_t) min (y + 1, height - 1) * map.stride
  };
  int columns[3] = { max (x - 1, 0), x, min (x + 1, width - 1) };
  uint32_t center = rows[1][x];
  uint32_t v[9];

  if (center == invalid)
    return invalid;
#pragma unroll
  for (int i = 0; i < 9; i++) {
    v[i] = rows[i / 3][columns[i % 3]];
    if (v[i] == invalid)
      v[i] = center;
  }
  return stereo_median9 (v);
}

__global__ void
median_kernel (int width, int height, const StereoMap source,
    const StereoOutput output)
{
  int x, y;

  if (stereo_own_pixel (width, height, &x, &y))
    stereo_store_code (&output, x, y,
        median_at (width, height, source, x, y, STEREO_INVALID));
}

__global__ void
median_codes_kernel (int width, int height, const StereoMap source,
    const StereoOutput output)
{
  int x, y;

  if (stereo_own_pixel (width, height, &x, &y))
    stereo_store_raw (&output, x, y,
        (uint16_t) median_at (width, height, source, x, y, output.invalid));
}

/* ------------------------------------------------------------------- stages */

StereoStatus
median_map (StereoQueue * queue, int width, int height,
    const StereoMap * source, const StereoOutput * output)
{
  return run_kernel (queue, "median_kernel", false,
      stereo_pixel_grid (width, height), stereo_pixel_block, 0,
      median_kernel, width, height, *source, *output);
}

StereoStatus
median_codes (StereoQueue * queue, int width, int height,
    const StereoMap * source, const StereoOutput * output)
{
  return run_kernel (queue, "median_codes_kernel", false,
      stereo_pixel_grid (width, height), stereo_pixel_block, 0,
      median_codes_kernel, width, height, *source, *output);
}

}                               // namespace

extern "C" const void *
stereo_median_stages_cuda (void)
{
  static const StereoMedianStages stages = {
    .median = median_map,
    .median_codes = median_codes,
  };

  return &stages;
}
