/* gst-stereomatching: processing chain of a matcher
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/chain.h"

#include "image/colorimetry.h"
#include "match/half.h"

#include <stdlib.h>
#include <string.h>

bool
stereo_chain_find_stages (StereoChain * chain, const StereoDevice * device)
{
  const StereoDeviceClass *klass = device->klass;
  const StereoAlgorithm *algorithm = chain->algorithm;
  const bool has_winners = algorithm->refines || algorithm->get_refine != NULL;
  bool complete = true;

  chain->converting = klass->stages (device, "convert");
  chain->medians = klass->stages (device, "median");
  chain->filtering = klass->stages (device, "temporal");
  for (int i = 0; i < STEREO_N_COSTS; i++) {
    const char *name = stereo_costs[i].stages;

    chain->words[i] = name != NULL ? klass->stages (device, name) : NULL;
    complete = complete && (name == NULL || chain->words[i] != NULL);
  }
  chain->refining = klass->stages (device, "refine");
  chain->ranging = klass->stages (device, "range");
  chain->stages = klass->stages (device, algorithm->name);
  return chain->converting != NULL && chain->medians != NULL
      && chain->filtering != NULL && chain->stages != NULL
      && (!algorithm->refines || complete)
      && (!has_winners || chain->refining != NULL)
      && (algorithm->wants_ranges == NULL || chain->ranging != NULL);
}

void
stereo_chain_make_search (StereoChain * m, const void *own,
    unsigned n_threads)
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

  /* |d| <= width - 1, so that at least one column has a partner. */
  p->first_index = 1 - g->width - p->min_disparity;
  if (p->first_index < 0)
    p->first_index = 0;
  p->end_index = g->width - p->min_disparity;
  if (p->end_index > p->num_disparities)
    p->end_index = p->num_disparities;
  if (p->end_index < p->first_index)
    p->end_index = p->first_index;

  p->winners = algorithm->refines || (algorithm->get_refine != NULL
      && stereo_refine_wanted (&m->refine));
  p->right_winners = p->winners && m->refine.lr_max_diff >= 0;
  p->fill = p->winners && m->refine.fill;
  p->ranges = m->half != NULL && algorithm->wants_ranges (p, own)
      && p->end_index - p->first_index >= STEREO_RANGE_LEAST;
  p->cost = algorithm->refines ? stereo_cost_of_views (
      stereo_costs[m->refine.cost].kind, p->channels) : STEREO_COST_LUMA;
  p->unit = p->winners
      ? stereo_refine_unit (&m->refine, p->num_disparities) : 1;
}

static void
plan_side (StereoChain * m, int index, size_t alignment, StereoArena * arena)
{
  const StereoMatcherConfig *g = &m->config;
  int channels = m->search.channels;
  StereoChainSide *side = &m->sides[index];

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
plan_maps (StereoChain * m, size_t alignment, StereoArena * arena)
{
  m->map.stride = stereo_round_up ((size_t) m->config.width, alignment / 2);
  m->map.data = NULL;
  if (!m->algorithm->subpixel || m->common.median)
    stereo_arena_add (arena, (void **) &m->map.data,
        m->map.stride * (size_t) m->config.height, sizeof (uint16_t));
}

/* Declares the winners, used by matching and refinement. */
static void
plan_winners (StereoChain * m, size_t alignment, StereoArena * arena)
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
  stereo_chain_plan_mirrored_winners (m, arena);
}

/* Declares the buffers of refinement; those of the algorithm follow.
 * Refinement starts after matching, so both share memory.  A vote runs between
 * the steps of refinement; then only the words and the mirrored views share
 * memory. */
static void
plan_refinement (StereoChain * m, const void *own, size_t alignment,
    StereoArena * arena)
{
  const StereoSearch *p = &m->search;
  StereoRefineParams refine = m->refine;
  size_t begin, end;

  memset (&m->winners, 0, sizeof (m->winners));
  memset (&m->mirror, 0, sizeof (m->mirror));
  m->words_memory[0] = m->words_memory[1] = NULL;
  if (!p->winners)
    return;
  plan_winners (m, alignment, arena);
  /* An algorithm with its own parameters has checked its winners. */
  if (m->algorithm->get_refine != NULL)
    refine.lr_max_diff = -1;
  begin = arena->next;
  stereo_refine_plan (p, &refine, m->common.median, m->refining,
      &m->refinement, arena);
  end = arena->next;
  stereo_arena_go_to (arena, begin);
  for (int i = 0; i < 2 && stereo_cost_uses_words (p->cost); i++)
    stereo_arena_add (arena, &m->words_memory[i],
        m->words[m->refine.cost]->bytes (p->width, p->height), 1);
  stereo_chain_plan_mirrored_views (m, alignment, m->mirror.views, arena);
  m->votes = m->algorithm->vote != NULL && m->algorithm->wants_vote (own);
  if (m->votes)
    stereo_arena_go_beyond (arena, end);
}

/* Codes per pixel in the map of the temporal filter. */
static int
get_temporal_unit (const StereoChain * m)
{
  StereoRefineParams fine = {.subpixel = true };

  if (!m->algorithm->subpixel || m->search.winners)
    return m->search.unit;
  return m->config.output == STEREO_FORMAT_GRAY16_LE
      ? (int) m->common.disparity_scale
      : stereo_refine_unit (&fine, m->search.num_disparities);
}

StereoStatus
stereo_chain_plan_matching (StereoChain * m, const void *own, size_t alignment,
    StereoArena * arena, StereoMessage * why)
{
  plan_refinement (m, own, alignment, arena);
  stereo_arena_set_mark (arena);
  return m->algorithm->plan (&m->search, own, m->stages, m->plan, arena, why);
}

static StereoStatus
chain_plan (void *state, const StereoOpSetup * setup, StereoArena * arena,
    StereoMessage * why)
{
  StereoChain *m = state;
  const StereoParams *params = setup->params;
  size_t alignment = setup->device->klass->row_alignment;
  StereoStatus status;

  plan_side (m, 0, alignment, arena);
  plan_side (m, 1, alignment, arena);
  plan_maps (m, alignment, arena);
  m->temporal_unit = get_temporal_unit (m);
  if (m->common.temporal > 0)
    stereo_temporal_plan (&m->search, m->temporal_unit, m->common.temporal,
        &m->temporal, arena);
  stereo_half_plan_ranges (m, arena);
  status = stereo_chain_plan_matching (m, params->own, alignment, arena, why);
  return status != STEREO_OK ? status
      : stereo_half_plan (m, params->own, alignment, arena, why);
}

/* Finds a view.  Returns whether it must be converted first. */
static bool
find_view (const StereoChain * m, int index, const StereoOpImage * raw,
    StereoView * view, StereoConversion * c)
{
  const StereoChainSide *side = &m->sides[index];
  const StereoFormatInfo *info = side->info;

  *view = (StereoView) {.plane = {raw->plane[0]},.stride = raw->stride[0] };
  if (!side->convert)
    return false;

  *c = (StereoConversion) {
    .width = m->search.width,
    .height = m->search.height,
    .channels = m->search.channels,
    .target_stride = side->converted_stride,
  };
  stereo_conversion_read (c, info, raw->plane, raw->stride,
      stereo_format_is_yuv (info) && c->channels == 3 ? &side->yuv : NULL);
  for (int i = 0; i < m->converting->view_planes (c->channels); i++)
    c->target[i] = side->converted + (size_t) i * c->target_stride
        * (size_t) c->height;
  memcpy (view->plane, c->target, sizeof (view->plane));
  view->stride = c->target_stride;
  return true;
}

static StereoStatus
chain_convert (const StereoChain * m, const StereoOpFrame * frame,
    StereoMatchFrame * work)
{
  StereoConversion conversions[2];
  int n = 0;

  n += find_view (m, 0, &frame->inputs[0], &work->left, &conversions[n]);
  n += find_view (m, 1, &frame->inputs[1], &work->right, &conversions[n]);
  return stereo_convert_run (m->converting, frame, conversions, n);
}

/* Sets the encoding of a result in an image of this format. */
static void
make_encoding (const StereoChain * m, StereoResult result, StereoFormat format,
    StereoOutput * output)
{
  const StereoCommonParams *p = &m->common;
  unsigned span = p->num_disparities - 1;

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

/* The input of the temporal filter, as an output of the algorithm. */
static StereoOutput
get_temporal_input (const StereoChain * m)
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

/* Computes the words of both views if the cost uses them. */
static StereoStatus
make_words (const StereoChain * m, StereoMatchFrame * frame)
{
  const StereoSearch *p = &m->search;
  const StereoWordsStages *s;
  const StereoWordsSource source = {
    .width = p->width,
    .height = p->height,
    .channels = p->channels,
    .views = {frame->left, frame->right},
    .network = &m->network,
  };
  StereoStatus status;

  if (!p->winners || !stereo_cost_uses_words (p->cost))
    return STEREO_OK;
  s = m->words[m->refine.cost];
  frame->left_words = s->layout (p->width, p->height, m->words_memory[0]);
  frame->right_words = s->layout (p->width, p->height, m->words_memory[1]);
  status = s->make (frame->queue, &source, m->words_memory);
  return status != STEREO_OK ? status
      : stereo_stage_end (frame->timestamps,
      stereo_costs[m->refine.cost].stages);
}

StereoStatus
stereo_chain_prepare (const StereoChain * m, const StereoMatchFrame * frame)
{
  return m->algorithm->prepare == NULL ? STEREO_OK
      : m->algorithm->prepare (frame, m->stages);
}

/* The data of tasks. */
typedef struct
{
  const StereoChain *m;
  StereoMatchFrame *frame;
} Preparation;

static StereoStatus
submit_words (void *data)
{
  const Preparation *p = data;

  return make_words (p->m, p->frame);
}

static StereoStatus
submit_prepare (void *data)
{
  const Preparation *p = data;

  return stereo_chain_prepare (p->m, p->frame);
}

static StereoStatus
submit_words_and_prepare (void *data)
{
  StereoStatus status = submit_words (data);

  return status != STEREO_OK ? status : submit_prepare (data);
}

/* Finds the ranges, and has the words made at the same time. */
static StereoStatus
prepare_ranges (const StereoChain * m, StereoMatchFrame * frame)
{
  Preparation p = { m, frame };
  StereoConcurrentTask words = { {submit_words_and_prepare, &p}, false };
  StereoStatus status;

  frame->concurrent = &words;
  status = stereo_half_run (m, frame);
  frame->concurrent = NULL;
  return status != STEREO_OK || words.submitted ? status
      : submit_words_and_prepare (&p);
}

/* Makes the words and prepares the algorithm at the same time. */
static StereoStatus
prepare_both (const StereoChain * m, StereoMatchFrame * frame)
{
  Preparation p = { m, frame };
  const StereoTask words = { submit_words, &p };
  const StereoTask others = { submit_prepare, &p };

  return frame->queue->klass->submit_both (frame->queue, &others, &words);
}

/* Finds the ranges, makes the words and prepares the algorithm, at the same
 * time if the queue can do that.  Stages are timed one after the other.  The
 * search of the mirrored views precedes that of the frame, because it uses the
 * same memory. */
static StereoStatus
prepare (const StereoChain * m, StereoMatchFrame * frame)
{
  const StereoSearch *p = &m->search;
  const bool mirrored = m->mirror.winners.left != NULL;
  StereoStatus status;

  if (frame->queue->klass->submit_both != NULL && frame->timestamps == NULL
      && !mirrored && p->winners) {
    if (p->ranges)
      return prepare_ranges (m, frame);
    if (m->algorithm->wants_ranges == NULL && m->algorithm->prepare != NULL
        && stereo_cost_uses_words (p->cost))
      return prepare_both (m, frame);
  }
  if ((status = stereo_half_run (m, frame))
      || (status = make_words (m, frame)))
    return status;
  if (mirrored && (status = stereo_chain_match_mirrored (m, frame)))
    return status;
  return stereo_chain_prepare (m, frame);
}

/* Pixels without a disparity have no vertical one. */
static StereoStatus
invalidate_vertical (const StereoChain * m, const StereoMatchFrame * frame)
{
  const StereoRefinePlan *plan = &m->refinement;
  const StereoRefineConstants *k = &plan->constants;
  const StereoOutput *vertical = frame->results[STEREO_RESULT_VERTICAL];

  return vertical == NULL || (k->fill && k->min_confidence == 0) ? STEREO_OK
      : m->refining->invalidate (frame->queue, k, &plan->work, vertical);
}

/* Runs the algorithm and refines its winners. */
static StereoStatus
match_refined (const StereoChain * m, const StereoMatchFrame * frame,
    const StereoOutput * output, const StereoOutput * confidence)
{
  StereoStatus status = m->algorithm->run (frame, m->stages);

  if (status == STEREO_OK)
    status = stereo_stage_end (frame->timestamps, "match");
  if (status == STEREO_OK)
    status = stereo_refine_check (frame->queue, m->refining, &m->refinement,
        frame->winners, m->mirror.winners.left);
  if (status == STEREO_OK && m->votes)
    status = m->algorithm->vote (frame, m->stages, &m->refinement.work.map);
  if (status == STEREO_OK)
    status = stereo_refine_finish (frame->queue, m->refining, &m->refinement,
        &frame->left, frame->winners, output, confidence);
  if (status == STEREO_OK)
    status = invalidate_vertical (m, frame);
  if (status == STEREO_OK)
    status = stereo_stage_end (frame->timestamps, "refine");
  return status;
}

/* Runs the algorithm, the median filter and the encoding of the disparity. */
static StereoStatus
chain_match (const StereoChain * m, const StereoMatchFrame * frame,
    const StereoOutput * output)
{
  int width = m->search.width, height = m->search.height;
  const StereoMedianStages *f = m->medians;
  StereoStatus status = m->algorithm->run (frame, m->stages);

  if (status == STEREO_OK)
    status = stereo_stage_end (frame->timestamps, "match");
  if (status != STEREO_OK || !m->common.median)
    return status;
  status = (m->algorithm->subpixel ? f->median_codes : f->median)
      (frame->queue, width, height, &m->map, output);
  if (status == STEREO_OK)
    status = stereo_stage_end (frame->timestamps, "median");
  return status;
}

static void
make_outputs (const StereoChain * m, const StereoOpFrame * frame,
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

StereoStatus
stereo_chain_match_views (const StereoChain * m, StereoMatchFrame * work,
    const StereoOutput * output)
{
  const StereoOutput *confidence = work->results[STEREO_RESULT_CONFIDENCE];
  StereoWinners winners = m->winners;
  StereoOutput unfiltered;
  StereoStatus status;

  work->results[STEREO_RESULT_DISPARITY] = output;
  if (m->search.winners && (confidence != NULL || m->common.temporal > 0
          || m->algorithm->vote != NULL || stereo_refine_wanted (&m->refine))) {
    winners.uniqueness = stereo_refine_is_rated (&m->refinement, confidence);
    work->winners = &winners;
    work->results[STEREO_RESULT_DISPARITY] = NULL;
    work->results[STEREO_RESULT_CONFIDENCE] = NULL;
  } else if (m->common.median && m->algorithm->subpixel) {
    /* The median filter works on final codes. */
    unfiltered = *output;
    unfiltered.data = m->map.data;
    unfiltered.stride = m->map.stride * sizeof (uint16_t);
    unfiltered.bytes = sizeof (uint16_t);
    work->results[STEREO_RESULT_DISPARITY] = &unfiltered;
  } else if (m->common.median) {
    work->results[STEREO_RESULT_DISPARITY] = NULL;
  }
  work->output = work->results[STEREO_RESULT_DISPARITY];

  status = prepare (m, work);
  if (status != STEREO_OK)
    return status;
  return work->winners != NULL
      ? match_refined (m, work, output, confidence) : chain_match (m, work,
      output);
}

static StereoStatus
chain_run (void *state, const StereoOpFrame * frame)
{
  StereoChain *m = state;
  StereoOutput encoded[STEREO_N_RESULTS], before;
  const StereoOutput *disparity = &encoded[STEREO_RESULT_DISPARITY];
  StereoMatchFrame work = {.search = &m->search,.plan = m->plan,
    .queue = frame->queue,.map = m->map,.timestamps = frame->timestamps
  };
  StereoStatus status;

  make_outputs (m, frame, encoded, &work);
  if ((status = chain_convert (m, frame, &work)))
    return status;
  if (m->common.temporal == 0)
    return stereo_chain_match_views (m, &work, disparity);

  before = get_temporal_input (m);
  if ((status = stereo_chain_match_views (m, &work, &before))
      || (status = stereo_temporal_run (frame->queue, m->filtering,
              &m->temporal, m->search.channels, &work.left, &work.right,
              disparity)))
    return status;
  return stereo_stage_end (frame->timestamps, "temporal");
}

/* The temporal filter has the frame before. */
static bool
chain_repeats (const void *state)
{
  return ((const StereoChain *) state)->common.temporal == 0;
}

static void
chain_clear (void *state)
{
  StereoChain *m = state;

  stereo_half_free (&m->half);
  free (m->plan);
}

#define GRAY16 STEREO_FORMAT_BIT (STEREO_FORMAT_GRAY16_LE)
#define GRAY8 STEREO_FORMAT_BIT (STEREO_FORMAT_GRAY8)

const StereoOp stereo_chain_op = {
  .name = "the matcher",
  .inputs = (const StereoPort[]) {
        {.name = "left",.formats = STEREO_VIEW_FORMATS},
        {.name = "right",.formats = STEREO_VIEW_FORMATS},
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
  .state_size = sizeof (StereoChain),
  .plan = chain_plan,
  .run = chain_run,
  .repeats = chain_repeats,
  .clear = chain_clear,
};
