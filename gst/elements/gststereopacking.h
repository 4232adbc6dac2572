/* gst-stereomatching: frame packing
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_PACKING_H
#define GST_STEREO_PACKING_H

#include "stereo.h"

#include <gst/video/video.h>

G_BEGIN_DECLS

/* Arrangement of two views in a frame.  Checkerboard: the upper left pixel
 * belongs to the first view. */
typedef enum
{
  GST_STEREO_PACKING_AUTO,      /* multiview-mode of the caps */
  GST_STEREO_PACKING_SIDE_BY_SIDE,
  GST_STEREO_PACKING_TOP_BOTTOM,
  GST_STEREO_PACKING_ROW_INTERLEAVED,
  GST_STEREO_PACKING_COLUMN_INTERLEAVED,
  GST_STEREO_PACKING_CHECKERBOARD,
  GST_STEREO_PACKING_FRAME_BY_FRAME
} GstStereoPacking;

GType gst_stereo_packing_get_type (void);
#define GST_TYPE_STEREO_PACKING (gst_stereo_packing_get_type ())

/* The packing of a multiview-mode, or AUTO for other modes. */
GstStereoPacking gst_stereo_packing_of_mode (GstVideoMultiviewMode mode);

/* Whether a view is half as wide, or half as high, as the frame.  No packing is
 * both, and frame-by-frame is neither. */
gboolean gst_stereo_packing_halves_width (GstStereoPacking packing);
gboolean gst_stereo_packing_halves_height (GstStereoPacking packing);

/* Whether a view is a subset of the rows or columns of the frame's memory and
 * needs no copy. */
gboolean gst_stereo_packing_is_shared (GstStereoPacking packing);

/* Whether frames can be split; if not, why gets the reason. */
gboolean gst_stereo_packing_check (GstStereoPacking packing,
    const GstVideoInfo * info, StereoMessage * why);

/*
 * Plane offsets and strides of a view, in place.  On input they are those of
 * the frame's planes, where its picture begins at (x, y).  second selects the
 * second view.  For shared packings that passed the check.
 */
void gst_stereo_packing_locate (GstStereoPacking packing,
    const GstVideoInfo * info, guint x, guint y, gboolean second,
    gsize offset[GST_VIDEO_MAX_PLANES], gint stride[GST_VIDEO_MAX_PLANES]);

/* Copies a view out of a frame that interleaves columns or pixels. */
void gst_stereo_packing_copy (GstStereoPacking packing,
    const GstVideoFrame * frame, gboolean second, GstVideoFrame * view);

G_END_DECLS

#endif /* GST_STEREO_PACKING_H */
