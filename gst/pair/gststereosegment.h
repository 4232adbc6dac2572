/* gst-stereomatching: what GstAggregator takes for granted of segments
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_SEGMENT_H
#define GST_STEREO_SEGMENT_H

#include <gst/base/gstaggregator.h>

G_BEGIN_DECLS

/* Whether it is known what the times on the pad mean: a GAP event is to be left
 * out before. */
gboolean gst_stereo_has_segment (GstAggregatorPad * pad);

/* For the start of an element: the EOS event that is sent downstream has the
 * sequence number of the last segment that came, and may have to be sent before
 * there was one.  pad, one of its sink pads, has none afterwards, either. */
void gst_stereo_number_events (GstAggregator * aggregator,
    GstAggregatorClass * parent_class, GstAggregatorPad * pad);

G_END_DECLS

#endif /* GST_STEREO_SEGMENT_H */
