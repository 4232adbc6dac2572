/* gst-stereomatching: buffers in, buffers out
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Between GstBuffer and StereoImage: mapped input views, page-locked memory
 * for both directions, and output memory that is filled in while it is already
 * on its way downstream.
 */

#ifndef GST_STEREO_MEMORY_H
#define GST_STEREO_MEMORY_H

#include "stereo.h"

#include <gst/video/video.h>

G_BEGIN_DECLS

/* The format that the library knows this one as; FALSE when there is none. */
gboolean gst_stereo_format (GstVideoFormat format, StereoFormat * stereo);

/* The matrix and the range of YUV video, as far as the library knows them:
 * FCC's matrix counts as BT.601, that of SMPTE 240M as BT.709.  The default for
 * other video. */
StereoColorimetry gst_stereo_colorimetry (const GstVideoInfo * info);

/* ------------------------------------------------------------------- fences */

/*
 * A promise that the frames of a matcher will be complete.  Any thread may wait
 * for one, also after the matcher is gone.
 */
typedef struct _GstStereoFence GstStereoFence;

/* For a matcher, which has to live until gst_stereo_fence_retire(). */
GstStereoFence *gst_stereo_fence_new (StereoMatcher * matcher);
GstStereoFence *gst_stereo_fence_ref (GstStereoFence * fence);
void gst_stereo_fence_unref (GstStereoFence * fence);

/* Waits for a frame.  FALSE when the device failed. */
gboolean gst_stereo_fence_wait (GstStereoFence * fence, guint64 frame);

/* All frames are complete, and the matcher may go. */
void gst_stereo_fence_retire (GstStereoFence * fence);

/* ------------------------------------------------------------------- memory */

/* An allocator of page-locked memory for copies from and to device. */
GstAllocator *gst_stereo_allocator_new (StereoDevice * device);

/* Whether the buffer is one memory of such an allocator for this device. */
gboolean gst_stereo_buffer_is_pinned (GstBuffer * buffer,
    StereoDevice * device);

/* Makes whoever maps the buffer's memory wait for that frame first.  fence NULL
 * takes the promise off again.  The buffer is pinned. */
void gst_stereo_buffer_set_fence (GstBuffer * buffer, GstStereoFence * fence,
    guint64 frame);

/* An inactive pool of video buffers: pinned if allocator is not NULL, with
 * GstVideoMeta if wanted.  NULL when that can't be. */
GstBufferPool *gst_stereo_pool_new (GstCaps * caps, GstAllocator * allocator,
    gboolean video_meta, guint min_buffers, guint max_buffers, guint * size);

/* -------------------------------------------------------------------- views */

/* A buffer mapped for the library. */
typedef struct
{
  GstVideoFrame frame;
  StereoImage image;
} GstStereoFrame;

/* Maps the buffer for reading or writing; FALSE when it is too small for the
 * video, or its memory can't be mapped so.  frame.buffer is NULL after that,
 * and after unmapping. */
gboolean gst_stereo_frame_map (GstStereoFrame * frame,
    const GstVideoInfo * info, GstBuffer * buffer, GstMapFlags flags,
    StereoDevice * device);
void gst_stereo_frame_unmap (GstStereoFrame * frame);

G_END_DECLS

#endif /* GST_STEREO_MEMORY_H */
