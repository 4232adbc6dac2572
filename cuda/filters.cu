/* gst-stereomatching: stages that all algorithms share, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "filters.h"
#include "output.h"
#include "queue-cuda.h"

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

__global__ void
convert_kernel (const StereoConversion c)
{
  int x, y;

  if (!own_pixel (c.width, c.height, &x, &y))
    return;
  const uint8_t *s = c.source + (size_t) y * c.source_stride
      + (size_t) x * c.pixel_bytes;
  uint8_t *row = c.target[0] + (size_t) y * c.target_stride;

  if (c.channels == 1)
    row[x] = stereo_luma (s[c.r], s[c.g], s[c.b]);
  else
    ((uint32_t *) row)[x] = s[c.r] | (uint32_t) s[c.g] << 8
        | (uint32_t) s[c.b] << 16;
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

size_t
view_row_bytes (int width, int channels)
{
  return (size_t) width * (channels == 1 ? 1 : sizeof (uint32_t));
}

int
view_planes (int)
{
  return 1;
}

StereoStatus
convert (StereoQueue * queue, const StereoConversion * c)
{
  StereoCudaStage stage (queue);

  if (!stage.entered ())
    return stage.status ();
  convert_kernel <<< grid_for (c->width, c->height), block, 0,
      stage.stream () >>> (*c);
  return STEREO_CUDA_LAUNCHED (stage, "convert_kernel");
}

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

extern "C" cudaError_t
stereo_cuda_probe (void)
{
  cudaFuncAttributes attributes;

  return cudaFuncGetAttributes (&attributes, encode_kernel);
}

extern "C" const void *stereo_filters_stages_cuda (void);

extern "C" const void *
stereo_filters_stages_cuda (void)
{
  static const StereoFilterStages stages = {
    view_row_bytes, view_planes, convert, median, encode, median_codes,
    median_encode
  };

  return &stages;
}
