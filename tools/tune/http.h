/* gst-stereomatching: the HTTP server
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * http.h: serves the page, which is a resource of the program, /live, a
 * WebSocket for each viewer, and /export/, the downloads (export.h), but no
 * files of the machine; takes images at /scene (upload.h).
 */

#ifndef TUNE_HTTP_H
#define TUNE_HTTP_H

#include "session.h"

typedef struct TuneHttp TuneHttp;

/* NULL, and in why, for g_free(), the error. */
TuneHttp *tune_http_new (TuneSession * session, gchar ** why);
void tune_http_free (TuneHttp ** http);

/* The address of the page, with the token if there is one; for g_free(). */
gchar *tune_http_address (TuneHttp * http);

#endif /* TUNE_HTTP_H */
