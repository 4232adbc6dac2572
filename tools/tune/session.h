/* gst-stereomatching: the state of stereo-tune
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * session.h: a source, one or two sides, their pictures, and the viewers.
 *
 * message.h has the messages of viewers, notifications.h those to them.
 */

#ifndef TUNE_SESSION_H
#define TUNE_SESSION_H

#include "alignment.h"
#include "map.h"
#include "options.h"
#include "pictures.h"
#include "side_by_side.h"
#include "viewer.h"

typedef struct
{
  const TuneOptions *options;
  TuneOptions images;           /* options, for images of a page */
  TuneSource *source;
  TuneSideBySide *side_by_side;
  TuneSide *sides[TUNE_MAX_SIDES];      /* the second one may be NULL */
  TunePictures *pictures;
  TuneAligner *aligner;         /* NULL without memory */
  guint matches_frame[TUNE_MAX_SIDES];  /* frame of matches; 0 = none */
  gchar *matches[TUNE_MAX_SIDES];       /* the last message of a side */
  TuneTruth truth;              /* of a file, or of the newest frame */
  TuneViews views;              /* those available */
  GPtrArray *viewers;           /* TuneViewer */
  guint64 n_changes;            /* of properties */
  gchar *failure;               /* of the source, or NULL */
  gboolean quiet;               /* do not notify single values */
  guint timer;
} TuneSession;

/* NULL, and in why, for g_free(), the error. */
TuneSession *tune_session_new (const TuneOptions * options, gchar ** why);
void tune_session_free (TuneSession ** session);

/* FALSE if there are too many viewers. */
gboolean tune_session_add_viewer (TuneSession * session,
    SoupWebsocketConnection * connection);

/* Sends a text to a viewer or, for NULL, to all, and frees it. */
void tune_session_send (TuneSession * session, TuneViewer * viewer,
    gchar * text);

/* Replaces the source by two images of one size, which it takes.  Their camera
 * is unknown. */
void tune_session_open_pair (TuneSession * session, GstSample * left,
    GstSample * right);

/* Adds the second side, a copy of the first one, or removes it; the caller
 * notifies the viewers. */
void tune_session_compare (TuneSession * session, gboolean on);

/* Executes a message of a viewer, which gets an error message if it is wrong.
 * In commands.c. */
void tune_session_run (TuneViewer * viewer, const gchar * text, gsize size,
    gpointer session);

/* An element of a side or the scene, by its name in messages, or NULL. */
GstElement *tune_session_element (TuneSession * session, guint side,
    const gchar * name);

/* ---------------------------------------------------------------- settings */

/*
 * Settings are the properties that differ from their defaults, in JSON:
 *
 *   {
 *     "stereo-tune": 1,
 *     "a": {
 *       "matcher": {"factory": "stereosgm", "properties": {"p1": 80}},
 *       "color": {"properties": {"legend": true}}
 *     }
 *   }
 *
 * and "b" if there are two sides.
 */

/* A new node. */
JsonNode *tune_settings_get (TuneSession * session);

/* Applies settings, and resets all other properties; the caller notifies the
 * viewers.  FALSE, and in why, for g_free(), the first error: everything valid
 * is applied nevertheless. */
gboolean tune_settings_set (TuneSession * session, const gchar * text,
    gsize size, gchar ** why);

/* The same from a file. */
gboolean tune_settings_read (TuneSession * session, const gchar * path,
    gchar ** why);

/* Applies the settings of the first side to the second one. */
void tune_settings_copy (TuneSession * session, JsonNode * settings);

#endif /* TUNE_SESSION_H */
