/* gst-stereomatching: promises that frames will be complete
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "base/gststereofence.h"

struct _GstStereoFence
{
  gatomicrefcount references;
  GMutex lock;
  StereoMatcher *matcher;       /* NULL once retired */
};

GstStereoFence *
gst_stereo_fence_new (StereoMatcher * matcher)
{
  GstStereoFence *fence = g_new0 (GstStereoFence, 1);

  g_atomic_ref_count_init (&fence->references);
  g_mutex_init (&fence->lock);
  fence->matcher = matcher;
  return fence;
}

GstStereoFence *
gst_stereo_fence_ref (GstStereoFence * fence)
{
  g_atomic_ref_count_inc (&fence->references);
  return fence;
}

void
gst_stereo_fence_unref (GstStereoFence * fence)
{
  if (g_atomic_ref_count_dec (&fence->references)) {
    g_mutex_clear (&fence->lock);
    g_free (fence);
  }
}

gboolean
gst_stereo_fence_wait (GstStereoFence * fence, guint64 frame)
{
  StereoStatus status = STEREO_OK;

  g_mutex_lock (&fence->lock);
  if (fence->matcher != NULL)
    status = stereo_matcher_wait (fence->matcher, frame);
  g_mutex_unlock (&fence->lock);
  return status == STEREO_OK;
}

void
gst_stereo_fence_retire (GstStereoFence * fence)
{
  g_mutex_lock (&fence->lock);
  fence->matcher = NULL;
  g_mutex_unlock (&fence->lock);
}
