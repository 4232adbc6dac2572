/* gst-stereomatching: census words
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The cost of STEREO_COST_CENSUS compares the surroundings of two pixels, so
 * that it does not depend on exposure, gain or vignetting (R. Zabih, J.
 * Woodfill: "Non-parametric local transforms for computing visual
 * correspondence", ECCV 1994), and the slope of the image, for thin things.
 *
 * I is luma, that of stereo_luma() for a view of three channels.  Columns and
 * rows outside the image repeat its border.  Each pixel has a word of 32 bits:
 *
 *   b  bits 0 to 23, one for each of the 24 neighbours q in the 5x5 window
 *      around p, in raster order: 1 if I (q) < I (p)
 *   G  bits 24 to 31: (I (x + 1, y) - I (x - 1, y) + 256) >> 1
 *
 * and two words have the cost
 *
 *   C = 8 popcount (b xor b') + 7 min (|G - G'|, 8), 0 to 248
 *
 * Columns without a partner: cost/partner.h.
 */

#ifndef STEREO_CENSUS_H
#define STEREO_CENSUS_H

#include "core/algorithm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Stage table "census". */
typedef struct
{
  /* Bytes of device memory for the words of a view, and how they lie in it. */
  size_t (*bytes) (int width, int height);
  StereoCensus (*layout) (int width, int height, void *memory);

  /* Makes the words of both views, in such memory. */
  StereoStatus (*make) (StereoQueue * queue, int width, int height,
      int channels, const StereoView views[2], void *const memory[2]);
} StereoCensusStages;

#ifdef __cplusplus
}
#endif

#endif /* STEREO_CENSUS_H */
