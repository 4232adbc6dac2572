/* gst-stereomatching: waits for buffers of a pool, which can be ended
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * gst_buffer_pool_acquire_buffer() blocks while downstream holds all buffers of
 * a limited pool, even if the element stops or a pad is flushed.  A
 * GstStereoBufferWait can end that wait.
 *
 * One thread acquires, the others block and unblock.
 */

#ifndef GST_STEREO_BUFFER_WAIT_H
#define GST_STEREO_BUFFER_WAIT_H

#include "base/gststereofailure.h"

G_BEGIN_DECLS

/* Why nobody may wait. */
typedef enum
{
  GST_STEREO_BUFFER_WAIT_FLUSHING = 1 << 0,
  GST_STEREO_BUFFER_WAIT_STOPPED = 1 << 1
} GstStereoBufferWaitReason;

typedef struct
{
  GMutex lock;
  guint reasons;                /* 0: one may wait */
  /* Of the current wait, or NULL; no references. */
  GstBufferPool *pool;
  GstPad *pad;
} GstStereoBufferWait;

void gst_stereo_buffer_wait_init (GstStereoBufferWait * self);
void gst_stereo_buffer_wait_clear (GstStereoBufferWait * self);

/* Acquires a buffer from the pool and activates it first.  Takes the reference
 * to the pool, which may be NULL and which no other code may set flushing.
 * pad: the destination of the buffer, or NULL.  GST_FLOW_FLUSHING while there
 * is a reason not to wait, or while the pad is inactive; GST_FLOW_ERROR with an
 * error posted. */
GstFlowReturn gst_stereo_buffer_wait_acquire (GstStereoBufferWait * self,
    GstStereoFailure * failure, GstBufferPool * pool, GstPad * pad,
    GstBuffer ** buffer);

/* Adds a reason not to wait, and ends the current wait; or removes it. */
void gst_stereo_buffer_wait_block (GstStereoBufferWait * self,
    GstStereoBufferWaitReason reason);
void gst_stereo_buffer_wait_unblock (GstStereoBufferWait * self,
    GstStereoBufferWaitReason reason);

/* Blocks and unblocks as the state of the element changes, before it chains
 * up. */
void gst_stereo_buffer_wait_change_state (GstStereoBufferWait * self,
    GstStateChange transition);

/* Ends a wait for a pad that has been deactivated. */
void gst_stereo_buffer_wait_release_pad (GstStereoBufferWait * self,
    GstPad * pad);

G_END_DECLS

#endif /* GST_STEREO_BUFFER_WAIT_H */
