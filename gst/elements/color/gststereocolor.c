/* gst-stereomatching: pixels of a colour
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "elements/color/gststereocolor.h"

#include <string.h>

guint32
gst_stereo_color_pack (const GstVideoFormatInfo * format, guint32 argb)
{
  static const guint shifts[] = { 16, 8, 0, 24 };       /* R, G, B, A */
  guint8 bytes[4] = { 255, 255, 255, 255 };
  guint32 pixel;

  for (guint c = 0; c < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (format); c++)
    bytes[GST_VIDEO_FORMAT_INFO_POFFSET (format, c)] =
        (guint8) (argb >> shifts[c]);
  memcpy (&pixel, bytes, sizeof (pixel));
  return pixel;
}
