/* gst-stereomatching: the learned cost with products of bytes
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * x86 multiplies unsigned bytes with signed ones and adds adjacent products:
 * two in 16 bits with AVX2 and AVX-512 (saturated, which no pair below
 * reaches), four in 32 bits with AVX-512 VNNI.  So a lane of 32 bits has four
 * numbers of one pixel: neighbouring inputs of the first layer, or h_j of the
 * second one.
 *
 * Without VNNI, two instructions of each layer can be spared if weights are
 * narrow: no pair of products overflows with inputs plus 127 instead of
 * magnitudes, and the products of six fours of h_j fit 16 bits.
 *
 * Unpacking works within 16-byte parts of a vector: of the four vectors that
 * are made of SIMD_BYTES pixels, vector t has pixels 4 t to 4 t + 3 of each
 * part.  Packing restores the order.
 */

#ifndef STEREO_LEARNED_BYTES_H
#define STEREO_LEARNED_BYTES_H

#if defined (__AVX2__)

#include "cost/learned-formula.h"
#include "cost/words-cpu.h"
#include "simd/simd-float.h"

#define LEARNED_BLOCK SIMD_BYTES
#define LEARNED_FOURS (STEREO_NETWORK_HIDDEN / 4)

/* ------------------------------------------------------------- instructions */

ALWAYS_INLINE SimdX86
learned_set32 (const void *four_bytes)
{
  int32_t word;

  memcpy (&word, four_bytes, sizeof (word));
  return SIMD_X86 (set1_epi32) (word);
}

ALWAYS_INLINE SimdX86
learned_set128 (const void *sixteen_bytes)
{
  const __m128i v = _mm_loadu_si128 (sixteen_bytes);

#if defined (__AVX512BW__)
  return _mm512_broadcast_i32x4 (v);
#else
  return _mm256_broadcastsi128_si256 (v);
#endif
}

/* sums + four products per 32-bit lane; a is at most 127 without VNNI. */
ALWAYS_INLINE SimdX86
learned_dot (SimdX86 sums, SimdX86 a, SimdX86 b)
{
#if defined (__AVX512VNNI__)
  return _mm512_dpbusd_epi32 (sums, a, b);
#else
  const SimdX86 pairs = SIMD_X86 (maddubs_epi16) (a, b);

  return SIMD_X86 (add_epi32) (sums, SIMD_X86 (madd_epi16) (pairs,
          SIMD_X86 (set1_epi16) (1)));
#endif
}

/* bits with bit c set where sums > 0. */
ALWAYS_INLINE SimdX86
learned_set_bit (SimdX86 bits, SimdX86 sums, int c)
{
  const SimdX86 bit = SIMD_X86 (set1_epi32) (1 << c);

#if defined (__AVX512BW__)
  return _mm512_mask_or_epi32 (bits, _mm512_cmpgt_epi32_mask (sums,
          _mm512_setzero_si512 ()), bits, bit);
#else
  return _mm256_or_si256 (bits, _mm256_and_si256 (_mm256_cmpgt_epi32 (sums,
              _mm256_setzero_si256 ()), bit));
#endif
}

/* Four vectors of bytes to four of 32-bit lanes, a byte from each. */
ALWAYS_INLINE void
learned_interleave (const SimdX86 v[4], SimdX86 lanes[4])
{
  const SimdX86 low = SIMD_X86 (unpacklo_epi8) (v[0], v[1]);
  const SimdX86 high = SIMD_X86 (unpackhi_epi8) (v[0], v[1]);
  const SimdX86 low2 = SIMD_X86 (unpacklo_epi8) (v[2], v[3]);
  const SimdX86 high2 = SIMD_X86 (unpackhi_epi8) (v[2], v[3]);

  lanes[0] = SIMD_X86 (unpacklo_epi16) (low, low2);
  lanes[1] = SIMD_X86 (unpackhi_epi16) (low, low2);
  lanes[2] = SIMD_X86 (unpacklo_epi16) (high, high2);
  lanes[3] = SIMD_X86 (unpackhi_epi16) (high, high2);
}

/* Inputs of SIMD_BYTES pixels from x on, as bytes plus offset. */
ALWAYS_INLINE void
learned_inputs (int x, const uint8_t * const line[5], int offset,
    SimdX86 d[STEREO_NETWORK_INPUTS])
{
  const VecU8 levels = simd_set8 (STEREO_NETWORK_LEVELS);
  const VecU8 center = simd_load8 (line[STEREO_WORDS_BORDER] + x);
  int8_t input[16];

  for (int i = 0; i < 16; i++)
    input[i] = (int8_t) (offset + stereo_network_input (i,
            STEREO_NETWORK_LEVELS));
  const SimdX86 table = learned_set128 (input);

  for (int q = 0; q < STEREO_NETWORK_INPUTS; q++) {
    const VecU8 neighbor = simd_load8 (line[STEREO_WORDS_BORDER
            + stereo_network_row (q)] + x + stereo_network_column (q));
    const SimdX86 above = SIMD_X86 (subs_epu8) ((SimdX86) neighbor,
        (SimdX86) center);
    const SimdX86 below = SIMD_X86 (subs_epu8) ((SimdX86) center,
        (SimdX86) neighbor);
    const VecU8 index = levels + simd_min8 ((VecU8) above, levels)
        - simd_min8 ((VecU8) below, levels);

    d[q] = SIMD_X86 (shuffle_epi8) (table, (SimdX86) index);
  }
}

/* -------------------------------------------------------------- first layer */

#if defined (__AVX512VNNI__)

typedef struct
{
  const StereoNetwork *network;
  bool narrow;                  /* without effect */
  int32_t start[STEREO_NETWORK_HIDDEN]; /* for inputs plus 128 */
} LearnedWeights;

static inline void
learned_prepare (const StereoNetwork * n, LearnedWeights * weights)
{
  weights->network = n;
  weights->narrow = false;
  for (int j = 0; j < STEREO_NETWORK_HIDDEN; j++) {
    weights->start[j] = stereo_network_start (n->b1[j], n->shift);
    for (int q = 0; q < STEREO_NETWORK_INPUTS; q++)
      weights->start[j] -= 128 * n->w1[j][q];
  }
}

/* h_j to h_j+3 of pixels whose inputs are x, as bytes of 32-bit lanes. */
ALWAYS_INLINE SimdX86
learned_four (const LearnedWeights * weights, int j,
    const SimdX86 x[STEREO_NETWORK_INPUTS / 4])
{
  static const uint8_t transposed[16] = { 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10,
    14, 3, 7, 11, 15
  };
  const __m128i shift = _mm_cvtsi32_si128 (weights->network->shift);
  SimdX86 sums[4], h;

#pragma GCC unroll 4
  for (int s = 0; s < 4; s++) {
    sums[s] = SIMD_X86 (set1_epi32) (weights->start[j + s]);
#pragma GCC unroll 6
    for (int g = 0; g < STEREO_NETWORK_INPUTS / 4; g++)
      sums[s] = learned_dot (sums[s], x[g],
          learned_set32 (&weights->network->w1[j + s][4 * g]));
    sums[s] = SIMD_X86 (sra_epi32) (sums[s], shift);
  }
  h = SIMD_X86 (packus_epi16) (SIMD_X86 (packs_epi32) (sums[0], sums[1]),
      SIMD_X86 (packs_epi32) (sums[2], sums[3]));
  h = (SimdX86) simd_min8 ((VecU8) h, simd_set8 (STEREO_NETWORK_LIMIT));
  return SIMD_X86 (shuffle_epi8) (h, learned_set128 (transposed));
}

ALWAYS_INLINE void
learned_first_layer (const LearnedWeights * weights, bool narrow, int x,
    const uint8_t * const line[5], SimdX86 h[4][LEARNED_FOURS])
{
  SimdX86 d[STEREO_NETWORK_INPUTS], lanes[4];
  SimdX86 inputs[4][STEREO_NETWORK_INPUTS / 4];

  (void) narrow;
  learned_inputs (x, line, 128, d);
#pragma GCC unroll 6
  for (int g = 0; g < STEREO_NETWORK_INPUTS / 4; g++) {
    learned_interleave (d + 4 * g, lanes);
    for (int t = 0; t < 4; t++)
      inputs[t][g] = lanes[t];
  }
  for (int t = 0; t < 4; t += 2) {
    for (int k = 0; k < LEARNED_FOURS; k++) {
      h[t][k] = learned_four (weights, 4 * k, inputs[t]);
      h[t + 1][k] = learned_four (weights, 4 * k, inputs[t + 1]);
    }
  }
}

#else

#define LEARNED_TWOS (STEREO_NETWORK_INPUTS / 2)

/* a + b, in this order: GCC computes many products before their sums, more than
 * there are registers. */
ALWAYS_INLINE SimdX86
learned_add16 (SimdX86 a, SimdX86 b)
{
  a = SIMD_X86 (add_epi16) (a, b);
  __asm__ ("":"+v" (a));
  return a;
}

typedef struct
{
  const StereoNetwork *network;
  bool narrow;
  int16_t start[STEREO_NETWORK_HIDDEN]; /* modulo 2^16, as all sums */
  int8_t w1[STEREO_NETWORK_HIDDEN][LEARNED_TWOS][4];    /* each pair twice */
} LearnedWeights;

/* Whether sums of products of weights with bytes from 0 to `highest` fit 16
 * bits: n pairs of weights, `step` apart. */
static inline bool
learned_fits (const int8_t * weights, int n, int step, int highest)
{
  int above = 0, below = 0;

  for (int i = 0; i < 2 * n; i++) {
    const int w = weights[i / 2 * step + i % 2];

    above += w > 0 ? highest * w : 0;
    below += w < 0 ? highest * w : 0;
  }
  return above <= INT16_MAX && below >= INT16_MIN;
}

static inline bool
learned_is_narrow (const StereoNetwork * n)
{
  for (int j = 0; j < STEREO_NETWORK_HIDDEN; j++) {
    for (int k = 0; k < LEARNED_TWOS; k++) {
      if (!learned_fits (&n->w1[j][2 * k], 1, 2, 2 * STEREO_NETWORK_LIMIT))
        return false;
    }
  }
  for (int c = 0; c < STEREO_NETWORK_BITS; c++) {
    for (int k = 0; k < LEARNED_FOURS; k += LEARNED_FOURS / 2) {
      for (int half = 0; half < 2; half++) {
        if (!learned_fits (&n->w2[c][4 * k + 2 * half], LEARNED_FOURS / 2, 4,
                STEREO_NETWORK_LIMIT))
          return false;
      }
    }
  }
  return true;
}

static inline void
learned_prepare (const StereoNetwork * n, LearnedWeights * weights)
{
  weights->network = n;
  weights->narrow = learned_is_narrow (n);
  for (int j = 0; j < STEREO_NETWORK_HIDDEN; j++) {
    int start = stereo_network_start (n->b1[j], n->shift);

    for (int q = 0; q < STEREO_NETWORK_INPUTS; q++)
      start -= weights->narrow ? STEREO_NETWORK_LIMIT * n->w1[j][q] : 0;
    weights->start[j] = (int16_t) start;
    for (int k = 0; k < LEARNED_TWOS; k++) {
      for (int i = 0; i < 4; i++)
        weights->w1[j][k][i] = n->w1[j][2 * k + i % 2];
    }
  }
}

/* Pairs of inputs: of the lower half of each 16-byte part, and of the upper
 * one.  bytes: plus 127 if narrow, otherwise magnitudes with their signs, 0 or
 * -1. */
typedef struct
{
  SimdX86 bytes[2];
  SimdX86 sign[2];
} LearnedTwo;

/* w with the sign of inputs. */
ALWAYS_INLINE SimdX86
learned_negate (SimdX86 w, SimdX86 sign)
{
#if defined (__AVX512BW__)
  return (SimdX86) (((VecU8) w ^ (VecU8) sign) - (VecU8) sign);
#else
  return _mm256_sign_epi8 (w, sign);
#endif
}

ALWAYS_INLINE void
learned_pair (SimdX86 a, SimdX86 b, bool narrow, LearnedTwo * two)
{
  const SimdX86 halves[2] = { SIMD_X86 (unpacklo_epi8) (a, b),
    SIMD_X86 (unpackhi_epi8) (a, b)
  };

  for (int i = 0; i < 2; i++) {
    two->bytes[i] = narrow ? halves[i] : SIMD_X86 (abs_epi8) (halves[i]);
#if defined (__AVX512BW__)
    two->sign[i] = _mm512_movm_epi8 (_mm512_movepi8_mask (halves[i]));
#else
    two->sign[i] = halves[i];
#endif
  }
}

ALWAYS_INLINE void
learned_first_layer (const LearnedWeights * weights, bool narrow, int x,
    const uint8_t * const line[5], SimdX86 h[4][LEARNED_FOURS])
{
  const __m128i shift = _mm_cvtsi32_si128 (weights->network->shift);
  SimdX86 d[STEREO_NETWORK_INPUTS], all[4], lanes[4];
  LearnedTwo twos[LEARNED_TWOS];

  learned_inputs (x, line, narrow ? STEREO_NETWORK_LIMIT : 0, d);
  for (int k = 0; k < LEARNED_TWOS; k++)
    learned_pair (d[2 * k], d[2 * k + 1], narrow, &twos[k]);
  for (int j = 0; j < STEREO_NETWORK_HIDDEN; j += 4) {
    SimdX86 sums[4][2];

    for (int i = 0; i < 4; i++)
      sums[i][0] = sums[i][1] = SIMD_X86 (set1_epi16) (weights->start[j + i]);
#pragma GCC unroll 12
    for (int k = 0; k < LEARNED_TWOS; k++) {
      const LearnedTwo *two = &twos[k];

      for (int i = 0; i < 4; i++) {
        const SimdX86 w = learned_set32 (weights->w1[j + i][k]);

        for (int half = 0; half < 2; half++)
          sums[i][half] = learned_add16 (sums[i][half], SIMD_X86 (maddubs_epi16)
              (two->bytes[half], narrow ? w : learned_negate (w,
                  two->sign[half])));
      }
    }
    for (int i = 0; i < 4; i++) {
      const SimdX86 packed = SIMD_X86 (packus_epi16) (SIMD_X86 (sra_epi16)
          (sums[i][0], shift), SIMD_X86 (sra_epi16) (sums[i][1], shift));

      all[i] = (SimdX86) simd_min8 ((VecU8) packed,
          simd_set8 (STEREO_NETWORK_LIMIT));
    }
    learned_interleave (all, lanes);
    for (int t = 0; t < 4; t++)
      h[t][j / 4] = lanes[t];
  }
}

#endif

/* ------------------------------------------------------------- second layer */

/* Vectors of pixels with the same weights at a time: AVX-512 has registers for
 * all their h_j. */
#if defined (__AVX512BW__)
#define LEARNED_VECTORS 2
#else
#define LEARNED_VECTORS 4
#endif

/* Adds the products of half of the h_j of pixels, from h[][first] on. */
ALWAYS_INLINE void
learned_half (SimdX86 sums[LEARNED_VECTORS],
    SimdX86 h[LEARNED_VECTORS][LEARNED_FOURS], int first, const int8_t * w2,
    bool narrow)
{
  const int half = LEARNED_FOURS / 2;

#if !defined (__AVX512VNNI__)
  if (narrow) {
    SimdX86 pairs[LEARNED_VECTORS];

#pragma GCC unroll 6
    for (int k = 0; k < half; k++) {
      const SimdX86 w = learned_set32 (w2 + 4 * k);

      for (int i = 0; i < LEARNED_VECTORS; i++) {
        const SimdX86 products = SIMD_X86 (maddubs_epi16) (h[i][first + k], w);

        pairs[i] = k == 0 ? products : learned_add16 (pairs[i], products);
      }
    }
    for (int i = 0; i < LEARNED_VECTORS; i++)
      sums[i] = SIMD_X86 (add_epi32) (sums[i], SIMD_X86 (madd_epi16) (pairs[i],
              SIMD_X86 (set1_epi16) (1)));
    return;
  }
#else
  (void) narrow;
#endif
#pragma GCC unroll 6
  for (int k = 0; k < half; k++) {
    const SimdX86 w = learned_set32 (w2 + 4 * k);

    for (int i = 0; i < LEARNED_VECTORS; i++)
      sums[i] = learned_dot (sums[i], h[i][first + k], w);
  }
}

/* The bits of pixels. */
ALWAYS_INLINE void
learned_second_layer (const StereoNetwork * n, bool narrow,
    SimdX86 h[LEARNED_VECTORS][LEARNED_FOURS], SimdX86 bits[LEARNED_VECTORS])
{
  const int half = LEARNED_FOURS / 2;

  for (int i = 0; i < LEARNED_VECTORS; i++)
    bits[i] = SIMD_X86 (set1_epi32) (0);
  for (int c = 0; c < STEREO_NETWORK_BITS; c++) {
    SimdX86 sums[LEARNED_VECTORS];

    for (int i = 0; i < LEARNED_VECTORS; i++)
      sums[i] = SIMD_X86 (set1_epi32) (n->b2[c]);
    learned_half (sums, h, 0, n->w2[c], narrow);
    learned_half (sums, h, half, n->w2[c] + 4 * half, narrow);
    for (int i = 0; i < LEARNED_VECTORS; i++)
      bits[i] = learned_set_bit (bits[i], sums[i], c);
  }
}

/* Byte i of the words of SIMD_BYTES pixels, in order. */
ALWAYS_INLINE VecU8
learned_byte (const SimdX86 bits[4], int i)
{
  SimdX86 bytes[4];

  for (int t = 0; t < 4; t++)
    bytes[t] = (SimdX86) ((VecU32) bits[t] >> (8 * i) & 0xff);
  return (VecU8) SIMD_X86 (packus_epi16) (SIMD_X86 (packus_epi32) (bytes[0],
          bytes[1]), SIMD_X86 (packus_epi32) (bytes[2], bytes[3]));
}

ALWAYS_INLINE void
learned_block_impl (const LearnedWeights * weights, bool narrow, int x,
    const uint8_t * const line[5], uint8_t * const target[3])
{
  SimdX86 h[4][LEARNED_FOURS], bits[4];

  learned_first_layer (weights, narrow, x, line, h);
  for (int t = 0; t < 4; t += LEARNED_VECTORS)
    learned_second_layer (weights->network, narrow, h + t, bits + t);
  for (int i = 0; i < 3; i++)
    simd_store8 (target[i] + x, learned_byte (bits, i));
}

/* Pixels from x on: as many as LEARNED_BLOCK. */
ALWAYS_INLINE void
learned_block (const LearnedWeights * weights, int x,
    const uint8_t * const line[5], uint8_t * const target[3])
{
  if (weights->narrow)
    learned_block_impl (weights, true, x, line, target);
  else
    learned_block_impl (weights, false, x, line, target);
}

#endif /* __AVX2__ */

#endif /* STEREO_LEARNED_BYTES_H */
