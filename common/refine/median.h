/* gst-stereomatching: the 3x3 median, and encoding
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_MEDIAN_H
#define STEREO_MEDIAN_H

#include "refine/output.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The median of a pixel at column x of a row, its neighbours at columns l and
 * r, and those in the rows above and below.  See StereoMedianStages. */
STEREO_INLINE uint16_t
stereo_median_at (const uint16_t * above, const uint16_t * row,
    const uint16_t * below, int l, int x, int r, uint32_t invalid)
{
  uint32_t center = row[x];
  uint32_t v[9] = { above[l], above[x], above[r], row[l], center, row[r],
    below[l], below[x], below[r]
  };

  if (center == invalid)
    return (uint16_t) invalid;
  for (int i = 0; i < 9; i++)
    v[i] = v[i] == invalid ? center : v[i];
  return (uint16_t) stereo_median9 (v);
}

/*
 * Stage table "median": a 3x3 median filter.  Rows and columns beyond the image
 * repeat its edge.  An invalid pixel stays invalid; invalid neighbours count as
 * the pixel itself.
 */
typedef struct
{
  /* Filters a map and encodes the result. */
  StereoStatus (*median) (StereoQueue * queue, int width, int height,
      const StereoMap * source, const StereoOutput * output);

  /* Filters 16-bit codes as stereo_store_raw() stores them; output->invalid is
   * the code of invalid pixels. */
  StereoStatus (*median_codes) (StereoQueue * queue, int width, int height,
      const StereoMap * source, const StereoOutput * output);
} StereoMedianStages;

#ifdef __cplusplus
}
#endif

#endif /* STEREO_MEDIAN_H */
