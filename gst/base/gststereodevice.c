/* gst-stereomatching: the compute device of an element
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "base/gststereodevice.h"

#include "base/gststereoallocator.h"
#include "base/gststereocuda.h"
#include "base/gststereodebug.h"
#include "stereo-cuda.h"

#define DEFAULT_CUDA_DEVICE_ID -1
#define DEFAULT_N_THREADS 0

GType
gst_stereo_backend_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    {GST_STEREO_BACKEND_AUTO, "CUDA if available, otherwise CPU", "auto"},
    {GST_STEREO_BACKEND_CPU, "CPU", "cpu"},
    {GST_STEREO_BACKEND_CUDA, "CUDA", "cuda"},
    {0, NULL, NULL}
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstStereoBackend", values));
  return type;
}

void
gst_stereo_device_init (GstStereoDevice * self, GstStereoFailure * failure,
    GstStereoBackend backend)
{
  *self = (GstStereoDevice) {
    .failure = failure,
    .backend = backend,
    .cuda_device_id = DEFAULT_CUDA_DEVICE_ID,
    .n_threads = DEFAULT_N_THREADS,
    .frames_in_flight = STEREO_DEFAULT_FRAMES,
  };
}

/* ----------------------------------------------------------- open and close */

/* Takes the device and prepares the element for it. */
static gboolean
open_device (GstStereoDevice * self, StereoDevice * device, StereoMessage * why)
{
  stereo_device_set_log (device, gst_stereo_debug_from_library, NULL);
  if (!self->open (self->user_data, device, why)) {
    stereo_device_unref (&device);
    return FALSE;
  }
  self->is_cuda = strcmp (stereo_device_backend (device), "cuda") == 0;
  if (self->is_cuda)
    self->allocator = gst_stereo_allocator_new (device);
  GST_OBJECT_LOCK (self->failure->element);
  self->device = device;
  GST_OBJECT_UNLOCK (self->failure->element);
  return TRUE;
}

static gboolean
open_cpu (GstStereoDevice * self, guint n_threads)
{
  StereoDevice *device = NULL;
  StereoMessage why;

  if (stereo_device_new_cpu (n_threads, STEREO_SIMD_AUTO, &device,
          &why) != STEREO_OK || !open_device (self, device, &why)) {
    GST_STEREO_FAIL (self->failure, LIBRARY, INIT,
        ("Cannot use the CPU: %s.", why.text), (NULL));
    return FALSE;
  }
  return TRUE;
}

/* Posts the name of the device and, unless it is a GPU, the reason. */
static void
post_backend (GstStereoDevice * self, const gchar * no_cuda)
{
  gchar *text = g_strdup_printf (no_cuda ? "Computing on %s: %s."
      : "Computing on %s.", stereo_device_name (self->device), no_cuda);

  /* twice, because gst-launch shows the second one */
  GST_ELEMENT_INFO (self->failure->element, RESOURCE, SETTINGS, ("%s", text),
      ("%s", text));
  g_free (text);
}

static void
drop_context (GstStereoDevice * self)
{
  GstObject *context;

  GST_OBJECT_LOCK (self->failure->element);
  self->ready = FALSE;
  context = g_steal_pointer (&self->context);
  GST_OBJECT_UNLOCK (self->failure->element);
  gst_clear_object (&context);
}

/* The context that other elements use, or a new one that they may use. */
static gboolean
find_context (GstStereoDevice * self, gint id)
{
  gboolean found;

  if (self->ready && self->ready_id == id)
    return TRUE;
  drop_context (self);
  self->wants_context = TRUE;
  found = gst_stereo_cuda_ensure_context (self->failure->element, id,
      &self->context);
  self->wants_context = FALSE;
  return found;
}

void
gst_stereo_device_change_state (GstStereoDevice * self,
    GstStateChange transition)
{
  gboolean wanted;
  gint id;

  if (transition == GST_STATE_CHANGE_READY_TO_NULL)
    drop_context (self);
  if (transition != GST_STATE_CHANGE_NULL_TO_READY)
    return;
  GST_OBJECT_LOCK (self->failure->element);
  wanted = self->backend != GST_STEREO_BACKEND_CPU;
  id = self->cuda_device_id;
  GST_OBJECT_UNLOCK (self->failure->element);
  if (!wanted || stereo_cuda_count (NULL) == 0 || !find_context (self, id))
    return;
  GST_OBJECT_LOCK (self->failure->element);
  self->ready = TRUE;
  self->ready_id = id;
  GST_OBJECT_UNLOCK (self->failure->element);
}

/* A CUDA device in the context that other elements use, or its own. */
static StereoStatus
new_cuda (GstStereoDevice * self, gint id, StereoDevice ** device,
    StereoMessage * why)
{
  gboolean found;

  if (stereo_cuda_count (why) > 0) {
    found = find_context (self, id);
    if (found && gst_stereo_cuda_device_new (self->context, device,
            why) == STEREO_OK)
      return STEREO_OK;
    if (found)
      GST_WARNING_OBJECT (self->failure->element,
          "cannot use the pipeline's context: %s", why->text);
    drop_context (self);
  }
  return stereo_device_new_cuda (id, device, why);
}

gboolean
gst_stereo_device_open (GstStereoDevice * self)
{
  StereoDevice *device = NULL;
  StereoMessage why = { "" };
  GstStereoBackend backend;
  guint n_threads;
  gint id;

  GST_OBJECT_LOCK (self->failure->element);
  backend = self->backend;
  id = self->cuda_device_id;
  n_threads = self->n_threads;
  self->n_frames = self->frames_in_flight;
  GST_OBJECT_UNLOCK (self->failure->element);

  self->may_fall_back = backend == GST_STEREO_BACKEND_AUTO;
  if (backend != GST_STEREO_BACKEND_CPU) {
    if (new_cuda (self, id, &device, &why) == STEREO_OK
        && open_device (self, device, &why)) {
      post_backend (self, NULL);
      return TRUE;
    }
    if (backend == GST_STEREO_BACKEND_CUDA) {
      GST_STEREO_FAIL (self->failure, RESOURCE, NOT_FOUND,
          ("Cannot use backend=cuda: %s. Set backend=auto or backend=cpu to "
              "compute on the CPU.", why.text), (NULL));
      gst_stereo_device_close (self);
      return FALSE;
    }
  }

  /* of a GPU that is not used after all */
  drop_context (self);
  if (!open_cpu (self, n_threads)) {
    gst_stereo_device_close (self);
    return FALSE;
  }
  post_backend (self, backend == GST_STEREO_BACKEND_AUTO ? why.text : NULL);
  return TRUE;
}

void
gst_stereo_device_close (GstStereoDevice * self)
{
  StereoDevice *device = self->device;
  GstAllocator *allocator;

  self->close (self->user_data);
  GST_OBJECT_LOCK (self->failure->element);
  self->device = NULL;
  allocator = g_steal_pointer (&self->allocator);
  GST_OBJECT_UNLOCK (self->failure->element);
  gst_clear_object (&allocator);
  stereo_device_unref (&device);
  drop_context (self);
}

void
gst_stereo_device_set_context (GstStereoDevice * self, GstContext * context)
{
  gint id;

  /* Outside of open(), GstElement stores the context. */
  if (!self->wants_context)
    return;
  GST_OBJECT_LOCK (self->failure->element);
  id = self->cuda_device_id;
  GST_OBJECT_UNLOCK (self->failure->element);
  gst_stereo_cuda_set_context (self->failure->element, context, id,
      &self->context);
}

gboolean
gst_stereo_device_has_context (GstStereoDevice * self)
{
  gboolean has;

  GST_OBJECT_LOCK (self->failure->element);
  /* a context without an open device may not be usable */
  has = self->device != NULL && self->context != NULL;
  GST_OBJECT_UNLOCK (self->failure->element);
  return has;
}

gboolean
gst_stereo_device_query (GstStereoDevice * self, GstQuery * query)
{
  GstObject *context = NULL;
  gboolean answered;

  if (GST_QUERY_TYPE (query) != GST_QUERY_CONTEXT)
    return FALSE;
  GST_OBJECT_LOCK (self->failure->element);
  if ((self->device != NULL || self->ready) && self->context != NULL)
    context = gst_object_ref (self->context);
  GST_OBJECT_UNLOCK (self->failure->element);
  answered = gst_stereo_cuda_answer (self->failure->element, query, context);
  gst_clear_object (&context);
  return answered;
}

void
gst_stereo_device_get_memory (GstStereoDevice * self, GstAllocator ** allocator,
    GstObject ** context)
{
  *allocator = NULL;
  *context = NULL;
  GST_OBJECT_LOCK (self->failure->element);
  g_set_object (allocator, self->allocator);
  g_set_object (context, self->context);
  GST_OBJECT_UNLOCK (self->failure->element);
}

guint
gst_stereo_device_get_frames (GstStereoDevice * self)
{
  guint n;

  GST_OBJECT_LOCK (self->failure->element);
  n = self->frames_in_flight;
  GST_OBJECT_UNLOCK (self->failure->element);
  return n;
}

gboolean
gst_stereo_device_fall_back (GstStereoDevice * self, StereoStatus status,
    const gchar * why)
{
  guint n_threads;

  if (!self->is_cuda || !self->may_fall_back || (status != STEREO_ERROR_MEMORY
          && status != STEREO_ERROR_DEVICE
          && status != STEREO_ERROR_UNSUPPORTED))
    return FALSE;
  GST_ELEMENT_WARNING (self->failure->element, RESOURCE, NO_SPACE_LEFT,
      ("Falling back to the CPU: %s.", why), (NULL));
  GST_OBJECT_LOCK (self->failure->element);
  n_threads = self->n_threads;
  GST_OBJECT_UNLOCK (self->failure->element);
  gst_stereo_device_close (self);
  return open_cpu (self, n_threads);
}

/* --------------------------------------------------------------- properties */

void
gst_stereo_device_install_properties (GObjectClass * klass, guint first,
    GstStereoBackend backend)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_READY;

  /**
   * GstStereoMatcher:backend:
   *
   * Compute backend. `auto` uses CUDA if a device works, otherwise the CPU; an
   * INFO message names the device. Both give the same bytes.
   */
  g_object_class_install_property (klass,
      first + GST_STEREO_DEVICE_PROP_BACKEND,
      g_param_spec_enum ("backend", "backend",
          "Compute backend (auto = CUDA if available, otherwise CPU)",
          GST_TYPE_STEREO_BACKEND, backend, flags));

  /**
   * GstStereoMatcher:cuda-device-id:
   *
   * CUDA device index; -1 uses the first device that works.
   */
  g_object_class_install_property (klass,
      first + GST_STEREO_DEVICE_PROP_CUDA_DEVICE_ID,
      g_param_spec_int ("cuda-device-id", "cuda-device-id",
          "CUDA device index (-1 = first usable device)", -1, G_MAXINT,
          DEFAULT_CUDA_DEVICE_ID, flags));

  /**
   * GstStereoMatcher:n-threads:
   *
   * Number of CPU threads; 0 uses one per processor.
   */
  g_object_class_install_property (klass,
      first + GST_STEREO_DEVICE_PROP_N_THREADS,
      g_param_spec_uint ("n-threads", "n-threads",
          "Number of CPU threads (0 = one per processor)", 0, 1024,
          DEFAULT_N_THREADS, flags));

  /**
   * GstStereoMatcher:frames-in-flight:
   *
   * Maximum number of frames in flight on the GPU: the next frame waits until
   * the oldest is complete. With one, the GPU idles while the element starts
   * the next frame; with more, frames are copied while others are computed.
   * Each needs memory for its input and output images, on the GPU and
   * page-locked on the host; work memory is shared. No frame is held back for
   * another one, so latency does not change. On the CPU it is always one.
   */
  g_object_class_install_property (klass,
      first + GST_STEREO_DEVICE_PROP_FRAMES,
      g_param_spec_uint ("frames-in-flight", "frames-in-flight",
          "Maximum number of frames in flight on the GPU", 1, STEREO_MAX_FRAMES,
          STEREO_DEFAULT_FRAMES, flags));

  gst_type_mark_as_plugin_api (GST_TYPE_STEREO_BACKEND, 0);
}

void
gst_stereo_device_set_property (GstStereoDevice * self, guint index,
    const GValue * value)
{
  switch (index) {
    case GST_STEREO_DEVICE_PROP_BACKEND:
      self->backend = (GstStereoBackend) g_value_get_enum (value);
      break;
    case GST_STEREO_DEVICE_PROP_CUDA_DEVICE_ID:
      self->cuda_device_id = g_value_get_int (value);
      break;
    case GST_STEREO_DEVICE_PROP_N_THREADS:
      self->n_threads = g_value_get_uint (value);
      break;
    case GST_STEREO_DEVICE_PROP_FRAMES:
      self->frames_in_flight = g_value_get_uint (value);
      break;
    default:
      g_assert_not_reached ();
  }
}

void
gst_stereo_device_get_property (const GstStereoDevice * self, guint index,
    GValue * value)
{
  switch (index) {
    case GST_STEREO_DEVICE_PROP_BACKEND:
      g_value_set_enum (value, self->backend);
      break;
    case GST_STEREO_DEVICE_PROP_CUDA_DEVICE_ID:
      g_value_set_int (value, self->cuda_device_id);
      break;
    case GST_STEREO_DEVICE_PROP_N_THREADS:
      g_value_set_uint (value, self->n_threads);
      break;
    case GST_STEREO_DEVICE_PROP_FRAMES:
      g_value_set_uint (value, self->frames_in_flight);
      break;
    default:
      g_assert_not_reached ();
  }
}
