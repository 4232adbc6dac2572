/* gst-stereomatching: helpers of the kernel tests
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "harness.h"

#include <math.h>
#include <stdarg.h>

#define CANARY 0xa5
#define GUARD 256               /* bytes before and after an image */

uint32_t
random_next (Random * random)
{
  /* splitmix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014) */
  uint64_t z = random->state += 0x9e3779b97f4a7c15u;

  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (uint32_t) (z >> 32);
}

int
random_range (Random * random, int lowest, int highest)
{
  return lowest + (int) (random_next (random) % (uint32_t) (highest - lowest
          + 1));
}

size_t
format_bytes (StereoFormat format)
{
  switch (format) {
    case STEREO_FORMAT_GRAY16_LE:
    case STEREO_FORMAT_YUY2:
    case STEREO_FORMAT_UYVY:
    case STEREO_FORMAT_YVYU:
    case STEREO_FORMAT_P010_10LE:
    case STEREO_FORMAT_I420_10LE:
    case STEREO_FORMAT_I422_10LE:
    case STEREO_FORMAT_Y444_10LE:
      return 2;
    case STEREO_FORMAT_RGB:
    case STEREO_FORMAT_BGR:
      return 3;
    case STEREO_FORMAT_RGBX:
    case STEREO_FORMAT_BGRX:
    case STEREO_FORMAT_XRGB:
    case STEREO_FORMAT_XBGR:
    case STEREO_FORMAT_U32:
      return 4;
    case STEREO_FORMAT_XYZ_F32:
      return 12;
    case STEREO_FORMAT_XYZRGB_F32:
      return 16;
    default:
      return 1;
  }
}

bool
format_has_color (StereoFormat format)
{
  return format_bytes (format) >= 3 || format >= STEREO_FORMAT_NV12;
}

static int
planes_of (StereoFormat format)
{
  switch (format) {
    case STEREO_FORMAT_NV12:
    case STEREO_FORMAT_NV21:
    case STEREO_FORMAT_NV16:
    case STEREO_FORMAT_P010_10LE:
      return 2;
    case STEREO_FORMAT_I420:
    case STEREO_FORMAT_YV12:
    case STEREO_FORMAT_Y42B:
    case STEREO_FORMAT_Y444:
    case STEREO_FORMAT_I420_10LE:
    case STEREO_FORMAT_I422_10LE:
    case STEREO_FORMAT_Y444_10LE:
      return 3;
    default:
      return 1;
  }
}

/* Whether chroma is subsampled horizontally, or vertically. */
static bool
halved (StereoFormat format, bool rows)
{
  switch (format) {
    case STEREO_FORMAT_NV12:
    case STEREO_FORMAT_NV21:
    case STEREO_FORMAT_I420:
    case STEREO_FORMAT_YV12:
    case STEREO_FORMAT_P010_10LE:
    case STEREO_FORMAT_I420_10LE:
      return true;
    case STEREO_FORMAT_Y444:
    case STEREO_FORMAT_Y444_10LE:
      return false;
    default:
      return !rows;
  }
}

static bool
is_packed_yuv (StereoFormat format)
{
  return format == STEREO_FORMAT_YUY2 || format == STEREO_FORMAT_UYVY
      || format == STEREO_FORMAT_YVYU;
}

int
plane_rows (const TestImage * image, int plane)
{
  int height = image->image.height;

  return plane == 0 || !halved (image->image.format, true) ? height
      : height / 2 + height % 2;
}

size_t
plane_row_bytes (const TestImage * image, int plane)
{
  size_t width = (size_t) image->image.width, half = width / 2 + width % 2;
  size_t bytes = format_bytes (image->image.format);

  if (plane == 0)
    return image->row_bytes;
  if (image->n_planes == 2)
    return 2 * half * bytes;
  return (halved (image->image.format, false) ? half : width) * bytes;
}

uint8_t *
plane_row (const TestImage * image, int plane, int y)
{
  return (uint8_t *) image->image.plane[plane]
      + (size_t) y * image->image.stride[plane];
}

void
test_image_init (TestImage * image, StereoFormat format, int width,
    int height, size_t padding)
{
  StereoImage *i = &image->image;
  uint8_t *at;

  memset (image, 0, sizeof (*image));
  i->format = format;
  i->width = width;
  i->height = height;
  i->memory = STEREO_MEMORY_HOST;
  image->n_planes = planes_of (format);
  image->row_bytes = (size_t) (is_packed_yuv (format) ? width + width % 2
      : width) * format_bytes (format);
  image->size = GUARD;
  for (int p = 0; p < image->n_planes; p++) {
    i->stride[p] = plane_row_bytes (image, p) + padding;
    image->size += i->stride[p] * (size_t) plane_rows (image, p) + GUARD;
  }
  image->memory = malloc (image->size);
  REQUIRE (image->memory != NULL);
  memset (image->memory, CANARY, image->size);
  at = image->memory + GUARD;
  for (int p = 0; p < image->n_planes; p++) {
    i->plane[p] = at;
    at += i->stride[p] * (size_t) plane_rows (image, p) + GUARD;
  }
}

void
test_image_clear (TestImage * image)
{
  free (image->memory);
  memset (image, 0, sizeof (*image));
}

uint8_t *
test_image_row (const TestImage * image, int y)
{
  return plane_row (image, 0, y);
}

/* Offsets of Y, U and V in a packed pair of pixels. */
static const uint8_t *
packed_yuv (StereoFormat format)
{
  /* first Y, second Y, U, V */
  static const uint8_t yuy2[] = { 0, 2, 1, 3 };
  static const uint8_t uyvy[] = { 1, 3, 0, 2 };
  static const uint8_t yvyu[] = { 0, 2, 3, 1 };

  return format == STEREO_FORMAT_YUY2 ? yuy2
      : format == STEREO_FORMAT_UYVY ? uyvy : yvyu;
}

/* The high 8 bits of sample i of a row. */
static int
sample (const TestImage * image, const uint8_t * row, int i)
{
  switch (image->image.format) {
    case STEREO_FORMAT_P010_10LE:
      return (row[2 * i] + 256 * row[2 * i + 1]) / 64 / 4;
    case STEREO_FORMAT_I420_10LE:
    case STEREO_FORMAT_I422_10LE:
    case STEREO_FORMAT_Y444_10LE:
      return (row[2 * i] + 256 * row[2 * i + 1]) % 1024 / 4;
    default:
      return row[i];
  }
}

void
test_image_yuv (const TestImage * image, int x, int y, int yuv[3])
{
  StereoFormat format = image->image.format;
  int xx = halved (format, false) ? x / 2 : x;
  int yy = halved (format, true) ? y / 2 : y;
  int u = format == STEREO_FORMAT_YV12 ? 2 : 1;

  if (is_packed_yuv (format)) {
    const uint8_t *pair = plane_row (image, 0, y) + x / 2 * 4;
    const uint8_t *at = packed_yuv (format);

    yuv[0] = pair[at[x % 2]];
    yuv[1] = pair[at[2]];
    yuv[2] = pair[at[3]];
    return;
  }
  yuv[0] = sample (image, plane_row (image, 0, y), x);
  if (image->n_planes == 2) {
    int v_first = format == STEREO_FORMAT_NV21;

    yuv[1] = sample (image, plane_row (image, 1, yy), 2 * xx + v_first);
    yuv[2] = sample (image, plane_row (image, 1, yy), 2 * xx + !v_first);
  } else {
    yuv[1] = sample (image, plane_row (image, u, yy), xx);
    yuv[2] = sample (image, plane_row (image, 3 - u, yy), xx);
  }
}

/* The change of R, G and B per step of Y, U and V. */
static void
oracle_steps (StereoColorimetry colorimetry, double *black, double steps[3][3])
{
  static const double weights[3][2] = {
    {0.299, 0.114}, {0.2126, 0.0722}, {0.2627, 0.0593}
  };
  bool full = colorimetry >= STEREO_COLORIMETRY_BT601_FULL;
  double kr = weights[colorimetry % 3][0], kb = weights[colorimetry % 3][1];
  double chroma = full ? 1 : 255 / 224.0;

  *black = full ? 0 : 16;
  for (int c = 0; c < 3; c++) {
    steps[c][0] = full ? 1 : 255 / 219.0;
    steps[c][1] = steps[c][2] = 0;
  }
  steps[0][2] = 2 * (1 - kr) * chroma;
  steps[2][1] = 2 * (1 - kb) * chroma;
  /* from Kr R + Kg G + Kb B = Y, which U and V do not change */
  steps[1][1] = -kb * steps[2][1] / (1 - kr - kb);
  steps[1][2] = -kr * steps[0][2] / (1 - kr - kb);
}

void
oracle_yuv (StereoColorimetry colorimetry, const int yuv[3], double rgb[3])
{
  double steps[3][3], black;

  oracle_steps (colorimetry, &black, steps);
  for (int c = 0; c < 3; c++)
    rgb[c] = fmin (255, fmax (0, steps[c][0] * (yuv[0] - black)
            + steps[c][1] * (yuv[1] - 128) + steps[c][2] * (yuv[2] - 128)));
}

/* Integer conversion with steps in units of 1/8192. */
static void
yuv_to_rgb (StereoColorimetry colorimetry, const int yuv[3], int rgb[3])
{
  double steps[3][3], black;

  oracle_steps (colorimetry, &black, steps);
  for (int c = 0; c < 3; c++) {
    double sum = round (8192 * steps[c][0]) * (yuv[0] - black)
        + round (8192 * steps[c][1]) * (yuv[1] - 128)
        + round (8192 * steps[c][2]) * (yuv[2] - 128);

    rgb[c] = (int) fmin (255, fmax (0, floor (sum / 8192 + 0.5)));
  }
}

void
test_image_rgb (const TestImage * image, int x, int y, int rgb[3])
{
  static const int order[STEREO_N_FORMATS][3] = {
    [STEREO_FORMAT_RGB] = {0, 1, 2},[STEREO_FORMAT_BGR] = {2, 1, 0},
    [STEREO_FORMAT_RGBX] = {0, 1, 2},[STEREO_FORMAT_BGRX] = {2, 1, 0},
    [STEREO_FORMAT_XRGB] = {1, 2, 3},[STEREO_FORMAT_XBGR] = {3, 2, 1},
    [STEREO_FORMAT_GRAY16_LE] = {1, 1, 1},
  };
  const uint8_t *p = test_image_row (image, y)
      + (size_t) x * format_bytes (image->image.format);

  if (image->image.format >= STEREO_FORMAT_NV12) {
    int yuv[3];

    test_image_yuv (image, x, y, yuv);
    yuv_to_rgb (image->colorimetry, yuv, rgb);
    return;
  }
  for (int c = 0; c < 3; c++)
    rgb[c] = p[order[image->image.format][c]];
}

int
test_image_luma (const TestImage * image, bool color, int x, int y)
{
  int rgb[3];

  if (image->image.format >= STEREO_FORMAT_NV12 && !color) {
    test_image_yuv (image, x, y, rgb);
    return rgb[0];
  }
  test_image_rgb (image, x, y, rgb);
  return (19589 * rgb[0] + 38470 * rgb[1] + 7471 * rgb[2] + 32768) / 65536;
}

bool
test_image_intact (const TestImage * image)
{
  size_t before = 0;

  for (int p = 0; p < image->n_planes; p++) {
    size_t start = (size_t) (plane_row (image, p, 0) - image->memory);
    size_t stride = image->image.stride[p];
    size_t end = start + stride * (size_t) plane_rows (image, p);

    for (size_t i = before; i < end; i++) {
      bool pixel = i >= start
          && (i - start) % stride < plane_row_bytes (image, p);

      if (!pixel && image->memory[i] != CANARY)
        return false;
    }
    before = end;
  }
  for (size_t i = before; i < image->size; i++) {
    if (image->memory[i] != CANARY)
      return false;
  }
  return true;
}

static uint8_t
fill_byte (Fill fill, bool right, int x, int y, size_t c, Random * random)
{
  switch (fill) {
    case FILL_RANDOM:
      return (uint8_t) random_next (random);
    case FILL_SHIFTED:{
      /* a texture of two scales; surfaces at disparities 2 and 5 */
      unsigned u = (unsigned) (x + (right ? (y / 8 % 2 ? 2 : 5) : 0) + 64);
      unsigned fine = (u * 2654435761u ^ (unsigned) y * 40503u ^
          (unsigned) c * 97u) >> 24 & 127;
      unsigned coarse = (u / 7 * 40503u ^ (unsigned) (y / 5) * 7919u) & 127;

      return (uint8_t) (fine + coarse + (right ? random_next (random) & 1 : 0));
    }
    case FILL_BLACK:
      return 0;
    case FILL_WHITE:
      return 255;
    case FILL_BLACK_AND_WHITE:
      return right ? 255 : 0;
    case FILL_CHECKER:
      return (x + y) % 2 ? 255 : 0;
    case FILL_RAMP:
      return (uint8_t) (3 * x + y + 10 * (int) c);
    case FILL_IMPULSES:
    default:
      return random_next (random) % 97 == 0 ? 255 : 20;
  }
}

void
fill_pair (TestImage * left, TestImage * right, Fill fill, Random * random)
{
  TestImage *images[2] = { left, right };

  for (int i = 0; i < 2; i++) {
    images[i]->fill = (int) fill;
    for (int p = 0; p < images[i]->n_planes; p++) {
      size_t bytes = format_bytes (images[i]->image.format)
          * (p > 0 && images[i]->n_planes == 2 ? 2 : 1);

      for (int y = 0; y < plane_rows (images[i], p); y++) {
        uint8_t *row = plane_row (images[i], p, y);

        for (size_t b = 0; b < plane_row_bytes (images[i], p); b++)
          row[b] = fill_byte (fill, i == 1, (int) (b / bytes), y,
              b % bytes + 3 * (size_t) p, random);
      }
    }
  }
}

void
init_pair (TestImage * left, TestImage * right, StereoFormat left_format,
    StereoFormat right_format, int width, int height, Fill fill,
    Random * random)
{
  test_image_init (left, left_format, width, height,
      (size_t) random_range (random, 0, 5) * 2);
  test_image_init (right, right_format, width, height,
      (size_t) random_range (random, 0, 3) * 2);
  fill_pair (left, right, fill, random);
}

void
copy_grey (const TestImage * from, TestImage * to)
{
  size_t bytes = format_bytes (to->image.format);

  for (int y = 0; y < to->image.height; y++) {
    for (size_t i = 0; i < to->row_bytes; i++)
      test_image_row (to, y)[i] = test_image_row (from, y)[i / bytes];
  }
}

int
code_at (const TestImage * map, int x, int y)
{
  const uint8_t *p = test_image_row (map, y);

  if (map->image.format == STEREO_FORMAT_GRAY8)
    return p[x];
  return p[2 * x] | p[2 * x + 1] << 8;
}

void
put_code (const TestImage * map, int x, int y, unsigned code)
{
  uint8_t *at = test_image_row (map, y) + (size_t) x * map->row_bytes
      / (size_t) map->image.width;

  at[0] = (uint8_t) code;
  if (map->image.format == STEREO_FORMAT_GRAY16_LE)
    at[1] = (uint8_t) (code >> 8);
}

const char *
first_difference (const TestImage * a, const TestImage * b)
{
  static char text[160];
  size_t bytes = format_bytes (a->image.format), n = 0, x0 = SIZE_MAX, x1 = 0;
  int y0 = -1, y1 = 0;

  for (int y = 0; y < a->image.height; y++) {
    const uint8_t *p = test_image_row (a, y), *q = test_image_row (b, y);

    for (size_t i = 0; i < a->row_bytes; i += bytes) {
      if (memcmp (p + i, q + i, bytes) == 0)
        continue;
      if (n++ == 0) {
        y0 = y;
        snprintf (text, sizeof (text), "(%zu, %d): %d, %d", i / bytes, y,
            bytes == 2 ? p[i] | p[i + 1] << 8 : p[i],
            bytes == 2 ? q[i] | q[i + 1] << 8 : q[i]);
      }
      y1 = y;
      x0 = i / bytes < x0 ? i / bytes : x0;
      x1 = i / bytes > x1 ? i / bytes : x1;
    }
  }
  if (n == 0)
    return NULL;
  snprintf (text + strlen (text), sizeof (text) - strlen (text),
      "; %zu differ, columns %zu to %zu, rows %d to %d", n, x0, x1, y0, y1);
  return text;
}

/* ------------------------------------------------------------------ devices */

static StereoDevice *devices[16];
static size_t n_devices;

static void
make_devices (void)
{
  StereoMessage why;
  unsigned n_threads = 1;

  for (int simd = STEREO_SIMD_NONE; simd <= STEREO_SIMD_AVX512; simd++) {
    if (!stereo_simd_available ((StereoSimd) simd)) {
      printf ("  not supported on this machine: %s\n", stereo_simd_name (
              (StereoSimd) simd));
      continue;
    }
    REQUIRE (stereo_device_new_cpu (n_threads, (StereoSimd) simd,
            &devices[n_devices], NULL) == STEREO_OK);
    n_devices++;
    n_threads = n_threads % 3 + 1;
  }
  if (stereo_device_new_cuda (-1, &devices[n_devices], &why) == STEREO_OK)
    n_devices++;
  else
    printf ("  no CUDA: %s\n", why.text);
  for (size_t i = 0; i < n_devices; i++)
    printf ("  device: %s\n", stereo_device_name (devices[i]));
}

size_t
devices_count (void)
{
  if (n_devices == 0)
    make_devices ();
  return n_devices;
}

StereoDevice *
devices_get (size_t index)
{
  REQUIRE (index < devices_count ());
  return devices[index];
}

bool
devices_have_cuda (void)
{
  StereoDevice *last = devices_get (devices_count () - 1);

  return strcmp (stereo_device_backend (last), "cuda") == 0;
}

/* ----------------------------------------------------------------- matching */

double
param (const StereoParams * params, const char *name)
{
  double value = 0;

  REQUIRE (stereo_params_get (params, name, &value));
  return value;
}

StereoParams *
params_new (const char *algorithm, const char *name, ...)
{
  StereoParams *params = NULL;
  StereoMessage why;
  va_list args;

  REQUIRE (stereo_params_new (stereo_algorithm_find (algorithm),
          &params) == STEREO_OK);
  va_start (args, name);
  while (name != NULL) {
    if (stereo_params_set (params, name, va_arg (args, double), &why)
        != STEREO_OK) {
      fprintf (stderr, "%s\n", why.text);
      exit (1);
    }
    name = va_arg (args, const char *);
  }
  va_end (args);
  return params;
}

static struct
{
  const char *algorithm;
  StereoMatcher *matcher;
} matchers[16];

void
match (size_t device, const StereoParams * params, const char *algorithm,
    const TestImage * left, const TestImage * right, TestImage * output)
{
  TestImage *const results[STEREO_N_RESULTS] = { output };

  match_results (device, params, algorithm, left, right, results);
}

void
match_results (size_t device, const StereoParams * params,
    const char *algorithm, const TestImage * left, const TestImage * right,
    TestImage * const results[STEREO_N_RESULTS])
{
  const StereoImage *images[STEREO_N_RESULTS];
  StereoMatcher *matcher;
  StereoMatcherConfig config = {
    sizeof (StereoMatcherConfig),
    left->image.width, left->image.height, left->image.format,
    right->image.format, results[0]->image.format, left->colorimetry,
    right->colorimetry
  };
  StereoStatus status;

  if (matchers[device].matcher == NULL
      || strcmp (matchers[device].algorithm, algorithm) != 0) {
    stereo_matcher_free (&matchers[device].matcher);
    REQUIRE (stereo_matcher_new (stereo_algorithm_find (algorithm),
            devices_get (device), &matchers[device].matcher) == STEREO_OK);
    matchers[device].algorithm = algorithm;
  }
  matcher = matchers[device].matcher;

  for (int r = 0; r < STEREO_N_RESULTS; r++)
    images[r] = results[r] != NULL ? &results[r]->image : NULL;
  status = stereo_matcher_configure (matcher, &config, params);
  if (status == STEREO_OK)
    status = stereo_matcher_process_results (matcher, &left->image,
        &right->image, images, STEREO_N_RESULTS, NULL);
  if (status == STEREO_OK)
    status = stereo_matcher_sync (matcher);
  CHECK_STRING (stereo_matcher_error (matcher), "");
  CHECK_INT (status, ==, STEREO_OK);
  for (int r = 0; r < STEREO_N_RESULTS; r++)
    CHECK (results[r] == NULL || test_image_intact (results[r]));
  CHECK (test_image_intact (left));
  CHECK (test_image_intact (right));
}

int
bench_devices (void (*run) (size_t device, int width, int height), int argc,
    char **argv)
{
  int width = 1920, height = 1080;
  size_t first = 0;

  for (int i = 0; i < argc; i++) {
    if (strcmp (argv[i], "cuda") == 0)
      first = devices_count () - 1;
    else if (sscanf (argv[i], "%dx%d", &width, &height) != 2)
      return 2;
  }
  for (size_t d = first; d < devices_count (); d++)
    run (d, width, height);
  return 0;
}

void
harness_free (void)
{
  for (size_t i = 0; i < n_devices; i++) {
    stereo_matcher_free (&matchers[i].matcher);
    stereo_device_unref (&devices[i]);
  }
  n_devices = 0;
}

int
harness_main (int argc, char **argv, size_t (*run) (Random * random))
{
  size_t n_compared = 0;
  unsigned long first, count;
  int status;

  if (run == NULL || argc != 4 || strcmp (argv[1], "--random") != 0) {
    status = test_run (argc, argv);
    harness_free ();
    return status;
  }
  first = strtoul (argv[2], NULL, 10);
  count = strtoul (argv[3], NULL, 10);
  for (unsigned long i = 0; i < count && test_failures == 0; i++) {
    Random random = { first + i };

    n_compared += run (&random);
    if (test_failures > 0)
      fprintf (stderr, "failed with seed %lu\n", first + i);
  }
  printf ("%lu inputs, %zu operations\n", count, n_compared);
  harness_free ();
  return test_failures > 0;
}
