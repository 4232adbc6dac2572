/* gst-stereomatching: caps of the stereo matching elements
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "../stereocheck.h"

#include <string.h>

static const gchar *const formats[] = { "GRAY8", "NV12", "I420", "YV12",
  "NV21", "NV16", "Y42B", "Y444", "YUY2", "UYVY", "YVYU", "RGB", "BGR", "RGBx",
  "BGRx", "xRGB", "xBGR", "RGBA", "BGRA", "ARGB", "ABGR", "GRAY16_LE",
  "P010_10LE", "I420_10LE", "I422_10LE", "Y444_10LE"
};

/* YUV is full range, so that a grey level is the same number in all formats. */
static gchar *
caps_text (const gchar * format, gint width, gint height)
{
  gboolean yuv = strchr ("YNUIP", format[0]) != NULL;

  return g_strdup_printf ("video/x-raw, format=%s, width=%d, height=%d, "
      "framerate=25/1%s", format, width, height,
      yuv ? ", colorimetry=(string)1:4:0:0" : "");
}

/* Every format on one pad, with every format on the other. */
TEST (test_formats)
{
  const gint width = 43, height = 5;
  Rig rig;

  rig_open (&rig, VCBW "num-disparities=8");
  for (guint l = 0; l < G_N_ELEMENTS (formats); l++) {
    for (guint r = 0; r < G_N_ELEMENTS (formats); r++) {
      guint formats_of[2] = { l, r };
      GstBuffer *map, *views[2];
      GstCaps *caps;

      for (gint v = LEFT; v <= RIGHT; v++) {
        gchar *text = caps_text (formats[formats_of[v]], width, height);

        if (l == 0 && r == 0)
          rig_caps (&rig, v, text);
        else
          fail_unless (rig_push_caps (&rig, v, text));
        caps = gst_caps_from_string (text);
        views[v] = shifted_image (caps, v == LEFT ? 0 : 3);
        gst_caps_unref (caps);
        g_free (text);
      }
      map = rig_match (&rig, views[LEFT], views[RIGHT]);
      caps = rig_output_caps (&rig);
      check_codes (map, caps, 8, width - 4, 3 * 16);
      gst_caps_unref (caps);
      gst_buffer_unref (map);
    }
  }
  rig_expect_no_error (&rig);
  fail_unless_equals_uint64 (rig_stat (&rig, "paired"),
      G_N_ELEMENTS (formats) * G_N_ELEMENTS (formats));
  rig_close (&rig);
}

static void
check_output_format (const gchar * downstream, const gchar * format)
{
  GstCaps *caps;
  Rig rig;

  rig_open (&rig, VCBW "num-disparities=8");
  if (downstream != NULL)
    gst_harness_set_sink_caps_str (rig.view[LEFT], downstream);
  rig_caps (&rig, LEFT, CAPS);
  rig_caps (&rig, RIGHT, CAPS);
  gst_buffer_unref (rig_match (&rig, gray_image (WIDTH, HEIGHT, 0),
          gray_image (WIDTH, HEIGHT, 1)));
  caps = rig_output_caps (&rig);
  fail_unless_equals_string (gst_structure_get_string (gst_caps_get_structure
          (caps, 0), "format"), format);
  gst_caps_unref (caps);
  rig_close (&rig);
}

TEST (test_output_format)
{
  check_output_format (NULL, "GRAY16_LE");
  check_output_format ("video/x-raw", "GRAY16_LE");
  check_output_format ("video/x-raw, format={ GRAY16_LE, GRAY8 }", "GRAY16_LE");
  check_output_format ("video/x-raw, format=GRAY8", "GRAY8");
  check_output_format ("video/x-raw, format={ RGB, GRAY8 }", "GRAY8");
  check_output_format ("video/x-raw, format=GRAY8; "
      "video/x-raw, format=GRAY16_LE", "GRAY8");
}

/* The output for views with these caps. */
static void
check_output_caps (const gchar * left, const gchar * right, const gchar * text)
{
  GstCaps *caps, *expected = gst_caps_from_string (text);
  Rig rig;

  rig_open_with_caps (&rig, VCBW, left, right);
  gst_buffer_unref (rig_match (&rig, gray_image (23, 7, 0),
          gray_image (23, 7, 1)));
  caps = rig_output_caps (&rig);
  fail_unless (gst_caps_is_subset (caps, expected), "%" GST_PTR_FORMAT, caps);
  gst_caps_unref (expected);
  gst_caps_unref (caps);
  rig_close (&rig);
}

/* Size, framerate and pixel aspect ratio are those of the left view. */
TEST (test_output_is_shaped_as_the_left_view)
{
  check_output_caps ("video/x-raw, format=GRAY8, width=23, height=7, "
      "framerate=30000/1001, pixel-aspect-ratio=4/3",
      "video/x-raw, format=GRAY8, width=23, height=7, framerate=30/1, "
      "pixel-aspect-ratio=1/2",
      "video/x-raw, format=GRAY16_LE, width=23, height=7, "
      "framerate=30000/1001, pixel-aspect-ratio=4/3");
}

/* Video of a variable rate is not called video of its maximum rate. */
TEST (test_output_has_the_variable_rate)
{
  static const gchar *const video = "video/x-raw, format=GRAY8, width=23, "
      "height=7, framerate=0/1, max-framerate=60/1";

  check_output_caps (video, video, "video/x-raw, format=GRAY16_LE, width=23, "
      "height=7, framerate=0/1, max-framerate=60/1");
}

/* ------------------------------------------------------------------ queries */

static GstCaps *
query_caps (Rig * rig, gint view, const gchar * filter)
{
  GstCaps *f = filter ? gst_caps_from_string (filter) : NULL;
  GstCaps *caps = gst_pad_peer_query_caps (rig->view[view]->srcpad, f);

  if (f != NULL)
    gst_caps_unref (f);
  return caps;
}

TEST (test_caps_query_lists_the_formats)
{
  Rig rig;

  rig_open (&rig, VCBW);
  for (gint v = LEFT; v <= RIGHT; v++) {
    GstCaps *caps = query_caps (&rig, v, "video/x-raw");
    const GValue *list = gst_structure_get_value (gst_caps_get_structure (caps,
            0), "format");

    fail_unless_equals_int (gst_caps_get_size (caps), 1);
    fail_unless_equals_int (gst_value_list_get_size (list),
        G_N_ELEMENTS (formats));
    for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
      fail_unless_equals_string (g_value_get_string (gst_value_list_get_value
              (list, i)), formats[i]);
    gst_caps_unref (caps);

    caps = query_caps (&rig, v, "video/x-raw, format={ RGB, v210 }, width=5");
    fail_unless_equals_int (gst_caps_get_size (caps), 1);
    fail_unless_equals_string (gst_structure_get_string (gst_caps_get_structure
            (caps, 0), "format"), "RGB");
    gst_caps_unref (caps);
    caps = query_caps (&rig, v, "video/x-raw, format=v210");
    fail_unless (gst_caps_is_empty (caps));
    gst_caps_unref (caps);
  }
  rig_close (&rig);
}

/* A caps query on one pad prefers the size of the other view, but allows
 * others, because both views may be about to change. */
TEST (test_caps_query_prefers_the_other_views_size)
{
  for (gint v = LEFT; v <= RIGHT; v++) {
    GstStructure *s;
    gint width, height, n, d;
    GstCaps *caps;
    Rig rig;

    rig_open (&rig, VCBW);
    rig_caps (&rig, v, "video/x-raw, format=RGB, width=32, height=20, "
        "framerate=15/1");
    /* queries are serialized with events, so this waits for the caps event */
    caps = query_caps (&rig, v, NULL);
    gst_caps_unref (caps);
    for (guint tries = 0;; tries++) {
      caps = gst_caps_make_writable (query_caps (&rig, !v, "video/x-raw"));
      s = gst_caps_get_structure (caps, 0);
      if (gst_structure_get_int (s, "width", &width))
        break;
      fail_unless (tries < PATIENCE / GST_MSECOND, "%" GST_PTR_FORMAT, caps);
      gst_caps_unref (caps);
      g_usleep (1000);
    }
    fail_unless (gst_structure_get_int (s, "height", &height));
    fail_unless (gst_structure_get_fraction (s, "framerate", &n, &d));
    fail_unless (width == 32 && height == 20 && n == 15 && d == 1);
    fail_unless_equals_int (gst_value_list_get_size (gst_structure_get_value
            (s, "format")), G_N_ELEMENTS (formats));
    gst_caps_unref (caps);

    /* fixation therefore selects that size */
    caps = gst_caps_fixate (query_caps (&rig, !v, "video/x-raw, format=NV12"));
    s = gst_caps_get_structure (caps, 0);
    fail_unless (gst_structure_get_int (s, "width", &width) && width == 32);
    gst_caps_unref (caps);

    caps = query_caps (&rig, !v, "video/x-raw, width=64");
    fail_if (gst_caps_is_empty (caps));
    gst_caps_unref (caps);
    rig_close (&rig);
  }
}

/* Which view has caps first depends on threads.  Until then, those that its
 * source offers count. */
TEST (test_caps_query_asks_the_source_of_the_other_view)
{
  static const struct
  {
    const gchar *element, *other, *pad, *format;
  } cases[] = {
    {VCBW, "sink_left", "sink_right", NULL},
    {VCBW, "sink_right", "sink_left", NULL},
    {"stereoview ", "sink_left", "sink_right", "BGRx"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstElement *pipeline = pipeline_new ("videotestsrc ! video/x-raw,"
        "format=BGRx,width=64,height=48,framerate=15/1 ! m.%s  %s name=m",
        cases[i].other, cases[i].element);
    GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), "m");
    GstPad *pad = gst_element_get_static_pad (element, cases[i].pad);
    GstCaps *caps;
    const GstStructure *s;
    gint width, height;

    if (pad == NULL)
      pad = gst_element_request_pad_simple (element, cases[i].pad);
    caps = gst_pad_query_caps (pad, NULL);
    s = gst_caps_get_structure (caps, 0);
    fail_unless (gst_structure_get_int (s, "width", &width)
        && gst_structure_get_int (s, "height", &height), "%" GST_PTR_FORMAT,
        caps);
    fail_unless (width == 64 && height == 48);
    if (cases[i].format != NULL)
      fail_unless_equals_string (gst_structure_get_string (s, "format"),
          cases[i].format);
    gst_caps_unref (caps);
    gst_object_unref (pad);
    gst_object_unref (element);
    pipeline_free (pipeline);
  }
}

/* A map has the size of the views, so downstream's limits apply to both
 * views. */
TEST (test_caps_query_asks_downstream)
{
  Rig rig;

  rig_open (&rig, VCBW);
  gst_harness_set_sink_caps_str (rig.view[LEFT],
      "video/x-raw, format=GRAY8, width=64, height=[ 10, 20 ], "
      "framerate=[ 5/1, 10/1 ]");
  for (gint v = LEFT; v <= RIGHT; v++) {
    GstCaps *caps = query_caps (&rig, v, "video/x-raw");
    GstCaps *possible = gst_caps_from_string ("video/x-raw, width=64, "
        "height=[ 10, 20 ], framerate=[ 5/1, 10/1 ]");

    fail_if (gst_caps_is_empty (caps));
    fail_unless (gst_caps_is_subset (caps, possible), "%" GST_PTR_FORMAT, caps);
    /* the format is converted by the element, so it is not limited */
    fail_unless_equals_int (gst_value_list_get_size (gst_structure_get_value
            (gst_caps_get_structure (caps, 0), "format")),
        G_N_ELEMENTS (formats));
    gst_caps_unref (possible);
    gst_caps_unref (caps);
  }
  rig_close (&rig);
}

TEST (test_accept_caps)
{
  static const struct
  {
    const gchar *caps;
    gboolean accepted;
  } cases[] = {
    {"video/x-raw, format=GRAY8, width=1, height=1, framerate=0/1", TRUE},
    {"video/x-raw, format=I420, width=16384, height=16384, framerate=60/1",
        TRUE},
    {"video/x-raw, format=I420, width=16385, height=16, framerate=60/1",
        FALSE},
    {"video/x-raw, format=RGB, width=0, height=16, framerate=60/1", FALSE},
    {"video/x-raw, format=RGB, width=16, height=0, framerate=60/1", FALSE},
    {"video/x-raw, format=v210, width=16, height=16, framerate=60/1", FALSE},
    {"video/x-raw, format=GRAY16_BE, width=16, height=16, framerate=60/1",
        FALSE},
    {"video/x-raw(memory:GLMemory), format=RGBA, width=16, height=16, "
          "framerate=60/1", FALSE},
    {"image/jpeg, width=16, height=16, framerate=60/1", FALSE},
  };
  Rig rig;

  rig_open (&rig, VCBW);
  for (guint c = 0; c < G_N_ELEMENTS (cases); c++) {
    GstCaps *caps = gst_caps_from_string (cases[c].caps);

    for (gint v = LEFT; v <= RIGHT; v++)
      fail_unless (gst_pad_peer_query_accept_caps (rig.view[v]->srcpad, caps)
          == cases[c].accepted, "%s", cases[c].caps);
    gst_caps_unref (caps);
  }
  /* queries post no errors */
  rig_expect_no_error (&rig);
  rig_close (&rig);
}

/* ------------------------------------------------------------------ refusal */

TEST (test_sizes_that_differ)
{
  for (gint one = LEFT; one <= RIGHT; one++) {
    static const gchar *const caps[] = {
      "video/x-raw, format=GRAY8, width=96, height=4, framerate=25/1",
      "video/x-raw, format=GRAY8, width=80, height=5, framerate=25/1"
    };
    Rig rig;

    rig_open (&rig, VCBW);
    rig_caps (&rig, one, caps[one]);
    rig_caps (&rig, !one, caps[!one]);
    gst_harness_push (rig.view[LEFT], gray_image (96, 4, 0));
    gst_harness_push (rig.view[RIGHT], gray_image (80, 5, 0));
    rig_expect_error (&rig, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "sink_left has 96x4", "sink_right 80x5", "equal", "videoscale",
        "width=96,height=4 before sink_right", NULL);
    /* and no further error */
    while (gst_harness_push (rig.view[LEFT], gray_image (96, 4, 0))
        == GST_FLOW_OK)
      g_usleep (1000);
    rig_expect_no_error (&rig);
    fail_unless_equals_int (gst_harness_buffers_received (rig.view[LEFT]), 0);
    rig_close (&rig);
  }
}

TEST (test_unsupported_video)
{
  static const struct
  {
    const gchar *caps, *wrong, *right;
  } cases[] = {
    {"video/x-raw, format=v210, width=48, height=4, framerate=25/1", "v210",
        "videoconvert"},
    {"video/x-raw, format=GRAY16_BE, width=48, height=4, framerate=25/1",
        "GRAY16_BE", "videoconvert"},
    {"video/x-raw, format=GRAY8, width=0, height=4, framerate=25/1", "0x4",
        "1x1"},
    {"video/x-raw, format=GRAY8, width=4, height=0, framerate=25/1", "4x0",
        "1x1"},
    {"video/x-raw, format=GRAY8, width=20000, height=4, framerate=25/1",
        "20000x4", "16384x16384"},
    {"video/x-raw(memory:GLMemory), format=RGBA, width=48, height=4, "
          "framerate=25/1", "memory:GLMemory", "system memory"},
    {"image/jpeg, width=48, height=4, framerate=25/1", "image/jpeg",
        "decoder"},
    {"video/x-raw, format=GRAY8, width=48, height=4", "without a frame rate",
        "0/1"},
  };

  for (guint c = 0; c < G_N_ELEMENTS (cases); c++) {
    for (gint v = LEFT; v <= RIGHT; v++) {
      GstBuffer *image = gst_buffer_new_and_alloc (4000);
      Rig rig;

      rig_open (&rig, VCBW);
      rig_caps (&rig, !v, CAPS);
      rig_caps (&rig, v, CAPS);
      rig_push_caps (&rig, v, cases[c].caps);
      fail_unless (gst_harness_push (rig.view[v], image) < 0);
      rig_expect_error (&rig, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
          v == LEFT ? "sink_left" : "sink_right", cases[c].wrong,
          cases[c].right, NULL);
      rig_expect_no_error (&rig);
      rig_close (&rig);
    }
  }
}

/* Sends an image after all events but caps, as appsrc does if it has none. */
static void
push_without_caps (GstHarness * h)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (h, gst_event_new_stream_start ("without-caps"));
  gst_harness_push_event (h, gst_event_new_segment (&segment));
  (void) gst_harness_push (h, gst_buffer_new_and_alloc (4000));
}

/* An image without caps is an error, in one view or in both. */
LOOP_TEST (test_image_without_caps, 0, 6)
{
  const gint with = __i__ % 3 - 1;      /* the view with caps, or -1 */
  Rig rig;

  rig_open (&rig, __i__ < 3 ? VCBW : VCBW " pairs=newest");
  if (with >= 0) {
    rig_caps (&rig, with, CAPS);
    (void) gst_harness_push (rig.view[with], numbered_image (with, 0));
  }
  for (gint v = LEFT; v <= RIGHT; v++) {
    if (v != with)
      push_without_caps (rig.view[v]);
  }
  rig_expect_error (&rig, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      "sink_", "has no caps", NULL);
  rig_expect_no_error (&rig);
  rig_close (&rig);
}

TEST (test_downstream_refuses)
{
  static const struct
  {
    const gchar *downstream, *words[3];
  } cases[] = {
    {"video/x-raw, format=RGB", {"GRAY16_LE", "GRAY8", "videoconvert"}},
    {"video/x-raw, width=64", {"96x4", "size", "videoscale"}},
    {"video/x-raw, framerate=60/1", {"96x4", "25/1", "videorate"}},
  };

  for (guint c = 0; c < G_N_ELEMENTS (cases); c++) {
    Rig rig;

    rig_open (&rig, VCBW);
    gst_harness_set_sink_caps_str (rig.view[LEFT], cases[c].downstream);
    rig_caps (&rig, LEFT, CAPS);
    rig_caps (&rig, RIGHT, CAPS);
    gst_harness_push (rig.view[LEFT], numbered_image (LEFT, 0));
    gst_harness_push (rig.view[RIGHT], numbered_image (RIGHT, 0));
    rig_expect_error (&rig, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        cases[c].words[0], cases[c].words[1], cases[c].words[2], NULL);
    while (gst_harness_push (rig.view[LEFT], numbered_image (LEFT, 0))
        == GST_FLOW_OK)
      g_usleep (1000);
    rig_expect_no_error (&rig);
    rig_close (&rig);
  }
}

/* ------------------------------------------------------------------ changes */

/* One view sends caps and an image long before the other. */
TEST (test_late_caps)
{
  for (gint v = LEFT; v <= RIGHT; v++) {
    GstBuffer *map;
    Rig rig;

    rig_open (&rig, VCBW);
    rig_caps (&rig, v, CAPS);
    rig_push (&rig, v, numbered_image (v, 2));
    wait_for_image (rig.element, v);
    fail_unless_equals_int (gst_harness_buffers_received (rig.view[LEFT]), 0);
    rig_caps (&rig, !v, CAPS);
    rig_push (&rig, !v, numbered_image (!v, 2));
    map = gst_harness_pull (rig.view[LEFT]);
    check_numbers (map, 2, 2);
    gst_buffer_unref (map);
    rig_expect_no_error (&rig);
    rig_close (&rig);
  }
}

#define SIZE_A "video/x-raw, format=GRAY8, width=60, height=4, framerate=25/1"
#define SIZE_B "video/x-raw, format=GRAY8, width=72, height=6, framerate=25/1"

/* Images 0 to n - 1 of a view, which changes from size A to size B before image
 * `change`. */
static Script *
changing_script (gint view, gint n, gint change)
{
  Script *script = script_new ();

  for (gint i = 0; i < n; i++) {
    gboolean b = i >= change;
    GstBuffer *image = gray_image (b ? 72 : 60, b ? 6 : 4, view == LEFT ? 0
        : 1 + i % 8);
    GstCaps *caps = gst_caps_from_string (SIZE_B);

    GST_BUFFER_PTS (image) = (GstClockTime) i *FRAME;
    GST_BUFFER_DURATION (image) = FRAME;
    if (i == change)
      script_event (script, gst_event_new_caps (caps));
    gst_caps_unref (caps);
    script_buffer (script, image);
  }
  return script;
}

/* Pairs of different sizes give no maps; those before and after do. */
TEST (test_both_views_change_their_size)
{
  static const gint changes[][2] = { {5, 5}, {5, 8}, {8, 5}, {1, 2}, {2, 1},
  {3, 20}, {20, 3}
  };

  for (guint c = 0; c < G_N_ELEMENTS (changes); c++) {
    gint before = MIN (changes[c][LEFT], changes[c][RIGHT]);
    gint after = MAX (changes[c][LEFT], changes[c][RIGHT]), i = 0;
    GstCaps *a = gst_caps_from_string ("video/x-raw, format=GRAY16_LE, "
        "width=60, height=4");
    GstCaps *b = gst_caps_from_string ("video/x-raw, format=GRAY16_LE, "
        "width=72, height=6");
    GPtrArray *maps;
    Rig rig;

    rig_open_with_caps (&rig, VCBW "num-disparities=16", SIZE_A, SIZE_A);
    maps = rig_run (&rig, changing_script (LEFT, 24, changes[c][LEFT]),
        changing_script (RIGHT, 24, changes[c][RIGHT]));
    fail_unless_equals_int (maps->len, 24 - (after - before));
    for (guint m = 0; m < maps->len; m++, i++) {
      GstBuffer *map = g_ptr_array_index (maps, m);

      if (i == before)
        i = after;
      fail_unless_equals_uint64 (GST_BUFFER_PTS (map),
          (GstClockTime) i * FRAME);
      fail_unless_equals_int (gst_buffer_get_size (map),
          i < before ? 60 * 4 * 2 : 72 * 6 * 2);
      check_codes (map, i < before ? a : b, 12, 56, 16 * (1 + (guint) i % 8));
      if (i == after && before != after)
        fail_unless (GST_BUFFER_FLAG_IS_SET (map, GST_BUFFER_FLAG_DISCONT));
    }
    fail_unless_equals_uint64 (rig_stat (&rig, "dropped-left"), after - before);
    fail_unless_equals_uint64 (rig_stat (&rig, "dropped-right"),
        after - before);
    rig_expect_no_error (&rig);
    g_ptr_array_unref (maps);
    gst_caps_unref (a);
    gst_caps_unref (b);
    rig_close (&rig);
  }
}

TEST (test_one_view_changes_its_size)
{
  /* until the end of the stream, and for more than a second */
  static const gint lengths[] = { 12, 60 };

  for (guint l = 0; l < G_N_ELEMENTS (lengths); l++) {
    for (gint v = LEFT; v <= RIGHT; v++) {
      Script *scripts[2];
      Feeder *feeders[2];
      Rig rig;

      rig_open_with_caps (&rig, VCBW "num-disparities=16", SIZE_A, SIZE_A);
      scripts[v] = changing_script (v, lengths[l], 5);
      scripts[!v] = changing_script (!v, lengths[l], 1000);
      for (gint i = LEFT; i <= RIGHT; i++) {
        script_event (scripts[i], gst_event_new_eos ());
        feeders[i] = feeder_new (&rig, i, scripts[i]);
      }
      rig_expect_error (&rig, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
          v == LEFT ? "sink_left has 72x6" : "sink_left has 60x4",
          v == LEFT ? "sink_right 60x4" : "sink_right 72x6", NULL);
      for (gint i = LEFT; i <= RIGHT; i++)
        feeder_join (feeders[i]);
      rig_expect_no_error (&rig);
      fail_unless_equals_int (gst_harness_buffers_received (rig.view[LEFT]), 5);
      rig_close (&rig);
    }
  }
}

/* Downstream renegotiates the format. */
TEST (test_downstream_changes_the_format)
{
  static const gchar *const wanted[] = { "GRAY16_LE", "GRAY8", "GRAY16_LE" };
  Rig rig;

  rig_open_with_caps (&rig, VCBW "num-disparities=16", SIZE_A, SIZE_A);
  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++) {
    gchar *text = g_strdup_printf ("video/x-raw, format=%s", wanted[i]);
    GstBuffer *map;
    GstCaps *caps;

    gst_harness_set_sink_caps_str (rig.view[LEFT], text);
    map = rig_match (&rig, gray_image (60, 4, 0), gray_image (60, 4, 9));
    caps = rig_output_caps (&rig);
    fail_unless_equals_string (gst_structure_get_string (gst_caps_get_structure
            (caps, 0), "format"), wanted[i]);
    check_codes (map, caps, 16, 56, i == 1 ? expected_code8 (9, 16, 0)
        : expected_code (9, 0, 16, 0));
    gst_caps_unref (caps);
    gst_buffer_unref (map);
    g_free (text);
  }
  rig_close (&rig);
}

/* Interlaced frames, whose rows are of two times, are matched with a
 * warning. */
TEST (test_interlaced_video)
{
  static const gchar caps[] = CAPS ", interlace-mode=";

  for (gint v = LEFT; v <= RIGHT; v++) {
    gchar *text = g_strconcat (caps, "interleaved", NULL);
    GstBuffer *map;
    Rig rig;

    rig_open (&rig, VCBW);
    rig_caps (&rig, !v, CAPS);
    rig_caps (&rig, v, text);
    for (gint i = 0; i < 2; i++) {
      rig_push (&rig, LEFT, numbered_image (LEFT, i));
      rig_push (&rig, RIGHT, numbered_image (RIGHT, i));
      map = gst_harness_pull (rig.view[LEFT]);
      check_numbers (map, i, i);
      gst_buffer_unref (map);
      /* the other interlace mode posts no second warning */
      g_free (text);
      text = g_strconcat (caps, "mixed", NULL);
      fail_unless (rig_push_caps (&rig, v, text));
    }
    rig_expect_warning (&rig, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        v == LEFT ? "sink_left" : "sink_right", "interleaved",
        "put deinterlace before", NULL);
    rig_expect_no_error (&rig);
    rig_close (&rig);
    g_free (text);
  }
}

/* Caps that name the view of a pad, another one, or both. */
TEST (test_multiview_modes)
{
  static const struct
  {
    const gchar *mode[2];
    const gchar *warning;
  } cases[] = {
    {{"left", "right"}, NULL}, {{"mono", "mono"}, NULL},
    {{"right", "right"}, "multiview-mode=right: link it to sink_right"},
    {{"left", "left"}, "multiview-mode=left: link it to sink_left"},
    {{"side-by-side", "right"}, "multiview-mode=side-by-side, so it contains "
          "both views: put stereosplit before"},
    {{"left", "frame-by-frame"}, "multiview-mode=frame-by-frame, so it "
          "contains both views: put stereosplit before"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Rig rig;

    rig_open (&rig, VCBW);
    for (gint v = LEFT; v <= RIGHT; v++) {
      gchar *text = g_strconcat (CAPS ", multiview-mode=", cases[i].mode[v],
          NULL);

      rig_caps (&rig, v, text);
      g_free (text);
    }
    for (gint v = LEFT; v <= RIGHT; v++)
      rig_push (&rig, v, numbered_image (v, 0));
    gst_buffer_unref (gst_harness_pull (rig.view[LEFT]));
    if (cases[i].warning != NULL)
      rig_expect_warning (&rig, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
          cases[i].warning, NULL);
    fail_unless_equals_int (rig_count_messages (&rig, GST_MESSAGE_WARNING), 0);
    rig_expect_no_error (&rig);
    rig_close (&rig);
  }
}

CHECK_MAIN ("stereo-caps")
