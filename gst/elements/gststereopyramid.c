/* gst-stereomatching: the element stereopyramid
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-stereopyramid
 * @title: stereopyramid
 * @short_description: stereo matching by correlation over an image pyramid
 *
 * Computes the real-valued horizontal and vertical displacement of every left
 * pixel in the right view. It is made for large images. Views need not be
 * rectified if #GstStereoPyramid:vertical-search is on; the default is off.
 * Small objects whose disparity differs much from their surroundings are not
 * found.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 stereopyramid name=m ! disparitycolor ! videoconvert ! autovideosink  stereotestsrc view=left ! m.sink_left  stereotestsrc view=right ! m.sink_right
 * ]| Matches a rendered scene.
 * |[
 * gst-launch-1.0 filesrc location=left.png ! pngdec ! m.sink_left  filesrc location=right.png ! pngdec ! m.sink_right  stereopyramid name=m num-disparities=60 ! disparitycolor ! videoconvert ! pngenc ! filesink location=disparity.png
 * ]| Matches two images.
 * |[
 * gst-launch-1.0 stereopyramid name=m vertical-search=true  m.src ! queue ! disparitycolor ! videoconvert ! autovideosink  m.src_vertical ! queue ! disparitycolor ! videoconvert ! autovideosink  m.src_confidence ! queue ! disparitycolor ! videoconvert ! autovideosink  stereotestsrc view=left ! m.sink_left  stereotestsrc view=right ! m.sink_right
 * ]| Shows all three results.
 * |[
 * gst-launch-1.0 filesrc location=left.png ! pngdec ! m.sink_left  filesrc location=right.png ! pngdec ! m.sink_right  stereopyramid name=m vertical-search=true  m.src_vertical ! disparitycolor range-min=-4 range-max=4 ! videoconvert ! pngenc ! filesink location=vertical.png
 * ]| Measures how far two images are from being rectified.
 *
 * ## Details
 *
 * The algorithm searches an image pyramid from coarse to fine: on each level,
 * displacements move towards higher correlation and are smoothed by their
 * confidence (T. Xu, P. Cockshott, S. Oehler: "Acceleration of stereo-matching
 * on multi-core CPU and GPU", HPCC 2014). Then every pixel selects the best
 * displacement nearby by census, #GstStereoPyramid:selection-passes times.
 * #GstStereoPyramid:num-disparities does not change the time: results are
 * clamped to the range.
 *
 * A second search starts from the right view. Pixels where both searches
 * differ by more than #GstStereoPyramid:lr-max-diff are filled, or are invalid
 * without #GstStereoPyramid:fill; see docs/refinement.md for this and the
 * following filters. The preset `paper` is the method of the paper: vertical
 * search, and no selection, check or refinement.
 *
 * Correlation uses colour if both views have it, as RGB or YUV, and luma
 * otherwise; see docs/disparity.md.
 *
 * The output is `GRAY16_LE` with #GstStereoPyramid:disparity-scale codes per
 * pixel of disparity, or `GRAY8`. Every buffer carries a
 * `GstStereoDisparityMeta` that describes the codes; disparitycolor converts
 * them to colours. Two more source pads can be requested: `src_vertical` for
 * the vertical disparity (`GRAY16_LE`, 32768 = 0 pixels) and `src_confidence`
 * for the confidence (`GRAY8` or `GRAY16_LE`).
 *
 * Since: 0.1
 */

#include "elements/gststereomatcherelement.h"

GST_STEREO_DEFINE_MATCHER (GstStereoPyramid, gst_stereo_pyramid, pyramid,
    "correlation over a pyramid",
    "Real-valued disparities in both directions, for large unrectified views")
