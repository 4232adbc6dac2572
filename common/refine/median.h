/* gst-stereomatching: the 3x3 median, and encoding
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_MEDIAN_H
#define STEREO_MEDIAN_H

#include "core/algorithm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Stage table "median".  All fields but the optional ones are filled. */
typedef struct
{
  /* 3x3 median.  Rows and columns beyond the image repeat its edge.  An
   * invalid pixel stays invalid; invalid neighbours count as the pixel itself.
   * source and target differ. */
  StereoStatus (*median) (StereoQueue * queue, int width, int height,
      const StereoMap * source, const StereoMap * target);

  /* Indices to codes. */
  StereoStatus (*encode) (StereoQueue * queue, int width, int height,
      const StereoMap * map, const StereoOutput * output);

  /* The same median of codes, of which output->invalid marks the pixels without
   * a value.  source holds what stereo_store_raw() makes of 2 bytes. */
  StereoStatus (*median_codes) (StereoQueue * queue, int width, int height,
      const StereoMap * source, const StereoOutput * output);

  /* Optional: median and encode in one. */
  StereoStatus (*median_encode) (StereoQueue * queue, int width, int height,
      const StereoMap * source, const StereoOutput * output);
} StereoMedianStages;

const void *stereo_median_stages_cpu (StereoSimd simd);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_MEDIAN_H */
