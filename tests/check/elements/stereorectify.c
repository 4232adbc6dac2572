/* gst-stereomatching: tests of the element stereorectify
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "checkmain.h"

#include <gst/check/gstharness.h>
#include <gst/video/video.h>

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define META "GstStereoCameraMeta"

#define WIDTH 672
#define HEIGHT 376

/* ------------------------------------------------------------------- files */

static gchar *folder;

static void
make_folder (void)
{
  folder = g_dir_make_tmp ("stereorectify-XXXXXX", NULL);
  fail_unless (folder != NULL);
}

static void
remove_folder (void)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  const gchar *name;

  while ((name = g_dir_read_name (dir)) != NULL) {
    gchar *path = g_build_filename (folder, name, NULL);

    g_unlink (path);
    g_free (path);
  }
  g_dir_close (dir);
  g_rmdir (folder);
  g_free (folder);
}

static gchar *
path_of (const gchar * name)
{
  return g_build_filename (folder, name, NULL);
}

static void
put_file (const gchar * name, const gchar * text)
{
  gchar *path = path_of (name);

  fail_unless (g_file_set_contents (path, text, -1, NULL));
  g_free (path);
}

/* "1, 2, 3" */
static void
append (GString * text, const gdouble * numbers, guint n)
{
  for (guint i = 0; i < n; i++) {
    gchar number[G_ASCII_DTOSTR_BUF_SIZE];

    g_string_append_printf (text, "%s%s", i ? ", " : "",
        g_ascii_dtostr (number, sizeof (number), numbers[i]));
  }
}

static void
append_opencv (GString * text, const gchar * name, guint rows, guint columns,
    const gdouble * numbers)
{
  g_string_append_printf (text, "%s: !!opencv-matrix\n   rows: %u\n   cols: "
      "%u\n   dt: d\n   data: [ ", name, rows, columns);
  append (text, numbers, rows * columns);
  g_string_append (text, " ]\n");
}

static void
append_ros (GString * text, const gchar * name, guint rows, guint columns,
    const gdouble * numbers)
{
  g_string_append_printf (text, "%s:\n  rows: %u\n  cols: %u\n  data: [", name,
      rows, columns);
  append (text, numbers, rows * columns);
  g_string_append (text, "]\n");
}

/* ----------------------------------------------------------------- cameras */

/* The stereo camera of all calibration files. */
static const gdouble intrinsics[2][4] = {
  {353.5, 354.25, 340.5, 190.125}, {351.75, 352.5, 331.25, 184.5}
};
static const gdouble distortion[2][5] = {
  {-0.17, 0.025, 0.0005, -0.0003, 0}, {-0.16, 0.02, -0.0004, 0.0002, 0}
};
/* metres, in the coordinates of the right camera */
static const gdouble translation[3] = { -0.12, 0.0015, -0.0007 };
static const gdouble turn[3] = { 0.004, -0.007, 0.002 };

static void
rotation_of (gdouble r[9])
{
  const gdouble *v = turn;
  gdouble angle = sqrt (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  gdouble a = sin (angle) / angle, b = (1 - cos (angle)) / (angle * angle);
  const gdouble cross[9] = { 0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0 };

  /* 1 + a [v] + b [v]^2 */
  for (guint i = 0; i < 9; i++) {
    r[i] = (i % 4 == 0) + a * cross[i];
    for (guint k = 0; k < 3; k++)
      r[i] += b * cross[i / 3 * 3 + k] * cross[3 * k + i % 3];
  }
}

static void
matrix_of (guint view, gdouble k[9])
{
  const gdouble *c = intrinsics[view];
  const gdouble matrix[9] = { c[0], 0, c[2], 0, c[1], c[3], 0, 0, 1 };

  memcpy (k, matrix, sizeof (matrix));
}

static const gdouble rectifying[2][9] = {
  {1, 0, 0, 0, 1, 0, 0, 0, 1}, {0.8, 0, 0.6, 0, 1, 0, -0.6, 0, 0.8}
};
static const gdouble projection[2][12] = {
  {350, 0, 320, 0, 0, 350, 188, 0, 0, 0, 1, 0},
  {350, 0, 326, -42, 0, 350, 188, 0, 0, 0, 1, 0}
};

/* OpenCV's two files, with squares of 30 mm. */
static gchar *
write_opencv (gboolean rectified)
{
  GString *in = g_string_new ("%YAML:1.0\n---\n");
  GString *out = g_string_new ("%YAML:1.0\n");
  gchar *paths[2] = { path_of ("intrinsics.yml"), path_of ("extrinsics.yml") };
  gchar *both = g_strjoin (G_SEARCHPATH_SEPARATOR_S, paths[0], paths[1], NULL);
  gdouble r[9], t[3], k[9];

  for (guint v = 0; v < 2; v++) {
    matrix_of (v, k);
    append_opencv (in, v ? "M2" : "M1", 3, 3, k);
    append_opencv (in, v ? "D2" : "D1", 1, 5, distortion[v]);
  }
  rotation_of (r);
  for (guint i = 0; i < 3; i++)
    t[i] = translation[i] / 0.03;
  append_opencv (out, "R", 3, 3, r);
  append_opencv (out, "T", 3, 1, t);
  for (guint v = 0; v < 2 && rectified; v++) {
    gdouble p[12];

    memcpy (p, projection[v], sizeof (p));
    p[3] /= 0.03;
    append_opencv (out, v ? "R2" : "R1", 3, 3, rectifying[v]);
    append_opencv (out, v ? "P2" : "P1", 3, 4, p);
  }
  put_file ("intrinsics.yml", in->str);
  put_file ("extrinsics.yml", out->str);
  g_string_free (in, TRUE);
  g_string_free (out, TRUE);
  g_free (paths[0]);
  g_free (paths[1]);
  return both;
}

/* A Kalibr camchain; swapped: cam0 is the right camera. */
static gchar *
write_kalibr (gboolean swapped)
{
  GString *text = g_string_new ("");
  gdouble r[9], t[16] = { 0, }, size[2] = { WIDTH, HEIGHT };

  rotation_of (r);
  for (guint i = 0; i < 9; i++)
    t[i / 3 * 4 + i % 3] = swapped ? r[i % 3 * 3 + i / 3] : r[i];
  for (guint i = 0; i < 3; i++)
    for (guint j = 0; j < 3; j++)
      t[4 * i + 3] += swapped ? -r[3 * j + i] * translation[j]
          : i == j ? translation[i] : 0;
  t[15] = 1;
  for (guint c = 0; c < 2; c++) {
    guint v = swapped ? 1 - c : c;

    g_string_append_printf (text, "cam%u:\n  cam_overlaps: [%u]\n"
        "  camera_model: pinhole\n  distortion_model: radtan\n"
        "  distortion_coeffs: [", c, 1 - c);
    append (text, distortion[v], 4);
    g_string_append (text, "]\n  intrinsics: [");
    append (text, intrinsics[v], 4);
    g_string_append (text, "]\n  resolution: [");
    append (text, size, 2);
    g_string_append (text, "]\n");
    if (c == 1) {
      g_string_append (text, "  T_cn_cnm1:\n");
      for (guint row = 0; row < 4; row++) {
        g_string_append (text, "  - [");
        append (text, t + 4 * row, 4);
        g_string_append (text, "]\n");
      }
    }
  }
  put_file ("camchain.yaml", text->str);
  g_string_free (text, TRUE);
  return path_of ("camchain.yaml");
}

static gchar *
write_zed (void)
{
  static const gchar *const keys[] = { "fx", "fy", "cx", "cy", "k1", "k2", "p1",
    "p2", "k3"
  };
  GString *text = g_string_new ("");
  gchar number[G_ASCII_DTOSTR_BUF_SIZE];

  for (guint v = 0; v < 2; v++) {
    g_string_append_printf (text, "[%s_CAM_HD]\nfx=700\nfy=700\ncx=640\n"
        "cy=360\n\n[%s_CAM_VGA]\n", v ? "RIGHT" : "LEFT", v ? "RIGHT" :
        "LEFT");
    for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
      g_string_append_printf (text, "%s=%s\n", keys[i], g_ascii_dtostr (number,
              sizeof (number), i < 4 ? intrinsics[v][i]
              : distortion[v][i - 4]));
  }
  g_string_append (text, "[STEREO]\nBaseline=120\n");
  g_string_append_printf (text, "TY=%s\n", g_ascii_dtostr (number,
          sizeof (number), -1000 * translation[1]));
  g_string_append_printf (text, "TZ=%s\n", g_ascii_dtostr (number,
          sizeof (number), -1000 * translation[2]));
  g_string_append_printf (text, "RX_HD=0\nCV_HD=0\nRZ_HD=0\nRX_VGA=%s\n",
      g_ascii_dtostr (number, sizeof (number), turn[0]));
  g_string_append_printf (text, "CV_VGA=%s\n", g_ascii_dtostr (number,
          sizeof (number), turn[1]));
  g_string_append_printf (text, "RZ_VGA=%s\n", g_ascii_dtostr (number,
          sizeof (number), turn[2]));
  put_file ("SN1.conf", text->str);
  g_string_free (text, TRUE);
  return path_of ("SN1.conf");
}

static gchar *
write_ros (void)
{
  gchar *paths[2] = { path_of ("right.yaml"), path_of ("left.yaml") }, *both;

  for (guint v = 0; v < 2; v++) {
    GString *text = g_string_new ("");
    gdouble k[9];

    matrix_of (v, k);
    g_string_append_printf (text, "image_width: %d\nimage_height: %d\n"
        "camera_name: narrow_stereo/%s\ndistortion_model: plumb_bob\n", WIDTH,
        HEIGHT, v ? "right" : "left");
    append_ros (text, "camera_matrix", 3, 3, k);
    append_ros (text, "distortion_coefficients", 1, 5, distortion[v]);
    append_ros (text, "rectification_matrix", 3, 3, rectifying[v]);
    append_ros (text, "projection_matrix", 3, 4, projection[v]);
    put_file (v ? "right.yaml" : "left.yaml", text->str);
    g_string_free (text, TRUE);
  }
  both = g_strjoin (G_SEARCHPATH_SEPARATOR_S, paths[0], paths[1], NULL);
  g_free (paths[0]);
  g_free (paths[1]);
  return both;
}

/* ---------------------------------------------------------------------- rig */

static GstHarness *
open_rectifier (const gchar * properties, const gchar * calibration,
    GstBus ** bus)
{
  gchar *line = g_strdup_printf ("stereorectify name=r backend=cpu "
      "n-threads=1 %s", properties);
  GstElement *element = gst_parse_launch (line, NULL);
  GstHarness *h;

  fail_unless (element != NULL);
  g_object_set (element, "calibration", calibration, NULL);
  *bus = gst_bus_new ();
  gst_element_set_bus (element, *bus);
  h = gst_harness_new_with_element (element, "sink", "src");
  gst_object_unref (element);
  g_free (line);
  return h;
}

static void
close_rectifier (GstHarness * h, GstBus * bus)
{
  gst_element_set_bus (h->element, NULL);
  gst_harness_teardown (h);
  gst_object_unref (bus);
}

static GstBuffer *
noise (gsize size)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);
  guint32 state = 3;
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (gsize i = 0; i < size; i++) {
    state = state * 1664525 + 1013904223;
    map.data[i] = (guint8) (state >> 24);
  }
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

static void
check_square_pixels (GstHarness * h)
{
  GstCaps *caps = gst_pad_get_current_caps (h->sinkpad);
  GstVideoInfo info;

  fail_unless (gst_video_info_from_caps (&info, caps));
  fail_unless_equals_int (GST_VIDEO_INFO_PAR_N (&info),
      GST_VIDEO_INFO_PAR_D (&info));
  gst_caps_unref (caps);
}

/* Rectified noise, whose pixels are not square. */
static GstBuffer *
rectify (const gchar * properties, const gchar * calibration)
{
  GstBus *bus;
  GstHarness *h = open_rectifier (properties, calibration, &bus);
  GstBuffer *out;

  gst_harness_set_src_caps_str (h, "video/x-raw, format=GRAY8, "
      "width=" G_STRINGIFY (WIDTH) ", height=" G_STRINGIFY (HEIGHT)
      ", framerate=25/1, pixel-aspect-ratio=2/3");
  if (gst_harness_push (h, noise (WIDTH * HEIGHT)) != GST_FLOW_OK) {
    GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
    GError *error = NULL;

    gst_message_parse_error (message, &error, NULL);
    fail ("%s", error->message);
  }
  out = gst_harness_pull (h);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
  check_square_pixels (h);
  close_rectifier (h, bus);
  return out;
}

static gdouble
number_in (GstBuffer * buffer, const gchar * field)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, META);
  gdouble number = NAN;

  fail_unless (meta != NULL);
  gst_structure_get_double (gst_custom_meta_get_structure (meta), field,
      &number);
  return number;
}

static void
check_number (GstBuffer * buffer, const gchar * field, gdouble wanted,
    gdouble tolerance)
{
  gdouble number = number_in (buffer, field);

  fail_unless (fabs (number - wanted) <= tolerance, "%s is %.9g, expected %.9g",
      field, number, wanted);
}

static guint
count_differences (GstBuffer * a, GstBuffer * b)
{
  GstMapInfo maps[2];
  guint n = 0;

  fail_unless (gst_buffer_map (a, &maps[0], GST_MAP_READ));
  fail_unless (gst_buffer_map (b, &maps[1], GST_MAP_READ));
  fail_unless_equals_int (maps[0].size, maps[1].size);
  for (gsize i = 0; i < maps[0].size; i++)
    n += maps[0].data[i] != maps[1].data[i];
  gst_buffer_unmap (b, &maps[1]);
  gst_buffer_unmap (a, &maps[0]);
  return n;
}

/* ------------------------------------------------------------------- tests */

/* The same camera in files of OpenCV, Kalibr (both orders) and ZED. Rounding
 * may move some source positions by 1/256. */
TEST (test_computed)
{
  for (guint v = 0; v < 2; v++) {
    const gchar *view = v ? "view=right" : "view=left";
    gchar *opencv = g_strconcat (view, " calibration-unit=0.03", NULL);
    gchar *paths = write_opencv (FALSE);
    GstBuffer *ours = rectify (opencv, paths), *other;

    g_free (paths);
    check_number (ours, "baseline", sqrt (0.12 * 0.12 + 0.0015 * 0.0015
            + 0.0007 * 0.0007), 1e-12);
    check_number (ours, "doffs", 0, 0);
    for (guint i = 0; i < 3; i++) {
      paths = i < 2 ? write_kalibr (i == 1) : write_zed ();
      other = rectify (view, paths);
      fail_unless (count_differences (ours, other) < WIDTH * HEIGHT / 10000);
      check_number (other, "focal-length", number_in (ours, "focal-length"),
          1e-9);
      check_number (other, "cx", number_in (ours, "cx"), 1e-9);
      check_number (other, "cy", number_in (ours, "cy"), 1e-9);
      check_number (other, "baseline", number_in (ours, "baseline"), 1e-12);
      gst_buffer_unref (other);
      g_free (paths);
    }
    gst_buffer_unref (ours);
    g_free (opencv);
  }
}

/* Appends a camera of Kalibr with these parameters before the focal lengths. */
static void
append_wide (GString * text, guint view, const gchar * model,
    const gchar * parameters, gboolean distorted)
{
  const gdouble size[2] = { WIDTH, HEIGHT };

  g_string_append_printf (text, "cam%u:\n  camera_model: %s\n"
      "  intrinsics: [%s", view, model, parameters);
  append (text, intrinsics[view], 4);
  g_string_append (text, "]\n  resolution: [");
  append (text, size, 2);
  g_string_append (text, "]\n");
  if (!distorted)
    return;
  g_string_append (text, "  distortion_model: radtan\n  distortion_coeffs: [");
  append (text, distortion[view], 4);
  g_string_append (text, "]\n");
}

static gchar *
write_wide (const gchar * model, const gchar * parameters, gboolean distorted)
{
  GString *text = g_string_new ("");
  gdouble r[9];

  for (guint v = 0; v < 2; v++)
    append_wide (text, v, model, parameters, distorted);
  rotation_of (r);
  g_string_append (text, "  T_cn_cnm1:\n");
  for (guint row = 0; row < 3; row++) {
    g_string_append (text, "  - [");
    append (text, r + 3 * row, 3);
    g_string_append (text, ", ");
    append (text, translation + row, 1);
    g_string_append (text, "]\n");
  }
  g_string_append (text, "  - [0, 0, 0, 1]\n");
  put_file ("wide.yaml", text->str);
  g_string_free (text, TRUE);
  return path_of ("wide.yaml");
}

/* A file of cv::omnidir, with the names of its example program or short
 * ones. */
static gchar *
write_omnidir (gboolean long_names)
{
  GString *text = g_string_new ("%YAML:1.0\n---\n");
  gdouble k[9];

  for (guint v = 0; v < 2; v++) {
    matrix_of (v, k);
    append_opencv (text, long_names ? v ? "camera_matrix_2" : "camera_matrix_1"
        : v ? "K2" : "K1", 3, 3, k);
    append_opencv (text, long_names ? v ? "distortion_coefficients_2"
        : "distortion_coefficients_1" : v ? "D2" : "D1", 1, 4, distortion[v]);
    g_string_append_printf (text, long_names ? "xi_%u: 0.\n" : "xi%u: 0.\n",
        v + 1);
  }
  append_opencv (text, long_names ? "rvec" : "R", 3, 1, turn);
  append_opencv (text, long_names ? "tvec" : "T", 3, 1, translation);
  put_file ("omnidir.yml", text->str);
  g_string_free (text, TRUE);
  return path_of ("omnidir.yml");
}

static gchar *
write_pinhole (void)
{
  return write_opencv (FALSE);
}

/* Puts a text before the files, and ends their lines as on Windows. */
static void
edit_files (const gchar * paths, const gchar * start)
{
  gchar **names = g_strsplit (paths, G_SEARCHPATH_SEPARATOR_S, -1);

  for (guint i = 0; names[i] != NULL; i++) {
    gchar *text, **lines, *edited, *whole;

    fail_unless (g_file_get_contents (names[i], &text, NULL, NULL));
    lines = g_strsplit (text, "\n", -1);
    edited = g_strjoinv ("\r\n", lines);
    whole = g_strconcat (start, edited, NULL);
    fail_unless (g_file_set_contents (names[i], whole, -1, NULL));
    g_free (whole);
    g_free (edited);
    g_strfreev (lines);
    g_free (text);
  }
  g_strfreev (names);
}

/* Takes path. */
static void
check_same_view (const gchar * properties, GstBuffer * wanted, gchar * path)
{
  GstBuffer *other = rectify (properties, path);

  fail_unless (count_differences (wanted, other) < WIDTH * HEIGHT / 10000);
  check_number (other, "focal-length", number_in (wanted, "focal-length"),
      1e-9);
  check_number (other, "baseline", number_in (wanted, "baseline"), 1e-9);
  gst_buffer_unref (other);
  g_free (path);
}

/* Files that an editor has saved: with a byte order mark, line ends of Windows
 * and lines before the first one. */
TEST (test_edited_files)
{
  gchar *(*const writers[]) (void) = { write_zed, write_ros, write_pinhole };
  static const gchar *const starts[] = { "", "# left, then right\r\n\r\n",
    "\xef\xbb\xbf", "\xef\xbb\xbf# left, then right\r\n"
  };

  for (guint w = 0; w < G_N_ELEMENTS (writers); w++) {
    gchar *paths = writers[w] ();
    GstBuffer *wanted = rectify ("view=right", paths), *other;

    for (guint i = 0; i < G_N_ELEMENTS (starts); i++) {
      edit_files (paths, starts[i]);
      other = rectify ("view=right", paths);
      fail_unless_equals_int (count_differences (wanted, other), 0);
      gst_buffer_unref (other);
      g_free (writers[w] ());
    }
    gst_buffer_unref (wanted);
    g_free (paths);
  }
}

/* The view, converted to caps. */
static GstBuffer *
rectify_to (const gchar * caps)
{
  gchar *path = write_zed ();
  gchar *launch = g_strdup_printf ("stereorectify view=left calibration=%s "
      "! videoconvert ! videoscale ! capsfilter caps=%s", path, caps);
  GstHarness *h = gst_harness_new_parse (launch);
  GstBuffer *out;

  gst_harness_set_src_caps_str (h, "video/x-raw, format=GRAY8, "
      "width=" G_STRINGIFY (WIDTH) ", height=" G_STRINGIFY (HEIGHT)
      ", framerate=25/1, pixel-aspect-ratio=1/1");
  fail_unless_equals_int (gst_harness_push (h, noise (WIDTH * HEIGHT)),
      GST_FLOW_OK);
  out = gst_harness_pull (h);
  gst_harness_teardown (h);
  g_free (launch);
  g_free (path);
  return out;
}

/* The camera of converted and scaled views. */
TEST (test_converted_views)
{
  GstBuffer *original = rectify_to ("video/x-raw,format=GRAY8");
  GstBuffer *converted = rectify_to ("video/x-raw,format=RGB");
  GstBuffer *scaled = rectify_to ("video/x-raw,width=336,height=188");
  GstBuffer *squeezed = rectify_to ("video/x-raw,width=336,height=376,"
      "pixel-aspect-ratio=2/1");
  static const gchar *const fields[] = { "focal-length", "cx", "cy",
    "baseline", "doffs"
  };

  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    const gdouble own = number_in (original, fields[i]);
    const gdouble middle = i == 1 || i == 2 ? 0.5 : 0;

    check_number (converted, fields[i], own, 0);
    check_number (scaled, fields[i], i == 3 ? own
        : (own + middle) / 2 - middle, 1e-9);
  }
  fail_unless (gst_buffer_get_custom_meta (squeezed, META) == NULL);
  gst_buffer_unref (original);
  gst_buffer_unref (converted);
  gst_buffer_unref (scaled);
  gst_buffer_unref (squeezed);
}

/* Wide lenses with the parameters of a pinhole, as Kalibr and OpenCV write
 * them. */
TEST (test_wide_files)
{
  static const gchar *const shapes[] = { "view=left field-of-view=70",
    "view=right field-of-view=95", "view=right projection=cylinder"
  };

  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++) {
    for (guint distorted = 0; distorted < 2; distorted++) {
      gchar *path = write_wide ("pinhole", "", distorted);
      GstBuffer *pinhole = rectify (shapes[i], path);

      g_free (path);
      check_number (pinhole, "focal-length", WIDTH / 2.0 / tan ((i == 0 ? 35
                  : i == 1 ? 47.5 : 45) * G_PI / 180), 1e-9);
      check_number (pinhole, "cx", (WIDTH - 1) / 2.0, 1e-9);
      fail_unless_equals_string (gst_structure_get_string
          (gst_custom_meta_get_structure (gst_buffer_get_custom_meta (pinhole,
                      META)), "projection"), i == 2 ? "cylinder" : NULL);
      check_same_view (shapes[i], pinhole, write_wide ("omni", "0, ",
              distorted));
      if (distorted) {
        check_same_view (shapes[i], pinhole, write_omnidir (FALSE));
        check_same_view (shapes[i], pinhole, write_omnidir (TRUE));
      } else {
        check_same_view (shapes[i], pinhole, write_wide ("ds", "0, 0, ",
                FALSE));
        check_same_view (shapes[i], pinhole, write_wide ("eucm", "0, 1, ",
                FALSE));
      }
      gst_buffer_unref (pinhole);
    }
  }
}

/* Rectifies the right view with cameras and a pose in two files, in this
 * order. */
static GstBuffer *
rectify_two (const gchar * cameras, const gchar * pose, gboolean pose_first)
{
  gchar *first = path_of (pose_first ? "pose.yml" : "cameras.yml");
  gchar *second = path_of (pose_first ? "cameras.yml" : "pose.yml");
  gchar *both = g_strjoin (G_SEARCHPATH_SEPARATOR_S, first, second, NULL);
  GstBuffer *view;

  put_file ("cameras.yml", cameras);
  put_file ("pose.yml", pose);
  view = rectify ("view=right alpha=-1", both);
  g_free (both);
  g_free (second);
  g_free (first);
  return view;
}

#define FISHEYE "distortion_model: fisheye\n"
#define CAMERAS "M1: [350, 0, 335.5, 0, 350, 187.5, 0, 0, 1]\n" \
    "M2: [350, 0, 335.5, 0, 350, 187.5, 0, 0, 1]\n" \
    "D1: [0.1, 0, 0, 0]\nD2: [0.1, 0, 0, 0]\n"
#define POSE "R: [1, 0, 0, 0, 1, 0, 0, 0, 1]\nT: [-0.1, 0, 0]\n"

/* The model of the lenses may be in either file of OpenCV. */
TEST (test_fisheye_files)
{
  GstBuffer *pinhole = rectify_two (CAMERAS, POSE, FALSE);
  GstBuffer *fisheye = rectify_two (FISHEYE CAMERAS, POSE, FALSE);

  fail_unless (count_differences (pinhole, fisheye) > WIDTH * HEIGHT / 2);
  for (guint i = 0; i < 4; i++) {
    GstBuffer *view = rectify_two (i % 2 == 0 ? FISHEYE CAMERAS : CAMERAS,
        i % 2 == 0 ? POSE : FISHEYE POSE, i >= 2);

    fail_unless_equals_int (count_differences (view, fisheye), 0);
    gst_buffer_unref (view);
  }
  gst_buffer_unref (fisheye);
  gst_buffer_unref (pinhole);
}

/* Rectifications in files of OpenCV and ROS are used unchanged. */
TEST (test_given)
{
  for (guint v = 0; v < 2; v++) {
    const gchar *view = v ? "view=right" : "view=left";
    gchar *opencv = g_strconcat (view, " calibration-unit=0.03", NULL);
    gchar *paths = write_opencv (TRUE);
    GstBuffer *ours = rectify (opencv, paths), *other;
    GstCustomMeta *meta = gst_buffer_get_custom_meta (ours, META);

    fail_unless_equals_string (gst_structure_get_string
        (gst_custom_meta_get_structure (meta), "view"), v ? "right" : "left");
    check_number (ours, "focal-length", 350, 0);
    check_number (ours, "cx", v ? 326 : 320, 0);
    check_number (ours, "cy", 188, 0);
    check_number (ours, "baseline", 0.12, 1e-12);
    check_number (ours, "doffs", 6, 0);
    g_free (paths);
    paths = write_ros ();
    other = rectify (view, paths);
    fail_unless_equals_int (count_differences (ours, other), 0);
    check_number (other, "baseline", 0.12, 1e-12);
    gst_buffer_unref (other);
    gst_buffer_unref (ours);
    g_free (paths);
    g_free (opencv);
  }
}

/* Reference values for the shared calibration, computed by OpenCV 5 without
 * scaling, and those in the file. */
TEST (test_shared_calibration)
{
  const gchar *datasets = g_getenv ("STEREO_DATASETS");
  gchar *in = g_build_filename (datasets ? datasets : "", "calibration",
      "intrinsics.yml", NULL);
  gchar *out = g_build_filename (datasets ? datasets : "", "calibration",
      "extrinsics.yml", NULL);
  gchar *pose = path_of ("pose.yml"), *text, *end, *paths;
  static const gdouble alphas[] = { -1, 0, 1 };
  static const gdouble lengths[] = { 537.4085, 518.89, 421.33 };

  if (!g_file_get_contents (out, &text, NULL, NULL)) {
    g_print ("skipped: no shared calibration\n");
    g_free (in);
    g_free (out);
    g_free (pose);
    return;
  }
  end = strstr (text, "\nR1:");
  fail_unless (end != NULL);
  end[1] = '\0';
  put_file ("pose.yml", text);
  for (guint i = 0; i < 4; i++) {
    gchar *properties = g_strdup_printf ("view=left alpha=%g", i < 3
        ? alphas[i] : 0);
    GstBus *bus;
    GstHarness *h;
    GstBuffer *view;

    paths = g_strjoin (G_SEARCHPATH_SEPARATOR_S, in, i < 3 ? pose : out, NULL);
    h = open_rectifier (properties, paths, &bus);
    gst_harness_set_src_caps_str (h, "video/x-raw, format=GRAY8, width=640, "
        "height=480, framerate=25/1");
    fail_unless_equals_int (gst_harness_push (h, noise (640 * 480)),
        GST_FLOW_OK);
    view = gst_harness_pull (h);
    if (i < 3)
      check_number (view, "focal-length", lengths[i], i == 0 ? 1e-4
          : lengths[i] * 0.005);
    else
      check_number (view, "focal-length", 518.57773453724201, 0);
    check_number (view, "cx", 342.7751, 1e-4);
    check_number (view, "cy", 243.7539, 1e-4);
    if (i == 0)
      check_number (view, "baseline", 1793.6591 / 537.4085, 1e-6);
    gst_buffer_unref (view);
    close_rectifier (h, bus);
    g_free (properties);
    g_free (paths);
  }
  g_free (text);
  g_free (in);
  g_free (out);
  g_free (pose);
}

/* ----------------------------------------------------------------- errors */

typedef struct
{
  const gchar *text;            /* of the file */
  const gchar *error;           /* after the file name */
} ErrorCase;

#define ROS "image_width: 672\nimage_height: 376\ncamera_matrix:\n" \
    "  data: [1, 0, 2, 0, 1, 2, 0, 0, 1]\n" \
    "rectification_matrix:\n  data: [1, 0, 0, 0, 1, 0, 0, 0, 1]\n" \
    "projection_matrix:\n  data: [1, 0, 2, 0, 0, 1, 2, 0, 0, 0, 1, 0]\n"
/* A camera of Kalibr: intrinsics are on line 3, the resolution on line 4. */
#define KALIBR(model, intrinsics, resolution) "cam0:\n" \
    "  camera_model: " model "\n  intrinsics: [" intrinsics "]\n" \
    "  resolution: [" resolution "]\n"
#define CAM KALIBR ("pinhole", "1, 1, 1, 1", "672, 376")
#define WIDE(model, intrinsics) KALIBR (model, intrinsics, "672, 376")

/* Two OpenCV cameras, in a file without the image size. */
#define PINHOLE(cx, cy) \
    "M1: [500, 0, " cx ", 0, 500, " cy ", 0, 0, 1]\n" \
    "M2: [500, 0, " cx ", 0, 500, " cy ", 0, 0, 1]\n"
#define TRANSLATION(x) "R: [1, 0, 0, 0, 1, 0, 0, 0, 1]\nT: [" x ", 0, 0]\n"

static const ErrorCase errors[] = {
  {"", ": the file is empty"},
  {"\xff\xfe", ": expected text in UTF-8"},
  {"<?xml version=\"1.0\"?>\n", ":1: expected YAML, got XML"},
  {"{ \"M1\": 1 }", ":1: expected YAML, got JSON"},
  {"M1: [1, 2\n", ":2: failed to parse YAML"},
  {"- 1\n- 2\n", ":1: expected a calibration, got a document "
        "without keys"},
  {"foo: 1\n", ":1: unknown calibration format"},
  {"a: 1\nM1:\n  data: [1, 2, 3]\n", ":3: expected 9 numbers in "
        "a camera matrix, got 3"},
  {"M1:\n  data: [1, 0, 0, 0, 1, 0, 0, zero, 1]\n",
      ":2: expected a number, got 'zero'"},
  {"M1:\n  data: [1, 0, 0, 0, 1, 0, 0, .Nan, 1]\n",
      ":2: expected a number, got '.Nan'"},
  {"M1: [0, 0, 0, 0, 1, 0, 0, 0, 1]\n", ":1: expected focal lengths above 0 "
        "in the camera matrix"},
  {"M1: [1, 0, 0, 0, 1, 0, 0, 0, 1]\nD1:\n  a: 1\n",
      ":3: expected a list of numbers"},
  {"D1: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1, 0]\nM1: [1, 0, 0, 0, 1, 0, "
        "0, 0, 1]\n", ":1: a tilted sensor"},
  {"M1: [1, 0, 0, 0, 1, 0, 0, 0, 1]\nM2: [1, 0, 0, 0, 1, 0, 0, 0, 1]\n",
      ": there is neither a rectification of the left camera, nor"},
  {"R: [1, 0, 0, 0, 1, 0, 0, 0, 1]\nT: [1, 0, 0]\n",
      "no camera matrix of the left camera"},
  {PINHOLE ("335.5", "187.5") TRANSLATION ("-0.1") "R1: [1, 0, 0, 0, 1, 0, 0, "
        "0, 1]\nR2: [1, 0, 0, 0, 1, 0, 0, 0, 1]\nP2: [500, 0, 335.5, -50, 0, "
        "500, 187.5, 0, 0, 0, 1, 0]\n", ": there is a rectification of the "
        "right camera, but none of the left one"},
  {ROS "distortion_model: omni\ndistortion_coefficients:\n  data: [1]\n",
      ":11: expected the distortion model plumb_bob"},
  {ROS "distortion_model: equidistant\ndistortion_coefficients:\n"
        "  data: [1, 2, 3, 4, 5]\n", ":11: expected at most 4 coefficients for "
        "the distortion model equidistant, got 5"},
  {"camera_matrix: 1\nprojection_matrix: 1\n", ":1: expected image_width in "
        "a camera_info file"},
  {CAM, ":1: expected two cameras, got no cam1"},
  {CAM "cam1:\n  camera_model: omni\n  intrinsics: [1]\n  resolution: [1]\n",
      ":7: expected 5 numbers in intrinsics, got 1"},
  {CAM "cam1:\n  camera_model: fov\n  intrinsics: [1]\n  resolution: [1]\n",
      ":6: expected the camera model pinhole, omni, ds or eucm, got fov"},
  {KALIBR ("pinhole", "0, 300, 336, 188", "672, 376"), ":3: expected focal "
        "lengths above 0, got 0 and 300"},
  {KALIBR ("pinhole", "300, 300, 336, 188", "672.5, 376"), ":4: expected an "
        "image size from 1 to 16384"},
  {KALIBR ("pinhole", "300, 300, 336, 188", "672, 16385"), ":4: expected an "
        "image size from 1 to 16384"},
  {WIDE ("omni", "-0.5, 300, 300, 336, 188"), ":3: expected xi from 0 to 100 "
        "in the omnidirectional model, got -0.5"},
  {WIDE ("omni", "0.5, 0, 300, 336, 188"), ":3: expected focal lengths"},
  {WIDE ("ds", "-1.5, 0.5, 300, 300, 336, 188"), ":3: expected xi above -1 and "
        "up to 1 in the double sphere model, got -1.5"},
  {WIDE ("ds", "0.5, 1.5, 300, 300, 336, 188"), ":3: expected alpha from 0 to "
        "1, got 1.5"},
  {WIDE ("ds", "0.5, 300, 300, 336, 188"), ":3: expected 6 numbers in "
        "intrinsics, got 5"},
  {WIDE ("eucm", "1.5, 1, 300, 300, 336, 188"), ":3: expected alpha from 0 to "
        "1, got 1.5"},
  {WIDE ("eucm", "0.5, -1, 300, 300, 336, 188"), ":3: expected beta above 0 in "
        "the extended unified model, got -1"},
  {WIDE ("ds", "0.5, 0.5, 300, 300, 336, 188") "  distortion_model: radtan\n",
      ":3: expected the distortion model none of the camera model ds, got "
        "radtan"},
  {WIDE ("omni", "1, 300, 300, 336, 188") "  distortion_model: equidistant\n",
      ":3: expected the distortion model radtan or none of the camera model "
        "omni, got equidistant"},
  {"xi1: 1\nR: [0.1, 0, 0]\nT: [1, 0, 0]\n", ":1: expected K1 in the same file "
        "as xi1"},
  {"K1: [300, 0, 336, 0, 300, 188, 0, 0, 1]\nxi1: -1\n", ":2: expected xi from "
        "0 to 100"},
  {"rvec: [0.1, 0]\ntvec: [1, 0, 0]\n", ":1: expected 9 numbers in the "
        "rotation R, or 3 of a vector, got 2"},
  {CAM "cam1:\n  camera_model: pinhole\n  intrinsics: [1, 1, 1, 1]\n"
        "  resolution: [672, 376]\n", ":6: expected T_cn_cnm1 in cam1"},
  {"[LEFT_CAM_VGA]\nfx=1\n", ":1: expected fy in section [LEFT_CAM_VGA]"},
  {"[LEFT_CAM_HD]\nfx=1\n[LEFT_CAM_SVGA]\nfx=1\n", ": got no section for video "
        "of 672x376: expected 1280x720, 960x600, or a multiple"},
  {"[LEFT_CAM_NEW]\nfx=1\n", ": got no section for video of 672x376: expected "
        "[LEFT_CAM_HD] or that of another size"},
  {"# a camera\n[LEFT_CAM_VGA]\nfx=1\nfy=x\n",
      ":2: expected a number for fy in section [LEFT_CAM_VGA], got x"},
  {"image_width: 600\nimage_height: 300\nM1: [1, 0, 0, 0, 1, 0, 0, 0, 1]\n"
        "M2: [1, 0, 0, 0, 1, 0, 0, 0, 1]\nR: [1, 0, 0, 0, 1, 0, 0, 0, 1]\n"
        "T: [1, 0, 0]\n", "it is for images of 600x300, and these are "
        "672x376"},
  {PINHOLE ("1279.5", "359.5") TRANSLATION ("-0.1"), "its principal point, "
        "(1279.5, 359.5), is outside of these images of 672x376"},
  {PINHOLE ("319.5", "400") TRANSLATION ("-0.1"), "(319.5, 400), is outside"},
};

static void
check_error (const gchar * properties, const gchar * paths,
    const gchar * wanted)
{
  GstBus *bus;
  GstHarness *h = open_rectifier (properties, paths, &bus);

  gst_harness_set_src_caps_str (h, "video/x-raw, format=GRAY8, "
      "width=" G_STRINGIFY (WIDTH) ", height=" G_STRINGIFY (HEIGHT)
      ", framerate=25/1");
  gst_harness_push (h, noise (WIDTH * HEIGHT));
  bus_expect_error (bus, 0, wanted);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR) == NULL);
  close_rectifier (h, bus);
}

TEST (test_broken_files)
{
  gchar *path = path_of ("broken.txt");
  gchar *wanted;

  for (guint i = 0; i < G_N_ELEMENTS (errors); i++) {
    put_file ("broken.txt", errors[i].text);
    wanted = errors[i].error[0] == ':' ? g_strconcat ("broken.txt",
        errors[i].error, NULL) : g_strdup (errors[i].error);
    check_error ("view=left", path, wanted);
    g_free (wanted);
  }
  g_free (path);
}

/* A file of one text repeated n times, between two others. */
static void
check_repeated (const gchar * before, const gchar * text, guint n,
    const gchar * after, const gchar * wanted)
{
  GString *file = g_string_new (before);
  gchar *path = path_of ("large.yml");

  for (guint i = 0; i < n; i++)
    g_string_append (file, text);
  g_string_append (file, after);
  put_file ("large.yml", file->str);
  check_error ("view=left", path, wanted);
  g_string_free (file, TRUE);
  g_free (path);
}

/* Files that would take long to parse are rejected before. */
TEST (test_limits)
{
  static const gchar unknown[] = ":1: unknown calibration format";
  static const gchar deep[] = "expected at most 16 levels of nesting, got more";
  static const gchar names[] = "expected at most 100 anchors and tags, got "
      "more";
  static const gchar large[] = "expected at most 1048576 bytes, got more";

  check_repeated ("a: ", "[", 15, "1]]]]]]]]]]]]]]]", unknown);
  check_repeated ("a: ", "[", 16, "1]]]]]]]]]]]]]]]]", deep);
  check_repeated ("a: ", "{a: ", 80000, "", deep);
  check_repeated ("a:\n", "- ", 80000, "1", deep);
  check_repeated ("a: [&b 1, ", "*b, ", 1000, "]", unknown);
  check_repeated ("a: [", "&b 1, ", 101, "]", names);
  check_repeated ("", "%TAG !b! c\n", 101, "---\na: 1\n", names);
  check_repeated ("a: 1", "\n", (1 << 20) - 4, "", unknown);
  check_repeated ("a: 1", "\n", (1 << 20) - 3, "", large);
  check_error ("view=left", "/dev/zero", large);
}

TEST (test_wrong_properties)
{
  gchar *paths = write_ros ();

  check_error ("view=left corrections=false", NULL,
      "Set calibration to the file");
  check_error ("view=left", "/nowhere/at-all.yml", "/nowhere/at-all.yml: "
      "cannot be read: No such file");
  check_error ("view=left", folder, "cannot be read: Is a directory");
  check_error ("", "/nowhere/at-all.yml", "at-all.yml: cannot be read");
  check_error ("", paths, "Set view=left or view=right");
  g_free (paths);
  put_file ("pose.yml", "R: [1, 0, 0, 0, 1, 0, 0, 0, 1]\nT: [0, 1, 0]\n"
      "M1: [1, 0, 0, 0, 1, 0, 0, 0, 1]\nM2: [1, 0, 0, 0, 1, 0, 0, 0, 1]\n");
  paths = path_of ("pose.yml");
  check_error ("view=left", paths, "turn the images by 90 degrees");
  g_free (paths);
}

/* Part of the only warning, or NULL for none. */
static void
check_warning (const gchar * properties, const gchar * text,
    const gchar * wanted)
{
  gchar *path;
  GstBus *bus;
  GstHarness *h;
  GstMessage *message;
  GError *warning = NULL;

  put_file ("odd.yml", text);
  path = path_of ("odd.yml");
  h = open_rectifier (properties, path, &bus);
  for (guint i = 0; i < 2; i++) {       /* caps change */
    gst_harness_set_src_caps_str (h, i == 0 ? "video/x-raw, format=GRAY8, "
        "width=640, height=480, framerate=25/1" : "video/x-raw, format=GRAY8, "
        "width=640, height=480, framerate=30/1");
    fail_unless_equals_int (gst_harness_push (h, noise (640 * 480)),
        GST_FLOW_OK);
  }
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  fail_unless_equals_int (message != NULL, wanted != NULL);
  if (message != NULL) {
    gst_message_parse_warning (message, &warning, NULL);
    fail_unless (strstr (warning->message, wanted) != NULL, "%s",
        warning->message);
    g_clear_error (&warning);
    gst_message_unref (message);
  }
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
  close_rectifier (h, bus);
  g_free (path);
}

TEST (test_implausible)
{
  static const gchar *const millimeters = PINHOLE ("319.5", "239.5")
      TRANSLATION ("-120");
  static const gchar *const half_size = PINHOLE ("159.5", "119.5")
      TRANSLATION ("-0.12");
  static const gchar *const swapped = PINHOLE ("319.5", "239.5")
      TRANSLATION ("0.12");
  static const gchar *const swapped_projection = PINHOLE ("319.5", "239.5")
      "R1: [1, 0, 0, 0, 1, 0, 0, 0, 1]\nR2: [1, 0, 0, 0, 1, 0, 0, 0, 1]\n"
      "P1: [500, 0, 319, 0, 0, 500, 239, 0, 0, 0, 1, 0]\n"
      "P2: [500, 0, 319, 60, 0, 500, 239, 0, 0, 0, 1, 0]\n"
      TRANSLATION ("0.12");

  check_warning ("view=left", millimeters, "a baseline of 120 m. If the "
      "cameras have another distance, set calibration-unit");
  check_warning ("view=left calibration-unit=0.001", millimeters, NULL);
  check_warning ("view=left calibration-unit=0.000001", millimeters,
      "baseline of 0.00012 m");
  /* one warning per pair */
  check_warning ("view=right", millimeters, NULL);
  check_warning ("view=left", half_size, "principal point, (159.5, 119.5), is "
      "far from the centre of video of 640x480. If it is for another size, add "
      "image_width and image_height");
  check_warning ("view=left", swapped, "the right camera is on the left of the "
      "left one. If the views are swapped, exchange them");
  check_warning ("view=left", swapped_projection, "the right camera is on the "
      "left of the left one");
}

/* ------------------------------------------------------------ to the depth */

/* From side-by-side video to depth with a calibration file only: the camera
 * in the matcher's meta, and its use. */
TEST (test_camera_reaches_depth)
{
  gchar *paths = write_ros ();
  gchar *line = g_strdup_printf ("stereotestsrc view=side-by-side "
      "num-buffers=1 ! video/x-raw,format=NV12,width=%d,height=%d ! "
      "stereosplit name=s s.src_left ! stereorectify calibration=\"%s\" ! "
      "m.sink_left s.src_right ! stereorectify calibration=\"%s\" ! "
      "m.sink_right stereovcbw name=m num-disparities=32 ! tee name=t ! queue "
      "! appsink name=map sync=false t. ! queue ! disparitydepth ! appsink "
      "name=depth sync=false", 2 * WIDTH, HEIGHT, paths, paths);
  GstElement *pipeline = gst_parse_launch (line, NULL);
  static const gchar *const names[] = { "map", "depth" };
  static const gchar *const metas[] = { "GstStereoDisparityMeta",
    "GstStereoDepthMeta"
  };

  fail_unless (pipeline != NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (guint i = 0; i < 2; i++) {
    GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), names[i]);
    GstSample *sample = NULL;
    GstCustomMeta *meta;
    const GstStructure *s;
    gdouble number = 0;

    g_signal_emit_by_name (sink, "pull-sample", &sample);
    fail_unless (sample != NULL);
    meta = gst_buffer_get_custom_meta (gst_sample_get_buffer (sample),
        metas[i]);
    s = gst_custom_meta_get_structure (meta);
    fail_unless (gst_structure_get_double (s, "focal-length", &number));
    fail_unless (number == 350);
    fail_unless (gst_structure_get_double (s, "baseline", &number));
    fail_unless (fabs (number - 0.12) < 1e-12);
    fail_unless (gst_structure_get_double (s, "cx", &number));
    fail_unless (number == 320);
    fail_unless (gst_structure_get_double (s, "cy", &number));
    fail_unless (number == 188);
    if (i == 0) {
      fail_unless (gst_structure_get_double (s, "doffs", &number));
      fail_unless (number == 6);
    }
    gst_sample_unref (sample);
    gst_object_unref (sink);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  g_free (line);
  g_free (paths);
}

/* Pixels outside the source have the border colour, in every format; limited
 * range in YUV. */
TEST (test_border)
{
  static const gchar *const formats[] = { "GRAY8", "RGB", "RGBx", "BGRA",
    "NV12", "I420", "Y444"
  };
  static const guint8 corners[][4] = { {76}, {255, 0, 0}, {255, 0, 0, 255},
    {0, 0, 255, 64}, {81}, {81}, {81}
  };
  gchar *paths = write_kalibr (FALSE);

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    GstBus *bus;
    GstHarness *h = open_rectifier ("view=left alpha=1 border=0x40ff0000",
        paths, &bus);
    gchar *caps = g_strdup_printf ("video/x-raw, format=%s, width=%d, "
        "height=%d, framerate=25/1%s", formats[f], WIDTH, HEIGHT, f >= 4
        ? ", colorimetry=bt601" : "");
    GstCaps *parsed = gst_caps_from_string (caps);
    GstVideoInfo info;
    GstVideoFrame frame;
    GstBuffer *out;
    const guint8 *at;

    fail_unless (gst_video_info_from_caps (&info, parsed));
    gst_harness_set_src_caps_str (h, caps);
    fail_unless_equals_int (gst_harness_push (h, noise (GST_VIDEO_INFO_SIZE
                (&info))), GST_FLOW_OK);
    out = gst_harness_pull (h);
    fail_unless (gst_video_frame_map (&frame, &info, out, GST_MAP_READ));
    at = GST_VIDEO_FRAME_PLANE_DATA (&frame, 0);
    for (gint i = 0; i < GST_VIDEO_FRAME_COMP_PSTRIDE (&frame, 0); i++)
      fail_unless_equals_int (at[i], corners[f][i]);
    if (f >= 4) {
      at = GST_VIDEO_FRAME_COMP_DATA (&frame, 1);
      fail_unless_equals_int (at[0], 90);
      at = GST_VIDEO_FRAME_COMP_DATA (&frame, 2);
      fail_unless_equals_int (at[0], 240);
    }
    gst_video_frame_unmap (&frame);
    gst_buffer_unref (out);
    gst_caps_unref (parsed);
    g_free (caps);
    close_rectifier (h, bus);
  }
  g_free (paths);
}

/* ------------------------------------------------------------- corrections */

#define SMALL "video/x-raw, format=GRAY8, width=64, height=48, framerate=25/1"
#define CORRECTION "width=64:height=48:focal-length=58"

static gboolean
send_correction (GstHarness * h, guint serial, const gchar * view,
    const gchar * text)
{
  return gst_harness_push_upstream_event (h,
      gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
          gst_structure_new ("stereo-correction", "serial", G_TYPE_UINT, serial,
              "view", G_TYPE_STRING, view, "correction", G_TYPE_STRING, text,
              NULL)));
}

/* The corrected image of a buffer. */
static GstBuffer *
pass (GstHarness * h, GstBuffer * buffer)
{
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  return gst_harness_pull (h);
}

static const gchar *
mark_of (GstBuffer * buffer, guint * serial)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, META);

  *serial = 0;
  if (meta == NULL)
    return NULL;
  gst_structure_get_uint (gst_custom_meta_get_structure (meta),
      "correction-serial", serial);
  return gst_structure_get_string (gst_custom_meta_get_structure (meta),
      "correction");
}

/* Fails unless row y of the output is row y + shift of the input. */
static void
check_shift (GstBuffer * in, GstBuffer * out, gint shift)
{
  GstMapInfo a, b;

  gst_buffer_map (in, &a, GST_MAP_READ);
  gst_buffer_map (out, &b, GST_MAP_READ);
  for (gint y = 2; y < 46; y++)
    fail_unless (memcmp (b.data + 64 * y, a.data + 64 * (y + shift), 64) == 0,
        "row %d", y);
  gst_buffer_unmap (in, &a);
  gst_buffer_unmap (out, &b);
}

/* Without a calibration buffers pass until a correction comes, and after the
 * next one that does nothing. */
TEST (test_correction)
{
  static const gchar *const views[] = { "left", "right" };
  GstBuffer *image = noise (64 * 48), *out;
  guint serial;

  for (gint v = 0; v < 2; v++) {
    GstBus *bus;
    GstHarness *h = open_rectifier ("view=auto", NULL, &bus);

    gst_harness_set_src_caps_str (h, SMALL);
    out = pass (h, gst_buffer_ref (image));
    fail_unless (out == image);
    fail_unless (mark_of (out, &serial) == NULL);
    gst_buffer_unref (out);

    /* the views move by half of it each, in opposite directions */
    fail_unless (send_correction (h, 7, views[v], CORRECTION ":offset=2"));
    out = pass (h, gst_buffer_ref (image));
    check_shift (image, out, v == 0 ? -1 : 1);
    fail_unless (g_str_has_prefix (mark_of (out, &serial), CORRECTION));
    fail_unless_equals_int (serial, 7);
    gst_buffer_unref (out);

    fail_unless (send_correction (h, 8, views[v], CORRECTION ":offset=-4"));
    out = pass (h, gst_buffer_ref (image));
    check_shift (image, out, v == 0 ? 2 : -2);
    gst_buffer_unref (out);

    fail_unless (send_correction (h, 9, views[v], CORRECTION));
    out = pass (h, gst_buffer_ref (image));
    fail_unless (out == image);
    gst_buffer_unref (out);
    close_rectifier (h, bus);
  }
  gst_buffer_unref (image);
}

static gboolean
offers_video_meta (GstHarness * h)
{
  GstCaps *caps = gst_caps_from_string (SMALL);
  GstQuery *query = gst_query_new_allocation (caps, TRUE);
  gboolean offers;

  fail_unless (gst_pad_peer_query (h->srcpad, query));
  offers = gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE,
      NULL);
  gst_query_unref (query);
  gst_caps_unref (caps);
  return offers;
}

/* Buffers that pass, also after the end of a correction, must not be padded if
 * downstream does not accept it. */
LOOP_TEST (test_padding_that_passes, FALSE, TRUE + 1)
{
  GstBus *bus;
  GstHarness *h = open_rectifier ("view=left", NULL, &bus);

  if (__i__)
    gst_harness_add_propose_allocation_meta (h, GST_VIDEO_META_API_TYPE, NULL);
  gst_harness_set_src_caps_str (h, SMALL);
  gst_buffer_unref (pass (h, noise (64 * 48)));
  fail_unless_equals_int (offers_video_meta (h), __i__);
  fail_unless (send_correction (h, 1, "left", CORRECTION ":offset=2"));
  gst_buffer_unref (pass (h, noise (64 * 48)));
  fail_unless_equals_int (offers_video_meta (h), __i__);
  close_rectifier (h, bus);
}

/* Metas that name positions in the picture are dropped with the pixels that
 * move; others are kept. */
TEST (test_metas)
{
  GstCaps *reference = gst_caps_new_empty_simple ("timestamp/x-unix");
  GstBuffer *image = noise (64 * 48), *out;
  GstBus *bus;
  GstHarness *h = open_rectifier ("view=left", NULL, &bus);

  gst_buffer_add_reference_timestamp_meta (image, reference, 5, 6);
  gst_buffer_add_video_region_of_interest_meta (image, "face", 1, 2, 3, 4);
  gst_harness_set_src_caps_str (h, SMALL);
  fail_unless (send_correction (h, 1, "left", CORRECTION ":offset=2"));
  out = pass (h, image);
  fail_unless (gst_buffer_get_reference_timestamp_meta (out, reference)
      != NULL);
  fail_unless (gst_buffer_get_meta (out,
          GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE) == NULL);
  gst_buffer_unref (out);
  gst_caps_unref (reference);
  close_rectifier (h, bus);
}

/* Buffers that pass are checked as those that are corrected. */
TEST (test_invalid_buffer_without_correction)
{
  GstBus *bus;
  GstHarness *h = open_rectifier ("", NULL, &bus);

  gst_harness_set_src_caps_str (h, SMALL);
  fail_unless_equals_int (gst_harness_push (h, noise (64 * 48 - 1)),
      GST_FLOW_ERROR);
  bus_expect_error (bus, 0, "A buffer on sink has 3071 bytes and does not hold "
      "an image of 64x48 in GRAY8, which needs 3072.");
  fail_unless_equals_int (gst_harness_push (h, noise (64 * 48 - 1)),
      GST_FLOW_ERROR);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR) == NULL);
  fail_unless_equals_int (gst_harness_buffers_received (h), 0);
  close_rectifier (h, bus);
}

/* All formats are corrected, with the same grid. */
TEST (test_correction_formats)
{
  static const gchar *const formats[] = { "GRAY8", "NV12", "I420", "Y444",
    "RGB", "BGRx", "ARGB"
  };

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    gchar *caps = g_strdup_printf ("video/x-raw, format=%s, width=64, "
        "height=48, framerate=25/1", formats[f]);
    GstCaps *parsed = gst_caps_from_string (caps);
    GstBuffer *image, *out, *again;
    GstVideoInfo info;
    GstBus *bus;
    GstHarness *h = open_rectifier ("", NULL, &bus);

    fail_unless (gst_video_info_from_caps (&info, parsed));
    gst_caps_unref (parsed);
    gst_harness_set_src_caps_str (h, caps);
    image = noise (info.size);
    gst_buffer_unref (pass (h, gst_buffer_ref (image)));
    fail_unless (send_correction (h, 1, "left", CORRECTION
            ":roll=0.05:zoom=0.01:k1=0.1"));
    out = pass (h, gst_buffer_ref (image));
    fail_unless_equals_uint64 (gst_buffer_get_size (out), info.size);
    again = pass (h, gst_buffer_ref (image));
    {
      GstMapInfo a, b, c;

      gst_buffer_map (out, &a, GST_MAP_READ);
      gst_buffer_map (again, &b, GST_MAP_READ);
      gst_buffer_map (image, &c, GST_MAP_READ);
      fail_unless (memcmp (a.data, b.data, a.size) == 0);
      fail_if (memcmp (a.data, c.data, a.size) == 0);
      gst_buffer_unmap (out, &a);
      gst_buffer_unmap (again, &b);
      gst_buffer_unmap (image, &c);
    }
    gst_buffer_unref (again);
    gst_buffer_unref (out);
    gst_buffer_unref (image);
    close_rectifier (h, bus);
    g_free (caps);
  }
}

/* Malformed events are refused, others of another size have no effect. */
TEST (test_wrong_corrections)
{
  static const struct
  {
    guint serial;
    const gchar *view, *text;
  } wrong[] = {
    {0, "left", CORRECTION}, {1, "", CORRECTION}, {1, "both", CORRECTION},
    {1, "left", ""}, {1, "left", "offset=2"},
    {1, "left", CORRECTION ":offset"}, {1, "left", CORRECTION ":offset=nan"},
    {1, "left", CORRECTION ":offset=1000"}, {1, "left", CORRECTION ":x=1"},
    {1, "left", "width=0:height=48"}, {1, "left", "width=-64:height=48"},
  };
  GstBuffer *image = noise (64 * 48), *out;
  GstBus *bus;
  GstHarness *h = open_rectifier ("", NULL, &bus);

  gst_harness_set_src_caps_str (h, SMALL);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    fail_if (send_correction (h, wrong[i].serial, wrong[i].view,
            wrong[i].text), "case %u", i);
    out = pass (h, gst_buffer_ref (image));
    fail_unless (out == image);
    gst_buffer_unref (out);
  }
  fail_if (gst_harness_push_upstream_event (h,
          gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
              gst_structure_new ("stereo-correction", "serial", G_TYPE_STRING,
                  "7", "view", G_TYPE_INT, 1, NULL))));
  fail_unless (send_correction (h, 1, "left", "width=66:height=48:offset=2"));
  out = pass (h, gst_buffer_ref (image));
  fail_unless (out == image);
  gst_buffer_unref (out);
  gst_buffer_unref (image);
  close_rectifier (h, bus);
}

/* New caps of the same size keep a correction, a new size drops it. */
TEST (test_correction_of_size)
{
  GstBuffer *image = noise (64 * 48), *small = noise (32 * 24), *out;
  GstBus *bus;
  GstHarness *h = open_rectifier ("", NULL, &bus);
  guint serial;

  gst_harness_set_src_caps_str (h, SMALL);
  fail_unless (send_correction (h, 3, "left", CORRECTION ":offset=2"));
  gst_harness_set_src_caps_str (h, "video/x-raw, format=GRAY8, width=64, "
      "height=48, framerate=30/1");
  out = pass (h, gst_buffer_ref (image));
  check_shift (image, out, -1);
  gst_buffer_unref (out);
  gst_harness_set_src_caps_str (h, "video/x-raw, format=GRAY8, width=32, "
      "height=24, framerate=30/1");
  out = pass (h, gst_buffer_ref (small));
  fail_unless (out == small);
  gst_buffer_unref (out);
  gst_harness_set_src_caps_str (h, SMALL);
  out = pass (h, gst_buffer_ref (image));
  fail_unless (out == image && mark_of (out, &serial) == NULL);
  gst_buffer_unref (out);
  gst_buffer_unref (image);
  gst_buffer_unref (small);
  close_rectifier (h, bus);
}

/* A correction of a calibrated view: both shifts of rows add up. */
TEST (test_correction_of_calibration)
{
  gchar *paths = write_ros ();
  GstBuffer *image = noise (WIDTH * HEIGHT), *plain, *corrected;
  GstBus *bus;
  GstHarness *h = open_rectifier ("view=left", paths, &bus);
  GstMapInfo a, b;
  gdouble sum = 0;
  guint serial;
  gchar *text = g_strdup_printf ("width=%d:height=%d:offset=2", WIDTH, HEIGHT);

  gst_harness_set_src_caps_str (h, "video/x-raw, format=GRAY8, width=672, "
      "height=376, framerate=25/1");
  plain = pass (h, gst_buffer_ref (image));
  fail_unless (send_correction (h, 3, "left", text));
  corrected = pass (h, gst_buffer_ref (image));
  fail_unless (mark_of (corrected, &serial) != NULL && serial == 3);
  fail_unless (gst_structure_has_field (gst_custom_meta_get_structure
          (gst_buffer_get_custom_meta (corrected, META)), "focal-length"));
  gst_buffer_map (plain, &a, GST_MAP_READ);
  gst_buffer_map (corrected, &b, GST_MAP_READ);
  for (gint y = 2; y < HEIGHT - 2; y++) {
    for (gint x = 0; x < WIDTH; x++)
      sum += abs (b.data[y * WIDTH + x] - a.data[(y - 1) * WIDTH + x]);
  }
  /* Sources differ by rounding and by the interpolation of the grid; neighbours
   * in the noise differ by 85. */
  fail_unless (sum / WIDTH / (HEIGHT - 4) < 6, "%g",
      sum / WIDTH / (HEIGHT - 4));
  gst_buffer_unmap (plain, &a);
  gst_buffer_unmap (corrected, &b);
  gst_buffer_unref (plain);
  gst_buffer_unref (corrected);
  gst_buffer_unref (image);
  close_rectifier (h, bus);
  g_free (paths);
  g_free (text);
}

static GstPadProbeReturn
count_corrections (GstPad * pad, GstPadProbeInfo * info, gpointer n)
{
  if (gst_event_has_name (GST_PAD_PROBE_INFO_EVENT (info),
          "stereo-correction"))
    (*(guint *) n)++;
  return GST_PAD_PROBE_OK;
}

/* corrections=false passes them to elements upstream. */
TEST (test_corrections_off)
{
  gchar *paths = write_ros ();
  GstBus *bus;
  GstHarness *h = open_rectifier ("view=left corrections=false", paths, &bus);
  guint n = 0;

  gst_pad_add_probe (h->srcpad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM,
      count_corrections, &n, NULL);
  gst_harness_set_src_caps_str (h, "video/x-raw, format=GRAY8, width=672, "
      "height=376, framerate=25/1");
  send_correction (h, 3, "left", "width=672:height=376:offset=2");
  fail_unless_equals_int (n, 1);
  close_rectifier (h, bus);

  h = open_rectifier ("view=left", paths, &bus);
  gst_pad_add_probe (h->srcpad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM,
      count_corrections, &n, NULL);
  gst_harness_set_src_caps_str (h, "video/x-raw, format=GRAY8, width=672, "
      "height=376, framerate=25/1");
  send_correction (h, 3, "left", "width=672:height=376:offset=2");
  fail_unless_equals_int (n, 1);
  close_rectifier (h, bus);
  g_free (paths);
}

CHECK_MAIN_FIXTURE ("stereorectify", make_folder, remove_folder)
