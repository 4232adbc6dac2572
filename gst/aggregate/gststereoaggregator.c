/* gst-stereomatching: base class of the elements with several inputs
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "aggregate/gststereoaggregator.h"

#include "base/gststereocapslimit.h"
#include "base/gststereodebug.h"
#include "base/gststereogap.h"
#include "base/gststereoparams.h"
#include "base/gststereopool.h"

#include <string.h>

#define DEFAULT_SYNC_TOLERANCE GST_CLOCK_TIME_NONE
#define DEFAULT_QOS TRUE

const gchar *const gst_stereo_input_names[GST_STEREO_N_INPUTS] = {
  [GST_STEREO_LEFT] = "sink_left",
  [GST_STEREO_RIGHT] = "sink_right",
  [GST_STEREO_MAP] = "sink_disparity",
};

G_DEFINE_ABSTRACT_TYPE_WITH_CODE (GstStereoAggregator, gst_stereo_aggregator,
    GST_TYPE_AGGREGATOR, gst_stereo_debug_init ());

#define PARENT GST_AGGREGATOR_CLASS (gst_stereo_aggregator_parent_class)
#define ELEMENT_PARENT GST_ELEMENT_CLASS (gst_stereo_aggregator_parent_class)

GstAggregatorClass *
gst_stereo_aggregator_get_parent_class (void)
{
  return PARENT;
}

/* --------------------------------------------------------------------- pads */

GstAggregatorPad *
gst_stereo_aggregator_get_pad (GstStereoAggregator * self, gint input)
{
  GstAggregatorPad *pad;

  GST_OBJECT_LOCK (self);
  pad = self->sink[input] != NULL ? gst_object_ref (self->sink[input]) : NULL;
  GST_OBJECT_UNLOCK (self);
  return pad;
}

gint
gst_stereo_aggregator_find_input (GstPad * pad)
{
  gint input = GST_STEREO_LEFT;

  while (strcmp (GST_PAD_NAME (pad), gst_stereo_input_names[input]) != 0)
    input++;
  return input;
}

gboolean
gst_stereo_aggregator_get_info (GstStereoAggregator * self,
    GstVideoInfo info[GST_STEREO_N_INPUTS], guint n)
{
  gboolean known = TRUE;

  GST_OBJECT_LOCK (self);
  memcpy (info, self->info, sizeof (self->info));
  for (guint i = 0; i < n; i++)
    known &= self->has_info[i];
  GST_OBJECT_UNLOCK (self);
  return known;
}

static GstAggregatorPad *
aggregator_new_pad (GstStereoAggregator * self, gint input,
    GstPadTemplate * template)
{
  GstAggregatorPad *pad = g_object_new (GST_TYPE_AGGREGATOR_PAD, "name",
      gst_stereo_input_names[input], "direction", GST_PAD_SINK, "template",
      template, NULL);

  self->sink[input] = pad;
  gst_stereo_aggregator_guard_pad (self, input);
  return pad;
}

static GstAggregatorPad *
gst_stereo_aggregator_create_new_pad (GstAggregator * aggregator,
    GstPadTemplate * template, const gchar * name, const GstCaps * caps)
{
  GstStereoAggregator *self = GST_STEREO_AGGREGATOR (aggregator);
  GstAggregatorPad *pad = NULL;

  GST_OBJECT_LOCK (self);
  for (gint i = 0; i < GST_STEREO_N_INPUTS; i++) {
    if (self->sink[i] == NULL
        && strcmp (GST_PAD_TEMPLATE_NAME_TEMPLATE (template),
            gst_stereo_input_names[i]) == 0)
      pad = aggregator_new_pad (self, i, template);
  }
  GST_OBJECT_UNLOCK (self);
  return pad;
}

static void
gst_stereo_aggregator_release_pad (GstElement * element, GstPad * pad)
{
  GstStereoAggregator *self = GST_STEREO_AGGREGATOR (element);

  if (GST_IS_STEREO_RESULT_PAD (pad)) {
    gst_stereo_aggregator_release_result_pad (self,
        GST_STEREO_RESULT_PAD (pad));
    return;
  }
  GST_OBJECT_LOCK (self);
  for (gint i = 0; i < GST_STEREO_N_INPUTS; i++) {
    if (self->sink[i] == GST_AGGREGATOR_PAD (pad)) {
      self->sink[i] = NULL;
      self->has_info[i] = FALSE;
    }
  }
  GST_OBJECT_UNLOCK (self);
  ELEMENT_PARENT->release_pad (element, pad);
}

/* --------------------------------------------------------- caps and queries */

gboolean
gst_stereo_aggregator_accepts (GstPad * pad, GstCaps * caps)
{
  GstCaps *template = gst_pad_get_pad_template_caps (pad);
  gboolean ok = gst_caps_is_subset (caps, template);

  gst_caps_unref (template);
  return ok;
}

GstCaps *
gst_stereo_aggregator_prefer_caps_of (GstStereoAggregator * self, gint input,
    GstCaps * caps, const gchar * const * fields)
{
  GstAggregatorPad *pad = gst_stereo_aggregator_get_pad (self, input);
  GstCaps *other;

  if (pad == NULL)
    return caps;
  other = gst_pad_get_current_caps (GST_PAD (pad));
  if (other == NULL)
    other = gst_pad_peer_query_caps (GST_PAD (pad), NULL);
  gst_object_unref (pad);
  /* not every kind of memory supports every format */
  caps = gst_caps_merge (gst_stereo_caps_limit (gst_caps_ref (caps), other,
          fields, TRUE), caps);
  gst_caps_unref (other);
  return caps;
}

static GstCaps *
aggregator_query_caps (GstStereoAggregator * self, GstPad * pad,
    GstCaps * filter)
{
  GstCaps *caps = GST_STEREO_AGGREGATOR_GET_CLASS (self)->get_sink_caps (self,
      gst_stereo_aggregator_find_input (pad)), *result;

  if (filter == NULL)
    return caps;
  /* in the order of the caps: they prefer those of the other input */
  result = gst_caps_intersect_full (caps, filter, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref (caps);
  return result;
}

static gboolean
gst_stereo_aggregator_sink_query (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstQuery * query)
{
  GstStereoAggregator *self = GST_STEREO_AGGREGATOR (aggregator);
  GstCaps *caps;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CAPS:
      gst_query_parse_caps (query, &caps);
      caps = aggregator_query_caps (self, GST_PAD (pad), caps);
      gst_query_set_caps_result (query, caps);
      gst_caps_unref (caps);
      return TRUE;
    case GST_QUERY_ACCEPT_CAPS:
      /* A size that differs from another input's is an error only when buffers
       * of both are queued; before that, both may be changing. */
      gst_query_parse_accept_caps (query, &caps);
      gst_query_set_accept_caps_result (query,
          gst_stereo_aggregator_accepts (GST_PAD (pad), caps));
      return TRUE;
    default:
      return gst_stereo_device_query (&self->device, query)
          || PARENT->sink_query (aggregator, pad, query);
  }
}

/* GstAggregator denies seeking, although it forwards seeks to all inputs. */
static void
aggregator_query_seeking (GstStereoAggregator * self, GstQuery * query)
{
  gint64 start = 0, end = -1, from, to;
  gboolean seekable = TRUE, ok;
  GstFormat format;

  gst_query_parse_seeking (query, &format, NULL, NULL, NULL);
  for (gint i = 0; i < GST_STEREO_N_INPUTS && seekable; i++) {
    GstAggregatorPad *pad = gst_stereo_aggregator_get_pad (self, i);
    GstQuery *own;

    if (pad == NULL)
      continue;
    own = gst_query_new_seeking (format);
    seekable = gst_pad_peer_query (GST_PAD (pad), own);
    if (seekable) {
      gst_query_parse_seeking (own, NULL, &ok, &from, &to);
      seekable = ok;
      start = MAX (start, from);
      end = end < 0 || (to >= 0 && to < end) ? to : end;
    }
    gst_query_unref (own);
    gst_object_unref (pad);
  }
  gst_query_set_seeking (query, format, seekable, seekable ? start : 0,
      seekable ? end : -1);
}

/* The output ends with the first input that ends.  FALSE if no duration is
 * known. */
static gboolean
aggregator_query_duration (GstStereoAggregator * self, GstQuery * query)
{
  gint64 shortest = G_MAXINT64, duration;
  GstFormat format;

  gst_query_parse_duration (query, &format, NULL);
  for (gint i = 0; i < GST_STEREO_N_INPUTS; i++) {
    GstAggregatorPad *pad = gst_stereo_aggregator_get_pad (self, i);

    if (pad != NULL && gst_pad_peer_query_duration (GST_PAD (pad), format,
            &duration) && duration >= 0)
      shortest = MIN (shortest, duration);
    gst_clear_object (&pad);
  }
  if (shortest < G_MAXINT64)
    gst_query_set_duration (query, format, shortest);
  return shortest < G_MAXINT64;
}

static gboolean
gst_stereo_aggregator_src_query (GstAggregator * aggregator, GstQuery * query)
{
  GstStereoAggregator *self = GST_STEREO_AGGREGATOR (aggregator);

  if (GST_QUERY_TYPE (query) == GST_QUERY_SEEKING) {
    aggregator_query_seeking (self, query);
    return TRUE;
  }
  if (GST_QUERY_TYPE (query) == GST_QUERY_DURATION)
    return aggregator_query_duration (self, query);
  return gst_stereo_device_query (&self->device, query)
      || PARENT->src_query (aggregator, query);
}

static void
gst_stereo_aggregator_set_context (GstElement * element, GstContext * context)
{
  gst_stereo_device_set_context (&GST_STEREO_AGGREGATOR (element)->device,
      context);
  ELEMENT_PARENT->set_context (element, context);
}

static gboolean
gst_stereo_aggregator_propose_allocation (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstQuery * decide_query, GstQuery * query)
{
  gst_stereo_pool_propose (query, &GST_STEREO_AGGREGATOR (aggregator)->device);
  return TRUE;
}

gboolean
gst_stereo_aggregator_decide_allocation (GstAggregator * aggregator,
    GstQuery * query)
{
  GstStereoAggregator *self = GST_STEREO_AGGREGATOR (aggregator);

  return gst_stereo_pool_decide (&self->out_info, query, &self->device);
}

guint
gst_stereo_aggregator_count_live (GstStereoAggregator * self)
{
  guint n = 0;

  for (gint i = 0; i < GST_STEREO_N_INPUTS; i++) {
    GstAggregatorPad *pad = gst_stereo_aggregator_get_pad (self, i);
    gboolean live = FALSE;
    GstQuery *query;

    if (pad == NULL)
      continue;
    query = gst_query_new_latency ();
    if (gst_pad_peer_query (GST_PAD (pad), query))
      gst_query_parse_latency (query, &live, NULL, NULL);
    n += live;
    gst_query_unref (query);
    gst_object_unref (pad);
  }
  return n;
}

/* ------------------------------------------------------------------ samples */

void
gst_stereo_aggregator_select (GstStereoAggregator * self,
    const GstStereoInput * inputs)
{
  const gint leader = GST_STEREO_AGGREGATOR_GET_CLASS (self)->leader;
  GstBuffer *buffer = inputs[leader].buffer;

  GST_OBJECT_LOCK (self);
  self->selected = inputs;
  GST_OBJECT_UNLOCK (self);
  gst_aggregator_selected_samples (GST_AGGREGATOR (self),
      GST_BUFFER_PTS (buffer), GST_BUFFER_DTS (buffer),
      GST_BUFFER_DURATION (buffer), NULL);
  GST_OBJECT_LOCK (self);
  self->selected = NULL;
  GST_OBJECT_UNLOCK (self);
}

/* For handlers of samples-selected: an input that is about to be processed. */
static GstSample *
gst_stereo_aggregator_peek_next_sample (GstAggregator * aggregator,
    GstAggregatorPad * pad)
{
  GstStereoAggregator *self = GST_STEREO_AGGREGATOR (aggregator);
  const gint input = gst_stereo_aggregator_find_input (GST_PAD (pad));
  GstCaps *caps = gst_pad_get_current_caps (GST_PAD (pad));
  GstSample *sample = NULL;

  GST_OBJECT_LOCK (self);
  if (self->selected != NULL)
    sample = gst_sample_new (self->selected[input].buffer, caps,
        &self->selected[input].segment, NULL);
  GST_OBJECT_UNLOCK (self);
  gst_clear_caps (&caps);
  return sample;
}

/* -------------------------------------------------------------- aggregation */

void
gst_stereo_aggregator_post_unpaired (GstStereoAggregator * self, gint input,
    GstBuffer * buffer, GstClockTime running_time, const gchar * reason)
{
  guint64 dropped;

  GST_DEBUG_OBJECT (self, "%s: dropping (%s): %" GST_PTR_FORMAT,
      gst_stereo_input_names[input], reason, buffer);
  GST_OBJECT_LOCK (self);
  dropped = ++self->counters.dropped[input];
  GST_OBJECT_UNLOCK (self);
  gst_element_post_message (GST_ELEMENT_CAST (self),
      gst_message_new_element (GST_OBJECT_CAST (self),
          gst_structure_new ("stereo-unpaired",
              "view", G_TYPE_STRING,
              gst_stereo_input_names[input] + strlen ("sink_"),
              "pts", G_TYPE_UINT64, GST_BUFFER_PTS (buffer),
              "running-time", G_TYPE_UINT64, running_time,
              "dropped", G_TYPE_UINT64, dropped,
              "reason", G_TYPE_STRING, reason, NULL)));
}

gboolean
gst_stereo_aggregator_check_caps (GstStereoAggregator * self,
    const GstStereoInput * inputs, guint n)
{
  const gchar *missing = NULL;

  GST_OBJECT_LOCK (self);
  for (guint i = 0; i < n; i++) {
    if (inputs[i].buffer != NULL && !gst_stereo_is_gap (inputs[i].buffer)
        && !self->has_info[i])
      missing = gst_stereo_input_names[i];
  }
  GST_OBJECT_UNLOCK (self);
  if (missing != NULL)
    GST_STEREO_FAIL (&self->failure, STREAM, FORMAT,
        ("A buffer on %s has no caps: set them in its source, such as the "
            "property caps of appsrc.", missing), (NULL));
  return missing == NULL;
}

static GstFlowReturn
gst_stereo_aggregator_aggregate (GstAggregator * aggregator, gboolean timeout)
{
  GstStereoAggregator *self = GST_STEREO_AGGREGATOR (aggregator);
  GstFlowReturn flow = GST_FLOW_EOS;

  gst_stereo_queries_clear_abandoned (&self->queries);
  if (gst_stereo_failure_posted (&self->failure))
    return GST_FLOW_ERROR;
  self->discont |= g_atomic_int_compare_and_exchange (&self->flushed, TRUE,
      FALSE);
  if (!gst_stereo_aggregator_has_ended (self))
    flow = GST_STEREO_AGGREGATOR_GET_CLASS (self)->process (self);
  return flow == GST_FLOW_EOS ? gst_stereo_aggregator_end (self) : flow;
}

/* ---------------------------------------------------- start, stop and flush */

static gboolean
gst_stereo_aggregator_start (GstAggregator * aggregator)
{
  GstStereoAggregator *self = GST_STEREO_AGGREGATOR (aggregator);

  gst_stereo_aggregator_reset_pads (self);
  gst_stereo_aggregator_reset_qos (self);
  self->discont = TRUE;
  GST_OBJECT_LOCK (self);
  memset (&self->counters, 0, sizeof (self->counters));
  GST_OBJECT_UNLOCK (self);
  if (!gst_stereo_device_open (&self->device))
    return FALSE;
  gst_stereo_aggregator_init_segment (self);
  gst_stereo_aggregator_start_watching (self);
  return TRUE;
}

static gboolean
gst_stereo_aggregator_stop (GstAggregator * aggregator)
{
  GstStereoAggregator *self = GST_STEREO_AGGREGATOR (aggregator);

  gst_stereo_aggregator_stop_watching (self);
  gst_stereo_device_close (&self->device);
  GST_OBJECT_LOCK (self);
  memset (self->has_info, 0, sizeof (self->has_info));
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

static GstFlowReturn
gst_stereo_aggregator_flush (GstAggregator * aggregator)
{
  GstStereoAggregator *self = GST_STEREO_AGGREGATOR (aggregator);

  (void) gst_stereo_run_drain (&self->run);
  gst_stereo_aggregator_reset_qos (self);
  self->discont = TRUE;
  GST_OBJECT_LOCK (self);
  GST_AGGREGATOR_PAD (aggregator->srcpad)->segment.position =
      GST_CLOCK_TIME_NONE;
  GST_OBJECT_UNLOCK (self);
  return GST_FLOW_OK;
}

static GstStateChangeReturn
gst_stereo_aggregator_change_state (GstElement * element,
    GstStateChange transition)
{
  GstStereoAggregator *self = GST_STEREO_AGGREGATOR (element);
  GstStateChangeReturn result;

  gst_stereo_device_change_state (&self->device, transition);
  gst_stereo_buffer_wait_change_state (&self->buffer_wait, transition);
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    gst_stereo_failure_reset (&self->failure);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_stereo_aggregator_stop_result_pads (self);
  result = ELEMENT_PARENT->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_stereo_aggregator_reset_result_pads (self);
  return result;
}

/* --------------------------------------------------------------- properties */

void
gst_stereo_aggregator_set_property (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec)
{
  GstStereoAggregator *self = GST_STEREO_AGGREGATOR (object);
  GstStereoAggregatorClass *klass = GST_STEREO_AGGREGATOR_GET_CLASS (self);

  GST_OBJECT_LOCK (self);
  if (id >= GST_STEREO_AGGREGATOR_PROP_TABLE) {
    const guint row = id - GST_STEREO_AGGREGATOR_PROP_TABLE;

    gst_stereo_table_set_property (&klass->table[row],
        G_STRUCT_MEMBER_P (self, klass->settings), value);
    self->set |= G_GUINT64_CONSTANT (1) << row;
  } else if (id >= GST_STEREO_AGGREGATOR_PROP_DEVICE)
    gst_stereo_device_set_property (&self->device,
        id - GST_STEREO_AGGREGATOR_PROP_DEVICE, value);
  else if (id == GST_STEREO_AGGREGATOR_PROP_QOS)
    self->qos = g_value_get_boolean (value);
  else
    self->sync_tolerance = g_value_get_uint64 (value);
  GST_OBJECT_UNLOCK (self);
}

void
gst_stereo_aggregator_get_property (GObject * object, guint id,
    GValue * value, GParamSpec * pspec)
{
  GstStereoAggregator *self = GST_STEREO_AGGREGATOR (object);
  GstStereoAggregatorClass *klass = GST_STEREO_AGGREGATOR_GET_CLASS (self);

  if (id == GST_STEREO_AGGREGATOR_PROP_STATS) {
    g_value_take_boxed (value, klass->get_stats (self));
    return;
  }
  GST_OBJECT_LOCK (self);
  if (id >= GST_STEREO_AGGREGATOR_PROP_TABLE)
    gst_stereo_table_get_property (&klass->table[id
            - GST_STEREO_AGGREGATOR_PROP_TABLE],
        G_STRUCT_MEMBER_P (self, klass->settings), value);
  else if (id >= GST_STEREO_AGGREGATOR_PROP_DEVICE)
    gst_stereo_device_get_property (&self->device,
        id - GST_STEREO_AGGREGATOR_PROP_DEVICE, value);
  else if (id == GST_STEREO_AGGREGATOR_PROP_QOS)
    g_value_set_boolean (value, self->qos);
  else
    g_value_set_uint64 (value, self->sync_tolerance);
  GST_OBJECT_UNLOCK (self);
}

void
gst_stereo_aggregator_install_properties (GstStereoAggregatorClass * klass,
    GstStereoBackend backend, const StereoParamSpec * table,
    const gchar * owner, gsize settings)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  klass->table = table;
  klass->settings = settings;
  object_class->set_property = gst_stereo_aggregator_set_property;
  object_class->get_property = gst_stereo_aggregator_get_property;
  if (table != NULL)
    gst_stereo_table_install_properties (object_class,
        GST_STEREO_AGGREGATOR_PROP_TABLE, table, owner);
  gst_stereo_device_install_properties (object_class,
      GST_STEREO_AGGREGATOR_PROP_DEVICE, backend);
}

void
gst_stereo_aggregator_install_qos (GstStereoAggregatorClass * klass,
    const gchar * description)
{
  /**
   * GstStereoAggregator:qos:
   *
   * Skip frames that would arrive too late downstream. Programs that want every
   * frame, however long it takes, set this to FALSE.
   */
  g_object_class_install_property (G_OBJECT_CLASS (klass),
      GST_STEREO_AGGREGATOR_PROP_QOS, g_param_spec_boolean ("qos", "qos",
          description, DEFAULT_QOS, G_PARAM_READWRITE
          | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING));
}

void
gst_stereo_aggregator_install_stats (GstStereoAggregatorClass * klass)
{
  g_object_class_install_property (G_OBJECT_CLASS (klass),
      GST_STEREO_AGGREGATOR_PROP_STATS, g_param_spec_boxed ("stats", "stats",
          "Statistics since start", GST_TYPE_STRUCTURE, G_PARAM_READABLE
          | G_PARAM_STATIC_STRINGS));
}

/* -------------------------------------------------------------------- class */

/* The templates belong to the class of the object, which init() does not
 * have. */
static void
gst_stereo_aggregator_constructed (GObject * object)
{
  GstStereoAggregator *self = GST_STEREO_AGGREGATOR (object);

  G_OBJECT_CLASS (gst_stereo_aggregator_parent_class)->constructed (object);
  for (gint i = 0; i < GST_STEREO_N_INPUTS; i++) {
    GstPadTemplate *template = gst_element_class_get_pad_template
        (GST_ELEMENT_GET_CLASS (self), gst_stereo_input_names[i]);

    if (template != NULL
        && GST_PAD_TEMPLATE_PRESENCE (template) == GST_PAD_ALWAYS)
      gst_element_add_pad (GST_ELEMENT_CAST (self),
          GST_PAD (aggregator_new_pad (self, i, template)));
  }
  gst_stereo_aggregator_init_events (self);
}

static void
gst_stereo_aggregator_dispose (GObject * object)
{
  gst_stereo_aggregator_stop_watching (GST_STEREO_AGGREGATOR (object));
  g_ptr_array_set_size (GST_STEREO_AGGREGATOR (object)->result_pads, 0);
  G_OBJECT_CLASS (gst_stereo_aggregator_parent_class)->dispose (object);
}

static void
gst_stereo_aggregator_finalize (GObject * object)
{
  GstStereoAggregator *self = GST_STEREO_AGGREGATOR (object);

  g_ptr_array_unref (self->result_pads);
  gst_stereo_buffer_wait_clear (&self->buffer_wait);
  gst_stereo_queries_clear (&self->queries);
  g_mutex_clear (&self->segment_lock);
  G_OBJECT_CLASS (gst_stereo_aggregator_parent_class)->finalize (object);
}

void
gst_stereo_aggregator_init_run (GstStereoAggregator * self,
    const GstStereoRunFuncs * funcs, GstStereoBackend backend)
{
  gst_stereo_run_init (&self->run, &self->device, &self->failure, funcs,
      backend);
}

static void
gst_stereo_aggregator_init (GstStereoAggregator * self)
{
  self->failure.element = GST_ELEMENT_CAST (self);
  self->sync_tolerance = DEFAULT_SYNC_TOLERANCE;
  self->qos = DEFAULT_QOS;
  self->result_pads = g_ptr_array_new_with_free_func (gst_object_unref);
  gst_stereo_buffer_wait_init (&self->buffer_wait);
  gst_stereo_queries_init (&self->queries);
  g_mutex_init (&self->segment_lock);
  gst_stereo_aggregator_reset_qos (self);
}

static void
gst_stereo_aggregator_class_init (GstStereoAggregatorClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstAggregatorClass *aggregator_class = GST_AGGREGATOR_CLASS (klass);

  object_class->constructed = gst_stereo_aggregator_constructed;
  object_class->dispose = gst_stereo_aggregator_dispose;
  object_class->finalize = gst_stereo_aggregator_finalize;
  object_class->set_property = gst_stereo_aggregator_set_property;
  object_class->get_property = gst_stereo_aggregator_get_property;

  element_class->release_pad = gst_stereo_aggregator_release_pad;
  element_class->change_state = gst_stereo_aggregator_change_state;
  element_class->set_context = gst_stereo_aggregator_set_context;

  aggregator_class->start = gst_stereo_aggregator_start;
  aggregator_class->stop = gst_stereo_aggregator_stop;
  aggregator_class->flush = gst_stereo_aggregator_flush;
  aggregator_class->create_new_pad = gst_stereo_aggregator_create_new_pad;
  aggregator_class->sink_event_pre_queue =
      gst_stereo_aggregator_sink_event_pre_queue;
  aggregator_class->sink_query_pre_queue =
      gst_stereo_aggregator_sink_query_pre_queue;
  aggregator_class->sink_event = gst_stereo_aggregator_sink_event;
  aggregator_class->sink_query = gst_stereo_aggregator_sink_query;
  aggregator_class->src_event = gst_stereo_aggregator_src_event;
  aggregator_class->src_query = gst_stereo_aggregator_src_query;
  aggregator_class->propose_allocation =
      gst_stereo_aggregator_propose_allocation;
  aggregator_class->peek_next_sample = gst_stereo_aggregator_peek_next_sample;
  aggregator_class->aggregate = gst_stereo_aggregator_aggregate;

  /**
   * GstStereoAggregator:sync-tolerance:
   *
   * Maximum difference, in nanoseconds, between the running times of images
   * that belong together, or of an image and a map that does not name its
   * images, at normal speed; with another rate it is scaled as timestamps are.
   * The default is half the duration of an image, of the shorter one if
   * they differ, or a millisecond if that is unknown. Matchers drop
   * unpaired images, count them in `stats` and report them by element
   * messages called `stereo-unpaired`.
   */
  g_object_class_install_property (object_class,
      GST_STEREO_AGGREGATOR_PROP_SYNC_TOLERANCE,
      g_param_spec_uint64 ("sync-tolerance", "sync-tolerance",
          "Maximum timestamp difference within a pair, in nanoseconds (-1 = "
          "half a frame duration)", 0, G_MAXUINT64, DEFAULT_SYNC_TOLERANCE,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
          | GST_PARAM_MUTABLE_PLAYING));
  gst_type_mark_as_plugin_api (GST_TYPE_STEREO_AGGREGATOR, 0);
}
