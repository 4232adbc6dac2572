/* gst-stereomatching: the oldest buffer of an input
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "aggregate/gststereoinput.h"

#include "aggregate/gststereopair.h"
#include "aggregate/gststereounmatched.h"
#include "base/gststereodebug.h"
#include "base/gststereoformat.h"
#include "base/gststereogap.h"

#include <string.h>

void
gst_stereo_input_peek (GstStereoInput * self, GstAggregatorPad * pad)
{
  memset (self, 0, sizeof (*self));
  self->pad = pad;
  if (pad == NULL)
    return;
  self->buffer = gst_aggregator_pad_peek_buffer (pad);
  /* A flush of this pad may remove both at any time. */
  GST_OBJECT_LOCK (pad);
  self->segment = pad->segment;
  GST_OBJECT_UNLOCK (pad);
  /* unmatched images may come before the first map */
  if (self->buffer != NULL && self->segment.format != GST_FORMAT_TIME
      && gst_stereo_unmatched_from_gap (self->buffer) == NULL) {
    GST_DEBUG_OBJECT (pad, "no segment: %" GST_PTR_FORMAT, self->buffer);
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

GstClockTime
gst_stereo_input_running_time (const GstStereoInput * self)
{
  if (!GST_BUFFER_PTS_IS_VALID (self->buffer)
      || self->segment.format != GST_FORMAT_TIME)
    return GST_CLOCK_TIME_NONE;
  return gst_segment_to_running_time (&self->segment, GST_FORMAT_TIME,
      MAX (GST_BUFFER_PTS (self->buffer), self->segment.start));
}

GstClockTime
gst_stereo_input_shown_for (const GstStereoInput * self,
    const GstVideoInfo * info)
{
  GstClockTime duration = GST_BUFFER_DURATION (self->buffer);

  if (gst_stereo_is_gap (self->buffer) || duration == 0
      || !GST_CLOCK_TIME_IS_VALID (duration))
    duration = gst_stereo_frame_duration (info);
  return gst_stereo_scale_time (&self->segment, duration);
}

GstStereoHead
gst_stereo_input_head (const GstStereoInput * self)
{
  GstStereoHead head = {
    .time = GST_CLOCK_TIME_NONE,
    .duration = GST_CLOCK_TIME_NONE,
    .pts = GST_CLOCK_TIME_NONE
  };

  if (self->buffer == NULL)
    return head;
  head.present = TRUE;
  head.gap = gst_stereo_is_gap (self->buffer);
  head.pts = GST_BUFFER_PTS (self->buffer);
  head.time = gst_stereo_input_running_time (self);
  head.duration = gst_stereo_scale_time (&self->segment,
      GST_BUFFER_DURATION (self->buffer));
  return head;
}

GstBuffer *
gst_stereo_input_clip (const GstSegment * segment, GstBuffer * buffer,
    gboolean trim)
{
  GstClockTime start = GST_BUFFER_PTS (buffer), stop = GST_CLOCK_TIME_NONE;
  guint64 clipped_start, clipped_stop, time;

  if (!GST_CLOCK_TIME_IS_VALID (start) || segment->format != GST_FORMAT_TIME)
    return buffer;
  if (GST_BUFFER_DURATION_IS_VALID (buffer))
    stop = start + GST_BUFFER_DURATION (buffer);
  /* a negative offset of a pad makes running times negative */
  if (!gst_segment_clip (segment, GST_FORMAT_TIME, start, stop,
          &clipped_start, &clipped_stop)
      || gst_segment_to_running_time_full (segment, GST_FORMAT_TIME,
          clipped_start, &time) < 0) {
    GST_DEBUG ("outside the segment: %" GST_PTR_FORMAT, buffer);
    gst_buffer_unref (buffer);
    return NULL;
  }
  if (trim && (clipped_start != start || clipped_stop != stop)) {
    buffer = gst_buffer_make_writable (buffer);
    GST_BUFFER_PTS (buffer) = clipped_start;
    if (GST_CLOCK_TIME_IS_VALID (stop))
      GST_BUFFER_DURATION (buffer) = clipped_stop - clipped_start;
  }
  return buffer;
}
