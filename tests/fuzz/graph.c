/* gst-stereomatching: fuzzing of graphs of all elements
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The first bytes of the input select a graph from sources to sinks: two views,
 * a packed frame that is split, or one whose views are then rectified; any
 * matcher; and elements that take its maps.  The other bytes are operations on
 * the running graph, half of which come from a second thread.
 *
 * Seeks flush and concern the whole pipeline, and states change in one thread,
 * as GStreamer requires.
 */

#include "host.h"

#include "base/gststereocompat.h"

#include <stdlib.h>

#define MAX_OPEN 4              /* requested pads */

/* The part of a graph after the views, tl and tr. */
#define MATCHER "tl. ! queue ! m.sink_left tr. ! queue ! m.sink_right " \
    "%s name=m num-disparities=6 n-threads=%u ! tee name=td " \
    "td. ! queue ! " SINK
#define SINK "fakesink sync=false async=false signal-handoffs=true "
#define METRIC "focal-length=40 baseline=0.1 ! " SINK

typedef struct
{
  GstElement *pipeline;
  FuzzInput input;              /* of this thread */
  unsigned long n;              /* operations of this thread */
  GstPad *open[MAX_OPEN];
} Graph;

static const gchar *const matchers[] = {
  "stereosgm", "stereobfv", "stereobp", "stereoesaw", "stereoesmp",
  "stereovcbw", "stereopyramid"
};

/* Selected by a bit each. */
static const gchar *const consumers[] = {
  "td. ! queue ! disparitydepth name=d " METRIC,
  "td. ! queue ! disparitycolor name=c ! " SINK,
  "td. ! queue ! p.sink_disparity tl. ! queue ! p.sink_left "
      "disparitycloud name=p " METRIC,
  "td. ! queue ! v.sink_disparity tl. ! queue ! v.sink_left "
      "tr. ! queue ! v.sink_right stereoview name=v ! " SINK,
  "tl. ! queue ! w.sink_left tr. ! queue ! w.sink_right "
      "stereosgm name=w num-disparities=4 n-threads=2 ! " SINK,
};

static const gchar *const names[] = {
  "l", "r", "s", "ra", "rb", "m", "d", "c", "p", "v", "w"
};

/* -------------------------------------------------------------------- graph */

/* Reads every byte. */
static void
read_buffer (GstElement * sink, GstBuffer * buffer, GstPad * pad, gpointer data)
{
  volatile guint8 sum = 0;
  GstMapInfo map;

  (void) sink, (void) pad, (void) data;
  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    abort ();
  for (gsize i = 0; i < map.size; i++)
    sum = (guint8) (sum + map.data[i]);
  gst_buffer_unmap (buffer, &map);
}

static void
connect_sink (const GValue * item, gpointer data)
{
  GstElement *element = g_value_get_object (item);

  (void) data;
  if (GST_OBJECT_FLAG_IS_SET (element, GST_ELEMENT_FLAG_SINK))
    g_signal_connect (element, "handoff", G_CALLBACK (read_buffer), NULL);
}

static void
add_sources (GString * line, FuzzInput * input)
{
  static const gchar source[] = "stereotestsrc name=%s view=%s is-live=%u "
      "num-disparities=6 ! capsfilter name=c%s caps=video/x-raw,format=%s,"
      "width=%u,height=32,framerate=30/1 ! ";
  const unsigned kind = fuzz_byte (input) % 3;
  const unsigned live = fuzz_byte (input) % 3 == 0;

  if (kind == 0) {
    g_string_append_printf (line, source, "l", "left", live, "l", "GRAY8", 48);
    g_string_append (line, "tee name=tl ");
    g_string_append_printf (line, source, "r", "right", live, "r", "RGB", 48);
    g_string_append (line, "tee name=tr ");
    return;
  }
  g_string_append_printf (line, source, "l", "side-by-side", live, "l",
      "GRAY8", 96);
  g_string_append_printf (line, "stereosplit name=s layout=side-by-side "
      "s.src_left ! queue ! %s tee name=tl s.src_right ! queue ! %s "
      "tee name=tr ",
      kind == 1 ? "" : "stereorectify name=ra view=left " CALIBRATION " !",
      kind == 1 ? "" : "stereorectify name=rb view=right " CALIBRATION " !");
}

static GstElement *
pipeline_new (FuzzInput * input)
{
  GString *line = g_string_new (NULL);
  const gchar *matcher = matchers[fuzz_byte (input) % G_N_ELEMENTS (matchers)];
  unsigned what = fuzz_byte (input);
  GError *error = NULL;
  GstElement *pipeline;
  GstIterator *sinks;

  add_sources (line, input);
  g_string_append_printf (line, MATCHER, matcher, 1 + what / 64);
  for (guint i = 0; i < G_N_ELEMENTS (consumers); i++) {
    if (what & 1u << i)
      g_string_append (line, consumers[i]);
  }
  pipeline = gst_parse_launch (line->str, &error);
  if (error != NULL)
    g_error ("%s: %s", line->str, error->message);
  gst_object_ref_sink (pipeline);
  sinks = gst_bin_iterate_sinks (GST_BIN (pipeline));
  gst_iterator_foreach (sinks, connect_sink, NULL);
  gst_iterator_free (sinks);
  g_string_free (line, TRUE);
  return pipeline;
}

static GstElement *
get_element (Graph * graph)
{
  return gst_bin_get_by_name (GST_BIN (graph->pipeline),
      names[fuzz_byte (&graph->input) % G_N_ELEMENTS (names)]);
}

/* A source pad of any element. */
static GstPad *
get_pad (Graph * graph)
{
  GstElement *element = get_element (graph);
  GstPad *pad = NULL;

  if (element == NULL)
    return NULL;
  GST_OBJECT_LOCK (element);
  if (element->srcpads != NULL)
    pad = gst_object_ref (element->srcpads->data);
  GST_OBJECT_UNLOCK (element);
  gst_object_unref (element);
  return pad;
}

/* ------------------------------------------------- operations of any thread */

static void
set_property (Graph * graph)
{
  GstElement *element = get_element (graph);

  if (element == NULL)
    return;
  fuzz_set_property (element, &graph->input);
  gst_object_unref (element);
}

/* Both views, or one that then has another size or format. */
static void
set_caps (Graph * graph)
{
  static const gchar *const formats[] = {
    "GRAY8", "NV12", "RGB", "BGRx", "I420", "GRAY16_LE", "Y444"
  };
  const unsigned what = fuzz_byte (&graph->input);
  const gint width = 2 * (gint) (1 + fuzz_byte (&graph->input) % 48);
  const gint height = 2 * (gint) (1 + fuzz_byte (&graph->input) % 24);
  GstCaps *caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING,
      formats[what % G_N_ELEMENTS (formats)], "width", G_TYPE_INT,
      what & 64 ? 96 : width, "height", G_TYPE_INT, what & 64 ? 32 : height,
      "framerate", GST_TYPE_FRACTION, what & 128 ? 30 : 25, 1, NULL);

  for (guint i = 0; i < 2; i++) {
    GstElement *filter = gst_bin_get_by_name (GST_BIN (graph->pipeline),
        i == 0 ? "cl" : "cr");

    if (filter != NULL && (i == 0 || what % 8))
      g_object_set (filter, "caps", caps, NULL);
    gst_clear_object (&filter);
  }
  gst_caps_unref (caps);
}

static void
send_upstream (Graph * graph)
{
  const unsigned what = fuzz_byte (&graph->input);
  GstPad *pad = get_pad (graph);

  if (pad == NULL)
    return;
  gst_pad_send_event (pad, what % 2 ? gst_event_new_reconfigure ()
      : gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, what / 32.0,
          (GstClockTimeDiff) (what * GST_MSECOND), what * GST_MSECOND));
  gst_object_unref (pad);
}

static void
ask (Graph * graph)
{
  const unsigned what = fuzz_byte (&graph->input);
  GstPad *pad = get_pad (graph);
  GstQuery *query = what % 4 == 0 ? gst_query_new_latency ()
      : what % 4 == 1 ? gst_query_new_position (GST_FORMAT_TIME)
      : what % 4 == 2 ? gst_query_new_caps (NULL)
      : gst_query_new_duration (GST_FORMAT_TIME);

  if (pad != NULL)
    gst_pad_query (pad, query);
  gst_query_unref (query);
  gst_clear_object (&pad);
}

static void
get_stats (Graph * graph)
{
  GstElement *element = get_element (graph);
  GstStructure *stats = NULL;

  if (element == NULL)
    return;
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (element), "stats")) {
    g_object_get (element, "stats", &stats, NULL);
    gst_structure_free (stats);
  }
  gst_object_unref (element);
}

static void
rest (Graph * graph)
{
  g_usleep (fuzz_byte (&graph->input) * 16);
}

/* -------------------------------------------- operations of the main thread */

static void
change_state (Graph * graph)
{
  static const GstState states[] = {
    GST_STATE_PAUSED, GST_STATE_PAUSED, GST_STATE_READY, GST_STATE_NULL
  };

  gst_element_set_state (graph->pipeline,
      states[fuzz_byte (&graph->input) % G_N_ELEMENTS (states)]);
  rest (graph);
  gst_element_set_state (graph->pipeline, GST_STATE_PLAYING);
}

static void
seek (Graph * graph)
{
  const unsigned what = fuzz_byte (&graph->input);

  gst_element_seek (graph->pipeline, what & 1 ? 1 : 2, GST_FORMAT_TIME,
      GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, what * 10 * GST_MSECOND,
      /* GStreamer itself warns if the stop is before the start */
      GST_SEEK_TYPE_SET, what & 2 ? -1
      : (gint64) ((what + 100) * 10 * GST_MSECOND));
}

static void
add_sink (Graph * graph, GstPad * pad)
{
  GstElement *sink = gst_parse_bin_from_description (SINK, TRUE, NULL);
  GstPad *peer = gst_element_get_static_pad (sink, "sink");

  gst_bin_add (GST_BIN (graph->pipeline), sink);
  gst_element_sync_state_with_parent (sink);
  gst_pad_link (pad, peer);
  gst_object_unref (peer);
}

/* A view of stereoview or the confidence map, with a sink or unlinked. */
static void
request (Graph * graph)
{
  const unsigned what = fuzz_byte (&graph->input);
  const gchar *name = what & 8 ? "view_%u" : "src_confidence";
  GstPad **slot = &graph->open[what % MAX_OPEN];
  GstElement *element = gst_bin_get_by_name (GST_BIN (graph->pipeline),
      what & 8 ? "v" : "m");
  GstPad *present = element != NULL ? gst_element_get_static_pad (element, name)
      : NULL;

  if (element != NULL && present == NULL && *slot == NULL) {
    *slot = gst_element_request_pad_simple (element, name);
    if (*slot != NULL && what & 16)
      add_sink (graph, *slot);
  }
  gst_clear_object (&present);
  gst_clear_object (&element);
}

static void
release (Graph * graph)
{
  GstPad **slot = &graph->open[fuzz_byte (&graph->input) % MAX_OPEN];
  GstElement *element = *slot ? gst_pad_get_parent_element (*slot) : NULL;
  GstPad *peer = *slot ? gst_pad_get_peer (*slot) : NULL;

  if (element != NULL)
    gst_element_release_request_pad (element, *slot);
  if (peer != NULL) {
    GstElement *sink = gst_pad_get_parent_element (peer);

    gst_element_set_state (sink, GST_STATE_NULL);
    gst_bin_remove (GST_BIN (graph->pipeline), sink);
    gst_object_unref (sink);
    gst_object_unref (peer);
  }
  gst_clear_object (&element);
  gst_clear_object (slot);
}

/* Restarts the graph after an error or its end. */
static void
check_bus (Graph * graph)
{
  gboolean over = FALSE;
  GstMessage *message;

  while ((message = gst_bus_pop (GST_ELEMENT_BUS (graph->pipeline)))) {
    over |= GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS
        || GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR;
    fuzz_check_message (message);
    gst_message_unref (message);
  }
  if (!over)
    return;
  gst_element_set_state (graph->pipeline, GST_STATE_READY);
  gst_element_set_state (graph->pipeline, GST_STATE_PLAYING);
}

/* -------------------------------------------------------------------- input */

typedef void (*Step) (Graph * graph);

static const Step streaming[] = {
  set_property, set_property, set_property, set_caps, send_upstream,
  send_upstream, ask, ask, get_stats, rest, rest
};

static const Step controlling[] = {
  change_state, seek, seek, seek, request, request, release, set_property, ask,
  send_upstream, rest, rest, rest
};

static gpointer
run_streaming (gpointer data)
{
  Graph *graph = data;

  for (; graph->input.size > 0; graph->n++)
    streaming[fuzz_byte (&graph->input) % G_N_ELEMENTS (streaming)] (graph);
  return NULL;
}

static void
run_controlling (Graph * graph)
{
  for (; graph->input.size > 0; graph->n++) {
    controlling[fuzz_byte (&graph->input) % G_N_ELEMENTS (controlling)] (graph);
    check_bus (graph);
  }
  if (gst_element_set_state (graph->pipeline, GST_STATE_NULL)
      != GST_STATE_CHANGE_SUCCESS)
    g_error ("Cannot stop the pipeline");
}

static void
load_core_elements (void)
{
  static GstPlugin *plugin;

  if (plugin == NULL)
    plugin = gst_plugin_load_file (CORE_ELEMENTS, NULL);
  if (plugin == NULL)
    g_error ("Cannot load " CORE_ELEMENTS);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  FuzzInput input = { data, size };
  Graph other = { NULL }, graph = { NULL };
  GThread *thread;

  if (size < 8)
    return 0;
  fuzz_start ();
  load_core_elements ();
  other.pipeline = graph.pipeline = pipeline_new (&input);
  other.input = (FuzzInput) { input.data, input.size / 2 };
  graph.input = (FuzzInput) { input.data + other.input.size,
    input.size - other.input.size
  };
  gst_element_set_state (graph.pipeline, GST_STATE_PLAYING);
  g_usleep (20000);
  thread = g_thread_new ("streaming", run_streaming, &other);
  run_controlling (&graph);
  g_thread_join (thread);
  fuzz_operations += graph.n + other.n;
  for (guint i = 0; i < MAX_OPEN; i++)
    gst_clear_object (&graph.open[i]);
  gst_object_unref (graph.pipeline);
  return 0;
}
