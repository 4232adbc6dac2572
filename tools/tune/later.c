/* gst-stereomatching: from any thread to the main one
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "later.h"

/* A call on its way.  GLib's lock hands it over; given says so to the thread
 * sanitizer as well, which does not see that lock. */
typedef struct
{
  GSourceFunc function;
  gpointer data;
  GDestroyNotify destroy;
  gint given;
} Call;

static gboolean
run (gpointer data)
{
  Call *call = data;

  return g_atomic_int_get (&call->given) ? call->function (call->data)
      : G_SOURCE_REMOVE;
}

static void
end (gpointer data)
{
  Call *call = data;

  if (g_atomic_int_get (&call->given))
    call->destroy (call->data);
  g_free (call);
}

void
tune_later (GSourceFunc function, gpointer data, GDestroyNotify destroy)
{
  Call *call;

  if (g_main_context_is_owner (g_main_context_default ())) {
    function (data);
    destroy (data);
    return;
  }
  call = g_new (Call, 1);
  call->function = function;
  call->data = data;
  call->destroy = destroy;
  g_atomic_int_set (&call->given, TRUE);
  g_idle_add_full (G_PRIORITY_DEFAULT, run, call, end);
}
