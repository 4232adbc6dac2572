/* gst-stereomatching: limit of fragmented messages
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * frame_limit.h: a WebSocket extension that is never negotiated.  It counts the
 * frames of a message: libsoup limits each of them, but not their sum.
 */

#ifndef TUNE_FRAME_LIMIT_H
#define TUNE_FRAME_LIMIT_H

#include <libsoup/soup.h>

/* Messages of more than size bytes close the connection. */
SoupWebsocketExtension *tune_frame_limit_new (gsize size);

#endif /* TUNE_FRAME_LIMIT_H */
