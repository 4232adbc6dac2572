/* gst-stereomatching: plain stages of belief propagation
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/bp/bp-cpu.h"

#include "core/cpu.h"
#include "cost/words-formula.h"
#include "cost/partner.h"
#include "match/bp/bp-formula.h"
#include "refine/output.h"
#include "refine/winner-formula.h"
#include "simd/select.h"

#include <string.h>

/* -------------------------------------------------------------------- views */

void
stereo_bp_plan_views_cpu (const StereoBpConstants * k, StereoBpWork * work,
    StereoArena * arena)
{
  size_t elements = stereo_bp_view_pitch (k) * (size_t) k->height
      + 2 * STEREO_BP_VIEW_MARGIN;

  for (int l = 1; l < k->n_levels && k->edges; l++)
    stereo_arena_add (arena, &work->guides[l], (size_t) k->level[l].width
        * (size_t) k->level[l].height, sizeof (uint32_t));
  if (!stereo_cost_is_luma (k->cost))
    return;
  stereo_arena_add (arena, &work->left, elements, sizeof (uint16_t));
  stereo_arena_add (arena, &work->right, elements, sizeof (uint16_t));
  if (k->n_taps > 1)
    stereo_arena_add (arena, &work->smoothed, elements, sizeof (uint16_t));
}

/* Luma with 16 bits, smoothed along the row for n_taps > 1. */
STEREO_INLINE void
prepare_row (const StereoBpConstants * k, const StereoView * view,
    int channels, int y, uint16_t * target)
{
  int last = k->width - 1;

  for (int x = 0; x <= last; x++) {
    uint32_t sum = k->taps[0] * stereo_view_luma (view, channels, x, y) + 128;

    for (int i = 1; i < k->n_taps; i++)
      sum += k->taps[i] * (stereo_view_luma (view, channels,
              x - i > 0 ? x - i : 0, y) + stereo_view_luma (view, channels,
              x + i < last ? x + i : last, y));
    target[x] = (uint16_t) (sum >> 8);
  }
}

static void
smooth_columns (const StereoBpConstants * k, const uint16_t * source, int y,
    uint16_t * target)
{
  size_t pitch = stereo_bp_view_pitch (k);
  int last = k->height - 1;

  for (int x = 0; x < k->width; x++) {
    uint32_t sum = k->taps[0] * source[(size_t) y * pitch + (size_t) x] + 32768;

    for (int i = 1; i < k->n_taps; i++) {
      size_t above = (size_t) (y - i > 0 ? y - i : 0) * pitch + (size_t) x;
      size_t below = (size_t) (y + i < last ? y + i : last) * pitch
          + (size_t) x;

      sum += k->taps[i] * ((uint32_t) source[above] + source[below]);
    }
    target[x] = (uint16_t) (sum >> 16);
  }
}

/* A pass of the filter: along rows, from view, or along columns. */
typedef struct
{
  const StereoBpConstants *k;
  const StereoView *view;
  uint16_t *from;
  uint16_t *to;
} SmoothJob;

static void
prepare_rows (const void *context, StereoSpan span)
{
  const SmoothJob *job = context;
  size_t pitch = stereo_bp_view_pitch (job->k);

  for (int y = span.begin; y < span.end; y++) {
    uint16_t *target = job->to + (size_t) y * pitch;

    if (job->k->channels == 1)
      prepare_row (job->k, job->view, 1, y, target);
    else
      prepare_row (job->k, job->view, 3, y, target);
  }
}

static void
smooth_rows (const void *context, StereoSpan span)
{
  const SmoothJob *job = context;
  size_t pitch = stereo_bp_view_pitch (job->k);

  for (int y = span.begin; y < span.end; y++)
    smooth_columns (job->k, job->from, y, job->to + (size_t) y * pitch);
}

static void
guide_rows (const void *context, StereoSpan span)
{
  const StereoBpArgs *a = context;
  StereoBpSize size = a->k->level[a->level];
  int finer = a->level - 1, right = a->k->level[finer].width - 1;
  int bottom = a->k->level[finer].height - 1;

  for (int y = span.begin; y < span.end; y++) {
    int y1 = 2 * y < bottom ? 2 * y + 1 : bottom;
    uint32_t *guide = (uint32_t *) a->work->guides[a->level]
        + (size_t) y * (size_t) size.width;

    for (int x = 0; x < size.width; x++) {
      int x1 = 2 * x < right ? 2 * x + 1 : right;

      guide[x] = stereo_bp_mean (stereo_bp_guide (a, finer, 2 * x, 2 * y),
          stereo_bp_guide (a, finer, x1, 2 * y),
          stereo_bp_guide (a, finer, 2 * x, y1),
          stereo_bp_guide (a, finer, x1, y1));
    }
  }
}

static StereoStatus
for_rows (const StereoBpArgs * a, int rows, StereoPoolBody body)
{
  stereo_cpu_for (a->frame->queue, rows, 0, body, a);
  return STEREO_OK;
}

StereoStatus
stereo_bp_prepare_cpu (const StereoBpArgs * a)
{
  const StereoBpConstants *k = a->k;
  StereoBpArgs guide = *a;

  for (int side = 0; side < 2 && stereo_cost_is_luma (k->cost); side++) {
    uint16_t *plane = stereo_bp_view (a->work, side);
    uint16_t *rows = k->n_taps > 1
        ? (uint16_t *) a->work->smoothed + STEREO_BP_VIEW_MARGIN : plane;
    SmoothJob along = {
      .k = k, .view = side == 0 ? &a->frame->left : &a->frame->right,
      .to = rows
    };
    SmoothJob down = {.k = k,.from = rows,.to = plane };

    stereo_cpu_for (a->frame->queue, k->height, 0, prepare_rows, &along);
    if (k->n_taps > 1)
      stereo_cpu_for (a->frame->queue, k->height, 0, smooth_rows, &down);
  }
  for (guide.level = 1; guide.level < k->n_levels && k->edges; guide.level++)
    for_rows (&guide, k->level[guide.level].height, guide_rows);
  return STEREO_OK;
}

/* ------------------------------------------------- stages, plain reference */

/* Layout: data[level][pixel][disparity] from level 1 on,
 * messages[level][direction][pixel][disparity]. */

static size_t
level_pixels (const StereoBpConstants * k, int level)
{
  return (size_t) k->level[level].width * (size_t) k->level[level].height;
}

static size_t
disparities (const StereoBpConstants * k)
{
  return (size_t) (k->end_index - k->first_index);
}

static StereoStatus
bp_plan_plain (const StereoSearch * search, const StereoBpConstants * k,
    StereoBpWork * work, StereoArena * arena, StereoMessage * why)
{
  (void) why;
  stereo_bp_plan_views_cpu (k, work, arena);
  for (int l = 0; l < k->n_levels; l++) {
    size_t volume = level_pixels (k, l) * disparities (k);

    if (l > 0)
      stereo_arena_add (arena, &work->data[l], volume, sizeof (uint32_t));
    stereo_arena_add (arena, &work->messages[l], 4 * volume,
        sizeof (uint32_t));
  }
  /* four h per thread */
  stereo_arena_add (arena, &work->sums, 4 * disparities (k)
      * search->n_threads, sizeof (uint32_t));
  return STEREO_OK;
}

/* Difference of two pixels of row y. */
static uint32_t
difference_at (const StereoBpArgs * a, int xl, int xr, int y)
{
  const StereoBpConstants *k = a->k;
  size_t row = (size_t) y * stereo_bp_view_pitch (k);

  if (stereo_cost_uses_words (k->cost))
    return stereo_words_cost (stereo_word_at (&a->frame->left_words, xl, y),
        stereo_word_at (&a->frame->right_words, xr, y));
  if (stereo_cost_is_color (k->cost))
    return stereo_bp_color_difference (stereo_view_pixel (&a->frame->left,
            k->channels, xl, y), stereo_view_pixel (&a->frame->right,
            k->channels, xr, y));
  return stereo_difference (stereo_bp_view (a->work, 0)[row + (size_t) xl],
      stereo_bp_view (a->work, 1)[row + (size_t) xr]);
}

static uint32_t
data_at (const StereoBpArgs * a, int level, int x, int y, int i)
{
  const StereoBpConstants *k = a->k;

  if (level == 0) {
    int d = k->min_disparity + k->first_index + i;
    int xl = stereo_partner_column (k->width, x, d);

    return stereo_bp_data_cost (k, difference_at (a, xl, xl - d, y));
  }
  return ((const uint32_t *) a->work->data[level])[((size_t) y
          * (size_t) k->level[level].width + (size_t) x) * disparities (k)
      + (size_t) i];
}

/* The messages that pixel (x, y) sends. */
static uint32_t *
messages_at (const StereoBpArgs * a, int level, int direction, int x, int y)
{
  const StereoBpConstants *k = a->k;

  return (uint32_t *) a->work->messages[level]
      + ((size_t) direction * level_pixels (k, level)
      + (size_t) y * (size_t) k->level[level].width + (size_t) x)
      * disparities (k);
}

static void
data_rows (const void *context, StereoSpan span)
{
  const StereoBpArgs *a = context;
  const StereoBpConstants *k = a->k;
  int level = a->level;
  StereoBpSize size = k->level[level], below = k->level[level - 1];
  int n = (int) disparities (k);

  for (int y = span.begin; y < span.end; y++) {
    for (int x = 0; x < size.width; x++) {
      uint32_t *target = (uint32_t *) a->work->data[level] + ((size_t) y
          * (size_t) size.width + (size_t) x) * disparities (k);
      uint32_t least = UINT32_MAX;

      for (int i = 0; i < n; i++) {
        target[i] = 0;
        for (int child = 0; child < 4; child++) {
          int xc = 2 * x + child % 2, yc = 2 * y + child / 2;

          if (xc < below.width && yc < below.height)
            target[i] += data_at (a, level - 1, xc, yc, i);
        }
        least = stereo_min_u32 (least, target[i]);
      }
      for (int i = 0; i < n; i++)
        target[i] = stereo_bp_kept (k, stereo_min_u32 (target[i] - least,
                k->max_data));
    }
  }
}

static StereoStatus
data_cpu (const StereoBpArgs * a)
{
  return for_rows (a, a->k->level[a->level].height, data_rows);
}

static void
bp_start_rows_plain (const void *context, StereoSpan span)
{
  const StereoBpArgs *a = context;
  const StereoBpConstants *k = a->k;
  int level = a->level;
  StereoBpSize size = k->level[level];
  size_t bytes = disparities (k) * sizeof (uint32_t);

  for (int y = span.begin; y < span.end; y++) {
    for (int x = 0; x < size.width; x++) {
      for (int i = 0; i < 4; i++) {
        uint32_t *target = messages_at (a, level, i, x, y);

        if (level == k->n_levels - 1)
          memset (target, 0, bytes);
        else
          memcpy (target, messages_at (a, level + 1, i, x / 2, y / 2), bytes);
      }
    }
  }
}

static StereoStatus
start_cpu (const StereoBpArgs * a)
{
  return for_rows (a, a->k->level[a->level].height, bp_start_rows_plain);
}

/* The difference of a pixel and the one that it sends a message to. */
static uint32_t
edge_at (const StereoBpArgs * a, int direction, int x, int y)
{
  int x1 = x + (direction == BP_RIGHT) - (direction == BP_LEFT);
  int y1 = y + (direction == BP_DOWN) - (direction == BP_UP);

  if (!a->k->edges)
    return 0;
  return stereo_difference_max (stereo_bp_guide (a, a->level, x, y),
      stereo_bp_guide (a, a->level, x1, y1));
}

static void
iterate_rows (const void *context, StereoSpan span)
{
  const StereoBpArgs *a = context;
  const StereoBpConstants *k = a->k;
  int level = a->level;
  StereoBpSize size = k->level[level];
  int n = (int) disparities (k);

  for (int y = 1 + span.begin; y < 1 + span.end; y++) {
    for (int x = 1; x < size.width - 1; x++) {
      uint32_t *in[4], *h[4];

      if (!stereo_bp_sends (size, x, y, a->t))
        continue;
      in[BP_UP] = messages_at (a, level, BP_UP, x, y + 1);
      in[BP_DOWN] = messages_at (a, level, BP_DOWN, x, y - 1);
      in[BP_LEFT] = messages_at (a, level, BP_LEFT, x + 1, y);
      in[BP_RIGHT] = messages_at (a, level, BP_RIGHT, x - 1, y);
      for (int j = 0; j < 4; j++)
        h[j] = messages_at (a, level, j, x, y);
      for (int i = 0; i < n; i++) {
        uint32_t c = data_at (a, level, x, y, i);
        uint32_t up = in[BP_UP][i], down = in[BP_DOWN][i];
        uint32_t left = in[BP_LEFT][i], right = in[BP_RIGHT][i];

        h[BP_UP][i] = up + left + right + c;
        h[BP_DOWN][i] = down + left + right + c;
        h[BP_LEFT][i] = up + down + left + c;
        h[BP_RIGHT][i] = up + down + right + c;
      }
      for (int j = 0; j < 4; j++) {
        uint32_t g = edge_at (a, j, x, y);

        stereo_bp_message (k->jump[g], k->max_message[g], h[j], n);
        for (int i = 0; i < n; i++)
          h[j][i] = stereo_bp_kept (k, h[j][i]);
      }
    }
  }
}

static StereoStatus
iterate_cpu (const StereoBpArgs * a)
{
  return for_rows (a, a->k->level[a->level].height - 2, iterate_rows);
}

static uint32_t
belief_at (const StereoBpArgs * a, int x, int y, int i)
{
  const StereoBpConstants *k = a->k;

  if (!stereo_bp_has_inner (k))
    return data_at (a, 0, x, y, i);
  x = stereo_clamp_int (x, 1, k->width - 2);
  y = stereo_clamp_int (y, 1, k->height - 2);
  return data_at (a, 0, x, y, i)
      + messages_at (a, 0, BP_UP, x, y + 1)[i]
      + messages_at (a, 0, BP_DOWN, x, y - 1)[i]
      + messages_at (a, 0, BP_LEFT, x + 1, y)[i]
      + messages_at (a, 0, BP_RIGHT, x - 1, y)[i];
}

/* The winner of a left pixel. */
static void
finish_left (const StereoBpArgs * a, int x, int y)
{
  const StereoBpConstants *k = a->k;
  int n = (int) disparities (k), best = 0;
  uint32_t least = UINT32_MAX, neighbor[2] = { 0, 0 };
  const StereoWinners *winners = a->frame->winners;
  unsigned index;

  for (int i = 0; i < n; i++) {
    uint32_t belief = belief_at (a, x, y, i);

    if (belief < least) {
      least = belief;
      best = i;
    }
  }
  index = n > 0 ? (unsigned) (k->first_index + best) : STEREO_INVALID;
  if (winners == NULL) {
    stereo_store_index (&a->frame->map, a->frame->output, x, y, index);
    return;
  }
  for (int i = 0; i < 2; i++) {
    int at = best + 2 * i - 1;

    if (at >= 0 && at < n)
      neighbor[i] = stereo_bp_winner_cost (k->precision, belief_at (a, x, y,
              at));
  }
  least = stereo_bp_winner_cost (k->precision, least);
  stereo_winner_store (winners, x, y, index, neighbor[0], least, neighbor[1],
      stereo_winner_neighbor (winners, index, neighbor[0], least,
          neighbor[1]));
}

/* The winner of a right pixel, of the same beliefs. */
static void
finish_right (const StereoBpArgs * a, int x, int y)
{
  const StereoBpConstants *k = a->k;
  uint32_t best = STEREO_NO_WINNER;

  for (int i = 0; i < (int) disparities (k); i++) {
    int xl = x + k->min_disparity + k->first_index + i;

    if (xl >= 0 && xl < k->width)
      best = stereo_min_u32 (best, stereo_winner_right_word (
              (unsigned) (k->first_index + i),
              stereo_bp_winner_cost (k->precision, belief_at (a, xl, y, i))));
  }
  stereo_winner_store_right (a->frame->winners, x, y, best);
}

static void
bp_finish_rows_plain (const void *context, StereoSpan span)
{
  const StereoBpArgs *a = context;
  const StereoWinners *winners = a->frame->winners;

  for (int y = span.begin; y < span.end; y++) {
    for (int x = 0; x < a->k->width; x++) {
      finish_left (a, x, y);
      if (winners != NULL && winners->right != NULL)
        finish_right (a, x, y);
    }
  }
}

static StereoStatus
finish_cpu (const StereoBpArgs * a)
{
  return for_rows (a, a->k->height, bp_finish_rows_plain);
}

static const StereoBpStages stages_plain = {
  .plan = bp_plan_plain,
  .prepare = stereo_bp_prepare_cpu,
  .data = data_cpu,
  .start = start_cpu,
  .iterate = iterate_cpu,
  .finish = finish_cpu,
};

const void *stereo_bp_stages_cpu (StereoSimd simd);

const void *
stereo_bp_stages_cpu (StereoSimd simd)
{
  return STEREO_SIMD_SELECT (simd, stages_plain, stereo_bp_stages_);
}
