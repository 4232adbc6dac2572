/* gst-stereomatching: image files
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * imagefile.h: reads and writes images and disparity maps.
 *
 * Reads PNG (grey, RGB, palette, with or without alpha, 1 to 16 bits), JPEG
 * (grey and colour, baseline and progressive, turned by the orientation of
 * EXIF, if built with libjpeg), PGM and PPM (binary and plain, 8 and 16 bits)
 * and PFM (grey and colour, either byte order), by content, not by name.
 * Writes PNG and PFM.
 *
 * Functions that can fail return false, write the file and the reason to why,
 * which must not be NULL, and leave their outputs untouched.
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
  bool lossy;                   /* the file is a JPEG file */
} Image;

/* Reads a file or a pipe.  image needs no initialisation. */
STEREO_CHECKED bool image_read (const char *path, Image * image,
    StereoMessage * why);

/* The same from memory; name is the file's name in messages. */
STEREO_CHECKED bool image_parse (const char *name, const uint8_t * bytes,
    size_t size, Image * image, StereoMessage * why);

/* Whether the content of a file is that of an image; true if it cannot be read,
 * or not twice, as a pipe. */
bool image_is_likely (const char *path);

/* Frees the data and zeroes the image, which may be zeroed already. */
void image_clear (Image * image);

/* Reduces samples to 8 bits in place: the high byte of 16 bits, other maxima in
 * proportion.  Fails for IMAGE_FLOAT. */
STEREO_CHECKED bool image_reduce (const char *name, Image * image,
    StereoMessage * why);

/* Reads a view: an image with 8 bits per sample.  Warns on stderr if the high
 * bytes of 16 bits are nearly empty. */
STEREO_CHECKED bool image_read_view (const char *path, Image * image,
    StereoMessage * why);

/* An image of 8 bits per sample for the library, which borrows the data. */
StereoImage image_wrap (const Image * image);

/*
 * A disparity map in pixels: samples divided by scale; NAN if a sample is not
 * finite or equals invalid (NAN = no sample is invalid).  Three channels must
 * be equal.  *map has width * height values, for free().
 */
STEREO_CHECKED bool image_to_map (const char *name, const Image * image,
    double scale, double invalid, float **map, StereoMessage * why);

/* The disparity map in a file.  scale 0: 1 for PFM, 256 for 16 bits; an error
 * for 8 bits, which have no usual scale, that names the option to set it.
 * invalid NULL: 0 for integers, none for PFM.  width and height are the
 * expected size unless 0 on entry.  Fails for lossy images. */
STEREO_CHECKED bool image_read_map (const char *path, double scale,
    const char *option, const double *invalid, int *width, int *height,
    float **map, StereoMessage * why);

/* Writers replace an earlier file only by a complete one (outputfile.h). */
STEREO_CHECKED bool image_write_png16 (const char *path, int width,
    int height, const uint16_t * data, StereoMessage * why);
STEREO_CHECKED bool image_write_png_rgb (const char *path, int width,
    int height, const uint8_t * data, StereoMessage * why);
/* Little endian, one channel; values that are not finite become infinity, which
 * marks unknown disparities in Middlebury's files. */
STEREO_CHECKED bool image_write_pfm (const char *path, int width, int height,
    const float *data, StereoMessage * why);

/* Puts "PATH: text" into why and returns false. */
bool image_fail (StereoMessage * why, const char *path, const char *text, ...)
STEREO_PRINTF (3, 4);

#endif /* IMAGEFILE_H */
