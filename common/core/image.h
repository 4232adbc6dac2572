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
 * How to read a format.  Plane 0: for an RGB format r, g and b are the byte
 * offsets of the channels in a pixel; for all others they are the offset of the
 * byte to take as luma.  Chroma of a YUV format is in the planes after it, or
 * where there is none between the luma.
 */
typedef struct
{
  const char *name;
  uint8_t pixel_bytes;          /* of plane 0 */
  uint8_t r;
  uint8_t g;
  uint8_t b;
  uint8_t n_planes;
  uint8_t shift_x;              /* chroma sample (x >> shift_x, y >> shift_y) */
  uint8_t shift_y;              /* is that of pixel (x, y) */
  uint8_t chroma_bytes;         /* from one sample of U, or of V, to the next */
  uint8_t u_plane;
  uint8_t u_offset;             /* of the plane's first U, in bytes */
  uint8_t v_plane;
  uint8_t v_offset;
  uint8_t sample_shift;         /* as stereo_sample() takes it */
} StereoFormatInfo;

/* NULL when format is none of the enumeration. */
const StereoFormatInfo *stereo_format_info (StereoFormat format);

/* Whether there are R, G and B, or chroma they can be had from. */
bool stereo_format_is_color (const StereoFormatInfo * info);
bool stereo_format_is_yuv (const StereoFormatInfo * info);

/* Whether plane 0 is 8-bit luma that can be used as it is. */
bool stereo_format_is_luma (const StereoFormatInfo * info);

/* The bytes of a row of a plane without padding, and the rows, of an image of
 * this width and height. */
size_t stereo_format_row_bytes (const StereoFormatInfo * info, int plane,
    int width);
size_t stereo_format_rows (const StereoFormatInfo * info, int plane,
    int height);

/* The planes to be read for colour, or for luma. */
int stereo_format_planes (const StereoFormatInfo * info, bool color);

/* Checks the parts of an image that are read or written: format, size, and the
 * planes, plane 0 alone without color, with their strides.  role ("left image")
 * begins the message. */
StereoStatus stereo_image_check (const StereoImage * image, const char *role,
    StereoFormat format, int width, int height, bool color,
    StereoMessage * why);

/* The same for a map that is written: its codes of 16 bits have to lie at even
 * addresses. */
StereoStatus stereo_image_check_output (const StereoImage * image,
    const char *role, StereoFormat format, int width, int height,
    StereoMessage * why);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_IMAGE_H */
