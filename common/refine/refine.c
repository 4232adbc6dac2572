/* gst-stereomatching: refinement of winners
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "refine/refine-cpu.h"

#include "core/cpu.h"
#include "refine/fill-formula.h"
#include "refine/median.h"
#include "refine/output.h"
#include "refine/winner-formula.h"
#include "simd/select.h"

#include <math.h>
#include <string.h>

/* Colour difference at which a weight falls to 1/e. */
#define GAMMA_COLOR 10.0

static const StereoEnumValue check_values[] = {
  [STEREO_CHECK_SINGLE] = {"single", "Right winners from the costs of the "
        "left view"},
  [STEREO_CHECK_MUTUAL] = {"mutual", "Right winners from a second matching, "
        "for the right view, where left winners confirm them"},
};

const StereoEnumValue stereo_refine_values[] = {
  [STEREO_REFINE_NONE] = {"none", "Fill from the row, then 3x3 median"},
  [STEREO_REFINE_FILLED] = {"filled", "Fill by weighted votes, then 3x3 "
        "median"},
  [STEREO_REFINE_ALL] = {"all", "Fill by weighted votes, then slanted "
        "weighted median of all pixels"},
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
      STEREO_SPECKLE_DESCRIPTION, 50, 0, 65535),
  STEREO_PARAM_BOOL_ROW (StereoRefineParams, fill, "fill",
      STEREO_FILL_DESCRIPTION, true),
  STEREO_PARAM_ENUM_ROW (StereoRefineParams, refine, "refine",
      STEREO_REFINE_DESCRIPTION, STEREO_REFINE_NONE, stereo_refine_values),
  STEREO_PARAM_DOUBLE_ROW (StereoRefineParams, min_confidence,
      "min-confidence", STEREO_MIN_CONFIDENCE_DESCRIPTION, 0, 0, 1),
  STEREO_PARAM_END
};

const StereoParamSpec stereo_check_params[] = {
  STEREO_PARAM_ENUM_ROW (StereoRefineParams, check, "check",
      "Right winners of the check: single = from the same costs; mutual = from "
      "a second matching",
      STEREO_CHECK_SINGLE, check_values),
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

bool
stereo_refine_is_mutual (const StereoRefineParams * params)
{
  return params->check == STEREO_CHECK_MUTUAL && params->lr_max_diff >= 0;
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
  k->num_disparities = search->num_disparities;
  k->min_disparity = search->min_disparity;
  k->lr_max_diff = params->lr_max_diff;
  k->speckle_size = (int) params->speckle_size;
  k->fill = params->fill;
  k->median = median;
  k->refine = params->refine;
  k->n_threads = search->n_threads;
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
    const uint32_t * mirrored)
{
  const StereoRefineConstants *k = &plan->constants;
  StereoStatus status = mirrored == NULL ? STEREO_OK
      : stages->confirm (queue, k, winners, mirrored);

  return status != STEREO_OK ? status
      : stages->check (queue, k, winners, &plan->work);
}

bool
stereo_refine_is_rated (const StereoRefinePlan * plan,
    const StereoOutput * confidence)
{
  return confidence != NULL || plan->constants.min_confidence > 0;
}

/* From the map with holes to the filled map. */
static StereoStatus
fill_map (StereoQueue * queue, const StereoRefineStages * stages,
    const StereoRefinePlan * plan, const StereoView * left,
    const StereoWinners * winners)
{
  const StereoRefineConstants *k = &plan->constants;
  const StereoRefineWork *w = &plan->work;
  StereoStatus status = stages->fill (queue, k, w);

  if (status != STEREO_OK || k->refine == STEREO_REFINE_NONE)
    return status;
  status = stages->slopes (queue, k, w, &w->map);
  return status != STEREO_OK ? status
      : stages->vote_fill (queue, k, left, winners, w);
}

/* The final map of all pixels. */
static StereoStatus
filter_map (StereoQueue * queue, const StereoRefineStages * stages,
    const StereoRefinePlan * plan, const StereoView * left,
    const StereoMap * final, const StereoOutput * output)
{
  const StereoRefineConstants *k = &plan->constants;
  const StereoRefineWork *w = &plan->work;
  StereoStatus status;

  if (!k->fill || k->refine != STEREO_REFINE_ALL)
    return stages->finish (queue, k, w, k->fill ? &w->filled : &w->map, final,
        output);
  status = stages->slopes (queue, k, w, &w->filled);
  return status != STEREO_OK ? status
      : stages->slanted_median (queue, k, left, w, final, output);
}

StereoStatus
stereo_refine_finish (StereoQueue * queue, const StereoRefineStages * stages,
    const StereoRefinePlan * plan, const StereoView * left,
    const StereoWinners * winners, const StereoOutput * output,
    const StereoOutput * confidence)
{
  const StereoRefineConstants *k = &plan->constants;
  const StereoRefineWork *w = &plan->work;
  const bool rated = stereo_refine_is_rated (plan, confidence);
  StereoStatus status = k->fill ? fill_map (queue, stages, plan, left, winners)
      : STEREO_OK;

  if (status == STEREO_OK)
    status = filter_map (queue, stages, plan, left, rated ? &w->final : NULL,
        output);
  if (status != STEREO_OK || !rated)
    return status;
  /* Unless the slopes are still those of the map with holes. */
  if (!k->fill || k->refine != STEREO_REFINE_FILLED)
    status = stages->slopes (queue, k, w, &w->map);
  if (status == STEREO_OK)
    status = stages->confidence (queue, k, left, winners, w, confidence);
  return status != STEREO_OK || k->min_confidence == 0 ? status
      : stages->invalidate (queue, k, w, output);
}

/* ------------------------------------------------------------ scalar stages */

static void
add_map (const StereoRefineConstants * k, StereoMap * map, StereoArena * arena)
{
  map->stride = stereo_round_up ((size_t) k->width, STEREO_REFINE_PADDING);
  stereo_arena_add (arena, (void **) &map->data,
      map->stride * (size_t) k->height + STEREO_REFINE_PADDING,
      sizeof (uint16_t));
}

void
stereo_refine_plan_cpu (const StereoRefineConstants * k,
    StereoRefineWork * work, StereoArena * arena)
{
  const size_t pixels = (size_t) k->width * (size_t) k->height;
  size_t begin, end;

  add_map (k, &work->map, arena);
  add_map (k, &work->final, arena);
  if (k->min_confidence > 0)
    stereo_arena_add (arena, (void **) &work->confidence, pixels, 1);

  begin = arena->next;
  if (k->speckle_size > 1) {
    stereo_arena_add (arena, (void **) &work->labels, pixels,
        sizeof (uint32_t));
    stereo_arena_add (arena, (void **) &work->sizes, pixels,
        sizeof (uint32_t));
    stereo_arena_add (arena, (void **) &work->ends,
        stereo_refine_row_words (k) * (size_t) k->height, sizeof (uint64_t));
  }
  /* Slopes and later buffers share the memory of the speckle filter. */
  end = arena->next;
  stereo_arena_go_to (arena, begin);
  for (int i = 0; i < 2; i++)
    stereo_arena_add (arena, (void **) &work->slopes[i],
        work->map.stride * (size_t) k->height + STEREO_REFINE_PADDING,
        sizeof (int16_t));
  if (k->fill)
    add_map (k, &work->filled, arena);
  if (k->fill && k->refine != STEREO_REFINE_NONE)
    stereo_arena_add (arena, (void **) &work->votes, k->n_threads
        * stereo_refine_vote_words (k), sizeof (uint32_t));
  stereo_arena_go_beyond (arena, end);
}

static void
confirm_rows (const void *context, StereoSpan span)
{
  const StereoRefineJob *job = context;
  const StereoRefineConstants *k = job->k;
  const StereoWinners *w = job->winners;

  for (int y = span.begin; y < span.end; y++) {
    const uint32_t *left = w->left + (size_t) y * w->left_stride;
    const uint32_t *mirrored = job->mirrored + (size_t) y * w->left_stride;
    uint32_t *right = w->right + (size_t) y * w->right_stride;

    for (int x = 0; x < k->width; x++)
      right[x] = stereo_winner_confirmed (left, mirrored[k->width - 1 - x],
          right[x], k->width, x + k->min_disparity, k->lr_max_diff);
  }
}

static StereoStatus
confirm_cpu (StereoQueue * queue, const StereoRefineConstants * k,
    const StereoWinners * winners, const uint32_t * mirrored)
{
  const StereoRefineJob job = {.k = k,.winners = winners,
    .mirrored = mirrored
  };

  stereo_cpu_for (queue, k->height, 0, confirm_rows, &job);
  return STEREO_OK;
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

/* The nearest valid codes on one side, the nearest one first. */
typedef struct
{
  uint16_t code[STEREO_FILL_REACH];
  int n;
} Nearest;

static void
add_nearest (Nearest * nearest, uint16_t code, int reach)
{
  for (int i = STEREO_FILL_REACH - 1; i > 0; i--)
    nearest->code[i] = nearest->code[i - 1];
  nearest->code[0] = code;
  if (nearest->n < reach)
    nearest->n++;
}

static uint16_t
nearest_median (const Nearest * nearest)
{
  return nearest->n == 0 ? (uint16_t) STEREO_INVALID
      : (uint16_t) stereo_fill_median (nearest->code[0], nearest->code[1],
      nearest->code[2], nearest->n);
}

/* A row without valid codes is STEREO_INVALID all over. */
static void
fill_row (int width, int reach, const uint16_t * map, uint16_t * filled)
{
  Nearest left = { {0}, 0 }, right = { {0}, 0 };

  for (int x = 0; x < width; x++) {
    if (map[x] != STEREO_INVALID)
      add_nearest (&left, map[x], reach);
    filled[x] = map[x] != STEREO_INVALID ? map[x] : nearest_median (&left);
  }
  for (int x = width - 1; x >= 0; x--) {
    if (map[x] != STEREO_INVALID)
      add_nearest (&right, map[x], reach);
    else if (nearest_median (&right) < filled[x])
      filled[x] = nearest_median (&right);
  }
}

static void
fill_rows (const void *context, StereoSpan span)
{
  const StereoRefineJob *job = context;

  for (int y = span.begin; y < span.end; y++)
    fill_row (job->k->width, stereo_refine_fill_reach (job->k),
        stereo_map_row (&job->work->map, y),
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

static void
finish_rows (const void *context, StereoSpan span)
{
  const StereoRefineJob *job = context;
  const StereoRefineConstants *k = job->k;
  const int right = k->width - 1, bottom = k->height - 1;

  for (int y = span.begin; y < span.end; y++) {
    const uint16_t *row = stereo_map_row (job->map, y);
    const uint16_t *above = stereo_map_row (job->map, y > 0 ? y - 1 : 0);
    const uint16_t *below = stereo_map_row (job->map, y < bottom ? y + 1
        : bottom);

    for (int x = 0; x < k->width; x++) {
      uint16_t code = row[x];

      if (stereo_refine_has_median (k))
        code = stereo_median_at (above, row, below, x > 0 ? x - 1 : 0, x,
            x < right ? x + 1 : right, STEREO_INVALID);
      if (job->final != NULL)
        stereo_map_row (job->final, y)[x] = code;
      stereo_store_raw (job->output, x, y,
          stereo_output_from_map (job->output, code));
    }
  }
}

static StereoStatus
finish_cpu (StereoQueue * queue, const StereoRefineConstants * k,
    const StereoRefineWork * work, const StereoMap * map,
    const StereoMap * final, const StereoOutput * output)
{
  const StereoRefineJob job = {.k = k,.work = work,.map = map,.final = final,
    .output = output
  };

  stereo_cpu_for (queue, k->height, 0, finish_rows, &job);
  return STEREO_OK;
}

static void
invalidate_rows (const void *context, StereoSpan span)
{
  const StereoRefineJob *job = context;
  const StereoRefineConstants *k = job->k;

  for (int y = span.begin; y < span.end; y++) {
    const uint16_t *codes = stereo_map_row (&job->work->map, y);
    const uint8_t *confidence = job->work->confidence;

    if (k->min_confidence > 0)
      confidence += (size_t) y * (size_t) k->width;
    for (int x = 0; x < k->width; x++) {
      if ((!k->fill && codes[x] == STEREO_INVALID)
          || (k->min_confidence > 0 && confidence[x] < k->min_confidence))
        stereo_store_raw (job->output, x, y, (uint16_t) job->output->invalid);
    }
  }
}

StereoStatus
stereo_refine_invalidate_cpu (StereoQueue * queue,
    const StereoRefineConstants * k, const StereoRefineWork * work,
    const StereoOutput * output)
{
  const StereoRefineJob job = {.k = k,.work = work,.output = output };

  stereo_cpu_for (queue, k->height, 0, invalidate_rows, &job);
  return STEREO_OK;
}

static const StereoRefineStages stages_cpu = {
  .plan = stereo_refine_plan_cpu,
  .confirm = confirm_cpu,
  .check = check_cpu,
  .fill = stereo_refine_fill_cpu,
  .slopes = stereo_refine_slopes_cpu,
  .vote_fill = stereo_refine_vote_fill_cpu,
  .finish = finish_cpu,
  .slanted_median = stereo_refine_slanted_median_cpu,
  .confidence = stereo_refine_confidence_cpu,
  .invalidate = stereo_refine_invalidate_cpu,
};

const void *
stereo_refine_stages_cpu (StereoSimd simd)
{
  return STEREO_SIMD_SELECT (simd, stages_cpu, stereo_refine_stages_);
}
