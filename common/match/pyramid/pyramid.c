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
  float *inverse;
  uint32_t *census[2];          /* only for the selection */
  float *planes[3][3];          /* the last field only for the check */
} PyramidPlan;

static size_t
level_size (const StereoPyramidLevel * level)
{
  return level->stride * (size_t) level->height;
}

static StereoStatus
pyramid_plan (const StereoSearch * search, const void *params,
    const void *stages, void *plan_memory, StereoArena * arena,
    StereoMessage * why)
{
  const StereoPyramidParams *own = params;
  PyramidPlan *p = plan_memory;
  size_t words = 0, pixels;

  (void) stages;
  stereo_pyramid_constants (search, params, &p->constants, p->level);
  for (int i = 0; i < p->constants.n_levels; i++)
    words += 2 * level_size (&p->level[i]);
  pixels = level_size (&p->level[0]);

  stereo_arena_add (arena, (void **) &p->words, words, sizeof (uint32_t));
  stereo_arena_add (arena, (void **) &p->inverse, pixels, sizeof (float));
  for (int i = 0; i < 2; i++) {
    p->census[i] = NULL;
    if (p->constants.selection_passes > 0)
      stereo_arena_add (arena, (void **) &p->census[i], pixels,
          sizeof (uint32_t));
  }
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      p->planes[i][j] = NULL;
      if ((j != 1 || p->constants.vertical) && (i < 2 || p->constants.check))
        stereo_arena_add (arena, (void **) &p->planes[i][j], pixels,
            sizeof (float));
    }
  }
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

static void
exchange_fields (StereoPyramidField * a, StereoPyramidField * b)
{
  StereoPyramidField field = *a;

  *a = *b;
  *b = field;
}

/* All passes of the selection of a level.  The fields may exchange their
 * planes. */
static StereoStatus
select_level (const StereoMatchFrame * frame, const StereoPyramidStages * s,
    const StereoPyramidArgs * level, StereoPyramidField * field,
    StereoPyramidField * other)
{
  StereoPyramidArgs a = *level;
  StereoStatus status;

  if (a.k->selection_passes == 0)
    return STEREO_OK;
  a.from = other;
  a.to = field;
  status = s->census (&a);
  for (int i = 0; i < a.k->selection_passes && status == STEREO_OK; i++) {
    exchange_fields (field, other);
    status = s->select (&a);
  }
  return status ? status : stereo_stage_end (frame->timestamps, "selection");
}

/* Computes the field of level 0 for the left view of level.  other is scratch
 * memory; the two may exchange their planes. */
static StereoStatus
search_view (const StereoMatchFrame * frame, const StereoPyramidStages * s,
    const PyramidPlan * p, const StereoPyramidConstants * k,
    const StereoPyramidLevel * level, StereoPyramidField * field,
    StereoPyramidField * other)
{
  int last = k->n_levels - 1;
  StereoPyramidArgs a = {
    .queue = frame->queue, .k = k, .level = &level[last],
    .inverse = p->inverse, .census = {p->census[0], p->census[1]},
    .first = true, .from = other, .to = field
  };
  StereoStatus status = s->clear (&a);

  for (int i = last; i >= 0 && status == STEREO_OK; i--, a.first = false) {
    a.level = &level[i];
    if (i < last) {
      exchange_fields (field, other);
      a.source = &level[i + 1];
      a.from = other;
      a.to = field;
      if ((status = s->upsample (&a))
          || (status = stereo_stage_end (frame->timestamps, "rescale")))
        return status;
    }
    a.from = field;
    a.to = other;
    /* The fused stage has no per-stage timings. */
    if (s->iterate != NULL && frame->timestamps == NULL)
      status = s->iterate (&a);
    else
      status = iterate_level (frame, s, &a);
    if (status == STEREO_OK)
      status = select_level (frame, s, &a, field, other);
  }
  return status;
}

/* Left-right consistency check against the search from the right view: the
 * field back. */
static StereoStatus
check_views (const StereoMatchFrame * frame, const StereoPyramidStages * s,
    const PyramidPlan * p, const StereoPyramidLevel * level,
    const StereoPyramidField * field, StereoPyramidField * back,
    StereoPyramidField * other)
{
  StereoPyramidConstants k = p->constants;
  StereoPyramidLevel exchanged[STEREO_PYRAMID_MAX_LEVELS];
  StereoPyramidArgs a = {
    .queue = frame->queue, .k = &k, .level = level, .from = back, .to = field
  };
  StereoStatus status;

  k.start = -k.start;
  for (int i = 0; i < k.n_levels; i++) {
    exchanged[i] = level[i];
    exchanged[i].left = level[i].right;
    exchanged[i].right = level[i].left;
  }
  if ((status = search_view (frame, s, p, &k, exchanged, back, other))
      || (status = s->check (&a)))
    return status;
  if (k.fill && frame->results[STEREO_RESULT_VERTICAL] != NULL
      && (status = s->fill (&a)))
    return status;
  return stereo_stage_end (frame->timestamps, "check");
}

/* Words of all levels. */
static StereoStatus
build_pyramids (const StereoMatchFrame * frame, const StereoPyramidStages * s,
    const PyramidPlan * p, StereoPyramidLevel * level)
{
  StereoPyramidArgs a = {
    .queue = frame->queue, .k = &p->constants, .level = level,
    .left = &frame->left, .right = &frame->right
  };
  uint32_t *words = p->words;
  StereoStatus status;

  for (int i = 0; i < p->constants.n_levels; i++) {
    level[i] = p->level[i];
    level[i].left = words;
    level[i].right = words + level_size (&level[i]);
    words += 2 * level_size (&level[i]);
  }
  status = s->start (&a);
  for (int i = 1; i < p->constants.n_levels && status == STEREO_OK; i++) {
    a.source = &level[i - 1];
    a.level = &level[i];
    status = s->downsample (&a);
  }
  return status ? status : stereo_stage_end (frame->timestamps, "pyramids");
}

static StereoStatus
pyramid_run (const StereoMatchFrame * frame, const void *stages)
{
  const StereoPyramidStages *s = stages;
  const PyramidPlan *p = frame->plan;
  const StereoPyramidConstants *k = &p->constants;
  StereoPyramidLevel level[STEREO_PYRAMID_MAX_LEVELS];
  StereoPyramidField field[3];
  StereoPyramidArgs a = {
    .queue = frame->queue, .k = k, .level = level, .from = &field[0],
    .back = &field[2], .winners = frame->winners, .results = frame->results
  };
  StereoStatus status;

  for (int i = 0; i < 3; i++) {
    field[i].dx = p->planes[i][0];
    field[i].dy = p->planes[i][1];
    field[i].confidence = p->planes[i][2];
  }
  if ((status = build_pyramids (frame, s, p, level))
      || (status = search_view (frame, s, p, k, level, &field[0], &field[1])))
    return status;
  if (k->check && (status = check_views (frame, s, p, level, &field[0],
              &field[2], &field[1])))
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
