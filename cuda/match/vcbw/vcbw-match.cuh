/* gst-stereomatching: disparities of the left view of vcbw on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The kernel for disparities of the left view alone.  A warp processes 16
 * columns and every eighth (or fourth) disparity, and keeps its winners in
 * registers.
 */

#ifndef STEREO_VCBW_MATCH_CUH
#define STEREO_VCBW_MATCH_CUH

#include "match/vcbw/vcbw-tile.cuh"
#include "refine/output.h"

namespace
{

/* Division of a tile between the warps of match_kernel (), in words. */
template < typename S > struct Split
{
  static const int warps_per_column = S::warps / S::column_blocks;
  static const int merge_size = S::warps * 16 * S::tile_height;
  static const int size = S::load_size > merge_size ? S::load_size
      : merge_size;
};

/* Updates the winners of 16 columns from x0 on with a disparity. */
template < typename S, bool Border > __device__ void
match_one (const VcbwArgs & a, const Lane < S > & lane,
    const Matrices < S > & m, int x0, int d,
    uint32_t (&best)[S::row_blocks][2][4])
{
  const int halo = S::halo, n_words = 2 * halo + 1;
  const uint32_t index = (uint32_t) (d - a.k.min_disparity);
  Beyond < n_words > beyond;
  uint32_t to_left[S::blocks][2], to_right[S::blocks][2];

  if (Border)
    beyond.find (a.k, x0 - 16 * halo, d);
#pragma unroll
  for (int b = 0; b < S::blocks; b++) {
    uint32_t cost[2][n_words];

    find_costs < S, Border, n_words > (a, lane, 16 * b, beyond, cost);
    average_block < S, n_words > (m, cost, 0, to_left[b], to_right[b]);
    if (b < 2 * halo)
      continue;
#pragma unroll
    for (int half = 0; half < 2; half++) {
      uint32_t (&winner)[4] = best[b - 2 * halo][half];
      int v[4][4];

      average_column < S > (m, to_left, to_right, b, half, v);
#pragma unroll
      for (int i = 0; i < 4; i += 2) {
        uint32_t c = combine (a, v, i);

        winner[i] = min (winner[i], multiply_add (c, 65536, index));
        winner[i + 1] = min (winner[i + 1], (c & 0xffff0000u) | index);
      }
    }
  }
}

/* Merges the winners of all warps and stores them. */
template < typename S > __device__ void
merge (const VcbwArgs & a, int x0, int y0, bool empty, uint32_t * shared,
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
  for (int p = (int) threadIdx.x; p < S::column_blocks * part;
      p += S::threads) {
    int row = p / S::tile_width, column = p % S::tile_width;
    int x = x0 + column, y = y0 + row;
    const uint32_t *candidate = shared
        + column / 16 * Split < S >::warps_per_column * part
        + row * 16 + column % 16;
    uint32_t winner = candidate[0];

#pragma unroll
    for (int w = 1; w < Split < S >::warps_per_column; w++)
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
__launch_bounds__ (S::threads, S::resident)
match_kernel (const __grid_constant__ VcbwArgs a)
{
  extern __shared__ __align__ (16) uint32_t shared[];
  __shared__ uint8_t weight[2][weight_table];
  uint32_t *right = shared + S::left_size;
  uint8_t *edges = (uint8_t *) (right + S::right_size);
  const int x0 = (int) blockIdx.x * S::tile_width;
  const int y0 = (int) blockIdx.y * S::tile_height;
  const int per_column = Split < S >::warps_per_column;
  const int warp = (int) threadIdx.x / 32;
  const int column = warp / per_column * 16;
  const Range < S > range (a.k, x0);
  Matrices < S > m;
  uint32_t best[S::row_blocks][2][4];

  load_weights (a.k, weight);
  __syncthreads ();
  make_matrices < S > (weight, m);
  pdl_wait ();
  /* without disparities there is no barrier before merge () */
  if (range.first <= range.last)
    load_left < S > (a, x0, y0, shared);
#pragma unroll
  for (int b = 0; b < S::row_blocks; b++) {
#pragma unroll
    for (int i = 0; i < 4; i++)
      best[b][0][i] = best[b][1][i] = 0xffffffffu;
  }

  /* Chunks start at multiples of their size, so that R is loaded aligned. */
  for (int base = range.first & ~(S::chunk - 1); base <= range.last;
      base += S::chunk) {
    load_chunk < S > (a, x0, y0, base, range, right, edges);
    __syncthreads ();
    for (int local = warp % per_column; local < S::chunk;
        local += per_column) {
      const int d = base + local, step = column / S::pixels_per_word;
      const Lane < S > lane (shared + step, right + step, edges, local);

      if (d < range.first || d > range.last)
        continue;
      if (Range < S >::beyond (a.k, x0 + column, 16, d))
        match_one < S, true > (a, lane, m, x0 + column, d, best);
      else
        match_one < S, false > (a, lane, m, x0 + column, d, best);
    }
    __syncthreads ();
  }
  merge < S > (a, x0, y0, range.first > range.last, shared, best);
}

}                               // namespace

#endif /* STEREO_VCBW_MATCH_CUH */
