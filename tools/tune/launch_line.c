/* gst-stereomatching: the launch line of a side
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "launch_line.h"

#include "elements.h"
#include "export.h"
#include "notifications.h"

#include <string.h>

/* The length of the word at text, up to a blank outside of quotes. */
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

/* Removes the folder of NAME=/FOLDER/FILE, in place. */
static void
remove_folder (gchar * word)
{
  gchar *value = strchr (word, '='), *file;

  if (value == NULL)
    return;
  value += value[1] == '"' || value[1] == '\'' ? 2 : 1;
  file = value[0] == '/' ? strrchr (value, '/') : NULL;
  if (file != NULL)
    memmove (value, file + 1, strlen (file));
}

gchar *
tune_launch_line_quote (const gchar * description)
{
  static const gchar plain[] = G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS
      "-_=.,:/+%@";
  GString *line = g_string_new (NULL);
  gsize n;

  for (;; description += n) {
    g_autofree gchar *word = NULL, *quoted = NULL;

    while (g_ascii_isspace (*description))
      description++;
    n = word_length (description);
    if (n == 0)
      return g_string_free (line, FALSE);
    word = g_strndup (description, n);
    remove_folder (word);
    if (word[strspn (word, plain)] != '\0' && strcmp (word, "!") != 0)
      quoted = g_shell_quote (word);
    g_string_append_printf (line, "%s%s", line->len > 0 ? " " : "",
        quoted != NULL ? quoted : word);
  }
}

/* " weights=FILE" if the matcher has one; for g_free(). */
static gchar *
weights_text (TuneSession * session, GstElement * matcher)
{
  g_autofree gchar *file = NULL;

  if (session->options->weights == NULL || !tune_has_weights (matcher))
    return g_strdup ("");
  file = tune_quote_path (session->options->weights);
  return g_strconcat (" " TUNE_WEIGHTS "=", file, NULL);
}

/* What corrects a view before the matcher.  A pair of images ends before the
 * matcher has measured it: it needs the correction as a file. */
static gchar *
describe_correction (TuneSession * session, guint index, const gchar * view)
{
  GstElement *matcher = tune_side_element (session->sides[index], "matcher");
  g_autofree gchar *file = NULL;

  if (!tune_alignment_corrects (matcher))
    return g_strdup ("");
  if (!session->source->still)
    return g_strdup (tune_source_takes_corrections (session->source) ? ""
        : " ! videoconvert ! stereorectify");
  file = tune_alignment_file (matcher);
  return file == NULL ? g_strdup ("")
      : g_strdup_printf (" ! videoconvert ! stereorectify view=%s "
      "calibration=%s-" TUNE_CORRECTION_FILE, view, tune_side_names[index]);
}

gchar *
tune_launch_line (TuneSession * session, guint index)
{
  TuneSide *side = session->sides[index];
  g_autofree gchar *source = tune_source_description (session->source);
  g_autofree gchar *match = tune_properties_text (tune_side_element (side,
          "matcher"));
  g_autofree gchar *color = tune_properties_text (tune_side_element (side,
          "color"));
  g_autofree gchar *weights = weights_text (session, tune_side_element (side,
          "matcher"));
  g_autofree gchar *left = describe_correction (session, index, "left");
  g_autofree gchar *right = describe_correction (session, index, "right");
  g_autofree gchar *text = g_strdup_printf ("gst-launch-1.0 %s left. ! queue%s "
      "! m.sink_left right. ! queue%s ! m.sink_right %s name=m%s%s ! "
      "disparitycolor%s ! videoconvert ! autovideosink", source, left, right,
      tune_side_matcher (side), weights, match, color);

  return tune_launch_line_quote (text);
}
