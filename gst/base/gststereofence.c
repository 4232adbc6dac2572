/* gst-stereomatching: fences of frames in flight
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "base/gststereofence.h"

struct _GstStereoFence
{
  gatomicrefcount references;
  guint64 last;                 /* last frame with a waiter */
  GRWLock lock;                 /* of all that follows */
  StereoRunner *runner;         /* NULL once retired */
  guint64 lost;                 /* once retired: the first lost frame */
};

GstStereoFence *
gst_stereo_fence_new (StereoRunner * runner)
{
  GstStereoFence *fence = g_new0 (GstStereoFence, 1);

  g_atomic_ref_count_init (&fence->references);
  g_rw_lock_init (&fence->lock);
  fence->runner = runner;
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
    g_rw_lock_clear (&fence->lock);
    g_free (fence);
  }
}

void
gst_stereo_fence_add (GstStereoFence * fence, guint64 frame)
{
  fence->last = MAX (fence->last, frame);
}

gboolean
gst_stereo_fence_wait (GstStereoFence * fence, guint64 frame)
{
  gboolean complete;

  g_rw_lock_reader_lock (&fence->lock);
  complete = fence->runner != NULL
      ? stereo_runner_wait (fence->runner, frame) == STEREO_OK
      : frame < fence->lost;
  g_rw_lock_reader_unlock (&fence->lock);
  return complete;
}

void
gst_stereo_fence_retire (GstStereoFence ** fence)
{
  GstStereoFence *self = *fence;
  guint64 frame;

  *fence = NULL;
  if (self == NULL)
    return;
  g_rw_lock_writer_lock (&self->lock);
  /* Frames complete in order. */
  for (frame = self->last; frame > 0; frame--) {
    if (stereo_runner_wait (self->runner, frame) == STEREO_OK)
      break;
  }
  self->lost = frame + 1;
  self->runner = NULL;
  g_rw_lock_writer_unlock (&self->lock);
  gst_stereo_fence_unref (self);
}
