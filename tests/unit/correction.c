/* gst-stereomatching: tests of corrections as text and as a grid
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "camerarig.h"
#include "test.h"

#include <locale.h>
#include <stdlib.h>

static const StereoCorrection typical = {
  .serial = 4,.width = 1280,.height = 720,.focal_length = 1100.5,
  .values = {0.01, -0.004, 0.03, 0.012, -0.002, 0.003, -0.05, 2.5, 0.013,
        -0.02}
};

static const StereoRectifiedShape cropped = {.alpha = 0 };

/* -------------------------------------------------------------------- text */

TEST (test_text_keeps_all_digits)
{
  StereoCorrection correction = typical, parsed;
  uint64_t seed = 1;

  for (int trial = 0; trial < 200; trial++) {
    char text[STEREO_CORRECTION_TEXT_SIZE];

    for (int i = 0; i < STEREO_N_CORRECTIONS; i++)
      correction.values[i] = (rig_random (&seed) - 0.5)
          * exp (-20 * rig_random (&seed));
    stereo_correction_format (&correction, text);
    REQUIRE (stereo_correction_parse (text, &parsed, NULL) == STEREO_OK);
    CHECK (memcmp (parsed.values, correction.values, sizeof (parsed.values))
        == 0);
    CHECK (parsed.focal_length == correction.focal_length);
    CHECK_INT (parsed.width, ==, 1280);
    CHECK_INT (parsed.height, ==, 720);
    CHECK_INT (parsed.serial, ==, 0);
  }
}

TEST (test_text_of_any_locale)
{
  static const char *const locales[] = { "de_DE.UTF-8", "de_DE", "fr_FR.UTF-8",
    "ps_AF.UTF-8"
  };
  char expected[STEREO_CORRECTION_TEXT_SIZE];
  char text[STEREO_CORRECTION_TEXT_SIZE];

  stereo_correction_format (&typical, expected);
  CHECK (strchr (expected, ',') == NULL);
  for (size_t i = 0; i < sizeof (locales) / sizeof (locales[0]); i++) {
    if (setlocale (LC_ALL, locales[i]) == NULL)
      continue;
    stereo_correction_format (&typical, text);
    CHECK_STRING (text, expected);
  }
  setlocale (LC_ALL, "C");
}

TEST (test_missing_values_are_none)
{
  StereoCorrection parsed;

  REQUIRE (stereo_correction_parse ("roll=0.01:height=480:width=640", &parsed,
          NULL) == STEREO_OK);
  CHECK (parsed.focal_length == 576);
  CHECK (parsed.values[STEREO_CORRECTION_ROLL] == 0.01);
  CHECK (parsed.values[STEREO_CORRECTION_PITCH] == 0);
}

TEST (test_wrong_text_is_refused)
{
  static const char *const texts[][2] = {
    {"", "name=value"}, {"width", "name=value"}, {":", "name=value"},
    {"width=640", "width and height"}, {"width=640:height=0", "width"},
    {"width=640:height=480:tilt=1", "no value 'tilt'"},
    {"width=640:height=480:roll=", "a number for roll"},
    {"width=640:height=480:roll=1x", "a number for roll"},
    {"width=640:height=480:roll=nan", "a number for roll"},
    {"width=640:height=480:roll=0.6", "roll=0.6"},
    {"width=640:height=480:offset=65", "offset=65"},
    {"width=640:height=480:focal-length=-1", "focal length"},
    {"width=640.5:height=480", "width"}, {"width=20000:height=480", "width"},
    {"width=640:height=480:a-name-that-is-much-too-long-for-any=1",
          "name=value"},
    {"width=640:height=480:", "name=value"}, {"width=640,height=480", "width"},
  };
  StereoCorrection parsed;
  StereoMessage why;

  /* with the padding */
  memcpy (&parsed, &typical, sizeof (parsed));
  for (size_t i = 0; i < sizeof (texts) / sizeof (texts[0]); i++) {
    why.text[0] = '\0';
    CHECK (stereo_correction_parse (texts[i][0], &parsed, &why)
        == STEREO_ERROR_ARGUMENT);
    CHECK_CONTAINS (why.text, texts[i][1]);
  }
  CHECK (memcmp (&parsed, &typical, sizeof (parsed)) == 0);
  CHECK (stereo_correction_parse (NULL, &parsed, NULL)
      == STEREO_ERROR_ARGUMENT);
}

/* -------------------------------------------------------------------- grid */

/* The source of pixel (u, v) in 1/256 pixel, as the operation "rectify"
 * interpolates it.  columns: stereo_grid_nodes (width). */
static void
grid_source (const StereoGridNode * nodes, int columns, int u, int v,
    int32_t * x, int32_t * y)
{
  const StereoGridNode *n = nodes + (size_t) (v / STEREO_GRID_STEP)
      * (size_t) columns + u / STEREO_GRID_STEP, *m = n + columns;
  const int64_t fu = u % STEREO_GRID_STEP, fv = v % STEREO_GRID_STEP;
  const int64_t gu = STEREO_GRID_STEP - fu, gv = STEREO_GRID_STEP - fv;

  *x = (int32_t) (((n[0].x * gu + n[1].x * fu) * gv + (m[0].x * gu
              + m[1].x * fu) * fv + 32768) >> 16);
  *y = (int32_t) (((n[0].y * gu + n[1].y * fu) * gv + (m[0].y * gu
              + m[1].y * fu) * fv + 32768) >> 16);
}

/* Source positions of the grid in 1/256 pixel are those of the formula. */
TEST (test_grid_is_the_correction)
{
  const int columns = stereo_grid_nodes (typical.width);
  const int rows = stereo_grid_nodes (typical.height);
  StereoGridNode *nodes = calloc ((size_t) (columns * rows), sizeof (*nodes));
  double worst = 0;

  REQUIRE (nodes != NULL);
  for (int view = 0; view < 2; view++) {
    stereo_correction_grid (&typical, view, NULL, nodes);
    for (int i = 0; i < 4000; i++) {
      const int u = i * 7919 % typical.width, v = i * 104729 % typical.height;
      double x, y;
      int32_t gx, gy;

      grid_source (nodes, columns, u, v, &gx, &gy);
      stereo_correction_source (&typical, view == 1, u, v, &x, &y);
      worst = fmax (worst, hypot (gx / 256.0 - x, gy / 256.0 - y));
    }
  }
  CHECK_DOUBLE (worst, <, 0.01);
  free (nodes);
}

TEST (test_no_change_is_exact)
{
  StereoCorrection none = {.width = 100,.height = 33,.focal_length = 90 };
  StereoGridNode nodes[8 * 4];

  stereo_correction_grid (&none, STEREO_RIGHT, NULL, nodes);
  CHECK_INT (stereo_grid_nodes (100), ==, 8);
  CHECK_INT (stereo_grid_nodes (33), ==, 4);
  for (int v = 0; v < 33; v++) {
    for (int u = 0; u < 100; u++) {
      int32_t x, y;

      grid_source (nodes, 8, u, v, &x, &y);
      CHECK_INT (x, ==, 256 * u);
      CHECK_INT (y, ==, 256 * v);
    }
  }
}

TEST (test_grid_after_a_rectification)
{
  StereoCalibration calibration = {
    .has_camera = {true, true},.has_rectification = {true, true},.unit = 1,
    .camera = {{.fx = 500,.fy = 510,.cx = 300,.cy = 250,.k = {-0.2, 0.05}},
          {.fx = 500,.fy = 510,.cx = 300,.cy = 250}},
    .rectifying = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {1, 0, 0, 0, 1, 0, 0, 0, 1}},
    .projection = {{480, 0, 320, 0, 0, 480, 240, 0, 0, 0, 1, 0},
          {480, 0, 320, -48, 0, 480, 240, 0, 0, 0, 1, 0}},
  };
  StereoCorrection correction = typical;
  StereoRectification rectification;
  StereoGridNode nodes[41 * 31];
  StereoMessage why;

  correction.width = 640;
  correction.height = 480;
  correction.focal_length = 480;
  REQUIRE (stereo_rectification_init (&rectification, &calibration,
          STEREO_LEFT, 640, 480, &cropped, &why) == STEREO_OK);
  stereo_correction_grid (&correction, STEREO_LEFT, &rectification, nodes);
  for (int i = 0; i < 41 * 31; i++) {
    double x, y;

    stereo_correction_source (&correction, false, 16 * (i % 41), 16 * (i / 41),
        &x, &y);
    REQUIRE (stereo_rectification_source (&rectification, x, y, &x, &y));
    CHECK_DOUBLE (fabs (nodes[i].x / 65536.0 - x), <, 1e-4);
    CHECK_DOUBLE (fabs (nodes[i].y / 65536.0 - y), <, 1e-4);
  }
}

/* The image centre keeps its disparity, and its row on average. */
TEST (test_the_centre_is_held)
{
  double x[2], y[2];

  for (int view = 0; view < 2; view++) {
    x[view] = (typical.width - 1) / 2.0;
    y[view] = (typical.height - 1) / 2.0;
    rig_correct (&typical, view, &x[view], &y[view]);
    CHECK_DOUBLE (fabs (x[view] - (typical.width - 1) / 2.0), <, 1e-6);
  }
  CHECK_DOUBLE (fabs ((y[0] + y[1]) / 2 - (typical.height - 1) / 2.0), <,
      1e-6);
}

/* -------------------------------------------------------------------- file */

/* The numbers of a matrix in the file. */
static void
read_matrix (const char *text, const char *name, int n, double *values)
{
  const char *at = strstr (text, name);

  REQUIRE (at != NULL);
  at = strchr (at, '[');
  for (int i = 0; i < n; i++) {
    char *end;

    values[i] = strtod (at + 1, &end);
    REQUIRE (end != at + 1);
    at = end + strspn (end, " \n");
  }
}

/* That of an alignment before its first pair. */
TEST (test_no_text_without_size)
{
  char text[STEREO_CORRECTION_TEXT_SIZE] = "before";
  char file[STEREO_CORRECTION_FILE_SIZE] = "before";
  const StereoCorrection none = { 0 };

  stereo_correction_format (&none, text);
  CHECK_STRING (text, "");
  stereo_correction_format_opencv (&none, file);
  CHECK_STRING (file, "");
}

/* Corrections that no function of the library makes. */
TEST (test_outside_of_the_limits)
{
  StereoCorrection wrong[] = { typical, typical, typical, typical };
  char file[STEREO_CORRECTION_FILE_SIZE];
  double x, y;

  wrong[0].height = INT32_MIN;
  wrong[1].focal_length = 0;
  wrong[2].values[STEREO_CORRECTION_PITCH] = 0.6;
  wrong[3].values[STEREO_CORRECTION_K1] = NAN;
  for (int i = 0; i < 4; i++) {
    stereo_correction_format_opencv (&wrong[i], file);
    CHECK_STRING (file, "");
    x = y = 0;
    stereo_correction_source (&wrong[i], true, 10, 20, &x, &y);
    CHECK (isnan (x) && isnan (y));
  }
}

/* Without a change, the focal length does not matter. */
TEST (test_source_of_no_change)
{
  const StereoCorrection none = {.width = 640,.height = 480 };
  double x = 0, y = 0;

  stereo_correction_source (&none, true, 10, 20, &x, &y);
  CHECK_DOUBLE (x, ==, 10);
  CHECK_DOUBLE (y, ==, 20);
}

TEST (test_calibration_file_is_the_correction)
{
  static const double distortions[] = { -0.04, 0, 0.05, 0.3 };
  static const double limits[] = { 0.05, 0.05, 0.05, 0.2 };
  char text[STEREO_CORRECTION_FILE_SIZE];
  StereoCorrection correction = typical;

  for (int trial = 0; trial < 8; trial++) {
    StereoCalibration calibration = {.unit = 1 };
    const int view = trial % 2;
    double m[9], d[8], worst = 0;
    StereoRectification rectification;
    StereoCamera *camera = &calibration.camera[view];

    correction.values[STEREO_CORRECTION_COMMON_K1] = distortions[trial / 2];
    stereo_correction_format_opencv (&correction, text);
    CHECK_CONTAINS (text, "image_width: 1280");
    read_matrix (text, view == 0 ? "M1" : "M2", 9, m);
    read_matrix (text, view == 0 ? "D1" : "D2", 8, d);
    read_matrix (text, view == 0 ? "R1" : "R2", 9,
        calibration.rectifying[view]);
    read_matrix (text, view == 0 ? "P1" : "P2", 12,
        calibration.projection[view]);
    camera->fx = m[0];
    camera->cx = m[2];
    camera->fy = m[4];
    camera->cy = m[5];
    memcpy (camera->k, d, sizeof (d));
    camera->width = correction.width;
    camera->height = correction.height;
    calibration.has_camera[view] = calibration.has_rectification[view] = true;
    REQUIRE (stereo_rectification_init (&rectification, &calibration, view,
            correction.width, correction.height, &cropped, NULL)
        == STEREO_OK);
    for (int i = 0; i < 400; i++) {
      const double u = i % 20 * (correction.width - 1) / 19.0;
      const double v = (int) (i / 20) * (correction.height - 1) / 19.0;
      double x[2], y[2];

      stereo_correction_source (&correction, view == 1, u, v, &x[0], &y[0]);
      CHECK (stereo_rectification_source (&rectification, u, v, &x[1],
              &y[1]));
      worst = fmax (worst, hypot (x[1] - x[0], y[1] - y[0]));
    }
    CHECK_DOUBLE (worst, <, limits[trial / 2]);
  }
}

TEST_MAIN ()
