/* gst-stereomatching: per-pixel arithmetic of semi-global matching
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The same on the host and in CUDA; the formulas are those of sgm.h. */

#ifndef STEREO_SGM_FORMULA_H
#define STEREO_SGM_FORMULA_H

#include "cost/words-formula.h"
#include "cost/difference.h"
#include "cost/partner.h"
#include "match/range-formula.h"
#include "match/sgm/sgm.h"

/* g of two pixels. */
STEREO_INLINE uint32_t
stereo_sgm_difference (int channels, uint32_t p, uint32_t q)
{
  return channels == 1 ? stereo_difference (p, q)
      : stereo_difference_max (p, q);
}

/* Mean difference of two pixels over the channels of the cost, rounded down. */
STEREO_INLINE uint32_t
stereo_sgm_difference_cost (int cost, int channels, uint32_t p, uint32_t q)
{
  if (channels == 1)
    return stereo_difference (p, q);
  if (stereo_cost_is_color (cost))
    return stereo_difference_sum (p, q) / 3;
  return stereo_difference (stereo_luma (p & 255, p >> 8 & 255,
          p >> 16 & 255), stereo_luma (q & 255, q >> 8 & 255, q >> 16 & 255));
}

/* C of left pixel (x, y) at disparity d, where it has a partner. */
STEREO_INLINE uint32_t
stereo_sgm_cost (const StereoSgmConstants * k, const StereoSgmViews * v, int x,
    int y, int d)
{
  if (stereo_cost_uses_words (k->cost))
    return stereo_words_cost (stereo_word_at (&v->left_words, x, y),
        stereo_word_at (&v->right_words, x - d, y));
  return stereo_sgm_difference_cost (k->cost, k->channels,
      stereo_view_pixel (&v->left, k->channels, x, y),
      stereo_view_pixel (&v->right, k->channels, x - d, y));
}

/* The disparities to search at a pixel, as in StereoRanges. */
STEREO_INLINE uint32_t
stereo_sgm_range (const StereoSgmConstants * k, const StereoSgmViews * v, int x,
    int y)
{
  return k->ranges ? stereo_range_at (&v->ranges, x, y)
      : (uint32_t) k->n << 16;
}

/* Weights of the three predecessors by their similarity; their sum is 64. */
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

#endif /* STEREO_SGM_FORMULA_H */
