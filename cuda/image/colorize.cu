/* gst-stereomatching: false-colour disparity maps, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "image/colorize.h"

#include "core/launch.cuh"

namespace
{

/* Rows need no alignment. */
__global__ void
color_kernel (const StereoColorizeFrame f)
{
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 8 + threadIdx.y;

  if (x >= f.width || y >= f.height)
    return;
  const uint8_t *in = f.codes + (size_t) y * f.codes_stride;
  uint8_t *out = f.pixels + (size_t) y * f.pixels_stride
      + (size_t) f.pixel_bytes * x;
  unsigned code = f.code_bytes == 1 ? in[x]
      : in[2 * x] | (unsigned) in[2 * x + 1] << 8;
  uint32_t pixel = f.table[code];

  if (f.pixel_bytes == 4 && (uintptr_t) out % 4 == 0) {
    *(uint32_t *) out = pixel;
    return;
  }
  for (int i = 0; i < f.pixel_bytes; i++)
    out[i] = (uint8_t) (pixel >> 8 * i);
}

StereoStatus
colorize_codes (StereoQueue * queue, const StereoColorizeFrame * frame)
{
  return run_kernel (queue, "color_kernel", false,
      stereo_pixel_grid (frame->width, frame->height), stereo_pixel_block, 0,
      color_kernel, *frame);
}

}                               // namespace

extern "C" const void *
stereo_colorize_stages_cuda (void)
{
  static const StereoColorizeStages stages = {
    .color = colorize_codes,
  };

  return &stages;
}
