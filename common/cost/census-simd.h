/* gst-stereomatching: the census cost of vectors of pixels
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * C of SIMD_BYTES pixels at a time, from the planes of bytes that the CPU keeps
 * words in (StereoCensus).  The bits that differ are counted in two bytes
 * instead of three: those of the sum of the three bits at each place, and those
 * of its carry, which count twice.
 */

#ifndef STEREO_CENSUS_SIMD_H
#define STEREO_CENSUS_SIMD_H

#include "cost/census-pixel.h"
#include "cost/partner.h"
#include "simd/simd.h"

/* The words of neighbouring pixels. */
typedef struct
{
  VecU8 bits[3];
  VecU8 gradient;
} SimdCensus;

/* Those from column x of row y on; x from -STEREO_CENSUS_MARGIN to the row's
 * end. */
ALWAYS_INLINE SimdCensus
simd_census_load (const StereoCensus * census, int x, int y)
{
  const ptrdiff_t at = (ptrdiff_t) ((size_t) y * census->stride) + x;
  SimdCensus v;

  for (int i = 0; i < 3; i++)
    memcpy (&v.bits[i], census->plane[i] + at, SIMD_BYTES);
  memcpy (&v.gradient, census->plane[3] + at, SIMD_BYTES);
  return v;
}

/* The same word for all: of one pixel to be compared with many. */
ALWAYS_INLINE SimdCensus
simd_census_set (const StereoCensus * census, int x, int y)
{
  const size_t at = (size_t) y * census->stride + (size_t) x;
  SimdCensus v;

  for (int i = 0; i < 3; i++)
    v.bits[i] = (VecU8) { 0 } + census->plane[i][at];
  v.gradient = (VecU8) { 0 } + census->plane[3][at];
  return v;
}

/* 8 popcount (sum) + 16 popcount (carry), byte by byte. */
ALWAYS_INLINE VecU8
simd_census_count (VecU8 sum, VecU8 carry)
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
  VecU8 s = sum - (sum >> 1 & 0x55), c = carry - (carry >> 1 & 0x55);

  s = (s & 0x33) + (s >> 2 & 0x33);
  c = (c & 0x33) + (c >> 2 & 0x33);
  s = (s & 0x0f) + (s >> 4);
  c = (c & 0x0f) + (c >> 4);
  return (s + c + c) << 3;
#endif
}

/* C of pixel after pixel, 0 to STEREO_CENSUS_MAX_COST. */
ALWAYS_INLINE VecU8
simd_census_cost (const SimdCensus * p, const SimdCensus * q)
{
  const VecU8 x = p->bits[0] ^ q->bits[0];
  const VecU8 y = p->bits[1] ^ q->bits[1];
  const VecU8 z = p->bits[2] ^ q->bits[2];
  const VecU8 levels = simd_min8 (simd_absdiff8 (p->gradient, q->gradient),
      (VecU8) { 0 } + STEREO_CENSUS_MAX_LEVELS);
  const VecU8 bits = simd_census_count (x ^ y ^ z, (x & y) | (z & (x ^ y)));

  /* 7 levels, at most 56; no byte is shifted into its neighbour */
  return bits + (VecU8) ((VecU16) levels << 3) - levels;
}

/*
 * C of row y of both views with disparity d, |d| < width, for all columns, with
 * the rule for those without a partner.  cost has room for width bytes.
 */
ALWAYS_INLINE void
simd_census_cost_row (const StereoCensus * left, const StereoCensus * right,
    int width, int y, int d, uint8_t * cost)
{
  const int first = stereo_partner_first (d);
  const int last = stereo_partner_last (width, d);

  for (int x = first; x <= last; x += SIMD_BYTES) {
    const SimdCensus p = simd_census_load (left, x, y);
    const SimdCensus q = simd_census_load (right, x - d, y);
    const VecU8 c = simd_census_cost (&p, &q);

    if (x + SIMD_BYTES - 1 <= last)
      memcpy (cost + x, &c, SIMD_BYTES);
    else
      memcpy (cost + x, &c, (size_t) (last - x + 1));
  }
  memset (cost, cost[first], (size_t) first);
  memset (cost + last + 1, cost[last], (size_t) (width - 1 - last));
}

#endif /* STEREO_CENSUS_SIMD_H */
