/* gst-stereomatching: arithmetic of virtual views
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The formulas of view.h for one pixel, on the host and in CUDA.
 */

#ifndef STEREO_VIEW_FORMULA_H
#define STEREO_VIEW_FORMULA_H

#include "geometry/view.h"
#include "image/pixel.h"

/* Invalid; smaller than every disparity. */
#define STEREO_VIEW_NONE INT32_MIN

/* Disparities are signed 24-bit integers. */
#define STEREO_VIEW_LOWEST (-(1 << 23))
#define STEREO_VIEW_HIGHEST ((1 << 23) - 1)

/* Differs from every disparity by more than join. */
#define STEREO_VIEW_OUTSIDE (1 << 24)

#define STEREO_VIEW_ONE 65536   /* one baseline; also the weight 1 */

/* Whether each view occupies a tile of the frame. */
STEREO_INLINE bool
stereo_view_is_tiled (int layout)
{
  return layout == STEREO_VIEW_MONO || layout == STEREO_VIEW_QUILT
      || layout == STEREO_VIEW_SIDE_BY_SIDE
      || layout == STEREO_VIEW_TOP_BOTTOM;
}

STEREO_INLINE int32_t
stereo_view_shift (int32_t q, int32_t e)
{
  return (int32_t) (((int64_t) q * e + 32768) >> 16);
}

/* Step 0 in 32-bit arithmetic, with K = 65536 scale_high + scale_low. */
STEREO_INLINE int32_t
stereo_view_disparity (uint32_t code, uint32_t scale_high, uint32_t scale_low,
    int32_t minimum, int32_t factor)
{
  int32_t e = (int32_t) (code * scale_high + ((code * scale_low + 32768u)
          >> 16)) + minimum;

  e = stereo_clamp_int (e, STEREO_VIEW_LOWEST, STEREO_VIEW_HIGHEST);
  return stereo_clamp_int (factor * e, STEREO_VIEW_LOWEST,
      STEREO_VIEW_HIGHEST);
}

STEREO_INLINE int
stereo_view_joined (int32_t a, int32_t b, int32_t join)
{
  return a - b <= join && b - a <= join;
}

/* The first pixel at or after a position in 1/256 pixel. */
STEREO_INLINE int32_t
stereo_view_ceil (int32_t place)
{
  return (place + 255) >> 8;
}

/* Step 7: blends a channel; left and right are 256 times its values. */
STEREO_INLINE uint32_t
stereo_view_blend (uint32_t left, uint32_t right, uint32_t weight)
{
  return ((left << 16) + (right - left) * weight + (1u << 23)) >> 24;
}

/* The same for a 16-bit channel with 32-bit products.  Omits the lowest 8 bits
 * of the 64-bit sum, which cannot carry. */
STEREO_INLINE uint32_t
stereo_view_blend_wide (uint32_t left, uint32_t right, uint32_t weight)
{
  const int32_t further = (int32_t) (right - left);
  const uint32_t rest = ((uint32_t) further & 255) * weight >> 8;

  return ((left << 8) + (uint32_t) (further >> 8) * weight + rest
      + (1u << 15)) >> 16;
}

/* The weight of the right view.  wr: its weight by distance; the qualities of
 * both views are 1 or 2. */
STEREO_INLINE uint32_t
stereo_view_weight (uint32_t wr, int left_quality, int right_quality)
{
  uint32_t l = (STEREO_VIEW_ONE - wr) * (left_quality == 2 ? 8 : 1);
  uint32_t r = wr * (right_quality == 2 ? 8 : 1);

  return (uint32_t) (((uint64_t) r * STEREO_VIEW_ONE + (l + r) / 2)
      / (l + r));
}

/* An RGB word with the luma in each channel. */
STEREO_INLINE uint32_t
stereo_view_grey (uint32_t word, int r, int g, int b)
{
  return 0x010101u * stereo_luma ((uint8_t) (word >> r), (uint8_t) (word >> g),
      (uint8_t) (word >> b));
}

#endif /* STEREO_VIEW_FORMULA_H */
