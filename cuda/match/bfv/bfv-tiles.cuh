/* gst-stereomatching: tiles of the matching of bfv on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Layout of a tile, division of work between blocks, and costs of a row.
 * bfv-match.cu describes the matching of a tile.
 */

#ifndef STEREO_BFV_TILES_CUH
#define STEREO_BFV_TILES_CUH

#include "cost/cost.cuh"
#include "match/bfv/bfv.cuh"

namespace
{

const int halo = 16;            /* maximum arm length */
const int lanes = 8;            /* per row of costs */
const int parts = 2;            /* rows of costs per thread */
const int tile_width = 64;
const int cost_width = tile_width + 2 * halo;
const int lane_width = cost_width / lanes;

struct MatchArgs
{
  StereoBfvConstants k;
  StereoView left;
  StereoView right;
  const uint32_t *left_arms;
  const uint32_t *right_arms;
  unsigned long long *left_best;        /* keys, see make_key () */
  unsigned long long *right_best;       /* or NULL */
  uint2 *won;                   /* of each block, see bfv.cuh */
  StereoWinners winners;
  int tiles_x;
  bool aligned;                 /* the right view, for words of four pixels */
  bool luma;                    /* of RGB */
  unsigned pieces;              /* of a tile, one per block; 0: blocks have
                                 * equal shares of all tiles */
  unsigned share;               /* steps of a block, and one more of the first
                                 * `longer` blocks */
  unsigned longer;
};

/* Sizes and places in shared memory, in words.  ROWS of costs. */
template < int ROWS > struct Shape
{
  static const int rows = ROWS;
  static const int height = ROWS - 2 * halo;
  static const int threads = ROWS / parts * lanes;
  static const int segments = threads / tile_width;     /* of a column */
  static const int sum_rows = ROWS / segments;  /* of a thread */
  static const int own_rows = height / segments;
  static const int batch = own_rows % 6 == 0 ? 6 : 4;

  /* prefix sums of rows, 16 bits, from the fourth word on, after a 0; rows of
   * the upper half of the tile in the low half, others in the high half */
  static const int row_pitch = cost_width + 4;
  static const int row_sums = 0;
  /* prefix sums of columns, from the second row on; the first row is 0 */
  static const int column_sums = row_sums + ROWS / parts * row_pitch;
  /* right arms of pairs of rows, two tiles wide: horizontal arms of all rows,
   * then vertical arms of the rows of the tile */
  static const int ring = 2 * tile_width;
  static const int ring_rows = (ROWS + height) / 2;
  static const int ring_step = 16;      /* columns loaded at once */
  static const int row_arms = column_sums + (ROWS + 1) * tile_width;
  /* right winners, a ring two tiles wide, and their steps in bytes */
  static const int best = row_arms + ring_rows * ring;
  /* sums of the segments of a column */
  static const int total_pitch = segments + 4;
  static const int totals = best + height * ring;
  static const int best_step = totals + tile_width * total_pitch;
  /* A and n of the previous disparity, and of the one after the winner */
  static const int last = best_step + height * ring / 4;
  static const int after = last + height * tile_width;
  static const int size = after + height * tile_width;
};

/* Any n times 0 is less than n times 1. */
const uint32_t no_winner = 1;

/* Set in A and n, of 27 bits, of a winner of the previous disparity. */
const uint32_t fresh = 1u << 31;

/* Bits after the point of A / n in a key: different fractions differ by at
 * least 1 / (n m) > 2^-21. */
const int key_bits = 21;

/* A key whose order is that of A / n, then of the index. */
__device__ __forceinline__ unsigned long long
make_key (uint32_t sums, int index)
{
  const uint32_t n = sums >> 16, inverse = 0xffffffffu / n;
  uint32_t rest = sums & 0xffff, whole = __umulhi (rest, inverse), part;

  /* Both products are at most 1 less than the quotients. */
  rest -= whole * n;
  if (rest >= n) {
    whole++;
    rest -= n;
  }
  rest <<= key_bits;
  part = __umulhi (rest, inverse);
  if (rest - part * n >= n)
    part++;
  return (unsigned long long) (whole << key_bits | part) << 32
      | (unsigned) index << 16;
}

/* base plus the dot product of the bytes of word and factors. */
__device__ __forceinline__ int
add_bytes (uint32_t word, uint32_t factors, int base)
{
  int result;

  asm ("dp4a.u32.s32 %0, %1, %2, %3;":"=r" (result):"r" (word),
      "r" (factors), "r" (base));
  return result;
}

__device__ __forceinline__ uint32_t
shared_word (const uint32_t * shared, int byte)
{
  return *(const uint32_t *) ((const char *) shared + byte);
}

__device__ __forceinline__ uint32_t
shared_half (const uint32_t * shared, int byte)
{
  return *(const uint16_t *) ((const char *) shared + byte);
}

/* Part of the work of a tile: disparities residue + S_x first, ... */
struct Part
{
  int u0, v0;
  int residue;
  int first;
  int count;
  /* The first, or the last, disparity only serves as a neighbour. */
  bool lead, tail;
};

__device__ __forceinline__ Part
find_part (const MatchArgs & a, int tile_height, unsigned position,
    unsigned end)
{
  const StereoBfvConstants & k = a.k;
  const int n = k.end_index - k.first_index, s = k.sampling_x;
  const int d0 = k.min_disparity + k.first_index;
  const int tile = (int) (position / (unsigned) n);
  int skip = (int) (position % (unsigned) n);
  Part p;

  p.u0 = tile % a.tiles_x * tile_width;
  p.v0 = tile / a.tiles_x * tile_height;
  for (p.residue = 0;; p.residue++) {
    int after = floor_div (d0 + n - 1 - p.residue, s) + 1;

    p.first = floor_div (d0 - p.residue + s - 1, s);
    p.count = after - p.first;
    if (skip < p.count)
      break;
    skip -= p.count;
  }
  p.first += skip;
  p.count = min (p.count - skip, (int) (end - position));
  p.lead = s == 1 && p.first > d0;
  p.tail = s == 1 && p.first + p.count < d0 + n;
  return p;
}

/* Arms of two rows in the bytes of a word: left arms of both rows, then right
 * arms.  The same for up and down, times 8. */
__device__ __forceinline__ uint32_t
row_pair (uint32_t first, uint32_t second)
{
  return __byte_perm (first, second, 0x5140);
}

__device__ __forceinline__ uint32_t
column_pair (uint32_t first, uint32_t second)
{
  return __byte_perm (first, second, 0x7362) << 3;
}

/* Arms of a pair of rows of the right view. */
struct RightArms
{
  uint32_t first, second;
};

/* For column j of the grid that starts at -residue. */
__device__ __forceinline__ RightArms
right_arms_at (const MatchArgs & a, const Part & p, int s_x, int j, int row)
{
  const int v = p.v0 - halo + 2 * row;
  const int x = clamp (j * s_x - p.residue, 0, a.k.width - 1);
  const int last = a.k.grid_height - 1;
  RightArms arms;

  /* Offsets within the arms fit 32 bits. */
  arms.first = a.right_arms[(uint32_t) clamp (v, 0, last)
      * (uint32_t) a.k.width + (uint32_t) x];
  arms.second = a.right_arms[(uint32_t) clamp (v + 1, 0, last)
      * (uint32_t) a.k.width + (uint32_t) x];
  return arms;
}

template < typename S > __device__ __forceinline__ void
store_right_arms (uint32_t * shared, int j, int row, const RightArms & arms)
{
  uint32_t *target = shared + S::row_arms + row * S::ring
      + (j & S::ring - 1);

  *target = row_pair (arms.first, arms.second);
  if (row >= halo / 2 && row < (halo + S::height) / 2)
    target[(S::rows - halo) / 2 * S::ring] = column_pair (arms.first,
        arms.second);
}

/* Loads four pixels of the right view from column j of that grid on.  Bits
 * above a pixel are undefined. */
template < int KIND > __device__ __forceinline__ void
right_pixels_at (const MatchArgs & a, const Part & p, int s_x, int j, int y,
    uint32_t (&pixel)[lane_width + 4], int at)
{
  const uint32_t row = (uint32_t) y * (uint32_t) a.right.stride;

  if (s_x == 1 && a.aligned && j >= 0 && j + 4 <= a.k.width) {
    if (KIND == BYTES) {
      const uint32_t four = *(const uint32_t *) (a.right.plane[0] + (row
              + (uint32_t) j));

#pragma unroll
      for (int i = 0; i < 4; i++)
        pixel[at + i] = four >> 8 * i;
    } else {
      const uint4 four = *(const uint4 *) (a.right.plane[0] + (row
              + 4 * (uint32_t) j));

      pixel[at] = four.x;
      pixel[at + 1] = four.y;
      pixel[at + 2] = four.z;
      pixel[at + 3] = four.w;
    }
  } else {
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const uint32_t x = (uint32_t) clamp ((j + i) * s_x - p.residue, 0,
          a.k.width - 1);

      pixel[at + i] = KIND == BYTES ? a.right.plane[0][row + x]
          : *(const uint32_t *) (a.right.plane[0] + (row + 4 * x));
    }
  }
}

/* Converts loaded data; apart from the loads, to wait for them later. */
template < int KIND > __device__ __forceinline__ void
finish_pixels (uint32_t (&pixel)[lane_width + 4], int first, int n, bool luma)
{
#pragma unroll
  for (int i = first; i < first + n; i++)
    pixel[i] = finish_pixel < KIND > (pixel[i], luma);
}

/* Costs of two rows, in the halves of a word. */
template < int KIND > __device__ __forceinline__ uint32_t
cost_pair (uint32_t limit, uint32_t p0, uint32_t q0, uint32_t p1, uint32_t q1)
{
  if (KIND != COST_WORDS)
    return __vminu2 (add_differences (p0, q0, add_differences (p1, q1, 0)
            << 16), limit);

  /* the high byte of both halves */
  return __byte_perm (words_cost_scaled < STEREO_BFV_WORDS_FACTOR > (p0, q0,
          p1, q1, 0x00800080u), 0, 0x4341);
}

/* Prefix sums of the costs of two rows. */
template < int KIND, int SHIFT > __device__ __forceinline__ void
bfv_sum_costs (uint32_t limit, const uint32_t (&left)[parts][lane_width],
    const uint32_t (&right)[parts][lane_width + 4], uint32_t * target)
{
  const int lane = (int) threadIdx.x % lanes;
  uint32_t e[lane_width], sum = 0, all, run;

#pragma unroll
  for (int i = 0; i < lane_width; i++) {
    e[i] = cost_pair < KIND > (limit, left[0][i], right[0][i + 4 - SHIFT],
        left[1][i], right[1][i + 4 - SHIFT]);
    sum += e[i];
  }
  all = sum;
#pragma unroll
  for (int o = 1; o < lanes; o *= 2) {
    uint32_t before = __shfl_up_sync (0xffffffffu, all, o, lanes);

    if (lane >= o)
      all += before;
  }
  run = all - sum;
#pragma unroll
  for (int i = 0; i < lane_width; i += 4) {
    uint4 four;

    four.x = run + e[i];
    four.y = run + e[i] + e[i + 1];
    four.z = four.y + e[i + 2];
    four.w = four.y + e[i + 2] + e[i + 3];
    run = four.w;
    *(uint4 *) (target + i) = four;
  }
}

/* m: the Matcher of bfv-match.cu */
template < int SHIFT, typename M > __device__ __forceinline__ void
sum_costs_at (const M & m, int step)
{
  const StereoBfvConstants & k = m.a.k;
  const uint32_t limit = splat_u16 (k.cost_threshold);
  const int d = step * m.s_x + m.p.residue;
  /* Grid columns with a partner */
  const int first = step + (m.p.residue > 0);
  const int last = d < 0 ? floor_div (k.width - 1 + d, m.s_x)
      : k.grid_width - 1;

  if (first <= max (m.p.u0 - halo, 0)
      && last >= min (m.p.u0 + tile_width + halo, k.grid_width) - 1) {
    bfv_sum_costs < M::kind, SHIFT > (limit, m.left, m.right, m.cost_target);
  } else {
    uint32_t l[parts][lane_width], edge[parts];

#pragma unroll
    for (int part = 0; part < parts; part++)
      edge[part] = load_pixel < M::kind > (m.a.left, d > 0 ? d
          : k.width - 1 + d, m.y[part], m.a.luma);
#pragma unroll
    for (int i = 0; i < lane_width; i++) {
      const bool alone = m.u + i < first || m.u + i > last;

#pragma unroll
      for (int part = 0; part < parts; part++)
        l[part][i] = alone ? edge[part] : m.left[part][i];
    }
    bfv_sum_costs < M::kind, SHIFT > (limit, l, m.right, m.cost_target);
  }
}

/* Prefix sums of all rows for a step; updates m.right for the next step.  Four
 * steps share the pixels of m.right. */
template < typename M > __device__ __forceinline__ void
sum_step (M & m, int step)
{
  switch (step & 3) {
    case 0:
#pragma unroll
      for (int part = 0; part < parts; part++)
        finish_pixels < M::kind > (m.right[part], 0, 4, m.a.luma);
      sum_costs_at < 0 > (m, step);
      break;
    case 1:
      sum_costs_at < 1 > (m, step);
      break;
    case 2:
      sum_costs_at < 2 > (m, step);
      break;
    default:
      sum_costs_at < 3 > (m, step);
#pragma unroll
      for (int part = 0; part < parts; part++) {
#pragma unroll
        for (int j = lane_width + 3; j >= 4; j--)
          m.right[part][j] = m.right[part][j - 4];
        right_pixels_at < M::kind > (m.a, m.p, m.s_x, m.u - 5 - step,
            m.y[part], m.right[part], 0);
      }
      break;
  }
}

/* Merges the right winners of n columns from column j on, at most 255 steps
 * old.  i: the number of the step; AT_ONCE: rows of a thread */
template < typename S, int AT_ONCE > __device__ __forceinline__ void
merge_right (const MatchArgs & a, const Part & p, uint32_t * shared, int j,
    int n, int step, int i)
{
  int thread = (int) threadIdx.x;

  /* An opaque value keeps the compiler from storing addresses in registers. */
  asm volatile ("":"+r" (thread));
  for (int c = thread % tile_width; c < n; c += tile_width) {
    const int x = (j + c) * a.k.sampling_x - p.residue;
    const int slot = j + c & S::ring - 1;
    const bool there = x >= 0 && x < a.k.width && a.right_best != NULL;

#pragma unroll AT_ONCE
    for (int q = 0; q < S::own_rows; q++) {
      const int r = thread / tile_width + q * S::segments;
      uint32_t *best = shared + S::best + r * S::ring + slot;
      const uint32_t sums = *best;
      const int age = i - ((const uint8_t *) (shared + S::best_step))[r
          * S::ring + slot] & 255;

      unsigned long long key = make_key (sums, (step - age)
          * a.k.sampling_x + p.residue - a.k.min_disparity);

      /* an opaque value keeps the compiler from computing it in the branch,
       * where rows would not overlap */
      asm volatile ("":"+l" (key));
      *best = no_winner;
      if (sums != no_winner && there && p.v0 + r < a.k.grid_height)
        atomicMin (a.right_best + ((size_t) (p.v0 + r) * (size_t) a.k.width
                + (size_t) x), key);
    }
  }
}

}                               // namespace

#endif /* STEREO_BFV_TILES_CUH */
