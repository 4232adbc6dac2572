/* gst-stereomatching: tests of formats and of what an image has to be
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "image.h"
#include "test.h"

static const struct
{
  const char *name;
  size_t pixel_bytes;
  bool color;
} formats[STEREO_N_FORMATS] = {
  [STEREO_FORMAT_GRAY8] = {"GRAY8", 1, false},
  [STEREO_FORMAT_GRAY16_LE] = {"GRAY16_LE", 2, false},
  [STEREO_FORMAT_RGB] = {"RGB", 3, true},
  [STEREO_FORMAT_BGR] = {"BGR", 3, true},
  [STEREO_FORMAT_RGBX] = {"RGBX", 4, true},
  [STEREO_FORMAT_BGRX] = {"BGRX", 4, true},
  [STEREO_FORMAT_XRGB] = {"XRGB", 4, true},
  [STEREO_FORMAT_XBGR] = {"XBGR", 4, true},
  [STEREO_FORMAT_NV12] = {"NV12", 1, false},
  [STEREO_FORMAT_NV21] = {"NV21", 1, false},
  [STEREO_FORMAT_I420] = {"I420", 1, false},
  [STEREO_FORMAT_YV12] = {"YV12", 1, false},
  [STEREO_FORMAT_Y42B] = {"Y42B", 1, false},
  [STEREO_FORMAT_Y444] = {"Y444", 1, false},
};

static void
test_formats (void)
{
  for (int f = 0; f < STEREO_N_FORMATS; f++) {
    const StereoFormatInfo *info = stereo_format_info ((StereoFormat) f);

    REQUIRE (info != NULL);
    CHECK_STRING (stereo_format_name ((StereoFormat) f), formats[f].name);
    CHECK_INT (info->pixel_bytes, ==, formats[f].pixel_bytes);
    CHECK_INT (stereo_format_is_color (info), ==, formats[f].color);
    CHECK_INT (stereo_format_is_luma (info), ==, !formats[f].color
        && formats[f].pixel_bytes == 1);
    CHECK_INT (info->r, <, info->pixel_bytes);
    CHECK_INT (info->g, <, info->pixel_bytes);
    CHECK_INT (info->b, <, info->pixel_bytes);
    if (formats[f].color) {
      /* the letters of the name are the order in memory */
      CHECK_INT (formats[f].name[info->r], ==, 'R');
      CHECK_INT (formats[f].name[info->g], ==, 'G');
      CHECK_INT (formats[f].name[info->b], ==, 'B');
    }
  }
  CHECK (stereo_format_info (STEREO_N_FORMATS) == NULL);
  CHECK (stereo_format_info ((StereoFormat) - 1) == NULL);
  CHECK (stereo_format_name (STEREO_N_FORMATS) == NULL);
  CHECK (stereo_format_name ((StereoFormat) 1000000) == NULL);
}

static uint16_t pixels[64];

static StereoImage
good_image (StereoFormat format)
{
  StereoImage image = { format, 5, 3, STEREO_MEMORY_HOST, {pixels},
    {5 * formats[format].pixel_bytes}
  };

  if (format == STEREO_FORMAT_GRAY16_LE)
    image.stride[0] = 10;
  return image;
}

static StereoStatus
check (const StereoImage * image, StereoFormat format, StereoMessage * why)
{
  why->text[0] = '\0';
  return stereo_image_check (image, "left image", format, 5, 3, why);
}

static void
test_good (void)
{
  StereoMessage why;

  for (int f = 0; f < STEREO_N_FORMATS; f++) {
    StereoImage image = good_image ((StereoFormat) f);

    for (int memory = STEREO_MEMORY_HOST; memory <= STEREO_MEMORY_DEVICE;
        memory++) {
      image.memory = (StereoMemory) memory;
      CHECK_INT (check (&image, image.format, &why), ==, STEREO_OK);
    }
    image.stride[0] = SIZE_MAX / 4 * 2;
    CHECK_INT (check (&image, image.format, &why), ==, STEREO_OK);
    CHECK_STRING (why.text, "");
  }
}

static void
test_stride (void)
{
  StereoMessage why;
  char row[32];

  for (int f = 0; f < STEREO_N_FORMATS; f++) {
    StereoImage image = good_image ((StereoFormat) f);
    size_t bytes = 5 * formats[f].pixel_bytes;

    snprintf (row, sizeof (row), "%zu", bytes);
    for (size_t stride = 0; stride < bytes; stride++) {
      char wrong[64];

      image.stride[0] = stride;
      snprintf (wrong, sizeof (wrong), "stride of %zu bytes", stride);
      CHECK_INT (check (&image, image.format, &why), ==,
          STEREO_ERROR_ARGUMENT);
      CHECK_CONTAINS (why.text, "left image");
      CHECK_CONTAINS (why.text, wrong);
      CHECK_CONTAINS (why.text, row);
    }
  }
}

static void
test_odd_addresses (void)
{
  StereoImage image = good_image (STEREO_FORMAT_GRAY16_LE);
  StereoMessage why;

  image.stride[0] = 11;
  CHECK_INT (check (&image, image.format, &why), ==, STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (why.text, "odd address");
  image.stride[0] = 10;
  image.plane[0] = (char *) pixels + 1;
  CHECK_INT (check (&image, image.format, &why), ==, STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (why.text, "odd address");
  image.stride[0] = 12;
  image.plane[0] = pixels + 1;
  CHECK_INT (check (&image, image.format, &why), ==, STEREO_OK);
}

static void
test_wrong (void)
{
  StereoImage image;
  StereoMessage why;

  CHECK_INT (check (NULL, STEREO_FORMAT_RGB, &why), ==, STEREO_ERROR_ARGUMENT);
  CHECK_STRING (why.text, "left image is missing");

  image = good_image (STEREO_FORMAT_RGB);
  CHECK_INT (check (&image, STEREO_FORMAT_NV12, &why), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (why.text, "RGB");
  CHECK_CONTAINS (why.text, "NV12");
  image.format = (StereoFormat) 77;
  CHECK_INT (check (&image, STEREO_FORMAT_NV12, &why), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (why.text, "unknown");
  CHECK_CONTAINS (why.text, "NV12");

  for (int i = 0; i < 4; i++) {
    static const int sizes[][2] = { {4, 3}, {5, 4}, {0, 0}, {-5, -3} };
    char text[32];

    image = good_image (STEREO_FORMAT_GRAY8);
    image.width = sizes[i][0];
    image.height = sizes[i][1];
    snprintf (text, sizeof (text), "%dx%d", image.width, image.height);
    CHECK_INT (check (&image, image.format, &why), ==, STEREO_ERROR_ARGUMENT);
    CHECK_CONTAINS (why.text, text);
    CHECK_CONTAINS (why.text, "5x3");
  }

  image = good_image (STEREO_FORMAT_GRAY8);
  image.memory = (StereoMemory) 9;
  CHECK_INT (check (&image, image.format, &why), ==, STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (why.text, "memory (9)");
  image = good_image (STEREO_FORMAT_GRAY8);
  image.plane[0] = NULL;
  CHECK_INT (check (&image, image.format, &why), ==, STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (why.text, "no data");
}

/* A part of a larger image is an image. */
static void
test_view (void)
{
  StereoImage image = good_image (STEREO_FORMAT_GRAY8);
  StereoMessage why;

  image.plane[0] = (char *) pixels + 7;
  image.stride[0] = 41;
  CHECK_INT (check (&image, image.format, &why), ==, STEREO_OK);
}

static const Test tests[] = {
  {"formats", test_formats},
  {"good", test_good},
  {"stride", test_stride},
  {"odd-addresses", test_odd_addresses},
  {"wrong", test_wrong},
  {"view", test_view},
};

TEST_MAIN (tests)
