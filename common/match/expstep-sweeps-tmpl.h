/* gst-stereomatching: the passes of ESMP in sweeps, with vector instructions
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Included by expstep-simd.c alone.
 *
 * Messages are between all disparities of a pixel, too many for the rings of a
 * cascade to stay in a cache, so there is a volume.  It has what passes along
 * rows made.  A sweep over it takes a row through the pass along columns and,
 * in a thread's cache, through the next one along rows, so a pass reads and
 * writes a cost once.  The first sweep has costs instead of columns, the last
 * one winners instead of rows.
 *
 * The volume is a ring of rows.  A sweep writes row y behind all that it still
 * reads: as many rows before the old row y as the step reaches and threads may
 * be apart.  In a row the disparities of SIMD_BYTES pixels lie side by side.
 */

#ifndef STEREO_EXPSTEP_SWEEPS_TMPL_H
#define STEREO_EXPSTEP_SWEEPS_TMPL_H

#ifdef STEREO_SIMD_NAME

typedef struct
{
  const StereoExpstepConstants *k;
  const StereoExpstepPass *columns;     /* or NULL: costs instead */
  const StereoExpstepPass *rows;        /* or NULL: winners instead */
  int index;                    /* of the pass along rows */
  const StereoExpstepWork *work;
  StereoExpstepChunk chunk;     /* all there are */
  int source;                   /* slots of row 0 */
  int target;
} Sweep;

static uint8_t *
sweep_slot (const Sweep * s, int first, int y)
{
  return s->work->volume[0] + (size_t) ((first + y) % s->work->slots)
      * s->work->pitch * (size_t) s->chunk.count;
}

static Layout
sweep_layout (const Sweep * s)
{
  return (Layout) { (size_t) s->chunk.count, SIMD_BYTES };
}

/* The last pass along columns for a row, some disparities at a time. */
static void
sweep_winners (const Sweep * s, RowWeights weights, const uint8_t * c,
    const uint8_t * above, const uint8_t * below, int y, int worker)
{
  StereoExpstepWinners winners = stereo_expstep_winners (s->k, s->work, 0, y);
  Layout layout = sweep_layout (s);
  uint16_t *sums = s->work->sums + (size_t) worker * STEREO_EXPSTEP_SUMS
      * stereo_expstep_sums_pitch (s->k);

  for (int i = 0; i < s->chunk.count; i += STEREO_EXPSTEP_SUMS) {
    StereoExpstepChunk some = { s->chunk.first + i, STEREO_EXPSTEP_SUMS };
    size_t offset = (size_t) i * layout.pitch;

    if (some.count > s->chunk.count - i)
      some.count = s->chunk.count - i;
    update_winners (s->k, weights, c + offset, above + offset, below + offset,
        layout, &some, i == 0, &winners, sums);
  }
}

/* The pass along columns for row y. */
static void
sweep_columns (const Sweep * s, int y, int worker, WeightMemory * m,
    uint8_t * target, Layout to)
{
  const StereoExpstepConstants *k = s->k;
  int step = s->columns->step, count = s->chunk.count;
  RowWeights weights = made_row (k, s->columns, true, s->work, y, m);
  Layout from = sweep_layout (s);
  const uint8_t *c = sweep_slot (s, s->source, y);
  const uint8_t *above = y >= step ? sweep_slot (s, s->source, y - step) : c;
  const uint8_t *below = y + step < k->height
      ? sweep_slot (s, s->source, y + step) : c;

  if (s->rows == NULL)
    sweep_winners (s, weights, c, above, below, y, worker);
  else if (s->index < STEREO_EXPSTEP_FINE_PASS)
    aggregate_row (k, weights, c, above, below, 0, from, target, to, count,
        KIND_MESSAGES);
  else if (s->index == STEREO_EXPSTEP_FINE_PASS)
    aggregate_row (k, weights, c, above, below, 0, from, target, to, count,
        KIND_REFINED);
  else
    aggregate_row (k, weights, c, above, below, 0, from, target, to, count,
        KIND_FINE_MESSAGES);
}

/* The pass along row y. */
static void
sweep_along (const Sweep * s, int y, WeightMemory * m, const uint8_t * c,
    Layout from)
{
  const StereoExpstepConstants *k = s->k;
  int step = s->rows->step, count = s->chunk.count;
  RowWeights weights = made_row (k, s->rows, false, s->work, y, m);
  uint8_t *target = sweep_slot (s, s->target, y);

  if (s->index < STEREO_EXPSTEP_FINE_PASS)
    aggregate_row (k, weights, c, c - step, c + step, step, from, target,
        sweep_layout (s), count, KIND_MESSAGES);
  else
    aggregate_row (k, weights, c, c - step, c + step, step, from, target,
        sweep_layout (s), count, KIND_FINE_MESSAGES);
}

/* Until nobody needs what is where the part's rows go.  The parts before these
 * are what these have waited for. */
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
  Layout layout = { 1, stereo_expstep_ring_pitch (s->k) };
  uint8_t *made = s->work->volume[1] + STEREO_EXPSTEP_MARGIN
      + (size_t) span.worker * s->work->worker_bytes;
  WeightMemory m;

  for (int part = span.begin; part < span.end; part++) {
    int end = (part + 1) * STEREO_EXPSTEP_ROWS;

    sweep_wait (s, part);
    for (int y = part * STEREO_EXPSTEP_ROWS; y < end && y < s->k->height;
        y++) {
      if (s->columns == NULL)
        costs_row (s->k, s->work, &s->chunk, y, made, layout.pitch);
      else
        sweep_columns (s, y, span.worker, &m, made, layout);
      if (s->rows != NULL)
        sweep_along (s, y, &m, made, layout);
    }
    stereo_progress_reach (&s->work->progress[part], (uint32_t) s->index);
  }
}

/* Everything between prepare and finish, with messages. */
static void
match_sweeps (StereoQueue * queue, const StereoExpstepConstants * k,
    const StereoExpstepPass * passes, int n_passes,
    const StereoExpstepWork * work)
{
  int n_parts = stereo_expstep_sweep_parts (k);
  Sweep s = {.k = k,.work = work,
    .chunk = {k->first_index, k->end_index - k->first_index}
  };

  memset (work->progress, 0, (size_t) n_parts * sizeof (*work->progress));
  for (int i = 0; i <= n_passes && s.chunk.count > 0; i++) {
    s.index = i;
    s.columns = i > 0 ? &passes[i - 1] : NULL;
    s.rows = i < n_passes ? &passes[i] : NULL;
    s.source = s.target;
    if (s.columns != NULL && s.rows != NULL)
      s.target = (s.source + work->slots - work->lag
          - stereo_expstep_reach (k, s.columns)) % work->slots;
    stereo_cpu_for (queue, n_parts, 1, sweep_parts, &s);
  }
}

#endif /* STEREO_SIMD_NAME */
#endif /* STEREO_EXPSTEP_SWEEPS_TMPL_H */
