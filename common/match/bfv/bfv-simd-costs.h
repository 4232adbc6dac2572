/* gst-stereomatching: matching costs of bfv with vector instructions
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * e of a row of the grid, in bytes if cost_threshold fits, otherwise in 16
 * bits.  Columns without a partner repeat the cost of the first or last column
 * with one (cost/partner.h).
 */

#ifndef STEREO_BFV_SIMD_COSTS_H
#define STEREO_BFV_SIMD_COSTS_H

#include "match/bfv/bfv-simd-strip.h"

#include "match/bfv/bfv-formula.h"
#include "cost/cost-simd.h"

/* Columns with a partner, and the offsets of both views' bytes. */
typedef struct
{
  int first;
  int end;
  size_t left;
  size_t right;                 /* of column first */
} CostRow;

static inline CostRow
find_cost_row (const BfvLayout * l, const BfvDisparity * disparity,
    const BfvRows * rows, int v, int from, int to)
{
  size_t r = (size_t) (v - rows->first);
  CostRow row;

  row.first = stereo_clamp_int (disparity->first, from, to);
  row.end = stereo_clamp_int (disparity->end, from, to);
  row.left = r * l->left_stride;
  row.right = ((size_t) disparity->phase * (size_t) l->rows + r)
      * l->right_stride - (size_t) disparity->offset;
  return row;
}

ALWAYS_INLINE VecU8
words_costs (const BfvPixels * s, size_t left, size_t right)
{
  const VecU16 c = (VecU16) simd_words_cost_at ((const uint8_t * const *)
      s->left, (ptrdiff_t) left, (const uint8_t * const *) s->right,
      (ptrdiff_t) right);
  const VecU16 even = (c & 0xff) * STEREO_BFV_WORDS_FACTOR + 128;
  const VecU16 odd = (c >> 8) * STEREO_BFV_WORDS_FACTOR + 128;

  return (VecU8) (even >> 8 | (odd & 0xff00));
}

ALWAYS_INLINE VecU8
difference_costs (const BfvPixels * s, size_t left, size_t right, VecU8 limit,
    bool color)
{
  VecU8 sum = { 0 };

  for (int c = 0; c < (color ? 3 : 1); c++) {
    VecU8 difference = simd_absdiff8 ((VecU8) simd_load16 (s->left[c] + left),
        (VecU8) simd_load16 (s->right[c] + right));

    sum = c == 0 ? difference : simd_add_saturated8 (sum, difference);
    if (!color)
      sum = simd_add_saturated8 (simd_add_saturated8 (sum, difference),
          difference);
  }
  return simd_min8 (sum, limit);
}

/* Writes 8-bit costs of row v at columns from to to - 1 (and a few more). */
ALWAYS_INLINE void
bfv_cost_row8 (const BfvJob * job, const BfvDisparity * disparity,
    const BfvRows * rows, int v, int from, int to, const BfvPixels * s,
    StereoCostKind kind)
{
  const StereoBfvConstants *k = job->k;
  const VecU8 limit = (VecU8) { 0 } + (uint8_t) k->cost_threshold;
  const CostRow row = find_cost_row (job->l, disparity, rows, v, from, to);
  uint8_t *cost = s->cost + BFV_MARGIN;
  /* a local, because the store of costs might change what s points to */
  const BfvPixels pixels = *s;

  for (int u = row.first; u < row.end; u += SIMD_BYTES) {
    const size_t left = row.left + (size_t) u, right = row.right + (size_t) u;
    const VecU8 e = stereo_cost_uses_words (kind)
        ? words_costs (&pixels, left, right) : difference_costs (&pixels, left,
        right, limit, stereo_cost_is_color (kind));

    simd_store16 (cost + u, (VecU16) e);
  }
  if (row.first > from)
    memset (cost + from, (int) stereo_bfv_cost_at (k, job->views, 0,
            v * k->sampling_y, disparity->d), (size_t) (row.first - from));
  if (to > row.end)
    memset (cost + row.end, (int) stereo_bfv_cost_at (k, job->views,
            k->width - 1, v * k->sampling_y, disparity->d),
        (size_t) (to - row.end));
}

/* Writes 16-bit costs of row v at columns from to to - 1. */
static inline void
bfv_cost_row16 (const BfvJob * job, const BfvDisparity * disparity,
    const BfvRows * rows, int v, int from, int to, const BfvPixels * s,
    uint16_t * cost)
{
  const StereoBfvConstants *k = job->k;
  const CostRow row = find_cost_row (job->l, disparity, rows, v, from, to);
  uint16_t limit = (uint16_t) k->cost_threshold, low, high;
  const uint8_t *p[3], *q[3];

  if (stereo_cost_uses_words (k->cost)) {
    bfv_cost_row8 (job, disparity, rows, v, from, to, s, k->cost);
    for (int u = from; u < to; u++)
      cost[u] = s->cost[BFV_MARGIN + u];
    return;
  }
  for (int c = 0; c < 3; c++) {
    int plane = stereo_cost_is_color (k->cost) ? c : 0;

    p[c] = s->left[plane] + row.left + row.first;
    q[c] = s->right[plane] + row.right + row.first;
  }
  for (int u = 0; u < row.end - row.first; u++) {
    int sum = 0;

    for (int c = 0; c < 3; c++) {
      int difference = p[c][u] - q[c][u];

      sum += difference < 0 ? -difference : difference;
    }
    cost[row.first + u] = (uint16_t) (sum < limit ? sum : limit);
  }
  low = (uint16_t) stereo_bfv_cost_at (k, job->views, 0, v * k->sampling_y,
      disparity->d);
  high = (uint16_t) stereo_bfv_cost_at (k, job->views, k->width - 1,
      v * k->sampling_y, disparity->d);
  for (int u = from; u < row.first; u++)
    cost[u] = low;
  for (int u = row.end; u < to; u++)
    cost[u] = high;
}

#endif /* STEREO_BFV_SIMD_COSTS_H */
