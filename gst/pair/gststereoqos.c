/* gst-stereomatching: pairs that would be too late
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "pair/gststereobase-private.h"

#include "base/gststereodebug.h"
#include "base/gststereoformat.h"

void
gst_stereo_base_reset_qos (GstStereoBase * self)
{
  GstStereoBasePrivate *priv = PRIV (self);
  const GstStereoQos none = { GST_CLOCK_TIME_NONE, 1.0 };

  priv->qos_of_src = none;
  for (guint i = 0; i < STEREO_N_RESULTS; i++) {
    if (priv->results[i] != NULL)
      priv->results[i]->qos = none;
  }
}

/* The one who needs an image soonest counts, if anyone is there at all.  With
 * the object lock held. */
static GstStereoQos
get_qos (GstStereoBase * self)
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstStereoQos qos = priv->qos_of_src;
  gboolean linked = gst_pad_is_linked (GST_AGGREGATOR_SRC_PAD (self));

  for (guint i = 0; i < STEREO_N_RESULTS; i++) {
    GstStereoResultPad *pad = priv->results[i];

    if (pad == NULL || !gst_pad_is_linked (GST_PAD (pad)))
      continue;
    if (!linked || !GST_CLOCK_TIME_IS_VALID (pad->qos.earliest_time)
        || (GST_CLOCK_TIME_IS_VALID (qos.earliest_time)
            && pad->qos.earliest_time < qos.earliest_time))
      qos = pad->qos;
    linked = TRUE;
  }
  return qos;
}

gboolean
gst_stereo_base_take_qos (GstStereoBase * self, GstStereoQos * qos,
    GstEvent * event)
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstQOSType type;
  gdouble proportion;
  GstClockTimeDiff diff;
  GstClockTime timestamp;

  gst_event_parse_qos (event, &type, &proportion, &diff, &timestamp);
  /* see gststereonewest.c */
  if (type != GST_QOS_TYPE_THROTTLE && gst_stereo_base_takes_newest (self))
    return FALSE;
  GST_OBJECT_LOCK (self);
  qos->proportion = proportion;
  if (!GST_CLOCK_TIME_IS_VALID (timestamp))
    qos->earliest_time = GST_CLOCK_TIME_NONE;
  else if (diff > 0)
    /* Being late by diff, what is to come should be ahead by as much. */
    qos->earliest_time = timestamp + 2 * (GstClockTime) diff
        + (priv->has_info[LEFT] && GST_VIDEO_INFO_FPS_N (&priv->info[LEFT])
        > 0 ? gst_stereo_frame_duration (&priv->info[LEFT]) : 0);
  else if (diff < 0 && timestamp < (GstClockTime) (-diff))
    qos->earliest_time = 0;
  else
    qos->earliest_time = timestamp + diff;
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

gboolean
gst_stereo_base_too_late (GstStereoBase * self, GstBuffer * left,
    GstClockTime time)
{
  GstStereoBasePrivate *priv = PRIV (self);
  const GstSegment *segment = &priv->segment[LEFT];
  GstStereoQos qos;
  GstStereoCounters counters;
  GstMessage *message;

  GST_OBJECT_LOCK (self);
  qos = get_qos (self);
  if (!priv->qos || !GST_CLOCK_TIME_IS_VALID (qos.earliest_time)
      || !GST_CLOCK_TIME_IS_VALID (time) || time >= qos.earliest_time) {
    GST_OBJECT_UNLOCK (self);
    return FALSE;
  }
  priv->counters.qos_dropped++;
  counters = priv->counters;
  GST_OBJECT_UNLOCK (self);

  message = gst_message_new_qos (GST_OBJECT_CAST (self), FALSE, time,
      gst_segment_to_stream_time (segment, GST_FORMAT_TIME,
          GST_BUFFER_PTS (left)), GST_BUFFER_PTS (left),
      GST_BUFFER_DURATION (left));
  gst_message_set_qos_values (message, GST_CLOCK_DIFF (time,
          qos.earliest_time), qos.proportion, 1000000);
  gst_message_set_qos_stats (message, GST_FORMAT_BUFFERS, counters.paired,
      counters.qos_dropped);
  gst_element_post_message (GST_ELEMENT_CAST (self), message);
  priv->discont = TRUE;
  return TRUE;
}
