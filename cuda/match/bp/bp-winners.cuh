/* gst-stereomatching: results of bp on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A map has the smallest belief of each left pixel.  For winners a block
 * processes one row at a time, or several short ones, and collects the smallest
 * beliefs of right pixels in shared memory.  The step for the first half of the
 * pixels stores them, and the step for the second half updates them.
 */

#ifndef STEREO_BP_WINNERS_CUH
#define STEREO_BP_WINNERS_CUH

#include "match/bp/bp-words.cuh"
#include "refine/output.h"
#include "refine/winner-formula.h"

namespace
{

/* The index of the smallest sum, in all lanes of a pixel. */
template < class F, int LANES > __device__ __forceinline__ int
winner (const uint32_t (&sum)[F::words], int group)
{
  if (F::packed) {
    uint32_t best = 0xffffffffu;

#pragma unroll
    for (int i = 0; i < F::words; i++)
      best = min (best, min (sum[i] << 16 | (uint32_t) i,
              (sum[i] & 0xffff0000u) | (uint32_t) (i + F::words)));
    best += (uint32_t) (F::values * group);
#pragma unroll
    for (int lane = 1; lane < LANES; lane *= 2)
      best = min (best, __shfl_xor_sync (0xffffffffu, best, lane));
    return (int) (best & 0xffffu);
  }

  uint32_t least = sum[0];
  int place = 0;

#pragma unroll
  for (int i = 1; i < F::words; i++) {
    place = sum[i] < least ? i : place;
    least = min (least, sum[i]);
  }
  place += F::values * group;
#pragma unroll
  for (int lane = 1; lane < LANES; lane *= 2) {
    uint32_t other = __shfl_xor_sync (0xffffffffu, least, lane);
    int other_place = __shfl_xor_sync (0xffffffffu, place, lane);

    if (other < least || (other == least && other_place < place)) {
      least = other;
      place = other_place;
    }
  }
  return place;
}

/* The pixels with the result of (x, y): itself and adjacent pixels of the
 * frame. */
struct Sharers
{
  int x0, x1, y0, y1;

  __device__ __forceinline__ Sharers (const BpArgs & a, int x, int y)
  {
    const int w = a.level[0].width, h = a.level[0].height;

    x0 = a.inner && x == 1 ? 0 : x;
    x1 = a.inner && x == w - 2 ? w - 1 : x;
    y0 = a.inner && y == 1 ? 0 : y;
    y1 = a.inner && y == h - 2 ? h - 1 : y;
  }
};

__device__ __forceinline__ void
store_result (const BpArgs & a, int x, int y, int index)
{
  const Sharers to (a, x, y);

  for (int yy = to.y0; yy <= to.y1; yy++) {
    for (int xx = to.x0; xx <= to.x1; xx++)
      stereo_store_index (&a.map, a.encode ? &a.output : NULL, xx, yy,
          (unsigned) (a.first_index + index));
  }
}

/* Permutes indices within 32, so that lanes 16 disparities apart use different
 * banks. */
__device__ __forceinline__ int
row_place (int x)
{
  return x ^ (x >> 5 & 3) << 3;
}

/* Row i of the rows_at_once of a block. */
__device__ __forceinline__ uint32_t *
right_row (const BpArgs & a, int i)
{
  extern __shared__ uint32_t shared_words[];

  return shared_words + i * bp_row_words (a.level[0].width);
}

/* The beliefs of a warp, F::words times 32. */
template < class F > __device__ __forceinline__ uint32_t *
warp_beliefs (const BpArgs & a)
{
  return right_row (a, a.rows_at_once) + threadIdx.x / 32 * 32 * F::words;
}

/* Value v of the pixel whose first lane is `first`. */
template < class F > __device__ __forceinline__ uint32_t
belief_at (const uint32_t * beliefs, int first, int v)
{
  const int lane = first + v / F::values, i = v % F::values;
  const uint32_t w = beliefs[i % F::words * 32 + lane];

  if (F::packed)
    return i < F::words ? w & 0xffffu : w >> 16;
  return stereo_bp_winner_cost (F::precision, w);
}

/* Stores the winner of a left pixel, in its first lane.  All lanes of the warp
 * must call it. */
template < class F > __device__ __forceinline__ void
store_winner (const BpArgs & a, const uint32_t (&sum)[F::words],
    const Place & place, bool exists, int index)
{
  const int lane = threadIdx.x % 32;
  uint32_t *beliefs = warp_beliefs < F > (a);

#pragma unroll
  for (int i = 0; i < F::words; i++)
    beliefs[32 * i + lane] = sum[i];
  __syncwarp ();
  if (exists && place.group == 0) {
    const Sharers to (a, place.x, place.y);
    const unsigned number = (unsigned) (a.first_index + index);
    const uint32_t own = belief_at < F > (beliefs, lane, index);
    const uint32_t before = index > 0
        ? belief_at < F > (beliefs, lane, index - 1) : 0;
    const uint32_t after = index < a.count - 1
        ? belief_at < F > (beliefs, lane, index + 1) : 0;
    const uint32_t word = stereo_winner_word (&a.winners, number, before, own,
        after, stereo_winner_neighbor (&a.winners, number, before, own,
            after));

    for (int y = to.y0; y <= to.y1; y++) {
      for (int x = to.x0; x <= to.x1; x++)
        a.winners.left[(size_t) y * a.winners.left_stride + (size_t) x] = word;
    }
  }
  __syncwarp ();
}

/* Updates a right row by the beliefs of a place, taken as those of column x of
 * the left row. */
template < class F > __device__ __forceinline__ void
offer (const BpArgs & a, const uint32_t (&sum)[F::words], const Place & place,
    int x, uint32_t * right)
{
  const int first = F::values * place.group;
  const int xr = x - a.first_disparity - first;
  const unsigned width = (unsigned) a.level[0].width;
  const uint32_t index = (uint32_t) (a.first_index + first);

#pragma unroll
  for (int v = 0; v < F::values; v++) {
    const uint32_t w = sum[v % F::words];
    const uint32_t high = !F::packed ? w >> 7 << 16
        : v < F::words ? w << 16 : w & 0xffff0000u;

    if (v < place.valid && (unsigned) (xr - v) < width)
      atomicMin (right + row_place (xr - v), high + index
          + (uint32_t) v);
  }
}

/* Stores the results of a place.  All lanes of the warp must call it.  x: the
 * column of the pixel, if it exists.  row: index among the rows of the
 * block. */
template < class F, int LANES > __device__ __forceinline__ void
give_result (const BpArgs & a, const uint32_t (&sum)[F::words],
    const Place & place, int x, bool exists, int row)
{
  const int index = winner < F, LANES > (sum, place.group);

  if (!a.gives_winners) {
    if (exists && place.group == 0)
      store_result (a, x, place.y, index);
  } else {
    store_winner < F > (a, sum, place, exists, index);
    if (exists && a.winners.right != NULL) {
      const Sharers to (a, x, place.y);

      for (int xx = to.x0; xx <= to.x1; xx++)
        offer < F > (a, sum, place, xx, right_row (a, row));
    }
  }
}

__device__ __forceinline__ void
clear_right_rows (const BpArgs & a)
{
  const int n = a.winners.right == NULL ? 0
      : a.rows_at_once * bp_row_words (a.level[0].width);

  for (int i = (int) threadIdx.x; i < n; i += (int) blockDim.x)
    right_row (a, 0)[i] = STEREO_NO_WINNER;
  __syncthreads ();
}

/* Stores the winners of the right rows of a block, from the first one on, and
 * clears them.  again: combine them with those in memory. */
__device__ __forceinline__ void
store_right_rows (const BpArgs & a, int first, bool again)
{
  const int frame = a.inner ? 1 : 0;
  const int rows = a.level[0].height - 2 * frame;
  const int width = a.winners.right != NULL ? a.level[0].width : 0;

  __syncthreads ();
#pragma unroll 1
  for (int i = 0; i < a.rows_at_once; i++) {
    const int y = frame + first + i * (int) gridDim.x;
    const Sharers to (a, 0, y);

    if (y >= frame + rows)
      break;
    for (int x = (int) threadIdx.x; x < width; x += (int) blockDim.x) {
      uint32_t *at = a.winners.right + (size_t) y * a.winners.right_stride + x;
      uint32_t *best = right_row (a, i) + row_place (x), word = *best;

      *best = STEREO_NO_WINNER;
      if (again)
        word = min (word, __ldcg (at));
      for (int yy = to.y0; yy <= to.y1; yy++)
        __stcg (a.winners.right + (size_t) yy * a.winners.right_stride + x,
            word);
    }
  }
  __syncthreads ();
}

}                               // namespace

#endif /* STEREO_BP_WINNERS_CUH */
