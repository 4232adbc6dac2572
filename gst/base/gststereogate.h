/* gst-stereomatching: buffers of pools, with a way to give up waiting
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * gst_buffer_pool_acquire_buffer() waits while downstream has all buffers of a
 * pool with a maximum, and knows nothing of an element that is to stop, or of
 * pads that are flushed.  A gate does: closing it ends the wait.
 *
 * One thread acquires, the others close and open.
 */

#ifndef GST_STEREO_GATE_H
#define GST_STEREO_GATE_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Why a gate is closed; it is open when no reason is left. */
typedef enum
{
  GST_STEREO_GATE_FLUSHING = 1 << 0,
  GST_STEREO_GATE_STOPPED = 1 << 1
} GstStereoGateReason;

typedef struct
{
  GMutex lock;
  guint reasons;
  /* Of the wait that is under way, or NULL; no references. */
  GstBufferPool *pool;
  GstPad *pad;
} GstStereoGate;

/* An open gate. */
void gst_stereo_gate_init (GstStereoGate * self);
void gst_stereo_gate_clear (GstStereoGate * self);

/* Acquires a buffer of the active pool, which nobody else sets flushing.  pad,
 * where not NULL, is the one that the buffer is for.  GST_FLOW_FLUSHING while
 * the gate is closed or the pad inactive. */
GstFlowReturn gst_stereo_gate_acquire (GstStereoGate * self,
    GstBufferPool * pool, GstPad * pad, GstBuffer ** buffer);

void gst_stereo_gate_close (GstStereoGate * self, GstStereoGateReason reason);
void gst_stereo_gate_open (GstStereoGate * self, GstStereoGateReason reason);

/* Ends a wait for the sake of that pad, which has been deactivated. */
void gst_stereo_gate_forget_pad (GstStereoGate * self, GstPad * pad);

G_END_DECLS

#endif /* GST_STEREO_GATE_H */
