/* gst-stereomatching: images that no map belongs to
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_UNMATCHED_H
#define GST_STEREO_UNMATCHED_H

#include "aggregate/gststereoinput.h"

G_BEGIN_DECLS

/*
 * A matcher does not match unpaired images, nor pairs that are late or
 * superseded.  A disparity consumer would keep them until the next map: they
 * fill its queues, and the source blocks before the next pair.  Therefore the
 * matcher sends a custom downstream event between the maps, `stereo-unmatched`.
 * No map will come for the images with the timestamps `left-pts` and
 * `right-pts`, both uint64, or for older ones.  A field may be missing.
 *
 * It is not a GAP event: sinks would wait for its time.
 */

/* Timestamps of both views, GST_CLOCK_TIME_NONE for a missing one. */
typedef struct
{
  GstClockTime pts[GST_STEREO_N_VIEWS];
} GstStereoUnmatched;

#define GST_STEREO_UNMATCHED_NONE \
    ((GstStereoUnmatched) { { GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE } })

gboolean gst_stereo_unmatched_is_empty (const GstStereoUnmatched * self);

/* Sends the event, unless self is empty.  It may block, like a buffer. */
void gst_stereo_unmatched_push (const GstStereoUnmatched * self, GstPad * pad);

/* FALSE for another event. */
gboolean gst_stereo_unmatched_parse (GstEvent * event,
    GstStereoUnmatched * self);

/* A gap buffer for the queue of the maps. */
GstBuffer *gst_stereo_unmatched_to_gap (const GstStereoUnmatched * self);

/* That of such a buffer, which owns it, or NULL for another one. */
const GstStereoUnmatched *gst_stereo_unmatched_from_gap (GstBuffer * gap);

G_END_DECLS

#endif /* GST_STEREO_UNMATCHED_H */
