/* gst-stereomatching: one error, posted once
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A failure usually repeats with the next buffer.  Therefore an element posts
 * only the first error after its start. */

#ifndef GST_STEREO_FAILURE_H
#define GST_STEREO_FAILURE_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  GstElement *element;          /* source of the errors; not a reference */
  gint posted;                  /* atomic */
} GstStereoFailure;

/* Posts an error, as GST_ELEMENT_ERROR() does, unless one was posted already.
 * Any thread. */
#define GST_STEREO_FAIL(failure, domain, code, text, debug) \
  G_STMT_START { \
    if (g_atomic_int_compare_and_exchange (&(failure)->posted, 0, 1)) \
      GST_ELEMENT_ERROR ((failure)->element, domain, code, text, debug); \
  } G_STMT_END

/* Writes a reason to a StereoMessage; FALSE. */
#define GST_STEREO_REFUSE(why, ...) \
    (g_snprintf ((why)->text, sizeof ((why)->text), __VA_ARGS__), FALSE)

/* Whether an error was posted. */
static inline gboolean
gst_stereo_failure_posted (GstStereoFailure * failure)
{
  return g_atomic_int_get (&failure->posted) != 0;
}

/* For the start of the element. */
static inline void
gst_stereo_failure_reset (GstStereoFailure * failure)
{
  g_atomic_int_set (&failure->posted, 0);
}

G_END_DECLS

#endif /* GST_STEREO_FAILURE_H */
