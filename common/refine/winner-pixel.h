/* gst-stereomatching: where a matcher's last stage leaves a winner
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The same on the host and in CUDA.  a, c and b are the costs that compete at
 * d - 1, d and d + 1, of 16 bits, with d the disparity of lowest cost, the
 * lower one on a tie: so c <= a and c <= b.
 *
 * The word of a winner, in StereoWinners.left:
 *
 *   bits 0 to 15    index of the disparity, or STEREO_INVALID: no disparity
 *   bits 16 to 23   fraction: a signed number of parts of a pixel, of which
 *                   unit make one, -unit / 2 to unit / 2
 *   bits 24 to 31   clearness, 1 to 255
 */

#ifndef STEREO_WINNER_PIXEL_H
#define STEREO_WINNER_PIXEL_H

#include "core/algorithm.h"
#include "image/pixel.h"

/*
 * The vertex of the parabola through the three costs:
 *
 *   floor (unit (a - b) / (2 (a + b - 2 c)) + 1/2)
 *
 * and 0 if the divisor is.  |a - b| <= a + b - 2 c, so that it is half a pixel
 * at most.  The quotient of these numbers is a whole one or 2^-18 or more away
 * from any, and with unit / 2 added below 17: in single precision its floor is
 * the same.
 */
STEREO_INLINE int
stereo_winner_fraction (int unit, uint32_t a, uint32_t c, uint32_t b)
{
  const int32_t p = (int32_t) a - (int32_t) b;
  const int32_t q = (int32_t) (a + b - 2 * c);
  /* not negative */
  const float n = (float) (unit * p + q * (unit + 1));

#ifdef __CUDA_ARCH__
  return q == 0 ? 0 : (int) __fdiv_rn (n, (float) (2 * q)) - unit / 2;
#else
  return q == 0 ? 0 : (int) (n / (float) (2 * q)) - unit / 2;
#endif
}

/*
 * How far the winner is below the better one of its neighbours m, as a part of
 * that: 1 + floor (254 (m - c) / m), and 1 if m is 0.
 */
STEREO_INLINE uint32_t
stereo_winner_clearness (uint32_t a, uint32_t c, uint32_t b)
{
  const uint32_t m = stereo_min_u32 (a, b);
  const float n = (float) (254 * (m - c));

#ifdef __CUDA_ARCH__
  return m == 0 ? 1 : 1 + (uint32_t) __fdiv_rn (n, (float) m);
#else
  return m == 0 ? 1 : 1 + (uint32_t) (int32_t) (n / (float) m);
#endif
}

/* The word of a winner. */
STEREO_INLINE uint32_t
stereo_winner_word (const StereoWinners * winners, unsigned index, uint32_t a,
    uint32_t c, uint32_t b)
{
  const bool first = (int) index == winners->first_index;
  const bool last = (int) index == winners->last_index;
  const int fraction = winners->unit == 1 || first || last ? 0
      : stereo_winner_fraction (winners->unit, a, c, b);
  const uint32_t clearness = stereo_winner_clearness (
      first ? last ? c : b : a, c, last ? first ? c : a : b);

  return index | ((uint32_t) fraction & 255) << 16 | clearness << 24;
}

/*
 * Stores the winner of left pixel (x, y): its index, and the costs at and
 * beside it.  At the first disparity searched a is ignored, at the last one b.
 * STEREO_INVALID when no disparity was searched; all costs are ignored then.
 */
STEREO_INLINE void
stereo_winner_store (const StereoWinners * winners, int x, int y,
    unsigned index, uint32_t a, uint32_t c, uint32_t b)
{
  winners->left[(size_t) y * winners->left_stride + (size_t) x] =
      index == STEREO_INVALID ? STEREO_NO_WINNER
      : stereo_winner_word (winners, index, a, c, b);
}

/*
 * Stores the winner of right pixel (x, y): of all d with x + d inside of the
 * left view the one with the lowest cost at left pixel (x + d, y), the lower d
 * on a tie.  cost is that, of 16 bits.  The smaller of two such words is the
 * better winner, so that minima of them may be taken in any order, from
 * STEREO_NO_WINNER on.
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
  winners->right[(size_t) y * winners->right_stride + (size_t) x] = word;
}

/* What a word of the left view says. */
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
stereo_winner_clearness_of (uint32_t word)
{
  return word >> 24;
}

#endif /* STEREO_WINNER_PIXEL_H */
