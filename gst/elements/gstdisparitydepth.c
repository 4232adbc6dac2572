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
  GstStereoDevice device;

  /* The streaming thread's own. */
  StereoRunner *runner;
  gboolean configured;          /* for these: */
  StereoDepthParams params;
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

/* ------------------------------------------------------------------ device */

static gboolean
open_device (GstElement * element, StereoDevice * device, StereoMessage * why)
{
  GstDisparityDepth *self = GST_DISPARITY_DEPTH (element);

  self->configured = FALSE;
  return stereo_runner_new (&stereo_depth_op, device, &self->runner, why)
      == STEREO_OK;
}

static void
close_device (GstElement * element)
{
  GstDisparityDepth *self = GST_DISPARITY_DEPTH (element);

  stereo_runner_free (&self->runner);
  self->configured = FALSE;
}

static const GstStereoDeviceUser device_user = {
  .open = open_device,
  .close = close_device,
};

/* Prepares for maps like this one. */
static gboolean
configure (GstDisparityDepth * self, const StereoDepthParams * params,
    const StereoImage * map)
{
  const StereoPortSetup in = { map->format, map->width, map->height, 1 };
  const StereoPortSetup out = {
    STEREO_FORMAT_GRAY16_LE, map->width, map->height, 1
  };

  GST_DEBUG_OBJECT (self, "focal length %g, baseline %g, doffs %g",
      params->metric.focal_length, params->metric.baseline,
      params->metric.doffs);
  self->configured = gst_stereo_device_configure (&self->device,
      &self->runner, &in, &out, params);
  self->params = *params;
  return self->configured;
}

/* ------------------------------------------------------------------ frames */

static gboolean
gst_disparity_depth_process (GstStereoFilter * filter,
    const GstStereoFrame * in, GstStereoFrame * out)
{
  GstDisparityDepth *self = GST_DISPARITY_DEPTH (filter);
  const StereoImage *map = &in->image, *depth = &out->image;
  StereoDepthParams params;

  GST_OBJECT_LOCK (self);
  params = self->settings;
  GST_OBJECT_UNLOCK (self);

  if (!choose_params (self, in->frame.buffer, &params))
    return FALSE;
  /* a difference in padding configures once more, and that is all */
  if ((!self->configured
          || memcmp (&params, &self->params, sizeof (params)) != 0)
      && !configure (self, &params, map))
    return FALSE;
  if (stereo_runner_process (self->runner, &map, &depth, NULL) != STEREO_OK
      || stereo_runner_sync (self->runner) != STEREO_OK) {
    GST_STEREO_FAIL (&filter->failure, LIBRARY, FAILED,
        ("The depths failed: %s.", stereo_runner_message (self->runner)->text),
        (NULL));
    return FALSE;
  }
  return TRUE;
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

static gboolean
gst_disparity_depth_set_info (GstStereoFilter * filter)
{
  GST_DISPARITY_DEPTH (filter)->configured = FALSE;
  return TRUE;
}

/* ------------------------------------------------------------------- class */

static void
gst_disparity_depth_init (GstDisparityDepth * self)
{
  gst_stereo_table_init (stereo_depth_params, &self->settings);
  gst_stereo_device_init (&self->device, &GST_STEREO_FILTER (self)->failure,
      &device_user, GST_STEREO_BACKEND_CPU);
  GST_STEREO_FILTER (self)->device = &self->device;
}

static void
gst_disparity_depth_class_init (GstDisparityDepthClass * klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstStereoFilterClass *filter_class = GST_STEREO_FILTER_CLASS (klass);

  filter_class->set_info = gst_disparity_depth_set_info;
  filter_class->process = gst_disparity_depth_process;
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
