/* gst-stereomatching: private to the vector stages of vcbw
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_VCBW_SIMD_H
#define STEREO_VCBW_SIMD_H

#include "match/vcbw/vcbw.h"

/* vcbw-simd.c, compiled once for each. */
extern const StereoVcbwStages stereo_vcbw_stages_generic;
extern const StereoVcbwStages stereo_vcbw_stages_avx2;
extern const StereoVcbwStages stereo_vcbw_stages_avx512;

#ifdef STEREO_SIMD_NAME
#include "simd/simd.h"

/* An implementation of matching. */
typedef struct
{
  bool (*supports) (const StereoVcbwConstants * k);
  /* Work memory of a thread, a multiple of 64 bytes. */
  size_t (*worker_bytes) (const StereoSearch * search,
      const StereoVcbwConstants * k);
  /* memory: of all threads, aligned to 64 bytes. */
  void (*match) (const StereoMatchFrame * frame,
      const StereoVcbwConstants * k, uint8_t * memory);
} VcbwMatcher;

/* vcbw-simd-tiles.c: pixels in lanes, for all settings */
extern const VcbwMatcher SIMD_NAME (stereo_vcbw_tiles_);
/* vcbw-simd-lanes.c: disparities in lanes, for usual settings; nothing without
 * vectors of 32 bytes */
extern const VcbwMatcher SIMD_NAME (stereo_vcbw_lanes_);

/* vcbw-simd-costs.c: D of columns from to `to` in a row, for disparity d */
#define vcbw_cost_row SIMD_NAME (stereo_vcbw_cost_row_)
void vcbw_cost_row (const StereoMatchFrame * frame,
    const StereoVcbwConstants * k, int from, int to, int y, int d,
    uint8_t * row);

#if SIMD_HAS_PAIRS
/* D of pairs of columns in row y, from column `from` on, for SIMD_BYTES
 * disparities d, d - 1, ...: words only. */
#define vcbw_lane_costs SIMD_NAME (stereo_vcbw_lane_costs_)
void vcbw_lane_costs (const StereoMatchFrame * frame,
    const StereoVcbwConstants * k, int from, int pairs, int y, int d,
    VecU16 row[][2]);
#endif

/* Penalties in all lanes, and the largest sums to which they can be added.
 * Larger sums exceed the cost of the full window. */
typedef struct
{
  VecU16 edge;
  VecU16 edge_room;
  VecU16 corner;
  VecU16 corner_room;
} VcbwPenalties;

static inline void
vcbw_make_penalties (const StereoVcbwConstants * k, VcbwPenalties * p)
{
  p->edge = simd_set16 ((unsigned) k->edge);
  p->edge_room = simd_set16 (0xffffu - (unsigned) k->edge);
  p->corner = simd_set16 ((unsigned) k->corner);
  p->corner_room = simd_set16 (0xffffu - (unsigned) k->corner);
}

/* C of the quadrants left down, left up, right down, right up. */
ALWAYS_INLINE VecU16
vcbw_combine (const VcbwPenalties * p, VecU16 v0, VecU16 v1, VecU16 v2,
    VecU16 v3)
{
  VecU16 left = v0 + v1, right = v2 + v3, down = v0 + v2, up = v1 + v3;
  VecU16 edge = simd_min16 (simd_min16 (left, right), simd_min16 (down, up));
  VecU16 corner = simd_min16 (simd_min16 (v0, v1), simd_min16 (v2, v3));

  edge = simd_min16 (edge << 1, p->edge_room) + p->edge;
  corner = simd_min16 (corner << 2, p->corner_room) + p->corner;
  return simd_min16 (left + right, simd_min16 (edge, corner));
}

#endif

#endif /* STEREO_VCBW_SIMD_H */
