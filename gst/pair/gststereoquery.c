/* gst-stereomatching: queries that wait for what came before them
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * GstAggregator's task has no reference to a serialized query while it answers
 * it, and can't have one: the query would not be writable.  A flush sends away
 * who waits for the answer, and the query goes with them, whether the task is
 * at it or not.  So the task is given a query of ours, which stays until it
 * surely does something else.
 */

#include "pair/gststereoquery.h"

void
gst_stereo_queries_init (GstStereoQueries * self)
{
  self->late =
      g_async_queue_new_full ((GDestroyNotify) gst_mini_object_unref);
}

void
gst_stereo_queries_clear (GstStereoQueries * self)
{
  g_clear_pointer (&self->late, g_async_queue_unref);
}

void
gst_stereo_queries_forget (GstStereoQueries * self)
{
  GstQuery *query;

  while ((query = g_async_queue_try_pop (self->late)) != NULL)
    gst_query_unref (query);
}

/* The same question.  A copy would share what others have already answered. */
static GstQuery *
ask_again (GstQuery * query)
{
  gboolean need_pool;
  GstCaps *caps;

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return gst_query_copy (query);
  gst_query_parse_allocation (query, &caps, &need_pool);
  return gst_query_new_allocation (caps, need_pool);
}

/* Of serialized queries, only that for memory has more of an answer than yes
 * and no. */
static void
take_answer (GstQuery * query, GstQuery * from)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return;
  for (guint i = 0; i < gst_query_get_n_allocation_pools (from); i++) {
    guint size, min, max;
    GstBufferPool *pool;

    gst_query_parse_nth_allocation_pool (from, i, &pool, &size, &min, &max);
    gst_query_add_allocation_pool (query, pool, size, min, max);
    gst_clear_object (&pool);
  }
  for (guint i = 0; i < gst_query_get_n_allocation_params (from); i++) {
    GstAllocationParams params;
    GstAllocator *allocator;

    gst_query_parse_nth_allocation_param (from, i, &allocator, &params);
    gst_query_add_allocation_param (query, allocator, &params);
    gst_clear_object (&allocator);
  }
  for (guint i = 0; i < gst_query_get_n_allocation_metas (from); i++) {
    const GstStructure *params;
    GType api = gst_query_parse_nth_allocation_meta (from, i, &params);

    gst_query_add_allocation_meta (query, api, params);
  }
}

gboolean
gst_stereo_queries_ask (GstStereoQueries * self,
    GstAggregatorClass * parent_class, GstAggregator * aggregator,
    GstAggregatorPad * pad, GstQuery * query)
{
  GstQuery *own = ask_again (query);
  gboolean ok = parent_class->sink_query_pre_queue (aggregator, pad, own);

  if (ok) {
    take_answer (query, own);
    gst_query_unref (own);
  } else {
    g_async_queue_push (self->late, own);
  }
  return ok;
}
