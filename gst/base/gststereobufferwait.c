/* gst-stereomatching: waits for buffers of a pool, which can be ended
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "base/gststereobufferwait.h"

#include "base/gststereodebug.h"

#include <string.h>

void
gst_stereo_buffer_wait_init (GstStereoBufferWait * self)
{
  memset (self, 0, sizeof (*self));
  g_mutex_init (&self->lock);
}

void
gst_stereo_buffer_wait_clear (GstStereoBufferWait * self)
{
  g_mutex_clear (&self->lock);
}

static GstFlowReturn
buffer_wait_acquire (GstStereoBufferWait * self, GstBufferPool * pool,
    GstPad * pad, GstBuffer ** buffer)
{
  GstFlowReturn flow;

  g_mutex_lock (&self->lock);
  if (self->reasons != 0 || (pad != NULL && !gst_pad_is_active (pad))) {
    g_mutex_unlock (&self->lock);
    return GST_FLOW_FLUSHING;
  }
  self->pool = pool;
  self->pad = pad;
  /* as the last wait may have ended */
  gst_buffer_pool_set_flushing (pool, FALSE);
  g_mutex_unlock (&self->lock);

  flow = gst_buffer_pool_acquire_buffer (pool, buffer, NULL);

  g_mutex_lock (&self->lock);
  self->pool = NULL;
  self->pad = NULL;
  g_mutex_unlock (&self->lock);
  return flow;
}

GstFlowReturn
gst_stereo_buffer_wait_acquire (GstStereoBufferWait * self,
    GstStereoFailure * failure, GstBufferPool * pool, GstPad * pad,
    GstBuffer ** buffer)
{
  GstFlowReturn flow = GST_FLOW_ERROR;

  if (pool != NULL && gst_buffer_pool_set_active (pool, TRUE))
    flow = buffer_wait_acquire (self, pool, pad, buffer);
  gst_clear_object (&pool);
  if (flow == GST_FLOW_ERROR)
    GST_STEREO_FAIL (failure, RESOURCE, NO_SPACE_LEFT,
        ("Cannot allocate memory for the output."), (NULL));
  return flow;
}

void
gst_stereo_buffer_wait_block (GstStereoBufferWait * self,
    GstStereoBufferWaitReason reason)
{
  g_mutex_lock (&self->lock);
  self->reasons |= reason;
  if (self->pool != NULL)
    gst_buffer_pool_set_flushing (self->pool, TRUE);
  g_mutex_unlock (&self->lock);
}

void
gst_stereo_buffer_wait_unblock (GstStereoBufferWait * self,
    GstStereoBufferWaitReason reason)
{
  g_mutex_lock (&self->lock);
  self->reasons &= ~(guint) reason;
  g_mutex_unlock (&self->lock);
}

void
gst_stereo_buffer_wait_change_state (GstStereoBufferWait * self,
    GstStateChange transition)
{
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    gst_stereo_buffer_wait_unblock (self, GST_STEREO_BUFFER_WAIT_FLUSHING
        | GST_STEREO_BUFFER_WAIT_STOPPED);
  else if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_stereo_buffer_wait_block (self, GST_STEREO_BUFFER_WAIT_STOPPED);
}

void
gst_stereo_buffer_wait_release_pad (GstStereoBufferWait * self, GstPad * pad)
{
  g_mutex_lock (&self->lock);
  if (self->pool != NULL && self->pad == pad)
    gst_buffer_pool_set_flushing (self->pool, TRUE);
  g_mutex_unlock (&self->lock);
}
