/* gst-stereomatching: arithmetic of the learned cost
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The same on the host and in CUDA; the formulas are those of learned.h. */

#ifndef STEREO_LEARNED_FORMULA_H
#define STEREO_LEARNED_FORMULA_H

#include "cost/learned.h"
#include "image/pixel.h"

/* d per grey level, and its limit: reached at a difference of 4. */
#define STEREO_NETWORK_GAIN 32
#define STEREO_NETWORK_LIMIT 127
#define STEREO_NETWORK_LEVELS 4

/* d_q */
STEREO_INLINE int
stereo_network_input (int neighbor, int center)
{
  return stereo_clamp_int (STEREO_NETWORK_GAIN * (neighbor - center),
      -STEREO_NETWORK_LIMIT, STEREO_NETWORK_LIMIT);
}

/* b1 with half. */
STEREO_INLINE int
stereo_network_start (int bias, int shift)
{
  return bias + (1 << (shift - 1));
}

/* h_j of a sum with half. */
STEREO_INLINE int
stereo_network_hidden (int sum, int shift)
{
  return stereo_clamp_int (sum >> shift, 0, STEREO_NETWORK_LIMIT);
}

/* Neighbour q in raster order: rows and columns from the pixel. */
STEREO_INLINE int
stereo_network_row (int q)
{
  return (q < 12 ? q : q + 1) / 5 - 2;
}

STEREO_INLINE int
stereo_network_column (int q)
{
  return (q < 12 ? q : q + 1) % 5 - 2;
}

/* The number of the neighbour at a row and column from the pixel. */
STEREO_INLINE int
stereo_network_neighbor (int row, int column)
{
  const int n = 5 * (row + 2) + column + 2;

  return n < 12 ? n : n - 1;
}

#endif /* STEREO_LEARNED_FORMULA_H */
