/* gst-stereomatching: plays pairs of views
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * deck.h: gives each pair of a source to one side or to both, at the rate of
 * the source, and the next one when they have their maps; pauses, steps, and
 * shows what is paused again when a setting has changed.
 *
 * Nothing is played while nobody watches.
 */

#ifndef TUNE_DECK_H
#define TUNE_DECK_H

#include "side.h"

#define TUNE_MAX_SIDES 2

typedef struct TuneDeck TuneDeck;

/* Of a source, which it does not own. */
TuneDeck *tune_deck_new (TuneSource * source);
void tune_deck_free (TuneDeck ** deck);

/* The sides, borrowed, from 0; NULL where there is none. */
void tune_deck_set_sides (TuneDeck * deck, TuneSide * const *sides);

void tune_deck_watch (TuneDeck * deck, gboolean watched);

gboolean tune_deck_is_paused (TuneDeck * deck);
void tune_deck_pause (TuneDeck * deck, gboolean on);
/* One pair further; pauses. */
void tune_deck_step (TuneDeck * deck);

/* What is shown has to be computed anew, also if it is paused. */
void tune_deck_refresh (TuneDeck * deck);

/* To be called when a side is ready and when the source has something. */
void tune_deck_go_on (TuneDeck * deck);

#endif /* TUNE_DECK_H */
