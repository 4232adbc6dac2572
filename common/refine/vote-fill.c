/* gst-stereomatching: holes filled by votes
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "refine/refine-cpu.h"

#include "core/cpu.h"

#include <string.h>

/* The votes for one pixel.  Sums of weights are at most 96 x 255. */
typedef struct
{
  int n;
  int lowest, highest;          /* indices voted for; none if n is 0 */
  uint32_t whole;
  int code[STEREO_VOTE_SAMPLES];
  uint8_t weight[STEREO_VOTE_SAMPLES];
  /* Weight of index i at i + 1.  All 0 before the first vote. */
  uint16_t by_index[STEREO_MAX_DISPARITIES + 2];
} Votes;

static void
add_vote (Votes * votes, int index, int code, uint32_t weight)
{
  votes->lowest = index < votes->lowest ? index : votes->lowest;
  votes->highest = index > votes->highest ? index : votes->highest;
  votes->code[votes->n] = code;
  votes->weight[votes->n++] = (uint8_t) weight;
  votes->by_index[index + 1] = (uint16_t) (votes->by_index[index + 1]
      + weight);
  votes->whole += weight;
}

/* The vote of the pixel at (u, v) for the one at (x, y). */
static void
add_sample (const StereoRefineJob * job, Votes * votes, uint32_t center, int x,
    int y, int u, int v)
{
  const StereoRefineConstants *k = job->k;
  const StereoWinners *w = job->winners;
  const uint32_t *right = w->right == NULL ? NULL
      : w->right + (size_t) y * w->right_stride;
  const unsigned from = stereo_map_row (&job->work->map, v)[u];
  uint32_t weight;
  int code, index;

  if (from == STEREO_INVALID)
    return;
  code = stereo_vote_code (k->unit, k->num_disparities, from,
      stereo_refine_carry (job->work, u, v, x, y, stereo_vote_limit (k->unit)));
  index = stereo_vote_index (k->unit, code);
  weight = stereo_refine_weight (job, center, u, v);
  if (stereo_vote_is_hidden (right, k->width, k->min_disparity, x, index))
    weight >>= 3;
  add_vote (votes, index, code, weight);
}

/* The index with the most votes; its neighbours' count half. */
static int
find_best (const Votes * votes)
{
  uint32_t most = 0;
  int best = votes->lowest;

  /* The sum of an index outside is at most half that of its neighbour. */
  for (int d = votes->lowest; d <= votes->highest; d++) {
    const uint16_t *near = votes->by_index + d;
    const uint32_t sum = near[0] + 2u * near[1] + near[2];

    if (sum > most) {
      most = sum;
      best = d;
    }
  }
  return best;
}

static void
add_ring (const StereoRefineJob * job, Votes * votes, int ring, int x, int y)
{
  const StereoRefineConstants *k = job->k;
  const int radius = STEREO_VOTE_RADIUS (ring), step = STEREO_VOTE_STEP (ring);
  const uint32_t center = stereo_view_pixel (job->left, k->channels, x, y);

  for (int v = y - radius; v <= y + radius; v += step) {
    for (int u = x - radius; u <= x + radius; u += step) {
      if (u >= 0 && u < k->width && v >= 0 && v < k->height
          && stereo_vote_has (ring, u - x, v - y))
        add_sample (job, votes, center, x, y, u, v);
    }
  }
}

/* The weighted median of the votes near code center. */
static int
find_median (const Votes * votes, int center, int tolerance)
{
  uint32_t weight[3 * STEREO_MAX_UNIT + 1] = { 0 };
  uint32_t whole = 0, sum = 0;
  int i = 0;

  for (int j = 0; j < votes->n; j++) {
    const int offset = votes->code[j] - center;

    if (offset >= -tolerance && offset <= tolerance) {
      weight[offset + tolerance] += votes->weight[j];
      whole += votes->weight[j];
    }
  }
  while (2 * (sum += weight[i]) < whole)
    i++;
  return center + i - tolerance;
}

static void
fill_pixel (const StereoRefineJob * job, Votes * votes, int x, int y)
{
  const StereoRefineConstants *k = job->k;

  votes->n = 0;
  votes->whole = 0;
  votes->lowest = STEREO_MAX_DISPARITIES;
  votes->highest = -1;
  for (int ring = 0; ring < STEREO_VOTE_RINGS; ring++)
    add_ring (job, votes, ring, x, y);
  if (votes->whole >= STEREO_VOTE_MIN_WEIGHT)
    stereo_map_row (&job->work->filled, y)[x] = (uint16_t) find_median (
        votes, k->unit * find_best (votes), stereo_vote_tolerance (k->unit));
  for (int d = votes->lowest; d <= votes->highest; d++)
    votes->by_index[d + 1] = 0;
}

static void
vote_rows (const void *context, StereoSpan span)
{
  const StereoRefineJob *job = context;
  Votes votes;

  memset (votes.by_index, 0, sizeof (votes.by_index[0])
      * (size_t) (job->k->num_disparities + 2));
  for (int y = span.begin; y < span.end; y++) {
    const uint16_t *map = stereo_map_row (&job->work->map, y);

    for (int x = 0; x < job->k->width; x++) {
      if (map[x] == STEREO_INVALID)
        fill_pixel (job, &votes, x, y);
    }
  }
}

StereoStatus
stereo_refine_vote_fill_cpu (StereoQueue * queue,
    const StereoRefineConstants * k, const StereoView * left,
    const StereoWinners * winners, const StereoRefineWork * work)
{
  const StereoRefineJob job = {.k = k,.work = work,.winners = winners,
    .left = left
  };

  stereo_cpu_for (queue, k->height, 0, vote_rows, &job);
  return STEREO_OK;
}
