/* gst-stereomatching: rendered stereo scenes with exact disparities
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A scene lives in the space of left coordinates and disparity, (x, y, d), in
 * pixels; whole numbers are the centres of pixels. The left view looks along d,
 * the right view along the lines of constant x - d, and one from position p on
 * the line through both cameras, in baselines from the left one, along those of
 * constant x - p d. So all are parallel projections, and what is a plane or an
 * ellipsoid in the world is one here too. The larger d is the nearer.
 *
 * Colour belongs to the points of the surfaces, so all views see the same
 * colour of a point, whatever fraction of a pixel lies between them.
 *
 * A scene depends on nothing but its arguments and the number of the frame. It
 * is used by one thread at a time.
 */

#ifndef GST_STEREO_SCENE_H
#define GST_STEREO_SCENE_H

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  GST_STEREO_PATTERN_PLANES,
  GST_STEREO_PATTERN_SLANTED,
  GST_STEREO_PATTERN_SPHERE,
  GST_STEREO_PATTERN_CORRIDOR,
  GST_STEREO_PATTERN_THIN
} GstStereoPattern;

typedef struct _GstStereoScene GstStereoScene;

/* A scene for views of width x height pixels, with disparities from 0 to
 * num_disparities - 1. */
GstStereoScene *gst_stereo_scene_new (GstStereoPattern pattern, guint seed,
    gint width, gint height, guint num_disparities);
void gst_stereo_scene_free (GstStereoScene * scene);

/* Moves everything to where it is in that frame; before any row. */
void gst_stereo_scene_set_frame (GstStereoScene * scene, guint64 frame);

/* How far from the left camera a view may be, in baselines: further out, steep
 * surfaces would fold. */
#define GST_STEREO_SCENE_FARTHEST 1.5

/* Row y of the view from that position, which is 0 for the left view and 1 for
 * the right one, from -GST_STEREO_SCENE_FARTHEST to GST_STEREO_SCENE_FARTHEST:
 * width times R, G, B in units of 1/256 grey level. */
void gst_stereo_scene_render_row (GstStereoScene * scene, gdouble position,
    gint y, guint16 * rgb);

/* Row y of the left view's disparities; -1 where the right view doesn't see
 * the point, because something hides it or it lies left of the image. */
void gst_stereo_scene_truth_row (GstStereoScene * scene, gint y,
    gdouble * disparity);

G_END_DECLS

#endif /* GST_STEREO_SCENE_H */
