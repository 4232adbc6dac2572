/* gst-stereomatching: tests of runners, with the colour map operation
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/runner.h"
#include "image/colorize.h"
#include "image/colormap.h"
#include "stereo-cuda.h"
#include "test.h"

#define WIDTH 77
#define HEIGHT 61

/* Position of the channels in a pixel. */
static const struct
{
  StereoFormat format;
  int bytes;
  int r;
  int g;
  int b;
} layouts[] = {
  {STEREO_FORMAT_RGB, 3, 0, 1, 2},
  {STEREO_FORMAT_BGR, 3, 2, 1, 0},
  {STEREO_FORMAT_RGBX, 4, 0, 1, 2},
  {STEREO_FORMAT_BGRX, 4, 2, 1, 0},
  {STEREO_FORMAT_XRGB, 4, 1, 2, 3},
  {STEREO_FORMAT_XBGR, 4, 3, 2, 1},
};

static uint8_t codes[HEIGHT * 2 * WIDTH + 1];
static uint8_t pixels[HEIGHT * (4 * WIDTH + 5) + 3];

static unsigned
code_at (int bytes, int x, int y)
{
  unsigned code = (unsigned) (x * 877 + y * 3571 + x * y);

  return bytes == 1 ? code & 255 : code & 65535;
}

/* The grey map is computed without a table: position times 255, rounded. */
static int
grey_of (const StereoColorizeParams * p, unsigned code)
{
  double at = (code / p->scale + p->minimum - p->low) / (p->high - p->low);

  return at < 0 ? 0 : at > 1 ? 255 : (int) (255 * at + 0.5);
}

static void
check_pixel (const StereoColorizeParams * p, size_t layout, unsigned code,
    const uint8_t * pixel)
{
  bool invalid = (int) code == p->invalid_value;
  int grey = grey_of (p, code);
  unsigned color = p->invalid_color;

  CHECK_INT (pixel[layouts[layout].r], ==, invalid ? (int) (color >> 16 & 255)
      : grey);
  CHECK_INT (pixel[layouts[layout].g], ==, invalid ? (int) (color >> 8 & 255)
      : grey);
  CHECK_INT (pixel[layouts[layout].b], ==, invalid ? (int) (color & 255)
      : grey);
  if (layouts[layout].bytes == 4) {
    int other = 6 - layouts[layout].r - layouts[layout].g - layouts[layout].b;

    CHECK_INT (pixel[other], ==, p->alpha && invalid ? (int) (color >> 24)
        : 255);
  }
}

static StereoRunner *
new_runner (StereoDevice * device)
{
  StereoRunner *runner = NULL;

  REQUIRE (stereo_runner_new (&stereo_colorize_op, device, &runner, NULL)
      == STEREO_OK);
  return runner;
}

/* Checks each pixel of a picture; bytes between rows must be unchanged. */
static void
check_picture (StereoRunner * runner, const StereoColorizeParams * params,
    int code_bytes, size_t layout)
{
  StereoFormat format = code_bytes == 1 ? STEREO_FORMAT_GRAY8
      : STEREO_FORMAT_GRAY16_LE;
  int bytes = layouts[layout].bytes;
  StereoPortSetup in = { format, WIDTH, HEIGHT, 1 };
  StereoPortSetup out = { layouts[layout].format, WIDTH, HEIGHT, 1 };
  StereoImage map = {.format = format,.width = WIDTH,.height = HEIGHT };
  StereoImage picture = {.format = out.format,.width = WIDTH,
    .height = HEIGHT
  };
  const StereoImage *inputs[] = { &map }, *outputs[] = { &picture };
  size_t stride = (size_t) (bytes * WIDTH + 5);

  for (int y = 0; y < HEIGHT; y++) {
    for (int x = 0; x < WIDTH; x++) {
      uint8_t *at = codes + 1 + (y * WIDTH + x) * code_bytes;

      at[0] = (uint8_t) code_at (code_bytes, x, y);
      if (code_bytes == 2)
        at[1] = (uint8_t) (code_at (2, x, y) >> 8);
    }
  }
  memset (pixels, 0x5a, sizeof (pixels));
  map.plane[0] = codes + 1;
  map.stride[0] = (size_t) (WIDTH * code_bytes);
  picture.plane[0] = pixels + 3;
  picture.stride[0] = stride;
  REQUIRE (stereo_runner_configure (runner, &in, &out, params) == STEREO_OK);
  REQUIRE (stereo_runner_process (runner, inputs, outputs, NULL) == STEREO_OK);
  REQUIRE (stereo_runner_sync (runner) == STEREO_OK);

  for (int y = 0; y < HEIGHT; y++) {
    const uint8_t *row = pixels + 3 + (size_t) y * stride;

    for (int x = 0; x < WIDTH; x++)
      check_pixel (params, layout, code_at (code_bytes, x, y),
          row + bytes * x);
    for (size_t i = (size_t) (bytes * WIDTH); i < stride
        && row + i < pixels + sizeof (pixels); i++)
      CHECK_INT (row[i], ==, 0x5a);
  }
}

static void
check_device (StereoDevice * device)
{
  static const StereoColorizeParams params[] = {
    {STEREO_COLORMAP_GREY, 1, 0, 0, 255, -1, 0, false},
    {STEREO_COLORMAP_GREY, 16, -5, 3.5, 40, 0, 0x40ff8001, true},
    {STEREO_COLORMAP_GREY, 256, 0, 200, 10, 99, 0x12345678, false},
  };
  StereoRunner *runner = new_runner (device);

  for (size_t p = 0; p < sizeof (params) / sizeof (params[0]); p++) {
    for (size_t l = 0; l < sizeof (layouts) / sizeof (layouts[0]); l++) {
      check_picture (runner, &params[p], 1, l);
      check_picture (runner, &params[p], 2, l);
    }
  }
  stereo_runner_free (&runner);
  CHECK (runner == NULL);
}

TEST (test_cpu)
{
  for (unsigned threads = 1; threads < 10; threads += 4) {
    StereoDevice *device = NULL;

    REQUIRE (stereo_device_new_cpu (threads, STEREO_SIMD_AUTO, &device, NULL)
        == STEREO_OK);
    check_device (device);
    stereo_device_unref (&device);
  }
}

TEST (test_cuda)
{
  SCOPED (stereo_device_unref) StereoDevice *device = NULL;

  if (stereo_cuda_count (NULL) == 0)
    SKIP ("no CUDA device");
  REQUIRE (stereo_device_new_cuda (-1, &device, NULL) == STEREO_OK);
  check_device (device);
}

TEST (test_maps)
{
  for (int m = 0; m < STEREO_N_COLORMAPS; m++) {
    StereoColormap map = (StereoColormap) m;

    CHECK_INT (stereo_colormap_get (map, -3), ==, stereo_colormap_get (map,
            0));
    CHECK_INT (stereo_colormap_get (map, 7), ==, stereo_colormap_get (map, 1));
    CHECK (stereo_colormap_values[m].nick != NULL);
  }
  CHECK_INT (stereo_colormap_get (STEREO_COLORMAP_TURBO, 0), ==, 0x30123b);
  CHECK_INT (stereo_colormap_get (STEREO_COLORMAP_TURBO, 1), ==, 0x7a0403);
  CHECK_INT (stereo_colormap_get (STEREO_COLORMAP_VIRIDIS, 0), ==, 0x440154);
  CHECK_INT (stereo_colormap_get (STEREO_COLORMAP_JET, 0.5), ==, 0x80ff80);
}

/* Messages of a runner about invalid images and setups. */
TEST (test_errors)
{
  const StereoColorizeParams good = {.scale = 1,.high = 255 };
  const StereoColorizeParams empty = {.scale = 1 };
  StereoPortSetup in = { STEREO_FORMAT_GRAY8, 4, 3, 1 };
  StereoPortSetup out = { STEREO_FORMAT_RGB, 4, 3, 1 };
  StereoImage map = {.format = STEREO_FORMAT_GRAY8,.width = 4,.height = 3 };
  StereoImage picture = {.format = STEREO_FORMAT_RGB,.width = 4,.height = 3 };
  const StereoImage *inputs[] = { &map }, *outputs[] = { NULL };
  SCOPED (stereo_device_unref) StereoDevice *device = NULL;
  SCOPED (stereo_runner_free) StereoRunner *runner = NULL;
  const char *why;

  REQUIRE (stereo_device_new_cpu (1, STEREO_SIMD_AUTO, &device, NULL)
      == STEREO_OK);
  runner = new_runner (device);
  why = stereo_runner_message (runner)->text;
  CHECK (stereo_runner_device (runner) == device);

  CHECK_INT (stereo_runner_process (runner, inputs, outputs, NULL), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (why, "colorize is not configured");
  in.format = STEREO_FORMAT_RGB;
  CHECK_INT (stereo_runner_configure (runner, &in, &out, &good), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (why, "map image cannot be RGB: it is GRAY16_LE or GRAY8");
  in.format = STEREO_FORMAT_GRAY8;
  out.width = 0;
  CHECK_INT (stereo_runner_configure (runner, &in, &out, &good), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (why, "picture image of 0x3");
  out.width = 4;
  CHECK_INT (stereo_runner_configure (runner, &in, &out, &empty), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (why, "the range of colours is empty");

  REQUIRE (stereo_runner_configure (runner, &in, &out, &good) == STEREO_OK);
  CHECK_INT (stereo_runner_process (runner, inputs, outputs, NULL), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (why, "map image has no data");
  map.plane[0] = codes;
  map.stride[0] = 4;
  CHECK_INT (stereo_runner_process (runner, inputs, outputs, NULL), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (why, "picture image is missing");
  outputs[0] = &picture;
  picture.plane[0] = pixels;
  picture.stride[0] = 11;
  CHECK_INT (stereo_runner_process (runner, inputs, outputs, NULL), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (why, "picture image has a stride of 11");
  picture.stride[0] = 12;
  CHECK_INT (stereo_runner_process (runner, inputs, outputs, NULL), ==,
      STEREO_OK);
}

/* The operation is one stage, and frames are counted. */
TEST (test_stages)
{
  const StereoColorizeParams params = {.scale = 1,.high = 255 };
  StereoPortSetup in = { STEREO_FORMAT_GRAY8, WIDTH, HEIGHT, 1 };
  StereoPortSetup out = { STEREO_FORMAT_RGBX, WIDTH, HEIGHT, 1 };
  StereoImage map = {.format = in.format,.width = WIDTH,.height = HEIGHT };
  StereoImage picture = {.format = out.format,.width = WIDTH,
    .height = HEIGHT
  };
  const StereoImage *inputs[] = { &map }, *outputs[] = { &picture };
  SCOPED (stereo_device_unref) StereoDevice *device = NULL;
  SCOPED (stereo_runner_free) StereoRunner *runner = NULL;
  StereoMatcherStats stats;
  const char *name = "";
  uint64_t frame = 0;

  REQUIRE (stereo_device_new_cpu (2, STEREO_SIMD_AUTO, &device, NULL)
      == STEREO_OK);
  runner = new_runner (device);
  map.plane[0] = codes;
  map.stride[0] = WIDTH;
  picture.plane[0] = pixels;
  picture.stride[0] = 4 * WIDTH;
  stereo_runner_set_profiling (runner, true);
  REQUIRE (stereo_runner_configure (runner, &in, &out, &params) == STEREO_OK);
  for (uint64_t i = 1; i < 4; i++) {
    REQUIRE (stereo_runner_process (runner, inputs, outputs, &frame)
        == STEREO_OK);
    CHECK_INT (frame, ==, i);
    CHECK_INT (stereo_runner_wait (runner, frame), ==, STEREO_OK);
  }
  CHECK (stereo_runner_get_stage (runner, 0, &name, NULL));
  CHECK_STRING (name, "color");
  CHECK (!stereo_runner_get_stage (runner, 1, NULL, NULL));
  stereo_runner_get_stats (runner, &stats);
  CHECK_INT (stats.frames, ==, 3);
  CHECK_INT (stats.allocations, ==, 1);
  stereo_runner_unconfigure (runner);
  CHECK_INT (stereo_runner_process (runner, inputs, outputs, NULL), ==,
      STEREO_ERROR_ARGUMENT);
}

#define LARGE 1500              /* width and height in pixels */

/* Two runners write one picture alternately, synchronised by events only. */
static void
check_events (StereoDevice * device)
{
  const StereoColorizeParams params[2] = {
    {STEREO_COLORMAP_GREY, 1, 0, 0, 255, -1, 0, false},
    {STEREO_COLORMAP_GREY, 1, 0, 255, 0, -1, 0, false},
  };
  StereoPortSetup in = { STEREO_FORMAT_GRAY8, LARGE, LARGE, 1 };
  StereoPortSetup out = { STEREO_FORMAT_RGB, LARGE, LARGE, 1 };
  StereoImage map = {.format = in.format,.width = LARGE,.height = LARGE,
    .memory = STEREO_MEMORY_DEVICE,.stride = {LARGE}
  };
  StereoImage picture = {.format = out.format,.width = LARGE,.height = LARGE,
    .memory = STEREO_MEMORY_DEVICE,.stride = {3 * LARGE}
  };
  const StereoImage *inputs[] = { &map }, *outputs[] = { &picture };
  StereoRunner *runners[2] = { new_runner (device), new_runner (device) };
  StereoEvent *events[2] = { NULL, NULL };
  SCOPED (free_scoped) uint8_t *host = malloc (3 * LARGE * LARGE);
  size_t wrong = 0;

  REQUIRE (host != NULL);
  memset (host, 60, LARGE * LARGE);
  REQUIRE (stereo_device_alloc (device, LARGE * LARGE, &map.plane[0], NULL)
      == STEREO_OK);
  REQUIRE (stereo_device_alloc (device, 3 * LARGE * LARGE, &picture.plane[0],
          NULL) == STEREO_OK);
  REQUIRE (stereo_device_copy (device, map.plane[0], host, LARGE * LARGE,
          NULL) == STEREO_OK);
  for (int i = 0; i < 2; i++) {
    REQUIRE (stereo_event_new (device, &events[i], NULL) == STEREO_OK);
    REQUIRE (stereo_runner_configure (runners[i], &in, &out, &params[i])
        == STEREO_OK);
  }
  for (int i = 0; i < 40; i++) {
    picture.ready = events[(i + 1) % 2];
    picture.done = events[i % 2];
    REQUIRE (stereo_runner_process (runners[i % 2], inputs, outputs, NULL)
        == STEREO_OK);
  }
  REQUIRE (stereo_event_wait (events[1], NULL) == STEREO_OK);
  REQUIRE (stereo_device_copy (device, host, picture.plane[0],
          3 * LARGE * LARGE, NULL) == STEREO_OK);
  for (size_t i = 0; i < 3 * LARGE * LARGE; i++)
    wrong += host[i] != 255 - 60;
  CHECK_INT (wrong, ==, 0);

  for (int i = 0; i < 2; i++) {
    stereo_runner_free (&runners[i]);
    stereo_event_free (&events[i]);
    CHECK (events[i] == NULL);
    stereo_event_free (&events[i]);
  }
  stereo_device_free (device, &map.plane[0]);
  stereo_device_free (device, &picture.plane[0]);
}

TEST (test_events)
{
  StereoDevice *device = NULL;
  StereoEvent *event = NULL;
  StereoMessage why;

  REQUIRE (stereo_device_new_cpu (2, STEREO_SIMD_AUTO, &device, NULL)
      == STEREO_OK);
  check_events (device);
  CHECK_INT (stereo_event_new (NULL, &event, &why), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_INT (stereo_event_new (device, NULL, &why), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_INT (stereo_event_wait (NULL, NULL), ==, STEREO_OK);
  REQUIRE (stereo_event_new (device, &event, NULL) == STEREO_OK);
  CHECK (stereo_cuda_event (event) == NULL);
  stereo_device_unref (&device);        /* the event holds a reference */
  stereo_event_free (&event);

  if (stereo_cuda_count (NULL) == 0)
    SKIP ("no CUDA device");
  REQUIRE (stereo_device_new_cuda (-1, &device, NULL) == STEREO_OK);
  check_events (device);
  REQUIRE (stereo_event_new (device, &event, NULL) == STEREO_OK);
  CHECK (stereo_cuda_event (event) != NULL);
  stereo_event_free (&event);
  stereo_device_unref (&device);
}

TEST_MAIN ()
