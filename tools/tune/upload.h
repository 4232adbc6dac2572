/* gst-stereomatching: images of a page
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * upload.h: two images in the body of a request, multipart/form-data, replace
 * the source: the left view and the right one, in any format that image_parse()
 * reads.  Names in the request are ignored.
 */

#ifndef TUNE_UPLOAD_H
#define TUNE_UPLOAD_H

#include "session.h"

/* Maximum size of a request in bytes, and of an image in pixels. */
#define TUNE_UPLOAD_SIZE (64 << 20)
#define TUNE_UPLOAD_PIXELS (16 << 20)

/* Whether the headers announce a body within the limit. */
gboolean tune_upload_check (SoupMessageHeaders * request);

/* Shows the images of a request.  FALSE, and in why, for g_free(), what was
 * expected: the source is still the earlier one. */
gboolean tune_upload_open (TuneSession * session, SoupServerMessage * message,
    gchar ** why);

#endif /* TUNE_UPLOAD_H */
