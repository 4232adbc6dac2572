/* gst-stereomatching: row measurement on the CPU, with vectors
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Compiled once for each instruction set. */

#include "geometry/rows-formula.h"
#include "simd/simd.h"

/* A vector of 16-bit lanes has two pixels in each lane. */
#define ROWS_HALVE

static inline void
halve_row (const uint8_t * above, const uint8_t * below, uint8_t * out,
    int width)
{
  int x = 0;

  for (; x + SIMD_BYTES / 2 <= width; x += SIMD_BYTES / 2) {
    VecU16 a, b;
    HalfVecU8 mean;

    memcpy (&a, above + 2 * x, sizeof (a));
    memcpy (&b, below + 2 * x, sizeof (b));
    mean = simd_narrow16 (((a & 0xff) + (a >> 8) + (b & 0xff) + (b >> 8) + 2)
        >> 2);
    memcpy (out + x, &mean, sizeof (mean));
  }
  for (; x < width; x++)
    out[x] = stereo_rows_mean (above[2 * x], above[2 * x + 1], below[2 * x],
        below[2 * x + 1]);
}

#include "geometry/rows-cpu.h"

const StereoRowsStages SIMD_NAME (stereo_rows_stages_) = ROWS_STAGES;
