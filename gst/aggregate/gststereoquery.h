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

/* Frees them.  Call it in the task, which cannot be answering any at that
 * time. */
void gst_stereo_queries_clear_abandoned (GstStereoQueries * self);

/* Answers an ALLOCATION query.  FALSE if the pad has no caps yet. */
gboolean gst_stereo_queries_allocate (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstQuery * query);

/* Lets the task answer any other serialized query, in the order of the pad's
 * queue, which parent_class owns.  Returns the answer; FALSE after a flush. */
gboolean gst_stereo_queries_ask (GstStereoQueries * self,
    GstAggregatorClass * parent_class, GstAggregator * aggregator,
    GstAggregatorPad * pad, GstQuery * query);

G_END_DECLS

#endif /* GST_STEREO_QUERY_H */
