/* gst-stereomatching: the compute device of an element
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The compute device of an element, the properties that select it, and the
 * fallback to the CPU if CUDA fails.  Elements use it through a GstStereoRun,
 * see gststereorun.h.
 *
 * Fields under "settings" are protected by the element's object lock; the
 * others belong to the thread that starts and stops, and then to the streaming
 * thread.
 */

#ifndef GST_STEREO_DEVICE_H
#define GST_STEREO_DEVICE_H

#include "base/gststereofailure.h"
#include "stereo.h"

G_BEGIN_DECLS

GType gst_stereo_backend_get_type (void);
#define GST_TYPE_STEREO_BACKEND (gst_stereo_backend_get_type ())

typedef enum
{
  GST_STEREO_BACKEND_AUTO,
  GST_STEREO_BACKEND_CPU,
  GST_STEREO_BACKEND_CUDA
} GstStereoBackend;

typedef struct
{
  GstStereoFailure *failure;

  /* Prepares for the device, which it borrows.  On failure it returns FALSE,
   * leaves nothing to close, and sets why. */
  gboolean (*open) (gpointer user_data, StereoDevice * device,
      StereoMessage * why);
  /* Waits for all frames and undoes open(), if it has succeeded. */
  void (*close) (gpointer user_data);
  gpointer user_data;

  /* settings */
  GstStereoBackend backend;
  gint cuda_device_id;
  guint n_threads;
  guint frames_in_flight;

  /* NULL while closed */
  StereoDevice *device;
  guint n_frames;               /* in flight at a time */
  gboolean is_cuda;
  gboolean may_fall_back;       /* to the CPU */
  GstAllocator *allocator;      /* of pinned memory, with CUDA */
  GstObject *context;           /* the shared CUDA context (gststereocuda.h) or
                                 * NULL; from READY on */
  gboolean wants_context;       /* while the element searches for one */
  gboolean ready;               /* a context was found before open(), */
  gint ready_id;                /* for this `cuda-device-id` */
} GstStereoDevice;

/* Initializes it with the default settings and this backend.  The caller sets
 * open, close and user_data.  failure must outlive it. */
void gst_stereo_device_init (GstStereoDevice * self,
    GstStereoFailure * failure, GstStereoBackend backend);

/* Opens the device that the settings select and posts an INFO message with its
 * name.  FALSE with an error posted. */
gboolean gst_stereo_device_open (GstStereoDevice * self);

void gst_stereo_device_close (GstStereoDevice * self);

/* For the element's change_state(), before it chains up: from READY on,
 * neighbouring elements can obtain its context. */
void gst_stereo_device_change_state (GstStereoDevice * self,
    GstStateChange transition);

/* For the element's set_context(), which also chains up. */
void gst_stereo_device_set_context (GstStereoDevice * self,
    GstContext * context);

/* Whether it shares a context and can therefore use video in CUDA memory in
 * place.  Any thread. */
gboolean gst_stereo_device_has_context (GstStereoDevice * self);

/* Answers a query for the context of the device.  Returns FALSE for other
 * queries.  For all pads; any thread. */
gboolean gst_stereo_device_query (GstStereoDevice * self, GstQuery * query);

/* References to the allocator and the context, or NULL.  Any thread. */
void gst_stereo_device_get_memory (GstStereoDevice * self,
    GstAllocator ** allocator, GstObject ** context);

/* The maximum number of frames in flight according to the settings.  Any
 * thread. */
guint gst_stereo_device_get_frames (GstStereoDevice * self);

/*
 * Call it after the device has failed or does not support a frame.  If
 * `backend` allows it, posts a warning, closes the device and opens the CPU.
 * If the device has failed, frames in flight are lost.  FALSE without effect,
 * or with an error posted.
 */
gboolean gst_stereo_device_fall_back (GstStereoDevice * self,
    StereoStatus status, const gchar * why);

/* --------------------------------------------------------------- properties */

/* `backend`, with this default, `cuda-device-id`, `n-threads` and
 * `frames-in-flight` as first, first + 1 and so on. */
enum
{
  GST_STEREO_DEVICE_PROP_BACKEND,
  GST_STEREO_DEVICE_PROP_CUDA_DEVICE_ID,
  GST_STEREO_DEVICE_PROP_N_THREADS,
  GST_STEREO_DEVICE_PROP_FRAMES,
  GST_STEREO_DEVICE_N_PROPS
};

void gst_stereo_device_install_properties (GObjectClass * klass, guint first,
    GstStereoBackend backend);

/* index is one of the above; with the object lock held. */
void gst_stereo_device_set_property (GstStereoDevice * self, guint index,
    const GValue * value);
void gst_stereo_device_get_property (const GstStereoDevice * self, guint index,
    GValue * value);

G_END_DECLS

#endif /* GST_STEREO_DEVICE_H */
