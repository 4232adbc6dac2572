/* gst-stereomatching: images that no map belongs to
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "aggregate/gststereounmatched.h"

#define EVENT_NAME "stereo-unmatched"

static const gchar *const fields[] = { "left-pts", "right-pts" };

static GQuark
gap_quark (void)
{
  return g_quark_from_static_string (EVENT_NAME);
}

gboolean
gst_stereo_unmatched_is_empty (const GstStereoUnmatched * self)
{
  return !GST_CLOCK_TIME_IS_VALID (self->pts[GST_STEREO_LEFT])
      && !GST_CLOCK_TIME_IS_VALID (self->pts[GST_STEREO_RIGHT]);
}

void
gst_stereo_unmatched_push (const GstStereoUnmatched * self, GstPad * pad)
{
  GstStructure *structure;

  if (gst_stereo_unmatched_is_empty (self))
    return;
  structure = gst_structure_new_empty (EVENT_NAME);
  for (guint i = 0; i < GST_STEREO_N_VIEWS; i++) {
    if (GST_CLOCK_TIME_IS_VALID (self->pts[i]))
      gst_structure_set (structure, fields[i], G_TYPE_UINT64, self->pts[i],
          NULL);
  }
  gst_pad_push_event (pad, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
          structure));
}

gboolean
gst_stereo_unmatched_parse (GstEvent * event, GstStereoUnmatched * self)
{
  *self = GST_STEREO_UNMATCHED_NONE;
  if (!gst_event_has_name (event, EVENT_NAME))
    return FALSE;
  for (guint i = 0; i < GST_STEREO_N_VIEWS; i++)
    (void) gst_structure_get_uint64 (gst_event_get_structure (event),
        fields[i], &self->pts[i]);
  return TRUE;
}

GstBuffer *
gst_stereo_unmatched_to_gap (const GstStereoUnmatched * self)
{
  const GstClockTime left = self->pts[GST_STEREO_LEFT];
  GstStereoUnmatched *copy = g_new (GstStereoUnmatched, 1);
  GstBuffer *gap = gst_buffer_new ();

  *copy = *self;
  GST_BUFFER_FLAG_SET (gap, GST_BUFFER_FLAG_GAP);
  GST_BUFFER_PTS (gap) = GST_CLOCK_TIME_IS_VALID (left) ? left
      : self->pts[GST_STEREO_RIGHT];
  gst_mini_object_set_qdata (GST_MINI_OBJECT_CAST (gap), gap_quark (), copy,
      g_free);
  return gap;
}

const GstStereoUnmatched *
gst_stereo_unmatched_from_gap (GstBuffer * gap)
{
  return gst_mini_object_get_qdata (GST_MINI_OBJECT_CAST (gap), gap_quark ());
}
