/* gst-stereomatching: correlation over an image pyramid
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/pyramid/pyramid.h"

#include "match/pyramid/pyramid-formula.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const StereoParamSpec pyramid_specs[] = {
  STEREO_PARAM_UINT_ROW (StereoPyramidParams, levels, "levels",
      "Number of pyramid levels (0 = as many as fit)", 0, 0,
      STEREO_PYRAMID_MAX_LEVELS),
  STEREO_PARAM_UINT_ROW (StereoPyramidParams, max_iterations,
      "max-iterations", "Maximum iterations per level", 4, 1, 100),
  STEREO_PARAM_UINT_ROW (StereoPyramidParams, fine_iterations,
      "fine-iterations", "Iterations on the finest level; each of the five "
      "next levels adds as many", 2, 1, 50),
  STEREO_PARAM_UINT_ROW (StereoPyramidParams, diffusion, "diffusion",
      "Diffusion steps per iteration", 2, 0, 50),
  STEREO_PARAM_UINT_ROW (StereoPyramidParams, fine_diffusion,
      "fine-diffusion",
      "Diffusion steps per iteration on the two finest levels", 2, 0, 50),
  STEREO_PARAM_UINT_ROW (StereoPyramidParams, selection_passes,
      "selection-passes", "Passes per level in which pixels select among "
      "displacements nearby, by census (0 = none)", 2, 0, 16),
  STEREO_PARAM_BOOL_ROW (StereoPyramidParams, vertical_search,
      "vertical-search", "Also search vertically, for unrectified views",
      false),
  STEREO_PARAM_DOUBLE_ROW (StereoPyramidParams, max_step, "max-step",
      "Maximum update per iteration, in pixels of the level", 1.0, 0.01, 4.0),
  STEREO_PARAM_INT_ROW (StereoPyramidParams, lr_max_diff, "lr-max-diff",
      "Maximum left-right disagreement, in pixels (-1 = no consistency check)",
      1, -1, 64),
  STEREO_PARAM_UINT_ROW (StereoPyramidParams, speckle_size, "speckle-size",
      STEREO_SPECKLE_DESCRIPTION, 50, 0, 65535),
  STEREO_PARAM_BOOL_ROW (StereoPyramidParams, fill, "fill",
      STEREO_FILL_DESCRIPTION, true),
  STEREO_PARAM_ENUM_ROW (StereoPyramidParams, refine, "refine",
      STEREO_REFINE_DESCRIPTION, STEREO_REFINE_ALL, stereo_refine_values),
  STEREO_PARAM_DOUBLE_ROW (StereoPyramidParams, min_confidence,
      "min-confidence", STEREO_MIN_CONFIDENCE_DESCRIPTION, 0, 0, 1),
  STEREO_PARAM_END
};

/* ---------------------------------------------------------------- constants */

/* size / sqrt (2), rounded down. */
static int
smaller_size (int size)
{
  return (int) floor (size / sqrt (2.0));
}

static int
level_iterations (const StereoPyramidParams * params, int level)
{
  unsigned n = params->fine_iterations * (unsigned) (level + 1);

  return (int) (level <= 5 && n < params->max_iterations ? n
      : params->max_iterations);
}

void
stereo_pyramid_constants (const StereoSearch * search,
    const StereoPyramidParams * params, StereoPyramidConstants * k,
    StereoPyramidLevel * level)
{
  int width = search->width, height = search->height;
  int limit = params->levels > 0 ? (int) params->levels
      : STEREO_PYRAMID_MAX_LEVELS;
  int n = 0, nearest;

  memset (k, 0, sizeof (*k));
  memset (level, 0, STEREO_PYRAMID_MAX_LEVELS * sizeof (*level));
  do {
    level[n].width = width;
    level[n].height = height;
    level[n].stride = (size_t) width / 32 * 32 + 32;
    level[n].iterations = level_iterations (params, n);
    level[n].diffusion =
        (int) (n <= 1 ? params->fine_diffusion : params->diffusion);
    width = smaller_size (width);
    height = smaller_size (height);
    n++;
  } while (n < limit && width >= STEREO_PYRAMID_MIN_SIZE
      && height >= STEREO_PYRAMID_MIN_SIZE);

  for (int i = 0; i + 1 < n; i++) {
    StereoPyramidLevel *fine = &level[i];
    const StereoPyramidLevel *coarse = &level[i + 1];

    fine->scale_x = (float) fine->width / (float) coarse->width;
    fine->scale_y = (float) fine->height / (float) coarse->height;
    fine->downsample_x = stereo_pyramid_ratio (coarse->width, fine->width);
    fine->downsample_y = stereo_pyramid_ratio (coarse->height, fine->height);
    fine->upsample_x = stereo_pyramid_ratio (fine->width, coarse->width);
    fine->upsample_y = stereo_pyramid_ratio (fine->height, coarse->height);
  }

  k->channels = search->channels;
  k->vertical = params->vertical_search;
  k->selection_passes = (int) params->selection_passes;
  k->max_step = (float) params->max_step;
  k->n_levels = n;
  k->check = params->lr_max_diff >= 0;
  k->max_diff = (float) params->lr_max_diff;
  k->fill = params->fill;
  /* With winners, refinement applies min-confidence. */
  k->min_confidence = k->fill ? 0.0f : FLT_MIN;
  if (!search->winners)
    k->min_confidence = (float) params->min_confidence;
  k->unit = search->unit;
  k->num_disparities = search->num_disparities;
  k->min_disparity = search->min_disparity;
  /* the disparity of the search range nearest to 0 */
  nearest = stereo_clamp_int (0, search->min_disparity,
      search->min_disparity + search->num_disparities - 1);
  k->start = -(float) nearest * ((float) level[n - 1].width
      / (float) search->width);
}

/* ---------------------------------------------------------------- schedule */

typedef struct
{
  StereoPyramidConstants constants;
  StereoPyramidLevel level[STEREO_PYRAMID_MAX_LEVELS];  /* without buffers */
  uint32_t *words;              /* of all levels: left, right, left, ... */
  uint32_t *census;             /* likewise, only for the selection */
  /* Of the searches from both views, the second one only for the check.  If
   * they are not concurrent, they share scratch memory. */
  float *inverse[2];
  float *field[2][3];
  float *other[2][3];
} PyramidPlan;

static size_t
level_size (const StereoPyramidLevel * level)
{
  return level->stride * (size_t) level->height;
}

static void
add_planes (const PyramidPlan * p, float **planes, StereoArena * arena)
{
  for (int i = 0; i < 3; i++) {
    if (i != 1 || p->constants.vertical)
      stereo_arena_add (arena, (void **) &planes[i],
          level_size (&p->level[0]), sizeof (float));
  }
}

/* Memory of the search from one view; shared: with that from the other one. */
static void
add_search (PyramidPlan * p, int view, bool shared, StereoArena * arena)
{
  add_planes (p, p->field[view], arena);
  if (shared)
    return;
  add_planes (p, p->other[view], arena);
  stereo_arena_add (arena, (void **) &p->inverse[view],
      level_size (&p->level[0]), sizeof (float));
}

static StereoStatus
pyramid_plan (const StereoSearch * search, const void *params,
    const void *stages, void *plan_memory, StereoArena * arena,
    StereoMessage * why)
{
  const StereoPyramidStages *s = stages;
  const StereoPyramidParams *own = params;
  PyramidPlan *p = plan_memory;
  size_t words = 0;

  memset (p, 0, sizeof (*p));
  stereo_pyramid_constants (search, params, &p->constants, p->level);
  for (int i = 0; i < p->constants.n_levels; i++)
    words += 2 * level_size (&p->level[i]);

  stereo_arena_add (arena, (void **) &p->words, words, sizeof (uint32_t));
  if (p->constants.selection_passes > 0)
    stereo_arena_add (arena, (void **) &p->census, words, sizeof (uint32_t));
  add_search (p, 0, false, arena);
  if (p->constants.check)
    add_search (p, 1, !s->concurrent, arena);
  if (own->fine_iterations > own->max_iterations)
    return stereo_fail (why, STEREO_OK, "fine-iterations = %u is above "
        "max-iterations = %u, which counts instead; set fine-iterations to at "
        "most max-iterations", own->fine_iterations, own->max_iterations);
  return STEREO_OK;
}

/* All iterations of a level, with separate stages. */
static StereoStatus
iterate_level (const StereoMatchFrame * frame, const StereoPyramidStages * s,
    const StereoPyramidArgs * level)
{
  StereoPyramidArgs a = *level, back = *level;
  int n = level->level->iterations;
  StereoStatus status;

  back.from = a.to;
  back.to = a.from;
  if ((status = s->prepare (&a))
      || (status = stereo_stage_end (frame->timestamps, "other")))
    return status;
  for (int m = 0; m < n; m++, a.first = false) {
    a.step = stereo_pyramid_step (m, n, a.k->max_step);
    if ((status = s->correlate (&a))
        || (status = stereo_stage_end (frame->timestamps, "correlation"))
        || (status = s->diffuse (&back))
        || (status = stereo_stage_end (frame->timestamps, "refinement")))
      return status;
  }
  return STEREO_OK;
}

/* The search from one view. */
typedef struct
{
  const StereoMatchFrame *frame;
  const StereoPyramidStages *s;
  StereoPyramidConstants k;
  StereoPyramidLevel level[STEREO_PYRAMID_MAX_LEVELS];
  float *inverse;
  StereoPyramidField field;     /* of level 0: the result */
  StereoPyramidField other;     /* scratch memory */
} Search;

static void
exchange_fields (Search * search)
{
  StereoPyramidField field = search->field;

  search->field = search->other;
  search->other = field;
}

/* All passes of the selection of a level. */
static StereoStatus
select_level (Search * search, const StereoPyramidLevel * level)
{
  StereoPyramidArgs a = {
    .queue = search->frame->queue, .k = &search->k, .level = level,
    .from = &search->other, .to = &search->field
  };
  StereoStatus status = STEREO_OK;

  for (int i = 0; i < a.k->selection_passes && status == STEREO_OK; i++) {
    exchange_fields (search);
    status = search->s->select (&a);
  }
  return status ? status : stereo_stage_end (search->frame->timestamps,
      "selection");
}

/* Computes the field of level 0 for the left view of the levels. */
static StereoStatus
run_search (void *data)
{
  Search *search = data;
  const StereoMatchFrame *frame = search->frame;
  const StereoPyramidStages *s = search->s;
  int last = search->k.n_levels - 1;
  StereoPyramidArgs a = {
    .queue = frame->queue, .k = &search->k, .level = &search->level[last],
    .inverse = search->inverse, .first = true, .to = &search->field
  };
  StereoStatus status = s->clear (&a);

  for (int i = last; i >= 0 && status == STEREO_OK; i--, a.first = false) {
    a.level = &search->level[i];
    if (i < last) {
      exchange_fields (search);
      a.source = &search->level[i + 1];
      a.from = &search->other;
      a.to = &search->field;
      if ((status = s->upsample (&a))
          || (status = stereo_stage_end (frame->timestamps, "rescale")))
        return status;
    }
    a.from = &search->field;
    a.to = &search->other;
    /* The fused stage has no per-stage timings. */
    if (s->iterate != NULL && frame->timestamps == NULL)
      status = s->iterate (&a);
    else
      status = iterate_level (frame, s, &a);
    if (status == STEREO_OK)
      status = select_level (search, a.level);
  }
  return status;
}

/* Words and census of all levels. */
static StereoStatus
build_pyramids (const StereoMatchFrame * frame, const StereoPyramidStages * s,
    const PyramidPlan * p, StereoPyramidLevel * level)
{
  StereoPyramidArgs a = {
    .queue = frame->queue, .k = &p->constants, .level = level,
    .left = &frame->left, .right = &frame->right
  };
  StereoStatus status;
  size_t at = 0;

  for (int i = 0; i < p->constants.n_levels; i++) {
    const size_t size = level_size (&p->level[i]);

    level[i] = p->level[i];
    level[i].left = p->words + at;
    level[i].right = p->words + at + size;
    if (p->census != NULL) {
      level[i].census[0] = p->census + at;
      level[i].census[1] = p->census + at + size;
    }
    at += 2 * size;
  }
  status = s->start (&a);
  for (int i = 1; i < p->constants.n_levels && status == STEREO_OK; i++) {
    a.source = &level[i - 1];
    a.level = &level[i];
    status = s->downsample (&a);
  }
  a.level = level;
  if (status == STEREO_OK && p->census != NULL)
    status = s->census (&a);
  return status ? status : stereo_stage_end (frame->timestamps, "pyramids");
}

static StereoPyramidField
make_field (float *const *planes)
{
  return (StereoPyramidField) {
    .dx = planes[0], .dy = planes[1], .confidence = planes[2]
  };
}

/* search[0] is that from the left view, and has its levels. */
static void
init_searches (const StereoMatchFrame * frame, const StereoPyramidStages * s,
    const PyramidPlan * p, Search search[2])
{
  for (int i = 0; i < 2; i++) {
    search[i].frame = frame;
    search[i].s = s;
    search[i].k = p->constants;
    search[i].inverse = p->inverse[i];
    search[i].field = make_field (p->field[i]);
    search[i].other = make_field (p->other[i]);
  }
  search[1].k.start = -search[0].k.start;
  for (int i = 0; i < p->constants.n_levels; i++) {
    const StereoPyramidLevel *level = &search[0].level[i];

    search[1].level[i] = *level;
    search[1].level[i].left = level->right;
    search[1].level[i].right = level->left;
    search[1].level[i].census[0] = level->census[1];
    search[1].level[i].census[1] = level->census[0];
  }
}

/* Runs the search from the left view, and that from the right view for the
 * check. */
static StereoStatus
search_views (const StereoMatchFrame * frame, const StereoPyramidStages * s,
    bool check, Search search[2])
{
  const StereoTask tasks[2] = {
    {run_search, &search[0]}, {run_search, &search[1]}
  };
  StereoStatus status;

  /* stages are timed one after the other */
  if (check && s->concurrent && frame->timestamps == NULL)
    return frame->queue->klass->submit_both (frame->queue, &tasks[0],
        &tasks[1]);
  status = run_search (&search[0]);
  if (status != STEREO_OK || !check)
    return status;
  if (!s->concurrent) {
    search[1].other = search[0].other;
    search[1].inverse = search[0].inverse;
  }
  return run_search (&search[1]);
}

/* Left-right consistency check of both fields. */
static StereoStatus
check_fields (const StereoMatchFrame * frame, const StereoPyramidStages * s,
    const Search search[2])
{
  StereoPyramidArgs a = {
    .queue = frame->queue, .k = &search[0].k, .level = search[0].level,
    .from = &search[1].field, .to = &search[0].field
  };
  StereoStatus status = s->check (&a);

  if (status == STEREO_OK && a.k->fill
      && frame->results[STEREO_RESULT_VERTICAL] != NULL)
    status = s->fill (&a);
  return status ? status : stereo_stage_end (frame->timestamps, "check");
}

static StereoStatus
pyramid_run (const StereoMatchFrame * frame, const void *stages)
{
  const StereoPyramidStages *s = stages;
  const PyramidPlan *p = frame->plan;
  const StereoPyramidConstants *k = &p->constants;
  Search search[2];
  StereoPyramidArgs a = {
    .queue = frame->queue, .k = k, .level = search[0].level,
    .from = &search[0].field, .back = &search[1].field,
    .winners = frame->winners, .results = frame->results
  };
  StereoStatus status = build_pyramids (frame, s, p, search[0].level);

  if (status != STEREO_OK)
    return status;
  init_searches (frame, s, p, search);
  if ((status = search_views (frame, s, k->check, search))
      || (status = k->check ? check_fields (frame, s, search) : STEREO_OK))
    return status;
  if (frame->winners != NULL && (status = s->winners (&a)))
    return status;
  if ((frame->winners == NULL
          || frame->results[STEREO_RESULT_VERTICAL] != NULL)
      && (status = s->finish (&a)))
    return status;
  return stereo_stage_end (frame->timestamps, "other");
}

/* If any step but the threshold is wanted, refinement works on codes with the
 * unit of subpixel.  Otherwise there are no codes, and finish() applies the
 * threshold to the method's own confidence. */
static void
pyramid_get_refine (const void *params, StereoRefineParams * refine)
{
  const StereoPyramidParams *own = params;

  memset (refine, 0, sizeof (*refine));
  refine->lr_max_diff = own->lr_max_diff;
  refine->speckle_size = own->speckle_size;
  refine->fill = own->fill;
  refine->refine = own->refine;
  refine->subpixel = stereo_refine_wanted (refine);
  if (refine->subpixel)
    refine->min_confidence = own->min_confidence;
}

const StereoAlgorithm stereo_pyramid_algorithm = {
  .name = "pyramid",
  .title = "Correlation over an image pyramid",
  .reference = "T. Xu, P. Cockshott, S. Oehler: Acceleration of "
      "stereo-matching on multi-core CPU and GPU, HPCC 2014",
  .uses_color = true,
  .subpixel = true,
  .results = 1u << STEREO_RESULT_VERTICAL | 1u << STEREO_RESULT_CONFIDENCE,
  .params = pyramid_specs,
  .params_size = sizeof (StereoPyramidParams),
  .plan_size = sizeof (PyramidPlan),
  .plan = pyramid_plan,
  .run = pyramid_run,
  .get_refine = pyramid_get_refine,
};
