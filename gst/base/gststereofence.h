/* gst-stereomatching: promises that frames will be complete
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_FENCE_H
#define GST_STEREO_FENCE_H

#include "stereo.h"

#include <gst/gst.h>

G_BEGIN_DECLS

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

G_END_DECLS

#endif /* GST_STEREO_FENCE_H */
