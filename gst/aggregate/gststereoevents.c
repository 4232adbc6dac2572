/* gst-stereomatching: events of the elements with several inputs
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "aggregate/gststereoaggregator.h"

#include "base/gststereodebug.h"

#define PARENT gst_stereo_aggregator_get_parent_class ()

/* ------------------------------------------------------------------- inputs */

static gboolean
aggregator_set_caps (GstStereoAggregator * self, gint input, GstCaps * caps)
{
  GstStereoAggregatorClass *klass = GST_STEREO_AGGREGATOR_GET_CLASS (self);
  GstVideoInfo info;
  const gboolean known = gst_video_info_from_caps (&info, caps);

  if (known) {
    GST_OBJECT_LOCK (self);
    self->info[input] = info;
    self->has_info[input] = TRUE;
    GST_OBJECT_UNLOCK (self);
  } else {
    GST_STEREO_FAIL (&self->failure, STREAM, FORMAT,
        ("%s does not accept its input, which is not raw video.",
            gst_stereo_input_names[input]), ("caps %" GST_PTR_FORMAT, caps));
  }
  return known && (klass->set_caps == NULL
      || klass->set_caps (self, input, caps, &info));
}

static gboolean
aggregator_set_segment (GstStereoAggregator * self, gint input,
    GstEvent * event)
{
  const GstSegment *segment;

  gst_event_parse_segment (event, &segment);
  if (segment->format != GST_FORMAT_TIME) {
    GST_STEREO_FAIL (&self->failure, STREAM, FORMAT,
        ("Expected a segment in time on %s, got one in %s: put an element "
            "before it that knows when an image is shown (a parser or decoder, "
            "or set do-timestamp and format=time).",
            gst_stereo_input_names[input],
            gst_format_get_name (segment->format)), (NULL));
    return FALSE;
  }
  if (input == GST_STEREO_AGGREGATOR_GET_CLASS (self)->leader) {
    gst_aggregator_update_segment (GST_AGGREGATOR (self), segment);
    gst_stereo_aggregator_reset_qos (self);
  }
  return TRUE;
}

static gboolean
has_segment (GstAggregatorPad * pad)
{
  gboolean has;

  GST_OBJECT_LOCK (pad);
  has = pad->segment.format == GST_FORMAT_TIME;
  GST_OBJECT_UNLOCK (pad);
  return has;
}

/* GAP and flush-stop.  GstAggregator treats a GAP event without a segment as an
 * error, and a flush-stop, which another thread sends, resets the segment. */
static gboolean
aggregator_handle_locked (GstStereoAggregator * self, GstAggregatorPad * pad,
    GstEvent * event)
{
  GstStereoAggregatorClass *klass = GST_STEREO_AGGREGATOR_GET_CLASS (self);
  gboolean ok = TRUE;

  g_mutex_lock (&self->segment_lock);
  if (GST_EVENT_TYPE (event) != GST_EVENT_GAP || has_segment (pad)) {
    ok = PARENT->sink_event (GST_AGGREGATOR (self), pad, event);
  } else {
    if (klass->skip_gap != NULL)
      klass->skip_gap (self, gst_stereo_aggregator_find_input (GST_PAD (pad)));
    gst_event_unref (event);
  }
  g_mutex_unlock (&self->segment_lock);
  return ok;
}

gboolean
gst_stereo_aggregator_sink_event (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstEvent * event)
{
  GstStereoAggregator *self = GST_STEREO_AGGREGATOR (aggregator);
  const gint input = gst_stereo_aggregator_find_input (GST_PAD (pad));
  gboolean ok = TRUE;
  GstCaps *caps;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      gst_event_parse_caps (event, &caps);
      ok = aggregator_set_caps (self, input, caps);
      break;
    case GST_EVENT_SEGMENT:
      ok = aggregator_set_segment (self, input, event);
      if (ok)
        return PARENT->sink_event (aggregator, pad, event);
      break;
    case GST_EVENT_FLUSH_STOP:
      g_atomic_int_set (&self->flushed, TRUE);
      /* fallthrough */
    case GST_EVENT_GAP:
      return aggregator_handle_locked (self, pad, event);
    default:
      return PARENT->sink_event (aggregator, pad, event);
  }
  gst_event_unref (event);
  return ok;
}

/* GstAggregator sets the sequence number of the last segment on the EOS event
 * that it sends downstream, even if it never received a segment.  This gives it
 * a valid number for that case. */
void
gst_stereo_aggregator_init_segment (GstStereoAggregator * self)
{
  GstAggregatorPad *pad =
      self->sink[GST_STEREO_AGGREGATOR_GET_CLASS (self)->leader];
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  PARENT->sink_event (GST_AGGREGATOR (self), pad,
      gst_event_new_segment (&segment));
  GST_OBJECT_LOCK (pad);
  gst_segment_init (&pad->segment, GST_FORMAT_UNDEFINED);
  GST_OBJECT_UNLOCK (pad);
}

/* ------------------------------------------------------------------ outputs */

/* Whether the source of an input says that it cannot seek, or the seek is not
 * in time, the format of GstAggregator's segment. */
static gboolean
refuses_seek (GstStereoAggregator * self, GstEvent * event)
{
  gboolean seekable;
  GstFormat format;

  gst_event_parse_seek (event, NULL, &format, NULL, NULL, NULL, NULL, NULL);
  seekable = format == GST_FORMAT_TIME;
  for (gint i = 0; i < GST_STEREO_N_INPUTS && seekable; i++) {
    GstAggregatorPad *pad = gst_stereo_aggregator_get_pad (self, i);
    GstQuery *query;

    if (pad == NULL)
      continue;
    query = gst_query_new_seeking (GST_FORMAT_TIME);
    if (gst_pad_peer_query (GST_PAD (pad), query))
      gst_query_parse_seeking (query, NULL, &seekable, NULL, NULL);
    gst_query_unref (query);
    gst_object_unref (pad);
  }
  return !seekable;
}

static gboolean
handle_src_event (GstStereoAggregator * self, GstStereoQos * qos,
    GstEvent * event)
{
  GstStereoAggregatorClass *klass = GST_STEREO_AGGREGATOR_GET_CLASS (self);
  GstQOSType type;

  /* GstAggregator accepts such a seek and flushes downstream, which would then
   * wait forever for the segment of a source that has not moved. */
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK && refuses_seek (self, event)) {
    GST_INFO_OBJECT (self, "refused: %" GST_PTR_FORMAT, event);
    gst_event_unref (event);
    return FALSE;
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_QOS) {
    gst_event_parse_qos (event, &type, NULL, NULL, NULL);
    if (type != GST_QOS_TYPE_THROTTLE && klass->ignores_qos != NULL
        && klass->ignores_qos (self)) {
      gst_event_unref (event);
      return TRUE;
    }
    gst_stereo_aggregator_update_qos (self, qos, event);
  }
  return PARENT->src_event (GST_AGGREGATOR (self), event);
}

gboolean
gst_stereo_aggregator_src_event (GstAggregator * aggregator, GstEvent * event)
{
  GstStereoAggregator *self = GST_STEREO_AGGREGATOR (aggregator);

  return handle_src_event (self, &self->src_qos, event);
}

/* GstAggregator treats seeks that reach several pads as one. */
gboolean
gst_stereo_aggregator_result_pad_event (GstPad * pad, GstObject * parent,
    GstEvent * event)
{
  return handle_src_event (GST_STEREO_AGGREGATOR (parent),
      &GST_STEREO_RESULT_PAD (pad)->qos, event);
}

/* EOS and flushes of `src`, from any thread. */
static GstPadProbeReturn
probe_src_event (GstPad * pad, GstPadProbeInfo * probe, gpointer user_data)
{
  GstStereoAggregator *self = GST_STEREO_AGGREGATOR (user_data);
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (probe);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_START:
      gst_stereo_buffer_wait_block (&self->buffer_wait,
          GST_STEREO_BUFFER_WAIT_FLUSHING);
      break;
    case GST_EVENT_FLUSH_STOP:
      gst_stereo_buffer_wait_unblock (&self->buffer_wait,
          GST_STEREO_BUFFER_WAIT_FLUSHING);
      break;
    case GST_EVENT_EOS:
      break;
    default:
      return GST_PAD_PROBE_OK;
  }
  gst_stereo_aggregator_forward_to_result_pads (self, event);
  return GST_PAD_PROBE_OK;
}

void
gst_stereo_aggregator_init_events (GstStereoAggregator * self)
{
  gst_pad_add_probe (GST_AGGREGATOR_SRC_PAD (self),
      GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_EVENT_FLUSH,
      probe_src_event, self, NULL);
}
