/* gst-stereomatching: census words, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "cost/words.h"

#include "core/device.cuh"
#include "core/launch.cuh"
#include "cost/words-formula.h"
#include "cost/difference.h"

namespace
{

/* A thread computes four adjacent words; a row of a block has 32 threads. */
const int group = 4;
const int tile_groups = 32;
const int tile_height = 8;
const int border = 2;
const int threads = 256;

size_t
census_stride (int width)
{
  return (((size_t) width + 63) / 64 * 64 + STEREO_WORDS_MARGIN)
      * sizeof (uint32_t);
}

__device__ uint8_t
census_luma (const StereoView & view, int channels, int x, int y)
{
  const uint32_t pixel = stereo_view_pixel (&view, channels, x, y);

  return channels == 1 ? (uint8_t) pixel
      : stereo_luma ((uint8_t) pixel, (uint8_t) (pixel >> 8),
      (uint8_t) (pixel >> 16));
}

/* Luma of the four pixels from x on, the first one in the lowest byte. */
__device__ uint32_t
luma_group (const StereoView & view, int channels, int width, int x, int y)
{
  const uint8_t *row = view.plane[0] + (size_t) y * view.stride;
  uint32_t luma = 0;

  if (channels == 1 && x >= 0 && x + group <= width
      && (uintptr_t) (row + x) % group == 0)
    return *(const uint32_t *) (row + x);
#pragma unroll
  for (int i = 0; i < group; i++)
    luma |= (uint32_t) census_luma (view, channels,
        stereo_clamp_int (x + i, 0, width - 1), y) << (8 * i);
  return luma;
}

/* Each layer of the grid processes one view. */
__global__ void
__launch_bounds__ (threads) census_kernel (int width, int height,
    int channels, const StereoView left_view, const StereoView right_view,
    uint8_t * left_words, uint8_t * right_words, size_t stride)
{
  __shared__ uint32_t luma[tile_height + 2 * border][tile_groups + 2];
  const int left = (int) blockIdx.x * tile_groups * group;
  const int top = (int) blockIdx.y * tile_height;
  const int column = (int) threadIdx.x % tile_groups;
  const int row = (int) threadIdx.x / tile_groups;
  const int wide = tile_groups + 2;

  pdl_wait ();
  for (int i = (int) threadIdx.x; i < wide * (tile_height + 2 * border);
      i += threads) {
    const int x = left + (i % wide - 1) * group;
    const int y = stereo_clamp_int (top + i / wide - border, 0, height - 1);

    if (blockIdx.z == 0)
      luma[0][i] = luma_group (left_view, channels, width, x, y);
    else
      luma[0][i] = luma_group (right_view, channels, width, x, y);
  }
  __syncthreads ();

  const int x = left + column * group, y = top + row;

  if (y >= height || x >= width)
    return;
  const uint32_t center = luma[row + border][column + 1];
  uint32_t bits[3] = { 0, 0, 0 }, before = 0, behind = 0;

#pragma unroll
  for (int v = 0; v < 5; v++) {
    const uint32_t *at = &luma[row + v][column];
    const uint32_t shifted[5] = {
      __byte_perm (at[0], at[1], 0x5432), __byte_perm (at[0], at[1], 0x6543),
      at[1],
      __byte_perm (at[1], at[2], 0x4321), __byte_perm (at[1], at[2], 0x5432)
    };

    if (v == 2) {
      before = shifted[1];
      behind = shifted[3];
    }
#pragma unroll
    for (int u = 0; u < 5; u++) {
      const int n = 5 * v + u - (5 * v + u > 12);

      if (v != 2 || u != 2)
        bits[n / 8] |= __vsetltu4 (shifted[u], center) << (n % 8);
    }
  }

  uint32_t *target = (uint32_t *) ((blockIdx.z == 0 ? left_words : right_words)
      + (size_t) y * stride) + x;
  uint32_t words[group];

#pragma unroll
  for (int i = 0; i < group; i++)
    words[i] = (bits[0] >> (8 * i) & 255) | (bits[1] >> (8 * i) & 255) << 8
        | (bits[2] >> (8 * i) & 255) << 16
        | stereo_words_gradient (before >> (8 * i) & 255,
        behind >> (8 * i) & 255) << 24;
  /* A store beyond the row ends in its margin. */
  *(uint4 *) target = make_uint4 (words[0], words[1], words[2], words[3]);
}

size_t
census_bytes (int width, int height)
{
  return census_stride (width) * (size_t) height
      + STEREO_WORDS_MARGIN * sizeof (uint32_t);
}

uint8_t *
first_word (void *memory)
{
  return (uint8_t *) memory + STEREO_WORDS_MARGIN * sizeof (uint32_t);
}

StereoWords
census_layout (int width, int, void *memory)
{
  StereoWords census = { { first_word (memory) }, census_stride (width) };

  return census;
}

StereoStatus
census_make (StereoQueue * queue, int width, int height, int channels,
    const StereoView views[2], void *const memory[2])
{
  return run_kernel (queue, "census_kernel", true,
      dim3 (stereo_blocks (width, tile_groups * group),
          stereo_blocks (height, tile_height), 2), threads, 0, census_kernel,
      width, height, channels, views[0], views[1], first_word (memory[0]),
      first_word (memory[1]), census_stride (width));
}

}                               // namespace

extern "C" const void *
stereo_census_stages_cuda (void)
{
  static const StereoWordsStages stages = {
    .bytes = census_bytes,
    .layout = census_layout,
    .make = census_make,
  };

  return &stages;
}
