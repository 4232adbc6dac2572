/* gst-stereomatching: the source of view pairs
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * source.h: files in a loop, a rendered scene, or a pipeline of the user,
 * decoded and paired by timestamp.
 *
 * Must be used in the thread of the default main context.
 */

#ifndef TUNE_SOURCE_H
#define TUNE_SOURCE_H

#include "options.h"

#include <gst/gst.h>

/* Owned samples; truth may be NULL. */
typedef struct
{
  GstSample *left;
  GstSample *right;
  GstSample *truth;
} TunePair;

void tune_pair_clear (TunePair * pair);
/* A copy with other timestamps, for tune_pair_clear(); discont: it does not
 * continue the previous frame. */
TunePair tune_pair_stamp (const TunePair * pair, GstClockTime pts,
    GstClockTime duration, gboolean discont);

typedef struct
{
  /* There may be a pair again. */
  void (*available) (gpointer data);
  /* The source has failed; text does not name files. */
  void (*failed) (const gchar * text, gpointer data);
} TuneSourceCallbacks;

#define TUNE_N_STREAMS 3

/* Read-only outside of source.c. */
typedef struct
{
  gboolean live;
  gboolean still;               /* consists of a single pair */
  GstClockTime duration;        /* from frame to frame, in nanoseconds */
  GstElement *scene;            /* of the demo, or NULL: set its properties and
                                   call tune_source_sync_scenes() */

  /* private */
  TuneSourceCallbacks callbacks;
  gpointer data;
  const TuneOptions *options;
  GstElement *pipeline;         /* NULL: of two images */
  GstElement *sinks[TUNE_N_STREAMS];    /* owned by the pipeline; truth may be
                                           NULL */
  GstSample *pending[TUNE_N_STREAMS];   /* not paired yet */
  guint64 n_arrived;            /* left views */
  guint64 n_taken;
  guint64 n_unpaired;
  guint64 n_pairs;              /* since the start */
  gboolean playing, restarted, failed;
} TuneSource;

/* Waits for the first pictures, unless they are live or take long.  NULL and an
 * error if the description is invalid or a file cannot be decoded. */
TuneSource *tune_source_new (const TuneOptions * options,
    const TuneSourceCallbacks * callbacks, gpointer data, GError ** error);
/* Of two images, which it takes; options describe them as files. */
TuneSource *tune_source_new_still (const TuneOptions * options,
    GstSample * left, GstSample * right);
void tune_source_free (TuneSource ** source);

/* The size of a stream, 0 if not known yet; 2 is the ground truth. */
void tune_source_size (TuneSource * source, guint stream, gint * width,
    gint * height);

/* The next pair, for tune_pair_clear(); FALSE if there is none now. */
gboolean tune_source_next (TuneSource * source, TunePair * pair,
    gboolean * discont);

/* Whether its pipeline has a stereorectify for each view that takes
 * corrections. */
gboolean tune_source_takes_corrections (TuneSource * source);

/* The number of views that were unpaired or superseded. */
guint64 tune_source_dropped (TuneSource * source);

/* Sets a property of all scenes to its value in the first one. */
void tune_source_sync_scenes (TuneSource * source, GParamSpec * property);

/* The description of the pipeline, as for gst-launch-1.0, with elements called
 * left and right; for g_free(). */
gchar *tune_source_description (TuneSource * source);

/* A path as a value in a description: absolute and quoted; for g_free(). */
gchar *tune_quote_path (const gchar * path);

/* A title without folders; for g_free(). */
gchar *tune_source_title (TuneSource * source);

#endif /* TUNE_SOURCE_H */
