/* gst-stereomatching: many pipelines in one process
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 *   bench-many [--gpus N] SECONDS WIDTH HEIGHT ELEMENT [PROPERTY=VALUE ...]
 *
 * Runs 1, 4 and 16 pipelines concurrently and prints their total framerate,
 * that of the slowest and the fastest, and the CPU load while they play and
 * while they are paused.  --gpus assigns them to the first N GPUs in turn.
 */

#include <gst/gst.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#define MOST 16

typedef struct
{
  const gchar *element;
  const gchar *width;
  const gchar *height;
  guint seconds;
  guint gpus;                   /* 0 = the element selects the device */
} Setup;

typedef struct
{
  GstElement *pipeline;
  gint n;                       /* maps */
  gint before;
} Line;

static GstPadProbeReturn
on_map (G_GNUC_UNUSED GstPad * pad, G_GNUC_UNUSED GstPadProbeInfo * info,
    gpointer line)
{
  g_atomic_int_inc (&((Line *) line)->n);
  return GST_PAD_PROBE_OK;
}

static gchar *
launch_line (const Setup * setup, guint number)
{
  gchar *device = setup->gpus == 0 ? g_strdup ("")
      : g_strdup_printf ("cuda-device-id=%u", number % setup->gpus);
  gchar *line = g_strdup_printf ("videotestsrc ! video/x-raw, format=GRAY8, "
      "width=%s, height=%s ! tee name=t ! m.sink_left t. ! m.sink_right "
      "%s name=m %s ! fakesink", setup->width, setup->height, setup->element,
      device);

  g_free (device);
  return line;
}

static void
open_line (Line * line, const Setup * setup, guint number)
{
  gchar *launch = launch_line (setup, number);
  GError *error = NULL;
  GstElement *element;
  GstPad *pad;

  line->pipeline = gst_parse_launch (launch, &error);
  if (error != NULL) {
    fprintf (stderr, "%s: %s\n", launch, error->message);
    exit (1);
  }
  g_free (launch);
  line->n = 0;
  element = gst_bin_get_by_name (GST_BIN (line->pipeline), "m");
  pad = gst_element_get_static_pad (element, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_map, line, NULL);
  gst_object_unref (pad);
  gst_object_unref (element);
  gst_element_set_state (line->pipeline, GST_STATE_PLAYING);
}

/* Waits for maps, so that allocation and thread creation are not measured. */
static void
wait_for_line (Line * line)
{
  GstBus *bus = gst_element_get_bus (line->pipeline);

  while (g_atomic_int_get (&line->n) < 2) {
    if (gst_bus_have_pending (bus)) {
      GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);

      if (message != NULL) {
        GError *error = NULL;

        gst_message_parse_error (message, &error, NULL);
        fprintf (stderr, "%s\n", error->message);
        exit (1);
      }
    }
    g_usleep (1000);
  }
  gst_object_unref (bus);
}

/* CPU time of the process, in seconds. */
static gdouble
processor_time (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return (gdouble) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
      + 1e-6 * (gdouble) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* Runs pipelines and prints their figures.  Returns frames per second. */
static gdouble
run (guint n_lines, const Setup * setup, gdouble alone)
{
  const guint seconds = setup->seconds;
  Line lines[MOST];
  gdouble busy, idle, all = 0, slowest = 0, fastest = 0, time;
  gint64 begun;

  for (guint i = 0; i < n_lines; i++)
    open_line (&lines[i], setup, i);
  for (guint i = 0; i < n_lines; i++)
    wait_for_line (&lines[i]);

  busy = processor_time ();
  begun = g_get_monotonic_time ();
  for (guint i = 0; i < n_lines; i++)
    lines[i].before = g_atomic_int_get (&lines[i].n);
  g_usleep (seconds * G_USEC_PER_SEC);
  time = (gdouble) (g_get_monotonic_time () - begun) / G_USEC_PER_SEC;
  for (guint i = 0; i < n_lines; i++) {
    gdouble rate = (g_atomic_int_get (&lines[i].n) - lines[i].before) / time;

    all += rate;
    slowest = i == 0 ? rate : MIN (slowest, rate);
    fastest = MAX (fastest, rate);
  }
  busy = (processor_time () - busy) / time;

  for (guint i = 0; i < n_lines; i++) {
    gst_element_set_state (lines[i].pipeline, GST_STATE_PAUSED);
    gst_element_get_state (lines[i].pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  }
  g_usleep (G_USEC_PER_SEC);
  idle = processor_time ();
  g_usleep (seconds * G_USEC_PER_SEC);
  idle = (processor_time () - idle) / seconds;
  printf ("%2u pipelines: %7.2f frames/s, %5.1f %% of one; each %.2f to %.2f; "
      "%3.0f %% of a processor, paused %.2f %%\n", n_lines, all,
      100 * all / (alone > 0 ? alone : all), slowest, fastest, 100 * busy,
      100 * idle);
  fflush (stdout);
  for (guint i = 0; i < n_lines; i++) {
    gst_element_set_state (lines[i].pipeline, GST_STATE_NULL);
    gst_object_unref (lines[i].pipeline);
  }
  return all;
}

int
main (int argc, char **argv)
{
  Setup setup = { 0 };
  gchar *element;
  gdouble alone;

  gst_init (&argc, &argv);
  if (argc > 2 && g_str_equal (argv[1], "--gpus")) {
    setup.gpus = (guint) MAX (atoi (argv[2]), 1);
    argc -= 2;
    argv += 2;
  }
  if (argc < 5) {
    fprintf (stderr, "usage: bench-many [--gpus N] SECONDS WIDTH HEIGHT "
        "ELEMENT [PROPERTY=VALUE ...]\n");
    return 1;
  }
  setup.seconds = (guint) MAX (atoi (argv[1]), 1);
  setup.width = argv[2];
  setup.height = argv[3];
  setup.element = element = g_strjoinv (" ", argv + 4);
  alone = run (1, &setup, 0);
  run (4, &setup, alone);
  run (MOST, &setup, alone);
  g_free (element);
  return 0;
}
