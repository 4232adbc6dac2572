/* gst-stereomatching: contract tests of all matchers
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The promises of stereo.h, for every registered algorithm and every device of
 * the machine.  The reference is the plain CPU implementation, which
 * tests/kernels/ compares with independent oracles; here all other
 * implementations are compared with it, for any parameters within their ranges.
 */

#include "cases.h"

#include <math.h>

/* ------------------------------------------------------------------- a case */

typedef struct
{
  const StereoAlgorithm *algorithm;
  const char *name;
  int width;
  int height;
  StereoFormat left;
  StereoFormat right;
  StereoFormat output;
  Fill fill;
  StereoParams *params;
} Case;

typedef struct
{
  TestImage left;
  TestImage right;
  TestImage map;
  TestImage expected;
} Images;

/* Sizes that are no multiples of vector or tile sizes, and the smallest. */
static const int sides[] = { 1, 2, 3, 5, 7, 11, 13, 16, 17, 31, 37, 61, 64,
  67, 97, 101, 128, 131
};

static int
pick (Random * random, const int *values, size_t n)
{
  return values[random_next (random) % n];
}

static void
set (Case * c, const char *name, double value)
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

/* Sets about half of the algorithm's own parameters; the others keep their
 * defaults. */
static void
draw_parameters (Case * c, Random * random)
{
  const StereoParamSpec *spec;

  for (size_t i = 0; (spec = stereo_algorithm_param (c->algorithm, i)); i++) {
    if (!is_common (spec->name) && random_range (random, 0, 1))
      set (c, spec->name, draw (c->algorithm, spec, random));
  }
}

static void
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
  set (c, "num-disparities", random_range (random, 1, 70));
  set (c, "min-disparity", random_range (random, -40, 30));
  set (c, "disparity-scale", random_range (random, 1, 256));
  set (c, "invalid-value", random_range (random, 0, 255));
  set (c, "median", random_range (random, 0, 1));
}

static void
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

static void
clear (Case * c, Images * images)
{
  stereo_params_free (&c->params);
  test_image_clear (&images->left);
  test_image_clear (&images->right);
  test_image_clear (&images->map);
  test_image_clear (&images->expected);
}

/* Matchers are reused by all cases, so each is reconfigured for other sizes,
 * formats and parameters in between. */
static void
check (const Case * c, const Images * images)
{
  check_devices (c->name, c->params, &images->left, &images->right,
      c->output);
}

/* Describes the case if there is a difference. */
static void
report (const Case * c, const Images * images, const char *where,
    const char *difference)
{
  report_difference (c->name, c->params, &images->left, &images->right, where,
      difference);
}

/* A new matcher for one case. */
static StereoMatcher *
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

/* Processes a frame; the map must equal the expected one. */
static void
check_frame (StereoMatcher * matcher, StereoDevice * device, const Case * c,
    const Images * images)
{
  CHECK_INT (stereo_matcher_process (matcher, &images->left.image,
          &images->right.image, &images->map.image, NULL), ==, STEREO_OK);
  CHECK_INT (stereo_matcher_sync (matcher), ==, STEREO_OK);
  report (c, images, stereo_device_name (device),
      first_difference (&images->map, &images->expected));
}

/* -------------------------------------------------------------------- tests */

#define FOR_EACH_ALGORITHM(a) \
  const StereoAlgorithm *a; \
  for (size_t a##_ = 0; (a = stereo_algorithm_get (a##_)) != NULL; a##_++)

/* Any size, format, content and common parameters. */
TEST (test_devices)
{
  Random random = { 1 };

  FOR_EACH_ALGORITHM (algorithm) {
    for (int i = 0; i < 40; i++) {
      Case c;
      Images images;

      draw_case (algorithm, &random, &c);
      make_images (&c, &images, &random);
      check (&c, &images);
      clear (&c, &images);
    }
  }
}

/* Images larger than a tile and a band, with any parameters. */
TEST (test_large)
{
  Random random = { 6 };

  FOR_EACH_ALGORITHM (algorithm) {
    for (int i = 0; i < 7; i++) {
      Case c;
      Images images;

      draw_case (algorithm, &random, &c);
      /* some are wide, high, or have many disparities */
      c.width = random_range (&random, 150, i == 1 ? 1300 : 300);
      c.height = random_range (&random, i == 1 ? 1 : 70, i == 1 ? 50
          : i == 4 ? 330 : 150);
      c.fill = i % 2 ? FILL_RANDOM : FILL_SHIFTED;
      if (i % 2)
        draw_parameters (&c, &random);
      if (i == 6) {
        c.height = random_range (&random, 1, 30);
        set (&c, "num-disparities", random_range (&random, 70, 300));
        set (&c, "disparity-scale", random_range (&random, 1, 200));
      }
      make_images (&c, &images, &random);
      check (&c, &images);
      clear (&c, &images);
    }
  }
}

/* ------------------------------------------------------------ cost=learned */

#define N_INPUTS 24
#define N_BITS 24

/* Prints a row: a bias, then weights. */
static size_t
print_row (char *text, size_t size, int bias, int n, const int *weights)
{
  size_t used = (size_t) snprintf (text, size, "%d", bias);

  for (int i = 0; i < n; i++)
    used += (size_t) snprintf (text + used, size - used, " %d", weights[i]);
  return used + (size_t) snprintf (text + used, size - used, "\n");
}

/* A random network with up to 48 hidden numbers. */
static void
draw_network (Case * c, Random * random)
{
  char text[32768];
  const int n_hidden = random_range (random, 1, 48);
  int weights[48];
  StereoMessage why = { "" };
  size_t used = (size_t) snprintf (text, sizeof (text),
      "layer 1 1 24 %d %d\n", n_hidden, random_range (random, 4, 8));

  for (int layer = 0; layer < 2; layer++) {
    const int n = layer == 0 ? N_INPUTS : n_hidden;

    for (int row = 0; row < (layer == 0 ? n_hidden : N_BITS); row++) {
      for (int i = 0; i < n; i++)
        weights[i] = random_range (random, -7, 7) - (i == row) * 50;
      used += print_row (text + used, sizeof (text) - used,
          random_range (random, -200, 200), n, weights);
    }
    if (layer == 0)
      used += (size_t) snprintf (text + used, sizeof (text) - used,
          "layer 1 1 %d 24 0\n", n_hidden);
  }
  CHECK_INT (stereo_params_set_weights (c->params, text, used, &why), ==,
      STEREO_OK);
  CHECK_STRING (why.text, "");
}

/* The network that computes the census: h_j is -d_j if neighbour j is darker,
 * and sets bit j. */
static void
set_census_network (Case * c)
{
  char text[8192];
  size_t used = (size_t) snprintf (text, sizeof (text),
      "layer 1 1 24 24 6\n");

  for (int row = 0; row < 2 * N_BITS; row++) {
    int weights[N_INPUTS] = { 0 };

    if (row == N_BITS)
      used += (size_t) snprintf (text + used, sizeof (text) - used,
          "layer 1 1 24 24 0\n");
    weights[row % N_BITS] = row < N_BITS ? -64 : 3;
    used += print_row (text + used, sizeof (text) - used, 0, N_INPUTS,
        weights);
  }
  CHECK_INT (stereo_params_set_weights (c->params, text, used, NULL), ==,
      STEREO_OK);
}

/* Whether the algorithm has this cost; then it is set. */
static bool
set_cost (Case * c, const char *cost)
{
  double value;

  if (!stereo_params_get (c->params, "cost", &value))
    return false;
  CHECK_INT (stereo_params_set_text (c->params, "cost", cost, NULL), ==,
      STEREO_OK);
  return true;
}

TEST (test_learned)
{
  Random random = { 11 };

  FOR_EACH_ALGORITHM (algorithm) {
    for (int i = 0; i < 8; i++) {
      Case c;
      Images images;

      draw_case (algorithm, &random, &c);
      make_images (&c, &images, &random);
      if (set_cost (&c, "learned")) {
        if (i > 1)
          draw_network (&c, &random);
        check (&c, &images);
      }
      clear (&c, &images);
    }
  }
}

/* One of the networks gives the maps of cost=census. */
TEST (test_learned_census)
{
  Random random = { 12 };

  FOR_EACH_ALGORITHM (algorithm) {
    for (int i = 0; i < 4; i++) {
      Case c;
      Images images;

      draw_case (algorithm, &random, &c);
      c.fill = FILL_SHIFTED;
      make_images (&c, &images, &random);
      if (set_cost (&c, "census")) {
        match (0, c.params, c.name, &images.left, &images.right,
            &images.expected);
        set_cost (&c, "learned");
        set_census_network (&c);
        match (0, c.params, c.name, &images.left, &images.right, &images.map);
        report (&c, &images, "learned instead of census",
            first_difference (&images.map, &images.expected));
      }
      clear (&c, &images);
    }
  }
}

/* Any values of all parameters. */
TEST (test_parameters)
{
  Random random = { 2 };

  FOR_EACH_ALGORITHM (algorithm) {
    for (int i = 0; i < 40; i++) {
      Case c;
      Images images;

      draw_case (algorithm, &random, &c);
      c.width = random_range (&random, 1, 70);
      c.height = random_range (&random, 1, 40);
      draw_parameters (&c, &random);
      make_images (&c, &images, &random);
      check (&c, &images);
      clear (&c, &images);
    }
  }
}

/* Grey pixels give the same map in every RGB format. */
TEST (test_grey_is_grey)
{
  Random random = { 3 };

  FOR_EACH_ALGORITHM (algorithm) {
    Case c, color;
    Images images, of_color;

    draw_case (algorithm, &random, &c);
    c.width = 70;
    c.height = 33;
    c.left = c.right = STEREO_FORMAT_GRAY8;
    c.fill = FILL_SHIFTED;
    color = c;
    color.left = STEREO_FORMAT_RGB;
    color.right = STEREO_FORMAT_BGRX;
    make_images (&c, &images, &random);
    make_images (&color, &of_color, &random);
    copy_grey (&images.left, &of_color.left);
    copy_grey (&images.right, &of_color.right);
    for (size_t d = 0; d < devices_count (); d++) {
      match (d, c.params, c.name, &images.left, &images.right, &images.map);
      match (d, c.params, c.name, &of_color.left, &of_color.right,
          &of_color.map);
      report (&color, &of_color, stereo_device_name (devices_get (d)),
          first_difference (&of_color.map, &images.map));
    }
    color.params = NULL;
    clear (&c, &images);
    clear (&color, &of_color);
  }
}

/* New matchers process their first frame in uninitialized memory, the next ones
 * in memory that contains the last frame. */
TEST (test_frames)
{
  Random random = { 4 };

  FOR_EACH_ALGORITHM (algorithm) {
    Case c;
    Images images;
    StereoDevice *last = devices_get (devices_count () - 1);

    draw_case (algorithm, &random, &c);
    c.width = 372;
    c.height = 146;
    c.left = c.right = STEREO_FORMAT_BGRX;
    c.fill = FILL_SHIFTED;
    make_images (&c, &images, &random);
    match (0, c.params, c.name, &images.left, &images.right,
        &images.expected);
    for (int i = 0; i < 4; i++) {
      StereoMatcher *matcher = matcher_new (&c, &images, last);

      for (int frame = 0; frame < 4; frame++) {
        for (int y = 0; y < c.height; y++)
          memset (test_image_row (&images.map, y), 0x33,
              images.map.row_bytes);
        check_frame (matcher, last, &c, &images);
      }
      stereo_matcher_free (&matcher);
    }
    clear (&c, &images);
  }
}

/* More threads than rows, and bands of any height. */
TEST (test_threads)
{
  static const unsigned threads[] = { 4, 5, 7, 16, 33 };
  Random random = { 7 };

  for (size_t t = 0; t < sizeof (threads) / sizeof (threads[0]); t++) {
    StereoDevice *device = NULL;

    REQUIRE (stereo_device_new_cpu (threads[t], STEREO_SIMD_AUTO, &device,
            NULL) == STEREO_OK);
    FOR_EACH_ALGORITHM (algorithm) {
      for (int i = 0; i < 12; i++) {
        StereoMatcher *matcher;
        Images images;
        Case c;

        draw_case (algorithm, &random, &c);
        c.width = random_range (&random, 3, 60);
        c.height = random_range (&random, 1, i % 3 ? 60 : 200);
        if (i % 2)
          draw_parameters (&c, &random);
        make_images (&c, &images, &random);
        match (0, c.params, c.name, &images.left, &images.right,
            &images.expected);
        matcher = matcher_new (&c, &images, device);
        check_frame (matcher, device, &c, &images);
        stereo_matcher_free (&matcher);
        clear (&c, &images);
      }
    }
    stereo_device_unref (&device);
  }
}

/* Results other than the map are the same on all devices, and the map is the
 * same whether they are requested or not. */
TEST (test_results)
{
  static const StereoResult extra[] = { STEREO_RESULT_VERTICAL,
    STEREO_RESULT_CONFIDENCE
  };
  Random random = { 5 };

  FOR_EACH_ALGORITHM (algorithm) {
    for (int i = 0; i < 16; i++) {
      Case c;
      Images images;
      TestImage found[STEREO_N_RESULTS], first[STEREO_N_RESULTS];
      TestImage *results[STEREO_N_RESULTS] = { &images.map };

      draw_case (algorithm, &random, &c);
      if (i >= 12) {
        c.width = random_range (&random, 100, i == 12 ? 500 : 150);
        c.height = random_range (&random, 50, i == 12 ? 200 : 100);
        draw_parameters (&c, &random);
      }
      make_images (&c, &images, &random);
      match (0, c.params, c.name, &images.left, &images.right,
          &images.expected);
      for (size_t r = 0; r < sizeof (extra) / sizeof (extra[0]); r++) {
        test_image_init (&found[extra[r]], STEREO_FORMAT_GRAY16_LE, c.width,
            c.height, 6);
        test_image_init (&first[extra[r]], STEREO_FORMAT_GRAY16_LE, c.width,
            c.height, 6);
        if (stereo_algorithm_has_result (algorithm, extra[r]))
          results[extra[r]] = &found[extra[r]];
      }
      for (size_t d = 0; d < devices_count (); d++) {
        const char *device = stereo_device_name (devices_get (d));

        match_results (d, c.params, c.name, &images.left, &images.right,
            results);
        report (&c, &images, device,
            first_difference (&images.map, &images.expected));
        for (size_t r = 0; r < sizeof (extra) / sizeof (extra[0]); r++) {
          TestImage *now = &found[extra[r]], *then = &first[extra[r]];

          CHECK (test_image_intact (now));
          if (d > 0)
            report (&c, &images, device, first_difference (now, then));
          else
            memcpy (then->memory, now->memory, now->size);
        }
      }
      for (size_t r = 0; r < sizeof (extra) / sizeof (extra[0]); r++) {
        test_image_clear (&found[extra[r]]);
        test_image_clear (&first[extra[r]]);
      }
      clear (&c, &images);
    }
  }
}

/* Computes the expected map: the map without a threshold, invalid where the
 * confidence is at most code. */
static void
expect_threshold (const Case * c, Images * images, unsigned code)
{
  const unsigned invalid = (unsigned) param (c->params, "invalid-value");
  TestImage confidence;
  TestImage *results[STEREO_N_RESULTS] = { &images->expected };

  test_image_init (&confidence, STEREO_FORMAT_GRAY16_LE, c->width, c->height,
      0);
  results[STEREO_RESULT_CONFIDENCE] = &confidence;
  match_results (0, c->params, c->name, &images->left, &images->right,
      results);
  for (int y = 0; y < c->height; y++) {
    for (int x = 0; x < c->width; x++) {
      if ((unsigned) code_at (&confidence, x, y) <= code)
        put_code (&images->expected, x, y, invalid);
    }
  }
  test_image_clear (&confidence);
}

/* min-confidence invalidates the pixels of lower confidence and changes no
 * others, whether the confidence is requested or not. */
TEST (test_min_confidence)
{
  Random random = { 9 };

  FOR_EACH_ALGORITHM (algorithm) {
    for (int i = 0; i < 24 && stereo_algorithm_has_result (algorithm,
            STEREO_RESULT_CONFIDENCE); i++) {
      const unsigned code = (unsigned) random_range (&random, 0, 65534);
      Case c;
      Images images;

      draw_case (algorithm, &random, &c);
      if (i % 2)
        draw_parameters (&c, &random);
      /* pyramid applies no median to maps with holes */
      if (strcmp (c.name, "pyramid") == 0)
        set (&c, "median", 0);
      set (&c, "min-confidence", 0);
      make_images (&c, &images, &random);
      expect_threshold (&c, &images, code);
      set (&c, "min-confidence", (code + 0.5) / 65535);
      for (size_t d = 0; d < devices_count (); d++) {
        match (d, c.params, c.name, &images.left, &images.right, &images.map);
        report (&c, &images, stereo_device_name (devices_get (d)),
            first_difference (&images.map, &images.expected));
      }
      clear (&c, &images);
    }
  }
}

/* ------------------------------------------------------------------- series */

/* The pair of each frame.  The matcher is reset before frame RESET. */
static const int shown[] = { 0, 0, 1, 0, 1, 1, 0, 0, 1 };

#define N_SHOWN (sizeof (shown) / sizeof (shown[0]))
#define RESET 6

/* Processes all frames on a device, which may have several in flight. */
static void
match_series (StereoDevice * device, const Case * c, const Images pairs[2],
    TestImage maps[N_SHOWN])
{
  SCOPED (stereo_matcher_free) StereoMatcher *matcher
      = matcher_new (c, &pairs[0], device);

  for (size_t i = 0; i < N_SHOWN; i++) {
    const Images *pair = &pairs[shown[i]];

    test_image_init (&maps[i], c->output, c->width, c->height, 2);
    if (i == RESET)
      stereo_matcher_reset (matcher);
    CHECK_INT (stereo_matcher_process (matcher, &pair->left.image,
            &pair->right.image, &maps[i].image, NULL), ==, STEREO_OK);
  }
  CHECK_INT (stereo_matcher_sync (matcher), ==, STEREO_OK);
  for (size_t i = 0; i < N_SHOWN; i++)
    CHECK (test_image_intact (&maps[i]));
}

static void
free_series (TestImage maps[N_SHOWN])
{
  for (size_t i = 0; i < N_SHOWN; i++)
    test_image_clear (&maps[i]);
}

/* The first frame is not filtered, and a reset restarts the series. */
static void
check_series (const Case * c, const Images pairs[2], TestImage maps[N_SHOWN])
{
  const bool fractions = strcmp (c->name, "pyramid") == 0;
  SCOPED_IMAGE alone;

  test_image_init (&alone, c->output, c->width, c->height, 0);
  set ((Case *) c, "temporal", 0);
  match (0, c->params, c->name, &pairs[0].left, &pairs[0].right, &alone);
  /* not in GRAY8: its 255 levels are computed from finer codes */
  if (!fractions || c->output == STEREO_FORMAT_GRAY16_LE)
    report (c, &pairs[0], "the first frame", first_difference (&maps[0],
            &alone));
  report (c, &pairs[0], "the frame after a reset",
      first_difference (&maps[RESET], &maps[0]));
  report (c, &pairs[0], "the frame after that",
      first_difference (&maps[RESET + 1], &maps[1]));
}

/* With the temporal filter, all devices give the same bytes in every frame of a
 * series. */
TEST (test_series)
{
  Random random = { 8 };

  FOR_EACH_ALGORITHM (algorithm) {
    for (int i = 0; i < 4; i++) {
      TestImage expected[N_SHOWN], maps[N_SHOWN];
      Images pairs[2];
      Case c;

      draw_case (algorithm, &random, &c);
      c.width = random_range (&random, i % 4 == 0 ? 1 : 50, 150);
      c.height = random_range (&random, i % 4 == 0 ? 1 : 20, 60);
      c.fill = FILL_SHIFTED;
      set (&c, "temporal", random_range (&random, 1, i % 2 ? 16 : 3));
      if (i % 2)
        draw_parameters (&c, &random);
      for (int k = 0; k < 2; k++)
        make_images (&c, &pairs[k], &random);
      pairs[1].left.colorimetry = pairs[0].left.colorimetry;
      pairs[1].right.colorimetry = pairs[0].right.colorimetry;
      for (size_t d = 0; d < devices_count (); d++) {
        match_series (devices_get (d), &c, pairs, d == 0 ? expected : maps);
        for (size_t k = 0; k < N_SHOWN && d > 0; k++)
          report (&c, &pairs[shown[k]], stereo_device_name (devices_get (d)),
              first_difference (&maps[k], &expected[k]));
        if (d > 0)
          free_series (maps);
      }
      check_series (&c, pairs, expected);
      free_series (expected);
      test_image_clear (&pairs[1].left);
      test_image_clear (&pairs[1].right);
      test_image_clear (&pairs[1].map);
      test_image_clear (&pairs[1].expected);
      clear (&c, &pairs[0]);
    }
  }
}

/* A random case of a random algorithm; one in 16 is large. */
static size_t
run_random (Random * random)
{
  size_t n = 0;
  Images images;
  Case c;

  while (stereo_algorithm_get (n) != NULL)
    n++;
  draw_case (stereo_algorithm_get (random_next (random) % n), random, &c);
  if (random_range (random, 0, 15) == 0) {
    c.width = random_range (random, 130, 400);
    c.height = random_range (random, 70, 200);
  }
  draw_parameters (&c, random);
  make_images (&c, &images, random);
  check (&c, &images);
  clear (&c, &images);
  return devices_count () - 1;
}

int
main (int argc, char **argv)
{
  return harness_main (argc, argv, run_random);
}
