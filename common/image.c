/* gst-stereomatching: pixel formats
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "image.h"

#include "algorithm.h"

/* *INDENT-OFF* */
static const StereoFormatInfo formats[STEREO_N_FORMATS] = {
  [STEREO_FORMAT_GRAY8]     = {"GRAY8",     1, 0, 0, 0},
  [STEREO_FORMAT_GRAY16_LE] = {"GRAY16_LE", 2, 1, 1, 1},
  [STEREO_FORMAT_RGB]       = {"RGB",       3, 0, 1, 2},
  [STEREO_FORMAT_BGR]       = {"BGR",       3, 2, 1, 0},
  [STEREO_FORMAT_RGBX]      = {"RGBX",      4, 0, 1, 2},
  [STEREO_FORMAT_BGRX]      = {"BGRX",      4, 2, 1, 0},
  [STEREO_FORMAT_XRGB]      = {"XRGB",      4, 1, 2, 3},
  [STEREO_FORMAT_XBGR]      = {"XBGR",      4, 3, 2, 1},
  [STEREO_FORMAT_NV12]      = {"NV12",      1, 0, 0, 0},
  [STEREO_FORMAT_NV21]      = {"NV21",      1, 0, 0, 0},
  [STEREO_FORMAT_I420]      = {"I420",      1, 0, 0, 0},
  [STEREO_FORMAT_YV12]      = {"YV12",      1, 0, 0, 0},
  [STEREO_FORMAT_Y42B]      = {"Y42B",      1, 0, 0, 0},
  [STEREO_FORMAT_Y444]      = {"Y444",      1, 0, 0, 0},
};
/* *INDENT-ON* */

const StereoFormatInfo *
stereo_format_info (StereoFormat format)
{
  return (unsigned) format < STEREO_N_FORMATS ? &formats[format] : NULL;
}

const char *
stereo_format_name (StereoFormat format)
{
  const StereoFormatInfo *info = stereo_format_info (format);

  return info ? info->name : NULL;
}

bool
stereo_format_is_color (const StereoFormatInfo * info)
{
  return info->r != info->b;
}

bool
stereo_format_is_luma (const StereoFormatInfo * info)
{
  return info->pixel_bytes == 1;
}

StereoStatus
stereo_image_check (const StereoImage * image, const char *role,
    StereoFormat format, int width, int height, StereoMessage * why)
{
  const StereoFormatInfo *info;
  size_t row_bytes;

  if (image == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT, "%s is missing", role);
  if (image->format != format) {
    const char *name = stereo_format_name (image->format);

    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "%s is %s, but the matcher was configured for %s", role,
        name ? name : "of an unknown format", stereo_format_name (format));
  }
  if (image->width != width || image->height != height)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "%s is %dx%d, but the matcher was configured for %dx%d", role,
        image->width, image->height, width, height);
  if ((unsigned) image->memory > STEREO_MEMORY_DEVICE)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "%s is in an unknown kind of memory (%d)", role, (int) image->memory);
  if (image->plane[0] == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT, "%s has no data", role);

  info = stereo_format_info (format);
  row_bytes = (size_t) width * info->pixel_bytes;
  if (image->stride[0] < row_bytes)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "%s has a stride of %zu bytes, a row has %zu", role, image->stride[0],
        row_bytes);
  if (format == STEREO_FORMAT_GRAY16_LE
      && (image->stride[0] % 2 != 0 || (uintptr_t) image->plane[0] % 2 != 0))
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "%s has 16-bit pixels at odd addresses", role);
  return STEREO_OK;
}
