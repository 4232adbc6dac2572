/* gst-stereomatching: subsets of linked inputs
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "../stereocheck.h"

#include <string.h>

#define MAX_INPUTS 3
#define SIZE "video/x-raw,width=64,height=48"

/* An element and the set of its linked inputs. */
typedef struct
{
  const gchar *element;
  gchar *names[MAX_INPUTS];
  gboolean always[MAX_INPUTS];
  guint n_inputs;
  guint linked;                 /* bit mask of inputs */
  GstElement *pipeline;
} Case;

static void
get_inputs (Case * c)
{
  GstElementFactory *factory = gst_element_factory_find (c->element);

  fail_unless (factory != NULL);
  for (const GList * t =
      gst_element_factory_get_static_pad_templates (factory); t != NULL;
      t = t->next) {
    const GstStaticPadTemplate *template = t->data;

    if (template->direction != GST_PAD_SINK)
      continue;
    c->always[c->n_inputs] = template->presence == GST_PAD_ALWAYS;
    c->names[c->n_inputs++] = g_strdup (template->name_template);
  }
  gst_object_unref (factory);
}

static void
case_start (Case * c)
{
  GString *line = g_string_new (NULL);

  for (guint i = 0; i < c->n_inputs; i++) {
    if (c->linked & 1u << i)
      g_string_append_printf (line, "stereotestsrc view=%s num-buffers=3 ! "
          SIZE " ! m.%s ", c->names[i] + strlen ("sink_"), c->names[i]);
  }
  g_string_append_printf (line, "%s name=m backend=cpu%s ! fakesink",
      c->element, strcmp (c->element, "disparitycloud") == 0
      ? " focal-length=100 baseline=0.1" : "");
  c->pipeline = pipeline_new ("%s", line->str);
  gst_element_set_state (c->pipeline, GST_STATE_PLAYING);
  g_string_free (line, TRUE);
}

static gboolean
is_complete (const Case * c)
{
  gboolean complete = TRUE;

  for (guint i = 0; i < c->n_inputs; i++)
    complete &= !c->always[i] || (c->linked & 1u << i) != 0;
  return complete;
}

/* The error must name every missing input, and one that is linked. */
static void
check_error (const Case * c, const GError * error)
{
  gboolean other = c->linked == 0;

  fail_unless (g_error_matches (error, GST_CORE_ERROR, GST_CORE_ERROR_PAD));
  fail_unless (strstr (error->message, " not linked") != NULL
      && strstr (error->message, "The element needs ") != NULL, "%s",
      error->message);
  for (guint i = 0; i < c->n_inputs; i++) {
    const gboolean named = strstr (error->message, c->names[i]) != NULL;

    if (c->linked & 1u << i)
      other |= named;
    else
      fail_unless (named == c->always[i], "%s: %s", c->element,
          error->message);
  }
  fail_unless (other, "%s: %s", c->element, error->message);
}

static void
case_end (Case * c)
{
  GstBus *bus = gst_element_get_bus (c->pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, PATIENCE,
      GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  GError *error;

  fail_unless (message != NULL, "%s hangs with inputs %u", c->element,
      c->linked);
  fail_unless (is_complete (c) == (GST_MESSAGE_TYPE (message)
          == GST_MESSAGE_EOS), "%s with inputs %u: %s", c->element, c->linked,
      GST_MESSAGE_TYPE_NAME (message));
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    fail_unless_equals_string (GST_MESSAGE_SRC_NAME (message), "m");
    gst_message_parse_error (message, &error, NULL);
    check_error (c, error);
    g_error_free (error);
  }
  gst_message_unref (message);
  gst_element_set_state (c->pipeline, GST_STATE_NULL);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR) == NULL);
  gst_object_unref (bus);
  gst_object_unref (c->pipeline);
  for (guint i = 0; i < c->n_inputs; i++)
    g_free (c->names[i]);
}

/* Every set of linked inputs gives a result or an error.  The cases run
 * concurrently, because the error comes after a timeout. */
TEST (test_subsets_of_inputs)
{
  gchar **elements = plugin_elements ();
  GArray *cases = g_array_new (FALSE, TRUE, sizeof (Case));

  for (guint e = 0; elements[e] != NULL; e++) {
    guint n_subsets = 1;

    for (guint linked = 0; linked < n_subsets; linked++) {
      Case c = {.element = elements[e],.linked = linked };

      get_inputs (&c);
      n_subsets = c.n_inputs > 1 ? 1u << c.n_inputs : 0;
      if (c.n_inputs > 1)
        g_array_append_val (cases, c);
      else
        g_free (c.names[0]);
    }
  }
  /* at least seven matchers with two inputs, stereoview and disparitycloud */
  fail_unless (cases->len >= 7 * 4 + 8 + 4);
  for (guint i = 0; i < cases->len; i++)
    case_start (&g_array_index (cases, Case, i));
  for (guint i = 0; i < cases->len; i++)
    case_end (&g_array_index (cases, Case, i));
  g_array_unref (cases);
  g_strfreev (elements);
}

/* A requested pad must be linked. */
TEST (test_requested_and_unlinked)
{
  GstElement *pipeline = pipeline_new ("stereotestsrc view=disparity ! " SIZE
      " ! v.sink_disparity  stereoview name=v ! fakesink");
  GstElement *view = gst_bin_get_by_name (GST_BIN (pipeline), "v");
  GstPad *pad = gst_element_request_pad_simple (view, "sink_right");
  GstObject *source;
  GError *error;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  error = pipeline_wait_error (pipeline, &source);
  fail_unless (source == GST_OBJECT (view));
  fail_unless_equals_string (error->message, "sink_left is not linked, and "
      "neither is sink_right, but sink_disparity has video. The element needs "
      "them all.");
  g_error_free (error);
  gst_element_release_request_pad (view, pad);
  gst_object_unref (pad);
  gst_object_unref (view);
  pipeline_free (pipeline);
}

/* A linked live source without data causes a warning. */
TEST (test_silent_maps)
{
  GstElement *pipeline = pipeline_new ("stereotestsrc is-live=true ! " SIZE
      " ! queue ! v.sink_left  appsrc is-live=true format=time ! queue ! "
      "v.sink_disparity  stereoview name=v ! fakesink");
  GstElement *view = gst_bin_get_by_name (GST_BIN (pipeline), "v");
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  GError *error;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, PATIENCE,
      GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  fail_unless (GST_MESSAGE_SRC (message) == GST_OBJECT (view));
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_WARNING);
  error = take_error (message);
  fail_unless_equals_string (error->message, "sink_disparity has received "
      "nothing for 5 seconds, while images wait on sink_left. Check the source "
      "of sink_disparity.");
  g_error_free (error);
  gst_object_unref (bus);
  gst_object_unref (view);
  pipeline_free (pipeline);
}

CHECK_MAIN ("stereo-links")
