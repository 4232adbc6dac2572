/* gst-stereomatching: the oldest buffer of a pad
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "pair/gststereoinput.h"

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
  head.gap = GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP)
      && gst_buffer_get_size (buffer) == 0;
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
  if (GST_CLOCK_TIME_IS_VALID (duration) && duration > 0)
    return duration;
  return GST_VIDEO_INFO_FPS_N (info) > 0 ? gst_util_uint64_scale (GST_SECOND,
      (guint64) GST_VIDEO_INFO_FPS_D (info),
      (guint64) GST_VIDEO_INFO_FPS_N (info)) : GST_CLOCK_TIME_NONE;
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
