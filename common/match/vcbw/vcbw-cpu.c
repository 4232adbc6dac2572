/* gst-stereomatching: variable center-biased windows, plain stages of the CPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The reference of the vector stages, and of those of CUDA. */

#include "match/vcbw/vcbw.h"

#include "core/cpu.h"
#include "cost/words-formula.h"
#include "cost/difference.h"
#include "cost/partner.h"
#include "match/vcbw/vcbw-formula.h"
#include "match/vcbw/vcbw-simd.h"
#include "refine/output.h"
#include "refine/winner-formula.h"
#include "simd/select.h"

/* Planes of one element per pixel; the last five are NULL unless the search
 * has winners. */
struct StereoVcbwWork
{
  uint8_t *cost;                /* D of one disparity */
  uint8_t *left;                /* H to the left */
  uint8_t *right;               /* H to the right */
  uint32_t *best;               /* winners */
  uint16_t *before;             /* C of the index before the winner, */
  uint16_t *after;              /* of the index after it, */
  uint16_t *previous;           /* and of the previous index */
  uint16_t *second;             /* second minimum, and the lowest C but for */
  uint16_t *others;             /* the previous index; with uniqueness only */
};

STEREO_CHECK_WORK (StereoVcbwWork);

static StereoStatus
vcbw_plain_plan (const StereoSearch * search, const StereoVcbwConstants * k,
    StereoVcbwWork * work, StereoArena * arena, StereoMessage * why)
{
  size_t pixels = (size_t) k->width * (size_t) k->height;

  (void) why;
  stereo_arena_add (arena, (void **) &work->cost, pixels, 1);
  stereo_arena_add (arena, (void **) &work->left, pixels, 1);
  stereo_arena_add (arena, (void **) &work->right, pixels, 1);
  stereo_arena_add (arena, (void **) &work->best, pixels, sizeof (uint32_t));
  if (search->winners) {
    stereo_arena_add (arena, (void **) &work->before, pixels,
        sizeof (uint16_t));
    stereo_arena_add (arena, (void **) &work->after, pixels,
        sizeof (uint16_t));
    stereo_arena_add (arena, (void **) &work->previous, pixels,
        sizeof (uint16_t));
    stereo_arena_add (arena, (void **) &work->second, pixels,
        sizeof (uint16_t));
    stereo_arena_add (arena, (void **) &work->others, pixels,
        sizeof (uint16_t));
  }
  return STEREO_OK;
}

typedef struct
{
  const StereoMatchFrame *frame;
  const StereoVcbwConstants *k;
  int index;
  const StereoVcbwWork *work;
} VcbwPlainJob;

/* D of the pixel at column xl of the left and xr of the right view. */
static uint8_t
cost_at (const StereoMatchFrame * frame, const StereoVcbwConstants * k, int xl,
    int xr, int y)
{
  uint32_t l, r;

  if (stereo_cost_uses_words (k->cost))
    return (uint8_t) stereo_vcbw_scaled (k,
        stereo_words_cost (stereo_word_at (&frame->left_words, xl, y),
            stereo_word_at (&frame->right_words, xr, y)), false);
  l = stereo_view_pixel (&frame->left, k->channels, xl, y);
  r = stereo_view_pixel (&frame->right, k->channels, xr, y);
  if (k->needs_luma) {
    l = stereo_luma ((uint8_t) l, (uint8_t) (l >> 8), (uint8_t) (l >> 16));
    r = stereo_luma ((uint8_t) r, (uint8_t) (r >> 8), (uint8_t) (r >> 16));
  }
  return (uint8_t) stereo_vcbw_scaled (k, stereo_difference_sum (l, r),
      k->channels == 3 && !k->needs_luma);
}

static void
vcbw_plain_cost_rows (const void *context, StereoSpan span)
{
  const VcbwPlainJob *job = context;
  const StereoVcbwConstants *k = job->k;
  int d = k->min_disparity + job->index;

  for (int y = span.begin; y < span.end; y++) {
    uint8_t *row = job->work->cost + (size_t) y * (size_t) k->width;

    for (int x = 0; x < k->width; x++) {
      int xl = stereo_partner_column (k->width, x, d);

      row[x] = cost_at (job->frame, k, xl, xl - d, y);
    }
  }
}

static StereoStatus
vcbw_plain_cost (const StereoMatchFrame * frame, const StereoVcbwConstants * k,
    int index, const StereoVcbwWork * work)
{
  VcbwPlainJob job = { frame, k, index, work };

  stereo_cpu_for (frame->queue, k->height, 0, vcbw_plain_cost_rows, &job);
  return STEREO_OK;
}

static void
vcbw_plain_rows_rows (const void *context, StereoSpan span)
{
  const VcbwPlainJob *job = context;
  const StereoVcbwConstants *k = job->k;
  const StereoVcbwWork *work = job->work;
  int last = k->width - 1;

  for (int y = span.begin; y < span.end; y++) {
    size_t offset = (size_t) y * (size_t) k->width;
    const uint8_t *d = work->cost + offset;

    for (int x = 0; x < k->width; x++) {
      unsigned to_left = 128, to_right = 128;

      for (int i = 0; i <= k->row_radius; i++) {
        unsigned weight = k->row_weight[i];

        to_left += weight * d[x - i > 0 ? x - i : 0];
        to_right += weight * d[x + i < last ? x + i : last];
      }
      work->left[offset + (size_t) x] = (uint8_t) (to_left >> 8);
      work->right[offset + (size_t) x] = (uint8_t) (to_right >> 8);
    }
  }
}

static StereoStatus
vcbw_plain_rows (const StereoMatchFrame * frame, const StereoVcbwConstants * k,
    const StereoVcbwWork * work)
{
  VcbwPlainJob job = { frame, k, 0, work };

  stereo_cpu_for (frame->queue, k->height, 0, vcbw_plain_rows_rows, &job);
  return STEREO_OK;
}

/* C of a pixel, from both H. */
static uint32_t
window_cost (const StereoVcbwConstants * k, const StereoVcbwWork * work,
    int x, int y)
{
  int last = k->height - 1;
  size_t width = (size_t) k->width, column = (size_t) x;
  uint32_t v[4] = { 0, 0, 0, 0 };

  for (int i = 0; i <= k->column_radius; i++) {
    size_t down = (size_t) (y + i < last ? y + i : last) * width + column;
    size_t up = (size_t) (y - i > 0 ? y - i : 0) * width + column;
    uint32_t weight = k->column_weight[i];

    v[0] += weight * work->left[down];
    v[1] += weight * work->left[up];
    v[2] += weight * work->right[down];
    v[3] += weight * work->right[up];
  }
  return stereo_vcbw_combine (k, v);
}

/* Updates the second minimum of pixel p; called before the update of its
 * winner and of the previous cost. */
static void
update_second (const VcbwPlainJob * job, size_t p, uint32_t cost, bool wins)
{
  const StereoVcbwWork *s = job->work;

  if (job->index == job->k->first_index) {
    s->second[p] = s->others[p] = STEREO_WINNER_NO_SECOND;
    return;
  }
  if (wins)
    s->second[p] = s->others[p];
  else if (stereo_winner_index (s->best[p]) + 1 != (unsigned) job->index)
    s->second[p] = (uint16_t) stereo_min_u32 (s->second[p], cost);
  s->others[p] = (uint16_t) stereo_min_u32 (s->others[p], s->previous[p]);
}

/* Updates the neighbours of the winner of pixel p; called before its update. */
static void
update_neighbors (const VcbwPlainJob * job, size_t p, uint32_t cost, bool wins)
{
  const StereoVcbwWork *s = job->work;
  bool first = job->index == job->k->first_index;

  if (!first && stereo_winner_index (s->best[p]) + 1 == (unsigned) job->index)
    s->after[p] = (uint16_t) cost;
  if (wins)
    s->before[p] = first ? 0 : s->previous[p];
  s->previous[p] = (uint16_t) cost;
}

static void
vcbw_plain_columns_rows (const void *context, StereoSpan span)
{
  const VcbwPlainJob *job = context;
  const StereoVcbwConstants *k = job->k;
  const StereoVcbwWork *work = job->work;
  const StereoWinners *w = job->frame->winners;
  bool first = job->index == k->first_index;
  int d = k->min_disparity + job->index;

  for (int y = span.begin; y < span.end; y++) {
    uint32_t *right = w != NULL && w->right != NULL
        ? w->right + (size_t) y * w->right_stride : NULL;

    for (int x = 0; right != NULL && first && x < k->width; x++)
      right[x] = STEREO_NO_WINNER;
    for (int x = 0; x < k->width; x++) {
      size_t p = (size_t) y * (size_t) k->width + (size_t) x;
      uint32_t cost = window_cost (k, work, x, y);
      uint32_t word = cost << STEREO_VCBW_INDEX_BITS | (uint32_t) job->index;
      bool wins = first || word < work->best[p];

      if (w != NULL && w->uniqueness)
        update_second (job, p, cost, wins);
      if (w != NULL)
        update_neighbors (job, p, cost, wins);
      if (wins)
        work->best[p] = word;
      if (right != NULL && x - d >= 0 && x - d < k->width)
        right[x - d] = stereo_min_u32 (right[x - d],
            stereo_winner_right_word ((unsigned) job->index, cost));
    }
  }
}

static StereoStatus
vcbw_plain_columns (const StereoMatchFrame * frame,
    const StereoVcbwConstants * k, int index, const StereoVcbwWork * work)
{
  VcbwPlainJob job = { frame, k, index, work };

  stereo_cpu_for (frame->queue, k->height, 0, vcbw_plain_columns_rows, &job);
  return STEREO_OK;
}

static void
vcbw_plain_finish_rows (const void *context, StereoSpan span)
{
  const VcbwPlainJob *job = context;
  const StereoVcbwConstants *k = job->k;
  const StereoVcbwWork *s = job->work;
  const StereoWinners *w = job->frame->winners;
  bool empty = k->first_index == k->end_index;

  for (int y = span.begin; y < span.end; y++) {
    for (int x = 0; x < k->width; x++) {
      size_t p = (size_t) y * (size_t) k->width + (size_t) x;
      unsigned index = empty ? STEREO_INVALID
          : s->best[p] & ((1u << STEREO_VCBW_INDEX_BITS) - 1);

      if (w == NULL)
        stereo_store_index (&job->frame->map, job->frame->output, x, y, index);
      else
        stereo_winner_store (w, x, y, index, s->before[p],
            s->best[p] >> STEREO_VCBW_INDEX_BITS, s->after[p],
            w->uniqueness ? s->second[p] : 0);
      if (w != NULL && w->right != NULL && empty)
        stereo_winner_store_right (w, x, y, STEREO_NO_WINNER);
    }
  }
}

static StereoStatus
vcbw_plain_finish (const StereoMatchFrame * frame,
    const StereoVcbwConstants * k, const StereoVcbwWork * work)
{
  VcbwPlainJob job = { frame, k, 0, work };

  stereo_cpu_for (frame->queue, k->height, 0, vcbw_plain_finish_rows, &job);
  return STEREO_OK;
}

static const StereoVcbwStages vcbw_plain_stages = {
  .plan = vcbw_plain_plan,
  .cost = vcbw_plain_cost,
  .rows = vcbw_plain_rows,
  .columns = vcbw_plain_columns,
  .finish = vcbw_plain_finish,
};

const void *stereo_vcbw_stages_cpu (StereoSimd simd);

const void *
stereo_vcbw_stages_cpu (StereoSimd simd)
{
  return STEREO_SIMD_SELECT (simd, vcbw_plain_stages, stereo_vcbw_stages_);
}
