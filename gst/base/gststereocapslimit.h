/* gst-stereomatching: caps limited by filters and peers
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_CAPS_LIMIT_H
#define GST_STEREO_CAPS_LIMIT_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Both take ownership of the caps and return the limited caps. */

/* Intersects with the filter of a query, which may be NULL, in the order of the
 * filter. */
GstCaps *gst_stereo_caps_filter (GstCaps * caps, GstCaps * filter);

/* Limits fields, a list that ends with NULL, to the values in other caps, and
 * keeps the order of the caps.  Limits the kinds of memory unless any is
 * accepted. */
GstCaps *gst_stereo_caps_limit (GstCaps * caps, const GstCaps * by,
    const gchar * const * fields, gboolean any_memory);

G_END_DECLS

#endif /* GST_STEREO_CAPS_LIMIT_H */
