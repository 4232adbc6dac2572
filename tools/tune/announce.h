/* gst-stereomatching: what viewers are told
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * announce.h: the text messages to a page, JSON objects with a member "type".
 *
 *   hello     version source loops truth views[{id title}]
 *             matchers[{factory title}] sides["a", "b"]
 *   elements  side elements[{id factory title presets[] properties[{name nick
 *             blurb kind min max unit default value live choices[{nick
 *             title}]}]}]
 *   value     side element property value
 *   stats     viewers, and for each side fps frame_ms stages[{name ms}] valid
 *             dropped device truth{bad1 bad2 bad4 average pixels}: valid is a
 *             share, the bad are in percent, the average is in pixels
 *   probe     side x y frame disparity depth depth_unit confidence
 *   line      side text
 *   settings  text
 *   state     paused compare
 *   message   level text
 *
 * kind is int, uint, double, bool, enum, flags or string; a level error,
 * warning or info.  Each function gives one message, for g_free().
 */

#ifndef TUNE_ANNOUNCE_H
#define TUNE_ANNOUNCE_H

#include "session.h"

gchar *tune_announce_hello (TuneSession * session);
gchar *tune_announce_elements (TuneSession * session, guint side);
gchar *tune_announce_value (TuneSession * session, guint side,
    const gchar * element, GParamSpec * property);
gchar *tune_announce_stats (TuneSession * session);
gchar *tune_announce_probe (TuneSession * session, guint side, gint x, gint y);
gchar *tune_announce_line (TuneSession * session, guint side);
gchar *tune_announce_settings (TuneSession * session);
gchar *tune_announce_state (TuneSession * session);
gchar *tune_announce_message (TuneLevel level, const gchar * text);

/* All that a new viewer needs to know, to one or, for NULL, to all. */
void tune_announce_all (TuneSession * session, TuneViewer * viewer);

#endif /* TUNE_ANNOUNCE_H */
