/* gst-stereomatching: the end of a stream with several inputs
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * When one input ends, the output ends, and the sources of the other inputs
 * must stop.  Up to 1.22, GstAggregator made them stop.  Later versions leave
 * the queues of its pads unchanged at the end, to continue if a new stream
 * starts on one of them.  A longer input then waits for room in its queue for
 * ever and blocks everything else that its source feeds.
 *
 * Therefore each pad has a guard.  After the end it refuses input with
 * GST_FLOW_EOS, and the task continues until all threads that entered before
 * have left.  They may be blocked for room in the queue or for the answer to a
 * serialized query.  The task only runs while all queues have data, so a thread
 * that leaves after the end queues an EOS event, and so does the task for a pad
 * without a thread.
 *
 * Only a flush or a restart opens a pad again.
 */

#include "aggregate/gststereoaggregator.h"

#include "base/gststereodebug.h"

#define PARENT gst_stereo_aggregator_get_parent_class ()

enum
{
  OPEN,
  CLOSED,
  CLOSED_QUEUED                 /* with an EOS event in the queue */
};

static gboolean
pad_is_closed (GstStereoAggregator * self, gint input)
{
  return g_atomic_int_get (&self->guard[input].state) != OPEN;
}

/* Makes the task run again. */
static void
queue_eos (GstStereoAggregator * self, GstAggregatorPad * pad, gint input)
{
  if (g_atomic_int_compare_and_exchange (&self->guard[input].state, CLOSED,
          CLOSED_QUEUED))
    PARENT->sink_event_pre_queue (GST_AGGREGATOR (self), pad,
        gst_event_new_eos ());
}

/* The caller must call leave_pad() even if this returns FALSE. */
static gboolean
enter_pad (GstStereoAggregator * self, gint input)
{
  g_atomic_int_inc (&self->guard[input].n_blocked);
  return !pad_is_closed (self, input);
}

static void
leave_pad (GstStereoAggregator * self, GstAggregatorPad * pad, gint input)
{
  g_atomic_int_add (&self->guard[input].n_blocked, -1);
  queue_eos (self, pad, input);
}

static GstFlowReturn
guarded_chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  GstStereoAggregator *self = GST_STEREO_AGGREGATOR (parent);
  GstStereoAggregatorClass *klass = GST_STEREO_AGGREGATOR_GET_CLASS (self);
  const gint input = gst_stereo_aggregator_find_input (pad);
  GstFlowReturn flow = GST_FLOW_EOS;

  g_atomic_int_inc (&self->guard[input].n_images);
  if (!enter_pad (self, input))
    gst_buffer_unref (buffer);
  else if (klass->take_buffer == NULL
      || !klass->take_buffer (self, input, buffer, &flow))
    flow = self->chain (pad, parent, buffer);
  leave_pad (self, GST_AGGREGATOR_PAD (pad), input);
  return flow == GST_FLOW_OK && pad_is_closed (self, input) ? GST_FLOW_EOS
      : flow;
}

gboolean
gst_stereo_aggregator_sink_query_pre_queue (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstQuery * query)
{
  GstStereoAggregator *self = GST_STEREO_AGGREGATOR (aggregator);
  const gint input = gst_stereo_aggregator_find_input (GST_PAD (pad));
  gboolean ok = FALSE;

  if (!GST_QUERY_IS_SERIALIZED (query))
    return PARENT->sink_query_pre_queue (aggregator, pad, query);
  /* GstAggregator would wait for a thread that does not run. */
  if (!gst_pad_is_active (GST_PAD (pad)))
    return FALSE;
  if (enter_pad (self, input)) {
    if (GST_QUERY_TYPE (query) == GST_QUERY_ALLOCATION)
      ok = gst_stereo_queries_allocate (aggregator, pad, query);
    else
      ok = gst_stereo_queries_ask (&self->queries, PARENT, aggregator, pad,
          query);
  }
  leave_pad (self, pad, input);
  return ok;
}

GstFlowReturn
gst_stereo_aggregator_sink_event_pre_queue (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstEvent * event)
{
  GstStereoAggregator *self = GST_STEREO_AGGREGATOR (aggregator);
  GstStereoAggregatorClass *klass = GST_STEREO_AGGREGATOR_GET_CLASS (self);
  const gint input = gst_stereo_aggregator_find_input (GST_PAD (pad));

  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP) {
    g_atomic_int_set (&self->guard[input].state, OPEN);
  } else if (GST_EVENT_IS_SERIALIZED (event) && pad_is_closed (self, input)) {
    /* as GstAggregator does while it is flushing */
    if (GST_EVENT_IS_STICKY (event))
      gst_pad_store_sticky_event (GST_PAD (pad), event);
    gst_event_unref (event);
    return GST_FLOW_EOS;
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
    gst_stereo_aggregator_check_links (self, input);
  if (klass->take_event != NULL && klass->take_event (self, input, event)) {
    gst_event_unref (event);
    return GST_FLOW_OK;
  }
  return PARENT->sink_event_pre_queue (aggregator, pad, event);
}

void
gst_stereo_aggregator_guard_pad (GstStereoAggregator * self, gint input)
{
  GstPad *pad = GST_PAD (self->sink[input]);

  g_atomic_int_set (&self->guard[input].state, OPEN);
  /* the same for all pads; those of others may be running */
  if (self->chain == NULL)
    self->chain = GST_PAD_CHAINFUNC (pad);
  gst_pad_set_chain_function (pad, guarded_chain);
}

void
gst_stereo_aggregator_reset_pads (GstStereoAggregator * self)
{
  for (gint i = 0; i < GST_STEREO_N_INPUTS; i++) {
    g_atomic_int_set (&self->guard[i].state, OPEN);
    g_atomic_int_set (&self->guard[i].n_images, 0);
  }
}

gboolean
gst_stereo_aggregator_has_ended (GstStereoAggregator * self)
{
  gboolean ended = TRUE;

  GST_OBJECT_LOCK (self);
  for (gint i = 0; i < GST_STEREO_N_INPUTS; i++)
    ended &= self->sink[i] == NULL || pad_is_closed (self, i);
  GST_OBJECT_UNLOCK (self);
  return ended;
}

gint
gst_stereo_aggregator_count_images (GstStereoAggregator * self, gint input)
{
  return g_atomic_int_get (&self->guard[input].n_images);
}

gboolean
gst_stereo_aggregator_is_blocked (GstStereoAggregator * self, gint input)
{
  return g_atomic_int_get (&self->guard[input].n_blocked) > 0;
}

GstFlowReturn
gst_stereo_aggregator_end (GstStereoAggregator * self)
{
  GstFlowReturn flow = GST_FLOW_EOS;

  for (gint i = 0; i < GST_STEREO_N_INPUTS; i++) {
    GstAggregatorPad *pad = gst_stereo_aggregator_get_pad (self, i);

    if (pad == NULL)
      continue;
    g_atomic_int_compare_and_exchange (&self->guard[i].state, OPEN, CLOSED);
    while (gst_aggregator_pad_drop_buffer (pad));
    if (gst_stereo_aggregator_is_blocked (self, i))
      flow = GST_AGGREGATOR_FLOW_NEED_DATA;
    gst_object_unref (pad);
  }
  /* The task must not wait for data of the others. */
  for (gint i = 0; i < GST_STEREO_N_INPUTS && flow != GST_FLOW_EOS; i++) {
    GstAggregatorPad *pad = gst_stereo_aggregator_get_pad (self, i);

    if (pad != NULL && !gst_aggregator_pad_is_eos (pad)
        && !gst_stereo_aggregator_is_blocked (self, i))
      queue_eos (self, pad, i);
    gst_clear_object (&pad);
  }
  return flow;
}
