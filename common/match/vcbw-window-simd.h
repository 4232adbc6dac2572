/* gst-stereomatching: variable center-biased windows, C in vectors
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_VCBW_WINDOW_SIMD_H
#define STEREO_VCBW_WINDOW_SIMD_H

#include "match/vcbw.h"
#include "simd/simd.h"

/* Penalties in all lanes, and the largest sums that they can be added to; what
 * is beyond that never wins against the full window. */
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

#endif /* STEREO_VCBW_WINDOW_SIMD_H */
