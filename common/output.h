/* gst-stereomatching: where an algorithm's last stage puts a pixel
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_OUTPUT_H
#define STEREO_OUTPUT_H

#include "algorithm.h"
#include "pixel.h"

/* The code of an index. */
STEREO_INLINE uint16_t
stereo_output_code (const StereoOutput * output, unsigned index)
{
  return index == STEREO_INVALID ? output->invalid : output->code[index];
}

/* Stores the code of index. */
STEREO_INLINE void
stereo_store_code (const StereoOutput * output, int x, int y, unsigned index)
{
  uint16_t code = stereo_output_code (output, index);
  uint8_t *row = (uint8_t *) output->data + (size_t) y * output->stride;

  if (output->bytes == 1) {
    row[x] = (uint8_t) code;
  } else {
#ifdef __CUDA_ARCH__
    ((uint16_t *) row)[x] = code;
#else
    /* GRAY16_LE is little endian on any host */
    row[2 * x] = (uint8_t) code;
    row[2 * x + 1] = (uint8_t) (code >> 8);
#endif
  }
}

/* Stores the code of index if there is an output, else index itself. */
STEREO_INLINE void
stereo_store_index (const StereoMap * map, const StereoOutput * output, int x,
    int y, unsigned index)
{
  if (output != NULL)
    stereo_store_code (output, x, y, index);
  else
    map->data[(size_t) y * map->stride + (size_t) x] = (uint16_t) index;
}

#endif /* STEREO_OUTPUT_H */
