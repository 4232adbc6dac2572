/* gst-stereomatching: SIMD encoding of map rows
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* For files that are compiled once per instruction set. */

#ifndef STEREO_OUTPUT_SIMD_H
#define STEREO_OUTPUT_SIMD_H

#include "refine/output.h"

#include <string.h>

/* stereo_output_from_map() of n codes, in place. */
static inline void
stereo_output_encode_chunk (const StereoOutput * output,
    uint16_t * restrict codes, int n)
{
  const uint32_t gain = output->gain, divisor = output->divisor;
  const uint32_t half = divisor / 2, invalid = output->invalid;
  const uint32_t highest = output->bytes == 1 ? 255 : 65535;
  const uint32_t moved = invalid < highest ? invalid + 1 : invalid - 1;
  float inverse;

  if ((divisor & (divisor - 1)) == 0) {
    const int shift = __builtin_ctz (divisor);

#pragma omp simd
    for (int i = 0; i < n; i++) {
      const uint32_t code = codes[i];
      uint32_t value = (code * gain + half) >> shift;

      value = value == invalid ? moved : value;
      codes[i] = (uint16_t) (code == STEREO_INVALID ? invalid : value);
    }
    return;
  }
  inverse = 1.0f / (float) divisor;
#pragma omp simd
  for (int i = 0; i < n; i++) {
    const uint32_t code = codes[i];
    /* below 2^26, quotient below 2^16: single precision is off by at most 1 */
    const int32_t dividend = (int32_t) (code * gain + half);
    int32_t value = (int32_t) ((float) dividend * inverse);
    const int32_t rest = dividend - value * (int32_t) divisor;

    value += (rest >= (int32_t) divisor) - (rest < 0);
    value = value == (int32_t) invalid ? (int32_t) moved : value;
    codes[i] = (uint16_t) (code == STEREO_INVALID ? (int32_t) invalid : value);
  }
}

/* Stores n codes of a map from (x, y) on, encoded.  Changes codes. */
static inline void
stereo_output_chunk (const StereoOutput * output, int x, int y,
    uint16_t * restrict codes, int n)
{
  uint8_t *target = (uint8_t *) output->data + (size_t) y * output->stride;

  stereo_output_encode_chunk (output, codes, n);
  if (output->bytes == 2) {
    memcpy (target + 2 * x, codes, (size_t) n * sizeof (uint16_t));
  } else {
    for (int i = 0; i < n; i++)
      target[x + i] = (uint8_t) codes[i];
  }
}

#endif /* STEREO_OUTPUT_SIMD_H */
