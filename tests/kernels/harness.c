/* gst-stereomatching: what the kernel tests have in common
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "harness.h"

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
      return 2;
    case STEREO_FORMAT_RGB:
    case STEREO_FORMAT_BGR:
      return 3;
    case STEREO_FORMAT_RGBX:
    case STEREO_FORMAT_BGRX:
    case STEREO_FORMAT_XRGB:
    case STEREO_FORMAT_XBGR:
      return 4;
    default:
      return 1;
  }
}

void
test_image_init (TestImage * image, StereoFormat format, int width,
    int height, size_t padding)
{
  size_t stride;

  memset (image, 0, sizeof (*image));
  image->row_bytes = (size_t) width * format_bytes (format);
  stride = image->row_bytes + padding;
  image->size = stride * (size_t) height + 2 * GUARD;
  image->memory = malloc (image->size);
  REQUIRE (image->memory != NULL);
  memset (image->memory, CANARY, image->size);
  image->image.format = format;
  image->image.width = width;
  image->image.height = height;
  image->image.memory = STEREO_MEMORY_HOST;
  image->image.plane[0] = image->memory + GUARD;
  image->image.stride[0] = stride;
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
  return (uint8_t *) image->image.plane[0] + (size_t) y
      * image->image.stride[0];
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

  for (int c = 0; c < 3; c++)
    rgb[c] = p[order[image->image.format][c]];
}

int
test_image_luma (const TestImage * image, int x, int y)
{
  int rgb[3];

  test_image_rgb (image, x, y, rgb);
  return (19589 * rgb[0] + 38470 * rgb[1] + 7471 * rgb[2] + 32768) / 65536;
}

bool
test_image_intact (const TestImage * image)
{
  size_t stride = image->image.stride[0];

  for (size_t i = 0; i < image->size; i++) {
    bool pixel = i >= GUARD && i < image->size - GUARD
        && (i - GUARD) % stride < image->row_bytes;

    if (!pixel && image->memory[i] != CANARY)
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
      /* a texture of two scales, and two surfaces: one at 2, one at 5 */
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
    size_t bytes = format_bytes (images[i]->image.format);

    for (int y = 0; y < images[i]->image.height; y++) {
      uint8_t *row = test_image_row (images[i], y);

      for (size_t b = 0; b < images[i]->row_bytes; b++)
        row[b] = fill_byte (fill, i == 1, (int) (b / bytes), y, b % bytes,
            random);
    }
  }
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
      printf ("  not on this machine: %s\n", stereo_simd_name (
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
  StereoMatcher *matcher;
  StereoGeometry geometry = {
    left->image.width, left->image.height, left->image.format,
    right->image.format, output->image.format
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

  status = stereo_matcher_configure (matcher, &geometry, params);
  if (status == STEREO_OK)
    status = stereo_matcher_process (matcher, &left->image, &right->image,
        &output->image, NULL);
  if (status == STEREO_OK)
    status = stereo_matcher_sync (matcher);
  CHECK_STRING (stereo_matcher_error (matcher), "");
  CHECK_INT (status, ==, STEREO_OK);
  CHECK (test_image_intact (output));
  CHECK (test_image_intact (left));
  CHECK (test_image_intact (right));
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
