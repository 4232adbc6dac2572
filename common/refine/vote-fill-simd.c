/* gst-stereomatching: SIMD filling of holes by votes
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Compiled once for each instruction set. */

#include "core/cpu.h"
#include "refine/refine-cpu.h"
#include "refine/stages-simd.h"
#include "refine/vote-decision-simd.h"
#include "refine/vote-samples-simd.h"
#include "simd/simd.h"

_Static_assert (STEREO_REFINE_PADDING >= MARGIN, "margins are too small");

/* The holes of the group at (x, y). */
static void
find_holes (const StereoRefineJob * job, int x, int y, VoteGroup * g)
{
  const uint16_t *map = stereo_map_row (&job->work->map, y) + x;
  const int n = job->k->width - x < LANES ? job->k->width - x : LANES;
  uint16_t no_hole[LANES];

  memset (no_hole, 0xff, sizeof (no_hole));
  g->x = x;
  g->y = y;
  g->n_holes = 0;
  for (int i = 0; i < n; i++) {
    g->hole[g->n_holes] = (uint8_t) i;
    g->n_holes += map[i] == STEREO_INVALID;
    no_hole[i] = map[i] == STEREO_INVALID ? 0 : UINT16_MAX;
  }
  g->no_hole = simd_load16 (no_hole);
}

static void
collect_samples (const VoteTables * t, VoteGroup * g)
{
  const StereoRefineConstants *k = t->job->k;
  const int radius = STEREO_VOTE_RADIUS (STEREO_VOTE_RINGS - 1);
  const bool edge = g->x < radius || g->x + radius + LANES > k->width;

  if (k->channels == 1 && edge)
    vote_collect (t, 1, true, g);
  else if (k->channels == 1)
    vote_collect (t, 1, false, g);
  else if (edge)
    vote_collect (t, 3, true, g);
  else
    vote_collect (t, 3, false, g);
}

/* Finds the best indices of a group that has samples. */
static void
find_best (const VoteTables * t, const VoteLimits * limits,
    const VoteGroup * g, VoteBest * best)
{
  int low = g->low[0], high = g->high[0];

  for (int i = 1; i < LANES; i++) {
    low = g->low[i] < low ? g->low[i] : low;
    high = g->high[i] > high ? g->high[i] : high;
  }
  memset (best, 0, sizeof (*best));
  if (g->hole[0] < SIMD_LANES32)
    vote_find_best (t, limits, g->x, 0, low, high, best);
  if (g->hole[g->n_holes - 1] >= SIMD_LANES32)
    vote_find_best (t, limits, g->x, SIMD_LANES32, low, high, best);
}

/* Fills the holes of the group at (x, y). */
static void
fill_group (const VoteTables * t, const VoteLimits * limits, int x, int y)
{
  uint16_t *const filled = stereo_map_row (&t->job->work->filled, y) + x;
  uint16_t medians[LANES];
  VoteGroup group;
  VoteBest best;

  find_holes (t->job, x, y, &group);
  collect_samples (t, &group);
  if (group.n_pairs == 0)
    return;
  find_best (t, limits, &group, &best);
  simd_store16 (medians, vote_find_medians (t, limits, &group, &best));
  for (int i = 0; i < group.n_holes; i++) {
    const int lane = group.hole[i];

    if (best.whole[lane] >= STEREO_VOTE_MIN_WEIGHT)
      filled[lane] = medians[lane];
  }
}

/* The limits of row y. */
static void
find_limits (const StereoRefineJob * job, int y, uint16_t * limits)
{
  const StereoWinners *w = job->winners;
  const uint32_t *right = w->right + (size_t) y * w->right_stride;

  for (int x = 0; x < job->k->width; x++)
    limits[MARGIN + x] = (uint16_t) (stereo_winner_index (right[x])
        + (stereo_winner_index (right[x]) != STEREO_INVALID));
}

static void
vote_rows (const void *context, StereoSpan span)
{
  const StereoRefineJob *job = context;
  const StereoRefineConstants *k = job->k;
  uint32_t *const sums = job->work->votes + (size_t) span.worker
      * stereo_refine_vote_words (k);
  const size_t n = ((size_t) k->num_disparities + 2) * 2 * LANES;
  uint16_t *const limit = (uint16_t *) (sums + n);
  const VoteLimits limits = {.limit = limit,.width = k->width,
    .min_disparity = k->min_disparity
  };
  const VoteTables tables = {.job = job,.sums = sums,
    .width = k->width,.height = k->height,
    .half = (uint16_t) (0x8000 + k->unit / 2),
    .shift = __builtin_ctz ((unsigned) k->unit),
    .weights = simd_table64 (k->weight),
    .limits = simd_carry_limits (stereo_vote_limit (k->unit),
        k->unit * (k->num_disparities - 1)),
  };

  memset (sums, 0, n * sizeof (*sums));
  memset (limit, 0xff, ((size_t) k->width + 2 * MARGIN) * sizeof (*limit));
  for (int y = span.begin; y < span.end; y++) {
    const uint16_t *map = stereo_map_row (&job->work->map, y);

    if (job->winners->right != NULL)
      find_limits (job, y, limit);
    for (int x = 0; x < k->width; x++) {
      if (map[x] != STEREO_INVALID)
        continue;
      fill_group (&tables, &limits, x, y);
      x += LANES - 1;
    }
  }
}

StereoStatus
SIMD_NAME (stereo_vote_fill_) (StereoQueue * queue,
    const StereoRefineConstants * k, const StereoView * left,
    const StereoWinners * winners, const StereoRefineWork * work)
{
  const StereoRefineJob job = {.k = k,.work = work,.winners = winners,
    .left = left
  };

  stereo_cpu_for (queue, k->height, 0, vote_rows, &job);
  return STEREO_OK;
}
