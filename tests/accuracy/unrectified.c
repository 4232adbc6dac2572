/* gst-stereomatching: raw views of two cameras, as they are
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Matches the raw pairs of a calibration set with stereopyramid: distorted and
 * unrectified views of a chessboard in a dark room.  There is no ground truth.
 * Displacements must be bounded, those of the paper's method smooth, too.  The
 * right view at the displaced positions must be more similar to the left view
 * than at the same positions, and by default more than with the paper's method.
 *
 * Needs the pairs in STEREO_DATASETS and a JPEG decoder; skipped otherwise.
 */

#include "pipeline.h"
#include "test.h"

#include <math.h>

#define PAIRS 14
#define SCALE 64                /* codes for a pixel */
#define MIN_DISPARITY -256
#define NUM_DISPARITIES 512
#define VERTICAL_ZERO 32768
#define PAPER "max-iterations=22 diffusion=5 fine-diffusion=10 " \
    "selection-passes=0 speckle-size=0 refine=none"

static char *
view_file (const char *view, int pair)
{
  return g_strdup_printf ("%s/calibration/%s%02d.jpg",
      getenv ("STEREO_DATASETS"), view, pair);
}

static bool
have_pairs (void)
{
  char *path = view_file ("left", 1);
  GstElementFactory *decoder = gst_element_factory_find ("jpegdec");
  bool have = getenv ("STEREO_DATASETS") != NULL && decoder != NULL
      && g_file_test (path, G_FILE_TEST_EXISTS);

  if (decoder != NULL)
    gst_object_unref (decoder);
  g_free (path);
  return have;
}

static Plane
load_view (const char *view, int pair)
{
  char *path = view_file (view, pair);
  char *description = g_strdup_printf ("filesrc location=%s ! jpegdec ! "
      "videoconvert ! video/x-raw,format=GRAY8 ! appsink name=sink", path);
  Plane plane = plane_from_pipeline (description, 1);

  g_free (description);
  g_free (path);
  return plane;
}

/* In pixels. */
static float *
match (const char *pad, const char *properties, int pair)
{
  bool vertical = strcmp (pad, "src_vertical") == 0;
  char *left = view_file ("left", pair), *right = view_file ("right", pair);
  char *description = g_strdup_printf ("stereopyramid name=m backend=cpu "
      "vertical-search=true lr-max-diff=-1 "
      "disparity-scale=%d min-disparity=%d num-disparities=%d "
      "invalid-value=65535 %s m.%s ! queue ! "
      "video/x-raw,format=GRAY16_LE ! appsink name=sink %s "
      "filesrc location=%s ! jpegdec ! videoconvert ! "
      "video/x-raw,format=GRAY8 ! m.sink_left "
      "filesrc location=%s ! jpegdec ! videoconvert ! "
      "video/x-raw,format=GRAY8 ! m.sink_right", SCALE, MIN_DISPARITY,
      NUM_DISPARITIES, properties, pad,
      vertical ? "m.src ! queue ! fakesink" : "", left, right);
  Plane map = plane_from_pipeline (description, 2);
  int n = map.width * map.height;
  float *found = malloc ((size_t) n * sizeof (*found));

  REQUIRE (found != NULL);
  for (int p = 0; p < n; p++) {
    int code = map.data[2 * p] | map.data[2 * p + 1] << 8;

    found[p] = vertical ? (float) (code - VERTICAL_ZERO) / SCALE
        : (float) code / SCALE + MIN_DISPARITY;
  }
  free (map.data);
  g_free (description);
  g_free (left);
  g_free (right);
  return found;
}

static int
compare (const void *a, const void *b)
{
  float x = *(const float *) a, y = *(const float *) b;

  return (x > y) - (x < y);
}

typedef struct
{
  float lowest, highest;
  float middle, most;           /* differences of neighbours: median, 99.9 % */
} Field;

static Field
describe (const float *map, int width, int height)
{
  int n = 0;
  float *differences = malloc ((size_t) (2 * width * height) * sizeof (float));
  Field field = { map[0], map[0], 0, 0 };

  REQUIRE (differences != NULL);
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) {
      const float *at = map + y * width + x;

      field.lowest = fminf (field.lowest, *at);
      field.highest = fmaxf (field.highest, *at);
      if (x > 0)
        differences[n++] = fabsf (at[0] - at[-1]);
      if (y > 0)
        differences[n++] = fabsf (at[0] - at[-width]);
    }
  }
  qsort (differences, (size_t) n, sizeof (float), compare);
  field.middle = differences[n / 2];
  field.most = differences[(int) (0.999 * n)];
  free (differences);
  return field;
}

/* Mean difference of the left view and the right one at the displacements,
 * without those when dx is NULL, in grey levels. */
static double
difference (const Plane * left, const Plane * right, const float *dx,
    const float *dy)
{
  double sum = 0;

  for (int y = 0; y < left->height; y++) {
    for (int x = 0; x < left->width; x++) {
      int p = y * left->width + x, from_x = x, from_y = y;

      if (dx != NULL) {
        from_x = CLAMP ((int) lroundf ((float) x - dx[p]), 0, left->width - 1);
        from_y = CLAMP ((int) lroundf ((float) y - dy[p]), 0,
            left->height - 1);
      }
      sum += abs (left->data[p] - right->data[from_y * left->width + from_x]);
    }
  }
  return sum / (left->width * left->height);
}

/* Views of 640x480 that are up to 120 pixels apart. */
static void
check_bounds (const Field * across, const Field * along)
{
  CHECK_DOUBLE (across->lowest, >, -160);
  CHECK_DOUBLE (across->highest, <, 160);
  CHECK_DOUBLE (along->lowest, >, -160);
  CHECK_DOUBLE (along->highest, <, 160);
}

static void
check_smooth (const Field * field)
{
  CHECK_DOUBLE (field->middle, <=, 0.25);
  CHECK_DOUBLE (field->most, <=, 2.5);
}

/* Matches a pair, and returns the difference of the views that remains. */
static double
match_pair (int pair, const char *properties, bool smooth,
    const Plane * left, const Plane * right)
{
  float *dx = match ("src", properties, pair);
  float *dy = match ("src_vertical", properties, pair);
  Field across = describe (dx, left->width, left->height);
  Field along = describe (dy, left->width, left->height);
  double remaining = difference (left, right, dx, dy);

  printf ("pair %2d: %6.1f to %5.1f px, neighbours differ by %.3f and at "
      "most %.2f; vertical %6.1f to %5.1f, %.3f, %.2f; matched %.1f\n", pair,
      across.lowest, across.highest, across.middle, across.most, along.lowest,
      along.highest, along.middle, along.most, remaining);
  check_bounds (&across, &along);
  if (smooth) {
    check_smooth (&across);
    check_smooth (&along);
  }
  free (dx);
  free (dy);
  return remaining;
}

TEST (test_raw_pairs)
{
  if (!have_pairs ())
    SKIP ("no calibration pairs; set STEREO_DATASETS");
  for (int pair = 1; pair <= PAIRS; pair++) {
    Plane left = load_view ("left", pair), right = load_view ("right", pair);
    double before = difference (&left, &right, NULL, NULL);
    double paper = match_pair (pair, PAPER, true, &left, &right);
    double after = match_pair (pair, "", false, &left, &right);

    /* not because nothing has moved */
    CHECK_DOUBLE (paper, <, 0.85 * before);
    CHECK_DOUBLE (after, <, 0.7 * before);
    CHECK_DOUBLE (after, <, 0.95 * paper);
    free (left.data);
    free (right.data);
  }
}

/* Such views need the search above and below; without it nothing moves there,
 * and less fits. */
TEST (test_without_vertical_search)
{
  Plane left, right;
  float *dx, *dy, *flat_dx, *flat_dy;
  Field along;

  if (!have_pairs ())
    SKIP ("no calibration pairs; set STEREO_DATASETS");
  left = load_view ("left", 1);
  right = load_view ("right", 1);
  dx = match ("src", "", 1);
  dy = match ("src_vertical", "", 1);
  flat_dx = match ("src", "vertical-search=false", 1);
  flat_dy = match ("src_vertical", "vertical-search=false", 1);
  along = describe (flat_dy, left.width, left.height);
  CHECK_DOUBLE (along.lowest, ==, 0);
  CHECK_DOUBLE (along.highest, ==, 0);
  CHECK_DOUBLE (difference (&left, &right, flat_dx, flat_dy), >,
      1.1 * difference (&left, &right, dx, dy));
  printf ("pair  1 without the vertical search: matched %.1f\n",
      difference (&left, &right, flat_dx, flat_dy));
  free (dx);
  free (dy);
  free (flat_dx);
  free (flat_dy);
  free (left.data);
  free (right.data);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  return test_run (argc, argv);
}
