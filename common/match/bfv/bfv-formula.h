/* gst-stereomatching: cross-based regions, formulas for one pixel
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Shared by the host and CUDA; bfv.h defines the symbols.  A pixel is a word:
 * 0xXXBBGGRR with three channels, luma in the low byte with one.
 */

#ifndef STEREO_BFV_FORMULA_H
#define STEREO_BFV_FORMULA_H

#include "match/bfv/bfv.h"
#include "cost/words-formula.h"
#include "cost/difference.h"
#include "cost/partner.h"
#include "image/pixel.h"
#include "refine/winner-formula.h"

/* The largest e of words, and the scale from C to e in 1/256. */
#define STEREO_BFV_MAX_WORDS_COST 60
#define STEREO_BFV_WORDS_FACTOR 62

/* phi */
STEREO_INLINE bool
stereo_bfv_similar (const StereoBfvConstants * k, uint32_t p, uint32_t q)
{
  return stereo_difference_max (p, q) <= (uint32_t) k->arm_threshold;
}

/* e of two words: 60 C / 248, rounded. */
STEREO_INLINE uint32_t
stereo_bfv_words_cost (uint32_t p, uint32_t q)
{
  return (STEREO_BFV_WORDS_FACTOR * stereo_words_cost (p, q) + 128) >> 8;
}

/* e of two RGB pixels. */
STEREO_INLINE uint32_t
stereo_bfv_rgb_cost (const StereoBfvConstants * k, uint32_t p, uint32_t q)
{
  return stereo_min_u32 (stereo_difference_sum (p, q),
      (uint32_t) k->cost_threshold);
}

STEREO_INLINE uint32_t
stereo_bfv_luma_cost (const StereoBfvConstants * k, uint32_t p, uint32_t q)
{
  return stereo_min_u32 (3 * stereo_difference (p, q),
      (uint32_t) k->cost_threshold);
}

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

/* Arms in pixels to arms in steps of the sampled grid, which may extend beyond
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

/* The cross of the left grid point (u, v) in steps, clipped to the grid. */
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

STEREO_INLINE uint32_t
stereo_bfv_overlap (uint32_t a, uint32_t b)
{
  return stereo_bfv_pack_arms (stereo_min_u32 (a & 0xff, b & 0xff),
      stereo_min_u32 (a >> 8 & 0xff, b >> 8 & 0xff),
      stereo_min_u32 (a >> 16 & 0xff, b >> 16 & 0xff),
      stereo_min_u32 (a >> 24, b >> 24));
}

/* Whether a / n < b / m. */
STEREO_INLINE bool
stereo_bfv_less (uint32_t a, uint32_t n, uint32_t b, uint32_t m)
{
  return (uint64_t) a * m < (uint64_t) b * n;
}

/* A / n as a 16-bit cost for refinement. */
STEREO_INLINE uint32_t
stereo_bfv_quotient (const StereoBfvConstants * k, uint32_t a, uint32_t n)
{
  return (a << k->shift) / n;
}

/* Cost of a missing neighbour of a winner. */
#define STEREO_BFV_NO_COST 65535u

/* e at (x, y), or at the nearest column that has a partner. */
STEREO_INLINE uint32_t
stereo_bfv_cost_at (const StereoBfvConstants * k, const StereoBfvViews * views,
    int x, int y, int d)
{
  const int l = stereo_partner_column (k->width, x, d);
  uint32_t p, q;

  if (stereo_cost_uses_words (k->cost))
    return stereo_bfv_words_cost (stereo_word_at (&views->left_words, l,
            y), stereo_word_at (&views->right_words, l - d, y));
  p = stereo_view_pixel (&views->left, k->channels, l, y);
  q = stereo_view_pixel (&views->right, k->channels, l - d, y);
  if (stereo_cost_is_color (k->cost))
    return stereo_bfv_rgb_cost (k, p, q);
  if (k->channels == 3) {
    p = stereo_luma (p & 255, p >> 8 & 255, p >> 16 & 255);
    q = stereo_luma (q & 255, q >> 8 & 255, q >> 16 & 255);
  }
  return stereo_bfv_luma_cost (k, p, q);
}

typedef struct
{
  uint32_t a;
  uint32_t n;
} StereoBfvMean;

/* Stores the winner of the sampled left pixel (x, y): its index, or
 * STEREO_INVALID when no disparity was searched, and the mean costs of the
 * previous disparity, of its own and of the next one. */
STEREO_INLINE void
stereo_bfv_store_left (const StereoBfvConstants * k,
    const StereoWinners * winners, int x, int y, unsigned index,
    StereoBfvMean before, StereoBfvMean own, StereoBfvMean after)
{
  uint32_t a = STEREO_BFV_NO_COST, b = STEREO_BFV_NO_COST, c = 0;

  if (index != STEREO_INVALID)
    c = stereo_bfv_quotient (k, own.a, own.n);
  if (k->sampling_x == 1 && (int) index > k->first_index)
    a = stereo_bfv_quotient (k, before.a, before.n);
  if (k->sampling_x == 1 && (int) index < k->end_index - 1)
    b = stereo_bfv_quotient (k, after.a, after.n);
  stereo_winner_store (winners, x, y, index, a, c, b,
      stereo_winner_neighbor (winners, index, a, c, b));
}

STEREO_INLINE bool
stereo_bfv_majority (uint32_t set, uint32_t n)
{
  return 2 * set > n;
}

/* The bits of different votes may combine to an index that does not exist. */
STEREO_INLINE uint32_t
stereo_bfv_clamp_index (const StereoBfvConstants * k, uint32_t index)
{
  return (uint32_t) stereo_clamp_int ((int) index, k->first_index,
      k->end_index - 1);
}

#endif /* STEREO_BFV_FORMULA_H */
