/* gst-stereomatching: dot products of bytes
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Like simd.h, for 64-bit ARM with the instruction SDOT (FEAT_DotProd), which
 * adds four products of signed bytes to each 32-bit lane. */

#ifndef STEREO_SIMD_DOT_H
#define STEREO_SIMD_DOT_H

#if defined (__aarch64__) && defined (__ARM_FEATURE_DOTPROD)

#include "simd/simd.h"

#include <arm_neon.h>

/* Per lane: sums, plus the products of the bytes of a[i] with bytes 4 i to
 * 4 i + 3 of weights, for i below 2 and 4. */
ALWAYS_INLINE VecI32
simd_dot2_i32 (VecI32 sums, const VecI8 a[2], const int8_t weights[8])
{
  const int8x8_t w = vld1_s8 (weights);

  sums = (VecI32) vdotq_lane_s32 ((int32x4_t) sums, (int8x16_t) a[0], w, 0);
  return (VecI32) vdotq_lane_s32 ((int32x4_t) sums, (int8x16_t) a[1], w, 1);
}

ALWAYS_INLINE VecI32
simd_dot4_i32 (VecI32 sums, const VecI8 a[4], const int8_t weights[16])
{
  const int8x16_t w = vld1q_s8 (weights);
  int32x4_t s = (int32x4_t) sums;

  s = vdotq_laneq_s32 (s, (int8x16_t) a[0], w, 0);
  s = vdotq_laneq_s32 (s, (int8x16_t) a[1], w, 1);
  s = vdotq_laneq_s32 (s, (int8x16_t) a[2], w, 2);
  return (VecI32) vdotq_laneq_s32 (s, (int8x16_t) a[3], w, 3);
}

/* Four vectors of bytes to four of 32-bit lanes, a byte from each. */
ALWAYS_INLINE void
simd_interleave_i8 (const VecI8 v[4], VecI8 lanes[4])
{
  const int8x16x2_t low = vzipq_s8 ((int8x16_t) v[0], (int8x16_t) v[1]);
  const int8x16x2_t high = vzipq_s8 ((int8x16_t) v[2], (int8x16_t) v[3]);

  for (int i = 0; i < 2; i++) {
    const int16x8x2_t four = vzipq_s16 (vreinterpretq_s16_s8 (low.val[i]),
        vreinterpretq_s16_s8 (high.val[i]));

    lanes[2 * i] = (VecI8) four.val[0];
    lanes[2 * i + 1] = (VecI8) four.val[1];
  }
}

/* The lanes of four vectors as bytes, saturated to -128 to 127. */
ALWAYS_INLINE VecI8
simd_narrow_i32 (const VecI32 v[4])
{
  const int16x8_t low = vqmovn_high_s32 (vqmovn_s32 ((int32x4_t) v[0]),
      (int32x4_t) v[1]);
  const int16x8_t high = vqmovn_high_s32 (vqmovn_s32 ((int32x4_t) v[2]),
      (int32x4_t) v[3]);

  return (VecI8) vqmovn_high_s16 (vqmovn_s16 (low), high);
}

#endif /* __ARM_FEATURE_DOTPROD */

#endif /* STEREO_SIMD_DOT_H */
