/* gst-stereomatching: the element disparitydepth
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-disparitydepth
 * @title: disparitydepth
 * @short_description: depth in millimetres from disparity maps
 *
 * Makes a depth map of a disparity map: `GRAY16_LE` in which a code is the
 * distance of the pixel in millimetres, or any other part of a metre
 * (#GstDisparityDepth:depth-scale), and 0 is unknown. The distance is that
 * along the optical axis, not along the ray: Z, as in ROS' `16UC1`, OpenNI's,
 * the ZED's and the Azure Kinect's depth maps.
 *
 * With the focal length in pixels, the baseline in metres, and `doffs`, the
 * difference of the principal points' columns, which is 0 in most pairs:
 *
 *     depth = focal-length * baseline / (disparity + doffs)
 *
 * These three are what the `GstStereoDisparityMeta` of each buffer says, or
 * what the properties say, which win. If neither does, that is an error: there
 * is no default that would be right.
 *
 * What is nearer or farther than #GstDisparityDepth:range-min and
 * #GstDisparityDepth:range-max is 0, unknown, and so is what 16 bits can't
 * hold. A fraction of a pixel is a long way at a distance: 1/16 of a pixel is
 * 74 mm at 10 m when focal-length * baseline is 84. `disparity-scale=256` on a
 * matcher that finds fractions keeps more of them.
 *
 * A recording has no metas, but may have the matcher's tags, which say the
 * same. Without either, #GstDisparityDepth:disparity-scale,
 * #GstDisparityDepth:min-disparity and #GstDisparityDepth:invalid-value say
 * what a code is. Every buffer that comes out has a `GstStereoDepthMeta`, which
 * is described in docs/depth.md.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 stereotestsrc view=disparity num-buffers=1 ! disparitydepth focal-length=700 baseline=0.12 ! videoconvert ! video/x-raw,format=GRAY16_BE ! pngenc ! filesink location=depth.png
 * ]| Writes a PNG of 16 bits, in millimetres.
 * |[
 * gst-launch-1.0 filesrc location=left.png ! pngdec ! m.sink_left  filesrc location=right.png ! pngdec ! m.sink_right  stereosgm name=m disparity-scale=256 ! disparitydepth focal-length=721.5 baseline=0.537 depth-scale=256 range-max=80 ! filesink location=depth.raw
 * ]| Matches two images, and writes the depth as KITTI has it.
 *
 * Since: 0.1
 */

#include "base/gststereodepthmeta.h"
#include "base/gststereofilter.h"
#include "base/gststereometa.h"
#include "base/gststereoparams.h"
#include "core/params.h"
#include "core/runner.h"
#include "elements/gststereoelements.h"
#include "elements/gststereometric.h"
#include "geometry/depth.h"

#include <string.h>

GST_DEBUG_CATEGORY_STATIC (gst_disparity_depth_debug);
#define GST_CAT_DEFAULT gst_disparity_depth_debug

#define GST_TYPE_DISPARITY_DEPTH (gst_disparity_depth_get_type ())
G_DECLARE_FINAL_TYPE (GstDisparityDepth, gst_disparity_depth, GST,
    DISPARITY_DEPTH, GstStereoFilter)

struct _GstDisparityDepth
{
  GstStereoFilter parent;

  StereoDepthParams settings;   /* under the object lock */

  /* The streaming thread's own. */
  StereoDepthParams params;     /* that the runner is configured for */
  GstClockTime left_pts;        /* of the frame */
  GstClockTime right_pts;
  gdouble nearest;              /* that was searched, or 0 */
  gboolean has_center;
  gdouble cx;
  gdouble cy;
};

G_DEFINE_TYPE_WITH_CODE (GstDisparityDepth, gst_disparity_depth,
    GST_TYPE_STEREO_FILTER,
    GST_DEBUG_CATEGORY_INIT (gst_disparity_depth_debug, "disparitydepth", 0,
        "Depth in millimetres from disparity maps"));

GST_ELEMENT_REGISTER_DEFINE (disparitydepth, "disparitydepth", GST_RANK_NONE,
    GST_TYPE_DISPARITY_DEPTH);

static GstStaticPadTemplate sink_template =
GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (GST_VIDEO_CAPS_MAKE ("{ GRAY16_LE, GRAY8 }")));

static GstStaticPadTemplate src_template =
GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (GST_VIDEO_CAPS_MAKE ("GRAY16_LE")));

/* ------------------------------------------------------------------ camera */

/* Completes the settings by what the buffer says.  FALSE with an error. */
static gboolean
choose_params (GstDisparityDepth * self, GstBuffer * buffer,
    StereoDepthParams * p)
{
  GstStereoDisparity meta;
  GstStereoFilter *filter = GST_STEREO_FILTER (self);
  const gboolean has_meta = gst_stereo_tags_get_disparity (&filter->tags,
      buffer, &filter->in_info, &meta);
  gdouble largest;

  self->left_pts = GST_BUFFER_PTS (buffer);
  self->right_pts = GST_CLOCK_TIME_NONE;
  self->nearest = 0;
  self->has_center = FALSE;
  if (!gst_stereo_metric_complete (&p->metric, has_meta ? &meta : NULL,
          "A depth", &filter->failure))
    return FALSE;
  if (!has_meta)
    return TRUE;
  if (GST_CLOCK_TIME_IS_VALID (meta.left_pts))
    self->left_pts = meta.left_pts;
  self->right_pts = meta.right_pts;
  self->has_center = meta.has_center;
  self->cx = meta.cx;
  self->cy = meta.cy;
  largest = (gdouble) meta.min_disparity + meta.num_disparities - 1
      + p->metric.doffs;
  if (largest > 0)
    self->nearest = p->metric.focal_length * p->metric.baseline / largest;
  return TRUE;
}

/* ------------------------------------------------------------------ frames */

static gboolean
gst_disparity_depth_prepare (GstStereoFilter * filter,
    const GstStereoFrame * in, const GstStereoFrame * out)
{
  GstDisparityDepth *self = GST_DISPARITY_DEPTH (filter);
  const StereoPortSetup map = stereo_port_setup_of (&in->image);
  const StereoPortSetup depth = stereo_port_setup_of (&out->image);
  StereoDepthParams params;

  GST_OBJECT_LOCK (self);
  params = self->settings;
  GST_OBJECT_UNLOCK (self);

  if (!choose_params (self, in->frame.buffer, &params))
    return FALSE;
  /* a difference in padding configures once more, and that is all */
  if (filter->configured
      && memcmp (&params, &self->params, sizeof (params)) == 0)
    return TRUE;
  GST_DEBUG_OBJECT (self, "focal length %g, baseline %g, doffs %g",
      params.metric.focal_length, params.metric.baseline,
      params.metric.doffs);
  self->params = params;
  return gst_stereo_filter_configure (filter, &map, &depth, &params);
}

static void
gst_disparity_depth_add_metas (GstStereoFilter * filter, GstBuffer * buffer)
{
  GstDisparityDepth *self = GST_DISPARITY_DEPTH (filter);
  const StereoDepthParams *p = &self->params;
  const GstStereoDepth depth = {
    .scale = p->depth_scale,
    .range_min = MAX (p->range_min, self->nearest),
    .range_max = MIN (p->range_max, G_MAXUINT16 / p->depth_scale),
    .focal_length = p->metric.focal_length,
    .baseline = p->metric.baseline,
    .has_center = self->has_center,
    .cx = self->cx,
    .cy = self->cy,
    .left_pts = self->left_pts,
    .right_pts = self->right_pts,
  };

  GstTagList *tags = gst_stereo_tags_of_depth (&filter->told, &depth,
      &filter->out_info);

  if (tags != NULL)
    gst_stereo_filter_send_tags (filter, tags);
  gst_stereo_depth_meta_add (buffer, &depth);
}

/* ------------------------------------------------------------------- class */

static void
gst_disparity_depth_init (GstDisparityDepth * self)
{
  gst_stereo_table_init (stereo_depth_params, &self->settings);
}

static void
gst_disparity_depth_class_init (GstDisparityDepthClass * klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstStereoFilterClass *filter_class = GST_STEREO_FILTER_CLASS (klass);

  filter_class->op = &stereo_depth_op;
  filter_class->backend = GST_STEREO_BACKEND_CPU;
  filter_class->product = "The depths";
  filter_class->prepare = gst_disparity_depth_prepare;
  filter_class->add_metas = gst_disparity_depth_add_metas;

  gst_stereo_filter_install_properties (filter_class, stereo_depth_params,
      "depth", G_STRUCT_OFFSET (GstDisparityDepth, settings));

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class,
      "Disparity to depth", "Filter/Converter/Video",
      "Turns disparity maps into depth maps, in millimetres",
      "The gst-stereomatching authors");
}
