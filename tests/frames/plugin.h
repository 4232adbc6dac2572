/* gst-stereomatching: the plugin in tests with a simulated GPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_TEST_PLUGIN_H
#define STEREO_TEST_PLUGIN_H

#include <glib.h>

/* A fixture: registers the plugin that is linked into the program. */
void register_plugin (void);

/* As many of the next calls of stereo_params_new() fail. */
extern guint n_failing_params;

#endif /* STEREO_TEST_PLUGIN_H */
