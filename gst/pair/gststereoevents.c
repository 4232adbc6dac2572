/* gst-stereomatching: what the pads of a matcher are told
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "pair/gststereobase-private.h"

#include "base/gststereodebug.h"
#include "pair/gststereosegment.h"

/* -------------------------------------------------------------------- views */

/* What the element has to see before GstPad or the pad's queue does: GstPad
 * refuses caps without telling anyone why, and the end of a view waits in the
 * queue for images of the other one, which never come if that is not linked. */
static GstPadProbeReturn
look_at_event (GstPad * pad, GstPadProbeInfo * probe, gpointer user_data)
{
  GstStereoBase *self = GST_STEREO_BASE (user_data);
  GstStereoBasePrivate *priv = PRIV (self);
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (probe);
  gint view = gst_stereo_base_view_of (self, GST_AGGREGATOR_PAD (pad));
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    if (!gst_stereo_base_accepts (pad, caps))
      gst_stereo_base_complain_about_caps (self, view, caps);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_EOS
      && !gst_pad_is_linked (GST_PAD (priv->sink[!view]))) {
    STEREO_ERROR (self, CORE, PAD,
        ("The video on sink_%s has ended, and sink_%s is not linked. A stereo "
            "matcher needs both views.", gst_stereo_view_names[view],
            gst_stereo_view_names[!view]), (NULL));
  }
  return GST_PAD_PROBE_OK;
}

gboolean
gst_stereo_base_sink_event (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstEvent * event)
{
  GstStereoBase *self = GST_STEREO_BASE (aggregator);
  gint view = gst_stereo_base_view_of (self, pad);
  const GstSegment *segment;
  GstCaps *caps;
  gboolean ok;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      gst_event_parse_caps (event, &caps);
      ok = gst_stereo_base_take_caps (self, view, caps);
      gst_event_unref (event);
      return ok;
    case GST_EVENT_SEGMENT:
      gst_event_parse_segment (event, &segment);
      if (segment->format != GST_FORMAT_TIME) {
        STEREO_ERROR (self, STREAM, FORMAT,
            ("sink_%s has a segment in %s, but pairing needs one in time; put "
                "an element before it that knows when an image is shown (a "
                "parser or decoder, or set do-timestamp and format=time).",
                gst_stereo_view_names[view],
                gst_format_get_name (segment->format)), (NULL));
        gst_event_unref (event);
        return FALSE;
      }
      if (view == LEFT) {
        gst_aggregator_update_segment (aggregator, segment);
        GST_OBJECT_LOCK (self);
        gst_stereo_base_reset_qos (self);
        GST_OBJECT_UNLOCK (self);
      }
      break;
    case GST_EVENT_GAP:
      if (!gst_stereo_has_segment (pad)) {
        gst_stereo_base_newest_unknock (self, view);
        gst_event_unref (event);
        return TRUE;
      }
      break;
    default:
      break;
  }
  return gst_stereo_base_get_parent_class ()->sink_event
      (aggregator, pad, event);
}

/* ------------------------------------------------------------------ results */

/* What downstream of one source pad wants of the views. */
static gboolean
take_event (GstStereoBase * self, GstStereoQos * qos, GstEvent * event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_QOS
      && !gst_stereo_base_take_qos (self, qos, event)) {
    gst_event_unref (event);
    return TRUE;
  }
  return gst_stereo_base_get_parent_class ()->src_event
      (GST_AGGREGATOR (self), event);
}

gboolean
gst_stereo_base_src_event (GstAggregator * aggregator, GstEvent * event)
{
  GstStereoBase *self = GST_STEREO_BASE (aggregator);

  return take_event (self, &PRIV (self)->qos_of_src, event);
}

/* The base class knows a seek that comes to several pads for one. */
gboolean
gst_stereo_base_result_pad_event (GstPad * pad, GstObject * parent,
    GstEvent * event)
{
  return take_event (GST_STEREO_BASE (parent),
      &GST_STEREO_RESULT_PAD (pad)->qos, event);
}

/* What ends or flushes `src` does so to the result pads. */
static GstPadProbeReturn
look_at_src_event (GstPad * pad, GstPadProbeInfo * probe, gpointer user_data)
{
  GstStereoBase *self = GST_STEREO_BASE (user_data);
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (probe);
  GstEventType type = GST_EVENT_TYPE (event);
  GstStereoResultPad *pads[STEREO_N_RESULTS];
  guint n;

  if (type == GST_EVENT_FLUSH_START)
    gst_stereo_gate_close (&PRIV (self)->gate, GST_STEREO_GATE_FLUSHING);
  else if (type == GST_EVENT_FLUSH_STOP)
    gst_stereo_gate_open (&PRIV (self)->gate, GST_STEREO_GATE_FLUSHING);
  else if (type != GST_EVENT_EOS)
    return GST_PAD_PROBE_OK;
  n = gst_stereo_base_get_result_pads (self, pads);
  for (guint i = 0; i < n; i++) {
    if (type == GST_EVENT_EOS)
      gst_stereo_result_pad_end (pads[i], pad, event);
    else
      gst_pad_push_event (GST_PAD (pads[i]), gst_event_ref (event));
  }
  gst_stereo_base_unref_result_pads (pads, n);
  return GST_PAD_PROBE_OK;
}

void
gst_stereo_base_add_probes (GstStereoBase * self)
{
  for (guint i = 0; i < N_VIEWS; i++)
    gst_pad_add_probe (GST_PAD (PRIV (self)->sink[i]),
        GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, look_at_event, self, NULL);
  gst_pad_add_probe (GST_AGGREGATOR_SRC_PAD (self),
      GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_EVENT_FLUSH,
      look_at_src_event, self, NULL);
  gst_pad_add_probe (GST_AGGREGATOR_SRC_PAD (self), GST_PAD_PROBE_TYPE_BUFFER,
      gst_stereo_base_send_tags, self, NULL);
}
