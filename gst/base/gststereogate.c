/* gst-stereomatching: buffers of pools, with a way to give up waiting
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "base/gststereogate.h"

void
gst_stereo_gate_init (GstStereoGate * self)
{
  memset (self, 0, sizeof (*self));
  g_mutex_init (&self->lock);
}

void
gst_stereo_gate_clear (GstStereoGate * self)
{
  g_mutex_clear (&self->lock);
}

GstFlowReturn
gst_stereo_gate_acquire (GstStereoGate * self, GstBufferPool * pool,
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
  /* from when the gate was closed */
  gst_buffer_pool_set_flushing (pool, FALSE);
  g_mutex_unlock (&self->lock);

  flow = gst_buffer_pool_acquire_buffer (pool, buffer, NULL);

  g_mutex_lock (&self->lock);
  self->pool = NULL;
  self->pad = NULL;
  g_mutex_unlock (&self->lock);
  return flow;
}

void
gst_stereo_gate_close (GstStereoGate * self, GstStereoGateReason reason)
{
  g_mutex_lock (&self->lock);
  self->reasons |= reason;
  if (self->pool != NULL)
    gst_buffer_pool_set_flushing (self->pool, TRUE);
  g_mutex_unlock (&self->lock);
}

void
gst_stereo_gate_open (GstStereoGate * self, GstStereoGateReason reason)
{
  g_mutex_lock (&self->lock);
  self->reasons &= ~(guint) reason;
  g_mutex_unlock (&self->lock);
}

void
gst_stereo_gate_forget_pad (GstStereoGate * self, GstPad * pad)
{
  g_mutex_lock (&self->lock);
  if (self->pool != NULL && self->pad == pad)
    gst_buffer_pool_set_flushing (self->pool, TRUE);
  g_mutex_unlock (&self->lock);
}
