/* gst-stereomatching: tests of the measured alignment of views
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "../stereocheck.h"

#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>
#include <math.h>
#include <string.h>

#define META "GstStereoCameraMeta"

#define SIZE "video/x-raw,format=GRAY8,width=320,height=240,framerate="
/* Its maps do not matter. */
#define MATCHER "stereovcbw name=m backend=cpu radius=2 num-disparities=8 "
#define SCENE "stereotestsrc pattern=corridor num-disparities=40 "

/* -------------------------------------------------------------------- runs */

/* What a pipeline has posted until its end. */
typedef struct
{
  GPtrArray *reports;           /* of GstStructure */
  GPtrArray *warnings;          /* texts */
} Posted;

static void
posted_clear (Posted * posted)
{
  g_ptr_array_unref (posted->reports);
  g_ptr_array_unref (posted->warnings);
}

static void
add_message (Posted * posted, GstMessage * message)
{
  const GstStructure *s;
  GError *error;

  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ELEMENT:
      s = gst_message_get_structure (message);
      if (gst_structure_has_name (s, "stereo-alignment"))
        g_ptr_array_add (posted->reports, gst_structure_copy (s));
      break;
    case GST_MESSAGE_WARNING:
      gst_message_parse_warning (message, &error, NULL);
      g_ptr_array_add (posted->warnings, g_strdup (error->message));
      g_error_free (error);
      break;
    case GST_MESSAGE_ERROR:
      gst_message_parse_error (message, &error, NULL);
      fail ("%s", error->message);
      break;
    default:
      break;
  }
}

/* Plays until a message of this type, or the end. */
static void
play (GstElement * pipeline, Posted * posted, GstMessageType until)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  gboolean over = FALSE;

  *posted = (Posted) {
    g_ptr_array_new_with_free_func ((GDestroyNotify) gst_structure_free),
    g_ptr_array_new_with_free_func (g_free)
  };
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (!over) {
    GstMessage *message = gst_bus_timed_pop (bus, 6 * PATIENCE);

    fail_unless (message != NULL);
    add_message (posted, message);
    over = (GST_MESSAGE_TYPE (message) & (until | GST_MESSAGE_EOS)) != 0;
    gst_message_unref (message);
  }
  gst_object_unref (bus);
}

static void
run (GstElement * pipeline, Posted * posted)
{
  play (pipeline, posted, GST_MESSAGE_EOS);
}

static const GstStructure *
report (const Posted * posted, guint index)
{
  fail_unless (posted->reports->len > index);
  return g_ptr_array_index (posted->reports, index);
}

static const GstStructure *
last_report (const Posted * posted)
{
  fail_unless (posted->reports->len > 0);
  return report (posted, posted->reports->len - 1);
}

static const gchar *
status_of (const GstStructure * s)
{
  return gst_structure_get_string (s, "status");
}

static gdouble
number_of (const GstStructure * s, const gchar * field)
{
  gdouble value = NAN;

  fail_unless (gst_structure_get_double (s, field, &value), "%s", field);
  return value;
}

static guint
serial_of (const GstStructure * s)
{
  guint serial = 0;

  fail_unless (gst_structure_get_uint (s, "serial", &serial));
  return serial;
}

static GstElement *
find (GstElement * pipeline, const gchar * name)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), name);

  fail_unless (element != NULL, "%s", name);
  gst_object_unref (element);   /* the pipeline has one */
  return element;
}

static GstStructure *
alignment_stats (GstElement * matcher)
{
  GstStructure *stats, *alignment;

  g_object_get (matcher, "stats", &stats, NULL);
  fail_unless (gst_structure_get (stats, "alignment", GST_TYPE_STRUCTURE,
          &alignment, NULL));
  gst_structure_free (stats);
  return alignment;
}

static gchar *
correction_of (GstElement * matcher)
{
  gchar *text;

  g_object_get (matcher, "correction", &text, NULL);
  fail_unless (text != NULL);
  return text;
}

/* A GPU measures while later pairs are matched, so only the CPU measures every
 * pair that is due.  Tests that count pairs call this first. */
static void
measure_at_once (void)
{
  keep_backends (TRUE);
}

/* Two sources and a matcher, without rectification. */
static GstElement *
measuring (const gchar * left, const gchar * right, guint n,
    const gchar * matcher)
{
  return pipeline_new ("%s num-buffers=%u ! " SIZE "10/1 ! m.sink_left  "
      "%s num-buffers=%u ! " SIZE "10/1 ! m.sink_right  %s ! fakesink", left, n,
      right, n, matcher);
}

/* ----------------------------------------------------------------- verdicts */

static const struct
{
  const gchar *left, *right;
  const gchar *status;
  const gchar *warning;         /* part of it, or NULL */
} verdicts[] = {
  {SCENE, SCENE "view=right", "ok", NULL},
  {SCENE "noise=3", SCENE "view=right noise=3", "ok", NULL},
  {SCENE, SCENE "view=right rows=1.3", "off", "Rows are off by 1.3 pixels"},
  {SCENE, SCENE "view=right roll=0.8", "off", "degrees clockwise"},
  {SCENE, SCENE "view=right pitch=-1", "off", "higher"},
  {SCENE, SCENE "view=right zoom=1.02", "off", "% larger"},
  {SCENE "pattern=planes swap=true",
        SCENE "pattern=planes view=right swap=true", "swapped",
        "Swap the links of sink_left and sink_right, or change swap of "
        "stereosplit."},
  {SCENE, SCENE, "same-view", "Link each camera to one of"},
  {SCENE "seed=1", SCENE "seed=2 view=right pattern=planes", "unknown", NULL},
  {SCENE "pattern=slanted seed=1", SCENE "pattern=slanted seed=2", "unknown",
        NULL},
};

LOOP_TEST (test_verdicts, 0, G_N_ELEMENTS (verdicts))
{
  GstElement *pipeline;
  GstStructure *stats;
  Posted posted;

  measure_at_once ();
  pipeline = measuring (verdicts[__i__].left, verdicts[__i__].right, 4,
      MATCHER);
  run (pipeline, &posted);
  fail_unless_equals_string (status_of (last_report (&posted)),
      verdicts[__i__].status);
  fail_unless_equals_int (posted.reports->len, 1);
  fail_unless_equals_int (posted.warnings->len,
      verdicts[__i__].warning != NULL);
  if (verdicts[__i__].warning != NULL)
    fail_unless (strstr (g_ptr_array_index (posted.warnings, 0),
            verdicts[__i__].warning) != NULL, "%s",
        (gchar *) g_ptr_array_index (posted.warnings, 0));
  /* the third pair has no message, because a second has not passed */
  stats = alignment_stats (find (pipeline, "m"));
  fail_unless_equals_string (status_of (stats), verdicts[__i__].status);
  gst_structure_free (stats);
  posted_clear (&posted);
  pipeline_free (pipeline);
}

/* A late view is not taken for one that is out of alignment. */
TEST (test_late_view)
{
  static const gchar *const views[] = { SCENE "view=right delay=4",
    SCENE "view=right delay=8"
  };

  for (guint i = 0; i < G_N_ELEMENTS (views); i++) {
    GstElement *pipeline = measuring (SCENE, views[i], 16, MATCHER);
    GstStructure *stats;
    Posted posted;

    run (pipeline, &posted);
    stats = alignment_stats (find (pipeline, "m"));
    fail_unless (strcmp (status_of (stats), "unknown") == 0
        || strcmp (status_of (stats), "not-in-step") == 0, "%s, %s",
        status_of (stats), gst_structure_get_string (stats, "text"));
    gst_structure_free (stats);
    posted_clear (&posted);
    pipeline_free (pipeline);
  }
}

/* Images without anything to match. */
typedef guint8 (*Pixel) (GRand * random, gint view, gint x, gint y);

static guint8
grey_pixel (GRand * random, gint view, gint x, gint y)
{
  return 128;
}

static guint8
noise_pixel (GRand * random, gint view, gint x, gint y)
{
  return (guint8) g_rand_int_range (random, 0, 256);
}

static guint8
ramp_pixel (GRand * random, gint view, gint x, gint y)
{
  return (guint8) ((x + y + 3 * view) / 3);
}

static guint8
stripes_pixel (GRand * random, gint view, gint x, gint y)
{
  return (x + 5 * view) / 4 % 2 ? 200 : 50;
}

static guint8
rows_pixel (GRand * random, gint view, gint x, gint y)
{
  return (y + 2 * view) / 4 % 2 ? 200 : 50;
}

static guint8
black_pixel (GRand * random, gint view, gint x, gint y)
{
  return view ? 0 : 255;
}

static const Pixel pixels[] = { grey_pixel, noise_pixel, ramp_pixel,
  stripes_pixel, rows_pixel, black_pixel
};

LOOP_TEST (test_nothing_to_match, 0, G_N_ELEMENTS (pixels))
{
  GRand *random = g_rand_new_with_seed (7);
  GstMessage *message;
  Rig rig;

  rig_open_with_caps (&rig, MATCHER, SIZE "25/1", SIZE "25/1");
  for (guint n = 0; n < 6; n++) {
    GstBuffer *view[2];

    for (gint v = 0; v < 2; v++) {
      GstMapInfo map;

      view[v] = gst_buffer_new_allocate (NULL, 320 * 240, NULL);
      GST_BUFFER_PTS (view[v]) = n * FRAME;
      GST_BUFFER_DURATION (view[v]) = FRAME;
      gst_buffer_map (view[v], &map, GST_MAP_WRITE);
      for (gint i = 0; i < 320 * 240; i++)
        map.data[i] = pixels[__i__] (random, v, i % 320, i / 320);
      gst_buffer_unmap (view[v], &map);
    }
    gst_buffer_unref (rig_match (&rig, view[LEFT], view[RIGHT]));
  }
  message = rig_message (&rig, GST_MESSAGE_ELEMENT, PATIENCE);
  fail_unless (message != NULL);
  fail_unless_equals_string (status_of (gst_message_get_structure (message)),
      "unknown");
  gst_message_unref (message);
  rig_expect_no_error (&rig);
  rig_close (&rig);
  g_rand_free (random);
}

/* A measured disturbance, in all fields. */
TEST (test_report)
{
  GstElement *pipeline = measuring (SCENE,
      SCENE "view=right rows=2 roll=0.5 zoom=1.01", 1, MATCHER);
  const GstStructure *s;
  GstStructure *stats;
  Posted posted;
  guint64 time;
  guint n;

  run (pipeline, &posted);
  s = report (&posted, 0);
  fail_unless (fabs (number_of (s, "roll") - 0.5) < 0.03);
  fail_unless (fabs (number_of (s, "zoom") - 0.01) < 0.002);
  fail_unless (fabs (number_of (s, "offset") - 2) < 0.3);
  fail_unless (number_of (s, "rows-95") > number_of (s, "rows-median"));
  fail_unless (number_of (s, "rows-max") >= number_of (s, "rows-95"));
  fail_unless (number_of (s, "rows-sigma") < 1);
  fail_unless (number_of (s, "offset-sigma") < 0.2);
  fail_unless (number_of (s, "roll-sigma") < 0.1);
  fail_unless (number_of (s, "zoom-sigma") < 0.01);
  fail_unless (number_of (s, "keystone-sigma") < 1);
  fail_unless (fabs (number_of (s, "keystone")) < 0.3);
  fail_unless (number_of (s, "disparity-sigma") > 0);
  fail_unless (fabs (number_of (s, "contrast") - 1) < 0.2);
  fail_unless (fabs (number_of (s, "brightness")) < 3);
  fail_unless (fabs (number_of (s, "sharpness") - 1) < 0.25);
  fail_unless (number_of (s, "min-disparity") > -2);
  fail_unless (number_of (s, "max-disparity") < 42);
  fail_unless_equals_int (serial_of (s), 0);
  fail_unless (gst_structure_get_uint (s, "matches", &n) && n > 50);
  fail_unless (gst_structure_get_uint (s, "fitting", &n) && n > 40);
  fail_unless (gst_structure_get_uint64 (s, "timestamp", &time) && time == 0);
  fail_unless (strlen (gst_structure_get_string (s, "text")) > 10);
  stats = alignment_stats (find (pipeline, "m"));
  fail_unless (gst_structure_is_equal (stats, s));
  gst_structure_free (stats);
  posted_clear (&posted);
  pipeline_free (pipeline);
}

/* --------------------------------------------------------------- when it is */

/* Once a second, and at once when the status changes. */
TEST (test_message_rate)
{
  GstElement *pipeline;
  guint64 last = 0;
  Posted posted;

  measure_at_once ();
  pipeline = measuring (SCENE, SCENE "view=right", 45,
      MATCHER "alignment-interval=2");
  run (pipeline, &posted);
  fail_unless_equals_int (posted.reports->len, 5);
  for (guint i = 0; i < posted.reports->len; i++) {
    guint64 time;

    fail_unless (gst_structure_get_uint64 (report (&posted, i), "timestamp",
            &time));
    fail_unless (i == 0 || time >= last + GST_SECOND);
    last = time;
  }
  posted_clear (&posted);
  pipeline_free (pipeline);
}

/* Three pairs, then one in ten. */
TEST (test_interval)
{
  static const struct
  {
    const gchar *matcher;
    guint n;                    /* pairs */
    gint last;                  /* the last measured pair; -1 = none */
  } cases[] = {
    {MATCHER, 1, 0}, {MATCHER, 3, 2}, {MATCHER, 12, 2}, {MATCHER, 13, 12},
    {MATCHER "alignment-interval=1", 7, 6},
    {MATCHER "alignment-interval=5", 17, 12},
    {MATCHER "alignment=off", 13, -1},
  };

  measure_at_once ();
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstElement *pipeline = measuring (SCENE, SCENE "view=right", cases[i].n,
        cases[i].matcher);
    GstStructure *stats;
    Posted posted;
    guint64 time;

    run (pipeline, &posted);
    stats = alignment_stats (find (pipeline, "m"));
    fail_unless (gst_structure_get_uint64 (stats, "timestamp", &time));
    if (cases[i].last < 0) {
      fail_unless (time == GST_CLOCK_TIME_NONE);
      fail_unless_equals_string (status_of (stats), "unknown");
      fail_unless_equals_int (posted.reports->len, 0);
    } else {
      fail_unless_equals_uint64 (time, cases[i].last * GST_SECOND / 10);
    }
    gst_structure_free (stats);
    posted_clear (&posted);
    pipeline_free (pipeline);
  }
}

/* A warning comes once until the views are aligned. */
TEST (test_warnings)
{
  GstElement *pipeline = measuring (SCENE, SCENE "name=right view=right", 60,
      MATCHER "alignment-interval=1");
  static const guint steps[] = { 0, 10, 25, 40 };
  GstControlSource *control = gst_interpolation_control_source_new ();
  GstObject *right = GST_OBJECT (find (pipeline, "right"));
  Posted posted;

  g_object_set (control, "mode", GST_INTERPOLATION_MODE_NONE, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE
        (control), steps[i] * GST_SECOND / 10, i % 2 == 0 ? 0.5
        : 0.5 + 3.0 / 32768);
  gst_object_add_control_binding (right, gst_direct_control_binding_new (right,
          "rows", control));
  gst_object_unref (control);
  run (pipeline, &posted);
  fail_unless_equals_int (posted.warnings->len, 2);
  for (guint i = 0; i < 2; i++)
    fail_unless (strstr (g_ptr_array_index (posted.warnings, i),
            "Rectify with stereorectify, or set alignment=correct.") != NULL);
  posted_clear (&posted);
  pipeline_free (pipeline);
}

/* A matcher that searches other rows does not warn of them. */
TEST (test_vertical_search)
{
  GstElement *pipeline = measuring (SCENE, SCENE "view=right rows=2", 6,
      "stereopyramid name=m backend=cpu vertical-search=true");
  Posted posted;

  run (pipeline, &posted);
  fail_unless_equals_string (status_of (last_report (&posted)), "off");
  fail_unless_equals_int (posted.warnings->len, 0);
  posted_clear (&posted);
  pipeline_free (pipeline);
}

/* -------------------------------------------------------------- correction */

/* Both views through queues of `held` buffers and stereorectify; n frames, or
 * -1 without an end. */
static GstElement *
correcting (const gchar * right, gint n, guint held, const gchar * matcher)
{
  gchar *queue = g_strdup_printf ("queue max-size-buffers=%u "
      "max-size-time=0 max-size-bytes=0 min-threshold-buffers=%u", held + 2,
      held);
  GstElement *pipeline = pipeline_new (SCENE "num-buffers=%d ! " SIZE "10/1 ! "
      "stereorectify name=left backend=cpu ! %s ! m.sink_left  "
      "%s name=source num-buffers=%d ! " SIZE "10/1 ! stereorectify name=right "
      "backend=cpu ! %s ! m.sink_right  %s ! fakesink", n, queue, right, n,
      queue, matcher);

  g_free (queue);
  return pipeline;
}

#define CORRECT MATCHER "alignment=correct alignment-interval=1 "

/* The number of times that a correction has changed. */
static guint
count_changes (const Posted * posted)
{
  guint n = 0;

  for (guint i = 1; i < posted->reports->len; i++)
    n += serial_of (report (posted, i)) != serial_of (report (posted, i - 1));
  return n;
}

/* Buffers in queues make nothing oscillate. */
static const guint queues[] = { 0, 1, 3, 8, 30 };

LOOP_TEST (test_queues, 0, G_N_ELEMENTS (queues))
{
  GstElement *pipeline;
  Posted posted;
  guint begin = 0, n_off = 0;

  measure_at_once ();
  pipeline = correcting (SCENE "view=right rows=3 roll=1", 100, queues[__i__],
      CORRECT);
  run (pipeline, &posted);
  fail_unless_equals_int (posted.warnings->len, 0);
  fail_unless_equals_string (status_of (report (&posted, 0)), "off");
  fail_unless_equals_string (status_of (last_report (&posted)), "ok");
  while (strcmp (status_of (report (&posted, begin)), "ok") != 0)
    begin++;
  for (guint i = begin; i < posted.reports->len; i++) {
    fail_unless (number_of (report (&posted, i), "rows-median") < 0.3);
    n_off += strcmp (status_of (report (&posted, i)), "ok") != 0;
  }
  /* A single pair of this size may be measured inaccurately.  Which correction
   * it has depends on the scheduling. */
  fail_unless (4 * n_off <= posted.reports->len, "%u of %u", n_off,
      posted.reports->len);
  fail_unless (count_changes (&posted) <= 4, "%u", count_changes (&posted));
  posted_clear (&posted);
  pipeline_free (pipeline);
}

/* Moves a property from the middle of its range, by a part of it, after 40
 * frames. */
static void
move_suddenly (GstElement * source, const gchar * property, gdouble part)
{
  GstControlSource *control = gst_interpolation_control_source_new ();

  g_object_set (control, "mode", GST_INTERPOLATION_MODE_NONE, NULL);
  gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE
      (control), 0, 0.5);
  gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE
      (control), 40 * GST_SECOND / 10, 0.5 + part);
  gst_object_add_control_binding (GST_OBJECT (source),
      gst_direct_control_binding_new (GST_OBJECT (source), property, control));
  gst_object_unref (control);
}

/* A camera that was aligned moves suddenly, by 2 degrees and 3 rows. */
LOOP_TEST (test_sudden_motion, 0, 3)
{
  GstElement *pipeline = correcting (SCENE "view=right", 120, queues[__i__ + 1],
      CORRECT);
  Posted posted;

  move_suddenly (find (pipeline, "source"), "roll", 2.0 / 90);
  move_suddenly (find (pipeline, "source"), "rows", 3.0 / 32768);
  run (pipeline, &posted);
  fail_unless_equals_string (status_of (report (&posted, 0)), "ok");
  fail_unless_equals_int (serial_of (report (&posted, 0)), 0);
  fail_unless_equals_string (status_of (last_report (&posted)), "ok");
  fail_unless (serial_of (last_report (&posted)) > 0);
  fail_unless (number_of (last_report (&posted), "rows-95") < 0.5);
  posted_clear (&posted);
  pipeline_free (pipeline);
}

/* A slow drift is followed. */
TEST (test_drift)
{
  GstElement *pipeline;
  GstStructure *stats;
  Posted posted;

  measure_at_once ();
  pipeline = correcting (SCENE "view=right drift=0.05", 100, 3, CORRECT);
  run (pipeline, &posted);
  fail_unless_equals_int (posted.warnings->len, 0);
  stats = alignment_stats (find (pipeline, "m"));
  /* Uncorrected, pitch alone would be 2.8 pixels.  Corrections lag by the
   * buffers in flight, whose number depends on the scheduling: 0.3 to 0.4
   * pixels, and up to twice as much. */
  fail_unless (number_of (stats, "rows-median") < 1);
  fail_unless (serial_of (stats) > 1);
  gst_structure_free (stats);
  posted_clear (&posted);
  pipeline_free (pipeline);
}

/* ------------------------------------------------------------------- takers */

typedef struct
{
  gint n;                       /* buffers */
  gchar *correction;            /* of the last one */
  guint serial;
} Marks;

static GstPadProbeReturn
note_mark (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta
      (GST_PAD_PROBE_INFO_BUFFER (info), META);
  Marks *marks = user_data;

  marks->n++;
  marks->serial = 0;
  g_clear_pointer (&marks->correction, g_free);
  if (meta != NULL) {
    GstStructure *s = gst_custom_meta_get_structure (meta);

    marks->correction = g_strdup (gst_structure_get_string (s, "correction"));
    gst_structure_get_uint (s, "correction-serial", &marks->serial);
  }
  return GST_PAD_PROBE_OK;
}

static void
watch_marks (GstElement * pipeline, const gchar * element, Marks * marks)
{
  GstPad *pad = gst_element_get_static_pad (find (pipeline, element), "src");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note_mark, marks, NULL);
  gst_object_unref (pad);
}

/* Nobody takes the event: it is said once, and measuring goes on.  Later
 * warnings do not say that the corrections were applied. */
TEST (test_no_taker)
{
  GstElement *pipeline = measuring (SCENE, SCENE "view=right rows=3", 40,
      CORRECT);
  GstStructure *stats;
  guint n = 0;
  Posted posted;

  run (pipeline, &posted);
  for (guint i = 0; i < posted.warnings->len; i++)
    n += strstr (g_ptr_array_index (posted.warnings, i),
        "Put stereorectify before both sink pads") != NULL;
  fail_unless_equals_int (n, 1);
  n = posted.warnings->len;
  fail_unless_equals_int (n, 2);
  fail_unless (strstr (g_ptr_array_index (posted.warnings, n - 1),
          "No corrections are applied") != NULL);
  stats = alignment_stats (find (pipeline, "m"));
  fail_unless_equals_string (status_of (stats), "off");
  fail_unless_equals_int (serial_of (stats), 0);
  gst_structure_free (stats);
  posted_clear (&posted);
  pipeline_free (pipeline);
}

/* A correction that only one view takes is withdrawn. */
LOOP_TEST (test_one_taker, 0, 2)
{
  static const gchar *const rectify[] = { "stereorectify backend=cpu",
    "identity"
  };
  GstElement *pipeline = pipeline_new (SCENE "num-buffers=60 ! " SIZE "10/1 ! "
      "%s name=left ! m.sink_left  " SCENE "view=right rows=3 num-buffers=60 ! "
      SIZE "10/1 ! %s name=right ! m.sink_right  " CORRECT "! fakesink",
      rectify[__i__], rectify[1 - __i__]);
  Marks left = { 0, }, right = { 0, };
  GstStructure *stats;
  Posted posted;

  watch_marks (pipeline, "left", &left);
  watch_marks (pipeline, "right", &right);
  run (pipeline, &posted);
  fail_unless_equals_int (left.n, 60);
  fail_unless_equals_int (right.n, 60);
  /* rows are off as at the beginning, in both views */
  stats = alignment_stats (find (pipeline, "m"));
  fail_unless (fabs (number_of (stats, "offset") - 3) < 0.3);
  fail_unless_equals_int (serial_of (stats), 0);
  gst_structure_free (stats);
  posted_clear (&posted);
  pipeline_free (pipeline);
  g_free (left.correction);
  g_free (right.correction);
}

/* Views that are scaled after stereorectify lose their corrections.  The
 * matcher says so, though the correction changes while it waits. */
TEST (test_scaled_views)
{
  GstElement *pipeline = pipeline_new (SCENE "num-buffers=560 ! " SIZE "10/1 ! "
      "stereorectify backend=cpu ! videoscale ! video/x-raw,width=160 ! "
      "m.sink_left  " SCENE "view=right drift=0.02 num-buffers=560 ! " SIZE
      "10/1 ! stereorectify backend=cpu ! videoscale ! video/x-raw,width=160 ! "
      "m.sink_right  " MATCHER "alignment=correct ! fakesink");
  Posted posted;
  guint n = 0;

  run (pipeline, &posted);
  for (guint i = 0; i < posted.warnings->len; i++)
    n += strstr (g_ptr_array_index (posted.warnings, i),
        "Put stereorectify before both sink pads") != NULL;
  fail_unless_equals_int (n, 1);
  posted_clear (&posted);
  pipeline_free (pipeline);
}

/* corrections=false leaves them to an element upstream. */
TEST (test_two_rectifiers)
{
  GstElement *pipeline = pipeline_new (SCENE "num-buffers=30 ! " SIZE "10/1 ! "
      "stereorectify name=upper backend=cpu ! stereorectify name=lower "
      "backend=cpu ! m.sink_left  " SCENE "view=right rows=3 num-buffers=30 ! "
      SIZE "10/1 ! stereorectify backend=cpu ! m.sink_right  " CORRECT
      "! fakesink");
  Marks upper = { 0, }, lower = { 0, };
  Posted posted;

  watch_marks (pipeline, "upper", &upper);
  watch_marks (pipeline, "lower", &lower);
  run (pipeline, &posted);
  /* the nearest one took it */
  fail_unless_equals_int (upper.serial, 0);
  fail_unless (lower.serial > 0 && lower.correction != NULL);
  fail_unless_equals_string (status_of (last_report (&posted)), "ok");
  posted_clear (&posted);
  pipeline_free (pipeline);
  g_free (upper.correction);
  g_free (lower.correction);
}

/* -------------------------------------------------------------------- state */

/* Plays the first n frames, again if the pipeline has played before. */
static void
play_again (GstElement * pipeline, guint n, Posted * posted)
{
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  fail_unless (gst_element_get_state (pipeline, NULL, NULL, PATIENCE)
      == GST_STATE_CHANGE_SUCCESS);
  fail_unless (gst_element_seek (pipeline, 1, GST_FORMAT_TIME,
          GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET,
          n * GST_SECOND / 10));
  run (pipeline, posted);
}

/* A flush keeps the state, and so does a restart. */
TEST (test_flush)
{
  GstElement *pipeline = correcting (SCENE "view=right rows=3", -1, 3,
      CORRECT);
  gchar *text;
  Posted posted;

  play_again (pipeline, 30, &posted);
  fail_unless_equals_string (status_of (last_report (&posted)), "ok");
  posted_clear (&posted);
  play_again (pipeline, 30, &posted);
  for (guint i = 0; i < posted.reports->len; i++) {
    fail_unless_equals_string (status_of (report (&posted, i)), "ok");
    fail_unless (serial_of (report (&posted, i)) > 0);
  }
  posted_clear (&posted);

  set_state (pipeline, GST_STATE_READY);
  text = correction_of (find (pipeline, "m"));
  fail_unless (text[0] != '\0');
  g_free (text);
  play_again (pipeline, 30, &posted);
  fail_unless_equals_string (status_of (last_report (&posted)), "ok");
  fail_unless_equals_int (posted.warnings->len, 0);
  posted_clear (&posted);
  pipeline_free (pipeline);
}

/* Seeks at any time, while pairs are measured. */
TEST (test_seeks)
{
  GstElement *pipeline = correcting (SCENE "view=right rows=3", -1, 3,
      CORRECT);
  GRand *random = g_rand_new_with_seed (3);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  pipeline_wait (pipeline, GST_MESSAGE_ASYNC_DONE);
  for (guint i = 0; i < 20; i++) {
    fail_unless (gst_element_seek_simple (pipeline, GST_FORMAT_TIME,
            GST_SEEK_FLAG_FLUSH, g_rand_int_range (random, 0, 90)
            * GST_SECOND));
    g_usleep (g_rand_int_range (random, 0, 20000));
  }
  pipeline_free (pipeline);
  g_rand_free (random);
}

/* Views of any size, rectified and corrected. */
static GstElement *
resizable (const gchar * left, const gchar * right)
{
  return pipeline_new ("%s ! capsfilter name=a ! stereorectify ! m.sink_left  "
      "%s ! capsfilter name=b ! stereorectify ! m.sink_right  " CORRECT
      "! fakesink name=sink", left, right);
}

static void
play_size (GstElement * pipeline, const gchar * size, guint n, Posted * posted)
{
  GstCaps *caps = gst_caps_from_string (size);

  g_object_set (find (pipeline, "a"), "caps", caps, NULL);
  g_object_set (find (pipeline, "b"), "caps", caps, NULL);
  gst_caps_unref (caps);
  play_again (pipeline, n, posted);
}

/* A new size resets the state, without a warning. */
TEST (test_new_size)
{
  GstElement *pipeline = resizable (SCENE, SCENE "view=right rows=3");
  static const gchar *const sizes[] = { SIZE "10/1",
    "video/x-raw,format=I420,width=400,height=300,framerate=10/1",
    "video/x-raw,format=I420,width=2,height=2,framerate=10/1", SIZE "10/1"
  };

  /* all disparities of the scene, so that maps cause no warning either */
  g_object_set (find (pipeline, "m"), "num-disparities", 40, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    Posted posted;

    play_size (pipeline, sizes[i], 20, &posted);
    /* small views are not measured */
    if (i == 2)
      fail_unless (posted.reports->len == 0);
    else
      fail_unless (strcmp (status_of (last_report (&posted)), "ok") == 0);
    fail_unless (posted.warnings->len == 0, "%u: %s", i,
        (gchar *) g_ptr_array_index (posted.warnings, 0));
    posted_clear (&posted);
  }
  pipeline_free (pipeline);
}

/* A size that is measured, one that is not, and the former one. */
static const gchar *const former_sizes[] = { SIZE "10/1",
  "video/x-raw,format=GRAY8,width=2,height=2,framerate=10/1", SIZE "10/1"
};

/* stereorectify forgets a correction when the size changes, and gets it again
 * with the former size.  Views that are too small to be measured need none, so
 * nobody warns. */
TEST (test_former_size)
{
  GstElement *pipeline = resizable (SCENE, SCENE "view=right rows=3");

  /* no warnings of maps */
  g_object_set (find (pipeline, "m"), "profiling", TRUE, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (former_sizes); i++) {
    Posted posted;

    play_size (pipeline, former_sizes[i], i == 1 ? 600 : 20, &posted);
    fail_unless (posted.warnings->len == 0, "%u: %s", i,
        (gchar *) g_ptr_array_index (posted.warnings, 0));
    posted_clear (&posted);
    if (i != 1) {
      GstStructure *stats = alignment_stats (find (pipeline, "m"));

      fail_unless_equals_string (status_of (stats), "ok");
      fail_unless (serial_of (stats) > 0);
      gst_structure_free (stats);
    }
  }
  pipeline_free (pipeline);
}

/* Sets a correction before the last pair of 20. */
static GstPadProbeReturn
set_late_correction (GstPad * pad, GstPadProbeInfo * info, gpointer matcher)
{
  if (GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info)) != 19 * GST_SECOND / 10)
    return GST_PAD_PROBE_OK;
  g_object_set (matcher, "correction", "width=320:height=240:"
      "focal-length=288:pitch=0:yaw=0:roll=0.015625", NULL);
  return GST_PAD_PROBE_REMOVE;
}

/* A correction that no pair has got before the size changes is sent again with
 * the former size. */
TEST (test_late_correction)
{
  GstElement *pipeline = resizable ("videotestsrc pattern=white",
      "videotestsrc pattern=white");
  GstElement *matcher = find (pipeline, "m");
  GstPad *pad = gst_element_get_static_pad (matcher, "sink_left");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, set_late_correction,
      matcher, NULL);
  gst_object_unref (pad);
  for (guint i = 0; i < G_N_ELEMENTS (former_sizes); i++) {
    GstStructure *stats;
    Posted posted;

    play_size (pipeline, former_sizes[i], 20, &posted);
    posted_clear (&posted);
    stats = alignment_stats (matcher);
    fail_unless_equals_int (serial_of (stats) > 0, i == 2);
    gst_structure_free (stats);
  }
  pipeline_free (pipeline);
}

/* The first correction that is sent upstream. */
static GstPadProbeReturn
note_request (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  const GstStructure *s = gst_event_get_structure (GST_PAD_PROBE_INFO_EVENT
      (info));
  gchar **sent = user_data;

  if (*sent == NULL && s != NULL
      && gst_structure_has_name (s, "stereo-correction"))
    *sent = g_strdup (gst_structure_get_string (s, "correction"));
  return GST_PAD_PROBE_OK;
}

/* The state of one run is the beginning of the next one. */
TEST (test_saved)
{
  GstElement *pipeline = correcting (SCENE "view=right rows=3 roll=1", 40, 0,
      CORRECT);
  gchar *saved, *again, *sent = NULL;
  Posted posted;
  GstPad *pad;

  run (pipeline, &posted);
  posted_clear (&posted);
  saved = correction_of (find (pipeline, "m"));
  pipeline_free (pipeline);

  pipeline = correcting (SCENE "view=right rows=3 roll=1", 40, 0, CORRECT);
  g_object_set (find (pipeline, "m"), "correction", saved, NULL);
  again = correction_of (find (pipeline, "m"));
  fail_unless_equals_string (again, saved);
  g_free (again);
  pad = gst_element_get_static_pad (find (pipeline, "m"), "sink_left");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, note_request,
      &sent, NULL);
  gst_object_unref (pad);
  run (pipeline, &posted);
  fail_unless_equals_string (sent, saved);
  fail_unless_equals_string (status_of (last_report (&posted)), "ok");
  fail_unless (serial_of (last_report (&posted)) > 0);
  fail_unless_equals_int (posted.warnings->len, 0);
  posted_clear (&posted);
  pipeline_free (pipeline);
  g_free (saved);
  g_free (sent);
}

/* A correction of an earlier run stays if its focal length is that of the
 * property, also while nothing can be measured. */
LOOP_TEST (test_saved_focal_length, 0, 2)
{
#define GREY "videotestsrc pattern=white num-buffers=5 ! " SIZE "10/1 ! "
  const gchar *saved = __i__ == 0 ? "width=320:height=240:focal-length=300:"
      "pitch=0:yaw=0:roll=0.015625" : "width=320:height=240:focal-length=400:"
      "pitch=0:yaw=0:roll=0.015625";
  GstElement *pipeline = pipeline_new (GREY "stereorectify backend=cpu ! "
      "m.sink_left  " GREY "stereorectify backend=cpu ! m.sink_right  " CORRECT
      "alignment-focal-length=300 ! fakesink");
  GstElement *matcher = find (pipeline, "m");
  Posted posted;
  gchar *text;

  g_object_set (matcher, "correction", saved, NULL);
  run (pipeline, &posted);
  fail_unless_equals_string (status_of (last_report (&posted)), "unknown");
  posted_clear (&posted);
  text = correction_of (matcher);
  fail_unless_equals_int (g_str_has_prefix (text, saved), __i__ == 0);
  g_free (text);
  pipeline_free (pipeline);
}

/* A focal length in other units than pixels is not used. */
TEST (test_refused_focal_length)
{
  GstElement *pipeline = correcting (SCENE "view=right rows=3", 20, 0,
      CORRECT "alignment-focal-length=4 ");
  Posted posted;
  gchar *text;

  run (pipeline, &posted);
  fail_unless_equals_int (posted.warnings->len, 1);
  fail_unless (strstr (g_ptr_array_index (posted.warnings, 0),
          "alignment-focal-length=4 for views of a width of 320") != NULL);
  fail_unless_equals_string (status_of (last_report (&posted)), "ok");
  fail_unless (serial_of (last_report (&posted)) > 0);
  text = correction_of (find (pipeline, "m"));
  fail_unless (strstr (text, "focal-length=288:") != NULL, "%s", text);
  g_free (text);
  posted_clear (&posted);
  pipeline_free (pipeline);
}

TEST (test_reset)
{
  GstElement *pipeline = correcting (SCENE "view=right rows=3", -1, 0,
      CORRECT);
  GstElement *matcher = find (pipeline, "m");
  GstStructure *stats;
  Posted posted;
  gchar *text;

  play_again (pipeline, 40, &posted);
  posted_clear (&posted);
  g_signal_emit_by_name (matcher, "reset-alignment");
  text = correction_of (matcher);
  fail_unless_equals_string (text, "");
  g_free (text);
  stats = alignment_stats (matcher);
  fail_unless_equals_string (status_of (stats), "unknown");
  gst_structure_free (stats);
  play_again (pipeline, 40, &posted);
  fail_unless_equals_string (status_of (last_report (&posted)), "ok");
  posted_clear (&posted);
  pipeline_free (pipeline);
}

static void
count_warning (const gchar * domain, GLogLevelFlags level,
    const gchar * message, gpointer n)
{
  fail_unless (strstr (message, "cannot use the correction") != NULL);
  (*(guint *) n)++;
}

TEST (test_malformed_corrections)
{
  static const gchar *const texts[] = { "x", "width=320", "pitch=0.1",
    "width=320:height=240:pitch=nan", "width=320:height=240:roll=7",
    "width=0:height=240", "width=320:height=240:what=1",
    "width=320:height=240:pitch=0.1:pitch", ":", "=", "width==320:height=240",
    "width=320:height=240:pitch=0.1x", "width=99999999999:height=1",
    "width=320:height=240:pitch=1e999"
  };
  GstElement *matcher = gst_element_factory_make ("stereosgm", NULL);
  guint n = 0, handler = g_log_set_handler ("GStreamer-stereomatching",
      G_LOG_LEVEL_WARNING, count_warning, &n);
  gchar *text;

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    n = 0;
    g_object_set (matcher, "correction", texts[i], NULL);
    fail_unless (n == 1, "%s", texts[i]);
    text = correction_of (matcher);
    fail_unless_equals_string (text, "");
    g_free (text);
  }
  /* random texts, few of which are valid */
  for (guint i = 0; i < 2000; i++) {
    static const gchar letters[] = "0123456789.:=-+eEwidthpcrolyawzmk \x7f\xc3";
    GRand *random = g_rand_new_with_seed (i);
    gchar bytes[64] = "width=320:height=240:pitch=";

    for (guint b = (guint) g_rand_int_range (random, 0, 27); b < 60; b++)
      bytes[b] = letters[g_rand_int_range (random, 0, sizeof (letters) - 1)];
    g_object_set (matcher, "correction", bytes, NULL);
    g_rand_free (random);
    text = correction_of (matcher);
    fail_unless (text[0] == '\0' || g_str_has_prefix (text, "width=320:"));
    g_object_set (matcher, "correction", text, NULL);
    g_free (text);
  }
  g_log_remove_handler ("GStreamer-stereomatching", handler);
  gst_object_unref (matcher);
}

/* Every property changes while pairs are matched. */
TEST (test_live_properties)
{
  GstElement *pipeline = correcting (SCENE "view=right rows=3", 400, 3,
      CORRECT);
  GstElement *matcher = find (pipeline, "m");
  GRand *random = g_rand_new_with_seed (5);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  pipeline_wait (pipeline, GST_MESSAGE_ASYNC_DONE);
  for (guint i = 0; i < 200; i++) {
    GstStructure *stats;
    gchar *text;

    g_object_set (matcher, "alignment", g_rand_int_range (random, 0, 3),
        "alignment-interval", g_rand_int_range (random, 1, 12),
        "alignment-focal-length", i % 3 * 300.0, NULL);
    text = correction_of (matcher);
    if (i % 7 == 0)
      g_signal_emit_by_name (matcher, "reset-alignment");
    if (i % 5 == 0)
      g_object_set (matcher, "correction", text, NULL);
    g_free (text);
    stats = alignment_stats (matcher);
    gst_structure_free (stats);
    g_usleep (1000);
  }
  pipeline_free (pipeline);
  g_rand_free (random);
}

TEST (test_defaults)
{
  gchar **names = matchers ();

  for (guint e = 0; names[e] != NULL; e++) {
    GstElement *element = gst_element_factory_make (names[e], NULL);
    guint interval;
    gint mode;
    gdouble f;
    gchar *text;

    g_object_get (element, "alignment", &mode, "alignment-interval",
        &interval, "alignment-focal-length", &f, "correction", &text, NULL);
    fail_unless_equals_int (mode, 1);
    fail_unless_equals_int (interval, 10);
    fail_unless (f == 0);
    fail_unless_equals_string (text, "");
    g_free (text);
    gst_object_unref (element);
  }
  g_strfreev (names);
}

CHECK_MAIN ("stereo-alignment")
