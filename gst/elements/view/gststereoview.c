/* gst-stereomatching: the element stereoview
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-stereoview
 * @title: stereoview
 * @short_description: live virtual views between the cameras
 *
 * Renders the view of a virtual camera at #GstStereoView:position: between the
 * left and the right camera, or beside them. Inputs are the left view, its
 * disparities and, on the request pad `sink_right`, the right view; without the
 * right view, views are rendered from one image and its disparities. Position 0
 * is the left view and 1 the right one, byte for byte except for alpha, which
 * becomes opaque.
 *
 * Disparities may come from a matcher of this plugin, a file or a camera. Maps
 * may have the size of the views divided by 2 to 8, rounded up, to reduce the
 * time for matching.
 *
 * A map from a matcher names the timestamps of its images, and is combined with
 * exactly these; images that never receive a map are dropped. Other maps are
 * synchronized by running time. A frame is never rendered with the map of
 * another one.
 *
 * A frame can have several views, see #GstStereoView:layout: two for a 3D
 * display or for anaglyph glasses, or a quilt for a holographic display. All
 * properties of a view but its size may change from frame to frame, also by
 * control sources.
 *
 * #GstStereoView:tile-width and #GstStereoView:tile-height set the size of each
 * view: a `videoscale` before the `tee` of each view then scales to it. Set
 * them before the pipeline starts, because upstream does not negotiate again.
 * The presets are quilts for displays.
 *
 * Each request pad `view_%u` has one more view of the frame, in layout `mono`,
 * from its own `position`, which can be controlled too. One thread serves all
 * source pads, so each branch needs a queue; views for unlinked pads are not
 * rendered.
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
 * ]| Renders anaglyphs for red and cyan glasses from a view and disparities.
 * |[
 * gst-launch-1.0 stereotestsrc view=left pattern=sphere num-buffers=10 ! v.sink_left stereotestsrc view=disparity pattern=sphere num-buffers=10 ! v.sink_disparity stereoview name=v position=0.1 view_0::position=0.3 view_1::position=0.5 v.src ! queue ! videoconvert ! autovideosink v.view_0 ! queue ! videoconvert ! autovideosink v.view_1 ! queue ! videoconvert ! autovideosink
 * ]| Shows three views of each frame, each as a stream.
 *
 * Since: 0.1
 */

#include "elements/view/gststereoview-private.h"

#include "base/gststereocuda.h"
#include "base/gststereoformat.h"
#include "base/gststereometa.h"
#include "base/gststereoparams.h"
#include "base/gststereoviewmeta.h"
#include "elements/gststereoelements.h"
#include "elements/view/gststereoviewpad.h"

#include <stdio.h>

GST_DEBUG_CATEGORY (gst_stereo_view_debug);

static void gst_stereo_view_child_proxy_init (gpointer interface,
    gpointer data);
static void gst_stereo_view_preset_init (GstPresetInterface * iface);

G_DEFINE_TYPE_WITH_CODE (GstStereoView, gst_stereo_view,
    GST_TYPE_DISPARITY_CONSUMER,
    G_IMPLEMENT_INTERFACE (GST_TYPE_CHILD_PROXY,
        gst_stereo_view_child_proxy_init);
    G_IMPLEMENT_INTERFACE (GST_TYPE_PRESET, gst_stereo_view_preset_init);
    GST_DEBUG_CATEGORY_INIT (gst_stereo_view_debug, "stereoview", 0,
        "Virtual views"));

GST_ELEMENT_REGISTER_DEFINE (stereoview, "stereoview", GST_RANK_NONE,
    GST_TYPE_STEREO_VIEW);

#define IMAGE_CAPS GST_STEREO_ANY_VIEW_CAPS (GST_STEREO_CUDA_FORMATS_8)

static GstStaticPadTemplate left_template =
GST_STATIC_PAD_TEMPLATE ("sink_left", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (IMAGE_CAPS));

static GstStaticPadTemplate right_template =
GST_STATIC_PAD_TEMPLATE ("sink_right", GST_PAD_SINK, GST_PAD_REQUEST,
    GST_STATIC_CAPS (IMAGE_CAPS));

static GstStaticPadTemplate map_template =
GST_STATIC_PAD_TEMPLATE ("sink_disparity", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (GST_STEREO_MAP_CAPS));

static GstStaticPadTemplate src_template =
GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (IMAGE_CAPS));

static GstStaticPadTemplate view_template =
GST_STATIC_PAD_TEMPLATE ("view_%u", GST_PAD_SRC, GST_PAD_REQUEST,
    GST_STATIC_CAPS (GST_STEREO_VIEW_CAPS));

/* Ids above those of the table, which has at most 64 rows. */
enum
{
  PROP_AUTO_CONVERGENCE = GST_STEREO_AGGREGATOR_PROP_TABLE + 64
};

#define DEFAULT_AUTO_CONVERGENCE -1

#define PARENT GST_AGGREGATOR_CLASS (gst_stereo_view_parent_class)

/* --------------------------------------------------------------------- pads */

/* Adds the pad of that number; NULL if there is one. */
static GstPad *
add_view_pad (GstElement * element, GstPadTemplate * template, guint number)
{
  gchar *name = g_strdup_printf ("view_%u", number);
  GstPad *pad =
      gst_stereo_aggregator_add_result_pad (GST_STEREO_AGGREGATOR (element),
      GST_TYPE_STEREO_VIEW_PAD, template, name);

  if (pad != NULL)
    gst_child_proxy_child_added (GST_CHILD_PROXY (element), G_OBJECT (pad),
        name);
  g_free (name);
  return pad;
}

static GstPad *
gst_stereo_view_request_new_pad (GstElement * element,
    GstPadTemplate * template, const gchar * name, const GstCaps * caps)
{
  GstPad *pad = NULL;
  guint number;

  if (GST_PAD_TEMPLATE_DIRECTION (template) == GST_PAD_SINK)
    return GST_ELEMENT_CLASS (gst_stereo_view_parent_class)->request_new_pad
        (element, template, name, caps);
  if (name != NULL && sscanf (name, "view_%u", &number) == 1) {
    pad = add_view_pad (element, template, number);
    if (pad == NULL)
      GST_WARNING_OBJECT (element, "it already has a pad view_%u", number);
    return pad;
  }
  /* the lowest number that is free */
  for (number = 0; pad == NULL; number++)
    pad = add_view_pad (element, template, number);
  return pad;
}

static void
gst_stereo_view_release_pad (GstElement * element, GstPad * pad)
{
  if (GST_IS_STEREO_VIEW_PAD (pad))
    gst_child_proxy_child_removed (GST_CHILD_PROXY (element), G_OBJECT (pad),
        GST_PAD_NAME (pad));
  GST_ELEMENT_CLASS (gst_stereo_view_parent_class)->release_pad (element, pad);
}

/* --------------------------------------------------------------------- caps */

/* The mode of a layout; NONE if GStreamer has no such mode. */
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

/* The caps of frames made of such views. */
static GstCaps *
make_frame_caps (const GstVideoInfo * left, const StereoViewParams * params)
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
  /* An interleaved frame has half the rows or columns of each view. */
  if (params->layout >= STEREO_VIEW_ROW_INTERLEAVED
      && params->layout <= STEREO_VIEW_CHECKERBOARD)
    gst_caps_set_simple (caps, "multiview-flags",
        GST_TYPE_VIDEO_MULTIVIEW_FLAGSET,
        GST_VIDEO_MULTIVIEW_FLAGS_HALF_ASPECT, GST_FLAG_SET_MASK_EXACT, NULL);
  return caps;
}

/* The caps, in the kind of memory that downstream prefers of those that frames
 * can be rendered in. */
static GstCaps *
choose_memory (GstStereoView * self, GstCaps * caps)
{
  GstPad *src = GST_AGGREGATOR_SRC_PAD (self);
  GstCaps *downstream = gst_pad_peer_query_caps (src, NULL);
  GstCaps *possible, *chosen;
  GstCaps *template = gst_pad_get_pad_template_caps (src);
  GstCaps *cuda = gst_caps_copy (caps);

  gst_caps_set_features (cuda, 0,
      gst_caps_features_new (GST_STEREO_CUDA_FEATURE, NULL));
  possible = gst_caps_copy (caps);
  if (gst_caps_is_subset (cuda, template)
      && (gst_stereo_device_has_context (&self->parent.parent.device)
          || !gst_caps_can_intersect (caps, downstream)))
    gst_caps_append (possible, gst_caps_ref (cuda));
  chosen = gst_caps_is_any (downstream) ? gst_caps_ref (caps)
      : gst_caps_intersect_full (downstream, possible,
      GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref (possible);
  possible = gst_caps_ref (!gst_caps_is_any (chosen)
      && gst_caps_get_size (chosen) > 0 && gst_stereo_cuda_caps (chosen) ? cuda
      : caps);
  gst_caps_unref (chosen);
  gst_caps_unref (cuda);
  gst_caps_unref (template);
  gst_caps_unref (downstream);
  return possible;
}

static GstFlowReturn
gst_stereo_view_update_src_caps (GstAggregator * aggregator,
    GstCaps * downstream, GstCaps ** result)
{
  GstStereoView *self = GST_STEREO_VIEW (aggregator);
  GstStereoFailure *failure = &self->parent.parent.failure;
  GstVideoInfo info[GST_STEREO_N_INPUTS];
  StereoViewParams params;
  GstCaps *caps;
  gchar *text;

  /* process_map() negotiates again when all inputs of a frame are available */
  if (!gst_stereo_aggregator_get_info (&self->parent.parent, info, 1))
    return GST_AGGREGATOR_FLOW_NEED_DATA;
  GST_OBJECT_LOCK (self);
  params = self->params;
  GST_OBJECT_UNLOCK (self);
  caps = make_frame_caps (&info[GST_STEREO_LEFT], &params);
  text = gst_caps_to_string (caps);
  if (!gst_stereo_aggregator_accepts (aggregator->srcpad, caps))
    GST_STEREO_FAIL (failure, CORE, NEGOTIATION,
        ("Frames of the layout %s would be %s, but width and height are "
            "limited to %d: put videoscale before the element, or make the "
            "quilt smaller.", stereo_view_layout_values[params.layout].nick,
            text, STEREO_MAX_SIZE), (NULL));
  else if (!gst_stereo_cuda_can_intersect (caps, downstream))
    GST_STEREO_FAIL (failure, CORE, NEGOTIATION,
        ("Downstream does not accept %s, the format of the left view and the "
            "size of the layout: put videoconvert or videoscale behind the "
            "element.", text), ("downstream accepts %" GST_PTR_FORMAT,
            downstream));
  else
    *result = choose_memory (self, caps);
  self->shape = params;
  g_free (text);
  gst_caps_unref (caps);
  return gst_stereo_failure_posted (failure) ? GST_FLOW_NOT_NEGOTIATED
      : GST_FLOW_OK;
}

static gboolean
gst_stereo_view_negotiated_src_caps (GstAggregator * aggregator,
    GstCaps * caps)
{
  GstStereoView *self = GST_STEREO_VIEW (aggregator);

  self->negotiated = gst_video_info_from_caps (&self->parent.parent.out_info,
      caps);
  return self->negotiated
      && PARENT->negotiated_src_caps (aggregator, caps);
}

static void
limit_field (GstCaps * caps, const gchar * field, guint value)
{
  if (value != 0)
    gst_caps_set_simple (caps, field, G_TYPE_INT, (gint) value, NULL);
}

/* Views have the size of a tile if that is set, so that a scaler before the
 * element learns it. */
static GstCaps *
gst_stereo_view_get_sink_caps (GstStereoAggregator * aggregator, gint input)
{
  GstStereoView *self = GST_STEREO_VIEW (aggregator);
  GstCaps *caps = GST_STEREO_AGGREGATOR_CLASS
      (gst_stereo_view_parent_class)->get_sink_caps (aggregator, input);
  StereoViewParams params;

  GST_OBJECT_LOCK (self);
  params = self->params;
  GST_OBJECT_UNLOCK (self);
  if (input == GST_STEREO_MAP)
    return caps;
  caps = gst_caps_make_writable (caps);
  limit_field (caps, "width", params.tile_width);
  limit_field (caps, "height", params.tile_height);
  return caps;
}

static gboolean
gst_stereo_view_set_caps (GstStereoAggregator * aggregator, gint input,
    GstCaps * caps, const GstVideoInfo * info)
{
  if (input == GST_STEREO_LEFT)
    gst_pad_mark_reconfigure (GST_AGGREGATOR_SRC_PAD (aggregator));
  return TRUE;
}

static GstCaps *
gst_stereo_view_get_result_caps (GstStereoAggregator * aggregator,
    GstStereoResultPad * pad)
{
  const StereoViewParams single = {.layout = STEREO_VIEW_MONO };
  GstVideoInfo info[GST_STEREO_N_INPUTS];

  (void) gst_stereo_aggregator_get_info (aggregator, info, 0);
  return make_frame_caps (&info[GST_STEREO_LEFT], &single);
}

static void
gst_stereo_view_post_downstream_error (GstStereoAggregator * aggregator,
    GstStereoResultPad * pad, const GstCaps * downstream)
{
  GstCaps *caps = gst_stereo_view_get_result_caps (aggregator, pad);
  gchar *text = gst_caps_to_string (caps);

  GST_STEREO_FAIL (&aggregator->failure, CORE, NEGOTIATION,
      ("Downstream of %s does not accept %s, the format and size of the left "
          "view: put videoconvert or videoscale behind the element.",
          GST_PAD_NAME (pad), text),
      ("downstream accepts %" GST_PTR_FORMAT, downstream));
  g_free (text);
  gst_caps_unref (caps);
}

/* ----------------------------------------------------------------- presets */

/* A preset describes a display. */
static gchar **
gst_stereo_view_get_preset_properties (GstPreset * preset)
{
  static const gchar *const names[] = { "layout", "columns", "rows",
    "tile-width", "tile-height", NULL
  };

  return g_strdupv ((gchar **) names);
}

static void
gst_stereo_view_preset_init (GstPresetInterface * iface)
{
  iface->get_property_names = gst_stereo_view_get_preset_properties;
}

/* -------------------------------------------------------------- statistics */

static gboolean
gst_stereo_view_start (GstAggregator * aggregator)
{
  GstStereoView *self = GST_STEREO_VIEW (aggregator);

  self->negotiated = FALSE;
  self->convergence.known = FALSE;
  return PARENT->start (aggregator);
}

static GstFlowReturn
gst_stereo_view_flush (GstAggregator * aggregator)
{
  GST_STEREO_VIEW (aggregator)->convergence.known = FALSE;
  return PARENT->flush (aggregator);
}

static GstStructure *
gst_stereo_view_get_stats (GstStereoAggregator * self)
{
  GstStereoCounters counters;
  StereoMatcherStats stats;
  const gchar *backend;

  GST_OBJECT_LOCK (self);
  counters = self->counters;
  backend = gst_stereo_run_get_stats (&self->run, &stats);
  GST_OBJECT_UNLOCK (self);
  return gst_structure_new ("stereo-stats",
      "rendered", G_TYPE_UINT64, counters.processed,
      "unused-left", G_TYPE_UINT64, counters.dropped[GST_STEREO_LEFT],
      "unused-right", G_TYPE_UINT64, counters.dropped[GST_STEREO_RIGHT],
      "unpaired", G_TYPE_UINT64, counters.dropped[GST_STEREO_MAP],
      "qos-dropped", G_TYPE_UINT64, counters.qos_dropped,
      "processing-time-last", G_TYPE_UINT64, (guint64) stats.last_ns,
      "processing-time-mean", G_TYPE_UINT64,
      (guint64) (stats.frames > 0 ? stats.total_ns / stats.frames : 0),
      "backend", G_TYPE_STRING, backend, NULL);
}

/* ---------------------------------------------------------------- children */

static GObject *
gst_stereo_view_get_child (GstChildProxy * proxy, guint index)
{
  GPtrArray *pads = GST_STEREO_AGGREGATOR (proxy)->result_pads;
  GObject *child = NULL;

  GST_OBJECT_LOCK (proxy);
  if (index < pads->len)
    child = g_object_ref (pads->pdata[index]);
  GST_OBJECT_UNLOCK (proxy);
  return child;
}

static guint
gst_stereo_view_count_children (GstChildProxy * proxy)
{
  guint n;

  GST_OBJECT_LOCK (proxy);
  n = GST_STEREO_AGGREGATOR (proxy)->result_pads->len;
  GST_OBJECT_UNLOCK (proxy);
  return n;
}

static void
gst_stereo_view_child_proxy_init (gpointer interface, gpointer data)
{
  GstChildProxyInterface *proxy = interface;

  proxy->get_child_by_index = gst_stereo_view_get_child;
  proxy->get_children_count = gst_stereo_view_count_children;
}

/* --------------------------------------------------------------- properties */

static void
gst_stereo_view_set_property (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec)
{
  if (id != PROP_AUTO_CONVERGENCE) {
    gst_stereo_aggregator_set_property (object, id, value, pspec);
    return;
  }
  GST_OBJECT_LOCK (object);
  GST_STEREO_VIEW (object)->auto_convergence = g_value_get_double (value);
  GST_OBJECT_UNLOCK (object);
}

static void
gst_stereo_view_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  if (id != PROP_AUTO_CONVERGENCE) {
    gst_stereo_aggregator_get_property (object, id, value, pspec);
    return;
  }
  GST_OBJECT_LOCK (object);
  g_value_set_double (value, GST_STEREO_VIEW (object)->auto_convergence);
  GST_OBJECT_UNLOCK (object);
}

static void
install_auto_convergence (GObjectClass * klass)
{
  klass->set_property = gst_stereo_view_set_property;
  klass->get_property = gst_stereo_view_get_property;

  /**
   * GstStereoView:auto-convergence:
   *
   * Places the zero-parallax plane between the farthest (0) and the nearest (1)
   * disparity of each map, without the outermost 2 % of pixels at either end,
   * instead of at `convergence`.  The convergence follows a change within about
   * half a second; after a flush, or a pause of more than a second, it starts
   * from the new value.  Negative values disable it.  The element waits for
   * maps from a GPU.
   */
  g_object_class_install_property (klass, PROP_AUTO_CONVERGENCE,
      g_param_spec_double ("auto-convergence", "auto-convergence",
          "Zero-parallax plane from the map: 0 = farthest, 1 = nearest "
          "disparity, smoothed over time (-1 = off)", -1, 1,
          DEFAULT_AUTO_CONVERGENCE, G_PARAM_READWRITE
          | G_PARAM_STATIC_STRINGS | GST_PARAM_CONTROLLABLE
          | GST_PARAM_MUTABLE_PLAYING));
}

/* -------------------------------------------------------------------- class */

static void
gst_stereo_view_finalize (GObject * object)
{
  g_free (GST_STEREO_VIEW (object)->output_params);
  G_OBJECT_CLASS (gst_stereo_view_parent_class)->finalize (object);
}

static void
gst_stereo_view_init (GstStereoView * self)
{
  gst_stereo_aggregator_init_run (&self->parent.parent,
      &gst_stereo_view_run_funcs, GST_STEREO_BACKEND_AUTO);
  gst_stereo_table_init (stereo_view_params, &self->params);
  self->auto_convergence = DEFAULT_AUTO_CONVERGENCE;
}

static void
gst_stereo_view_class_init (GstStereoViewClass * klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstAggregatorClass *aggregator_class = GST_AGGREGATOR_CLASS (klass);
  GstStereoAggregatorClass *base_class = GST_STEREO_AGGREGATOR_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = gst_stereo_view_finalize;
  element_class->request_new_pad = gst_stereo_view_request_new_pad;
  element_class->release_pad = gst_stereo_view_release_pad;
  aggregator_class->start = gst_stereo_view_start;
  aggregator_class->flush = gst_stereo_view_flush;
  aggregator_class->update_src_caps = gst_stereo_view_update_src_caps;
  aggregator_class->negotiated_src_caps = gst_stereo_view_negotiated_src_caps;
  aggregator_class->decide_allocation =
      gst_stereo_aggregator_decide_allocation;
  base_class->leader = GST_STEREO_LEFT;
  base_class->get_sink_caps = gst_stereo_view_get_sink_caps;
  base_class->set_caps = gst_stereo_view_set_caps;
  base_class->get_result_caps = gst_stereo_view_get_result_caps;
  base_class->post_downstream_error = gst_stereo_view_post_downstream_error;
  base_class->describe = gst_stereo_view_describe;
  base_class->get_stats = gst_stereo_view_get_stats;
  GST_DISPARITY_CONSUMER_CLASS (klass)->process_map =
      gst_stereo_view_process_map;

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
      "Renders virtual views from images and disparities",
      "The gst-stereomatching authors");
  gst_type_mark_as_plugin_api (GST_TYPE_STEREO_VIEW_PAD, 0);
  gst_stereo_meta_register ();
  gst_stereo_view_meta_register ();

  gst_stereo_aggregator_install_properties (base_class,
      GST_STEREO_BACKEND_AUTO, stereo_view_params, "view",
      G_STRUCT_OFFSET (GstStereoView, params));
  install_auto_convergence (G_OBJECT_CLASS (klass));
  gst_stereo_aggregator_install_qos (base_class,
      "Skip frames that would arrive too late downstream");

  /**
   * GstStereoView:stats:
   *
   * A structure `stereo-stats` with `rendered`, `unused-left` and
   * `unused-right` (images that never received a map), `unpaired` (maps without
   * their images) and `qos-dropped` (frames, since the element started,
   * guint64), `processing-time-last` and `processing-time-mean` (in
   * nanoseconds, guint64) and `backend` (the compute backend, string).
   */
  gst_stereo_aggregator_install_stats (base_class);
}
