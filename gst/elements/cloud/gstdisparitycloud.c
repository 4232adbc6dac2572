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
 * Converts disparity maps to point clouds in metres, as files: every output
 * buffer is one complete file, for `multifilesink`. With the left view on the
 * request pad `sink_left`, in any format that matchers accept, points have
 * colours.
 *
 * Downstream caps select the file format:
 *
 * - `application/x-ply`, preferred: PLY 1.0, binary, with the valid points row
 *   by row
 * - `application/x-ply,encoding=ascii`: the same as text, which takes about a
 *   hundred times as long
 * - `application/x-pcd`: PCD 0.7 of the Point Cloud Library, binary and
 *   organised: a point for every pixel, NaN for invalid ones
 *
 * The axes are those of the left camera: x right, y down, z forward, as in
 * OpenCV and the optical frames of ROS, or as in OpenGL
 * (#GstDisparityCloud:axes). With the focal length in pixels, the baseline in
 * metres and the principal point:
 *
 *     z = focal-length * baseline / (disparity + doffs)
 *     x = (column - cx) / focal-length * z
 *     y = (row - cy) / focal-length * z
 *
 * Pixels are taken to be square; the element warns once if they are not
 * (`pixel-aspect-ratio` in the caps).
 *
 * After `stereorectify projection=cylinder`, which the metadata say, or with
 * #GstDisparityCloud:projection, the views are pictures on a cylinder around
 * the baseline:
 *
 *     distance = focal-length * baseline / (disparity + doffs)
 *     x = (column - cx) / focal-length * distance
 *     y = sin ((row - cy) / focal-length) * distance
 *     z = cos ((row - cy) / focal-length) * distance
 *
 * Properties take precedence over the `GstStereoDisparityMeta` of each buffer,
 * or the tags of a recording. Without a focal length and a baseline that is an
 * error; the default principal point is the image centre. Maps without
 * metadata, scaled maps and filled maps are treated as by disparitydepth: use a
 * matcher with `fill=false`. Its `min-confidence` leaves uncertain points out.
 *
 * Each map is combined with its image, as in stereoview; images that never
 * receive a disparity map are dropped.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 stereotestsrc view=disparity num-buffers=1 ! m.sink_disparity stereotestsrc view=left num-buffers=1 ! m.sink_left disparitycloud name=m focal-length=300 baseline=0.12 axes=graphics ! multifilesink location=cloud-%05d.ply
 * ]| Writes a file of coloured points for each frame, upright in MeshLab.
 * |[
 * gst-launch-1.0 stereotestsrc view=disparity num-buffers=1 ! disparitycloud focal-length=300 baseline=0.12 step=2 range-max=10 ! application/x-pcd ! multifilesink location=cloud.pcd
 * ]| Writes every other pixel of every other row as an organised PCD.
 * `multifilesink` replaces an earlier file when the new one is complete;
 * `filesink` empties it first.
 *
 * Since: 0.1
 */

#include "aggregate/gstdisparityconsumer.h"
#include "base/gststereoallocator.h"
#include "base/gststereocuda.h"
#include "base/gststereoformat.h"
#include "base/gststereometa.h"
#include "base/gststereoparams.h"
#include "elements/cloud/gststereocloudfile.h"
#include "elements/gststereoelements.h"
#include "elements/gststereometric.h"
#include "geometry/cloud.h"

#include <math.h>
#include <string.h>

#define LEFT GST_STEREO_LEFT
#define MAP GST_STEREO_MAP

GST_DEBUG_CATEGORY_STATIC (gst_disparity_cloud_debug);
#define GST_CAT_DEFAULT gst_disparity_cloud_debug

#define GST_TYPE_DISPARITY_CLOUD (gst_disparity_cloud_get_type ())
G_DECLARE_FINAL_TYPE (GstDisparityCloud, gst_disparity_cloud, GST,
    DISPARITY_CLOUD, GstDisparityConsumer)

/* The configuration of the runner. */
typedef struct
{
  StereoCloudParams params;
  StereoPortSetup inputs[2];
} CloudSetup;

struct _GstDisparityCloud
{
  GstDisparityConsumer parent;

  StereoCloudParams settings;   /* under the object lock */

  /* The streaming thread's own. */
  StereoCloudParams params;     /* of the current frame */
  GstBuffer *file;              /* of that frame, or NULL */
  CloudSetup setup;
  StereoCloudSize size;
  gboolean negotiated;
  GstStereoCloudFormat format;
  GstBufferPool *pool;          /* of buffers of file_bytes, or NULL */
  gsize file_bytes;
  guint32 *counts;              /* points of each row */
  gboolean check_pending;       /* whether the cloud has any points */
  gboolean warned;              /* that it has none */
  gboolean warned_of_shape;
  gboolean filled_posted;
};

G_DEFINE_TYPE_WITH_CODE (GstDisparityCloud, gst_disparity_cloud,
    GST_TYPE_DISPARITY_CONSUMER,
    GST_DEBUG_CATEGORY_INIT (gst_disparity_cloud_debug, "disparitycloud", 0,
        "Point clouds from disparity maps"));

GST_ELEMENT_REGISTER_DEFINE (disparitycloud, "disparitycloud", GST_RANK_NONE,
    GST_TYPE_DISPARITY_CLOUD);

static GstStaticPadTemplate map_template =
GST_STATIC_PAD_TEMPLATE ("sink_disparity", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (GST_STEREO_MAP_CAPS));

static GstStaticPadTemplate left_template =
GST_STATIC_PAD_TEMPLATE ("sink_left", GST_PAD_SINK, GST_PAD_REQUEST,
    GST_STATIC_CAPS (GST_STEREO_ANY_VIEW_CAPS (GST_STEREO_CUDA_FORMATS)));

static GstStaticPadTemplate src_template =
GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (GST_STEREO_CLOUD_CAPS));

#define PARENT GST_AGGREGATOR_CLASS (gst_disparity_cloud_parent_class)

static gboolean
gst_disparity_cloud_negotiated_src_caps (GstAggregator * aggregator,
    GstCaps * caps)
{
  GstDisparityCloud *self = GST_DISPARITY_CLOUD (aggregator);

  self->negotiated = gst_stereo_cloud_format (caps, &self->format);
  self->parent.parent.run.configured[0] = FALSE;
  return self->negotiated && PARENT->negotiated_src_caps (aggregator, caps);
}

/* -------------------------------------------------------------- preparation */

/* Completes the settings by the metadata of the buffers. */
static gboolean
choose_params (GstDisparityCloud * self, GstBuffer * map,
    const GstVideoInfo info[GST_STEREO_N_INPUTS], gboolean colors)
{
  StereoCloudParams *p = &self->params;
  GstStereoMetricMap input = {
    .tags = &self->parent.tags,
    .buffer = map,
    .info = &info[MAP],
    .filled_posted = &self->filled_posted,
    .product = "A point cloud",
    .failure = &self->parent.parent.failure,
  };
  GstStereoDisparity meta;

  GST_OBJECT_LOCK (self);
  *p = self->settings;
  input.codes_set = gst_stereo_table_codes_set (stereo_cloud_params,
      self->parent.parent.set);
  GST_OBJECT_UNLOCK (self);
  if (!gst_stereo_metric_complete (&p->metric, &input, &meta))
    return FALSE;
  p->packed = self->format != GST_STEREO_CLOUD_PCD;
  p->colors = colors;
  if (colors)
    p->colorimetry = gst_stereo_colorimetry (&info[LEFT]);
  if (meta.has_center && !(p->cx > STEREO_CLOUD_MIDDLE))
    p->cx = meta.cx;
  if (meta.has_center && !(p->cy > STEREO_CLOUD_MIDDLE))
    p->cy = meta.cy;
  if (meta.projection != STEREO_PROJECTION_PLANE)
    p->projection = (gint) meta.projection;
  return TRUE;
}

static void
drop_pool (GstDisparityCloud * self)
{
  if (self->pool != NULL)
    gst_buffer_pool_set_active (self->pool, FALSE);
  gst_clear_object (&self->pool);
}

static void
cloud_close (GstElement * element)
{
  drop_pool (GST_DISPARITY_CLOUD (element));
}

/* A pool of buffers of this size, or NULL. */
static GstBufferPool *
new_pool (GstDisparityCloud * self, guint size)
{
  GstAllocator *allocator = self->parent.parent.device.allocator;
  GstBufferPool *pool = gst_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);
  GstCaps *caps = gst_pad_get_current_caps (GST_AGGREGATOR_SRC_PAD (self));

  gst_buffer_pool_config_set_params (config, caps, size, 0, 0);
  gst_clear_caps (&caps);
  if (allocator != NULL)
    gst_buffer_pool_config_set_allocator (config, allocator, NULL);
  if (!gst_buffer_pool_set_config (pool, config)
      || !gst_buffer_pool_set_active (pool, TRUE))
    gst_clear_object (&pool);
  return pool;
}

/* Makes a pool of buffers for whole files. */
static gboolean
make_pool (GstDisparityCloud * self)
{
  drop_pool (self);
  self->file_bytes = (gsize) self->size.rows * (gsize) self->size.row_bytes
      + GST_STEREO_CLOUD_HEADER;
  if (self->file_bytes <= G_MAXUINT)
    self->pool = new_pool (self, (guint) self->file_bytes);
  if (self->pool == NULL)
    GST_STEREO_FAIL (&self->parent.parent.failure, RESOURCE, NO_SPACE_LEFT,
        ("Cannot allocate memory for files of %" G_GSIZE_FORMAT " bytes: set a "
            "larger step.", self->file_bytes), (NULL));
  return self->pool != NULL;
}

static gboolean
cloud_prepare (GstElement * element, GstStereoRunFrame * frame)
{
  GstDisparityCloud *self = GST_DISPARITY_CLOUD (element);
  GstStereoRun *run = &self->parent.parent.run;
  const StereoCloudParams *p = &self->params;
  StereoPortSetup outputs[2];
  CloudSetup setup;

  memset (&setup, 0, sizeof (setup));
  setup.params = *p;
  setup.inputs[0] = stereo_port_setup_of (&frame->inputs[MAP].mapped.image);
  setup.inputs[1] = p->colors
      ? stereo_port_setup_of (&frame->inputs[LEFT].mapped.image)
      : (StereoPortSetup) { STEREO_FORMAT_GRAY8, 1, 1, 1 };
  /* If only padding differs, it is configured again, which is harmless. */
  if (run->configured[0] && self->pool != NULL
      && memcmp (&setup, &self->setup, sizeof (setup)) == 0)
    return TRUE;

  self->setup = setup;
  self->check_pending = TRUE;
  self->size = stereo_cloud_size (p, setup.inputs[0].width,
      setup.inputs[0].height);
  outputs[0] = (StereoPortSetup) {
    self->size.format, self->size.columns, self->size.rows, 1
  };
  outputs[1] = (StereoPortSetup) {
    STEREO_FORMAT_U32, self->size.rows, 1, 1
  };
  GST_DEBUG_OBJECT (self, "focal length %g, baseline %g, %d x %d points",
      p->metric.focal_length, p->metric.baseline, self->size.columns,
      self->size.rows);
  self->counts = g_renew (guint32, self->counts, self->size.rows);
  return gst_stereo_run_configure (run, 0, setup.inputs, outputs, p)
      && make_pool (self);
}

/* ------------------------------------------------------------------- frames */

/* Computes the points of mapped frames. */
static StereoStatus
compute_points (GstDisparityCloud * self, const GstStereoRunFrame * frame,
    guint8 * points, gboolean pinned)
{
  const StereoImage out = {
    .format = self->size.format,
    .width = self->size.columns,
    .height = self->size.rows,
    .plane = {points},
    .stride = {(gsize) self->size.row_bytes},
    .memory = pinned ? STEREO_MEMORY_PINNED : STEREO_MEMORY_HOST,
  };
  const StereoImage counts = {
    .format = STEREO_FORMAT_U32,
    .width = self->size.rows,
    .height = 1,
    .plane = {(guint8 *) self->counts},
    .stride = {4 * (gsize) self->size.rows},
  };
  GstStereoRun *run = &self->parent.parent.run;
  const StereoImage *inputs[] = { &frame->inputs[MAP].mapped.image,
    self->params.colors ? &frame->inputs[LEFT].mapped.image : NULL
  };
  const StereoImage *outputs[] = { &out, self->params.packed ? &counts : NULL };
  StereoStatus status = gst_stereo_run_process (run, 0, inputs, outputs, NULL);

  return status == STEREO_OK ? gst_stereo_run_sync (run) : status;
}

/* Of an organised cloud, which has NaN without a depth. */
static gboolean
has_points (const StereoCloudSize * size, const guint8 * points)
{
  const guint n = (guint) size->rows * (guint) size->columns;

  for (guint i = 0; i < n; i++, points += size->point_bytes) {
    gfloat x;

    memcpy (&x, points, sizeof (x));
    if (!isnan (x))
      return TRUE;
  }
  return FALSE;
}

/* Warns once, about the first cloud with new parameters. */
static void
check_empty (GstDisparityCloud * self, guint n, const guint8 * points)
{
  const StereoCloudParams *p = &self->params;

  if (self->check_pending && !self->warned
      && (p->packed ? n == 0 : !has_points (&self->size, points))) {
    gst_stereo_metric_warn_empty (GST_ELEMENT (self), &p->metric, p->range_min,
        p->range_max, "The point cloud");
    self->warned = TRUE;
  }
  self->check_pending = FALSE;
}

/* Completes a mapped file that has the points, and unmaps it. */
static void
finish_file (GstDisparityCloud * self, GstMapInfo * map)
{
  const gboolean colors = self->params.colors;
  guint8 *points = map->data + GST_STEREO_CLOUD_HEADER;
  GstBuffer *text = NULL;
  guint n = 0;

  if (self->params.packed)
    n = gst_stereo_cloud_join (&self->size, points, self->counts);
  check_empty (self, n, points);
  if (self->format == GST_STEREO_CLOUD_PLY_ASCII)
    text = gst_stereo_cloud_print (&self->size, colors, n, points);
  else
    gst_stereo_cloud_write_header (self->format, &self->size, colors, n,
        map->data);
  gst_buffer_unmap (self->file, map);
  if (text != NULL) {
    gst_buffer_unref (self->file);
    self->file = text;
  } else if (self->params.packed) {
    gst_buffer_set_size (self->file, (gssize) (GST_STEREO_CLOUD_HEADER
            + (gsize) n * (gsize) self->size.point_bytes));
  }
}

static StereoStatus
cloud_start_frame (GstElement * element, GstStereoRunFrame * frame)
{
  GstDisparityCloud *self = GST_DISPARITY_CLOUD (element);
  StereoMessage *why = &self->parent.parent.run.why;
  StereoStatus status;
  GstMapInfo map;

  /* of an attempt before the queue was recovered */
  gst_clear_buffer (&self->file);
  if (gst_buffer_pool_acquire_buffer (self->pool, &self->file,
          NULL) != GST_FLOW_OK
      || !gst_buffer_map (self->file, &map, GST_MAP_READWRITE)) {
    gst_clear_buffer (&self->file);
    g_snprintf (why->text, sizeof (why->text), "cannot allocate a file of %"
        G_GSIZE_FORMAT " bytes; set a larger step", self->file_bytes);
    return STEREO_ERROR_MEMORY;
  }
  status = compute_points (self, frame, map.data + GST_STEREO_CLOUD_HEADER,
      gst_stereo_buffer_is_pinned (self->file,
          self->parent.parent.device.device));
  if (status == STEREO_OK) {
    finish_file (self, &map);
  } else {
    gst_buffer_unmap (self->file, &map);
    gst_clear_buffer (&self->file);
  }
  return status;
}

static gboolean
check_sizes (GstDisparityCloud * self,
    const GstVideoInfo info[GST_STEREO_N_INPUTS])
{
  const GstVideoInfo *map = &info[MAP], *left = &info[LEFT];

  if (GST_VIDEO_INFO_WIDTH (map) == GST_VIDEO_INFO_WIDTH (left)
      && GST_VIDEO_INFO_HEIGHT (map) == GST_VIDEO_INFO_HEIGHT (left))
    return TRUE;
  GST_STEREO_FAIL (&self->parent.parent.failure, CORE, NEGOTIATION,
      ("The map on sink_disparity has %dx%d, the image on sink_left %dx%d. "
          "They must be equal: put videoscale and the caps video/x-raw,"
          "width=%d,height=%d before sink_left.",
          GST_VIDEO_INFO_WIDTH (map), GST_VIDEO_INFO_HEIGHT (map),
          GST_VIDEO_INFO_WIDTH (left), GST_VIDEO_INFO_HEIGHT (left),
          GST_VIDEO_INFO_WIDTH (map), GST_VIDEO_INFO_HEIGHT (map)), (NULL));
  return FALSE;
}

/* Warns once about pixels that are not square. */
static void
check_shape (GstDisparityCloud * self, const GstVideoInfo * map)
{
  const gint n = GST_VIDEO_INFO_PAR_N (map), d = GST_VIDEO_INFO_PAR_D (map);

  if (n == d || self->warned_of_shape)
    return;
  self->warned_of_shape = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FORMAT,
      ("Expected square pixels, got pixel-aspect-ratio=%d/%d: y of all points "
          "is wrong by this factor. Scale the views to square pixels before "
          "the matcher.", n, d), (NULL));
}

static GstFlowReturn
gst_disparity_cloud_process_map (GstDisparityConsumer * base,
    GstStereoInput * inputs, GstClockTime time)
{
  static const gchar *const no_tags[] = { NULL };
  GstDisparityCloud *self = GST_DISPARITY_CLOUD (base);
  const gboolean colors = inputs[LEFT].buffer != NULL;
  GstVideoInfo info[GST_STEREO_N_INPUTS];
  GstStereoRunFrame frame = { 0, };
  GstFlowReturn flow;

  if (!self->negotiated) {
    gst_pad_mark_reconfigure (GST_AGGREGATOR_SRC_PAD (self));
    return GST_AGGREGATOR_FLOW_NEED_DATA;
  }
  gst_stereo_aggregator_select (&base->parent, inputs);
  (void) gst_stereo_aggregator_get_info (&base->parent, info, 0);
  gst_disparity_consumer_pop (base, inputs, info, &frame);
  if ((colors && !check_sizes (self, info))
      || !choose_params (self, inputs[MAP].buffer, info, colors))
    return GST_FLOW_ERROR;
  check_shape (self, &info[MAP]);
  flow = gst_stereo_aggregator_process_frame (&base->parent, &frame);
  if (flow != GST_FLOW_OK)
    return flow;
  gst_stereo_aggregator_stamp (&base->parent, self->file, &frame,
      inputs[MAP].buffer);
  gst_stereo_meta_copy_about (inputs[MAP].buffer, self->file, no_tags);
  base->parent.discont = FALSE;
  return gst_aggregator_finish_buffer (GST_AGGREGATOR (self),
      g_steal_pointer (&self->file));
}

static const GstStereoRunFuncs run_funcs = {
  .purpose = "compute the point cloud",
  .op = &stereo_cloud_op,
  .n_runners = 1,
  .close = cloud_close,
  .prepare = cloud_prepare,
  .start = cloud_start_frame,
};

/* ----------------------------------------------------------- start and stop */

static gboolean
gst_disparity_cloud_start (GstAggregator * aggregator)
{
  GST_DISPARITY_CLOUD (aggregator)->negotiated = FALSE;
  GST_DISPARITY_CLOUD (aggregator)->warned = FALSE;
  GST_DISPARITY_CLOUD (aggregator)->warned_of_shape = FALSE;
  GST_DISPARITY_CLOUD (aggregator)->filled_posted = FALSE;
  return PARENT->start (aggregator);
}

static gboolean
gst_disparity_cloud_stop (GstAggregator * aggregator)
{
  g_clear_pointer (&GST_DISPARITY_CLOUD (aggregator)->counts, g_free);
  return PARENT->stop (aggregator);
}

/* -------------------------------------------------------------------- class */

static void
gst_disparity_cloud_init (GstDisparityCloud * self)
{
  gst_stereo_aggregator_init_run (&self->parent.parent, &run_funcs,
      GST_STEREO_BACKEND_CPU);
  gst_stereo_table_init (stereo_cloud_params, &self->settings);
}

static void
gst_disparity_cloud_class_init (GstDisparityCloudClass * klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstAggregatorClass *aggregator_class = GST_AGGREGATOR_CLASS (klass);
  GstStereoAggregatorClass *base_class = GST_STEREO_AGGREGATOR_CLASS (klass);

  aggregator_class->start = gst_disparity_cloud_start;
  aggregator_class->stop = gst_disparity_cloud_stop;
  aggregator_class->negotiated_src_caps =
      gst_disparity_cloud_negotiated_src_caps;
  base_class->leader = MAP;
  GST_DISPARITY_CONSUMER_CLASS (klass)->process_map =
      gst_disparity_cloud_process_map;

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

  gst_stereo_aggregator_install_properties (base_class,
      GST_STEREO_BACKEND_CPU, stereo_cloud_params, "cloud",
      G_STRUCT_OFFSET (GstDisparityCloud, settings));
}
