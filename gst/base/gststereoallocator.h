/* gst-stereomatching: page-locked memory for copies from and to a device
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Both ways: what upstream fills is uploaded without staging, and what is
 * downloaded goes downstream before it has arrived, with a fence that whoever
 * maps it waits for.
 */

#ifndef GST_STEREO_ALLOCATOR_H
#define GST_STEREO_ALLOCATOR_H

#include "base/gststereofence.h"

G_BEGIN_DECLS

/* An allocator of page-locked memory for copies from and to device. */
GstAllocator *gst_stereo_allocator_new (StereoDevice * device);

/* Whether the buffer is one memory of such an allocator for this device. */
gboolean gst_stereo_buffer_is_pinned (GstBuffer * buffer,
    StereoDevice * device);

/* Makes whoever maps the buffer's memory wait for that frame first.  fence NULL
 * takes the promise off again.  The buffer is pinned. */
void gst_stereo_buffer_set_fence (GstBuffer * buffer, GstStereoFence * fence,
    guint64 frame);

G_END_DECLS

#endif /* GST_STEREO_ALLOCATOR_H */
