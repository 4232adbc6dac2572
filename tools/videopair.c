/* gst-stereomatching: pairs of views from videos
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "videopair.h"

#include "imagefile.h"

#include <gst/app/gstappsink.h>
#include <gst/video/video.h>
#include <math.h>
#include <string.h>

/* Time between looks for errors. */
#define POLL_TIME (100 * GST_MSECOND)
#define DEFAULT_DURATION (GST_SECOND / 30)

#define PIPELINE "filesrc name=file ! decodebin ! videoconvert ! " \
    "video/x-raw,format=GRAY8 ! appsink name=sink sync=false max-buffers=2"

/* A file, and its current frame. */
typedef struct
{
  const char *path;
  GstElement *pipeline;
  GstAppSink *sink;
  GstSample *sample;
  GstVideoFrame frame;          /* buffer NULL = not mapped */
} VideoStream;

struct VideoPairs
{
  VideoStream streams[2];       /* the second one has no pipeline if unused */
  VideoLayout layout;
};

static bool
stream_open (VideoStream * stream, const char *path, StereoMessage * why)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElement) file = NULL;

  stream->path = path;
  stream->pipeline = gst_parse_launch_full (PIPELINE, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, &error);
  if (stream->pipeline == NULL)
    return image_fail (why, path, "cannot be decoded: %s", error->message);
  file = gst_bin_get_by_name (GST_BIN (stream->pipeline), "file");
  g_object_set (file, "location", path, NULL);
  stream->sink = GST_APP_SINK (gst_bin_get_by_name (GST_BIN (stream->pipeline),
          "sink"));
  /* a failure posts a message, which stream_pull() reads */
  gst_element_set_state (stream->pipeline, GST_STATE_PLAYING);
  return true;
}

static void
stream_drop (VideoStream * stream)
{
  if (stream->frame.buffer != NULL)
    gst_video_frame_unmap (&stream->frame);
  memset (&stream->frame, 0, sizeof (stream->frame));
  g_clear_pointer (&stream->sample, gst_sample_unref);
}

static void
stream_close (VideoStream * stream)
{
  stream_drop (stream);
  if (stream->pipeline != NULL)
    gst_element_set_state (stream->pipeline, GST_STATE_NULL);
  g_clear_object (&stream->sink);
  g_clear_object (&stream->pipeline);
}

/* Whether an error says that nothing takes a stream of the file. */
static bool
is_not_linked (GstMessage * message)
{
  const GstStructure *details = NULL;
  gint flow = GST_FLOW_OK;

  gst_message_parse_error_details (message, &details);
  return details != NULL && gst_structure_get_int (details, "flow-return",
      &flow) && flow == GST_FLOW_NOT_LINKED;
}

/* Whether the pipeline has posted no error. */
static bool
stream_is_good (VideoStream * stream, StereoMessage * why)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (stream->pipeline);
  g_autoptr (GstMessage) message = gst_bus_pop_filtered (bus,
      GST_MESSAGE_ERROR);
  g_autoptr (GError) error = NULL;

  if (message == NULL)
    return true;
  if (is_not_linked (message))
    return image_fail (why, stream->path, "has no video that GStreamer can "
        "decode");
  gst_message_parse_error (message, &error, NULL);
  return image_fail (why, stream->path, "cannot be decoded: %s",
      error->message);
}

/* Waits for the next frame, unless there is one; none at the end. */
static bool
stream_pull (VideoStream * stream, StereoMessage * why)
{
  while (stream->sample == NULL) {
    /* the end is read first: an error is posted before it */
    const gboolean end = gst_app_sink_is_eos (stream->sink);

    stream->sample = gst_app_sink_try_pull_sample (stream->sink, POLL_TIME);
    if (stream->sample == NULL && !stream_is_good (stream, why))
      return false;
    if (end)
      break;
  }
  return true;
}

static GstClockTime
stream_time (const VideoStream * stream)
{
  return gst_segment_to_running_time (gst_sample_get_segment (stream->sample),
      GST_FORMAT_TIME, GST_BUFFER_PTS (gst_sample_get_buffer (stream->sample)));
}

static bool
stream_map (VideoStream * stream, StereoMessage * why)
{
  GstVideoInfo info;

  if (gst_video_info_from_caps (&info, gst_sample_get_caps (stream->sample))
      && gst_video_frame_map (&stream->frame, &info,
          gst_sample_get_buffer (stream->sample), GST_MAP_READ))
    return true;
  memset (&stream->frame, 0, sizeof (stream->frame));
  return image_fail (why, stream->path, "has a frame that cannot be read");
}

bool
video_pairs_open (const char *left, const char *right, VideoLayout layout,
    VideoPairs ** pairs, StereoMessage * why)
{
  g_autoptr (GError) error = NULL;
  VideoPairs *self;

  if (!gst_init_check (NULL, NULL, &error))
    return image_fail (why, left, "cannot be decoded: %s", error->message);
  self = g_new0 (VideoPairs, 1);
  self->layout = layout;
  if (!stream_open (&self->streams[0], left, why) || (right != NULL
          && !stream_open (&self->streams[1], right, why))) {
    video_pairs_free (&self);
    return false;
  }
  *pairs = self;
  return true;
}

void
video_pairs_free (VideoPairs ** pairs)
{
  if (*pairs == NULL)
    return;
  for (int i = 0; i < 2; i++)
    stream_close (&(*pairs)->streams[i]);
  g_clear_pointer (pairs, g_free);
}

/* The duration of a frame; the largest number if it is unknown. */
static GstClockTime
find_duration (const VideoStream * stream)
{
  GstVideoInfo info;

  if (gst_video_info_from_caps (&info, gst_sample_get_caps (stream->sample))
      && info.fps_n > 0 && info.fps_d > 0)
    return gst_util_uint64_scale (GST_SECOND, (guint64) info.fps_d,
        (guint64) info.fps_n);
  return GST_CLOCK_TIME_NONE;
}

/* Half the duration of a frame of the faster video. With that of the slower
 * one, a frame in the middle between two of them would match as well. */
static GstClockTime
find_tolerance (const VideoStream * left, const VideoStream * right)
{
  const GstClockTime duration = MIN (find_duration (left),
      find_duration (right));

  return (GST_CLOCK_TIME_IS_VALID (duration) ? duration :
      DEFAULT_DURATION) / 2;
}

/* Pulls frames until both streams have one of the same time. */
static bool
pull_pair (VideoPairs * self, bool * end, StereoMessage * why)
{
  VideoStream *left = &self->streams[0], *right = &self->streams[1];

  for (;;) {
    GstClockTime t, u;

    if (!stream_pull (left, why) || (right->pipeline != NULL
            && !stream_pull (right, why)))
      return false;
    *end = left->sample == NULL || (right->pipeline != NULL
        && right->sample == NULL);
    if (*end || right->pipeline == NULL)
      return true;
    t = stream_time (left);
    u = stream_time (right);
    if (!GST_CLOCK_TIME_IS_VALID (t) || !GST_CLOCK_TIME_IS_VALID (u)
        || ABS (GST_CLOCK_DIFF (t, u)) <= (gint64) find_tolerance (left, right))
      return true;
    stream_drop (t < u ? left : right);
  }
}

/* The part of a frame that begins at (x, y). */
static StereoImage
wrap_frame (const GstVideoFrame * frame, int x, int y, int width, int height)
{
  const size_t stride = (size_t) GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0);
  uint8_t *data = GST_VIDEO_FRAME_PLANE_DATA (frame, 0);

  return (StereoImage) {
    .format = STEREO_FORMAT_GRAY8,
    .width = width,
    .height = height,
    .plane = {data + (size_t) y * stride + (size_t) x},
    .stride = {stride},
  };
}

static bool
split_frame (const VideoPairs * self, StereoImage views[2],
    StereoMessage * why)
{
  const GstVideoFrame *frame = &self->streams[0].frame;
  const bool side_by_side = self->layout == VIDEO_SIDE_BY_SIDE;
  const int width = GST_VIDEO_FRAME_WIDTH (frame) / (side_by_side ? 2 : 1);
  const int height = GST_VIDEO_FRAME_HEIGHT (frame) / (side_by_side ? 1 : 2);

  if (width < 1 || height < 1)
    return image_fail (why, self->streams[0].path, "is too small for two "
        "views");
  views[0] = wrap_frame (frame, 0, 0, width, height);
  views[1] = wrap_frame (frame, side_by_side ? width : 0,
      side_by_side ? 0 : height, width, height);
  return true;
}

static bool
wrap_pair (const VideoPairs * self, StereoImage views[2], StereoMessage * why)
{
  for (int i = 0; i < 2; i++) {
    const GstVideoFrame *frame = &self->streams[i].frame;

    views[i] = wrap_frame (frame, 0, 0, GST_VIDEO_FRAME_WIDTH (frame),
        GST_VIDEO_FRAME_HEIGHT (frame));
  }
  if (views[0].width == views[1].width && views[0].height == views[1].height)
    return true;
  return image_fail (why, self->streams[1].path, "expected %dx%d pixels as in "
      "%s, got %dx%d", views[0].width, views[0].height,
      self->streams[0].path, views[1].width, views[1].height);
}

bool
video_pairs_next (VideoPairs * self, StereoImage views[2], double *seconds,
    bool * end, StereoMessage * why)
{
  GstClockTime time;

  for (int i = 0; i < 2; i++)
    stream_drop (&self->streams[i]);
  if (!pull_pair (self, end, why))
    return false;
  if (*end)
    return true;
  time = stream_time (&self->streams[0]);
  *seconds = GST_CLOCK_TIME_IS_VALID (time) ? (double) time / GST_SECOND : NAN;
  if (!stream_map (&self->streams[0], why))
    return false;
  if (self->layout != VIDEO_SEPARATE)
    return split_frame (self, views, why);
  return stream_map (&self->streams[1], why) && wrap_pair (self, views, why);
}
