/* gst-stereomatching: buffers that stand for gaps
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_GAP_H
#define GST_STEREO_GAP_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Whether a buffer is a gap instead of an image: GstAggregator and other
 * elements turn GAP events into such buffers. */
static inline gboolean
gst_stereo_is_gap (GstBuffer * buffer)
{
  return GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP)
      && gst_buffer_get_size (buffer) == 0;
}

/* Pushes the GAP event of such a buffer, unless it has no timestamp. */
static inline void
gst_stereo_push_gap (GstPad * src, GstBuffer * gap)
{
  if (GST_BUFFER_PTS_IS_VALID (gap))
    gst_pad_push_event (src, gst_event_new_gap (GST_BUFFER_PTS (gap),
            GST_BUFFER_DURATION (gap)));
}

G_END_DECLS

#endif /* GST_STEREO_GAP_H */
