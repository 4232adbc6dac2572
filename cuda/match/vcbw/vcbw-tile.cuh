/* gst-stereomatching: tiles of variable center-biased windows on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Shared by both kernels: the shape of a tile, its pixels in shared memory, D,
 * and the weighted averages as matrix products.
 */

#ifndef STEREO_VCBW_TILE_CUH
#define STEREO_VCBW_TILE_CUH

#include "core/device.cuh"
#include "core/mma.cuh"
#include "cost/cost.cuh"
#include "match/vcbw/vcbw.cuh"

namespace
{

/* Zeros on both sides of the weights replace bounds checks. */
const int weight_margin = 16;
const int weight_table = weight_margin + 16 + STEREO_VCBW_MAX_RADIUS + 16;

/* A tile, and its sizes and places in shared memory.
 *   COST      a StereoCostKind
 *   HALO      windows extend up to 16 HALO pixels
 *   ROWS, COLUMNS  size of the tile, in blocks of 16
 *   CHUNK     disparities for which R is in shared memory, a power of 2
 *   WARPS     of a block of threads
 *   RESIDENT  blocks of threads on a multiprocessor */
template < int COST, int HALO, int ROWS, int COLUMNS, int CHUNK, int WARPS,
    int RESIDENT > struct Shape
{
  static const int cost = COST;
  static const int halo = HALO;
  static const int row_blocks = ROWS;
  static const int column_blocks = COLUMNS;
  static const int chunk = CHUNK;
  static const int warps = WARPS;
  static const int threads = 32 * WARPS;
  static const int resident = RESIDENT;

  static const int tile_width = 16 * COLUMNS;
  static const int tile_height = 16 * ROWS;

  /* With the pixels around the tile */
  static const int blocks = ROWS + 2 * HALO;
  static const int rows = 16 * blocks;
  static const int width = 16 * (COLUMNS + 2 * HALO);
  static const bool bytes = COST == STEREO_COST_LUMA;
  static const int pixels_per_word = bytes ? 4 : 1;

  /* Words.  Luma: four pixels a word, R four times, each copy one pixel
   * further, so that every shift finds its words aligned.  A warp reads 4
   * words of 8 rows at once, which an odd multiple of 4 words between rows
   * puts into different banks.  Others: 4 words at once from L, single ones
   * from R, where rows 4 apart are 16 banks apart. */
  static const int left_words = width / pixels_per_word;
  static const int left_pitch = bytes
      ? ((left_words + 3) / 4 | 1) * 4 : (left_words + 15) / 32 * 32 + 16;
  static const int right_words = (width + chunk) / pixels_per_word;
  static const int right_pitch = bytes
      ? ((right_words + 3) / 4 | 1) * 4 : right_words + 1;
  static const int right_pitch4 = bytes ? 4 * right_pitch
      : (4 * right_pitch + 15) / 32 * 32 + 16;
  static const int right_copy = rows / 4 * right_pitch4;
  static const int right_copies = bytes ? 4 : 1;

  /* Bytes: D of a row for every disparity of the chunk, an odd number of words
   * between rows, for the left and for the right end. */
  static const int edge_pitch = chunk + 4;
  static const int edge_side = rows * edge_pitch;

  static const int left_size = rows * left_pitch;
  static const int right_size = right_copies * right_copy;
  static const int edge_size = 2 * edge_side / 4;
  static const int load_size = left_size + right_size + edge_size;

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

/* Loads a word of a row that begins at column x, without branches, so that
 * many loads are in flight.  Columns outside the image repeat its ends.  With
 * Inside there are none, and words are aligned. */
template < typename S, bool Inside > __device__ uint32_t
load_word (const uint8_t * row, int x, int word, int width)
{
  if constexpr (!S::bytes) {
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

template < typename S > __device__ bool
all_inside (const StereoVcbwConstants & k, const uint8_t * data,
    size_t stride, int x, int words)
{
  return x >= 0 && x + words * S::pixels_per_word <= k.width
      && (!S::bytes || ((((size_t) data + (size_t) x) & 3) == 0
          && (stride & 3) == 0));
}

template < typename S, bool Inside > __device__ void
load_left_words (const VcbwArgs & a, int x, int y, uint32_t * left)
{
  const int n = S::rows * S::left_words, batch = Inside ? 6 : 3;

  for (int first = (int) threadIdx.x; first < n; first += batch * S::threads) {
    uint32_t word[batch];

#pragma unroll
    for (int j = 0; j < batch; j++) {
      int i = min (first + j * S::threads, n - 1);

      word[j] = load_word < S, Inside > (a.left
          + (size_t) clamp (y + i / S::left_words, 0, a.k.height - 1)
          * a.left_stride, x, i % S::left_words, a.k.width);
    }
#pragma unroll
    for (int j = 0; j < batch; j++) {
      int i = first + j * S::threads;

      if (i < n)
        left[i / S::left_words * S::left_pitch + i % S::left_words] = word[j];
    }
  }
}

/* Loads L of the tile at (x0, y0) and of its halo. */
template < typename S > __device__ void
load_left (const VcbwArgs & a, int x0, int y0, uint32_t * left)
{
  const int x = x0 - 16 * S::halo, y = y0 - 16 * S::halo;

  if (all_inside < S > (a.k, a.left, a.left_stride, x, S::left_words))
    load_left_words < S, true > (a, x, y, left);
  else
    load_left_words < S, false > (a, x, y, left);
}

template < typename S, bool Inside > __device__ void
load_right_words (const VcbwArgs & a, int x, int y, uint32_t * right)
{
  /* A warp loads a row, a lane every 32nd word. */
  const int lane = (int) threadIdx.x & 31, warp = (int) threadIdx.x / 32;
  const int batch = Inside ? 6 : 3;

#pragma unroll
  for (int first = 0; first < S::right_words; first += 32) {
    const int word = first + lane;

    for (int i = 0; i < (S::rows + S::warps - 1) / S::warps; i += batch) {
      uint32_t low[batch], high[batch];

#pragma unroll
      for (int j = 0; j < batch; j++) {
        int row = min (warp + (i + j) * S::warps, S::rows - 1);
        const uint8_t *source = a.right
            + (size_t) clamp (y + row, 0, a.k.height - 1) * a.right_stride;

        low[j] = load_word < S, Inside > (source, x, word, a.k.width);
        /* The last copy needs one more word. */
        if (S::bytes && S::right_words >= 32)
          high[j] = load_word < S, Inside > (source, x, first + 32,
              a.k.width);
      }
#pragma unroll
      for (int j = 0; j < batch; j++) {
        int row = warp + (i + j) * S::warps;
        uint32_t *target = right + S::right_at (row) + word;

        if (S::bytes) {
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

/* Loads R for disparities base to base + chunk - 1: pixel c of a row in shared
 * memory is column x0 - 16 halo - base - chunk + c of the image. */
template < typename S > __device__ void
load_right (const VcbwArgs & a, int x0, int y0, int base, uint32_t * right)
{
  const int x = x0 - 16 * S::halo - base - S::chunk, y = y0 - 16 * S::halo;

  if (all_inside < S > (a.k, a.right, a.right_stride, x,
          (S::right_words + 31) / 32 * 32 + 1))
    load_right_words < S, true > (a, x, y, right);
  else
    load_right_words < S, false > (a, x, y, right);
}

/* D of one pixel, at column xl of the left and xr of the right view. */
template < typename S > __device__ uint32_t
cost_pixel (const VcbwArgs & a, int xl, int xr, int y)
{
  const uint8_t *l = a.left + (size_t) y * a.left_stride;
  const uint8_t *r = a.right + (size_t) y * a.right_stride;

  if (S::bytes)
    return stereo_vcbw_scaled (&a.k, (uint32_t) abs ((int) l[xl] - r[xr]),
        false);

  const uint32_t p = ((const uint32_t *) l)[xl], q = ((const uint32_t *) r)[xr];

  return S::cost == STEREO_COST_RGB
      ? stereo_vcbw_scaled (&a.k, __vsadu4 (p, q), true)
      : stereo_vcbw_scaled (&a.k, stereo_words_cost (p, q), false);
}

/* D from four differences, or costs of words, in bytes. */
__device__ uint32_t
limit_bytes (const StereoVcbwConstants & k, uint32_t word)
{
  const uint32_t limit = splat_u16 (k.limit);
  const uint32_t even = word & 0x00ff00ff;
  const uint32_t odd = word - even;     /* 256 times the odd ones */

  return __vminu2 (even, limit) * (uint32_t) k.gain
      + __vminu2 (odd, limit << 8) * (uint32_t) k.gain;
}

/* D of 4 pixels in a row, the leftmost in the low byte. */
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

/* D of 4 pixels of a row of shared memory, for COST; of words, their cost. */
template < typename S > __device__ uint32_t
cost_word (const StereoVcbwConstants & k, const uint32_t * left,
    const uint32_t * right)
{
  if constexpr (S::bytes) {
    return limit_bytes (k, __vabsdiffu4 (*left, *right));
  } else {
    const uint4 four = *(const uint4 *) left;
    const uint32_t l[4] = { four.x, four.y, four.z, four.w };
    const uint32_t r[4] = { right[0], right[1], right[2], right[3] };

    return S::cost == STEREO_COST_RGB ? cost_color (k, l, r)
        : words_cost_bytes (l, r);
  }
}

/* Computes D of the first (side 0) or last (side 1) column with a partner, for
 * all rows of the tile and disparities of the chunk. */
template < typename S > __device__ void
load_edge (const VcbwArgs & a, int y0, int base, int first, int last, int side,
    uint8_t * edges)
{
  uint32_t *target = (uint32_t *) (edges + side * S::edge_side);

#pragma unroll 4
  for (int i = (int) threadIdx.x; i < S::rows * S::chunk / 4; i += S::threads) {
    int row = i / (S::chunk / 4), word = i % (S::chunk / 4);
    int y = clamp (y0 - 16 * S::halo + row, 0, a.k.height - 1);
    uint32_t four = 0;

#pragma unroll
    for (int j = 0; j < 4; j++) {
      /* any column outside the range */
      int d = clamp (base + 4 * word + j, first, last);
      int x = side == 0 ? max (d, 0) : a.k.width - 1 + min (d, 0);

      four |= cost_pixel < S > (a, x, x - d, y) << 8 * j;
    }
    target[row * (S::edge_pitch / 4) + word] = four;
  }
}

/* Masks of the bytes of a word at column x before column first, and after
 * column last. */
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

/* The row in a block of 16 of element i of a lane's word that was packed from
 * columns 2 t and 2 t + 1 of two results of stereo_mma_16(). */
__device__ int
row_of (int t, int i)
{
  return 2 * t + (i & 1) + (i >> 1) * 8;
}

/* Sets a lane's part of the matrix for a block of 16 inputs `distance` blocks
 * before (or after) the outputs.  weight: a table with margin; permuted: the
 * inputs are in the order of row_of (). */
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

/* Matrices of a warp, by distance. */
template < typename S > struct Matrices
{
  uint32_t to_left[S::halo + 1][2];
  uint32_t to_right[S::halo + 1][2];
  uint32_t up[S::halo + 1][2];
  uint32_t down[S::halo + 1][2];
};

/* Computes the weighted sum over blocks 0 (the nearest) to halo, plus start.
 *
 * A product of depth 32 needs its two words in adjacent registers.  If a block
 * were the first of one pair and the second of another, it would be copied;
 * two products of depth 16 are faster.  pairs: 0 = none, 1 = blocks 0 and 1,
 * -1 = blocks 1 and 0. */
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

/* Packs two words below 65536. */
__device__ uint32_t
pair (int low, int high)
{
  return multiply_add ((uint32_t) high, 65536, (uint32_t) low);
}

/* Packs bytes 1 of four words below 65536. */
__device__ uint32_t
pack (const int *low, const int *high)
{
  return __byte_perm (pair (low[0], low[1]), pair (high[0], high[1]), 0x7531);
}

/* The smallest of three pairs. */
__device__ uint32_t
min3 (uint32_t a, uint32_t b, uint32_t c)
{
  return __vimin3_u16x2 (a, b, c);
}

/* C of two adjacent columns, 16 bits each; v: left down, left up, right down,
 * right up. */
__device__ uint32_t
combine (const VcbwArgs & a, const int (&v)[4][4], int i)
{
  uint32_t v0 = pair (v[0][i], v[0][i + 1]);
  uint32_t v1 = pair (v[1][i], v[1][i + 1]);
  uint32_t v2 = pair (v[2][i], v[2][i + 1]);
  uint32_t v3 = pair (v[3][i], v[3][i + 1]);
  uint32_t l = v0 + v1, r = v2 + v3;
  uint32_t edge = min3 (l, r, __viaddmin_u16x2 (v0, v2,
          __viaddmin_u16x2 (v1, v3, a.edge_room)));
  uint32_t corner = min3 (v0, v1, min3 (v2, v3, a.corner_room));

  return min3 (l + r, multiply_add (edge, 2, a.edge), multiply_add (corner, 4,
          a.corner));
}

/* Pointers of a lane to its pixels in shared memory, for one disparity. */
template < typename S > struct Lane
{
  const uint32_t *left;
  const uint32_t *right;
  const uint8_t *edges;

  /* left, right: 16 halo columns before the part; local: the disparity
   * relative to the chunk */
  __device__ Lane (const uint32_t * left, const uint32_t * right,
      const uint8_t * edges, int local)
  {
    const int g = (int) (threadIdx.x & 31) / 4, t = (int) threadIdx.x & 3;
    const int shift = S::chunk - local; /* columns, of R in shared memory */

    this->left = left + g * S::left_pitch + 4 * t / S::pixels_per_word;
    this->right = right + S::right_at (g) + (S::bytes
        ? (shift & 3) * S::right_copy + (shift >> 2) + t : shift + 4 * t);
    this->edges = edges + g * S::edge_pitch + local;
  }
};

/* Masks of columns without a partner in the words of a lane. */
template < int WORDS > struct Beyond
{
  uint32_t before[WORDS];
  uint32_t after[WORDS];

  /* x: the first column of the first word's block */
  __device__ void find (const StereoVcbwConstants & k, int x, int d)
  {
#pragma unroll
    for (int w = 0; w < WORDS; w++) {
      int column = x + 16 * w + 4 * ((int) threadIdx.x & 3);

      before[w] = mask_before (column, max (d, 0));
      after[w] = mask_after (column, k.width - 1 + min (d, 0));
    }
  }
};

/* Replaces D of columns without a partner in a row. */
template < typename S, int WORDS > __device__ void
repeat_edges (const uint8_t * edge, const Beyond < WORDS > & beyond,
    uint32_t (&cost)[WORDS])
{
  uint32_t low = edge[0] * 0x01010101u;
  uint32_t high = edge[S::edge_side] * 0x01010101u;

#pragma unroll
  for (int w = 0; w < WORDS; w++) {
    cost[w] = (cost[w] & ~beyond.before[w]) | (low & beyond.before[w]);
    cost[w] = (cost[w] & ~beyond.after[w]) | (high & beyond.after[w]);
  }
}

/* Computes D of the first and second 8 rows from `row` on, for WORDS blocks of
 * 16 columns. */
template < typename S, bool Border, int WORDS > __device__ void
find_costs (const VcbwArgs & a, const Lane < S > & lane, int row,
    const Beyond < WORDS > & beyond, uint32_t (&cost)[2][WORDS])
{
  const uint32_t *l = lane.left + row * S::left_pitch;
  const uint32_t *r = lane.right + row / 4 * S::right_pitch4;
  const int step = 16 / S::pixels_per_word;

#pragma unroll
  for (int s = 0; s < 2; s++) {
#pragma unroll
    for (int w = 0; w < WORDS; w++)
      cost[s][w] = cost_word < S > (a.k, l + 8 * s * S::left_pitch + step * w,
          r + 2 * s * S::right_pitch4 + step * w);
  }
  /* one branch for all words */
  if (S::cost == STEREO_COST_WORDS && a.k.limit != STEREO_WORDS_MAX_COST) {
#pragma unroll
    for (int w = 0; w < WORDS; w++) {
      cost[0][w] = limit_bytes (a.k, cost[0][w]);
      cost[1][w] = limit_bytes (a.k, cost[1][w]);
    }
  }
  if (Border) {
    const uint8_t *edge = lane.edges + row * S::edge_pitch;

    repeat_edges < S, WORDS > (edge, beyond, cost[0]);
    repeat_edges < S, WORDS > (edge + 8 * S::edge_pitch, beyond, cost[1]);
  }
}

/* Computes both H of a 16x16 block as bytes: columns g and g + 8, four rows
 * per word.  cost: D of the first and second 8 rows, from 16 halo columns
 * before the block on. */
template < typename S, int WORDS > __device__ void
average_block (const Matrices < S > & m, const uint32_t (&cost)[2][WORDS],
    int column, uint32_t (&to_left)[2], uint32_t (&to_right)[2])
{
  const int halo = S::halo, half_unit[4] = { 128, 128, 128, 128 };
  int h_left[2][4], h_right[2][4];

#pragma unroll
  for (int s = 0; s < 2; s++) {
    uint32_t here_left[halo + 1], here_right[halo + 1];

#pragma unroll
    for (int i = 0; i <= halo; i++) {
      here_left[i] = cost[s][column + halo - i];
      here_right[i] = cost[s][column + halo + i];
    }
    average < S > (h_left[s], m.to_left, here_left, half_unit, -1);
    average < S > (h_right[s], m.to_right, here_right, half_unit, 0);
  }
#pragma unroll
  for (int half = 0; half < 2; half++) {
    to_left[half] = pack (h_left[0] + 2 * half, h_left[1] + 2 * half);
    to_right[half] = pack (h_right[0] + 2 * half, h_right[1] + 2 * half);
  }
}

/* Computes the quadrants of 8 columns and 16 rows in block b - halo, from H of
 * the blocks up to b. */
template < typename S > __device__ void
average_column (const Matrices < S > & m,
    const uint32_t (&to_left)[S::blocks][2],
    const uint32_t (&to_right)[S::blocks][2], int b, int half, int (&v)[4][4])
{
  const int halo = S::halo, zero[4] = { 0, 0, 0, 0 };
  /* Pairs are blocks 0 and 1, 2 and 3, ... */
  const int pairs_down = (b - halo) % 2 == 0 ? 1 : 0;
  const int pairs_up = (b - halo) % 2 != 0 ? -1 : 0;
  uint32_t below[2][halo + 1], above[2][halo + 1];

#pragma unroll
  for (int i = 0; i <= halo; i++) {
    below[0][i] = to_left[b - halo + i][half];
    above[0][i] = to_left[b - halo - i][half];
    below[1][i] = to_right[b - halo + i][half];
    above[1][i] = to_right[b - halo - i][half];
  }
  average < S > (v[0], m.down, below[0], zero, pairs_down);
  average < S > (v[1], m.up, above[0], zero, pairs_up);
  average < S > (v[2], m.down, below[1], zero, pairs_down);
  average < S > (v[3], m.up, above[1], zero, pairs_up);
}

/* Loads the weights with their margins; all threads take part. */
__device__ void
load_weights (const StereoVcbwConstants & k, uint8_t (&weight)[2][weight_table])
{
  if (threadIdx.x < weight_table) {
    int tap = (int) threadIdx.x - weight_margin;
    bool inside = tap >= 0 && tap <= STEREO_VCBW_MAX_RADIUS;

    weight[0][threadIdx.x] = inside ? k.row_weight[tap] : 0;
    weight[1][threadIdx.x] = inside ? k.column_weight[tap] : 0;
  }
}

template < typename S > __device__ void
make_matrices (const uint8_t (&weight)[2][weight_table], Matrices < S > & m)
{
#pragma unroll
  for (int i = 0; i <= S::halo; i++) {
    make_matrix (m.to_left[i], weight[0], i, false, false);
    make_matrix (m.to_right[i], weight[0], i, true, false);
    make_matrix (m.up[i], weight[1], i, false, true);
    make_matrix (m.down[i], weight[1], i, true, true);
  }
}

/* Disparities of a frame, and whether a tile has columns without a partner. */
template < typename S > struct Range
{
  int first;
  int last;
  bool border_left;
  bool border_right;

  __device__ Range (const StereoVcbwConstants & k, int x0)
  {
    first = k.min_disparity + k.first_index;
    last = k.min_disparity + k.end_index - 1;
    border_left = first <= last && x0 - 16 * S::halo < max (last, 0);
    border_right = first <= last
        && x0 + S::tile_width + 16 * S::halo > k.width + min (first, 0);
  }

  /* Whether any of `columns` columns from x on, or of their halo, may have no
   * partner.  Always true for tiles of one block that only GPUs with 64 KiB of
   * shared memory need: code for others runs in tests. */
  static __device__ bool beyond (const StereoVcbwConstants & k, int x,
      int columns, int d)
  {
#if __CUDA_ARCH__ >= 800
    /* match_kernel () has more warps */
    if (S::row_blocks * S::column_blocks == 1 && (S::bytes || S::warps == 4))
      return true;
#endif
    return x - 16 * S::halo < max (d, 0)
        || x + columns + 16 * S::halo > k.width + min (d, 0);
  }
};

/* Loads R of a chunk and, if needed, D of the edges. */
template < typename S > __device__ void
load_chunk (const VcbwArgs & a, int x0, int y0, int base,
    const Range < S > & range, uint32_t * right, uint8_t * edges)
{
  load_right < S > (a, x0, y0, base, right);
  if constexpr (S::bytes && S::resident > 1) {
    /* registers are few */
    if (range.border_left)
      load_edge < S > (a, y0, base, range.first, range.last, 0, edges);
    if (range.border_right)
      load_edge < S > (a, y0, base, range.first, range.last, 1, edges);
  } else {
#pragma unroll 1
    for (int side = range.border_left ? 0 : 1;
        side < (range.border_right ? 2 : 1); side++)
      load_edge < S > (a, y0, base, range.first, range.last, side, edges);
  }
}

}                               // namespace

#endif /* STEREO_VCBW_TILE_CUH */
