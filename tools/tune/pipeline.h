/* gst-stereomatching: pictures in flight to a viewer
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * pipeline.h: the pictures of two frames may be in flight to a viewer, which
 * acknowledges each frame.  Slow acknowledgements make pictures smaller.
 *
 * Times are monotonic, in microseconds.
 */

#ifndef TUNE_PIPELINE_H
#define TUNE_PIPELINE_H

#include <glib.h>

#define TUNE_PIPELINE_DEPTH 2
/* Maximum number of steps by which pictures become smaller. */
#define TUNE_PIPELINE_MAX_REDUCTION 6

/* Must be zeroed first. */
typedef struct
{
  struct
  {
    guint frame;
    gint64 since;
  } sent[TUNE_PIPELINE_DEPTH];  /* not acknowledged, in order */
  guint n;
  guint shown;                  /* the newest acknowledged frame */
  guint reduction;              /* 0 to TUNE_PIPELINE_MAX_REDUCTION */
  guint n_slow;                 /* consecutive frames */
  guint n_fast;
} TunePipeline;

/* Whether a picture of a frame may be sent.  Frames in flight may have several
 * pictures; late pictures of acknowledged frames do not count. */
gboolean tune_pipeline_can_send (const TunePipeline * pipeline, guint frame);
void tune_pipeline_send (TunePipeline * pipeline, guint frame, gint64 now);

/* Acknowledges a frame, and all before it. */
void tune_pipeline_acknowledge (TunePipeline * pipeline, guint frame,
    gint64 now);

#endif /* TUNE_PIPELINE_H */
