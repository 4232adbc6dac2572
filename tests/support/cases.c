/* gst-stereomatching: test cases for comparisons with oracles on all devices
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "cases.h"

#include "core/testing-cuda.h"

#define N(array) ((int) (sizeof (array) / sizeof ((array)[0])))

/* -------------------------------------------------------------------- cases */

void
each_fill (const Views * usual, ViewsCheck check)
{
  Random random = { 1 };

  for (int fill = 0; fill < N_FILLS; fill++) {
    Views v = *usual;

    v.fill = (Fill) fill;
    check (&v, 2 * fill, &random);
    v.left = v.right = STEREO_FORMAT_RGB;
    check (&v, 2 * fill + 1, &random);
  }
}

void
each_size (const Views * usual, ViewsCheck check)
{
  static const int sizes[][2] = {
    {1, 1}, {1, 9}, {9, 1}, {2, 2}, {3, 5}, {15, 17}, {16, 16}, {17, 15},
    {31, 33}, {32, 32}, {33, 64}, {65, 7}, {7, 65}, {129, 3}, {130, 66}
  };
  Random random = { 2 };

  for (int i = 0; i < N (sizes); i++) {
    Views v = *usual;

    v.width = sizes[i][0];
    v.height = sizes[i][1];
    v.n = 6;
    v.fill = FILL_RANDOM;
    check (&v, i, &random);
  }
}

void
each_range (const Views * usual, ViewsCheck check)
{
  const int w = usual->width;
  const int ranges[][2] = {
    {1, 0}, {2, 0}, {3, 1}, {15, 0}, {16, 0}, {17, 0}, {100, 0}, {w - 1, 0},
    {w, 0}, {w + 1, 0}, {8, -4}, {8, -8}, {60, -30}, {129, -20}, {200, -100},
    {1, w - 1}, {5, w - 2}, {5, w}, {3, -w - 1}, {3, -w - 2}, {1, 1 - w},
    {70, -2048}, {9, 2048}
  };
  Random random = { 3 };

  for (int i = 0; i < N (ranges); i++) {
    Views v = *usual;

    v.n = ranges[i][0];
    v.min = ranges[i][1];
    v.height = 7;
    v.fill = i % 2 ? FILL_RANDOM : FILL_SHIFTED;
    check (&v, i, &random);
  }
}

void
each_format (const Views * usual, ViewsCheck check)
{
  static const StereoFormat formats[][2] = {
    {STEREO_FORMAT_GRAY16_LE, STEREO_FORMAT_GRAY16_LE},
    {STEREO_FORMAT_RGBX, STEREO_FORMAT_XRGB},
    {STEREO_FORMAT_BGRX, STEREO_FORMAT_XBGR},
    {STEREO_FORMAT_RGB, STEREO_FORMAT_GRAY8},
    {STEREO_FORMAT_GRAY16_LE, STEREO_FORMAT_BGR},
    {STEREO_FORMAT_NV12, STEREO_FORMAT_I420},
    {STEREO_FORMAT_XBGR, STEREO_FORMAT_NV21},
    {STEREO_FORMAT_YV12, STEREO_FORMAT_Y42B},
    {STEREO_FORMAT_Y444, STEREO_FORMAT_RGB},
    {STEREO_FORMAT_NV21, STEREO_FORMAT_NV21},
    {STEREO_FORMAT_GRAY8, STEREO_FORMAT_NV12},
  };
  Random random = { 5 };

  for (int i = 0; i < N (formats); i++) {
    Views v = *usual;

    v.left = formats[i][0];
    v.right = formats[i][1];
    v.fill = i % 2 ? FILL_RANDOM : FILL_SHIFTED;
    check (&v, i, &random);
  }
}

/* ------------------------------------------------------------------ devices */

void
report_difference (const char *algorithm, const StereoParams * params,
    const TestImage * left, const TestImage * right, const char *where,
    const char *difference)
{
  const StereoAlgorithm *a = stereo_algorithm_find (algorithm);
  const StereoParamSpec *spec;
  double value;

  if (difference == NULL)
    return;
  fprintf (stderr, "%s on %s, %dx%d, %s and %s, fill %d:", algorithm, where,
      left->image.width, left->image.height,
      stereo_format_name (left->image.format),
      stereo_format_name (right->image.format), (int) left->fill);
  for (size_t i = 0; (spec = stereo_algorithm_param (a, i)) != NULL; i++) {
    if (stereo_params_get (params, spec->name, &value)
        && value != stereo_algorithm_param_initial (a, spec))
      fprintf (stderr, " %s=%g", spec->name, value);
  }
  fprintf (stderr, ": %s\n", difference);
  CHECK (!"as expected");
}

void
check_codes (const char *algorithm, const StereoParams * params,
    const TestImage * left, const TestImage * right, const int *expected)
{
  int width = left->image.width, height = left->image.height;
  SCOPED_IMAGE map;

  test_image_init (&map, STEREO_FORMAT_GRAY16_LE, width, height, 6);
  for (size_t d = 0; d < devices_count (); d++) {
    char text[80];
    int wrong = 0;

    match (d, params, algorithm, left, right, &map);
    for (int i = 0; i < width * height; i++) {
      int code = code_at (&map, i % width, i / width);
      int right_one = expected[i] < 0 ? 65535 : expected[i];

      if (code != right_one && wrong++ == 0)
        snprintf (text, sizeof (text), "(%d, %d): %d, oracle %d", i % width,
            i / width, code, right_one);
    }
    report_difference (algorithm, params, left, right,
        stereo_device_name (devices_get (d)), wrong > 0 ? text : NULL);
  }
}

void
check_devices (const char *algorithm, const StereoParams * params,
    const TestImage * left, const TestImage * right, StereoFormat output)
{
  SCOPED_IMAGE map, expected;

  test_image_init (&map, output, left->image.width, left->image.height, 10);
  test_image_init (&expected, output, left->image.width, left->image.height,
      0);
  match (0, params, algorithm, left, right, &expected);
  for (size_t d = 1; d < devices_count (); d++) {
    match (d, params, algorithm, left, right, &map);
    report_difference (algorithm, params, left, right,
        stereo_device_name (devices_get (d)),
        first_difference (&map, &expected));
  }
}

void
check_shared_limit (const char *algorithm, const StereoParams * params,
    const TestImage * left, const TestImage * right, int bytes)
{
  const int width = left->image.width, height = left->image.height;
  const size_t last = devices_count () - 1;
  SCOPED_IMAGE map, expected;

  test_image_init (&map, STEREO_FORMAT_GRAY16_LE, width, height, 0);
  test_image_init (&expected, STEREO_FORMAT_GRAY16_LE, width, height, 0);
  match (0, params, algorithm, left, right, &expected);
  stereo_cuda_pretend_shared_limit (devices_get (last), bytes);
  match (last, params, algorithm, left, right, &map);
  stereo_cuda_pretend_shared_limit (devices_get (last), 227 << 10);
  report_difference (algorithm, params, left, right, "less shared memory",
      first_difference (&map, &expected));
}
