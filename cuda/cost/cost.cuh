/* gst-stereomatching: matching costs on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Differences of the samples of a cost, several of them in the bytes or halves
 * of a word.  Samples are words (cost/words.h), bytes of luma, or 0x00BBGGRR.
 * Algorithms truncate and scale the results.
 */

#ifndef STEREO_COST_CUH
#define STEREO_COST_CUH

#include "core/device.cuh"
#include "cost/cost.h"
#include "cost/difference.h"
#include "cost/partner.h"
#include "cost/words-formula.h"

/* The views that a cost compares. */
static inline StereoView
stereo_cost_view (StereoCostKind kind, const StereoView & view,
    const StereoWords & words)
{
  return stereo_cost_uses_words (kind)
      ? StereoView { { words.plane[0] }, words.stride } : view;
}

/* Adds the absolute differences of four bytes to `start`. */
static __device__ __forceinline__ uint32_t
add_differences (uint32_t p, uint32_t q, uint32_t start)
{
  uint32_t result;

  asm ("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;":"=r" (result):"r" (p),
      "r" (q), "r" (start));
  return result;
}

/* -------------------------------------------------------------------- words */

/* Bits of two words that differ. */
static __device__ __forceinline__ uint32_t
differing_bits (uint32_t p, uint32_t q)
{
  return (uint32_t) __popc ((p ^ q) & 0xffffff);
}

/* C of four pairs of words, in bytes, the first pair in the lowest.  The
 * gradients of four are compared together. */
static __device__ __forceinline__ uint32_t
words_cost_bytes (const uint32_t (&left)[4], const uint32_t (&right)[4])
{
  const uint32_t most = splat_u16 (STEREO_WORDS_MAX_LEVELS);
  uint32_t word = 0, difference[4], levels, even, odd;

#pragma unroll
  for (int i = 0; i < 4; i++) {
    difference[i] = __vabsdiffu4 (left[i], right[i]);
    word += differing_bits (left[i], right[i])
        * ((uint32_t) STEREO_WORDS_BIT_COST << 8 * i);
  }
  levels = __byte_perm (__byte_perm (difference[0], difference[1], 0x73),
      __byte_perm (difference[2], difference[3], 0x73), 0x5410);
  even = levels & 0x00ff00ff;
  odd = levels - even;
  return word + __vminu2 (even, most) * STEREO_WORDS_LEVEL_COST
      + __vminu2 (odd, most << 8) * STEREO_WORDS_LEVEL_COST;
}

/* The same for a single left word. */
static __device__ __forceinline__ uint32_t
words_cost_bytes (uint32_t left, const uint32_t (&right)[4])
{
  const uint32_t most = splat_u16 (STEREO_WORDS_MAX_LEVELS);
  const uint32_t levels = __vabsdiffu4 (__byte_perm (left, 0, 0x3333),
      __byte_perm (__byte_perm (right[0], right[1], 0x0073),
          __byte_perm (right[2], right[3], 0x0073), 0x5410));
  const uint32_t even = __vminu2 (__byte_perm (levels, 0, 0x4240), most);
  const uint32_t odd = __vminu2 (__byte_perm (levels, 0, 0x4341), most);
  uint32_t bits[4];

#pragma unroll
  for (int i = 0; i < 4; i++)
    bits[i] = differing_bits (left, right[i]);
  /* multiplications and additions run in units that shifts do not use */
  return STEREO_WORDS_BIT_COST * ((bits[0] + 65536 * bits[2])
      + 256 * (bits[1] + 65536 * bits[3]))
      + STEREO_WORDS_LEVEL_COST * (even + 256 * odd);
}

/* C of two pairs of words times FACTOR, plus `start`, in halves. */
template < uint32_t FACTOR > static __device__ __forceinline__ uint32_t
words_cost_scaled (uint32_t p0, uint32_t q0, uint32_t p1, uint32_t q1,
    uint32_t start)
{
  const uint32_t bit_cost = FACTOR * STEREO_WORDS_BIT_COST;
  const uint32_t bits = bit_cost * differing_bits (p0, q0)
      + ((bit_cost << 16) * differing_bits (p1, q1) + start);
  const uint32_t levels = __vminu2 (__byte_perm (__vabsdiffu4 (p0, q0),
          __vabsdiffu4 (p1, q1), 0x7733) & 0x00ff00ffu,
      splat_u16 (STEREO_WORDS_MAX_LEVELS));

  return bits + FACTOR * STEREO_WORDS_LEVEL_COST * levels;
}

#endif /* STEREO_COST_CUH */
