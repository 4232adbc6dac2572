/* gst-stereomatching: metadata of depth maps
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Every buffer of `disparitydepth` carries a custom meta of this name, which is
 * read like that of a disparity (gststereometa.h):
 *
 *   field           type     meaning
 *   depth-scale     double   codes for one metre
 *   invalid-value   uint     code of pixels without a depth: 0
 *   range-min       double   in metres: the intersection of the element's range
 *   range-max       double   and of the depths that can be found
 *   focal-length    double   in pixels
 *   baseline        double   in metres
 *   cx, cy          double   principal point, in pixels; absent if unknown
 *   projection      string   "cylinder", or absent: a plane
 *   reference-view  string   the view that the map belongs to: "left"
 *   left-pts        uint64   timestamps of the two images, in nanoseconds,
 *   right-pts       uint64   or GST_CLOCK_TIME_NONE
 *
 * So depth = code / depth-scale, in metres along the optical axis, on a
 * cylinder from the baseline.
 *
 * Elements that scale, crop or convert video drop the meta, because its numbers
 * would be wrong.  videoflip keeps it.
 */

#ifndef GST_STEREO_DEPTH_META_H
#define GST_STEREO_DEPTH_META_H

#include "geometry/camera.h"

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_STEREO_DEPTH_META "GstStereoDepthMeta"

/* The same as a struct. */
typedef struct
{
  gdouble scale;                /* above 0 */
  gdouble range_min;
  gdouble range_max;
  gdouble focal_length;
  gdouble baseline;
  gboolean has_center;
  gdouble cx;                   /* these two: if has_center */
  gdouble cy;
  StereoProjection projection;
  GstClockTime left_pts;
  GstClockTime right_pts;
} GstStereoDepth;

/* Registers the meta; may be called again. */
void gst_stereo_depth_meta_register (void);

/* Adds the meta to a writable buffer. */
void gst_stereo_depth_meta_add (GstBuffer * buffer,
    const GstStereoDepth * depth);

/* FALSE, with nothing filled in, if the buffer has no such meta or an invalid
 * one. */
gboolean gst_stereo_depth_meta_get (GstBuffer * buffer,
    GstStereoDepth * depth);

/* The same for a structure with the fields of the meta. */
void gst_stereo_depth_meta_fill (GstStructure * structure,
    const GstStereoDepth * depth);
gboolean gst_stereo_depth_meta_read (const GstStructure * structure,
    GstStereoDepth * depth);

G_END_DECLS

#endif /* GST_STEREO_DEPTH_META_H */
