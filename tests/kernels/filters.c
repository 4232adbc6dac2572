/* gst-stereomatching: tests of the shared stages on all devices
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Tests the stages with arbitrary maps and pixels, then their effect in a
 * matcher, for all algorithms.
 */

#include "image/convert.h"
#include "cases.h"
#include "core/image.h"
#include "image/colorimetry.h"
#include "match/algorithm.h"
#include "refine/median.h"
#include "refine/output.h"
#include "stagebench.h"

#include <math.h>

static const int sizes[][2] = {
  {1, 1}, {1, 2}, {2, 1}, {1, 19}, {19, 1}, {2, 2}, {3, 3}, {5, 4}, {31, 7},
  {32, 8}, {33, 9}, {64, 16}, {127, 3}, {130, 35}, {512, 2}, {513, 2},
  {1025, 3}
};

#define N_SIZES (sizeof (sizes) / sizeof (sizes[0]))

/* ------------------------------------------------------------------- stages */

/* A device, a queue and the stages. */
typedef struct
{
  StageBench s;
  const StereoConvertStages *converting;
  const StereoMedianStages *stages;
} Bench;

static Bench
bench_open (size_t index)
{
  Bench bench = { stagebench_open (index), NULL, NULL };

  bench.converting = bench.s.device->klass->stages (bench.s.device, "convert");
  bench.stages = bench.s.device->klass->stages (bench.s.device, "median");
  REQUIRE (bench.converting != NULL && bench.stages != NULL);
  return bench;
}

static void
wrong_at (const Bench * bench, const char *what, int width, int height, int x,
    int y, unsigned got, unsigned expected)
{
  fprintf (stderr, "%s: %s, %dx%d, at (%d, %d): %u, not %u\n",
      stereo_device_name (bench->s.device), what, width, height, x, y, got,
      expected);
  CHECK (!"equal to the oracle");
}

/* --------------------------------------------------------------- conversion */

static const struct
{
  StereoFormat format;
  size_t bytes;
  size_t r, g, b;
} packed[] = {
  {STEREO_FORMAT_GRAY16_LE, 2, 1, 1, 1},
  {STEREO_FORMAT_RGB, 3, 0, 1, 2},
  {STEREO_FORMAT_BGR, 3, 2, 1, 0},
  {STEREO_FORMAT_RGBX, 4, 0, 1, 2},
  {STEREO_FORMAT_BGRX, 4, 2, 1, 0},
  {STEREO_FORMAT_XRGB, 4, 1, 2, 3},
  {STEREO_FORMAT_XBGR, 4, 3, 2, 1},
};

#define N_PACKED (sizeof (packed) / sizeof (packed[0]))

/* 0.2989 R + 0.5870 G + 0.1140 B with 16 bits after the point, each weight
 * rounded up or down to that. */
static unsigned
oracle_luma (unsigned r, unsigned g, unsigned b)
{
  return (unsigned) floor ((r * 19589.0 + g * 38470.0 + b * 7471.0) / 65536.0
      + 0.5);
}

/* Uploads canaries for a converted view, whose rows have the device's alignment
 * and padding. */
static void
target_init (StageRows * target, int width, int height, int channels,
    size_t more, const Bench * bench)
{
  size_t row_bytes = bench->converting->view_row_bytes (width, channels);
  size_t alignment = bench->s.device->klass->row_alignment;

  rows_init (target, row_bytes, ((row_bytes + alignment - 1) / alignment
          + more) * alignment, (size_t) (height
          * bench->converting->view_planes (channels)), &bench->s);
  rows_up (target, &bench->s);
}

static void
convert (const Bench * bench, size_t format, int channels,
    const StageRows * source, const StageRows * target, int width, int height)
{
  StereoConversion c = { 0 };

  c.width = width;
  c.height = height;
  c.source = device_row (source, 0);
  c.source_stride = source->stride;
  c.pixel_bytes = (uint8_t) packed[format].bytes;
  c.r = (uint8_t) packed[format].r;
  c.g = (uint8_t) packed[format].g;
  c.b = (uint8_t) packed[format].b;
  c.channels = channels;
  c.target_stride = target->stride;
  for (int i = 0; i < bench->converting->view_planes (channels); i++)
    c.target[i] = device_row (target, (size_t) i * (size_t) height);
  CHECK_INT (bench->converting->convert (bench->s.queue, &c, 1), ==, STEREO_OK);
  stagebench_finish (&bench->s);
}

static void
check_conversion (const Bench * bench, size_t format, int channels,
    int width, int height, Fill fill, Random * random)
{
  size_t planes = (size_t) bench->converting->view_planes (channels);
  SCOPED_IMAGE left, right;
  StageRows source, target;
  size_t bytes = packed[format].bytes;

  test_image_init (&left, packed[format].format, width, height, 0);
  test_image_init (&right, packed[format].format, width, height, 0);
  fill_pair (&left, &right, fill, random);
  /* sources have any stride, targets the device's alignment */
  rows_init (&source, (size_t) width * bytes, (size_t) width * bytes
      + (size_t) random_range (random, 0, 9), (size_t) height, &bench->s);
  target_init (&target, width, height, channels,
      (size_t) random_range (random, 0, 1), bench);
  for (int y = 0; y < height; y++)
    memcpy (host_row (&source, (size_t) y), test_image_row (&right, y),
        source.row_bytes);
  rows_up (&source, &bench->s);
  convert (bench, format, channels, &source, &target, width, height);
  rows_down (&source, &bench->s, true);
  rows_down (&target, &bench->s, false);

  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) {
      const uint8_t *p = test_image_row (&right, y) + (size_t) x * bytes;
      unsigned rgb[3] = { p[packed[format].r], p[packed[format].g],
        p[packed[format].b]
      };

      for (int c = 0; c < channels; c++) {
        unsigned expected = channels == 3 ? rgb[c]
            : oracle_luma (rgb[0], rgb[1], rgb[2]);
        unsigned got;

        if (channels == 1)
          got = host_row (&target, (size_t) y)[x];
        else if (planes == 3)
          got = host_row (&target, (size_t) (c * height + y))[x];
        else
          got = host_row (&target, (size_t) y)[4 * x + c];
        if (got != expected) {
          wrong_at (bench, stereo_format_name (packed[format].format), width,
              height, x, y, got, expected);
          y = height;
          x = width;
          break;
        }
      }
    }
  }
  rows_clear (&source, &bench->s);
  rows_clear (&target, &bench->s);
}

static void
check_mirror (const Bench * bench, int channels, int width, int height,
    Random * random)
{
  const size_t n = (size_t) (width * height * channels);
  const bool words = bench->converting->view_planes (3) == 1 && channels == 3;
  SCOPED (free_scoped) uint8_t *pixels = malloc (n);
  StereoMirroredView v = {.width = width,.height = height,
    .channels = channels
  };
  StageRows target;
  size_t wrong = 0;

  REQUIRE (pixels != NULL);
  for (size_t i = 0; i < n; i++)
    pixels[i] = (uint8_t) random_next (random);
  v.view = stagebench_view_any (&bench->s, pixels, width, height, channels,
      (size_t) random_range (random, 0, 9), random);
  target_init (&target, width, height, channels, 0, bench);
  v.target_stride = target.stride;
  for (int i = 0; i < bench->converting->view_planes (channels); i++)
    v.target[i] = device_row (&target, (size_t) i * (size_t) height);
  CHECK_INT (bench->converting->mirror (bench->s.queue, &v), ==, STEREO_OK);
  stagebench_finish (&bench->s);
  rows_down (&target, &bench->s, false);

  for (int i = 0; i < (int) n; i++) {
    int c = i % channels, x = i / channels % width, y = i / channels / width;
    int from = (y * width + width - 1 - x) * channels + c;
    const uint8_t *row = host_row (&target, (size_t) (words ? y
            : c * height + y));

    wrong += row[words ? 4 * x + c : x] != pixels[from];
  }
  CHECK_INT (wrong, ==, 0);
  rows_clear (&target, &bench->s);
  stagebench_free (&bench->s, v.view.plane[0]);
}

TEST (test_mirror)
{
  Random random = { 14 };

  for (size_t d = 0; d < devices_count (); d++) {
    Bench bench = bench_open (d);

    for (size_t s = 0; s < N_SIZES; s++) {
      check_mirror (&bench, 1, sizes[s][0], sizes[s][1], &random);
      check_mirror (&bench, 3, sizes[s][0], sizes[s][1], &random);
    }
    for (int width = 14; width < 40; width++)
      check_mirror (&bench, 1, width, 2, &random);
    stagebench_close (&bench.s);
  }
}

TEST (test_conversion)
{
  Random random = { 1 };

  for (size_t d = 0; d < devices_count (); d++) {
    Bench bench = bench_open (d);

    for (size_t f = 0; f < N_PACKED; f++) {
      for (size_t s = 0; s < N_SIZES; s++)
        check_conversion (&bench, f, 1, sizes[s][0], sizes[s][1], FILL_RANDOM,
            &random);
      for (int fill = 0; fill < N_FILLS; fill++)
        check_conversion (&bench, f, 1, 33, 9, (Fill) fill, &random);
      if (packed[f].r == packed[f].b)
        continue;
      for (size_t s = 0; s < N_SIZES; s++)
        check_conversion (&bench, f, 3, sizes[s][0], sizes[s][1], FILL_RANDOM,
            &random);
    }
    stagebench_close (&bench.s);
  }
}

/* Against the real weights, for colours from the whole cube. */
TEST (test_luma)
{
  enum
  { STEP = 5, N = 52 };         /* 0, 5, ..., 255 */

  for (size_t d = 0; d < devices_count (); d++) {
    Bench bench = bench_open (d);
    StageRows source, target;
    double worst = 0;

    rows_init (&source, 3 * N * N, 3 * N * N, N, &bench.s);
    target_init (&target, N * N, N, 1, 0, &bench);
    for (int r = 0; r < N; r++) {
      for (int i = 0; i < N * N; i++) {
        uint8_t *p = host_row (&source, (size_t) r) + 3 * i;

        p[0] = (uint8_t) (r * STEP);
        p[1] = (uint8_t) (i / N * STEP);
        p[2] = (uint8_t) (i % N * STEP);
      }
    }
    rows_up (&source, &bench.s);
    convert (&bench, 1, 1, &source, &target, N * N, N);
    rows_down (&source, &bench.s, true);
    rows_down (&target, &bench.s, false);
    for (int r = 0; r < N; r++) {
      for (int i = 0; i < N * N; i++) {
        double exact = 0.2989 * r * STEP + 0.5870 * (i / N * STEP)
            + 0.1140 * (i % N * STEP);
        int got = host_row (&target, (size_t) r)[i];

        worst = fmax (worst, fabs (got - exact));
        if (i / N == r && i % N == r)
          CHECK_INT (got, ==, r * STEP);
      }
    }
    /* rounding, and three weights of 16 bits */
    CHECK_DOUBLE (worst, <=, 0.5 + 3 * 255 * 0.5 / 65536);
    rows_clear (&source, &bench.s);
    rows_clear (&target, &bench.s);
    stagebench_close (&bench.s);
  }
}

/* YUV formats in the order of the enumeration: where U and V are. */
static const struct
{
  StereoFormat format;
  int u_plane, u_offset, v_plane, v_offset;
  int step, shift_x, shift_y;
  int bytes, offset, shift;     /* of Y: 0, 0 and 0 are 1, 0 and 0 */
} planar[] = {
  {STEREO_FORMAT_NV12, 1, 0, 1, 1, 2, 1, 1},
  {STEREO_FORMAT_NV21, 1, 1, 1, 0, 2, 1, 1},
  {STEREO_FORMAT_I420, 1, 0, 2, 0, 1, 1, 1},
  {STEREO_FORMAT_YV12, 2, 0, 1, 0, 1, 1, 1},
  {STEREO_FORMAT_Y42B, 1, 0, 2, 0, 1, 1, 0},
  {STEREO_FORMAT_Y444, 1, 0, 2, 0, 1, 0, 0},
  {STEREO_FORMAT_NV16, 1, 0, 1, 1, 2, 1, 0},
  {STEREO_FORMAT_YUY2, 0, 1, 0, 3, 4, 1, 0, 2},
  {STEREO_FORMAT_UYVY, 0, 0, 0, 2, 4, 1, 0, 2, 1},
  {STEREO_FORMAT_YVYU, 0, 3, 0, 1, 4, 1, 0, 2},
  {STEREO_FORMAT_P010_10LE, 1, 1, 1, 3, 4, 1, 1, 2, 1},
  {STEREO_FORMAT_I420_10LE, 1, 0, 2, 0, 2, 1, 1, 2, 0, 2},
  {STEREO_FORMAT_I422_10LE, 1, 0, 2, 0, 2, 1, 0, 2, 0, 2},
  {STEREO_FORMAT_Y444_10LE, 1, 0, 2, 0, 2, 0, 0, 2, 0, 2},
};

#define N_PLANAR (sizeof (planar) / sizeof (planar[0]))

/* The error of the largest sum with 13 fractional bits: results may differ from
 * the exact ones by half a step and this. */
#define YUV_ERROR (3 * 255 * 0.5 / 8192)

/* A plane of an image on a device, whose rows begin skip bytes after what the
 * device aligns. */
static void
plane_up (const TestImage * image, int plane, size_t skip, size_t padding,
    StageRows * rows, const Bench * bench)
{
  size_t bytes = plane_row_bytes (image, plane);

  rows_init (rows, skip + bytes, skip + bytes + padding,
      (size_t) plane_rows (image, plane), &bench->s);
  for (int y = 0; y < plane_rows (image, plane); y++)
    memcpy (host_row (rows, (size_t) y) + skip, plane_row (image, plane, y),
        bytes);
  rows_up (rows, &bench->s);
}

static void
convert_planes (const Bench * bench, size_t format, const TestImage * image,
    const StageRows planes[3], const size_t skips[3], const StageRows * target)
{
  StereoConversion c = { 0 };
  int u = planar[format].u_plane, v = planar[format].v_plane;

  c.width = image->image.width;
  c.height = image->image.height;
  c.source = device_row (&planes[0], 0) + skips[0];
  c.source_stride = planes[0].stride;
  c.pixel_bytes = (uint8_t) (planar[format].bytes > 0 ? planar[format].bytes
      : 1);
  c.r = c.g = c.b = (uint8_t) planar[format].offset;
  c.sample_shift = (uint8_t) planar[format].shift;
  c.u = device_row (&planes[u], 0) + skips[u] + planar[format].u_offset;
  c.v = device_row (&planes[v], 0) + skips[v] + planar[format].v_offset;
  c.u_stride = planes[u].stride;
  c.v_stride = planes[v].stride;
  c.chroma_bytes = (uint8_t) planar[format].step;
  c.shift_x = (uint8_t) planar[format].shift_x;
  c.shift_y = (uint8_t) planar[format].shift_y;
  c.yuv = *stereo_colorimetry_yuv (image->colorimetry);
  c.channels = 3;
  c.target_stride = target->stride;
  for (int i = 0; i < bench->converting->view_planes (3); i++)
    c.target[i] = device_row (target, (size_t) (i * c.height));
  CHECK_INT (bench->converting->convert (bench->s.queue, &c, 1), ==, STEREO_OK);
  stagebench_finish (&bench->s);
}

/* Against the equations, which may differ by rounding alone, and against the
 * same integers on all devices. */
static void
compare_colors (const Bench * bench, const TestImage * image,
    const StageRows * target)
{
  int planes = bench->converting->view_planes (3);
  int width = image->image.width, height = image->image.height;

  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) {
      int yuv[3], rgb[3];
      double exact[3];

      test_image_yuv (image, x, y, yuv);
      test_image_rgb (image, x, y, rgb);
      oracle_yuv (image->colorimetry, yuv, exact);
      for (int c = 0; c < 3; c++) {
        int got = planes == 3 ? host_row (target, (size_t) (c * height + y))[x]
            : host_row (target, (size_t) y)[4 * x + c];

        CHECK_DOUBLE (fabs (got - exact[c]), <=, 0.5 + YUV_ERROR);
        if (got != rgb[c]) {
          wrong_at (bench, stereo_format_name (image->image.format), width,
              height, x, y, (unsigned) got, (unsigned) rgb[c]);
          return;
        }
      }
    }
  }
}

/* align: all rows of all planes begin at a multiple of 16 bytes. */
static void
check_yuv (const Bench * bench, size_t format, StereoColorimetry colorimetry,
    int width, int height, bool align, Random * random)
{
  SCOPED_IMAGE image, other;
  StageRows planes[3], target;
  size_t skips[3] = { 0 };

  test_image_init (&image, planar[format].format, width, height, 0);
  test_image_init (&other, planar[format].format, width, height, 0);
  image.colorimetry = colorimetry;
  fill_pair (&image, &other, FILL_RANDOM, random);
  for (int p = 0; p < image.n_planes; p++) {
    size_t bytes = plane_row_bytes (&image, p);

    skips[p] = align ? 0 : (size_t) random_range (random, 0, 3);
    plane_up (&image, p, skips[p], align ? (16 - bytes % 16) % 16
        : (size_t) random_range (random, 0, 9), &planes[p], bench);
  }
  target_init (&target, width, height, 3, 0, bench);
  convert_planes (bench, format, &image, planes, skips, &target);
  rows_down (&target, &bench->s, false);
  compare_colors (bench, &image, &target);

  for (int p = 0; p < image.n_planes; p++) {
    rows_down (&planes[p], &bench->s, true);
    rows_clear (&planes[p], &bench->s);
  }
  rows_clear (&target, &bench->s);
}

TEST (test_yuv)
{
  /* wider than a block of pixels */
  static const int wide[][2] = { {511, 2}, {512, 3}, {513, 5}, {1027, 2} };
  Random random = { 5 };

  for (size_t d = 0; d < devices_count (); d++) {
    Bench bench = bench_open (d);

    for (size_t f = 0; f < N_PLANAR; f++) {
      for (int align = 0; align < 2; align++) {
        for (size_t s = 0; s < N_SIZES; s++)
          check_yuv (&bench, f, STEREO_COLORIMETRY_BT601, sizes[s][0],
              sizes[s][1], align != 0, &random);
        for (size_t s = 0; s < sizeof (wide) / sizeof (wide[0]); s++)
          check_yuv (&bench, f, STEREO_COLORIMETRY_BT709, wide[s][0],
              wide[s][1], align != 0, &random);
        for (int c = 0; c < STEREO_N_COLORIMETRIES; c++)
          check_yuv (&bench, f, (StereoColorimetry) c, 46, 7, align != 0,
              &random);
      }
    }
    stagebench_close (&bench.s);
  }
}

/* Y, U and V from the whole cube, its faces and edges included. */
TEST (test_yuv_values)
{
  enum
  { STEP = 5, N = 52 };         /* 0, 5, ..., 255 */
  const size_t y444 = STEREO_FORMAT_Y444 - STEREO_FORMAT_NV12;

  for (size_t d = 0; d < devices_count (); d++) {
    Bench bench = bench_open (d);
    const size_t skips[3] = { 0 };
    SCOPED_IMAGE image;
    StageRows planes[3], target;

    test_image_init (&image, STEREO_FORMAT_Y444, N * N, N, 0);
    for (int y = 0; y < N; y++) {
      for (int i = 0; i < N * N; i++) {
        plane_row (&image, 0, y)[i] = (uint8_t) (y * STEP);
        plane_row (&image, 1, y)[i] = (uint8_t) (i / N * STEP);
        plane_row (&image, 2, y)[i] = (uint8_t) (i % N * STEP);
      }
    }
    for (int p = 0; p < 3; p++)
      plane_up (&image, p, 0, 0, &planes[p], &bench);
    target_init (&target, N * N, N, 3, 0, &bench);
    for (int c = 0; c < STEREO_N_COLORIMETRIES; c++) {
      image.colorimetry = (StereoColorimetry) c;
      convert_planes (&bench, y444, &image, planes, skips, &target);
      rows_down (&target, &bench.s, false);
      compare_colors (&bench, &image, &target);
    }
    for (int p = 0; p < 3; p++)
      rows_clear (&planes[p], &bench.s);
    rows_clear (&target, &bench.s);
    stagebench_close (&bench.s);
  }
}

/* ----------------------------------------------------- median and encoding */

typedef enum
{
  MAP_ZERO,
  MAP_HIGHEST,
  MAP_INVALID,
  MAP_CHECKER,                  /* 0 and the highest index */
  MAP_RAMP,
  MAP_RANDOM,
  MAP_FEW,                      /* few values, so that many are equal */
  MAP_HOLES,                    /* half of the pixels are invalid */
  MAP_ISLANDS,                  /* nearly all are invalid */
  N_MAPS
} MapFill;

#define HIGHEST (STEREO_MAX_DISPARITIES - 1)

static unsigned
map_value (MapFill fill, int x, int y, Random * random)
{
  unsigned any = random_next (random) % STEREO_MAX_DISPARITIES;

  switch (fill) {
    case MAP_ZERO:
      return 0;
    case MAP_HIGHEST:
      return HIGHEST;
    case MAP_INVALID:
      return STEREO_INVALID;
    case MAP_CHECKER:
      return (x + y) % 2 ? HIGHEST : 0;
    case MAP_RAMP:
      return (unsigned) (x * 3 + y * 50) % STEREO_MAX_DISPARITIES;
    case MAP_FEW:
      return any % 4;
    case MAP_HOLES:
      return random_next (random) % 2 ? STEREO_INVALID : any % 9;
    case MAP_ISLANDS:
      return random_next (random) % 12 ? STEREO_INVALID : any;
    case MAP_RANDOM:
    default:
      return any;
  }
}

static int
ascending (const void *a, const void *b)
{
  return *(const int *) a - *(const int *) b;
}

/* Nine values in order, the fifth of them. */
static unsigned
oracle_median (const uint16_t * map, int width, int height, int x, int y,
    unsigned invalid)
{
  int center = map[y * width + x], v[9], n = 0;

  if ((unsigned) center == invalid)
    return invalid;
  for (int dy = -1; dy <= 1; dy++) {
    for (int dx = -1; dx <= 1; dx++) {
      int xx = x + dx, yy = y + dy, value;

      xx = xx < 0 ? 0 : xx >= width ? width - 1 : xx;
      yy = yy < 0 ? 0 : yy >= height ? height - 1 : yy;
      value = map[yy * width + xx];
      v[n++] = (unsigned) value == invalid ? center : value;
    }
  }
  qsort (v, 9, sizeof (int), ascending);
  return (unsigned) v[4];
}

static StereoMap
map_of (const StageRows * rows)
{
  StereoMap map = { (uint16_t *) (void *) device_row (rows, 0),
    rows->stride / 2
  };

  return map;
}

static unsigned
value_at (const StageRows * rows, int x, int y, int bytes)
{
  const uint8_t *p = host_row (rows, (size_t) y) + (size_t) (x * bytes);

  if (bytes == 1)
    return p[0];
  return p[0] | (unsigned) p[1] << 8;
}

/* A map on a device, some bytes between its rows. */
static void
map_up (StageRows * rows, const uint16_t * map, int width, int height,
    size_t padding, const Bench * bench)
{
  size_t row_bytes = 2 * (size_t) width;

  rows_init (rows, row_bytes, row_bytes + padding, (size_t) height, &bench->s);
  for (int i = 0; map != NULL && i < width * height; i++) {
    uint8_t *p = host_row (rows, (size_t) (i / width)) + 2 * (i % width);

    /* as GRAY16_LE has it, on any host */
    p[0] = (uint8_t) map[i];
    p[1] = (uint8_t) (map[i] >> 8);
  }
  rows_up (rows, &bench->s);
}

/* Downloads a map of width columns and compares it with the oracle's. */
static void
expect_map (const Bench * bench, const char *what, const StageRows * rows,
    int width, int bytes, const uint16_t * expected)
{
  int height = (int) rows->rows;

  stagebench_finish (&bench->s);
  rows_down (rows, &bench->s, false);
  for (int i = 0; i < width * height; i++) {
    unsigned got = value_at (rows, i % width, i / width, bytes);

    if (got != expected[i]) {
      wrong_at (bench, what, width, height, i % width, i / width, got,
          expected[i]);
      break;
    }
  }
}

/* The codes of one or two bytes on a device. */
static StereoOutput
output_of (StageRows * rows, int width, int height, int bytes, size_t padding,
    unsigned invalid, const Bench * bench)
{
  size_t row_bytes = (size_t) (bytes * width);
  StereoOutput output = {.invalid = invalid,.bytes = (uint8_t) bytes };

  rows_init (rows, row_bytes, row_bytes + padding + (bytes == 1),
      (size_t) height, &bench->s);
  rows_up (rows, &bench->s);
  output.data = device_row (rows, 0);
  output.stride = rows->stride;
  return output;
}

/* The code of a disparity by the formula of the documentation: code * gain /
 * divisor, rounded, one away from the invalid code. */
static unsigned
oracle_encoded (const StereoOutput * output, unsigned code)
{
  const unsigned most = output->bytes == 1 ? 255 : 65535;
  const double value = (double) code * output->gain / output->divisor;
  unsigned result = (unsigned) floor (value + 0.5);

  if (code == STEREO_INVALID)
    return output->invalid;
  return result != output->invalid ? result
      : result < most ? result + 1 : result - 1;
}

/* The median filter with encoding, of one map. */
static void
check_map (const Bench * bench, int width, int height, MapFill fill,
    Random * random)
{
  static const struct
  {
    int bytes;
    uint32_t gain, divisor;
    unsigned invalid;
  } encodings[] = {
    {2, 1, 1, 65535}, {2, 4, 1, 0xbea}, {2, 16, 16, 0}, {1, 510, 32766, 254},
    {1, 510, 32766, 0}, {1, 1, 128, 255}
  };
  size_t pixels = (size_t) (width * height);
  size_t pad = 2 * (size_t) random_range (random, 0, 5);
  SCOPED (free_scoped) uint16_t *map = malloc (pixels * 2);
  SCOPED (free_scoped) uint16_t *expected = malloc (pixels * 2);
  StageRows source, target;
  StereoMap in;

  REQUIRE (map != NULL && expected != NULL);
  for (int i = 0; i < width * height; i++)
    map[i] = (uint16_t) map_value (fill, i % width, i / width, random);
  map_up (&source, map, width, height, pad, bench);
  in = map_of (&source);
  for (size_t e = 0; e < sizeof (encodings) / sizeof (encodings[0]); e++) {
    const int bytes = encodings[e].bytes;
    StereoOutput output = output_of (&target, width, height, bytes, pad,
        encodings[e].invalid, bench);

    output.gain = encodings[e].gain;
    output.divisor = encodings[e].divisor;
    CHECK_INT (bench->stages->median (bench->s.queue, width, height, &in,
            &output), ==, STEREO_OK);
    for (int i = 0; i < width * height; i++)
      expected[i] = (uint16_t) oracle_encoded (&output, oracle_median (map,
              width, height, i % width, i / width, STEREO_INVALID));
    expect_map (bench, "median", &target, width, bytes, expected);
    rows_clear (&target, &bench->s);
  }
  rows_down (&source, &bench->s, true);
  rows_clear (&source, &bench->s);
}

/* The median of codes, of one map. */
static void
check_median_of_codes (const Bench * bench, int width, int height, MapFill fill,
    int bytes, unsigned invalid, Random * random)
{
  size_t pixels = (size_t) (width * height);
  size_t pad = 2 * (size_t) random_range (random, 0, 5);
  uint16_t *map = malloc (pixels * 2), *expected = malloc (pixels * 2);
  StereoOutput output;
  StageRows source, target;
  StereoMap in;

  REQUIRE (map != NULL && expected != NULL);
  for (int i = 0; i < width * height; i++)
    map[i] = (uint16_t) (map_value (fill, i % width, i / width, random)
        & (bytes == 1 ? 0xff : 0xffff));
  for (int i = 0; i < width * height; i++)
    expected[i] = (uint16_t) oracle_median (map, width, height, i % width,
        i / width, invalid);
  map_up (&source, map, width, height, pad, bench);
  output = output_of (&target, width, height, bytes, pad, invalid, bench);
  in = map_of (&source);
  CHECK_INT (bench->stages->median_codes (bench->s.queue, width, height, &in,
          &output), ==, STEREO_OK);
  expect_map (bench, "median of codes", &target, width, bytes, expected);
  rows_down (&source, &bench->s, true);
  rows_clear (&target, &bench->s);
  rows_clear (&source, &bench->s);
  free (map);
  free (expected);
}

TEST (test_median_of_codes)
{
  static const unsigned invalid[] = { 0, 255, 65535, 3, STEREO_NO_INVALID };
  Random random = { 5 };

  for (size_t d = 0; d < devices_count (); d++) {
    Bench bench = bench_open (d);

    for (size_t s = 0; s < N_SIZES; s++)
      for (int fill = 0; fill < N_MAPS; fill++)
        for (size_t i = 0; i < sizeof (invalid) / sizeof (invalid[0]); i++)
          for (int bytes = 1; bytes <= 2; bytes++)
            check_median_of_codes (&bench, sizes[s][0], sizes[s][1],
                (MapFill) fill, bytes, invalid[i], &random);
    stagebench_close (&bench.s);
  }
}

/* The code of a real number, by the formula of the documentation. */
static int
oracle_value (const StereoOutput * output, double value)
{
  const double v = floor (value * output->scale + output->offset + 0.5);
  const int code = v >= output->highest ? output->highest
      : v >= output->lowest ? (int) v : output->lowest;

  if ((uint32_t) code != output->invalid)
    return code;
  return code == output->highest && code > 0 ? code - 1 : code + 1;
}

/* Values that are exact in single precision, up to and beyond both ends. */
TEST (test_values)
{
  static const StereoOutput outputs[] = {
    {.scale = 1,.highest = 255,.invalid = 255},
    {.scale = 16,.offset = -32,.highest = 65535,.invalid = 0},
    {.scale = 0.5f,.lowest = 3,.highest = 40,.invalid = 40},
    {.scale = 2,.lowest = 3,.highest = 40,.invalid = 3},
    {.scale = 4,.highest = 100,.invalid = STEREO_NO_INVALID},
    {.scale = 1,.highest = 0,.invalid = 0},
  };

  for (size_t i = 0; i < sizeof (outputs) / sizeof (outputs[0]); i++) {
    for (int sixteenth = -1600; sixteenth <= 70000; sixteenth++)
      CHECK_INT (stereo_output_encode (&outputs[i], (float) sixteenth / 16),
          ==, oracle_value (&outputs[i], sixteenth / 16.0));
    CHECK_INT (stereo_output_encode (&outputs[i], NAN), ==,
        oracle_value (&outputs[i], -1e9));
  }
}

TEST (test_median_and_encoding)
{
  Random random = { 2 };

  for (size_t d = 0; d < devices_count (); d++) {
    Bench bench = bench_open (d);

    for (size_t s = 0; s < N_SIZES; s++)
      for (int fill = 0; fill < N_MAPS; fill++)
        check_map (&bench, sizes[s][0], sizes[s][1], (MapFill) fill, &random);
    stagebench_close (&bench.s);
  }
}

/* The network of the median, for all orders that zeros and ones can have: a
 * network that sorts those sorts everything (D. Knuth, The Art of Computer
 * Programming 3, 5.3.4, theorem Z). */
TEST (test_median_network)
{
  for (size_t d = 0; d < devices_count (); d++) {
    Bench bench = bench_open (d);
    uint16_t map[3][3 * 512];
    StageRows source, target;
    StereoOutput out;
    StereoMap in;

    /* 512 patterns of 3x3 side by side */
    for (int pattern = 0; pattern < 512; pattern++) {
      for (int i = 0; i < 9; i++)
        map[i / 3][3 * pattern + i % 3] = (uint16_t) (pattern >> i & 1);
    }
    map_up (&source, map[0], 3 * 512, 3, 0, &bench);
    out = output_of (&target, 3 * 512, 3, 2, 0, STEREO_INVALID, &bench);
    out.gain = out.divisor = 1;
    in = map_of (&source);
    CHECK_INT (bench.stages->median (bench.s.queue, 3 * 512, 3, &in, &out), ==,
        STEREO_OK);
    stagebench_finish (&bench.s);
    rows_down (&target, &bench.s, false);
    for (int pattern = 0; pattern < 512; pattern++) {
      int ones = 0;

      for (int i = 0; i < 9; i++)
        ones += pattern >> i & 1;
      CHECK_INT (value_at (&target, 3 * pattern + 1, 1, 2), ==, ones >= 5);
    }
    rows_clear (&source, &bench.s);
    rows_clear (&target, &bench.s);
    stagebench_close (&bench.s);
  }
}

/* ----------------------------------------------------------------- matchers */

/* Of a map of whole disparities: nothing is refined. */
static StereoParams *
algorithm_params (const char *name, double n, double min, double scale,
    double invalid, double median)
{
  static const struct
  {
    const char *name;
    double value;
  } plain[] = { {"subpixel", 0}, {"lr-max-diff", -1}, {"speckle-size", 0},
    {"refine", 0}
  };
  StereoParams *params = params_new (name, "num-disparities", n,
      "min-disparity", min, "disparity-scale", scale, "invalid-value", invalid,
      "median", median, NULL);
  double value;

  for (size_t i = 0; i < sizeof (plain) / sizeof (plain[0]); i++) {
    if (stereo_params_get (params, plain[i].name, &value))
      CHECK_INT (stereo_params_set (params, plain[i].name, plain[i].value,
              NULL), ==, STEREO_OK);
  }
  return params;
}

/* As docs/disparity.md has it. */
static unsigned
oracle_code (unsigned index, StereoFormat format, double n, double scale,
    unsigned invalid)
{
  unsigned top = format == STEREO_FORMAT_GRAY8 ? 255 : 65535;
  unsigned code;

  if (index == 65535)
    return invalid;
  if (format == STEREO_FORMAT_GRAY8)
    code = n > 1 ? (unsigned) floor (index * 255 / (n - 1) + 0.5) : 0;
  else
    code = (unsigned) (index * scale);
  if (code == invalid)
    code = code == top ? code - 1 : code + 1;
  return code;
}

typedef struct
{
  double n, min, scale, invalid;
  StereoFormat format;
  int width, height;
} OutputCase;

/* The map of a matcher for two views. */
typedef struct
{
  const OutputCase *c;
  const char *name;
  size_t device;
  TestImage left, right;
} Matched;

/* Its codes, row by row; owned. */
static uint16_t *
codes_of (const Matched * m, StereoFormat format, double scale, double invalid,
    int median)
{
  const OutputCase *c = m->c;
  uint16_t *codes = malloc (2 * (size_t) (c->width * c->height));
  StereoParams *params = algorithm_params (m->name, c->n, c->min, scale,
      invalid, median);
  SCOPED_IMAGE map;

  REQUIRE (codes != NULL);
  test_image_init (&map, format, c->width, c->height, 6);
  match (m->device, params, m->name, &m->left, &m->right, &map);
  for (int i = 0; i < c->width * c->height; i++)
    codes[i] = (uint16_t) code_at (&map, i % c->width, i / c->width);
  stereo_params_free (&params);
  return codes;
}

/* The number of codes that differ from those of the matcher's plain indices. */
static int
count_wrong (const Matched * m)
{
  const OutputCase *c = m->c;
  uint16_t *index = codes_of (m, STEREO_FORMAT_GRAY16_LE, 1, 65535, 0);
  int wrong = 0;

  for (int median = 0; median < 2; median++) {
    uint16_t *map = codes_of (m, c->format, c->scale, c->invalid, median);

    for (int i = 0; i < c->width * c->height; i++)
      wrong += map[i] != oracle_code (median ? oracle_median (index, c->width,
              c->height, i % c->width, i / c->width, STEREO_INVALID)
          : index[i], c->format, c->n, c->scale, (unsigned) c->invalid);
    free (map);
  }
  free (index);
  return wrong;
}

/* The same for algorithms with subpixel disparities.  Without a median, the map
 * is compared with a finer one, with a median with the codes before it. */
static int
count_wrong_subpixel (const Matched * m)
{
  const OutputCase *c = m->c;
  const unsigned invalid = (unsigned) c->invalid;
  double fine_scale = floor (fmin (256, 65535 / (c->n > 1 ? c->n - 1 : 1)));
  double step = c->scale;
  unsigned top = (unsigned) ((c->n - 1) * c->scale);
  uint16_t *fine = codes_of (m, STEREO_FORMAT_GRAY16_LE, fine_scale, 65535, 0);
  uint16_t *plain = codes_of (m, c->format, c->scale, c->invalid, 0);
  uint16_t *map = codes_of (m, c->format, c->scale, c->invalid, 1);
  int wrong = 0;

  if (c->format == STEREO_FORMAT_GRAY8) {
    step = c->n > 1 ? 255 / (c->n - 1) : 0;
    top = c->n > 1 ? 255 : 0;
  }
  for (int i = 0; i < c->width * c->height; i++) {
    unsigned code = plain[i];
    double d = fine[i] / fine_scale;

    if (fine[i] == 65535)
      wrong += code != invalid;
    else
      wrong += code == invalid || (code > top && !(top == 0 && code == 1))
          /* rounded twice, and perhaps moved away from invalid */
          || fabs (code - d * step) > 0.51 + step * 0.51 / fine_scale
          + (fabs (d * step - invalid) <= 1 + step / fine_scale);
    wrong += map[i] != oracle_median (plain, c->width, c->height,
        i % c->width, i / c->width, invalid);
  }
  free (fine);
  free (plain);
  free (map);
  return wrong;
}

/* Median and codes of a whole matcher. */
static void
check_output (const StereoAlgorithm * algorithm, size_t device,
    const OutputCase * c, Random * random)
{
  Matched m = { c, stereo_algorithm_name (algorithm), device };
  int wrong;

  test_image_init (&m.left, STEREO_FORMAT_GRAY8, c->width, c->height, 3);
  test_image_init (&m.right, STEREO_FORMAT_GRAY8, c->width, c->height, 0);
  fill_pair (&m.left, &m.right, FILL_RANDOM, random);
  wrong = algorithm->subpixel ? count_wrong_subpixel (&m) : count_wrong (&m);
  if (wrong != 0)
    fprintf (stderr, "%s, %s: n %g, min %g, scale %g, invalid %g, %s, %dx%d\n",
        m.name, stereo_device_name (devices_get (device)), c->n, c->min,
        c->scale, c->invalid, stereo_format_name (c->format), c->width,
        c->height);
  CHECK_INT (wrong, ==, 0);
  test_image_clear (&m.left);
  test_image_clear (&m.right);
}

TEST (test_outputs)
{
  static const OutputCase cases[] = {
    {16, 0, 16, 0, STEREO_FORMAT_GRAY16_LE, 40, 21},
    {16, 0, 1, 5, STEREO_FORMAT_GRAY16_LE, 40, 21},
    {16, -7, 256, 1024, STEREO_FORMAT_GRAY16_LE, 40, 21},
    {256, 0, 257 - 1, 65535, STEREO_FORMAT_GRAY16_LE, 33, 5},
    {16, 0, 16, 65535, STEREO_FORMAT_GRAY16_LE, 17, 9},
    {16, 0, 16, 0, STEREO_FORMAT_GRAY8, 40, 21},
    {16, 3, 256, 255, STEREO_FORMAT_GRAY8, 40, 21},
    {7, 0, 1, 128, STEREO_FORMAT_GRAY8, 40, 21},
    {1, 0, 16, 0, STEREO_FORMAT_GRAY8, 9, 4},
    {1, 0, 16, 0, STEREO_FORMAT_GRAY16_LE, 9, 4},
    {2, 0, 16, 16, STEREO_FORMAT_GRAY16_LE, 1, 1},
    {300, -100, 16, 7, STEREO_FORMAT_GRAY8, 31, 3},
    /* no pixel has a disparity */
    {5, 50, 16, 77, STEREO_FORMAT_GRAY16_LE, 20, 5},
    {5, -60, 16, 99, STEREO_FORMAT_GRAY8, 20, 5},
  };
  const StereoAlgorithm *algorithm;
  Random random = { 3 };

  for (size_t a = 0; (algorithm = stereo_algorithm_get (a)); a++)
    for (size_t d = 0; d < devices_count (); d++)
      for (size_t i = 0; i < sizeof (cases) / sizeof (cases[0]); i++)
        check_output (algorithm, d, &cases[i], &random);
}

/* Luma of a format, from nothing but its name. */
static unsigned
oracle_pixel (const TestImage * image, int x, int y)
{
  const char *name = stereo_format_name (image->image.format);
  const uint8_t *p = test_image_row (image, y);
  const char *r = strchr (name, 'R'), *g = strchr (name, 'G');
  const char *b = strchr (name, 'B');
  size_t bytes = strlen (name);

  if (strcmp (name, "GRAY16_LE") == 0 || strcmp (name, "P010_10LE") == 0
      || strcmp (name, "UYVY") == 0)
    return p[2 * x + 1];
  if (strcmp (name, "YUY2") == 0 || strcmp (name, "YVYU") == 0)
    return p[2 * x];
  if (strstr (name, "_10LE") != NULL)
    return ((unsigned) p[2 * x + 1] << 6 & 0xc0) + (p[2 * x] >> 2);
  if (strcmp (name, "GRAY8") == 0 || r == NULL || g == NULL || b == NULL)
    return p[x];
  p += bytes * (size_t) x;
  return oracle_luma (p[r - name], p[g - name], p[b - name]);
}

/* Every format gives the map of its luma as GRAY8.  The other view has no
 * colour, so that no algorithm uses it. */
TEST (test_formats)
{
  const StereoAlgorithm *algorithm;
  Random random = { 4 };

  for (size_t a = 0; (algorithm = stereo_algorithm_get (a)); a++) {
    const char *name = stereo_algorithm_name (algorithm);

    for (int f = 0; f < 2 * STEREO_N_FORMATS; f++) {
      StereoFormat format = (StereoFormat) (f / 2);
      int width = 45, height = 14;
      SCOPED_IMAGE side, other, grey, map, expected;
      SCOPED_PARAMS *params = algorithm_params (name, 9, -2, 16, 0, 0);

      test_image_init (&side, format, width, height, 2 * (size_t) (f % 5));
      test_image_init (&other, STEREO_FORMAT_GRAY8, width, height, 0);
      test_image_init (&grey, STEREO_FORMAT_GRAY8, width, height, 0);
      fill_pair (&side, &other, f % 3 ? FILL_SHIFTED : FILL_RANDOM, &random);
      for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
          test_image_row (&grey, y)[x] = (uint8_t) oracle_pixel (&side, x, y);
      test_image_init (&map, STEREO_FORMAT_GRAY16_LE, width, height, 0);
      test_image_init (&expected, STEREO_FORMAT_GRAY16_LE, width, height, 0);
      for (size_t d = 0; d < devices_count (); d++) {
        /* left and right in turn */
        if (f % 2) {
          match (d, params, name, &grey, &other, &expected);
          match (d, params, name, &side, &other, &map);
        } else {
          match (d, params, name, &other, &grey, &expected);
          match (d, params, name, &other, &side, &map);
        }
        report_difference (name, params, &side, &other,
            stereo_device_name (devices_get (d)),
            first_difference (&map, &expected));
      }
    }
  }
}

/* The colours of an image, as RGB. */
static void
to_rgb (const TestImage * image, TestImage * rgb)
{
  test_image_init (rgb, STEREO_FORMAT_RGB, image->image.width,
      image->image.height, 0);
  for (int y = 0; y < image->image.height; y++) {
    for (int x = 0; x < image->image.width; x++) {
      int color[3];

      test_image_rgb (image, x, y, color);
      for (int c = 0; c < 3; c++)
        test_image_row (rgb, y)[3 * x + c] = (uint8_t) color[c];
    }
  }
}

/* Copies of all planes, in another kind of memory of the device. */
static StereoImage
move_image (StereoDevice * device, const TestImage * image,
    StereoMemory kind, void **memory)
{
  StereoImage moved = image->image;

  moved.memory = kind;
  *memory = NULL;
  if (kind == STEREO_MEMORY_HOST)
    return moved;
  if (kind == STEREO_MEMORY_PINNED) {
    REQUIRE (stereo_device_alloc_pinned (device, image->size, memory, NULL)
        == STEREO_OK);
    memcpy (*memory, image->memory, image->size);
  } else {
    REQUIRE (stereo_device_alloc (device, image->size, memory, NULL)
        == STEREO_OK);
    REQUIRE (stereo_device_copy (device, *memory, image->memory, image->size,
            NULL) == STEREO_OK);
  }
  for (int p = 0; p < image->n_planes; p++)
    moved.plane[p] = (uint8_t *) *memory
        + ((uint8_t *) image->image.plane[p] - image->memory);
  return moved;
}

static void
check_colors (const StereoAlgorithm * algorithm, size_t d, StereoMemory kind,
    const TestImage * left, const TestImage * right,
    const TestImage * expected)
{
  StereoDevice *device = devices_get (d);
  const char *name = stereo_algorithm_name (algorithm);
  SCOPED_PARAMS *params = algorithm_params (name, 9, -2, 16, 0, 0);
  StereoMatcherConfig config = {
    sizeof (StereoMatcherConfig),
    left->image.width, left->image.height, left->image.format,
    right->image.format, STEREO_FORMAT_GRAY16_LE, left->colorimetry,
    right->colorimetry
  };
  StereoMatcher *matcher = NULL;
  void *memory[2];
  StereoImage views[2];
  SCOPED_IMAGE map;
  char where[80];

  test_image_init (&map, STEREO_FORMAT_GRAY16_LE, config.width,
      config.height, 0);
  views[0] = move_image (device, left, kind, &memory[0]);
  views[1] = move_image (device, right, kind, &memory[1]);
  REQUIRE (stereo_matcher_new (algorithm, device, &matcher) == STEREO_OK);
  REQUIRE (stereo_matcher_configure (matcher, &config, params)
      == STEREO_OK);
  /* every slot, and one of them again */
  for (unsigned frame = 0; frame < device->klass->n_slots + 1; frame++) {
    CHECK_INT (stereo_matcher_process (matcher, &views[0], &views[1],
            &map.image, NULL), ==, STEREO_OK);
    CHECK_INT (stereo_matcher_sync (matcher), ==, STEREO_OK);
    snprintf (where, sizeof (where), "%s, memory %d",
        stereo_device_name (device), (int) kind);
    report_difference (name, params, left, right, where,
        first_difference (&map, expected));
  }
  CHECK (test_image_intact (left) && test_image_intact (right)
      && test_image_intact (&map));
  stereo_matcher_free (&matcher);
  for (int i = 0; i < 2; i++) {
    if (kind == STEREO_MEMORY_PINNED)
      stereo_device_free_pinned (device, &memory[i]);
    else
      stereo_device_free (device, &memory[i]);
  }
}

/* Every YUV format gives the map of its colours as RGB, for any memory and
 * colorimetry, or of its luma if the algorithm does not use colour. */
TEST (test_colors)
{
  const StereoAlgorithm *algorithm;
  Random random = { 6 };

  for (size_t a = 0; (algorithm = stereo_algorithm_get (a)); a++) {
    const char *name = stereo_algorithm_name (algorithm);

    for (size_t f = 0; f < N_PLANAR; f++) {
      TestImage left, right, plain[2], expected;
      SCOPED_PARAMS *params = algorithm_params (name, 9, -2, 16, 0, 0);
      int width = f % 2 ? 45 : 64, height = f % 3 ? 13 : 12;

      test_image_init (&left, planar[f].format, width, height, f);
      test_image_init (&right, planar[(f + f / 2) % N_PLANAR].format, width,
          height, 32);
      fill_pair (&left, &right, f % 2 ? FILL_SHIFTED : FILL_RANDOM, &random);
      left.colorimetry = (StereoColorimetry) (f % STEREO_N_COLORIMETRIES);
      right.colorimetry = (StereoColorimetry) ((f + 1)
          % STEREO_N_COLORIMETRIES);
      for (int i = 0; i < 2; i++) {
        const TestImage *from = i == 0 ? &left : &right;

        if (stereo_algorithm_uses_color (algorithm)) {
          to_rgb (from, &plain[i]);
          continue;
        }
        test_image_init (&plain[i], STEREO_FORMAT_GRAY8, width, height, 0);
        for (int y = 0; y < height; y++)
          for (int x = 0; x < width; x++)
            test_image_row (&plain[i], y)[x] =
                (uint8_t) test_image_luma (from, false, x, y);
      }
      test_image_init (&expected, STEREO_FORMAT_GRAY16_LE, width, height, 0);
      match (0, params, name, &plain[0], &plain[1], &expected);
      for (size_t d = 0; d < devices_count (); d++) {
        bool copies = devices_get (d)->klass->n_slots > 1;

        check_colors (algorithm, d, STEREO_MEMORY_HOST, &left, &right,
            &expected);
        /* the CPU reads all kinds in place */
        for (int kind = STEREO_MEMORY_PINNED; (copies || d == 0)
            && kind <= STEREO_MEMORY_DEVICE; kind++)
          check_colors (algorithm, d, (StereoMemory) kind, &left, &right,
              &expected);
      }
      test_image_clear (&left);
      test_image_clear (&right);
      test_image_clear (&plain[0]);
      test_image_clear (&plain[1]);
      test_image_clear (&expected);
    }
  }
}

/* ------------------------------------------------------------------- timing */

enum
{ N_IMAGES = 16 };              /* together more than a cache holds */

/* N_IMAGES sources and targets in device memory. */
typedef struct
{
  void *sources;
  void *targets;
  size_t source_bytes;          /* of one */
  size_t target_bytes;
  size_t offsets[3];            /* of the planes of a source */
} ConversionBuffers;

/* The mean time of a conversion of one view, in nanoseconds. */
static double
time_conversion (const Bench * bench, StereoConversion * c, int n_planes,
    const ConversionBuffers * b, int runs)
{
  uint64_t ns;

  for (int i = 0; i < runs; i++) {
    uint8_t *source = (uint8_t *) b->sources
        + (size_t) (i % N_IMAGES) * b->source_bytes;
    uint8_t *target = (uint8_t *) b->targets
        + (size_t) (i % N_IMAGES) * b->target_bytes;

    c->source = source;
    if (n_planes > 1) {
      c->u = source + b->offsets[1];
      c->v = source + b->offsets[2];
    }
    for (int p = 0; p < bench->converting->view_planes (3); p++)
      c->target[p] = target + (size_t) p * c->target_stride
          * (size_t) c->height;
    REQUIRE (bench->converting->convert (bench->s.queue, c, 1) == STEREO_OK);
  }
  ns = stagebench_finish (&bench->s);
  return (double) ns / runs;
}

/* The conversion of one view. */
static void
bench_conversion (size_t device, int width, int height)
{
  static const struct
  {
    const char *name;
    int bytes, step, shift_x, shift_y;
  } kinds[] = {
    {"RGB", 3, 0, 0, 0}, {"BGRX", 4, 0, 0, 0}, {"NV12", 1, 2, 1, 1},
    {"I420", 1, 1, 1, 1}, {"Y444", 1, 1, 0, 0}
  };
  size_t w = (size_t) width, h = (size_t) height;
  Bench b = bench_open (device);
  bool cuda = b.s.cuda;
  size_t stride = (b.converting->view_row_bytes (width, 3) + 255) / 256 * 256;

  for (size_t k = 0; k < sizeof (kinds) / sizeof (kinds[0]); k++) {
    StereoConversion c = { 0 };
    size_t rows = kinds[k].shift_y ? (h + 1) / 2 : h;
    size_t source_stride = (w * (size_t) kinds[k].bytes + 255) / 256 * 256;
    ConversionBuffers buffers = {
      .source_bytes = source_stride * (h + 2 * rows),
      .target_bytes = stride * h * (size_t) b.converting->view_planes (3)
    };
    double best = 1e30, first = 0;

    buffers.offsets[1] = source_stride * h;
    buffers.offsets[2] = buffers.offsets[1]
        + (kinds[k].step == 2 ? 1 : source_stride * rows);
    c.width = width;
    c.height = height;
    c.source_stride = c.u_stride = c.v_stride = source_stride;
    c.pixel_bytes = (uint8_t) kinds[k].bytes;
    c.g = 1;
    c.b = 2;
    c.chroma_bytes = (uint8_t) kinds[k].step;
    c.shift_x = (uint8_t) kinds[k].shift_x;
    c.shift_y = (uint8_t) kinds[k].shift_y;
    c.yuv = *stereo_colorimetry_yuv (STEREO_COLORIMETRY_BT601);
    c.channels = 3;
    c.target_stride = stride;
    REQUIRE (stereo_device_alloc (b.s.device, N_IMAGES
            * buffers.source_bytes, &buffers.sources, NULL) == STEREO_OK);
    REQUIRE (stereo_device_alloc (b.s.device, N_IMAGES
            * buffers.target_bytes, &buffers.targets, NULL) == STEREO_OK);
    if (!cuda)
      memset (buffers.sources, 100, N_IMAGES * buffers.source_bytes);
    for (int i = 0; i < (cuda ? 10 : 3); i++) {
      double ns = time_conversion (&b, &c, kinds[k].step ? 3 : 1, &buffers,
          cuda ? 320 : N_IMAGES);

      first = i == 0 ? ns : first;
      best = ns < best ? ns : best;
    }
    printf ("%-28s %4dx%-4d %-5s  min %9.2f us, first %9.2f\n",
        stereo_device_name (b.s.device), width, height, kinds[k].name,
        best / 1e3, first / 1e3);
    stereo_device_free (b.s.device, &buffers.sources);
    stereo_device_free (b.s.device, &buffers.targets);
  }
  stagebench_close (&b.s);
}

KERNEL_MAIN (bench_devices (bench_conversion, argc, argv))
