/* gst-stereomatching: files of points
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "elements/cloud/gststereocloudfile.h"

#include <string.h>

gboolean
gst_stereo_cloud_format (const GstCaps * caps, GstStereoCloudFormat * format)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);

  if (gst_structure_has_name (s, "application/x-pcd"))
    *format = GST_STEREO_CLOUD_PCD;
  else if (!gst_structure_has_name (s, "application/x-ply"))
    return FALSE;
  else if (g_strcmp0 (gst_structure_get_string (s, "encoding"), "ascii") == 0)
    *format = GST_STEREO_CLOUD_PLY_ASCII;
  else
    *format = GST_STEREO_CLOUD_PLY;
  return TRUE;
}

/* %s is the padding of a comment. */
static gchar *
ply_header (const gchar * encoding, gboolean colors, guint n,
    const gchar * filling)
{
  return g_strdup_printf ("ply\nformat %s 1.0\n"
      "comment gst-stereomatching%s\n"
      "element vertex %u\n"
      "property float x\nproperty float y\nproperty float z\n%s"
      "end_header\n", encoding, filling, n, colors ? "property uchar red\n"
      "property uchar green\nproperty uchar blue\n" : "");
}

static gchar *
pcd_header (const StereoCloudSize * size, gboolean colors,
    const gchar * filling)
{
  return g_strdup_printf ("# .PCD v0.7 - Point Cloud Data file format%s\n"
      "VERSION 0.7\nFIELDS x y z%s\nSIZE 4 4 4%s\nTYPE F F F%s\n"
      "COUNT 1 1 1%s\nWIDTH %d\nHEIGHT %d\nVIEWPOINT 0 0 0 1 0 0 0\n"
      "POINTS %u\nDATA binary\n", filling, colors ? " rgb" : "",
      colors ? " 4" : "", colors ? " F" : "", colors ? " 1" : "",
      size->columns, size->rows, (guint) size->columns * (guint) size->rows);
}

static gchar *
make_header (GstStereoCloudFormat format, const StereoCloudSize * size,
    gboolean colors, guint n, const gchar * filling)
{
  if (format == GST_STEREO_CLOUD_PCD)
    return pcd_header (size, colors, filling);
  return ply_header (G_BYTE_ORDER == G_LITTLE_ENDIAN ? "binary_little_endian"
      : "binary_big_endian", colors, n, filling);
}

void
gst_stereo_cloud_write_header (GstStereoCloudFormat format,
    const StereoCloudSize * size, gboolean colors, guint n, guint8 * header)
{
  gchar *text = make_header (format, size, colors, n, "");
  gchar *filling = g_strnfill (GST_STEREO_CLOUD_HEADER - strlen (text), ' ');

  g_free (text);
  text = make_header (format, size, colors, n, filling);
  memcpy (header, text, GST_STEREO_CLOUD_HEADER);
  g_free (filling);
  g_free (text);
}

guint
gst_stereo_cloud_join (const StereoCloudSize * size, guint8 * points,
    const guint32 * counts)
{
  guint8 *to = points;
  guint n = 0;

  for (gint row = 0; row < size->rows; row++) {
    const gsize bytes = (gsize) counts[row] * (gsize) size->point_bytes;

    memmove (to, points + (gsize) row * (gsize) size->row_bytes, bytes);
    to += bytes;
    n += counts[row];
  }
  return n;
}

/* The shortest text that parses to the same number, independent of the
 * locale. */
static void
print_number (GString * text, gfloat number)
{
  gchar digits[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (text, g_ascii_formatd (digits, sizeof (digits), "%.9g",
          (gdouble) number));
}

GstBuffer *
gst_stereo_cloud_print (const StereoCloudSize * size, gboolean colors, guint n,
    const guint8 * points)
{
  gchar *header = ply_header ("ascii", colors, n, "");
  GString *text = g_string_new (header);
  gsize length;

  for (guint i = 0; i < n; i++, points += size->point_bytes) {
    gfloat numbers[3];

    memcpy (numbers, points, sizeof (numbers));
    for (guint c = 0; c < 3; c++) {
      print_number (text, numbers[c]);
      g_string_append_c (text, c < 2 ? ' ' : colors ? ' ' : '\n');
    }
    if (colors)
      g_string_append_printf (text, "%d %d %d\n", points[12], points[13],
          points[14]);
  }
  g_free (header);
  length = text->len;
  return gst_buffer_new_wrapped (g_string_free (text, FALSE), length);
}
