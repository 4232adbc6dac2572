/* gst-stereomatching: census words, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "cost/words.cuh"

namespace
{

/* Each thread computes a group of words. */
__global__ void
__launch_bounds__ (words_threads) census_kernel (int width, int height,
    int channels, const StereoView left_view, const StereoView right_view,
    uint8_t * left_words, uint8_t * right_words, size_t stride)
{
  __shared__ StereoLumaTile luma;
  const int column = (int) threadIdx.x % words_tile_groups;
  const int row = (int) threadIdx.x / words_tile_groups;

  pdl_start ();
  words_load_tile (luma, width, height, channels, left_view, right_view);

  const int x = (int) blockIdx.x * words_tile_width + column * words_group;
  const int y = (int) blockIdx.y * words_tile_height + row;

  if (y >= height || x >= width)
    return;
  const uint32_t center = luma[row + words_border][column + 1];
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
  uint32_t made[words_group];

#pragma unroll
  for (int i = 0; i < words_group; i++)
    made[i] = (bits[0] >> (8 * i) & 255) | (bits[1] >> (8 * i) & 255) << 8
        | (bits[2] >> (8 * i) & 255) << 16
        | stereo_words_gradient (before >> (8 * i) & 255,
        behind >> (8 * i) & 255) << 24;
  /* A store beyond the row ends in its margin. */
  *(uint4 *) target = make_uint4 (made[0], made[1], made[2], made[3]);
}

StereoStatus
census_make (StereoQueue * queue, const StereoWordsSource * source,
    void *const memory[2])
{
  return run_kernel (queue, "census_kernel", true,
      words_grid (source->width, source->height), words_threads, 0,
      census_kernel, source->width, source->height, source->channels,
      source->views[0], source->views[1], words_first (memory[0]),
      words_first (memory[1]), words_stride (source->width));
}

}                               // namespace

extern "C" const void *
stereo_census_stages_cuda (void)
{
  static const StereoWordsStages stages = {
    .bytes = words_bytes,
    .layout = words_layout,
    .make = census_make,
    .mirror = words_mirror,
  };

  return &stages;
}
