/* gst-stereomatching: the learned cost with dot products of signed bytes
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A lane of 32 bits has four numbers of one pixel: neighbouring inputs of the
 * first layer, or h_j of the second one.  Vector t of four has pixels 4 t to
 * 4 t + 3. */

#ifndef STEREO_LEARNED_DOT_H
#define STEREO_LEARNED_DOT_H

#if defined (__aarch64__) && defined (__ARM_FEATURE_DOTPROD)

#include "cost/learned-formula.h"
#include "cost/words-cpu.h"
#include "simd/simd-dot.h"
#include "simd/simd-float.h"

#define LEARNED_BLOCK SIMD_BYTES
#define LEARNED_FOURS (STEREO_NETWORK_HIDDEN / 4)
#define LEARNED_INPUT_FOURS (STEREO_NETWORK_INPUTS / 4)

typedef struct
{
  const StereoNetwork *network;
  int32_t start[STEREO_NETWORK_HIDDEN];
} LearnedWeights;

static inline void
learned_prepare (const StereoNetwork * n, LearnedWeights * weights)
{
  weights->network = n;
  for (int j = 0; j < STEREO_NETWORK_HIDDEN; j++)
    weights->start[j] = stereo_network_start (n->b1[j], n->shift);
}

/* d_q of a neighbour: 32 times the difference is 128 at the limits, modulo 256,
 * which one level corrects to 127. */
ALWAYS_INLINE VecI8
learned_input (VecU8 neighbor, VecU8 center)
{
  const VecU8 levels = simd_set8 (STEREO_NETWORK_LEVELS);
  const VecU8 above = simd_min8 (simd_max8 (neighbor, center) - center, levels);
  const VecU8 below = simd_min8 (simd_max8 (neighbor, center) - neighbor,
      levels);

  return (VecI8) ((above - below) * STEREO_NETWORK_GAIN
      + (VecU8) (above == levels) - (VecU8) (below == levels));
}

ALWAYS_INLINE void
learned_first_layer (const LearnedWeights * weights, int x,
    const uint8_t * const line[5], VecI8 h[4][LEARNED_FOURS])
{
  const StereoNetwork *n = weights->network;
  const VecU8 center = simd_load8 (line[STEREO_WORDS_BORDER] + x);
  VecI8 inputs[4][LEARNED_INPUT_FOURS], bytes[4], lanes[4];

  for (int g = 0; g < LEARNED_INPUT_FOURS; g++) {
    for (int i = 0; i < 4; i++) {
      const int q = 4 * g + i;

      bytes[i] = learned_input (simd_load8 (line[STEREO_WORDS_BORDER
                  + stereo_network_row (q)] + x + stereo_network_column (q)),
          center);
    }
    simd_interleave_i8 (bytes, lanes);
    for (int t = 0; t < 4; t++)
      inputs[t][g] = lanes[t];
  }
  for (int k = 0; k < LEARNED_FOURS; k++) {
    for (int i = 0; i < 4; i++) {
      const int j = 4 * k + i;
      VecI32 sums[4];

      for (int t = 0; t < 4; t++) {
        sums[t] = simd_dot4_i32 (simd_set_i32 (weights->start[j]), inputs[t],
            n->w1[j]);
        sums[t] = simd_dot2_i32 (sums[t], inputs[t] + 4, n->w1[j] + 16);
        sums[t] >>= n->shift;
      }
      /* saturates at 127, the limit of h_j */
      bytes[i] = simd_narrow_i32 (sums);
      bytes[i] &= (VecI8) (bytes[i] > 0);
    }
    simd_interleave_i8 (bytes, lanes);
    for (int t = 0; t < 4; t++)
      h[t][k] = lanes[t];
  }
}

/* Bits of four pixels. */
ALWAYS_INLINE VecU32
learned_second_layer (const StereoNetwork * n, const VecI8 h[LEARNED_FOURS])
{
  VecU32 bits = { 0 };

  for (int c = 0; c < STEREO_NETWORK_BITS; c++) {
    VecI32 sums = simd_set_i32 (n->b2[c]);

    for (int k = 0; k < LEARNED_FOURS; k += 4)
      sums = simd_dot4_i32 (sums, h + k, n->w2[c] + 4 * k);
    bits |= (VecU32) (sums > 0) & 1u << c;
  }
  return bits;
}

/* Pixels from x on: as many as LEARNED_BLOCK. */
ALWAYS_INLINE void
learned_block (const LearnedWeights * weights, int x,
    const uint8_t * const line[5], uint8_t * const target[3])
{
  typedef uint8_t Quarter __attribute__ ((vector_size (SIMD_BYTES / 4)));
  VecI8 h[4][LEARNED_FOURS];

  learned_first_layer (weights, x, line, h);
  for (int t = 0; t < 4; t++) {
    const VecU32 bits = learned_second_layer (weights->network, h[t]);

    for (int i = 0; i < 3; i++) {
      const Quarter bytes = __builtin_convertvector (bits >> (8 * i) & 0xff,
          Quarter);

      memcpy (target[i] + x + 4 * t, &bytes, sizeof (bytes));
    }
  }
}

#endif /* __ARM_FEATURE_DOTPROD */

#endif /* STEREO_LEARNED_DOT_H */
