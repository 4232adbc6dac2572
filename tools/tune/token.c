/* gst-stereomatching: a word that viewers must know
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "token.h"

#include <string.h>
#include <sys/random.h>

gchar *
tune_token_new (void)
{
  guint8 bytes[16];
  GString *text = g_string_new (NULL);

  if (getrandom (bytes, sizeof (bytes), 0) != sizeof (bytes))
    g_error ("this machine has no random numbers");
  for (gsize i = 0; i < sizeof (bytes); i++)
    g_string_append_printf (text, "%02x", bytes[i]);
  return g_string_free (text, FALSE);
}

gboolean
tune_token_is_valid (const gchar * text)
{
  const gsize length = strlen (text);

  if (length < TUNE_TOKEN_MIN || length > TUNE_TOKEN_MAX)
    return FALSE;
  for (gsize i = 0; i < length; i++) {
    if (!g_ascii_isalnum (text[i]) && text[i] != '-' && text[i] != '_')
      return FALSE;
  }
  return TRUE;
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
