/* gst-stereomatching: access control of the server
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "access.h"

#include <libsoup/soup.h>
#include <string.h>
#include <sys/random.h>

gboolean
tune_access_check_host (const gchar * host, guint port)
{
  /* clients omit the default port */
  g_autofree gchar *suffix = port == 80 ? g_strdup ("")
      : g_strdup_printf (":%u", port);
  g_autofree gchar *name = NULL;
  gsize length;

  if (host == NULL || !g_str_has_suffix (host, suffix))
    return FALSE;
  name = g_strndup (host, strlen (host) - strlen (suffix));
  length = strlen (name);
  if (length > 2 && name[0] == '[' && name[length - 1] == ']') {
    name[length - 1] = '\0';
    return g_hostname_is_ip_address (name + 1);
  }
  return g_ascii_strcasecmp (name, "localhost") == 0
      || (strchr (name, ':') == NULL && g_hostname_is_ip_address (name));
}

gboolean
tune_access_check_origin (const gchar * origin, const gchar * host,
    gboolean required)
{
  if (origin == NULL)
    return !required;
  return host != NULL && g_str_has_prefix (origin, "http://")
      && g_ascii_strcasecmp (origin + strlen ("http://"), host) == 0;
}

gboolean
tune_access_check_site (const gchar * site)
{
  return site == NULL || strcmp (site, "same-origin") == 0
      || strcmp (site, "none") == 0;
}

gboolean
tune_access_check_cookie (const gchar * cookies, const gchar * token)
{
  GHashTable *list;
  gboolean good;

  if (token == NULL)
    return TRUE;
  if (cookies == NULL)
    return FALSE;
  list = soup_header_parse_semi_param_list (cookies);
  good = tune_token_equal (token, g_hash_table_lookup (list, TUNE_COOKIE));
  soup_header_free_param_list (list);
  return good;
}

gchar *
tune_token_new (void)
{
  guint8 bytes[16];
  GString *text = g_string_new (NULL);

  if (getrandom (bytes, sizeof (bytes), 0) != sizeof (bytes))
    g_error ("Cannot read random numbers");
  for (gsize i = 0; i < sizeof (bytes); i++)
    g_string_append_printf (text, "%02x", bytes[i]);
  return g_string_free (text, FALSE);
}

gboolean
tune_token_is_valid (const gchar * text)
{
  const gsize length = strlen (text);

  return length >= TUNE_TOKEN_MIN && length <= TUNE_TOKEN_MAX
      && strspn (text, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "-_") == length;
}

gboolean
tune_token_equal (const gchar * token, const gchar * given)
{
  const gsize length = strlen (token);
  const gsize n = given != NULL ? strlen (given) : 0;
  guint8 difference = n != length;

  for (gsize i = 0; i < length; i++)
    difference |= (guint8) (token[i] ^ (n > 0 ? given[i % n] : 0));
  return difference == 0;
}
