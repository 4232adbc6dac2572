/* gst-stereomatching: serialized queries
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_QUERY_H
#define GST_STEREO_QUERY_H

#include <gst/base/gstaggregator.h>

G_BEGIN_DECLS

/* Queries that the task may still be answering after a flush. */
typedef struct
{
  GAsyncQueue *abandoned;
} GstStereoQueries;

void gst_stereo_queries_init (GstStereoQueries * self);

void gst_stereo_queries_clear (GstStereoQueries * self);

/* Frees them.  To be called in the task, which answers none then. */
void gst_stereo_queries_clear_abandoned (GstStereoQueries * self);

/* Answers an ALLOCATION query.  FALSE before the caps of the pad. */
gboolean gst_stereo_queries_allocate (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstQuery * query);

/* Has the task answer any other serialized query, after the pad's queue;
 * parent_class has that queue.  These only have a yes or no for an answer.
 * FALSE if it is no, and after a flush. */
gboolean gst_stereo_queries_ask (GstStereoQueries * self,
    GstAggregatorClass * parent_class, GstAggregator * aggregator,
    GstAggregatorPad * pad, GstQuery * query);

G_END_DECLS

#endif /* GST_STEREO_QUERY_H */
