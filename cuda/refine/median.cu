/* gst-stereomatching: the 3x3 median, and encoding, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "refine/median.h"
#include "refine/output.h"
#include "core/queue-cuda.h"

namespace
{

const dim3 block (32, 8);

dim3
grid_for (int width, int height)
{
  return dim3 ((unsigned) (width + 31) / 32, (unsigned) (height + 7) / 8);
}

/* The pixel of this thread; whether it is in the image. */
__device__ bool
own_pixel (int width, int height, int *x, int *y)
{
  *x = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  *y = (int) (blockIdx.y * blockDim.y + threadIdx.y);
  return *x < width && *y < height;
}

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
    const StereoMap target)
{
  int x, y;

  if (own_pixel (width, height, &x, &y))
    target.data[(size_t) y * target.stride + (size_t) x] =
        (uint16_t) median_at (width, height, source, x, y, STEREO_INVALID);
}

__global__ void
encode_kernel (int width, int height, const StereoMap map,
    const StereoOutput output)
{
  int x, y;

  if (own_pixel (width, height, &x, &y))
    stereo_store_code (&output, x, y,
        map.data[(size_t) y * map.stride + (size_t) x]);
}

__global__ void
median_encode_kernel (int width, int height, const StereoMap source,
    const StereoOutput output)
{
  int x, y;

  if (own_pixel (width, height, &x, &y))
    stereo_store_code (&output, x, y,
        median_at (width, height, source, x, y, STEREO_INVALID));
}

__global__ void
median_codes_kernel (int width, int height, const StereoMap source,
    const StereoOutput output)
{
  int x, y;

  if (own_pixel (width, height, &x, &y))
    stereo_store_raw (&output, x, y,
        (uint16_t) median_at (width, height, source, x, y, output.invalid));
}

/* ------------------------------------------------------------------- stages */

StereoStatus
median (StereoQueue * queue, int width, int height, const StereoMap * source,
    const StereoMap * target)
{
  StereoCudaStage stage (queue);

  if (!stage.entered ())
    return stage.status ();
  median_kernel <<< grid_for (width, height), block, 0, stage.stream () >>>
      (width, height, *source, *target);
  return STEREO_CUDA_LAUNCHED (stage, "median_kernel");
}

StereoStatus
encode (StereoQueue * queue, int width, int height, const StereoMap * map,
    const StereoOutput * output)
{
  StereoCudaStage stage (queue);

  if (!stage.entered ())
    return stage.status ();
  encode_kernel <<< grid_for (width, height), block, 0, stage.stream () >>>
      (width, height, *map, *output);
  return STEREO_CUDA_LAUNCHED (stage, "encode_kernel");
}

StereoStatus
median_encode (StereoQueue * queue, int width, int height,
    const StereoMap * source, const StereoOutput * output)
{
  StereoCudaStage stage (queue);

  if (!stage.entered ())
    return stage.status ();
  median_encode_kernel <<< grid_for (width, height), block, 0,
      stage.stream () >>> (width, height, *source, *output);
  return STEREO_CUDA_LAUNCHED (stage, "median_encode_kernel");
}

StereoStatus
median_codes (StereoQueue * queue, int width, int height,
    const StereoMap * source, const StereoOutput * output)
{
  StereoCudaStage stage (queue);

  if (!stage.entered ())
    return stage.status ();
  median_codes_kernel <<< grid_for (width, height), block, 0,
      stage.stream () >>> (width, height, *source, *output);
  return STEREO_CUDA_LAUNCHED (stage, "median_codes_kernel");
}

}                               // namespace

extern "C" const void *stereo_median_stages_cuda (void);

extern "C" const void *
stereo_median_stages_cuda (void)
{
  static const StereoMedianStages stages = {
    .median = median,
    .encode = encode,
    .median_codes = median_codes,
    .median_encode = median_encode,
  };

  return &stages;
}
