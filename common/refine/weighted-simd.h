/* gst-stereomatching: weighted medians, in vectors
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The windows of several pixels lie side by side, each in a lane of its own,
 * and their medians are searched for together, bit by bit.  Codes are bytes for
 * that, relative to the lowest one; where they are further apart, their upper
 * bits come first.
 *
 * For the files that are compiled for each instruction set.
 */

#ifndef STEREO_WEIGHTED_SIMD_H
#define STEREO_WEIGHTED_SIMD_H

#include "core/pool.h"
#include "refine/refine-cpu.h"
#include "simd/simd.h"

/* The least size of maps for the next one. */
#define STEREO_WEIGHED_WIDTH 16
#define STEREO_WEIGHED_HEIGHT 15

/* The weighted medians of 15x15 where job->work->map has holes, in rows of
 * job->work->weighted; other pixels are left alone. */
void SIMD_NAME (stereo_weigh_holes_) (const StereoRefineJob * job,
    StereoSpan rows);

/* The weighted medians of 7x7 of n pixels from (x, y) on, and of as many below
 * them, which have no meaning beyond the map.  There is room for up to 7 more
 * of each. */
void SIMD_NAME (stereo_weigh_all_) (const StereoRefineJob * job, int x, int y,
    int n, uint16_t * const medians[2]);

/* How many bits the codes from low to high differ in, as numbers above low. */
ALWAYS_INLINE int
weighted_bits (unsigned low, unsigned high)
{
  return low == high ? 0 : 32 - __builtin_clz (high - low);
}

/*
 * The weighted medians of codes below 1 << bits, from 1 to 8; codes and medians
 * are as SIMD_ORDER8 says.  In every lane of 64 bits that is the median of its
 * bytes in n vectors, or of 128 bits if wide.  half is that of the weights
 * there, rounded down.  There are columns such problems; vectors of the same
 * place follow each other.
 */
ALWAYS_INLINE void
weighted_search (const VecU8 * codes, const VecU8 * weights, int n,
    int columns, const VecU64 * half, int bits, bool wide, VecU8 * medians)
{
  for (int j = 0; j < columns; j++)
    medians[j] = simd_set8 (SIMD_ORDER8);
  for (int bit = 1 << (bits - 1); bit > 0; bit >>= 1) {
    VecU64 above[2] = { {0}, {0} };

    for (int i = 0; i < n; i++) {
      for (int j = 0; j < columns; j++)
        above[j] += simd_sum8 (simd_where_greater8 (weights[i * columns + j],
                codes[i * columns + j], medians[j] + (uint8_t) (bit - 1)));
    }
    for (int j = 0; j < columns; j++) {
      const VecU64 sum = wide ? simd_add_pairs64 (above[j]) : above[j];

      medians[j] += (VecU8) (sum > half[j]) & (uint8_t) bit;
    }
  }
}

#endif /* STEREO_WEIGHTED_SIMD_H */
