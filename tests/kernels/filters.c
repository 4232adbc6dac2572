/* gst-stereomatching: tests of the shared stages on all devices
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * First the stages themselves, which can be given any map and any pixels, then
 * what they come to in a matcher, for all algorithms.
 */

#include "filters.h"
#include "harness.h"

#include <math.h>

#define CANARY 0x5a

static const int sizes[][2] = {
  {1, 1}, {1, 2}, {2, 1}, {1, 19}, {19, 1}, {2, 2}, {3, 3}, {5, 4}, {31, 7},
  {32, 8}, {33, 9}, {64, 16}, {127, 3}, {130, 35}
};

#define N_SIZES (sizeof (sizes) / sizeof (sizes[0]))

/* ------------------------------------------------------------------- stages */

/* The stage table of a device and a queue to run stages on. */
typedef struct
{
  StereoDevice *device;
  StereoQueue *queue;
  const StereoFilterStages *stages;
} Bench;

static Bench
bench_open (size_t index)
{
  Bench bench = { devices_get (index), NULL, NULL };

  bench.stages = bench.device->klass->stages (bench.device, "filters");
  REQUIRE (bench.stages != NULL);
  REQUIRE (bench.device->klass->queue_new (bench.device, &bench.queue, NULL)
      == STEREO_OK);
  REQUIRE (bench.queue->klass->begin (bench.queue, 0, false, false)
      == STEREO_OK);
  return bench;
}

/* Waits for what was enqueued. */
static void
bench_finish (const Bench * bench)
{
  const StereoQueueClass *q = bench->queue->klass;
  uint64_t ns;

  REQUIRE (q->computed (bench->queue, 0) == STEREO_OK);
  REQUIRE (q->end (bench->queue, 0) == STEREO_OK);
  REQUIRE (q->wait (bench->queue, 0, &ns, NULL) == STEREO_OK);
  REQUIRE (q->begin (bench->queue, 0, false, false) == STEREO_OK);
}

static void
bench_close (Bench * bench)
{
  bench_finish (bench);
  bench->queue->klass->free (bench->queue);
}

/* Rows in device memory and a copy of them on the host, canaries around. */
typedef struct
{
  uint8_t *device;
  uint8_t *host;
  uint8_t *before;              /* what the host copy was uploaded as */
  size_t row_bytes, stride, rows, size;
} Rows;

static size_t
offset_of (const Rows * rows, size_t y)
{
  return 256 + y * rows->stride;
}

static void
rows_init (Rows * rows, size_t row_bytes, size_t stride, size_t n,
    const Bench * bench)
{
  void *memory = NULL;

  rows->row_bytes = row_bytes;
  rows->stride = stride;
  rows->rows = n;
  rows->size = stride * n + 512;
  REQUIRE (stereo_device_alloc (bench->device, rows->size, &memory, NULL)
      == STEREO_OK);
  rows->device = memory;
  rows->host = malloc (rows->size);
  rows->before = malloc (rows->size);
  REQUIRE (rows->host != NULL && rows->before != NULL);
  memset (rows->host, CANARY, rows->size);
}

static uint8_t *
host_row (const Rows * rows, size_t y)
{
  return rows->host + offset_of (rows, y);
}

static uint8_t *
device_row (const Rows * rows, size_t y)
{
  return rows->device + offset_of (rows, y);
}

static void
rows_up (Rows * rows, const Bench * bench)
{
  memcpy (rows->before, rows->host, rows->size);
  REQUIRE (stereo_device_copy (bench->device, rows->device, rows->host,
          rows->size, NULL) == STEREO_OK);
}

/* Brings the rows back; whatever lies between and around them has to be as it
 * was, and the rows too if they were only read. */
static void
rows_down (Rows * rows, const Bench * bench, bool read_only)
{
  size_t wrong = 0;

  REQUIRE (stereo_device_copy (bench->device, rows->host, rows->device,
          rows->size, NULL) == STEREO_OK);
  for (size_t i = 0; i < rows->size; i++) {
    bool inside = i >= 256 && i < rows->size - 256
        && (i - 256) % rows->stride < rows->row_bytes;

    wrong += (!inside || read_only) && rows->host[i] != rows->before[i];
  }
  CHECK_INT (wrong, ==, 0);
}

static void
rows_clear (Rows * rows, const Bench * bench)
{
  void *memory = rows->device;

  stereo_device_free (bench->device, &memory);
  free (rows->host);
  free (rows->before);
}

static void
wrong_at (const Bench * bench, const char *what, int width, int height, int x,
    int y, unsigned got, unsigned expected)
{
  fprintf (stderr, "%s: %s, %dx%d, at (%d, %d): %u, not %u\n",
      stereo_device_name (bench->device), what, width, height, x, y, got,
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

static void
convert (const Bench * bench, size_t format, int channels, const Rows * source,
    const Rows * target, int width, int height)
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
  for (int i = 0; i < bench->stages->view_planes (channels); i++)
    c.target[i] = device_row (target, (size_t) i * (size_t) height);
  CHECK_INT (bench->stages->convert (bench->queue, &c), ==, STEREO_OK);
  bench_finish (bench);
}

static void
check_conversion (const Bench * bench, size_t format, int channels,
    int width, int height, Fill fill, Random * random)
{
  size_t planes = (size_t) bench->stages->view_planes (channels);
  size_t row_bytes = bench->stages->view_row_bytes (width, channels);
  size_t alignment = bench->device->klass->row_alignment;
  TestImage left, right;
  Rows source, target;
  size_t bytes = packed[format].bytes;

  test_image_init (&left, packed[format].format, width, height, 0);
  test_image_init (&right, packed[format].format, width, height, 0);
  fill_pair (&left, &right, fill, random);
  /* sources have any stride, targets the device's alignment */
  rows_init (&source, (size_t) width * bytes, (size_t) width * bytes
      + (size_t) random_range (random, 0, 9), (size_t) height, bench);
  rows_init (&target, row_bytes, (row_bytes + alignment - 1) / alignment
      * alignment + alignment * (size_t) random_range (random, 0, 1),
      planes * (size_t) height, bench);
  for (int y = 0; y < height; y++)
    memcpy (host_row (&source, (size_t) y), test_image_row (&right, y),
        source.row_bytes);
  rows_up (&source, bench);
  rows_up (&target, bench);
  convert (bench, format, channels, &source, &target, width, height);
  rows_down (&source, bench, true);
  rows_down (&target, bench, false);

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
  rows_clear (&source, bench);
  rows_clear (&target, bench);
  test_image_clear (&left);
  test_image_clear (&right);
}

static void
test_conversion (void)
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
    bench_close (&bench);
  }
}

/* Against the real weights, for colours from the whole cube. */
static void
test_luma (void)
{
  enum
  { STEP = 5, N = 52 };         /* 0, 5, ..., 255 */

  for (size_t d = 0; d < devices_count (); d++) {
    Bench bench = bench_open (d);
    size_t alignment = bench.device->klass->row_alignment;
    Rows source, target;
    double worst = 0;

    rows_init (&source, 3 * N * N, 3 * N * N, N, &bench);
    rows_init (&target, N * N, (N * N + alignment - 1) / alignment * alignment,
        N, &bench);
    for (int r = 0; r < N; r++) {
      for (int i = 0; i < N * N; i++) {
        uint8_t *p = host_row (&source, (size_t) r) + 3 * i;

        p[0] = (uint8_t) (r * STEP);
        p[1] = (uint8_t) (i / N * STEP);
        p[2] = (uint8_t) (i % N * STEP);
      }
    }
    rows_up (&source, &bench);
    rows_up (&target, &bench);
    convert (&bench, 1, 1, &source, &target, N * N, N);
    rows_down (&source, &bench, true);
    rows_down (&target, &bench, false);
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
    rows_clear (&source, &bench);
    rows_clear (&target, &bench);
    bench_close (&bench);
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
oracle_median (const uint16_t * map, int width, int height, int x, int y)
{
  int center = map[y * width + x], v[9], n = 0;

  if (center == STEREO_INVALID)
    return STEREO_INVALID;
  for (int dy = -1; dy <= 1; dy++) {
    for (int dx = -1; dx <= 1; dx++) {
      int xx = x + dx, yy = y + dy, value;

      xx = xx < 0 ? 0 : xx >= width ? width - 1 : xx;
      yy = yy < 0 ? 0 : yy >= height ? height - 1 : yy;
      value = map[yy * width + xx];
      v[n++] = value == STEREO_INVALID ? center : value;
    }
  }
  qsort (v, 9, sizeof (int), ascending);
  return (unsigned) v[4];
}

static StereoMap
map_of (const Rows * rows)
{
  StereoMap map = { (uint16_t *) (void *) device_row (rows, 0),
    rows->stride / 2
  };

  return map;
}

static unsigned
value_at (const Rows * rows, int x, int y, int bytes)
{
  const uint8_t *p = host_row (rows, (size_t) y) + (size_t) (x * bytes);

  if (bytes == 1)
    return p[0];
  return p[0] | (unsigned) p[1] << 8;
}

/* The median, the encoding, and both in one, of one map. */
static void
check_map (const Bench * bench, int width, int height, MapFill fill,
    Random * random)
{
  size_t w = (size_t) width, h = (size_t) height;
  size_t pad = 2 * (size_t) random_range (random, 0, 5);
  uint16_t *map = malloc (w * h * 2), *filtered = malloc (w * h * 2);
  uint16_t *code = malloc (STEREO_MAX_DISPARITIES * 2);
  Rows source, target, codes;
  StereoMap in, out;

  REQUIRE (map != NULL && filtered != NULL && code != NULL);
  rows_init (&source, 2 * w, 2 * w + pad, h, bench);
  rows_init (&target, 2 * w, 2 * w + 10 - pad, h, bench);
  rows_init (&codes, 2 * STEREO_MAX_DISPARITIES, 2 * STEREO_MAX_DISPARITIES, 1,
      bench);
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) {
      unsigned value = map_value (fill, x, y, random);

      map[y * width + x] = (uint16_t) value;
      memcpy (host_row (&source, (size_t) y) + 2 * x, &map[y * width + x], 2);
    }
  }
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      filtered[y * width + x] = (uint16_t) oracle_median (map, width, height,
          x, y);
  for (size_t i = 0; i < STEREO_MAX_DISPARITIES; i++)
    code[i] = (uint16_t) random_next (random);
  memcpy (host_row (&codes, 0), code, 2 * STEREO_MAX_DISPARITIES);
  rows_up (&source, bench);
  rows_up (&target, bench);
  rows_up (&codes, bench);

  in = map_of (&source);
  out = map_of (&target);
  CHECK_INT (bench->stages->median (bench->queue, width, height, &in, &out),
      ==, STEREO_OK);
  bench_finish (bench);
  rows_down (&target, bench, false);
  for (int i = 0; i < width * height; i++) {
    unsigned got = value_at (&target, i % width, i / width, 2);

    if (got != filtered[i]) {
      wrong_at (bench, "median", width, height, i % width, i / width, got,
          filtered[i]);
      break;
    }
  }
  rows_clear (&target, bench);

  for (int bytes = 1; bytes <= 2; bytes++) {
    for (int both = 0; both < 2; both++) {
      StereoOutput output = { 0 };
      const uint16_t *expected = both ? filtered : map;
      StereoStatus status;

      if (both && bench->stages->median_encode == NULL)
        continue;
      rows_init (&target, (size_t) bytes * w, (size_t) bytes * w
          + (bytes == 1 ? pad + 1 : pad), h, bench);
      rows_up (&target, bench);
      output.data = device_row (&target, 0);
      output.stride = target.stride;
      output.code = (const uint16_t *) (const void *) device_row (&codes, 0);
      output.invalid = (uint16_t) (bytes == 1 ? 0xfe : 0xbead);
      output.bytes = (uint8_t) bytes;
      if (both)
        status = bench->stages->median_encode (bench->queue, width, height,
            &in, &output);
      else
        status = bench->stages->encode (bench->queue, width, height, &in,
            &output);
      CHECK_INT (status, ==, STEREO_OK);
      bench_finish (bench);
      rows_down (&target, bench, false);
      for (int i = 0; i < width * height; i++) {
        unsigned got = value_at (&target, i % width, i / width, bytes);
        unsigned right = expected[i] == STEREO_INVALID ? output.invalid
            : code[expected[i]];

        right &= bytes == 1 ? 0xff : 0xffff;
        if (got != right) {
          wrong_at (bench, both ? "median and encoding" : "encoding", width,
              height, i % width, i / width, got, right);
          break;
        }
      }
      rows_clear (&target, bench);
    }
  }
  rows_down (&source, bench, true);
  rows_down (&codes, bench, true);
  rows_clear (&source, bench);
  rows_clear (&codes, bench);
  free (map);
  free (filtered);
  free (code);
}

static void
test_median_and_encoding (void)
{
  Random random = { 2 };

  for (size_t d = 0; d < devices_count (); d++) {
    Bench bench = bench_open (d);

    for (size_t s = 0; s < N_SIZES; s++)
      for (int fill = 0; fill < N_MAPS; fill++)
        check_map (&bench, sizes[s][0], sizes[s][1], (MapFill) fill, &random);
    bench_close (&bench);
  }
}

/* The network of the median, for all orders that zeros and ones can have: a
 * network that sorts those sorts everything (D. Knuth, The Art of Computer
 * Programming 3, 5.3.4, theorem Z). */
static void
test_median_network (void)
{
  for (size_t d = 0; d < devices_count (); d++) {
    Bench bench = bench_open (d);
    Rows source, target;
    StereoMap in, out;

    /* 512 patterns of 3x3 side by side */
    rows_init (&source, 2 * 3 * 512, 2 * 3 * 512, 3, &bench);
    rows_init (&target, 2 * 3 * 512, 2 * 3 * 512, 3, &bench);
    for (int pattern = 0; pattern < 512; pattern++) {
      for (int i = 0; i < 9; i++) {
        uint16_t value = (uint16_t) (pattern >> i & 1);

        memcpy (host_row (&source, (size_t) (i / 3)) + 2 * (3 * pattern
                + i % 3), &value, 2);
      }
    }
    rows_up (&source, &bench);
    rows_up (&target, &bench);
    in = map_of (&source);
    out = map_of (&target);
    CHECK_INT (bench.stages->median (bench.queue, 3 * 512, 3, &in, &out), ==,
        STEREO_OK);
    bench_finish (&bench);
    rows_down (&target, &bench, false);
    for (int pattern = 0; pattern < 512; pattern++) {
      int ones = 0;

      for (int i = 0; i < 9; i++)
        ones += pattern >> i & 1;
      CHECK_INT (value_at (&target, 3 * pattern + 1, 1, 2), ==, ones >= 5);
    }
    rows_clear (&source, &bench);
    rows_clear (&target, &bench);
    bench_close (&bench);
  }
}

/* ----------------------------------------------------------------- matchers */

static StereoParams *
algorithm_params (const char *name, double n, double min, double scale,
    double invalid, double median)
{
  return params_new (name, "num-disparities", n, "min-disparity", min,
      "disparity-scale", scale, "invalid-value", invalid, "median", median,
      NULL);
}

static unsigned
code_at (const TestImage * map, int x, int y)
{
  const uint8_t *p = test_image_row (map, y);

  if (map->image.format == STEREO_FORMAT_GRAY8)
    return p[x];
  return p[2 * x] | (unsigned) p[2 * x + 1] << 8;
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

/* Median and codes of a whole matcher, from its own map of plain indices. */
static void
check_output (const char *name, size_t device, double n, double min,
    double scale, double invalid, double median, StereoFormat format,
    int width, int height, Random * random)
{
  TestImage left, right, plain, map;
  StereoParams *params;
  uint16_t *index = malloc (2 * (size_t) (width * height));
  int wrong = 0;

  REQUIRE (index != NULL);
  test_image_init (&left, STEREO_FORMAT_GRAY8, width, height, 3);
  test_image_init (&right, STEREO_FORMAT_GRAY8, width, height, 0);
  fill_pair (&left, &right, FILL_RANDOM, random);
  test_image_init (&plain, STEREO_FORMAT_GRAY16_LE, width, height, 2);
  test_image_init (&map, format, width, height, 6);

  params = algorithm_params (name, n, min, 1, 65535, 0);
  match (device, params, name, &left, &right, &plain);
  stereo_params_free (&params);
  for (int i = 0; i < width * height; i++)
    index[i] = (uint16_t) code_at (&plain, i % width, i / width);

  params = algorithm_params (name, n, min, scale, invalid, median);
  match (device, params, name, &left, &right, &map);
  stereo_params_free (&params);
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) {
      unsigned i = median != 0 ? oracle_median (index, width, height, x, y)
          : index[y * width + x];

      wrong += code_at (&map, x, y) != oracle_code (i, format, n, scale,
          (unsigned) invalid);
    }
  }
  if (wrong != 0)
    fprintf (stderr, "%s, %s: n %g, min %g, scale %g, invalid %g, median %g, "
        "%s, %dx%d\n", name, stereo_device_name (devices_get (device)), n, min,
        scale, invalid, median, stereo_format_name (format), width, height);
  CHECK_INT (wrong, ==, 0);
  test_image_clear (&left);
  test_image_clear (&right);
  test_image_clear (&plain);
  test_image_clear (&map);
  free (index);
}

static void
test_outputs (void)
{
  static const struct
  {
    double n, min, scale, invalid;
    StereoFormat format;
    int width, height;
  } cases[] = {
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
        for (int median = 0; median < 2; median++)
          check_output (stereo_algorithm_name (algorithm), d, cases[i].n,
              cases[i].min, cases[i].scale, cases[i].invalid, median,
              cases[i].format, cases[i].width, cases[i].height, &random);
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

  if (strcmp (name, "GRAY16_LE") == 0)
    return p[2 * x + 1];
  if (strcmp (name, "GRAY8") == 0 || r == NULL || g == NULL || b == NULL)
    return p[x];
  p += bytes * (size_t) x;
  return oracle_luma (p[r - name], p[g - name], p[b - name]);
}

/* Every format gives the map of its luma as GRAY8.  The other view has no
 * colour, so that no algorithm can make use of it. */
static void
test_formats (void)
{
  const StereoAlgorithm *algorithm;
  Random random = { 4 };

  for (size_t a = 0; (algorithm = stereo_algorithm_get (a)); a++) {
    const char *name = stereo_algorithm_name (algorithm);

    for (int f = 0; f < 2 * STEREO_N_FORMATS; f++) {
      StereoFormat format = (StereoFormat) (f / 2);
      int width = 45, height = 14;
      TestImage side, other, grey, map, expected;
      StereoParams *params = algorithm_params (name, 9, -2, 16, 0, 0);

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
        const char *difference;

        /* left and right in turn */
        if (f % 2) {
          match (d, params, name, &grey, &other, &expected);
          match (d, params, name, &side, &other, &map);
        } else {
          match (d, params, name, &other, &grey, &expected);
          match (d, params, name, &other, &side, &map);
        }
        difference = first_difference (&map, &expected);
        if (difference != NULL) {
          fprintf (stderr, "%s, %s, %s: %s\n", name,
              stereo_device_name (devices_get (d)),
              stereo_format_name (format), difference);
          CHECK (!"equal to the map of its luma");
        }
      }
      stereo_params_free (&params);
      test_image_clear (&side);
      test_image_clear (&other);
      test_image_clear (&grey);
      test_image_clear (&map);
      test_image_clear (&expected);
    }
  }
}

static const Test tests[] = {
  {"conversion", test_conversion},
  {"luma", test_luma},
  {"median-and-encoding", test_median_and_encoding},
  {"median-network", test_median_network},
  {"outputs", test_outputs},
  {"formats", test_formats},
};

int
main (int argc, char **argv)
{
  int status = TEST_RUN (tests, argc, argv);

  harness_free ();
  return status;
}
