/* gst-stereomatching: a gstcuda whose contexts can be found
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A gstcuda library for simulated GPUs: any object is a context.  Elements that
 * have one answer queries, with a GstContext without contents.  No memory is
 * CUDA memory.
 */

#include <gst/gst.h>

#define CONTEXT_TYPE "gst.cuda.context"
#define EXPORT __attribute__ ((visibility ("default")))

EXPORT gboolean gst_cuda_load_library (void);
EXPORT void gst_cuda_memory_init_once (void);
EXPORT gboolean gst_is_cuda_memory (GstMemory * memory);
EXPORT GstObject *gst_cuda_context_new_wrapped (gpointer handle, gint device);
EXPORT gpointer gst_cuda_context_get_handle (GstObject * context);
EXPORT GstContext *gst_context_new_cuda_context (GstObject * context);
EXPORT gboolean gst_cuda_handle_set_context (GstElement * element,
    GstContext * given, gint id, GstObject ** context);
EXPORT gboolean gst_cuda_handle_context_query (GstElement * element,
    GstQuery * query, GstObject * context);
EXPORT GstBufferPool *gst_cuda_buffer_pool_new (GstObject * context);

gboolean
gst_cuda_load_library (void)
{
  return TRUE;
}

void
gst_cuda_memory_init_once (void)
{
}

gboolean
gst_is_cuda_memory (GstMemory * memory)
{
  (void) memory;
  return FALSE;
}

GstObject *
gst_cuda_context_new_wrapped (gpointer handle, gint device)
{
  (void) handle, (void) device;
  return GST_OBJECT (gst_bus_new ());
}

gpointer
gst_cuda_context_get_handle (GstObject * context)
{
  return context;
}

GstContext *
gst_context_new_cuda_context (GstObject * context)
{
  (void) context;
  return gst_context_new (CONTEXT_TYPE, TRUE);
}

gboolean
gst_cuda_handle_set_context (GstElement * element, GstContext * given,
    gint id, GstObject ** context)
{
  (void) element, (void) given, (void) id, (void) context;
  return FALSE;
}

gboolean
gst_cuda_handle_context_query (GstElement * element, GstQuery * query,
    GstObject * context)
{
  GstContext *answer = gst_context_new_cuda_context (context);

  (void) element;
  gst_query_set_context (query, answer);
  gst_context_unref (answer);
  return TRUE;
}

GstBufferPool *
gst_cuda_buffer_pool_new (GstObject * context)
{
  (void) context;
  return gst_buffer_pool_new ();
}
