/* gst-stereomatching: plays pairs of views
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "deck.h"

/* Of two images that don't move. */
#define STILL_INTERVAL (100 * 1000)     /* microseconds */
/* From timestamp to timestamp of what the sides get, whatever the source's. */
#define FRAME_TIME (GST_SECOND / 30)

struct TuneDeck
{
  TuneSource *source;
  TuneSide *sides[TUNE_MAX_SIDES];
  TunePair pair;                /* what is shown, with the source's times */
  guint frame;                  /* its number */
  gint64 due;                   /* when the next one may come, microseconds */
  guint timer;
  gboolean watched, paused, step, stale;
};

TuneDeck *
tune_deck_new (TuneSource * source)
{
  TuneDeck *deck = g_new0 (TuneDeck, 1);

  deck->source = source;
  return deck;
}

void
tune_deck_free (TuneDeck ** deck)
{
  if (*deck == NULL)
    return;
  g_clear_handle_id (&(*deck)->timer, g_source_remove);
  tune_pair_clear (&(*deck)->pair);
  g_clear_pointer (deck, g_free);
}

static gboolean
time_has_come (gpointer data)
{
  TuneDeck *deck = data;

  deck->timer = 0;
  tune_deck_go_on (deck);
  return G_SOURCE_REMOVE;
}

/* Whether it is time; if not, comes again when it is. */
static gboolean
is_due (TuneDeck * deck)
{
  const gint64 now = g_get_monotonic_time ();

  if (now >= deck->due)
    return TRUE;
  if (deck->timer == 0)
    deck->timer = g_timeout_add ((guint) ((deck->due - now) / 1000 + 1),
        time_has_come, deck);
  return FALSE;
}

static gboolean
is_busy (TuneDeck * deck)
{
  for (guint i = 0; i < TUNE_MAX_SIDES; i++) {
    if (deck->sides[i] != NULL && tune_side_busy (deck->sides[i]))
      return TRUE;
  }
  return FALSE;
}

/* Takes the next pair, or the one that is there; FALSE when nothing is to be
 * done. */
static gboolean
choose (TuneDeck * deck, gboolean * discont)
{
  const gboolean moves = !deck->paused || deck->step || deck->pair.left == NULL;
  TunePair pair;

  *discont = FALSE;
  if (moves && tune_source_next (deck->source, &pair, discont)) {
    tune_pair_clear (&deck->pair);
    deck->pair = pair;
    deck->step = FALSE;
    return TRUE;
  }
  if (deck->pair.left == NULL)
    return FALSE;
  if (tune_source_is_still (deck->source) && moves) {
    deck->step = FALSE;
    return TRUE;
  }
  return deck->stale;
}

/* When the one after this one may come: in step with the time that the last
 * one was due, unless that is long ago. */
static void
set_due (TuneDeck * deck)
{
  const gint64 now = g_get_monotonic_time ();
  const gint64 interval = tune_source_is_still (deck->source) ? STILL_INTERVAL
      : tune_source_is_live (deck->source) ? 0
      : (gint64) (tune_source_duration (deck->source) / 1000);

  deck->due = MAX (deck->due, now - interval) + interval;
}

void
tune_deck_go_on (TuneDeck * deck)
{
  gboolean discont;
  TunePair stamped;

  if (!deck->watched || is_busy (deck) || !is_due (deck)
      || !choose (deck, &discont))
    return;
  deck->stale = FALSE;
  deck->frame++;
  set_due (deck);
  stamped = tune_pair_stamp (&deck->pair, deck->frame * FRAME_TIME, FRAME_TIME,
      discont);
  for (guint i = 0; i < TUNE_MAX_SIDES; i++) {
    if (deck->sides[i] != NULL)
      tune_side_give (deck->sides[i], &stamped, deck->frame);
  }
  tune_pair_clear (&stamped);
}

void
tune_deck_set_sides (TuneDeck * deck, TuneSide * const *sides)
{
  for (guint i = 0; i < TUNE_MAX_SIDES; i++)
    deck->sides[i] = sides[i];
  tune_deck_refresh (deck);
}

void
tune_deck_watch (TuneDeck * deck, gboolean watched)
{
  deck->watched = watched;
  tune_deck_refresh (deck);
}

gboolean
tune_deck_is_paused (TuneDeck * deck)
{
  return deck->paused;
}

void
tune_deck_pause (TuneDeck * deck, gboolean on)
{
  deck->paused = on;
  tune_deck_go_on (deck);
}

void
tune_deck_step (TuneDeck * deck)
{
  deck->paused = TRUE;
  deck->step = TRUE;
  tune_deck_go_on (deck);
}

void
tune_deck_refresh (TuneDeck * deck)
{
  deck->stale = TRUE;
  tune_deck_go_on (deck);
}
