/* gst-stereomatching: tests of the alignment of a pair
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "camerarig.h"
#include "geometry/align-model.h"
#include "test.h"

#define MAX_MATCHES 600

static const CameraRig ideal = {
  .width = 1280,.height = 720,.focal_length = 1152,.zoom = {1, 1}
};

static const CameraScene usual = {
  .n = 300,.noise = 0.07,.min_disparity = 4,.max_disparity = 80,.seed = 7
};

static StereoAlignment *
new_alignment (void)
{
  StereoAlignment *alignment = NULL;

  REQUIRE (stereo_alignment_new (&alignment, NULL) == STEREO_OK);
  return alignment;
}

/* Measures the matches of a rig. */
static StereoAlignment *
measure (const CameraRig * rig, CameraScene scene,
    StereoAlignmentReport * report)
{
  StereoAlignment *alignment = new_alignment ();
  StereoRowMatch matches[MAX_MATCHES];

  rig_match (rig, NULL, &scene, matches);
  REQUIRE (stereo_alignment_add (alignment, rig->width, rig->height, matches,
          (size_t) scene.n, NULL, NAN, NULL) == STEREO_OK);
  report->struct_size = sizeof (*report);
  stereo_alignment_get_report (alignment, report);
  return alignment;
}

/* Rows that the correction leaves, exceeded in 5 % of the image. */
static double
left_over (const CameraRig * rig, const CameraScene * scene,
    StereoAlignmentReport * report)
{
  SCOPED (stereo_alignment_free) StereoAlignment *alignment
      = measure (rig, *scene, report);
  StereoCorrection correction;

  stereo_alignment_get_correction (alignment, &correction);
  return rig_rows_95 (rig, &correction, scene->min_disparity,
      scene->max_disparity);
}

/* ---------------------------------------------------------------- arguments */

TEST (test_invalid_arguments)
{
  SCOPED (stereo_alignment_free) StereoAlignment *alignment = new_alignment ();
  const StereoCorrection other = {.width = 64,.height = 48,.focal_length = 60 };
  StereoAlignmentReport report = {.struct_size = 0,.n_matches = 7 };
  StereoCorrection large = other;
  StereoMessage why = { "" };

  stereo_alignment_get_report (alignment, &report);
  CHECK_INT (report.n_matches, ==, 7);
  CHECK (stereo_alignment_new (NULL, &why) == STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (why.text, "NULL");
  CHECK (stereo_alignment_set_focal_length (NULL, 1, NULL)
      == STEREO_ERROR_ARGUMENT);
  CHECK (stereo_alignment_set_focal_length (alignment, -1, &why)
      == STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (why.text, "-1");
  CHECK (stereo_alignment_set_focal_length (alignment, NAN, NULL)
      == STEREO_ERROR_ARGUMENT);
  CHECK (stereo_alignment_set_focal_length (alignment, INFINITY, NULL)
      == STEREO_ERROR_ARGUMENT);
  CHECK (stereo_alignment_set_correction (NULL, &other, NULL)
      == STEREO_ERROR_ARGUMENT);
  CHECK (stereo_alignment_set_correction (alignment, NULL, &why)
      == STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (why.text, "correction is NULL");
  large.width = STEREO_MAX_SIZE + 1;
  CHECK (stereo_alignment_set_correction (alignment, &large, &why)
      == STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (why.text, "16385x48");
}

/* Measuring fails with a focal length that no camera of this width has, such as
 * one in millimetres. */
TEST (test_focal_length_of_width)
{
  static const struct
  {
    double focal_length;
    bool fits;
  } cases[] = { {4, false}, {63.9, false}, {64, true}, {64000, true},
    {64001, false}, {1e-300, false}, {0, true}
  };
  SCOPED (stereo_alignment_free) StereoAlignment *alignment = new_alignment ();
  StereoMessage why = { "" };

  for (size_t i = 0; i < sizeof (cases) / sizeof (cases[0]); i++) {
    CHECK (stereo_alignment_set_focal_length (alignment, cases[i].focal_length,
            &why) == STEREO_OK);
    CHECK (stereo_alignment_add (alignment, 640, 480, NULL, 0, NULL, NAN, &why)
        == (cases[i].fits ? STEREO_OK : STEREO_ERROR_ARGUMENT));
    if (!cases[i].fits)
      CHECK_CONTAINS (why.text, "expected 64 to 64000");
  }
}

TEST (test_invalid_matches)
{
  static const int sizes[][2] = { {0, 48}, {64, 0}, {STEREO_MAX_SIZE + 1, 48},
    {64, STEREO_MAX_SIZE + 1}
  };
  SCOPED (stereo_alignment_free) StereoAlignment *alignment = new_alignment ();
  const StereoCorrection other = {.width = 64,.height = 48,.focal_length = 60 };
  StereoCorrection none = { 0 };
  StereoMessage why = { "" };

  CHECK (stereo_alignment_add (NULL, 64, 48, NULL, 0, NULL, NAN, NULL)
      == STEREO_ERROR_ARGUMENT);
  CHECK (stereo_alignment_add (alignment, 64, 48, NULL, 1, NULL, NAN, &why)
      == STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (why.text, "matches is NULL");
  for (size_t i = 0; i < sizeof (sizes) / sizeof (sizes[0]); i++) {
    CHECK (stereo_alignment_add (alignment, sizes[i][0], sizes[i][1], NULL, 0,
            NULL, NAN, &why) == STEREO_ERROR_ARGUMENT);
    CHECK_CONTAINS (why.text, "from 1 to 16384");
  }
  CHECK (stereo_alignment_add (alignment, 64, 47, NULL, 0, &other, NAN, &why)
      == STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (why.text, "a correction of 64x48 for views of 64x47");
  none.width = 64;
  none.height = 48;
  CHECK (stereo_alignment_add (alignment, 64, 48, NULL, 0, &none, NAN, &why)
      == STEREO_ERROR_ARGUMENT);
}

static uint8_t black_pixels[128 * 96];
static const StereoImage black = {
  .format = STEREO_FORMAT_GRAY8,.width = 128,.height = 96,
  .plane = {black_pixels},.stride = {128}
};

/* It stands for no change: it has no size yet, but can be applied. */
TEST (test_correction_before_the_first_pair)
{
  SCOPED (stereo_alignment_free) StereoAlignment *alignment = new_alignment ();
  SCOPED (stereo_device_unref) StereoDevice *device = NULL;
  StereoCorrection correction;
  double x = 0, y = 0;

  stereo_alignment_get_correction (alignment, &correction);
  for (int right = 0; right < 2; right++) {
    stereo_correction_source (&correction, right == 1, 5, 6.5, &x, &y);
    CHECK_DOUBLE (x, ==, 5);
    CHECK_DOUBLE (y, ==, 6.5);
  }
  REQUIRE (stereo_device_new_cpu (1, STEREO_SIMD_AUTO, &device, NULL)
      == STEREO_OK);
  CHECK (stereo_alignment_measure (alignment, device, &black, &black,
          &correction, NAN, NULL) == STEREO_OK);

  /* values need a size */
  correction = (StereoCorrection) {.values = {0.01} };
  CHECK (stereo_alignment_measure (alignment, device, &black, &black,
          &correction, NAN, NULL) == STEREO_ERROR_ARGUMENT);
}

/* Views that cannot be measured. */
TEST (test_invalid_views)
{
  SCOPED (stereo_alignment_free) StereoAlignment *alignment = new_alignment ();
  SCOPED (stereo_device_unref) StereoDevice *device = NULL;
  StereoImage other = black;
  StereoMessage why = { "" };

  REQUIRE (stereo_device_new_cpu (1, STEREO_SIMD_AUTO, &device, NULL)
      == STEREO_OK);
  CHECK (stereo_alignment_measure (alignment, NULL, &black, &black, NULL, NAN,
          NULL) == STEREO_ERROR_ARGUMENT);
  CHECK (stereo_alignment_measure (alignment, device, &black, NULL, NULL, NAN,
          &why) == STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (why.text, "NULL");
  other.format = (StereoFormat) 999;
  CHECK (stereo_alignment_measure (alignment, device, &black, &other, NULL,
          NAN, &why) == STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (why.text, "unknown format");
  other.format = black.format;
  other.height = 95;
  CHECK (stereo_alignment_measure (alignment, device, &black, &other, NULL,
          NAN, &why) == STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (why.text, "128x95");
}

/* --------------------------------------------------------------------- fits */

/* Each way in which cameras differ, alone. */
static const struct
{
  double turn[3];
  double zoom;
  double offset;
  double k1;
} differences[] = {
  {.turn = {0.01, 0, 0}},
  {.turn = {0, 0.02, 0}},
  {.turn = {0, 0, 0.03}},
  {.turn = {0, 0, -0.005}},
  {.zoom = 0.015},
  {.offset = 5},
  {.k1 = 0.03},
  {.turn = {0.015, -0.012, 0.02},.zoom = -0.01,.offset = -4,.k1 = 0.015},
};

#define N_DIFFERENCES (sizeof (differences) / sizeof (differences[0]))

static CameraRig
make_rig (size_t i, double common)
{
  CameraRig rig = ideal;

  for (int view = 0; view < 2; view++) {
    const double side = view == 0 ? -0.5 : 0.5;

    for (int k = 0; k < 3; k++)
      rig.turn[view][k] = side * differences[i].turn[k];
    rig.turn[view][1] += 0.4 * common;
    rig.turn[view][2] += common;
    rig.zoom[view] = exp (side * differences[i].zoom);
    rig.offset[view] = side * differences[i].offset;
    rig.k1[view] = side * differences[i].k1 + 3 * common;
  }
  return rig;
}

TEST (test_each_difference_is_corrected)
{
  for (size_t i = 0; i < N_DIFFERENCES; i++) {
    const CameraRig rig = make_rig (i, 0);
    StereoAlignmentReport report;
    const StereoCorrection none = {.width = rig.width,.height = rig.height,
      .focal_length = rig.focal_length
    };
    const double before = rig_rows_95 (&rig, &none, 4, 80);

    CHECK_DOUBLE (before, >, 1);
    CHECK_DOUBLE (left_over (&rig, &usual, &report), <, 0.1);
    CHECK_STRING (stereo_alignment_status_name (report.status), "off");
    CHECK_DOUBLE (fabs (report.rows_95 - before), <, 0.2 * before);
    CHECK_DOUBLE (report.rows_sigma, <, 0.2);
    CHECK_CONTAINS (report.text, "Rows are off by");
  }
}

/* A known focal length says nothing of a correction with another one. */
TEST (test_focal_length_of_a_correction)
{
  const CameraRig rig = make_rig (0, 0);
  const StereoCorrection earlier = {.width = rig.width,.height = rig.height,
    .focal_length = 0.6 * rig.focal_length,
    .values = {[STEREO_CORRECTION_PITCH] = 0.001}
  };
  static const double known[] = { 0, 1152 };
  StereoRowMatch matches[MAX_MATCHES];
  char text[2][STEREO_CORRECTION_TEXT_SIZE];

  for (int i = 0; i < 2; i++) {
    SCOPED (stereo_alignment_free) StereoAlignment *alignment
        = new_alignment ();
    CameraScene scene = usual;
    StereoCorrection correction;

    REQUIRE (stereo_alignment_set_focal_length (alignment, known[i], NULL)
        == STEREO_OK);
    REQUIRE (stereo_alignment_set_correction (alignment, &earlier, NULL)
        == STEREO_OK);
    for (int pair = 0; pair < 3; pair++) {
      rig_match (&rig, NULL, &scene, matches);
      REQUIRE (stereo_alignment_add (alignment, rig.width, rig.height, matches,
              (size_t) scene.n, NULL, NAN, NULL) == STEREO_OK);
    }
    stereo_alignment_get_correction (alignment, &correction);
    stereo_correction_format (&correction, text[i]);
  }
  CHECK_STRING (text[1], text[0]);
}

/* After a reset, the focal length is that of a new alignment. */
TEST (test_reset_forgets_the_focal_length_of_a_correction)
{
  const CameraRig rig = make_rig (3, 0);
  const StereoCorrection earlier = {.width = rig.width,.height = rig.height,
    .focal_length = 0.6 * rig.focal_length,
    .values = {[STEREO_CORRECTION_PITCH] = 0.001}
  };
  static const double known[] = { 0, 1152 };
  StereoRowMatch matches[MAX_MATCHES];

  for (int i = 0; i < 4; i++) {
    SCOPED (stereo_alignment_free) StereoAlignment *alignment
        = new_alignment ();
    CameraScene scene = usual;
    StereoCorrection correction;

    REQUIRE (stereo_alignment_set_focal_length (alignment, known[i / 2], NULL)
        == STEREO_OK);
    if (i % 2 == 1) {
      REQUIRE (stereo_alignment_set_correction (alignment, &earlier, NULL)
          == STEREO_OK);
      stereo_alignment_reset (alignment);
    }
    rig_match (&rig, NULL, &scene, matches);
    REQUIRE (stereo_alignment_add (alignment, rig.width, rig.height, matches,
            (size_t) scene.n, NULL, NAN, NULL) == STEREO_OK);
    stereo_alignment_get_correction (alignment, &correction);
    CHECK_DOUBLE (correction.focal_length, ==, known[i / 2] > 0 ? known[i / 2]
        : 0.9 * rig.width);
    CHECK (correction.serial > 0);
  }
}

TEST (test_what_is_common_is_corrected_too)
{
  for (size_t i = 0; i < N_DIFFERENCES; i++) {
    const CameraRig rig = make_rig (i, 0.01);
    StereoAlignmentReport report;

    CHECK_DOUBLE (left_over (&rig, &usual, &report), <, 0.1);
  }
}

TEST (test_the_report_names_the_difference)
{
  static const char *const causes[] = { "lower", NULL,
    "turned by 1.72 degrees counterclockwise",
    "turned by 0.29 degrees clockwise", "larger", NULL, NULL, NULL
  };
  StereoAlignmentReport report;

  for (size_t i = 0; i < N_DIFFERENCES; i++) {
    const CameraRig rig = make_rig (i, 0);

    (void) left_over (&rig, &usual, &report);
    if (causes[i] != NULL)
      CHECK_CONTAINS (report.text, causes[i]);
  }
  {
    const CameraRig rolled = make_rig (3, 0), larger = make_rig (4, 0);

    (void) left_over (&rolled, &usual, &report);
    CHECK_DOUBLE (fabs (report.roll - 0.2865), <, 0.01);
    CHECK_DOUBLE (fabs (report.zoom), <, 0.001);
    (void) left_over (&larger, &usual, &report);
    CHECK_DOUBLE (fabs (report.zoom - (exp (0.015) - 1)), <, 0.001);
    CHECK_DOUBLE (fabs (report.offset), <, 0.1);
  }
}

TEST (test_most_matches_may_be_wrong)
{
  for (size_t i = 0; i < N_DIFFERENCES; i++) {
    const CameraRig rig = make_rig (i, 0.003);
    StereoAlignmentReport report;
    CameraScene scene = usual;

    scene.n = 400;
    scene.outliers = 0.6;
    CHECK_DOUBLE (left_over (&rig, &scene, &report), <, 0.2);
    CHECK_INT (report.n_fitting, >, 100);
    CHECK_INT (report.n_fitting, <, 220);
  }
}

/* A part of the right view is some rows lower than the rest. */
TEST (test_points_of_two_images)
{
  enum { WIDTH = 320, HEIGHT = 240, SHIFT = 6, ROWS = 2, WRONG_ROWS = 9 };
  static uint8_t scene[HEIGHT + ROWS][WIDTH + SHIFT], right_view[HEIGHT][WIDTH];
  const StereoImage left = {.format = STEREO_FORMAT_GRAY8,.width = WIDTH,
    .height = HEIGHT,.plane = {scene},.stride = {WIDTH + SHIFT}
  };
  const StereoImage right = {.format = STEREO_FORMAT_GRAY8,.width = WIDTH,
    .height = HEIGHT,.plane = {right_view},.stride = {WIDTH}
  };
  SCOPED (stereo_alignment_free) StereoAlignment *alignment = new_alignment ();
  SCOPED (stereo_device_unref) StereoDevice *device = NULL;
  StereoAlignmentReport report = STEREO_ALIGNMENT_REPORT_INIT;
  StereoAlignmentPoint points[MAX_MATCHES] = { {.x = -1} };
  unsigned n_wrong = 0, n_fitting = 0;
  uint64_t seed = 5;
  size_t n;

  for (int y = 0; y < HEIGHT + ROWS; y++) {
    for (int x = 0; x < WIDTH + SHIFT; x++)
      scene[y][x] = x % 4 || y % 4 ? scene[y - y % 4][x - x % 4]
          : (uint8_t) (256 * rig_random (&seed));
  }
  for (int y = 0; y < HEIGHT; y++) {
    for (int x = 0; x < WIDTH; x++)
      right_view[y][x] = scene[x < WIDTH / 4 && y >= WRONG_ROWS
          ? y - WRONG_ROWS : y + ROWS][x + SHIFT];
  }
  CHECK_INT (stereo_alignment_get_points (alignment, points, 1), ==, 0);
  CHECK_DOUBLE (points[0].x, ==, -1);
  REQUIRE (stereo_device_new_cpu (1, STEREO_SIMD_AUTO, &device, NULL)
      == STEREO_OK);
  REQUIRE (stereo_alignment_measure (alignment, device, &left, &right, NULL,
          NAN, NULL) == STEREO_OK);
  stereo_alignment_get_report (alignment, &report);
  n = stereo_alignment_get_points (alignment, points, MAX_MATCHES);
  CHECK_INT (n, ==, report.n_matches);
  REQUIRE (n > 100 && n <= MAX_MATCHES);
  for (size_t i = 0; i < n; i++) {
    const StereoAlignmentPoint *p = &points[i];

    n_fitting += p->fits;
    CHECK (p->x >= 0 && p->x < WIDTH && p->y >= 0 && p->y < HEIGHT);
    if (fabs (p->dx + SHIFT) < 0.3 && fabs (p->dy + ROWS) < 0.3)
      CHECK (p->fits);
    if (fabs (p->dy - WRONG_ROWS) < 0.3) {
      CHECK (!p->fits && p->x < WIDTH / 4 + SHIFT);
      n_wrong++;
    }
  }
  CHECK_INT (n_wrong, >, 10);
  CHECK_INT (n_fitting, ==, report.n_fitting);
  CHECK_INT (n_fitting, >, n / 2);
  points[1].x = -1;
  CHECK_INT (stereo_alignment_get_points (alignment, points, 1), ==, n);
  CHECK_DOUBLE (points[1].x, ==, -1);
  CHECK_INT (stereo_alignment_get_points (alignment, NULL, 0), ==, n);
  stereo_alignment_reset (alignment);
  CHECK_INT (stereo_alignment_get_points (alignment, NULL, 0), ==, 0);
  CHECK_INT (stereo_alignment_get_points (NULL, NULL, 0), ==, 0);
}

TEST (test_too_few_matches_are_unknown)
{
  const CameraRig rig = make_rig (3, 0);

  for (int n = 0; n <= 30; n++) {
    SCOPED (stereo_alignment_free) StereoAlignment *alignment = NULL;
    StereoAlignmentReport report;
    StereoCorrection correction;
    CameraScene scene = usual;

    scene.n = n;
    alignment = measure (&rig, scene, &report);
    stereo_alignment_get_correction (alignment, &correction);
    CHECK_INT (report.n_matches, ==, n);
    if (n < 20) {
      CHECK_STRING (stereo_alignment_status_name (report.status), "unknown");
      CHECK_INT (correction.serial, ==, 0);
    }
    CHECK ((isnan (report.rows_median) != 0) == (n < 12));
    for (int i = 0; i < STEREO_N_CORRECTIONS; i++)
      CHECK (isfinite (correction.values[i]));
  }
}

/* Matches that say nothing about the rest of the image. */
TEST (test_matches_in_a_line)
{
  for (int vertical = 0; vertical < 2; vertical++) {
    SCOPED (stereo_alignment_free) StereoAlignment *alignment
        = new_alignment ();
    StereoAlignmentReport report = STEREO_ALIGNMENT_REPORT_INIT;
    StereoRowMatch matches[100] = { {0} };

    for (int i = 0; i < 100; i++) {
      matches[i].x = vertical ? 600 : 12 * i;
      matches[i].y = vertical ? 7 * i : 350;
      matches[i].dx = -2560;
      matches[i].dy = 512;
      matches[i].variance = 300;
    }
    CHECK (stereo_alignment_add (alignment, 1280, 720, matches, 100, NULL,
            NAN, NULL) == STEREO_OK);
    stereo_alignment_get_report (alignment, &report);
    CHECK_DOUBLE (report.rows_sigma, >, 0.3);
    CHECK (isfinite (report.rows_median));
  }
}

TEST (test_text_of_few_matches)
{
  static const char *const texts[] = {
    "only 0 points of the views match.", "only 1 point of the views matches.",
    "only 2 points of the views match."
  };

  for (unsigned n = 0; n < 3; n++) {
    SCOPED (stereo_alignment_free) StereoAlignment *alignment
        = new_alignment ();
    StereoAlignmentReport report = STEREO_ALIGNMENT_REPORT_INIT;
    StereoRowMatch matches[2] = { {0} };

    CHECK (stereo_alignment_add (alignment, 640, 480, matches, n, NULL, NAN,
            NULL) == STEREO_OK);
    stereo_alignment_get_report (alignment, &report);
    CHECK_CONTAINS (report.text, texts[n]);
  }
}

/* Random points, few of which fit by chance. */
TEST (test_text_of_one_fitting_point)
{
  uint32_t seed = 1;
  int n_single = 0;

  for (int n = 0; n < 100; n++) {
    SCOPED (stereo_alignment_free) StereoAlignment *alignment
        = new_alignment ();
    StereoAlignmentReport report = STEREO_ALIGNMENT_REPORT_INIT;
    StereoRowMatch matches[20] = { {0} };

    for (int i = 0; i < 20; i++) {
      int32_t numbers[4];       /* 0 to 479 */

      for (int j = 0; j < 4; j++) {
        seed = seed * 1664525 + 1013904223;
        numbers[j] = (int32_t) ((seed >> 8) % 480);
      }
      matches[i].x = numbers[0];
      matches[i].y = numbers[1];
      matches[i].dx = (numbers[2] - 240) * 256;
      matches[i].dy = (numbers[3] - 240) * 256;
      matches[i].variance = 1;
    }
    CHECK (stereo_alignment_add (alignment, 640, 480, matches, 20, NULL, NAN,
            NULL) == STEREO_OK);
    stereo_alignment_get_report (alignment, &report);
    if (report.n_fitting != 1)
      continue;
    CHECK_CONTAINS (report.text, "only 1 of 20 matching points fits two cam");
    n_single++;
  }
  CHECK (n_single > 0);
}

TEST (test_equal_matches)
{
  SCOPED (stereo_alignment_free) StereoAlignment *alignment
      = new_alignment ();
  StereoAlignmentReport report = STEREO_ALIGNMENT_REPORT_INIT;
  StereoRowMatch matches[50] = { {0} };

  /* extreme numbers, which must not disturb anything */
  for (int i = 0; i < 50; i++) {
    matches[i].dx = matches[i].dy = INT32_MAX;
    matches[i].variance = INT32_MAX;
    matches[i].x = matches[i].y = INT32_MAX / 256;
  }
  CHECK (stereo_alignment_add (alignment, 640, 480, matches, 50, NULL, NAN,
          NULL) == STEREO_OK);
  stereo_alignment_get_report (alignment, &report);
  CHECK_STRING (stereo_alignment_status_name (report.status), "unknown");
}

/* ----------------------------------------------------------------- verdicts */

TEST (test_ideal_cameras_are_ok)
{
  SCOPED (stereo_alignment_free) StereoAlignment *alignment = NULL;
  StereoAlignmentReport report;
  StereoCorrection correction;

  alignment = measure (&ideal, usual, &report);
  stereo_alignment_get_correction (alignment, &correction);
  CHECK_STRING (stereo_alignment_status_name (report.status), "ok");
  CHECK_DOUBLE (report.rows_95, <, 0.2);
  CHECK_CONTAINS (report.text, "Rows match");
  CHECK_INT (correction.serial, ==, 0);
  CHECK_DOUBLE (report.min_disparity, >, 3);
  CHECK_DOUBLE (report.max_disparity, <, 81);
  CHECK_DOUBLE (report.max_disparity, >, 70);
}

TEST (test_swapped_and_equal_views)
{
  SCOPED (stereo_alignment_free) StereoAlignment *swapped = NULL;
  SCOPED (stereo_alignment_free) StereoAlignment *same = NULL;
  StereoAlignmentReport report;
  CameraScene scene = usual;

  scene.min_disparity = -80;
  scene.max_disparity = -4;
  swapped = measure (&ideal, scene, &report);
  CHECK_STRING (stereo_alignment_status_name (report.status), "swapped");
  CHECK_CONTAINS (report.text, "swapped");
  scene.min_disparity = scene.max_disparity = 0;
  scene.noise = 0.001;
  same = measure (&ideal, scene, &report);
  CHECK_STRING (stereo_alignment_status_name (report.status), "same-view");
}

/* Rows that agree, but badly: each part of the scene has moved on its own. */
TEST (test_views_of_different_times)
{
  SCOPED (stereo_alignment_free) StereoAlignment *alignment = new_alignment ();
  StereoAlignmentReport report = STEREO_ALIGNMENT_REPORT_INIT;
  StereoRowMatch matches[200];
  CameraScene scene = usual;

  scene.n = 200;
  rig_match (&ideal, NULL, &scene, matches);
  for (int i = 0; i < 200; i++)
    matches[i].dy += (int32_t) (256 * 4 * sin (matches[i].x / 90.0)
        * cos (matches[i].y / 70.0));
  REQUIRE (stereo_alignment_add (alignment, ideal.width, ideal.height, matches,
          200, NULL, NAN, NULL) == STEREO_OK);
  stereo_alignment_get_report (alignment, &report);
  CHECK (report.status == STEREO_ALIGNMENT_NOT_IN_STEP
      || report.status == STEREO_ALIGNMENT_UNKNOWN);
}

TEST (test_three_reports_are_an_alarm)
{
  SCOPED (stereo_alignment_free) StereoAlignment *alignment = new_alignment ();
  const CameraRig rig = make_rig (3, 0);
  StereoRowMatch matches[300];
  CameraScene scene = usual;

  for (int i = 1; i <= 4; i++) {
    StereoAlignmentReport report = STEREO_ALIGNMENT_REPORT_INIT;

    CHECK (stereo_alignment_is_urgent (alignment) == (i <= 3));
    rig_match (i < 4 ? &rig : &ideal, NULL, &scene, matches);
    REQUIRE (stereo_alignment_add (alignment, rig.width, rig.height, matches,
            300, NULL, NAN, NULL) == STEREO_OK);
    stereo_alignment_get_report (alignment, &report);
    CHECK_INT (report.alarm, ==, i == 3);
  }
}

/* -------------------------------------------------------------------- model */

TEST (test_derivatives)
{
  static const double steps[STEREO_ALIGN_N] = { 1e-5, 1e-5, 1e-5, 1e-5, 1e-5,
    1e-5, 1e-4, 1e-2, 1e-4, 1e-4
  };
  const StereoAlignViews views = { 1280, 720, 1000 };
  uint64_t seed = 3;

  for (int trial = 0; trial < 50; trial++) {
    const StereoAlignPoint point = { 1279 * rig_random (&seed),
      719 * rig_random (&seed), 1279 * rig_random (&seed),
      719 * rig_random (&seed), 0
    };
    double values[STEREO_ALIGN_N], jacobian[STEREO_ALIGN_N];
    StereoAlignModel model;

    for (int i = 0; i < STEREO_ALIGN_N; i++)
      values[i] = 4000 * steps[i] * (rig_random (&seed) - 0.5)
          * (i < 6 ? 1 : 0.1);
    stereo_align_model_init (&model, &views, values);
    (void) stereo_align_row (&model, &point, jacobian);
    for (int i = 0; i < STEREO_ALIGN_N; i++) {
      double moved[STEREO_ALIGN_N], rows[2];

      for (int k = 0; k < 2; k++) {
        memcpy (moved, values, sizeof (moved));
        moved[i] += k == 0 ? -steps[i] : steps[i];
        stereo_align_model_init (&model, &views, moved);
        rows[k] = stereo_align_row (&model, &point, NULL);
      }
      CHECK_DOUBLE (fabs ((rows[1] - rows[0]) / (2 * steps[i])
              - jacobian[i]), <, 1e-6 * (fabs (jacobian[i]) + 100));
    }
  }
}

/* ------------------------------------------------------------ same doubles */

/* All digits of a correction that is fitted to matches without any function of
 * the C library: the same with all compilers and processors. */
TEST (test_doubles_are_the_same_everywhere)
{
  SCOPED (stereo_alignment_free) StereoAlignment *alignment = new_alignment ();
  StereoRowMatch matches[200] = { {0} };
  StereoCorrection correction;
  char text[STEREO_CORRECTION_TEXT_SIZE];
  uint32_t seed = 1;

  for (int i = 0; i < 200; i++) {
    for (int k = 0; k < 4; k++) {
      seed = seed * 1664525u + 1013904223u;
      matches[i].x = k == 0 ? (int32_t) (seed >> 8) % 640 : matches[i].x;
      matches[i].y = k == 1 ? (int32_t) (seed >> 8) % 480 : matches[i].y;
      matches[i].dx = k == 2 ? -(int32_t) (seed >> 8) % 9000 : matches[i].dx;
      matches[i].dy = k == 3 ? (int32_t) (seed >> 8) % 60 + matches[i].x
          - matches[i].y / 2 : matches[i].dy;
    }
    matches[i].variance = 200 + i;
  }
  for (int i = 0; i < 5; i++)
    REQUIRE (stereo_alignment_add (alignment, 640, 480, matches, 200 - 10
            * (size_t) i, NULL, NAN, NULL) == STEREO_OK);
  stereo_alignment_get_correction (alignment, &correction);
  stereo_correction_format (&correction, text);
  CHECK_STRING (text, "width=640:height=480:focal-length=576"
      ":pitch=0.00015804688438262286:yaw=0.00020643329558084079"
      ":roll=-0.0039074272219554694:zoom=-0.0021892632359909077"
      ":common-roll=0.0015293528044905101:common-yaw=0.0036612228039849606"
      ":focal=0.00073305485575637865:offset=0.8051775389685315"
      ":k1=-0.00051696000172029417:common-k1=0.00087887318919109873");
}

TEST_MAIN ()
