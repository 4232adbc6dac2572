/* gst-stereomatching: tests of the map operations through stereo.h
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "stereo.h"
#include "test.h"

#include <math.h>

/* The largest number of inputs; unused ones are NULL. */
#define N_INPUTS 3

static StereoDevice *
new_device (void)
{
  StereoDevice *device = NULL;

  REQUIRE (stereo_device_new_cpu (1, STEREO_SIMD_AUTO, &device, NULL)
      == STEREO_OK);
  return device;
}

static StereoOperation *
new_operation (const char *name)
{
  StereoDevice *device = new_device ();
  StereoOperation *operation = NULL;

  REQUIRE (stereo_operation_new (name, device, &operation, NULL) == STEREO_OK);
  stereo_device_unref (&device);
  return operation;
}

static void
set (StereoOperation * operation, const char *name, double value)
{
  StereoMessage why = { "" };

  CHECK (stereo_operation_set (operation, name, value, &why) == STEREO_OK);
  CHECK (why.text[0] == '\0');
}

static StereoImage
image_of (StereoFormat format, int width, int height, size_t row_bytes,
    void *data)
{
  return (StereoImage) {
  .format = format,.width = width,.height = height,.plane = {data},.stride = {
        row_bytes}};
}

/* Writes a code in little-endian order on any host. */
static void
put (uint8_t * at, unsigned code)
{
  at[0] = (uint8_t) code;
  at[1] = (uint8_t) (code >> 8);
}

static unsigned
get (const uint8_t * at)
{
  return at[0] | (unsigned) at[1] << 8;
}

/* -------------------------------------------------------------------- tests */

TEST (test_names)
{
  static const char *const names[] = { "depth", "points", "view" };

  for (size_t i = 0; i < 3; i++) {
    StereoOperation *operation = new_operation (names[i]);
    const StereoParamSpec *spec;
    size_t n = 0;

    CHECK (strcmp (stereo_operation_name (i), names[i]) == 0);
    for (; (spec = stereo_operation_param (names[i], n)); n++) {
      double value = NAN;

      CHECK (stereo_operation_get (operation, spec->name, &value));
      CHECK_DOUBLE (value, ==, spec->initial);
    }
    CHECK_INT (n, >, 5);
    CHECK (stereo_operation_param (names[i], n + 1) == NULL);
    stereo_operation_free (&operation);
    CHECK (operation == NULL);
    stereo_operation_free (&operation);
  }
  CHECK (stereo_operation_name (3) == NULL);
  CHECK (stereo_operation_param ("none", 0) == NULL);
  CHECK (stereo_operation_param (NULL, 0) == NULL);
}

TEST (test_bad_names)
{
  StereoDevice *device = new_device ();
  SCOPED (stereo_operation_free) StereoOperation *operation = NULL;
  StereoMessage why = { "" };
  double value = 5;

  CHECK (stereo_operation_new ("deep", device, &operation, &why)
      == STEREO_ERROR_ARGUMENT);
  CHECK (strstr (why.text, "'deep'") && strstr (why.text, "points"));
  CHECK (stereo_operation_new ("depth", NULL, &operation, NULL)
      == STEREO_ERROR_ARGUMENT);
  CHECK (operation == NULL);
  stereo_device_unref (&device);

  operation = new_operation ("view");
  CHECK (stereo_operation_set (operation, "nothing", 1, &why)
      == STEREO_ERROR_ARGUMENT);
  CHECK (strstr (why.text, "view") && strstr (why.text, "'nothing'"));
  CHECK (stereo_operation_set (operation, "position", 3.5, &why)
      == STEREO_ERROR_ARGUMENT);
  CHECK (strstr (why.text, "-2 to 3"));
  CHECK (stereo_operation_set (operation, "columns", 2.5, &why)
      == STEREO_ERROR_ARGUMENT);
  CHECK (strstr (why.text, "whole"));
  CHECK (stereo_operation_set_text (operation, "layout", "round", &why)
      == STEREO_ERROR_ARGUMENT);
  CHECK (strstr (why.text, "'round'") && strstr (why.text, "quilt"));
  CHECK (stereo_operation_set_text (operation, "layout", NULL, &why)
      == STEREO_ERROR_ARGUMENT);
  CHECK (!stereo_operation_get (operation, "nothing", &value));
  CHECK_DOUBLE (value, ==, 5);
}

TEST (test_depth)
{
  uint8_t codes[2 * 6], depths[2 * 6];
  StereoImage map = image_of (STEREO_FORMAT_GRAY16_LE, 3, 2, 6, codes);
  StereoImage out = image_of (STEREO_FORMAT_GRAY16_LE, 3, 2, 6, depths);
  const StereoImage *inputs[N_INPUTS] = { &map };
  SCOPED (stereo_operation_free) StereoOperation *operation
      = new_operation ("depth");
  StereoMessage why = { "" };

  for (unsigned i = 0; i < 6; i++)
    put (codes + 2 * i, 16 * i);
  CHECK (stereo_operation_process (operation, inputs, N_INPUTS, &out, &why)
      == STEREO_ERROR_ARGUMENT);
  CHECK (strstr (why.text, "baseline"));

  set (operation, "focal-length", 500);
  set (operation, "baseline", 0.1);
  CHECK (stereo_operation_process (operation, inputs, N_INPUTS, &out, &why)
      == STEREO_OK);
  CHECK_INT (get (depths), ==, 0);
  for (unsigned i = 1; i < 6; i++)
    CHECK_INT (get (depths + 2 * i), ==, lround (1000 * 500 * 0.1 / i));

  /* parameters apply from the next frame */
  set (operation, "depth-scale", 100);
  CHECK (stereo_operation_process (operation, inputs, N_INPUTS, &out, &why)
      == STEREO_OK);
  CHECK_INT (get (depths + 2 * 4), ==, 1250);

  inputs[0] = NULL;
  CHECK (stereo_operation_process (operation, inputs, N_INPUTS, &out, &why)
      == STEREO_ERROR_ARGUMENT);
  CHECK (strstr (why.text, "map"));
  inputs[0] = inputs[1] = &map;
  CHECK (stereo_operation_process (operation, inputs, N_INPUTS, &out, &why)
      == STEREO_ERROR_ARGUMENT);
  CHECK (strstr (why.text, "takes 1 image, so image 2 must be NULL"));
  inputs[1] = NULL;
  out.width = 2;
  CHECK (stereo_operation_process (operation, inputs, N_INPUTS, &out, &why)
      == STEREO_ERROR_ARGUMENT);
  CHECK (strstr (why.text, "2x2") && strstr (why.text, "3x2"));
}

TEST (test_points)
{
  uint8_t codes[4] = { 0, 16, 32, 64 };
  float points[16];
  StereoImage map = image_of (STEREO_FORMAT_GRAY8, 2, 2, 2, codes);
  StereoImage out = image_of (STEREO_FORMAT_XYZ_F32, 0, 0, 24, points);
  const StereoImage *inputs[N_INPUTS] = { &map };
  SCOPED (stereo_operation_free) StereoOperation *operation
      = new_operation ("points");
  StereoMessage why = { "" };

  set (operation, "focal-length", 8);
  set (operation, "baseline", 0.5);
  CHECK (stereo_operation_output_size (operation, 2, 2, &out.width,
          &out.height, NULL) == STEREO_OK);
  CHECK_INT (out.width, ==, 2);
  CHECK_INT (out.height, ==, 2);
  CHECK (stereo_operation_process (operation, inputs, N_INPUTS, &out, &why)
      == STEREO_OK);
  CHECK (why.text[0] == '\0');
  CHECK (isnan (points[0]) && isnan (points[2]));
  for (int i = 1; i < 4; i++) {
    const double z = 8 * 0.5 / (codes[i] / 16.0);

    CHECK_DOUBLE ((double) points[3 * i], ==, (i % 2 - 0.5) / 8 * z);
    CHECK_DOUBLE ((double) points[3 * i + 1], ==, (i / 2 - 0.5) / 8 * z);
    CHECK_DOUBLE ((double) points[3 * i + 2], ==, z);
  }

  /* points have no colours */
  out.format = STEREO_FORMAT_XYZRGB_F32;
  out.stride[0] = 32;
  CHECK (stereo_operation_process (operation, inputs, N_INPUTS, &out, &why)
      == STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (why.text, "points image cannot be XYZRGB_F32: it is XYZ_F32");
}

/* A plane with a disparity of two pixels moves by one at position 0.5. */
TEST (test_view)
{
  enum { WIDTH = 12 };
  uint8_t left[WIDTH], right[WIDTH], codes[WIDTH], frame[2 * WIDTH];
  StereoImage images[4] = {
    image_of (STEREO_FORMAT_GRAY8, WIDTH, 1, WIDTH, left),
    image_of (STEREO_FORMAT_GRAY8, WIDTH, 1, WIDTH, right),
    image_of (STEREO_FORMAT_GRAY8, WIDTH, 1, WIDTH, codes),
    image_of (STEREO_FORMAT_GRAY8, WIDTH, 1, WIDTH, frame),
  };
  const StereoImage *inputs[N_INPUTS] = { &images[0], &images[1],
    &images[2]
  };
  SCOPED (stereo_operation_free) StereoOperation *operation
      = new_operation ("view");
  StereoMessage why = { "" };

  for (int x = 0; x < WIDTH; x++) {
    left[x] = (uint8_t) (10 * x + 40);
    right[x] = (uint8_t) (10 * x + 60);
    codes[x] = 32;
  }
  CHECK (stereo_operation_process (operation, inputs, N_INPUTS, &images[3],
      &why) == STEREO_OK);
  for (int x = 1; x < WIDTH - 1; x++)
    CHECK_INT (frame[x], ==, 10 * x + 50);

  /* one view is sufficient */
  inputs[1] = NULL;
  set (operation, "position", 0);
  CHECK (stereo_operation_process (operation, inputs, N_INPUTS, &images[3],
      &why) == STEREO_OK);
  CHECK (memcmp (frame, left, WIDTH) == 0);

  CHECK (stereo_operation_set_text (operation, "layout", "side-by-side", &why)
      == STEREO_OK);
  CHECK (stereo_operation_output_size (operation, WIDTH, 1, &images[3].width,
          &images[3].height, NULL) == STEREO_OK);
  CHECK_INT (images[3].width, ==, 2 * WIDTH);
  images[3].stride[0] = 2 * WIDTH;
  set (operation, "separation", 0);
  CHECK (stereo_operation_process (operation, inputs, N_INPUTS, &images[3],
      &why) == STEREO_OK);
  CHECK (memcmp (frame, left, WIDTH) == 0);
  CHECK (memcmp (frame + WIDTH, left, WIDTH) == 0);

  /* views are not scaled to tiles */
  set (operation, "tile-width", WIDTH);
  CHECK (stereo_operation_process (operation, inputs, N_INPUTS, &images[3],
      &why) == STEREO_OK);
  set (operation, "tile-height", 2);
  CHECK (stereo_operation_process (operation, inputs, N_INPUTS, &images[3],
      &why) == STEREO_ERROR_ARGUMENT);
  CHECK (strstr (why.text, "12x1") && strstr (why.text, "tile-height = 2"));
  set (operation, "tile-height", 0);

  inputs[2] = NULL;
  CHECK (stereo_operation_process (operation, inputs, N_INPUTS, &images[3],
      &why) == STEREO_ERROR_ARGUMENT);
  CHECK (strstr (why.text, "disparity"));
}

/* Of a frame with several views, which may be larger than an image. */
TEST (test_size_of_quilts)
{
  SCOPED (stereo_operation_free) StereoOperation *operation
      = new_operation ("view");
  StereoMessage why = { "" };
  int width = 7, height = 7;

  CHECK (stereo_operation_set_text (operation, "layout", "quilt", NULL)
      == STEREO_OK);
  set (operation, "columns", 8);
  set (operation, "rows", 6);
  CHECK_INT (stereo_operation_output_size (operation, 2049, 1, &width, &height,
          &why), ==, STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (why.text, "view for an input of 2049x1 would be 16392x6");
  CHECK_INT (stereo_operation_output_size (operation, 1, 2731, &width, &height,
          &why), ==, STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (why.text, "8x16386: width and height go from 1 to 16384");
  CHECK (width == 7 && height == 7);
  CHECK_INT (stereo_operation_output_size (operation, 2048, 2730, &width,
          &height, &why), ==, STEREO_OK);
  CHECK (width == 16384 && height == 16380);
}

/* An image whose planes, up to two, share their memory. */
static StereoImage
plane_image (StereoFormat format, int width, int height, void *data)
{
  StereoImage image = image_of (format, width, height, 128, data);

  image.plane[1] = data;
  image.stride[1] = 128;
  return image;
}

static void
check_view_error (StereoOperation * operation, const StereoImage images[4],
    const char *text)
{
  const StereoImage *inputs[N_INPUTS] = { &images[0], &images[1],
    &images[2]
  };
  StereoMessage why = { "" };

  CHECK (stereo_operation_process (operation, inputs, N_INPUTS, &images[3],
      &why) == STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (why.text, text);
}

/* Sizes and formats that do not belong together. */
TEST (test_views_that_do_not_fit)
{
  enum { WIDTH = 15, HEIGHT = 9 };
  static const struct
  {
    int image;                  /* that has another size */
    int width, height;
    const char *text;
  } sizes[] = {
    {1, 14, HEIGHT, "the right view is 14x9, but the left one 15x9"},
    {1, WIDTH, 8, "the right view is 15x8, but the left one 15x9"},
    {2, 4, 4, "the map is 4x4: for views of 15x9"},
    {3, 14, HEIGHT, "of view of 15x9 for an input of 15x9, got 14x9"},
    {3, WIDTH, 10, "of view of 15x9 for an input of 15x9, got 15x10"},
  };
  static const struct
  {
    const char *layout;
    StereoFormat format;
    int width;                  /* of the frame */
    const char *text;
  } formats[] = {
    {"anaglyph", STEREO_FORMAT_GRAY8, WIDTH, "an anaglyph cannot be GRAY8"},
    {"anaglyph", STEREO_FORMAT_NV12, WIDTH, "an anaglyph cannot be NV12"},
    {"row-interleaved", STEREO_FORMAT_NV12, WIDTH, "row-interleaved cannot be "
          "NV12"},
    {"side-by-side", STEREO_FORMAT_NV12, 2 * WIDTH, "side-by-side of 15x9 "
          "cannot be NV12"},
  };
  static uint8_t data[128 * 32];
  StereoImage good[4], images[4];
  SCOPED (stereo_operation_free) StereoOperation *operation
      = new_operation ("view");

  for (int i = 0; i < 4; i++)
    good[i] = plane_image (STEREO_FORMAT_GRAY8, WIDTH, HEIGHT, data);
  for (size_t i = 0; i < sizeof (sizes) / sizeof (sizes[0]); i++) {
    memcpy (images, good, sizeof (good));
    images[sizes[i].image].width = sizes[i].width;
    images[sizes[i].image].height = sizes[i].height;
    check_view_error (operation, images, sizes[i].text);
  }
  for (int i = 1; i < 4; i += 2) {
    memcpy (images, good, sizeof (good));
    images[i].format = STEREO_FORMAT_RGB;
    check_view_error (operation, images, "they have to have one format");
  }
  for (size_t i = 0; i < sizeof (formats) / sizeof (formats[0]); i++) {
    memcpy (images, good, sizeof (good));
    for (int k = 0; k < 4; k += k == 1 ? 2 : 1)
      images[k].format = formats[i].format;
    images[3].width = formats[i].width;
    CHECK (stereo_operation_set_text (operation, "layout", formats[i].layout,
            NULL) == STEREO_OK);
    check_view_error (operation, images, formats[i].text);
  }
}

TEST_MAIN ()
