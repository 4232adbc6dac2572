/* gst-stereomatching: checks the assumptions about gstcuda
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The plugin is built without gstcuda's headers and looks its functions up at
 * run time.  Where the headers are installed, this file compares them with the
 * declarations in gst/base/gststereocuda.c; a difference fails the build.
 */

#define GST_USE_UNSTABLE_API

#include "base/gststereoallocator.h"

#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudautils.h>

#define SAME(function, type) \
  _Static_assert (__builtin_types_compatible_p (__typeof__ (&function), type), \
      #function)

SAME (gst_cuda_load_library, gboolean (*) (void));
SAME (gst_cuda_memory_init_once, void (*) (void));
SAME (gst_is_cuda_memory, gboolean (*) (GstMemory *));
SAME (gst_cuda_context_new_wrapped, GstCudaContext * (*) (CUcontext, int));
SAME (gst_cuda_context_get_handle, gpointer (*) (GstCudaContext *));
SAME (gst_context_new_cuda_context, GstContext * (*) (GstCudaContext *));
SAME (gst_cuda_handle_set_context, gboolean (*) (GstElement *, GstContext *,
        gint, GstCudaContext **));
SAME (gst_cuda_handle_context_query, gboolean (*) (GstElement *, GstQuery *,
        GstCudaContext *));
SAME (gst_cuda_buffer_pool_new, GstBufferPool * (*) (GstCudaContext *));
#if GST_CHECK_VERSION (1, 24, 0)
SAME (gst_cuda_memory_sync, void (*) (GstCudaMemory *));
#endif

_Static_assert (offsetof (GstCudaContext, object) == 0
    && sizeof (((GstCudaContext *) NULL)->object) == sizeof (GstObject),
    "GstCudaContext does not begin with a GstObject");
_Static_assert (offsetof (GstCudaMemory, context) == sizeof (GstMemory),
    "GstCudaMemory has no context after its GstMemory");
_Static_assert ((int) GST_MAP_CUDA == (int) GST_STEREO_MAP_DEVICE,
    "GST_MAP_CUDA");
