/* gst-stereomatching: aggregation with exponential step sizes
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/expstep-simd.h"

#include "core/cpu.h"
#include "match/expstep-cpu.h"
#include "match/expstep-pixel.h"
#include "refine/output.h"
#include "simd/select.h"

#include <math.h>
#include <string.h>

const StereoEnumValue stereo_color_metric_values[3] = {
  {"max", "Largest difference of a channel"},
  {"rms", "Root mean square over the channels"},
  {"mean", "Mean over the channels"},
};

const StereoEnumValue stereo_expstep_cost_values[2] = {
  {"luma", "Difference of luma"},
  {"rgb", "Mean difference over the channels"},
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
stereo_expstep_constants (const StereoProblem * problem,
    const StereoExpstepParams * params, StereoExpstepPlan * plan)
{
  StereoExpstepConstants *k = &plan->constants;
  int longest = problem->width > problem->height ? problem->width
      : problem->height;
  double full, step = 1;

  memset (k, 0, sizeof (*k));
  k->width = problem->width;
  k->height = problem->height;
  k->channels = problem->channels;
  k->min_disparity = problem->min_disparity;
  k->first_index = problem->first_index;
  k->end_index = problem->end_index;
  k->metric = problem->channels == 3 ? params->color_metric
      : STEREO_COLOR_METRIC_MAX;
  k->cost_channels = problem->channels == 3
      && params->cost == STEREO_EXPSTEP_COST_RGB ? 3 : 1;

  /* 0 to `full` becomes 0 to 255 in steps of 1/256 */
  full = params->cost_threshold * k->cost_channels;
  k->limit = (int) full;
  k->gain = full >= 1 ? (int) (65280 / full) : 0;
  k->excess = 65280 - k->limit * k->gain;

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
stereo_expstep_plan (const StereoProblem * problem,
    const StereoExpstepStages * stages, StereoExpstepPlan * plan,
    StereoArena * arena, StereoMessage * why)
{
  memset (&plan->work, 0, sizeof (plan->work));
  plan->chunk = stages->plan (problem, &plan->constants, plan->n_passes,
      &plan->work, arena);
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
    const StereoExpstepStages * s)
{
  const StereoExpstepConstants *k = &p->constants;
  StereoStatus status = STEREO_OK;

  for (int first = k->first_index; first < k->end_index && status == STEREO_OK;
      first += p->chunk) {
    StereoExpstepChunk chunk = { first, p->chunk };

    if (chunk.count > k->end_index - first)
      chunk.count = k->end_index - first;
    status = s->cost (q, k, &p->work, &chunk);
    for (int i = 0; i < p->n_passes && status == STEREO_OK; i++) {
      const StereoExpstepPass *pass = &p->passes[i];
      bool last = i == p->n_passes - 1;

      if (s->iterate != NULL) {
        status = s->iterate (q, k, pass, i, last, &p->work, &chunk);
      } else {
        status = s->rows (q, k, pass, i, &p->work, &chunk);
        if (status == STEREO_OK)
          status = s->columns (q, k, pass, i, last, &p->work, &chunk);
      }
    }
  }
  return status;
}

StereoStatus
stereo_expstep_run (const StereoFrame * frame, const void *stages)
{
  const StereoExpstepStages *s = stages;
  const StereoExpstepPlan *p = frame->plan;
  const StereoExpstepConstants *k = &p->constants;
  StereoQueue *q = frame->queue;
  StereoStatus status = s->prepare (q, k, p->passes, p->n_passes,
      &frame->left, &frame->right, &p->work);

  if (status == STEREO_OK)
    status = stereo_mark (frame->marks, "weights");
  if (status == STEREO_OK)
    status = p->work.parts > 0
        ? s->match (q, k, p->passes, p->n_passes, &p->work)
        : run_chunks (q, p, s);
  if (status == STEREO_OK)
    status = s->finish (q, k, &p->work, &frame->map, frame->output);
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
  const StereoView *left;
  const StereoView *right;
  const StereoExpstepPass *pass;
  int index;
  bool last;
  const StereoExpstepWork *work;
  const StereoExpstepChunk *chunk;
  const StereoMap *map;
  const StereoOutput *output;
} Job;

static void
cost_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoExpstepConstants *k = job->k;
  const StereoExpstepWork *work = job->work;
  const StereoExpstepChunk *chunk = job->chunk;

  for (int y = span.begin; y < span.end; y++) {
    size_t row = (size_t) y * work->pitch;

    for (int i = 0; i < chunk->count; i++) {
      uint8_t *target = stereo_expstep_row (work, 0, chunk, y, i);
      int d = k->min_disparity + chunk->first + i;

      for (int x = 0; x < k->width; x++) {
        int xl = stereo_expstep_column (k, x, d), sum = 0;
        int first = k->cost_channels == 1 ? 0 : 1;

        for (int c = first; c < first + k->cost_channels; c++) {
          const uint8_t *l = work->left[c] + STEREO_EXPSTEP_MARGIN + row;
          const uint8_t *r = work->right[c] + STEREO_EXPSTEP_MARGIN + row;

          sum += (int) stereo_expstep_abs (l[xl] - r[xl - d]);
        }
        target[x] = stereo_expstep_cost (k, sum);
      }
    }
    if (k->messages)
      messages (k, work, 0, chunk, y, false);
  }
}

static StereoStatus
cost_cpu (StereoQueue * queue, const StereoExpstepConstants * k,
    const StereoExpstepWork * work, const StereoExpstepChunk * chunk)
{
  Job job = {.k = k,.work = work,.chunk = chunk };

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
  Job job = {.k = k,.pass = pass,.index = index,.work = work,
    .chunk = chunk
  };

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

static void
columns_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoExpstepConstants *k = job->k;
  const StereoExpstepPass *pass = job->pass;
  int index = job->index;
  bool last = job->last;
  const StereoExpstepWork *work = job->work;
  const StereoExpstepChunk *chunk = job->chunk;
  bool refine = k->messages && index == STEREO_EXPSTEP_FINE_PASS - 1;
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
        uint8_t *target = stereo_expstep_row (work, 0, chunk, y, i) + x;

        if (last) {
          uint32_t word = sum << 16 | (uint32_t) (chunk->first + i);

          if (chunk->first + i == k->first_index || word < work->best[at])
            work->best[at] = word;
        } else if (refine) {
          *target = (uint8_t) stereo_min_u32 ((sum - least + 64) >> 7, 255);
        } else {
          *target = (uint8_t) ((sum + 128) >> 8);
        }
      }
    }
    if (k->messages && !last)
      messages (k, work, 0, chunk, y, index >= STEREO_EXPSTEP_FINE_PASS - 1);
  }
}

static StereoStatus
columns_cpu (StereoQueue * queue, const StereoExpstepConstants * k,
    const StereoExpstepPass * pass, int index, bool last,
    const StereoExpstepWork * work, const StereoExpstepChunk * chunk)
{
  Job job = {.k = k,.pass = pass,.index = index,.last = last,.work = work,
    .chunk = chunk
  };

  stereo_cpu_for (queue, k->height, 0, columns_rows, &job);
  return STEREO_OK;
}

static void
finish_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoExpstepConstants *k = job->k;
  const StereoExpstepWork *work = job->work;
  const StereoMap *map = job->map;
  const StereoOutput *output = job->output;
  bool empty = k->first_index == k->end_index;

  for (int y = span.begin; y < span.end; y++) {
    const uint32_t *best = work->best + (size_t) y * work->pitch;

    for (int x = 0; x < k->width; x++)
      stereo_store_index (map, output, x, y, empty ? STEREO_INVALID
          : best[x] & 0xffff);
  }
}

static StereoStatus
finish_cpu (StereoQueue * queue, const StereoExpstepConstants * k,
    const StereoExpstepWork * work, const StereoMap * map,
    const StereoOutput * output)
{
  Job job = {.k = k,.work = work,.map = map,.output = output };

  stereo_cpu_for (queue, k->height, 0, finish_rows, &job);
  return STEREO_OK;
}

/* --------------------------------------------------------- CPU, all of them */

/* Weights are kept when they take no more than this. */
#define MAX_WEIGHTS ((size_t) 24 << 20)
/* What a thread's volumes should take: they stay in its cache. */
#define CHUNK_BYTES ((size_t) 3 << 19)
#define MIN_PART 4
#define MIN_CHUNK 6
#define MAX_CHUNK 64

static int
limit_chunk (size_t fitting, int lowest, int highest)
{
  if (fitting < (size_t) lowest)
    return lowest;
  return fitting > (size_t) highest ? highest : (int) fitting;
}

int
stereo_expstep_plan_cpu (const StereoProblem * problem,
    const StereoExpstepConstants * k, int n_passes, bool apart,
    StereoExpstepWork * work, StereoArena * arena)
{
  int all = k->end_index - k->first_index, chunk = all;
  int threads = (int) problem->n_threads;
  size_t plane, weights, parts = 1;

  work->pitch = ((size_t) k->width + 63) / 64 * 64;
  plane = work->pitch * (size_t) k->height;
  weights = 4 * plane * (size_t) n_passes;
  for (int c = 0; c < (k->channels == 3 ? 4 : 1); c++) {
    if (stereo_expstep_compares (k, c) || c > 0)
      stereo_arena_add (arena, (void **) &work->left[c],
          plane + 2 * STEREO_EXPSTEP_MARGIN, 1);
    if (stereo_expstep_compares (k, c))
      stereo_arena_add (arena, (void **) &work->right[c],
          plane + 2 * STEREO_EXPSTEP_MARGIN, 1);
  }

  if (apart && !k->messages && weights <= MAX_WEIGHTS
      && all >= threads * MIN_PART) {
    stereo_arena_add (arena, (void **) &work->weights, weights, 1);
    work->parts = threads;
    parts = (size_t) threads;
    chunk = limit_chunk (CHUNK_BYTES / (2 * plane), MIN_PART,
        all / threads < MAX_CHUNK ? all / threads : MAX_CHUNK);
    work->part_chunk = chunk;
  } else if (!k->messages) {
    chunk = limit_chunk (CHUNK_BYTES * (size_t) threads / (2 * plane),
        MIN_CHUNK, MAX_CHUNK);
    chunk = chunk > all ? all : chunk;
  }
  for (int i = 0; i < 2; i++)
    stereo_arena_add (arena, (void **) &work->volume[i],
        plane * (size_t) chunk + 2 * STEREO_EXPSTEP_MARGIN, parts);
  stereo_arena_add (arena, (void **) &work->best, plane * parts,
      sizeof (uint32_t));
  return chunk;
}

static void
prepare_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoExpstepConstants *k = job->k;
  const StereoView *left = job->left;
  const StereoView *right = job->right;
  const StereoExpstepWork *work = job->work;

  for (int y = span.begin; y < span.end; y++) {
    for (int side = 0; side < 2; side++) {
      const StereoView *view = side == 0 ? left : right;
      uint8_t *const *planes = side == 0 ? work->left : work->right;
      size_t from = (size_t) y * view->stride;
      size_t to = (size_t) y * work->pitch + STEREO_EXPSTEP_MARGIN;

      for (int c = 1; c <= k->channels && planes[c] != NULL; c++)
        memcpy (planes[c] + to, view->plane[c - 1] + from, (size_t) k->width);
      if (planes[0] == NULL)
        continue;
      if (k->channels == 1) {
        memcpy (planes[0] + to, view->plane[0] + from, (size_t) k->width);
        continue;
      }
      for (size_t x = 0; x < (size_t) k->width; x++)
        planes[0][to + x] = stereo_luma (view->plane[0][from + x],
            view->plane[1][from + x], view->plane[2][from + x]);
    }
  }
}

StereoStatus
stereo_expstep_prepare_cpu (StereoQueue * queue,
    const StereoExpstepConstants * k, const StereoView * left,
    const StereoView * right, const StereoExpstepWork * work)
{
  Job job = {.k = k,.left = left,.right = right,.work = work };

  stereo_cpu_for (queue, k->height, 0, prepare_rows, &job);
  return STEREO_OK;
}

static int
plan_plain (const StereoProblem * problem, const StereoExpstepConstants * k,
    int n_passes, StereoExpstepWork * work, StereoArena * arena)
{
  return stereo_expstep_plan_cpu (problem, k, n_passes, false, work, arena);
}

static StereoStatus
prepare_plain (StereoQueue * queue, const StereoExpstepConstants * k,
    const StereoExpstepPass * passes, int n_passes, const StereoView * left,
    const StereoView * right, const StereoExpstepWork * work)
{
  (void) passes, (void) n_passes;
  return stereo_expstep_prepare_cpu (queue, k, left, right, work);
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
