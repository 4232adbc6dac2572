/* gst-stereomatching: confidence of disparities
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The arithmetic for the host and CUDA.  The confidence is the probability that
 * a disparity is right within one pixel, in 1/255.  It was calibrated on
 * scenes with ground truth, as a table by the logarithm of a key:
 *
 *   key = r (near + 32) (far + 64)
 *
 *   r         16 + the uniqueness of the winner, or 64 for a filled pixel
 *   near, far 255 times the share of the weight in a ring of samples whose
 *             codes before hole filling are valid and, carried to the centre,
 *             within 1.5 pixels of the final code
 *
 * A ring has samples at the offsets -STEREO_CONFIDENCE_RADIUS to
 * STEREO_CONFIDENCE_RADIUS, STEREO_CONFIDENCE_STEP apart, in x and y.
 */

#ifndef STEREO_CONFIDENCE_FORMULA_H
#define STEREO_CONFIDENCE_FORMULA_H

#include "refine/fill-formula.h"
#include "refine/winner-formula.h"

/* Ring 0 is near, ring 1 is far. */
#define STEREO_CONFIDENCE_RADIUS(ring) ((ring) == 0 ? 8 : 32)
#define STEREO_CONFIDENCE_STEP(ring) ((ring) == 0 ? 2 : 8)

/* r of a pixel: code is that before hole filling, word the winner's.  A code
 * that is not the winner's was filled, or voted for by the algorithm. */
STEREO_INLINE uint32_t
stereo_confidence_ratio (int unit, unsigned code, uint32_t word)
{
  return code == STEREO_INVALID || code != stereo_winner_code (unit, word) ? 64
      : 16 + stereo_winner_uniqueness_of (word);
}

/* Whether a sample with this code supports the final code of the centre. */
STEREO_INLINE bool
stereo_confidence_supports (int unit, unsigned code, int carry, unsigned final)
{
  const int difference = (int) code + carry - (int) final;
  const int tolerance = stereo_vote_tolerance (unit);

  return code != STEREO_INVALID && difference <= tolerance
      && difference >= -tolerance;
}

/* near or far; whole is not 0. */
STEREO_INLINE uint32_t
stereo_confidence_share (uint32_t supporting, uint32_t whole)
{
  return 255 * supporting / whole;
}

STEREO_INLINE uint32_t
stereo_confidence_key (uint32_t ratio, uint32_t near, uint32_t far)
{
  return ratio * (near + 32) * (far + 64);
}

/* Index of the table: half octaves of key / 512 + 1. */
STEREO_INLINE unsigned
stereo_confidence_index (uint32_t key)
{
  const uint32_t k = (key >> 9) + 1;
  unsigned octave = 0;

  while (k >> (octave + 1) != 0)
    octave++;
  if (octave > 0)
    octave = 2 * octave + (k >> (octave - 1) & 1);
  return stereo_min_u32 (octave, 31);
}

/* The confidence, 50 to 254. */
STEREO_INLINE uint8_t
stereo_confidence (uint32_t key)
{
  static const uint8_t table[32] = {
    50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 81, 81, 81,
    81, 160, 161, 161, 161, 170, 182, 191, 198, 206, 217, 230, 243, 251, 254,
    254
  };

  return table[stereo_confidence_index (key)];
}

#endif /* STEREO_CONFIDENCE_FORMULA_H */
