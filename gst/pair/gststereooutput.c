/* gst-stereomatching: from what was found to buffers downstream
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "pair/gststereobase-private.h"

#include "base/gststereodebug.h"
#include "base/gststereocamerameta.h"
#include "base/gststereometa.h"
#include "base/gststereopool.h"

/* ------------------------------------------------------------------- memory */

gboolean
gst_stereo_base_propose_allocation (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstQuery * decide_query, GstQuery * query)
{
  GstStereoBase *self = GST_STEREO_BASE (aggregator);

  gst_stereo_pool_propose (query, &PRIV (self)->device);
  return TRUE;
}

void
gst_stereo_base_complain_about_pool (GstStereoBase * self)
{
  STEREO_ERROR (self, RESOURCE, SETTINGS,
      ("There is no buffer pool for the result."), (NULL));
}

gboolean
gst_stereo_base_decide_allocation (GstAggregator * aggregator, GstQuery * query)
{
  GstStereoBase *self = GST_STEREO_BASE (aggregator);

  if (gst_stereo_pool_decide (&PRIV (self)->out_info, query,
          &PRIV (self)->device))
    return TRUE;
  gst_stereo_base_complain_about_pool (self);
  return FALSE;
}

/* A buffer of the pool, which it takes, for a result pad, or for `src`. */
static GstFlowReturn
acquire_output (GstStereoBase * self, GstBufferPool * pool, GstPad * pad,
    GstBuffer ** out)
{
  GstFlowReturn flow = GST_FLOW_ERROR;

  if (pool != NULL && gst_buffer_pool_set_active (pool, TRUE))
    flow = gst_stereo_gate_acquire (&PRIV (self)->gate, pool, pad, out);
  gst_clear_object (&pool);
  if (flow == GST_FLOW_ERROR)
    STEREO_ERROR (self, RESOURCE, NO_SPACE_LEFT,
        ("There is no memory for disparity maps."), (NULL));
  return flow;
}

static GstFlowReturn
open_result (GstStereoBase * self, GstStereoResultPad * pad,
    GstStereoOutput * output)
{
  GstFlowReturn flow;

  *output = (GstStereoOutput) {
    .pad = gst_object_ref (pad),
    .result = pad->result,
    .info = &pad->info,
  };
  flow = gst_stereo_base_negotiate_result (self, pad);
  if (flow == GST_FLOW_OK)
    flow = acquire_output (self, gst_object_ref (pad->pool), GST_PAD (pad),
        &output->buffer);
  return flow;
}

GstFlowReturn
gst_stereo_base_open_outputs (GstStereoBase * self,
    GstStereoOutput outputs[STEREO_N_RESULTS], guint * n)
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstStereoResultPad *pads[STEREO_N_RESULTS];
  guint n_pads = gst_stereo_base_get_result_pads (self, pads);
  GstFlowReturn flow;

  memset (outputs, 0, STEREO_N_RESULTS * sizeof (outputs[0]));
  outputs[0].info = &priv->out_info;
  *n = 1;
  flow = acquire_output (self,
      gst_aggregator_get_buffer_pool (GST_AGGREGATOR (self)), NULL,
      &outputs[0].buffer);
  for (guint i = 0; i < n_pads; i++) {
    if (flow == GST_FLOW_OK && gst_stereo_result_pad_is_wanted (pads[i]))
      flow = open_result (self, pads[i], &outputs[(*n)++]);
    else if (flow == GST_FLOW_OK)
      pads[i]->discont = TRUE;
    /* It may have been released while its buffer was waited for. */
    if (flow == GST_FLOW_FLUSHING
        && !gst_stereo_result_pad_is_wanted (pads[i])) {
      gst_stereo_base_close_outputs (&outputs[--*n], 1);
      flow = GST_FLOW_OK;
    }
  }
  gst_stereo_base_unref_result_pads (pads, n_pads);
  return flow;
}

void
gst_stereo_base_close_outputs (GstStereoOutput * outputs, guint n)
{
  for (guint i = 0; i < n; i++) {
    gst_clear_buffer (&outputs[i].buffer);
    gst_clear_object (&outputs[i].pad);
  }
}

/* --------------------------------------------------------------- what it is */

static gboolean
copy_meta (GstBuffer * from, GstMeta ** meta, gpointer to)
{
  if (gst_stereo_meta_survives (*meta))
    gst_stereo_meta_copy (*meta, from, to);
  return TRUE;
}

/* What src says of all its maps comes before the next one, if it is news. */
static void
tell_tags (GstStereoBase * self, const GstStereoDisparity * disparity)
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstTagList *tags = gst_stereo_tags_of_disparity (&priv->told, disparity,
      &priv->out_info);

  if (tags == NULL)
    return;
  gst_clear_event (&priv->tags);
  priv->tags = gst_event_new_tag (tags);
}

/* GstAggregator sends caps and segment with the buffer, and tags come after
 * those. */
GstPadProbeReturn
gst_stereo_base_send_tags (GstPad * pad, GstPadProbeInfo * probe,
    gpointer user_data)
{
  GstStereoBasePrivate *priv = PRIV (GST_STEREO_BASE (user_data));

  if (priv->tags != NULL)
    gst_pad_push_event (pad, g_steal_pointer (&priv->tags));
  return GST_PAD_PROBE_OK;
}

void
gst_stereo_base_describe_output (GstStereoBase * self, GstStereoOutput * output,
    GstBuffer * buffers[N_VIEWS])
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstStereoDisparity disparity = {.result = output->result };
  GstStereoCamera camera;
  GstBuffer *out = output->buffer;
  gdouble value = 0;
  gboolean ok;

  gst_buffer_copy_into (out, buffers[LEFT],
      GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS, 0, (gsize) - 1);
  GST_BUFFER_FLAG_UNSET (out, GST_BUFFER_FLAG_GAP);
  if (priv->discont || (output->pad != NULL && output->pad->discont))
    GST_BUFFER_FLAG_SET (out, GST_BUFFER_FLAG_DISCONT);
  if (output->pad != NULL)
    output->pad->discont = FALSE;
  gst_buffer_foreach_meta (buffers[LEFT], copy_meta, out);

  ok = stereo_params_get (priv->applied, "num-disparities", &value);
  disparity.num_disparities = (guint) value;
  ok &= stereo_params_get (priv->applied, "min-disparity", &value);
  disparity.min_disparity = (gint) value;
  ok &= stereo_params_get (priv->applied, "invalid-value", &value);
  disparity.invalid_value = (guint) value;
  ok &= stereo_params_get (priv->applied, "disparity-scale", &value);
  disparity.disparity_scale = value;
  g_assert (ok);
  if (output->result == STEREO_RESULT_VERTICAL) {
    disparity.scale = disparity.disparity_scale;
    disparity.offset = STEREO_VERTICAL_OFFSET;
  } else if (output->result == STEREO_RESULT_CONFIDENCE) {
    disparity.scale = output->pad->format == STEREO_FORMAT_GRAY8 ? 255 : 65535;
    disparity.invalid_value = GST_STEREO_META_NO_INVALID;
  } else if (priv->config.output == STEREO_FORMAT_GRAY8) {
    disparity.disparity_scale = 255.0 / MAX (disparity.num_disparities - 1, 1);
  }
  if (gst_stereo_camera_meta_get (buffers[LEFT], &camera)) {
    disparity.focal_length = camera.focal_length;
    disparity.baseline = camera.baseline;
    disparity.doffs = camera.doffs;
    disparity.has_center = TRUE;
    disparity.cx = camera.cx;
    disparity.cy = camera.cy;
  }
  disparity.left_pts = GST_BUFFER_PTS (buffers[LEFT]);
  disparity.right_pts = GST_BUFFER_PTS (buffers[RIGHT]);
  disparity.algorithm =
      stereo_algorithm_name (GST_STEREO_BASE_GET_CLASS (self)->algorithm);
  disparity.backend = stereo_device_backend (priv->device.device);
  gst_stereo_meta_add (out, &disparity);
  if (output->result == STEREO_RESULT_DISPARITY)
    tell_tags (self, &disparity);
}

/* `src` comes first, because its segment is sent with the buffer. */
GstFlowReturn
gst_stereo_base_push_outputs (GstStereoBase * self, GstStereoOutput * outputs,
    guint n)
{
  GstAggregator *aggregator = GST_AGGREGATOR (self);
  GstFlowReturn combined, flow;
  gboolean released;

  combined = gst_aggregator_finish_buffer (aggregator,
      g_steal_pointer (&outputs[0].buffer));
  for (guint i = 1; i < n; i++) {
    if (combined == GST_FLOW_FLUSHING)
      break;
    flow = gst_stereo_result_pad_push (outputs[i].pad, aggregator->srcpad,
        g_steal_pointer (&outputs[i].buffer));
    GST_OBJECT_LOCK (self);
    released = outputs[i].pad->released;
    GST_OBJECT_UNLOCK (self);
    if (!released)
      combined = gst_stereo_flow_combine (combined, flow);
  }
  return combined;
}
