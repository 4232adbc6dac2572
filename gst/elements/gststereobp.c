/* gst-stereomatching: the element stereobp
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-stereobp
 * @title: stereobp
 * @short_description: hierarchical belief propagation
 *
 * Computes a disparity map from a rectified left and right view. All pixels
 * are matched jointly: each one sends its four neighbours messages with the
 * cost of every disparity, from its own data term, the messages that it
 * received and a smoothness term. Messages are iterated on every level of an
 * image pyramid, from coarse to fine.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 stereobp name=m ! disparitycolor ! videoconvert ! autovideosink  stereotestsrc view=left ! m.sink_left  stereotestsrc view=right ! m.sink_right
 * ]| Matches a rendered scene.
 * |[
 * gst-launch-1.0 filesrc location=left.png ! pngdec ! m.sink_left  filesrc location=right.png ! pngdec ! m.sink_right  stereobp name=m num-disparities=60 ! disparitycolor ! videoconvert ! pngenc ! filesink location=disparity.png
 * ]| Matches two images.
 * |[
 * gst-launch-1.0 filesrc location=left.png ! pngdec ! m.sink_left  filesrc location=right.png ! pngdec ! m.sink_right  stereobp name=m @preset=accurate num-disparities=60 ! disparitycolor ! videoconvert ! pngenc ! filesink location=disparity.png
 * ]| The same with a preset.
 *
 * ## Details
 *
 * The messages follow P. F. Felzenszwalb, D. P. Huttenlocher: "Efficient
 * belief propagation for early vision", CVPR 2004, and S. Grauer-Gray:
 * "Optimizing global stereo matching on NVIDIA GPUs". The data term, the edge
 * weights and the post-processing are this project's: the papers compare luma,
 * which fails if the exposures of the cameras differ, and use the same
 * smoothness term everywhere. By default the data term compares a learned
 * census (#GstStereoBp:cost), the smoothness term is lower at colour edges, and
 * the map is interpolated to subpixels, checked against the right view,
 * filtered for speckles and filled. This leaves 6.5 % bad pixels on the four
 * Middlebury scenes (papers: 10.3 %), and 7.8 % with changed exposures (papers:
 * 96.0 %).
 *
 * The preset `paper` is the method of the papers, and `felzenszwalb` the same
 * with the parameters of the authors' program. `accurate` (6.0 %) is slower
 * than the default; `fast` (6.7 %, and 10.3 instead of 8.6 % if one camera has
 * vignetting) is faster. docs/presets.md explains presets.
 *
 * On CUDA, messages take four bytes per pixel and disparity, plus a third for
 * the coarser levels; a finer #GstStereoBp:precision takes two or four times as
 * much, with the same errors. The CPU does not store the messages of the finest
 * level with up to eight iterations.
 *
 * #GstStereoBp:cost selects the matching cost, #GstStereoBp:edge-scale the
 * influence of colour on the smoothness term, and #GstStereoBp:fill whether
 * invalid pixels are filled. Edges and `cost=rgb` use colour if both views
 * have it, as RGB or YUV. Without edges, `cost=luma` compares the luma planes
 * of YUV video.
 *
 * The output is `GRAY16_LE` with #GstStereoBp:disparity-scale codes per pixel
 * of disparity, or `GRAY8`. Every buffer carries a `GstStereoDisparityMeta`
 * that describes the codes; disparitycolor converts them to colours.
 *
 * Since: 0.1
 */

#include "elements/gststereomatcherelement.h"

GST_STEREO_DEFINE_MATCHER (GstStereoBp, gst_stereo_bp, bp,
    "hierarchical belief propagation",
    "Global stereo matching by belief propagation over an image pyramid")
