/* gst-stereomatching: video in CUDA memory, as GStreamer has it
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "base/gststereocuda.h"

#include "base/gststereodebug.h"
#include "stereo-cuda.h"

#include <gmodule.h>

#ifdef G_OS_WIN32
#define LIBRARY "gstcuda-1.0-0.dll"
#else
#define LIBRARY "libgstcuda-1.0.so.0"
#endif
#define CONTEXT_TYPE "gst.cuda.context"

/* The beginning of a GstCudaMemory. */
typedef struct
{
  GstMemory memory;
  GstObject *context;
} CudaMemory;

/* The part that all versions since 1.22 share; a test compares it with the
 * headers.  cuCtx and device are a CUcontext and a CUdevice. */
typedef struct
{
  gboolean (*load_library) (void);
  void (*memory_init_once) (void);
  gboolean (*is_memory) (GstMemory * memory);
  GstObject *(*context_new_wrapped) (gpointer cu_context, gint device);
  gpointer (*context_get_handle) (GstObject * context);
  GstContext *(*new_context) (GstObject * context);
  gboolean (*handle_set_context) (GstElement * element, GstContext * given,
      gint id, GstObject ** context);
  gboolean (*handle_context_query) (GstElement * element, GstQuery * query,
      GstObject * context);
  GstBufferPool *(*pool_new) (GstObject * context);
  /* since 1.24, or NULL: waits for the memory's stream, if need be */
  void (*memory_sync) (GstMemory * memory);
} Api;

/* ------------------------------------------------------------------ library */

/* Fills in the table.  FALSE if a function of all versions is missing. */
static gboolean
look_up (GModule * library, Api * api)
{
  const struct
  {
    const gchar *name;
    void *function;
    gboolean optional;
  } symbols[] = {
    {"gst_cuda_load_library", &api->load_library, FALSE},
    {"gst_cuda_memory_init_once", &api->memory_init_once, FALSE},
    {"gst_is_cuda_memory", &api->is_memory, FALSE},
    {"gst_cuda_context_new_wrapped", &api->context_new_wrapped, FALSE},
    {"gst_cuda_context_get_handle", &api->context_get_handle, FALSE},
    {"gst_context_new_cuda_context", &api->new_context, FALSE},
    {"gst_cuda_handle_set_context", &api->handle_set_context, FALSE},
    {"gst_cuda_handle_context_query", &api->handle_context_query, FALSE},
    {"gst_cuda_buffer_pool_new", &api->pool_new, FALSE},
    {"gst_cuda_memory_sync", &api->memory_sync, TRUE},
  };

  for (guint i = 0; i < G_N_ELEMENTS (symbols); i++) {
    gpointer address = NULL;

    if (!g_module_symbol (library, symbols[i].name, &address)
        && !symbols[i].optional) {
      GST_INFO ("%s has no %s", LIBRARY, symbols[i].name);
      return FALSE;
    }
    memcpy (symbols[i].function, &address, sizeof (address));
  }
  return TRUE;
}

/* NULL without gstcuda or without its driver. */
static const Api *
get_api (void)
{
  static gsize done = 0;
  static Api api;
  static gboolean works = FALSE;

  if (g_once_init_enter (&done)) {
    /* stays: it registers types */
    GModule *library = g_module_open (LIBRARY,
        G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);

    if (library == NULL)
      GST_INFO ("no CUDA memory of GStreamer's: %s", g_module_error ());
    else if (look_up (library, &api)) {
      works = api.load_library ();
      if (!works)
        GST_INFO ("%s finds no driver", LIBRARY);
    }
    if (works)
      api.memory_init_once ();
    g_once_init_leave (&done, 1);
  }
  return works ? &api : NULL;
}

gboolean
gst_stereo_cuda_caps (const GstCaps * caps)
{
  return !gst_caps_is_any (caps) && gst_caps_get_size (caps) > 0
      && gst_caps_features_contains (gst_caps_get_features (caps, 0),
      GST_STEREO_CUDA_FEATURE);
}

gboolean
gst_stereo_cuda_can_intersect (GstCaps * caps, GstCaps * others)
{
  GstCaps *cuda = gst_caps_copy (caps);
  gboolean can;

  gst_caps_set_features (cuda, 0,
      gst_caps_features_new (GST_STEREO_CUDA_FEATURE, NULL));
  can = gst_caps_can_intersect (caps, others)
      || gst_caps_can_intersect (cuda, others);
  gst_caps_unref (cuda);
  return can;
}

GstCaps *
gst_stereo_cuda_prefer (GstCaps * caps)
{
  GstCaps *first = gst_caps_new_empty (), *rest = gst_caps_new_empty ();

  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    GstCapsFeatures *features = gst_caps_get_features (caps, i);

    gst_caps_append_structure_full (gst_caps_features_contains (features,
            GST_STEREO_CUDA_FEATURE) ? first : rest,
        gst_structure_copy (gst_caps_get_structure (caps, i)),
        gst_caps_features_copy (features));
  }
  gst_caps_unref (caps);
  gst_caps_append (first, rest);
  return first;
}

/* ----------------------------------------------------------------- contexts */

static GQuark
device_quark (void)
{
  return g_quark_from_static_string ("GstStereoDevice");
}

static void
unref_device (gpointer device)
{
  StereoDevice *d = device;

  stereo_device_unref (&d);
}

/* A context around the primary one of a device, which it references. */
static GstObject *
wrap_primary (const Api * api, gint id)
{
  StereoDevice *device = NULL;
  GstObject *context;
  StereoMessage why;

  if (stereo_device_new_cuda (id, &device, &why) != STEREO_OK) {
    GST_INFO ("no context: %s", why.text);
    return NULL;
  }
  context = api->context_new_wrapped (stereo_cuda_context (device),
      stereo_cuda_ordinal (device));
  if (context == NULL) {
    stereo_device_unref (&device);
    return NULL;
  }
  g_object_set_qdata_full (G_OBJECT (context), device_quark (), device,
      unref_device);
  return context;
}

/* A reference to the context of this process for a device, or NULL. */
static GstObject *
get_shared (const Api * api, gint id)
{
  static GMutex lock;
  static GHashTable *contexts;  /* of GWeakRef */
  GstObject *context;
  GWeakRef *weak;

  g_mutex_lock (&lock);
  if (contexts == NULL)
    contexts = g_hash_table_new (NULL, NULL);
  weak = g_hash_table_lookup (contexts, GINT_TO_POINTER (id));
  if (weak == NULL) {
    weak = g_new (GWeakRef, 1);
    g_weak_ref_init (weak, NULL);
    g_hash_table_insert (contexts, GINT_TO_POINTER (id), weak);
  }
  context = g_weak_ref_get (weak);
  if (context == NULL) {
    context = wrap_primary (api, id);
    g_weak_ref_set (weak, context);
  }
  g_mutex_unlock (&lock);
  return context;
}

/* Stops at the first peer that answers. */
static gboolean
ask_neighbor (GstElement * element, GstPad * pad, gpointer user_data)
{
  GstQuery *query = gst_query_new_context (CONTEXT_TYPE);
  GstContext *given = NULL;

  if (gst_pad_peer_query (pad, query)) {
    gst_query_parse_context (query, &given);
    if (given != NULL)
      gst_element_set_context (element, given);
  }
  gst_query_unref (query);
  return given == NULL;
}

gboolean
gst_stereo_cuda_ensure_context (GstElement * element, gint id,
    GstObject ** context)
{
  const Api *api = get_api ();
  GstContext *given;

  if (api == NULL)
    return FALSE;
  given = gst_element_get_context (element, CONTEXT_TYPE);
  if (given != NULL) {
    gst_stereo_cuda_set_context (element, given, id, context);
    gst_context_unref (given);
  }
  /* gst_element_set_context() calls gst_stereo_cuda_set_context() */
  if (*context == NULL)
    gst_element_foreach_src_pad (element, ask_neighbor, NULL);
  if (*context == NULL)
    gst_element_foreach_sink_pad (element, ask_neighbor, NULL);
  if (*context == NULL)
    gst_element_post_message (element,
        gst_message_new_need_context (GST_OBJECT_CAST (element),
            CONTEXT_TYPE));
  if (*context != NULL)
    return TRUE;

  *context = get_shared (api, id);
  if (*context == NULL)
    return FALSE;
  given = api->new_context (*context);
  gst_element_post_message (element,
      gst_message_new_have_context (GST_OBJECT_CAST (element), given));
  return TRUE;
}

static void
unref_context (void *context)
{
  gst_object_unref (context);
}

StereoStatus
gst_stereo_cuda_device_new (GstObject * context, StereoDevice ** device,
    StereoMessage * why)
{
  StereoDevice *own = g_object_get_qdata (G_OBJECT (context),
      device_quark ());
  StereoStatus status;

  if (own != NULL) {
    *device = stereo_device_ref (own);
    return STEREO_OK;
  }
  status = stereo_device_new_cuda_wrapped (get_api ()->context_get_handle
      (context), NULL, device, why);
  if (status == STEREO_OK)
    stereo_cuda_keep (*device, gst_object_ref (context), unref_context);
  return status;
}

void
gst_stereo_cuda_set_context (GstElement * element, GstContext * given, gint id,
    GstObject ** context)
{
  const Api *api;

  /* Such a context cannot exist without gstcuda. */
  if (given == NULL || !gst_context_has_context_type (given, CONTEXT_TYPE))
    return;
  api = get_api ();
  if (api != NULL)
    api->handle_set_context (element, given, id, context);
}

gboolean
gst_stereo_cuda_answer (GstElement * element, GstQuery * query,
    GstObject * context)
{
  return context != NULL
      && get_api ()->handle_context_query (element, query, context);
}

/* ------------------------------------------------------------------- memory */

gboolean
gst_stereo_cuda_is_usable (GstBuffer * buffer, StereoDevice * device)
{
  void *handle = device != NULL ? stereo_cuda_context (device) : NULL;
  const Api *api;
  GstMemory *memory;

  if (handle == NULL || gst_buffer_n_memory (buffer) != 1)
    return FALSE;
  memory = gst_buffer_peek_memory (buffer, 0);
  if (memory->allocator == NULL
      || g_strcmp0 (memory->allocator->mem_type, "gst.cuda.memory") != 0)
    return FALSE;
  api = get_api ();
  return api != NULL && api->is_memory (memory)
      && api->context_get_handle (((CudaMemory *) memory)->context) == handle;
}

void
gst_stereo_cuda_wait (GstBuffer * buffer)
{
  const Api *api = get_api ();

  if (api != NULL && api->memory_sync != NULL)
    api->memory_sync (gst_buffer_peek_memory (buffer, 0));
}

GstBufferPool *
gst_stereo_cuda_pool_new (GstObject * context, GstCaps * caps,
    guint min_buffers, guint * size)
{
  GstBufferPool *pool = get_api ()->pool_new (context);
  GstStructure *config = gst_buffer_pool_get_config (pool);
  GstVideoInfo info;

  if (!gst_video_info_from_caps (&info, caps)) {
    gst_structure_free (config);
    gst_object_unref (pool);
    return NULL;
  }
  gst_buffer_pool_config_set_params (config, caps,
      (guint) GST_VIDEO_INFO_SIZE (&info), min_buffers, 0);
  gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  if (!gst_buffer_pool_set_config (pool, config)) {
    gst_object_unref (pool);
    return NULL;
  }
  /* its rows are padded */
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_get_params (config, NULL, size, NULL, NULL);
  gst_structure_free (config);
  return pool;
}
