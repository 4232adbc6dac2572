/* gst-stereomatching: the back end that the element tests are for
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_CHECK_BACKEND_H
#define STEREO_CHECK_BACKEND_H

#include <glib.h>

/* What the elements compute on, see backend.c: "cpu" or "cuda". */
const gchar *test_backend (void);

/* Whether those that are on the CPU stay there from now on, because the test is
 * about just that.  For example, only there do results lie in buffers of
 * downstream's pool; with CUDA they are in pinned memory. */
void keep_backends (gboolean keep);

#endif /* STEREO_CHECK_BACKEND_H */
