/* gst-stereomatching: an element fed by the program
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "stage.h"

#include <string.h>
#include <unistd.h>

/* File descriptors that a stage may need. */
#define N_DESCRIPTORS 16

static void
clear_samples (GstSample ** samples)
{
  for (guint i = 0; i < TUNE_STAGE_PADS; i++)
    g_clear_pointer (&samples[i], gst_sample_unref);
}

static void
end_job (TuneStage * stage, gboolean good)
{
  GstSample *results[TUNE_STAGE_PADS];

  if (!stage->busy)
    return;
  stage->busy = FALSE;
  stage->time = (gdouble) (g_get_monotonic_time () - stage->start) / 1000;
  memcpy (results, stage->results, sizeof (results));
  memset (stage->results, 0, sizeof (stage->results));
  stage->callbacks.done (stage, good ? results : NULL, stage->data);
  clear_samples (results);
}

static void
take_result (TuneStage * stage, GstElement * sink)
{
  GstSample *sample = tune_stage_pull (sink);
  gboolean complete = TRUE;

  if (sample == NULL || !stage->busy
      || GST_BUFFER_PTS (gst_sample_get_buffer (sample)) != stage->pts) {
    g_clear_pointer (&sample, gst_sample_unref);
    return;
  }
  for (guint i = 0; i < stage->n_outputs; i++) {
    if (stage->outputs[i] == sink) {
      g_clear_pointer (&stage->results[i], gst_sample_unref);
      stage->results[i] = sample;
    }
    complete = complete && (stage->outputs[i] == NULL
        || stage->results[i] != NULL);
  }
  if (complete)
    end_job (stage, TRUE);
}

/* A filter has passed its image on. */
static void
take_filtered (TuneStage * stage, GstMessage * message)
{
  g_autoptr (GstSample) sample = NULL;

  gst_structure_get (gst_message_get_structure (message), "sample",
      GST_TYPE_SAMPLE, &sample, NULL);
  for (guint i = 0; stage->busy && i < stage->n_inputs; i++) {
    if (GST_OBJECT (stage->filters[i]) == GST_MESSAGE_SRC (message)
        && GST_BUFFER_PTS (gst_sample_get_buffer (sample)) == stage->pts) {
      g_clear_pointer (&stage->filtered[i], gst_sample_unref);
      stage->filtered[i] = g_steal_pointer (&sample);
      return;
    }
  }
}

/* Streaming thread: the message arrives before the result of this image. */
static GstPadProbeReturn
post_filtered (GstPad * pad, GstPadProbeInfo * info, gpointer filter)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  g_autoptr (GstSample) sample = gst_sample_new (GST_PAD_PROBE_INFO_BUFFER
      (info), caps, NULL, NULL);

  gst_element_post_message (filter, gst_message_new_application (filter,
          gst_structure_new ("filtered", "sample", GST_TYPE_SAMPLE, sample,
              NULL)));
  return GST_PAD_PROBE_OK;
}

GstSample *
tune_stage_pull (GstElement * appsink)
{
  g_autoptr (GstSample) sample = gst_app_sink_try_pull_sample
      (GST_APP_SINK (appsink), 0);

  return sample == NULL ? NULL
      : gst_sample_new (gst_sample_get_buffer (sample),
      gst_sample_get_caps (sample), gst_sample_get_segment (sample), NULL);
}

GstFlowReturn
tune_stage_post_sample (GstAppSink * appsink, gpointer data)
{
  (void) data;
  gst_element_post_message (GST_ELEMENT (appsink), gst_message_new_application
      (GST_OBJECT (appsink), gst_structure_new_empty ("sample")));
  return GST_FLOW_OK;
}

void
tune_stage_push (TuneStage * stage, GstSample * const *inputs)
{
  g_return_if_fail (!stage->busy);
  clear_samples (stage->filtered);
  stage->busy = TRUE;
  stage->start = g_get_monotonic_time ();
  stage->pts = GST_BUFFER_PTS (gst_sample_get_buffer (inputs[0]));
  for (guint i = 0; i < stage->n_inputs; i++)
    gst_app_src_push_sample (GST_APP_SRC (stage->inputs[i]), inputs[i]);
  if (stage->error != NULL)
    end_job (stage, FALSE);
}

static void
set_error (TuneStage * stage, const gchar * text)
{
  if (g_strcmp0 (stage->error, text) == 0)
    return;
  g_free (stage->error);
  stage->error = g_strdup (text);
  if (stage->callbacks.failed != NULL)
    stage->callbacks.failed (stage, stage->data);
}

/* "Computing on DEVICE.", or "Computing on DEVICE: why not on another one." */
static void
set_device (TuneStage * stage, const gchar * text)
{
  static const gchar prefix[] = "Computing on ";
  gsize length;

  if (!g_str_has_prefix (text, prefix))
    return;
  text += strlen (prefix);
  length = strcspn (text, ":");
  if (text[length] == '\0' && g_str_has_suffix (text, "."))
    length--;
  g_free (stage->device);
  stage->device = g_strndup (text, length);
}

/* The element of a filter that has posted a message, or the stage's own. */
static GstElement *
find_poster (TuneStage * stage, GstMessage * message)
{
  GstObject *object = GST_MESSAGE_SRC (message);

  for (guint i = 0; i < stage->n_inputs; i++) {
    if (stage->filters[i] != NULL && GST_IS_ELEMENT (object)
        && gst_object_has_as_ancestor (object, GST_OBJECT (stage->filters[i])))
      return GST_ELEMENT (object);
  }
  return stage->element;
}

static gboolean
take_message (GstBus * bus, GstMessage * message, gpointer data)
{
  TuneStage *stage = data;
  g_autoptr (GError) error = NULL;

  (void) bus;
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_APPLICATION) {
    if (gst_message_has_name (message, "filtered"))
      take_filtered (stage, message);
    else
      take_result (stage, GST_ELEMENT (GST_MESSAGE_SRC (message)));
  } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_INFO
      && GST_MESSAGE_SRC (message) == GST_OBJECT (stage->element)) {
    gst_message_parse_info (message, &error, NULL);
    set_device (stage, error->message);
  } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
    gst_message_parse_warning (message, &error, NULL);
    if (stage->callbacks.warning != NULL)
      stage->callbacks.warning (stage, error->message, stage->data);
  } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    if (stage->error == NULL) {
      g_autofree gchar *text = g_strdup_printf ("%s: %s", GST_OBJECT_NAME
          (gst_element_get_factory (find_poster (stage, message))),
          error->message);

      set_error (stage, text);
    }
    end_job (stage, FALSE);
  }
  return G_SOURCE_CONTINUE;
}

/* Whether a pipeline can open the file descriptors that it needs: GStreamer
 * aborts or creates no bus otherwise. */
static gboolean
has_descriptors (void)
{
  gint opened[N_DESCRIPTORS];
  guint n = 0;

  while (n < N_DESCRIPTORS && (opened[n] = dup (STDIN_FILENO)) >= 0)
    n++;
  for (guint i = 0; i < n; i++)
    close (opened[i]);
  return n == N_DESCRIPTORS;
}

static gboolean
has_pad (GstElement * element, const gchar * name)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, name);

  return pad != NULL || gst_element_class_get_pad_template
      (GST_ELEMENT_GET_CLASS (element), name) != NULL;
}

static void
link_pads (GstElement * from, const gchar * from_pad, GstElement * to,
    const gchar * to_pad)
{
  if (!gst_element_link_pads (from, from_pad, to, to_pad))
    g_error ("Cannot link %s:%s to %s:%s", GST_OBJECT_NAME (from), from_pad,
        GST_OBJECT_NAME (to), to_pad);
}

static void
add_input (TuneStage * stage, const gchar * pad)
{
  GstElement *source = gst_element_factory_make ("appsrc", NULL);

  g_object_set (source, "format", GST_FORMAT_TIME, NULL);
  gst_bin_add (GST_BIN (stage->pipeline), source);
  link_pads (source, "src", stage->element, pad);
  stage->pads[stage->n_inputs] = pad;
  stage->inputs[stage->n_inputs++] = source;
}

/* Removes the filter of an input. */
static void
remove_filter (TuneStage * stage, guint index)
{
  GstElement **filter = &stage->filters[index];

  if (*filter != NULL)
    gst_bin_remove (GST_BIN (stage->pipeline), *filter);
  else
    gst_element_unlink_pads (stage->inputs[index], "src", stage->element,
        stage->pads[index]);
  *filter = NULL;
}

static void
add_filter (TuneStage * stage, guint index, const gchar * description)
{
  GstElement *filter = gst_parse_bin_from_description (description, TRUE,
      NULL);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (filter, "src");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, post_filtered, filter,
      NULL);
  gst_bin_add (GST_BIN (stage->pipeline), filter);
  link_pads (stage->inputs[index], "src", filter, "sink");
  link_pads (filter, "src", stage->element, stage->pads[index]);
  stage->filters[index] = filter;
}

void
tune_stage_set_filter (TuneStage * stage, const gchar * description)
{
  for (guint i = 0; i < stage->n_inputs; i++) {
    remove_filter (stage, i);
    if (description != NULL)
      add_filter (stage, i, description);
    else
      link_pads (stage->inputs[i], "src", stage->element, stage->pads[i]);
  }
}

static void
add_output (TuneStage * stage, const gchar * pad, const gchar * formats)
{
  GstAppSinkCallbacks callbacks = {.new_sample = tune_stage_post_sample };
  GstElement *sink = gst_element_factory_make ("appsink", NULL);

  g_object_set (sink, "sync", FALSE, "async", FALSE, "enable-last-sample",
      FALSE, NULL);
  if (formats != NULL) {
    g_autofree gchar *text = g_strdup_printf ("video/x-raw, format=%s",
        formats);
    g_autoptr (GstCaps) caps = gst_caps_from_string (text);

    g_object_set (sink, "caps", caps, NULL);
  }
  gst_app_sink_set_callbacks (GST_APP_SINK (sink), &callbacks, NULL, NULL);
  gst_bin_add (GST_BIN (stage->pipeline), sink);
  link_pads (stage->element, pad, sink, "sink");
  stage->outputs[stage->n_outputs] = sink;
}

TuneStage *
tune_stage_new (GstElement * element, const gchar * const *inputs,
    const gchar * const *outputs, const gchar * const *formats,
    const TuneStageCallbacks * callbacks, gpointer data)
{
  TuneStage *stage = g_new0 (TuneStage, 1);
  g_autoptr (GstBus) bus = NULL;

  stage->callbacks = *callbacks;
  stage->data = data;
  stage->device = g_strdup ("");
  stage->pipeline = has_descriptors ()? gst_pipeline_new (NULL)
      : gst_bin_new (NULL);
  stage->element = element;
  gst_bin_add (GST_BIN (stage->pipeline), element);
  for (guint i = 0; inputs[i] != NULL; i++) {
    if (has_pad (element, inputs[i]))
      add_input (stage, inputs[i]);
  }
  for (; outputs[stage->n_outputs] != NULL; stage->n_outputs++) {
    if (has_pad (element, outputs[stage->n_outputs]))
      add_output (stage, outputs[stage->n_outputs],
          formats != NULL ? formats[stage->n_outputs] : NULL);
  }
  if (GST_IS_PIPELINE (stage->pipeline)) {
    bus = gst_pipeline_get_bus (GST_PIPELINE (stage->pipeline));
    gst_bus_add_watch (bus, take_message, stage);
  }
  tune_stage_start (stage);
  return stage;
}

void
tune_stage_free (TuneStage ** stage)
{
  TuneStage *self = g_steal_pointer (stage);
  g_autoptr (GstBus) bus = NULL;

  if (self == NULL)
    return;
  if (GST_IS_PIPELINE (self->pipeline)) {
    bus = gst_pipeline_get_bus (GST_PIPELINE (self->pipeline));
    gst_bus_remove_watch (bus);
  }
  gst_element_set_state (self->pipeline, GST_STATE_NULL);
  gst_object_unref (self->pipeline);
  clear_samples (self->results);
  clear_samples (self->filtered);
  g_free (self->device);
  g_free (self->error);
  g_free (self);
}

void
tune_stage_stop (TuneStage * stage)
{
  gst_element_set_state (stage->pipeline, GST_STATE_NULL);
  clear_samples (stage->results);
  clear_samples (stage->filtered);
  end_job (stage, FALSE);
}

void
tune_stage_start (TuneStage * stage)
{
  const gboolean good = GST_IS_PIPELINE (stage->pipeline);

  set_error (stage, good ? NULL
      : "No file descriptors left; raise the limit (ulimit -n)");
  if (good)
    gst_element_set_state (stage->pipeline, GST_STATE_PLAYING);
}
