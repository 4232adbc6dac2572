/* gst-stereomatching: an element that a program feeds
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "stage.h"

#include "later.h"

#include <gst/app/app.h>
#include <string.h>

/* Of GObject's reference counting boxes: what an appsink's thread still has to
 * say may come when the stage is gone. */
struct TuneStage
{
  TuneStageCallbacks callbacks;
  gpointer data;
  gboolean alive;
  GstElement *pipeline;
  GstElement *element;          /* the pipeline's */
  guint n_inputs;
  guint n_outputs;
  GstElement *inputs[TUNE_STAGE_PADS];  /* the pipeline's, like outputs, */
  GstElement *outputs[TUNE_STAGE_PADS]; /* which are NULL where left out */
  GstSample *results[TUNE_STAGE_PADS];  /* of the job, so far */
  gboolean busy;
  gboolean failed;
  GstClockTime pts;             /* of the job */
  gint64 begun;                 /* monotonic, in microseconds */
  gdouble time;                 /* milliseconds */
  gchar *device;
};

/* A sample on its way from an appsink's thread to the main context. */
typedef struct
{
  TuneStage *stage;
  guint output;
  GstSample *sample;
} Arrival;

/* -------------------------------------------------------------------- jobs */

static void
forget_results (TuneStage * stage)
{
  for (guint i = 0; i < TUNE_STAGE_PADS; i++)
    g_clear_pointer (&stage->results[i], gst_sample_unref);
}

static void
end_job (TuneStage * stage, gboolean good)
{
  GstSample *results[TUNE_STAGE_PADS];

  if (!stage->busy)
    return;
  stage->busy = FALSE;
  stage->time = (gdouble) (g_get_monotonic_time () - stage->begun) / 1000;
  memcpy (results, stage->results, sizeof (results));
  memset (stage->results, 0, sizeof (stage->results));
  if (stage->callbacks.done != NULL)
    stage->callbacks.done (stage, good ? results : NULL, stage->data);
  for (guint i = 0; i < TUNE_STAGE_PADS; i++)
    g_clear_pointer (&results[i], gst_sample_unref);
}

static void
take_result (TuneStage * stage, guint output, GstSample * sample)
{
  gboolean all = TRUE;

  if (!stage->alive || !stage->busy
      || GST_BUFFER_PTS (gst_sample_get_buffer (sample)) != stage->pts)
    return;
  g_clear_pointer (&stage->results[output], gst_sample_unref);
  stage->results[output] = gst_sample_ref (sample);
  for (guint i = 0; i < stage->n_outputs; i++)
    all = all && (stage->outputs[i] == NULL || stage->results[i] != NULL);
  if (all)
    end_job (stage, TRUE);
}

static void
clear_stage (gpointer data)
{
  TuneStage *stage = data;

  g_free (stage->device);
}

static gboolean
deliver (gpointer data)
{
  Arrival *arrival = data;

  take_result (arrival->stage, arrival->output, arrival->sample);
  return G_SOURCE_REMOVE;
}

static void
free_arrival (gpointer data)
{
  Arrival *arrival = data;

  gst_sample_unref (arrival->sample);
  g_atomic_rc_box_release_full (arrival->stage, clear_stage);
  g_free (arrival);
}

GstSample *
tune_stage_pull (GstElement * appsink)
{
  GstSample *theirs = gst_app_sink_try_pull_sample (GST_APP_SINK (appsink), 0);
  GstSample *ours = NULL;

  if (theirs != NULL) {
    ours = gst_sample_new (gst_sample_get_buffer (theirs),
        gst_sample_get_caps (theirs), NULL, NULL);
    gst_sample_unref (theirs);
  }
  return ours;
}

static GstFlowReturn
new_sample (GstAppSink * sink, gpointer data)
{
  TuneStage *stage = data;
  GstSample *sample = tune_stage_pull (GST_ELEMENT (sink));
  Arrival *arrival;

  if (sample == NULL)
    return GST_FLOW_OK;
  arrival = g_new (Arrival, 1);
  arrival->stage = g_atomic_rc_box_acquire (stage);
  arrival->sample = sample;
  arrival->output =
      GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (sink), "output"));
  tune_later (deliver, arrival, free_arrival);
  return GST_FLOW_OK;
}

void
tune_stage_push (TuneStage * stage, GstSample * const *inputs)
{
  g_return_if_fail (!stage->busy);
  stage->busy = TRUE;
  stage->begun = g_get_monotonic_time ();
  stage->pts = GST_BUFFER_PTS (gst_sample_get_buffer (inputs[0]));
  for (guint i = 0; i < stage->n_inputs; i++)
    gst_app_src_push_sample (GST_APP_SRC (stage->inputs[i]), inputs[i]);
  if (stage->failed)
    end_job (stage, FALSE);
}

/* ---------------------------------------------------------------- messages */

static void
say (TuneStage * stage, TuneLevel level, const GError * error)
{
  if (stage->callbacks.said != NULL)
    stage->callbacks.said (stage, level, error->message, stage->data);
}

/* Why it is no other device, which is told behind a semicolon, is left out. */
static void
learn_device (TuneStage * stage, const gchar * text)
{
  static const gchar begin[] = "Computing on ";

  if (!g_str_has_prefix (text, begin))
    return;
  text += strlen (begin);
  g_free (stage->device);
  stage->device = g_strndup (text, strcspn (text, ";"));
}

static gboolean
take_message (GstBus * bus, GstMessage * message, gpointer data)
{
  TuneStage *stage = data;
  GError *error = NULL;

  (void) bus;
  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ERROR:
      gst_message_parse_error (message, &error, NULL);
      if (!stage->failed)
        say (stage, TUNE_ERROR, error);
      stage->failed = TRUE;
      end_job (stage, FALSE);
      break;
    case GST_MESSAGE_WARNING:
      gst_message_parse_warning (message, &error, NULL);
      say (stage, TUNE_WARNING, error);
      break;
    case GST_MESSAGE_INFO:
      gst_message_parse_info (message, &error, NULL);
      learn_device (stage, error->message);
      break;
    default:
      break;
  }
  g_clear_error (&error);
  return G_SOURCE_CONTINUE;
}

/* ------------------------------------------------------------ around it all */

/* The static or requested pad of that name, or NULL. */
static GstPad *
get_pad (GstElement * element, const gchar * name)
{
  GstPad *pad = gst_element_get_static_pad (element, name);

  if (pad == NULL && gst_element_class_get_pad_template
      (GST_ELEMENT_GET_CLASS (element), name) != NULL)
    pad = gst_element_request_pad_simple (element, name);
  return pad;
}

static void
link_pads (GstPad * from, GstPad * to)
{
  if (gst_pad_link (from, to) != GST_PAD_LINK_OK)
    g_error ("%s and %s can't be linked", GST_PAD_NAME (from),
        GST_PAD_NAME (to));
}

static void
add_input (TuneStage * stage, GstPad * pad)
{
  GstElement *source = gst_element_factory_make ("appsrc", NULL);
  GstPad *from = gst_element_get_static_pad (source, "src");

  g_object_set (source, "format", GST_FORMAT_TIME, NULL);
  gst_bin_add (GST_BIN (stage->pipeline), source);
  link_pads (from, pad);
  gst_object_unref (from);
  stage->inputs[stage->n_inputs++] = source;
}

static void
add_output (TuneStage * stage, GstPad * pad, const gchar * formats)
{
  GstAppSinkCallbacks callbacks = {.new_sample = new_sample };
  GstElement *sink = gst_element_factory_make ("appsink", NULL);
  GstPad *to = gst_element_get_static_pad (sink, "sink");

  g_object_set (sink, "sync", FALSE, "async", FALSE, "enable-last-sample",
      FALSE, NULL);
  if (formats != NULL) {
    gchar *text = g_strdup_printf ("video/x-raw, format=%s", formats);
    GstCaps *caps = gst_caps_from_string (text);

    g_object_set (sink, "caps", caps, NULL);
    gst_caps_unref (caps);
    g_free (text);
  }
  g_object_set_data (G_OBJECT (sink), "output",
      GUINT_TO_POINTER (stage->n_outputs));
  gst_app_sink_set_callbacks (GST_APP_SINK (sink), &callbacks, stage, NULL);
  gst_bin_add (GST_BIN (stage->pipeline), sink);
  link_pads (pad, to);
  gst_object_unref (to);
  stage->outputs[stage->n_outputs] = sink;
}

TuneStage *
tune_stage_new (GstElement * element, const gchar * const *inputs,
    const gchar * const *outputs, const gchar * const *formats,
    const TuneStageCallbacks * callbacks, gpointer data)
{
  TuneStage *stage = g_atomic_rc_box_new0 (TuneStage);
  GstBus *bus;
  GstPad *pad;

  stage->alive = TRUE;
  stage->callbacks = *callbacks;
  stage->data = data;
  stage->device = g_strdup ("");
  stage->pipeline = gst_pipeline_new (NULL);
  stage->element = element;
  gst_bin_add (GST_BIN (stage->pipeline), element);
  for (guint i = 0; inputs[i] != NULL; i++) {
    if ((pad = get_pad (element, inputs[i])) != NULL)
      add_input (stage, pad);
    gst_clear_object (&pad);
  }
  for (guint i = 0; outputs[i] != NULL; i++) {
    if ((pad = get_pad (element, outputs[i])) != NULL)
      add_output (stage, pad, formats != NULL ? formats[i] : NULL);
    gst_clear_object (&pad);
    stage->n_outputs++;
  }
  bus = gst_pipeline_get_bus (GST_PIPELINE (stage->pipeline));
  gst_bus_add_watch (bus, take_message, stage);
  gst_object_unref (bus);
  tune_stage_start (stage);
  return stage;
}

void
tune_stage_free (TuneStage ** stage)
{
  TuneStage *self = *stage;
  GstBus *bus;

  if (self == NULL)
    return;
  *stage = NULL;
  self->alive = FALSE;
  bus = gst_pipeline_get_bus (GST_PIPELINE (self->pipeline));
  gst_bus_remove_watch (bus);
  gst_object_unref (bus);
  gst_element_set_state (self->pipeline, GST_STATE_NULL);
  gst_object_unref (self->pipeline);
  forget_results (self);
  g_atomic_rc_box_release_full (self, clear_stage);
}

void
tune_stage_stop (TuneStage * stage)
{
  gst_element_set_state (stage->pipeline, GST_STATE_NULL);
  forget_results (stage);
  end_job (stage, FALSE);
}

void
tune_stage_start (TuneStage * stage)
{
  stage->failed = FALSE;
  gst_element_set_state (stage->pipeline, GST_STATE_PLAYING);
}

GstElement *
tune_stage_element (TuneStage * stage)
{
  return stage->element;
}

gboolean
tune_stage_busy (TuneStage * stage)
{
  return stage->busy;
}

gboolean
tune_stage_has_output (TuneStage * stage, guint output)
{
  return output < stage->n_outputs && stage->outputs[output] != NULL;
}

gboolean
tune_stage_failed (TuneStage * stage)
{
  return stage->failed;
}

gdouble
tune_stage_time (TuneStage * stage)
{
  return stage->time;
}

const gchar *
tune_stage_device (TuneStage * stage)
{
  return stage->device;
}
