/* gst-stereomatching: what comes after the end
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * When one view ends, so does the result, and the source of the other view has
 * to be told that nobody listens any more.  Up to 1.22, GstAggregator did that.
 * Since then it leaves the queues of its pads as they are at the end, to go on
 * when a new stream begins on one of them; a longer view then waits for room in
 * its queue for ever, and with it whatever else its source feeds.
 *
 * So the pads are closed here: what comes in after the end is refused with
 * GST_FLOW_EOS, and the task goes on until all those who were inside before
 * that are out.  They can be waiting for room in the queue, or for the answer
 * to a serialized query.  The task only goes on while there is something in the
 * queues, so whoever leaves after the end puts an EOS event behind himself.
 *
 * Only a flush or another start opens a pad again.
 */

#include "pair/gststereobase-private.h"

#include "base/gststereodebug.h"

enum
{
  OPEN,
  CLOSED,
  TOLD                          /* closed, with an EOS event in the queue */
};

static gboolean
is_closed (GstStereoBase * self, gint view)
{
  return g_atomic_int_get (&PRIV (self)->door[view].state) != OPEN;
}

/* Each call is followed by leave(), also where it returned FALSE. */
static gboolean
enter (GstStereoBase * self, gint view)
{
  g_atomic_int_inc (&PRIV (self)->door[view].inside);
  return !is_closed (self, view);
}

static void
leave (GstStereoBase * self, gint view)
{
  GstStereoDoor *door = &PRIV (self)->door[view];

  g_atomic_int_add (&door->inside, -1);
  if (g_atomic_int_compare_and_exchange (&door->state, CLOSED, TOLD))
    gst_stereo_base_get_parent_class ()->sink_event_pre_queue
        (GST_AGGREGATOR (self), PRIV (self)->sink[view], gst_event_new_eos ());
}

static GstFlowReturn
chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  GstStereoBase *self = GST_STEREO_BASE (parent);
  gint view = gst_stereo_base_view_of (self, GST_AGGREGATOR_PAD (pad));
  GstFlowReturn flow = GST_FLOW_EOS;

  g_atomic_int_inc (&PRIV (self)->door[view].came);
  if (!enter (self, view))
    gst_buffer_unref (buffer);
  else if (gst_stereo_base_takes_newest (self))
    flow = gst_stereo_base_newest_chain (self, view, buffer);
  else
    flow = PRIV (self)->door[view].chain (pad, parent, buffer);
  leave (self, view);
  return flow == GST_FLOW_OK && is_closed (self, view) ? GST_FLOW_EOS : flow;
}

gboolean
gst_stereo_base_sink_query_pre_queue (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstQuery * query)
{
  GstStereoBase *self = GST_STEREO_BASE (aggregator);
  GstAggregatorClass *parent_class = gst_stereo_base_get_parent_class ();
  gint view = gst_stereo_base_view_of (self, pad);
  gboolean ok = FALSE;

  if (!GST_QUERY_IS_SERIALIZED (query))
    return parent_class->sink_query_pre_queue (aggregator, pad, query);
  /* GstAggregator would wait for a thread that is not there. */
  if (!gst_pad_is_active (GST_PAD (pad)))
    return FALSE;
  if (enter (self, view))
    ok = gst_stereo_queries_ask (&PRIV (self)->queries, parent_class,
        aggregator, pad, query);
  leave (self, view);
  return ok;
}

GstFlowReturn
gst_stereo_base_sink_event_pre_queue (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstEvent * event)
{
  GstStereoBase *self = GST_STEREO_BASE (aggregator);
  gint view = gst_stereo_base_view_of (self, pad);

  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP) {
    g_atomic_int_set (&PRIV (self)->begins_anew, TRUE);
    g_atomic_int_set (&PRIV (self)->door[view].state, OPEN);
  } else if (GST_EVENT_IS_SERIALIZED (event) && is_closed (self, view)) {
    /* as GstAggregator does while it is flushing */
    if (GST_EVENT_IS_STICKY (event))
      gst_pad_store_sticky_event (GST_PAD (pad), event);
    gst_event_unref (event);
    return GST_FLOW_EOS;
  }
  if (gst_stereo_base_newest_event (self, view, event)) {
    gst_event_unref (event);
    return GST_FLOW_OK;
  }
  return gst_stereo_base_get_parent_class ()->sink_event_pre_queue
      (aggregator, pad, event);
}

void
gst_stereo_base_init_doors (GstStereoBase * self)
{
  for (guint i = 0; i < N_VIEWS; i++) {
    GstPad *pad = GST_PAD (PRIV (self)->sink[i]);

    PRIV (self)->door[i].chain = GST_PAD_CHAINFUNC (pad);
    gst_pad_set_chain_function (pad, chain);
  }
}

void
gst_stereo_base_open_doors (GstStereoBase * self)
{
  for (guint i = 0; i < N_VIEWS; i++)
    g_atomic_int_set (&PRIV (self)->door[i].state, OPEN);
}

gboolean
gst_stereo_base_has_ended (GstStereoBase * self)
{
  return is_closed (self, LEFT) && is_closed (self, RIGHT);
}

gint
gst_stereo_base_count_images (GstStereoBase * self, gint view)
{
  return g_atomic_int_get (&PRIV (self)->door[view].came);
}

gboolean
gst_stereo_base_is_waited_in (GstStereoBase * self, gint view)
{
  return g_atomic_int_get (&PRIV (self)->door[view].inside) > 0;
}

GstFlowReturn
gst_stereo_base_end (GstStereoBase * self)
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstFlowReturn flow = GST_FLOW_EOS;

  for (guint i = 0; i < N_VIEWS; i++) {
    g_atomic_int_compare_and_exchange (&priv->door[i].state, OPEN, CLOSED);
    while (gst_aggregator_pad_drop_buffer (priv->sink[i]));
    if (g_atomic_int_get (&priv->door[i].inside) > 0)
      flow = GST_AGGREGATOR_FLOW_NEED_DATA;
  }
  return flow;
}
