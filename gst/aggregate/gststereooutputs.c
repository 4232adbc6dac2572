/* gst-stereomatching: source pads of the elements with several inputs
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "aggregate/gststereoaggregator.h"

#include <string.h>

/* -------------------------------------------------------------- result pads */

static gboolean
insert_result_pad (GstStereoAggregator * self, GstStereoResultPad * pad)
{
  gboolean taken = FALSE;

  GST_OBJECT_LOCK (self);
  for (guint i = 0; i < self->result_pads->len; i++)
    taken |= strcmp (GST_PAD_NAME (pad),
        GST_PAD_NAME (self->result_pads->pdata[i])) == 0;
  if (!taken)
    g_ptr_array_add (self->result_pads, gst_object_ref (pad));
  GST_OBJECT_UNLOCK (self);
  return !taken;
}

static void
remove_result_pad (GstStereoAggregator * self, GstStereoResultPad * pad)
{
  GST_OBJECT_LOCK (self);
  g_ptr_array_remove (self->result_pads, pad);
  GST_OBJECT_UNLOCK (self);
}

GstPad *
gst_stereo_aggregator_add_result_pad (GstStereoAggregator * self, GType type,
    GstPadTemplate * pad_template, const gchar * name)
{
  GstStereoResultPad *pad = g_object_new (type, "name", name, "direction",
      GST_PAD_SRC, "template", pad_template, NULL);

  gst_object_ref_sink (pad);
  if (gst_stereo_result_of_template (pad_template, &pad->result))
    pad->stream = stereo_result_name (pad->result);
  gst_pad_set_event_function (GST_PAD (pad),
      gst_stereo_aggregator_result_pad_event);
  if (!insert_result_pad (self, pad)) {
    gst_object_unref (pad);
    return NULL;
  }
  gst_pad_set_active (GST_PAD (pad), TRUE);
  if (!gst_element_add_pad (GST_ELEMENT_CAST (self), GST_PAD (pad))) {
    remove_result_pad (self, pad);
    gst_object_unref (pad);
    return NULL;
  }
  gst_object_unref (pad);
  return GST_PAD (pad);
}

void
gst_stereo_aggregator_release_result_pad (GstStereoAggregator * self,
    GstStereoResultPad * pad)
{
  gst_object_ref (pad);
  GST_OBJECT_LOCK (self);
  pad->released = TRUE;
  GST_OBJECT_UNLOCK (self);
  /* The task may be pushing to the pad: that call returns FLUSHING. */
  gst_pad_set_active (GST_PAD (pad), FALSE);
  gst_stereo_buffer_wait_release_pad (&self->buffer_wait, GST_PAD (pad));
  gst_element_remove_pad (GST_ELEMENT_CAST (self), GST_PAD (pad));
  /* only after the element has no other pad of this name */
  remove_result_pad (self, pad);
  gst_object_unref (pad);
}

GPtrArray *
gst_stereo_aggregator_get_result_pads (GstStereoAggregator * self)
{
  GPtrArray *pads = g_ptr_array_new_with_free_func (gst_object_unref);

  GST_OBJECT_LOCK (self);
  for (guint i = 0; i < self->result_pads->len; i++) {
    if (!GST_STEREO_RESULT_PAD (self->result_pads->pdata[i])->released)
      g_ptr_array_add (pads, gst_object_ref (self->result_pads->pdata[i]));
  }
  GST_OBJECT_UNLOCK (self);
  return pads;
}

void
gst_stereo_aggregator_stop_result_pads (GstStereoAggregator * self)
{
  GPtrArray *pads = gst_stereo_aggregator_get_result_pads (self);

  for (guint i = 0; i < pads->len; i++)
    gst_pad_set_active (pads->pdata[i], FALSE);
  g_ptr_array_unref (pads);
}

void
gst_stereo_aggregator_reset_result_pads (GstStereoAggregator * self)
{
  GPtrArray *pads = gst_stereo_aggregator_get_result_pads (self);

  for (guint i = 0; i < pads->len; i++)
    gst_stereo_result_pad_reset (pads->pdata[i]);
  g_ptr_array_unref (pads);
}

void
gst_stereo_aggregator_forward_to_result_pads (GstStereoAggregator * self,
    GstEvent * event)
{
  GPtrArray *pads = gst_stereo_aggregator_get_result_pads (self);

  for (guint i = 0; i < pads->len; i++) {
    if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
      gst_stereo_result_pad_end (pads->pdata[i], GST_AGGREGATOR_SRC_PAD (self),
          event);
    else
      gst_pad_push_event (pads->pdata[i], gst_event_ref (event));
  }
  g_ptr_array_unref (pads);
}

/* -------------------------------------------------------------- negotiation */

/* Sends caps of a result pad and gets a pool for them. */
static GstFlowReturn
set_result_caps (GstStereoAggregator * self, GstStereoResultPad * pad,
    GstCaps * caps, gboolean changed)
{
  if (!gst_video_info_from_caps (&pad->info, caps))
    return GST_FLOW_NOT_NEGOTIATED;
  gst_stereo_result_pad_start (pad, GST_AGGREGATOR_SRC_PAD (self),
      changed ? caps : NULL);
  return gst_stereo_result_pad_allocate (pad, caps, &self->device)
      ? GST_FLOW_OK : GST_FLOW_ERROR;
}

/* Makes sure that a result pad has caps, and memory of this device. */
static GstFlowReturn
negotiate_result_pad (GstStereoAggregator * self, GstStereoResultPad * pad)
{
  GstStereoAggregatorClass *klass = GST_STEREO_AGGREGATOR_GET_CLASS (self);
  const gboolean asked = gst_pad_check_reconfigure (GST_PAD (pad));
  GstCaps *current = gst_pad_get_current_caps (GST_PAD (pad));
  GstCaps *wanted = klass->get_result_caps (self, pad), *downstream, *caps;
  GstFlowReturn flow = GST_FLOW_NOT_NEGOTIATED;

  if (current != NULL && !asked && pad->pool != NULL
      && pad->pool_device == self->device.device
      && gst_caps_is_subset (current, wanted)) {
    gst_caps_unref (wanted);
    gst_caps_unref (current);
    return GST_FLOW_OK;
  }

  downstream = gst_pad_peer_query_caps (GST_PAD (pad), wanted);
  caps = gst_caps_intersect_full (downstream, wanted,
      GST_CAPS_INTERSECT_ZIG_ZAG);
  gst_caps_unref (downstream);
  gst_caps_unref (wanted);
  if (gst_caps_is_empty (caps)) {
    downstream = gst_pad_peer_query_caps (GST_PAD (pad), NULL);
    klass->post_downstream_error (self, pad, downstream);
    gst_caps_unref (downstream);
  } else {
    caps = gst_caps_fixate (caps);
    flow = set_result_caps (self, pad, caps, current == NULL
        || !gst_caps_is_equal (current, caps));
  }
  if (flow != GST_FLOW_OK)
    gst_pad_mark_reconfigure (GST_PAD (pad));
  gst_caps_unref (caps);
  gst_clear_caps (&current);
  return flow;
}

/* ------------------------------------------------------------------- frames */

static GstFlowReturn
open_result (GstStereoAggregator * self, GstStereoResultPad * pad,
    GstStereoRunImage * output)
{
  GstFlowReturn flow = GST_FLOW_FLUSHING;

  output->pad = gst_object_ref (pad);
  output->info = &pad->info;
  if (gst_stereo_result_pad_is_wanted (pad))
    flow = negotiate_result_pad (self, pad);
  if (flow == GST_FLOW_OK)
    flow = gst_stereo_buffer_wait_acquire (&self->buffer_wait, &self->failure,
        gst_object_ref (pad->pool), GST_PAD (pad), &output->buffer);
  if (output->buffer == NULL)
    pad->discont = TRUE;
  /* It may have been released during the wait for its buffer. */
  return flow == GST_FLOW_FLUSHING && !gst_stereo_result_pad_is_wanted (pad)
      ? GST_FLOW_OK : flow;
}

GstFlowReturn
gst_stereo_aggregator_open_outputs (GstStereoAggregator * self,
    GstStereoRunFrame * frame)
{
  GPtrArray *pads = gst_stereo_aggregator_get_result_pads (self);
  GstFlowReturn flow;

  frame->n_outputs = 1 + pads->len;
  frame->outputs = g_new0 (GstStereoRunImage, frame->n_outputs);
  frame->outputs[0].info = &self->out_info;
  flow = gst_stereo_buffer_wait_acquire (&self->buffer_wait, &self->failure,
      gst_aggregator_get_buffer_pool (GST_AGGREGATOR (self)), NULL,
      &frame->outputs[0].buffer);
  for (guint i = 1; i < frame->n_outputs && flow == GST_FLOW_OK; i++)
    flow = open_result (self, pads->pdata[i - 1], &frame->outputs[i]);
  g_ptr_array_unref (pads);
  return flow;
}

void
gst_stereo_aggregator_close_outputs (GstStereoRunFrame * frame)
{
  for (guint i = 0; i < frame->n_outputs; i++) {
    gst_clear_buffer (&frame->outputs[i].buffer);
    gst_clear_object (&frame->outputs[i].pad);
  }
  g_clear_pointer (&frame->outputs, g_free);
}

void
gst_stereo_aggregator_stamp (GstStereoAggregator * self, GstBuffer * output,
    const GstStereoRunFrame * frame, GstBuffer * leader)
{
  gst_buffer_copy_into (output, leader, GST_BUFFER_COPY_FLAGS
      | GST_BUFFER_COPY_TIMESTAMPS, 0, (gsize) - 1);
  GST_BUFFER_FLAG_UNSET (output, GST_BUFFER_FLAG_GAP);
  for (guint i = 0; i < GST_STEREO_MAX_INPUTS; i++) {
    if (frame->inputs[i].buffer != NULL
        && GST_BUFFER_FLAG_IS_SET (frame->inputs[i].buffer,
            GST_BUFFER_FLAG_CORRUPTED))
      GST_BUFFER_FLAG_SET (output, GST_BUFFER_FLAG_CORRUPTED);
  }
  if (self->discont)
    GST_BUFFER_FLAG_SET (output, GST_BUFFER_FLAG_DISCONT);
  GST_OBJECT_LOCK (self);
  if (GST_BUFFER_PTS_IS_VALID (output))
    GST_AGGREGATOR_PAD (GST_AGGREGATOR_SRC_PAD (self))->segment.position =
        GST_BUFFER_PTS (output) + (GST_BUFFER_DURATION_IS_VALID (output)
        ? GST_BUFFER_DURATION (output) : 0);
  GST_OBJECT_UNLOCK (self);
}

static void
describe_output (GstStereoAggregator * self, GstStereoRunFrame * frame,
    guint i, GstBuffer * leader)
{
  GstStereoRunImage *output = &frame->outputs[i];
  GstStereoResultPad *pad = (GstStereoResultPad *) output->pad;

  gst_stereo_aggregator_stamp (self, output->buffer, frame, leader);
  if (pad != NULL && pad->discont)
    GST_BUFFER_FLAG_SET (output->buffer, GST_BUFFER_FLAG_DISCONT);
  if (pad != NULL)
    pad->discont = FALSE;
  GST_STEREO_AGGREGATOR_GET_CLASS (self)->describe (self, frame, i);
}

/* `src` comes first, because its segment is sent with the buffer. */
static GstFlowReturn
push_outputs (GstStereoAggregator * self, GstStereoRunFrame * frame)
{
  GstAggregator *aggregator = GST_AGGREGATOR (self);
  GstFlowReturn combined, flow;
  gboolean released;

  combined = gst_aggregator_finish_buffer (aggregator,
      g_steal_pointer (&frame->outputs[0].buffer));
  for (guint i = 1; i < frame->n_outputs; i++) {
    GstStereoResultPad *pad = (GstStereoResultPad *) frame->outputs[i].pad;

    if (frame->outputs[i].buffer == NULL)
      continue;
    if (combined == GST_FLOW_FLUSHING)
      break;
    flow = gst_stereo_result_pad_push (pad, aggregator->srcpad,
        g_steal_pointer (&frame->outputs[i].buffer));
    GST_OBJECT_LOCK (self);
    released = pad->released;
    GST_OBJECT_UNLOCK (self);
    if (!released)
      combined = gst_stereo_flow_combine (combined, flow);
  }
  return combined;
}

GstFlowReturn
gst_stereo_aggregator_process_frame (GstStereoAggregator * self,
    GstStereoRunFrame * frame)
{
  GstFlowReturn flow = gst_stereo_run_frame (&self->run, frame);

  if (flow != GST_STEREO_FLOW_LOST)
    return flow;
  self->discont = TRUE;
  return GST_AGGREGATOR_FLOW_NEED_DATA;
}

GstFlowReturn
gst_stereo_aggregator_push_frame (GstStereoAggregator * self,
    GstStereoRunFrame * frame, GstBuffer * leader)
{
  GstFlowReturn flow = gst_stereo_aggregator_process_frame (self, frame);

  if (flow != GST_FLOW_OK)
    return flow;
  for (guint i = 0; i < frame->n_outputs; i++) {
    if (frame->outputs[i].buffer != NULL)
      describe_output (self, frame, i, leader);
  }
  self->discont = FALSE;
  GST_OBJECT_LOCK (self);
  self->counters.processed++;
  GST_OBJECT_UNLOCK (self);
  return push_outputs (self, frame);
}
