/* gst-stereomatching: rendered stereo scenes with exact disparities
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A scene is defined in left image coordinates and disparity, (x, y, d), in
 * pixels; pixel centres have integer coordinates.  A view at position p, in
 * baselines from the left camera, projects along lines of constant x - p d; the
 * left view is at 0 and the right one at 1.  All projections are parallel, and
 * planes and ellipsoids of the world are planes and ellipsoids in this space.
 * Larger d is nearer.
 *
 * Colour belongs to points of the surfaces, so all views show a point in the
 * same colour at any subpixel offset.
 *
 * A scene depends only on its arguments and the frame number.  It belongs to
 * one thread.
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

/* A scene for views of this size, with disparities from 0 to
 * num_disparities - 1. */
GstStereoScene *gst_stereo_scene_new (GstStereoPattern pattern, guint seed,
    gint width, gint height, guint num_disparities);
void gst_stereo_scene_free (GstStereoScene * scene);

/* Places all surfaces for a frame.  Call it before rendering rows. */
void gst_stereo_scene_set_frame (GstStereoScene * scene, guint64 frame);

/* Largest distance of a view from the left camera, in baselines.  Farther out,
 * steep surfaces would occlude themselves. */
#define GST_STEREO_SCENE_FARTHEST 1.5

/* Pixels x to x + width - 1 of row y of the view at a position from
 * -GST_STEREO_SCENE_FARTHEST to GST_STEREO_SCENE_FARTHEST, which may be up to a
 * width or height outside of it: R, G, B in units of 1/256 grey level. */
void gst_stereo_scene_render_row (GstStereoScene * scene, gdouble position,
    gint y, gint x, gint width, guint16 * rgb);

/* Row y of the disparities of the left view; -1 where the point is occluded in
 * the right view or lies left of its image. */
void gst_stereo_scene_truth_row (GstStereoScene * scene, gint y,
    gdouble * disparity);

G_END_DECLS

#endif /* GST_STEREO_SCENE_H */
