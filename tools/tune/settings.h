/* gst-stereomatching: all that was set, as a file
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * settings.h: what differs from the defaults, in JSON:
 *
 *   {
 *     "stereo-tune": 1,
 *     "a": {
 *       "matcher": {"factory": "stereosgm", "properties": {"p1": 80}},
 *       "color": {"properties": {"legend": true}}
 *     }
 *   }
 *
 * and "b" if there are two sides.
 */

#ifndef TUNE_SETTINGS_H
#define TUNE_SETTINGS_H

#include "session.h"

/* A new node. */
JsonNode *tune_settings_get (TuneSession * session);

/* Sets all elements to it, and what it does not name to defaults; viewers have
 * to be told all anew.  FALSE, and in why, for g_free(), what is wrong in it;
 * what is right is set, too. */
gboolean tune_settings_set (TuneSession * session, const gchar * text,
    gsize size, gchar ** why);

/* The same from a file. */
gboolean tune_settings_read (TuneSession * session, const gchar * path,
    gchar ** why);

/* The settings of the first side for the second one. */
void tune_settings_copy (TuneSession * session, JsonNode * settings);

#endif /* TUNE_SETTINGS_H */
