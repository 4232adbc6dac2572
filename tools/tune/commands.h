/* gst-stereomatching: what viewers may do
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef TUNE_COMMANDS_H
#define TUNE_COMMANDS_H

#include "session.h"

/* Does what a viewer's message asks for; it is told what is wrong with it. */
void tune_commands_run (TuneSession * session, TuneViewer * viewer,
    const gchar * text, gsize size);

#endif /* TUNE_COMMANDS_H */
