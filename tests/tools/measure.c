/* gst-stereomatching: tests of error measures
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "measure.h"
#include "picture.h"
#include "test.h"

#include <math.h>

/* Errors 0, 0.5, 0.75, 1, 1.25, 2, 4, 4.5: six are above 0.5, four above 1, two
 * above 2, one above 4. */
TEST (test_strict)
{
  static const float truth[8] = { 10, 10, 10, 10, 10, 10, 10, 10 };
  static const float map[8] = {
    10, 10.5f, 9.25f, 11, 8.75f, 12, 6, 14.5f
  };
  Measure m;

  measure_map (map, truth, NULL, 8, &m);
  CHECK_INT (m.pixels, ==, 8);
  CHECK_INT (m.matched, ==, 8);
  CHECK_DOUBLE (m.bad[0], ==, 75);
  CHECK_DOUBLE (m.bad[1], ==, 50);
  CHECK_DOUBLE (m.bad[2], ==, 25);
  CHECK_DOUBLE (m.bad[3], ==, 12.5);
  CHECK_DOUBLE (m.density, ==, 100);
  CHECK_DOUBLE (fabs (m.mean - 14.0 / 8), <, 1e-12);
  CHECK_DOUBLE (fabs (m.rms - sqrt ((0.25 + 0.5625 + 1 + 1.5625 + 4 + 16
                  + 20.25) / 8)), <, 1e-12);
}

/* More than 3 pixels and more than 5 %: 3.5 of 60 (5.8 %) is bad; 3.5 of 80
 * (4.4 %), 3 of 10, and exactly 5 % (4 of 80) are not. */
TEST (test_d1)
{
  static const float truth[4] = { 60, 80, 10, 80 };
  static const float map[4] = { 63.5f, 83.5f, 13, 84 };
  Measure m;

  measure_map (map, truth, NULL, 4, &m);
  CHECK_DOUBLE (m.d1, ==, 25);
}

/* Pixels by decreasing confidence: a good one, then a good and a bad one with
 * equal confidence, then a hole.  Unknown and masked ones do not count. */
TEST (test_auc)
{
  static const float truth[6] = { 1, 2, 3, 4, NAN, 6 };
  static const float map[6] = { 1, 4.5f, 3, NAN, 9, 60 };
  static const uint16_t confidence[6] = { 65535, 300, 300, 0, 65535, 65535 };
  static const uint8_t mask[6] = { 1, 1, 1, 1, 1, 0 };
  double auc, ideal;

  measure_auc (map, confidence, truth, mask, 6, &auc, &ideal);
  CHECK_DOUBLE (fabs (auc - 100 * (0 + 0.5 / 2 + 1.0 / 3 + 2.0 / 4) / 4), <,
      1e-9);
  CHECK_DOUBLE (fabs (ideal - 100 * (0 + 0 + 1.0 / 3 + 2.0 / 4) / 4), <,
      1e-9);
  measure_auc (map, confidence, truth, mask, 0, &auc, &ideal);
  CHECK (isnan (auc) && isnan (ideal));
}

TEST (test_holes_and_unknown)
{
  static const float truth[6] = { 1, 2, 3, NAN, INFINITY, 6 };
  static const float map[6] = { 1, NAN, 3, 4, 5, INFINITY };
  static const uint8_t mask[6] = { 255, 255, 0, 255, 1, 1 };
  Measure m;

  /* counted: 1 (good), 2 (hole), 6 (hole) */
  measure_map (map, truth, mask, 6, &m);
  CHECK_INT (m.pixels, ==, 3);
  CHECK_INT (m.matched, ==, 1);
  for (int t = 0; t < MEASURE_N_BAD; t++)
    CHECK_DOUBLE (fabs (m.bad[t] - 200.0 / 3), <, 1e-12);
  CHECK_DOUBLE (fabs (m.d1 - 200.0 / 3), <, 1e-12);
  CHECK_DOUBLE (m.mean, ==, 0);
  CHECK_DOUBLE (m.rms, ==, 0);
  CHECK_DOUBLE (fabs (m.density - 100.0 / 3), <, 1e-12);
  CHECK_DOUBLE (fabs (measure_density (map, 6) - 400.0 / 6), <, 1e-12);
}

TEST (test_nothing)
{
  static const float truth[2] = { NAN, 1 }, map[2] = { 1, NAN };
  static const uint8_t none[2] = { 0, 0 };
  Measure m;

  measure_map (map, truth, none, 2, &m);
  CHECK_INT (m.pixels, ==, 0);
  CHECK (isnan (m.bad[0]) && isnan (m.d1) && isnan (m.mean)
      && isnan (m.density));
  measure_map (map, truth, NULL, 2, &m);
  CHECK_INT (m.pixels, ==, 1);
  CHECK_DOUBLE (m.bad[3], ==, 100);
  CHECK (isnan (m.mean) && isnan (m.rms));
}

TEST (test_names)
{
  Measure m = { 0, 0, {1, 2, 3, 4}, 5, 6, 7, 8 };
  static const char *const names[] = {
    "bad-0.5", "bad-1", "bad-2", "bad-4", "d1", "mean", "rms", "density"
  };

  for (size_t i = 0; i < 8; i++) {
    CHECK_STRING (measure_name (i), names[i]);
    CHECK_DOUBLE (measure_value (&m, i), ==, (double) i + 1);
  }
  CHECK (measure_name (8) == NULL);
}

TEST (test_codes)
{
  static const float map[9] = { 0, 1.5f, NAN, 300, -3, 10.001f, 255.995f,
    256, -INFINITY
  };
  static const uint16_t right[9] = { 1, 384, 0, 0, 0, 2560, 65535, 0, 0 };
  uint16_t codes[9];

  picture_codes (map, 9, codes);
  for (int i = 0; i < 9; i++)
    CHECK_INT (codes[i], ==, right[i]);
}

TEST (test_colors)
{
  static const float map[5] = { 0, 30, 60, NAN, -5 };
  uint8_t rgb[15];

  picture_colors (map, 5, 0, 60, rgb);
  CHECK (rgb[2] > rgb[0] && rgb[2] > rgb[1]);
  CHECK (rgb[4] > rgb[3] && rgb[4] > rgb[5]);
  CHECK (rgb[6] > rgb[7] && rgb[6] > rgb[8]);
  CHECK_INT (rgb[9] + rgb[10] + rgb[11], ==, 0);
  /* values beyond the range have the colour of its end */
  CHECK (memcmp (rgb + 12, rgb, 3) == 0);
}

/* Good pixels are grey, bad ones red, worse ones darker red, occluded ones
 * blue, unknown ones black. */
TEST (test_error_picture)
{
  float truth[7] = { 5, 5, 5, 5, NAN, 5, 5 };
  static const float map[7] = { 5, 7, 30, NAN, 5, 9, 6 };
  uint8_t nonocc[7] = { 255, 255, 255, 255, 0, 0, 0 };
  uint8_t all[7] = { 255, 255, 255, 255, 0, 255, 255 };
  Scene scene;
  uint8_t rgb[21];

  memset (&scene, 0, sizeof (scene));
  scene.width = 7;
  scene.height = 1;
  scene.truth = truth;
  scene.region[SCENE_NONOCC] = nonocc;
  scene.region[SCENE_ALL] = all;
  picture_errors (map, &scene, rgb);
  CHECK (rgb[0] == rgb[1] && rgb[1] == rgb[2] && rgb[0] > 0);
  CHECK (rgb[3] > rgb[4] && rgb[3] > rgb[5]);
  /* a larger error contains less white */
  CHECK_INT (rgb[7], <, rgb[4]);
  CHECK (memcmp (rgb + 6, rgb + 9, 3) == 0);
  CHECK_INT (rgb[12] + rgb[13] + rgb[14], ==, 0);
  CHECK (rgb[17] > rgb[15] && rgb[17] > rgb[16]);
  CHECK (rgb[20] > rgb[18]);
  CHECK (memcmp (rgb + 15, rgb + 18, 3) != 0);
}

/* The amount of white decreases with the error, up to 16 pixels. */
TEST (test_severity)
{
  float truth[5] = { 0, 0, 0, 0, 0 };
  static const float map[5] = { 2, 4, 8, 16, 32 };
  uint8_t all[5] = { 255, 255, 255, 255, 255 };
  uint8_t rgb[15];
  Scene scene;

  memset (&scene, 0, sizeof (scene));
  scene.width = 5;
  scene.height = 1;
  scene.truth = truth;
  scene.region[SCENE_ALL] = all;
  picture_errors (map, &scene, rgb);
  for (int i = 1; i < 4; i++)
    CHECK_INT (rgb[3 * i + 1], <, rgb[3 * i - 2]);
  CHECK (memcmp (rgb + 9, rgb + 12, 3) == 0);
}

TEST_MAIN ()
