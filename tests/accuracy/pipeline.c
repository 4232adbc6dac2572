/* gst-stereomatching: images out of pipelines
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "pipeline.h"

#include "test.h"

#include <gst/app/gstappsink.h>
#include <gst/video/video.h>

static GstSample *
run_pipeline (const char *description)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (description, &error), *sink;
  GstSample *sample;

  if (pipeline == NULL) {
    fprintf (stderr, "%s\n", error->message);
    exit (1);
  }
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  sample = gst_app_sink_pull_sample (GST_APP_SINK (sink));
  if (sample == NULL) {
    GstBus *bus = gst_element_get_bus (pipeline);
    GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);

    if (message != NULL) {
      gst_message_parse_error (message, &error, NULL);
      fprintf (stderr, "%s\n%s\n", description, error->message);
    }
    exit (1);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
  return sample;
}

Plane
plane_from_pipeline (const char *description, int pixel_bytes)
{
  GstSample *sample = run_pipeline (description);
  GstVideoFrame frame;
  GstVideoInfo info;
  Plane plane;

  REQUIRE (gst_video_info_from_caps (&info, gst_sample_get_caps (sample)));
  REQUIRE (gst_video_frame_map (&frame, &info,
          gst_sample_get_buffer (sample), GST_MAP_READ));
  plane.width = GST_VIDEO_INFO_WIDTH (&info);
  plane.height = GST_VIDEO_INFO_HEIGHT (&info);
  plane.data = malloc ((size_t) (plane.width * plane.height * pixel_bytes));
  REQUIRE (plane.data != NULL);
  for (int y = 0; y < plane.height; y++)
    memcpy (plane.data + (size_t) (y * plane.width * pixel_bytes),
        (uint8_t *) GST_VIDEO_FRAME_PLANE_DATA (&frame, 0)
        + (size_t) (y * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0)),
        (size_t) (plane.width * pixel_bytes));
  gst_video_frame_unmap (&frame);
  gst_sample_unref (sample);
  return plane;
}
