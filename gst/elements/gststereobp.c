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
 * Computes a disparity map from a rectified left and right view. All pixels are
 * matched together: each one tells its four neighbours what each of their
 * disparities would cost, given the images, what it was told by the others, and
 * that a change of disparity between neighbours has a price. These messages
 * pass a few times on every level of an image pyramid, from coarse to fine
 * (P. F. Felzenszwalb, D. P. Huttenlocher: "Efficient belief propagation for
 * early vision", CVPR 2004; S. Grauer-Gray: "Optimizing global stereo matching
 * on NVIDIA GPUs").
 *
 * The messages are the papers'. The cost, the edges and what becomes of the
 * winners are ours: the papers compare luma as it is, which fails where two
 * cameras expose differently, and a change of disparity costs them the same
 * everywhere. By default a census is compared, a change of disparity costs less
 * where the colour changes, and the map is interpolated, checked against the
 * right view, freed of speckles and filled. On the four Middlebury scenes that
 * leaves 6.7 % bad pixels, where the papers' method has 10.3; with exposures
 * changed it is 8.7 instead of 96.0. The preset `paper` is the papers' method
 * to the letter, `felzenszwalb` the same with the parameters of the authors'
 * own program; `accurate` (6.3 %) takes longer than the default, `fast` (6.7 %,
 * and 10.2 instead of 9.6 where one camera has vignetting) less;
 * docs/presets.md says how to use them.
 *
 * Messages take memory: four bytes for each pixel and disparity and a third
 * more for the coarser levels, twice or four times that with a finer
 * #GstStereoBp:precision. Errors are the same.
 *
 * #GstStereoBp:cost decides what is compared, #GstStereoBp:edge-scale how much
 * colour says of where disparities change, and #GstStereoBp:fill whether pixels
 * without a sure disparity are filled or stay invalid. Colour is used when both
 * views have it, as RGB or YUV of any kind, for edges and with `cost=rgb`.
 * Without edges `cost=luma` compares the luma plane of YUV video as it is.
 *
 * The output is `GRAY16_LE` with #GstStereoBp:disparity-scale codes for a
 * pixel of disparity, or `GRAY8`. Every buffer carries a
 * `GstStereoDisparityMeta` that tells what the codes mean; disparitycolor turns
 * them into a picture.
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
 * ]| The same, with a preset.
 *
 * Since: 0.1
 */

#include "pair/gststereobase.h"
#include "elements/gststereoelements.h"

GST_DEBUG_CATEGORY_STATIC (gst_stereo_bp_debug);
#define GST_CAT_DEFAULT gst_stereo_bp_debug

#define GST_TYPE_STEREO_BP (gst_stereo_bp_get_type ())
G_DECLARE_FINAL_TYPE (GstStereoBp, gst_stereo_bp, GST, STEREO_BP,
    GstStereoBase)

struct _GstStereoBp
{
  GstStereoBase parent;
};

G_DEFINE_TYPE_WITH_CODE (GstStereoBp, gst_stereo_bp, GST_TYPE_STEREO_BASE,
    GST_DEBUG_CATEGORY_INIT (gst_stereo_bp_debug, "stereobp", 0,
        "Stereo matching by hierarchical belief propagation"));

GST_ELEMENT_REGISTER_DEFINE (stereobp, "stereobp", GST_RANK_NONE,
    GST_TYPE_STEREO_BP);

static void
gst_stereo_bp_class_init (GstStereoBpClass * klass)
{
  gst_stereo_base_class_set_algorithm (GST_STEREO_BASE_CLASS (klass), "bp");
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass),
      "Stereo matcher (hierarchical belief propagation)",
      "Filter/Effect/Video",
      "Disparity from two rectified views, all pixels together",
      "The gst-stereomatching authors");
}

static void
gst_stereo_bp_init (GstStereoBp * self)
{
}
