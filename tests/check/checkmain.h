/* gst-stereomatching: test cases that register themselves
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_CHECK_MAIN_H
#define STEREO_CHECK_MAIN_H

#include "base/gststereocompat.h"

#include <gst/check/gstcheck.h>

/*
 * A test, as between GST_START_TEST() and GST_END_TEST, which CHECK_MAIN() runs
 * in the order of the file:
 *
 *   TEST (test_something)
 *   {
 *   }
 *
 * LOOP_TEST() runs it for __i__ from first to end - 1.
 */
#define TEST(name) LOOP_TEST (name, 0, 1)
#define LOOP_TEST(name, first, end) \
  static void name##_body (int __i__); \
  GST_START_TEST (name) \
  { \
    name##_body (__i__); \
  } \
  GST_END_TEST; \
  static void name##_add (TCase * tc) \
  { \
    tcase_add_loop_test (tc, name, first, end); \
  } \
  __attribute__ ((constructor)) static void name##_register (void) \
  { \
    check_register (name##_add); \
  } \
  static void name##_body (int G_GNUC_UNUSED __i__)

#define CHECK_MAIN(name) CHECK_MAIN_FIXTURE (name, NULL, NULL)

/* CHECK_MAIN() with a fixture: functions to run before and after each test, or
 * NULL. */
#define CHECK_MAIN_FIXTURE(name, setup, teardown) \
  int main (int argc, char **argv) \
  { \
    gst_check_init (&argc, &argv); \
    return check_run (name, __FILE__, setup, teardown); \
  }

typedef void (*CheckAddTest) (TCase * tc);

void check_register (CheckAddTest add);
int check_run (const gchar * name, const gchar * file, SFun setup,
    SFun teardown);

/* Timeout of everything that is expected to happen: less than that of a test,
 * which is longer with sanitizers. */
#define PATIENCE (get_patience ())
GstClockTime get_patience (void);

/* Fails unless the next error on the bus, posted within timeout, contains
 * text. */
void bus_expect_error (GstBus * bus, GstClockTime timeout,
    const gchar * text);

/* Fails unless two buffers have the same bytes.  Takes ownership of both. */
void check_equal (GstBuffer * a, GstBuffer * b);

/* The contents of a custom meta, or NULL. */
GstStructure *custom_meta_of (GstBuffer * buffer, const gchar * name);

/* FALSE if GStreamer has no such element in an emulated build; fails in others
 * without it. */
gboolean check_has_element (const gchar * name);

/* For gst_mini_object_weak_ref(): increments a gint counter. */
void count_freed (gpointer counter, GstMiniObject * object);

#endif /* STEREO_CHECK_MAIN_H */
