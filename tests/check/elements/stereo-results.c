/* gst-stereomatching: tests of the additional source pads of matchers
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "../stereocheck.h"

#include <gst/base/gstaggregator.h>
#include <gst/check/gstconsistencychecker.h>

#include <string.h>

#define VERTICAL 0
#define CONFIDENCE 1
#define N_MORE 2

static const gchar *const pad_names[N_MORE] = {
  "src_vertical", "src_confidence"
};

#define SMALL \
    "video/x-raw, format=GRAY8, width=64, height=48, framerate=25/1"
#define SMALLER \
    "video/x-raw, format=GRAY8, width=48, height=40, framerate=50/1"

/* ------------------------------------------------------------------ helpers */

static gboolean
has_results (const gchar * name)
{
  GstElementFactory *factory = gst_element_factory_find (name);
  guint n = 0;

  for (const GList * t =
      gst_element_factory_get_static_pad_templates (factory); t; t = t->next) {
    const GstStaticPadTemplate *template = t->data;

    n += template->presence == GST_PAD_REQUEST;
  }
  gst_object_unref (factory);
  return n == N_MORE;
}

/* The first matcher with all these pads, or NULL.  The string is never
 * freed. */
static const gchar *
element_name (void)
{
  static gchar *name;
  gchar **names;

  if (name != NULL)
    return name;
  names = matchers ();
  for (guint e = 0; names[e] != NULL && name == NULL; e++) {
    if (has_results (names[e]))
      name = g_strdup (names[e]);
  }
  g_strfreev (names);
  return name;
}

/* Returns from the test if no matcher has result pads. */
#define NEED_RESULTS() \
  G_STMT_START { \
    if (element_name () == NULL) { \
      g_print ("skipped: no element has result pads\n"); \
      return; \
    } \
  } G_STMT_END

/* A new element with both result pads, which the caller must unref too. */
static GstElement *
element_with_pads (GstPad * pads[N_MORE])
{
  GstElement *element = gst_element_factory_make (element_name (), NULL);

  for (guint i = 0; i < N_MORE; i++)
    pads[i] = gst_element_request_pad_simple (element, pad_names[i]);
  return element;
}

/* A rig with sinks on both result pads. */
typedef struct
{
  Rig rig;
  GstHarness *more[N_MORE];
  GstStreamConsistency *checkers[N_MORE];       /* or NULL */
} Results;

static void
connect_more (Results * r, guint i)
{
  r->more[i] = gst_harness_new_with_element (r->rig.element, NULL,
      pad_names[i]);
}

static void
disconnect_more (Results * r, guint i)
{
  gst_harness_teardown (r->more[i]);
  r->more[i] = NULL;
}

static void
results_open (Results * r, const gchar * properties)
{
  gchar *launch = g_strdup_printf ("%s backend=cpu n-threads=1 "
      "num-disparities=16 %s", element_name (), properties);

  rig_open (&r->rig, launch);
  for (guint i = 0; i < N_MORE; i++) {
    connect_more (r, i);
    r->checkers[i] = NULL;
  }
  g_free (launch);
}

static void
results_caps (Results * r)
{
  rig_caps (&r->rig, LEFT, SMALL);
  rig_caps (&r->rig, RIGHT, SMALL);
}

/* Starts matching of small views. */
static void
results_play (Results * r)
{
  results_open (r, "");
  results_caps (r);
}

/* The same, with consistency checks of both result streams. */
static void
results_play_checked (Results * r)
{
  results_play (r);
  for (guint i = 0; i < N_MORE; i++)
    r->checkers[i] = gst_consistency_checker_new (r->more[i]->sinkpad);
}

static void
results_close (Results * r)
{
  set_state (r->rig.element, GST_STATE_NULL);
  for (guint i = 0; i < N_MORE; i++) {
    if (r->checkers[i] != NULL)
      gst_consistency_checker_free (r->checkers[i]);
    if (r->more[i] != NULL)
      disconnect_more (r, i);
  }
  rig_close (&r->rig);
}

static GstBuffer *
image_at (gint width, gint height, gint view, guint number)
{
  GstBuffer *buffer = gray_image (width, height, 3 * view);

  GST_BUFFER_PTS (buffer) = number * FRAME;
  GST_BUFFER_DTS (buffer) = number * FRAME + 1;
  GST_BUFFER_DURATION (buffer) = FRAME;
  GST_BUFFER_OFFSET (buffer) = 100 + number;
  return buffer;
}

/* The first n images of a view. */
static Script *
images_of (gint view, guint n)
{
  Script *script = script_new ();

  for (guint i = 0; i < n; i++)
    script_buffer (script, image_at (64, 48, view, i));
  return script;
}

static GstBuffer *
match_sized (Results * r, gint width, gint height, guint number)
{
  return rig_match (&r->rig, image_at (width, height, LEFT, number),
      image_at (width, height, RIGHT, number));
}

static GstBuffer *
match_at (Results * r, guint number)
{
  return match_sized (r, 64, 48, number);
}

static void
check_like (GstBuffer * like, GstBuffer * buffer)
{
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), GST_BUFFER_PTS (like));
  fail_unless_equals_uint64 (GST_BUFFER_DTS (buffer), GST_BUFFER_DTS (like));
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (buffer),
      GST_BUFFER_DURATION (like));
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer),
      GST_BUFFER_OFFSET (like));
  fail_unless_equals_uint64 (GST_BUFFER_FLAGS (buffer)
      & ~(guint64) GST_BUFFER_FLAG_TAG_MEMORY, GST_BUFFER_FLAGS (like)
      & ~(guint64) GST_BUFFER_FLAG_TAG_MEMORY);
}

static void
check_pad_caps (GstPad * pad, const gchar * text)
{
  GstCaps *caps = gst_pad_get_current_caps (pad);
  GstCaps *wanted = gst_caps_from_string (text);

  fail_unless (caps != NULL, "no caps");
  fail_unless (gst_caps_can_intersect (caps, wanted)
      && gst_caps_is_fixed (caps), "%" GST_PTR_FORMAT " is not %s", caps, text);
  gst_caps_unref (caps);
  gst_caps_unref (wanted);
}

/* ---------------------------------------------------------------- templates */

TEST (test_templates)
{
  gchar **names = matchers ();

  for (guint e = 0; names[e] != NULL; e++) {
    GstElement *element = gst_element_factory_make (names[e], NULL);
    GstElementClass *klass = GST_ELEMENT_GET_CLASS (element);

    for (guint i = 0; i < N_MORE; i++) {
      GstPadTemplate *template = gst_element_class_get_pad_template (klass,
          pad_names[i]);
      GstCaps *caps;

      if (template == NULL) {
        fail_unless (gst_element_request_pad_simple (element, pad_names[i])
            == NULL);
        continue;
      }
      fail_unless_equals_int (GST_PAD_TEMPLATE_PRESENCE (template),
          GST_PAD_REQUEST);
      fail_unless_equals_int (GST_PAD_TEMPLATE_DIRECTION (template),
          GST_PAD_SRC);
      caps = gst_caps_from_string ("video/x-raw, format=GRAY16_LE, width=8192, "
          "height=8192, framerate=0/1");
      fail_unless (gst_caps_is_subset (caps,
              GST_PAD_TEMPLATE_CAPS (template)));
      gst_caps_set_simple (caps, "format", G_TYPE_STRING, "GRAY8", NULL);
      fail_unless_equals_int (gst_caps_is_subset (caps,
              GST_PAD_TEMPLATE_CAPS (template)), i == CONFIDENCE);
      gst_caps_unref (caps);
    }
    gst_object_unref (element);
  }
  g_strfreev (names);
}

/* Pads can be requested in every state, once each, and again after release. */
TEST (test_request_and_release)
{
  static const GstState states[] = { GST_STATE_NULL, GST_STATE_READY,
    GST_STATE_PAUSED, GST_STATE_PLAYING, GST_STATE_READY, GST_STATE_NULL
  };
  GstElement *element;

  NEED_RESULTS ();
  element = gst_element_factory_make (element_name (), NULL);
  for (guint s = 0; s < G_N_ELEMENTS (states); s++) {
    set_state (element, states[s]);
    for (guint round = 0; round < 2; round++) {
      GstPad *pads[N_MORE];

      for (guint i = 0; i < N_MORE; i++) {
        pads[i] = gst_element_request_pad_simple (element, pad_names[i]);
        fail_unless (pads[i] != NULL);
        fail_unless_equals_string (GST_PAD_NAME (pads[i]), pad_names[i]);
        ASSERT_CRITICAL (gst_element_request_pad_simple (element,
                pad_names[i]));
        fail_unless_equals_int (element->numsrcpads, (gint) (2 + i));
      }
      for (guint i = 0; i < N_MORE; i++) {
        gst_element_release_request_pad (element, pads[i]);
        ASSERT_OBJECT_REFCOUNT (pads[i], "the pad", 1);
        gst_object_unref (pads[i]);
      }
      fail_unless_equals_int (element->numsrcpads, 1);
    }
  }
  ASSERT_OBJECT_REFCOUNT (element, "the element", 1);
  gst_object_unref (element);
}

static void
request_same_name (GstPad * pad, GstPad * peer G_GNUC_UNUSED, guint * calls)
{
  GstElement *element = gst_pad_get_parent_element (pad);

  (*calls)++;
  ASSERT_CRITICAL (fail_unless (gst_element_request_pad_simple (element,
              GST_PAD_NAME (pad)) == NULL));
  gst_object_unref (element);
}

/* A name is in use until the release of its pad is complete. */
TEST (test_request_while_releasing)
{
  GstElement *element;
  guint calls = 0;

  NEED_RESULTS ();
  element = gst_element_factory_make (element_name (), NULL);
  for (guint i = 0; i < N_MORE; i++) {
    GstPad *pad = gst_element_request_pad_simple (element, pad_names[i]);
    GstPad *sink = gst_object_ref_sink (gst_pad_new ("sink", GST_PAD_SINK));

    fail_unless_equals_int (gst_pad_link (pad, sink), GST_PAD_LINK_OK);
    g_signal_connect (pad, "unlinked", G_CALLBACK (request_same_name), &calls);
    gst_element_release_request_pad (element, pad);
    fail_unless_equals_int (calls, (gint) i + 1);
    ASSERT_OBJECT_REFCOUNT (pad, "the pad", 1);
    gst_object_unref (pad);
    gst_object_unref (sink);

    pad = gst_element_request_pad_simple (element, pad_names[i]);
    fail_unless (pad != NULL && GST_OBJECT_PARENT (pad)
        == GST_OBJECT_CAST (element));
    gst_object_unref (pad);
  }
  gst_element_set_state (element, GST_STATE_PAUSED);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_object_unref (element);
}

/* Pads that are not released are freed with the element. */
TEST (test_never_released)
{
  GstElement *element;
  GstPad *pads[N_MORE];

  NEED_RESULTS ();
  element = element_with_pads (pads);
  gst_element_set_state (element, GST_STATE_PLAYING);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_object_unref (element);
  for (guint i = 0; i < N_MORE; i++) {
    ASSERT_OBJECT_REFCOUNT (pads[i], "the pad", 1);
    gst_object_unref (pads[i]);
  }
}

/* Requested pads without a peer, through all state changes. */
TEST (test_states)
{
  static const GstState states[] = { GST_STATE_READY, GST_STATE_PAUSED,
    GST_STATE_READY, GST_STATE_NULL, GST_STATE_PLAYING, GST_STATE_PAUSED,
    GST_STATE_PLAYING, GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_NULL,
    GST_STATE_PLAYING, GST_STATE_NULL
  };
  GstElement *element;
  GstPad *pads[N_MORE];

  NEED_RESULTS ();
  element = element_with_pads (pads);
  for (guint s = 0; s < G_N_ELEMENTS (states); s++) {
    set_state (element, states[s]);
    for (guint i = 0; i < N_MORE; i++)
      fail_unless (gst_pad_is_active (pads[i]) || states[s] < GST_STATE_PAUSED);
  }
  for (guint i = 0; i < N_MORE; i++) {
    gst_element_release_request_pad (element, pads[i]);
    gst_object_unref (pads[i]);
  }
  ASSERT_OBJECT_REFCOUNT (element, "the element", 1);
  gst_object_unref (element);
}

/* ------------------------------------------------------------------ in step */

static GstEvent *
sticky (GstPad * pad, GstEventType type)
{
  GstEvent *event = gst_pad_get_sticky_event (pad, type, 0);

  fail_unless (event != NULL, "no %s", gst_event_type_get_name (type));
  return event;
}

static void
check_same_stream (GstPad * src, GstPad * pad)
{
  GstEvent *events[2] = { sticky (src, GST_EVENT_STREAM_START),
    sticky (pad, GST_EVENT_STREAM_START)
  };
  const gchar *ids[2];
  const GstSegment *segments[2];
  guint groups[2];
  gboolean has[2];

  for (guint i = 0; i < 2; i++) {
    gst_event_parse_stream_start (events[i], &ids[i]);
    has[i] = gst_event_parse_group_id (events[i], &groups[i]);
  }
  fail_if (strcmp (ids[0], ids[1]) == 0);
  fail_unless_equals_int (has[0], has[1]);
  fail_unless (!has[0] || groups[0] == groups[1]);
  for (guint i = 0; i < 2; i++)
    gst_event_unref (events[i]);

  events[0] = sticky (src, GST_EVENT_SEGMENT);
  events[1] = sticky (pad, GST_EVENT_SEGMENT);
  for (guint i = 0; i < 2; i++)
    gst_event_parse_segment (events[i], &segments[i]);
  fail_unless (gst_segment_is_equal (segments[0], segments[1]));
  fail_unless_equals_int (gst_event_get_seqnum (events[0]),
      gst_event_get_seqnum (events[1]));
  for (guint i = 0; i < 2; i++)
    gst_event_unref (events[i]);
}

static void
finish (Results * r)
{
  rig_push_event (&r->rig, gst_event_new_eos ());
  gst_event_unref (rig_wait_event (&r->rig, GST_EVENT_EOS));
  for (guint i = 0; i < N_MORE; i++) {
    if (r->more[i] != NULL)
      gst_event_unref (wait_event (r->more[i], GST_EVENT_EOS));
  }
}

TEST (test_equal_streams)
{
  GstSegment segment;
  Results r;

  NEED_RESULTS ();
  results_play_checked (&r);
  for (guint n = 0; n < 9; n++) {
    GstBuffer *map;

    /* including a new segment */
    if (n == 5) {
      gst_segment_init (&segment, GST_FORMAT_TIME);
      segment.start = segment.position = segment.time = 2 * FRAME;
      for (gint v = LEFT; v <= RIGHT; v++)
        gst_harness_push_event (r.rig.view[v],
            gst_event_new_segment (&segment));
    }
    map = match_at (&r, n);
    for (guint i = 0; i < N_MORE; i++) {
      GstBuffer *buffer = gst_harness_pull (r.more[i]);

      fail_unless (buffer != NULL);
      check_like (map, buffer);
      fail_unless_equals_int (gst_buffer_get_size (buffer),
          i == VERTICAL ? 64 * 48 * 2 : 64 * 48);
      check_same_stream (r.rig.view[LEFT]->sinkpad, r.more[i]->sinkpad);
      gst_buffer_unref (buffer);
    }
    gst_buffer_unref (map);
  }
  check_pad_caps (r.more[VERTICAL]->sinkpad, "video/x-raw, format=GRAY16_LE, "
      "width=64, height=48, framerate=25/1, pixel-aspect-ratio=1/1");
  check_pad_caps (r.more[CONFIDENCE]->sinkpad, "video/x-raw, format=GRAY8, "
      "width=64, height=48, framerate=25/1, pixel-aspect-ratio=1/1");
  finish (&r);
  rig_expect_no_error (&r.rig);
  results_close (&r);
}

TEST (test_eos_without_data)
{
  NEED_RESULTS ();
  for (gint with_caps = 0; with_caps <= 1; with_caps++) {
    Results r;

    results_open (&r, "");
    if (with_caps)
      results_caps (&r);
    finish (&r);
    for (guint i = 0; i < N_MORE; i++) {
      GstEvent *event = sticky (r.more[i]->sinkpad, GST_EVENT_STREAM_START);

      gst_event_unref (event);
    }
    rig_expect_no_error (&r.rig);
    results_close (&r);
  }
}

TEST (test_flush)
{
  Results r;

  NEED_RESULTS ();
  results_play_checked (&r);
  for (guint round = 0; round < 5; round++) {
    GstEvent *start = gst_event_new_flush_start ();
    GstEvent *stop = gst_event_new_flush_stop (TRUE);
    GstBuffer *map = match_at (&r, round);
    GstSegment segment;

    for (guint i = 0; i < N_MORE; i++) {
      GstBuffer *buffer = gst_harness_pull (r.more[i]);

      check_like (map, buffer);
      fail_unless (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT));
      check_same_stream (r.rig.view[LEFT]->sinkpad, r.more[i]->sinkpad);
      gst_buffer_unref (buffer);
    }
    gst_buffer_unref (map);

    gst_event_set_seqnum (stop, gst_event_get_seqnum (start));
    gst_segment_init (&segment, GST_FORMAT_TIME);
    for (gint v = LEFT; v <= RIGHT; v++)
      gst_harness_push_event (r.rig.view[v], gst_event_ref (start));
    for (guint i = 0; i < N_MORE; i++) {
      GstEvent *event = wait_event (r.more[i], GST_EVENT_FLUSH_START);

      fail_unless_equals_int (gst_event_get_seqnum (event),
          gst_event_get_seqnum (start));
      gst_event_unref (event);
    }
    for (gint v = LEFT; v <= RIGHT; v++)
      gst_harness_push_event (r.rig.view[v], gst_event_ref (stop));
    for (guint i = 0; i < N_MORE; i++)
      gst_event_unref (wait_event (r.more[i], GST_EVENT_FLUSH_STOP));
    rig_push_event (&r.rig, gst_event_new_segment (&segment));
    gst_event_unref (start);
    gst_event_unref (stop);
  }
  finish (&r);
  results_close (&r);
}

/* Events unknown to the element are forwarded to all pads. */
TEST (test_foreign_events)
{
  Results r;

  NEED_RESULTS ();
  results_play_checked (&r);
  for (guint n = 0; n < 4; n++) {
    gst_harness_push_event (r.rig.view[LEFT],
        gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY,
            gst_structure_new ("foreign-sticky", "n", G_TYPE_UINT, n, NULL)));
    gst_harness_push_event (r.rig.view[LEFT],
        gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
            gst_structure_new ("foreign", "n", G_TYPE_UINT, n, NULL)));
    gst_buffer_unref (match_at (&r, n));
    for (guint i = 0; i < N_MORE; i++) {
      GstEvent *event = wait_event (r.more[i], GST_EVENT_CUSTOM_DOWNSTREAM);

      fail_unless (gst_event_has_name (event, "foreign"));
      gst_event_unref (event);
      gst_buffer_unref (gst_harness_pull (r.more[i]));
    }
  }
  finish (&r);
  rig_expect_no_error (&r.rig);
  results_close (&r);
}

/* ----------------------------------------------------------------- contents */

static void
check_meta (GstBuffer * buffer, const gchar * result, gdouble scale,
    gdouble offset, gint invalid)
{
  const GstStructure *s = disparity_meta_of (buffer);
  guint value = 0;
  gdouble d;

  fail_unless_equals_string (gst_structure_get_string (s, "result"), result);
  fail_unless (gst_structure_get_double (s, "scale", &d));
  fail_unless_equals_float (d, scale);
  fail_unless (gst_structure_get_double (s, "offset", &d));
  fail_unless_equals_float (d, offset);
  fail_unless_equals_int (gst_structure_get_uint (s, "invalid-value", &value),
      invalid >= 0);
  fail_unless (invalid < 0 || value == (guint) invalid);
  fail_unless_equals_int (gst_structure_has_field (s, "disparity-scale"),
      strcmp (result, "disparity") == 0);
  fail_unless_equals_string (gst_structure_get_string (s, "backend"),
      test_backend ());
  fail_unless (gst_structure_has_field (s, "left-pts"));
}

TEST (test_meta)
{
  static const gchar *const formats[] = { "GRAY8", "GRAY16_LE" };

  NEED_RESULTS ();
  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    gchar *text = g_strdup_printf ("video/x-raw, format=%s", formats[f]);
    GstBuffer *map, *buffer;
    Results r;

    results_open (&r, "disparity-scale=8 min-disparity=-3 invalid-value=5");
    gst_harness_set_sink_caps_str (r.more[CONFIDENCE], text);
    results_caps (&r);
    map = match_at (&r, 0);
    check_meta (map, "disparity", 8, 24, 5);
    gst_buffer_unref (map);
    buffer = gst_harness_pull (r.more[VERTICAL]);
    check_meta (buffer, "vertical", 8, 32768, 5);
    gst_buffer_unref (buffer);
    buffer = gst_harness_pull (r.more[CONFIDENCE]);
    check_meta (buffer, "confidence", f == 0 ? 255 : 65535, 0, -1);
    fail_unless_equals_int (gst_buffer_get_size (buffer), 64 * 48 * (1 + f));
    gst_buffer_unref (buffer);
    g_free (text);
    results_close (&r);
  }
}

/* ------------------------------------------------------------------ changes */

/* Pads are requested and released while pairs are matched. */
TEST (test_late_request)
{
  Results r;

  NEED_RESULTS ();
  results_play (&r);
  for (guint n = 0; n < 12; n++) {
    guint i = n % N_MORE;
    GstBuffer *map, *buffer;

    disconnect_more (&r, i);
    map = match_at (&r, 2 * n);
    gst_buffer_unref (map);
    connect_more (&r, i);
    map = match_at (&r, 2 * n + 1);
    buffer = gst_harness_pull (r.more[i]);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), GST_BUFFER_PTS (map));
    fail_if (n > 0 && GST_BUFFER_FLAG_IS_SET (map, GST_BUFFER_FLAG_DISCONT));
    fail_unless (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT));
    check_same_stream (r.rig.view[LEFT]->sinkpad, r.more[i]->sinkpad);
    gst_buffer_unref (buffer);
    gst_buffer_unref (map);
  }
  rig_expect_no_error (&r.rig);
  results_close (&r);
}

/* A pad loses its peer for a while and is linked again. */
TEST (test_relink)
{
  Results r;

  NEED_RESULTS ();
  results_play (&r);
  for (guint n = 0; n < 12; n++) {
    GstPad *sink = r.more[n % N_MORE]->sinkpad;
    GstPad *pad = gst_pad_get_peer (sink);
    gboolean apart = n / N_MORE % 3 == 1;
    GstBuffer *buffer;

    if (apart) {
      fail_unless (gst_pad_unlink (pad, sink));
      gst_buffer_unref (match_at (&r, 3 * n));
      fail_unless_equals_int (gst_harness_buffers_in_queue (r.more[n
                  % N_MORE]), 0);
      fail_unless_equals_int (gst_pad_link (pad, sink), GST_PAD_LINK_OK);
      gst_buffer_unref (gst_harness_pull (r.more[(n + 1) % N_MORE]));
    }
    for (guint k = 1; k <= 2; k++) {
      gst_buffer_unref (match_at (&r, 3 * n + k));
      for (guint i = 0; i < N_MORE; i++) {
        buffer = gst_harness_pull (r.more[i]);
        fail_unless_equals_int (GST_BUFFER_FLAG_IS_SET (buffer,
                GST_BUFFER_FLAG_DISCONT), (n == 0 || (apart && i == n % N_MORE))
            && k == 1);
        gst_buffer_unref (buffer);
      }
    }
    gst_object_unref (pad);
  }
  rig_expect_no_error (&r.rig);
  results_close (&r);
}

static gpointer
request_and_release (gpointer user_data)
{
  Results *r = user_data;

  for (guint n = 0; n < 60; n++) {
    disconnect_more (r, n % N_MORE);
    g_usleep (300);
    connect_more (r, n % N_MORE);
    g_usleep (300 * (n % 3));
  }
  return NULL;
}

static gint played_during_seek;

/* Pushes a pair after GstAggregator has received a seek and before it flushes.
 * The position is found by its log message, which depends on the version. */
static void
play_during_seek (GstDebugCategory * category, GstDebugLevel level,
    const gchar * file, const gchar * function, gint line, GObject * object,
    GstDebugMessage * message, gpointer user_data)
{
  Results *r = user_data;

  if (strstr (gst_debug_message_get (message), "srcpad task") == NULL
      || !g_atomic_int_compare_and_exchange (&played_during_seek, FALSE, TRUE))
    return;
  for (gint v = LEFT; v <= RIGHT; v++)
    rig_push (&r->rig, v, image_at (64, 48, v, 0));
  for (gint i = 0; i < 500 && rig_stat (&r->rig, "paired") == 0; i++)
    g_usleep (1000);
  g_usleep (50000);
}

/* The pair is dropped, although it is the first of its stream. */
TEST (test_first_pair_during_a_seek)
{
  Results r;

  NEED_RESULTS ();
  played_during_seek = FALSE;
  results_play (&r);
  gst_debug_add_log_function (play_during_seek, &r, NULL);
  gst_debug_set_threshold_for_name ("aggregator", GST_LEVEL_INFO);
  gst_harness_push_upstream_event (r.rig.view[LEFT], gst_event_new_seek (1.0,
          GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0,
          GST_SEEK_TYPE_NONE, 0));
  gst_debug_unset_threshold_for_name ("aggregator");
  gst_debug_remove_log_function_by_data (&r);
  fail_unless (played_during_seek);
  fail_unless_equals_int (gst_harness_buffers_received (r.rig.view[LEFT]), 0);
  for (guint i = 0; i < N_MORE; i++)
    fail_unless_equals_int (gst_harness_buffers_received (r.more[i]), 0);
  results_close (&r);
}

/* A pad may be released at any time. */
TEST (test_release_while_playing)
{
  GThread *thread;
  Results r;
  guint n = 0;

  NEED_RESULTS ();
  results_play (&r);
  gst_buffer_unref (match_at (&r, n++));
  thread = g_thread_new ("user", request_and_release, &r);
  while (n < 300)
    gst_buffer_unref (match_at (&r, n++));
  g_thread_join (thread);
  gst_buffer_unref (match_at (&r, n++));
  rig_expect_no_error (&r.rig);
  finish (&r);
  results_close (&r);
}

TEST (test_caps_change)
{
  Results r;

  NEED_RESULTS ();
  results_open (&r, "");
  for (guint round = 0; round < 4; round++) {
    gboolean small = round % 2 == 0;
    GstBuffer *map;

    for (gint v = LEFT; v <= RIGHT; v++) {
      if (round == 0)
        rig_caps (&r.rig, v, SMALL);
      else
        rig_push_caps (&r.rig, v, small ? SMALL : SMALLER);
    }
    map = small ? match_at (&r, round) : match_sized (&r, 48, 40, round);
    gst_buffer_unref (map);
    for (guint i = 0; i < N_MORE; i++) {
      GstBuffer *buffer = gst_harness_pull (r.more[i]);

      fail_unless_equals_int (gst_buffer_get_size (buffer),
          (small ? 64 * 48 : 48 * 40) * (i == VERTICAL ? 2 : 1));
      gst_buffer_unref (buffer);
      check_pad_caps (r.more[i]->sinkpad, small
          ? "video/x-raw, width=64, height=48, framerate=25/1"
          : "video/x-raw, width=48, height=40, framerate=50/1");
    }
  }
  rig_expect_no_error (&r.rig);
  results_close (&r);
}

/* Downstream of one pad changes the format. */
TEST (test_reconfigure)
{
  Results r;

  NEED_RESULTS ();
  results_play (&r);
  for (guint round = 0; round < 4; round++) {
    const gchar *wanted = round % 2 ? "video/x-raw, format=GRAY16_LE"
        : "video/x-raw, format=GRAY8";
    GstBuffer *buffer;

    gst_harness_set_sink_caps_str (r.more[CONFIDENCE], wanted);
    gst_harness_push_upstream_event (r.more[CONFIDENCE],
        gst_event_new_reconfigure ());
    gst_buffer_unref (match_at (&r, round));
    buffer = gst_harness_pull (r.more[CONFIDENCE]);
    fail_unless_equals_int (gst_buffer_get_size (buffer),
        64 * 48 * (1 + round % 2));
    check_meta (buffer, "confidence", round % 2 ? 65535 : 255, 0, -1);
    gst_buffer_unref (buffer);
    check_pad_caps (r.more[CONFIDENCE]->sinkpad, wanted);
    buffer = gst_harness_pull (r.more[VERTICAL]);
    gst_buffer_unref (buffer);
  }
  rig_expect_no_error (&r.rig);
  results_close (&r);
}

TEST (test_downstream_refuses)
{
  static const gchar *const words[N_MORE] = { "vertical", "confidence" };

  NEED_RESULTS ();
  for (guint i = 0; i < N_MORE; i++) {
    Feeder *feeders[2];
    Results r;

    results_play (&r);
    gst_harness_set_sink_caps_str (r.more[i], "video/x-raw, format=RGB");
    for (gint v = LEFT; v <= RIGHT; v++)
      feeders[v] = feeder_new (&r.rig, v, images_of (v, 3));
    rig_expect_error (&r.rig, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        words[i], "64x48", NULL);
    for (gint v = LEFT; v <= RIGHT; v++)
      feeder_join (feeders[v]);
    results_close (&r);
  }
}

/* Downstream of a result pad also limits the size of the views. */
TEST (test_caps_query)
{
  GstCaps *caps, *wanted;
  Results r;

  NEED_RESULTS ();
  results_open (&r, "");
  gst_harness_set_sink_caps_str (r.more[VERTICAL], "video/x-raw, "
      "format=GRAY16_LE, width=80");
  gst_harness_set_sink_caps_str (r.more[CONFIDENCE], "video/x-raw, "
      "height=[ 10, 20 ]");
  caps = gst_pad_peer_query_caps (r.rig.view[LEFT]->srcpad, NULL);
  wanted = gst_caps_from_string ("video/x-raw, format=NV12, width=80, "
      "height=[ 10, 20 ], framerate=25/1");
  fail_unless (gst_caps_is_subset (wanted, caps), "%" GST_PTR_FORMAT, caps);
  gst_caps_set_simple (wanted, "width", G_TYPE_INT, 81, NULL);
  fail_if (gst_caps_can_intersect (wanted, caps), "%" GST_PTR_FORMAT, caps);
  gst_caps_unref (wanted);
  gst_caps_unref (caps);

  /* the formats of a result pad differ from those of src */
  caps = gst_pad_peer_query_caps (r.more[VERTICAL]->sinkpad, NULL);
  wanted = gst_caps_from_string ("video/x-raw, format=GRAY8");
  fail_if (gst_caps_can_intersect (wanted, caps), "%" GST_PTR_FORMAT, caps);
  gst_caps_unref (wanted);
  gst_caps_unref (caps);
  results_close (&r);
}

/* --------------------------------------------------------------- allocation */

typedef struct
{
  GstBufferPool *pool;
  guint queries;
} Downstream;

static GstPadProbeReturn
answer (GstPad * pad, GstPadProbeInfo * probe, gpointer user_data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (probe);
  Downstream *downstream = user_data;
  GstCaps *caps, *current;

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;
  downstream->queries++;
  /* caps must be sent before the allocation query */
  gst_query_parse_allocation (query, &caps, NULL);
  current = gst_pad_get_current_caps (pad);
  fail_unless (current != NULL && gst_caps_is_equal (caps, current));
  gst_caps_unref (current);
  gst_query_add_allocation_pool (query, downstream->pool, 0, 3, 0);
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  return GST_PAD_PROBE_HANDLED;
}

TEST (test_pool_of_downstream_is_used)
{
  Downstream downstream[N_MORE];
  Results r;

  NEED_RESULTS ();
  keep_backends (TRUE);
  results_open (&r, "");
  for (guint i = 0; i < N_MORE; i++) {
    downstream[i].pool = gst_video_buffer_pool_new ();
    downstream[i].queries = 0;
    gst_pad_add_probe (r.more[i]->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM,
        answer, &downstream[i], NULL);
  }
  results_caps (&r);
  for (guint n = 0; n < 10; n++) {
    gst_buffer_unref (match_at (&r, n));
    for (guint i = 0; i < N_MORE; i++) {
      GstBuffer *buffer = gst_harness_pull (r.more[i]);

      fail_unless (buffer->pool == downstream[i].pool);
      fail_unless (gst_buffer_get_video_meta (buffer) != NULL);
      gst_buffer_unref (buffer);
    }
  }
  for (guint i = 0; i < N_MORE; i++)
    fail_unless_equals_int (downstream[i].queries, 1);
  results_close (&r);
  for (guint i = 0; i < N_MORE; i++) {
    ASSERT_OBJECT_REFCOUNT (downstream[i].pool, "the pool", 1);
    gst_object_unref (downstream[i].pool);
  }
}

/* -------------------------------------------------------------------- flows */

static GstFlowReturn refusals[1 + N_MORE];

static GstFlowReturn
refuse (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  gst_buffer_unref (buffer);
  return refusals[GPOINTER_TO_UINT (GST_PAD_ELEMENT_PRIVATE (pad))];
}

TEST (test_flow_returns)
{
  static const struct
  {
    GstFlowReturn flows[1 + N_MORE], combined;
  } cases[] = {
    {{GST_FLOW_OK, GST_FLOW_OK, GST_FLOW_OK}, GST_FLOW_OK},
    {{GST_FLOW_NOT_LINKED, GST_FLOW_OK, GST_FLOW_OK}, GST_FLOW_OK},
    {{GST_FLOW_OK, GST_FLOW_NOT_LINKED, GST_FLOW_NOT_LINKED}, GST_FLOW_OK},
    {{GST_FLOW_NOT_LINKED, GST_FLOW_NOT_LINKED, GST_FLOW_NOT_LINKED},
        GST_FLOW_NOT_LINKED},
    {{GST_FLOW_EOS, GST_FLOW_OK, GST_FLOW_EOS}, GST_FLOW_OK},
    {{GST_FLOW_EOS, GST_FLOW_EOS, GST_FLOW_EOS}, GST_FLOW_EOS},
    {{GST_FLOW_EOS, GST_FLOW_NOT_LINKED, GST_FLOW_EOS}, GST_FLOW_EOS},
    {{GST_FLOW_OK, GST_FLOW_OK, GST_FLOW_ERROR}, GST_FLOW_ERROR},
    {{GST_FLOW_ERROR, GST_FLOW_OK, GST_FLOW_OK}, GST_FLOW_ERROR},
    {{GST_FLOW_OK, GST_FLOW_NOT_NEGOTIATED, GST_FLOW_OK},
        GST_FLOW_NOT_NEGOTIATED},
    {{GST_FLOW_OK, GST_FLOW_OK, GST_FLOW_FLUSHING}, GST_FLOW_FLUSHING},
  };

  NEED_RESULTS ();
  for (guint c = 0; c < G_N_ELEMENTS (cases); c++) {
    Feeder *feeders[2];
    GstPad *sinks[1 + N_MORE];
    Results r;

    memcpy (refusals, cases[c].flows, sizeof (refusals));
    results_play (&r);
    sinks[0] = r.rig.view[LEFT]->sinkpad;
    for (guint i = 0; i < N_MORE; i++)
      sinks[1 + i] = r.more[i]->sinkpad;
    for (guint i = 0; i < 1 + N_MORE; i++) {
      gst_pad_set_element_private (sinks[i], GUINT_TO_POINTER (i));
      gst_pad_set_chain_function (sinks[i], refuse);
    }
    for (gint v = LEFT; v <= RIGHT; v++)
      feeders[v] = feeder_new (&r.rig, v, images_of (v, 8));
    for (gint v = LEFT; v <= RIGHT; v++)
      fail_unless_equals_int (feeder_join (feeders[v]), cases[c].combined);
    rig_expect_no_error (&r.rig);
    results_close (&r);
  }
}

/* ---------------------------------------------------------- queries, events */

TEST (test_latency)
{
  Results r;

  NEED_RESULTS ();
  results_open (&r, "");
  gst_harness_set_upstream_latency (r.rig.view[LEFT], 30 * GST_MSECOND);
  gst_harness_set_upstream_latency (r.rig.view[RIGHT], 70 * GST_MSECOND);
  results_caps (&r);
  gst_buffer_unref (match_at (&r, 0));
  for (guint i = 0; i < N_MORE; i++)
    fail_unless_equals_uint64 (gst_harness_query_latency (r.more[i]),
        110 * GST_MSECOND);
  results_close (&r);
}

static void
be_late (GstHarness * h, GstClockTimeDiff late, GstClockTime time)
{
  fail_unless (gst_harness_push_upstream_event (h,
          gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 1.5, late, time)));
}

/* Matches six pairs and returns the number of maps. */
static guint
count_matched (Results * r)
{
  GPtrArray *maps = rig_run (&r->rig, images_of (LEFT, 6),
      images_of (RIGHT, 6));
  guint n = maps->len;

  g_ptr_array_unref (maps);
  return n;
}

/* A pair is skipped only if it is too late on all pads. */
TEST (test_qos)
{
  NEED_RESULTS ();
  for (guint late = 0; late < 8; late++) {
    Results r;

    results_play (&r);
    gst_buffer_unref (match_at (&r, 0));
    if (late & 1)
      be_late (r.rig.view[LEFT], FRAME, 0);
    for (guint i = 0; i < N_MORE; i++) {
      if (late & 2u << i)
        be_late (r.more[i], FRAME, (i + 1) * FRAME);
    }
    fail_unless_equals_int (count_matched (&r), late == 7 ? 3 : 6);
    fail_unless_equals_uint64 (rig_stat (&r.rig, "qos-dropped"),
        late == 7 ? 3 : 0);
    results_close (&r);
  }
}

/* --------------------------------------------------------------- pipelines */

typedef struct
{
  GstElement *pipeline;
  gint count[1 + N_MORE];       /* atomic; number of buffers at each sink */
} Line;

static void
on_buffer (GstElement * sink, GstBuffer * buffer, GstPad * pad, gint * count)
{
  g_atomic_int_inc (count);
}

/* Creates a pipeline with an element m and the sinks sink0 to sink2. */
static void
line_open (Line * line, guint n, const gchar * rest)
{
  memset (line, 0, sizeof (*line));
  line->pipeline = pipeline_new ("videotestsrc pattern=ball num-buffers=%u "
      "name=left ! %s ! m.sink_left  videotestsrc pattern=ball num-buffers=%u "
      "! %s ! m.sink_right  %s name=m backend=cpu n-threads=1 "
      "num-disparities=8  %s", n, SMALL, n, SMALL, element_name (), rest);
  for (guint i = 0; i < 1 + N_MORE; i++) {
    gchar *name = g_strdup_printf ("sink%u", i);

    if (strstr (rest, name) != NULL)
      pipeline_watch (line->pipeline, name, G_CALLBACK (on_buffer),
          &line->count[i]);
    g_free (name);
  }
}

#define ALL_SINKS "m.src ! queue ! fakesink name=sink0  m.src_vertical ! " \
    "queue ! fakesink name=sink1  m.src_confidence ! queue ! " \
    "fakesink name=sink2"

/* All combinations of pads; each pipeline runs twice. */
TEST (test_pipelines)
{
  static const struct
  {
    const gchar *rest;
    gint count[1 + N_MORE];
  } cases[] = {
    {"m. ! fakesink name=sink0", {5, 0, 0}},
    {"m.src_vertical ! fakesink name=sink1", {0, 5, 0}},
    {"m.src_confidence ! video/x-raw, format=GRAY16_LE ! fakesink name=sink2",
        {0, 0, 5}},
    {"m.src_vertical ! queue ! fakesink name=sink1  m.src_confidence ! queue ! "
        "fakesink name=sink2", {0, 5, 5}},
    {ALL_SINKS, {5, 5, 5}},
    /* one branch ends early */
    {"m.src ! queue ! identity eos-after=3 ! fakesink name=sink0  "
        "m.src_vertical ! queue ! fakesink name=sink1", {2, 5, 0}},
    {"m.src ! queue ! fakesink name=sink0  m.src_vertical ! queue ! identity "
        "eos-after=3 ! fakesink name=sink1", {5, 2, 0}},
  };

  NEED_RESULTS ();
  for (guint c = 0; c < G_N_ELEMENTS (cases); c++) {
    Line line;

    line_open (&line, 5, cases[c].rest);
    for (guint round = 0; round < 2; round++) {
      memset (line.count, 0, sizeof (line.count));
      gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
      pipeline_wait (line.pipeline, GST_MESSAGE_EOS);
      set_state (line.pipeline, round == 0 ? GST_STATE_READY : GST_STATE_NULL);
      for (guint i = 0; i < 1 + N_MORE; i++)
        fail_unless_equals_int (line.count[i], cases[c].count[i]);
    }
    pipeline_free (line.pipeline);
  }
}

static GstPadProbeReturn
count_flush (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_FLUSH_START)
    g_atomic_int_inc ((gint *) user_data);
  return GST_PAD_PROBE_OK;
}

/* A seek that all sinks forward reaches each source once. */
TEST (test_seek)
{
  GstElement *source;
  gint flushes = 0;
  GstPad *pad;
  Line line;

  NEED_RESULTS ();
  line_open (&line, 100000, ALL_SINKS);
  source = gst_bin_get_by_name (GST_BIN (line.pipeline), "left");
  pad = gst_element_get_static_pad (source, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_FLUSH, count_flush, &flushes,
      NULL);
  gst_object_unref (pad);
  gst_object_unref (source);
  gst_element_set_state (line.pipeline, GST_STATE_PAUSED);
  pipeline_wait (line.pipeline, GST_MESSAGE_ASYNC_DONE);
  for (gint i = 0; i < 10; i++) {
    fail_unless (gst_element_seek (line.pipeline, 1.0, GST_FORMAT_TIME,
            GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET,
            (20 + i) * (gint64) FRAME, GST_SEEK_TYPE_SET, 40 * (gint64) FRAME));
    pipeline_wait (line.pipeline, GST_MESSAGE_ASYNC_DONE);
    fail_unless_equals_int (g_atomic_int_get (&flushes), i + 1);
  }
  /* sinks emit handoff after preroll */
  memset (line.count, 0, sizeof (line.count));
  gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
  pipeline_wait (line.pipeline, GST_MESSAGE_EOS);
  for (guint i = 0; i < 1 + N_MORE; i++)
    fail_unless_equals_int (g_atomic_int_get (&line.count[i]), 11);

  /* seeks in state PLAYING */
  gst_element_seek (line.pipeline, 1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH,
      GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET, 100000 * (gint64) FRAME);
  for (gint i = 0; i < 10; i++) {
    gst_element_seek (line.pipeline, 1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH,
        GST_SEEK_TYPE_SET, i * 100 * (gint64) FRAME, GST_SEEK_TYPE_SET,
        100000 * (gint64) FRAME);
    g_usleep (3000);
  }
  pipeline_free (line.pipeline);
}

/* Stops at different times. */
TEST (test_stop_while_playing)
{
  Line line;

  NEED_RESULTS ();
  line_open (&line, 100000, ALL_SINKS);
  for (guint i = 0; i < 20; i++) {
    gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
    g_usleep (700 * i);
    set_state (line.pipeline, i % 2 ? GST_STATE_NULL : GST_STATE_READY);
  }
  pipeline_free (line.pipeline);
}

static GstPadProbeReturn
block (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  g_atomic_int_set ((gint *) user_data, 1);
  return GST_PAD_PROBE_OK;
}

/* Stopping does not wait for a blocked result pad. */
TEST (test_stop_while_blocked)
{
  /* async=false: sinks of blocked branches never preroll */
  static const gchar rest[] = "m.src ! queue ! fakesink name=sink0 async=false "
      "m.src_vertical ! queue ! fakesink async=false  m.src_confidence ! queue "
      "! fakesink async=false";

  NEED_RESULTS ();
  for (guint i = 0; i < N_MORE; i++) {
    GstElement *m;
    gint blocked = 0;
    GstPad *pad;
    Line line;

    line_open (&line, 100000, rest);
    m = gst_bin_get_by_name (GST_BIN (line.pipeline), "m");
    pad = gst_element_get_static_pad (m, pad_names[i]);
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BLOCK
        | GST_PAD_PROBE_TYPE_BUFFER, block, &blocked, NULL);
    gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
    while (!g_atomic_int_get (&blocked))
      g_usleep (1000);
    set_state (line.pipeline, GST_STATE_READY);

    /* releasing the blocked pad lets the element continue */
    g_atomic_int_set (&blocked, 0);
    gst_element_set_state (line.pipeline, GST_STATE_PLAYING);
    while (!g_atomic_int_get (&blocked))
      g_usleep (1000);
    gst_element_release_request_pad (m, pad);
    gst_object_unref (pad);
    gst_object_unref (m);
    memset (line.count, 0, sizeof (line.count));
    while (g_atomic_int_get (&line.count[0]) < 20)
      g_usleep (1000);
    pipeline_free (line.pipeline);
  }
}

CHECK_MAIN ("stereo-results")
