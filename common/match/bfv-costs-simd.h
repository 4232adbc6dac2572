/* gst-stereomatching: bfv's matching costs with vector instructions
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * e of a row of the grid, in bytes where cost_threshold fits, else in 16 bits.
 * Columns without a partner have that of the first or last one that has
 * (cost/partner.h).
 *
 * For the files that are compiled for each instruction set.
 */

#ifndef STEREO_BFV_COSTS_SIMD_H
#define STEREO_BFV_COSTS_SIMD_H

#include "match/bfv-strip-simd.h"

#include "match/bfv-pixel.h"
#include "cost/census-simd.h"

/* Where the costs of a row come from: columns that have a partner, and the
 * bytes of both views. */
typedef struct
{
  int first;
  int end;
  size_t left;
  size_t right;                 /* of column first */
} CostRow;

static inline CostRow
find_cost_row (const BfvLayout * l, const BfvShift * shift,
    const BfvRows * rows, int v, int from, int to)
{
  size_t r = (size_t) (v - rows->first);
  CostRow row;

  row.first = stereo_clamp_int (shift->first, from, to);
  row.end = stereo_clamp_int (shift->end, from, to);
  row.left = r * l->left_stride;
  row.right = ((size_t) shift->phase * (size_t) l->rows + r)
      * l->right_stride - (size_t) shift->shift;
  return row;
}

ALWAYS_INLINE SimdCensus
load_census (uint8_t * const plane[4], size_t at)
{
  SimdCensus v;

  for (int i = 0; i < 3; i++)
    v.bits[i] = (VecU8) simd_load16 (plane[i] + at);
  v.gradient = (VecU8) simd_load16 (plane[3] + at);
  return v;
}

/* e of words that are side by side. */
ALWAYS_INLINE VecU8
census_costs (const BfvPixels * s, size_t left, size_t right)
{
  const SimdCensus p = load_census (s->left, left);
  const SimdCensus q = load_census (s->right, right);
  const VecU16 c = (VecU16) simd_census_cost (&p, &q);
  const VecU16 even = (c & 0xff) * STEREO_BFV_CENSUS_FACTOR + 128;
  const VecU16 odd = (c >> 8) * STEREO_BFV_CENSUS_FACTOR + 128;

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

/* Costs of one row of bytes, at columns from to to - 1 and some behind; for a
 * cost_threshold that fits. */
ALWAYS_INLINE void
bfv_cost_row8 (const BfvJob * job, const BfvShift * shift,
    const BfvRows * rows, int v, int from, int to, const BfvPixels * s,
    StereoCost kind)
{
  const StereoBfvConstants *k = job->k;
  const VecU8 limit = (VecU8) { 0 } + (uint8_t) k->cost_threshold;
  const CostRow row = find_cost_row (job->l, shift, rows, v, from, to);
  uint8_t *cost = s->cost + BFV_MARGIN;

  for (int u = row.first; u < row.end; u += SIMD_BYTES) {
    const size_t left = row.left + (size_t) u, right = row.right + (size_t) u;
    const VecU8 e = kind == STEREO_COST_CENSUS ? census_costs (s, left, right)
        : difference_costs (s, left, right, limit, kind == STEREO_COST_RGB);

    simd_store16 (cost + u, (VecU16) e);
  }
  if (row.first > from)
    memset (cost + from, (int) stereo_bfv_cost_at (k, job->views, 0,
            v * k->sampling_y, shift->d), (size_t) (row.first - from));
  if (to > row.end)
    memset (cost + row.end, (int) stereo_bfv_cost_at (k, job->views,
            k->width - 1, v * k->sampling_y, shift->d),
        (size_t) (to - row.end));
}

/* Costs of one row, of 16 bits, at columns from to to - 1. */
static inline void
bfv_cost_row16 (const BfvJob * job, const BfvShift * shift,
    const BfvRows * rows, int v, int from, int to, const BfvPixels * s,
    uint16_t * cost)
{
  const StereoBfvConstants *k = job->k;
  const CostRow row = find_cost_row (job->l, shift, rows, v, from, to);
  uint16_t limit = (uint16_t) k->cost_threshold, low, high;
  const uint8_t *p[3], *q[3];

  if (k->cost == STEREO_COST_CENSUS) {
    bfv_cost_row8 (job, shift, rows, v, from, to, s, STEREO_COST_CENSUS);
    for (int u = from; u < to; u++)
      cost[u] = s->cost[BFV_MARGIN + u];
    return;
  }
  for (int c = 0; c < 3; c++) {
    int plane = k->cost == STEREO_COST_RGB ? c : 0;

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
      shift->d);
  high = (uint16_t) stereo_bfv_cost_at (k, job->views, k->width - 1,
      v * k->sampling_y, shift->d);
  for (int u = from; u < row.first; u++)
    cost[u] = low;
  for (int u = row.end; u < to; u++)
    cost[u] = high;
}

#endif /* STEREO_BFV_COSTS_SIMD_H */
