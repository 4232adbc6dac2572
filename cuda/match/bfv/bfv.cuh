/* gst-stereomatching: common part of the kernels of bfv
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_BFV_CUH
#define STEREO_BFV_CUH

#include "match/bfv/bfv-formula.h"
#include "core/device.cuh"
#include "core/launch.cuh"

/* All kernels except those of bfv-slices.cu are launched by
 * launch_overlapping(). Kernels that use work memory do not call
 * pdl_launch_dependents(), because set_ones() does not wait.  Only the last
 * kernels of a frame may, because crosses_kernel() waits for them. */

static inline dim3
blocks_of (int width, int height, int columns, int rows, int depth = 1)
{
  return dim3 ((unsigned) ((width + columns - 1) / columns),
      (unsigned) ((height + rows - 1) / rows), (unsigned) depth);
}

static __device__ __forceinline__ int
clamp (int x, int lowest, int highest)
{
  return min (max (x, lowest), highest);
}

/* a / b for a >= 0, fast for b = 1. */
static __device__ __forceinline__ int
divide (int a, int b)
{
  return b == 1 ? a : (int) ((unsigned) a / (unsigned) b);
}

/* a / b rounded down, b > 0. */
static __host__ __device__ __forceinline__ int
floor_div (int a, int b)
{
  return a >= 0 ? a / b : -((b - 1 - a) / b);
}

/* Kind of pixels.  The words of luma repeat it three times, as for RGB. */
enum Kind
{
  BYTES,                        /* luma, a byte for each pixel */
  RGB,                          /* or the luma of it */
  COST_WORDS
};

/* Converts loaded data to a word.  luma: convert RGB to luma */
template < int KIND > static __device__ __forceinline__ uint32_t
finish_pixel (uint32_t loaded, bool luma)
{
  if (KIND == BYTES)
    return (loaded & 0xff) * 0x010101u;
  if (KIND == RGB && luma)
    return stereo_luma (loaded & 0xff, loaded >> 8 & 0xff, loaded >> 16 & 0xff)
        * 0x010101u;
  return KIND == RGB ? loaded & 0xffffff : loaded;
}

/* Offsets within a view fit 32 bits. */
template < int KIND > static __device__ __forceinline__ uint32_t
load_pixel (const StereoView & view, int x, int y, bool luma = false)
{
  const uint32_t row = (uint32_t) y * (uint32_t) view.stride;

  return finish_pixel < KIND > (KIND == BYTES
      ? view.plane[0][row + (uint32_t) x]
      : *(const uint32_t *) (view.plane[0] + (row + 4 * (uint32_t) x)), luma);
}

static __device__ __forceinline__ uint32_t
grid_arms_at (const StereoBfvConstants & k, const uint32_t * left_arms, int u,
    int v, bool direct = false)
{
  const bool inside = u >= 0 && v >= 0 && u < k.grid_width
      && v < k.grid_height;

  /* without a branch, so that many loads are in flight */
  if (direct) {
    const uint32_t arms = left_arms[(size_t) clamp (v, 0, k.grid_height - 1)
        * (size_t) k.width + (size_t) clamp (u, 0, k.grid_width - 1)];

    return inside ? arms : 0;
  }
  if (!inside)
    return 0;
  return stereo_bfv_grid_arms (&k, left_arms[(size_t) (v * k.sampling_y)
          * (size_t) k.width + (size_t) (u * k.sampling_x)], u, v);
}

/* Unused pointers are NULL. */
struct StereoBfvWork
{
  /* Tiles: keys of the current winners, see make_key (), of the left view
   * (grid_width x grid_height), then of the right view (width x grid_height);
   * and for each block A and n of the disparity before a winner, and its
   * step */
  unsigned long long *keys;
  uint2 *won;
  /* Slices: sums of a disparity and current winners */
  uint2 *sums;                  /* H, N */
  uint2 *left_best;             /* A, n */
  uint2 *last;                  /* of the previous disparity */
  uint2 *before;                /* of the neighbours of the winner */
  uint2 *after;
  uint2 *right_best;
  uint32_t *row_sums;           /* prefix sums of e */
  uint16_t *left_winner;
  uint16_t *right_winner;
  /* Vote: counts of a row, vote_words () per pixel; indices of voters; and a
   * bit for each pixel that the right view covers */
  uint32_t *votes;
  uint16_t *index;              /* grid_width x grid_height */
  uint32_t *covered;            /* covered_words () x height */
};

STEREO_CHECK_WORK (StereoBfvWork);

STEREO_INLINE size_t
grid_size (const StereoBfvConstants * k)
{
  return (size_t) k->grid_width * (size_t) k->grid_height;
}

STEREO_INLINE size_t
right_size (const StereoBfvConstants * k)
{
  return (size_t) k->width * (size_t) k->grid_height;
}

/* Words of the vote counts: 1, 2 or 4. */
static inline int
vote_words (const StereoBfvConstants * k)
{
  return k->bits < 4 ? 1 : k->bits < 8 ? 2 : 4;
}

STEREO_INLINE int
covered_words (const StereoBfvConstants * k)
{
  return (k->width + 31) / 32;
}

/* bfv-crosses.cu */
StereoStatus stereo_bfv_crosses_cuda (StereoQueue * queue,
    const StereoBfvConstants * k, const StereoBfvViews * views,
    const StereoBfvMemory * memory);

/* bfv-match.cu */
bool stereo_bfv_fits_tiles (const StereoBfvConstants * k);
size_t stereo_bfv_won_size (const StereoBfvConstants * k);
StereoStatus stereo_bfv_match_cuda (StereoQueue * queue,
    const StereoBfvConstants * k, const StereoBfvViews * views,
    const StereoBfvMemory * memory, const StereoWinners * winners);

/* bfv-slices.cu */
StereoStatus stereo_bfv_match_slices (StereoCudaStage & stage,
    const StereoBfvConstants * k, const StereoBfvViews * views,
    const StereoBfvMemory * memory, const StereoBfvWork & work,
    const StereoWinners * winners);

/* bfv-vote.cu */
StereoStatus stereo_bfv_vote_cuda (StereoQueue * queue,
    const StereoBfvConstants * k, const StereoBfvMemory * memory,
    const StereoWinners * winners, const StereoMap * map);

#endif /* STEREO_BFV_CUH */
