/* gst-stereomatching: streams that start, end, flush, seek and are late
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "../stereocheck.h"

#include <gst/base/gstaggregator.h>
#include <gst/check/gstconsistencychecker.h>

#include <string.h>

/* -------------------------------------------------------------------- ends */

TEST (test_eos_without_data)
{
  for (gint with_caps = 0; with_caps <= 1; with_caps++) {
    GPtrArray *maps;
    Rig rig;

    if (with_caps)
      rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
    else
      rig_open (&rig, VCBW);
    maps = rig_run (&rig, NULL, NULL);
    fail_unless_equals_int (maps->len, 0);
    rig_expect_no_error (&rig);
    g_ptr_array_unref (maps);
    rig_close (&rig);
  }
}

TEST (test_eos_without_data_on_one_side)
{
  for (gint v = LEFT; v <= RIGHT; v++) {
    Script *scripts[2] = { NULL, NULL };
    GPtrArray *maps;
    Rig rig;

    rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
    scripts[v] = script_new ();
    script_numbers (scripts[v], v, 0, 1, 2, 3, 4, -1);
    maps = rig_run (&rig, scripts[LEFT], scripts[RIGHT]);
    fail_unless_equals_int (maps->len, 0);
    /* of a result that is empty */
    fail_unless_equals_int (rig_count_messages (&rig, GST_MESSAGE_WARNING), 1);
    rig_expect_no_error (&rig);
    g_ptr_array_unref (maps);
    rig_close (&rig);
  }
}

/* After EOS of one view, the source of the other receives GST_FLOW_EOS. */
TEST (test_eos_reaches_the_other_source)
{
  Script *script = script_new ();
  Feeder *feeder;
  Rig rig;

  rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
  script_numbers (script, LEFT, 0, 1, 2, 3, 4, 5, 6, 7, -1);
  feeder = feeder_new (&rig, LEFT, script);
  rig_push (&rig, RIGHT, numbered_image (RIGHT, 0));
  gst_harness_push_event (rig.view[RIGHT], gst_event_new_eos ());
  gst_event_unref (rig_wait_event (&rig, GST_EVENT_EOS));
  fail_unless_equals_int (feeder_join (feeder), GST_FLOW_EOS);
  fail_unless_equals_int (gst_harness_buffers_received (rig.view[LEFT]), 1);
  rig_close (&rig);
}

static gpointer
send_query (gpointer rig)
{
  GstCaps *caps = gst_caps_from_string (CAPS);
  GstQuery *query = gst_query_new_allocation (caps, FALSE);

  gst_pad_peer_query (((Rig *) rig)->view[LEFT]->srcpad, query);
  gst_query_unref (query);
  gst_caps_unref (caps);
  return NULL;
}

static GstPadProbeReturn
note_query (GstPad * pad, GstPadProbeInfo * info, gpointer asked)
{
  g_atomic_int_set ((gint *) asked, TRUE);
  return GST_PAD_PROBE_OK;
}

/* EOS also unblocks a source that waits for the answer to a serialized
 * query. */
TEST (test_eos_frees_a_source_that_asks)
{
  GThread *thread;
  gint asked = FALSE;
  Rig rig;

  rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
  rig_push (&rig, LEFT, numbered_image (LEFT, 0));
  gst_pad_add_probe (rig.view[LEFT]->srcpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM
      | GST_PAD_PROBE_TYPE_PUSH, note_query, &asked, NULL);
  thread = g_thread_new ("send_query", send_query, &rig);
  while (!g_atomic_int_get (&asked))
    g_usleep (200);
  gst_harness_push_event (rig.view[RIGHT], gst_event_new_eos ());
  gst_event_unref (rig_wait_event (&rig, GST_EVENT_EOS));
  g_thread_join (thread);
  fail_unless_equals_int (rig_count_messages (&rig, GST_MESSAGE_WARNING), 1);
  rig_expect_no_error (&rig);
  rig_close (&rig);
}

static void
count (GstElement * sink, GstBuffer * buffer, GstPad * pad, guint * n)
{
  (*n)++;
}

/* Plays to the end.  Returns the number of buffers of a sink. */
static guint
play_and_count (GstElement * pipeline, const gchar * sink)
{
  guint n = 0;

  pipeline_watch (pipeline, sink, G_CALLBACK (count), &n);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  pipeline_wait (pipeline, GST_MESSAGE_EOS);
  pipeline_free (pipeline);
  return n;
}

#define SMALL "video/x-raw, width=64, height=48 ! "

/* The source of the longer view continues to feed its other branch. */
TEST (test_eos_of_the_shorter_view)
{
  GstElement *pipeline = pipeline_new ("stereotestsrc num-buffers=5 ! "
      SMALL "m.sink_left  stereotestsrc view=right num-buffers=60 ! " SMALL
      "tee name=t ! m.sink_right " VCBW "name=m ! fakesink  t. ! queue ! "
      "fakesink name=other");
  const guint n = play_and_count (pipeline, "other");

  /* tee forwards GST_FLOW_EOS of one branch, so that its source may stop */
  fail_unless (n >= 5, "%u images", n);
}

static void
add_probe (GstElement * pipeline, const gchar * name,
    GstPadProbeCallback callback)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), name);
  GstPad *pad = gst_element_get_static_pad (element, "src");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, callback, element, NULL);
  gst_object_unref (pad);
  gst_object_unref (element);
}

static GstPadProbeReturn
begin_late (GstPad * pad, GstPadProbeInfo * probe, gpointer user_data)
{
  return GST_BUFFER_PTS (probe->data) < 2 * GST_SECOND
      ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

/* Unpaired left images do not fill the queue of stereoview, which would block
 * the source of both branches. */
TEST (test_late_view_of_a_graph)
{
  GstElement *pipeline = pipeline_new ("stereotestsrc num-buffers=90 ! " SMALL
      "tee name=l  stereotestsrc view=right num-buffers=90 name=right ! " SMALL
      "m.sink_right  l. ! queue ! m.sink_left  " VCBW "name=m ! "
      "v.sink_disparity  l. ! queue max-size-buffers=2 ! v.sink_left  "
      "stereoview name=v ! fakesink name=sink");

  add_probe (pipeline, "right", begin_late);
  fail_unless_equals_int (play_and_count (pipeline, "sink"), 30);
}

static guint
frame_of (GstPadProbeInfo * probe)
{
  return (guint) gst_util_uint64_scale_round (GST_BUFFER_PTS (probe->data), 30,
      GST_SECOND);
}

static GstPadProbeReturn
lose_frames (GstPad * pad, GstPadProbeInfo * probe, gpointer user_data)
{
  return frame_of (probe) >= 5 && frame_of (probe) < 10 ? GST_PAD_PROBE_DROP
      : GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
enlarge (GstPad * pad, GstPadProbeInfo * probe, gpointer filter)
{
  if (frame_of (probe) == 9)
    gst_util_set_object_arg (filter, "caps",
        "video/x-raw, width=80, height=60");
  return GST_PAD_PROBE_OK;
}

/* Unpaired images before new caps do not delay their allocation query. */
TEST (test_new_caps_of_a_graph)
{
  GstElement *pipeline = pipeline_new ("stereotestsrc num-buffers=20 ! "
      "capsfilter caps=\"video/x-raw, width=64, height=48\" name=left ! "
      "tee name=l  stereotestsrc view=right num-buffers=20 ! "
      "capsfilter caps=\"video/x-raw, width=64, height=48\" name=right ! "
      "identity name=lossy ! m.sink_right  l. ! queue ! m.sink_left  " VCBW
      "name=m ! v.sink_disparity  l. ! queue ! v.sink_left  "
      "stereoview name=v ! fakesink name=sink");

  add_probe (pipeline, "left", enlarge);
  add_probe (pipeline, "right", enlarge);
  add_probe (pipeline, "lossy", lose_frames);
  fail_unless_equals_int (play_and_count (pipeline, "sink"), 15);
}

static GstFlowReturn refusal;

static GstFlowReturn
refuse (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  gst_buffer_unref (buffer);
  return refusal;
}

TEST (test_flow_returns_of_downstream)
{
  static const GstFlowReturn flows[] = { GST_FLOW_EOS, GST_FLOW_FLUSHING,
    GST_FLOW_ERROR, GST_FLOW_NOT_LINKED, GST_FLOW_NOT_NEGOTIATED
  };

  for (guint f = 0; f < G_N_ELEMENTS (flows); f++) {
    Feeder *feeders[2];
    Rig rig;

    refusal = flows[f];
    rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
    gst_pad_set_chain_function (rig.view[LEFT]->sinkpad, refuse);
    for (gint v = LEFT; v <= RIGHT; v++) {
      Script *script = script_new ();

      script_numbers (script, v, 0, 1, 2, 3, 4, 5, 6, 7, -1);
      feeders[v] = feeder_new (&rig, v, script);
    }
    for (gint v = LEFT; v <= RIGHT; v++)
      fail_unless_equals_int (feeder_join (feeders[v]), flows[f]);
    /* the element that returned the error posts it */
    rig_expect_no_error (&rig);
    rig_close (&rig);
  }
}

/* ----------------------------------------------------------------- flushes */

static void
flush (Rig * rig)
{
  GstEvent *start = gst_event_new_flush_start ();
  GstEvent *stop = gst_event_new_flush_stop (TRUE);
  GstSegment segment;

  /* both events of one seek have one sequence number */
  gst_event_set_seqnum (stop, gst_event_get_seqnum (start));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  rig_push_event (rig, start);
  rig_push_event (rig, stop);
  rig_push_event (rig, gst_event_new_segment (&segment));
}

/* Images from before a flush are never matched. */
TEST (test_flush_drops_images)
{
  for (gint v = LEFT; v <= RIGHT; v++) {
    GstStreamConsistency *checker;
    GPtrArray *maps;
    Script *scripts[2];
    Rig rig;

    rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
    checker = gst_consistency_checker_new (rig.view[LEFT]->sinkpad);
    for (gint round = 0; round < 5; round++) {
      GstBuffer *map = rig_match (&rig, numbered_image (LEFT, round),
          numbered_image (RIGHT, round));

      fail_unless (GST_BUFFER_FLAG_IS_SET (map, GST_BUFFER_FLAG_DISCONT));
      check_numbers (map, round, round);
      gst_buffer_unref (map);
      rig_push (&rig, v, numbered_image (v, round + 1));
      flush (&rig);
    }
    for (gint i = LEFT; i <= RIGHT; i++) {
      scripts[i] = script_new ();
      script_numbers (scripts[i], i, 1, 2, 3, -1);
    }
    maps = rig_run (&rig, scripts[LEFT], scripts[RIGHT]);
    fail_unless_equals_int (maps->len, 3);
    g_ptr_array_unref (maps);
    rig_expect_no_error (&rig);
    gst_consistency_checker_free (checker);
    rig_close (&rig);
  }
}

/* --------------------------------------------------------------- pipelines */

typedef struct
{
  GstClockTime pts, left, right;
  gchar *sum;
} Map;

static void
clear_map (gpointer map)
{
  g_free (((Map *) map)->sum);
}

static GArray *
maps_new (void)
{
  GArray *maps = g_array_new (FALSE, FALSE, sizeof (Map));

  g_array_set_clear_func (maps, clear_map);
  return maps;
}

static void
on_map (GstElement * sink, GstBuffer * buffer, GstPad * pad, GArray * maps)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer,
      "GstStereoDisparityMeta");
  Map map = { GST_BUFFER_PTS (buffer), GST_CLOCK_TIME_NONE,
    GST_CLOCK_TIME_NONE, NULL
  };
  GstMapInfo info;

  if (meta != NULL) {
    GstStructure *s = gst_custom_meta_get_structure (meta);

    gst_structure_get_uint64 (s, "left-pts", &map.left);
    gst_structure_get_uint64 (s, "right-pts", &map.right);
  }
  if (gst_buffer_map (buffer, &info, GST_MAP_READ)) {
    map.sum = g_compute_checksum_for_data (G_CHECKSUM_SHA1, info.data,
        info.size);
    gst_buffer_unmap (buffer, &info);
  }
  g_array_append_val (maps, map);
}

typedef struct
{
  GstElement *pipeline;
  GArray *maps;                 /* only read while the pipeline is stopped */
} Line;

/* Creates a pipeline with a moving image of n frames in both views, matched by
 * `element`. */
static void
line_open (Line * line, const gchar * element, gint n)
{
  const gchar *caps = "video/x-raw, format=GRAY8, width=40, height=20, "
      "framerate=25/1";

  line->pipeline = pipeline_new ("videotestsrc pattern=ball num-buffers=%d "
      "! %s ! m.sink_left  videotestsrc pattern=ball num-buffers=%d ! %s ! "
      "m.sink_right  %s name=m ! fakesink name=sink sync=false", n, caps, n,
      caps, element);
  line->maps = maps_new ();
  pipeline_watch (line->pipeline, "sink", G_CALLBACK (on_map), line->maps);
}

static void
line_play_to_the_end (Line * line)
{
  g_array_set_size (line->maps, 0);
  fail_unless (gst_element_set_state (line->pipeline, GST_STATE_PLAYING)
      != GST_STATE_CHANGE_FAILURE);
  pipeline_wait (line->pipeline, GST_MESSAGE_EOS);
}

static void
line_close (Line * line)
{
  pipeline_free (line->pipeline);
  g_array_unref (line->maps);
}

static void
check_maps (GArray * maps, guint first_frame, guint n)
{
  fail_unless_equals_int (maps->len, n);
  for (guint i = 0; i < n; i++) {
    Map *map = &g_array_index (maps, Map, i);
    GstClockTime time = (first_frame + i) * FRAME;

    fail_unless_equals_uint64 (map->pts, time);
    fail_unless_equals_uint64 (map->left, time);
    fail_unless_equals_uint64 (map->right, time);
  }
}

/* Plays twice, through NULL and through READY. */
TEST (test_play_twice)
{
  gchar **names = matchers ();

  for (guint e = 0; names[e] != NULL; e++) {
    static const GstState states[] = { GST_STATE_NULL, GST_STATE_READY,
      GST_STATE_NULL
    };
    gchar *launch = g_strdup_printf ("%s backend=cpu num-disparities=8",
        names[e]);
    gchar *sums[6] = { NULL, };
    Line line;

    line_open (&line, launch, 6);
    for (guint round = 0; round < G_N_ELEMENTS (states); round++) {
      line_play_to_the_end (&line);
      set_state (line.pipeline, states[round]);
      check_maps (line.maps, 0, 6);
      for (guint i = 0; i < 6; i++) {
        Map *map = &g_array_index (line.maps, Map, i);

        if (round == 0)
          sums[i] = g_strdup (map->sum);
        fail_unless_equals_string (map->sum, sums[i]);
      }
    }
    for (guint i = 0; i < 6; i++)
      g_free (sums[i]);
    line_close (&line);
    g_free (launch);
  }
  g_strfreev (names);
}

/* All state changes, without data. */
TEST (test_states)
{
  static const GstState states[] = { GST_STATE_READY, GST_STATE_PAUSED,
    GST_STATE_READY, GST_STATE_NULL, GST_STATE_PLAYING, GST_STATE_PAUSED,
    GST_STATE_PLAYING, GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_NULL,
    GST_STATE_PLAYING, GST_STATE_NULL
  };
  gchar **names = matchers ();

  for (guint e = 0; names[e] != NULL; e++) {
    GstElement *element = gst_element_factory_make (names[e], NULL);

    for (guint s = 0; s < G_N_ELEMENTS (states); s++)
      set_state (element, states[s]);
    ASSERT_OBJECT_REFCOUNT (element, "the element", 1);
    gst_object_unref (element);
  }
  g_strfreev (names);
}

static void
seek (Line * line, gdouble rate, GstSeekFlags flags, GstClockTime start,
    GstClockTime stop)
{
  fail_unless (gst_element_seek (line->pipeline, rate, GST_FORMAT_TIME, flags,
          GST_SEEK_TYPE_SET, (gint64) start, GST_SEEK_TYPE_SET, (gint64) stop));
}

TEST (test_seek)
{
  Line line;

  line_open (&line, VCBW "num-disparities=8", 100000);
  set_state (line.pipeline, GST_STATE_READY);
  gst_element_set_state (line.pipeline, GST_STATE_PAUSED);
  pipeline_wait (line.pipeline, GST_MESSAGE_ASYNC_DONE);
  /* in state PAUSED */
  for (gint i = 0; i < 10; i++) {
    seek (&line, 1.0, GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE,
        (GstClockTime) (50 + i) * FRAME, 70 * FRAME);
    pipeline_wait (line.pipeline, GST_MESSAGE_ASYNC_DONE);
  }
  seek (&line, 1.0, GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE,
      20 * FRAME, 30 * FRAME);
  pipeline_wait (line.pipeline, GST_MESSAGE_ASYNC_DONE);
  /* sinks emit handoff after preroll */
  line_play_to_the_end (&line);
  check_maps (line.maps, 20, 10);

  /* in state PLAYING */
  gst_element_set_state (line.pipeline, GST_STATE_PAUSED);
  seek (&line, 1.0, GST_SEEK_FLAG_FLUSH, 0, 100000 * FRAME);
  gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
  for (gint i = 0; i < 10; i++) {
    seek (&line, 1.0, GST_SEEK_FLAG_FLUSH, (GstClockTime) (i * 100) * FRAME,
        100000 * FRAME);
    g_usleep (2000);
  }
  line_close (&line);
}

/* A pipeline can seek if all of its sources can. */
TEST (test_query_of_seeking)
{
  static const gchar *const sources[] = { "", "is-live=true" };

  for (guint i = 0; i < 2; i++) {
    GstElement *pipeline = pipeline_new ("stereotestsrc ! tee name=l  "
        "stereotestsrc view=right %s ! queue ! m.sink_right  l. ! queue ! "
        "m.sink_left  " VCBW "name=m ! v.sink_disparity  l. ! queue ! "
        "v.sink_left  stereoview name=v ! fakesink", sources[i]);
    GstQuery *query = gst_query_new_seeking (GST_FORMAT_TIME);
    gboolean seekable;
    gint64 start;

    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    pipeline_wait (pipeline, GST_MESSAGE_ASYNC_DONE);
    fail_unless (gst_element_query (pipeline, query));
    gst_query_parse_seeking (query, NULL, &seekable, &start, NULL);
    fail_unless_equals_int (seekable, i == 0);
    fail_unless_equals_int64 (start, 0);
    gst_query_unref (query);
    pipeline_free (pipeline);
  }
}

/* The shorter view ends the stream. */
LOOP_TEST (test_query_of_duration, 0, 2)
{
  GstElement *pipeline = pipeline_new ("stereotestsrc num-buffers=%d ! "
      "video/x-raw, framerate=25/1 ! queue ! m.sink_left  stereotestsrc "
      "num-buffers=%d view=right ! video/x-raw, framerate=25/1 ! queue ! "
      "m.sink_right  " VCBW "name=m ! fakesink", __i__ == 0 ? 8 : 5,
      __i__ == 0 ? 5 : 8);
  gint64 duration = -1;

  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  pipeline_wait (pipeline, GST_MESSAGE_ASYNC_DONE);
  fail_unless (gst_element_query_duration (pipeline, GST_FORMAT_TIME,
          &duration));
  fail_unless_equals_int64 (duration, 5 * GST_SECOND / 25);
  pipeline_free (pipeline);
}

/* A seek that a source cannot do is refused and stops nothing. */
TEST (test_seek_of_live_views)
{
  static const gchar *const sources[] = { "", "is-live=true" };

  for (guint i = 0; i < 2; i++) {
    GstElement *pipeline = pipeline_new ("stereotestsrc is-live=true "
        "num-buffers=20 ! m.sink_left  stereotestsrc view=right %s "
        "num-buffers=20 ! m.sink_right  " VCBW "name=m num-disparities=8 "
        "pairs=every ! fakesink", sources[i]);

    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    pipeline_wait (pipeline, GST_MESSAGE_ASYNC_DONE);
    fail_if (gst_element_seek_simple (pipeline, GST_FORMAT_TIME,
            GST_SEEK_FLAG_FLUSH, 0));
    pipeline_wait (pipeline, GST_MESSAGE_EOS);
    pipeline_free (pipeline);
  }
}

/* So is one in frames, which a matcher cannot convert. */
TEST (test_seek_in_frames)
{
  Line line;

  line_open (&line, VCBW "num-disparities=8", 5);
  gst_element_set_state (line.pipeline, GST_STATE_PAUSED);
  pipeline_wait (line.pipeline, GST_MESSAGE_ASYNC_DONE);
  fail_if (gst_element_seek_simple (line.pipeline, GST_FORMAT_DEFAULT,
          GST_SEEK_FLAG_FLUSH, 3));
  line_play_to_the_end (&line);
  check_maps (line.maps, 0, 5);
  line_close (&line);
}

TEST (test_play_backwards)
{
  Line line;

  line_open (&line, VCBW "num-disparities=8", 1000);
  gst_element_set_state (line.pipeline, GST_STATE_PAUSED);
  pipeline_wait (line.pipeline, GST_MESSAGE_ASYNC_DONE);
  seek (&line, -1.0, GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, 0,
      9 * FRAME);
  pipeline_wait (line.pipeline, GST_MESSAGE_ASYNC_DONE);
  line_play_to_the_end (&line);
  set_state (line.pipeline, GST_STATE_READY);
  fail_unless (line.maps->len >= 8, "%u maps", line.maps->len);
  for (guint i = 0; i < line.maps->len; i++) {
    Map *map = &g_array_index (line.maps, Map, i);

    fail_unless_equals_uint64 (map->left, map->right);
    fail_unless_equals_uint64 (map->left, map->pts);
    if (i > 0)
      fail_unless (map->pts < (map - 1)->pts);
  }
  line_close (&line);
}

/* Two elements run concurrently and give the same maps. */
TEST (test_two_at_once)
{
  Line lines[2];

  line_open (&lines[0], VCBW "num-disparities=8", 40);
  line_open (&lines[1], VCBW "num-disparities=8", 40);
  for (gint i = 0; i < 2; i++)
    gst_element_set_state (lines[i].pipeline, GST_STATE_PLAYING);
  for (gint i = 0; i < 2; i++) {
    pipeline_wait (lines[i].pipeline, GST_MESSAGE_EOS);
    set_state (lines[i].pipeline, GST_STATE_READY);
    check_maps (lines[i].maps, 0, 40);
  }
  for (guint m = 0; m < 40; m++)
    fail_unless_equals_string (g_array_index (lines[0].maps, Map, m).sum,
        g_array_index (lines[1].maps, Map, m).sum);
  for (gint i = 0; i < 2; i++)
    line_close (&lines[i]);
}

/* Stops at different times. */
TEST (test_stop_while_playing)
{
  Line line;

  line_open (&line, VCBW "num-disparities=8", 100000);
  for (guint i = 0; i < 20; i++) {
    gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
    g_usleep (700 * i);
    set_state (line.pipeline, i % 2 ? GST_STATE_NULL : GST_STATE_READY);
    g_array_set_size (line.maps, 0);
  }
  line_close (&line);
}

/* ---------------------------------------------------------- unlinked pads */

static void
expect_unlinked_error (const gchar * launch, const gchar * linked,
    const gchar * unlinked)
{
  GstElement *pipeline = pipeline_new ("%s", launch);
  GstElement *m = gst_bin_get_by_name (GST_BIN (pipeline), "m");
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  GstObject *source;
  GError *error;
  guint n = 0;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  error = pipeline_wait_error (pipeline, &source);
  fail_unless (source == GST_OBJECT (m));
  fail_unless (g_error_matches (error, GST_CORE_ERROR, GST_CORE_ERROR_PAD));
  fail_unless (strstr (error->message, linked) != NULL
      && strstr (error->message, unlinked) != NULL
      && strstr (error->message, "needs both") != NULL, "%s", error->message);
  g_error_free (error);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR)) != NULL) {
    n += GST_MESSAGE_SRC (message) == GST_OBJECT (m);
    gst_message_unref (message);
  }
  fail_unless_equals_int (n, 0);
  gst_object_unref (m);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
}

TEST (test_unlinked_pad_at_the_end)
{
  expect_unlinked_error ("videotestsrc num-buffers=1 ! m.sink_left  " VCBW
      "name=m ! fakesink", "but sink_left has ended",
      "sink_right is not linked");
  expect_unlinked_error ("videotestsrc num-buffers=1 ! m.sink_right  " VCBW
      "name=m ! fakesink", "but sink_right has ended",
      "sink_left is not linked");
}

/* The error is posted after five seconds, in which the pad may be linked. */
TEST (test_unlinked_pad_without_an_end)
{
  expect_unlinked_error ("videotestsrc ! m.sink_left  " VCBW
      "name=m ! fakesink", "sink_left has video", "sink_right is not linked");
}

TEST (test_no_pad_is_linked)
{
  expect_unlinked_error (VCBW "name=m ! fakesink", "sink_left is not linked",
      "neither is sink_right");
}

/* An element that is stopped before that posts no error and is freed. */
TEST (test_unlinked_pad_of_a_stopped_element)
{
  GstElement *pipeline = gst_parse_launch ("videotestsrc ! m.sink_left  " VCBW
      "name=m ! fakesink", NULL), *m;
  GstBus *bus = gst_element_get_bus (pipeline);

  m = gst_bin_get_by_name (GST_BIN (pipeline), "m");
  for (gint round = 0; round < 3; round++) {
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    wait_for_image (m, LEFT);
    gst_element_set_state (pipeline, GST_STATE_NULL);
  }
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR) == NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  /* the clock releases its reference in its own thread */
  for (guint tries = 0; tries < PATIENCE / GST_MSECOND
      && GST_OBJECT_REFCOUNT_VALUE (m) > 1; tries++)
    g_usleep (1000);
  ASSERT_OBJECT_REFCOUNT (m, "the element", 1);
  gst_object_unref (m);
}

TEST (test_pad_may_be_linked_late)
{
  GstElement *pipeline = pipeline_new ("videotestsrc num-buffers=5 ! "
      "video/x-raw, format=GRAY8, width=40, height=20, framerate=25/1 ! "
      "m.sink_left  " VCBW "name=m num-disparities=8 ! fakesink name=sink");
  GstElement *m = gst_bin_get_by_name (GST_BIN (pipeline), "m"), *late;
  GArray *maps = maps_new ();

  pipeline_watch (pipeline, "sink", G_CALLBACK (on_map), maps);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  wait_for_image (m, LEFT);
  late = gst_element_factory_make ("videotestsrc", NULL);
  g_object_set (late, "num-buffers", 5, NULL);
  gst_bin_add (GST_BIN (pipeline), late);
  fail_unless (gst_element_link_pads (late, "src", m, "sink_right"));
  gst_element_sync_state_with_parent (late);
  pipeline_wait (pipeline, GST_MESSAGE_EOS);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  check_maps (maps, 0, 5);
  g_array_unref (maps);
  gst_object_unref (m);
  pipeline_free (pipeline);
}

/* -------------------------------------------------------------------- live */

static void
match_one_pair (Rig * rig)
{
  gst_buffer_unref (rig_match (rig, gray_image (WIDTH, HEIGHT, 0),
          gray_image (WIDTH, HEIGHT, 0)));
}

/* The maximum upstream latency, plus one frame. */
TEST (test_latency)
{
  Rig rig;

  rig_open (&rig, VCBW);
  gst_harness_set_upstream_latency (rig.view[LEFT], 30 * GST_MSECOND);
  gst_harness_set_upstream_latency (rig.view[RIGHT], 70 * GST_MSECOND);
  rig_caps (&rig, LEFT, CAPS);
  rig_caps (&rig, RIGHT, CAPS);
  match_one_pair (&rig);
  fail_unless_equals_uint64 (gst_harness_query_latency (rig.view[LEFT]),
      110 * GST_MSECOND);
  fail_unless (rig_count_messages (&rig, GST_MESSAGE_LATENCY) > 0);

  /* another framerate gives another latency and posts a message */
  for (gint v = LEFT; v <= RIGHT; v++)
    rig_push_caps (&rig, v, "video/x-raw, format=GRAY8, width=96, height=4, "
        "framerate=50/1");
  match_one_pair (&rig);
  fail_unless_equals_uint64 (gst_harness_query_latency (rig.view[LEFT]),
      90 * GST_MSECOND);
  fail_unless (rig_count_messages (&rig, GST_MESSAGE_LATENCY) > 0);

  /* the `latency` property adds to it */
  g_object_set (rig.element, "latency", (guint64) 15 * GST_MSECOND, NULL);
  fail_unless_equals_uint64 (gst_harness_query_latency (rig.view[LEFT]),
      105 * GST_MSECOND);
  rig_close (&rig);
}

/* Two live sources and a synchronised sink.  Each source counts from its own
 * start, however long after the other one. */
TEST (test_live_pipeline)
{
  GArray *maps = maps_new ();
  GstElement *pipeline = pipeline_new ("videotestsrc is-live=true ! "
      "video/x-raw, width=40, height=20, framerate=50/1 ! "
      "queue ! m.sink_left  videotestsrc is-live=true ! "
      "video/x-raw, width=40, height=20, framerate=50/1 ! queue ! m.sink_right "
      VCBW "name=m num-disparities=8 qos=false pairs=every ! "
      "fakesink name=sink sync=true num-buffers=20");

  pipeline_watch (pipeline, "sink", G_CALLBACK (on_map), maps);
  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_PAUSED),
      GST_STATE_CHANGE_NO_PREROLL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  pipeline_wait (pipeline, GST_MESSAGE_EOS);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  fail_unless_equals_int (maps->len, 20);
  for (guint i = 0; i < maps->len; i++) {
    Map *map = &g_array_index (maps, Map, i);

    fail_unless_equals_uint64 (map->pts, map->left);
    fail_unless (ABS (GST_CLOCK_DIFF (map->left, map->right))
        <= (GstClockTimeDiff) FRAME / 4);
    if (i > 0)
      fail_unless (map->pts > (map - 1)->pts);
  }
  g_array_unref (maps);
  pipeline_free (pipeline);
}

/* A silent camera: an image is not matched with a stale one. */
TEST (test_live_source_that_is_silent)
{
  for (gint v = LEFT; v <= RIGHT; v++) {
    Script *script = script_new ();
    Feeder *feeder;
    GstBuffer *map;
    Rig rig;

    rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
    rig_check_pair (&rig, 0);

    script_numbers (script, v, 1, 2, 3, 4, 5, 6, -1);
    feeder = feeder_new (&rig, v, script);
    for (guint i = 1; i < 30; i++) {
      gst_harness_set_time (rig.view[LEFT], i * FRAME);
      g_usleep (1000);
    }
    fail_unless_equals_int (gst_harness_buffers_received (rig.view[LEFT]), 1);

    /* matching continues when the camera does */
    rig_push (&rig, !v, numbered_image (!v, 5));
    map = gst_harness_pull (rig.view[LEFT]);
    check_numbers (map, 5, 5);
    gst_buffer_unref (map);
    feeder_join (feeder);
    rig_push (&rig, !v, numbered_image (!v, 6));
    map = gst_harness_pull (rig.view[LEFT]);
    check_numbers (map, 6, 6);
    gst_buffer_unref (map);
    fail_unless_equals_uint64 (rig_stat (&rig, v == LEFT ? "dropped-left"
            : "dropped-right"), 4);
    rig_close (&rig);
  }
}

/* A live source sends nothing in PAUSED. */
TEST (test_silence_while_paused)
{
  GstElement *pipeline = pipeline_new ("videotestsrc ! queue ! m.sink_left  "
      "videotestsrc is-live=true ! queue ! m.sink_right  " VCBW
      "name=m ! fakesink");
  GstBus *bus = gst_element_get_bus (pipeline);

  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_PAUSED),
      GST_STATE_CHANGE_NO_PREROLL);
  fail_unless (gst_bus_timed_pop_filtered (bus, 8 * GST_SECOND,
          GST_MESSAGE_WARNING | GST_MESSAGE_ERROR) == NULL);
  gst_object_unref (bus);
  pipeline_free (pipeline);
}

/* One warning, which names the silent pad, at any rate of the other one. */
TEST (test_silence_is_reported)
{
  static const gchar *const names[] = { "sink_left", "sink_right" };
  static const gchar *const rates[] = { "30/1", "1/3" };

  for (gint v = LEFT; v <= RIGHT; v++) {
    gchar *launch = g_strdup_printf ("videotestsrc is-live=true ! "
        "video/x-raw,framerate=%s ! queue max-size-time=0 ! m.%s  "
        "appsrc is-live=true format=time ! queue max-size-time=0 ! m.%s  " VCBW
        "name=m ! fakesink", rates[v], names[!v], names[v]);
    GstElement *pipeline = gst_parse_launch (launch, NULL);
    GstBus *bus = gst_element_get_bus (pipeline);
    GstMessage *message;
    GError *error;

    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    message = gst_bus_timed_pop_filtered (bus, PATIENCE, GST_MESSAGE_WARNING
        | GST_MESSAGE_ERROR);
    fail_unless (message != NULL);
    fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_WARNING);
    error = take_error (message);
    fail_unless (g_str_has_prefix (error->message, names[v])
        && g_str_has_prefix (error->message + strlen (names[v]),
            " has received nothing for "), "%s", error->message);
    g_error_free (error);
    fail_unless (gst_bus_timed_pop_filtered (bus, 2 * GST_SECOND,
            GST_MESSAGE_WARNING | GST_MESSAGE_ERROR) == NULL);
    gst_element_set_state (pipeline, GST_STATE_NULL);
    gst_object_unref (bus);
    gst_object_unref (pipeline);
    g_free (launch);
  }
}

/* A view has ended before the other one has sent anything.  After the end of
 * the element, silence is no fault. */
TEST (test_silence_after_the_end_of_a_view)
{
  Rig rigs[3], *ended = &rigs[2];

  for (guint i = 0; i < 3; i++) {
    rig_open_with_caps (&rigs[i], i == 1 ? VCBW "pairs=newest"
        : VCBW "pairs=every", CAPS, CAPS);
    rig_push (&rigs[i], LEFT, numbered_image (LEFT, 0));
    gst_harness_push_event (rigs[i].view[LEFT], gst_event_new_eos ());
  }
  rig_push (ended, RIGHT, numbered_image (RIGHT, 0));
  gst_harness_push (ended->view[RIGHT], numbered_image (RIGHT, 1));
  gst_event_unref (rig_wait_event (ended, GST_EVENT_EOS));

  for (guint i = 0; i < 2; i++) {
    GstMessage *message = rig_message (&rigs[i], GST_MESSAGE_WARNING, PATIENCE);
    GError *error;

    fail_unless (message != NULL);
    error = take_error (message);
    fail_unless_equals_string (error->message, "sink_right has received "
        "nothing for 5 seconds, while sink_left has ended. Check the source of "
        "sink_right.");
    g_error_free (error);
  }
  fail_unless (rig_message (ended, GST_MESSAGE_WARNING, 2 * GST_SECOND)
      == NULL);
  for (guint i = 0; i < 3; i++)
    rig_close (&rigs[i]);
}

/* --------------------------------------------------------------------- QoS */

/* Reports that downstream was late by `late` at running time `time`. */
static void
be_late (Rig * rig, GstClockTimeDiff late, GstClockTime time)
{
  fail_unless (gst_harness_push_upstream_event (rig->view[LEFT],
          gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 1.5, late, time)));
}

static void
check_upstream_qos (Rig * rig, gint view)
{
  guint n = 0;
  GstEvent *event;

  while ((event = gst_harness_try_pull_upstream_event (rig->view[view]))) {
    n += GST_EVENT_TYPE (event) == GST_EVENT_QOS;
    gst_event_unref (event);
  }
  fail_unless_equals_int (n, 1);
}

static GPtrArray *
run_numbers (Rig * rig)
{
  Script *scripts[2] = { script_new (), script_new () };

  for (gint v = LEFT; v <= RIGHT; v++)
    script_numbers (scripts[v], v, 0, 1, 2, 3, 4, 5, -1);
  return rig_run (rig, scripts[LEFT], scripts[RIGHT]);
}

/* Fails if any pair of run_numbers() is skipped. */
static void
check_nothing_skipped (Rig * rig)
{
  GPtrArray *maps = run_numbers (rig);

  fail_unless_equals_int (maps->len, 6);
  fail_unless_equals_uint64 (rig_stat (rig, "qos-dropped"), 0);
  fail_unless_equals_int (rig_count_messages (rig, GST_MESSAGE_QOS), 0);
  g_ptr_array_unref (maps);
  rig_close (rig);
}

/* Checks the events that tell consumers which images have no map, and counts
 * them. */
static GstPadProbeReturn
check_unmatched (GstPad * pad, GstPadProbeInfo * probe, gpointer count)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (probe);
  guint *n = count;
  guint64 left, right;

  if (!gst_event_has_name (event, "stereo-unmatched"))
    return GST_PAD_PROBE_OK;
  fail_unless (gst_structure_get (gst_event_get_structure (event), "left-pts",
          G_TYPE_UINT64, &left, "right-pts", G_TYPE_UINT64, &right, NULL));
  fail_unless_equals_uint64 (left, *n * FRAME);
  fail_unless_equals_uint64 (right, *n * FRAME);
  (*n)++;
  return GST_PAD_PROBE_OK;
}

TEST (test_qos_skips_what_would_be_late)
{
  guint n_unmatched = 0;
  GstMessage *message;
  GPtrArray *maps;
  Rig rig;

  rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
  /* new segments reset QoS, so the first pair is matched before */
  gst_buffer_unref (rig_match (&rig, numbered_image (LEFT, 0),
          numbered_image (RIGHT, 0)));
  /* one frame late at 0: pairs before 0 + 2 + 1 frames are too late */
  be_late (&rig, FRAME, 0);
  /* the event is forwarded upstream */
  for (gint v = LEFT; v <= RIGHT; v++)
    check_upstream_qos (&rig, v);
  gst_pad_add_probe (rig.view[LEFT]->sinkpad,
      GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, check_unmatched, &n_unmatched,
      NULL);
  maps = run_numbers (&rig);
  fail_unless_equals_int (maps->len, 3);
  for (gint i = 0; i < 3; i++)
    check_numbers (g_ptr_array_index (maps, (guint) i), i + 3, i + 3);
  fail_unless (GST_BUFFER_FLAG_IS_SET (g_ptr_array_index (maps, 0),
          GST_BUFFER_FLAG_DISCONT));
  fail_if (GST_BUFFER_FLAG_IS_SET (g_ptr_array_index (maps, 1),
          GST_BUFFER_FLAG_DISCONT));
  fail_unless_equals_int (n_unmatched, 3);
  fail_unless_equals_uint64 (rig_stat (&rig, "qos-dropped"), 3);
  fail_unless_equals_uint64 (rig_stat (&rig, "paired"), 4);
  fail_unless_equals_uint64 (rig_stat (&rig, "dropped-left"), 0);

  for (guint i = 0; i < 3; i++) {
    guint64 running_time, stream_time, timestamp, duration, processed, dropped;
    gint64 jitter;
    gdouble proportion;
    gboolean live;
    GstFormat format;

    message = rig_message (&rig, GST_MESSAGE_QOS, 0);
    fail_unless (message != NULL);
    gst_message_parse_qos (message, &live, &running_time, &stream_time,
        &timestamp, &duration);
    fail_unless_equals_uint64 (running_time, i * FRAME);
    fail_unless_equals_uint64 (stream_time, i * FRAME);
    fail_unless_equals_uint64 (timestamp, i * FRAME);
    fail_unless_equals_uint64 (duration, FRAME);
    gst_message_parse_qos_values (message, &jitter, &proportion, NULL);
    fail_unless_equals_int64 (jitter, (gint64) ((3 - i) * FRAME));
    fail_unless_equals_float (proportion, 1.5);
    gst_message_parse_qos_stats (message, &format, &processed, &dropped);
    fail_unless_equals_int (format, GST_FORMAT_BUFFERS);
    fail_unless_equals_uint64 (processed, 1);
    fail_unless_equals_uint64 (dropped, i + 1);
    gst_message_unref (message);
  }
  fail_unless_equals_int (rig_count_messages (&rig, GST_MESSAGE_QOS), 0);
  g_ptr_array_unref (maps);
  rig_close (&rig);
}

TEST (test_qos_off)
{
  Rig rig;

  rig_open_with_caps (&rig, VCBW "qos=false", CAPS, CAPS);
  match_one_pair (&rig);
  be_late (&rig, FRAME, 0);
  check_nothing_skipped (&rig);
}

/* Early buffers skip nothing. */
TEST (test_qos_early)
{
  Rig rig;

  rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
  match_one_pair (&rig);
  be_late (&rig, -2 * (GstClockTimeDiff) FRAME, 2 * FRAME);
  check_nothing_skipped (&rig);
}

TEST (test_flush_resets_qos)
{
  Rig rig;

  rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
  match_one_pair (&rig);
  be_late (&rig, FRAME, 0);
  flush (&rig);
  check_nothing_skipped (&rig);
}

/* ----------------------------------------------------------- other signals */

typedef struct
{
  GstBuffer *expected[2];
  guint calls;
} Selected;

static void
on_samples_selected (GstElement * element, GstSegment * segment, guint64 pts,
    guint64 dts, guint64 duration, GstStructure * info, Selected * selected)
{
  static const gchar *const names[] = { "sink_left", "sink_right" };

  selected->calls++;
  fail_unless_equals_uint64 (pts, 2 * FRAME);
  fail_unless_equals_uint64 (duration, FRAME);
  for (gint v = LEFT; v <= RIGHT; v++) {
    GstPad *pad = gst_element_get_static_pad (element, names[v]);
    GstSample *sample =
        gst_aggregator_peek_next_sample (GST_AGGREGATOR (element),
        GST_AGGREGATOR_PAD (pad));

    fail_unless (sample != NULL);
    fail_unless (gst_sample_get_buffer (sample) == selected->expected[v]);
    fail_unless (gst_sample_get_caps (sample) != NULL);
    gst_sample_unref (sample);
    gst_object_unref (pad);
  }
}

/* In samples-selected, applications can inspect the pair. */
TEST (test_samples_selected)
{
  Selected selected = { {NULL,}, 0 };
  GstAggregatorPad *pad;
  GstBuffer *map;
  Rig rig;

  rig_open_with_caps (&rig, VCBW "emit-signals=true", CAPS, CAPS);
  g_signal_connect (rig.element, "samples-selected",
      G_CALLBACK (on_samples_selected), &selected);
  for (gint v = LEFT; v <= RIGHT; v++)
    selected.expected[v] = numbered_image (v, 2);
  map = rig_match (&rig, selected.expected[LEFT], selected.expected[RIGHT]);
  fail_unless_equals_int (selected.calls, 1);
  gst_buffer_unref (map);
  /* no pair outside the signal */
  pad = GST_AGGREGATOR_PAD (gst_element_get_static_pad (rig.element,
          "sink_left"));
  fail_unless (gst_aggregator_peek_next_sample (GST_AGGREGATOR (rig.element),
          pad) == NULL);
  gst_object_unref (pad);
  rig_close (&rig);
}

/* A buffer without memory that stands for a gap leaves elements with one input
 * as a GAP event, after which the stream continues. */
LOOP_TEST (test_gap_of_one_input, 0, 4)
{
  static const gchar *const cases[][2] = {
    {"disparitycolor range-min=0 range-max=9", "src"},
    {"stereorectify", "src"},
    {"stereosplit layout=side-by-side", "src_left"},
    {"stereosplit layout=frame-by-frame", "src_left"},
  };
  GstElement *element = gst_parse_launch (cases[__i__][0], NULL);
  GstBuffer *gap = gst_buffer_new (), *after;
  GstClockTime time, duration;
  GstHarness *h;
  GstEvent *event;

  h = gst_harness_new_with_element (element, "sink", cases[__i__][1]);
  gst_harness_set_src_caps_str (h, CAPS);
  fail_unless_equals_int (gst_harness_push (h, numbered_image (LEFT, 0)),
      GST_FLOW_OK);
  gst_buffer_unref (gst_harness_pull (h));
  GST_BUFFER_FLAG_SET (gap, GST_BUFFER_FLAG_GAP);
  fail_unless_equals_int (gst_harness_push (h, gst_buffer_copy (gap)),
      GST_FLOW_OK);
  GST_BUFFER_PTS (gap) = 2 * FRAME;
  GST_BUFFER_DURATION (gap) = FRAME;
  fail_unless_equals_int (gst_harness_push (h, gap), GST_FLOW_OK);
  event = wait_event (h, GST_EVENT_GAP);
  gst_event_parse_gap (event, &time, &duration);
  fail_unless_equals_uint64 (time, 2 * FRAME);
  fail_unless_equals_uint64 (duration, FRAME);
  gst_event_unref (event);
  fail_unless_equals_int (gst_harness_push (h, numbered_image (LEFT, 3)),
      GST_FLOW_OK);
  after = gst_harness_pull (h);
  fail_if (GST_BUFFER_FLAG_IS_SET (after, GST_BUFFER_FLAG_DISCONT));
  gst_buffer_unref (after);
  gst_object_unref (element);
  gst_harness_teardown (h);
}

CHECK_MAIN ("stereo-stream")
