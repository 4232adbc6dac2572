/* gst-stereomatching: confidence of a disparity map
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "refine/confidence-formula.h"

#include "core/cpu.h"
#include "refine/refine-cpu.h"

/* The share of a ring that supports the code of (x, y). */
static uint32_t
ring_share (const StereoRefineJob * job, int ring, int x, int y, unsigned code)
{
  const StereoRefineConstants *k = job->k;
  const int radius = STEREO_CONFIDENCE_RADIUS (ring);
  const int step = STEREO_CONFIDENCE_STEP (ring);
  const int limit = stereo_vote_limit (k->unit);
  const uint32_t center = stereo_view_pixel (job->left, k->channels, x, y);
  uint32_t supporting = 0, whole = 0;

  for (int v = y - radius; v <= y + radius; v += step) {
    for (int u = x - radius; u <= x + radius; u += step) {
      uint32_t weight;

      if (u < 0 || u >= k->width || v < 0 || v >= k->height)
        continue;
      weight = stereo_refine_weight (job, center, u, v);
      whole += weight;
      if (stereo_confidence_supports (k->unit,
              stereo_map_row (&job->work->map, v)[u],
              stereo_refine_carry (job->work, u, v, x, y, limit), code))
        supporting += weight;
    }
  }
  return stereo_confidence_share (supporting, whole);
}

void
stereo_refine_rate_cpu (const StereoRefineJob * job, int x, int y)
{
  const unsigned code = stereo_map_row (&job->work->final, y)[x];

  if (code == STEREO_INVALID)
    stereo_refine_store_confidence (job, x, y, 0);
  else
    stereo_refine_store_confidence (job, x, y, stereo_refine_confidence (job,
            x, y, ring_share (job, 0, x, y, code),
            ring_share (job, 1, x, y, code)));
}

static void
confidence_rows (const void *context, StereoSpan span)
{
  const StereoRefineJob *job = context;

  for (int y = span.begin; y < span.end; y++) {
    for (int x = 0; x < job->k->width; x++)
      stereo_refine_rate_cpu (job, x, y);
  }
}

StereoStatus
stereo_refine_confidence_cpu (StereoQueue * queue,
    const StereoRefineConstants * k, const StereoView * left,
    const StereoWinners * winners, const StereoRefineWork * work,
    const StereoOutput * output)
{
  const StereoRefineJob job = {.k = k,.work = work,.winners = winners,
    .left = left,.output = output
  };

  stereo_cpu_for (queue, k->height, 0, confidence_rows, &job);
  return STEREO_OK;
}
