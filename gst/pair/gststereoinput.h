/* gst-stereomatching: the oldest buffer of a pad
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_INPUT_H
#define GST_STEREO_INPUT_H

#include "pair/gststereotriple.h"

#include <gst/base/gstaggregator.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

/* What a pad of an aggregator has to offer, while that looks at it. */
typedef struct
{
  GstAggregatorPad *pad;        /* or NULL: there is no such pad */
  GstBuffer *buffer;            /* or NULL */
  GstSegment segment;
} GstStereoInput;

/* Takes over the reference to the pad, which may be NULL. */
void gst_stereo_input_peek (GstStereoInput * self, GstAggregatorPad * pad);
void gst_stereo_input_clear (GstStereoInput * self);

/* What is known of it. */
GstStereoHead gst_stereo_input_head (const GstStereoInput * self);

/* How long a buffer of such video is shown: its duration, else by the rate,
 * else GST_CLOCK_TIME_NONE. */
GstClockTime gst_stereo_input_duration (const GstVideoInfo * info,
    GstClockTime duration);

/* clip() of a GstAggregatorClass: what is outside of the segment is left
 * out. */
GstBuffer *gst_stereo_input_clip (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstBuffer * buffer);

G_END_DECLS

#endif /* GST_STEREO_INPUT_H */
