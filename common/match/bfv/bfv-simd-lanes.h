/* gst-stereomatching: prefix sums of bfv in vectors of 16-bit lanes
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Permutations fetch the prefix sums at the ends of the arms of a vector of
 * pixels: an arm of at most BFV_REACH steps ends in one of the next lanes.
 * AVX-512 selects lanes of two vectors; AVX2 and NEON select bytes of tables of
 * 24 lanes, for each 8 lanes.
 */

#ifndef STEREO_BFV_SIMD_LANES_H
#define STEREO_BFV_SIMD_LANES_H

#include "simd/simd.h"

/* SSE2 has no permutation by a vector of indices. */
#if defined (__AVX2__) || defined (__aarch64__)
#define BFV_HAS_LANES 1
#else
#define BFV_HAS_LANES 0
#endif

#if BFV_HAS_LANES

#define LANES (SIMD_BYTES / 2)
/* The longest arms, in steps. */
#define BFV_REACH 16

/* Where the prefix sums before the first pixel and at the last one are. */
typedef struct
{
  VecU16 first;
  VecU16 last;
} BfvEnds;

/* Lanes of two vectors in turn, in each 16 bytes. */
typedef struct
{
  VecU16 low;
  VecU16 high;
} BfvPair;

#define BFV_ZIP(bits, Native, zip_low, zip_high) \
  ALWAYS_INLINE BfvPair \
  bfv_zip##bits (VecU16 a, VecU16 b) \
  { \
    return (BfvPair) { (VecU16) zip_low ((Native) a, (Native) b), \
      (VecU16) zip_high ((Native) a, (Native) b)}; \
  }

#if defined (__AVX512BW__)

static const uint16_t bfv_lane_numbers[LANES] = {
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
  16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
};

/* Lanes of two vectors that begin BFV_REACH elements earlier. */
ALWAYS_INLINE BfvEnds
bfv_find_ends (VecU16 arms)
{
  const VecU16 lane = simd_load16 (bfv_lane_numbers) + BFV_REACH;

  return (BfvEnds) { lane - (arms & 0xff), lane + (arms >> 8) };
}

ALWAYS_INLINE VecU16
bfv_sum_between (const uint16_t * p, BfvEnds ends)
{
  const uint16_t *begin = p - BFV_REACH;

  return (VecU16) _mm512_permutex2var_epi16 (_mm512_loadu_si512 (begin),
      (__m512i) ends.last, _mm512_loadu_si512 (begin + LANES))
      - (VecU16) _mm512_permutex2var_epi16 (_mm512_loadu_si512 (begin - 1),
      (__m512i) ends.first, _mm512_loadu_si512 (begin - 1 + LANES));
}

/* Inclusive prefix sum of all lanes. */
ALWAYS_INLINE VecU16
bfv_scan (VecU16 sums)
{
  /* the last lane of the previous quarter, and of the one before it */
  const __m512i quarter = _mm512_sub_epi16 (_mm512_or_si512 (_mm512_loadu_si512
          (bfv_lane_numbers), _mm512_set1_epi16 (7)), _mm512_set1_epi16 (8));
  const __m512i half = _mm512_sub_epi16 (quarter, _mm512_set1_epi16 (8));
  __m512i v = (__m512i) sums;

  v = _mm512_add_epi16 (v, _mm512_bslli_epi128 (v, 2));
  v = _mm512_add_epi16 (v, _mm512_bslli_epi128 (v, 4));
  v = _mm512_add_epi16 (v, _mm512_bslli_epi128 (v, 8));
  v = _mm512_add_epi16 (v, _mm512_maskz_permutexvar_epi16 (0xffffff00, quarter,
          v));
  return (VecU16) _mm512_add_epi16 (v, _mm512_maskz_permutexvar_epi16
      (0xffff0000, half, v));
}

/* The last lane in all lanes. */
ALWAYS_INLINE VecU16
bfv_spread_last (VecU16 v)
{
  return (VecU16) _mm512_permutexvar_epi16 (_mm512_set1_epi16 (LANES - 1),
      (__m512i) v);
}

ALWAYS_INLINE VecU16
bfv_multiply_high (VecU16 a, VecU16 b)
{
  return (VecU16) _mm512_mulhi_epu16 ((__m512i) a, (__m512i) b);
}

/* Eight lanes of every eighth row. */
ALWAYS_INLINE VecU16
bfv_load_rows (const uint16_t * p)
{
  __m512i v = _mm512_castsi128_si512 (_mm_load_si128 ((const void *) p));

  v = _mm512_inserti32x4 (v, _mm_load_si128 ((const void *)
          (p + 8 * LANES)), 1);
  v = _mm512_inserti32x4 (v, _mm_load_si128 ((const void *)
          (p + 16 * LANES)), 2);
  return (VecU16) _mm512_inserti32x4 (v, _mm_load_si128 ((const void *)
          (p + 24 * LANES)), 3);
}

BFV_ZIP (16, __m512i, _mm512_unpacklo_epi16, _mm512_unpackhi_epi16)
BFV_ZIP (32, __m512i, _mm512_unpacklo_epi32, _mm512_unpackhi_epi32)
BFV_ZIP (64, __m512i, _mm512_unpacklo_epi64, _mm512_unpackhi_epi64)

#else

/* 2 i and 2 i + 1 for lane i among 8 */
static const uint8_t bfv_lane_bytes[32] = {
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
};

/* Bytes of the tables, two per lane.  As arms are at most BFV_REACH, 24 lanes
 * suffice. */
ALWAYS_INLINE BfvEnds
bfv_find_ends (VecU16 arms)
{
  const VecU8 lane = simd_load8 (bfv_lane_bytes);
  /* both bytes of a lane: its low, and its high byte */
#if defined (__AVX2__)
  const VecU8 left = (VecU8) _mm256_shuffle_epi8 ((__m256i) arms,
      (__m256i) (lane & 0xfe));
  const VecU8 right = (VecU8) _mm256_shuffle_epi8 ((__m256i) arms,
      (__m256i) (lane | 1));
#else
  const VecU8 left = (VecU8) vtrn1q_u8 ((uint8x16_t) arms, (uint8x16_t) arms);
  const VecU8 right = (VecU8) vtrn2q_u8 ((uint8x16_t) arms, (uint8x16_t) arms);
#endif

  return (BfvEnds) { (VecU16) (lane + 2 * BFV_REACH - left - left),
    (VecU16) (lane + right + right)};
}

#if defined (__AVX2__)

/* The highest bit of a byte chooses in a blend. */
ALWAYS_INLINE VecU16
bfv_look_up (const uint16_t * p, VecU16 at)
{
  const __m256i i = (__m256i) at;
  const __m256i low = _mm256_shuffle_epi8 ((__m256i) simd_load16 (p), i);
  const __m256i middle = _mm256_shuffle_epi8 ((__m256i) simd_load16 (p + 8),
      i);
  const __m256i high = _mm256_shuffle_epi8 ((__m256i) simd_load16 (p + 16), i);

  return (VecU16) _mm256_blendv_epi8 (_mm256_blendv_epi8 (low, middle,
          _mm256_slli_epi16 (i, 3)), high, _mm256_slli_epi16 (i, 2));
}

ALWAYS_INLINE VecU16
bfv_scan (VecU16 sums)
{
  __m256i v = (__m256i) sums, low;

  v = _mm256_add_epi16 (v, _mm256_bslli_epi128 (v, 2));
  v = _mm256_add_epi16 (v, _mm256_bslli_epi128 (v, 4));
  v = _mm256_add_epi16 (v, _mm256_bslli_epi128 (v, 8));
  /* the lower half, after zeros */
  low = _mm256_permute2x128_si256 (v, v, 0x08);
  return (VecU16) _mm256_add_epi16 (v, _mm256_shuffle_epi8 (low,
          _mm256_set1_epi16 (0x0f0e)));
}

ALWAYS_INLINE VecU16
bfv_spread_last (VecU16 v)
{
  return (VecU16) _mm256_shuffle_epi8 (_mm256_permute4x64_epi64 ((__m256i) v,
          0xff), _mm256_set1_epi16 (0x0706));
}

ALWAYS_INLINE VecU16
bfv_multiply_high (VecU16 a, VecU16 b)
{
  return (VecU16) _mm256_mulhi_epu16 ((__m256i) a, (__m256i) b);
}

ALWAYS_INLINE VecU16
bfv_load_rows (const uint16_t * p)
{
  return (VecU16) _mm256_inserti128_si256 (_mm256_castsi128_si256 (
          _mm_load_si128 ((const void *) p)), _mm_load_si128 ((const void *)
          (p + 8 * LANES)), 1);
}

BFV_ZIP (16, __m256i, _mm256_unpacklo_epi16, _mm256_unpackhi_epi16)
BFV_ZIP (32, __m256i, _mm256_unpacklo_epi32, _mm256_unpackhi_epi32)
BFV_ZIP (64, __m256i, _mm256_unpacklo_epi64, _mm256_unpackhi_epi64)

#else

ALWAYS_INLINE VecU16
bfv_look_up (const uint16_t * p, VecU16 at)
{
  const uint8x16x3_t table = { {(uint8x16_t) vld1q_u16 (p),
          (uint8x16_t) vld1q_u16 (p + 8), (uint8x16_t) vld1q_u16 (p + 16)}
  };

  return (VecU16) vqtbl3q_u8 (table, (uint8x16_t) at);
}

ALWAYS_INLINE VecU16
bfv_scan (VecU16 sums)
{
  const uint16x8_t zero = vdupq_n_u16 (0);
  uint16x8_t v = (uint16x8_t) sums;

  v = vaddq_u16 (v, vextq_u16 (zero, v, 7));
  v = vaddq_u16 (v, vextq_u16 (zero, v, 6));
  return (VecU16) vaddq_u16 (v, vextq_u16 (zero, v, 4));
}

ALWAYS_INLINE VecU16
bfv_spread_last (VecU16 v)
{
  return (VecU16) vdupq_laneq_u16 ((uint16x8_t) v, LANES - 1);
}

ALWAYS_INLINE VecU16
bfv_multiply_high (VecU16 a, VecU16 b)
{
  const uint16x8_t x = (uint16x8_t) a, y = (uint16x8_t) b;

  return (VecU16) vuzp2q_u16 (vreinterpretq_u16_u32 (vmull_u16 (vget_low_u16
              (x), vget_low_u16 (y))), vreinterpretq_u16_u32 (vmull_high_u16
          (x, y)));
}

ALWAYS_INLINE VecU16
bfv_load_rows (const uint16_t * p)
{
  return simd_load16 (p);
}

BFV_ZIP (16, uint16x8_t, vzip1q_u16, vzip2q_u16)
BFV_ZIP (32, uint32x4_t, vzip1q_u32, vzip2q_u32)
BFV_ZIP (64, uint64x2_t, vzip1q_u64, vzip2q_u64)

#endif

ALWAYS_INLINE VecU16
bfv_sum_between (const uint16_t * p, BfvEnds ends)
{
  return bfv_look_up (p, ends.last) - bfv_look_up (p - 1 - BFV_REACH,
      ends.first);
}

#endif

#endif /* BFV_HAS_LANES */

#endif /* STEREO_BFV_SIMD_LANES_H */
