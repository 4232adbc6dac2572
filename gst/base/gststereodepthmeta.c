/* gst-stereomatching: what a depth buffer says about itself
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
      gst_stereo_meta_tags);
}

void
gst_stereo_depth_meta_add (GstBuffer * buffer, const GstStereoDepth * depth)
{
  GstCustomMeta *meta = gst_buffer_add_custom_meta (buffer,
      GST_STEREO_DEPTH_META);
  GstStructure *s;

  g_return_if_fail (meta != NULL);
  s = gst_custom_meta_get_structure (meta);
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
}
