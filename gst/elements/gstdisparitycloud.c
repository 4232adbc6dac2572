/* gst-stereomatching: the element disparitycloud
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-disparitycloud
 * @title: disparitycloud
 * @short_description: point clouds from disparity maps
 *
 * Makes points in space of a disparity map, in metres, and a file of them:
 * every buffer that comes out is one complete file, which `multifilesink`
 * writes under a name of its own. With the left view on the request pad
 * `sink_left`, which may have any format that a matcher takes, points have
 * colours.
 *
 * What follows chooses the file by its caps:
 *
 * - `application/x-ply`, the preferred one: PLY 1.0, binary, the points that
 *   there are, row by row
 * - `application/x-ply,encoding=ascii`: the same as text, which takes some
 *   hundred times as long
 * - `application/x-pcd`: PCD 0.7 of the Point Cloud Library, binary and
 *   organised: a point for every pixel, NaN where there is none
 *
 * The axes are those of the left camera: x points to the right, y down and z
 * ahead, as in OpenCV and in ROS' optical frames, or as in OpenGL
 * (#GstDisparityCloud:axes). With the focal length in pixels, the baseline in
 * metres and the principal point
 *
 *     z = focal-length * baseline / (disparity + doffs)
 *     x = (column - cx) / focal-length * z
 *     y = (row - cy) / focal-length * z
 *
 * These are what the `GstStereoDisparityMeta` of each buffer says, or what the
 * properties say, which win, or the tags of a recording. If nobody knows focal
 * length and baseline, that is an error; the principal point is in the middle
 * then.
 *
 * An image goes with the map that was made of it, as in stereoview; images
 * without a map are left out.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 stereotestsrc view=disparity num-buffers=1 ! m.sink_disparity stereotestsrc view=left num-buffers=1 ! m.sink_left disparitycloud name=m focal-length=300 baseline=0.12 axes=graphics ! multifilesink location=cloud-%05d.ply
 * ]| Writes a file of coloured points of each frame, upright in MeshLab.
 * |[
 * gst-launch-1.0 stereotestsrc view=disparity num-buffers=1 ! disparitycloud focal-length=300 baseline=0.12 step=2 range-max=10 ! application/x-pcd ! filesink location=cloud.pcd
 * ]| Writes every other pixel of every other row as an organised PCD.
 *
 * Since: 0.1
 */

#include "base/gststereocuda.h"
#include "base/gststereoallocator.h"
#include "base/gststereodevice.h"
#include "base/gststereoformat.h"
#include "base/gststereoframe.h"
#include "base/gststereometa.h"
#include "base/gststereoparams.h"
#include "base/gststereopool.h"
#include "base/gststereotags.h"
#include "core/image.h"
#include "elements/gststereocloudfile.h"
#include "elements/gststereoelements.h"
#include "elements/gststereometric.h"
#include "geometry/cloud.h"
#include "pair/gststereomapbase.h"

#include <gst/base/gstaggregator.h>
#include <gst/video/video.h>
#include <string.h>

GST_DEBUG_CATEGORY_STATIC (gst_disparity_cloud_debug);
#define GST_CAT_DEFAULT gst_disparity_cloud_debug

#define GST_TYPE_DISPARITY_CLOUD (gst_disparity_cloud_get_type ())
G_DECLARE_FINAL_TYPE (GstDisparityCloud, gst_disparity_cloud, GST,
    DISPARITY_CLOUD, GstStereoMapBase)

enum
{
  PROP_0,
  PROP_DEVICE,                  /* and the others of the device */
  PROP_TABLE = PROP_DEVICE + GST_STEREO_DEVICE_N_PROPS
};

/* What the runner is configured for. */
typedef struct
{
  StereoCloudParams params;
  StereoPortSetup inputs[2];
} Setup;

struct _GstDisparityCloud
{
  GstStereoMapBase parent;

  StereoCloudParams settings;   /* under the object lock */

  /* The streaming thread's own. */
  StereoRunner *runner;
  gboolean configured;
  Setup setup;
  StereoCloudSize size;
  gboolean negotiated;
  GstStereoCloudFormat format;
  GstBufferPool *pool;          /* of buffers of file_bytes */
  gsize file_bytes;
  guint32 *counts;              /* points of each row */
};

G_DEFINE_TYPE_WITH_CODE (GstDisparityCloud, gst_disparity_cloud,
    GST_TYPE_STEREO_MAP_BASE,
    GST_DEBUG_CATEGORY_INIT (gst_disparity_cloud_debug, "disparitycloud", 0,
        "Point clouds from disparity maps"));

GST_ELEMENT_REGISTER_DEFINE (disparitycloud, "disparitycloud", GST_RANK_NONE,
    GST_TYPE_DISPARITY_CLOUD);

#define SIZE_RANGE "(int) [ 1, 16384 ]"
#define MAP_CAPS(media, formats) media ", format = (string) " formats ", " \
    "width = " SIZE_RANGE ", height = " SIZE_RANGE ", " \
    "framerate = " GST_VIDEO_FPS_RANGE
#define VIEW_FORMATS "{ GRAY8, NV12, I420, YV12, NV21, NV16, Y42B, Y444, " \
    "YUY2, UYVY, YVYU, RGB, BGR, RGBx, BGRx, xRGB, xBGR, RGBA, BGRA, ARGB, " \
    "ABGR, GRAY16_LE, P010_10LE, I420_10LE, I422_10LE, Y444_10LE }"

static GstStaticPadTemplate map_template =
GST_STATIC_PAD_TEMPLATE ("sink_disparity", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (MAP_CAPS ("video/x-raw", "{ GRAY16_LE, GRAY8 }")));

static GstStaticPadTemplate left_template =
GST_STATIC_PAD_TEMPLATE ("sink_left", GST_PAD_SINK, GST_PAD_REQUEST,
    GST_STATIC_CAPS (MAP_CAPS ("video/x-raw", VIEW_FORMATS) "; "
        MAP_CAPS ("video/x-raw(" GST_STEREO_CUDA_FEATURE ")",
            GST_STEREO_CUDA_FORMATS)));

static GstStaticPadTemplate src_template =
GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (GST_STEREO_CLOUD_CAPS));

#define PARENT GST_AGGREGATOR_CLASS (gst_disparity_cloud_parent_class)

/* ------------------------------------------------------------------- device */

static void
forget_pool (GstDisparityCloud * self)
{
  if (self->pool != NULL)
    gst_buffer_pool_set_active (self->pool, FALSE);
  gst_clear_object (&self->pool);
  self->configured = FALSE;
}

static gboolean
open_device (GstElement * element, StereoDevice * device, StereoMessage * why)
{
  GstDisparityCloud *self = GST_DISPARITY_CLOUD (element);

  self->configured = FALSE;
  return stereo_runner_new (&stereo_cloud_op, device, &self->runner, why)
      == STEREO_OK;
}

static void
close_device (GstElement * element)
{
  GstDisparityCloud *self = GST_DISPARITY_CLOUD (element);

  forget_pool (self);
  stereo_runner_free (&self->runner);
}

static const GstStereoDeviceUser device_user = {
  .open = open_device,
  .close = close_device,
};

static gboolean
gst_disparity_cloud_negotiated_src_caps (GstAggregator * aggregator,
    GstCaps * caps)
{
  GstDisparityCloud *self = GST_DISPARITY_CLOUD (aggregator);

  self->negotiated = gst_stereo_cloud_format (caps, &self->format);
  self->configured = FALSE;
  return self->negotiated && PARENT->negotiated_src_caps (aggregator, caps);
}

/* ------------------------------------------------------------------- frames */

/* Completes the settings by what the buffers say. */
static gboolean
choose_params (GstDisparityCloud * self, GstBuffer * map,
    const GstVideoInfo info[N_INPUTS], gboolean colors, StereoCloudParams * p)
{
  GstStereoDisparity meta;
  gboolean has_meta;

  GST_OBJECT_LOCK (self);
  *p = self->settings;
  GST_OBJECT_UNLOCK (self);
  has_meta = gst_stereo_tags_get_disparity (&self->parent.tags, map, &info[MAP],
      &meta);
  p->packed = self->format != GST_STEREO_CLOUD_PCD;
  p->colors = colors;
  if (colors)
    p->colorimetry = gst_stereo_colorimetry (&info[LEFT]);
  if (has_meta && meta.has_center) {
    if (!(p->cx > STEREO_CLOUD_MIDDLE))
      p->cx = meta.cx;
    if (!(p->cy > STEREO_CLOUD_MIDDLE))
      p->cy = meta.cy;
  }
  return gst_stereo_metric_complete (&p->metric, has_meta ? &meta : NULL,
      "A cloud", &self->parent.failure);
}

/* A pool of buffers for whole files. */
static gboolean
make_pool (GstDisparityCloud * self)
{
  GstBufferPool *pool = gst_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);
  GstCaps *caps = gst_pad_get_current_caps (GST_AGGREGATOR_SRC_PAD (self));
  const gsize points = (gsize) self->size.rows * 4
      * (gsize) self->size.row_words;
  gboolean ok = points + GST_STEREO_CLOUD_HEADER <= G_MAXUINT;

  forget_pool (self);
  self->file_bytes = points + GST_STEREO_CLOUD_HEADER;
  gst_buffer_pool_config_set_params (config, caps, (guint) self->file_bytes, 0,
      0);
  if (self->parent.device.allocator != NULL)
    gst_buffer_pool_config_set_allocator (config, self->parent.device.allocator,
        NULL);
  ok = ok && gst_buffer_pool_set_config (pool, config)
      && gst_buffer_pool_set_active (pool, TRUE);
  if (!ok)
    GST_STEREO_FAIL (&self->parent.failure, RESOURCE, NO_SPACE_LEFT,
        ("There is no memory for files of %" G_GSIZE_FORMAT " bytes: a larger "
            "step makes smaller ones.", self->file_bytes), (NULL));
  if (ok)
    self->pool = pool;
  else
    gst_object_unref (pool);
  gst_clear_caps (&caps);
  return ok;
}

/* Prepares for frames like these; the view's buffer may be NULL. */
static gboolean
configure (GstDisparityCloud * self, const GstStereoFrame frames[N_INPUTS],
    const StereoCloudParams * params)
{
  StereoPortSetup outputs[2];
  Setup setup;

  memset (&setup, 0, sizeof (setup));
  setup.params = *params;
  setup.inputs[0] = stereo_port_setup_of (&frames[MAP].image);
  setup.inputs[1] = params->colors ? stereo_port_setup_of (&frames[LEFT].image)
      : (StereoPortSetup) { STEREO_FORMAT_GRAY8, 1, 1, 1 };
  /* a difference in padding configures once more, and that is all */
  if (self->configured && memcmp (&setup, &self->setup, sizeof (setup)) == 0)
    return TRUE;

  self->size = stereo_cloud_size (params, setup.inputs[0].width,
      setup.inputs[0].height);
  outputs[0] = (StereoPortSetup) {
    STEREO_FORMAT_RGBX, self->size.row_words, self->size.rows, 1
  };
  outputs[1] = (StereoPortSetup) {
    STEREO_FORMAT_RGBX, self->size.rows, 1, 1
  };
  GST_DEBUG_OBJECT (self, "focal length %g, baseline %g, %d x %d points",
      params->metric.focal_length, params->metric.baseline,
      self->size.columns, self->size.rows);
  self->counts = g_renew (guint32, self->counts, self->size.rows);
  self->configured = FALSE;
  if (!gst_stereo_device_configure (&self->parent.device, &self->runner,
          setup.inputs, outputs, params) || !make_pool (self))
    return FALSE;
  self->setup = setup;
  self->configured = TRUE;
  return TRUE;
}

/* Makes points of mapped frames. */
static gboolean
run (GstDisparityCloud * self, const GstStereoFrame frames[N_INPUTS],
    guint8 * points, gboolean pinned)
{
  const StereoImage out = {
    .format = STEREO_FORMAT_RGBX,
    .width = self->size.row_words,
    .height = self->size.rows,
    .plane = {points},
    .stride = {4 * (gsize) self->size.row_words},
    .memory = pinned ? STEREO_MEMORY_PINNED : STEREO_MEMORY_HOST,
  };
  const StereoImage counts = {
    .format = STEREO_FORMAT_RGBX,
    .width = self->size.rows,
    .height = 1,
    .plane = {(guint8 *) self->counts},
    .stride = {4 * (gsize) self->size.rows},
  };
  const StereoCloudParams *p = &self->setup.params;
  const StereoImage *inputs[] = { &frames[MAP].image,
    p->colors ? &frames[LEFT].image : NULL
  };
  const StereoImage *outputs[] = { &out, p->packed ? &counts : NULL };

  if (stereo_runner_process (self->runner, inputs, outputs, NULL) == STEREO_OK
      && stereo_runner_sync (self->runner) == STEREO_OK)
    return TRUE;
  GST_STEREO_FAIL (&self->parent.failure, LIBRARY, FAILED,
      ("The points failed: %s.", stereo_runner_message (self->runner)->text),
      (NULL));
  return FALSE;
}

/* A file of mapped frames, or NULL with an error. */
static GstBuffer *
make_file (GstDisparityCloud * self, const GstStereoFrame frames[N_INPUTS])
{
  const gboolean colors = self->setup.params.colors;
  GstBuffer *file = NULL, *text;
  guint n = 0;
  GstMapInfo map;

  if (gst_buffer_pool_acquire_buffer (self->pool, &file, NULL) != GST_FLOW_OK
      || !gst_buffer_map (file, &map, GST_MAP_READWRITE)) {
    gst_clear_buffer (&file);
    GST_STEREO_FAIL (&self->parent.failure, RESOURCE, NO_SPACE_LEFT,
        ("There is no memory for a file of %" G_GSIZE_FORMAT " bytes: a larger "
            "step makes smaller ones.", self->file_bytes), (NULL));
    return NULL;
  }
  if (!run (self, frames, map.data + GST_STEREO_CLOUD_HEADER,
          gst_stereo_buffer_is_pinned (file, self->parent.device.device))) {
    gst_buffer_unmap (file, &map);
    gst_buffer_unref (file);
    return NULL;
  }
  if (self->setup.params.packed)
    n = gst_stereo_cloud_join (&self->size, map.data + GST_STEREO_CLOUD_HEADER,
        self->counts);
  if (self->format == GST_STEREO_CLOUD_PLY_ASCII) {
    text = gst_stereo_cloud_print (&self->size, colors, n,
        map.data + GST_STEREO_CLOUD_HEADER);
    gst_buffer_unmap (file, &map);
    gst_buffer_unref (file);
    return text;
  }
  gst_stereo_cloud_write_header (self->format, &self->size, colors, n,
      map.data);
  gst_buffer_unmap (file, &map);
  if (self->setup.params.packed)
    gst_buffer_set_size (file, (gssize) (GST_STEREO_CLOUD_HEADER
            + (gsize) n * (gsize) self->size.point_bytes));
  return file;
}

static gboolean
check_sizes (GstDisparityCloud * self, const GstVideoInfo info[N_INPUTS])
{
  const GstVideoInfo *map = &info[MAP], *left = &info[LEFT];

  if (GST_VIDEO_INFO_WIDTH (map) == GST_VIDEO_INFO_WIDTH (left)
      && GST_VIDEO_INFO_HEIGHT (map) == GST_VIDEO_INFO_HEIGHT (left))
    return TRUE;
  GST_STEREO_FAIL (&self->parent.failure, CORE, NEGOTIATION,
      ("The map on sink_disparity has %dx%d, the image on sink_left %dx%d: "
          "they have to be equal; put videoscale before sink_left.",
          GST_VIDEO_INFO_WIDTH (map), GST_VIDEO_INFO_HEIGHT (map),
          GST_VIDEO_INFO_WIDTH (left), GST_VIDEO_INFO_HEIGHT (left)), (NULL));
  return FALSE;
}

/* What comes of the buffers, or NULL with an error. */
static GstBuffer *
make_cloud (GstDisparityCloud * self, const GstStereoInput inputs[N_INPUTS])
{
  const gboolean colors = inputs[LEFT].buffer != NULL;
  GstStereoFrame frames[N_INPUTS] = { 0, };
  GstVideoInfo info[N_INPUTS];
  StereoCloudParams params;
  GstBuffer *file = NULL;

  gst_stereo_map_base_get_info (&self->parent, info);
  if ((!colors || check_sizes (self, info))
      && choose_params (self, inputs[MAP].buffer, info, colors, &params)
      && gst_stereo_map_base_map (&self->parent, inputs, info, frames)
      && configure (self, frames, &params)
      && gst_stereo_map_base_remap (&self->parent, inputs, info, frames))
    file = make_file (self, frames);
  gst_stereo_map_base_unmap (frames);
  return file;
}

static GstFlowReturn
gst_disparity_cloud_make (GstStereoMapBase * base, GstStereoInput * heads,
    GstClockTime time)
{
  GstDisparityCloud *self = GST_DISPARITY_CLOUD (base);
  GstBuffer *file;

  if (!self->negotiated) {
    gst_pad_mark_reconfigure (GST_AGGREGATOR_SRC_PAD (self));
    return GST_AGGREGATOR_FLOW_NEED_DATA;
  }
  gst_stereo_map_base_take (base, heads);
  file = make_cloud (self, heads);
  if (file == NULL)
    return base->lost ? GST_AGGREGATOR_FLOW_NEED_DATA : GST_FLOW_ERROR;
  gst_stereo_map_base_stamp (base, file, heads[MAP].buffer);
  base->discont = FALSE;
  return gst_aggregator_finish_buffer (GST_AGGREGATOR (self), file);
}

/* ----------------------------------------------------------- start and stop */

static gboolean
gst_disparity_cloud_start (GstAggregator * aggregator)
{
  GST_DISPARITY_CLOUD (aggregator)->negotiated = FALSE;
  return PARENT->start (aggregator);
}

static gboolean
gst_disparity_cloud_stop (GstAggregator * aggregator)
{
  g_clear_pointer (&GST_DISPARITY_CLOUD (aggregator)->counts, g_free);
  return PARENT->stop (aggregator);
}

/* --------------------------------------------------------------- properties */

static void
gst_disparity_cloud_set_property (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec)
{
  GstDisparityCloud *self = GST_DISPARITY_CLOUD (object);

  GST_OBJECT_LOCK (self);
  if (id >= PROP_TABLE)
    gst_stereo_table_set_property (&stereo_cloud_params[id - PROP_TABLE],
        &self->settings, value);
  else
    gst_stereo_device_set_property (&self->parent.device, id - PROP_DEVICE,
        value);
  GST_OBJECT_UNLOCK (self);
}

static void
gst_disparity_cloud_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstDisparityCloud *self = GST_DISPARITY_CLOUD (object);

  GST_OBJECT_LOCK (self);
  if (id >= PROP_TABLE)
    gst_stereo_table_get_property (&stereo_cloud_params[id - PROP_TABLE],
        &self->settings, value);
  else
    gst_stereo_device_get_property (&self->parent.device, id - PROP_DEVICE,
        value);
  GST_OBJECT_UNLOCK (self);
}

/* -------------------------------------------------------------------- class */

static void
gst_disparity_cloud_init (GstDisparityCloud * self)
{
  gst_stereo_device_init (&self->parent.device, &self->parent.failure,
      &device_user, GST_STEREO_BACKEND_CPU);
  gst_stereo_table_init (stereo_cloud_params, &self->settings);
}

static void
gst_disparity_cloud_class_init (GstDisparityCloudClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstAggregatorClass *aggregator_class = GST_AGGREGATOR_CLASS (klass);
  GstStereoMapBaseClass *base_class = GST_STEREO_MAP_BASE_CLASS (klass);

  object_class->set_property = gst_disparity_cloud_set_property;
  object_class->get_property = gst_disparity_cloud_get_property;
  aggregator_class->start = gst_disparity_cloud_start;
  aggregator_class->stop = gst_disparity_cloud_stop;
  aggregator_class->negotiated_src_caps =
      gst_disparity_cloud_negotiated_src_caps;
  base_class->leader = MAP;
  base_class->make = gst_disparity_cloud_make;

  gst_element_class_add_static_pad_template_with_gtype (element_class,
      &map_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype (element_class,
      &left_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype (element_class,
      &src_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_set_static_metadata (element_class,
      "Disparity to point cloud", "Filter/Converter/Video",
      "Turns disparity maps into files of points, with the view's colours",
      "The gst-stereomatching authors");

  gst_stereo_table_install_properties (object_class, PROP_TABLE,
      stereo_cloud_params, "cloud");
  gst_stereo_device_install_properties (object_class, PROP_DEVICE,
      GST_STEREO_BACKEND_CPU);
}
