/* gst-stereomatching: colour of YUV video in the stereo matching elements
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "../stereocheck.h"

#define SIZE "width=180, height=90, framerate=25/1"
#define RGB_CAPS "video/x-raw, format=RGB, " SIZE
#define SCENE_WIDTH 180
#define SCENE_HEIGHT 90

/* Every matcher with a colour cost, configured to use it. */
static const gchar *const color_matchers[] = {
  "stereovcbw cost=rgb", "stereoesaw cost=rgb", "stereoesmp cost=rgb"
};

static gchar *
yuv_caps (const gchar * format, const gchar * colorimetry)
{
  return g_strdup_printf ("video/x-raw, format=%s, " SIZE
      ", colorimetry=(string)%s", format, colorimetry);
}

/* A view of a coloured scene, in RGB. */
static GstBuffer *
scene (gint view)
{
  GstHarness *h = gst_harness_new ("stereotestsrc");
  GstBuffer *buffer;

  g_object_set (h->element, "view", view == LEFT ? 0 : 1, "num-disparities",
      16, NULL);
  gst_harness_set_sink_caps_str (h, RGB_CAPS);
  gst_harness_play (h);
  buffer = gst_harness_pull (h);
  fail_unless (buffer != NULL);
  gst_harness_teardown (h);
  return buffer;
}

/* The conversion of videoconvert. */
static GstBuffer *
converted (GstBuffer * rgb, const gchar * caps_text)
{
  GstCaps *from_caps = gst_caps_from_string (RGB_CAPS);
  GstCaps *to_caps = gst_caps_from_string (caps_text);
  GstVideoInfo from_info, to_info;
  GstVideoFrame from, to;
  GstVideoConverter *converter;
  GstBuffer *buffer;

  fail_unless (gst_video_info_from_caps (&from_info, from_caps));
  fail_unless (gst_video_info_from_caps (&to_info, to_caps));
  buffer = gst_buffer_new_and_alloc (GST_VIDEO_INFO_SIZE (&to_info));
  gst_buffer_copy_into (buffer, rgb, GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
  converter = gst_video_converter_new (&from_info, &to_info,
      gst_structure_new ("options", GST_VIDEO_CONVERTER_OPT_DITHER_METHOD,
          GST_TYPE_VIDEO_DITHER_METHOD, GST_VIDEO_DITHER_NONE, NULL));
  fail_unless (converter != NULL);
  fail_unless (gst_video_frame_map (&from, &from_info, rgb, GST_MAP_READ));
  fail_unless (gst_video_frame_map (&to, &to_info, buffer, GST_MAP_WRITE));
  gst_video_converter_frame (converter, &from, &to);
  gst_video_frame_unmap (&to);
  gst_video_frame_unmap (&from);
  gst_video_converter_free (converter);
  gst_caps_unref (from_caps);
  gst_caps_unref (to_caps);
  return buffer;
}

/* The map of a pair.  Takes ownership of both views. */
static GstBuffer *
match (const gchar * matcher, const gchar * left_caps, GstBuffer * left,
    const gchar * right_caps, GstBuffer * right)
{
  gchar *launch = g_strdup_printf ("%s backend=cpu n-threads=1 "
      "num-disparities=16 invalid-value=65535", matcher);
  GstBuffer *map;
  Rig rig;

  rig_open_with_caps (&rig, launch, left_caps, right_caps);
  map = rig_match (&rig, left, right);
  rig_expect_no_error (&rig);
  rig_close (&rig);
  g_free (launch);
  return map;
}

/* Percentage of pixels with different codes. */
static gdouble
different (GstBuffer * a, GstBuffer * b)
{
  GstMapInfo one, two;
  guint n = 0;

  fail_unless (gst_buffer_map (a, &one, GST_MAP_READ));
  fail_unless (gst_buffer_map (b, &two, GST_MAP_READ));
  fail_unless_equals_int (one.size, two.size);
  for (gsize i = 0; i + 1 < one.size; i += 2)
    n += ABS ((gint) GST_READ_UINT16_LE (one.data + i)
        - (gint) GST_READ_UINT16_LE (two.data + i)) > 16;
  gst_buffer_unmap (a, &one);
  gst_buffer_unmap (b, &two);
  return 200.0 * n / one.size;
}

/* The same scene in RGB and YUV, on both pads and on one. */
static void
check_scene (const gchar * matcher, const gchar * format,
    const gchar * colorimetry, gdouble limit)
{
  gchar *yuv = yuv_caps (format, colorimetry);
  GstBuffer *left = scene (LEFT), *right = scene (RIGHT);
  GstBuffer *expected = match (matcher, RGB_CAPS, gst_buffer_ref (left),
      RGB_CAPS, gst_buffer_ref (right));

  for (guint i = 1; i < 4; i++) {
    GstBuffer *map = match (matcher, i & 1 ? yuv : RGB_CAPS,
        i & 1 ? converted (left, yuv) : gst_buffer_ref (left),
        i & 2 ? yuv : RGB_CAPS,
        i & 2 ? converted (right, yuv) : gst_buffer_ref (right));
    gdouble wrong = different (map, expected);

    GST_INFO ("%s, %s, %s, views %u: %g %%", matcher, format, colorimetry, i,
        wrong);
    fail_unless (wrong <= limit, "%s, %s, %s, views %u: %g %% differ", matcher,
        format, colorimetry, i, wrong);
    gst_buffer_unref (map);
  }
  gst_buffer_unref (expected);
  gst_buffer_unref (left);
  gst_buffer_unref (right);
  g_free (yuv);
}

TEST (test_same_scene)
{
  for (guint m = 0; m < G_N_ELEMENTS (color_matchers); m++) {
    check_scene (color_matchers[m], "Y444", "bt601", 1);
    check_scene (color_matchers[m], "NV12", "bt601", 2);
    check_scene (color_matchers[m], "I420", "bt601", 2);
    check_scene (color_matchers[m], "YUY2", "bt601", 2);
    check_scene (color_matchers[m], "P010_10LE", "bt601", 2);
    check_scene (color_matchers[m], "Y444_10LE", "bt601", 1);
  }
}

/* Matrix and range come from the caps. */
TEST (test_colorimetry)
{
  static const gchar *const colorimetries[] = { "bt601", "bt709", "bt2020",
    "1:4:0:0", "1:3:5:1", "1:6:0:0", "smpte240m", "2:2:0:0"
  };

  for (guint i = 0; i < G_N_ELEMENTS (colorimetries); i++)
    check_scene ("stereovcbw cost=rgb", "Y444", colorimetries[i], 1);
}

/* New caps that differ only in colorimetry apply from the next image. */
TEST (test_colorimetry_changes)
{
  static const gchar *const colorimetries[] = { "bt709", "1:4:0:0", "bt601",
    "1:3:5:1"
  };
  GstBuffer *left = scene (LEFT), *right = scene (RIGHT);
  GstBuffer *expected = match ("stereovcbw cost=rgb", RGB_CAPS,
      gst_buffer_ref (left), RGB_CAPS, gst_buffer_ref (right));
  Rig rig;

  rig_open (&rig, "stereovcbw cost=rgb backend=cpu n-threads=1 "
      "num-disparities=16 invalid-value=65535");
  rig_caps (&rig, RIGHT, RGB_CAPS);
  for (guint i = 0; i < G_N_ELEMENTS (colorimetries); i++) {
    gchar *caps = yuv_caps ("Y444", colorimetries[i]);
    GstBuffer *map;

    if (i == 0)
      rig_caps (&rig, LEFT, caps);
    else
      fail_unless (rig_push_caps (&rig, LEFT, caps));
    map = rig_match (&rig, converted (left, caps), gst_buffer_ref (right));
    fail_unless (different (map, expected) <= 1, "%s: %g %% differ",
        colorimetries[i], different (map, expected));
    gst_buffer_unref (map);
    g_free (caps);
  }
  rig_expect_no_error (&rig);
  rig_close (&rig);
  gst_buffer_unref (expected);
  gst_buffer_unref (left);
  gst_buffer_unref (right);
}

/* A view with constant luma: only U and V have texture, with a disparity of
 * 6. */
static GstBuffer *
chroma_image (const gchar * caps_text, gint view)
{
  GstCaps *caps = gst_caps_from_string (caps_text);
  GstVideoInfo info;
  GstVideoFrame frame;
  GstBuffer *buffer;

  fail_unless (gst_video_info_from_caps (&info, caps));
  buffer = gst_buffer_new_and_alloc (GST_VIDEO_INFO_SIZE (&info));
  fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_WRITE));
  for (guint c = 0; c < 3; c++) {
    gint shift = view == LEFT ? 0
        : 6 >> GST_VIDEO_FORMAT_INFO_W_SUB (info.finfo, c);

    for (gint y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT (&frame, c); y++)
      for (gint x = 0; x < GST_VIDEO_FRAME_COMP_WIDTH (&frame, c); x++)
        put_sample (&frame, c, x, y, c == 0 ? 126
            : 80 + texture (x + shift, y + 1000 * (gint) c) % 96u);
  }
  gst_video_frame_unmap (&frame);
  gst_caps_unref (caps);
  return buffer;
}

TEST (test_chroma_alone)
{
  static const gchar *const formats[] = { "NV12", "NV21", "I420", "YV12",
    "Y42B", "Y444", "NV16", "YUY2", "UYVY", "YVYU", "P010_10LE", "I420_10LE",
    "I422_10LE", "Y444_10LE"
  };

  for (guint m = 0; m < G_N_ELEMENTS (color_matchers); m++) {
    for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
      gchar *caps = yuv_caps (formats[f], "bt601");
      GstBuffer *map = match (color_matchers[m], caps,
          chroma_image (caps, LEFT), caps, chroma_image (caps, RIGHT));
      GstBuffer *plain;
      guint right = 0, by_luma = 0;
      GstMapInfo data;

      fail_unless (gst_buffer_map (map, &data, GST_MAP_READ));
      for (gint y = 0; y < SCENE_HEIGHT; y++)
        for (gint x = 8; x < SCENE_WIDTH; x++)
          right += GST_READ_UINT16_LE (data.data + 2 * (y * SCENE_WIDTH + x))
              == 6 * 16;
      gst_buffer_unmap (map, &data);
      gst_buffer_unref (map);

      /* a grey second view leaves only luma, which has no texture */
      plain = gst_buffer_new_and_alloc (SCENE_WIDTH * SCENE_HEIGHT);
      gst_buffer_memset (plain, 0, 126, (gsize) - 1);
      map = match (color_matchers[m], caps, chroma_image (caps, LEFT),
          "video/x-raw, format=GRAY8, " SIZE, plain);
      fail_unless (gst_buffer_map (map, &data, GST_MAP_READ));
      for (gint i = 0; i < SCENE_WIDTH * SCENE_HEIGHT; i++)
        by_luma += GST_READ_UINT16_LE (data.data + 2 * i) == 6 * 16;
      gst_buffer_unmap (map, &data);
      gst_buffer_unref (map);

      GST_INFO ("%s, %s: %u of %u, %u by luma", color_matchers[m], formats[f],
          right, (SCENE_WIDTH - 8) * SCENE_HEIGHT, by_luma);
      fail_unless (right >= 98 * (SCENE_WIDTH - 8) * SCENE_HEIGHT / 100,
          "%s, %s: %u pixels are correct", color_matchers[m], formats[f],
          right);
      fail_unless_equals_int (by_luma, 0);
      g_free (caps);
    }
  }
}

CHECK_MAIN ("stereo-color")
