/* gst-stereomatching: synthesised views against true views
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Views interpolated with the ground-truth disparities of rendered scenes:
 * checksums from an independent implementation, and the error against a camera
 * rendered at the same position.
 */

#include "crc32.h"
#include "geometry/view.h"
#include "pipeline.h"
#include "test.h"

#include <math.h>

#define WIDTH 640
#define HEIGHT 480

static const char *const patterns[] = { "planes", "slanted", "sphere",
  "corridor", "thin"
};

#define N_PATTERNS 5

/* CRC-32, and PSNR in dB over all pixels and R, G and B. */
static const struct
{
  double position;
  bool right;
  uint32_t crc[N_PATTERNS];
  double psnr[N_PATTERNS];
} expected[] = {
  {0.5, true,
        {0xdad8238f, 0xe9960616, 0xae83c5a9, 0x12d8394a, 0xf6c54e6d},
      {38.65, 47.65, 41.21, 36.78, 22.47}},
  {0.25, true,
        {0xf7719c77, 0xac280825, 0xb5b4f9ab, 0xe17b401c, 0xd7375cda},
      {38.56, 47.86, 41.42, 38.71, 22.17}},
  {1.5, true,
        {0xc2ebb21e, 0xf5fd54e0, 0x71a2aca1, 0xe59b8fbc, 0x4935f59c},
      {31.82, 32.41, 32.84, 28.49, 21.32}},
  {0.5, false,
        {0xfd45abba, 0x7e82b0ec, 0x361877d6, 0xe133ff01, 0x14447ec3},
      {32.20, 32.77, 37.76, 29.12, 21.76}},
};

static double
psnr_of (const uint8_t * a, const uint8_t * b, size_t n)
{
  double sum = 0;

  for (size_t i = 0; i < n; i++)
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  return 10 * log10 (255 * 255 * (double) n / sum);
}

static Plane
render (const char *pattern, const char *view, double position,
    const char *format)
{
  char line[256];

  snprintf (line, sizeof (line), "stereotestsrc num-buffers=1 pattern=%s "
      "view=%s position=%g ! video/x-raw,format=%s,width=%d,height=%d ! "
      "appsink name=sink", pattern, view, position, format, WIDTH, HEIGHT);
  return plane_from_pipeline (line, format[0] == 'G' ? 2 : 3);
}

static StereoImage
image_of (const Plane * plane, StereoFormat format, int bytes)
{
  StereoImage image = {.format = format,.width = WIDTH,.height = HEIGHT,
    .plane = {plane->data},.stride = {(size_t) (bytes * WIDTH)}
  };

  return image;
}

static void
check_view (StereoRunner * runner, const Plane images[3], int pattern, size_t e,
    uint8_t * made)
{
  const StereoViewParams params = {.position = expected[e].position,
    .separation = 1,.join = 2,.scale = 16
  };
  const StereoPortSetup rgb = { STEREO_FORMAT_RGB, WIDTH, HEIGHT, 1 };
  const StereoPortSetup setups[3] = { rgb, rgb,
    {STEREO_FORMAT_GRAY16_LE, WIDTH, HEIGHT, 1}
  };
  const size_t bytes = 3 * WIDTH * HEIGHT;
  const Plane target = { WIDTH, HEIGHT, made };
  StereoImage left = image_of (&images[0], STEREO_FORMAT_RGB, 3);
  StereoImage right = image_of (&images[1], STEREO_FORMAT_RGB, 3);
  StereoImage map = image_of (&images[2], STEREO_FORMAT_GRAY16_LE, 2);
  StereoImage frame = image_of (&target, STEREO_FORMAT_RGB, 3);
  const StereoImage *inputs[3] = { &left, expected[e].right ? &right : NULL,
    &map
  };
  const StereoImage *output = &frame;
  Plane truth = render (patterns[pattern], "virtual", params.position, "RGB");
  double psnr;

  REQUIRE (stereo_runner_configure (runner, setups, &rgb, &params)
      == STEREO_OK);
  REQUIRE (stereo_runner_process (runner, inputs, &output, NULL) == STEREO_OK);
  REQUIRE (stereo_runner_sync (runner) == STEREO_OK);
  psnr = psnr_of (made, truth.data, bytes);
  printf ("%-8s at %4g, %s right view: %08x, %.2f dB\n", patterns[pattern],
      params.position, expected[e].right ? "with" : "without",
      test_crc32 (0, made, bytes), psnr);
  CHECK_INT (test_crc32 (0, made, bytes), ==, expected[e].crc[pattern]);
  CHECK (fabs (psnr - expected[e].psnr[pattern]) < 0.0051);
  free (truth.data);
}

TEST (test_truth)
{
  StereoDevice *device = NULL;
  StereoRunner *runner = NULL;
  uint8_t *made = malloc (3 * WIDTH * HEIGHT);

  REQUIRE (made != NULL);
  REQUIRE (stereo_device_new_cpu (0, STEREO_SIMD_AUTO, &device, NULL)
      == STEREO_OK);
  REQUIRE (stereo_runner_new (&stereo_view_op, device, &runner, NULL)
      == STEREO_OK);
  for (int p = 0; p < N_PATTERNS; p++) {
    Plane images[3] = { render (patterns[p], "left", 0, "RGB"),
      render (patterns[p], "right", 0, "RGB"),
      render (patterns[p], "disparity", 0, "GRAY16_LE")
    };

    for (size_t e = 0; e < sizeof (expected) / sizeof (expected[0]); e++)
      check_view (runner, images, p, e, made);
    for (int i = 0; i < 3; i++)
      free (images[i].data);
  }
  stereo_runner_free (&runner);
  stereo_device_unref (&device);
  free (made);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  return test_run (argc, argv);
}
