/* gst-stereomatching: filling of holes in a disparity map
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The arithmetic for the host and CUDA; refine.h describes the steps.
 *
 * The samples of ring i of the vote are at the offsets -STEREO_VOTE_RADIUS (i)
 * to STEREO_VOTE_RADIUS (i), STEREO_VOTE_STEP (i) apart, in x and y, without
 * those within the radius of the ring before.  There are none nearer than eight
 * pixels: beside an edge these are often on the wrong side of it.
 */

#ifndef STEREO_FILL_FORMULA_H
#define STEREO_FILL_FORMULA_H

#include "image/pixel.h"
#include "refine/slope-formula.h"
#include "refine/winner-formula.h"

/* The fill of a row is the median of this many valid codes on each side. */
#define STEREO_FILL_REACH 3

#define STEREO_VOTE_RINGS 2
#define STEREO_VOTE_RADIUS(ring) ((ring) == 0 ? 32 : 64)
#define STEREO_VOTE_STEP(ring) ((ring) == 0 ? 8 : 32)

/* Samples of all rings, without the centre, which is invalid. */
#define STEREO_VOTE_SAMPLES 96

/* Whether no ring before this one has the sample at an offset. */
#ifdef __cplusplus
constexpr
#endif
STEREO_INLINE bool
stereo_vote_has (int ring, int dx, int dy)
{
  const int inner = ring == 0 ? 0 : STEREO_VOTE_RADIUS (ring - 1);

  return dx < -inner || dx > inner || dy < -inner || dy > inner;
}

/* Least total weight of a vote; pixels with less keep the fill of the row. */
#define STEREO_VOTE_MIN_WEIGHT 64

/* The lower median of the n nearest valid codes, 1 to 3. */
STEREO_INLINE unsigned
stereo_fill_median (unsigned a, unsigned b, unsigned c, int n)
{
  const unsigned low = stereo_min_u32 (a, b), high = stereo_max_u32 (a, b);

  if (n == 1)
    return a;
  return n == 2 ? low : stereo_max_u32 (low, stereo_min_u32 (high, c));
}

/* Largest change of a sample's code along its plane: 4 pixels. */
STEREO_INLINE int
stereo_vote_limit (int unit)
{
  return 4 * unit;
}

/* Samples of codes within 1.5 pixels belong together. */
STEREO_INLINE int
stereo_vote_tolerance (int unit)
{
  return 3 * unit / 2;
}

/* The code for which a sample with this code votes, whose plane changes by
 * carry.  n: number of disparities. */
STEREO_INLINE int
stereo_vote_code (int unit, int n, unsigned code, int carry)
{
  return stereo_clamp_int ((int) code + carry, 0, unit * (n - 1));
}

/* The index of the whole disparity nearest to a code, the upper one halfway. */
STEREO_INLINE int
stereo_vote_index (int unit, int code)
{
  return (code + unit / 2) / unit;
}

/*
 * Whether the right view would see pixel x with this index in front of what it
 * sees there, by more than one disparity: such a vote has an eighth of its
 * weight.  right: the row of right winners, or NULL.
 */
STEREO_INLINE bool
stereo_vote_is_hidden (const uint32_t * right, int width, int min_disparity,
    int x, int index)
{
  const int partner = x - index - min_disparity;

  return right != NULL && partner >= 0 && partner < width
      && index > (int) stereo_winner_index (right[partner]) + 1;
}

#endif /* STEREO_FILL_FORMULA_H */
