/* gst-stereomatching: what a synthesised view says about itself
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "base/gststereoviewmeta.h"

#include "base/gststereometa.h"

#include <gst/video/video.h>

void
gst_stereo_view_meta_register (void)
{
  static const gchar *tags[] = {
    GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_SIZE_STR,
    GST_META_TAG_VIDEO_ORIENTATION_STR, NULL
  };

  gst_stereo_meta_register_name (GST_STEREO_VIEW_META, tags);
}

void
gst_stereo_view_meta_add (GstBuffer * buffer,
    const GstStereoViewDescription * view)
{
  GstCustomMeta *meta = gst_buffer_add_custom_meta (buffer,
      GST_STEREO_VIEW_META);

  g_return_if_fail (meta != NULL);
  gst_structure_set (gst_custom_meta_get_structure (meta),
      "position", G_TYPE_DOUBLE, view->position,
      "separation", G_TYPE_DOUBLE, view->separation,
      "convergence", G_TYPE_DOUBLE, view->convergence,
      "layout", G_TYPE_STRING, view->layout,
      "views", G_TYPE_UINT, view->views, NULL);
}
