/* gst-stereomatching: SIMD samples of the vote for holes
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * For files that are compiled once per instruction set.
 *
 * The samples of a group of adjacent pixels are collected together, one pixel
 * per lane, and summed by index in a table with the same lanes: the sums of
 * different pixels do not wait for each other.  Pixels that are no holes have
 * no weight.
 *
 * Whether a vote counts an eighth of its weight w depends only on the pixel and
 * the index voted for.  So both sums are made first, as those of w / 8 and of
 * w % 8, in one word; neither overflows.
 */

#ifndef STEREO_VOTE_SAMPLES_SIMD_H
#define STEREO_VOTE_SAMPLES_SIMD_H

#include "refine/carry-simd.h"
#include "refine/refine-cpu.h"
#include "simd/simd.h"

#define LANES (SIMD_BYTES / 2)
/* Of a ring, at most; an odd number is followed by a sample without weight. */
#define RING_SAMPLES 80
#define PAIRS (STEREO_VOTE_SAMPLES / 2)

/* Bits of the sum of w / 8, below that of w % 8. */
#define EIGHTHS 13

/* The holes among adjacent pixels of a row, and their samples.  Samples without
 * a weight for any of them are left out. */
typedef struct
{
  int x, y;                     /* of the first lane */
  int n_holes;
  uint8_t hole[LANES];          /* their lanes */
  VecU16 no_hole;               /* all ones in the other lanes */
  int n_pairs;
  /* Of pair i, samples 2 i and 2 i + 1: their codes, half a pixel more, and
   * the weights of both in the bytes of each lane. */
  VecU16 code[PAIRS][2];
  VecU16 weight[PAIRS];
  VecU16 low, high;             /* indices with a weight */
} VoteGroup;

/* What the groups of a worker share. */
typedef struct
{
  const StereoRefineJob *job;
  int width, height;
  int shift;                    /* log2 of unit */
  uint16_t half;                /* a code is that of simd_carry() plus this */
  SimdTable64 weights;
  SimdCarryLimits limits;
  /* Of index i and lane j at 2 LANES (i + 1) + j, of even samples, and LANES
   * behind that, of odd ones; 0 between groups. */
  uint32_t *sums;
} VoteTables;

/* The first lane of a group in row v of the maps and of the left view. */
typedef struct
{
  const uint16_t *code;
  const int16_t *slopes[2];
  const uint8_t *left[3];
} VoteRow;

/* Pixels of a row, one per lane. */
typedef struct
{
  VecU16 code;                  /* STEREO_INVALID outside the image */
  VecI16 slopes[2];
  VecU8 left[3];                /* in the low bytes of 16-bit lanes */
} VotePixels;

/* Samples of a ring: codes as in VoteGroup, and differences to the centre. */
typedef struct
{
  int n;
  VecU16 code[RING_SAMPLES + 1];
  VecU16 difference[RING_SAMPLES + 1];
} VoteRing;

ALWAYS_INLINE VoteRow
vote_row (const StereoRefineJob * job, int channels, int x, int v)
{
  VoteRow row = {.code = stereo_map_row (&job->work->map, v) + x };

  for (int i = 0; i < 2; i++)
    row.slopes[i] = stereo_slope_row (job->work, i, v) + x;
  for (int c = 0; c < channels; c++)
    row.left[c] = job->left->plane[c] + (size_t) v * job->left->stride
        + (size_t) x;
  return row;
}

ALWAYS_INLINE VotePixels
vote_load_inside (const VoteRow * row, int channels, ptrdiff_t dx)
{
  VotePixels p;

  p.code = simd_load16 (row->code + dx);
  for (int i = 0; i < 2; i++)
    p.slopes[i] = simd_load_i16 (row->slopes[i] + dx);
  for (int c = 0; c < channels; c++)
    p.left[c] = (VecU8) simd_widen8 (row->left[c] + dx);
  return p;
}

/* Some pixels are beyond the left or the right edge, and some are not. */
ALWAYS_INLINE VotePixels
vote_load_edge (const VoteRow * row, int channels, int width, int x, int dx)
{
  const int first = x + dx < 0 ? -x - dx : 0;
  const int n = stereo_clamp_int (width - x - dx, 0, LANES) - first;
  const size_t bytes = (size_t) n * sizeof (uint16_t);
  uint16_t codes[LANES];
  int16_t slopes[LANES] = { 0 };
  uint8_t left[LANES] = { 0 };
  VotePixels p;

  memset (codes, 0xff, sizeof (codes));
  memcpy (codes + first, row->code + dx + first, bytes);
  p.code = simd_load16 (codes);
  for (int i = 0; i < 2; i++) {
    memcpy (slopes + first, row->slopes[i] + dx + first, bytes);
    p.slopes[i] = simd_load_i16 (slopes);
  }
  for (int c = 0; c < channels; c++) {
    memcpy (left + first, row->left[c] + dx + first, bytes / 2);
    p.left[c] = (VecU8) simd_widen8 (left);
  }
  return p;
}

/* edge: the group has samples beyond the left or the right edge. */
ALWAYS_INLINE VotePixels
vote_load (const VoteTables * t, const VoteRow * row, int channels, bool edge,
    int x, int dx)
{
  return edge && (x + dx < 0 || x + dx + LANES > t->width)
      ? vote_load_edge (row, channels, t->width, x, dx)
      : vote_load_inside (row, channels, dx);
}

/* The sample at (a, b) 2^scale pixels from the group. */
ALWAYS_INLINE void
vote_add_sample (const VoteTables * t, const VoteGroup * g,
    const VotePixels * center, const VotePixels * p, int channels, int scale,
    int a, int b, VoteRing * ring)
{
  const VecU16 code = p->code | g->no_hole;
  VecU8 most = { 0 };

  for (int c = 0; c < channels; c++)
    most = simd_max8 (most, simd_absdiff8 (p->left[c], center->left[c]));
  /* A difference of 255 has no weight. */
  ring->difference[ring->n] = simd_select16 (simd_mask_equal16 (code,
          simd_set16 (STEREO_INVALID)), simd_set16 (255), (VecU16) most);
  ring->code[ring->n] = (VecU16) simd_carry (&t->limits, code, p->slopes[0],
      p->slopes[1], a, b, scale) + t->half;
  /* Without a branch, which would be hard to predict. */
  ring->n += simd_any8 ((VecU8) ~code);
}

ALWAYS_INLINE void
vote_collect_ring (const VoteTables * t, const VoteGroup * g,
    const VotePixels * center, int channels, bool edge, int i,
    VoteRing * ring)
{
  const int step = STEREO_VOTE_STEP (i), reach = STEREO_VOTE_RADIUS (i) / step;
  const int scale = __builtin_ctz ((unsigned) step);

  ring->n = 0;
  for (int b = -reach; b <= reach; b++) {
    VoteRow row;

    if (g->y + b * step < 0 || g->y + b * step >= t->height)
      continue;
    row = vote_row (t->job, channels, g->x, g->y + b * step);
    for (int a = -reach; a <= reach; a++) {
      if (stereo_vote_has (i, a * step, b * step) && (!edge
              || (g->x + a * step > -LANES && g->x + a * step < t->width))) {
        const VotePixels p = vote_load (t, &row, channels, edge, g->x,
            a * step);

        vote_add_sample (t, g, center, &p, channels, scale, a, b, ring);
      }
    }
  }
  ring->code[ring->n] = simd_set16 (0);
  ring->difference[ring->n] = simd_set16 (255);
}

/* Adds a pair of samples to the sums. */
ALWAYS_INLINE void
vote_sum_pair (const VoteTables * t, const VoteGroup * g, VecU16 first,
    VecU16 second, VecU16 weight)
{
  uint16_t index[2][LANES], parts[2][LANES];

  simd_store16 (index[0], first);
  simd_store16 (index[1], second);
  simd_store16 (parts[0], (weight >> 3 & 31) | weight << EIGHTHS);
  simd_store16 (parts[1], weight >> 11 | (weight >> 8) << EIGHTHS);
  for (int i = 0; i < g->n_holes; i++) {
    const unsigned lane = g->hole[i];
    uint32_t *const sums = t->sums + 2 * LANES + lane;

    sums[2 * LANES * index[0][lane]] += parts[0][lane];
    sums[2 * LANES * index[1][lane] + LANES] += parts[1][lane];
  }
}

/* Extends the range by indices with a weight. */
ALWAYS_INLINE void
vote_extend_range (VoteGroup * g, VecU16 index, VecU16 weight)
{
  const SimdMask16 none = simd_mask_equal16 (weight, simd_set16 (0));

  g->low = simd_select16 (none, g->low, simd_min16 (g->low, index));
  g->high = simd_select16 (none, g->high, simd_max16 (g->high, index));
}

ALWAYS_INLINE void
vote_add_ring (const VoteTables * t, const VoteRing * ring, VoteGroup * g)
{
  for (int i = 0; i < ring->n; i += 2) {
    const VecU16 weight = (VecU16) simd_table64_get (&t->weights,
        (VecU8) (ring->difference[i] | ring->difference[i + 1] << 8));
    const VecU16 first = ring->code[i] >> t->shift;
    const VecU16 second = ring->code[i + 1] >> t->shift;

    if (!simd_any8 ((VecU8) weight))
      continue;
    g->code[g->n_pairs][0] = ring->code[i];
    g->code[g->n_pairs][1] = ring->code[i + 1];
    g->weight[g->n_pairs++] = weight;
    vote_extend_range (g, first, weight & 0xff);
    vote_extend_range (g, second, weight >> 8);
    vote_sum_pair (t, g, first, second, weight);
  }
}

/* Collects the samples of a group, and sums them. */
ALWAYS_INLINE void
vote_collect (const VoteTables * t, int channels, bool edge, VoteGroup * g)
{
  const VoteRow row = vote_row (t->job, channels, g->x, g->y);
  const VotePixels center = vote_load (t, &row, channels, edge, g->x, 0);
  VoteRing ring;

  g->n_pairs = 0;
  g->low = simd_set16 (UINT16_MAX);
  g->high = simd_set16 (0);
  for (int i = 0; i < STEREO_VOTE_RINGS; i++) {
    vote_collect_ring (t, g, &center, channels, edge, i, &ring);
    vote_add_ring (t, &ring, g);
  }
}

#endif /* STEREO_VOTE_SAMPLES_SIMD_H */
