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
 * A buffer mapped for the library: for the device where that can use its
 * memory, and else for the CPU.  Both have the size of the caps, also where the
 * buffer holds more and has a GstVideoCropMeta.
 */
typedef struct
{
  GstVideoFrame frame;
  StereoImage image;
} GstStereoFrame;

/*
 * Maps the buffer for reading or writing: for writing on the device only with
 * GST_STEREO_MAP_DEVICE among the flags, or where it is CUDA memory.  All that
 * the image consists of lies inside memory that is mapped, whatever a
 * GstVideoMeta says.
 *
 * FALSE, with frame.buffer NULL, if that is impossible: why continues a
 * sentence that begins with "A buffer".
 */
gboolean gst_stereo_frame_map (GstStereoFrame * frame,
    const GstVideoInfo * info, GstBuffer * buffer, GstMapFlags flags,
    StereoDevice * device, StereoMessage * why);

/* Zeroes the frame.  Does nothing for one that is not mapped. */
void gst_stereo_frame_unmap (GstStereoFrame * frame);

/* After a fallback to the CPU: maps a frame again that is mapped for another
 * device.  flags as before.  The caller has a reference to the buffer, which if
 * it is written to is the only other one. */
gboolean gst_stereo_frame_remap (GstStereoFrame * frame,
    const GstVideoInfo * info, GstMapFlags flags, StereoDevice * device,
    StereoMessage * why);

G_END_DECLS

#endif /* GST_STEREO_FRAME_H */
