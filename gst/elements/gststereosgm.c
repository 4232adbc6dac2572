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
 * Computes a disparity map from a rectified left and right view. The cost of a
 * disparity is aggregated along straight paths that come to a pixel from
 * several sides; on each of them a change of disparity has a price, a lower one
 * where the colour changes, too. The disparity with the lowest sum wins (H.
 * Hirschmueller: "Stereo processing by semiglobal matching and mutual
 * information", IEEE TPAMI 30 (2), 2008).
 *
 * This project's own is that a pixel continues not one path but the average of
 * its three nearest neighbours in the line before, weighted by their likeness:
 * #GstStereoSgm:predecessors is 3. With 1 it is the method of the literature,
 * on four or eight #GstStereoSgm:paths. The matching cost (a census of 5x5
 * pixels with a gradient), the check of both views, and the medians that follow
 * the edges of the left view are this project's, too. On the four Middlebury
 * scenes that leaves 6.1 % bad pixels; one predecessor, eight paths and no
 * weighted medians (the preset `classic`) leave 7.2.
 *
 * The presets are `fast`, one predecessor and four paths, `accurate`, the
 * default, and `classic`, eight paths and no weighted medians; docs/presets.md
 * says how to use them.
 *
 * Colour is used where both views have it.
 *
 * The output is `GRAY16_LE` with #GstStereoBp:disparity-scale codes for a
 * pixel of disparity, or `GRAY8`. Every buffer carries a
 * `GstStereoDisparityMeta` that tells what the codes mean; disparitycolor turns
 * them into a picture.
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
 * ]| The same, with a preset.
 *
 * Since: 0.1
 */

#include "pair/gststereobase.h"
#include "elements/gststereoelements.h"

GST_DEBUG_CATEGORY_STATIC (gst_stereo_sgm_debug);
#define GST_CAT_DEFAULT gst_stereo_sgm_debug

#define GST_TYPE_STEREO_SGM (gst_stereo_sgm_get_type ())
G_DECLARE_FINAL_TYPE (GstStereoSgm, gst_stereo_sgm, GST, STEREO_SGM,
    GstStereoBase)

struct _GstStereoSgm
{
  GstStereoBase parent;
};

G_DEFINE_TYPE_WITH_CODE (GstStereoSgm, gst_stereo_sgm, GST_TYPE_STEREO_BASE,
    GST_DEBUG_CATEGORY_INIT (gst_stereo_sgm_debug, "stereosgm", 0,
        "Stereo matching by semi-global matching"));

GST_ELEMENT_REGISTER_DEFINE (stereosgm, "stereosgm", GST_RANK_NONE,
    GST_TYPE_STEREO_SGM);

static void
gst_stereo_sgm_class_init (GstStereoSgmClass * klass)
{
  gst_stereo_base_class_set_algorithm (GST_STEREO_BASE_CLASS (klass), "sgm");
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass),
      "Stereo matcher (semi-global matching)",
      "Filter/Effect/Video",
      "Disparity from two rectified views, along paths from all sides",
      "The gst-stereomatching authors");
}

static void
gst_stereo_sgm_init (GstStereoSgm * self)
{
}
