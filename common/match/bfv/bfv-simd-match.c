/* gst-stereomatching: matching of bfv with vector instructions
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Threads process strips of whole rows, so that each right winner belongs to
 * one thread.  For each disparity a thread computes H of the rows of its strip,
 * and of the rows above and below that support regions reach, as differences of
 * prefix sums; A follows in the same way along columns.  The strip is processed
 * in tiles that fit the second level cache, from left to right, so that right
 * winners see their candidates in ascending order.
 */

#include "match/bfv/bfv-simd.h"
#include "match/bfv/bfv-simd-strip.h"

#include "core/cpu.h"
#include "image/pixel.h"

#define GENERAL SIMD_NAME (stereo_bfv_general_)
#define TRANSPOSED SIMD_NAME (stereo_bfv_transposed_)

static size_t
padded_row (int n)
{
  return stereo_round_up ((size_t) n, BFV_MARGIN) + BFV_MARGIN;
}

/* Strips as tall as a tile in the cache, if there are enough for all threads.
 * The last ones are lower (pool.h). */
static void
choose_strips (const StereoBfvConstants * k, unsigned n_threads, BfvLayout * l)
{
  const size_t cache = 1300000; /* bytes of a tile, measured */
  int step = l->matcher->row_multiple;
  int per_strip = (int) (cache / (24 * (size_t) l->tile_width
          * (size_t) step));

  l->n_steps = bfv_ceil_div (k->grid_height, step);
  per_strip = stereo_clamp_int (per_strip, 1, 128 / step);
  per_strip = stereo_clamp_int (per_strip, 1, bfv_ceil_div (l->n_steps,
          (int) n_threads));
  l->strip_steps = bfv_ceil_div (l->n_steps, bfv_ceil_div (l->n_steps,
          per_strip));
  l->strip_height = l->strip_steps * step;
  l->rows = l->strip_height + 2 * l->reach_y;
}

static void
make_layout (const StereoBfvConstants * k, unsigned n_threads, BfvLayout * l)
{
  const int widest = 512;       /* columns */
  int lowest, highest, tiles;

  memset (l, 0, sizeof (*l));
  l->reach_x = bfv_ceil_div (k->arm_length, k->sampling_x);
  l->reach_y = bfv_ceil_div (k->arm_length, k->sampling_y);
  l->matcher = TRANSPOSED.supports (k, l) ? &TRANSPOSED : &GENERAL;
  l->phases = k->sampling_x;
  l->phase_width = k->grid_width;
  lowest = bfv_ceil_div (k->min_disparity + k->first_index, k->sampling_x);
  highest = bfv_ceil_div (k->min_disparity + k->end_index - 1, k->sampling_x);
  l->before = highest > 0 ? highest : 0;
  l->after = lowest < 0 ? -lowest : 0;

  tiles = bfv_ceil_div (k->grid_width, widest);
  l->tile_width = bfv_ceil_div (bfv_ceil_div (k->grid_width, tiles),
      BFV_LANES) * BFV_LANES;
  choose_strips (k, n_threads, l);

  l->left_stride = padded_row (k->grid_width);
  l->right_stride = padded_row (l->phase_width);
  l->arms_stride = padded_row (l->before + l->phase_width + l->after);
}

static void
allocate_pixels (const StereoBfvConstants * k, const BfvLayout * l,
    StereoSubArena * arena, BfvPixels * s)
{
  size_t rows = (size_t) l->rows, phases = (size_t) l->phases;

  memset (s, 0, sizeof (*s));
  for (int i = 0; i < stereo_cost_planes (k->cost); i++) {
    s->left[i] = stereo_take (arena, rows * l->left_stride, 1);
    s->right[i] = stereo_take (arena, phases * rows * l->right_stride, 1);
  }
  s->luma = stereo_take (arena, (size_t) k->width, 1);
  s->cost = stereo_take (arena, BFV_MARGIN + l->left_stride + BFV_MARGIN, 1);
}

/* Row y of plane c of a view; luma of RGB is computed into `luma`. */
static const uint8_t *
plane_row (const StereoBfvConstants * k, const StereoView * view,
    const StereoWords * words, int c, int y, uint8_t * luma)
{
  size_t row = (size_t) y * view->stride;

  if (stereo_cost_uses_words (k->cost))
    return words->plane[c] + (size_t) y * words->stride;
  if (stereo_cost_is_color (k->cost) || k->channels == 1)
    return view->plane[c] + row;
  for (int x = 0; x < k->width; x++)
    luma[x] = (uint8_t) stereo_luma (view->plane[0][row + (size_t) x],
        view->plane[1][row + (size_t) x], view->plane[2][row + (size_t) x]);
  return luma;
}

/* Copies the sampled planes of the rows that a strip reads. */
static void
load_pixels (const BfvJob * job, const BfvRows * rows, const BfvPixels * s)
{
  const StereoBfvConstants *k = job->k;
  const BfvLayout *l = job->l;
  const StereoBfvViews *views = job->views;
  int step = k->sampling_x;

  for (int v = rows->first; v < rows->end; v++) {
    size_t r = (size_t) (v - rows->first);
    int y = v * k->sampling_y;

    for (int c = 0; c < stereo_cost_planes (k->cost); c++) {
      const uint8_t *from = plane_row (k, &views->left, &views->left_words, c,
          y, s->luma);
      uint8_t *to = s->left[c] + r * l->left_stride;

      if (step == 1)
        memcpy (to, from, (size_t) k->width);
      else
        for (int u = 0; u < k->grid_width; u++)
          to[u] = from[u * step];

      from = plane_row (k, &views->right, &views->right_words, c, y, s->luma);
      for (int p = 0; p < l->phases; p++) {
        int n = bfv_n_phase_columns (k, p);

        to = s->right[c] + ((size_t) p * (size_t) l->rows + r)
            * l->right_stride;
        if (step == 1)
          memcpy (to, from, (size_t) k->width);
        else
          for (int j = 0; j < n; j++)
            to[j] = from[j * step + p];
      }
    }
  }
}

static size_t
match_worker_bytes (const StereoBfvConstants * k, const BfvLayout * l)
{
  StereoSubArena arena = { NULL, 0 };
  BfvPixels pixels;

  allocate_pixels (k, l, &arena, &pixels);
  return arena.size + l->matcher->bytes (k, l);
}

/* The span is that of steps. */
static void
match_strip (const void *context, StereoSpan span)
{
  const BfvJob *job = context;
  const StereoBfvConstants *k = job->k;
  const BfvLayout *l = job->l;
  int step = l->matcher->row_multiple;
  StereoSubArena arena = { job->m->work->memory,
    (size_t) span.worker * match_worker_bytes (k, l)
  };
  BfvPixels pixels;
  BfvRows rows;

  allocate_pixels (k, l, &arena, &pixels);
  rows.top = span.begin * step;
  rows.bottom = stereo_clamp_int (span.end * step, 0, k->grid_height);
  rows.first = stereo_clamp_int (rows.top - l->reach_y, 0, k->grid_height);
  rows.end = stereo_clamp_int (rows.bottom + l->reach_y, 0, k->grid_height);
  load_pixels (job, &rows, &pixels);
  l->matcher->match (job, &rows, &pixels, arena);
}

size_t
SIMD_NAME (stereo_bfv_match_bytes_) (const StereoBfvConstants * k,
    unsigned n_threads)
{
  BfvLayout layout;

  make_layout (k, n_threads, &layout);
  return n_threads * match_worker_bytes (k, &layout);
}

StereoStatus
SIMD_NAME (stereo_bfv_match_) (StereoQueue * queue,
    const StereoBfvConstants * k, const StereoBfvViews * views,
    const StereoBfvMemory * m, const StereoWinners * winners)
{
  BfvLayout l;
  BfvJob job = {.k = k,.l = &l,.views = views,.m = m,.winners = winners };

  if (k->first_index == k->end_index)
    return stereo_bfv_match_cpu (queue, k, views, m, winners);
  make_layout (k, (unsigned) stereo_cpu_threads (queue), &l);
  stereo_cpu_for (queue, l.n_steps, l.strip_steps, match_strip, &job);
  return STEREO_OK;
}
