/* gst-stereomatching: metadata of depth maps
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "base/gststereodepthmeta.h"

#include "base/gststereometa.h"

void
gst_stereo_depth_meta_register (void)
{
  gst_stereo_meta_register_name (GST_STEREO_DEPTH_META,
      gst_stereo_meta_tags, NULL);
}

void
gst_stereo_depth_meta_add (GstBuffer * buffer, const GstStereoDepth * depth)
{
  gst_stereo_depth_meta_fill (gst_stereo_meta_new (buffer,
          GST_STEREO_DEPTH_META), depth);
}

void
gst_stereo_depth_meta_fill (GstStructure * s, const GstStereoDepth * depth)
{
  gst_structure_set (s,
      "depth-scale", G_TYPE_DOUBLE, depth->scale,
      "invalid-value", G_TYPE_UINT, 0,
      "range-min", G_TYPE_DOUBLE, depth->range_min,
      "range-max", G_TYPE_DOUBLE, depth->range_max,
      "focal-length", G_TYPE_DOUBLE, depth->focal_length,
      "baseline", G_TYPE_DOUBLE, depth->baseline,
      "reference-view", G_TYPE_STRING, "left",
      "left-pts", G_TYPE_UINT64, depth->left_pts,
      "right-pts", G_TYPE_UINT64, depth->right_pts, NULL);
  if (depth->has_center)
    gst_structure_set (s, "cx", G_TYPE_DOUBLE, depth->cx,
        "cy", G_TYPE_DOUBLE, depth->cy, NULL);
  gst_stereo_meta_set_projection (s, depth->projection);
}

gboolean
gst_stereo_depth_meta_get (GstBuffer * buffer, GstStereoDepth * depth)
{
  const GstStructure *s = gst_stereo_meta_find (buffer,
      GST_STEREO_DEPTH_META);

  return s != NULL && gst_stereo_depth_meta_read (s, depth);
}

gboolean
gst_stereo_depth_meta_read (const GstStructure * s, GstStereoDepth * depth)
{
  GstStereoDepth d = {.left_pts = GST_CLOCK_TIME_NONE,
    .right_pts = GST_CLOCK_TIME_NONE
  };

  if (!gst_structure_get_double (s, "depth-scale", &d.scale)
      || !gst_structure_get_double (s, "range-min", &d.range_min)
      || !gst_structure_get_double (s, "range-max", &d.range_max)
      || !gst_stereo_meta_get_projection (s, &d.projection)
      || !(d.scale > 0))
    return FALSE;
  gst_structure_get_double (s, "focal-length", &d.focal_length);
  gst_structure_get_double (s, "baseline", &d.baseline);
  gst_structure_get_uint64 (s, "left-pts", &d.left_pts);
  gst_structure_get_uint64 (s, "right-pts", &d.right_pts);
  d.has_center = gst_structure_get_double (s, "cx", &d.cx)
      && gst_structure_get_double (s, "cy", &d.cy);
  *depth = d;
  return TRUE;
}
