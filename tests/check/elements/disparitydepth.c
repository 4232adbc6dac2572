/* gst-stereomatching: tests of the element disparitydepth
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "backend.h"
#include "checkmain.h"

#include <gst/check/gstharness.h>
#include <gst/video/video.h>

#define META "GstStereoDisparityMeta"
#define DEPTH_META "GstStereoDepthMeta"

#define CAMERA "focal-length=700 baseline=0.12 "

/* Codes, and their depths in millimetres for CAMERA and 16 codes per pixel,
 * computed independently. */
static const guint16 codes[] = { 0, 16, 20, 21, 160, 1024, 1344, 65535 };
static const guint16 depths[] = { 0, 0, 0, 64000, 8400, 1313, 1000, 21 };

/* ---------------------------------------------------------------------- rig */

typedef struct
{
  GstHarness *h;
  GstBus *bus;
} Rig;

static void
open_rig (Rig * rig, const gchar * properties, const gchar * format,
    guint width)
{
  gchar *line = g_strdup_printf ("disparitydepth %s", properties);
  gchar *caps = g_strdup_printf ("video/x-raw, format=%s, width=%u, height=1, "
      "framerate=25/1, pixel-aspect-ratio=3/2, colorimetry=1:1:0:0, "
      "multiview-mode=left", format, width);

  rig->h = gst_harness_new_parse (line);
  rig->bus = gst_bus_new ();
  gst_element_set_bus (rig->h->element, rig->bus);
  gst_harness_set_src_caps_str (rig->h, caps);
  g_free (caps);
  g_free (line);
}

static void
close_rig (Rig * rig)
{
  gst_element_set_bus (rig->h->element, NULL);
  gst_harness_teardown (rig->h);
  gst_object_unref (rig->bus);
}

static void
set_focal_length (Rig * rig, gdouble focal_length)
{
  GstIterator *all = gst_bin_iterate_elements (GST_BIN (rig->h->element));
  GValue value = G_VALUE_INIT;

  fail_unless (gst_iterator_next (all, &value) == GST_ITERATOR_OK);
  g_object_set (g_value_get_object (&value), "focal-length", focal_length,
      NULL);
  g_value_unset (&value);
  gst_iterator_free (all);
}

static GstBuffer *
map_of (const guint16 * row, guint n, guint bytes)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL,
      GST_ROUND_UP_4 (n * bytes), NULL);

  for (guint i = 0; i < n; i++) {
    const guint8 code[2] = { (guint8) row[i], (guint8) (row[i] >> 8) };

    gst_buffer_fill (buffer, i * bytes, code, bytes);
  }
  GST_BUFFER_PTS (buffer) = 3 * GST_SECOND;
  GST_BUFFER_DURATION (buffer) = GST_SECOND / 25;
  return buffer;
}

/* Adds a matcher's meta; the varargs are further fields. */
static void
add_meta (GstBuffer * buffer, const gchar * result, gdouble scale, gint minimum,
    guint invalid, const gchar * first, ...)
{
  GstCustomMeta *meta = gst_buffer_add_custom_meta (buffer, META);
  GstStructure *s = gst_custom_meta_get_structure (meta);
  va_list more;

  gst_structure_set (s, "result", G_TYPE_STRING, result,
      "disparity-scale", G_TYPE_DOUBLE, scale, "scale", G_TYPE_DOUBLE, scale,
      "offset", G_TYPE_DOUBLE, 0.0, "min-disparity", G_TYPE_INT, minimum,
      "num-disparities", G_TYPE_UINT, 64, "invalid-value", G_TYPE_UINT,
      invalid, "left-pts", G_TYPE_UINT64, GST_SECOND,
      "right-pts", G_TYPE_UINT64, 2 * GST_SECOND, NULL);
  va_start (more, first);
  if (first != NULL)
    gst_structure_set_valist (s, first, more);
  va_end (more);
}

/* Pushes a map and compares the output with these depths. */
static GstBuffer *
check_depths (Rig * rig, GstBuffer * map, const guint16 * wanted, guint n)
{
  GstBuffer *out;
  GstMapInfo info;

  fail_unless_equals_int (gst_harness_push (rig->h, map), GST_FLOW_OK);
  out = gst_harness_pull (rig->h);
  fail_unless (gst_buffer_map (out, &info, GST_MAP_READ));
  fail_unless (info.size >= 2 * n);
  for (guint i = 0; i < n; i++)
    fail_unless_equals_int (GST_READ_UINT16_LE (info.data + 2 * i), wanted[i]);
  gst_buffer_unmap (out, &info);
  return out;
}

static gdouble
number_in (GstBuffer * buffer, const gchar * field)
{
  gdouble number = 0;

  fail_unless (gst_structure_get_double (custom_meta_of (buffer, DEPTH_META),
          field, &number), "no %s", field);
  return number;
}

/* Fails unless this map causes one error with this text and no output. */
static void
check_error (Rig * rig, GstBuffer * map, const gchar * text)
{
  fail_unless_equals_int (gst_harness_push (rig->h, map), GST_FLOW_ERROR);
  bus_expect_error (rig->bus, 0, text);

  map = map_of (codes, 8, 2);
  fail_unless_equals_int (gst_harness_push (rig->h, map), GST_FLOW_ERROR);
  fail_unless (gst_bus_pop_filtered (rig->bus, GST_MESSAGE_ERROR) == NULL);
  fail_unless_equals_int (gst_harness_buffers_received (rig->h), 0);
}

/* -------------------------------------------------------------------- tests */

TEST (test_properties_alone)
{
  GstCaps *caps, *wanted;
  GstBuffer *out;
  Rig rig;

  open_rig (&rig, CAMERA, "GRAY16_LE", 8);
  out = check_depths (&rig, map_of (codes, 8, 2), depths, 8);
  caps = gst_pad_get_current_caps (rig.h->sinkpad);
  wanted = gst_caps_from_string ("video/x-raw, format=GRAY16_LE, width=8, "
      "height=1, framerate=25/1, pixel-aspect-ratio=3/2, multiview-mode=left");
  fail_unless (gst_caps_is_subset (caps, wanted));
  gst_caps_unref (wanted);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (out), 3 * GST_SECOND);
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (out), GST_SECOND / 25);
  gst_caps_unref (caps);
  gst_buffer_unref (out);
  close_rig (&rig);
}

/* The meta overrides properties, except those of the camera. */
TEST (test_meta)
{
  static const guint16 row[] = { 0, 40, 64, 77, 255, 128 };
  /* disparity = code / 2 - 4 + 1; z = 500 * 0.1 / disparity */
  static const guint16 wanted[] = { 0, 2941, 1724, 0, 402, 820 };
  static const guint16 nearer[] = { 0, 1471, 862, 0, 201, 410 };
  GstStructure *s;
  GstBuffer *map, *out;
  guint64 pts;
  guint invalid;
  Rig rig;

  open_rig (&rig, "disparity-scale=100 min-disparity=9 invalid-value=40 "
      "range-min=0.05 range-max=70", "GRAY8", 6);
  for (guint i = 0; i < 2; i++) {
    map = map_of (row, 6, 1);
    add_meta (map, "disparity", 2, -4, 77, "focal-length", G_TYPE_DOUBLE,
        500.0, "baseline", G_TYPE_DOUBLE, 0.1, "doffs", G_TYPE_DOUBLE, 1.0,
        i == 1 ? "projection" : NULL, G_TYPE_STRING, "cylinder", NULL);
    if (i == 1)                 /* the property overrides the meta */
      set_focal_length (&rig, 250);
    out = check_depths (&rig, map, i == 0 ? wanted : nearer, 6);
    fail_unless (custom_meta_of (out, META) == NULL);
    fail_unless (number_in (out, "depth-scale") == 1000);
    fail_unless (number_in (out, "focal-length") == (i == 0 ? 500 : 250));
    fail_unless (number_in (out, "baseline") == 0.1);
    /* depth of the largest disparity in the search range, 59, plus doffs */
    fail_unless (ABS (number_in (out, "range-min") - (i == 0 ? 50 : 25) / 60.0)
        < 1e-12);
    fail_unless (number_in (out, "range-max") == 65.535);
    s = custom_meta_of (out, DEPTH_META);
    fail_unless (gst_structure_get_uint (s, "invalid-value", &invalid));
    fail_unless_equals_int (invalid, 0);
    fail_unless (gst_structure_get_uint64 (s, "left-pts", &pts));
    fail_unless_equals_uint64 (pts, GST_SECOND);
    fail_unless (gst_structure_get_uint64 (s, "right-pts", &pts));
    fail_unless_equals_uint64 (pts, 2 * GST_SECOND);
    fail_unless_equals_string (gst_structure_get_string (s, "reference-view"),
        "left");
    fail_unless_equals_string (gst_structure_get_string (s, "projection"),
        i == 1 ? "cylinder" : NULL);
    gst_buffer_unref (out);
  }
  close_rig (&rig);
}

/* Depth times disparity is focal length times baseline for every KITTI code, to
 * half a depth code. */
TEST (test_product_is_constant)
{
  const guint n = 4096;
  guint16 *row = g_new (guint16, n);
  GstMapInfo info;
  GstBuffer *out;
  Rig rig;

  for (guint i = 0; i < n; i++)
    row[i] = (guint16) (i * 15 + 1300);
  open_rig (&rig, "focal-length=721.5377 baseline=0.5327 disparity-scale=256 "
      "depth-scale=256 range-max=256", "GRAY16_LE", n);
  fail_unless_equals_int (gst_harness_push (rig.h, map_of (row, n, 2)),
      GST_FLOW_OK);
  out = gst_harness_pull (rig.h);
  fail_unless (gst_buffer_map (out, &info, GST_MAP_READ));
  for (guint i = 0; i < n; i++) {
    gdouble disparity = row[i] / 256.0;
    gdouble product = GST_READ_UINT16_LE (info.data + 2 * i) * disparity;

    fail_unless (ABS (product - 721.5377 * 0.5327 * 256)
        <= disparity * 0.5000001);
  }
  gst_buffer_unmap (out, &info);
  gst_buffer_unref (out);
  g_free (row);
  close_rig (&rig);
}

LOOP_TEST (test_unknown_camera, 0, 3)
{
  static const gchar *const properties[] = { "", "baseline=0.1",
    "focal-length=500"
  };
  static const gchar *const texts[] = {
    "no focal length and baseline: set focal-length, in pixels, and",
    "have no focal length: set focal-length, in pixels.",
    "have no baseline: set baseline, in metres."
  };
  Rig rig;

  open_rig (&rig, properties[__i__], "GRAY16_LE", 8);
  check_error (&rig, map_of (codes, 8, 2), texts[__i__]);
  close_rig (&rig);
}

TEST (test_no_disparity)
{
  GstBuffer *map = map_of (codes, 8, 2);
  Rig rig;

  open_rig (&rig, CAMERA, "GRAY16_LE", 8);
  add_meta (map, "confidence", 65535, 0, 0, NULL);
  check_error (&rig, map, "have another result: confidence. Link the matcher's "
      "pad src");
  close_rig (&rig);
}

/* All depths are beyond the range, for example for a baseline in millimetres:
 * one warning with possible causes. */
TEST (test_no_known_depth)
{
  static const guint16 unknown[8] = { 0, };
  GstMessage *message;
  GError *warning = NULL;
  Rig rig;

  /* skipped on a GPU, where the check would have to wait for the map */
  if (strcmp (test_backend (), "cuda") == 0)
    return;
  open_rig (&rig, "focal-length=700 baseline=120000 disparity-scale=16 "
      "min-disparity=0 invalid-value=0", "GRAY16_LE", 8);
  for (guint i = 0; i < 3; i++)
    gst_buffer_unref (check_depths (&rig, map_of (codes, 8, 2), unknown, 8));
  message = gst_bus_pop_filtered (rig.bus, GST_MESSAGE_WARNING);
  fail_unless (message != NULL);
  gst_message_parse_warning (message, &warning, NULL);
  fail_unless (strstr (warning->message, "The depth map has no known depth")
      && strstr (warning->message, "from 0 to 65.535 m")
      && strstr (warning->message, "1 pixel is a depth of 8.4e+07 m")
      && strstr (warning->message, "calibration-unit"), "%s",
      warning->message);
  g_clear_error (&warning);
  gst_message_unref (message);
  fail_unless (gst_bus_pop_filtered (rig.bus, GST_MESSAGE_WARNING) == NULL);
  close_rig (&rig);

  open_rig (&rig, CAMERA "disparity-scale=16 min-disparity=0 invalid-value=0",
      "GRAY16_LE", 8);
  gst_buffer_unref (check_depths (&rig, map_of (codes, 8, 2), depths, 8));
  fail_unless (gst_bus_pop_filtered (rig.bus, GST_MESSAGE_WARNING) == NULL);
  close_rig (&rig);
}

TEST (test_empty_range)
{
  Rig rig;

  open_rig (&rig, CAMERA "range-min=3 range-max=2", "GRAY16_LE", 8);
  check_error (&rig, map_of (codes, 8, 2), "range-max = 2 metres has to be "
      "range-min = 3 metres or more");
  close_rig (&rig);
}

/* A 16-bit PNG of rendered disparities, as in the documentation, is
 * lossless. */
TEST (test_pipeline)
{
  GstElement *pipeline;
  GstSample *samples[2];
  GstMapInfo maps[2];
  guint known = 0;

  if (!check_has_element ("pngenc"))
    return;
  pipeline = gst_parse_launch ("stereotestsrc view=disparity num-buffers=1 ! "
      "video/x-raw,format=GRAY16_LE,width=320,height=240 ! "
      "disparitydepth " CAMERA "! tee name=t ! queue ! appsink name=plain "
      "sync=false t. ! queue ! videoconvert ! video/x-raw,format=GRAY16_BE ! "
      "pngenc ! pngdec ! video/x-raw,format=GRAY16_BE ! appsink name=png "
      "sync=false", NULL);
  fail_unless (pipeline != NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (guint i = 0; i < 2; i++) {
    GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), i == 0
        ? "plain" : "png");

    g_signal_emit_by_name (sink, "pull-sample", &samples[i]);
    fail_unless (samples[i] != NULL);
    fail_unless (gst_buffer_map (gst_sample_get_buffer (samples[i]), &maps[i],
            GST_MAP_READ));
    gst_object_unref (sink);
  }
  fail_unless_equals_int (maps[0].size, 2 * 320 * 240);
  fail_unless_equals_int (maps[1].size, maps[0].size);
  for (gsize i = 0; i < maps[0].size; i += 2) {
    guint depth = GST_READ_UINT16_LE (maps[0].data + i);

    fail_unless_equals_int (GST_READ_UINT16_BE (maps[1].data + i), depth);
    known += depth > 0;
  }
  fail_unless (known > 320 * 240 / 2);
  for (guint i = 0; i < 2; i++) {
    gst_buffer_unmap (gst_sample_get_buffer (samples[i]), &maps[i]);
    gst_sample_unref (samples[i]);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

CHECK_MAIN ("disparitydepth")
