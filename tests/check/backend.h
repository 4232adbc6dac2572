/* gst-stereomatching: compute backend of the element tests
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_CHECK_BACKEND_H
#define STEREO_CHECK_BACKEND_H

#include <glib.h>

/* The backend of the elements, "cpu" or "cuda"; see backend.c. */
const gchar *test_backend (void);

/* While true, elements with backend=cpu stay on the CPU, for tests of CPU
 * behaviour.  For example, only the CPU backend writes results into buffers of
 * downstream's pool; CUDA writes to pinned memory. */
void keep_backends (gboolean keep);

#endif /* STEREO_CHECK_BACKEND_H */
