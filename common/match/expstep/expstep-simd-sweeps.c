/* gst-stereomatching: passes of ESMP in sweeps, with vectors
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Messages combine all disparities of a pixel, too many for the rings of a
 * cascade to fit a cache, so the result of each pass along rows is stored in a
 * volume.  A sweep takes each row of it through the pass along columns and, in
 * the cache of a thread, through the next pass along rows; a pass reads and
 * writes each cost once.  The first sweep starts with the costs, the last one
 * ends with winners.
 *
 * The volume is a ring of rows.  A sweep writes row y to a slot that no thread
 * reads any more; the offset depends on the step and on the maximum distance
 * between threads.  In a row the disparities of EXPSTEP_BLOCK pixels
 * are adjacent.
 */

#include "match/expstep/expstep-simd.h"

#include "core/cpu.h"
#include "core/progress.h"

typedef struct
{
  const StereoExpstepConstants *k;
  const StereoExpstepPass *columns;     /* NULL in the first sweep */
  const StereoExpstepPass *rows;        /* NULL in the last sweep */
  int index;                    /* of the pass along rows */
  const StereoExpstepWork *work;
  StereoExpstepChunk chunk;     /* all disparities */
  int source;                   /* slot of row 0 */
  int target;
  bool stream;                  /* the volume does not fit a cache */
} Sweep;

/* A volume of this size does not stay in the cache until the next sweep. */
#define STREAM_BYTES ((size_t) 32 << 20)

static uint8_t *
sweep_slot (const Sweep * s, int first, int y)
{
  return s->work->volume[0] + (size_t) ((first + y) % s->work->slots)
      * s->work->pitch * (size_t) s->chunk.count;
}

static ExpstepLayout
sweep_layout (const Sweep * s)
{
  return (ExpstepLayout) { (size_t) s->chunk.count, EXPSTEP_BLOCK };
}

/* Last pass along columns for a row, some disparities at a time. */
static void
sweep_winners (const Sweep * s, const ExpstepTaps * taps, int y, int worker)
{
  StereoExpstepWinners winners = stereo_expstep_winners (s->k, s->work, 0, y);
  uint16_t *sums = s->work->sums + (size_t) worker * STEREO_EXPSTEP_SUMS
      * stereo_expstep_sums_pitch (s->k);

  for (int i = 0; i < s->chunk.count; i += STEREO_EXPSTEP_SUMS) {
    StereoExpstepChunk some = { s->chunk.first + i, STEREO_EXPSTEP_SUMS };
    size_t offset = (size_t) i * taps->layout.pitch;
    ExpstepTaps t = *taps;

    if (some.count > s->chunk.count - i)
      some.count = s->chunk.count - i;
    t.own += offset;
    t.before += offset;
    t.after += offset;
    t.count = some.count;
    expstep_update_winners (s->k, &t, &some, i == 0, &winners, sums);
  }
}

/* The pass along columns for row y. */
static void
sweep_columns (const Sweep * s, int y, int worker, ExpstepWeightMemory * m,
    const ExpstepTarget * target)
{
  const StereoExpstepConstants *k = s->k;
  int step = s->columns->step;
  const uint8_t *c = sweep_slot (s, s->source, y);
  const ExpstepTaps taps = {
    .weights = expstep_make_weights (k, s->columns, true, s->work, y, m),
    .own = c,
    .before = y >= step ? sweep_slot (s, s->source, y - step) : c,
    .after = y + step < k->height ? sweep_slot (s, s->source, y + step) : c,
    .layout = sweep_layout (s),
    .count = s->chunk.count
  };

  if (s->rows == NULL)
    sweep_winners (s, &taps, y, worker);
  else if (s->index < STEREO_EXPSTEP_FINE_PASS)
    expstep_aggregate_row (k, &taps, 0, target, KIND_MESSAGES);
  else if (s->index == STEREO_EXPSTEP_FINE_PASS)
    expstep_aggregate_row (k, &taps, 0, target, KIND_REFINED);
  else
    expstep_aggregate_row (k, &taps, 0, target, KIND_FINE_MESSAGES);
}

/* The pass along row y, of the results of the pass along columns. */
static void
sweep_along (const Sweep * s, int y, ExpstepWeightMemory * m,
    const ExpstepTarget * from)
{
  const StereoExpstepConstants *k = s->k;
  int step = s->rows->step;
  const ExpstepTaps taps = {
    expstep_make_weights (k, s->rows, false, s->work, y, m), from->row,
    from->row - step, from->row + step, from->layout, s->chunk.count
  };
  const ExpstepTarget target = { sweep_slot (s, s->target, y),
    sweep_layout (s), from->upward, s->stream
  };

  if (s->index < STEREO_EXPSTEP_FINE_PASS)
    expstep_aggregate_row (k, &taps, step, &target, KIND_MESSAGES);
  else
    expstep_aggregate_row (k, &taps, step, &target, KIND_FINE_MESSAGES);
}

/* Waits until no thread reads the target slots of a part.  Those parts have
 * waited for all earlier ones. */
static void
sweep_wait (const Sweep * s, int part)
{
  int lag = s->work->lag / STEREO_EXPSTEP_ROWS, last = part - lag;

  for (int i = last - lag + 1; i <= last; i++) {
    if (i >= 0)
      stereo_progress_wait (&s->work->progress[i], (uint32_t) s->index);
  }
}

static void
sweep_parts (const void *context, StereoSpan span)
{
  const Sweep *s = context;
  size_t pitch = stereo_expstep_ring_pitch (s->k);
  uint8_t *memory = s->work->volume[1]
      + (size_t) span.worker * s->work->worker_bytes;
  const ExpstepTarget made = {
    .row = memory + STEREO_EXPSTEP_MARGIN,
    .layout = {1, pitch},
    .upward = memory + (size_t) s->chunk.count * pitch
        + 2 * STEREO_EXPSTEP_MARGIN
  };
  ExpstepWeightMemory m;

  for (int part = span.begin; part < span.end; part++) {
    int end = (part + 1) * STEREO_EXPSTEP_ROWS;

    sweep_wait (s, part);
    for (int y = part * STEREO_EXPSTEP_ROWS; y < end && y < s->k->height;
        y++) {
      if (s->columns == NULL)
        expstep_costs_row (s->k, s->work, &s->chunk, y, &made);
      else
        sweep_columns (s, y, span.worker, &m, &made);
      if (s->rows != NULL)
        sweep_along (s, y, &m, &made);
    }
    simd_finish_streams ();
    stereo_progress_reach (&s->work->progress[part], (uint32_t) s->index);
  }
}

void
expstep_run_sweeps (StereoQueue * queue, const StereoExpstepConstants * k,
    const StereoExpstepPass * passes, int n_passes,
    const StereoExpstepWork * work)
{
  int n_parts = stereo_expstep_sweep_parts (k);
  Sweep s = {.k = k,.work = work,
    .chunk = {k->first_index, k->end_index - k->first_index}
  };

  s.stream = (size_t) s.chunk.count * work->pitch * (size_t) work->slots
      >= STREAM_BYTES;

  memset (work->progress, 0, (size_t) n_parts * sizeof (*work->progress));
  for (int i = 0; i <= n_passes && s.chunk.count > 0; i++) {
    s.index = i;
    s.columns = i > 0 ? &passes[i - 1] : NULL;
    s.rows = i < n_passes ? &passes[i] : NULL;
    s.source = s.target;
    if (s.columns != NULL && s.rows != NULL)
      s.target = (s.source + work->slots - work->lag
          - stereo_expstep_max_step (k, s.columns)) % work->slots;
    stereo_cpu_for (queue, n_parts, 1, sweep_parts, &s);
  }
}
