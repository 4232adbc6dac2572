/* gst-stereomatching: additional source pads of a GstAggregator
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "aggregate/gststereoresultpad.h"

#include "base/gststereodebug.h"
#include "base/gststereoformat.h"
#include "base/gststereopool.h"

#include <gst/base/gstaggregator.h>

G_DEFINE_TYPE (GstStereoResultPad, gst_stereo_result_pad, GST_TYPE_PAD);

static GstStaticPadTemplate templates[STEREO_N_RESULTS] = {
  [STEREO_RESULT_VERTICAL] = GST_STATIC_PAD_TEMPLATE ("src_vertical",
      GST_PAD_SRC, GST_PAD_REQUEST,
      GST_STATIC_CAPS (GST_STEREO_VIDEO_CAPS ("video/x-raw",
              "GRAY16_LE"))),
  [STEREO_RESULT_CONFIDENCE] = GST_STATIC_PAD_TEMPLATE ("src_confidence",
      GST_PAD_SRC, GST_PAD_REQUEST,
      GST_STATIC_CAPS (GST_STEREO_VIDEO_CAPS ("video/x-raw",
              "{ GRAY8, GRAY16_LE }"))),
};

const gchar *
gst_stereo_result_pad_name (StereoResult result)
{
  return templates[result].name_template;
}

GstPadTemplate *
gst_stereo_result_pad_template (StereoResult result)
{
  return gst_static_pad_template_get (&templates[result]);
}

gboolean
gst_stereo_result_of_template (GstPadTemplate * pad_template,
    StereoResult * result)
{
  for (guint i = 0; i < STEREO_N_RESULTS; i++) {
    if (g_strcmp0 (templates[i].name_template,
            GST_PAD_TEMPLATE_NAME_TEMPLATE (pad_template)) == 0) {
      *result = (StereoResult) i;
      return TRUE;
    }
  }
  return FALSE;
}

static void
drop_pool (GstStereoResultPad * pad)
{
  if (pad->pool != NULL)
    gst_buffer_pool_set_active (pad->pool, FALSE);
  gst_clear_object (&pad->pool);
  pad->pool_device = NULL;
}

void
gst_stereo_result_pad_reset (GstStereoResultPad * pad)
{
  drop_pool (pad);
  gst_stereo_pending_tags_clear (&pad->tags);
  pad->discont = TRUE;
}

gboolean
gst_stereo_result_pad_allocate (GstStereoResultPad * pad, GstCaps * caps,
    const GstStereoDevice * device)
{
  GstQuery *query = gst_query_new_allocation (caps, TRUE);
  GstBufferPool *pool = NULL;
  gboolean ok;

  if (!gst_pad_peer_query (GST_PAD (pad), query))
    GST_DEBUG_OBJECT (pad, "downstream proposes no memory");
  ok = gst_stereo_pool_decide (&pad->info, query, device);
  if (ok)
    gst_query_parse_nth_allocation_pool (query, 0, &pool, NULL, NULL, NULL);
  drop_pool (pad);
  pad->pool = pool;
  pad->pool_device = device->device;
  gst_query_unref (query);
  return ok;
}

gboolean
gst_stereo_result_pad_is_wanted (GstStereoResultPad * pad)
{
  return gst_pad_is_linked (GST_PAD (pad)) && gst_pad_is_active (GST_PAD (pad));
}

static gboolean
has_event (GstStereoResultPad * pad, GstEventType type)
{
  GstEvent *event = gst_pad_get_sticky_event (GST_PAD (pad), type, 0);
  gboolean has = event != NULL;

  gst_clear_event (&event);
  return has;
}

void
gst_stereo_result_pad_start (GstStereoResultPad * pad, GstPad * src,
    GstCaps * caps)
{
  GstEvent *like, *event;
  const gchar *id = "stereo";
  gchar *own_id;
  guint group;

  if (!has_event (pad, GST_EVENT_STREAM_START)) {
    like = gst_pad_get_sticky_event (src, GST_EVENT_STREAM_START, 0);
    if (like != NULL)
      gst_event_parse_stream_start (like, &id);
    own_id = g_strdup_printf ("%s/%s", id, pad->stream != NULL ? pad->stream
        : GST_PAD_NAME (pad));
    event = gst_event_new_stream_start (own_id);
    g_free (own_id);
    if (like != NULL) {
      gst_event_set_seqnum (event, gst_event_get_seqnum (like));
      if (gst_event_parse_group_id (like, &group))
        gst_event_set_group_id (event, group);
      gst_event_unref (like);
    }
    gst_pad_push_event (GST_PAD (pad), event);
  }
  if (caps != NULL)
    gst_pad_push_event (GST_PAD (pad), gst_event_new_caps (caps));
}

/* Pushes the segment of src if it has changed. */
static void
update_segment (GstStereoResultPad * pad, GstPad * src)
{
  GstEvent *wanted = gst_pad_get_sticky_event (src, GST_EVENT_SEGMENT, 0);
  GstEvent *current = gst_pad_get_sticky_event (GST_PAD (pad),
      GST_EVENT_SEGMENT, 0);

  if (wanted != NULL && wanted != current)
    gst_pad_push_event (GST_PAD (pad), gst_event_ref (wanted));
  gst_clear_event (&wanted);
  gst_clear_event (&current);
}

GstFlowReturn
gst_stereo_result_pad_push (GstStereoResultPad * pad, GstPad * src,
    GstBuffer * buffer)
{
  update_segment (pad, src);
  /* src has none either: a seek has started and will flush.  Until then
   * GstAggregator drops buffers and returns OK. */
  if (!has_event (pad, GST_EVENT_SEGMENT)) {
    gst_buffer_unref (buffer);
    return GST_FLOW_OK;
  }
  gst_stereo_pending_tags_send (&pad->tags, GST_PAD (pad));
  return gst_pad_push (GST_PAD (pad), buffer);
}

void
gst_stereo_result_pad_end (GstStereoResultPad * pad, GstPad * src,
    GstEvent * eos)
{
  if (has_event (pad, GST_EVENT_EOS))
    return;
  gst_stereo_result_pad_start (pad, src, NULL);
  update_segment (pad, src);
  gst_pad_push_event (GST_PAD (pad), gst_event_ref (eos));
}

GstFlowReturn
gst_stereo_flow_combine (GstFlowReturn combined, GstFlowReturn flow)
{
  if (combined == GST_FLOW_CUSTOM_SUCCESS)
    return flow;
  if (combined <= GST_FLOW_NOT_NEGOTIATED || combined == GST_FLOW_FLUSHING)
    return combined;
  if (flow <= GST_FLOW_NOT_NEGOTIATED || flow == GST_FLOW_FLUSHING)
    return flow;
  if (combined == GST_FLOW_NOT_LINKED)
    return flow;
  if (flow == GST_FLOW_NOT_LINKED || flow == GST_FLOW_EOS)
    return combined;
  return flow;
}

/* Answers as `src` does, but for caps. */
static gboolean
result_pad_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CAPS:
    case GST_QUERY_ACCEPT_CAPS:
      return gst_pad_query_default (pad, parent, query);
    default:
      return GST_AGGREGATOR_GET_CLASS (parent)->src_query
          (GST_AGGREGATOR (parent), query);
  }
}

static void
gst_stereo_result_pad_dispose (GObject * object)
{
  gst_stereo_result_pad_reset (GST_STEREO_RESULT_PAD (object));
  G_OBJECT_CLASS (gst_stereo_result_pad_parent_class)->dispose (object);
}

static void
gst_stereo_result_pad_class_init (GstStereoResultPadClass * klass)
{
  G_OBJECT_CLASS (klass)->dispose = gst_stereo_result_pad_dispose;
}

static void
gst_stereo_result_pad_init (GstStereoResultPad * self)
{
  gst_pad_set_query_function (GST_PAD (self), result_pad_query);
  self->discont = TRUE;
  self->qos.earliest_time = GST_CLOCK_TIME_NONE;
  self->qos.proportion = 1.0;
}
