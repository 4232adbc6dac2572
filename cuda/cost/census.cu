/* gst-stereomatching: census words, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "cost/census.h"

#include "core/queue-cuda.h"
#include "cost/census-pixel.h"
#include "cost/difference.h"

namespace
{

const int tile_width = 64;
const int tile_height = 8;
const int border = 2;
const int threads = 256;

size_t
row_stride (int width)
{
  return (((size_t) width + 63) / 64 * 64 + STEREO_CENSUS_MARGIN)
      * sizeof (uint32_t);
}

__device__ uint8_t
luma_at (const StereoView & view, int channels, int x, int y)
{
  const uint32_t pixel = stereo_view_pixel (&view, channels, x, y);

  return channels == 1 ? (uint8_t) pixel
      : stereo_luma ((uint8_t) pixel, (uint8_t) (pixel >> 8),
      (uint8_t) (pixel >> 16));
}

/* One view in each layer of the grid, and two pixels of a column in each
 * thread. */
__global__ void
__launch_bounds__ (threads) census_kernel (int width, int height,
    int channels, const StereoView left_view, const StereoView right_view,
    uint8_t * left_words, uint8_t * right_words, size_t stride)
{
  __shared__ uint8_t luma[tile_height + 2 * border][tile_width + 2 * border];
  const StereoView & view = blockIdx.z == 0 ? left_view : right_view;
  uint8_t *words = blockIdx.z == 0 ? left_words : right_words;
  const int left = (int) blockIdx.x * tile_width;
  const int top = (int) blockIdx.y * tile_height;
  const int wide = tile_width + 2 * border;

  for (int i = (int) threadIdx.x; i < wide * (tile_height + 2 * border);
      i += threads)
    luma[i / wide][i % wide] = luma_at (view, channels,
        stereo_clamp_int (left + i % wide - border, 0, width - 1),
        stereo_clamp_int (top + i / wide - border, 0, height - 1));
  __syncthreads ();

  const int column = (int) threadIdx.x % tile_width;
  const int x = left + column;

  for (int row = (int) threadIdx.x / tile_width; row < tile_height;
      row += threads / tile_width) {
    const int y = top + row;

    if (y >= height || x >= width)
      continue;
    const uint32_t center = luma[row + border][column + border];
    uint32_t bits = 0;
    int n = 0;

#pragma unroll
    for (int i = 0; i < 25; i++) {
      if (i != 12)
        bits |= (uint32_t) (luma[row + i / 5][column + i % 5] < center) << n++;
    }
    bits |= stereo_census_gradient (luma[row + border][column + border - 1],
        luma[row + border][column + border + 1]) << 24;
    ((uint32_t *) (words + (size_t) y * stride))[x] = bits;
  }
}

size_t
bytes (int width, int height)
{
  return row_stride (width) * (size_t) height
      + STEREO_CENSUS_MARGIN * sizeof (uint32_t);
}

uint8_t *
first_word (void *memory)
{
  return (uint8_t *) memory + STEREO_CENSUS_MARGIN * sizeof (uint32_t);
}

StereoCensus
layout (int width, int, void *memory)
{
  StereoCensus census = { { first_word (memory) }, row_stride (width) };

  return census;
}

StereoStatus
make (StereoQueue * queue, int width, int height, int channels,
    const StereoView views[2], void *const memory[2])
{
  StereoCudaStage stage (queue);

  if (!stage.entered ())
    return stage.status ();
  census_kernel <<< dim3 ((unsigned) ((width + tile_width - 1) / tile_width),
      (unsigned) ((height + tile_height - 1) / tile_height), 2), threads, 0,
      stage.stream () >>> (width, height, channels, views[0], views[1],
      first_word (memory[0]), first_word (memory[1]), row_stride (width));
  return STEREO_CUDA_LAUNCHED (stage, "census_kernel");
}

}                               // namespace

extern "C" const void *stereo_census_stages_cuda (void);

extern "C" const void *
stereo_census_stages_cuda (void)
{
  static const StereoCensusStages stages = {
    .bytes = bytes,
    .layout = layout,
    .make = make,
  };

  return &stages;
}
