/* gst-stereomatching: from a pair to results with metadata
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "aggregate/gststereomatcher-private.h"

#include "base/gststereocamerameta.h"
#include "base/gststereoformat.h"
#include "base/gststereometa.h"
#include "match/matcher.h"

#define LEFT GST_STEREO_LEFT
#define RIGHT GST_STEREO_RIGHT

/* ------------------------------------------------------------------ matcher */

static void
matcher_close (GstElement * element)
{
  GstStereoMatcher *self = GST_STEREO_MATCHER (element);

  gst_stereo_matcher_drop_diagnosis (self);
  gst_stereo_matcher_close_alignment (self);
  stereo_matcher_free (&self->matcher);
  stereo_params_free (&self->applied);
}

static gboolean
matcher_open (GstElement * element, StereoDevice * device, StereoMessage * why)
{
  GstStereoMatcher *self = GST_STEREO_MATCHER (element);
  const StereoAlgorithm *algorithm =
      GST_STEREO_MATCHER_GET_CLASS (self)->algorithm;
  StereoStatus status = self->params.params == NULL ? STEREO_ERROR_MEMORY
      : stereo_matcher_new (algorithm, device, &self->matcher);

  if (status == STEREO_OK)
    status = stereo_params_new (algorithm, &self->applied);
  if (status != STEREO_OK)
    return GST_STEREO_REFUSE (why, "cannot start %s on %s: %s",
        stereo_algorithm_name (algorithm), stereo_device_name (device),
        stereo_status_name (status));
  GST_OBJECT_LOCK (self);
  self->parent.run.runner[0] = stereo_matcher_get_runner (self->matcher);
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

/* Configures for config with the current parameters. */
static StereoStatus
matcher_configure (GstElement * element)
{
  GstStereoMatcher *self = GST_STEREO_MATCHER (element);

  self->applied_serial = gst_stereo_params_snapshot (&self->params,
      self->applied);
  return stereo_matcher_configure (self->matcher, &self->config,
      self->applied);
}

gboolean
gst_stereo_matcher_current_config (GstStereoMatcher * self,
    StereoMatcherConfig * config)
{
  GstVideoInfo info[GST_STEREO_N_INPUTS];

  (void) gst_stereo_aggregator_get_info (&self->parent, info, 0);
  config->struct_size = sizeof (*config);
  config->width = GST_VIDEO_INFO_WIDTH (&info[LEFT]);
  config->height = GST_VIDEO_INFO_HEIGHT (&info[LEFT]);
  config->left_colorimetry = gst_stereo_colorimetry (&info[LEFT]);
  config->right_colorimetry = gst_stereo_colorimetry (&info[RIGHT]);
  return gst_stereo_format (GST_VIDEO_INFO_FORMAT (&info[LEFT]),
      &config->left)
      && gst_stereo_format (GST_VIDEO_INFO_FORMAT (&info[RIGHT]),
      &config->right)
      && gst_stereo_format (GST_VIDEO_INFO_FORMAT (&self->parent.out_info),
      &config->output);
}

gboolean
gst_stereo_matcher_negotiated_src_caps (GstAggregator * aggregator,
    GstCaps * caps)
{
  GstStereoMatcher *self = GST_STEREO_MATCHER (aggregator);
  const GstVideoInfo before = self->parent.out_info;
  StereoMatcherConfig config = self->config;
  gboolean same = self->configured && self->parent.run.configured[0];

  self->configured = FALSE;
  if (gst_stereo_failure_posted (&self->parent.failure)
      || !gst_video_info_from_caps (&self->parent.out_info, caps)
      || !gst_stereo_matcher_current_config (self, &config))
    return FALSE;
  same = same && gst_video_info_is_equal (&before, &self->parent.out_info)
      && memcmp (&config, &self->config, sizeof (config)) == 0;
  self->config = config;
  /* Configuring again would reset the temporal filter. */
  self->configured = same
      || gst_stereo_run_configure (&self->parent.run, 0, NULL, NULL, NULL);
  return self->configured;
}

/* -------------------------------------------------------------------- frame */

void
gst_stereo_matcher_inspect_image (GstStereoMatcher * self, GstBuffer * buffer)
{
  if (GST_BUFFER_IS_DISCONT (buffer))
    g_atomic_int_set (&self->reset_pending, TRUE);
}

static gboolean
matcher_prepare (GstElement * element, GstStereoRunFrame * frame)
{
  GstStereoRun *run = &GST_STEREO_MATCHER (element)->parent.run;

  return run->configured[0]
      || gst_stereo_run_configure (run, 0, NULL, NULL, NULL);
}

static StereoResult
result_of (const GstStereoRunImage * output)
{
  return output->pad == NULL ? STEREO_RESULT_DISPARITY
      : GST_STEREO_RESULT_PAD (output->pad)->result;
}

static StereoStatus
matcher_start (GstElement * element, GstStereoRunFrame * frame)
{
  GstStereoMatcher *self = GST_STEREO_MATCHER (element);
  const StereoImage *results[STEREO_N_RESULTS] = { NULL, };
  const StereoImage *const views[] = { &frame->inputs[LEFT].mapped.image,
    &frame->inputs[RIGHT].mapped.image
  };
  gboolean profiling, diagnosing;
  StereoImage confidence;
  StereoStatus status;

  for (guint i = 0; i < frame->n_outputs; i++) {
    if (frame->outputs[i].buffer != NULL)
      results[result_of (&frame->outputs[i])] =
          &frame->outputs[i].mapped.image;
  }
  GST_OBJECT_LOCK (self);
  profiling = self->profiling;
  GST_OBJECT_UNLOCK (self);
  stereo_matcher_set_profiling (self->matcher, profiling);
  /* `stages` should have the stages of the outputs that downstream accepts, and
   * a confidence that is an output stays on the GPU */
  diagnosing = !profiling && !(self->parent.device.is_cuda
      && results[STEREO_RESULT_CONFIDENCE] != NULL)
      && gst_stereo_matcher_start_diagnosis (self,
      GST_BUFFER_PTS (frame->inputs[LEFT].buffer), &confidence);
  if (diagnosing && results[STEREO_RESULT_CONFIDENCE] == NULL)
    results[STEREO_RESULT_CONFIDENCE] = &confidence;
  status = gst_stereo_run_process (&self->parent.run, 0, views, results,
      &frame->outputs[0]);
  for (guint i = 1; i < frame->n_outputs; i++)
    frame->outputs[i].number = frame->outputs[0].number;
  if (diagnosing && status == STEREO_OK)
    gst_stereo_matcher_continue_diagnosis (self,
        results[STEREO_RESULT_CONFIDENCE], frame->outputs[0].number);
  if (status == STEREO_OK)
    gst_stereo_matcher_measure (self, frame);
  return status;
}

const GstStereoRunFuncs gst_stereo_matcher_run_funcs = {
  .purpose = "match the views",
  .n_runners = 1,
  .open = matcher_open,
  .close = matcher_close,
  .configure = matcher_configure,
  .prepare = matcher_prepare,
  .start = matcher_start,
};

/* Applies the parameters of this time. */
static gboolean
update_params (GstStereoMatcher * self, const GstStereoInput * left)
{
  GstClockTime stream_time = gst_segment_to_stream_time (&left->segment,
      GST_FORMAT_TIME, GST_BUFFER_PTS (left->buffer));

  if (GST_CLOCK_TIME_IS_VALID (stream_time))
    gst_object_sync_values (GST_OBJECT_CAST (self), stream_time);
  return !gst_stereo_params_changed (&self->params, self->applied_serial)
      || gst_stereo_run_configure (&self->parent.run, 0, NULL, NULL, NULL);
}

GstFlowReturn
gst_stereo_matcher_match (GstStereoMatcher * self,
    GstStereoInput inputs[GST_STEREO_N_VIEWS])
{
  GstVideoInfo info[GST_STEREO_N_INPUTS];
  GstBuffer *left = inputs[LEFT].buffer;
  GstStereoRunFrame frame = { 0, };
  GstFlowReturn flow;

  /* A flush from now on concerns the next pair. */
  if (g_atomic_int_compare_and_exchange (&self->reset_pending, TRUE, FALSE))
    stereo_matcher_reset (self->matcher);
  gst_stereo_aggregator_select (&self->parent, inputs);
  if (!update_params (self, &inputs[LEFT]))
    return GST_FLOW_ERROR;
  gst_stereo_matcher_inspect_pair (self, inputs);
  gst_stereo_matcher_update_correction (self);
  (void) gst_stereo_aggregator_get_info (&self->parent, info, 0);
  for (guint i = 0; i < GST_STEREO_N_VIEWS; i++)
    frame.inputs[i] = (GstStereoRunImage) {
      .pad = GST_PAD (self->parent.sink[i]),
      .info = &info[i],
      .buffer = inputs[i].buffer,
    };
  flow = gst_stereo_aggregator_open_outputs (&self->parent, &frame);
  if (flow == GST_FLOW_OK)
    flow = gst_stereo_aggregator_push_frame (&self->parent, &frame, left);
  if (flow == GST_FLOW_OK)
    g_atomic_int_set (&self->n_unpaired, 0);
  gst_stereo_aggregator_close_outputs (&frame);
  return flow;
}

/* ----------------------------------------------------------------- metadata */

static gboolean
copy_meta (GstBuffer * from, GstMeta ** meta, gpointer to)
{
  if (gst_stereo_meta_survives (*meta))
    gst_stereo_meta_copy (*meta, from, to);
  return TRUE;
}

/* GstAggregator sends caps and segment with the buffer, and tags come after
 * those. */
GstPadProbeReturn
gst_stereo_matcher_send_tags (GstPad * pad, GstPadProbeInfo * probe,
    gpointer user_data)
{
  GstStereoMatcher *self = GST_STEREO_MATCHER (user_data);

  gst_stereo_pending_tags_send (&self->tags, pad);
  return GST_PAD_PROBE_OK;
}

/* The meaning of the codes, from parameters and formats. */
static void
describe_codes (GstStereoMatcher * self, const GstStereoRunImage * output,
    GstStereoDisparity * disparity)
{
  gdouble value = 0;
  gboolean ok;

  ok = stereo_params_get (self->applied, "num-disparities", &value);
  disparity->num_disparities = (guint) value;
  ok &= stereo_params_get (self->applied, "min-disparity", &value);
  disparity->min_disparity = (gint) value;
  ok &= stereo_params_get (self->applied, "invalid-value", &value);
  disparity->invalid_value = (guint) value;
  ok &= stereo_params_get (self->applied, "disparity-scale", &value);
  disparity->disparity_scale = value;
  g_assert (ok);
  /* algorithms without refinement have neither */
  disparity->filled = stereo_params_get (self->applied, "fill", &value)
      && value != 0
      && !(stereo_params_get (self->applied, "min-confidence", &value)
      && value != 0);
  if (disparity->result == STEREO_RESULT_VERTICAL) {
    disparity->scale = disparity->disparity_scale;
    disparity->offset = STEREO_VERTICAL_OFFSET;
  } else if (disparity->result == STEREO_RESULT_CONFIDENCE) {
    disparity->scale = GST_VIDEO_INFO_FORMAT (output->info)
        == GST_VIDEO_FORMAT_GRAY8 ? 255 : 65535;
    disparity->invalid_value = GST_STEREO_META_NO_INVALID;
  } else if (self->config.output == STEREO_FORMAT_GRAY8) {
    disparity->disparity_scale =
        255.0 / MAX (disparity->num_disparities - 1, 1);
  }
}

void
gst_stereo_matcher_describe (GstStereoAggregator * aggregator,
    GstStereoRunFrame * frame, guint output)
{
  GstStereoMatcher *self = GST_STEREO_MATCHER (aggregator);
  GstStereoRunImage *image = &frame->outputs[output];
  GstBuffer *left = frame->inputs[LEFT].buffer;
  GstStereoDisparity disparity = {.result = result_of (image) };
  GstStereoCamera camera;

  gst_buffer_foreach_meta (left, copy_meta, image->buffer);
  describe_codes (self, image, &disparity);
  if (gst_stereo_camera_meta_get (left, &camera)) {
    disparity.focal_length = camera.focal_length;
    disparity.baseline = camera.baseline;
    disparity.doffs = camera.doffs;
    disparity.has_center = TRUE;
    disparity.cx = camera.cx;
    disparity.cy = camera.cy;
    disparity.projection = camera.projection;
  }
  disparity.left_pts = GST_BUFFER_PTS (left);
  disparity.right_pts = GST_BUFFER_PTS (frame->inputs[RIGHT].buffer);
  disparity.algorithm =
      stereo_algorithm_name (GST_STEREO_MATCHER_GET_CLASS (self)->algorithm);
  disparity.weights = stereo_params_get_weights (self->applied);
  disparity.backend = stereo_device_backend (aggregator->device.device);
  gst_stereo_meta_add (image->buffer, &disparity);
  gst_stereo_pending_tags_update (image->pad != NULL
      ? &GST_STEREO_RESULT_PAD (image->pad)->tags : &self->tags, &disparity,
      image->info);
}
