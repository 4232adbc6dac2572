/* gst-stereomatching: weights of pixels by colour, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * StereoRefineConstants.weight without a table.  The rounding is exact: for all
 * D from 0 to 255, 255 exp (-D / 10) is at least 0.004 away from a rounding
 * boundary, and the error here is below 0.001.
 */

#ifndef STEREO_WEIGHT_CUH
#define STEREO_WEIGHT_CUH

#include "refine/refine.h"

/* Weights are computed in the mantissa of floats: 2^23 and its bits. */
const float weight_origin = 8388608.0f;
const uint32_t no_weight = 0x4b000000u;

/* A pixel of a view. */
template < int CHANNELS > struct ColorOf
{
  typedef uint32_t Type;
};

template <> struct ColorOf < 1 >
{
  typedef uint8_t Type;
};

/* The pixel at (x, y), among those of its row. */
template < int CHANNELS > static __device__ __forceinline__ const
typename ColorOf < CHANNELS >::Type *
color_at (const StereoView & view, int x, int y)
{
  return (const typename ColorOf < CHANNELS >::Type *) (view.plane[0]
      + (size_t) y * view.stride) + x;
}

/* log2 of the weight for the difference of two pixels, negated.  With three
 * channels, pixels whose highest bytes differ have no weight. */
template < int CHANNELS > static __device__ __forceinline__ float
color_halvings (const StereoRefineConstants & k, uint32_t p, uint32_t q)
{
  uint32_t most;

  if (CHANNELS == 1) {
    most = __usad (p, q, no_weight);
  } else {
    const uint32_t d = __vabsdiffu4 (p, q);

    most = max (d & 255, max (d >> 8 & 255, d >> 16)) | no_weight;
  }
  /* conversion to float through the mantissa; 2^23 halvings are exact */
  return __fmaf_rn (__uint_as_float (most), k.halvings,
      -weight_origin * k.halvings);
}

/* A weight, 0 to 255, plus the bits of origin: weight_origin and an integer. */
static __device__ __forceinline__ uint32_t
color_weight (float halvings, float origin)
{
  float part;

  asm ("ex2.approx.ftz.f32 %0, %1;":"=f" (part):"f" (-halvings));
  return __float_as_uint (__fmaf_rn (255.0f, part, origin));
}

/* The weight of a pixel for this centre. */
template < int CHANNELS > static __device__ __forceinline__ uint32_t
pixel_weight (const StereoRefineConstants & k, uint32_t center, uint32_t pixel)
{
  const uint32_t channels = CHANNELS == 1 ? 0xff : 0xffffff;

  return color_weight (color_halvings < CHANNELS > (k, center & channels,
          pixel & channels), weight_origin) & 255;
}

#endif /* STEREO_WEIGHT_CUH */
