/* gst-stereomatching: an element that a program feeds
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * stage.h: one element alone in a pipeline of its own, between appsrc and
 * appsink.
 *
 * It gets one job at a time: a sample for each input, all with the same
 * timestamp, and says so in the main context when there is one from each
 * output.  So an element is exchanged, or taken down to set what can't be set
 * while it runs, between two jobs: no stream is cut, blocked or relinked.
 *
 * All functions are for the thread of the default main context.
 */

#ifndef TUNE_STAGE_H
#define TUNE_STAGE_H

#include <gst/gst.h>

#define TUNE_STAGE_PADS 3

typedef struct TuneStage TuneStage;

typedef enum
{
  TUNE_INFO,
  TUNE_WARNING,
  TUNE_ERROR
} TuneLevel;

typedef struct
{
  /* outputs are those of the job, in the order of their pads, and borrowed.
   * NULL: the job ended without them, because the element failed. */
  void (*done) (TuneStage * stage, GstSample ** outputs, gpointer data);
  /* What the element has to say. */
  void (*said) (TuneStage * stage, TuneLevel level, const gchar * text,
      gpointer data);
} TuneStageCallbacks;

/*
 * Takes the floating element.  inputs and outputs are names of pads, ending
 * with NULL; those that the element has no template of are left out.  formats
 * (NULL: any) is what an output may be, as in caps: "{ GRAY8 }".
 */
TuneStage *tune_stage_new (GstElement * element, const gchar * const *inputs,
    const gchar * const *outputs, const gchar * const *formats,
    const TuneStageCallbacks * callbacks, gpointer data);

/* What an appsink has now, or NULL: a sample of its own, because the appsink
 * writes into the last one that it gave when its caps come again. */
GstSample *tune_stage_pull (GstElement * appsink);

/* Stops it and waits until it has; nothing is called back any more. */
void tune_stage_free (TuneStage ** stage);

GstElement *tune_stage_element (TuneStage * stage);

gboolean tune_stage_busy (TuneStage * stage);

/* Begins a job; the stage is not busy.  As many samples as it has inputs;
 * their buffers keep their timestamps, which differ from job to job. */
void tune_stage_push (TuneStage * stage, GstSample * const *inputs);

/* Whether there is an output of this number, in the order of tune_stage_new();
 * outputs that were left out count. */
gboolean tune_stage_has_output (TuneStage * stage, guint output);

/* Takes the element down before it is changed in a way that it can't take
 * while it runs, and up again.  A job under way ends without outputs. */
void tune_stage_stop (TuneStage * stage);
void tune_stage_start (TuneStage * stage);

/* Whether its element has failed since it was started. */
gboolean tune_stage_failed (TuneStage * stage);

/* Milliseconds from a job's begin to its end, of the last one. */
gdouble tune_stage_time (TuneStage * stage);

/* What computes, in the element's own words, or "". */
const gchar *tune_stage_device (TuneStage * stage);

#endif /* TUNE_STAGE_H */
