/* gst-stereomatching: the temporal filter in a stream
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "../stereocheck.h"

/*
 * A textured pair is followed by a blank one, whose own map is the lowest
 * disparity everywhere.  Blank views do not contradict the previous map, so
 * that the filter keeps it, unless it was reset.
 */

#define MATCHER VCBW "temporal=4 "
#define NUMBER 2

/* A blank image with the timestamp of a numbered one. */
static GstBuffer *
blank_image (gint view, gint number)
{
  GstBuffer *buffer = numbered_image (view, number);

  gst_buffer_memset (buffer, 0, 90, gst_buffer_get_size (buffer));
  return buffer;
}

static GBytes *
take_bytes (GstBuffer * map)
{
  gpointer data;
  gsize size;

  gst_buffer_extract_dup (map, 0, gst_buffer_get_size (map), &data, &size);
  gst_buffer_unref (map);
  return g_bytes_new_take (data, size);
}

static GBytes *
match_blank (Rig * rig, gint number)
{
  return take_bytes (rig_match (rig, blank_image (LEFT, number),
          blank_image (RIGHT, number)));
}

/* The map of a blank pair alone, without the filter. */
static GBytes *
blank_map (void)
{
  GBytes *map;
  Rig rig;

  rig_open_with_caps (&rig, VCBW "temporal=0 ", CAPS, CAPS);
  map = match_blank (&rig, 0);
  rig_close (&rig);
  return map;
}

/* Events between the two pairs; those that reset the filter are last. */
typedef enum
{
  NOTHING,
  RECONFIGURE,                  /* to the same caps */
  DISCONT_LEFT,
  DISCONT_RIGHT,
  DISCONT_DROPPED,              /* on an unpaired image */
  FLUSH_LEFT,
  FLUSH_BOTH,
  CAPS_CHANGE,
  PROPERTY,
  STOP,
  N_EVENTS
} Between;

static void
flush_stop (GstHarness * view)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (view, gst_event_new_flush_stop (TRUE));
  gst_harness_push_event (view, gst_event_new_segment (&segment));
}

static void
trigger (Rig * rig, Between between)
{
  GstCaps *caps;
  gchar *text;

  switch (between) {
    case RECONFIGURE:
      gst_harness_push_upstream_event (rig->view[LEFT],
          gst_event_new_reconfigure ());
      break;
    case FLUSH_LEFT:
    case FLUSH_BOTH:
      for (gint v = LEFT; v <= (between == FLUSH_BOTH ? RIGHT : LEFT); v++)
        gst_harness_push_event (rig->view[v], gst_event_new_flush_start ());
      for (gint v = LEFT; v <= (between == FLUSH_BOTH ? RIGHT : LEFT); v++)
        flush_stop (rig->view[v]);
      break;
    case CAPS_CHANGE:
      caps = gst_caps_from_string (CAPS);
      gst_caps_set_simple (caps, "framerate", GST_TYPE_FRACTION, 7, 1, NULL);
      text = gst_caps_to_string (caps);
      for (gint v = LEFT; v <= RIGHT; v++)
        fail_unless (rig_push_caps (rig, v, text));
      g_free (text);
      gst_caps_unref (caps);
      break;
    case PROPERTY:
      g_object_set (rig->element, "temporal", 3, NULL);
      break;
    case STOP:
      set_state (rig->element, GST_STATE_NULL);
      set_state (rig->element, GST_STATE_PLAYING);
      for (gint v = LEFT; v <= RIGHT; v++)
        rig_caps (rig, v, CAPS);
      break;
    default:
      break;
  }
}

/* Matches the blank pair, after or with the event. */
static GBytes *
match_after (Rig * rig, Between between)
{
  GstBuffer *images[2], *dropped;

  for (gint v = LEFT; v <= RIGHT; v++) {
    images[v] = blank_image (v, 5);
    if (between == (v == LEFT ? DISCONT_LEFT : DISCONT_RIGHT))
      GST_BUFFER_FLAG_SET (images[v], GST_BUFFER_FLAG_DISCONT);
  }
  if (between == DISCONT_DROPPED) {
    dropped = blank_image (RIGHT, 3);
    GST_BUFFER_FLAG_SET (dropped, GST_BUFFER_FLAG_DISCONT);
    rig_push (rig, RIGHT, dropped);
  }
  return take_bytes (rig_match (rig, images[LEFT], images[RIGHT]));
}

/* Each event, with every pair and with the newest ones. */
LOOP_TEST (test_reset, NOTHING, 2 * N_EVENTS)
{
  const Between between = (Between) (__i__ % N_EVENTS);
  const gboolean newest = __i__ >= N_EVENTS;
  GBytes *expected = blank_map (), *found;
  Rig rig;

  rig_open_with_caps (&rig, newest ? MATCHER "pairs=newest " : MATCHER, CAPS,
      CAPS);
  gst_buffer_unref (rig_match (&rig, numbered_image (LEFT, NUMBER),
          numbered_image (RIGHT, NUMBER)));
  trigger (&rig, between);
  found = match_after (&rig, between);
  fail_unless_equals_int (g_bytes_equal (found, expected),
      between > RECONFIGURE);
  g_bytes_unref (found);
  g_bytes_unref (expected);
  rig_close (&rig);
}

static void
flush_left (GstElement * element G_GNUC_UNUSED, GstSegment * segment
    G_GNUC_UNUSED, guint64 pts G_GNUC_UNUSED, guint64 dts G_GNUC_UNUSED,
    guint64 duration G_GNUC_UNUSED, GstStructure * info G_GNUC_UNUSED,
    Rig * rig)
{
  trigger (rig, FLUSH_LEFT);
}

/* A flush while a pair is matched resets the filter for the next one. */
LOOP_TEST (test_flush_of_a_selected_pair, 0, 2)
{
  GBytes *expected = blank_map (), *found;
  gulong id;
  Rig rig;

  rig_open_with_caps (&rig, __i__ == 0 ? MATCHER "emit-signals=true"
      : MATCHER "emit-signals=true pairs=newest", CAPS, CAPS);
  id = g_signal_connect (rig.element, "samples-selected",
      G_CALLBACK (flush_left), &rig);
  gst_buffer_unref (rig_match (&rig, numbered_image (LEFT, NUMBER),
          numbered_image (RIGHT, NUMBER)));
  g_signal_handler_disconnect (rig.element, id);
  found = match_after (&rig, NOTHING);
  fail_unless (g_bytes_equal (found, expected));
  g_bytes_unref (found);
  g_bytes_unref (expected);
  rig_close (&rig);
}

/* Stores a copy of each map. */
static void
keep_map (GstElement * sink G_GNUC_UNUSED, GstBuffer * buffer,
    GstPad * pad G_GNUC_UNUSED, gpointer maps)
{
  g_ptr_array_add (maps, take_bytes (gst_buffer_ref (buffer)));
}

/* After a seek to the start, all frames are the same again. */
TEST (test_seek)
{
  GPtrArray *maps = g_ptr_array_new_with_free_func ((GDestroyNotify)
      g_bytes_unref);
  GstElement *pipeline = pipeline_new ("stereotestsrc "
      "pattern=thin noise=8 num-disparities=16 "
      "! video/x-raw,width=80,height=60 ! m.sink_left "
      "stereotestsrc view=right pattern=thin noise=8 "
      "num-disparities=16 ! video/x-raw,width=80,height=60 ! m.sink_right "
      "stereoesaw name=m backend=cpu num-disparities=16 temporal=4 "
      "! fakesink name=sink signal-handoffs=true sync=false");
  guint n = 0;

  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  pipeline_wait (pipeline, GST_MESSAGE_ASYNC_DONE);
  pipeline_watch (pipeline, "sink", G_CALLBACK (keep_map), maps);
  for (gint i = 0; i < 2; i++) {
    fail_unless (gst_element_seek (pipeline, 1, GST_FORMAT_TIME,
            GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET, 0,
            GST_SEEK_TYPE_SET, 200 * GST_MSECOND));
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    pipeline_wait (pipeline, GST_MESSAGE_EOS);
    if (i == 0)
      n = maps->len;
  }
  fail_unless (n > 4, "%u frames", n);
  fail_unless_equals_int (maps->len, 2 * n);
  for (guint i = 0; i < n; i++)
    fail_unless (g_bytes_equal (maps->pdata[i], maps->pdata[n + i]),
        "frame %u", i);
  pipeline_free (pipeline);
  g_ptr_array_unref (maps);
}

CHECK_MAIN ("stereo-temporal")
