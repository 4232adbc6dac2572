/* gst-stereomatching: tests of the element stereosplit
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "checkmain.h"

#include <gst/check/gstharness.h>
#include <gst/video/video.h>

#include <string.h>

#define LEFT 0
#define RIGHT 1

/* Multiview flags with their mask. */
#define RIGHT_VIEW_FIRST "multiview-flags=(GstVideoMultiviewFlagsSet)1:ffffffff"
#define LEFT_FLIPPED "multiview-flags=(GstVideoMultiviewFlagsSet)2:ffffffff"
#define HALF_ASPECT "multiview-flags=(GstVideoMultiviewFlagsSet)4000:ffffffff"

#define WIDTH 48
#define HEIGHT 32

static const gchar *const layouts[] = { "side-by-side", "top-bottom",
  "row-interleaved", "column-interleaved", "checkerboard"
};

enum
{
  SIDE_BY_SIDE,
  TOP_BOTTOM,
  ROWS,
  COLUMNS,
  CHECKERBOARD,
  N_LAYOUTS
};

/* ---------------------------------------------------------------------- rig */

typedef struct
{
  GstElement *element;
  GstBus *bus;
  GstHarness *view[2];          /* view[LEFT] also has the sink pad */
} Rig;

static void
open_rig (Rig * rig, const gchar * launch, gboolean takes_meta)
{
  rig->element = gst_parse_launch (launch, NULL);
  fail_unless (rig->element != NULL);
  rig->bus = gst_bus_new ();
  gst_element_set_bus (rig->element, rig->bus);
  rig->view[LEFT] = gst_harness_new_with_element (rig->element, "sink",
      "src_left");
  rig->view[RIGHT] = gst_harness_new_with_element (rig->element, NULL,
      "src_right");
  for (guint v = 0; v < 2 && takes_meta; v++)
    gst_harness_add_propose_allocation_meta (rig->view[v],
        GST_VIDEO_META_API_TYPE, NULL);
}

static void
close_rig (Rig * rig)
{
  gst_harness_teardown (rig->view[RIGHT]);
  gst_harness_teardown (rig->view[LEFT]);
  gst_element_set_bus (rig->element, NULL);
  gst_object_unref (rig->bus);
  gst_object_unref (rig->element);
}

/* The text of the next message of this type, or NULL.  Freed by the caller. */
static gchar *
message_of (Rig * rig, GstMessageType type)
{
  GstMessage *message = gst_bus_pop_filtered (rig->bus, type);
  GError *error = NULL;
  gchar *text;

  if (message == NULL)
    return NULL;
  if (type == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else
    gst_message_parse_warning (message, &error, NULL);
  text = g_strdup (error->message);
  g_clear_error (&error);
  gst_message_unref (message);
  return text;
}

static void
check_message (Rig * rig, GstMessageType type, const gchar * part)
{
  gchar *text = message_of (rig, type);

  fail_unless (text != NULL, "no message with '%s'", part);
  fail_unless (strstr (text, part) != NULL, "%s", text);
  g_free (text);
  fail_unless (message_of (rig, type) == NULL);
}

/* -------------------------------------------------------------------- video */

static gchar *
caps_of (GstVideoFormat format, guint width, guint height)
{
  return g_strdup_printf ("video/x-raw, format=%s, width=%u, height=%u, "
      "framerate=25/1", gst_video_format_to_string (format), width, height);
}

/* Noise, optionally with a GstVideoMeta and, without a palette, padded rows. */
static GstBuffer *
noise_frame (const GstVideoInfo * info, gboolean padded)
{
  GstVideoAlignment alignment;
  GstVideoInfo wide = *info;
  GstBuffer *buffer;
  GstMapInfo map;
  guint32 state = 1;

  gst_video_alignment_reset (&alignment);
  /* gst_video_info_align() moves palettes beyond the buffer */
  if (padded && !GST_VIDEO_FORMAT_INFO_HAS_PALETTE (info->finfo)) {
    alignment.padding_right = 16;
    alignment.padding_top = 4;
  }
  fail_unless (gst_video_info_align (&wide, &alignment));
  buffer = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (&wide), NULL);
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (gsize i = 0; i < map.size; i++) {
    state = state * 1664525 + 1013904223;
    map.data[i] = (guint8) (state >> 24);
  }
  gst_buffer_unmap (buffer, &map);
  if (padded)
    gst_buffer_add_video_meta_full (buffer, 0, GST_VIDEO_INFO_FORMAT (info),
        WIDTH, HEIGHT, GST_VIDEO_INFO_N_PLANES (info), wide.offset,
        wide.stride);
  GST_BUFFER_PTS (buffer) = GST_SECOND;
  GST_BUFFER_DURATION (buffer) = 40 * GST_MSECOND;
  return buffer;
}

/* All pixels, in GStreamer's unpack format. */
static guint8 *
unpack (const GstVideoInfo * info, GstBuffer * buffer, gsize * pixel)
{
  const GstVideoFormatInfo *f = info->finfo;
  const GstVideoFormatInfo *to =
      gst_video_format_get_info (f->unpack_format);
  GstVideoFrame frame;
  guint8 *pixels;
  gsize row;

  *pixel = (gsize) GST_VIDEO_FORMAT_INFO_PSTRIDE (to, 0);
  row = *pixel * (gsize) info->width;
  /* unpacking writes whole groups of pixels */
  pixels = g_malloc0 (row * (gsize) info->height + 4096);
  fail_unless (gst_video_frame_map (&frame, info, buffer, GST_MAP_READ));
  for (gint y = 0; y < info->height; y++)
    f->unpack_func (f, GST_VIDEO_PACK_FLAG_NONE, pixels + row * (gsize) y,
        frame.data, frame.info.stride, 0, y, info->width);
  gst_video_frame_unmap (&frame);
  return pixels;
}

/* The position of pixel (x, y) of a view in the frame. */
static void
origin_of (guint layout, gboolean second, guint * x, guint * y)
{
  switch (layout) {
    case SIDE_BY_SIDE:
      *x += second ? WIDTH / 2 : 0;
      break;
    case TOP_BOTTOM:
      *y += second ? HEIGHT / 2 : 0;
      break;
    case ROWS:
      *y = 2 * *y + (second ? 1 : 0);
      break;
    case COLUMNS:
      *x = 2 * *x + (second ? 1 : 0);
      break;
    default:
      *x = 2 * *x + ((*y % 2 == 0) == second ? 1 : 0);
      break;
  }
}

static void
view_size (guint layout, guint * width, guint * height)
{
  *width = layout == TOP_BOTTOM || layout == ROWS ? WIDTH : WIDTH / 2;
  *height = layout == TOP_BOTTOM || layout == ROWS ? HEIGHT / 2 : HEIGHT;
}

/* Fails unless the buffer contains exactly the pixels of that view. */
static void
check_view (const GstVideoInfo * info, GstBuffer * frame, guint layout,
    gboolean second, GstBuffer * buffer)
{
  guint8 *whole, *part;
  GstVideoInfo view;
  guint width, height;
  gsize pixel;

  view_size (layout, &width, &height);
  gst_video_info_set_format (&view, GST_VIDEO_INFO_FORMAT (info), width,
      height);
  view.colorimetry = info->colorimetry;
  whole = unpack (info, frame, &pixel);
  part = unpack (&view, buffer, &pixel);
  for (guint y = 0; y < height; y++) {
    for (guint x = 0; x < width; x++) {
      guint from_x = x, from_y = y;

      origin_of (layout, second, &from_x, &from_y);
      if (memcmp (part + pixel * (y * width + x),
              whole + pixel * (from_y * WIDTH + from_x), pixel) != 0)
        fail ("%s, %s: pixel (%u, %u) of the %s view is not (%u, %u)",
            GST_VIDEO_INFO_NAME (info), layouts[layout], x, y,
            second ? "second" : "first", from_x, from_y);
    }
  }
  g_free (whole);
  g_free (part);
}

/* ------------------------------------------------------------------ formats */

/* The error message about a format that cannot be split, or NULL. */
static const gchar *
get_expected_error (const GstVideoInfo * info, guint layout)
{
  static const gchar *const groups[] = { "v210", "UYVY", "VYUY", "UYVP", "IYU1",
    "NV12_10LE32", "NV16_10LE32", "GRAY10_LE32", "NV12_10LE40", "NV16_10LE40",
    "IYU2", NULL
  };
  const GstVideoFormatInfo *f = info->finfo;
  gboolean columns = layout != TOP_BOTTOM && layout != ROWS;
  guint shift_x = 0, shift_y = 0;

  for (guint c = 0; c < f->n_components; c++) {
    shift_x = MAX (shift_x, f->w_sub[c]);
    shift_y = MAX (shift_y, f->h_sub[c]);
  }
  if (GST_VIDEO_FORMAT_INFO_IS_TILED (f))
    return "tiled";
  if (columns && g_strv_contains (groups, GST_VIDEO_INFO_NAME (info))
      && f->pixel_stride[0] == 0)
    return "several pixels";
  if ((layout == COLUMNS && shift_x) || (layout == ROWS && shift_y)
      || (layout == CHECKERBOARD && (shift_x || shift_y)))
    return "chroma";
  return NULL;
}

static void
check_format (GstVideoFormat format, guint layout, gboolean takes_meta,
    gboolean padded)
{
  gchar *line = g_strdup_printf ("stereosplit layout=%s", layouts[layout]);
  gchar *caps = caps_of (format, WIDTH, HEIGHT);
  GstBuffer *frame, *view;
  const gchar *why;
  GstVideoInfo info;
  GstCaps *parsed = gst_caps_from_string (caps);
  Rig rig;

  fail_unless (gst_video_info_from_caps (&info, parsed));
  why = get_expected_error (&info, layout);
  open_rig (&rig, line, takes_meta);
  gst_harness_set_src_caps_str (rig.view[LEFT], caps);
  if (why != NULL) {
    check_message (&rig, GST_MESSAGE_ERROR, why);
  } else {
    frame = noise_frame (&info, padded);
    fail_unless_equals_int (gst_harness_push (rig.view[LEFT],
            gst_buffer_ref (frame)), GST_FLOW_OK);
    for (guint v = 0; v < 2; v++) {
      view = gst_harness_pull (rig.view[v]);
      fail_unless_equals_uint64 (GST_BUFFER_PTS (view), GST_SECOND);
      fail_unless_equals_uint64 (GST_BUFFER_DURATION (view),
          40 * GST_MSECOND);
      check_view (&info, frame, layout, v == RIGHT, view);
      gst_buffer_unref (view);
    }
    gst_buffer_unref (frame);
  }
  close_rig (&rig);
  gst_caps_unref (parsed);
  g_free (caps);
  g_free (line);
}

/* Every raw format of GStreamer in every layout. */
LOOP_TEST (test_all_formats, 0, N_LAYOUTS)
{
  GstCaps *all = gst_caps_from_string ("video/x-raw, format="
      GST_VIDEO_FORMATS_ALL);
  const GValue *list =
      gst_structure_get_value (gst_caps_get_structure (all, 0), "format");

  fail_unless (gst_value_list_get_size (list) > 80);
  for (guint i = 0; i < gst_value_list_get_size (list); i++)
    check_format (gst_video_format_from_string (g_value_get_string
            (gst_value_list_get_value (list, i))), (guint) __i__, TRUE, FALSE);
  gst_caps_unref (all);
}

/* Padded rows, and a downstream without support for GstVideoMeta. */
TEST (test_strides)
{
  static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_GRAY8,
    GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_NV12,
    GST_VIDEO_FORMAT_YUY2, GST_VIDEO_FORMAT_Y444_10LE, GST_VIDEO_FORMAT_RGB8P
  };

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    for (guint l = 0; l < N_LAYOUTS; l++) {
      check_format (formats[f], l, FALSE, FALSE);
      check_format (formats[f], l, TRUE, TRUE);
      check_format (formats[f], l, FALSE, TRUE);
    }
  }
}

/* ------------------------------------------------------------------- memory */

static gboolean
shares_memory (GstBuffer * frame, GstBuffer * view)
{
  GstMapInfo maps[2];
  gboolean inside;

  fail_unless (gst_buffer_map (frame, &maps[0], GST_MAP_READ));
  fail_unless (gst_buffer_map (view, &maps[1], GST_MAP_READ));
  inside = maps[1].data >= maps[0].data
      && maps[1].data < maps[0].data + maps[0].size;
  gst_buffer_unmap (view, &maps[1]);
  gst_buffer_unmap (frame, &maps[0]);
  return inside;
}

TEST (test_nothing_is_copied)
{
  for (guint i = 0; i < 2 * N_LAYOUTS; i++) {
    const guint layout = i / 2;
    const gboolean takes_meta = i % 2 == 0;
    gchar *line = g_strdup_printf ("stereosplit layout=%s", layouts[layout]);
    gchar *caps = caps_of (GST_VIDEO_FORMAT_RGB, WIDTH, HEIGHT);
    GstVideoInfo info;
    GstBuffer *frame, *view;
    Rig rig;

    gst_video_info_set_format (&info, GST_VIDEO_FORMAT_RGB, WIDTH, HEIGHT);
    frame = noise_frame (&info, FALSE);
    open_rig (&rig, line, takes_meta);
    gst_harness_set_src_caps_str (rig.view[LEFT], caps);
    fail_unless_equals_int (gst_harness_push (rig.view[LEFT],
            gst_buffer_ref (frame)), GST_FLOW_OK);
    for (guint v = 0; v < 2; v++) {
      view = gst_harness_pull (rig.view[v]);
      fail_unless_equals_int (shares_memory (frame, view), takes_meta
          && layout != COLUMNS && layout != CHECKERBOARD);
      if (!takes_meta)
        fail_unless (gst_buffer_get_video_meta (view) == NULL);
      gst_buffer_unref (view);
    }
    gst_buffer_unref (frame);
    close_rig (&rig);
    g_free (caps);
    g_free (line);
  }
}

/* A relinked downstream element may support other metas. */
TEST (test_reconfigure)
{
  gchar *caps = caps_of (GST_VIDEO_FORMAT_RGB, WIDTH, HEIGHT);
  GstVideoInfo info;
  GstBuffer *frame;
  Rig rig;

  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_RGB, WIDTH, HEIGHT);
  frame = noise_frame (&info, FALSE);
  open_rig (&rig, "stereosplit layout=side-by-side", FALSE);
  gst_harness_set_src_caps_str (rig.view[LEFT], caps);
  for (guint i = 0; i < 3; i++) {
    fail_unless_equals_int (gst_harness_push (rig.view[LEFT],
            gst_buffer_ref (frame)), GST_FLOW_OK);
    for (guint v = 0; v < 2; v++) {
      GstBuffer *view = gst_harness_pull (rig.view[v]);

      fail_unless_equals_int (shares_memory (frame, view), i > 0 && v == RIGHT);
      gst_buffer_unref (view);
    }
    if (i > 0)
      continue;
    gst_harness_add_propose_allocation_meta (rig.view[RIGHT],
        GST_VIDEO_META_API_TYPE, NULL);
    fail_unless (gst_harness_push_upstream_event (rig.view[RIGHT],
            gst_event_new_reconfigure ()));
  }
  gst_buffer_unref (frame);
  close_rig (&rig);
  g_free (caps);
}

/* --------------------------------------------------------------------- caps */

typedef struct
{
  const gchar *properties;
  const gchar *caps;            /* besides GRAY8, 48x32 */
  const gchar *shape;           /* of the views */
  guint layout;
  gboolean right_first;
} CapsCase;

LOOP_TEST (test_caps, 0, 9)
{
  static const CapsCase cases[] = {
    {"", "multiview-mode=side-by-side", "width=24, height=32, "
          "pixel-aspect-ratio=1/1", SIDE_BY_SIDE, FALSE},
    {"", "multiview-mode=top-bottom, " RIGHT_VIEW_FIRST,
        "width=48, height=16", TOP_BOTTOM, TRUE},
    {"swap=true", "multiview-mode=top-bottom, " RIGHT_VIEW_FIRST,
        "width=48, height=16", TOP_BOTTOM, FALSE},
    {"swap=true", "multiview-mode=row-interleaved, " HALF_ASPECT,
          "width=48, height=16, pixel-aspect-ratio=1/2", ROWS, TRUE},
    {"", "multiview-mode=column-interleaved, " HALF_ASPECT ", "
          "pixel-aspect-ratio=3/2", "width=24, height=32, "
          "pixel-aspect-ratio=3/1", COLUMNS, FALSE},
    {"", "multiview-mode=checkerboard", "width=24, height=32", CHECKERBOARD,
        FALSE},
    {"half-aspect=true", "multiview-mode=side-by-side, "
          "pixel-aspect-ratio=1/2", "width=24, height=32, "
          "pixel-aspect-ratio=1/1", SIDE_BY_SIDE, FALSE},
    {"layout=top-bottom", "multiview-mode=side-by-side", "width=48, height=16",
        TOP_BOTTOM, FALSE},
    {"layout=top-bottom", "multiview-mode=mono", "width=48, height=16",
        TOP_BOTTOM, FALSE},
  };
  const CapsCase *c = &cases[__i__];
  gchar *line = g_strdup_printf ("stereosplit %s", c->properties);
  gchar *caps = g_strdup_printf ("video/x-raw, format=GRAY8, width=48, "
      "height=32, framerate=25/1, views=2, %s", c->caps);
  GstVideoInfo info;
  GstBuffer *frame;
  Rig rig;

  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT);
  frame = noise_frame (&info, FALSE);
  open_rig (&rig, line, TRUE);
  gst_harness_set_src_caps_str (rig.view[LEFT], caps);
  fail_unless_equals_int (gst_harness_push (rig.view[LEFT],
          gst_buffer_ref (frame)), GST_FLOW_OK);
  for (guint v = 0; v < 2; v++) {
    gchar *wanted = g_strdup_printf ("video/x-raw, format=GRAY8, "
        "framerate=25/1, multiview-mode=%s, %s", v == LEFT ? "left" : "right",
        c->shape);
    GstCaps *shape = gst_caps_from_string (wanted);
    GstCaps *got = gst_pad_get_current_caps (rig.view[v]->sinkpad);
    GstBuffer *view = gst_harness_pull (rig.view[v]);
    const GstStructure *s = gst_caps_get_structure (got, 0);

    fail_unless (gst_caps_is_subset (got, shape), "%" GST_PTR_FORMAT, got);
    fail_if (gst_structure_has_field (s, "multiview-flags"));
    fail_if (gst_structure_has_field (s, "views"));
    check_view (&info, frame, c->layout, (v == RIGHT) != c->right_first, view);
    gst_buffer_unref (view);
    gst_caps_unref (got);
    gst_caps_unref (shape);
    g_free (wanted);
  }
  fail_unless (message_of (&rig, GST_MESSAGE_WARNING) == NULL);
  gst_buffer_unref (frame);
  close_rig (&rig);
  g_free (caps);
  g_free (line);
}

TEST (test_no_mode)
{
  Rig rig;

  open_rig (&rig, "stereosplit", TRUE);
  for (guint i = 0; i < 2; i++) {
    gchar *caps = caps_of (GST_VIDEO_FORMAT_I420, WIDTH, HEIGHT + 2 * i);

    gst_harness_set_src_caps_str (rig.view[LEFT], caps);
    if (i == 0)
      check_message (&rig, GST_MESSAGE_WARNING, "assuming that the views "
          "are side by side. Set layout");
    g_free (caps);
  }
  fail_unless (message_of (&rig, GST_MESSAGE_WARNING) == NULL);
  close_rig (&rig);
}

/* Matroska files claim this of any video, so the aspect ratio decides. */
TEST (test_mono)
{
  static const struct
  {
    const gchar *caps;
    gboolean two;
  } cases[] = {
    {"width=640, height=240", TRUE},
    {"width=2560, height=720", TRUE},
    {"width=2500, height=1000", TRUE},
    {"width=640, height=480, pixel-aspect-ratio=2/1", TRUE},
    {"width=1920, height=800", FALSE},
    {"width=1920, height=1080", FALSE},
    {"width=640, height=240, pixel-aspect-ratio=1/2", FALSE},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gchar *caps = g_strdup_printf ("video/x-raw, format=GRAY8, framerate=25/1, "
        "multiview-mode=mono, %s", cases[i].caps);
    Rig rig;

    open_rig (&rig, "stereosplit", TRUE);
    gst_harness_set_src_caps_str (rig.view[LEFT], caps);
    if (cases[i].two)
      check_message (&rig, GST_MESSAGE_WARNING, "assuming that the views are "
          "side by side. Set layout");
    else
      check_message (&rig, GST_MESSAGE_ERROR, "got multiview-mode=mono");
    fail_unless (message_of (&rig, GST_MESSAGE_ERROR) == NULL);
    close_rig (&rig);
    g_free (caps);
  }
}

typedef struct
{
  const gchar *properties;
  const gchar *caps;
  const gchar *error;
} ErrorCase;

LOOP_TEST (test_errors, 0, 12)
{
  static const ErrorCase cases[] = {
    {"layout=side-by-side", "format=GRAY8, width=5, height=4",
        "its width of 5 is odd; set layout"},
    {"layout=row-interleaved", "format=GRAY8, width=6, height=3",
        "its height of 3 is odd"},
    {"layout=side-by-side", "format=I420, width=6, height=4",
        "half its width of 6 is 3, which is not a multiple of the 2 pixels "
          "that share a chroma sample in I420; put videoconvert and the caps "
          "video/x-raw,format=Y444 before this element"},
    {"layout=top-bottom", "format=NV12, width=6, height=6",
        "half its height of 6 is 3"},
    {"layout=column-interleaved", "format=YUY2, width=8, height=4",
        "in YUY2 neighbouring pixels share chroma samples, but they belong to "
          "different views in column-interleaved video; put videoconvert"},
    {"layout=row-interleaved", "format=GRAY8, width=8, height=4, "
          "interlace-mode=interleaved", "put deinterlace before this"},
    {"layout=top-bottom", "format=GRAY8, width=8, height=6, "
          "interlace-mode=interleaved", "half its height of 6 is 3, which is "
          "not a multiple of the 2 rows after which fields"},
    {"layout=top-bottom", "format=NV12, width=8, height=12, "
          "interlace-mode=interleaved", "half its height of 12 is 6, which is "
          "not a multiple of the 4 rows after which fields"},
    {"layout=side-by-side", "format=NV12_64Z32, width=128, height=64",
        "NV12_64Z32 is a tiled format; put videoconvert"},
    {"", "format=GRAY8, width=8, height=4, multiview-mode=left",
        "Expected two views in a frame, got multiview-mode=left"},
    {"", "format=GRAY8, width=8, height=4, multiview-mode=mono",
        "Expected two views in a frame, got multiview-mode=mono"},
    {"", "format=GRAY8, width=8, height=4, multiview-mode=side-by-side, "
          LEFT_FLIPPED, "flipped or mirrored"},
  };
  const ErrorCase *c = &cases[__i__];
  gchar *line = g_strdup_printf ("stereosplit %s", c->properties);
  gchar *caps = g_strdup_printf ("video/x-raw, framerate=25/1, %s", c->caps);
  Rig rig;

  open_rig (&rig, line, TRUE);
  gst_harness_set_src_caps_str (rig.view[LEFT], caps);
  check_message (&rig, GST_MESSAGE_ERROR, c->error);
  close_rig (&rig);
  g_free (caps);
  g_free (line);
}

/* The error names the pad and what it offered. */
TEST (test_downstream_refuses)
{
  Rig rig;

  open_rig (&rig, "stereosplit layout=side-by-side", TRUE);
  gst_harness_set_sink_caps_str (rig.view[RIGHT], "video/x-raw, format=GRAY8, "
      "width=9, height=4, framerate=25/1");
  gst_harness_set_src_caps_str (rig.view[LEFT], "video/x-raw, format=GRAY8, "
      "width=8, height=4, framerate=25/1");
  check_message (&rig, GST_MESSAGE_ERROR, "Downstream of src_right does not "
      "accept video/x-raw, format=(string)GRAY8, width=(int)4");
  close_rig (&rig);
}

/* Upstream does not know the rate of views, which videorate changes. */
TEST (test_downstream_refuses_rate)
{
  Rig rig;

  open_rig (&rig, "stereosplit layout=frame-by-frame", TRUE);
  gst_harness_set_sink_caps_str (rig.view[LEFT], "video/x-raw, "
      "framerate=30/1");
  gst_harness_set_src_caps_str (rig.view[LEFT], "video/x-raw, format=GRAY8, "
      "width=8, height=4, framerate=30/1");
  check_message (&rig, GST_MESSAGE_ERROR, "videoscale or videorate behind");
  close_rig (&rig);
}

/* Both views start with the first field. */
TEST (test_interlaced)
{
  Rig rig;

  open_rig (&rig, "stereosplit layout=top-bottom", TRUE);
  gst_harness_set_src_caps_str (rig.view[LEFT], "video/x-raw, format=NV12, "
      "width=8, height=16, framerate=25/1, interlace-mode=interleaved");
  fail_unless_equals_int (gst_harness_push (rig.view[LEFT],
          gst_buffer_new_allocate (NULL, 8 * 16 * 3 / 2, NULL)), GST_FLOW_OK);
  close_rig (&rig);
}

/* A buffer smaller than its caps require. */
TEST (test_short_buffer)
{
  gchar *caps = caps_of (GST_VIDEO_FORMAT_RGB, WIDTH, HEIGHT);
  Rig rig;

  open_rig (&rig, "stereosplit layout=top-bottom", TRUE);
  gst_harness_set_src_caps_str (rig.view[LEFT], caps);
  for (guint i = 0; i < 2; i++)
    fail_unless_equals_int (gst_harness_push (rig.view[LEFT],
            gst_buffer_new_allocate (NULL, 3 * WIDTH * HEIGHT - 1, NULL)),
        GST_FLOW_ERROR);
  check_message (&rig, GST_MESSAGE_ERROR, "Expected a frame of 48x32 in RGB");
  close_rig (&rig);
  g_free (caps);
}

/* A GstVideoMeta beyond the end of the memory is an error, by one row or one
 * byte. A plane lies in one memory. */
TEST (test_meta_beyond_memory)
{
  static const gchar *const kinds[] = {
    "top-bottom", "side-by-side", "row-interleaved"
  };
  static const struct
  {
    gsize size, split, offset;
    gint stride;
    gboolean good;
  } cases[] = {
    {WIDTH * HEIGHT, 0, 0, WIDTH, TRUE},
    {WIDTH * HEIGHT - 1, 0, 0, WIDTH, FALSE},
    {WIDTH * HEIGHT, 0, 1, WIDTH, FALSE},
    {WIDTH * HEIGHT, 0, 0, WIDTH + 1, FALSE},
    {WIDTH * HEIGHT, 0, 0, WIDTH - 1, FALSE},
    {WIDTH * HEIGHT, 0, 0, -WIDTH, FALSE},
    {WIDTH * HEIGHT, 0, 0, G_MAXINT, FALSE},
    {WIDTH * HEIGHT, 0, WIDTH * HEIGHT, WIDTH, FALSE},
    {2 * WIDTH * HEIGHT, WIDTH * HEIGHT, 0, WIDTH, TRUE},
    {2 * WIDTH * HEIGHT, WIDTH * HEIGHT - 1, 0, WIDTH, FALSE},
    {2 * WIDTH * HEIGHT, WIDTH * HEIGHT, WIDTH * HEIGHT, WIDTH, TRUE}
  };
  gchar *caps = caps_of (GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT);

  for (guint i = 0; i < G_N_ELEMENTS (cases) * G_N_ELEMENTS (kinds); i++) {
    guint c = i / G_N_ELEMENTS (kinds);
    gchar *line = g_strconcat ("stereosplit layout=",
        kinds[i % G_N_ELEMENTS (kinds)], NULL);
    GstBuffer *buffer = gst_buffer_new_allocate (NULL,
        cases[c].size - cases[c].split, NULL);
    gsize offset[GST_VIDEO_MAX_PLANES] = { cases[c].offset };
    gint stride[GST_VIDEO_MAX_PLANES] = { cases[c].stride };
    Rig rig;

    if (cases[c].split > 0)
      gst_buffer_prepend_memory (buffer, gst_allocator_alloc (NULL,
              cases[c].split, NULL));
    gst_buffer_memset (buffer, 0, 1, cases[c].size);
    gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
        GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT, 1, offset, stride);
    open_rig (&rig, line, TRUE);
    gst_harness_set_src_caps_str (rig.view[LEFT], caps);
    fail_unless_equals_int (gst_harness_push (rig.view[LEFT], buffer),
        cases[c].good ? GST_FLOW_OK : GST_FLOW_ERROR);
    if (!cases[c].good)
      check_message (&rig, GST_MESSAGE_ERROR, "Expected a frame of");
    close_rig (&rig);
    g_free (line);
  }
  g_free (caps);
}

/* The frame as a crop of a larger image, from (x, y). */
static GstBuffer *
picture_in (guint width, guint height, guint x, guint y)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, width * height, NULL);
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0, };
  gint stride[GST_VIDEO_MAX_PLANES] = { (gint) width };
  GstVideoCropMeta *crop;
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  memset (map.data, 255, map.size);
  for (guint v = 0; v < HEIGHT; v++) {
    for (guint u = 0; u < WIDTH; u++)
      map.data[(y + v) * width + x + u] = (guint8) (7 * u + 13 * v);
  }
  gst_buffer_unmap (buffer, &map);
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_GRAY8, width, height, 1, offset, stride);
  crop = gst_buffer_add_video_crop_meta (buffer);
  crop->x = x;
  crop->y = y;
  crop->width = WIDTH;
  crop->height = HEIGHT;
  return buffer;
}

TEST (test_crop)
{
  gchar *caps = caps_of (GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT);

  for (guint l = 0; l < N_LAYOUTS; l++) {
    gchar *line = g_strconcat ("stereosplit layout=", layouts[l], NULL);
    GstBuffer *views[2][2];
    Rig rig;

    open_rig (&rig, line, FALSE);
    gst_harness_set_src_caps_str (rig.view[LEFT], caps);
    for (guint i = 0; i < 2; i++) {
      fail_unless_equals_int (gst_harness_push (rig.view[LEFT],
              i == 0 ? picture_in (WIDTH, HEIGHT, 0, 0)
              : picture_in (WIDTH + 16, HEIGHT + 16, 8, 4)), GST_FLOW_OK);
      for (guint v = 0; v < 2; v++)
        views[i][v] = gst_harness_pull (rig.view[v]);
    }
    for (guint v = 0; v < 2; v++) {
      GstMapInfo map;

      fail_unless (gst_buffer_map (views[0][v], &map, GST_MAP_READ));
      fail_unless (gst_buffer_memcmp (views[1][v], 0, map.data, map.size) == 0,
          "view %u of %s", v, layouts[l]);
      gst_buffer_unmap (views[0][v], &map);
      gst_buffer_unref (views[0][v]);
      gst_buffer_unref (views[1][v]);
    }
    close_rig (&rig);
    g_free (line);
  }
  g_free (caps);
}

/* The views of a stream are two streams of its group. */
TEST (test_streams)
{
  static const gchar *const ids[] = { "id/left", "id/right" };
  GstEvent *start = gst_event_new_stream_start ("id");
  const guint32 seqnum = gst_event_get_seqnum (start);
  Rig rig;

  gst_event_set_group_id (start, 7);
  gst_event_set_stream_flags (start, GST_STREAM_FLAG_SPARSE);
  open_rig (&rig, "stereosplit", TRUE);
  gst_harness_play (rig.view[LEFT]);
  gst_harness_push_event (rig.view[LEFT], start);
  for (guint v = 0; v < 2; v++) {
    GstEvent *event = gst_pad_get_sticky_event (rig.view[v]->sinkpad,
        GST_EVENT_STREAM_START, 0);
    GstStreamFlags flags;
    const gchar *id;
    guint group = 0;

    gst_event_parse_stream_start (event, &id);
    fail_unless_equals_string (id, ids[v]);
    fail_unless (gst_event_parse_group_id (event, &group));
    fail_unless_equals_int (group, 7);
    gst_event_parse_stream_flags (event, &flags);
    fail_unless_equals_int (flags, GST_STREAM_FLAG_SPARSE);
    fail_unless_equals_int (gst_event_get_seqnum (event), seqnum);
    gst_event_unref (event);
  }
  close_rig (&rig);
}

/* ----------------------------------------------------------- frame by frame */

static void
open_frame_by_frame (Rig * rig)
{
  gchar *caps = caps_of (GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT);

  open_rig (rig, "stereosplit layout=frame-by-frame", TRUE);
  gst_harness_set_src_caps_str (rig->view[LEFT], caps);
  g_free (caps);
}

/* Pushes a buffer that contains a number. */
static void
push_number (Rig * rig, guint number, gboolean first_in_bundle)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, WIDTH * HEIGHT, NULL);

  gst_buffer_memset (buffer, 0, (guint8) number, WIDTH * HEIGHT);
  GST_BUFFER_PTS (buffer) = number * GST_MSECOND;
  GST_BUFFER_DURATION (buffer) = GST_MSECOND;
  if (first_in_bundle)
    GST_BUFFER_FLAG_SET (buffer, GST_VIDEO_BUFFER_FLAG_FIRST_IN_BUNDLE);
  fail_unless_equals_int (gst_harness_push (rig->view[LEFT], buffer),
      GST_FLOW_OK);
}

static void
check_number (Rig * rig, guint view, guint number, guint pts)
{
  GstBuffer *buffer = gst_harness_pull (rig->view[view]);
  guint8 byte = 255;

  gst_buffer_extract (buffer, 0, &byte, 1);
  fail_unless_equals_int (byte, number);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), pts * GST_MSECOND);
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (buffer), 2 * GST_MSECOND);
  gst_buffer_unref (buffer);
}

static void
push_segment (Rig * rig, gdouble rate)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.rate = rate;
  segment.stop = GST_SECOND;
  gst_harness_push_event (rig->view[LEFT], gst_event_new_segment (&segment));
}

TEST (test_frame_by_frame)
{
  Rig rig;

  open_frame_by_frame (&rig);
  for (guint i = 0; i < 4; i++)
    push_number (&rig, i, FALSE);
  check_number (&rig, LEFT, 0, 0);
  check_number (&rig, RIGHT, 1, 0);
  check_number (&rig, LEFT, 2, 2);
  check_number (&rig, RIGHT, 3, 2);
  fail_unless_equals_uint64 (gst_harness_query_latency (rig.view[LEFT]),
      40 * GST_MSECOND);

  /* view 4 has no partner */
  push_number (&rig, 4, FALSE);
  push_number (&rig, 5, TRUE);
  push_number (&rig, 6, FALSE);
  check_number (&rig, LEFT, 4, 4);
  check_number (&rig, LEFT, 5, 5);
  check_number (&rig, RIGHT, 6, 5);

  push_number (&rig, 7, FALSE);
  gst_harness_push_event (rig.view[LEFT], gst_event_new_flush_start ());
  gst_harness_push_event (rig.view[LEFT], gst_event_new_flush_stop (TRUE));
  push_segment (&rig, 1);
  push_number (&rig, 8, FALSE);
  check_number (&rig, LEFT, 7, 7);
  check_number (&rig, LEFT, 8, 8);

  /* a loop without a flush */
  push_segment (&rig, 1);
  push_number (&rig, 9, FALSE);
  check_number (&rig, LEFT, 9, 9);

  /* backwards */
  push_segment (&rig, -1);
  for (guint i = 4; i-- > 0;)
    push_number (&rig, i, FALSE);
  check_number (&rig, RIGHT, 3, 2);
  check_number (&rig, LEFT, 2, 2);
  check_number (&rig, RIGHT, 1, 0);
  check_number (&rig, LEFT, 0, 0);
  /* view 7 has no partner */
  push_number (&rig, 7, TRUE);
  push_number (&rig, 6, FALSE);
  push_number (&rig, 5, TRUE);
  check_number (&rig, LEFT, 7, 7);
  check_number (&rig, RIGHT, 6, 5);
  check_number (&rig, LEFT, 5, 5);
  close_rig (&rig);
}

/* Frames that alternate must not be padded if downstream of a view does not
 * support it; others are copied then. */
LOOP_TEST (test_frame_by_frame_padding, 0, 3)
{
  static const gchar *const modes[] = { "frame-by-frame", "side-by-side" };
  const gboolean takes_meta = __i__ % 2;

  for (guint m = 0; m < 2; m++) {
    gchar *line = g_strdup_printf ("video/x-raw, format=GRAY8, width=48, "
        "height=32, framerate=25/1, multiview-mode=%s", modes[m]);
    GstCaps *caps = gst_caps_from_string (line);
    GstQuery *query = gst_query_new_allocation (caps, TRUE);
    Rig rig;

    open_rig (&rig, "stereosplit", takes_meta);
    if (__i__ == 2)
      gst_harness_add_propose_allocation_meta (rig.view[RIGHT],
          GST_VIDEO_META_API_TYPE, NULL);
    gst_harness_set_src_caps_str (rig.view[LEFT], line);
    fail_unless (gst_pad_peer_query (rig.view[LEFT]->srcpad, query));
    fail_unless_equals_int (gst_query_find_allocation_meta (query,
            GST_VIDEO_META_API_TYPE, NULL), m == 1 || takes_meta);
    gst_query_unref (query);
    gst_caps_unref (caps);
    close_rig (&rig);
    g_free (line);
  }
}

static void
check_rate (GstCaps * caps, const gchar * field, gint n, gint d)
{
  gint got_n = -1, got_d = -1;

  fail_unless (gst_structure_get_fraction (gst_caps_get_structure (caps, 0),
          field, &got_n, &got_d));
  fail_unless (got_n == n && got_d == d, "%s is %d/%d", field, got_n, got_d);
}

/* Each view has half of the frames. */
LOOP_TEST (test_frame_by_frame_rate, 0, 3)
{
  static const gchar *const rates[] = { "60000/1001", "25/1",
    "0/1, max-framerate=60/1"
  };
  static const gint views[][2] = { {30000, 1001}, {25, 2}, {0, 1} };
  gchar *caps = g_strdup_printf ("video/x-raw, format=GRAY8, width=48, "
      "height=32, multiview-mode=frame-by-frame, framerate=%s", rates[__i__]);
  Rig rig;

  open_rig (&rig, "stereosplit", TRUE);
  gst_harness_set_src_caps_str (rig.view[LEFT], caps);
  for (guint v = 0; v < 2; v++) {
    GstCaps *got = gst_pad_get_current_caps (rig.view[v]->sinkpad);

    check_rate (got, "framerate", views[__i__][0], views[__i__][1]);
    if (views[__i__][0] == 0)
      check_rate (got, "max-framerate", 30, 1);
    gst_caps_unref (got);
  }
  close_rig (&rig);
  g_free (caps);
}

/* A source that has another rate than downstream must not be told that its
 * frames could alternate. */
TEST (test_rate_of_unknown_layout)
{
  GstCaps *caps = gst_caps_from_string ("video/x-raw, framerate=60/1");
  GstCaps *allowed;
  Rig rig;

  open_rig (&rig, "stereosplit", TRUE);
  gst_harness_set_sink_caps_str (rig.view[LEFT],
      "video/x-raw, framerate=30/1");
  allowed = gst_pad_peer_query_caps (rig.view[LEFT]->srcpad, caps);
  fail_unless (gst_caps_is_empty (allowed));
  gst_caps_unref (allowed);
  gst_caps_unref (caps);
  close_rig (&rig);
}

/* What downstream accepts is the rate of views. */
LOOP_TEST (test_rate_of_downstream, 0, 4)
{
  static const gchar *const lines[] = { "", "", "layout=side-by-side",
    "layout=frame-by-frame"
  };
  static const gchar *const modes[] = { "side-by-side", "frame-by-frame",
    "frame-by-frame", "none"
  };
  gchar *line = g_strdup_printf ("stereosplit %s", lines[__i__]);

  for (gint rate = 30; rate <= 60; rate += 30) {
    GstCaps *caps = gst_caps_new_simple ("video/x-raw", "format",
        G_TYPE_STRING, "GRAY8", "width", G_TYPE_INT, WIDTH, "height",
        G_TYPE_INT, HEIGHT, "framerate", GST_TYPE_FRACTION, rate, 1,
        "multiview-mode", G_TYPE_STRING, modes[__i__], NULL);
    Rig rig;

    open_rig (&rig, line, TRUE);
    gst_harness_set_sink_caps_str (rig.view[LEFT],
        "video/x-raw, framerate=30/1");
    fail_unless_equals_int (gst_pad_query_accept_caps (GST_PAD_PEER
            (rig.view[LEFT]->srcpad), caps), __i__ % 2 == 1 || rate == 30);
    gst_caps_unref (caps);
    close_rig (&rig);
  }
  g_free (line);
}

/* A GAP event after the first view of a pair stands for the second one. */
TEST (test_frame_by_frame_gap)
{
  Rig rig;

  open_frame_by_frame (&rig);
  push_number (&rig, 0, FALSE);
  gst_harness_push_event (rig.view[LEFT], gst_event_new_gap (GST_MSECOND,
          GST_MSECOND));
  push_number (&rig, 2, FALSE);
  push_number (&rig, 3, FALSE);
  check_number (&rig, LEFT, 0, 0);
  check_number (&rig, LEFT, 2, 2);
  check_number (&rig, RIGHT, 3, 2);
  close_rig (&rig);
}

/* Both views are discontinuous if the first one is. */
TEST (test_frame_by_frame_discont)
{
  Rig rig;

  open_frame_by_frame (&rig);
  for (guint i = 0; i < 4; i++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, WIDTH * HEIGHT, NULL);

    if (i == 0)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    fail_unless_equals_int (gst_harness_push (rig.view[LEFT], buffer),
        GST_FLOW_OK);
  }
  for (guint i = 0; i < 2; i++) {
    for (guint v = 0; v < 2; v++) {
      GstBuffer *buffer = gst_harness_pull (rig.view[v]);

      fail_unless_equals_int (GST_BUFFER_IS_DISCONT (buffer), i == 0);
      gst_buffer_unref (buffer);
    }
  }
  close_rig (&rig);
}

/* ---------------------------------------------------------------- pipelines */

/* The single buffer of the appsink `out`, without padding. */
static GstBuffer *
run (const gchar * launch)
{
  GstElement *pipeline = gst_parse_launch (launch, NULL), *sink;
  GstSample *sample = NULL;
  GstVideoFrame in, out;
  GstVideoInfo info;
  GstBuffer *plain;

  fail_unless (pipeline != NULL);
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "out");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_signal_emit_by_name (sink, "pull-sample", &sample);
  fail_unless (sample != NULL, "no output from %s", launch);
  fail_unless (gst_video_info_from_caps (&info, gst_sample_get_caps (sample)));
  plain = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (&info), NULL);
  gst_buffer_memset (plain, 0, 0, GST_VIDEO_INFO_SIZE (&info));
  fail_unless (gst_video_frame_map (&in, &info, gst_sample_get_buffer (sample),
          GST_MAP_READ));
  fail_unless (gst_video_frame_map (&out, &info, plain, GST_MAP_WRITE));
  gst_video_frame_copy (&out, &in);
  gst_video_frame_unmap (&in);
  gst_video_frame_unmap (&out);
  gst_sample_unref (sample);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
  return plain;
}

/* The seek that a matcher sends to both pads arrives upstream once, and so does
 * the next one. */
TEST (test_repeated_seek)
{
  Rig rig;

  open_rig (&rig, "stereosplit layout=side-by-side", FALSE);
  gst_harness_play (rig.view[LEFT]);
  for (guint i = 0; i < 3; i++) {
    GstEvent *seek = gst_event_new_seek (1, GST_FORMAT_TIME,
        GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, i * GST_SECOND,
        GST_SEEK_TYPE_NONE, -1);
    guint n = 0;

    for (guint v = 0; v < 2; v++)
      fail_unless (gst_harness_push_upstream_event (rig.view[v],
              gst_event_ref (seek)));
    while (gst_harness_upstream_events_in_queue (rig.view[LEFT]) > 0) {
      GstEvent *event = gst_harness_pull_upstream_event (rig.view[LEFT]);

      n += GST_EVENT_TYPE (event) == GST_EVENT_SEEK
          && gst_event_get_seqnum (event) == gst_event_get_seqnum (seek);
      gst_event_unref (event);
    }
    fail_unless_equals_int (n, 1);
    gst_event_unref (seek);
  }
  close_rig (&rig);
}

/* What an upstream element replies to seeks, and how many it got. */
typedef struct
{
  gboolean accepts;
  guint n;
} Upstream;

static gboolean
reply_seek (GstPad * pad, G_GNUC_UNUSED GstObject * parent, GstEvent * event)
{
  Upstream *upstream = pad->eventdata;

  upstream->n += GST_EVENT_TYPE (event) == GST_EVENT_SEEK;
  gst_event_unref (event);
  return upstream->accepts;
}

/* Upstream gets a repeated seek again only if it has refused it, or after a
 * restart. */
TEST (test_refused_seek)
{
  Rig rig;
  Upstream upstream = { FALSE, 0 };
  GstEvent *seek = gst_event_new_seek (1, GST_FORMAT_TIME,
      GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, -1);

  open_rig (&rig, "stereosplit layout=side-by-side", FALSE);
  gst_pad_set_event_function_full (rig.view[LEFT]->srcpad, reply_seek,
      &upstream, NULL);
  for (guint i = 0; i < 4; i++) {
    upstream.accepts = i >= 2;
    fail_unless_equals_int (gst_harness_push_upstream_event (rig.view[i % 2],
            gst_event_ref (seek)), upstream.accepts);
  }
  fail_unless_equals_int (upstream.n, 3);
  gst_element_set_state (rig.element, GST_STATE_READY);
  gst_harness_play (rig.view[LEFT]);
  fail_unless (gst_harness_push_upstream_event (rig.view[LEFT],
          gst_event_ref (seek)));
  fail_unless_equals_int (upstream.n, 4);
  gst_event_unref (seek);
  close_rig (&rig);
}

/* The views of packed rendered frames are the rendered views. */
TEST (test_rendered)
{
  static const gchar *const formats[] = { "RGB", "GRAY8", "NV12", "I420" };
  static const gchar *const names[] = { "left", "right" };

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    for (guint l = 0; l < 2; l++) {
      for (guint v = 0; v < 2; v++) {
        gchar *split = g_strdup_printf ("stereotestsrc view=%s num-buffers=1 ! "
            "video/x-raw,format=%s,width=%d,height=%d ! stereosplit name=s "
            "s.src_%s ! queue ! appsink name=out sync=false s.src_%s ! queue ! "
            "fakesink", layouts[l], formats[f], l == 0 ? 128 : 64,
            l == 0 ? 48 : 96, names[v], names[!v]);
        gchar *view = g_strdup_printf ("stereotestsrc view=%s num-buffers=1 ! "
            "video/x-raw,format=%s,width=64,height=48 ! appsink name=out "
            "sync=false", names[v], formats[f]);

        check_equal (run (split), run (view));
        g_free (split);
        g_free (view);
      }
    }
  }
}

/* Matching split views gives the same map as matching the views. */
TEST (test_matched)
{
#define MATCHER "stereovcbw name=m n-threads=1 num-disparities=16 ! "
#define SIZE "video/x-raw,format=GRAY8,height=48,width="
  check_equal (run ("stereotestsrc view=side-by-side num-buffers=2 "
          "num-disparities=16 ! " SIZE "128 ! stereosplit name=s "
          "s.src_left ! m.sink_left s.src_right ! m.sink_right " MATCHER
          "appsink name=out sync=false"),
      run ("stereotestsrc view=left num-buffers=2 num-disparities=16 ! " SIZE
          "64 ! m.sink_left stereotestsrc view=right num-buffers=2 "
          "num-disparities=16 ! " SIZE "64 ! m.sink_right " MATCHER
          "appsink name=out sync=false"));
}

/* A matcher warns about swapped views on both pads. */
TEST (test_swapped_cables)
{
  GstElement *pipeline = gst_parse_launch ("stereotestsrc view=side-by-side "
      "num-buffers=2 ! stereosplit name=s s.src_left ! m.sink_right "
      "s.src_right ! m.sink_left stereovcbw name=m n-threads=1 "
      "num-disparities=8 ! fakesink", NULL);
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  guint n_warnings = 0;
  gboolean ended = FALSE;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (!ended) {
    GError *error = NULL;

    message = gst_bus_timed_pop_filtered (bus, PATIENCE,
        GST_MESSAGE_WARNING | GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
    fail_unless (message != NULL);
    fail_if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR);
    ended = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
    if (!ended) {
      gst_message_parse_warning (message, &error, NULL);
      fail_unless (strstr (error->message, "multiview-mode=") != NULL);
      g_clear_error (&error);
      n_warnings++;
    }
    gst_message_unref (message);
  }
  fail_unless_equals_int (n_warnings, 2);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
}

/* Multiview caps in text need the type registered before. */
static void
ensure_types (void)
{
  g_type_ensure (GST_TYPE_VIDEO_MULTIVIEW_FLAGSET);
}

CHECK_MAIN_FIXTURE ("stereosplit", ensure_types, NULL)
