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
 * Takes video that has both views in one stream, as many stereo cameras and all
 * 3D films do, and gives out the left and the right one. Both have the same
 * timestamps, so a matcher pairs them exactly.
 *
 * How the views are packed is what #GstStereoSplit:layout says, or with `auto`
 * the `multiview-mode` of the caps. Most files don't say it: `auto` then takes
 * the views to be side by side, and warns. Of the flags in the caps,
 * `right-view-first` exchanges the views, as #GstStereoSplit:swap does, and
 * `half-aspect` makes their pixels twice as wide or twice as high, as
 * #GstStereoSplit:half-aspect does: frames of 1920x1080 of two views of
 * 960x1080 that are to be seen as 1920x1080 each.
 *
 * Views that are side by side, above each other, or in rows in turn are not
 * copied: their buffers are parts of the frame's memory with a `GstVideoMeta`,
 * wherever downstream takes that, as all elements of this plugin do.
 *
 * Both views are given out by one thread. A matcher takes them as they come;
 * other branches want a `queue` each, as behind a `tee`.
 *
 * The views have half the width or half the height of the frames, and all raw
 * formats are taken; it is an error when a sample of chroma would have to be
 * cut in two. Frame by frame, two frames are a pair, and the second one gets
 * the timestamp of the first.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 stereotestsrc view=side-by-side num-buffers=10 ! stereosplit name=s  s.src_left ! m.sink_left  s.src_right ! m.sink_right  stereovcbw name=m ! disparitycolor ! videoconvert ! autovideosink
 * ]| Matches both halves of a frame.
 * |[
 * gst-launch-1.0 filesrc location=film-side-by-side.webm ! decodebin ! stereosplit name=s half-aspect=true layout=side-by-side  s.src_left ! queue ! fakesink  s.src_right ! queue ! videoconvert ! autovideosink
 * ]| Shows the right view of a film.
 *
 * Since: 0.1
 */

#include "elements/gststereosplit-private.h"

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
static GstStaticPadTemplate src_templates[N_VIEWS] = {
  GST_STATIC_PAD_TEMPLATE ("src_left", GST_PAD_SRC, GST_PAD_ALWAYS, CAPS),
  GST_STATIC_PAD_TEMPLATE ("src_right", GST_PAD_SRC, GST_PAD_ALWAYS, CAPS)
};

/* ------------------------------------------------------ events and queries */

static gboolean
gst_stereo_split_sink_event (GstPad * pad, GstObject * parent,
    GstEvent * event)
{
  GstStereoSplit *self = GST_STEREO_SPLIT (parent);
  GstCaps *caps;
  gboolean ok;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      gst_event_parse_caps (event, &caps);
      ok = gst_stereo_split_take_caps (self, caps);
      gst_event_unref (event);
      return ok;
    case GST_EVENT_FLUSH_STOP:
      gst_flow_combiner_reset (self->combiner);
      self->second = FALSE;
      break;
    default:
      break;
  }
  return gst_pad_event_default (pad, parent, event);
}

/* A matcher asks on both of its pads for the same seek. */
static gboolean
is_repeated (GstStereoSplit * self, GstEvent * event)
{
  guint32 seqnum = gst_event_get_seqnum (event);
  gboolean repeated;

  GST_OBJECT_LOCK (self);
  repeated = self->seek_seqnum == seqnum;
  self->seek_seqnum = seqnum;
  GST_OBJECT_UNLOCK (self);
  return repeated;
}

static gboolean
gst_stereo_split_src_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK
      && is_repeated (GST_STEREO_SPLIT (parent), event)) {
    gst_event_unref (event);
    return TRUE;
  }
  return gst_pad_event_default (pad, parent, event);
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
      caps = gst_stereo_split_sink_caps (self, caps);
      gst_query_set_caps_result (query, caps);
      gst_caps_unref (caps);
      return TRUE;
    case GST_QUERY_ALLOCATION:
      /* downstream's pools are for views, not for frames */
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
    self->warned = self->second = self->negotiated = FALSE;
  }
  result = GST_ELEMENT_CLASS (gst_stereo_split_parent_class)->change_state
      (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_stereo_split_drop_pools (self);
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
  gst_stereo_split_drop_pools (self);
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
  for (gint v = 0; v < N_VIEWS; v++) {
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
   * Where the two views are in a frame. `auto` takes the `multiview-mode` of
   * the caps or, without one, side by side.
   */
  g_object_class_install_property (object_class, PROP_LAYOUT,
      g_param_spec_enum ("layout", "layout",
          "Where the two views are in a frame", GST_TYPE_STEREO_PACKING,
          DEFAULT_LAYOUT, flags));

  /**
   * GstStereoSplit:swap:
   *
   * Exchange the views, besides what the flags of the caps say.
   */
  g_object_class_install_property (object_class, PROP_SWAP,
      g_param_spec_boolean ("swap", "swap", "Exchange the two views",
          DEFAULT_SWAP, flags));

  /**
   * GstStereoSplit:half-aspect:
   *
   * The views were made narrower, or lower, to fit the frame: double the pixel
   * aspect ratio, or halve it. The flag of that name in the caps does the same.
   */
  g_object_class_install_property (object_class, PROP_HALF_ASPECT,
      g_param_spec_boolean ("half-aspect", "half-aspect",
          "The views were squeezed to half their size to fit the frame",
          DEFAULT_HALF_ASPECT, flags));

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  for (gint v = 0; v < N_VIEWS; v++)
    gst_element_class_add_static_pad_template (element_class,
        &src_templates[v]);
  gst_element_class_set_static_metadata (element_class,
      "Stereo splitter", "Filter/Converter/Video",
      "Gives out the left and the right view of frame-packed stereo video",
      "The gst-stereomatching authors");

  gst_type_mark_as_plugin_api (GST_TYPE_STEREO_PACKING, 0);
}
