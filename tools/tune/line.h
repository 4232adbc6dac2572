/* gst-stereomatching: what is shown, as a command
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef TUNE_LINE_H
#define TUNE_LINE_H

#include "session.h"

/* The line of gst-launch-1.0 that shows a side's map in a window, for a shell;
 * files are named without their folders, so it is for the folder that they are
 * in.  For g_free(). */
gchar *tune_line (TuneSession * session, guint side);

/* The words of a pipeline's description, which are parted by blanks outside of
 * quotes, as a shell takes them; values that are paths lose their folders.  For
 * g_free(). */
gchar *tune_line_quote (const gchar * description);

#endif /* TUNE_LINE_H */
