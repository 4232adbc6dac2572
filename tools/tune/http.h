/* gst-stereomatching: the server of the page
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * http.h: the page, which is inside of the program, and /live, a WebSocket for
 * each viewer.  There is nothing else: no file of this machine is served.
 */

#ifndef TUNE_HTTP_H
#define TUNE_HTTP_H

#include "session.h"

typedef struct TuneHttp TuneHttp;

/* NULL, and in why, for g_free(), what is wrong. */
TuneHttp *tune_http_new (TuneSession * session, gchar ** why);
void tune_http_free (TuneHttp ** http);

/* What to open, with the token if there is one; for g_free(). */
gchar *tune_http_address (TuneHttp * http);

#endif /* TUNE_HTTP_H */
