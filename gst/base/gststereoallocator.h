/* gst-stereomatching: page-locked memory for copies from and to a device
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Memory for both directions.  Upstream's buffers are uploaded without staging.
 * The output of a device stays there, in a copy that belongs to the memory:
 * elements in the same context read that copy, and mapping the memory for the
 * CPU downloads it.  If the last buffers were downloaded, the download starts
 * as soon as the output is written.  Buffers go downstream before they are
 * complete, with a fence that gst_buffer_map() waits for.
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

/* Makes gst_buffer_map() wait for that frame; fence may be NULL.  The buffer
 * must be pinned. */
void gst_stereo_buffer_set_fence (GstBuffer * buffer, GstStereoFence * fence,
    guint64 frame);

/* Maps a buffer for the device, as gst_stereo_buffer_use_copy() allows: the
 * addresses are the device's.  The same flag as GST_MAP_CUDA. */
#define GST_STEREO_MAP_DEVICE ((GstMapFlags) (GST_MAP_FLAG_LAST << 1))

/* Whether the buffer's memory has a copy that the device can read or, with
 * GST_MAP_WRITE, write.  Sets the events of the image, which belong to the
 * memory. */
gboolean gst_stereo_buffer_use_copy (GstBuffer * buffer,
    StereoDevice * device, GstMapFlags flags, StereoImage * image);

/* Whether the contents were lost with their device, which has been
 * reported. */
gboolean gst_stereo_buffer_is_lost (GstBuffer * buffer);

/* Bytes that were downloaded.  Any thread. */
guint64 gst_stereo_allocator_get_downloaded (GstAllocator * allocator);

G_END_DECLS

#endif /* GST_STEREO_ALLOCATOR_H */
