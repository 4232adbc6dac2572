/* gst-stereomatching: access control of the server
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * access.h: requests from pages of other sites, under foreign host names (DNS
 * rebinding) and without the token are rejected.
 */

#ifndef TUNE_ACCESS_H
#define TUNE_ACCESS_H

#include <glib.h>

#define TUNE_COOKIE "stereo-tune"

#define TUNE_TOKEN_MIN 8
#define TUNE_TOKEN_MAX 128

/* Whether a Host header names this server: localhost or an IP address, with the
 * port.  NULL = no header, here and below. */
gboolean tune_access_check_host (const gchar * host, guint port);

/* Whether an Origin header names this host; required: whether the header must
 * be present. */
gboolean tune_access_check_origin (const gchar * origin, const gchar * host,
    gboolean required);

/* Whether a Sec-Fetch-Site header, if any, names a page of this server or a
 * navigation of the user. */
gboolean tune_access_check_site (const gchar * site);

/* Whether a Cookie header has the token; always if token is NULL. */
gboolean tune_access_check_cookie (const gchar * cookies, const gchar * token);

/* 128 random bits in hexadecimal, for g_free(). */
gchar *tune_token_new (void);

/* Whether the length is allowed and all are letters, digits, '-' or '_'. */
gboolean tune_token_is_valid (const gchar * text);

/* Compares in constant time; given may be NULL. */
gboolean tune_token_equal (const gchar * token, const gchar * given);

#endif /* TUNE_ACCESS_H */
