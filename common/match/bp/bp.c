/* gst-stereomatching: hierarchical belief propagation
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/bp/bp-formula.h"

#include "cost/words-formula.h"

#include <math.h>
#include <string.h>

static const StereoEnumValue precision_values[] = {
  {"int8", "8-bit messages"},
  {"half", "16-bit messages (fp16)"},
  {"float", "32-bit messages (fp32)"},
};

#define DEFAULT_LEVELS 5

static const StereoParamSpec bp_specs[] = {
  STEREO_PARAM_UINT_ROW (StereoBpParams, iterations, "iterations",
      "Iterations per pyramid level", 7, 1, 100),
  STEREO_PARAM_UINT_ROW (StereoBpParams, levels, "levels",
      "Number of pyramid levels; levels with a side below 3 pixels are omitted",
      DEFAULT_LEVELS, 1, STEREO_BP_MAX_LEVELS),
  STEREO_PARAM_DOUBLE_ROW (StereoBpParams, data_weight, "data-weight",
      "Weight of the data term relative to the smoothness term", 0.046875, 0.0,
      10.0),
  STEREO_PARAM_DOUBLE_ROW (StereoBpParams, max_data_term, "max-data-term",
      "Truncation of the data term, in 8-bit levels (census: in bits, at most "
      "31)", 31.0, 0.0, 255.0),
  STEREO_PARAM_DOUBLE_ROW (StereoBpParams, max_disc_term, "max-disc-term",
      "Truncation of the smoothness term (0 = num-disparities / 7.5)", 4.0,
      0.0, 1000.0),
  STEREO_PARAM_DOUBLE_ROW (StereoBpParams, disc_single_jump,
      "disc-single-jump",
      "Cost of a disparity change of one between neighbours", 1.0, 0.0, 100.0),
  STEREO_PARAM_DOUBLE_ROW (StereoBpParams, edge_scale, "edge-scale",
      "Colour difference that halves the smoothness term, in 8-bit levels (0 = "
      "ignore colour)", 10.0, 0.0, 255.0),
  STEREO_PARAM_DOUBLE_ROW (StereoBpParams, smoothing, "smoothing",
      "Standard deviation of the Gaussian pre-filter for cost=luma, in pixels "
      "(below 0.1 = off)", 0.0, 0.0, 10.0),
  STEREO_PARAM_ENUM_ROW (StereoBpParams, precision, "precision",
      "Message precision: int8, half, float", STEREO_BP_PRECISION_INT8,
      precision_values),
  STEREO_PARAM_END
};

/* ---------------------------------------------------------------- constants */

/* Ranges of each precision; see bp.h. */
static const struct
{
  uint32_t message;
  uint32_t data_cost;           /* of level 0 */
  uint32_t max_data;
} limits[] = {
  [STEREO_BP_PRECISION_INT8] = {255, 254, 16383},
  [STEREO_BP_PRECISION_HALF] = {4088, 255, 16376},
  [STEREO_BP_PRECISION_FLOAT] = {1 << 20, 1 << 15, 1 << 22},
};

/* Minimum units of the truncated data cost, even if messages cannot hold
 * max-disc-term. */
#define MIN_DATA_UNITS 8

/* Keeps the number of units finite. */
#define MIN_UNIT 1e-300

/* Minimum factor of the smoothness term at edges. */
#define MIN_EDGE_WEIGHT 0.1

/* Sets the cost and its truncation; returns the difference of one level or
 * bit. */
static double
choose_difference (const StereoSearch * search,
    const StereoBpParams * params, StereoBpConstants * k)
{
  double one = 256;

  k->cost = search->cost;
  if (stereo_cost_is_color (k->cost))
    one = 3 * 256;
  else if (stereo_cost_uses_words (k->cost))
    one = STEREO_WORDS_BIT_COST;
  k->difference_limit = (uint32_t) floor (one * params->max_data_term + 0.5);
  if (stereo_cost_uses_words (k->cost))
    k->difference_limit = stereo_min_u32 (k->difference_limit,
        STEREO_WORDS_MAX_COST);
  return one;
}

/* Jump and M by the difference of neighbours. */
static void
weigh_edges (double scale, uint32_t jump, uint32_t max_message,
    StereoBpConstants * k)
{
  k->edges = scale > 0;
  for (int g = 0; g < 256; g++) {
    double w = k->edges ? fmax (MIN_EDGE_WEIGHT, 1 / (1 + g / scale)) : 1;

    k->jump[g] = (uint32_t) floor (w * jump + 0.5);
    k->max_message[g] = (uint32_t) floor (w * max_message + 0.5);
    if (k->precision == STEREO_BP_PRECISION_HALF)
      k->max_message[g] = stereo_bp_round_half (k->max_message[g]);
    k->jump[g] = stereo_min_u32 (k->jump[g], k->max_message[g]);
  }
}

static void
choose_unit (const StereoSearch * search, const StereoBpParams * params,
    StereoBpConstants * k)
{
  double disc = params->max_disc_term > 0 ? params->max_disc_term
      : search->num_disparities / 7.5;
  double data, unit, jump;
  double one = choose_difference (search, params, k);
  uint32_t most = limits[params->precision].message;

  data = params->data_weight * k->difference_limit / one;

  unit = fmax (disc / most, data / limits[params->precision].data_cost);
  if (data > 0)
    unit = fmin (unit, data / MIN_DATA_UNITS);
  unit = fmax (unit, MIN_UNIT);
  /* the jump is a whole number of units if possible */
  jump = params->disc_single_jump / unit;
  if (jump > most) {
    jump = most;
  } else if (jump >= 1) {
    jump = floor (jump);
    unit = params->disc_single_jump / jump;
  } else if (jump > 0) {
    jump = 1;
  }

  weigh_edges (params->edge_scale, (uint32_t) jump, (uint32_t) fmin (most,
          floor (disc / unit + 0.5)), k);
  if (k->difference_limit > 0)
    k->gain = (uint32_t) floor (data / unit / k->difference_limit * 65536
        + 0.5);
}

/* The weights add up to 2^16; the middle one takes the rounding error. */
static void
make_taps (double sigma, StereoBpConstants * k)
{
  double weight[STEREO_BP_MAX_TAPS], sum = 0;
  uint32_t rest = 65536;

  k->n_taps = sigma < 0.1 ? 1 : (int) ceil (4 * sigma) + 1;
  for (int i = 0; i < k->n_taps; i++) {
    weight[i] = i == 0 ? 1 : exp (-0.5 * (i / sigma) * (i / sigma));
    sum += i == 0 ? 1 : 2 * weight[i];
  }
  for (int i = k->n_taps - 1; i > 0; i--) {
    k->taps[i] = (uint32_t) floor (65536 * weight[i] / sum + 0.5);
    rest -= 2 * k->taps[i];
  }
  k->taps[0] = rest;
}

void
stereo_bp_constants (const StereoSearch * search,
    const StereoBpParams * params, StereoBpConstants * k)
{
  memset (k, 0, sizeof (*k));
  k->width = search->width;
  k->height = search->height;
  k->channels = search->channels;
  k->winners = search->winners;
  k->right_winners = search->right_winners;
  k->min_disparity = search->min_disparity;
  k->first_index = search->first_index;
  k->end_index = search->end_index;
  k->precision = params->precision;
  k->iterations = (int) params->iterations;
  k->max_data = limits[params->precision].max_data;
  choose_unit (search, params, k);
  make_taps (stereo_cost_is_luma (k->cost) ? params->smoothing : 0, k);

  k->level[0] = (StereoBpSize) { search->width, search->height };
  for (k->n_levels = 1; k->n_levels < (int) params->levels; k->n_levels++) {
    StereoBpSize finer = k->level[k->n_levels - 1];
    StereoBpSize size = { (finer.width + 1) / 2, (finer.height + 1) / 2 };

    if (size.width < 3 || size.height < 3)
      break;
    k->level[k->n_levels] = size;
  }
}

/* ----------------------------------------------------------------- schedule */

typedef struct
{
  StereoBpConstants constants;
  StereoWork work;
} BpPlan;

static StereoStatus
bp_plan (const StereoSearch * search, const void *params, const void *stages,
    void *plan_memory, StereoArena * arena, StereoMessage * why)
{
  const StereoBpParams *p = params;
  const StereoBpStages *s = stages;
  BpPlan *self = plan_memory;
  StereoStatus status;

  memset (self, 0, sizeof (*self));
  stereo_bp_constants (search, p, &self->constants);
  status = s->plan (search, &self->constants, (StereoBpWork *) &self->work,
      arena, why);
  if (status == STEREO_OK && p->max_disc_term > 0
      && p->disc_single_jump > p->max_disc_term)
    return stereo_fail (why, STEREO_OK, "disc-single-jump = %g is above "
        "max-disc-term = %g, so that all disparity changes cost the same; set "
        "disc-single-jump to at most max-disc-term", p->disc_single_jump,
        p->max_disc_term);
  /* the default fits no small images, which is no reason for a warning */
  if (status == STEREO_OK && p->levels > DEFAULT_LEVELS
      && self->constants.n_levels < (int) p->levels)
    return stereo_fail (why, STEREO_OK, "%dx%d pixels have room for %d levels "
        "of at least 3x3, not for %u", search->width, search->height,
        self->constants.n_levels, p->levels);
  return status;
}

static const char *const level_name[STEREO_BP_MAX_LEVELS] = {
  "level 0", "level 1", "level 2", "level 3", "level 4", "level 5",
  "level 6", "level 7", "level 8", "level 9"
};

/* Data costs of all levels above 0. */
static StereoStatus
run_pyramid (const StereoBpStages * s, StereoBpArgs a)
{
  StereoStatus status = STEREO_OK;

  if (s->pyramid != NULL)
    return s->pyramid (&a);
  for (a.level = 1; a.level < a.k->n_levels && status == STEREO_OK; a.level++)
    status = s->data (&a);
  return status;
}

/* Messages of a level. */
static StereoStatus
run_level (const StereoBpStages * s, StereoBpArgs a)
{
  StereoStatus status;

  if (s->descend != NULL)
    return s->descend (&a);
  status = s->start (&a);
  for (a.t = 0; a.t < a.k->iterations && status == STEREO_OK; a.t++)
    status = s->iterate (&a);
  return status;
}

static StereoStatus
bp_run (const StereoMatchFrame * frame, const void *stages)
{
  const StereoBpStages *s = stages;
  const BpPlan *p = frame->plan;
  const StereoBpConstants *k = &p->constants;
  StereoBpArgs a = {
    .frame = frame, .k = k, .work = (const StereoBpWork *) &p->work
  };
  StereoStatus status;

  if (s->match != NULL)
    return s->match (&a);
  if (k->first_index == k->end_index)
    return s->finish (&a);

  status = s->prepare (&a);
  if (status == STEREO_OK)
    status = run_pyramid (s, a);
  if (status == STEREO_OK)
    status = stereo_stage_end (frame->timestamps, "data cost");
  for (a.level = k->n_levels - 1; a.level >= 0 && status == STEREO_OK;
      a.level--) {
    status = run_level (s, a);
    if (status == STEREO_OK)
      status = stereo_stage_end (frame->timestamps, level_name[a.level]);
  }
  if (status == STEREO_OK)
    status = s->finish (&a);
  return status;
}

/* Edges and the RGB cost need colour. */
static bool
bp_wants_color (const void *params, const StereoRefineParams * refine)
{
  const StereoBpParams *p = params;

  return p->edge_scale > 0
      || stereo_cost_is_color (stereo_costs[refine->cost].kind);
}

static const StereoParamDefault bp_defaults[] = {
  {"cost", STEREO_COST_LEARNED},
  {"median", true},
  {"refine", STEREO_REFINE_FILLED},
  {NULL, 0}
};

const StereoAlgorithm stereo_bp_algorithm = {
  .name = "bp",
  .title = "Hierarchical belief propagation",
  .reference = "P. F. Felzenszwalb, D. P. Huttenlocher: Efficient belief "
      "propagation for early vision, CVPR 2004; S. Grauer-Gray: Optimizing "
      "global stereo matching on NVIDIA GPUs",
  .uses_color = true,
  .wants_color = bp_wants_color,
  .refines = true,
  .checks_mutually = true,
  .defaults = bp_defaults,
  .params = bp_specs,
  .params_size = sizeof (StereoBpParams),
  .plan_size = sizeof (BpPlan),
  .plan = bp_plan,
  .run = bp_run,
};
