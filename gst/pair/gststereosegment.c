/* gst-stereomatching: what GstAggregator takes for granted of segments
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "pair/gststereosegment.h"

gboolean
gst_stereo_has_segment (GstAggregatorPad * pad)
{
  gboolean has;

  GST_OBJECT_LOCK (pad);
  has = pad->segment.format == GST_FORMAT_TIME;
  GST_OBJECT_UNLOCK (pad);
  return has;
}

void
gst_stereo_number_events (GstAggregator * aggregator,
    GstAggregatorClass * parent_class, GstAggregatorPad * pad)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  parent_class->sink_event (aggregator, pad, gst_event_new_segment (&segment));
  GST_OBJECT_LOCK (pad);
  gst_segment_init (&pad->segment, GST_FORMAT_UNDEFINED);
  GST_OBJECT_UNLOCK (pad);
}
