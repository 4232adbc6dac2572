/* gst-stereomatching: base class of the elements with one input
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "filter/gststereofilter.h"

#include "base/gststereocapslimit.h"
#include "base/gststereodebug.h"
#include "base/gststereogap.h"
#include "base/gststereometa.h"
#include "base/gststereoparams.h"
#include "base/gststereopool.h"

#include <string.h>

G_DEFINE_ABSTRACT_TYPE_WITH_CODE (GstStereoFilter, gst_stereo_filter,
    GST_TYPE_BASE_TRANSFORM, gst_stereo_debug_init ());

#define PARENT GST_BASE_TRANSFORM_CLASS (gst_stereo_filter_parent_class)

/* ----------------------------------------------------------- start and stop */

static gboolean
gst_stereo_filter_start (GstBaseTransform * trans)
{
  GstStereoFilter *self = GST_STEREO_FILTER (trans);

  gst_stereo_failure_reset (&self->failure);
  return gst_stereo_device_open (&self->device);
}

static gboolean
gst_stereo_filter_stop (GstBaseTransform * trans)
{
  GstStereoFilter *self = GST_STEREO_FILTER (trans);

  gst_stereo_device_close (&self->device);
  gst_stereo_tags_clear (&self->tags);
  memset (&self->last_sent, 0, sizeof (self->last_sent));
  return TRUE;
}

static GstStateChangeReturn
gst_stereo_filter_change_state (GstElement * element,
    GstStateChange transition)
{
  GstStereoFilter *self = GST_STEREO_FILTER (element);

  gst_stereo_device_change_state (&self->device, transition);
  gst_stereo_buffer_wait_change_state (&self->buffer_wait, transition);
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
      gst_stereo_buffer_wait_block (&self->buffer_wait,
          GST_STEREO_BUFFER_WAIT_FLUSHING);
      break;
    case GST_EVENT_EOS:
      (void) gst_stereo_run_drain (&self->run);
      break;
    case GST_EVENT_FLUSH_STOP:
      (void) gst_stereo_run_drain (&self->run);
      gst_stereo_buffer_wait_unblock (&self->buffer_wait,
          GST_STEREO_BUFFER_WAIT_FLUSHING);
      break;
    case GST_EVENT_STREAM_START:
      gst_stereo_tags_start_stream (&self->tags);
      memset (&self->last_sent, 0, sizeof (self->last_sent));
      break;
    case GST_EVENT_TAG:
      /* They describe the input. */
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

/* Input and output differ in their formats only. */
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

  self->run.configured[0] = FALSE;
  return gst_video_info_from_caps (&self->in_info, in)
      && gst_video_info_from_caps (&self->out_info, out)
      && (klass->set_info == NULL || klass->set_info (self));
}

/* ------------------------------------------------------------------- memory */

static gboolean
gst_stereo_filter_propose_allocation (GstBaseTransform * trans,
    GstQuery * decide_query, GstQuery * query)
{
  GstStereoFilter *self = GST_STEREO_FILTER (trans);
  GstCaps *caps;

  if (!PARENT->propose_allocation (trans, decide_query, query))
    return FALSE;
  gst_query_parse_allocation (query, &caps, NULL);
  /* Downstream must support padding in buffers that may pass later. */
  if (!self->may_pass || (caps != NULL
          && gst_stereo_pool_takes_video_meta (trans->srcpad, caps)))
    gst_stereo_pool_propose (query, &self->device);
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
  /* GstBaseTransform forwards the query upstream; the metas apply downstream
   * only. */
  while (gst_query_get_n_allocation_metas (query) > 0)
    gst_query_remove_nth_allocation_meta (query, 0);
  return ok;
}

/* A gap leaves as a GAP event.  Unlike a dropped image, it does not mark the
 * next one DISCONT. */
static GstFlowReturn
gst_stereo_filter_submit_input_buffer (GstBaseTransform * trans,
    gboolean is_discont, GstBuffer * buffer)
{
  if (!gst_stereo_is_gap (buffer))
    return PARENT->submit_input_buffer (trans, is_discont, buffer);
  gst_stereo_push_gap (trans->srcpad, buffer);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

/* A buffer that is not mapped for a frame holds one all the same. */
static GstFlowReturn
check_passthrough (GstStereoFilter * self, GstBuffer * buffer)
{
  GstStereoRunImage image = {.pad = GST_BASE_TRANSFORM_SINK_PAD (self),
    .info = &self->in_info,.buffer = buffer
  };
  GstFlowReturn flow;

  if (gst_stereo_failure_posted (&self->failure))
    return GST_FLOW_ERROR;
  flow = gst_stereo_run_check_input (&self->run, &image);
  return flow == GST_STEREO_FLOW_LOST ? GST_BASE_TRANSFORM_FLOW_DROPPED : flow;
}

/* The default, except that the wait can be interrupted. */
static GstFlowReturn
gst_stereo_filter_prepare_output_buffer (GstBaseTransform * trans,
    GstBuffer * in, GstBuffer ** out)
{
  GstStereoFilter *self = GST_STEREO_FILTER (trans);
  GstFlowReturn flow;

  if (gst_base_transform_is_passthrough (trans)) {
    *out = in;
    return check_passthrough (self, in);
  }
  flow = gst_stereo_buffer_wait_acquire (&self->buffer_wait, &self->failure,
      gst_base_transform_get_buffer_pool (trans), NULL, out);
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

static gboolean
filter_prepare (GstElement * element, GstStereoRunFrame * frame)
{
  GstStereoFilter *self = GST_STEREO_FILTER (element);

  return GST_STEREO_FILTER_GET_CLASS (self)->prepare (self,
      &frame->inputs[0].mapped, &frame->outputs[0].mapped);
}

static StereoStatus
filter_start_frame (GstElement * element, GstStereoRunFrame * frame)
{
  const StereoImage *input = &frame->inputs[0].mapped.image;
  const StereoImage *output = &frame->outputs[0].mapped.image;

  return gst_stereo_run_process (&GST_STEREO_FILTER (element)->run, 0, &input,
      &output, &frame->outputs[0]);
}

static void
filter_draw (GstElement * element, GstStereoRunFrame * frame)
{
  GST_STEREO_FILTER_GET_CLASS (element)->draw (GST_STEREO_FILTER (element),
      &frame->outputs[0].mapped);
}

static GstFlowReturn
gst_stereo_filter_transform (GstBaseTransform * trans, GstBuffer * in_buffer,
    GstBuffer * out_buffer)
{
  GstStereoFilter *self = GST_STEREO_FILTER (trans);
  GstStereoFilterClass *klass = GST_STEREO_FILTER_GET_CLASS (self);
  GstStereoRunImage out = {.info = &self->out_info,.buffer = out_buffer };
  GstStereoRunFrame frame = {
    .inputs[0] = {.pad = trans->sinkpad,.info = &self->in_info,
        .buffer = in_buffer},
    .outputs = &out,
    .n_outputs = 1
  };
  GstFlowReturn flow;

  if (gst_stereo_failure_posted (&self->failure))
    return GST_FLOW_ERROR;
  flow = gst_stereo_run_frame (&self->run, &frame);
  if (flow == GST_FLOW_OK && klass->add_metas != NULL)
    klass->add_metas (self, out_buffer);
  return flow == GST_STEREO_FLOW_LOST ? GST_BASE_TRANSFORM_FLOW_DROPPED : flow;
}

/* -------------------------------------------------------------- properties */

enum
{
  PROP_0,
  PROP_DEVICE,                  /* and the others of the device */
  PROP_TABLE = PROP_DEVICE + GST_STEREO_DEVICE_N_PROPS
};

static void
gst_stereo_filter_set_property (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec)
{
  GstStereoFilter *self = GST_STEREO_FILTER (object);
  GstStereoFilterClass *klass = GST_STEREO_FILTER_GET_CLASS (self);

  GST_OBJECT_LOCK (self);
  if (id >= PROP_TABLE) {
    gst_stereo_table_set_property (&klass->table[id - PROP_TABLE],
        G_STRUCT_MEMBER_P (self, klass->settings), value);
    self->set |= G_GUINT64_CONSTANT (1) << (id - PROP_TABLE);
  } else {
    gst_stereo_device_set_property (&self->device, id - PROP_DEVICE, value);
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_stereo_filter_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstStereoFilter *self = GST_STEREO_FILTER (object);
  GstStereoFilterClass *klass = GST_STEREO_FILTER_GET_CLASS (self);

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
  object_class->set_property = gst_stereo_filter_set_property;
  object_class->get_property = gst_stereo_filter_get_property;
  gst_stereo_device_install_properties (object_class, PROP_DEVICE,
      klass->backend);
  gst_stereo_table_install_properties (object_class, PROP_TABLE, table, owner);
}

/* -------------------------------------------------------------------- class */

/* init() does not have the class of the object. */
static void
gst_stereo_filter_constructed (GObject * object)
{
  GstStereoFilter *self = GST_STEREO_FILTER (object);
  const GstStereoFilterClass *klass = GST_STEREO_FILTER_GET_CLASS (self);
  const GstStereoRunFuncs funcs = {
    .purpose = klass->purpose,
    .op = klass->op,
    .n_runners = 1,
    .prepare = filter_prepare,
    .start = filter_start_frame,
    .draw = klass->draw != NULL ? filter_draw : NULL,
  };

  G_OBJECT_CLASS (gst_stereo_filter_parent_class)->constructed (object);
  gst_stereo_run_init (&self->run, &self->device, &self->failure, &funcs,
      klass->backend);
}

static void
gst_stereo_filter_finalize (GObject * object)
{
  gst_stereo_buffer_wait_clear (&GST_STEREO_FILTER (object)->buffer_wait);
  G_OBJECT_CLASS (gst_stereo_filter_parent_class)->finalize (object);
}

static void
gst_stereo_filter_init (GstStereoFilter * self)
{
  self->failure.element = GST_ELEMENT_CAST (self);
  gst_stereo_buffer_wait_init (&self->buffer_wait);
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
  trans_class->propose_allocation = gst_stereo_filter_propose_allocation;
  trans_class->decide_allocation = gst_stereo_filter_decide_allocation;
  trans_class->submit_input_buffer = gst_stereo_filter_submit_input_buffer;
  trans_class->prepare_output_buffer = gst_stereo_filter_prepare_output_buffer;
  trans_class->transform_meta = gst_stereo_filter_transform_meta;
  trans_class->before_transform = gst_stereo_filter_before_transform;
  trans_class->transform = gst_stereo_filter_transform;

  gst_type_mark_as_plugin_api (GST_TYPE_STEREO_FILTER, 0);
}
