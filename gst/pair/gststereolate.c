/* gst-stereomatching: frames that would be too late
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "pair/gststereolate.h"

void
gst_stereo_qos_take (GstStereoQos * self, GstEvent * event,
    GstClockTime frame)
{
  GstClockTimeDiff diff;
  GstClockTime timestamp;

  gst_event_parse_qos (event, NULL, &self->proportion, &diff, &timestamp);
  if (!GST_CLOCK_TIME_IS_VALID (timestamp))
    self->earliest_time = GST_CLOCK_TIME_NONE;
  else if (diff > 0)
    /* Being late by diff, what is to come should be ahead by as much. */
    self->earliest_time = timestamp + 2 * (GstClockTime) diff
        + (GST_CLOCK_TIME_IS_VALID (frame) ? frame : 0);
  else if (diff < 0 && timestamp < (GstClockTime) (-diff))
    self->earliest_time = 0;
  else
    self->earliest_time = timestamp + diff;
}

GstStereoQos
gst_stereo_qos_of_pads (GstPad * src, const GstStereoQos * own,
    GstStereoResultPad * const *pads, guint n)
{
  GstStereoQos qos = *own;
  gboolean linked = gst_pad_is_linked (src);

  for (guint i = 0; i < n; i++) {
    if (pads[i] == NULL || !gst_pad_is_linked (GST_PAD (pads[i])))
      continue;
    if (!linked || !GST_CLOCK_TIME_IS_VALID (pads[i]->qos.earliest_time)
        || (GST_CLOCK_TIME_IS_VALID (qos.earliest_time)
            && pads[i]->qos.earliest_time < qos.earliest_time))
      qos = pads[i]->qos;
    linked = TRUE;
  }
  return qos;
}

gboolean
gst_stereo_qos_is_late (const GstStereoQos * self, GstClockTime time)
{
  return GST_CLOCK_TIME_IS_VALID (self->earliest_time)
      && GST_CLOCK_TIME_IS_VALID (time) && time < self->earliest_time;
}

void
gst_stereo_qos_tell (const GstStereoQos * self, GstElement * element,
    GstBuffer * buffer, const GstSegment * segment, GstClockTime time,
    guint64 made, guint64 dropped)
{
  const GstClockTime pts = GST_BUFFER_PTS (buffer);
  GstMessage *message = gst_message_new_qos (GST_OBJECT_CAST (element), FALSE,
      time, gst_segment_to_stream_time (segment, GST_FORMAT_TIME, pts), pts,
      GST_BUFFER_DURATION (buffer));

  gst_message_set_qos_values (message, GST_CLOCK_DIFF (time,
          self->earliest_time), self->proportion, 1000000);
  gst_message_set_qos_stats (message, GST_FORMAT_BUFFERS, made, dropped);
  gst_element_post_message (element, message);
}
