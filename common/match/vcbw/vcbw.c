/* gst-stereomatching: variable center-biased windows
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/vcbw/vcbw.h"

#include "cost/words-formula.h"

#include <math.h>
#include <string.h>

static const StereoEnumValue windows_values[] = {
  {"nine", "Full, half and quarter windows"},
  {"four", "Quarter windows only"},
};

static const StereoParamSpec vcbw_specs[] = {
  STEREO_PARAM_UINT_ROW (StereoVcbwParams, radius, "radius",
      "Radius of the largest window, in pixels", 16, 1,
      STEREO_VCBW_MAX_RADIUS),
  STEREO_PARAM_DOUBLE_ROW (StereoVcbwParams, gamma_distance, "gamma-distance",
      "Distance at which a support weight falls to 1/e, in pixels", 3.5, 0.1,
      100.0),
  STEREO_PARAM_DOUBLE_ROW (StereoVcbwParams, cost_threshold, "cost-threshold",
      "Truncation of the matching cost, in 8-bit levels (census: in bits, at "
      "most 31)", 31.0, 1.0, 255.0),
  STEREO_PARAM_DOUBLE_ROW (StereoVcbwParams, edge_penalty, "edge-penalty",
      "Penalty of half windows, as a fraction of cost-threshold", 0.08, 0.0,
      1.0),
  STEREO_PARAM_DOUBLE_ROW (StereoVcbwParams, corner_penalty, "corner-penalty",
      "Penalty of quarter windows, as a fraction of cost-threshold", 0.16, 0.0,
      1.0),
  STEREO_PARAM_ENUM_ROW (StereoVcbwParams, windows, "windows",
      "Competing windows: nine = full, half and quarter; four = quarter only",
      STEREO_VCBW_WINDOWS_NINE, windows_values),
  STEREO_PARAM_END
};

/* Distributes `parts` over radius + 1 distances in proportion to
 * exp (-k / gamma) by the largest remainder method.  A weight of 256 does not
 * fit a byte and leaves one part to its neighbour. */
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

static int
find_radius (const uint8_t * weight)
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
  int bits = (int) floor (STEREO_WORDS_BIT_COST * threshold + 0.5);

  k->third = false;
  if (stereo_cost_uses_words (search->cost)) {
    k->limit = bits < STEREO_WORDS_MAX_COST ? bits : STEREO_WORDS_MAX_COST;
    k->gain = 255 / k->limit;
  } else if (3 * level > 255) {
    k->third = true;
    k->limit = level;
    k->gain = 1;
  } else {
    /* The sum of three channels if it fits a byte, otherwise their mean.  Luma
     * counts three times, so that grey gives the same cost in all formats. */
    bool color = stereo_cost_is_color (k->cost);

    k->limit = color ? 3 * level : level;
    k->gain = 255 / (3 * level) * (color ? 1 : 3);
  }
}

void
stereo_vcbw_constants (const StereoSearch * search,
    const StereoVcbwParams * params, StereoVcbwConstants * k)
{
  int highest;

  memset (k, 0, sizeof (*k));
  k->width = search->width;
  k->height = search->height;
  k->channels = search->channels;
  k->min_disparity = search->min_disparity;
  k->first_index = search->first_index;
  k->end_index = search->end_index;
  k->cost = search->cost;
  k->needs_luma = stereo_cost_is_luma (k->cost) && k->channels == 3;
  make_weights ((int) params->radius, params->gamma_distance, 256,
      k->row_weight);
  make_weights ((int) params->radius, params->gamma_distance, 64,
      k->column_weight);
  k->row_radius = find_radius (k->row_weight);
  k->column_radius = find_radius (k->column_weight);

  choose_scale (search, params->cost_threshold, k);
  highest = k->limit * k->gain;
  if (params->windows == STEREO_VCBW_WINDOWS_NINE) {
    k->edge = (int) floor (params->edge_penalty * highest * 256 + 0.5);
    k->corner = (int) floor (params->corner_penalty * highest * 256 + 0.5);
  }
}

typedef struct
{
  StereoVcbwConstants constants;
  StereoWork work;
} VcbwPlan;

static StereoStatus
vcbw_plan (const StereoSearch * search, const void *params, const void *stages,
    void *plan_memory, StereoArena * arena, StereoMessage * why)
{
  const StereoVcbwStages *s = stages;
  VcbwPlan *p = plan_memory;

  memset (p, 0, sizeof (*p));
  stereo_vcbw_constants (search, params, &p->constants);
  return s->plan (search, &p->constants, (StereoVcbwWork *) &p->work, arena,
      why);
}

static StereoStatus
vcbw_run (const StereoMatchFrame * frame, const void *stages)
{
  const StereoVcbwStages *s = stages;
  const VcbwPlan *p = frame->plan;
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

static const StereoParamDefault vcbw_defaults[] = {
  {"cost", STEREO_COST_LEARNED},
  {"median", true},
  {"refine", STEREO_REFINE_ALL},
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
  .defaults = vcbw_defaults,
  .params = vcbw_specs,
  .params_size = sizeof (StereoVcbwParams),
  .plan_size = sizeof (VcbwPlan),
  .plan = vcbw_plan,
  .run = vcbw_run,
};
