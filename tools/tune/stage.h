/* gst-stereomatching: an element fed by the program
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * stage.h: one element in a pipeline of its own, between appsrc and appsink.
 *
 * It processes one job at a time: one sample for each input, all with the same
 * timestamp; a callback in the main context delivers the outputs.  Between two
 * jobs the element can be exchanged, or stopped to set properties that cannot
 * change while it runs, and to put filters before it: no stream is cut or
 * blocked.
 *
 * All functions must be called in the thread of the default main context.
 */

#ifndef TUNE_STAGE_H
#define TUNE_STAGE_H

#include <gst/app/app.h>

#define TUNE_STAGE_PADS 3

typedef struct TuneStage TuneStage;

typedef struct
{
  /* outputs are those of the job, in the order of their pads, and borrowed.
   * NULL: the element failed. */
  void (*done) (TuneStage * stage, GstSample ** outputs, gpointer data);
  /* A warning of the element; may be NULL. */
  void (*warning) (TuneStage * stage, const gchar * text, gpointer data);
  /* The error has changed; may be NULL. */
  void (*failed) (TuneStage * stage, gpointer data);
} TuneStageCallbacks;

/* Read-only outside of stage.c. */
struct TuneStage
{
  GstElement *element;          /* owned by the pipeline */
  gboolean busy;                /* has a job */
  gchar *error;                 /* the first one since the start, or NULL */
  gdouble time;                 /* of the last job, in milliseconds */
  gchar *device;                /* the element's name for it, or "" */
  GstSample *filtered[TUNE_STAGE_PADS]; /* the inputs of the last job, behind
                                           the filters; NULL without */

  /* private */
  TuneStageCallbacks callbacks;
  gpointer data;
  GstElement *pipeline;         /* a bin without file descriptors */
  guint n_inputs;
  guint n_outputs;
  GstElement *inputs[TUNE_STAGE_PADS];  /* owned by the pipeline */
  GstElement *filters[TUNE_STAGE_PADS]; /* the same; NULL = none */
  const gchar *pads[TUNE_STAGE_PADS];   /* of the element, for the inputs */
  GstElement *outputs[TUNE_STAGE_PADS]; /* the same; NULL if omitted */
  GstSample *results[TUNE_STAGE_PADS];  /* of the current job */
  GstClockTime pts;             /* of the job */
  gint64 start;                 /* monotonic, in microseconds */
};

/*
 * Takes the floating element.  inputs and outputs are pad names, terminated by
 * NULL, and borrowed; pads without a template are omitted.  formats (NULL: any)
 * restricts the outputs, as in caps: "{ GRAY8 }".
 */
TuneStage *tune_stage_new (GstElement * element, const gchar * const *inputs,
    const gchar * const *outputs, const gchar * const *formats,
    const TuneStageCallbacks * callbacks, gpointer data);

/* A callback of appsinks: posts an application message, so that the bus watch
 * takes the sample in the main context. */
GstFlowReturn tune_stage_post_sample (GstAppSink * appsink, gpointer data);

/* A copy of the sample that an appsink has, or NULL.  A copy, because the
 * appsink writes into its last sample when its caps are repeated. */
GstSample *tune_stage_pull (GstElement * appsink);

/* Stops the element and waits for it; no callback follows. */
void tune_stage_free (TuneStage ** stage);

/* Starts a job with one sample for each input; the stage must not be busy.
 * Buffers keep their timestamps, which must differ between jobs. */
void tune_stage_push (TuneStage * stage, GstSample * const *inputs);

/* Puts a filter, such as "videoconvert ! stereorectify", before each input of a
 * stopped stage, instead of the one that is there; NULL = none. */
void tune_stage_set_filter (TuneStage * stage, const gchar * description);

/* Stops the element, which ends a job without outputs, and starts it again. */
void tune_stage_stop (TuneStage * stage);
void tune_stage_start (TuneStage * stage);

#endif /* TUNE_STAGE_H */
