/* gst-stereomatching: tests of the point cloud operation
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/runner.h"
#include "crc32.h"
#include "geometry/cloud.h"
#include "harness.h"

#include <math.h>

/* ---------------------------------------------------------------------- rig */

/* A map, a view (format STEREO_N_FORMATS: none), and the outputs. */
typedef struct
{
  StereoCloudParams params;
  StereoCloudSize size;
  TestImage map;
  TestImage view;
  TestImage points;
  TestImage counts;
} Rig;

static const StereoCloudParams camera = {
  .metric = {.focal_length = 700,.baseline = 0.12,.disparity_scale = 16},
  .cx = STEREO_CLOUD_MIDDLE,
  .cy = STEREO_CLOUD_MIDDLE,
  .step = 1,
};

static void
open_rig (Rig * rig, const StereoCloudParams * params, StereoFormat map,
    StereoFormat view, int width, int height, size_t padding)
{
  Random random = { 1 };

  memset (rig, 0, sizeof (*rig));
  rig->params = *params;
  rig->params.colors = view != STEREO_N_FORMATS;
  rig->size = stereo_cloud_size (&rig->params, width, height);
  test_image_init (&rig->map, map, width, height, padding);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      put_code (&rig->map, x, y, random_next (&random) % 4 == 0 ? 0
          : random_next (&random));
  if (rig->params.colors) {
    SCOPED_IMAGE other;

    init_pair (&rig->view, &other, view, view, width, height, FILL_RANDOM,
        &random);
    rig->params.colorimetry = rig->view.colorimetry;
  }
  test_image_init (&rig->points, rig->size.format, rig->size.columns,
      rig->size.rows, padding);
  test_image_init (&rig->counts, STEREO_FORMAT_U32, rig->size.rows, 1, 0);
}

static void
close_rig (Rig * rig)
{
  test_image_clear (&rig->map);
  if (rig->params.colors)
    test_image_clear (&rig->view);
  test_image_clear (&rig->points);
  test_image_clear (&rig->counts);
}

static StereoPortSetup
setup_of (const TestImage * image)
{
  return (StereoPortSetup) {
    image->image.format, image->image.width, image->image.height,
        image->n_planes
  };
}

static StereoStatus
configure (StereoRunner * runner, const Rig * rig)
{
  const StereoPortSetup none = { STEREO_FORMAT_GRAY8, 1, 1, 1 };
  const StereoPortSetup in[] = { setup_of (&rig->map),
    rig->params.colors ? setup_of (&rig->view) : none
  };
  const StereoPortSetup out[] = { setup_of (&rig->points),
    setup_of (&rig->counts)
  };

  return stereo_runner_configure (runner, in, out, &rig->params);
}

static StereoRunner *
new_runner (size_t device, const Rig * rig)
{
  StereoRunner *runner = NULL;

  REQUIRE (stereo_runner_new (&stereo_cloud_op, devices_get (device), &runner,
          NULL) == STEREO_OK);
  REQUIRE (configure (runner, rig) == STEREO_OK);
  return runner;
}

static void
run (size_t device, Rig * rig)
{
  SCOPED (stereo_runner_free) StereoRunner *runner = new_runner (device, rig);
  const StereoImage *inputs[] = { &rig->map.image,
    rig->params.colors ? &rig->view.image : NULL
  };
  const StereoImage *outputs[] = { &rig->points.image,
    rig->params.packed ? &rig->counts.image : NULL
  };

  for (int y = 0; y < rig->size.rows; y++)
    memset (test_image_row (&rig->points, y), 0xee, rig->points.row_bytes);
  REQUIRE (stereo_runner_process (runner, inputs, outputs, NULL) == STEREO_OK);
  REQUIRE (stereo_runner_sync (runner) == STEREO_OK);
  CHECK (test_image_intact (&rig->points));
  CHECK (test_image_intact (&rig->counts));
}

static uint32_t
word_at (const uint8_t * at)
{
  uint32_t word;

  memcpy (&word, at, sizeof (word));
  return word;
}

static float
float_at (const uint8_t * at)
{
  float number;

  memcpy (&number, at, sizeof (number));
  return number;
}

/* ------------------------------------------------------------------- oracle */

/* The point of a pixel in long double; false if there is none. */
static bool
locate (const Rig * rig, int x, int y, long double point[3])
{
  const StereoCloudParams *p = &rig->params;
  const int code = code_at (&rig->map, x, y);
  const long double cx = p->cx > STEREO_CLOUD_MIDDLE ? p->cx
      : (rig->map.image.width - 1) / 2.0L;
  const long double cy = p->cy > STEREO_CLOUD_MIDDLE ? p->cy
      : (rig->map.image.height - 1) / 2.0L;
  long double disparity = (long double) code / p->metric.disparity_scale
      + p->metric.min_disparity + p->metric.doffs;
  long double z = (long double) p->metric.focal_length * p->metric.baseline
      / disparity;

  point[0] = (x - cx) * z / p->metric.focal_length;
  point[1] = (y - cy) * z / p->metric.focal_length;
  point[2] = z;
  if (p->projection == STEREO_PROJECTION_CYLINDER) {
    point[1] = z * sinl ((y - cy) / p->metric.focal_length);
    point[2] = z * cosl ((y - cy) / p->metric.focal_length);
  }
  if (p->axes == STEREO_AXES_GRAPHICS) {
    point[1] = -point[1];
    point[2] = -point[2];
  }
  return code != p->metric.invalid_value && disparity > 0 && z >= p->range_min
      && (p->range_max == 0 || z <= p->range_max);
}

/* Tolerance: two roundings of z and a factor, and one of the product. */
static bool
near (long double value, float number)
{
  return fabsl (value - (long double) number) <= fabsl (value) * 2.5e-7L
      + 1e-30L;
}

static void
check_color (const Rig * rig, int x, int y, const uint8_t * bytes)
{
  int yuv[3], rgb[3];
  double real[3];

  if (rig->view.image.format >= STEREO_FORMAT_NV12) {
    test_image_yuv (&rig->view, x, y, yuv);
    oracle_yuv (rig->view.colorimetry, yuv, real);
  } else {
    test_image_rgb (&rig->view, x, y, rgb);
    for (int i = 0; i < 3; i++)
      real[i] = rgb[i];
  }
  for (int i = 0; i < 3; i++) {
    const double want = real[i] < 0 ? 0 : real[i] > 255 ? 255 : real[i];

    CHECK (fabs (want - bytes[i]) <= 1);
  }
}

/* Compares a row of points with the oracle. */
static void
check_row (const Rig * rig, int row)
{
  const int step = (int) rig->params.step, bytes = rig->size.point_bytes;
  const uint8_t *at = test_image_row (&rig->points, row);
  const uint8_t *end = at + rig->points.row_bytes;
  uint32_t n = 0;

  for (int column = 0; column < rig->size.columns; column++) {
    long double point[3];
    bool known = locate (rig, column * step, row * step, point);

    if (!known && rig->params.packed)
      continue;
    for (int i = 0; i < 3; i++)
      CHECK (known ? near (point[i], float_at (at + 4 * i))
          : word_at (at + 4 * i) == 0x7fc00000);
    if (rig->params.colors && rig->params.packed) {
      check_color (rig, column * step, row * step, at + 12);
    } else if (rig->params.colors) {
      const uint32_t word = word_at (at + 12);
      const uint8_t rgb[] = { (uint8_t) (word >> 16), (uint8_t) (word >> 8),
        (uint8_t) word
      };

      CHECK (word >> 24 == 0);
      check_color (rig, column * step, row * step, rgb);
    }
    at += bytes;
    n++;
  }
  if (rig->params.packed)
    CHECK_INT (word_at (test_image_row (&rig->counts, 0) + 4 * row), ==, n);
  for (; at < end; at++)
    CHECK (*at == 0);
}

static uint32_t
crc32_of (const TestImage * image)
{
  uint32_t crc = 0;

  for (int y = 0; y < image->image.height; y++)
    crc = test_crc32 (crc, test_image_row (image, y), image->row_bytes);
  return crc;
}

/* -------------------------------------------------------------------- tests */

static const StereoCloudParams cameras[] = {
  {.metric = {.focal_length = 700,.baseline = 0.12,.disparity_scale = 16},
      .cx = STEREO_CLOUD_MIDDLE,.cy = STEREO_CLOUD_MIDDLE,.step = 1},
  {.metric = {.focal_length = 3997.684,.baseline = 0.193001,.doffs = 131.111,
          .disparity_scale = 256,.invalid_value = -1},
      .cx = 31.5,.cy = -3,.step = 3,.axes = STEREO_AXES_GRAPHICS},
  {.metric = {.focal_length = 721.5377,.baseline = 0.5327,
          .disparity_scale = 4,.min_disparity = -3,.invalid_value = 7},
      .cx = STEREO_CLOUD_MIDDLE,.cy = 8,.range_min = 0.1,.range_max = 9,
      .step = 2},
  /* rows from -115 to 92 degrees */
  {.metric = {.focal_length = 5,.baseline = 0.12,.disparity_scale = 16},
      .cx = STEREO_CLOUD_MIDDLE,.cy = 10,.step = 1,
      .projection = STEREO_PROJECTION_CYLINDER},
  {.metric = {.focal_length = 300,.baseline = 0.12,.disparity_scale = 16},
      .cx = STEREO_CLOUD_MIDDLE,.cy = STEREO_CLOUD_MIDDLE,.step = 1,
      .axes = STEREO_AXES_GRAPHICS,.projection = STEREO_PROJECTION_CYLINDER},
};
#define N_CAMERAS (sizeof (cameras) / sizeof (cameras[0]))

/* Organised and packed, with and without colours. */
TEST (test_formula)
{
  static const StereoFormat views[] = { STEREO_N_FORMATS, STEREO_FORMAT_RGB,
    STEREO_FORMAT_NV12
  };

  for (size_t i = 0; i < N_CAMERAS * 12; i++) {
    StereoCloudParams params = cameras[i / 12];
    Rig rig;

    params.packed = i % 2 == 1;
    open_rig (&rig, &params, i / 2 % 2 ? STEREO_FORMAT_GRAY8
        : STEREO_FORMAT_GRAY16_LE, views[i / 4 % 3], 64, 18, 0);
    run (0, &rig);
    for (int row = 0; row < rig.size.rows; row++)
      check_row (&rig, row);
    close_rig (&rig);
  }
}

/* Colours of all view formats. */
TEST (test_formats)
{
  for (int f = 0; f < STEREO_N_FORMATS; f++) {
    Rig rig;

    open_rig (&rig, &cameras[2], STEREO_FORMAT_GRAY8, (StereoFormat) f, 31, 9,
        0);
    run (0, &rig);
    for (int row = 0; row < rig.size.rows; row++)
      check_row (&rig, row);
    close_rig (&rig);
  }
}

/* A plane in front of the camera: depths are constant, and points lie on the
 * rays of their pixels. */
TEST (test_plane)
{
  Rig rig;

  open_rig (&rig, &camera, STEREO_FORMAT_GRAY16_LE, STEREO_N_FORMATS, 8, 6, 0);
  for (int y = 0; y < 6; y++)
    for (int x = 0; x < 8; x++)
      put_code (&rig.map, x, y, 672);   /* 42 pixels: a depth of 2 metres */
  run (0, &rig);
  for (int y = 0; y < 6; y++)
    for (int x = 0; x < 8; x++) {
      const uint8_t *at = test_image_row (&rig.points, y) + 12 * x;

      CHECK (float_at (at + 8) == 2.0f);
      CHECK (fabs (float_at (at) - (x - 3.5) * 2 / 700) < 1e-8);
      CHECK (fabs (float_at (at + 4) - (y - 2.5) * 2 / 700) < 1e-8);
    }
  close_rig (&rig);
}

/* Every device writes the same bytes, at any address and size. */
TEST (test_devices)
{
  static const int sizes[][3] = {
    {1, 1, 0}, {7, 3, 1}, {8, 2, 0}, {67, 31, 5}, {640, 9, 0}, {333, 17, 16}
  };
  static const StereoFormat views[] = { STEREO_N_FORMATS, STEREO_FORMAT_BGR,
    STEREO_FORMAT_XRGB, STEREO_FORMAT_GRAY16_LE, STEREO_FORMAT_I420,
    STEREO_FORMAT_P010_10LE
  };

  for (size_t i = 0; i < 6 * 6 * 2 * N_CAMERAS; i++) {
    StereoCloudParams params = cameras[i / 72];
    const int *size = sizes[i % 6];
    uint32_t points = 0, counts = 0;
    Rig rig;

    params.packed = i / 36 % 2;
    open_rig (&rig, &params, i % 5 < 2 ? STEREO_FORMAT_GRAY8
        : STEREO_FORMAT_GRAY16_LE, views[i / 6 % 6], size[0], size[1],
        (size_t) size[2]);
    for (size_t d = 0; d < devices_count (); d++) {
      run (d, &rig);
      if (d == 0) {
        points = crc32_of (&rig.points);
        counts = crc32_of (&rig.counts);
      }
      CHECK_INT (crc32_of (&rig.points), ==, points);
      CHECK_INT (crc32_of (&rig.counts), ==, counts);
    }
    close_rig (&rig);
  }
}

/* A row of more than 16384 words. */
TEST (test_wide)
{
  StereoCloudParams params = camera;
  Rig rig;

  open_rig (&rig, &params, STEREO_FORMAT_GRAY8, STEREO_FORMAT_GRAY8,
      STEREO_MAX_SIZE, 2, 0);
  for (size_t d = 0; d < devices_count (); d++) {
    run (d, &rig);
    check_row (&rig, 1);
  }
  close_rig (&rig);
}

static void
check_refused (const StereoCloudParams * params, const char *text)
{
  StereoRunner *runner = NULL;
  Rig rig;

  open_rig (&rig, params, STEREO_FORMAT_GRAY8, STEREO_N_FORMATS, 4, 3, 0);
  REQUIRE (stereo_runner_new (&stereo_cloud_op, devices_get (0), &runner,
          NULL) == STEREO_OK);
  CHECK_INT (configure (runner, &rig), ==, STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (stereo_runner_message (runner)->text, text);
  stereo_runner_free (&runner);
  close_rig (&rig);
}

TEST (test_errors)
{
  StereoCloudParams params = camera;

  params.metric.focal_length = 0;
  check_refused (&params, "a focal-length and a baseline above 0, not 0 pixels "
      "and 0.12 metres");
  params = camera;
  params.metric.baseline = NAN;
  check_refused (&params, "a focal-length and a baseline");
  params = camera;
  params.range_min = 70;
  params.range_max = 7;
  check_refused (&params, "range-max = 7 metres has to be range-min = 70");
}

/* -------------------------------------------------------------------- times */

#define N_IMAGES 4
#define RUNS 100

/* Copies an image to the device, with its content. */
static StereoImage
on_device (StereoDevice * device, const TestImage * host)
{
  StereoImage image = host->image;

  image.memory = STEREO_MEMORY_DEVICE;
  for (int i = 0; i < host->n_planes; i++) {
    const size_t bytes = image.stride[i] * (size_t) plane_rows (host, i);

    REQUIRE (stereo_device_alloc (device, bytes, &image.plane[i], NULL)
        == STEREO_OK);
    REQUIRE (stereo_device_copy (device, image.plane[i], plane_row (host, i, 0),
            bytes, NULL) == STEREO_OK);
  }
  return image;
}

static void
free_image (StereoDevice * device, StereoImage * image, const TestImage * host)
{
  for (int i = 0; i < host->n_planes; i++)
    stereo_device_free (device, &image->plane[i]);
}

/* Times the operation with all images on the device. */
static void
bench_device (size_t index, StereoFormat view, bool packed, int width,
    int height)
{
  StereoDevice *device = devices_get (index);
  StereoCloudParams params = camera;
  StereoImage maps[N_IMAGES], views[N_IMAGES], points, counts;
  StereoMatcherStats stats;
  uint64_t best = UINT64_MAX;
  StereoRunner *runner;
  Random random = { 1 };
  Rig rig;

  params.packed = packed;
  open_rig (&rig, &params, STEREO_FORMAT_GRAY16_LE, view, width, height, 0);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      put_code (&rig.map, x, y, 160 + random_next (&random) % 1024);
  runner = new_runner (index, &rig);
  points = on_device (device, &rig.points);
  counts = on_device (device, &rig.counts);
  for (int i = 0; i < N_IMAGES; i++) {
    maps[i] = on_device (device, &rig.map);
    views[i] = on_device (device, &rig.view);
  }
  for (int i = 0; i < RUNS; i++) {
    const StereoImage *inputs[] = { &maps[i % N_IMAGES], &views[i % N_IMAGES] };
    const StereoImage *outputs[] = { &points, packed ? &counts : NULL };

    REQUIRE (stereo_runner_process (runner, inputs, outputs, NULL)
        == STEREO_OK);
    REQUIRE (stereo_runner_sync (runner) == STEREO_OK);
    stereo_runner_get_stats (runner, &stats);
    best = stats.last_ns < best ? stats.last_ns : best;
  }
  printf ("%-28s %4dx%-4d %-6s %-9s min %9.2f us\n",
      stereo_device_name (device), width, height, stereo_format_name (view),
      packed ? "packed" : "organised", (double) best / 1e3);
  for (int i = 0; i < N_IMAGES; i++) {
    free_image (device, &maps[i], &rig.map);
    free_image (device, &views[i], &rig.view);
  }
  free_image (device, &points, &rig.points);
  free_image (device, &counts, &rig.counts);
  stereo_runner_free (&runner);
  close_rig (&rig);
}

static void
bench_clouds (size_t device, int width, int height)
{
  static const StereoFormat views[] = { STEREO_FORMAT_RGB, STEREO_FORMAT_RGBX,
    STEREO_FORMAT_NV12
  };

  for (int i = 0; i < 6; i++)
    bench_device (device, views[i / 2], i % 2 == 1, width, height);
}

KERNEL_MAIN (bench_devices (bench_clouds, argc, argv))
