/* gst-stereomatching: winners of both views of vcbw on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The kernel that leaves winners of both views and the costs beside those of
 * the left one.
 *
 * Each warp computes C of one disparity for the whole tile and writes it to
 * shared memory; then the block has C of as many neighbouring disparities as it
 * has warps.  After that every thread looks through these for some pixels of
 * the tile, whose winners it keeps in registers, and for some pixels of the
 * right view, whose winners stay in shared memory for a chunk of disparities
 * and go to global memory as minima of words after it.
 */

#ifndef STEREO_VCBW_WINNERS_CUH
#define STEREO_VCBW_WINNERS_CUH

#include "match/vcbw-tile.cuh"
#include "refine/winner-pixel.h"

namespace
{

/* What a Shape has in shared memory besides its pixels, in words. */
template < typename S > struct Shared
{
  /* C of a disparity, two pixels a word.  Rows are 4 banks apart, times an odd
   * number, so that a warp writes 4 words of 8 rows at once. */
  static const int cost_pitch = S::tile_width / 2 + 4;
  static const int cost_slice = S::tile_height * cost_pitch;
  /* Winners of the right view, from column x0 - base - chunk + 1 on. */
  static const int right_pitch = S::tile_width + S::chunk;

  static const int costs = S::load_size;
  static const int right = costs + S::warps * cost_slice;
  static const int size = right + S::tile_height * right_pitch;
};

/* Winners so far of two neighbouring pixels, the first one's in low halves: C
 * and index; for each pixel, C before and after it, in the low and the high
 * half; and for both again, C of the last disparity and of the one before it.
 * C is below 0xffff. */
struct Pair
{
  uint32_t least;
  uint32_t index;
  uint32_t beside[2];
  uint32_t past[2];
};

template < typename S > struct Pairs
{
  static const int in_row = S::tile_width / 2;
  static const int count = in_row * S::tile_height;
  /* of a thread */
  static const int own = (count + S::threads - 1) / S::threads;

  Pair pair[own];
};

/* C of one disparity for a tile at (x0, y0), to `costs`. */
template < typename S, bool Border > __device__ void
compute_costs (const Args & a, const Lane < S > & lane,
    const Matrices < S > & m, int x0, int d, uint32_t * costs)
{
  const int halo = S::halo, n_words = S::column_blocks + 2 * halo;
  const int g = (int) (threadIdx.x & 31) / 4, t = (int) threadIdx.x & 3;
  Beyond < n_words > beyond;
  uint32_t to_left[S::column_blocks][S::blocks][2];
  uint32_t to_right[S::column_blocks][S::blocks][2];

  if (Border)
    beyond.find (a.k, x0 - 16 * halo, d);
#pragma unroll
  for (int b = 0; b < S::blocks; b++) {
    uint32_t cost[2][n_words];

    find_costs < S, Border, n_words > (a, lane, 16 * b, beyond, cost[0]);
    find_costs < S, Border, n_words > (a, lane, 16 * b + 8, beyond, cost[1]);
#pragma unroll
    for (int c = 0; c < S::column_blocks; c++)
      average_block < S, n_words > (a, m, cost, c, to_left[c][b],
          to_right[c][b]);
    if (b < 2 * halo)
      continue;
#pragma unroll
    for (int c = 0; c < S::column_blocks; c++) {
#pragma unroll
      for (int half = 0; half < 2; half++) {
        uint32_t *target = costs + (16 * (b - 2 * halo) + g)
            * Shared < S >::cost_pitch + 8 * c + 4 * half + t;
        int v[4][4];

        average_column < S > (m, to_left[c], to_right[c], b, half, v);
        target[0] = combine (a, v, 0);
        target[8 * Shared < S >::cost_pitch] = combine (a, v, 2);
      }
    }
  }
}

/* The smaller ones of two pairs, and whether they are the first pair's.  (What
 * CUDA 13.0 has for it, __vibmin_u16x2 (), lets the result take the place of
 * the first pair, with which it is compared after that.) */
__device__ __forceinline__ uint32_t
min_pair (uint32_t a, uint32_t b, bool * low_stays, bool * high_stays)
{
  uint32_t least;
#if __CUDA_ARCH__ >= 900
  uint32_t low, high;

  asm ("{\n\t"
      ".reg .pred p, q;\n\t"
      ".reg .u16 l, h, al, ah;\n\t"
      "min.u16x2 %0, %3, %4;\n\t"
      "mov.b32 {l, h}, %0;\n\t"
      "mov.b32 {al, ah}, %3;\n\t"
      "setp.eq.u16 p, l, al;\n\t"
      "setp.eq.u16 q, h, ah;\n\t"
      "selp.b32 %1, 1, 0, p;\n\t"
      "selp.b32 %2, 1, 0, q;\n\t"
      "}" : "=&r" (least), "=r" (low), "=r" (high) : "r" (a), "r" (b));
  *low_stays = low != 0;
  *high_stays = high != 0;
#else
  least = __vminu2 (a, b);
  *low_stays = (least & 0xffff) == (a & 0xffff);
  *high_stays = least >> 16 == a >> 16;
#endif
  return least;
}

/* Lets the disparity before `index` compete, whose C after it is cost. */
__device__ __forceinline__ void
compete (Pair & p, uint32_t cost, uint32_t index)
{
  bool first_stays, second_stays;

  p.least = min_pair (p.least, p.past[0], &first_stays, &second_stays);
  if (!first_stays) {
    p.index = __byte_perm (p.index, index - 1, 0x3254);
    p.beside[0] = __byte_perm (p.past[1], cost, 0x5410);
  }
  if (!second_stays) {
    p.index = __byte_perm (p.index, index - 1, 0x5410);
    p.beside[1] = __byte_perm (p.past[1], cost, 0x7632);
  }
}

/* The winners of the left view among disparities d to d + n - 1. */
template < typename S > __device__ void
take_left (const StereoVcbwConstants & k, const uint32_t * costs, int d, int n,
    Pairs < S > & best)
{
#pragma unroll
  for (int j = 0; j < Pairs < S >::own; j++) {
    const int p = min ((int) threadIdx.x + j * S::threads,
        Pairs < S >::count - 1);
    const uint32_t *own = costs + p / Pairs < S >::in_row
        * Shared < S >::cost_pitch + p % Pairs < S >::in_row;
    Pair & pair = best.pair[j];

#pragma unroll 4
    for (int i = 0; i < n; i++) {
      const uint32_t cost = own[i * Shared < S >::cost_slice];

      compete (pair, cost, (uint32_t) (d + i - k.min_disparity));
      pair.past[1] = pair.past[0];
      pair.past[0] = cost;
    }
  }
}

/* The same for the right view.  local: d, from the beginning of the chunk. */
template < typename S > __device__ void
take_right (const Args & a, const uint32_t * costs, int x0, int d, int n,
    int local, uint32_t * right)
{
  const int columns = S::tile_width + S::warps - 1;
  const int inside = min (S::tile_width, a.k.width - x0);
  const uint32_t index = (uint32_t) (d - a.k.min_disparity);

  /* A pixel is column u - i of the left view for disparity d + warps - 1 - i,
   * so a thread starts at the last disparity. */
  for (int p = (int) threadIdx.x; p < columns * S::tile_height;
      p += S::threads) {
    const int row = p / columns, u = p % columns - (S::warps - 1);
    const uint16_t *own = (const uint16_t *) (costs
        + row * Shared < S >::cost_pitch) + u;
    uint32_t *target = right + row * Shared < S >::right_pitch
        + S::chunk - 1 - local + u;
    const int end = min (n, inside - u);
    uint32_t best = STEREO_NO_WINNER;

    /* words as those of stereo_winner_right_word () */
#pragma unroll 4
    for (int i = max (0, -u); i < end; i++)
      best = __viaddmin_u32 (own[i * (2 * Shared < S >::cost_slice + 1)]
          * a.high_half + index, (uint32_t) i, best);
    if (best != STEREO_NO_WINNER)
      *target = min (*target, best);
  }
}

template < typename S > __device__ void
clear_right (uint32_t * right)
{
  for (int i = (int) threadIdx.x; i < S::tile_height
      * Shared < S >::right_pitch; i += S::threads)
    right[i] = STEREO_NO_WINNER;
}

/* A chunk's winners of the right view to global memory. */
template < typename S > __device__ void
flush_right (const Args & a, int x0, int y0, int base, const uint32_t * right)
{
  const int pitch = Shared < S >::right_pitch;

  for (int i = (int) threadIdx.x; i < S::tile_height * pitch;
      i += S::threads) {
    const int y = y0 + i / pitch;
    const int x = x0 - base - (S::chunk - 1) + i % pitch;

    if (right[i] != STEREO_NO_WINNER && x >= 0 && x < a.k.width
        && y < a.k.height)
      atomicMin (a.winners.right + (size_t) y * a.winners.right_stride + x,
          right[i]);
  }
}

/* The winners of the left view, written out. */
template < typename S > __device__ void
store_left (const Args & a, int x0, int y0, bool empty, Pairs < S > & best)
{
#pragma unroll
  for (int j = 0; j < Pairs < S >::own; j++) {
    const int p = (int) threadIdx.x + j * S::threads;
    const int x = x0 + p % Pairs < S >::in_row * 2;
    const int y = y0 + p / Pairs < S >::in_row;
    Pair & pair = best.pair[j];

    /* the last disparity's turn */
    compete (pair, 0, (uint32_t) a.k.end_index);
#pragma unroll
    for (int i = 0; i < 2; i++) {
      if (p < Pairs < S >::count && x + i < a.k.width && y < a.k.height)
        stereo_winner_store (&a.winners, x + i, y, empty ? STEREO_INVALID
            : pair.index >> 16 * i & 0xffff, pair.beside[i] & 0xffff,
            pair.least >> 16 * i & 0xffff, pair.beside[i] >> 16);
    }
  }
}

/* All disparities of a chunk that are from range.first to range.last. */
template < typename S > __device__ void
match_chunk (const Args & a, int x0, int y0, int base,
    const Range < S > & range, const Matrices < S > & m, uint32_t * shared,
    Pairs < S > & best)
{
  const uint32_t *left = shared, *right = shared + S::left_size;
  const uint8_t *edges = (const uint8_t *) (right + S::right_size);
  uint32_t *costs = shared + Shared < S >::costs;
  const int warp = (int) threadIdx.x / 32;

  for (int local = 0; local < S::chunk; local += S::warps) {
    const int from = max (base + local, range.first);
    const int end = min (base + local + S::warps, range.last + 1);
    const int d = from + warp;

    if (from >= end)
      continue;
    if (d < end) {
      const Lane < S > lane (left, right, edges, d - base);
      uint32_t *own = costs + warp * Shared < S >::cost_slice;

      if (Range < S >::beyond (a.k, x0, S::tile_width, d))
        compute_costs < S, true > (a, lane, m, x0, d, own);
      else
        compute_costs < S, false > (a, lane, m, x0, d, own);
    }
    __syncthreads ();
    take_left < S > (a.k, costs, from, end - from, best);
    if (a.winners.right != NULL)
      take_right < S > (a, costs, x0, from, end - from, from - base,
          shared + Shared < S >::right);
    __syncthreads ();
  }
}

template < typename S > __global__ void
__launch_bounds__ (S::threads, S::resident)
winners_kernel (const __grid_constant__ Args a)
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
    best.pair[j] = Pair { 0xffffffffu, 0, { }, { 0xffffffffu, 0xffffffffu } };
  load_left < S > (a, x0, y0, shared);
  load_weights (a.k, weight);
  __syncthreads ();
  make_matrices < S > (weight, m);

  /* Chunks start at multiples of their size, so that R is loaded aligned. */
  for (int base = range.first & ~(S::chunk - 1); base <= range.last;
      base += S::chunk) {
    load_chunk < S > (a, x0, y0, base, range, right, edges);
    if (a.winners.right != NULL)
      clear_right < S > (right_best);
    __syncthreads ();
    match_chunk < S > (a, x0, y0, base, range, m, shared, best);
    if (a.winners.right != NULL)
      flush_right < S > (a, x0, y0, base, right_best);
  }
  store_left < S > (a, x0, y0, range.first > range.last, best);
}

}                               // namespace

#endif /* STEREO_VCBW_WINNERS_CUH */
