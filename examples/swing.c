/* gst-stereomatching: moving virtual camera in an application
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 *   swing [FRAMES]
 *
 * Writes a video, swing.webm, whose virtual camera swings from the left camera
 * of a rendered stereo camera to the right one and beyond, or shows it in a
 * window where the position follows the mouse:
 *
 *   swing --mouse
 *
 * Shows two ways to change a property while an element runs: a control source
 * with a value for each timestamp, and navigation events that the window sends
 * upstream.
 */

#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstlfocontrolsource.h>
#include <gst/gst.h>
#include <gst/video/navigation.h>

#include <stdlib.h>
#include <string.h>

/* Positions oscillate between -0.5 and 1.5 with a period of 4 seconds. */
#define CENTER 0.5
#define AMPLITUDE 1.0
#define SWINGS_A_SECOND 0.25

#define CAPS "video/x-raw,format=I420,width=480,height=360,framerate=30/1"

/* Cameras, a matcher at half their size, and the virtual view. */
static const char chain[] = "stereotestsrc pattern=sphere view=left "
    "num-disparities=32 num-buffers=%d ! " CAPS " ! tee name=l "
    "stereotestsrc pattern=sphere view=right num-disparities=32 "
    "num-buffers=%d ! " CAPS " ! tee name=r "
    "l. ! queue ! videoscale ! video/x-raw,width=240,height=180 ! m.sink_left "
    "r. ! queue ! videoscale ! video/x-raw,width=240,height=180 ! "
    "m.sink_right "
    "stereobfv name=m num-disparities=16 ! v.sink_disparity "
    "l. ! queue ! v.sink_left  r. ! queue ! v.sink_right "
    "stereoview name=v ! %s";

/* Binds the position to the timestamps of frames. */
static void
swing_with_time (GstElement * view)
{
  GstControlSource *source = gst_lfo_control_source_new ();

  g_object_set (source, "waveform", GST_LFO_WAVEFORM_SINE, "frequency",
      SWINGS_A_SECOND, "offset", CENTER, "amplitude", AMPLITUDE, NULL);
  /* "absolute": values are positions, not fractions of the range */
  gst_object_add_control_binding (GST_OBJECT (view),
      gst_direct_control_binding_new_absolute (GST_OBJECT (view), "position",
          source));
  gst_object_unref (source);
}

/* Windows send mouse events upstream, in coordinates of the image. */
static GstPadProbeReturn
follow_mouse (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  GstCaps *caps;
  gdouble x, y;
  gint width = 0;

  if (GST_EVENT_TYPE (event) != GST_EVENT_NAVIGATION
      || !gst_navigation_event_parse_mouse_move_event (event, &x, &y))
    return GST_PAD_PROBE_OK;
  caps = gst_pad_get_current_caps (pad);
  if (caps != NULL && gst_structure_get_int (gst_caps_get_structure (caps, 0),
          "width", &width))
    g_object_set (user_data, "position",
        CENTER + AMPLITUDE * CLAMP (2 * x / width - 1, -1.0, 1.0), NULL);
  gst_clear_caps (&caps);
  return GST_PAD_PROBE_OK;
}

static GstElement *
make_pipeline (gboolean mouse, int frames)
{
  GError *error = NULL;
  gchar *line = g_strdup_printf (chain, frames, frames, mouse
      ? "videoconvert ! autovideosink"
      : "vp8enc deadline=1 cpu-used=8 target-bitrate=4000000 ! webmmux ! "
      "filesink location=swing.webm");
  GstElement *pipeline = gst_parse_launch (line, &error);

  g_free (line);
  /* an error may leave an incomplete pipeline */
  if (error != NULL) {
    g_printerr ("%s\n", error->message);
    g_clear_error (&error);
    gst_clear_object (&pipeline);
  }
  return pipeline;
}

/* Plays to the end; returns the exit status. */
static int
play (GstElement * pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  GError *error = NULL;
  int status = 0;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    g_printerr ("%s\n", error->message);
    g_clear_error (&error);
    status = 1;
  }
  gst_message_unref (message);
  gst_object_unref (bus);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return status;
}

int
main (int argc, char **argv)
{
  gint64 frames = 120;
  gboolean mouse;
  GstElement *pipeline, *view;
  GstPad *pad;
  int status;

  gst_init (&argc, &argv);
  mouse = argc == 2 && strcmp (argv[1], "--mouse") == 0;
  if (argc > 2 || (argc == 2 && !mouse && !g_ascii_string_to_signed (argv[1],
              10, 1, G_MAXINT, &frames, NULL))) {
    g_printerr ("usage: %s [FRAMES | --mouse], at least one frame\n",
        argv[0]);
    return 2;
  }
  pipeline = make_pipeline (mouse, mouse ? -1 : (int) frames);
  if (pipeline == NULL)
    return 1;
  view = gst_bin_get_by_name (GST_BIN (pipeline), "v");
  if (mouse) {
    pad = gst_element_get_static_pad (view, "src");
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, follow_mouse,
        view, NULL);
    gst_object_unref (pad);
  } else {
    swing_with_time (view);
  }
  status = play (pipeline);
  gst_object_unref (view);
  gst_object_unref (pipeline);
  return status;
}
