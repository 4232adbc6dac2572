/* gst-stereomatching: what is shown, as a command
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "line.h"

#include "properties.h"

#include <string.h>

/* Bytes of the word that text begins with. */
static gsize
word_length (const gchar * text)
{
  gchar quote = '\0';
  gsize n = 0;

  for (; text[n] != '\0' && (quote != '\0'
          || !g_ascii_isspace (text[n])); n++) {
    if (text[n] == '\\' && text[n + 1] != '\0')
      n++;
    else if (quote != '\0' && text[n] == quote)
      quote = '\0';
    else if (quote == '\0' && (text[n] == '"' || text[n] == '\''))
      quote = text[n];
  }
  return n;
}

/* Takes the folder away from NAME=/FOLDER/FILE. */
static gchar *
without_folder (gchar * word)
{
  gchar *value = strchr (word, '='), *file;

  if (value == NULL)
    return word;
  value += value[1] == '"' || value[1] == '\'' ? 2 : 1;
  file = value[0] == '/' ? strrchr (value, '/') : NULL;
  if (file != NULL)
    memmove (value, file + 1, strlen (file));
  return word;
}

static gboolean
is_plain (const gchar * word)
{
  for (const gchar * c = word; *c != '\0'; c++) {
    if (!g_ascii_isalnum (*c) && strchr ("-_=.,:/+%@", *c) == NULL)
      return FALSE;
  }
  return TRUE;
}

gchar *
tune_line_quote (const gchar * description)
{
  GString *line = g_string_new (NULL);

  for (;;) {
    gchar *word, *quoted;
    gsize n;

    while (g_ascii_isspace (*description))
      description++;
    n = word_length (description);
    if (n == 0)
      break;
    word = without_folder (g_strndup (description, n));
    quoted = is_plain (word) || strcmp (word, "!") == 0 ? g_strdup (word)
        : g_shell_quote (word);
    g_string_append_printf (line, "%s%s", line->len > 0 ? " " : "", quoted);
    g_free (word);
    g_free (quoted);
    description += n;
  }
  return g_string_free (line, FALSE);
}

gchar *
tune_line (TuneSession * session, guint index)
{
  TuneSide *side = session->sides[index];
  GstElement *matcher = tune_side_element (side, "matcher");
  gchar *source = tune_source_line (session->source);
  gchar *match = tune_properties_text (matcher);
  gchar *color = tune_properties_text (tune_side_element (side, "color"));
  gchar *text = g_strdup_printf ("gst-launch-1.0 %s left. ! queue ! "
      "m.sink_left right. ! queue ! m.sink_right %s name=m%s ! "
      "disparitycolor%s ! videoconvert ! autovideosink", source,
      GST_OBJECT_NAME (gst_element_get_factory (matcher)), match, color);
  gchar *line = tune_line_quote (text);

  g_free (text);
  g_free (color);
  g_free (match);
  g_free (source);
  return line;
}
