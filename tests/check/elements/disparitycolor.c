/* gst-stereomatching: tests of the element disparitycolor
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "../stereocheck.h"

#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define META "GstStereoDisparityMeta"

static const gchar *const colormaps[] = { "turbo", "viridis", "jet", "grey" };

/* ---------------------------------------------------------------- pictures */

typedef struct
{
  gint r, g, b;
} Rgb;

/* Encoding of a disparity map or of another result. */
typedef struct
{
  gdouble scale;
  gint minimum;
  guint number;
  guint invalid;
  const gchar *result;          /* other result: only scale and offset */
  gdouble offset;
} Meta;

static GstHarness *
new_harness (const gchar * properties)
{
  gchar *line = g_strdup_printf ("disparitycolor %s", properties);
  GstHarness *h = gst_harness_new_parse (line);

  g_free (line);
  return h;
}

static GstElement *
element_of (GstHarness * h)
{
  return gst_harness_find_element (h, "disparitycolor");
}

static void
set_text (GstHarness * h, const gchar * name, const gchar * value)
{
  GstElement *element = element_of (h);

  gst_util_set_object_arg (G_OBJECT (element), name, value);
  gst_object_unref (element);
}

static void
set_format (GstHarness * h, const gchar * format)
{
  gchar *caps = g_strdup_printf ("video/x-raw, format=%s", format);

  gst_harness_set_sink_caps_str (h, caps);
  g_free (caps);
}

static void
set_size (GstHarness * h, gboolean gray8, gint width, gint height)
{
  gchar *caps = g_strdup_printf ("video/x-raw, format=%s, width=%d, height=%d, "
      "framerate=30/1", gray8 ? "GRAY8" : "GRAY16_LE", width, height);

  gst_harness_set_src_caps_str (h, caps);
  g_free (caps);
}

static void
add_meta (GstBuffer * buffer, const Meta * meta)
{
  GstCustomMeta *custom = gst_buffer_add_custom_meta (buffer, META);

  fail_unless (custom != NULL);
  if (meta->result != NULL)
    gst_structure_set (gst_custom_meta_get_structure (custom),
        "result", G_TYPE_STRING, meta->result, "scale", G_TYPE_DOUBLE,
        meta->scale, "offset", G_TYPE_DOUBLE, meta->offset, NULL);
  else
    gst_structure_set (gst_custom_meta_get_structure (custom),
        "disparity-scale", G_TYPE_DOUBLE, meta->scale,
        "min-disparity", G_TYPE_INT, meta->minimum,
        "num-disparities", G_TYPE_UINT, meta->number,
        "invalid-value", G_TYPE_UINT, meta->invalid, NULL);
}

/* A read-only buffer with rows of stride bytes (0 = default stride). Padding
 * is 0xa5. */
static GstBuffer *
make_buffer (const guint16 * codes, gboolean gray8, gint width, gint height,
    gint stride)
{
  gint bytes = gray8 ? 1 : 2;
  gint row = stride > 0 ? stride : GST_ROUND_UP_4 (width * bytes);
  gsize size = (gsize) row * height, offsets[4] = { 0, };
  gint strides[4] = { row, };
  guint8 *data = g_malloc (size);
  GstBuffer *buffer;

  memset (data, 0xa5, size);
  for (gint y = 0; y < height; y++) {
    for (gint x = 0; x < width; x++) {
      guint code = codes[y * width + x];

      data[y * row + x * bytes] = (guint8) code;
      if (!gray8)
        data[y * row + x * bytes + 1] = (guint8) (code >> 8);
    }
  }
  buffer = gst_buffer_new_wrapped_full (GST_MEMORY_FLAG_READONLY, data, size, 0,
      size, data, g_free);
  if (stride > 0)
    gst_buffer_add_video_meta_full (buffer, 0, gray8 ? GST_VIDEO_FORMAT_GRAY8 :
        GST_VIDEO_FORMAT_GRAY16_LE, width, height, 1, offsets, strides);
  GST_BUFFER_PTS (buffer) = 0;
  GST_BUFFER_DURATION (buffer) = GST_SECOND / 30;
  return buffer;
}

static GstBuffer *
convert (GstHarness * h, GstBuffer * buffer)
{
  GstBuffer *out;

  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  out = gst_harness_pull (h);
  fail_unless (out != NULL);
  return out;
}

/* All pixels of a buffer in any format; alpha may be NULL. */
static Rgb *
read_picture (GstHarness * h, GstBuffer * buffer, gint * alpha)
{
  GstCaps *caps = gst_pad_get_current_caps (h->sinkpad);
  GstVideoFrame frame;
  GstVideoInfo info;
  Rgb *picture;
  gint width, height, n;

  fail_unless (gst_video_info_from_caps (&info, caps));
  fail_unless (GST_VIDEO_INFO_IS_RGB (&info));
  fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ));
  width = info.width;
  height = info.height;
  n = (gint) GST_VIDEO_INFO_N_COMPONENTS (&info);
  picture = g_new (Rgb, width * height);
  for (gint i = 0; i < width * height; i++) {
    gint at[4] = { 0, };

    for (gint c = 0; c < n; c++) {
      const guint8 *data = GST_VIDEO_FRAME_COMP_DATA (&frame, c);

      at[c] = data[i / width * GST_VIDEO_FRAME_COMP_STRIDE (&frame, c)
          + i % width * GST_VIDEO_FRAME_COMP_PSTRIDE (&frame, c)];
    }
    picture[i].r = at[0];
    picture[i].g = at[1];
    picture[i].b = at[2];
    if (alpha != NULL)
      alpha[i] = at[3];
  }
  gst_video_frame_unmap (&frame);
  gst_caps_unref (caps);
  return picture;
}

/* The image of codes; meta may be NULL. */
static GstBuffer *
convert_codes (GstHarness * h, const guint16 * codes, gboolean gray8,
    gint width, gint height, gint stride, const Meta * meta)
{
  GstBuffer *buffer = make_buffer (codes, gray8, width, height, stride);

  set_size (h, gray8, width, height);
  if (meta != NULL)
    add_meta (buffer, meta);
  return convert (h, buffer);
}

/* The output colours of these codes. */
static Rgb *
colors_of (GstHarness * h, const guint16 * codes, gboolean gray8, gint width,
    gint height, const Meta * meta)
{
  GstBuffer *out = convert_codes (h, codes, gray8, width, height, 0, meta);
  Rgb *colors = read_picture (h, out, NULL);

  gst_buffer_unref (out);
  return colors;
}

static void
check_color (Rgb color, gint r, gint g, gint b, gint tolerance)
{
  if (ABS (color.r - r) > tolerance || ABS (color.g - g) > tolerance
      || ABS (color.b - b) > tolerance)
    fail ("colour is %d %d %d, expected %d %d %d", color.r, color.g, color.b, r,
        g, b);
}

static void
check_same (Rgb color, Rgb wanted, gint tolerance)
{
  check_color (color, wanted.r, wanted.g, wanted.b, tolerance);
}

/* With colormap=grey, the colour is the position in the range. */
static gdouble
position_of (Rgb color)
{
  fail_unless_equals_int (color.r, color.g);
  fail_unless_equals_int (color.g, color.b);
  return color.r / 255.0;
}

static void
check_position (Rgb color, gdouble position)
{
  gdouble found = position_of (color);

  if (fabs (found - position) > 0.6 / 255)
    fail ("colour is at %g of the map, expected %g", found, position);
}

/* The position of invalid codes. */
#define INVALID -1

/* Checks the positions of n codes, with colormap=grey. */
static void
check_row (GstHarness * h, const guint16 * codes, gboolean gray8,
    const Meta * meta, const gdouble * positions, guint n)
{
  Rgb *colors = colors_of (h, codes, gray8, (gint) n, 1, meta);
  GstElement *element = element_of (h);
  guint invalid;

  g_object_get (element, "invalid-color", &invalid, NULL);
  for (guint i = 0; i < n; i++) {
    if (positions[i] == INVALID)
      check_color (colors[i], invalid >> 16 & 255, invalid >> 8 & 255,
          invalid & 255, 0);
    else
      check_position (colors[i], positions[i]);
  }
  gst_object_unref (element);
  g_free (colors);
}

#define CHECK_ROW(h, codes, gray8, meta, ...) \
  G_STMT_START { \
    const gdouble positions_[] = { __VA_ARGS__ }; \
    check_row (h, codes, gray8, meta, positions_, \
        G_N_ELEMENTS (positions_)); \
  } G_STMT_END

/* ------------------------------------------------------------------ colours */

#define RAMP 1024

/* All positions of a map in steps of 1/RAMP. */
static Rgb *
ramp_of (const gchar * colormap)
{
  static const Meta meta = { 16, 0, RAMP / 16 + 1, 65535 };
  GstHarness *h = new_harness ("");
  guint16 codes[RAMP + 1];
  Rgb *ramp;

  set_text (h, "colormap", colormap);
  for (guint i = 0; i <= RAMP; i++)
    codes[i] = (guint16) i;
  ramp = colors_of (h, codes, FALSE, RAMP + 1, 1, &meta);
  gst_harness_teardown (h);
  return ramp;
}

/* The published colours at every quarter of the maps. */
LOOP_TEST (test_published_colors, 0, 4)
{
  static const Rgb published[][5] = {
    {{48, 18, 59}, {40, 188, 235}, {164, 252, 60}, {251, 126, 33}, {122, 4, 3}},
    {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}},
    {{0, 0, 128}, {0, 128, 255}, {128, 255, 128}, {255, 128, 0}, {128, 0, 0}},
    {{0, 0, 0}, {64, 64, 64}, {128, 128, 128}, {191, 191, 191},
        {255, 255, 255}},
  };
  const Rgb *wanted = published[__i__];
  Rgb *ramp = ramp_of (colormaps[__i__]);

  for (guint i = 0; i < 5; i++)
    check_color (ramp[i * RAMP / 4], wanted[i].r, wanted[i].g, wanted[i].b,
        i % 4 == 0 ? 1 : 8);
  g_free (ramp);
}

TEST (test_jet_and_grey_formulas)
{
  Rgb *jet = ramp_of ("jet"), *grey = ramp_of ("grey");

  for (guint i = 0; i <= RAMP; i++) {
    gdouble t = (gdouble) i / RAMP;
    gint channels[3];

    for (guint c = 0; c < 3; c++)
      channels[c] = (gint) lrint (255 * CLAMP (1.5 - fabs (4 * t - 3 + c), 0.0,
              1.0));
    check_color (jet[i], channels[0], channels[1], channels[2], 1);
    check_position (grey[i], t);
  }
  g_free (jet);
  g_free (grey);
}

/* Steps are small; viridis and grey increase in brightness, and the near end
 * of turbo and jet is warmer than the far end. */
LOOP_TEST (test_maps_are_smooth_and_ordered, 0, 4)
{
  Rgb *ramp = ramp_of (colormaps[__i__]);
  gdouble luma[RAMP + 1];

  for (guint i = 0; i <= RAMP; i++) {
    luma[i] = 0.2126 * ramp[i].r + 0.7152 * ramp[i].g + 0.0722 * ramp[i].b;
    if (i > 0)
      check_same (ramp[i], ramp[i - 1], 2);
    /* a difference larger than the rounding of a channel */
    if (__i__ % 2 == 1 && i >= 16)
      fail_unless (luma[i] > luma[i - 16], "not brighter at %u", i);
  }
  if (__i__ % 2 == 0) {
    fail_unless (ramp[RAMP].r > ramp[RAMP].b);
    fail_unless (ramp[0].r < ramp[0].b);
  }
  g_free (ramp);
}

TEST (test_formats)
{
  static const gchar *const formats[] = { "RGB", "BGR", "RGBx", "BGRx", "xRGB",
    "xBGR", "RGBA", "BGRA", "ARGB", "ABGR"
  };
  static const guint16 codes[] = { 0, 100, 200, 300, 400, 500, 992 };
  static const Meta meta = { 16, 0, 64, 0 };
  GstHarness *h = new_harness ("invalid-color=0x40112233");
  Rgb *wanted = colors_of (h, codes, FALSE, 7, 1, &meta);

  gst_harness_teardown (h);
  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    GstBuffer *out;
    gint alpha[7];
    Rgb *got;

    h = new_harness ("invalid-color=0x40112233");
    set_format (h, formats[f]);
    out = convert_codes (h, codes, FALSE, 7, 1, 0, &meta);
    got = read_picture (h, out, alpha);
    check_color (got[0], 0x11, 0x22, 0x33, 0);
    for (guint i = 0; i < 7; i++) {
      check_same (got[i], wanted[i], 0);
      if (strchr (formats[f], 'A') != NULL)
        fail_unless_equals_int (alpha[i], i == 0 ? 0x40 : 0xff);
    }
    g_free (got);
    gst_buffer_unref (out);
    gst_harness_teardown (h);
  }
  g_free (wanted);
}

/* -------------------------------------------------------------------- range */

TEST (test_range_from_meta)
{
  static const guint16 codes[] = { 1, 160, 320, 480, 640, 65535 };
  static const Meta first = { 16, 0, 41, 0 }, second = { 32, 10, 11, 1 };
  GstHarness *h = new_harness ("colormap=grey invalid-color=0xffff0000");

  CHECK_ROW (h, codes, FALSE, &first, 1 / 16.0 / 40, 0.25, 0.5, 0.75, 1, 1);
  /* disparity = code / 32 + 10, from 10 to 20, with another invalid value */
  CHECK_ROW (h, codes, FALSE, &second, INVALID, 0.5, 1, 1, 1, 1);
  CHECK_ROW (h, codes, FALSE, &first, 1 / 16.0 / 40, 0.25, 0.5, 0.75, 1, 1);
  gst_harness_teardown (h);
}

/* Each field of the meta alone; the range is set by properties. */
TEST (test_each_change_of_the_meta)
{
  static const guint16 codes[] = { 80, 160, 320 };
  static const struct
  {
    Meta meta;
    gdouble positions[3];
  } cases[] = {
    {{16, 0, 41, 0}, {0.125, 0.25, 0.5}}, {{16, 4, 41, 0}, {0.225, 0.35, 0.6}},
    {{8, 4, 41, 0}, {0.35, 0.6, 1}}, {{8, 4, 41, 80}, {INVALID, 0.6, 1}},
    {{8, 4, 41, 160}, {0.35, INVALID, 1}}, {{8, 4, 30, 0}, {0.35, 0.6, 1}},
    {{16, 0, 41, 0}, {0.125, 0.25, 0.5}},
  };
  GstHarness *h = new_harness ("colormap=grey range-min=0 range-max=40 "
      "invalid-color=0xffff00ff");

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check_row (h, codes, FALSE, &cases[i].meta, cases[i].positions, 3);
  gst_harness_teardown (h);
}

TEST (test_other_results)
{
  static const guint16 vertical[] = { 32768, 32768 + 64, 32768 - 128, 0 };
  static const guint16 confidence[] = { 0, 51, 255 };
  static const guint16 nothing[] = { 1, 1, 1, 1 };
  static const Meta rows = {.scale = 16,.result = "vertical",.offset = 32768 };
  static const Meta trust = {.scale = 255,.result = "confidence" };
  static const Meta silent[] = {
    {.scale = 0,.result = "vertical",.offset = 1},
    {.scale = NAN,.result = "vertical",.offset = 1},
    {.scale = 16,.result = "vertical",.offset = NAN},
    {.scale = 1,.result = "confidence",.offset = INFINITY},
    {.scale = 1,.result = "no such result",.offset = 1},
  };
  GstHarness *h = new_harness ("colormap=grey invalid-color=0xffff0000");

  CHECK_ROW (h, vertical, FALSE, &rows, 0.5, 20 / 32.0, 8 / 32.0, 0);
  /* 0 is a valid confidence */
  CHECK_ROW (h, confidence, TRUE, &trust, 0, 0.2, 1);
  set_text (h, "range-min", "-4");
  set_text (h, "range-max", "4");
  CHECK_ROW (h, vertical, FALSE, &rows, 0.5, 1, 0, 0);
  for (guint i = 0; i < G_N_ELEMENTS (silent); i++)
    g_free (colors_of (h, nothing, FALSE, 4, 1, &silent[i]));
  gst_harness_teardown (h);
}

TEST (test_negative_minimum)
{
  static const guint16 codes[] = { 1, 320, 640, 959, 960 };
  static const Meta meta = { 16, -40, 61, 0 };
  GstHarness *h = new_harness ("colormap=grey");

  CHECK_ROW (h, codes, FALSE, &meta, 1 / 16.0 / 60, 20 / 60.0, 40 / 60.0,
      959 / 960.0, 1);
  /* disparity -20 has code 320, 0 has 640 */
  set_text (h, "range-min", "-20");
  set_text (h, "range-max", "0");
  CHECK_ROW (h, codes, FALSE, &meta, 0, 0, 1, 1, 1);
  gst_harness_teardown (h);
}

TEST (test_range_from_properties)
{
  static const guint16 codes[] = { 80, 160, 320, 480, 640 };
  static const Meta meta = { 16, 0, 41, 0 };
  GstHarness *h = new_harness ("colormap=grey range-min=10 range-max=20");

  CHECK_ROW (h, codes, FALSE, &meta, 0, 0, 1, 1, 1);
  /* one end only: the other one comes from the meta */
  set_text (h, "range-min", "-100000");
  CHECK_ROW (h, codes, FALSE, &meta, 0.25, 0.5, 1, 1, 1);
  set_text (h, "range-min", "20");
  set_text (h, "range-max", "-100000");
  CHECK_ROW (h, codes, FALSE, &meta, 0, 0, 0, 0.5, 1);
  set_text (h, "range-min", "-100000");
  CHECK_ROW (h, codes, FALSE, &meta, 0.125, 0.25, 0.5, 0.75, 1);
  gst_harness_teardown (h);
}

/* A descending range reverses the colours; an empty one is widened to one
 * pixel. */
TEST (test_odd_ranges)
{
  static const guint16 codes[] = { 80, 160, 240, 320, 480 };
  static const guint16 near[] = { 311, 312, 316, 320, 324, 328, 329 };
  static const Meta meta = { 16, 0, 41, 0 }, one = { 16, 20, 1, 0 };
  GstHarness *h = new_harness ("colormap=grey range-min=20 range-max=10");

  CHECK_ROW (h, codes, FALSE, &meta, 1, 1, 0.5, 0, 0);
  set_text (h, "range-max", "20");
  CHECK_ROW (h, near, FALSE, &meta, 0, 0, 0.25, 0.5, 0.75, 1, 1);
  gst_harness_teardown (h);

  h = new_harness ("colormap=grey");
  CHECK_ROW (h, codes, FALSE, &one, 1, 1, 1, 1, 1);
  gst_harness_teardown (h);
}

/* Colours do not depend on the other pixels of a frame. */
TEST (test_never_per_frame)
{
  static const guint16 dark[] = { 300, 1, 2, 3, 4 };
  static const guint16 bright[] = { 300, 900, 901, 902, 903 };
  static const Meta meta = { 16, 0, 64, 0 };
  GstHarness *h = new_harness ("");

  for (guint i = 0; i < 2; i++) {
    const Meta *with = i == 0 ? &meta : NULL;
    Rgb *a = colors_of (h, dark, FALSE, 5, 1, with);
    Rgb *b = colors_of (h, bright, FALSE, 5, 1, with);

    check_same (a[0], b[0], 0);
    g_free (a);
    g_free (b);
  }
  gst_harness_teardown (h);
}

LOOP_TEST (test_gray8_and_gray16_agree, 0, 4)
{
  static const Meta meta16 = { 16, -8, 64, 0 };
  static const Meta meta8 = { 255.0 / 63, -8, 64, 0 };
  GstHarness *h = new_harness ("");
  guint16 codes16[62], codes8[62];

  set_text (h, "colormap", colormaps[__i__]);
  for (guint d = 1; d < 63; d++) {
    codes16[d - 1] = (guint16) (16 * d);
    codes8[d - 1] = (guint16) (d * 255.0 / 63 + 0.5);
  }
  {
    Rgb *wide = colors_of (h, codes16, FALSE, 62, 1, &meta16);
    Rgb *narrow = colors_of (h, codes8, TRUE, 62, 1, &meta8);

    /* half a code of GRAY8 is 1/510 of the range */
    for (guint i = 0; i < 62; i++)
      check_same (wide[i], narrow[i], 4);
    g_free (wide);
    g_free (narrow);
  }
  gst_harness_teardown (h);
}

TEST (test_without_meta)
{
  static const guint16 wide[] = { 0, 16, 504, 1008, 65535 };
  static const guint16 narrow[] = { 0, 1, 51, 204, 255 };
  GstHarness *h = new_harness ("colormap=grey invalid-color=0xff00ff");

  CHECK_ROW (h, wide, FALSE, NULL, INVALID, 1 / 63.0, 0.5, 1, 1);
  CHECK_ROW (h, narrow, TRUE, NULL, INVALID, 1 / 255.0, 0.2, 0.8, 1);
  /* in GRAY8 the range is all codes */
  set_text (h, "disparity-scale", "4");
  set_text (h, "invalid-value", "51");
  CHECK_ROW (h, narrow, TRUE, NULL, 0, 1 / 255.0, INVALID, 0.8, 1);
  /* 204 / 4 = 51 */
  set_text (h, "invalid-value", "-1");
  set_text (h, "range-max", "51");
  CHECK_ROW (h, narrow, TRUE, NULL, 0, 0.25 / 51, 0.25, 1, 1);
  /* treated as 0 */
  set_text (h, "disparity-scale", "1e-320");
  CHECK_ROW (h, narrow, TRUE, NULL, 0, 1 / 51.0, 1, 1, 1);
  set_text (h, "range-max", "-100000");
  set_text (h, "disparity-scale", "256");
  CHECK_ROW (h, wide, FALSE, NULL, 0, 16 / 256.0 / 63, 504 / 256.0 / 63,
      1008 / 256.0 / 63, 1);
  gst_harness_teardown (h);
}

static guint
count_warnings (GstBus * bus, const gchar * word)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING))) {
    GError *error = take_error (message);

    fail_unless (strstr (error->message, word) != NULL, "%s", error->message);
    fail_unless (strstr (error->message, "range-max") != NULL);
    g_error_free (error);
    n++;
  }
  return n;
}

TEST (test_warns_once_about_a_guess)
{
  static const guint16 codes[] = { 1, 2 };
  static const Meta meta = { 16, 0, 64, 0 };
  GstHarness *h = new_harness ("");
  GstBus *bus = gst_bus_new ();

  gst_element_set_bus (h->element, bus);
  g_free (colors_of (h, codes, FALSE, 2, 1, &meta));
  fail_unless_equals_int (count_warnings (bus, ""), 0);
  for (guint i = 0; i < 3; i++)
    g_free (colors_of (h, codes, FALSE, 2, 1, NULL));
  fail_unless_equals_int (count_warnings (bus, "0 to 63 pixels"), 1);
  gst_element_set_bus (h->element, NULL);
  gst_harness_teardown (h);

  /* no warning if the range is set by properties */
  h = new_harness ("range-min=0 range-max=63");
  gst_element_set_bus (h->element, bus);
  g_free (colors_of (h, codes, FALSE, 2, 1, NULL));
  fail_unless_equals_int (count_warnings (bus, ""), 0);
  gst_element_set_bus (h->element, NULL);
  gst_harness_teardown (h);
  gst_object_unref (bus);
}

/* Invalid values from an application. */
TEST (test_absurd_metas)
{
  static const guint16 codes[] = { 0, 1, 1000, 65535 };
  static const Meta metas[] = {
    {1e308, 0, 64, 0}, {1e-320, 0, 64, 0}, {16, G_MININT, G_MAXUINT, 0},
    {16, G_MAXINT, 1, G_MAXUINT}, {INFINITY, 0, 1, 65535}, {16, 0, 64, 65535},
    /* these are ignored */
    {0, 0, 64, 1}, {-1, 0, 64, 1}, {NAN, 0, 64, 1}, {16, 0, 0, 1},
  };

  for (guint i = 0; i < G_N_ELEMENTS (metas); i++) {
    GstHarness *h = new_harness ("legend=true invalid-color=0xff00ff");
    Rgb *colors = colors_of (h, codes, FALSE, 4, 1, &metas[i]);
    guint16 *large = g_new0 (guint16, 320 * 240);

    if (metas[i].invalid == 65535)
      check_color (colors[3], 255, 0, 255, 0);
    if (i >= 6)
      check_color (colors[0], 255, 0, 255, 0);
    g_free (colors_of (h, large, FALSE, 320, 240, &metas[i]));
    g_free (large);
    g_free (colors);
    gst_harness_teardown (h);
  }
}

/* ------------------------------------------------------------------- memory */

static guint
count_bytes (GstBuffer * buffer, guint8 value)
{
  GstMapInfo map;
  guint n = 0;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  for (gsize i = 0; i < map.size; i++)
    n += map.data[i] == value;
  gst_buffer_unmap (buffer, &map);
  return n;
}

TEST (test_sizes_and_strides)
{
  static const gint sizes[][2] = { {1, 1}, {2, 1}, {1, 2}, {3, 5}, {7, 3},
  {17, 9}, {64, 2}, {1, 64}
  };
  static const gchar *const formats[] = { "RGB", "BGRx" };
  static const Meta meta = { 4, 0, 64, 0 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes) * 8; i++) {
    gint width = sizes[i / 8][0], height = sizes[i / 8][1];
    gboolean gray8 = i & 1, padded = i & 2;
    const gchar *format = formats[i >> 2 & 1];
    gint bytes = strlen (format) == 3 ? 3 : 4;
    guint16 *codes = g_new (guint16, width * height);
    GstBuffer *out;
    GstHarness *h;
    Rgb *colors;

    keep_backends (padded);
    h = new_harness ("colormap=grey");
    for (gint p = 0; p < width * height; p++)
      codes[p] = (guint16) (1 + (p * 37 + 11) % 251);
    if (padded)
      propose_padding (h->sinkpad);
    set_format (h, format);
    /* includes odd strides */
    out = convert_codes (h, codes, gray8, width, height,
        padded ? 2 * width + 13 : 0, &meta);
    colors = read_picture (h, out, NULL);
    for (gint p = 0; p < width * height; p++)
      check_position (colors[p], codes[p] / 4.0 / 63);
    if (padded) {
      GstVideoMeta *vmeta = gst_buffer_get_video_meta (out);
      guint inside = 0;

      fail_unless (vmeta != NULL);
      fail_unless (vmeta->stride[0] >= (width + PADDING_COLUMNS) * bytes);
      /* bytes outside the picture are unchanged */
      for (gint p = 0; p < width * height; p++)
        inside += 3 * (colors[p].r == 0xa5);
      fail_unless_equals_int (count_bytes (out, 0xa5),
          gst_buffer_get_size (out) - width * height * bytes + inside);
    }
    g_free (colors);
    g_free (codes);
    gst_buffer_unref (out);
    gst_harness_teardown (h);
  }
}

TEST (test_input_is_not_written_to)
{
  static const Meta meta = { 16, 0, 64, 0 };
  GstHarness *h = new_harness ("legend=true");
  guint16 *codes = g_new0 (guint16, 200 * 100);
  GstBuffer *buffer, *before, *out;
  GstMapInfo a, b;

  for (guint i = 0; i < 200 * 100; i++)
    codes[i] = (guint16) i;
  buffer = make_buffer (codes, FALSE, 200, 100, 0);
  add_meta (buffer, &meta);
  before = gst_buffer_copy_deep (buffer);
  set_size (h, FALSE, 200, 100);
  out = convert (h, gst_buffer_ref (buffer));
  fail_unless (out != buffer);
  fail_unless (gst_buffer_peek_memory (out, 0) !=
      gst_buffer_peek_memory (buffer, 0));
  fail_unless (gst_buffer_map (buffer, &a, GST_MAP_READ));
  fail_unless (gst_buffer_map (before, &b, GST_MAP_READ));
  fail_unless_equals_int (a.size, b.size);
  fail_unless (memcmp (a.data, b.data, a.size) == 0);
  gst_buffer_unmap (buffer, &a);
  gst_buffer_unmap (before, &b);
  fail_unless (gst_buffer_get_custom_meta (buffer, META) != NULL);
  gst_harness_teardown (h);
  ASSERT_BUFFER_REFCOUNT (buffer, "input", 1);
  gst_buffer_unref (buffer);
  gst_buffer_unref (before);
  gst_buffer_unref (out);
  g_free (codes);
}

TEST (test_metas_times_and_flags)
{
  static const guint16 codes[] = { 1, 2, 3, 4 };
  static const Meta meta = { 16, 0, 64, 0 };
  static const gchar *no_tags[] = { NULL };
  GstHarness *h = new_harness ("");
  GstBuffer *buffer = make_buffer (codes, FALSE, 4, 1, 24), *out;
  GstCustomMeta *other;
  gint n;

  gst_meta_register_custom ("TestUntaggedMeta", no_tags, NULL, NULL, NULL);
  add_meta (buffer, &meta);
  other = gst_buffer_add_custom_meta (buffer, "TestUntaggedMeta");
  gst_structure_set (gst_custom_meta_get_structure (other), "n", G_TYPE_INT, 42,
      NULL);
  gst_buffer_add_video_region_of_interest_meta (buffer, "face", 1, 0, 2, 1);
  GST_BUFFER_PTS (buffer) = 7 * GST_SECOND;
  GST_BUFFER_DTS (buffer) = 6 * GST_SECOND;
  GST_BUFFER_DURATION (buffer) = GST_MSECOND;
  GST_BUFFER_OFFSET (buffer) = 12;
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_MARKER);
  GST_BUFFER_FLAG_SET (buffer, GST_VIDEO_BUFFER_FLAG_TFF);

  set_size (h, FALSE, 4, 1);
  out = convert (h, buffer);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (out), 7 * GST_SECOND);
  fail_unless_equals_uint64 (GST_BUFFER_DTS (out), 6 * GST_SECOND);
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (out), GST_MSECOND);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (out), 12);
  fail_unless (GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_MARKER));
  fail_unless (GST_BUFFER_FLAG_IS_SET (out, GST_VIDEO_BUFFER_FLAG_TFF));
  fail_unless (gst_buffer_get_custom_meta (out, META) == NULL);
  fail_unless (gst_buffer_get_video_region_of_interest_meta_id (out, 0));
  other = gst_buffer_get_custom_meta (out, "TestUntaggedMeta");
  fail_unless (other != NULL);
  fail_unless (gst_structure_get_int (gst_custom_meta_get_structure (other),
          "n", &n));
  fail_unless_equals_int (n, 42);
  gst_buffer_unref (out);
  gst_harness_teardown (h);
}

/* --------------------------------------------------------------------- caps */

#define ANYTHING_ELSE "width=320, height=240, framerate=25/2, " \
    "pixel-aspect-ratio=4/3, interlace-mode=interleaved, " \
    "field-order=top-field-first, multiview-mode=left, " \
    "multiview-flags=0:ffffffff, views=1, x-camera=(string)front"

TEST (test_caps_pass_through)
{
  GstHarness *h = new_harness ("");
  guint16 *codes = g_new0 (guint16, 320 * 240);
  GstCaps *in, *wanted, *out;
  GstStructure *s;

  in = gst_caps_from_string ("video/x-raw, format=GRAY16_LE, colorimetry="
      "1:4:0:0, chroma-site=jpeg, " ANYTHING_ELSE);
  gst_harness_set_src_caps (h, in);
  gst_buffer_unref (convert (h, make_buffer (codes, FALSE, 320, 240, 0)));
  out = gst_pad_get_current_caps (h->sinkpad);
  s = gst_caps_get_structure (out, 0);
  fail_unless (!gst_structure_has_field (s, "chroma-site"));
  if (gst_structure_has_field (s, "colorimetry"))
    fail_unless_equals_string (gst_structure_get_string (s, "colorimetry"),
        "sRGB");
  out = gst_caps_make_writable (out);
  gst_structure_remove_field (gst_caps_get_structure (out, 0), "colorimetry");
  wanted = gst_caps_from_string ("video/x-raw, format=RGB, " ANYTHING_ELSE);
  fail_unless (gst_caps_is_equal (out, wanted), "%" GST_PTR_FORMAT, out);
  gst_caps_unref (wanted);
  gst_caps_unref (out);
  g_free (codes);
  gst_harness_teardown (h);
}

static GstCaps *
query_caps (GstHarness * h, const gchar * pad_name, const gchar * filter_text)
{
  GstElement *element = element_of (h);
  GstPad *pad = gst_element_get_static_pad (element, pad_name);
  GstCaps *filter = filter_text ? gst_caps_from_string (filter_text) : NULL;
  GstCaps *caps = gst_pad_query_caps (pad, filter);

  gst_clear_caps (&filter);
  gst_object_unref (pad);
  gst_object_unref (element);
  return caps;
}

static void
check_caps (GstCaps * caps, const gchar * text)
{
  GstCaps *wanted = gst_caps_from_string (text);

  fail_unless (gst_caps_is_equal (caps, wanted), "%" GST_PTR_FORMAT, caps);
  gst_caps_unref (wanted);
  gst_caps_unref (caps);
}

#define GRAYS "{ (string) GRAY16_LE, (string) GRAY8 }"
#define RGBS "{ (string) RGB, (string) BGR, (string) RGBx, (string) BGRx, " \
    "(string) xRGB, (string) xBGR, (string) RGBA, (string) BGRA, " \
    "(string) ARGB, (string) ABGR }"
#define SIZES "width=[1, 2147483647], height=[1, 2147483647]"
#define ANY_RATE "framerate=[0/1, 2147483647/1]"

TEST (test_caps_queries)
{
  GstHarness *h = new_harness ("");

  /* unlinked pads */
  check_caps (query_caps (h, "sink", NULL), "video/x-raw, format=" GRAYS ", "
      SIZES ", " ANY_RATE);
  check_caps (query_caps (h, "sink", "video/x-raw, format=GRAY8, width=3, "
          "x-camera=(string)a"), "video/x-raw, format=GRAY8, width=3, "
      "height=[1, 2147483647], x-camera=(string)a, " ANY_RATE);
  check_caps (query_caps (h, "sink", "video/x-raw, format=I420"), "EMPTY");
  gst_harness_teardown (h);

  /* caps of downstream are reported upstream */
  h = new_harness ("");
  gst_harness_set_sink_caps_str (h, "video/x-raw, format={RGBA, I420}, "
      "colorimetry=sRGB, width=640, x-camera=(string)b; "
      "video/x-raw(memory:CUDAMemory), format=RGBA, width=5; "
      "video/x-raw, format=NV12, width=7");
  check_caps (query_caps (h, "sink", NULL), "video/x-raw, format=" GRAYS
      ", width=640, height=[1, 2147483647], x-camera=(string)b, " ANY_RATE);
  check_caps (query_caps (h, "sink", "video/x-raw, format=GRAY8, width=7"),
      "EMPTY");
  gst_harness_teardown (h);
}

/* Caps of upstream are reported downstream, and filters keep their order. */
TEST (test_caps_queries_of_the_source)
{
  GstElement *element = gst_element_factory_make ("disparitycolor", NULL);
  GstElement *filter = gst_element_factory_make ("capsfilter", NULL);
  GstCaps *caps = gst_caps_from_string ("video/x-raw, format={GRAY8, I420}, "
      "height=9, colorimetry=1:4:0:0, multiview-mode=left");
  GstCaps *order;
  GstPad *pad;

  fail_unless (element != NULL);
  fail_unless (filter != NULL);
  gst_object_ref_sink (element);
  gst_object_ref_sink (filter);
  g_object_set (filter, "caps", caps, NULL);
  gst_caps_unref (caps);
  fail_unless (gst_element_link (filter, element));
  pad = gst_element_get_static_pad (element, "src");
  check_caps (gst_pad_query_caps (pad, NULL), "video/x-raw, format=" RGBS
      ", height=9, width=[1, 2147483647], multiview-mode=left, " ANY_RATE);
  order = gst_caps_from_string ("video/x-raw, format=ABGR, width=2; "
      "video/x-raw, format=RGB, width=1");
  caps = gst_pad_query_caps (pad, order);
  fail_unless_equals_int (gst_caps_get_size (caps), 2);
  fail_unless_equals_string (gst_structure_get_string (gst_caps_get_structure
          (caps, 0), "format"), "ABGR");
  gst_caps_unref (caps);
  gst_caps_unref (order);
  gst_object_unref (pad);
  gst_element_unlink (filter, element);
  gst_object_unref (element);
  gst_object_unref (filter);
}

TEST (test_accepted_caps)
{
  static const struct
  {
    const gchar *caps;
    gboolean accepted;
  } cases[] = {
    {"video/x-raw, format=GRAY8, width=1, height=1, framerate=0/1", TRUE},
    {"video/x-raw, format=GRAY16_LE, width=9, height=9, framerate=30/1, "
          "x-camera=(string)a, views=2", TRUE},
    {"video/x-raw, format=GRAY16_BE, width=9, height=9, framerate=30/1", FALSE},
    {"video/x-raw, format=RGB, width=9, height=9, framerate=30/1", FALSE},
    {"video/x-raw(memory:CUDAMemory), format=GRAY8, width=9, height=9, "
          "framerate=30/1", FALSE},
    {"video/x-raw(memory:DMABuf), format=GRAY16_LE, width=9, height=9, "
          "framerate=30/1", FALSE},
    {"video/x-raw(format:Interlaced), format=GRAY8, width=9, height=9, "
          "framerate=30/1, interlace-mode=alternate", FALSE},
    {"image/png", FALSE},
  };
  GstHarness *h = new_harness ("");
  GstElement *element = element_of (h);
  GstPad *pad = gst_element_get_static_pad (element, "sink");

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstCaps *caps = gst_caps_from_string (cases[i].caps), *filtered;

    fail_unless (gst_pad_query_accept_caps (pad, caps) == cases[i].accepted,
        "%s", cases[i].caps);
    filtered = gst_pad_query_caps (pad, caps);
    if (cases[i].accepted)
      fail_unless (!gst_caps_is_empty (filtered), "%s", cases[i].caps);
    gst_caps_unref (filtered);
    gst_caps_unref (caps);
  }
  gst_object_unref (pad);
  gst_object_unref (element);
  /* ANY features include system memory */
  check_caps (query_caps (h, "sink", "video/x-raw(ANY), format=GRAY8, width=9, "
          "height=9, framerate=30/1"), "video/x-raw, format=GRAY8, width=9, "
      "height=9, framerate=30/1");
  gst_harness_teardown (h);
}

TEST (test_changes_of_caps)
{
  static const guint16 codes[] = { 0, 100, 200, 255, 50, 51 };
  static const Meta meta16 = { 4, 0, 64, 0 }, meta8 = { 255.0 / 63, 0, 64, 0 };
  GstHarness *h = new_harness ("colormap=grey");

  for (guint i = 0; i < 4; i++) {
    gint n = 6 - (gint) i;
    Rgb *colors = colors_of (h, codes, i & 1, n, 1, i & 1 ? &meta8 : &meta16);

    check_position (colors[1], i & 1 ? 100 / 255.0 : 25 / 63.0);
    check_position (colors[2], i & 1 ? 200 / 255.0 : 50 / 63.0);
    g_free (colors);
  }
  gst_harness_teardown (h);
}

/* Frames with the same meta in other input and output formats, and codes above
 * 255. */
TEST (test_changes_of_format)
{
  static const guint16 codes[] = { 0, 100, 252, 300 };
  static const gchar *const formats[] = { "RGB", "BGR", "xRGB", "RGB" };
  static const Meta meta = { 4, 0, 101, 0 };
  GstHarness *h = new_harness ("colormap=jet");
  Rgb *jet = ramp_of ("jet");

  for (guint i = 0; i < G_N_ELEMENTS (formats) * 2; i++) {
    gboolean gray8 = !(i & 1);
    Rgb *colors;

    set_format (h, formats[i / 2]);
    colors = colors_of (h, codes, gray8, gray8 ? 3 : 4, 1, &meta);
    check_same (colors[1], jet[RAMP / 4], 1);
    check_same (colors[2], jet[RAMP * 63 / 100], 4);
    if (!gray8)
      check_same (colors[3], jet[RAMP * 3 / 4], 1);
    g_free (colors);
  }
  g_free (jet);
  gst_harness_teardown (h);
}

/* ------------------------------------------------------------------- legend */

static const struct
{
  gchar character;
  const gchar *dots;
} glyphs[] = {
  {'0', " ### " "#   #" "#   #" "#   #" "#   #" "#   #" " ### "},
  {'1', "  #  " " ##  " "  #  " "  #  " "  #  " "  #  " " ### "},
  {'2', " ### " "#   #" "    #" "   # " "  #  " " #   " "#####"},
  {'3', " ### " "#   #" "    #" "  ## " "    #" "#   #" " ### "},
  {'4', "   # " "  ## " " # # " "#  # " "#####" "   # " "   # "},
  {'5', "#####" "#    " "#### " "    #" "    #" "#   #" " ### "},
  {'6', " ### " "#    " "#    " "#### " "#   #" "#   #" " ### "},
  {'7', "#####" "    #" "   # " "   # " "  #  " "  #  " "  #  "},
  {'8', " ### " "#   #" "#   #" " ### " "#   #" "#   #" " ### "},
  {'9', " ### " "#   #" "#   #" " ####" "    #" "    #" " ### "},
  {'-', "     " "     " "     " " ### " "     " "     " "     "},
  {'.', "     " "     " "     " "     " "     " " ##  " " ##  "},
};

static gboolean
is_white (Rgb color)
{
  return color.r == 255 && color.g == 255 && color.b == 255;
}

/* The character with its upper left corner at (x, y), or 0. Each dot is
 * white, or part of the darkened picture. */
static gchar
read_glyph (const Rgb * picture, gint width, gint x, gint y, gint dot)
{
  for (guint g = 0; g < G_N_ELEMENTS (glyphs); g++) {
    gboolean same = TRUE;

    for (gint i = 0; i < 5 * dot * 7 * dot && same; i++) {
      gint px = i % (5 * dot), py = i / (5 * dot);
      const Rgb *at = &picture[(y + py) * width + x + px];
      gboolean ink = glyphs[g].dots[py / dot * 5 + px / dot] == '#';

      same = ink ? is_white (*at) : MAX (MAX (at->r, at->g), at->b) < 128;
    }
    if (same)
      return glyphs[g].character;
  }
  return 0;
}

/* Finds the labels and ticks of a legend, and compares each with the colour
 * of that disparity. Returns their number. */
static guint
check_legend (const Rgb * picture, gint width, gint height, gint dot,
    const Rgb * colors, gdouble low, gdouble high, GString * all)
{
  gint bar_x = width - (1 + 5) * dot, tick_x = bar_x - 3 * dot;
  gdouble row_step = fabs (high - low) / (height - 10 * dot);
  guint n = 0;

  for (gint y = 0; y < height; y++) {
    gint middle = y + dot / 2, top = y - 3 * dot, x = tick_x - 6 * dot;
    gdouble value, position;
    GString *text;
    gchar c;

    if (!is_white (picture[y * width + tick_x]))
      continue;
    text = g_string_new (NULL);
    fail_unless (top >= 0 && y + 4 * dot <= height, "truncated label");
    for (; x >= width / 2 - dot; x -= 6 * dot) {
      c = read_glyph (picture, width, x, top, dot);
      if (c == 0)
        break;
      g_string_prepend_c (text, c);
    }
    fail_unless (text->len > 0, "no label at row %d", y);
    value = g_ascii_strtod (text->str, NULL);
    position = (value - low) / (high - low);
    fail_unless (position > -1e-6 && position < 1 + 1e-6, "%s", text->str);
    /* within two rows of the expected position */
    fail_unless (fabs (low + (high - low) * (1 - (middle - 5.0 * dot)
                / (height - 10 * dot)) - value) < 2 * row_step,
        "%s is at row %d", text->str, middle);
    check_same (picture[middle * width + bar_x + 2 * dot],
        colors[CLAMP ((gint) lrint (position * RAMP), 0, RAMP)],
        4 + 4 * 255 / (height - 10 * dot));
    g_string_append_printf (all, "%s ", text->str);
    g_string_free (text, TRUE);
    n++;
    y += dot - 1;
  }
  return n;
}

LOOP_TEST (test_legend, 0, 9)
{
  static const struct
  {
    gint width, height, dot, minimum;
    guint number;
    const gchar *range, *labels;
  } cases[] = {
    {450, 375, 1, 0, 60, "", "50 40 30 20 10 0 "},
    {320, 240, 1, -40, 64, "", "20 10 0 -10 -20 -30 -40 "},
    {640, 480, 2, 0, 64, "", "60 50 40 30 20 10 0 "},
    {200, 100, 1, 0, 256, "", "250 200 150 100 50 0 "},
    {960, 1080, 4, 0, 1000, "", "800 600 400 200 0 "},
    {320, 240, 1, 0, 64, "range-min=-0.35 range-max=1.7",
        "1.5 1.0 0.5 0.0 "},
    {320, 240, 1, 0, 64, "range-min=8 range-max=4",
        "4.0 4.5 5.0 5.5 6.0 6.5 7.0 7.5 8.0 "},
    {321, 241, 1, 0, 1, "", "0.4 0.2 0.0 -0.2 -0.4 "},
    {101, 48, 1, 30, 71, "", "100 50 "},
  };
  const gint width = cases[__i__].width, height = cases[__i__].height;
  const Meta meta = { 16, cases[__i__].minimum, cases[__i__].number, 65535 };
  const gchar *range = cases[__i__].range;
  gdouble low = meta.minimum, high = meta.minimum + meta.number - 1.0;
  guint16 *codes = g_new0 (guint16, width * height);

  if (low == high) {
    low -= 0.5;
    high += 0.5;
  }
  if (*range != '\0')
    sscanf (range, "range-min=%lf range-max=%lf", &low, &high);
  for (gint i = 0; i < width * height; i++)
    codes[i] = (guint16) (i * 31 % 4096);

  for (guint m = 0; m < G_N_ELEMENTS (colormaps); m++) {
    gchar *properties = g_strdup_printf ("legend=true colormap=%s %s",
        colormaps[m], range);
    GstHarness *h = new_harness (properties);
    Rgb *ramp = ramp_of (colormaps[m]), *with, *without;
    GString *labels = g_string_new (NULL);
    gint left = width;

    with = colors_of (h, codes, FALSE, width, height, &meta);
    set_text (h, "legend", "false");
    without = colors_of (h, codes, FALSE, width, height, &meta);

    check_legend (with, width, height, cases[__i__].dot, ramp, low, high,
        labels);
    fail_unless_equals_string (labels->str, cases[__i__].labels);

    /* the rest of the picture is unchanged */
    for (gint i = 0; i < width * height; i++)
      if (memcmp (&with[i], &without[i], sizeof (Rgb)) != 0)
        left = MIN (left, i % width);
    fail_unless (left >= width / 2, "the legend begins at %d", left);
    fail_unless (left < width - 8);
    /* behind the legend it is only darker */
    fail_unless_equals_int (with[left].r, without[left].r / 2);
    fail_unless_equals_int (with[left].g, without[left].g / 2);
    fail_unless_equals_int (with[left].b, without[left].b / 2);

    g_string_free (labels, TRUE);
    g_free (with);
    g_free (without);
    g_free (ramp);
    g_free (properties);
    gst_harness_teardown (h);
  }
  g_free (codes);
}

TEST (test_no_room_for_a_legend)
{
  static const gint sizes[][2] = { {1, 1}, {1, 1000}, {1000, 1}, {640, 47},
  {40, 480}, {49, 48}, {8, 8}
  };
  static const Meta meta = { 16, 0, 256, 0 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    gint width = sizes[i][0], height = sizes[i][1];
    guint16 *codes = g_new (guint16, width * height);
    GstHarness *h = new_harness ("legend=true colormap=grey");
    Rgb *colors;

    for (gint p = 0; p < width * height; p++)
      codes[p] = (guint16) (1 + p % 4000);
    colors = colors_of (h, codes, FALSE, width, height, &meta);
    for (gint p = 0; p < width * height; p++)
      check_position (colors[p], codes[p] / 16.0 / 255);
    g_free (colors);
    g_free (codes);
    gst_harness_teardown (h);
  }
}

/* --------------------------------------------------- properties and states */

TEST (test_property_flags)
{
  GstElement *element = gst_element_factory_make ("disparitycolor", NULL);
  static const gchar *const names[] = { "colormap", "range-min", "range-max",
    "disparity-scale", "invalid-value", "invalid-color", "legend"
  };

  fail_unless (element != NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS
        (element), names[i]);
    GValue value = G_VALUE_INIT;

    fail_unless (pspec != NULL, "%s", names[i]);
    fail_unless (pspec->flags & GST_PARAM_CONTROLLABLE);
    fail_unless (pspec->flags & GST_PARAM_MUTABLE_PLAYING);
    g_value_init (&value, pspec->value_type);
    g_object_get_property (G_OBJECT (element), names[i], &value);
    fail_unless (g_param_value_defaults (pspec, &value), "%s", names[i]);
    g_value_unset (&value);
  }
  gst_object_unref (element);
}

TEST (test_properties_change_while_playing)
{
  static const guint16 codes[] = { 0, 504 };
  static const Meta meta = { 16, 0, 64, 0 };
  GstHarness *h = new_harness ("colormap=grey");
  Rgb *colors = colors_of (h, codes, FALSE, 2, 1, &meta);

  check_color (colors[0], 0, 0, 0, 0);
  check_position (colors[1], 0.5);
  g_free (colors);
  set_text (h, "invalid-color", "0x0000ff");
  set_text (h, "range-max", "31.5");
  colors = colors_of (h, codes, FALSE, 2, 1, &meta);
  check_color (colors[0], 0, 0, 255, 0);
  check_position (colors[1], 1);
  g_free (colors);
  set_text (h, "colormap", "viridis");
  colors = colors_of (h, codes, FALSE, 2, 1, &meta);
  check_color (colors[1], 253, 231, 37, 0);
  g_free (colors);
  gst_harness_teardown (h);
}

/* Control values follow stream time: range-max is its seconds. */
TEST (test_controlled_property)
{
  static const guint16 codes[] = { 160 };
  static const Meta meta = { 16, 0, 64, 0 };
  GstHarness *h = new_harness ("colormap=grey range-min=0");
  GstControlSource *source = gst_interpolation_control_source_new ();
  GstElement *element = element_of (h);

  g_object_set (source, "mode", GST_INTERPOLATION_MODE_LINEAR, NULL);
  for (guint seconds = 0; seconds <= 100; seconds += 100)
    gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE (source),
        seconds * GST_SECOND, seconds);
  gst_object_add_control_binding (GST_OBJECT (element),
      gst_direct_control_binding_new_absolute (GST_OBJECT (element),
          "range-max", source));
  set_size (h, FALSE, 1, 1);
  for (guint seconds = 10; seconds <= 40; seconds += 10) {
    GstBuffer *buffer = make_buffer (codes, FALSE, 1, 1, 0), *out;
    Rgb *colors;

    GST_BUFFER_PTS (buffer) = seconds * GST_SECOND;
    add_meta (buffer, &meta);
    out = convert (h, buffer);
    colors = read_picture (h, out, NULL);
    check_position (colors[0], 10.0 / seconds);
    g_free (colors);
    gst_buffer_unref (out);
  }
  gst_object_unref (source);
  gst_object_unref (element);
  gst_harness_teardown (h);
}

static gpointer
keep_changing (gpointer user_data)
{
  GstElement *element = user_data;
  guint n = 0;

  while (g_object_get_data (G_OBJECT (element), "stop") == NULL) {
    g_object_set (element, "range-max", 20.0 + n % 7, "legend", n % 2,
        "colormap", n % 4, "invalid-color", n, NULL);
    n++;
  }
  return NULL;
}

/* Each frame uses one consistent set of values. */
TEST (test_changes_from_another_thread)
{
  static const Meta meta = { 16, 0, 64, 0 };
  GstHarness *h = new_harness ("");
  GstElement *element = element_of (h);
  guint16 *codes = g_new (guint16, 64 * 32);
  GThread *thread = g_thread_new ("changes", keep_changing, element);

  for (guint i = 0; i < 64 * 32; i++)
    codes[i] = 100;
  for (guint n = 0; n < 200; n++) {
    Rgb *colors = colors_of (h, codes, FALSE, 64, 32, &meta);

    for (guint i = 1; i < 64 * 32; i++)
      check_same (colors[i], colors[0], 0);
    g_free (colors);
  }
  g_object_set_data (G_OBJECT (element), "stop", element);
  g_thread_join (thread);
  g_free (codes);
  gst_object_unref (element);
  gst_harness_teardown (h);
}

TEST (test_play_twice)
{
  GstElement *pipeline = pipeline_new ("videotestsrc num-buffers=5 ! "
      "video/x-raw, format={GRAY16_LE, GRAY8}, width=321, height=241 ! "
      "disparitycolor legend=true ! fakesink");

  for (guint i = 0; i < 2; i++) {
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    pipeline_wait (pipeline, GST_MESSAGE_EOS);
    set_state (pipeline, GST_STATE_NULL);
  }
  pipeline_free (pipeline);
}

TEST (test_states)
{
  static const GstState states[] = { GST_STATE_READY, GST_STATE_PAUSED,
    GST_STATE_READY, GST_STATE_NULL, GST_STATE_PAUSED, GST_STATE_PLAYING,
    GST_STATE_NULL, GST_STATE_PLAYING, GST_STATE_NULL
  };
  GstElement *element = gst_element_factory_make ("disparitycolor", NULL);

  fail_unless (element != NULL);
  for (guint i = 0; i < G_N_ELEMENTS (states); i++)
    fail_unless (gst_element_set_state (element, states[i])
        != GST_STATE_CHANGE_FAILURE);
  gst_object_unref (element);
}

/* Depth maps, in metres: near depths are at the warm end. */
TEST (test_depths)
{
  static const guint16 codes[] = { 0, 1000, 2000, 5500, 10000, 20000, 500 };
  static const gdouble by_meta[] = { 0, 1, 8 / 9.0, 0.5, 0, 0, 1 };
  static const gdouble by_range[] = { 0, 1, 0.5, 0, 0, 0, 1 };
  const gchar *const properties[] = { "colormap=grey legend=true",
    "colormap=grey range-min=3 range-max=1"
  };

  for (guint i = 0; i < 2; i++) {
    GstHarness *h = new_harness (properties[i]);
    GstBuffer *buffer = make_buffer (codes, FALSE, 7, 1, 0), *out;
    GstCustomMeta *meta = gst_buffer_add_custom_meta (buffer,
        "GstStereoDepthMeta");
    Rgb *picture;

    fail_unless (meta != NULL);
    gst_structure_set (gst_custom_meta_get_structure (meta),
        "depth-scale", G_TYPE_DOUBLE, 1000.0, "range-min", G_TYPE_DOUBLE, 1.0,
        "range-max", G_TYPE_DOUBLE, 65.535, NULL);
    set_size (h, FALSE, 7, 1);
    out = convert (h, buffer);
    picture = read_picture (h, out, NULL);
    check_color (picture[0], 0, 0, 0, 0);
    for (guint c = 1; c < 7; c++)
      check_position (picture[c], i == 0 ? by_meta[c] : by_range[c]);
    g_free (picture);
    gst_buffer_unref (out);
    gst_harness_teardown (h);
  }
}

CHECK_MAIN ("disparitycolor")
