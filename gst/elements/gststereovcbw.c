/* gst-stereomatching: the element stereovcbw
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-stereovcbw
 * @title: stereovcbw
 * @short_description: stereo matching with variable center-biased windows
 *
 * Computes a disparity map from a rectified left and right view, by local
 * matching in which every pixel chooses among nine windows of different shape:
 * the full one, four halves and four quarters, all weighted towards the pixel
 * (J. Lu, G. Lafruit, F. Catthoor: "Fast variable center-biased windowing for
 * high-speed stereo on programmable graphics hardware", ICIP 2007). Windows
 * that lie on one side of a depth edge keep that edge sharp.
 *
 * The windows are the paper's. Two things are not, and are for real cameras,
 * whose exposures differ: what is compared (#GstStereoVcbw:cost=census), and
 * how the map is refined (sub-pixel, a check against the right view, speckles,
 * filling, a median). On Middlebury v2 an average of 8.96 % of the pixels is
 * wrong, and 7.91 % with #GstStereoVcbw:refine=all. The preset `paper` is the
 * paper's method to the letter: 12.19 %.
 *
 * Colour counts with #GstStereoVcbw:cost=rgb, when both views have it, as RGB
 * or YUV of any kind; docs/disparity.md says how.
 *
 * The output is `GRAY16_LE` with #GstStereoVcbw:disparity-scale codes for a
 * pixel of disparity, or `GRAY8`. Every buffer carries a
 * `GstStereoDisparityMeta` that tells what the codes mean; disparitycolor turns
 * them into a picture.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 stereovcbw name=m ! disparitycolor ! videoconvert ! autovideosink  stereotestsrc view=left ! m.sink_left  stereotestsrc view=right ! m.sink_right
 * ]| Matches a rendered scene.
 * |[
 * gst-launch-1.0 filesrc location=left.png ! pngdec ! m.sink_left  filesrc location=right.png ! pngdec ! m.sink_right  stereovcbw name=m num-disparities=60 ! disparitycolor ! videoconvert ! pngenc ! filesink location=disparity.png
 * ]| Matches two images.
 *
 * Since: 0.1
 */

#include "pair/gststereobase.h"
#include "elements/gststereoelements.h"

GST_DEBUG_CATEGORY_STATIC (gst_stereo_vcbw_debug);
#define GST_CAT_DEFAULT gst_stereo_vcbw_debug

#define GST_TYPE_STEREO_VCBW (gst_stereo_vcbw_get_type ())
G_DECLARE_FINAL_TYPE (GstStereoVcbw, gst_stereo_vcbw, GST, STEREO_VCBW,
    GstStereoBase)

struct _GstStereoVcbw
{
  GstStereoBase parent;
};

G_DEFINE_TYPE_WITH_CODE (GstStereoVcbw, gst_stereo_vcbw, GST_TYPE_STEREO_BASE,
    GST_DEBUG_CATEGORY_INIT (gst_stereo_vcbw_debug, "stereovcbw", 0,
        "Stereo matching with variable center-biased windows"));

GST_ELEMENT_REGISTER_DEFINE (stereovcbw, "stereovcbw", GST_RANK_NONE,
    GST_TYPE_STEREO_VCBW);

static void
gst_stereo_vcbw_class_init (GstStereoVcbwClass * klass)
{
  gst_stereo_base_class_set_algorithm (GST_STEREO_BASE_CLASS (klass), "vcbw");
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass),
      "Stereo matcher (variable center-biased windows)",
      "Filter/Effect/Video",
      "Disparity from two rectified views, with nine windows for every pixel",
      "The gst-stereomatching authors");
}

static void
gst_stereo_vcbw_init (GstStereoVcbw * self)
{
}
