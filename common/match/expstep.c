/* gst-stereomatching: aggregation with exponential step sizes
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/expstep-simd.h"

#include "core/cpu.h"
#include "cost/census-pixel.h"
#include "match/expstep-cpu.h"
#include "match/expstep-pixel.h"
#include "refine/output.h"
#include "refine/winner-pixel.h"
#include "simd/select.h"

#include <math.h>
#include <string.h>

const StereoEnumValue stereo_color_metric_values[3] = {
  {"max", "Largest difference of a channel"},
  {"rms", "Root mean square over the channels"},
  {"mean", "Mean over the channels"},
};

/* ---------------------------------------------------------------- constants */

/* A step with less weight than this at equal colour is left out. */
static const double least_weight = 1.0 / 4096;

static void
make_pass (const StereoExpstepParams * params, int metric, int step,
    StereoExpstepPass * pass)
{
  double unit = metric == STEREO_COLOR_METRIC_MAX ? 1.0 : 1.0 / 3;

  memset (pass, 0, sizeof (*pass));
  pass->step = step;
  for (int i = 0; i < 768; i++) {
    double u = 256 * exp (-(i * unit / params->gamma_color
            + step / params->gamma_distance)) + 0.5;

    pass->weight[i] = (uint8_t) (u < 255 ? u : 255);
  }
}

void
stereo_expstep_constants (const StereoSearch * search,
    const StereoExpstepParams * params, StereoExpstepPlan * plan)
{
  StereoExpstepConstants *k = &plan->constants;
  int longest = search->width > search->height ? search->width
      : search->height;
  double full, step = 1;

  memset (k, 0, sizeof (*k));
  k->width = search->width;
  k->height = search->height;
  k->channels = search->channels;
  k->min_disparity = search->min_disparity;
  k->first_index = search->first_index;
  k->end_index = search->end_index;
  k->metric = search->channels == 3 ? params->color_metric
      : STEREO_COLOR_METRIC_MAX;
  k->census = search->cost == STEREO_COST_CENSUS;
  k->cost_channels = search->channels == 3
      && search->cost == STEREO_COST_RGB ? 3 : 1;
  k->winners = search->winners;
  k->right_winners = search->winners && search->right_winners;

  /* 0 to `full` becomes 0 to 255 in steps of 1/256 */
  full = params->cost_threshold * k->cost_channels;
  k->limit = (int) full;
  k->gain = full >= 1 ? (int) (65280 / full) : 0;
  k->excess = 65280 - k->limit * k->gain;
  if (k->census)
    k->limit = (int) fmin (STEREO_CENSUS_MAX_COST,
        floor (STEREO_CENSUS_BIT_COST * params->cost_threshold + 0.5));

  plan->n_passes = 0;
  for (unsigned i = 0; i < params->iterations; i++, step *= params->base) {
    int s = (int) floor (step + 0.5);

    if (s >= longest || exp (-s / params->gamma_distance) < least_weight)
      break;
    make_pass (params, k->metric, s, &plan->passes[plan->n_passes++]);
  }
  if (plan->n_passes == 0) {
    /* every cost stays as it is */
    make_pass (params, k->metric, longest, &plan->passes[0]);
    memset (plan->passes[0].weight, 0, sizeof (plan->passes[0].weight));
    plan->n_passes = 1;
  }
}

/* ----------------------------------------------------------------- schedule */

StereoStatus
stereo_expstep_plan (const StereoSearch * search,
    const StereoExpstepStages * stages, StereoExpstepPlan * plan,
    StereoArena * arena, StereoMessage * why)
{
  memset (&plan->work, 0, sizeof (plan->work));
  plan->chunk = stages->plan (search, &plan->constants, plan->passes,
      plan->n_passes, &plan->work, arena);
  if (plan->chunk < 0)
    return stereo_fail (why, STEREO_ERROR_UNSUPPORTED,
        "this device can search %d disparities at most with this algorithm, "
        "and %d are wanted: the CPU can do that", -plan->chunk,
        plan->constants.end_index - plan->constants.first_index);
  return STEREO_OK;
}

/* One chunk after another through all passes. */
static StereoStatus
run_chunks (StereoQueue * q, const StereoExpstepPlan * p,
    const StereoExpstepWork * work, const StereoExpstepStages * s)
{
  const StereoExpstepConstants *k = &p->constants;
  StereoStatus status = STEREO_OK;

  for (int first = k->first_index; first < k->end_index && status == STEREO_OK;
      first += p->chunk) {
    StereoExpstepChunk chunk = { first, p->chunk };

    if (chunk.count > k->end_index - first)
      chunk.count = k->end_index - first;
    status = s->cost (q, k, work, &chunk);
    for (int i = 0; i < p->n_passes && status == STEREO_OK; i++) {
      const StereoExpstepPass *pass = &p->passes[i];
      bool last = i == p->n_passes - 1;

      if (s->iterate != NULL) {
        status = s->iterate (q, k, pass, i, last, work, &chunk);
      } else {
        status = s->rows (q, k, pass, i, work, &chunk);
        if (status == STEREO_OK)
          status = s->columns (q, k, pass, i, last, work, &chunk);
      }
    }
  }
  return status;
}

StereoStatus
stereo_expstep_run (const StereoMatchFrame * frame, const void *stages)
{
  const StereoExpstepStages *s = stages;
  const StereoExpstepPlan *p = frame->plan;
  const StereoExpstepConstants *k = &p->constants;
  StereoQueue *q = frame->queue;
  StereoExpstepWork work = p->work;
  StereoStatus status;

  work.census[0] = frame->left_census;
  work.census[1] = frame->right_census;
  work.winners = frame->winners;
  status = s->prepare (frame, k, p->passes, p->n_passes, &work);
  if (status == STEREO_OK)
    status = stereo_stage_end (frame->timestamps, "weights");
  if (status == STEREO_OK)
    status = work.ranges > 0 ? s->match (q, k, p->passes, p->n_passes, &work)
        : run_chunks (q, p, &work, s);
  if (status == STEREO_OK)
    status = s->finish (frame, k, &work);
  return status;
}

/* ------------------------------------------------- stages, plain reference */

/* Differences between two pixels of the left view: R, G, B, or luma. */
static uint32_t
left_difference (const StereoExpstepConstants * k,
    const StereoExpstepWork * work, size_t a, size_t b)
{
  int d[3] = { 0, 0, 0 };

  for (int c = 0; c < k->channels; c++) {
    const uint8_t *plane = stereo_expstep_left (k, work, c);

    d[c] = plane[a] - plane[b];
  }
  return stereo_expstep_difference (k->metric, d[0], d[1], d[2]);
}

/* Weights of the pixels before and behind one, `offset` elements away. */
static void
pixel_weights (const StereoExpstepConstants * k,
    const StereoExpstepPass * pass, const StereoExpstepWork * work, size_t at,
    size_t offset, bool has_before, bool has_after, uint32_t weights[2])
{
  uint32_t u = has_before
      ? pass->weight[left_difference (k, work, at, at - offset)] : 0;
  uint32_t v = has_after
      ? pass->weight[left_difference (k, work, at, at + offset)] : 0;
  uint32_t t = 256 + u + v;

  weights[0] = (512 * u + t) / (2 * t);
  weights[1] = (512 * v + t) / (2 * t);
}

/* Costs to messages, in place, for row y. */
static void
messages (const StereoExpstepConstants * k, const StereoExpstepWork * work,
    int volume, const StereoExpstepChunk * chunk, int y, bool fine)
{
  int jump = k->jump[fine], truncation = k->truncation[fine];
  uint8_t *c = stereo_expstep_row (work, volume, chunk, y, 0);
  ptrdiff_t pitch = (ptrdiff_t) work->pitch;

  for (int x = 0; x < k->width; x++) {
    int highest = 255;

    for (int i = 0; i < chunk->count; i++)
      highest = c[i * pitch + x] < highest ? c[i * pitch + x] : highest;
    highest += truncation;
    for (int i = 0; i < chunk->count; i++) {
      uint8_t *m = c + i * pitch + x;

      if (i > 0 && m[-pitch] + jump < *m)
        *m = (uint8_t) (m[-pitch] + jump);
      if (*m > highest)
        *m = (uint8_t) highest;
    }
    for (int i = chunk->count - 2; i >= 0; i--) {
      uint8_t *m = c + i * pitch + x;

      if (m[pitch] + jump < *m)
        *m = (uint8_t) (m[pitch] + jump);
    }
  }
}

/* What the threads of a loop work on. */
typedef struct
{
  const StereoExpstepConstants *k;
  const StereoMatchFrame *frame;
  const StereoExpstepPass *pass;
  int index;
  const StereoExpstepWork *work;
  const StereoExpstepChunk *chunk;
} Job;

/* C of a pixel of the left view that has a partner. */
static uint8_t
pixel_cost (const StereoExpstepConstants * k, const StereoExpstepWork * work,
    int x, int y, int d)
{
  size_t row = (size_t) y * work->pitch;
  int first = k->cost_channels == 1 ? 0 : 1, sum = 0;

  if (k->census)
    return stereo_expstep_census_cost (k, stereo_census_word (&work->census[0],
            x, y), stereo_census_word (&work->census[1], x - d, y));
  for (int c = first; c < first + k->cost_channels; c++) {
    const uint8_t *l = work->left[c] + STEREO_EXPSTEP_MARGIN + row;
    const uint8_t *r = work->right[c] + STEREO_EXPSTEP_MARGIN + row;

    sum += (int) stereo_expstep_abs (l[x] - r[x - d]);
  }
  return stereo_expstep_cost (k, sum);
}

static void
cost_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoExpstepConstants *k = job->k;
  const StereoExpstepWork *work = job->work;
  const StereoExpstepChunk *chunk = job->chunk;

  for (int y = span.begin; y < span.end; y++) {
    for (int i = 0; i < chunk->count; i++) {
      uint8_t *target = stereo_expstep_row (work, 0, chunk, y, i);
      int d = k->min_disparity + chunk->first + i;

      for (int x = 0; x < k->width; x++)
        target[x] = pixel_cost (k, work,
            stereo_partner_column (k->width, x, d), y, d);
    }
    if (k->messages)
      messages (k, work, 0, chunk, y, false);
  }
}

static StereoStatus
cost_cpu (StereoQueue * queue, const StereoExpstepConstants * k,
    const StereoExpstepWork * work, const StereoExpstepChunk * chunk)
{
  Job job = { .k = k, .work = work, .chunk = chunk };

  stereo_cpu_for (queue, k->height, 0, cost_rows, &job);
  return STEREO_OK;
}

static void
rows_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoExpstepConstants *k = job->k;
  const StereoExpstepPass *pass = job->pass;
  int index = job->index;
  const StereoExpstepWork *work = job->work;
  const StereoExpstepChunk *chunk = job->chunk;
  int s = pass->step;

  for (int y = span.begin; y < span.end; y++) {
    for (int x = 0; x < k->width; x++) {
      bool before = x >= s, after = x + s < k->width;
      size_t at = (size_t) y * work->pitch + (size_t) x;
      uint32_t w[2];

      pixel_weights (k, pass, work, at, (size_t) s, before, after, w);
      for (int i = 0; i < chunk->count; i++) {
        const uint8_t *c = stereo_expstep_row (work, 0, chunk, y, i) + x;
        uint32_t sum = (256 - w[0] - w[1]) * *c;

        if (before)
          sum += w[0] * c[-s];
        if (after)
          sum += w[1] * c[s];
        stereo_expstep_row (work, 1, chunk, y, i)[x] =
            (uint8_t) ((sum + 128) >> 8);
      }
    }
    if (k->messages)
      messages (k, work, 1, chunk, y, index >= STEREO_EXPSTEP_FINE_PASS);
  }
}

static StereoStatus
rows_cpu (StereoQueue * queue, const StereoExpstepConstants * k,
    const StereoExpstepPass * pass, int index, const StereoExpstepWork * work,
    const StereoExpstepChunk * chunk)
{
  Job job = { .k = k, .pass = pass, .index = index, .work = work,
    .chunk = chunk };

  stereo_cpu_for (queue, k->height, 0, rows_rows, &job);
  return STEREO_OK;
}

/* The sum for one pixel and disparity along its column. */
static uint32_t
column_sum (const StereoExpstepConstants * k, const StereoExpstepWork * work,
    const StereoExpstepChunk * chunk, int s, int x, int y, int i,
    const uint32_t w[2])
{
  uint32_t sum = (256 - w[0] - w[1])
      * stereo_expstep_row (work, 1, chunk, y, i)[x];

  if (y >= s)
    sum += w[0] * stereo_expstep_row (work, 1, chunk, y - s, i)[x];
  if (y + s < k->height)
    sum += w[1] * stereo_expstep_row (work, 1, chunk, y + s, i)[x];
  return sum;
}

/* A sum competes for its pixel of the left view, and for its partner.  Chunks
 * come in ascending order, so the lower disparity stays on a tie. */
static void
compete (const StereoExpstepConstants * k, const StereoExpstepWinners * w,
    int x, int index, uint16_t sum)
{
  uint16_t *const *p = w->plane;
  int partner = x - (k->min_disparity + index);

  if (index == k->first_index) {
    p[STEREO_EXPSTEP_SUM][x] = UINT16_MAX;
    if (k->winners)
      p[STEREO_EXPSTEP_LAST][x] = 0;
  }
  if (k->winners && index > k->first_index
      && p[STEREO_EXPSTEP_INDEX][x] == index - 1)
    p[STEREO_EXPSTEP_AFTER][x] = sum;
  if (sum < p[STEREO_EXPSTEP_SUM][x]) {
    p[STEREO_EXPSTEP_SUM][x] = sum;
    p[STEREO_EXPSTEP_INDEX][x] = (uint16_t) index;
    if (k->winners) {
      p[STEREO_EXPSTEP_BEFORE][x] = p[STEREO_EXPSTEP_LAST][x];
      p[STEREO_EXPSTEP_AFTER][x] = 0;
    }
  }
  if (k->winners)
    p[STEREO_EXPSTEP_LAST][x] = sum;
  if (k->right_winners && partner >= 0 && partner < k->width
      && sum < w->right_sum[partner]) {
    w->right_sum[partner] = sum;
    w->right_index[partner] = (uint16_t) index;
  }
}

/* The last pass along columns. */
static void
last_columns_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoExpstepConstants *k = job->k;
  const StereoExpstepWork *work = job->work;
  int s = job->pass->step;

  for (int y = span.begin; y < span.end; y++) {
    StereoExpstepWinners winners = stereo_expstep_winners (k, work, 0, y);

    for (int x = 0; x < k->width && k->right_winners
        && job->chunk->first == k->first_index; x++)
      winners.right_sum[x] = UINT16_MAX;
    for (int x = 0; x < k->width; x++) {
      size_t at = (size_t) y * work->pitch + (size_t) x;
      uint32_t w[2];

      pixel_weights (k, job->pass, work, at, (size_t) s * work->pitch, y >= s,
          y + s < k->height, w);
      for (int i = 0; i < job->chunk->count; i++)
        compete (k, &winners, x, job->chunk->first + i,
            (uint16_t) column_sum (k, work, job->chunk, s, x, y, i, w));
    }
  }
}

static void
columns_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoExpstepConstants *k = job->k;
  const StereoExpstepPass *pass = job->pass;
  const StereoExpstepWork *work = job->work;
  const StereoExpstepChunk *chunk = job->chunk;
  bool refine = k->messages && job->index == STEREO_EXPSTEP_FINE_PASS - 1;
  int s = pass->step;

  for (int y = span.begin; y < span.end; y++) {
    for (int x = 0; x < k->width; x++) {
      size_t at = (size_t) y * work->pitch + (size_t) x;
      uint32_t w[2], least = UINT32_MAX;

      pixel_weights (k, pass, work, at, (size_t) s * work->pitch, y >= s,
          y + s < k->height, w);
      for (int i = 0; i < chunk->count && refine; i++)
        least = stereo_min_u32 (least, column_sum (k, work, chunk, s, x, y, i,
                w));
      for (int i = 0; i < chunk->count; i++) {
        uint32_t sum = column_sum (k, work, chunk, s, x, y, i, w);

        stereo_expstep_row (work, 0, chunk, y, i)[x] = (uint8_t) (refine
            ? stereo_min_u32 ((sum - least + 64) >> 7, 255)
            : (sum + 128) >> 8);
      }
    }
    if (k->messages)
      messages (k, work, 0, chunk, y,
          job->index >= STEREO_EXPSTEP_FINE_PASS - 1);
  }
}

static StereoStatus
columns_cpu (StereoQueue * queue, const StereoExpstepConstants * k,
    const StereoExpstepPass * pass, int index, bool last,
    const StereoExpstepWork * work, const StereoExpstepChunk * chunk)
{
  Job job = { .k = k, .pass = pass, .index = index, .work = work,
    .chunk = chunk };

  stereo_cpu_for (queue, k->height, 0, last ? last_columns_rows
      : columns_rows, &job);
  return STEREO_OK;
}

static void
finish_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoExpstepConstants *k = job->k;
  const StereoMatchFrame *frame = job->frame;
  const StereoWinners *target = frame->winners;
  bool empty = k->first_index == k->end_index;

  for (int y = span.begin; y < span.end; y++) {
    StereoExpstepWinners w = stereo_expstep_winners (k, job->work, 0, y);
    uint16_t *const *p = w.plane;

    for (int x = 0; x < k->width; x++) {
      unsigned index = empty ? STEREO_INVALID : p[STEREO_EXPSTEP_INDEX][x];

      if (target == NULL)
        stereo_store_index (&frame->map, frame->output, x, y, index);
      else if (empty)
        stereo_winner_store (target, x, y, index, 0, 0, 0);
      else
        stereo_winner_store (target, x, y, index, p[STEREO_EXPSTEP_BEFORE][x],
            p[STEREO_EXPSTEP_SUM][x], p[STEREO_EXPSTEP_AFTER][x]);
      if (target != NULL && target->right != NULL)
        stereo_winner_store_right (target, x, y,
            empty || w.right_sum[x] == UINT16_MAX ? STEREO_NO_WINNER
            : stereo_winner_right_word (w.right_index[x], w.right_sum[x]));
    }
  }
}

static StereoStatus
finish_cpu (const StereoMatchFrame * frame, const StereoExpstepConstants * k,
    const StereoExpstepWork * work)
{
  Job job = { .k = k, .frame = frame, .work = work };

  stereo_cpu_for (frame->queue, k->height, 0, finish_rows, &job);
  return STEREO_OK;
}

/* --------------------------------------------------------- CPU, all of them */

/* What the rows that a chunk of disparities keeps alive should take: they stay
 * in a thread's cache. */
#define CHUNK_BYTES ((size_t) 3 << 18)
/* Disparities in a range at least, so that weights are worth their loads. */
#define MIN_RANGE 8
/* Rows in a band at least, if there are several. */
#define MIN_BAND 96
#define MIN_CHUNK 4
#define MAX_CHUNK 64

static int
limit_chunk (size_t fitting, int lowest, int highest)
{
  if (fitting < (size_t) lowest)
    return lowest;
  return fitting > (size_t) highest ? highest : (int) fitting;
}

/* Cuts the work for threads that take all passes on their own: first between
 * disparities, then between rows, whose seams cost something. */
static void
plan_parts (const StereoExpstepConstants * k,
    const StereoExpstepPass * passes, int n_passes, int threads,
    StereoExpstepWork * work)
{
  int all = k->end_index - k->first_index, rows = n_passes, chunks;
  size_t pitch = stereo_expstep_ring_pitch (k);

  for (int i = 0; i < n_passes; i++)
    rows += stereo_expstep_ring_rows (k, passes[i].step);
  work->ranges = limit_chunk ((size_t) all / MIN_RANGE, 1, threads);
  work->bands = limit_chunk ((size_t) (k->height / MIN_BAND), 1,
      threads / work->ranges);

  /* equal chunks */
  all = (all + work->ranges - 1) / work->ranges;
  work->part_chunk = limit_chunk (CHUNK_BYTES / ((size_t) rows * pitch),
      MIN_CHUNK, MAX_CHUNK);
  chunks = (all + work->part_chunk - 1) / work->part_chunk;
  work->part_chunk = all > 0 ? (all + chunks - 1) / chunks : 1;
  work->worker_bytes = (size_t) work->part_chunk * pitch * (size_t) rows
      + (size_t) (2 * n_passes + 2) * STEREO_EXPSTEP_MARGIN;
}

/* A ring of rows, and for each thread one of costs. */
static void
plan_sweeps (const StereoExpstepConstants * k,
    const StereoExpstepPass * passes, int n_passes, size_t threads,
    StereoExpstepWork * work, StereoArena * arena)
{
  int parts = stereo_expstep_sweep_parts (k), reach = 0;
  size_t all = (size_t) (k->end_index - k->first_index);

  for (int i = 0; i < n_passes - 1; i++) {
    if (stereo_expstep_reach (k, &passes[i]) > reach)
      reach = stereo_expstep_reach (k, &passes[i]);
  }
  work->ranges = work->bands = 1;
  work->lag = STEREO_EXPSTEP_ROWS
      * limit_chunk (STEREO_EXPSTEP_APART * threads, 1, parts);
  work->slots = k->height + reach + work->lag;
  work->worker_bytes = all * stereo_expstep_ring_pitch (k)
      + 2 * STEREO_EXPSTEP_MARGIN;
  stereo_arena_add (arena, (void **) &work->volume[0],
      all * work->pitch * (size_t) work->slots, 1);
  stereo_arena_add (arena, (void **) &work->volume[1], work->worker_bytes,
      threads);
  stereo_arena_add (arena, (void **) &work->progress, (size_t) parts,
      sizeof (uint32_t));
}

/* Winners, for as many ranges as there are. */
static void
plan_winners (const StereoExpstepConstants * k, StereoExpstepWork * work,
    StereoArena * arena)
{
  size_t ranges = work->ranges > 0 ? (size_t) work->ranges : 1;
  size_t planes = (size_t) stereo_expstep_planes (k, work->ranges);

  work->best_pitch[0] = work->pitch;
  work->best_pitch[1] = k->right_winners
      ? work->pitch + 4 * STEREO_EXPSTEP_MARGIN : 0;
  stereo_arena_add (arena, &work->best, ranges * (size_t) k->height
      * (planes * work->best_pitch[0] + 2 * work->best_pitch[1]),
      sizeof (uint16_t));
}

int
stereo_expstep_plan_cpu (const StereoSearch * search,
    const StereoExpstepConstants * k, const StereoExpstepPass * passes,
    int n_passes, bool apart, StereoExpstepWork * work, StereoArena * arena)
{
  int all = k->end_index - k->first_index, chunk = all;
  size_t threads = search->n_threads, plane;

  work->pitch = ((size_t) k->width + 63) / 64 * 64;
  plane = work->pitch * (size_t) k->height;
  for (int c = 0; c < 4; c++) {
    if (stereo_expstep_compares (k, c) || (stereo_expstep_weighs (k, c)
            && c <= k->channels))
      stereo_arena_add (arena, (void **) &work->left[c],
          plane + 2 * STEREO_EXPSTEP_MARGIN, 1);
    if (stereo_expstep_compares (k, c))
      stereo_arena_add (arena, (void **) &work->right[c],
          plane + 2 * STEREO_EXPSTEP_MARGIN, 1);
  }

  if (apart && k->messages) {
    plan_sweeps (k, passes, n_passes, threads, work, arena);
  } else if (apart) {
    plan_parts (k, passes, n_passes, (int) threads, work);
    chunk = work->part_chunk;
    stereo_arena_add (arena, (void **) &work->weights,
        4 * plane * (size_t) n_passes, 1);
    stereo_arena_add (arena, (void **) &work->volume[0], work->worker_bytes,
        threads);
  } else {
    if (!k->messages)
      chunk = limit_chunk (CHUNK_BYTES * threads / plane, MIN_CHUNK,
          all < MIN_CHUNK ? MIN_CHUNK : all);
    for (int i = 0; i < 2; i++)
      stereo_arena_add (arena, (void **) &work->volume[i],
          plane * (size_t) chunk + 2 * STEREO_EXPSTEP_MARGIN, 1);
  }
  if (k->right_winners)
    stereo_arena_add (arena, (void **) &work->sums, threads
        * stereo_expstep_sums_pitch (k) * (size_t) (k->messages
            ? STEREO_EXPSTEP_SUMS : chunk), sizeof (uint16_t));
  plan_winners (k, work, arena);
  return chunk;
}

/* Copies row y of a view to the planes that there are. */
static void
copy_row (const StereoExpstepConstants * k, const StereoView * view,
    uint8_t * const planes[4], size_t pitch, int y)
{
  size_t from = (size_t) y * view->stride, width = (size_t) k->width;
  size_t to = (size_t) y * pitch + STEREO_EXPSTEP_MARGIN;

  for (int c = 1; c <= k->channels; c++) {
    if (planes[c] != NULL)
      memcpy (planes[c] + to, view->plane[c - 1] + from, width);
  }
  if (planes[0] == NULL)
    return;
  if (k->channels == 1) {
    memcpy (planes[0] + to, view->plane[0] + from, width);
    return;
  }
  for (size_t x = 0; x < width; x++)
    planes[0][to + x] = stereo_luma (view->plane[0][from + x],
        view->plane[1][from + x], view->plane[2][from + x]);
}

static void
prepare_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoExpstepWork *work = job->work;

  for (int y = span.begin; y < span.end; y++) {
    copy_row (job->k, &job->frame->left, work->left, work->pitch, y);
    copy_row (job->k, &job->frame->right, work->right, work->pitch, y);
  }
}

StereoStatus
stereo_expstep_prepare_cpu (const StereoMatchFrame * frame,
    const StereoExpstepConstants * k, const StereoExpstepWork * work)
{
  Job job = { .k = k, .frame = frame, .work = work };

  stereo_cpu_for (frame->queue, k->height, 0, prepare_rows, &job);
  return STEREO_OK;
}

static int
plan_plain (const StereoSearch * search, const StereoExpstepConstants * k,
    const StereoExpstepPass * passes, int n_passes, StereoExpstepWork * work,
    StereoArena * arena)
{
  return stereo_expstep_plan_cpu (search, k, passes, n_passes, false, work,
      arena);
}

static StereoStatus
prepare_plain (const StereoMatchFrame * frame, const StereoExpstepConstants * k,
    const StereoExpstepPass * passes, int n_passes,
    const StereoExpstepWork * work)
{
  (void) passes, (void) n_passes;
  return stereo_expstep_prepare_cpu (frame, k, work);
}

static const StereoExpstepStages stages_cpu = {
  .plan = plan_plain,
  .prepare = prepare_plain,
  .cost = cost_cpu,
  .rows = rows_cpu,
  .columns = columns_cpu,
  .finish = finish_cpu,
};

const StereoExpstepStages *
stereo_expstep_stages_cpu (StereoSimd simd)
{
  return STEREO_SIMD_SELECT (simd, stages_cpu, stereo_expstep_stages_);
}
