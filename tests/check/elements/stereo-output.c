/* gst-stereomatching: output of the stereo matching elements
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "../stereocheck.h"

#include <string.h>

/* Matches a pair of disparity d and checks the code in columns x0 to x1. */
static void
check_match (const gchar * launch, const gchar * format, gint d, gint x0,
    gint x1, guint code)
{
  gchar *text = g_strdup_printf ("video/x-raw, format=%s", format);
  GstBuffer *map;
  GstCaps *caps;
  Rig rig;

  GST_INFO ("%s, %s, disparity %d", launch, format, d);
  rig_open (&rig, launch);
  gst_harness_set_sink_caps_str (rig.view[LEFT], text);
  rig_caps (&rig, LEFT, CAPS);
  rig_caps (&rig, RIGHT, CAPS);
  map = rig_match (&rig, gray_image (WIDTH, HEIGHT, 0), gray_image (WIDTH,
          HEIGHT, d));
  caps = rig_output_caps (&rig);
  fail_unless_equals_string (gst_structure_get_string (gst_caps_get_structure
          (caps, 0), "format"), format);
  check_codes (map, caps, x0, x1, code);
  gst_caps_unref (caps);
  gst_buffer_unref (map);
  rig_expect_no_error (&rig);
  g_free (text);
  rig_close (&rig);
}

TEST (test_codes)
{
  static const guint scales[] = { 1, 16, 100, 256 };
  static const gint minima[] = { -20, -3, 0, 2 };
  static const guint invalid[] = { 0, 1, 48, 65535 };
  const gint d = 3, n = 30;

  for (guint s = 0; s < G_N_ELEMENTS (scales); s++) {
    for (guint m = 0; m < G_N_ELEMENTS (minima); m++) {
      for (guint i = 0; i < G_N_ELEMENTS (invalid); i++) {
        gchar *launch = g_strdup_printf (VCBW "num-disparities=%d "
            "min-disparity=%d disparity-scale=%u invalid-value=%u", n,
            minima[m], scales[s], invalid[i]);

        check_match (launch, "GRAY16_LE", d, 40, 60, expected_code (d,
                minima[m], scales[s], invalid[i]));
        g_free (launch);
      }
    }
  }
}

TEST (test_codes_of_8_bits)
{
  static const gint numbers[] = { 4, 5, 30, 64, 255, 256, 257, 400 };
  static const guint invalid[] = { 0, 77, 255 };

  for (guint n = 0; n < G_N_ELEMENTS (numbers); n++) {
    for (guint i = 0; i < G_N_ELEMENTS (invalid); i++) {
      for (gint d = 0; d <= 3; d++) {
        gchar *launch = g_strdup_printf (VCBW "num-disparities=%d "
            "invalid-value=%u", numbers[n], invalid[i]);

        check_match (launch, "GRAY8", d, 40, 90, expected_code8 ((guint) d,
                (guint) numbers[n], invalid[i]));
        g_free (launch);
      }
    }
  }
}

TEST (test_ranges)
{
  /* negative only */
  check_match (VCBW "min-disparity=-10 num-disparities=6", "GRAY16_LE", -7, 4,
      80, expected_code (-7, -10, 16, 0));
  /* both ends of the range; code 0 is invalid, so the lowest disparity gets
   * 1 */
  check_match (VCBW "min-disparity=-4 num-disparities=9", "GRAY16_LE", -4, 4,
      80, 1);
  check_match (VCBW "min-disparity=-4 num-disparities=9", "GRAY16_LE", 4, 8,
      80, 128);
  /* a single disparity, correct or not */
  check_match (VCBW "min-disparity=5 num-disparities=1", "GRAY16_LE", 5, 8, 90,
      1);
  check_match (VCBW "min-disparity=5 num-disparities=1", "GRAY8", 9, 8, 90, 1);
  check_match (VCBW "min-disparity=5 num-disparities=1 invalid-value=7",
      "GRAY16_LE", 5, 8, 90, 0);
  /* more disparities than columns */
  check_match (VCBW "num-disparities=500", "GRAY16_LE", 11, 16, 90, 11 * 16);
  check_match (VCBW "min-disparity=-300 num-disparities=600", "GRAY16_LE", 11,
      16, 80, 311 * 16);
  /* the largest 16-bit codes */
  check_match (VCBW "min-disparity=-200 num-disparities=256 "
      "disparity-scale=256", "GRAY16_LE", 11, 16, 80, 211 * 256);
}

TEST (test_codes_that_do_not_fit)
{
  static const struct
  {
    const gchar *launch, *format, *wrong, *right;
  } cases[] = {
    {VCBW "num-disparities=2100 disparity-scale=256", "GRAY16_LE",
        "disparity-scale 256", "at most 31"},
    {VCBW "invalid-value=256", "GRAY8", "invalid-value 256", "at most 255"},
  };

  for (guint c = 0; c < G_N_ELEMENTS (cases); c++) {
    gchar *text = g_strdup_printf ("video/x-raw, format=%s", cases[c].format);
    Rig rig;

    rig_open (&rig, cases[c].launch);
    gst_harness_set_sink_caps_str (rig.view[LEFT], text);
    for (gint v = LEFT; v <= RIGHT; v++) {
      rig_caps (&rig, v, CAPS);
      gst_harness_push (rig.view[v], numbered_image (v, 0));
    }
    rig_expect_error (&rig, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        cases[c].wrong, cases[c].right, NULL);
    while (gst_harness_push (rig.view[LEFT], numbered_image (LEFT, 0))
        == GST_FLOW_OK)
      g_usleep (1000);
    rig_expect_no_error (&rig);
    g_free (text);
    rig_close (&rig);
  }
}

/* Images smaller than any window, and search ranges outside the image. */
TEST (test_tiny_images)
{
  static const gint sizes[][2] = { {1, 1}, {1, 7}, {7, 1}, {2, 2}, {3, 5} };
  static const gchar *const properties[] = { "", "num-disparities=1",
    "min-disparity=-2048", "min-disparity=2048", "median=true",
    "num-disparities=4096 min-disparity=-2048"
  };
  gchar **names = matchers ();

  for (guint e = 0; names[e] != NULL; e++) {
    for (guint p = 0; p < G_N_ELEMENTS (properties); p++) {
      gchar *launch = g_strdup_printf ("%s backend=cpu %s", names[e],
          properties[p]);
      Rig rig;

      rig_open (&rig, launch);
      for (guint s = 0; s < G_N_ELEMENTS (sizes); s++) {
        gint w = sizes[s][0], h = sizes[s][1];
        gchar *text = g_strdup_printf ("video/x-raw, format=GRAY8, width=%d, "
            "height=%d, framerate=0/1", w, h);
        GstBuffer *map;

        for (gint v = LEFT; v <= RIGHT; v++) {
          if (s == 0)
            rig_caps (&rig, v, text);
          else
            fail_unless (rig_push_caps (&rig, v, text));
        }
        map = rig_match (&rig, gray_image (w, h, 0), gray_image (w, h, 0));
        gst_buffer_unref (map);
        g_free (text);
      }
      fail_unless_equals_uint64 (rig_stat (&rig, "paired"),
          G_N_ELEMENTS (sizes));
      rig_expect_no_error (&rig);
      rig_close (&rig);
      g_free (launch);
    }
  }
  g_strfreev (names);
}

/* A view with details of all sizes, unlike the texture, so that coarse pyramid
 * levels have texture too. */
static GstBuffer *
detailed_image (gint width, gint height, gint shift)
{
  GstBuffer *buffer = gst_buffer_new_and_alloc ((gsize) (width * height));
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (gint i = 0; i < width * height; i++) {
    gint x = i % width + shift, y = i / width;

    map.data[i] = (guint8) ((2 * texture (x / 20, y / 20)
            + texture (x / 6, y / 6 + 1000) + texture (x, y + 2000)) / 4);
  }
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

/* All matchers find the disparity of most pixels of a shifted image. */
TEST (test_all_matchers_find_a_shift)
{
  const gint w = 160, h = 160, d = 6;
  gchar **names = matchers ();

  for (guint e = 0; names[e] != NULL; e++) {
    gchar *launch = g_strdup_printf ("%s backend=cpu num-disparities=16",
        names[e]);
    gchar *text = g_strdup_printf ("video/x-raw, format=GRAY8, width=%d, "
        "height=%d, framerate=0/1", w, h);
    guint good = 0, all = 0;
    GstBuffer *map;
    GstCaps *caps;
    Rig rig;

    rig_open_with_caps (&rig, launch, text, text);
    map = rig_match (&rig, detailed_image (w, h, 0), detailed_image (w, h, d));
    caps = rig_output_caps (&rig);
    for (gint y = 8; y < h - 8; y++) {
      for (gint x = 24; x < w - 24; x++, all++) {
        gint code = (gint) code_at (map, caps, x, y);

        good += ABS (code - 16 * d) <= 16;
      }
    }
    fail_unless (good * 10 >= all * 9, "%s: %u of %u", names[e], good, all);
    gst_caps_unref (caps);
    gst_buffer_unref (map);
    rig_close (&rig);
    g_free (text);
    g_free (launch);
  }
  g_strfreev (names);
}

/* --------------------------------------------------------------------- meta */

TEST (test_meta)
{
  static const gchar *const formats[] = { "GRAY16_LE", "GRAY8" };

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    gchar *text = g_strdup_printf ("video/x-raw, format=%s", formats[f]);
    GstBuffer *images[2], *map;
    const GstStructure *s;
    guint64 left_pts, right_pts;
    guint n, invalid;
    gdouble scale;
    gint min;
    Rig rig;

    rig_open (&rig, VCBW "num-disparities=52 min-disparity=-3 "
        "disparity-scale=32 invalid-value=17");
    gst_harness_set_sink_caps_str (rig.view[LEFT], text);
    for (gint v = LEFT; v <= RIGHT; v++) {
      rig_caps (&rig, v, CAPS);
      images[v] = numbered_image (v, 2);
    }
    GST_BUFFER_PTS (images[RIGHT]) += 7;
    map = rig_match (&rig, images[LEFT], images[RIGHT]);
    s = disparity_meta_of (map);
    fail_unless (gst_structure_get_double (s, "disparity-scale", &scale)
        && gst_structure_get_int (s, "min-disparity", &min)
        && gst_structure_get_uint (s, "num-disparities", &n)
        && gst_structure_get_uint (s, "invalid-value", &invalid)
        && gst_structure_get_uint64 (s, "left-pts", &left_pts)
        && gst_structure_get_uint64 (s, "right-pts", &right_pts),
        "%" GST_PTR_FORMAT, s);
    fail_unless_equals_float (scale, f == 0 ? 32.0 : 255.0 / 51.0);
    fail_unless_equals_int (min, -3);
    fail_unless_equals_int (n, 52);
    fail_unless_equals_int (invalid, 17);
    fail_unless_equals_uint64 (left_pts, 2 * FRAME);
    fail_unless_equals_uint64 (right_pts, 2 * FRAME + 7);
    fail_unless_equals_string (gst_structure_get_string (s, "reference-view"),
        "left");
    fail_unless_equals_string (gst_structure_get_string (s, "algorithm"),
        "vcbw");
    fail_unless_equals_string (gst_structure_get_string (s, "backend"),
        test_backend ());
    fail_if (gst_structure_has_field (s, "focal-length"));
    fail_if (gst_structure_has_field (s, "baseline"));
    gst_buffer_unref (map);
    g_free (text);
    rig_close (&rig);
  }
}

TEST (test_meta_names_the_algorithm)
{
  gchar **names = matchers ();

  for (guint e = 0; names[e] != NULL; e++) {
    gchar *launch = g_strdup_printf ("%s backend=cpu", names[e]);
    GstBuffer *map;
    Rig rig;

    rig_open_with_caps (&rig, launch, CAPS, CAPS);
    map = rig_match (&rig, gray_image (WIDTH, HEIGHT, 0), gray_image (WIDTH,
            HEIGHT, 1));
    fail_unless (g_str_has_prefix (names[e], "stereo"));
    fail_unless_equals_string (gst_structure_get_string
        (disparity_meta_of (map), "algorithm"), names[e] + strlen ("stereo"));
    gst_buffer_unref (map);
    rig_close (&rig);
    g_free (launch);
  }
  g_strfreev (names);
}

/* Elements that scale or convert drop the meta, others keep it. */
TEST (test_meta_and_other_elements)
{
  static const struct
  {
    const gchar *after;
    gboolean kept;
  } cases[] = {
    {"identity", TRUE},
    {"queue", TRUE},
    {"videoscale ! video/x-raw, width=20", FALSE},
    {"videoconvert ! video/x-raw, format=RGB", FALSE},
  };

  for (guint c = 0; c < G_N_ELEMENTS (cases); c++) {
    GstElement *pipeline = pipeline_new ("videotestsrc num-buffers=1 ! "
        "video/x-raw, format=GRAY8, width=40, height=20 ! tee name=t "
        "! queue ! m.sink_left  t. ! queue ! m.sink_right  "
        VCBW " name=m ! %s ! fakesink name=sink", cases[c].after);
    GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
    GstSample *sample;

    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    pipeline_wait (pipeline, GST_MESSAGE_EOS);
    g_object_get (sink, "last-sample", &sample, NULL);
    fail_unless (sample != NULL);
    fail_unless ((gst_buffer_get_custom_meta (gst_sample_get_buffer (sample),
                "GstStereoDisparityMeta") != NULL) == cases[c].kept, "%s",
        cases[c].after);
    gst_sample_unref (sample);
    gst_object_unref (sink);
    pipeline_free (pipeline);
  }
}

/* -------------------------------------------------------- times and flags */

TEST (test_timestamps_are_the_left_images)
{
  GstBuffer *left, *right, *map;
  Rig rig;

  rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
  left = numbered_image (LEFT, 1);
  right = numbered_image (RIGHT, 1);
  GST_BUFFER_PTS (left) = 1234567891;
  GST_BUFFER_DTS (left) = 1234567000;
  GST_BUFFER_DURATION (left) = 33333333;
  GST_BUFFER_PTS (right) = 1240000000;
  GST_BUFFER_DURATION (right) = 20000000;
  map = rig_match (&rig, left, right);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (map), 1234567891);
  fail_unless_equals_uint64 (GST_BUFFER_DTS (map), 1234567000);
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (map), 33333333);
  gst_buffer_unref (map);
  rig_close (&rig);
}

/* A map of a corrupted image is corrupted. */
TEST (test_flags_are_the_left_images)
{
  static const GstBufferFlags flags[] = { GST_BUFFER_FLAG_MARKER,
    GST_BUFFER_FLAG_CORRUPTED, GST_BUFFER_FLAG_DROPPABLE,
    GST_BUFFER_FLAG_DISCONT, GST_BUFFER_FLAG_RESYNC
  };
  Rig rig;

  rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
  /* the first map is marked DISCONT */
  gst_buffer_unref (rig_match (&rig, gray_image (WIDTH, HEIGHT, 0),
          gray_image (WIDTH, HEIGHT, 0)));
  for (guint f = 0; f < G_N_ELEMENTS (flags); f++) {
    for (gint flagged = LEFT; flagged <= RIGHT; flagged++) {
      GstBuffer *images[2], *map;

      for (gint v = LEFT; v <= RIGHT; v++)
        images[v] = gray_image (WIDTH, HEIGHT, 0);
      GST_BUFFER_FLAG_SET (images[flagged], flags[f]);
      map = rig_match (&rig, images[LEFT], images[RIGHT]);
      fail_unless ((GST_BUFFER_FLAG_IS_SET (map, flags[f]) != 0)
          == (flagged == LEFT || flags[f] == GST_BUFFER_FLAG_CORRUPTED),
          "flag %x of view %d", flags[f], flagged);
      gst_buffer_unref (map);
    }
  }
  rig_close (&rig);
}

/* Maps are marked DISCONT after a dropped image, and only there. */
TEST (test_discont)
{
  static const gboolean expected[] = { TRUE, FALSE, TRUE, FALSE, TRUE };
  Script *scripts[2] = { script_new (), script_new () };
  GPtrArray *maps;
  Rig rig;

  rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
  script_numbers (scripts[LEFT], LEFT, 0, 1, 3, 4, 5, 6, -1);
  script_numbers (scripts[RIGHT], RIGHT, 0, 1, 2, 3, 4, 6, -1);
  maps = rig_run (&rig, scripts[LEFT], scripts[RIGHT]);
  fail_unless_equals_int (maps->len, 5);
  for (guint i = 0; i < maps->len; i++)
    fail_unless ((GST_BUFFER_FLAG_IS_SET (g_ptr_array_index (maps, i),
                GST_BUFFER_FLAG_DISCONT) != 0) == expected[i], "map %u", i);
  g_ptr_array_unref (maps);
  rig_close (&rig);
}

/* The crop meta of an image is not copied to the map. */
TEST (test_metas_of_the_images)
{
  GstBuffer *left = gray_image (WIDTH, HEIGHT, 0), *map;
  GstCaps *reference = gst_caps_from_string ("timestamp/x-unix");
  GstVideoCropMeta *crop;
  Rig rig;

  rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
  crop = gst_buffer_add_video_crop_meta (left);
  crop->x = crop->y = 0;
  crop->width = crop->height = 2;
  gst_buffer_add_reference_timestamp_meta (left, reference, 123, 4);
  map = rig_match (&rig, left, gray_image (WIDTH, HEIGHT, 0));
  fail_unless (gst_buffer_get_video_crop_meta (map) == NULL);
  fail_unless (gst_buffer_get_reference_timestamp_meta (map, reference)
      != NULL);
  gst_buffer_unref (map);
  gst_caps_unref (reference);
  rig_close (&rig);
}

CHECK_MAIN ("stereo-output")
