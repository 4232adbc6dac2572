/* gst-stereomatching: variable center-biased windows
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/vcbw.h"

#include "core/cpu.h"
#include "cost/census-pixel.h"
#include "cost/difference.h"
#include "cost/partner.h"
#include "match/vcbw-pixel.h"
#include "match/vcbw-simd.h"
#include "refine/output.h"
#include "refine/winner-pixel.h"
#include "simd/select.h"

#include <math.h>
#include <string.h>

static const StereoEnumValue windows_values[] = {
  {"nine", "Full, half and quarter windows (nine of them)"},
  {"four", "Quarter windows only"},
};

static const StereoParamSpec specs[] = {
  STEREO_PARAM_UINT_ROW (StereoVcbwParams, radius, "radius",
      "Radius of the largest window, in pixels", 16, 1,
      STEREO_VCBW_MAX_RADIUS),
  STEREO_PARAM_DOUBLE_ROW (StereoVcbwParams, gamma_distance, "gamma-distance",
      "Distance at which the weight of a pixel has fallen to 1/e, in pixels",
      3.5, 0.1, 100.0),
  STEREO_PARAM_DOUBLE_ROW (StereoVcbwParams, cost_threshold, "cost-threshold",
      "Difference at which the matching cost is cut off, in levels of 8 bits, "
      "rounded to a whole level, or with cost=census in bits, of which there "
      "are 31 at most", 31.0, 1.0, 255.0),
  STEREO_PARAM_DOUBLE_ROW (StereoVcbwParams, edge_penalty, "edge-penalty",
      "Extra cost of half windows, as a part of cost-threshold", 0.08, 0.0,
      1.0),
  STEREO_PARAM_DOUBLE_ROW (StereoVcbwParams, corner_penalty, "corner-penalty",
      "Extra cost of quarter windows, as a part of cost-threshold", 0.16, 0.0,
      1.0),
  STEREO_PARAM_ENUM_ROW (StereoVcbwParams, windows, "windows",
      "Which windows compete", STEREO_VCBW_WINDOWS_NINE, windows_values),
  STEREO_PARAM_END
};

/* ---------------------------------------------------------------- constants */

/* `parts` parts over radius + 1 distances in proportion to exp (-k / gamma):
 * whole parts first, then one each to the largest remainders.  A byte holds
 * 255, so a single huge weight leaves one part to its neighbour. */
static void
make_weights (int radius, double gamma, int parts, uint8_t * weight)
{
  double share[STEREO_VCBW_MAX_RADIUS + 1], sum = 0;
  int whole[STEREO_VCBW_MAX_RADIUS + 1], left = parts;

  for (int k = 0; k <= radius; k++)
    sum += share[k] = exp (-k / gamma);
  for (int k = 0; k <= radius; k++) {
    share[k] = parts * share[k] / sum;
    whole[k] = (int) share[k];
    left -= whole[k];
  }
  while (left-- > 0) {
    int largest = 0;

    for (int k = 1; k <= radius; k++) {
      if (share[k] - whole[k] > share[largest] - whole[largest])
        largest = k;
    }
    whole[largest]++;
  }
  if (whole[0] == 256) {
    whole[0]--;
    whole[1]++;
  }
  for (int k = 0; k <= radius; k++)
    weight[k] = (uint8_t) whole[k];
}

/* The largest radius whose weight is not 0. */
static int
reach (const uint8_t * weight)
{
  int k = STEREO_VCBW_MAX_RADIUS;

  while (k > 0 && weight[k] == 0)
    k--;
  return k;
}

static void
choose_scale (const StereoSearch * search, double threshold,
    StereoVcbwConstants * k)
{
  int level = (int) floor (threshold + 0.5);
  int bits = (int) floor (STEREO_CENSUS_BIT_COST * threshold + 0.5);

  k->third = false;
  if (search->cost == STEREO_COST_CENSUS) {
    k->limit = bits < STEREO_CENSUS_MAX_COST ? bits : STEREO_CENSUS_MAX_COST;
    k->gain = 255 / k->limit;
  } else if (3 * level > 255) {
    k->third = true;
    k->limit = level;
    k->gain = 1;
  } else {
    /* The sum of three channels where it fits a byte, else their mean; luma
     * counts three times, so that grey gives the same result in any format. */
    bool color = k->cost == STEREO_COST_RGB && k->channels == 3;

    k->limit = color ? 3 * level : level;
    k->gain = 255 / (3 * level) * (color ? 1 : 3);
  }
}

void
stereo_vcbw_constants (const StereoSearch * search,
    const StereoVcbwParams * params, StereoVcbwConstants * k)
{
  int cut_off;

  memset (k, 0, sizeof (*k));
  k->width = search->width;
  k->height = search->height;
  k->channels = search->channels;
  k->min_disparity = search->min_disparity;
  k->first_index = search->first_index;
  k->end_index = search->end_index;
  k->cost = search->cost;
  k->needs_luma = k->cost == STEREO_COST_LUMA && k->channels == 3;
  make_weights ((int) params->radius, params->gamma_distance, 256,
      k->row_weight);
  make_weights ((int) params->radius, params->gamma_distance, 64,
      k->column_weight);
  k->row_radius = reach (k->row_weight);
  k->column_radius = reach (k->column_weight);

  choose_scale (search, params->cost_threshold, k);
  cut_off = k->limit * k->gain;
  if (params->windows == STEREO_VCBW_WINDOWS_NINE) {
    k->edge = (int) floor (params->edge_penalty * cut_off * 256 + 0.5);
    k->corner = (int) floor (params->corner_penalty * cut_off * 256 + 0.5);
  }
}

/* ---------------------------------------------------------------- schedule */

typedef struct
{
  StereoVcbwConstants constants;
  StereoWork work;
} Plan;

static StereoStatus
plan (const StereoSearch * search, const void *params, const void *stages,
    void *plan_memory, StereoArena * arena, StereoMessage * why)
{
  const StereoVcbwStages *s = stages;
  Plan *p = plan_memory;

  memset (p, 0, sizeof (*p));
  stereo_vcbw_constants (search, params, &p->constants);
  return s->plan (search, &p->constants, (StereoVcbwWork *) &p->work, arena,
      why);
}

static StereoStatus
run (const StereoMatchFrame * frame, const void *stages)
{
  const StereoVcbwStages *s = stages;
  const Plan *p = frame->plan;
  const StereoVcbwConstants *k = &p->constants;
  const StereoVcbwWork *work = (const StereoVcbwWork *) &p->work;
  StereoStatus status;

  if (s->match != NULL)
    return s->match (frame, k, work);

  for (int i = k->first_index; i < k->end_index; i++) {
    if ((status = s->cost (frame, k, i, work))
        || (status = s->rows (frame, k, work))
        || (status = s->columns (frame, k, i, work)))
      return status;
  }
  return s->finish (frame, k, work);
}

static const StereoParamDefault defaults[] = {
  {"median", true},
  {NULL, 0}
};

const StereoAlgorithm stereo_vcbw_algorithm = {
  .name = "vcbw",
  .title = "Variable center-biased windows",
  .reference = "J. Lu, G. Lafruit, F. Catthoor: Fast variable center-biased "
      "windowing for high-speed stereo on programmable graphics hardware, "
      "ICIP 2007",
  .uses_color = true,
  .refines = true,
  .defaults = defaults,
  .params = specs,
  .params_size = sizeof (StereoVcbwParams),
  .plan_size = sizeof (Plan),
  .plan = plan,
  .run = run,
};

/* ------------------------------------------------- stages, plain reference */

/* Slices: one element for each pixel, rows of width elements.  The last three
 * are NULL unless the search has winners. */
struct StereoVcbwWork
{
  uint8_t *cost;                /* D of one disparity */
  uint8_t *left;                /* H to the left */
  uint8_t *right;               /* H to the right */
  uint32_t *best;               /* winners */
  uint16_t *before;             /* C of the disparity before the winner, */
  uint16_t *after;              /* of the one after it, */
  uint16_t *previous;           /* and of the disparity before this one */
};

STEREO_CHECK_WORK (StereoVcbwWork);

static StereoStatus
plan_cpu (const StereoSearch * search, const StereoVcbwConstants * k,
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
  }
  return STEREO_OK;
}

/* What the threads of a loop work on. */
typedef struct
{
  const StereoMatchFrame *frame;
  const StereoVcbwConstants *k;
  int index;
  const StereoVcbwWork *work;
} Job;

/* D of the pixel at column xl of the left and xr of the right view. */
static uint8_t
cost_at (const StereoMatchFrame * frame, const StereoVcbwConstants * k, int xl,
    int xr, int y)
{
  uint32_t l, r;

  if (k->cost == STEREO_COST_CENSUS)
    return (uint8_t) stereo_vcbw_scaled (k,
        stereo_census_cost (stereo_census_word (&frame->left_census, xl, y),
            stereo_census_word (&frame->right_census, xr, y)), false);
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
cost_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
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
cost_cpu (const StereoMatchFrame * frame, const StereoVcbwConstants * k,
    int index, const StereoVcbwWork * work)
{
  Job job = { frame, k, index, work };

  stereo_cpu_for (frame->queue, k->height, 0, cost_rows, &job);
  return STEREO_OK;
}

static void
rows_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
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
rows_cpu (const StereoMatchFrame * frame, const StereoVcbwConstants * k,
    const StereoVcbwWork * work)
{
  Job job = { frame, k, 0, work };

  stereo_cpu_for (frame->queue, k->height, 0, rows_rows, &job);
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

/* Keeps what is beside the winner of pixel p, before the winner itself. */
static void
keep_neighbors (const Job * job, size_t p, uint32_t cost, bool wins)
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
columns_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
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

      if (w != NULL)
        keep_neighbors (job, p, cost, wins);
      if (wins)
        work->best[p] = word;
      if (right != NULL && x - d >= 0 && x - d < k->width)
        right[x - d] = stereo_min_u32 (right[x - d],
            stereo_winner_right_word ((unsigned) job->index, cost));
    }
  }
}

static StereoStatus
columns_cpu (const StereoMatchFrame * frame, const StereoVcbwConstants * k,
    int index, const StereoVcbwWork * work)
{
  Job job = { frame, k, index, work };

  stereo_cpu_for (frame->queue, k->height, 0, columns_rows, &job);
  return STEREO_OK;
}

static void
finish_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
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
            s->best[p] >> STEREO_VCBW_INDEX_BITS, s->after[p]);
      if (w != NULL && w->right != NULL && empty)
        stereo_winner_store_right (w, x, y, STEREO_NO_WINNER);
    }
  }
}

static StereoStatus
finish_cpu (const StereoMatchFrame * frame, const StereoVcbwConstants * k,
    const StereoVcbwWork * work)
{
  Job job = { frame, k, 0, work };

  stereo_cpu_for (frame->queue, k->height, 0, finish_rows, &job);
  return STEREO_OK;
}

static const StereoVcbwStages stages_cpu = {
  .plan = plan_cpu,
  .cost = cost_cpu,
  .rows = rows_cpu,
  .columns = columns_cpu,
  .finish = finish_cpu,
};

const void *stereo_vcbw_stages_cpu (StereoSimd simd);

const void *
stereo_vcbw_stages_cpu (StereoSimd simd)
{
  return STEREO_SIMD_SELECT (simd, stages_cpu, stereo_vcbw_stages_);
}
