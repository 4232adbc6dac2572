/* gst-stereomatching: tests of the property weights
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "../stereocheck.h"

#include <glib/gstdio.h>
#include <string.h>

#define LEARNED VCBW "cost=learned "

static gchar *file;

/* Writes a network of as many h_j as bits; negative: without its last row. */
static void
write_network (gint n)
{
  GString *text = g_string_new ("# a network\n");
  gint fd;

  for (gint layer = 0; layer < 2; layer++) {
    g_string_append_printf (text, "layer 1 1 24 24 6\n");
    for (gint row = 0; row < 24; row++) {
      if (n < 0 && layer == 1 && row == 23)
        break;
      g_string_append_printf (text, "%d", ABS (n));
      for (gint i = 0; i < 24; i++)
        g_string_append_printf (text, " %d", i != row ? 0 : layer ? 1 : -64);
      g_string_append_c (text, '\n');
    }
  }
  if (file == NULL) {
    fd = g_file_open_tmp ("stereo-weights-XXXXXX", &file, NULL);
    fail_unless (fd >= 0);
    g_close (fd, NULL);
  }
  fail_unless (g_file_set_contents (file, text->str, (gssize) text->len,
          NULL));
  g_string_free (text, TRUE);
}

static void
drop_file (void)
{
  g_remove (file);
  g_clear_pointer (&file, g_free);
}

/* The field weights of a map, or 0. */
static guint
weights_of (Rig * rig)
{
  GstBuffer *map = rig_match (rig, gray_image (WIDTH, HEIGHT, 0),
      gray_image (WIDTH, HEIGHT, 0));
  guint weights = 0;

  gst_structure_get_uint (disparity_meta_of (map), "weights", &weights);
  gst_buffer_unref (map);
  return weights;
}

/* Maps say which network made them, and so do tags. */
TEST (test_metadata)
{
  guint found[3];

  for (gint i = 0; i < 3; i++) {
    Rig rig;
    GstEvent *event;
    gchar *launch, *comment, *expected;
    GstTagList *tags;

    write_network (i);
    launch = g_strdup_printf (LEARNED "%s%s", i > 0 ? "weights=" : "",
        i > 0 ? file : "");
    rig_open_with_caps (&rig, launch, CAPS, CAPS);
    found[i] = weights_of (&rig);
    fail_unless (found[i] != 0);
    event = rig_wait_event (&rig, GST_EVENT_TAG);
    gst_event_parse_tag (event, &tags);
    fail_unless (gst_tag_list_get_string (tags, GST_TAG_COMMENT, &comment));
    expected = g_strdup_printf ("weights=(uint)%u", found[i]);
    fail_unless (strstr (comment, expected) != NULL, "%s", comment);
    g_free (expected);
    g_free (comment);
    gst_event_unref (event);

    g_object_set (rig.element, "cost", 0, NULL);
    fail_unless_equals_int (weights_of (&rig), 0);
    rig_expect_no_error (&rig);
    rig_close (&rig);
    g_free (launch);
    drop_file ();
  }
  fail_unless (found[0] != found[1] && found[1] != found[2]
      && found[0] != found[2]);
}

/* The property is read when the element starts. */
TEST (test_restart)
{
  GstElement *element = gst_element_factory_make ("stereosgm", NULL);
  gchar *value;

  write_network (1);
  g_object_get (element, "weights", &value, NULL);
  fail_unless (value == NULL);
  g_object_set (element, "weights", "/nonexistent", NULL);
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED),
      GST_STATE_CHANGE_FAILURE);
  g_object_set (element, "weights", file, NULL);
  g_object_get (element, "weights", &value, NULL);
  fail_unless_equals_string (value, file);
  g_free (value);
  fail_unless (gst_element_set_state (element, GST_STATE_NULL)
      != GST_STATE_CHANGE_FAILURE);
  fail_unless (gst_element_set_state (element, GST_STATE_PAUSED)
      != GST_STATE_CHANGE_FAILURE);
  set_state (element, GST_STATE_NULL);
  gst_object_unref (element);
  drop_file ();
}

/* A matcher that cannot start, and the only error that it posts. */
static void
expect_error (const gchar * weights, gint code, const gchar * text,
    const gchar * more)
{
  GstElement *element = gst_element_factory_make ("stereosgm", "matcher");
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  GError *error;

  gst_element_set_bus (element, bus);
  g_object_set (element, "weights", weights, NULL);
  gst_util_set_object_arg (G_OBJECT (element), "cost", "learned");
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED),
      GST_STATE_CHANGE_FAILURE);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, code), "%s",
      error->message);
  fail_unless (strstr (error->message, text) != NULL, "%s", error->message);
  fail_unless (strstr (error->message, more) != NULL, "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR) == NULL);
  set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  gst_object_unref (element);
}

TEST (test_missing_file)
{
  expect_error ("/nonexistent/weights.txt", GST_RESOURCE_ERROR_OPEN_READ,
      "Cannot use the weights: ", "/nonexistent/weights.txt");
}

TEST (test_bad_file)
{
  write_network (-1);
  expect_error (file, GST_RESOURCE_ERROR_SETTINGS, file,
      ": line 51: expected a row of weights, got the end of the file. ");
  drop_file ();
}

CHECK_MAIN ("stereo-weights")
