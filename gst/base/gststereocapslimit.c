/* gst-stereomatching: caps limited by filters and peers
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "base/gststereocapslimit.h"

GstCaps *
gst_stereo_caps_filter (GstCaps * caps, GstCaps * filter)
{
  GstCaps *result;

  if (filter == NULL)
    return caps;
  result = gst_caps_intersect_full (filter, caps, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref (caps);
  return result;
}

GstCaps *
gst_stereo_caps_limit (GstCaps * caps, const GstCaps * by,
    const gchar * const * fields, gboolean any_memory)
{
  GstCaps *wanted, *result;

  if (gst_caps_is_any (by))
    return caps;
  wanted = gst_caps_new_empty ();
  for (guint i = 0; i < gst_caps_get_size (by); i++) {
    const GstStructure *from = gst_caps_get_structure (by, i);
    GstStructure *to = gst_structure_new_empty (gst_structure_get_name (from));

    for (const gchar * const *field = fields; *field != NULL; field++) {
      const GValue *value = gst_structure_get_value (from, *field);

      if (value != NULL)
        gst_structure_set_value (to, *field, value);
    }
    wanted = gst_caps_merge_structure_full (wanted, to, any_memory
        ? gst_caps_features_new_any ()
        : gst_caps_features_copy (gst_caps_get_features (by, i)));
  }
  result = gst_caps_intersect_full (caps, wanted, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref (wanted);
  gst_caps_unref (caps);
  return result;
}
