/* gst-stereomatching: how much a viewer's link carries
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * flow.h: pictures of two frames may be on their way to a viewer, which says
 * when it has shown one.  One that takes long gets smaller pictures.
 *
 * Times are monotonic, in microseconds.
 */

#ifndef TUNE_FLOW_H
#define TUNE_FLOW_H

#include <glib.h>

#define TUNE_FLOW_FRAMES 2
/* Most steps that pictures get smaller by. */
#define TUNE_FLOW_SMALLEST 6

/* To be zeroed first. */
typedef struct
{
  struct
  {
    guint frame;
    gint64 since;
  } sent[TUNE_FLOW_FRAMES];     /* not shown yet, in the order of sending */
  guint n;
  guint shown;                  /* the newest frame that was */
  guint smaller;                /* steps, 0 to TUNE_FLOW_SMALLEST */
  guint slow;                   /* frames in a row */
  guint quick;
} TuneFlow;

/* Whether a picture of a frame may be sent; several of one may, and those that
 * come late, of a frame that was shown already, which nobody tells again. */
gboolean tune_flow_may_send (const TuneFlow * flow, guint frame);
void tune_flow_sent (TuneFlow * flow, guint frame, gint64 now);

/* A picture of frame was shown, so those before it have arrived, too. */
void tune_flow_shown (TuneFlow * flow, guint frame, gint64 now);

#endif /* TUNE_FLOW_H */
