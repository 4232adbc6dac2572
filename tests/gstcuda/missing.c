/* gst-stereomatching: loading the plugin with an unusable gstcuda
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The loader finds the library of fake.c.  Every request for a CUDA context or
 * memory must be declined.
 */

#include "base/gststereocuda.h"
#include "base/gststereodebug.h"
#include "test.h"

#include <dlfcn.h>

TEST (test_no_context)
{
  GstElement *element = gst_element_factory_make ("identity", NULL);
  GstContext *given = gst_context_new ("gst.cuda.context", TRUE);
  GstObject *context = NULL;

  if (element == NULL) {
    gst_context_unref (given);
    SKIP ("no identity");
  }
  gst_stereo_cuda_set_context (element, given, -1, &context);
  CHECK (context == NULL);
  CHECK (!gst_stereo_cuda_ensure_context (element, -1, &context));
  CHECK (context == NULL);
  gst_context_unref (given);
  gst_object_unref (element);
}

TEST (test_no_answer)
{
  GstQuery *query = gst_query_new_context ("gst.cuda.context");

  CHECK (!gst_stereo_cuda_answer (NULL, query, NULL));
  gst_query_unref (query);
}

TEST (test_no_memory)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 16, NULL);

  CHECK (!gst_stereo_cuda_is_usable (buffer, NULL));
  gst_stereo_cuda_wait (buffer);
  gst_buffer_unref (buffer);
}

/* The loader has found the fake library. */
TEST (test_is_fake)
{
  void *library = dlopen ("libgstcuda-1.0.so.0", RTLD_LAZY | RTLD_NOLOAD);

  REQUIRE (library != NULL);
  CHECK (dlsym (library, "stereo_fake_gstcuda") != NULL);
  dlclose (library);
}

int
main (int argc, char **argv)
{
  int status;

  gst_init (NULL, NULL);
  gst_stereo_debug_init ();
  status = test_run (argc, argv);
  gst_deinit ();
  return status;
}
