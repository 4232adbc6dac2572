/* gst-stereomatching: aggregation with exponential step sizes
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/expstep/expstep.h"

#include "cost/words-formula.h"

#include <math.h>
#include <string.h>

const StereoEnumValue stereo_color_metric_values[3] = {
  {"max", "Maximum over the channels"},
  {"rms", "Root mean square over the channels"},
  {"mean", "Mean over the channels"},
};

const StereoParamDefault stereo_expstep_defaults[] = {
  {"cost", STEREO_COST_LEARNED},
  {"median", true},
  {"refine", STEREO_REFINE_ALL},
  {NULL, 0}
};

/* Steps with a lower weight at equal colour are skipped. */
static const double least_weight = 1.0 / 4096;

static void
make_pass (const StereoExpstepParams * params, int metric, int step,
    StereoExpstepPass * pass)
{
  double unit = metric == STEREO_COLOR_METRIC_MAX ? 1.0 : 1.0 / 3;

  memset (pass, 0, sizeof (*pass));
  pass->step = step;
  for (int i = 0; i < 768; i++) {
    double u = 256 * exp (-(i * unit / params->gamma_color
            + step / params->gamma_distance)) + 0.5;

    pass->weight[i] = (uint8_t) (u < 255 ? u : 255);
  }
}

void
stereo_expstep_constants (const StereoSearch * search,
    const StereoExpstepParams * params, StereoExpstepPlan * plan)
{
  StereoExpstepConstants *k = &plan->constants;
  int longest = search->width > search->height ? search->width
      : search->height;
  double full, step = 1;

  memset (k, 0, sizeof (*k));
  k->width = search->width;
  k->height = search->height;
  k->channels = search->channels;
  k->min_disparity = search->min_disparity;
  k->first_index = search->first_index;
  k->end_index = search->end_index;
  k->metric = search->channels == 3 ? params->color_metric
      : STEREO_COLOR_METRIC_MAX;
  k->uses_words = stereo_cost_uses_words (search->cost);
  k->cost_channels = stereo_cost_is_color (search->cost) ? 3 : 1;
  k->winners = search->winners;
  k->right_winners = search->winners && search->right_winners;

  /* maps 0 to `full` to 0 to 255, in steps of 1/256 */
  full = params->cost_threshold * k->cost_channels;
  k->limit = (int) full;
  k->gain = full >= 1 ? (int) (65280 / full) : 0;
  k->excess = 65280 - k->limit * k->gain;
  if (k->uses_words)
    k->limit = (int) fmin (STEREO_WORDS_MAX_COST,
        floor (STEREO_WORDS_BIT_COST * params->cost_threshold + 0.5));

  plan->n_passes = 0;
  for (unsigned i = 0; i < params->iterations; i++, step *= params->base) {
    int s = (int) floor (step + 0.5);

    if (s >= longest || exp (-s / params->gamma_distance) < least_weight)
      break;
    make_pass (params, k->metric, s, &plan->passes[plan->n_passes++]);
  }
  if (plan->n_passes == 0) {
    /* a pass with weights of 0 keeps all costs */
    make_pass (params, k->metric, longest, &plan->passes[0]);
    memset (plan->passes[0].weight, 0, sizeof (plan->passes[0].weight));
    plan->n_passes = 1;
  }
}

StereoStatus
stereo_expstep_plan (const StereoSearch * search,
    const StereoExpstepStages * stages, StereoExpstepPlan * plan,
    StereoArena * arena, StereoMessage * why)
{
  memset (&plan->work, 0, sizeof (plan->work));
  plan->chunk = stages->plan (search, &plan->constants, plan->passes,
      plan->n_passes, &plan->work, arena);
  if (plan->chunk < 0)
    return stereo_fail (why, STEREO_ERROR_UNSUPPORTED,
        "Cannot search %d disparities with this algorithm on this device, "
        "which is limited to %d: use the CPU or fewer disparities",
        plan->constants.end_index - plan->constants.first_index,
        -plan->chunk);
  return STEREO_OK;
}

/* Runs all passes, chunk by chunk. */
static StereoStatus
run_chunks (StereoQueue * q, const StereoExpstepPlan * p,
    const StereoExpstepWork * work, const StereoExpstepStages * s)
{
  const StereoExpstepConstants *k = &p->constants;
  StereoStatus status = STEREO_OK;

  for (int first = k->first_index; first < k->end_index && status == STEREO_OK;
      first += p->chunk) {
    StereoExpstepChunk chunk = { first, p->chunk };

    if (chunk.count > k->end_index - first)
      chunk.count = k->end_index - first;
    status = s->cost (q, k, work, &chunk);
    for (int i = work->cascade; i < p->n_passes && status == STEREO_OK;
        i++) {
      const StereoExpstepPass *pass = &p->passes[i];
      bool last = i == p->n_passes - 1;

      if (s->iterate != NULL) {
        status = s->iterate (q, k, pass, i, last, work, &chunk);
      } else {
        status = s->rows (q, k, pass, i, work, &chunk);
        if (status == STEREO_OK)
          status = s->columns (q, k, pass, i, last, work, &chunk);
      }
    }
  }
  return status;
}

StereoStatus
stereo_expstep_run (const StereoMatchFrame * frame, const void *stages)
{
  const StereoExpstepStages *s = stages;
  const StereoExpstepPlan *p = frame->plan;
  const StereoExpstepConstants *k = &p->constants;
  StereoQueue *q = frame->queue;
  StereoExpstepWork work = p->work;
  StereoStatus status;

  work.words[0] = frame->left_words;
  work.words[1] = frame->right_words;
  work.winners = frame->winners;
  status = s->prepare (frame, k, p->passes, p->n_passes, &work);
  if (status == STEREO_OK)
    status = stereo_stage_end (frame->timestamps, "weights");
  if (status == STEREO_OK)
    status = work.ranges > 0 ? s->match (q, k, p->passes, p->n_passes, &work)
        : run_chunks (q, p, &work, s);
  if (status == STEREO_OK)
    status = s->finish (frame, k, &work);
  return status;
}
