/* gst-stereomatching: SIMD codes carried along their slopes
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * For files that are compiled once per instruction set.
 *
 * Codes are XORed with 0x8000, which keeps their order as signed numbers: a
 * saturated sum of a code and a signed change ends at code 0.
 */

#ifndef STEREO_CARRY_SIMD_H
#define STEREO_CARRY_SIMD_H

#include "refine/slope-formula.h"
#include "simd/simd.h"

/* Bounds of all lanes: the largest change, and the last code. */
typedef struct
{
  VecI16 limit;
  VecI16 highest;
} SimdCarryLimits;

ALWAYS_INLINE VecI16
simd_order_codes (VecU16 codes)
{
  return (VecI16) (codes ^ 0x8000);
}

ALWAYS_INLINE SimdCarryLimits
simd_carry_limits (int limit, int highest)
{
  return (SimdCarryLimits) {
    .limit = simd_set_i16 ((int16_t) limit),
    .highest = simd_order_codes (simd_set16 ((uint16_t) highest)),
  };
}

/*
 * stereo_slope_carry() of codes at (a, b) 2^scale pixels from the centre.
 * |a| + |b| is at most 15: slopes are below 2048, and the sum below 2^15.
 */
ALWAYS_INLINE VecI16
simd_slope_carry (VecI16 limit, VecI16 slope_x, VecI16 slope_y, int a, int b,
    int scale)
{
  const VecI16 change = (simd_set_i16 ((int16_t) (128 >> scale))
      - slope_x * simd_set_i16 ((int16_t) a)
      - slope_y * simd_set_i16 ((int16_t) b)) >> (8 - scale);

  return simd_max_i16 (simd_min_i16 (change, limit), -limit);
}

/* The same added to the codes and clamped; ordered. */
ALWAYS_INLINE VecI16
simd_carry (const SimdCarryLimits * limits, VecU16 codes, VecI16 slope_x,
    VecI16 slope_y, int a, int b, int scale)
{
  return simd_min_i16 (simd_add_saturated_i16 (simd_order_codes (codes),
          simd_slope_carry (limits->limit, slope_x, slope_y, a, b, scale)),
      limits->highest);
}

#endif /* STEREO_CARRY_SIMD_H */
