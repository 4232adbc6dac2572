/* gst-stereomatching: tests of formats and of image validation
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/image.h"
#include "image/colorimetry.h"
#include "test.h"

static const struct
{
  const char *name;
  size_t pixel_bytes;
  bool color;
  int n_planes;
  size_t row_bytes, rows;       /* of chroma planes, for 5x3 pixels */
  const char *planes[3];        /* their content */
} formats[STEREO_N_FORMATS] = {
  [STEREO_FORMAT_GRAY8] = {"GRAY8", 1, false, 1},
  [STEREO_FORMAT_GRAY16_LE] = {"GRAY16_LE", 2, false, 1},
  [STEREO_FORMAT_RGB] = {"RGB", 3, true, 1},
  [STEREO_FORMAT_BGR] = {"BGR", 3, true, 1},
  [STEREO_FORMAT_RGBX] = {"RGBX", 4, true, 1},
  [STEREO_FORMAT_BGRX] = {"BGRX", 4, true, 1},
  [STEREO_FORMAT_XRGB] = {"XRGB", 4, true, 1},
  [STEREO_FORMAT_XBGR] = {"XBGR", 4, true, 1},
  [STEREO_FORMAT_NV12] = {"NV12", 1, true, 2, 6, 2, {"", "U and V"}},
  [STEREO_FORMAT_NV21] = {"NV21", 1, true, 2, 6, 2, {"", "U and V"}},
  [STEREO_FORMAT_I420] = {"I420", 1, true, 3, 3, 2, {"", "U", "V"}},
  [STEREO_FORMAT_YV12] = {"YV12", 1, true, 3, 3, 2, {"", "V", "U"}},
  [STEREO_FORMAT_Y42B] = {"Y42B", 1, true, 3, 3, 3, {"", "U", "V"}},
  [STEREO_FORMAT_Y444] = {"Y444", 1, true, 3, 5, 3, {"", "U", "V"}},
  [STEREO_FORMAT_NV16] = {"NV16", 1, true, 2, 6, 3, {"", "U and V"}},
  [STEREO_FORMAT_YUY2] = {"YUY2", 2, true, 1},
  [STEREO_FORMAT_UYVY] = {"UYVY", 2, true, 1},
  [STEREO_FORMAT_YVYU] = {"YVYU", 2, true, 1},
  [STEREO_FORMAT_P010_10LE] =
      {"P010_10LE", 2, true, 2, 12, 2, {"", "U and V"}},
  [STEREO_FORMAT_I420_10LE] = {"I420_10LE", 2, true, 3, 6, 2, {"", "U", "V"}},
  [STEREO_FORMAT_I422_10LE] = {"I422_10LE", 2, true, 3, 6, 3, {"", "U", "V"}},
  [STEREO_FORMAT_Y444_10LE] = {"Y444_10LE", 2, true, 3, 10, 3, {"", "U", "V"}},
};

/* Bytes of five pixels in plane 0. */
static size_t
row_bytes_of (int format)
{
  bool in_pairs = format >= STEREO_FORMAT_YUY2
      && format <= STEREO_FORMAT_YVYU;

  return (in_pairs ? 6 : 5) * formats[format].pixel_bytes;
}

TEST (test_formats)
{
  for (int f = 0; f < STEREO_N_FORMATS; f++) {
    const StereoFormatInfo *info = stereo_format_info ((StereoFormat) f);

    REQUIRE (info != NULL);
    CHECK_STRING (stereo_format_name ((StereoFormat) f), formats[f].name);
    CHECK_INT (info->pixel_bytes, ==, formats[f].pixel_bytes);
    CHECK_INT (stereo_format_is_color (info), ==, formats[f].color);
    CHECK_INT (stereo_format_is_yuv (info), ==, f >= STEREO_FORMAT_NV12);
    CHECK_INT (stereo_format_is_luma (info), ==, formats[f].pixel_bytes == 1);
    CHECK_INT (stereo_format_planes (info, false), ==, 1);
    CHECK_INT (stereo_format_planes (info, true), ==, formats[f].n_planes);
    CHECK_INT (stereo_format_row_bytes (info, 0, 5), ==, row_bytes_of (f));
    CHECK_INT (stereo_format_rows (info, 0, 3), ==, 3);
    for (int p = 1; p < formats[f].n_planes; p++) {
      CHECK_INT (stereo_format_row_bytes (info, p, 5), ==,
          formats[f].row_bytes);
      CHECK_INT (stereo_format_rows (info, p, 3), ==, formats[f].rows);
      CHECK_INT (stereo_format_rows (info, p, 1), ==, 1);
      CHECK_INT (stereo_format_row_bytes (info, p, 1), ==,
          info->chroma_bytes);
    }
    CHECK_INT (info->r, <, info->pixel_bytes);
    CHECK_INT (info->g, <, info->pixel_bytes);
    CHECK_INT (info->b, <, info->pixel_bytes);
    if (formats[f].n_planes > 1) {
      CHECK_INT (formats[f].planes[info->u_plane][info->u_plane
              == info->v_plane ? 0 : info->u_offset], ==, 'U');
      CHECK_INT (formats[f].planes[info->v_plane][info->u_plane
              == info->v_plane ? 6 : info->v_offset], ==, 'V');
      /* NV12 has U first, NV21 has V first */
      if (info->u_plane == info->v_plane)
        CHECK_INT (info->u_offset > info->v_offset, ==,
            strcmp (info->name, "NV21") == 0);
    } else if (stereo_format_is_yuv (info)) {
      /* the byte order of two pixels */
      CHECK_INT ("YUYVUYVYYVYU"[4 * (f - STEREO_FORMAT_YUY2) + info->r], ==,
          'Y');
      CHECK_INT ("YUYVUYVYYVYU"[4 * (f - STEREO_FORMAT_YUY2)
              + info->u_offset], ==, 'U');
      CHECK_INT ("YUYVUYVYYVYU"[4 * (f - STEREO_FORMAT_YUY2)
              + info->v_offset], ==, 'V');
    } else if (formats[f].color) {
      /* the name is the order in memory */
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
    {row_bytes_of (format)}
  };

  for (int p = 1; p < formats[format].n_planes; p++) {
    image.plane[p] = pixels + 8 * p;
    image.stride[p] = formats[format].row_bytes;
  }
  if (format == STEREO_FORMAT_GRAY16_LE)
    image.stride[0] = 10;
  return image;
}

static StereoStatus
check (const StereoImage * image, StereoFormat format, StereoMessage * why)
{
  why->text[0] = '\0';
  return stereo_image_check (image, "left image", format, 5, 3, true, why);
}

TEST (test_good)
{
  StereoMessage why;

  for (int f = 0; f < STEREO_N_FORMATS; f++) {
    StereoImage image = good_image ((StereoFormat) f);

    for (int memory = STEREO_MEMORY_HOST; memory <= STEREO_MEMORY_DEVICE;
        memory++) {
      image.memory = (StereoMemory) memory;
      CHECK_INT (check (&image, image.format, &why), ==, STEREO_OK);
    }
    CHECK_STRING (why.text, "");
  }
}

TEST (test_stride)
{
  StereoMessage why;
  char row[32];

  for (int f = 0; f < STEREO_N_FORMATS; f++) {
    StereoImage image = good_image ((StereoFormat) f);
    size_t bytes = row_bytes_of (f);

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

/* No object is larger than PTRDIFF_MAX. */
TEST (test_host_stride)
{
  const size_t most = PTRDIFF_MAX / 3;
  StereoMessage why;
  char text[160];

  for (int memory = STEREO_MEMORY_HOST; memory <= STEREO_MEMORY_PINNED;
      memory++) {
    StereoImage image = good_image (STEREO_FORMAT_NV12);

    image.memory = (StereoMemory) memory;
    for (int p = 0; p < 2; p++) {
      image.stride[p] = most;
      CHECK_INT (check (&image, image.format, &why), ==, STEREO_OK);
    }
    for (int p = 1; p >= 0; p--) {
      image.stride[p] = p == 0 ? SIZE_MAX : most + 1;
      CHECK_INT (check (&image, image.format, &why), ==,
          STEREO_ERROR_ARGUMENT);
      snprintf (text, sizeof (text), "left image has a stride of %zu bytes%s: "
          "3 rows may be %zu bytes apart at most", image.stride[p],
          p == 0 ? "" : " in plane 1 (U and V)", most);
      CHECK_STRING (why.text, text);
    }
  }
}

/* Rows in device memory are within 4 GiB. */
TEST (test_device_stride)
{
  StereoImage image = good_image (STEREO_FORMAT_GRAY8);
  StereoMessage why;

  image.memory = STEREO_MEMORY_DEVICE;
  image.stride[0] = UINT32_MAX / 3;
  CHECK_INT (check (&image, image.format, &why), ==, STEREO_OK);
  image.stride[0]++;
  CHECK_INT (check (&image, image.format, &why), ==, STEREO_ERROR_ARGUMENT);
  CHECK_STRING (why.text, "left image has a stride of 1431655766 bytes: in "
      "device memory, 3 rows may be 1431655765 bytes apart at most");
}

/* Planes after the first, which only colour costs need. */
TEST (test_planes)
{
  StereoMessage why;

  for (int f = 0; f < STEREO_N_FORMATS; f++) {
    for (int p = 1; p < 3; p++) {
      StereoImage image = good_image ((StereoFormat) f);
      bool used = p < formats[f].n_planes;
      StereoStatus expected = used ? STEREO_ERROR_ARGUMENT : STEREO_OK;
      char plane[32], text[64];

      snprintf (plane, sizeof (plane), "plane %d (%s)", p,
          used ? formats[f].planes[p] : "");
      image.plane[p] = NULL;
      CHECK_INT (check (&image, image.format, &why), ==, expected);
      if (used) {
        CHECK_CONTAINS (why.text, "left image has no data");
        CHECK_CONTAINS (why.text, plane);
      }
      CHECK_INT (stereo_image_check (&image, "left image", image.format, 5, 3,
              false, &why), ==, STEREO_OK);

      image = good_image ((StereoFormat) f);
      image.stride[p] = used ? formats[f].row_bytes - 1 : 0;
      CHECK_INT (check (&image, image.format, &why), ==, expected);
      if (used) {
        snprintf (text, sizeof (text), "stride of %zu bytes in",
            image.stride[p]);
        CHECK_CONTAINS (why.text, text);
        CHECK_CONTAINS (why.text, plane);
        snprintf (text, sizeof (text), "a row has %zu",
            formats[f].row_bytes);
        CHECK_CONTAINS (why.text, text);
      }
      CHECK_INT (stereo_image_check (&image, "left image", image.format, 5, 3,
              false, &why), ==, STEREO_OK);
    }
  }
}

/* The coefficients against the Recommendations' equations from R'G'B' to
 * Y'CbCr: Y' = Kr R' + Kg G' + Kb B', Cb = (B' - Y') / (2 - 2 Kb), Cr = (R' -
 * Y') / (2 - 2 Kr).  The library solves them for R'G'B'. */
TEST (test_colorimetries)
{
  static const struct
  {
    const char *name;
    double kr, kb;
    bool full;
  } known[STEREO_N_COLORIMETRIES] = {
    [STEREO_COLORIMETRY_BT601] = {"BT601", 0.299, 0.114, false},
    [STEREO_COLORIMETRY_BT709] = {"BT709", 0.2126, 0.0722, false},
    [STEREO_COLORIMETRY_BT2020] = {"BT2020", 0.2627, 0.0593, false},
    [STEREO_COLORIMETRY_BT601_FULL] = {"BT601_FULL", 0.299, 0.114, true},
    [STEREO_COLORIMETRY_BT709_FULL] = {"BT709_FULL", 0.2126, 0.0722, true},
    [STEREO_COLORIMETRY_BT2020_FULL] = {"BT2020_FULL", 0.2627, 0.0593, true},
  };

  for (int i = 0; i < STEREO_N_COLORIMETRIES; i++) {
    const StereoYuv *k = stereo_colorimetry_yuv ((StereoColorimetry) i);
    double kr = known[i].kr, kb = known[i].kb, worst = 0;
    double low = known[i].full ? 0 : 16, luma = known[i].full ? 255 : 219;
    double chroma = known[i].full ? 255 : 224;

    REQUIRE (k != NULL);
    CHECK_STRING (stereo_colorimetry_name ((StereoColorimetry) i),
        known[i].name);
    /* round trip for colours from the whole cube */
    for (int c = 0; c < 18 * 18 * 18; c++) {
      double rgb[3] = { c % 18 * 15, c / 18 % 18 * 15, c / 324 * 15 };
      double light = kr * rgb[0] + (1 - kr - kb) * rgb[1] + kb * rgb[2];
      double y = low + light * luma / 255;
      double u = (rgb[2] - light) / (2 - 2 * kb) * chroma / 255;
      double v = (rgb[0] - light) / (2 - 2 * kr) * chroma / 255;
      double scale = 1 << STEREO_YUV_BITS;
      double back[3] = {
        ((y - k->black) * k->y + v * k->red_v) / scale,
        ((y - k->black) * k->y + u * k->green_u + v * k->green_v) / scale,
        ((y - k->black) * k->y + u * k->blue_u) / scale
      };

      for (int j = 0; j < 3; j++) {
        double error = back[j] - rgb[j];

        error = error < 0 ? -error : error;
        worst = error > worst ? error : worst;
      }
    }
    CHECK_DOUBLE (worst, <, 0.04);
    /* black and white are exact, and greys are neutral */
    for (int l = 0; l < 256; l++) {
      int16_t y = (int16_t) l;

      CHECK_INT (stereo_yuv_red (k, y, 0), ==, stereo_yuv_green (k, y, 0, 0));
      CHECK_INT (stereo_yuv_red (k, y, 0), ==, stereo_yuv_blue (k, y, 0));
      if (known[i].full)
        CHECK_INT (stereo_yuv_red (k, y, 0), ==, l);
    }
    CHECK_INT (stereo_yuv_red (k, (int16_t) low, 0), ==, 0);
    CHECK_INT (stereo_yuv_red (k, (int16_t) (low + luma), 0), ==, 255);
  }
  CHECK (stereo_colorimetry_name (STEREO_N_COLORIMETRIES) == NULL);
  CHECK (stereo_colorimetry_yuv (STEREO_N_COLORIMETRIES) == NULL);
  CHECK (stereo_colorimetry_yuv ((StereoColorimetry) - 1) == NULL);
}

static StereoStatus
check_output (const StereoImage * image, StereoMessage * why)
{
  return stereo_image_check_output (image, "output image",
      STEREO_FORMAT_GRAY16_LE, 5, 3, why);
}

/* Inputs may have any alignment, outputs may not. */
TEST (test_odd_addresses)
{
  StereoImage image = good_image (STEREO_FORMAT_GRAY16_LE);
  StereoMessage why;

  image.stride[0] = 11;
  CHECK_INT (check (&image, image.format, &why), ==, STEREO_OK);
  CHECK_INT (check_output (&image, &why), ==, STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (why.text, "odd address");
  image.stride[0] = 10;
  image.plane[0] = (char *) pixels + 1;
  CHECK_INT (check (&image, image.format, &why), ==, STEREO_OK);
  CHECK_INT (check_output (&image, &why), ==, STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (why.text, "odd address");
  image.stride[0] = 12;
  image.plane[0] = pixels + 1;
  CHECK_INT (check_output (&image, &why), ==, STEREO_OK);
}

TEST (test_wrong)
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

/* A region of a larger image is a valid image. */
TEST (test_view)
{
  StereoImage image = good_image (STEREO_FORMAT_GRAY8);
  StereoMessage why;

  image.plane[0] = (char *) pixels + 7;
  image.stride[0] = 41;
  CHECK_INT (check (&image, image.format, &why), ==, STEREO_OK);
}

TEST_MAIN ()
