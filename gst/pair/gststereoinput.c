/* gst-stereomatching: the oldest buffer of a pad
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "pair/gststereoinput.h"

#include "base/gststereoformat.h"
#include "pair/gststereopair.h"

#include <string.h>

void
gst_stereo_input_peek (GstStereoInput * self, GstAggregatorPad * pad)
{
  memset (self, 0, sizeof (*self));
  self->pad = pad;
  if (pad == NULL)
    return;
  self->buffer = gst_aggregator_pad_peek_buffer (pad);
  GST_OBJECT_LOCK (pad);
  self->segment = pad->segment;
  GST_OBJECT_UNLOCK (pad);
  /* data came before its segment */
  if (self->buffer != NULL && self->segment.format != GST_FORMAT_TIME) {
    gst_aggregator_pad_drop_buffer (pad);
    gst_clear_buffer (&self->buffer);
  }
}

void
gst_stereo_input_clear (GstStereoInput * self)
{
  gst_clear_buffer (&self->buffer);
  gst_clear_object (&self->pad);
}

GstStereoHead
gst_stereo_input_head (const GstStereoInput * self)
{
  GstBuffer *buffer = self->buffer;
  GstStereoHead head = { FALSE, FALSE, GST_CLOCK_TIME_NONE,
    GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE
  };

  if (buffer == NULL)
    return head;
  head.there = TRUE;
  head.gap = gst_stereo_is_gap (buffer);
  head.pts = GST_BUFFER_PTS (buffer);
  if (GST_BUFFER_PTS_IS_VALID (buffer))
    head.time = gst_segment_to_running_time (&self->segment, GST_FORMAT_TIME,
        head.pts);
  if (GST_BUFFER_DURATION_IS_VALID (buffer))
    head.duration = (GstClockTime) (GST_BUFFER_DURATION (buffer)
        / ABS (self->segment.rate));
  return head;
}

GstClockTime
gst_stereo_input_duration (const GstVideoInfo * info, GstClockTime duration)
{
  return GST_CLOCK_TIME_IS_VALID (duration) && duration > 0 ? duration
      : gst_stereo_frame_duration (info);
}

GstBuffer *
gst_stereo_input_clip (GstAggregator * aggregator, GstAggregatorPad * pad,
    GstBuffer * buffer)
{
  GstClockTime start = GST_BUFFER_PTS (buffer), stop = GST_CLOCK_TIME_NONE;

  if (GST_CLOCK_TIME_IS_VALID (start) && GST_BUFFER_DURATION_IS_VALID (buffer))
    stop = start + GST_BUFFER_DURATION (buffer);
  if (GST_CLOCK_TIME_IS_VALID (start)
      && pad->segment.format == GST_FORMAT_TIME
      && !gst_segment_clip (&pad->segment, GST_FORMAT_TIME, start, stop, NULL,
          NULL)) {
    gst_buffer_unref (buffer);
    return NULL;
  }
  return buffer;
}
