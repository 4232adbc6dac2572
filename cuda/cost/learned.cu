/* gst-stereomatching: words of the learned cost, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A warp evaluates the network for 16 pixels at a time, as two products of
 * matrices: A has a row per pixel.  With g = lane / 4 and t = lane % 4, a lane
 * has pixels g and g + 8 (core/mma.cuh).
 *
 * The sums of the first product are where A of the second one needs them if the
 * h_j are taken in another order: of each 16 h_j, a lane has number 2 t and
 * 2 t + 1 of the first eight and of the last eight.
 */

#include "cost/words.cuh"

#include "core/mma.cuh"
#include "cost/learned-formula.h"

namespace
{

const int tile_pitch = (words_tile_groups + 2) * words_group;   /* bytes */
const int hidden_tiles = STEREO_NETWORK_HIDDEN / 8;
const int hidden_pairs = hidden_tiles / 2;
const int bit_tiles = STEREO_NETWORK_BITS / 8;

/* The part of the network that a lane multiplies with. */
struct Fragments
{
  uint32_t w1[hidden_tiles][2];
  int b1[hidden_tiles][4];
  uint32_t w2[bit_tiles][hidden_pairs];
  int b2[bit_tiles][4];
  int shift;
  int offset[8];                /* of inputs 4 t + i and 16 + 4 t + i from the
                                 * pixel in the tile; 0 if there is none */
};

/* Four numbers as bytes, lowest first, saturated at -128 and 127. */
__device__ __forceinline__ uint32_t
pack (int a, int b, int c, int d)
{
  uint32_t high, all;

  asm ("cvt.pack.sat.s8.s32.b32 %0, %1, %2, 0;" : "=r" (high) : "r" (d),
      "r" (c));
  asm ("cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;" : "=r" (all) : "r" (b),
      "r" (a), "r" (high));
  return all;
}

__device__ __forceinline__ void
load_fragments (const StereoNetwork & n, int g, int t, Fragments * f)
{
  const uint32_t *w1 = (const uint32_t *) n.w1;
  const uint16_t *w2 = (const uint16_t *) n.w2;

  f->shift = n.shift;
#pragma unroll
  for (int i = 0; i < hidden_tiles; i++) {
    const int row = (8 * i + g) * (STEREO_NETWORK_INPUTS / 4);

    f->w1[i][0] = w1[row + t];
    f->w1[i][1] = t < 2 ? w1[row + 4 + t] : 0;
    for (int k = 0; k < 4; k++)
      f->b1[i][k] = stereo_network_start (n.b1[8 * i + 2 * t + k % 2],
          n.shift);
  }
#pragma unroll
  for (int m = 0; m < bit_tiles; m++) {
    const int row = (8 * m + g) * (STEREO_NETWORK_HIDDEN / 2);

    for (int p = 0; p < hidden_pairs; p++)
      f->w2[m][p] = w2[row + 8 * p + t]
          | (uint32_t) w2[row + 8 * p + 4 + t] << 16;
    for (int k = 0; k < 4; k++)
      f->b2[m][k] = n.b2[8 * m + 2 * t + k % 2];
  }
#pragma unroll
  for (int i = 0; i < 8; i++) {
    const int q = 4 * t + i % 4 + (i < 4 ? 0 : 16);

    f->offset[i] = q < STEREO_NETWORK_INPUTS
        ? stereo_network_row (q) * tile_pitch + stereo_network_column (q) : 0;
  }
}

/* Four inputs of a pixel.  pack() has the upper limit. */
__device__ __forceinline__ uint32_t
load_inputs (const uint8_t * pixel, const int *offset)
{
  const int center = -STEREO_NETWORK_GAIN * pixel[0];
  int d[4];

#pragma unroll
  for (int i = 0; i < 4; i++)
    d[i] = max (STEREO_NETWORK_GAIN * pixel[offset[i]] + center,
        -STEREO_NETWORK_LIMIT);
  return pack (d[0], d[1], d[2], d[3]);
}

/* The h_j of a pair of tiles, for pixels g and g + 8.  pack() has the upper
 * limit. */
__device__ __forceinline__ void
make_hidden (const Fragments & f, int pair, const uint32_t (&low)[2],
    const uint32_t (&high)[2], uint32_t (&h)[2])
{
  int c[2][4];

#pragma unroll
  for (int i = 0; i < 2; i++) {
    const int tile = 2 * pair + i;

    stereo_mma_32_signed (c[i], low, high, f.w1[tile][0], f.w1[tile][1],
        f.b1[tile]);
#pragma unroll
    for (int k = 0; k < 4; k++)
      c[i][k] = max (c[i][k] >> f.shift, 0);
  }
  h[0] = pack (c[0][0], c[0][1], c[1][0], c[1][1]);
  h[1] = pack (c[0][2], c[0][3], c[1][2], c[1][3]);
}

/* The bits of pixel g, or of pixel g + 8 if t is odd.  pixel: that of g in the
 * tile. */
__device__ __forceinline__ uint32_t
make_bits (const Fragments & f, const uint8_t * pixel, int t)
{
  const uint32_t low[2] = { load_inputs (pixel, f.offset),
    load_inputs (pixel + 8, f.offset)
  };
  const uint32_t high[2] = { load_inputs (pixel, f.offset + 4),
    load_inputs (pixel + 8, f.offset + 4)
  };
  uint32_t h[hidden_pairs][2], bits[2] = { 0, 0 };

#pragma unroll
  for (int p = 0; p < hidden_pairs; p++)
    make_hidden (f, p, low, high, h[p]);
#pragma unroll
  for (int m = 0; m < bit_tiles; m++) {
    int c[4];

    stereo_mma_32_signed (c, h[0], h[1], f.w2[m][0], f.w2[m][1], f.b2[m]);
    stereo_mma_16_signed (c, h[2], f.w2[m][2], c);
#pragma unroll
    for (int k = 0; k < 4; k++)
      bits[k / 2] |= (uint32_t) (c[k] > 0) << (8 * m + k % 2);
  }
  for (int i = 0; i < 2; i++) {
    bits[i] <<= 2 * t;
    bits[i] |= __shfl_xor_sync (0xffffffff, bits[i], 1);
    bits[i] |= __shfl_xor_sync (0xffffffff, bits[i], 2);
  }
  return bits[t % 2];
}

/* A warp has a row of the tile. */
__global__ void
__launch_bounds__ (words_threads) learned_kernel (int width, int height,
    int channels, const StereoView left_view, const StereoView right_view,
    uint8_t * left_words, uint8_t * right_words, size_t stride,
    const __grid_constant__ StereoNetwork given)
{
  __shared__ StereoLumaTile luma;
  __shared__ StereoNetwork network;
  const int lane = (int) threadIdx.x % 32, row = (int) threadIdx.x / 32;
  const int g = lane / 4, t = lane % 4;
  const int left = (int) blockIdx.x * words_tile_width;
  const int y = (int) blockIdx.y * words_tile_height + row;
  Fragments f;

  for (int i = (int) threadIdx.x; i < (int) (sizeof (network) / 4);
      i += words_threads)
    ((uint32_t *) &network)[i] = ((const uint32_t *) &given)[i];
  pdl_wait ();
  words_load_tile (luma, width, height, channels, left_view, right_view);
  if (y >= height)
    return;
  load_fragments (network, g, t, &f);

  const uint8_t *line = (const uint8_t *) luma[row + words_border]
      + words_group;
  uint32_t *target = (uint32_t *) ((blockIdx.z == 0 ? left_words : right_words)
      + (size_t) y * stride) + left;

  for (int x = 0; x < words_tile_width && left + x < width; x += 16) {
    const uint8_t *pixel = line + x + g;
    const uint32_t bits = make_bits (f, pixel, t);
    const int own = 8 * t;      /* a store beyond the row ends in its margin */

    if (t < 2)
      target[x + g + own] = bits | stereo_words_gradient (pixel[own - 1],
          pixel[own + 1]) << 24;
  }
}

StereoStatus
learned_make (StereoQueue * queue, const StereoWordsSource * source,
    void *const memory[2])
{
  return run_kernel (queue, "learned_kernel", true,
      words_grid (source->width, source->height), words_threads, 0,
      learned_kernel, source->width, source->height, source->channels,
      source->views[0], source->views[1], words_first (memory[0]),
      words_first (memory[1]), words_stride (source->width),
      *source->network);
}

}                               // namespace

extern "C" const void *
stereo_learned_stages_cuda (void)
{
  static const StereoWordsStages stages = {
    .bytes = words_bytes,
    .layout = words_layout,
    .make = learned_make,
    .mirror = words_mirror,
  };

  return &stages;
}
