/* gst-stereomatching: winners of ESAW and ESMP on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * In each turn of the last pass a thread computes 16 sums of a pixel.  It
 * writes them to shared memory, with the best of them, and updates the winners
 * of their right pixels there.  After a few turns, the threads of the block
 * search the sums of one pixel each, so that there are few barriers.
 */

#ifndef STEREO_EXPSTEP_WINNERS_CUH
#define STEREO_EXPSTEP_WINNERS_CUH

#include "match/expstep/expstep.cuh"

namespace
{

/* Turns between searches. */
const int tile_turns = 3;

/* Padding of the sums of a pixel, so that they begin in different banks. */
const int tile_padding = 2;

/* A right pixel without a winner in a group.  Winners, sum << 16 | number in
 * the group, are below, and adding an index of 16 bits does not overflow. */
const uint32_t tile_empty = 0xffff0000u;

__device__ __forceinline__ int
thread_of_block ()
{
  return (int) (threadIdx.y * blockDim.x + threadIdx.x);
}

__device__ __forceinline__ int
threads_of_block ()
{
  return (int) (blockDim.x * blockDim.y);
}

/* Shared memory of a block for PIXELS adjacent pixels in tile_turns rows. */
template < int PIXELS > struct Tiles
{
  int groups;                   /* of 16 disparities of a pixel */
  int right_pitch;              /* PIXELS + 15 at least */
  int x0;                       /* the first pixel's column */
  int first;                    /* index of the first disparity */
  int n;                        /* disparities per pixel */
  uint16_t *base;

  /* The sums of a pixel. */
  __device__ __forceinline__ uint16_t *sums (int turn, int pixel) const
  {
    return base + (turn * PIXELS + pixel) * (16 * groups + tile_padding);
  }

  /* The winners in a group, one for each pixel: sum << 16 | index. */
  __device__ __forceinline__ uint32_t *bests (int turn, int group) const
  {
    return (uint32_t *) sums (tile_turns, 0)
        + (turn * groups + group) * PIXELS;
  }

  /* The winners of right pixels in a group, from the partner of the first pixel
   * at the last disparity on. */
  __device__ __forceinline__ uint32_t *right (int turn, int group) const
  {
    return bests (tile_turns, 0) + (turn * groups + group) * right_pitch;
  }
};

template < int PIXELS > size_t
tile_bytes (int groups, int right_pitch)
{
  return tile_turns * (PIXELS * (16 * (size_t) groups + tile_padding)
      * sizeof (uint16_t) + (size_t) groups * (PIXELS + (size_t) right_pitch)
      * sizeof (uint32_t));
}

/* Clears right winners; all threads take part. */
template < int PIXELS > __device__ __forceinline__ void
tile_clear (const Tiles < PIXELS > & t)
{
  const int n = tile_turns * t.groups * t.right_pitch;

  for (int i = thread_of_block (); i < n; i += threads_of_block ())
    t.right (0, 0)[i] = tile_empty;
  __syncthreads ();
}

/* Stores 16 sums in natural order; row is aligned to words. */
__device__ __forceinline__ void
store_sums (uint16_t * row, const Values & v)
{
  uint32_t *words = (uint32_t *) row;

#pragma unroll
  for (int i = 0; i < 4; i++) {
    words[2 * i] = __byte_perm (v.even[i], v.odd[i], 0x5410);
    words[2 * i + 1] = __byte_perm (v.even[i], v.odd[i], 0x7632);
  }
}

/* Returns the best of the first `valid` sums, and optionally updates the right
 * winners from `right` on backwards. */
template < bool ALL > __device__ __forceinline__ uint32_t
compete (const Values & v, int valid, bool update_right, uint32_t * right)
{
  uint32_t best = STEREO_NO_WINNER;

#pragma unroll
  for (int i = 0; i < 16; i++) {
    const uint32_t pair = i % 2 == 0 ? v.even[i / 4] : v.odd[i / 4];
    const uint32_t word = (i % 4 < 2 ? pair << 16 : pair & 0xffff0000u)
        | (uint32_t) i;

    if (ALL || i < valid) {
      best = min (best, word);
      if (update_right)
        atomicMin (right - i, word);
    }
  }
  return best;
}

/* The place of a thread in the first turn. */
struct TilePlace
{
  uint16_t *sums;
  uint32_t *best;
  uint32_t *right;              /* of the first disparity */
  bool update_right;
  int valid;                    /* disparities */
  uint32_t index;               /* of the first one */
};

template < int PIXELS > __device__ __forceinline__ TilePlace
tile_place (const ExpstepArgs & a, const Tiles < PIXELS > & t, int pixel,
    int group)
{
  return TilePlace { t.sums (0, pixel) + 16 * group,
      t.bests (0, group) + pixel, t.right (0, group) + pixel + 15,
      a.winners.right != NULL && t.x0 + pixel < a.k.width,
      t.n - 16 * group, (uint32_t) (t.first + 16 * group) };
}

/* Adds the sums of a thread. */
template < int PIXELS > __device__ __forceinline__ void
tile_add (const Tiles < PIXELS > & t, const TilePlace & p, int turn,
    const Values & v)
{
  uint32_t *right = p.right + (t.right (turn, 0) - t.right (0, 0));
  uint32_t best;

  store_sums (p.sums + (t.sums (turn, 0) - t.sums (0, 0)), v);
  best = p.valid >= 16
      ? compete < true > (v, p.valid, p.update_right, right)
      : compete < false > (v, p.valid, p.update_right, right);
  p.best[t.bests (turn, 0) - t.bests (0, 0)] = p.valid > 0 ? best + p.index
      : STEREO_NO_WINNER;
}

/* A pixel in a tile. */
struct TilePixel
{
  const uint16_t *sums;
  const uint32_t *bests;        /* of its groups, each pitch words apart */
  int pitch;
  int groups;
  int first;
  int n;
};

/* The current winner of a left pixel with the sums of its neighbours. */
struct LeftWinner
{
  uint32_t best;                /* sum << 16 | index */
  uint32_t before, after;
  uint32_t second;              /* minimum, if the uniqueness is wanted */
};

/* The winner of a pixel.  The sums of neighbours outside the tile are 0. */
__device__ __forceinline__ LeftWinner
tile_winner (const TilePixel & p)
{
  LeftWinner w = { p.bests[0], 0, 0, 0 };

#pragma unroll 1
  for (int i = 1; i < p.groups; i++)
    w.best = min (w.best, p.bests[i * p.pitch]);

  const int i = (int) (w.best & 0xffff) - p.first;

  if (i > 0)
    w.before = p.sums[i - 1];
  if (i < p.n - 1)
    w.after = p.sums[i + 1];
  return w;
}

/* The lowest sum of a group further than one disparity from an index. */
__device__ __forceinline__ uint32_t
group_second (const TilePixel & p, int group, int index)
{
  const uint16_t *sums = p.sums + 16 * group;
  const int first = p.first + 16 * group - index + 1;
  const int n = min (16, p.n - 16 * group);
  uint32_t second = STEREO_WINNER_NO_SECOND;

#pragma unroll 1
  for (int i = 0; i < n; i++) {
    if ((unsigned) (first + i) > 2)
      second = min (second, (uint32_t) sums[i]);
  }
  return second;
}

/* The same of all groups of a pixel.  The index may be outside the tile. */
__device__ __forceinline__ uint32_t
tile_second (const TilePixel & p, int index)
{
  uint32_t second = STEREO_WINNER_NO_SECOND, near = 0;

#pragma unroll 1
  for (int i = 0; i < p.groups; i++) {
    const uint32_t best = p.bests[i * p.pitch];

    /* the best of most groups is far enough; the others are searched after
     * this loop, all threads at the same time */
    if ((unsigned) ((int) (best & 0xffff) - index + 1) > 2)
      second = min (second, best >> 16);
    else
      near |= 1u << i;
  }
  for (; near != 0; near &= near - 1)
    second = min (second, group_second (p, __ffs (near) - 1, index));
  return second;
}

/* The second minimum of the winner among all disparities so far.  best: the
 * winner of the tile; winner: of all */
__device__ __forceinline__ uint32_t
update_second (const ExpstepArgs & a, const TilePixel & p, uint32_t at,
    uint32_t best, uint32_t winner)
{
  const int last = p.first + p.n - 1;
  uint32_t second = tile_second (p, (int) (winner & 0xffff));
  uint32_t others = best >> 16;

  if (last + 1 < a.k.end_index && (int) (best & 0xffff) == last)
    others = min (tile_second (p, last), p.n > 1
        ? (uint32_t) p.sums[p.n - 2] : STEREO_WINNER_NO_SECOND);
  if (p.first > a.k.first_index) {
    const uint32_t old_best = a.best[at] >> 16, old = a.seconds[at];

    /* of the winner of the previous tiles, or of all their disparities but
     * the neighbour of the first one of this tile */
    second = min (second, winner != best ? old & 0xffff
        : (int) (best & 0xffff) == p.first ? old >> 16 : old_best);
    others = min (others, old_best);
  }
  if (last + 1 < a.k.end_index)
    a.seconds[at] = second | others << 16;
  return second;
}

/* Merges the winner in a tile with that of previous disparities. */
__device__ __forceinline__ void
update_left (const ExpstepArgs & a, const TilePixel & p, int x, int y)
{
  const uint32_t at = pixel_at (a, x, y);
  LeftWinner w = tile_winner (p);
  const uint32_t best = w.best;

  if (p.first > a.k.first_index) {
    LeftWinner old = { a.best[at], a.neighbors[at] & 0xffff,
        a.neighbors[at] >> 16, 0 };

    if ((int) (old.best & 0xffff) == p.first - 1)
      old.after = p.sums[0];
    if ((int) (best & 0xffff) == p.first)
      w.before = a.last_sum[at];
    if (old.best < best)
      w = old;
  }
  if (a.winners.uniqueness)
    w.second = update_second (a, p, at, best, w.best);
  if (p.first + p.n == a.k.end_index) {
    stereo_winner_store (&a.winners, x, y, w.best & 0xffff, w.before,
        w.best >> 16, w.after, w.second);
  } else {
    a.best[at] = w.best;
    a.neighbors[at] = w.before | w.after << 16;
    a.last_sum[at] = p.sums[p.n - 1];
  }
}

/* Takes the winner of right pixel r of a tile among all groups, and clears
 * it. */
template < int PIXELS > __device__ __forceinline__ uint32_t
tile_take_right (const Tiles < PIXELS > & t, int turn, int r)
{
  /* backwards: each group begins 16 pixels after the next one */
  const int begin = max (0, r - PIXELS + 1) / 16;
  const int end = min (t.groups, r / 16 + 1);
  uint32_t index = (uint32_t) (t.first + 16 * (t.groups - 1 - begin));
  uint32_t *word = t.right (turn, t.groups - 1 - begin) + r - 16 * begin;
  uint32_t best = tile_empty;

#pragma unroll
  for (int i = 0; i < (PIXELS + 30) / 16; i++) {
    if (begin + i < end) {
      best = min (best, *word + index);
      *word = tile_empty;
    }
    word -= t.right_pitch + 16;
    index -= 16;
  }
  return best;
}

/* Merges the right winners of tiles into global memory; each warp takes 32
 * pixels at a time. */
template < int PIXELS > __device__ __forceinline__ void
update_right (const ExpstepArgs & a, const Tiles < PIXELS > & t, int y,
    int turns)
{
  const int n = PIXELS + 16 * t.groups - 1;
  const int x0 = t.x0 - (a.k.min_disparity + t.first + 16 * t.groups - 1);
  const int lane = thread_of_block () % 32;
  int turn = 0;

  /* the first warps are busy with left pixels */
  for (int r0 = threads_of_block () - 32 - (thread_of_block () - lane);;
      r0 += threads_of_block ()) {
    for (; r0 >= n; r0 -= (n + 31) / 32 * 32)
      turn++;
    if (turn >= turns)
      break;

    const int r = r0 + lane, x = x0 + r;

    if (r >= n)
      continue;

    const uint32_t best = tile_take_right (t, turn, r);

    if (best < tile_empty && x >= 0 && x < a.k.width)
      atomicMin (&a.winners.right[stereo_plane_offset (x, y + turn * a.step,
                  a.winners.right_stride)], best);
  }
}

/* Finds the winners of the last `turns` turns, in rows y, y + step, ...; all
 * threads take part. */
template < int PIXELS > __device__ __forceinline__ void
tile_search (const ExpstepArgs & a, const Tiles < PIXELS > & t, int y,
    int turns)
{
  __syncthreads ();
  for (int i = thread_of_block (); i < turns * PIXELS;
      i += threads_of_block ()) {
    const int turn = i / PIXELS, pixel = i % PIXELS;
    const TilePixel p = { t.sums (turn, pixel), t.bests (turn, 0) + pixel,
        PIXELS, t.groups, t.first, t.n };

    if (t.x0 + pixel < a.k.width)
      update_left (a, p, t.x0 + pixel, y + turn * a.step);
  }
  if (a.winners.right != NULL)
    update_right (a, t, y, turns);
  __syncthreads ();
}

}                               // namespace

#endif /* STEREO_EXPSTEP_WINNERS_CUH */
