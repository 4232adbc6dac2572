/* gst-stereomatching: messages of the page
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * message.h: the text messages of a page, JSON objects with a member "type".
 *
 *   set      side element property value
 *   reset    side element [property]      without: all of the element
 *   preset   side element name
 *   matcher  side factory
 *   compare  on
 *   pause    on
 *   step
 *   probe    side x y                     pixels of the left view
 *   matches  side                         of the newest pair
 *   line     side
 *   save
 *   load     text
 *   want     views width [small small_width]
 *                                         the views to show and their width in
 *                                         screen pixels; small: thumbnails
 *   ack      frame                        its picture is shown
 *
 * side is "a" or "b", views are ids of tune_views.
 */

#ifndef TUNE_MESSAGE_H
#define TUNE_MESSAGE_H

#include <json-glib/json-glib.h>

typedef enum
{
  TUNE_VIEW_LEFT,
  TUNE_VIEW_RIGHT,
  TUNE_VIEW_DISPARITY,
  TUNE_VIEW_CONFIDENCE,
  TUNE_VIEW_DEPTH,
  TUNE_VIEW_VIEW,
  TUNE_VIEW_WRONG,
  TUNE_N_VIEWS
} TuneView;

/* A set of views: 1 << view. */
typedef unsigned TuneViews;

typedef struct
{
  const char *id;               /* in messages */
  const char *title;            /* on the page */
} TuneViewName;

extern const TuneViewName tune_views[TUNE_N_VIEWS];

/* Maximum size in bytes and nesting of brackets. */
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
  TUNE_MATCHES,
  TUNE_LINE,
  TUNE_SAVE,
  TUNE_LOAD,
  TUNE_WANT,
  TUNE_ACK,
  TUNE_N_MESSAGES
} TuneMessageType;

/* root owns texts and value.  Members that the message does not have are 0. */
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
  guint x;                      /* 0 to 65535, as y and the widths */
  guint y;
  guint width;
  guint frame;
  TuneViews views;
  TuneViews small;
  guint small_width;
  JsonNode *root;
} TuneMessage;

/* Parses JSON of a page or a file, which must be an object.  NULL, and in why,
 * for g_free(), the reason. */
JsonNode *tune_json_parse (const gchar * text, gsize size, gchar ** why);

/* The string of a node, or NULL. */
const gchar *tune_json_string (JsonNode * node);

/* FALSE, and in why, for g_free(), what was expected; else the message is for
 * tune_message_clear(). */
gboolean tune_message_parse (TuneMessage * message, const gchar * text,
    gsize size, gchar ** why);
void tune_message_clear (TuneMessage * message);

#endif /* TUNE_MESSAGE_H */
