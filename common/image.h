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
 * How to read plane 0 of a format.  For a colour format r, g and b are the
 * byte offsets of the channels in a pixel; for all others they are the offset
 * of the byte to take as luma.
 */
typedef struct
{
  const char *name;
  uint8_t pixel_bytes;
  uint8_t r;
  uint8_t g;
  uint8_t b;
} StereoFormatInfo;

/* NULL when format is none of the enumeration. */
const StereoFormatInfo *stereo_format_info (StereoFormat format);

bool stereo_format_is_color (const StereoFormatInfo * info);

/* Whether plane 0 is 8-bit luma that can be used as it is. */
bool stereo_format_is_luma (const StereoFormatInfo * info);

/* Checks the parts of an image that are read or written: format, size, plane 0
 * and its stride.  role ("left image") begins the message. */
StereoStatus stereo_image_check (const StereoImage * image, const char *role,
    StereoFormat format, int width, int height, StereoMessage * why);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_IMAGE_H */
