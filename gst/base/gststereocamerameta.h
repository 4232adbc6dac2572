/* gst-stereomatching: metadata of rectified views
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Every buffer of `stereorectify` carries a custom meta of this name, which is
 * read like that of a disparity (gststereometa.h).  A matcher copies the camera
 * of the left view to the meta of its maps.
 *
 *   field         type    meaning
 *   view          string  "left" or "right"
 *   focal-length  double  in pixels, of the rectified view
 *   cx, cy        double  principal point: column and row, from 0
 *   baseline      double  in metres                       } absent if unknown
 *   doffs         double  in pixels: cx of the right view }
 *                         less that of the left one       }
 *   projection    string  "cylinder", or absent: a plane
 *
 * Elements that convert or scale video keep the meta and scale its numbers, if
 * the proportions stay the same; those that crop video drop it.  videoflip
 * keeps it.
 */

#ifndef GST_STEREO_CAMERA_META_H
#define GST_STEREO_CAMERA_META_H

#include "geometry/camera.h"

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_STEREO_CAMERA_META "GstStereoCameraMeta"

/* The same as a struct. */
typedef struct
{
  gboolean is_right;
  gdouble focal_length;         /* above 0 */
  gdouble cx;
  gdouble cy;
  gdouble baseline;             /* 0 when not known */
  gdouble doffs;                /* goes with baseline */
  StereoProjection projection;
} GstStereoCamera;

/* Registers the meta; may be called again. */
void gst_stereo_camera_meta_register (void);

/* Adds the meta to a writable buffer. */
void gst_stereo_camera_meta_add (GstBuffer * buffer,
    const GstStereoCamera * camera);

/* FALSE, with nothing filled in, if the buffer has no such meta or an invalid
 * one. */
gboolean gst_stereo_camera_meta_get (GstBuffer * buffer,
    GstStereoCamera * camera);

G_END_DECLS

#endif /* GST_STEREO_CAMERA_META_H */
