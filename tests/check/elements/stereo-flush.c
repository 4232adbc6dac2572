/* gst-stereomatching: stopping and flushing at any time
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "../stereocheck.h"

/* Number of buffers in downstream's pool; the sink never returns them. */
#define N_BUFFERS 2

/* ------------------------------------------------------------- a small pool */

/* A pool of N_BUFFERS that counts acquisitions. */
typedef struct
{
  GstVideoBufferPool parent;
} CountingPool;

typedef struct
{
  GstVideoBufferPoolClass parent_class;
} CountingPoolClass;

static GType counting_pool_get_type (void);
G_DEFINE_TYPE (CountingPool, counting_pool, GST_TYPE_VIDEO_BUFFER_POOL)

static gint n_wanted;

static GstFlowReturn
counting_pool_acquire_buffer (GstBufferPool * pool, GstBuffer ** buffer,
    GstBufferPoolAcquireParams * params)
{
  g_atomic_int_inc (&n_wanted);
  return GST_BUFFER_POOL_CLASS (counting_pool_parent_class)->acquire_buffer
      (pool, buffer, params);
}

static void
counting_pool_class_init (CountingPoolClass * klass)
{
  GST_BUFFER_POOL_CLASS (klass)->acquire_buffer = counting_pool_acquire_buffer;
}

static void
counting_pool_init (CountingPool * self G_GNUC_UNUSED)
{
}

static GstPadProbeReturn
propose_small_pool (GstPad * pad G_GNUC_UNUSED, GstPadProbeInfo * probe,
    gpointer user_data G_GNUC_UNUSED)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (probe);
  GstBufferPool *pool;
  GstVideoInfo info;
  GstCaps *caps;

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;
  gst_query_parse_allocation (query, &caps, NULL);
  fail_unless (gst_video_info_from_caps (&info, caps));
  pool = g_object_new (counting_pool_get_type (), NULL);
  gst_query_add_allocation_pool (query, pool, info.size, N_BUFFERS, N_BUFFERS);
  gst_object_unref (pool);
  return GST_PAD_PROBE_HANDLED;
}

/* Offers the small pool downstream; the harness keeps all buffers. */
static void
offer_small_pool (GstHarness * h)
{
  n_wanted = 0;
  gst_pad_add_probe (h->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM,
      propose_small_pool, NULL, NULL);
}

/* Waits until the element waits for one buffer more than the pool has. */
static void
wait_until_used_up (void)
{
  while (g_atomic_int_get (&n_wanted) <= N_BUFFERS)
    g_usleep (1000);
}

/* Buffers never return to the pool meanwhile: a stop or a flush that waits for
 * one does not return either. */
static void
stop (GstElement * element)
{
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_NULL),
      GST_STATE_CHANGE_SUCCESS);
}

/* ----------------------------------------------------------------- matchers */

static Feeder *
feed (Rig * rig, gint view)
{
  Script *script = script_new ();

  script_numbers (script, view, 0, 1, 2, 3, 4, 5, -1);
  return feeder_new (rig, view, script);
}

/* Opens a matcher that waits for a buffer, which blocks both sources. */
static void
open_without_buffers (Rig * rig, Feeder * feeders[2])
{
  keep_backends (TRUE);
  rig_open (rig, VCBW);
  offer_small_pool (rig->view[LEFT]);
  for (gint v = LEFT; v <= RIGHT; v++)
    rig_caps (rig, v, CAPS);
  for (gint v = LEFT; v <= RIGHT; v++)
    feeders[v] = feed (rig, v);
  wait_until_used_up ();
}

TEST (test_stop_without_buffers)
{
  Feeder *feeders[2];
  Rig rig;

  open_without_buffers (&rig, feeders);
  stop (rig.element);
  for (gint v = LEFT; v <= RIGHT; v++)
    feeder_join (feeders[v]);
  rig_expect_no_error (&rig);
  rig_close (&rig);
}

/* Flushes like a seek: sources stop between flush-start and flush-stop. feeders
 * may be NULL. */
static void
flush (Rig * rig, Feeder * feeders[2])
{
  rig_push_event (rig, gst_event_new_flush_start ());
  for (gint v = LEFT; feeders != NULL && v <= RIGHT; v++)
    feeder_join (feeders[v]);
  rig_push_event (rig, gst_event_new_flush_stop (TRUE));
}

TEST (test_flush_without_buffers)
{
  Feeder *feeders[2];
  GstSegment segment;
  GstBuffer *map;
  Rig rig;

  open_without_buffers (&rig, feeders);
  flush (&rig, feeders);

  /* a second flush, after the maps are released */
  while ((map = gst_harness_try_pull (rig.view[LEFT])) != NULL)
    gst_buffer_unref (map);
  flush (&rig, NULL);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  rig_push_event (&rig, gst_event_new_segment (&segment));
  rig_check_pair (&rig, 6);
  rig_expect_no_error (&rig);
  rig_close (&rig);
}

#define MORE "stereopyramid backend=cpu n-threads=1 num-disparities=16"
#define LARGER \
    "video/x-raw, format=GRAY8, width=64, height=48, framerate=25/1"

static void
push_pairs (Rig * rig, guint n)
{
  for (guint i = 0; i < n; i++) {
    for (gint v = LEFT; v <= RIGHT; v++) {
      GstBuffer *image = gray_image (64, 48, 3 * v);

      GST_BUFFER_PTS (image) = i * FRAME;
      GST_BUFFER_DURATION (image) = FRAME;
      rig_push (rig, v, image);
    }
  }
}

/* Opens a matcher whose result pad waits for a buffer. */
static GstHarness *
open_without_result_buffers (Rig * rig)
{
  GstHarness *more;

  keep_backends (TRUE);
  rig_open (rig, MORE);
  more = gst_harness_new_with_element (rig->element, NULL, "src_vertical");
  offer_small_pool (more);
  for (gint v = LEFT; v <= RIGHT; v++)
    rig_caps (rig, v, LARGER);
  push_pairs (rig, N_BUFFERS + 1);
  wait_until_used_up ();
  return more;
}

/* Stopping does not wait for the buffer of a result pad. */
TEST (test_stop_without_buffers_of_a_result_pad)
{
  Rig rig;
  GstHarness *more = open_without_result_buffers (&rig);

  stop (rig.element);
  gst_harness_teardown (more);
  rig_expect_no_error (&rig);
  rig_close (&rig);
}

/* Releasing the blocked result pad unblocks the others. */
TEST (test_release_without_buffers)
{
  Rig rig;
  GstHarness *more = open_without_result_buffers (&rig);
  GstPad *pad;

  pad = gst_element_get_static_pad (rig.element, "src_vertical");
  gst_element_release_request_pad (rig.element, pad);
  gst_object_unref (pad);
  for (guint i = 0; i < N_BUFFERS + 1; i++)
    gst_buffer_unref (gst_harness_pull (rig.view[LEFT]));
  gst_harness_teardown (more);
  rig_expect_no_error (&rig);
  rig_close (&rig);
}

/* ------------------------------------------------------------------ filters */

#define DISPARITY \
    "video/x-raw, format=GRAY16_LE, width=8, height=8, framerate=25/1"

static gpointer
push_maps (gpointer user_data)
{
  GstHarness *h = user_data;
  GstFlowReturn flow = GST_FLOW_OK;

  for (guint i = 0; i <= N_BUFFERS && flow == GST_FLOW_OK; i++) {
    GstBuffer *map = gst_buffer_new_and_alloc (2 * 8 * 8);

    gst_buffer_memset (map, 0, 1, (gsize) - 1);
    GST_BUFFER_PTS (map) = i * FRAME;
    flow = gst_harness_push (h, map);
  }
  return GINT_TO_POINTER (flow);
}

LOOP_TEST (test_filter_without_buffers, FALSE, TRUE + 1)
{
  const gboolean stops = __i__;
  GstHarness *h;
  GstSegment segment;
  GThread *thread;
  GstBuffer *picture;

  keep_backends (TRUE);
  h = gst_harness_new_parse ("disparitycolor range-min=0 range-max=9");
  offer_small_pool (h);
  gst_harness_set_src_caps_str (h, DISPARITY);
  thread = g_thread_new ("maps", push_maps, h);
  wait_until_used_up ();
  if (stops) {
    stop (h->element);
    fail_unless_equals_int (GPOINTER_TO_INT (g_thread_join (thread)),
        GST_FLOW_FLUSHING);
  } else {
    gst_harness_push_event (h, gst_event_new_flush_start ());
    gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
    fail_unless_equals_int (GPOINTER_TO_INT (g_thread_join (thread)),
        GST_FLOW_FLUSHING);
    while ((picture = gst_harness_try_pull (h)) != NULL)
      gst_buffer_unref (picture);
    gst_segment_init (&segment, GST_FORMAT_TIME);
    gst_harness_push_event (h, gst_event_new_segment (&segment));
    fail_unless_equals_int (gst_harness_push (h,
            gst_buffer_new_and_alloc (2 * 8 * 8)), GST_FLOW_OK);
  }
  gst_harness_teardown (h);
}

/* ----------------------------------------------------------------- one view */

static void
flush_view (GstElement * element G_GNUC_UNUSED, GstSegment * segment
    G_GNUC_UNUSED, guint64 pts G_GNUC_UNUSED, guint64 dts G_GNUC_UNUSED,
    guint64 duration G_GNUC_UNUSED, GstStructure * info G_GNUC_UNUSED,
    GstHarness * view)
{
  gst_harness_push_event (view, gst_event_new_flush_start ());
  gst_harness_push_event (view, gst_event_new_flush_stop (TRUE));
}

/* One view of a pair that was just selected is flushed, which also resets its
 * segment. */
TEST (test_flush_of_one_view_of_a_pair)
{
  GstSegment segment;
  gulong id;
  Rig rig;

  for (gint v = LEFT; v <= RIGHT; v++) {
    rig_open_with_caps (&rig, VCBW "emit-signals=true", CAPS, CAPS);
    id = g_signal_connect (rig.element, "samples-selected",
        G_CALLBACK (flush_view), rig.view[v]);
    rig_check_pair (&rig, 2);
    g_signal_handler_disconnect (rig.element, id);

    gst_segment_init (&segment, GST_FORMAT_TIME);
    gst_harness_push_event (rig.view[v], gst_event_new_segment (&segment));
    rig_check_pair (&rig, 5);
    rig_expect_no_error (&rig);
    rig_close (&rig);
  }
}

/* Matches a numbered pair.  Returns whether its map is marked DISCONT. */
static gboolean
is_discont (Rig * rig, gint number)
{
  GstBuffer *map = rig_match (rig, numbered_image (LEFT, number),
      numbered_image (RIGHT, number));
  const gboolean discont = GST_BUFFER_FLAG_IS_SET (map,
      GST_BUFFER_FLAG_DISCONT);

  gst_buffer_unref (map);
  return discont;
}

/* The first map after a flush does not continue the last one. */
LOOP_TEST (test_discont_after_a_flush_of_one_view, 0, 4)
{
  const gint v = __i__ % 2;
  GstSegment segment;
  Rig rig;

  rig_open_with_caps (&rig, __i__ < 2 ? VCBW : VCBW "pairs=newest", CAPS, CAPS);
  fail_unless (is_discont (&rig, 0));
  fail_if (is_discont (&rig, 1));
  gst_harness_push_event (rig.view[v], gst_event_new_flush_start ());
  gst_harness_push_event (rig.view[v], gst_event_new_flush_stop (TRUE));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (rig.view[v], gst_event_new_segment (&segment));
  fail_unless (is_discont (&rig, 2));
  fail_if (is_discont (&rig, 3));
  rig_expect_no_error (&rig);
  rig_close (&rig);
}

#ifndef GST_DISABLE_GST_DEBUG

/* A GAP event that GstAggregator handles while its view is flushed. */
typedef struct
{
  GstPad *pad;                  /* the sink pad of the view */
  GMutex lock;
  GCond cond;
  gboolean reached, flushed;
} Gap;

/* Holds GstAggregator up at its message about the event, until the flush is
 * over or waits for it. */
static void
on_log (GstDebugCategory * category G_GNUC_UNUSED, GstDebugLevel level
    G_GNUC_UNUSED, const gchar * file G_GNUC_UNUSED, const gchar * function
    G_GNUC_UNUSED, gint line G_GNUC_UNUSED, GObject * object,
    GstDebugMessage * message, gpointer user_data)
{
  Gap *gap = user_data;
  const gint64 end = g_get_monotonic_time () + G_TIME_SPAN_SECOND / 2;

  if (object != (GObject *) gap->pad
      || !g_str_has_prefix (gst_debug_message_get (message), "Got event: gap"))
    return;
  g_mutex_lock (&gap->lock);
  gap->reached = TRUE;
  g_cond_broadcast (&gap->cond);
  while (!gap->flushed && g_cond_wait_until (&gap->cond, &gap->lock, end));
  g_mutex_unlock (&gap->lock);
}

/* Sends a GAP event to a view and flushes the view meanwhile. */
static void
flush_in_gap (GstHarness * view, Gap * gap)
{
  gst_harness_push_event (view, gst_event_new_gap (0, FRAME));
  g_mutex_lock (&gap->lock);
  while (!gap->reached)
    g_cond_wait (&gap->cond, &gap->lock);
  g_mutex_unlock (&gap->lock);
  gst_harness_push_event (view, gst_event_new_flush_start ());
  gst_harness_push_event (view, gst_event_new_flush_stop (TRUE));
  g_mutex_lock (&gap->lock);
  gap->flushed = TRUE;
  g_cond_broadcast (&gap->cond);
  g_mutex_unlock (&gap->lock);
}

/* The flush of one view resets its segment, which GstAggregator needs until it
 * has handled a GAP event. */
TEST (test_flush_of_one_view_in_a_gap)
{
  static Gap gap;
  GstSegment segment;
  Rig rig;

  rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
  gap.pad = gst_element_get_static_pad (rig.element, "sink_left");
  gst_debug_remove_log_function (gst_debug_log_default);
  gst_debug_add_log_function (on_log, &gap, NULL);
  gst_debug_set_threshold_for_name ("aggregator", GST_LEVEL_DEBUG);
  flush_in_gap (rig.view[LEFT], &gap);
  gst_debug_unset_threshold_for_name ("aggregator");
  gst_debug_remove_log_function (on_log);
  gst_debug_add_log_function (gst_debug_log_default, NULL, NULL);

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (rig.view[LEFT], gst_event_new_segment (&segment));
  rig_check_pair (&rig, 2);
  rig_expect_no_error (&rig);
  rig_close (&rig);
  gst_object_unref (gap.pad);
}

#endif

static gboolean
on_time (GstClock * clock, GstClockTime time, GstClockID id, gpointer done)
{
  g_atomic_int_set ((gint *) done, TRUE);
  return TRUE;
}

/* Waits until the element's periodic check, once a second, has run. */
static void
wait_for_the_clock (void)
{
  GstClock *clock = gst_system_clock_obtain ();
  GstClockID id = gst_clock_new_single_shot_id (clock, gst_clock_get_time
      (clock) + GST_SECOND + 10 * GST_MSECOND);
  gint done = FALSE;

  gst_clock_id_wait_async (id, on_time, &done, NULL);
  while (!g_atomic_int_get (&done))
    g_usleep (1000);
  gst_clock_id_unref (id);
  gst_object_unref (clock);
}

/* A flush releases waiting images, also those that the periodic check has
 * inspected. */
TEST (test_flush_frees_images)
{
  for (gint v = LEFT; v <= RIGHT; v++) {
    GstBuffer *image = numbered_image (v, 0);
    gint freed = 0;
    Rig rig;

    rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
    gst_mini_object_weak_ref (GST_MINI_OBJECT (image), count_freed, &freed);
    rig_push (&rig, v, image);
    wait_for_the_clock ();
    fail_unless_equals_int (freed, 0);
    gst_harness_push_event (rig.view[v], gst_event_new_flush_start ());
    gst_harness_push_event (rig.view[v], gst_event_new_flush_stop (TRUE));
    fail_unless_equals_int (freed, 1);
    rig_expect_no_error (&rig);
    rig_close (&rig);
  }
}

typedef struct
{
  GstElement *source;
  guint seeks;
} Seeker;

static gpointer
seek (gpointer user_data)
{
  Seeker *seeker = user_data;

  for (guint i = 0; i < seeker->seeks; i++) {
    gst_element_seek_simple (seeker->source, GST_FORMAT_TIME,
        GST_SEEK_FLAG_FLUSH, (i % 100) * GST_MSECOND);
    if (i % 3 == 0)
      g_usleep (i * 37 % 500);
  }
  return NULL;
}

/* Concurrent seeks of both views. */
TEST (test_seeks_of_each_view)
{
  GstElement *pipeline = gst_parse_launch ("stereotestsrc name=left ! "
      "video/x-raw,width=8,height=8,format=GRAY8 ! m.sink_left  stereotestsrc "
      "name=right view=right ! video/x-raw,width=8,height=8,format=GRAY8 ! "
      "m.sink_right  stereovcbw name=m backend=cpu n-threads=1 "
      "num-disparities=2 ! fakesink sync=false async=false", NULL);
  Seeker seekers[2];
  GThread *threads[2];
  GstMessage *message;

  fail_unless (pipeline != NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (gint v = LEFT; v <= RIGHT; v++) {
    seekers[v].source = gst_bin_get_by_name (GST_BIN (pipeline),
        v == LEFT ? "left" : "right");
    seekers[v].seeks = 2000;
    threads[v] = g_thread_new ("seeker", seek, &seekers[v]);
  }
  for (gint v = LEFT; v <= RIGHT; v++) {
    g_thread_join (threads[v]);
    gst_object_unref (seekers[v].source);
  }
  message = gst_bus_pop_filtered (GST_ELEMENT_BUS (pipeline),
      GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  fail_unless (message == NULL, "%" GST_PTR_FORMAT, message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

/* A serialized query on inactive pads, which a source may send during a state
 * change. */
TEST (test_query_before_start)
{
  GstElement *element = gst_element_factory_make ("stereovcbw", NULL);
  GstQuery *drain = gst_query_new_drain ();

  gst_object_ref_sink (element);
  for (gint v = LEFT; v <= RIGHT; v++) {
    GstPad *pad = gst_element_get_static_pad (element, v == LEFT ? "sink_left"
        : "sink_right");

    fail_if (gst_pad_query (pad, drain));
    gst_object_unref (pad);
  }
  gst_query_unref (drain);
  gst_object_unref (element);
}

/* ------------------------------------------------------------------ queries */

/* A propose_allocation() that blocks until answer_wanted is set. */
static gboolean (*propose) (GstAggregator * self, GstAggregatorPad * pad,
    GstQuery * decide_query, GstQuery * query);
static gint answering, answer_wanted, answered, left;

static gboolean
propose_late (GstAggregator * self, GstAggregatorPad * pad,
    GstQuery * decide_query, GstQuery * query)
{
  gboolean ok;

  g_atomic_int_set (&answering, TRUE);
  while (!g_atomic_int_get (&answer_wanted))
    g_usleep (1000);
  ok = propose (self, pad, decide_query, query);
  g_atomic_int_set (&answered, TRUE);
  return ok;
}

typedef struct
{
  GstPad *pad;
  GstQuery *query;
  gboolean ok;
} QuerySender;

static gpointer
send_query (gpointer user_data)
{
  QuerySender *sender = user_data;

  sender->ok = gst_pad_peer_query (sender->pad, sender->query);
  g_atomic_int_set (&left, TRUE);
  return NULL;
}

/* After a flush the caller may free its query, although its answer is still
 * being computed.  GstAggregator 1.24 and newer makes the caller wait for
 * it. */
static void
check_flush_of_a_query (GstHarness * h, const gchar * caps_string)
{
  GstAggregatorClass *klass = GST_AGGREGATOR_GET_CLASS (h->element);
  GstCaps *caps = gst_caps_from_string (caps_string);
  QuerySender sender = {.pad = h->srcpad };
  guint n_metas;
  GThread *thread;

  answering = answer_wanted = answered = left = FALSE;
  propose = klass->propose_allocation;
  klass->propose_allocation = propose_late;
  sender.query = gst_query_new_allocation (caps, TRUE);
  gst_caps_unref (caps);
  thread = g_thread_new ("query", send_query, &sender);
  while (!g_atomic_int_get (&answering))
    g_usleep (1000);
  gst_harness_push_event (h, gst_event_new_flush_start ());
  for (gint i = 0; i < 200 && !g_atomic_int_get (&left); i++)
    g_usleep (1000);
  g_atomic_int_set (&answer_wanted, TRUE);
  g_thread_join (thread);
  while (!g_atomic_int_get (&answered))
    g_usleep (1000);
  gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
  klass->propose_allocation = propose;
  n_metas = gst_query_get_n_allocation_metas (sender.query);
  fail_unless_equals_int (n_metas, sender.ok ? 1 : 0);

  /* the next query is answered */
  fail_unless (gst_pad_peer_query (h->srcpad, sender.query));
  fail_unless_equals_int (gst_query_get_n_allocation_metas (sender.query),
      n_metas + 1);
  gst_query_unref (sender.query);
}

TEST (test_flush_of_a_query)
{
  Rig rig;

  for (gint v = LEFT; v <= RIGHT; v++) {
    rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
    check_flush_of_a_query (rig.view[v], CAPS);
    rig_expect_no_error (&rig);
    rig_close (&rig);
  }
}

TEST (test_flush_of_a_query_for_maps)
{
  GstHarness *h = gst_harness_new_with_padnames ("stereoview", "sink_disparity",
      "src");

  gst_harness_set_src_caps_str (h, DISPARITY);
  check_flush_of_a_query (h, DISPARITY);
  gst_harness_teardown (h);
}

/* ----------------------------------------------------------------- segments */

/* Pairs are matched as soon as there is a segment. */
static void
check_segment (Rig * rig)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  rig_push_event (rig, gst_event_new_segment (&segment));
  rig_check_pair (rig, 5);
  rig_expect_no_error (rig);
  rig_close (rig);
}

/* GstPad warns about it; the element posts nothing. */
TEST (test_data_before_a_segment)
{
  Rig rig;

  rig_open (&rig, VCBW);
  for (gint v = LEFT; v <= RIGHT; v++) {
    gst_harness_push_event (rig.view[v], gst_event_new_stream_start ("s"));
    fail_unless (rig_push_caps (&rig, v, CAPS));
  }
  for (gint v = LEFT; v <= RIGHT; v++) {
    ASSERT_WARNING (rig_push (&rig, v, numbered_image (v, 1)));
  }
  check_segment (&rig);
}

/* The segment that would give the gap its running time is missing. */
TEST (test_gap_before_a_segment)
{
  Rig rig;

  rig_open (&rig, VCBW);
  for (gint v = LEFT; v <= RIGHT; v++) {
    gst_harness_push_event (rig.view[v], gst_event_new_stream_start ("s"));
    fail_unless (rig_push_caps (&rig, v, CAPS));
    gst_harness_push_event (rig.view[v], gst_event_new_gap (0, FRAME));
  }
  check_segment (&rig);
}

/* EOS without a segment, after a stop that interrupted a seek: EOS must still
 * be forwarded, with a valid sequence number. */
static void
check_end_without_a_segment (GstElement * element, GstHarness * view[2])
{
  GstEvent *event = gst_event_new_seek (1, GST_FORMAT_TIME,
      GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, -1);

  gst_harness_push_upstream_event (view[0], event);
  set_state (element, GST_STATE_READY);
  gst_pad_set_active (view[0]->sinkpad, FALSE);
  gst_pad_set_active (view[0]->sinkpad, TRUE);
  set_state (element, GST_STATE_PLAYING);
  for (gint i = 0; i < 2; i++) {
    gst_harness_push_event (view[i], gst_event_new_stream_start ("s"));
    gst_harness_push_event (view[i], gst_event_new_eos ());
  }
  event = wait_event (view[0], GST_EVENT_EOS);
  fail_unless (gst_event_get_seqnum (event) != GST_SEQNUM_INVALID);
  gst_event_unref (event);
}

TEST (test_end_without_a_segment)
{
  Rig rig;

  rig_open (&rig, VCBW);
  check_end_without_a_segment (rig.element, rig.view);
  rig_expect_no_error (&rig);
  rig_close (&rig);
}

TEST (test_end_without_a_segment_of_maps)
{
  GstHarness *h[2];

  h[0] = gst_harness_new_with_padnames ("stereoview", "sink_disparity", "src");
  h[1] = gst_harness_new_with_element (h[0]->element, "sink_left", NULL);
  check_end_without_a_segment (h[0]->element, h);
  gst_harness_teardown (h[1]);
  gst_harness_teardown (h[0]);
}

CHECK_MAIN ("stereo-flush")
