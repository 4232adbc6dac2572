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

/* C of four pairs of words, in bytes, the first pair in the lowest.  bits: of
 * each pair; even, odd: levels of pairs 0 and 2, and of 1 and 3, in the high
 * bytes of halves, whose low bytes may be anything. */
static __device__ __forceinline__ uint32_t
words_cost_of (const uint32_t (&bits)[4], uint32_t even, uint32_t odd)
{
  const uint32_t most = splat_u16 (STEREO_WORDS_MAX_LEVELS << 8 | 0xff);
  const uint32_t levels = __byte_perm (__vminu2 (even, most),
      __vminu2 (odd, most), 0x7351);

  return multiply_add (multiply_add (multiply_add (bits[3], 65536, bits[1]),
          256, multiply_add (bits[2], 65536, bits[0])), STEREO_WORDS_BIT_COST,
      STEREO_WORDS_LEVEL_COST * levels);
}

static __device__ __forceinline__ uint32_t
words_cost_bytes (const uint32_t (&left)[4], const uint32_t (&right)[4])
{
  uint32_t bits[4], levels[4];

#pragma unroll
  for (int i = 0; i < 4; i++) {
    bits[i] = differing_bits (left[i], right[i]);
    levels[i] = __vabsdiffu4 (left[i], right[i]);
  }
  return words_cost_of (bits, __byte_perm (levels[0], levels[2], 0x7733),
      __byte_perm (levels[1], levels[3], 0x7733));
}

/* The same for a single left word. */
static __device__ __forceinline__ uint32_t
words_cost_bytes (uint32_t left, const uint32_t (&right)[4])
{
  const uint32_t levels = __vabsdiffu4 (__byte_perm (left, 0, 0x3333),
      __byte_perm (__byte_perm (right[0], right[1], 0x0073),
          __byte_perm (right[2], right[3], 0x0073), 0x5410));
  uint32_t bits[4];

#pragma unroll
  for (int i = 0; i < 4; i++)
    bits[i] = differing_bits (left, right[i]);
  return words_cost_of (bits, 256 * levels, levels);
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
