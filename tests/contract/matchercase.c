/* gst-stereomatching: random cases of the contract tests of matchers
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "matchercase.h"

#include <math.h>

/* Sizes that are no multiples of vector or tile sizes, and the smallest. */
static const int sides[] = { 1, 2, 3, 5, 7, 11, 13, 16, 17, 31, 37, 61, 64,
  67, 97, 101, 128, 131
};

static int
pick (Random * random, const int *values, size_t n)
{
  return values[random_next (random) % n];
}

void
set_parameter (Case * c, const char *name, double value)
{
  StereoMessage why = { "" };

  CHECK_INT (stereo_params_set (c->params, name, value, &why), ==, STEREO_OK);
  CHECK_STRING (why.text, "");
}

/* Whether a parameter is common to all matchers. draw_case() sets these to
 * small values, because the time of a case grows with them. */
static bool
is_common (const char *name)
{
  static const char *const names[] = { "num-disparities", "min-disparity",
    "disparity-scale", "invalid-value", "median", "temporal"
  };

  for (size_t i = 0; i < sizeof (names) / sizeof (names[0]); i++) {
    if (strcmp (names[i], name) == 0)
      return true;
  }
  return false;
}

/* A value in spec's range, at most twice the default: many parameters are
 * numbers of iterations. */
static double
draw (const StereoAlgorithm * algorithm, const StereoParamSpec * spec,
    Random * random)
{
  double initial = stereo_algorithm_param_initial (algorithm, spec);
  double most = fmin (spec->maximum, fmax (2 * fabs (initial), 2));
  double part = random_range (random, 0, 1000) / 1000.0;

  if (spec->type == STEREO_PARAM_ENUM || spec->type == STEREO_PARAM_BOOL)
    return random_range (random, 0, (int) spec->maximum);
  if (random_range (random, 0, 7) == 0)
    return spec->minimum;
  if (spec->type == STEREO_PARAM_DOUBLE)
    return spec->minimum + part * (most - spec->minimum);
  return spec->minimum + floor (part * (most - spec->minimum));
}

void
draw_parameters (Case * c, Random * random)
{
  const StereoParamSpec *spec;

  for (size_t i = 0; (spec = stereo_algorithm_param (c->algorithm, i)); i++) {
    if (!is_common (spec->name) && random_range (random, 0, 1))
      set_parameter (c, spec->name, draw (c->algorithm, spec, random));
  }
}

void
draw_case (const StereoAlgorithm * algorithm, Random * random, Case * c)
{
  size_t n_sides = sizeof (sides) / sizeof (sides[0]);

  memset (c, 0, sizeof (*c));
  c->algorithm = algorithm;
  c->name = stereo_algorithm_name (algorithm);
  c->width = pick (random, sides, n_sides);
  c->height = pick (random, sides, n_sides - 4);
  c->left = (StereoFormat) random_range (random, 0, STEREO_N_FORMATS - 1);
  c->right = random_range (random, 0, 2) ? c->left
      : (StereoFormat) random_range (random, 0, STEREO_N_FORMATS - 1);
  c->output = random_range (random, 0, 3) ? STEREO_FORMAT_GRAY16_LE
      : STEREO_FORMAT_GRAY8;
  c->fill = (Fill) random_range (random, 0, N_FILLS - 1);
  c->params = params_new (c->name, NULL);
  set_parameter (c, "num-disparities", random_range (random, 1, 70));
  set_parameter (c, "min-disparity", random_range (random, -40, 30));
  set_parameter (c, "disparity-scale", random_range (random, 1, 256));
  set_parameter (c, "invalid-value", random_range (random, 0, 255));
  set_parameter (c, "median", random_range (random, 0, 1));
}

void
make_images (const Case * c, Images * images, Random * random)
{
  init_pair (&images->left, &images->right, c->left, c->right, c->width,
      c->height, c->fill, random);
  images->left.colorimetry = (StereoColorimetry) random_range (random, 0,
      STEREO_N_COLORIMETRIES - 1);
  images->right.colorimetry = (StereoColorimetry) random_range (random, 0,
      STEREO_N_COLORIMETRIES - 1);
  test_image_init (&images->map, c->output, c->width, c->height,
      (size_t) random_range (random, 0, 4) * 2);
  test_image_init (&images->expected, c->output, c->width, c->height, 0);
}

void
clear_case (Case * c, Images * images)
{
  stereo_params_free (&c->params);
  test_image_clear (&images->left);
  test_image_clear (&images->right);
  test_image_clear (&images->map);
  test_image_clear (&images->expected);
}

void
check_case (const Case * c, const Images * images)
{
  check_devices (c->name, c->params, &images->left, &images->right,
      c->output);
}

void
report_case (const Case * c, const Images * images, const char *where,
    const char *difference)
{
  report_difference (c->name, c->params, &images->left, &images->right, where,
      difference);
}

StereoMatcher *
matcher_new (const Case * c, const Images * images, StereoDevice * device)
{
  StereoMatcherConfig config = { sizeof (StereoMatcherConfig), c->width,
      c->height, c->left, c->right,
    c->output, images->left.colorimetry, images->right.colorimetry
  };
  StereoMatcher *matcher = NULL;

  REQUIRE (stereo_matcher_new (c->algorithm, device, &matcher) == STEREO_OK);
  CHECK_INT (stereo_matcher_configure (matcher, &config, c->params), ==,
      STEREO_OK);
  return matcher;
}

void
check_frame (StereoMatcher * matcher, StereoDevice * device, const Case * c,
    const Images * images)
{
  CHECK_INT (stereo_matcher_process (matcher, &images->left.image,
          &images->right.image, &images->map.image, NULL), ==, STEREO_OK);
  CHECK_INT (stereo_matcher_sync (matcher), ==, STEREO_OK);
  report_case (c, images, stereo_device_name (device),
      first_difference (&images->map, &images->expected));
}
