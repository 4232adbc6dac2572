/* gst-stereomatching: weighted sums of exponential step sizes, with vectors
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Costs of SIMD_BYTES pixels have sums in two vectors.
 *
 * With SIMD_HAS_PAIRS, costs are stored with their highest bit inverted: as
 * signed bytes they are C - 128, and the products of an instruction fit 16
 * bits.  Otherwise even and odd pixels are in separate vectors, so that no
 * shuffle is needed.
 */

#ifndef STEREO_EXPSTEP_SIMD_SUMS_H
#define STEREO_EXPSTEP_SIMD_SUMS_H

#include "simd/simd.h"

#define LANES (SIMD_BYTES / 2)

/* Weights of the neighbours before and after the pixels of a row, 0 to 170; 0
 * without a neighbour and from the width to the pitch. */
typedef struct
{
  const uint8_t *before;
  const uint8_t *after;
  size_t next;                  /* bytes to those of the next row, if stored */
} ExpstepRowWeights;

/* A thread processes rows in order, but between two rows of a plane there are
 * those of so many others that hardware does not prefetch them. */
ALWAYS_INLINE void
expstep_prefetch_weights (ExpstepRowWeights weights, int x)
{
  __builtin_prefetch (weights.before + weights.next + x);
  __builtin_prefetch (weights.after + weights.next + x);
}

#if SIMD_HAS_PAIRS

/* XOR of stored costs and C. */
#define EXPSTEP_BIAS 0x80
#define EXPSTEP_LARGEST_SUM 0x7fff

/* Pairs of weights of SIMD_BYTES pixels. */
typedef struct
{
  VecU16 neighbors[2];
  VecU16 own[2];                /* in two parts, each at most 128 */
} ExpstepVectorWeights;

ALWAYS_INLINE ExpstepVectorWeights
expstep_load_weights (ExpstepRowWeights weights, int x)
{
  const VecU8 before = simd_load8 (weights.before + x);
  const VecU8 after = simd_load8 (weights.after + x);
  const VecU8 both = before + after, half = both >> 1;
  ExpstepVectorWeights w;

  for (int i = 0; i < 2; i++) {
    w.neighbors[i] = simd_interleave8 (before, after, i);
    w.own[i] = simd_interleave8 (128 - half, 128 - (both - half), i);
  }
  return w;
}

/* Sums minus 32768. */
ALWAYS_INLINE void
expstep_sums (const ExpstepVectorWeights * w, VecU8 c, VecU8 before,
    VecU8 after, VecU16 sums[2])
{
  for (int i = 0; i < 2; i++)
    sums[i] = simd_pairs (w->own[i], simd_interleave8 (c, c, i))
        + simd_pairs (w->neighbors[i], simd_interleave8 (before, after, i));
}

ALWAYS_INLINE VecU16
expstep_min_sum (VecU16 a, VecU16 b)
{
  return (VecU16) simd_min_i16 ((VecI16) a, (VecI16) b);
}

/* C' to store. */
ALWAYS_INLINE VecU8
expstep_mean (const VecU16 sums[2])
{
  const VecU16 scale = simd_set16 (128);

  return (VecU8) simd_pack_i8 (simd_scale_i16 (sums[0], scale),
      simd_scale_i16 (sums[1], scale));
}

/* C' of finer costs. */
ALWAYS_INLINE VecU8
expstep_excess (const VecU16 sums[2], const VecU16 least[2])
{
  return (VecU8) simd_pack_u8 ((sums[0] - least[0] + 64) >> 7,
      (sums[1] - least[1] + 64) >> 7);
}

/* Sums in the order of winners. */
ALWAYS_INLINE void
expstep_final_sums (VecU16 sums[2])
{
  simd_in_order16 (sums);
  sums[0] ^= 0x8000;
  sums[1] ^= 0x8000;
}

#else

#define EXPSTEP_BIAS 0
#define EXPSTEP_LARGEST_SUM 0xffff

/* Weights of SIMD_BYTES pixels: even, odd. */
typedef struct
{
  VecU16 before[2];
  VecU16 after[2];
} ExpstepVectorWeights;

ALWAYS_INLINE ExpstepVectorWeights
expstep_load_weights (ExpstepRowWeights weights, int x)
{
  VecU16 b = simd_load16 (weights.before + x);
  VecU16 a = simd_load16 (weights.after + x);

  return (ExpstepVectorWeights) { {b & 0xff, b >> 8}, {a & 0xff, a >> 8} };
}

/* 256 C plus the weighted differences of the neighbours, modulo 65536. */
ALWAYS_INLINE void
expstep_sums (const ExpstepVectorWeights * w, VecU8 own, VecU8 neighbor_before,
    VecU8 neighbor_after, VecU16 sums[2])
{
  const VecU16 c = (VecU16) own, before = (VecU16) neighbor_before;
  const VecU16 after = (VecU16) neighbor_after;
  const VecU16 ce = c & 0xff, co = c >> 8;

  sums[0] = (c << 8) + w->before[0] * ((before & 0xff) - ce)
      + w->after[0] * ((after & 0xff) - ce);
  sums[1] = (c & 0xff00) + w->before[1] * ((before >> 8) - co)
      + w->after[1] * ((after >> 8) - co);
}

ALWAYS_INLINE VecU16
expstep_min_sum (VecU16 a, VecU16 b)
{
  return simd_min16 (a, b);
}

ALWAYS_INLINE VecU8
expstep_mean (const VecU16 sums[2])
{
  return (VecU8) ((sums[0] + 128) >> 8 | ((sums[1] + 128) & 0xff00));
}

ALWAYS_INLINE VecU8
expstep_excess (const VecU16 sums[2], const VecU16 least[2])
{
  const VecU16 highest = simd_set16 (255);

  return (VecU8) (simd_min16 ((sums[0] - least[0] + 64) >> 7, highest)
      | simd_min16 ((sums[1] - least[1] + 64) >> 7, highest) << 8);
}

ALWAYS_INLINE void
expstep_final_sums (VecU16 sums[2])
{
  (void) sums;
}

#endif

#endif /* STEREO_EXPSTEP_SIMD_SUMS_H */
