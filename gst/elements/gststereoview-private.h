/* gst-stereomatching: the inside of stereoview
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * GstStereoView is one object in several files:
 *
 *   gststereoview.c        the class: pads, caps, properties, statistics
 *   gststereoviewframe.c   from images and their map to buffers downstream
 *   gststereoviewrender.c  the runners, which know nothing of GStreamer's
 *   gststereoviewpad.c     the pads for more views
 *
 * The task of `src` makes frames; properties come from any thread.
 */

#ifndef GST_STEREO_VIEW_PRIVATE_H
#define GST_STEREO_VIEW_PRIVATE_H

#include "base/gststereogate.h"
#include "elements/gststereoviewpad.h"
#include "elements/gststereoviewrender.h"
#include "geometry/view.h"
#include "pair/gststereomapbase.h"
#include "pair/gststereoresult.h"

G_BEGIN_DECLS

#define GST_TYPE_STEREO_VIEW (gst_stereo_view_get_type ())
G_DECLARE_FINAL_TYPE (GstStereoView, gst_stereo_view, GST, STEREO_VIEW,
    GstStereoMapBase)

struct _GstStereoView
{
  GstStereoMapBase parent;

  GstStereoGate gate;

  /* Under the object lock. */
  StereoViewParams params;
  gboolean qos;
  GstStereoQos qos_of_src;
  guint64 rendered;             /* frames, since the element started */
  guint64 qos_dropped;
  GPtrArray *views;             /* GstStereoViewPad, see there */
  GstStereoViewRenderer renderer;       /* used by the task without it */

  /* The task's own. */
  GstStereoHeld held;           /* what a device may still be reading */
  GstVideoInfo out_info;
  gboolean negotiated;
  StereoViewParams shape;       /* whose layout the source caps have */
  gboolean warned;
};

/* The caps of frames made of such views. */
GstCaps *gst_stereo_view_make_caps (const GstVideoInfo * left,
    const StereoViewParams * params);

/* Waits for all that was started.  FALSE when some of it is lost, with an error
 * posted. */
gboolean gst_stereo_view_drain (GstStereoMapBase * base);

/* Renders what belongs together, and pushes it to all pads. */
GstFlowReturn gst_stereo_view_make_frame (GstStereoMapBase * base,
    GstStereoInput * heads, GstClockTime time);

G_END_DECLS

#endif /* GST_STEREO_VIEW_PRIVATE_H */
