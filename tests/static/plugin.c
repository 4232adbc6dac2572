/* gst-stereomatching: a program that contains the plugin
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Registers the statically linked plugin, matches three frames with each of its
 * matchers and checks the output.  Needs no plugin files.  The last line of
 * output is the number of elements.
 */

#include <gst/gst.h>

GST_PLUGIN_STATIC_DECLARE (stereomatching);

static guint n_failed;

static void
fail (const gchar * name, const gchar * what)
{
  g_printerr ("%s: %s\n", name, what);
  n_failed++;
}

/* Adds a source of frames for one view and links it. */
static gboolean
add_view (GstBin * bin, GstElement * matcher, const gchar * view,
    const gchar * pad)
{
  GstElement *source = gst_element_factory_make ("stereotestsrc", NULL);

  g_object_set (source, "num-buffers", 3, NULL);
  gst_util_set_object_arg (G_OBJECT (source), "view", view);
  gst_bin_add (bin, source);
  return gst_element_link_pads (source, "src", matcher, pad);
}

/* Receives frames: fakesink is in a plugin file of GStreamer. */
typedef struct
{
  GstElement *pipeline;
  gint n_frames;
} Taker;

static GstFlowReturn
take_frame (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  Taker *taker = gst_pad_get_element_private (pad);

  (void) parent;
  taker->n_frames++;
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

/* Notifies main() of the end of the stream. */
static gboolean
take_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  Taker *taker = gst_pad_get_element_private (pad);

  (void) parent;
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
    gst_element_post_message (taker->pipeline,
        gst_message_new_application (NULL, gst_structure_new_empty ("end")));
  gst_event_unref (event);
  return TRUE;
}

static void
match (const gchar * name)
{
  GstElement *pipeline = gst_pipeline_new (NULL);
  GstElement *matcher = gst_element_factory_make (name, NULL);
  GstPad *source = gst_element_get_static_pad (matcher, "src");
  GstPad *sink = gst_pad_new ("sink", GST_PAD_SINK);
  GstBus *bus = gst_element_get_bus (pipeline);
  Taker taker = { pipeline, 0 };
  GstMessage *message;

  gst_pad_set_element_private (sink, &taker);
  gst_pad_set_chain_function (sink, take_frame);
  gst_pad_set_event_function (sink, take_event);
  gst_pad_set_active (sink, TRUE);
  gst_bin_add (GST_BIN (pipeline), matcher);
  if (gst_pad_link (source, sink) != GST_PAD_LINK_OK
      || !add_view (GST_BIN (pipeline), matcher, "left", "sink_left")
      || !add_view (GST_BIN (pipeline), matcher, "right", "sink_right"))
    fail (name, "cannot link the elements");

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_APPLICATION | GST_MESSAGE_ERROR);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    fail (name, "fails");
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  if (taker.n_frames != 3)
    fail (name, "expected three frames");

  gst_pad_unlink (source, sink);
  gst_pad_set_active (sink, FALSE);
  gst_object_unref (sink);
  gst_object_unref (source);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
}

/* Whether an element is a matcher. */
static gboolean
is_matcher (GstElementFactory * factory)
{
  GstPluginFeature *loaded =
      gst_plugin_feature_load (GST_PLUGIN_FEATURE (factory));
  GType type = gst_element_factory_get_element_type (GST_ELEMENT_FACTORY
      (loaded));

  gst_object_unref (loaded);
  return g_strcmp0 (g_type_name (g_type_parent (type)),
      "GstStereoMatcher") == 0;
}

int
main (int argc, char **argv)
{
  GList *features, *item;
  guint n_elements = 0;

  gst_init (&argc, &argv);
  GST_PLUGIN_STATIC_REGISTER (stereomatching);
  features = gst_registry_get_feature_list_by_plugin (gst_registry_get (),
      "stereomatching");
  for (item = features; item != NULL; item = item->next) {
    const gchar *name = GST_OBJECT_NAME (item->data);
    GstElementFactory *factory = GST_ELEMENT_FACTORY (item->data);

    n_elements++;
    if (is_matcher (factory))
      match (name);
  }
  gst_plugin_feature_list_free (features);
  if (n_elements == 0)
    fail ("stereomatching", "no elements");
  g_print ("%u elements, %u failed\n", n_elements, n_failed);
  return n_failed > 0;
}
