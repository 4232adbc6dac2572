/* gst-stereomatching: the element stereoview
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-stereoview
 * @title: stereoview
 * @short_description: live views from between the cameras
 *
 * Shows what a camera at another #GstStereoView:position would see: between a
 * left and a right camera, or beside them. It takes the left view, its
 * disparities and, on the request pad `sink_right`, the right view; without
 * that it makes views of one image and its depth. Position 0 is the left view
 * and 1 the right one, byte for byte but for alpha, which becomes opaque.
 *
 * The disparities may come from a matcher of this plugin, from a file or from
 * a camera. They may be smaller than the views: half the size, a third, down to
 * an eighth, rounded up, so that matching takes less time than the views have.
 *
 * A map from a matcher says which images it was made of, and goes with those of
 * exactly these timestamps; images that no map was made of are left out. Other
 * maps go by running time. Nothing is ever rendered with the map of another
 * frame.
 *
 * A frame can hold several views, see #GstStereoView:layout: two for a 3D
 * display or for coloured glasses, or a quilt of many for a holographic one.
 * What is shown may change from frame to frame, also by a control source.
 *
 * Each request pad `view_%u` gives one more view of the same frame, as `src`
 * does in layout `mono`, from the pad's own `position`, which can be controlled
 * too. One thread serves all source pads, so each branch behind them wants a
 * queue; what is not linked is not rendered.
 *
 * Buffers carry a `GstStereoViewMeta` with `position`, `separation`,
 * `convergence`, `layout` and `views`.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 stereotestsrc view=left pattern=planes num-disparities=32 num-buffers=10 ! tee name=l stereotestsrc view=right pattern=planes num-disparities=32 num-buffers=10 ! tee name=r l. ! queue ! m.sink_left r. ! queue ! m.sink_right stereobfv name=m num-disparities=32 ! v.sink_disparity l. ! queue ! v.sink_left r. ! queue ! v.sink_right stereoview name=v position=0.5 ! videoconvert ! autovideosink
 * ]| Shows the view from the middle between two cameras.
 * |[
 * gst-launch-1.0 stereotestsrc view=left pattern=corridor num-buffers=10 ! video/x-raw,format=RGB ! v.sink_left stereotestsrc view=disparity pattern=corridor num-buffers=10 ! v.sink_disparity stereoview name=v layout=anaglyph separation=0.6 convergence=20 ! videoconvert ! autovideosink
 * ]| Makes pictures for red and cyan glasses of one view and its disparities.
 * |[
 * gst-launch-1.0 stereotestsrc view=left pattern=sphere num-buffers=10 ! v.sink_left stereotestsrc view=disparity pattern=sphere num-buffers=10 ! v.sink_disparity stereoview name=v position=0.1 view_0::position=0.3 view_1::position=0.5 v.src ! queue ! videoconvert ! autovideosink v.view_0 ! queue ! videoconvert ! autovideosink v.view_1 ! queue ! videoconvert ! autovideosink
 * ]| Shows three views of each frame, each as a stream of its own.
 *
 * Since: 0.1
 */

#include "elements/gststereoview-private.h"

#include "base/gststereocuda.h"
#include "base/gststereoformat.h"
#include "base/gststereometa.h"
#include "base/gststereoparams.h"
#include "base/gststereopool.h"
#include "base/gststereoviewmeta.h"
#include "elements/gststereoelements.h"
#include "pair/gststereolate.h"

#include <string.h>

GST_DEBUG_CATEGORY_STATIC (gst_stereo_view_debug);
#define GST_CAT_DEFAULT gst_stereo_view_debug

#define DEFAULT_QOS TRUE

enum
{
  PROP_0,
  PROP_QOS,
  PROP_STATS,
  PROP_DEVICE,                  /* and the others of the device */
  PROP_TABLE = PROP_DEVICE + GST_STEREO_DEVICE_N_PROPS
};

static void gst_stereo_view_child_proxy_init (gpointer interface,
    gpointer data);

G_DEFINE_TYPE_WITH_CODE (GstStereoView, gst_stereo_view,
    GST_TYPE_STEREO_MAP_BASE,
    G_IMPLEMENT_INTERFACE (GST_TYPE_CHILD_PROXY,
        gst_stereo_view_child_proxy_init);
    GST_DEBUG_CATEGORY_INIT (gst_stereo_view_debug, "stereoview", 0,
        "Views from between the cameras"));

GST_ELEMENT_REGISTER_DEFINE (stereoview, "stereoview", GST_RANK_NONE,
    GST_TYPE_STEREO_VIEW);

#define VIEW_FORMATS "{ GRAY8, NV12, I420, YV12, NV21, NV16, Y42B, Y444, " \
    "YUY2, UYVY, YVYU, RGB, BGR, RGBx, BGRx, xRGB, xBGR, RGBA, BGRA, ARGB, " \
    "ABGR, GRAY16_LE, P010_10LE, I420_10LE, I422_10LE, Y444_10LE }"
#define SIZE_RANGE "(int) [ 1, 16384 ]"
#define VIEW_CAPS(media, formats) media ", format = (string) " formats ", " \
    "width = " SIZE_RANGE ", height = " SIZE_RANGE ", " \
    "framerate = " GST_VIDEO_FPS_RANGE
#define IMAGE_CAPS VIEW_CAPS ("video/x-raw", VIEW_FORMATS) "; " \
    VIEW_CAPS ("video/x-raw(" GST_STEREO_CUDA_FEATURE ")", \
        GST_STEREO_CUDA_FORMATS_8)

static GstStaticPadTemplate left_template =
GST_STATIC_PAD_TEMPLATE ("sink_left", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (IMAGE_CAPS));

static GstStaticPadTemplate right_template =
GST_STATIC_PAD_TEMPLATE ("sink_right", GST_PAD_SINK, GST_PAD_REQUEST,
    GST_STATIC_CAPS (IMAGE_CAPS));

static GstStaticPadTemplate map_template =
GST_STATIC_PAD_TEMPLATE ("sink_disparity", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (VIEW_CAPS ("video/x-raw", "{ GRAY16_LE, GRAY8 }")));

static GstStaticPadTemplate src_template =
GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (IMAGE_CAPS));

static GstStaticPadTemplate view_template =
GST_STATIC_PAD_TEMPLATE ("view_%u", GST_PAD_SRC, GST_PAD_REQUEST,
    GST_STATIC_CAPS (VIEW_CAPS ("video/x-raw", VIEW_FORMATS)));

#define PARENT GST_AGGREGATOR_CLASS (gst_stereo_view_parent_class)

/* ------------------------------------------------------------------- device */

static gboolean
open_device (GstElement * element, StereoDevice * device, StereoMessage * why)
{
  GstStereoView *self = GST_STEREO_VIEW (element);
  GstStereoViewRenderer renderer;

  if (!gst_stereo_view_renderer_open (&renderer, device, why))
    return FALSE;
  GST_OBJECT_LOCK (self);
  self->renderer = renderer;
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

static void
close_device (GstElement * element)
{
  GstStereoView *self = GST_STEREO_VIEW (element);
  GstStereoViewRenderer renderer;

  GST_OBJECT_LOCK (self);
  renderer = self->renderer;
  memset (&self->renderer, 0, sizeof (self->renderer));
  GST_OBJECT_UNLOCK (self);
  gst_stereo_view_renderer_close (&renderer);
  gst_stereo_held_release_all (&self->held);
}

static const GstStereoDeviceUser device_user = {
  .open = open_device,
  .close = close_device,
};

/* --------------------------------------------------------------------- pads */

/* What a reader of a view asks for. */
static gboolean view_event (GstPad * pad, GstObject * parent,
    GstEvent * event);

static GstPad *
gst_stereo_view_request_new_pad (GstElement * element,
    GstPadTemplate * template, const gchar * name, const GstCaps * caps)
{
  if (GST_PAD_TEMPLATE_DIRECTION (template) == GST_PAD_SRC)
    return gst_stereo_view_pads_request (GST_STEREO_VIEW (element)->views,
        element, template, name, view_event);
  return GST_ELEMENT_CLASS (gst_stereo_view_parent_class)->request_new_pad
      (element, template, name, caps);
}

static void
gst_stereo_view_release_pad (GstElement * element, GstPad * pad)
{
  GstStereoView *self = GST_STEREO_VIEW (element);

  if (GST_IS_STEREO_VIEW_PAD (pad)) {
    gst_stereo_view_pads_release (self->views, element, &self->gate,
        GST_STEREO_VIEW_PAD (pad));
    return;
  }
  GST_ELEMENT_CLASS (gst_stereo_view_parent_class)->release_pad (element, pad);
}

/* --------------------------------------------------------------------- caps */

/* What GStreamer calls a layout; NONE: it has no word for it. */
static GstVideoMultiviewMode
multiview_mode (gint layout)
{
  switch (layout) {
    case STEREO_VIEW_SIDE_BY_SIDE:
      return GST_VIDEO_MULTIVIEW_MODE_SIDE_BY_SIDE;
    case STEREO_VIEW_TOP_BOTTOM:
      return GST_VIDEO_MULTIVIEW_MODE_TOP_BOTTOM;
    case STEREO_VIEW_ROW_INTERLEAVED:
      return GST_VIDEO_MULTIVIEW_MODE_ROW_INTERLEAVED;
    case STEREO_VIEW_COLUMN_INTERLEAVED:
      return GST_VIDEO_MULTIVIEW_MODE_COLUMN_INTERLEAVED;
    case STEREO_VIEW_CHECKERBOARD:
      return GST_VIDEO_MULTIVIEW_MODE_CHECKERBOARD;
    default:
      return GST_VIDEO_MULTIVIEW_MODE_NONE;
  }
}

GstCaps *
gst_stereo_view_make_caps (const GstVideoInfo * left,
    const StereoViewParams * params)
{
  GstVideoMultiviewMode mode = multiview_mode (params->layout);
  GstCaps *caps = gst_video_info_to_caps (left);
  gint width, height;

  stereo_view_frame_size (params, GST_VIDEO_INFO_WIDTH (left),
      GST_VIDEO_INFO_HEIGHT (left), &width, &height);
  gst_caps_set_simple (caps, "width", G_TYPE_INT, width, "height", G_TYPE_INT,
      height, NULL);
  gst_structure_remove_fields (gst_caps_get_structure (caps, 0),
      "multiview-mode", "multiview-flags", NULL);
  if (mode != GST_VIDEO_MULTIVIEW_MODE_NONE)
    gst_caps_set_simple (caps, "multiview-mode", G_TYPE_STRING,
        gst_video_multiview_mode_to_caps_string (mode), NULL);
  /* of an interleaved frame an eye has half the rows or columns */
  if (params->layout >= STEREO_VIEW_ROW_INTERLEAVED
      && params->layout <= STEREO_VIEW_CHECKERBOARD)
    gst_caps_set_simple (caps, "multiview-flags",
        GST_TYPE_VIDEO_MULTIVIEW_FLAGSET,
        GST_VIDEO_MULTIVIEW_FLAGS_HALF_ASPECT, GST_FLAG_SET_MASK_EXACT, NULL);
  return caps;
}

/* The caps, in the kind of memory that downstream names first and that frames
 * can be made in. */
static GstCaps *
choose_memory (GstStereoView * self, GstCaps * caps)
{
  GstPad *src = GST_AGGREGATOR_SRC_PAD (self);
  GstCaps *theirs = gst_pad_peer_query_caps (src, NULL), *ours, *chosen;
  GstCaps *template = gst_pad_get_pad_template_caps (src);
  GstCaps *cuda = gst_caps_copy (caps);

  gst_caps_set_features (cuda, 0,
      gst_caps_features_new (GST_STEREO_CUDA_FEATURE, NULL));
  ours = gst_caps_copy (caps);
  /* that it takes one of them was asked */
  if (gst_caps_is_subset (cuda, template)
      && (gst_stereo_device_has_context (&self->parent.device)
          || !gst_caps_can_intersect (caps, theirs)))
    gst_caps_append (ours, gst_caps_ref (cuda));
  chosen = gst_caps_is_any (theirs) ? gst_caps_ref (caps)
      : gst_caps_intersect_full (theirs, ours, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref (ours);
  ours = gst_caps_ref (!gst_caps_is_any (chosen)
      && gst_caps_get_size (chosen) > 0 && gst_stereo_cuda_caps (chosen) ? cuda
      : caps);
  gst_caps_unref (chosen);
  gst_caps_unref (cuda);
  gst_caps_unref (template);
  gst_caps_unref (theirs);
  return ours;
}

static GstFlowReturn
gst_stereo_view_update_src_caps (GstAggregator * aggregator,
    GstCaps * downstream, GstCaps ** result)
{
  GstStereoView *self = GST_STEREO_VIEW (aggregator);
  StereoViewParams params;
  GstVideoInfo left;
  gboolean known;
  GstCaps *caps, *template;
  gchar *text;

  GST_OBJECT_LOCK (self);
  params = self->params;
  known = self->parent.has_info[LEFT];
  left = self->parent.info[LEFT];
  GST_OBJECT_UNLOCK (self);
  /* make() asks again when it has all that a frame needs */
  if (!known)
    return GST_AGGREGATOR_FLOW_NEED_DATA;
  caps = gst_stereo_view_make_caps (&left, &params);
  template = gst_pad_get_pad_template_caps (aggregator->srcpad);
  text = gst_caps_to_string (caps);
  if (!gst_caps_is_subset (caps, template))
    GST_STEREO_FAIL (&self->parent.failure, CORE, NEGOTIATION,
        ("Frames of the layout %s would be %s: width and height go to %d; "
            "put videoscale before the element, or make the quilt smaller.",
            stereo_view_layout_values[params.layout].nick, text,
            STEREO_MAX_SIZE), (NULL));
  else if (!gst_stereo_cuda_can_intersect (caps, downstream))
    GST_STEREO_FAIL (&self->parent.failure, CORE, NEGOTIATION,
        ("What follows can't take %s: frames have the format of the left view "
            "and the size that the layout makes of it (put videoconvert or "
            "videoscale behind the element).", text),
        ("downstream takes %" GST_PTR_FORMAT, downstream));
  else
    *result = choose_memory (self, caps);
  self->shape = params;
  g_free (text);
  gst_caps_unref (template);
  gst_caps_unref (caps);
  return gst_stereo_failure_posted (&self->parent.failure)
      ? GST_FLOW_NOT_NEGOTIATED : GST_FLOW_OK;
}

static gboolean
gst_stereo_view_negotiated_src_caps (GstAggregator * aggregator,
    GstCaps * caps)
{
  GstStereoView *self = GST_STEREO_VIEW (aggregator);

  self->negotiated = gst_video_info_from_caps (&self->out_info, caps);
  return self->negotiated
      && PARENT->negotiated_src_caps (aggregator, caps);
}

static gboolean
gst_stereo_view_decide_allocation (GstAggregator * aggregator,
    GstQuery * query)
{
  GstStereoView *self = GST_STEREO_VIEW (aggregator);

  if (gst_stereo_pool_decide (&self->out_info, query, &self->parent.device))
    return TRUE;
  GST_STEREO_FAIL (&self->parent.failure, RESOURCE, SETTINGS,
      ("There is no buffer pool for views."), (NULL));
  return FALSE;
}

/* ------------------------------------------------------------------- events */

static void
reset_qos (GstStereoView * self)
{
  const GstStereoQos none = { GST_CLOCK_TIME_NONE, 1.0 };

  GST_OBJECT_LOCK (self);
  self->qos_of_src = none;
  for (guint i = 0; i < self->views->len; i++)
    GST_STEREO_RESULT_PAD (self->views->pdata[i])->qos = none;
  GST_OBJECT_UNLOCK (self);
}

static gboolean
gst_stereo_view_sink_event (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstEvent * event)
{
  GstStereoView *self = GST_STEREO_VIEW (aggregator);
  const GstEventType type = GST_EVENT_TYPE (event);
  const gboolean is_left = pad == self->parent.sink[LEFT];
  const gboolean ok = PARENT->sink_event (aggregator, pad, event);

  if (is_left && type == GST_EVENT_CAPS)
    gst_pad_mark_reconfigure (aggregator->srcpad);
  else if (is_left && type == GST_EVENT_SEGMENT)
    reset_qos (self);
  return ok;
}

/* What downstream of one source pad wants of the views. */
static gboolean
take_event (GstStereoView * self, GstStereoQos * qos, GstEvent * event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_QOS) {
    GST_OBJECT_LOCK (self);
    gst_stereo_qos_take (qos, event, gst_stereo_frame_duration
        (&self->parent.info[LEFT]));
    GST_OBJECT_UNLOCK (self);
  }
  return PARENT->src_event (GST_AGGREGATOR (self), event);
}

static gboolean
gst_stereo_view_src_event (GstAggregator * aggregator, GstEvent * event)
{
  GstStereoView *self = GST_STEREO_VIEW (aggregator);

  return take_event (self, &self->qos_of_src, event);
}

/* The base class knows a seek that comes to several pads for one. */
static gboolean
view_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  return take_event (GST_STEREO_VIEW (parent),
      &GST_STEREO_RESULT_PAD (pad)->qos, event);
}

static GstPadProbeReturn
look_at_src_event (GstPad * pad, GstPadProbeInfo * probe, gpointer user_data)
{
  GstStereoView *self = GST_STEREO_VIEW (user_data);
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (probe);
  GstEventType type = GST_EVENT_TYPE (event);

  if (type == GST_EVENT_FLUSH_START)
    gst_stereo_gate_close (&self->gate, GST_STEREO_GATE_FLUSHING);
  else if (type == GST_EVENT_FLUSH_STOP)
    gst_stereo_gate_open (&self->gate, GST_STEREO_GATE_FLUSHING);
  if (type == GST_EVENT_FLUSH_START || type == GST_EVENT_FLUSH_STOP
      || type == GST_EVENT_EOS)
    gst_stereo_view_pads_follow (self->views, GST_ELEMENT_CAST (self), pad,
        event);
  return GST_PAD_PROBE_OK;
}

/* ----------------------------------------------------------- start and stop */

static gboolean
gst_stereo_view_start (GstAggregator * aggregator)
{
  GstStereoView *self = GST_STEREO_VIEW (aggregator);

  self->negotiated = FALSE;
  self->warned = FALSE;
  GST_OBJECT_LOCK (self);
  self->rendered = self->qos_dropped = 0;
  GST_OBJECT_UNLOCK (self);
  reset_qos (self);
  return PARENT->start (aggregator);
}

static GstFlowReturn
gst_stereo_view_flush (GstAggregator * aggregator)
{
  reset_qos (GST_STEREO_VIEW (aggregator));
  return PARENT->flush (aggregator);
}

static GstStateChangeReturn
gst_stereo_view_change_state (GstElement * element, GstStateChange transition)
{
  GstStereoView *self = GST_STEREO_VIEW (element);
  GstStateChangeReturn result;

  gst_stereo_device_change_state (&self->parent.device, transition);
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    gst_stereo_gate_open (&self->gate, GST_STEREO_GATE_FLUSHING
        | GST_STEREO_GATE_STOPPED);
  } else if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    gst_stereo_gate_close (&self->gate, GST_STEREO_GATE_STOPPED);
    gst_stereo_view_pads_stop (self->views, element);
  }
  result = GST_ELEMENT_CLASS (gst_stereo_view_parent_class)->change_state
      (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_stereo_view_pads_stopped (self->views, element);
  return result;
}

/* --------------------------------------------------------------- properties */

static GstStructure *
make_stats (GstStereoView * self)
{
  StereoMatcherStats stats = { 0, };
  const gchar *backend = "none";
  guint64 rendered, qos_dropped, dropped[N_INPUTS];

  GST_OBJECT_LOCK (self);
  rendered = self->rendered;
  qos_dropped = self->qos_dropped;
  memcpy (dropped, self->parent.dropped, sizeof (dropped));
  if (self->parent.device.device != NULL)
    backend = stereo_device_backend (self->parent.device.device);
  if (self->renderer.of[0].runner != NULL)
    stereo_runner_get_stats (self->renderer.of[0].runner, &stats);
  GST_OBJECT_UNLOCK (self);
  return gst_structure_new ("stereo-stats",
      "rendered", G_TYPE_UINT64, rendered,
      "unused-left", G_TYPE_UINT64, dropped[LEFT],
      "unused-right", G_TYPE_UINT64, dropped[RIGHT],
      "unpaired", G_TYPE_UINT64, dropped[MAP],
      "qos-dropped", G_TYPE_UINT64, qos_dropped,
      "processing-time-last", G_TYPE_UINT64, (guint64) stats.last_ns,
      "processing-time-mean", G_TYPE_UINT64,
      (guint64) (stats.frames > 0 ? stats.total_ns / stats.frames : 0),
      "backend", G_TYPE_STRING, backend, NULL);
}

static void
gst_stereo_view_set_property (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec)
{
  GstStereoView *self = GST_STEREO_VIEW (object);

  GST_OBJECT_LOCK (self);
  if (id >= PROP_TABLE)
    gst_stereo_table_set_property (&stereo_view_params[id - PROP_TABLE],
        &self->params, value);
  else if (id >= PROP_DEVICE)
    gst_stereo_device_set_property (&self->parent.device, id - PROP_DEVICE,
        value);
  else
    self->qos = g_value_get_boolean (value);
  GST_OBJECT_UNLOCK (self);
}

static void
gst_stereo_view_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstStereoView *self = GST_STEREO_VIEW (object);

  if (id == PROP_STATS) {
    g_value_take_boxed (value, make_stats (self));
    return;
  }
  GST_OBJECT_LOCK (self);
  if (id >= PROP_TABLE)
    gst_stereo_table_get_property (&stereo_view_params[id - PROP_TABLE],
        &self->params, value);
  else if (id >= PROP_DEVICE)
    gst_stereo_device_get_property (&self->parent.device, id - PROP_DEVICE,
        value);
  else
    g_value_set_boolean (value, self->qos);
  GST_OBJECT_UNLOCK (self);
}

/* ---------------------------------------------------------------- children */

static GObject *
get_child (GstChildProxy * proxy, guint index)
{
  GstStereoView *self = GST_STEREO_VIEW (proxy);
  GObject *child = NULL;

  GST_OBJECT_LOCK (self);
  if (index < self->views->len)
    child = g_object_ref (self->views->pdata[index]);
  GST_OBJECT_UNLOCK (self);
  return child;
}

static guint
count_children (GstChildProxy * proxy)
{
  GstStereoView *self = GST_STEREO_VIEW (proxy);
  guint n;

  GST_OBJECT_LOCK (self);
  n = self->views->len;
  GST_OBJECT_UNLOCK (self);
  return n;
}

static void
gst_stereo_view_child_proxy_init (gpointer interface, gpointer data)
{
  GstChildProxyInterface *proxy = interface;

  proxy->get_child_by_index = get_child;
  proxy->get_children_count = count_children;
}

/* -------------------------------------------------------------------- class */

/* The element lets go of its pads. */
static void
gst_stereo_view_dispose (GObject * object)
{
  g_ptr_array_set_size (GST_STEREO_VIEW (object)->views, 0);
  G_OBJECT_CLASS (gst_stereo_view_parent_class)->dispose (object);
}

static void
gst_stereo_view_finalize (GObject * object)
{
  g_ptr_array_unref (GST_STEREO_VIEW (object)->views);
  gst_stereo_gate_clear (&GST_STEREO_VIEW (object)->gate);
  G_OBJECT_CLASS (gst_stereo_view_parent_class)->finalize (object);
}

static void
gst_stereo_view_init (GstStereoView * self)
{
  self->views = g_ptr_array_new_with_free_func (gst_object_unref);
  gst_stereo_gate_init (&self->gate);
  gst_stereo_device_init (&self->parent.device, &self->parent.failure,
      &device_user, GST_STEREO_BACKEND_AUTO);
  gst_stereo_table_init (stereo_view_params, &self->params);
  self->qos = DEFAULT_QOS;
  self->qos_of_src.earliest_time = GST_CLOCK_TIME_NONE;
  gst_pad_add_probe (GST_AGGREGATOR_SRC_PAD (self),
      GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_EVENT_FLUSH,
      look_at_src_event, self, NULL);
}

static void
gst_stereo_view_class_init (GstStereoViewClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstAggregatorClass *aggregator_class = GST_AGGREGATOR_CLASS (klass);
  GstStereoMapBaseClass *base_class = GST_STEREO_MAP_BASE_CLASS (klass);

  object_class->set_property = gst_stereo_view_set_property;
  object_class->get_property = gst_stereo_view_get_property;
  object_class->dispose = gst_stereo_view_dispose;
  object_class->finalize = gst_stereo_view_finalize;
  element_class->request_new_pad = gst_stereo_view_request_new_pad;
  element_class->release_pad = gst_stereo_view_release_pad;
  element_class->change_state = gst_stereo_view_change_state;
  aggregator_class->start = gst_stereo_view_start;
  aggregator_class->flush = gst_stereo_view_flush;
  aggregator_class->sink_event = gst_stereo_view_sink_event;
  aggregator_class->src_event = gst_stereo_view_src_event;
  aggregator_class->update_src_caps = gst_stereo_view_update_src_caps;
  aggregator_class->negotiated_src_caps = gst_stereo_view_negotiated_src_caps;
  aggregator_class->decide_allocation = gst_stereo_view_decide_allocation;
  base_class->leader = LEFT;
  base_class->make = gst_stereo_view_make_frame;
  base_class->drain = gst_stereo_view_drain;

  gst_element_class_add_static_pad_template_with_gtype (element_class,
      &left_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype (element_class,
      &right_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype (element_class,
      &map_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype (element_class,
      &src_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype (element_class,
      &view_template, GST_TYPE_STEREO_VIEW_PAD);
  gst_element_class_set_static_metadata (element_class, "Stereo view",
      "Filter/Effect/Video",
      "Views from between and beside the cameras, from images and disparities",
      "The gst-stereomatching authors");
  gst_type_mark_as_plugin_api (GST_TYPE_STEREO_VIEW_PAD, 0);
  gst_stereo_meta_register ();
  gst_stereo_view_meta_register ();

  gst_stereo_table_install_properties (object_class, PROP_TABLE,
      stereo_view_params, "view");
  gst_stereo_device_install_properties (object_class, PROP_DEVICE,
      GST_STEREO_BACKEND_AUTO);

  /**
   * GstStereoView:qos:
   *
   * Skip frames that would arrive too late downstream.
   */
  g_object_class_install_property (object_class, PROP_QOS,
      g_param_spec_boolean ("qos", "qos",
          "Skip frames that would be too late downstream", DEFAULT_QOS,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
          | GST_PARAM_MUTABLE_PLAYING));

  /**
   * GstStereoView:stats:
   *
   * A structure `stereo-stats` with `rendered`, `unused-left` and
   * `unused-right` (images that no map was made of), `unpaired` (maps without
   * their images) and `qos-dropped` (frames, since the element started,
   * guint64), `processing-time-last` and `processing-time-mean` (in
   * nanoseconds, guint64) and `backend` (what computes, string).
   */
  g_object_class_install_property (object_class, PROP_STATS,
      g_param_spec_boxed ("stats", "stats", "What happened so far",
          GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}
