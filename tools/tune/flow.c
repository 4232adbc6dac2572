/* gst-stereomatching: how much a viewer's link carries
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "flow.h"

/* From sending to showing. */
#define SLOW (350 * 1000)
#define QUICK (120 * 1000)
/* Frames in a row after which pictures get smaller, and larger. */
#define N_SLOW 2
#define N_QUICK 15

gboolean
tune_flow_may_send (const TuneFlow * flow, guint frame)
{
  if (frame <= flow->shown)
    return TRUE;
  for (guint i = 0; i < flow->n; i++) {
    if (flow->sent[i].frame == frame)
      return TRUE;
  }
  return flow->n < TUNE_FLOW_FRAMES;
}

void
tune_flow_sent (TuneFlow * flow, guint frame, gint64 now)
{
  if (frame <= flow->shown)
    return;
  for (guint i = 0; i < flow->n; i++) {
    if (flow->sent[i].frame == frame)
      return;
  }
  g_return_if_fail (flow->n < TUNE_FLOW_FRAMES);
  flow->sent[flow->n].frame = frame;
  flow->sent[flow->n++].since = now;
}

static void
judge (TuneFlow * flow, gint64 time)
{
  flow->slow = time > SLOW ? flow->slow + 1 : 0;
  flow->quick = time < QUICK ? flow->quick + 1 : 0;
  if (flow->slow >= N_SLOW && flow->smaller < TUNE_FLOW_SMALLEST) {
    flow->smaller++;
    flow->slow = 0;
  } else if (flow->quick >= N_QUICK && flow->smaller > 0) {
    flow->smaller--;
    flow->quick = 0;
  }
}

void
tune_flow_shown (TuneFlow * flow, guint frame, gint64 now)
{
  guint kept = 0, n = 0;

  while (n < flow->n && flow->sent[n].frame != frame)
    n++;
  if (n == flow->n)
    return;
  judge (flow, now - flow->sent[n].since);
  flow->shown = MAX (flow->shown, frame);
  while (++n < flow->n) {
    if (flow->sent[n].frame > flow->shown)
      flow->sent[kept++] = flow->sent[n];
  }
  flow->n = kept;
}
