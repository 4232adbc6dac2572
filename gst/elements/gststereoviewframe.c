/* gst-stereomatching: from images and their map to views downstream
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "elements/gststereoview-private.h"

#include "base/gststereoallocator.h"
#include "base/gststereometa.h"
#include "base/gststereoviewmeta.h"
#include "pair/gststereolate.h"

#include <string.h>

#define FAIL(self, domain, code, text, debug) \
    GST_STEREO_FAIL (&(self)->parent.failure, domain, code, text, debug)

/* A view that goes out, or what src shows. */
typedef struct
{
  GstStereoViewPad *pad;        /* a reference; NULL for src */
  const GstVideoInfo *info;
  GstBuffer *buffer;            /* NULL: it is not wanted after all */
  GstStereoFrame target;
} View;

/* What it takes to make all that goes out with a frame. */
typedef struct
{
  GstStereoInput *heads;        /* one for each input */
  GstVideoInfo info[N_INPUTS];
  GstStereoFrame inputs[N_INPUTS];
  guint n_views;
  View *views;                  /* that of src first */
  GstStereoViewJob *jobs;       /* one for each of them */
  gboolean under_way;           /* it is waited for later */
} Frame;

/* ------------------------------------------------------------------- inputs */

/* What the codes of a map mean. */
static gboolean
read_meta (GstStereoView * self, GstBuffer * buffer,
    const GstVideoInfo * info, StereoViewParams * params)
{
  GstStereoDisparity meta;
  GstCustomMeta *custom;
  const gchar *view;

  if (!gst_stereo_tags_get_disparity (&self->parent.tags, buffer, info,
          &meta)) {
    if (!self->warned)
      GST_ELEMENT_WARNING (self, STREAM, FORMAT,
          ("The maps don't say what their codes mean: assuming %g codes for a "
              "pixel from %d pixels on, and %d for none; set disparity-scale, "
              "min-disparity and invalid-value.", params->scale,
              params->minimum, params->invalid_value), (NULL));
    self->warned = TRUE;
    return TRUE;
  }
  custom = gst_buffer_get_custom_meta (buffer, GST_STEREO_DISPARITY_META);
  view = custom == NULL ? NULL : gst_structure_get_string
      (gst_custom_meta_get_structure (custom), "reference-view");
  if (meta.result != STEREO_RESULT_DISPARITY) {
    FAIL (self, STREAM, WRONG_TYPE,
        ("sink_disparity gets a map of the result '%s': it needs disparities, "
            "which are on the pad src of a matcher.",
            stereo_result_name (meta.result)), (NULL));
    return FALSE;
  }
  if (view != NULL && strcmp (view, "left") != 0) {
    FAIL (self, STREAM, WRONG_TYPE,
        ("sink_disparity gets a map of the %s view: it needs one of the left "
            "view.", view), (NULL));
    return FALSE;
  }
  params->scale = meta.disparity_scale;
  params->minimum = meta.min_disparity;
  params->invalid_value = meta.invalid_value > 65535 ? -1
      : (gint) meta.invalid_value;
  if (params->scale < 1.0 / 64 || params->scale > 65536) {
    FAIL (self, STREAM, WRONG_TYPE,
        ("The map has %g codes for a pixel: 1/64 to 65536 can be used.",
            params->scale), (NULL));
    return FALSE;
  }
  if (params->minimum < -16384 || params->minimum > 16384) {
    FAIL (self, STREAM, WRONG_TYPE,
        ("The map begins at a disparity of %d: -16384 to 16384 can be used.",
            meta.min_disparity), (NULL));
    return FALSE;
  }
  return TRUE;
}

static gboolean
check_inputs (GstStereoView * self, const GstVideoInfo info[N_INPUTS],
    gboolean both)
{
  const GstVideoInfo *left = &info[LEFT], *right = &info[RIGHT];
  const GstVideoInfo *map = &info[MAP];

  if (both && (GST_VIDEO_INFO_FORMAT (left) != GST_VIDEO_INFO_FORMAT (right)
          || GST_VIDEO_INFO_WIDTH (left) != GST_VIDEO_INFO_WIDTH (right)
          || GST_VIDEO_INFO_HEIGHT (left) != GST_VIDEO_INFO_HEIGHT (right))) {
    FAIL (self, CORE, NEGOTIATION,
        ("The views differ: sink_left has %s of %dx%d, sink_right %s of "
            "%dx%d. They have to be equal; put videoconvert and videoscale "
            "before one of them.", GST_VIDEO_INFO_NAME (left),
            GST_VIDEO_INFO_WIDTH (left), GST_VIDEO_INFO_HEIGHT (left),
            GST_VIDEO_INFO_NAME (right), GST_VIDEO_INFO_WIDTH (right),
            GST_VIDEO_INFO_HEIGHT (right)), (NULL));
    return FALSE;
  }
  if (stereo_view_map_factor (GST_VIDEO_INFO_WIDTH (left),
          GST_VIDEO_INFO_HEIGHT (left), GST_VIDEO_INFO_WIDTH (map),
          GST_VIDEO_INFO_HEIGHT (map)) == 0) {
    FAIL (self, CORE, NEGOTIATION,
        ("The map on sink_disparity has %dx%d: for views of %dx%d it has to "
            "have their size, or that divided by 2, 3, ... or 8 and rounded "
            "up.", GST_VIDEO_INFO_WIDTH (map), GST_VIDEO_INFO_HEIGHT (map),
            GST_VIDEO_INFO_WIDTH (left), GST_VIDEO_INFO_HEIGHT (left)),
        (NULL));
    return FALSE;
  }
  return TRUE;
}

/* ------------------------------------------------------------------ outputs */

/* A buffer of the pool, which it takes, for a view_%u, or for `src`. */
static GstFlowReturn
acquire (GstStereoView * self, GstBufferPool * pool, GstPad * pad,
    GstBuffer ** out)
{
  GstFlowReturn flow = GST_FLOW_ERROR;

  if (pool != NULL && gst_buffer_pool_set_active (pool, TRUE))
    flow = gst_stereo_gate_acquire (&self->gate, pool, pad, out);
  gst_clear_object (&pool);
  if (flow == GST_FLOW_ERROR)
    FAIL (self, RESOURCE, NO_SPACE_LEFT,
        ("There is no memory for views."), (NULL));
  return flow;
}

/* Caps and memory of a pad view_%u. */
static GstFlowReturn
negotiate (GstStereoView * self, GstStereoResultPad * pad,
    const GstVideoInfo * left, const StereoViewParams * params)
{
  gboolean asked = gst_pad_check_reconfigure (GST_PAD (pad));
  GstCaps *current = gst_pad_get_current_caps (GST_PAD (pad));
  GstCaps *caps = gst_stereo_view_make_caps (left, params), *downstream;
  gboolean same = current != NULL && gst_caps_is_equal (current, caps);
  GstFlowReturn flow = GST_FLOW_NOT_NEGOTIATED;
  gchar *text = NULL;

  if (same && !asked && pad->pool != NULL
      && pad->pool_device == self->parent.device.device) {
    flow = GST_FLOW_OK;
    goto done;
  }
  downstream = gst_pad_peer_query_caps (GST_PAD (pad), caps);
  if (!gst_caps_can_intersect (caps, downstream)) {
    text = gst_caps_to_string (caps);
    FAIL (self, CORE, NEGOTIATION,
        ("What follows %s can't take %s: views have the format and the size of "
            "the left one (put videoconvert or videoscale behind the "
            "element).", GST_PAD_NAME (pad), text),
        ("downstream takes %" GST_PTR_FORMAT, downstream));
  } else if (gst_video_info_from_caps (&pad->info, caps)) {
    gst_stereo_result_pad_start (pad, GST_AGGREGATOR_SRC_PAD (self),
        same ? NULL : caps);
    flow = GST_FLOW_OK;
    if (!gst_stereo_result_pad_allocate (pad, caps, &self->parent.device)) {
      FAIL (self, RESOURCE, SETTINGS,
          ("There is no buffer pool for views."), (NULL));
      flow = GST_FLOW_ERROR;
    }
  }
  if (flow != GST_FLOW_OK)
    gst_pad_mark_reconfigure (GST_PAD (pad));
  gst_caps_unref (downstream);
done:
  g_free (text);
  gst_caps_unref (caps);
  gst_clear_caps (&current);
  return flow;
}

static GstFlowReturn
open_view (GstStereoView * self, Frame * frame, View * view,
    const StereoViewParams * params)
{
  GstStereoResultPad *pad = &view->pad->parent;
  GstFlowReturn flow = GST_FLOW_FLUSHING;

  view->info = &pad->info;
  if (gst_stereo_result_pad_is_wanted (pad))
    flow = negotiate (self, pad, &frame->info[LEFT], params);
  if (flow == GST_FLOW_OK)
    flow = acquire (self, gst_object_ref (pad->pool), GST_PAD (pad),
        &view->buffer);
  if (view->buffer == NULL)
    pad->discont = TRUE;
  /* It may have been released while its buffer was waited for. */
  return flow == GST_FLOW_FLUSHING && !gst_stereo_result_pad_is_wanted (pad)
      ? GST_FLOW_OK : flow;
}

/* Buffers for all views that somebody waits for.  There may be some even if it
 * fails. */
static GstFlowReturn
open_views (GstStereoView * self, Frame * frame,
    const StereoViewParams * params, GstClockTime time)
{
  GPtrArray *pads = gst_stereo_view_pads_get (self->views,
      GST_ELEMENT_CAST (self));
  GstFlowReturn flow;

  frame->n_views = 1 + pads->len;
  frame->views = g_new0 (View, frame->n_views);
  frame->jobs = g_new0 (GstStereoViewJob, frame->n_views);
  frame->jobs[0].params = *params;
  frame->views[0].info = &self->out_info;
  flow = acquire (self, gst_aggregator_get_buffer_pool (GST_AGGREGATOR (self)),
      NULL, &frame->views[0].buffer);
  for (guint i = 1; i < frame->n_views; i++) {
    StereoViewParams *own = &frame->jobs[i].params;
    View *view = &frame->views[i];

    view->pad = gst_object_ref (pads->pdata[i - 1]);
    *own = *params;
    own->layout = STEREO_VIEW_MONO;
    own->position = gst_stereo_view_pad_get_position (view->pad, time);
    if (flow == GST_FLOW_OK)
      flow = open_view (self, frame, view, own);
  }
  g_ptr_array_unref (pads);
  return flow;
}

static void
close_views (Frame * frame)
{
  for (guint i = 0; i < frame->n_views; i++) {
    gst_clear_buffer (&frame->views[i].buffer);
    gst_clear_object (&frame->views[i].pad);
  }
  g_free (frame->views);
  g_free (frame->jobs);
}

static void
describe_view (GstStereoView * self, GstBuffer * left, const View * view,
    const StereoViewParams * params)
{
  const guint n = (guint) stereo_view_count (params);
  const GstStereoViewDescription description = {
    .position = params->position,
    .separation = n > 1 ? params->separation : 0,
    .convergence = params->convergence,
    .layout = stereo_view_layout_values[params->layout].nick,
    .views = n,
  };

  gst_stereo_map_base_stamp (&self->parent, view->buffer, left);
  if (view->pad != NULL && view->pad->parent.discont)
    GST_BUFFER_FLAG_SET (view->buffer, GST_BUFFER_FLAG_DISCONT);
  if (view->pad != NULL)
    view->pad->parent.discont = FALSE;
  gst_stereo_view_meta_add (view->buffer, &description);
}

/* `src` comes first, because its segment is sent with the buffer. */
static GstFlowReturn
push_views (GstStereoView * self, Frame * frame)
{
  GstAggregator *aggregator = GST_AGGREGATOR (self);
  GstFlowReturn combined, flow;
  gboolean released;

  combined = gst_aggregator_finish_buffer (aggregator,
      g_steal_pointer (&frame->views[0].buffer));
  for (guint i = 1; i < frame->n_views; i++) {
    View *view = &frame->views[i];

    if (view->buffer == NULL)
      continue;
    if (combined == GST_FLOW_FLUSHING)
      break;
    flow = gst_stereo_result_pad_push (&view->pad->parent, aggregator->srcpad,
        g_steal_pointer (&view->buffer));
    GST_OBJECT_LOCK (self);
    released = view->pad->parent.released;
    GST_OBJECT_UNLOCK (self);
    if (!released)
      combined = gst_stereo_flow_combine (combined, flow);
  }
  return combined;
}

/* ------------------------------------------------------------------- frames */

/* Whether downstream would throw the frame away; says so if it would. */
static gboolean
too_late (GstStereoView * self, const GstStereoInput * left)
{
  const GstStereoHead head = gst_stereo_input_head (left);
  guint64 rendered, dropped;
  GstStereoQos qos;
  gboolean late;

  GST_OBJECT_LOCK (self);
  qos = gst_stereo_qos_of_pads (GST_AGGREGATOR_SRC_PAD (self),
      &self->qos_of_src, (GstStereoResultPad * const *) self->views->pdata,
      self->views->len);
  late = self->qos && gst_stereo_qos_is_late (&qos, head.time);
  self->qos_dropped += late;
  rendered = self->rendered;
  dropped = self->qos_dropped;
  GST_OBJECT_UNLOCK (self);
  if (late) {
    gst_stereo_qos_tell (&qos, GST_ELEMENT_CAST (self), left->buffer,
        &left->segment, head.time, rendered, dropped);
    self->parent.discont = TRUE;
  }
  return late;
}

static gboolean
map_outputs (GstStereoView * self, Frame * frame)
{
  StereoMessage why = { "" };

  for (guint i = 0; i < frame->n_views; i++) {
    View *view = &frame->views[i];

    if (view->buffer == NULL)
      continue;
    if (!gst_stereo_frame_map (&view->target, view->info, view->buffer,
            GST_MAP_WRITE | GST_STEREO_MAP_DEVICE, self->parent.device.device,
            &why)) {
      FAIL (self, RESOURCE, WRITE,
          ("The buffer that downstream provides %s.", why.text), (NULL));
      return FALSE;
    }
    frame->jobs[i].image = &view->target.image;
  }
  return TRUE;
}

/* Whether the element is on the CPU now, after its device has failed.  FALSE
 * with an error posted. */
static gboolean
recover (GstStereoView * self, StereoStatus status, const gchar * why)
{
  if (gst_stereo_device_recover (&self->parent.device, status, why)) {
    /* the pool has memory of the device */
    gst_pad_mark_reconfigure (GST_AGGREGATOR_SRC_PAD (self));
    return TRUE;
  }
  FAIL (self, LIBRARY, FAILED, ("The view failed: %s.", why), (NULL));
  return FALSE;
}

/* For when the element may have gone back to the CPU since. */
static gboolean
remap (GstStereoView * self, Frame * frame)
{
  StereoMessage why = { "" };

  for (guint i = 0; i < frame->n_views; i++) {
    View *view = &frame->views[i];

    if (view->buffer != NULL && !gst_stereo_frame_remap (&view->target,
            view->info, GST_MAP_WRITE, self->parent.device.device, &why)) {
      FAIL (self, RESOURCE, WRITE,
          ("The buffer that downstream provides %s.", why.text), (NULL));
      return FALSE;
    }
  }
  return gst_stereo_map_base_remap (&self->parent, frame->heads, frame->info,
      frame->inputs);
}

gboolean
gst_stereo_view_drain (GstStereoMapBase * base)
{
  GstStereoView *self = GST_STEREO_VIEW (base);
  const gchar *why = NULL;
  StereoStatus status = gst_stereo_view_renderer_sync (&self->renderer, &why);

  gst_stereo_held_release_all (&self->held);
  return status == STEREO_OK || recover (self, status, why);
}

/* Starts what there is to render, and waits for views that can't be waited for
 * later. */
static StereoStatus
start_frame (GstStereoView * self, Frame * frame, const gchar ** why)
{
  GstStereoFrame *in = frame->inputs;
  const StereoImage *const inputs[N_INPUTS] = {
    [LEFT] = &in[LEFT].image,
    [RIGHT] = frame->heads[RIGHT].buffer != NULL ? &in[RIGHT].image : NULL,
    [MAP] = &in[MAP].image,
  };
  GstStereoDevice *device = &self->parent.device;
  gboolean later = device->is_cuda;
  StereoStatus status;

  status = gst_stereo_view_renderer_run (&self->renderer, device, inputs,
      frame->jobs, frame->n_views, why);
  for (guint i = 0; i < frame->n_views && later; i++)
    later = frame->views[i].buffer == NULL
        || gst_stereo_buffer_is_pinned (frame->views[i].buffer,
        device->device);
  if (status == STEREO_OK && !later)
    status = gst_stereo_view_renderer_sync (&self->renderer, why);
  if (status == STEREO_OK)
    gst_stereo_held_release (&self->held, self->renderer.frame);
  frame->under_way = status == STEREO_OK && later;
  return status;
}

/* What the device may use in places, or is to be mapped for the CPU. */
static gboolean
prepare (GstStereoView * self, Frame * frame)
{
  GstStereoFrame *in = frame->inputs;
  const StereoImage *const inputs[N_INPUTS] = {
    [LEFT] = &in[LEFT].image,
    [RIGHT] = frame->heads[RIGHT].buffer != NULL ? &in[RIGHT].image : NULL,
    [MAP] = &in[MAP].image,
  };

  if (!gst_stereo_view_renderer_prepare (&self->renderer,
          &self->parent.device, inputs, frame->jobs, frame->n_views))
    return FALSE;
  if (self->held.n != self->parent.device.n_frames)
    gst_stereo_held_resize (&self->held, self->parent.device.n_frames);
  return remap (self, frame);
}

/* Lets go of the buffers; what is under way is kept, or waited for later. */
static void
unmap (GstStereoView * self, Frame * frame)
{
  for (guint i = 0; i < frame->n_views; i++) {
    View *view = &frame->views[i];

    if (view->target.frame.buffer != NULL)
      gst_stereo_frame_unmap (&view->target);
    if (frame->under_way && view->buffer != NULL)
      gst_stereo_buffer_set_fence (view->buffer, frame->jobs[i].fence,
          frame->jobs[i].frame);
  }
  if (frame->under_way)
    gst_stereo_held_take (&self->held, self->renderer.frame, frame->inputs,
        N_INPUTS);
  gst_stereo_map_base_unmap (frame->inputs);
}

static gboolean
render (GstStereoView * self, Frame * frame)
{
  const gchar *why = NULL;
  StereoStatus status = STEREO_ERROR_ARGUMENT;

  if (gst_stereo_map_base_map (&self->parent, frame->heads, frame->info,
          frame->inputs) && map_outputs (self, frame)) {
    /* once more if it had to go back to the CPU */
    do {
      if (!prepare (self, frame)) {
        status = STEREO_ERROR_ARGUMENT;
        break;
      }
      status = start_frame (self, frame, &why);
    } while (status != STEREO_OK && recover (self, status, why));
  }
  unmap (self, frame);
  return status == STEREO_OK;
}

/* The pads are served, or it is not to be done. */
static GstFlowReturn
make_views (GstStereoView * self, Frame * frame,
    const StereoViewParams * params, GstClockTime time)
{
  GstBuffer *left = frame->heads[LEFT].buffer;
  GstFlowReturn flow = open_views (self, frame, params, time);

  if (flow == GST_FLOW_OK && !render (self, frame))
    flow = self->parent.lost ? GST_AGGREGATOR_FLOW_NEED_DATA : GST_FLOW_ERROR;
  if (flow == GST_FLOW_OK) {
    for (guint i = 0; i < frame->n_views; i++) {
      if (frame->views[i].buffer != NULL)
        describe_view (self, left, &frame->views[i], &frame->jobs[i].params);
    }
    self->parent.discont = FALSE;
    GST_OBJECT_LOCK (self);
    self->rendered++;
    GST_OBJECT_UNLOCK (self);
    flow = push_views (self, frame);
  }
  close_views (frame);
  return flow;
}

static gboolean
same_shape (const StereoViewParams * a, const StereoViewParams * b)
{
  return a->layout == b->layout && (a->layout != STEREO_VIEW_QUILT
      || (a->columns == b->columns && a->rows == b->rows));
}

GstFlowReturn
gst_stereo_view_make_frame (GstStereoMapBase * base, GstStereoInput * heads,
    GstClockTime time)
{
  GstStereoView *self = GST_STEREO_VIEW (base);
  Frame frame = {.heads = heads };
  StereoViewParams params;

  gst_stereo_map_base_get_info (base, frame.info);
  GST_OBJECT_LOCK (self);
  params = self->params;
  GST_OBJECT_UNLOCK (self);
  params.full_range = frame.info[LEFT].colorimetry.range
      == GST_VIDEO_COLOR_RANGE_0_255;
  if (!self->negotiated || !same_shape (&params, &self->shape)) {
    gst_pad_mark_reconfigure (GST_AGGREGATOR_SRC_PAD (self));
    return GST_AGGREGATOR_FLOW_NEED_DATA;
  }
  if (!check_inputs (self, frame.info, heads[RIGHT].buffer != NULL)
      || !read_meta (self, heads[MAP].buffer, &frame.info[MAP], &params))
    return GST_FLOW_ERROR;
  gst_stereo_map_base_take (base, heads);
  if (too_late (self, &heads[LEFT]))
    return GST_AGGREGATOR_FLOW_NEED_DATA;
  return make_views (self, &frame, &params, time);
}
