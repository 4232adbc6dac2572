/* gst-stereomatching: variable center-biased windows on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * One kernel, no volume and no slice in memory.
 *
 * A block of 8 warps owns a tile of 16 or 32 columns by up to 64 rows and
 * shares its part of both views.  A warp works on 16 of the columns, and takes
 * every eighth (or fourth) disparity.  Both weighted averages, to the sides
 * and up and down, are products with a banded matrix of the weights (16
 * outputs from 16 inputs on each side), which the integer matrix units do
 * exactly.  The costs D are made in the registers where the first product
 * wants its operand; its result, rounded to bytes, is in the registers where
 * the second one wants its operand, for an order of the rows that the second
 * matrix simply repeats (see row_of ()).  What is left for the ordinary units
 * is D, the rounding, and the nine windows.
 *
 * Windows of a radius above 16 need two blocks of inputs on each side (Halo).
 */

#include "core/mma.cuh"
#include "refine/output.h"
#include "core/queue-cuda.h"
#include "match/vcbw.h"

namespace
{

const int warps = 8;
const int threads = 32 * warps;
/* Zeros on both sides of the weights, so that taps outside need no test. */
const int weight_margin = 16;
const int weight_table = weight_margin + 16 + STEREO_VCBW_MAX_RADIUS + 16;

/* Bytes of shared memory next to the dynamic part, rounded up. */
const int static_shared = 256;

struct Args
{
  StereoVcbwConstants k;
  const uint8_t *left;
  const uint8_t *right;
  size_t left_stride;           /* bytes */
  size_t right_stride;
  StereoMap map;
  StereoOutput output;
  bool encode;
  /* Two of each side by side: penalties, and the largest sums that they can be
   * added to in 16 bits; what is beyond never wins against the full window. */
  uint32_t edge;
  uint32_t edge_room;
  uint32_t corner;
  uint32_t corner_room;
  /* 65536, 2 and 4, which the compiler shall not know: it would shift, and the
   * units that shift have enough to do, while the multipliers are idle. */
  uint32_t high_half;
  uint32_t two;
  uint32_t four;
};

/* A kind of tile, and its sizes and places in shared memory.
 *   HALO      windows reach up to 16 HALO pixels
 *   CHANNELS  of the views
 *   ROWS, COLUMNS  size of the tile, in blocks of 16
 *   CHUNK     disparities for which R is in shared memory, a power of 2
 *   RESIDENT  blocks of threads on a multiprocessor */
template < int HALO, int CHANNELS, int ROWS, int COLUMNS, int CHUNK,
    int RESIDENT > struct Shape
{
  static const int halo = HALO;
  static const int channels = CHANNELS;
  static const int row_blocks = ROWS;
  static const int column_blocks = COLUMNS;
  static const int chunk = CHUNK;
  static const int resident = RESIDENT;

  static const int tile_width = 16 * COLUMNS;
  static const int tile_height = 16 * ROWS;
  static const int warps_per_column = warps / COLUMNS;

  /* With the pixels around the tile */
  static const int blocks = ROWS + 2 * HALO;
  static const int rows = 16 * blocks;
  static const int width = 16 * (COLUMNS + 2 * HALO);
  static const int pixels_per_word = CHANNELS == 1 ? 4 : 1;

  /* Words.  Luma: four pixels a word, R four times, each copy one pixel
   * further, so that every shift finds its words aligned.  A warp reads 4
   * words of 8 rows at once, which an odd multiple of 4 words between rows puts
   * into different banks.  Colour: 4 words at once from L, single ones from R,
   * where rows 4 apart are 16 banks apart. */
  static const int left_words = width / pixels_per_word;
  static const int left_pitch = CHANNELS == 1
      ? ((left_words + 3) / 4 | 1) * 4 : (left_words + 15) / 32 * 32 + 16;
  static const int right_words = (width + chunk) / pixels_per_word;
  static const int right_pitch = CHANNELS == 1
      ? ((right_words + 3) / 4 | 1) * 4 : right_words + 1;
  static const int right_pitch4 = CHANNELS == 1 ? 4 * right_pitch
      : (4 * right_pitch + 15) / 32 * 32 + 16;
  static const int right_copy = rows / 4 * right_pitch4;
  static const int right_copies = CHANNELS == 1 ? 4 : 1;

  /* Bytes: D of a row for every disparity of the chunk, an odd number of words
   * between rows, for the left and for the right end. */
  static const int edge_pitch = chunk + 4;
  static const int edge_side = rows * edge_pitch;

  static const int left_size = rows * left_pitch;
  static const int right_size = right_copies * right_copy;
  static const int edge_size = 2 * edge_side / 4;
  static const int load_size = left_size + right_size + edge_size;
  static const int merge_size = warps * 16 * tile_height;
  static const int size = load_size > merge_size ? load_size : merge_size;

  static __device__ int right_at (int row)
  {
    return row / 4 * right_pitch4 + row % 4 * right_pitch;
  }
};

__device__ int
clamp (int x, int lowest, int highest)
{
  return min (max (x, lowest), highest);
}

/* ------------------------------------------------------------------ loading */

/* One word of a row of shared memory that begins at column x: without branches,
 * so that many of them are under way at once.  Beyond the image its ends are
 * repeated; Inside says that this can't happen, and that words are aligned. */
template < typename S, bool Inside > __device__ uint32_t
load_word (const uint8_t * row, int x, int word, int width)
{
  if constexpr (S::channels == 3) {
    return ((const uint32_t *) row)[Inside ? x + word
        : clamp (x + word, 0, width - 1)];
  } else if constexpr (Inside) {
    return *(const uint32_t *) (row + x + 4 * word);
  } else {
    uint32_t value = 0;

#pragma unroll
    for (int i = 0; i < 4; i++)
      value |= (uint32_t) row[clamp (x + 4 * word + i, 0, width - 1)]
          << 8 * i;
    return value;
  }
}

/* Whether Inside holds for all those words. */
template < typename S > __device__ bool
all_inside (const StereoVcbwConstants & k, const uint8_t * data,
    size_t stride, int x, int words)
{
  return x >= 0 && x + words * S::pixels_per_word <= k.width
      && (S::channels == 3 || ((((size_t) data + (size_t) x) & 3) == 0
          && (stride & 3) == 0));
}

template < typename S, bool Inside > __device__ void
load_left_words (const Args & a, int x, int y, uint32_t * left)
{
  const int n = S::rows * S::left_words, batch = Inside ? 6 : 3;

  for (int first = (int) threadIdx.x; first < n; first += batch * threads) {
    uint32_t word[batch];

#pragma unroll
    for (int j = 0; j < batch; j++) {
      int i = min (first + j * threads, n - 1);

      word[j] = load_word < S, Inside > (a.left
          + (size_t) clamp (y + i / S::left_words, 0, a.k.height - 1)
          * a.left_stride, x, i % S::left_words, a.k.width);
    }
#pragma unroll
    for (int j = 0; j < batch; j++) {
      int i = first + j * threads;

      if (i < n)
        left[i / S::left_words * S::left_pitch + i % S::left_words] = word[j];
    }
  }
}

/* L of the tile at (x0, y0) and around it. */
template < typename S > __device__ void
load_left (const Args & a, int x0, int y0, uint32_t * left)
{
  const int x = x0 - 16 * S::halo, y = y0 - 16 * S::halo;

  if (all_inside < S > (a.k, a.left, a.left_stride, x, S::left_words))
    load_left_words < S, true > (a, x, y, left);
  else
    load_left_words < S, false > (a, x, y, left);
}

template < typename S, bool Inside > __device__ void
load_right_words (const Args & a, int x, int y, uint32_t * right)
{
  /* A warp takes a row, a lane one word of 32. */
  const int lane = (int) threadIdx.x & 31, warp = (int) threadIdx.x / 32;
  const int batch = Inside ? 6 : 3;

#pragma unroll
  for (int first = 0; first < S::right_words; first += 32) {
    const int word = first + lane;

    for (int i = 0; i < S::rows / warps; i += batch) {
      uint32_t low[batch], high[batch];

#pragma unroll
      for (int j = 0; j < batch; j++) {
        int row = min (warp + (i + j) * warps, S::rows - 1);
        const uint8_t *source = a.right
            + (size_t) clamp (y + row, 0, a.k.height - 1) * a.right_stride;

        low[j] = load_word < S, Inside > (source, x, word, a.k.width);
        /* The last copy reaches into the word after the last one. */
        if (S::channels == 1 && S::right_words >= 32)
          high[j] = load_word < S, Inside > (source, x, first + 32,
              a.k.width);
      }
#pragma unroll
      for (int j = 0; j < batch; j++) {
        int row = warp + (i + j) * warps;
        uint32_t *target = right + S::right_at (row) + word;

        if (S::channels == 1) {
          uint32_t next = __shfl_down_sync (0xffffffffu, low[j], 1);

          high[j] = S::right_words >= 32 && lane == 31 ? high[j] : next;
        }
        if (word < S::right_words && row < S::rows) {
#pragma unroll
          for (int s = 0; s < S::right_copies; s++)
            target[s * S::right_copy] =
                __funnelshift_r (low[j], high[j], 8 * s);
        }
      }
    }
  }
}

/* R for disparities from base to base + chunk - 1: pixel c of a row of shared
 * memory is column x0 - 16 halo - base - chunk + c of the image. */
template < typename S > __device__ void
load_right (const Args & a, int x0, int y0, int base, uint32_t * right)
{
  const int x = x0 - 16 * S::halo - base - S::chunk, y = y0 - 16 * S::halo;

  if (all_inside < S > (a.k, a.right, a.right_stride, x,
          (S::right_words + 31) / 32 * 32 + 1))
    load_right_words < S, true > (a, x, y, right);
  else
    load_right_words < S, false > (a, x, y, right);
}

/* ------------------------------------------------------------------ costs D */

/* D of one pixel, at column xl of the left and xr of the right view. */
template < typename S > __device__ uint32_t
cost_pixel (const Args & a, int xl, int xr, int y)
{
  const uint8_t *l = a.left + (size_t) y * a.left_stride;
  const uint8_t *r = a.right + (size_t) y * a.right_stride;
  uint32_t sum = S::channels == 1 ? (uint32_t) abs ((int) l[xl] - r[xr])
      : __vsadu4 (((const uint32_t *) l)[xl], ((const uint32_t *) r)[xr]);

  if (S::channels == 3 && a.k.third)
    sum = sum * 43691 >> 17;    /* a third, exact up to 765 */
  return min (sum, (uint32_t) a.k.limit) * (uint32_t) a.k.gain;
}

/* D of 4 pixels in a row, the leftmost in the low byte. */
__device__ uint32_t
cost_luma (const StereoVcbwConstants & k, uint32_t left, uint32_t right)
{
  uint32_t difference = __vabsdiffu4 (left, right);
  uint32_t limit = (uint32_t) k.limit * 0x10001;
  uint32_t even = difference & 0x00ff00ff;
  uint32_t odd = difference - even;     /* 256 times the odd ones */

  even = __vminu2 (even, limit);
  odd = __vminu2 (odd, limit << 8);
  return even * (uint32_t) k.gain + odd * (uint32_t) k.gain;
}

__device__ uint32_t
cost_color (const StereoVcbwConstants & k, const uint32_t (&left)[4],
    const uint32_t (&right)[4])
{
  uint32_t word = 0;

#pragma unroll
  for (int i = 0; i < 4; i++) {
    uint32_t sum = __vsadu4 (left[i], right[i]);

    if (k.third)
      sum = sum * 43691 >> 17;
    word += min (sum, (uint32_t) k.limit) * ((uint32_t) k.gain << 8 * i);
  }
  return word;
}

/* D of the first (side 0) or of the last column (side 1) that has a partner,
 * for all rows of the tile and all disparities of the chunk. */
template < typename S > __device__ void
load_edge (const Args & a, int y0, int base, int first, int last, int side,
    uint8_t * edges)
{
  uint32_t *target = (uint32_t *) (edges + side * S::edge_side);

#pragma unroll 4
  for (int i = (int) threadIdx.x; i < S::rows * S::chunk / 4; i += threads) {
    int row = i / (S::chunk / 4), word = i % (S::chunk / 4);
    int y = clamp (y0 - 16 * S::halo + row, 0, a.k.height - 1);
    uint32_t four = 0;

#pragma unroll
    for (int j = 0; j < 4; j++) {
      /* beyond the range any column will do */
      int d = clamp (base + 4 * word + j, first, last);
      int x = side == 0 ? max (d, 0) : a.k.width - 1 + min (d, 0);

      four |= cost_pixel < S > (a, x, x - d, y) << 8 * j;
    }
    target[row * (S::edge_pitch / 4) + word] = four;
  }
}

/* R and, where the tile needs them, the edges. */
template < typename S > __device__ void
load_chunk (const Args & a, int x0, int y0, int base, int first, int last,
    bool border_left, bool border_right, uint32_t * right, uint8_t * edges)
{
  load_right < S > (a, x0, y0, base, right);
  if (border_left)
    load_edge < S > (a, y0, base, first, last, 0, edges);
  if (border_right)
    load_edge < S > (a, y0, base, first, last, 1, edges);
}

/* Bits of the bytes of a word at column x that lie before column first, and of
 * those that lie after column last. */
__device__ uint32_t
mask_before (int x, int first)
{
  int n = clamp (first - x, 0, 4);

  return n == 4 ? 0xffffffffu : (1u << 8 * n) - 1;
}

__device__ uint32_t
mask_after (int x, int last)
{
  int n = clamp (x + 3 - last, 0, 4);

  return n == 0 ? 0 : 0xffffffffu << (32 - 8 * n);
}

/* ----------------------------------------------------------------- averages */

/* The row of a block of 16 that element i of a lane's word is, when the word
 * was packed from two results of stereo_mma: their columns 2 t, 2 t + 1. */
__device__ int
row_of (int t, int i)
{
  return 2 * t + (i & 1) + (i >> 1) * 8;
}

/* A lane's part of the matrix that averages a block of 16 inputs, which lies
 * `distance` blocks before (or after) the outputs.  weight: a table with its
 * margin.  permuted: inputs in the order of row_of (). */
__device__ void
make_matrix (uint32_t (&a)[2], const uint8_t * weight, int distance,
    bool after, bool permuted)
{
  int g = (int) (threadIdx.x & 31) / 4, t = (int) threadIdx.x & 3;

#pragma unroll
  for (int half = 0; half < 2; half++) {
    a[half] = 0;
#pragma unroll
    for (int i = 0; i < 4; i++) {
      int input = permuted ? row_of (t, i) : 4 * t + i;
      int output = g + 8 * half;
      int tap = 16 * distance + (after ? input - output : output - input);

      a[half] |= (uint32_t) weight[weight_margin + tap] << 8 * i;
    }
  }
}

/* A warp's matrices: index 0 for the block itself. */
template < typename S > struct Matrices
{
  uint32_t to_left[S::halo + 1][2];
  uint32_t to_right[S::halo + 1][2];
  uint32_t up[S::halo + 1][2];
  uint32_t down[S::halo + 1][2];
};

/* The weighted sum over blocks 0 (the nearest) to halo, plus start.
 *
 * A product of depth 32 wants its two words in neighbouring registers.  A block
 * that is the first of one pair and the second of another would have to be
 * copied; two products of depth 16 are the better deal then.  `pairs` says
 * where the pairs are: 0 = none, 1 = blocks 0 and 1, -1 = blocks 1 and 0. */
template < typename S > __device__ void
average (int (&c)[4], const uint32_t (&matrix)[S::halo + 1][2],
    const uint32_t (&operand)[S::halo + 1], const int (&start)[4], int pairs)
{
  if (pairs > 0) {
    stereo_mma_32 (c, matrix[0], matrix[1], operand[0], operand[1], start);
  } else if (pairs < 0) {
    stereo_mma_32 (c, matrix[1], matrix[0], operand[1], operand[0], start);
  } else {
    stereo_mma_16 (c, matrix[0], operand[0], start);
    stereo_mma_16 (c, matrix[1], operand[1], c);
  }
#pragma unroll
  for (int i = 2; i <= S::halo; i++)
    stereo_mma_16 (c, matrix[i], operand[i], c);
}

/* Two words below 65536 in one. */
__device__ uint32_t
pair (const Args & a, int low, int high)
{
  return (uint32_t) high * a.high_half + (uint32_t) low;
}

/* Bytes 1 of four words below 65536. */
__device__ uint32_t
pack (const Args & a, const int *low, const int *high)
{
  return __byte_perm (pair (a, low[0], low[1]), pair (a, high[0], high[1]),
      0x7531);
}

/* The smallest of three pairs. */
__device__ uint32_t
min3 (uint32_t a, uint32_t b, uint32_t c)
{
  return __vimin3_u16x2 (a, b, c);
}

/* ----------------------------------------------------------------- matching */

/* One disparity for a warp's part of a tile, 16 columns from x0 on; left and
 * right point to shared memory 16 halo columns before that.  Updates the
 * winners. */
template < typename S, bool Border > __device__ void
match_one (const Args & a, const uint32_t * left, const uint32_t * right,
    const uint8_t * edges, const Matrices < S > & m, int x0, int d, int local,
    uint32_t (&best)[S::row_blocks][2][4])
{
  const StereoVcbwConstants & k = a.k;
  const int halo = S::halo, n_words = 2 * halo + 1;
  const int g = (int) (threadIdx.x & 31) / 4, t = (int) threadIdx.x & 3;
  const int shift = S::chunk - local;      /* columns, of R in shared memory */
  /* This lane's words of the first row, and its edges */
  const uint32_t *own_left = left + g * S::left_pitch
      + 4 * t / S::pixels_per_word;
  const uint32_t *own_right = right + S::right_at (g)
      + (S::channels == 1 ? (shift & 3) * S::right_copy + (shift >> 2) + t
      : shift + 4 * t);
  const uint8_t *own_edges = edges + g * S::edge_pitch + local;
  const uint32_t index = (uint32_t) (d - k.min_disparity);
  const int zero[4] = { 0, 0, 0, 0 }, half_unit[4] = { 128, 128, 128, 128 };
  uint32_t before[n_words], after[n_words];
  uint32_t to_left[S::blocks][2], to_right[S::blocks][2];

  if (Border) {
#pragma unroll
    for (int w = 0; w < n_words; w++) {
      int x = x0 + 16 * (w - halo) + 4 * t;

      before[w] = mask_before (x, max (d, 0));
      after[w] = mask_after (x, k.width - 1 + min (d, 0));
    }
  }

#pragma unroll
  for (int b = 0; b < S::blocks; b++) {
    int h_left[2][4], h_right[2][4];

    /* Two groups of 8 rows: D of 16 (2 halo + 1) columns, and H of 16. */
#pragma unroll
    for (int s = 0; s < 2; s++) {
      const int row = 16 * b + 8 * s;
      const uint32_t *l = own_left + row * S::left_pitch;
      const uint32_t *r = own_right + row / 4 * S::right_pitch4;
      uint32_t cost[n_words];

#pragma unroll
      for (int w = 0; w < n_words; w++) {
        if (S::channels == 1) {
          cost[w] = cost_luma (k, l[4 * w], r[4 * w]);
        } else {
          uint4 four = *(const uint4 *) (l + 16 * w);
          uint32_t l4[4] = { four.x, four.y, four.z, four.w };
          uint32_t r4[4] = { r[16 * w], r[16 * w + 1], r[16 * w + 2],
            r[16 * w + 3]
          };

          cost[w] = cost_color (k, l4, r4);
        }
      }
      if (Border) {
        const uint8_t *edge = own_edges + row * S::edge_pitch;
        uint32_t low = edge[0] * 0x01010101u;
        uint32_t high = edge[S::edge_side] * 0x01010101u;

#pragma unroll
        for (int w = 0; w < n_words; w++) {
          cost[w] = (cost[w] & ~before[w]) | (low & before[w]);
          cost[w] = (cost[w] & ~after[w]) | (high & after[w]);
        }
      }

      uint32_t here_left[halo + 1], here_right[halo + 1];
#pragma unroll
      for (int i = 0; i <= halo; i++) {
        here_left[i] = cost[halo - i];
        here_right[i] = cost[halo + i];
      }
      average < S > (h_left[s], m.to_left, here_left, half_unit, -1);
      average < S > (h_right[s], m.to_right, here_right, half_unit, 0);
    }

    /* H as bytes: columns g and g + 8, four rows a word. */
#pragma unroll
    for (int half = 0; half < 2; half++) {
      to_left[b][half] = pack (a, h_left[0] + 2 * half, h_left[1] + 2 * half);
      to_right[b][half] = pack (a, h_right[0] + 2 * half,
          h_right[1] + 2 * half);
    }

    /* With all its inputs there, the block of outputs halo blocks back. */
    if (b < 2 * halo)
      continue;
#pragma unroll
    for (int half = 0; half < 2; half++) {
      int v[4][4];              /* left down, left up, right down, right up */
      uint32_t below[2][halo + 1], above[2][halo + 1];

#pragma unroll
      for (int i = 0; i <= halo; i++) {
        below[0][i] = to_left[b - halo + i][half];
        above[0][i] = to_left[b - halo - i][half];
        below[1][i] = to_right[b - halo + i][half];
        above[1][i] = to_right[b - halo - i][half];
      }
      /* Blocks 0 and 1, 2 and 3, ... are pairs. */
      const int pairs_down = (b - halo) % 2 == 0 ? 1 : 0;
      const int pairs_up = (b - halo) % 2 != 0 ? -1 : 0;

      average < S > (v[0], m.down, below[0], zero, pairs_down);
      average < S > (v[1], m.up, above[0], zero, pairs_up);
      average < S > (v[2], m.down, below[1], zero, pairs_down);
      average < S > (v[3], m.up, above[1], zero, pairs_up);

      /* From here on two columns side by side, 16 bits each. */
#pragma unroll
      for (int i = 0; i < 2; i++) {
        uint32_t v0 = pair (a, v[0][2 * i], v[0][2 * i + 1]);
        uint32_t v1 = pair (a, v[1][2 * i], v[1][2 * i + 1]);
        uint32_t v2 = pair (a, v[2][2 * i], v[2][2 * i + 1]);
        uint32_t v3 = pair (a, v[3][2 * i], v[3][2 * i + 1]);
        uint32_t l = v0 + v1, r = v2 + v3;
        uint32_t edge = min3 (l, r, __viaddmin_u16x2 (v0, v2,
                __viaddmin_u16x2 (v1, v3, a.edge_room)));
        uint32_t corner = min3 (v0, v1, min3 (v2, v3, a.corner_room));
        uint32_t cost = min3 (l + r, edge * a.two + a.edge,
            corner * a.four + a.corner);
        uint32_t (&winner)[4] = best[b - 2 * halo][half];

        winner[2 * i] = min (winner[2 * i],
            cost * a.high_half + index);
        winner[2 * i + 1] = min (winner[2 * i + 1],
            (cost & 0xffff0000u) | index);
      }
    }
  }
}

/* The best of all warps, written out. */
template < typename S > __device__ void
merge (const Args & a, int x0, int y0, bool empty, uint32_t * shared,
    const uint32_t (&best)[S::row_blocks][2][4])
{
  const int g = (int) (threadIdx.x & 31) / 4, t = (int) threadIdx.x & 3;
  const int part = 16 * S::tile_height; /* pixels of a warp */
  uint32_t *own = shared + (int) threadIdx.x / 32 * part;

#pragma unroll
  for (int b = 0; b < S::row_blocks; b++) {
#pragma unroll
    for (int half = 0; half < 2; half++) {
#pragma unroll
      for (int i = 0; i < 4; i++) {
        int row = 16 * b + g + 8 * (i >> 1);
        int column = 8 * half + 2 * t + (i & 1);

        own[row * 16 + column] = best[b][half][i];
      }
    }
  }
  __syncthreads ();

#pragma unroll
  for (int p = (int) threadIdx.x; p < S::column_blocks * part; p += threads) {
    int row = p / S::tile_width, column = p % S::tile_width;
    int x = x0 + column, y = y0 + row;
    const uint32_t *candidate = shared
        + column / 16 * S::warps_per_column * part + row * 16 + column % 16;
    uint32_t winner = candidate[0];

#pragma unroll
    for (int w = 1; w < S::warps_per_column; w++)
      winner = min (winner, candidate[w * part]);
    winner = empty ? STEREO_INVALID
        : winner & ((1u << STEREO_VCBW_INDEX_BITS) - 1);
    if (x >= a.k.width || y >= a.k.height)
      continue;
    if (a.encode)
      stereo_store_code (&a.output, x, y, winner);
    else
      a.map.data[(size_t) y * a.map.stride + (size_t) x] = (uint16_t) winner;
  }
}

template < typename S > __global__ void
__launch_bounds__ (threads, S::resident)
match_kernel (const __grid_constant__ Args a)
{
  extern __shared__ __align__ (16) uint32_t shared[];
  __shared__ uint8_t weight[2][weight_table];
  uint32_t *left = shared, *right = shared + S::left_size;
  uint8_t *edges = (uint8_t *) (right + S::right_size);
  const int x0 = (int) blockIdx.x * S::tile_width;
  const int y0 = (int) blockIdx.y * S::tile_height;
  const int warp = (int) threadIdx.x / 32;
  const int column = warp / S::warps_per_column * 16;
  /* Disparities, and whether they reach the ends of rows */
  const int first = a.k.min_disparity + a.k.first_index;
  const int last = a.k.min_disparity + a.k.end_index - 1;
  const bool border_left = x0 - 16 * S::halo < max (last, 0);
  const bool border_right = x0 + S::tile_width + 16 * S::halo
      > a.k.width + min (first, 0);
  /* Chunks start at multiples of their size, so that R is loaded aligned. */
  int base = first & ~(S::chunk - 1);
  Matrices < S > m;
  uint32_t best[S::row_blocks][2][4];

  load_left < S > (a, x0, y0, left);
  if (threadIdx.x < weight_table) {
    int tap = (int) threadIdx.x - weight_margin;
    bool inside = tap >= 0 && tap <= STEREO_VCBW_MAX_RADIUS;

    weight[0][threadIdx.x] = inside ? a.k.row_weight[tap] : 0;
    weight[1][threadIdx.x] = inside ? a.k.column_weight[tap] : 0;
  }
  if (first <= last)
    load_chunk < S > (a, x0, y0, base, first, last, border_left, border_right,
        right, edges);
  __syncthreads ();

#pragma unroll
  for (int i = 0; i <= S::halo; i++) {
    make_matrix (m.to_left[i], weight[0], i, false, false);
    make_matrix (m.to_right[i], weight[0], i, true, false);
    make_matrix (m.up[i], weight[1], i, false, true);
    make_matrix (m.down[i], weight[1], i, true, true);
  }
#pragma unroll
  for (int b = 0; b < S::row_blocks; b++) {
#pragma unroll
    for (int i = 0; i < 4; i++)
      best[b][0][i] = best[b][1][i] = 0xffffffffu;
  }

  while (true) {
    const int x = x0 + column;
    const uint32_t *l = left + column / S::pixels_per_word;
    const uint32_t *r = right + column / S::pixels_per_word;

    for (int local = warp % S::warps_per_column; local < S::chunk;
        local += S::warps_per_column) {
      int d = base + local;

      if (d < first || d > last)
        continue;
      if (x - 16 * S::halo < max (d, 0)
          || x + 16 + 16 * S::halo > a.k.width + min (d, 0))
        match_one < S, true > (a, l, r, edges, m, x, d, local, best);
      else
        match_one < S, false > (a, l, r, edges, m, x, d, local, best);
    }
    base += S::chunk;
    __syncthreads ();
    if (base > last)
      break;
    load_chunk < S > (a, x0, y0, base, first, last, border_left, border_right,
        right, edges);
    __syncthreads ();
  }
  merge < S > (a, x0, y0, first > last, shared, best);
}

/* ------------------------------------------------------------------- stages */

/* The time of one multiprocessor for tiles of this shape, in some unit. */
template < typename S > int
tile_time (const StereoVcbwConstants & k, int multiprocessors)
{
  /* what each block of H costs, and each block of V and C */
  int cost = S::column_blocks * (70 * S::blocks + 90 * S::row_blocks);
  int tiles = (k.width + S::tile_width - 1) / S::tile_width
      * ((k.height + S::tile_height - 1) / S::tile_height);
  int at_once = multiprocessors * S::resident;

  return (tiles + at_once - 1) / at_once * cost * S::resident;
}

template < typename S > StereoStatus
launch (StereoCudaStage & stage, StereoQueue * queue, const Args & args)
{
  const dim3 grid ((unsigned) (args.k.width + S::tile_width - 1)
      / S::tile_width, (unsigned) (args.k.height + S::tile_height - 1)
      / S::tile_height);
  cudaError_t error = cudaFuncSetAttribute (match_kernel < S >,
      cudaFuncAttributeMaxDynamicSharedMemorySize, S::size * 4);

  if (error != cudaSuccess)
    return STEREO_CUDA_CHECK (error, "shared memory of vcbw's match_kernel",
        &queue->message);
  match_kernel < S > <<< grid, threads, S::size * 4, stage.stream () >>>
      (args);
  return STEREO_CUDA_LAUNCHED (stage, "vcbw's match_kernel");
}

/* Large tiles do less work twice, small ones spread better over a small image,
 * and tiny ones fit where shared memory is 64 KiB. */
template < int HALO, int CHANNELS > StereoStatus
launch_best (StereoCudaStage & stage, StereoQueue * queue, const Args & args)
{
  typedef Shape < HALO, CHANNELS, 4, HALO == 1 ? 2 : 1, 64, 2 > Large;
  typedef Shape < HALO, CHANNELS, 3, 1, 64, 2 > Small;
  typedef Shape < HALO, CHANNELS, 1, 1, 16, 1 > Tiny;
  const StereoCudaQueue *q = (const StereoCudaQueue *) queue;
  int limit = stereo_cuda_shared_limit (queue->device) - static_shared;

  if (Small::size * 4 > limit)
    return launch < Tiny > (stage, queue, args);
  if (Large::size * 4 > limit || tile_time < Small > (args.k,
          q->multiprocessors) < tile_time < Large > (args.k,
          q->multiprocessors))
    return launch < Small > (stage, queue, args);
  return launch < Large > (stage, queue, args);
}

StereoStatus
match (StereoQueue * queue, const StereoVcbwConstants * k,
    const StereoView * left, const StereoView * right, const StereoMap * map,
    const StereoOutput * output, void *)
{
  StereoCudaStage stage (queue);
  Args args = { };

  if (!stage.entered ())
    return stage.status ();
  args.k = *k;
  args.left = left->plane[0];
  args.right = right->plane[0];
  args.left_stride = left->stride;
  args.right_stride = right->stride;
  args.map = *map;
  args.encode = output != NULL;
  if (output != NULL)
    args.output = *output;
  args.high_half = 65536;
  args.two = 2;
  args.four = 4;
  args.edge = (uint32_t) k->edge * 0x10001;
  args.edge_room = (0xffffu - (uint32_t) k->edge) / 2 * 0x10001;
  args.corner = (uint32_t) k->corner * 0x10001;
  args.corner_room = (0xffffu - (uint32_t) k->corner) / 4 * 0x10001;

  if (k->radius <= 16)
    return k->channels == 1 ? launch_best < 1, 1 > (stage, queue, args)
        : launch_best < 1, 3 > (stage, queue, args);
  return k->channels == 1 ? launch_best < 2, 1 > (stage, queue, args)
      : launch_best < 2, 3 > (stage, queue, args);
}

}                               // namespace

extern "C" const void *stereo_vcbw_stages_cuda (void);

extern "C" const void *
stereo_vcbw_stages_cuda (void)
{
  static const StereoVcbwStages stages = {
    .match = match,
  };

  return &stages;
}
