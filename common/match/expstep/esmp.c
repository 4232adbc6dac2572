/* gst-stereomatching: exponential step size message propagation
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/expstep/esmp.h"

#include "cost/words-formula.h"

#include <math.h>

static const StereoParamSpec esmp_specs[] = {
  STEREO_EXPSTEP_PARAM_ROWS (8, 1.8, 10.0, 16.0, 31.0),
  STEREO_PARAM_DOUBLE_ROW (StereoExpstepParams, data_weight, "data-weight",
      "Weight of the data term relative to the smoothness term", 0.267, 0.0,
      10.0),
  STEREO_PARAM_DOUBLE_ROW (StereoExpstepParams, disc_single_jump,
      "disc-single-jump",
      "Cost of a disparity change of one between neighbours", 1.0, 0.0, 100.0),
  STEREO_PARAM_DOUBLE_ROW (StereoExpstepParams, disc_truncation,
      "disc-truncation",
      "Truncation of the smoothness term, as a fraction of num-disparities",
      1.0, 0.0, 1.0),
  STEREO_PARAM_END
};

/* A smoothness cost in units of C; cost_threshold is `range` units.  255 means
 * infinity. */
static int
smoothness_units (const StereoExpstepParams * params, double cost,
    double range)
{
  double full = params->data_weight * params->cost_threshold;

  if (cost * range >= 255 * full)
    return 255;
  return (int) floor (cost * range / full + 0.5);
}

static StereoStatus
esmp_plan (const StereoSearch * search, const void *params, const void *stages,
    void *plan_memory, StereoArena * arena, StereoMessage * why)
{
  const StereoExpstepParams *p = params;
  StereoExpstepPlan *self = plan_memory;
  double range;

  stereo_expstep_constants (search, p, self);
  self->constants.messages = true;
  range = self->constants.uses_words
      ? STEREO_WORDS_BIT_COST * p->cost_threshold : 255;
  for (int fine = 0; fine < 2; fine++) {
    self->constants.jump[fine] = smoothness_units (p, p->disc_single_jump,
        range * (1 << fine));
    self->constants.truncation[fine] = smoothness_units (p,
        p->disc_truncation * search->num_disparities, range * (1 << fine));
  }
  return stereo_expstep_plan (search, stages, self, arena, why);
}

const StereoAlgorithm stereo_esmp_algorithm = {
  .name = "esmp",
  .title = "Exponential step size message propagation",
  STEREO_EXPSTEP_ALGORITHM,
  .params = esmp_specs,
  .plan = esmp_plan,
};

const void *stereo_esmp_stages_cpu (StereoSimd simd);

const void *
stereo_esmp_stages_cpu (StereoSimd simd)
{
  return stereo_expstep_stages_cpu (simd);
}
