/* gst-stereomatching: wrong GstVideoMetas
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A GstVideoMeta describes the planes of an image.  No element may access
 * memory outside the buffer, whatever the meta says: it posts one error.  The
 * address sanitizer finds accesses that plain builds do not.
 */

#include "../stereocheck.h"

#define SIZE (WIDTH * HEIGHT)
#define I420 \
    "video/x-raw, format=I420, width=96, height=4, framerate=25/1"

/* A buffer with a meta, and a part of the expected error message. */
typedef struct
{
  const gchar *caps;
  GstVideoFormat format;
  gsize memory[2];              /* sizes; one memory if the second is 0 */
  guint width, height;
  gsize offset[3];
  gint stride[3];
  guint crop_x, crop_y;         /* crop to the size of the caps; 0, 0 = none */
  const gchar *error;
} MetaCase;

#define GRAY CAPS, GST_VIDEO_FORMAT_GRAY8

static const MetaCase cases[] = {
  /* valid, up to the last byte */
  {GRAY, {SIZE}, WIDTH, HEIGHT, {0}, {WIDTH}, 0, 0, NULL},
  {GRAY, {1 + 3 * 128 + WIDTH}, WIDTH, HEIGHT, {1}, {128}, 0, 0, NULL},
  {GRAY, {16, SIZE}, WIDTH, HEIGHT, {16}, {WIDTH}, 0, 0, NULL},
  {GRAY, {110 * 9}, 110, 9, {0}, {110}, 14, 5, NULL},
  {I420, GST_VIDEO_FORMAT_I420, {SIZE, SIZE / 2}, WIDTH, HEIGHT,
      {0, SIZE, SIZE + SIZE / 4}, {WIDTH, WIDTH / 2, WIDTH / 2}, 0, 0, NULL},
  /* too little memory */
  {GRAY, {100}, WIDTH, HEIGHT, {0}, {WIDTH}, 0, 0, "100 bytes"},
  {GRAY, {SIZE}, WIDTH, HEIGHT, {1}, {WIDTH}, 0, 0, "ends before"},
  {GRAY, {3 * 128 + WIDTH}, WIDTH, HEIGHT, {1}, {128}, 0, 0, "ends before"},
  {GRAY, {110 * 9 - 1}, 110, 9, {0}, {110}, 14, 5, "ends before"},
  {GRAY, {SIZE / 2, SIZE / 2}, WIDTH, HEIGHT, {0}, {WIDTH}, 0, 0,
      "ends before"},
  {I420, GST_VIDEO_FORMAT_I420, {SIZE, SIZE / 2 - 1}, WIDTH, HEIGHT,
        {0, SIZE, SIZE + SIZE / 4}, {WIDTH, WIDTH / 2, WIDTH / 2}, 0, 0,
      "plane 2"},
  /* outside the memory */
  {GRAY, {SIZE}, WIDTH, HEIGHT, {SIZE}, {WIDTH}, 0, 0, "outside"},
  {GRAY, {SIZE}, WIDTH, HEIGHT, {G_MAXSIZE - 95}, {WIDTH}, 0, 0, "outside"},
  {I420, GST_VIDEO_FORMAT_I420, {SIZE, SIZE / 2}, WIDTH, HEIGHT,
        {0, G_MAXSIZE / 2, SIZE}, {WIDTH, WIDTH / 2, WIDTH / 2}, 0, 0,
      "outside"},
  /* invalid strides */
  {GRAY, {SIZE}, WIDTH, HEIGHT, {0}, {G_MAXINT}, 0, 0, "ends before"},
  {GRAY, {SIZE}, WIDTH, HEIGHT, {3 * WIDTH}, {-WIDTH}, 0, 0, "stride of -96"},
  {GRAY, {SIZE}, WIDTH, HEIGHT, {0}, {G_MININT}, 0, 0, "stride of -"},
  {GRAY, {SIZE}, WIDTH, HEIGHT, {0}, {WIDTH - 1}, 0, 0, "stride of 95"},
  {GRAY, {SIZE}, WIDTH, HEIGHT, {0}, {0}, 0, 0, "stride of 0"},
  /* differs from the caps */
  {GRAY, {SIZE}, 48, 2, {0}, {48}, 0, 0, "48x2"},
  {GRAY, {320 * 240}, 320, 240, {0}, {320}, 0, 0, "320x240"},
  {GRAY, {110 * 9}, 110, 9, {0}, {110}, 15, 5, "110x9"},
  {GRAY, {110 * 9}, 110, 9, {0}, {110}, G_MAXUINT, 5, "110x9"},
  {GRAY, {0x7fffffff / 0x10000}, G_MAXUINT, G_MAXUINT, {0}, {WIDTH}, 0, 0,
      "4294967295x4294967295"},
  {CAPS, GST_VIDEO_FORMAT_GRAY16_LE, {2 * SIZE}, WIDTH, HEIGHT, {0},
      {2 * WIDTH}, 0, 0, "GRAY16_LE"},
  {I420, GST_VIDEO_FORMAT_I420, {4 * SIZE}, 110, 9, {0, 990, 1265},
      {110, 55, 55}, 13, 4, "between"},
};

static GstBuffer *
buffer_with_meta (const MetaCase * meta_case)
{
  GstBuffer *buffer = gst_buffer_new ();
  const GstVideoFormatInfo *info =
      gst_video_format_get_info (meta_case->format);
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0, };
  gint stride[GST_VIDEO_MAX_PLANES] = { 0, };

  for (guint i = 0; i < 2 && meta_case->memory[i] > 0; i++)
    gst_buffer_append_memory (buffer, gst_allocator_alloc (NULL,
            meta_case->memory[i], NULL));
  gst_buffer_memset (buffer, 0, 100, (gsize) - 1);
  for (guint i = 0; i < 3; i++) {
    offset[i] = meta_case->offset[i];
    stride[i] = meta_case->stride[i];
  }
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      meta_case->format, meta_case->width, meta_case->height,
      GST_VIDEO_FORMAT_INFO_N_PLANES (info), offset, stride);
  if (meta_case->crop_x > 0) {
    GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta (buffer);

    crop->x = meta_case->crop_x;
    crop->y = meta_case->crop_y;
    crop->width = WIDTH;
    crop->height = HEIGHT;
  }
  GST_BUFFER_PTS (buffer) = 0;
  GST_BUFFER_DURATION (buffer) = FRAME;
  return buffer;
}

static GstBuffer *
plain_buffer (const gchar * text)
{
  GstCaps *caps = gst_caps_from_string (text);
  GstVideoInfo info;
  GstBuffer *buffer;

  fail_unless (gst_video_info_from_caps (&info, caps));
  buffer = gst_buffer_new_and_alloc (GST_VIDEO_INFO_SIZE (&info));
  gst_buffer_memset (buffer, 0, 100, (gsize) - 1);
  GST_BUFFER_PTS (buffer) = 0;
  GST_BUFFER_DURATION (buffer) = FRAME;
  gst_caps_unref (caps);
  return buffer;
}

LOOP_TEST (test_matcher, 0, 2 * G_N_ELEMENTS (cases))
{
  const MetaCase *meta_case = &cases[__i__ / 2];
  gint v = __i__ % 2;
  GstBuffer *map;
  Rig rig;

  rig_open_with_caps (&rig, VCBW, meta_case->caps, meta_case->caps);
  rig_push (&rig, !v, plain_buffer (meta_case->caps));
  rig_push (&rig, v, buffer_with_meta (meta_case));
  if (meta_case->error == NULL) {
    map = gst_harness_pull (rig.view[LEFT]);
    fail_unless (map != NULL);
    gst_buffer_unref (map);
  } else {
    rig_expect_error (&rig, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        v == LEFT ? "sink_left" : "sink_right", meta_case->error, NULL);
    gst_element_set_state (rig.element, GST_STATE_NULL);
  }
  rig_expect_no_error (&rig);
  rig_close (&rig);
}

/* Pushes one buffer with CAPS.  Returns the text of the error, or NULL. */
static gchar *
error_of_filter (const gchar * launch, GstBuffer * buffer,
    GstFlowReturn * flow)
{
  GstHarness *h = gst_harness_new_parse (launch);
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  gchar *text = NULL;
  GError *error;

  gst_element_set_bus (h->element, bus);
  gst_harness_set_src_caps_str (h, CAPS);
  *flow = gst_harness_push (h, buffer);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  if (message != NULL) {
    gst_message_parse_error (message, &error, NULL);
    text = g_strdup (error->message);
    g_error_free (error);
    gst_message_unref (message);
    fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR) == NULL);
  }
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
  return text;
}

LOOP_TEST (test_filter, 0, G_N_ELEMENTS (cases))
{
  const MetaCase *meta_case = &cases[__i__];
  GstFlowReturn flow;
  gchar *error;

  if (strcmp (meta_case->caps, CAPS) != 0)
    return;
  error = error_of_filter ("disparitycolor range-min=0 range-max=9",
      buffer_with_meta (meta_case), &flow);
  if (meta_case->error == NULL) {
    fail_unless (error == NULL, "%s", error);
    fail_unless_equals_int (flow, GST_FLOW_OK);
  } else {
    fail_unless (error != NULL && strstr (error, meta_case->error) != NULL
        && strstr (error, "on sink") != NULL, "%s", error);
    fail_unless_equals_int (flow, GST_FLOW_ERROR);
  }
  g_free (error);
}

/* Without a meta the caps determine the size. */
TEST (test_filter_with_a_short_buffer)
{
  GstFlowReturn flow;
  gchar *error = error_of_filter ("disparitycolor",
      gst_buffer_new_and_alloc (SIZE - 1), &flow);

  fail_unless (error != NULL && strstr (error, "383 bytes")
      && strstr (error, "384"), "%s", error);
  fail_unless_equals_int (flow, GST_FLOW_ERROR);
  g_free (error);
}

/* Only the cropped region is matched, in every plane. */
TEST (test_crop_is_applied)
{
  static const gchar *const formats[] = { "GRAY8", "I420", "BGRx", "NV12",
    "YUY2", "UYVY", "P010_10LE", "I420_10LE"
  };
  const gint x = 14, y = 2, width = WIDTH + 30, height = HEIGHT + 4;

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    gchar *inner = g_strdup_printf ("video/x-raw, format=%s, width=%d, "
        "height=%d, framerate=25/1", formats[f], WIDTH, HEIGHT);
    gchar *outer = g_strdup_printf ("video/x-raw, format=%s, width=%d, "
        "height=%d, framerate=25/1", formats[f], width, height);
    GstCaps *caps = gst_caps_from_string (outer), *out;
    GstBuffer *views[2], *map;
    GstVideoInfo info;
    Rig rig;

    fail_unless (gst_video_info_from_caps (&info, caps));
    rig_open_with_caps (&rig, VCBW, inner, inner);
    for (gint v = LEFT; v <= RIGHT; v++) {
      GstVideoCropMeta *crop;

      views[v] = shifted_image (caps, v == LEFT ? 0 : 7);
      GST_BUFFER_PTS (views[v]) = 0;
      gst_buffer_add_video_meta_full (views[v], GST_VIDEO_FRAME_FLAG_NONE,
          GST_VIDEO_INFO_FORMAT (&info), (guint) width, (guint) height,
          GST_VIDEO_INFO_N_PLANES (&info), info.offset, info.stride);
      crop = gst_buffer_add_video_crop_meta (views[v]);
      /* a crop that begins 4 columns earlier moves the image 4 columns right */
      crop->x = (guint) (v == LEFT ? x : x - 4);
      crop->y = (guint) y;
      crop->width = WIDTH;
      crop->height = HEIGHT;
    }
    map = rig_match (&rig, views[LEFT], views[RIGHT]);
    out = rig_output_caps (&rig);
    check_codes (map, out, 16, WIDTH - 16, 16 * (7 - 4));
    gst_caps_unref (out);
    gst_buffer_unref (map);
    gst_caps_unref (caps);
    g_free (inner);
    g_free (outer);
    rig_close (&rig);
  }
}

/* Samples need no alignment. */
TEST (test_16_bits_at_odd_addresses)
{
  static const gchar caps[] =
      "video/x-raw, format=GRAY16_LE, width=96, height=4, framerate=25/1";
  gsize offset[GST_VIDEO_MAX_PLANES] = { 1, };
  gint stride[GST_VIDEO_MAX_PLANES] = { 2 * WIDTH + 1, };
  GstCaps *c = gst_caps_from_string (caps);
  GstBuffer *views[2], *map;
  GstCaps *out;
  Rig rig;

  rig_open_with_caps (&rig, VCBW, caps, caps);
  for (gint v = LEFT; v <= RIGHT; v++) {
    GstBuffer *image = shifted_image (c, v == LEFT ? 0 : 5);
    GstMapInfo from, to;

    views[v] = gst_buffer_new_and_alloc (1 + (2 * WIDTH + 1) * HEIGHT);
    fail_unless (gst_buffer_map (image, &from, GST_MAP_READ));
    fail_unless (gst_buffer_map (views[v], &to, GST_MAP_WRITE));
    for (gint y = 0; y < HEIGHT; y++)
      memcpy (to.data + 1 + y * (2 * WIDTH + 1), from.data + y * 2 * WIDTH,
          2 * WIDTH);
    gst_buffer_unmap (views[v], &to);
    gst_buffer_unmap (image, &from);
    gst_buffer_unref (image);
    GST_BUFFER_PTS (views[v]) = 0;
    gst_buffer_add_video_meta_full (views[v], GST_VIDEO_FRAME_FLAG_NONE,
        GST_VIDEO_FORMAT_GRAY16_LE, WIDTH, HEIGHT, 1, offset, stride);
  }
  map = rig_match (&rig, views[LEFT], views[RIGHT]);
  out = rig_output_caps (&rig);
  check_codes (map, out, 16, WIDTH - 4, 5 * 16);
  gst_caps_unref (out);
  gst_caps_unref (c);
  gst_buffer_unref (map);
  rig_expect_no_error (&rig);
  rig_close (&rig);
}

CHECK_MAIN ("stereo-metas")
