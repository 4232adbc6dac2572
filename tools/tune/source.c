/* gst-stereomatching: where pairs of views come from
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "source.h"

#include "later.h"
#include "matchers.h"
#include "properties.h"
#include "stage.h"

#include <gst/app/app.h>
#include <gst/video/video.h>
#include <string.h>

#define DEFAULT_DURATION (GST_SECOND / 30)
#define N_STREAMS 3

static const gchar *const names[N_STREAMS] = { "left", "right", "truth" };

/* Of GObject's reference counting boxes: see stage.c. */
struct TuneSource
{
  TuneSourceCallbacks callbacks;
  gpointer data;
  const TuneOptions *options;
  GstElement *pipeline;
  GstElement *sinks[N_STREAMS]; /* the pipeline's; truth may be NULL */
  GstElement *scenes[N_STREAMS];        /* of a demo */
  GstSample *held[N_STREAMS];   /* has no partner yet */
  gint arrived;                 /* left views, atomic */
  gint taken;
  guint64 alone;                /* views without a partner */
  guint64 n_pairs;              /* since it began */
  gboolean alive, live, still, restarted, failed;
  GstClockTime duration;
};

/* ------------------------------------------------------------------- pairs */

void
tune_pair_clear (TunePair * pair)
{
  g_clear_pointer (&pair->left, gst_sample_unref);
  g_clear_pointer (&pair->right, gst_sample_unref);
  g_clear_pointer (&pair->truth, gst_sample_unref);
}

static GstSample *
stamp (GstSample * sample, GstClockTime pts, GstClockTime duration,
    gboolean discont)
{
  GstBuffer *buffer;
  GstSample *result;

  if (sample == NULL)
    return NULL;
  buffer = gst_buffer_copy (gst_sample_get_buffer (sample));
  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_DURATION (buffer) = duration;
  GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_DISCONT);
  if (discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  result = gst_sample_new (buffer, gst_sample_get_caps (sample), NULL, NULL);
  gst_buffer_unref (buffer);
  return result;
}

TunePair
tune_pair_stamp (const TunePair * pair, GstClockTime pts,
    GstClockTime duration, gboolean discont)
{
  return (TunePair) {
    .left = stamp (pair->left, pts, duration, discont),
    .right = stamp (pair->right, pts, duration, discont),
    .truth = stamp (pair->truth, pts, duration, discont),
  };
}

static void
hold (TuneSource * source, guint stream)
{
  if (source->held[stream] == NULL && source->sinks[stream] != NULL)
    source->held[stream] = tune_stage_pull (source->sinks[stream]);
  if (source->held[stream] != NULL && stream == 0)
    source->taken = g_atomic_int_get (&source->arrived);
}

static GstClockTime
time_of (GstSample * sample)
{
  return GST_BUFFER_PTS (gst_sample_get_buffer (sample));
}

/* Whether both are there, of one time; if not, leaves out the earlier one. */
static gboolean
match (TuneSource * source, guint stream)
{
  GstSample **one = &source->held[0], **other = &source->held[stream];
  GstClockTime t, u;

  if (*one == NULL || *other == NULL)
    return FALSE;
  t = time_of (*one);
  u = time_of (*other);
  if (!GST_CLOCK_TIME_IS_VALID (t) || !GST_CLOCK_TIME_IS_VALID (u)
      || ABS (GST_CLOCK_DIFF (t, u)) <= (gint64) source->duration / 2)
    return TRUE;
  g_clear_pointer (t < u ? one : other, gst_sample_unref);
  source->alone++;
  return FALSE;
}

static gboolean
at_end (TuneSource * source)
{
  for (guint i = 0; i < N_STREAMS; i++) {
    if (source->sinks[i] != NULL && source->held[i] == NULL
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
begin_again (TuneSource * source)
{
  for (guint i = 0; i < N_STREAMS; i++)
    g_clear_pointer (&source->held[i], gst_sample_unref);
  source->still = source->n_pairs == 1;
  if (source->still || source->failed)
    return;
  if (source->n_pairs == 0)
    fail (source, "there is not one pair of views in it");
  else if (!gst_element_seek_simple (source->pipeline, GST_FORMAT_TIME,
          GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_KEY_UNIT, 0))
    fail (source, "it has ended, and can't be played again");
  source->restarted = TRUE;
}

static void
learn_duration (TuneSource * source, GstSample * sample)
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
  gboolean good;

  if (source->still)
    return FALSE;
  do {
    for (guint i = 0; i < N_STREAMS; i++)
      hold (source, i);
    if (source->n_pairs == 0 && source->held[0] != NULL)
      learn_duration (source, source->held[0]);
    good = match (source, 1) && (source->sinks[2] == NULL
        || match (source, 2));
  } while (!good && source->held[0] != NULL && source->held[1] != NULL
      && (source->sinks[2] == NULL || source->held[2] != NULL));
  if (!good) {
    if (at_end (source))
      begin_again (source);
    return FALSE;
  }
  *pair = (TunePair) {
    .left = g_steal_pointer (&source->held[0]),
    .right = g_steal_pointer (&source->held[1]),
    .truth = g_steal_pointer (&source->held[2]),
  };
  *discont = source->restarted || source->n_pairs == 0;
  source->restarted = FALSE;
  source->n_pairs++;
  return TRUE;
}

/* ----------------------------------------------------------------- streams */

static gboolean
tell (gpointer data)
{
  TuneSource *source = data;

  if (source->alive)
    source->callbacks.available (source->data);
  return G_SOURCE_REMOVE;
}

static void
notice (TuneSource * source)
{
  tune_later (tell, g_atomic_rc_box_acquire (source), g_atomic_rc_box_release);
}

static GstFlowReturn
new_sample (GstAppSink * sink, gpointer data)
{
  TuneSource *source = data;

  if (GST_ELEMENT (sink) == source->sinks[0])
    g_atomic_int_inc (&source->arrived);
  notice (source);
  return GST_FLOW_OK;
}

static void
end_of_stream (GstAppSink * sink, gpointer data)
{
  (void) sink;
  notice (data);
}

/* Errors may name files, which are for the terminal only. */
static gboolean
take_message (GstBus * bus, GstMessage * message, gpointer data)
{
  TuneSource *source = data;
  GError *error = NULL;
  gchar *details = NULL;

  (void) bus;
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR && !source->failed) {
    gst_message_parse_error (message, &error, &details);
    g_printerr (TUNE_PROGRAM ": %s\n%s\n", error->message,
        details != NULL ? details : "");
    fail (source, "it can't be read or decoded; the terminal says why");
    g_clear_error (&error);
    g_free (details);
  }
  return G_SOURCE_CONTINUE;
}

/* ---------------------------------------------------------------- pipelines */

#define SCENE(VIEW) "stereotestsrc name=" VIEW "-scene pattern=corridor view=" \
    VIEW " ! video/x-raw,%s,width=480,height=360,framerate=30/1 ! "

/* What rectifies a view by a file that is set later, or nothing. */
static const gchar *
rectify (const TuneOptions * options)
{
  return options->calibration != NULL ? "stereorectify" : "identity";
}

static gchar *
describe (const TuneOptions * options)
{
  const gchar *last = rectify (options);

  switch (options->input) {
    case TUNE_FROM_FILES:
      return g_strdup_printf ("filesrc name=left-file ! decodebin ! "
          "videoconvert ! %s name=left  filesrc name=right-file ! decodebin ! "
          "videoconvert ! %s name=right", last, last);
    case TUNE_FROM_SIDE_BY_SIDE:
      return g_strdup_printf ("filesrc name=left-file ! decodebin ! "
          "videoconvert ! stereosplit name=split layout=side-by-side "
          "split.src_left ! queue ! %s name=left "
          "split.src_right ! queue ! %s name=right", last, last);
    case TUNE_FROM_PIPELINE:
      return g_strdup (options->pipeline);
    default:
      return g_strdup_printf (SCENE ("left") "identity name=left "
          SCENE ("right") "identity name=right "
          SCENE ("disparity") "identity name=truth",
          "format=RGB", "format=RGB", "format=GRAY16_LE");
  }
}

static void
set_file (GstElement * pipeline, const gchar * element, const gchar * property,
    const gchar * path)
{
  GstElement *target = gst_bin_get_by_name (GST_BIN (pipeline), element);

  if (target != NULL && path != NULL)
    g_object_set (target, property, path, NULL);
  gst_clear_object (&target);
}

/* An appsink behind a queue behind the pad src of the element of that name. */
static gboolean
add_sink (TuneSource * source, guint stream, GError ** error)
{
  GstCaps *formats = stream < 2 ? tune_matchers_caps () : NULL;
  GstAppSinkCallbacks callbacks = {.new_sample = new_sample,
    .eos = end_of_stream
  };
  GstElement *element = gst_bin_get_by_name (GST_BIN (source->pipeline),
      names[stream]);
  GstElement *queue, *sink;
  gboolean good;

  if (element == NULL) {
    gst_clear_caps (&formats);
    if (stream < 2)
      g_set_error (error, GST_PARSE_ERROR, GST_PARSE_ERROR_NO_SUCH_ELEMENT,
          "the pipeline has no element called %s", names[stream]);
    return stream == 2;
  }
  queue = gst_element_factory_make ("queue", NULL);
  sink = gst_element_factory_make ("appsink", NULL);
  g_object_set (queue, "max-size-buffers", 2, NULL);
  g_object_set (sink, "sync", FALSE, "async", FALSE, "max-buffers", 2, "caps",
      formats, "enable-last-sample", FALSE, NULL);
  gst_clear_caps (&formats);
  source->sinks[stream] = sink;
  gst_app_sink_set_callbacks (GST_APP_SINK (sink), &callbacks, source, NULL);
  gst_bin_add_many (GST_BIN (source->pipeline), queue, sink, NULL);
  good = gst_element_link_pads (element, "src", queue, "sink")
      && gst_element_link (queue, sink);
  if (!good)
    g_set_error (error, GST_PARSE_ERROR, GST_PARSE_ERROR_LINK,
        "the element called %s has no pad src that is free and gives raw video",
        names[stream]);
  gst_object_unref (element);
  return good;
}

/* A pipeline, also of a description that is one element. */
static GstElement *
parse (const gchar * text, GError ** error)
{
  GstElement *parsed = gst_parse_launch_full (text, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, error);
  GstElement *pipeline;

  if (parsed == NULL || GST_IS_PIPELINE (parsed))
    return parsed;
  pipeline = gst_pipeline_new (NULL);
  gst_bin_add (GST_BIN (pipeline), parsed);
  return pipeline;
}

static void
find_scenes (TuneSource * source)
{
  static const gchar *const scenes[N_STREAMS] = { "left-scene", "right-scene",
    "disparity-scene"
  };

  if (source->options->input != TUNE_FROM_DEMO)
    return;
  for (guint i = 0; i < N_STREAMS; i++) {
    source->scenes[i] = gst_bin_get_by_name (GST_BIN (source->pipeline),
        scenes[i]);
    gst_object_unref (source->scenes[i]);
  }
}

static void
start (TuneSource * source)
{
  GstBus *bus = gst_pipeline_get_bus (GST_PIPELINE (source->pipeline));

  gst_bus_add_watch (bus, take_message, source);
  gst_object_unref (bus);
  source->live = gst_element_set_state (source->pipeline, GST_STATE_PAUSED)
      == GST_STATE_CHANGE_NO_PREROLL;
  for (guint i = 0; source->live && i < N_STREAMS; i++) {
    if (source->sinks[i] != NULL)
      g_object_set (source->sinks[i], "drop", TRUE, NULL);
  }
  gst_element_set_state (source->pipeline, GST_STATE_PLAYING);
}

TuneSource *
tune_source_new (const TuneOptions * options,
    const TuneSourceCallbacks * callbacks, gpointer data, GError ** error)
{
  gchar *text = describe (options);
  GstElement *pipeline = parse (text, error);
  TuneSource *source;

  g_free (text);
  if (pipeline == NULL)
    return NULL;
  source = g_atomic_rc_box_new0 (TuneSource);
  source->alive = TRUE;
  source->callbacks = *callbacks;
  source->data = data;
  source->options = options;
  source->duration = DEFAULT_DURATION;
  source->pipeline = pipeline;
  for (guint i = 0; i < N_STREAMS; i++) {
    if (!add_sink (source, i, error)) {
      tune_source_free (&source);
      return NULL;
    }
  }
  if (options->input != TUNE_FROM_PIPELINE) {
    set_file (pipeline, "left-file", "location", options->left);
    set_file (pipeline, "right-file", "location", options->right);
    set_file (pipeline, "left", "calibration", options->calibration);
    set_file (pipeline, "right", "calibration", options->calibration);
  }
  find_scenes (source);
  start (source);
  return source;
}

void
tune_source_free (TuneSource ** source)
{
  TuneSource *self = *source;
  GstBus *bus;

  if (self == NULL)
    return;
  *source = NULL;
  self->alive = FALSE;
  bus = gst_pipeline_get_bus (GST_PIPELINE (self->pipeline));
  gst_bus_remove_watch (bus);
  gst_object_unref (bus);
  gst_element_set_state (self->pipeline, GST_STATE_NULL);
  for (guint i = 0; i < N_STREAMS; i++)
    g_clear_pointer (&self->held[i], gst_sample_unref);
  gst_object_unref (self->pipeline);
  g_atomic_rc_box_release (self);
}

/* ------------------------------------------------------------- what it is */

gboolean
tune_source_is_still (TuneSource * source)
{
  return source->still;
}

gboolean
tune_source_is_live (TuneSource * source)
{
  return source->live;
}

GstClockTime
tune_source_duration (TuneSource * source)
{
  return source->duration;
}

guint64
tune_source_dropped (TuneSource * source)
{
  gint missed = source->taken - (gint) source->n_pairs;

  return source->alone + (source->live && missed > 0 ? (guint64) missed : 0);
}

GstElement *
tune_source_scene (TuneSource * source)
{
  return source->scenes[0];
}

void
tune_source_follow (TuneSource * source, GParamSpec * property)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, property->value_type);
  g_object_get_property (G_OBJECT (source->scenes[0]), property->name, &value);
  for (guint i = 1; i < N_STREAMS; i++)
    g_object_set_property (G_OBJECT (source->scenes[i]), property->name,
        &value);
  g_value_unset (&value);
}

/* The file's name, as a word of a pipeline's description. */
static gchar *
name_of (const gchar * path)
{
  gchar *name = g_path_get_basename (path), *word;
  gboolean plain = TRUE;

  for (const gchar * c = name; *c != '\0'; c++)
    plain = plain && (g_ascii_isalnum (*c) || strchr ("._-+", *c) != NULL);
  word = plain ? g_strdup (name) : g_strdup_printf ("\"%s\"", name);
  g_free (name);
  return word;
}

/* What follows a view: a name for it, behind its rectification. */
static gchar *
end_of_view (const TuneOptions * options, const gchar * name)
{
  gchar *file, *text;

  if (options->calibration == NULL)
    return g_strdup_printf ("queue name=%s", name);
  file = name_of (options->calibration);
  text = g_strdup_printf ("stereorectify calibration=%s ! queue name=%s",
      file, name);
  g_free (file);
  return text;
}

static gchar *
line_of_files (const TuneOptions * options)
{
  gchar *file[2] = { name_of (options->left), options->right != NULL
        ? name_of (options->right) : NULL
  };
  gchar *end[2] = { end_of_view (options, "left"), end_of_view (options,
        "right")
  };
  gchar *text;

  if (options->input == TUNE_FROM_FILES)
    text = g_strdup_printf ("filesrc location=%s ! decodebin ! videoconvert ! "
        "%s filesrc location=%s ! decodebin ! videoconvert ! %s", file[0],
        end[0], file[1], end[1]);
  else
    text = g_strdup_printf ("filesrc location=%s ! decodebin ! videoconvert ! "
        "stereosplit name=split layout=side-by-side split.src_left ! queue ! "
        "%s split.src_right ! queue ! %s", file[0], end[0], end[1]);
  for (guint i = 0; i < 2; i++) {
    g_free (file[i]);
    g_free (end[i]);
  }
  return text;
}

gchar *
tune_source_line (TuneSource * source)
{
  const TuneOptions *options = source->options;
  gchar *set, *text;

  if (options->input == TUNE_FROM_PIPELINE)
    return g_strdup (options->pipeline);
  if (options->input != TUNE_FROM_DEMO)
    return line_of_files (options);
  set = tune_properties_text (source->scenes[0]);
  text = g_strdup_printf ("stereotestsrc%s ! video/x-raw,format=RGB,width=480,"
      "height=360,framerate=30/1 ! queue name=left "
      "stereotestsrc view=right%s ! video/x-raw,format=RGB,width=480,"
      "height=360,framerate=30/1 ! "
      "queue name=right", set, set);
  g_free (set);
  return text;
}

gchar *
tune_source_title (TuneSource * source)
{
  const TuneOptions *options = source->options;
  gchar *left, *right, *text;

  if (options->input == TUNE_FROM_DEMO)
    return g_strdup ("a rendered scene, 480 x 360");
  if (options->input == TUNE_FROM_PIPELINE)
    return g_strdup ("a pipeline");
  left = g_path_get_basename (options->left);
  right = options->right ? g_path_get_basename (options->right) : g_strdup ("");
  text = g_strdup_printf ("%s%s%s", left, right[0] != '\0' ? ", " : "", right);
  g_free (left);
  g_free (right);
  return text;
}
