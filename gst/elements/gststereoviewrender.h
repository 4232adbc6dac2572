/* gst-stereomatching: rendering all views of a frame
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_VIEW_RENDER_H
#define GST_STEREO_VIEW_RENDER_H

#include "base/gststereodevice.h"
#include "base/gststereofence.h"
#include "geometry/view.h"

G_BEGIN_DECLS

#define GST_STEREO_VIEW_N_INPUTS 3      /* left, right, map */

/* What a runner is configured for. */
typedef struct
{
  StereoPortSetup inputs[GST_STEREO_VIEW_N_INPUTS];
  StereoPortSetup output;
  gint layout;
  guint columns;
  guint rows;
} GstStereoViewSetup;

#define GST_STEREO_VIEW_N_RUNNERS 2

/* Runners for the frames of the first pad, of any layout, and for single views
 * where that is another one.  Zeroed, it is closed. */
typedef struct
{
  struct
  {
    StereoRunner *runner;
    GstStereoFence *fence;
    gboolean configured;
    GstStereoViewSetup setup;
  } of[GST_STEREO_VIEW_N_RUNNERS];
  guint64 frame;                /* the last one, from 1 */
  /* What the runners had to do last for a frame that may be under way. */
  guint64 last[STEREO_MAX_FRAMES][GST_STEREO_VIEW_N_RUNNERS];
} GstStereoViewRenderer;

/* An image to be made. */
typedef struct
{
  StereoViewParams params;
  const StereoImage *image;     /* NULL: it is not wanted after all */
  /* Once it is started: what to wait for until it is made; not a reference. */
  GstStereoFence *fence;
  guint64 frame;
} GstStereoViewJob;

gboolean gst_stereo_view_renderer_open (GstStereoViewRenderer * self,
    StereoDevice * device, StereoMessage * why);
void gst_stereo_view_renderer_close (GstStereoViewRenderer * self);

/* Gets ready for such jobs, the first of which decides what the first runner is
 * for.  device is the one that the renderer is open for, and may go back to the
 * CPU, closing and opening it.  FALSE with an error posted. */
gboolean gst_stereo_view_renderer_prepare (GstStereoViewRenderer * self,
    GstStereoDevice * device,
    const StereoImage * const inputs[GST_STEREO_VIEW_N_INPUTS],
    const GstStereoViewJob * jobs, guint n);

/* Starts the jobs that it is ready for, as the next frame: the one as many
 * before it as may be under way is complete then.  The right image may be NULL.
 * After a failure why is the renderer's own, which goes when it closes. */
StereoStatus gst_stereo_view_renderer_run (GstStereoViewRenderer * self,
    GstStereoDevice * device,
    const StereoImage * const inputs[GST_STEREO_VIEW_N_INPUTS],
    GstStereoViewJob * jobs, guint n, const gchar ** why);

/* Waits for all frames.  why as above. */
StereoStatus gst_stereo_view_renderer_sync (GstStereoViewRenderer * self,
    const gchar ** why);

G_END_DECLS

#endif /* GST_STEREO_VIEW_RENDER_H */
