/* gst-stereomatching: cross-based regions with vector instructions
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Compiled once for each instruction set, with STEREO_SIMD_NAME its name.
 *
 * The stages are in bfv-simd-crosses.c, bfv-simd-match.c (with
 * bfv-simd-general.c and bfv-simd-transposed.c) and bfv-simd-vote.c.
 */

#include "match/bfv/bfv-simd.h"

static size_t
bfv_work_bytes (const StereoBfvConstants * k, unsigned n_threads)
{
  size_t crosses, match, vote, size;

  /* The plain stage stores that there are no winners. */
  if (k->first_index == k->end_index)
    return stereo_bfv_work_bytes (k);
  crosses = SIMD_NAME (stereo_bfv_crosses_bytes_) (k);
  match = SIMD_NAME (stereo_bfv_match_bytes_) (k, n_threads);
  vote = SIMD_NAME (stereo_bfv_vote_bytes_) (k, n_threads);
  size = match > crosses ? match : crosses;
  return size > vote ? size : vote;
}

static StereoStatus
bfv_plan_simd (const StereoSearch * search, const StereoBfvConstants * k,
    StereoBfvWork * work, StereoArena * arena, StereoMessage * why)
{
  (void) why;
  stereo_arena_add (arena, &work->memory, 1, bfv_work_bytes (k,
          search->n_threads));
  return STEREO_OK;
}

const StereoBfvStages SIMD_NAME (stereo_bfv_stages_) = {
  .plan = bfv_plan_simd,
  .crosses = SIMD_NAME (stereo_bfv_crosses_),
  .match = SIMD_NAME (stereo_bfv_match_),
  .vote = SIMD_NAME (stereo_bfv_vote_),
};
