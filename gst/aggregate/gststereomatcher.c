/* gst-stereomatching: base class of the stereo matching elements
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "aggregate/gststereomatcher-private.h"

#include "base/gststereoallocator.h"
#include "base/gststereocuda.h"
#include "base/gststereodebug.h"
#include "base/gststereoformat.h"

#include <string.h>

#define DEFAULT_PAIRS GST_STEREO_PAIRS_AUTO
#define DEFAULT_PROFILING FALSE
#define DEFAULT_RIGHT_OFFSET 0
#define DEFAULT_ALIGNMENT GST_STEREO_ALIGNMENT_MEASURE
#define DEFAULT_ALIGNMENT_INTERVAL 10
#define DEFAULT_ALIGNMENT_FOCAL_LENGTH 0.0
/* Above the numbers of the parameters, from 1 on. */
#define PROP_WEIGHTS 1000
#define MAX_OFFSET (3600 * (gint64) GST_SECOND)

/* A matcher uses the tables of its algorithm instead. */
enum
{
  PROP_PAIRS = GST_STEREO_AGGREGATOR_PROP_TABLE,
  PROP_PROFILING,
  PROP_RIGHT_OFFSET,
  PROP_ALIGNMENT,
  PROP_ALIGNMENT_INTERVAL,
  PROP_ALIGNMENT_FOCAL_LENGTH,
  PROP_CORRECTION
};

static void gst_stereo_matcher_preset_init (GstPresetInterface * iface);

G_DEFINE_ABSTRACT_TYPE_WITH_CODE (GstStereoMatcher, gst_stereo_matcher,
    GST_TYPE_STEREO_AGGREGATOR, G_IMPLEMENT_INTERFACE (GST_TYPE_PRESET,
        gst_stereo_matcher_preset_init));

#define PARENT GST_AGGREGATOR_CLASS (gst_stereo_matcher_parent_class)

#define SINK_CAPS GST_STEREO_ANY_VIEW_CAPS (GST_STEREO_CUDA_FORMATS)

static GstStaticPadTemplate sink_left_template =
GST_STATIC_PAD_TEMPLATE ("sink_left", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (SINK_CAPS));

static GstStaticPadTemplate sink_right_template =
GST_STATIC_PAD_TEMPLATE ("sink_right", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (SINK_CAPS));

static GstStaticPadTemplate src_template =
GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (GST_STEREO_MAP_CAPS));

/* ---------------------------------------------------- start, stop and flush */

/* The next pair does not continue the last one. */
static void
reset_pairing (GstStereoMatcher * self)
{
  g_atomic_int_set (&self->reset_pending, TRUE);
  g_atomic_int_set (&self->n_unpaired, 0);
  self->disagree_since = GST_CLOCK_TIME_NONE;
}

/* Loads the file of the property weights, or else the library's network.  Posts
 * an error. */
static gboolean
load_weights (GstStereoMatcher * self)
{
  StereoMessage why = { "" };
  gchar *file, *text = NULL;
  GError *error = NULL;
  gsize length = 0;
  gboolean loaded;

  GST_OBJECT_LOCK (self);
  file = self->weights != NULL && self->weights[0] != '\0'
      ? g_strdup (self->weights) : NULL;
  GST_OBJECT_UNLOCK (self);
  loaded = file == NULL || g_file_get_contents (file, &text, &length, &error);
  if (!loaded)
    STEREO_ERROR (self, RESOURCE, OPEN_READ, ("Cannot use the weights: %s.",
            error->message), (NULL));
  else if (!(loaded = gst_stereo_params_set_weights (&self->params, text,
              length, &why)))
    STEREO_ERROR (self, RESOURCE, SETTINGS, ("Cannot use the weights: %s: %s. "
            "Set weights to a file in the format of docs/learned.md.", file,
            why.text), (NULL));
  g_clear_error (&error);
  g_free (text);
  g_free (file);
  return loaded;
}

static gboolean
gst_stereo_matcher_start (GstAggregator * aggregator)
{
  GstStereoMatcher *self = GST_STEREO_MATCHER (aggregator);

  /* before the device is opened, because a failed start has no stop */
  if (!load_weights (self))
    return FALSE;
  gst_stereo_matcher_newest_reset (self);
  reset_pairing (self);
  self->configured = FALSE;
  self->agreed = FALSE;
  self->warned_of_rates = FALSE;
  self->warned_of_cameras = FALSE;
  self->next_caps_serial = 0;
  memset (self->warned_of_fields, 0, sizeof (self->warned_of_fields));
  memset (self->warned_of_views, 0, sizeof (self->warned_of_views));
  gst_stereo_matcher_reset_diagnosis (self);
  gst_stereo_matcher_reset_alignment (self);
  GST_OBJECT_LOCK (self);
  memset (&self->differences, 0, sizeof (self->differences));
  GST_OBJECT_UNLOCK (self);
  return PARENT->start (aggregator);
}

static gboolean
gst_stereo_matcher_stop (GstAggregator * aggregator)
{
  GstStereoMatcher *self = GST_STEREO_MATCHER (aggregator);
  gboolean stopped;

  gst_stereo_matcher_newest_reset (self);
  stopped = PARENT->stop (aggregator);
  gst_stereo_pending_tags_clear (&self->tags);
  /* The device writes to its memory until then. */
  gst_stereo_matcher_reset_diagnosis (self);
  return stopped;
}

static GstFlowReturn
gst_stereo_matcher_flush (GstAggregator * aggregator)
{
  GstStereoMatcher *self = GST_STEREO_MATCHER (aggregator);

  gst_stereo_matcher_newest_flush (self);
  reset_pairing (self);
  return PARENT->flush (aggregator);
}

static gboolean
gst_stereo_matcher_sink_event (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstEvent * event)
{
  gst_stereo_matcher_newest_handle_event (GST_STEREO_MATCHER (aggregator),
      gst_stereo_aggregator_find_input (GST_PAD (pad)), event);
  return PARENT->sink_event (aggregator, pad, event);
}

/* --------------------------------------------------------- pads and samples */

static GstPad *
gst_stereo_matcher_request_new_pad (GstElement * element,
    GstPadTemplate * pad_template, const gchar * name, const GstCaps * caps)
{
  const gchar *pad_name;
  StereoResult result;
  GstPad *pad;

  if (!gst_stereo_result_of_template (pad_template, &result))
    return NULL;
  pad_name = gst_stereo_result_pad_name (result);
  pad = gst_stereo_aggregator_add_result_pad (GST_STEREO_AGGREGATOR (element),
      GST_TYPE_STEREO_RESULT_PAD, pad_template, pad_name);
  if (pad == NULL)
    GST_WARNING_OBJECT (element, "it already has a pad %s", pad_name);
  return pad;
}

static GstBuffer *
gst_stereo_matcher_clip (GstAggregator * aggregator, GstAggregatorPad * pad,
    GstBuffer * buffer)
{
  return gst_stereo_input_clip (&pad->segment, buffer, TRUE);
}

/* --------------------------------------------------------------- properties */

/* A field for each stage.  With the object lock held. */
static GstStructure *
make_stages (StereoRunner * runner)
{
  GstStructure *stages = gst_structure_new_empty ("stereo-stages");
  const char *name;
  uint64_t ns;

  for (gsize i = 0; runner != NULL
      && stereo_runner_get_stage (runner, i, &name, &ns); i++) {
    gchar *field = g_strdelimit (g_strdup (name), " ", '-');

    gst_structure_set (stages, field, G_TYPE_UINT64, (guint64) ns, NULL);
    g_free (field);
  }
  return stages;
}

static GstStructure *
gst_stereo_matcher_get_stats (GstStereoAggregator * self)
{
  GstStereoDifferences *differences = &GST_STEREO_MATCHER (self)->differences;
  guint64 deviation;
  gint64 mean;
  GstStructure *stages, *result;
  GstStructure *alignment;
  GstStereoCounters counters;
  StereoMatcherStats stats;
  guint64 downloaded = 0;
  const gchar *backend;

  GST_OBJECT_LOCK (self);
  counters = self->counters;
  mean = gst_stereo_differences_mean (differences);
  deviation = gst_stereo_differences_deviation (differences);
  backend = gst_stereo_run_get_stats (&self->run, &stats);
  stages = make_stages (self->run.runner[0]);
  alignment = gst_stereo_matcher_get_alignment_stats (GST_STEREO_MATCHER
      (self));
  if (self->device.allocator != NULL)
    downloaded = gst_stereo_allocator_get_downloaded (self->device.allocator);
  GST_OBJECT_UNLOCK (self);
  result = gst_structure_new ("stereo-stats",
      "paired", G_TYPE_UINT64, counters.processed,
      "dropped-left", G_TYPE_UINT64, counters.dropped[GST_STEREO_LEFT],
      "dropped-right", G_TYPE_UINT64, counters.dropped[GST_STEREO_RIGHT],
      "qos-dropped", G_TYPE_UINT64, counters.qos_dropped,
      "superseded", G_TYPE_UINT64, counters.superseded,
      "time-difference-mean", G_TYPE_INT64, mean,
      "time-difference-deviation", G_TYPE_UINT64, deviation,
      "processing-time-last", G_TYPE_UINT64, (guint64) stats.last_ns,
      "processing-time-mean", G_TYPE_UINT64,
      (guint64) (stats.frames > 0 ? stats.total_ns / stats.frames : 0),
      "device-memory", G_TYPE_UINT64, (guint64) stats.device_bytes,
      "downloaded", G_TYPE_UINT64, downloaded,
      "backend", G_TYPE_STRING, backend,
      "stages", GST_TYPE_STRUCTURE, stages,
      "alignment", GST_TYPE_STRUCTURE, alignment, NULL);
  gst_structure_free (stages);
  gst_structure_free (alignment);
  return result;
}

/* With the object lock held. */
static void
set_alignment_property (GstStereoAlignment * alignment, guint id,
    const GValue * value)
{
  switch (id) {
    case PROP_ALIGNMENT:
      alignment->mode = (GstStereoAlignmentMode) g_value_get_enum (value);
      alignment->retry_pending = TRUE;
      break;
    case PROP_ALIGNMENT_INTERVAL:
      alignment->interval = g_value_get_uint (value);
      break;
    default:
      alignment->focal_length = g_value_get_double (value);
      break;
  }
}

static void
gst_stereo_matcher_set_property (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec)
{
  GstStereoMatcher *self = GST_STEREO_MATCHER (object);

  if (id < PROP_PAIRS) {
    gst_stereo_aggregator_set_property (object, id, value, pspec);
    return;
  }
  if (id == PROP_CORRECTION) {
    gst_stereo_matcher_set_correction (self, g_value_get_string (value));
    return;
  }
  GST_OBJECT_LOCK (self);
  if (id == PROP_PAIRS)
    self->pairs = (GstStereoPairs) g_value_get_enum (value);
  else if (id == PROP_PROFILING)
    self->profiling = g_value_get_boolean (value);
  else if (id != PROP_RIGHT_OFFSET)
    set_alignment_property (&self->alignment, id, value);
  else if (self->right_offset != g_value_get_int64 (value)) {
    self->right_offset = g_value_get_int64 (value);
    /* Other images are paired from now on. */
    memset (&self->differences, 0, sizeof (self->differences));
  }
  GST_OBJECT_UNLOCK (self);
  if (id == PROP_RIGHT_OFFSET)
    gst_stereo_matcher_update_latency (self);
}

static void
gst_stereo_matcher_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstStereoMatcher *self = GST_STEREO_MATCHER (object);

  if (id < PROP_PAIRS) {
    gst_stereo_aggregator_get_property (object, id, value, pspec);
    return;
  }
  if (id == PROP_CORRECTION) {
    g_value_take_string (value, gst_stereo_matcher_dup_correction (self));
    return;
  }
  GST_OBJECT_LOCK (self);
  if (id == PROP_PAIRS)
    g_value_set_enum (value, self->pairs);
  else if (id == PROP_PROFILING)
    g_value_set_boolean (value, self->profiling);
  else if (id == PROP_RIGHT_OFFSET)
    g_value_set_int64 (value, self->right_offset);
  else if (id == PROP_ALIGNMENT)
    g_value_set_enum (value, self->alignment.mode);
  else if (id == PROP_ALIGNMENT_INTERVAL)
    g_value_set_uint (value, self->alignment.interval);
  else
    g_value_set_double (value, self->alignment.focal_length);
  GST_OBJECT_UNLOCK (self);
}

/* The properties of a subclass are the algorithm's parameters, and weights. */
static void
gst_stereo_matcher_set_param (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  GstStereoMatcher *self = GST_STEREO_MATCHER (object);

  if (id != PROP_WEIGHTS) {
    gst_stereo_params_set_property (&self->params, id, value);
    return;
  }
  GST_OBJECT_LOCK (self);
  g_free (self->weights);
  self->weights = g_value_dup_string (value);
  GST_OBJECT_UNLOCK (self);
}

static void
gst_stereo_matcher_get_param (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstStereoMatcher *self = GST_STEREO_MATCHER (object);

  if (id != PROP_WEIGHTS) {
    gst_stereo_params_get_property (&self->params, id, value);
    return;
  }
  GST_OBJECT_LOCK (self);
  g_value_set_string (value, self->weights);
  GST_OBJECT_UNLOCK (self);
}

/* Whether the algorithm has the parameter cost. */
static gboolean
has_cost (const StereoAlgorithm * algorithm)
{
  const StereoParamSpec *spec;

  for (guint i = 0; (spec = stereo_algorithm_param (algorithm, i)); i++) {
    if (strcmp (spec->name, "cost") == 0)
      return TRUE;
  }
  return FALSE;
}

void
gst_stereo_matcher_class_set_algorithm (GstStereoMatcherClass * klass,
    const gchar * name)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  klass->algorithm = stereo_algorithm_find (name);
  g_assert (klass->algorithm != NULL);
  object_class->set_property = gst_stereo_matcher_set_param;
  object_class->get_property = gst_stereo_matcher_get_param;
  gst_stereo_params_install_properties (object_class, klass->algorithm);
  /**
   * GstStereoMatcher:weights:
   *
   * Name of a text file with the network of `cost=learned`, which replaces the
   * built-in one. It is read when the element starts, whatever the cost is.
   * docs/learned.md describes the format.
   */
  if (has_cost (klass->algorithm))
    g_object_class_install_property (object_class, PROP_WEIGHTS,
        g_param_spec_string ("weights", "weights",
            "File with the network of cost=learned (NULL = the built-in one)",
            NULL, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
            | GST_PARAM_MUTABLE_READY));
  for (guint r = 0; r < STEREO_N_RESULTS; r++) {
    if (gst_stereo_result_pad_name ((StereoResult) r) != NULL
        && stereo_algorithm_has_result (klass->algorithm, (StereoResult) r))
      gst_element_class_add_pad_template (GST_ELEMENT_CLASS (klass),
          gst_stereo_result_pad_template ((StereoResult) r));
  }
}

/* ----------------------------------------------------------------- presets */

/* Parameters that describe the scene and the output. */
static const gchar *const not_in_presets[] = { "num-disparities",
  "min-disparity", "disparity-scale", "invalid-value", "min-confidence", NULL
};

/* Presets contain parameters of the algorithm, but none of the camera, the
 * codes or the machine. */
static gchar **
gst_stereo_matcher_get_preset_properties (GstPreset * preset)
{
  const StereoAlgorithm *algorithm =
      GST_STEREO_MATCHER_GET_CLASS (preset)->algorithm;
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
gst_stereo_matcher_preset_init (GstPresetInterface * iface)
{
  iface->get_property_names = gst_stereo_matcher_get_preset_properties;
}

/* ------------------------------------------------------------------- class */

static void
gst_stereo_matcher_constructed (GObject * object)
{
  GstStereoMatcher *self = GST_STEREO_MATCHER (object);

  G_OBJECT_CLASS (gst_stereo_matcher_parent_class)->constructed (object);
  gst_stereo_params_init (&self->params, GST_ELEMENT_CAST (self),
      GST_STEREO_MATCHER_GET_CLASS (self)->algorithm);
  gst_stereo_matcher_add_caps_probes (self);
  gst_pad_add_probe (GST_AGGREGATOR_SRC_PAD (self), GST_PAD_PROBE_TYPE_BUFFER,
      gst_stereo_matcher_send_tags, self, NULL);
}

static void
gst_stereo_matcher_finalize (GObject * object)
{
  gst_stereo_params_clear (&GST_STEREO_MATCHER (object)->params);
  g_free (GST_STEREO_MATCHER (object)->weights);
  gst_stereo_matcher_newest_finalize (GST_STEREO_MATCHER (object));
  gst_stereo_matcher_finalize_alignment (GST_STEREO_MATCHER (object));
  G_OBJECT_CLASS (gst_stereo_matcher_parent_class)->finalize (object);
}

static void
gst_stereo_matcher_init (GstStereoMatcher * self)
{
  gst_stereo_aggregator_init_run (&self->parent,
      &gst_stereo_matcher_run_funcs, GST_STEREO_BACKEND_AUTO);
  self->pairs = DEFAULT_PAIRS;
  self->profiling = DEFAULT_PROFILING;
  self->right_offset = DEFAULT_RIGHT_OFFSET;
  self->alignment.mode = DEFAULT_ALIGNMENT;
  self->alignment.interval = DEFAULT_ALIGNMENT_INTERVAL;
  self->alignment.focal_length = DEFAULT_ALIGNMENT_FOCAL_LENGTH;
  gst_stereo_matcher_newest_init (self);
  gst_stereo_matcher_init_alignment (self);
}

/* Properties of all matchers, besides their parameters. */
static void
install_properties (GstStereoMatcherClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstStereoAggregatorClass *base_class = GST_STEREO_AGGREGATOR_CLASS (klass);

  gst_stereo_aggregator_install_properties (base_class,
      GST_STEREO_BACKEND_AUTO, NULL, NULL, 0);
  object_class->set_property = gst_stereo_matcher_set_property;
  object_class->get_property = gst_stereo_matcher_get_property;
  gst_stereo_aggregator_install_qos (base_class,
      "Skip pairs that would arrive too late downstream");

  /**
   * GstStereoMatcher:pairs:
   *
   * Pair selection when input outpaces matching.  `every` blocks upstream and
   * skips pairs only for QoS; use it for files.  `newest` never blocks
   * upstream: after one pair, the newest complete one is matched.  Older ones
   * are dropped, counted in #GstStereoMatcher:stats and reported by QoS
   * messages; QoS events of sinks have no effect.  Use it for cameras, which do
   * not wait, so that queued images would become older and older.  `auto` is
   * `newest` if the sources of both views are live, otherwise `every`.
   */
  g_object_class_install_property (object_class, PROP_PAIRS,
      g_param_spec_enum ("pairs", "pairs",
          "Pair selection when input outpaces matching: every = block "
          "upstream, newest = drop older pairs, auto = newest for live "
          "sources", GST_TYPE_STEREO_PAIRS, DEFAULT_PAIRS, G_PARAM_READWRITE
          | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY));

  /**
   * GstStereoMatcher:profiling:
   *
   * Collect per-stage timings in #GstStereoMatcher:stats, from the next pair
   * on. This takes a little time itself.
   */
  g_object_class_install_property (object_class, PROP_PROFILING,
      g_param_spec_boolean ("profiling", "profiling",
          "Collect per-stage timings in stats", DEFAULT_PROFILING,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
          | GST_PARAM_MUTABLE_PLAYING));

  /**
   * GstStereoMatcher:right-offset:
   *
   * Offset added to the running time of the right view for pairing, at normal
   * speed; with another rate it is scaled as timestamps are. If the
   * timestamps of the right camera are late by a constant time, set it to minus
   * that time; if those of the left camera are late, to that time. Maps have
   * the timestamps of the left view in any case. A negative offset adds to the
   * latency, because a left image waits for its partner.
   */
  g_object_class_install_property (object_class, PROP_RIGHT_OFFSET,
      g_param_spec_int64 ("right-offset", "right-offset",
          "Offset added to the timestamps of the right view for pairing, in "
          "nanoseconds", -MAX_OFFSET, MAX_OFFSET, DEFAULT_RIGHT_OFFSET,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
          | GST_PARAM_MUTABLE_PLAYING));

  /**
   * GstStereoMatcher:stats:
   *
   * A structure `stereo-stats` with `paired`, `dropped-left`, `dropped-right`,
   * `qos-dropped` and `superseded` (images, and pairs that were too late or not
   * the newest, since the element started, guint64), `time-difference-mean` and
   * `time-difference-deviation` (mean and standard deviation of the running
   * time of the right image of a pair minus that of the left one, at normal
   * speed, without #GstStereoMatcher:right-offset and since its last change, in
   * nanoseconds, gint64 and guint64),
   * `processing-time-last` and `processing-time-mean` (of finished pairs, in
   * nanoseconds, guint64), `device-memory` (bytes allocated on a GPU, guint64),
   * `downloaded` (bytes of results copied from the GPU because they were
   * mapped, guint64), `backend` (the compute backend, string) and `stages`
   * (with #GstStereoMatcher:profiling, of the last finished pair: a structure
   * `stereo-stages` with a field for each stage, in order, in nanoseconds,
   * guint64; otherwise empty) and `alignment` (the last measurement, a
   * structure `stereo-alignment` as in the message of that name).
   */
  gst_stereo_aggregator_install_stats (base_class);
}

static void
install_alignment (GstStereoMatcherClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_PLAYING;

  /**
   * GstStereoMatcher:alignment:
   *
   * Matchers search along rows, so a point has to be on the same row of both
   * views.  This is measured in views of at least 64 pixels in both directions
   * (docs/alignment-pipelines.md).  Results are in messages `stereo-alignment`
   * and in #GstStereoMatcher:stats.  Three measurements in a row with the same
   * status, neither `ok` nor `unknown`, cause a warning.  With `correct`,
   * corrections are sent upstream to the stereorectify elements of both views.
   */
  g_object_class_install_property (object_class, PROP_ALIGNMENT,
      g_param_spec_enum ("alignment", "alignment",
          "Alignment of the views: off, measure and warn, or correct with "
          "stereorectify", GST_TYPE_STEREO_ALIGNMENT_MODE, DEFAULT_ALIGNMENT,
          flags));

  /**
   * GstStereoMatcher:alignment-interval:
   *
   * One pair in this number is measured; every pair while the result is in
   * doubt: the first three, and after a sudden change.
   */
  g_object_class_install_property (object_class, PROP_ALIGNMENT_INTERVAL,
      g_param_spec_uint ("alignment-interval", "alignment-interval",
          "Measure the alignment of every Nth pair", 1, 1000000,
          DEFAULT_ALIGNMENT_INTERVAL, flags));

  g_object_class_install_property (object_class, PROP_ALIGNMENT_FOCAL_LENGTH,
      g_param_spec_double ("alignment-focal-length", "alignment-focal-length",
          "Focal length of the views, in pixels (0 = from metadata, otherwise "
          "0.9 widths)", 0, 1e6, DEFAULT_ALIGNMENT_FOCAL_LENGTH, flags));

  /**
   * GstStereoMatcher:correction:
   *
   * The correction that the measured pairs ask for, as text; empty if none.  A
   * program can save it, and set it before the next start.  It is used with
   * #GstStereoMatcher:alignment=correct and views of the same size.  An empty
   * text resets it.
   */
  g_object_class_install_property (object_class, PROP_CORRECTION,
      g_param_spec_string ("correction", "correction",
          "Measured correction of the views, to save and restore", "",
          flags));

  /**
   * GstStereoMatcher::reset-alignment:
   *
   * Forgets all measured pairs and the correction: for cameras that were
   * replaced or calibrated.
   */
  g_signal_new_class_handler ("reset-alignment",
      G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      G_CALLBACK (gst_stereo_matcher_forget_alignment), NULL, NULL, NULL,
      G_TYPE_NONE, 0);
}

static void
gst_stereo_matcher_class_init (GstStereoMatcherClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstAggregatorClass *aggregator_class = GST_AGGREGATOR_CLASS (klass);
  GstStereoAggregatorClass *base_class = GST_STEREO_AGGREGATOR_CLASS (klass);

  object_class->constructed = gst_stereo_matcher_constructed;
  object_class->finalize = gst_stereo_matcher_finalize;
  element_class->request_new_pad = gst_stereo_matcher_request_new_pad;

  aggregator_class->start = gst_stereo_matcher_start;
  aggregator_class->stop = gst_stereo_matcher_stop;
  aggregator_class->flush = gst_stereo_matcher_flush;
  aggregator_class->sink_event = gst_stereo_matcher_sink_event;
  aggregator_class->clip = gst_stereo_matcher_clip;
  aggregator_class->negotiate = gst_stereo_matcher_negotiate;
  aggregator_class->update_src_caps = gst_stereo_matcher_update_src_caps;
  aggregator_class->negotiated_src_caps
      = gst_stereo_matcher_negotiated_src_caps;
  aggregator_class->decide_allocation
      = gst_stereo_aggregator_decide_allocation;

  base_class->leader = GST_STEREO_LEFT;
  base_class->get_sink_caps = gst_stereo_matcher_get_sink_caps;
  base_class->set_caps = gst_stereo_matcher_set_caps;
  base_class->take_buffer = gst_stereo_matcher_newest_take_buffer;
  base_class->take_event = gst_stereo_matcher_newest_take_event;
  base_class->skip_gap = gst_stereo_matcher_newest_skip_gap;
  base_class->has_image = gst_stereo_matcher_newest_has_image;
  base_class->ignores_qos = gst_stereo_matcher_newest_ignores_qos;
  base_class->process = gst_stereo_matcher_process;
  base_class->get_result_caps = gst_stereo_matcher_get_result_caps;
  base_class->post_downstream_error
      = gst_stereo_matcher_post_downstream_error;
  base_class->describe = gst_stereo_matcher_describe;
  base_class->get_stats = gst_stereo_matcher_get_stats;

  gst_element_class_add_static_pad_template_with_gtype (element_class,
      &sink_left_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype (element_class,
      &sink_right_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype (element_class,
      &src_template, GST_TYPE_AGGREGATOR_PAD);

  install_properties (klass);
  install_alignment (klass);
  gst_type_mark_as_plugin_api (GST_TYPE_STEREO_MATCHER, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_STEREO_PAIRS, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_STEREO_ALIGNMENT_MODE, 0);
}
