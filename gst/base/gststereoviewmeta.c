/* gst-stereomatching: metadata of virtual views
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "base/gststereoviewmeta.h"

#include "base/gststereometa.h"

void
gst_stereo_view_meta_register (void)
{
  gst_stereo_meta_register_name (GST_STEREO_VIEW_META,
      gst_stereo_picture_meta_tags, NULL);
}

void
gst_stereo_view_meta_add (GstBuffer * buffer,
    const GstStereoViewDescription * view)
{
  gst_structure_set (gst_stereo_meta_new (buffer, GST_STEREO_VIEW_META),
      "position", G_TYPE_DOUBLE, view->position,
      "separation", G_TYPE_DOUBLE, view->separation,
      "convergence", G_TYPE_DOUBLE, view->convergence,
      "layout", G_TYPE_STRING, view->layout,
      "views", G_TYPE_UINT, view->views, NULL);
}
