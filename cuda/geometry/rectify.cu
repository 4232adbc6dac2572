/* gst-stereomatching: rectified views, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "geometry/rectify.h"

#include "core/launch.cuh"
#include "image/pixel.h"

namespace
{

/* Threads of a block, and pixels of a thread, one below the other. */
const int block_width = 32;
const int block_height = 8;
const int pixels = 4;

struct RemapArgs
{
  StereoRemapPlane plane;
  bool aligned;                 /* rows of samples of 4 bytes, to words */
};

/* A sample, its first byte lowest; outside the image the border. */
template < int BYTES > __device__ __forceinline__ uint32_t
sample_at (const StereoRemapPlane & p, int x, int y)
{
  const bool inside = (unsigned) x < (unsigned) p.width
      && (unsigned) y < (unsigned) p.height;
  const uint8_t *at = p.in + stereo_plane_offset (BYTES * x, y, p.in_stride);
  uint32_t sample = 0;

#pragma unroll
  for (int i = 0; i < BYTES; i++)
    sample |= (uint32_t) (inside ? __ldg (at + i) : p.border[i]) << 8 * i;
  return sample;
}

/* The samples around a source: above, then below. */
template < int BYTES > __device__ __forceinline__ void
get_samples (const RemapArgs & a, const StereoSource & s, uint32_t (&sample)[4])
{
  const StereoRemapPlane & p = a.plane;
  const int x = s.x >> 8, y = s.y >> 8;

  if (BYTES == 4 && a.aligned && (unsigned) x < (unsigned) p.width - 1
      && (unsigned) y < (unsigned) p.height - 1) {
    const uint8_t *above = p.in + stereo_plane_offset (4 * x, y, p.in_stride);
    const uint8_t *below = above + p.in_stride;

    sample[0] = __ldg ((const uint32_t *) above);
    sample[1] = __ldg ((const uint32_t *) above + 1);
    sample[2] = __ldg ((const uint32_t *) below);
    sample[3] = __ldg ((const uint32_t *) below + 1);
    return;
  }
#pragma unroll
  for (int i = 0; i < 4; i++)
    sample[i] = sample_at < BYTES > (p, x + i % 2, y + i / 2);
}

/* Interpolates bytes.  The horizontal sums of two bytes are in the halves of a
 * word. */
template < int BYTES > __device__ __forceinline__ uint32_t
interpolate (const uint32_t (&sample)[4], uint32_t fx, uint32_t fy)
{
  uint32_t result = 0;

#pragma unroll
  for (int first = 0; first < min (BYTES, 2); first++) {
    uint32_t pair[4];

#pragma unroll
    for (int i = 0; i < 4; i++)
      pair[i] = sample[i] >> 8 * first & 0xff00ff;
    const uint32_t above = pair[0] * (256 - fx) + pair[1] * fx;
    const uint32_t below = pair[2] * (256 - fx) + pair[3] * fx;

#pragma unroll
    for (int i = first; i < BYTES; i += 2) {
      const int shift = i < 2 ? 0 : 16;

      result |= ((above >> shift & 0xffff) * (256 - fy)
          + (below >> shift & 0xffff) * fy + 32768) >> 16 << 8 * i;
    }
  }
  return result;
}

template < int BYTES > __device__ __forceinline__ void
store_sample (const RemapArgs & a, uint8_t * out, uint32_t sample)
{
  if (BYTES == 4 && a.aligned) {
    *(uint32_t *) out = sample;
    return;
  }
#pragma unroll
  for (int i = 0; i < BYTES; i++)
    out[i] = (uint8_t) (sample >> 8 * i);
}

template < int BYTES > __global__ void
__launch_bounds__ (block_width * block_height)
remap_kernel (const __grid_constant__ RemapArgs a)
{
  const StereoRemapPlane & p = a.plane;
  const int x = (int) (blockIdx.x * block_width + threadIdx.x);
  const int first = (int) (blockIdx.y * block_height * pixels + threadIdx.y);
  StereoSource source[pixels];

  if (x >= p.width)
    return;
#pragma unroll
  for (int i = 0; i < pixels; i++)
    source[i] = p.sources[stereo_plane_offset (x, min (first
                + i * block_height, p.height - 1), p.width)];
#pragma unroll
  for (int i = 0; i < pixels; i++) {
    const int y = first + i * block_height;
    uint32_t sample[4];

    get_samples < BYTES > (a, source[i], sample);
    if (y < p.height)
      store_sample < BYTES > (a, p.out + stereo_plane_offset (BYTES * x, y,
              p.out_stride), interpolate < BYTES > (sample,
              source[i].x & 255, source[i].y & 255));
  }
}

StereoStatus
rectify_remap (StereoQueue * queue, const StereoRemapPlane * plane)
{
  static void (*const kernels[])(const RemapArgs) = {
    remap_kernel < 1 >, remap_kernel < 2 >, remap_kernel < 3 >,
    remap_kernel < 4 >
  };
  const RemapArgs args = { *plane, ((uintptr_t) plane->in | plane->in_stride
        | (uintptr_t) plane->out | plane->out_stride) % 4 == 0
  };

  return run_kernel (queue, "remap_kernel", false,
      dim3 (stereo_blocks (plane->width, block_width),
          stereo_blocks (plane->height, block_height * pixels)),
      dim3 (block_width, block_height), 0, kernels[plane->sample_bytes - 1],
      args);
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
