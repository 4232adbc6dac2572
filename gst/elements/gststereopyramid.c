/* gst-stereomatching: the element stereopyramid
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-stereopyramid
 * @title: stereopyramid
 * @short_description: stereo matching by correlation over an image pyramid
 *
 * Finds for every pixel of the left view where it is in the right one, as real
 * numbers and in both directions of the image: a pyramid of ever smaller images
 * is searched from the top to the bottom, and on every level displacements move
 * to where the views correlate better and are smoothed according to how
 * confident they are (T. Xu, P. Cockshott, S. Oehler: "Acceleration of
 * stereo-matching on multi-core CPU and GPU", HPCC 2014). It is made for large
 * images of continuous surfaces. They need not be rectified, if
 * #GstStereoPyramid:vertical-search is on; it is off by default. Small things
 * whose disparity differs much from what is around them are not found.
 *
 * A second search starts from the right view. Where both disagree by more than
 * #GstStereoPyramid:lr-max-diff, the confidence is 0, and the disparity comes
 * from the background beside it, or is invalid without #GstStereoPyramid:fill.
 * The preset `paper` is the paper's method: a vertical search, and no check.
 *
 * Colour is used when both views have it, as RGB or YUV of any kind, else luma;
 * docs/disparity.md says how. #GstStereoPyramid:num-disparities does not change
 * how long it takes: results are clamped to the range.
 *
 * The output is `GRAY16_LE` with #GstStereoPyramid:disparity-scale codes for a
 * pixel of disparity, which has fractions of a pixel, or `GRAY8`. Every buffer
 * carries a `GstStereoDisparityMeta` that tells what the codes mean;
 * disparitycolor turns them into a picture. Two more source pads can be
 * requested: `src_vertical` gives the vertical disparity (`GRAY16_LE`, 32768 is
 * 0 pixels), `src_confidence` how far the disparities are to be trusted
 * (`GRAY8` or `GRAY16_LE`), 0 where the check failed.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 stereopyramid name=m ! disparitycolor ! videoconvert ! autovideosink  stereotestsrc view=left ! m.sink_left  stereotestsrc view=right ! m.sink_right
 * ]| Matches a rendered scene.
 * |[
 * gst-launch-1.0 filesrc location=left.png ! pngdec ! m.sink_left  filesrc location=right.png ! pngdec ! m.sink_right  stereopyramid name=m num-disparities=60 ! disparitycolor ! videoconvert ! pngenc ! filesink location=disparity.png
 * ]| Matches two images.
 * |[
 * gst-launch-1.0 stereopyramid name=m vertical-search=true  m.src ! queue ! disparitycolor ! videoconvert ! autovideosink  m.src_vertical ! queue ! disparitycolor ! videoconvert ! autovideosink  m.src_confidence ! queue ! disparitycolor ! videoconvert ! autovideosink  stereotestsrc view=left ! m.sink_left  stereotestsrc view=right ! m.sink_right
 * ]| Shows all three results.
 * |[
 * gst-launch-1.0 filesrc location=left.png ! pngdec ! m.sink_left  filesrc location=right.png ! pngdec ! m.sink_right  stereopyramid name=m vertical-search=true  m.src_vertical ! disparitycolor range-min=-4 range-max=4 ! videoconvert ! pngenc ! filesink location=vertical.png
 * ]| How far two images are from being rectified.
 *
 * Since: 0.1
 */

#include "pair/gststereobase.h"
#include "elements/gststereoelements.h"

GST_DEBUG_CATEGORY_STATIC (gst_stereo_pyramid_debug);
#define GST_CAT_DEFAULT gst_stereo_pyramid_debug

#define GST_TYPE_STEREO_PYRAMID (gst_stereo_pyramid_get_type ())
G_DECLARE_FINAL_TYPE (GstStereoPyramid, gst_stereo_pyramid, GST, STEREO_PYRAMID,
    GstStereoBase)

struct _GstStereoPyramid
{
  GstStereoBase parent;
};

G_DEFINE_TYPE_WITH_CODE (GstStereoPyramid, gst_stereo_pyramid,
    GST_TYPE_STEREO_BASE, GST_DEBUG_CATEGORY_INIT (gst_stereo_pyramid_debug,
        "stereopyramid", 0,
        "Stereo matching by correlation over an image pyramid"));

GST_ELEMENT_REGISTER_DEFINE (stereopyramid, "stereopyramid", GST_RANK_NONE,
    GST_TYPE_STEREO_PYRAMID);

static void
gst_stereo_pyramid_class_init (GstStereoPyramidClass * klass)
{
  gst_stereo_base_class_set_algorithm (GST_STEREO_BASE_CLASS (klass),
      "pyramid");
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass),
      "Stereo matcher (correlation over a pyramid)",
      "Filter/Effect/Video",
      "Real-valued disparities in both directions, for large unrectified views",
      "The gst-stereomatching authors");
}

static void
gst_stereo_pyramid_init (GstStereoPyramid * self)
{
}
