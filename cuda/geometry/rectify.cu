/* gst-stereomatching: rectified views, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "geometry/rectify.h"

#include "core/launch.cuh"

#define BLOCK_X 32
#define BLOCK_Y 8

namespace
{

__device__ unsigned
byte_at (const StereoRemapPlane & p, int bytes, int x, int y, int i)
{
  bool inside = (unsigned) x < (unsigned) p.width
      && (unsigned) y < (unsigned) p.height;

  return inside ? __ldg (p.in + (size_t) y * p.in_stride + (size_t) bytes * x
      + i) : p.border[i];
}

/* One thread per sample; rows need no alignment. */
template < int BYTES > __global__ void
remap_kernel (const StereoRemapPlane p)
{
  int x = blockIdx.x * BLOCK_X + threadIdx.x;
  int y = blockIdx.y * BLOCK_Y + threadIdx.y;

  if (x >= p.width || y >= p.height)
    return;
  const StereoSource s = p.sources[(size_t) y * p.width + x];
  uint8_t *out = p.out + (size_t) y * p.out_stride + (size_t) BYTES * x;
  int sx = s.x >> 8, sy = s.y >> 8;
  unsigned fx = s.x & 255, fy = s.y & 255;
  unsigned pixel = 0;

#pragma unroll
  for (int i = 0; i < BYTES; i++) {
    unsigned above = byte_at (p, BYTES, sx, sy, i) * (256 - fx)
        + byte_at (p, BYTES, sx + 1, sy, i) * fx;
    unsigned below = byte_at (p, BYTES, sx, sy + 1, i) * (256 - fx)
        + byte_at (p, BYTES, sx + 1, sy + 1, i) * fx;

    pixel |= ((above * (256 - fy) + below * fy + 32768) >> 16) << 8 * i;
  }
  if (BYTES == 4 && (uintptr_t) out % 4 == 0) {
    *(uint32_t *) out = pixel;
    return;
  }
#pragma unroll
  for (int i = 0; i < BYTES; i++)
    out[i] = (uint8_t) (pixel >> 8 * i);
}

StereoStatus
rectify_remap (StereoQueue * queue, const StereoRemapPlane * plane)
{
  static void (*const kernels[])(const StereoRemapPlane) = {
    remap_kernel < 1 >, remap_kernel < 2 >, remap_kernel < 3 >,
    remap_kernel < 4 >
  };

  return run_kernel (queue, "remap_kernel", false,
      dim3 (stereo_blocks (plane->width, BLOCK_X),
          stereo_blocks (plane->height, BLOCK_Y)), dim3 (BLOCK_X, BLOCK_Y), 0,
      kernels[plane->sample_bytes - 1], *plane);
}

}                               // namespace

extern "C" const void *stereo_rectify_stages_cuda (void);

extern "C" const void *
stereo_rectify_stages_cuda (void)
{
  static const StereoRectifyStages stages = {
    .remap = rectify_remap,
  };

  return &stages;
}
