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
  }
  return TRUE;
}

void
gst_stereo_view_renderer_close (GstStereoViewRenderer * self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->of); i++)
    stereo_runner_free (&self->of[i].runner);
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

gboolean
gst_stereo_view_renderer_run (GstStereoViewRenderer * self,
    GstStereoDevice * device,
    const StereoImage * const inputs[GST_STEREO_VIEW_N_INPUTS],
    const GstStereoViewJob * jobs, guint n)
{
  StereoRunner *runner, *failed = NULL;

  for (guint i = 0; i < n && failed == NULL; i++) {
    runner = self->of[index_of (jobs, i)].runner;
    if (jobs[i].image != NULL
        && (stereo_view_set_params (runner, &jobs[i].params) != STEREO_OK
            || stereo_runner_process (runner, inputs, &jobs[i].image, NULL)
            != STEREO_OK))
      failed = runner;
  }
  for (guint i = 0; i < G_N_ELEMENTS (self->of); i++) {
    if (self->of[i].configured
        && stereo_runner_sync (self->of[i].runner) != STEREO_OK)
      failed = self->of[i].runner;
  }
  if (failed != NULL)
    GST_STEREO_FAIL (device->failure, LIBRARY, FAILED, ("The view failed: %s.",
            stereo_runner_message (failed)->text), (NULL));
  return failed == NULL;
}
