/* gst-stereomatching: SIMD matching costs
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * C of SIMD_BYTES pixels at a time, from the byte planes of StereoWords.  A
 * carry-save adder reduces the three bytes of differing bits to a sum and a
 * carry, so that two population counts suffice.
 */

#ifndef STEREO_COST_SIMD_H
#define STEREO_COST_SIMD_H

#include "cost/words-formula.h"
#include "simd/simd.h"

/* Words of adjacent pixels, by byte. */
typedef struct
{
  VecU8 plane[4];
} SimdWords;

/* From an offset in byte planes on.  Not a loop: -O2 would keep it, and the
 * planes in memory. */
ALWAYS_INLINE SimdWords
simd_words_load_at (const uint8_t * const plane[4], ptrdiff_t at)
{
  return (SimdWords) {
    {simd_load8 (plane[0] + at), simd_load8 (plane[1] + at),
        simd_load8 (plane[2] + at), simd_load8 (plane[3] + at)}
  };
}

/* From column x of row y on; x is at least -STEREO_WORDS_MARGIN. */
ALWAYS_INLINE SimdWords
simd_words_load (const StereoWords * words, int x, int y)
{
  return simd_words_load_at (words->plane,
      (ptrdiff_t) ((size_t) y * words->stride) + x);
}

/* The word of one pixel in all lanes. */
ALWAYS_INLINE SimdWords
simd_words_set_at (const uint8_t * const plane[4], ptrdiff_t at)
{
  return (SimdWords) {
    {simd_set8 (plane[0][at]), simd_set8 (plane[1][at]),
        simd_set8 (plane[2][at]), simd_set8 (plane[3][at])}
  };
}

/* 8 popcount (sum) + 16 popcount (carry) per byte. */
ALWAYS_INLINE VecU8
simd_words_count (VecU8 sum, VecU8 carry)
{
#if defined (__AVX512BW__)
  const __m512i low = _mm512_set1_epi8 (15);
  const __m512i ones = _mm512_broadcast_i32x4 (_mm_setr_epi8 (0, 8, 8, 16, 8,
          16, 16, 24, 8, 16, 16, 24, 16, 24, 24, 32));
  const __m512i twos = _mm512_add_epi8 (ones, ones);
  const __m512i s = (__m512i) sum, c = (__m512i) carry;
  __m512i n = _mm512_shuffle_epi8 (ones, _mm512_and_si512 (s, low));

  n = _mm512_add_epi8 (n, _mm512_shuffle_epi8 (ones,
          _mm512_and_si512 (_mm512_srli_epi16 (s, 4), low)));
  n = _mm512_add_epi8 (n, _mm512_shuffle_epi8 (twos,
          _mm512_and_si512 (c, low)));
  return (VecU8) _mm512_add_epi8 (n, _mm512_shuffle_epi8 (twos,
          _mm512_and_si512 (_mm512_srli_epi16 (c, 4), low)));
#elif defined (__AVX2__)
  const __m256i low = _mm256_set1_epi8 (15);
  const __m256i ones = _mm256_broadcastsi128_si256 (_mm_setr_epi8 (0, 8, 8, 16,
          8, 16, 16, 24, 8, 16, 16, 24, 16, 24, 24, 32));
  const __m256i twos = _mm256_add_epi8 (ones, ones);
  const __m256i s = (__m256i) sum, c = (__m256i) carry;
  __m256i n = _mm256_shuffle_epi8 (ones, _mm256_and_si256 (s, low));

  n = _mm256_add_epi8 (n, _mm256_shuffle_epi8 (ones,
          _mm256_and_si256 (_mm256_srli_epi16 (s, 4), low)));
  n = _mm256_add_epi8 (n, _mm256_shuffle_epi8 (twos,
          _mm256_and_si256 (c, low)));
  return (VecU8) _mm256_add_epi8 (n, _mm256_shuffle_epi8 (twos,
          _mm256_and_si256 (_mm256_srli_epi16 (c, 4), low)));
#else
  const VecU8 c = simd_count_ones8 (carry);

  return (simd_count_ones8 (sum) + c + c) << 3;
#endif
}

/* C per pixel, 0 to STEREO_WORDS_MAX_COST. */
ALWAYS_INLINE VecU8
simd_words_cost (const SimdWords * p, const SimdWords * q)
{
  const VecU8 x = p->plane[0] ^ q->plane[0];
  const VecU8 y = p->plane[1] ^ q->plane[1];
  const VecU8 z = p->plane[2] ^ q->plane[2];
  const VecU8 levels = simd_min8 (simd_absdiff8 (p->plane[3], q->plane[3]),
      (VecU8) { 0 } + STEREO_WORDS_MAX_LEVELS);
  const VecU8 bits = simd_words_count (x ^ y ^ z, (x & y) | (z & (x ^ y)));

  /* 7 levels, at most 56: the shift never crosses bytes */
  return bits + (VecU8) ((VecU16) levels << 3) - levels;
}

/* C of SIMD_BYTES pixels from offsets in the byte planes of both views on. */
ALWAYS_INLINE VecU8
simd_words_cost_at (const uint8_t * const left[4], ptrdiff_t left_at,
    const uint8_t * const right[4], ptrdiff_t right_at)
{
  const SimdWords p = simd_words_load_at (left, left_at);
  const SimdWords q = simd_words_load_at (right, right_at);

  return simd_words_cost (&p, &q);
}

/* Absolute differences of SIMD_BYTES pixels, summed over n planes: of the
 * pixels in even lanes, and of those in odd ones. */
ALWAYS_INLINE void
simd_difference_sums (const uint8_t * const left[], ptrdiff_t left_at,
    const uint8_t * const right[], ptrdiff_t right_at, int n, VecU16 * even,
    VecU16 * odd)
{
  *even = *odd = (VecU16) { 0 };
  for (int c = 0; c < n; c++) {
    const VecU16 difference =
        (VecU16) simd_absdiff8 ((VecU8) simd_load16 (left[c] + left_at),
        (VecU8) simd_load16 (right[c] + right_at));

    *even += difference & 0xff;
    *odd += difference >> 8;
  }
}

#endif /* STEREO_COST_SIMD_H */
