/* gst-stereomatching: ESAW and ESMP with vector instructions
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Compiled once for each instruction set, with STEREO_SIMD_NAME its name.
 *
 * Without messages all weights are made first, and each thread takes a range
 * of the disparities through all passes (expstep-cascade-tmpl.h).  With
 * messages threads share the rows of a pass (expstep-sweeps-tmpl.h); the
 * weights of a row are made once for all disparities.  Even and odd pixels are
 * kept apart in 16-bit lanes, so that nothing is shuffled.
 */

#include "match/expstep-simd.h"

#include "core/cpu.h"
#include "core/progress.h"
#include "cost/census-simd.h"
#include "match/expstep-cpu.h"
#include "match/expstep-pixel.h"
#include "refine/output.h"
#include "refine/winner-pixel.h"
#include "simd/simd.h"

#define STAGES SIMD_NAME (stereo_expstep_stages_)

#define LANES (SIMD_BYTES / 2)

/* Weights of the pixels before and behind those of a row, 0 to 170; zero where
 * there is none, and up to the pitch. */
typedef struct
{
  const uint8_t *before;
  const uint8_t *after;
} RowWeights;

/* For a thread to make them in. */
typedef struct
{
  uint8_t raw[2][STEREO_MAX_SIZE + SIMD_ALIGNMENT];
  uint8_t made[2][STEREO_MAX_SIZE + SIMD_ALIGNMENT];
} __attribute__ ((aligned (SIMD_ALIGNMENT))) WeightMemory;

/* ------------------------------------------------------------------ weights */

ALWAYS_INLINE void
raw_weights_metric (const uint8_t * const a[3], const uint8_t * const b[3],
    const uint8_t * table, int n, uint8_t * u, int metric, int channels)
{
  uint16_t place[256];

  for (int x0 = 0; x0 < n; x0 += 256) {
    int m = n - x0 < 256 ? n - x0 : 256;

    for (int x = 0; x < m; x++) {
      int d[3] = { 0, 0, 0 };

      for (int c = 0; c < channels; c++)
        d[c] = a[c][x0 + x] - b[c][x0 + x];
      place[x] = (uint16_t) stereo_expstep_difference (metric, d[0], d[1],
          d[2]);
    }
    for (int x = 0; x < m; x++)
      u[x0 + x] = table[place[x]];
  }
}

/* u for n pairs of pixels. */
static void
raw_weights (const StereoExpstepConstants * k, const StereoExpstepWork * work,
    const uint8_t * table, size_t at_a, size_t at_b, int n, uint8_t * u)
{
  const uint8_t *a[3], *b[3];

  for (int c = 0; c < 3; c++) {
    const uint8_t *plane = stereo_expstep_left (k, work,
        k->channels == 1 ? 0 : c);

    a[c] = plane + at_a;
    b[c] = plane + at_b;
  }
  if (k->channels == 1)
    raw_weights_metric (a, b, table, n, u, STEREO_COLOR_METRIC_MAX, 1);
  else if (k->metric == STEREO_COLOR_METRIC_MAX)
    raw_weights_metric (a, b, table, n, u, STEREO_COLOR_METRIC_MAX, 3);
  else if (k->metric == STEREO_COLOR_METRIC_MEAN)
    raw_weights_metric (a, b, table, n, u, STEREO_COLOR_METRIC_MEAN, 3);
  else
    raw_weights_metric (a, b, table, n, u, STEREO_COLOR_METRIC_RMS, 3);
}

/* (512 u + t) / (2 t) without a division for each: the quotient is a multiple
 * of 1 / (2 t) > 0.0006, which the sum of all errors, below 0.0002 with what
 * is added against them, can't bridge. */
static void
normalise (const uint8_t * u, const uint8_t * v, int n, uint8_t * before,
    uint8_t * after)
{
  for (int x = 0; x < n; x++) {
    int a = u[x], b = v[x], t = 256 + a + b;
    float r = 1.0f / (float) (2 * t);

    before[x] = (uint8_t) (int) ((float) (512 * a + t) * r + 1e-4f);
    after[x] = (uint8_t) (int) ((float) (512 * b + t) * r + 1e-4f);
  }
}

/* Along a row. */
static void
make_row_weights (const StereoExpstepConstants * k,
    const StereoExpstepPass * pass, const StereoExpstepWork * work, int y,
    WeightMemory * m, uint8_t * before, uint8_t * after)
{
  int s = pass->step < k->width ? pass->step : k->width;
  size_t row = (size_t) y * work->pitch;

  memset (m->raw[0], 0, (size_t) s);
  memset (m->raw[1] + (k->width - s), 0, (size_t) s);
  raw_weights (k, work, pass->weight, row, row + (size_t) s, k->width - s,
      m->raw[1]);
  memcpy (m->raw[0] + s, m->raw[1], (size_t) (k->width - s));
  normalise (m->raw[0], m->raw[1], k->width, before, after);
  memset (before + k->width, 0, work->pitch - (size_t) k->width);
  memset (after + k->width, 0, work->pitch - (size_t) k->width);
}

/* Along columns. */
static void
make_column_weights (const StereoExpstepConstants * k,
    const StereoExpstepPass * pass, const StereoExpstepWork * work, int y,
    WeightMemory * m, uint8_t * before, uint8_t * after)
{
  int s = pass->step;
  size_t row = (size_t) y * work->pitch, width = (size_t) k->width;
  size_t offset = (size_t) s * work->pitch;

  if (y >= s)
    raw_weights (k, work, pass->weight, row, row - offset, k->width,
        m->raw[0]);
  else
    memset (m->raw[0], 0, width);
  if (y + s < k->height)
    raw_weights (k, work, pass->weight, row, row + offset, k->width,
        m->raw[1]);
  else
    memset (m->raw[1], 0, width);
  normalise (m->raw[0], m->raw[1], k->width, before, after);
  memset (before + width, 0, work->pitch - width);
  memset (after + width, 0, work->pitch - width);
}

/* Where the kept weights of a row are; side 0 = before, 1 = behind. */
static uint8_t *
kept_weights (const StereoExpstepConstants * k,
    const StereoExpstepWork * work, int index, bool columns, int side, int y)
{
  return work->weights + ((size_t) (4 * index + 2 * columns + side)
      * (size_t) k->height + (size_t) y) * work->pitch;
}

static RowWeights
kept_row (const StereoExpstepConstants * k, const StereoExpstepWork * work,
    int index, bool columns, int y)
{
  return (RowWeights) {
    kept_weights (k, work, index, columns, 0, y),
    kept_weights (k, work, index, columns, 1, y)
  };
}

static RowWeights
made_row (const StereoExpstepConstants * k, const StereoExpstepPass * pass,
    bool columns, const StereoExpstepWork * work, int y, WeightMemory * m)
{
  if (columns)
    make_column_weights (k, pass, work, y, m, m->made[0], m->made[1]);
  else
    make_row_weights (k, pass, work, y, m, m->made[0], m->made[1]);
  return (RowWeights) { m->made[0], m->made[1] };
}

/* What the threads of a loop work on. */
typedef struct
{
  const StereoExpstepConstants *k;
  const StereoExpstepPass *passes;
  int n_passes;
  const StereoExpstepWork *work;
  const StereoMatchFrame *frame;
} Job;

static void
weight_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoExpstepConstants *k = job->k;
  const StereoExpstepWork *work = job->work;
  WeightMemory m;

  for (int i = 0; i < job->n_passes; i++) {
    for (int y = span.begin; y < span.end; y++) {
      make_row_weights (k, &job->passes[i], work, y, &m,
          kept_weights (k, work, i, false, 0, y),
          kept_weights (k, work, i, false, 1, y));
      make_column_weights (k, &job->passes[i], work, y, &m,
          kept_weights (k, work, i, true, 0, y),
          kept_weights (k, work, i, true, 1, y));
    }
  }
}

static StereoStatus
prepare_cpu (const StereoMatchFrame * frame, const StereoExpstepConstants * k,
    const StereoExpstepPass * passes, int n_passes,
    const StereoExpstepWork * work)
{
  Job job = {.k = k,.passes = passes,.n_passes = n_passes,.work = work };
  StereoStatus status = stereo_expstep_prepare_cpu (frame, k, work);

  if (status == STEREO_OK && work->weights != NULL)
    stereo_cpu_for (frame->queue, k->height, 0, weight_rows, &job);
  return status;
}

/* ----------------------------------------------------------------- messages */

/* The way from the lowest disparity up, for SIMD_BYTES columns: what a
 * disparity has of those below it.  Where M is cut off only matters at the end,
 * as no detour gets below that. */
typedef struct
{
  VecU8 jump;
  VecU8 least;                  /* the smallest C so far */
  VecU8 m;
} Upwards;

ALWAYS_INLINE Upwards
start_messages (const StereoExpstepConstants * k, bool fine)
{
  VecU8 most = simd_set8 (255);

  return (Upwards) { simd_set8 ((uint8_t) k->jump[fine]), most, most };
}

ALWAYS_INLINE VecU8
message_upwards (Upwards * up, VecU8 c)
{
  up->least = simd_min8 (up->least, c);
  up->m = simd_min8 (simd_add_saturated8 (up->m, up->jump), c);
  return up->m;
}

/* M, in place, from what message_upwards() returned. */
ALWAYS_INLINE void
finish_messages (const StereoExpstepConstants * k, bool fine,
    const Upwards * up, uint8_t * c, size_t pitch, int count)
{
  VecU8 highest = simd_add_saturated8 (up->least,
      simd_set8 ((uint8_t) k->truncation[fine]));
  VecU8 m = highest;

  for (int i = count - 1; i >= 0; i--) {
    uint8_t *p = c + (size_t) i * pitch;

    m = simd_min8 (simd_min8 (simd_add_saturated8 (m, up->jump), highest),
        simd_load8 (p));
    simd_store8 (p, m);
  }
}

/* --------------------------------------------------------------------- cost */

ALWAYS_INLINE VecU16
cost_lanes (const StereoExpstepConstants * k, VecU16 difference)
{
  VecU16 limit = simd_set16 ((unsigned) k->limit);
  VecU16 cost = simd_min16 (difference, limit) * (uint16_t) k->gain + 128;

  if (k->excess != 0)
    cost += (VecU16) (difference > limit) & (uint16_t) k->excess;
  return cost;
}

/* C of luma or colours from column `first` on to column `last`. */
static void
difference_row (const StereoExpstepConstants * k,
    const StereoExpstepWork * work, int y, int d, int first, int last,
    uint8_t * target)
{
  int c0 = k->cost_channels == 1 ? 0 : 1;
  size_t row = (size_t) y * work->pitch + STEREO_EXPSTEP_MARGIN;

  for (int x = first - first % SIMD_BYTES; x <= last; x += SIMD_BYTES) {
    VecU16 even = { 0 }, odd = { 0 };

    for (int c = c0; c < c0 + k->cost_channels; c++) {
      VecU16 difference =
          (VecU16) simd_absdiff8 ((VecU8) simd_load16 (work->left[c] + row
              + x), (VecU8) simd_load16 (work->right[c] + row + x - d));

      even += difference & 0xff;
      odd += difference >> 8;
    }
    simd_store16 (target + x, cost_lanes (k, even) >> 8
        | (cost_lanes (k, odd) & 0xff00));
  }
}

/* C of census words. */
static void
census_row (const StereoExpstepConstants * k, const StereoExpstepWork * work,
    int y, int d, int first, int last, uint8_t * target)
{
  VecU8 limit = (VecU8) { 0 } + (uint8_t) k->limit;

  for (int x = first - first % SIMD_BYTES; x <= last; x += SIMD_BYTES) {
    SimdCensus l = simd_census_load (&work->census[0], x, y);
    SimdCensus r = simd_census_load (&work->census[1], x - d, y);

    simd_store16 (target + x, (VecU16) simd_min8 (simd_census_cost (&l, &r),
            limit));
  }
}

/* C of one disparity along a row. */
static void
cost_row (const StereoExpstepConstants * k, const StereoExpstepWork * work,
    int y, int d, uint8_t * target)
{
  int first = stereo_partner_first (d);
  int last = stereo_partner_last (k->width, d);

  if (k->census)
    census_row (k, work, y, d, first, last, target);
  else
    difference_row (k, work, y, d, first, last, target);
  memset (target, target[first], (size_t) first);
  memset (target + last, target[last], (size_t) (k->width - last));
}

/* C, or M, of all disparities along a row. */
static void
costs_row (const StereoExpstepConstants * k, const StereoExpstepWork * work,
    const StereoExpstepChunk * chunk, int y, uint8_t * target, size_t pitch)
{
  for (int i = 0; i < chunk->count; i++)
    cost_row (k, work, y, k->min_disparity + chunk->first + i,
        target + (size_t) i * pitch);
  for (int x = 0; x < k->width && k->messages; x += SIMD_BYTES) {
    Upwards up = start_messages (k, false);

    for (int i = 0; i < chunk->count; i++) {
      uint8_t *p = target + x + (size_t) i * pitch;

      simd_store8 (p, message_upwards (&up, simd_load8 (p)));
    }
    finish_messages (k, false, &up, target + x, pitch, chunk->count);
  }
}

/* -------------------------------------------------------------- aggregation */

/* Weights of SIMD_BYTES pixels. */
typedef struct
{
  VecU16 before[2];             /* even, odd */
  VecU16 after[2];
} VectorWeights;

ALWAYS_INLINE VectorWeights
load_weights (RowWeights weights, int x)
{
  VecU16 b = simd_load16 (weights.before + x);
  VecU16 a = simd_load16 (weights.after + x);

  return (VectorWeights) { {b & 0xff, b >> 8}, {a & 0xff, a >> 8} };
}

/* Sums of even and odd pixels.  As 256 C plus the weighted differences to the
 * neighbours, modulo 65536. */
ALWAYS_INLINE void
weighted_sums (const VectorWeights * w, VecU16 c, VecU16 before, VecU16 after,
    VecU16 * even, VecU16 * odd)
{
  VecU16 ce = c & 0xff, co = c >> 8;

  *even = (c << 8) + w->before[0] * ((before & 0xff) - ce)
      + w->after[0] * ((after & 0xff) - ce);
  *odd = (c & 0xff00) + w->before[1] * ((before >> 8) - co)
      + w->after[1] * ((after >> 8) - co);
}

/* What becomes of the sums. */
typedef enum
{
  KIND_COSTS,                   /* the next costs */
  KIND_MESSAGES,
  KIND_FINE_MESSAGES,           /* after the first finer pass */
  KIND_REFINED                  /* messages in finer steps than before */
} Kind;

/* How a row of all disparities lies: column x, a multiple of SIMD_BYTES, of
 * number i at x column + i pitch. */
typedef struct
{
  size_t column;
  size_t pitch;
} Layout;

/* SIMD_BYTES pixels of all disparities. */
ALWAYS_INLINE void
aggregate (const StereoExpstepConstants * k, const VectorWeights * w,
    const uint8_t * c, const uint8_t * before, const uint8_t * after,
    size_t pitch, uint8_t * target, size_t target_pitch, int count, Kind kind)
{
  bool fine = kind != KIND_MESSAGES;
  Upwards up = start_messages (k, fine);
  VecU16 least_even = simd_set16 (0xffff), least_odd = least_even;

  for (int i = 0; i < count && kind == KIND_REFINED; i++) {
    size_t offset = (size_t) i * pitch;
    VecU16 even, odd;

    weighted_sums (w, simd_load16 (c + offset), simd_load16 (before + offset),
        simd_load16 (after + offset), &even, &odd);
    least_even = simd_min16 (least_even, even);
    least_odd = simd_min16 (least_odd, odd);
  }
  for (int i = 0; i < count; i++) {
    size_t offset = (size_t) i * pitch;
    VecU16 even, odd, result;

    weighted_sums (w, simd_load16 (c + offset), simd_load16 (before + offset),
        simd_load16 (after + offset), &even, &odd);
    if (kind == KIND_REFINED)
      result = simd_min16 ((even - least_even + 64) >> 7, simd_set16 (255))
          | simd_min16 ((odd - least_odd + 64) >> 7, simd_set16 (255)) << 8;
    else
      result = (even + 128) >> 8 | ((odd + 128) & 0xff00);
    if (kind != KIND_COSTS)
      result = (VecU16) message_upwards (&up, (VecU8) result);
    simd_store16 (target + (size_t) i * target_pitch, result);
  }
  if (kind != KIND_COSTS)
    finish_messages (k, fine, &up, target, target_pitch, count);
}

/* A row: constant kinds let the compiler leave out what they don't need.  step
 * is that along the row, 0 for columns. */
ALWAYS_INLINE void
aggregate_row (const StereoExpstepConstants * k, RowWeights weights,
    const uint8_t * c, const uint8_t * before, const uint8_t * after,
    int step, Layout from, uint8_t * target, Layout to, int count, Kind kind)
{
  for (int x = 0; x < k->width; x += SIMD_BYTES) {
    VectorWeights w = load_weights (weights, x);
    size_t at = (size_t) x * from.column;
    /* Where no pixel of the vector has a neighbour, any will do. */
    const uint8_t *b = x + SIMD_BYTES > step ? before : c;
    const uint8_t *a = x + step < k->width ? after : c;

    aggregate (k, &w, c + at, b + at, a + at, from.pitch,
        target + (size_t) x * to.column, to.pitch, count, kind);
  }
}

#include "match/expstep-winners-tmpl.h"
#include "match/expstep-cascade-tmpl.h"
#include "match/expstep-sweeps-tmpl.h"

/* ------------------------------------------------------------------- stages */

static void
match_parts (const void *context, StereoSpan span)
{
  const Job *job = context;

  for (int part = span.begin; part < span.end; part++)
    cascade_run (job->k, job->passes, job->n_passes, job->work, part,
        span.worker);
}

static StereoStatus
match_cpu (StereoQueue * queue, const StereoExpstepConstants * k,
    const StereoExpstepPass * passes, int n_passes,
    const StereoExpstepWork * work)
{
  Job job = {.k = k,.passes = passes,.n_passes = n_passes,.work = work };

  if (k->messages)
    match_sweeps (queue, k, passes, n_passes, work);
  else
    stereo_cpu_for (queue, work->ranges * work->bands, 1, match_parts, &job);
  return STEREO_OK;
}

static void
finish_rows (const void *context, StereoSpan span)
{
  const Job *job = context;

  for (int y = span.begin; y < span.end; y++)
    finish_row (job->frame, job->k, job->work, y);
}

static StereoStatus
finish_cpu (const StereoMatchFrame * frame, const StereoExpstepConstants * k,
    const StereoExpstepWork * work)
{
  Job job = {.k = k,.work = work,.frame = frame };

  stereo_cpu_for (frame->queue, k->height, 0, finish_rows, &job);
  return STEREO_OK;
}

static int
plan_cpu (const StereoSearch * search, const StereoExpstepConstants * k,
    const StereoExpstepPass * passes, int n_passes, StereoExpstepWork * work,
    StereoArena * arena)
{
  return stereo_expstep_plan_cpu (search, k, passes, n_passes, true, work,
      arena);
}

const StereoExpstepStages STAGES = {
  .plan = plan_cpu,
  .prepare = prepare_cpu,
  .match = match_cpu,
  .finish = finish_cpu,
};
