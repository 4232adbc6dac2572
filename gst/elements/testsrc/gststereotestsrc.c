/* gst-stereomatching: the element stereotestsrc
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-stereotestsrc
 * @title: stereotestsrc
 * @short_description: rendered stereo video with ground truth
 *
 * Renders moving, textured scenes for a rectified stereo camera, with exact
 * disparities. Use it where no camera is at hand, and to measure matchers:
 * instances with the same properties show the same scene, so `view=left` and
 * `view=right` are a stereo camera and `view=disparity` is its ground truth.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 stereotestsrc pattern=corridor ! videoconvert ! autovideosink
 * ]| Shows the left view of a street.
 * |[
 * gst-launch-1.0 stereotestsrc view=side-by-side pattern=sphere num-buffers=60 ! videoconvert ! vp8enc deadline=1 ! webmmux ! filesink location=stereo.webm
 * ]| Records two seconds of stereo video.
 * |[
 * gst-launch-1.0 stereotestsrc view=disparity num-buffers=1 ! pngenc ! filesink location=truth.png
 * ]| Writes the ground truth as a grey image.
 * |[
 * gst-launch-1.0 stereotestsrc view=virtual position=0.5 num-buffers=1 ! pngenc ! filesink location=middle.png
 * ]| Writes the view of a camera halfway between the two.
 *
 * ## Frames
 *
 * A frame depends only on its timestamp, the framerate and the properties: it
 * is the same after a seek and in every run. Disparities span
 * #GstStereoTestSrc:num-disparities at any frame size.
 *
 * Two live sources start at different times, like cameras that are not
 * synchronised. For a synchronised pair, split the frames of one source with
 * `view=side-by-side`. Live ground truth belongs to the images of its time,
 * within #GstStereoAggregator:sync-tolerance of the element that takes both.
 *
 * The ground truth belongs to the left view and has the format of a matcher's
 * output, with a `GstStereoDisparityMeta`. Pixels that are occluded in the
 * right view, or lie outside it, have the code 0.
 *
 * `view=virtual` renders the view from any #GstStereoTestSrc:position on the
 * baseline: the reference for views that are interpolated from both cameras.
 *
 * `view=side-by-side` and `view=top-bottom` pack both views at full size into
 * one frame. The caps have the size of the whole frame, with an even width or
 * height, and a `multiview-mode`.
 *
 * ## Cameras that are not aligned
 *
 * Further properties disturb the camera of the right view, as an impact or a
 * bad mount would. Neither the left view nor the ground truth nor
 * `view=virtual` change.
 *
 * The disturbed camera is at the same place, so the exact position of every
 * point is known. With the centre (cx, cy) of a view and a focal length f of
 * the larger of its sides, the pixel (u, v) of the disturbed view looks in the
 * direction (s X, s Y, 1), where X = (u - cx) / f, Y = (v - cy - rows) / f and
 * s = (1 + k1 (X^2 + Y^2)) / zoom. Its axes (x to the right, y down, z forward)
 * are those of the undisturbed camera, turned by #GstStereoTestSrc:pitch about
 * x, then by #GstStereoTestSrc:yaw about y, then by minus
 * #GstStereoTestSrc:roll about z. Positive values move the view down, move it
 * to the left, and turn it clockwise. #GstStereoTestSrc:drift adds to all three
 * angles, at most up to 45 degrees.
 *
 * #GstStereoTestSrc:blur acts before the disturbance, noise and
 * #GstStereoTestSrc:exposure-offset after it. With #GstStereoTestSrc:delay the
 * right view shows an earlier frame. #GstStereoTestSrc:swap exchanges the final
 * images, as swapped cables do.
 *
 * All of these properties are controllable: a control source makes a camera
 * that drifts slowly, or moves suddenly at a certain frame.
 *
 * |[
 * gst-launch-1.0 stereotestsrc view=side-by-side pattern=corridor roll=0.5 rows=2 drift=0.05 ! videoconvert ! autovideosink
 * ]| Shows both views of a street; the right camera is turned, lower, and
 * turns further.
 *
 * Since: 0.1
 */

#include "base/gststereoframe.h"
#include "base/gststereocapslimit.h"
#include "base/gststereometa.h"
#include "base/gststereoparams.h"
#include "base/gststereoseek.h"
#include "base/gststereotags.h"
#include "core/params.h"
#include "elements/gststereoelements.h"
#include "elements/testsrc/gststereorenderer.h"

#include <gst/base/gstpushsrc.h>
#include <gst/video/video.h>
#include <string.h>

GST_DEBUG_CATEGORY_STATIC (gst_stereo_test_src_debug);
#define GST_CAT_DEFAULT gst_stereo_test_src_debug

#define GST_TYPE_STEREO_TEST_SRC (gst_stereo_test_src_get_type ())
G_DECLARE_FINAL_TYPE (GstStereoTestSrc, gst_stereo_test_src, GST,
    STEREO_TEST_SRC, GstPushSrc)

#define DEFAULT_VIEW GST_STEREO_TEST_SRC_LEFT
#define DEFAULT_IS_LIVE FALSE
#define MAX_SIZE 16384          /* of a view */

static const StereoEnumValue patterns[] = {
  [GST_STEREO_PATTERN_PLANES] = {"planes", "Fronto-parallel shapes"},
  [GST_STEREO_PATTERN_SLANTED] = {"slanted", "One slanted plane"},
  [GST_STEREO_PATTERN_SPHERE] = {"sphere", "Spheres in front of a wall"},
  [GST_STEREO_PATTERN_CORRIDOR] = {"corridor", "Street between houses"},
  [GST_STEREO_PATTERN_THIN] = {"thin", "Poles and a fence in front of a hedge"},
};

/* Properties that may change while the element runs. */
static const StereoParamSpec specs[] = {
  STEREO_PARAM_ENUM_ROW (GstStereoTestSettings, pattern, "pattern", "Scene",
      GST_STEREO_PATTERN_PLANES, patterns),
  /* The scene spans 0 to num-disparities - 1 at any frame size, and less where
   * surfaces would be too steep for a narrow frame. */
  STEREO_PARAM_UINT_ROW (GstStereoTestSettings, num_disparities,
      "num-disparities",
      "Number of disparities in the scene, in pixels", 64, 1, 16384),
  STEREO_PARAM_UINT_ROW (GstStereoTestSettings, seed, "seed",
      "Random seed of textures and noise", 0, 0, 0xffffffffu),
  /* Equal in R, G and B, independent between views and frames, repeatable. */
  STEREO_PARAM_DOUBLE_ROW (GstStereoTestSettings, noise, "noise",
      "Standard deviation of the image noise, in grey levels", 0, 0, 128),
  STEREO_PARAM_DOUBLE_ROW (GstStereoTestSettings, exposure_offset,
  "exposure-offset",
      "Brightness added to the right view, in grey levels", 0, -255,
      255),
  STEREO_PARAM_UINT_ROW (GstStereoTestSettings, disparity_scale,
  "disparity-scale",
      "Disparity codes per pixel in GRAY16_LE (16 = OpenCV, 256 = KITTI)", 16,
      1, 256),
  /* exposure-offset is interpolated between the views; each position has noise
   * of its own. */
  STEREO_PARAM_DOUBLE_ROW (GstStereoTestSettings, position, "position",
      "Virtual camera position (0 = left, 1 = right; beyond for "
      "extrapolation)", 0.5,
      -GST_STEREO_SCENE_FARTHEST, GST_STEREO_SCENE_FARTHEST),
  /* Of the right camera, see gststereodisturbance.h. */
  STEREO_PARAM_DOUBLE_ROW (GstStereoTestSettings, disturbance.roll, "roll",
      "Clockwise rotation of the right view, in degrees", 0,
      -GST_STEREO_MAX_ROTATION, GST_STEREO_MAX_ROTATION),
  STEREO_PARAM_DOUBLE_ROW (GstStereoTestSettings, disturbance.pitch, "pitch",
      "Upward rotation of the right camera, in degrees", 0,
      -GST_STEREO_MAX_ROTATION, GST_STEREO_MAX_ROTATION),
  STEREO_PARAM_DOUBLE_ROW (GstStereoTestSettings, disturbance.yaw, "yaw",
      "Rotation of the right camera to the right, in degrees", 0,
      -GST_STEREO_MAX_ROTATION, GST_STEREO_MAX_ROTATION),
  STEREO_PARAM_DOUBLE_ROW (GstStereoTestSettings, disturbance.zoom, "zoom",
      "Magnification of the right view", 1, 0.5, 2),
  STEREO_PARAM_DOUBLE_ROW (GstStereoTestSettings, disturbance.rows, "rows",
      "Offset of the right view downwards, in pixels", 0, -16384, 16384),
  STEREO_PARAM_DOUBLE_ROW (GstStereoTestSettings, disturbance.k1, "k1",
      "Radial distortion of the right view (above 0 = barrel)", 0, -0.5, 0.5),
  STEREO_PARAM_BOOL_ROW (GstStereoTestSettings, swap, "swap",
      "Swap the left and the right view", false),
  STEREO_PARAM_DOUBLE_ROW (GstStereoTestSettings, disturbance.blur, "blur",
      "Standard deviation of a Gaussian blur of the right view, in pixels "
      "(below 0.1 = none)", 0, 0, GST_STEREO_MAX_BLUR),
  STEREO_PARAM_UINT_ROW (GstStereoTestSettings, delay, "delay",
      "Number of frames that the right view is late, with unchanged "
      "timestamps", 0, 0, 1000),
  STEREO_PARAM_DOUBLE_ROW (GstStereoTestSettings, drift, "drift",
      "Increase of roll, pitch and yaw over time, in degrees per second", 0,
      -GST_STEREO_MAX_ROTATION, GST_STEREO_MAX_ROTATION),
  STEREO_PARAM_END
};

/* Property ids follow those of the table. */
enum
{
  PROP_VIEW = G_N_ELEMENTS (specs),
  PROP_IS_LIVE,
  PROP_TIMESTAMP_OFFSET
};

struct _GstStereoTestSrc
{
  GstPushSrc parent;

  /* Under the object lock. */
  GstStereoTestSettings settings;
  GstStereoTestSrcView view;    /* from start to stop */
  GstClockTimeDiff timestamp_offset;
  gboolean started;
  guint32 seek_seqnum;          /* of the last seek since start */

  GstVideoInfo info;            /* written under the object lock */

  /* Streaming thread only. */
  GstClockTime seek_time;       /* target of a seek, or NONE */
  gboolean reverse;
  GstClockTime epoch;           /* timestamp of frame 0 */
  guint64 n_frames;
  GstStereoRenderer renderer;
  GstStereoSentTags sent_tags;
};

#define IMAGE_FORMATS "{ GRAY8, NV12, I420, YV12, NV21, Y42B, Y444, RGB, " \
    "BGR, RGBx, BGRx, xRGB, xBGR, RGBA, BGRA, ARGB, ABGR, GRAY16_LE }"
#define DISPARITY_FORMATS "{ GRAY16_LE, GRAY8 }"

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("video/x-raw, format = (string) " IMAGE_FORMATS ", "
        "width = (int) [ 1, 32768 ], height = (int) [ 1, 32768 ], "
        "framerate = " GST_VIDEO_FPS_RANGE));

static GType
gst_stereo_test_src_view_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    {GST_STEREO_TEST_SRC_LEFT, "Left view", "left"},
    {GST_STEREO_TEST_SRC_RIGHT, "Right view", "right"},
    {GST_STEREO_TEST_SRC_SIDE_BY_SIDE, "Both views side by side",
        "side-by-side"},
    {GST_STEREO_TEST_SRC_TOP_BOTTOM, "Left view above the right view",
        "top-bottom"},
    {GST_STEREO_TEST_SRC_DISPARITY, "Ground-truth disparities of the left view",
        "disparity"},
    {GST_STEREO_TEST_SRC_VIRTUAL, "View from the virtual camera position",
        "virtual"},
    {0, NULL, NULL}
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstStereoTestSrcView", values));
  return type;
}

#define GST_TYPE_STEREO_TEST_SRC_VIEW (gst_stereo_test_src_view_get_type ())

G_DEFINE_TYPE_WITH_CODE (GstStereoTestSrc, gst_stereo_test_src,
    GST_TYPE_PUSH_SRC,
    GST_DEBUG_CATEGORY_INIT (gst_stereo_test_src_debug, "stereotestsrc", 0,
        "Rendered stereo video with ground truth"));

GST_ELEMENT_REGISTER_DEFINE (stereotestsrc, "stereotestsrc", GST_RANK_NONE,
    GST_TYPE_STEREO_TEST_SRC);

/* A copy of the settings; a new view takes effect at the next start. */
static GstStereoTestSettings
get_settings (GstStereoTestSrc * self)
{
  GstStereoTestSettings settings;

  GST_OBJECT_LOCK (self);
  settings = self->settings;
  if (self->started)
    settings.view = self->view;
  GST_OBJECT_UNLOCK (self);
  return settings;
}

/* --------------------------------------------------------------------- caps */

/* Sizes are multiples of the number of views in that direction. */
static void
set_size_range (GstStructure * s, const gchar * field, gint views)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, GST_TYPE_INT_RANGE);
  gst_value_set_int_range_step (&value, views, views * MAX_SIZE, views);
  gst_structure_take_value (s, field, &value);
}

static GstCaps *
gst_stereo_test_src_get_caps (GstBaseSrc * src, GstCaps * filter)
{
  GstStereoTestSrcView view = get_settings (GST_STEREO_TEST_SRC (src)).view;
  GstCaps *caps = gst_caps_from_string (view == GST_STEREO_TEST_SRC_DISPARITY
      ? "video/x-raw, format = (string) " DISPARITY_FORMATS
      ", framerate = " GST_VIDEO_FPS_RANGE
      : "video/x-raw, format = (string) " IMAGE_FORMATS
      ", framerate = " GST_VIDEO_FPS_RANGE);
  GstStructure *s = gst_caps_get_structure (caps, 0);
  GstVideoMultiviewMode mode = view == GST_STEREO_TEST_SRC_SIDE_BY_SIDE
      ? GST_VIDEO_MULTIVIEW_MODE_SIDE_BY_SIDE
      : view == GST_STEREO_TEST_SRC_TOP_BOTTOM
      ? GST_VIDEO_MULTIVIEW_MODE_TOP_BOTTOM : GST_VIDEO_MULTIVIEW_MODE_NONE;

  set_size_range (s, "width", view == GST_STEREO_TEST_SRC_SIDE_BY_SIDE ? 2 : 1);
  set_size_range (s, "height", view == GST_STEREO_TEST_SRC_TOP_BOTTOM ? 2 : 1);
  if (mode != GST_VIDEO_MULTIVIEW_MODE_NONE)
    gst_structure_set (s, "multiview-mode", G_TYPE_STRING,
        gst_video_multiview_mode_to_caps_string (mode), NULL);
  return gst_stereo_caps_filter (caps, filter);
}

/* Downstream may have removed the field, as interlace does. */
static void
fixate_fraction (GstStructure * s, const gchar * field, gint n, gint d)
{
  if (gst_structure_has_field (s, field))
    gst_structure_fixate_field_nearest_fraction (s, field, n, d);
  else
    gst_structure_set (s, field, GST_TYPE_FRACTION, n, d, NULL);
}

static GstCaps *
gst_stereo_test_src_fixate (GstBaseSrc * src, GstCaps * caps)
{
  GstStereoTestSrcView view = get_settings (GST_STEREO_TEST_SRC (src)).view;
  GstStructure *s;
  GstVideoInfo info;

  caps = gst_caps_truncate (gst_caps_make_writable (caps));
  s = gst_caps_get_structure (caps, 0);
  gst_structure_fixate_field_nearest_int (s, "width",
      view == GST_STEREO_TEST_SRC_SIDE_BY_SIDE ? 640 : 320);
  gst_structure_fixate_field_nearest_int (s, "height",
      view == GST_STEREO_TEST_SRC_TOP_BOTTOM ? 480 : 240);
  fixate_fraction (s, "framerate", 30, 1);
  fixate_fraction (s, "pixel-aspect-ratio", 1, 1);
  if (gst_structure_has_field (s, "interlace-mode"))
    gst_structure_fixate_field_string (s, "interlace-mode", "progressive");
  else
    gst_structure_set (s, "interlace-mode", G_TYPE_STRING, "progressive", NULL);
  if (gst_structure_has_field (s, "colorimetry"))
    gst_structure_fixate_field_string (s, "colorimetry",
        GST_VIDEO_COLORIMETRY_BT601);
  caps = GST_BASE_SRC_CLASS (gst_stereo_test_src_parent_class)->fixate (src,
      caps);

  /* name the matrix */
  s = gst_caps_get_structure (caps, 0);
  if (!gst_structure_has_field (s, "colorimetry")
      && gst_video_info_from_caps (&info, caps)
      && GST_VIDEO_INFO_IS_YUV (&info)) {
    gchar *colorimetry = gst_video_colorimetry_to_string (&info.colorimetry);

    if (colorimetry != NULL)
      gst_structure_set (s, "colorimetry", G_TYPE_STRING, colorimetry, NULL);
    g_free (colorimetry);
  }
  return caps;
}

static GstClockTime
time_of (const GstVideoInfo * info, guint64 n)
{
  return info->fps_n > 0 ? gst_util_uint64_scale (n, info->fps_d * GST_SECOND,
      info->fps_n) : 0;
}

static gboolean
gst_stereo_test_src_set_caps (GstBaseSrc * src, GstCaps * caps)
{
  GstStereoTestSrc *self = GST_STEREO_TEST_SRC (src);
  const GstClockTime time = self->epoch + time_of (&self->info,
      self->n_frames);
  GstVideoInfo info;

  if (!gst_video_info_from_caps (&info, caps)) {
    GST_ERROR_OBJECT (self, "expected raw video, got %" GST_PTR_FORMAT, caps);
    return FALSE;
  }

  /* timestamps continue from the frames of the old framerate */
  if (!self->reverse) {
    self->epoch = time;
    self->n_frames = 0;
  } else if (!GST_CLOCK_TIME_IS_VALID (self->seek_time)) {
    self->seek_time = time;
  }
  gst_stereo_renderer_init (&self->renderer, &info);
  GST_OBJECT_LOCK (self);
  self->info = info;
  GST_OBJECT_UNLOCK (self);
  gst_base_src_set_blocksize (src, (guint) MIN (info.size, G_MAXUINT));
  gst_element_post_message (GST_ELEMENT (self),
      gst_message_new_latency (GST_OBJECT (self)));
  return TRUE;
}

static gboolean
gst_stereo_test_src_decide_allocation (GstBaseSrc * src, GstQuery * query)
{
  GstBufferPool *pool = NULL;
  GstStructure *config;
  GstVideoInfo info;
  GstCaps *caps = NULL;
  guint size = 0, min = 0, max = 0;
  gboolean update = gst_query_get_n_allocation_pools (query) > 0;

  gst_query_parse_allocation (query, &caps, NULL);
  if (caps == NULL || !gst_video_info_from_caps (&info, caps))
    return FALSE;
  if (update)
    gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &min, &max);
  size = MAX (size, (guint) info.size);
  if (pool == NULL)
    pool = gst_video_buffer_pool_new ();

  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (config, caps, size, min, max);
  if (gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL))
    gst_buffer_pool_config_add_option (config,
        GST_BUFFER_POOL_OPTION_VIDEO_META);
  gst_buffer_pool_set_config (pool, config);

  if (update)
    gst_query_set_nth_allocation_pool (query, 0, pool, size, min, max);
  else
    gst_query_add_allocation_pool (query, pool, size, min, max);
  gst_object_unref (pool);
  return GST_BASE_SRC_CLASS (gst_stereo_test_src_parent_class)
      ->decide_allocation (src, query);
}

/* ------------------------------------------------------------------- timing */

static gboolean
gst_stereo_test_src_is_seekable (GstBaseSrc * src)
{
  return !gst_base_src_is_live (src);
}

/* Whether a seek plays backwards without a known end. */
static gboolean
is_seek_from_no_end (GstBaseSrc * src, GstEvent * event)
{
  GstSeekType start_type, stop_type;
  gint64 start, stop;
  GstSeekFlags flags;
  GstSegment segment;
  GstFormat format;
  gdouble rate;

  gst_event_parse_seek (event, &rate, &format, &flags, &start_type, &start,
      &stop_type, &stop);
  if (rate > 0)
    return FALSE;
  GST_OBJECT_LOCK (src);
  segment = src->segment;
  GST_OBJECT_UNLOCK (src);
  /* GstBaseSrc converts frames and bytes to time */
  if (format != GST_FORMAT_TIME && stop_type != GST_SEEK_TYPE_NONE)
    return stop < 0;
  if (format != GST_FORMAT_TIME)
    return !GST_CLOCK_TIME_IS_VALID (segment.stop);
  return segment.format != format || !gst_segment_do_seek (&segment, rate,
      format, flags, start_type, start, stop_type, stop, NULL)
      || !GST_CLOCK_TIME_IS_VALID (segment.stop);
}

static gboolean
seek (GstStereoTestSrc * self, GstEvent * event)
{
  GstBaseSrc *src = GST_BASE_SRC (self);
  guint32 seqnum = gst_event_get_seqnum (event);

  /* If a repeated seek flushes this source once more, the source of the other
   * view pauses when the flush refuses its buffer, and nothing starts it
   * again. */
  if (gst_stereo_seek_is_repeated (self, &self->seek_seqnum, seqnum))
    return TRUE;
  /* Refused before it flushes: after a failure of do_seek() the following data
   * would have no segment. */
  return gst_stereo_seek_finish (self, &self->seek_seqnum, seqnum,
      !is_seek_from_no_end (src, event)
      && GST_BASE_SRC_CLASS (gst_stereo_test_src_parent_class)->event (src,
          event));
}

static gboolean
gst_stereo_test_src_event (GstBaseSrc * src, GstEvent * event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK)
    return seek (GST_STEREO_TEST_SRC (src), event);
  return GST_BASE_SRC_CLASS (gst_stereo_test_src_parent_class)->event (src,
      event);
}

static gboolean
gst_stereo_test_src_do_seek (GstBaseSrc * src, GstSegment * segment)
{
  GstStereoTestSrc *self = GST_STEREO_TEST_SRC (src);

  if (segment->format != GST_FORMAT_TIME
      || !GST_CLOCK_TIME_IS_VALID (segment->position))
    return FALSE;
  if (segment->rate < 0 && !GST_CLOCK_TIME_IS_VALID (segment->stop))
    return FALSE;
  segment->time = segment->start;
  self->seek_time = segment->position;
  self->reverse = segment->rate < 0;
  return TRUE;
}

static void
gst_stereo_test_src_get_times (GstBaseSrc * src, GstBuffer * buffer,
    GstClockTime * start, GstClockTime * end)
{
  *start = *end = GST_CLOCK_TIME_NONE;
  if (gst_base_src_is_live (src) && GST_BUFFER_PTS_IS_VALID (buffer)) {
    *start = GST_BUFFER_PTS (buffer);
    if (GST_BUFFER_DURATION_IS_VALID (buffer))
      *end = *start + GST_BUFFER_DURATION (buffer);
  }
}

static gboolean
gst_stereo_test_src_query (GstBaseSrc * src, GstQuery * query)
{
  GstStereoTestSrc *self = GST_STEREO_TEST_SRC (src);
  GstFormat from, to;
  gint64 value, result;
  gint num_buffers = -1;
  GstVideoInfo info;

  GST_OBJECT_LOCK (self);
  info = self->info;
  GST_OBJECT_UNLOCK (self);

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CONVERT:
      gst_query_parse_convert (query, &from, &value, &to, NULL);
      if (info.finfo == NULL
          || GST_VIDEO_INFO_FORMAT (&info) == GST_VIDEO_FORMAT_UNKNOWN
          || !gst_video_info_convert (&info, from, value, to, &result))
        return FALSE;
      gst_query_set_convert (query, from, value, to, result);
      return TRUE;
    case GST_QUERY_LATENCY:
      /* also before the caps, because elements may wait longer than base
       * sources allow */
      gst_query_set_latency (query, gst_base_src_is_live (src),
          time_of (&info, 1), GST_CLOCK_TIME_NONE);
      return TRUE;
    case GST_QUERY_DURATION:
      gst_query_parse_duration (query, &to, NULL);
      g_object_get (self, "num-buffers", &num_buffers, NULL);
      if (num_buffers >= 0 && to == GST_FORMAT_TIME && info.fps_n > 0) {
        gst_query_set_duration (query, to, time_of (&info, num_buffers));
        return TRUE;
      }
      break;
    default:
      break;
  }
  return GST_BASE_SRC_CLASS (gst_stereo_test_src_parent_class)->query (src,
      query);
}

static gboolean
gst_stereo_test_src_start (GstBaseSrc * src)
{
  GstStereoTestSrc *self = GST_STEREO_TEST_SRC (src);

  GST_OBJECT_LOCK (self);
  gst_video_info_init (&self->info);
  self->info.fps_n = 0;
  self->view = self->settings.view;
  self->started = TRUE;
  self->seek_seqnum = GST_SEQNUM_INVALID;
  GST_OBJECT_UNLOCK (self);
  self->seek_time = GST_CLOCK_TIME_NONE;
  self->reverse = FALSE;
  self->epoch = 0;
  self->n_frames = 0;
  memset (&self->sent_tags, 0, sizeof (self->sent_tags));
  return TRUE;
}

static gboolean
gst_stereo_test_src_stop (GstBaseSrc * src)
{
  GstStereoTestSrc *self = GST_STEREO_TEST_SRC (src);

  gst_stereo_renderer_clear (&self->renderer);
  GST_OBJECT_LOCK (self);
  self->started = FALSE;
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

/* ------------------------------------------------------------------- frames */

static void
add_disparity_meta (GstStereoTestSrc * self, GstBuffer * buffer,
    const GstVideoInfo * info, const GstStereoTestSettings * settings)
{
  GstStereoDisparity disparity = { 0, };
  GstTagList *tags;

  disparity.num_disparities = settings->num_disparities;
  disparity.invalid_value = GST_STEREO_RENDERER_INVALID;
  disparity.disparity_scale =
      gst_stereo_renderer_scale (settings, GST_VIDEO_INFO_FORMAT (info));
  /* GstBaseSrc shifts the timestamps of each live source differently */
  disparity.left_pts = disparity.right_pts =
      gst_base_src_is_live (GST_BASE_SRC (self)) ? GST_CLOCK_TIME_NONE
      : GST_BUFFER_PTS (buffer);
  disparity.algorithm = "truth";
  disparity.backend = "cpu";
  gst_stereo_meta_add (buffer, &disparity);
  tags = gst_stereo_tags_of_disparity (&self->sent_tags, &disparity, info);
  /* Sent before the buffer.  gst_element_send_event() would take the state
   * lock, whose owner may wait for this thread. */
  if (tags != NULL)
    GST_ELEMENT_GET_CLASS (self)->send_event (GST_ELEMENT (self),
        gst_event_new_tag (tags));
}

/* Sets the times of the next frame, and its number; FALSE at the end. */
static gboolean
next_frame (GstStereoTestSrc * self, GstBuffer * buffer, guint64 * number)
{
  const GstVideoInfo *info = &self->info;
  guint64 n;

  if (GST_CLOCK_TIME_IS_VALID (self->seek_time)) {
    self->epoch = 0;
    self->n_frames = info->fps_n > 0 ? gst_util_uint64_scale (self->seek_time,
        info->fps_n, info->fps_d * GST_SECOND) : 0;
    /* the frame at that time; timestamps are rounded down */
    if (info->fps_n > 0 && time_of (info, self->n_frames + 1)
        <= self->seek_time)
      self->n_frames++;
    if (self->reverse && (info->fps_n == 0
            || time_of (info, self->n_frames) < self->seek_time))
      self->n_frames++;
    self->seek_time = GST_CLOCK_TIME_NONE;
  }

  n = self->n_frames;
  if (self->reverse) {
    if (n == 0)
      return FALSE;
    n--;
  } else if (info->fps_n == 0 && n > 0) {
    return FALSE;
  }

  GST_BUFFER_PTS (buffer) = self->epoch + time_of (info, n);
  GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_DURATION (buffer) = info->fps_n > 0
      ? time_of (info, n + 1) - time_of (info, n) : GST_CLOCK_TIME_NONE;
  *number = info->fps_n > 0 ? gst_util_uint64_scale_round (GST_BUFFER_PTS
      (buffer), info->fps_n, info->fps_d * GST_SECOND) : 0;
  GST_BUFFER_OFFSET (buffer) = *number;
  GST_BUFFER_OFFSET_END (buffer) = *number + 1;
  self->n_frames = self->reverse ? n : n + 1;
  return TRUE;
}

static GstFlowReturn
gst_stereo_test_src_fill (GstPushSrc * src, GstBuffer * buffer)
{
  GstStereoTestSrc *self = GST_STEREO_TEST_SRC (src);
  GstStereoTestSettings settings;
  GstStereoFrame frame;
  StereoMessage why;
  gboolean rendered;
  guint64 number;

  if (!next_frame (self, buffer, &number))
    return GST_FLOW_EOS;
  gst_object_sync_values (GST_OBJECT (self), GST_BUFFER_PTS (buffer));
  settings = get_settings (self);
  GST_OBJECT_LOCK (self);
  GST_BUFFER_PTS (buffer) += (GstClockTime) self->timestamp_offset;
  GST_OBJECT_UNLOCK (self);

  if (settings.view == GST_STEREO_TEST_SRC_DISPARITY
      && GST_VIDEO_INFO_FORMAT (&self->info) == GST_VIDEO_FORMAT_GRAY16_LE
      && (settings.num_disparities - 1) * settings.disparity_scale > 65535) {
    GST_ELEMENT_ERROR (self, LIBRARY, SETTINGS,
        ("num-disparities=%u times disparity-scale=%u does not fit GRAY16_LE. "
            "Set disparity-scale to %u or less.", settings.num_disparities,
            settings.disparity_scale,
            65535 / (settings.num_disparities - 1)), (NULL));
    return GST_FLOW_ERROR;
  }

  if (!gst_stereo_frame_map (&frame, &self->info, buffer, GST_MAP_WRITE, NULL,
          &why)) {
    GST_ELEMENT_ERROR (self, RESOURCE, WRITE,
        ("Cannot write to the buffer from downstream: it %s.", why.text),
        (NULL));
    return GST_FLOW_ERROR;
  }
  rendered = gst_stereo_renderer_render (&self->renderer, &settings, number,
      &frame.frame);
  gst_stereo_frame_unmap (&frame);
  if (!rendered) {
    GST_ELEMENT_ERROR (self, RESOURCE, NO_SPACE_LEFT,
        ("Not enough memory to render a disturbed view of %dx%d. Set a smaller "
            "size in the caps.", GST_VIDEO_INFO_WIDTH (&self->info),
            GST_VIDEO_INFO_HEIGHT (&self->info)), (NULL));
    return GST_FLOW_ERROR;
  }
  if (settings.view == GST_STEREO_TEST_SRC_DISPARITY)
    add_disparity_meta (self, buffer, &self->info, &settings);
  return GST_FLOW_OK;
}

/* --------------------------------------------------------------- properties */

static void
gst_stereo_test_src_set_property (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec)
{
  GstStereoTestSrc *self = GST_STEREO_TEST_SRC (object);

  (void) pspec;
  if (id == PROP_IS_LIVE) {
    gst_base_src_set_live (GST_BASE_SRC (self), g_value_get_boolean (value));
    return;
  }
  GST_OBJECT_LOCK (self);
  if (id == PROP_TIMESTAMP_OFFSET)
    self->timestamp_offset = g_value_get_int64 (value);
  else if (id == PROP_VIEW)
    self->settings.view = (GstStereoTestSrcView) g_value_get_enum (value);
  else
    gst_stereo_table_set_property (&specs[id - 1], &self->settings, value);
  GST_OBJECT_UNLOCK (self);
}

static void
gst_stereo_test_src_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstStereoTestSrc *self = GST_STEREO_TEST_SRC (object);

  (void) pspec;
  if (id == PROP_IS_LIVE) {
    g_value_set_boolean (value, gst_base_src_is_live (GST_BASE_SRC (self)));
    return;
  }
  GST_OBJECT_LOCK (self);
  if (id == PROP_TIMESTAMP_OFFSET)
    g_value_set_int64 (value, self->timestamp_offset);
  else if (id == PROP_VIEW)
    g_value_set_enum (value, self->settings.view);
  else
    gst_stereo_table_get_property (&specs[id - 1], &self->settings, value);
  GST_OBJECT_UNLOCK (self);
}

static void
gst_stereo_test_src_init (GstStereoTestSrc * self)
{
  self->settings.view = DEFAULT_VIEW;
  gst_stereo_table_init (specs, &self->settings);
  gst_video_info_init (&self->info);
  self->info.fps_n = 0;
  gst_base_src_set_format (GST_BASE_SRC (self), GST_FORMAT_TIME);
  gst_base_src_set_live (GST_BASE_SRC (self), DEFAULT_IS_LIVE);
}

static void
gst_stereo_test_src_class_init (GstStereoTestSrcClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseSrcClass *src_class = GST_BASE_SRC_CLASS (klass);
  const GParamFlags ready = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_READY;

  object_class->set_property = gst_stereo_test_src_set_property;
  object_class->get_property = gst_stereo_test_src_get_property;

  src_class->get_caps = gst_stereo_test_src_get_caps;
  src_class->fixate = gst_stereo_test_src_fixate;
  src_class->set_caps = gst_stereo_test_src_set_caps;
  src_class->decide_allocation = gst_stereo_test_src_decide_allocation;
  src_class->is_seekable = gst_stereo_test_src_is_seekable;
  src_class->event = gst_stereo_test_src_event;
  src_class->do_seek = gst_stereo_test_src_do_seek;
  src_class->get_times = gst_stereo_test_src_get_times;
  src_class->query = gst_stereo_test_src_query;
  src_class->start = gst_stereo_test_src_start;
  src_class->stop = gst_stereo_test_src_stop;
  GST_PUSH_SRC_CLASS (klass)->fill = gst_stereo_test_src_fill;

  gst_element_class_set_static_metadata (element_class, "Stereo test source",
      "Source/Video", "Renders stereo video with ground-truth disparities",
      "The gst-stereomatching authors");
  gst_element_class_add_static_pad_template (element_class, &src_template);

  /**
   * GstStereoTestSrc:view:
   *
   * The output. Disparities are `GRAY16_LE` or `GRAY8`; views have any format
   * of the pad. A change takes effect at the next start.
   */
  g_object_class_install_property (object_class, PROP_VIEW,
      g_param_spec_enum ("view", "view", "Output of the test source",
          GST_TYPE_STEREO_TEST_SRC_VIEW, DEFAULT_VIEW, ready));

  gst_stereo_table_install_properties (object_class, 1, specs, "test-src");

  /**
   * GstStereoTestSrc:is-live:
   *
   * Push frames at their clock time, like a camera. A live source is not
   * seekable.
   */
  g_object_class_install_property (object_class, PROP_IS_LIVE,
      g_param_spec_boolean ("is-live", "is-live",
          "Whether to act as a live source", DEFAULT_IS_LIVE, ready));

  /**
   * GstStereoTestSrc:timestamp-offset:
   *
   * Offset added to timestamps, as of a camera whose frames are late.  The
   * content of frames does not change.
   */
  g_object_class_install_property (object_class, PROP_TIMESTAMP_OFFSET,
      g_param_spec_int64 ("timestamp-offset", "timestamp-offset",
          "Offset added to timestamps, in nanoseconds", 0,
          3600 * (gint64) GST_SECOND, 0, ready));

  gst_type_mark_as_plugin_api (GST_TYPE_STEREO_TEST_SRC_VIEW, 0);
}
