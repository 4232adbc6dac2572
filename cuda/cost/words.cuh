/* gst-stereomatching: words of pixels, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Shared by the kernels of all costs with words: memory, and luma with a border
 * in shared memory. */

#ifndef STEREO_WORDS_CUH
#define STEREO_WORDS_CUH

#include "cost/words.h"

#include "core/device.cuh"
#include "core/launch.cuh"
#include "cost/words-formula.h"
#include "cost/difference.h"
#include "image/mirror.cuh"

/* A block computes a tile of both views' words, in layers of the grid.  Luma of
 * four adjacent pixels is a 32-bit word of shared memory. */
static const int words_group = 4;
static const int words_tile_groups = 32;
static const int words_tile_width = words_tile_groups * words_group;
static const int words_tile_height = 8;
static const int words_border = 2;
static const int words_threads = 256;

/* Luma of a tile: one group before and behind each row. */
typedef uint32_t StereoLumaTile[words_tile_height + 2 * words_border]
    [words_tile_groups + 2];

static inline size_t
words_stride (int width)
{
  return (((size_t) width + 63) / 64 * 64 + STEREO_WORDS_MARGIN)
      * sizeof (uint32_t);
}

static inline size_t
words_bytes (int width, int height)
{
  return words_stride (width) * (size_t) height
      + STEREO_WORDS_MARGIN * sizeof (uint32_t);
}

static inline uint8_t *
words_first (void *memory)
{
  return (uint8_t *) memory + STEREO_WORDS_MARGIN * sizeof (uint32_t);
}

static inline StereoWords
words_layout (int width, int, void *memory)
{
  StereoWords words = { { words_first (memory) }, words_stride (width) };

  return words;
}

static inline StereoStatus
words_mirror (StereoQueue * queue, int width, int height,
    void *const memory[2])
{
  uint8_t *const left = words_first (memory[0]);
  uint8_t *const right = words_first (memory[1]);

  return stereo_cuda_mirror_words (queue, StereoMirrorImages { width, height, 2,
      { left, right }, { left, right }, words_stride (width),
      words_stride (width) });
}

static inline dim3
words_grid (int width, int height)
{
  return dim3 (stereo_blocks (width, words_tile_width),
      stereo_blocks (height, words_tile_height), 2);
}

static __device__ __forceinline__ uint8_t
words_luma (const StereoView & view, int channels, int x, int y)
{
  const uint32_t pixel = stereo_view_pixel (&view, channels, x, y);

  return channels == 1 ? (uint8_t) pixel
      : stereo_luma ((uint8_t) pixel, (uint8_t) (pixel >> 8),
      (uint8_t) (pixel >> 16));
}

/* Luma of the four pixels from x on, the first one in the lowest byte. */
static __device__ __forceinline__ uint32_t
words_luma_group (const StereoView & view, int channels, int width, int x,
    int y)
{
  const uint8_t *row = view.plane[0] + (size_t) y * view.stride;
  uint32_t luma = 0;

  if (channels == 1 && x >= 0 && x + words_group <= width
      && (uintptr_t) (row + x) % words_group == 0)
    return *(const uint32_t *) (row + x);
#pragma unroll
  for (int i = 0; i < words_group; i++)
    luma |= (uint32_t) words_luma (view, channels,
        stereo_clamp_int (x + i, 0, width - 1), y) << (8 * i);
  return luma;
}

/* Loads the luma of the tile of this block, and synchronizes. */
static __device__ __forceinline__ void
words_load_tile (StereoLumaTile & luma, int width, int height, int channels,
    const StereoView & left_view, const StereoView & right_view)
{
  const int left = (int) blockIdx.x * words_tile_width;
  const int top = (int) blockIdx.y * words_tile_height;
  const int wide = words_tile_groups + 2;

  for (int i = (int) threadIdx.x;
      i < wide * (words_tile_height + 2 * words_border); i += words_threads) {
    const int x = left + (i % wide - 1) * words_group;
    const int y = stereo_clamp_int (top + i / wide - words_border, 0,
        height - 1);

    if (blockIdx.z == 0)
      luma[0][i] = words_luma_group (left_view, channels, width, x, y);
    else
      luma[0][i] = words_luma_group (right_view, channels, width, x, y);
  }
  __syncthreads ();
}

#endif /* STEREO_WORDS_CUH */
