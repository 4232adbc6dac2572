/* gst-stereomatching: runs a pipeline, for leaks.py
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *   pipeline DESCRIPTION   until its end (0) or an error, which is printed (1)
 *   pipeline               leaks an element
 *
 * gst-launch-1.0 waits forever when the error comes before its main loop runs.
 */

#include <gst/gst.h>

static int
run (const gchar * description)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (description, &error);
  GstMessage *message = NULL;
  gchar *debug = NULL;
  GstBus *bus;

  if (error == NULL) {
    bus = gst_element_get_bus (pipeline);
    (void) gst_element_set_state (pipeline, GST_STATE_PLAYING);
    message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
        GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
    (void) gst_element_set_state (pipeline, GST_STATE_NULL);
    gst_object_unref (bus);
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
      gst_message_parse_error (message, &error, &debug);
    gst_message_unref (message);
  }
  gst_clear_object (&pipeline);
  if (error == NULL)
    return 0;
  g_printerr ("%s\n%s\n", error->message, debug != NULL ? debug : "");
  g_clear_error (&error);
  g_free (debug);
  return 1;
}

int
main (int argc, char **argv)
{
  int status = 0;

  gst_init (&argc, &argv);
  if (argc > 1)
    status = run (argv[1]);
  else
    (void) gst_element_factory_make ("identity", "forgotten");
  gst_deinit ();
  return status;
}
