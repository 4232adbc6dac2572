/* gst-stereomatching: frames processed on the device of an element
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The processing of a frame, the same for every element: map its buffers,
 * configure the runner for them, start, push the output with a fence, and keep
 * the input until the device has read it.  If the device fails or has too
 * little memory, and `backend` allows it, fall back to the CPU and process the
 * frame there.
 *
 * An element embeds a GstStereoRun next to its GstStereoDevice, and provides
 * its own steps in GstStereoRunFuncs.  All calls come from the streaming thread
 * unless stated otherwise.
 */

#ifndef GST_STEREO_RUN_H
#define GST_STEREO_RUN_H

#include "base/gststereodevice.h"
#include "base/gststereofence.h"
#include "base/gststereoframe.h"

G_BEGIN_DECLS

/* The input was lost with the device of another element, which has reported it.
 * The caller drops the frame. */
#define GST_STEREO_FLOW_LOST GST_FLOW_CUSTOM_SUCCESS

#define GST_STEREO_MAX_RUNNERS 2
#define GST_STEREO_MAX_INPUTS 3

/* One image of a frame. */
typedef struct
{
  GstPad *pad;                  /* its source or destination; an output for
                                 * `src` has NULL */
  const GstVideoInfo *info;
  GstBuffer *buffer;            /* NULL = no image */
  GstStereoFrame mapped;
  guint runner;                 /* of an output: index of the runner that writes
                                 * it, */
  guint64 number;               /* and number of its frame */
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
  const StereoOp *op;           /* of the runners; NULL if open() makes them */
  guint n_runners;

  /* May be NULL.  Makes runner[0] and its resources; close() frees them after
   * all frames are complete. */
  gboolean (*open) (GstElement * element, StereoDevice * device,
      StereoMessage * why);
  void (*close) (GstElement * element);

  /* May be NULL.  Replaces stereo_runner_configure(). */
  StereoStatus (*configure) (GstElement * element);

  /* Configures the runners for the mapped images, with
   * gst_stereo_run_configure(), if necessary.  FALSE with an error posted. */
  gboolean (*prepare) (GstElement * element, GstStereoRunFrame * frame);

  /* Starts the frame with gst_stereo_run_process(). */
  StereoStatus (*start) (GstElement * element, GstStereoRunFrame * frame);

  /* May be NULL.  Draws on the complete output, which is mapped for the CPU. */
  void (*draw) (GstElement * element, GstStereoRunFrame * frame);
} GstStereoRunFuncs;

typedef struct
{
  GstStereoDevice *device;
  GstStereoRunFuncs funcs;

  /* NULL while closed; written under the object lock. */
  StereoRunner *runner[GST_STEREO_MAX_RUNNERS];
  GstStereoFence *fence[GST_STEREO_MAX_RUNNERS];

  /* Whether a runner has the last configuration.  Elements unset it for a
   * change, such as new caps. */
  gboolean configured[GST_STEREO_MAX_RUNNERS];

  guint64 frame;                /* number of the last frame started, from 1 */
  /* For the last n_frames of the device, at frame % n_frames: the number of the
   * frame in each runner, or 0, and inputs that the device may still read. */
  guint64 number[STEREO_MAX_FRAMES][GST_STEREO_MAX_RUNNERS];
  GstStereoFrame pinned[STEREO_MAX_FRAMES][GST_STEREO_MAX_INPUTS];
  StereoMessage why;            /* of the last failure */
  gboolean warned;              /* about properties, since open() */
} GstStereoRun;

/* Also initializes the device, which opens and closes the runners. */
void gst_stereo_run_init (GstStereoRun * self, GstStereoDevice * device,
    GstStereoFailure * failure, const GstStereoRunFuncs * funcs,
    GstStereoBackend backend);

/* For prepare(): configures a runner, after a fallback to the CPU if necessary.
 * FALSE with an error posted. */
gboolean gst_stereo_run_configure (GstStereoRun * self, guint runner,
    const StereoPortSetup * inputs, const StereoPortSetup * outputs,
    const void *params);

/* For start(): starts a runner that writes one output of the frame, or none if
 * output is NULL.  For the lists see stereo_runner_process(). */
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

/* Whether the buffer of an image, which is otherwise zeroed, can be processed.
 * GST_FLOW_OK, GST_STEREO_FLOW_LOST, or GST_FLOW_ERROR with an error posted. */
GstFlowReturn gst_stereo_run_check_input (GstStereoRun * self,
    GstStereoRunImage * image);

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
