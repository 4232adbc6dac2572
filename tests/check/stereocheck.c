/* gst-stereomatching: helpers of the element tests
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "stereocheck.h"

#include <glib/gstdio.h>
#include <gst/base/gstaggregator.h>
#include <string.h>

/* ------------------------------------------------------------------- images */

guint8
texture (gint x, gint y)
{
  guint32 h = (guint32) x * 0x9e3779b1u ^ (guint32) y * 0x85ebca77u;

  h ^= h >> 15;
  h *= 0x2c1b3c6du;
  h ^= h >> 12;
  h *= 0x297a2d39u;
  h ^= h >> 15;
  return (guint8) h;
}

void
put_sample (GstVideoFrame * frame, guint c, gint x, gint y, guint value)
{
  guint more = GST_VIDEO_FRAME_COMP_DEPTH (frame, c) - 8;
  guint8 *at = (guint8 *) GST_VIDEO_FRAME_COMP_DATA (frame, c)
      + (gssize) y * GST_VIDEO_FRAME_COMP_STRIDE (frame, c)
      + (gssize) x * GST_VIDEO_FRAME_COMP_PSTRIDE (frame, c);

  /* For P010 the format table places V one byte after U, but the converter
   * stores 16-bit words. */
  if (GST_VIDEO_FRAME_FORMAT (frame) == GST_VIDEO_FORMAT_P010_10LE && c == 2)
    at++;
  if (more == 0)
    *at = (guint8) value;
  else
    GST_WRITE_UINT16_LE (at, (value << more | (value & ((1u << more) - 1)))
        << GST_VIDEO_FORMAT_INFO_SHIFT (frame->info.finfo, c));
}

GstBuffer *
shifted_image (const GstCaps * caps, gint shift)
{
  GstVideoInfo info;
  GstVideoFrame frame;
  GstBuffer *buffer;

  fail_unless (gst_video_info_from_caps (&info, caps));
  buffer = gst_buffer_new_and_alloc (GST_VIDEO_INFO_SIZE (&info));
  fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_WRITE));

  /* random bytes, which must not be read as pixels */
  for (gsize i = 0; i < GST_VIDEO_INFO_SIZE (&info); i++)
    ((guint8 *) frame.map[0].data)[i] = texture ((gint) i + 7919 * shift, -77);

  for (guint c = 0; c < (GST_VIDEO_INFO_IS_RGB (&info) ? 3 : 1); c++)
    for (gint y = 0; y < GST_VIDEO_INFO_HEIGHT (&info); y++)
      for (gint x = 0; x < GST_VIDEO_INFO_WIDTH (&info); x++)
        put_sample (&frame, c, x, y, texture (x + shift, y));
  for (guint c = 1; GST_VIDEO_INFO_IS_YUV (&info) && c < 3; c++)
    for (gint y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT (&frame, c); y++)
      for (gint x = 0; x < GST_VIDEO_FRAME_COMP_WIDTH (&frame, c); x++)
        put_sample (&frame, c, x, y, 128);
  gst_video_frame_unmap (&frame);
  return buffer;
}

GstBuffer *
gray_image (gint width, gint height, gint shift)
{
  GstCaps *caps = gst_caps_new_simple ("video/x-raw",
      "format", G_TYPE_STRING, "GRAY8", "width", G_TYPE_INT, width,
      "height", G_TYPE_INT, height, NULL);
  GstBuffer *buffer = shifted_image (caps, shift);

  gst_caps_unref (caps);
  return buffer;
}

GstBuffer *
numbered_image (gint view, gint number)
{
  GstBuffer *buffer = gray_image (WIDTH, HEIGHT,
      view == LEFT ? -number : N_NUMBERS * number);

  GST_BUFFER_PTS (buffer) = (GstClockTime) number *FRAME;
  GST_BUFFER_DURATION (buffer) = FRAME;
  return buffer;
}

/* ---------------------------------------------------------------- oracles */

static guint
move_from_invalid (guint code, guint invalid, guint largest)
{
  if (code > largest)
    code = largest;
  if (code != invalid)
    return code;
  return code < largest ? code + 1 : code - 1;
}

guint
expected_code (gint disparity, gint min, guint scale, guint invalid)
{
  return move_from_invalid ((guint) (disparity - min) * scale, invalid, 65535);
}

guint
expected_code8 (guint disparity, guint n, guint invalid)
{
  gdouble code = n > 1 ? disparity * 255.0 / (n - 1) : 0;

  return move_from_invalid ((guint) (code + 0.5), invalid, 255);
}

guint
code_at (GstBuffer * map, const GstCaps * caps, gint x, gint y)
{
  GstVideoInfo info;
  GstVideoFrame frame;
  const guint8 *p;
  guint code;

  fail_unless (gst_video_info_from_caps (&info, caps));
  fail_unless (gst_video_frame_map (&frame, &info, map, GST_MAP_READ));
  p = (const guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&frame, 0)
      + y * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0);
  if (GST_VIDEO_INFO_FORMAT (&info) == GST_VIDEO_FORMAT_GRAY16_LE)
    code = GST_READ_UINT16_LE (p + 2 * x);
  else
    code = p[x];
  gst_video_frame_unmap (&frame);
  return code;
}

void
check_codes (GstBuffer * map, const GstCaps * caps, gint x0, gint x1,
    guint code)
{
  GstVideoInfo info;

  fail_unless (gst_video_info_from_caps (&info, caps));
  for (gint y = 0; y < GST_VIDEO_INFO_HEIGHT (&info); y++) {
    for (gint x = x0; x < x1; x++) {
      guint got = code_at (map, caps, x, y);

      fail_unless (got == code, "code at (%d, %d) is %u, expected %u", x, y,
          got, code);
    }
  }
}

void
check_numbers (GstBuffer * map, gint l, gint r)
{
  GstCaps *caps = gst_caps_from_string ("video/x-raw, format=GRAY16_LE, "
      "width=96, height=4");
  guint code = code_at (map, caps, 80, 2);
  gint disparity = (gint) (code + 8) / 16;

  fail_unless (disparity == N_NUMBERS * r + l,
      "map at %" GST_TIME_FORMAT " is made from left image %d and right "
      "image %d, expected %d and %d (code %u)",
      GST_TIME_ARGS (GST_BUFFER_PTS (map)), disparity % N_NUMBERS,
      disparity / N_NUMBERS, l, r, code);
  check_codes (map, caps, N_NUMBERS * N_NUMBERS + 4, WIDTH - 4,
      expected_code (N_NUMBERS * r + l, 0, 16, 0));
  gst_caps_unref (caps);
}

const GstStructure *
disparity_meta_of (GstBuffer * map)
{
  const GstStructure *s = custom_meta_of (map, "GstStereoDisparityMeta");

  fail_unless (s != NULL);
  return s;
}

/* --------------------------------------------------------------------- rig */

/* Element tests expect exact codes on shifted images.  So unless the launch
 * line sets these properties, matchers compare pixels and do no
 * post-processing. */
static void
set_plain (GstElement * element, const gchar * launch)
{
  static const gchar *const plain[][2] = {
    {"cost", "rgb"}, {"subpixel", "false"}, {"lr-max-diff", "-1"},
    {"speckle-size", "0"}, {"refine", "none"}, {"median", "false"}
  };
  GObjectClass *klass = G_OBJECT_GET_CLASS (element);

  if (g_object_class_find_property (klass, "speckle-size") == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (plain); i++) {
    gchar *named = g_strdup_printf ("%s=", plain[i][0]);

    if (strstr (launch, named) == NULL)
      gst_util_set_object_arg (G_OBJECT (element), plain[i][0], plain[i][1]);
    g_free (named);
  }
}

void
rig_open (Rig * rig, const gchar * launch)
{
  GError *error = NULL;

  rig->element = gst_parse_launch (launch, &error);
  fail_unless (rig->element != NULL && error == NULL, "%s: %s", launch,
      error ? error->message : "");
  gst_object_ref_sink (rig->element);
  /* harness sources count as live, but tests need every pair matched */
  if (strstr (launch, "pairs=") == NULL)
    gst_util_set_object_arg (G_OBJECT (rig->element), "pairs", "every");
  set_plain (rig->element, launch);
  rig->bus = gst_bus_new ();
  rig->messages = NULL;
  gst_element_set_bus (rig->element, rig->bus);
  rig->view[LEFT] = gst_harness_new_with_element (rig->element, "sink_left",
      "src");
  rig->view[RIGHT] = gst_harness_new_with_element (rig->element, "sink_right",
      NULL);
}

void
rig_open_with_caps (Rig * rig, const gchar * launch, const gchar * left,
    const gchar * right)
{
  rig_open (rig, launch);
  rig_caps (rig, LEFT, left);
  rig_caps (rig, RIGHT, right);
}

void
rig_close (Rig * rig)
{
  GstElement *element = rig->element;

  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_NULL),
      GST_STATE_CHANGE_SUCCESS);
  gst_harness_teardown (rig->view[RIGHT]);
  gst_harness_teardown (rig->view[LEFT]);
  gst_bus_set_flushing (rig->bus, TRUE);
  g_list_free_full (rig->messages, (GDestroyNotify) gst_message_unref);
  gst_element_set_bus (element, NULL);
  ASSERT_OBJECT_REFCOUNT (element, "the element", 1);
  gst_object_unref (element);
  gst_object_unref (rig->bus);
}

void
rig_caps (Rig * rig, gint view, const gchar * caps)
{
  gst_harness_set_src_caps_str (rig->view[view], caps);
}

gboolean
rig_push_caps (Rig * rig, gint view, const gchar * caps)
{
  GstCaps *c = gst_caps_from_string (caps);
  gboolean ok = gst_harness_push_event (rig->view[view],
      gst_event_new_caps (c));

  gst_caps_unref (c);
  return ok;
}

void
rig_push (Rig * rig, gint view, GstBuffer * buffer)
{
  fail_unless_equals_int (gst_harness_push (rig->view[view], buffer),
      GST_FLOW_OK);
}

void
rig_push_event (Rig * rig, GstEvent * event)
{
  for (gint v = LEFT; v <= RIGHT; v++)
    gst_harness_push_event (rig->view[v], gst_event_ref (event));
  gst_event_unref (event);
}

GstBuffer *
rig_match (Rig * rig, GstBuffer * left, GstBuffer * right)
{
  const gint64 end = g_get_monotonic_time () + PATIENCE / 1000;
  GstBuffer *map;

  rig_push (rig, LEFT, left);
  rig_push (rig, RIGHT, right);
  while ((map = gst_harness_try_pull (rig->view[LEFT])) == NULL) {
    rig_expect_no_error (rig);
    fail_unless (g_get_monotonic_time () < end, "no map");
    g_usleep (200);
  }
  return map;
}

void
rig_check_pair (Rig * rig, gint number)
{
  GstBuffer *map = rig_match (rig, numbered_image (LEFT, number),
      numbered_image (RIGHT, number));

  check_numbers (map, number, number);
  gst_buffer_unref (map);
}

void
wait_for_image (GstElement * matcher, gint view)
{
  const gint64 end = g_get_monotonic_time () + PATIENCE / 1000;
  GstPad *pad = gst_element_get_static_pad (matcher,
      view == LEFT ? "sink_left" : "sink_right");

  while (!gst_aggregator_pad_has_buffer (GST_AGGREGATOR_PAD (pad))) {
    fail_unless (g_get_monotonic_time () < end, "no image");
    g_usleep (200);
  }
  gst_object_unref (pad);
}

GstCaps *
rig_output_caps (Rig * rig)
{
  GstCaps *caps = gst_pad_get_current_caps (rig->view[LEFT]->sinkpad);

  fail_unless (caps != NULL, "no caps on the source pad");
  return caps;
}

guint64
rig_stat (Rig * rig, const gchar * name)
{
  GstStructure *stats;
  guint64 value = 0;

  g_object_get (rig->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, name, &value), "no %s", name);
  gst_structure_free (stats);
  return value;
}

/* Messages of other types are queued in rig->messages: popping them from the
 * bus would lose them. */
GstMessage *
rig_message (Rig * rig, GstMessageType types, GstClockTime timeout)
{
  GstMessage *message;

  for (GList * m = rig->messages; m != NULL; m = m->next) {
    message = m->data;
    if (GST_MESSAGE_TYPE (message) & types) {
      rig->messages = g_list_delete_link (rig->messages, m);
      return message;
    }
  }
  while ((message = gst_bus_timed_pop (rig->bus, timeout)) != NULL) {
    if (GST_MESSAGE_TYPE (message) & types)
      return message;
    rig->messages = g_list_append (rig->messages, message);
  }
  return NULL;
}

GError *
take_error (GstMessage * message)
{
  GError *error = NULL;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else
    gst_message_parse_warning (message, &error, NULL);
  gst_message_unref (message);
  return error;
}

static void
expect_message (GstMessage * message, GQuark domain, gint code, va_list words)
{
  GError *error;
  const gchar *word;

  fail_unless (message != NULL, "no such message was posted");
  error = take_error (message);
  fail_unless (error->domain == domain && error->code == code,
      "unexpected %s %d: %s", g_quark_to_string (error->domain), error->code,
      error->message);
  while ((word = va_arg (words, const gchar *)) != NULL)
      fail_unless (strstr (error->message, word) != NULL,
        "'%s' does not contain '%s'", error->message, word);
  g_error_free (error);
}

void
rig_expect_error (Rig * rig, GQuark domain, gint code, ...)
{
  va_list words;

  va_start (words, code);
  expect_message (rig_message (rig, GST_MESSAGE_ERROR, PATIENCE), domain, code,
      words);
  va_end (words);
}

void
rig_expect_warning (Rig * rig, GQuark domain, gint code, ...)
{
  va_list words;

  va_start (words, code);
  expect_message (rig_message (rig, GST_MESSAGE_WARNING, 0), domain, code,
      words);
  va_end (words);
}

void
rig_expect_no_error (Rig * rig)
{
  GstMessage *message = rig_message (rig,
      GST_MESSAGE_ERROR | GST_MESSAGE_WARNING, 0);

  if (message != NULL)
    fail ("unexpected: %s", take_error (message)->message);
}

guint
rig_count_messages (Rig * rig, GstMessageType type)
{
  GstMessage *message;
  guint n = 0;

  while ((message = rig_message (rig, type, 0)) != NULL) {
    gst_message_unref (message);
    n++;
  }
  return n;
}

/* ----------------------------------------------------------------- scripts */

Script *
script_new (void)
{
  return g_ptr_array_new ();
}

void
script_buffer (Script * script, GstBuffer * buffer)
{
  g_ptr_array_add (script, buffer);
}

void
script_event (Script * script, GstEvent * event)
{
  g_ptr_array_add (script, event);
}

void
script_numbers (Script * script, gint view, ...)
{
  va_list numbers;
  gint number;

  va_start (numbers, view);
  while ((number = va_arg (numbers, gint)) >= 0)
    script_buffer (script, numbered_image (view, number));
  va_end (numbers);
}

struct Feeder
{
  GThread *thread;
  GstPad *pad;
  Script *script;
  gint given;                   /* number of items pushed; atomic */
  GstFlowReturn flow;
};

static gpointer
feed (gpointer user_data)
{
  Feeder *feeder = user_data;

  for (guint i = 0; i < feeder->script->len; i++) {
    gpointer item = g_ptr_array_index (feeder->script, i);

    if (GST_IS_BUFFER (item))
      feeder->flow = gst_pad_push (feeder->pad, GST_BUFFER (item));
    else
      gst_pad_push_event (feeder->pad, GST_EVENT (item));
    g_atomic_int_inc (&feeder->given);
  }
  return NULL;
}

Feeder *
feeder_new (Rig * rig, gint view, Script * script)
{
  Feeder *feeder = g_new0 (Feeder, 1);

  feeder->pad = rig->view[view]->srcpad;
  feeder->script = script;
  feeder->thread = g_thread_new ("feeder", feed, feeder);
  return feeder;
}

void
feeder_wait (Feeder * feeder, gint n)
{
  const gint64 end = g_get_monotonic_time () + PATIENCE / 1000;

  while (g_atomic_int_get (&feeder->given) < n) {
    fail_unless (g_get_monotonic_time () < end, "timeout of a script");
    g_usleep (200);
  }
}

GstFlowReturn
feeder_join (Feeder * feeder)
{
  GstFlowReturn flow;

  g_thread_join (feeder->thread);
  flow = feeder->flow;
  g_ptr_array_unref (feeder->script);
  g_free (feeder);
  return flow;
}

GstEvent *
rig_wait_event (Rig * rig, GstEventType type)
{
  return wait_event (rig->view[LEFT], type);
}

GstEvent *
wait_event (GstHarness * h, GstEventType type)
{
  GstEvent *event;

  while ((event = gst_harness_pull_event (h)) != NULL) {
    if (GST_EVENT_TYPE (event) == type)
      return event;
    gst_event_unref (event);
  }
  fail ("no %s event downstream", gst_event_type_get_name (type));
  return NULL;
}

GPtrArray *
rig_run (Rig * rig, Script * left, Script * right)
{
  GPtrArray *maps =
      g_ptr_array_new_with_free_func ((GDestroyNotify) gst_buffer_unref);
  Script *scripts[] = { left, right };
  Feeder *feeders[2];
  GstBuffer *map;

  for (gint i = 0; i < 2; i++) {
    if (scripts[i] == NULL)
      scripts[i] = script_new ();
    script_event (scripts[i], gst_event_new_eos ());
    feeders[i] = feeder_new (rig, i, scripts[i]);
  }
  gst_event_unref (rig_wait_event (rig, GST_EVENT_EOS));
  for (gint i = 0; i < 2; i++)
    feeder_join (feeders[i]);
  while ((map = gst_harness_try_pull (rig->view[LEFT])) != NULL)
    g_ptr_array_add (maps, map);
  return maps;
}

/* --------------------------------------------------------------- pipelines */

GstClockTime
get_patience (void)
{
  const gchar *limit = g_getenv ("CK_DEFAULT_TIMEOUT");
  const guint64 seconds = limit == NULL ? 60
      : g_ascii_strtoull (limit, NULL, 10);

  return seconds * GST_SECOND * 5 / 6;
}

GstElement *
pipeline_new (const gchar * line, ...)
{
  GstElement *pipeline;
  GError *error = NULL;
  va_list args;
  gchar *launch;

  va_start (args, line);
  launch = g_strdup_vprintf (line, args);
  va_end (args);
  pipeline = gst_parse_launch (launch, &error);
  fail_unless (error == NULL, "%s: %s", launch, error ? error->message : "");
  g_free (launch);
  return pipeline;
}

void
pipeline_watch (GstElement * pipeline, const gchar * sink, GCallback on_buffer,
    gpointer user_data)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), sink);

  g_object_set (element, "signal-handoffs", TRUE, NULL);
  g_signal_connect (element, "handoff", on_buffer, user_data);
  gst_object_unref (element);
}

static GstMessage *
wait_message (GstElement * pipeline, GstMessageType types)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, PATIENCE, types);

  gst_object_unref (bus);
  fail_unless (message != NULL, "no %s", gst_message_type_get_name (types
          & (types - 1) ? types & ~GST_MESSAGE_ERROR : types));
  return message;
}

void
pipeline_wait (GstElement * pipeline, GstMessageType type)
{
  GstMessage *message = wait_message (pipeline, type | GST_MESSAGE_ERROR);
  GError *error = NULL;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    fail ("%s", error->message);
  }
  gst_message_unref (message);
}

GError *
pipeline_wait_error (GstElement * pipeline, GstObject ** source)
{
  GstMessage *message = wait_message (pipeline, GST_MESSAGE_ERROR);
  GError *error = NULL;

  gst_message_parse_error (message, &error, NULL);
  if (source != NULL)
    *source = GST_MESSAGE_SRC (message);
  gst_message_unref (message);
  return error;
}

void
set_state (GstElement * element, GstState state)
{
  fail_unless_equals_int (gst_element_set_state (element, state),
      GST_STATE_CHANGE_SUCCESS);
}

void
pipeline_free (GstElement * pipeline)
{
  set_state (pipeline, GST_STATE_NULL);
  /* GStreamer's state change threads may still hold references */
  for (guint i = 0; i < 1000 && GST_OBJECT_REFCOUNT_VALUE (pipeline) > 1; i++)
    g_usleep (1000);
  ASSERT_OBJECT_REFCOUNT (pipeline, "the pipeline", 1);
  gst_object_unref (pipeline);
}

/* -------------------------------------------------------------- allocation */

typedef GstVideoBufferPool PaddedPool;
typedef GstVideoBufferPoolClass PaddedPoolClass;
static GType padded_pool_get_type (void);
G_DEFINE_TYPE (PaddedPool, padded_pool, GST_TYPE_VIDEO_BUFFER_POOL);

static GstFlowReturn
padded_pool_alloc (GstBufferPool * pool, GstBuffer ** buffer,
    GstBufferPoolAcquireParams * params)
{
  GstFlowReturn ret =
      GST_BUFFER_POOL_CLASS (padded_pool_parent_class)->alloc_buffer (pool,
      buffer, params);

  if (ret == GST_FLOW_OK)
    gst_buffer_memset (*buffer, 0, 0xa5, gst_buffer_get_size (*buffer));
  return ret;
}

static void
padded_pool_class_init (PaddedPoolClass * klass)
{
  GST_BUFFER_POOL_CLASS (klass)->alloc_buffer = padded_pool_alloc;
}

static void
padded_pool_init (PaddedPool * self)
{
}

static GstPadProbeReturn
answer_with_padding (GstPad * pad, GstPadProbeInfo * probe, gpointer user_data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (probe);
  GstVideoAlignment alignment;
  GstBufferPool *pool;
  GstStructure *config;
  GstVideoInfo info;
  GstCaps *caps;
  guint size;

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;
  gst_query_parse_allocation (query, &caps, NULL);
  fail_unless (gst_video_info_from_caps (&info, caps));
  gst_video_alignment_reset (&alignment);
  alignment.padding_left = 64;
  alignment.padding_right = PADDING_COLUMNS - 64;
  alignment.padding_top = 4;
  alignment.padding_bottom = 6;
  pool = g_object_new (padded_pool_get_type (), NULL);
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (config, caps, (guint) info.size, 0, 0);
  gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  gst_buffer_pool_config_add_option (config,
      GST_BUFFER_POOL_OPTION_VIDEO_ALIGNMENT);
  gst_buffer_pool_config_set_video_alignment (config, &alignment);
  fail_unless (gst_buffer_pool_set_config (pool, config));
  /* the size with padding */
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_get_params (config, NULL, &size, NULL, NULL);
  gst_structure_free (config);
  gst_query_add_allocation_pool (query, pool, size, 0, 0);
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  gst_object_unref (pool);
  return GST_PAD_PROBE_HANDLED;
}

void
propose_padding (GstPad * sink)
{
  gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM,
      answer_with_padding, NULL, NULL);
}

/* Elements of the plugin whose class derives directly from parent (NULL:
 * all). */
static gchar **
elements_of (const gchar * parent)
{
  GPtrArray *names = g_ptr_array_new ();
  GList *features =
      gst_registry_get_feature_list_by_plugin (gst_registry_get (),
      "stereomatching");

  for (GList * f = features; f != NULL; f = f->next) {
    GstPluginFeature *loaded;
    GType type;

    if (!GST_IS_ELEMENT_FACTORY (f->data))
      continue;
    loaded = gst_plugin_feature_load (f->data);
    fail_unless (loaded != NULL);
    type = gst_element_factory_get_element_type (GST_ELEMENT_FACTORY (loaded));
    if (parent == NULL
        || g_strcmp0 (g_type_name (g_type_parent (type)), parent) == 0)
      g_ptr_array_add (names, g_strdup (GST_OBJECT_NAME (loaded)));
    gst_object_unref (loaded);
  }
  gst_plugin_feature_list_free (features);
  fail_unless (names->len > 0, "the plugin has no such element");
  g_ptr_array_add (names, NULL);
  return (gchar **) g_ptr_array_free (names, FALSE);
}

gchar **
plugin_elements (void)
{
  return elements_of (NULL);
}

gchar **
matchers (void)
{
  return elements_of ("GstStereoMatcher");
}

/* ------------------------------------------------------------ any element */

void
bus_expect_error (GstBus * bus, GstClockTime timeout, const gchar * text)
{
  GstMessage *message = gst_bus_timed_pop_filtered (bus, timeout,
      GST_MESSAGE_ERROR);
  GError *error = NULL;

  fail_unless (message != NULL, "no error '%s'", text);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, text) != NULL,
      "'%s' does not contain '%s'", error->message, text);
  g_clear_error (&error);
  gst_message_unref (message);
}

void
check_equal (GstBuffer * a, GstBuffer * b)
{
  GstMapInfo map;

  fail_unless (gst_buffer_map (a, &map, GST_MAP_READ));
  fail_unless_equals_int (gst_buffer_get_size (b), map.size);
  fail_unless (gst_buffer_memcmp (b, 0, map.data, map.size) == 0);
  gst_buffer_unmap (a, &map);
  gst_buffer_unref (a);
  gst_buffer_unref (b);
}

gboolean
check_has_element (const gchar * name)
{
  GstElementFactory *factory = gst_element_factory_find (name);

  fail_unless (factory != NULL || g_getenv ("STEREO_EMULATED") != NULL,
      "GStreamer has no %s", name);
  if (factory == NULL)
    return FALSE;
  gst_object_unref (factory);
  return TRUE;
}

GstStructure *
custom_meta_of (GstBuffer * buffer, const gchar * name)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, name);

  return meta != NULL ? gst_custom_meta_get_structure (meta) : NULL;
}

void
count_freed (gpointer counter, GstMiniObject * object)
{
  g_atomic_int_inc ((gint *) counter);
}

/* --------------------------------------------------------------------- main */

static CheckAddTest registered[64];
static guint n_registered;

void
check_register (CheckAddTest add)
{
  g_assert (n_registered < G_N_ELEMENTS (registered));
  registered[n_registered++] = add;
}

/*
 * libcheck keeps the results in temporary files.  Windows' C library may give
 * the same name to another process at the same time, so each process has a
 * directory for them.
 */
static int
run_suite (Suite * suite, const gchar * name, const gchar * file)
{
  gchar *folder = NULL;
  int failed;

#ifdef G_OS_WIN32
  folder = g_dir_make_tmp ("stereo-check-XXXXXX", NULL);
  g_assert_nonnull (folder);
  g_setenv ("TMP", folder, TRUE);
#endif
  failed = gst_check_run_suite (suite, name, file);
  if (folder != NULL)
    g_rmdir (folder);
  g_free (folder);
  return failed;
}

int
check_run (const gchar * name, const gchar * file, SFun setup, SFun teardown)
{
  Suite *suite = suite_create (name);
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  if (setup != NULL)
    tcase_add_checked_fixture (tc, setup, teardown);
  for (guint i = 0; i < n_registered; i++)
    registered[i] (tc);
  return run_suite (suite, name, file);
}
