/* gst-stereomatching: per-pixel arithmetic of ESAW and ESMP
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The same on the host and in CUDA; the formulas are those of expstep.h. */

#ifndef STEREO_EXPSTEP_PIXEL_H
#define STEREO_EXPSTEP_PIXEL_H

#include "match/expstep.h"
#include "cost/census-pixel.h"
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

/* C of two census words. */
STEREO_INLINE uint8_t
stereo_expstep_census_cost (const StereoExpstepConstants * k, uint32_t p,
    uint32_t q)
{
  return (uint8_t) stereo_min_u32 (stereo_census_cost (p, q),
      (uint32_t) k->limit);
}

STEREO_INLINE uint32_t
stereo_expstep_abs (int x)
{
  return (uint32_t) (x < 0 ? -x : x);
}

/* The place in StereoExpstepPass.weight for two colours. */
STEREO_INLINE uint32_t
stereo_expstep_difference (int metric, int r, int g, int b)
{
  if (metric == STEREO_COLOR_METRIC_MAX)
    return stereo_max_u32 (stereo_expstep_abs (r),
        stereo_max_u32 (stereo_expstep_abs (g), stereo_expstep_abs (b)));
  if (metric == STEREO_COLOR_METRIC_MEAN)
    return stereo_expstep_abs (r) + stereo_expstep_abs (g)
        + stereo_expstep_abs (b);
  /* exact below 2^24, and square roots are rounded the same everywhere */
#ifdef __CUDA_ARCH__
  return (uint32_t) (__fsqrt_rn ((float) (3 * (r * r + g * g + b * b)))
      + 0.5f);
#else
  return (uint32_t) (sqrtf ((float) (3 * (r * r + g * g + b * b))) + 0.5f);
#endif
}

#endif /* STEREO_EXPSTEP_PIXEL_H */
