/* gst-stereomatching: the learned cost with products of 16-bit lanes
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Portable vectors: a 16-bit lane per pixel in the first layer, and in the
 * second one 32-bit lanes with two h_j of a pixel, pixels in even and odd lanes
 * apart. */

#ifndef STEREO_LEARNED_WORDS_H
#define STEREO_LEARNED_WORDS_H

#include "cost/learned-formula.h"
#include "cost/words-cpu.h"
#include "simd/simd-float.h"

#define LEARNED_BLOCK (SIMD_BYTES / 2)
#define LEARNED_PAIRS (STEREO_NETWORK_HIDDEN / 2)

typedef struct
{
  const StereoNetwork *network;
  int16_t start[STEREO_NETWORK_HIDDEN];
  int32_t w2[STEREO_NETWORK_BITS][LEARNED_PAIRS];       /* two of 16 bits */
} LearnedWeights;

static inline void
learned_prepare (const StereoNetwork * n, LearnedWeights * weights)
{
  weights->network = n;
  for (int j = 0; j < STEREO_NETWORK_HIDDEN; j++)
    weights->start[j] = (int16_t) stereo_network_start (n->b1[j], n->shift);
  for (int c = 0; c < STEREO_NETWORK_BITS; c++) {
    for (int k = 0; k < LEARNED_PAIRS; k++)
      weights->w2[c][k] = (int32_t) ((uint16_t) n->w2[c][2 * k]
          | (uint32_t) (uint16_t) n->w2[c][2 * k + 1] << 16);
  }
}

ALWAYS_INLINE VecI16
learned_clamp (VecI16 v, int lowest, int highest)
{
  const VecI16 low = (VecI16) { 0 } + (int16_t) lowest;
  const VecI16 high = (VecI16) { 0 } + (int16_t) highest;
  VecI16 mask = (VecI16) (v < low);

  v = (low & mask) | (v & ~mask);
  mask = (VecI16) (v > high);
  return (high & mask) | (v & ~mask);
}

ALWAYS_INLINE void
learned_hidden (const LearnedWeights * weights, int x,
    const uint8_t * const line[5], VecI16 h[STEREO_NETWORK_HIDDEN])
{
  const StereoNetwork *n = weights->network;
  const VecI16 center = (VecI16) simd_widen8 (line[STEREO_WORDS_BORDER] + x);
  VecI16 d[STEREO_NETWORK_INPUTS];

  for (int q = 0; q < STEREO_NETWORK_INPUTS; q++) {
    const VecI16 neighbor = (VecI16) simd_widen8 (line[STEREO_WORDS_BORDER
            + stereo_network_row (q)] + x + stereo_network_column (q));

    d[q] = learned_clamp (STEREO_NETWORK_GAIN * (neighbor - center),
        -STEREO_NETWORK_LIMIT, STEREO_NETWORK_LIMIT);
  }
  for (int j = 0; j < STEREO_NETWORK_HIDDEN; j++) {
    VecI16 sum = (VecI16) { 0 } + weights->start[j];

    for (int q = 0; q < STEREO_NETWORK_INPUTS; q++)
      sum += d[q] * (int16_t) n->w1[j][q];
    h[j] = learned_clamp (sum >> n->shift, 0, STEREO_NETWORK_LIMIT);
  }
}

/* Pixels from x on: as many as LEARNED_BLOCK. */
ALWAYS_INLINE void
learned_block (const LearnedWeights * weights, int x,
    const uint8_t * const line[5], uint8_t * const target[3])
{
  typedef uint8_t Half __attribute__ ((vector_size (SIMD_BYTES / 2)));
  VecI16 h[STEREO_NETWORK_HIDDEN];
  VecI32 even[LEARNED_PAIRS], odd[LEARNED_PAIRS];
  VecU32 even_bits = { 0 }, odd_bits = { 0 };

  learned_hidden (weights, x, line, h);
  for (int k = 0; k < LEARNED_PAIRS; k++) {
    const VecU32 a = (VecU32) h[2 * k], b = (VecU32) h[2 * k + 1];

    even[k] = (VecI32) ((a & 0xffff) | b << 16);
    odd[k] = (VecI32) (a >> 16 | (b & 0xffff0000));
  }
  for (int c = 0; c < STEREO_NETWORK_BITS; c++) {
    const VecI32 bias = simd_set_i32 (weights->network->b2[c]);
    VecI32 sums[2] = { bias, bias };

    for (int k = 0; k < LEARNED_PAIRS; k++) {
      const VecI32 w = simd_set_i32 (weights->w2[c][k]);

      sums[0] += simd_pairs_i32 (even[k], w);
      sums[1] += simd_pairs_i32 (odd[k], w);
    }
    even_bits |= (VecU32) (sums[0] > 0) & 1u << c;
    odd_bits |= (VecU32) (sums[1] > 0) & 1u << c;
  }
  for (int i = 0; i < 3; i++) {
    const VecU16 bytes = (VecU16) ((even_bits >> (8 * i) & 0xff)
        | (odd_bits >> (8 * i) & 0xff) << 16);
    const Half narrow = __builtin_convertvector (bytes, Half);

    memcpy (target[i] + x, &narrow, sizeof (narrow));
  }
}

#endif /* STEREO_LEARNED_WORDS_H */
