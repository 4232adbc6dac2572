/* gst-stereomatching: winners of a matcher, with subpixel fraction
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The arithmetic for the host and CUDA.  d is the disparity of lowest cost, the
 * lowest such d on a tie.  a, c and b are the 16-bit costs at d - 1, d and
 * d + 1, so that c <= a and c <= b.
 *
 * The word of a winner, in StereoWinners.left:
 *
 *   bits 0 to 15    index of the disparity, or STEREO_INVALID
 *   bits 16 to 23   signed fraction in 1 / unit pixel, -unit / 2 to unit / 2
 *   bits 24 to 31   uniqueness, 0 to 254
 */

#ifndef STEREO_WINNER_FORMULA_H
#define STEREO_WINNER_FORMULA_H

#include "image/pixel.h"
#include "refine/map.h"

/*
 * The winners of an algorithm, in device memory: the input of refinement
 * (refine/refine.h).
 */
typedef struct
{
  /* The winner of each left pixel, with fraction and uniqueness:
   * stereo_winner_store(). */
  uint32_t *left;
  size_t left_stride;           /* elements */
  /* The winner of each right pixel, cost << 16 | index, or STEREO_NO_WINNER:
   * stereo_winner_store_right().  NULL unless the search has right_winners. */
  uint32_t *right;
  size_t right_stride;          /* elements */
  int unit;                     /* as in StereoSearch */
  int first_index;
  int last_index;               /* end_index - 1 */
  bool uniqueness;              /* of left winners is wanted, otherwise it is
                                 * 0; fractions and indices are the same */
} StereoWinners;

#define STEREO_NO_WINNER 0xffffffffu

/* The second minimum of a pixel, if its search has no disparity further than
 * one from the winner: the largest cost. */
#define STEREO_WINNER_NO_SECOND 0xffffu

/*
 * Equiangular interpolation: two lines of opposite slopes, the steeper one
 * through the winner and its worse neighbour, meet at
 *
 *   floor (unit (a - b) / (2 (max (a, b) - c)) + 1/2)
 *
 * or 0 if the divisor is 0.  |a - b| <= max (a, b) - c limits it to half a
 * pixel.  The quotient is an integer or at least 2^-17 away from one, and below
 * 17 after adding unit / 2: single precision gives the same floor.
 */
STEREO_INLINE int
stereo_winner_fraction (int unit, uint32_t a, uint32_t c, uint32_t b)
{
  const int32_t p = (int32_t) a - (int32_t) b;
  const int32_t q = (int32_t) (stereo_max_u32 (a, b) - c);
  /* >= 0 */
  const float n = (float) (unit * p + q * (unit + 1));

#ifdef __CUDA_ARCH__
  return q == 0 ? 0 : (int) __fdiv_rn (n, (float) (2 * q)) - unit / 2;
#else
  return q == 0 ? 0 : (int) (n / (float) (2 * q)) - unit / 2;
#endif
}

/*
 * The distance of the winner's cost to second, relative to second:
 * floor (254 (second - c) / second), or 0 if second is 0.
 */
STEREO_INLINE uint32_t
stereo_winner_uniqueness (uint32_t c, uint32_t second)
{
  const float n = (float) (254 * (second - c));

#ifdef __CUDA_ARCH__
  return second == 0 ? 0 : (uint32_t) __fdiv_rn (n, (float) second);
#else
  return second == 0 ? 0 : (uint32_t) (int32_t) (n / (float) second);
#endif
}

/* The lower cost of the neighbours of a winner, or c if it has none: in the
 * place of the second minimum for bp, whose confidence is worse with that, and
 * for bfv, where a block of CUDA sees some of the disparities only. */
STEREO_INLINE uint32_t
stereo_winner_neighbor (const StereoWinners * winners, unsigned index,
    uint32_t a, uint32_t c, uint32_t b)
{
  const bool first = (int) index == winners->first_index;
  const bool last = (int) index == winners->last_index;

  return stereo_min_u32 (first ? last ? c : b : a, last ? first ? c : a : b);
}

/* The word of a winner.  second: the second minimum, the lowest cost of a
 * searched disparity further than one from the winner, or
 * stereo_winner_neighbor(); any if the uniqueness is not wanted. */
STEREO_INLINE uint32_t
stereo_winner_word (const StereoWinners * winners, unsigned index, uint32_t a,
    uint32_t c, uint32_t b, uint32_t second)
{
  const bool first = (int) index == winners->first_index;
  const bool last = (int) index == winners->last_index;
  const int fraction = winners->unit == 1 || first || last ? 0
      : stereo_winner_fraction (winners->unit, a, c, b);
  const uint32_t uniqueness = winners->uniqueness
      ? stereo_winner_uniqueness (c, second) : 0;

  return index | ((uint32_t) fraction & 255) << 16 | uniqueness << 24;
}

/*
 * Stores the winner of left pixel (x, y).  a is ignored at the first disparity
 * of the search, b at the last one.  index is STEREO_INVALID if no disparity
 * was searched; all costs are ignored then.
 */
STEREO_INLINE void
stereo_winner_store (const StereoWinners * winners, int x, int y,
    unsigned index, uint32_t a, uint32_t c, uint32_t b, uint32_t second)
{
  winners->left[stereo_plane_offset (x, y, winners->left_stride)] =
      index == STEREO_INVALID ? STEREO_NO_WINNER
      : stereo_winner_word (winners, index, a, c, b, second);
}

/*
 * The word of a right winner.  The winner of right pixel (x, y) is the d of
 * lowest cost at left pixel (x + d, y) inside the view, the lowest such d on a
 * tie.  cost has 16 bits.  The smaller of two words is the better winner: the
 * minimum, starting from STEREO_NO_WINNER, may be taken in any order.
 */
STEREO_INLINE uint32_t
stereo_winner_right_word (unsigned index, uint32_t cost)
{
  return cost << 16 | index;
}

STEREO_INLINE void
stereo_winner_store_right (const StereoWinners * winners, int x, int y,
    uint32_t word)
{
  winners->right[stereo_plane_offset (x, y, winners->right_stride)] = word;
}

/* Fields of a word of the left view. */
STEREO_INLINE unsigned
stereo_winner_index (uint32_t word)
{
  return word & 0xffff;
}

STEREO_INLINE unsigned
stereo_winner_code (int unit, uint32_t word)
{
  return (unsigned) (unit * (int) (word & 0xffff)
      + (int8_t) (word >> 16 & 255));
}

STEREO_INLINE unsigned
stereo_winner_uniqueness_of (uint32_t word)
{
  return word >> 24;
}

/*
 * The word of the right winner of a pixel after confirmation: that of the
 * second matching, word, if the left winner at its partner differs from it by
 * at most max_diff, otherwise the one of the first matching, own.  left: the
 * row of left winners; first: the partner of the pixel at index 0.
 */
STEREO_INLINE uint32_t
stereo_winner_confirmed (const uint32_t * left, uint32_t word, uint32_t own,
    int width, int first, int max_diff)
{
  const int index = (int) stereo_winner_index (word);
  const int partner = first + index;

  /* A partner without a winner differs by more than STEREO_MAX_DISPARITIES. */
  if (word == STEREO_NO_WINNER || partner < 0 || partner >= width)
    return own;
  const int difference = (int) stereo_winner_index (left[partner]) - index;

  return difference <= max_diff && difference >= -max_diff
      ? (uint32_t) index : own;
}

#endif /* STEREO_WINNER_FORMULA_H */
