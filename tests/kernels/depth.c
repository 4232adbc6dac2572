/* gst-stereomatching: tests of the depth operation
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/runner.h"
#include "crc32.h"
#include "geometry/depth.h"
#include "harness.h"

#include <math.h>

#define N_CODES 65536

/* A camera like KITTI's, one like Middlebury 2014, and range limits. */
static const StereoDepthParams cameras[] = {
  {.metric = {.focal_length = 700,.baseline = 0.12,.disparity_scale = 16},
      .depth_scale = 1000,.range_max = 65.535},
  {.metric = {.focal_length = 3997.684,.baseline = 0.193001,.doffs = 131.111,
          .disparity_scale = 256,.invalid_value = -1},
      .depth_scale = 1000,.range_max = 1e9},
  {.metric = {.focal_length = 721.5377,.baseline = 0.5327,
          .disparity_scale = 256,.min_disparity = -3,.invalid_value = 2000},
      .depth_scale = 256,.range_min = 2,.range_max = 90},
  {.metric = {.focal_length = 10,.baseline = 0.001,.disparity_scale = 1,
          .invalid_value = 255},
      .depth_scale = 1,.range_max = 10},
};

/* --------------------------------------------------------------------- rig */

static StereoRunner *
new_runner (size_t device, const StereoDepthParams * params,
    StereoFormat format, int width, int height)
{
  StereoPortSetup in = { format, width, height, 1 };
  StereoPortSetup out = { STEREO_FORMAT_GRAY16_LE, width, height, 1 };
  StereoRunner *runner = NULL;

  REQUIRE (stereo_runner_new (&stereo_depth_op, devices_get (device), &runner,
          NULL) == STEREO_OK);
  REQUIRE (stereo_runner_configure (runner, &in, &out, params) == STEREO_OK);
  return runner;
}

static void
run (StereoRunner * runner, const TestImage * map, TestImage * depth)
{
  const StereoImage *inputs[] = { &map->image }, *outputs[] = {
    &depth->image
  };

  REQUIRE (stereo_runner_process (runner, inputs, outputs, NULL) == STEREO_OK);
  REQUIRE (stereo_runner_sync (runner) == STEREO_OK);
  CHECK (test_image_intact (depth));
}

/* Depths of all codes on the first device, as an image of 256x256. */
static void
all_depths (const StereoDepthParams * params, uint16_t depths[N_CODES])
{
  StereoRunner *runner = new_runner (0, params, STEREO_FORMAT_GRAY16_LE, 256,
      256);
  SCOPED_IMAGE map, depth;

  test_image_init (&map, STEREO_FORMAT_GRAY16_LE, 256, 256, 0);
  test_image_init (&depth, STEREO_FORMAT_GRAY16_LE, 256, 256, 0);
  for (unsigned code = 0; code < N_CODES; code++)
    put_code (&map, (int) (code % 256), (int) (code / 256), code);
  run (runner, &map, &depth);
  for (int code = 0; code < N_CODES; code++)
    depths[code] = (uint16_t) code_at (&depth, code % 256, code / 256);
  stereo_runner_free (&runner);
}

/* ------------------------------------------------------------------ oracle */

/* Checks a depth in long double by its inverse: the code's disparity must lie
 * between those of depth codes half a step below and above. */
static void
check_depth (const StereoDepthParams * p, int code, unsigned depth)
{
  long double disparity = (long double) code / p->metric.disparity_scale
      + p->metric.min_disparity + p->metric.doffs;
  long double fb = (long double) p->metric.focal_length * p->metric.baseline;
  long double slack = 1e-9L;
  bool unknown = code == p->metric.invalid_value || disparity <= 0;

  if (!unknown) {
    long double z = fb / disparity;

    /* within rounding errors of a limit, both results are valid */
    if (fabsl (z - p->range_min) < slack || fabsl (z - p->range_max) < slack)
      return;
    unknown = z < p->range_min || z > p->range_max
        || z * p->depth_scale >= 65535.5L;
  }
  if (unknown) {
    CHECK_INT (depth, ==, 0);
    return;
  }
  CHECK_INT (depth, >, 0);
  CHECK (fb * p->depth_scale <= disparity * (depth + 0.5L + slack));
  if (depth > 1)
    CHECK (fb * p->depth_scale >= disparity * (depth - 0.5L - slack));
}

static uint32_t
crc32_of (const uint16_t * words, size_t n)
{
  uint32_t crc = 0;

  for (size_t i = 0; i < n; i++) {
    const uint8_t bytes[] = { (uint8_t) words[i], (uint8_t) (words[i] >> 8) };

    crc = test_crc32 (crc, bytes, sizeof (bytes));
  }
  return crc;
}

/* -------------------------------------------------------------------- tests */

TEST (test_formula)
{
  static uint16_t depths[N_CODES];

  for (size_t c = 0; c < sizeof (cameras) / sizeof (cameras[0]); c++) {
    all_depths (&cameras[c], depths);
    for (int code = 0; code < N_CODES; code++)
      check_depth (&cameras[c], code, depths[code]);
  }
}

/* Reference values, computed independently: some codes, and a checksum of
 * all. */
TEST (test_known)
{
  static const int codes[2][7] = {
    {16, 20, 21, 160, 1024, 1344, 65535}, {1, 256, 2560, 25600, 65535, 1, 1}
  };
  static const int known[2][7] = {
    {0, 0, 64000, 8400, 1313, 1000, 21},
    {5885, 5840, 5468, 3338, 1993, 5885, 5885}
  };
  static const uint32_t sums[2] = { 0x907bb8f4, 0xe72b9b49 };
  static uint16_t depths[N_CODES];

  for (size_t c = 0; c < 2; c++) {
    StereoDepthParams params = cameras[c];

    params.range_max = 1e9;
    params.metric.invalid_value = 0;
    all_depths (&params, depths);
    for (int i = 0; i < 7; i++)
      CHECK_INT (depths[codes[c][i]], ==, known[c][i]);
    CHECK_INT (crc32_of (depths, N_CODES), ==, sums[c]);
  }
}

/* All formats, row alignments and sizes give the depths that the first device
 * computes for all codes. */
TEST (test_devices)
{
  static const int sizes[][3] = {
    {1, 1, 0}, {7, 3, 1}, {8, 2, 0}, {67, 31, 5}, {640, 9, 0}, {333, 17, 16}
  };
  static uint16_t depths[N_CODES];
  Random random = { 1 };

  for (size_t i = 0; i < 6 * 2 * sizeof (cameras) / sizeof (cameras[0]); i++) {
    const StereoDepthParams *params = &cameras[i / 12];
    const int *size = sizes[i % 6];
    const StereoFormat format = i % 12 < 6 ? STEREO_FORMAT_GRAY8
        : STEREO_FORMAT_GRAY16_LE;
    SCOPED_IMAGE map, depth;

    all_depths (params, depths);
    test_image_init (&map, format, size[0], size[1], (size_t) size[2]);
    test_image_init (&depth, STEREO_FORMAT_GRAY16_LE, size[0], size[1],
        2 * (size_t) size[2]);
    for (int y = 0; y < size[1]; y++)
      for (int x = 0; x < size[0]; x++)
        put_code (&map, x, y, random_next (&random) % N_CODES);
    for (size_t d = 0; d < devices_count (); d++) {
      StereoRunner *runner = new_runner (d, params, format, size[0], size[1]);
      int wrong = 0;

      for (int y = 0; y < size[1]; y++)
        memset (test_image_row (&depth, y), 0xee, depth.row_bytes);
      run (runner, &map, &depth);
      for (int y = 0; y < size[1]; y++)
        for (int x = 0; x < size[0]; x++)
          wrong += code_at (&depth, x, y) != depths[code_at (&map, x, y)];
      CHECK_INT (wrong, ==, 0);
      stereo_runner_free (&runner);
    }
  }
}

static void
check_refused (StereoRunner * runner, const StereoDepthParams * params,
    const char *text)
{
  StereoPortSetup in = { STEREO_FORMAT_GRAY8, 4, 3, 1 };
  StereoPortSetup out = { STEREO_FORMAT_GRAY16_LE, 4, 3, 1 };

  CHECK_INT (stereo_runner_configure (runner, &in, &out, params), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (stereo_runner_message (runner)->text, text);
}

TEST (test_errors)
{
  StereoRunner *runner = new_runner (0, &cameras[0], STEREO_FORMAT_GRAY8, 4,
      3);
  StereoDepthParams params = cameras[0];

  params.metric.focal_length = 0;
  check_refused (runner, &params, "a focal-length and a baseline above 0, not "
      "0 pixels and 0.12 metres");
  params = cameras[0];
  params.metric.baseline = NAN;
  check_refused (runner, &params, "a focal-length and a baseline");
  params = cameras[0];
  params.range_min = 70;
  check_refused (runner, &params, "range-max = 65.535 metres has to be "
      "range-min = 70 metres or more");
  stereo_runner_free (&runner);
}

/* -------------------------------------------------------------------- times */

#define N_IMAGES 16
#define RUNS 200

/* Times the operation with all images on the device. */
static void
bench_device (size_t index, int width, int height)
{
  StereoDevice *device = devices_get (index);
  StereoRunner *runner = new_runner (index, &cameras[0],
      STEREO_FORMAT_GRAY16_LE, width, height);
  const size_t bytes = 2 * (size_t) width * (size_t) height;
  StereoImage maps[N_IMAGES], depth;
  StereoMatcherStats stats;
  uint64_t best = UINT64_MAX;
  Random random = { 1 };
  SCOPED_IMAGE host;

  test_image_init (&host, STEREO_FORMAT_GRAY16_LE, width, height, 0);
  for (int i = 0; i <= N_IMAGES; i++) {
    StereoImage *image = i < N_IMAGES ? &maps[i] : &depth;

    *image = host.image;
    image->memory = STEREO_MEMORY_DEVICE;
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++)
        put_code (&host, x, y, 160 + random_next (&random) % 1024);
    REQUIRE (stereo_device_alloc (device, bytes, &image->plane[0], NULL)
        == STEREO_OK);
    REQUIRE (stereo_device_copy (device, image->plane[0], host.image.plane[0],
            bytes, NULL) == STEREO_OK);
  }
  for (int i = 0; i < RUNS; i++) {
    const StereoImage *inputs[] = { &maps[i % N_IMAGES] }, *outputs[] = {
      &depth
    };

    REQUIRE (stereo_runner_process (runner, inputs, outputs, NULL)
        == STEREO_OK);
    REQUIRE (stereo_runner_sync (runner) == STEREO_OK);
    stereo_runner_get_stats (runner, &stats);
    best = stats.last_ns < best ? stats.last_ns : best;
  }
  printf ("%-28s %4dx%-4d min %9.2f us\n", stereo_device_name (device), width,
      height, (double) best / 1e3);
  for (int i = 0; i <= N_IMAGES; i++)
    stereo_device_free (device, i < N_IMAGES ? &maps[i].plane[0]
        : &depth.plane[0]);
  stereo_runner_free (&runner);
}

KERNEL_MAIN (bench_devices (bench_device, argc, argv))
