/* gst-stereomatching: which left image goes with which right image
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_PAIR_H
#define GST_STEREO_PAIR_H

#include <gst/base/gstaggregator.h>

G_BEGIN_DECLS

/* What is known of the oldest buffer of a view.  Times are running times. */
typedef struct
{
  GstClockTime time;            /* or GST_CLOCK_TIME_NONE */
  GstClockTime duration;        /* or GST_CLOCK_TIME_NONE */
  gboolean gap;                 /* a statement that there is no image */
} GstStereoCandidate;

typedef enum
{
  GST_STEREO_PAIR_TAKE,         /* the two belong together */
  GST_STEREO_PAIR_DROP_LEFT,    /* nothing on the right will ever match it */
  GST_STEREO_PAIR_DROP_RIGHT,
  GST_STEREO_PAIR_DROP_BOTH,
  GST_STEREO_PAIR_NO_TIME_LEFT, /* an error: only the other one has a time */
  GST_STEREO_PAIR_NO_TIME_RIGHT
} GstStereoPairing;

/*
 * Decides about the oldest buffers of both views.
 *
 * Images whose times differ by no more than tolerance are a pair; else the
 * older one can't find a partner any more.  Images without any time are paired
 * in order of arrival.  A gap stands for all images that would begin in it: it
 * uses up those of the other view, and is dropped when they are past it.
 */
GstStereoPairing gst_stereo_pair (const GstStereoCandidate * left,
    const GstStereoCandidate * right, GstClockTime tolerance);

/* Whether a buffer of a pad's queue says that there is no image. */
gboolean gst_stereo_is_gap (GstBuffer * buffer);

/*
 * By how much the running times of a pair may differ: setting, or where that is
 * GST_CLOCK_TIME_NONE half of what an image of the faster view is shown for.
 * With more, an image would be taken before the one that is nearer has come.
 */
GstClockTime gst_stereo_tolerance (GstClockTime setting, GstClockTime left,
    GstClockTime right);

G_END_DECLS

#endif /* GST_STEREO_PAIR_H */
