/* gst-stereomatching: exponential step size adaptive weight
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/expstep/esaw.h"

static const StereoParamSpec esaw_specs[] = {
  STEREO_EXPSTEP_PARAM_ROWS (5, 2.3, 12.0, 20.0, 31.0),
  STEREO_PARAM_END
};

static StereoStatus
esaw_plan (const StereoSearch * search, const void *params, const void *stages,
    void *plan_memory, StereoArena * arena, StereoMessage * why)
{
  stereo_expstep_constants (search, params, plan_memory);
  return stereo_expstep_plan (search, stages, plan_memory, arena, why);
}

const StereoAlgorithm stereo_esaw_algorithm = {
  .name = "esaw",
  .title = "Exponential step size adaptive weight",
  STEREO_EXPSTEP_ALGORITHM,
  .params = esaw_specs,
  .plan = esaw_plan,
};

const void *stereo_esaw_stages_cpu (StereoSimd simd);

const void *
stereo_esaw_stages_cpu (StereoSimd simd)
{
  return stereo_expstep_stages_cpu (simd);
}
