/* gst-stereomatching: conversions of small numbers on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Conversions between integers and floats below 2^23 through the mantissa of a
 * float, faster than the instructions. */

#ifndef STEREO_ROUNDING_CUH
#define STEREO_ROUNDING_CUH

#include <stdint.h>

static __device__ __forceinline__ float
to_float (uint32_t x)
{
  return __uint_as_float (x | 0x4b000000u) - 8388608.0f;
}

/* x rounded down, if its error is below 0.0001 and its fraction not above
 * 0.9997. */
static __device__ __forceinline__ uint32_t
round_down (float x)
{
  return __float_as_uint (x - 0.4999f + 8388608.0f) & 0x7fffffu;
}

#endif /* STEREO_ROUNDING_CUH */
