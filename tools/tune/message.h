/* gst-stereomatching: what a page asks for
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * message.h: the text messages of a page, JSON objects with a member "type".
 *
 *   set      side element property value
 *   reset    side element [property]      without: all of the element's
 *   preset   side element name
 *   matcher  side factory
 *   compare  on
 *   pause    on
 *   step
 *   probe    side x y                     pixels of the left view
 *   line     side
 *   save
 *   load     text
 *   want     views width [small small_width]
 *                                         what is shown, and how large: pixels
 *                                         of the screen; small: thumbnails
 *   ack      frame                        a picture of it was shown
 *
 * side is "a" or "b", views are ids of tune_views.
 */

#ifndef TUNE_MESSAGE_H
#define TUNE_MESSAGE_H

#include "view.h"

#include <json-glib/json-glib.h>

/* Bytes of a message, and brackets inside of each other. */
#define TUNE_MESSAGE_SIZE 65536
#define TUNE_MESSAGE_DEPTH 16

typedef enum
{
  TUNE_SET,
  TUNE_RESET,
  TUNE_PRESET,
  TUNE_MATCHER,
  TUNE_COMPARE,
  TUNE_PAUSE,
  TUNE_STEP,
  TUNE_PROBE,
  TUNE_LINE,
  TUNE_SAVE,
  TUNE_LOAD,
  TUNE_WANT,
  TUNE_ACK,
  TUNE_N_MESSAGES
} TuneMessageType;

/* Texts and value belong to root.  What a type does not have is zero. */
typedef struct
{
  TuneMessageType type;
  guint side;                   /* 0 or 1 */
  const gchar *element;
  const gchar *property;
  const gchar *name;
  const gchar *factory;
  const gchar *text;
  JsonNode *value;
  gboolean on;
  gint x;                       /* 0 to 65535, like y and width */
  gint y;
  gint width;
  guint frame;
  TuneViews views;
  TuneViews small;
  gint small_width;
  JsonNode *root;
} TuneMessage;

/* Any JSON of a page or a file: an object, not too deep.  NULL, and in why, for
 * g_free(), what is wrong. */
JsonNode *tune_json_parse (const gchar * text, gsize size, gchar ** why);

/* FALSE, and in why, for g_free(), what would be right; else the message is
 * for tune_message_clear(). */
gboolean tune_message_parse (TuneMessage * message, const gchar * text,
    gsize size, gchar ** why);
void tune_message_clear (TuneMessage * message);

#endif /* TUNE_MESSAGE_H */
