/* gst-stereomatching: a matcher, which runs one algorithm on one device
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A matcher is an operation with two inputs, left and right, and an output for
 * each StereoResult.  Its run() is a chain: convert, census, the algorithm,
 * refinement or median, with the encoding, and the filter over time.
 *
 * That filter takes codes of a map.  An algorithm that refines has them; of one
 * that gives real numbers they are what GRAY16_LE would get, so that a frame
 * which nothing came before is the same with the filter as without.
 */

#include "core/image.h"
#include "core/runner.h"
#include "cost/census.h"
#include "image/colorimetry.h"
#include "image/convert.h"
#include "refine/median.h"
#include "refine/refine.h"
#include "refine/temporal.h"

#include <stdlib.h>
#include <string.h>

/* One view between the caller's image and the algorithm. */
typedef struct
{
  const StereoFormatInfo *info;
  StereoYuv yuv;
  bool convert;                 /* else plane 0 is the view */
  uint8_t *converted;           /* all planes, one after the other */
  size_t converted_stride;
} Side;

/* The state of the operation. */
typedef struct
{
  const StereoAlgorithm *algorithm;
  const StereoConvertStages *converting;
  const StereoMedianStages *medians;
  const StereoTemporalStages *filtering;
  const StereoCensusStages *census;     /* of an algorithm that refines, */
  const StereoRefineStages *refining;   /* like all that has to do with it */
  const void *stages;           /* the algorithm's */
  void *plan;                   /* the algorithm's */

  StereoMatcherConfig config;
  StereoSearch search;
  StereoCommonParams common;
  StereoRefineParams refine;
  Side sides[2];
  StereoMap map;
  StereoMap filtered;
  void *census_memory[2];
  StereoWinners winners;
  StereoRefinePlan refinement;
  StereoTemporalPlan temporal;  /* only if common.temporal is above 0 */
  int temporal_unit;
  uint16_t *codes;              /* on the device */
} Chain;

struct StereoMatcher
{
  StereoRunner *runner;
  Chain *chain;                 /* the runner's */
};

/* --------------------------------------------------------------------- plan */

static void
make_codes (StereoFormat output, const StereoCommonParams * p, uint16_t * codes)
{
  unsigned highest = output == STEREO_FORMAT_GRAY8 ? 255 : 65535;
  unsigned span = p->num_disparities - 1;

  for (unsigned i = 0; i <= span; i++) {
    unsigned code;

    if (output == STEREO_FORMAT_GRAY8)
      code = span > 0 ? (2 * 255 * i + span) / (2 * span) : 0;
    else
      code = i * p->disparity_scale;
    if (code == p->invalid_value)
      code = code < highest ? code + 1 : code - 1;
    codes[i] = (uint16_t) code;
  }
}

/* own: the algorithm's parameters. */
static void
make_search (Chain * m, const void *own, unsigned n_threads)
{
  const StereoMatcherConfig *g = &m->config;
  const StereoAlgorithm *algorithm = m->algorithm;
  StereoSearch *p = &m->search;
  bool color = algorithm->uses_color && (algorithm->wants_color == NULL
      || algorithm->wants_color (own, &m->refine))
      && stereo_format_is_color (stereo_format_info (g->left))
      && stereo_format_is_color (stereo_format_info (g->right));

  p->width = g->width;
  p->height = g->height;
  p->channels = color ? 3 : 1;
  p->num_disparities = (int) m->common.num_disparities;
  p->min_disparity = m->common.min_disparity;
  p->n_threads = n_threads;

  /* |d| <= width - 1 leaves at least one column in both views. */
  p->first_index = 1 - g->width - p->min_disparity;
  if (p->first_index < 0)
    p->first_index = 0;
  p->end_index = g->width - p->min_disparity;
  if (p->end_index > p->num_disparities)
    p->end_index = p->num_disparities;
  if (p->end_index < p->first_index)
    p->end_index = p->first_index;

  p->winners = m->algorithm->refines;
  p->right_winners = p->winners && m->refine.lr_max_diff >= 0;
  p->fill = p->winners && m->refine.fill;
  p->cost = p->winners ? (StereoCost) m->refine.cost : STEREO_COST_LUMA;
  p->unit = p->winners
      ? stereo_refine_unit (&m->refine, p->num_disparities) : 1;
}

static void
plan_side (Chain * m, int index, size_t alignment, StereoArena * arena)
{
  const StereoMatcherConfig *g = &m->config;
  int channels = m->search.channels;
  Side *side = &m->sides[index];

  side->info = stereo_format_info (index == 0 ? g->left : g->right);
  if (stereo_format_is_yuv (side->info))
    side->yuv = *stereo_colorimetry_yuv (index == 0 ? g->left_colorimetry
        : g->right_colorimetry);
  side->convert = channels == 3 || !stereo_format_is_luma (side->info);
  side->converted_stride = stereo_round_up (m->converting->view_row_bytes (
          g->width, channels), alignment);
  side->converted = NULL;
  if (side->convert)
    stereo_arena_add (arena, (void **) &side->converted,
        side->converted_stride * (size_t) g->height,
        (size_t) m->converting->view_planes (channels));
}

static void
plan_maps (Chain * m, size_t alignment, StereoArena * arena)
{
  size_t height = (size_t) m->config.height;
  bool subpixel = m->algorithm->subpixel;

  m->map.stride = m->filtered.stride =
      stereo_round_up ((size_t) m->config.width, alignment / 2);
  m->map.data = m->filtered.data = NULL;
  m->codes = NULL;
  if (!subpixel || m->common.median)
    stereo_arena_add (arena, (void **) &m->map.data, m->map.stride * height,
        sizeof (uint16_t));
  if (!subpixel && m->common.median && m->medians->median_encode == NULL)
    stereo_arena_add (arena, (void **) &m->filtered.data,
        m->filtered.stride * height, sizeof (uint16_t));
  if (!subpixel)
    stereo_arena_add (arena, (void **) &m->codes, STEREO_MAX_DISPARITIES,
        sizeof (uint16_t));
}

/* Declares what is there from matching to refinement. */
static void
plan_winners (Chain * m, size_t alignment, StereoArena * arena)
{
  const StereoSearch *p = &m->search;
  size_t height = (size_t) p->height;
  size_t stride = stereo_round_up ((size_t) p->width, alignment
      / sizeof (uint32_t));

  m->winners.left_stride = m->winners.right_stride = stride;
  m->winners.unit = p->unit;
  m->winners.first_index = p->first_index;
  m->winners.last_index = p->end_index - 1;
  stereo_arena_add (arena, (void **) &m->winners.left, stride * height,
      sizeof (uint32_t));
  if (p->right_winners)
    stereo_arena_add (arena, (void **) &m->winners.right, stride * height,
        sizeof (uint32_t));
}

/* Declares the buffers of an algorithm that refines.  Its own ones come next.
 * Matching is over when refinement begins, so all of it lies in the same place;
 * but a vote comes between the steps of refinement, and leaves it the words of
 * the census only. */
static void
plan_refinement (Chain * m, size_t alignment, StereoArena * arena)
{
  const StereoSearch *p = &m->search;
  size_t begin, end;

  memset (&m->winners, 0, sizeof (m->winners));
  m->census_memory[0] = m->census_memory[1] = NULL;
  if (!p->winners)
    return;
  plan_winners (m, alignment, arena);
  begin = arena->next;
  stereo_refine_plan (p, &m->refine, m->common.median, m->refining,
      &m->refinement, arena);
  end = arena->next;
  stereo_arena_go_to (arena, begin);
  for (int i = 0; i < 2 && p->cost == STEREO_COST_CENSUS; i++)
    stereo_arena_add (arena, &m->census_memory[i],
        m->census->bytes (p->width, p->height), 1);
  if (m->algorithm->vote != NULL && arena->next < end)
    stereo_arena_go_to (arena, end);
}

/* The unit of the map that is filtered over time. */
static int
unit_over_time (const Chain * m)
{
  StereoRefineParams fine = {.subpixel = true };

  if (!m->algorithm->subpixel)
    return m->search.unit;
  return m->config.output == STEREO_FORMAT_GRAY16_LE
      ? (int) m->common.disparity_scale
      : stereo_refine_unit (&fine, m->search.num_disparities);
}

static StereoStatus
plan (void *state, const StereoOpSetup * setup, StereoArena * arena,
    StereoMessage * why)
{
  Chain *m = state;
  const StereoParams *params = setup->params;
  size_t alignment = setup->device->klass->row_alignment;

  plan_side (m, 0, alignment, arena);
  plan_side (m, 1, alignment, arena);
  plan_maps (m, alignment, arena);
  m->temporal_unit = unit_over_time (m);
  if (m->common.temporal > 0)
    stereo_temporal_plan (&m->search, m->temporal_unit, m->common.temporal,
        &m->temporal, arena);
  plan_refinement (m, alignment, arena);
  return m->algorithm->plan (&m->search, params->own, m->stages, m->plan,
      arena, why);
}

static StereoStatus
load (void *state, StereoDevice * device, StereoMessage * why)
{
  const Chain *m = state;
  uint16_t codes[STEREO_MAX_DISPARITIES];

  if (m->codes == NULL)
    return STEREO_OK;
  make_codes (m->config.output, &m->common, codes);
  return device->klass->copy (device, m->codes, codes,
      m->common.num_disparities * sizeof (uint16_t), why);
}

/* ---------------------------------------------------------------------- run */

/* Makes a view of an image. */
static StereoStatus
convert_view (const Chain * m, StereoQueue * queue, int index,
    const StereoOpImage * raw, StereoView * view)
{
  const Side *side = &m->sides[index];
  const StereoFormatInfo *info = side->info;
  StereoConversion c = { 0 };

  if (!side->convert) {
    view->plane[0] = raw->plane[0];
    view->plane[1] = view->plane[2] = NULL;
    view->stride = raw->stride[0];
    return STEREO_OK;
  }

  c.width = m->search.width;
  c.height = m->search.height;
  stereo_conversion_read (&c, info, raw->plane, raw->stride,
      stereo_format_is_yuv (info) && m->search.channels == 3 ? &side->yuv
      : NULL);
  c.channels = m->search.channels;
  c.target_stride = side->converted_stride;
  for (int i = 0; i < 3; i++) {
    c.target[i] = i < m->converting->view_planes (c.channels)
        ? side->converted + (size_t) i * c.target_stride * (size_t) c.height
        : NULL;
    view->plane[i] = c.target[i];
  }
  view->stride = c.target_stride;
  return m->converting->convert (queue, &c);
}

static StereoStatus
convert (const Chain * m, const StereoOpFrame * frame, StereoMatchFrame * work)
{
  StereoStatus status = convert_view (m, frame->queue, 0, &frame->inputs[0],
      &work->left);

  if (status == STEREO_OK)
    status = convert_view (m, frame->queue, 1, &frame->inputs[1],
        &work->right);
  if (status == STEREO_OK && (m->sides[0].convert || m->sides[1].convert))
    status = stereo_stage_end (frame->timestamps, "convert");
  return status;
}

/* How the values of a result become codes in an image of this format. */
static void
make_encoding (const Chain * m, StereoResult result, StereoFormat format,
    StereoOutput * output)
{
  const StereoCommonParams *p = &m->common;
  unsigned span = p->num_disparities - 1;

  output->code = NULL;
  output->gain = output->divisor = 1;
  output->bytes = stereo_format_info (format)->pixel_bytes;
  output->invalid = p->invalid_value;
  output->offset = 0;
  output->lowest = 0;
  output->highest = output->bytes == 1 ? 255 : 65535;
  switch (result) {
    case STEREO_RESULT_VERTICAL:
      output->scale = (float) p->disparity_scale;
      output->offset = STEREO_VERTICAL_OFFSET;
      break;
    case STEREO_RESULT_CONFIDENCE:
      output->scale = output->highest;
      output->invalid = STEREO_NO_INVALID;
      break;
    case STEREO_RESULT_DISPARITY:
    default:
      output->code = m->codes;
      output->gain = output->bytes == 2 ? p->disparity_scale : 2 * 255;
      output->divisor = (output->bytes == 2 ? 1 : span > 0 ? 2 * span : 1)
          * (unsigned) m->temporal_unit;
      if (output->bytes == 2)
        output->highest = (uint16_t) (span * p->disparity_scale);
      else if (span == 0)
        output->highest = 0;
      output->scale = span > 0 ? (float) output->highest / (float) span : 0;
      output->offset = -(float) p->min_disparity * output->scale;
      break;
  }
}

/* The codes that the filter over time takes, as if they were a result. */
static StereoOutput
codes_over_time (const Chain * m)
{
  const StereoMap *map = &m->temporal.frame.map;
  const unsigned span = m->common.num_disparities - 1;
  const float scale = (float) m->temporal_unit;

  return (StereoOutput) {
    .data = map->data,
    .stride = map->stride * sizeof (uint16_t),
    .bytes = sizeof (uint16_t),
    .invalid = STEREO_INVALID,
    .scale = scale,
    .offset = -(float) m->common.min_disparity * scale,
    .highest = (uint16_t) (span * (unsigned) m->temporal_unit),
    .gain = 1,
    .divisor = 1,
  };
}

/* The words of both views, if the cost compares them. */
static StereoStatus
make_census (const Chain * m, StereoMatchFrame * frame)
{
  const StereoSearch *p = &m->search;
  StereoView views[2] = { frame->left, frame->right };
  StereoStatus status;

  if (!p->winners || p->cost != STEREO_COST_CENSUS)
    return STEREO_OK;
  frame->left_census = m->census->layout (p->width, p->height,
      m->census_memory[0]);
  frame->right_census = m->census->layout (p->width, p->height,
      m->census_memory[1]);
  status = m->census->make (frame->queue, p->width, p->height, p->channels,
      views, m->census_memory);
  return status != STEREO_OK ? status
      : stereo_stage_end (frame->timestamps, "census");
}

/* The algorithm and the refinement of its winners. */
static StereoStatus
match_refined (const Chain * m, const StereoMatchFrame * frame,
    const StereoOutput * output, const StereoOutput * confidence)
{
  StereoStatus status = m->algorithm->run (frame, m->stages);

  if (status == STEREO_OK)
    status = stereo_stage_end (frame->timestamps, "match");
  if (status == STEREO_OK)
    status = stereo_refine_run (m->algorithm, frame, m->stages, m->refining,
        &m->refinement, output, confidence);
  if (status == STEREO_OK)
    status = stereo_stage_end (frame->timestamps, "refine");
  return status;
}

/* The algorithm, the median and the encoding.  output is the disparity's. */
static StereoStatus
match (const Chain * m, const StereoMatchFrame * frame,
    const StereoOutput * output)
{
  int width = m->search.width, height = m->search.height;
  const StereoMedianStages *f = m->medians;
  StereoStatus status = m->algorithm->run (frame, m->stages);

  if (status == STEREO_OK)
    status = stereo_stage_end (frame->timestamps, "match");
  if (status != STEREO_OK || !m->common.median)
    return status;
  if (m->algorithm->subpixel) {
    status = f->median_codes (frame->queue, width, height, &m->map, output);
  } else if (f->median_encode != NULL) {
    status = f->median_encode (frame->queue, width, height, &m->map, output);
  } else {
    status = f->median (frame->queue, width, height, &m->map, &m->filtered);
    if (status == STEREO_OK)
      status = f->encode (frame->queue, width, height, &m->filtered, output);
  }
  if (status == STEREO_OK)
    status = stereo_stage_end (frame->timestamps, "median");
  return status;
}

/* Where run() leaves each result. */
static void
make_outputs (const Chain * m, const StereoOpFrame * frame,
    StereoOutput encoded[STEREO_N_RESULTS], StereoMatchFrame * work)
{
  for (int r = 0; r < STEREO_N_RESULTS; r++) {
    const StereoOpImage *image = &frame->outputs[r];

    work->results[r] = NULL;
    if (image->plane[0] == NULL)
      continue;
    make_encoding (m, (StereoResult) r, image->format, &encoded[r]);
    encoded[r].data = image->plane[0];
    encoded[r].stride = image->stride[0];
    work->results[r] = &encoded[r];
  }
}

/* All but the filter over time.  The disparity goes to output. */
static StereoStatus
match_views (const Chain * m, StereoMatchFrame * work,
    const StereoOutput * output)
{
  const StereoOutput *confidence = work->results[STEREO_RESULT_CONFIDENCE];
  StereoOutput unfiltered;
  StereoStatus status;

  work->results[STEREO_RESULT_DISPARITY] = output;
  if (m->search.winners && (confidence != NULL || m->common.temporal > 0
          || m->algorithm->vote != NULL || stereo_refine_wanted (&m->refine))) {
    work->winners = &m->winners;
    work->results[STEREO_RESULT_DISPARITY] = NULL;
    work->results[STEREO_RESULT_CONFIDENCE] = NULL;
  } else if (m->common.median && m->algorithm->subpixel) {
    /* the codes that they are going to be, for the median to choose from */
    unfiltered = *output;
    unfiltered.data = m->map.data;
    unfiltered.stride = m->map.stride * sizeof (uint16_t);
    unfiltered.bytes = sizeof (uint16_t);
    work->results[STEREO_RESULT_DISPARITY] = &unfiltered;
  } else if (m->common.median) {
    work->results[STEREO_RESULT_DISPARITY] = NULL;
  }
  work->output = work->results[STEREO_RESULT_DISPARITY];

  if ((status = make_census (m, work)))
    return status;
  return work->winners != NULL
      ? match_refined (m, work, output, confidence) : match (m, work, output);
}

static StereoStatus
run (void *state, const StereoOpFrame * frame)
{
  Chain *m = state;
  StereoOutput encoded[STEREO_N_RESULTS], before;
  const StereoOutput *disparity = &encoded[STEREO_RESULT_DISPARITY];
  StereoMatchFrame work = {.search = &m->search,.plan = m->plan,
    .queue = frame->queue,.map = m->map,.timestamps = frame->timestamps
  };
  StereoStatus status;

  make_outputs (m, frame, encoded, &work);
  if ((status = convert (m, frame, &work)))
    return status;
  if (m->common.temporal == 0)
    return match_views (m, &work, disparity);

  before = codes_over_time (m);
  if ((status = match_views (m, &work, &before))
      || (status = stereo_temporal_run (frame->queue, m->filtering,
              &m->temporal, m->search.channels, &work.left, &work.right,
              disparity)))
    return status;
  return stereo_stage_end (frame->timestamps, "temporal");
}

static void
clear (void *state)
{
  free (((Chain *) state)->plan);
}

#define ANY_FORMAT ((UINT32_C (1) << STEREO_N_FORMATS) - 1)
#define GRAY16 STEREO_FORMAT_BIT (STEREO_FORMAT_GRAY16_LE)
#define GRAY8 STEREO_FORMAT_BIT (STEREO_FORMAT_GRAY8)

static const StereoOp op = {
  .name = "the matcher",
  .inputs = (const StereoPort[]) {
        {.name = "left",.formats = ANY_FORMAT},
        {.name = "right",.formats = ANY_FORMAT},
        {.name = NULL}
      },
  .outputs = (const StereoPort[]) {
        [STEREO_RESULT_DISPARITY] = {.name = "output",
            .formats = GRAY16 | GRAY8},
        [STEREO_RESULT_VERTICAL] = {.name = "vertical",.formats = GRAY16,
            .optional = true,.any_format = true},
        [STEREO_RESULT_CONFIDENCE] = {.name = "confidence",
            .formats = GRAY16 | GRAY8,.optional = true,.any_format = true},
        [STEREO_N_RESULTS] = {.name = NULL}
      },
  .state_size = sizeof (Chain),
  .plan = plan,
  .load = load,
  .run = run,
  .clear = clear,
};

/* ------------------------------------------------------------------ matcher */

/* Finds all stage tables. */
static bool
find_stages (const StereoDevice * device, Chain * chain)
{
  const StereoDeviceClass *klass = device->klass;
  const StereoAlgorithm *algorithm = chain->algorithm;

  chain->converting = klass->stages (device, "convert");
  chain->medians = klass->stages (device, "median");
  chain->filtering = klass->stages (device, "temporal");
  chain->census = klass->stages (device, "census");
  chain->refining = klass->stages (device, "refine");
  chain->stages = klass->stages (device, algorithm->name);
  return chain->converting != NULL && chain->medians != NULL
      && chain->filtering != NULL && chain->stages != NULL
      && (!algorithm->refines
      || (chain->census != NULL && chain->refining != NULL));
}

StereoStatus
stereo_matcher_new (const StereoAlgorithm * algorithm, StereoDevice * device,
    StereoMatcher ** matcher)
{
  StereoMatcher *m;
  StereoStatus status;

  if (algorithm == NULL || device == NULL || matcher == NULL)
    return STEREO_ERROR_ARGUMENT;
  m = calloc (1, sizeof (*m));
  if (m == NULL)
    return STEREO_ERROR_MEMORY;
  status = stereo_runner_new (&op, device, &m->runner, NULL);
  if (status != STEREO_OK) {
    free (m);
    return status;
  }

  m->chain = stereo_runner_state (m->runner);
  m->chain->algorithm = algorithm;
  m->chain->plan = calloc (1, algorithm->plan_size);
  if (!find_stages (device, m->chain))
    status = STEREO_ERROR_UNSUPPORTED;
  else if (m->chain->plan == NULL)
    status = STEREO_ERROR_MEMORY;
  if (status != STEREO_OK)
    stereo_matcher_free (&m);
  else
    *matcher = m;
  return status;
}

void
stereo_matcher_free (StereoMatcher ** matcher)
{
  if (matcher == NULL || *matcher == NULL)
    return;
  stereo_runner_free (&(*matcher)->runner);
  free (*matcher);
  *matcher = NULL;
}

StereoRunner *
stereo_matcher_get_runner (StereoMatcher * matcher)
{
  return matcher->runner;
}

void
stereo_matcher_set_frames (StereoMatcher * matcher, unsigned n_frames)
{
  if (matcher != NULL)
    stereo_runner_set_frames (matcher->runner, n_frames);
}

void
stereo_matcher_reset (StereoMatcher * matcher)
{
  if (matcher != NULL)
    stereo_temporal_reset (&matcher->chain->temporal);
}

const char *
stereo_matcher_error (const StereoMatcher * matcher)
{
  return matcher ? stereo_runner_message (matcher->runner)->text
      : "there is no matcher";
}

void
stereo_matcher_get_stats (StereoMatcher * matcher, StereoMatcherStats * stats)
{
  stereo_runner_get_stats (matcher->runner, stats);
}

void
stereo_matcher_set_profiling (StereoMatcher * matcher, bool profiling)
{
  stereo_runner_set_profiling (matcher->runner, profiling);
}

bool
stereo_matcher_get_stage (StereoMatcher * matcher, size_t index,
    const char **name, uint64_t * ns)
{
  return stereo_runner_get_stage (matcher->runner, index, name, ns);
}

/* ---------------------------------------------------------------- configure */

static StereoStatus
check_config (const StereoMatcherConfig * g, StereoMessage * why)
{
  if (g->width < 1 || g->height < 1 || g->width > STEREO_MAX_SIZE
      || g->height > STEREO_MAX_SIZE)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "images of %dx%d: width and height go from 1 to %d", g->width,
        g->height, STEREO_MAX_SIZE);
  if (stereo_format_info (g->left) == NULL
      || stereo_format_info (g->right) == NULL) {
    bool left = stereo_format_info (g->left) == NULL;

    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "the format of the %s view, %d, is no StereoFormat",
        left ? "left" : "right", (int) (left ? g->left : g->right));
  }
  for (int i = 0; i < 2; i++) {
    StereoColorimetry colorimetry = i == 0 ? g->left_colorimetry
        : g->right_colorimetry;

    if (stereo_format_is_yuv (stereo_format_info (i == 0 ? g->left
                : g->right)) && stereo_colorimetry_yuv (colorimetry) == NULL)
      return stereo_fail (why, STEREO_ERROR_ARGUMENT,
          "the colorimetry of the %s view, %d, is no StereoColorimetry",
          i == 0 ? "left" : "right", (int) colorimetry);
  }
  if (g->output != STEREO_FORMAT_GRAY16_LE
      && g->output != STEREO_FORMAT_GRAY8) {
    const char *name = stereo_format_name (g->output);

    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "the output can't be %s: it is GRAY16_LE or GRAY8",
        name ? name : "of an unknown format");
  }
  return STEREO_OK;
}

/* Whether all codes fit the output format. */
static StereoStatus
check_codes (const StereoMatcherConfig * g, const StereoCommonParams * p,
    StereoMessage * why)
{
  if (g->output == STEREO_FORMAT_GRAY8) {
    if (p->invalid_value > 255)
      return stereo_fail (why, STEREO_ERROR_ARGUMENT,
          "invalid-value %u does not fit GRAY8 output: at most 255",
          p->invalid_value);
  } else if ((uint64_t) (p->num_disparities - 1) * p->disparity_scale > 65535) {
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "num-disparities %u times disparity-scale %u does not fit GRAY16_LE "
        "output: with so many disparities the scale can be at most %u",
        p->num_disparities, p->disparity_scale,
        65535 / (p->num_disparities - 1));
  }
  return STEREO_OK;
}

static StereoStatus
check_setup (const StereoMatcher * m, const StereoMatcherConfig * config,
    const StereoParams * params, StereoMessage * why)
{
  StereoStatus status;

  if (config == NULL || params == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "its configuration or parameters are missing");
  if (params->algorithm != m->chain->algorithm)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "the parameters are those of %s, not of %s", params->algorithm->name,
        m->chain->algorithm->name);
  status = check_config (config, why);
  return status == STEREO_OK ? check_codes (config, &params->common, why)
      : status;
}

/* Whether every pixel is going to have a disparity. */
static bool
is_filled (const StereoParams * params)
{
  double fill;

  return !stereo_params_get (params, "fill", &fill) || fill != 0;
}

StereoStatus
stereo_matcher_configure (StereoMatcher * m, const StereoMatcherConfig * config,
    const StereoParams * params)
{
  StereoPortSetup inputs[2], outputs[STEREO_N_RESULTS];
  StereoMessage *why;
  StereoStatus status;
  Chain *chain;

  if (m == NULL)
    return STEREO_ERROR_ARGUMENT;
  chain = m->chain;
  why = stereo_runner_message (m->runner);
  why->text[0] = '\0';
  status = check_setup (m, config, params, why);
  if (status == STEREO_OK)
    status = stereo_runner_sync (m->runner);
  if (status != STEREO_OK) {
    stereo_runner_unconfigure (m->runner);
    return status;
  }

  chain->config = *config;
  chain->common = params->common;
  chain->refine = params->refine;
  if (chain->algorithm->limit_refine != NULL)
    chain->algorithm->limit_refine (params->own, &chain->refine);
  if (chain->algorithm->subpixel && !is_filled (params))
    chain->common.median = false;
  make_search (chain, params->own,
      stereo_runner_device (m->runner)->n_threads);
  for (int i = 0; i < 2; i++) {
    StereoFormat format = i == 0 ? config->left : config->right;

    inputs[i] = (StereoPortSetup) { format, config->width, config->height,
          stereo_format_planes (stereo_format_info (format),
              chain->search.channels == 3) };
  }
  for (int r = 0; r < STEREO_N_RESULTS; r++) {
    bool has = stereo_algorithm_has_result (chain->algorithm,
        (StereoResult) r);

    outputs[r] = (StereoPortSetup) { r == STEREO_RESULT_DISPARITY
          ? config->output : STEREO_FORMAT_GRAY16_LE, config->width,
          config->height, has ? 1 : 0 };
  }
  return stereo_runner_configure (m->runner, inputs, outputs, params);
}

/* ------------------------------------------------------------------- frames */

StereoStatus
stereo_matcher_process_results (StereoMatcher * m, const StereoImage * left,
    const StereoImage * right,
    const StereoImage * const results[STEREO_N_RESULTS], uint64_t * frame)
{
  const StereoImage *inputs[2] = { left, right };
  StereoMessage *why;

  if (m == NULL)
    return STEREO_ERROR_ARGUMENT;
  why = stereo_runner_message (m->runner);
  why->text[0] = '\0';
  if (results == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "the list of results is missing");
  for (int r = 0; r < STEREO_N_RESULTS; r++) {
    if (results[r] != NULL && !stereo_algorithm_has_result
        (m->chain->algorithm, (StereoResult) r))
      return stereo_fail (why, STEREO_ERROR_ARGUMENT,
          "%s has no result called %s", m->chain->algorithm->name,
          stereo_result_name ((StereoResult) r));
  }
  return stereo_runner_process (m->runner, inputs, results, frame);
}

StereoStatus
stereo_matcher_process (StereoMatcher * m, const StereoImage * left,
    const StereoImage * right, const StereoImage * output, uint64_t * frame)
{
  const StereoImage *results[STEREO_N_RESULTS] = { NULL };

  results[STEREO_RESULT_DISPARITY] = output;
  return stereo_matcher_process_results (m, left, right, results, frame);
}

StereoStatus
stereo_matcher_wait (StereoMatcher * m, uint64_t frame)
{
  return m == NULL ? STEREO_ERROR_ARGUMENT : stereo_runner_wait (m->runner,
      frame);
}

StereoStatus
stereo_matcher_sync (StereoMatcher * m)
{
  return m == NULL ? STEREO_ERROR_ARGUMENT : stereo_runner_sync (m->runner);
}
