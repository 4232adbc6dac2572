/* gst-stereomatching: CUDA contexts of elements
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The plugin on a simulated GPU, with the gstcuda library of working.c.
 */

#include "../check/checkmain.h"
#include "fake-cuda.h"
#include "plugin.h"

#define MATCHER "stereovcbw"

static gboolean
computes_on (GstElement * element, const gchar * backend)
{
  GstStructure *stats;
  gboolean same;

  g_object_get (element, "stats", &stats, NULL);
  same = strcmp (gst_structure_get_string (stats, "backend"), backend) == 0;
  gst_structure_free (stats);
  return same;
}

static gboolean
answers_context (GstElement * element)
{
  GstPad *pad = gst_element_get_static_pad (element, "src");
  GstQuery *query = gst_query_new_context ("gst.cuda.context");
  const gboolean answered = gst_pad_query (pad, query);

  gst_query_unref (query);
  gst_object_unref (pad);
  return answered;
}

static gboolean
prefers_cuda_memory (GstElement * element)
{
  GstPad *pad = gst_element_get_static_pad (element, "sink_left");
  GstCaps *caps = gst_pad_query_caps (pad, NULL);
  const gboolean prefers = gst_caps_features_contains (gst_caps_get_features
      (caps, 0), "memory:CUDAMemory");

  gst_caps_unref (caps);
  gst_object_unref (pad);
  return prefers;
}

static void
check_context (GstElement * element, gboolean has)
{
  fail_unless_equals_int (answers_context (element), has);
  fail_unless_equals_int (prefers_cuda_memory (element), has);
}

static void
set_state (GstElement * element, GstState state)
{
  fail_unless (gst_element_set_state (element, state)
      != GST_STATE_CHANGE_FAILURE);
}

/* An element that cannot start on the GPU has no context. */
TEST (test_failed_start)
{
  GstElement *element = gst_element_factory_make (MATCHER, NULL);

  fake_cuda_reset ();
  set_state (element, GST_STATE_READY);
  fail_unless (answers_context (element));
  /* only those for the GPU */
  n_failing_params = 1;
  set_state (element, GST_STATE_PAUSED);
  fail_unless (computes_on (element, "cpu"));
  check_context (element, FALSE);
  set_state (element, GST_STATE_NULL);
  gst_object_unref (element);
}

/* Nor has one that no longer uses the GPU. */
TEST (test_other_backend)
{
  GstElement *element = gst_element_factory_make (MATCHER, NULL);

  fake_cuda_reset ();
  set_state (element, GST_STATE_PAUSED);
  fail_unless (computes_on (element, "cuda"));
  check_context (element, TRUE);
  set_state (element, GST_STATE_NULL);

  set_state (element, GST_STATE_READY);
  gst_util_set_object_arg (G_OBJECT (element), "backend", "cpu");
  set_state (element, GST_STATE_PAUSED);
  fail_unless (computes_on (element, "cpu"));
  check_context (element, FALSE);
  set_state (element, GST_STATE_NULL);
  gst_object_unref (element);
}

CHECK_MAIN_FIXTURE ("contexts", register_plugin, NULL)
