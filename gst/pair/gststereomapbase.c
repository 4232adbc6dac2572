/* gst-stereomatching: base class of elements that take maps and their images
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "pair/gststereomapbase.h"

#include "base/gststereoallocator.h"
#include "base/gststereocuda.h"
#include "base/gststereodebug.h"
#include "base/gststereometa.h"
#include "base/gststereopool.h"
#include "pair/gststereopair.h"
#include "pair/gststereosegment.h"

#include <string.h>

#define DEFAULT_SYNC_TOLERANCE GST_CLOCK_TIME_NONE

enum
{
  PROP_0,
  PROP_SYNC_TOLERANCE
};

const gchar *const gst_stereo_input_names[N_INPUTS] = {
  [LEFT] = "sink_left",
  [RIGHT] = "sink_right",
  [MAP] = "sink_disparity",
};

G_DEFINE_ABSTRACT_TYPE_WITH_CODE (GstStereoMapBase, gst_stereo_map_base,
    GST_TYPE_AGGREGATOR, gst_stereo_debug_init ());

#define PARENT GST_AGGREGATOR_CLASS (gst_stereo_map_base_parent_class)
#define LEADER(self) \
  (((GstStereoMapBaseClass *) G_OBJECT_GET_CLASS (self))->leader)

/* --------------------------------------------------------------------- pads */

/* A reference to the pad of an input, or NULL. */
static GstAggregatorPad *
get_pad (GstStereoMapBase * self, gint input)
{
  GstAggregatorPad *pad;

  GST_OBJECT_LOCK (self);
  pad = self->sink[input] != NULL ? gst_object_ref (self->sink[input]) : NULL;
  GST_OBJECT_UNLOCK (self);
  return pad;
}

/* Which one a name is of; N_INPUTS: none. */
static gint
input_of (const gchar * name)
{
  gint input = LEFT;

  while (input < N_INPUTS && strcmp (name, gst_stereo_input_names[input]) != 0)
    input++;
  return input;
}

static GstAggregatorPad *
new_pad (gint input, GstPadTemplate * template)
{
  return g_object_new (GST_TYPE_AGGREGATOR_PAD, "name",
      gst_stereo_input_names[input], "direction", GST_PAD_SINK, "template",
      template, NULL);
}

static GstAggregatorPad *
gst_stereo_map_base_create_new_pad (GstAggregator * aggregator,
    GstPadTemplate * template, const gchar * name, const GstCaps * caps)
{
  GstStereoMapBase *self = GST_STEREO_MAP_BASE (aggregator);
  const gint input = input_of (GST_PAD_TEMPLATE_NAME_TEMPLATE (template));
  GstAggregatorPad *pad = NULL;

  if (input == N_INPUTS)
    return NULL;
  GST_OBJECT_LOCK (self);
  if (self->sink[input] == NULL)
    pad = self->sink[input] = new_pad (input, template);
  GST_OBJECT_UNLOCK (self);
  return pad;
}

static void
gst_stereo_map_base_release_pad (GstElement * element, GstPad * pad)
{
  GstStereoMapBase *self = GST_STEREO_MAP_BASE (element);

  GST_OBJECT_LOCK (self);
  for (gint i = 0; i < N_INPUTS; i++) {
    if (self->sink[i] == GST_AGGREGATOR_PAD (pad)) {
      self->sink[i] = NULL;
      self->has_info[i] = FALSE;
    }
  }
  GST_OBJECT_UNLOCK (self);
  GST_ELEMENT_CLASS (gst_stereo_map_base_parent_class)->release_pad (element,
      pad);
}

/* --------------------------------------------------------------------- caps */

static gboolean
take_caps (GstStereoMapBase * self, gint input, GstCaps * caps)
{
  GstVideoInfo info;

  if (!gst_video_info_from_caps (&info, caps)) {
    GST_STEREO_FAIL (&self->failure, STREAM, FORMAT,
        ("%s can't take what comes in: it is no raw video.",
            gst_stereo_input_names[input]), ("caps %" GST_PTR_FORMAT, caps));
    return FALSE;
  }
  GST_OBJECT_LOCK (self);
  self->info[input] = info;
  self->has_info[input] = TRUE;
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

void
gst_stereo_map_base_get_info (GstStereoMapBase * self,
    GstVideoInfo info[N_INPUTS])
{
  GST_OBJECT_LOCK (self);
  memcpy (info, self->info, sizeof (self->info));
  GST_OBJECT_UNLOCK (self);
}

/* Whatever the template has, but for a right view first what the left is. */
static GstCaps *
sink_caps (GstStereoMapBase * self, GstPad * pad)
{
  GstCaps *caps = gst_pad_get_pad_template_caps (pad), *preferred, *possible;
  GstVideoInfo left;
  gboolean known;

  if (gst_stereo_device_has_context (&self->device))
    caps = gst_stereo_cuda_prefer (caps);
  GST_OBJECT_LOCK (self);
  known = self->has_info[LEFT] && self->sink[RIGHT] == GST_AGGREGATOR_PAD (pad);
  left = self->info[LEFT];
  GST_OBJECT_UNLOCK (self);
  if (!known)
    return caps;
  preferred = gst_caps_copy (caps);
  gst_caps_set_simple (preferred,
      "format", G_TYPE_STRING, GST_VIDEO_INFO_NAME (&left),
      "width", G_TYPE_INT, GST_VIDEO_INFO_WIDTH (&left),
      "height", G_TYPE_INT, GST_VIDEO_INFO_HEIGHT (&left), NULL);
  /* not all kinds of memory have the format */
  possible = gst_caps_intersect_full (preferred, caps,
      GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref (preferred);
  return gst_caps_merge (possible, caps);
}

static gboolean
gst_stereo_map_base_sink_query (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstQuery * query)
{
  GstCaps *filter, *caps, *result;

  if (gst_stereo_device_query (&GST_STEREO_MAP_BASE (aggregator)->device,
          query))
    return TRUE;
  if (GST_QUERY_TYPE (query) != GST_QUERY_CAPS)
    return PARENT->sink_query (aggregator, pad, query);
  gst_query_parse_caps (query, &filter);
  caps = sink_caps (GST_STEREO_MAP_BASE (aggregator), GST_PAD (pad));
  result = filter == NULL ? gst_caps_ref (caps) : gst_caps_intersect_full
      (caps, filter, GST_CAPS_INTERSECT_FIRST);
  gst_query_set_caps_result (query, result);
  gst_caps_unref (result);
  gst_caps_unref (caps);
  return TRUE;
}

static gboolean
gst_stereo_map_base_src_query (GstAggregator * aggregator, GstQuery * query)
{
  return gst_stereo_device_query (&GST_STEREO_MAP_BASE (aggregator)->device,
      query) || PARENT->src_query (aggregator, query);
}

static void
gst_stereo_map_base_set_context (GstElement * element, GstContext * context)
{
  gst_stereo_device_set_context (&GST_STEREO_MAP_BASE (element)->device,
      context);
  GST_ELEMENT_CLASS (gst_stereo_map_base_parent_class)->set_context (element,
      context);
}

static gboolean
gst_stereo_map_base_propose_allocation (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstQuery * decide_query, GstQuery * query)
{
  gst_stereo_pool_propose (query, &GST_STEREO_MAP_BASE (aggregator)->device);
  return TRUE;
}

/* ------------------------------------------------------------------- events */

static gboolean
take_segment (GstStereoMapBase * self, gint input, GstEvent * event)
{
  const GstSegment *segment;

  gst_event_parse_segment (event, &segment);
  if (segment->format != GST_FORMAT_TIME) {
    GST_STEREO_FAIL (&self->failure, STREAM, FORMAT,
        ("%s has a segment in %s, but images and maps are put together by "
            "time; put an element before it that knows when an image is "
            "shown.", gst_stereo_input_names[input],
            gst_format_get_name (segment->format)), (NULL));
    return FALSE;
  }
  if (input == LEADER (self))
    gst_aggregator_update_segment (GST_AGGREGATOR (self), segment);
  return TRUE;
}

static gboolean
gst_stereo_map_base_sink_event (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstEvent * event)
{
  GstStereoMapBase *self = GST_STEREO_MAP_BASE (aggregator);
  const gint input = input_of (GST_PAD_NAME (pad));
  GstCaps *caps;
  gboolean ok = TRUE;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      gst_event_parse_caps (event, &caps);
      ok = take_caps (self, input, caps);
      break;
    case GST_EVENT_SEGMENT:
      ok = take_segment (self, input, event);
      if (ok)
        return PARENT->sink_event (aggregator, pad, event);
      break;
    case GST_EVENT_STREAM_START:
      if (input == MAP)
        gst_stereo_tags_clear (&self->tags);
      return PARENT->sink_event (aggregator, pad, event);
    case GST_EVENT_TAG:
      if (input == MAP)
        event = gst_stereo_tags_take (&self->tags, event);
      return event == NULL || PARENT->sink_event (aggregator, pad, event);
    case GST_EVENT_GAP:
      if (gst_stereo_has_segment (pad))
        return PARENT->sink_event (aggregator, pad, event);
      break;
    default:
      return PARENT->sink_event (aggregator, pad, event);
  }
  gst_event_unref (event);
  return ok;
}

/* The end of one input waits in its queue for the others, which never come
 * where they are not linked. */
static GstFlowReturn
gst_stereo_map_base_sink_event_pre_queue (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstEvent * event)
{
  GstStereoMapBase *self = GST_STEREO_MAP_BASE (aggregator);

  for (gint i = 0; GST_EVENT_TYPE (event) == GST_EVENT_EOS && i < N_INPUTS;
      i++) {
    GstAggregatorPad *other = get_pad (self, i);

    if (other != NULL && !gst_pad_is_linked (GST_PAD (other)))
      GST_STEREO_FAIL (&self->failure, CORE, PAD,
          ("The video on %s has ended, and %s is not linked.",
              GST_PAD_NAME (pad), gst_stereo_input_names[i]), (NULL));
    gst_clear_object (&other);
  }
  return PARENT->sink_event_pre_queue (aggregator, pad, event);
}

static gboolean
gst_stereo_map_base_sink_query_pre_queue (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstQuery * query)
{
  if (!GST_QUERY_IS_SERIALIZED (query))
    return PARENT->sink_query_pre_queue (aggregator, pad, query);
  /* GstAggregator would wait for a thread that is not there. */
  if (!gst_pad_is_active (GST_PAD (pad)))
    return FALSE;
  return gst_stereo_queries_ask (&GST_STEREO_MAP_BASE (aggregator)->queries,
      PARENT, aggregator, pad, query);
}

/* ------------------------------------------------------------------ pairing */

/* A map that is dropped is told about; an image has just no map. */
static void
drop (GstStereoMapBase * self, GstStereoInput * heads, gint input)
{
  const GstStereoHead head = gst_stereo_input_head (&heads[input]);
  guint64 dropped;

  GST_LOG_OBJECT (heads[input].pad, "nothing goes with %" GST_PTR_FORMAT,
      heads[input].buffer);
  GST_OBJECT_LOCK (self);
  self->dropped[input] += !head.gap;
  dropped = self->dropped[input];
  GST_OBJECT_UNLOCK (self);
  if (input == MAP && !head.gap) {
    self->discont = TRUE;
    gst_element_post_message (GST_ELEMENT_CAST (self),
        gst_message_new_element (GST_OBJECT_CAST (self),
            gst_structure_new ("stereo-unpaired",
                "view", G_TYPE_STRING, "disparity",
                "pts", G_TYPE_UINT64, head.pts,
                "running-time", G_TYPE_UINT64, head.time,
                "dropped", G_TYPE_UINT64, dropped,
                "reason", G_TYPE_STRING, "an image of it is not there", NULL)));
  }
  gst_aggregator_pad_drop_buffer (heads[input].pad);
}

static GstStereoTriple
decide (GstStereoMapBase * self, const GstStereoInput * heads)
{
  const GstStereoHead left = gst_stereo_input_head (&heads[LEFT]);
  const GstStereoHead right = gst_stereo_input_head (&heads[RIGHT]);
  GstStereoMapHead map = {.head = gst_stereo_input_head (&heads[MAP]) };
  GstStereoDisparity meta;
  GstClockTime tolerance;
  GstVideoInfo info[N_INPUTS];

  if (heads[LEFT].pad == NULL)
    return map.head.gap ? GST_STEREO_TRIPLE_DROP_MAP : GST_STEREO_TRIPLE_TAKE;
  if (gst_stereo_meta_get (heads[MAP].buffer, &meta)) {
    map.knows = TRUE;
    map.left_pts = meta.left_pts;
    map.right_pts = meta.right_pts;
  }
  gst_stereo_map_base_get_info (self, info);
  GST_OBJECT_LOCK (self);
  tolerance = self->sync_tolerance;
  GST_OBJECT_UNLOCK (self);
  tolerance = gst_stereo_tolerance (tolerance,
      gst_stereo_input_duration (&info[LEFT], left.duration),
      gst_stereo_input_duration (&info[MAP], map.head.duration));
  return gst_stereo_triple (&map, &left, &right, tolerance,
      heads[LEADER (self)].segment.rate < 0);
}

void
gst_stereo_map_base_take (GstStereoMapBase * self, GstStereoInput * heads)
{
  GstBuffer *leader = heads[LEADER (self)].buffer;

  gst_aggregator_selected_samples (GST_AGGREGATOR (self),
      GST_BUFFER_PTS (leader), GST_BUFFER_DTS (leader),
      GST_BUFFER_DURATION (leader), NULL);
  for (gint i = 0; i < N_INPUTS; i++) {
    if (heads[i].buffer != NULL)
      gst_aggregator_pad_drop_buffer (heads[i].pad);
  }
}

void
gst_stereo_map_base_stamp (GstStereoMapBase * self, GstBuffer * out,
    GstBuffer * leader)
{
  gst_buffer_copy_into (out, leader, GST_BUFFER_COPY_FLAGS
      | GST_BUFFER_COPY_TIMESTAMPS, 0, (gsize) - 1);
  GST_BUFFER_FLAG_UNSET (out, GST_BUFFER_FLAG_GAP);
  if (self->discont)
    GST_BUFFER_FLAG_SET (out, GST_BUFFER_FLAG_DISCONT);
  GST_OBJECT_LOCK (self);
  if (GST_BUFFER_PTS_IS_VALID (out))
    GST_AGGREGATOR_PAD (GST_AGGREGATOR_SRC_PAD (self))->segment.position =
        GST_BUFFER_PTS (out);
  GST_OBJECT_UNLOCK (self);
}

/* Is FALSE.  What was lost before it came here is no error here. */
static gboolean
cannot_read (GstStereoMapBase * self, gint input, GstBuffer * buffer,
    const StereoMessage * why)
{
  self->lost = gst_stereo_buffer_is_lost (buffer);
  if (self->lost) {
    GST_WARNING_OBJECT (self, "lost with its device: %" GST_PTR_FORMAT, buffer);
    self->discont = TRUE;
    return FALSE;
  }
  GST_STEREO_FAIL (&self->failure, RESOURCE, READ,
      ("A buffer on %s %s.", gst_stereo_input_names[input], why->text), (NULL));
  return FALSE;
}

gboolean
gst_stereo_map_base_map (GstStereoMapBase * self,
    const GstStereoInput * heads, const GstVideoInfo info[N_INPUTS],
    GstStereoFrame frames[N_INPUTS])
{
  StereoMessage why = { "" };

  for (gint i = 0; i < N_INPUTS; i++) {
    if (heads[i].buffer != NULL && !gst_stereo_frame_map (&frames[i], &info[i],
            heads[i].buffer, GST_MAP_READ, self->device.device, &why))
      return cannot_read (self, i, heads[i].buffer, &why);
  }
  return TRUE;
}

gboolean
gst_stereo_map_base_remap (GstStereoMapBase * self,
    const GstStereoInput * heads, const GstVideoInfo info[N_INPUTS],
    GstStereoFrame frames[N_INPUTS])
{
  StereoMessage why = { "" };

  for (gint i = 0; i < N_INPUTS; i++) {
    if (frames[i].frame.buffer != NULL && !gst_stereo_frame_remap (&frames[i],
            &info[i], GST_MAP_READ, self->device.device, &why))
      return cannot_read (self, i, heads[i].buffer, &why);
  }
  return TRUE;
}

void
gst_stereo_map_base_unmap (GstStereoFrame frames[N_INPUTS])
{
  for (gint i = 0; i < N_INPUTS; i++) {
    if (frames[i].frame.buffer != NULL)
      gst_stereo_frame_unmap (&frames[i]);
  }
}

static GstFlowReturn
make (GstStereoMapBase * self, GstStereoInput * heads)
{
  const GstStereoInput *leader = &heads[LEADER (self)];
  GstClockTime time = gst_segment_to_stream_time (&leader->segment,
      GST_FORMAT_TIME, GST_BUFFER_PTS (leader->buffer));

  if (GST_CLOCK_TIME_IS_VALID (time))
    gst_object_sync_values (GST_OBJECT (self), time);
  self->lost = FALSE;
  return ((GstStereoMapBaseClass *) G_OBJECT_GET_CLASS (self))->make (self,
      heads, time);
}

static gboolean
drain (GstStereoMapBase * self)
{
  GstStereoMapBaseClass *klass = (GstStereoMapBaseClass *)
      G_OBJECT_GET_CLASS (self);

  return klass->drain == NULL || klass->drain (self);
}

/* An input has ended that everything needs, or is about to come. */
static GstFlowReturn
end_or_wait (GstStereoMapBase * self, GstStereoInput * heads)
{
  gboolean over = FALSE;

  for (gint i = 0; i < N_INPUTS; i++)
    over |= heads[i].pad != NULL && heads[i].buffer == NULL
        && gst_aggregator_pad_is_eos (heads[i].pad);
  if (!over)
    return GST_AGGREGATOR_FLOW_NEED_DATA;
  for (gint i = 0; i < N_INPUTS; i++) {
    if (heads[i].buffer != NULL)
      drop (self, heads, i);
  }
  return drain (self) ? GST_FLOW_EOS : GST_FLOW_ERROR;
}

static GstFlowReturn
look_at_heads (GstStereoMapBase * self, GstStereoInput * heads)
{
  for (gint i = 0; i < N_INPUTS; i++) {
    if (heads[i].pad != NULL && heads[i].buffer == NULL)
      return end_or_wait (self, heads);
  }
  switch (decide (self, heads)) {
    case GST_STEREO_TRIPLE_TAKE:
      return make (self, heads);
    case GST_STEREO_TRIPLE_DROP_LEFT:
      drop (self, heads, LEFT);
      return GST_AGGREGATOR_FLOW_NEED_DATA;
    case GST_STEREO_TRIPLE_DROP_RIGHT:
      drop (self, heads, RIGHT);
      return GST_AGGREGATOR_FLOW_NEED_DATA;
    case GST_STEREO_TRIPLE_DROP_MAP:
      drop (self, heads, MAP);
      return GST_AGGREGATOR_FLOW_NEED_DATA;
    case GST_STEREO_TRIPLE_NO_TIME:
    default:
      GST_STEREO_FAIL (&self->failure, STREAM, FORMAT,
          ("Some of the images and maps have timestamps and some have none, so "
              "they can't be put together. All need them, or none."), (NULL));
      return GST_FLOW_ERROR;
  }
}

static GstFlowReturn
gst_stereo_map_base_aggregate (GstAggregator * aggregator, gboolean timeout)
{
  GstStereoMapBase *self = GST_STEREO_MAP_BASE (aggregator);
  GstStereoInput heads[N_INPUTS];
  GstFlowReturn flow;

  gst_stereo_queries_forget (&self->queries);
  if (gst_stereo_failure_posted (&self->failure))
    return GST_FLOW_ERROR;
  for (gint i = 0; i < N_INPUTS; i++)
    gst_stereo_input_peek (&heads[i], get_pad (self, i));
  flow = look_at_heads (self, heads);
  for (gint i = 0; i < N_INPUTS; i++)
    gst_stereo_input_clear (&heads[i]);
  return flow;
}

/* ----------------------------------------------------------- start and stop */

static gboolean
gst_stereo_map_base_start (GstAggregator * aggregator)
{
  GstStereoMapBase *self = GST_STEREO_MAP_BASE (aggregator);

  gst_stereo_failure_reset (&self->failure);
  self->discont = TRUE;
  GST_OBJECT_LOCK (self);
  memset (self->dropped, 0, sizeof (self->dropped));
  GST_OBJECT_UNLOCK (self);
  if (!gst_stereo_device_open (&self->device)) {
    gst_stereo_device_close (&self->device);
    return FALSE;
  }
  gst_stereo_number_events (aggregator, PARENT, self->sink[MAP]);
  return TRUE;
}

static gboolean
gst_stereo_map_base_stop (GstAggregator * aggregator)
{
  GstStereoMapBase *self = GST_STEREO_MAP_BASE (aggregator);

  gst_stereo_device_close (&self->device);
  gst_stereo_tags_clear (&self->tags);
  GST_OBJECT_LOCK (self);
  memset (self->has_info, 0, sizeof (self->has_info));
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

static GstFlowReturn
gst_stereo_map_base_flush (GstAggregator * aggregator)
{
  (void) drain (GST_STEREO_MAP_BASE (aggregator));
  GST_STEREO_MAP_BASE (aggregator)->discont = TRUE;
  GST_OBJECT_LOCK (aggregator);
  GST_AGGREGATOR_PAD (aggregator->srcpad)->segment.position =
      GST_CLOCK_TIME_NONE;
  GST_OBJECT_UNLOCK (aggregator);
  return GST_FLOW_OK;
}

/* -------------------------------------------------------------------- class */

static void
gst_stereo_map_base_set_property (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec)
{
  GST_OBJECT_LOCK (object);
  GST_STEREO_MAP_BASE (object)->sync_tolerance = g_value_get_uint64 (value);
  GST_OBJECT_UNLOCK (object);
}

static void
gst_stereo_map_base_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GST_OBJECT_LOCK (object);
  g_value_set_uint64 (value, GST_STEREO_MAP_BASE (object)->sync_tolerance);
  GST_OBJECT_UNLOCK (object);
}

/* Templates belong to the class of the object that is made. */
static void
gst_stereo_map_base_constructed (GObject * object)
{
  GstStereoMapBase *self = GST_STEREO_MAP_BASE (object);

  G_OBJECT_CLASS (gst_stereo_map_base_parent_class)->constructed (object);
  for (gint i = 0; i < N_INPUTS; i++) {
    GstPadTemplate *template = gst_element_class_get_pad_template
        (GST_ELEMENT_GET_CLASS (self), gst_stereo_input_names[i]);

    if (template != NULL
        && GST_PAD_TEMPLATE_PRESENCE (template) == GST_PAD_ALWAYS) {
      self->sink[i] = new_pad (i, template);
      gst_element_add_pad (GST_ELEMENT_CAST (self), GST_PAD (self->sink[i]));
    }
  }
}

static void
gst_stereo_map_base_finalize (GObject * object)
{
  gst_stereo_queries_clear (&GST_STEREO_MAP_BASE (object)->queries);
  G_OBJECT_CLASS (gst_stereo_map_base_parent_class)->finalize (object);
}

static void
gst_stereo_map_base_class_init (GstStereoMapBaseClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstAggregatorClass *aggregator_class = GST_AGGREGATOR_CLASS (klass);

  object_class->constructed = gst_stereo_map_base_constructed;
  object_class->finalize = gst_stereo_map_base_finalize;
  object_class->set_property = gst_stereo_map_base_set_property;
  object_class->get_property = gst_stereo_map_base_get_property;
  GST_ELEMENT_CLASS (klass)->release_pad = gst_stereo_map_base_release_pad;
  GST_ELEMENT_CLASS (klass)->set_context = gst_stereo_map_base_set_context;
  aggregator_class->start = gst_stereo_map_base_start;
  aggregator_class->stop = gst_stereo_map_base_stop;
  aggregator_class->flush = gst_stereo_map_base_flush;
  aggregator_class->clip = gst_stereo_input_clip;
  aggregator_class->sink_event = gst_stereo_map_base_sink_event;
  aggregator_class->sink_event_pre_queue =
      gst_stereo_map_base_sink_event_pre_queue;
  aggregator_class->sink_query = gst_stereo_map_base_sink_query;
  aggregator_class->src_query = gst_stereo_map_base_src_query;
  aggregator_class->sink_query_pre_queue =
      gst_stereo_map_base_sink_query_pre_queue;
  aggregator_class->create_new_pad = gst_stereo_map_base_create_new_pad;
  aggregator_class->propose_allocation =
      gst_stereo_map_base_propose_allocation;
  aggregator_class->aggregate = gst_stereo_map_base_aggregate;

  /**
   * GstStereoMapBase:sync-tolerance:
   *
   * By how many nanoseconds the running times of images and of a map that does
   * not say what it was made of may differ. By default half the duration of an
   * image.
   */
  g_object_class_install_property (object_class, PROP_SYNC_TOLERANCE,
      g_param_spec_uint64 ("sync-tolerance", "sync-tolerance",
          "Largest difference of the times of images and of maps that don't "
          "say which images they are of, in nanoseconds (-1 = half the "
          "duration of an image)", 0, G_MAXUINT64, DEFAULT_SYNC_TOLERANCE,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
          | GST_PARAM_MUTABLE_PLAYING));
}

static void
gst_stereo_map_base_init (GstStereoMapBase * self)
{
  self->failure.element = GST_ELEMENT_CAST (self);
  self->sync_tolerance = DEFAULT_SYNC_TOLERANCE;
  gst_stereo_queries_init (&self->queries);
}
