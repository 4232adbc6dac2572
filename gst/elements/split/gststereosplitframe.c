/* gst-stereomatching: pushing the views of a frame
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "elements/split/gststereosplit-private.h"

#include "base/gststereogap.h"
#include "base/gststereometa.h"
#include "base/gststereopool.h"

/* ------------------------------------------------------------------- memory */

static void
clear_pool (GstStereoSplit * self, gint view)
{
  if (self->pool[view] != NULL)
    gst_buffer_pool_set_active (self->pool[view], FALSE);
  gst_clear_object (&self->pool[view]);
}

void
gst_stereo_split_clear_pools (GstStereoSplit * self)
{
  for (gint v = 0; v < GST_STEREO_N_VIEWS; v++)
    clear_pool (self, v);
}

gboolean
gst_stereo_split_takes_video_meta (GstStereoSplit * self)
{
  gboolean takes = TRUE;

  if (self->cut.packing != GST_STEREO_PACKING_FRAME_BY_FRAME)
    return TRUE;
  for (gint v = 0; v < GST_STEREO_N_VIEWS; v++) {
    GstCaps *caps = gst_pad_get_current_caps (self->src[v]);

    takes &= !gst_pad_is_linked (self->src[v]) || (caps != NULL
        && gst_stereo_pool_takes_video_meta (self->src[v], caps));
    gst_clear_caps (&caps);
  }
  return takes;
}

gboolean
gst_stereo_split_prepare_pool (GstStereoSplit * self, gint view,
    GstCaps * caps)
{
  const gboolean takes_meta =
      gst_stereo_pool_takes_video_meta (self->src[view], caps);
  guint size;

  clear_pool (self, view);
  if (self->cut.packing == GST_STEREO_PACKING_FRAME_BY_FRAME || (takes_meta
          && gst_stereo_packing_is_shared (self->cut.packing)))
    return TRUE;
  GST_DEBUG_OBJECT (self->src[view], "views are copied");
  self->pool[view] = gst_stereo_pool_new (caps, NULL, takes_meta, 0, 0, &size);
  if (self->pool[view] != NULL
      && gst_buffer_pool_set_active (self->pool[view], TRUE))
    return TRUE;
  GST_STEREO_FAIL (&self->failure, RESOURCE, NO_SPACE_LEFT,
      ("Failed to make a buffer pool for %s. Free some memory, or use "
          "smaller frames.", GST_PAD_NAME (self->src[view])), (NULL));
  return FALSE;
}

/* Updates the pools after downstream was relinked. */
static gboolean
reconfigure_pools (GstStereoSplit * self)
{
  gboolean ok = TRUE;

  for (gint v = 0; v < GST_STEREO_N_VIEWS && ok; v++) {
    GstCaps *caps;

    if (!gst_pad_check_reconfigure (self->src[v]))
      continue;
    caps = gst_pad_get_current_caps (self->src[v]);
    ok = caps == NULL || gst_stereo_split_prepare_pool (self, v, caps);
    gst_clear_caps (&caps);
  }
  return ok;
}

/* ------------------------------------------------------------------- frames */

/* An output buffer contains one view and begins no bundle. */
static void
clear_bundle_flags (GstBuffer * view)
{
  GST_BUFFER_FLAG_UNSET (view, GST_VIDEO_BUFFER_FLAG_MULTIPLE_VIEW
      | GST_VIDEO_BUFFER_FLAG_FIRST_IN_BUNDLE);
}

/* One view of a frame.  NULL with flow set on an error or a stopped pool. */
static GstBuffer *
make_view (GstStereoSplit * self, GstBuffer * frame, gint view,
    GstFlowReturn * flow)
{
  const GstVideoInfo *info = &self->cut.frame;
  const gboolean second = (view == GST_STEREO_RIGHT) != self->right_first;
  GstBuffer *out = NULL;
  gboolean ok;

  if (self->pool[view] == NULL) {
    out = gst_stereo_split_cut_share (&self->cut, frame, second);
    ok = out != NULL;
  } else {
    *flow = gst_buffer_pool_acquire_buffer (self->pool[view], &out, NULL);
    if (*flow == GST_FLOW_ERROR)
      GST_STEREO_FAIL (&self->failure, RESOURCE, NO_SPACE_LEFT,
          ("Failed to allocate a buffer for %s. Free some memory, or use "
              "smaller frames.", GST_PAD_NAME (self->src[view])), (NULL));
    if (*flow != GST_FLOW_OK)
      return NULL;
    ok = gst_stereo_split_cut_copy (&self->cut, frame, second, out);
    gst_buffer_copy_into (out, frame, GST_BUFFER_COPY_FLAGS
        | GST_BUFFER_COPY_TIMESTAMPS, 0, (gsize) - 1);
  }
  if (!ok) {
    gst_clear_buffer (&out);
    GST_STEREO_FAIL (&self->failure, STREAM, FORMAT,
        ("Expected a frame of %dx%d in %s on sink, got a buffer that does "
            "not hold it by its caps or its GstVideoMeta.",
            GST_VIDEO_INFO_WIDTH (info),
            GST_VIDEO_INFO_HEIGHT (info), GST_VIDEO_INFO_NAME (info)), (NULL));
    *flow = GST_FLOW_ERROR;
    return NULL;
  }
  gst_stereo_meta_copy_about (frame, out, gst_stereo_frame_meta_tags);
  clear_bundle_flags (out);
  return out;
}

static GstFlowReturn
push_view (GstStereoSplit * self, gint view, GstBuffer * buffer)
{
  GstFlowReturn flow = gst_pad_push (self->src[view], buffer);

  return gst_flow_combiner_update_pad_flow (self->combiner, self->src[view],
      flow);
}

static GstFlowReturn
split_frame (GstStereoSplit * self, GstBuffer * buffer)
{
  GstBuffer *views[GST_STEREO_N_VIEWS] = { NULL, NULL };
  GstFlowReturn flow = GST_FLOW_OK;

  for (gint v = 0; v < GST_STEREO_N_VIEWS; v++) {
    views[v] = make_view (self, buffer, v, &flow);
    if (views[v] == NULL) {
      gst_clear_buffer (&views[GST_STEREO_LEFT]);
      return flow;
    }
  }
  for (gint v = 0; v < GST_STEREO_N_VIEWS; v++) {
    if (flow == GST_FLOW_OK)
      flow = push_view (self, v, views[v]);
    else
      gst_buffer_unref (views[v]);
  }
  return flow;
}

/* Notes the times of a pair, whose views take as long as both frames. */
static void
start_pair (GstStereoSplit * self, GstBuffer * buffer, gboolean second)
{
  const GstClockTime duration = GST_BUFFER_DURATION (buffer);

  self->pts = GST_BUFFER_PTS (buffer);
  self->dts = GST_BUFFER_DTS (buffer);
  self->duration = duration;
  self->discont = GST_BUFFER_IS_DISCONT (buffer);
  if (!GST_CLOCK_TIME_IS_VALID (duration))
    return;
  self->duration = 2 * duration;
  /* the first view comes second, but begins the pair */
  if (second && GST_CLOCK_TIME_IS_VALID (self->pts))
    self->pts -= MIN (self->pts, duration);
}

/* Frame by frame: the buffer is one view.  Backwards, the second view of a pair
 * comes first.  Takes the buffer. */
static GstFlowReturn
push_frame (GstStereoSplit * self, GstBuffer * buffer)
{
  const gboolean first = GST_BUFFER_FLAG_IS_SET (buffer,
      GST_VIDEO_BUFFER_FLAG_FIRST_IN_BUNDLE);
  const gboolean completes = self->incomplete && (self->backwards || !first);
  const gboolean second = self->backwards ? !completes && !first : completes;

  buffer = gst_buffer_make_writable (buffer);
  if (!completes)
    start_pair (self, buffer, second);
  GST_BUFFER_PTS (buffer) = self->pts;
  GST_BUFFER_DTS (buffer) = self->dts;
  GST_BUFFER_DURATION (buffer) = self->duration;
  if (self->discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  self->incomplete = second == self->backwards;
  clear_bundle_flags (buffer);
  return push_view (self, second != self->right_first ? GST_STEREO_RIGHT
      : GST_STEREO_LEFT, buffer);
}

/* Sends a gap to both views.  Takes the buffer. */
static void
skip_gap (GstStereoSplit * self, GstBuffer * gap)
{
  self->incomplete = FALSE;
  for (gint v = 0; v < GST_STEREO_N_VIEWS; v++)
    gst_stereo_push_gap (self->src[v], gap);
  gst_buffer_unref (gap);
}

GstFlowReturn
gst_stereo_split_chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  GstStereoSplit *self = GST_STEREO_SPLIT (parent);
  GstFlowReturn flow;

  if (gst_stereo_failure_posted (&self->failure)) {
    gst_buffer_unref (buffer);
    return GST_FLOW_ERROR;
  }
  if (!self->negotiated) {
    gst_buffer_unref (buffer);
    return GST_FLOW_NOT_NEGOTIATED;
  }
  if (gst_stereo_is_gap (buffer)) {
    skip_gap (self, buffer);
    return GST_FLOW_OK;
  }
  if (self->cut.packing == GST_STEREO_PACKING_FRAME_BY_FRAME)
    return push_frame (self, buffer);
  flow = reconfigure_pools (self) ? split_frame (self, buffer)
      : GST_FLOW_ERROR;
  gst_buffer_unref (buffer);
  return flow;
}
