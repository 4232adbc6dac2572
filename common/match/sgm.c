/* gst-stereomatching: semi-global matching
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/sgm.h"

#include "core/cpu.h"
#include "match/sgm-pixel.h"
#include "match/sgm-simd.h"
#include "refine/output.h"
#include "refine/winner-pixel.h"
#include "simd/select.h"

#include <math.h>
#include <string.h>

/* So that 64 (255 + p2) + 32 fits 16 bits. */
#define MAX_PENALTY 768

static const StereoParamSpec specs[] = {
  STEREO_PARAM_UINT_ROW (StereoSgmParams, predecessors, "predecessors",
      "Pixels from which a path comes to the next one: 1, as in the "
      "literature, or 3, averaged by likeness (2 is taken for 3)", 3, 1, 3),
  STEREO_PARAM_UINT_ROW (StereoSgmParams, paths, "paths",
      "Directions of paths with one predecessor: 4, or 8 with the diagonals "
      "(what is between is taken for 8); with three there are always 4", 4, 4,
      8),
  STEREO_PARAM_UINT_ROW (StereoSgmParams, p1, "p1",
      "Penalty of a change of disparity by one, in units of the matching cost "
      "(8 for a bit of the census, or grey levels)", 96, 0, MAX_PENALTY),
  STEREO_PARAM_UINT_ROW (StereoSgmParams, p2, "p2",
      "Penalty of a larger change between pixels of the same colour, in the "
      "same units", 768, 0, MAX_PENALTY),
  STEREO_PARAM_UINT_ROW (StereoSgmParams, p2_min, "p2-min",
      "What is left of p2 at least where the colour changes", 104, 0,
      MAX_PENALTY),
  STEREO_PARAM_BOOL_ROW (StereoSgmParams, adaptive_penalty,
      "adaptive-penalty", "Lower p2 where the colour changes", 1),
  STEREO_PARAM_END
};

const StereoSgmSweep stereo_sgm_sweeps[STEREO_SGM_MAX_SWEEPS] = {
  {1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}, {-1, 1}, {1, -1}
};

/* ---------------------------------------------------------------- constants */

void
stereo_sgm_constants (const StereoSearch * search,
    const StereoSgmParams * params, StereoSgmConstants * k)
{
  memset (k, 0, sizeof (*k));
  k->width = search->width;
  k->height = search->height;
  k->channels = search->channels;
  k->cost = search->cost;
  k->min_disparity = search->min_disparity;
  k->first_index = search->first_index;
  k->n = search->end_index - search->first_index;
  k->three = params->predecessors > 1;
  k->n_sweeps = !k->three && params->paths > 4 ? 8 : 4;

  for (unsigned g = 0; g < 256; g++) {
    unsigned divisor = g > 4 ? g : 4, p2 = params->p2;
    double likeness = floor (255 * exp (-(double) g / 12) + 0.5);

    if (params->adaptive_penalty) {
      p2 = (8 * params->p2 + divisor) / (2 * divisor);
      if (p2 < params->p2_min)
        p2 = params->p2_min;
    }
    k->penalty[g].p2 = (uint16_t) p2;
    k->penalty[g].p1 = (uint16_t) stereo_min_u32 (params->p1, p2);
    k->likeness[g] = likeness < 1 ? 1 : (uint8_t) likeness;
  }
}

/* ------------------------------------------------- stages, plain reference */

static size_t
pixel_at (const StereoSgmConstants * k, int x, int y)
{
  return ((size_t) y * (size_t) k->width + (size_t) x) * (size_t) k->n;
}

static StereoStatus
plan_plain (const StereoSgmConstants * k, unsigned n_threads,
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

/* A sweep, and where it is: positions count along the line. */
typedef struct
{
  const StereoSgmConstants *k;
  const StereoSgmViews *views;
  StereoSgmSweep sweep;
  bool first;                   /* its L are the sums so far */
  bool columns;                 /* lines are columns, else rows */
  int length;                   /* of a line */
  int line;
  uint16_t *before;             /* L of the line before, NULL: there is none */
  uint16_t *now;
  uint16_t *sums;
} Sweep;

static uint32_t
left_difference (const Sweep * s, int line, int position, int other_line,
    int other_position)
{
  const StereoView *left = &s->views->left;
  int channels = s->k->channels;

  return stereo_sgm_difference (channels, s->columns
      ? stereo_view_pixel (left, channels, line, position)
      : stereo_view_pixel (left, channels, position, line), s->columns
      ? stereo_view_pixel (left, channels, other_line, other_position)
      : stereo_view_pixel (left, channels, other_position, other_line));
}

/* u of a predecessor beside the straight one, which is at position. */
static uint32_t
likeness (const Sweep * s, int before, int position, int beside)
{
  if (beside < 0 || beside >= s->length
      || beside / STEREO_SGM_STRIP != position / STEREO_SGM_STRIP)
    return 0;
  return s->k->likeness[left_difference (s, s->line, position, before,
          beside)];
}

static unsigned
predecessor_at (const Sweep * s, int position, int i)
{
  return s->before[(size_t) position * (size_t) s->k->n + (size_t) i];
}

/* q (i) at a position of the line, with weights if there are three. */
static unsigned
reach (const Sweep * s, int position, const StereoSgmWeights * w, int i)
{
  unsigned sum = 32;

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
step (const Sweep * s, int position, uint16_t * l)
{
  const StereoSgmConstants *k = s->k;
  int x = s->columns ? s->line : position, y = s->columns ? position : s->line;
  int before = s->line - (s->columns ? s->sweep.dx : s->sweep.dy);
  int straight = position - (s->columns ? 0 : s->sweep.dx);
  bool alone = s->before == NULL || straight < 0 || straight >= s->length;
  StereoSgmPenalty p = { 0, 0 };
  StereoSgmWeights w = { 64, 0, 0 };
  unsigned m = UINT16_MAX;

  if (!alone) {
    uint32_t g = left_difference (s, s->line, position, before, straight);

    p = k->penalty[g];
    if (k->three)
      w = stereo_sgm_weights (k->likeness[g], likeness (s, before, position,
              position - 1), likeness (s, before, position, position + 1));
    for (int i = 0; i < k->n; i++)
      m = stereo_min_u32 (m, reach (s, straight, &w, i));
  }
  for (int i = 0; i < k->n; i++) {
    unsigned c = cost_at (k, s->views, x, y, i), best;

    if (!alone) {
      best = stereo_min_u32 (m + p.p2, reach (s, straight, &w, i));
      if (i > 0)
        best = stereo_min_u32 (best, reach (s, straight, &w, i - 1) + p.p1);
      if (i + 1 < k->n)
        best = stereo_min_u32 (best, reach (s, straight, &w, i + 1) + p.p1);
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
    uint16_t *l = s->now + (size_t) position * (size_t) n;
    uint16_t *sums = s->sums + pixel_at (s->k,
        s->columns ? s->line : position, s->columns ? position : s->line);

    step (s, position, l);
    for (int i = 0; i < n; i++)
      sums[i] = (uint16_t) (l[i] + (s->first ? 0 : sums[i]));
  }
}

static StereoStatus
sweep_plain (StereoQueue * queue, const StereoSgmConstants * k,
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
  const uint16_t *sums;
  const StereoSgmResult *result;
} Finish;

/* The winner of a left pixel. */
static void
finish_left (const Finish * f, int x, int y)
{
  const StereoSgmConstants *k = f->k;
  const uint16_t *s = f->sums + pixel_at (k, x, y);
  int best = 0;

  for (int i = 1; i < k->n; i++) {
    if (s[i] < s[best])
      best = i;
  }
  if (f->result->winners == NULL)
    stereo_store_index (&f->result->map, f->result->output, x, y,
        k->n > 0 ? (unsigned) (k->first_index + best) : STEREO_INVALID);
  else if (k->n == 0)
    stereo_winner_store (f->result->winners, x, y, STEREO_INVALID, 0, 0, 0);
  else
    stereo_winner_store (f->result->winners, x, y,
        (unsigned) (k->first_index + best), s[best > 0 ? best - 1 : best],
        s[best], s[best + 1 < k->n ? best + 1 : best]);
}

/* The winner of a right pixel, of the same sums. */
static void
finish_right (const Finish * f, int x, int y)
{
  const StereoSgmConstants *k = f->k;
  uint32_t best = STEREO_NO_WINNER;

  for (int i = 0; i < k->n; i++) {
    int xl = x + k->min_disparity + k->first_index + i;

    if (xl >= 0 && xl < k->width)
      best = stereo_min_u32 (best, stereo_winner_right_word (
              (unsigned) (k->first_index + i),
              f->sums[pixel_at (k, xl, y) + (size_t) i]));
  }
  stereo_winner_store_right (f->result->winners, x, y, best);
}

static void
finish_rows (const void *context, StereoSpan span)
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
    const StereoSgmWork * work, const StereoSgmResult * result)
{
  Finish f = { k, work->sums, result };

  stereo_cpu_for (queue, k->height, 0, finish_rows, &f);
  return STEREO_OK;
}

static const StereoSgmStages stages_plain = {
  .plan = plan_plain,
  .sweep = sweep_plain,
  .finish = stereo_sgm_finish,
};

/* ----------------------------------------------------------------- schedule */

typedef struct
{
  StereoSgmConstants constants;
  StereoSgmWork work;
} SgmPlan;

static StereoStatus
plan (const StereoSearch * search, const void *params, const void *stages,
    void *plan, StereoArena * arena, StereoMessage * why)
{
  const StereoSgmStages *s = stages;
  SgmPlan *p = plan;

  memset (p, 0, sizeof (*p));
  stereo_sgm_constants (search, params, &p->constants);
  return s->plan (&p->constants, search->n_threads, &p->work, arena, why);
}

static StereoStatus
run (const StereoMatchFrame * frame, const void *stages)
{
  const StereoSgmStages *s = stages;
  const SgmPlan *p = frame->plan;
  const StereoSgmConstants *k = &p->constants;
  StereoSgmViews views = { frame->left, frame->right, frame->left_census,
    frame->right_census
  };
  StereoSgmResult result = { frame->winners, frame->map, frame->output };
  StereoStatus status = STEREO_OK;

  if (s->match != NULL)
    return s->match (frame->queue, k, &views, &p->work, &result);
  for (int i = 0; i < k->n_sweeps && status == STEREO_OK; i++)
    status = s->sweep (frame->queue, k, &views, i, &p->work);
  if (status == STEREO_OK)
    status = s->finish (frame->queue, k, &p->work, &result);
  return status;
}

static const StereoParamDefault defaults[] = {
  {"median", 1},
  {"refine", STEREO_REFINE_ALL},
  {NULL, 0}
};

const StereoAlgorithm stereo_sgm_algorithm = {
  .name = "sgm",
  .title = "Semi-global matching",
  .reference = "H. Hirschmueller: Stereo processing by semiglobal matching and "
      "mutual information, IEEE TPAMI 30 (2), 2008",
  .uses_color = true,
  .refines = true,
  .defaults = defaults,
  .params = specs,
  .params_size = sizeof (StereoSgmParams),
  .plan_size = sizeof (SgmPlan),
  .plan = plan,
  .run = run,
};

const void *stereo_sgm_stages_cpu (StereoSimd simd);

const void *
stereo_sgm_stages_cpu (StereoSimd simd)
{
  return STEREO_SIMD_SELECT (simd, stages_plain, stereo_sgm_stages_);
}
