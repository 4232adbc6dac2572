/* gst-stereomatching: frames a second through a pipeline
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 *   bench-pipeline [--read] WIDTH HEIGHT FRAMES [ELEMENT PROPERTY=VALUE ...]
 *
 * Pushes prepared pairs of GRAY8 images in ordinary memory into an element, as
 * fast as it takes them, and prints frames a second, the element's statistics
 * and the memory of the process after a tenth of the frames and at the end.
 * The maps go to a fakesink; with --read every one of them is read there.
 */

#include <gst/app/gstappsrc.h>
#include <gst/gst.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N_IMAGES 8

typedef struct
{
  GstElement *source;
  GstBuffer *images[N_IMAGES];
  int frames;
} Feeder;

typedef struct
{
  gboolean read;
  int n;
  int n_early;
  long early_kib;
  guint64 sum;
  gint64 begun;                 /* when the first map came */
  gint64 ended;
} Reader;

static long
resident_kib (void)
{
  long pages = 0, resident = 0;
  FILE *file = fopen ("/proc/self/statm", "r");

  if (file != NULL) {
    if (fscanf (file, "%ld %ld", &pages, &resident) != 2)
      resident = 0;
    fclose (file);
  }
  return resident * (sysconf (_SC_PAGESIZE) / 1024);
}

static GstBuffer *
make_image (int width, int height, int shift, guint32 seed)
{
  gsize stride = (gsize) GST_ROUND_UP_4 (width);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, stride * (gsize) height,
      NULL);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) {
      guint32 h = (guint32) (x + shift) * 2654435761u
          ^ (guint32) y * 40503u ^ seed;

      map.data[(gsize) y * stride + (gsize) x] = (guint8) (h >> 24);
    }
  }
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

static gpointer
feed (gpointer data)
{
  Feeder *feeder = data;

  for (int i = 0; i < feeder->frames; i++) {
    /* a new buffer around the same memory: nothing is copied */
    GstBuffer *buffer = gst_buffer_copy (feeder->images[i % N_IMAGES]);

    GST_BUFFER_PTS (buffer) = (GstClockTime) i * GST_SECOND / 100;
    GST_BUFFER_DURATION (buffer) = GST_SECOND / 100;
    if (gst_app_src_push_buffer (GST_APP_SRC (feeder->source), buffer)
        != GST_FLOW_OK)
      break;
  }
  gst_app_src_end_of_stream (GST_APP_SRC (feeder->source));
  return NULL;
}

static void
handoff (GstElement * sink, GstBuffer * buffer, GstPad * pad, Reader * reader)
{
  (void) sink, (void) pad;
  if (reader->n++ == 0)
    reader->begun = g_get_monotonic_time ();
  if (reader->read) {
    GstMapInfo map;

    if (gst_buffer_map (buffer, &map, GST_MAP_READ)) {
      for (gsize i = 0; i < map.size; i += 64)
        reader->sum += map.data[i];
      gst_buffer_unmap (buffer, &map);
    }
  }
  if (reader->n == reader->n_early)
    reader->early_kib = resident_kib ();
  reader->ended = g_get_monotonic_time ();
}

int
main (int argc, char **argv)
{
  Reader reader = { FALSE, };
  Feeder feeders[2];
  GThread *threads[2];
  GString *description;
  GstElement *pipeline, *sink, *element;
  GstStructure *stats = NULL;
  GstMessage *message;
  GError *error = NULL;
  GstBus *bus;
  int width, height, frames, status = 0, first = 1;
  gchar *text;

  gst_init (&argc, &argv);
  if (argc > 1 && strcmp (argv[1], "--read") == 0) {
    reader.read = TRUE;
    first = 2;
  }
  if (argc < first + 3) {
    g_printerr ("usage: %s [--read] WIDTH HEIGHT FRAMES [ELEMENT "
        "PROPERTY=VALUE ...]\n", argv[0]);
    return 2;
  }
  width = atoi (argv[first]);
  height = atoi (argv[first + 1]);
  frames = atoi (argv[first + 2]);
  reader.n_early = MAX (frames / 10, 1);

  description = g_string_new (argc > first + 3 ? argv[first + 3]
      : "stereovcbw num-disparities=128");
  for (int i = first + 4; i < argc; i++)
    g_string_append_printf (description, " %s", argv[i]);
  g_string_append (description, " name=m qos=false ! fakesink name=sink "
      "sync=false signal-handoffs=true");
  for (int i = 0; i < 2; i++)
    g_string_append_printf (description, " appsrc name=source%d format=time "
        "block=true max-buffers=4 max-bytes=0 caps=video/x-raw,format=GRAY8,"
        "width=%d,height=%d,framerate=100/1 ! m.sink_%s", i, width, height,
        i == 0 ? "left" : "right");
  pipeline = gst_parse_launch (description->str, &error);
  g_string_free (description, TRUE);
  if (pipeline == NULL) {
    g_printerr ("%s\n", error->message);
    return 2;
  }
  element = gst_bin_get_by_name (GST_BIN (pipeline), "m");
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_signal_connect (sink, "handoff", G_CALLBACK (handoff), &reader);

  for (int i = 0; i < 2; i++) {
    feeders[i].source = gst_bin_get_by_name (GST_BIN (pipeline),
        i == 0 ? "source0" : "source1");
    feeders[i].frames = frames;
    for (int n = 0; n < N_IMAGES; n++)
      feeders[i].images[n] = make_image (width, height, i == 0 ? 0 : 20 + n,
          (guint32) n);
  }

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (int i = 0; i < 2; i++)
    threads[i] = g_thread_new ("feeder", feed, &feeders[i]);
  bus = gst_element_get_bus (pipeline);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    g_printerr ("%s\n", error->message);
    status = 1;
  }
  g_object_get (element, "stats", &stats, NULL);
  text = gst_structure_to_string (stats);
  printf ("%dx%d, %d frames%s: %.1f frames/s; resident memory %ld KiB after %d "
      "frames, %ld KiB at the end\n%s\n", width, height, reader.n,
      reader.read ? ", read" : "", (reader.n - 1) * 1e6
      / (double) MAX (reader.ended - reader.begun, 1), reader.early_kib,
      reader.n_early, resident_kib (), text);

  gst_element_set_state (pipeline, GST_STATE_NULL);
  for (int i = 0; i < 2; i++) {
    g_thread_join (threads[i]);
    gst_object_unref (feeders[i].source);
    for (int n = 0; n < N_IMAGES; n++)
      gst_buffer_unref (feeders[i].images[n]);
  }
  g_free (text);
  gst_structure_free (stats);
  gst_message_unref (message);
  gst_object_unref (bus);
  gst_object_unref (sink);
  gst_object_unref (element);
  gst_object_unref (pipeline);
  return status;
}
