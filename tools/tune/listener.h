/* gst-stereomatching: connections to the server
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * listener.h: accepts connections for a server, closes idle ones, and closes
 * the oldest one rather than using up the file descriptors of the process.
 * Viewers have a limit of their own and are not counted.
 */

#ifndef TUNE_LISTENER_H
#define TUNE_LISTENER_H

#include <libsoup/soup.h>

typedef struct TuneListener TuneListener;

/* Listens on an address or, for NULL, on those of localhost; borrows the
 * server.  NULL and an error if the port is not free. */
TuneListener *tune_listener_new (SoupServer * server, const gchar * address,
    guint port, GError ** error);
void tune_listener_free (TuneListener ** listener);

guint tune_listener_port (TuneListener * listener);

/* The connection of a request becomes a WebSocket, which may idle for longer;
 * before the WebSocket is created, whose sources keep their timeout. */
void tune_listener_add_websocket (SoupServerMessage * message);

/* It is that of a viewer. */
void tune_listener_add_viewer (TuneListener * listener,
    SoupServerMessage * message);

#endif /* TUNE_LISTENER_H */
