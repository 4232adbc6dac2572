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
 * Computes a disparity map from a rectified left and right view. Every pixel
 * has a support region of its own, spanned by four arms that end where the
 * colour changes; matching costs are summed over what the regions of both views
 * have in common. Neither they nor the sums depend on the number of
 * disparities, and no volume of costs is kept.
 *
 * The regions, the sums and the vote of reliable matches for other pixels, bit
 * by bit, are the paper's (K. Zhang, J. Lu, Q. Yang, G. Lafruit, R. Lauwereins,
 * L. Van Gool: "Real-time and accurate stereo: a scalable approach with bitwise
 * fast voting on CUDA", IEEE TCSVT 2011). The cost and what becomes of the
 * winners are ours: the paper compares colours as they are, which fails where
 * two cameras expose differently. By default a census is compared, and the map
 * is interpolated, checked against the right view, freed of speckles and
 * filled; the vote decides for pixels that are wrong but seen by both views. On
 * the four Middlebury scenes that leaves 6.1 % bad pixels, where the paper's
 * method has 7.8; with exposures changed it is 7.8 instead of 94. The preset
 * `paper` is the paper's method to the letter, `accurate` (5.6 %) takes longer
 * than the default; docs/presets.md says how to use them.
 *
 * With #GstStereoBfv:sampling-x and #GstStereoBfv:sampling-y only some of the
 * pixels are matched and the same vote restores the others; the presets `fast`
 * and `fastest` match one pixel in 2x2 and one in 3x3.
 *
 * #GstStereoBfv:cost decides what is compared, #GstStereoBfv:vote-for which
 * pixels take a vote, and #GstStereoBfv:fill whether pixels without a sure
 * disparity are filled or stay invalid. Colour is used for the regions when
 * both views have it, as RGB or YUV of any kind, else the luma of both.
 *
 * The output is `GRAY16_LE` with #GstStereoBfv:disparity-scale codes for a
 * pixel of disparity, or `GRAY8`. Every buffer carries a
 * `GstStereoDisparityMeta` that tells what the codes mean; disparitycolor turns
 * them into a picture.
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
 * ]| The same, with a preset.
 *
 * Since: 0.1
 */

#include "pair/gststereobase.h"
#include "elements/gststereoelements.h"

GST_DEBUG_CATEGORY_STATIC (gst_stereo_bfv_debug);
#define GST_CAT_DEFAULT gst_stereo_bfv_debug

#define GST_TYPE_STEREO_BFV (gst_stereo_bfv_get_type ())
G_DECLARE_FINAL_TYPE (GstStereoBfv, gst_stereo_bfv, GST, STEREO_BFV,
    GstStereoBase)

struct _GstStereoBfv
{
  GstStereoBase parent;
};

G_DEFINE_TYPE_WITH_CODE (GstStereoBfv, gst_stereo_bfv, GST_TYPE_STEREO_BASE,
    GST_DEBUG_CATEGORY_INIT (gst_stereo_bfv_debug, "stereobfv", 0,
        "Stereo matching with cross-based regions and bitwise voting"));

GST_ELEMENT_REGISTER_DEFINE (stereobfv, "stereobfv", GST_RANK_NONE,
    GST_TYPE_STEREO_BFV);

static void
gst_stereo_bfv_class_init (GstStereoBfvClass * klass)
{
  gst_stereo_base_class_set_algorithm (GST_STEREO_BASE_CLASS (klass), "bfv");
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass),
      "Stereo matcher (cross-based regions, bitwise fast voting)",
      "Filter/Effect/Video",
      "Disparity from two rectified views, summed over regions of like colour",
      "The gst-stereomatching authors");
}

static void
gst_stereo_bfv_init (GstStereoBfv * self)
{
}
