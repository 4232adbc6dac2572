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
 * Computes a disparity map from a rectified left and right view. As in
 * stereoesaw, costs are averaged over a large window in few passes whose steps
 * grow exponentially. Before each of them, the costs of a pixel become messages
 * that allow for a change of disparity between neighbours, at a price, so that
 * slanted surfaces are matched well.
 *
 * The passes and messages are the paper's (W. Yu, T. Chen, F. Franchetti, J. C.
 * Hoe: "High performance stereo vision designed for massively data parallel
 * platforms", IEEE TCSVT 2010). The cost and what becomes of the winners are
 * ours: the paper compares luma as it is, which fails where two cameras expose
 * differently. By default a census is compared, and the map is interpolated,
 * checked against the right view, freed of speckles and filled. On the four
 * Middlebury scenes that leaves 5.1 % bad pixels, where the paper's method has
 * 7.4; with exposures changed it is 7.5 instead of 97.1. The preset `paper` is
 * the paper's method to the letter, `accurate` (5.0 %) takes longer than the
 * default, `fast` (5.8 %) less; docs/presets.md says how to use them.
 *
 * #GstStereoEsmp:cost decides what is compared, and #GstStereoEsmp:fill whether
 * pixels without a sure disparity are filled or stay invalid.
 * Colour is used when both views have it, as RGB or YUV of any kind, for the
 * weights in any case; else all is luma. docs/disparity.md says how.
 *
 * The output is `GRAY16_LE` with #GstStereoEsmp:disparity-scale codes for a
 * pixel of disparity, or `GRAY8`. Every buffer carries a
 * `GstStereoDisparityMeta` that tells what the codes mean; disparitycolor turns
 * them into a picture.
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
 * ]| The same, with a preset.
 *
 * Since: 0.1
 */

#include "pair/gststereobase.h"
#include "elements/gststereoelements.h"

GST_DEBUG_CATEGORY_STATIC (gst_stereo_esmp_debug);
#define GST_CAT_DEFAULT gst_stereo_esmp_debug

#define GST_TYPE_STEREO_ESMP (gst_stereo_esmp_get_type ())
G_DECLARE_FINAL_TYPE (GstStereoEsmp, gst_stereo_esmp, GST, STEREO_ESMP,
    GstStereoBase)

struct _GstStereoEsmp
{
  GstStereoBase parent;
};

G_DEFINE_TYPE_WITH_CODE (GstStereoEsmp, gst_stereo_esmp, GST_TYPE_STEREO_BASE,
    GST_DEBUG_CATEGORY_INIT (gst_stereo_esmp_debug, "stereoesmp", 0,
        "Stereo matching by exponential step size message propagation"));

GST_ELEMENT_REGISTER_DEFINE (stereoesmp, "stereoesmp", GST_RANK_NONE,
    GST_TYPE_STEREO_ESMP);

static void
gst_stereo_esmp_class_init (GstStereoEsmpClass * klass)
{
  gst_stereo_base_class_set_algorithm (GST_STEREO_BASE_CLASS (klass), "esmp");
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass),
      "Stereo matcher (exponential step size message propagation)",
      "Filter/Effect/Video",
      "Disparity from two rectified views, with messages in exponential steps",
      "The gst-stereomatching authors");
}

static void
gst_stereo_esmp_init (GstStereoEsmp * self)
{
}
