/* gst-stereomatching: JPEG files
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* jpeg.h: for imagefile.c, which detects a JPEG file by its first bytes. */

#ifndef JPEG_H
#define JPEG_H

#include "imagefile.h"

/* Grey or RGB, 8 bits.  image is zeroed on entry and on failure.  Always fails
 * if built without libjpeg. */
STEREO_CHECKED bool jpeg_parse (const char *name, const uint8_t * bytes,
    size_t size, Image * image, StereoMessage * why);

#endif /* JPEG_H */
