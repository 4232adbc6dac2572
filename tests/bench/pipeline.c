/* gst-stereomatching: framerate of a pipeline
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 *   bench-pipeline [--read] [--format FORMAT] [--view K]
 *                  WIDTH HEIGHT FRAMES [ELEMENT PROPERTY=VALUE ...]
 *
 * Pushes prepared pairs in system memory (GRAY8 by default) into an element at
 * the maximum rate, and prints the framerate, the statistics of the element,
 * and the memory use of the process and the GPU, after a tenth of the frames
 * and at the end.  Maps go to a fakesink, which reads them with --read.  With
 * --view they go to a stereoview with both images; matching then runs at 1/K of
 * the size.
 */

#include "stereo-cuda.h"

#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <gst/video/video.h>

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
  const char *format;
  int divisor;                  /* 0 = no view is rendered */
  int width;
  int height;
  int frames;
} Setup;

typedef struct
{
  gboolean read;
  int n;
  int n_early;
  long early_kib;
  long early_gpu_kib;
  StereoDevice *gpu;            /* or NULL */
  guint64 sum;
  gint64 begun;                 /* arrival of the first map */
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

/* Memory in use by all processes. */
static long
gpu_kib (StereoDevice * gpu)
{
  size_t available = 0, total = 0;
  StereoMessage why;

  if (gpu == NULL || stereo_cuda_memory (gpu, &available, &total,
          &why) != STEREO_OK)
    return 0;
  return (long) ((total - available) / 1024);
}

/* A texture shifted left by `shift` pixels. */
static GstBuffer *
make_image (const Setup * setup, int shift, guint32 seed)
{
  GstBuffer *buffer;
  GstVideoFrame frame;
  GstVideoInfo info;

  gst_video_info_set_format (&info, gst_video_format_from_string
      (setup->format), (guint) setup->width, (guint) setup->height);
  buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
  gst_video_frame_map (&frame, &info, buffer, GST_MAP_WRITE);
  for (guint c = 0; c < GST_VIDEO_FRAME_N_COMPONENTS (&frame); c++) {
    const int step = GST_VIDEO_FRAME_COMP_PSTRIDE (&frame, c);
    const int width = GST_VIDEO_FRAME_COMP_WIDTH (&frame, c);

    for (int y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT (&frame, c); y++) {
      guint8 *row = (guint8 *) GST_VIDEO_FRAME_COMP_DATA (&frame, c)
          + y * GST_VIDEO_FRAME_COMP_STRIDE (&frame, c);

      for (int x = 0; x < width; x++) {
        guint32 at = (guint32) (x + shift * width / setup->width);
        guint32 h = at * 2654435761u ^ (guint32) y * 40503u ^ seed;

        row[x * step] = (guint8) (h >> 24);
      }
    }
  }
  gst_video_frame_unmap (&frame);
  return buffer;
}

static gpointer
feed (gpointer data)
{
  Feeder *feeder = data;

  for (int i = 0; i < feeder->frames; i++) {
    /* a new buffer with the same memory: no copy */
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
  if (reader->n == reader->n_early) {
    reader->early_kib = resident_kib ();
    reader->early_gpu_kib = gpu_kib (reader->gpu);
  }
  reader->ended = g_get_monotonic_time ();
}

/* Builds the pipeline from both sources to the sink. */
static GstElement *
make_pipeline (const Setup * setup, int argc, char **argv, GError ** error)
{
  static const char *const sides[] = { "left", "right" };
  GString *line = g_string_new (argc > 0 ? argv[0]
      : "stereovcbw num-disparities=128");
  GstElement *pipeline;

  for (int i = 1; i < argc; i++)
    g_string_append_printf (line, " %s", argv[i]);
  g_string_append (line, " name=m qos=false ! ");
  if (setup->divisor > 0)
    g_string_append (line, "v.sink_disparity stereoview name=v qos=false ! ");
  g_string_append (line, "fakesink name=sink sync=false signal-handoffs=true");
  for (int i = 0; i < 2; i++) {
    g_string_append_printf (line, " appsrc name=source%d format=time "
        "block=true max-buffers=4 max-bytes=0 caps=video/x-raw,format=%s,"
        "width=%d,height=%d,framerate=100/1 ! ", i, setup->format,
        setup->width, setup->height);
    if (setup->divisor > 0)
      g_string_append_printf (line, "tee name=%s %s. ! queue ! v.sink_%s "
          "%s. ! queue ! ", sides[i], sides[i], sides[i], sides[i]);
    if (setup->divisor > 1)
      g_string_append_printf (line, "videoscale ! "
          "video/x-raw,width=%d,height=%d ! ", (setup->width + setup->divisor
              - 1) / setup->divisor, (setup->height + setup->divisor - 1)
          / setup->divisor);
    g_string_append_printf (line, "m.sink_%s", sides[i]);
  }
  pipeline = gst_parse_launch (line->str, error);
  g_string_free (line, TRUE);
  return pipeline;
}

/* Returns the number of arguments that are options, or -1 on error. */
static int
take_options (int argc, char **argv, Setup * setup, gboolean * read)
{
  int i = 1;

  for (; i < argc && strncmp (argv[i], "--", 2) == 0; i++) {
    if (strcmp (argv[i], "--read") == 0)
      *read = TRUE;
    else if (strcmp (argv[i], "--format") == 0 && i + 1 < argc)
      setup->format = argv[++i];
    else if (strcmp (argv[i], "--view") == 0 && i + 1 < argc)
      setup->divisor = atoi (argv[++i]);
    else
      return -1;
  }
  if (argc < i + 3 || gst_video_format_from_string (setup->format)
      == GST_VIDEO_FORMAT_UNKNOWN)
    return -1;
  setup->width = atoi (argv[i]);
  setup->height = atoi (argv[i + 1]);
  setup->frames = atoi (argv[i + 2]);
  return i - 1;
}

static void
print_stats (GstElement * pipeline, const char *name)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), name);
  GstStructure *stats = NULL;
  gchar *text;

  if (element == NULL)
    return;
  g_object_get (element, "stats", &stats, NULL);
  text = gst_structure_to_string (stats);
  printf ("%s\n", text);
  g_free (text);
  gst_structure_free (stats);
  gst_object_unref (element);
}

int
main (int argc, char **argv)
{
  Setup setup = {.format = "GRAY8" };
  Reader reader = { FALSE, };
  Feeder feeders[2];
  GThread *threads[2];
  GstElement *pipeline, *sink;
  GstMessage *message;
  GError *error = NULL;
  GstBus *bus;
  int status = 0, n_options;

  gst_init (&argc, &argv);
  n_options = take_options (argc, argv, &setup, &reader.read);
  if (n_options < 0) {
    g_printerr ("usage: %s [--read] [--format FORMAT] [--view K] WIDTH HEIGHT "
        "FRAMES [ELEMENT PROPERTY=VALUE ...]\n", argv[0]);
    return 2;
  }
  reader.n_early = MAX (setup.frames / 10, 1);
  pipeline = make_pipeline (&setup, argc - n_options - 4,
      argv + n_options + 4, &error);
  if (pipeline == NULL) {
    g_printerr ("%s\n", error->message);
    return 2;
  }
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_signal_connect (sink, "handoff", G_CALLBACK (handoff), &reader);

  for (int i = 0; i < 2; i++) {
    feeders[i].source = gst_bin_get_by_name (GST_BIN (pipeline),
        i == 0 ? "source0" : "source1");
    feeders[i].frames = setup.frames;
    for (int n = 0; n < N_IMAGES; n++)
      feeders[i].images[n] = make_image (&setup, i == 0 ? 0 : 20 + n,
          (guint32) n);
  }

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  if (stereo_cuda_count (NULL) > 0
      && stereo_device_new_cuda (-1, &reader.gpu, NULL) != STEREO_OK)
    reader.gpu = NULL;
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
  printf ("%dx%d %s, %d frames%s: %.1f frames/s; resident memory %ld KiB after "
      "%d frames, %ld KiB at the end\n", setup.width, setup.height,
      setup.format, reader.n, reader.read ? ", read" : "", (reader.n - 1) * 1e6
      / (double) MAX (reader.ended - reader.begun, 1), reader.early_kib,
      reader.n_early, resident_kib ());
  if (reader.gpu != NULL)
    printf ("memory used on the GPU: %ld KiB after %d frames, %ld KiB at the "
        "end\n", reader.early_gpu_kib, reader.n_early, gpu_kib (reader.gpu));
  print_stats (pipeline, "m");
  print_stats (pipeline, "v");

  gst_element_set_state (pipeline, GST_STATE_NULL);
  for (int i = 0; i < 2; i++) {
    g_thread_join (threads[i]);
    gst_object_unref (feeders[i].source);
    for (int n = 0; n < N_IMAGES; n++)
      gst_buffer_unref (feeders[i].images[n]);
  }
  gst_message_unref (message);
  gst_object_unref (bus);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
  stereo_device_unref (&reader.gpu);
  return status;
}
