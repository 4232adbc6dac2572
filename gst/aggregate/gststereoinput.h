/* gst-stereomatching: the oldest buffer of an input
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_INPUT_H
#define GST_STEREO_INPUT_H

#include "aggregate/gststereomapsync.h"
#include "base/gststereoformat.h"

#include <gst/base/gstaggregator.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

/* Inputs after the views. */
enum
{
  GST_STEREO_MAP = GST_STEREO_N_VIEWS,
  GST_STEREO_N_INPUTS
};

/* The oldest buffer of a pad, and the segment that it belongs to. */
typedef struct
{
  GstAggregatorPad *pad;        /* a reference, or NULL: no such pad */
  GstBuffer *buffer;            /* or NULL */
  GstSegment segment;
} GstStereoInput;

/* Takes the reference to the pad, which may be NULL.  Drops a buffer that
 * arrived before any segment. */
void gst_stereo_input_peek (GstStereoInput * self, GstAggregatorPad * pad);
void gst_stereo_input_clear (GstStereoInput * self);

/* What the policies know of it. */
GstStereoHead gst_stereo_input_head (const GstStereoInput * self);

/* The running time of the timestamp, at least that of the segment's start; and
 * the display duration of a buffer in running time, from its own duration or
 * that of the caps.  Each may be GST_CLOCK_TIME_NONE. */
GstClockTime gst_stereo_input_running_time (const GstStereoInput * self);
GstClockTime gst_stereo_input_shown_for (const GstStereoInput * self,
    const GstVideoInfo * info);

/* Takes a buffer and returns it, or NULL if it is outside the segment or before
 * running time 0.  trim: limit its times to the segment. */
GstBuffer *gst_stereo_input_clip (const GstSegment * segment,
    GstBuffer * buffer, gboolean trim);

G_END_DECLS

#endif /* GST_STEREO_INPUT_H */
