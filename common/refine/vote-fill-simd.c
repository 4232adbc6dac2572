/* gst-stereomatching: SIMD filling of holes by votes
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Compiled once for each instruction set.
 *
 * The samples of a group of adjacent pixels are collected together, one pixel
 * per lane, as codes and weights before the check against the right view.  That
 * check depends only on the pixel and the index voted for, so that the sums of
 * both weights of an index, w and w / 8, are made first, in one word.
 */

#include "core/cpu.h"
#include "refine/carry-simd.h"
#include "refine/refine-cpu.h"
#include "refine/stages-simd.h"
#include "refine/votes.h"
#include "simd/simd.h"

#define LANES (SIMD_BYTES / 2)
#define SAMPLES STEREO_VOTE_SAMPLES

/* Pixels of a row, one per lane; those outside the image have no valid code. */
typedef struct
{
  VecU16 code;
  VecI16 slopes[2];
  VecU8 left[3];                /* in the low bytes of 16-bit lanes */
} Pixels;

/* The samples of a group.  Sample i has the weights in bytes i & 1 of the lanes
 * of weight[i / 2]. */
typedef struct
{
  int n;
  VecU16 code[SAMPLES + 1];
  VecU8 weight[(SAMPLES + 1) / 2];
  VecU16 low, high;             /* of codes with a weight */
  VecU16 before;                /* differences of the last sample of odd n */
} Samples;

/* Votes for a pixel, by index + 1; 0 between pixels. */
typedef struct
{
  uint32_t both[STEREO_MAX_DISPARITIES + 2];
  uint16_t votes[STEREO_MAX_DISPARITIES + 2];
} Votes;

/* A weight with its reduced value above it. */
static inline uint32_t
pack_weights (uint32_t weight)
{
  return weight | (weight >> 3) << 16;
}

/* ------------------------------------------------------------------ samples */

ALWAYS_INLINE void
load_inside (const StereoRefineJob * job, int channels, int u, int v,
    Pixels * p)
{
  p->code = simd_load16 (stereo_map_row (&job->work->map, v) + u);
  for (int i = 0; i < 2; i++)
    p->slopes[i] = simd_load_i16 (stereo_slope_row (job->work, i, v) + u);
  for (int c = 0; c < channels; c++)
    p->left[c] = (VecU8) simd_widen8 (job->left->plane[c] + (size_t) v
        * job->left->stride + (size_t) u);
}

/* Some pixels are beyond the left or the right edge. */
static void
load_edge (const StereoRefineJob * job, int u, int v, Pixels * p)
{
  const int first = u < 0 ? -u : 0;
  const int n = stereo_clamp_int (job->k->width - u, 0, LANES) - first;
  const size_t bytes = (size_t) n * sizeof (uint16_t);
  uint16_t codes[LANES];
  int16_t slopes[LANES] = { 0 };
  uint8_t left[LANES] = { 0 };

  memset (codes, 0xff, sizeof (codes));
  memcpy (codes + first, stereo_map_row (&job->work->map, v) + u + first,
      bytes);
  p->code = simd_load16 (codes);
  for (int i = 0; i < 2; i++) {
    memcpy (slopes + first, stereo_slope_row (job->work, i, v) + u + first,
        bytes);
    p->slopes[i] = simd_load_i16 (slopes);
  }
  for (int c = 0; c < job->k->channels; c++) {
    memcpy (left + first, job->left->plane[c] + (ptrdiff_t) v
        * (ptrdiff_t) job->left->stride + u + first, (size_t) n);
    p->left[c] = (VecU8) simd_widen8 (left);
  }
}

ALWAYS_INLINE void
load_pixels (const StereoRefineJob * job, int channels, int u, int v,
    Pixels * p)
{
  if (u >= 0 && u + LANES <= job->k->width)
    load_inside (job, channels, u, v, p);
  else
    load_edge (job, u, v, p);
}

/* Extends the range by codes with a weight. */
ALWAYS_INLINE void
extend_range (Samples * s, VecU16 code, VecU16 weight)
{
  const VecU16 none = (VecU16) (weight == 0);

  s->low = simd_min16 (s->low, code | none);
  s->high = simd_max16 (s->high, code & ~none);
}

/* Weights of samples i and i + 1. */
ALWAYS_INLINE void
add_weights (Samples * s, int i, VecU16 differences, const SimdTable64 * table)
{
  const VecU16 weights = (VecU16) simd_table64_get (table,
      (VecU8) differences);

  s->weight[i / 2] = (VecU8) weights;
  extend_range (s, s->code[i], weights & 0xff);
  extend_range (s, s->code[i + 1], weights >> 8);
}

/* Invalid samples differ by 255, and have the weight 0. */
ALWAYS_INLINE void
add_pixels (Samples * s, int channels, const SimdTable64 * table,
    const Pixels * center, const Pixels * p, VecI16 code)
{
  VecU8 most = { 0 };
  VecU16 difference;

  for (int c = 0; c < channels; c++)
    most = simd_max8 (most, simd_absdiff8 (p->left[c], center->left[c]));
  difference = ((VecU16) most | (VecU16) (p->code == STEREO_INVALID)) & 0xff;
  s->code[s->n] = (VecU16) code ^ 0x8000;
  if (s->n & 1)
    add_weights (s, s->n - 1, s->before | difference << 8, table);
  s->before = difference;
  s->n++;
}

/* The samples of the group at (x, y). */
ALWAYS_INLINE void
collect_samples (const StereoRefineJob * job, int channels,
    const SimdTable64 * table, int x, int y, Samples * s)
{
  const StereoRefineConstants *k = job->k;
  const SimdCarryLimits limits = simd_carry_limits (stereo_vote_limit
      (k->unit), k->unit * (k->num_disparities - 1));
  Pixels center, p;

  s->n = 0;
  s->low = simd_set16 (UINT16_MAX);
  s->high = simd_set16 (0);
  load_pixels (job, channels, x, y, &center);
  for (int ring = 0; ring < STEREO_VOTE_RINGS; ring++) {
    const int step = STEREO_VOTE_STEP (ring);
    const int scale = __builtin_ctz ((unsigned) step);
    const int reach = STEREO_VOTE_RADIUS (ring) / step;

    for (int b = -reach; b <= reach; b++) {
      for (int a = -reach; a <= reach; a++) {
        const int u = x + a * step, v = y + b * step;

        if (v < 0 || v >= k->height || u <= -LANES || u >= k->width)
          continue;
        load_pixels (job, channels, u, v, &p);
        add_pixels (s, channels, table, &center, &p, simd_carry (&limits,
                p.code, p.slopes[0], p.slopes[1], a, b, scale));
      }
    }
  }
  if (s->n & 1) {
    s->code[s->n] = simd_set16 (0);
    add_weights (s, s->n - 1, s->before | 0xff00, table);
    s->n++;
  }
}

/* -------------------------------------------------------------------- votes */

/* The row of right winners, or NULL. */
static const uint32_t *
right_row (const StereoRefineJob * job, int y)
{
  const StereoWinners *w = job->winners;

  return w->right == NULL ? NULL : w->right + (size_t) y * w->right_stride;
}

/* The weight that counts at pixel x for an index, of pack_weights(). */
static inline uint32_t
choose_weight (const StereoRefineJob * job, const uint32_t * right, int x,
    int index, uint32_t both)
{
  return stereo_vote_is_hidden (right, job->k->width, job->k->min_disparity, x,
      index) ? both >> 16 : both & 0xffff;
}

/* Adds the samples of a lane to votes->both. */
static void
add_lane (const Samples * s, int lane, int unit, Votes * votes)
{
  const uint16_t *code = (const uint16_t *) s->code + lane;
  const uint8_t *weight = (const uint8_t *) s->weight + 2 * lane;
  const unsigned half = (unsigned) unit / 2;
  const int shift = __builtin_ctz ((unsigned) unit);

  for (int i = 0; i < s->n; i += 2) {
    votes->both[((code[0] + half) >> shift) + 1] += pack_weights (weight[0]);
    votes->both[((code[LANES] + half) >> shift) + 1]
        += pack_weights (weight[1]);
    code += 2 * LANES;
    weight += SIMD_BYTES;
  }
}

/* The weighted median of a lane near code center. */
static int
find_median (const StereoRefineJob * job, const Samples * s, int lane, int x,
    int y, int center)
{
  const uint16_t *codes = (const uint16_t *) s->code + lane;
  const uint8_t *weights = (const uint8_t *) s->weight + 2 * lane;
  const int unit = job->k->unit, tolerance = stereo_vote_tolerance (unit);
  uint32_t sums[STEREO_VOTE_NEAR] = { 0 }, whole = 0;

  for (int i = 0; i < s->n; i++) {
    const unsigned offset = (unsigned) (codes[i * LANES] - center + tolerance);

    if (offset <= 2 * (unsigned) tolerance)
      sums[offset] += pack_weights (weights[i / 2 * SIMD_BYTES + (i & 1)]);
  }
  for (int i = 0; i <= 2 * tolerance; i++) {
    if (sums[i] == 0)
      continue;
    sums[i] = choose_weight (job, right_row (job, y), x, stereo_vote_index (
            unit, center - tolerance + i), sums[i]);
    whole += sums[i];
  }
  return center + stereo_votes_median (sums, whole) - tolerance;
}

/* Fills the pixel (x, y) of this lane. */
static void
fill_pixel (const StereoRefineJob * job, const Samples * s, int lane, int x,
    int y, Votes * votes)
{
  const StereoRefineConstants *k = job->k;
  const uint32_t *right = right_row (job, y);
  const int lowest = stereo_vote_index (k->unit, s->low[lane]);
  const int highest = stereo_vote_index (k->unit, s->high[lane]);
  uint32_t whole = 0;

  /* Without weights. */
  if (s->low[lane] > s->high[lane])
    return;
  add_lane (s, lane, k->unit, votes);
  for (int d = lowest; d <= highest; d++) {
    const uint32_t weight = choose_weight (job, right, x, d,
        votes->both[d + 1]);

    votes->both[d + 1] = 0;
    votes->votes[d + 1] = (uint16_t) weight;
    whole += weight;
  }
  if (whole >= STEREO_VOTE_MIN_WEIGHT)
    stereo_map_row (&job->work->filled, y)[x] = (uint16_t) find_median (job, s,
        lane, x, y, k->unit * stereo_votes_best (votes->votes, lowest, highest,
            k->num_disparities));
  memset (votes->votes + lowest + 1, 0, sizeof (votes->votes[0])
      * (size_t) (highest - lowest + 1));
}

/* Fills the holes of the group at (x, y). */
static void
fill_group (const StereoRefineJob * job, const SimdTable64 * table, int x,
    int y, Votes * votes)
{
  const uint16_t *map = stereo_map_row (&job->work->map, y);
  Samples samples;

  if (job->k->channels == 1)
    collect_samples (job, 1, table, x, y, &samples);
  else
    collect_samples (job, 3, table, x, y, &samples);
  for (int lane = 0; lane < LANES && x + lane < job->k->width; lane++) {
    if (map[x + lane] == STEREO_INVALID)
      fill_pixel (job, &samples, lane, x + lane, y, votes);
  }
}

static void
vote_rows (const void *context, StereoSpan span)
{
  const StereoRefineJob *job = context;
  const StereoRefineConstants *k = job->k;
  const SimdTable64 table = simd_table64 (k->weight);
  const size_t n = (size_t) k->num_disparities + 2;
  Votes votes;

  memset (votes.both, 0, sizeof (votes.both[0]) * n);
  memset (votes.votes, 0, sizeof (votes.votes[0]) * n);
  for (int y = span.begin; y < span.end; y++) {
    const uint16_t *map = stereo_map_row (&job->work->map, y);

    for (int x = 0; x < k->width; x++) {
      if (map[x] != STEREO_INVALID)
        continue;
      fill_group (job, &table, x, y, &votes);
      x += LANES - 1;
    }
  }
}

StereoStatus
SIMD_NAME (stereo_vote_fill_) (StereoQueue * queue,
    const StereoRefineConstants * k, const StereoView * left,
    const StereoWinners * winners, const StereoRefineWork * work)
{
  const StereoRefineJob job = {.k = k,.work = work,.winners = winners,
    .left = left
  };

  stereo_cpu_for (queue, k->height, 0, vote_rows, &job);
  return STEREO_OK;
}
