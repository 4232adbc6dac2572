/* gst-stereomatching: tests of the parts of stereo-tune
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "access.h"
#include "launch_line.h"
#include "message.h"
#include "pictures.h"
#include "pipeline.h"
#include "test.h"

#define MS G_GINT64_CONSTANT (1000)

TEST (test_pipeline_of_two_frames)
{
  TunePipeline pipeline = { 0 };

  CHECK (tune_pipeline_can_send (&pipeline, 1));
  tune_pipeline_send (&pipeline, 1, 0);
  CHECK (tune_pipeline_can_send (&pipeline, 2));
  tune_pipeline_send (&pipeline, 2, 0);
  /* more pictures of these, and none of another */
  CHECK (tune_pipeline_can_send (&pipeline, 1));
  CHECK (tune_pipeline_can_send (&pipeline, 2));
  CHECK (!tune_pipeline_can_send (&pipeline, 3));
  tune_pipeline_acknowledge (&pipeline, 7, 10 * MS);
  CHECK (!tune_pipeline_can_send (&pipeline, 3));
  tune_pipeline_acknowledge (&pipeline, 1, 10 * MS);
  CHECK (tune_pipeline_can_send (&pipeline, 3));
  tune_pipeline_send (&pipeline, 3, 10 * MS);
  /* the last one says that all have come */
  tune_pipeline_acknowledge (&pipeline, 3, 20 * MS);
  CHECK_INT (pipeline.n, ==, 0);
}

/* A page says once that it has shown a frame; more pictures of that one may be
 * on their way. */
TEST (test_pipeline_of_late_pictures)
{
  TunePipeline pipeline = { 0 };

  tune_pipeline_send (&pipeline, 1, 0);
  tune_pipeline_send (&pipeline, 2, 0);
  tune_pipeline_acknowledge (&pipeline, 2, 10 * MS);
  for (guint frame = 1; frame <= 2; frame++) {
    CHECK (tune_pipeline_can_send (&pipeline, frame));
    tune_pipeline_send (&pipeline, frame, 10 * MS);
  }
  CHECK (tune_pipeline_can_send (&pipeline, 3));
  tune_pipeline_send (&pipeline, 3, 20 * MS);
  CHECK (tune_pipeline_can_send (&pipeline, 4));
}

/* Shows n frames, each of which takes so long. */
static void
show_frames (TunePipeline * pipeline, guint n, gint64 time)
{
  for (guint i = 0; i < n; i++) {
    const guint frame = pipeline->shown + 1;

    tune_pipeline_send (pipeline, frame, 0);
    tune_pipeline_acknowledge (pipeline, frame, time);
  }
}

TEST (test_pipeline_of_a_slow_link)
{
  TunePipeline pipeline = { 0 };

  show_frames (&pipeline, 1, 1000 * MS);
  CHECK_INT (pipeline.reduction, ==, 0);
  show_frames (&pipeline, 1, 1000 * MS);
  CHECK_INT (pipeline.reduction, ==, 1);
  show_frames (&pipeline, 100, 1000 * MS);
  CHECK_INT (pipeline.reduction, ==, TUNE_PIPELINE_MAX_REDUCTION);
  show_frames (&pipeline, 1000, 200 * MS);
  CHECK_INT (pipeline.reduction, ==, TUNE_PIPELINE_MAX_REDUCTION);
  show_frames (&pipeline, 1000, 20 * MS);
  CHECK_INT (pipeline.reduction, ==, 0);
}

TEST (test_widths)
{
  CHECK_INT (tune_pictures_width (0, 0), ==, 96);
  CHECK_INT (tune_pictures_width (384, 0), ==, 384);
  CHECK_INT (tune_pictures_width (385, 0), ==, 512);
  CHECK_INT (tune_pictures_width (65535, 0), ==, 2048);
  CHECK_INT (tune_pictures_width (512, 2), ==, 256);
  CHECK_INT (tune_pictures_width (128, 6), ==, 96);
}

TEST (test_hosts)
{
  static const char *const ours[] = { "localhost:80", "127.0.0.1:80",
    "[::1]:80", "192.168.1.2:80", "LocalHost:80"
  };
  static const char *const others[] = { "example:80", "localhost:81", ":80",
    "localhost.:80", "::1:80", "[localhost]:80", "[]:80", "localhost:80:80",
    "localhost", ""
  };
  char text[64];

  for (guint i = 0; i < G_N_ELEMENTS (ours); i++) {
    g_snprintf (text, sizeof (text), "%s80", ours[i]);
    CHECK (tune_access_check_host (text, 8080));
  }
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    CHECK (!tune_access_check_host (others[i], 8080));
  CHECK (!tune_access_check_host (NULL, 8080));
  CHECK (tune_access_check_host ("localhost", 80));
  CHECK (tune_access_check_origin ("http://localhost:8080",
          "localhost:8080", TRUE));
  CHECK (!tune_access_check_origin ("https://localhost:8080",
          "localhost:8080", TRUE));
  CHECK (!tune_access_check_origin ("http://localhost:8080.x",
          "localhost:8080", TRUE));
  CHECK (!tune_access_check_origin (NULL, "localhost:8080", TRUE));
  CHECK (tune_access_check_origin (NULL, "localhost:8080", FALSE));
}

TEST (test_tokens)
{
  gchar *one = tune_token_new (), *other = tune_token_new ();

  CHECK_INT (strlen (one), ==, 32);
  CHECK (tune_token_is_valid (one));
  CHECK (strcmp (one, other) != 0);
  CHECK (tune_token_equal (one, one));
  CHECK (!tune_token_equal (one, other));
  CHECK (!tune_token_equal (one, ""));
  CHECK (!tune_token_equal (one, NULL));
  CHECK (!tune_token_equal ("abcabc", "abc"));
  CHECK (!tune_token_equal ("abc", "abcabc"));
  CHECK (!tune_token_is_valid ("short"));
  CHECK (!tune_token_is_valid ("with a blank"));
  CHECK (!tune_token_is_valid ("line\nline\nline"));
  g_free (one);
  g_free (other);
}

static void
check_line (const char *from, const char *to)
{
  gchar *line = tune_launch_line_quote (from);

  CHECK_STRING (line, to);
  g_free (line);
}

TEST (test_lines)
{
  check_line ("a  !\n b x=1", "a ! b x=1");
  check_line ("filesrc location=/a/b/c.png", "filesrc location=c.png");
  check_line ("filesrc location=\"/a b/c d.png\"",
      "filesrc 'location=\"c d.png\"'");
  check_line ("a ; rm -rf x", "a ';' rm -rf x");
  check_line ("caps=\"video/x-raw, format=(string)RGB\"",
      "'caps=\"video/x-raw, format=(string)RGB\"'");
  check_line ("$(x) `y`", "'$(x)' '`y`'");
  check_line ("a\\ b", "'a\\ b'");
  check_line ("", "");
}

/* What is wrong with a message. */
static void
check_wrong (const char *text, const char *part)
{
  gchar *why = NULL;
  TuneMessage message;

  CHECK (!tune_message_parse (&message, text, strlen (text), &why));
  CHECK (message.root == NULL);
  CHECK_CONTAINS (why != NULL ? why : "", part);
  g_free (why);
}

TEST (test_messages)
{
  static const char good[] = "{\"type\": \"want\", \"views\": [\"left\","
      " \"wrong\"], \"width\": 200.7}";
  gchar *why = NULL;
  TuneMessage message;

  CHECK (tune_message_parse (&message, good, strlen (good), &why));
  CHECK_INT (message.type, ==, TUNE_WANT);
  CHECK_INT (message.views, ==, 1u << TUNE_VIEW_LEFT | 1u << TUNE_VIEW_WRONG);
  CHECK_INT (message.width, ==, 200);
  tune_message_clear (&message);
  check_wrong ("", "JSON");
  check_wrong ("\xff", "text");
  check_wrong ("{\"type\": 1}", "one of set, reset");
  check_wrong ("{\"type\": \"step\"", "JSON");
  check_wrong ("{\"type\": \"pause\"}", "\"on\"");
  check_wrong ("{\"type\": \"pause\", \"on\": 1}", "true or false");
  check_wrong ("{\"type\": \"ack\", \"frame\": 4294967296}", "frame");
  check_wrong ("{\"type\": \"line\", \"side\": \"A\"}", "\"a\" or \"b\"");
  check_wrong ("{\"type\": \"want\", \"views\": \"left\", \"width\": 1}",
      "views");
}

TEST_MAIN ()
