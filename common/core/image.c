/* gst-stereomatching: pixel formats
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/image.h"

#include "core/backend.h"

#include <stdio.h>

/* *INDENT-OFF* */
static const StereoFormatInfo formats[] = {
  [STEREO_FORMAT_GRAY8]     = {"GRAY8",     1, 0, 0, 0, 1},
  [STEREO_FORMAT_GRAY16_LE] = {"GRAY16_LE", 2, 1, 1, 1, 1},
  [STEREO_FORMAT_RGB]       = {"RGB",       3, 0, 1, 2, 1},
  [STEREO_FORMAT_BGR]       = {"BGR",       3, 2, 1, 0, 1},
  [STEREO_FORMAT_RGBX]      = {"RGBX",      4, 0, 1, 2, 1},
  [STEREO_FORMAT_BGRX]      = {"BGRX",      4, 2, 1, 0, 1},
  [STEREO_FORMAT_XRGB]      = {"XRGB",      4, 1, 2, 3, 1},
  [STEREO_FORMAT_XBGR]      = {"XBGR",      4, 3, 2, 1, 1},
  [STEREO_FORMAT_NV12]      = {"NV12",      1, 0, 0, 0, 2, 1, 1, 2, 1, 0, 1, 1},
  [STEREO_FORMAT_NV21]      = {"NV21",      1, 0, 0, 0, 2, 1, 1, 2, 1, 1, 1, 0},
  [STEREO_FORMAT_I420]      = {"I420",      1, 0, 0, 0, 3, 1, 1, 1, 1, 0, 2, 0},
  [STEREO_FORMAT_YV12]      = {"YV12",      1, 0, 0, 0, 3, 1, 1, 1, 2, 0, 1, 0},
  [STEREO_FORMAT_Y42B]      = {"Y42B",      1, 0, 0, 0, 3, 1, 0, 1, 1, 0, 2, 0},
  [STEREO_FORMAT_Y444]      = {"Y444",      1, 0, 0, 0, 3, 0, 0, 1, 1, 0, 2, 0},
  [STEREO_FORMAT_NV16]      = {"NV16",      1, 0, 0, 0, 2, 1, 0, 2, 1, 0, 1, 1},
  [STEREO_FORMAT_YUY2]      = {"YUY2",      2, 0, 0, 0, 1, 1, 0, 4, 0, 1, 0, 3},
  [STEREO_FORMAT_UYVY]      = {"UYVY",      2, 1, 1, 1, 1, 1, 0, 4, 0, 0, 0, 2},
  [STEREO_FORMAT_YVYU]      = {"YVYU",      2, 0, 0, 0, 1, 1, 0, 4, 0, 3, 0, 1},
  [STEREO_FORMAT_P010_10LE] = {"P010_10LE", 2, 1, 1, 1, 2, 1, 1, 4, 1, 1, 1, 3},
  [STEREO_FORMAT_I420_10LE] =
      {"I420_10LE", 2, 0, 0, 0, 3, 1, 1, 2, 1, 0, 2, 0, 2},
  [STEREO_FORMAT_I422_10LE] =
      {"I422_10LE", 2, 0, 0, 0, 3, 1, 0, 2, 1, 0, 2, 0, 2},
  [STEREO_FORMAT_Y444_10LE] =
      {"Y444_10LE", 2, 0, 0, 0, 3, 0, 0, 2, 1, 0, 2, 0, 2},
  [STEREO_FORMAT_XYZ_F32]    = {"XYZ_F32",    12, 0, 0, 0, 1},
  [STEREO_FORMAT_XYZRGB_F32] = {"XYZRGB_F32", 16, 0, 0, 0, 1},
  [STEREO_FORMAT_U32]        = {"U32",         4, 0, 0, 0, 1},
};
/* *INDENT-ON* */

const StereoFormatInfo *
stereo_format_info (StereoFormat format)
{
  return (unsigned) format < sizeof (formats) / sizeof (formats[0])
      && formats[format].name != NULL ? &formats[format] : NULL;
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
  return info->r != info->b || stereo_format_is_yuv (info);
}

bool
stereo_format_is_yuv (const StereoFormatInfo * info)
{
  return info->chroma_bytes > 0;
}

bool
stereo_format_is_luma (const StereoFormatInfo * info)
{
  return info->pixel_bytes == 1;
}

size_t
stereo_format_row_bytes (const StereoFormatInfo * info, int plane, int width)
{
  size_t step = (size_t) 1 << info->shift_x;

  if (plane == 0 && info->n_planes == 1)
    return stereo_round_up ((size_t) width, step) * info->pixel_bytes;
  if (plane == 0)
    return (size_t) width * info->pixel_bytes;
  return ((size_t) width + step - 1) / step * info->chroma_bytes;
}

size_t
stereo_format_rows (const StereoFormatInfo * info, int plane, int height)
{
  size_t step = plane == 0 ? 1 : (size_t) 1 << info->shift_y;

  return ((size_t) height + step - 1) / step;
}

int
stereo_format_planes (const StereoFormatInfo * info, bool color)
{
  return color ? info->n_planes : 1;
}

static const char *
chroma_name (const StereoFormatInfo * info, int plane)
{
  if (info->u_plane == info->v_plane)
    return "U and V";
  return plane == info->u_plane ? "U" : "V";
}

static StereoStatus
check_plane (const StereoImage * image, const char *role, int plane,
    StereoMessage * why)
{
  const StereoFormatInfo *info = stereo_format_info (image->format);
  size_t row_bytes = stereo_format_row_bytes (info, plane, image->width);
  bool on_device = image->memory == STEREO_MEMORY_DEVICE;
  /* no object is larger; of device memory, see stereo_plane_offset () */
  size_t most = (on_device ? UINT32_MAX : (size_t) PTRDIFF_MAX)
      / (size_t) image->height;
  char which[32] = "";

  if (plane > 0)
    snprintf (which, sizeof (which), " in plane %d (%s)", plane,
        chroma_name (info, plane));
  if (image->plane[plane] == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT, "%s has no data%s", role,
        which);
  if (image->stride[plane] < row_bytes)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "%s has a stride of %zu bytes%s, a row has %zu", role,
        image->stride[plane], which, row_bytes);
  if (image->stride[plane] > most)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "%s has a stride of %zu bytes%s: %s%d rows may be %zu bytes apart at "
        "most", role, image->stride[plane], which, on_device
        ? "in device memory, " : "", image->height, most);
  return STEREO_OK;
}

StereoStatus
stereo_image_check (const StereoImage * image, const char *role,
    StereoFormat format, int width, int height, bool color,
    StereoMessage * why)
{
  StereoStatus status = STEREO_OK;
  int n_planes;

  if (image == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT, "%s is missing", role);
  if (image->format != format) {
    const char *name = stereo_format_name (image->format);

    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "%s is %s, but %s was configured", role,
        name ? name : "of an unknown format", stereo_format_name (format));
  }
  if (image->width != width || image->height != height)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "%s is %dx%d, but %dx%d was configured", role,
        image->width, image->height, width, height);
  if ((unsigned) image->memory > STEREO_MEMORY_DEVICE)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "%s is in an unknown kind of memory (%d)", role, (int) image->memory);

  n_planes = stereo_format_planes (stereo_format_info (format), color);
  for (int i = 0; i < n_planes && status == STEREO_OK; i++)
    status = check_plane (image, role, i, why);
  return status;
}

StereoStatus
stereo_image_check_output (const StereoImage * image, const char *role,
    StereoFormat format, int width, int height, StereoMessage * why)
{
  StereoStatus status = stereo_image_check (image, role, format, width, height,
      true, why);

  if (status == STEREO_OK && format == STEREO_FORMAT_GRAY16_LE
      && (image->stride[0] % 2 != 0 || (uintptr_t) image->plane[0] % 2 != 0))
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "%s has 16-bit pixels at odd addresses", role);
  return status;
}
