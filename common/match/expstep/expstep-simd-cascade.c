/* gst-stereomatching: passes of ESAW in a cascade, with vectors
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A row of costs goes through all passes as soon as possible.  A pass needs
 * the rows s above and s below a row, so it keeps the last 2 s + 1 rows in a
 * ring, lags s rows behind its input and passes each finished row to the next
 * pass. There is no volume; the rings of a chunk of disparities stay in the
 * cache of a thread for any height of the image.
 *
 * Each part of the work is a range of disparities in a band of rows.  It is
 * processed chunk by chunk and keeps the winners of its disparities with the
 * neighbouring sums; finish() merges the parts.
 */

#include "match/expstep/expstep-simd.h"

typedef struct
{
  int step;
  int first;                    /* input rows: first <= y < end */
  int end;
  int in;                       /* the next input row */
  int out;                      /* the next output row */
  int out_end;
  int slots;                    /* rows in the ring */
  uint8_t *ring;
  uint8_t *input;               /* one row, of all disparities of the chunk */
} CascadePass;

typedef struct
{
  const StereoExpstepConstants *k;
  const StereoExpstepWork *work;
  const StereoExpstepChunk *chunk;
  StereoExpstepPart part;
  bool fresh;                   /* this is the first chunk */
  ExpstepLayout layout;         /* of rows of costs */
  uint16_t *sums;
  int n_passes;
  CascadePass pass[STEREO_EXPSTEP_MAX_PASSES];
} Cascade;

static uint8_t *
cascade_slot (const Cascade * c, const CascadePass * pass, int y)
{
  return pass->ring + (size_t) ((y - pass->first) % pass->slots)
      * c->layout.pitch * (size_t) c->chunk->count;
}

static ExpstepRowWeights
cascade_weights (const Cascade * c, int index, bool columns, int y)
{
  return (ExpstepRowWeights) {
    expstep_weights_at (c->k, c->work, index, columns, 0, y),
    expstep_weights_at (c->k, c->work, index, columns, 1, y), c->work->pitch
  };
}

static void cascade_feed (Cascade * c, int index, int y);

/* Pass along columns for row y. */
static void
cascade_finish (Cascade * c, int index, int y)
{
  const StereoExpstepConstants *k = c->k;
  const CascadePass *pass = &c->pass[index];
  const uint8_t *row = cascade_slot (c, pass, y);
  const ExpstepTaps taps = {
    .weights = cascade_weights (c, index, true, y),
    .own = row,
    .before = y >= pass->step ? cascade_slot (c, pass, y - pass->step) : row,
    .after = y + pass->step < k->height
        ? cascade_slot (c, pass, y + pass->step) : row,
    .layout = c->layout,
    .count = c->chunk->count
  };

  if (index == c->n_passes - 1) {
    StereoExpstepWinners winners = stereo_expstep_winners (k, c->work,
        c->part.range, y);

    expstep_update_winners (k, &taps, c->chunk, c->fresh, &winners, c->sums);
    return;
  }
  expstep_aggregate_row (k, &taps, 0, &(ExpstepTarget) {
      c->pass[index + 1].input, c->layout, NULL, false}, KIND_COSTS);
  cascade_feed (c, index + 1, y);
}

/* Pass along row y, which is in the input of the pass; finishes all rows that
 * have become complete. */
static void
cascade_feed (Cascade * c, int index, int y)
{
  CascadePass *pass = &c->pass[index];
  int s = pass->step;
  const ExpstepTaps taps = {
    cascade_weights (c, index, false, y), pass->input, pass->input - s,
    pass->input + s, c->layout, c->chunk->count
  };

  expstep_aggregate_row (c->k, &taps, s, &(ExpstepTarget) {
      cascade_slot (c, pass, y), c->layout, NULL, false}, KIND_COSTS);
  pass->in = y + 1;
  while (pass->out < pass->out_end && (pass->out + s < pass->in
          || pass->in == pass->end)) {
    cascade_finish (c, index, pass->out);
    pass->out++;
  }
}

/* Finds the rows that each pass needs for the rows of the part. */
static void
cascade_start (Cascade * c, const StereoExpstepPass * passes)
{
  int first = c->part.first_row, end = c->part.end_row;

  for (int i = c->n_passes - 1; i >= 0; i--) {
    CascadePass *pass = &c->pass[i];
    int s = passes[i].step;

    pass->step = s;
    pass->out = first;
    pass->out_end = end;
    first = first > s ? first - s : 0;
    end = c->k->height - end > s ? end + s : c->k->height;
    pass->in = pass->first = first;
    pass->end = end;
    pass->slots = stereo_expstep_ring_rows (c->k, s);
  }
}

static void
cascade_allocate (Cascade * c, uint8_t * memory)
{
  size_t rows = c->layout.pitch * (size_t) c->chunk->count;

  memory += STEREO_EXPSTEP_MARGIN;
  for (int i = 0; i < c->n_passes; i++) {
    c->pass[i].input = memory;
    memory += rows + STEREO_EXPSTEP_MARGIN;
    c->pass[i].ring = memory;
    memory += rows * (size_t) c->pass[i].slots + STEREO_EXPSTEP_MARGIN;
  }
}

void
expstep_run_cascade (const StereoExpstepConstants * k,
    const StereoExpstepPass * passes, int n_passes,
    const StereoExpstepWork * work, int part, int worker)
{
  Cascade c = {.k = k, .work = work, .n_passes = n_passes,
    .part = stereo_expstep_part (k, work, part),
    .layout = { 1, stereo_expstep_ring_pitch (k) }
  };

  for (int first = c.part.first; first < c.part.end;
      first += work->part_chunk) {
    StereoExpstepChunk chunk = { first, work->part_chunk };

    if (chunk.count > c.part.end - first)
      chunk.count = c.part.end - first;
    c.chunk = &chunk;
    c.fresh = first == c.part.first;
    cascade_start (&c, passes);
    cascade_allocate (&c,
        work->volume[0] + (size_t) worker * work->worker_bytes);
    if (work->sums != NULL)
      c.sums = work->sums + (size_t) worker * (size_t) work->part_chunk
          * stereo_expstep_sums_pitch (k);
    for (int y = c.pass[0].first; y < c.pass[0].end; y++) {
      expstep_costs_row (k, work, &chunk, y, &(ExpstepTarget) {
          c.pass[0].input, c.layout, NULL, false});
      cascade_feed (&c, 0, y);
    }
  }
}
