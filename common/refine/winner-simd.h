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

/* Fields of neighbouring winners, as in the arguments of stereo_winner_word();
 * second is not read without uniqueness. */
typedef struct
{
  const uint16_t *index;
  const uint16_t *a;
  const uint16_t *c;
  const uint16_t *b;
  const uint16_t *second;
} SimdWinnerFields;

/* stereo_winner_word() of n winners.  All arrays have n elements, rounded up to
 * SIMD_LANES32. */
ALWAYS_INLINE void
simd_winner_row (const StereoWinners * w, const SimdWinnerFields * f, int n,
    uint32_t * words)
{
  for (int i = 0; i < n; i += SIMD_LANES32) {
    const VecI32 second = w->uniqueness
        ? (VecI32) simd_widen16 (f->second + i) : (VecI32) { 0 };

    simd_store_i32 (words + i, simd_winner_words (w,
            (VecI32) simd_widen16 (f->index + i),
            (VecI32) simd_widen16 (f->a + i), (VecI32) simd_widen16 (f->c + i),
            (VecI32) simd_widen16 (f->b + i), second));
  }
}

#endif /* STEREO_WINNER_SIMD_H */
