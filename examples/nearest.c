/* gst-stereomatching: disparities in a program of one's own
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 *   nearest [FRAMES]
 *
 * Matches a rendered stereo camera and prints, for every frame, the disparity
 * of the nearest point and where it is. Shows how to get disparity buffers
 * into a program, and how to read what they say about themselves.
 */

#include <gst/app/gstappsink.h>
#include <gst/gst.h>
#include <gst/video/video.h>

#include <stdlib.h>

/* Disparity in pixels is code / scale + minimum; code invalid means none. */
typedef struct
{
  double scale;
  int minimum;
  guint invalid;
} Encoding;

static gboolean
read_encoding (GstBuffer * buffer, Encoding * encoding)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer,
      "GstStereoDisparityMeta");
  GstStructure *s = meta ? gst_custom_meta_get_structure (meta) : NULL;

  return s != NULL
      && gst_structure_get_double (s, "disparity-scale", &encoding->scale)
      && gst_structure_get_int (s, "min-disparity", &encoding->minimum)
      && gst_structure_get_uint (s, "invalid-value", &encoding->invalid);
}

static void
print_nearest (GstSample * sample)
{
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  GstVideoFrame frame;
  GstVideoInfo info;
  Encoding encoding;
  guint nearest = 0;
  int at_x = -1, at_y = -1;

  if (!gst_video_info_from_caps (&info, gst_sample_get_caps (sample))
      || !read_encoding (buffer, &encoding)
      || !gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ)) {
    g_printerr ("this is no disparity buffer\n");
    return;
  }
  for (int y = 0; y < GST_VIDEO_FRAME_HEIGHT (&frame); y++) {
    const guint8 *row = (const guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&frame, 0)
        + y * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0);

    for (int x = 0; x < GST_VIDEO_FRAME_WIDTH (&frame); x++) {
      guint code = GST_READ_UINT16_LE (row + 2 * x);

      if (code != encoding.invalid && code > nearest) {
        nearest = code;
        at_x = x;
        at_y = y;
      }
    }
  }
  gst_video_frame_unmap (&frame);
  g_print ("%" GST_TIME_FORMAT ": %.2f pixels at (%d, %d)\n",
      GST_TIME_ARGS (GST_BUFFER_PTS (buffer)),
      nearest / encoding.scale + encoding.minimum, at_x, at_y);
}

int
main (int argc, char **argv)
{
  gint64 frames = 10;
  GError *error = NULL;
  GstElement *pipeline, *sink;
  GstSample *sample;
  GstMessage *message;
  GstBus *bus;
  gchar *description;
  int status = 0;

  gst_init (&argc, &argv);
  if (argc > 2 || (argc == 2 && !g_ascii_string_to_signed (argv[1], 10, 1,
              G_MAXINT, &frames, NULL))) {
    g_printerr ("usage: %s [FRAMES], of which there is one at least\n",
        argv[0]);
    return 2;
  }
  description = g_strdup_printf ("stereovcbw name=m median=true ! "
      "video/x-raw,format=GRAY16_LE ! appsink name=sink sync=false "
      "stereotestsrc pattern=sphere view=left num-buffers=%d ! m.sink_left "
      "stereotestsrc pattern=sphere view=right num-buffers=%d ! m.sink_right",
      (int) frames, (int) frames);
  pipeline = gst_parse_launch (description, &error);
  g_free (description);
  /* What can't be made of the description may leave half a pipeline. */
  if (error != NULL) {
    g_printerr ("%s\n", error->message);
    g_clear_error (&error);
    gst_clear_object (&pipeline);
    return 1;
  }

  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while ((sample = gst_app_sink_pull_sample (GST_APP_SINK (sink)))) {
    print_nearest (sample);
    gst_sample_unref (sample);
  }

  bus = gst_element_get_bus (pipeline);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  if (message != NULL) {
    gst_message_parse_error (message, &error, NULL);
    g_printerr ("%s\n", error->message);
    g_clear_error (&error);
    gst_message_unref (message);
    status = 1;
  }
  gst_object_unref (bus);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
  return status;
}
