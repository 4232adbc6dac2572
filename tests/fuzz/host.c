/* gst-stereomatching: host of an element under fuzzing
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

GST_PLUGIN_STATIC_DECLARE (stereomatching);

/* Time to wait for a job before the next one. */
#define PATIENCE (2 * G_TIME_SPAN_MILLISECOND)

/* In bytes; caps may describe frames that exceed all memory. */
#define MAX_FRAME (1 << 26)

/* ------------------------------------------------------------------ process */

static GList *features;

static void
fail (const gchar * what)
{
  fprintf (stderr, "%s\n", what);
  abort ();
}

static void
hear (const gchar * domain, GLogLevelFlags level, const gchar * text,
    gpointer data)
{
  (void) data;
  if (!(level & (G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_ERROR)))
    return;
  fprintf (stderr, "%s: %s\n", domain != NULL ? domain : "", text);
  abort ();
}

static void
start_once (void)
{
  /* no plugin files */
  g_setenv ("GST_REGISTRY_DISABLE", "yes", TRUE);
  g_setenv ("GST_PLUGIN_SYSTEM_PATH_1_0", "", TRUE);
  g_setenv ("GST_PLUGIN_PATH_1_0", "", TRUE);
  gst_init (NULL, NULL);
  g_log_set_default_handler (hear, NULL);
  /* the sanitizer reports memory of a GStreamer thread that ends as a leak, so
   * keep all threads */
  g_thread_pool_set_max_unused_threads (-1);
  g_thread_pool_set_max_idle_time (0);
  GST_PLUGIN_STATIC_REGISTER (stereomatching);
  features = gst_registry_get_feature_list_by_plugin (gst_registry_get (),
      "stereomatching");
  if (features == NULL)
    fail ("no elements");
}

void
fuzz_start (void)
{
  static gsize started;

  if (g_once_init_enter (&started)) {
    start_once ();
    g_once_init_leave (&started, 1);
  }
}

/* --------------------------------------------------------------- sink pads */

/* Reads every byte, and every pixel of video as described by caps and meta. */
static void
look (GstPad * pad, GstBuffer * buffer)
{
  GstCaps *caps = gst_pad_get_current_caps (pad);
  volatile guint8 sum = 0;
  GstVideoInfo info;
  GstVideoFrame frame;
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    fail ("cannot map a buffer");
  for (gsize i = 0; i < map.size; i++)
    sum = (guint8) (sum + map.data[i]);
  gst_buffer_unmap (buffer, &map);
  if (caps != NULL && gst_video_info_from_caps (&info, caps)) {
    if (!gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ))
      fail ("a buffer does not hold a frame of its caps");
    for (guint i = 0; i < GST_VIDEO_FRAME_N_COMPONENTS (&frame); i++) {
      const guint8 *p = GST_VIDEO_FRAME_COMP_DATA (&frame, i);
      gint rows = GST_VIDEO_FRAME_COMP_HEIGHT (&frame, i);
      gint step = GST_VIDEO_FRAME_COMP_PSTRIDE (&frame, i);

      for (gint y = 0; y < rows; y++)
        for (gint x = 0; x < GST_VIDEO_FRAME_COMP_WIDTH (&frame, i); x++)
          sum = (guint8) (sum + p[y * GST_VIDEO_FRAME_COMP_STRIDE (&frame, i)
                  + x * step]);
    }
    gst_video_frame_unmap (&frame);
  }
  gst_clear_caps (&caps);
}

static GstFlowReturn
take_buffer (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  FuzzHost *host = gst_pad_get_element_private (pad);
  gint n = g_atomic_int_add (&host->n_buffers, 1) + 1;
  gint last = g_atomic_int_get (&host->last_buffer);

  (void) parent;
  look (pad, buffer);
  gst_buffer_unref (buffer);
  return last > 0 && n >= last
      ? (GstFlowReturn) g_atomic_int_get (&host->flow) : GST_FLOW_OK;
}

static gboolean
take_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  (void) pad, (void) parent;
  gst_event_unref (event);
  return TRUE;
}

static gboolean
answer (GstPad * pad, GstObject * parent, GstQuery * query)
{
  FuzzHost *host = gst_pad_get_element_private (pad);

  if (GST_QUERY_TYPE (query) == GST_QUERY_ALLOCATION) {
    if (host->offers_meta)
      gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
    return host->offers_meta;
  }
  return gst_pad_query_default (pad, parent, query);
}

/* ------------------------------------------------------------- source pads */

static gint stop_job, wait_job;

static void
give (FuzzPad * pad, gpointer job)
{
  if (GST_IS_BUFFER (job)) {
    GstFlowReturn flow = gst_pad_push (pad->pad, job);

    /* an earlier event may have been refused while the element stopped */
    if (flow == GST_FLOW_ERROR && !GST_PAD_HAS_PENDING_EVENTS (pad->pad))
      g_atomic_int_inc (&pad->host->n_failed);
  } else if (GST_IS_EVENT (job)) {
    gst_pad_push_event (pad->pad, job);
  } else {
    gst_pad_peer_query (pad->pad, job);
    gst_query_unref (job);
  }
}

typedef struct
{
  gint refs;
  GMutex lock;
  GCond cond;
  gboolean done;
} Turn;

static void
turn_unref (Turn * turn)
{
  if (!g_atomic_int_dec_and_test (&turn->refs))
    return;
  g_mutex_clear (&turn->lock);
  g_cond_clear (&turn->cond);
  g_free (turn);
}

static gpointer
run_pad (gpointer data)
{
  FuzzPad *pad = data;
  gpointer job;

  while ((job = g_async_queue_pop (pad->jobs)) != &stop_job) {
    Turn *turn;

    if (job != &wait_job) {
      give (pad, job);
      continue;
    }
    turn = g_async_queue_pop (pad->jobs);
    g_mutex_lock (&turn->lock);
    turn->done = TRUE;
    g_cond_signal (&turn->cond);
    g_mutex_unlock (&turn->lock);
    turn_unref (turn);
  }
  return NULL;
}

/* Waits until the thread has finished its jobs or is blocked. */
static void
wait_for (FuzzPad * pad)
{
  gint64 end = g_get_monotonic_time () + PATIENCE;
  Turn *turn = g_new0 (Turn, 1);

  turn->refs = 2;
  g_mutex_init (&turn->lock);
  g_cond_init (&turn->cond);
  g_async_queue_push (pad->jobs, &wait_job);
  g_async_queue_push (pad->jobs, turn);
  g_mutex_lock (&turn->lock);
  while (!turn->done && g_cond_wait_until (&turn->cond, &turn->lock, end));
  g_mutex_unlock (&turn->lock);
  turn_unref (turn);
}

void
fuzz_pad_give (FuzzPad * pad, gpointer object)
{
  fuzz_operations++;
  g_async_queue_push (pad->jobs, object);
  wait_for (pad);
}

void
fuzz_pad_start (FuzzPad * pad, GstCaps * caps)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  fuzz_pad_give (pad, gst_event_new_stream_start ("fuzz"));
  fuzz_pad_give (pad, gst_event_new_caps (caps));
  fuzz_pad_give (pad, gst_event_new_segment (&segment));
}

/* --------------------------------------------------------------------- pads */

static FuzzPad *
free_pad (FuzzPad * pads)
{
  for (guint i = 0; i < FUZZ_MAX_PADS; i++) {
    if (pads[i].pad == NULL)
      return &pads[i];
  }
  return NULL;
}

/* Links a pad of the element.  Takes the reference. */
static gboolean
link_pad (FuzzHost * host, GstPad * peer, gboolean requested)
{
  gboolean is_sink = GST_PAD_IS_SINK (peer);
  FuzzPad *pad;

  g_mutex_lock (&host->lock);
  pad = gst_pad_is_linked (peer) ? NULL
      : free_pad (is_sink ? host->sources : host->sinks);
  if (pad == NULL) {
    g_mutex_unlock (&host->lock);
    gst_object_unref (peer);
    return FALSE;
  }
  pad->host = host;
  pad->peer = peer;
  pad->requested = requested;
  pad->pad = gst_object_ref_sink (gst_pad_new (NULL, is_sink ? GST_PAD_SRC
          : GST_PAD_SINK));
  gst_pad_set_element_private (pad->pad, host);
  if (!is_sink) {
    gst_pad_set_chain_function (pad->pad, take_buffer);
    gst_pad_set_event_function (pad->pad, take_event);
    gst_pad_set_query_function (pad->pad, answer);
  }
  gst_pad_set_active (pad->pad, TRUE);
  if (gst_pad_link (is_sink ? pad->pad : peer, is_sink ? peer : pad->pad)
      != GST_PAD_LINK_OK)
    fail ("cannot link a pad");
  if (is_sink) {
    pad->jobs = g_async_queue_new ();
    pad->thread = g_thread_new ("fuzz", run_pad, pad);
  }
  g_mutex_unlock (&host->lock);
  return TRUE;
}

static void
unlink_pad (FuzzPad * pad)
{
  gboolean is_source = pad->thread != NULL;

  /* first unblock threads */
  gst_pad_set_active (pad->pad, FALSE);
  gst_pad_unlink (is_source ? pad->pad : pad->peer,
      is_source ? pad->peer : pad->pad);
  if (is_source) {
    g_async_queue_push (pad->jobs, &stop_job);
    g_thread_join (pad->thread);
    g_async_queue_unref (pad->jobs);
  }
  gst_object_unref (pad->pad);
  gst_object_unref (pad->peer);
  memset (pad, 0, sizeof (*pad));
}

static void
add_pad (GstElement * element, GstPad * peer, gpointer data)
{
  (void) element;
  if (!gst_pad_is_linked (peer) && GST_PAD_TEMPLATE_PRESENCE
      (GST_PAD_PAD_TEMPLATE (peer)) != GST_PAD_REQUEST)
    link_pad (data, gst_object_ref (peer), FALSE);
}

void
fuzz_host_request (FuzzHost * host, unsigned number)
{
  GList *templates = gst_element_class_get_pad_template_list
      (GST_ELEMENT_GET_CLASS (host->element));
  GstPadTemplate *template = g_list_nth_data (templates, number
      % g_list_length (templates));
  GstPad *peer;

  if (GST_PAD_TEMPLATE_PRESENCE (template) != GST_PAD_REQUEST)
    return;
  peer = gst_element_request_pad (host->element, template, NULL, NULL);
  if (peer == NULL)
    return;
  gst_object_ref (peer);
  if (!link_pad (host, peer, TRUE))
    gst_element_release_request_pad (host->element, peer);
  else
    return;
  gst_object_unref (peer);
}

/* A linked pad is not new: it was requested before. */
static void
release_pad (FuzzHost * host, FuzzPad * pad)
{
  GstPad *peer = gst_object_ref (pad->peer);

  gst_element_release_request_pad (host->element, peer);
  unlink_pad (pad);
  gst_object_unref (peer);      /* from the request */
  gst_object_unref (peer);
}

void
fuzz_host_release (FuzzHost * host, unsigned number)
{
  FuzzPad *all[2] = { host->sources, host->sinks };

  for (guint i = 0; i < 2 * FUZZ_MAX_PADS; i++) {
    FuzzPad *pad = &all[(number + i) % 2][(number + i) / 2 % FUZZ_MAX_PADS];

    if (pad->pad == NULL || !pad->requested)
      continue;
    release_pad (host, pad);
    return;
  }
}

static FuzzPad *
pad_of (FuzzPad * pads, unsigned number)
{
  for (guint i = 0; i < FUZZ_MAX_PADS; i++) {
    FuzzPad *pad = &pads[(number + i) % FUZZ_MAX_PADS];

    if (pad->pad != NULL)
      return pad;
  }
  return NULL;
}

FuzzPad *
fuzz_host_source (FuzzHost * host, unsigned number)
{
  return pad_of (host->sources, number);
}

FuzzPad *
fuzz_host_sink (FuzzHost * host, unsigned number)
{
  return pad_of (host->sinks, number);
}

/* --------------------------------------------------------------------- host */

static void
set_number (GstElement * element, const gchar * name, guint value)
{
  GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS
      (element), name);
  gchar text[16];

  if (spec == NULL || !(spec->flags & G_PARAM_WRITABLE))
    return;
  g_snprintf (text, sizeof (text), "%u", value);
  gst_util_set_object_arg (G_OBJECT (element), name, text);
}

static gpointer
hold (gconstpointer object, gpointer data)
{
  (void) data;
  return gst_object_ref ((gpointer) object);
}

FuzzHost *
fuzz_host_new (FuzzInput * input)
{
  FuzzHost *host = g_new0 (FuzzHost, 1);
  unsigned number = fuzz_byte (input), options;
  GList *pads;

  fuzz_start ();
  g_mutex_init (&host->lock);
  host->pipeline = gst_pipeline_new (NULL);
  /* stopping would discard the messages */
  g_object_set (host->pipeline, "auto-flush-bus", FALSE, NULL);
  host->element = gst_element_factory_create (g_list_nth_data (features, number
          % g_list_length (features)), NULL);
  if (host->element == NULL)
    fail ("cannot create an element");
  gst_bin_add (GST_BIN (host->pipeline), host->element);

  options = fuzz_byte (input);
  set_number (host->element, "num-disparities", 6);
  set_number (host->element, "n-threads", 1 + options % 2);
  set_number (host->element, "pairs", options / 2 % 4 % 3);
  if (options / 2 % 4 == 3) {
    /* of stereosplit, which does not inspect views frame by frame (6), and of
     * stereoview */
    set_number (host->element, "layout", options / 16 % 6);
    set_number (host->element, "auto-convergence", options % 2);
  }
  host->offers_meta = options / 8 % 2;
  host->last_buffer = (gint) (options / 16 % 4);
  host->flow = options & 64 ? GST_FLOW_EOS : options & 128 ? GST_FLOW_FLUSHING
      : GST_FLOW_NOT_LINKED;
  /* a source would never stop */
  if (host->element->numsinkpads == 0 && host->last_buffer == 0) {
    host->last_buffer = 4;
    host->flow = GST_FLOW_EOS;
  }

  g_signal_connect (host->element, "pad-added", G_CALLBACK (add_pad), host);
  pads = g_list_copy_deep (host->element->pads, hold, NULL);
  for (GList * item = pads; item != NULL; item = item->next)
    link_pad (host, item->data, FALSE);
  g_list_free (pads);
  return host;
}

gboolean
fuzz_check_message (GstMessage * message)
{
  GError *error = NULL;

  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR)
    return FALSE;
  gst_message_parse_error (message, &error, NULL);
  if (error->message == NULL || strlen (error->message) < 10)
    fail ("an error without a message");
  g_error_free (error);
  return TRUE;
}

/* Each failed flow has an error. */
static void
check_messages (FuzzHost * host)
{
  GstBus *bus = gst_element_get_bus (host->pipeline);
  GstMessage *message;
  gint n_errors = 0;

  while ((message = gst_bus_pop (bus)) != NULL) {
    n_errors += fuzz_check_message (message);
    gst_message_unref (message);
  }
  gst_object_unref (bus);
  if (host->n_failed > 0 && n_errors == 0)
    fail ("a buffer was refused without an error message");
}

void
fuzz_host_free (FuzzHost * host)
{
  if (gst_element_set_state (host->pipeline, GST_STATE_NULL)
      != GST_STATE_CHANGE_SUCCESS)
    fail ("cannot stop the element");
  for (guint i = 0; i < 2 * FUZZ_MAX_PADS; i++) {
    FuzzPad *pad = i < FUZZ_MAX_PADS ? &host->sources[i]
        : &host->sinks[i - FUZZ_MAX_PADS];

    if (pad->pad == NULL)
      continue;
    if (pad->requested)
      release_pad (host, pad);
    else
      unlink_pad (pad);
  }
  check_messages (host);
  gst_object_unref (host->pipeline);
  g_mutex_clear (&host->lock);
  g_free (host);
}

/* --------------------------------------------------------------------- data */

void
fuzz_set_property (GstElement * element, FuzzInput * input)
{
  GObjectClass *klass = G_OBJECT_GET_CLASS (element);
  static const gchar *const texts[] = {
    "0", "1", "2", "3", "-1", "0.5", "8", "16", "true", "false"
  };
  guint n, number = fuzz_byte (input);
  const gchar *text = texts[fuzz_byte (input) % G_N_ELEMENTS (texts)];
  GParamSpec **specs = g_object_class_list_properties (klass, &n);
  GParamSpec *spec = specs[number % n];
  GType type = G_PARAM_SPEC_VALUE_TYPE (spec);

  if (spec->flags & G_PARAM_WRITABLE && !(spec->flags & G_PARAM_CONSTRUCT_ONLY)
      && type != G_TYPE_STRING && !g_type_is_a (type, G_TYPE_OBJECT)
      /* GST_CLOCK_TIME_NONE is -1, which GstAggregator treats as a latency */
      && (type != G_TYPE_UINT64 || text[0] != '-')) {
    GValue value = G_VALUE_INIT;

    g_value_init (&value, type);
    if (gst_value_deserialize (&value, text)) {
      g_param_value_validate (spec, &value);
      g_object_set_property (G_OBJECT (element), spec->name, &value);
    }
    g_value_unset (&value);
  }
  g_free (specs);
}

GstCaps *
fuzz_pad_caps (FuzzPad * pad, FuzzInput * input)
{
  GstCaps *caps = gst_pad_get_pad_template_caps (pad->peer);
  unsigned nth = fuzz_byte (input), format = fuzz_byte (input);
  gint width = 1 + (gint) (fuzz_byte (input) % 48);
  gint height = 1 + (gint) (fuzz_byte (input) % 32);
  const GValue *formats;
  GstStructure *one;

  if (gst_caps_is_any (caps) || gst_caps_is_empty (caps)) {
    gst_caps_unref (caps);
    return gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING,
        "GRAY8", "width", G_TYPE_INT, width, "height", G_TYPE_INT, height,
        "framerate", GST_TYPE_FRACTION, 30, 1, NULL);
  }
  one = gst_structure_copy (gst_caps_get_structure (caps, nth
          % gst_caps_get_size (caps)));
  gst_caps_unref (caps);
  formats = gst_structure_get_value (one, "format");
  if (formats != NULL && GST_VALUE_HOLDS_LIST (formats)) {
    GValue value = G_VALUE_INIT;

    g_value_init (&value, G_TYPE_STRING);
    g_value_copy (gst_value_list_get_value (formats, format
            % gst_value_list_get_size (formats)), &value);
    gst_structure_take_value (one, "format", &value);
  }
  /* those of files have neither */
  if (gst_structure_has_field (one, "width")) {
    gst_structure_fixate_field_nearest_int (one, "width", width);
    gst_structure_fixate_field_nearest_int (one, "height", height);
  }
  if (gst_structure_has_field (one, "framerate"))
    gst_structure_fixate_field_nearest_fraction (one, "framerate", 30, 1);
  caps = gst_caps_new_empty ();
  gst_caps_append_structure (caps, one);
  return gst_caps_fixate (caps);
}

GstBuffer *
fuzz_frame (GstCaps * caps)
{
  GstVideoInfo info;
  gsize size = gst_video_info_from_caps (&info, caps)
      && info.size <= MAX_FRAME ? info.size : 64;
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);

  gst_buffer_memset (buffer, 0, 0, size);
  return buffer;
}
