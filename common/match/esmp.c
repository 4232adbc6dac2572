/* gst-stereomatching: exponential step size message propagation
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/esmp.h"

#include <math.h>

static const StereoParamSpec specs[] = {
  STEREO_EXPSTEP_PARAM_ROWS (8, 1.8, 18.0, 29.0, 17.0),
  STEREO_PARAM_DOUBLE_ROW (StereoExpstepParams, data_weight, "data-weight",
      "Weight of the matching cost against smoothness", 0.15, 0.0, 10.0),
  STEREO_PARAM_DOUBLE_ROW (StereoExpstepParams, disc_single_jump,
      "disc-single-jump",
      "Cost of a change of disparity by one, between neighbours", 1.0, 0.0,
      100.0),
  STEREO_PARAM_DOUBLE_ROW (StereoExpstepParams, disc_truncation,
      "disc-truncation",
      "Largest cost of a change of disparity, as a part of num-disparities",
      0.0375, 0.0, 1.0),
  STEREO_PARAM_END
};

/* A smoothness cost in units of C, which are `parts` parts of the data cost's
 * range; 255 is as good as infinite. */
static int
smoothness_units (const StereoExpstepParams * params, double cost, int parts)
{
  double range = params->data_weight * params->cost_threshold;

  if (cost * parts >= 255 * range)
    return 255;
  return (int) floor (cost * parts / range + 0.5);
}

static StereoStatus
plan (const StereoProblem * problem, const void *params, const void *stages,
    void *plan_memory, StereoArena * arena, StereoMessage * why)
{
  const StereoExpstepParams *p = params;
  StereoExpstepPlan *self = plan_memory;

  stereo_expstep_constants (problem, p, self);
  self->constants.messages = true;
  for (int fine = 0; fine < 2; fine++) {
    self->constants.jump[fine] = smoothness_units (p, p->disc_single_jump,
        255 << fine);
    self->constants.truncation[fine] = smoothness_units (p,
        p->disc_truncation * problem->num_disparities, 255 << fine);
  }
  return stereo_expstep_plan (problem, stages, self, arena, why);
}

static const StereoParamDefault defaults[] = {
  {"median", true},
  {NULL, 0}
};

const StereoAlgorithm stereo_esmp_algorithm = {
  .name = "esmp",
  .title = "Exponential step size message propagation",
  .reference = "W. Yu, T. Chen, F. Franchetti, J. C. Hoe: High performance "
      "stereo vision designed for massively data parallel platforms, IEEE "
      "TCSVT 20 (11), 2010",
  .uses_color = true,
  .defaults = defaults,
  .params = specs,
  .params_size = sizeof (StereoExpstepParams),
  .plan_size = sizeof (StereoExpstepPlan),
  .plan = plan,
  .run = stereo_expstep_run,
};

const void *stereo_esmp_stages_cpu (StereoSimd simd);

const void *
stereo_esmp_stages_cpu (StereoSimd simd)
{
  return stereo_expstep_stages_cpu (simd);
}
