/* gst-stereomatching: live views that arrive faster than they are matched
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A slow sink has the same effect as a slow matcher, since the task of the
 * element waits for both.  The sink blocks until the test releases a map, so
 * that nothing depends on the speed of the machine.
 */

#include "../stereocheck.h"

#include <string.h>

#define LIVE VCBW "pairs=newest "

typedef struct
{
  GMutex lock;
  GCond cond;
  guint arrived, released;
  GPtrArray *maps;              /* all maps that arrived, owned */
  GstFlowReturn flow;
} BlockingSink;

static BlockingSink blocking;

static GstFlowReturn
block_map (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  GstFlowReturn flow;

  g_mutex_lock (&blocking.lock);
  g_ptr_array_add (blocking.maps, buffer);
  blocking.arrived++;
  g_cond_broadcast (&blocking.cond);
  while (blocking.released < blocking.arrived)
    g_cond_wait (&blocking.cond, &blocking.lock);
  flow = blocking.flow;
  g_mutex_unlock (&blocking.lock);
  return flow;
}

static void
blocking_open (Rig * rig, const gchar * launch)
{
  rig_open_with_caps (rig, launch, CAPS, CAPS);
  g_mutex_init (&blocking.lock);
  g_cond_init (&blocking.cond);
  blocking.arrived = blocking.released = 0;
  blocking.flow = GST_FLOW_OK;
  blocking.maps = g_ptr_array_new_with_free_func
      ((GDestroyNotify) gst_buffer_unref);
  gst_pad_set_chain_function (rig->view[LEFT]->sinkpad, block_map);
}

/* Waits for the n-th map, counted from 1, which then blocks in the sink. */
static GstBuffer *
blocking_wait (guint n)
{
  gint64 end = g_get_monotonic_time () + PATIENCE / 1000;
  GstBuffer *map;

  g_mutex_lock (&blocking.lock);
  while (blocking.arrived < n)
    fail_unless (g_cond_wait_until (&blocking.cond, &blocking.lock, end),
        "timeout waiting for map %u", n);
  map = g_ptr_array_index (blocking.maps, n - 1);
  g_mutex_unlock (&blocking.lock);
  return map;
}

/* Releases n maps, including the one that blocks. */
static void
blocking_release (guint n)
{
  g_mutex_lock (&blocking.lock);
  blocking.released += n;
  g_cond_broadcast (&blocking.cond);
  g_mutex_unlock (&blocking.lock);
}

static void
blocking_close (Rig * rig)
{
  blocking_release (1000);
  rig_close (rig);
  g_ptr_array_unref (blocking.maps);
  g_cond_clear (&blocking.cond);
  g_mutex_clear (&blocking.lock);
}

static void
push_pair (Rig * rig, gint number)
{
  rig_push (rig, LEFT, numbered_image (LEFT, number));
  rig_push (rig, RIGHT, numbered_image (RIGHT, number));
}

/* Ends both streams. */
static void
push_eos (Rig * rig)
{
  rig_push_event (rig, gst_event_new_eos ());
}

/* After pair 0: while its map is blocked, pushes pairs 1 to 5, of which the
 * newest one must be matched next.  Returns its map. */
static GstBuffer *
match_newest (Rig * rig)
{
  GstBuffer *map;

  check_numbers (blocking_wait (1), 0, 0);
  for (gint i = 1; i < 6; i++)
    push_pair (rig, i);
  blocking_release (1);
  map = blocking_wait (2);
  check_numbers (map, 5, 5);
  return map;
}

/* Sources never block, and the newest pair is matched next. */
TEST (test_newest_pair)
{
  GstMessage *message;
  GstBuffer *map;
  Rig rig;

  blocking_open (&rig, LIVE);
  push_pair (&rig, 0);
  map = match_newest (&rig);
  fail_unless (GST_BUFFER_FLAG_IS_SET (map, GST_BUFFER_FLAG_DISCONT));
  fail_unless_equals_uint64 (rig_stat (&rig, "superseded"), 4);
  fail_unless_equals_uint64 (rig_stat (&rig, "paired"), 2);
  fail_unless_equals_uint64 (rig_stat (&rig, "dropped-left"), 0);
  fail_unless_equals_uint64 (rig_stat (&rig, "dropped-right"), 0);

  for (guint i = 1; i < 5; i++) {
    guint64 running_time, stream_time, timestamp, duration, processed, dropped;
    gboolean live;

    message = rig_message (&rig, GST_MESSAGE_QOS, 0);
    fail_unless (message != NULL);
    gst_message_parse_qos (message, &live, &running_time, &stream_time,
        &timestamp, &duration);
    fail_unless (live);
    fail_unless_equals_uint64 (running_time, i * FRAME);
    fail_unless_equals_uint64 (stream_time, i * FRAME);
    fail_unless_equals_uint64 (timestamp, i * FRAME);
    fail_unless_equals_uint64 (duration, FRAME);
    gst_message_parse_qos_stats (message, NULL, &processed, &dropped);
    fail_unless_equals_uint64 (dropped, i);
    gst_message_unref (message);
  }
  fail_unless_equals_int (rig_count_messages (&rig, GST_MESSAGE_QOS), 0);

  /* no pair was dropped before this one */
  push_pair (&rig, 6);
  blocking_release (1);
  map = blocking_wait (3);
  check_numbers (map, 6, 6);
  fail_if (GST_BUFFER_FLAG_IS_SET (map, GST_BUFFER_FLAG_DISCONT));
  rig_expect_no_error (&rig);
  blocking_close (&rig);
}

/* The message of a superseded pair has the times of its left image. */
TEST (test_superseded_times)
{
  GstClockTime timestamp;
  GstMessage *message;
  Rig rig;

  blocking_open (&rig, LIVE);
  push_pair (&rig, 0);
  blocking_wait (1);
  for (gint i = 1; i <= 2; i++) {
    GstBuffer *right = numbered_image (RIGHT, i);

    GST_BUFFER_PTS (right) += GST_MSECOND;
    rig_push (&rig, LEFT, numbered_image (LEFT, i));
    rig_push (&rig, RIGHT, right);
  }
  message = rig_message (&rig, GST_MESSAGE_QOS, 0);
  fail_unless (message != NULL);
  gst_message_parse_qos (message, NULL, NULL, NULL, &timestamp, NULL);
  fail_unless_equals_uint64 (timestamp, FRAME);
  gst_message_unref (message);
  blocking_close (&rig);
}

/* Images are cut to the segment. */
TEST (test_segment_start)
{
  GstSegment segment;
  GstBuffer *map;
  Rig rig;

  blocking_open (&rig, LIVE);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = FRAME / 4;
  rig_push_event (&rig, gst_event_new_segment (&segment));
  push_pair (&rig, 0);
  map = blocking_wait (1);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (map), FRAME / 4);
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (map), FRAME - FRAME / 4);
  blocking_close (&rig);
}

/* A pair may differ by half the duration of an image, as it is played, or of
 * the frame rate without one. */
TEST (test_durations)
{
  static const struct
  {
    gint fps;
    gdouble rate;
    GstClockTime duration, offset;
    gboolean is_pair;
  } cases[] = {
    {25, 1, 4 * FRAME, 3 * FRAME / 2, TRUE},
    {25, 1, 4 * FRAME, 5 * FRAME / 2, FALSE},
    {5, 1, GST_CLOCK_TIME_NONE, 2 * FRAME, TRUE},
    {5, 1, GST_CLOCK_TIME_NONE, 3 * FRAME, FALSE},
    {5, 1, 0, 2 * FRAME, TRUE},
    {25, 2, 4 * FRAME, 3 * FRAME / 2, TRUE},
    {25, 2, 4 * FRAME, 3 * FRAME, FALSE},
    {0, 2, GST_CLOCK_TIME_NONE, 1000 * FRAME, FALSE},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gchar *caps = g_strdup_printf ("video/x-raw, format=GRAY8, width=%d, "
        "height=%d, framerate=%d/1", WIDTH, HEIGHT, cases[i].fps);
    GstSegment segment;
    Rig rig;

    blocking_open (&rig, LIVE);
    gst_segment_init (&segment, GST_FORMAT_TIME);
    segment.rate = cases[i].rate;
    for (gint v = LEFT; v <= RIGHT; v++) {
      GstBuffer *image = numbered_image (v, 0);

      rig_push_caps (&rig, v, caps);
      gst_harness_push_event (rig.view[v], gst_event_new_segment (&segment));
      GST_BUFFER_DURATION (image) = cases[i].duration;
      GST_BUFFER_PTS (image) = v == LEFT ? 0 : cases[i].offset;
      rig_push (&rig, v, image);
    }
    fail_unless_equals_uint64 (rig_stat (&rig, "dropped-left"),
        !cases[i].is_pair);
    if (cases[i].is_pair)
      blocking_wait (1);
    blocking_close (&rig);
    g_free (caps);
  }
}

/* If one camera is late, the newest complete pair is matched. */
TEST (test_one_late_view)
{
  for (gint v = LEFT; v <= RIGHT; v++) {
    Rig rig;

    blocking_open (&rig, LIVE);
    push_pair (&rig, 0);
    blocking_wait (1);
    for (gint i = 1; i < 8; i++)
      rig_push (&rig, v, numbered_image (v, i));
    for (gint i = 1; i < 4; i++)
      rig_push (&rig, !v, numbered_image (!v, i));
    blocking_release (1);
    check_numbers (blocking_wait (2), 3, 3);
    for (gint i = 4; i < 7; i++)
      rig_push (&rig, !v, numbered_image (!v, i));
    blocking_release (1);
    check_numbers (blocking_wait (3), 6, 6);
    fail_unless_equals_uint64 (rig_stat (&rig, "superseded"), 4);
    fail_unless_equals_uint64 (rig_stat (&rig, "dropped-left"), 0);
    fail_unless_equals_uint64 (rig_stat (&rig, "dropped-right"), 0);
    rig_expect_no_error (&rig);
    blocking_close (&rig);
  }
}

/* An unpaired image is not matched. */
TEST (test_unpaired_images)
{
  Rig rig;

  blocking_open (&rig, LIVE);
  push_pair (&rig, 0);
  blocking_wait (1);
  rig_push (&rig, LEFT, numbered_image (LEFT, 1));
  rig_push (&rig, RIGHT, numbered_image (RIGHT, 2));
  rig_push (&rig, LEFT, numbered_image (LEFT, 3));
  rig_push (&rig, RIGHT, numbered_image (RIGHT, 3));
  rig_push (&rig, LEFT, numbered_image (LEFT, 4));
  blocking_release (1);
  check_numbers (blocking_wait (2), 3, 3);
  fail_unless_equals_uint64 (rig_stat (&rig, "superseded"), 0);
  fail_unless_equals_uint64 (rig_stat (&rig, "dropped-left"), 1);
  fail_unless_equals_uint64 (rig_stat (&rig, "dropped-right"), 1);
  fail_unless_equals_int (rig_count_messages (&rig, GST_MESSAGE_ELEMENT), 2);
  blocking_close (&rig);
}

/* A buffer that stands for a gap is no image that lacks a partner. */
TEST (test_gap)
{
  GstBuffer *gap = gst_buffer_new ();
  Rig rig;

  GST_BUFFER_PTS (gap) = FRAME;
  GST_BUFFER_FLAG_SET (gap, GST_BUFFER_FLAG_GAP);
  blocking_open (&rig, LIVE);
  rig_push (&rig, LEFT, gap);
  rig_push (&rig, RIGHT, numbered_image (RIGHT, 1));
  push_pair (&rig, 2);
  check_numbers (blocking_wait (1), 2, 2);
  fail_unless_equals_uint64 (rig_stat (&rig, "dropped-left"), 0);
  fail_unless_equals_uint64 (rig_stat (&rig, "dropped-right"), 1);
  fail_unless_equals_int (rig_count_messages (&rig, GST_MESSAGE_ELEMENT), 1);
  blocking_close (&rig);
}

/* A view without a partner does not block, and its queue is limited. */
TEST (test_one_view_alone)
{
  for (gint v = LEFT; v <= RIGHT; v++) {
    Rig rig;

    blocking_open (&rig, LIVE);
    for (guint i = 0; i < 100; i++) {
      GstBuffer *buffer = numbered_image (v, 0);

      GST_BUFFER_PTS (buffer) = i * FRAME;
      rig_push (&rig, v, buffer);
    }
    fail_unless_equals_uint64 (rig_stat (&rig, v == LEFT ? "dropped-left"
            : "dropped-right"), 100 - 32);
    /* the other camera is silent, which says nothing about its times */
    rig_expect_no_error (&rig);
    blocking_close (&rig);
  }
}

/* Appends a letter for each map and event, and the unmatched images. */
static GstPadProbeReturn
log_stream (GstPad * pad, GstPadProbeInfo * probe, gpointer user_data)
{
  GString *log = user_data;
  const GstStructure *structure;
  guint64 time;

  if (probe->type & GST_PAD_PROBE_TYPE_BUFFER) {
    g_string_append_printf (log, "map %u, ",
        (guint) (GST_BUFFER_PTS (probe->data) / FRAME));
    return GST_PAD_PROBE_OK;
  }
  structure = gst_event_get_structure (probe->data);
  if (structure == NULL
      || !gst_structure_has_name (structure, "stereo-unmatched"))
    return GST_PAD_PROBE_OK;
  if (gst_structure_get_uint64 (structure, "left-pts", &time))
    g_string_append_printf (log, "left %u, ", (guint) (time / FRAME));
  if (gst_structure_get_uint64 (structure, "right-pts", &time))
    g_string_append_printf (log, "right %u, ", (guint) (time / FRAME));
  return GST_PAD_PROBE_OK;
}

/* Consumers learn which images have no map, after the maps of older pairs
 * and before those of newer ones. */
TEST (test_unmatched_images)
{
  GString *log = g_string_new (NULL);
  Rig rig;

  blocking_open (&rig, LIVE);
  gst_pad_add_probe (rig.view[LEFT]->sinkpad, GST_PAD_PROBE_TYPE_BUFFER
      | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, log_stream, log, NULL);
  /* before the first map: no partner for the first right image */
  rig_push (&rig, RIGHT, numbered_image (RIGHT, 0));
  rig_push (&rig, LEFT, numbered_image (LEFT, 1));
  gst_event_unref (rig_wait_event (&rig, GST_EVENT_CUSTOM_DOWNSTREAM));
  rig_push (&rig, RIGHT, numbered_image (RIGHT, 1));
  blocking_wait (1);
  /* superseded */
  push_pair (&rig, 2);
  push_pair (&rig, 3);
  /* more than 32 left images: 4 to 6 will have no partner */
  for (guint i = 4; i < 39; i++) {
    GstBuffer *image = numbered_image (LEFT, 0);

    GST_BUFFER_PTS (image) = i * FRAME;
    rig_push (&rig, LEFT, image);
  }
  blocking_release (1);
  blocking_wait (2);
  rig_push (&rig, RIGHT, numbered_image (RIGHT, 7));
  blocking_release (2);
  blocking_wait (3);
  push_eos (&rig);
  gst_event_unref (rig_wait_event (&rig, GST_EVENT_EOS));
  fail_unless_equals_string (log->str, "right 0, map 1, map 3, left 6, "
      "right 2, map 7, ");
  blocking_close (&rig);
  g_string_free (log, TRUE);
}

/* Images that are never shown at the same time cause one warning. */
TEST (test_cameras_out_of_step)
{
  GstMessage *message;
  Rig rig;

  blocking_open (&rig, LIVE "sync-tolerance=0 ");
  for (guint i = 0; i < 40; i++) {
    for (gint v = LEFT; v <= RIGHT; v++) {
      GstBuffer *image = numbered_image (v, 0);

      GST_BUFFER_PTS (image) = i * FRAME + (guint) v * FRAME / 2;
      rig_push (&rig, v, image);
    }
  }
  fail_unless_equals_int (rig_count_messages (&rig, GST_MESSAGE_WARNING), 1);
  message = rig_message (&rig, GST_MESSAGE_ELEMENT, 0);
  fail_unless (message != NULL);
  gst_message_unref (message);
  blocking_close (&rig);
}

/* Complete pairs are matched before EOS. */
TEST (test_end)
{
  Rig rig;

  blocking_open (&rig, LIVE);
  push_pair (&rig, 0);
  blocking_wait (1);
  push_pair (&rig, 1);
  push_pair (&rig, 2);
  rig_push (&rig, LEFT, numbered_image (LEFT, 3));
  push_eos (&rig);
  blocking_release (2);
  gst_event_unref (rig_wait_event (&rig, GST_EVENT_EOS));
  fail_unless_equals_int (blocking.arrived, 2);
  check_numbers (blocking_wait (2), 2, 2);
  fail_unless_equals_uint64 (rig_stat (&rig, "dropped-left"), 1);
  rig_expect_no_error (&rig);
  blocking_close (&rig);
}

/* Matches pair 0 and ends view v after one more image, `last`.  Downstream
 * takes all maps. */
static void
end_one_view (Rig * rig, gint v, gint last)
{
  blocking_open (rig, LIVE);
  blocking_release (10);
  push_pair (rig, 0);
  blocking_wait (1);
  rig_push (rig, v, numbered_image (v, last));
  gst_harness_push_event (rig->view[v], gst_event_new_eos ());
}

/* After EOS of one view, its last image is matched if its partner arrives. */
TEST (test_end_of_one_view)
{
  for (gint v = LEFT; v <= RIGHT; v++) {
    for (gint with_last = 0; with_last <= 1; with_last++) {
      Rig rig;

      end_one_view (&rig, v, 1);
      gst_harness_push (rig.view[!v], numbered_image (!v, with_last ? 1 : 2));
      gst_event_unref (rig_wait_event (&rig, GST_EVENT_EOS));
      fail_unless_equals_int (blocking.arrived, 1 + (guint) with_last);
      fail_unless_equals_int (gst_harness_push (rig.view[!v],
              numbered_image (!v, 3)), GST_FLOW_EOS);
      rig_expect_no_error (&rig);
      blocking_close (&rig);
    }
  }
}

/* Images of the other view that have arrived before the end do not wait for
 * more, which may never come: their source may be blocked in another branch. */
TEST (test_images_before_the_end)
{
  for (gint v = LEFT; v <= RIGHT; v++) {
    Rig rig;

    blocking_open (&rig, LIVE);
    blocking_release (10);
    push_pair (&rig, 0);
    blocking_wait (1);
    rig_push (&rig, !v, numbered_image (!v, 1));
    gst_harness_push_event (rig.view[v], gst_event_new_eos ());
    gst_event_unref (rig_wait_event (&rig, GST_EVENT_EOS));
    fail_unless_equals_int (blocking.arrived, 1);
    rig_expect_no_error (&rig);
    blocking_close (&rig);
  }
}

/* Unpaired images do not end the stream before the last image of the
 * view that has ended has its own.  Several times, as the task may be late. */
TEST (test_partner_after_the_end)
{
  for (gint i = 0; i < 10; i++) {
    const gint v = i % 2;
    Rig rig;

    end_one_view (&rig, v, 3);
    rig_push (&rig, !v, numbered_image (!v, 1));
    rig_push (&rig, !v, numbered_image (!v, 2));
    /* OK, or EOS if the pair is matched meanwhile */
    gst_harness_push (rig.view[!v], numbered_image (!v, 3));
    check_numbers (blocking_wait (2), 3, 3);
    rig_expect_no_error (&rig);
    blocking_close (&rig);
  }
}

/* Sources receive the flow return of downstream, also if a pair waits. */
TEST (test_flow_returns)
{
  static const GstFlowReturn flows[] = { GST_FLOW_EOS, GST_FLOW_ERROR,
    GST_FLOW_NOT_LINKED
  };

  for (guint f = 0; f < 2 * G_N_ELEMENTS (flows); f++) {
    const GstFlowReturn expected = flows[f / 2];
    Rig rig;

    blocking_open (&rig, LIVE);
    blocking.flow = expected;
    push_pair (&rig, 0);
    blocking_wait (1);
    if (f % 2 > 0)
      push_pair (&rig, 1);
    blocking_release (1);
    for (gint v = LEFT; v <= RIGHT; v++) {
      gint64 patience = g_get_monotonic_time () + PATIENCE / 1000;
      GstFlowReturn flow;

      do {
        flow = gst_harness_push (rig.view[v], numbered_image (v, 1));
        g_usleep (1000);
      } while (flow == GST_FLOW_OK && g_get_monotonic_time () < patience);
      fail_unless_equals_int (flow, expected);
    }
    blocking_close (&rig);
  }
}

/* A caps change drops all images of the old size. */
TEST (test_size_changes)
{
  const gchar *large = "video/x-raw, format=GRAY8, width=128, height=4, "
      "framerate=25/1";
  GstBuffer *map;
  GstCaps *caps;
  Rig rig;

  blocking_open (&rig, LIVE);
  push_pair (&rig, 0);
  blocking_wait (1);
  push_pair (&rig, 1);
  for (gint v = LEFT; v <= RIGHT; v++) {
    GstBuffer *buffer = gray_image (128, 4, v == LEFT ? 0 : 9);

    GST_BUFFER_PTS (buffer) = 2 * FRAME;
    GST_BUFFER_DURATION (buffer) = FRAME;
    rig_push_caps (&rig, v, large);
    rig_push (&rig, v, buffer);
  }
  blocking_release (1);
  map = blocking_wait (2);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (map), 2 * FRAME);
  fail_unless_equals_uint64 (gst_buffer_get_size (map), 2 * 128 * 4);
  caps = rig_output_caps (&rig);
  check_codes (map, caps, 96, 119, 9 * 16);
  gst_caps_unref (caps);
  fail_unless_equals_uint64 (rig_stat (&rig, "dropped-left"), 1);
  fail_unless_equals_uint64 (rig_stat (&rig, "dropped-right"), 1);
  rig_expect_no_error (&rig);
  blocking_close (&rig);
}

/* A map follows the segment of its images, also if the task is busy when that
 * arrives. */
TEST (test_segment_changes)
{
  const GstSegment *current;
  GstSegment segment;
  GstEvent *event;
  Rig rig;

  blocking_open (&rig, LIVE);
  push_pair (&rig, 0);
  blocking_wait (1);
  push_pair (&rig, 1);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.base = 10 * FRAME;
  rig_push_event (&rig, gst_event_new_segment (&segment));
  push_pair (&rig, 2);
  blocking_release (1);
  check_numbers (blocking_wait (2), 2, 2);
  event = gst_pad_get_sticky_event (rig.view[LEFT]->sinkpad,
      GST_EVENT_SEGMENT, 0);
  gst_event_parse_segment (event, &current);
  fail_unless_equals_uint64 (current->base, 10 * FRAME);
  gst_event_unref (event);
  rig_expect_no_error (&rig);
  blocking_close (&rig);
}

/* Images from before a flush are never matched. */
TEST (test_flush)
{
  GstEvent *start = gst_event_new_flush_start ();
  GstEvent *stop = gst_event_new_flush_stop (TRUE);
  GstSegment segment;
  Rig rig;

  blocking_open (&rig, LIVE);
  push_pair (&rig, 0);
  blocking_wait (1);
  push_pair (&rig, 1);
  rig_push (&rig, LEFT, numbered_image (LEFT, 2));
  gst_event_set_seqnum (stop, gst_event_get_seqnum (start));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  blocking_release (100);
  gst_harness_push_event (rig.view[LEFT], gst_event_ref (start));
  gst_harness_push_event (rig.view[RIGHT], start);
  gst_harness_push_event (rig.view[LEFT], gst_event_ref (stop));
  gst_harness_push_event (rig.view[RIGHT], stop);
  rig_push_event (&rig, gst_event_new_segment (&segment));
  rig_push (&rig, RIGHT, numbered_image (RIGHT, 2));
  push_pair (&rig, 3);
  push_eos (&rig);
  gst_event_unref (rig_wait_event (&rig, GST_EVENT_EOS));
  check_numbers (g_ptr_array_index (blocking.maps, blocking.maps->len - 1),
      3, 3);
  for (guint i = 0; i < blocking.maps->len; i++)
    fail_unless (GST_BUFFER_PTS (g_ptr_array_index (blocking.maps, i))
        != 2 * FRAME);
  rig_expect_no_error (&rig);
  blocking_close (&rig);
}

/* A flush of one view is not the flow of the other one. */
TEST (test_flush_of_one_view)
{
  Rig rig;

  blocking_open (&rig, LIVE);
  blocking_release (100);
  push_pair (&rig, 0);
  blocking_wait (1);
  rig_push (&rig, RIGHT, numbered_image (RIGHT, 1));
  gst_harness_push_event (rig.view[RIGHT], gst_event_new_flush_start ());
  rig_push (&rig, LEFT, numbered_image (LEFT, 1));
  blocking_close (&rig);
}

/* A pair after a flush of one view is matched without waiting for further
 * images.  An unpaired image makes the element send a wakeup to both pads, here
 * before the segment of the flushed view. */
TEST (test_pair_after_a_flush_of_one_view)
{
  for (gint v = LEFT; v <= RIGHT; v++) {
    GstSegment segment;
    Rig rig;

    blocking_open (&rig, LIVE);
    push_pair (&rig, 0);
    blocking_wait (1);
    rig_push (&rig, !v, numbered_image (!v, 1));
    push_pair (&rig, 2);
    gst_harness_push_event (rig.view[v], gst_event_new_flush_start ());
    gst_harness_push_event (rig.view[v], gst_event_new_flush_stop (TRUE));
    rig_push (&rig, !v, numbered_image (!v, 3));
    gst_segment_init (&segment, GST_FORMAT_TIME);
    gst_harness_push_event (rig.view[v], gst_event_new_segment (&segment));
    rig_push (&rig, v, numbered_image (v, 3));
    blocking_release (1);
    check_numbers (blocking_wait (2), 3, 3);
    rig_expect_no_error (&rig);
    blocking_close (&rig);
  }
}

/* Images and ends from before a stop have no effect. */
TEST (test_stop)
{
  Rig rig;

  blocking_open (&rig, LIVE);
  rig_push (&rig, LEFT, numbered_image (LEFT, 1));
  push_eos (&rig);
  gst_event_unref (rig_wait_event (&rig, GST_EVENT_EOS));
  set_state (rig.element, GST_STATE_NULL);
  set_state (rig.element, GST_STATE_PLAYING);
  for (gint v = LEFT; v <= RIGHT; v++) {
    gst_harness_push_event (rig.view[v], gst_event_new_stream_start ("again"));
    rig_caps (&rig, v, CAPS);
  }
  rig_push (&rig, RIGHT, numbered_image (RIGHT, 1));
  push_pair (&rig, 2);
  check_numbers (blocking_wait (1), 2, 2);
  blocking_close (&rig);
}

/* Lateness reported by the sink skips no pairs, because the newest pair is
 * always next.  QoS events are not forwarded upstream either. */
TEST (test_late_sink_skips_nothing)
{
  GstEvent *event;
  Rig rig;

  blocking_open (&rig, LIVE);
  blocking_release (1000);
  for (gint i = 0; i < 7; i++) {
    push_pair (&rig, i);
    check_numbers (blocking_wait ((guint) i + 1), i, i);
    gst_harness_push_upstream_event (rig.view[LEFT],
        gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 1.5, 100 * FRAME,
            (GstClockTime) i * FRAME));
  }
  for (gint v = LEFT; v <= RIGHT; v++) {
    while ((event = gst_harness_try_pull_upstream_event (rig.view[v]))) {
      fail_if (GST_EVENT_TYPE (event) == GST_EVENT_QOS);
      gst_event_unref (event);
    }
  }
  fail_unless_equals_uint64 (rig_stat (&rig, "qos-dropped"), 0);
  blocking_close (&rig);
}

/* Matching takes two and a half frame durations: every second or third pair is
 * matched, and no map is older than that plus one frame. */
TEST (test_even_and_fresh)
{
  const GstClockTime takes = 5 * FRAME / 2, step = FRAME / 2;
  GstClockTime next = 0, done = GST_CLOCK_TIME_NONE, now = 0, last = 0;
  guint n = 0, pushed = 0;
  Rig rig;

  blocking_open (&rig, LIVE);
  for (; n < 30; now += step) {
    gst_harness_set_time (rig.view[LEFT], now);
    if (now == next) {
      for (gint v = LEFT; v <= RIGHT; v++) {
        GstBuffer *buffer = numbered_image (v, (gint) pushed % N_NUMBERS);

        GST_BUFFER_PTS (buffer) = now;
        rig_push (&rig, v, buffer);
      }
      pushed++;
      next += FRAME;
    }
    if (now == done || n == 0) {
      GstClockTime pts;

      if (n > 0)
        blocking_release (1);
      pts = GST_BUFFER_PTS (blocking_wait (++n));
      fail_unless (now + takes - pts <= takes + FRAME);
      if (n > 1)
        fail_unless (pts - last == 2 * FRAME || pts - last == 3 * FRAME,
            "%u ms apart", (guint) ((pts - last) / GST_MSECOND));
      last = pts;
      done = now + takes;
    }
  }
  fail_unless_equals_uint64 (rig_stat (&rig, "paired"), 30);
  /* the newest pair may still be queued */
  fail_unless (pushed - 30 - rig_stat (&rig, "superseded") <= 1);
  blocking_close (&rig);
}

/* pairs=auto: a harness source counts as live. */
TEST (test_live_by_default)
{
  Rig rig;

  blocking_open (&rig, VCBW "pairs=auto");
  push_pair (&rig, 0);
  match_newest (&rig);
  blocking_close (&rig);
}

/* The same if the second camera is linked when the first one has sent images
 * already. */
TEST (test_live_if_linked_later)
{
  GstPad *source, *sink;
  Rig rig;

  blocking_open (&rig, VCBW "pairs=auto");
  source = rig.view[RIGHT]->srcpad;
  sink = gst_pad_get_peer (source);
  fail_unless (gst_pad_unlink (source, sink));
  rig_push (&rig, LEFT, numbered_image (LEFT, 0));
  fail_unless_equals_int (gst_pad_link (source, sink), GST_PAD_LINK_OK);
  gst_object_unref (sink);
  rig_push (&rig, RIGHT, numbered_image (RIGHT, 0));
  match_newest (&rig);
  blocking_close (&rig);
}

/* pairs=every: every pair of a live view is matched. */
TEST (test_every_pair)
{
  Feeder *feeders[2];
  Rig rig;

  blocking_open (&rig, VCBW "pairs=every");
  for (gint v = LEFT; v <= RIGHT; v++) {
    Script *script = script_new ();

    script_numbers (script, v, 0, 1, 2, 3, 4, 5, 6, 7, -1);
    feeders[v] = feeder_new (&rig, v, script);
  }
  for (gint i = 0; i < 8; i++) {
    check_numbers (blocking_wait ((guint) i + 1), i, i);
    blocking_release (1);
  }
  for (gint v = LEFT; v <= RIGHT; v++)
    fail_unless_equals_int (feeder_join (feeders[v]), GST_FLOW_OK);
  fail_unless_equals_uint64 (rig_stat (&rig, "superseded"), 0);
  blocking_close (&rig);
}

static void
delay_buffer (GstElement * sink, GstBuffer * buffer, GstPad * pad, guint * n)
{
  g_usleep (10000);
  (*n)++;
}

/* pairs=auto: files lose no pairs, even with a slow sink, and even if the other
 * view is live.  The timestamps of that one depend on when it starts. */
LOOP_TEST (test_files_by_default, FALSE, TRUE + 1)
{
  GstElement *pipeline = pipeline_new ("videotestsrc num-buffers=60 ! "
      "video/x-raw, width=40, height=20 ! queue ! m.sink_left  videotestsrc "
      "num-buffers=60 is-live=%s ! video/x-raw, width=40, height=20 ! queue ! "
      "m.sink_right  " VCBW "sync-tolerance=3600000000000 name=m ! "
      "fakesink name=sink",
      __i__ ? "true" : "false");
  guint n = 0;

  pipeline_watch (pipeline, "sink", G_CALLBACK (delay_buffer), &n);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  pipeline_wait (pipeline, GST_MESSAGE_EOS);
  pipeline_free (pipeline);
  fail_unless_equals_int (n, 60);
}

CHECK_MAIN ("stereo-live")
