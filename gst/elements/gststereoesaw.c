/* gst-stereomatching: the element stereoesaw
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-stereoesaw
 * @title: stereoesaw
 * @short_description: exponential step size adaptive weight
 *
 * Computes a disparity map from a rectified left and right view. Matching costs
 * are averaged over a large window in few passes whose steps grow
 * exponentially, with weights that fall off with distance and with the
 * difference of colour in the left view. A window so takes the shape of the
 * object that the pixel belongs to.
 *
 * The passes are the paper's (W. Yu, T. Chen, F. Franchetti, J. C. Hoe: "High
 * performance stereo vision designed for massively data parallel platforms",
 * IEEE TCSVT 2010). The cost and what becomes of the winners are ours: the
 * paper compares luma as it is, which fails where two cameras expose
 * differently. By default a census is compared, and the map is interpolated,
 * checked against the right view, freed of speckles and filled. On the four
 * Middlebury scenes that leaves 5.6 % bad pixels, where the paper's method has
 * 9.6; with exposures changed it is 7.7 instead of 96.2. The preset `paper` is
 * the paper's method to the letter, `accurate` (5.2 %) takes longer than the
 * default, `fast` (5.8 %) less; docs/presets.md says how to use them.
 *
 * #GstStereoEsaw:cost decides what is compared, and #GstStereoEsaw:fill whether
 * pixels without a sure disparity are filled or stay invalid.
 * Colour is used when both views have it, as RGB or YUV of any kind, for the
 * weights in any case; else all is luma. docs/disparity.md says how.
 *
 * The output is `GRAY16_LE` with #GstStereoEsaw:disparity-scale codes for a
 * pixel of disparity, or `GRAY8`. Every buffer carries a
 * `GstStereoDisparityMeta` that tells what the codes mean; disparitycolor turns
 * them into a picture.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 stereoesaw name=m ! disparitycolor ! videoconvert ! autovideosink  stereotestsrc view=left ! m.sink_left  stereotestsrc view=right ! m.sink_right
 * ]| Matches a rendered scene.
 * |[
 * gst-launch-1.0 filesrc location=left.png ! pngdec ! m.sink_left  filesrc location=right.png ! pngdec ! m.sink_right  stereoesaw name=m num-disparities=60 ! disparitycolor ! videoconvert ! pngenc ! filesink location=disparity.png
 * ]| Matches two images.
 * |[
 * gst-launch-1.0 filesrc location=left.png ! pngdec ! m.sink_left  filesrc location=right.png ! pngdec ! m.sink_right  stereoesaw name=m @preset=accurate num-disparities=60 ! disparitycolor ! videoconvert ! pngenc ! filesink location=disparity.png
 * ]| The same, with a preset.
 *
 * Since: 0.1
 */

#include "pair/gststereobase.h"
#include "elements/gststereoelements.h"

GST_DEBUG_CATEGORY_STATIC (gst_stereo_esaw_debug);
#define GST_CAT_DEFAULT gst_stereo_esaw_debug

#define GST_TYPE_STEREO_ESAW (gst_stereo_esaw_get_type ())
G_DECLARE_FINAL_TYPE (GstStereoEsaw, gst_stereo_esaw, GST, STEREO_ESAW,
    GstStereoBase)

struct _GstStereoEsaw
{
  GstStereoBase parent;
};

G_DEFINE_TYPE_WITH_CODE (GstStereoEsaw, gst_stereo_esaw, GST_TYPE_STEREO_BASE,
    GST_DEBUG_CATEGORY_INIT (gst_stereo_esaw_debug, "stereoesaw", 0,
        "Stereo matching by exponential step size adaptive weight"));

GST_ELEMENT_REGISTER_DEFINE (stereoesaw, "stereoesaw", GST_RANK_NONE,
    GST_TYPE_STEREO_ESAW);

static void
gst_stereo_esaw_class_init (GstStereoEsawClass * klass)
{
  gst_stereo_base_class_set_algorithm (GST_STEREO_BASE_CLASS (klass), "esaw");
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass),
      "Stereo matcher (exponential step size adaptive weight)",
      "Filter/Effect/Video",
      "Disparity from two rectified views, averaged in exponential steps",
      "The gst-stereomatching authors");
}

static void
gst_stereo_esaw_init (GstStereoEsaw * self)
{
}
