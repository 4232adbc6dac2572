/* gst-stereomatching: views that nothing comes from
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * An element that waits for a view that never comes looks like one that hangs.
 * So once a second, from start to stop, somebody looks at what the views do: a
 * view that nobody linked is an error after a while, and a live one that sends
 * nothing is worth a warning.
 */

#include "pair/gststereobase-private.h"

#include "base/gststereodebug.h"

#define INTERVAL GST_SECOND

/* Looks in a row that count. */
#define PATIENCE 5

/* Without a reference to the element, which it would keep alive for as long as
 * the clock's thread likes. */
struct _GstStereoWatch
{
  GstClockID timer;
  GRecMutex lock;               /* of all that follows */
  GstStereoBase *self;          /* NULL once it is over */
  guint unlinked;               /* looks in a row at pads that are not linked */
  guint silent[N_VIEWS];        /* and at a view that is waited for */
  gint came[N_VIEWS];           /* images at the last look */
  gboolean warned[N_VIEWS];
};

/* Fails when the second view is not linked, while the first one has video, or
 * is not linked either. */
static gboolean
look_for_links (GstStereoWatch * watch)
{
  GstStereoBase *self = watch->self;
  GstStereoBasePrivate *priv = PRIV (self);
  gboolean linked[N_VIEWS], has_video[N_VIEWS];

  GST_OBJECT_LOCK (self);
  for (guint i = 0; i < N_VIEWS; i++)
    has_video[i] = priv->has_info[i];
  GST_OBJECT_UNLOCK (self);
  for (guint i = 0; i < N_VIEWS; i++)
    linked[i] = gst_pad_is_linked (GST_PAD (priv->sink[i]));

  if (!linked[LEFT] && !linked[RIGHT]) {
    if (++watch->unlinked >= PATIENCE)
      STEREO_ERROR (self, CORE, PAD,
          ("sink_left is not linked, and neither is sink_right. A stereo "
              "matcher needs both views."), (NULL));
    return FALSE;
  }
  for (gint i = 0; i < N_VIEWS; i++) {
    if (linked[i] || !has_video[!i])
      continue;
    if (++watch->unlinked >= PATIENCE)
      STEREO_ERROR (self, CORE, PAD,
          ("sink_%s is not linked, but there is video on sink_%s. A stereo "
              "matcher needs both views.", gst_stereo_view_names[i],
              gst_stereo_view_names[!i]), (NULL));
    return FALSE;
  }
  watch->unlinked = 0;
  return linked[LEFT] && linked[RIGHT];
}

/* Nothing comes on the view, and the other one's images wait for it: they go on
 * coming, or their source waits.  GstAggregator is not asked for them, which
 * would keep the one that it finds, beyond a flush. */
static gboolean
is_silent (GstStereoWatch * watch, gint view, const gint came[N_VIEWS])
{
  GstStereoBase *self = watch->self;

  return came[view] == watch->came[view]
      && !gst_stereo_base_is_waited_in (self, view)
      && (came[!view] != watch->came[!view]
      || gst_stereo_base_is_waited_in (self, !view))
      && !gst_aggregator_pad_is_eos (PRIV (self)->sink[view])
      && gst_stereo_base_is_live (self);
}

/* Warns of a view that sends nothing, once. */
static void
look_for_silence (GstStereoWatch * watch)
{
  GstStereoBase *self = watch->self;
  gint came[N_VIEWS];

  for (gint i = 0; i < N_VIEWS; i++)
    came[i] = gst_stereo_base_count_images (self, i);
  for (gint i = 0; i < N_VIEWS; i++) {
    if (!is_silent (watch, i, came))
      watch->silent[i] = 0;
    else if (++watch->silent[i] == PATIENCE && !watch->warned[i]) {
      GST_ELEMENT_WARNING (self, STREAM, FAILED,
          ("Nothing has come on sink_%s for %d seconds, while images wait on "
              "sink_%s. Does that camera work?", gst_stereo_view_names[i],
              PATIENCE, gst_stereo_view_names[!i]), (NULL));
      watch->warned[i] = TRUE;
    }
  }
  memcpy (watch->came, came, sizeof (came));
}

static gboolean
look (GstClock * clock, GstClockTime time, GstClockID id, gpointer user_data)
{
  GstStereoWatch *watch = user_data;

  g_rec_mutex_lock (&watch->lock);
  if (watch->self != NULL && look_for_links (watch))
    look_for_silence (watch);
  g_rec_mutex_unlock (&watch->lock);
  return TRUE;
}

static void
free_watch (gpointer user_data)
{
  GstStereoWatch *watch = user_data;

  g_rec_mutex_clear (&watch->lock);
  g_free (watch);
}

void
gst_stereo_base_start_watching (GstStereoBase * self)
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstClock *clock = gst_system_clock_obtain ();
  GstStereoWatch *watch = g_new0 (GstStereoWatch, 1);

  g_rec_mutex_init (&watch->lock);
  watch->self = self;
  watch->timer = gst_clock_new_periodic_id (clock,
      gst_clock_get_time (clock) + INTERVAL, INTERVAL);
  priv->watch = watch;
  gst_clock_id_wait_async (watch->timer, look, watch, free_watch);
  gst_object_unref (clock);
}

void
gst_stereo_base_stop_watching (GstStereoBase * self)
{
  GstStereoBasePrivate *priv = PRIV (self);

  GstStereoWatch *watch = g_steal_pointer (&priv->watch);
  GstClockID timer;

  if (watch == NULL)
    return;
  g_rec_mutex_lock (&watch->lock);
  watch->self = NULL;
  g_rec_mutex_unlock (&watch->lock);
  /* the watch goes with it */
  timer = watch->timer;
  gst_clock_id_unschedule (timer);
  gst_clock_id_unref (timer);
}
