/* gst-stereomatching: plain stages of semi-global matching
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/sgm/sgm-cpu.h"

#include "core/cpu.h"
#include "match/sgm/sgm-formula.h"
#include "refine/output.h"
#include "refine/winner-formula.h"
#include "simd/select.h"

static size_t
pixel_at (const StereoSgmConstants * k, int x, int y)
{
  return ((size_t) y * (size_t) k->width + (size_t) x) * (size_t) k->n;
}

static StereoStatus
sgm_plan_plain (const StereoSgmConstants * k, unsigned n_threads,
    StereoSgmWork * work, StereoArena * arena, StereoMessage * why)
{
  size_t width = (size_t) k->width, height = (size_t) k->height;
  size_t longest = width > height ? width : height;

  (void) n_threads;
  (void) why;
  stereo_arena_add (arena, (void **) &work->sums, width * height,
      (size_t) k->n * sizeof (uint16_t));
  stereo_arena_add (arena, (void **) &work->lines, 2 * longest,
      (size_t) k->n * sizeof (uint16_t));
  return STEREO_OK;
}

static unsigned
cost_at (const StereoSgmConstants * k, const StereoSgmViews * v, int x, int y,
    int i)
{
  int d = k->min_disparity + k->first_index + i;

  return stereo_sgm_cost (k, v, stereo_partner_column (k->width, x, d), y, d);
}

/* A line of a sweep; positions count along the line. */
typedef struct
{
  const StereoSgmConstants *k;
  const StereoSgmViews *views;
  StereoSgmSweep sweep;
  bool first;                   /* its L initialise the sums */
  bool columns;                 /* lines are columns, else rows */
  int length;                   /* of a line */
  int line;
  uint16_t *before;             /* L of the line before, NULL: none */
  uint16_t *now;
  uint16_t *sums;
} Sweep;

static uint32_t
left_pixel (const Sweep * s, int line, int position)
{
  return stereo_view_pixel (&s->views->left, s->k->channels,
      s->columns ? line : position, s->columns ? position : line);
}

/* g of a pixel of the line and one of another line. */
static uint32_t
left_difference (const Sweep * s, int position, int other_line,
    int other_position)
{
  return stereo_sgm_difference (s->k->channels, left_pixel (s, s->line,
          position), left_pixel (s, other_line, other_position));
}

/* u of a neighbour of the straight predecessor, which is at position. */
static uint32_t
similarity_of (const Sweep * s, int before, int position, int neighbor)
{
  if (neighbor < 0 || neighbor >= s->length
      || neighbor / STEREO_SGM_STRIP != position / STEREO_SGM_STRIP)
    return 0;
  return s->k->similarity[left_difference (s, position, before, neighbor)];
}

static unsigned
predecessor_at (const Sweep * s, int position, int i)
{
  return s->before[(size_t) position * (size_t) s->k->n + (size_t) i];
}

/* The disparities of a path. */
typedef struct
{
  int begin;
  int end;
} Range;

static Range
range_at (const StereoSgmConstants * k, const StereoSgmViews * views, int x,
    int y)
{
  const uint32_t word = stereo_sgm_range (k, views, x, y);

  return (Range) { stereo_range_begin (word), stereo_range_end (word) };
}

static Range
range_of_line (const Sweep * s, int line, int position)
{
  return range_at (s->k, s->views, s->columns ? line : position,
      s->columns ? position : line);
}

/* q (i) at a position of the line, weighted for three predecessors, with the
 * range r. */
static unsigned
average_at (const Sweep * s, Range r, int position, const StereoSgmWeights * w,
    int i)
{
  unsigned sum = 32;

  if (i < r.begin || i >= r.end)
    return STEREO_SGM_NO_PATH;
  if (!s->k->three)
    return predecessor_at (s, position, i);
  sum += w->a * predecessor_at (s, position, i);
  if (w->b > 0)
    sum += w->b * predecessor_at (s, position - 1, i);
  if (w->e > 0)
    sum += w->e * predecessor_at (s, position + 1, i);
  return sum >> 6;
}

/* L of a pixel. */
static void
step_path (const Sweep * s, int position, uint16_t * l)
{
  const StereoSgmConstants *k = s->k;
  int x = s->columns ? s->line : position, y = s->columns ? position : s->line;
  int before = s->line - (s->columns ? s->sweep.dx : s->sweep.dy);
  int straight = position - (s->columns ? 0 : s->sweep.dx);
  bool alone = s->before == NULL || straight < 0 || straight >= s->length;
  StereoSgmPenalty p = { 0, 0 };
  StereoSgmWeights w = { 64, 0, 0 };
  const Range here = range_at (k, s->views, x, y);
  Range r = here;               /* of both pixels */
  unsigned m = STEREO_SGM_NO_PATH;

  if (!alone) {
    uint32_t g = left_difference (s, position, before, straight);

    r = range_of_line (s, before, straight);
    r.begin = here.begin > r.begin ? here.begin : r.begin;
    r.end = here.end < r.end ? here.end : r.end;
    p = k->penalty[g];
    if (k->three)
      w = stereo_sgm_weights (k->similarity[g],
          similarity_of (s, before, position, position - 1),
          similarity_of (s, before, position, position + 1));
    for (int i = r.begin; i < r.end; i++)
      m = stereo_min_u32 (m, average_at (s, r, straight, &w, i));
  }
  for (int i = here.begin; i < here.end; i++) {
    unsigned c = cost_at (k, s->views, x, y, i), best;

    if (!alone) {
      best = stereo_min_u32 (m + p.p2, average_at (s, r, straight, &w, i));
      best = stereo_min_u32 (best, average_at (s, r, straight, &w, i - 1)
          + p.p1);
      best = stereo_min_u32 (best, average_at (s, r, straight, &w, i + 1)
          + p.p1);
      c += best - m;
    }
    l[i] = (uint16_t) c;
  }
}

static void
sweep_positions (const void *context, StereoSpan span)
{
  const Sweep *s = context;
  int n = s->k->n;

  for (int position = span.begin; position < span.end; position++) {
    const Range r = range_of_line (s, s->line, position);
    uint16_t *l = s->now + (size_t) position * (size_t) n;
    uint16_t *sums = s->sums + pixel_at (s->k,
        s->columns ? s->line : position, s->columns ? position : s->line);

    step_path (s, position, l);
    for (int i = r.begin; i < r.end; i++)
      sums[i] = (uint16_t) (l[i] + (s->first ? 0 : sums[i]));
  }
}

static StereoStatus
sgm_sweep_plain (StereoQueue * queue, const StereoSgmConstants * k,
    const StereoSgmViews * views, int sweep, const StereoSgmWork * work)
{
  StereoSgmSweep r = stereo_sgm_sweeps[sweep];
  bool columns = r.dy == 0;
  int length = columns ? k->height : k->width;
  int n_lines = columns ? k->width : k->height;
  bool backward = (columns ? r.dx : r.dy) < 0;
  size_t line_size = (size_t) length * (size_t) k->n;

  for (int i = 0; i < n_lines; i++) {
    Sweep s = {
      .k = k, .views = views, .sweep = r, .first = sweep == 0,
      .columns = columns, .length = length,
      .line = backward ? n_lines - 1 - i : i,
      .before = i == 0 ? NULL : work->lines + (i % 2 ? 0 : line_size),
      .now = work->lines + (i % 2 ? line_size : 0),
      .sums = work->sums,
    };

    stereo_cpu_for (queue, length, 0, sweep_positions, &s);
  }
  return STEREO_OK;
}

typedef struct
{
  const StereoSgmConstants *k;
  const StereoSgmViews *views;
  const uint16_t *sums;
  const StereoSgmResult *result;
} Finish;

/* The second minimum of the sums of a range, for the winner best. */
static unsigned
second_sum (const uint16_t * s, Range r, int best)
{
  unsigned second = STEREO_WINNER_NO_SECOND;

  for (int i = r.begin; i < r.end; i++) {
    if (i < best - 1 || i > best + 1)
      second = stereo_min_u32 (second, s[i]);
  }
  return second;
}

/* The winner of a left pixel. */
static void
finish_left (const Finish * f, int x, int y)
{
  const StereoSgmConstants *k = f->k;
  const uint16_t *s = f->sums + pixel_at (k, x, y);
  const Range r = range_at (k, f->views, x, y);
  int best = r.begin, before, after;

  for (int i = r.begin + 1; i < r.end; i++) {
    if (s[i] < s[best])
      best = i;
  }
  /* at an end of the range, the one neighbour counts twice */
  before = best > r.begin ? best - 1 : best + 1 < r.end ? best + 1 : best;
  after = best + 1 < r.end ? best + 1 : before;
  if (f->result->winners == NULL)
    stereo_store_index (&f->result->map, f->result->output, x, y,
        k->n > 0 ? (unsigned) (k->first_index + best) : STEREO_INVALID);
  else if (k->n == 0)
    stereo_winner_store (f->result->winners, x, y, STEREO_INVALID, 0, 0, 0, 0);
  else
    stereo_winner_store (f->result->winners, x, y,
        (unsigned) (k->first_index + best), s[before], s[best], s[after],
        f->result->winners->uniqueness ? second_sum (s, r, best) : 0);
}

/* The winner of a right pixel, of the same sums. */
static void
finish_right (const Finish * f, int x, int y)
{
  const StereoSgmConstants *k = f->k;
  uint32_t best = STEREO_NO_WINNER;

  for (int i = 0; i < k->n; i++) {
    int xl = x + k->min_disparity + k->first_index + i;
    Range r;

    if (xl < 0 || xl >= k->width)
      continue;
    r = range_at (k, f->views, xl, y);
    if (i >= r.begin && i < r.end)
      best = stereo_min_u32 (best, stereo_winner_right_word (
              (unsigned) (k->first_index + i),
              f->sums[pixel_at (k, xl, y) + (size_t) i]));
  }
  stereo_winner_store_right (f->result->winners, x, y, best);
}

static void
sgm_finish_rows_plain (const void *context, StereoSpan span)
{
  const Finish *f = context;
  const StereoWinners *winners = f->result->winners;

  for (int y = span.begin; y < span.end; y++) {
    for (int x = 0; x < f->k->width; x++) {
      finish_left (f, x, y);
      if (winners != NULL && winners->right != NULL)
        finish_right (f, x, y);
    }
  }
}

StereoStatus
stereo_sgm_finish (StereoQueue * queue, const StereoSgmConstants * k,
    const StereoSgmViews * views, const StereoSgmWork * work,
    const StereoSgmResult * result)
{
  Finish f = { k, views, work->sums, result };

  stereo_cpu_for (queue, k->height, 0, sgm_finish_rows_plain, &f);
  return STEREO_OK;
}

static const StereoSgmStages stages_plain = {
  .plan = sgm_plan_plain,
  .sweep = sgm_sweep_plain,
  .finish = stereo_sgm_finish,
};

const void *stereo_sgm_stages_cpu (StereoSimd simd);

const void *
stereo_sgm_stages_cpu (StereoSimd simd)
{
  return STEREO_SIMD_SELECT (simd, stages_plain, stereo_sgm_stages_);
}
