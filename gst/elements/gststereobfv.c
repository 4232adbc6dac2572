/* gst-stereomatching: the element stereobfv
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-stereobfv
 * @title: stereobfv
 * @short_description: cross-based regions with bitwise fast voting
 *
 * Computes a disparity map from a rectified left and right view. Each pixel
 * has a support region, spanned by four arms that end at colour edges, and
 * matching costs are aggregated over the intersection of the regions of both
 * views. It stores no cost volume, so its memory does not depend on the number
 * of disparities.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 stereobfv name=m ! disparitycolor ! videoconvert ! autovideosink  stereotestsrc view=left ! m.sink_left  stereotestsrc view=right ! m.sink_right
 * ]| Matches a rendered scene.
 * |[
 * gst-launch-1.0 filesrc location=left.png ! pngdec ! m.sink_left  filesrc location=right.png ! pngdec ! m.sink_right  stereobfv name=m num-disparities=60 ! disparitycolor ! videoconvert ! pngenc ! filesink location=disparity.png
 * ]| Matches two images.
 * |[
 * gst-launch-1.0 filesrc location=left.png ! pngdec ! m.sink_left  filesrc location=right.png ! pngdec ! m.sink_right  stereobfv name=m @preset=fast num-disparities=60 ! disparitycolor ! videoconvert ! pngenc ! filesink location=disparity.png
 * ]| The same with a preset.
 *
 * ## Details
 *
 * The regions, the cost aggregation and the bitwise vote of reliable matches
 * for other pixels follow K. Zhang, J. Lu, Q. Yang, G. Lafruit, R. Lauwereins,
 * L. Van Gool: "Real-time and accurate stereo: a scalable approach with
 * bitwise fast voting on CUDA", IEEE TCSVT 2011. The matching cost and the
 * post-processing are this project's: the paper compares colours, which fails
 * if the exposures of the cameras differ. By default the cost is a learned
 * census, and the map is interpolated to subpixels, checked against the right
 * view, filtered for speckles, filled and refined by colour. This leaves 4.9 %
 * bad pixels on the four Middlebury scenes (paper: 7.8 %), and 6.2 % with
 * changed exposures (paper: 94 %).
 *
 * The preset `paper` is the method of the paper; `accurate` is the default.
 * docs/presets.md explains presets.
 *
 * #GstStereoBfv:sampling-x and #GstStereoBfv:sampling-y match a part of the
 * pixels. #GstStereoBfv:vote restores the others, as in the presets `fast` and
 * `fastest`, which match one pixel in 2x2 and one in 3x3; without a vote, they
 * are filled like other invalid pixels.
 *
 * #GstStereoBfv:cost selects the matching cost, #GstStereoBfv:vote-for the
 * pixels to vote for, and #GstStereoBfv:fill whether invalid pixels are
 * filled. Support regions use colour if both views have it, as RGB or YUV, and
 * luma otherwise.
 *
 * The output is `GRAY16_LE` with #GstStereoBfv:disparity-scale codes per pixel
 * of disparity, or `GRAY8`. Every buffer carries a `GstStereoDisparityMeta`
 * that describes the codes; disparitycolor converts them to colours.
 *
 * Since: 0.1
 */

#include "elements/gststereomatcherelement.h"

GST_STEREO_DEFINE_MATCHER (GstStereoBfv, gst_stereo_bfv, bfv,
    "cross-based regions, bitwise fast voting",
    "Local stereo matching over cross-based regions, with disparity voting")
