/* gst-stereomatching: the source of view pairs
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "source.h"

#include "elements.h"
#include "stage.h"

#include <gst/video/video.h>
#include <string.h>

#define DEFAULT_DURATION (GST_SECOND / 30)
/* Time to decode the first frames of files; slower sources are not waited
 * for. */
#define START_TIME (10 * GST_SECOND)

static const gchar *const stream_names[TUNE_N_STREAMS] = { "left", "right",
  "truth"
};

void
tune_pair_clear (TunePair * pair)
{
  g_clear_pointer (&pair->left, gst_sample_unref);
  g_clear_pointer (&pair->right, gst_sample_unref);
  g_clear_pointer (&pair->truth, gst_sample_unref);
}

static GstSample *
stamp_sample (GstSample * sample, GstClockTime pts, GstClockTime duration,
    gboolean discont)
{
  g_autoptr (GstBuffer) buffer = NULL;

  if (sample == NULL)
    return NULL;
  buffer = gst_buffer_copy (gst_sample_get_buffer (sample));
  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_DURATION (buffer) = duration;
  GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_DISCONT);
  if (discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  return gst_sample_new (buffer, gst_sample_get_caps (sample), NULL, NULL);
}

TunePair
tune_pair_stamp (const TunePair * pair, GstClockTime pts,
    GstClockTime duration, gboolean discont)
{
  return (TunePair) {
    .left = stamp_sample (pair->left, pts, duration, discont),
    .right = stamp_sample (pair->right, pts, duration, discont),
    .truth = stamp_sample (pair->truth, pts, duration, discont),
  };
}

static void
pull_pending (TuneSource * source, guint stream)
{
  if (source->pending[stream] == NULL && source->sinks[stream] != NULL)
    source->pending[stream] = tune_stage_pull (source->sinks[stream]);
  if (source->pending[stream] != NULL && stream == 0)
    source->n_taken = source->n_arrived;
}

/* As matchers pair images: timestamps of files may begin anywhere. */
static GstClockTime
get_running_time (GstSample * sample)
{
  const GstSegment *segment = gst_sample_get_segment (sample);

  return segment->format != GST_FORMAT_TIME ? GST_CLOCK_TIME_NONE
      : gst_segment_to_running_time (segment, GST_FORMAT_TIME,
      GST_BUFFER_PTS (gst_sample_get_buffer (sample)));
}

/* Whether the left view and a stream have samples of the same time; otherwise
 * drops the earlier one. */
static gboolean
match_stream (TuneSource * source, guint stream)
{
  GstSample **one = &source->pending[0], **other = &source->pending[stream];
  GstClockTime t, u;

  if (*one == NULL || *other == NULL)
    return FALSE;
  t = get_running_time (*one);
  u = get_running_time (*other);
  if (!GST_CLOCK_TIME_IS_VALID (t) || !GST_CLOCK_TIME_IS_VALID (u)
      || ABS (GST_CLOCK_DIFF (t, u)) <= (gint64) source->duration / 2)
    return TRUE;
  g_clear_pointer (t < u ? one : other, gst_sample_unref);
  source->n_unpaired++;
  return FALSE;
}

static gboolean
is_at_end (TuneSource * source)
{
  if (source->pipeline == NULL)
    return TRUE;
  for (guint i = 0; i < TUNE_N_STREAMS; i++) {
    if (source->sinks[i] != NULL && source->pending[i] == NULL
        && gst_app_sink_is_eos (GST_APP_SINK (source->sinks[i])))
      return TRUE;
  }
  return FALSE;
}

static void
fail (TuneSource * source, const gchar * text)
{
  if (!source->failed)
    source->callbacks.failed (text, source->data);
  source->failed = TRUE;
}

static void
restart (TuneSource * source)
{
  for (guint i = 0; i < TUNE_N_STREAMS; i++)
    g_clear_pointer (&source->pending[i], gst_sample_unref);
  source->still = source->n_pairs == 1;
  if (source->still || source->failed)
    return;
  if (source->n_pairs == 0)
    fail (source, "no pair of views found");
  else if (!gst_element_seek_simple (source->pipeline, GST_FORMAT_TIME,
          GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_KEY_UNIT, 0))
    fail (source, "end of stream, and the source cannot seek");
  source->restarted = TRUE;
}

static void
set_duration (TuneSource * source, GstSample * sample)
{
  GstVideoInfo info;

  if (gst_video_info_from_caps (&info, gst_sample_get_caps (sample))
      && info.fps_n > 0 && info.fps_d > 0)
    source->duration = gst_util_uint64_scale (GST_SECOND, (guint64) info.fps_d,
        (guint64) info.fps_n);
}

gboolean
tune_source_next (TuneSource * source, TunePair * pair, gboolean * discont)
{
  GstSample **pending = source->pending;
  const gboolean has_truth = source->sinks[2] != NULL;
  gboolean good;

  if (source->still)
    return FALSE;
  do {
    for (guint i = 0; i < TUNE_N_STREAMS; i++)
      pull_pending (source, i);
    if (source->n_pairs == 0 && pending[0] != NULL)
      set_duration (source, pending[0]);
    good = match_stream (source, 1) && (!has_truth
        || match_stream (source, 2));
  } while (!good && pending[0] != NULL && pending[1] != NULL
      && (!has_truth || pending[2] != NULL));
  if (!good) {
    if (is_at_end (source))
      restart (source);
    return FALSE;
  }
  *pair = (TunePair) {
    .left = g_steal_pointer (&pending[0]),
    .right = g_steal_pointer (&pending[1]),
    .truth = g_steal_pointer (&pending[2]),
  };
  *discont = source->restarted || source->n_pairs == 0;
  source->restarted = FALSE;
  source->n_pairs++;
  return TRUE;
}

static void
post_end (GstAppSink * sink, gpointer data)
{
  tune_stage_post_sample (sink, data);
}

/* Sets PLAYING once PAUSED is reached. An appsink that is full blocks a change
 * to PLAYING, and with it the pipeline; during preroll it is never full. */
static void
play (TuneSource * source, GstStateChangeReturn paused)
{
  if (source->playing || paused == GST_STATE_CHANGE_ASYNC
      || paused == GST_STATE_CHANGE_FAILURE)
    return;
  source->playing = TRUE;
  source->live = paused == GST_STATE_CHANGE_NO_PREROLL;
  for (guint i = 0; source->live && i < TUNE_N_STREAMS; i++) {
    if (source->sinks[i] != NULL)
      g_object_set (source->sinks[i], "drop", TRUE, NULL);
  }
  gst_element_set_state (source->pipeline, GST_STATE_PLAYING);
}

/* Errors may name files: viewers must not see them. */
static gboolean
take_message (GstBus * bus, GstMessage * message, gpointer data)
{
  TuneSource *source = data;
  g_autoptr (GError) error = NULL;
  g_autofree gchar *details = NULL;

  (void) bus;
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_APPLICATION) {
    source->n_arrived += GST_MESSAGE_SRC (message)
        == GST_OBJECT (source->sinks[0]);
    source->callbacks.available (source->data);
  } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ASYNC_DONE) {
    play (source, gst_element_get_state (source->pipeline, NULL, NULL, 0));
  } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR
      && !source->failed) {
    gst_message_parse_error (message, &error, &details);
    g_printerr (TUNE_PROGRAM ": %s\n%s\n", error->message,
        details != NULL ? details : "");
    fail (source, "cannot read or decode it; see the terminal");
  }
  return G_SOURCE_CONTINUE;
}

gchar *
tune_quote_path (const gchar * path)
{
  g_autofree gchar *absolute = g_canonicalize_filename (path, NULL);
  GString *text = g_string_new (absolute);

  g_string_replace (text, "\\", "\\\\", 0);
  g_string_replace (text, "\"", "\\\"", 0);
  g_string_prepend_c (text, '"');
  g_string_append_c (text, '"');
  return g_string_free (text, FALSE);
}

/* The element called name, which is the view, at its end. */
static gchar *
describe_end (const TuneOptions * options, const gchar * name)
{
  g_autofree gchar *file = NULL;

  if (options->calibration == NULL)
    return g_strdup_printf ("identity name=%s", name);
  file = tune_quote_path (options->calibration);
  return g_strdup_printf ("stereorectify name=%s view=%s calibration=%s", name,
      name, file);
}

static gchar *
describe_files (const TuneOptions * options)
{
  g_autofree gchar *file = tune_quote_path (options->left);
  g_autofree gchar *left = describe_end (options, "left");
  g_autofree gchar *right = describe_end (options, "right");
  g_autofree gchar *other = NULL;

  if (options->input == TUNE_FROM_SIDE_BY_SIDE)
    return g_strdup_printf ("filesrc location=%s ! decodebin ! videoconvert ! "
        "stereosplit name=split layout=side-by-side split.src_left ! queue ! "
        "%s split.src_right ! queue ! %s", file, left, right);
  other = tune_quote_path (options->right);
  return g_strdup_printf ("filesrc location=%s ! decodebin ! videoconvert ! %s "
      "filesrc location=%s ! decodebin ! videoconvert ! %s", file, left, other,
      right);
}

static gchar *
describe_scene (const gchar * view, const gchar * properties,
    const gchar * format, const gchar * name)
{
  return g_strdup_printf ("stereotestsrc view=%s%s ! video/x-raw,format=%s,"
      "width=480,height=360,framerate=30/1 ! identity name=%s", view,
      properties, format, name);
}

static gchar *
describe (const TuneOptions * options, const gchar * properties)
{
  g_autofree gchar *left = NULL, *right = NULL;

  if (options->input == TUNE_FROM_PIPELINE)
    return g_strdup (options->pipeline);
  if (options->input != TUNE_FROM_DEMO)
    return describe_files (options);
  left = describe_scene ("left", properties, "RGB", "left");
  right = describe_scene ("right", properties, "RGB", "right");
  return g_strjoin (" ", left, right, NULL);
}

gchar *
tune_source_description (TuneSource * source)
{
  g_autofree gchar *properties = source->scene != NULL
      ? tune_properties_text (source->scene) : NULL;

  return describe (source->options, properties);
}

/* Links a queue and an appsink to the src pad of the element called as the
 * stream. */
static gboolean
add_sink (TuneSource * source, guint stream, GError ** error)
{
  GstAppSinkCallbacks callbacks = {.new_sample = tune_stage_post_sample,
    .eos = post_end
  };
  g_autoptr (GstElement) element = gst_bin_get_by_name
      (GST_BIN (source->pipeline), stream_names[stream]);
  g_autoptr (GstCaps) formats = NULL;
  GstElement *queue, *sink;

  if (element == NULL) {
    if (stream < 2)
      g_set_error (error, GST_PARSE_ERROR, GST_PARSE_ERROR_NO_SUCH_ELEMENT,
          "the pipeline has no element called %s", stream_names[stream]);
    return stream == 2;
  }
  queue = gst_element_factory_make ("queue", NULL);
  sink = gst_element_factory_make ("appsink", NULL);
  formats = stream < 2 ? tune_matchers_caps () : NULL;
  g_object_set (queue, "max-size-buffers", 2, NULL);
  g_object_set (sink, "sync", FALSE, "max-buffers", 2, "caps", formats,
      "enable-last-sample", FALSE, "wait-on-eos", FALSE, NULL);
  source->sinks[stream] = sink;
  gst_app_sink_set_callbacks (GST_APP_SINK (sink), &callbacks, NULL, NULL);
  gst_bin_add_many (GST_BIN (source->pipeline), queue, sink, NULL);
  if (gst_element_link_pads (element, "src", queue, "sink")
      && gst_element_link (queue, sink))
    return TRUE;
  g_set_error (error, GST_PARSE_ERROR, GST_PARSE_ERROR_LINK,
      "the element called %s has no unlinked src pad with raw video in a format"
      " that matchers accept; put videoconvert before it",
      stream_names[stream]);
  return FALSE;
}

/* Parses a description, which may be a single element. */
static GstElement *
parse_pipeline (const TuneOptions * options, GError ** error)
{
  g_autofree gchar *text = describe (options, " pattern=corridor");
  GstElement *parsed, *pipeline;

  if (options->demo) {
    g_autofree gchar *views = g_steal_pointer (&text);
    g_autofree gchar *truth = describe_scene ("disparity", " pattern=corridor",
        "GRAY16_LE", "truth");

    text = g_strjoin (" ", views, truth, NULL);
  }
  parsed = gst_parse_launch_full (text, NULL, GST_PARSE_FLAG_FATAL_ERRORS,
      error);
  if (parsed == NULL || GST_IS_PIPELINE (parsed))
    return parsed;
  pipeline = gst_pipeline_new (NULL);
  gst_bin_add (GST_BIN (pipeline), parsed);
  return pipeline;
}

/* The scene upstream of a stream of the demo, owned by the pipeline. */
static GstElement *
find_scene (TuneSource * source, guint stream)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (source->pipeline),
      stream_names[stream]);

  /* behind the caps filter of the description */
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GstPad) sink = gst_element_get_static_pad (element, "sink");
    g_autoptr (GstPad) peer = gst_pad_get_peer (sink);

    gst_object_unref (element);
    element = gst_pad_get_parent_element (peer);
  }
  gst_object_unref (element);
  return element;
}

/* The element upstream of another one, or NULL. */
static GstElement *
find_first (GstElement * element)
{
  g_autoptr (GstIterator) pads = gst_element_iterate_sink_pads (element);
  g_auto (GValue) pad = G_VALUE_INIT;
  g_autoptr (GstPad) peer = NULL;

  if (gst_iterator_next (pads, &pad) == GST_ITERATOR_OK)
    peer = gst_pad_get_peer (g_value_get_object (&pad));
  return peer != NULL && GST_IS_ELEMENT (GST_OBJECT_PARENT (peer))
      ? find_first (GST_ELEMENT (GST_OBJECT_PARENT (peer))) : element;
}

/* Whether an error of stereorectify is one of the calibration, which it
 * names. */
static gboolean
is_of_calibration (GstObject * object, const GError * error)
{
  return g_object_class_find_property (G_OBJECT_GET_CLASS (object),
      "calibration") != NULL
      && (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ)
      || g_error_matches (error, GST_RESOURCE_ERROR,
          GST_RESOURCE_ERROR_SETTINGS));
}

/* Converts an error message, and adds the name of the file that was read. */
static void
take_error (TuneSource * source, GstMessage * message, GError ** error)
{
  GstObject *object = GST_MESSAGE_SRC (message);
  g_autoptr (GError) reason = NULL;
  g_autofree gchar *details = NULL, *file = NULL;
  gchar *last;

  while (GST_OBJECT_PARENT (object) != NULL
      && GST_OBJECT_PARENT (object) != GST_OBJECT (source->pipeline))
    object = GST_OBJECT_PARENT (object);
  gst_message_parse_error (message, &reason, &details);
  if (!is_of_calibration (object, reason))
    object = GST_OBJECT (find_first (GST_ELEMENT (object)));
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (object), "location"))
    g_object_get (object, "location", &file, NULL);
  last = details != NULL ? strrchr (details, '\n') : NULL;
  g_set_error (error, reason->domain, reason->code, "%s%s%s%s",
      file != NULL ? file : "", file != NULL ? ": " : "", reason->message,
      last != NULL ? g_strdelimit (last, "\n", ' ') : "");
}

static gboolean
start (TuneSource * source, GError ** error)
{
  g_autoptr (GstBus) bus = gst_pipeline_get_bus
      (GST_PIPELINE (source->pipeline));
  g_autoptr (GstMessage) message = NULL;
  GstStateChangeReturn paused = gst_element_set_state (source->pipeline,
      GST_STATE_PAUSED);

  if (paused != GST_STATE_CHANGE_NO_PREROLL)
    message = gst_bus_timed_pop_filtered (bus, START_TIME,
        GST_MESSAGE_ERROR | GST_MESSAGE_ASYNC_DONE);
  if (message != NULL && GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    take_error (source, message, error);
    return FALSE;
  }
  if (paused == GST_STATE_CHANGE_FAILURE) {
    g_set_error_literal (error, GST_CORE_ERROR, GST_CORE_ERROR_STATE_CHANGE,
        "the source failed to start, without an error message");
    return FALSE;
  }
  gst_bus_add_watch (bus, take_message, source);
  play (source, message == NULL ? paused : GST_STATE_CHANGE_SUCCESS);
  return TRUE;
}

void
tune_source_size (TuneSource * source, guint stream, gint * width,
    gint * height)
{
  g_autoptr (GstPad) pad = source->sinks[stream] == NULL ? NULL
      : gst_element_get_static_pad (source->sinks[stream], "sink");
  g_autoptr (GstCaps) caps = pad != NULL ? gst_pad_get_current_caps (pad)
      : NULL;
  GstVideoInfo info;

  *width = *height = 0;
  if (caps != NULL && gst_video_info_from_caps (&info, caps)) {
    *width = info.width;
    *height = info.height;
  }
}

TuneSource *
tune_source_new (const TuneOptions * options,
    const TuneSourceCallbacks * callbacks, gpointer data, GError ** error)
{
  GstElement *pipeline = parse_pipeline (options, error);
  TuneSource *source;

  if (pipeline == NULL)
    return NULL;
  source = g_new0 (TuneSource, 1);
  source->callbacks = *callbacks;
  source->data = data;
  source->options = options;
  source->duration = DEFAULT_DURATION;
  source->pipeline = pipeline;
  for (guint i = 0; i < TUNE_N_STREAMS; i++) {
    if (!add_sink (source, i, error)) {
      tune_source_free (&source);
      return NULL;
    }
  }
  if (options->demo)
    source->scene = find_scene (source, 0);
  if (!start (source, error))
    tune_source_free (&source);
  return source;
}

TuneSource *
tune_source_new_still (const TuneOptions * options, GstSample * left,
    GstSample * right)
{
  TuneSource *source = g_new0 (TuneSource, 1);

  source->options = options;
  source->duration = DEFAULT_DURATION;
  source->pending[0] = left;
  source->pending[1] = right;
  return source;
}

void
tune_source_free (TuneSource ** source)
{
  TuneSource *self = g_steal_pointer (source);
  g_autoptr (GstBus) bus = NULL;

  if (self == NULL)
    return;
  if (self->pipeline != NULL) {
    bus = gst_pipeline_get_bus (GST_PIPELINE (self->pipeline));
    gst_bus_remove_watch (bus);
    gst_element_set_state (self->pipeline, GST_STATE_NULL);
    gst_object_unref (self->pipeline);
  }
  for (guint i = 0; i < TUNE_N_STREAMS; i++)
    g_clear_pointer (&self->pending[i], gst_sample_unref);
  g_free (self);
}

guint64
tune_source_dropped (TuneSource * source)
{
  const gint superseded = (gint) (source->n_taken - source->n_pairs);

  return source->n_unpaired + (source->live && superseded > 0
      ? (guint64) superseded : 0);
}

gboolean
tune_source_takes_corrections (TuneSource * source)
{
  g_autoptr (GstIterator) elements = source->pipeline == NULL ? NULL
      : gst_bin_iterate_all_by_element_factory_name
      (GST_BIN (source->pipeline), "stereorectify");
  g_auto (GValue) item = G_VALUE_INIT;
  gboolean takes;
  guint n = 0;

  while (elements != NULL
      && gst_iterator_next (elements, &item) == GST_ITERATOR_OK) {
    g_object_get (g_value_get_object (&item), "corrections", &takes, NULL);
    n += takes;
    g_value_reset (&item);
  }
  return n >= 2;
}

void
tune_source_sync_scenes (TuneSource * source, GParamSpec * property)
{
  GValue value = G_VALUE_INIT;

  tune_property_read (source->scene, property, &value);
  for (guint i = 1; i < TUNE_N_STREAMS; i++)
    g_object_set_property (G_OBJECT (find_scene (source, i)), property->name,
        &value);
  g_value_unset (&value);
}

gchar *
tune_source_title (TuneSource * source)
{
  const TuneOptions *options = source->options;
  g_autofree gchar *left = NULL, *right = NULL;

  if (options->input == TUNE_FROM_DEMO)
    return g_strdup ("a rendered scene, 480 x 360");
  if (options->input == TUNE_FROM_PIPELINE)
    return g_strdup ("a pipeline");
  left = g_path_get_basename (options->left);
  right = options->right != NULL ? g_path_get_basename (options->right) : NULL;
  return g_strjoin (", ", left, right, NULL);
}
