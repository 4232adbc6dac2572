/* gst-stereomatching: semi-global matching with vectors: memory and schedule
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/sgm/sgm-simd.h"

#include <limits.h>
#include <string.h>

/* ------------------------------------------------------------------- memory */

static int
n_padded (const StereoSgmConstants * k)
{
  return (int) stereo_round_up ((size_t) k->n, 64);
}

static int
band_rows (const StereoSgmConstants * k)
{
  return k->three || k->n_sweeps == 8 ? BAND : BAND_ONE;
}

static int
n_bands (const StereoSgmConstants * k)
{
  return (k->height + band_rows (k) - 1) / band_rows (k);
}

static size_t
line_elements (const StereoSgmConstants * k)
{
  return (size_t) k->width * (size_t) n_padded (k);
}

/* Whether all sums and costs of a band are kept; see MAX_KEPT_BYTES. */
static bool
keeps_band (const StereoSgmConstants * k, size_t n_threads)
{
  const size_t bytes = line_elements (k) * (size_t) band_rows (k)
      * (sizeof (uint16_t) + 1);

  return bytes <= MAX_KEPT_BYTES || (!k->three && k->n_sweeps == 4
      && bytes * n_threads <= MAX_KEPT_BYTES_ONE);
}

/* Elements of a row of sums or costs.  A multiple of a page would make
 * neighbouring rows collide in the cache. */
static size_t
row_elements (const StereoSgmConstants * k, size_t n_threads)
{
  return (keeps_band (k, n_threads) ? line_elements (k)
      : 2 * TILE * (size_t) n_padded (k)) + 128;
}

static int
vertical_sweeps (const StereoSgmConstants * k)
{
  return k->n_sweeps == 8 ? 3 : 1;
}

static size_t
mirror_stride (const StereoSgmConstants * k)
{
  int d = k->min_disparity + k->first_index;

  return stereo_round_up ((size_t) (sgm_mirror_front (k) + k->width
          + (d > 0 ? d : 0) + n_padded (k)) + SIMD_ALIGNMENT + (k->ranges
          ? SIMD_BYTES : 0), 64);
}

static StereoStatus
sgm_plan_simd (const StereoSgmConstants * k, unsigned n_threads,
    StereoSgmWork * work, StereoArena * arena, StereoMessage * why)
{
  const size_t padded = (size_t) n_padded (k), bands = (size_t) n_bands (k);
  const size_t workers = n_threads, row = row_elements (k, n_threads);
  const size_t down = (size_t) vertical_sweeps (k);

  (void) why;
  stereo_arena_add (arena, (void **) &work->sums, workers * BAND,
      row * sizeof (uint16_t));
  stereo_arena_add (arena, (void **) &work->costs, workers * BAND, row);
  stereo_arena_add (arena, (void **) &work->tile_checkpoints, workers * BAND,
      ((size_t) k->width / TILE + 1) * padded * sizeof (uint16_t));
  stereo_arena_add (arena, (void **) &work->lines, down,
      line_elements (k) * sizeof (uint16_t));
  stereo_arena_add (arena, (void **) &work->checkpoints, (bands - 1) * down,
      line_elements (k) * sizeof (uint16_t));
  stereo_arena_add (arena, (void **) &work->rows,
      (size_t) stereo_cost_planes (k->cost) * (size_t) k->height,
      mirror_stride (k));
  stereo_arena_add (arena, (void **) &work->differences,
      workers * (size_t) n_inputs (k) * BAND, input_stride (k));
  stereo_arena_add (arena, (void **) &work->column_costs, workers * TILE,
      padded);
  stereo_arena_add (arena, (void **) &work->right, workers * BAND,
      SGM (right_elements) (k) * sizeof (uint32_t));
  stereo_arena_add (arena, (void **) &work->scratch, workers * N_SCRATCH,
      padded * sizeof (uint16_t));
  stereo_arena_add (arena, (void **) &work->progress, bands,
      sizeof (uint32_t));
  return STEREO_OK;
}

/* -------------------------------------------------------------------- bands */

static Band
get_band (const Task * t, int index, int worker)
{
  const int y0 = index * t->band_rows, height = t->k->height;

  return (Band) {
    .task = t, .worker = worker, .index = index, .y0 = y0,
    .rows = y0 + t->band_rows < height ? t->band_rows : height - y0,
  };
}

/* Waits until another band has processed the tile, and the next one, which
 * diagonals read. */
static void
wait_for_band (const Task * t, int band, int tile)
{
  const int wanted = tile + 1 + t->skew;

  stereo_progress_wait (&t->work->progress[band],
      (uint32_t) (wanted < t->n_tiles ? wanted : t->n_tiles));
}

/* The sweeps down without sums, to save L of the last row of each band. */
static void
save_checkpoints (const void *context, StereoSpan span)
{
  const Task *t = context;

  for (int i = span.begin; i < span.end; i++) {
    Band b = get_band (t, i, span.worker);

    SGM (find_inputs) (&b, true);
    for (int tile = 0; tile < t->n_tiles; tile++) {
      set_window (&b, tile);
      if (i > 0)
        wait_for_band (t, i - 1, tile);
      for (int j = 0; j < t->band_rows; j++) {
        const Range r = SGM (tile_range) (t, tile, j, false);
        uint8_t *costs = t->work->column_costs + pixels (t, span.worker * TILE);

        if (r.x0 < r.x1)
          SGM (find_costs) (&b, r, j, costs);
        SGM (sweep_tile_row) (&b, tile, j, false, costs);
      }
      stereo_progress_reach (&t->work->progress[i], (uint32_t) tile + 1);
    }
  }
}

/* The leftward sweep over the columns of a tile, and their costs. */
static void
sweep_left (Band * b, Range r, Sums sums)
{
  for (int j = 0; j < b->rows && r.x0 < r.x1; j++)
    SGM (find_costs) (b, r, j, costs_at (b, r.x0, j));
  SGM (sweep_columns) (b, r, false, sums);
}

/* The costs of the band and its horizontal paths. */
static void
sweep_rows (const Band * b)
{
  const Range all = { 0, b->task->k->width };

  for (int j = 0; j < b->rows; j++) {
    SGM (find_costs) (b, all, j, costs_at (b, 0, j));
    SGM (sweep_paths) (b, j);
  }
}

/* All remaining sweeps of a tile, and its winners. */
static void
match_tile (Band * b, int tile)
{
  const Task *t = b->task;
  const int end = (tile + 1) * TILE - t->skew * (BAND - 1);
  const Range across = clip_range (t, tile * TILE, (tile + 1) * TILE);
  const Range done = clip_range (t, end - TILE, end);

  set_window (b, tile);
  if (!t->keeps_sums)
    sweep_left (b, across, FIRST_OF_SUMS);
  if (!t->by_rows)
    SGM (sweep_columns) (b, across, true, MORE_OF_SUMS);
  for (int j = 0; j < b->rows; j++)
    SGM (sweep_tile_row) (b, tile, j, false, NULL);
  if (b->index + 1 < t->n_bands)
    wait_for_band (t, b->index + 1, tile);
  for (int j = b->rows - 1; j >= 0; j--)
    SGM (sweep_tile_row) (b, tile, j, true, NULL);
  for (int j = 0; j < b->rows && done.x0 < done.x1; j++)
    SGM (find_winners) (b, done, j);
}

/* Sweeps and winners of the bands, from the last one up. */
static void
match_bands (const void *context, StereoSpan span)
{
  const Task *t = context;
  const bool right = SGM (wants_right) (t);

  for (int i = span.begin; i < span.end; i++) {
    Band b = get_band (t, t->n_bands - 1 - i, span.worker);

    SGM (find_inputs) (&b, false);
    set_window (&b, 0);
    if (t->by_rows) {
      sweep_rows (&b);
    } else {
      for (int tile = (t->k->width - 1) / TILE; tile >= 0; tile--) {
        set_window (&b, tile);
        sweep_left (&b, clip_range (t, tile * TILE, (tile + 1) * TILE),
            t->keeps_sums ? FIRST_OF_SUMS : NO_SUMS);
      }
    }
    for (int j = 0; j < b.rows && right; j++)
      SGM (clear_right) (&b, j);
    for (int tile = 0; tile < t->n_tiles; tile++) {
      match_tile (&b, tile);
      stereo_progress_reach (&t->work->progress[b.index], (uint32_t) tile + 1);
    }
    for (int j = 0; j < b.rows && right; j++)
      SGM (store_right) (&b, j);
  }
}

/* -------------------------------------------------------------------- match */

/* Mask of the bytes that are not at index `place` of a strip. */
static VecU8
make_strip_mask (int place)
{
  VecU8 mask;

  for (int i = 0; i < SIMD_BYTES; i++)
    mask[i] = i % STEREO_SGM_STRIP == place ? 0 : UINT8_MAX;
  return mask;
}

static void
for_bands (const StereoQueue * queue, int n, StereoPoolBody body,
    const Task * t)
{
  memset (t->work->progress, 0, (size_t) t->n_bands
      * sizeof (*t->work->progress));
  stereo_cpu_for (queue, n, 1, body, t);
}

static StereoStatus
sgm_match_simd (StereoQueue * queue, const StereoSgmConstants * k,
    const StereoSgmViews * views, const StereoSgmWork * work,
    const StereoSgmResult * result, StereoConcurrentTask * concurrent)
{
  const int n_threads = stereo_cpu_threads (queue);
  const bool keeps = keeps_band (k, (size_t) n_threads);
  const int skew = k->n_sweeps == 8;
  Task t = {
    .k = k, .views = views, .work = work, .result = result,
    .n_threads = n_threads, .keeps_sums = keeps, .by_rows = keeps && !k->three,
    .column_mask = keeps ? INT_MAX : 2 * TILE - 1,
    .n_padded = n_padded (k),
    .line = line_elements (k), .row = row_elements (k, (size_t) n_threads),
    .n_bands = n_bands (k), .band_rows = band_rows (k), .skew = skew,
    .n_tiles = (k->width + skew * (BAND - 1) + TILE - 1) / TILE,
    .n_vertical = vertical_sweeps (k), .n_planes = stereo_cost_planes (k->cost),
    .mirror_stride = mirror_stride (k),
  };

  (void) concurrent;
  if (k->n == 0)
    return stereo_sgm_finish (queue, k, views, work, result);
  t.similarity = simd_table64 (k->similarity);
  t.not_first = make_strip_mask (0);
  t.not_last = make_strip_mask (STEREO_SGM_STRIP - 1);
  stereo_cpu_for (queue, k->height, 0, SGM (mirror_rows), &t);
  for_bands (queue, t.n_bands - 1, save_checkpoints, &t);
  for_bands (queue, t.n_bands, match_bands, &t);
  return STEREO_OK;
}

const StereoSgmStages SIMD_NAME (stereo_sgm_stages_) = {
  .plan = sgm_plan_simd,
  .match = sgm_match_simd,
};
