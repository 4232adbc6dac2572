/* gst-stereomatching: source pads for more views of a frame
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The request pads `view_%u` of stereoview: each has one more view of what
 * `src` shows, from a position of its own.
 */

#ifndef GST_STEREO_VIEW_PAD_H
#define GST_STEREO_VIEW_PAD_H

#include "base/gststereogate.h"
#include "pair/gststereoresult.h"

G_BEGIN_DECLS

#define GST_TYPE_STEREO_VIEW_PAD (gst_stereo_view_pad_get_type ())
#define GST_STEREO_VIEW_PAD(o) \
  (G_TYPE_CHECK_INSTANCE_CAST ((o), GST_TYPE_STEREO_VIEW_PAD, \
      GstStereoViewPad))
#define GST_IS_STEREO_VIEW_PAD(o) \
  (G_TYPE_CHECK_INSTANCE_TYPE ((o), GST_TYPE_STEREO_VIEW_PAD))

typedef struct
{
  GstStereoResultPad parent;
  gdouble position;             /* under the pad's object lock */
} GstStereoViewPad;

typedef struct
{
  GstStereoResultPadClass parent_class;
} GstStereoViewPadClass;

GType gst_stereo_view_pad_get_type (void);

/* The position at a stream time, which may be GST_CLOCK_TIME_NONE. */
gdouble gst_stereo_view_pad_get_position (GstStereoViewPad * pad,
    GstClockTime time);

/*
 * The pads of an element: an array of references under its object lock, with
 * the function that frees them.
 */

/* Adds an active pad to the element, which has to be a GstAggregator.  name is
 * that of a request, and may be NULL.  NULL when there is such a pad. */
GstPad *gst_stereo_view_pads_request (GPtrArray * pads, GstElement * element,
    GstPadTemplate * template, const gchar * name,
    GstPadEventFunction event_function);

void gst_stereo_view_pads_release (GPtrArray * pads, GstElement * element,
    GstStereoGate * gate, GstStereoViewPad * pad);

/* All that are not about to be released; to be unreferenced. */
GPtrArray *gst_stereo_view_pads_get (GPtrArray * pads, GstElement * element);

/* What ends or flushes src does so to the pads. */
void gst_stereo_view_pads_follow (GPtrArray * pads, GstElement * element,
    GstPad * src, GstEvent * event);

/* Ends what pads may be waiting for; and, when nothing streams any more, lets
 * go of memory. */
void gst_stereo_view_pads_stop (GPtrArray * pads, GstElement * element);
void gst_stereo_view_pads_stopped (GPtrArray * pads, GstElement * element);

G_END_DECLS

#endif /* GST_STEREO_VIEW_PAD_H */
