/* gst-stereomatching: a pixel of semi-global matching
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The same on the host and in CUDA; the formulas are those of sgm.h. */

#ifndef STEREO_SGM_PIXEL_H
#define STEREO_SGM_PIXEL_H

#include "cost/census-pixel.h"
#include "cost/difference.h"
#include "cost/partner.h"
#include "match/sgm.h"

/* g of two pixels of a view. */
STEREO_INLINE uint32_t
stereo_sgm_difference (int channels, uint32_t p, uint32_t q)
{
  return channels == 1 ? stereo_difference (p, q)
      : stereo_difference_max (p, q);
}

/* The mean difference of the channels that are compared, rounded down, of two
 * pixels. */
STEREO_INLINE uint32_t
stereo_sgm_difference_cost (int cost, int channels, uint32_t p, uint32_t q)
{
  if (channels == 1)
    return stereo_difference (p, q);
  if (cost == STEREO_COST_RGB)
    return stereo_difference_sum (p, q) / 3;
  return stereo_difference (stereo_luma (p & 255, p >> 8 & 255,
          p >> 16 & 255), stereo_luma (q & 255, q >> 8 & 255, q >> 16 & 255));
}

/* C of left pixel (x, y), with disparity d a partner. */
STEREO_INLINE uint32_t
stereo_sgm_cost (const StereoSgmConstants * k, const StereoSgmViews * v, int x,
    int y, int d)
{
  if (k->cost == STEREO_COST_CENSUS)
    return stereo_census_cost (stereo_census_word (&v->left_census, x, y),
        stereo_census_word (&v->right_census, x - d, y));
  return stereo_sgm_difference_cost (k->cost, k->channels,
      stereo_view_pixel (&v->left, k->channels, x, y),
      stereo_view_pixel (&v->right, k->channels, x - d, y));
}

/* The weights of the three predecessors, 64 together, by their likeness: 0 for
 * B and E that are not there. */
typedef struct
{
  uint32_t a;
  uint32_t b;
  uint32_t e;
} StereoSgmWeights;

STEREO_INLINE StereoSgmWeights
stereo_sgm_weights (uint32_t a, uint32_t b, uint32_t e)
{
  const uint32_t t = a + b + e;
  StereoSgmWeights w;

  w.b = (128 * b + t) / (2 * t);
  w.e = (128 * e + t) / (2 * t);
  w.a = 64 - w.b - w.e;
  return w;
}

#endif /* STEREO_SGM_PIXEL_H */
