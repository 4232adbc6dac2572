/* gst-stereomatching: from two queues of images to a pair
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "pair/gststereobase-private.h"

#include "base/gststereodebug.h"
#include "base/gststereoformat.h"
#include "pair/gststereopair.h"

/* After a change of caps on one pad the other one has this much running time
 * to follow. */
#define CAPS_CHANGE_PATIENCE GST_SECOND

/* So many buffers without a partner in a row are worth a warning. */
#define UNPAIRED_WARNING 50

/* -------------------------------------------------------------------- times */

/* Buffers outside the segment are not shown. */
GstBuffer *
gst_stereo_base_clip_to (GstStereoBase * self, const GstSegment * segment,
    GstBuffer * buffer)
{
  GstClockTime start = GST_BUFFER_PTS (buffer), stop = GST_CLOCK_TIME_NONE;
  guint64 clipped_start, clipped_stop;

  if (!GST_CLOCK_TIME_IS_VALID (start) || segment->format != GST_FORMAT_TIME)
    return buffer;
  if (GST_BUFFER_DURATION_IS_VALID (buffer))
    stop = start + GST_BUFFER_DURATION (buffer);
  if (!gst_segment_clip (segment, GST_FORMAT_TIME, start, stop,
          &clipped_start, &clipped_stop)) {
    GST_DEBUG_OBJECT (self, "outside the segment: %" GST_PTR_FORMAT, buffer);
    gst_buffer_unref (buffer);
    return NULL;
  }
  if (clipped_start != start || clipped_stop != stop) {
    buffer = gst_buffer_make_writable (buffer);
    GST_BUFFER_PTS (buffer) = clipped_start;
    if (GST_CLOCK_TIME_IS_VALID (stop))
      GST_BUFFER_DURATION (buffer) = clipped_stop - clipped_start;
  }
  return buffer;
}

/* Called with the pad locked. */
GstBuffer *
gst_stereo_base_clip (GstAggregator * aggregator, GstAggregatorPad * pad,
    GstBuffer * buffer)
{
  return gst_stereo_base_clip_to (GST_STEREO_BASE (aggregator), &pad->segment,
      buffer);
}

/* Takes over the segment of a view's oldest buffer.  FALSE if there is none:
 * data came before it, or a flush has taken both away meanwhile. */
static gboolean
take_segment (GstStereoBase * self, gint view)
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstAggregatorPad *pad = priv->sink[view];

  GST_OBJECT_LOCK (pad);
  priv->segment[view] = pad->segment;
  GST_OBJECT_UNLOCK (pad);
  return priv->segment[view].format == GST_FORMAT_TIME;
}

static GstClockTime
running_time (GstStereoBase * self, gint view, GstBuffer * buffer)
{
  const GstSegment *segment = &PRIV (self)->segment[view];

  if (!GST_BUFFER_PTS_IS_VALID (buffer) || segment->format != GST_FORMAT_TIME)
    return GST_CLOCK_TIME_NONE;
  return gst_segment_to_running_time (segment, GST_FORMAT_TIME,
      GST_BUFFER_PTS (buffer));
}

/* How much running time some time of the stream takes. */
static GstClockTime
running_duration (GstStereoBase * self, gint view, GstClockTime duration)
{
  gdouble rate = ABS (PRIV (self)->segment[view].rate);

  return !GST_CLOCK_TIME_IS_VALID (duration) || rate == 1.0 ? duration
      : (GstClockTime) (duration / rate);
}

/* How long an image is shown, in running time, or GST_CLOCK_TIME_NONE. */
static GstClockTime
shown_for (GstStereoBase * self, gint view, GstBuffer * buffer)
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstClockTime duration = GST_BUFFER_DURATION (buffer);
  const GstVideoInfo *info = &priv->info[view];

  if (gst_stereo_is_gap (buffer) || !GST_CLOCK_TIME_IS_VALID (duration)
      || duration == 0) {
    GST_OBJECT_LOCK (self);
    duration = priv->has_info[view] ? gst_stereo_frame_duration (info)
        : GST_CLOCK_TIME_NONE;
    GST_OBJECT_UNLOCK (self);
  }
  return running_duration (self, view, duration);
}

static GstClockTime
tolerance_for (GstStereoBase * self, GstBuffer * buffers[N_VIEWS])
{
  GstClockTime tolerance;

  GST_OBJECT_LOCK (self);
  tolerance = PRIV (self)->sync_tolerance;
  GST_OBJECT_UNLOCK (self);
  return gst_stereo_tolerance (tolerance, shown_for (self, LEFT, buffers[LEFT]),
      shown_for (self, RIGHT, buffers[RIGHT]));
}

/* --------------------------------------------------- what can not be paired */

void
gst_stereo_base_tell_unpaired (GstStereoBase * self, gint view,
    GstBuffer * buffer, GstClockTime running_time, const gchar * reason)
{
  GstStereoBasePrivate *priv = PRIV (self);
  guint64 dropped;

  GST_DEBUG_OBJECT (priv->sink[view], "dropping (%s): %" GST_PTR_FORMAT,
      reason, buffer);
  GST_OBJECT_LOCK (self);
  dropped = ++priv->counters.dropped[view];
  GST_OBJECT_UNLOCK (self);
  gst_element_post_message (GST_ELEMENT_CAST (self),
      gst_message_new_element (GST_OBJECT_CAST (self),
          gst_structure_new ("stereo-unpaired",
              "view", G_TYPE_STRING, gst_stereo_view_names[view],
              "pts", G_TYPE_UINT64, GST_BUFFER_PTS (buffer),
              "running-time", G_TYPE_UINT64, running_time,
              "dropped", G_TYPE_UINT64, dropped,
              "reason", G_TYPE_STRING, reason, NULL)));
  /* Where there is nothing at all to be paired with, that is another matter. */
  if (gst_stereo_base_takes_newest (self)
      && !gst_stereo_base_newest_has_image (self, !view))
    return;
  if (g_atomic_int_add (&priv->unpaired_in_a_row, 1) + 1 == UNPAIRED_WARNING)
    GST_ELEMENT_WARNING (self, STREAM, FAILED,
        ("%d images in a row had no partner in the other view. If the two "
            "cameras are not in step, sync-tolerance says by how many "
            "nanoseconds a pair may differ.", UNPAIRED_WARNING), (NULL));
}

/* Removes a view's oldest buffer. */
static void
take (GstStereoBase * self, gint view)
{
  if (gst_stereo_base_takes_newest (self))
    gst_stereo_base_newest_pop (self, view);
  else
    gst_aggregator_pad_drop_buffer (PRIV (self)->sink[view]);
}

/* Removes a view's oldest buffer; an image is counted and told about. */
static void
drop (GstStereoBase * self, gint view, GstBuffer * buffer, const gchar * reason)
{
  GstStereoBasePrivate *priv = PRIV (self);

  priv->discont = TRUE;
  if (!gst_stereo_is_gap (buffer)) {
    gst_stereo_base_look_at_image (self, buffer);
    /* While the sizes differ, the cameras are not to blame. */
    if (GST_CLOCK_TIME_IS_VALID (priv->disagree_since))
      g_atomic_int_set (&priv->unpaired_in_a_row, 0);
    gst_stereo_base_tell_unpaired (self, view, buffer,
        running_time (self, view, buffer), reason);
  }
  take (self, view);
}

static void
complain_about_sizes (GstStereoBase * self, const GstVideoInfo info[N_VIEWS])
{
  STEREO_ERROR (self, CORE, NEGOTIATION,
      ("The views differ in size: sink_left has %dx%d, sink_right %dx%d. They "
          "have to be equal; put videoscale before one of them.",
          GST_VIDEO_INFO_WIDTH (&info[LEFT]),
          GST_VIDEO_INFO_HEIGHT (&info[LEFT]),
          GST_VIDEO_INFO_WIDTH (&info[RIGHT]),
          GST_VIDEO_INFO_HEIGHT (&info[RIGHT])), (NULL));
}

/* Whether the sizes of both views agree.  If not, removes what can't be used,
 * or gives up. */
static gboolean
check_sizes (GstStereoBase * self, GstBuffer * buffers[N_VIEWS],
    const GstClockTime times[N_VIEWS], GstFlowReturn * flow)
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstVideoInfo info[N_VIEWS];
  gint old = priv->caps_serial[LEFT] < priv->caps_serial[RIGHT] ? LEFT : RIGHT;
  gboolean patient;

  GST_OBJECT_LOCK (self);
  info[LEFT] = priv->info[LEFT];
  info[RIGHT] = priv->info[RIGHT];
  GST_OBJECT_UNLOCK (self);
  if (gst_stereo_base_same_size (&info[LEFT], &info[RIGHT])) {
    priv->agreed = TRUE;
    priv->disagree_since = GST_CLOCK_TIME_NONE;
    return TRUE;
  }

  /* After a change on one pad, the other one's old images are of no use. */
  if (!GST_CLOCK_TIME_IS_VALID (priv->disagree_since))
    priv->disagree_since = times[old];
  patient = priv->agreed && (!GST_CLOCK_TIME_IS_VALID (times[old])
      || times[old] < priv->disagree_since + CAPS_CHANGE_PATIENCE);
  if (patient) {
    drop (self, old, buffers[old], "the other view has changed its size");
    *flow = GST_AGGREGATOR_FLOW_NEED_DATA;
  } else {
    complain_about_sizes (self, info);
    *flow = GST_FLOW_ERROR;
  }
  return FALSE;
}

/* One view is at its end and has nothing left. */
static GstFlowReturn
end_of_stream (GstStereoBase * self)
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstVideoInfo info[N_VIEWS];
  StereoStatus status;
  gboolean known;

  if (gst_stereo_base_takes_newest (self))
    gst_stereo_base_newest_end (self);
  for (guint i = 0; i < N_VIEWS; i++) {
    GstBuffer *left_over = gst_aggregator_pad_peek_buffer (priv->sink[i]);

    if (left_over != NULL) {
      drop (self, (gint) i, left_over, "the other view has ended");
      gst_buffer_unref (left_over);
    }
  }
  status = gst_stereo_base_drain (self);
  if (status != STEREO_OK)
    (void) gst_stereo_base_recover (self, status);

  /* Perhaps it was their size that kept the last ones from being matched. */
  GST_OBJECT_LOCK (self);
  info[LEFT] = priv->info[LEFT];
  info[RIGHT] = priv->info[RIGHT];
  known = priv->has_info[LEFT] && priv->has_info[RIGHT];
  GST_OBJECT_UNLOCK (self);
  if (known && !gst_stereo_base_same_size (&info[LEFT], &info[RIGHT]))
    complain_about_sizes (self, info);
  return gst_stereo_failure_posted (&priv->failure) ? GST_FLOW_ERROR
      : GST_FLOW_EOS;
}

/* -------------------------------------------------------------------- pairs */

/* One pair in, one map out, or several. */
static GstFlowReturn
process_pair (GstStereoBase * self, GstBuffer * buffers[N_VIEWS])
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstAggregator *aggregator = GST_AGGREGATOR (self);
  GstSegment *segment = &GST_AGGREGATOR_PAD (aggregator->srcpad)->segment;
  GstStereoOutput outputs[STEREO_N_RESULTS];
  GstFlowReturn flow;
  guint n_outputs;

  GST_OBJECT_LOCK (self);
  priv->current[LEFT] = buffers[LEFT];
  priv->current[RIGHT] = buffers[RIGHT];
  GST_OBJECT_UNLOCK (self);
  gst_aggregator_selected_samples (aggregator, GST_BUFFER_PTS (buffers[LEFT]),
      GST_BUFFER_DTS (buffers[LEFT]), GST_BUFFER_DURATION (buffers[LEFT]),
      NULL);
  GST_OBJECT_LOCK (self);
  priv->current[LEFT] = priv->current[RIGHT] = NULL;
  GST_OBJECT_UNLOCK (self);

  if (!gst_stereo_base_apply_params (self, buffers[LEFT]))
    return GST_FLOW_ERROR;
  flow = gst_stereo_base_open_outputs (self, outputs, &n_outputs);
  if (flow != GST_FLOW_OK) {
    gst_stereo_base_close_outputs (outputs, n_outputs);
    return flow;
  }
  if (!gst_stereo_base_match (self, buffers, outputs, n_outputs)) {
    gst_stereo_base_close_outputs (outputs, n_outputs);
    return GST_FLOW_ERROR;
  }

  for (guint i = 0; i < n_outputs; i++)
    gst_stereo_base_describe_output (self, &outputs[i], buffers);
  priv->discont = FALSE;
  g_atomic_int_set (&priv->unpaired_in_a_row, 0);
  GST_OBJECT_LOCK (self);
  priv->counters.paired++;
  if (GST_BUFFER_PTS_IS_VALID (outputs[0].buffer))
    segment->position = GST_BUFFER_PTS (outputs[0].buffer)
        + (GST_BUFFER_DURATION_IS_VALID (outputs[0].buffer)
        ? GST_BUFFER_DURATION (outputs[0].buffer) : 0);
  GST_OBJECT_UNLOCK (self);
  flow = gst_stereo_base_push_outputs (self, outputs, n_outputs);
  gst_stereo_base_close_outputs (outputs, n_outputs);
  return flow;
}

/* A pair is at the head of both queues. */
static GstFlowReturn
take_pair (GstStereoBase * self, GstBuffer * buffers[N_VIEWS],
    const GstClockTime times[N_VIEWS])
{
  GstStereoBasePrivate *priv = PRIV (self);
  StereoMatcherConfig config = { 0, };
  GstFlowReturn flow;

  if (!check_sizes (self, buffers, times, &flow))
    return flow;
  if (!priv->configured || !gst_stereo_base_current_config (self, &config)
      || memcmp (&config, &priv->config, sizeof (config)) != 0) {
    /* Negotiation was asked for too early, when it had nothing to say yet. */
    gst_pad_mark_reconfigure (GST_AGGREGATOR_SRC_PAD (self));
    return GST_AGGREGATOR_FLOW_NEED_DATA;
  }

  for (gint i = 0; i < N_VIEWS; i++) {
    gst_stereo_base_look_at_image (self, buffers[i]);
    take (self, i);
  }
  if (gst_stereo_base_too_late (self, buffers[LEFT], times[LEFT]))
    return GST_AGGREGATOR_FLOW_NEED_DATA;
  return process_pair (self, buffers);
}

/* What pairing has to know of a view's oldest buffer, next to the other view's
 * one. */
static void
make_candidate (GstStereoBase * self, gint view, GstBuffer * buffer,
    GstBuffer * other, GstStereoCandidate * candidate)
{
  GstClockTime image = running_duration (self, view,
      GST_BUFFER_DURATION (other));
  GstClockTime earlier;

  candidate->time = running_time (self, view, buffer);
  candidate->duration = running_duration (self, view,
      GST_BUFFER_DURATION (buffer));
  candidate->gap = gst_stereo_is_gap (buffer);

  /* Backwards, the timestamp of a gap belongs to the last image in it. */
  if (candidate->gap && PRIV (self)->segment[view].rate < 0
      && GST_CLOCK_TIME_IS_VALID (candidate->time)
      && GST_CLOCK_TIME_IS_VALID (candidate->duration)
      && GST_CLOCK_TIME_IS_VALID (image) && candidate->duration > image) {
    earlier = candidate->duration - image;
    candidate->time -= MIN (candidate->time, earlier);
  }
}

static GstFlowReturn
decide (GstStereoBase * self, GstBuffer * buffers[N_VIEWS])
{
  GstStereoCandidate candidates[N_VIEWS];
  GstClockTime times[N_VIEWS];
  gint missing = LEFT;

  for (guint i = 0; i < N_VIEWS; i++) {
    make_candidate (self, (gint) i, buffers[i], buffers[!i], &candidates[i]);
    times[i] = running_time (self, (gint) i, buffers[i]);
  }

  switch (gst_stereo_pair (&candidates[LEFT], &candidates[RIGHT],
          tolerance_for (self, buffers))) {
    case GST_STEREO_PAIR_TAKE:
      return take_pair (self, buffers, times);
    case GST_STEREO_PAIR_DROP_LEFT:
      drop (self, LEFT, buffers[LEFT], "no partner in the other view");
      return GST_AGGREGATOR_FLOW_NEED_DATA;
    case GST_STEREO_PAIR_DROP_RIGHT:
      drop (self, RIGHT, buffers[RIGHT], "no partner in the other view");
      return GST_AGGREGATOR_FLOW_NEED_DATA;
    case GST_STEREO_PAIR_DROP_BOTH:
      drop (self, LEFT, buffers[LEFT], "no image");
      drop (self, RIGHT, buffers[RIGHT], "no image");
      return GST_AGGREGATOR_FLOW_NEED_DATA;
    case GST_STEREO_PAIR_NO_TIME_RIGHT:
      missing = RIGHT;
      /* fallthrough */
    case GST_STEREO_PAIR_NO_TIME_LEFT:
    default:
      STEREO_ERROR (self, STREAM, FORMAT,
          ("Images on sink_%s have timestamps and those on sink_%s have none, "
              "so they can't be paired. Both need them, or neither.",
              gst_stereo_view_names[!missing], gst_stereo_view_names[missing]),
          (NULL));
      return GST_FLOW_ERROR;
  }
}

/* Whether a view has ended with nothing left that could be matched. */
static gboolean
is_over (GstStereoBase * self, GstBuffer * buffers[N_VIEWS])
{
  GstAggregatorPad **sink = PRIV (self)->sink;

  if (gst_stereo_base_takes_newest (self))
    return gst_stereo_base_newest_is_over (self);
  return (buffers[LEFT] == NULL && gst_aggregator_pad_is_eos (sink[LEFT]))
      || (buffers[RIGHT] == NULL && gst_aggregator_pad_is_eos (sink[RIGHT]));
}

GstFlowReturn
gst_stereo_base_aggregate (GstAggregator * aggregator, gboolean timeout)
{
  GstStereoBase *self = GST_STEREO_BASE (aggregator);
  GstStereoBasePrivate *priv = PRIV (self);
  GstBuffer *buffers[N_VIEWS] = { NULL, };
  GstFlowReturn flow = GST_AGGREGATOR_FLOW_NEED_DATA;
  gboolean newest = gst_stereo_base_takes_newest (self);

  gst_stereo_queries_forget (&priv->queries);
  if (gst_stereo_failure_posted (&priv->failure))
    return GST_FLOW_ERROR;
  if (gst_stereo_base_has_ended (self))
    return gst_stereo_base_end (self);

  if (newest)
    gst_stereo_base_newest_peek (self, buffers);
  for (guint i = 0; i < N_VIEWS && !newest; i++) {
    buffers[i] = gst_aggregator_pad_peek_buffer (priv->sink[i]);
    if (buffers[i] != NULL && !take_segment (self, (gint) i)) {
      GST_DEBUG_OBJECT (priv->sink[i], "no segment: %" GST_PTR_FORMAT,
          buffers[i]);
      gst_aggregator_pad_drop_buffer (priv->sink[i]);
      gst_clear_buffer (&buffers[i]);
    }
  }
  if (buffers[LEFT] != NULL && buffers[RIGHT] != NULL)
    flow = decide (self, buffers);
  else if (is_over (self, buffers))
    flow = end_of_stream (self);
  if (newest)
    gst_stereo_base_newest_release (self);
  for (guint i = 0; i < N_VIEWS; i++)
    gst_clear_buffer (&buffers[i]);
  return flow == GST_FLOW_EOS ? gst_stereo_base_end (self) : flow;
}
