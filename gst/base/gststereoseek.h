/* gst-stereomatching: seeks that arrive several times
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Matchers send a seek to both views, and a graph may have several sinks.  An
 * element accepts repetitions of a seek without handling them, from any
 * thread. */

#ifndef GST_STEREO_SEEK_H
#define GST_STEREO_SEEK_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Whether a seek repeats the last one, which has the sequence number *last,
 * under the lock of the object.  Otherwise it becomes the last one. */
static inline gboolean
gst_stereo_seek_is_repeated (gpointer object, guint32 * last, guint32 seqnum)
{
  gboolean repeated;

  GST_OBJECT_LOCK (object);
  repeated = *last == seqnum;
  *last = seqnum;
  GST_OBJECT_UNLOCK (object);
  return repeated;
}

/* Forgets a refused seek, which is refused again if it is repeated.  Returns
 * accepted. */
static inline gboolean
gst_stereo_seek_finish (gpointer object, guint32 * last, guint32 seqnum,
    gboolean accepted)
{
  GST_OBJECT_LOCK (object);
  if (!accepted && *last == seqnum)
    *last = GST_SEQNUM_INVALID;
  GST_OBJECT_UNLOCK (object);
  return accepted;
}

G_END_DECLS

#endif /* GST_STEREO_SEEK_H */
