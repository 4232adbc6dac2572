/* gst-stereomatching: ESAW and ESMP, formulas for one pixel
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Shared by the host and CUDA; expstep.h defines the symbols. */

#ifndef STEREO_EXPSTEP_FORMULA_H
#define STEREO_EXPSTEP_FORMULA_H

#include "match/expstep/expstep.h"
#include "cost/words-formula.h"
#include "cost/partner.h"
#include "image/pixel.h"

#ifndef __CUDACC__
#include <math.h>
#endif

/* C for a difference of 0 to 255 cost_channels. */
STEREO_INLINE uint8_t
stereo_expstep_cost (const StereoExpstepConstants * k, int difference)
{
  uint32_t a = (uint32_t) (difference < k->limit ? difference : k->limit);
  uint32_t b = difference > k->limit ? (uint32_t) k->excess : 0u;

  return (uint8_t) ((a * (uint32_t) k->gain + b + 128u) >> 8);
}

/* C of two words. */
STEREO_INLINE uint8_t
stereo_expstep_words_cost (const StereoExpstepConstants * k, uint32_t p,
    uint32_t q)
{
  return (uint8_t) stereo_min_u32 (stereo_words_cost (p, q),
      (uint32_t) k->limit);
}

STEREO_INLINE uint32_t
stereo_expstep_abs (int x)
{
  return (uint32_t) (x < 0 ? -x : x);
}

/* The index in StereoExpstepPass.weight for a colour difference. */
STEREO_INLINE uint32_t
stereo_expstep_difference (int metric, int r, int g, int b)
{
  if (metric == STEREO_COLOR_METRIC_MAX)
    return stereo_max_u32 (stereo_expstep_abs (r),
        stereo_max_u32 (stereo_expstep_abs (g), stereo_expstep_abs (b)));
  if (metric == STEREO_COLOR_METRIC_MEAN)
    return stereo_expstep_abs (r) + stereo_expstep_abs (g)
        + stereo_expstep_abs (b);
  /* exact below 2^24; square roots are correctly rounded on all devices */
#ifdef __CUDA_ARCH__
  return (uint32_t) (__fsqrt_rn ((float) (3 * (r * r + g * g + b * b)))
      + 0.5f);
#else
  return (uint32_t) (sqrtf ((float) (3 * (r * r + g * g + b * b))) + 0.5f);
#endif
}

#endif /* STEREO_EXPSTEP_FORMULA_H */
