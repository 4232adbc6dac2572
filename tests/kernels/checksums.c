/* gst-stereomatching: checksums of maps, to compare machines
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 *   kernels-checksums [CASES]
 *
 * Matches small images of many formats on the CPU, with every algorithm and
 * random parameters, and prints each case and a checksum of its maps.  The
 * output is the same on all machines; tests/aarch64.sh compares it.  The
 * program itself compares the instruction sets of this machine.
 */

#include "harness.h"
#include "test.h"

#define DEFAULT_CASES 24        /* per algorithm */
#define MOST_DISPARITIES 40     /* more would only take longer */

static const StereoSimd simds[] = {
  STEREO_SIMD_NONE, STEREO_SIMD_GENERIC, STEREO_SIMD_AVX2, STEREO_SIMD_AVX512
};

static const StereoFormat formats[] = {
  STEREO_FORMAT_GRAY8, STEREO_FORMAT_GRAY16_LE, STEREO_FORMAT_RGB,
  STEREO_FORMAT_BGRX, STEREO_FORMAT_NV12, STEREO_FORMAT_I420,
  STEREO_FORMAT_Y444
};

#define N_FORMATS (sizeof (formats) / sizeof (formats[0]))

typedef struct
{
  const StereoAlgorithm *algorithm;
  StereoParams *params;
  TestImage left, right;
} Case;

/* A random value in the range of spec; the default half of the time. */
static double
random_value (const StereoParamSpec * spec, double initial, Random * random)
{
  double most = spec->maximum;

  if (random_range (random, 0, 1))
    return initial;
  if (spec->type == STEREO_PARAM_DOUBLE) {
    /* near the default: extreme values give degenerate maps */
    double step = (initial > 0 ? initial : 1) / 16;
    double value = initial + step * random_range (random, -16, 16);

    return value < spec->minimum ? spec->minimum : value > most ? most : value;
  }
  if (strcmp (spec->name, "num-disparities") == 0)
    most = MOST_DISPARITIES;
  if (most > spec->minimum + 1000)
    most = spec->minimum + 1000;
  return random_range (random, (int) spec->minimum, (int) most);
}

/* The threshold is not varied: it only removes pixels, and checksums remain
 * comparable with versions that lack it. */
static bool
is_drawn (const StereoParamSpec * spec)
{
  return strcmp (spec->name, "min-confidence") != 0;
}

static void
print_case (const Case * c)
{
  const StereoParamSpec *spec;

  printf ("%s %dx%d %s %s", stereo_algorithm_name (c->algorithm),
      c->left.image.width, c->left.image.height,
      stereo_format_name (c->left.image.format),
      stereo_format_name (c->right.image.format));
  for (size_t i = 0; (spec = stereo_algorithm_param (c->algorithm, i)); i++) {
    if (is_drawn (spec))
      printf (" %s=%.17g", spec->name, param (c->params, spec->name));
  }
}

static void
case_init (Case * c, const StereoAlgorithm * algorithm, Random * random)
{
  const StereoParamSpec *spec;
  StereoFormat left, right;
  Fill fill = FILL_SHIFTED;
  int width, height;

  c->algorithm = algorithm;
  REQUIRE (stereo_params_new (algorithm, &c->params) == STEREO_OK);
  for (size_t i = 0; (spec = stereo_algorithm_param (algorithm, i)); i++) {
    double value;

    if (!is_drawn (spec))
      continue;
    value = random_value (spec, strcmp (spec->name, "num-disparities")
        ? stereo_algorithm_param_initial (algorithm, spec) : 16, random);
    REQUIRE (stereo_params_set (c->params, spec->name, value,
            NULL) == STEREO_OK);
  }
  /* separate statements, because argument evaluation order is unspecified */
  left = formats[random_range (random, 0, N_FORMATS - 1)];
  right = formats[random_range (random, 0, N_FORMATS - 1)];
  width = random_range (random, 16, 110);
  height = random_range (random, 8, 70);
  if (random_range (random, 0, 3) == 0)
    fill = (Fill) random_range (random, 0, N_FILLS - 1);
  init_pair (&c->left, &c->right, left, right, width, height, fill, random);
}

static void
case_clear (Case * c)
{
  stereo_params_free (&c->params);
  test_image_clear (&c->left);
  test_image_clear (&c->right);
}

/* FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo, 1991) of the pixels. */
static uint64_t
checksum_add (uint64_t sum, const TestImage * map)
{
  for (int y = 0; y < map->image.height; y++) {
    const uint8_t *row = test_image_row (map, y);

    for (size_t i = 0; i < map->row_bytes; i++)
      sum = (sum ^ row[i]) * 0x100000001b3u;
  }
  return sum;
}

/* Checksum of all results; 0 if the parameters are invalid for this size. */
static uint64_t
case_checksum (const Case * c, StereoDevice * device)
{
  StereoMatcher *matcher = NULL;
  TestImage maps[STEREO_N_RESULTS];
  const StereoImage *results[STEREO_N_RESULTS] = { NULL };
  StereoMatcherConfig config = STEREO_MATCHER_CONFIG_INIT;
  uint64_t sum = 0xcbf29ce484222325u;

  config.width = c->left.image.width;
  config.height = c->left.image.height;
  config.left = c->left.image.format;
  config.right = c->right.image.format;
  config.output = STEREO_FORMAT_GRAY16_LE;
  config.left_colorimetry = c->left.colorimetry;
  config.right_colorimetry = c->right.colorimetry;
  REQUIRE (stereo_matcher_new (c->algorithm, device, &matcher) == STEREO_OK);
  if (stereo_matcher_configure (matcher, &config, c->params) != STEREO_OK) {
    stereo_matcher_free (&matcher);
    return 0;
  }

  for (int r = 0; r < STEREO_N_RESULTS; r++) {
    if (!stereo_algorithm_has_result (c->algorithm, (StereoResult) r))
      continue;
    test_image_init (&maps[r], STEREO_FORMAT_GRAY16_LE, config.width,
        config.height, 6);
    results[r] = &maps[r].image;
  }
  CHECK_INT (stereo_matcher_process_results (matcher, &c->left.image,
          &c->right.image, results, STEREO_N_RESULTS, NULL), ==, STEREO_OK);
  for (int r = 0; r < STEREO_N_RESULTS; r++) {
    if (results[r] == NULL)
      continue;
    sum = checksum_add (sum, &maps[r]);
    test_image_clear (&maps[r]);
  }
  stereo_matcher_free (&matcher);
  return sum;
}

static void
check_case (const Case * c)
{
  uint64_t first = 0;

  for (size_t i = 0; i < sizeof (simds) / sizeof (simds[0]); i++) {
    StereoDevice *device = NULL;
    uint64_t sum;

    if (!stereo_simd_available (simds[i]))
      continue;
    REQUIRE (stereo_device_new_cpu (2, simds[i], &device, NULL) == STEREO_OK);
    sum = case_checksum (c, device);
    stereo_device_unref (&device);
    if (i == 0) {
      first = sum;
      print_case (c);
      printf (": %016llx\n", (unsigned long long) sum);
    } else if (sum != first && test_failures++ < TEST_MAX_REPORTS)
      printf ("failed: %s has %016llx\n", stereo_simd_name (simds[i]),
          (unsigned long long) sum);
  }
}

int
main (int argc, char **argv)
{
  const StereoAlgorithm *algorithm;
  int n_cases = argc > 1 ? atoi (argv[1]) : DEFAULT_CASES;

  for (size_t a = 0; (algorithm = stereo_algorithm_get (a)); a++) {
    Random random = { 1 };

    for (int i = 0; i < n_cases; i++) {
      Case c;

      case_init (&c, algorithm, &random);
      check_case (&c);
      case_clear (&c);
    }
  }
  return test_failures > 0;
}
