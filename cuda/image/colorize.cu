/* gst-stereomatching: codes to colours, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "image/colorize.h"

#include "core/queue-cuda.h"

#define BLOCK_X 32
#define BLOCK_Y 8

namespace
{

/* A pixel to each thread.  Rows may begin at any address. */
__global__ void
color_kernel (const StereoColorizeFrame f)
{
  int x = blockIdx.x * BLOCK_X + threadIdx.x;
  int y = blockIdx.y * BLOCK_Y + threadIdx.y;

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
color (StereoQueue * queue, const StereoColorizeFrame * frame)
{
  StereoCudaStage stage (queue);
  dim3 block (BLOCK_X, BLOCK_Y);
  dim3 grid ((frame->width + BLOCK_X - 1) / BLOCK_X,
      (frame->height + BLOCK_Y - 1) / BLOCK_Y);

  if (!stage.entered ())
    return stage.status ();
  color_kernel <<< grid, block, 0, stage.stream () >>> (*frame);
  return STEREO_CUDA_LAUNCHED (stage, "color_kernel");
}

}                               // namespace

extern "C" const void *stereo_colorize_stages_cuda (void);

extern "C" const void *
stereo_colorize_stages_cuda (void)
{
  static const StereoColorizeStages stages = {
    .color = color,
  };

  return &stages;
}
