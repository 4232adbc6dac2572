/* gst-stereomatching: pools of video buffers
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_POOL_H
#define GST_STEREO_POOL_H

#include "base/gststereodevice.h"

#include <gst/video/video.h>

G_BEGIN_DECLS

/* An inactive pool of video buffers: with memory of the allocator, which may be
 * NULL, and with GstVideoMeta if wanted.  NULL if it cannot be configured. */
GstBufferPool *gst_stereo_pool_new (GstCaps * caps, GstAllocator * allocator,
    gboolean video_meta, guint min_buffers, guint max_buffers, guint * size);

/* Whether downstream of a pad supports GstVideoMeta. */
gboolean gst_stereo_pool_takes_video_meta (GstPad * src, GstCaps * caps);

/*
 * Sets the first pool of an ALLOCATION query that downstream has answered.  The
 * output of the CPU goes where downstream wants it, so it is downstream's pool
 * if there is one.  The output of a device goes into memory of its allocator,
 * or for such caps into CUDA memory of its context.  FALSE with an error
 * posted.
 */
gboolean gst_stereo_pool_decide (const GstVideoInfo * info, GstQuery * query,
    const GstStereoDevice * device);

/* Offers upstream a pool in an ALLOCATION query: of CUDA memory in the device's
 * context, or of its pinned memory, if it has either. */
void gst_stereo_pool_propose (GstQuery * query, GstStereoDevice * device);

G_END_DECLS

#endif /* GST_STEREO_POOL_H */
