/* gst-stereomatching: frames that would be too late
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "aggregate/gststereoaggregator.h"

#include "base/gststereoformat.h"

void
gst_stereo_aggregator_reset_qos (GstStereoAggregator * self)
{
  const GstStereoQos none = { GST_CLOCK_TIME_NONE, 1.0 };

  GST_OBJECT_LOCK (self);
  self->src_qos = none;
  for (guint i = 0; i < self->result_pads->len; i++)
    GST_STEREO_RESULT_PAD (self->result_pads->pdata[i])->qos = none;
  GST_OBJECT_UNLOCK (self);
}

void
gst_stereo_aggregator_update_qos (GstStereoAggregator * self,
    GstStereoQos * qos, GstEvent * event)
{
  GstClockTimeDiff diff;
  GstClockTime timestamp, frame;
  gdouble proportion;

  gst_event_parse_qos (event, NULL, &proportion, &diff, &timestamp);
  GST_OBJECT_LOCK (self);
  frame = gst_stereo_frame_duration (&self->info[GST_STEREO_LEFT]);
  qos->proportion = proportion;
  if (!GST_CLOCK_TIME_IS_VALID (timestamp))
    qos->earliest_time = GST_CLOCK_TIME_NONE;
  else if (diff > 0)
    /* A frame was late by diff, so the next frames should be early by as
     * much. */
    qos->earliest_time = timestamp + 2 * (GstClockTime) diff
        + (GST_CLOCK_TIME_IS_VALID (frame) ? frame : 0);
  else if (diff < 0 && timestamp < (GstClockTime) (-diff))
    qos->earliest_time = 0;
  else
    qos->earliest_time = timestamp + diff;
  GST_OBJECT_UNLOCK (self);
}

/* The QoS of the linked source pad that needs a frame soonest.  With the object
 * lock held. */
static GstStereoQos
least_qos (GstStereoAggregator * self)
{
  GstStereoQos least = self->src_qos;
  gboolean linked = gst_pad_is_linked (GST_AGGREGATOR_SRC_PAD (self));

  for (guint i = 0; i < self->result_pads->len; i++) {
    const GstStereoResultPad *pad = self->result_pads->pdata[i];

    if (!gst_pad_is_linked (GST_PAD (pad)))
      continue;
    if (!linked || !GST_CLOCK_TIME_IS_VALID (pad->qos.earliest_time)
        || (GST_CLOCK_TIME_IS_VALID (least.earliest_time)
            && pad->qos.earliest_time < least.earliest_time))
      least = pad->qos;
    linked = TRUE;
  }
  return least;
}

static void
post_qos (GstStereoAggregator * self, const GstStereoQos * qos,
    const GstStereoInput * input, const GstStereoCounters * counters)
{
  const GstClockTime time = gst_stereo_input_running_time (input);
  const GstClockTime pts = GST_BUFFER_PTS (input->buffer);
  GstMessage *message = gst_message_new_qos (GST_OBJECT_CAST (self), FALSE,
      time, gst_segment_to_stream_time (&input->segment, GST_FORMAT_TIME, pts),
      pts, GST_BUFFER_DURATION (input->buffer));

  gst_message_set_qos_values (message, GST_CLOCK_DIFF (time,
          qos->earliest_time), qos->proportion, 1000000);
  gst_message_set_qos_stats (message, GST_FORMAT_BUFFERS, counters->processed,
      counters->qos_dropped);
  gst_element_post_message (GST_ELEMENT_CAST (self), message);
}

gboolean
gst_stereo_aggregator_is_late (GstStereoAggregator * self,
    const GstStereoInput * input)
{
  const GstClockTime time = gst_stereo_input_running_time (input);
  GstStereoCounters counters;
  GstStereoQos qos;
  gboolean late;

  GST_OBJECT_LOCK (self);
  qos = least_qos (self);
  late = self->qos && GST_CLOCK_TIME_IS_VALID (qos.earliest_time)
      && GST_CLOCK_TIME_IS_VALID (time) && time < qos.earliest_time;
  self->counters.qos_dropped += late;
  counters = self->counters;
  GST_OBJECT_UNLOCK (self);
  if (late) {
    post_qos (self, &qos, input, &counters);
    self->discont = TRUE;
  }
  return late;
}
