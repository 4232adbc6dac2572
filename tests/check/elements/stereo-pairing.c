/* gst-stereomatching: pairing of images
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "../stereocheck.h"

#include <string.h>

/* A script from text such as "012-5": a digit is an image of that number, a
 * dash is a gap event in place of an image. */
static Script *
script_from (gint view, const gchar * text, GstClockTimeDiff skew)
{
  Script *script = script_new ();
  gint number = 0;

  for (const gchar * c = text; *c != '\0'; c++) {
    if (*c == '-') {
      script_event (script, gst_event_new_gap ((GstClockTime) number * FRAME
              + (GstClockTime) skew, FRAME));
    } else {
      GstBuffer *image = numbered_image (view, number = *c - '0');

      GST_BUFFER_PTS (image) += (GstClockTime) skew;
      script_buffer (script, image);
    }
    number++;
  }
  return script;
}

/* The number of unpaired images at the end of the other view depends on thread
 * timing. */
#define ANY G_MAXUINT64

/* Runs two scripts and checks the numbers of the maps and of dropped images. */
static void
check_pairing (const gchar * launch, const gchar * left, const gchar * right,
    GstClockTimeDiff skew, const gchar * pairs, guint64 dropped_left,
    guint64 dropped_right)
{
  GPtrArray *maps;
  Rig rig;

  GST_INFO ("%s and %s", left, right);
  rig_open_with_caps (&rig, launch, CAPS, CAPS);
  maps = rig_run (&rig, script_from (LEFT, left, 0),
      script_from (RIGHT, right, skew));
  fail_unless (maps->len == strlen (pairs),
      "%s and %s: got %u maps, expected %s", left, right, maps->len, pairs);
  for (guint i = 0; i < maps->len; i++) {
    gint number = pairs[i] - '0';
    GstBuffer *map = g_ptr_array_index (maps, i);

    check_numbers (map, number, number);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (map),
        (GstClockTime) number * FRAME);
    fail_unless_equals_uint64 (GST_BUFFER_DURATION (map), FRAME);
  }
  fail_unless_equals_uint64 (rig_stat (&rig, "paired"), maps->len);
  if (dropped_left != ANY)
    fail_unless_equals_uint64 (rig_stat (&rig, "dropped-left"), dropped_left);
  if (dropped_right != ANY)
    fail_unless_equals_uint64 (rig_stat (&rig, "dropped-right"), dropped_right);
  fail_unless_equals_int (rig_count_messages (&rig, GST_MESSAGE_ELEMENT),
      rig_stat (&rig, "dropped-left") + rig_stat (&rig, "dropped-right"));
  /* of a result that is empty */
  fail_unless_equals_int (rig_count_messages (&rig, GST_MESSAGE_WARNING),
      maps->len == 0);
  rig_expect_no_error (&rig);
  g_ptr_array_unref (maps);
  rig_close (&rig);
}

TEST (test_dropped_images)
{
  static const struct
  {
    const gchar *left, *right, *pairs;
    guint64 dropped_left, dropped_right;
  } cases[] = {
    {"01234567", "01234567", "01234567", 0, 0},
    {"0123567", "01234567", "0123567", 0, 1},
    {"01234567", "0123567", "0123567", 1, 0},
    {"0134567", "0123567", "013567", 1, 1},
    {"234567", "01234567", "234567", 0, 2},
    {"01234567", "567", "567", 5, 0},
    {"0246", "1357", "", 4, 4},
    {"0123", "34567", "3", 3, ANY},
    {"0123", "4567", "", 4, ANY},
    {"07", "01234567", "07", 0, 6},
    {"01234567", "0", "0", ANY, 0},
    {"3", "3", "3", 0, 0},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check_pairing (VCBW, cases[i].left, cases[i].right, 0, cases[i].pairs,
        cases[i].dropped_left, cases[i].dropped_right);
}

/* Random losses in both views; every image present in both is matched. */
TEST (test_random_losses)
{
  const guint n = 150;
  Script *scripts[2] = { script_new (), script_new () };
  GRand *random = g_rand_new_with_seed (20260101);
  GArray *both = g_array_new (FALSE, FALSE, sizeof (guint));
  GPtrArray *maps;
  Rig rig;

  for (guint i = 0; i < n; i++) {
    gboolean has[2];

    for (gint v = LEFT; v <= RIGHT; v++) {
      has[v] = g_rand_int_range (random, 0, 4) > 0;
      if (has[v]) {
        GstBuffer *image = numbered_image (v, (gint) i % N_NUMBERS);

        /* with a jitter of up to 9 ms */
        GST_BUFFER_PTS (image) = i * FRAME
            + (GstClockTime) g_rand_int_range (random, 0, 9000000);
        script_buffer (scripts[v], image);
      }
    }
    if (has[LEFT] && has[RIGHT])
      g_array_append_val (both, i);
  }
  rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
  maps = rig_run (&rig, scripts[LEFT], scripts[RIGHT]);
  fail_unless_equals_int (maps->len, both->len);
  for (guint i = 0; i < maps->len; i++) {
    guint frame = g_array_index (both, guint, i);

    check_numbers (g_ptr_array_index (maps, i), frame % N_NUMBERS,
        frame % N_NUMBERS);
  }
  g_ptr_array_unref (maps);
  g_array_unref (both);
  g_rand_free (random);
  rig_close (&rig);
}

TEST (test_skew)
{
  const GstClockTimeDiff half = FRAME / 2;

  /* default: half the duration of the left image */
  check_pairing (VCBW, "0123", "0123", half, "0123", 0, 0);
  check_pairing (VCBW, "012356", "02345", half - 1, "0235", 2, 1);
  /* explicit */
  check_pairing (VCBW "sync-tolerance=5000000", "0123", "0123", 5000000,
      "0123", 0, 0);
  check_pairing (VCBW "sync-tolerance=5000000", "0123", "0123", 5000001, "",
      4, 4);
  check_pairing (VCBW "sync-tolerance=0", "0123", "0123", 0, "0123", 0, 0);
  check_pairing (VCBW "sync-tolerance=0", "0123", "0123", 1, "", 4, 4);
}

/* Plays to the end; the only warning contains this text. */
static void
play_with_warning (GstElement * pipeline, const gchar * text)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  GError *error;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, PATIENCE, GST_MESSAGE_WARNING
      | GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  fail_unless (message != NULL);
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_WARNING);
  error = take_error (message);
  fail_unless (strstr (error->message, text) != NULL, "%s", error->message);
  g_error_free (error);
  message = gst_bus_timed_pop_filtered (bus, PATIENCE, GST_MESSAGE_WARNING
      | GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  fail_unless (message != NULL);
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_EOS);
  gst_message_unref (message);
  gst_object_unref (bus);
}

/* An end without a pair is not silent: one view has no images, or they have no
 * partners. */
TEST (test_no_pair)
{
  static const gchar *const lines[][2] = {
    {"m.sink_left  stereotestsrc view=right num-buffers=0 ! m.sink_right",
        "sink_right has ended without an image"},
    {"m.sink_right  stereotestsrc num-buffers=0 ! m.sink_left",
        "sink_left has ended without an image"},
    {"m.sink_left  stereotestsrc view=right num-buffers=3 "
          "timestamp-offset=5000000000 ! m.sink_right",
        "ended without a pair: no timestamps were within sync-tolerance"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    GstElement *pipeline = pipeline_new ("stereotestsrc num-buffers=3 ! %s  "
        VCBW "name=m ! fakesink", lines[i][0]);

    play_with_warning (pipeline, lines[i][1]);
    pipeline_free (pipeline);
  }
}

/* Images of the last run do not count. */
TEST (test_no_pair_after_a_restart)
{
  GstElement *pipeline = pipeline_new ("stereotestsrc num-buffers=3 ! "
      "m.sink_left  stereotestsrc name=right view=right num-buffers=3 ! "
      "m.sink_right " VCBW "name=m ! fakesink");
  GstElement *right = gst_bin_get_by_name (GST_BIN (pipeline), "right");

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  pipeline_wait (pipeline, GST_MESSAGE_EOS);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_object_set (right, "num-buffers", 0, NULL);
  gst_object_unref (right);
  play_with_warning (pipeline, "sink_right has ended without an image");
  pipeline_free (pipeline);
}

static gint64
stat_int (Rig * rig, const gchar * name)
{
  GstStructure *stats;
  gint64 value = G_MAXINT64;

  g_object_get (rig->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_int64 (stats, name, &value));
  gst_structure_free (stats);
  return value;
}

/* right-offset compensates a camera that is late by less or more than a
 * frame. */
TEST (test_right_offset)
{
  const GstClockTimeDiff half = FRAME / 2;

  check_pairing (VCBW "right-offset=-20000001", "0123", "0123", half + 1,
      "0123", 0, 0);
  check_pairing (VCBW "right-offset=-120000000", "012356", "02345", 3 * FRAME,
      "0235", 2, 1);
  check_pairing (VCBW "right-offset=-120000000 sync-tolerance=0", "012345",
      "01-345", 3 * FRAME, "01345", 1, 0);
  check_pairing (VCBW "right-offset=120000000 sync-tolerance=0", "3456",
      "3456", -3 * FRAME, "3456", 0, 0);
  check_pairing (VCBW "right-offset=-1 sync-tolerance=0", "0123", "0123", 0,
      "", 4, 4);
}

/* It may change while pairs are matched, every one or the newest.  Statistics
 * are those since the last change. */
TEST (test_right_offset_changes)
{
  static const gchar *const launch[] = { VCBW "pairs=every",
    VCBW "pairs=newest"
  };

  for (guint m = 0; m < G_N_ELEMENTS (launch); m++) {
    Rig rig;

    rig_open_with_caps (&rig, launch[m], CAPS, CAPS);
    for (gint i = 0; i < 8; i++) {
      const gint64 offset = (i / 2 - 2) * 150 * GST_MSECOND;
      const gint64 change = i % 2 * GST_MSECOND;
      GstBuffer *right = numbered_image (RIGHT, i);
      GstBuffer *left = numbered_image (LEFT, i), *map;

      g_object_set (rig.element, "right-offset", offset, NULL);
      GST_BUFFER_PTS (left) += GST_SECOND;
      GST_BUFFER_PTS (right) += GST_SECOND - (GstClockTime) (offset + change);
      map = rig_match (&rig, left, right);
      check_numbers (map, i, i);
      fail_unless_equals_uint64 (GST_BUFFER_PTS (map), GST_SECOND + i * FRAME);
      gst_buffer_unref (map);
      /* of one pair, or of two that are a millisecond apart */
      fail_unless_equals_int64 (stat_int (&rig, "time-difference-mean"),
          -offset - change / 2);
      fail_unless_equals_uint64 (rig_stat (&rig, "time-difference-deviation"),
          (guint64) change / 2);
    }
    fail_unless_equals_uint64 (rig_stat (&rig, "paired"), 8);
    rig_close (&rig);
  }
}

/* A left image waits for a late right one, which adds latency. */
TEST (test_right_offset_is_latency)
{
  Rig rig;

  rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
  gst_buffer_unref (rig_match (&rig, numbered_image (LEFT, 0),
          numbered_image (RIGHT, 0)));
  fail_unless_equals_uint64 (gst_harness_query_latency (rig.view[LEFT]), FRAME);
  g_object_set (rig.element, "right-offset", (gint64) - 30 * GST_MSECOND, NULL);
  fail_unless_equals_uint64 (gst_harness_query_latency (rig.view[LEFT]),
      FRAME + 30 * GST_MSECOND);
  g_object_set (rig.element, "right-offset", (gint64) 30 * GST_MSECOND, NULL);
  fail_unless_equals_uint64 (gst_harness_query_latency (rig.view[LEFT]), FRAME);
  rig_close (&rig);
}

typedef struct
{
  gint pairs, unpaired;
} Logged;

static void
count_decisions (GstDebugCategory * category, GstDebugLevel level,
    const gchar * file, const gchar * function, gint line, GObject * object,
    GstDebugMessage * message, gpointer user_data)
{
  const gchar *text = gst_debug_message_get (message);
  Logged *logged = user_data;

  if (level != GST_LEVEL_LOG || strstr (text, "tolerance") == NULL)
    return;
  g_atomic_int_add (&logged->pairs, g_str_has_suffix (text, ": pair"));
  g_atomic_int_add (&logged->unpaired, g_str_has_suffix (text, " unpaired"));
}

/* The log contains every decision, with times. */
TEST (test_log)
{
  Logged logged = { 0, 0 };
  GstDebugLevel level = gst_debug_get_default_threshold ();

  gst_debug_add_log_function (count_decisions, &logged, NULL);
  gst_debug_set_threshold_for_name ("stereobase", GST_LEVEL_LOG);
  check_pairing (VCBW, "0134567", "0123567", 0, "013567", 1, 1);
  gst_debug_remove_log_function (count_decisions);
  gst_debug_unset_threshold_for_name ("stereobase");
  gst_debug_set_default_threshold (level);
  fail_unless (logged.pairs >= 6);
  fail_unless_equals_int (logged.unpaired, 2);
}

/* Views of different framerates pair at equal times only. */
TEST (test_different_rates)
{
  for (gint fast = LEFT; fast <= RIGHT; fast++) {
    for (gint known = 0; known <= 1; known++) {
      const gchar *caps[] = { CAPS, CAPS };
      Script *scripts[2] = { script_new (), script_new () };
      GPtrArray *maps;
      Rig rig;

      caps[fast] = "video/x-raw, format=GRAY8, width=96, height=4, "
          "framerate=50/1";
      for (gint i = 0; i < 8; i++) {
        GstBuffer *image = numbered_image (fast, i);

        GST_BUFFER_PTS (image) = (GstClockTime) i *FRAME / 2;
        GST_BUFFER_DURATION (image) = known ? FRAME / 2 : GST_CLOCK_TIME_NONE;
        script_buffer (scripts[fast], image);
        if (i < 4) {
          image = numbered_image (!fast, i);
          if (!known)
            GST_BUFFER_DURATION (image) = GST_CLOCK_TIME_NONE;
          script_buffer (scripts[!fast], image);
        }
      }
      rig_open_with_caps (&rig, VCBW, caps[LEFT], caps[RIGHT]);
      maps = rig_run (&rig, scripts[LEFT], scripts[RIGHT]);
      fail_unless_equals_int (maps->len, 4);
      for (gint i = 0; i < 4; i++)
        check_numbers (g_ptr_array_index (maps, (guint) i),
            fast == LEFT ? 2 * i : i, fast == LEFT ? i : 2 * i);
      g_ptr_array_unref (maps);
      rig_close (&rig);
    }
  }
}

/* One warning with both framerates and the remedy; rates that differ by
 * rounding are equal. */
LOOP_TEST (test_warning_about_rates, 0, 5)
{
  static const struct
  {
    const gchar *rate[2];
    const gchar *text;          /* NULL: no warning */
  } cases[] = {
    {{"30/1", "25/1"}, "sink_left has 30/1 frames per second, sink_right 25/1"},
    {{"25/1", "50/1"}, "sink_left has 25/1 frames per second, sink_right 50/1"},
    {{"30/1", "30000/1001"}, NULL},
    {{"25/1", "0/1"}, NULL},
    {{"25/1", "0/1, max-framerate=60/1"}, NULL},
  };
  const gchar *wanted = cases[__i__].text;
  gchar *caps[2];
  Rig rig;

  for (gint v = LEFT; v <= RIGHT; v++)
    caps[v] = g_strdup_printf ("video/x-raw, format=GRAY8, width=96, height=4, "
        "framerate=%s", cases[__i__].rate[v]);
  rig_open_with_caps (&rig, VCBW, caps[LEFT], caps[RIGHT]);
  for (gint i = 0; i < 3; i++) {
    for (gint v = LEFT; v <= RIGHT; v++)
      rig_push (&rig, v, numbered_image (v, i));
    gst_buffer_unref (gst_harness_pull (rig.view[LEFT]));
  }
  if (wanted != NULL)
    rig_expect_warning (&rig, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        wanted, "Set both cameras to one frame rate", "sync-tolerance", NULL);
  rig_expect_no_error (&rig);
  rig_close (&rig);
  g_free (caps[LEFT]);
  g_free (caps[RIGHT]);
}

/* One warning if the metadata of rectified views do not fit together. */
LOOP_TEST (test_warning_about_cameras, 0, 9)
{
  static const struct
  {
    const gchar *view[2];
    gdouble focal_length[2], baseline[2];
    const gchar *text;          /* NULL: no warning */
  } cases[] = {
    {{"left", "right"}, {700, 700}, {0.12, 0.12}, NULL},
    {{"left", "right"}, {700, 700.05}, {0.12, 0.12001}, NULL},
    {{NULL, NULL}, {0, 0}, {0, 0}, NULL},
    {{"left", NULL}, {700, 0}, {0.12, 0}, "those on sink_right were not"},
    {{NULL, "right"}, {0, 700}, {0, 0.12}, "those on sink_left were not"},
    {{"right", "left"}, {700, 700}, {0.12, 0.12}, "view=left"},
    {{"left", "left"}, {700, 700}, {0.12, 0.12}, "link it to sink_left"},
    {{"left", "right"}, {700, 710}, {0.12, 0.12}, "sink_right of 710 and 0.12"},
    {{"left", "right"}, {700, 700}, {0.12, 0.06}, "sink_right of 700 and 0.06"},
  };
  Rig rig;

  rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
  for (gint i = 0; i < 3; i++) {
    for (gint v = LEFT; v <= RIGHT; v++) {
      GstBuffer *image = numbered_image (v, i);
      GstCustomMeta *meta;

      if (cases[__i__].view[v] != NULL) {
        meta = gst_buffer_add_custom_meta (image, "GstStereoCameraMeta");
        gst_structure_set (gst_custom_meta_get_structure (meta),
            "view", G_TYPE_STRING, cases[__i__].view[v],
            "focal-length", G_TYPE_DOUBLE, cases[__i__].focal_length[v],
            "cx", G_TYPE_DOUBLE, 48.0, "cy", G_TYPE_DOUBLE, 2.0,
            "baseline", G_TYPE_DOUBLE, cases[__i__].baseline[v],
            "doffs", G_TYPE_DOUBLE, 0.0, NULL);
      }
      rig_push (&rig, v, image);
    }
    gst_buffer_unref (gst_harness_pull (rig.view[LEFT]));
  }
  if (cases[__i__].text != NULL)
    rig_expect_warning (&rig, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        cases[__i__].text, "stereorectify", NULL);
  fail_unless_equals_int (rig_count_messages (&rig, GST_MESSAGE_WARNING), 0);
  rig_expect_no_error (&rig);
  rig_close (&rig);
}

/* The right view may be early or late. */
TEST (test_skew_to_the_left)
{
  for (guint more = 0; more <= 1; more++) {
    Script *scripts[2] = { script_new (), script_new () };
    GPtrArray *maps;
    Rig rig;

    for (gint i = 0; i < 3; i++) {
      for (gint v = LEFT; v <= RIGHT; v++) {
        GstBuffer *image = numbered_image (v, i);

        GST_BUFFER_PTS (image) += GST_SECOND;
        if (v == RIGHT)
          GST_BUFFER_PTS (image) -= 3000000 + more;
        script_buffer (scripts[v], image);
      }
    }
    rig_open_with_caps (&rig, VCBW "sync-tolerance=3000000", CAPS, CAPS);
    maps = rig_run (&rig, scripts[LEFT], scripts[RIGHT]);
    fail_unless_equals_int (maps->len, more ? 0 : 3);
    for (guint i = 0; i < maps->len; i++)
      check_numbers (g_ptr_array_index (maps, i), (gint) i, (gint) i);
    g_ptr_array_unref (maps);
    rig_close (&rig);
  }
}

/* Without durations the tolerance comes from the framerate of the caps,
 * otherwise it is 1 ms. */
TEST (test_tolerance_without_durations)
{
  static const struct
  {
    const gchar *caps;
    GstClockTime skew;
    guint n_maps;
  } cases[] = {
    {CAPS, 20 * GST_MSECOND, 3},
    {"video/x-raw, format=GRAY8, width=96, height=4, framerate=50/1",
        10 * GST_MSECOND, 3},
    {"video/x-raw, format=GRAY8, width=96, height=4, framerate=50/1",
        10 * GST_MSECOND + 1, 0},
    {"video/x-raw, format=GRAY8, width=96, height=4, framerate=0/1",
        GST_MSECOND, 3},
    {"video/x-raw, format=GRAY8, width=96, height=4, framerate=0/1",
        GST_MSECOND + 1, 0},
  };

  for (guint c = 0; c < G_N_ELEMENTS (cases); c++) {
    Script *scripts[2] = { script_new (), script_new () };
    GPtrArray *maps;
    Rig rig;

    for (gint i = 0; i < 3; i++) {
      for (gint v = LEFT; v <= RIGHT; v++) {
        GstBuffer *image = numbered_image (v, i);

        GST_BUFFER_DURATION (image) = GST_CLOCK_TIME_NONE;
        if (v == RIGHT)
          GST_BUFFER_PTS (image) += cases[c].skew;
        script_buffer (scripts[v], image);
      }
    }
    rig_open_with_caps (&rig, VCBW, cases[c].caps, cases[c].caps);
    maps = rig_run (&rig, scripts[LEFT], scripts[RIGHT]);
    fail_unless (maps->len == cases[c].n_maps, "case %u: %u maps", c,
        maps->len);
    g_ptr_array_unref (maps);
    rig_close (&rig);
  }
}

TEST (test_message_about_unpaired_images)
{
  const GstStructure *s;
  GstMessage *message;
  guint64 pts, time, dropped;
  GPtrArray *maps;
  Rig rig;

  rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
  maps = rig_run (&rig, script_from (LEFT, "013", 0),
      script_from (RIGHT, "0123", 0));
  message = rig_message (&rig, GST_MESSAGE_ELEMENT, 0);
  fail_unless (message != NULL);
  s = gst_message_get_structure (message);
  fail_unless (gst_structure_has_name (s, "stereo-unpaired"));
  fail_unless_equals_string (gst_structure_get_string (s, "view"), "right");
  fail_unless (gst_structure_get_uint64 (s, "pts", &pts)
      && gst_structure_get_uint64 (s, "running-time", &time)
      && gst_structure_get_uint64 (s, "dropped", &dropped));
  fail_unless_equals_uint64 (pts, 2 * FRAME);
  fail_unless_equals_uint64 (time, 2 * FRAME);
  fail_unless_equals_uint64 (dropped, 1);
  fail_unless (gst_structure_get_string (s, "reason") != NULL);
  gst_message_unref (message);
  fail_unless_equals_int (rig_count_messages (&rig, GST_MESSAGE_ELEMENT), 0);
  g_ptr_array_unref (maps);
  rig_close (&rig);
}

/* One warning if no images pair. */
TEST (test_warning_when_nothing_pairs)
{
  Script *scripts[2] = { script_new (), script_new () };
  GPtrArray *maps;
  Rig rig;

  for (guint i = 0; i < 80; i++) {
    for (gint v = LEFT; v <= RIGHT; v++) {
      GstBuffer *image = numbered_image (v, 0);

      GST_BUFFER_PTS (image) = i * FRAME + (v == RIGHT ? FRAME / 2 : 0);
      script_buffer (scripts[v], image);
    }
  }
  rig_open_with_caps (&rig, VCBW "sync-tolerance=1000000", CAPS, CAPS);
  maps = rig_run (&rig, scripts[LEFT], scripts[RIGHT]);
  fail_unless_equals_int (maps->len, 0);
  rig_expect_warning (&rig, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
      "sync-tolerance", NULL);
  rig_expect_no_error (&rig);
  g_ptr_array_unref (maps);
  rig_close (&rig);
}

TEST (test_gaps)
{
  check_pairing (VCBW, "01-345", "012345", 0, "01345", 0, 1);
  check_pairing (VCBW, "012345", "01-345", 0, "01345", 1, 0);
  check_pairing (VCBW, "01-345", "01-345", 0, "01345", 0, 0);
  check_pairing (VCBW, "01-34-6", "0-23456", 0, "0346", 1, 2);
  check_pairing (VCBW, "01---5", "012345", 0, "015", 0, 3);
  check_pairing (VCBW, "---345", "012345", 0, "345", 0, 3);
  check_pairing (VCBW, "01234", "01---", 0, "01", 3, 0);
  check_pairing (VCBW, "01-345", "012345", FRAME / 4, "01345", 0, 1);
  check_pairing (VCBW, "012345", "01-345", FRAME / 4, "01345", 1, 0);
}

/* One gap event for several images, and one of unknown duration. */
TEST (test_long_gaps)
{
  for (gint gap_view = LEFT; gap_view <= RIGHT; gap_view++) {
    for (gint known = 0; known <= 1; known++) {
      Script *scripts[2] = { script_new (), script_new () };
      static const gint with_gap[] = { 0, 1, 5, 6 };
      GPtrArray *maps;
      Rig rig;

      script_numbers (scripts[!gap_view], !gap_view, 0, 1, 2, 3, 4, 5, 6, -1);
      script_numbers (scripts[gap_view], gap_view, 0, 1, -1);
      script_event (scripts[gap_view], gst_event_new_gap (2 * FRAME,
              known ? 3 * FRAME : GST_CLOCK_TIME_NONE));
      script_numbers (scripts[gap_view], gap_view, 5, 6, -1);
      rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
      maps = rig_run (&rig, scripts[LEFT], scripts[RIGHT]);
      fail_unless_equals_int (maps->len, 4);
      for (guint i = 0; i < 4; i++)
        check_numbers (g_ptr_array_index (maps, i), with_gap[i], with_gap[i]);
      fail_unless_equals_uint64 (rig_stat (&rig, gap_view == LEFT
              ? "dropped-right" : "dropped-left"), 3);
      g_ptr_array_unref (maps);
      rig_close (&rig);
    }
  }
}

static Script *
script_without_times (gint view)
{
  Script *script = script_new ();

  for (gint i = 0; i < 4; i++) {
    GstBuffer *image = numbered_image (view, i);

    GST_BUFFER_PTS (image) = GST_CLOCK_TIME_NONE;
    GST_BUFFER_DURATION (image) = GST_CLOCK_TIME_NONE;
    script_buffer (script, image);
  }
  return script;
}

/* Still images and raw files have no timestamps. */
TEST (test_images_without_times_pair_in_order)
{
  GPtrArray *maps;
  Rig rig;

  rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
  maps = rig_run (&rig, script_without_times (LEFT),
      script_without_times (RIGHT));
  fail_unless_equals_int (maps->len, 4);
  for (guint i = 0; i < 4; i++) {
    check_numbers (g_ptr_array_index (maps, i), (gint) i, (gint) i);
    fail_if (GST_BUFFER_PTS_IS_VALID (g_ptr_array_index (maps, i)));
  }
  rig_expect_no_error (&rig);
  g_ptr_array_unref (maps);
  rig_close (&rig);
}

TEST (test_times_on_one_side_are_an_error)
{
  for (gint v = LEFT; v <= RIGHT; v++) {
    Script *scripts[2];
    Feeder *feeders[2];
    Rig rig;

    rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
    scripts[v] = script_new ();
    script_numbers (scripts[v], v, 0, 1, 2, 3, -1);
    scripts[!v] = script_without_times (!v);
    for (gint i = LEFT; i <= RIGHT; i++)
      feeders[i] = feeder_new (&rig, i, scripts[i]);
    rig_expect_error (&rig, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        v == LEFT ? "sink_left have timestamps" : "sink_right have timestamps",
        v == LEFT ? "sink_right have none" : "sink_left have none", "Both need",
        NULL);
    for (gint i = LEFT; i <= RIGHT; i++)
      fail_unless_equals_int (feeder_join (feeders[i]), GST_FLOW_ERROR);
    rig_expect_no_error (&rig);
    fail_unless_equals_int (gst_harness_buffers_received (rig.view[LEFT]), 0);
    rig_close (&rig);
  }
}

/* ----------------------------------------------------------------- segments */

static GstEvent *
segment_event (gdouble rate, GstClockTime start, GstClockTime stop,
    GstClockTime base)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.rate = rate;
  segment.start = start;
  segment.stop = stop;
  segment.time = start;
  segment.base = base;
  return gst_event_new_segment (&segment);
}

static Script *
shifted_script (gint view, GstEvent * segment, GstClockTime by)
{
  Script *script = script_new ();

  script_event (script, segment);
  for (gint i = 0; i < 4; i++) {
    GstBuffer *image = numbered_image (view, i);

    GST_BUFFER_PTS (image) += by;
    script_buffer (script, image);
  }
  return script;
}

/* Images pair by running time, whatever their segments. */
TEST (test_segments_may_differ)
{
  const GstClockTime hour = 3600 * GST_SECOND;
  const struct
  {
    GstClockTime start, base, pts;
  } cases[][2] = {
    {{0, 0, 0}, {hour, 0, hour}},
    {{hour, 0, hour}, {0, 0, 0}},
    {{0, 5 * FRAME, 0}, {0, 0, 5 * FRAME}},
    {{hour, 0, hour + 3 * FRAME}, {0, 3 * FRAME, 0}},
  };

  for (guint c = 0; c < G_N_ELEMENTS (cases); c++) {
    Script *scripts[2];
    GPtrArray *maps;
    GstPad *sink;
    GstEvent *event;
    const GstSegment *segment;
    Rig rig;

    rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
    for (gint v = LEFT; v <= RIGHT; v++)
      scripts[v] = shifted_script (v, segment_event (1.0, cases[c][v].start,
              GST_CLOCK_TIME_NONE, cases[c][v].base), cases[c][v].pts);
    maps = rig_run (&rig, scripts[LEFT], scripts[RIGHT]);
    fail_unless_equals_int (maps->len, 4);
    for (gint i = 0; i < 4; i++) {
      GstBuffer *map = g_ptr_array_index (maps, (guint) i);

      check_numbers (map, i, i);
      fail_unless_equals_uint64 (GST_BUFFER_PTS (map), cases[c][LEFT].pts
          + (GstClockTime) i * FRAME);
    }
    /* downstream gets the segment of the left view */
    sink = rig.view[LEFT]->sinkpad;
    event = gst_pad_get_sticky_event (sink, GST_EVENT_SEGMENT, 0);
    gst_event_parse_segment (event, &segment);
    fail_unless_equals_uint64 (segment->start, cases[c][LEFT].start);
    fail_unless_equals_uint64 (segment->base, cases[c][LEFT].base);
    fail_unless_equals_uint64 (segment->time, cases[c][LEFT].start);
    gst_event_unref (event);
    g_ptr_array_unref (maps);
    rig_close (&rig);
  }
}

TEST (test_other_than_time_segments_are_refused)
{
  static const struct
  {
    GstFormat format;
    const gchar *name;
  } formats[] = { {GST_FORMAT_BYTES, "bytes"}, {GST_FORMAT_DEFAULT, "default"}
  };

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    for (gint v = LEFT; v <= RIGHT; v++) {
      Script *scripts[2] = { script_new (), script_new () };
      Feeder *feeders[2];
      GstSegment segment;
      Rig rig;

      rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
      gst_segment_init (&segment, formats[f].format);
      script_event (scripts[v], gst_event_new_segment (&segment));
      for (gint i = LEFT; i <= RIGHT; i++) {
        script_numbers (scripts[i], i, 0, 1, 2, -1);
        feeders[i] = feeder_new (&rig, i, scripts[i]);
      }
      rig_expect_error (&rig, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
          v == LEFT ? "sink_left" : "sink_right", formats[f].name, "time",
          NULL);
      for (gint i = LEFT; i <= RIGHT; i++)
        fail_unless (feeder_join (feeders[i]) < 0);
      rig_expect_no_error (&rig);
      fail_unless_equals_int (gst_harness_buffers_received (rig.view[LEFT]), 0);
      rig_close (&rig);
    }
  }
}

/* Images outside the segment are not matched and not counted as dropped. */
TEST (test_clipping)
{
  Script *scripts[2];
  GPtrArray *maps;
  GstBuffer *map;
  Rig rig;

  rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
  for (gint v = LEFT; v <= RIGHT; v++) {
    scripts[v] = script_new ();
    script_event (scripts[v], segment_event (1.0, FRAME + FRAME / 4,
            5 * FRAME, 0));
    script_numbers (scripts[v], v, 0, 1, 2, 3, 4, 5, 6, -1);
  }
  maps = rig_run (&rig, scripts[LEFT], scripts[RIGHT]);
  fail_unless_equals_int (maps->len, 4);
  map = g_ptr_array_index (maps, 0);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (map), FRAME + FRAME / 4);
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (map), FRAME - FRAME / 4);
  for (gint i = 0; i < 4; i++)
    check_numbers (g_ptr_array_index (maps, (guint) i), i + 1, i + 1);
  fail_unless_equals_uint64 (rig_stat (&rig, "dropped-left"), 0);
  fail_unless_equals_uint64 (rig_stat (&rig, "dropped-right"), 0);
  g_ptr_array_unref (maps);
  rig_close (&rig);
}

/* Images before running time 0 are outside the segment, too.  A negative offset
 * of the pad of a late camera makes them. */
TEST (test_negative_offset)
{
  static const gchar *const launches[] = { VCBW, VCBW " pairs=newest" };

  for (guint l = 0; l < G_N_ELEMENTS (launches); l++) {
    Script *scripts[2] = { script_new (), script_new () };
    GPtrArray *maps;
    Rig rig;

    rig_open_with_caps (&rig, launches[l], CAPS, CAPS);
    gst_pad_set_offset (rig.view[LEFT]->srcpad, -2 * (gint64) FRAME);
    script_numbers (scripts[LEFT], LEFT, 0, 1, 2, -1);
    script_numbers (scripts[RIGHT], RIGHT, 0, -1);
    maps = rig_run (&rig, scripts[LEFT], scripts[RIGHT]);
    fail_unless_equals_int (maps->len, 1);
    check_numbers (g_ptr_array_index (maps, 0), 2, 0);
    fail_unless_equals_uint64 (rig_stat (&rig, "dropped-left"), 0);
    rig_expect_no_error (&rig);
    g_ptr_array_unref (maps);
    rig_close (&rig);
  }
}

/* Faster playback shortens frame durations in running time, and the tolerance
 * with them. */
TEST (test_tolerance_follows_the_rate)
{
  static const gdouble rates[] = { 0.5, 1.0, 2.0, 4.0 };

  for (guint r = 0; r < G_N_ELEMENTS (rates); r++) {
    Script *scripts[2];
    static const gint expected[] = { 0, 3, 5, 6 };
    GPtrArray *maps;
    Rig rig;

    rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
    for (gint v = LEFT; v <= RIGHT; v++) {
      scripts[v] = script_new ();
      script_event (scripts[v], segment_event (rates[r], 0,
              GST_CLOCK_TIME_NONE, 0));
    }
    script_numbers (scripts[LEFT], LEFT, 0, 1, 3, 5, 6, 7, -1);
    script_numbers (scripts[RIGHT], RIGHT, 0, 2, 3, 4, 5, 6, -1);
    maps = rig_run (&rig, scripts[LEFT], scripts[RIGHT]);
    for (guint i = 0; i < MIN (maps->len, 4); i++)
      check_numbers (g_ptr_array_index (maps, i), expected[i], expected[i]);
    fail_unless_equals_int (maps->len, 4);
    g_ptr_array_unref (maps);
    rig_close (&rig);
  }
}

/* A camera is late by a time of the recording, which the settings describe. */
TEST (test_settings_follow_the_rate)
{
  static const gdouble rates[] = { 0.5, 1.0, 2.0, -1.0, -4.0 };
  static const gchar *const launches[] = { VCBW "pairs=every ",
    VCBW "pairs=newest "
  };
  const GstClockTime late = 3 * FRAME + 8 * GST_MSECOND;

  for (guint i = 0; i < 2 * G_N_ELEMENTS (rates); i++) {
    const gdouble rate = rates[i / 2];
    Rig rig;

    rig_open_with_caps (&rig, launches[i % 2], CAPS, CAPS);
    g_object_set (rig.element, "right-offset", -3 * (gint64) FRAME,
        "sync-tolerance", 8 * GST_MSECOND, NULL);
    for (gint v = LEFT; v <= RIGHT; v++)
      fail_unless (gst_harness_push_event (rig.view[v], segment_event (rate, 0,
                  20 * FRAME, 0)));
    for (gint n = 0; n < 4; n++) {
      const gint number = rate < 0 ? 7 - n : n;
      GstBuffer *right = numbered_image (RIGHT, number), *map;

      GST_BUFFER_PTS (right) += late;
      map = rig_match (&rig, numbered_image (LEFT, number), right);
      check_numbers (map, number, number);
      gst_buffer_unref (map);
    }
    fail_unless_equals_int64 (stat_int (&rig, "time-difference-mean"), late);
    rig_close (&rig);
  }
}

/* The duration of a gap event is stream time too. */
TEST (test_gap_follows_the_rate)
{
  static const gdouble rates[] = { 0.5, 1.0, 2.0 };

  for (guint r = 0; r < G_N_ELEMENTS (rates); r++) {
    for (gint gap_view = LEFT; gap_view <= RIGHT; gap_view++) {
      Script *scripts[2];
      static const gint expected[] = { 0, 3, 4, 5, 6 };
      GPtrArray *maps;
      Rig rig;

      rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
      for (gint v = LEFT; v <= RIGHT; v++) {
        scripts[v] = script_new ();
        script_event (scripts[v], segment_event (rates[r], 0,
                GST_CLOCK_TIME_NONE, 0));
      }
      script_numbers (scripts[gap_view], gap_view, 0, -1);
      script_event (scripts[gap_view], gst_event_new_gap (FRAME, 2 * FRAME));
      script_numbers (scripts[gap_view], gap_view, 3, 4, 5, 6, -1);
      script_numbers (scripts[!gap_view], !gap_view, 0, 1, 2, 3, 4, 5, 6, -1);
      maps = rig_run (&rig, scripts[LEFT], scripts[RIGHT]);
      for (guint i = 0; i < MIN (maps->len, 5); i++)
        check_numbers (g_ptr_array_index (maps, i), expected[i], expected[i]);
      fail_unless_equals_int (maps->len, 5);
      g_ptr_array_unref (maps);
      rig_close (&rig);
    }
  }
}

/* In reverse playback the last image comes first. */
TEST (test_reverse)
{
  static const gint expected[] = { 7, 6, 4, 1 };
  Script *scripts[2];
  GPtrArray *maps;
  Rig rig;

  rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
  for (gint v = LEFT; v <= RIGHT; v++) {
    scripts[v] = script_new ();
    script_event (scripts[v], segment_event (-1.0, 0, 8 * FRAME, 0));
  }
  script_numbers (scripts[LEFT], LEFT, 7, 6, 5, 4, 1, 0, -1);
  script_numbers (scripts[RIGHT], RIGHT, 7, 6, -1);
  /* 5, 3 and 2 have no right image */
  script_event (scripts[RIGHT], gst_event_new_gap (5 * FRAME, FRAME));
  script_numbers (scripts[RIGHT], RIGHT, 4, -1);
  script_event (scripts[RIGHT], gst_event_new_gap (2 * FRAME, 2 * FRAME));
  script_numbers (scripts[RIGHT], RIGHT, 1, -1);
  maps = rig_run (&rig, scripts[LEFT], scripts[RIGHT]);
  for (guint i = 0; i < MIN (maps->len, 4); i++) {
    check_numbers (g_ptr_array_index (maps, i), expected[i], expected[i]);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (g_ptr_array_index (maps, i)),
        (GstClockTime) expected[i] * FRAME);
  }
  fail_unless_equals_int (maps->len, 4);
  fail_unless_equals_uint64 (rig_stat (&rig, "dropped-left"), 2);
  fail_unless_equals_uint64 (rig_stat (&rig, "dropped-right"), 0);
  g_ptr_array_unref (maps);
  rig_close (&rig);
}

CHECK_MAIN ("stereo-pairing")
