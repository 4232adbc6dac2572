/* gst-stereomatching: ESAW and ESMP with vector instructions
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Compiled once for each instruction set, with STEREO_SIMD_NAME its name.
 *
 * Without messages all weights are computed first; then each thread takes a
 * range of the disparities through all passes (expstep-simd-cascade.c).  With
 * messages threads share the rows of a pass (expstep-simd-sweeps.c), and the
 * weights of a row are computed once for all disparities.
 */

#include "match/expstep/expstep-simd.h"

#include "core/cpu.h"

typedef struct
{
  const StereoExpstepConstants *k;
  const StereoExpstepPass *passes;
  int n_passes;
  const StereoExpstepWork *work;
  const StereoMatchFrame *frame;
} SimdJob;

static void
match_parts (const void *context, StereoSpan span)
{
  const SimdJob *job = context;

  for (int part = span.begin; part < span.end; part++)
    expstep_run_cascade (job->k, job->passes, job->n_passes, job->work, part,
        span.worker);
}

static StereoStatus
expstep_match_simd (StereoQueue * queue, const StereoExpstepConstants * k,
    const StereoExpstepPass * passes, int n_passes,
    const StereoExpstepWork * work)
{
  SimdJob job = {.k = k,.passes = passes,.n_passes = n_passes,.work = work };

  if (k->messages)
    expstep_run_sweeps (queue, k, passes, n_passes, work);
  else
    stereo_cpu_for (queue, work->ranges * work->bands, 1, match_parts, &job);
  return STEREO_OK;
}

static void
expstep_finish_rows_simd (const void *context, StereoSpan span)
{
  const SimdJob *job = context;

  for (int y = span.begin; y < span.end; y++)
    expstep_finish_row (job->frame, job->k, job->work, y);
}

static StereoStatus
expstep_finish_simd (const StereoMatchFrame * frame,
    const StereoExpstepConstants * k, const StereoExpstepWork * work)
{
  SimdJob job = {.k = k,.work = work,.frame = frame };

  if (k->first_index == k->end_index)
    return stereo_expstep_finish_cpu (frame, k, work);
  stereo_cpu_for (frame->queue, k->height, 0, expstep_finish_rows_simd, &job);
  return STEREO_OK;
}

static int
expstep_plan_simd (const StereoSearch * search,
    const StereoExpstepConstants * k, const StereoExpstepPass * passes,
    int n_passes, StereoExpstepWork * work, StereoArena * arena)
{
  return stereo_expstep_plan_cpu (search, k, passes, n_passes, true, work,
      arena);
}

const StereoExpstepStages SIMD_NAME (stereo_expstep_stages_) = {
  .plan = expstep_plan_simd,
  .prepare = expstep_prepare_weights,
  .match = expstep_match_simd,
  .finish = expstep_finish_simd,
};
