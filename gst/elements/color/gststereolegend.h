/* gst-stereomatching: legend of disparity images
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_LEGEND_H
#define GST_STEREO_LEGEND_H

#include "image/colormap.h"

#include <gst/video/video.h>

G_BEGIN_DECLS

/*
 * Draws a narrow colour bar along the right edge of a picture in a packed RGB
 * frame, which has been mapped and written, and darkens it behind the values
 * from low (bottom) to high (top), followed by a unit: "" or "m".  low and high
 * differ, in either order.
 *
 * Returns FALSE without drawing if the frame has less than 48 rows or the panel
 * would take more than half of its width.
 */
gboolean gst_stereo_legend_draw (GstVideoFrame * frame,
    StereoColormap colormap, gdouble low, gdouble high, const gchar * unit);

G_END_DECLS

#endif /* GST_STEREO_LEGEND_H */
