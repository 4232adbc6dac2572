/* gst-stereomatching: playback of pairs to one or two sides
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "side_by_side.h"

/* Between repetitions of a still pair, in microseconds. */
#define STILL_INTERVAL (100 * 1000)
/* The interval of output timestamps, independent of those of the source. */
#define FRAME_TIME (GST_SECOND / 30)

TuneSideBySide *
tune_side_by_side_new (TuneSource * source)
{
  TuneSideBySide *self = g_new0 (TuneSideBySide, 1);

  self->source = source;
  return self;
}

void
tune_side_by_side_free (TuneSideBySide ** self)
{
  if (*self == NULL)
    return;
  g_clear_handle_id (&(*self)->timer, g_source_remove);
  tune_pair_clear (&(*self)->pair);
  g_clear_pointer (self, g_free);
}

static gboolean
timer_expired (gpointer data)
{
  TuneSideBySide *self = data;

  self->timer = 0;
  tune_side_by_side_update (self);
  return G_SOURCE_REMOVE;
}

/* Whether the next pair is due; otherwise starts the timer. */
static gboolean
is_due (TuneSideBySide * self)
{
  const gint64 now = g_get_monotonic_time ();

  if (now < self->due && self->timer == 0)
    self->timer = g_timeout_add ((guint) ((self->due - now) / 1000 + 1),
        timer_expired, self);
  return now >= self->due;
}

/* Both sides wait for one that has failed. */
static gboolean
is_ready (TuneSideBySide * self)
{
  for (guint i = 0; i < TUNE_MAX_SIDES; i++) {
    if (self->sides[i] != NULL && !tune_side_is_ready (self->sides[i]))
      return FALSE;
  }
  return TRUE;
}

/* Selects the next pair or repeats the current one; FALSE if there is nothing
 * to process. */
static gboolean
select_pair (TuneSideBySide * self, gboolean * discont)
{
  const gboolean play = !self->paused || self->step || self->pair.left == NULL;
  TunePair pair;

  *discont = FALSE;
  if (play && tune_source_next (self->source, &pair, discont)) {
    tune_pair_clear (&self->pair);
    self->pair = pair;
    self->step = FALSE;
    return TRUE;
  }
  if (self->pair.left == NULL)
    return FALSE;
  if (self->source->still && play) {
    self->step = FALSE;
    return TRUE;
  }
  return self->outdated;
}

/* Keeps the rate of the source, without catching up. */
static void
set_due (TuneSideBySide * self)
{
  const TuneSource *source = self->source;
  const gint64 now = g_get_monotonic_time ();
  const gint64 interval = source->still ? STILL_INTERVAL : source->live ? 0
      : (gint64) (source->duration / 1000);

  self->due = MAX (self->due, now - interval) + interval;
}

void
tune_side_by_side_update (TuneSideBySide * self)
{
  gboolean discont;
  TunePair stamped;

  if (!self->watched || !is_ready (self) || !is_due (self)
      || !select_pair (self, &discont))
    return;
  self->outdated = FALSE;
  self->frame++;
  set_due (self);
  stamped = tune_pair_stamp (&self->pair, self->frame * FRAME_TIME, FRAME_TIME,
      discont);
  for (guint i = 0; i < TUNE_MAX_SIDES; i++) {
    if (self->sides[i] != NULL)
      tune_side_push (self->sides[i], &stamped, self->frame);
  }
  tune_pair_clear (&stamped);
}

void
tune_side_by_side_set_source (TuneSideBySide * self, TuneSource * source)
{
  tune_pair_clear (&self->pair);
  self->source = source;
  tune_side_by_side_refresh (self);
}

void
tune_side_by_side_set_sides (TuneSideBySide * self, TuneSide * const *sides)
{
  for (guint i = 0; i < TUNE_MAX_SIDES; i++)
    self->sides[i] = sides[i];
  tune_side_by_side_refresh (self);
}

void
tune_side_by_side_set_watched (TuneSideBySide * self, gboolean watched)
{
  self->watched = watched;
  tune_side_by_side_refresh (self);
}

void
tune_side_by_side_pause (TuneSideBySide * self, gboolean on)
{
  self->paused = on;
  tune_side_by_side_update (self);
}

void
tune_side_by_side_step (TuneSideBySide * self)
{
  self->step = TRUE;
  tune_side_by_side_pause (self, TRUE);
}

void
tune_side_by_side_refresh (TuneSideBySide * self)
{
  self->outdated = TRUE;
  tune_side_by_side_update (self);
}
