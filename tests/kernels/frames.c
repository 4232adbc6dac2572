/* gst-stereomatching: matches frames, to count instructions
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 *   kernels-frames ALGORITHM WIDTH HEIGHT FRAMES SIMD [NAME=VALUE ...]
 *
 * Matches the same pair of GRAY8 images FRAMES times on one thread, without
 * output.  SIMD is a name of stereo_simd_name().  tests/aarch64-instructions.sh
 * runs it.
 */

#include "harness.h"

static bool
find_simd (const char *name, StereoSimd * simd)
{
  for (int s = 0; stereo_simd_name ((StereoSimd) s) != NULL; s++) {
    if (strcmp (stereo_simd_name ((StereoSimd) s), name) == 0) {
      *simd = (StereoSimd) s;
      return true;
    }
  }
  return false;
}

static bool
set_params (StereoParams * params, int n, char **settings)
{
  StereoMessage why;

  for (int i = 0; i < n; i++) {
    char *equal = strchr (settings[i], '=');

    if (equal == NULL) {
      fprintf (stderr, "Expected NAME=VALUE, got '%s'\n", settings[i]);
      return false;
    }
    *equal = '\0';
    if (stereo_params_set_text (params, settings[i], equal + 1, &why)
        != STEREO_OK) {
      fprintf (stderr, "%s\n", why.text);
      return false;
    }
  }
  return true;
}

static void
match_frames (const StereoAlgorithm * algorithm, StereoDevice * device,
    const StereoParams * params, int width, int height, int frames)
{
  StereoMatcher *matcher = NULL;
  StereoMatcherConfig config = STEREO_MATCHER_CONFIG_INIT;
  Random random = { 1 };
  SCOPED_IMAGE left, right, map;

  init_pair (&left, &right, STEREO_FORMAT_GRAY8, STEREO_FORMAT_GRAY8, width,
      height, FILL_SHIFTED, &random);
  test_image_init (&map, STEREO_FORMAT_GRAY16_LE, width, height, 0);
  config.width = width;
  config.height = height;
  config.left = config.right = STEREO_FORMAT_GRAY8;
  config.output = STEREO_FORMAT_GRAY16_LE;
  REQUIRE (stereo_matcher_new (algorithm, device, &matcher) == STEREO_OK);
  REQUIRE (stereo_matcher_configure (matcher, &config, params) == STEREO_OK);
  for (int i = 0; i < frames; i++)
    REQUIRE (stereo_matcher_process (matcher, &left.image, &right.image,
            &map.image, NULL) == STEREO_OK);
  stereo_matcher_free (&matcher);
}

int
main (int argc, char **argv)
{
  const StereoAlgorithm *algorithm;
  StereoDevice *device = NULL;
  StereoSimd simd;
  SCOPED_PARAMS *params = NULL;

  if (argc < 6 || (algorithm = stereo_algorithm_find (argv[1])) == NULL
      || !find_simd (argv[5], &simd)) {
    fprintf (stderr, "usage: %s ALGORITHM WIDTH HEIGHT FRAMES SIMD "
        "[NAME=VALUE ...]\n", argv[0]);
    return 2;
  }
  REQUIRE (stereo_params_new (algorithm, &params) == STEREO_OK);
  if (!set_params (params, argc - 6, argv + 6))
    return 2;
  REQUIRE (stereo_device_new_cpu (1, simd, &device, NULL) == STEREO_OK);
  match_frames (algorithm, device, params, atoi (argv[2]), atoi (argv[3]),
      atoi (argv[4]));
  stereo_device_unref (&device);
  return 0;
}
