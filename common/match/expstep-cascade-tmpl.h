/* gst-stereomatching: all passes of ESAW row by row, with vector instructions
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Included by expstep-simd.c alone.
 *
 * A row of costs goes through all passes as soon as it can: a pass needs the
 * rows s above and s below to finish one, so it keeps the last 2 s + 1 rows in
 * a ring, lags s rows behind its input and hands what it finished to the next
 * pass at once.  No volume exists.  What is alive of a chunk of disparities are
 * the rings, which stay in a thread's cache whatever the height of the image.
 *
 * Each part of the work is a range of disparities in a band of rows; it takes
 * its disparities in chunks, one after the other, and keeps the winners among
 * them with the sums beside.  finish() puts the parts together.
 */

#ifndef STEREO_EXPSTEP_CASCADE_TMPL_H
#define STEREO_EXPSTEP_CASCADE_TMPL_H

#ifdef STEREO_SIMD_NAME

typedef struct
{
  int step;
  int first;                    /* rows of its input: first <= y < end */
  int end;
  int in;                       /* the next row that comes in */
  int out;                      /* the next row to finish */
  int out_end;
  int slots;                    /* rows that the ring has room for */
  uint8_t *ring;
  uint8_t *input;               /* one row, of all disparities of the chunk */
} CascadePass;

typedef struct
{
  const StereoExpstepConstants *k;
  const StereoExpstepWork *work;
  const StereoExpstepChunk *chunk;
  StereoExpstepPart part;
  bool fresh;                   /* no disparity was worked on before */
  Layout layout;                /* of rows of costs */
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

static void cascade_feed (Cascade * c, int index, int y);

/* Finishes row y of a pass. */
static void
cascade_finish (Cascade * c, int index, int y)
{
  const StereoExpstepConstants *k = c->k;
  const CascadePass *pass = &c->pass[index];
  RowWeights weights = kept_row (k, c->work, index, true, y);
  const uint8_t *row = cascade_slot (c, pass, y);
  const uint8_t *above = y >= pass->step
      ? cascade_slot (c, pass, y - pass->step) : row;
  const uint8_t *below = y + pass->step < k->height
      ? cascade_slot (c, pass, y + pass->step) : row;

  if (index == c->n_passes - 1) {
    StereoExpstepWinners winners = stereo_expstep_winners (k, c->work,
        c->part.range, y);

    update_winners (k, weights, row, above, below, c->layout, c->chunk,
        c->fresh, &winners, c->sums);
    return;
  }
  aggregate_row (k, weights, row, above, below, 0, c->layout,
      c->pass[index + 1].input, c->layout, c->chunk->count, KIND_COSTS);
  cascade_feed (c, index + 1, y);
}

/* Takes row y, which is in the pass's input. */
static void
cascade_feed (Cascade * c, int index, int y)
{
  CascadePass *pass = &c->pass[index];
  int s = pass->step;

  aggregate_row (c->k, kept_row (c->k, c->work, index, false, y), pass->input,
      pass->input - s, pass->input + s, s, c->layout,
      cascade_slot (c, pass, y), c->layout, c->chunk->count, KIND_COSTS);
  pass->in = y + 1;
  while (pass->out < pass->out_end && (pass->out + s < pass->in
          || pass->in == pass->end)) {
    cascade_finish (c, index, pass->out);
    pass->out++;
  }
}

/* The rows that each pass has to see for the part's. */
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

/* Where rings and rows are in a worker's memory. */
static void
cascade_place (Cascade * c, uint8_t * memory)
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

/* A part of the work. */
static void
cascade_run (const StereoExpstepConstants * k,
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
    cascade_place (&c, work->volume[0] + (size_t) worker * work->worker_bytes);
    if (work->sums != NULL)
      c.sums = work->sums + (size_t) worker * (size_t) work->part_chunk
          * stereo_expstep_sums_pitch (k);
    for (int y = c.pass[0].first; y < c.pass[0].end; y++) {
      costs_row (k, work, &chunk, y, c.pass[0].input, c.layout.pitch);
      cascade_feed (&c, 0, y);
    }
  }
}

#endif /* STEREO_SIMD_NAME */
#endif /* STEREO_EXPSTEP_CASCADE_TMPL_H */
