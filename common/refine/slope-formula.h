/* gst-stereomatching: slopes of a disparity map
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The arithmetic for the host and CUDA.
 *
 * The slope at a valid pixel, along the row or the column, is that of the
 * regression line through the pairs of codes at distances k = 2, 4, 6 and 8 on
 * both sides.  A pair counts if both codes are valid, each is within 4 pixels
 * of the centre's, and their mean is within half a pixel of it.  Slopes are in
 * 1/256 code per pixel, rounded half away from zero; their absolute value is
 * below half a pixel of disparity per pixel.  Without a pair the slope is 0.
 */

#ifndef STEREO_SLOPE_FORMULA_H
#define STEREO_SLOPE_FORMULA_H

#include "image/pixel.h"
#include "refine/map.h"

/* Distances of the pairs. */
#define STEREO_SLOPE_STEP 2
#define STEREO_SLOPE_REACH 8

/* Sums over the pairs of one direction. */
typedef struct
{
  int products;                 /* k (code at +k - code at -k) */
  int squares;                  /* 2 k k */
} StereoSlopeSums;

/* Adds the pair of codes at -k and +k; only codes inside the image. */
STEREO_INLINE void
stereo_slope_add (StereoSlopeSums * sums, int unit, int k, unsigned center,
    unsigned before, unsigned behind)
{
  const int a = (int) before - (int) center, b = (int) behind - (int) center;

  /* STEREO_INVALID may be near a valid code of a large range. */
  if (before == STEREO_INVALID || behind == STEREO_INVALID || a > 4 * unit
      || -a > 4 * unit || b > 4 * unit || -b > 4 * unit || a + b > unit
      || -(a + b) > unit)
    return;
  sums->products += k * (b - a);
  sums->squares += 2 * k * k;
}

/* The slope.  |256 products| is below 2^20. */
STEREO_INLINE int
stereo_slope (const StereoSlopeSums * sums, int unit)
{
  const int s = sums->products, q = sums->squares;

  return q == 0 ? 0 : stereo_clamp_int ((256 * s + (s < 0 ? -q / 2 : q / 2))
      / q, 1 - 128 * unit, 128 * unit - 1);
}

/*
 * What the code of a sample at offset (dx, dy) from the centre changes by if
 * its plane is carried to the centre, at most limit.  Right shifts of negative
 * numbers round down, as on all supported compilers.
 */
STEREO_INLINE int
stereo_slope_carry (int slope_x, int slope_y, int dx, int dy, int limit)
{
  return stereo_clamp_int ((-slope_x * dx - slope_y * dy + 128) >> 8, -limit,
      limit);
}

#endif /* STEREO_SLOPE_FORMULA_H */
