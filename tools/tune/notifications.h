/* gst-stereomatching: messages to the page
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * notifications.h: the text messages to a page, JSON objects with a member
 * "type".
 *
 *   hello     version source loops truth corrects views[{id title}]
 *             matchers[{factory title}] sides["a", "b"]
 *   elements  side elements[{id factory title presets[] properties[{name nick
 *             blurb kind min max default value live choices[{nick
 *             title}]}]}]
 *   value     side element property value
 *   stats     viewers still, and for each side fps frame_ms
 *             stages[{name ms}] valid dropped device
 *             truth{bad1 bad2 bad4 average pixels} alignment{...}: valid is a
 *             fraction, bad1 to bad4 are in percent, average is in pixels;
 *             alignment has fields of the message stereo-alignment of
 *             matchers (docs/messages.md) with _ for -, and measured and
 *             correction: whether there are a measurement and a correction
 *   probe     side x y frame disparity depth depth_unit confidence
 *   matches   side frame points[[x y dx dy fits]]: see alignment.h
 *   line      side text
 *   settings  text
 *   state     paused compare errors{source a b}: those that have failed
 *   message   level text
 *
 * corrects: whether the source has stereorectify for corrections.
 * kind is int, uint, double, bool or enum; level is error or warning.
 * Each function returns one message, for g_free().
 */

#ifndef TUNE_NOTIFICATIONS_H
#define TUNE_NOTIFICATIONS_H

#include "session.h"

/* "a" and "b". */
extern const gchar *const tune_side_names[TUNE_MAX_SIDES];

gchar *tune_notify_hello (TuneSession * session);
gchar *tune_notify_elements (TuneSession * session, guint side);
gchar *tune_notify_value (TuneSession * session, guint side,
    const gchar * element, GParamSpec * property);
gchar *tune_notify_stats (TuneSession * session);
gchar *tune_notify_probe (TuneSession * session, guint side, guint x, guint y);
gchar *tune_notify_matches (TuneSession * session, guint side);
gchar *tune_notify_line (TuneSession * session, guint side);
gchar *tune_notify_settings (TuneSession * session);
gchar *tune_notify_state (TuneSession * session);
gchar *tune_notify_message (const gchar * level, const gchar * text);

/* Sends the whole state to a new viewer or, for NULL, to all. */
void tune_notify_all (TuneSession * session, TuneViewer * viewer);

#endif /* TUNE_NOTIFICATIONS_H */
