/* gst-stereomatching: the connection to a page
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "viewer.h"

#include "message.h"
#include "pipeline.h"

#include <string.h>

#define HEADER_SIZE 12
/* Maximum bytes of text in flight to a page that sends nothing. */
#define MAX_TEXT (1024 * 1024)
/* Messages per second on average, and in a burst. */
#define MESSAGE_RATE 200
#define MESSAGE_BURST 400
/* Invalid messages during a connection. */
#define MAX_ERRORS 100
#define KEEPALIVE 15            /* seconds */

struct TuneViewer
{
  TuneViewerCallbacks callbacks;
  gpointer data;
  SoupWebsocketConnection *connection;
  TuneViews views;
  guint width;
  TuneViews small;
  guint small_width;
  guint sent[TUNE_MAX_SIDES][TUNE_N_VIEWS];     /* last frame sent */
  TunePipeline pipeline;
  gsize n_text;                 /* bytes sent since its last message */
  gdouble credit;               /* messages that it may send */
  gint64 credited;              /* the time of credit, monotonic */
  guint n_errors;
};

static gboolean
is_open (TuneViewer * viewer)
{
  return soup_websocket_connection_get_state (viewer->connection)
      == SOUP_WEBSOCKET_STATE_OPEN;
}

static void
close_connection (TuneViewer * viewer, const gchar * why)
{
  if (is_open (viewer))
    soup_websocket_connection_close (viewer->connection,
        SOUP_WEBSOCKET_CLOSE_POLICY_VIOLATION, why);
}

static gboolean
is_too_fast (TuneViewer * viewer)
{
  const gint64 now = g_get_monotonic_time ();

  viewer->credit += (gdouble) (now - viewer->credited) * MESSAGE_RATE
      / G_USEC_PER_SEC;
  viewer->credit = MIN (viewer->credit, MESSAGE_BURST);
  viewer->credited = now;
  if (viewer->credit < 1)
    return TRUE;
  viewer->credit -= 1;
  return FALSE;
}

static void
take_message (SoupWebsocketConnection * connection, gint type, GBytes * bytes,
    gpointer data)
{
  TuneViewer *viewer = data;
  gsize size;
  const gchar *text = g_bytes_get_data (bytes, &size);

  (void) connection;
  viewer->n_text = 0;
  if (is_too_fast (viewer))
    close_connection (viewer, "too many messages");
  else if (type != SOUP_WEBSOCKET_DATA_TEXT)
    close_connection (viewer, "expected a text message");
  else
    viewer->callbacks.message (viewer, text != NULL ? text : "", size,
        viewer->data);
}

static void
connection_closed (SoupWebsocketConnection * connection, gpointer data)
{
  TuneViewer *viewer = data;

  (void) connection;
  viewer->callbacks.closed (viewer, viewer->data);
}

void
tune_viewer_count_error (TuneViewer * viewer)
{
  if (++viewer->n_errors > MAX_ERRORS)
    close_connection (viewer, "too many invalid messages");
}

TuneViewer *
tune_viewer_new (SoupWebsocketConnection * connection,
    const TuneViewerCallbacks * callbacks, gpointer data)
{
  TuneViewer *viewer = g_new0 (TuneViewer, 1);

  viewer->callbacks = *callbacks;
  viewer->data = data;
  viewer->connection = g_object_ref (connection);
  viewer->credit = MESSAGE_BURST;
  viewer->credited = g_get_monotonic_time ();
  soup_websocket_connection_set_max_incoming_payload_size (connection,
      TUNE_MESSAGE_SIZE);
  soup_websocket_connection_set_keepalive_interval (connection, KEEPALIVE);
  g_signal_connect (connection, "message", G_CALLBACK (take_message), viewer);
  g_signal_connect (connection, "closed", G_CALLBACK (connection_closed),
      viewer);
  return viewer;
}

void
tune_viewer_free (TuneViewer * viewer)
{
  g_signal_handlers_disconnect_by_data (viewer->connection, viewer);
  close_connection (viewer, NULL);
  g_object_unref (viewer->connection);
  g_free (viewer);
}

void
tune_viewer_send_text (TuneViewer * viewer, const gchar * text)
{
  if (!is_open (viewer))
    return;
  viewer->n_text += strlen (text);
  if (viewer->n_text > MAX_TEXT)
    close_connection (viewer, "it does not read");
  else
    soup_websocket_connection_send_text (viewer->connection, text);
}

void
tune_viewer_set_views (TuneViewer * viewer, TuneViews views, guint width,
    TuneViews small, guint small_width)
{
  viewer->views = views;
  viewer->width = width;
  viewer->small = small;
  viewer->small_width = small_width;
  memset (viewer->sent, 0, sizeof (viewer->sent));
}

TuneViews
tune_viewer_views (TuneViewer * viewer)
{
  return viewer->views | viewer->small;
}

static guint
get_width (TuneViewer * viewer, TuneView view)
{
  return tune_pictures_width (viewer->views & 1u << view ? viewer->width
      : viewer->small_width, viewer->pipeline.reduction);
}

/* Whether the picture of a frame is new to the viewer and may be sent now. */
static gboolean
accepts (TuneViewer * viewer, TuneSlot slot, guint frame)
{
  return (tune_viewer_views (viewer) & 1u << slot.view) != 0
      && frame > viewer->sent[slot.side][slot.view]
      && tune_pipeline_can_send (&viewer->pipeline, frame) && is_open (viewer);
}

void
tune_viewer_request (TuneViewer * viewer, TunePictures * pictures,
    TuneSlot slot)
{
  const guint frame = tune_pictures_frame (pictures, slot);

  if (frame > 0 && accepts (viewer, slot, frame))
    tune_pictures_request (pictures, slot, get_width (viewer, slot.view));
}

void
tune_viewer_send_picture (TuneViewer * viewer, const TunePicture * picture,
    guint index)
{
  guint8 header[HEADER_SIZE] = { 1, (guint8) index,
    (guint8) picture->slot.side, picture->webp
  };
  GByteArray *message;
  gsize size;
  const guint8 *bytes = g_bytes_get_data (picture->bytes, &size);
  g_autoptr (GBytes) whole = NULL;

  if (picture->width != get_width (viewer, picture->slot.view)
      || !accepts (viewer, picture->slot, picture->frame))
    return;
  GST_WRITE_UINT32_LE (header + 4, picture->frame);
  GST_WRITE_UINT16_LE (header + 8, picture->frame_width);
  GST_WRITE_UINT16_LE (header + 10, picture->frame_height);
  message = g_byte_array_sized_new ((guint) (HEADER_SIZE + size));
  g_byte_array_append (message, header, HEADER_SIZE);
  g_byte_array_append (message, bytes, (guint) size);
  whole = g_byte_array_free_to_bytes (message);
  soup_websocket_connection_send_message (viewer->connection,
      SOUP_WEBSOCKET_DATA_BINARY, whole);
  viewer->sent[picture->slot.side][picture->slot.view] = picture->frame;
  tune_pipeline_send (&viewer->pipeline, picture->frame,
      g_get_monotonic_time ());
}

void
tune_viewer_acknowledge (TuneViewer * viewer, guint frame)
{
  tune_pipeline_acknowledge (&viewer->pipeline, frame, g_get_monotonic_time ());
}
