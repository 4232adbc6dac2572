/* gst-stereomatching: the launch line of a side
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef TUNE_LAUNCH_LINE_H
#define TUNE_LAUNCH_LINE_H

#include "session.h"

/* The gst-launch-1.0 command that shows the map of a side in a window, quoted
 * for a shell.  Files have no folders: it runs in theirs.  For g_free(). */
gchar *tune_launch_line (TuneSession * session, guint side);

/* Quotes the words of a pipeline description for a shell and removes the
 * folders of absolute paths.  For g_free(). */
gchar *tune_launch_line_quote (const gchar * description);

#endif /* TUNE_LAUNCH_LINE_H */
