/* gst-stereomatching: base class of elements that take maps and their images
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "aggregate/gstdisparityconsumer.h"

#include "aggregate/gststereopair.h"
#include "aggregate/gststereounmatched.h"
#include "base/gststereocuda.h"
#include "base/gststereodebug.h"
#include "base/gststereometa.h"

G_DEFINE_ABSTRACT_TYPE (GstDisparityConsumer, gst_disparity_consumer,
    GST_TYPE_STEREO_AGGREGATOR);

#define PARENT GST_AGGREGATOR_CLASS (gst_disparity_consumer_parent_class)
#define LEADER(self) (GST_STEREO_AGGREGATOR_GET_CLASS (self)->leader)

/* --------------------------------------------------------- caps and events */

/* The template; for a right view first the size and format of the left one. */
static GstCaps *
gst_disparity_consumer_get_sink_caps (GstStereoAggregator * self, gint input)
{
  static const gchar *const fields[] = { "format", "width", "height", NULL };
  GstAggregatorPad *pad = gst_stereo_aggregator_get_pad (self, input);
  GstCaps *caps;

  if (pad == NULL)
    return gst_caps_new_empty ();
  caps = gst_pad_get_pad_template_caps (GST_PAD (pad));
  gst_object_unref (pad);
  if (gst_stereo_device_has_context (&self->device))
    caps = gst_stereo_cuda_prefer (caps);
  return input != GST_STEREO_RIGHT ? caps
      : gst_stereo_aggregator_prefer_caps_of (self, GST_STEREO_LEFT, caps,
      fields);
}

static gboolean
gst_disparity_consumer_sink_event (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstEvent * event)
{
  GstDisparityConsumer *self = GST_DISPARITY_CONSUMER (aggregator);
  const gboolean is_map = gst_stereo_aggregator_find_input (GST_PAD (pad))
      == GST_STEREO_MAP;

  if (is_map && GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START)
    gst_stereo_tags_start_stream (&self->tags);
  else if (is_map && GST_EVENT_TYPE (event) == GST_EVENT_TAG)
    event = gst_stereo_tags_take (&self->tags, event);
  return event == NULL || PARENT->sink_event (aggregator, pad, event);
}

static GstBuffer *
gst_disparity_consumer_clip (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstBuffer * buffer)
{
  return gst_stereo_input_clip (&pad->segment, buffer, FALSE);
}

static gboolean
gst_disparity_consumer_stop (GstAggregator * aggregator)
{
  GstDisparityConsumer *self = GST_DISPARITY_CONSUMER (aggregator);

  gst_stereo_tags_clear (&self->tags);
  memset (self->base, 0, sizeof (self->base));
  return PARENT->stop (aggregator);
}

/* Whether one of the images comes here, too. */
static gboolean
has_pad_for (GstStereoAggregator * self, const GstStereoUnmatched * unmatched)
{
  gboolean any = FALSE;

  GST_OBJECT_LOCK (self);
  for (guint i = 0; i < GST_STEREO_N_VIEWS; i++)
    any |= self->sink[i] != NULL && GST_CLOCK_TIME_IS_VALID (unmatched->pts[i]);
  GST_OBJECT_UNLOCK (self);
  return any;
}

/* Queues unmatched images between the maps.  Right ones without a pad must not
 * wait there for a left image: that blocks the matcher. */
static gboolean
gst_disparity_consumer_take_event (GstStereoAggregator * self, gint input,
    GstEvent * event)
{
  GstPad *pad = GST_PAD (self->sink[GST_STEREO_MAP]);
  GstStereoUnmatched unmatched;

  if (input != GST_STEREO_MAP
      || !gst_stereo_unmatched_parse (event, &unmatched))
    return FALSE;
  if (has_pad_for (self, &unmatched))
    (void) GST_PAD_CHAINFUNC (pad) (pad, GST_OBJECT (self),
        gst_stereo_unmatched_to_gap (&unmatched));
  return TRUE;
}

/* --------------------------------------------------------- synchronization */

static void
drop (GstStereoAggregator * self, GstStereoInput * inputs, gint input)
{
  const GstStereoHead head = gst_stereo_input_head (&inputs[input]);

  /* Images without a map are normal. */
  if (input == GST_STEREO_MAP && !head.gap) {
    self->discont = TRUE;
    gst_stereo_aggregator_post_unpaired (self, input, inputs[input].buffer,
        head.time, "one of its images is missing");
  } else {
    GST_OBJECT_LOCK (self);
    self->counters.dropped[input] += !head.gap;
    GST_OBJECT_UNLOCK (self);
  }
  gst_aggregator_pad_drop_buffer (inputs[input].pad);
}

static GstStereoHead
get_head (GstStereoAggregator * self, const GstStereoInput * inputs,
    gint input)
{
  GstStereoHead head = gst_stereo_input_head (&inputs[input]);

  head.advance = (gint64) (inputs[input].segment.base
      - GST_DISPARITY_CONSUMER (self)->base[input]);
  /* Backwards, the timestamp of a gap belongs to the last image in it. */
  if (head.gap && inputs[input].segment.rate < 0)
    head.duration = GST_CLOCK_TIME_NONE;
  return head;
}

/* An image, with the timestamp that a map may name: a matcher limits it to the
 * segment. */
static GstStereoHead
get_image_head (GstStereoAggregator * self, const GstStereoInput * inputs,
    gint input, GstClockTime named)
{
  GstStereoHead head = get_head (self, inputs, input);

  if (named >= inputs[input].segment.start)
    head.pts = MAX (head.pts, inputs[input].segment.start);
  return head;
}

/* Reads the timestamps of the images that belong to the oldest map, or that
 * are unmatched. */
static void
name_images (GstStereoMapHead * map, const GstStereoInput * inputs)
{
  GstBuffer *buffer = inputs[GST_STEREO_MAP].buffer;
  const GstStereoUnmatched *unmatched = gst_stereo_unmatched_from_gap (buffer);
  GstStereoDisparity meta;

  if (unmatched != NULL) {
    map->knows = TRUE;
    map->left_pts = unmatched->pts[GST_STEREO_LEFT];
    map->right_pts = unmatched->pts[GST_STEREO_RIGHT];
  } else if (!map->head.gap && gst_stereo_meta_get (buffer, &meta)
      && (GST_CLOCK_TIME_IS_VALID (meta.left_pts)
          || !GST_BUFFER_PTS_IS_VALID (inputs[GST_STEREO_LEFT].buffer))) {
    /* no timestamp is the name of an image that has none either */
    map->knows = TRUE;
    map->left_pts = meta.left_pts;
    map->right_pts = meta.right_pts;
  }
}

static GstStereoMapSync
decide (GstStereoAggregator * self, const GstStereoInput * inputs)
{
  GstStereoHead left, right;
  GstStereoMapHead map = {.head = get_head (self, inputs, GST_STEREO_MAP) };
  GstVideoInfo info[GST_STEREO_N_INPUTS];
  GstClockTime tolerance;

  if (inputs[GST_STEREO_LEFT].pad == NULL)
    return map.head.gap ? GST_STEREO_MAP_SYNC_DROP_MAP
        : GST_STEREO_MAP_SYNC_TAKE;
  name_images (&map, inputs);
  left = get_image_head (self, inputs, GST_STEREO_LEFT, map.left_pts);
  right = get_image_head (self, inputs, GST_STEREO_RIGHT, map.right_pts);
  (void) gst_stereo_aggregator_get_info (self, info, 0);
  GST_OBJECT_LOCK (self);
  tolerance = self->sync_tolerance;
  GST_OBJECT_UNLOCK (self);
  tolerance = gst_stereo_tolerance (gst_stereo_scale_time
      (&inputs[GST_STEREO_MAP].segment, tolerance),
      gst_stereo_input_shown_for (&inputs[GST_STEREO_LEFT],
          &info[GST_STEREO_LEFT]),
      gst_stereo_input_shown_for (&inputs[GST_STEREO_MAP],
          &info[GST_STEREO_MAP]));
  return gst_stereo_map_sync (&map, &left, &right, tolerance,
      inputs[LEADER (self)].segment.rate < 0);
}

void
gst_disparity_consumer_pop (GstDisparityConsumer * self,
    GstStereoInput * inputs, const GstVideoInfo info[GST_STEREO_N_INPUTS],
    GstStereoRunFrame * frame)
{
  for (gint i = 0; i < GST_STEREO_N_INPUTS; i++) {
    if (inputs[i].buffer != NULL)
      gst_aggregator_pad_drop_buffer (inputs[i].pad);
    self->base[i] = inputs[i].segment.base;
    frame->inputs[i] = (GstStereoRunImage) {
      .pad = GST_PAD (inputs[i].pad),
      .info = &info[i],
      .buffer = inputs[i].buffer,
    };
  }
}

static GstFlowReturn
process_map (GstStereoAggregator * self, GstStereoInput * inputs)
{
  GstDisparityConsumerClass *klass = (GstDisparityConsumerClass *)
      G_OBJECT_GET_CLASS (self);
  const GstStereoInput *leader = &inputs[LEADER (self)];
  GstClockTime time = gst_segment_to_stream_time (&leader->segment,
      GST_FORMAT_TIME, MAX (GST_BUFFER_PTS (leader->buffer),
          leader->segment.start));

  if (GST_CLOCK_TIME_IS_VALID (time))
    gst_object_sync_values (GST_OBJECT (self), time);
  return klass->process_map (GST_DISPARITY_CONSUMER (self), inputs, time);
}

/* An input has no buffer: it has ended, or needs more data. */
static GstFlowReturn
end_or_wait (GstStereoAggregator * self, GstStereoInput * inputs)
{
  gboolean over = FALSE;

  for (gint i = 0; i < GST_STEREO_N_INPUTS; i++)
    over |= inputs[i].pad != NULL && inputs[i].buffer == NULL
        && gst_aggregator_pad_is_eos (inputs[i].pad);
  if (!over)
    return GST_AGGREGATOR_FLOW_NEED_DATA;
  for (gint i = 0; i < GST_STEREO_N_INPUTS; i++) {
    if (inputs[i].buffer != NULL)
      drop (self, inputs, i);
  }
  return gst_stereo_run_drain (&self->run) ? GST_FLOW_EOS : GST_FLOW_ERROR;
}

static GstFlowReturn
process_inputs (GstStereoAggregator * self, GstStereoInput * inputs)
{
  for (gint i = 0; i < GST_STEREO_N_INPUTS; i++) {
    if (inputs[i].pad != NULL && inputs[i].buffer == NULL)
      return end_or_wait (self, inputs);
  }
  switch (decide (self, inputs)) {
    case GST_STEREO_MAP_SYNC_TAKE:
      return process_map (self, inputs);
    case GST_STEREO_MAP_SYNC_DROP_LEFT:
      drop (self, inputs, GST_STEREO_LEFT);
      return GST_AGGREGATOR_FLOW_NEED_DATA;
    case GST_STEREO_MAP_SYNC_DROP_RIGHT:
      drop (self, inputs, GST_STEREO_RIGHT);
      return GST_AGGREGATOR_FLOW_NEED_DATA;
    case GST_STEREO_MAP_SYNC_DROP_MAP:
      drop (self, inputs, GST_STEREO_MAP);
      return GST_AGGREGATOR_FLOW_NEED_DATA;
    case GST_STEREO_MAP_SYNC_NO_TIME:
    default:
      GST_STEREO_FAIL (&self->failure, STREAM, FORMAT,
          ("Cannot synchronize images and maps: some have timestamps and some "
              "have none. All need them, or none."), (NULL));
      return GST_FLOW_ERROR;
  }
}

static GstFlowReturn
gst_disparity_consumer_process (GstStereoAggregator * self)
{
  GstStereoInput inputs[GST_STEREO_N_INPUTS];
  GstFlowReturn flow;

  for (gint i = 0; i < GST_STEREO_N_INPUTS; i++)
    gst_stereo_input_peek (&inputs[i], gst_stereo_aggregator_get_pad (self,
            i));
  flow = gst_stereo_aggregator_check_caps (self, inputs, GST_STEREO_N_INPUTS)
      ? process_inputs (self, inputs) : GST_FLOW_ERROR;
  for (gint i = 0; i < GST_STEREO_N_INPUTS; i++)
    gst_stereo_input_clear (&inputs[i]);
  return flow;
}

/* -------------------------------------------------------------------- class */

static void
gst_disparity_consumer_class_init (GstDisparityConsumerClass * klass)
{
  GstAggregatorClass *aggregator_class = GST_AGGREGATOR_CLASS (klass);
  GstStereoAggregatorClass *base_class = GST_STEREO_AGGREGATOR_CLASS (klass);

  aggregator_class->stop = gst_disparity_consumer_stop;
  aggregator_class->clip = gst_disparity_consumer_clip;
  aggregator_class->sink_event = gst_disparity_consumer_sink_event;
  base_class->get_sink_caps = gst_disparity_consumer_get_sink_caps;
  base_class->take_event = gst_disparity_consumer_take_event;
  base_class->process = gst_disparity_consumer_process;
}

static void
gst_disparity_consumer_init (GstDisparityConsumer * self)
{
}
