/* gst-stereomatching: tunes a matcher in a browser
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * stereo-tune: serves a page that shows what a matcher makes of two views, and
 * has a control for every property.  docs/stereo-tune.md is its manual.
 */

#include "http.h"

#include <glib-unix.h>
#include <stdio.h>

#define BAD_INPUT 2

static gboolean
stop (gpointer loop)
{
  g_main_loop_quit (loop);
  return G_SOURCE_CONTINUE;
}

static void
run (TuneHttp * http)
{
  GMainLoop *loop = g_main_loop_new (NULL, FALSE);
  const guint interrupt = g_unix_signal_add (SIGINT, stop, loop);
  const guint terminate = g_unix_signal_add (SIGTERM, stop, loop);
  gchar *address = tune_http_address (http);

  printf ("open %s\n", address);
  fflush (stdout);
  g_free (address);
  g_main_loop_run (loop);
  g_source_remove (interrupt);
  g_source_remove (terminate);
  g_main_loop_unref (loop);
}

int
main (int argc, char **argv)
{
  TuneSession *session;
  TuneOptions options;
  TuneHttp *http = NULL;
  gchar *why = NULL;
  int status = BAD_INPUT;

  tune_options_parse (&options, argc, argv);
  gst_init (NULL, NULL);
  session = tune_session_new (&options, &why);
  if (session != NULL)
    http = tune_http_new (session, &why);
  if (http != NULL) {
    run (http);
    status = 0;
  } else {
    g_printerr (TUNE_PROGRAM ": %s\n", why);
  }
  tune_session_free (&session);
  tune_http_free (&http);
  tune_options_clear (&options);
  g_free (why);
  gst_deinit ();
  return status;
}
