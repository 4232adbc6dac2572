/* gst-stereomatching: fences of frames in flight
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "../checkmain.h"

#include "base/gststereofence.h"

/* A runner whose frame 1 is complete once the test says so; the others are. */
static GMutex lock;
static GCond cond;
static gboolean waiting, complete;

StereoStatus
stereo_runner_wait (StereoRunner * runner G_GNUC_UNUSED, uint64_t frame)
{
  const gint64 end = g_get_monotonic_time () + PATIENCE / 1000;
  StereoStatus status = STEREO_OK;

  g_mutex_lock (&lock);
  waiting |= frame == 1;
  g_cond_broadcast (&cond);
  while (frame == 1 && !complete && status == STEREO_OK) {
    if (!g_cond_wait_until (&cond, &lock, end))
      status = STEREO_ERROR_DEVICE;
  }
  g_mutex_unlock (&lock);
  return status;
}

static gpointer
wait_for_first (gpointer fence)
{
  return GINT_TO_POINTER (gst_stereo_fence_wait (fence, 1));
}

/* While a thread waits for a frame, the next ones are added, and other threads
 * wait for them. */
TEST (test_wait)
{
  GstStereoFence *fence = gst_stereo_fence_new ((StereoRunner *) &lock);
  GThread *thread;

  gst_stereo_fence_add (fence, 1);
  thread = g_thread_new ("wait", wait_for_first, fence);
  g_mutex_lock (&lock);
  while (!waiting)
    g_cond_wait (&cond, &lock);
  g_mutex_unlock (&lock);
  gst_stereo_fence_add (fence, 2);
  fail_unless (gst_stereo_fence_wait (fence, 2));
  g_mutex_lock (&lock);
  complete = TRUE;
  g_cond_broadcast (&cond);
  g_mutex_unlock (&lock);
  fail_unless (GPOINTER_TO_INT (g_thread_join (thread)));
  gst_stereo_fence_retire (&fence);
  fail_unless (fence == NULL);
}

CHECK_MAIN ("stereo-fence")
