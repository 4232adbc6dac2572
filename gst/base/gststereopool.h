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

/* An inactive pool of video buffers: of memory of the allocator, which may be
 * NULL, with GstVideoMeta if wanted.  NULL when that can't be. */
GstBufferPool *gst_stereo_pool_new (GstCaps * caps, GstAllocator * allocator,
    gboolean video_meta, guint min_buffers, guint max_buffers, guint * size);

/*
 * Puts a pool for such video in the first place of an ALLOCATION query that
 * downstream has answered.  What we write on the CPU goes where downstream
 * wants it, so the pool is downstream's if that has one.  What a device writes
 * goes into memory of the device's allocator, or for caps that say so into CUDA
 * memory of its context.
 *
 * FALSE when there is no such pool.
 */
gboolean gst_stereo_pool_decide (const GstVideoInfo * info, GstQuery * query,
    const GstStereoDevice * device);

/* Offers upstream a pool in an ALLOCATION query: of CUDA memory in the device's
 * context, or of its pinned memory, if there is such a thing. */
void gst_stereo_pool_propose (GstQuery * query, GstStereoDevice * device);

G_END_DECLS

#endif /* GST_STEREO_POOL_H */
