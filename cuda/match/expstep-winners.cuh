/* gst-stereomatching: winners of ESAW and ESMP on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The last pass of all leaves the sums of some pixels that are neighbours in a
 * row, and of disparities that are neighbours too, in shared memory.  There
 * the winner of a left pixel finds the sums beside it.
 */

#ifndef STEREO_EXPSTEP_WINNERS_CUH
#define STEREO_EXPSTEP_WINNERS_CUH

#include "match/expstep.cuh"
#include "refine/winner-pixel.h"

namespace
{

/* What a row of a tile has beyond its sums, so that rows begin in different
 * banks. */
const int tile_padding = 2;

struct Tile
{
  const uint16_t *sums;
  int pitch;                    /* elements from pixel to pixel */
  int n_pixels;                 /* that are in the image */
  int n;                        /* disparities of each */
  int x0;                       /* the first pixel's column */
  int first;                    /* index of the first disparity */
};

/* Puts a thread's 16 sums in natural order.  `row` is at a whole word. */
__device__ __forceinline__ void
store_sums (uint16_t * row, const uint32_t even_sums[4],
    const uint32_t odd_sums[4])
{
  uint32_t *words = (uint32_t *) row;

#pragma unroll
  for (int i = 0; i < 4; i++) {
    words[2 * i] = __byte_perm (even_sums[i], odd_sums[i], 0x5410);
    words[2 * i + 1] = __byte_perm (even_sums[i], odd_sums[i], 0x7632);
  }
}

/* The winner of a left pixel so far, with the sums beside it. */
struct LeftWinner
{
  uint32_t best;                /* sum << 16 | index */
  uint32_t before, after;
};

/* The winner of a tile's pixel, which is known, with the sums beside it; where
 * they are not in the tile they are 0. */
__device__ __forceinline__ LeftWinner
find_beside (const Tile & t, int pixel, uint32_t best)
{
  const uint16_t *sums = t.sums + pixel * t.pitch;
  const int i = (int) (best & 0xffff) - t.first;
  LeftWinner w = { best, 0, 0 };

  if (i > 0)
    w.before = sums[i - 1];
  if (i < t.n - 1)
    w.after = sums[i + 1];
  return w;
}

__device__ __forceinline__ void
store_left (const ExpstepArgs & a, int x, int y, const LeftWinner & w)
{
  stereo_winner_store (&a.winners, x, y, w.best & 0xffff, w.before,
      w.best >> 16, w.after);
}

}                               // namespace

#endif /* STEREO_EXPSTEP_WINNERS_CUH */
