/* gst-stereomatching: pixel formats
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_IMAGE_H
#define STEREO_IMAGE_H

#include "stereo.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Memory layout of a pixel format.  r, g and b are byte offsets in a pixel of
 * plane 0: of the channels for RGB, otherwise all of the (upper) luma byte.
 * Packed YUV has its chroma in plane 0, other YUV formats in later planes.
 */
typedef struct
{
  const char *name;
  uint8_t pixel_bytes;          /* of plane 0 */
  uint8_t r;
  uint8_t g;
  uint8_t b;
  uint8_t n_planes;
  uint8_t shift_x;              /* log2 of the chroma subsampling */
  uint8_t shift_y;
  uint8_t chroma_bytes;         /* between samples of U, or of V */
  uint8_t u_plane;
  uint8_t u_offset;             /* of the first sample, in bytes */
  uint8_t v_plane;
  uint8_t v_offset;
  uint8_t sample_shift;         /* for stereo_sample() */
} StereoFormatInfo;

/* NULL for an unknown format. */
const StereoFormatInfo *stereo_format_info (StereoFormat format);

/* Whether the format is RGB or YUV. */
bool stereo_format_is_color (const StereoFormatInfo * info);
bool stereo_format_is_yuv (const StereoFormatInfo * info);

/* Whether plane 0 is contiguous 8-bit luma. */
bool stereo_format_is_luma (const StereoFormatInfo * info);

/* Bytes of a row of a plane without padding, and number of its rows, for an
 * image of this width or height. */
size_t stereo_format_row_bytes (const StereoFormatInfo * info, int plane,
    int width);
size_t stereo_format_rows (const StereoFormatInfo * info, int plane,
    int height);

/* Number of planes needed for colour or for luma. */
int stereo_format_planes (const StereoFormatInfo * info, bool color);

/* Checks format, size, planes and strides; without color, only plane 0.  role
 * ("left image") begins the message. */
StereoStatus stereo_image_check (const StereoImage * image, const char *role,
    StereoFormat format, int width, int height, bool color,
    StereoMessage * why);

/* The same for an output; 16-bit codes must be at even addresses. */
StereoStatus stereo_image_check_output (const StereoImage * image,
    const char *role, StereoFormat format, int width, int height,
    StereoMessage * why);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_IMAGE_H */
