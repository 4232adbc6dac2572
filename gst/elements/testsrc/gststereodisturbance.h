/* gst-stereomatching: a right camera that is not aligned
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Where a disturbed right camera sees the points of the undisturbed right view.
 * Both cameras are in the same place, so this does not depend on disparities.
 *
 * The pixel (u, v) of the disturbed view, with the centre (cx, cy) of a view
 * and a focal length f of its larger side, is the direction
 *
 *   X = (u - cx) / f, Y = (v - cy - rows) / f, s = (1 + k1 (X^2 + Y^2)) / zoom
 *   (s X, s Y, 1)
 *
 * of the disturbed camera, which is turned by Rz(-roll) Ry(yaw) Rx(pitch) about
 * its axes, with x to the right, y down and z forward.  That direction is the
 * pixel (cx + f X' / Z', cy + f Y' / Z') of the undisturbed view.
 *
 * Computed with + - * / only, see gststereoscene-private.h.
 */

#ifndef GST_STEREO_DISTURBANCE_H
#define GST_STEREO_DISTURBANCE_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  double roll;                  /* degrees */
  double pitch;
  double yaw;
  double zoom;                  /* magnification */
  double rows;                  /* pixels */
  double k1;
  double blur;                  /* standard deviation, in pixels */
} GstStereoDisturbance;

/* Largest rotation about an axis, in degrees. */
#define GST_STEREO_MAX_ROTATION 45.0

#define GST_STEREO_MAX_BLUR 16

/* Whether anything changes. */
gboolean gst_stereo_disturbance_is_set (const GstStereoDisturbance *
    disturbance);

/* The mapping of a disturbance for views of a size. */
typedef struct
{
  gdouble rotation[9];          /* row by row */
  gdouble f, cx, cy, rows;
  gdouble zoom, k1;
} GstStereoWarp;

void gst_stereo_warp_init (GstStereoWarp * self,
    const GstStereoDisturbance * disturbance, gint width, gint height);

/* Part of the undisturbed view: width x height pixels from (x, y) on, which
 * may be outside of the view.  R, G, B in units of 1/256 grey level. */
typedef struct
{
  gint x, y, width, height;
  guint16 *rgb;
} GstStereoUndisturbed;

/* The part that the disturbed view needs.  Without rgb. */
GstStereoUndisturbed gst_stereo_warp_part (const GstStereoWarp * self,
    gint width, gint height, gdouble blur);

/* Row y of the disturbed view, interpolated by cubics; repeats the border of
 * the part. */
void gst_stereo_warp_row (const GstStereoWarp * self,
    const GstStereoUndisturbed * from, gint y, gint width, guint16 * rgb);

/* Applies a Gaussian filter in place. */
void gst_stereo_undisturbed_blur (GstStereoUndisturbed * self, gdouble sigma);

G_END_DECLS

#endif /* GST_STEREO_DISTURBANCE_H */
