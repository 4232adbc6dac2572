/* gst-stereomatching: one page that is open
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * viewer.h: a WebSocket connection, with limits on what comes in and on what
 * is on its way out.
 *
 * A picture is a binary message:
 *
 *   byte 0       1, the version
 *   byte 1       index of the view in the list of the last message hello
 *   byte 2       side: 0 = a, 1 = b
 *   byte 3       0 = JPEG, 1 = WebP
 *   bytes 4-7    number of the frame        } little endian
 *   bytes 8-11   width and height of the    }
 *                frame in its own pixels    }
 *   from 12 on   the picture
 */

#ifndef TUNE_VIEWER_H
#define TUNE_VIEWER_H

#include "pictures.h"

#include <libsoup/soup.h>

#define TUNE_PROTOCOL "stereo-tune-1"

typedef struct TuneViewer TuneViewer;

typedef struct
{
  /* A text of the page. */
  void (*said) (TuneViewer * viewer, const gchar * text, gsize size,
      gpointer data);
  /* It may be freed now. */
  void (*closed) (TuneViewer * viewer, gpointer data);
} TuneViewerCallbacks;

TuneViewer *tune_viewer_new (SoupWebsocketConnection * connection,
    const TuneViewerCallbacks * callbacks, gpointer data);
void tune_viewer_free (TuneViewer * viewer);

/* JSON; a viewer that takes nothing is closed. */
void tune_viewer_tell (TuneViewer * viewer, const gchar * text);

/* Counts an invalid message: many of them end the connection. */
void tune_viewer_blame (TuneViewer * viewer);

/* What its page shows, and at which width in pixels of the screen; those in
 * small are thumbnails, unless they are in views, too. */
void tune_viewer_want (TuneViewer * viewer, TuneViews views, guint width,
    TuneViews small, guint small_width);
/* All of both. */
TuneViews tune_viewer_views (TuneViewer * viewer);

/* Asks for what is new and wanted in a slot, if its link carries that now. */
void tune_viewer_offer (TuneViewer * viewer, TunePictures * pictures,
    TuneSlot slot);

/* Sends a picture if it wants that one.  index: of the view, for the page. */
void tune_viewer_show (TuneViewer * viewer, const TunePicture * picture,
    guint index);

/* The page has shown a picture of a frame. */
void tune_viewer_shown (TuneViewer * viewer, guint frame);

#endif /* TUNE_VIEWER_H */
