/* gst-stereomatching: what the files of stereoview share
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * GstStereoView is one object in several files:
 *
 *   gststereoview.c              the class: pads, caps, statistics
 *   gststereoviewframe.c         from images and their map to views
 *   gststereoviewconvergence.c   automatic convergence
 *   gststereoviewpad.c           the pads for more views
 */

#ifndef GST_STEREO_VIEW_PRIVATE_H
#define GST_STEREO_VIEW_PRIVATE_H

#include "aggregate/gstdisparityconsumer.h"
#include "geometry/view.h"

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (gst_stereo_view_debug);
#define GST_CAT_DEFAULT gst_stereo_view_debug

#define GST_TYPE_STEREO_VIEW (gst_stereo_view_get_type ())
G_DECLARE_FINAL_TYPE (GstStereoView, gst_stereo_view, GST, STEREO_VIEW,
    GstDisparityConsumer)

/* What a runner is configured for. */
typedef struct
{
  StereoPortSetup inputs[GST_STEREO_N_INPUTS];
  StereoPortSetup output;
  gint layout;
  guint columns;
  guint rows;
} GstStereoViewSetup;

/* Automatic convergence. */
typedef struct
{
  gdouble share;                /* of the range of disparities */
  gboolean known;               /* a frame had a value, */
  gdouble value;                /* in pixels of a view, */
  GstClockTime time;            /* at this stream time */
} GstStereoViewConvergence;

struct _GstStereoView
{
  GstDisparityConsumer parent;

  /* Under the object lock. */
  StereoViewParams params;
  gdouble auto_convergence;     /* a share; negative = off */

  /* The task's own. */
  gboolean negotiated;
  GstStereoViewConvergence convergence;
  StereoViewParams shape;       /* whose layout the source caps have */
  /* The first runner is for the layout of src; the second one for single views,
   * if that is another layout. */
  GstStereoViewSetup setup[GST_STEREO_MAX_RUNNERS];
  StereoViewParams *output_params;      /* for each output of the frame */
};

/* Sets the convergence from the map, which is smaller than the views by factor.
 * Without valid pixels it does not change. */
void gst_stereo_view_converge (GstStereoViewConvergence * self,
    GstBuffer * map, const GstVideoInfo * info, gint factor,
    GstClockTime time, StereoViewParams * params);

extern const GstStereoRunFuncs gst_stereo_view_run_funcs;

/* Renders the views of a map and its images, and pushes them. */
GstFlowReturn gst_stereo_view_process_map (GstDisparityConsumer * base,
    GstStereoInput * inputs, GstClockTime time);

/* Adds metadata to a view. */
void gst_stereo_view_describe (GstStereoAggregator * aggregator,
    GstStereoRunFrame * frame, guint output);

G_END_DECLS

#endif /* GST_STEREO_VIEW_PRIVATE_H */
