/* gst-stereomatching: an unusable gstcuda
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A gstcuda library that finds no driver.  As in GStreamer 1.22, all other
 * functions then abort.  With PARTIAL some symbols are missing, and
 * load_library() aborts as well.
 */

#include <stdlib.h>

#define EXPORT __attribute__ ((visibility ("default")))
#define FAKE(name) \
  EXPORT void name (void); \
  void name (void) { abort (); }

EXPORT extern const int stereo_fake_gstcuda;
const int stereo_fake_gstcuda = 1;

EXPORT int gst_cuda_load_library (void);

int
gst_cuda_load_library (void)
{
#ifdef PARTIAL
  abort ();
#endif
  return 0;
}

/* *INDENT-OFF* */
FAKE (gst_cuda_memory_init_once)
FAKE (gst_is_cuda_memory)
FAKE (gst_cuda_context_get_handle)
FAKE (gst_context_new_cuda_context)
FAKE (gst_cuda_handle_set_context)
FAKE (gst_cuda_handle_context_query)
#ifndef PARTIAL
FAKE (gst_cuda_context_new_wrapped)
FAKE (gst_cuda_buffer_pool_new)
#endif
/* *INDENT-ON* */
