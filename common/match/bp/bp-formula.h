/* gst-stereomatching: per-pixel arithmetic of belief propagation
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The same on the host and in CUDA; the formulas are those of bp.h. */

#ifndef STEREO_BP_FORMULA_H
#define STEREO_BP_FORMULA_H

#include "match/bp/bp.h"
#include "cost/difference.h"
#include "image/pixel.h"

/* Data cost of level 0 for a difference. */
STEREO_INLINE uint32_t
stereo_bp_data_cost (const StereoBpConstants * k, uint32_t difference)
{
  return (stereo_min_u32 (difference, k->difference_limit) * k->gain
      + 32768u) >> 16;
}

/* The difference of two pixels of R, G and B. */
STEREO_INLINE uint32_t
stereo_bp_color_difference (uint32_t p, uint32_t q)
{
  return 256 * stereo_difference_sum (p, q);
}

/* A pixel of the left view of the next level, from four of this one. */
STEREO_INLINE uint32_t
stereo_bp_mean (uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
  const uint32_t mask = 0x00ff00ff, half = 0x00020002;
  uint32_t even = (a & mask) + (b & mask) + (c & mask) + (d & mask) + half;
  uint32_t odd = (a >> 8 & mask) + (b >> 8 & mask) + (c >> 8 & mask)
      + (d >> 8 & mask) + half;

  return (even >> 2 & mask) | (odd >> 2 & mask) << 8;
}

/* A belief as the cost of a winner, in 16 bits. */
STEREO_INLINE uint32_t
stereo_bp_winner_cost (int precision, uint32_t belief)
{
  return precision == STEREO_BP_PRECISION_FLOAT ? belief >> 7 : belief;
}

/* Rounds an integer to 11 significant bits, ties to even, as fp16 does for
 * integers up to 65504. */
STEREO_INLINE uint32_t
stereo_bp_round_half (uint32_t x)
{
  uint32_t unit = 1;

  while (x >= 2048u * unit)
    unit *= 2;
  return (x + unit / 2 - (unit > 1 && (x / unit) % 2 == 0)) / unit * unit;
}

/* A message, or a data cost above level 0, as stored. */
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

/* Replaces h of n disparities by a message, without rounding. */
STEREO_INLINE void
stereo_bp_message (uint32_t jump, uint32_t max_message, uint32_t *h, int n)
{
  uint32_t least = h[0];

  for (int v = 1; v < n; v++)
    least = stereo_min_u32 (least, h[v]);
  for (int v = 1; v < n; v++)
    h[v] = stereo_min_u32 (h[v], h[v - 1] + jump);
  for (int v = n - 2; v >= 0; v--)
    h[v] = stereo_min_u32 (h[v], h[v + 1] + jump);
  for (int v = 0; v < n; v++)
    h[v] = stereo_min_u32 (h[v] - least, max_message);
}

#endif /* STEREO_BP_FORMULA_H */
