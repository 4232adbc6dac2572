/* gst-stereomatching: the debug category that elements share
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Included last, by files that have no category of their own. */

#ifndef GST_STEREO_DEBUG_H
#define GST_STEREO_DEBUG_H

#include "stereo.h"

#include <gst/gst.h>

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (gst_stereo_base_debug);
#ifndef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT gst_stereo_base_debug
#endif

/* Initializes the category.  Call it before logging; repeated calls have no
 * effect. */
void gst_stereo_debug_init (void);

/* A StereoLogFunction that logs to this category. */
void gst_stereo_debug_from_library (StereoLogLevel level, const char *text,
    void *user_data);

G_END_DECLS

#endif /* GST_STEREO_DEBUG_H */
