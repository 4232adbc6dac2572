/* gst-stereomatching: ranges of disparities, for the host and CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_RANGE_FORMULA_H
#define STEREO_RANGE_FORMULA_H

#include "image/pixel.h"
#include "match/range.h"

/* Rounded mean of four bytes. */
STEREO_INLINE uint32_t
stereo_range_mean (uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
  return (a + b + c + d + 2) >> 2;
}

/* Half-size columns or rows from begin to end - 1 that count for a tile. */
typedef struct
{
  int begin;
  int end;
} StereoRangeSpan;

STEREO_INLINE StereoRangeSpan
stereo_range_span (int tile, int half_size)
{
  const int begin = (tile * STEREO_RANGE_TILE - STEREO_RANGE_BORDER) / 2;
  const int end = ((tile + 1) * STEREO_RANGE_TILE + STEREO_RANGE_BORDER) / 2;
  StereoRangeSpan span;

  span.begin = begin < 0 ? 0 : begin;
  span.end = end < half_size ? end : half_size;
  return span;
}

/* The step of ranges in a search of n disparities: STEREO_RANGE_STEP, or above
 * 256 disparities as many as a CUDA thread processes. */
STEREO_INLINE int
stereo_range_step (int n)
{
  return n <= 256 ? STEREO_RANGE_STEP : n <= 512 ? 16 : 32;
}

/* The word of a range from the extreme indices of the half-size map; without
 * any, least is above most. */
STEREO_INLINE uint32_t
stereo_range_word (const StereoRangeConstants * k, int least, int most)
{
  const int step = stereo_range_step (k->n);
  const int begin = 2 * least + k->first - STEREO_RANGE_MARGIN;
  const int end = 2 * most + k->first + STEREO_RANGE_MARGIN + 1;
  int first = begin > 0 ? begin / step * step : 0;
  int past = end > 0 ? (end + step - 1) / step * step : 0;

  past = past < k->n ? past : k->n;
  /* beside the search, where views hardly overlap */
  if (least > most || first >= past) {
    first = 0;
    past = k->n;
  }
  return (uint32_t) first | (uint32_t) past << 16;
}

/* The bounds in a word. */
STEREO_INLINE int
stereo_range_begin (uint32_t word)
{
  return (int) (word & 0xffff);
}

STEREO_INLINE int
stereo_range_end (uint32_t word)
{
  return (int) (word >> 16);
}

/* The word of the tile of a pixel. */
STEREO_INLINE uint32_t
stereo_range_at (const StereoRanges * ranges, int x, int y)
{
  return ranges->tiles[y / STEREO_RANGE_TILE * ranges->columns
      + x / STEREO_RANGE_TILE];
}

#endif /* STEREO_RANGE_FORMULA_H */
