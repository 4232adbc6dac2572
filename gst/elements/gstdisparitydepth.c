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
 * Converts disparity maps to depth maps: `GRAY16_LE` with codes in millimetres,
 * or in another fraction of a metre (#GstDisparityDepth:depth-scale); 0 is
 * unknown. Depth is measured along the optical axis, not along the ray: Z, as
 * in the depth maps of ROS (`16UC1`), OpenNI, the ZED and the Azure Kinect.
 *
 * With the focal length in pixels, the baseline in metres, and `doffs`, the
 * difference of the principal points in pixels, which is 0 for most pairs:
 *
 *     depth = focal-length * baseline / (disparity + doffs)
 *
 * After `stereorectify projection=cylinder`, this is the distance from the
 * baseline, and the metadata say so.
 *
 * Properties take precedence over the `GstStereoDisparityMeta` of each buffer.
 * If neither has the focal length and the baseline, that is an error.
 *
 * Maps should come from a matcher with `fill=false`: filled pixels have depths
 * that were not measured. The element posts one message if maps are filled, and
 * warns once if a map has no depth at all: usually the baseline is not in
 * metres, or the focal length is of another size of the views. `min-confidence`
 * of the matcher leaves uncertain pixels unknown; the confidence is not in the
 * map, so this element has no such property.
 *
 * Depths outside #GstDisparityDepth:range-min to #GstDisparityDepth:range-max
 * are 0, unknown, as are those that exceed 16 bits. Far away, a fraction of a
 * pixel is a large distance: 1/16 pixel is 74 mm at 10 m if focal-length *
 * baseline is 84. `disparity-scale=256` on a subpixel matcher keeps finer
 * fractions.
 *
 * Recordings have no metas, but may have the matcher's tags with the same
 * content. Without either, set #GstDisparityDepth:disparity-scale,
 * #GstDisparityDepth:min-disparity and #GstDisparityDepth:invalid-value;
 * otherwise the element warns once and assumes the defaults.
 *
 * A map that was scaled, cropped or converted no longer has the codes that its
 * tags describe. That is an error: scale the views, not the map. If these three
 * properties, the focal length and the baseline are set, they apply instead.
 *
 * Every output buffer has a `GstStereoDepthMeta`, which is described in
 * docs/depth.md.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 stereotestsrc view=disparity num-buffers=1 ! disparitydepth focal-length=700 baseline=0.12 ! videoconvert ! video/x-raw,format=GRAY16_BE ! pngenc ! filesink location=depth.png
 * ]| Writes a PNG of 16 bits, in millimetres.
 * |[
 * gst-launch-1.0 filesrc location=left.png ! pngdec ! m.sink_left  filesrc location=right.png ! pngdec ! m.sink_right  stereosgm name=m disparity-scale=256 fill=false ! disparitydepth focal-length=721.5 baseline=0.537 depth-scale=256 range-max=80 ! filesink location=depth.raw
 * ]| Matches two images and writes the depth in the format of KITTI.
 *
 * Since: 0.1
 */

#include "base/gststereodepthmeta.h"
#include "filter/gststereofilter.h"
#include "base/gststereometa.h"
#include "base/gststereoparams.h"
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
  StereoDepthParams params;     /* of the configured runner */
  GstClockTime left_pts;        /* of the frame */
  GstClockTime right_pts;
  gdouble nearest;              /* depth that the search finds, or 0 */
  gboolean check_pending;       /* whether the map has any depth */
  gboolean warned;              /* that it has none */
  gboolean filled_posted;
  gboolean has_center;
  gdouble cx;
  gdouble cy;
  StereoProjection projection;
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

/* Completes the settings by metadata of the buffer.  FALSE with an error
 * posted. */
static gboolean
choose_params (GstDisparityDepth * self, GstBuffer * buffer,
    gboolean codes_set, StereoDepthParams * p)
{
  GstStereoDisparity meta;
  GstStereoFilter *filter = GST_STEREO_FILTER (self);
  const GstStereoMetricMap map = {
    .tags = &filter->tags,
    .buffer = buffer,
    .info = &filter->in_info,
    .codes_set = codes_set,
    .filled_posted = &self->filled_posted,
    .product = "A depth map",
    .failure = &filter->failure,
  };
  gdouble largest;

  self->left_pts = GST_BUFFER_PTS (buffer);
  self->right_pts = GST_CLOCK_TIME_NONE;
  self->nearest = 0;
  self->has_center = FALSE;
  self->projection = STEREO_PROJECTION_PLANE;
  if (!gst_stereo_metric_complete (&p->metric, &map, &meta))
    return FALSE;
  if (meta.num_disparities == 0)
    return TRUE;
  if (GST_CLOCK_TIME_IS_VALID (meta.left_pts))
    self->left_pts = meta.left_pts;
  self->right_pts = meta.right_pts;
  self->has_center = meta.has_center;
  self->cx = meta.cx;
  self->cy = meta.cy;
  self->projection = meta.projection;
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
  gboolean codes_set;

  GST_OBJECT_LOCK (self);
  params = self->settings;
  codes_set = gst_stereo_table_codes_set (stereo_depth_params, filter->set);
  GST_OBJECT_UNLOCK (self);

  if (!choose_params (self, in->frame.buffer, codes_set, &params))
    return FALSE;
  /* If only padding differs, it is configured again, which is harmless. */
  if (filter->run.configured[0]
      && memcmp (&params, &self->params, sizeof (params)) == 0)
    return TRUE;
  GST_DEBUG_OBJECT (self, "focal length %g, baseline %g, doffs %g",
      params.metric.focal_length, params.metric.baseline,
      params.metric.doffs);
  self->params = params;
  self->check_pending = TRUE;
  return gst_stereo_run_configure (&filter->run, 0, &map, &depth, &params);
}

static gboolean
has_depth (GstBuffer * buffer, const GstVideoInfo * info)
{
  GstVideoFrame frame;
  gboolean found = FALSE;

  if (!gst_video_frame_map (&frame, info, buffer, GST_MAP_READ))
    return TRUE;
  for (gint y = 0; y < GST_VIDEO_FRAME_HEIGHT (&frame) && !found; y++) {
    const guint8 *row = (const guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&frame, 0)
        + (gssize) y * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0);

    for (gint i = 0; i < 2 * GST_VIDEO_FRAME_WIDTH (&frame); i++)
      found |= row[i] != 0;
  }
  gst_video_frame_unmap (&frame);
  return found;
}

/* Warns once.  Checks only the first map with new parameters, and none on a
 * GPU, because mapping would wait for it. */
static void
check_empty (GstDisparityDepth * self, GstBuffer * buffer)
{
  const StereoDepthParams *p = &self->params;

  if (self->check_pending && !self->warned
      && !GST_STEREO_FILTER (self)->device.is_cuda
      && !has_depth (buffer, &GST_STEREO_FILTER (self)->out_info)) {
    gst_stereo_metric_warn_empty (GST_ELEMENT (self), &p->metric, p->range_min,
        p->range_max, "The depth map");
    self->warned = TRUE;
  }
  self->check_pending = FALSE;
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
    .projection = self->projection,
    .left_pts = self->left_pts,
    .right_pts = self->right_pts,
  };
  GstTagList *tags = gst_stereo_tags_of_depth (&filter->last_sent, &depth,
      &filter->out_info);

  check_empty (self, buffer);
  if (tags != NULL)
    gst_stereo_filter_send_tags (filter, tags);
  gst_stereo_depth_meta_add (buffer, &depth);
}

static gboolean
gst_disparity_depth_stop (GstBaseTransform * trans)
{
  GST_DISPARITY_DEPTH (trans)->warned = FALSE;
  GST_DISPARITY_DEPTH (trans)->filled_posted = FALSE;
  return GST_BASE_TRANSFORM_CLASS (gst_disparity_depth_parent_class)->stop
      (trans);
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

  GST_BASE_TRANSFORM_CLASS (klass)->stop = gst_disparity_depth_stop;
  filter_class->op = &stereo_depth_op;
  filter_class->backend = GST_STEREO_BACKEND_CPU;
  filter_class->purpose = "compute the depth";
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
