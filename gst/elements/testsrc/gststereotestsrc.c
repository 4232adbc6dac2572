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
 * Renders moving, textured scenes as a rectified stereo camera would see them,
 * and their true disparities. Elements with the same properties show the same
 * scene, so one with `view=left` and one with `view=right` are a stereo camera,
 * and one with `view=disparity` is its ground truth.
 *
 * What a frame shows depends on its timestamp, the framerate and the properties
 * only: it is the same after a seek, and in another run. Disparities span the
 * range of #GstStereoTestSrc:num-disparities whatever the size of the frame.
 *
 * The ground truth belongs to the left view and is encoded like the output of
 * the matchers, with a `GstStereoDisparityMeta`. Pixels that the right view
 * doesn't see, because something hides them or they lie outside its image, have
 * the code 0.
 *
 * `view=virtual` is what a camera sees at any other #GstStereoTestSrc:position
 * of the line through both, exactly: what a view that was made of the two and
 * the disparities should look like.
 *
 * With `view=side-by-side` and `view=top-bottom` both views are in one frame,
 * at their full size. The caps have the size of the whole frame, so the width
 * or the height that the views share is even, and a `multiview-mode`.
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
 * ]| Writes the ground truth as a grey picture.
 * |[
 * gst-launch-1.0 stereotestsrc view=virtual position=0.5 num-buffers=1 ! pngenc ! filesink location=middle.png
 * ]| Writes what a camera in the middle sees.
 *
 * Since: 0.1
 */

#include "base/gststereoframe.h"
#include "base/gststereolimit.h"
#include "base/gststereometa.h"
#include "base/gststereoparams.h"
#include "base/gststereotags.h"
#include "core/params.h"
#include "elements/gststereoelements.h"
#include "elements/testsrc/gststereoscene.h"

#include <gst/base/gstpushsrc.h>
#include <gst/video/video.h>
#include <math.h>
#include <string.h>

GST_DEBUG_CATEGORY_STATIC (gst_stereo_test_src_debug);
#define GST_CAT_DEFAULT gst_stereo_test_src_debug

#define GST_TYPE_STEREO_TEST_SRC (gst_stereo_test_src_get_type ())
G_DECLARE_FINAL_TYPE (GstStereoTestSrc, gst_stereo_test_src, GST,
    STEREO_TEST_SRC, GstPushSrc)

typedef enum
{
  GST_STEREO_TEST_SRC_LEFT,
  GST_STEREO_TEST_SRC_RIGHT,
  GST_STEREO_TEST_SRC_SIDE_BY_SIDE,
  GST_STEREO_TEST_SRC_TOP_BOTTOM,
  GST_STEREO_TEST_SRC_DISPARITY,
  GST_STEREO_TEST_SRC_VIRTUAL
} GstStereoTestSrcView;

#define DEFAULT_VIEW GST_STEREO_TEST_SRC_LEFT
#define DEFAULT_IS_LIVE FALSE

#define INVALID_VALUE 0
#define MAX_SIZE 16384          /* of a view */

typedef struct
{
  GstStereoTestSrcView view;
  int pattern;                  /* GstStereoPattern */
  unsigned num_disparities;
  unsigned seed;
  double noise;
  double exposure_offset;
  unsigned disparity_scale;
  double position;
} Settings;

static const StereoEnumValue patterns[] = {
  [GST_STEREO_PATTERN_PLANES] = {"planes", "Planes that face the camera"},
  [GST_STEREO_PATTERN_SLANTED] = {"slanted", "One strongly slanted plane"},
  [GST_STEREO_PATTERN_SPHERE] = {"sphere", "Spheres before a wall"},
  [GST_STEREO_PATTERN_CORRIDOR] = {"corridor", "A street between houses"},
  [GST_STEREO_PATTERN_THIN] = {"thin", "Poles and a fence before a hedge"},
};

/* What may change while the element runs. */
static const StereoParamSpec specs[] = {
  STEREO_PARAM_ENUM_ROW (Settings, pattern, "pattern", "The scene",
      GST_STEREO_PATTERN_PLANES, patterns),
  /* From 0 to one less than this, whatever the size of the frame.  Where
   * surfaces would become too steep for a narrow frame they span less of it. */
  STEREO_PARAM_UINT_ROW (Settings, num_disparities, "num-disparities",
      "Range of the disparities in the scene, in pixels", 64, 1, 16384),
  STEREO_PARAM_UINT_ROW (Settings, seed, "seed",
      "Seed of textures and noise", 0, 0, 0xffffffffu),
  /* The same in R, G and B, other in each view and frame, and the same in each
   * run. */
  STEREO_PARAM_DOUBLE_ROW (Settings, noise, "noise",
      "Standard deviation of the noise in each view, in grey levels", 0, 0,
      128),
  STEREO_PARAM_DOUBLE_ROW (Settings, exposure_offset, "exposure-offset",
      "Brightness that is added to the right view, in grey levels", 0, -255,
      255),
  STEREO_PARAM_UINT_ROW (Settings, disparity_scale, "disparity-scale",
      "Codes for one pixel of disparity in GRAY16_LE output (16 as in "
      "OpenCV, 256 as in KITTI)", 16, 1, 256),
  /* What exposure-offset adds to the right view, a camera between the two adds
   * in part, and each position has its own noise. */
  STEREO_PARAM_DOUBLE_ROW (Settings, position, "position",
      "Where the camera of view=virtual is (0 = left, 1 = right)", 0.5,
      -GST_STEREO_SCENE_FARTHEST, GST_STEREO_SCENE_FARTHEST),
  STEREO_PARAM_END
};

/* Properties: those of the table, then these. */
enum
{
  PROP_VIEW = G_N_ELEMENTS (specs),
  PROP_IS_LIVE
};

struct _GstStereoTestSrc
{
  GstPushSrc parent;

  /* Under the object lock. */
  Settings settings;
  GstStereoTestSrcView view;    /* from start to stop: that of the caps */
  gboolean started;

  GstVideoInfo info;            /* written with the object lock held */

  /* The streaming thread's own. */
  GstClockTime seek_time;       /* where to go, or NONE */
  gboolean reverse;
  GstClockTime epoch;           /* timestamp of frame 0 of n_frames */
  guint64 n_frames;
  GstStereoScene *scene;
  Settings scene_settings;      /* what the scene was made for */
  gint scene_width, scene_height;
  guint16 *rgb[2];              /* the last two rows */
  gdouble *truth;
  GstStereoToldTags told;
  /* Y, U, V of R, G, B: in units of 1/65536, and an offset in grey levels */
  gint32 matrix[3][3];
  gint32 offset[3];
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
    {GST_STEREO_TEST_SRC_SIDE_BY_SIDE, "Left view beside the right one",
        "side-by-side"},
    {GST_STEREO_TEST_SRC_TOP_BOTTOM, "Left view above the right one",
        "top-bottom"},
    {GST_STEREO_TEST_SRC_DISPARITY, "True disparities of the left view",
        "disparity"},
    {GST_STEREO_TEST_SRC_VIRTUAL, "View from the position that is set",
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

/* The properties as they count now: what the view is can't change before the
 * next start. */
static Settings
get_settings (GstStereoTestSrc * self)
{
  Settings settings;

  GST_OBJECT_LOCK (self);
  settings = self->settings;
  if (self->started)
    settings.view = self->view;
  GST_OBJECT_UNLOCK (self);
  return settings;
}

/* --------------------------------------------------------------------- caps */

/* In units of two where the views share a frame in that direction. */
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
  GstCaps *caps = gst_caps_from_string ("video/x-raw, format = (string) "
      IMAGE_FORMATS ", framerate = " GST_VIDEO_FPS_RANGE);
  GstStructure *s = gst_caps_get_structure (caps, 0);

  set_size_range (s, "width", view == GST_STEREO_TEST_SRC_SIDE_BY_SIDE ? 2 : 1);
  set_size_range (s, "height", view == GST_STEREO_TEST_SRC_TOP_BOTTOM ? 2 : 1);
  if (view == GST_STEREO_TEST_SRC_DISPARITY) {
    GstCaps *formats = gst_caps_from_string ("video/x-raw, "
        "format = (string) " DISPARITY_FORMATS);

    gst_structure_set_value (s, "format",
        gst_structure_get_value (gst_caps_get_structure (formats, 0),
            "format"));
    gst_caps_unref (formats);
  }
  if (view == GST_STEREO_TEST_SRC_SIDE_BY_SIDE)
    gst_structure_set (s, "multiview-mode", G_TYPE_STRING,
        gst_video_multiview_mode_to_caps_string
        (GST_VIDEO_MULTIVIEW_MODE_SIDE_BY_SIDE), NULL);
  if (view == GST_STEREO_TEST_SRC_TOP_BOTTOM)
    gst_structure_set (s, "multiview-mode", G_TYPE_STRING,
        gst_video_multiview_mode_to_caps_string
        (GST_VIDEO_MULTIVIEW_MODE_TOP_BOTTOM), NULL);

  return gst_stereo_caps_filter (caps, filter);
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
  gst_structure_fixate_field_nearest_fraction (s, "framerate", 30, 1);
  if (gst_structure_has_field (s, "pixel-aspect-ratio"))
    gst_structure_fixate_field_nearest_fraction (s, "pixel-aspect-ratio", 1, 1);
  else
    gst_structure_set (s, "pixel-aspect-ratio", GST_TYPE_FRACTION, 1, 1, NULL);
  if (gst_structure_has_field (s, "interlace-mode"))
    gst_structure_fixate_field_string (s, "interlace-mode", "progressive");
  else
    gst_structure_set (s, "interlace-mode", G_TYPE_STRING, "progressive", NULL);
  if (gst_structure_has_field (s, "colorimetry"))
    gst_structure_fixate_field_string (s, "colorimetry",
        GST_VIDEO_COLORIMETRY_BT601);
  caps = GST_BASE_SRC_CLASS (gst_stereo_test_src_parent_class)->fixate (src,
      caps);

  /* say which matrix it is */
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

/* Y, U and V from R, G and B as the colorimetry says; grey is BT.601's. */
static void
set_matrix (GstStereoTestSrc * self, const GstVideoInfo * info)
{
  gdouble kr = 0.299, kb = 0.114, row[3][3];
  gint offset[GST_VIDEO_MAX_COMPONENTS] = { 0, 128, 128 };
  gint scale[GST_VIDEO_MAX_COMPONENTS] = { 255, 255, 255 };

  if (GST_VIDEO_INFO_IS_YUV (info)) {
    if (!gst_video_color_matrix_get_Kr_Kb (info->colorimetry.matrix, &kr,
            &kb)) {
      kr = 0.299;
      kb = 0.114;
    }
    gst_video_color_range_offsets (info->colorimetry.range, info->finfo,
        offset, scale);
  }
  row[0][0] = kr;
  row[0][1] = 1 - kr - kb;
  row[0][2] = kb;
  for (guint i = 0; i < 3; i++) {
    row[1][i] = ((i == 2) - row[0][i]) / (2 * (1 - kb));
    row[2][i] = ((i == 0) - row[0][i]) / (2 * (1 - kr));
  }
  for (guint c = 0; c < 3; c++) {
    self->offset[c] = offset[c];
    for (guint i = 0; i < 3; i++)
      self->matrix[c][i] = (gint32) floor (row[c][i] * scale[c] / 255 * 65536
          + 0.5);
  }
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
  GstVideoInfo info;

  if (!gst_video_info_from_caps (&info, caps)) {
    GST_ERROR_OBJECT (self, "not raw video: %" GST_PTR_FORMAT, caps);
    return FALSE;
  }

  /* time goes on from the frames of the old framerate */
  self->epoch += time_of (&self->info, self->n_frames);
  self->n_frames = 0;
  set_matrix (self, &info);
  for (guint i = 0; i < 2; i++) {
    g_free (self->rgb[i]);
    self->rgb[i] = g_new (guint16, 3 * (gsize) info.width);
  }
  g_free (self->truth);
  self->truth = g_new (gdouble, info.width);
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

/* Whether it goes backwards from where there is no end. */
static gboolean
is_seek_from_no_end (GstBaseSrc * src, GstEvent * event)
{
  GstSeekType start_type, stop_type;
  gint64 start, stop;
  GstSeekFlags flags;
  GstSegment segment;
  GstFormat format;
  gdouble rate;

  if (GST_EVENT_TYPE (event) != GST_EVENT_SEEK)
    return FALSE;
  gst_event_parse_seek (event, &rate, &format, &flags, &start_type, &start,
      &stop_type, &stop);
  if (rate > 0 || format != GST_FORMAT_TIME)
    return FALSE;
  GST_OBJECT_LOCK (src);
  segment = src->segment;
  GST_OBJECT_UNLOCK (src);
  return segment.format != format || !gst_segment_do_seek (&segment, rate,
      format, flags, start_type, start, stop_type, stop, NULL)
      || !GST_CLOCK_TIME_IS_VALID (segment.stop);
}

/* A seek that do_seek() refuses has flushed already, and then there is no
 * segment for the data that follow: so it is refused here. */
static gboolean
gst_stereo_test_src_event (GstBaseSrc * src, GstEvent * event)
{
  return !is_seek_from_no_end (src, event)
      && GST_BASE_SRC_CLASS (gst_stereo_test_src_parent_class)->event (src,
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
      if (info.fps_n > 0) {
        gst_query_set_latency (query, gst_base_src_is_live (src),
            time_of (&info, 1), GST_CLOCK_TIME_NONE);
        return TRUE;
      }
      break;
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
  GST_OBJECT_UNLOCK (self);
  self->seek_time = GST_CLOCK_TIME_NONE;
  self->reverse = FALSE;
  self->epoch = 0;
  self->n_frames = 0;
  memset (&self->told, 0, sizeof (self->told));
  return TRUE;
}

static gboolean
gst_stereo_test_src_stop (GstBaseSrc * src)
{
  GstStereoTestSrc *self = GST_STEREO_TEST_SRC (src);

  g_clear_pointer (&self->scene, gst_stereo_scene_free);
  for (guint i = 0; i < 2; i++)
    g_clear_pointer (&self->rgb[i], g_free);
  g_clear_pointer (&self->truth, g_free);
  GST_OBJECT_LOCK (self);
  self->started = FALSE;
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

/* ---------------------------------------------------------------- rendering */

static guint64
scramble (guint64 x)
{
  x ^= x >> 31;
  x *= G_GUINT64_CONSTANT (0x7fb5d329728ea185);
  x ^= x >> 27;
  x *= G_GUINT64_CONSTANT (0x81dadef4bc2dd44d);
  return x ^ (x >> 33);
}

/* Where a camera's noise begins: cameras at other positions have another. */
static guint64
camera_key (const Settings * settings, gdouble position)
{
  guint64 key = (guint64) settings->seed * 2;

  if (position == 0 || position == 1)
    return key + (position == 1);
  return key ^ (guint64) (gint64) floor (position * 65536 + 0.5) << 40;
}

/* What the camera adds, the same to R, G and B. */
static void
disturb (guint16 * rgb, gint width, gint y, gdouble position, guint64 frame,
    const Settings * settings)
{
  gdouble offset = 256 * settings->exposure_offset * CLAMP (position, 0, 1);
  /* the sum of four 16-bit numbers has this standard deviation */
  gdouble factor = 256 * settings->noise / (65536 * 0.57735026918962576);
  guint64 key = scramble (scramble (camera_key (settings, position)) + frame)
      + ((guint64) y << 32);

  for (gint x = 0; x < width; x++, rgb += 3) {
    guint64 r = scramble (key + (guint64) x);
    gint sum = (gint) (r & 65535) + (gint) (r >> 16 & 65535)
        + (gint) (r >> 32 & 65535) + (gint) (r >> 48);
    gint add = (gint) floor (factor * (sum - 131070) + offset + 0.5);

    for (guint c = 0; c < 3; c++)
      rgb[c] = (guint16) CLAMP (rgb[c] + add, 0, 65280);
  }
}

static void
render_view_row (GstStereoTestSrc * self, const Settings * settings,
    gdouble position, gint y, guint64 frame, guint16 * rgb)
{
  gst_stereo_scene_render_row (self->scene, position, y, rgb);
  if (settings->noise > 0
      || (position > 0 && settings->exposure_offset != 0))
    disturb (rgb, self->scene_width, y, position, frame, settings);
}

/* Row y of the frame, which may have both views. */
static void
render_row (GstStereoTestSrc * self, const Settings * settings, gint y,
    guint64 frame, guint16 * rgb)
{
  gdouble position = settings->view == GST_STEREO_TEST_SRC_RIGHT ? 1
      : settings->view == GST_STEREO_TEST_SRC_VIRTUAL ? settings->position : 0;

  if (settings->view == GST_STEREO_TEST_SRC_TOP_BOTTOM
      && y >= self->scene_height) {
    position = 1;
    y -= self->scene_height;
  }
  render_view_row (self, settings, position, y, frame, rgb);
  if (settings->view == GST_STEREO_TEST_SRC_SIDE_BY_SIDE)
    render_view_row (self, settings, 1, y, frame,
        rgb + 3 * self->scene_width);
}

static inline guint32
luma_of (GstStereoTestSrc * self, const guint16 * rgb)
{
  const gint32 *m = self->matrix[0];

  /* in units of 1/65536 */
  return ((guint32) m[0] * rgb[0] + (guint32) m[1] * rgb[1]
      + (guint32) m[2] * rgb[2]) >> 8;
}

static void
write_gray16 (GstStereoTestSrc * self, GstVideoFrame * frame, gint y,
    const guint16 * rgb)
{
  guint8 *to = (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (frame, 0)
      + (gsize) y * GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0);

  for (gint x = 0; x < GST_VIDEO_FRAME_WIDTH (frame); x++) {
    guint32 grey = (guint32) ((luma_of (self, rgb + 3 * x) * (guint64) 257
            + 32768) >> 16);

    GST_WRITE_UINT16_LE (to + 2 * x, MIN (grey, 65535));
  }
}

static void
write_luma (GstStereoTestSrc * self, GstVideoFrame * frame, gint y,
    const guint16 * rgb)
{
  guint8 *to = (guint8 *) GST_VIDEO_FRAME_COMP_DATA (frame, 0)
      + (gsize) y * GST_VIDEO_FRAME_COMP_STRIDE (frame, 0);

  for (gint x = 0; x < GST_VIDEO_FRAME_WIDTH (frame); x++)
    to[x] = (guint8) (((luma_of (self, rgb + 3 * x) + 32768) >> 16)
        + self->offset[0]);
}

/* A row of U and V from the two rows that it belongs to. */
static void
write_chroma (GstStereoTestSrc * self, GstVideoFrame * frame, gint row,
    const guint16 * upper, const guint16 * lower)
{
  gint width = GST_VIDEO_FRAME_WIDTH (frame);
  gint step = 1 << GST_VIDEO_FORMAT_INFO_W_SUB (frame->info.finfo, 1);

  for (guint c = 1; c < 3; c++) {
    guint8 *to = (guint8 *) GST_VIDEO_FRAME_COMP_DATA (frame, c)
        + (gsize) row * GST_VIDEO_FRAME_COMP_STRIDE (frame, c);
    gint pixel = GST_VIDEO_FRAME_COMP_PSTRIDE (frame, c);
    const gint32 *m = self->matrix[c];

    for (gint x = 0; x < width; x += step, to += pixel) {
      gint next = 3 * MIN (x + step - 1, width - 1);
      gint64 sum = 0;

      for (gint i = 0; i < 3; i++)
        sum += (gint64) m[i] * (upper[3 * x + i] + upper[next + i]
            + lower[3 * x + i] + lower[next + i]);
      /* four pixels in units of 1/256, times 65536 */
      sum = ((sum + (1 << 25)) >> 26) + self->offset[c];
      *to = (guint8) CLAMP (sum, 0, 255);
    }
  }
}

static void
write_rgb (GstVideoFrame * frame, gint y, const guint16 * rgb)
{
  gint width = GST_VIDEO_FRAME_WIDTH (frame);
  gint pixel = GST_VIDEO_FRAME_COMP_PSTRIDE (frame, 0);
  guint8 *row = (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (frame, 0)
      + (gsize) y * GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0);
  guint r = GST_VIDEO_FRAME_COMP_POFFSET (frame, 0);
  guint g = GST_VIDEO_FRAME_COMP_POFFSET (frame, 1);
  guint b = GST_VIDEO_FRAME_COMP_POFFSET (frame, 2);

  if (pixel == 4)
    memset (row, 255, 4 * (gsize) width);       /* alpha */
  for (gint x = 0; x < width; x++, rgb += 3, row += pixel) {
    row[r] = (guint8) ((rgb[0] + 128) >> 8);
    row[g] = (guint8) ((rgb[1] + 128) >> 8);
    row[b] = (guint8) ((rgb[2] + 128) >> 8);
  }
}

static void
render_image (GstStereoTestSrc * self, const Settings * settings,
    guint64 number, GstVideoFrame * frame)
{
  gint height = GST_VIDEO_FRAME_HEIGHT (frame);
  gint sub = GST_VIDEO_FORMAT_INFO_H_SUB (frame->info.finfo, 1);

  for (gint y = 0; y < height; y++) {
    guint16 *rgb = self->rgb[y % 2];

    render_row (self, settings, y, number, rgb);
    if (GST_VIDEO_FRAME_FORMAT (frame) == GST_VIDEO_FORMAT_GRAY16_LE) {
      write_gray16 (self, frame, y, rgb);
    } else if (GST_VIDEO_INFO_IS_RGB (&frame->info)) {
      write_rgb (frame, y, rgb);
    } else {
      write_luma (self, frame, y, rgb);
      if (GST_VIDEO_INFO_IS_YUV (&frame->info)
          && (sub == 0 || y % 2 == 1 || y == height - 1))
        write_chroma (self, frame, y >> sub,
            sub == 0 ? rgb : self->rgb[0], rgb);
    }
  }
}

static void
render_truth (GstStereoTestSrc * self, const Settings * settings,
    GstVideoFrame * frame)
{
  gboolean wide = GST_VIDEO_FRAME_FORMAT (frame) == GST_VIDEO_FORMAT_GRAY16_LE;
  gdouble scale = wide ? settings->disparity_scale
      : 255.0 / MAX (settings->num_disparities - 1, 1);

  for (gint y = 0; y < GST_VIDEO_FRAME_HEIGHT (frame); y++) {
    guint8 *to = (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (frame, 0)
        + (gsize) y * GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0);

    gst_stereo_scene_truth_row (self->scene, y, self->truth);
    for (gint x = 0; x < GST_VIDEO_FRAME_WIDTH (frame); x++) {
      gdouble d = self->truth[x];
      guint code = INVALID_VALUE;

      if (d >= 0)
        code = MAX ((guint) floor (d * scale + 0.5), INVALID_VALUE + 1);
      if (wide)
        GST_WRITE_UINT16_LE (to + 2 * x, code);
      else
        to[x] = (guint8) code;
    }
  }
}

static void
describe_truth (GstStereoTestSrc * self, GstBuffer * buffer,
    const GstVideoInfo * info, const Settings * settings)
{
  GstStereoDisparity disparity = { 0, };
  GstTagList *tags;

  disparity.num_disparities = settings->num_disparities;
  disparity.invalid_value = INVALID_VALUE;
  disparity.disparity_scale =
      GST_VIDEO_INFO_FORMAT (info) == GST_VIDEO_FORMAT_GRAY16_LE
      ? settings->disparity_scale
      : 255.0 / MAX (settings->num_disparities - 1, 1);
  disparity.left_pts = disparity.right_pts = GST_BUFFER_PTS (buffer);
  disparity.algorithm = "truth";
  disparity.backend = "cpu";
  gst_stereo_meta_add (buffer, &disparity);
  tags = gst_stereo_tags_of_disparity (&self->told, &disparity, info);
  /* It comes out before the buffer.  gst_element_send_event() would wait for
   * whoever changes the state, who waits for this thread. */
  if (tags != NULL)
    GST_ELEMENT_GET_CLASS (self)->send_event (GST_ELEMENT (self),
        gst_event_new_tag (tags));
}

static void
prepare_scene (GstStereoTestSrc * self, const Settings * settings,
    guint64 number)
{
  const Settings *old = &self->scene_settings;
  gint width = self->info.width, height = self->info.height;

  if (settings->view == GST_STEREO_TEST_SRC_SIDE_BY_SIDE)
    width /= 2;
  if (settings->view == GST_STEREO_TEST_SRC_TOP_BOTTOM)
    height /= 2;
  if (self->scene == NULL || old->pattern != settings->pattern
      || old->seed != settings->seed
      || old->num_disparities != settings->num_disparities
      || self->scene_width != width || self->scene_height != height) {
    gst_stereo_scene_free (self->scene);
    self->scene = gst_stereo_scene_new ((GstStereoPattern) settings->pattern,
        settings->seed,
        width, height, settings->num_disparities);
    self->scene_settings = *settings;
    self->scene_width = width;
    self->scene_height = height;
  }
  gst_stereo_scene_set_frame (self->scene, number);
}

/* Sets the times of the next frame and returns its number; FALSE when there is
 * none. */
static gboolean
next_frame (GstStereoTestSrc * self, GstBuffer * buffer, guint64 * number)
{
  const GstVideoInfo *info = &self->info;
  guint64 n;

  if (GST_CLOCK_TIME_IS_VALID (self->seek_time)) {
    self->epoch = 0;
    self->n_frames = info->fps_n > 0 ? gst_util_uint64_scale (self->seek_time,
        info->fps_n, info->fps_d * GST_SECOND) : 0;
    /* the frame that is shown at that time, even if times were rounded */
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
  Settings settings;
  GstStereoFrame frame;
  StereoMessage why;
  guint64 number;

  if (!next_frame (self, buffer, &number))
    return GST_FLOW_EOS;
  gst_object_sync_values (GST_OBJECT (self), GST_BUFFER_PTS (buffer));
  settings = get_settings (self);

  if (settings.view == GST_STEREO_TEST_SRC_DISPARITY
      && GST_VIDEO_INFO_FORMAT (&self->info) == GST_VIDEO_FORMAT_GRAY16_LE
      && (settings.num_disparities - 1) * settings.disparity_scale > 65535) {
    GST_ELEMENT_ERROR (self, LIBRARY, SETTINGS,
        ("num-disparities %u times disparity-scale %u does not fit GRAY16_LE "
            "output: with so many disparities the scale can be at most %u.",
            settings.num_disparities, settings.disparity_scale,
            65535 / (settings.num_disparities - 1)), (NULL));
    return GST_FLOW_ERROR;
  }

  if (!gst_stereo_frame_map (&frame, &self->info, buffer, GST_MAP_WRITE, NULL,
          &why)) {
    GST_ELEMENT_ERROR (self, RESOURCE, WRITE,
        ("The buffer that downstream provides %s.", why.text), (NULL));
    return GST_FLOW_ERROR;
  }
  prepare_scene (self, &settings, number);
  if (settings.view == GST_STEREO_TEST_SRC_DISPARITY)
    render_truth (self, &settings, &frame.frame);
  else
    render_image (self, &settings, number, &frame.frame);
  gst_stereo_frame_unmap (&frame);
  if (settings.view == GST_STEREO_TEST_SRC_DISPARITY)
    describe_truth (self, buffer, &self->info, &settings);
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
  if (id == PROP_VIEW)
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
  if (id == PROP_VIEW)
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
      "Source/Video", "Rendered stereo video with true disparities",
      "The gst-stereomatching authors");
  gst_element_class_add_static_pad_template (element_class, &src_template);

  /**
   * GstStereoTestSrc:view:
   *
   * What to give out. The disparities are `GRAY16_LE` or `GRAY8`, the rest is
   * video in any format of the pad. Set while the element runs, it counts from
   * the next start.
   */
  g_object_class_install_property (object_class, PROP_VIEW,
      g_param_spec_enum ("view", "view", "What to give out",
          GST_TYPE_STEREO_TEST_SRC_VIEW, DEFAULT_VIEW, ready));

  gst_stereo_table_install_properties (object_class, 1, specs, "test-src");

  /**
   * GstStereoTestSrc:is-live:
   *
   * Give out frames at the times of the clock, as a camera does. A live source
   * is not seekable.
   */
  g_object_class_install_property (object_class, PROP_IS_LIVE,
      g_param_spec_boolean ("is-live", "is-live",
          "Whether to act as a live source", DEFAULT_IS_LIVE, ready));

  gst_type_mark_as_plugin_api (GST_TYPE_STEREO_TEST_SRC_VIEW, 0);
}
