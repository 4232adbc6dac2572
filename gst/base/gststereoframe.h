/* gst-stereomatching: buffers mapped for the library
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_FRAME_H
#define GST_STEREO_FRAME_H

#include "stereo.h"

#include <gst/video/video.h>

G_BEGIN_DECLS

/*
 * A buffer mapped for the library: for the device if it can use the buffer's
 * memory, otherwise for the CPU.  frame and image have the size of the caps,
 * even if the buffer is larger and has a GstVideoCropMeta.
 */
typedef struct
{
  GstVideoFrame frame;
  StereoImage image;
} GstStereoFrame;

/*
 * Maps the buffer for reading or writing.  Writing on the device requires
 * GST_STEREO_MAP_DEVICE among the flags, or CUDA memory.  The whole image is
 * inside the mapped memory, regardless of the GstVideoMeta.
 *
 * On failure it returns FALSE with frame.buffer NULL, and why continues the
 * sentence "A buffer ...".
 */
gboolean gst_stereo_frame_map (GstStereoFrame * frame,
    const GstVideoInfo * info, GstBuffer * buffer, GstMapFlags flags,
    StereoDevice * device, StereoMessage * why);

/* Also zeroes the frame.  No effect if it is not mapped. */
void gst_stereo_frame_unmap (GstStereoFrame * frame);

/* After a fallback to the CPU: maps a frame again that was mapped for another
 * device, with the same flags.  The caller holds a reference to the buffer; for
 * writing, the only other one. */
gboolean gst_stereo_frame_remap (GstStereoFrame * frame,
    const GstVideoInfo * info, GstMapFlags flags, StereoDevice * device,
    StereoMessage * why);

G_END_DECLS

#endif /* GST_STEREO_FRAME_H */
