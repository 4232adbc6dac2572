/* gst-stereomatching: winners of both views of vcbw on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The kernel for winners of both views, with C of the neighbours of left ones.
 *
 * Each warp computes C of one disparity for the whole tile.  It updates the
 * right winners, which stay in shared memory for a chunk of disparities and
 * are then merged into global memory by atomic minima, and writes C to shared
 * memory.  Each thread then searches C of all these disparities for some
 * pixels of the tile, whose winners it keeps in registers.
 *
 * H200: 0.69 ms for 1920x1080x128.  Slower alternatives: gradients in separate
 * bytes (+0.02 ms), 20 warps or two blocks of 8 warps (+0.08 ms), and strips 64
 * columns wide, which compute D less often but need a barrier for every 16 rows
 * (+0.08 ms).
 */

#ifndef STEREO_VCBW_WINNERS_CUH
#define STEREO_VCBW_WINNERS_CUH

#include "match/vcbw/vcbw-tile.cuh"
#include "refine/winner-formula.h"

namespace
{

/* Shared memory of a Shape in addition to its pixels, in words. */
template < typename S > struct Shared
{
  /* C of a disparity, two pixels a word.  Rows are 4 banks apart, times an odd
   * number, so that a warp writes 4 words of 8 rows at once. */
  static const int cost_pitch = S::tile_width / 2 + 4;
  static const int cost_slice = S::tile_height * cost_pitch;
  /* Winners of the right view, from column x0 - base - chunk + 1 on.  Rows are
   * 8 banks apart, and one more after every fourth: a warp has 4 columns of 8
   * rows, every other one. */
  static const int right_words = S::tile_width + S::chunk;
  static const int right_pitch = (right_words + 23) / 32 * 32 + 8;
  static const int right_size = S::tile_height * right_pitch
      + S::tile_height / 4;

  static const int costs = S::load_size;
  static const int right = costs + S::warps * cost_slice;
  static const int size = right + right_size;

  static __device__ int right_at (int row)
  {
    return row * right_pitch + row / 4;
  }
};

/* Current winners of two adjacent pixels: words as in the right view; C of the
 * previous and next disparity, in the low and high half; and of both pixels C
 * at the last disparity, and with uniqueness the second minimum, and the lowest
 * C but for the last disparity. */
struct Pair
{
  uint32_t best[2];
  uint32_t neighbors[2];
  uint32_t past;
  uint32_t second;
  uint32_t others;
};

/* Winners of a thread.  In each step a warp has 32 pairs: whole rows or, with
 * 24 pairs in a row, one row and a third of another that is in other banks. */
template < typename S > struct Pairs
{
  static const int in_row = S::tile_width / 2;
  static const int steps = S::tile_height * in_row / 32;
  static const int own = (steps + S::warps - 1) / S::warps;

  Pair pair[own];

  /* Finds the place of pair j, if the thread has that many. */
  static __device__ bool find (int j, int & row, int & column)
  {
    const int lane = (int) threadIdx.x & 31;
    const int step = (int) threadIdx.x / 32 + j * S::warps;

    if (in_row != 24) {
      row = 32 / in_row * step + lane / in_row;
      column = lane % in_row;
    } else {
      /* six steps for eight rows, with parts of the last two */
      const int i = step % 6;

      row = step / 6 * 8 + (lane < in_row ? i : 6 + i % 2);
      column = lane < in_row ? lane : lane - 8 - i / 2 * 8;
    }
    return (j + 1) * S::warps <= steps || step < steps;
  }
};

/* Updates the right winners with C of two pixels, n of which are in the
 * image. */
__device__ __forceinline__ void
update_right (uint32_t cost, uint32_t index, int n, uint32_t * right)
{
  const uint32_t first = multiply_add (cost, 65536, index);
  const uint32_t second = (cost & 0xffff0000u) | index;

  /* without branches */
  atomicMin (right, n > 0 ? first : STEREO_NO_WINNER);
  atomicMin (right + 1, n > 1 ? second : STEREO_NO_WINNER);
}

/* Computes C of a disparity for a tile; updates `costs` and the right winners,
 * where `right` is column x0 - d. */
template < typename S, bool Border > __device__ void
compute_costs (const VcbwArgs & a, const Lane < S > & lane,
    const Matrices < S > & m, int x0, int d, uint32_t * costs,
    uint32_t * right)
{
  const int halo = S::halo, n_words = S::column_blocks + 2 * halo;
  const int g = (int) (threadIdx.x & 31) / 4, t = (int) threadIdx.x & 3;
  const uint32_t index = (uint32_t) (d - a.k.min_disparity);
  uint32_t *own = costs + g * Shared < S >::cost_pitch + t;
  uint32_t *partners = right + Shared < S >::right_at (g) + 2 * t;
  Beyond < n_words > beyond;
  uint32_t to_left[S::column_blocks][S::blocks][2];
  uint32_t to_right[S::column_blocks][S::blocks][2];

  if (Border)
    beyond.find (a.k, x0 - 16 * halo, d);
#pragma unroll
  for (int b = 0; b < S::blocks; b++) {
    uint32_t cost[2][n_words];

    find_costs < S, Border, n_words > (a, lane, 16 * b, beyond, cost);
#pragma unroll
    for (int c = 0; c < S::column_blocks; c++)
      average_block < S, n_words > (m, cost, c, to_left[c][b],
          to_right[c][b]);
    if (b < 2 * halo)
      continue;
#pragma unroll
    for (int c = 0; c < S::column_blocks; c++) {
#pragma unroll
      for (int half = 0; half < 2; half++) {
        const int column = 16 * c + 8 * half;
        const int n = Border ? a.k.width - x0 - column - 2 * t : 2;
        int v[4][4];

        average_column < S > (m, to_left[c], to_right[c], b, half, v);
#pragma unroll
        for (int i = 0; i < 2; i++) {
          const int row = 16 * (b - 2 * halo) + 8 * i;
          const uint32_t cost = combine (a, v, 2 * i);

          own[row * Shared < S >::cost_pitch + column / 2] = cost;
          update_right (cost, index, n,
              partners + Shared < S >::right_at (row) + column);
        }
      }
    }
  }
}

/* Updates the second minima with n disparities from `index` on; called before
 * the update of the winners.  least: C and number of the best ones; costs: C of
 * the first one. */
template < typename S > __device__ __forceinline__ void
update_seconds (Pair & pair, const uint32_t (&least)[2], uint32_t index,
    int n, const uint32_t * costs)
{
  uint32_t second = ~0u, others = ~0u, previous = 0, best = 0;
  int from[2];                  /* number before the winner */

#pragma unroll
  for (int i = 0; i < 2; i++) {
    const uint32_t number = least[i] & 0xffff, half = 0xffffu << 16 * i;
    const bool wins = least[i] + index < pair.best[i];

    from[i] = wins ? (int) number - 1
        : (int) (pair.best[i] & 0xffff) - (int) index - 1;
    best |= pair.best[i] >> 16 << 16 * i;
    previous |= half & (!wins ? pair.second : number == 0 ? pair.others
        : pair.best[i] >> 16 << 16 * i);
  }
#pragma unroll 4
  for (int i = 0; i < S::warps; i++) {
    const uint32_t cost = costs[i * Shared < S >::cost_slice];

    second = __vminu2 (second, cost
        | ((unsigned) (i - from[0]) < 3 ? 0x0000ffffu : 0)
        | ((unsigned) (i - from[1]) < 3 ? 0xffff0000u : 0));
    others = __vminu2 (others, cost | (i == n - 1 ? ~0u : 0));
  }
  pair.second = __vminu2 (second, previous);
  pair.others = __vminu2 (others, best);
}

/* Updates a winner with the best of n disparities from `index` on.  least: C
 * and number of the best one; costs: C of the first one. */
template < typename S > __device__ __forceinline__ void
compete (Pair & pair, int side, uint32_t least, uint32_t index, int n,
    const uint16_t * costs)
{
  const int step = 2 * Shared < S >::cost_slice;
  const int i = (int) (least & 0xffff);

  if ((pair.best[side] & 0xffff) + 1 == index)
    pair.neighbors[side] |= (uint32_t) costs[0] << 16;
  if (least + index < pair.best[side]) {
    const uint32_t before = i > 0 ? costs[(i - 1) * step]
        : pair.past >> 16 * side & 0xffff;
    const uint32_t after = i + 1 < n ? costs[(i + 1) * step] : 0;

    pair.best[side] = least + index;
    pair.neighbors[side] = before | after << 16;
  }
}

/* Updates the left winners with n disparities.  The slices after them are
 * STEREO_NO_WINNER. */
template < typename S > __device__ void
update_left (const VcbwArgs & a, const uint32_t * costs, uint32_t index, int n,
    Pairs < S > & best)
{
#pragma unroll
  for (int j = 0; j < Pairs < S >::own; j++) {
    int row, column;

    if (!best.find (j, row, column))
      break;

    const uint32_t *own = costs + row * Shared < S >::cost_pitch + column;
    uint32_t least[2] = { STEREO_NO_WINNER, STEREO_NO_WINNER };
    Pair & pair = best.pair[j];

#pragma unroll
    for (uint32_t i = 0; i < S::warps; i++) {
      const uint32_t cost = own[i * Shared < S >::cost_slice];

      least[0] = min (least[0], multiply_add (cost, 65536, i));
      least[1] = min (least[1], (cost & a.high_half) | i);
    }
    if (a.winners.uniqueness)
      update_seconds < S > (pair, least, index, n, own);
    compete < S > (pair, 0, least[0], index, n, (const uint16_t *) own);
    compete < S > (pair, 1, least[1], index, n, (const uint16_t *) own + 1);
    pair.past = own[(n - 1) * Shared < S >::cost_slice];
  }
}

template < typename S > __device__ void
clear_right (uint32_t * right)
{
  for (int i = (int) threadIdx.x; i < Shared < S >::right_size;
      i += S::threads)
    right[i] = STEREO_NO_WINNER;
}

/* Merges the right winners of a chunk into global memory and resets them.  A
 * warp processes a row. */
template < typename S > __device__ void
flush_right (const VcbwArgs & a, int x0, int y0, int base, uint32_t * right)
{
  const int lane = (int) threadIdx.x & 31;
  const int x = x0 - base - (S::chunk - 1) + lane;

#pragma unroll
  for (int row = (int) threadIdx.x / 32; row < S::tile_height;
      row += S::warps) {
    uint32_t *own = right + Shared < S >::right_at (row) + lane;
    uint32_t *target = a.winners.right
        + (ptrdiff_t) a.winners.right_stride * (y0 + row) + x;

#pragma unroll
    for (int i = 0; i < Shared < S >::right_words; i += 32) {
      if (i + lane < Shared < S >::right_words) {
        const uint32_t best = own[i];

        own[i] = STEREO_NO_WINNER;
        if (best != STEREO_NO_WINNER && x + i >= 0 && x + i < a.k.width
            && y0 + row < a.k.height)
          atomicMin (target + i, best);
      }
    }
  }
}

template < typename S > __device__ void
store_left (const VcbwArgs & a, int x0, int y0, bool empty, Pairs < S > & best)
{
#pragma unroll
  for (int j = 0; j < Pairs < S >::own; j++) {
    int row, column;

    if (!best.find (j, row, column))
      break;

    const int x = x0 + 2 * column, y = y0 + row;
    Pair & pair = best.pair[j];

#pragma unroll
    for (int i = 0; i < 2; i++) {
      const uint32_t index = pair.best[i] & 0xffff, own = pair.best[i] >> 16;
      const uint32_t before = pair.neighbors[i] & 0xffff;
      const uint32_t after = pair.neighbors[i] >> 16;

      if (x + i < a.k.width && y < a.k.height)
        stereo_winner_store (&a.winners, x + i, y, empty ? STEREO_INVALID
            : index, before, own, after, pair.second >> 16 * i & 0xffff);
    }
  }
}

/* Processes the disparities of a chunk from range.first to range.last. */
template < typename S > __device__ void
match_chunk (const VcbwArgs & a, int x0, int y0, int base,
    const Range < S > & range, const Matrices < S > & m, uint32_t * shared,
    Pairs < S > & best)
{
  const uint32_t *left = shared, *right = shared + S::left_size;
  const uint8_t *edges = (const uint8_t *) (right + S::right_size);
  uint32_t *costs = shared + Shared < S >::costs;
  const int warp = (int) threadIdx.x / 32;
  uint32_t *own = costs + warp * Shared < S >::cost_slice;

  for (int local = 0; local < S::chunk; local += S::warps) {
    const int from = max (base + local, range.first);
    const int end = min (base + local + S::warps, range.last + 1);
    const int d = from + warp;

    if (from >= end)
      continue;
    if (d < end) {
      const Lane < S > lane (left, right, edges, d - base);
      uint32_t *partners = shared + Shared < S >::right + S::chunk - 1
          - (d - base);

      if (Range < S >::beyond (a.k, x0, S::tile_width, d))
        compute_costs < S, true > (a, lane, m, x0, d, own, partners);
      else
        compute_costs < S, false > (a, lane, m, x0, d, own, partners);
    } else {
      for (int i = (int) threadIdx.x & 31; i < Shared < S >::cost_slice;
          i += 32)
        own[i] = STEREO_NO_WINNER;
    }
    __syncthreads ();
    update_left < S > (a, costs, (uint32_t) (from - a.k.min_disparity),
        end - from, best);
    __syncthreads ();
  }
}

template < typename S > __global__ void
__launch_bounds__ (S::threads, S::resident)
winners_kernel (const __grid_constant__ VcbwArgs a)
{
  extern __shared__ __align__ (16) uint32_t shared[];
  __shared__ uint8_t weight[2][weight_table];
  uint32_t *right = shared + S::left_size;
  uint8_t *edges = (uint8_t *) (right + S::right_size);
  uint32_t *right_best = shared + Shared < S >::right;
  const int x0 = (int) blockIdx.x * S::tile_width;
  const int y0 = (int) blockIdx.y * S::tile_height;
  const Range < S > range (a.k, x0);
  Matrices < S > m;
  Pairs < S > best;

#pragma unroll
  for (int j = 0; j < Pairs < S >::own; j++)
    best.pair[j] = Pair { { STEREO_NO_WINNER, STEREO_NO_WINNER }, { }, 0, ~0u,
      ~0u };
  load_weights (a.k, weight);
  clear_right < S > (right_best);
  __syncthreads ();
  make_matrices < S > (weight, m);
  pdl_wait ();
  load_left < S > (a, x0, y0, shared);

  /* Chunks start at multiples of their size, so that loads of R are
   * aligned. */
  for (int base = range.first & ~(S::chunk - 1); base <= range.last;
      base += S::chunk) {
    load_chunk < S > (a, x0, y0, base, range, right, edges);
    __syncthreads ();
    match_chunk < S > (a, x0, y0, base, range, m, shared, best);
    if (a.winners.right != NULL)
      flush_right < S > (a, x0, y0, base, right_best);
  }
  store_left < S > (a, x0, y0, range.first > range.last, best);
}

}                               // namespace

#endif /* STEREO_VCBW_WINNERS_CUH */
