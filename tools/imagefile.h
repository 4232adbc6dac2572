/* gst-stereomatching: image files
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * imagefile.h: images and disparity maps from and to files.
 *
 * Read: PNG (grey, RGB, palette, with or without alpha, 1 to 16 bits), JPEG
 * (grey and colour, baseline and progressive, where libjpeg is there), PGM and
 * PPM (binary and plain, 8 and 16 bits), PFM (grey and colour, either byte
 * order).  The content decides, not the name.  Written: PNG and PFM.
 *
 * Functions that can fail return false and say in why, which must not be NULL,
 * which file it was and what is wrong with it; their outputs are untouched.
 */

#ifndef IMAGEFILE_H
#define IMAGEFILE_H

#include "stereo.h"

/* The value is the number of bytes of a sample. */
typedef enum
{
  IMAGE_U8 = 1,
  IMAGE_U16 = 2,                /* in the byte order of the host */
  IMAGE_FLOAT = 4
} ImageType;

/* Rows from top to bottom without padding, samples interleaved; owns data. */
typedef struct
{
  int width;                    /* 1 to STEREO_MAX_SIZE */
  int height;
  int channels;                 /* 1 = grey, 3 = RGB; alpha is left out */
  ImageType type;
  unsigned maximum;             /* the sample of white; 0 for IMAGE_FLOAT */
  void *data;
} Image;

/* Reads a file, also a pipe.  image needs no initialisation. */
STEREO_CHECKED bool image_read (const char *path, Image * image,
    StereoMessage * why);

/* The same from memory; name stands for the file in messages. */
STEREO_CHECKED bool image_parse (const char *name, const uint8_t * bytes,
    size_t size, Image * image, StereoMessage * why);

/* Releases what an image holds and zeroes it; fine on a zeroed one. */
void image_clear (Image * image);

/* Reduces samples to 8 bits in place: of 16 bits the high byte, of other
 * maxima in proportion.  Fails for IMAGE_FLOAT. */
STEREO_CHECKED bool image_reduce (const char *name, Image * image,
    StereoMessage * why);

/*
 * A disparity map in pixels: samples divided by scale, NAN where the disparity
 * is unknown: the sample is not finite, or it is invalid (NAN: none is).  Of
 * three channels all must be equal.  *map has width * height values, for
 * free().
 */
STEREO_CHECKED bool image_to_map (const char *name, const Image * image,
    double scale, double invalid, float **map, StereoMessage * why);

/* The disparity map in a file.  scale 0: 1 for PFM, 256 for 16 bits, and an
 * error for 8 bits, which have no usual one.  use_invalid false: invalid is 0
 * for integers and none for PFM.  width and height, where not 0 on entry, are
 * what the size must be. */
STEREO_CHECKED bool image_read_map (const char *path, double scale,
    bool use_invalid, double invalid, int *width, int *height, float **map,
    StereoMessage * why);

STEREO_CHECKED bool image_write_png16 (const char *path, int width,
    int height, const uint16_t * data, StereoMessage * why);
STEREO_CHECKED bool image_write_png_rgb (const char *path, int width,
    int height, const uint8_t * data, StereoMessage * why);
/* Little endian, one channel; values that are not finite become infinity, the
 * unknown disparity of Middlebury. */
STEREO_CHECKED bool image_write_pfm (const char *path, int width, int height,
    const float *data, StereoMessage * why);

/* Puts "PATH: text" into why and returns false. */
bool image_fail (StereoMessage * why, const char *path, const char *text, ...)
STEREO_PRINTF (3, 4);

#endif /* IMAGEFILE_H */
