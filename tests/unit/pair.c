/* gst-stereomatching: tests of the pairing decision
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "aggregate/gststereopair.h"
#include "base/gststereogap.h"
#include "test.h"

#include <math.h>

#define NONE GST_CLOCK_TIME_NONE
#define LAST (GST_CLOCK_TIME_NONE - 1)

typedef struct
{
  const char *what;
  GstStereoHead left, right;
  GstClockTime tolerance;
  GstStereoPairing expected;
} Row;

#define TAKE GST_STEREO_PAIR_TAKE
#define LEFT GST_STEREO_PAIR_DROP_LEFT
#define RIGHT GST_STEREO_PAIR_DROP_RIGHT
#define BOTH GST_STEREO_PAIR_DROP_BOTH

static const char *const names[] = {
  [GST_STEREO_PAIR_TAKE] = "take",
  [GST_STEREO_PAIR_DROP_LEFT] = "drop left",
  [GST_STEREO_PAIR_DROP_RIGHT] = "drop right",
  [GST_STEREO_PAIR_DROP_BOTH] = "drop both",
  [GST_STEREO_PAIR_NO_TIME_LEFT] = "no time left",
  [GST_STEREO_PAIR_NO_TIME_RIGHT] = "no time right",
};

static void
check_row (const Row * row)
{
  GstStereoPairing got = gst_stereo_pair (&row->left, &row->right,
      row->tolerance);

  if (got != row->expected) {
    fprintf (stderr, "%s: %s, not %s\n", row->what, names[got],
        names[row->expected]);
    CHECK (!"as expected");
  }
}

/* The same with the views exchanged. */
static void
check_mirrored (const Row * row)
{
  static const GstStereoPairing mirror[] = {
    [GST_STEREO_PAIR_TAKE] = GST_STEREO_PAIR_TAKE,
    [GST_STEREO_PAIR_DROP_LEFT] = GST_STEREO_PAIR_DROP_RIGHT,
    [GST_STEREO_PAIR_DROP_RIGHT] = GST_STEREO_PAIR_DROP_LEFT,
    [GST_STEREO_PAIR_DROP_BOTH] = GST_STEREO_PAIR_DROP_BOTH,
    [GST_STEREO_PAIR_NO_TIME_LEFT] = GST_STEREO_PAIR_NO_TIME_RIGHT,
    [GST_STEREO_PAIR_NO_TIME_RIGHT] = GST_STEREO_PAIR_NO_TIME_LEFT,
  };
  Row other = *row;
  char what[128];

  snprintf (what, sizeof (what), "%s, mirrored", row->what);
  other.what = what;
  other.left = row->right;
  other.right = row->left;
  other.expected = mirror[row->expected];
  check_row (&other);
}

static void
check_rows (const Row * rows, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    check_row (&rows[i]);
    check_mirrored (&rows[i]);
  }
}

#define CHECK_ROWS(rows) check_rows (rows, sizeof (rows) / sizeof (rows[0]))

TEST (test_images)
{
  static const Row rows[] = {
    {"equal", {100, 10, FALSE}, {100, 10, FALSE}, 5, TAKE},
    {"equal, no tolerance", {100, 10, FALSE}, {100, 10, FALSE}, 0, TAKE},
    {"both at zero", {0, 10, FALSE}, {0, 10, FALSE}, 0, TAKE},
    {"within", {100, 10, FALSE}, {103, 10, FALSE}, 5, TAKE},
    {"at the edge", {100, 10, FALSE}, {105, 10, FALSE}, 5, TAKE},
    {"past the edge", {100, 10, FALSE}, {106, 10, FALSE}, 5, LEFT},
    {"one off, no tolerance", {100, 10, FALSE}, {101, 10, FALSE}, 0, LEFT},
    {"zero and past the edge", {0, 10, FALSE}, {6, 10, FALSE}, 5, LEFT},
    {"durations do not count", {100, 1000, FALSE}, {106, 1, FALSE}, 5, LEFT},
    {"durations unknown", {100, NONE, FALSE}, {105, NONE, FALSE}, 5, TAKE},
    {"durations unknown, older", {100, NONE, FALSE}, {106, NONE, FALSE}, 5,
        LEFT},
    {"one duration unknown", {100, NONE, FALSE}, {106, 3, FALSE}, 5, LEFT},
  };

  CHECK_ROWS (rows);
}

TEST (test_without_time)
{
  static const Row rows[] = {
    {"no times", {NONE, NONE, FALSE}, {NONE, NONE, FALSE}, 5, TAKE},
    {"no times, durations", {NONE, 10, FALSE}, {NONE, 20, FALSE}, 0, TAKE},
    {"left only", {100, 10, FALSE}, {NONE, NONE, FALSE}, 5,
        GST_STEREO_PAIR_NO_TIME_RIGHT},
    {"left only, at zero", {0, 10, FALSE}, {NONE, 10, FALSE}, NONE,
        GST_STEREO_PAIR_NO_TIME_RIGHT},
    {"a gap without time", {NONE, NONE, TRUE}, {NONE, NONE, FALSE}, 5, LEFT},
    {"a gap without time, the other has one", {NONE, NONE, TRUE},
          {100, 10, FALSE}, 5, LEFT},
    {"a gap with time, the other has none", {100, 10, TRUE},
          {NONE, NONE, FALSE}, 5, LEFT},
    {"gaps without time", {NONE, NONE, TRUE}, {NONE, NONE, TRUE}, 5, BOTH},
    {"gaps, one without time", {NONE, NONE, TRUE}, {100, 10, TRUE}, 5, BOTH},
  };

  CHECK_ROWS (rows);
}

TEST (test_gaps)
{
  static const Row rows[] = {
    {"image long before", {50, 10, FALSE}, {100, 30, TRUE}, 5, LEFT},
    {"image at the beginning", {100, 10, FALSE}, {100, 30, TRUE}, 5, LEFT},
    {"image just before", {96, 10, FALSE}, {100, 30, TRUE}, 5, LEFT},
    {"image inside", {110, 10, FALSE}, {100, 30, TRUE}, 5, LEFT},
    {"image within tolerance of the end", {126, 10, FALSE}, {100, 30, TRUE}, 5,
        RIGHT},
    {"image a tolerance before the end", {125, 10, FALSE}, {100, 30, TRUE}, 5,
        LEFT},
    {"image at the end", {130, 10, FALSE}, {100, 30, TRUE}, 5, RIGHT},
    {"image past it", {200, 10, FALSE}, {100, 30, TRUE}, 5, RIGHT},
    {"short gap, image at its beginning", {100, 10, FALSE}, {100, 3, TRUE}, 5,
        LEFT},
    {"empty gap, image there", {100, 10, FALSE}, {100, 0, TRUE}, 5, RIGHT},
    {"gap of unknown duration, image there", {100, 10, FALSE},
          {100, NONE, TRUE}, 5, LEFT},
    {"gap of unknown duration, image at the edge", {105, 10, FALSE},
          {100, NONE, TRUE}, 5, LEFT},
    {"gap of unknown duration, image past it", {106, 10, FALSE},
          {100, NONE, TRUE}, 5, RIGHT},
    {"gap of unknown duration, image before", {90, 10, FALSE},
          {100, NONE, TRUE}, 5, LEFT},
    {"gaps, equal", {100, 10, TRUE}, {100, 10, TRUE}, 5, BOTH},
    {"gaps, same end", {90, 20, TRUE}, {100, 10, TRUE}, 5, BOTH},
    {"gaps, left ends first", {100, 10, TRUE}, {100, 11, TRUE}, 5, LEFT},
    {"gaps of unknown duration", {100, NONE, TRUE}, {101, NONE, TRUE}, 5,
        LEFT},
  };

  CHECK_ROWS (rows);
}

TEST (test_huge_times)
{
  static const Row rows[] = {
    {"the last time there is", {LAST, 10, FALSE}, {LAST, 10, FALSE}, 5, TAKE},
    {"the first and the last", {0, 10, FALSE}, {LAST, 10, FALSE}, 5, LEFT},
    {"a tolerance that takes all", {0, 10, FALSE}, {LAST, 10, FALSE}, LAST,
        TAKE},
    {"at the edge of the last", {LAST - 5, 10, FALSE}, {LAST, 10, FALSE}, 5,
        TAKE},
    {"past the edge of the last", {LAST - 6, 10, FALSE}, {LAST, 10, FALSE}, 5,
        LEFT},
    {"an image before a gap that never ends", {50, 10, FALSE},
          {100, LAST, TRUE}, 5, LEFT},
    {"an image inside a gap that never ends", {200, 10, FALSE},
          {100, LAST, TRUE}, 5, LEFT},
    {"an image inside a gap near the end of time", {LAST - 50, 10, FALSE},
          {LAST - 100, 1000, TRUE}, 5, LEFT},
    {"gaps past the end of time", {LAST - 100, 1000, TRUE},
          {LAST - 50, 1000, TRUE}, 5, BOTH},
    {"a gap, and one that never ends", {200, 10, TRUE}, {100, LAST, TRUE}, 5,
        LEFT},
  };

  CHECK_ROWS (rows);
}

/* Something is always taken or dropped, so that a stream never stops; images
 * of two streams pair up as their times say. */
TEST (test_streams)
{
  static const GstClockTime times[] = { 0, 33, 67, 100, 133, 167, 200, 233 };
  const size_t n = sizeof (times) / sizeof (times[0]);

  /* the right view lacks the images of the set bits, and is 4 late */
  for (unsigned missing = 0; missing < 256; missing++) {
    size_t l = 0, r = 0;
    unsigned paired = 0;

    while (l < n && r < n) {
      GstStereoHead left = { times[l], 33, FALSE };
      GstStereoHead right = { times[r] + 4, 33, FALSE };
      GstStereoPairing pairing;

      if (missing >> r & 1) {
        r++;
        continue;
      }
      pairing = gst_stereo_pair (&left, &right, 16);
      if (pairing == TAKE) {
        CHECK_INT (l, ==, r);
        paired |= 1u << l;
      } else {
        /* the left one, whose partner is missing */
        CHECK_INT (pairing, ==, LEFT);
        CHECK (missing >> l & 1);
      }
      l += pairing != RIGHT;
      r += pairing != LEFT;
    }
    CHECK_INT (paired, ==, ~missing & 255);
  }
}

static void
check_offset (GstClockTime left, GstClockTime right, GstClockTimeDiff offset,
    GstClockTime new_left, GstClockTime new_right)
{
  GstStereoHead a = { left, 10, FALSE }, b = { right, 20, TRUE };

  gst_stereo_offset_right (&a, &b, offset);
  CHECK_INT (a.time, ==, new_left);
  CHECK_INT (b.time, ==, new_right);
  CHECK_INT (a.duration, ==, 10);
  CHECK_INT (b.duration, ==, 20);
}

/* Only the difference counts, and no time falls below 0 or past the last. */
TEST (test_offset)
{
  check_offset (100, 130, 0, 100, 130);
  check_offset (100, 130, 7, 100, 137);
  check_offset (100, 130, -30, 130, 130);
  check_offset (0, 5, -30, 30, 5);
  check_offset (NONE, 5, -30, NONE, 5);
  check_offset (5, NONE, 30, 5, NONE);
  check_offset (LAST - 5, 0, -30, LAST, 0);
  check_offset (0, LAST - 5, G_MAXINT64, 0, LAST);
}

/* Mean and deviation by their definitions. */
TEST (test_differences)
{
  static const gint64 values[] = { 20000000, 20000300, -19999700, 5, 0 };
  const size_t n = sizeof (values) / sizeof (values[0]);
  GstStereoDifferences differences = { 0, };
  gdouble sum = 0, squares = 0;

  CHECK_INT (gst_stereo_differences_mean (&differences), ==, 0);
  CHECK_INT (gst_stereo_differences_deviation (&differences), ==, 0);
  for (size_t i = 0; i < n; i++) {
    gst_stereo_differences_add (&differences, GST_SECOND,
        GST_SECOND + (GstClockTime) values[i], 1.0);
    gst_stereo_differences_add (&differences, NONE, GST_SECOND, 1.0);
    gst_stereo_differences_add (&differences, GST_SECOND, NONE, 1.0);
    sum += (gdouble) values[i];
  }
  for (size_t i = 0; i < n; i++)
    squares += pow ((gdouble) values[i] - sum / n, 2);
  CHECK_INT (gst_stereo_differences_mean (&differences), ==,
      (gint64) rint (sum / n));
  CHECK_INT (gst_stereo_differences_deviation (&differences), ==,
      (gint64) rint (sqrt (squares / n)));
}

TEST (test_scale)
{
  const GstClockTime largest = G_MAXINT64;
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  CHECK_INT (gst_stereo_scale_time (&segment, NONE - 1), ==, NONE - 1);
  CHECK_INT (gst_stereo_scale_offset (&segment, -30), ==, -30);
  segment.rate = -0.5;
  CHECK_INT (gst_stereo_scale_time (&segment, NONE), ==, NONE);
  CHECK_INT (gst_stereo_scale_time (&segment, 30), ==, 60);
  CHECK_INT (gst_stereo_scale_time (&segment, NONE - 1), ==, largest);
  CHECK_INT (gst_stereo_scale_offset (&segment, 0), ==, 0);
  CHECK_INT (gst_stereo_scale_offset (&segment, 30), ==, -60);
  CHECK_INT (gst_stereo_scale_offset (&segment, -30), ==, 60);
  segment.rate = 2;
  CHECK_INT (gst_stereo_scale_offset (&segment, -30), ==, -15);
}

TEST (test_tolerance)
{
  CHECK_INT (gst_stereo_tolerance (7, 40, 20), ==, 7);
  CHECK_INT (gst_stereo_tolerance (0, 40, 20), ==, 0);
  CHECK_INT (gst_stereo_tolerance (NONE, 40, 20), ==, 10);
  CHECK_INT (gst_stereo_tolerance (NONE, 20, 40), ==, 10);
  CHECK_INT (gst_stereo_tolerance (NONE, NONE, 40), ==, 20);
  CHECK_INT (gst_stereo_tolerance (NONE, NONE, NONE), ==, GST_MSECOND);
}

/* A gap is flagged and has no bytes. */
TEST (test_is_gap)
{
  gst_init (NULL, NULL);
  for (unsigned kind = 0; kind < 4; kind++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, kind & 1, NULL);

    if (kind & 2)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_GAP);
    CHECK (gst_stereo_is_gap (buffer) == (kind == 2));
    gst_buffer_unref (buffer);
  }
}

TEST_MAIN ()
