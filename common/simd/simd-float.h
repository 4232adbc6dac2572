/* gst-stereomatching: vectors of single precision and 32-bit integers
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Like simd.h, which has the sizes.  No function fuses a multiplication with
 * an addition. */

#ifndef STEREO_SIMD_FLOAT_H
#define STEREO_SIMD_FLOAT_H

#include "simd/simd.h"

#if defined (__SSE2__)
#include <immintrin.h>
#endif

typedef float VecF32 __attribute__ ((vector_size (SIMD_BYTES)));

#define SIMD_LANES32 (SIMD_BYTES / 4)

SIMD_MEMORY (_f32, VecF32, float)
SIMD_MEMORY (_i32, VecI32, int32_t)

/* 0, 1, 2, ... */
static inline VecI32
simd_count_i32 (void)
{
  VecI32 v;

  for (int i = 0; i < SIMD_LANES32; i++)
    v[i] = i;
  return v;
}

static inline VecF32
simd_to_f32 (VecI32 v)
{
  return __builtin_convertvector (v, VecF32);
}

/* Nearest integer, half to even; values within +-2^22. */
static inline VecI32
simd_round_i32 (VecF32 v)
{
#if defined (__AVX512BW__)
  return (VecI32) _mm512_cvtps_epi32 ((__m512) v);
#elif defined (__AVX2__)
  return (VecI32) _mm256_cvtps_epi32 ((__m256) v);
#elif defined (__aarch64__)
  return (VecI32) vcvtnq_s32_f32 (v);
#else
  return (VecI32) (v + 12582912.0f) - 0x4b400000;
#endif
}

/* mask ? a : b; lanes of mask are 0 or -1. */
static inline VecF32
simd_select_f32 (VecI32 mask, VecF32 a, VecF32 b)
{
  return (VecF32) (((VecI32) a & mask) | ((VecI32) b & ~mask));
}

/* a < b ? a : b */
static inline VecF32
simd_min_f32 (VecF32 a, VecF32 b)
{
#if defined (__AVX512BW__)
  return (VecF32) _mm512_min_ps ((__m512) a, (__m512) b);
#elif defined (__AVX2__)
  return (VecF32) _mm256_min_ps ((__m256) a, (__m256) b);
#else
  return simd_select_f32 ((VecI32) (a < b), a, b);
#endif
}

/* a > b ? a : b */
static inline VecF32
simd_max_f32 (VecF32 a, VecF32 b)
{
#if defined (__AVX512BW__)
  return (VecF32) _mm512_max_ps ((__m512) a, (__m512) b);
#elif defined (__AVX2__)
  return (VecF32) _mm256_max_ps ((__m256) a, (__m256) b);
#else
  return simd_select_f32 ((VecI32) (a > b), a, b);
#endif
}

/* Whether a > b in any lane. */
static inline int
simd_any_greater_f32 (VecF32 a, VecF32 b)
{
#if defined (__AVX512BW__)
  return _mm512_cmp_ps_mask ((__m512) a, (__m512) b, _CMP_GT_OQ) != 0;
#elif defined (__AVX2__)
  return _mm256_movemask_ps (_mm256_cmp_ps ((__m256) a, (__m256) b,
          _CMP_GT_OQ)) != 0;
#elif defined (__aarch64__)
  return vmaxvq_u32 ((uint32x4_t) (a > b)) != 0;
#else
  VecI32 greater = (VecI32) (a > b);
  int32_t any = 0;

  for (int i = 0; i < SIMD_LANES32; i++)
    any |= greater[i];
  return any;
#endif
}

/* base[index] */
static inline VecF32
simd_gather_f32 (const float *base, VecI32 index)
{
#if defined (__AVX512BW__)
  return (VecF32) _mm512_i32gather_ps ((__m512i) index, base, 4);
#elif defined (__AVX2__)
  return (VecF32) _mm256_i32gather_ps (base, (__m256i) index, 4);
#else
  VecF32 v;

  for (int i = 0; i < SIMD_LANES32; i++)
    v[i] = base[index[i]];
  return v;
#endif
}

/* base[index], and base[index + 1] in next */
static inline VecI32
simd_gather_pairs_i32 (const uint32_t * base, VecI32 index, VecI32 * next)
{
#if defined (__AVX512BW__)
  __m512i low = _mm512_i32gather_epi64 (_mm512_castsi512_si256 ((__m512i)
          index), base, 4);
  __m512i high = _mm512_i32gather_epi64 (_mm512_extracti64x4_epi64 ((__m512i)
          index, 1), base, 4);
  const __m512i even = _mm512_setr_epi32 (0, 2, 4, 6, 8, 10, 12, 14, 16, 18,
      20, 22, 24, 26, 28, 30);
  const __m512i odd = _mm512_setr_epi32 (1, 3, 5, 7, 9, 11, 13, 15, 17, 19,
      21, 23, 25, 27, 29, 31);

  *next = (VecI32) _mm512_permutex2var_epi32 (low, odd, high);
  return (VecI32) _mm512_permutex2var_epi32 (low, even, high);
#elif defined (__AVX2__)
  const long long *pairs = (const long long *) (const void *) base;
  __m256 low = (__m256) _mm256_i32gather_epi64 (pairs,
      _mm256_castsi256_si128 ((__m256i) index), 4);
  __m256 high = (__m256) _mm256_i32gather_epi64 (pairs,
      _mm256_extracti128_si256 ((__m256i) index, 1), 4);
  __m256i even = (__m256i) _mm256_shuffle_ps (low, high, 0x88);
  __m256i odd = (__m256i) _mm256_shuffle_ps (low, high, 0xdd);

  *next = (VecI32) _mm256_permute4x64_epi64 (odd, 0xd8);
  return (VecI32) _mm256_permute4x64_epi64 (even, 0xd8);
#else
  VecI32 v;

  for (int i = 0; i < SIMD_LANES32; i++) {
    v[i] = (int32_t) base[index[i]];
    (*next)[i] = (int32_t) base[index[i] + 1];
  }
  return v;
#endif
}

/* Whether 0 <= at < 2 * SIMD_LANES32 in all lanes, and simd_look_up_f32() is
 * faster than a gather. */
static inline bool
simd_fits_table (VecI32 at)
{
#if defined (__AVX512BW__)
  return _mm512_test_epi32_mask ((__m512i) at, _mm512_set1_epi32 (-32)) == 0;
#elif defined (__AVX2__)
  return _mm256_testz_si256 ((__m256i) at, _mm256_set1_epi32 (-16));
#else
  (void) at;
  return false;
#endif
}

/* table[at] of two vectors. */
static inline VecF32
simd_look_up_f32 (const float *table, VecI32 at)
{
#if defined (__AVX2__)
  return (VecF32) simd_pick32 (simd_load_i32 (table), simd_load_i32 (table
          + SIMD_LANES32), at);
#else
  return simd_gather_f32 (table, at);
#endif
}

/* The first of two vectors around the index of lane 0, within n elements. */
static inline int
simd_table_begin (VecI32 index, int n)
{
  const int begin = index[0] - SIMD_LANES32 / 2;
  const int last = n - 2 * SIMD_LANES32;

  return begin < 0 ? 0 : begin < last ? begin : last;
}

/* simd_gather_f32() and simd_gather_pairs_i32() for indices that increase by
 * about one from lane to lane.  base has n elements, at least two vectors. */
static inline VecF32
simd_gather_near_f32 (const float *base, int n, VecI32 index)
{
  const int begin = simd_table_begin (index, n);

  if (simd_fits_table (index - begin))
    return simd_look_up_f32 (base + begin, index - begin);
  return simd_gather_f32 (base, index);
}

static inline VecI32
simd_gather_near_pairs_i32 (const uint32_t * base, int n, VecI32 index,
    VecI32 * next)
{
  const int begin = simd_table_begin (index, n);
  const float *table = (const float *) (const void *) (base + begin);
  const VecI32 at = index - begin;

  if (!simd_fits_table (at | (at + 1)))
    return simd_gather_pairs_i32 (base, index, next);
  *next = (VecI32) simd_look_up_f32 (table, at + 1);
  return (VecI32) simd_look_up_f32 (table, at);
}

/* Low half times low half plus high half times high half, all signed. */
static inline VecI32
simd_pairs_i32 (VecI32 a, VecI32 b)
{
#if defined (__AVX512BW__)
  return (VecI32) _mm512_madd_epi16 ((__m512i) a, (__m512i) b);
#elif defined (__AVX2__)
  return (VecI32) _mm256_madd_epi16 ((__m256i) a, (__m256i) b);
#elif defined (__SSE2__)
  return (VecI32) _mm_madd_epi16 ((__m128i) a, (__m128i) b);
#elif defined (__aarch64__)
  const int16x8_t x = (int16x8_t) a, y = (int16x8_t) b;

  return (VecI32) vpaddq_s32 (vmull_s16 (vget_low_s16 (x), vget_low_s16 (y)),
      vmull_high_s16 (x, y));
#else
  return (a << 16 >> 16) * (b << 16 >> 16) + (a >> 16) * (b >> 16);
#endif
}

#endif /* STEREO_SIMD_FLOAT_H */
