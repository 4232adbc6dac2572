/* gst-stereomatching: a word that viewers must know
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef TUNE_TOKEN_H
#define TUNE_TOKEN_H

#include <glib.h>

#define TUNE_TOKEN_MIN 8
#define TUNE_TOKEN_MAX 128

/* 128 bits that nobody can guess, in hexadecimal, for g_free(). */
gchar *tune_token_new (void);

/* Whether it is long enough, and of letters, digits, '-' and '_'. */
gboolean tune_token_is_valid (const gchar * text);

/* Whether both are the same, in a time that does not say where they differ;
 * given may be NULL. */
gboolean tune_token_equal (const gchar * token, const gchar * given);

#endif /* TUNE_TOKEN_H */
