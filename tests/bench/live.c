/* gst-stereomatching: live video that is faster than the matcher
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 *   bench-live SECONDS WIDTH HEIGHT RATE ELEMENT [PROPERTY=VALUE ...]
 *
 * Prints the maximum framerate of an element.  Then, for a live source of RATE
 * frames per second and several pipelines around the element, prints the
 * framerate, the longest interval between frames, and the longest latency from
 * capture to the map downstream of the element, in clock time.
 */

#include <gst/gst.h>

#include <stdio.h>
#include <stdlib.h>

typedef struct
{
  GstElement *pipeline;
  gint64 first, last;           /* arrival of maps, in microseconds */
  gint64 longest;
  GstClockTime latest;
  guint n;
} Run;

static GstPadProbeReturn
on_map (G_GNUC_UNUSED GstPad * pad, GstPadProbeInfo * info,
    gpointer user_data)
{
  Run *run = user_data;
  GstBuffer *map = GST_PAD_PROBE_INFO_BUFFER (info);
  gint64 now = g_get_monotonic_time ();
  GstClockTime time = gst_element_get_current_running_time (run->pipeline);

  /* the first map includes allocation and cannot be late */
  if (run->n == 1)
    run->first = now;
  if (run->n > 1)
    run->longest = MAX (run->longest, now - run->last);
  if (run->n > 0 && GST_CLOCK_TIME_IS_VALID (time)
      && GST_BUFFER_PTS_IS_VALID (map) && time > GST_BUFFER_PTS (map))
    run->latest = MAX (run->latest, time - GST_BUFFER_PTS (map));
  run->last = now;
  run->n++;
  return GST_PAD_PROBE_OK;
}

static guint64
count (GstElement * element, const gchar * name)
{
  GstStructure *stats;
  guint64 n = 0;

  g_object_get (element, "stats", &stats, NULL);
  gst_structure_get_uint64 (stats, name, &n);
  gst_structure_free (stats);
  return n;
}

/* Plays for some seconds and prints a line. */
static void
play (const gchar * what, const gchar * launch, guint seconds)
{
  GError *error = NULL;
  Run run = { 0, };
  GstElement *element;
  GstMessage *message;
  GstBus *bus;
  GstPad *pad;

  run.pipeline = gst_parse_launch (launch, &error);
  if (error != NULL) {
    fprintf (stderr, "%s: %s\n", launch, error->message);
    exit (1);
  }
  element = gst_bin_get_by_name (GST_BIN (run.pipeline), "m");
  pad = gst_element_get_static_pad (element, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_map, &run, NULL);
  bus = gst_element_get_bus (run.pipeline);
  gst_element_set_state (run.pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, seconds * GST_SECOND,
      GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  if (message != NULL && GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    fprintf (stderr, "%s: %s\n", launch, error->message);
    exit (1);
  }
  gst_clear_message (&message);
  printf ("%-34s %4u maps %6.2f/s, gap %5.0f ms, latency %5.0f ms, "
      "%" G_GUINT64_FORMAT " superseded, %" G_GUINT64_FORMAT " by QoS\n", what,
      run.n, run.n > 2 ? (run.n - 2) * 1e6 / (double) (run.last - run.first)
      : 0.0, (double) run.longest / 1e3, (double) run.latest / 1e6,
      count (element, "superseded"), count (element, "qos-dropped"));
  fflush (stdout);
  gst_element_set_state (run.pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pad);
  gst_object_unref (element);
  gst_object_unref (run.pipeline);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *what, *left, *right, *after;
  } lines[] = {
    {"sync=true", "", "", "fakesink sync=true qos=true"},
    {"sync=false", "", "", "fakesink sync=false"},
    {"queues, sync=true", "queue ! ", "queue ! ",
        "fakesink sync=true qos=true"},
    {"leaky queues, sync=true",
          "queue leaky=downstream max-size-buffers=1 ! ",
          "queue leaky=downstream max-size-buffers=1 ! ",
        "fakesink sync=true qos=true"},
    {"queues before and after", "queue ! ", "queue ! ",
        "queue ! fakesink sync=true qos=true"},
  };
  static const char *const pairs[] = { "every", "newest" };
  gchar *caps, *element, *launch;
  guint seconds;

  gst_init (&argc, &argv);
  if (argc < 6) {
    fprintf (stderr, "usage: %s SECONDS WIDTH HEIGHT RATE ELEMENT "
        "[PROPERTY=VALUE ...]\n", argv[0]);
    return 1;
  }
  seconds = (guint) atoi (argv[1]);
  caps = g_strdup_printf ("video/x-raw, format=GRAY8, width=%s, height=%s, "
      "framerate=%s/1", argv[2], argv[3], argv[4]);
  element = g_strjoinv (" ", argv + 5);

  launch = g_strdup_printf ("videotestsrc ! %s ! tee name=t ! m.sink_left "
      "t. ! m.sink_right %s name=m ! fakesink", caps, element);
  play ("a file", launch, seconds);
  g_free (launch);
  for (guint p = 0; p < G_N_ELEMENTS (pairs); p++) {
    for (guint l = 0; l < G_N_ELEMENTS (lines); l++) {
      gchar *what = g_strdup_printf ("%s, %s", pairs[p], lines[l].what);

      launch = g_strdup_printf ("videotestsrc is-live=true ! %s ! tee name=t ! "
          "%s m.sink_left t. ! %s m.sink_right %s name=m pairs=%s ! %s", caps,
          lines[l].left, lines[l].right, element, pairs[p], lines[l].after);
      play (what, launch, seconds);
      g_free (launch);
      g_free (what);
    }
  }
  g_free (element);
  g_free (caps);
  return 0;
}
