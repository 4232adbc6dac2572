/* gst-stereomatching: pixels of a colour
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_COLOR_H
#define GST_STEREO_COLOR_H

#include <gst/video/video.h>

G_BEGIN_DECLS

/* The bytes of a pixel of the colour 0xAARRGGBB in a packed RGB format, in
 * memory order.  Unused bytes are 255. */
guint32 gst_stereo_color_pack (const GstVideoFormatInfo * format, guint32 argb);

G_END_DECLS

#endif /* GST_STEREO_COLOR_H */
