/* gst-stereomatching: from images and their map to views
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "elements/view/gststereoview-private.h"

#include "base/gststereometa.h"
#include "base/gststereoparams.h"
#include "base/gststereoviewmeta.h"
#include "elements/view/gststereoviewpad.h"

#include <string.h>

#define LEFT GST_STEREO_LEFT
#define RIGHT GST_STEREO_RIGHT
#define MAP GST_STEREO_MAP

#define FAIL(self, domain, code, text, debug) \
    GST_STEREO_FAIL (&(self)->parent.parent.failure, domain, code, text, debug)

/* ------------------------------------------------------------------- inputs */

/* For maps without metadata of disparities.  FALSE with an error posted. */
static gboolean
check_unknown (GstStereoView * self, GstBuffer * buffer,
    const GstVideoInfo * info, const StereoViewParams * params)
{
  GstStereoTags *tags = &self->parent.tags;
  GstStereoDepth depth;
  gboolean codes_set;
  gchar *text;

  if (gst_stereo_tags_get_depth (tags, buffer, info, &depth)) {
    FAIL (self, STREAM, WRONG_TYPE,
        ("Expected disparities on sink_disparity, got 'depth': link the pad "
            "src of the matcher."), (NULL));
    return FALSE;
  }

  GST_OBJECT_LOCK (self);
  codes_set = gst_stereo_table_codes_set (stereo_view_params,
      self->parent.parent.set);
  GST_OBJECT_UNLOCK (self);
  if (codes_set)
    return TRUE;
  text = gst_stereo_tags_describe_codes (params->scale, params->minimum,
      params->invalid_value);
  gst_stereo_tags_warn (tags, info, GST_ELEMENT (self), text,
      GST_STEREO_TAGS_CODES);
  g_free (text);
  return TRUE;
}

/* Completes the parameters by the meaning of the map's codes. */
static gboolean
read_meta (GstStereoView * self, GstBuffer * buffer,
    const GstVideoInfo * info, StereoViewParams * params)
{
  GstStereoDisparity meta;
  GstCustomMeta *custom;
  const gchar *view;

  if (!gst_stereo_tags_get_disparity (&self->parent.tags, buffer, info,
          &meta))
    return check_unknown (self, buffer, info, params);
  custom = gst_buffer_get_custom_meta (buffer, GST_STEREO_DISPARITY_META);
  view = custom == NULL ? NULL : gst_structure_get_string
      (gst_custom_meta_get_structure (custom), "reference-view");
  if (meta.result != STEREO_RESULT_DISPARITY) {
    FAIL (self, STREAM, WRONG_TYPE,
        ("Expected disparities on sink_disparity, got '%s': link the pad src "
            "of the matcher.",
            stereo_result_name (meta.result)), (NULL));
    return FALSE;
  }
  if (view != NULL && strcmp (view, "left") != 0) {
    FAIL (self, STREAM, WRONG_TYPE,
        ("Expected a map of the left view on sink_disparity, got one of the %s "
            "view.", view), (NULL));
    return FALSE;
  }
  params->scale = meta.disparity_scale;
  params->minimum = meta.min_disparity;
  params->invalid_value = meta.invalid_value > 65535 ? -1
      : (gint) meta.invalid_value;
  if (params->scale < 1.0 / 64 || params->scale > 65536) {
    FAIL (self, STREAM, WRONG_TYPE,
        ("The map has %g codes per pixel: expected 1/64 to 65536.",
            params->scale), (NULL));
    return FALSE;
  }
  if (params->minimum < -16384 || params->minimum > 16384) {
    FAIL (self, STREAM, WRONG_TYPE,
        ("The map starts at a disparity of %d: expected -16384 to 16384.",
            meta.min_disparity), (NULL));
    return FALSE;
  }
  return TRUE;
}

static gboolean
check_inputs (GstStereoView * self,
    const StereoViewParams * params,
    const GstVideoInfo info[GST_STEREO_N_INPUTS], gboolean both)
{
  const GstVideoInfo *left = &info[LEFT], *right = &info[RIGHT];
  const GstVideoInfo *map = &info[MAP];

  if (both && (GST_VIDEO_INFO_FORMAT (left) != GST_VIDEO_INFO_FORMAT (right)
          || GST_VIDEO_INFO_WIDTH (left) != GST_VIDEO_INFO_WIDTH (right)
          || GST_VIDEO_INFO_HEIGHT (left) != GST_VIDEO_INFO_HEIGHT (right))) {
    FAIL (self, CORE, NEGOTIATION,
        ("The views differ: sink_left has %s of %dx%d, sink_right %s of "
            "%dx%d. They must be equal: put videoconvert, videoscale and the "
            "caps video/x-raw,format=%s,width=%d,height=%d before sink_right.",
            GST_VIDEO_INFO_NAME (left),
            GST_VIDEO_INFO_WIDTH (left), GST_VIDEO_INFO_HEIGHT (left),
            GST_VIDEO_INFO_NAME (right), GST_VIDEO_INFO_WIDTH (right),
            GST_VIDEO_INFO_HEIGHT (right), GST_VIDEO_INFO_NAME (left),
            GST_VIDEO_INFO_WIDTH (left), GST_VIDEO_INFO_HEIGHT (left)), (NULL));
    return FALSE;
  }
  if (!stereo_view_fits_tile (params, GST_VIDEO_INFO_WIDTH (left),
          GST_VIDEO_INFO_HEIGHT (left))) {
    FAIL (self, CORE, NEGOTIATION,
        ("Expected views of tile-width x tile-height, %ux%u (0 = any), got "
            "%dx%d: put videoscale before the tee of each view.",
            params->tile_width, params->tile_height,
            GST_VIDEO_INFO_WIDTH (left), GST_VIDEO_INFO_HEIGHT (left)),
        (NULL));
    return FALSE;
  }
  if (stereo_view_map_factor (GST_VIDEO_INFO_WIDTH (left),
          GST_VIDEO_INFO_HEIGHT (left), GST_VIDEO_INFO_WIDTH (map),
          GST_VIDEO_INFO_HEIGHT (map)) == 0) {
    FAIL (self, CORE, NEGOTIATION,
        ("The map on sink_disparity has %dx%d: expected the size of the views, "
            "%dx%d, or that divided by 2, 3, ... or 8 and rounded up.",
            GST_VIDEO_INFO_WIDTH (map), GST_VIDEO_INFO_HEIGHT (map),
            GST_VIDEO_INFO_WIDTH (left), GST_VIDEO_INFO_HEIGHT (left)),
        (NULL));
    return FALSE;
  }
  return TRUE;
}

/* ---------------------------------------------------------------- rendering */

/* The runner for an output. */
static guint
runner_of (const GstStereoView * self, guint output)
{
  return self->output_params[output].layout == self->output_params[0].layout
      ? 0 : 1;
}

static gboolean
prepare_output (GstStereoView * self, GstStereoRunFrame * frame, guint output)
{
  const StereoViewParams *params = &self->output_params[output];
  const guint runner = runner_of (self, output);
  GstStereoRun *run = &self->parent.parent.run;
  GstStereoViewSetup setup;

  memset (&setup, 0, sizeof (setup));
  setup.inputs[LEFT] = setup.inputs[RIGHT] =
      stereo_port_setup_of (&frame->inputs[LEFT].mapped.image);
  setup.inputs[MAP] = stereo_port_setup_of (&frame->inputs[MAP].mapped.image);
  setup.output = stereo_port_setup_of (&frame->outputs[output].mapped.image);
  setup.layout = params->layout;
  setup.columns = params->columns;
  setup.rows = params->rows;
  if (run->configured[runner]
      && memcmp (&setup, &self->setup[runner], sizeof (setup)) == 0)
    return TRUE;
  self->setup[runner] = setup;
  return gst_stereo_run_configure (run, runner, setup.inputs, &setup.output,
      params);
}

static gboolean
view_prepare (GstElement * element, GstStereoRunFrame * frame)
{
  GstStereoView *self = GST_STEREO_VIEW (element);
  gboolean ok = TRUE;

  /* once more if the last one fell back to the CPU */
  do {
    for (guint i = 0; i < frame->n_outputs && ok; i++)
      ok = frame->outputs[i].buffer == NULL
          || prepare_output (self, frame, i);
  } while (ok && !self->parent.parent.run.configured[0]);
  return ok;
}

static StereoStatus
view_start_frame (GstElement * element, GstStereoRunFrame * frame)
{
  GstStereoView *self = GST_STEREO_VIEW (element);
  GstStereoRun *run = &self->parent.parent.run;
  GstStereoRunImage *in = frame->inputs;
  const StereoImage *const inputs[] = {
    [LEFT] = &in[LEFT].mapped.image,
    [RIGHT] = in[RIGHT].buffer != NULL ? &in[RIGHT].mapped.image : NULL,
    [MAP] = &in[MAP].mapped.image,
  };
  StereoStatus status = STEREO_OK;

  for (guint i = 0; i < frame->n_outputs && status == STEREO_OK; i++) {
    const StereoImage *output = &frame->outputs[i].mapped.image;
    const guint runner = runner_of (self, i);

    if (frame->outputs[i].buffer == NULL)
      continue;
    status = stereo_view_set_params (run->runner[runner],
        &self->output_params[i]);
    if (status != STEREO_OK)
      run->why = *stereo_runner_message (run->runner[runner]);
    else
      status = gst_stereo_run_process (run, runner, inputs, &output,
          &frame->outputs[i]);
  }
  return status;
}

const GstStereoRunFuncs gst_stereo_view_run_funcs = {
  .purpose = "render the views",
  .op = &stereo_view_op,
  .n_runners = 2,
  .prepare = view_prepare,
  .start = view_start_frame,
};

/* ------------------------------------------------------------------- frames */

/* Each view_%u shows a single view, from a position of its own. */
static void
update_output_params (GstStereoView * self, GstStereoRunFrame * frame,
    const StereoViewParams * params, GstClockTime time)
{
  self->output_params = g_renew (StereoViewParams, self->output_params,
      frame->n_outputs);
  for (guint i = 0; i < frame->n_outputs; i++) {
    StereoViewParams *own = &self->output_params[i];
    GstPad *pad = frame->outputs[i].pad;

    *own = *params;
    if (pad == NULL)
      continue;
    own->layout = STEREO_VIEW_MONO;
    own->position = gst_stereo_view_pad_get_position (GST_STEREO_VIEW_PAD
        (pad), time);
  }
}

void
gst_stereo_view_describe (GstStereoAggregator * aggregator,
    GstStereoRunFrame * frame, guint output)
{
  const StereoViewParams *params =
      &GST_STEREO_VIEW (aggregator)->output_params[output];
  const guint n = (guint) stereo_view_count (params);
  GstBuffer *buffer = frame->outputs[output].buffer;
  const GstStereoViewDescription description = {
    .position = params->position,
    .separation = n > 1 ? params->separation : 0,
    .convergence = params->convergence,
    .layout = stereo_view_layout_values[params->layout].nick,
    .views = n,
  };

  gst_stereo_meta_copy_about (frame->inputs[LEFT].buffer, buffer,
      gst_stereo_frame_meta_tags);
  gst_stereo_view_meta_add (buffer, &description);
}

/* Sets the convergence if it is automatic. */
static void
update_convergence (GstStereoView * self, GstBuffer * map,
    const GstVideoInfo info[GST_STEREO_N_INPUTS], GstClockTime time,
    StereoViewParams * params)
{
  GstStereoViewConvergence *convergence = &self->convergence;

  GST_OBJECT_LOCK (self);
  convergence->share = self->auto_convergence;
  GST_OBJECT_UNLOCK (self);
  if (convergence->share < 0)
    convergence->known = FALSE;
  else
    gst_stereo_view_converge (convergence, map, &info[MAP],
        stereo_view_map_factor (GST_VIDEO_INFO_WIDTH (&info[LEFT]),
            GST_VIDEO_INFO_HEIGHT (&info[LEFT]),
            GST_VIDEO_INFO_WIDTH (&info[MAP]),
            GST_VIDEO_INFO_HEIGHT (&info[MAP])), time, params);
}

static gboolean
same_shape (const StereoViewParams * a, const StereoViewParams * b)
{
  return a->layout == b->layout && (a->layout != STEREO_VIEW_QUILT
      || (a->columns == b->columns && a->rows == b->rows));
}

GstFlowReturn
gst_stereo_view_process_map (GstDisparityConsumer * base,
    GstStereoInput * inputs, GstClockTime time)
{
  GstStereoView *self = GST_STEREO_VIEW (base);
  GstVideoInfo info[GST_STEREO_N_INPUTS];
  GstStereoRunFrame frame = { 0, };
  StereoViewParams params;
  GstFlowReturn flow;

  if (self->negotiated)
    gst_stereo_aggregator_select (&base->parent, inputs);
  (void) gst_stereo_aggregator_get_info (&base->parent, info, 0);
  GST_OBJECT_LOCK (self);
  params = self->params;
  GST_OBJECT_UNLOCK (self);
  params.full_range = info[LEFT].colorimetry.range
      == GST_VIDEO_COLOR_RANGE_0_255;
  if (!self->negotiated || !same_shape (&params, &self->shape)) {
    gst_pad_mark_reconfigure (GST_AGGREGATOR_SRC_PAD (self));
    return GST_AGGREGATOR_FLOW_NEED_DATA;
  }
  if (!check_inputs (self, &params, info, inputs[RIGHT].buffer != NULL)
      || !read_meta (self, inputs[MAP].buffer, &info[MAP], &params))
    return GST_FLOW_ERROR;
  update_convergence (self, inputs[MAP].buffer, info, time, &params);
  gst_disparity_consumer_pop (base, inputs, info, &frame);
  if (gst_stereo_aggregator_is_late (&base->parent, &inputs[LEFT]))
    return GST_AGGREGATOR_FLOW_NEED_DATA;

  flow = gst_stereo_aggregator_open_outputs (&base->parent, &frame);
  update_output_params (self, &frame, &params, time);
  if (flow == GST_FLOW_OK)
    flow = gst_stereo_aggregator_push_frame (&base->parent, &frame,
        inputs[LEFT].buffer);
  gst_stereo_aggregator_close_outputs (&frame);
  return flow;
}
