/* gst-stereomatching: compute backend of the element tests
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * With STEREO_TEST_BACKEND=cuda, all elements of a test with backend=cpu run on
 * CUDA.  The property is set when an element leaves the state NULL.  An element
 * without a usable GPU fails, and so does the test.  Each process prints the
 * number of elements when it ends.
 */

#define GST_USE_UNSTABLE_API

#include "backend.h"

#include <gst/gst.h>
#include <gst/gsttracer.h>

#include <stdio.h>
#include <string.h>

#define BACKEND_TYPE_WATCH (backend_watch_get_type ())
typedef GstTracer BackendWatch;
typedef GstTracerClass BackendWatchClass;
G_DEFINE_TYPE (BackendWatch, backend_watch, GST_TYPE_TRACER);

static gint n_elements;
static gboolean kept;

static void
backend_watch_class_init (BackendWatchClass * klass)
{
}

static void
backend_watch_init (BackendWatch * self)
{
}

const gchar *
test_backend (void)
{
  const gchar *backend = g_getenv ("STEREO_TEST_BACKEND");

  return backend != NULL ? backend : "cpu";
}

void
keep_backends (gboolean keep)
{
  kept = keep;
}

static void
on_state_change (GstTracer * self, GstClockTime time, GstElement * element,
    GstStateChange change)
{
  GParamSpec *spec = g_object_class_find_property
      (G_OBJECT_GET_CLASS (element), "backend");
  GEnumValue *value;
  gint backend;

  if (change != GST_STATE_CHANGE_NULL_TO_READY || kept || spec == NULL
      || !G_IS_PARAM_SPEC_ENUM (spec))
    return;
  g_object_get (element, "backend", &backend, NULL);
  value = g_enum_get_value (G_PARAM_SPEC_ENUM (spec)->enum_class, backend);
  if (strcmp (value->value_nick, "cpu") != 0)
    return;
  gst_util_set_object_arg (G_OBJECT (element), "backend", test_backend ());
  g_atomic_int_inc (&n_elements);
}

__attribute__ ((constructor))
static void
watch_elements (void)
{
  GstTracer *watch;

  if (strcmp (test_backend (), "cpu") == 0)
    return;
  gst_init (NULL, NULL);
  /* never freed: it lives as long as the process */
  watch = g_object_new (BACKEND_TYPE_WATCH, NULL);
  gst_tracing_register_hook (watch, "element-change-state-pre",
      G_CALLBACK (on_state_change));
}

__attribute__ ((destructor))
static void
print_elements (void)
{
  if (n_elements > 0)
    fprintf (stderr, "%d elements on %s\n", n_elements, test_backend ());
}
