/* gst-stereomatching: warnings of views that do not match
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "../stereocheck.h"

#include <string.h>

#define SIZE "video/x-raw,format=GRAY8,width=160,height=120,framerate="
#define MATCHER "backend=cpu num-disparities=32"

/* Runs a pipeline to its end and counts its warnings, which must be the
 * diagnosis of the matcher. */
static guint
count_warnings (GstElement * pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  gboolean over = FALSE;
  guint n = 0;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (!over) {
    GstMessage *message = gst_bus_timed_pop_filtered (bus, 6 * PATIENCE,
        GST_MESSAGE_WARNING | GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
    GError *error;

    fail_unless (message != NULL);
    fail_if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR);
    over = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
    if (!over) {
      gst_message_parse_warning (message, &error, NULL);
      fail_unless (strstr (error->message, "disparities are reliable")
          && strstr (error->message, "views are swapped")
          && strstr (error->message, "between"), "%s", error->message);
      g_error_free (error);
      n++;
    }
    gst_message_unref (message);
  }
  gst_object_unref (bus);
  pipeline_free (pipeline);
  return n;
}

/* Counts the warnings of a matcher for these views, with their framerate and
 * number of frames. */
static guint
warnings_of (const gchar * left, const gchar * right, const gchar * rate,
    guint n, const gchar * matcher)
{
  return count_warnings (pipeline_new ("%s num-buffers=%u ! " SIZE "%s ! "
          "m.sink_left  %s num-buffers=%u ! " SIZE "%s ! m.sink_right  "
          "%s name=m ! fakesink", left, n, rate, right, n, rate, matcher));
}

#define SCENE "stereotestsrc num-disparities=32 "

static const gchar *const patterns[] = { "planes", "slanted", "sphere",
  "corridor", "thin"
};

LOOP_TEST (test_good_views, 0, G_N_ELEMENTS (patterns))
{
  gchar **elements = matchers ();
  gchar *left = g_strdup_printf (SCENE "noise=2 pattern=%s",
      patterns[__i__]);
  gchar *right = g_strdup_printf ("%s view=right", left);

  for (guint e = 0; elements[e] != NULL; e++) {
    gchar *matcher = g_strdup_printf ("%s " MATCHER, elements[e]);

    fail_unless_equals_int (warnings_of (left, right, "1/1", 6, matcher), 0);
    g_free (matcher);
  }
  g_free (left);
  g_free (right);
  g_strfreev (elements);
}

static const gchar *const wrong[][3] = {
  /* swapped */
  {SCENE "pattern=thin view=right", SCENE "pattern=thin", ""},
  /* out of range */
  {SCENE, SCENE "view=right", "min-disparity=64"},
  /* different scenes */
  {SCENE, SCENE "view=right seed=7 pattern=slanted", "fill=false"},
  /* more noise than texture */
  {SCENE "noise=100", SCENE "noise=100 view=right", ""},
  /* noise and a scene */
  {"videotestsrc pattern=snow", SCENE, "cost=luma"},
};

/* One warning, after five pairs that are a second apart. */
LOOP_TEST (test_wrong_views, 0, G_N_ELEMENTS (wrong))
{
  static const gchar *const elements[] = { "stereosgm", "stereovcbw",
    "stereobfv"
  };

  for (guint e = 0; e < G_N_ELEMENTS (elements); e++) {
    gchar *matcher = g_strdup_printf ("%s " MATCHER " %s", elements[e],
        wrong[__i__][2]);

    fail_unless (warnings_of (wrong[__i__][0], wrong[__i__][1], "1/1", 8,
            matcher) == 1, "case %d, %s", __i__, matcher);
    fail_unless_equals_int (warnings_of (wrong[__i__][0], wrong[__i__][1],
            "1/1", 4, matcher), 0);
    fail_unless_equals_int (warnings_of (wrong[__i__][0], wrong[__i__][1],
            "30/1", 6, matcher), 0);
    g_free (matcher);
  }
}

/* With the confidence as an output, too, which a GPU keeps, and again after
 * another start. */
TEST (test_with_confidence)
{
  GstElement *pipeline = pipeline_new (SCENE "num-buffers=6 pattern=thin "
      "view=right ! " SIZE "1/1 ! m.sink_left  " SCENE "num-buffers=6 "
      "pattern=thin ! " SIZE "1/1 ! m.sink_right  stereosgm name=m " MATCHER
      "  m.src ! queue ! fakesink  m.src_confidence ! queue ! fakesink");
  GstBus *bus = gst_element_get_bus (pipeline);
  const gboolean on_gpu = strcmp (test_backend (), "cuda") == 0;

  for (guint round = 0; round < 2 && !on_gpu; round++) {
    GstMessage *message;

    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    message = gst_bus_timed_pop_filtered (bus, PATIENCE,
        GST_MESSAGE_WARNING | GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
    fail_unless (message != NULL);
    fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_WARNING);
    gst_message_unref (message);
    set_state (pipeline, GST_STATE_NULL);
  }
  gst_object_unref (bus);
  pipeline_free (pipeline);
}

CHECK_MAIN ("stereo-diagnosis")
