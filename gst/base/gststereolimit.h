/* gst-stereomatching: what neighbours leave of caps
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_LIMIT_H
#define GST_STEREO_LIMIT_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Both take the caps that they are about, and return what is left of them. */

/* What the filter of a query, which may be NULL, lets through: in its order. */
GstCaps *gst_stereo_caps_filter (GstCaps * caps, GstCaps * filter);

/* What has in these fields, ending with NULL, what the other caps have there:
 * in its own order.  Of the other caps' kinds of memory, or of any. */
GstCaps *gst_stereo_caps_limit (GstCaps * caps, const GstCaps * by,
    const gchar * const * fields, gboolean any_memory);

G_END_DECLS

#endif /* GST_STEREO_LIMIT_H */
