/* gst-stereomatching: what an element computes on
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The device of an element, with the properties that choose it, and the way
 * back to the CPU when CUDA can't do what is asked for.
 *
 * An element has one of these, says in a table how it prepares for a device,
 * and opens and closes it when it starts and stops:
 *
 *   static const GstStereoDeviceUser user = { .open = ..., .close = ... };
 *
 *   gst_stereo_device_init (&self->device, &self->failure, &user,
 *       GST_STEREO_BACKEND_AUTO);
 *   gst_stereo_device_install_properties (object_class, PROP_BACKEND,
 *       GST_STEREO_BACKEND_AUTO);
 *
 * Fields under "settings" are protected by the element's object lock; the
 * others belong to the thread that starts and stops, and then to the streaming
 * thread.
 */

#ifndef GST_STEREO_DEVICE_H
#define GST_STEREO_DEVICE_H

#include "base/gststereofailure.h"
#include "core/runner.h"
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

/* What an element does with its device. */
typedef struct
{
  /* Prepares for the device, which it borrows.  FALSE, with nothing left to be
   * closed: why says what is missing. */
  gboolean (*open) (GstElement * element, StereoDevice * device,
      StereoMessage * why);
  /* Waits for everything that was started, and undoes open(), if that was
   * done. */
  void (*close) (GstElement * element);
} GstStereoDeviceUser;

typedef struct
{
  GstStereoFailure *failure;
  const GstStereoDeviceUser *user;

  /* settings */
  GstStereoBackend backend;
  gint cuda_device_id;
  guint n_threads;
  guint frames_in_flight;

  /* NULL while closed */
  StereoDevice *device;
  guint n_frames;               /* under way at a time */
  gboolean is_cuda;
  gboolean may_fall_back;       /* to the CPU, if CUDA has too little memory */
  GstAllocator *allocator;      /* of pinned memory, with CUDA */
  GstObject *context;           /* that CUDA shares, see gststereocuda.h, or
                                 * NULL; from READY on */
  gboolean wants_context;       /* while one is looked for */
  gboolean ready;               /* one was found before the device is open, */
  gint ready_id;                /* for this `cuda-device-id` */
} GstStereoDevice;

/* With the default settings, and backend.  failure and user have to live as
 * long. */
void gst_stereo_device_init (GstStereoDevice * self,
    GstStereoFailure * failure, const GstStereoDeviceUser * user,
    GstStereoBackend backend);

/* Chooses a device by the settings, prepares the element for it, and tells
 * which one it is; or posts an error and returns FALSE. */
gboolean gst_stereo_device_open (GstStereoDevice * self);

void gst_stereo_device_close (GstStereoDevice * self);

/* For the element's change_state(), before it chains up: from READY on there is
 * a context for neighbours, which look for one when they open. */
void gst_stereo_device_change_state (GstStereoDevice * self,
    GstStateChange transition);

/* For the element's set_context(), which also chains up. */
void gst_stereo_device_set_context (GstStereoDevice * self,
    GstContext * context);

/* Whether it shares a context, and so can use video in CUDA memory where it is.
 * Any thread. */
gboolean gst_stereo_device_has_context (GstStereoDevice * self);

/* Whether the query was for the context of the device, and was answered.  To be
 * asked on all pads, any thread. */
gboolean gst_stereo_device_query (GstStereoDevice * self, GstQuery * query);

/* How many frames the element works on at a time, by its settings.  Any
 * thread. */
guint gst_stereo_device_get_frames (GstStereoDevice * self);

/*
 * After the device could not do what the element wanted, or has failed: returns
 * TRUE if the element is on the CPU now, after a warning, and may try again.
 * Frames that were under way are lost if the device has failed.  why may be the
 * user's own, which goes with its close().
 */
gboolean gst_stereo_device_recover (GstStereoDevice * self,
    StereoStatus status, const gchar * why);

/*
 * After the element could not be configured: returns TRUE if it is on the CPU
 * now, after a warning, and may try again.  Otherwise an error is posted, which
 * says what the status means, and why.  why may be the user's own, which goes
 * with its close().
 */
gboolean gst_stereo_device_fall_back (GstStereoDevice * self,
    StereoStatus status, const gchar * why);

/* Configures the element's runner, once more on the CPU if CUDA can't do it.
 * runner is the element's own, which open() and close() change.  FALSE with an
 * error posted. */
gboolean gst_stereo_device_configure (GstStereoDevice * self,
    StereoRunner ** runner, const StereoPortSetup * inputs,
    const StereoPortSetup * outputs, const void *params);

/* --------------------------------------------------------------- properties */

/* `backend`, `cuda-device-id`, `n-threads` and `frames-in-flight` as first,
 * first + 1 and so on; backend is the default of the first. */
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
