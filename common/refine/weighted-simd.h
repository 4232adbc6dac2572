/* gst-stereomatching: SIMD weighted medians
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The medians of several windows, one per lane, are found by binary search, bit
 * by bit.  Codes are reduced to bytes relative to the lowest one; for larger
 * ranges the upper bits are searched first.
 *
 * For files that are compiled once per instruction set.
 */

#ifndef STEREO_WEIGHTED_SIMD_H
#define STEREO_WEIGHTED_SIMD_H

#include "core/pool.h"
#include "refine/refine-cpu.h"
#include "simd/simd.h"

/* Minimum size of maps for the next function. */
#define STEREO_WEIGHED_WIDTH 16
#define STEREO_WEIGHED_HEIGHT 15

/* 15x15 weighted medians of the holes of job->work->map, to rows of
 * job->work->weighted.  Other pixels are not changed. */
void SIMD_NAME (stereo_weigh_holes_) (const StereoRefineJob * job,
    StereoSpan rows);

/* 7x7 weighted medians of n pixels from (x, y) on and of the row below, which
 * is undefined beyond the map.  Both rows have room for 7 more. */
void SIMD_NAME (stereo_weigh_all_) (const StereoRefineJob * job, int x, int y,
    int n, uint16_t * const medians[2]);

/* Number of bits of high - low. */
ALWAYS_INLINE int
weighted_bits (unsigned low, unsigned high)
{
  return low == high ? 0 : 32 - __builtin_clz (high - low);
}

/*
 * Weighted medians of codes below 1 << bits, 1 to 8 bits, with codes and
 * medians XORed with SIMD_ORDER8.  Each 64-bit lane (128-bit if wide) has the
 * median of its bytes in n vectors; half is half of its total weight, rounded
 * down.  There are columns independent problems; vector i of all problems is
 * contiguous.
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
