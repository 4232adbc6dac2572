/* gst-stereomatching: serialized queries
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * GstAggregator's task has no reference to a serialized query while it answers
 * it, and cannot have one: the query would not be writable.  A flush makes the
 * thread that waits for the answer return, and its query with it, even if the
 * task is just answering it.  So the task gets a copy, which lives until the
 * task is known to do something else.
 *
 * ALLOCATION queries are answered at once, since the answer only depends on the
 * caps in the query.  In the queue they would wait behind an unpaired image,
 * while its partner waits for the answer if one thread pushes both views.
 */

#include "aggregate/gststereoquery.h"

void
gst_stereo_queries_init (GstStereoQueries * self)
{
  self->abandoned =
      g_async_queue_new_full ((GDestroyNotify) gst_mini_object_unref);
}

void
gst_stereo_queries_clear (GstStereoQueries * self)
{
  g_clear_pointer (&self->abandoned, g_async_queue_unref);
}

void
gst_stereo_queries_clear_abandoned (GstStereoQueries * self)
{
  GstQuery *query;

  while ((query = g_async_queue_try_pop (self->abandoned)) != NULL)
    gst_query_unref (query);
}

gboolean
gst_stereo_queries_allocate (GstAggregator * aggregator, GstAggregatorPad * pad,
    GstQuery * query)
{
  return gst_pad_has_current_caps (GST_PAD (pad))
      && GST_AGGREGATOR_GET_CLASS (aggregator)->propose_allocation (aggregator,
      pad, NULL, query);
}

gboolean
gst_stereo_queries_ask (GstStereoQueries * self,
    GstAggregatorClass * parent_class, GstAggregator * aggregator,
    GstAggregatorPad * pad, GstQuery * query)
{
  GstQuery *own = gst_query_copy (query);
  gboolean ok = parent_class->sink_query_pre_queue (aggregator, pad, own);

  if (ok)
    gst_query_unref (own);
  else
    g_async_queue_push (self->abandoned, own);
  return ok;
}
