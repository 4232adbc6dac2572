/* gst-stereomatching: defects of GStreamer's disparity element
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Each comment describes a defect of `disparity` of gst-plugins-bad
 * (ext/opencv), "it" below; the test checks that the matchers do not have it.
 */

#include "../stereocheck.h"

/* It pairs images in order of arrival and ignores timestamps. */
TEST (test_pairs_by_time_not_by_arrival)
{
  Script *left = script_new (), *right = script_new ();
  GPtrArray *maps;
  Rig rig;

  rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
  script_numbers (left, LEFT, 0, 1, 2, 3, 5, 6, -1);
  script_numbers (right, RIGHT, 0, 2, 3, 4, 5, 6, -1);
  maps = rig_run (&rig, left, right);

  fail_unless_equals_int (maps->len, 5);
  check_numbers (g_ptr_array_index (maps, 0), 0, 0);
  check_numbers (g_ptr_array_index (maps, 1), 2, 2);
  check_numbers (g_ptr_array_index (maps, 2), 3, 3);
  check_numbers (g_ptr_array_index (maps, 3), 5, 5);
  check_numbers (g_ptr_array_index (maps, 4), 6, 6);
  g_ptr_array_unref (maps);
  rig_close (&rig);
}

/* It waits for the other view on a condition that is no longer signalled. */
TEST (test_eos_on_one_side_ends_the_stream)
{
  for (gint v = LEFT; v <= RIGHT; v++) {
    Script *scripts[] = { script_new (), script_new () };
    GPtrArray *maps;
    Rig rig;

    rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
    script_numbers (scripts[v], v, 0, 1, -1);
    script_numbers (scripts[!v], !v, 0, 1, 2, 3, 4, 5, 6, 7, -1);
    maps = rig_run (&rig, scripts[LEFT], scripts[RIGHT]);
    fail_unless_equals_int (maps->len, 2);
    check_numbers (g_ptr_array_index (maps, 0), 0, 0);
    check_numbers (g_ptr_array_index (maps, 1), 1, 1);
    g_ptr_array_unref (maps);
    rig_expect_no_error (&rig);
    rig_close (&rig);
  }
}

/* Its chain functions block, also while the pads are deactivated. */
TEST (test_stopping_frees_a_waiting_source)
{
  for (gint view = LEFT; view <= RIGHT; view++) {
    Script *script = script_new ();
    GstFlowReturn flow;
    Feeder *feeder;
    Rig rig;

    rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
    script_numbers (script, view, 0, 1, 2, 3, 4, 5, 6, 7, -1);
    feeder = feeder_new (&rig, view, script);
    wait_for_image (rig.element, view);
    gst_element_set_state (rig.element, GST_STATE_NULL);
    flow = feeder_join (feeder);
    fail_unless (flow == GST_FLOW_FLUSHING || flow == GST_FLOW_EOS, "%s",
        gst_flow_get_name (flow));
    rig_close (&rig);
  }
}

/* A flush leaves it blocked and leaks its images. */
TEST (test_flush_frees_a_waiting_source)
{
  Script *script = script_new ();
  GstSegment segment;
  gint freed = 0;
  Feeder *feeder;
  Rig rig;

  rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
  script_numbers (script, LEFT, 0, 1, 2, 3, 4, -1);
  for (guint i = 0; i < script->len; i++)
    gst_mini_object_weak_ref (g_ptr_array_index (script, i), count_freed,
        &freed);
  feeder = feeder_new (&rig, LEFT, script);
  /* after the first one is accepted, the next one blocks */
  feeder_wait (feeder, 1);
  for (gint view = LEFT; view <= RIGHT; view++)
    gst_harness_push_event (rig.view[view], gst_event_new_flush_start ());
  feeder_join (feeder);
  for (gint view = LEFT; view <= RIGHT; view++)
    gst_harness_push_event (rig.view[view], gst_event_new_flush_stop (TRUE));
  fail_unless_equals_int (freed, 5);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  for (gint view = LEFT; view <= RIGHT; view++)
    gst_harness_push_event (rig.view[view], gst_event_new_segment (&segment));

  /* matching continues without images from before the flush */
  rig_check_pair (&rig, 6);
  rig_expect_no_error (&rig);
  rig_close (&rig);
}

/* A copy of the image in read-only memory. */
static GstBuffer *
read_only (GstBuffer * image, guint8 ** bytes)
{
  GstBuffer *copy = gst_buffer_new ();
  gpointer data;
  gsize size;

  gst_buffer_extract_dup (image, 0, (gsize) - 1, &data, &size);
  *bytes = data;
  gst_buffer_copy_into (copy, image, GST_BUFFER_COPY_TIMESTAMPS, 0,
      (gsize) - 1);
  gst_buffer_append_memory (copy,
      gst_memory_new_wrapped (GST_MEMORY_FLAG_READONLY, data, size, 0, size,
          NULL, NULL));
  return copy;
}

/* It maps both inputs for writing and draws into the right one. */
TEST (test_inputs_are_not_written_to)
{
  Rig rig;

  rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
  for (gint round = 0; round < 3; round++) {
    GstBuffer *images[2], *map;
    guint8 *bytes[2];

    for (gint v = LEFT; v <= RIGHT; v++)
      images[v] = numbered_image (v, round);
    map = rig_match (&rig, read_only (images[LEFT], &bytes[LEFT]),
        read_only (images[RIGHT], &bytes[RIGHT]));
    check_numbers (map, round, round);
    gst_buffer_unref (map);
    for (gint v = LEFT; v <= RIGHT; v++) {
      gst_check_buffer_data (images[v], bytes[v], WIDTH * HEIGHT);
      gst_buffer_unref (images[v]);
      g_free (bytes[v]);
    }
  }
  rig_close (&rig);
}

/* It assumes rows without padding, and the layout of one view for both. */
TEST (test_rows_may_be_padded)
{
  const gint strides[] = { 131, 256 };
  const gsize offsets[] = { 64, 3 };
  GstBuffer *views[2], *map;
  Rig rig;

  rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
  for (gint v = LEFT; v <= RIGHT; v++) {
    GstBuffer *image = numbered_image (v, 3);
    gint stride[GST_VIDEO_MAX_PLANES] = { strides[v], };
    gsize offset[GST_VIDEO_MAX_PLANES] = { offsets[v], };
    GstMapInfo from, to;

    views[v] = gst_buffer_new_and_alloc (offsets[v]
        + (gsize) strides[v] * HEIGHT);
    gst_buffer_memset (views[v], 0, 0xa5, (gsize) - 1);
    fail_unless (gst_buffer_map (image, &from, GST_MAP_READ));
    fail_unless (gst_buffer_map (views[v], &to, GST_MAP_WRITE));
    for (gint y = 0; y < HEIGHT; y++)
      memcpy (to.data + offsets[v] + y * strides[v], from.data + y * WIDTH,
          WIDTH);
    gst_buffer_unmap (views[v], &to);
    gst_buffer_unmap (image, &from);
    gst_buffer_unref (image);
    gst_buffer_add_video_meta_full (views[v], GST_VIDEO_FRAME_FLAG_NONE,
        GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT, 1, offset, stride);
  }
  map = rig_match (&rig, views[LEFT], views[RIGHT]);
  check_numbers (map, 3, 3);
  gst_buffer_unref (map);
  rig_close (&rig);
}

/* If an image cannot be mapped, its chain function returns with the mutex
 * locked, so that stopping it hangs. */
TEST (test_broken_image_is_an_error_and_not_a_deadlock)
{
  for (gint v = LEFT; v <= RIGHT; v++) {
    gint freed = 0;
    GstBuffer *images[2];
    Rig rig;

    rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
    images[v] = gst_buffer_new_and_alloc (17);
    images[!v] = gray_image (WIDTH, HEIGHT, 0);
    for (gint i = LEFT; i <= RIGHT; i++) {
      gst_mini_object_weak_ref (GST_MINI_OBJECT (images[i]), count_freed,
          &freed);
      rig_push (&rig, i, images[i]);
    }
    rig_expect_error (&rig, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        v == LEFT ? "sink_left" : "sink_right", "17 bytes", "96x4", "GRAY8",
        "384", NULL);
    gst_element_set_state (rig.element, GST_STATE_NULL);
    rig_expect_no_error (&rig);
    rig_close (&rig);
    fail_unless_equals_int (freed, 2);
  }
}

/* It normalizes each frame to the full range, so that codes of equal depths
 * differ between frames, and outputs colours instead of numbers. */
TEST (test_codes_do_not_depend_on_the_rest_of_the_frame)
{
  static const gchar *const formats[] = { "GRAY16_LE", "GRAY8" };

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    gchar *text = g_strdup_printf ("video/x-raw, format=%s", formats[f]);
    GstCaps *caps;
    Rig rig;

    rig_open (&rig, VCBW "num-disparities=33");
    gst_harness_set_sink_caps_str (rig.view[LEFT], text);
    rig_caps (&rig, LEFT, CAPS);
    rig_caps (&rig, RIGHT, CAPS);
    for (gint d = 1; d <= 31; d += 6) {
      GstBuffer *left = gray_image (WIDTH, HEIGHT, 0);
      GstBuffer *right = gray_image (WIDTH, HEIGHT, d);
      GstBuffer *map = rig_match (&rig, left, right);

      caps = rig_output_caps (&rig);
      check_codes (map, caps, 40, WIDTH - 4,
          f == 0 ? 16 * (guint) d : (guint) (d * 255 / 32.0 + 0.5));
      gst_caps_unref (caps);
      gst_buffer_unref (map);
    }
    g_free (text);
    rig_close (&rig);
  }
}

/* It keeps the geometry of the first caps. */
TEST (test_size_may_change)
{
  static const gint sizes[][2] = { {WIDTH, HEIGHT}, {160, 9}, {50, 3},
  {WIDTH, HEIGHT}
  };
  Rig rig;

  rig_open (&rig, VCBW "num-disparities=16");
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    gint w = sizes[i][0], h = sizes[i][1];
    gchar *text = g_strdup_printf ("video/x-raw, format=GRAY8, width=%d, "
        "height=%d, framerate=25/1", w, h);
    GstStructure *s;
    GstBuffer *map;
    GstCaps *caps;
    gint width, height;

    for (gint v = LEFT; v <= RIGHT; v++) {
      if (i == 0)
        rig_caps (&rig, v, text);
      else
        fail_unless (rig_push_caps (&rig, v, text));
    }
    map = rig_match (&rig, gray_image (w, h, 0), gray_image (w, h, 5));
    caps = rig_output_caps (&rig);
    s = gst_caps_get_structure (caps, 0);
    fail_unless (gst_structure_get_int (s, "width", &width)
        && gst_structure_get_int (s, "height", &height));
    fail_unless (width == w && height == h);
    check_codes (map, caps, 16, w - 4, 5 * 16);
    gst_caps_unref (caps);
    gst_buffer_unref (map);
    g_free (text);
  }
  rig_expect_no_error (&rig);
  rig_close (&rig);
}

/* Its pad templates do not have the names of its pads. */
TEST (test_templates_are_named_as_the_pads)
{
  gchar **names = matchers ();

  for (guint i = 0; names[i] != NULL; i++) {
    GstElement *element = gst_element_factory_make (names[i], NULL);

    fail_unless_equals_int (element->numpads, 3);
    for (GList * p = element->pads; p != NULL; p = p->next) {
      GstPadTemplate *template = gst_pad_get_pad_template (p->data);

      fail_unless_equals_string (GST_OBJECT_NAME (p->data),
          GST_PAD_TEMPLATE_NAME_TEMPLATE (template));
      gst_object_unref (template);
    }
    gst_object_unref (element);
  }
  g_strfreev (names);
}

/* Its search range is fixed. */
TEST (test_range_is_a_property)
{
  GstCaps *caps;
  GstBuffer *map;
  Rig rig;

  rig_open_with_caps (&rig, VCBW "min-disparity=-7 num-disparities=5", CAPS,
      CAPS);
  map = rig_match (&rig, gray_image (WIDTH, HEIGHT, 0),
      gray_image (WIDTH, HEIGHT, -4));
  caps = rig_output_caps (&rig);
  check_codes (map, caps, 4, WIDTH - 12, (-4 + 7) * 16);
  gst_caps_unref (caps);
  gst_buffer_unref (map);
  rig_close (&rig);
}

CHECK_MAIN ("stereo-defects")
