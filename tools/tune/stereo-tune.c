/* gst-stereomatching: tuning of a matcher in a browser
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * stereo-tune: serves a page that shows the output of a matcher live and has a
 * control for every property.  docs/stereo-tune.md is its manual.
 */

#include "cli.h"
#include "http.h"

#include <glib-unix.h>
#include <locale.h>
#include <stdio.h>

static gboolean
quit (gpointer loop)
{
  g_main_loop_quit (loop);
  return G_SOURCE_CONTINUE;
}

/* Serves until a signal; returns the exit status. */
static int
serve (TuneHttp * http)
{
  GMainLoop *loop = g_main_loop_new (NULL, FALSE);
  const guint interrupt = g_unix_signal_add (SIGINT, quit, loop);
  const guint terminate = g_unix_signal_add (SIGTERM, quit, loop);
  g_autofree gchar *address = tune_http_address (http);
  int status;

  printf ("open %s\n", address);
  status = cli_flush (TUNE_PROGRAM);
  if (status == 0)
    g_main_loop_run (loop);
  g_source_remove (interrupt);
  g_source_remove (terminate);
  g_main_loop_unref (loop);
  return status;
}

int
main (int argc, char **argv)
{
  TuneSession *session;
  TuneOptions options;
  TuneHttp *http = NULL;
  g_autofree gchar *why = NULL;
  int status = CLI_BAD_INPUT;

  /* GLib prints messages in this encoding; numbers keep their decimal point */
  setlocale (LC_CTYPE, "");
  tune_options_parse (&options, argc, argv);
  gst_init (NULL, NULL);
  session = tune_session_new (&options, &why);
  if (session != NULL)
    http = tune_http_new (session, &why);
  if (http != NULL) {
    status = serve (http);
  } else {
    g_printerr (TUNE_PROGRAM ": %s\n", why);
  }
  tune_session_free (&session);
  tune_http_free (&http);
  tune_options_clear (&options);
  gst_deinit ();
  return status;
}
