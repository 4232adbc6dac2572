/* gst-stereomatching: fuzzing of image files
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The input is an image file of any supported format.
 */

#include "fuzz.h"
#include "imagefile.h"

#include <stdlib.h>

/* Reads every sample. */
static void
look (const Image * image)
{
  size_t n = (size_t) image->width * (size_t) image->height
      * (size_t) image->channels * (size_t) image->type;
  volatile uint8_t sum = 0;

  for (size_t i = 0; i < n; i++)
    sum = (uint8_t) (sum + ((const uint8_t *) image->data)[i]);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  StereoMessage why = { "" };
  Image image;
  float *map = NULL;

  if (!image_parse ("fuzz", data, size, &image, &why)) {
    if (why.text[0] == '\0')
      abort ();                 /* errors have a reason */
    return 0;
  }
  if (image.width < 1 || image.height < 1 || image.width > STEREO_MAX_SIZE
      || image.height > STEREO_MAX_SIZE
      || (image.channels != 1 && image.channels != 3))
    abort ();
  look (&image);
  if (image_to_map ("fuzz", &image, 16, 0, &map, &why))
    free (map);
  if (image_reduce ("fuzz", &image, &why))
    look (&image);
  image_clear (&image);
  return 0;
}
