/* gst-stereomatching: base class of the stereo matching elements
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The class: pads, properties, presets, statistics, start and stop.  What it
 * does with data is in the files that gststereobase-private.h lists.
 */

#include "pair/gststereobase-private.h"

#include "base/gststereoallocator.h"
#include "base/gststereocuda.h"
#include "base/gststereodebug.h"
#include "pair/gststereosegment.h"

const gchar *const gst_stereo_view_names[N_VIEWS] = { "left", "right" };

#define DEFAULT_SYNC_TOLERANCE GST_CLOCK_TIME_NONE
#define DEFAULT_QOS TRUE
#define DEFAULT_PAIRS GST_STEREO_PAIRS_AUTO
#define DEFAULT_PROFILING FALSE

enum
{
  PROP_0,
  PROP_DEVICE,                  /* and the others of the device */
  PROP_SYNC_TOLERANCE = PROP_DEVICE + GST_STEREO_DEVICE_N_PROPS,
  PROP_QOS,
  PROP_PAIRS,
  PROP_PROFILING,
  PROP_STATS
};

static void gst_stereo_base_preset_init (GstPresetInterface * iface);

G_DEFINE_ABSTRACT_TYPE_WITH_CODE (GstStereoBase, gst_stereo_base,
    GST_TYPE_AGGREGATOR, G_ADD_PRIVATE (GstStereoBase)
    G_IMPLEMENT_INTERFACE (GST_TYPE_PRESET, gst_stereo_base_preset_init)
    gst_stereo_debug_init ());

#define STEREO_SIZE_RANGE "(int) [ 1, 16384 ]"
#define STEREO_CAPS(media, formats) \
    media ", format = (string) " formats ", " \
    "width = " STEREO_SIZE_RANGE ", height = " STEREO_SIZE_RANGE ", " \
    "framerate = " GST_VIDEO_FPS_RANGE

#define SINK_FORMATS "{ GRAY8, NV12, I420, YV12, NV21, NV16, Y42B, Y444, " \
    "YUY2, UYVY, YVYU, RGB, BGR, RGBx, BGRx, xRGB, xBGR, RGBA, BGRA, ARGB, " \
    "ABGR, GRAY16_LE, P010_10LE, I420_10LE, I422_10LE, Y444_10LE }"

#define SINK_CAPS STEREO_CAPS ("video/x-raw", SINK_FORMATS) "; " \
    STEREO_CAPS ("video/x-raw(" GST_STEREO_CUDA_FEATURE ")", \
        GST_STEREO_CUDA_FORMATS)

static GstStaticPadTemplate sink_left_template =
GST_STATIC_PAD_TEMPLATE ("sink_left", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (SINK_CAPS));

static GstStaticPadTemplate sink_right_template =
GST_STATIC_PAD_TEMPLATE ("sink_right", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (SINK_CAPS));

static GstStaticPadTemplate src_template =
GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (STEREO_CAPS ("video/x-raw", "{ GRAY16_LE, GRAY8 }")));

/* ------------------------------------------------------------------- inside */

GstStereoBasePrivate *
gst_stereo_base_get_private (GstStereoBase * self)
{
  return gst_stereo_base_get_instance_private (self);
}

GstAggregatorClass *
gst_stereo_base_get_parent_class (void)
{
  return GST_AGGREGATOR_CLASS (gst_stereo_base_parent_class);
}

gint
gst_stereo_base_view_of (GstStereoBase * self, GstAggregatorPad * pad)
{
  return pad == PRIV (self)->sink[RIGHT] ? RIGHT : LEFT;
}

/* ---------------------------------------------------- start, stop and flush */

static gboolean
gst_stereo_base_start (GstAggregator * aggregator)
{
  GstStereoBase *self = GST_STEREO_BASE (aggregator);
  GstStereoBasePrivate *priv = PRIV (self);

  gst_stereo_failure_reset (&priv->failure);
  gst_stereo_base_open_doors (self);
  gst_stereo_base_newest_reset (self);
  priv->agreed = FALSE;
  priv->discont = TRUE;
  g_atomic_int_set (&priv->begins_anew, TRUE);
  g_atomic_int_set (&priv->unpaired_in_a_row, 0);
  priv->next_caps_serial = 0;
  priv->warned_of_fields[LEFT] = priv->warned_of_fields[RIGHT] = FALSE;
  priv->warned_of_swap[LEFT] = priv->warned_of_swap[RIGHT] = FALSE;
  memset (&priv->told, 0, sizeof (priv->told));
  priv->disagree_since = GST_CLOCK_TIME_NONE;
  GST_OBJECT_LOCK (self);
  memset (&priv->counters, 0, sizeof (priv->counters));
  gst_stereo_base_reset_qos (self);
  GST_OBJECT_UNLOCK (self);

  if (!gst_stereo_device_open (&priv->device)) {
    gst_stereo_device_close (&priv->device);
    return FALSE;
  }
  gst_stereo_number_events (aggregator, gst_stereo_base_get_parent_class (),
      priv->sink[LEFT]);
  gst_stereo_base_start_watching (self);
  return TRUE;
}

static gboolean
gst_stereo_base_stop (GstAggregator * aggregator)
{
  GstStereoBase *self = GST_STEREO_BASE (aggregator);
  GstStereoBasePrivate *priv = PRIV (self);

  gst_stereo_base_stop_watching (self);
  gst_stereo_base_newest_reset (self);
  gst_stereo_device_close (&priv->device);
  gst_clear_event (&priv->tags);
  GST_OBJECT_LOCK (self);
  priv->has_info[LEFT] = priv->has_info[RIGHT] = FALSE;
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

static GstFlowReturn
gst_stereo_base_flush (GstAggregator * aggregator)
{
  GstStereoBase *self = GST_STEREO_BASE (aggregator);
  GstStereoBasePrivate *priv = PRIV (self);

  (void) gst_stereo_base_drain (self);
  gst_stereo_base_newest_flush (self);
  priv->discont = TRUE;
  g_atomic_int_set (&priv->begins_anew, TRUE);
  g_atomic_int_set (&priv->unpaired_in_a_row, 0);
  priv->disagree_since = GST_CLOCK_TIME_NONE;
  GST_OBJECT_LOCK (self);
  gst_stereo_base_reset_qos (self);
  GST_AGGREGATOR_PAD (aggregator->srcpad)->segment.position =
      GST_CLOCK_TIME_NONE;
  GST_OBJECT_UNLOCK (self);
  return GST_FLOW_OK;
}

static GstStateChangeReturn
gst_stereo_base_change_state (GstElement * element, GstStateChange transition)
{
  GstStereoBase *self = GST_STEREO_BASE (element);
  GstStereoResultPad *pads[STEREO_N_RESULTS];
  GstStateChangeReturn result;
  guint n = 0;

  gst_stereo_device_change_state (&PRIV (self)->device, transition);
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    gst_stereo_gate_open (&PRIV (self)->gate, GST_STEREO_GATE_FLUSHING
        | GST_STEREO_GATE_STOPPED);
  } else if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    gst_stereo_gate_close (&PRIV (self)->gate, GST_STEREO_GATE_STOPPED);
    n = gst_stereo_base_stop_result_pads (self, pads);
  }
  result = GST_ELEMENT_CLASS (gst_stereo_base_parent_class)->change_state
      (element, transition);
  gst_stereo_base_result_pads_stopped (pads, n);
  return result;
}

static void
gst_stereo_base_set_context (GstElement * element, GstContext * context)
{
  gst_stereo_device_set_context (&PRIV (GST_STEREO_BASE (element))->device,
      context);
  GST_ELEMENT_CLASS (gst_stereo_base_parent_class)->set_context (element,
      context);
}

static gboolean
gst_stereo_base_src_query (GstAggregator * aggregator, GstQuery * query)
{
  return gst_stereo_device_query (&PRIV (GST_STEREO_BASE (aggregator))->device,
      query) || GST_AGGREGATOR_CLASS (gst_stereo_base_parent_class)->src_query
      (aggregator, query);
}

/* For handlers of samples-selected: the pair that is about to be matched. */
static GstSample *
gst_stereo_base_peek_next_sample (GstAggregator * aggregator,
    GstAggregatorPad * pad)
{
  GstStereoBase *self = GST_STEREO_BASE (aggregator);
  GstStereoBasePrivate *priv = PRIV (self);
  gint view = gst_stereo_base_view_of (self, pad);
  GstBuffer *buffer = NULL;
  GstSample *sample = NULL;
  GstCaps *caps;

  GST_OBJECT_LOCK (self);
  if (priv->current[view] != NULL)
    buffer = gst_buffer_ref (priv->current[view]);
  GST_OBJECT_UNLOCK (self);
  if (buffer != NULL) {
    caps = gst_pad_get_current_caps (GST_PAD (pad));
    sample = gst_sample_new (buffer, caps, &priv->segment[view], NULL);
    gst_clear_caps (&caps);
    gst_buffer_unref (buffer);
  }
  return sample;
}

/* --------------------------------------------------------------- properties */

/* The fields have the stages' names, as fields have names.  The object lock is
 * held. */
static GstStructure *
make_stages (StereoMatcher * matcher)
{
  GstStructure *stages = gst_structure_new_empty ("stereo-stages");
  const char *name;
  uint64_t ns;

  for (gsize i = 0; matcher != NULL
      && stereo_matcher_get_stage (matcher, i, &name, &ns); i++) {
    gchar *field = g_strdelimit (g_strdup (name), " ", '-');

    gst_structure_set (stages, field, G_TYPE_UINT64, (guint64) ns, NULL);
    g_free (field);
  }
  return stages;
}

static GstStructure *
make_stats (GstStereoBase * self)
{
  GstStereoBasePrivate *priv = PRIV (self);
  StereoMatcherStats stats = { 0, };
  const gchar *backend = "none";
  guint64 downloaded = 0;
  GstStereoCounters counters;
  GstStructure *stages, *result;

  GST_OBJECT_LOCK (self);
  counters = priv->counters;
  if (priv->matcher != NULL)
    stereo_matcher_get_stats (priv->matcher, &stats);
  stages = make_stages (priv->matcher);
  if (priv->device.allocator != NULL)
    downloaded = gst_stereo_allocator_get_downloaded (priv->device.allocator);
  if (priv->device.device != NULL)
    backend = stereo_device_backend (priv->device.device);
  GST_OBJECT_UNLOCK (self);
  result = gst_structure_new ("stereo-stats",
      "paired", G_TYPE_UINT64, counters.paired,
      "dropped-left", G_TYPE_UINT64, counters.dropped[LEFT],
      "dropped-right", G_TYPE_UINT64, counters.dropped[RIGHT],
      "qos-dropped", G_TYPE_UINT64, counters.qos_dropped,
      "superseded", G_TYPE_UINT64, counters.superseded,
      "processing-time-last", G_TYPE_UINT64, (guint64) stats.last_ns,
      "processing-time-mean", G_TYPE_UINT64,
      (guint64) (stats.frames > 0 ? stats.total_ns / stats.frames : 0),
      "device-memory", G_TYPE_UINT64, (guint64) stats.device_bytes,
      "downloaded", G_TYPE_UINT64, downloaded,
      "backend", G_TYPE_STRING, backend,
      "stages", GST_TYPE_STRUCTURE, stages, NULL);
  gst_structure_free (stages);
  return result;
}

static void
gst_stereo_base_set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  GstStereoBase *self = GST_STEREO_BASE (object);
  GstStereoBasePrivate *priv = PRIV (self);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_SYNC_TOLERANCE:
      priv->sync_tolerance = g_value_get_uint64 (value);
      break;
    case PROP_QOS:
      priv->qos = g_value_get_boolean (value);
      break;
    case PROP_PAIRS:
      priv->pairs = (GstStereoPairs) g_value_get_enum (value);
      break;
    case PROP_PROFILING:
      priv->profiling = g_value_get_boolean (value);
      break;
    default:
      gst_stereo_device_set_property (&priv->device, id - PROP_DEVICE, value);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_stereo_base_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstStereoBase *self = GST_STEREO_BASE (object);
  GstStereoBasePrivate *priv = PRIV (self);

  if (id == PROP_STATS) {
    g_value_take_boxed (value, make_stats (self));
    return;
  }

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_SYNC_TOLERANCE:
      g_value_set_uint64 (value, priv->sync_tolerance);
      break;
    case PROP_QOS:
      g_value_set_boolean (value, priv->qos);
      break;
    case PROP_PAIRS:
      g_value_set_enum (value, priv->pairs);
      break;
    case PROP_PROFILING:
      g_value_set_boolean (value, priv->profiling);
      break;
    default:
      gst_stereo_device_get_property (&priv->device, id - PROP_DEVICE, value);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

/* The properties of a subclass are the algorithm's parameters. */
static void
gst_stereo_base_set_param (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  gst_stereo_params_set_property (&PRIV (GST_STEREO_BASE (object))->params, id,
      value);
}

static void
gst_stereo_base_get_param (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  gst_stereo_params_get_property (&PRIV (GST_STEREO_BASE (object))->params, id,
      value);
}

void
gst_stereo_base_class_set_algorithm (GstStereoBaseClass * klass,
    const gchar * name)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  klass->algorithm = stereo_algorithm_find (name);
  g_assert (klass->algorithm != NULL);
  object_class->set_property = gst_stereo_base_set_param;
  object_class->get_property = gst_stereo_base_get_param;
  gst_stereo_params_install_properties (object_class, klass->algorithm);
  for (guint r = 0; r < STEREO_N_RESULTS; r++) {
    if (gst_stereo_result_pad_name ((StereoResult) r) != NULL
        && stereo_algorithm_has_result (klass->algorithm, (StereoResult) r))
      gst_element_class_add_pad_template (GST_ELEMENT_CLASS (klass),
          gst_stereo_result_pad_template ((StereoResult) r));
  }
}

/* ----------------------------------------------------------------- presets */

/* Of the scene and of the output, not of how to match. */
static const gchar *const not_in_presets[] = { "num-disparities",
  "min-disparity", "disparity-scale", "invalid-value", NULL
};

/* A preset says how to match, and nothing of the camera, of what the codes mean
 * or of the machine that computes. */
static gchar **
gst_stereo_base_get_preset_properties (GstPreset * preset)
{
  const StereoAlgorithm *algorithm =
      GST_STEREO_BASE_GET_CLASS (preset)->algorithm;
  GPtrArray *names = g_ptr_array_new ();
  const StereoParamSpec *spec;

  for (guint i = 0; (spec = stereo_algorithm_param (algorithm, i)); i++) {
    if (!g_strv_contains (not_in_presets, spec->name))
      g_ptr_array_add (names, g_strdup (spec->name));
  }
  g_ptr_array_add (names, NULL);
  return (gchar **) g_ptr_array_free (names, FALSE);
}

static void
gst_stereo_base_preset_init (GstPresetInterface * iface)
{
  iface->get_property_names = gst_stereo_base_get_preset_properties;
}

/* ------------------------------------------------------------------- class */

static void
gst_stereo_base_constructed (GObject * object)
{
  GstStereoBase *self = GST_STEREO_BASE (object);

  G_OBJECT_CLASS (gst_stereo_base_parent_class)->constructed (object);
  gst_stereo_params_init (&PRIV (self)->params, GST_ELEMENT_CAST (self),
      GST_STEREO_BASE_GET_CLASS (self)->algorithm);
}

static void
gst_stereo_base_dispose (GObject * object)
{
  GstStereoBase *self = GST_STEREO_BASE (object);

  GST_OBJECT_LOCK (self);
  memset (PRIV (self)->results, 0, sizeof (PRIV (self)->results));
  GST_OBJECT_UNLOCK (self);
  G_OBJECT_CLASS (gst_stereo_base_parent_class)->dispose (object);
}

static void
gst_stereo_base_finalize (GObject * object)
{
  gst_stereo_gate_clear (&PRIV (GST_STEREO_BASE (object))->gate);
  gst_stereo_params_clear (&PRIV (GST_STEREO_BASE (object))->params);
  gst_stereo_queries_clear (&PRIV (GST_STEREO_BASE (object))->queries);
  gst_stereo_base_newest_finalize (GST_STEREO_BASE (object));
  G_OBJECT_CLASS (gst_stereo_base_parent_class)->finalize (object);
}

static void
gst_stereo_base_init (GstStereoBase * self)
{
  static const gchar *const names[N_VIEWS] = { "sink_left", "sink_right" };
  GstStereoBasePrivate *priv = PRIV (self);

  for (guint i = 0; i < N_VIEWS; i++) {
    GstPadTemplate *template =
        gst_element_class_get_pad_template (GST_ELEMENT_GET_CLASS (self),
        names[i]);

    priv->sink[i] = g_object_new (GST_TYPE_AGGREGATOR_PAD, "name", names[i],
        "direction", GST_PAD_SINK, "template", template, NULL);
    gst_element_add_pad (GST_ELEMENT_CAST (self), GST_PAD (priv->sink[i]));
  }
  priv->failure.element = GST_ELEMENT_CAST (self);
  gst_stereo_gate_init (&priv->gate);
  gst_stereo_queries_init (&priv->queries);
  gst_stereo_device_init (&priv->device, &priv->failure,
      &gst_stereo_base_device_user, GST_STEREO_BACKEND_AUTO);
  priv->sync_tolerance = DEFAULT_SYNC_TOLERANCE;
  priv->qos = DEFAULT_QOS;
  priv->pairs = DEFAULT_PAIRS;
  priv->profiling = DEFAULT_PROFILING;
  gst_stereo_base_newest_init (self);
  gst_stereo_base_reset_qos (self);
  gst_stereo_base_add_probes (self);
  gst_stereo_base_init_doors (self);
}

/* Those that all matchers have, besides their parameters. */
static void
install_properties (GObjectClass * object_class)
{
  const GParamFlags playing = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_PLAYING;

  gst_stereo_device_install_properties (object_class, PROP_DEVICE,
      GST_STEREO_BACKEND_AUTO);

  /**
   * GstStereoBase:sync-tolerance:
   *
   * By how many nanoseconds the running times of a left and a right image may
   * differ for the two to be a pair. By default half the duration of an image,
   * the shorter one if they differ, or a millisecond where that is not known.
   * Images without a partner are dropped, counted in #GstStereoBase:stats and
   * told about in element messages called `stereo-unpaired`.
   */
  g_object_class_install_property (object_class, PROP_SYNC_TOLERANCE,
      g_param_spec_uint64 ("sync-tolerance", "sync-tolerance",
          "Largest difference of the times of a pair, in nanoseconds (-1 = "
          "half the duration of an image)", 0, G_MAXUINT64,
          DEFAULT_SYNC_TOLERANCE, playing));

  /**
   * GstStereoBase:qos:
   *
   * Skip pairs that would arrive too late downstream. Programs that want every
   * frame, however long it takes, set this to FALSE.
   */
  g_object_class_install_property (object_class, PROP_QOS,
      g_param_spec_boolean ("qos", "qos",
          "Skip pairs that would be too late downstream", DEFAULT_QOS,
          playing));

  /**
   * GstStereoBase:pairs:
   *
   * Which pairs are matched when they come faster than that is done. `every`
   * has the sources wait, and none is left out but for QoS; files want that.
   * `newest` never has a source wait: after one pair comes the newest one that
   * is complete, and those between are dropped, counted in
   * #GstStereoBase:stats and told about in QoS messages; QoS events of sinks
   * then make no difference. A camera wants that, because it goes on without
   * being waited for, and what it shows would be ever older. `auto` is `newest`
   * when the source of a view is live, and else `every`.
   */
  g_object_class_install_property (object_class, PROP_PAIRS,
      g_param_spec_enum ("pairs", "pairs",
          "Which pairs are matched when they come too fast",
          GST_TYPE_STEREO_PAIRS, DEFAULT_PAIRS, G_PARAM_READWRITE
          | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY));

  /**
   * GstStereoBase:profiling:
   *
   * Time the stages of matching, for #GstStereoBase:stats, from the next pair
   * on. That takes a little time itself.
   */
  g_object_class_install_property (object_class, PROP_PROFILING,
      g_param_spec_boolean ("profiling", "profiling",
          "Time the stages of matching, for stats", DEFAULT_PROFILING,
          playing));

  /**
   * GstStereoBase:stats:
   *
   * A structure `stereo-stats` with `paired`, `dropped-left`, `dropped-right`,
   * `qos-dropped` and `superseded` (images, and pairs that were too late or not
   * the newest, since the element started, guint64),
   * `processing-time-last` and `processing-time-mean` (of finished pairs, in
   * nanoseconds, guint64), `device-memory` (bytes held on a GPU, guint64),
   * `downloaded` (bytes of results that were copied from there, because
   * somebody mapped them, guint64), `backend` (what computes, string) and
   * `stages` (with #GstStereoBase:profiling, of the last finished pair: a
   * structure `stereo-stages` with a field for each, in their order, in
   * nanoseconds, guint64; empty else).
   */
  g_object_class_install_property (object_class, PROP_STATS,
      g_param_spec_boxed ("stats", "stats", "What happened so far",
          GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}

static void
gst_stereo_base_class_init (GstStereoBaseClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstAggregatorClass *aggregator_class = GST_AGGREGATOR_CLASS (klass);

  object_class->constructed = gst_stereo_base_constructed;
  object_class->dispose = gst_stereo_base_dispose;
  object_class->finalize = gst_stereo_base_finalize;
  object_class->set_property = gst_stereo_base_set_property;
  object_class->get_property = gst_stereo_base_get_property;

  element_class->request_new_pad = gst_stereo_base_request_new_pad;
  element_class->release_pad = gst_stereo_base_release_pad;
  element_class->change_state = gst_stereo_base_change_state;
  element_class->set_context = gst_stereo_base_set_context;

  aggregator_class->start = gst_stereo_base_start;
  aggregator_class->stop = gst_stereo_base_stop;
  aggregator_class->flush = gst_stereo_base_flush;
  aggregator_class->sink_event_pre_queue =
      gst_stereo_base_sink_event_pre_queue;
  aggregator_class->sink_query_pre_queue =
      gst_stereo_base_sink_query_pre_queue;
  aggregator_class->sink_event = gst_stereo_base_sink_event;
  aggregator_class->sink_query = gst_stereo_base_sink_query;
  aggregator_class->src_event = gst_stereo_base_src_event;
  aggregator_class->src_query = gst_stereo_base_src_query;
  aggregator_class->clip = gst_stereo_base_clip;
  aggregator_class->aggregate = gst_stereo_base_aggregate;
  aggregator_class->negotiate = gst_stereo_base_negotiate;
  aggregator_class->update_src_caps = gst_stereo_base_update_src_caps;
  aggregator_class->negotiated_src_caps = gst_stereo_base_negotiated_src_caps;
  aggregator_class->propose_allocation = gst_stereo_base_propose_allocation;
  aggregator_class->decide_allocation = gst_stereo_base_decide_allocation;
  aggregator_class->peek_next_sample = gst_stereo_base_peek_next_sample;

  gst_element_class_add_static_pad_template_with_gtype (element_class,
      &sink_left_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype (element_class,
      &sink_right_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype (element_class,
      &src_template, GST_TYPE_AGGREGATOR_PAD);

  install_properties (object_class);
  gst_type_mark_as_plugin_api (GST_TYPE_STEREO_BASE, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_STEREO_PAIRS, 0);
}
