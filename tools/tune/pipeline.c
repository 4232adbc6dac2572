/* gst-stereomatching: pictures in flight to a viewer
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "pipeline.h"

/* From sending to acknowledging, in microseconds. */
#define SLOW (350 * 1000)
#define FAST (120 * 1000)
/* Consecutive frames after which pictures become smaller, and larger. */
#define N_SLOW 2
#define N_FAST 15

/* The index of a frame in flight; n if it is not. */
static guint
find_frame (const TunePipeline * pipeline, guint frame)
{
  guint i = 0;

  while (i < pipeline->n && pipeline->sent[i].frame != frame)
    i++;
  return i;
}

gboolean
tune_pipeline_can_send (const TunePipeline * pipeline, guint frame)
{
  return frame <= pipeline->shown || pipeline->n < TUNE_PIPELINE_DEPTH
      || find_frame (pipeline, frame) < pipeline->n;
}

void
tune_pipeline_send (TunePipeline * pipeline, guint frame, gint64 now)
{
  if (frame <= pipeline->shown || find_frame (pipeline, frame) < pipeline->n)
    return;
  g_return_if_fail (pipeline->n < TUNE_PIPELINE_DEPTH);
  pipeline->sent[pipeline->n].frame = frame;
  pipeline->sent[pipeline->n++].since = now;
}

static void
adapt_size (TunePipeline * pipeline, gint64 time)
{
  pipeline->n_slow = time > SLOW ? pipeline->n_slow + 1 : 0;
  pipeline->n_fast = time < FAST ? pipeline->n_fast + 1 : 0;
  if (pipeline->n_slow >= N_SLOW
      && pipeline->reduction < TUNE_PIPELINE_MAX_REDUCTION) {
    pipeline->reduction++;
    pipeline->n_slow = 0;
  } else if (pipeline->n_fast >= N_FAST && pipeline->reduction > 0) {
    pipeline->reduction--;
    pipeline->n_fast = 0;
  }
}

void
tune_pipeline_acknowledge (TunePipeline * pipeline, guint frame, gint64 now)
{
  guint kept = 0, i = find_frame (pipeline, frame);

  if (i == pipeline->n)
    return;
  adapt_size (pipeline, now - pipeline->sent[i].since);
  pipeline->shown = MAX (pipeline->shown, frame);
  while (++i < pipeline->n) {
    if (pipeline->sent[i].frame > pipeline->shown)
      pipeline->sent[kept++] = pipeline->sent[i];
  }
  pipeline->n = kept;
}
