/* gst-stereomatching: what a disparity buffer says about itself
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Every buffer with disparities carries a custom meta (see
 * gst_meta_register_custom()) of this name, which programs in any language read
 * with gst_buffer_get_custom_meta() and gst_custom_meta_get_structure():
 *
 *   field            type     meaning
 *   disparity-scale  double   codes for one pixel of disparity
 *   min-disparity    int      disparity of code 0, in pixels
 *   num-disparities  uint     disparities that were searched
 *   invalid-value    uint     code of pixels without a disparity
 *   reference-view   string   the view that the map belongs to: "left"
 *   left-pts         uint64   timestamps of the two images, in nanoseconds,
 *   right-pts        uint64   or GST_CLOCK_TIME_NONE
 *   algorithm        string   "vcbw", ...; "truth" for rendered ground truth
 *   backend          string   "cpu" or "cuda"
 *   focal-length     double   in pixels  } absent when not known
 *   baseline         double   in metres  }
 *   doffs            double   in pixels, added to a disparity for its depth }
 *
 * So disparity = code / disparity-scale + min-disparity, in GRAY16_LE and in
 * GRAY8, and depth = focal-length * baseline / (disparity + doffs).
 *
 * Elements that scale, crop, turn or convert video drop the meta, because the
 * numbers in it would no longer be true.
 */

#ifndef GST_STEREO_META_H
#define GST_STEREO_META_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_STEREO_DISPARITY_META "GstStereoDisparityMeta"

/* The same as a struct.  Strings are not owned. */
typedef struct
{
  gdouble disparity_scale;
  gint min_disparity;
  guint num_disparities;
  guint invalid_value;
  GstClockTime left_pts;
  GstClockTime right_pts;
  const gchar *algorithm;
  const gchar *backend;
  gdouble focal_length;         /* these three: 0 when not known */
  gdouble baseline;
  gdouble doffs;                /* goes with baseline */
} GstStereoDisparity;

/* Registers the meta; may be called again. */
void gst_stereo_meta_register (void);

/* Adds the meta to a writable buffer. */
void gst_stereo_meta_add (GstBuffer * buffer,
    const GstStereoDisparity * disparity);

/* FALSE, and nothing filled in, when the buffer has no such meta or one that
 * makes no sense.  The strings belong to the buffer. */
gboolean gst_stereo_meta_get (GstBuffer * buffer,
    GstStereoDisparity * disparity);

G_END_DECLS

#endif /* GST_STEREO_META_H */
