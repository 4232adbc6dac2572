/* gst-stereomatching: limit of fragmented messages
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "frame_limit.h"

/* Of the first byte of a frame. */
#define FINAL 0x80
#define CONTROL 0x08

G_DECLARE_FINAL_TYPE (TuneFrameLimit, tune_frame_limit, TUNE, FRAME_LIMIT,
    SoupWebsocketExtension)

struct _TuneFrameLimit
{
  SoupWebsocketExtension parent;
  gsize maximum;
  gsize size;                   /* of the message until now */
};

G_DEFINE_TYPE (TuneFrameLimit, tune_frame_limit, SOUP_TYPE_WEBSOCKET_EXTENSION)

static GBytes *
count_frame (SoupWebsocketExtension * extension, guint8 * header,
    GBytes * payload, GError ** error)
{
  TuneFrameLimit *limit = TUNE_FRAME_LIMIT (extension);

  if (header[0] & CONTROL)
    return payload;
  limit->size += g_bytes_get_size (payload);
  if (limit->size > limit->maximum) {
    g_bytes_unref (payload);
    g_set_error (error, SOUP_WEBSOCKET_ERROR, SOUP_WEBSOCKET_CLOSE_TOO_BIG,
        "message of more than %zu bytes", limit->maximum);
    return NULL;
  }
  if (header[0] & FINAL)
    limit->size = 0;
  return payload;
}

static void
tune_frame_limit_class_init (TuneFrameLimitClass * klass)
{
  SOUP_WEBSOCKET_EXTENSION_CLASS (klass)->process_incoming_message =
      count_frame;
}

static void
tune_frame_limit_init (TuneFrameLimit * limit)
{
  (void) limit;
}

SoupWebsocketExtension *
tune_frame_limit_new (gsize size)
{
  TuneFrameLimit *limit = g_object_new (tune_frame_limit_get_type (), NULL);

  limit->maximum = size;
  return SOUP_WEBSOCKET_EXTENSION (limit);
}
