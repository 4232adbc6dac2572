/* gst-stereomatching: cutting a view out of a frame
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_SPLIT_CUT_H
#define GST_STEREO_SPLIT_CUT_H

#include "elements/gststereopacking.h"

G_BEGIN_DECLS

/* The frame, and the views to cut it into. */
typedef struct
{
  GstStereoPacking packing;     /* never AUTO */
  GstVideoInfo frame;
  GstVideoInfo view;
} GstStereoSplitCut;

/* Sets the format of views by the packing and the frame.  half_aspect: the
 * packing squeezed the views to half size. */
void gst_stereo_split_cut_set_view (GstStereoSplitCut * self,
    gboolean half_aspect);

/* A buffer with the frame's memory that shows one view, for shared packings;
 * second as in gst_stereo_packing_locate().  NULL when the buffer does not hold
 * such a frame. */
GstBuffer *gst_stereo_split_cut_share (const GstStereoSplitCut * self,
    GstBuffer * frame, gboolean second);

/* Copies a view of any packing.  FALSE when the buffer does not hold such a
 * frame, or a buffer cannot be mapped. */
gboolean gst_stereo_split_cut_copy (const GstStereoSplitCut * self,
    GstBuffer * frame, gboolean second, GstBuffer * view);

G_END_DECLS

#endif /* GST_STEREO_SPLIT_CUT_H */
