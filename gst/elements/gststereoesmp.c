/* gst-stereomatching: the element stereoesmp
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-stereoesmp
 * @title: stereoesmp
 * @short_description: exponential step size message propagation
 *
 * Computes a disparity map from a rectified left and right view. Like
 * stereoesaw, it averages matching costs over a large window in a few passes
 * with exponentially growing steps. Before each pass, the costs of a pixel
 * become messages with a smoothness term, so slanted surfaces are matched
 * well.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 stereoesmp name=m ! disparitycolor ! videoconvert ! autovideosink  stereotestsrc view=left ! m.sink_left  stereotestsrc view=right ! m.sink_right
 * ]| Matches a rendered scene.
 * |[
 * gst-launch-1.0 filesrc location=left.png ! pngdec ! m.sink_left  filesrc location=right.png ! pngdec ! m.sink_right  stereoesmp name=m num-disparities=60 ! disparitycolor ! videoconvert ! pngenc ! filesink location=disparity.png
 * ]| Matches two images.
 * |[
 * gst-launch-1.0 filesrc location=left.png ! pngdec ! m.sink_left  filesrc location=right.png ! pngdec ! m.sink_right  stereoesmp name=m @preset=accurate num-disparities=60 ! disparitycolor ! videoconvert ! pngenc ! filesink location=disparity.png
 * ]| The same with a preset.
 *
 * ## Details
 *
 * The passes and messages follow W. Yu, T. Chen, F. Franchetti, J. C. Hoe:
 * "High performance stereo vision designed for massively data parallel
 * platforms", IEEE TCSVT 2010. The matching cost and the post-processing are
 * this project's: the paper compares luma, which fails if the exposures of the
 * cameras differ. By default the cost is a learned census, and the map is
 * interpolated to subpixels, checked against the right view, filtered for
 * speckles, filled and refined by colour. This leaves 4.9 % bad pixels on the
 * four Middlebury scenes (paper: 7.4 %), and 6.4 % with changed exposures
 * (paper: 97.1 %).
 *
 * The preset `paper` is the method of the paper; `accurate` (4.7 %) is slower
 * than the default, and `fast` (5.9 %) is faster. docs/presets.md explains
 * presets.
 *
 * #GstStereoEsmp:cost selects the matching cost, and #GstStereoEsmp:fill
 * whether invalid pixels are filled. Support weights use colour if both views
 * have it, as RGB or YUV, and luma otherwise; see docs/disparity.md.
 *
 * The output is `GRAY16_LE` with #GstStereoEsmp:disparity-scale codes per
 * pixel of disparity, or `GRAY8`. Every buffer carries a
 * `GstStereoDisparityMeta` that describes the codes; disparitycolor converts
 * them to colours.
 *
 * Since: 0.1
 */

#include "elements/gststereomatcherelement.h"

GST_STEREO_DEFINE_MATCHER (GstStereoEsmp, gst_stereo_esmp, esmp,
    "exponential step size message propagation",
    "Stereo matching with adaptive weights and messages, in exponential steps")
