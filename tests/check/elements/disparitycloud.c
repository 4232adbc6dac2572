/* gst-stereomatching: tests of the element disparitycloud
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "checkmain.h"

#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>

#define META "GstStereoDisparityMeta"
#define FRAME (40 * GST_MSECOND)

/* Maps have 4x3 pixels of 16 bits. */
#define WIDTH 4
#define HEIGHT 3
#define MAP_CAPS "video/x-raw, format=GRAY16_LE, width=4, height=3, " \
    "framerate=25/1"
#define LEFT_CAPS "video/x-raw, format=RGB, width=4, height=3, framerate=25/1"

/* Depths of 2, 4 and 8 metres; code 0 is invalid. */
#define CAMERA "focal-length=100 baseline=0.16 "
static const guint16 codes[WIDTH * HEIGHT] = {
  128, 64, 0, 32,
  0, 0, 0, 0,
  32, 32, 64, 128
};

/* ---------------------------------------------------------------------- rig */

typedef struct
{
  GstHarness *map;              /* also has the source pad */
  GstHarness *left;             /* or NULL */
  GstBus *bus;
} Rig;

static void
open_rig (Rig * rig, const gchar * properties, gboolean left,
    const gchar * caps)
{
  gchar *line = g_strdup_printf ("disparitycloud n-threads=1 %s", properties);
  GstElement *element = gst_parse_launch (line, NULL);

  fail_unless (element != NULL);
  memset (rig, 0, sizeof (*rig));
  rig->bus = gst_bus_new ();
  gst_element_set_bus (element, rig->bus);
  rig->map = gst_harness_new_with_element (element, "sink_disparity", "src");
  if (left)
    rig->left = gst_harness_new_with_element (element, "sink_left", NULL);
  if (caps != NULL)
    gst_harness_set_sink_caps_str (rig->map, caps);
  gst_harness_set_src_caps_str (rig->map, MAP_CAPS);
  if (left)
    gst_harness_set_src_caps_str (rig->left, LEFT_CAPS);
  gst_object_unref (element);
  g_free (line);
}

static void
close_rig (Rig * rig)
{
  gst_element_set_bus (rig->map->element, NULL);
  gst_object_unref (rig->bus);
  if (rig->left != NULL)
    gst_harness_teardown (rig->left);
  gst_harness_teardown (rig->map);
}

static GstBuffer *
make_map (guint i)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 2 * WIDTH * HEIGHT, NULL);

  for (guint k = 0; k < WIDTH * HEIGHT; k++) {
    const guint8 code[2] = { (guint8) codes[k], (guint8) (codes[k] >> 8) };

    gst_buffer_fill (buffer, 2 * k, code, 2);
  }
  GST_BUFFER_PTS (buffer) = i * FRAME;
  GST_BUFFER_DURATION (buffer) = FRAME;
  return buffer;
}

/* The map of left image i with a meta, which describes the camera if `camera`
 * is set. */
static GstBuffer *
make_matched (guint i, const gchar * result, gboolean camera)
{
  GstBuffer *buffer = make_map (i);
  GstCustomMeta *meta = gst_buffer_add_custom_meta (buffer, META);
  GstStructure *s = gst_custom_meta_get_structure (meta);

  gst_structure_set (s, "result", G_TYPE_STRING, result,
      "disparity-scale", G_TYPE_DOUBLE, 16.0, "scale", G_TYPE_DOUBLE, 16.0,
      "offset", G_TYPE_DOUBLE, 0.0, "min-disparity", G_TYPE_INT, 0,
      "num-disparities", G_TYPE_UINT, 64, "invalid-value", G_TYPE_UINT, 0,
      "left-pts", G_TYPE_UINT64, i * FRAME,
      "right-pts", G_TYPE_UINT64, i * FRAME, NULL);
  if (camera)
    gst_structure_set (s, "focal-length", G_TYPE_DOUBLE, 100.0,
        "baseline", G_TYPE_DOUBLE, 0.16, "doffs", G_TYPE_DOUBLE, 0.0,
        "cx", G_TYPE_DOUBLE, 0.0, "cy", G_TYPE_DOUBLE, 1.0, NULL);
  return buffer;
}

/* Pixel k is (10 k, 10 k + 1, 10 k + 2). */
static GstBuffer *
make_left (guint i)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 3 * WIDTH * HEIGHT, NULL);

  for (guint k = 0; k < WIDTH * HEIGHT; k++) {
    const guint8 pixel[3] = { (guint8) (10 * k), (guint8) (10 * k + 1),
      (guint8) (10 * k + 2)
    };

    gst_buffer_fill (buffer, 3 * k, pixel, 3);
  }
  GST_BUFFER_PTS (buffer) = i * FRAME;
  GST_BUFFER_DURATION (buffer) = FRAME;
  return buffer;
}

static GstBuffer *
make_file (Rig * rig, GstBuffer * map, GstBuffer * left)
{
  GstBuffer *file;

  if (left != NULL)
    fail_unless_equals_int (gst_harness_push (rig->left, left), GST_FLOW_OK);
  fail_unless_equals_int (gst_harness_push (rig->map, map), GST_FLOW_OK);
  file = gst_harness_pull (rig->map);
  fail_unless (file != NULL);
  return file;
}

/* ------------------------------------------------------------------- reader */

/* A parsed file. */
typedef struct
{
  guint n;
  gboolean colors;
  gint width;                   /* of organised clouds */
  gint height;
  gfloat xyz[64][3];
  guint8 rgb[64][3];
} Cloud;

/* Splits a header into lines, up to and including the line that begins with
 * `last`.  Returns its length in bytes. */
static gsize
read_header (const GstMapInfo * info, const gchar * last, gchar *** lines)
{
  gchar *text = g_strndup ((const gchar *) info->data, info->size);
  gchar *end = strstr (text, last);
  gsize length;

  fail_unless (end != NULL);
  end = strchr (end, '\n');
  fail_unless (end != NULL);
  *end = '\0';
  length = (gsize) (end - text) + 1;
  *lines = g_strsplit (text, "\n", -1);
  g_free (text);
  return length;
}

static gboolean
has_line (gchar ** lines, const gchar * line)
{
  return g_strv_contains ((const gchar * const *) lines, line);
}

static void
read_ply_points (Cloud * cloud, const guint8 * data, gsize size)
{
  const gsize bytes = cloud->colors ? 15 : 12;

  fail_unless_equals_int (size, bytes * cloud->n);
  for (guint i = 0; i < cloud->n; i++, data += bytes) {
    for (guint c = 0; c < 3; c++)
      cloud->xyz[i][c] = GST_READ_FLOAT_LE (data + 4 * c);
    if (cloud->colors)
      memcpy (cloud->rgb[i], data + 12, 3);
  }
}

static void
read_ascii_points (Cloud * cloud, const guint8 * data, gsize size)
{
  gchar *text = g_strndup ((const gchar *) data, size);
  gchar **lines = g_strsplit (text, "\n", -1);

  fail_unless_equals_int (g_strv_length (lines), cloud->n + 1);
  fail_unless_equals_string (lines[cloud->n], "");
  for (guint i = 0; i < cloud->n; i++) {
    gchar **words = g_strsplit (lines[i], " ", -1);

    fail_unless_equals_int (g_strv_length (words), cloud->colors ? 6 : 3);
    for (guint c = 0; c < 3; c++) {
      cloud->xyz[i][c] = (gfloat) g_ascii_strtod (words[c], NULL);
      if (cloud->colors)
        cloud->rgb[i][c] = (guint8) atoi (words[3 + c]);
    }
    g_strfreev (words);
  }
  g_strfreev (lines);
  g_free (text);
}

static void
read_ply (Cloud * cloud, const GstMapInfo * info)
{
  gchar **lines;
  gsize begin = read_header (info, "end_header", &lines);
  gboolean ascii = has_line (lines, "format ascii 1.0");

  fail_unless_equals_string (lines[0], "ply");
  fail_unless (ascii || has_line (lines, "format binary_little_endian 1.0"));
  fail_unless (has_line (lines, "property float x"));
  fail_unless (has_line (lines, "property float y"));
  fail_unless (has_line (lines, "property float z"));
  cloud->colors = has_line (lines, "property uchar red");
  fail_unless (has_line (lines, "property uchar blue") == cloud->colors);
  for (guint i = 0; lines[i] != NULL; i++)
    sscanf (lines[i], "element vertex %u", &cloud->n);
  fail_unless (cloud->n <= G_N_ELEMENTS (cloud->xyz));
  if (ascii)
    read_ascii_points (cloud, info->data + begin, info->size - begin);
  else
    read_ply_points (cloud, info->data + begin, info->size - begin);
  g_strfreev (lines);
}

static void
read_pcd (Cloud * cloud, const GstMapInfo * info)
{
  gchar **lines;
  gsize begin = read_header (info, "DATA", &lines);
  const guint8 *data = info->data + begin;

  fail_unless (g_str_has_prefix (lines[0], "# .PCD v0.7"));
  cloud->colors = has_line (lines, "FIELDS x y z rgb");
  fail_unless (has_line (lines, cloud->colors ? "SIZE 4 4 4 4"
          : "SIZE 4 4 4"));
  fail_unless (has_line (lines, cloud->colors ? "TYPE F F F F"
          : "TYPE F F F"));
  fail_unless (has_line (lines, cloud->colors ? "COUNT 1 1 1 1"
          : "COUNT 1 1 1"));
  fail_unless (has_line (lines, "VERSION 0.7"));
  fail_unless (has_line (lines, "VIEWPOINT 0 0 0 1 0 0 0"));
  fail_unless (has_line (lines, "DATA binary"));
  for (guint i = 0; lines[i] != NULL; i++) {
    sscanf (lines[i], "WIDTH %d", &cloud->width);
    sscanf (lines[i], "HEIGHT %d", &cloud->height);
    sscanf (lines[i], "POINTS %u", &cloud->n);
  }
  fail_unless_equals_int (cloud->n, cloud->width * cloud->height);
  fail_unless_equals_int (info->size - begin, cloud->n
      * (cloud->colors ? 16 : 12));
  fail_unless (cloud->n <= G_N_ELEMENTS (cloud->xyz));
  for (guint i = 0; i < cloud->n; i++, data += cloud->colors ? 16 : 12) {
    for (guint c = 0; c < 3; c++) {
      cloud->xyz[i][c] = GST_READ_FLOAT_LE (data + 4 * c);
      if (cloud->colors)
        cloud->rgb[i][c] = data[14 - c];
    }
    fail_unless (!cloud->colors || data[15] == 0);
  }
  g_strfreev (lines);
}

/* Parses a file.  Takes ownership. */
static Cloud
read_cloud (GstBuffer * file)
{
  Cloud cloud = { 0, };
  GstMapInfo info;

  fail_unless (gst_buffer_map (file, &info, GST_MAP_READ));
  if (memcmp (info.data, "ply", 3) == 0)
    read_ply (&cloud, &info);
  else
    read_pcd (&cloud, &info);
  gst_buffer_unmap (file, &info);
  gst_buffer_unref (file);
  return cloud;
}

/* Checks point i, which belongs to pixel (x, y), for the principal point (cx,
 * 1). */
static void
check_point (const Cloud * cloud, guint i, gint x, gint y, gdouble cx)
{
  const guint k = (guint) (y * WIDTH + x);
  const gdouble z = 16.0 * 16 / codes[k];

  fail_unless (fabs (cloud->xyz[i][2] - z) < 1e-6 * z);
  fail_unless (fabs (cloud->xyz[i][0] - (x - cx) / 100 * z) < 1e-6 * z);
  fail_unless (fabs (cloud->xyz[i][1] - (y - 1.0) / 100 * z) < 1e-6 * z);
  for (guint c = 0; c < 3 && cloud->colors; c++)
    fail_unless_equals_int (cloud->rgb[i][c], 10 * k + c);
}

static void
check_all_points (const Cloud * cloud, gdouble cx)
{
  guint i = 0;

  for (gint k = 0; k < WIDTH * HEIGHT; k++) {
    if (codes[k] != 0)
      check_point (cloud, i++, k % WIDTH, k / WIDTH, cx);
  }
  fail_unless_equals_int (cloud->n, i);
}

/* -------------------------------------------------------------------- tests */

LOOP_TEST (test_ply, 0, 4)
{
  static const gchar *const caps[] = { NULL,
    "application/x-ply, encoding=ascii"
  };
  GstBuffer *file;
  GstCaps *have;
  Cloud cloud;
  Rig rig;

  open_rig (&rig, CAMERA, __i__ % 2 == 1, caps[__i__ / 2]);
  for (guint i = 0; i < 3; i++) {
    file = make_file (&rig, make_map (i), __i__ % 2 == 1 ? make_left (i)
        : NULL);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (file), i * FRAME);
    fail_unless_equals_uint64 (GST_BUFFER_DURATION (file), FRAME);
    cloud = read_cloud (file);
    fail_unless_equals_int (cloud.colors, __i__ % 2 == 1);
    check_all_points (&cloud, 1.5);
  }
  have = gst_pad_get_current_caps (rig.map->sinkpad);
  fail_unless_equals_string (gst_structure_get_name (gst_caps_get_structure
          (have, 0)), "application/x-ply");
  fail_unless_equals_string (gst_structure_get_string (gst_caps_get_structure
          (have, 0), "encoding"), __i__ / 2 == 1 ? "ascii" : "binary");
  gst_caps_unref (have);
  close_rig (&rig);
}

LOOP_TEST (test_pcd, 0, 2)
{
  Cloud cloud;
  Rig rig;

  open_rig (&rig, CAMERA, __i__ == 1, "application/x-pcd");
  cloud = read_cloud (make_file (&rig, make_map (0), __i__ == 1
          ? make_left (0) : NULL));
  fail_unless_equals_int (cloud.colors, __i__ == 1);
  fail_unless_equals_int (cloud.width, WIDTH);
  fail_unless_equals_int (cloud.height, HEIGHT);
  for (guint k = 0; k < WIDTH * HEIGHT; k++) {
    if (codes[k] != 0)
      check_point (&cloud, k, (gint) k % WIDTH, (gint) k / WIDTH, 1.5);
    else
      fail_unless (isnan (cloud.xyz[k][0]) && isnan (cloud.xyz[k][1])
          && isnan (cloud.xyz[k][2]));
  }
  close_rig (&rig);
}

/* The camera comes from the meta; properties override it. */
LOOP_TEST (test_meta, 0, 2)
{
  Cloud cloud;
  Rig rig;

  open_rig (&rig, __i__ == 1 ? "cx=3" : "", FALSE, NULL);
  cloud = read_cloud (make_file (&rig, make_matched (0, "disparity", TRUE),
          NULL));
  check_all_points (&cloud, __i__ == 1 ? 3 : 0);
  close_rig (&rig);
}

/* Metas that are not about video are kept. */
TEST (test_metas_of_the_map)
{
  GstCaps *reference = gst_caps_from_string ("timestamp/x-unix");
  GstBuffer *map, *file;
  Rig rig;

  open_rig (&rig, "", FALSE, NULL);
  map = make_matched (0, "disparity", TRUE);
  gst_buffer_add_reference_timestamp_meta (map, reference, 123, 4);
  gst_buffer_add_video_region_of_interest_meta (map, "face", 1, 2, 3, 4);
  file = make_file (&rig, map, NULL);
  fail_unless (gst_buffer_get_reference_timestamp_meta (file, reference)
      != NULL);
  fail_unless_equals_int (gst_buffer_get_n_meta (file,
          GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE), 0);
  gst_buffer_unref (file);
  gst_caps_unref (reference);
  close_rig (&rig);
}

static void
set_projection (GstBuffer * map, const gchar * name)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (map, META);

  gst_structure_set (gst_custom_meta_get_structure (meta), "projection",
      G_TYPE_STRING, name, NULL);
}

/* Views on a cylinder, of which the metadata or a property say so. */
LOOP_TEST (test_cylinder, 0, 2)
{
  GstBuffer *map;
  Cloud cloud;
  Rig rig;

  open_rig (&rig, __i__ == 1 ? "projection=cylinder cy=-60" : "cy=-60", FALSE,
      NULL);
  map = make_matched (0, "disparity", TRUE);
  if (__i__ == 0)
    set_projection (map, "cylinder");
  cloud = read_cloud (make_file (&rig, map, NULL));
  for (guint i = 0, k = 0; k < WIDTH * HEIGHT; k++) {
    const gdouble distance = 16.0 * 16 / MAX (codes[k], 1);
    const gdouble angle = (k / WIDTH + 60) / 100.0;

    if (codes[k] == 0)
      continue;
    fail_unless (fabs (cloud.xyz[i][0] - k % WIDTH / 100.0 * distance)
        < 1e-6 * distance);
    fail_unless (fabs (cloud.xyz[i][1] - sin (angle) * distance)
        < 1e-6 * distance);
    fail_unless (fabs (cloud.xyz[i][2] - cos (angle) * distance)
        < 1e-6 * distance);
    i++;
  }
  close_rig (&rig);
}

TEST (test_axes)
{
  Cloud cloud;
  Rig rig;

  open_rig (&rig, CAMERA "axes=graphics", FALSE, NULL);
  cloud = read_cloud (make_file (&rig, make_map (0), NULL));
  for (guint i = 0; i < cloud.n; i++) {
    cloud.xyz[i][1] = -cloud.xyz[i][1];
    cloud.xyz[i][2] = -cloud.xyz[i][2];
  }
  check_all_points (&cloud, 1.5);
  close_rig (&rig);
}

/* Omits points nearer than 3 m and farther than 7 m, which leaves those at 4
 * m. */
TEST (test_range)
{
  Cloud cloud;
  Rig rig;

  open_rig (&rig, CAMERA "range-min=3 range-max=7", FALSE, NULL);
  cloud = read_cloud (make_file (&rig, make_map (0), NULL));
  fail_unless_equals_int (cloud.n, 2);
  check_point (&cloud, 0, 1, 0, 1.5);
  check_point (&cloud, 1, 2, 2, 1.5);
  close_rig (&rig);
}

/* The text of the only warning. */
static gchar *
take_warning (Rig * rig)
{
  GstMessage *message = gst_bus_pop_filtered (rig->bus, GST_MESSAGE_WARNING);
  GError *warning = NULL;
  gchar *text;

  fail_unless (message != NULL);
  gst_message_parse_warning (message, &warning, NULL);
  text = g_strdup (warning->message);
  g_clear_error (&warning);
  gst_message_unref (message);
  fail_unless (gst_bus_pop_filtered (rig->bus, GST_MESSAGE_WARNING) == NULL);
  return text;
}

/* No points in the range: one warning, for each kind of file. */
LOOP_TEST (test_no_known_depth, 0, 3)
{
  static const gchar *const caps[] = { "application/x-ply, encoding=binary",
    "application/x-ply, encoding=ascii", "application/x-pcd"
  };
  gchar *text;
  Rig rig;

  open_rig (&rig, CAMERA "disparity-scale=16 min-disparity=0 invalid-value=0 "
      "range-min=20 range-max=30", FALSE, caps[__i__]);
  for (guint i = 0; i < 3; i++)
    gst_buffer_unref (make_file (&rig, make_map (i), NULL));
  text = take_warning (&rig);
  fail_unless (strstr (text, "The point cloud has no known depth")
      && strstr (text, "from 20 to 30 m"), "%s", text);
  g_free (text);
  close_rig (&rig);

  open_rig (&rig, CAMERA "disparity-scale=16 min-disparity=0 invalid-value=0",
      FALSE, caps[__i__]);
  gst_buffer_unref (make_file (&rig, make_map (0), NULL));
  fail_unless (gst_bus_pop_filtered (rig.bus, GST_MESSAGE_WARNING) == NULL);
  close_rig (&rig);
}

/* Pixels that are not square: one warning. */
TEST (test_wide_pixels)
{
  gchar *text;
  Rig rig;

  open_rig (&rig, CAMERA "disparity-scale=16 min-disparity=0 invalid-value=0",
      FALSE, NULL);
  gst_harness_set_src_caps_str (rig.map, MAP_CAPS ", pixel-aspect-ratio=2/1");
  for (guint i = 0; i < 3; i++)
    gst_buffer_unref (make_file (&rig, make_map (i), NULL));
  text = take_warning (&rig);
  fail_unless (g_str_has_prefix (text,
          "Expected square pixels, got pixel-aspect-ratio=2/1: "), "%s", text);
  g_free (text);
  close_rig (&rig);
}

/* Every other row and column keeps its position and colour. */
TEST (test_step)
{
  Cloud cloud;
  Rig rig;

  open_rig (&rig, CAMERA "step=2", TRUE, NULL);
  cloud = read_cloud (make_file (&rig, make_map (0), make_left (0)));
  fail_unless_equals_int (cloud.n, 3);
  check_point (&cloud, 0, 0, 0, 1.5);
  check_point (&cloud, 1, 0, 2, 1.5);
  check_point (&cloud, 2, 2, 2, 1.5);
  close_rig (&rig);

  open_rig (&rig, CAMERA "step=100", TRUE, "application/x-pcd");
  cloud = read_cloud (make_file (&rig, make_map (0), make_left (0)));
  fail_unless_equals_int (cloud.n, 1);
  check_point (&cloud, 0, 0, 0, 1.5);
  close_rig (&rig);
}

/* A map is paired with its image; images without a map are dropped. */
TEST (test_pairing)
{
  GstMessage *message;
  Cloud cloud;
  Rig rig;

  open_rig (&rig, "", TRUE, NULL);
  gst_harness_push (rig.left, make_left (0));
  gst_harness_push (rig.map, make_matched (2, "disparity", TRUE));
  gst_harness_push (rig.left, make_left (1));
  gst_harness_push (rig.left, make_left (2));
  cloud = read_cloud (gst_harness_pull (rig.map));
  fail_unless (cloud.colors);
  fail_unless (gst_bus_pop_filtered (rig.bus, GST_MESSAGE_ELEMENT) == NULL);

  /* the image of this map has been dropped */
  gst_harness_push (rig.left, make_left (5));
  gst_harness_push (rig.map, make_matched (4, "disparity", TRUE));
  cloud = read_cloud (make_file (&rig, make_matched (5, "disparity", TRUE),
          NULL));
  message = gst_bus_pop_filtered (rig.bus, GST_MESSAGE_ELEMENT);
  fail_unless (message != NULL);
  fail_unless (gst_message_has_name (message, "stereo-unpaired"));
  gst_message_unref (message);
  close_rig (&rig);
}

/* Fails unless this map causes one error with this text and no output. */
static void
check_error (Rig * rig, GstBuffer * map, const gchar * text)
{
  gst_harness_push (rig->map, map);
  bus_expect_error (rig->bus, PATIENCE, text);
  fail_unless_equals_int (gst_harness_buffers_received (rig->map), 0);
}

static gpointer
push_maps (gpointer h)
{
  GstFlowReturn flow = GST_FLOW_OK;

  for (guint i = 0; i < 300 && flow == GST_FLOW_OK; i++)
    flow = gst_harness_push (h, make_matched (i, "disparity", TRUE));
  return GINT_TO_POINTER (flow);
}

/* The pad for images comes and goes while maps arrive. */
TEST (test_requests_while_playing)
{
  GThread *thread;
  Rig rig;

  open_rig (&rig, "", FALSE, NULL);
  gst_harness_set_drop_buffers (rig.map, TRUE);
  thread = g_thread_new ("maps", push_maps, rig.map);
  for (guint i = 0; i < 100; i++) {
    GstPad *pad = gst_element_request_pad_simple (rig.map->element,
        "sink_left");

    fail_unless (pad != NULL);
    gst_element_release_request_pad (rig.map->element, pad);
    gst_object_unref (pad);
  }
  fail_unless_equals_int (GPOINTER_TO_INT (g_thread_join (thread)),
      GST_FLOW_OK);
  close_rig (&rig);
}

/* The segment that would give the gap its running time is missing. */
TEST (test_gap_before_a_segment)
{
  GstSegment segment;
  Rig rig;

  open_rig (&rig, CAMERA, FALSE, NULL);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (rig.map, gst_event_new_flush_start ());
  gst_harness_push_event (rig.map, gst_event_new_flush_stop (TRUE));
  gst_harness_push_event (rig.map, gst_event_new_gap (0, FRAME));
  gst_harness_push_event (rig.map, gst_event_new_segment (&segment));
  gst_harness_push (rig.map, make_map (0));
  gst_buffer_unref (gst_harness_pull (rig.map));
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

  open_rig (&rig, properties[__i__], FALSE, NULL);
  check_error (&rig, __i__ == 0 ? make_matched (0, "disparity", FALSE)
      : make_map (0), texts[__i__]);
  close_rig (&rig);
}

/* Metadata of an unknown surface are not used. */
TEST (test_unknown_projection)
{
  GstBuffer *map;
  Rig rig;

  open_rig (&rig, "", FALSE, NULL);
  map = make_matched (0, "disparity", TRUE);
  set_projection (map, "sphere");
  check_error (&rig, map, "no focal length and baseline");
  close_rig (&rig);
}

TEST (test_no_disparity)
{
  Rig rig;

  open_rig (&rig, CAMERA, FALSE, NULL);
  check_error (&rig, make_matched (0, "vertical", TRUE),
      "have another result: vertical. Link the matcher's pad src");
  close_rig (&rig);
}

TEST (test_sizes_differ)
{
  GstBuffer *left = gst_buffer_new_allocate (NULL, 8 * 2 * 3, NULL);
  Rig rig;

  open_rig (&rig, CAMERA, TRUE, NULL);
  gst_harness_set_src_caps_str (rig.left, "video/x-raw, format=RGBx, width=4, "
      "height=3, framerate=25/1");
  gst_harness_set_src_caps_str (rig.left, "video/x-raw, format=RGB, width=8, "
      "height=2, framerate=25/1");
  GST_BUFFER_PTS (left) = 0;
  gst_harness_push (rig.left, left);
  check_error (&rig, make_map (0), "The map on sink_disparity has 4x3, the "
      "image on sink_left 8x2. They must be equal: put videoscale and the caps "
      "video/x-raw,width=4,height=3 before sink_left.");
  close_rig (&rig);
}

/* Numbered files, each complete, as in the documentation. */
TEST (test_pipeline)
{
  gchar *folder, *line;
  GstElement *pipeline;
  GstMessage *message;
  GstBus *bus;

  if (!check_has_element ("multifilesink"))
    return;
  folder = g_dir_make_tmp ("clouds-XXXXXX", NULL);
  line = g_strdup_printf ("stereotestsrc view=left num-buffers=3 ! "
      "video/x-raw,format=NV12,width=64,height=48 ! tee name=l  "
      "stereotestsrc view=right num-buffers=3 ! video/x-raw,format=NV12,"
      "width=64,height=48 ! m.sink_right l. ! queue ! m.sink_left "
      "l. ! queue ! c.sink_left stereosgm name=m num-disparities=16 "
      "disparity-scale=256 ! c.sink_disparity disparitycloud name=c " CAMERA
      "! multifilesink location=%s/%%d.ply", folder);
  pipeline = gst_parse_launch (line, NULL);
  fail_unless (pipeline != NULL);
  g_free (line);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  bus = gst_element_get_bus (pipeline);
  message = gst_bus_timed_pop_filtered (bus, PATIENCE,
      GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  fail_unless (message != NULL && GST_MESSAGE_TYPE (message)
      == GST_MESSAGE_EOS);
  gst_message_unref (message);
  gst_object_unref (bus);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);

  for (guint i = 0; i < 3; i++) {
    gchar *path = g_strdup_printf ("%s/%u.ply", folder, i), *data, *element;
    gsize size;
    guint n = 0;

    fail_unless (g_file_get_contents (path, &data, &size, NULL));
    element = g_strstr_len (data, 400, "element vertex ");
    fail_unless (element != NULL && sscanf (element, "element vertex %u", &n)
        == 1);
    fail_unless (n > 64 * 48 / 2);
    fail_unless (strncmp (data + size - 15 * n - 11, "end_header\n", 11) == 0);
    g_remove (path);
    g_free (data);
    g_free (path);
  }
  g_rmdir (folder);
  g_free (folder);
}

CHECK_MAIN ("disparitycloud")
