/* gst-stereomatching: the cost of census words on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_CENSUS_CUH
#define STEREO_CENSUS_CUH

#include "cost/census-pixel.h"

/* C of four pairs of words in the bytes of one, that of the first pair in the
 * lowest.  The gradients of four are compared together. */
static __device__ __forceinline__ uint32_t
stereo_census_costs (const uint32_t (&left)[4], const uint32_t (&right)[4])
{
  const uint32_t most = STEREO_CENSUS_MAX_LEVELS * 0x10001;
  uint32_t word = 0, difference[4], levels, even, odd;

#pragma unroll
  for (int i = 0; i < 4; i++) {
    difference[i] = __vabsdiffu4 (left[i], right[i]);
    word += (uint32_t) __popc ((left[i] ^ right[i]) & 0xffffff)
        * ((uint32_t) STEREO_CENSUS_BIT_COST << 8 * i);
  }
  levels = __byte_perm (__byte_perm (difference[0], difference[1], 0x73),
      __byte_perm (difference[2], difference[3], 0x73), 0x5410);
  even = levels & 0x00ff00ff;
  odd = levels - even;
  return word + __vminu2 (even, most) * STEREO_CENSUS_LEVEL_COST
      + __vminu2 (odd, most << 8) * STEREO_CENSUS_LEVEL_COST;
}

#endif /* STEREO_CENSUS_CUH */
