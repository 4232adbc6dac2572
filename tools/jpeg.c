/* gst-stereomatching: JPEG files
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "jpeg.h"

#ifdef STEREO_HAVE_JPEG

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

/* The error handler of libjpeg, which must not return. */
typedef struct
{
  struct jpeg_error_mgr manager;        /* first: it stands for the whole */
  jmp_buf back;
  char text[JMSG_LENGTH_MAX];
} Failure;

static void
fail_and_jump (j_common_ptr info)
{
  Failure *failure = (Failure *) info->err;

  info->err->format_message (info, failure->text);
  longjmp (failure->back, 1);
}

/* Keeps the first warning: later ones are only counted in num_warnings. */
static void
keep_message (j_common_ptr info)
{
  Failure *failure = (Failure *) info->err;

  info->err->format_message (info, failure->text);
}

/* With Huffman coding each block of 8x8 pixels has at least one bit: a short
 * file cannot claim a large image.  Cameras do not use arithmetic coding. */
static bool
check_header (const char *name, const struct jpeg_decompress_struct *info,
    size_t size, StereoMessage * why)
{
  const unsigned long width = info->image_width, height = info->image_height;

  if (width > STEREO_MAX_SIZE || height > STEREO_MAX_SIZE)
    return image_fail (why, name, "expected 1x1 to %dx%d pixels, got %lux%lu",
        STEREO_MAX_SIZE, STEREO_MAX_SIZE, width, height);
  if (info->arith_code)
    return image_fail (why, name,
        "is a JPEG file with arithmetic coding; expected Huffman coding");
  if (info->num_components != 1 && info->num_components != 3)
    return image_fail (why, name, "is a JPEG file with %d channels, such as "
        "CMYK; expected 1 or 3", info->num_components);
  if (((width + 7) / 8) * ((height + 7) / 8) > 8 * size)
    return image_fail (why, name, "is cut off");
  return true;
}

/* Allocates the data of image and reads the rows. */
static bool
read_rows (const char *name, struct jpeg_decompress_struct *info,
    Image * image, StereoMessage * why)
{
  size_t row_bytes;

  info->out_color_space = info->num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
  info->dct_method = JDCT_ISLOW;
  jpeg_start_decompress (info);
  image->width = (int) info->output_width;
  image->height = (int) info->output_height;
  image->channels = info->output_components;
  image->type = IMAGE_U8;
  image->maximum = 255;
  image->lossy = true;
  row_bytes = (size_t) image->width * (size_t) image->channels;
  image->data = malloc (row_bytes * (size_t) image->height);
  if (image->data == NULL)
    return image_fail (why, name, "out of memory");
  while (info->output_scanline < info->output_height) {
    JSAMPROW row = (uint8_t *) image->data + row_bytes * info->output_scanline;

    jpeg_read_scanlines (info, &row, 1);
  }
  jpeg_finish_decompress (info);
  return true;
}

/* ------------------------------------------------------------- orientation */

/* Two or four bytes. */
static size_t
get_number (const uint8_t * at, int n_bytes, bool little)
{
  size_t number = 0;

  for (int i = 0; i < n_bytes; i++)
    number = number << 8 | at[little ? n_bytes - 1 - i : i];
  return number;
}

/* The orientation in the first directory of EXIF, 1 to 8; 1 if there is none.
 * Editors leave damaged data, which is ignored. */
static int
parse_orientation (const uint8_t * exif, size_t size)
{
  const bool little = size > 0 && exif[0] == 'I';
  const int tag = 0x0112, type = 3;
  size_t at = size >= 8 ? get_number (exif + 4, 4, little) : size, n;

  if (size < 2 || at > size - 2)
    return 1;
  n = get_number (exif + at, 2, little);
  for (at += 2; n > 0 && size - at >= 12; n--, at += 12) {
    const int value = (int) get_number (exif + at + 8, 2, little);

    if (get_number (exif + at, 2, little) == tag
        && get_number (exif + at + 2, 2, little) == type)
      return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

static int
find_orientation (const struct jpeg_decompress_struct *info)
{
  static const uint8_t signature[] = { 'E', 'x', 'i', 'f', 0, 0 };
  const size_t n = sizeof (signature);

  for (jpeg_saved_marker_ptr marker = info->marker_list; marker != NULL;
      marker = marker->next) {
    if (marker->data_length >= n && memcmp (marker->data, signature, n) == 0)
      return parse_orientation (marker->data + n, marker->data_length - n);
  }
  return 1;
}

/* Turns and mirrors pixels as viewers of photographs do. */
static bool
apply_orientation (const char *name, int orientation, Image * image,
    StereoMessage * why)
{
  const bool swapped = orientation > 4;
  const bool flipped = orientation % 4 == 3 || orientation % 4 == 0;
  const bool mirrored = orientation % 4 == 2 || orientation % 4 == 3;
  const size_t n = (size_t) image->channels, row = n * (size_t) image->width;
  const int width = swapped ? image->height : image->width;
  const int height = swapped ? image->width : image->height;
  uint8_t *turned, *out;

  if (orientation == 1)
    return true;
  out = turned = malloc (row * (size_t) image->height);
  if (turned == NULL)
    return image_fail (why, name, "out of memory");
  for (int i = 0; i < height; i++) {
    const size_t y = (size_t) (flipped ? height - 1 - i : i);

    for (int j = 0; j < width; j++, out += n) {
      const size_t x = (size_t) (mirrored ? width - 1 - j : j);

      memcpy (out, (const uint8_t *) image->data + (swapped ? row * x + n * y
              : row * y + n * x), n);
    }
  }
  free (image->data);
  image->data = turned;
  image->width = width;
  image->height = height;
  return true;
}

static bool
read_image (const char *name, struct jpeg_decompress_struct *info, size_t size,
    Image * image, StereoMessage * why)
{
  int orientation;

  jpeg_save_markers (info, JPEG_APP0 + 1, 0xffff);
  jpeg_read_header (info, TRUE);
  /* jpeg_finish_decompress() frees the markers */
  orientation = find_orientation (info);
  return check_header (name, info, size, why)
      && read_rows (name, info, image, why)
      && apply_orientation (name, orientation, image, why);
}

bool
jpeg_parse (const char *name, const uint8_t * bytes, size_t size,
    Image * image, StereoMessage * why)
{
  struct jpeg_decompress_struct info;
  Failure failure = { 0 };
  bool good;

  memset (&info, 0, sizeof (info));
  info.err = jpeg_std_error (&failure.manager);
  failure.manager.error_exit = fail_and_jump;
  failure.manager.output_message = keep_message;
  if (setjmp (failure.back) != 0) {
    image_fail (why, name, "is a damaged JPEG file: %s", failure.text);
    jpeg_destroy_decompress (&info);
    image_clear (image);
    return false;
  }
  jpeg_create_decompress (&info);
  jpeg_mem_src (&info, bytes, (unsigned long) size);
  good = read_image (name, &info, size, image, why);
  if (good && info.err->num_warnings > 0)
    good = image_fail (why, name, "is cut off or damaged: %s", failure.text);
  jpeg_destroy_decompress (&info);
  if (!good)
    image_clear (image);
  return good;
}

#else

bool
jpeg_parse (const char *name, const uint8_t * bytes, size_t size,
    Image * image, StereoMessage * why)
{
  (void) bytes;
  (void) size;
  (void) image;
  return image_fail (why, name,
      "is a JPEG file, which this build cannot read: it was built without "
      "libjpeg");
}

#endif
