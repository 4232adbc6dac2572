/* gst-stereomatching: the element stereosplit
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-stereosplit
 * @title: stereosplit
 * @short_description: the two views of frame-packed stereo video
 *
 * Splits frame-packed stereo video, the output of many stereo cameras and the
 * content of 3D films, into its left and right view. Both views have the same
 * timestamps, so matchers pair them exactly.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 stereotestsrc view=side-by-side num-buffers=10 ! stereosplit name=s  s.src_left ! m.sink_left  s.src_right ! m.sink_right  stereovcbw name=m ! disparitycolor ! videoconvert ! autovideosink
 * ]| Matches the two halves of a frame.
 * |[
 * gst-launch-1.0 filesrc location=film-side-by-side.webm ! decodebin ! stereosplit name=s half-aspect=true layout=side-by-side  s.src_left ! queue ! fakesink  s.src_right ! queue ! videoconvert ! autovideosink
 * ]| Shows the right view of a film.
 *
 * ## Layout and aspect ratio
 *
 * #GstStereoSplit:layout is the frame packing; `auto` takes the
 * `multiview-mode` of the caps. Most files lack it: then `auto` assumes side by
 * side and warns. Matroska and WebM files that do not tell the packing say
 * `mono`; then `auto` does the same if the frame is at least 2.5 times as wide
 * as high when displayed, which a single view hardly is, and otherwise it is an
 * error: set #GstStereoSplit:layout, for example if the views are squeezed. The
 * flag `right-view-first` in the caps swaps the views, like
 * #GstStereoSplit:swap. The flag `half-aspect` doubles or halves the pixel
 * aspect ratio, like #GstStereoSplit:half-aspect: a frame of 1920x1080 then
 * contains two views of 960x1080 to be shown at 1920x1080.
 *
 * All raw formats are supported. Views have half the width or height of the
 * frame; a size that divides a chroma sample is an error, and so is a height
 * that exchanges the fields of interlaced video in one of two views above each
 * other. Frame by frame, two frames are a pair: both views have the timestamp
 * of the first one, twice its duration and half the frame rate. Played
 * backwards, they arrive in the other order.
 *
 * Frame by frame, the flag `first-in-bundle` of a buffer marks the first view
 * of a pair. Few decoders set it. Without it, the first frame after a seek is
 * taken for the first view, or backwards for the second one, so a seek to the
 * other frame of a pair swaps the views. Begin seeks in the middle of a first
 * view, and end those backwards in the middle of a second one: at the edge
 * between two frames, rounded timestamps decide.
 *
 * ## Memory and threads
 *
 * Side-by-side, top-bottom and row-interleaved views are not copied: their
 * buffers share the frame's memory and have a `GstVideoMeta`, if downstream
 * supports it as all elements of this plugin do.
 *
 * One thread pushes both views. Matchers need no queues; other branches need a
 * `queue` each, as after a `tee`.
 *
 * Since: 0.1
 */

#include "base/gststereoseek.h"
#include "elements/split/gststereosplit-private.h"

#include "elements/gststereoelements.h"

GST_DEBUG_CATEGORY (gst_stereo_split_debug);

#define DEFAULT_LAYOUT GST_STEREO_PACKING_AUTO
#define DEFAULT_SWAP FALSE
#define DEFAULT_HALF_ASPECT FALSE

enum
{
  PROP_0,
  PROP_LAYOUT,
  PROP_SWAP,
  PROP_HALF_ASPECT
};

G_DEFINE_TYPE_WITH_CODE (GstStereoSplit, gst_stereo_split, GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (gst_stereo_split_debug, "stereosplit", 0,
        "The two views of frame-packed stereo video"));

GST_ELEMENT_REGISTER_DEFINE (stereosplit, "stereosplit", GST_RANK_NONE,
    GST_TYPE_STEREO_SPLIT);

#define CAPS GST_STATIC_CAPS (GST_VIDEO_CAPS_MAKE (GST_VIDEO_FORMATS_ALL))

static GstStaticPadTemplate sink_template =
GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, CAPS);
static GstStaticPadTemplate src_templates[GST_STEREO_N_VIEWS] = {
  GST_STATIC_PAD_TEMPLATE ("src_left", GST_PAD_SRC, GST_PAD_ALWAYS, CAPS),
  GST_STATIC_PAD_TEMPLATE ("src_right", GST_PAD_SRC, GST_PAD_ALWAYS, CAPS)
};

/* ------------------------------------------------------ events and queries */

/* Views are streams of their own. */
static gboolean
start_streams (GstStereoSplit * self, GstEvent * like)
{
  static const gchar *const names[GST_STEREO_N_VIEWS] = { "left", "right" };
  GstStreamFlags flags;
  const gchar *id;
  guint group;
  gboolean ok = TRUE;

  gst_event_parse_stream_start (like, &id);
  gst_event_parse_stream_flags (like, &flags);
  for (gint v = 0; v < GST_STEREO_N_VIEWS; v++) {
    gchar *own_id = g_strdup_printf ("%s/%s", id, names[v]);
    GstEvent *event = gst_event_new_stream_start (own_id);

    g_free (own_id);
    gst_event_set_seqnum (event, gst_event_get_seqnum (like));
    gst_event_set_stream_flags (event, flags);
    if (gst_event_parse_group_id (like, &group))
      gst_event_set_group_id (event, group);
    ok &= gst_pad_push_event (self->src[v], event);
  }
  return ok;
}

static gboolean
gst_stereo_split_sink_event (GstPad * pad, GstObject * parent,
    GstEvent * event)
{
  GstStereoSplit *self = GST_STEREO_SPLIT (parent);
  const GstSegment *segment;
  GstCaps *caps;
  gboolean ok;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_STREAM_START:
      ok = start_streams (self, event);
      gst_event_unref (event);
      return ok;
    case GST_EVENT_CAPS:
      gst_event_parse_caps (event, &caps);
      ok = gst_stereo_split_set_caps (self, caps);
      gst_event_unref (event);
      return ok;
    case GST_EVENT_FLUSH_STOP:
      gst_flow_combiner_reset (self->combiner);
      break;
    case GST_EVENT_GAP:
      /* the second view of a pair is missing */
      self->incomplete = FALSE;
      break;
    case GST_EVENT_SEGMENT:
      /* also without a flush, as of a loop, after half of a pair */
      self->incomplete = FALSE;
      gst_event_parse_segment (event, &segment);
      self->backwards = segment->rate < 0;
      break;
    default:
      break;
  }
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
gst_stereo_split_src_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  guint32 *last = &GST_STEREO_SPLIT (parent)->seek_seqnum;
  guint32 seqnum = gst_event_get_seqnum (event);

  if (GST_EVENT_TYPE (event) != GST_EVENT_SEEK)
    return gst_pad_event_default (pad, parent, event);
  if (gst_stereo_seek_is_repeated (parent, last, seqnum)) {
    gst_event_unref (event);
    return TRUE;
  }
  return gst_stereo_seek_finish (parent, last, seqnum,
      gst_pad_event_default (pad, parent, event));
}

static gboolean
gst_stereo_split_sink_query (GstPad * pad, GstObject * parent,
    GstQuery * query)
{
  GstStereoSplit *self = GST_STEREO_SPLIT (parent);
  GstCaps *caps;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CAPS:
      gst_query_parse_caps (query, &caps);
      caps = gst_stereo_split_get_sink_caps (self, caps);
      gst_query_set_caps_result (query, caps);
      gst_caps_unref (caps);
      return TRUE;
    case GST_QUERY_ALLOCATION:
      /* pools of downstream are for views, not for frames */
      if (gst_stereo_split_takes_video_meta (self))
        gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
      return TRUE;
    default:
      return gst_pad_query_default (pad, parent, query);
  }
}

static gboolean
gst_stereo_split_src_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  GstStereoSplit *self = GST_STEREO_SPLIT (parent);
  GstClockTime min, max, latency;
  gboolean live;

  if (!gst_pad_query_default (pad, parent, query))
    return FALSE;
  if (GST_QUERY_TYPE (query) == GST_QUERY_LATENCY) {
    GST_OBJECT_LOCK (self);
    latency = self->latency;
    GST_OBJECT_UNLOCK (self);
    gst_query_parse_latency (query, &live, &min, &max);
    if (GST_CLOCK_TIME_IS_VALID (max))
      max += latency;
    gst_query_set_latency (query, live, min + latency, max);
  }
  return TRUE;
}

static GstStateChangeReturn
gst_stereo_split_change_state (GstElement * element,
    GstStateChange transition)
{
  GstStereoSplit *self = GST_STEREO_SPLIT (element);
  GstStateChangeReturn result;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    gst_stereo_failure_reset (&self->failure);
    gst_flow_combiner_reset (self->combiner);
    self->warned = self->incomplete = self->negotiated = FALSE;
    GST_OBJECT_LOCK (self);
    self->seek_seqnum = GST_SEQNUM_INVALID;
    GST_OBJECT_UNLOCK (self);
  }
  result = GST_ELEMENT_CLASS (gst_stereo_split_parent_class)->change_state
      (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_stereo_split_clear_pools (self);
  return result;
}

/* -------------------------------------------------------------- properties */

static void
gst_stereo_split_set_property (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec)
{
  GstStereoSplit *self = GST_STEREO_SPLIT (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_LAYOUT:
      self->layout = (GstStereoPacking) g_value_get_enum (value);
      break;
    case PROP_SWAP:
      self->swap = g_value_get_boolean (value);
      break;
    case PROP_HALF_ASPECT:
      self->half_aspect = g_value_get_boolean (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_stereo_split_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstStereoSplit *self = GST_STEREO_SPLIT (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_LAYOUT:
      g_value_set_enum (value, self->layout);
      break;
    case PROP_SWAP:
      g_value_set_boolean (value, self->swap);
      break;
    case PROP_HALF_ASPECT:
      g_value_set_boolean (value, self->half_aspect);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

/* ------------------------------------------------------------------- class */

static void
gst_stereo_split_finalize (GObject * object)
{
  GstStereoSplit *self = GST_STEREO_SPLIT (object);

  gst_flow_combiner_free (self->combiner);
  gst_stereo_split_clear_pools (self);
  G_OBJECT_CLASS (gst_stereo_split_parent_class)->finalize (object);
}

static void
gst_stereo_split_init (GstStereoSplit * self)
{
  self->layout = DEFAULT_LAYOUT;
  self->swap = DEFAULT_SWAP;
  self->half_aspect = DEFAULT_HALF_ASPECT;
  self->failure.element = GST_ELEMENT_CAST (self);
  self->combiner = gst_flow_combiner_new ();

  self->sink = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (self->sink, gst_stereo_split_chain);
  gst_pad_set_event_function (self->sink, gst_stereo_split_sink_event);
  gst_pad_set_query_function (self->sink, gst_stereo_split_sink_query);
  gst_element_add_pad (GST_ELEMENT (self), self->sink);
  for (gint v = 0; v < GST_STEREO_N_VIEWS; v++) {
    self->src[v] = gst_pad_new_from_static_template (&src_templates[v],
        src_templates[v].name_template);
    gst_pad_set_event_function (self->src[v], gst_stereo_split_src_event);
    gst_pad_set_query_function (self->src[v], gst_stereo_split_src_query);
    gst_pad_use_fixed_caps (self->src[v]);
    gst_element_add_pad (GST_ELEMENT (self), self->src[v]);
    gst_flow_combiner_add_pad (self->combiner, self->src[v]);
  }
}

static void
gst_stereo_split_class_init (GstStereoSplitClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_READY;

  object_class->finalize = gst_stereo_split_finalize;
  object_class->set_property = gst_stereo_split_set_property;
  object_class->get_property = gst_stereo_split_get_property;
  element_class->change_state = gst_stereo_split_change_state;

  /**
   * GstStereoSplit:layout:
   *
   * Frame packing of the input. `auto` takes the `multiview-mode` of the caps
   * or, without one, side by side; also if it is `mono` and the frame is as
   * wide as two views.
   */
  g_object_class_install_property (object_class, PROP_LAYOUT,
      g_param_spec_enum ("layout", "layout",
          "Frame packing of the input", GST_TYPE_STEREO_PACKING, DEFAULT_LAYOUT,
          flags));

  /**
   * GstStereoSplit:swap:
   *
   * Swap the views, in addition to the flags of the caps.
   */
  g_object_class_install_property (object_class, PROP_SWAP,
      g_param_spec_boolean ("swap", "swap", "Swap the left and the right view",
          DEFAULT_SWAP, flags));

  /**
   * GstStereoSplit:half-aspect:
   *
   * The frame packing squeezed the views to half their width or height: double
   * or halve the pixel aspect ratio. The flag of that name in the caps does the
   * same.
   */
  g_object_class_install_property (object_class, PROP_HALF_ASPECT,
      g_param_spec_boolean ("half-aspect", "half-aspect",
          "Views are squeezed to half size by the frame packing",
          DEFAULT_HALF_ASPECT, flags));

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  for (gint v = 0; v < GST_STEREO_N_VIEWS; v++)
    gst_element_class_add_static_pad_template (element_class,
        &src_templates[v]);
  gst_element_class_set_static_metadata (element_class,
      "Stereo splitter", "Filter/Converter/Video",
      "Splits frame-packed stereo video into its left and right view",
      "The gst-stereomatching authors");

  gst_type_mark_as_plugin_api (GST_TYPE_STEREO_PACKING, 0);
}
