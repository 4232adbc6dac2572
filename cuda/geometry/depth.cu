/* gst-stereomatching: depth maps, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "geometry/depth.h"

#include "core/launch.cuh"

#define BLOCK_X 32
#define BLOCK_Y 8

/* Pixels per thread: 16 bytes of depths. */
#define PIXELS 8

namespace
{

template < int CODE_BYTES > __device__ unsigned
depth_code (const uint8_t * row, int x)
{
  return CODE_BYTES == 1 ? row[x] : row[2 * x] | (unsigned) row[2 * x + 1] << 8;
}

/* Code i of eight. */
template < int CODE_BYTES > __device__ unsigned
code_in (const uint4 & words, int i)
{
  const unsigned w[4] = { words.x, words.y, words.z, words.w };

  return CODE_BYTES == 1 ? w[i / 4] >> 8 * (i % 4) & 255
      : w[i / 2] >> 16 * (i % 2) & 65535;
}

/* Eight pixels; codes and depths are aligned to 16 bytes (8-bit codes: 8). */
template < int CODE_BYTES > __device__ void
look_up_words (const uint8_t * in, uint8_t * out,
    const uint16_t * __restrict__ table)
{
  uint4 words = { 0, 0, 0, 0 };
  unsigned pairs[PIXELS / 2];

  if (CODE_BYTES == 1) {
    uint2 half = *(const uint2 *) in;

    words.x = half.x;
    words.y = half.y;
  } else {
    words = *(const uint4 *) in;
  }
#pragma unroll
  for (int i = 0; i < PIXELS; i += 2)
    pairs[i / 2] = __ldg (table + code_in < CODE_BYTES > (words, i))
        | (unsigned) __ldg (table + code_in < CODE_BYTES > (words, i + 1))
        << 16;
  *(uint4 *) out = make_uint4 (pairs[0], pairs[1], pairs[2], pairs[3]);
}

/* Eight pixels per thread.  aligned: rows of both images are aligned to 16
 * bytes */
template < int CODE_BYTES > __global__ void
depth_kernel (const StereoDepthFrame f, bool aligned)
{
  int x = (blockIdx.x * BLOCK_X + threadIdx.x) * PIXELS;
  int y = blockIdx.y * BLOCK_Y + threadIdx.y;

  if (x >= f.width || y >= f.height)
    return;
  const uint8_t *in = f.codes + (size_t) y * f.codes_stride;
  uint8_t *out = f.depths + (size_t) y * f.depths_stride;

  if (aligned && x + PIXELS <= f.width) {
    look_up_words < CODE_BYTES > (in + CODE_BYTES * x, out + 2 * x, f.table);
    return;
  }
  for (int i = x; i < x + PIXELS && i < f.width; i++) {
    unsigned depth = f.table[depth_code < CODE_BYTES > (in, i)];

    out[2 * i] = (uint8_t) depth;
    out[2 * i + 1] = (uint8_t) (depth >> 8);
  }
}

StereoStatus
depth_look_up (StereoQueue * queue, const StereoDepthFrame * frame)
{
  const bool aligned = ((uintptr_t) frame->codes | frame->codes_stride
      | (uintptr_t) frame->depths | frame->depths_stride) % 16 == 0;

  return run_kernel (queue, "depth_kernel", false,
      dim3 (stereo_blocks (frame->width, BLOCK_X * PIXELS),
          stereo_blocks (frame->height, BLOCK_Y)), dim3 (BLOCK_X, BLOCK_Y), 0,
      frame->code_bytes == 1 ? depth_kernel < 1 >
      : depth_kernel < 2 >, *frame, aligned);
}

}                               // namespace

extern "C" const void *stereo_depth_stages_cuda (void);

extern "C" const void *
stereo_depth_stages_cuda (void)
{
  static const StereoDepthStages stages = {
    .look_up = depth_look_up,
  };

  return &stages;
}
