/* gst-stereomatching: video in CUDA memory, as GStreamer has it
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The interface to GStreamer's own CUDA library, gstcuda: its contexts, which
 * decoders, encoders and these elements share, and its memory, which they
 * exchange as video/x-raw(memory:CUDAMemory).
 *
 * The library is loaded when an element first uses CUDA, and is optional, both
 * at build time and at run time; it is not called before it has found its
 * driver.  Without it, each element has its own device and shares no context.
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
 * supports, and the subset with 8 bits.  None is grey. */
#define GST_STEREO_CUDA_LIST_8 "NV12, I420, YV12, NV21, Y42B, Y444, RGB, " \
    "BGR, RGBx, BGRx, RGBA, BGRA, ARGB, ABGR"
#define GST_STEREO_CUDA_FORMATS_8 "{ " GST_STEREO_CUDA_LIST_8 " }"
#define GST_STEREO_CUDA_FORMATS "{ " GST_STEREO_CUDA_LIST_8 ", P010_10LE, " \
    "I420_10LE, I422_10LE }"

/* Views in system memory, or in CUDA memory with these formats. */
#define GST_STEREO_ANY_VIEW_CAPS(formats) GST_STEREO_VIEW_CAPS "; " \
    GST_STEREO_VIDEO_CAPS ("video/x-raw(" GST_STEREO_CUDA_FEATURE ")", formats)

/* Whether the first structure of the caps is of video in CUDA memory. */
gboolean gst_stereo_cuda_caps (const GstCaps * caps);

/* Whether caps of one structure in system memory intersect others, there or in
 * CUDA memory. */
gboolean gst_stereo_cuda_can_intersect (GstCaps * caps, GstCaps * others);

/* Takes the caps and returns them with video in CUDA memory first. */
GstCaps *gst_stereo_cuda_prefer (GstCaps * caps);

/*
 * Finds a context for device id, or for any device if id is -1, as GStreamer's
 * elements do: one that was set, or one of a neighbouring element, the pipeline
 * or the application.  Otherwise it uses the context around the device's
 * primary context, which all these elements in the process share, and posts it
 * in a HAVE_CONTEXT message.
 *
 * *context is the element's own, see gst_stereo_cuda_set_context().  FALSE
 * without gstcuda or without such a device.
 */
gboolean gst_stereo_cuda_ensure_context (GstElement * element, gint id,
    GstObject ** context);

/* Makes a device in this context, which holds a reference to the context. */
StereoStatus gst_stereo_cuda_device_new (GstObject * context,
    StereoDevice ** device, StereoMessage * why);

/* Stores a context that was set on the element, if it is a CUDA context and
 * *context is NULL.  Any thread, without locks held. */
void gst_stereo_cuda_set_context (GstElement * element, GstContext * given,
    gint id, GstObject ** context);

/* Answers a CONTEXT query with the element's context, which may be NULL.  FALSE
 * for any other query. */
gboolean gst_stereo_cuda_answer (GstElement * element, GstQuery * query,
    GstObject * context);

/* Whether all of the buffer is CUDA memory that the device can use, mapped with
 * GST_STEREO_MAP_DEVICE. */
gboolean gst_stereo_cuda_is_usable (GstBuffer * buffer, StereoDevice * device);

/* Waits until another element's stream has written a usable buffer.  Before
 * GStreamer 1.24 the writer itself waits. */
void gst_stereo_cuda_wait (GstBuffer * buffer);

/* An inactive pool of any number of buffers of such memory in the context, or
 * NULL.  size gets the bytes of a buffer, whose rows are padded. */
GstBufferPool *gst_stereo_cuda_pool_new (GstObject * context, GstCaps * caps,
    guint min_buffers, guint * size);

G_END_DECLS

#endif /* GST_STEREO_CUDA_H */
