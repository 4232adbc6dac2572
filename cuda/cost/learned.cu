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
 * The inputs of a lane come from four words of a tile, each of which has two
 * neighbouring pixels: three of a row above or below the pixel, which depends
 * on t, and one of its own row.  Inputs are raised by the limit, so that they
 * are unsigned and a clamped difference is one instruction; the first sums make
 * up for it.
 *
 * The sums of the first product are where A of the second one needs them if the
 * h_j are taken in another order: of each 16 h_j, a lane has number 2 t and
 * 2 t + 1 of the first eight and of the last eight.  The second sums are
 * negated: their signs are the bits.  Those of a lane are neighbours in a word.
 */

#include "cost/words.cuh"

#include "core/mma.cuh"
#include "cost/learned-formula.h"

namespace
{

const int tile_rows = words_tile_height + 2 * words_border;
const int tile_pitch = (words_tile_groups + 2) * words_group;   /* pixels */
const int hidden_tiles = STEREO_NETWORK_HIDDEN / 8;
const int hidden_pairs = hidden_tiles / 2;
const int bit_tiles = STEREO_NETWORK_BITS / 8;
const int lane_bits = 2 * bit_tiles;
const int n_words = 4;

/* ------------------------------------------------------------------ network */

/* The network in the order of lanes. */
struct Network
{
  uint32_t w1[hidden_tiles][2][32];
  uint32_t w2[bit_tiles][hidden_pairs][32];
  uint16_t b1[hidden_tiles][8]; /* by column of the tile, modulo 2^16 */
  int b2[bit_tiles][8];
  uint32_t highest;             /* sum of the first layer, twice */
  /* An h_j is the upper byte of its sum times gain, shifted to the right if
   * shift is not 0. */
  uint32_t gain;
  int shift;
  uint32_t mask;
};

/* Offset of the pixels of word i from the pixel; the second one is a column
 * further.  The last word of lanes with t > 1 has no inputs. */
__host__ __device__ __forceinline__ constexpr int
word_row (int t, int i)
{
  return i == n_words - 1 ? 0 : t < 2 ? t - 2 : t - 1;
}

__host__ __device__ __forceinline__ constexpr int
word_column (int t, int i)
{
  return i == n_words - 1 ? (t == 0 ? -2 : 1) : 2 * i - 2;
}

/* The weight of input `byte`, 0 to 7, of a lane. */
uint32_t
first_weight (const int8_t * weights, int t, int byte)
{
  const int i = byte / 2, column = word_column (t, i) + byte % 2;

  return column > 2 || (i == n_words - 1 && t > 1) ? 0
      : (uint8_t) weights[stereo_network_neighbor (word_row (t, i), column)];
}

/* The h_j of byte i of a pair of tiles. */
int
hidden_index (int pair, int t, int i)
{
  return 16 * pair + 8 * (i / 2) + 2 * t + i % 2;
}

/* The bit of a column of a tile. */
int
bit_index (int tile, int column)
{
  return lane_bits * (column / 2) + 2 * tile + column % 2;
}

void
arrange_weights (const StereoNetwork & from, Network * n)
{
  for (int lane = 0; lane < 32; lane++) {
    const int g = lane / 4, t = lane % 4;

    for (int i = 0; i < hidden_tiles; i++)
      for (int byte = 0; byte < 8; byte++)
        n->w1[i][byte / 4][lane] |= first_weight (from.w1[8 * i + g], t, byte)
            << byte % 4 * 8;
    for (int m = 0; m < bit_tiles; m++)
      for (int byte = 0; byte < 4 * hidden_pairs; byte++)
        n->w2[m][byte / 4][lane] |= (uint32_t) (uint8_t)
            - from.w2[bit_index (m, g)][hidden_index (byte / 4, t, byte % 4)]
            << byte % 4 * 8;
  }
}

Network
make_network (const StereoNetwork & from)
{
  Network n;
  const int more = from.shift > 8 ? from.shift - 8 : 0;

  memset ((void *) &n, 0, sizeof (n));
  arrange_weights (from, &n);
  for (int j = 0; j < STEREO_NETWORK_HIDDEN; j++) {
    int start = stereo_network_start (from.b1[j], from.shift);

    for (int q = 0; q < STEREO_NETWORK_INPUTS; q++)
      start -= STEREO_NETWORK_LIMIT * from.w1[j][q];
    n.b1[j / 8][j % 8] = (uint16_t) start;
  }
  for (int m = 0; m < bit_tiles; m++)
    for (int column = 0; column < 8; column++)
      n.b2[m][column] = -from.b2[bit_index (m, column)];
  n.highest = splat_u16 (from.shift < 8
      ? ((STEREO_NETWORK_LIMIT + 1) << from.shift) - 1
      : STEREO_NETWORK_MAX_SUM);
  n.gain = 1u << (8 + more - from.shift);
  n.shift = more;
  n.mask = (uint32_t) (STEREO_NETWORK_LIMIT >> more) * 0x01010101u;
  return n;
}

/* The part of the network that a lane multiplies with. */
struct Fragments
{
  uint32_t w1[hidden_tiles][2];
  uint32_t b1[hidden_tiles];    /* of both columns */
  uint32_t w2[bit_tiles][hidden_pairs];
  int b2[bit_tiles][4];
};

__device__ __forceinline__ void
load_fragments (const Network & n, int lane, Fragments * f)
{
#pragma unroll
  for (int i = 0; i < hidden_tiles; i++) {
    for (int half = 0; half < 2; half++)
      f->w1[i][half] = n.w1[i][half][lane];
    f->b1[i] = ((const uint32_t *) n.b1[i])[lane % 4];
  }
#pragma unroll
  for (int m = 0; m < bit_tiles; m++) {
    for (int p = 0; p < hidden_pairs; p++)
      f->w2[m][p] = n.w2[m][p][lane];
    for (int k = 0; k < 4; k++)
      f->b2[m][k] = n.b2[m][lane % 4 * 2 + k % 2];
  }
}

/* --------------------------------------------------------------------- tile */

/* A word has a pixel and the next one, as pair_offset more than the gain times
 * luma. */
typedef uint32_t PairTile[tile_rows][tile_pitch];

const int pair_offset = STEREO_NETWORK_LIMIT + 1;

__device__ __forceinline__ uint32_t
make_pair (uint32_t luma, uint32_t order)
{
  return STEREO_NETWORK_GAIN * __byte_perm (luma, 0, order)
      + splat_u16 (pair_offset);
}

/* Fills pairs, and synchronizes. */
__device__ __forceinline__ void
pair_pixels (const StereoLumaTile & luma, PairTile & pairs)
{
  const int n = tile_rows * (words_tile_groups + 2);

  for (int i = (int) threadIdx.x; i < n; i += words_threads) {
    const uint32_t own = luma[0][i], next = luma[0][min (i + 1, n - 1)];

    *(uint4 *) (&pairs[0][i * words_group]) = make_uint4 (
        make_pair (own, 0x4140), make_pair (own, 0x4241),
        make_pair (own, 0x4342),
        make_pair (__byte_perm (own, next, 0x0043), 0x4140));
  }
  __syncthreads ();
}

/* The inputs of two words, as bytes. */
__device__ __forceinline__ uint32_t
clamp_inputs (uint32_t first, uint32_t second, uint32_t negative)
{
  const uint32_t highest = splat_u16 (2 * STEREO_NETWORK_LIMIT);

  return __byte_perm (__viaddmin_s16x2_relu (first, negative, highest),
      __viaddmin_s16x2_relu (second, negative, highest), 0x6420);
}

/* Where the words of a lane are, for one pixel. */
struct Place
{
  const uint32_t *own;          /* the pixel */
  const uint32_t *row;          /* the first of three words, two apart */
  const uint32_t *side;         /* the word of its own row */

  __device__ __forceinline__ Place (const uint32_t * pixel, int t):own (
      opaque_shared (pixel)), row (opaque_shared (pixel
          + word_row (t, 0) * tile_pitch + word_column (t, 0))),
  side (opaque_shared (pixel + word_column (t, n_words - 1)))
  {
  }
};

/* The inputs of the pixel x columns further. */
__device__ __forceinline__ void
load_inputs (const Place & place, int x, uint32_t & low, uint32_t & high)
{
  /* The limit less the pixel, twice: the lower half, at least 1 less than 0,
   * takes 1 from the upper one. */
  const uint32_t negative = splat_u16 (STEREO_NETWORK_LIMIT) + 0x10000u
      - __byte_perm (place.own[x], 0, 0x1010);

  low = clamp_inputs (place.row[x], place.row[x + 2], negative);
  high = clamp_inputs (place.row[x + 4], place.side[x], negative);
}

/* ----------------------------------------------------------------- products */

/* A sum of each column, which fits into 16 bits with the bias, from 0 on and
 * limited. */
__device__ __forceinline__ uint32_t
add_bias (const Network & n, uint32_t bias, int a, int b)
{
  return __viaddmin_s16x2_relu (__byte_perm ((uint32_t) a, (uint32_t) b,
          0x5410), bias, n.highest);
}

/* The h_j of a pair of tiles, for pixels g and g + 8. */
template < bool SHIFTED > __device__ __forceinline__ void
make_hidden (const Network & n, const Fragments & f, int pair,
    const uint32_t (&low)[2], const uint32_t (&high)[2], uint32_t (&h)[2])
{
  const int start[4] = { 0, 0, 0, 0 };
  uint32_t sums[2][2];

#pragma unroll
  for (int i = 0; i < 2; i++) {
    const int tile = 2 * pair + i;
    int c[4];

    stereo_mma_32_signed (c, low, high, f.w1[tile][0], f.w1[tile][1], start);
    for (int k = 0; k < 2; k++)
      sums[k][i] = add_bias (n, f.b1[tile], c[2 * k], c[2 * k + 1]);
  }
#pragma unroll
  for (int k = 0; k < 2; k++) {
    h[k] = __byte_perm (sums[k][0] * n.gain, sums[k][1] * n.gain, 0x7531);
    if (SHIFTED)
      h[k] = h[k] >> n.shift & n.mask;
  }
}

/* The bits of pixel x + g, or of pixel x + g + 8 if t is odd.  place: that of
 * pixel g */
template < bool SHIFTED > __device__ __forceinline__ uint32_t
make_bits (const Network & n, const Fragments & f, const Place & place, int x,
    int t)
{
  uint32_t low[2], high[2], h[hidden_pairs][2], bits[2] = { 0, 0 };

#pragma unroll
  for (int i = 0; i < 2; i++)
    load_inputs (place, x + 8 * i, low[i], high[i]);
#pragma unroll
  for (int p = 0; p < hidden_pairs; p++)
    make_hidden < SHIFTED > (n, f, p, low, high, h[p]);
#pragma unroll
  for (int m = bit_tiles - 1; m >= 0; m--) {
    int c[4];

    stereo_mma_32_signed (c, h[0], h[1], f.w2[m][0], f.w2[m][1], f.b2[m]);
    stereo_mma_16_signed (c, h[2], f.w2[m][2], c);
#pragma unroll
    for (int k = 3; k >= 0; k--)
      bits[k / 2] = __funnelshift_l ((uint32_t) c[k], bits[k / 2], 1);
  }
  /* each lane keeps one pixel and gives the other one away */
  const bool second = t % 2 != 0;
  uint32_t own = (second ? bits[1] : bits[0]) << lane_bits * t;

  own |= __shfl_xor_sync (0xffffffff,
      (second ? bits[0] : bits[1]) << lane_bits * t, 1);
  return own | __shfl_xor_sync (0xffffffff, own, 2);
}

/* A warp has a row of the tile. */
template < bool SHIFTED > __global__ void
__launch_bounds__ (words_threads, 4)
learned_kernel (int width, int height, int channels,
    const StereoView left_view, const StereoView right_view,
    uint8_t * left_words, uint8_t * right_words, size_t stride,
    const __grid_constant__ Network network)
{
  __shared__ StereoLumaTile luma;
  __shared__ PairTile pairs;
  const int lane = (int) threadIdx.x % 32, row = (int) threadIdx.x / 32;
  const int g = lane / 4, t = lane % 4;
  const int left = (int) blockIdx.x * words_tile_width;
  const int y = (int) blockIdx.y * words_tile_height + row;
  const int end = min (words_tile_width, width - left);
  Fragments f;

  /* from the constant bank, each word would be an access of its own */
  load_fragments (*opaque (&network), lane, &f);
  pdl_start ();
  words_load_tile (luma, width, height, channels, left_view, right_view);
  pair_pixels (luma, pairs);
  if (y >= height)
    return;

  const Place place (pairs[row + words_border] + words_group + g, t);
  /* a store beyond the row ends in its margin */
  const int own = g + 8 * t;
  const uint8_t *line = opaque_shared ((const uint8_t *)
      luma[row + words_border] + words_group + own);
  uint32_t *target = (uint32_t *) opaque ((blockIdx.z == 0 ? left_words
          : right_words) + (size_t) y * stride) + (left + own);

#pragma unroll 1
  for (int x = 0; x < end; x += 16) {
    const uint32_t bits = make_bits < SHIFTED > (network, f, place, x, t);

    if (t < 2)
      target[x] = bits | stereo_words_gradient (line[x - 1], line[x + 1]) << 24;
  }
}

StereoStatus
learned_make (StereoQueue * queue, const StereoWordsSource * source,
    void *const memory[2])
{
  const Network network = make_network (*source->network);

  return run_kernel (queue, "learned_kernel", true,
      words_grid (source->width, source->height), words_threads, 0,
      network.shift == 0 ? learned_kernel < false > : learned_kernel < true >,
      source->width, source->height, source->channels,
      source->views[0], source->views[1], words_first (memory[0]),
      words_first (memory[1]), words_stride (source->width), network);
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
