/* gst-stereomatching: disparity and depth in an application
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 *   depth [LEFT RIGHT]
 *
 * Prints the disparity and the depth of the nearest point of every frame.  LEFT
 * and RIGHT describe the sources of both views, such as "v4l2src" or "filesrc
 * location=left.webm ! decodebin"; by default, a camera is rendered.
 */

#include <gst/app/gstappsink.h>
#include <gst/gst.h>
#include <gst/video/video.h>

/* Focal length in pixels and baseline in metres are those of your cameras. */
#define PIPELINE "%s ! m.sink_left  %s ! m.sink_right " \
    "stereosgm name=m num-disparities=64 fill=false ! " \
    "video/x-raw,format=GRAY16_LE ! tee name=t " \
    "t. ! queue ! appsink name=map sync=false max-buffers=2 " \
    "t. ! queue ! disparitydepth focal-length=300 baseline=0.12 ! " \
    "appsink name=depth sync=false max-buffers=2"

static guint
get_code (GstVideoFrame * frame, int x, int y)
{
  return GST_READ_UINT16_LE ((guint8 *) GST_VIDEO_FRAME_PLANE_DATA (frame, 0) +
      y * GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0) + 2 * x);
}

/* Code 0 is invalid in both frames.  A point that is too far away for a code
 * has a disparity but no depth. */
static void
print_point (GstClockTime time, double disparity, guint depth, int x, int y)
{
  g_print ("%.3f s: %.2f pixels, ", (double) time / GST_SECOND, disparity);
  if (depth == 0)
    g_print ("depth unknown");
  else
    g_print ("%.3f m", depth / 1000.0);
  g_print (" at column %d, row %d\n", x, y);
}

static void
print_nearest (GstSample * map_sample, GstSample * depth_sample)
{
  GstBuffer *buffer = gst_sample_get_buffer (map_sample);
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer,
      "GstStereoDisparityMeta");
  GstVideoFrame map, depth;
  GstVideoInfo info;
  double scale, offset;
  int at_x = 0, at_y = 0;

  gst_structure_get (gst_custom_meta_get_structure (meta),
      "scale", G_TYPE_DOUBLE, &scale, "offset", G_TYPE_DOUBLE, &offset, NULL);
  gst_video_info_from_caps (&info, gst_sample_get_caps (map_sample));
  gst_video_frame_map (&map, &info, buffer, GST_MAP_READ);
  gst_video_frame_map (&depth, &info, gst_sample_get_buffer (depth_sample),
      GST_MAP_READ);
  for (int y = 0; y < info.height; y++) {
    for (int x = 0; x < info.width; x++) {
      if (get_code (&map, x, y) > get_code (&map, at_x, at_y)) {
        at_x = x;
        at_y = y;
      }
    }
  }
  if (get_code (&map, at_x, at_y) == 0)
    g_print ("%.3f s: no disparity is known\n",
        (double) GST_BUFFER_PTS (buffer) / GST_SECOND);
  else
    print_point (GST_BUFFER_PTS (buffer),
        (get_code (&map, at_x, at_y) - offset) / scale,
        get_code (&depth, at_x, at_y), at_x, at_y);
  gst_video_frame_unmap (&depth);
  gst_video_frame_unmap (&map);
}

/* Plays until the end or an error; returns the exit status. */
static int
play (GstElement * pipeline)
{
  g_autoptr (GstElement) map = gst_bin_get_by_name (GST_BIN (pipeline), "map");
  g_autoptr (GstElement) depth =
      gst_bin_get_by_name (GST_BIN (pipeline), "depth");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (message == NULL) {
    g_autoptr (GstSample) depth_sample =
        gst_app_sink_try_pull_sample (GST_APP_SINK (depth), GST_SECOND / 10);

    if (depth_sample != NULL) {
      g_autoptr (GstSample) map_sample =
          gst_app_sink_pull_sample (GST_APP_SINK (map));

      print_nearest (map_sample, depth_sample);
    }
    message = gst_bus_pop_filtered (bus, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS)
    return 0;
  gst_message_parse_error (message, &error, NULL);
  g_printerr ("%s: %s\n", GST_MESSAGE_SRC_NAME (message), error->message);
  return 1;
}

int
main (int argc, char **argv)
{
  g_autoptr (GstElement) pipeline = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *line = NULL;

  gst_init (&argc, &argv);
  if (argc != 1 && argc != 3) {
    g_printerr ("usage: %s [LEFT RIGHT]\n", argv[0]);
    return 2;
  }
  line = g_strdup_printf (PIPELINE,
      argc == 3 ? argv[1] : "stereotestsrc view=left num-buffers=5",
      argc == 3 ? argv[2] : "stereotestsrc view=right num-buffers=5");
  pipeline = gst_parse_launch (line, &error);
  if (error != NULL) {
    g_printerr ("%s\n", error->message);
    return 1;
  }
  return play (pipeline);
}
