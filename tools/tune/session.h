/* gst-stereomatching: what stereo-tune is made of
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * session.h: a source, a deck, one side or two, pictures of them, and viewers.
 *
 * commands.h says what viewers may do with it, announce.h what they are told.
 */

#ifndef TUNE_SESSION_H
#define TUNE_SESSION_H

#include "deck.h"
#include "options.h"
#include "pictures.h"
#include "truth.h"
#include "viewer.h"

typedef struct
{
  const TuneOptions *options;
  TuneSource *source;
  TuneDeck *deck;
  TuneSide *sides[TUNE_MAX_SIDES];      /* the second one may be NULL */
  TunePictures *pictures;
  TuneTruth truth;              /* of the file, or of the newest frame */
  TuneViews views;              /* those that exist */
  GPtrArray *viewers;           /* TuneViewer */
  guint64 n_changes;            /* of properties, so far */
  gchar *failure;               /* why the source has ended, or NULL */
  gboolean quiet;               /* all will be told anew: no single values */
  guint timer;
} TuneSession;

/* NULL, and in why, for g_free(), what is wrong. */
TuneSession *tune_session_new (const TuneOptions * options, gchar ** why);
void tune_session_free (TuneSession ** session);

/* FALSE when there are as many viewers as may be. */
gboolean tune_session_add_viewer (TuneSession * session,
    SoupWebsocketConnection * connection);

/* Sends a text to all viewers, and frees it. */
void tune_session_tell (TuneSession * session, gchar * text);

/* The same to one, which may be NULL: to all. */
void tune_session_tell_one (TuneSession * session, TuneViewer * viewer,
    gchar * text);

/* Adds or removes the second side, which begins as the first one is; viewers
 * have to be told all anew. */
void tune_session_compare (TuneSession * session, gboolean on);

/* What is seen may be of other settings than before, or wanted by others. */
void tune_session_refresh (TuneSession * session);

/* Elements of a side as viewers know them: those of the side and the scene. */
GstElement *tune_session_element (TuneSession * session, guint side,
    const gchar * name);

#endif /* TUNE_SESSION_H */
