/* gst-stereomatching: what a rectified view says about its camera
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Every buffer of `stereorectify` carries a custom meta of this name, which is
 * read like that of a disparity (gststereometa.h).  A matcher takes what the
 * left view has into the meta of its maps.
 *
 *   field         type    meaning
 *   view          string  "left" or "right"
 *   focal-length  double  in pixels, of the rectified view
 *   cx, cy        double  the principal point: the column and the row, from 0,
 *                         of what is straight ahead
 *   baseline      double  in metres                       } absent when not
 *   doffs         double  in pixels: cx of the right view } known
 *                         less that of the left one       }
 *
 * Elements that scale, crop or turn video drop the meta, because the numbers in
 * it would no longer be true.
 */

#ifndef GST_STEREO_CAMERA_META_H
#define GST_STEREO_CAMERA_META_H

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
} GstStereoCamera;

/* Registers the meta; may be called again. */
void gst_stereo_camera_meta_register (void);

/* Adds the meta to a writable buffer. */
void gst_stereo_camera_meta_add (GstBuffer * buffer,
    const GstStereoCamera * camera);

/* FALSE, and nothing filled in, when the buffer has no such meta or one that
 * makes no sense. */
gboolean gst_stereo_camera_meta_get (GstBuffer * buffer,
    GstStereoCamera * camera);

G_END_DECLS

#endif /* GST_STEREO_CAMERA_META_H */
