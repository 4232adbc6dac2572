/* gst-stereomatching: cross-based regions with vector instructions
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Compiled once for each instruction set, with STEREO_SIMD_NAME its name.
 *
 * The stages are in bfv-crosses-simd.c, bfv-match-simd.c (with
 * bfv-general-simd.c and bfv-transposed-simd.c) and bfv-vote-simd.c.
 */

#include "match/bfv-stages-simd.h"

static size_t
work_bytes (const StereoBfvConstants * k, unsigned n_threads)
{
  size_t crosses, match, vote, size;

  /* The plain stage says that there was nothing to match. */
  if (k->first_index == k->end_index)
    return stereo_bfv_work_bytes (k);
  crosses = SIMD_NAME (stereo_bfv_crosses_bytes_) (k);
  match = SIMD_NAME (stereo_bfv_match_bytes_) (k, n_threads);
  vote = SIMD_NAME (stereo_bfv_vote_bytes_) (k, n_threads);
  size = match > crosses ? match : crosses;
  return size > vote ? size : vote;
}

static StereoStatus
plan_cpu (const StereoSearch * search, const StereoBfvConstants * k,
    StereoBfvWork * work, StereoArena * arena, StereoMessage * why)
{
  (void) why;
  stereo_arena_add (arena, &work->memory, 1, work_bytes (k,
          search->n_threads));
  return STEREO_OK;
}

const StereoBfvStages SIMD_NAME (stereo_bfv_stages_) = {
  .plan = plan_cpu,
  .crosses = SIMD_NAME (stereo_bfv_crosses_),
  .match = SIMD_NAME (stereo_bfv_match_),
  .vote = SIMD_NAME (stereo_bfv_vote_),
};
