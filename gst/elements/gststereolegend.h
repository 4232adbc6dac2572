/* gst-stereomatching: the legend of a disparity picture
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_LEGEND_H
#define GST_STEREO_LEGEND_H

#include "elements/gststereocolormap.h"

G_BEGIN_DECLS

/*
 * Draws a black panel along the right edge of a packed RGB frame that is mapped
 * for writing: a bar with the colours of the map, far end at the bottom, and
 * numbers for low (bottom) to high (top) beside it, followed by a unit: "" or
 * "m".  low and high are different and may be in either order.
 *
 * Returns FALSE, and draws nothing, if the frame is lower than 48 rows or the
 * panel would take more than half of its width.
 */
gboolean gst_stereo_legend_draw (GstVideoFrame * frame,
    GstStereoColormap colormap, gdouble low, gdouble high, const gchar * unit);

G_END_DECLS

#endif /* GST_STEREO_LEGEND_H */
