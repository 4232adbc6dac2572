/* gst-stereomatching: cutting a view out of a frame
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_SPLIT_CUT_H
#define GST_STEREO_SPLIT_CUT_H

#include "elements/gststereopacking.h"

G_BEGIN_DECLS

/* What is cut into what. */
typedef struct
{
  GstStereoPacking packing;     /* never AUTO */
  GstVideoInfo frame;
  GstVideoInfo view;
} GstStereoSplitCut;

/* Says what views have to look like, by the packing and the frame, whose pixels
 * may have been made narrower or lower for it. */
void gst_stereo_split_cut_shape (GstStereoSplitCut * self,
    gboolean half_aspect);

/* A buffer with the frame's memory, in which only a view is to be seen, for
 * packings that are shared; second as in gst_stereo_packing_locate().  NULL
 * when there is no such frame in the buffer. */
GstBuffer *gst_stereo_split_cut_share (const GstStereoSplitCut * self,
    GstBuffer * frame, gboolean second);

/* Fills the memory of a view with what it is in the frame, by any packing.
 * FALSE when there is no such frame, or one of them can't be mapped. */
gboolean gst_stereo_split_cut_copy (const GstStereoSplitCut * self,
    GstBuffer * frame, gboolean second, GstBuffer * view);

/* Gives the view those metas of the frame that are true of it as well. */
void gst_stereo_split_cut_metas (GstBuffer * frame, GstBuffer * view);

G_END_DECLS

#endif /* GST_STEREO_SPLIT_CUT_H */
