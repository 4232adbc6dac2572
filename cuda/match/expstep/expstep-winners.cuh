/* gst-stereomatching: winners of ESAW and ESMP on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The last pass writes the sums of adjacent pixels and disparities to shared
 * memory, where the neighbours of the winner of a left pixel are found.
 */

#ifndef STEREO_EXPSTEP_WINNERS_CUH
#define STEREO_EXPSTEP_WINNERS_CUH

#include "match/expstep/expstep.cuh"
#include "refine/winner-formula.h"

namespace
{

/* Padding of the rows of a tile, so that they begin in different banks. */
const int tile_padding = 2;

struct Tile
{
  const uint16_t *sums;
  int pitch;                    /* elements per pixel */
  int n_pixels;                 /* inside the image */
  int n;                        /* disparities per pixel */
  int x0;                       /* the first pixel's column */
  int first;                    /* index of the first disparity */
};

/* Stores 16 sums in natural order; row is aligned to words. */
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

/* The current winner of a left pixel with the sums of its neighbours. */
struct LeftWinner
{
  uint32_t best;                /* sum << 16 | index */
  uint32_t before, after;
  uint32_t second;              /* minimum, if the uniqueness is wanted */
};

/* Adds the sums of the neighbours to a winner, 0 for those outside the
 * tile. */
__device__ __forceinline__ LeftWinner
find_neighbors (const Tile & t, int pixel, uint32_t best)
{
  const uint16_t *sums = t.sums + pixel * t.pitch;
  const int i = (int) (best & 0xffff) - t.first;
  LeftWinner w = { best, 0, 0, 0 };

  if (i > 0)
    w.before = sums[i - 1];
  if (i < t.n - 1)
    w.after = sums[i + 1];
  return w;
}

__device__ __forceinline__ void
expstep_store_left (const ExpstepArgs & a, int x, int y, const LeftWinner & w)
{
  stereo_winner_store (&a.winners, x, y, w.best & 0xffff, w.before,
      w.best >> 16, w.after, w.second);
}

}                               // namespace

#endif /* STEREO_EXPSTEP_WINNERS_CUH */
