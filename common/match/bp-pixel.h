/* gst-stereomatching: per-pixel arithmetic of belief propagation
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The same on the host and in CUDA; the formulas are those of bp.h. */

#ifndef STEREO_BP_PIXEL_H
#define STEREO_BP_PIXEL_H

#include "match/bp.h"
#include "image/pixel.h"

/* Where a disparity's data costs come from: column x of the left view, or the
 * nearest that has a partner. */
STEREO_INLINE int
stereo_bp_column (int width, int x, int d)
{
  return stereo_clamp_int (x, d > 0 ? d : 0, width - 1 + (d < 0 ? d : 0));
}

/* Data cost of level 0 for two values of the views, in 1/256 grey level. */
STEREO_INLINE uint32_t
stereo_bp_data_cost (const StereoBpConstants * k, uint32_t left,
    uint32_t right)
{
  uint32_t t = left > right ? left - right : right - left;

  return (stereo_min_u32 (t, k->difference_limit) * k->gain + 32768u) >> 16;
}

/* An integer to 11 significant bits, ties to even: what fp16 holds of
 * integers up to 65504. */
STEREO_INLINE uint32_t
stereo_bp_round_half (uint32_t x)
{
  uint32_t unit = 1;

  while (x >= 2048u * unit)
    unit *= 2;
  return (x + unit / 2 - (unit > 1 && (x / unit) % 2 == 0)) / unit * unit;
}

/* How a data cost above level 0 and a message are kept. */
STEREO_INLINE uint32_t
stereo_bp_kept (const StereoBpConstants * k, uint32_t x)
{
  return k->precision == STEREO_BP_PRECISION_HALF ? stereo_bp_round_half (x)
      : x;
}

/* Whether pixel (x, y) of a level updates its messages in iteration t. */
STEREO_INLINE bool
stereo_bp_sends (StereoBpSize size, int x, int y, int t)
{
  return x >= 1 && x <= size.width - 2 && y >= 1 && y <= size.height - 2
      && (x + y + t) % 2 != 0;
}

/* Whether the image has pixels off the frame. */
STEREO_INLINE bool
stereo_bp_has_inner (const StereoBpConstants * k)
{
  return k->width >= 3 && k->height >= 3;
}

/* h of n disparities to a message, in place, and not yet rounded. */
STEREO_INLINE void
stereo_bp_message (const StereoBpConstants * k, uint32_t *h, int n)
{
  uint32_t least = h[0];

  for (int v = 1; v < n; v++)
    least = stereo_min_u32 (least, h[v]);
  for (int v = 1; v < n; v++)
    h[v] = stereo_min_u32 (h[v], h[v - 1] + k->jump);
  for (int v = n - 2; v >= 0; v--)
    h[v] = stereo_min_u32 (h[v], h[v + 1] + k->jump);
  for (int v = 0; v < n; v++)
    h[v] = stereo_min_u32 (h[v] - least, k->max_message);
}

#endif /* STEREO_BP_PIXEL_H */
