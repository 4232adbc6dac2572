/* gst-stereomatching: cross-based regions and bitwise fast voting on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The stages are in bfv-crosses.cu, bfv-match.cu (and bfv-slices.cu) and
 * bfv-vote.cu.  H200, 1920x1080x128, ms: census 0.03, crosses 0.06, matching
 * 1.15, the vote 0.11, the rest of refinement 0.03.
 */

#include "match/bfv/bfv.cuh"

namespace
{

template < typename T > void
add (StereoArena * arena, T *&pointer, size_t count)
{
  stereo_arena_add (arena, (void **) &pointer, count, sizeof (T));
}

StereoStatus
bfv_plan (const StereoSearch *, const StereoBfvConstants * k, StereoBfvWork * w,
    StereoArena * arena, StereoMessage *)
{
  const size_t grid = grid_size (k), right = right_size (k);
  const size_t begin = arena->next;
  size_t end;

  if (stereo_bfv_fits_tiles (k)) {
    add (arena, w->keys, grid + right);
    add (arena, w->won, stereo_bfv_won_size (k));
  } else {
    add (arena, w->sums, grid);
    add (arena, w->left_best, grid);
    add (arena, w->last, grid);
    add (arena, w->before, grid);
    add (arena, w->after, grid);
    add (arena, w->right_best, right);
    add (arena, w->row_sums, grid);
    add (arena, w->left_winner, grid);
    add (arena, w->right_winner, right);
  }
  /* Votes share the memory of matching. */
  end = arena->next;
  stereo_arena_go_to (arena, begin);
  add (arena, w->votes, right * (size_t) vote_words (k));
  add (arena, w->covered, (size_t) covered_words (k) * (size_t) k->height);
  add (arena, w->index, grid);
  stereo_arena_go_beyond (arena, end);
  return STEREO_OK;
}

}                               // namespace

extern "C" const void *stereo_bfv_stages_cuda (void);

extern "C" const void *
stereo_bfv_stages_cuda (void)
{
  static const StereoBfvStages stages = {
    .plan = bfv_plan,
    .crosses = stereo_bfv_crosses_cuda,
    .match = stereo_bfv_match_cuda,
    .vote = stereo_bfv_vote_cuda,
  };

  return &stages;
}
