/* gst-stereomatching: from any thread to the main one
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "later.h"

void
tune_later (GSourceFunc function, gpointer data, GDestroyNotify destroy)
{
  if (g_main_context_is_owner (g_main_context_default ())) {
    function (data);
    destroy (data);
  } else {
    g_idle_add_full (G_PRIORITY_DEFAULT, function, data, destroy);
  }
}
