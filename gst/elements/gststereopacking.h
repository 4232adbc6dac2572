/* gst-stereomatching: two views in one frame
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_PACKING_H
#define GST_STEREO_PACKING_H

#include "stereo.h"

#include <gst/video/video.h>

G_BEGIN_DECLS

/* Where the first view and the second one are in a frame.  Checkerboard: the
 * pixel in the upper left corner is one of the first view. */
typedef enum
{
  GST_STEREO_PACKING_AUTO,      /* what the caps say */
  GST_STEREO_PACKING_SIDE_BY_SIDE,
  GST_STEREO_PACKING_TOP_BOTTOM,
  GST_STEREO_PACKING_ROW_INTERLEAVED,
  GST_STEREO_PACKING_COLUMN_INTERLEAVED,
  GST_STEREO_PACKING_CHECKERBOARD,
  GST_STEREO_PACKING_FRAME_BY_FRAME
} GstStereoPacking;

GType gst_stereo_packing_get_type (void);
#define GST_TYPE_STEREO_PACKING (gst_stereo_packing_get_type ())

/* What the multiview-mode of caps says, or AUTO if that is none of these. */
GstStereoPacking gst_stereo_packing_of_mode (GstVideoMultiviewMode mode);

/* Whether a view is half as wide, or half as high, as the frame.  No packing is
 * both, and frame-by-frame is neither. */
gboolean gst_stereo_packing_halves_width (GstStereoPacking packing);
gboolean gst_stereo_packing_halves_height (GstStereoPacking packing);

/* Whether a view is a part of the frame's memory, so that nothing has to be
 * copied. */
gboolean gst_stereo_packing_is_shared (GstStereoPacking packing);

/* FALSE when frames like these can't be split so: why says what is in the
 * way. */
gboolean gst_stereo_packing_check (GstStereoPacking packing,
    const GstVideoInfo * info, StereoMessage * why);

/*
 * Where the planes of a view begin, and how far its rows are apart, in a frame
 * whose picture begins at column x and row y of planes with these offsets and
 * strides.  Second: the other view than the one that comes first, which only
 * packings have that are shared; video has passed the check.
 */
void gst_stereo_packing_locate (GstStereoPacking packing,
    const GstVideoInfo * info, guint x, guint y, gboolean second,
    gsize offset[GST_VIDEO_MAX_PLANES], gint stride[GST_VIDEO_MAX_PLANES]);

/* Copies a view out of a frame that interleaves columns or pixels. */
void gst_stereo_packing_copy (GstStereoPacking packing,
    const GstVideoFrame * frame, gboolean second, GstVideoFrame * view);

G_END_DECLS

#endif /* GST_STEREO_PACKING_H */
