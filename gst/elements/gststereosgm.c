/* gst-stereomatching: the element stereosgm
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-stereosgm
 * @title: stereosgm
 * @short_description: semi-global matching
 *
 * Computes a disparity map from a rectified left and right view. Matching
 * costs are aggregated along straight paths from several directions, with a
 * penalty for changes of disparity that is lower at intensity edges. The
 * disparity with the lowest sum wins (H. Hirschmueller: "Stereo processing by
 * semiglobal matching and mutual information", IEEE TPAMI 30 (2), 2008).
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 stereosgm name=m ! disparitycolor ! videoconvert ! autovideosink  stereotestsrc view=left ! m.sink_left  stereotestsrc view=right ! m.sink_right
 * ]| Matches a rendered scene.
 * |[
 * gst-launch-1.0 filesrc location=left.png ! pngdec ! m.sink_left  filesrc location=right.png ! pngdec ! m.sink_right  stereosgm name=m num-disparities=60 ! disparitycolor ! videoconvert ! pngenc ! filesink location=disparity.png
 * ]| Matches two images.
 * |[
 * gst-launch-1.0 filesrc location=left.png ! pngdec ! m.sink_left  filesrc location=right.png ! pngdec ! m.sink_right  stereosgm name=m @preset=fast num-disparities=60 ! disparitycolor ! videoconvert ! pngenc ! filesink location=disparity.png
 * ]| The same with a preset.
 *
 * ## Details
 *
 * By default, a path continues the average of the three nearest neighbours in
 * the previous line, weighted by colour similarity (#GstStereoSgm:predecessors
 * is 3), which is this project's own. With 1 predecessor it is classic SGM
 * with four or eight #GstStereoSgm:paths. The matching cost (a learned census
 * of 5x5 pixels, and gradient), the left-right consistency check and the
 * weighted median filter are this project's, too. This leaves 5.6 % bad pixels
 * on the four Middlebury scenes; one predecessor, eight paths, an ordinary
 * census and no weighted median filter (the preset `classic`) leave 7.2 %.
 *
 * The presets are `fast` (one predecessor, four paths), `accurate` (5.4 %, with
 * #GstStereoSgm:check) and `classic`. docs/presets.md explains presets. Colour
 * is used if both views have it.
 *
 * The output is `GRAY16_LE` with #GstStereoSgm:disparity-scale codes per pixel
 * of disparity, or `GRAY8`. Every buffer carries a `GstStereoDisparityMeta`
 * that describes the codes; disparitycolor converts them to colours.
 *
 * Since: 0.1
 */

#include "elements/gststereomatcherelement.h"

GST_STEREO_DEFINE_MATCHER (GstStereoSgm, gst_stereo_sgm, sgm,
    "semi-global matching",
    "Semi-global stereo matching, along paths from several directions")
