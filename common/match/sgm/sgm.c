/* gst-stereomatching: semi-global matching
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/sgm/sgm.h"

#include "image/pixel.h"

#include <math.h>
#include <string.h>

/* 64 (255 + p2) + 32 must fit 16 bits. */
#define MAX_PENALTY 768

/* With range=auto, larger views with more disparities have ranges: from here
 * on, the half-size match takes less time than it saves. */
#define AUTO_PIXELS (1920 * 1080)
#define AUTO_DISPARITIES 128

static const StereoEnumValue range_values[] = {
  [STEREO_SGM_RANGE_AUTO] = {"auto", "As half-size, with 1920x1080 pixels and "
        "128 disparities or more; otherwise as full"},
  [STEREO_SGM_RANGE_FULL] = {"full", "All disparities"},
  [STEREO_SGM_RANGE_HALF_SIZE] = {"half-size", "Disparities near those of a "
        "match of half size, with 48 disparities or more and predecessors=3"},
};

static const StereoParamSpec sgm_specs[] = {
  STEREO_PARAM_UINT_ROW (StereoSgmParams, predecessors, "predecessors",
      "Predecessors per aggregation path: 1 = classic SGM, 3 = weighted by "
      "colour similarity", 3, 1, 3),
  STEREO_PARAM_UINT_ROW (StereoSgmParams, paths, "paths",
      "Number of aggregation paths with predecessors=1 (4 or 8)", 4, 4, 8),
  STEREO_PARAM_UINT_ROW (StereoSgmParams, p1, "p1",
      "Penalty of a disparity change of one, in cost units (8 per census bit)",
      96, 0, MAX_PENALTY),
  STEREO_PARAM_UINT_ROW (StereoSgmParams, p2, "p2",
      "Penalty of larger disparity changes, in cost units (8 per census bit)",
      768, 0, MAX_PENALTY),
  STEREO_PARAM_UINT_ROW (StereoSgmParams, p2_min, "p2-min",
      "Lower bound of P2 at intensity edges, in cost units (8 per census bit)",
      104, 0, MAX_PENALTY),
  STEREO_PARAM_BOOL_ROW (StereoSgmParams, adaptive_penalty,
      "adaptive-penalty", "Reduce P2 at intensity edges", 1),
  STEREO_PARAM_ENUM_ROW (StereoSgmParams, range, "range",
      "Disparities to search in each part of the image",
      STEREO_SGM_RANGE_AUTO, range_values),
  STEREO_PARAM_END
};

const StereoSgmSweep stereo_sgm_sweeps[STEREO_SGM_MAX_SWEEPS] = {
  {1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}, {-1, 1}, {1, -1}
};

/* ---------------------------------------------------------------- constants */

void
stereo_sgm_constants (const StereoSearch * search,
    const StereoSgmParams * params, StereoSgmConstants * k)
{
  memset (k, 0, sizeof (*k));
  k->width = search->width;
  k->height = search->height;
  k->channels = search->channels;
  k->cost = search->cost;
  k->min_disparity = search->min_disparity;
  k->first_index = search->first_index;
  k->n = search->end_index - search->first_index;
  k->three = params->predecessors > 1;
  k->ranges = search->ranges;
  k->n_sweeps = !k->three && params->paths > 4 ? 8 : 4;

  for (unsigned g = 0; g < 256; g++) {
    unsigned divisor = g > 4 ? g : 4, p2 = params->p2;
    double similarity = floor (255 * exp (-(double) g / 12) + 0.5);

    if (params->adaptive_penalty) {
      p2 = (8 * params->p2 + divisor) / (2 * divisor);
      if (p2 < params->p2_min)
        p2 = params->p2_min;
    }
    k->penalty[g].p2 = (uint16_t) p2;
    k->penalty[g].p1 = (uint16_t) stereo_min_u32 (params->p1, p2);
    k->similarity[g] = similarity < 1 ? 1 : (uint8_t) similarity;
  }
}

/* ----------------------------------------------------------------- schedule */

typedef struct
{
  StereoSgmConstants constants;
  StereoSgmWork work;
} SgmPlan;

/* STEREO_OK, with a message about values that have no meaning of their own. */
static StereoStatus
check_params (const StereoSgmParams * p, StereoMessage * why)
{
  if (p->p1 > p->p2)
    return stereo_fail (why, STEREO_OK, "p1 = %u is above p2 = %u, but a "
        "disparity change of one must not cost more than a larger one; set p1 "
        "to at most p2", p->p1, p->p2);
  if (p->adaptive_penalty && p->p2_min > p->p2)
    return stereo_fail (why, STEREO_OK, "p2-min = %u is above p2 = %u, which "
        "has no effect then; set p2-min to at most p2", p->p2_min, p->p2);
  if (p->predecessors == 2)
    return stereo_fail (why, STEREO_OK, "predecessors = 2 counts as 3; set "
        "predecessors to 1 or 3");
  if (p->predecessors == 1 && p->paths > 4 && p->paths < 8)
    return stereo_fail (why, STEREO_OK, "paths = %u counts as 8; set paths to "
        "4 or 8", p->paths);
  if (p->predecessors == 1 && p->range == STEREO_SGM_RANGE_HALF_SIZE)
    return stereo_fail (why, STEREO_OK, "range = half-size has no effect with "
        "predecessors = 1; set predecessors to 3");
  return STEREO_OK;
}

static StereoStatus
sgm_plan (const StereoSearch * search, const void *params,
    const void *stages, void *plan, StereoArena * arena, StereoMessage * why)
{
  const StereoSgmStages *s = stages;
  SgmPlan *p = plan;
  StereoStatus status;

  memset (p, 0, sizeof (*p));
  stereo_sgm_constants (search, params, &p->constants);
  status = s->plan (&p->constants, search->n_threads, &p->work, arena, why);
  return status == STEREO_OK ? check_params (params, why) : status;
}

static StereoSgmViews
get_views (const StereoMatchFrame * frame)
{
  return (StereoSgmViews) {
    frame->left, frame->right, frame->left_words, frame->right_words,
    frame->ranges
  };
}

static StereoSgmResult
get_result (const StereoMatchFrame * frame)
{
  return (StereoSgmResult) { frame->winners, frame->map, frame->output };
}

static StereoStatus
sgm_prepare (const StereoMatchFrame * frame, const void *stages)
{
  const StereoSgmStages *s = stages;
  const SgmPlan *p = frame->plan;
  const StereoSgmViews views = get_views (frame);
  const StereoSgmResult result = get_result (frame);

  return s->prepare == NULL ? STEREO_OK : s->prepare (frame->queue,
      &p->constants, &views, &p->work, &result);
}

static StereoStatus
sgm_run (const StereoMatchFrame * frame, const void *stages)
{
  const StereoSgmStages *s = stages;
  const SgmPlan *p = frame->plan;
  const StereoSgmConstants *k = &p->constants;
  const StereoSgmViews views = get_views (frame);
  const StereoSgmResult result = get_result (frame);
  StereoStatus status = STEREO_OK;

  if (s->match != NULL)
    return s->match (frame->queue, k, &views, &p->work, &result,
        frame->concurrent);
  for (int i = 0; i < k->n_sweeps && status == STEREO_OK; i++)
    status = s->sweep (frame->queue, k, &views, i, &p->work);
  if (status == STEREO_OK)
    status = s->finish (frame->queue, k, &views, &p->work, &result);
  return status;
}

static bool
sgm_wants_ranges (const StereoSearch * search, const void *params)
{
  const StereoSgmParams *p = params;
  const bool large = search->width * search->height >= AUTO_PIXELS
      && search->num_disparities >= AUTO_DISPARITIES;

  return p->predecessors > 1 && (p->range == STEREO_SGM_RANGE_HALF_SIZE
      || (p->range == STEREO_SGM_RANGE_AUTO && large));
}

static const StereoParamDefault sgm_defaults[] = {
  {"cost", STEREO_COST_LEARNED},
  {"median", 1},
  {"refine", STEREO_REFINE_ALL},
  {NULL, 0}
};

const StereoAlgorithm stereo_sgm_algorithm = {
  .name = "sgm",
  .title = "Semi-global matching",
  .reference = "H. Hirschmueller: Stereo processing by semiglobal matching and "
      "mutual information, IEEE TPAMI 30 (2), 2008",
  .uses_color = true,
  .refines = true,
  .checks_mutually = true,
  .defaults = sgm_defaults,
  .params = sgm_specs,
  .params_size = sizeof (StereoSgmParams),
  .plan_size = sizeof (SgmPlan),
  .plan = sgm_plan,
  .prepare = sgm_prepare,
  .run = sgm_run,
  .wants_ranges = sgm_wants_ranges,
};
