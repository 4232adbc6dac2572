/* gst-stereomatching: promises that frames will be complete
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_FENCE_H
#define GST_STEREO_FENCE_H

#include "core/runner.h"

#include <gst/gst.h>

G_BEGIN_DECLS

/*
 * A promise that the frames of a runner will be complete.  Any thread may wait
 * for one, also after the runner is gone.
 */
typedef struct _GstStereoFence GstStereoFence;

/* For a runner, which has to live until gst_stereo_fence_retire(). */
GstStereoFence *gst_stereo_fence_new (StereoRunner * runner);
GstStereoFence *gst_stereo_fence_ref (GstStereoFence * fence);
void gst_stereo_fence_unref (GstStereoFence * fence);

/* Somebody is going to wait for the frame, perhaps. */
void gst_stereo_fence_promise (GstStereoFence * fence, guint64 frame);

/* Waits for a frame.  FALSE when it was lost with its device. */
gboolean gst_stereo_fence_wait (GstStereoFence * fence, guint64 frame);

/* Waits for all frames, takes note of those that are lost, and lets go of the
 * caller's reference, which is set to NULL; the runner may go. */
void gst_stereo_fence_retire (GstStereoFence ** fence);

G_END_DECLS

#endif /* GST_STEREO_FENCE_H */
