/* gst-stereomatching: frame packing
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "elements/gststereopacking.h"

#include "base/gststereofailure.h"

#include <string.h>

static const struct
{
  GstVideoMultiviewMode mode;
  gboolean halves_width;
  gboolean halves_height;
  gboolean is_shared;
} packings[] = {
  [GST_STEREO_PACKING_AUTO] = {GST_VIDEO_MULTIVIEW_MODE_NONE, FALSE, FALSE,
        TRUE},
  [GST_STEREO_PACKING_SIDE_BY_SIDE] = {GST_VIDEO_MULTIVIEW_MODE_SIDE_BY_SIDE,
        TRUE, FALSE, TRUE},
  [GST_STEREO_PACKING_TOP_BOTTOM] = {GST_VIDEO_MULTIVIEW_MODE_TOP_BOTTOM,
        FALSE, TRUE, TRUE},
  [GST_STEREO_PACKING_ROW_INTERLEAVED] = {
      GST_VIDEO_MULTIVIEW_MODE_ROW_INTERLEAVED, FALSE, TRUE, TRUE},
  [GST_STEREO_PACKING_COLUMN_INTERLEAVED] = {
      GST_VIDEO_MULTIVIEW_MODE_COLUMN_INTERLEAVED, TRUE, FALSE, FALSE},
  [GST_STEREO_PACKING_CHECKERBOARD] = {GST_VIDEO_MULTIVIEW_MODE_CHECKERBOARD,
        TRUE, FALSE, FALSE},
  [GST_STEREO_PACKING_FRAME_BY_FRAME] = {
      GST_VIDEO_MULTIVIEW_MODE_FRAME_BY_FRAME, FALSE, FALSE, TRUE},
};

GType
gst_stereo_packing_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    {GST_STEREO_PACKING_AUTO, "Multiview mode of the caps, otherwise side by "
          "side", "auto"},
    {GST_STEREO_PACKING_SIDE_BY_SIDE, "Left and right half", "side-by-side"},
    {GST_STEREO_PACKING_TOP_BOTTOM, "Upper and lower half", "top-bottom"},
    {GST_STEREO_PACKING_ROW_INTERLEAVED, "Alternating rows",
        "row-interleaved"},
    {GST_STEREO_PACKING_COLUMN_INTERLEAVED, "Alternating columns",
        "column-interleaved"},
    {GST_STEREO_PACKING_CHECKERBOARD, "Alternating pixels", "checkerboard"},
    {GST_STEREO_PACKING_FRAME_BY_FRAME, "Alternating frames",
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
  for (guint i = 1; i < G_N_ELEMENTS (packings); i++) {
    if (packings[i].mode == mode)
      return (GstStereoPacking) i;
  }
  return GST_STEREO_PACKING_AUTO;
}

gboolean
gst_stereo_packing_halves_width (GstStereoPacking packing)
{
  return packings[packing].halves_width;
}

gboolean
gst_stereo_packing_halves_height (GstStereoPacking packing)
{
  return packings[packing].halves_height;
}

gboolean
gst_stereo_packing_is_shared (GstStereoPacking packing)
{
  return packings[packing].is_shared;
}

/* ----------------------------------------------------------------- formats */

/* Whether a plane is a table of colours instead of an image. */
static gboolean
is_palette (const GstVideoFormatInfo * format, guint plane)
{
  return GST_VIDEO_FORMAT_INFO_HAS_PALETTE (format) && plane == 1;
}

/* The offset of column x in a row of a plane.  FALSE when components of the
 * plane differ in it, or it is not a whole number of bytes. */
static gboolean
get_column_offset (const GstVideoFormatInfo * format, guint plane, guint x,
    gsize * bytes)
{
  gboolean found = FALSE;

  *bytes = 0;
  if (is_palette (format, plane))
    return TRUE;
  for (guint c = 0; c < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (format); c++) {
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

/* Vertical subsampling of a plane: one row per 1 << shift rows of the frame. */
static guint
get_row_shift (const GstVideoFormatInfo * format, guint plane)
{
  for (guint c = 0; c < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (format); c++) {
    if ((guint) GST_VIDEO_FORMAT_INFO_PLANE (format, c) == plane)
      return GST_VIDEO_FORMAT_INFO_H_SUB (format, c);
  }
  return 0;
}

/* Number of columns and rows that share a chroma sample. */
static void
get_sample_size (const GstVideoFormatInfo * format, guint * width,
    guint * height)
{
  *width = *height = 1;
  for (guint c = 0; c < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (format); c++) {
    *width = MAX (*width, 1u << GST_VIDEO_FORMAT_INFO_W_SUB (format, c));
    *height = MAX (*height, 1u << GST_VIDEO_FORMAT_INFO_H_SUB (format, c));
  }
}

/* ------------------------------------------------------------------- check */

static const gchar *
get_nick (GstStereoPacking packing)
{
  GEnumClass *klass = g_type_class_ref (GST_TYPE_STEREO_PACKING);
  const gchar *nick = g_enum_get_value (klass, (gint) packing)->value_nick;

  g_type_class_unref (klass);
  return nick;
}

/* For formats that cannot be divided between any two pixels. */
#define CONVERT "put videoconvert and the caps video/x-raw,format=Y444 " \
    "before this element"

/* Whether a row can be divided between any two pixels that share no sample. */
static gboolean
has_columns (const GstVideoFormatInfo * format)
{
  guint n, height;
  gsize bytes;

  get_sample_size (format, &n, &height);
  for (guint p = 0; p < GST_VIDEO_FORMAT_INFO_N_PLANES (format); p++) {
    if (!get_column_offset (format, p, n, &bytes))
      return FALSE;
  }
  return TRUE;
}

/* Checks that both views of an interlaced frame start with the same field, in
 * all planes. */
static gboolean
check_fields (const GstVideoInfo * info, StereoMessage * why)
{
  const guint height = (guint) GST_VIDEO_INFO_HEIGHT (info);
  guint width, rows;

  if (!GST_VIDEO_INFO_IS_INTERLACED (info))
    return TRUE;
  get_sample_size (info->finfo, &width, &rows);
  if (height / 2 % (2 * rows) == 0)
    return TRUE;
  return GST_STEREO_REFUSE (why,
      "half its height of %u is %u, which is not a multiple of "
      "the %u rows after which fields and chroma samples repeat in interlaced "
      "%s (interlace-mode=%s); put deinterlace before this element", height,
      height / 2, 2 * rows, GST_VIDEO_INFO_NAME (info),
      gst_video_interlace_mode_to_string (GST_VIDEO_INFO_INTERLACE_MODE
          (info)));
}

/* Checks a format for rows or pixels that alternate between the views. */
static gboolean
check_interleaved (GstStereoPacking packing, const GstVideoInfo * info,
    StereoMessage * why)
{
  const GstVideoFormatInfo *format = info->finfo;
  const gboolean rows = packing != GST_STEREO_PACKING_COLUMN_INTERLEAVED;
  const gboolean columns = packing != GST_STEREO_PACKING_ROW_INTERLEAVED;
  guint width, height;

  get_sample_size (format, &width, &height);
  if ((rows && height > 1) || (columns && width > 1))
    return GST_STEREO_REFUSE (why,
        "in %s neighbouring pixels share chroma samples, but "
        "they belong to different views in %s video; " CONVERT,
        GST_VIDEO_INFO_NAME (info), get_nick (packing));
  if (rows && GST_VIDEO_INFO_IS_INTERLACED (info))
    return GST_STEREO_REFUSE (why,
        "rows of interlaced video (interlace-mode=%s) cannot "
        "alternate between views; put deinterlace before this element",
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
  guint width, height, unit;

  get_sample_size (info->finfo, &width, &height);
  unit = half_width ? width : height;
  if (packing == GST_STEREO_PACKING_FRAME_BY_FRAME)
    return TRUE;
  if (GST_VIDEO_FORMAT_INFO_IS_TILED (info->finfo))
    return GST_STEREO_REFUSE (why,
        "%s is a tiled format; " CONVERT, GST_VIDEO_INFO_NAME (info));
  if (size % 2 != 0)
    return GST_STEREO_REFUSE (why,
        "its %s of %u is odd; set layout to the frame packing, "
        "or put videocrop before this element", half_width ? "width" : "height",
        size);
  if (half_width && !has_columns (info->finfo))
    return GST_STEREO_REFUSE (why,
        "%s packs several pixels of a row into one unit; "
        CONVERT, GST_VIDEO_INFO_NAME (info));
  if (packing == GST_STEREO_PACKING_SIDE_BY_SIDE
      || packing == GST_STEREO_PACKING_TOP_BOTTOM) {
    if (size / 2 % unit == 0)
      return half_width || check_fields (info, why);
    return GST_STEREO_REFUSE (why,
        "half its %s of %u is %u, which is not a multiple of "
        "the %u pixels that share a chroma sample in %s; " CONVERT,
        half_width ? "width" : "height", size, size / 2, unit,
        GST_VIDEO_INFO_NAME (info));
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
      (void) get_column_offset (format, p, x, &bytes);
    offset[p] += bytes + (gsize) (y >> get_row_shift (format, p))
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
    (void) get_column_offset (format, p, 1, &bytes);
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
