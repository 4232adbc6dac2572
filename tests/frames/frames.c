/* gst-stereomatching: frames in flight on a GPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The plugin on a simulated GPU that the test pauses, limits in memory, or
 * loses: see fake-cuda.h.
 */

#include "../check/stereocheck.h"
#include "fake-cuda.h"
#include "plugin.h"

#define GPU_VCBW "stereovcbw radius=2 n-threads=1 backend=cuda "
#define AUTO_VCBW "stereovcbw radius=2 n-threads=1 backend=auto "

/* Time in which an event that must not happen would happen. */
#define A_WHILE (200 * 1000)

/* ----------------------------------------------------------------- helpers */

static void
push_pair (Rig * rig, gint number)
{
  rig_push (rig, LEFT, numbered_image (LEFT, number));
  rig_push (rig, RIGHT, numbered_image (RIGHT, number));
}

/* The next map, or NULL if none arrives within a time in microseconds. */
static GstBuffer *
pull (Rig * rig, gint64 patience)
{
  const gint64 end = g_get_monotonic_time () + patience;
  GstBuffer *map;

  while ((map = gst_harness_try_pull (rig->view[LEFT])) == NULL
      && g_get_monotonic_time () < end)
    g_usleep (500);
  return map;
}

static GstBuffer *
expect (Rig * rig)
{
  GstBuffer *map = pull (rig, PATIENCE / 1000);

  fail_unless (map != NULL, "no map");
  return map;
}

static void
expect_none (Rig * rig)
{
  fail_unless (pull (rig, A_WHILE) == NULL, "a map too many");
}

static gboolean
is_readable (GstBuffer * map)
{
  GstMapInfo info;

  if (!gst_buffer_map (map, &info, GST_MAP_READ))
    return FALSE;
  gst_buffer_unmap (map, &info);
  return TRUE;
}

/* Waits until a thread waits for the GPU. */
static void
expect_wait (void)
{
  for (guint i = 0; i < PATIENCE / GST_MSECOND && fake_cuda_waits () == 0; i++)
    g_usleep (1000);
  fail_unless (fake_cuda_waits () > 0);
}

static gpointer
let_go (gpointer unused)
{
  g_usleep (A_WHILE / 2);
  fake_cuda_hold (FALSE);
  return unused;
}

static gpointer
let_go_of_waiting (gpointer unused)
{
  expect_wait ();
  return let_go (unused);
}

static gpointer
lose (gpointer unused)
{
  expect_wait ();
  g_usleep (A_WHILE / 2);
  fake_cuda_lose ();
  return unused;
}

static void
open_rig (Rig * rig, const gchar * launch)
{
  fake_cuda_reset ();
  rig_open_with_caps (rig, launch, CAPS, CAPS);
}

/* ----------------------------------------------------------------- matchers */

/* The property limits the number of maps in flight, which keep their order. */
TEST (test_order)
{
  for (gint n = 1; n <= 4; n++) {
    gchar *launch = g_strdup_printf (GPU_VCBW "frames-in-flight=%d", n);
    GstBuffer *maps[6];
    Rig rig;

    open_rig (&rig, launch);
    g_free (launch);
    fake_cuda_hold (TRUE);
    for (gint i = 0; i < n; i++) {
      push_pair (&rig, i);
      maps[i] = expect (&rig);
    }
    fail_unless_equals_int (fake_cuda_waits (), 0);
    push_pair (&rig, n);
    expect_wait ();
    expect_none (&rig);
    fail_unless_equals_int (fake_cuda_waits (), 1);
    fake_cuda_hold (FALSE);
    maps[n] = expect (&rig);
    for (gint i = 0; i <= n; i++) {
      check_numbers (maps[i], i, i);
      fail_unless (GST_BUFFER_PTS (maps[i]) == (GstClockTime) i * FRAME);
      gst_buffer_unref (maps[i]);
    }
    rig_expect_no_error (&rig);
    rig_close (&rig);
    fail_unless_equals_uint64 (fake_cuda_used (), 0);
  }
}

/* Mapping the memory of a map waits for its frame. */
TEST (test_map_waits)
{
  GThread *thread;
  GstBuffer *map;
  Rig rig;

  open_rig (&rig, GPU_VCBW);
  fake_cuda_hold (TRUE);
  push_pair (&rig, 0);
  map = expect (&rig);
  thread = g_thread_new ("let go", let_go_of_waiting, NULL);
  check_numbers (map, 0, 0);
  g_thread_join (thread);
  gst_buffer_unref (map);
  rig_close (&rig);
}

/* The end of stream does not overtake frames, whose maps are correct. */
TEST (test_eos)
{
  GstBuffer *maps[2];
  GThread *thread;
  GstEvent *event;
  Rig rig;

  open_rig (&rig, GPU_VCBW "frames-in-flight=3");
  fake_cuda_hold (TRUE);
  for (gint i = 0; i < 2; i++) {
    push_pair (&rig, i);
    maps[i] = expect (&rig);
  }
  for (gint i = 0; i < 2; i++)
    gst_harness_push_event (rig.view[i], gst_event_new_eos ());
  g_usleep (A_WHILE);
  while ((event = gst_harness_try_pull_event (rig.view[LEFT])) != NULL) {
    fail_if (GST_EVENT_TYPE (event) == GST_EVENT_EOS);
    gst_event_unref (event);
  }
  thread = g_thread_new ("let go", let_go, NULL);
  gst_event_unref (rig_wait_event (&rig, GST_EVENT_EOS));
  g_thread_join (thread);
  for (gint i = 0; i < 2; i++) {
    check_numbers (maps[i], i, i);
    gst_buffer_unref (maps[i]);
  }
  rig_expect_no_error (&rig);
  rig_close (&rig);
}

TEST (test_flush)
{
  GstEvent *start = gst_event_new_flush_start ();
  GstEvent *stop = gst_event_new_flush_stop (TRUE);
  GstSegment segment;
  GThread *thread;
  GstBuffer *map;
  Rig rig;

  gst_event_set_seqnum (stop, gst_event_get_seqnum (start));
  open_rig (&rig, GPU_VCBW "frames-in-flight=3");
  fake_cuda_hold (TRUE);
  for (gint i = 0; i < 2; i++) {
    push_pair (&rig, i);
    gst_buffer_unref (expect (&rig));
  }
  thread = g_thread_new ("let go", let_go, NULL);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  for (gint i = 0; i < 2; i++)
    gst_harness_push_event (rig.view[i], gst_event_ref (start));
  for (gint i = 0; i < 2; i++)
    gst_harness_push_event (rig.view[i], gst_event_ref (stop));
  for (gint i = 0; i < 2; i++)
    gst_harness_push_event (rig.view[i], gst_event_new_segment (&segment));
  gst_event_unref (start);
  gst_event_unref (stop);
  push_pair (&rig, 5);
  map = expect (&rig);
  check_numbers (map, 5, 5);
  fail_unless (GST_BUFFER_IS_DISCONT (map));
  gst_buffer_unref (map);
  g_thread_join (thread);
  rig_expect_no_error (&rig);
  rig_close (&rig);
}

/* The size changes while frames are in flight. */
TEST (test_caps_change)
{
  static const gchar other[] =
      "video/x-raw, format=GRAY8, width=192, height=6, framerate=25/1";
  GstCaps *caps = gst_caps_from_string ("video/x-raw, format=GRAY16_LE, "
      "width=192, height=6, framerate=25/1");
  GstBuffer *before, *map, *images[2];
  GThread *thread;
  Rig rig;

  open_rig (&rig, GPU_VCBW "frames-in-flight=3");
  fake_cuda_hold (TRUE);
  push_pair (&rig, 1);
  before = expect (&rig);
  thread = g_thread_new ("let go", let_go, NULL);
  for (gint i = 0; i < 2; i++) {
    fail_unless (rig_push_caps (&rig, i, other));
    images[i] = gray_image (192, 6, i * 9);
    GST_BUFFER_PTS (images[i]) = 2 * FRAME;
    rig_push (&rig, i, images[i]);
  }
  map = expect (&rig);
  check_numbers (before, 1, 1);
  check_codes (map, caps, 16, 180, 9 * 16);
  g_thread_join (thread);
  gst_caps_unref (caps);
  gst_buffer_unref (map);
  gst_buffer_unref (before);
  rig_expect_no_error (&rig);
  rig_close (&rig);
}

/* With live views, the newest pair is processed next, for any number of frames
 * in flight. */
TEST (test_newest)
{
  GstBuffer *map;
  Rig rig;

  open_rig (&rig, GPU_VCBW "pairs=newest frames-in-flight=4");
  fake_cuda_hold (TRUE);
  for (gint i = 0; i < 2; i++) {
    push_pair (&rig, i);
    map = expect (&rig);
    gst_buffer_unref (map);
  }
  for (gint i = 2; i < 6; i++)
    push_pair (&rig, i);
  expect_none (&rig);
  fake_cuda_hold (FALSE);
  map = expect (&rig);
  check_numbers (map, 5, 5);
  gst_buffer_unref (map);
  rig_expect_no_error (&rig);
  rig_close (&rig);
}

static void
on_pool_gone (gpointer gone, GObject * pool)
{
  g_atomic_int_inc ((gint *) gone);
}

/* Buffers that the GPU reads in place are kept until it has read them. */
TEST (test_inputs_stay)
{
  GstCaps *caps = gst_caps_from_string (CAPS);
  GstQuery *query = gst_query_new_allocation (caps, TRUE);
  GstBufferPool *pool = NULL;
  GstStructure *config;
  gint gone = 0;
  guint size, least;
  Rig rig;

  open_rig (&rig, GPU_VCBW "frames-in-flight=2");
  fail_unless (gst_pad_peer_query (rig.view[LEFT]->srcpad, query));
  gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &least, NULL);
  fail_unless (pool != NULL);
  /* one more in the queue, and one to fill */
  fail_unless (least >= 2 + 2);
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (config, caps, size, least, 0);
  fail_unless (gst_buffer_pool_set_config (pool, config));
  fail_unless (gst_buffer_pool_set_active (pool, TRUE));

  fake_cuda_hold (TRUE);
  for (gint i = 0; i < 2; i++) {
    GstBuffer *from = numbered_image (LEFT, i), *image;
    GstMapInfo info;

    fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pool, &image,
            NULL), GST_FLOW_OK);
    fail_unless (gst_buffer_map (from, &info, GST_MAP_READ));
    gst_buffer_fill (image, 0, info.data, info.size);
    gst_buffer_unmap (from, &info);
    gst_buffer_copy_into (image, from, GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
    gst_buffer_unref (from);
    rig_push (&rig, LEFT, image);
    rig_push (&rig, RIGHT, numbered_image (RIGHT, i));
    gst_buffer_unref (expect (&rig));
  }
  /* an inactive pool frees returned buffers */
  gst_buffer_pool_set_active (pool, FALSE);
  g_object_weak_ref (G_OBJECT (pool), on_pool_gone, &gone);
  gst_query_unref (query);
  gst_object_unref (pool);
  g_usleep (A_WHILE / 4);
  fail_unless_equals_int (g_atomic_int_get (&gone), 0);
  fake_cuda_hold (FALSE);
  for (gint i = 2; i < 5; i++) {
    push_pair (&rig, i);
    gst_buffer_unref (expect (&rig));
  }
  fail_unless_equals_int (g_atomic_int_get (&gone), 1);
  gst_caps_unref (caps);
  rig_close (&rig);
}

/* A numbered image for the left view, at the start of a memory. */
static GstBuffer *
image_in (GstMemory * memory, gint number)
{
  GstBuffer *from = numbered_image (LEFT, number), *image = gst_buffer_new ();
  GstMapInfo info;

  fail_unless (gst_memory_map (memory, &info, GST_MAP_WRITE));
  gst_buffer_extract (from, 0, info.data, info.size);
  gst_memory_unmap (memory, &info);
  gst_buffer_append_memory (image, gst_memory_ref (memory));
  gst_buffer_copy_into (image, from, GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
  gst_buffer_unref (from);
  return image;
}

/* System memory is pinned when a second frame has it, until it is freed. */
TEST (test_memory_of_pools_is_pinned)
{
  GstMemory *memory = gst_allocator_alloc (NULL, 1 << 20, NULL), *other;
  Rig rig;

  open_rig (&rig, GPU_VCBW);
  for (gint i = 0; i < 6; i++) {
    GstBuffer *map;

    other = gst_allocator_alloc (NULL, 1 << 20, NULL);
    rig_push (&rig, LEFT, image_in (i < 3 ? memory : other, i));
    rig_push (&rig, RIGHT, numbered_image (RIGHT, i));
    map = expect (&rig);
    check_numbers (map, i, i);
    gst_buffer_unref (map);
    gst_memory_unref (other);
    fail_unless_equals_int (fake_cuda_pinned (), i > 0);
  }
  rig_expect_no_error (&rig);
  rig_close (&rig);
  fail_unless_equals_int (fake_cuda_pinned (), 1);
  gst_memory_unref (memory);
  fail_unless_equals_int (fake_cuda_pinned (), 0);
}

/* A tee gives a memory to two elements: that is not yet a second frame. */
TEST (test_shared_memory_is_not_pinned)
{
  GstMemory *memory = gst_allocator_alloc (NULL, 1 << 20, NULL);
  GstBuffer *image, *copy;
  Rig rig[2];

  for (gint i = 0; i < 2; i++)
    open_rig (&rig[i], GPU_VCBW);
  image = image_in (memory, 0);
  copy = gst_buffer_copy (image);
  rig_push (&rig[0], LEFT, image);
  rig_push (&rig[1], LEFT, copy);
  for (gint i = 0; i < 2; i++) {
    rig_push (&rig[i], RIGHT, numbered_image (RIGHT, 0));
    gst_buffer_unref (expect (&rig[i]));
    fail_unless_equals_int (fake_cuda_pinned (), 0);
    rig_close (&rig[i]);
  }
  gst_memory_unref (memory);
}

/* ------------------------------------------------------------------ failure */

/* If the GPU is lost, the frame in flight is lost, too, and the CPU computes
 * the next ones. */
TEST (test_lost_auto)
{
  GstBuffer *good, *gone, *map;
  Rig rig;

  open_rig (&rig, AUTO_VCBW "frames-in-flight=2");
  push_pair (&rig, 0);
  good = expect (&rig);
  check_numbers (good, 0, 0);
  fake_cuda_hold (TRUE);
  push_pair (&rig, 1);
  gone = expect (&rig);
  fake_cuda_lose ();
  fail_if (is_readable (gone));
  for (gint i = 2; i < 6; i++) {
    push_pair (&rig, i);
    map = expect (&rig);
    check_numbers (map, i, i);
    gst_buffer_unref (map);
  }
  /* one warning, no error, and earlier maps are still valid */
  rig_expect_warning (&rig, GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_NO_SPACE_LEFT, "Falling back to the CPU", NULL);
  rig_expect_no_error (&rig);
  check_numbers (good, 0, 0);
  fail_if (is_readable (gone));
  gst_buffer_unref (good);
  gst_buffer_unref (gone);
  rig_close (&rig);
}

TEST (test_lost_cuda)
{
  GstBuffer *gone;
  Rig rig;

  open_rig (&rig, GPU_VCBW "frames-in-flight=2");
  fake_cuda_hold (TRUE);
  push_pair (&rig, 0);
  gone = expect (&rig);
  fake_cuda_lose ();
  for (gint i = 0; i < 2; i++)
    gst_harness_push (rig.view[i], numbered_image (i, 1));
  rig_expect_error (&rig, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED,
      "the GPU is gone", NULL);
  expect_none (&rig);
  rig_expect_no_error (&rig);
  fail_if (is_readable (gone));
  gst_buffer_unref (gone);
  rig_close (&rig);
}

/* No end of stream follows the error. */
TEST (test_lost_at_eos)
{
  GThread *thread;
  Rig rig;

  open_rig (&rig, GPU_VCBW "frames-in-flight=2");
  fake_cuda_hold (TRUE);
  push_pair (&rig, 0);
  gst_buffer_unref (expect (&rig));
  thread = g_thread_new ("lose", lose, NULL);
  for (gint i = 0; i < 2; i++)
    gst_harness_push_event (rig.view[i], gst_event_new_eos ());
  rig_expect_error (&rig, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED,
      "the GPU is gone", NULL);
  g_thread_join (thread);
  rig_expect_no_error (&rig);
  rig_close (&rig);
}

TEST (test_no_memory)
{
  GstBuffer *map;
  Rig rig;

  fake_cuda_reset ();
  fake_cuda_limit (100);
  rig_open_with_caps (&rig, AUTO_VCBW, CAPS, CAPS);
  for (gint i = 0; i < 3; i++) {
    push_pair (&rig, i);
    map = expect (&rig);
    check_numbers (map, i, i);
    gst_buffer_unref (map);
  }
  rig_expect_warning (&rig, GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_NO_SPACE_LEFT, "Falling back to the CPU", NULL);
  rig_expect_no_error (&rig);
  rig_close (&rig);

  rig_open_with_caps (&rig, GPU_VCBW, CAPS, CAPS);
  for (gint i = 0; i < 2; i++)
    gst_harness_push (rig.view[i], numbered_image (i, 1));
  rig_expect_error (&rig, GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_NO_SPACE_LEFT, "out of memory", NULL);
  expect_none (&rig);
  rig_expect_no_error (&rig);
  rig_close (&rig);
  fake_cuda_reset ();
}

/* Views that do not match cause the same warning as on the CPU, from pairs that
 * are complete when the next one is due. */
static gchar *
warning_of_swapped (const gchar * matcher)
{
  GstElement *pipeline = pipeline_new ("stereotestsrc num-buffers=8 "
      "pattern=thin num-disparities=32 view=right ! video/x-raw,width=160,"
      "height=120,framerate=1/1 ! m.sink_left  stereotestsrc num-buffers=8 "
      "pattern=thin num-disparities=32 ! video/x-raw,width=160,height=120,"
      "framerate=1/1 ! m.sink_right  stereosgm name=m num-disparities=32 %s ! "
      "fakesink", matcher);
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  gchar *text;
  GError *error;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, PATIENCE,
      GST_MESSAGE_WARNING | GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  fail_unless (message != NULL);
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_WARNING);
  gst_message_parse_warning (message, &error, NULL);
  text = g_strdup (error->message);
  g_error_free (error);
  gst_message_unref (message);
  message = gst_bus_timed_pop_filtered (bus, PATIENCE,
      GST_MESSAGE_WARNING | GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  fail_unless (message != NULL);
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_EOS);
  gst_message_unref (message);
  gst_object_unref (bus);
  pipeline_free (pipeline);
  return text;
}

TEST (test_diagnosis)
{
  static const gchar *const gpu[] = { "backend=cuda",
    "backend=cuda frames-in-flight=1", "backend=cuda frames-in-flight=4"
  };
  gchar *expected = warning_of_swapped ("backend=cpu"), *text;

  fail_unless (strstr (expected, "disparities are reliable") != NULL);
  for (guint i = 0; i < G_N_ELEMENTS (gpu); i++) {
    fake_cuda_reset ();
    text = warning_of_swapped (gpu[i]);
    fail_unless_equals_string (text, expected);
    g_free (text);
    fail_unless_equals_uint64 (fake_cuda_used (), 0);
  }
  g_free (expected);
}

/* ---------------------------------------------------------------- alignment */

#define LARGE "video/x-raw, format=GRAY8, width=160, height=120, " \
    "framerate=25/1"

static void
push_large_pair (Rig * rig, guint number)
{
  for (gint v = 0; v < 2; v++) {
    GstBuffer *image = gray_image (160, 120, 4 * v);

    GST_BUFFER_PTS (image) = number * FRAME;
    GST_BUFFER_DURATION (image) = FRAME;
    rig_push (rig, v, image);
  }
}

/* Every pair is measured, and as many maps are in flight as without: nothing
 * waits for a measurement. */
TEST (test_measuring_waits_for_nothing)
{
  for (guint n = 1; n <= 4; n++) {
    gchar *launch = g_strdup_printf (GPU_VCBW "num-disparities=8 "
        "alignment-interval=1 frames-in-flight=%u", n);
    Rig rig;

    fake_cuda_reset ();
    rig_open_with_caps (&rig, launch, LARGE, LARGE);
    g_free (launch);
    fake_cuda_hold (TRUE);
    for (guint i = 0; i < n; i++) {
      push_large_pair (&rig, i);
      gst_buffer_unref (expect (&rig));
    }
    fail_unless_equals_int (fake_cuda_waits (), 0);
    push_large_pair (&rig, n);
    expect_none (&rig);
    fake_cuda_hold (FALSE);
    gst_buffer_unref (expect (&rig));
    for (guint i = n + 1; i < 3 * n + 3; i++) {
      push_large_pair (&rig, i);
      gst_buffer_unref (expect (&rig));
    }
    fail_unless_equals_int (rig_count_messages (&rig, GST_MESSAGE_ELEMENT), 1);
    rig_close (&rig);
    fail_unless_equals_uint64 (fake_cuda_used (), 0);
  }
}

/* The report of the last measured pair, from a pipeline at its end. */
static GstStructure *
report_of (const gchar * matcher, guint n)
{
  GstElement *pipeline = pipeline_new ("stereotestsrc num-buffers=%u "
      "num-disparities=32 ! video/x-raw,format=GRAY8 ! m.sink_left  "
      "stereotestsrc num-buffers=%u num-disparities=32 view=right rows=1 "
      "roll=0.3 ! video/x-raw,format=GRAY8 ! m.sink_right  stereovcbw name=m "
      "radius=2 num-disparities=8 alignment-interval=1 %s ! fakesink", n, n,
      matcher);
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), "m");
  GstStructure *stats, *report;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  pipeline_wait (pipeline, GST_MESSAGE_EOS);
  g_object_get (element, "stats", &stats, NULL);
  fail_unless (gst_structure_get (stats, "alignment", GST_TYPE_STRUCTURE,
          &report, NULL));
  gst_structure_free (stats);
  gst_object_unref (element);
  pipeline_free (pipeline);
  return report;
}

/* The GPU measures the same as the CPU, to the last pair. */
TEST (test_measured_pairs)
{
  static const gchar *const gpu[] = { "backend=cuda frames-in-flight=1",
    "backend=cuda", "backend=cuda frames-in-flight=4"
  };
  GstStructure *expected = report_of ("backend=cpu", 1);

  fail_unless_equals_string (gst_structure_get_string (expected, "status"),
      "off");
  for (guint i = 0; i < G_N_ELEMENTS (gpu); i++) {
    GstStructure *report;

    fake_cuda_reset ();
    report = report_of (gpu[i], 1);
    fail_unless (gst_structure_is_equal (report, expected));
    gst_structure_free (report);
    report = report_of (gpu[i], 9);
    fail_unless_equals_string (gst_structure_get_string (report, "status"),
        "off");
    fail_if (gst_structure_is_equal (report, expected));
    gst_structure_free (report);
    fail_unless_equals_uint64 (fake_cuda_used (), 0);
  }
  gst_structure_free (expected);
}

/* A GPU that is lost with a measurement in flight: the CPU goes on. */
TEST (test_lost_measurement)
{
  Rig rig;

  fake_cuda_reset ();
  rig_open_with_caps (&rig, AUTO_VCBW "num-disparities=8 frames-in-flight=2 "
      "alignment-interval=1", LARGE, LARGE);
  fake_cuda_hold (TRUE);
  push_large_pair (&rig, 0);
  gst_buffer_unref (expect (&rig));
  fake_cuda_lose ();
  for (guint i = 1; i < 5; i++) {
    push_large_pair (&rig, i);
    gst_buffer_unref (expect (&rig));
  }
  rig_expect_warning (&rig, GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_NO_SPACE_LEFT, "Falling back to the CPU", NULL);
  rig_expect_no_error (&rig);
  fail_unless_equals_int (rig_count_messages (&rig, GST_MESSAGE_ELEMENT), 1);
  rig_close (&rig);
}

/* ----------------------------------------------- elements behind matchers */

static void
count (GstElement * sink, GstBuffer * buffer, GstPad * pad, gpointer n)
{
  g_atomic_int_inc ((gint *) n);
}

/* While the GPU is paused, a limited number of frames reaches the sink; then
 * all 8 do. */
static void
check_pipeline (const gchar * line, gint under_way)
{
  GstElement *pipeline;
  gint n = 0;

  fake_cuda_reset ();
  fake_cuda_hold (TRUE);
  pipeline = pipeline_new ("%s ! fakesink name=sink async=false", line);
  pipeline_watch (pipeline, "sink", G_CALLBACK (count), &n);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (gint i = 0; i < 1000 && g_atomic_int_get (&n) < under_way; i++)
    g_usleep (A_WHILE / 10);
  g_usleep (A_WHILE);
  fail_unless_equals_int (g_atomic_int_get (&n), under_way);
  fake_cuda_hold (FALSE);
  pipeline_wait (pipeline, GST_MESSAGE_EOS);
  fail_unless_equals_int (n, 8);
  pipeline_free (pipeline);
  fail_unless_equals_uint64 (fake_cuda_used (), 0);
}

#define SOURCE(view) "stereotestsrc num-buffers=8 num-disparities=8 " \
    "view=" view " ! video/x-raw, width=64, height=48 ! "
#define MATCH SOURCE ("left") "tee name=l " SOURCE ("right") "m.sink_right " \
    "l. ! queue ! m.sink_left stereovcbw radius=2 num-disparities=8 " \
    "backend=cuda name=m frames-in-flight="

TEST (test_view)
{
  for (gint n = 1; n <= 4; n++) {
    gchar *line = g_strdup_printf (MATCH "%d ! queue ! v.sink_disparity "
        "l. ! queue ! v.sink_left stereoview name=v backend=cuda "
        "position=0.5 frames-in-flight=%d", n, n);

    check_pipeline (line, n);
    g_free (line);
  }
}

/* Views of request pads belong to the frame. */
TEST (test_more_views)
{
  check_pipeline (MATCH "4 ! queue ! v.sink_disparity l. ! queue ! "
      "v.sink_left stereoview name=v backend=cuda layout=side-by-side "
      "frames-in-flight=2 v.view_0 ! queue ! fakesink async=false v.src",
      2);
}

TEST (test_filter)
{
  check_pipeline (MATCH "4 ! disparitydepth backend=cuda focal-length=50 "
      "baseline=0.1 frames-in-flight=3", 3);
}

/* Frames of a view or a filter are lost at the end. */
static void
check_lost (const gchar * line)
{
  GstElement *pipeline;
  GThread *thread;
  GError *error;

  fake_cuda_reset ();
  pipeline = pipeline_new ("%s ! fakesink async=false", line);
  fake_cuda_hold (TRUE);
  thread = g_thread_new ("lose", lose, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  error = pipeline_wait_error (pipeline, NULL);
  fail_unless (strstr (error->message, "the GPU is gone") != NULL, "%s",
      error->message);
  g_error_free (error);
  g_thread_join (thread);
  pipeline_free (pipeline);
  fake_cuda_reset ();
}

TEST (test_lost_views)
{
  check_lost (SOURCE ("left") "v.sink_left stereotestsrc num-buffers=8 "
      "num-disparities=8 view=disparity ! video/x-raw, width=64, height=48 ! "
      "v.sink_disparity stereoview name=v backend=cuda");
  check_lost ("stereotestsrc num-buffers=8 num-disparities=8 view=disparity ! "
      "video/x-raw, width=64, height=48 ! disparitydepth backend=cuda "
      "focal-length=50 baseline=0.1");
}

/* Frames in flight are dropped, and the CPU computes the others. */
static void
check_goes_on (const gchar * line)
{
  GstElement *pipeline;
  gint n = 0;

  fake_cuda_reset ();
  pipeline = pipeline_new ("%s ! fakesink name=sink async=false", line);
  pipeline_watch (pipeline, "sink", G_CALLBACK (count), &n);
  fake_cuda_hold (TRUE);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (g_atomic_int_get (&n) < 2)
    g_usleep (1000);
  fake_cuda_lose ();
  pipeline_wait (pipeline, GST_MESSAGE_EOS);
  fail_unless (n >= 4 && n <= 12, "%d buffers", n);
  pipeline_free (pipeline);
  fake_cuda_reset ();
}

#define MATCH_AUTO \
    "stereotestsrc num-buffers=12 num-disparities=8 view=left ! " \
    "video/x-raw, width=64, height=48 ! tee name=l " \
    "stereotestsrc num-buffers=12 num-disparities=8 view=right ! " \
    "video/x-raw, width=64, height=48 ! m.sink_right " \
    "l. ! queue ! m.sink_left stereovcbw radius=2 num-disparities=8 name=m "

TEST (test_lost_on_its_way)
{
  check_goes_on (MATCH_AUTO "! queue ! v.sink_disparity "
      "l. ! queue ! v.sink_left stereoview name=v position=0.5");
  check_goes_on (MATCH_AUTO "! disparitydepth backend=auto focal-length=50 "
      "baseline=0.1");
}

CHECK_MAIN_FIXTURE ("frames", register_plugin, NULL)
