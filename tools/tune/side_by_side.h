/* gst-stereomatching: playback of pairs to one or two sides
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * side_by_side.h: passes each pair of a source to one side or to both, at the
 * frame rate of the source, and the next pair when they have their maps.  Can
 * pause and step, and repeats the current pair when a setting has changed.
 *
 * Playback stops without viewers.
 */

#ifndef TUNE_SIDE_BY_SIDE_H
#define TUNE_SIDE_BY_SIDE_H

#include "side.h"

#define TUNE_MAX_SIDES 2

/* Read-only outside of side_by_side.c. */
typedef struct
{
  gboolean paused;

  /* private */
  TuneSource *source;
  TuneSide *sides[TUNE_MAX_SIDES];
  TunePair pair;                /* the current one */
  guint frame;                  /* its number */
  gint64 due;                   /* when the next one may follow, microseconds */
  guint timer;
  gboolean watched, step, outdated;
} TuneSideBySide;

/* Borrows the source. */
TuneSideBySide *tune_side_by_side_new (TuneSource * source);
void tune_side_by_side_free (TuneSideBySide ** self);

/* Replaces the source, borrowed, and shows its first pair. */
void tune_side_by_side_set_source (TuneSideBySide * self, TuneSource * source);

/* The sides, borrowed; may be NULL. */
void tune_side_by_side_set_sides (TuneSideBySide * self,
    TuneSide * const *sides);

void tune_side_by_side_set_watched (TuneSideBySide * self, gboolean watched);

void tune_side_by_side_pause (TuneSideBySide * self, gboolean on);
/* Pauses after the next pair. */
void tune_side_by_side_step (TuneSideBySide * self);

/* Processes the current pair again if there is no next one. */
void tune_side_by_side_refresh (TuneSideBySide * self);

/* Must be called when a side is ready and when the source has a pair. */
void tune_side_by_side_update (TuneSideBySide * self);

#endif /* TUNE_SIDE_BY_SIDE_H */
