/* gst-stereomatching: video in CUDA memory, as GStreamer has it
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * All contact with GStreamer's own CUDA library, gstcuda.  Its contexts, which
 * decoders, encoders and our elements share, and its memory, which they hand
 * each other as video/x-raw(memory:CUDAMemory).
 *
 * That library is looked for when an element first computes on CUDA, and need
 * not be there, neither when this one is built nor when it runs; nothing of it
 * is called before it has found its driver.  Without it elements have a device
 * of their own, and no context to share.
 *
 * A context is a GstCudaContext, here a GstObject.
 */

#ifndef GST_STEREO_CUDA_H
#define GST_STEREO_CUDA_H

#include "stereo.h"

#include <gst/video/video.h>

G_BEGIN_DECLS

#define GST_STEREO_CUDA_FEATURE "memory:CUDAMemory"

/* The formats of such memory in GStreamer 1.22 and later that the library
 * knows, and those of 8 bits among them.  Grey is none of them. */
#define GST_STEREO_CUDA_LIST_8 "NV12, I420, YV12, NV21, Y42B, Y444, RGB, " \
    "BGR, RGBx, BGRx, RGBA, BGRA, ARGB, ABGR"
#define GST_STEREO_CUDA_FORMATS_8 "{ " GST_STEREO_CUDA_LIST_8 " }"
#define GST_STEREO_CUDA_FORMATS "{ " GST_STEREO_CUDA_LIST_8 ", P010_10LE, " \
    "I420_10LE, I422_10LE }"

/* Whether the first structure of the caps is of video in CUDA memory. */
gboolean gst_stereo_cuda_caps (const GstCaps * caps);

/* Whether what has one structure in system memory can be taken, there or in
 * CUDA memory. */
gboolean gst_stereo_cuda_can_intersect (GstCaps * caps, GstCaps * others);

/* Takes the caps and gives them back with video in CUDA memory first. */
GstCaps *gst_stereo_cuda_prefer (GstCaps * caps);

/*
 * Finds a context for device id, or for any when id is -1, as GStreamer's
 * elements do: one that was set, a neighbour's, the pipeline's or the
 * application's.  If there is none, it is the one that all our elements in
 * this process share, around the device's primary context, and others are told.
 *
 * *context is the element's own, see gst_stereo_cuda_set_context().  FALSE
 * without gstcuda, or when there is no such device.
 */
gboolean gst_stereo_cuda_ensure_context (GstElement * element, gint id,
    GstObject ** context);

/* A device that works in the context, and keeps it. */
StereoStatus gst_stereo_cuda_device_new (GstObject * context,
    StereoDevice ** device, StereoMessage * why);

/* Takes over a context that the element was given, if it is one of these and
 * *context is NULL.  Any thread, with nothing locked. */
void gst_stereo_cuda_set_context (GstElement * element, GstContext * given,
    gint id, GstObject ** context);

/* Answers a CONTEXT query with the element's context, which may be NULL.  FALSE
 * when it is of something else. */
gboolean gst_stereo_cuda_answer (GstElement * element, GstQuery * query,
    GstObject * context);

/* Whether all of the buffer is CUDA memory that the device can use; it is to be
 * mapped with GST_STEREO_MAP_DEVICE then. */
gboolean gst_stereo_cuda_is_usable (GstBuffer * buffer, StereoDevice * device);

/* Waits for what another element's stream has yet to write to the buffer, which
 * is usable.  Nothing is left before GStreamer 1.24, where whoever writes waits
 * itself. */
void gst_stereo_cuda_wait (GstBuffer * buffer);

/* An inactive pool of buffers of such memory in the context, or NULL. */
GstBufferPool *gst_stereo_cuda_pool_new (GstObject * context, GstCaps * caps,
    guint min_buffers, guint max_buffers, guint * size);

G_END_DECLS

#endif /* GST_STEREO_CUDA_H */
