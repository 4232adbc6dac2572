/* gst-stereomatching: fuzzing of caps, events, queries and states
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The input is a sequence of operations on an element, in any order.  Every
 * sink pad has a thread; flush-start, seeks, pad requests and state changes
 * come from another thread concurrently.
 */

#include "host.h"

#define MAX_STEPS 64

typedef struct
{
  FuzzHost *host;
  FuzzInput input;
  GstCaps *caps[FUZZ_MAX_PADS]; /* the last caps sent to each pad */
  guint n_frames;
} Run;

static guint
index_of (const Run * run, const FuzzPad * pad)
{
  return (guint) (pad - run->host->sources);
}

static FuzzPad *
any_source (Run * run)
{
  return fuzz_host_source (run->host, fuzz_byte (&run->input));
}

/* --------------------------------------------------------------- sink pads */

/* Sets a field to an unusual value, valid or not. */
static void
spoil (FuzzInput * input, GstCaps * caps)
{
  static const gchar *const fields[] = {
    "width", "height", "format", "framerate", "interlace-mode", "colorimetry",
    "pixel-aspect-ratio", "multiview-mode", "chroma-site"
  };
  static const gchar *const texts[] = {
    "GRAY8", "NV12", "I420_10LE", "P010_10LE", "YUY2", "RGBA64_LE", "none", "",
    "interleaved", "mixed", "1:4:0:0", "bt709", "side-by-side", "(NULL)"
  };
  static const gint sizes[] = { 0, -1, 1, 2, 3, 17, 64, 65535, G_MAXINT };
  const gchar *name = fields[fuzz_byte (input) % G_N_ELEMENTS (fields)];
  unsigned kind = fuzz_byte (input), value = fuzz_byte (input);

  switch (kind % 4) {
    case 0:
      gst_caps_set_simple (caps, name, G_TYPE_INT,
          sizes[value % G_N_ELEMENTS (sizes)], NULL);
      break;
    case 1:
      gst_caps_set_simple (caps, name, G_TYPE_STRING,
          texts[value % G_N_ELEMENTS (texts)], NULL);
      break;
    case 2:
      gst_caps_set_simple (caps, name, GST_TYPE_FRACTION,
          sizes[1 + value % (G_N_ELEMENTS (sizes) - 1)], 1 + (gint) value / 8,
          NULL);
      break;
    default:
      gst_structure_remove_field (gst_caps_get_structure (caps, 0), name);
  }
}

static void
give_caps (Run * run)
{
  FuzzPad *pad = any_source (run);
  unsigned what = fuzz_byte (&run->input);
  GstCaps **last;

  if (pad == NULL)
    return;
  last = &run->caps[index_of (run, pad)];
  if (what % 4 == 0 && run->caps[0] != NULL) {
    gst_caps_replace (last, run->caps[0]);
  } else {
    GstCaps *caps = fuzz_pad_caps (pad, &run->input);

    if (what % 4 == 1)
      spoil (&run->input, caps);
    gst_caps_take (last, caps);
  }
  /* caps events require fixed caps */
  if (gst_caps_is_fixed (*last))
    fuzz_pad_give (pad, gst_event_new_caps (*last));
}

static void
give_segment (Run * run)
{
  static const GstFormat formats[] = {
    GST_FORMAT_TIME, GST_FORMAT_TIME, GST_FORMAT_TIME, GST_FORMAT_BYTES
  };
  static const gdouble rates[] = { 1, 1, 1, 2, 0.5, -1 };
  FuzzPad *pad = any_source (run);
  unsigned what = fuzz_byte (&run->input);
  GstSegment segment;

  if (pad == NULL)
    return;
  gst_segment_init (&segment, formats[what % 4]);
  segment.rate = rates[fuzz_byte (&run->input) % G_N_ELEMENTS (rates)];
  segment.start = fuzz_byte (&run->input) * 10 * GST_MSECOND;
  if (what & 16 || segment.rate < 0)
    segment.stop = segment.start + fuzz_byte (&run->input) * 10 * GST_MSECOND;
  segment.base = what & 32 ? fuzz_byte (&run->input) * GST_MSECOND : 0;
  segment.time = what & 64 ? GST_CLOCK_TIME_NONE : segment.start;
  if (what & 128)
    segment.flags = (GstSegmentFlags) fuzz_byte (&run->input);
  fuzz_pad_give (pad, gst_event_new_segment (&segment));
}

static void
give_frame (Run * run)
{
  FuzzPad *pad = any_source (run);
  unsigned what = fuzz_byte (&run->input);
  GstCaps *caps;
  GstBuffer *buffer;

  if (pad == NULL)
    return;
  caps = run->caps[index_of (run, pad)];
  buffer = caps != NULL ? fuzz_frame (caps)
      : gst_buffer_new_allocate (NULL, what, NULL);
  GST_BUFFER_PTS (buffer) = what % 8 == 7 ? GST_CLOCK_TIME_NONE
      : (run->n_frames++ / 2 + what % 8 / 6) * GST_SECOND / 30;
  if (what & 16)
    GST_BUFFER_DURATION (buffer) = what * GST_MSECOND;
  if (what & 32)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  fuzz_pad_give (pad, buffer);
}

static void
give_event (Run * run)
{
  FuzzPad *pad = any_source (run);
  unsigned what = fuzz_byte (&run->input);
  GstEvent *event;

  if (pad == NULL)
    return;
  switch (what % 8) {
    case 0:
      event = gst_event_new_stream_start (what & 8 ? "other" : "fuzz");
      break;
    case 1:
      event = gst_event_new_gap (fuzz_byte (&run->input) * GST_SECOND / 30,
          what & 8 ? GST_CLOCK_TIME_NONE : GST_SECOND / 30);
      break;
    case 2:
      event = gst_event_new_eos ();
      break;
    case 3:
      event = gst_event_new_stream_group_done (1 + (what & 8));
      break;
    case 4:
      event = gst_event_new_tag (gst_tag_list_new_empty ());
      break;
    case 5:
      event = gst_event_new_segment_done (GST_FORMAT_TIME, what);
      break;
    case 6:
      event = gst_event_new_stream_group_done (what);
      break;
    default:
      event = gst_event_new_custom (what & 8 ? GST_EVENT_CUSTOM_DOWNSTREAM
          : GST_EVENT_CUSTOM_DOWNSTREAM_OOB,
          gst_structure_new_empty ("fuzz"));
  }
  fuzz_pad_give (pad, event);
}

static void
give_query (Run * run)
{
  FuzzPad *pad = any_source (run);
  unsigned what = fuzz_byte (&run->input);
  GstCaps *caps;

  if (pad == NULL)
    return;
  caps = run->caps[index_of (run, pad)];
  fuzz_pad_give (pad, what % 2 ? gst_query_new_drain ()
      : gst_query_new_allocation (caps, what & 2));
}

/* A valid start of a stream: otherwise few inputs reach data flow. */
static void
start_all (Run * run)
{
  GstCaps *caps = NULL;

  for (guint i = 0; i < FUZZ_MAX_PADS; i++) {
    FuzzPad *pad = &run->host->sources[i];

    if (pad->pad == NULL)
      continue;
    if (caps == NULL)
      caps = fuzz_pad_caps (pad, &run->input);
    gst_caps_replace (&run->caps[i], caps);
    fuzz_pad_start (pad, caps);
  }
  gst_clear_caps (&caps);
}

/* ------------------------------------------------------------ other threads */

/* One thread flushes from start to stop, as a seek does: a GstAggregator hangs
 * if a flush starts while another thread is in flush-stop. */
static void
flush (Run * run)
{
  FuzzPad *pad = any_source (run);

  if (pad == NULL)
    return;
  gst_pad_push_event (pad->pad, gst_event_new_flush_start ());
  if (fuzz_byte (&run->input) % 4)
    gst_pad_push_event (pad->pad, gst_event_new_flush_stop (TRUE));
}

/* A correction, mostly of the size of the caps, with or without a mistake. */
static GstEvent *
new_correction (Run * run)
{
  static const gchar *const values[] = { "", ":roll=0.02", ":offset=3",
    ":zoom=0.4:k1=1", ":pitch=0.5:yaw=-0.5:common-roll=0.5", ":roll=nan",
    ":x=1", ":focal-length=1e-300:common-k1=-1"
  };
  static const gchar *const views[] = { "left", "right", "", "top" };
  unsigned what = fuzz_byte (&run->input), serial = fuzz_byte (&run->input);
  gint width = 1 + (gint) serial, height = 1;
  GstStructure *s = gst_structure_new_empty ("stereo-correction");
  gchar *text;

  if (run->caps[0] != NULL && what % 16 != 0) {
    gst_structure_get_int (gst_caps_get_structure (run->caps[0], 0), "width",
        &width);
    gst_structure_get_int (gst_caps_get_structure (run->caps[0], 0), "height",
        &height);
  }
  text = g_strdup_printf ("width=%d:height=%d%s", width, height,
      values[what / 16 % G_N_ELEMENTS (values)]);
  if (serial < 250)
    gst_structure_set (s, "serial", G_TYPE_UINT, serial, NULL);
  if (serial % 16 != 1)
    gst_structure_set (s, "view", G_TYPE_STRING, views[serial % 16 < 12
            ? serial % 2 : serial % 4], NULL);
  if (serial % 32 != 3)
    gst_structure_set (s, "correction", G_TYPE_STRING, text, NULL);
  g_free (text);
  return gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, s);
}

static void
send_upstream (Run * run)
{
  FuzzPad *pad = fuzz_host_sink (run->host, fuzz_byte (&run->input));
  unsigned what = fuzz_byte (&run->input);
  GstEvent *event;

  if (pad == NULL)
    return;
  switch (what % 5) {
    case 0:
      event = gst_event_new_seek (what & 8 ? 1 : -1, GST_FORMAT_TIME,
          what & 16 ? GST_SEEK_FLAG_FLUSH : GST_SEEK_FLAG_NONE,
          GST_SEEK_TYPE_SET, what * GST_MSECOND,
          /* GStreamer itself warns if the stop is before the start */
          GST_SEEK_TYPE_SET, what & 8 ? -1
          : (gint64) ((what + 100) * GST_MSECOND));
      break;
    case 1:
      event = gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, what / 16.0,
          (GstClockTimeDiff) (what * GST_MSECOND) * (what & 8 ? 1 : -1) / 2,
          what * GST_MSECOND);
      break;
    case 2:
      event = gst_event_new_reconfigure ();
      break;
    case 3:
      event = gst_event_new_latency (what * GST_MSECOND);
      break;
    default:
      event = what & 8 ? new_correction (run)
          : gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
          gst_structure_new_empty ("fuzz"));
  }
  gst_pad_push_event (pad->pad, event);
}

static void
ask (Run * run)
{
  unsigned what = fuzz_byte (&run->input);
  FuzzPad *pad = what & 128 ? fuzz_host_sink (run->host, what / 8)
      : fuzz_host_source (run->host, what / 8);
  GstQuery *query;
  GstCaps *caps;

  if (pad == NULL)
    return;
  caps = gst_pad_get_pad_template_caps (pad->peer);
  switch (what % 7) {
    case 0:
      query = gst_query_new_caps (what & 32 ? caps : NULL);
      break;
    case 1:
      query = gst_query_new_latency ();
      break;
    case 2:
      query = gst_query_new_position (GST_FORMAT_TIME);
      break;
    case 3:
      query = gst_query_new_duration (GST_FORMAT_TIME);
      break;
    case 4:
      query = gst_query_new_seeking (GST_FORMAT_TIME);
      break;
    case 5:
      query = gst_query_new_convert (GST_FORMAT_TIME, what, GST_FORMAT_DEFAULT);
      break;
    default:
      gst_caps_take (&caps, fuzz_pad_caps (pad, &run->input));
      query = gst_query_new_accept_caps (caps);
  }
  gst_pad_peer_query (pad->pad, query);
  gst_query_unref (query);
  gst_caps_unref (caps);
}

static void
change_state (Run * run)
{
  static const GstState states[] = {
    GST_STATE_PLAYING, GST_STATE_PAUSED, GST_STATE_READY, GST_STATE_NULL
  };

  gst_element_set_state (run->host->pipeline,
      states[fuzz_byte (&run->input) % 4]);
}

static void
set_property (Run * run)
{
  fuzz_set_property (run->host->element, &run->input);
}

static void
rest (Run * run)
{
  g_usleep (fuzz_byte (&run->input) * 8);
}

static void
request (Run * run)
{
  fuzz_host_request (run->host, fuzz_byte (&run->input));
}

static void
release (Run * run)
{
  fuzz_host_release (run->host, fuzz_byte (&run->input));
  for (guint i = 0; i < FUZZ_MAX_PADS; i++) {
    if (run->host->sources[i].pad == NULL)
      gst_clear_caps (&run->caps[i]);
  }
}

/* -------------------------------------------------------------------- input */

static void (*const steps[]) (Run * run) = {
  give_frame, give_frame, give_frame, give_frame, give_caps, give_segment,
  give_event, give_event, give_query, start_all, flush, send_upstream, ask,
  change_state, set_property, rest, request, release
};

#define FIRST_OUTSIDE 10        /* flush */

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  Run run = {.input = {data, size} };

  if (size < 4)
    return 0;
  run.host = fuzz_host_new (&run.input);
  if (fuzz_byte (&run.input) % 8) {
    gst_element_set_state (run.host->pipeline, GST_STATE_PLAYING);
    start_all (&run);
  }
  for (int i = 0; i < MAX_STEPS && run.input.size > 0; i++) {
    const guint step = fuzz_byte (&run.input) % G_N_ELEMENTS (steps);

    /* earlier operations are counted by their results */
    fuzz_operations += step >= FIRST_OUTSIDE;
    steps[step] (&run);
  }
  fuzz_host_free (run.host);
  for (guint i = 0; i < FUZZ_MAX_PADS; i++)
    gst_clear_caps (&run.caps[i]);
  return 0;
}
