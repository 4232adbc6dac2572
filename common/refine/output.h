/* gst-stereomatching: encoding of results
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_OUTPUT_H
#define STEREO_OUTPUT_H

#include "image/pixel.h"
#include "refine/map.h"

/* An invalid that no code is equal to: every pixel has a value. */
#define STEREO_NO_INVALID 0x10000u

/*
 * An encoded result.  Disparities of a StereoMap are encoded by
 * stereo_output_from_map(), real numbers by stereo_output_encode().  Pixels
 * without a value get invalid.
 */
typedef struct
{
  void *data;
  size_t stride;                /* bytes */
  uint32_t invalid;             /* a code, or STEREO_NO_INVALID */
  uint8_t bytes;                /* per pixel, 1 or 2 */
  /* Real numbers: value * scale + offset, rounded, from lowest to highest. */
  float scale;
  float offset;
  uint16_t lowest;
  uint16_t highest;
  /* Codes of a StereoMap: code * gain / divisor, rounded. */
  uint32_t gain;
  uint32_t divisor;
} StereoOutput;

/*
 * The code of a real number: floor (value * scale + offset + 0.5), from lowest
 * to highest.  Where that is the invalid value, the next code, or the one
 * before at the upper end.  A NaN counts as a very small number.
 *
 * All in single precision, in the order in which it stands here, without
 * contraction to a fused multiply-add.
 */
STEREO_INLINE uint16_t
stereo_output_encode (const StereoOutput * output, float value)
{
  float v = value * output->scale + output->offset + 0.5f;
  unsigned code = output->lowest;

  /* lowest is not negative, so what is above it is rounded towards zero */
  if (v >= (float) output->highest)
    code = output->highest;
  else if (v > (float) output->lowest)
    code = (unsigned) (int) v;
  if (code == output->invalid)
    code = code < output->highest || code == 0 ? code + 1 : code - 1;
  return (uint16_t) code;
}

/* Shifts for powers of two: most divisors are, and divisions are slow. */
STEREO_INLINE unsigned
stereo_divide (unsigned dividend, unsigned divisor)
{
  if ((divisor & (divisor - 1)) != 0)
    return dividend / divisor;
#ifdef __CUDA_ARCH__
  return dividend >> (__ffs ((int) divisor) - 1);
#else
  return dividend >> __builtin_ctz (divisor);
#endif
}

/*
 * The result of a map's code: floor (code * gain / divisor + 1/2).  Where that
 * is the invalid value, the next one, or the previous one at the upper end.
 */
STEREO_INLINE uint16_t
stereo_output_from_map (const StereoOutput * output, unsigned code)
{
  unsigned value;

  if (code == STEREO_INVALID)
    return (uint16_t) output->invalid;
  value = stereo_divide (code * output->gain + output->divisor / 2,
      output->divisor);
  if (value == output->invalid)
    value = value < (output->bytes == 1 ? 255u : 65535u) ? value + 1
        : value - 1;
  return (uint16_t) value;
}

/* A confidence of 8 bits in as many bytes as the output has. */
STEREO_INLINE uint16_t
stereo_output_confidence (const StereoOutput * output, unsigned confidence)
{
  return (uint16_t) (output->bytes == 1 ? confidence : 257 * confidence);
}

/* Stores a code. */
STEREO_INLINE void
stereo_store_raw (const StereoOutput * output, int x, int y, uint16_t code)
{
  uint8_t *pixel = (uint8_t *) output->data
      + stereo_plane_offset (output->bytes * x, y, output->stride);

  if (output->bytes == 1) {
    *pixel = (uint8_t) code;
  } else {
#ifdef __CUDA_ARCH__
    *(uint16_t *) pixel = code;
#else
    /* GRAY16_LE is little endian on any host */
    pixel[0] = (uint8_t) code;
    pixel[1] = (uint8_t) (code >> 8);
#endif
  }
}

/* Stores a disparity of a map. */
STEREO_INLINE void
stereo_store_code (const StereoOutput * output, int x, int y, unsigned code)
{
  stereo_store_raw (output, x, y, stereo_output_from_map (output, code));
}

/* Stores the code of a real number. */
STEREO_INLINE void
stereo_store_value (const StereoOutput * output, int x, int y, float value)
{
  stereo_store_raw (output, x, y, stereo_output_encode (output, value));
}

/* Encodes a disparity index (a map's code with a unit of 1) if there is an
 * output, otherwise stores it in the map. */
STEREO_INLINE void
stereo_store_index (const StereoMap * map, const StereoOutput * output, int x,
    int y, unsigned index)
{
  if (output != NULL)
    stereo_store_code (output, x, y, index);
  else
    map->data[stereo_plane_offset (x, y, map->stride)] = (uint16_t) index;
}

#endif /* STEREO_OUTPUT_H */
