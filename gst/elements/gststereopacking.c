/* gst-stereomatching: two views in one frame
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "elements/gststereopacking.h"

#include <string.h>

/* Says why, and is FALSE. */
#define REFUSE(why, ...) \
    (g_snprintf ((why)->text, sizeof ((why)->text), __VA_ARGS__), FALSE)

GType
gst_stereo_packing_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    {GST_STEREO_PACKING_AUTO, "What the caps say, or else side by side",
        "auto"},
    {GST_STEREO_PACKING_SIDE_BY_SIDE, "The left half and the right half",
        "side-by-side"},
    {GST_STEREO_PACKING_TOP_BOTTOM, "The upper half and the lower half",
        "top-bottom"},
    {GST_STEREO_PACKING_ROW_INTERLEAVED, "Row by row in turn",
        "row-interleaved"},
    {GST_STEREO_PACKING_COLUMN_INTERLEAVED, "Column by column in turn",
        "column-interleaved"},
    {GST_STEREO_PACKING_CHECKERBOARD, "Pixel by pixel in turn, like the "
          "squares of a chessboard", "checkerboard"},
    {GST_STEREO_PACKING_FRAME_BY_FRAME, "Frame by frame in turn",
        "frame-by-frame"},
    {0, NULL, NULL}
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstStereoPacking", values));
  return type;
}

GstStereoPacking
gst_stereo_packing_of_mode (GstVideoMultiviewMode mode)
{
  switch (mode) {
    case GST_VIDEO_MULTIVIEW_MODE_SIDE_BY_SIDE:
      return GST_STEREO_PACKING_SIDE_BY_SIDE;
    case GST_VIDEO_MULTIVIEW_MODE_TOP_BOTTOM:
      return GST_STEREO_PACKING_TOP_BOTTOM;
    case GST_VIDEO_MULTIVIEW_MODE_ROW_INTERLEAVED:
      return GST_STEREO_PACKING_ROW_INTERLEAVED;
    case GST_VIDEO_MULTIVIEW_MODE_COLUMN_INTERLEAVED:
      return GST_STEREO_PACKING_COLUMN_INTERLEAVED;
    case GST_VIDEO_MULTIVIEW_MODE_CHECKERBOARD:
      return GST_STEREO_PACKING_CHECKERBOARD;
    case GST_VIDEO_MULTIVIEW_MODE_FRAME_BY_FRAME:
      return GST_STEREO_PACKING_FRAME_BY_FRAME;
    default:
      return GST_STEREO_PACKING_AUTO;
  }
}

gboolean
gst_stereo_packing_halves_width (GstStereoPacking packing)
{
  return packing == GST_STEREO_PACKING_SIDE_BY_SIDE
      || packing == GST_STEREO_PACKING_COLUMN_INTERLEAVED
      || packing == GST_STEREO_PACKING_CHECKERBOARD;
}

gboolean
gst_stereo_packing_halves_height (GstStereoPacking packing)
{
  return packing == GST_STEREO_PACKING_TOP_BOTTOM
      || packing == GST_STEREO_PACKING_ROW_INTERLEAVED;
}

gboolean
gst_stereo_packing_is_shared (GstStereoPacking packing)
{
  return packing != GST_STEREO_PACKING_COLUMN_INTERLEAVED
      && packing != GST_STEREO_PACKING_CHECKERBOARD;
}

/* ----------------------------------------------------------------- formats */

/* A plane of colours, which is no image. */
static gboolean
is_palette (const GstVideoFormatInfo * format, guint plane)
{
  return GST_VIDEO_FORMAT_INFO_HAS_PALETTE (format) && plane == 1;
}

/* The bytes from the beginning of a row to column x, by the components of a
 * plane; FALSE when they don't agree or are no whole bytes. */
static gboolean
bytes_to_column (const GstVideoFormatInfo * format, guint plane, guint x,
    gsize * bytes)
{
  gboolean found = is_palette (format, plane);

  *bytes = 0;
  for (guint c = 0; c < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (format)
      && !is_palette (format, plane); c++) {
    gsize here = (gsize) (x >> GST_VIDEO_FORMAT_INFO_W_SUB (format, c))
        * (gsize) GST_VIDEO_FORMAT_INFO_PSTRIDE (format, c);

    if ((guint) GST_VIDEO_FORMAT_INFO_PLANE (format, c) != plane)
      continue;
    if (GST_VIDEO_FORMAT_INFO_PSTRIDE (format, c) <= 0
        || (found && here != *bytes))
      return FALSE;
    *bytes = here;
    found = TRUE;
  }
  return found;
}

/* The rows of a plane for each 1 << shift rows of the frame. */
static guint
row_shift (const GstVideoFormatInfo * format, guint plane)
{
  for (guint c = 0; c < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (format); c++) {
    if ((guint) GST_VIDEO_FORMAT_INFO_PLANE (format, c) == plane)
      return GST_VIDEO_FORMAT_INFO_H_SUB (format, c);
  }
  return 0;
}

/* Columns, and rows, that share a sample of chroma. */
static guint
sample_width (const GstVideoFormatInfo * format)
{
  guint shift = 0;

  for (guint c = 0; c < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (format); c++)
    shift = MAX (shift, GST_VIDEO_FORMAT_INFO_W_SUB (format, c));
  return 1 << shift;
}

static guint
sample_height (const GstVideoFormatInfo * format)
{
  guint shift = 0;

  for (guint c = 0; c < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (format); c++)
    shift = MAX (shift, GST_VIDEO_FORMAT_INFO_H_SUB (format, c));
  return 1 << shift;
}

/* ------------------------------------------------------------------- check */

static const gchar *
nick_of (GstStereoPacking packing)
{
  GEnumClass *klass = g_type_class_ref (GST_TYPE_STEREO_PACKING);
  const gchar *nick = g_enum_get_value (klass, (gint) packing)->value_nick;

  g_type_class_unref (klass);
  return nick;
}

/* Whether rows can be cut apart between any two pixels that share no sample. */
static gboolean
has_columns (const GstVideoFormatInfo * format)
{
  const guint n = sample_width (format);
  gsize bytes;

  for (guint p = 0; p < GST_VIDEO_FORMAT_INFO_N_PLANES (format); p++) {
    if (!bytes_to_column (format, p, n, &bytes))
      return FALSE;
  }
  return TRUE;
}

/* What each row or pixel in turn asks of a format. */
static gboolean
check_interleaved (GstStereoPacking packing, const GstVideoInfo * info,
    StereoMessage * why)
{
  const GstVideoFormatInfo *format = info->finfo;
  const gboolean rows = packing != GST_STEREO_PACKING_COLUMN_INTERLEAVED;
  const gboolean columns = packing != GST_STEREO_PACKING_ROW_INTERLEAVED;

  if ((rows && sample_height (format) > 1)
      || (columns && sample_width (format) > 1))
    return REFUSE (why, "%s has samples of chroma that neighbours share, which "
        "are of different views in %s video", GST_VIDEO_INFO_NAME (info),
        nick_of (packing));
  if (rows && GST_VIDEO_INFO_IS_INTERLACED (info))
    return REFUSE (why, "the rows of interlaced video (interlace-mode=%s) are "
        "of different times, and can't be of different views as well: put "
        "deinterlace before it",
        gst_video_interlace_mode_to_string (GST_VIDEO_INFO_INTERLACE_MODE
            (info)));
  return TRUE;
}

gboolean
gst_stereo_packing_check (GstStereoPacking packing, const GstVideoInfo * info,
    StereoMessage * why)
{
  const gboolean half_width = gst_stereo_packing_halves_width (packing);
  const guint size = half_width ? (guint) GST_VIDEO_INFO_WIDTH (info)
      : (guint) GST_VIDEO_INFO_HEIGHT (info);
  const guint unit = half_width ? sample_width (info->finfo)
      : sample_height (info->finfo);

  if (packing == GST_STEREO_PACKING_FRAME_BY_FRAME)
    return TRUE;
  if (GST_VIDEO_FORMAT_INFO_IS_TILED (info->finfo))
    return REFUSE (why, "%s has its pixels in tiles", GST_VIDEO_INFO_NAME
        (info));
  if (size % 2 != 0)
    return REFUSE (why, "its %s of %u is odd", half_width ? "width" : "height",
        size);
  if (half_width && !has_columns (info->finfo))
    return REFUSE (why, "%s packs several pixels of a row together",
        GST_VIDEO_INFO_NAME (info));
  if (packing == GST_STEREO_PACKING_SIDE_BY_SIDE
      || packing == GST_STEREO_PACKING_TOP_BOTTOM) {
    if (size / 2 % unit == 0)
      return TRUE;
    return REFUSE (why, "half its %s of %u is %u, which would cut samples of "
        "chroma apart that are of %u pixels each in %s", half_width ? "width"
        : "height", size, size / 2, unit, GST_VIDEO_INFO_NAME (info));
  }
  return check_interleaved (packing, info, why);
}

/* ------------------------------------------------------------------ layout */

void
gst_stereo_packing_locate (GstStereoPacking packing,
    const GstVideoInfo * info, guint x, guint y, gboolean second,
    gsize offset[GST_VIDEO_MAX_PLANES], gint stride[GST_VIDEO_MAX_PLANES])
{
  const GstVideoFormatInfo *format = info->finfo;

  if (second && packing == GST_STEREO_PACKING_SIDE_BY_SIDE)
    x += (guint) GST_VIDEO_INFO_WIDTH (info) / 2;
  if (second && packing == GST_STEREO_PACKING_TOP_BOTTOM)
    y += (guint) GST_VIDEO_INFO_HEIGHT (info) / 2;
  if (second && packing == GST_STEREO_PACKING_ROW_INTERLEAVED)
    y += 1;

  for (guint p = 0; p < GST_VIDEO_FORMAT_INFO_N_PLANES (format); p++) {
    gsize bytes = 0;

    if (is_palette (format, p))
      continue;
    if (x > 0)
      (void) bytes_to_column (format, p, x, &bytes);
    offset[p] += bytes + (gsize) (y >> row_shift (format, p))
        * (gsize) stride[p];
    if (packing == GST_STEREO_PACKING_ROW_INTERLEAVED)
      stride[p] *= 2;
  }
}

void
gst_stereo_packing_copy (GstStereoPacking packing,
    const GstVideoFrame * frame, gboolean second, GstVideoFrame * view)
{
  const GstVideoFormatInfo *format = frame->info.finfo;
  const guint width = (guint) GST_VIDEO_FRAME_WIDTH (view);
  const guint height = (guint) GST_VIDEO_FRAME_HEIGHT (view);

  for (guint p = 0; p < GST_VIDEO_FRAME_N_PLANES (view); p++) {
    const guint8 *from = GST_VIDEO_FRAME_PLANE_DATA (frame, p);
    guint8 *to = GST_VIDEO_FRAME_PLANE_DATA (view, p);
    gsize bytes;

    if (is_palette (format, p)) {
      memcpy (to, from, 256 * 4);
      continue;
    }
    (void) bytes_to_column (format, p, 1, &bytes);
    for (guint y = 0; y < height; y++) {
      gboolean odd = packing == GST_STEREO_PACKING_CHECKERBOARD && y % 2 != 0;
      const guint8 *in = from + (gsize) y
          * (gsize) GST_VIDEO_FRAME_PLANE_STRIDE (frame, p)
          + (odd != second ? bytes : 0);
      guint8 *out = to + (gsize) y
          * (gsize) GST_VIDEO_FRAME_PLANE_STRIDE (view, p);

      for (guint x = 0; x < width; x++)
        memcpy (out + x * bytes, in + 2 * x * bytes, bytes);
    }
  }
}
