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

/* What the library calls when it can't go on. */
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

/* Of warnings there is num_warnings. */
static void
say_nothing (j_common_ptr info)
{
  (void) info;
}

/* Every block of 8x8 pixels has at least a bit, but for arithmetic coding,
 * which cameras don't use: what is said to be large is so, or is cut off. */
static bool
check_head (const char *name, const struct jpeg_decompress_struct *info,
    size_t size, StereoMessage * why)
{
  const unsigned long width = info->image_width, height = info->image_height;

  if (width > STEREO_MAX_SIZE || height > STEREO_MAX_SIZE)
    return image_fail (why, name, "%lux%lu pixels; 1x1 to %dx%d can be read",
        width, height, STEREO_MAX_SIZE, STEREO_MAX_SIZE);
  if (info->arith_code)
    return image_fail (why, name,
        "is a JPEG file with arithmetic coding; it has to be Huffman coding");
  if (((width + 7) / 8) * ((height + 7) / 8) > 8 * size)
    return image_fail (why, name, "is cut off");
  return true;
}

/* Reads the rows into image, whose data is allocated here. */
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
  failure.manager.output_message = say_nothing;
  if (setjmp (failure.back) != 0) {
    image_fail (why, name, "is a damaged JPEG file: %s", failure.text);
    jpeg_destroy_decompress (&info);
    image_clear (image);
    return false;
  }
  jpeg_create_decompress (&info);
  jpeg_mem_src (&info, bytes, (unsigned long) size);
  jpeg_read_header (&info, TRUE);
  good = check_head (name, &info, size, why)
      && read_rows (name, &info, image, why);
  if (good && info.err->num_warnings > 0)
    good = image_fail (why, name, "is cut off or damaged");
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
      "is a JPEG file, which this build can't read: it was made without "
      "libjpeg");
}

#endif
