/* gst-stereomatching: one setting of a matcher, and what it makes of a pair
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * side.h: a matcher and the elements that show its map, each of them a stage.
 *
 * A pair goes to the matcher.  When the map is there, the next pair may come,
 * and the other elements get the map, those whose picture somebody wants; one
 * that is still busy then gets the newest map when it is done.
 */

#ifndef TUNE_SIDE_H
#define TUNE_SIDE_H

#include "source.h"
#include "stage.h"
#include "view.h"

#include <json-glib/json-glib.h>

typedef struct TuneSide TuneSide;

typedef struct
{
  /* The next pair may come. */
  void (*ready) (TuneSide * side, gpointer data);
  gboolean (*wanted) (TuneView view, gpointer data);
  /* sample is borrowed. */
  void (*picture) (TuneSide * side, TuneView view, GstSample * sample,
      guint frame, gpointer data);
  /* A property has another value, whoever set it. */
  void (*changed) (TuneSide * side, const gchar * element,
      GParamSpec * property, gpointer data);
  void (*said) (TuneSide * side, TuneLevel level, const gchar * text,
      gpointer data);
} TuneSideCallbacks;

/* index: 0 or 1; factory is a matcher's name. */
TuneSide *tune_side_new (guint index, const gchar * factory,
    const TuneSideCallbacks * callbacks, gpointer data);
void tune_side_free (TuneSide ** side);

guint tune_side_index (TuneSide * side);

/* --------------------------------------------------------------- elements */

/* Names of its elements, ending with NULL: "matcher", ... */
extern const gchar *const tune_side_elements[];

/* The element of that name, or NULL. */
GstElement *tune_side_element (TuneSide * side, const gchar * name);

/* Another matcher in place of the one that is there, with what was set and
 * both have; none is lost but the pair that it works on, which the new one
 * gets. */
void tune_side_exchange (TuneSide * side, const gchar * factory);

/* Calls change() for an element, which is down meanwhile if it has to be; the
 * side is busy as long. */
void tune_side_change (TuneSide * side, const gchar * name, gboolean live,
    void (*change) (GstElement * element, gpointer data), gpointer data);

/* ------------------------------------------------------------------ frames */

/* Begins one; the side is not busy. */
void tune_side_give (TuneSide * side, const TunePair * pair, guint frame);
gboolean tune_side_busy (TuneSide * side);

/* What is newest, borrowed, and NULL before there is anything. */
GstSample *tune_side_map (TuneSide * side);
GstSample *tune_side_confidence (TuneSide * side);
/* The pair that the map is of; of NULLs before there is one. */
const TunePair *tune_side_pair (TuneSide * side);
guint tune_side_frame (TuneSide * side);

/* Focal length, baseline and difference of principal points as the element for
 * depths takes them; FALSE when they are not known. */
gboolean tune_side_camera (TuneSide * side, gdouble camera[3]);

/* Adds the members of what can be said of its speed to an open object, over
 * the time since this was last called. */
void tune_side_add_speed (TuneSide * side, JsonBuilder * builder);

#endif /* TUNE_SIDE_H */
