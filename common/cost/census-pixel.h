/* gst-stereomatching: the census cost of two pixels
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The same on the host and in CUDA; the formulas are those of census.h. */

#ifndef STEREO_CENSUS_PIXEL_H
#define STEREO_CENSUS_PIXEL_H

#include "core/algorithm.h"
#include "image/pixel.h"

#define STEREO_CENSUS_BITS 24
/* Of a bit that differs, and of a level of the gradient. */
#define STEREO_CENSUS_BIT_COST 8
#define STEREO_CENSUS_LEVEL_COST 7
/* From here on the difference of gradients is cut off. */
#define STEREO_CENSUS_MAX_LEVELS 8
/* The largest C. */
#define STEREO_CENSUS_MAX_COST 248

/* C of two words. */
STEREO_INLINE uint32_t
stereo_census_cost (uint32_t p, uint32_t q)
{
#ifdef __CUDA_ARCH__
  const uint32_t bits = __popc ((p ^ q) << 8);
  const uint32_t levels = __usad (p >> 24, q >> 24, 0);
#else
  const uint32_t bits = (uint32_t) __builtin_popcount ((p ^ q) << 8);
  const uint32_t levels = p >> 24 > q >> 24 ? (p >> 24) - (q >> 24)
      : (q >> 24) - (p >> 24);
#endif

  return STEREO_CENSUS_BIT_COST * bits
      + STEREO_CENSUS_LEVEL_COST * stereo_min_u32 (levels,
          STEREO_CENSUS_MAX_LEVELS);
}

/* G, from the pixels to the left and to the right. */
STEREO_INLINE uint32_t
stereo_census_gradient (uint32_t left, uint32_t right)
{
  return (right - left + 256) >> 1;
}

/* The word of a pixel. */
STEREO_INLINE uint32_t
stereo_census_word (const StereoCensus * census, int x, int y)
{
  const size_t row = (size_t) y * census->stride;

#ifdef __CUDA_ARCH__
  return ((const uint32_t *) (census->plane[0] + row))[x];
#else
  return census->plane[0][row + (size_t) x]
      | (uint32_t) census->plane[1][row + (size_t) x] << 8
      | (uint32_t) census->plane[2][row + (size_t) x] << 16
      | (uint32_t) census->plane[3][row + (size_t) x] << 24;
#endif
}

#endif /* STEREO_CENSUS_PIXEL_H */
