/* gst-stereomatching: the newest pair of live views
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A camera does not wait.  If it is faster than the matcher and every pair were
 * matched, the delay in the queues before the element would grow without limit,
 * and without queues the camera would be blocked.  Therefore the pads of live
 * views never block: images go to a queue in this file instead of
 * GstAggregator's.  It keeps the images that can still form a pair.  When the
 * task is idle, it takes the newest pair.
 *
 * GstAggregator still decides when the task runs, and all events except the
 * views' GAP events go through its queues.  It needs data on both pads.
 * Therefore a pair causes a wakeup, a GAP event on both; GstAggregator turns
 * these into buffers, which are dropped.
 *
 * Lateness is irrelevant here: no other pair would be less late.  Therefore QoS
 * events have no effect.  They are not sent upstream either, where elements
 * would drop images.
 *
 * Locks.  newest.lock is not held in calls that may wait for the task.
 */

#include "aggregate/gststereomatcher-private.h"

#include "aggregate/gststereopair.h"
#include "base/gststereodebug.h"
#include "base/gststereoformat.h"
#include "base/gststereogap.h"

#define LEFT GST_STEREO_LEFT
#define RIGHT GST_STEREO_RIGHT
#define N_VIEWS GST_STEREO_N_VIEWS

enum
{
  UNDECIDED,
  EVERY,
  NEWEST
};

GType
gst_stereo_pairs_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    {GST_STEREO_PAIRS_AUTO, "Newest pair if both views are live, else every "
          "pair", "auto"},
    {GST_STEREO_PAIRS_EVERY, "Every pair: block upstream", "every"},
    {GST_STEREO_PAIRS_NEWEST, "Newest pair: drop older ones", "newest"},
    {0, NULL, NULL}
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstStereoPairs", values));
  return type;
}

/* ----------------------------------------------------------------- decision */

/* Whether the sources of all views are live.  A camera that is linked later
 * than the other one counts as live, too. */
static gboolean
are_live (GstStereoMatcher * self)
{
  const guint n_live = gst_stereo_aggregator_count_live (&self->parent);
  guint n_linked = 0;

  for (guint i = 0; i < N_VIEWS; i++)
    n_linked += gst_pad_is_linked (GST_PAD (self->parent.sink[i]));
  return n_live > 0 && n_live == n_linked;
}

/* Decided for the first image and valid until the element stops. */
gboolean
gst_stereo_matcher_takes_newest (GstStereoMatcher * self)
{
  gint mode = g_atomic_int_get (&self->newest.mode);
  GstStereoPairs pairs;

  if (mode == UNDECIDED) {
    GST_OBJECT_LOCK (self);
    pairs = self->pairs;
    GST_OBJECT_UNLOCK (self);
    mode = pairs == GST_STEREO_PAIRS_NEWEST
        || (pairs == GST_STEREO_PAIRS_AUTO && are_live (self))
        ? NEWEST : EVERY;
    g_atomic_int_compare_and_exchange (&self->newest.mode, UNDECIDED, mode);
    mode = g_atomic_int_get (&self->newest.mode);
    GST_INFO_OBJECT (self, "matching %s", mode == NEWEST
        ? "the newest pairs" : "every pair");
  }
  return mode == NEWEST;
}

/* ----------------------------------------------------------- dropped images */

static void
post_superseded (GstStereoMatcher * self, const GstStereoImage * left)
{
  GstStereoCounters counters;
  GstMessage *message;
  guint64 stream_time = GST_CLOCK_TIME_NONE;

  GST_DEBUG_OBJECT (self, "superseded by a newer pair: %" GST_PTR_FORMAT,
      left->buffer);
  GST_OBJECT_LOCK (self);
  self->parent.counters.superseded++;
  counters = self->parent.counters;
  GST_OBJECT_UNLOCK (self);

  g_mutex_lock (&self->newest.lock);
  if (self->newest.segment[LEFT].format == GST_FORMAT_TIME)
    stream_time = gst_segment_to_stream_time (&self->newest.segment[LEFT],
        GST_FORMAT_TIME, GST_BUFFER_PTS (left->buffer));
  g_mutex_unlock (&self->newest.lock);
  message = gst_message_new_qos (GST_OBJECT_CAST (self), TRUE, left->time,
      stream_time, GST_BUFFER_PTS (left->buffer),
      GST_BUFFER_DURATION (left->buffer));
  gst_message_set_qos_stats (message, GST_FORMAT_BUFFERS, counters.processed,
      counters.qos_dropped + counters.superseded);
  gst_element_post_message (GST_ELEMENT_CAST (self), message);
}

static void
post_lost (GstStereoMatcher * self, GQueue * lost, const gchar * reason)
{
  GstStereoLost *item;

  while ((item = g_queue_pop_head (lost)) != NULL) {
    if (item->loss != GST_STEREO_LOST_SUPERSEDED)
      gst_stereo_matcher_post_unpaired (self, (gint) item->view,
          item->image->buffer, item->image->time, reason);
    else if (item->view == LEFT)
      post_superseded (self, item->image);
    gst_stereo_lost_free (item);
  }
}

/* -------------------------------------------------------- streaming threads */

/* Makes the task run.  Returns the flow of the pad. */
static GstFlowReturn
wake_up (GstStereoMatcher * self, gint view)
{
  GstStereoNewest *newest = &self->newest;
  GstAggregator *aggregator = GST_AGGREGATOR (self);
  /* The task has stopped, and the pad has its flow. */
  gboolean over = gst_pad_get_task_state (aggregator->srcpad)
      == GST_TASK_PAUSED;
  GstFlowReturn result = GST_FLOW_OK, flow;

  g_mutex_lock (&newest->lock);
  for (gint i = 0; i < N_VIEWS; i++) {
    if (newest->at_end[i] || (newest->wakeup_pending[i] && !(over
                && i == view)))
      continue;
    flow = gst_stereo_aggregator_get_parent_class ()->sink_event_pre_queue
        (aggregator, self->parent.sink[i],
        gst_event_new_gap (newest->segment[i].start, GST_CLOCK_TIME_NONE));
    newest->wakeup_pending[i] = flow == GST_FLOW_OK;
    if (i == view)
      result = flow;
  }
  g_mutex_unlock (&newest->lock);
  return result;
}

/* Takes the buffer; NULL if it is a gap, outside the segment, or arrived before
 * one.  With the lock held. */
static GstStereoImage *
make_image (GstStereoMatcher * self, gint view, GstBuffer * buffer)
{
  GstStereoNewest *newest = &self->newest;
  const GstSegment *segment = &newest->segment[view];
  GstClockTime time = GST_CLOCK_TIME_NONE, duration;

  if (segment->format != GST_FORMAT_TIME || gst_stereo_is_gap (buffer))
    gst_clear_buffer (&buffer);
  else
    buffer = gst_stereo_input_clip (segment, buffer, TRUE);
  if (buffer == NULL)
    return NULL;
  duration = GST_BUFFER_DURATION (buffer);
  if (GST_BUFFER_PTS_IS_VALID (buffer))
    time = gst_segment_to_running_time (segment, GST_FORMAT_TIME,
        GST_BUFFER_PTS (buffer));
  if (!GST_CLOCK_TIME_IS_VALID (duration) || duration == 0)
    duration = newest->frame[view];
  return gst_stereo_image_new (buffer, time,
      gst_stereo_scale_time (segment, duration));
}

/* The next pair does not continue the last one.  With the lock held. */
static void
note_lost (GstStereoNewest * newest, const GQueue * lost)
{
  for (const GList * i = lost->head; i != NULL; i = i->next) {
    const GstStereoLost *item = i->data;
    const GstBuffer *buffer = item->image->buffer;

    newest->lost = TRUE;
    newest->discont_pending |= GST_BUFFER_IS_DISCONT (buffer);
    if (GST_BUFFER_PTS_IS_VALID (buffer))
      newest->unmatched.pts[item->view] = GST_BUFFER_PTS (buffer);
  }
}

gboolean
gst_stereo_matcher_newest_take_buffer (GstStereoAggregator * aggregator,
    gint view, GstBuffer * buffer, GstFlowReturn * flow)
{
  GstStereoMatcher *self = GST_STEREO_MATCHER (aggregator);
  GstStereoNewest *newest = &self->newest;
  GQueue lost = G_QUEUE_INIT;
  GstStereoPairRule rule;
  GstStereoImage *image;
  gboolean wanted;

  if (!gst_stereo_matcher_takes_newest (self))
    return FALSE;
  GST_OBJECT_LOCK (self);
  rule.tolerance = self->parent.sync_tolerance;
  rule.right_offset = self->right_offset;
  GST_OBJECT_UNLOCK (self);
  g_mutex_lock (&newest->lock);
  rule.tolerance = gst_stereo_scale_time (&newest->segment[RIGHT],
      rule.tolerance);
  rule.right_offset = gst_stereo_scale_offset (&newest->segment[RIGHT],
      rule.right_offset);
  image = make_image (self, view, buffer);
  if (image != NULL)
    gst_stereo_view_queue_add (&newest->queue, (guint) view, image, &rule,
        &lost);
  note_lost (newest, &lost);
  GST_LOG_OBJECT (self, "%s: %u left and %u right images wait, %s pair",
      gst_stereo_input_names[view], newest->queue.waiting[LEFT].length,
      newest->queue.waiting[RIGHT].length,
      newest->queue.pair[LEFT] != NULL ? "with a" : "no");
  wanted = newest->queue.pair[LEFT] != NULL || newest->at_end[!view]
      || !gst_stereo_unmatched_is_empty (&newest->unmatched);
  g_mutex_unlock (&newest->lock);

  post_lost (self, &lost, "no partner in the other view");
  *flow = GST_FLOW_OK;
  if (wanted || gst_pad_get_task_state (GST_AGGREGATOR_SRC_PAD (self))
      == GST_TASK_PAUSED)
    *flow = wake_up (self, view);
  return TRUE;
}

static gboolean
is_change (GstEvent * event)
{
  return GST_EVENT_TYPE (event) == GST_EVENT_CAPS
      || GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT;
}

gboolean
gst_stereo_matcher_newest_take_event (GstStereoAggregator * aggregator,
    gint view, GstEvent * event)
{
  GstStereoMatcher *self = GST_STEREO_MATCHER (aggregator);
  GstStereoNewest *newest = &self->newest;
  GQueue lost = G_QUEUE_INIT;
  gboolean ended = FALSE;
  GstVideoInfo info;
  GstCaps *caps;

  /* In this mode, no queue waits for the images of a gap. */
  if (GST_EVENT_TYPE (event) == GST_EVENT_GAP)
    return gst_stereo_matcher_takes_newest (self);

  g_mutex_lock (&newest->lock);
  if (is_change (event))
    gst_event_replace (&newest->change[view], event);
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      gst_event_parse_caps (event, &caps);
      newest->frame[view] = GST_CLOCK_TIME_NONE;
      if (gst_video_info_from_caps (&info, caps))
        newest->frame[view] = gst_stereo_frame_duration (&info);
      gst_stereo_view_queue_clear (&newest->queue, (guint) view, &lost);
      break;
    case GST_EVENT_SEGMENT:
      gst_event_copy_segment (event, &newest->segment[view]);
      gst_stereo_view_queue_clear (&newest->queue, (guint) view, &lost);
      break;
    case GST_EVENT_EOS:
      newest->at_end[view] = TRUE;
      ended = g_atomic_int_get (&newest->mode) == NEWEST;
      break;
    case GST_EVENT_FLUSH_STOP:
      g_atomic_int_set (&self->reset_pending, TRUE);
      gst_stereo_view_queue_clear (&newest->queue, (guint) view, &lost);
      g_queue_clear_full (&lost, (GDestroyNotify) gst_stereo_lost_free);
      gst_segment_init (&newest->segment[view], GST_FORMAT_UNDEFINED);
      gst_clear_event (&newest->change[view]);
      newest->at_end[view] = newest->wakeup_pending[view] = FALSE;
      newest->unmatched.pts[view] = GST_CLOCK_TIME_NONE;
      break;
    default:
      break;
  }
  note_lost (newest, &lost);
  g_mutex_unlock (&newest->lock);
  post_lost (self, &lost, "the view has changed");
  /* The images of the other view may have come before. */
  if (ended)
    (void) wake_up (self, !view);
  return FALSE;
}

void
gst_stereo_matcher_newest_skip_gap (GstStereoAggregator * aggregator,
    gint view)
{
  GstStereoMatcher *self = GST_STEREO_MATCHER (aggregator);
  GstStereoNewest *newest = &self->newest;
  gboolean again;

  g_mutex_lock (&newest->lock);
  newest->wakeup_pending[view] = FALSE;
  again = newest->segment[view].format == GST_FORMAT_TIME;
  g_mutex_unlock (&newest->lock);
  /* The segment has arrived since that wakeup, and images perhaps, too. */
  if (again)
    wake_up (self, view);
}

gboolean
gst_stereo_matcher_newest_ignores_qos (GstStereoAggregator * aggregator)
{
  return gst_stereo_matcher_takes_newest (GST_STEREO_MATCHER (aggregator));
}

/* --------------------------------------------------------------------- task */

/* Drops and reports what remains of the chosen pair. */
static void
drop_chosen (GstStereoMatcher * self, const gchar * reason)
{
  GstStereoImage **chosen = self->newest.chosen;
  GstStereoUnmatched unmatched = GST_STEREO_UNMATCHED_NONE;

  for (gint i = 0; i < N_VIEWS; i++) {
    if (chosen[i] == NULL)
      continue;
    self->parent.discont = TRUE;
    unmatched.pts[i] = GST_BUFFER_PTS (chosen[i]->buffer);
    gst_stereo_matcher_post_unpaired (self, i, chosen[i]->buffer,
        chosen[i]->time, reason);
    gst_stereo_matcher_newest_pop (self, i);
  }
  gst_stereo_unmatched_push (&unmatched, GST_AGGREGATOR_SRC_PAD (self));
}

void
gst_stereo_matcher_newest_handle_event (GstStereoMatcher * self, gint view,
    GstEvent * event)
{
  GstStereoNewest *newest = &self->newest;

  if (!is_change (event))
    return;
  g_mutex_lock (&newest->lock);
  if (newest->change[view] == event)
    gst_clear_event (&newest->change[view]);
  g_mutex_unlock (&newest->lock);
  drop_chosen (self, "the view has changed");
}

/* With the lock held. */
static void
take_unmatched (GstStereoNewest * newest)
{
  for (guint i = 0; i < N_VIEWS; i++) {
    if (GST_CLOCK_TIME_IS_VALID (newest->unmatched.pts[i]))
      newest->pending.pts[i] = newest->unmatched.pts[i];
  }
  newest->unmatched = GST_STEREO_UNMATCHED_NONE;
}

void
gst_stereo_matcher_newest_peek (GstStereoMatcher * self,
    GstStereoInput inputs[N_VIEWS])
{
  GstStereoNewest *newest = &self->newest;

  /* A pair that is chosen while many are in flight is old by the time it is
   * matched.  One other pair in flight is enough to keep a device busy. */
  if (newest->chosen[LEFT] == NULL)
    gst_stereo_run_wait_for_room (&self->parent.run, 2);
  g_mutex_lock (&newest->lock);
  for (guint i = 0; i < N_VIEWS; i++) {
    newest->wakeup_pending[i] = FALSE;
    /* of a GAP event */
    while (gst_aggregator_pad_drop_buffer (self->parent.sink[i]));
  }
  if (newest->chosen[LEFT] == NULL && newest->change[LEFT] == NULL
      && newest->change[RIGHT] == NULL
      && gst_stereo_view_queue_take (&newest->queue, newest->chosen)) {
    memcpy (newest->chosen_segment, newest->segment,
        sizeof (newest->segment));
    self->parent.discont |= newest->lost;
    if (newest->discont_pending)
      g_atomic_int_set (&self->reset_pending, TRUE);
    newest->lost = newest->discont_pending = FALSE;
  }
  /* Of a pair that waits, an image may be older than an unpaired one. */
  if (newest->queue.pair[LEFT] == NULL)
    take_unmatched (newest);
  g_mutex_unlock (&newest->lock);

  for (guint i = 0; i < N_VIEWS; i++) {
    inputs[i].segment = newest->chosen_segment[i];
    if (newest->chosen[i] != NULL)
      inputs[i].buffer = gst_buffer_ref (newest->chosen[i]->buffer);
  }
}

void
gst_stereo_matcher_newest_pop (GstStereoMatcher * self, gint view)
{
  g_clear_pointer (&self->newest.chosen[view], gst_stereo_image_free);
}

gboolean
gst_stereo_matcher_newest_has_image (GstStereoAggregator * aggregator,
    gint view)
{
  GstStereoNewest *newest = &GST_STEREO_MATCHER (aggregator)->newest;
  gboolean has;

  g_mutex_lock (&newest->lock);
  has = newest->queue.pair[view] != NULL
      || !g_queue_is_empty (&newest->queue.waiting[view]);
  g_mutex_unlock (&newest->lock);
  return has;
}

gboolean
gst_stereo_matcher_newest_is_over (GstStereoMatcher * self)
{
  GstStereoNewest *newest = &self->newest;
  const GstStereoViewQueue *queue = &newest->queue;
  gboolean over = FALSE;

  g_mutex_lock (&newest->lock);
  for (guint i = 0; i < N_VIEWS && queue->pair[LEFT] == NULL; i++)
    over |= newest->at_end[i]
        && (newest->at_end[!i] || queue->waiting[i].length == 0);
  g_mutex_unlock (&newest->lock);
  return over;
}

void
gst_stereo_matcher_newest_release (GstStereoMatcher * self)
{
  GstStereoNewest *newest = &self->newest;
  gboolean again = newest->chosen[LEFT] != NULL
      && newest->chosen[RIGHT] != NULL;

  if (!again) {
    drop_chosen (self, "no partner in the other view");
    gst_stereo_unmatched_push (&newest->pending,
        GST_AGGREGATOR_SRC_PAD (self));
    newest->pending = GST_STEREO_UNMATCHED_NONE;
  }
  g_mutex_lock (&newest->lock);
  again |= newest->queue.pair[LEFT] != NULL;
  g_mutex_unlock (&newest->lock);
  /* A pair or the end of the stream needs another wakeup. */
  if (again || gst_stereo_matcher_newest_is_over (self))
    wake_up (self, LEFT);
}

void
gst_stereo_matcher_newest_end (GstStereoMatcher * self)
{
  GstStereoNewest *newest = &self->newest;
  GQueue lost = G_QUEUE_INIT;

  g_mutex_lock (&newest->lock);
  for (guint i = 0; i < N_VIEWS; i++)
    gst_stereo_view_queue_clear (&newest->queue, i, &lost);
  g_mutex_unlock (&newest->lock);
  post_lost (self, &lost, "the other view has ended");
}

/* ----------------------------------------------------------- start and stop */

void
gst_stereo_matcher_newest_init (GstStereoMatcher * self)
{
  g_mutex_init (&self->newest.lock);
  self->newest.unmatched = self->newest.pending = GST_STEREO_UNMATCHED_NONE;
}

void
gst_stereo_matcher_newest_finalize (GstStereoMatcher * self)
{
  g_mutex_clear (&self->newest.lock);
}

void
gst_stereo_matcher_newest_flush (GstStereoMatcher * self)
{
  for (gint i = 0; i < N_VIEWS; i++)
    gst_stereo_matcher_newest_pop (self, i);
  self->newest.pending = GST_STEREO_UNMATCHED_NONE;
}

void
gst_stereo_matcher_newest_reset (GstStereoMatcher * self)
{
  GstStereoNewest *newest = &self->newest;
  GQueue lost = G_QUEUE_INIT;

  gst_stereo_matcher_newest_flush (self);
  g_mutex_lock (&newest->lock);
  for (guint i = 0; i < N_VIEWS; i++) {
    gst_stereo_view_queue_clear (&newest->queue, i, &lost);
    gst_segment_init (&newest->segment[i], GST_FORMAT_UNDEFINED);
    newest->frame[i] = GST_CLOCK_TIME_NONE;
    gst_clear_event (&newest->change[i]);
    newest->at_end[i] = newest->wakeup_pending[i] = FALSE;
  }
  newest->lost = newest->discont_pending = FALSE;
  newest->unmatched = GST_STEREO_UNMATCHED_NONE;
  g_mutex_unlock (&newest->lock);
  g_queue_clear_full (&lost, (GDestroyNotify) gst_stereo_lost_free);
  g_atomic_int_set (&newest->mode, UNDECIDED);
}
