/* gst-stereomatching: from a pair to what was found, on the device
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "pair/gststereobase-private.h"

#include "base/gststereoallocator.h"
#include "base/gststereodebug.h"
#include "base/gststereoformat.h"

StereoStatus
gst_stereo_base_drain (GstStereoBase * self)
{
  GstStereoBasePrivate *priv = PRIV (self);
  StereoStatus status = STEREO_OK;

  if (priv->matcher != NULL)
    status = stereo_matcher_sync (priv->matcher);
  if (status != STEREO_OK)
    GST_WARNING_OBJECT (self, "%s", stereo_matcher_error (priv->matcher));
  gst_stereo_held_release_all (&priv->held);
  return status;
}

/* ------------------------------------------------------------------ matcher */

static void
close_matcher (GstElement * element)
{
  GstStereoBase *self = GST_STEREO_BASE (element);
  GstStereoBasePrivate *priv = PRIV (self);
  StereoMatcher *matcher = priv->matcher;

  (void) gst_stereo_base_drain (self);
  gst_stereo_fence_retire (&priv->fence);
  GST_OBJECT_LOCK (self);
  priv->matcher = NULL;
  GST_OBJECT_UNLOCK (self);
  stereo_matcher_free (&matcher);
  stereo_params_free (&priv->applied);
  priv->configured = FALSE;
}

static gboolean
open_matcher (GstElement * element, StereoDevice * device, StereoMessage * why)
{
  GstStereoBase *self = GST_STEREO_BASE (element);
  GstStereoBasePrivate *priv = PRIV (self);
  const StereoAlgorithm *algorithm =
      GST_STEREO_BASE_GET_CLASS (self)->algorithm;
  StereoMatcher *matcher = NULL;
  StereoStatus status;

  status = stereo_matcher_new (algorithm, device, &matcher);
  if (status == STEREO_OK)
    status = stereo_params_new (algorithm, &priv->applied);
  if (status != STEREO_OK) {
    g_snprintf (why->text, sizeof (why->text), "%s can't be started on %s: %s",
        stereo_algorithm_name (algorithm), stereo_device_name (device),
        stereo_status_name (status));
    stereo_matcher_free (&matcher);
    return FALSE;
  }

  priv->fence = gst_stereo_fence_new (stereo_matcher_get_runner (matcher));
  priv->last_frame = 0;
  GST_OBJECT_LOCK (self);
  priv->matcher = matcher;
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

const GstStereoDeviceUser gst_stereo_base_device_user = {
  .open = open_matcher,
  .close = close_matcher,
};

/* Configures the matcher for priv->config with the parameters as they are
 * now.  Falls back to the CPU when it may. */
static gboolean
configure (GstStereoBase * self)
{
  GstStereoBasePrivate *priv = PRIV (self);
  StereoStatus status;

  priv->applied_serial = gst_stereo_params_snapshot (&priv->params,
      priv->applied);
  stereo_matcher_set_frames (priv->matcher, priv->device.n_frames);
  status = stereo_matcher_configure (priv->matcher, &priv->config,
      priv->applied);
  if (status == STEREO_OK) {
    /* All frames are complete then. */
    gst_stereo_held_resize (&priv->held, priv->device.n_frames);
    return TRUE;
  }
  return gst_stereo_device_fall_back (&priv->device, status,
      stereo_matcher_error (priv->matcher)) && configure (self);
}

gboolean
gst_stereo_base_current_config (GstStereoBase * self,
    StereoMatcherConfig * config)
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstVideoInfo left, right;

  GST_OBJECT_LOCK (self);
  left = priv->info[LEFT];
  right = priv->info[RIGHT];
  GST_OBJECT_UNLOCK (self);
  config->width = GST_VIDEO_INFO_WIDTH (&left);
  config->height = GST_VIDEO_INFO_HEIGHT (&left);
  config->left_colorimetry = gst_stereo_colorimetry (&left);
  config->right_colorimetry = gst_stereo_colorimetry (&right);
  return gst_stereo_format (GST_VIDEO_INFO_FORMAT (&left), &config->left)
      && gst_stereo_format (GST_VIDEO_INFO_FORMAT (&right), &config->right)
      && gst_stereo_format (GST_VIDEO_INFO_FORMAT (&priv->out_info),
      &config->output);
}

gboolean
gst_stereo_base_negotiated_src_caps (GstAggregator * aggregator, GstCaps * caps)
{
  GstStereoBase *self = GST_STEREO_BASE (aggregator);
  GstStereoBasePrivate *priv = PRIV (self);

  priv->configured = FALSE;
  if (gst_stereo_failure_posted (&PRIV (self)->failure)
      || !gst_video_info_from_caps (&priv->out_info, caps))
    return FALSE;

  priv->configured = gst_stereo_base_current_config (self, &priv->config)
      && configure (self);
  return priv->configured;
}

gboolean
gst_stereo_base_apply_params (GstStereoBase * self, GstBuffer * left)
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstClockTime stream_time = gst_segment_to_stream_time
      (&priv->segment[LEFT], GST_FORMAT_TIME, GST_BUFFER_PTS (left));

  if (GST_CLOCK_TIME_IS_VALID (stream_time))
    gst_object_sync_values (GST_OBJECT_CAST (self), stream_time);
  return !gst_stereo_params_changed (&priv->params, priv->applied_serial)
      || configure (self);
}

/* ------------------------------------------------------------------ a frame */

void
gst_stereo_base_look_at_image (GstStereoBase * self, GstBuffer * buffer)
{
  if (GST_BUFFER_IS_DISCONT (buffer))
    g_atomic_int_set (&PRIV (self)->begins_anew, TRUE);
}

/* On failure some may be mapped already. */
static gboolean
map_outputs (GstStereoBase * self, GstStereoOutput * outputs, guint n)
{
  StereoDevice *device = PRIV (self)->device.device;
  StereoMessage why;

  for (guint i = 0; i < n; i++) {
    if (!gst_stereo_frame_map (&outputs[i].target, outputs[i].info,
            outputs[i].buffer, GST_MAP_WRITE | GST_STEREO_MAP_DEVICE, device,
            &why)) {
      STEREO_ERROR (self, RESOURCE, WRITE,
          ("A buffer for the output %s.", why.text), (NULL));
      return FALSE;
    }
  }
  return TRUE;
}

static void
unmap_outputs (GstStereoOutput * outputs, guint n)
{
  for (guint i = 0; i < n; i++) {
    if (outputs[i].target.frame.buffer != NULL)
      gst_stereo_frame_unmap (&outputs[i].target);
  }
}

/* On failure some may be mapped already. */
static gboolean
map_views (GstStereoBase * self, GstBuffer * buffers[N_VIEWS],
    GstStereoFrame views[N_VIEWS])
{
  GstStereoBasePrivate *priv = PRIV (self);
  StereoMessage why;

  for (guint i = 0; i < N_VIEWS; i++) {
    GstVideoInfo info;

    GST_OBJECT_LOCK (self);
    info = priv->info[i];
    GST_OBJECT_UNLOCK (self);
    if (!gst_stereo_frame_map (&views[i], &info, buffers[i], GST_MAP_READ,
            priv->device.device, &why)) {
      STEREO_ERROR (self, STREAM, FORMAT, ("A buffer on sink_%s %s.",
              gst_stereo_view_names[i], why.text), (NULL));
      return FALSE;
    }
  }
  return TRUE;
}

/* Starts a frame, and waits for it where what it gives can't be waited for
 * later.  pinned: which outputs can. */
static StereoStatus
start_frame (GstStereoBase * self, const GstStereoFrame views[N_VIEWS],
    GstStereoOutput * outputs, guint n, gboolean pinned[STEREO_N_RESULTS])
{
  GstStereoBasePrivate *priv = PRIV (self);
  const StereoImage *results[STEREO_N_RESULTS] = { NULL, };
  gboolean all_pinned = TRUE, profiling;
  StereoStatus status;
  uint64_t frame = 0;

  for (guint i = 0; i < n; i++) {
    pinned[i] = gst_stereo_buffer_is_pinned (outputs[i].buffer,
        priv->device.device);
    all_pinned &= pinned[i];
    results[outputs[i].result] = &outputs[i].target.image;
  }
  if (g_atomic_int_compare_and_exchange (&priv->begins_anew, TRUE, FALSE))
    stereo_matcher_reset (priv->matcher);
  GST_OBJECT_LOCK (self);
  profiling = priv->profiling;
  GST_OBJECT_UNLOCK (self);
  stereo_matcher_set_profiling (priv->matcher, profiling);
  status = stereo_matcher_process_results (priv->matcher, &views[LEFT].image,
      &views[RIGHT].image, results, &frame);
  if (status == STEREO_OK)
    priv->last_frame = frame;
  if (status == STEREO_OK && !all_pinned)
    status = stereo_matcher_wait (priv->matcher, frame);
  return status;
}

/* Runs the matcher on a mapped pair; views that it goes on reading are kept
 * mapped. */
static StereoStatus
run_matcher (GstStereoBase * self, GstStereoFrame views[N_VIEWS],
    GstStereoOutput * outputs, guint n)
{
  GstStereoBasePrivate *priv = PRIV (self);
  gboolean reading = views[LEFT].image.memory != STEREO_MEMORY_HOST
      || views[RIGHT].image.memory != STEREO_MEMORY_HOST;
  gboolean pinned[STEREO_N_RESULTS];
  StereoStatus status;

  if (!map_outputs (self, outputs, n)) {
    unmap_outputs (outputs, n);
    return STEREO_ERROR_ARGUMENT;
  }
  status = start_frame (self, views, outputs, n, pinned);
  unmap_outputs (outputs, n);
  if (status != STEREO_OK)
    return status;
  for (guint i = 0; i < n; i++) {
    if (pinned[i])
      gst_stereo_buffer_set_fence (outputs[i].buffer, priv->fence,
          priv->last_frame);
  }

  /* The frame that was held in this place has been waited for. */
  gst_stereo_held_release (&priv->held, priv->last_frame);
  if (priv->device.is_cuda && reading)
    gst_stereo_held_take (&priv->held, priv->last_frame, views, N_VIEWS);
  return STEREO_OK;
}

static void
unmap_views (GstStereoFrame views[N_VIEWS])
{
  for (guint i = 0; i < N_VIEWS; i++) {
    if (views[i].frame.buffer != NULL)
      gst_stereo_frame_unmap (&views[i]);
  }
}

gboolean
gst_stereo_base_recover (GstStereoBase * self, StereoStatus status)
{
  GstStereoBasePrivate *priv = PRIV (self);

  if (gst_stereo_failure_posted (&priv->failure))
    return FALSE;
  if (gst_stereo_device_recover (&priv->device, status,
          stereo_matcher_error (priv->matcher)))
    return TRUE;
  STEREO_ERROR (self, LIBRARY, FAILED,
      ("The matcher failed: %s.", stereo_matcher_error (priv->matcher)),
      (NULL));
  return FALSE;
}

gboolean
gst_stereo_base_match (GstStereoBase * self, GstBuffer * buffers[N_VIEWS],
    GstStereoOutput * outputs, guint n)
{
  GstStereoFrame views[N_VIEWS] = { 0, };
  StereoStatus status;

  /* once more if it had to go back to the CPU */
  do {
    if (!map_views (self, buffers, views)) {
      unmap_views (views);
      return FALSE;
    }
    status = run_matcher (self, views, outputs, n);
    unmap_views (views);
    if (status == STEREO_OK)
      return TRUE;
  } while (gst_stereo_base_recover (self, status) && configure (self));
  return FALSE;
}
