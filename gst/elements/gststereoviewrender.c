/* gst-stereomatching: rendering all views of a frame
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "elements/gststereoviewrender.h"

#include "core/image.h"

#include <string.h>

gboolean
gst_stereo_view_renderer_open (GstStereoViewRenderer * self,
    StereoDevice * device, StereoMessage * why)
{
  memset (self, 0, sizeof (*self));
  for (guint i = 0; i < G_N_ELEMENTS (self->of); i++) {
    if (stereo_runner_new (&stereo_view_op, device, &self->of[i].runner, why)
        != STEREO_OK) {
      gst_stereo_view_renderer_close (self);
      return FALSE;
    }
    self->of[i].fence = gst_stereo_fence_new (self->of[i].runner);
  }
  return TRUE;
}

void
gst_stereo_view_renderer_close (GstStereoViewRenderer * self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->of); i++) {
    gst_stereo_fence_retire (&self->of[i].fence);
    stereo_runner_free (&self->of[i].runner);
  }
  memset (self, 0, sizeof (*self));
}

static guint
index_of (const GstStereoViewJob * jobs, guint i)
{
  return jobs[i].params.layout == jobs[0].params.layout ? 0 : 1;
}

static gboolean
configure (GstStereoViewRenderer * self, guint index,
    GstStereoDevice * device, const GstStereoViewSetup * setup,
    const StereoViewParams * params)
{
  StereoStatus status;
  StereoMessage *message;

  do {
    stereo_runner_set_frames (self->of[index].runner, device->n_frames);
    status = stereo_runner_configure (self->of[index].runner, setup->inputs,
        &setup->output, params);
    message = stereo_runner_message (self->of[index].runner);
    if (status == STEREO_ERROR_ARGUMENT) {
      GST_STEREO_FAIL (device->failure, CORE, NEGOTIATION, ("%s.",
              message->text), (NULL));
      break;
    }
  } while (status != STEREO_OK && gst_stereo_device_fall_back (device, status,
          message->text));
  self->of[index].setup = *setup;
  self->of[index].configured = status == STEREO_OK;
  return self->of[index].configured;
}

static gboolean
prepare (GstStereoViewRenderer * self, guint index, GstStereoDevice * device,
    const StereoImage * const inputs[GST_STEREO_VIEW_N_INPUTS],
    const GstStereoViewJob * job)
{
  GstStereoViewSetup setup;

  memset (&setup, 0, sizeof (setup));
  setup.inputs[0] = setup.inputs[1] = stereo_port_setup_of (inputs[0]);
  setup.inputs[2] = stereo_port_setup_of (inputs[2]);
  setup.output = stereo_port_setup_of (job->image);
  setup.layout = job->params.layout;
  setup.columns = job->params.columns;
  setup.rows = job->params.rows;
  return (self->of[index].configured
      && memcmp (&setup, &self->of[index].setup, sizeof (setup)) == 0)
      || configure (self, index, device, &setup, &job->params);
}

gboolean
gst_stereo_view_renderer_prepare (GstStereoViewRenderer * self,
    GstStereoDevice * device,
    const StereoImage * const inputs[GST_STEREO_VIEW_N_INPUTS],
    const GstStereoViewJob * jobs, guint n)
{
  gboolean ok = TRUE;

  /* once more if the last one had to go back to the CPU */
  do {
    for (guint i = 0; i < n && ok; i++)
      ok = jobs[i].image == NULL
          || prepare (self, index_of (jobs, i), device, inputs, &jobs[i]);
  } while (ok && !self->of[0].configured);
  return ok;
}

/* Waits until the place of a frame is free. */
static StereoStatus
wait_for_place (GstStereoViewRenderer * self, guint place,
    const gchar ** why)
{
  StereoStatus status = STEREO_OK;

  for (guint i = 0; i < G_N_ELEMENTS (self->of) && status == STEREO_OK; i++) {
    status = stereo_runner_wait (self->of[i].runner, self->last[place][i]);
    if (status != STEREO_OK) {
      (void) stereo_runner_sync (self->of[i].runner);
      *why = stereo_runner_message (self->of[i].runner)->text;
    }
    self->last[place][i] = 0;
  }
  return status;
}

StereoStatus
gst_stereo_view_renderer_run (GstStereoViewRenderer * self,
    GstStereoDevice * device,
    const StereoImage * const inputs[GST_STEREO_VIEW_N_INPUTS],
    GstStereoViewJob * jobs, guint n, const gchar ** why)
{
  const guint place = (guint) (++self->frame % device->n_frames);
  StereoStatus status = wait_for_place (self, place, why);

  for (guint i = 0; i < n && status == STEREO_OK; i++) {
    const guint index = index_of (jobs, i);
    StereoRunner *runner = self->of[index].runner;
    uint64_t number = 0;

    if (jobs[i].image == NULL)
      continue;
    status = stereo_view_set_params (runner, &jobs[i].params);
    if (status == STEREO_OK)
      status = stereo_runner_process (runner, inputs, &jobs[i].image, &number);
    if (status != STEREO_OK)
      *why = stereo_runner_message (runner)->text;
    self->last[place][index] = number;
    jobs[i].frame = number;
    jobs[i].fence = self->of[index].fence;
  }
  return status;
}

StereoStatus
gst_stereo_view_renderer_sync (GstStereoViewRenderer * self,
    const gchar ** why)
{
  StereoStatus status = STEREO_OK;

  for (guint i = 0; i < G_N_ELEMENTS (self->of) && status == STEREO_OK; i++) {
    if (self->of[i].runner == NULL)
      continue;
    status = stereo_runner_sync (self->of[i].runner);
    if (status != STEREO_OK)
      *why = stereo_runner_message (self->of[i].runner)->text;
  }
  return status;
}
