/* gst-stereomatching: fences of frames in flight
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_FENCE_H
#define GST_STEREO_FENCE_H

#include "core/runner.h"

#include <gst/gst.h>

G_BEGIN_DECLS

/* Any thread can wait for frames of a runner with a fence, even after the
 * runner is freed. */
typedef struct _GstStereoFence GstStereoFence;

/* The runner must live until gst_stereo_fence_retire(). */
GstStereoFence *gst_stereo_fence_new (StereoRunner * runner);
GstStereoFence *gst_stereo_fence_ref (GstStereoFence * fence);
void gst_stereo_fence_unref (GstStereoFence * fence);

/* Registers a frame for gst_stereo_fence_wait().  Never waits.  Only the thread
 * that processes frames calls it, and gst_stereo_fence_retire(). */
void gst_stereo_fence_add (GstStereoFence * fence, guint64 frame);

/* Waits for a frame.  FALSE if it was lost with its device. */
gboolean gst_stereo_fence_wait (GstStereoFence * fence, guint64 frame);

/* Waits for all frames, records which ones are lost, and clears the caller's
 * reference.  Then the runner may be freed. */
void gst_stereo_fence_retire (GstStereoFence ** fence);

G_END_DECLS

#endif /* GST_STEREO_FENCE_H */
