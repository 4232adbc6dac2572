/* gst-stereomatching: metadata of rectified views
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "base/gststereocamerameta.h"

#include "base/gststereometa.h"

#include <math.h>

void
gst_stereo_camera_meta_register (void)
{
  gst_stereo_meta_register_name (GST_STEREO_CAMERA_META,
      gst_stereo_picture_meta_tags);
}

void
gst_stereo_camera_meta_add (GstBuffer * buffer, const GstStereoCamera * camera)
{
  GstStructure *s = gst_stereo_meta_new (buffer, GST_STEREO_CAMERA_META);

  gst_structure_set (s,
      "view", G_TYPE_STRING, camera->is_right ? "right" : "left",
      "focal-length", G_TYPE_DOUBLE, camera->focal_length,
      "cx", G_TYPE_DOUBLE, camera->cx, "cy", G_TYPE_DOUBLE, camera->cy, NULL);
  if (camera->baseline > 0)
    gst_structure_set (s, "baseline", G_TYPE_DOUBLE, camera->baseline,
        "doffs", G_TYPE_DOUBLE, camera->doffs, NULL);
  gst_stereo_meta_set_projection (s, camera->projection);
}

gboolean
gst_stereo_camera_meta_get (GstBuffer * buffer, GstStereoCamera * camera)
{
  GstStereoCamera c = { 0, };
  const GstStructure *s = gst_stereo_meta_find (buffer,
      GST_STEREO_CAMERA_META);

  if (s == NULL
      || !gst_structure_get_double (s, "focal-length", &c.focal_length)
      || !gst_structure_get_double (s, "cx", &c.cx)
      || !gst_structure_get_double (s, "cy", &c.cy)
      || !gst_stereo_meta_get_projection (s, &c.projection)
      || !(c.focal_length > 0 && isfinite (c.focal_length)))
    return FALSE;
  c.is_right = g_strcmp0 (gst_structure_get_string (s, "view"), "right") == 0;
  gst_structure_get_double (s, "baseline", &c.baseline);
  gst_structure_get_double (s, "doffs", &c.doffs);
  *camera = c;
  return TRUE;
}
