/* gst-stereomatching: where pairs of views come from
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * source.h: files that are played again and again, a rendered scene, or a
 * pipeline of the user's, decoded and paired by timestamp.
 *
 * For the thread of the default main context.
 */

#ifndef TUNE_SOURCE_H
#define TUNE_SOURCE_H

#include "options.h"

#include <gst/gst.h>

/* Samples that the owner has references to; truth may be NULL. */
typedef struct
{
  GstSample *left;
  GstSample *right;
  GstSample *truth;
} TunePair;

void tune_pair_clear (TunePair * pair);
/* A copy of a pair with other timestamps, for tune_pair_clear().  DISCONT says
 * that it does not go on from the frame before. */
TunePair tune_pair_stamp (const TunePair * pair, GstClockTime pts,
    GstClockTime duration, gboolean discont);

typedef struct TuneSource TuneSource;

typedef struct
{
  /* There may be a pair where there was none. */
  void (*available) (gpointer data);
  /* It has failed, and ends; text names no files. */
  void (*failed) (const gchar * text, gpointer data);
} TuneSourceCallbacks;

/* NULL and an error when the description is wrong. */
TuneSource *tune_source_new (const TuneOptions * options,
    const TuneSourceCallbacks * callbacks, gpointer data, GError ** error);
void tune_source_free (TuneSource ** source);

/* The next pair, for tune_pair_clear(), and whether it goes on from the one
 * before; FALSE when there is none now. */
gboolean tune_source_next (TuneSource * source, TunePair * pair,
    gboolean * discont);

/* Whether there was one pair only, which is all that there will be. */
gboolean tune_source_is_still (TuneSource * source);
gboolean tune_source_is_live (TuneSource * source);

/* Nanoseconds from frame to frame. */
GstClockTime tune_source_duration (TuneSource * source);

/* Views that were left out because they came too fast, or alone. */
guint64 tune_source_dropped (TuneSource * source);

/* The elements of a rendered scene, of which the first one stands for all:
 * what is set there is set in the others by tune_source_follow(). */
GstElement *tune_source_scene (TuneSource * source);
void tune_source_follow (TuneSource * source, GParamSpec * property);

/* The text of gst-launch-1.0 that has elements called left and right; files
 * without their folders.  For g_free(). */
gchar *tune_source_line (TuneSource * source);

/* A few words for people, without folders; for g_free(). */
gchar *tune_source_title (TuneSource * source);

#endif /* TUNE_SOURCE_H */
