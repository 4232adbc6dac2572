/* gst-stereomatching: a matcher with the elements that show its map
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * side.h: one side of the comparison: a matcher and the elements that show its
 * disparity map, each of them a stage.
 *
 * A pair goes to the matcher.  Once the map is there, the next pair may follow,
 * and the map goes to the other elements whose picture is wanted.  An element
 * that is busy gets the newest map when it is done.
 *
 * With alignment=correct, the views go through stereorectify before the
 * matcher, which takes its corrections.
 */

#ifndef TUNE_SIDE_H
#define TUNE_SIDE_H

#include "message.h"
#include "source.h"
#include "stage.h"

typedef struct TuneSide TuneSide;

typedef struct
{
  /* The side accepts the next pair. */
  void (*ready) (TuneSide * side, gpointer data);
  gboolean (*is_wanted) (TuneView view, gpointer data);
  /* A new picture of a view; sample is borrowed. */
  void (*picture) (TuneSide * side, TuneView view, GstSample * sample,
      guint frame, gpointer data);
  /* A property has changed, by a page or by an element. */
  void (*changed) (TuneSide * side, const gchar * element,
      GParamSpec * property, gpointer data);
  void (*warning) (TuneSide * side, const gchar * text, gpointer data);
  /* tune_side_error() has changed. */
  void (*failed) (TuneSide * side, gpointer data);
} TuneSideCallbacks;

typedef enum
{
  TUNE_MATCHER_STAGE,
  TUNE_COLOR_STAGE,
  TUNE_DEPTH_STAGE,
  TUNE_DEPTH_COLOR_STAGE,
  TUNE_VIEW_STAGE,
  TUNE_N_STAGES
} TuneStageIndex;

/* Read-only outside of side.c. */
struct TuneSide
{
  guint index;                  /* 0 or 1 */
  guint frame;                  /* the number of the newest map */
  GstSample *map;               /* NULL before the first one */
  GstSample *confidence;        /* or NULL */
  TunePair pair;                /* of the map; corrected views */

  /* private */
  const gchar *weights;
  TuneSideCallbacks callbacks;
  gpointer data;
  TuneStage *stages[TUNE_N_STAGES];
  guint frames[TUNE_N_STAGES];  /* the number of each stage's job */
  gboolean outdated[TUNE_N_STAGES];     /* a newer map came during the job */
  gboolean changing;            /* a stage is stopped for a change */
  TunePair given;               /* the last pair of the matcher */
  guint given_frame;
  guint n_unsettled;            /* maps in a row whose views do not have the
                                   correction that the matcher asks for */
  guint n_maps;                 /* since the last statistics */
  gint64 since;
};

/* factory is the name of a matcher; weights, a file or NULL, is borrowed. */
TuneSide *tune_side_new (guint index, const gchar * factory,
    const gchar * weights, const TuneSideCallbacks * callbacks, gpointer data);
void tune_side_free (TuneSide ** side);

/* Names of its elements, terminated by NULL: "matcher", ... */
extern const gchar *const tune_side_elements[];

/* The element of that name, or NULL. */
GstElement *tune_side_element (TuneSide * side, const gchar * name);

/* The name of the matcher's factory. */
const gchar *tune_side_matcher (TuneSide * side);

/* Prepares the matcher for views of other cameras: drops the pair that it is
 * working on, and forgets the alignment of the views. */
void tune_side_reset_views (TuneSide * side);

/* Whether the newest map is of views whose correction has changed meanwhile, so
 * that the pair should be processed again. */
gboolean tune_side_is_outdated (TuneSide * side);

/* Replaces the matcher and keeps the properties that both have.  The new
 * matcher gets the pair that the old one was working on. */
void tune_side_set_matcher (TuneSide * side, const gchar * factory);

/* Calls change() for an element, which is stopped meanwhile unless live; the
 * depth also if it is busy. */
void tune_side_change (TuneSide * side, const gchar * name, gboolean live,
    void (*change) (GstElement * element, gpointer data), gpointer data);

/* Processes a pair, if the side is ready: neither busy nor failed. */
void tune_side_push (TuneSide * side, const TunePair * pair, guint frame);
gboolean tune_side_is_ready (TuneSide * side);

/* The error of its matcher or of another element, or NULL. */
const gchar *tune_side_error (TuneSide * side);

/* Focal length, baseline and difference of the principal points, as the depth
 * element uses them; FALSE if unknown. */
gboolean tune_side_camera (TuneSide * side, gdouble camera[3]);

/* Adds the speed since the last call to a message of statistics. */
void tune_side_add_speed (TuneSide * side, JsonObject * object);

#endif /* TUNE_SIDE_H */
