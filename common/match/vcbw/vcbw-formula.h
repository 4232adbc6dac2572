/* gst-stereomatching: variable center-biased windows, formulas for one pixel
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Shared by the host and CUDA; vcbw.h defines the symbols. */

#ifndef STEREO_VCBW_FORMULA_H
#define STEREO_VCBW_FORMULA_H

#include "image/pixel.h"
#include "match/vcbw/vcbw.h"

/* D of a difference, or of the sum of three channel differences. */
STEREO_INLINE uint32_t
stereo_vcbw_scaled (const StereoVcbwConstants * k, uint32_t difference,
    bool sum_of_three)
{
  if (sum_of_three && k->third)
    difference = difference * 43691 >> 17;      /* / 3, exact up to 765 */
  return stereo_min_u32 (difference, (uint32_t) k->limit)
      * (uint32_t) k->gain;
}

/* C of the quadrants left down, left up, right down, right up. */
STEREO_INLINE uint32_t
stereo_vcbw_combine (const StereoVcbwConstants * k, const uint32_t v[4])
{
  uint32_t left = v[0] + v[1], right = v[2] + v[3];
  uint32_t down = v[0] + v[2], up = v[1] + v[3];
  uint32_t corner = 4 * stereo_min_u32 (stereo_min_u32 (v[0], v[1]),
      stereo_min_u32 (v[2], v[3]));
  uint32_t edge = 2 * stereo_min_u32 (stereo_min_u32 (left, right),
      stereo_min_u32 (down, up));

  return stereo_min_u32 (left + right,
      stereo_min_u32 (edge + (uint32_t) k->edge,
          corner + (uint32_t) k->corner));
}

#endif /* STEREO_VCBW_FORMULA_H */
