/* gst-stereomatching: frames processed on the device of an element
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The way of a frame, the same for every element: map its buffers, configure
 * for them, start, then hand the output on with a fence and keep the input
 * until the device has read it.  If the device fails or has too little memory,
 * and `backend` allows it, fall back to the CPU and process the frame there.
 *
 * An element embeds a GstStereoRun next to its GstStereoDevice, and says in
 * GstStereoRunFuncs what is its own.  All calls come from the streaming thread,
 * but for those that say otherwise.
 */

#ifndef GST_STEREO_RUN_H
#define GST_STEREO_RUN_H

#include "base/gststereodevice.h"
#include "base/gststereofence.h"
#include "base/gststereoframe.h"

G_BEGIN_DECLS

/* The input was lost with the device of another element, which has reported
 * that: the frame is to be dropped. */
#define GST_STEREO_FLOW_LOST GST_FLOW_CUSTOM_SUCCESS

#define GST_STEREO_MAX_RUNNERS 2
#define GST_STEREO_MAX_INPUTS 3

/* One image of a frame. */
typedef struct
{
  GstPad *pad;                  /* where it comes from or goes to; of an output
                                 * NULL for `src` */
  const GstVideoInfo *info;
  GstBuffer *buffer;            /* NULL: there is no such image */
  GstStereoFrame mapped;
  guint runner;                 /* of an output: the index of the runner that
                                 * writes it, and the */
  guint64 number;               /* number of the frame there */
} GstStereoRunImage;

typedef struct
{
  GstStereoRunImage inputs[GST_STEREO_MAX_INPUTS];
  GstStereoRunImage *outputs;
  guint n_outputs;
} GstStereoRunFrame;

typedef struct
{
  const gchar *purpose;         /* "compute the depth": for messages */
  const StereoOp *op;           /* of the runners, unless open() makes them */
  guint n_runners;

  /* May be NULL.  Opens runner[0] and what else belongs to it; close() frees
   * that, after every frame is complete. */
  gboolean (*open) (GstElement * element, StereoDevice * device,
      StereoMessage * why);
  void (*close) (GstElement * element);

  /* May be NULL: configures in place of stereo_runner_configure(). */
  StereoStatus (*configure) (GstElement * element);

  /* Sees to it that the runners are configured for the mapped images, with
   * gst_stereo_run_configure().  FALSE with an error posted. */
  gboolean (*prepare) (GstElement * element, GstStereoRunFrame * frame);

  /* Starts the frame with gst_stereo_run_process(). */
  StereoStatus (*start) (GstElement * element, GstStereoRunFrame * frame);

  /* May be NULL: changes the complete output while it is mapped for the CPU. */
  void (*draw) (GstElement * element, GstStereoRunFrame * frame);
} GstStereoRunFuncs;

typedef struct
{
  GstStereoDevice *device;
  GstStereoRunFuncs funcs;

  /* NULL while closed; written under the object lock. */
  StereoRunner *runner[GST_STEREO_MAX_RUNNERS];
  GstStereoFence *fence[GST_STEREO_MAX_RUNNERS];
  gboolean configured[GST_STEREO_MAX_RUNNERS];

  guint64 frame;                /* the last one that was started, from 1 */
  /* For the last n_frames of the device, at frame % n_frames: the number of the
   * frame in each runner, or 0, and inputs that the device may still read. */
  guint64 number[STEREO_MAX_FRAMES][GST_STEREO_MAX_RUNNERS];
  GstStereoFrame pinned[STEREO_MAX_FRAMES][GST_STEREO_MAX_INPUTS];
  StereoMessage why;            /* of the last failure */
  gboolean warned;              /* about properties, since the last opening */
} GstStereoRun;

/* Initializes the device too, with these defaults.  It opens and closes the
 * runners. */
void gst_stereo_run_init (GstStereoRun * self, GstStereoDevice * device,
    GstStereoFailure * failure, const GstStereoRunFuncs * funcs,
    GstStereoBackend backend);

/* For prepare(): configures a runner, on the CPU if the device cannot do it.
 * FALSE with an error posted. */
gboolean gst_stereo_run_configure (GstStereoRun * self, guint runner,
    const StereoPortSetup * inputs, const StereoPortSetup * outputs,
    const void *params);

/* For start(): has a runner write one output of the frame, or none if output is
 * NULL.  The lists are those of stereo_runner_process(). */
StereoStatus gst_stereo_run_process (GstStereoRun * self, guint runner,
    const StereoImage * const *inputs, const StereoImage * const *outputs,
    GstStereoRunImage * output);

/*
 * Processes a frame; the images have pad, info and buffer, and are otherwise
 * zeroed.  Outputs may still be in flight: gst_buffer_map() waits for them.
 * GST_FLOW_OK, GST_STEREO_FLOW_LOST, or GST_FLOW_ERROR with an error posted.
 */
GstFlowReturn gst_stereo_run_frame (GstStereoRun * self,
    GstStereoRunFrame * frame);

/* Waits for all frames. */
StereoStatus gst_stereo_run_sync (GstStereoRun * self);

/* Waits until fewer than n frames are in flight. */
void gst_stereo_run_wait_for_room (GstStereoRun * self, guint n);

/* Waits for all frames and unpins their inputs.  FALSE, with an error posted,
 * if some were lost and the element cannot fall back to the CPU. */
gboolean gst_stereo_run_drain (GstStereoRun * self);

/* The name of the backend, "none" while closed, and the statistics of the first
 * runner.  With the object lock held, any thread. */
const gchar *gst_stereo_run_get_stats (GstStereoRun * self,
    StereoMatcherStats * stats);

G_END_DECLS

#endif /* GST_STEREO_RUN_H */
