/* gst-stereomatching: metadata of virtual views
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Every buffer of stereoview carries a custom meta of this name:
 *
 *   field         type     meaning
 *   position      double   of the virtual camera, or of the centre of several:
 *                          0 = left view, 1 = right view
 *   separation    double   of the outermost views of the frame, in baselines;
 *                          0 for a single view
 *   convergence   double   disparity of the zero-parallax plane, in pixels
 *   layout        string   "mono", "side-by-side", ...
 *   views         uint     number of views in the frame
 */

#ifndef GST_STEREO_VIEW_META_H
#define GST_STEREO_VIEW_META_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_STEREO_VIEW_META "GstStereoViewMeta"

typedef struct
{
  gdouble position;
  gdouble separation;
  gdouble convergence;
  const gchar *layout;          /* not owned */
  guint views;
} GstStereoViewDescription;

/* Registers the meta; may be called again. */
void gst_stereo_view_meta_register (void);

/* Adds the meta to a writable buffer. */
void gst_stereo_view_meta_add (GstBuffer * buffer,
    const GstStereoViewDescription * view);

G_END_DECLS

#endif /* GST_STEREO_VIEW_META_H */
