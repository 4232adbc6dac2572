/* gst-stereomatching: frames that would be too late
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_LATE_H
#define GST_STEREO_LATE_H

#include "pair/gststereoresult.h"

G_BEGIN_DECLS

/* Takes over what a QOS event says.  frame is how long a frame lasts, or
 * GST_CLOCK_TIME_NONE. */
void gst_stereo_qos_take (GstStereoQos * self, GstEvent * event,
    GstClockTime frame);

/* Of an element's source pads, that of the one who needs a frame soonest: src,
 * whose own is given, and n others, some of which may be NULL.  What is not
 * linked does not count.  With the element's object lock held. */
GstStereoQos gst_stereo_qos_of_pads (GstPad * src, const GstStereoQos * own,
    GstStereoResultPad * const *pads, guint n);

/* Whether a frame of that running time would be thrown away. */
gboolean gst_stereo_qos_is_late (const GstStereoQos * self, GstClockTime time);

/* Posts that the frame of that buffer, segment and running time is left out,
 * the last of `dropped`, while `made` were not. */
void gst_stereo_qos_tell (const GstStereoQos * self, GstElement * element,
    GstBuffer * buffer, const GstSegment * segment, GstClockTime time,
    guint64 made, guint64 dropped);

G_END_DECLS

#endif /* GST_STEREO_LATE_H */
