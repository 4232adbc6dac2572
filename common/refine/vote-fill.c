/* gst-stereomatching: holes filled by votes
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "refine/refine-cpu.h"

#include "core/cpu.h"
#include "refine/fill-formula.h"

#include <string.h>

/* The votes for one pixel.  Sums of weights are at most 243 x 255. */
typedef struct
{
  int n;
  int lowest, highest;          /* indices voted for */
  uint32_t whole;
  int code[STEREO_VOTE_SAMPLES];
  uint8_t weight[STEREO_VOTE_SAMPLES];
  /* Weight of index i at i + 1.  All 0 before the first vote. */
  uint16_t votes[STEREO_MAX_DISPARITIES + 2];
} Ballot;

static void
add_vote (Ballot * b, int index, int code, uint32_t weight)
{
  b->lowest = b->n == 0 || index < b->lowest ? index : b->lowest;
  b->highest = b->n == 0 || index > b->highest ? index : b->highest;
  b->code[b->n] = code;
  b->weight[b->n++] = (uint8_t) weight;
  b->votes[index + 1] = (uint16_t) (b->votes[index + 1] + weight);
  b->whole += weight;
}

/* The vote of the pixel at (u, v) for the one at (x, y). */
static void
ask_pixel (const StereoRefineJob * job, Ballot * b, uint32_t center, int x,
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
  if (weight > 0)
    add_vote (b, index, code, weight);
}

static void
ask_ring (const StereoRefineJob * job, Ballot * b, int ring, int x, int y)
{
  const StereoRefineConstants *k = job->k;
  const int radius = STEREO_VOTE_RADIUS (ring), step = STEREO_VOTE_STEP (ring);
  const uint32_t center = stereo_view_pixel (job->left, k->channels, x, y);

  for (int v = y - radius; v <= y + radius; v += step) {
    for (int u = x - radius; u <= x + radius; u += step) {
      if (u >= 0 && u < k->width && v >= 0 && v < k->height)
        ask_pixel (job, b, center, x, y, u, v);
    }
  }
}

/* The index with the most votes; its neighbours' count half. */
static int
find_best (const Ballot * b, int n_disparities)
{
  uint32_t most = 0;
  int best = b->lowest;

  for (int d = b->lowest - 1; d <= b->highest + 1; d++) {
    uint32_t votes;

    if (d < 0 || d >= n_disparities)
      continue;
    votes = b->votes[d] + 2u * b->votes[d + 1] + b->votes[d + 2];
    if (votes > most) {
      most = votes;
      best = d;
    }
  }
  return best;
}

/* The weighted median of the votes near code center. */
static int
find_median (const Ballot * b, int center, int tolerance)
{
  uint32_t weight[3 * STEREO_MAX_UNIT + 1] = { 0 };
  uint32_t whole = 0, sum = 0;
  int i = 0;

  for (int j = 0; j < b->n; j++) {
    const int offset = b->code[j] - center;

    if (offset >= -tolerance && offset <= tolerance) {
      weight[offset + tolerance] += b->weight[j];
      whole += b->weight[j];
    }
  }
  while (2 * (sum += weight[i]) < whole)
    i++;
  return center + i - tolerance;
}

static void
fill_pixel (const StereoRefineJob * job, Ballot * b, int x, int y)
{
  const StereoRefineConstants *k = job->k;

  b->n = 0;
  b->whole = 0;
  for (int ring = 0; ring < STEREO_VOTE_RINGS; ring++)
    ask_ring (job, b, ring, x, y);
  if (b->whole >= STEREO_VOTE_MIN_WEIGHT)
    stereo_map_row (&job->work->filled, y)[x] = (uint16_t) find_median (b,
        k->unit * find_best (b, k->num_disparities),
        stereo_vote_tolerance (k->unit));
  if (b->n > 0)
    memset (b->votes + b->lowest + 1, 0, sizeof (b->votes[0])
        * (size_t) (b->highest - b->lowest + 1));
}

static void
vote_rows (const void *context, StereoSpan span)
{
  const StereoRefineJob *job = context;
  Ballot ballot;

  memset (ballot.votes, 0, sizeof (ballot.votes[0])
      * (size_t) (job->k->num_disparities + 2));
  for (int y = span.begin; y < span.end; y++) {
    const uint16_t *map = stereo_map_row (&job->work->map, y);

    for (int x = 0; x < job->k->width; x++) {
      if (map[x] == STEREO_INVALID)
        fill_pixel (job, &ballot, x, y);
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
