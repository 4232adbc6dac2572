/* gst-stereomatching: SIMD winner words
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_WINNER_SIMD_H
#define STEREO_WINNER_SIMD_H

#include "refine/winner-formula.h"
#include "simd/simd-float.h"

ALWAYS_INLINE VecI32
simd_winner_select (VecI32 mask, VecI32 a, VecI32 b)
{
  return (a & mask) | (b & ~mask);
}

/* stereo_winner_word() per lane. */
ALWAYS_INLINE VecI32
simd_winner_words (const StereoWinners * w, VecI32 index, VecI32 a, VecI32 c,
    VecI32 b, VecI32 second)
{
  const VecI32 first = index == w->first_index, last = index == w->last_index;
  const VecI32 p = a - b, q = simd_winner_select (a > b, a, b) - c;
  const VecI32 no_fraction = first | last | (q == 0)
      | ((VecI32) { 0 } - (w->unit == 1));
  const VecI32 n = w->unit * p + q * (w->unit + 1);
  /* The divisors are never 0. */
  const VecI32 fraction = __builtin_convertvector (simd_to_f32 (n)
      / simd_to_f32 (2 * q - (q == 0)), VecI32) - w->unit / 2;
  VecI32 word = index | ((fraction & ~no_fraction) & 255) << 16;

  if (w->uniqueness)
    word |= __builtin_convertvector (simd_to_f32 (254 * (second - c))
        / simd_to_f32 (second - (second == 0)), VecI32) << 24;
  return word;
}

#endif /* STEREO_WINNER_SIMD_H */
