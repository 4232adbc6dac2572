/* gst-stereomatching: queries that wait for what came before them
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_QUERY_H
#define GST_STEREO_QUERY_H

#include <gst/base/gstaggregator.h>

G_BEGIN_DECLS

/* Queries that an element's task may still be answering though nobody waits
 * for the answer. */
typedef struct
{
  GAsyncQueue *late;
} GstStereoQueries;

void gst_stereo_queries_init (GstStereoQueries * self);

void gst_stereo_queries_clear (GstStereoQueries * self);

/* Lets go of them; for a task that is at something else. */
void gst_stereo_queries_forget (GstStereoQueries * self);

/* Has a serialized query answered in the task, behind what is in the queue of
 * its pad; parent_class is the one whose queue that is. FALSE if the answer is
 * no, and after a flush. */
gboolean gst_stereo_queries_ask (GstStereoQueries * self,
    GstAggregatorClass * parent_class, GstAggregator * aggregator,
    GstAggregatorPad * pad, GstQuery * query);

G_END_DECLS

#endif /* GST_STEREO_QUERY_H */
