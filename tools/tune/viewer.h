/* gst-stereomatching: the connection to a page
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * viewer.h: a WebSocket connection, with limits on the messages received and on
 * those in flight.
 *
 * A picture is a binary message:
 *
 *   byte 0       1, the version
 *   byte 1       index of the view in the last message "hello"
 *   byte 2       side: 0 = a, 1 = b
 *   byte 3       0 = JPEG, 1 = WebP
 *   bytes 4-7    frame number               } little endian
 *   bytes 8-11   width and height of the    }
 *                left view, in pixels       }
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
  /* A text message of the page. */
  void (*message) (TuneViewer * viewer, const gchar * text, gsize size,
      gpointer data);
  /* The viewer may be freed. */
  void (*closed) (TuneViewer * viewer, gpointer data);
} TuneViewerCallbacks;

TuneViewer *tune_viewer_new (SoupWebsocketConnection * connection,
    const TuneViewerCallbacks * callbacks, gpointer data);
void tune_viewer_free (TuneViewer * viewer);

/* Closes the connection if the viewer does not read. */
void tune_viewer_send_text (TuneViewer * viewer, const gchar * text);

/* Counts an invalid message and closes the connection after many of them. */
void tune_viewer_count_error (TuneViewer * viewer);

/* Sets the views that the page shows and their width in screen pixels; those
 * only in small are thumbnails. */
void tune_viewer_set_views (TuneViewer * viewer, TuneViews views, guint width,
    TuneViews small, guint small_width);
/* The union of views and small. */
TuneViews tune_viewer_views (TuneViewer * viewer);

/* Requests the picture in a slot if it is wanted, new, and may be sent. */
void tune_viewer_request (TuneViewer * viewer, TunePictures * pictures,
    TuneSlot slot);

/* Sends a picture if it was requested at this width.  index: of its view. */
void tune_viewer_send_picture (TuneViewer * viewer,
    const TunePicture * picture, guint index);

/* The page shows the picture of a frame. */
void tune_viewer_acknowledge (TuneViewer * viewer, guint frame);

#endif /* TUNE_VIEWER_H */
