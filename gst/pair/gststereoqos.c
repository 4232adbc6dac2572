/* gst-stereomatching: pairs that would be too late
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "pair/gststereobase-private.h"

#include "base/gststereoformat.h"
#include "pair/gststereolate.h"

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

gboolean
gst_stereo_base_take_qos (GstStereoBase * self, GstStereoQos * qos,
    GstEvent * event)
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstQOSType type;

  gst_event_parse_qos (event, &type, NULL, NULL, NULL);
  /* see gststereonewest.c */
  if (type != GST_QOS_TYPE_THROTTLE && gst_stereo_base_takes_newest (self))
    return FALSE;
  GST_OBJECT_LOCK (self);
  gst_stereo_qos_take (qos, event, priv->has_info[LEFT]
      ? gst_stereo_frame_duration (&priv->info[LEFT]) : GST_CLOCK_TIME_NONE);
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

gboolean
gst_stereo_base_too_late (GstStereoBase * self, GstBuffer * left,
    GstClockTime time)
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstStereoQos qos;
  GstStereoCounters counters;
  gboolean late;

  GST_OBJECT_LOCK (self);
  qos = gst_stereo_qos_of_pads (GST_AGGREGATOR_SRC_PAD (self),
      &priv->qos_of_src, priv->results, STEREO_N_RESULTS);
  late = priv->qos && gst_stereo_qos_is_late (&qos, time);
  priv->counters.qos_dropped += late;
  counters = priv->counters;
  GST_OBJECT_UNLOCK (self);
  if (late) {
    gst_stereo_qos_tell (&qos, GST_ELEMENT_CAST (self), left,
        &priv->segment[LEFT], time, counters.paired, counters.qos_dropped);
    priv->discont = TRUE;
  }
  return late;
}
