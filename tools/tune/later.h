/* gst-stereomatching: from any thread to the main one
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef TUNE_LATER_H
#define TUNE_LATER_H

#include <glib.h>

/*
 * Calls function, which returns G_SOURCE_REMOVE, in the main context: at once
 * where that runs, else from its loop.  g_main_context_invoke() would call it
 * in the thread that asks, before the loop runs and when it has ended.
 */
void tune_later (GSourceFunc function, gpointer data, GDestroyNotify destroy);

#endif /* TUNE_LATER_H */
