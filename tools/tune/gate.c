/* gst-stereomatching: which requests are let in
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "gate.h"

#include "token.h"

#include <gio/gio.h>
#include <string.h>

gboolean
tune_gate_host (const gchar * host, guint port)
{
  /* clients leave out the port that is the usual one */
  gchar *wanted = port == 80 ? g_strdup ("") : g_strdup_printf (":%u", port);
  gchar *name;
  gsize length;
  gboolean good;

  if (host == NULL || !g_str_has_suffix (host, wanted)) {
    g_free (wanted);
    return FALSE;
  }
  name = g_strndup (host, strlen (host) - strlen (wanted));
  length = strlen (name);
  if (length > 2 && name[0] == '[' && name[length - 1] == ']') {
    name[length - 1] = '\0';
    good = g_hostname_is_ip_address (name + 1);
  } else {
    good = g_ascii_strcasecmp (name, "localhost") == 0
        || (strchr (name, ':') == NULL && g_hostname_is_ip_address (name));
  }
  g_free (name);
  g_free (wanted);
  return good;
}

gboolean
tune_gate_origin (const gchar * origin, const gchar * host, gboolean needed)
{
  if (origin == NULL)
    return !needed;
  return host != NULL && g_str_has_prefix (origin, "http://")
      && g_ascii_strcasecmp (origin + strlen ("http://"), host) == 0;
}

gboolean
tune_gate_cookie (const gchar * cookies, const gchar * token)
{
  gchar **list;
  gboolean good = FALSE;

  if (token == NULL)
    return TRUE;
  list = g_strsplit (cookies != NULL ? cookies : "", ";", 32);
  for (guint i = 0; list[i] != NULL; i++) {
    const gchar *cookie = g_strstrip (list[i]);

    if (g_str_has_prefix (cookie, TUNE_COOKIE "="))
      good = good || tune_token_equal (token,
          cookie + strlen (TUNE_COOKIE "="));
  }
  g_strfreev (list);
  return good;
}
