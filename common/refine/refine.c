/* gst-stereomatching: refinement of winners
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "refine/refine-cpu.h"

#include "core/cpu.h"
#include "cost/difference.h"
#include "refine/output.h"
#include "refine/winner-formula.h"
#include "simd/select.h"

#include <math.h>
#include <string.h>

/* Colour difference at which a weight falls to 1/e. */
#define GAMMA_COLOR 10.0

static const StereoEnumValue refine_values[] = {
  [STEREO_REFINE_NONE] = {"none", "No weighted median"},
  [STEREO_REFINE_FILLED] = {"filled", "15x15 on filled pixels"},
  [STEREO_REFINE_ALL] = {"all", "15x15 on filled pixels, then 7x7 on all "
        "pixels instead of the 3x3 median"},
};

const StereoParamSpec stereo_refine_params[] = {
  STEREO_PARAM_ENUM_ROW (StereoRefineParams, cost, "cost",
      STEREO_COST_DESCRIPTION, 0, stereo_cost_values),
  STEREO_PARAM_BOOL_ROW (StereoRefineParams, subpixel, "subpixel",
      "Interpolate disparities to 1/16 pixel", true),
  STEREO_PARAM_INT_ROW (StereoRefineParams, lr_max_diff, "lr-max-diff",
      "Maximum left-right disagreement, in pixels (-1 = no consistency check)",
      1, -1, 64),
  STEREO_PARAM_UINT_ROW (StereoRefineParams, speckle_size, "speckle-size",
      "Invalidate connected regions smaller than this, in pixels (0 = off)", 50,
      0, 65535),
  STEREO_PARAM_BOOL_ROW (StereoRefineParams, fill, "fill",
      "Fill invalid pixels from the background; if false, they keep "
      "invalid-value and no median is applied", true),
  STEREO_PARAM_ENUM_ROW (StereoRefineParams, refine, "refine",
      "Weighted median filter: none; filled = 15x15 on filled pixels; all = "
      "filled, then 7x7 on all pixels instead of the 3x3 median",
      STEREO_REFINE_NONE, refine_values),
  STEREO_PARAM_DOUBLE_ROW (StereoRefineParams, min_confidence,
      "min-confidence", STEREO_MIN_CONFIDENCE_DESCRIPTION, 0, 0, 1),
  STEREO_PARAM_END
};

/* ----------------------------------------------------------------- schedule */

bool
stereo_refine_wanted (const StereoRefineParams * params)
{
  return params->subpixel || params->lr_max_diff >= 0
      || params->speckle_size > 1 || !params->fill
      || params->refine != STEREO_REFINE_NONE || params->min_confidence > 0;
}

int
stereo_refine_unit (const StereoRefineParams * params, int num_disparities)
{
  int unit = params->subpixel ? STEREO_MAX_UNIT : 1;

  while (unit > 1 && unit * num_disparities > (int) STEREO_INVALID)
    unit /= 2;
  return unit;
}

void
stereo_refine_plan (const StereoSearch * search,
    const StereoRefineParams * params, bool median,
    const StereoRefineStages * stages, StereoRefinePlan * plan,
    StereoArena * arena)
{
  StereoRefineConstants *k = &plan->constants;

  memset (plan, 0, sizeof (*plan));
  k->width = search->width;
  k->height = search->height;
  k->channels = search->channels;
  k->unit = search->unit;
  k->min_disparity = search->min_disparity;
  k->lr_max_diff = params->lr_max_diff;
  k->speckle_size = (int) params->speckle_size;
  k->fill = params->fill;
  k->median = median;
  k->refine = params->refine;
  for (int i = 0; i < 256; i++)
    k->weight[i] = (uint8_t) floor (255 * exp (-i / GAMMA_COLOR) + 0.5);
  k->halvings = (float) (1 / (GAMMA_COLOR * log (2)));
  /* rounded up, except for what the multiplication adds */
  k->min_confidence = (int) ceil (params->min_confidence * 255 - 1e-9);
  stages->plan (k, &plan->work, arena);
}

StereoStatus
stereo_refine_check (StereoQueue * queue, const StereoRefineStages * stages,
    const StereoRefinePlan * plan, const StereoWinners * winners,
    const StereoOutput * confidence)
{
  StereoStatus status = stages->check (queue, &plan->constants, winners,
      &plan->work);

  if (status == STEREO_OK && confidence != NULL)
    status = stages->confidence (queue, &plan->constants, winners, &plan->work,
        confidence);
  if (status == STEREO_OK && plan->constants.min_confidence > 0) {
    const StereoOutput kept = {.data = plan->work.confidence,
      .stride = (size_t) plan->constants.width,.bytes = 1
    };

    status = stages->confidence (queue, &plan->constants, winners, &plan->work,
        &kept);
  }
  return status;
}

StereoStatus
stereo_refine_finish (StereoQueue * queue, const StereoRefineStages * stages,
    const StereoRefinePlan * plan, const StereoView * left,
    const StereoOutput * output)
{
  const StereoRefineConstants *k = &plan->constants;
  const StereoRefineWork *w = &plan->work;
  const StereoMap *map = &w->map;
  StereoStatus status = STEREO_OK;

  if (k->fill) {
    map = &w->filled;
    status = stages->fill (queue, k, w);
  }
  if (status == STEREO_OK && k->fill && k->refine != STEREO_REFINE_NONE) {
    map = &w->weighted;
    status = stages->weigh (queue, k, left, w);
  }
  if (status == STEREO_OK)
    status = stages->finish (queue, k, left, w, map, output);
  return status != STEREO_OK || k->min_confidence == 0 ? status
      : stages->threshold (queue, k, w, output);
}

/* ------------------------------------------------------------ scalar stages */

static void
add_map (const StereoRefineConstants * k, StereoMap * map, StereoArena * arena)
{
  map->stride = ((size_t) k->width + STEREO_REFINE_PADDING - 1)
      / STEREO_REFINE_PADDING * STEREO_REFINE_PADDING;
  stereo_arena_add (arena, (void **) &map->data,
      map->stride * (size_t) k->height + STEREO_REFINE_PADDING,
      sizeof (uint16_t));
}

void
stereo_refine_plan_cpu (const StereoRefineConstants * k,
    StereoRefineWork * work, StereoArena * arena)
{
  size_t pixels = (size_t) k->width * (size_t) k->height;

  add_map (k, &work->map, arena);
  if (k->fill)
    add_map (k, &work->filled, arena);
  if (k->fill && k->refine != STEREO_REFINE_NONE)
    add_map (k, &work->weighted, arena);
  if (k->speckle_size > 1) {
    stereo_arena_add (arena, (void **) &work->labels, pixels,
        sizeof (uint32_t));
    stereo_arena_add (arena, (void **) &work->sizes, pixels,
        sizeof (uint32_t));
    stereo_arena_add (arena, (void **) &work->ends,
        stereo_refine_row_words (k) * (size_t) k->height, sizeof (uint64_t));
  }
  if (k->min_confidence > 0)
    stereo_arena_add (arena, (void **) &work->confidence, pixels, 1);
}

/* Whether the winner of the right view is consistent. */
static bool
is_consistent (const StereoRefineConstants * k, const uint32_t * right, int x,
    int index)
{
  int partner = x - index - k->min_disparity, other;

  if (partner < 0 || partner >= k->width)
    return false;
  other = (int) stereo_winner_index (right[partner]);
  return other != (int) STEREO_INVALID && other - index <= k->lr_max_diff
      && index - other <= k->lr_max_diff;
}

static void
check_rows (const void *context, StereoSpan span)
{
  const StereoRefineJob *job = context;
  const StereoRefineConstants *k = job->k;
  const StereoWinners *w = job->winners;

  for (int y = span.begin; y < span.end; y++) {
    const uint32_t *left = w->left + (size_t) y * w->left_stride;
    uint16_t *map = stereo_map_row (&job->work->map, y);

    for (int x = 0; x < k->width; x++) {
      const int index = (int) stereo_winner_index (left[x]);

      map[x] = STEREO_INVALID;
      if (index != (int) STEREO_INVALID && (k->lr_max_diff < 0
              || is_consistent (k, w->right + (size_t) y * w->right_stride, x,
                  index)))
        map[x] = (uint16_t) stereo_winner_code (k->unit, left[x]);
    }
  }
}

static uint32_t
find_root (uint32_t * labels, uint32_t i)
{
  while (labels[i] != i)
    i = labels[i] = labels[labels[i]];
  return i;
}

static void
join_components (uint32_t * labels, uint32_t a, uint32_t b)
{
  a = find_root (labels, a);
  b = find_root (labels, b);
  if (a < b)
    labels[b] = a;
  else
    labels[a] = b;
}

static bool
are_connected (const StereoRefineConstants * k, uint16_t a, uint16_t b)
{
  return a != STEREO_INVALID && b != STEREO_INVALID
      && (a > b ? a - b : b - a) <= k->unit;
}

static void
remove_speckles (const StereoRefineConstants * k,
    const StereoRefineWork * work)
{
  uint32_t width = (uint32_t) k->width, height = (uint32_t) k->height;
  uint32_t *labels = work->labels;

  for (uint32_t y = 0; y < height; y++) {
    const uint16_t *row = stereo_map_row (&work->map, (int) y);
    const uint16_t *above = y > 0 ? row - work->map.stride : NULL;

    for (uint32_t x = 0; x < width; x++) {
      uint32_t i = y * width + x;

      labels[i] = i;
      work->sizes[i] = 0;
      if (x > 0 && are_connected (k, row[x], row[x - 1]))
        join_components (labels, i, i - 1);
      if (above != NULL && are_connected (k, row[x], above[x]))
        join_components (labels, i, i - width);
    }
  }
  for (uint32_t i = 0; i < width * height; i++)
    work->sizes[find_root (labels, i)]++;
  for (uint32_t y = 0; y < height; y++) {
    uint16_t *row = stereo_map_row (&work->map, (int) y);

    for (uint32_t x = 0; x < width; x++) {
      if (work->sizes[find_root (labels, y * width + x)]
          < (uint32_t) k->speckle_size)
        row[x] = STEREO_INVALID;
    }
  }
}

static StereoStatus
check_cpu (StereoQueue * queue, const StereoRefineConstants * k,
    const StereoWinners * winners, const StereoRefineWork * work)
{
  const StereoRefineJob job = {.k = k,.work = work,.winners = winners };

  stereo_cpu_for (queue, k->height, 0, check_rows, &job);
  if (k->speckle_size > 1)
    remove_speckles (k, work);
  return STEREO_OK;
}

static void
confidence_rows (const void *context, StereoSpan span)
{
  const StereoRefineJob *job = context;

  for (int y = span.begin; y < span.end; y++) {
    const uint16_t *map = stereo_map_row (&job->work->map, y);
    const uint32_t *left = job->winners->left
        + (size_t) y * job->winners->left_stride;

    for (int x = 0; x < job->k->width; x++)
      stereo_store_raw (job->output, x, y,
          stereo_output_confidence (job->output, map[x] == STEREO_INVALID ? 0
              : stereo_winner_uniqueness_of (left[x])));
  }
}

StereoStatus
stereo_refine_confidence_cpu (StereoQueue * queue,
    const StereoRefineConstants * k,
    const StereoWinners * winners, const StereoRefineWork * work,
    const StereoOutput * output)
{
  const StereoRefineJob job = {.k = k,.work = work,.winners = winners,
    .output = output
  };

  stereo_cpu_for (queue, k->height, 0, confidence_rows, &job);
  return STEREO_OK;
}

/* A row without valid codes is STEREO_INVALID all over. */
static void
fill_row (int width, const uint16_t * map, uint16_t * filled)
{
  uint16_t near = STEREO_INVALID;

  /* The nearest code to the left, then the lower of both sides. */
  for (int x = 0; x < width; x++)
    filled[x] = near = map[x] != STEREO_INVALID ? map[x] : near;
  near = STEREO_INVALID;
  for (int x = width - 1; x >= 0; x--) {
    near = map[x] != STEREO_INVALID ? map[x] : near;
    filled[x] = filled[x] < near ? filled[x] : near;
  }
}

static void
fill_rows (const void *context, StereoSpan span)
{
  const StereoRefineJob *job = context;

  for (int y = span.begin; y < span.end; y++)
    fill_row (job->k->width, stereo_map_row (&job->work->map, y),
        stereo_map_row (&job->work->filled, y));
}

StereoStatus
stereo_refine_fill_cpu (StereoQueue * queue, const StereoRefineConstants * k,
    const StereoRefineWork * work)
{
  const size_t bytes = (size_t) k->width * sizeof (uint16_t);
  const StereoRefineJob job = {.k = k,.work = work };
  int first = 0;

  stereo_cpu_for (queue, k->height, 0, fill_rows, &job);
  while (first < k->height
      && stereo_map_row (&work->filled, first)[0] == STEREO_INVALID)
    first++;
  for (int y = 0; y < k->height && first < k->height; y++) {
    uint16_t *row = stereo_map_row (&work->filled, y);

    if (row[0] == STEREO_INVALID)
      memcpy (row, stereo_map_row (&work->filled, y < first ? first : y - 1),
          bytes);
  }
  return STEREO_OK;
}

/* The weighted median around (x, y). */
static uint16_t
weighted_median (const StereoRefineConstants * k, const StereoView * left,
    const StereoMap * map, int radius, int x, int y)
{
  const int x0 = x > radius ? x - radius : 0;
  const int x1 = x + radius < k->width ? x + radius : k->width - 1;
  const int y0 = y > radius ? y - radius : 0;
  const int y1 = y + radius < k->height ? y + radius : k->height - 1;
  const uint32_t center = stereo_view_pixel (left, k->channels, x, y);
  uint16_t code[225];
  uint8_t weight[225];
  uint32_t n = 0, whole = 0, low = 0, high = STEREO_INVALID;

  for (int v = y0; v <= y1; v++) {
    for (int u = x0; u <= x1; u++) {
      code[n] = stereo_map_row (map, v)[u];
      weight[n] = k->weight[stereo_difference_max (center,
              stereo_view_pixel (left, k->channels, u, v))];
      if (code[n] == STEREO_INVALID)
        continue;
      whole += weight[n];
      n++;
    }
  }
  if (n == 0)
    return STEREO_INVALID;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    uint32_t sum = 0;

    for (uint32_t i = 0; i < n; i++)
      sum += code[i] <= middle ? weight[i] : 0;
    if (2 * sum >= whole)
      high = middle;
    else
      low = middle + 1;
  }
  return (uint16_t) low;
}

static void
weigh_rows (const void *context, StereoSpan span)
{
  const StereoRefineJob *job = context;
  const StereoRefineWork *w = job->work;

  for (int y = span.begin; y < span.end; y++) {
    const uint16_t *map = stereo_map_row (&w->map, y);
    const uint16_t *filled = stereo_map_row (&w->filled, y);
    uint16_t *weighted = stereo_map_row (&w->weighted, y);

    for (int x = 0; x < job->k->width; x++)
      weighted[x] = map[x] != STEREO_INVALID ? filled[x]
          : weighted_median (job->k, job->left, &w->filled,
          STEREO_REFINE_FILLED_RADIUS, x, y);
  }
}

StereoStatus
stereo_refine_weigh_cpu (StereoQueue * queue, const StereoRefineConstants * k,
    const StereoView * left, const StereoRefineWork * work)
{
  const StereoRefineJob job = {.k = k,.work = work,.left = left };

  stereo_cpu_for (queue, k->height, 1, weigh_rows, &job);
  return STEREO_OK;
}

/* The 3x3 median of refine/median.h. */
static uint16_t
median_at (const StereoRefineConstants * k, const StereoMap * map, int x, int y)
{
  const uint16_t center = stereo_map_row (map, y)[x];
  uint32_t v[9];

  if (center == STEREO_INVALID)
    return STEREO_INVALID;
  for (int i = 0; i < 9; i++) {
    const int column = stereo_clamp_int (x + i % 3 - 1, 0, k->width - 1);
    const int row = stereo_clamp_int (y + i / 3 - 1, 0, k->height - 1);
    const uint16_t code = stereo_map_row (map, row)[column];

    v[i] = code == STEREO_INVALID ? center : code;
  }
  return (uint16_t) stereo_median9 (v);
}

static void
finish_rows (const void *context, StereoSpan span)
{
  const StereoRefineJob *job = context;
  const StereoRefineConstants *k = job->k;

  for (int y = span.begin; y < span.end; y++) {
    for (int x = 0; x < k->width; x++) {
      uint16_t code = stereo_map_row (job->map, y)[x];

      if (k->fill && k->refine == STEREO_REFINE_ALL)
        code = weighted_median (k, job->left, job->map,
            STEREO_REFINE_ALL_RADIUS, x, y);
      else if (k->fill && k->median)
        code = median_at (k, job->map, x, y);
      stereo_store_raw (job->output, x, y,
          stereo_output_from_map (job->output, code));
    }
  }
}

static StereoStatus
finish_cpu (StereoQueue * queue, const StereoRefineConstants * k,
    const StereoView * left, const StereoRefineWork * work,
    const StereoMap * map, const StereoOutput * output)
{
  const StereoRefineJob job = {.k = k,.left = left,.map = map,
    .output = output
  };

  (void) work;
  stereo_cpu_for (queue, k->height, 0, finish_rows, &job);
  return STEREO_OK;
}

static void
threshold_rows (const void *context, StereoSpan span)
{
  const StereoRefineJob *job = context;
  const StereoRefineConstants *k = job->k;

  for (int y = span.begin; y < span.end; y++) {
    const uint8_t *row = job->work->confidence + (size_t) y * (size_t) k->width;

    for (int x = 0; x < k->width; x++) {
      if (row[x] < k->min_confidence)
        stereo_store_raw (job->output, x, y, (uint16_t) job->output->invalid);
    }
  }
}

StereoStatus
stereo_refine_threshold_cpu (StereoQueue * queue,
    const StereoRefineConstants * k, const StereoRefineWork * work,
    const StereoOutput * output)
{
  const StereoRefineJob job = {.k = k,.work = work,.output = output };

  stereo_cpu_for (queue, k->height, 0, threshold_rows, &job);
  return STEREO_OK;
}

static const StereoRefineStages stages_cpu = {
  .plan = stereo_refine_plan_cpu,
  .check = check_cpu,
  .confidence = stereo_refine_confidence_cpu,
  .fill = stereo_refine_fill_cpu,
  .weigh = stereo_refine_weigh_cpu,
  .finish = finish_cpu,
  .threshold = stereo_refine_threshold_cpu,
};

const void *
stereo_refine_stages_cpu (StereoSimd simd)
{
  return STEREO_SIMD_SELECT (simd, stages_cpu, stereo_refine_stages_);
}
