/* gst-stereomatching: exponential step sizes, plain stages of the CPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The reference of the vector stages, and of those of CUDA; and the plan of
 * all stages of the CPU. */

#include "match/expstep/expstep-cpu.h"

#include "core/cpu.h"
#include "match/expstep/expstep-formula.h"
#include "refine/output.h"
#include "refine/winner-formula.h"
#include "simd/select.h"

#include <string.h>

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

/* Weights of the two neighbours of a pixel, `offset` elements away. */
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

/* Replaces the costs of row y by messages. */
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

typedef struct
{
  const StereoExpstepConstants *k;
  const StereoMatchFrame *frame;
  const StereoExpstepPass *pass;
  int index;
  const StereoExpstepWork *work;
  const StereoExpstepChunk *chunk;
} ExpstepPlainJob;

/* C of a pixel of the left view that has a partner. */
static uint8_t
pixel_cost (const StereoExpstepConstants * k, const StereoExpstepWork * work,
    int x, int y, int d)
{
  size_t row = (size_t) y * work->pitch;
  int first = k->cost_channels == 1 ? 0 : 1, sum = 0;

  if (k->uses_words)
    return stereo_expstep_words_cost (k, stereo_word_at (&work->words[0],
            x, y), stereo_word_at (&work->words[1], x - d, y));
  for (int c = first; c < first + k->cost_channels; c++) {
    const uint8_t *l = work->left[c] + STEREO_EXPSTEP_MARGIN + row;
    const uint8_t *r = work->right[c] + STEREO_EXPSTEP_MARGIN + row;

    sum += (int) stereo_expstep_abs (l[x] - r[x - d]);
  }
  return stereo_expstep_cost (k, sum);
}

static void
plain_cost_rows (const void *context, StereoSpan span)
{
  const ExpstepPlainJob *job = context;
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
expstep_plain_cost (StereoQueue * queue, const StereoExpstepConstants * k,
    const StereoExpstepWork * work, const StereoExpstepChunk * chunk)
{
  ExpstepPlainJob job = { .k = k, .work = work, .chunk = chunk };

  stereo_cpu_for (queue, k->height, 0, plain_cost_rows, &job);
  return STEREO_OK;
}

static void
plain_rows_rows (const void *context, StereoSpan span)
{
  const ExpstepPlainJob *job = context;
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
expstep_plain_rows (StereoQueue * queue, const StereoExpstepConstants * k,
    const StereoExpstepPass * pass, int index, const StereoExpstepWork * work,
    const StereoExpstepChunk * chunk)
{
  ExpstepPlainJob job = { .k = k, .pass = pass, .index = index, .work = work,
    .chunk = chunk };

  stereo_cpu_for (queue, k->height, 0, plain_rows_rows, &job);
  return STEREO_OK;
}

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

/* Updates the second minimum of a left pixel with the next sum; called before
 * the update of its winner. */
static void
update_second (const StereoExpstepWinners * w, int x, int index, uint16_t sum)
{
  uint16_t *second = w->plane[STEREO_EXPSTEP_SECOND] + x;
  uint16_t *others = w->plane[STEREO_EXPSTEP_OTHERS] + x;

  if (sum < w->plane[STEREO_EXPSTEP_SUM][x])
    *second = *others;
  else if (index > w->plane[STEREO_EXPSTEP_INDEX][x] + 1 && sum < *second)
    *second = sum;
  if (w->plane[STEREO_EXPSTEP_LAST][x] < *others)
    *others = w->plane[STEREO_EXPSTEP_LAST][x];
}

/* Updates the winners of a left pixel and of its partner.  Indices are
 * ascending, so the lowest one wins a tie. */
static void
compete (const StereoExpstepConstants * k, const StereoExpstepWinners * w,
    int x, int index, uint16_t sum)
{
  uint16_t *const *p = w->plane;
  int partner = x - (k->min_disparity + index);

  if (index == k->first_index) {
    p[STEREO_EXPSTEP_SUM][x] = UINT16_MAX;
    if (k->winners)
      p[STEREO_EXPSTEP_LAST][x] = UINT16_MAX;
    if (p[STEREO_EXPSTEP_SECOND] != NULL)
      p[STEREO_EXPSTEP_SECOND][x] = p[STEREO_EXPSTEP_OTHERS][x]
          = STEREO_WINNER_NO_SECOND;
  }
  if (p[STEREO_EXPSTEP_SECOND] != NULL)
    update_second (w, x, index, sum);
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

static void
plain_last_columns_rows (const void *context, StereoSpan span)
{
  const ExpstepPlainJob *job = context;
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
plain_columns_rows (const void *context, StereoSpan span)
{
  const ExpstepPlainJob *job = context;
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
expstep_plain_columns (StereoQueue * queue, const StereoExpstepConstants * k,
    const StereoExpstepPass * pass, int index, bool last,
    const StereoExpstepWork * work, const StereoExpstepChunk * chunk)
{
  ExpstepPlainJob job = { .k = k, .pass = pass, .index = index, .work = work,
    .chunk = chunk };

  stereo_cpu_for (queue, k->height, 0, last ? plain_last_columns_rows
      : plain_columns_rows, &job);
  return STEREO_OK;
}

static void
plain_finish_rows (const void *context, StereoSpan span)
{
  const ExpstepPlainJob *job = context;
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
        stereo_winner_store (target, x, y, index, 0, 0, 0, 0);
      else
        stereo_winner_store (target, x, y, index, p[STEREO_EXPSTEP_BEFORE][x],
            p[STEREO_EXPSTEP_SUM][x], p[STEREO_EXPSTEP_AFTER][x],
            target->uniqueness ? p[STEREO_EXPSTEP_SECOND][x] : 0);
      if (target != NULL && target->right != NULL)
        stereo_winner_store_right (target, x, y,
            empty || w.right_sum[x] == UINT16_MAX ? STEREO_NO_WINNER
            : stereo_winner_right_word (w.right_index[x], w.right_sum[x]));
    }
  }
}

StereoStatus
stereo_expstep_finish_cpu (const StereoMatchFrame * frame,
    const StereoExpstepConstants * k, const StereoExpstepWork * work)
{
  ExpstepPlainJob job = { .k = k, .frame = frame, .work = work };

  stereo_cpu_for (frame->queue, k->height, 0, plain_finish_rows, &job);
  return STEREO_OK;
}

/* -------------------------------------------------------------------- plans */

/* Target size of the live rows of a chunk, for the cache of a thread. */
#define CHUNK_BYTES ((size_t) 3 << 18)
/* Minimum number of disparities in a range; fewer cost too many weights. */
#define MIN_RANGE 8
/* Minimum height of a band. */
#define MIN_BAND 96
#define MIN_CHUNK 4
#define MAX_CHUNK 64

static int
clamp_count (size_t count, int lowest, int highest)
{
  if (count < (size_t) lowest)
    return lowest;
  return count > (size_t) highest ? highest : (int) count;
}

/* Divides the work between threads: first by disparities, then by rows, where
 * bands overlap. */
static void
plan_parts (const StereoExpstepConstants * k,
    const StereoExpstepPass * passes, int n_passes, int threads,
    StereoExpstepWork * work)
{
  int all = k->end_index - k->first_index, rows = n_passes, chunks;
  size_t pitch = stereo_expstep_ring_pitch (k);

  for (int i = 0; i < n_passes; i++)
    rows += stereo_expstep_ring_rows (k, passes[i].step);
  work->ranges = clamp_count ((size_t) all / MIN_RANGE, 1, threads);
  work->bands = clamp_count ((size_t) (k->height / MIN_BAND), 1,
      threads / work->ranges);

  /* chunks of equal size */
  all = (all + work->ranges - 1) / work->ranges;
  work->part_chunk = clamp_count (CHUNK_BYTES / ((size_t) rows * pitch),
      MIN_CHUNK, MAX_CHUNK);
  chunks = (all + work->part_chunk - 1) / work->part_chunk;
  work->part_chunk = all > 0 ? (all + chunks - 1) / chunks : 1;
  work->worker_bytes = (size_t) work->part_chunk * pitch * (size_t) rows
      + (size_t) (2 * n_passes + 2) * STEREO_EXPSTEP_MARGIN;
}

/* Declares a ring of rows, and memory of a thread for a row. */
static void
plan_sweeps (const StereoExpstepConstants * k,
    const StereoExpstepPass * passes, int n_passes, size_t threads,
    StereoExpstepWork * work, StereoArena * arena)
{
  int parts = stereo_expstep_sweep_parts (k), reach = 0;
  size_t all = (size_t) (k->end_index - k->first_index);

  for (int i = 0; i < n_passes - 1; i++) {
    if (stereo_expstep_max_step (k, &passes[i]) > reach)
      reach = stereo_expstep_max_step (k, &passes[i]);
  }
  work->ranges = work->bands = 1;
  work->lag = STEREO_EXPSTEP_ROWS
      * clamp_count (STEREO_EXPSTEP_APART * threads, 1, parts);
  work->slots = k->height + reach + work->lag;
  /* a row, and the disparities of a block of columns */
  work->worker_bytes = all * (stereo_expstep_ring_pitch (k)
      + STEREO_EXPSTEP_BLOCK) + 2 * STEREO_EXPSTEP_MARGIN;
  stereo_arena_add (arena, (void **) &work->volume[0],
      all * work->pitch * (size_t) work->slots, 1);
  stereo_arena_add (arena, (void **) &work->volume[1], work->worker_bytes,
      threads);
  stereo_arena_add (arena, (void **) &work->progress, (size_t) parts,
      sizeof (uint32_t));
}

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

  work->pitch = stereo_round_up ((size_t) k->width, 64);
  plane = work->pitch * (size_t) k->height;
  for (int c = 0; c < 4; c++) {
    if (stereo_expstep_uses_difference (k, c)
        || (stereo_expstep_uses_weights (k, c) && c <= k->channels))
      stereo_arena_add (arena, (void **) &work->left[c],
          plane + 2 * STEREO_EXPSTEP_MARGIN, 1);
    if (stereo_expstep_uses_difference (k, c))
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
      chunk = clamp_count (CHUNK_BYTES * threads / plane, MIN_CHUNK,
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

/* Copies row y of a view to the planes in use. */
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
plain_prepare_rows (const void *context, StereoSpan span)
{
  const ExpstepPlainJob *job = context;
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
  ExpstepPlainJob job = { .k = k, .frame = frame, .work = work };

  stereo_cpu_for (frame->queue, k->height, 0, plain_prepare_rows, &job);
  return STEREO_OK;
}

static int
expstep_plain_plan (const StereoSearch * search,
    const StereoExpstepConstants * k,
    const StereoExpstepPass * passes, int n_passes, StereoExpstepWork * work,
    StereoArena * arena)
{
  return stereo_expstep_plan_cpu (search, k, passes, n_passes, false, work,
      arena);
}

static StereoStatus
expstep_plain_prepare (const StereoMatchFrame * frame,
    const StereoExpstepConstants * k,
    const StereoExpstepPass * passes, int n_passes,
    const StereoExpstepWork * work)
{
  (void) passes, (void) n_passes;
  return stereo_expstep_prepare_cpu (frame, k, work);
}

static const StereoExpstepStages expstep_plain_stages = {
  .plan = expstep_plain_plan,
  .prepare = expstep_plain_prepare,
  .cost = expstep_plain_cost,
  .rows = expstep_plain_rows,
  .columns = expstep_plain_columns,
  .finish = stereo_expstep_finish_cpu,
};

const StereoExpstepStages *
stereo_expstep_stages_cpu (StereoSimd simd)
{
  return STEREO_SIMD_SELECT (simd, expstep_plain_stages,
      stereo_expstep_stages_);
}
