/* gst-stereomatching: variable center-biased windows
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/vcbw.h"

#include "core/cpu.h"
#include "refine/output.h"
#include "match/vcbw-simd.h"
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
      5.0, 0.1, 100.0),
  STEREO_PARAM_DOUBLE_ROW (StereoVcbwParams, cost_threshold, "cost-threshold",
      "Difference at which the matching cost is cut off, in levels of 8 bits, "
      "rounded to a whole level", 20.0, 1.0, 255.0),
  STEREO_PARAM_DOUBLE_ROW (StereoVcbwParams, edge_penalty, "edge-penalty",
      "Extra cost of half windows, as a part of cost-threshold", 0.02, 0.0,
      1.0),
  STEREO_PARAM_DOUBLE_ROW (StereoVcbwParams, corner_penalty, "corner-penalty",
      "Extra cost of quarter windows, as a part of cost-threshold", 0.04, 0.0,
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

void
stereo_vcbw_constants (const StereoProblem * problem,
    const StereoVcbwParams * params, StereoVcbwConstants * k)
{
  int threshold = (int) floor (params->cost_threshold + 0.5);
  int cut_off;

  memset (k, 0, sizeof (*k));
  k->width = problem->width;
  k->height = problem->height;
  k->channels = problem->channels;
  k->min_disparity = problem->min_disparity;
  k->first_index = problem->first_index;
  k->end_index = problem->end_index;
  k->radius = (int) params->radius;
  make_weights (k->radius, params->gamma_distance, 256, k->row_weight);
  make_weights (k->radius, params->gamma_distance, 64, k->column_weight);

  /* The sum of three channels where it fits a byte, else their mean; luma
   * counts three times, so that grey gives the same result in any format. */
  k->third = 3 * threshold > 255;
  if (k->third) {
    k->limit = threshold;
    k->gain = 1;
  } else {
    k->limit = problem->channels == 1 ? threshold : 3 * threshold;
    k->gain = 255 / (3 * threshold) * (problem->channels == 1 ? 3 : 1);
  }
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
  StereoVcbwSlices slices;
  void *scratch;
} Plan;

static StereoStatus
plan (const StereoProblem * problem, const void *params, const void *stages,
    void *plan_memory, StereoArena * arena, StereoMessage * why)
{
  const StereoVcbwStages *s = stages;
  Plan *p = plan_memory;
  size_t pixels = (size_t) problem->width * (size_t) problem->height;

  (void) why;
  stereo_vcbw_constants (problem, params, &p->constants);
  if (s->match != NULL) {
    if (s->match_scratch != NULL)
      stereo_arena_add (arena, &p->scratch, s->match_scratch (problem), 1);
    return STEREO_OK;
  }
  stereo_arena_add (arena, (void **) &p->slices.cost, pixels, 1);
  stereo_arena_add (arena, (void **) &p->slices.left, pixels, 1);
  stereo_arena_add (arena, (void **) &p->slices.right, pixels, 1);
  stereo_arena_add (arena, (void **) &p->slices.best, pixels,
      sizeof (uint32_t));
  return STEREO_OK;
}

static StereoStatus
run (const StereoFrame * frame, const void *stages)
{
  const StereoVcbwStages *s = stages;
  const Plan *p = frame->plan;
  const StereoVcbwConstants *k = &p->constants;
  StereoQueue *q = frame->queue;
  StereoStatus status;

  if (s->match != NULL)
    return s->match (q, k, &frame->left, &frame->right, &frame->map,
        frame->output, p->scratch);

  for (int i = k->first_index; i < k->end_index; i++) {
    if ((status = s->cost (q, k, &frame->left, &frame->right, i, &p->slices))
        || (status = s->rows (q, k, &p->slices))
        || (status = s->columns (q, k, i, &p->slices)))
      return status;
  }
  return s->finish (q, k, &p->slices, &frame->map, frame->output);
}

const StereoAlgorithm stereo_vcbw_algorithm = {
  .name = "vcbw",
  .title = "Variable center-biased windows",
  .reference = "J. Lu, G. Lafruit, F. Catthoor: Fast variable center-biased "
      "windowing for high-speed stereo on programmable graphics hardware, "
      "ICIP 2007",
  .uses_color = true,
  .params = specs,
  .params_size = sizeof (StereoVcbwParams),
  .plan_size = sizeof (Plan),
  .plan = plan,
  .run = run,
};

/* ------------------------------------------------- stages, plain reference */

/* D of the pixel at column xl of the left and xr of the right view. */
static uint8_t
cost_at (const StereoVcbwConstants * k, const StereoView * left,
    const StereoView * right, int xl, int xr, int y)
{
  int sum = 0;

  for (int c = 0; c < k->channels; c++) {
    int l = left->plane[c][(size_t) y * left->stride + (size_t) xl];
    int r = right->plane[c][(size_t) y * right->stride + (size_t) xr];

    sum += l > r ? l - r : r - l;
  }
  if (k->third && k->channels == 3)
    sum /= 3;
  return (uint8_t) ((sum < k->limit ? sum : k->limit) * k->gain);
}

/* What the threads of a loop work on. */
typedef struct
{
  const StereoVcbwConstants *k;
  const StereoView *left;
  const StereoView *right;
  int index;
  const StereoVcbwSlices *slices;
  const StereoMap *map;
  const StereoOutput *output;
} Job;

static void
cost_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoVcbwConstants *k = job->k;
  const StereoView *left = job->left;
  const StereoView *right = job->right;
  int index = job->index;
  const StereoVcbwSlices *slices = job->slices;
  int d = k->min_disparity + index;
  int first = d > 0 ? d : 0;
  int last = d < 0 ? k->width - 1 + d : k->width - 1;

  for (int y = span.begin; y < span.end; y++) {
    uint8_t *row = slices->cost + (size_t) y * (size_t) k->width;

    for (int x = 0; x < k->width; x++) {
      int xl = stereo_clamp_int (x, first, last);

      row[x] = cost_at (k, left, right, xl, xl - d, y);
    }
  }
}

static StereoStatus
cost_cpu (StereoQueue * queue, const StereoVcbwConstants * k,
    const StereoView * left, const StereoView * right, int index,
    const StereoVcbwSlices * slices)
{
  Job job = {.k = k,.left = left,.right = right,.index = index,
    .slices = slices
  };

  stereo_cpu_for (queue, k->height, 0, cost_rows, &job);
  return STEREO_OK;
}

static void
rows_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoVcbwConstants *k = job->k;
  const StereoVcbwSlices *slices = job->slices;
  int last = k->width - 1;

  for (int y = span.begin; y < span.end; y++) {
    size_t offset = (size_t) y * (size_t) k->width;
    const uint8_t *d = slices->cost + offset;

    for (int x = 0; x < k->width; x++) {
      unsigned to_left = 128, to_right = 128;

      for (int i = 0; i <= k->radius; i++) {
        unsigned weight = k->row_weight[i];

        to_left += weight * d[x - i > 0 ? x - i : 0];
        to_right += weight * d[x + i < last ? x + i : last];
      }
      slices->left[offset + (size_t) x] = (uint8_t) (to_left >> 8);
      slices->right[offset + (size_t) x] = (uint8_t) (to_right >> 8);
    }
  }
}

static StereoStatus
rows_cpu (StereoQueue * queue, const StereoVcbwConstants * k,
    const StereoVcbwSlices * slices)
{
  Job job = {.k = k,.slices = slices };

  stereo_cpu_for (queue, k->height, 0, rows_rows, &job);
  return STEREO_OK;
}

static uint32_t
combine (const StereoVcbwConstants * k, const uint32_t v[4])
{
  /* v: left down, left up, right down, right up */
  uint32_t left = v[0] + v[1], right = v[2] + v[3];
  uint32_t down = v[0] + v[2], up = v[1] + v[3];
  uint32_t corner = 4 * stereo_min_u32 (stereo_min_u32 (v[0], v[1]),
      stereo_min_u32 (v[2], v[3]));
  uint32_t edge = 2 * stereo_min_u32 (stereo_min_u32 (left, right),
      stereo_min_u32 (down, up));

  return stereo_min_u32 (left + right,
      stereo_min_u32 (edge + (uint32_t) k->edge,
          corner + (uint32_t) k->corner));
}

static void
columns_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoVcbwConstants *k = job->k;
  int index = job->index;
  const StereoVcbwSlices *slices = job->slices;
  int last = k->height - 1;
  size_t width = (size_t) k->width;

  for (int y = span.begin; y < span.end; y++) {
    uint32_t *best = slices->best + (size_t) y * width;

    for (size_t x = 0; x < width; x++) {
      uint32_t v[4] = { 0, 0, 0, 0 }, word;

      for (int i = 0; i <= k->radius; i++) {
        size_t down = (size_t) (y + i < last ? y + i : last) * width + x;
        size_t up = (size_t) (y - i > 0 ? y - i : 0) * width + x;

        v[0] += (uint32_t) k->column_weight[i] * slices->left[down];
        v[1] += (uint32_t) k->column_weight[i] * slices->left[up];
        v[2] += (uint32_t) k->column_weight[i] * slices->right[down];
        v[3] += (uint32_t) k->column_weight[i] * slices->right[up];
      }
      word = combine (k, v) << STEREO_VCBW_INDEX_BITS | (uint32_t) index;
      if (index == k->first_index || word < best[x])
        best[x] = word;
    }
  }
}

static StereoStatus
columns_cpu (StereoQueue * queue, const StereoVcbwConstants * k, int index,
    const StereoVcbwSlices * slices)
{
  Job job = {.k = k,.index = index,.slices = slices };

  stereo_cpu_for (queue, k->height, 0, columns_rows, &job);
  return STEREO_OK;
}

static void
finish_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoVcbwConstants *k = job->k;
  const StereoVcbwSlices *slices = job->slices;
  const StereoMap *map = job->map;
  const StereoOutput *output = job->output;
  bool empty = k->first_index == k->end_index;

  for (int y = span.begin; y < span.end; y++) {
    const uint32_t *best = slices->best + (size_t) y * (size_t) k->width;

    for (int x = 0; x < k->width; x++) {
      unsigned index = empty ? STEREO_INVALID
          : best[x] & ((1u << STEREO_VCBW_INDEX_BITS) - 1);

      stereo_store_index (map, output, x, y, index);
    }
  }
}

static StereoStatus
finish_cpu (StereoQueue * queue, const StereoVcbwConstants * k,
    const StereoVcbwSlices * slices, const StereoMap * map,
    const StereoOutput * output)
{
  Job job = {.k = k,.slices = slices,.map = map,.output = output };

  stereo_cpu_for (queue, k->height, 0, finish_rows, &job);
  return STEREO_OK;
}

static const StereoVcbwStages stages_cpu = {
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
