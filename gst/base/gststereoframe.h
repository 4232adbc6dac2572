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
 * FALSE, and frame.buffer is NULL, when that can't be: why gets what the buffer
 * "has", or "is", or "can't be".  After unmapping frame.buffer is NULL too.
 */
gboolean gst_stereo_frame_map (GstStereoFrame * frame,
    const GstVideoInfo * info, GstBuffer * buffer, GstMapFlags flags,
    StereoDevice * device, StereoMessage * why);
void gst_stereo_frame_unmap (GstStereoFrame * frame);

/* After the element may have gone back to the CPU: maps a frame once more that
 * is mapped for a device which device is not.  flags as before.  The caller has
 * a reference to the buffer, too, and where it is written to the only other
 * one. */
gboolean gst_stereo_frame_remap (GstStereoFrame * frame,
    const GstVideoInfo * info, GstMapFlags flags, StereoDevice * device,
    StereoMessage * why);

/* Views of one frame at most. */
#define GST_STEREO_MAX_INPUTS 4

/*
 * Inputs that a device reads where they are stay mapped until it has.  With n
 * frames under way, a frame that starts waits for the one n before it, so that
 * one's inputs are let go of in its favour.
 */
typedef struct
{
  guint n;                      /* 0: nothing was held yet */
  GstStereoFrame frames[STEREO_MAX_FRAMES][GST_STEREO_MAX_INPUTS];
} GstStereoHeld;

/* Lets go of all, as every frame is complete, and from now on holds those of n
 * frames. */
void gst_stereo_held_resize (GstStereoHeld * held, guint n);

/* Lets go of what the frame before in this place had. */
void gst_stereo_held_release (GstStereoHeld * held, guint64 frame);

/* Takes over the n mapped inputs of a frame, which are zeroed. */
void gst_stereo_held_take (GstStereoHeld * held, guint64 frame,
    GstStereoFrame * inputs, guint n);

/* Lets go of all: every frame is complete. */
void gst_stereo_held_release_all (GstStereoHeld * held);

G_END_DECLS

#endif /* GST_STEREO_FRAME_H */
