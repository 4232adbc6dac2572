/* gst-stereomatching: source pads for more views of a frame
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The request pads `view_%u` of stereoview: each shows one more view of the
 * frame, from a position of its own.
 */

#ifndef GST_STEREO_VIEW_PAD_H
#define GST_STEREO_VIEW_PAD_H

#include "aggregate/gststereoresultpad.h"

G_BEGIN_DECLS

#define GST_TYPE_STEREO_VIEW_PAD (gst_stereo_view_pad_get_type ())
#define GST_STEREO_VIEW_PAD(o) \
  (G_TYPE_CHECK_INSTANCE_CAST ((o), GST_TYPE_STEREO_VIEW_PAD, \
      GstStereoViewPad))
#define GST_IS_STEREO_VIEW_PAD(o) \
  (G_TYPE_CHECK_INSTANCE_TYPE ((o), GST_TYPE_STEREO_VIEW_PAD))

typedef struct
{
  GstStereoResultPad parent;
  gdouble position;             /* under the pad's object lock */
} GstStereoViewPad;

typedef struct
{
  GstStereoResultPadClass parent_class;
} GstStereoViewPadClass;

GType gst_stereo_view_pad_get_type (void);

/* The position at a stream time, which may be GST_CLOCK_TIME_NONE. */
gdouble gst_stereo_view_pad_get_position (GstStereoViewPad * pad,
    GstClockTime time);

G_END_DECLS

#endif /* GST_STEREO_VIEW_PAD_H */
