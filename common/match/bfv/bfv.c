/* gst-stereomatching: cross-based regions and bitwise fast voting
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/bfv/bfv.h"

#include "match/bfv/bfv-formula.h"

#include <string.h>

static const StereoEnumValue vote_values[] = {
  {"none", "No voting"},
  {"bitwise", "Majority of each bit of the votes"},
  {"histogram", "Most frequent vote"},
};

static const StereoEnumValue vote_for_values[] = {
  {"mismatches", "Inconsistent pixels that are visible in the other view"},
  {"all", "All inconsistent pixels"},
};

static const StereoParamSpec bfv_specs[] = {
  STEREO_PARAM_UINT_ROW (StereoBfvParams, arm_threshold, "arm-threshold",
      "Maximum colour difference within a support region, in 8-bit levels", 14,
      0, 255),
  STEREO_PARAM_UINT_ROW (StereoBfvParams, arm_length, "arm-length",
      "Maximum arm length of the support cross, in pixels", 16, 1,
      STEREO_BFV_MAX_ARM),
  STEREO_PARAM_UINT_ROW (StereoBfvParams, cost_threshold, "cost-threshold",
      "Truncation of the sum of three colour differences, in 8-bit levels "
      "(cost=luma and rgb)", 60, 1, 765),
  STEREO_PARAM_UINT_ROW (StereoBfvParams, sampling_x, "sampling-x",
      "Horizontal sampling factor: match every Nth column and restore the "
      "others", 1, 1, STEREO_BFV_MAX_SAMPLING),
  STEREO_PARAM_UINT_ROW (StereoBfvParams, sampling_y, "sampling-y",
      "Vertical sampling factor: match every Nth row and restore the others",
      1, 1, STEREO_BFV_MAX_SAMPLING),
  STEREO_PARAM_ENUM_ROW (StereoBfvParams, vote, "vote",
      "Disparity voting in the support region: none, bitwise, histogram",
      STEREO_BFV_VOTE_NONE, vote_values),
  STEREO_PARAM_ENUM_ROW (StereoBfvParams, vote_for, "vote-for",
      "Pixels to vote for: mismatches = inconsistent but visible in the other "
      "view, all = all inconsistent pixels",
      STEREO_BFV_VOTE_FOR_MISMATCHES, vote_for_values),
  STEREO_PARAM_END
};

static const StereoParamDefault bfv_defaults[] = {
  {"cost", STEREO_COST_LEARNED},
  {"median", true},
  {"refine", STEREO_REFINE_ALL},
  {NULL, 0}
};

void
stereo_bfv_constants (const StereoSearch * search,
    const StereoBfvParams * params, StereoBfvConstants * k)
{
  int arm_x, arm_y;

  memset (k, 0, sizeof (*k));
  k->width = search->width;
  k->height = search->height;
  k->channels = search->channels;
  k->cost = search->cost;
  k->min_disparity = search->min_disparity;
  k->first_index = search->first_index;
  k->end_index = search->end_index;
  k->unit = search->unit;
  while (k->end_index > 1 << k->bits)
    k->bits++;
  k->arm_threshold = (int) params->arm_threshold;
  k->arm_length = (int) params->arm_length;
  k->cost_threshold = stereo_cost_uses_words (k->cost)
      ? STEREO_BFV_MAX_WORDS_COST : (int) params->cost_threshold;
  while (k->cost_threshold << (k->shift + 1) <= 65535)
    k->shift++;
  k->sampling_x = (int) params->sampling_x;
  k->sampling_y = (int) params->sampling_y;
  k->grid_width = (k->width - 1) / k->sampling_x + 1;
  k->grid_height = (k->height - 1) / k->sampling_y + 1;
  k->vote = params->vote;
  k->vote_all = params->vote_for == STEREO_BFV_VOTE_FOR_ALL
      || k->sampling_x > 1 || k->sampling_y > 1;
  k->border = params->vote_for == STEREO_BFV_VOTE_FOR_ALL && search->fill;

  arm_x = (int) stereo_bfv_sampled_arm (params->arm_length,
      params->sampling_x);
  arm_y = (int) stereo_bfv_sampled_arm (params->arm_length,
      params->sampling_y);
  k->wide = (2 * arm_x + 1) * (2 * arm_y + 1) * k->cost_threshold > 65535;
}

typedef struct
{
  StereoBfvConstants constants;
  StereoBfvMemory memory;
  StereoWork work;
} BfvPlan;

static StereoStatus
bfv_plan (const StereoSearch * search, const void *params, const void *stages,
    void *plan_memory, StereoArena * arena, StereoMessage * why)
{
  const StereoBfvStages *s = stages;
  BfvPlan *p = plan_memory;
  StereoBfvMemory *m = &p->memory;
  StereoBfvWork *work = (StereoBfvWork *) &p->work;
  size_t width = (size_t) search->width, height = (size_t) search->height;

  memset (p, 0, sizeof (*p));
  stereo_bfv_constants (search, params, &p->constants);
  stereo_arena_add (arena, (void **) &m->left_arms, width * height,
      sizeof (uint32_t));
  stereo_arena_add (arena, (void **) &m->right_arms,
      width * (size_t) p->constants.grid_height, sizeof (uint32_t));
  m->work = work;
  return s->plan (search, &p->constants, work, arena, why);
}

static StereoBfvViews
get_views (const StereoMatchFrame * frame)
{
  return (StereoBfvViews) {
    frame->left, frame->right, frame->left_words, frame->right_words
  };
}

static StereoStatus
bfv_prepare (const StereoMatchFrame * frame, const void *stages)
{
  const StereoBfvStages *s = stages;
  const BfvPlan *p = frame->plan;
  const StereoBfvConstants *k = &p->constants;
  const StereoBfvViews views = get_views (frame);
  StereoStatus status;

  if (k->first_index == k->end_index)
    return STEREO_OK;
  status = s->crosses (frame->queue, k, &views, &p->memory);
  return status != STEREO_OK ? status : stereo_stage_end (frame->timestamps,
      "crosses");
}

static StereoStatus
bfv_run (const StereoMatchFrame * frame, const void *stages)
{
  const StereoBfvStages *s = stages;
  const BfvPlan *p = frame->plan;
  const StereoBfvViews views = get_views (frame);
  StereoStatus status = s->match (frame->queue, &p->constants, &views,
      &p->memory, frame->winners);

  return status != STEREO_OK ? status : stereo_stage_end (frame->timestamps,
      "aggregate");
}

static bool
bfv_wants_vote (const void *params)
{
  const StereoBfvParams *p = params;

  return p->vote != STEREO_BFV_VOTE_NONE;
}

static StereoStatus
bfv_vote (const StereoMatchFrame * frame, const void *stages,
    const StereoMap * map)
{
  const StereoBfvStages *s = stages;
  const BfvPlan *p = frame->plan;
  const StereoBfvConstants *k = &p->constants;
  StereoStatus status;

  if (k->first_index == k->end_index)
    return STEREO_OK;
  status = s->vote (frame->queue, k, &p->memory, frame->winners, map);
  return status != STEREO_OK ? status
      : stereo_stage_end (frame->timestamps, "vote");
}

/* With sampling, most pixels are invalid until the vote. */
static void
bfv_limit_refine (const void *params, StereoRefineParams * refine)
{
  const StereoBfvParams *p = params;

  if (p->sampling_x > 1 || p->sampling_y > 1)
    refine->speckle_size = 0;
  if (p->sampling_x > 1)
    refine->subpixel = false;
}

const StereoAlgorithm stereo_bfv_algorithm = {
  .name = "bfv",
  .title = "Cross-based regions with bitwise fast voting",
  .reference = "K. Zhang, J. Lu, Q. Yang, G. Lafruit, R. Lauwereins, L. Van "
      "Gool: Real-time and accurate stereo: a scalable approach with bitwise "
      "fast voting on CUDA, IEEE TCSVT 21 (7), 2011",
  .uses_color = true,
  .refines = true,
  .defaults = bfv_defaults,
  .params = bfv_specs,
  .params_size = sizeof (StereoBfvParams),
  .plan_size = sizeof (BfvPlan),
  .plan = bfv_plan,
  .prepare = bfv_prepare,
  .run = bfv_run,
  .limit_refine = bfv_limit_refine,
  .wants_vote = bfv_wants_vote,
  .vote = bfv_vote,
};
