/* gst-stereomatching: colour maps
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_COLORMAP_H
#define GST_STEREO_COLORMAP_H

#include <gst/video/video.h>

G_BEGIN_DECLS

typedef enum
{
  GST_STEREO_COLORMAP_TURBO,
  GST_STEREO_COLORMAP_VIRIDIS,
  GST_STEREO_COLORMAP_JET,
  GST_STEREO_COLORMAP_GREY
} GstStereoColormap;

/* The colour 0xRRGGBB at a position from 0 (far) to 1 (near).  Positions
 * outside take the colour of the end that they are beyond. */
guint32 gst_stereo_colormap_get (GstStereoColormap colormap, gdouble position);

/* The bytes of a pixel with the colour 0xAARRGGBB in a packed RGB format, in
 * the order of memory.  A byte that the format ignores is 255; a format of 3
 * bytes has no use for the last one. */
guint32 gst_stereo_color_pack (const GstVideoFormatInfo * format, guint32 argb);

G_END_DECLS

#endif /* GST_STEREO_COLORMAP_H */
