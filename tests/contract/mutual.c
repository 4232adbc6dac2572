/* gst-stereomatching: contract tests of the mutual check
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The maps of check=mutual, for every algorithm that has it and every device of
 * the machine.  The expected ones are combined from three others, all computed
 * without it: the left winners, the map of the ordinary check, and the left
 * winners of the pair that this test mirrors.  With range=half-size each has
 * the ranges of its own pair.
 *
 * Pixels are even, so that the gradients in the words of a mirrored view are
 * exactly those of the view, negated.
 */

#include "harness.h"

#define INVALID 65535

/* A pair, its parameters, and the maps that the expected one is made of. */
typedef struct
{
  const StereoAlgorithm *algorithm;
  const char *name;
  StereoParams *params;
  int width, height, min, max_diff;
  TestImage left, right;
  TestImage mirrored_left, mirrored_right;
  TestImage winners, checked, mirrored;
  TestImage expected, map;
} Case;

static void
set (const Case * c, const char *name, double value)
{
  StereoMessage why = { "" };

  CHECK_INT (stereo_params_set (c->params, name, value, &why), ==, STEREO_OK);
  CHECK_STRING (why.text, "");
}

static void
set_text (const Case * c, const char *name, const char *value)
{
  CHECK_INT (stereo_params_set_text (c->params, name, value, NULL), ==,
      STEREO_OK);
}

static bool
has_parameter (const StereoAlgorithm * algorithm, const char *name)
{
  const StereoParamSpec *spec;

  for (size_t i = 0; (spec = stereo_algorithm_param (algorithm, i)); i++) {
    if (strcmp (spec->name, name) == 0)
      return true;
  }
  return false;
}

/* Any choice in the algorithm's own parameters, and the range and cost of
 * all.  Winners only: nothing after the check. */
static void
draw_parameters (Case * c, bool color, bool ranges, Random * random)
{
  static const char *const costs[] = { "census", "luma", "rgb" };
  const StereoParamSpec *spec;

  for (size_t i = 0; (spec = stereo_algorithm_param (c->algorithm, i)); i++) {
    if (spec->type == STEREO_PARAM_ENUM || spec->type == STEREO_PARAM_BOOL)
      set (c, spec->name, random_range (random, 0, (int) spec->maximum));
  }
  /* luma of colours need not be even */
  set_text (c, "cost", costs[color ? random_range (random, 1, 2)
          : random_range (random, 0, 2)]);
  set (c, "num-disparities", ranges ? random_range (random, 48, 100)
      : random_range (random, 1, 30));
  if (ranges)
    set_text (c, "range", "half-size");
  set (c, "min-disparity", c->min);
  set (c, "disparity-scale", 1);
  set (c, "invalid-value", INVALID);
  set_text (c, "refine", "none");
  set (c, "subpixel", 0);
  set (c, "speckle-size", 0);
  set (c, "fill", 0);
  set (c, "median", 0);
}

static void
make_even (const TestImage * image)
{
  for (int y = 0; y < image->image.height; y++) {
    uint8_t *row = test_image_row (image, y);

    for (size_t i = 0; i < image->row_bytes; i++)
      row[i] &= 0xfe;
  }
}

static void
mirror (const TestImage * from, TestImage * to)
{
  const StereoImage *image = &from->image;
  const size_t bytes = format_bytes (image->format);

  test_image_init (to, image->format, image->width, image->height, 3 * bytes);
  for (int y = 0; y < image->height; y++) {
    for (int x = 0; x < image->width; x++)
      memcpy (test_image_row (to, y) + (size_t) (image->width - 1 - x) * bytes,
          test_image_row (from, y) + (size_t) x * bytes, bytes);
  }
}

/* ranges: with range=half-size, and views that are large enough for it. */
static void
init_case (Case * c, const StereoAlgorithm * algorithm, bool ranges,
    Random * random)
{
  const bool color = random_range (random, 0, 1);
  const StereoFormat format = color ? STEREO_FORMAT_RGB : STEREO_FORMAT_GRAY8;
  TestImage *const maps[] = { &c->winners, &c->checked, &c->mirrored,
    &c->expected, &c->map
  };

  c->algorithm = algorithm;
  c->name = stereo_algorithm_name (algorithm);
  c->params = params_new (c->name, NULL);
  c->width = ranges ? random_range (random, 100, 300)
      : random_range (random, 1, 100);
  c->height = random_range (random, 1, ranges ? 100 : 40);
  c->min = random_range (random, 0, 1) ? 0 : random_range (random, -20, 20);
  c->max_diff = random_range (random, 0, 3);
  draw_parameters (c, color, ranges, random);
  init_pair (&c->left, &c->right, format, format, c->width, c->height,
      random_range (random, 0, 3) ? FILL_SHIFTED : FILL_RANDOM, random);
  make_even (&c->left);
  make_even (&c->right);
  mirror (&c->left, &c->mirrored_right);
  mirror (&c->right, &c->mirrored_left);
  for (size_t i = 0; i < sizeof (maps) / sizeof (maps[0]); i++)
    test_image_init (maps[i], STEREO_FORMAT_GRAY16_LE, c->width, c->height, 0);
}

static void
clear_case (Case * c)
{
  TestImage *const images[] = { &c->left, &c->right, &c->mirrored_left,
    &c->mirrored_right, &c->winners, &c->checked, &c->mirrored, &c->expected,
    &c->map
  };

  for (size_t i = 0; i < sizeof (images) / sizeof (images[0]); i++)
    test_image_clear (images[i]);
  stereo_params_free (&c->params);
}

/* The column of the other view that a code refers to; may be outside. */
static int
partner_of (const Case * c, int x, int code, int sign)
{
  return x + sign * (code + c->min);
}

/* Whether the winner of the left pixel is within max_diff of that of its
 * partner, which is taken from the mirrored pair if it leads to a left pixel
 * that agrees with it. */
static bool
expect_valid (const Case * c, int x, int y)
{
  const int code = code_at (&c->winners, x, y);
  const int partner = partner_of (c, x, code, -1);
  int other, back;

  if (code == INVALID || partner < 0 || partner >= c->width)
    return false;
  other = code_at (&c->mirrored, c->width - 1 - partner, y);
  back = partner_of (c, partner, other, 1);
  if (other == INVALID || back < 0 || back >= c->width
      || abs (code_at (&c->winners, back, y) - other) > c->max_diff)
    return code_at (&c->checked, x, y) != INVALID;
  return abs (other - code) <= c->max_diff;
}

/* Returns the number of pixels that the ordinary check decides differently. */
static int
find_expected (Case * c)
{
  int n_changed = 0;

  set (c, "lr-max-diff", -1);
  match (0, c->params, c->name, &c->left, &c->right, &c->winners);
  match (0, c->params, c->name, &c->mirrored_left, &c->mirrored_right,
      &c->mirrored);
  set (c, "lr-max-diff", c->max_diff);
  set_text (c, "check", "single");
  match (0, c->params, c->name, &c->left, &c->right, &c->checked);
  for (int y = 0; y < c->height; y++) {
    for (int x = 0; x < c->width; x++) {
      put_code (&c->expected, x, y, expect_valid (c, x, y)
          ? (unsigned) code_at (&c->winners, x, y) : INVALID);
      n_changed += code_at (&c->expected, x, y) != code_at (&c->checked, x, y);
    }
  }
  return n_changed;
}

/* Checks a random case of the algorithm on all devices. */
static int
check_case (const StereoAlgorithm * algorithm, bool ranges, Random * random)
{
  Case c;
  int n_changed;

  memset (&c, 0, sizeof (c));
  init_case (&c, algorithm, ranges, random);
  n_changed = find_expected (&c);
  set_text (&c, "check", "mutual");
  for (size_t d = 0; d < devices_count (); d++) {
    const char *difference;

    match (d, c.params, c.name, &c.left, &c.right, &c.map);
    difference = first_difference (&c.map, &c.expected);
    if (difference != NULL) {
      fprintf (stderr, "%s, %dx%d, cost %g, min %d, difference %d, %s: %s\n",
          c.name, c.width, c.height, param (c.params, "cost"), c.min,
          c.max_diff, stereo_device_name (devices_get (d)), difference);
      test_failures++;
    }
  }
  clear_case (&c);
  return n_changed;
}

static bool
has_check (const StereoAlgorithm * algorithm)
{
  return has_parameter (algorithm, "check");
}

/* Each algorithm has pixels that only the mutual check finds or rejects. */
static void
check_algorithms (bool ranges, int n_cases, uint64_t seed)
{
  const StereoAlgorithm *algorithm;
  Random random = { seed };
  int n_algorithms = 0;

  for (size_t a = 0; (algorithm = stereo_algorithm_get (a)); a++) {
    int n_changed = 0;

    if (!has_check (algorithm)
        || (ranges && !has_parameter (algorithm, "range")))
      continue;
    n_algorithms++;
    for (int i = 0; i < n_cases && test_failures == 0; i++)
      n_changed += check_case (algorithm, ranges, &random);
    CHECK_INT (n_changed, >, 0);
  }
  CHECK_INT (n_algorithms, >, 0);
}

TEST (test_mutual)
{
  check_algorithms (false, 40, 1);
}

TEST (test_ranges)
{
  check_algorithms (true, 20, 3);
}

/* Without a check there is nothing to confirm. */
TEST (test_disabled_check)
{
  const StereoAlgorithm *algorithm;
  Random random = { 2 };

  for (size_t a = 0; (algorithm = stereo_algorithm_get (a)); a++) {
    Case c;

    if (!has_check (algorithm))
      continue;
    memset (&c, 0, sizeof (c));
    init_case (&c, algorithm, false, &random);
    set (&c, "lr-max-diff", -1);
    set_text (&c, "check", "single");
    match (0, c.params, c.name, &c.left, &c.right, &c.expected);
    set_text (&c, "check", "mutual");
    for (size_t d = 0; d < devices_count (); d++) {
      match (d, c.params, c.name, &c.left, &c.right, &c.map);
      CHECK (first_difference (&c.map, &c.expected) == NULL);
    }
    clear_case (&c);
  }
}

/* A random case of a random algorithm. */
static size_t
run_random (Random * random)
{
  const StereoAlgorithm *found[16], *algorithm;
  size_t n = 0;

  for (size_t a = 0; (algorithm = stereo_algorithm_get (a)); a++) {
    if (has_check (algorithm) && n < sizeof (found) / sizeof (found[0]))
      found[n++] = algorithm;
  }
  algorithm = found[random_next (random) % n];
  check_case (algorithm, has_parameter (algorithm, "range")
      && random_range (random, 0, 1), random);
  return devices_count ();
}

int
main (int argc, char **argv)
{
  return harness_main (argc, argv, run_random);
}
