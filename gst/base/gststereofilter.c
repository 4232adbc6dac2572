/* gst-stereomatching: base class of the elements with one input
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "base/gststereofilter.h"

#include "base/gststereoallocator.h"
#include "base/gststereodebug.h"
#include "base/gststereolimit.h"
#include "base/gststereometa.h"
#include "base/gststereoparams.h"
#include "base/gststereopool.h"

#include <string.h>

G_DEFINE_ABSTRACT_TYPE_WITH_CODE (GstStereoFilter, gst_stereo_filter,
    GST_TYPE_BASE_TRANSFORM, gst_stereo_debug_init ());

#define PARENT GST_BASE_TRANSFORM_CLASS (gst_stereo_filter_parent_class)

/* ------------------------------------------------------------------- device */

static gboolean
open_device (GstElement * element, StereoDevice * device, StereoMessage * why)
{
  GstStereoFilter *self = GST_STEREO_FILTER (element);

  self->configured = FALSE;
  if (stereo_runner_new (GST_STEREO_FILTER_GET_CLASS (self)->op, device,
          &self->runner, why) != STEREO_OK)
    return FALSE;
  self->fence = gst_stereo_fence_new (self->runner);
  return TRUE;
}

/* Waits for everything that was started; tells whether all of it is there. */
static StereoStatus
wait_for_all (GstStereoFilter * self)
{
  StereoStatus status = STEREO_OK;

  if (self->runner != NULL)
    status = stereo_runner_sync (self->runner);
  gst_stereo_held_release_all (&self->held);
  return status;
}

static void
close_device (GstElement * element)
{
  GstStereoFilter *self = GST_STEREO_FILTER (element);

  (void) wait_for_all (self);
  gst_stereo_fence_retire (&self->fence);
  stereo_runner_free (&self->runner);
  self->configured = FALSE;
}

static const GstStereoDeviceUser device_user = {
  .open = open_device,
  .close = close_device,
};

gboolean
gst_stereo_filter_configure (GstStereoFilter * self,
    const StereoPortSetup * in, const StereoPortSetup * out,
    const void *params)
{
  self->configured = gst_stereo_device_configure (&self->device,
      &self->runner, in, out, params);
  if (self->configured)
    gst_stereo_held_resize (&self->held, self->device.n_frames);
  return self->configured;
}

/* Whether the element is on the CPU now, after its device has failed, and may
 * try again.  FALSE with an error posted. */
static gboolean
recover (GstStereoFilter * self, StereoStatus status)
{
  const gchar *why = stereo_runner_message (self->runner)->text;

  if (gst_stereo_device_recover (&self->device, status, why)) {
    /* the pool has memory of the device */
    gst_base_transform_reconfigure_src (GST_BASE_TRANSFORM (self));
    return TRUE;
  }
  GST_STEREO_FAIL (&self->failure, LIBRARY, FAILED, ("%s failed: %s.",
          GST_STEREO_FILTER_GET_CLASS (self)->product, why), (NULL));
  return FALSE;
}

/* No frame is under way any more, and if some were lost that was said. */
static void
drain (GstStereoFilter * self)
{
  StereoStatus status = wait_for_all (self);

  if (status != STEREO_OK)
    (void) recover (self, status);
}

/* ----------------------------------------------------------- start and stop */

static gboolean
gst_stereo_filter_start (GstBaseTransform * trans)
{
  GstStereoFilter *self = GST_STEREO_FILTER (trans);

  gst_stereo_failure_reset (&self->failure);
  if (gst_stereo_device_open (&self->device))
    return TRUE;
  gst_stereo_device_close (&self->device);
  return FALSE;
}

static gboolean
gst_stereo_filter_stop (GstBaseTransform * trans)
{
  GstStereoFilter *self = GST_STEREO_FILTER (trans);

  gst_stereo_device_close (&self->device);
  gst_stereo_tags_clear (&self->tags);
  memset (&self->told, 0, sizeof (self->told));
  return TRUE;
}

static GstStateChangeReturn
gst_stereo_filter_change_state (GstElement * element,
    GstStateChange transition)
{
  GstStereoFilter *self = GST_STEREO_FILTER (element);

  gst_stereo_device_change_state (&self->device, transition);
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    gst_stereo_gate_open (&self->gate, GST_STEREO_GATE_FLUSHING
        | GST_STEREO_GATE_STOPPED);
  else if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_stereo_gate_close (&self->gate, GST_STEREO_GATE_STOPPED);
  return GST_ELEMENT_CLASS (gst_stereo_filter_parent_class)->change_state
      (element, transition);
}

static void
gst_stereo_filter_set_context (GstElement * element, GstContext * context)
{
  gst_stereo_device_set_context (&GST_STEREO_FILTER (element)->device,
      context);
  GST_ELEMENT_CLASS (gst_stereo_filter_parent_class)->set_context (element,
      context);
}

static gboolean
gst_stereo_filter_query (GstBaseTransform * trans, GstPadDirection direction,
    GstQuery * query)
{
  return gst_stereo_device_query (&GST_STEREO_FILTER (trans)->device, query)
      || PARENT->query (trans, direction, query);
}

static gboolean
gst_stereo_filter_sink_event (GstBaseTransform * trans, GstEvent * event)
{
  GstStereoFilter *self = GST_STEREO_FILTER (trans);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_START:
      gst_stereo_gate_close (&self->gate, GST_STEREO_GATE_FLUSHING);
      break;
    case GST_EVENT_EOS:
      drain (self);
      break;
    case GST_EVENT_FLUSH_STOP:
      drain (self);
      gst_stereo_gate_open (&self->gate, GST_STEREO_GATE_FLUSHING);
      break;
    case GST_EVENT_STREAM_START:
      gst_stereo_tags_clear (&self->tags);
      memset (&self->told, 0, sizeof (self->told));
      break;
    case GST_EVENT_TAG:
      /* what comes out is no such map any more */
      event = gst_stereo_tags_take (&self->tags, event);
      if (event == NULL)
        return TRUE;
      break;
    default:
      break;
  }
  return PARENT->sink_event (trans, event);
}

void
gst_stereo_filter_send_tags (GstStereoFilter * self, GstTagList * tags)
{
  gst_pad_push_event (GST_BASE_TRANSFORM_SRC_PAD (self),
      gst_event_new_tag (tags));
}

/* --------------------------------------------------------------------- caps */

/* The other side has other formats, and all else the same. */
static GstCaps *
gst_stereo_filter_transform_caps (GstBaseTransform * trans,
    GstPadDirection direction, GstCaps * caps, GstCaps * filter)
{
  GstCaps *formats = gst_pad_get_pad_template_caps (direction == GST_PAD_SINK
      ? trans->srcpad : trans->sinkpad);
  const GValue *format =
      gst_structure_get_value (gst_caps_get_structure (formats, 0), "format");
  GstCaps *result = gst_caps_new_empty ();

  if (gst_caps_is_any (caps)) {
    gst_caps_unref (result);
    result = gst_caps_ref (formats);
  }
  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    GstStructure *s;

    if (!gst_caps_features_is_equal (gst_caps_get_features (caps, i),
            GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY))
      continue;
    s = gst_structure_copy (gst_caps_get_structure (caps, i));
    gst_structure_set_value (s, "format", format);
    gst_structure_remove_fields (s, "colorimetry", "chroma-site", NULL);
    result = gst_caps_merge_structure (result, s);
  }
  gst_caps_unref (formats);
  return gst_stereo_caps_filter (result, filter);
}

static gboolean
gst_stereo_filter_set_caps (GstBaseTransform * trans, GstCaps * in,
    GstCaps * out)
{
  GstStereoFilter *self = GST_STEREO_FILTER (trans);
  GstStereoFilterClass *klass = GST_STEREO_FILTER_GET_CLASS (self);

  self->configured = FALSE;
  return gst_video_info_from_caps (&self->in_info, in)
      && gst_video_info_from_caps (&self->out_info, out)
      && (klass->set_info == NULL || klass->set_info (self));
}

static gboolean
gst_stereo_filter_get_unit_size (GstBaseTransform * trans, GstCaps * caps,
    gsize * size)
{
  GstVideoInfo info;

  if (!gst_video_info_from_caps (&info, caps))
    return FALSE;
  *size = GST_VIDEO_INFO_SIZE (&info);
  return TRUE;
}

/* Whatever is around the video in a buffer does not come out again. */
static gboolean
gst_stereo_filter_transform_size (GstBaseTransform * trans,
    GstPadDirection direction, GstCaps * caps, gsize size, GstCaps * other,
    gsize * other_size)
{
  return gst_stereo_filter_get_unit_size (trans, other, other_size);
}

/* ------------------------------------------------------------------- memory */

static gboolean
gst_stereo_filter_propose_allocation (GstBaseTransform * trans,
    GstQuery * decide_query, GstQuery * query)
{
  if (!PARENT->propose_allocation (trans, decide_query, query))
    return FALSE;
  gst_stereo_pool_propose (query, &GST_STEREO_FILTER (trans)->device);
  return TRUE;
}

static gboolean
gst_stereo_filter_decide_allocation (GstBaseTransform * trans,
    GstQuery * query)
{
  GstStereoFilter *self = GST_STEREO_FILTER (trans);
  GstVideoInfo info;
  gboolean ok;
  GstCaps *caps;

  gst_query_parse_allocation (query, &caps, NULL);
  ok = gst_video_info_from_caps (&info, caps)
      && gst_stereo_pool_decide (&info, query, &self->device);
  /* What is left is offered upstream, and downstream's metas are not ours. */
  while (gst_query_get_n_allocation_metas (query) > 0)
    gst_query_remove_nth_allocation_meta (query, 0);
  if (ok)
    return TRUE;
  GST_STEREO_FAIL (&self->failure, RESOURCE, SETTINGS,
      ("There is no buffer pool for the result."), (NULL));
  return FALSE;
}

/* As the parent does it, but for the gate. */
static GstFlowReturn
gst_stereo_filter_prepare_output_buffer (GstBaseTransform * trans,
    GstBuffer * in, GstBuffer ** out)
{
  GstStereoFilter *self = GST_STEREO_FILTER (trans);
  GstBufferPool *pool = gst_base_transform_get_buffer_pool (trans);
  GstFlowReturn flow = GST_FLOW_ERROR;

  if (pool != NULL && gst_buffer_pool_set_active (pool, TRUE))
    flow = gst_stereo_gate_acquire (&self->gate, pool, NULL, out);
  gst_clear_object (&pool);
  if (flow == GST_FLOW_ERROR)
    GST_STEREO_FAIL (&self->failure, RESOURCE, NO_SPACE_LEFT,
        ("There is no memory for the result."), (NULL));
  if (flow == GST_FLOW_OK)
    GST_BASE_TRANSFORM_GET_CLASS (self)->copy_metadata (trans, in, *out);
  return flow;
}

static gboolean
gst_stereo_filter_transform_meta (GstBaseTransform * trans, GstBuffer * out,
    GstMeta * meta, GstBuffer * in)
{
  return gst_stereo_meta_survives (meta);
}

/* ------------------------------------------------------------------- frames */

static void
gst_stereo_filter_before_transform (GstBaseTransform * trans,
    GstBuffer * buffer)
{
  GstClockTime time = GST_CLOCK_TIME_NONE;

  if (trans->segment.format == GST_FORMAT_TIME)
    time = gst_segment_to_stream_time (&trans->segment, GST_FORMAT_TIME,
        GST_BUFFER_PTS (buffer));
  if (GST_CLOCK_TIME_IS_VALID (time))
    gst_object_sync_values (GST_OBJECT (trans), time);
}

/* What is drawn over is drawn by the CPU. */
static GstMapFlags
output_flags (GstStereoFilterClass * klass)
{
  return klass->draw != NULL ? GST_MAP_WRITE
      : GST_MAP_WRITE | GST_STEREO_MAP_DEVICE;
}

/* What was lost before it came here is no error here. */
static void
cannot_read (GstStereoFilter * self, GstBuffer * buffer,
    const StereoMessage * why)
{
  if (gst_stereo_buffer_is_lost (buffer))
    GST_WARNING_OBJECT (self, "lost with its device: %" GST_PTR_FORMAT, buffer);
  else
    GST_STEREO_FAIL (&self->failure, STREAM, FORMAT,
        ("A buffer on sink %s.", why->text), (NULL));
}

/* Prepares for a frame, which may bring the element back to the CPU. */
static gboolean
prepare (GstStereoFilter * self, GstStereoFrame * in, GstStereoFrame * out)
{
  GstStereoFilterClass *klass = GST_STEREO_FILTER_GET_CLASS (self);
  GstBuffer *in_buffer = in->frame.buffer;
  StereoMessage why = { "" };

  if (!klass->prepare (self, in, out))
    return FALSE;
  if (!gst_stereo_frame_remap (in, &self->in_info, GST_MAP_READ,
          self->device.device, &why)) {
    cannot_read (self, in_buffer, &why);
    return FALSE;
  }
  if (gst_stereo_frame_remap (out, &self->out_info, output_flags (klass),
          self->device.device, &why))
    return TRUE;
  GST_STEREO_FAIL (&self->failure, RESOURCE, WRITE,
      ("A buffer for the output %s.", why.text), (NULL));
  return FALSE;
}

/* Starts a frame; frame gets its number, or 0 if it is complete: what can't be
 * waited for later is waited for here. */
static StereoStatus
start_frame (GstStereoFilter * self, const GstStereoFrame * in,
    const GstStereoFrame * out, guint64 * frame)
{
  const StereoImage *input = &in->image, *output = &out->image;
  const gboolean later = GST_STEREO_FILTER_GET_CLASS (self)->draw == NULL
      && gst_stereo_buffer_is_pinned (out->frame.buffer, self->device.device);
  uint64_t number = 0;
  StereoStatus status = stereo_runner_process (self->runner, &input, &output,
      &number);

  if (status == STEREO_OK && !later)
    status = stereo_runner_sync (self->runner);
  if (status == STEREO_OK)
    gst_stereo_held_release (&self->held, number);
  *frame = later ? number : 0;
  return status;
}

/* Makes the output of the input, or starts to; frame as above. */
static gboolean
process (GstStereoFilter * self, GstStereoFrame * in, GstStereoFrame * out,
    guint64 * frame)
{
  GstStereoFilterClass *klass = GST_STEREO_FILTER_GET_CLASS (self);
  StereoStatus status;

  /* once more if it had to go back to the CPU */
  do {
    if (!prepare (self, in, out))
      return FALSE;
    status = start_frame (self, in, out, frame);
  } while (status != STEREO_OK && recover (self, status));
  if (status == STEREO_OK && klass->draw != NULL)
    klass->draw (self, out);
  return status == STEREO_OK;
}

/* Lets go of the output, which may be under way, and of the input, unless that
 * may still be read. */
static void
finish (GstStereoFilter * self, GstStereoFrame * in, GstStereoFrame * out,
    GstBuffer * out_buffer, guint64 frame)
{
  if (out->frame.buffer != NULL)
    gst_stereo_frame_unmap (out);
  if (frame != 0)
    gst_stereo_buffer_set_fence (out_buffer, self->fence, frame);
  if (frame != 0 && in->image.memory != STEREO_MEMORY_HOST)
    gst_stereo_held_take (&self->held, frame, in, 1);
  if (in->frame.buffer != NULL)
    gst_stereo_frame_unmap (in);
}

static GstFlowReturn
gst_stereo_filter_transform (GstBaseTransform * trans, GstBuffer * in_buffer,
    GstBuffer * out_buffer)
{
  GstStereoFilter *self = GST_STEREO_FILTER (trans);
  GstStereoFilterClass *klass = GST_STEREO_FILTER_GET_CLASS (self);
  StereoDevice *device = self->device.device;
  GstStereoFrame in, out;
  StereoMessage why;
  guint64 frame = 0;
  gboolean ok;

  if (gst_stereo_failure_posted (&self->failure))
    return GST_FLOW_ERROR;
  if (!gst_stereo_frame_map (&in, &self->in_info, in_buffer, GST_MAP_READ,
          device, &why)) {
    cannot_read (self, in_buffer, &why);
    return gst_stereo_failure_posted (&self->failure) ? GST_FLOW_ERROR
        : GST_BASE_TRANSFORM_FLOW_DROPPED;
  }
  if (!gst_stereo_frame_map (&out, &self->out_info, out_buffer,
          output_flags (klass), device, &why)) {
    GST_STEREO_FAIL (&self->failure, RESOURCE, WRITE,
        ("A buffer for the output %s.", why.text), (NULL));
    gst_stereo_frame_unmap (&in);
    return GST_FLOW_ERROR;
  }
  ok = process (self, &in, &out, &frame);
  finish (self, &in, &out, out_buffer, ok ? frame : 0);
  if (ok && klass->add_metas != NULL)
    klass->add_metas (self, out_buffer);
  if (ok)
    return GST_FLOW_OK;
  return gst_stereo_failure_posted (&self->failure) ? GST_FLOW_ERROR
      : GST_BASE_TRANSFORM_FLOW_DROPPED;
}

/* -------------------------------------------------------------- properties */

enum
{
  PROP_0,
  PROP_DEVICE,                  /* and the others of the device */
  PROP_TABLE = PROP_DEVICE + GST_STEREO_DEVICE_N_PROPS
};

static void
set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  GstStereoFilter *self = GST_STEREO_FILTER (object);
  GstStereoFilterClass *klass = GST_STEREO_FILTER_GET_CLASS (self);

  (void) pspec;
  GST_OBJECT_LOCK (self);
  if (id >= PROP_TABLE)
    gst_stereo_table_set_property (&klass->table[id - PROP_TABLE],
        G_STRUCT_MEMBER_P (self, klass->settings), value);
  else
    gst_stereo_device_set_property (&self->device, id - PROP_DEVICE, value);
  GST_OBJECT_UNLOCK (self);
}

static void
get_property (GObject * object, guint id, GValue * value, GParamSpec * pspec)
{
  GstStereoFilter *self = GST_STEREO_FILTER (object);
  GstStereoFilterClass *klass = GST_STEREO_FILTER_GET_CLASS (self);

  (void) pspec;
  GST_OBJECT_LOCK (self);
  if (id >= PROP_TABLE)
    gst_stereo_table_get_property (&klass->table[id - PROP_TABLE],
        G_STRUCT_MEMBER_P (self, klass->settings), value);
  else
    gst_stereo_device_get_property (&self->device, id - PROP_DEVICE, value);
  GST_OBJECT_UNLOCK (self);
}

void
gst_stereo_filter_install_properties (GstStereoFilterClass * klass,
    const StereoParamSpec * table, const gchar * owner, gsize settings)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  klass->table = table;
  klass->settings = settings;
  object_class->set_property = set_property;
  object_class->get_property = get_property;
  gst_stereo_device_install_properties (object_class, PROP_DEVICE,
      klass->backend);
  gst_stereo_table_install_properties (object_class, PROP_TABLE, table, owner);
}

/* -------------------------------------------------------------------- class */

/* The class of the object is known here, and not in init() yet. */
static void
gst_stereo_filter_constructed (GObject * object)
{
  GstStereoFilter *self = GST_STEREO_FILTER (object);

  G_OBJECT_CLASS (gst_stereo_filter_parent_class)->constructed (object);
  gst_stereo_device_init (&self->device, &self->failure, &device_user,
      GST_STEREO_FILTER_GET_CLASS (self)->backend);
}

static void
gst_stereo_filter_finalize (GObject * object)
{
  gst_stereo_gate_clear (&GST_STEREO_FILTER (object)->gate);
  G_OBJECT_CLASS (gst_stereo_filter_parent_class)->finalize (object);
}

static void
gst_stereo_filter_init (GstStereoFilter * self)
{
  self->failure.element = GST_ELEMENT_CAST (self);
  gst_stereo_gate_init (&self->gate);
  gst_base_transform_set_in_place (GST_BASE_TRANSFORM (self), FALSE);
  gst_base_transform_set_qos_enabled (GST_BASE_TRANSFORM (self), TRUE);
}

static void
gst_stereo_filter_class_init (GstStereoFilterClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  object_class->constructed = gst_stereo_filter_constructed;
  object_class->finalize = gst_stereo_filter_finalize;
  element_class->change_state = gst_stereo_filter_change_state;
  element_class->set_context = gst_stereo_filter_set_context;

  trans_class->start = gst_stereo_filter_start;
  trans_class->stop = gst_stereo_filter_stop;
  trans_class->query = gst_stereo_filter_query;
  trans_class->sink_event = gst_stereo_filter_sink_event;
  trans_class->transform_caps = gst_stereo_filter_transform_caps;
  trans_class->set_caps = gst_stereo_filter_set_caps;
  trans_class->get_unit_size = gst_stereo_filter_get_unit_size;
  trans_class->transform_size = gst_stereo_filter_transform_size;
  trans_class->propose_allocation = gst_stereo_filter_propose_allocation;
  trans_class->decide_allocation = gst_stereo_filter_decide_allocation;
  trans_class->prepare_output_buffer = gst_stereo_filter_prepare_output_buffer;
  trans_class->transform_meta = gst_stereo_filter_transform_meta;
  trans_class->before_transform = gst_stereo_filter_before_transform;
  trans_class->transform = gst_stereo_filter_transform;

  gst_type_mark_as_plugin_api (GST_TYPE_STEREO_FILTER, 0);
}
