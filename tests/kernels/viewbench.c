/* gst-stereomatching: benchmark of the view operation
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "viewbench.h"

#include "geometry/view.h"
#include "harness.h"

#include <time.h>

typedef struct
{
  const char *name;
  StereoFormat format;
  int layout;
  int divisor;                  /* of the size of views */
  int factor;                   /* of the size of the map */
} Setup;

static const Setup setups[] = {
  {"one view, RGBx", STEREO_FORMAT_RGBX, STEREO_VIEW_MONO, 1, 1},
  {"one view, RGB", STEREO_FORMAT_RGB, STEREO_VIEW_MONO, 1, 1},
  {"one view, NV12", STEREO_FORMAT_NV12, STEREO_VIEW_MONO, 1, 1},
  {"one view, P010", STEREO_FORMAT_P010_10LE, STEREO_VIEW_MONO, 1, 1},
  {"one view, NV12, map of half the size", STEREO_FORMAT_NV12, STEREO_VIEW_MONO,
      1, 2},
  {"two views, RGBx", STEREO_FORMAT_RGBX, STEREO_VIEW_SIDE_BY_SIDE, 1, 1},
  {"anaglyph, RGBx", STEREO_FORMAT_RGBX, STEREO_VIEW_ANAGLYPH, 1, 1},
  {"quilt of 8 x 6, quarter size, RGBx", STEREO_FORMAT_RGBX, STEREO_VIEW_QUILT,
      4, 1},
};

/* An image in device memory. */
typedef struct
{
  StereoImage image;
  StereoPortSetup setup;
  void *memory;
} Buffer;

static double
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

/* Copies model to bytes, with planes aligned to 256 and rows to 4 bytes like
 * those of buffer pools.  Returns the size. */
static size_t
lay_out (const TestImage * model, StereoImage * image, uint8_t * bytes)
{
  size_t offset = 0;

  *image = model->image;
  for (int p = 0; p < model->n_planes; p++) {
    image->stride[p] = (plane_row_bytes (model, p) + 3) / 4 * 4;
    image->plane[p] = bytes != NULL ? bytes + offset : NULL;
    for (int y = 0; y < plane_rows (model, p) && bytes != NULL; y++)
      memcpy (bytes + offset + (size_t) y * image->stride[p],
          plane_row (model, p, y), plane_row_bytes (model, p));
    offset += (image->stride[p] * (size_t) plane_rows (model, p) + 255) / 256
        * 256;
  }
  return offset;
}

/* Copies model to device or page-locked memory. */
static void
make_buffer (StereoDevice * device, const TestImage * model, bool pinned,
    Buffer * buffer)
{
  const size_t size = lay_out (model, &buffer->image, NULL);
  StereoStatus status = pinned ? stereo_device_alloc_pinned (device, size,
      &buffer->memory, NULL) : stereo_device_alloc (device, size,
      &buffer->memory, NULL);
  SCOPED (free_scoped) uint8_t *bytes = calloc (size, 1);

  REQUIRE (status == STEREO_OK && bytes != NULL);
  lay_out (model, &buffer->image, bytes);
  if (pinned)
    memcpy (buffer->memory, bytes, size);
  else
    REQUIRE (stereo_device_copy (device, buffer->memory, bytes, size, NULL)
        == STEREO_OK);
  buffer->image.memory = pinned ? STEREO_MEMORY_PINNED : STEREO_MEMORY_DEVICE;
  for (int p = 0; p < model->n_planes; p++)
    buffer->image.plane[p] = (uint8_t *) buffer->memory
        + ((const uint8_t *) buffer->image.plane[p] - bytes);
  buffer->setup = (StereoPortSetup) {
    model->image.format, model->image.width, model->image.height,
        model->n_planes};
}

static void
free_buffer (StereoDevice * device, bool pinned, Buffer * buffer)
{
  if (pinned)
    stereo_device_free_pinned (device, &buffer->memory);
  else
    stereo_device_free (device, &buffer->memory);
}

/* Surfaces of some ten pixels with fractional disparities, some of them
 * slanted, and a few invalid pixels. */
static void
fill_map (TestImage * map, Random * random)
{
  for (int y = 0; y < map->image.height; y++) {
    uint8_t *row = test_image_row (map, y);
    int code = 300, slope = 0;

    for (int x = 0; x < map->image.width; x++) {
      if (random_range (random, 0, 59) == 0) {
        code = random_range (random, 50, 900);
        slope = random_range (random, -1, 1);
      }
      code += random_range (random, 0, 3) ? 0 : slope;
      row[2 * x] = (uint8_t) code;
      row[2 * x + 1] = (uint8_t) (code >> 8);
      if (random_range (random, 0, 99) == 0)
        row[2 * x] = row[2 * x + 1] = 0;
    }
  }
}

static StereoStatus
run (StereoRunner * runner, const Buffer buffers[4], int n)
{
  const StereoImage *inputs[3] = { &buffers[0].image, &buffers[1].image,
    &buffers[2].image
  };
  const StereoImage *output = &buffers[3].image;
  StereoStatus status = STEREO_OK;

  for (int i = 0; i < n && status == STEREO_OK; i++)
    status = stereo_runner_process (runner, inputs, &output, NULL);
  return status == STEREO_OK ? stereo_runner_sync (runner) : status;
}

static void
time_setup (StereoDevice * device, const Setup * s, int width, int height,
    bool pinned)
{
  const bool cuda = strcmp (stereo_device_backend (device), "cuda") == 0;
  /* no view is at a camera */
  const StereoViewParams params = {.position = 0.5,.separation = 0.9,.join = 2,
    .layout = s->layout,.columns = 8,.rows = 6,.scale = 16
  };
  const int n = cuda ? 200 : 4;
  TestImage models[4];
  Buffer buffers[4];
  Random random = { 1 };
  StereoPortSetup in[3];
  StereoRunner *runner = NULL;
  int frame_width, frame_height;
  double seconds, best = 1e9;

  stereo_view_frame_size (&params, width, height, &frame_width, &frame_height);
  init_pair (&models[0], &models[1], s->format, s->format, width, height,
      FILL_SHIFTED, &random);
  test_image_init (&models[2], STEREO_FORMAT_GRAY16_LE,
      (width + s->factor - 1) / s->factor,
      (height + s->factor - 1) / s->factor, 0);
  fill_map (&models[2], &random);
  test_image_init (&models[3], s->format, frame_width, frame_height, 0);
  for (int i = 0; i < 4; i++)
    make_buffer (device, &models[i], pinned, &buffers[i]);
  for (int i = 0; i < 3; i++)
    in[i] = buffers[i].setup;

  REQUIRE (stereo_runner_new (&stereo_view_op, device, &runner, NULL)
      == STEREO_OK);
  REQUIRE (stereo_runner_configure (runner, in, &buffers[3].setup, &params)
      == STEREO_OK);
  REQUIRE (run (runner, buffers, 3) == STEREO_OK);
  for (int i = 0; i < 3; i++) {
    seconds = now ();
    REQUIRE (run (runner, buffers, n) == STEREO_OK);
    seconds = (now () - seconds) / n;
    best = seconds < best ? seconds : best;
  }
  printf ("%-36s %-10s %9.1f us %8.0f/s\n", s->name,
      pinned ? "pinned" : "device", 1e6 * best, 1 / best);
  stereo_runner_free (&runner);
  for (int i = 0; i < 4; i++) {
    free_buffer (device, pinned, &buffers[i]);
    test_image_clear (&models[i]);
  }
}

static void
time_device (StereoDevice * device, int width, int height)
{
  const bool cuda = strcmp (stereo_device_backend (device), "cuda") == 0;

  printf ("%s, %dx%d\n", stereo_device_name (device), width, height);
  for (size_t s = 0; s < sizeof (setups) / sizeof (setups[0]); s++) {
    const int w = width / setups[s].divisor, h = height / setups[s].divisor;

    time_setup (device, &setups[s], w, h, false);
    if (cuda)
      time_setup (device, &setups[s], w, h, true);
  }
}

int
view_bench (int argc, char **argv)
{
  const char *backend = argc > 1 ? argv[1] : NULL;
  int width = 1920, height = 1080;

  if (argc > 0 && sscanf (argv[0], "%dx%d", &width, &height) != 2)
    return 2;
  if (backend == NULL || strcmp (backend, "cpu") == 0) {
    StereoDevice *device = NULL;

    REQUIRE (stereo_device_new_cpu (0, STEREO_SIMD_AUTO, &device, NULL)
        == STEREO_OK);
    time_device (device, width, height);
    stereo_device_unref (&device);
  }
  for (size_t d = 0; d < devices_count (); d++) {
    StereoDevice *device = devices_get (d);

    if (strcmp (stereo_device_backend (device), "cuda") == 0
        && (backend == NULL || strcmp (backend, "cuda") == 0)
        && device->klass->stages (device, "view") != NULL)
      time_device (device, width, height);
  }
  harness_free ();
  return 0;
}
