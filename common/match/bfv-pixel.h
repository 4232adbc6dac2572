/* gst-stereomatching: cross-based regions, per-pixel arithmetic
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The same on the host and in CUDA.  What the words mean is in bfv.h.  Pixels
 * are words: 0xXXBBGGRR with three channels, luma in the low byte with one.
 */

#ifndef STEREO_BFV_PIXEL_H
#define STEREO_BFV_PIXEL_H

#include "match/bfv.h"
#include "image/pixel.h"

STEREO_INLINE uint32_t
stereo_bfv_difference (uint32_t p, uint32_t q, int channel)
{
  uint32_t a = p >> 8 * channel & 0xff, b = q >> 8 * channel & 0xff;

  return a > b ? a - b : b - a;
}

/* Whether no channel of two pixels of one view differs by more than
 * arm_threshold. */
STEREO_INLINE bool
stereo_bfv_similar (const StereoBfvConstants * k, uint32_t p, uint32_t q)
{
  uint32_t largest = stereo_bfv_difference (p, q, 0);

  for (int c = 1; c < k->channels; c++)
    largest = stereo_max_u32 (largest, stereo_bfv_difference (p, q, c));
  return largest <= (uint32_t) k->arm_threshold;
}

/* The matching cost of a pixel of the left and one of the right view. */
STEREO_INLINE uint32_t
stereo_bfv_cost (const StereoBfvConstants * k, uint32_t left, uint32_t right)
{
  uint32_t sum = stereo_bfv_difference (left, right, 0);

  if (k->channels == 1)
    sum *= 3;
  for (int c = 1; c < k->channels; c++)
    sum += stereo_bfv_difference (left, right, c);
  return stereo_min_u32 (sum, (uint32_t) k->cost_threshold);
}

/* The column of the left view whose partner stands in for that of column x:
 * the nearest one that has a partner.  Subtract d for the partner's own. */
STEREO_INLINE int
stereo_bfv_clamp (const StereoBfvConstants * k, int x, int d)
{
  return stereo_clamp_int (x, d > 0 ? d : 0,
      k->width - 1 + (d < 0 ? d : 0));
}

/* An arm in steps of the sampled grid. */
STEREO_INLINE uint32_t
stereo_bfv_sampled_arm (uint32_t arm, uint32_t sampling)
{
  return (arm + sampling - 1) / sampling;
}

STEREO_INLINE uint32_t
stereo_bfv_pack_arms (uint32_t left, uint32_t right, uint32_t up,
    uint32_t down)
{
  return left | right << 8 | up << 16 | down << 24;
}

/* Full-resolution arms in steps of the sampled grid.  They may reach beyond
 * its last column or row. */
STEREO_INLINE uint32_t
stereo_bfv_sample_arms (const StereoBfvConstants * k, uint32_t arms)
{
  uint32_t sx = (uint32_t) k->sampling_x, sy = (uint32_t) k->sampling_y;

  return stereo_bfv_pack_arms (stereo_bfv_sampled_arm (arms & 0xff, sx),
      stereo_bfv_sampled_arm (arms >> 8 & 0xff, sx),
      stereo_bfv_sampled_arm (arms >> 16 & 0xff, sy),
      stereo_bfv_sampled_arm (arms >> 24, sy));
}

/* The arms that a left pixel matches with, at column u and row v of the grid:
 * in steps, and cut off at the end of the grid. */
STEREO_INLINE uint32_t
stereo_bfv_grid_arms (const StereoBfvConstants * k, uint32_t arms, int u,
    int v)
{
  uint32_t a = stereo_bfv_sample_arms (k, arms);

  return stereo_bfv_pack_arms (a & 0xff,
      stereo_min_u32 (a >> 8 & 0xff, (uint32_t) (k->grid_width - 1 - u)),
      a >> 16 & 0xff,
      stereo_min_u32 (a >> 24, (uint32_t) (k->grid_height - 1 - v)));
}

/* The overlap of two crosses: the smaller of both, arm by arm. */
STEREO_INLINE uint32_t
stereo_bfv_overlap (uint32_t a, uint32_t b)
{
  return stereo_bfv_pack_arms (stereo_min_u32 (a & 0xff, b & 0xff),
      stereo_min_u32 (a >> 8 & 0xff, b >> 8 & 0xff),
      stereo_min_u32 (a >> 16 & 0xff, b >> 16 & 0xff),
      stereo_min_u32 (a >> 24, b >> 24));
}

/* Whether the mean cost a / n is below b / m.  All are below 2^16. */
STEREO_INLINE bool
stereo_bfv_less (uint32_t a, uint32_t n, uint32_t b, uint32_t m)
{
  return a * m < b * n;
}

/* The same for sums of 32 bits. */
STEREO_INLINE bool
stereo_bfv_less_wide (uint32_t a, uint32_t n, uint32_t b, uint32_t m)
{
  return (uint64_t) a * m < (uint64_t) b * n;
}

/* Whether the winner at column x of the left view is reliable.  right is the
 * right view's row of winners. */
STEREO_INLINE bool
stereo_bfv_reliable (const StereoBfvConstants * k, int x, int index,
    const uint16_t * right)
{
  int partner = x - (k->min_disparity + index), difference;

  if (k->lr_max_diff < 0)
    return true;
  if (partner < 0 || partner >= k->width || right[partner] == STEREO_INVALID)
    return false;
  difference = right[partner] - index;
  return (difference < 0 ? -difference : difference) <= k->lr_max_diff;
}

/* Whether a bit that is set in so many of n votes is set in the result. */
STEREO_INLINE bool
stereo_bfv_majority (uint32_t set, uint32_t n)
{
  return 2 * set > n;
}

/* Bits of different votes may add up to an index that is none. */
STEREO_INLINE uint32_t
stereo_bfv_clamp_index (const StereoBfvConstants * k, uint32_t index)
{
  return (uint32_t) stereo_clamp_int ((int) index, k->first_index,
      k->end_index - 1);
}

#endif /* STEREO_BFV_PIXEL_H */
