/* gst-stereomatching: a view that nobody linked
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "pair/gststereobase-private.h"

#include "base/gststereodebug.h"

/* A pad that nobody linked is an error once the other one waited so long. */
#define UNLINKED_TIMEOUT (5 * GST_SECOND)

static gboolean
unlinked_timeout (GstClock * clock, GstClockTime time, GstClockID id,
    gpointer user_data)
{
  GstStereoBase *self = GST_STEREO_BASE (user_data);
  GstStereoBasePrivate *priv = PRIV (self);

  for (guint i = 0; i < N_VIEWS; i++) {
    if (!gst_pad_is_linked (GST_PAD (priv->sink[i])))
      STEREO_ERROR (self, CORE, PAD,
          ("sink_%s is not linked, but there is video on sink_%s. A stereo "
              "matcher needs both views.", gst_stereo_view_names[i],
              gst_stereo_view_names[!i]), (NULL));
  }
  return TRUE;
}

void
gst_stereo_base_watch_other_pad (GstStereoBase * self, gint view)
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstClock *clock;
  GstClockID timer;

  if (gst_pad_is_linked (GST_PAD (priv->sink[!view])))
    return;
  GST_OBJECT_LOCK (self);
  if (priv->unlinked_timer != NULL) {
    GST_OBJECT_UNLOCK (self);
    return;
  }
  clock = gst_system_clock_obtain ();
  timer = gst_clock_new_single_shot_id (clock,
      gst_clock_get_time (clock) + UNLINKED_TIMEOUT);
  priv->unlinked_timer = gst_clock_id_ref (timer);
  GST_OBJECT_UNLOCK (self);
  gst_clock_id_wait_async (timer, unlinked_timeout, gst_object_ref (self),
      (GDestroyNotify) gst_object_unref);
  gst_clock_id_unref (timer);
  gst_object_unref (clock);
}

void
gst_stereo_base_stop_watching (GstStereoBase * self)
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstClockID timer;

  GST_OBJECT_LOCK (self);
  timer = priv->unlinked_timer;
  priv->unlinked_timer = NULL;
  GST_OBJECT_UNLOCK (self);
  if (timer != NULL) {
    gst_clock_id_unschedule (timer);
    gst_clock_id_unref (timer);
  }
}
