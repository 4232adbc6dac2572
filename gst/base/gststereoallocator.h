/* gst-stereomatching: page-locked memory for copies from and to a device
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Both ways.  What upstream fills is uploaded without staging.  What a device
 * writes stays there, in a copy that the memory has for it: elements that work
 * in the same context read that, and it comes down when somebody maps it for
 * the CPU.  Where that happened to the buffers before, it begins to come down
 * as soon as it is made.  Buffers go downstream before they are complete, with
 * a fence that whoever maps one waits for.
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

/* To be added to the flags when a buffer is mapped for the device, as
 * gst_stereo_buffer_use_copy() allows: the addresses are those of the device
 * then.  The same flag as GST_MAP_CUDA. */
#define GST_STEREO_MAP_DEVICE ((GstMapFlags) (GST_MAP_FLAG_LAST << 1))

/* Whether the buffer's memory has a copy that device can read, or with
 * GST_MAP_WRITE can have one that it writes to.  Sets the image's events, which
 * are the memory's: what it waits for, and what says that it is written. */
gboolean gst_stereo_buffer_use_copy (GstBuffer * buffer,
    StereoDevice * device, GstMapFlags flags, StereoImage * image);

/* Whether what the buffer held was lost with its device.  Whoever lost it has
 * said so. */
gboolean gst_stereo_buffer_is_lost (GstBuffer * buffer);

/* How many bytes of copies came down.  Any thread. */
guint64 gst_stereo_allocator_get_downloaded (GstAllocator * allocator);

G_END_DECLS

#endif /* GST_STEREO_ALLOCATOR_H */
