/* gst-stereomatching: buffers mapped for the library
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "base/gststereoframe.h"

#include "base/gststereoallocator.h"
#include "base/gststereoformat.h"

gboolean
gst_stereo_frame_map (GstStereoFrame * frame, const GstVideoInfo * info,
    GstBuffer * buffer, GstMapFlags flags, StereoDevice * device)
{
  StereoImage *image = &frame->image;
  gboolean ok;

  if (!gst_video_frame_map (&frame->frame, info, buffer, flags)) {
    memset (frame, 0, sizeof (*frame));
    return FALSE;
  }
  /* Rows from bottom to top are not video as GStreamer has it. */
  ok = gst_stereo_format (GST_VIDEO_FRAME_FORMAT (&frame->frame),
      &image->format);
  for (guint i = 0; i < GST_VIDEO_FRAME_N_PLANES (&frame->frame); i++)
    ok &= GST_VIDEO_FRAME_PLANE_STRIDE (&frame->frame, i) > 0;
  if (!ok) {
    gst_stereo_frame_unmap (frame);
    return FALSE;
  }

  image->width = GST_VIDEO_FRAME_WIDTH (&frame->frame);
  image->height = GST_VIDEO_FRAME_HEIGHT (&frame->frame);
  image->memory = gst_stereo_buffer_is_pinned (buffer, device)
      ? STEREO_MEMORY_PINNED : STEREO_MEMORY_HOST;
  for (guint i = 0; i < 3; i++) {
    gboolean has = i < GST_VIDEO_FRAME_N_PLANES (&frame->frame);

    image->plane[i] = has ? GST_VIDEO_FRAME_PLANE_DATA (&frame->frame, i)
        : NULL;
    image->stride[i] = has
        ? (gsize) GST_VIDEO_FRAME_PLANE_STRIDE (&frame->frame, i) : 0;
  }
  return TRUE;
}

void
gst_stereo_frame_unmap (GstStereoFrame * frame)
{
  gst_video_frame_unmap (&frame->frame);
  memset (frame, 0, sizeof (*frame));
}

void
gst_stereo_held_release (GstStereoHeld * held, guint64 frame)
{
  GstStereoFrame *frames = held->frames[frame % GST_STEREO_N_HELD];

  for (guint i = 0; i < GST_STEREO_MAX_INPUTS; i++) {
    if (frames[i].frame.buffer != NULL)
      gst_stereo_frame_unmap (&frames[i]);
  }
}

void
gst_stereo_held_take (GstStereoHeld * held, guint64 frame,
    GstStereoFrame * inputs, guint n)
{
  memcpy (held->frames[frame % GST_STEREO_N_HELD], inputs,
      n * sizeof (inputs[0]));
  memset (inputs, 0, n * sizeof (inputs[0]));
}

void
gst_stereo_held_release_all (GstStereoHeld * held)
{
  for (guint i = 0; i < GST_STEREO_N_HELD; i++)
    gst_stereo_held_release (held, i);
}
