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

/* Samples of a pixel, a multiple of LANES. */
#define PADDED ((SAMPLES + LANES) / LANES * LANES)

/* Votes for a pixel, by index + 1; 0 between pixels. */
typedef struct
{
  /* Sums of pack_weights(), of even and odd samples: successive samples often
   * have the same index, and a sum waits for the one before. */
  uint32_t both[STEREO_MAX_DISPARITIES + 2][2];
  uint16_t votes[STEREO_MAX_DISPARITIES + 2];
  /* Weights beyond the samples stay 0. */
  uint16_t code[PADDED];
  uint16_t weight[PADDED];
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

/* Copies the samples of a lane, and adds them to votes->both. */
static void
add_lane (const Samples * s, int lane, int unit, Votes * votes)
{
  const uint16_t *code = (const uint16_t *) s->code + lane;
  const uint8_t *weight = (const uint8_t *) s->weight + 2 * lane;
  const unsigned half = (unsigned) unit / 2;
  const int shift = __builtin_ctz ((unsigned) unit);

  for (int i = 0; i < s->n; i += 2) {
    for (int j = 0; j < 2; j++) {
      const unsigned from = code[j * LANES];

      votes->code[i + j] = (uint16_t) from;
      votes->weight[i + j] = weight[j];
      votes->both[((from + half) >> shift) + 1][j] += pack_weights (weight[j]);
    }
    code += 2 * LANES;
    weight += SIMD_BYTES;
  }
  memset (votes->weight + s->n, 0, sizeof (votes->weight[0])
      * (size_t) (PADDED - s->n));
}

/* The sum of all lanes, below 65536. */
static inline uint32_t
sum_lanes (VecU16 v)
{
  const VecU32 pairs = ((VecU32) v & 0xffff) + ((VecU32) v >> 16);
  uint32_t sum = 0;

  for (int i = 0; i < SIMD_BYTES / 4; i++)
    sum += pairs[i];
  return sum;
}

/* Divides the weights of an index by 8. */
static void
reduce_index (Votes * votes, int unit, int index)
{
  const VecU16 wanted = simd_set16 ((uint16_t) index);
  const int shift = __builtin_ctz ((unsigned) unit);

  for (int i = 0; i < PADDED; i += LANES) {
    const VecU16 weight = simd_load16 (votes->weight + i);
    const VecU16 at = (simd_load16 (votes->code + i) + (uint16_t) (unit / 2))
        >> shift;

    simd_store16 (votes->weight + i, simd_select16 (simd_mask_equal16 (at,
                wanted), weight >> 3, weight));
  }
}

/* Sets the weights of codes that are not from low to high to 0.  Returns the
 * total. */
static uint32_t
keep_near (Votes * votes, int low, int high)
{
  const VecU16 first = simd_set16 ((uint16_t) low);
  const VecU16 last = simd_set16 ((uint16_t) high);
  VecU16 whole = { 0 };

  for (int i = 0; i < PADDED; i += LANES) {
    const VecU16 code = simd_load16 (votes->code + i);
    const VecU16 weight = simd_select16 (simd_mask_equal16 (code, simd_min16 (
                simd_max16 (code, first), last)), simd_load16 (votes->weight
            + i), simd_set16 (0));

    simd_store16 (votes->weight + i, weight);
    whole += weight;
  }
  return sum_lanes (whole);
}

static uint32_t
weight_above (const Votes * votes, int code)
{
  const VecU16 bound = simd_set16 ((uint16_t) code);
  VecU16 sum = { 0 };

  for (int i = 0; i < PADDED; i += LANES)
    sum = simd_add_where16 (simd_mask_less16 (bound, simd_load16 (votes->code
                + i)), sum, simd_load16 (votes->weight + i));
  return sum_lanes (sum);
}

/* The weighted median of the samples near the best index, by bisection.
 * Changes their weights. */
static int
find_median (const StereoRefineJob * job, Votes * votes, int x, int y,
    int best)
{
  const int unit = job->k->unit, tolerance = stereo_vote_tolerance (unit);
  const int last = unit * (job->k->num_disparities - 1);
  int low = stereo_clamp_int (unit * best - tolerance, 0, last);
  int high = stereo_clamp_int (unit * best + tolerance, 0, last);
  uint32_t half;

  for (int d = stereo_vote_index (unit, low); d <= stereo_vote_index (unit,
          high); d++) {
    if (stereo_vote_is_hidden (right_row (job, y), job->k->width,
            job->k->min_disparity, x, d))
      reduce_index (votes, unit, d);
  }
  half = keep_near (votes, low, high) / 2;
  while (low < high) {
    const int middle = (low + high) / 2;

    if (weight_above (votes, middle) > half)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
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
    uint32_t *both = votes->both[d + 1];
    const uint32_t weight = both[0] + both[1] == 0 ? 0
        : choose_weight (job, right, x, d, both[0] + both[1]);

    both[0] = both[1] = 0;
    votes->votes[d + 1] = (uint16_t) weight;
    whole += weight;
  }
  if (whole >= STEREO_VOTE_MIN_WEIGHT)
    stereo_map_row (&job->work->filled, y)[x] = (uint16_t) find_median (job,
        votes, x, y, stereo_votes_best (votes->votes, lowest, highest,
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
