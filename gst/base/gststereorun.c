/* gst-stereomatching: frames processed on the device of an element
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "base/gststereorun.h"

#include "base/gststereoallocator.h"
#include "base/gststereodebug.h"

#include <string.h>

#define ELEMENT(self) ((self)->device->failure->element)

/* Notes why a runner failed. */
static StereoStatus
note_failure (GstStereoRun * self, guint runner, StereoStatus status)
{
  if (status != STEREO_OK)
    self->why = *stereo_runner_message (self->runner[runner]);
  return status;
}

static void
unpin (GstStereoFrame pinned[GST_STEREO_MAX_INPUTS])
{
  for (guint i = 0; i < GST_STEREO_MAX_INPUTS; i++)
    gst_stereo_frame_unmap (&pinned[i]);
}

static void
unpin_all (GstStereoRun * self)
{
  for (guint i = 0; i < STEREO_MAX_FRAMES; i++)
    unpin (self->pinned[i]);
}

/* ----------------------------------------------------------- open and close */

static void
close_runners (gpointer user_data)
{
  GstStereoRun *self = user_data;
  StereoRunner *runner[GST_STEREO_MAX_RUNNERS];

  if (gst_stereo_run_sync (self) != STEREO_OK)
    GST_WARNING_OBJECT (ELEMENT (self), "%s", self->why.text);
  unpin_all (self);
  for (guint i = 0; i < GST_STEREO_MAX_RUNNERS; i++)
    gst_stereo_fence_retire (&self->fence[i]);
  GST_OBJECT_LOCK (ELEMENT (self));
  memcpy (runner, self->runner, sizeof (runner));
  memset (self->runner, 0, sizeof (self->runner));
  GST_OBJECT_UNLOCK (ELEMENT (self));
  if (self->funcs.close != NULL)
    self->funcs.close (ELEMENT (self));
  for (guint i = 0; i < GST_STEREO_MAX_RUNNERS && self->funcs.op != NULL; i++)
    stereo_runner_free (&runner[i]);
  memset (self->configured, 0, sizeof (self->configured));
  memset (self->number, 0, sizeof (self->number));
  self->frame = 0;
}

static gboolean
open_runners (gpointer user_data, StereoDevice * device, StereoMessage * why)
{
  GstStereoRun *self = user_data;
  gboolean ok = TRUE;

  self->warned = FALSE;
  if (self->funcs.open != NULL)
    ok = self->funcs.open (ELEMENT (self), device, why);
  for (guint i = 0; ok && i < self->funcs.n_runners; i++) {
    StereoRunner *runner = NULL;

    if (self->funcs.op != NULL) {
      ok = stereo_runner_new (self->funcs.op, device, &runner,
          why) == STEREO_OK;
      GST_OBJECT_LOCK (ELEMENT (self));
      self->runner[i] = runner;
      GST_OBJECT_UNLOCK (ELEMENT (self));
    }
    if (ok)
      self->fence[i] = gst_stereo_fence_new (self->runner[i]);
  }
  if (!ok)
    close_runners (self);
  return ok;
}

void
gst_stereo_run_init (GstStereoRun * self, GstStereoDevice * device,
    GstStereoFailure * failure, const GstStereoRunFuncs * funcs,
    GstStereoBackend backend)
{
  self->device = device;
  self->funcs = *funcs;
  gst_stereo_device_init (device, failure, backend);
  device->open = open_runners;
  device->close = close_runners;
  device->user_data = self;
}

const gchar *
gst_stereo_run_get_stats (GstStereoRun * self, StereoMatcherStats * stats)
{
  memset (stats, 0, sizeof (*stats));
  if (self->runner[0] != NULL)
    stereo_runner_get_stats (self->runner[0], stats);
  return self->device->device == NULL ? "none"
      : stereo_device_backend (self->device->device);
}

/* ------------------------------------------------------------------ failure */

/* Falls back to the CPU, so that the caller can try again.  FALSE with an error
 * posted. */
static gboolean
recover (GstStereoRun * self, StereoStatus status, gboolean configuring)
{
  GstStereoFailure *failure = self->device->failure;
  const gchar *purpose = self->funcs.purpose, *why = self->why.text;
  GstPad *src;

  if (gst_stereo_failure_posted (failure))
    return FALSE;
  if (gst_stereo_device_fall_back (self->device, status, why)) {
    /* the pool has memory of the device */
    src = gst_element_get_static_pad (ELEMENT (self), "src");
    gst_pad_mark_reconfigure (src);
    gst_object_unref (src);
    return TRUE;
  }
  if (status == STEREO_ERROR_MEMORY)
    GST_STEREO_FAIL (failure, RESOURCE, NO_SPACE_LEFT,
        ("Not enough memory to %s: %s.", purpose, why), (NULL));
  else if (status == STEREO_ERROR_ARGUMENT && configuring)
    GST_STEREO_FAIL (failure, LIBRARY, SETTINGS,
        ("Cannot %s with these properties: %s.", purpose, why), (NULL));
  else
    GST_STEREO_FAIL (failure, LIBRARY, FAILED,
        ("Failed to %s: %s.", purpose, why), (NULL));
  return FALSE;
}

/* Posts the first warning of a configuration. */
static void
post_warning (GstStereoRun * self, StereoRunner * runner)
{
  const gchar *text = stereo_runner_warning (runner);

  if (text[0] == '\0' || self->warned)
    return;
  self->warned = TRUE;
  GST_ELEMENT_WARNING (ELEMENT (self), LIBRARY, SETTINGS,
      ("Check the properties: %s.", text), (NULL));
}

gboolean
gst_stereo_run_configure (GstStereoRun * self, guint runner,
    const StereoPortSetup * inputs, const StereoPortSetup * outputs,
    const void *params)
{
  StereoStatus status;

  do {
    self->configured[runner] = FALSE;
    stereo_runner_set_frames (self->runner[runner], self->device->n_frames);
    status = self->funcs.configure != NULL
        ? self->funcs.configure (ELEMENT (self))
        : stereo_runner_configure (self->runner[runner], inputs, outputs,
        params);
    note_failure (self, runner, status);
  } while (status != STEREO_OK && recover (self, status, TRUE));
  self->configured[runner] = status == STEREO_OK;
  if (status == STEREO_OK)
    post_warning (self, self->runner[runner]);
  /* Every frame of this runner is complete. */
  if (status == STEREO_OK && self->funcs.n_runners == 1)
    unpin_all (self);
  return status == STEREO_OK;
}

StereoStatus
gst_stereo_run_sync (GstStereoRun * self)
{
  StereoStatus status = STEREO_OK;

  for (guint i = 0; i < GST_STEREO_MAX_RUNNERS && status == STEREO_OK; i++) {
    if (self->runner[i] != NULL)
      status = note_failure (self, i, stereo_runner_sync (self->runner[i]));
  }
  return status;
}

void
gst_stereo_run_wait_for_room (GstStereoRun * self, guint n)
{
  const guint n_frames = self->device->n_frames;

  n = MIN (n, n_frames);
  /* The next frame reports a failure. */
  if (self->runner[0] != NULL && self->frame >= n)
    (void) stereo_runner_wait (self->runner[0],
        self->number[(self->frame + 1 - n) % n_frames][0]);
}

gboolean
gst_stereo_run_drain (GstStereoRun * self)
{
  StereoStatus status = gst_stereo_run_sync (self);

  unpin_all (self);
  return status == STEREO_OK || recover (self, status, FALSE);
}

/* ------------------------------------------------------------------ buffers */

static GstFlowReturn
post_input_error (GstStereoRun * self, GstStereoRunImage * image,
    const StereoMessage * why)
{
  if (gst_stereo_buffer_is_lost (image->buffer)) {
    GST_WARNING_OBJECT (ELEMENT (self), "lost with its device: %"
        GST_PTR_FORMAT, image->buffer);
    return GST_STEREO_FLOW_LOST;
  }
  GST_STEREO_FAIL (self->device->failure, STREAM, FORMAT,
      ("A buffer on %s %s.", GST_PAD_NAME (image->pad), why->text), (NULL));
  return GST_FLOW_ERROR;
}

/* Maps an image, or maps it again after a fallback from another device. */
static gboolean
map_image (GstStereoRun * self, GstStereoRunImage * image, GstMapFlags flags,
    StereoMessage * why)
{
  StereoDevice *device = self->device->device;

  if (image->buffer == NULL)
    return TRUE;
  return image->mapped.frame.buffer == NULL
      ? gst_stereo_frame_map (&image->mapped, image->info, image->buffer,
      flags, device, why)
      : gst_stereo_frame_remap (&image->mapped, image->info, flags, device,
      why);
}

GstFlowReturn
gst_stereo_run_check_input (GstStereoRun * self, GstStereoRunImage * image)
{
  StereoMessage why = { "" };

  if (!map_image (self, image, GST_MAP_READ, &why))
    return post_input_error (self, image, &why);
  gst_stereo_frame_unmap (&image->mapped);
  return GST_FLOW_OK;
}

/* On failure some may be mapped. */
static GstFlowReturn
map_frame (GstStereoRun * self, GstStereoRunFrame * frame)
{
  const GstMapFlags flags = self->funcs.draw != NULL ? GST_MAP_WRITE
      : GST_MAP_WRITE | GST_STEREO_MAP_DEVICE;
  StereoMessage why = { "" };

  for (guint i = 0; i < GST_STEREO_MAX_INPUTS; i++) {
    if (!map_image (self, &frame->inputs[i], GST_MAP_READ, &why))
      return post_input_error (self, &frame->inputs[i], &why);
  }
  for (guint i = 0; i < frame->n_outputs; i++) {
    if (!map_image (self, &frame->outputs[i], flags, &why)) {
      GST_STEREO_FAIL (self->device->failure, RESOURCE, WRITE,
          ("A buffer for the output %s.", why.text), (NULL));
      return GST_FLOW_ERROR;
    }
  }
  return GST_FLOW_OK;
}

/* Unmaps all images.  Outputs in flight get a fence, and inputs that the device
 * may still read are pinned. */
static void
unmap_frame (GstStereoRun * self, GstStereoRunFrame * frame,
    gboolean in_flight)
{
  GstStereoFrame *pinned = self->pinned[self->frame % self->device->n_frames];

  for (guint i = 0; i < frame->n_outputs; i++) {
    GstStereoRunImage *output = &frame->outputs[i];

    gst_stereo_frame_unmap (&output->mapped);
    if (in_flight && output->buffer != NULL)
      gst_stereo_buffer_set_fence (output->buffer,
          self->fence[output->runner], output->number);
  }
  for (guint i = 0; i < GST_STEREO_MAX_INPUTS; i++) {
    GstStereoFrame *mapped = &frame->inputs[i].mapped;

    if (in_flight && mapped->image.memory != STEREO_MEMORY_HOST) {
      pinned[i] = *mapped;
      memset (mapped, 0, sizeof (*mapped));
    }
    gst_stereo_frame_unmap (mapped);
  }
}

/* ------------------------------------------------------------------- frames */

/* Waits until the place of the next frame is free. */
static StereoStatus
next_place (GstStereoRun * self)
{
  const guint place = (guint) (++self->frame % self->device->n_frames);
  StereoStatus status = STEREO_OK;

  for (guint i = 0; i < self->funcs.n_runners && status == STEREO_OK; i++) {
    status = stereo_runner_wait (self->runner[i], self->number[place][i]);
    /* it also has the message */
    if (status != STEREO_OK)
      status = gst_stereo_run_sync (self);
    self->number[place][i] = 0;
  }
  if (status == STEREO_OK)
    unpin (self->pinned[place]);
  return status;
}

StereoStatus
gst_stereo_run_process (GstStereoRun * self, guint runner,
    const StereoImage * const *inputs, const StereoImage * const *outputs,
    GstStereoRunImage * output)
{
  uint64_t number = 0;
  StereoStatus status = note_failure (self, runner,
      stereo_runner_process (self->runner[runner], inputs, outputs, &number));

  if (status == STEREO_OK)
    self->number[self->frame % self->device->n_frames][runner] = number;
  if (output != NULL) {
    output->runner = runner;
    output->number = number;
  }
  return status;
}

/* Whether the outputs may be pushed before they are complete, because mapping
 * them waits. */
static gboolean
can_be_in_flight (GstStereoRun * self, GstStereoRunFrame * frame)
{
  gboolean can = self->device->is_cuda && self->funcs.draw == NULL
      && frame->n_outputs > 0;

  for (guint i = 0; can && i < frame->n_outputs; i++)
    can = frame->outputs[i].buffer == NULL
        || gst_stereo_buffer_is_pinned (frame->outputs[i].buffer,
        self->device->device);
  return can;
}

/* Starts a mapped frame, and waits for it unless it can be in flight. */
static StereoStatus
start_frame (GstStereoRun * self, GstStereoRunFrame * frame,
    gboolean * in_flight)
{
  StereoStatus status = next_place (self);

  *in_flight = can_be_in_flight (self, frame);
  if (status == STEREO_OK)
    status = self->funcs.start (ELEMENT (self), frame);
  if (status == STEREO_OK && !*in_flight)
    status = gst_stereo_run_sync (self);
  return status;
}

GstFlowReturn
gst_stereo_run_frame (GstStereoRun * self, GstStereoRunFrame * frame)
{
  GstFlowReturn flow = map_frame (self, frame);
  StereoStatus status = STEREO_ERROR_ARGUMENT;
  gboolean in_flight = FALSE;

  while (flow == GST_FLOW_OK && status != STEREO_OK) {
    if (!self->funcs.prepare (ELEMENT (self), frame))
      flow = GST_FLOW_ERROR;
    else
      flow = map_frame (self, frame);
    if (flow != GST_FLOW_OK)
      break;
    status = start_frame (self, frame, &in_flight);
    if (status != STEREO_OK && !recover (self, status, FALSE))
      flow = GST_FLOW_ERROR;
  }
  if (flow == GST_FLOW_OK && self->funcs.draw != NULL)
    self->funcs.draw (ELEMENT (self), frame);
  unmap_frame (self, frame, flow == GST_FLOW_OK && in_flight);
  return flow;
}
