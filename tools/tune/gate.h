/* gst-stereomatching: which requests are let in
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * gate.h: rules that keep out pages of other sites, names that were bound to
 * this machine's address by others, and who does not know the token.
 */

#ifndef TUNE_GATE_H
#define TUNE_GATE_H

#include <glib.h>

#define TUNE_COOKIE "stereo-tune"

/* Whether a Host header names this server: localhost or an address, with the
 * port; any other name may be somebody else's.  NULL is none. */
gboolean tune_gate_host (const gchar * host, guint port);

/* Whether an Origin header is that of a page of this very host.  NULL is none,
 * which is let in where it need not be there. */
gboolean tune_gate_origin (const gchar * origin, const gchar * host,
    gboolean needed);

/* Whether a Cookie header has the token; a token of NULL is had by all. */
gboolean tune_gate_cookie (const gchar * cookies, const gchar * token);

#endif /* TUNE_GATE_H */
