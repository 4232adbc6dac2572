/* gst-stereomatching: temporal filter of one pixel
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* For host and CUDA; refine/temporal.h defines the filter.  CUDA has another
 * stereo_temporal_is_plausible(), which loads each window once. */

#ifndef STEREO_TEMPORAL_FORMULA_H
#define STEREO_TEMPORAL_FORMULA_H

#include "image/pixel.h"
#include "refine/temporal.h"

/* Larger disparity changes are jumps, in pixels. */
#define STEREO_TEMPORAL_JUMP 3
/* Maximum difference of an unchanged pixel, in levels. */
#define STEREO_TEMPORAL_LEVELS 16
/* The same for the sum over 3x3 pixels. */
#define STEREO_TEMPORAL_SUM 36
/* Offset of the pixels that a disparity may come from. */
#define STEREO_TEMPORAL_REACH 4

STEREO_INLINE int
stereo_temporal_distance (unsigned a, unsigned b)
{
  return a > b ? (int) (a - b) : (int) (b - a);
}

/* The sum of absolute differences of 3x3 pixels around (x, y) in a and
 * (other_x, y) in b. */
STEREO_INLINE int
stereo_temporal_sum (const StereoTemporalFrame * f, StereoTemporalView a,
    int x, StereoTemporalView b, int other_x, int y)
{
  int sum = 0;

  for (int j = y - 1; j <= y + 1; j++) {
    const size_t row = (size_t) stereo_clamp_int (j, 0, f->height - 1);
    const uint8_t *p = a.data + row * a.stride;
    const uint8_t *q = b.data + row * b.stride;

    for (int i = -1; i <= 1; i++)
      sum += stereo_temporal_distance (
          p[stereo_clamp_int (x + i, 0, f->width - 1) * a.step],
          q[stereo_clamp_int (other_x + i, 0, f->width - 1) * b.step]);
  }
  return sum;
}

/* The column of the right view for a code; may be outside the image. */
STEREO_INLINE int
stereo_temporal_partner (const StereoTemporalFrame * f, int x, unsigned code)
{
  return x - (int) ((code + (unsigned) f->unit / 2) * f->inverse >> 32)
      - f->min_disparity;
}

/* The previous left view. */
STEREO_INLINE StereoTemporalView
stereo_temporal_past_view (const StereoTemporalFrame * f)
{
  StereoTemporalView view;

  view.data = f->past_view;
  view.stride = f->stride;
  view.step = 1;
  return view;
}

/* Whether a pixel near (x, y) had the code in the previous frame. */
STEREO_INLINE bool
stereo_temporal_was_near (const StereoTemporalFrame * f, int x, int y,
    unsigned code)
{
  for (int j = -1; j <= 1; j++) {
    const uint16_t *row = f->past.data + f->past.stride
        * (size_t) stereo_clamp_int (y + j * STEREO_TEMPORAL_REACH, 0,
        f->height - 1);

    for (int i = -1; i <= 1; i++) {
      const unsigned other = row[stereo_clamp_int (x
              + i * STEREO_TEMPORAL_REACH, 0, f->width - 1)];

      if ((i != 0 || j != 0) && other != STEREO_INVALID
          && stereo_temporal_distance (other, code) <= f->unit)
        return true;
    }
  }
  return false;
}

/* Whether neither 4 C (o) <= 3 C (n) nor C (o) > 2 C (n) + 36 holds. */
STEREO_INLINE bool
stereo_temporal_is_open (int cost, int other, bool * plausible)
{
  *plausible = 4 * cost <= 3 * other;
  return !*plausible && cost <= 2 * other + STEREO_TEMPORAL_SUM;
}

/* Whether the previous code of a pixel that jumps is plausible. */
STEREO_INLINE bool
stereo_temporal_is_plausible (const StereoTemporalFrame * f, int x, int y,
    unsigned before, unsigned now)
{
  const int cost = stereo_temporal_sum (f, f->left, x, f->right,
      stereo_temporal_partner (f, x, before), y);
  const int other = stereo_temporal_sum (f, f->left, x, f->right,
      stereo_temporal_partner (f, x, now), y);
  bool plausible;

  if (!stereo_temporal_is_open (cost, other, &plausible))
    return plausible;
  return stereo_temporal_sum (f, f->left, x, stereo_temporal_past_view (f), x,
      y) <= STEREO_TEMPORAL_SUM || !stereo_temporal_was_near (f, x, y, now);
}

/* The mean of two codes, rounded towards now. */
STEREO_INLINE unsigned
stereo_temporal_mean (unsigned before, unsigned now)
{
  return (before + now + (now > before)) / 2;
}

#endif /* STEREO_TEMPORAL_FORMULA_H */
