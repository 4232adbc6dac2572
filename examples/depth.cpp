/* gst-stereomatching: disparity and depth in an application in C++
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 *   depth-cpp [LEFT RIGHT]
 *
 * The program of depth.c with frames as matrices.  A Matrix has the members of
 * cv::Mat.  To use it with OpenCV without a copy:
 *
 *   cv::Mat mat (matrix.rows, matrix.cols, CV_16UC1, matrix.data, matrix.step);
 */

#include <gst/app/gstappsink.h>
#include <gst/gst.h>
#include <gst/video/video.h>

#include <string>

// Focal length in pixels and baseline in metres are those of your cameras.
static const char elements[] =
    "stereosgm name=m num-disparities=64 fill=false ! "
    "video/x-raw,format=GRAY16_LE ! tee name=t "
    "t. ! queue ! appsink name=map sync=false max-buffers=2 "
    "t. ! queue ! disparitydepth focal-length=300 baseline=0.12 ! "
    "appsink name=depth sync=false max-buffers=2";

// The GRAY16_LE frame of a sample, without a copy.
class Matrix
{
public:
  explicit Matrix (GstSample *sample)
  {
    GstVideoInfo info;

    gst_video_info_from_caps (&info, gst_sample_get_caps (sample));
    gst_video_frame_map (&frame, &info, gst_sample_get_buffer (sample),
        GST_MAP_READ);
    rows = GST_VIDEO_FRAME_HEIGHT (&frame);
    cols = GST_VIDEO_FRAME_WIDTH (&frame);
    step = GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0);
    data = static_cast<guint8 *> (GST_VIDEO_FRAME_PLANE_DATA (&frame, 0));
  }
  ~Matrix () { gst_video_frame_unmap (&frame); }
  Matrix (const Matrix &) = delete;
  Matrix &operator= (const Matrix &) = delete;

  guint at (int row, int col) const
  {
    return GST_READ_UINT16_LE (data + row * step + 2 * col);
  }

  int rows, cols;
  gsize step;
  guint8 *data;

private:
  GstVideoFrame frame;
};

// Code 0 is invalid in both.  A point that is too far away for a code has a
// disparity but no depth.
static void
print_point (GstClockTime time, double disparity, guint depth, int x, int y)
{
  g_print ("%.3f s: %.2f pixels, ", double (time) / GST_SECOND, disparity);
  if (depth == 0)
    g_print ("depth unknown");
  else
    g_print ("%.3f m", depth / 1000.0);
  g_print (" at column %d, row %d\n", x, y);
}

static void
print_nearest (GstSample *map_sample, GstSample *depth_sample)
{
  const Matrix map (map_sample), depth (depth_sample);
  GstBuffer *buffer = gst_sample_get_buffer (map_sample);
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer,
      "GstStereoDisparityMeta");
  double scale, offset;
  int row = 0, col = 0;

  for (int y = 0; y < map.rows; y++)
    for (int x = 0; x < map.cols; x++)
      if (map.at (y, x) > map.at (row, col)) {
        row = y;
        col = x;
      }
  gst_structure_get (gst_custom_meta_get_structure (meta), "scale",
      G_TYPE_DOUBLE, &scale, "offset", G_TYPE_DOUBLE, &offset, nullptr);
  if (map.at (row, col) == 0)
    g_print ("%.3f s: no disparity is known\n",
        double (GST_BUFFER_PTS (buffer)) / GST_SECOND);
  else
    print_point (GST_BUFFER_PTS (buffer),
        (map.at (row, col) - offset) / scale, depth.at (row, col), col, row);
}

// Plays until the end or an error; returns the exit status.
static int
play (GstElement *pipeline)
{
  g_autoptr (GstElement) map = gst_bin_get_by_name (GST_BIN (pipeline), "map");
  g_autoptr (GstElement) depth =
      gst_bin_get_by_name (GST_BIN (pipeline), "depth");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = nullptr;
  g_autoptr (GError) error = nullptr;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (message == nullptr) {
    g_autoptr (GstSample) sample =
        gst_app_sink_try_pull_sample (GST_APP_SINK (depth), GST_SECOND / 10);

    if (sample != nullptr) {
      g_autoptr (GstSample) map_sample =
          gst_app_sink_pull_sample (GST_APP_SINK (map));

      print_nearest (map_sample, sample);
    }
    message = gst_bus_pop_filtered (bus,
        GstMessageType (GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS)
    return 0;
  gst_message_parse_error (message, &error, nullptr);
  g_printerr ("%s: %s\n", GST_MESSAGE_SRC_NAME (message), error->message);
  return 1;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = nullptr;
  std::string left = "stereotestsrc view=left num-buffers=5";
  std::string right = "stereotestsrc view=right num-buffers=5";

  gst_init (&argc, &argv);
  if (argc == 3) {
    left = argv[1];
    right = argv[2];
  } else if (argc != 1) {
    g_printerr ("usage: %s [LEFT RIGHT]\n", argv[0]);
    return 2;
  }
  std::string line =
      left + " ! m.sink_left  " + right + " ! m.sink_right  " + elements;
  g_autoptr (GstElement) pipeline = gst_parse_launch (line.c_str (), &error);
  if (error != nullptr) {
    g_printerr ("%s\n", error->message);
    return 1;
  }
  return play (pipeline);
}
