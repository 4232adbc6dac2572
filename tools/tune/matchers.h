/* gst-stereomatching: the matchers that there are
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef TUNE_MATCHERS_H
#define TUNE_MATCHERS_H

#include <gst/gst.h>

/* Factories of all matchers, by name; for gst_plugin_feature_list_free(). */
GList *tune_matchers_list (void);

/* What one is called, for people; for g_free(). */
gchar *tune_matcher_title (GstElementFactory * factory);

/* FALSE when factory is not the name of a matcher, and in why, for g_free(),
 * which there are. */
gboolean tune_matchers_check (const gchar * factory, gchar ** why);

/* Caps of the views that matchers take, in this machine's memory. */
GstCaps *tune_matchers_caps (void);

#endif /* TUNE_MATCHERS_H */
