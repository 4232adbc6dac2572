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
#include "pair/gststereoinput.h"
#include "pair/gststereopair.h"
#include "pair/gststereotriple.h"

#include <gst/base/gstaggregator.h>
#include <gst/video/video.h>
#include <string.h>

GST_DEBUG_CATEGORY_STATIC (gst_disparity_cloud_debug);
#define GST_CAT_DEFAULT gst_disparity_cloud_debug

#define GST_TYPE_DISPARITY_CLOUD (gst_disparity_cloud_get_type ())
G_DECLARE_FINAL_TYPE (GstDisparityCloud, gst_disparity_cloud, GST,
    DISPARITY_CLOUD, GstAggregator)

#define DEFAULT_SYNC_TOLERANCE GST_CLOCK_TIME_NONE

enum
{
  MAP,
  LEFT,
  N_INPUTS
};

static const gchar *const names[N_INPUTS] = { "sink_disparity", "sink_left" };

enum
{
  PROP_0,
  PROP_SYNC_TOLERANCE,
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
  GstAggregator parent;

  GstStereoFailure failure;

  /* Under the object lock. */
  GstAggregatorPad *sink[N_INPUTS];     /* that of LEFT may be NULL */
  StereoCloudParams settings;
  GstClockTime sync_tolerance;
  guint64 unpaired;
  GstVideoInfo info[N_INPUTS];
  gboolean has_info[N_INPUTS];
  GstStereoDevice device;

  /* The streaming thread's own. */
  StereoRunner *runner;
  GstStereoTags tags;           /* of the maps */
  gboolean configured;
  Setup setup;
  StereoCloudSize size;
  gboolean negotiated;
  GstStereoCloudFormat format;
  GstBufferPool *pool;          /* of buffers of file_bytes */
  gsize file_bytes;
  guint32 *counts;              /* points of each row */
  gboolean discont;
};

G_DEFINE_TYPE_WITH_CODE (GstDisparityCloud, gst_disparity_cloud,
    GST_TYPE_AGGREGATOR,
    GST_DEBUG_CATEGORY_INIT (gst_disparity_cloud_debug, "disparitycloud", 0,
        "Point clouds from disparity maps"));

GST_ELEMENT_REGISTER_DEFINE (disparitycloud, "disparitycloud", GST_RANK_NONE,
    GST_TYPE_DISPARITY_CLOUD);

#define SIZE_RANGE "(int) [ 1, 16384 ]"
#define MAP_CAPS(formats) "video/x-raw, format = (string) " formats ", " \
    "width = " SIZE_RANGE ", height = " SIZE_RANGE ", " \
    "framerate = " GST_VIDEO_FPS_RANGE
#define VIEW_FORMATS "{ GRAY8, NV12, I420, YV12, NV21, NV16, Y42B, Y444, " \
    "YUY2, UYVY, YVYU, RGB, BGR, RGBx, BGRx, xRGB, xBGR, RGBA, BGRA, ARGB, " \
    "ABGR, GRAY16_LE, P010_10LE, I420_10LE, I422_10LE, Y444_10LE }"

static GstStaticPadTemplate map_template =
GST_STATIC_PAD_TEMPLATE ("sink_disparity", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (MAP_CAPS ("{ GRAY16_LE, GRAY8 }")));

static GstStaticPadTemplate left_template =
GST_STATIC_PAD_TEMPLATE ("sink_left", GST_PAD_SINK, GST_PAD_REQUEST,
    GST_STATIC_CAPS (MAP_CAPS (VIEW_FORMATS)));

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

/* --------------------------------------------------------------------- pads */

static GstAggregatorPad *
get_pad (GstDisparityCloud * self, gint input)
{
  GstAggregatorPad *pad;

  GST_OBJECT_LOCK (self);
  pad = self->sink[input] != NULL ? gst_object_ref (self->sink[input]) : NULL;
  GST_OBJECT_UNLOCK (self);
  return pad;
}

static GstAggregatorPad *
new_sink_pad (GstDisparityCloud * self, gint input)
{
  GstPadTemplate *template = gst_element_class_get_pad_template
      (GST_ELEMENT_GET_CLASS (self), names[input]);

  return g_object_new (GST_TYPE_AGGREGATOR_PAD, "name", names[input],
      "direction", GST_PAD_SINK, "template", template, NULL);
}

static GstAggregatorPad *
gst_disparity_cloud_create_new_pad (GstAggregator * aggregator,
    GstPadTemplate * template, const gchar * name, const GstCaps * caps)
{
  GstDisparityCloud *self = GST_DISPARITY_CLOUD (aggregator);
  GstAggregatorPad *pad = NULL;

  if (strcmp (GST_PAD_TEMPLATE_NAME_TEMPLATE (template), names[LEFT]) != 0)
    return NULL;
  GST_OBJECT_LOCK (self);
  if (self->sink[LEFT] == NULL)
    pad = self->sink[LEFT] = new_sink_pad (self, LEFT);
  GST_OBJECT_UNLOCK (self);
  return pad;
}

static void
gst_disparity_cloud_release_pad (GstElement * element, GstPad * pad)
{
  GstDisparityCloud *self = GST_DISPARITY_CLOUD (element);

  GST_OBJECT_LOCK (self);
  if (self->sink[LEFT] == GST_AGGREGATOR_PAD (pad)) {
    self->sink[LEFT] = NULL;
    self->has_info[LEFT] = FALSE;
  }
  GST_OBJECT_UNLOCK (self);
  GST_ELEMENT_CLASS (gst_disparity_cloud_parent_class)->release_pad (element,
      pad);
}

/* --------------------------------------------------------------------- caps */

static gboolean
take_caps (GstDisparityCloud * self, gint input, GstCaps * caps)
{
  GstVideoInfo info;

  if (!gst_video_info_from_caps (&info, caps)) {
    GST_STEREO_FAIL (&self->failure, STREAM, FORMAT,
        ("%s can't take what comes in: it is no raw video.", names[input]),
        ("caps %" GST_PTR_FORMAT, caps));
    return FALSE;
  }
  GST_OBJECT_LOCK (self);
  self->info[input] = info;
  self->has_info[input] = TRUE;
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

static gboolean
gst_disparity_cloud_sink_query (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstQuery * query)
{
  GstCaps *filter, *caps, *result;

  if (GST_QUERY_TYPE (query) != GST_QUERY_CAPS)
    return PARENT->sink_query (aggregator, pad, query);
  gst_query_parse_caps (query, &filter);
  caps = gst_pad_get_pad_template_caps (GST_PAD (pad));
  result = filter == NULL ? gst_caps_ref (caps) : gst_caps_intersect_full
      (caps, filter, GST_CAPS_INTERSECT_FIRST);
  gst_query_set_caps_result (query, result);
  gst_caps_unref (result);
  gst_caps_unref (caps);
  return TRUE;
}

static gboolean
gst_disparity_cloud_negotiated_src_caps (GstAggregator * aggregator,
    GstCaps * caps)
{
  GstDisparityCloud *self = GST_DISPARITY_CLOUD (aggregator);

  self->negotiated = gst_stereo_cloud_format (caps, &self->format);
  self->configured = FALSE;
  return self->negotiated && PARENT->negotiated_src_caps (aggregator, caps);
}

static gboolean
gst_disparity_cloud_propose_allocation (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstQuery * decide_query, GstQuery * query)
{
  gst_stereo_pool_propose (query, GST_DISPARITY_CLOUD (aggregator)
      ->device.allocator, 1);
  return TRUE;
}

/* ------------------------------------------------------------------- events */

static gboolean
gst_disparity_cloud_sink_event (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstEvent * event)
{
  GstDisparityCloud *self = GST_DISPARITY_CLOUD (aggregator);
  const gint input = strcmp (GST_PAD_NAME (pad), names[MAP]) == 0 ? MAP : LEFT;
  const GstSegment *segment;
  GstCaps *caps;
  gboolean ok;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      gst_event_parse_caps (event, &caps);
      ok = take_caps (self, input, caps);
      gst_event_unref (event);
      return ok;
    case GST_EVENT_SEGMENT:
      gst_event_parse_segment (event, &segment);
      if (segment->format != GST_FORMAT_TIME) {
        GST_STEREO_FAIL (&self->failure, STREAM, FORMAT,
            ("%s has a segment in %s, but images and maps are put together by "
                "time; put an element before it that knows when an image is "
                "shown.", names[input], gst_format_get_name (segment->format)),
            (NULL));
        gst_event_unref (event);
        return FALSE;
      }
      if (input == MAP)
        gst_aggregator_update_segment (aggregator, segment);
      break;
    case GST_EVENT_STREAM_START:
      if (input == MAP)
        gst_stereo_tags_clear (&self->tags);
      break;
    case GST_EVENT_TAG:
      if (input == MAP)
        event = gst_stereo_tags_take (&self->tags, event);
      if (event == NULL)
        return TRUE;
      break;
    case GST_EVENT_GAP:
      if (!gst_stereo_has_segment (pad)) {
        gst_event_unref (event);
        return TRUE;
      }
      break;
    default:
      break;
  }
  return PARENT->sink_event (aggregator, pad, event);
}

/* The end of one input waits in its queue for the other, which never comes
 * where that is not linked. */
static GstFlowReturn
gst_disparity_cloud_sink_event_pre_queue (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstEvent * event)
{
  GstDisparityCloud *self = GST_DISPARITY_CLOUD (aggregator);

  for (gint i = 0; GST_EVENT_TYPE (event) == GST_EVENT_EOS && i < N_INPUTS;
      i++) {
    GstAggregatorPad *other = get_pad (self, i);

    if (other != NULL && !gst_pad_is_linked (GST_PAD (other)))
      GST_STEREO_FAIL (&self->failure, CORE, PAD,
          ("The video on %s has ended, and %s is not linked.",
              GST_PAD_NAME (pad), names[i]), (NULL));
    gst_clear_object (&other);
  }
  return PARENT->sink_event_pre_queue (aggregator, pad, event);
}

static gboolean
gst_disparity_cloud_sink_query_pre_queue (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstQuery * query)
{
  /* GstAggregator would wait for a thread that is not there. */
  if (GST_QUERY_IS_SERIALIZED (query) && !gst_pad_is_active (GST_PAD (pad)))
    return FALSE;
  return PARENT->sink_query_pre_queue (aggregator, pad, query);
}

/* ------------------------------------------------------------------ pairing */

/* A map that is dropped is told about; an image has just no map. */
static void
drop (GstDisparityCloud * self, GstStereoInput * input, gboolean is_map)
{
  GstStereoHead head = gst_stereo_input_head (input);

  if (is_map && !head.gap) {
    guint64 dropped;

    self->discont = TRUE;
    GST_OBJECT_LOCK (self);
    dropped = ++self->unpaired;
    GST_OBJECT_UNLOCK (self);
    gst_element_post_message (GST_ELEMENT_CAST (self),
        gst_message_new_element (GST_OBJECT_CAST (self),
            gst_structure_new ("stereo-unpaired",
                "view", G_TYPE_STRING, "disparity",
                "pts", G_TYPE_UINT64, head.pts,
                "running-time", G_TYPE_UINT64, head.time,
                "dropped", G_TYPE_UINT64, dropped,
                "reason", G_TYPE_STRING, "its image is not there", NULL)));
  }
  gst_aggregator_pad_drop_buffer (input->pad);
}

static GstStereoTriple
decide (GstDisparityCloud * self, const GstStereoInput inputs[N_INPUTS])
{
  GstStereoHead left = gst_stereo_input_head (&inputs[LEFT]), none = {
    .there = FALSE,
  };
  GstStereoMapHead map = {.head = gst_stereo_input_head (&inputs[MAP]) };
  GstStereoDisparity meta;
  GstVideoInfo info[N_INPUTS];
  GstClockTime tolerance;

  if (inputs[LEFT].pad == NULL)
    return map.head.gap ? GST_STEREO_TRIPLE_DROP_MAP : GST_STEREO_TRIPLE_TAKE;
  if (gst_stereo_meta_get (inputs[MAP].buffer, &meta)) {
    map.knows = TRUE;
    map.left_pts = meta.left_pts;
    map.right_pts = meta.right_pts;
  }
  GST_OBJECT_LOCK (self);
  tolerance = self->sync_tolerance;
  memcpy (info, self->info, sizeof (info));
  GST_OBJECT_UNLOCK (self);
  tolerance = gst_stereo_tolerance (tolerance,
      gst_stereo_input_duration (&info[LEFT], left.duration),
      gst_stereo_input_duration (&info[MAP], map.head.duration));
  return gst_stereo_triple (&map, &left, &none, tolerance,
      inputs[MAP].segment.rate < 0);
}

/* ------------------------------------------------------------------- frames */

/* Completes the settings by what the buffers say. */
static gboolean
choose_params (GstDisparityCloud * self, GstBuffer * map,
    const GstVideoInfo * view, StereoCloudParams * p)
{
  GstStereoDisparity meta;
  GstVideoInfo info;
  gboolean has_meta;

  GST_OBJECT_LOCK (self);
  *p = self->settings;
  info = self->info[MAP];
  GST_OBJECT_UNLOCK (self);
  has_meta = gst_stereo_tags_get_disparity (&self->tags, map, &info, &meta);
  p->packed = self->format != GST_STEREO_CLOUD_PCD;
  p->colors = view != NULL;
  if (view != NULL)
    p->colorimetry = gst_stereo_colorimetry (view);
  if (has_meta && meta.has_center) {
    if (!(p->cx > STEREO_CLOUD_MIDDLE))
      p->cx = meta.cx;
    if (!(p->cy > STEREO_CLOUD_MIDDLE))
      p->cy = meta.cy;
  }
  return gst_stereo_metric_complete (&p->metric, has_meta ? &meta : NULL,
      "A cloud", &self->failure);
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
  if (self->device.allocator != NULL)
    gst_buffer_pool_config_set_allocator (config, self->device.allocator,
        NULL);
  ok = ok && gst_buffer_pool_set_config (pool, config)
      && gst_buffer_pool_set_active (pool, TRUE);
  if (!ok)
    GST_STEREO_FAIL (&self->failure, RESOURCE, NO_SPACE_LEFT,
        ("There is no memory for files of %" G_GSIZE_FORMAT " bytes: a larger "
            "step makes smaller ones.", self->file_bytes), (NULL));
  if (ok)
    self->pool = pool;
  else
    gst_object_unref (pool);
  gst_clear_caps (&caps);
  return ok;
}

static StereoPortSetup
port_setup (const StereoImage * image)
{
  const StereoFormatInfo *info = stereo_format_info (image->format);

  return (StereoPortSetup) {
    image->format, image->width, image->height,
        stereo_format_planes (info, stereo_format_is_color (info))
  };
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
  setup.inputs[0] = port_setup (&frames[MAP].image);
  setup.inputs[1] = params->colors ? port_setup (&frames[LEFT].image)
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
  if (!gst_stereo_device_configure (&self->device, &self->runner, setup.inputs,
          outputs, params) || !make_pool (self))
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
  GST_STEREO_FAIL (&self->failure, LIBRARY, FAILED, ("The points failed: %s.",
          stereo_runner_message (self->runner)->text), (NULL));
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
    GST_STEREO_FAIL (&self->failure, RESOURCE, NO_SPACE_LEFT,
        ("There is no memory for a file of %" G_GSIZE_FORMAT " bytes: a larger "
            "step makes smaller ones.", self->file_bytes), (NULL));
    return NULL;
  }
  if (!run (self, frames, map.data + GST_STEREO_CLOUD_HEADER,
          gst_stereo_buffer_is_pinned (file, self->device.device))) {
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
map_inputs (GstDisparityCloud * self, const GstStereoInput inputs[N_INPUTS],
    const GstVideoInfo info[N_INPUTS], GstStereoFrame frames[N_INPUTS])
{
  StereoMessage why;

  for (gint i = 0; i < N_INPUTS; i++) {
    if (inputs[i].buffer != NULL && !gst_stereo_frame_map (&frames[i],
            &info[i], inputs[i].buffer, GST_MAP_READ, self->device.device,
            &why)) {
      GST_STEREO_FAIL (&self->failure, STREAM, FORMAT,
          ("A buffer on %s %s.", names[i], why.text), (NULL));
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
check_sizes (GstDisparityCloud * self, const GstVideoInfo info[N_INPUTS])
{
  const GstVideoInfo *map = &info[MAP], *left = &info[LEFT];

  if (GST_VIDEO_INFO_WIDTH (map) == GST_VIDEO_INFO_WIDTH (left)
      && GST_VIDEO_INFO_HEIGHT (map) == GST_VIDEO_INFO_HEIGHT (left))
    return TRUE;
  GST_STEREO_FAIL (&self->failure, CORE, NEGOTIATION,
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

  GST_OBJECT_LOCK (self);
  memcpy (info, self->info, sizeof (info));
  GST_OBJECT_UNLOCK (self);
  if ((!colors || check_sizes (self, info))
      && choose_params (self, inputs[MAP].buffer, colors ? &info[LEFT] : NULL,
          &params)
      && map_inputs (self, inputs, info, frames)
      && configure (self, frames, &params))
    file = make_file (self, frames);
  for (gint i = 0; i < N_INPUTS; i++) {
    if (frames[i].frame.buffer != NULL)
      gst_stereo_frame_unmap (&frames[i]);
  }
  return file;
}

/* All that a file needs is at the heads of the queues. */
static GstFlowReturn
push_cloud (GstDisparityCloud * self, GstStereoInput inputs[N_INPUTS])
{
  GstAggregator *aggregator = GST_AGGREGATOR (self);
  GstBuffer *map = inputs[MAP].buffer, *file;
  GstClockTime time = gst_segment_to_stream_time (&inputs[MAP].segment,
      GST_FORMAT_TIME, GST_BUFFER_PTS (map));

  if (GST_CLOCK_TIME_IS_VALID (time))
    gst_object_sync_values (GST_OBJECT (self), time);
  gst_aggregator_selected_samples (aggregator, GST_BUFFER_PTS (map),
      GST_BUFFER_DTS (map), GST_BUFFER_DURATION (map), NULL);
  for (gint i = 0; i < N_INPUTS; i++) {
    if (inputs[i].buffer != NULL)
      gst_aggregator_pad_drop_buffer (inputs[i].pad);
  }
  file = make_cloud (self, inputs);
  if (file == NULL)
    return GST_FLOW_ERROR;
  gst_buffer_copy_into (file, map, GST_BUFFER_COPY_FLAGS
      | GST_BUFFER_COPY_TIMESTAMPS, 0, (gsize) - 1);
  GST_BUFFER_FLAG_UNSET (file, GST_BUFFER_FLAG_GAP);
  if (self->discont)
    GST_BUFFER_FLAG_SET (file, GST_BUFFER_FLAG_DISCONT);
  self->discont = FALSE;
  GST_OBJECT_LOCK (self);
  if (GST_BUFFER_PTS_IS_VALID (file))
    GST_AGGREGATOR_PAD (aggregator->srcpad)->segment.position =
        GST_BUFFER_PTS (file);
  GST_OBJECT_UNLOCK (self);
  return gst_aggregator_finish_buffer (aggregator, file);
}

/* An input has ended that every file needs, or is about to come. */
static GstFlowReturn
end_or_wait (GstDisparityCloud * self, GstStereoInput inputs[N_INPUTS])
{
  gboolean over = FALSE;

  for (gint i = 0; i < N_INPUTS; i++)
    over |= inputs[i].pad != NULL && inputs[i].buffer == NULL
        && gst_aggregator_pad_is_eos (inputs[i].pad);
  if (!over)
    return GST_AGGREGATOR_FLOW_NEED_DATA;
  for (gint i = 0; i < N_INPUTS; i++) {
    if (inputs[i].buffer != NULL)
      drop (self, &inputs[i], i == MAP);
  }
  return GST_FLOW_EOS;
}

static GstFlowReturn
handle (GstDisparityCloud * self, GstStereoInput inputs[N_INPUTS])
{
  if (inputs[MAP].buffer == NULL
      || (inputs[LEFT].pad != NULL && inputs[LEFT].buffer == NULL))
    return end_or_wait (self, inputs);
  if (!self->negotiated) {
    gst_pad_mark_reconfigure (GST_AGGREGATOR_SRC_PAD (self));
    return GST_AGGREGATOR_FLOW_NEED_DATA;
  }
  switch (decide (self, inputs)) {
    case GST_STEREO_TRIPLE_TAKE:
      return push_cloud (self, inputs);
    case GST_STEREO_TRIPLE_DROP_LEFT:
      drop (self, &inputs[LEFT], FALSE);
      return GST_AGGREGATOR_FLOW_NEED_DATA;
    case GST_STEREO_TRIPLE_DROP_MAP:
      drop (self, &inputs[MAP], TRUE);
      return GST_AGGREGATOR_FLOW_NEED_DATA;
    case GST_STEREO_TRIPLE_DROP_RIGHT:
    case GST_STEREO_TRIPLE_NO_TIME:
    default:
      GST_STEREO_FAIL (&self->failure, STREAM, FORMAT,
          ("Some of the images and maps have timestamps and some have none, so "
              "they can't be put together. All need them, or none."), (NULL));
      return GST_FLOW_ERROR;
  }
}

static GstFlowReturn
gst_disparity_cloud_aggregate (GstAggregator * aggregator, gboolean timeout)
{
  GstDisparityCloud *self = GST_DISPARITY_CLOUD (aggregator);
  GstStereoInput inputs[N_INPUTS];
  GstFlowReturn flow;

  if (gst_stereo_failure_posted (&self->failure))
    return GST_FLOW_ERROR;
  for (gint i = 0; i < N_INPUTS; i++)
    gst_stereo_input_peek (&inputs[i], get_pad (self, i));
  flow = handle (self, inputs);
  for (gint i = 0; i < N_INPUTS; i++)
    gst_stereo_input_clear (&inputs[i]);
  return flow;
}

/* ----------------------------------------------------------- start and stop */

static gboolean
gst_disparity_cloud_start (GstAggregator * aggregator)
{
  GstDisparityCloud *self = GST_DISPARITY_CLOUD (aggregator);

  gst_stereo_failure_reset (&self->failure);
  self->negotiated = FALSE;
  self->discont = TRUE;
  GST_OBJECT_LOCK (self);
  self->unpaired = 0;
  GST_OBJECT_UNLOCK (self);
  if (gst_stereo_device_open (&self->device))
    return TRUE;
  gst_stereo_device_close (&self->device);
  return FALSE;
}

static gboolean
gst_disparity_cloud_stop (GstAggregator * aggregator)
{
  GstDisparityCloud *self = GST_DISPARITY_CLOUD (aggregator);

  gst_stereo_device_close (&self->device);
  g_clear_pointer (&self->counts, g_free);
  gst_stereo_tags_clear (&self->tags);
  GST_OBJECT_LOCK (self);
  memset (self->has_info, 0, sizeof (self->has_info));
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

static GstFlowReturn
gst_disparity_cloud_flush (GstAggregator * aggregator)
{
  GstDisparityCloud *self = GST_DISPARITY_CLOUD (aggregator);

  self->discont = TRUE;
  GST_OBJECT_LOCK (self);
  GST_AGGREGATOR_PAD (aggregator->srcpad)->segment.position =
      GST_CLOCK_TIME_NONE;
  GST_OBJECT_UNLOCK (self);
  return GST_FLOW_OK;
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
  else if (id >= PROP_DEVICE)
    gst_stereo_device_set_property (&self->device, id - PROP_DEVICE, value);
  else
    self->sync_tolerance = g_value_get_uint64 (value);
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
  else if (id >= PROP_DEVICE)
    gst_stereo_device_get_property (&self->device, id - PROP_DEVICE, value);
  else
    g_value_set_uint64 (value, self->sync_tolerance);
  GST_OBJECT_UNLOCK (self);
}

/* -------------------------------------------------------------------- class */

static void
gst_disparity_cloud_init (GstDisparityCloud * self)
{
  self->sink[MAP] = new_sink_pad (self, MAP);
  gst_element_add_pad (GST_ELEMENT_CAST (self), GST_PAD (self->sink[MAP]));
  self->failure.element = GST_ELEMENT_CAST (self);
  gst_stereo_device_init (&self->device, &self->failure, &device_user,
      GST_STEREO_BACKEND_CPU);
  gst_stereo_table_init (stereo_cloud_params, &self->settings);
  self->sync_tolerance = DEFAULT_SYNC_TOLERANCE;
}

static void
gst_disparity_cloud_class_init (GstDisparityCloudClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstAggregatorClass *aggregator_class = GST_AGGREGATOR_CLASS (klass);

  object_class->set_property = gst_disparity_cloud_set_property;
  object_class->get_property = gst_disparity_cloud_get_property;
  element_class->release_pad = gst_disparity_cloud_release_pad;
  aggregator_class->start = gst_disparity_cloud_start;
  aggregator_class->stop = gst_disparity_cloud_stop;
  aggregator_class->flush = gst_disparity_cloud_flush;
  aggregator_class->clip = gst_stereo_input_clip;
  aggregator_class->sink_event = gst_disparity_cloud_sink_event;
  aggregator_class->sink_event_pre_queue =
      gst_disparity_cloud_sink_event_pre_queue;
  aggregator_class->sink_query = gst_disparity_cloud_sink_query;
  aggregator_class->sink_query_pre_queue =
      gst_disparity_cloud_sink_query_pre_queue;
  aggregator_class->create_new_pad = gst_disparity_cloud_create_new_pad;
  aggregator_class->negotiated_src_caps =
      gst_disparity_cloud_negotiated_src_caps;
  aggregator_class->propose_allocation =
      gst_disparity_cloud_propose_allocation;
  aggregator_class->aggregate = gst_disparity_cloud_aggregate;

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

  /**
   * GstDisparityCloud:sync-tolerance:
   *
   * By how many nanoseconds the running times of an image and of a map that
   * does not say what it was made of may differ. By default half the duration
   * of an image.
   */
  g_object_class_install_property (object_class, PROP_SYNC_TOLERANCE,
      g_param_spec_uint64 ("sync-tolerance", "sync-tolerance",
          "Largest difference of the times of images and of maps that don't "
          "say which images they are of, in nanoseconds (-1 = half the "
          "duration of an image)", 0, G_MAXUINT64, DEFAULT_SYNC_TOLERANCE,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
          | GST_PARAM_MUTABLE_PLAYING));
}
