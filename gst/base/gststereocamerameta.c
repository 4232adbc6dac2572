/* gst-stereomatching: what a rectified view says about its camera
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "base/gststereocamerameta.h"

#include "base/gststereometa.h"

#include <gst/video/video.h>
#include <math.h>

void
gst_stereo_camera_meta_register (void)
{
  /* a picture in other colours has the same camera */
  static const gchar *tags[] = { GST_META_TAG_VIDEO_STR,
    GST_META_TAG_VIDEO_SIZE_STR, GST_META_TAG_VIDEO_ORIENTATION_STR, NULL
  };

  gst_stereo_meta_register_name (GST_STEREO_CAMERA_META, tags);
}

void
gst_stereo_camera_meta_add (GstBuffer * buffer, const GstStereoCamera * camera)
{
  GstCustomMeta *meta = gst_buffer_add_custom_meta (buffer,
      GST_STEREO_CAMERA_META);
  GstStructure *s;

  g_return_if_fail (meta != NULL);
  s = gst_custom_meta_get_structure (meta);
  gst_structure_set (s,
      "view", G_TYPE_STRING, camera->is_right ? "right" : "left",
      "focal-length", G_TYPE_DOUBLE, camera->focal_length,
      "cx", G_TYPE_DOUBLE, camera->cx, "cy", G_TYPE_DOUBLE, camera->cy, NULL);
  if (camera->baseline > 0)
    gst_structure_set (s, "baseline", G_TYPE_DOUBLE, camera->baseline,
        "doffs", G_TYPE_DOUBLE, camera->doffs, NULL);
}

gboolean
gst_stereo_camera_meta_get (GstBuffer * buffer, GstStereoCamera * camera)
{
  GstStereoCamera c = { 0, };
  const GstStructure *s;
  GstCustomMeta *meta;

  if (gst_meta_get_info (GST_STEREO_CAMERA_META) == NULL)
    return FALSE;
  meta = gst_buffer_get_custom_meta (buffer, GST_STEREO_CAMERA_META);
  if (meta == NULL)
    return FALSE;
  s = gst_custom_meta_get_structure (meta);
  if (!gst_structure_get_double (s, "focal-length", &c.focal_length)
      || !gst_structure_get_double (s, "cx", &c.cx)
      || !gst_structure_get_double (s, "cy", &c.cy)
      || !(c.focal_length > 0 && isfinite (c.focal_length)))
    return FALSE;
  c.is_right = g_strcmp0 (gst_structure_get_string (s, "view"), "right") == 0;
  gst_structure_get_double (s, "baseline", &c.baseline);
  gst_structure_get_double (s, "doffs", &c.doffs);
  *camera = c;
  return TRUE;
}
