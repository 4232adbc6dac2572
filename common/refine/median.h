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
