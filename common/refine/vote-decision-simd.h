/* gst-stereomatching: SIMD decision of the vote for holes
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * For files that are compiled once per instruction set.
 *
 * The best index of each lane, and the weighted median of the samples near it.
 * The codes near index d, half a pixel more and relative to the first of
 * index d - 1, are 0 to 3 unit, or 0 to 2 if unit is 1: all codes of three
 * indices, and the first of a fourth.
 */

#ifndef STEREO_VOTE_DECISION_SIMD_H
#define STEREO_VOTE_DECISION_SIMD_H

#include "refine/vote-samples-simd.h"
#include "simd/simd-float.h"

/* Columns of VoteLimits on each side of the image. */
#define MARGIN LANES

/* The indices of a row that the right view can see: votes of pixel x for index
 * i count in full if i <= limit[MARGIN + x - i - min-disparity]. */
typedef struct
{
  const uint16_t *limit;
  int width;
  int min_disparity;
} VoteLimits;

/* The best index of each lane. */
typedef struct
{
  uint16_t index[LANES];
  uint16_t near[3][LANES];      /* weight of the indices around it */
  uint16_t whole[LANES];        /* of all */
} VoteBest;

/* Whether votes of pixel x for an index count an eighth. */
static inline bool
vote_is_hidden (const VoteLimits * l, int x, int index)
{
  return index > l->limit[MARGIN + stereo_clamp_int (x - index
          - l->min_disparity, -MARGIN, l->width)];
}

/* The same for adjacent pixels; all ones or 0. */
ALWAYS_INLINE VecI32
vote_are_hidden (const VoteLimits * l, int x, int index)
{
  return (VecI32) (index > (VecI32) simd_widen16 (l->limit + MARGIN
          + stereo_clamp_int (x - index - l->min_disparity, -MARGIN,
              l->width)));
}

static inline void
vote_store_narrow (uint16_t * p, VecI32 v)
{
  const HalfVecU16 narrow = simd_narrow32 ((VecU32) v);

  memcpy (p, &narrow, sizeof (narrow));
}

ALWAYS_INLINE VecI32
vote_select (VecI32 mask, VecI32 a, VecI32 b)
{
  return (a & mask) | (b & ~mask);
}

/* Finds the best index of lanes first to first + SIMD_LANES32 - 1, among those
 * from low to high, and clears their sums. */
ALWAYS_INLINE void
vote_find_best (const VoteTables * t, const VoteLimits * limits, int x,
    int first, int low, int high, VoteBest * best)
{
  /* The sum around index i - 1 is known with the weight of i. */
  const int n = t->job->k->num_disparities, last = high + 2 < n ? high + 2 : n;
  const VecI32 zero = { 0 };
  VecI32 index = zero, most = zero, whole = zero;
  VecI32 before = zero, center = zero, near[3] = { zero, zero, zero };

  for (int i = low; i <= last; i++) {
    uint32_t *const sums = t->sums + 2 * LANES * (i + 1) + first;
    const VecI32 both = simd_load_i32 (sums) + simd_load_i32 (sums + LANES);
    const VecI32 eighth = both & ((1 << EIGHTHS) - 1);
    const VecI32 weight = vote_select (vote_are_hidden (limits, x + first, i),
        eighth, (eighth << 3) + (both >> EIGHTHS));
    const VecI32 around = before + 2 * center + weight;
    const VecI32 better = (VecI32) (around > most);

    simd_store_i32 (sums, zero);
    simd_store_i32 (sums + LANES, zero);
    whole += weight;
    most = vote_select (better, around, most);
    index = vote_select (better, zero + (i - 1), index);
    near[0] = vote_select (better, before, near[0]);
    near[1] = vote_select (better, center, near[1]);
    near[2] = vote_select (better, weight, near[2]);
    before = center;
    center = weight;
  }
  vote_store_narrow (best->index + first, index);
  vote_store_narrow (best->whole + first, whole);
  for (int j = 0; j < 3; j++)
    vote_store_narrow (best->near[j] + first, near[j]);
}

/* The median of each lane: a part of the codes near the best index, which is
 * that of one index. */
typedef struct
{
  VecU16 offset;                /* of the first code of this part */
  VecU16 weight;                /* the median is the lowest code up to which
                                 * the part has this weight */
} VotePart;

/* The weights of both bytes added to each lane. */
ALWAYS_INLINE VecU16
vote_add_bytes (VecU16 sum, VecU8 weights)
{
#if SIMD_HAS_PAIRS
  return sum + simd_pairs ((VecU16) weights, simd_set16 (0x0101));
#else
  return sum + ((VecU16) weights & 0xff) + ((VecU16) weights >> 8);
#endif
}

/* Replaces the codes of a group by bytes relative to the first one near the
 * best index, as pairs in code[i][0], and drops pairs without any near it. */
ALWAYS_INLINE void
vote_make_relative (VoteGroup * g, VecU16 origin, int last)
{
  const VecU8 bound = simd_set8 ((uint8_t) ((last + 1) ^ SIMD_ORDER8));
  const VecU16 far = simd_set16 (255);
  int n = 0;

  for (int i = 0; i < g->n_pairs; i++) {
    const VecU16 codes = simd_min16 (g->code[i][0] - origin, far)
        | simd_min16 (g->code[i][1] - origin, far) << 8;

    g->code[n][0] = codes;
    g->weight[n] = g->weight[i];
    n += simd_any8 (simd_where_greater8 ((VecU8) g->weight[i], bound,
            (VecU8) codes ^ SIMD_ORDER8));
  }
  g->n_pairs = n;
}

/*
 * The weight of the samples whose codes are from offset up to, but not
 * including, end; both below 256.  hidden: lanes in which a sample counts an
 * eighth, all ones; only with any_hidden.
 */
ALWAYS_INLINE VecU16
vote_weigh_samples (const VoteGroup * g, VecU16 offset, VecU16 end,
    bool any_hidden, VecU16 hidden)
{
  const VecU8 origin = (VecU8) (offset | offset << 8) + SIMD_ORDER8;
  const VecU8 bound = (VecU8) (end | end << 8) - origin;
  VecU16 sum = { 0 };

  for (int i = 0; i < g->n_pairs; i++) {
    VecU16 weight = g->weight[i];

    if (any_hidden)
      weight = (weight & ~hidden) | (weight >> 3 & 0x1f1f & hidden);
    sum = vote_add_bytes (sum, simd_where_greater8 ((VecU8) weight, bound,
            (VecU8) g->code[i][0] - origin));
  }
  return sum;
}

static VecU16
vote_weigh (const VoteGroup * g, VecU16 offset, VecU16 end, VecU16 hidden)
{
  return simd_any8 ((VecU8) hidden) ? vote_weigh_samples (g, offset, end, true,
      hidden) : vote_weigh_samples (g, offset, end, false, hidden);
}

/* Whether votes of each hole for an index count an eighth. */
ALWAYS_INLINE VecU16
vote_find_hidden (const VoteLimits * limits, const VoteGroup * g,
    VecU16 index)
{
  uint16_t indices[LANES], hidden[LANES] = { 0 };

  simd_store16 (indices, index);
  for (int i = 0; i < g->n_holes; i++) {
    const int lane = g->hole[i];

    if (vote_is_hidden (limits, g->x + lane, indices[lane]))
      hidden[lane] = UINT16_MAX;
  }
  return simd_load16 (hidden);
}

/* The part in which the median is. */
ALWAYS_INLINE VotePart
vote_find_part (const VoteTables * t, const VoteLimits * limits,
    const VoteGroup * g, const VoteBest * best)
{
  const uint16_t unit = (uint16_t) (1 << t->shift);
  const VecU16 last = simd_set16 ((uint16_t) (3 * unit));
  VecU16 sum = { 0 }, whole = { 0 };
  VotePart part = { {0}, {0} };

  if (unit > 1)
    whole = vote_weigh (g, last, last + 1, vote_find_hidden (limits, g,
            simd_load16 (best->index) + 2));
  for (int j = 0; j < 3; j++)
    whole += simd_load16 (best->near[j]);
  part.weight = whole - (whole >> 1);
  for (int j = 0; j < 3; j++) {
    SimdMask16 above;

    sum += simd_load16 (best->near[j]);
    above = simd_mask_less16 (sum, whole - (whole >> 1));
    part.weight = simd_select16 (above, whole - (whole >> 1) - sum,
        part.weight);
    part.offset = simd_add_where16 (above, part.offset, simd_set16 (unit));
  }
  return part;
}

/* The weighted median of each lane, by bisection.  Changes the codes of the
 * group. */
ALWAYS_INLINE VecU16
vote_find_medians (const VoteTables * t, const VoteLimits * limits,
    VoteGroup * g, const VoteBest * best)
{
  const int unit = 1 << t->shift;
  const VecU16 index = simd_load16 (best->index);
  const VecU16 origin = (index - 1) << t->shift;
  VecU16 median, hidden;
  VotePart part;

  vote_make_relative (g, origin, 3 * unit);
  part = vote_find_part (t, limits, g, best);
  hidden = vote_find_hidden (limits, g, index - 1 + (part.offset
          >> t->shift));
  median = part.offset;
  for (int step = unit / 2; step > 0; step /= 2)
    median = simd_add_where16 (simd_mask_less16 (vote_weigh (g, part.offset,
                median + (uint16_t) step, hidden), part.weight), median,
        simd_set16 ((uint16_t) step));
  return origin + median - (uint16_t) (unit / 2);
}

#endif /* STEREO_VOTE_DECISION_SIMD_H */
