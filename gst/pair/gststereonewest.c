/* gst-stereomatching: the newest pair of live views
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A camera does not wait.  If it is faster than the matcher and every pair were
 * matched, images would wait ever longer in the queues before the element, and
 * where there are none the camera would be kept from taking new ones.  So the
 * pads of live views never block: images go to a store here instead of the
 * queues of GstAggregator, and it keeps those that can still make a pair.  When
 * the task has time it takes the newest pair.
 *
 * GstAggregator still decides when the task runs, and all events go through its
 * queues.  It wants something on both pads, so each pair is announced by a GAP
 * event on both; what it makes of these is thrown away.
 *
 * How late a pair is for a sink makes no difference then: nothing that could be
 * matched instead would be less late.  So QoS events have no effect, and don't
 * go on to elements upstream, which would drop images themselves.
 *
 * Locks.  newest.lock is held for no call that may wait for the task.
 */

#include "pair/gststereobase-private.h"

#include "base/gststereodebug.h"
#include "base/gststereoformat.h"

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
    {GST_STEREO_PAIRS_AUTO, "The newest pair if a view is live, else every one",
        "auto"},
    {GST_STEREO_PAIRS_EVERY, "Every pair, however long it takes", "every"},
    {GST_STEREO_PAIRS_NEWEST, "The newest pair when the one before is done",
        "newest"},
    {0, NULL, NULL}
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstStereoPairs", values));
  return type;
}

/* ----------------------------------------------------------------- decision */

gboolean
gst_stereo_base_is_live (GstStereoBase * self)
{
  gboolean any = FALSE;

  for (guint i = 0; i < N_VIEWS && !any; i++) {
    GstQuery *query = gst_query_new_latency ();

    if (gst_pad_peer_query (GST_PAD (PRIV (self)->sink[i]), query))
      gst_query_parse_latency (query, &any, NULL, NULL);
    gst_query_unref (query);
  }
  return any;
}

/* Decided when the first image comes, for as long as the element runs. */
gboolean
gst_stereo_base_takes_newest (GstStereoBase * self)
{
  GstStereoBasePrivate *priv = PRIV (self);
  gint mode = g_atomic_int_get (&priv->newest.mode);
  GstStereoPairs pairs;

  if (mode == UNDECIDED) {
    GST_OBJECT_LOCK (self);
    pairs = priv->pairs;
    GST_OBJECT_UNLOCK (self);
    mode = pairs == GST_STEREO_PAIRS_NEWEST
        || (pairs == GST_STEREO_PAIRS_AUTO && gst_stereo_base_is_live (self))
        ? NEWEST : EVERY;
    g_atomic_int_compare_and_exchange (&priv->newest.mode, UNDECIDED, mode);
    mode = g_atomic_int_get (&priv->newest.mode);
    GST_INFO_OBJECT (self, "matching %s", mode == NEWEST
        ? "the newest pairs" : "every pair");
  }
  return mode == NEWEST;
}

/* ------------------------------------------------------------- what is lost */

static void
tell_superseded (GstStereoBase * self, const GstStereoImage * left)
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstStereoCounters counters;
  GstMessage *message;
  guint64 stream_time = GST_CLOCK_TIME_NONE;

  GST_DEBUG_OBJECT (self, "there is a newer pair than %" GST_PTR_FORMAT,
      left->buffer);
  GST_OBJECT_LOCK (self);
  priv->counters.superseded++;
  counters = priv->counters;
  GST_OBJECT_UNLOCK (self);

  g_mutex_lock (&priv->newest.lock);
  if (GST_BUFFER_PTS_IS_VALID (left->buffer)
      && priv->newest.segment[LEFT].format == GST_FORMAT_TIME)
    stream_time = gst_segment_to_stream_time (&priv->newest.segment[LEFT],
        GST_FORMAT_TIME, GST_BUFFER_PTS (left->buffer));
  g_mutex_unlock (&priv->newest.lock);
  message = gst_message_new_qos (GST_OBJECT_CAST (self), TRUE, left->time,
      stream_time, GST_BUFFER_PTS (left->buffer),
      GST_BUFFER_DURATION (left->buffer));
  gst_message_set_qos_stats (message, GST_FORMAT_BUFFERS, counters.paired,
      counters.qos_dropped + counters.superseded);
  gst_element_post_message (GST_ELEMENT_CAST (self), message);
}

static void
tell_lost (GstStereoBase * self, GQueue * lost, const gchar * reason)
{
  GstStereoLost *item;

  while ((item = g_queue_pop_head (lost)) != NULL) {
    if (item->loss != GST_STEREO_LOST_SUPERSEDED)
      gst_stereo_base_tell_unpaired (self, (gint) item->view,
          item->image->buffer, item->image->time, reason);
    else if (item->view == LEFT)
      tell_superseded (self, item->image);
    gst_stereo_lost_free (item);
  }
}

/* -------------------------------------------------------- streaming threads */

/* Has the task run.  Returns what the pad says of it. */
static GstFlowReturn
knock (GstStereoBase * self, gint view)
{
  GstStereoNewest *newest = &PRIV (self)->newest;
  GstAggregator *aggregator = GST_AGGREGATOR (self);
  /* It gave up, and the pad knows why. */
  gboolean over = gst_pad_get_task_state (aggregator->srcpad)
      == GST_TASK_PAUSED;
  GstFlowReturn result = GST_FLOW_OK, flow;

  for (gint i = 0; i < N_VIEWS; i++) {
    GstClockTime time;
    gboolean again;

    g_mutex_lock (&newest->lock);
    again = !newest->at_end[i] && (!newest->knocked[i] || (over && i == view));
    newest->knocked[i] |= again;
    time = newest->segment[i].start;
    g_mutex_unlock (&newest->lock);
    if (!again)
      continue;
    flow = gst_stereo_base_get_parent_class ()->sink_event_pre_queue
        (aggregator, PRIV (self)->sink[i],
        gst_event_new_gap (time, GST_CLOCK_TIME_NONE));
    if (flow != GST_FLOW_OK) {
      g_mutex_lock (&newest->lock);
      newest->knocked[i] = FALSE;
      g_mutex_unlock (&newest->lock);
    }
    if (i == view)
      result = flow;
  }
  return result;
}

/* Takes the buffer; NULL if it is outside the segment, or came before one.
 * With the lock held. */
static GstStereoImage *
make_image (GstStereoBase * self, gint view, GstBuffer * buffer)
{
  GstStereoNewest *newest = &PRIV (self)->newest;
  const GstSegment *segment = &newest->segment[view];
  GstClockTime time = GST_CLOCK_TIME_NONE, duration;
  gdouble rate = ABS (segment->rate);

  if (segment->format != GST_FORMAT_TIME)
    gst_clear_buffer (&buffer);
  else
    buffer = gst_stereo_base_clip_to (self, segment, buffer);
  if (buffer == NULL)
    return NULL;
  duration = GST_BUFFER_DURATION (buffer);
  if (GST_BUFFER_PTS_IS_VALID (buffer))
    time = gst_segment_to_running_time (segment, GST_FORMAT_TIME,
        GST_BUFFER_PTS (buffer));
  if (!GST_CLOCK_TIME_IS_VALID (duration) || duration == 0)
    duration = newest->frame[view];
  if (GST_CLOCK_TIME_IS_VALID (duration) && rate != 1.0)
    duration = (GstClockTime) (duration / rate);
  return gst_stereo_image_new (buffer, time, duration);
}

/* For the next pair, which does not follow the one before.  With the lock
 * held. */
static void
note_lost (GstStereoNewest * newest, const GQueue * lost)
{
  newest->lost |= !g_queue_is_empty ((GQueue *) lost);
  for (const GList * i = lost->head; i != NULL; i = i->next)
    newest->lost_discont |= GST_BUFFER_IS_DISCONT (((const GstStereoLost *)
            i->data)->image->buffer);
}

GstFlowReturn
gst_stereo_base_newest_chain (GstStereoBase * self, gint view,
    GstBuffer * buffer)
{
  GstStereoNewest *newest = &PRIV (self)->newest;
  GQueue lost = G_QUEUE_INIT;
  GstClockTime tolerance;
  GstStereoImage *image;
  gboolean wanted;

  GST_OBJECT_LOCK (self);
  tolerance = PRIV (self)->sync_tolerance;
  GST_OBJECT_UNLOCK (self);
  g_mutex_lock (&newest->lock);
  image = make_image (self, view, buffer);
  if (image != NULL)
    gst_stereo_store_add (&newest->store, (guint) view, image, tolerance,
        &lost);
  note_lost (newest, &lost);
  wanted = newest->store.pair[LEFT] != NULL || newest->at_end[!view];
  g_mutex_unlock (&newest->lock);

  tell_lost (self, &lost, "no partner in the other view");
  if (!wanted && gst_pad_get_task_state (GST_AGGREGATOR_SRC_PAD (self))
      != GST_TASK_PAUSED)
    return GST_FLOW_OK;
  return knock (self, view);
}

gboolean
gst_stereo_base_newest_event (GstStereoBase * self, gint view,
    GstEvent * event)
{
  GstStereoNewest *newest = &PRIV (self)->newest;
  GQueue lost = G_QUEUE_INIT;
  GstVideoInfo info;
  GstCaps *caps;

  /* There is nobody here who waits for the images that do not come. */
  if (GST_EVENT_TYPE (event) == GST_EVENT_GAP)
    return gst_stereo_base_takes_newest (self);

  g_mutex_lock (&newest->lock);
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      gst_event_parse_caps (event, &caps);
      newest->frame[view] = GST_CLOCK_TIME_NONE;
      if (gst_video_info_from_caps (&info, caps))
        newest->frame[view] = gst_stereo_frame_duration (&info);
      gst_stereo_store_clear (&newest->store, (guint) view, &lost);
      break;
    case GST_EVENT_SEGMENT:
      gst_event_copy_segment (event, &newest->segment[view]);
      gst_stereo_store_clear (&newest->store, (guint) view, &lost);
      break;
    case GST_EVENT_EOS:
      newest->at_end[view] = TRUE;
      break;
    case GST_EVENT_FLUSH_STOP:
      gst_stereo_store_clear (&newest->store, (guint) view, &lost);
      g_queue_clear_full (&lost, (GDestroyNotify) gst_stereo_lost_free);
      gst_segment_init (&newest->segment[view], GST_FORMAT_UNDEFINED);
      newest->at_end[view] = newest->knocked[view] = FALSE;
      break;
    default:
      break;
  }
  note_lost (newest, &lost);
  g_mutex_unlock (&newest->lock);
  tell_lost (self, &lost, "the view has changed");
  return FALSE;
}

/* --------------------------------------------------------------------- task */

/* A pair that is chosen while many are under way is an old one when it is
 * matched: one under way, besides that pair, keeps a device busy. */
static void
wait_for_room (GstStereoBase * self)
{
  GstStereoBasePrivate *priv = PRIV (self);
  const guint n = MIN (priv->device.n_frames, 2);

  /* that it fails, the next frame will say */
  if (priv->matcher != NULL && priv->last_frame >= n)
    (void) !stereo_matcher_wait (priv->matcher, priv->last_frame + 1 - n);
}

void
gst_stereo_base_newest_peek (GstStereoBase * self,
    GstBuffer * buffers[N_VIEWS])
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstStereoNewest *newest = &priv->newest;

  if (newest->chosen[LEFT] == NULL)
    wait_for_room (self);
  g_mutex_lock (&newest->lock);
  for (guint i = 0; i < N_VIEWS; i++) {
    newest->knocked[i] = FALSE;
    /* what GstAggregator made of a GAP event */
    while (gst_aggregator_pad_drop_buffer (priv->sink[i]));
  }
  if (newest->chosen[LEFT] == NULL
      && gst_stereo_store_take (&newest->store, newest->chosen)) {
    memcpy (priv->segment, newest->segment, sizeof (priv->segment));
    priv->discont |= newest->lost;
    if (newest->lost_discont)
      g_atomic_int_set (&priv->begins_anew, TRUE);
    newest->lost = newest->lost_discont = FALSE;
  }
  g_mutex_unlock (&newest->lock);

  for (guint i = 0; i < N_VIEWS; i++) {
    if (newest->chosen[i] != NULL)
      buffers[i] = gst_buffer_ref (newest->chosen[i]->buffer);
  }
}

void
gst_stereo_base_newest_pop (GstStereoBase * self, gint view)
{
  g_clear_pointer (&PRIV (self)->newest.chosen[view], gst_stereo_image_free);
}

void
gst_stereo_base_newest_unknock (GstStereoBase * self, gint view)
{
  GstStereoNewest *newest = &PRIV (self)->newest;

  g_mutex_lock (&newest->lock);
  newest->knocked[view] = FALSE;
  g_mutex_unlock (&newest->lock);
}

gboolean
gst_stereo_base_newest_has_image (GstStereoBase * self, gint view)
{
  GstStereoNewest *newest = &PRIV (self)->newest;
  gboolean has;

  g_mutex_lock (&newest->lock);
  has = newest->store.pair[view] != NULL
      || !g_queue_is_empty (&newest->store.waiting[view]);
  g_mutex_unlock (&newest->lock);
  return has;
}

gboolean
gst_stereo_base_newest_is_over (GstStereoBase * self)
{
  GstStereoNewest *newest = &PRIV (self)->newest;
  const GstStereoStore *store = &newest->store;
  gboolean over = FALSE;

  g_mutex_lock (&newest->lock);
  for (guint i = 0; i < N_VIEWS && store->pair[LEFT] == NULL; i++)
    over |= newest->at_end[i]
        && (newest->at_end[!i] || store->waiting[i].length == 0);
  g_mutex_unlock (&newest->lock);
  return over;
}

void
gst_stereo_base_newest_release (GstStereoBase * self)
{
  GstStereoImage **chosen = PRIV (self)->newest.chosen;

  /* It will be wanted again, or the end. */
  if ((chosen[LEFT] != NULL && chosen[RIGHT] != NULL)
      || gst_stereo_base_newest_is_over (self)) {
    knock (self, LEFT);
    return;
  }
  for (gint i = 0; i < N_VIEWS; i++) {
    if (chosen[i] != NULL)
      gst_stereo_base_tell_unpaired (self, i, chosen[i]->buffer,
          chosen[i]->time, "no partner in the other view");
    gst_stereo_base_newest_pop (self, i);
  }
}

void
gst_stereo_base_newest_end (GstStereoBase * self)
{
  GstStereoNewest *newest = &PRIV (self)->newest;
  GQueue lost = G_QUEUE_INIT;

  g_mutex_lock (&newest->lock);
  for (guint i = 0; i < N_VIEWS; i++)
    gst_stereo_store_clear (&newest->store, i, &lost);
  g_mutex_unlock (&newest->lock);
  tell_lost (self, &lost, "the other view has ended");
}

/* ----------------------------------------------------------- start and stop */

void
gst_stereo_base_newest_init (GstStereoBase * self)
{
  g_mutex_init (&PRIV (self)->newest.lock);
}

void
gst_stereo_base_newest_finalize (GstStereoBase * self)
{
  g_mutex_clear (&PRIV (self)->newest.lock);
}

void
gst_stereo_base_newest_flush (GstStereoBase * self)
{
  for (gint i = 0; i < N_VIEWS; i++)
    gst_stereo_base_newest_pop (self, i);
}

void
gst_stereo_base_newest_reset (GstStereoBase * self)
{
  GstStereoNewest *newest = &PRIV (self)->newest;
  GQueue lost = G_QUEUE_INIT;

  gst_stereo_base_newest_flush (self);
  g_mutex_lock (&newest->lock);
  for (guint i = 0; i < N_VIEWS; i++) {
    gst_stereo_store_clear (&newest->store, i, &lost);
    gst_segment_init (&newest->segment[i], GST_FORMAT_UNDEFINED);
    newest->frame[i] = GST_CLOCK_TIME_NONE;
    newest->at_end[i] = newest->knocked[i] = FALSE;
  }
  newest->lost = newest->lost_discont = FALSE;
  g_mutex_unlock (&newest->lock);
  g_queue_clear_full (&lost, (GDestroyNotify) gst_stereo_lost_free);
  g_atomic_int_set (&newest->mode, UNDECIDED);
}
