/* gst-stereomatching: views, disparity range and cost of a matcher
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_SEARCH_H
#define STEREO_SEARCH_H

#include "cost/cost.h"

/* Maximum of num-disparities: an index has 14 bits. */
#define STEREO_MAX_DISPARITIES 16384

/* Configuration of a matcher. */
typedef struct
{
  int width;
  int height;
  int channels;                 /* of both views, 1 or 3 */
  int num_disparities;          /* 1 to STEREO_MAX_DISPARITIES */
  int min_disparity;
  /* Disparities for which the views overlap: first_index <= i < end_index;
   * may be empty. */
  int first_index;
  int end_index;
  unsigned n_threads;           /* of a CPU device, otherwise 1 */

  /* Without refinement: STEREO_COST_LUMA, 1 and false. */
  StereoCostKind cost;          /* STEREO_COST_WORDS: frames have words;
                                 * STEREO_COST_RGB: channels is 3 */
  int unit;                     /* codes per pixel in a StereoMap: 1, or with
                                 * subpixel the largest power of two up to
                                 * STEREO_MAX_UNIT for which
                                 * unit * num_disparities fits 16 bits */
  bool winners;                 /* frames may request winners of the left
                                 * view, with neighboring costs, */
  bool right_winners;           /* and of the right view */
  bool fill;                    /* hole filling is enabled */
  bool ranges;                  /* frames have ranges of disparities */
} StereoSearch;

#endif /* STEREO_SEARCH_H */
