/* gst-stereomatching: SIMD vectors of the target instruction set
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * GCC's vector extensions, 16 bytes wide, or 32 with AVX2, or 64 with AVX-512.
 * Arithmetic operators work lane by lane, modulo the lane's size.
 *
 * A vector of 16-bit lanes loaded from a row of bytes holds two pixels in each
 * lane, the even one in the low byte.  v & 0xff and v >> 8 separate them
 * without a shuffle.
 */

#ifndef STEREO_SIMD_H
#define STEREO_SIMD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the vector code is written for little-endian machines"
#endif

#if defined (__AVX512BW__)
#define SIMD_BYTES 64
#elif defined (__AVX2__)
#define SIMD_BYTES 32
#else
#define SIMD_BYTES 16
#endif

#if defined (__SSE2__)
#include <immintrin.h>
#elif defined (__aarch64__)
#include <arm_neon.h>
#endif

#define SIMD_ALIGNMENT 64

/* name_avx2 and so on: external symbols of files that are compiled once per
 * instruction set, with STEREO_SIMD_NAME its name. */
#define SIMD_NAME(name) SIMD_JOIN (name, STEREO_SIMD_NAME)
#define SIMD_JOIN(a, b) SIMD_JOIN_ (a, b)
#define SIMD_JOIN_(a, b) a##b

#define ALWAYS_INLINE static inline __attribute__ ((always_inline))

/* The given lanes of a, followed by b, of integers: a vector of the same size.
 * GCC 12 and Clang have the first builtin, older GCC the second. */
#if defined (__clang__) || __GNUC__ >= 12
#define SIMD_SHUFFLE(a, b, ...) __builtin_shufflevector (a, b, __VA_ARGS__)
#else
#define SIMD_SHUFFLE(a, b, ...) \
  __builtin_shuffle (a, b, (__typeof__ (a)) { __VA_ARGS__ })
#endif

typedef uint8_t VecU8 __attribute__ ((vector_size (SIMD_BYTES)));
typedef int8_t VecI8 __attribute__ ((vector_size (SIMD_BYTES)));
typedef uint16_t VecU16 __attribute__ ((vector_size (SIMD_BYTES)));
typedef int16_t VecI16 __attribute__ ((vector_size (SIMD_BYTES)));
typedef uint32_t VecU32 __attribute__ ((vector_size (SIMD_BYTES)));
typedef int32_t VecI32 __attribute__ ((vector_size (SIMD_BYTES)));
typedef uint64_t VecU64 __attribute__ ((vector_size (SIMD_BYTES)));

/* simd_load##suffix() and simd_store##suffix(), unaligned, and
 * simd_set##suffix(), which sets all lanes to x. */
#define SIMD_MEMORY(suffix, Vec, Lane) \
  static inline Vec \
  simd_load##suffix (const void *p) \
  { \
    Vec v; \
  \
    memcpy (&v, p, sizeof (v)); \
    return v; \
  } \
  static inline void \
  simd_store##suffix (void *p, Vec v) \
  { \
    memcpy (p, &v, sizeof (v)); \
  } \
  static inline Vec \
  simd_set##suffix (Lane x) \
  { \
    return (Vec) { 0 } + x; \
  }

SIMD_MEMORY (8, VecU8, uint8_t)
SIMD_MEMORY (16, VecU16, uint16_t)
SIMD_MEMORY (_i16, VecI16, int16_t)
SIMD_MEMORY (32, VecU32, uint32_t)

/* Stores to an aligned address; with AVX past the caches, which saves reading
 * the cache line first.  simd_finish_streams() must precede the release of
 * the data to another thread. */
static inline void
simd_stream8 (void *p, VecU8 v)
{
#if defined (__AVX512BW__)
  _mm512_stream_si512 (p, (__m512i) v);
#elif defined (__AVX2__)
  _mm256_stream_si256 (p, (__m256i) v);
#else
  simd_store8 (p, v);
#endif
}

static inline void
simd_finish_streams (void)
{
#if defined (__AVX2__)
  _mm_sfence ();
#endif
}

/* Vectors of half the size, for lanes of half the width. */
typedef uint8_t HalfVecU8 __attribute__ ((vector_size (SIMD_BYTES / 2)));
typedef uint16_t HalfVecU16 __attribute__ ((vector_size (SIMD_BYTES / 2)));

/* An x86 instruction of whole vectors, and its operand type. */
#if defined (__AVX512BW__)
#define SIMD_X86(instruction) _mm512_##instruction
typedef __m512i SimdX86;
#elif defined (__AVX2__)
#define SIMD_X86(instruction) _mm256_##instruction
typedef __m256i SimdX86;
#endif

/* Vec name (Vec a, Vec b), such an instruction. */
#define SIMD_BINARY(name, Vec, instruction) \
  static inline Vec \
  name (Vec a, Vec b) \
  { \
    return (Vec) SIMD_X86 (instruction) ((SimdX86) a, (SimdX86) b); \
  }

/* Vec name (Vec a, Vec b): expression ? a : b, which instruction, or neon on
 * ARM, computes as well. */
#if defined (__AVX2__)
#define SIMD_CHOOSE(name, Vec, instruction, neon, expression) \
  SIMD_BINARY (name, Vec, instruction)
#elif defined (__aarch64__)
#define SIMD_CHOOSE(name, Vec, instruction, neon, expression) \
  static inline Vec \
  name (Vec a, Vec b) \
  { \
    return (Vec) neon (a, b); \
  }
#else
#define SIMD_CHOOSE(name, Vec, instruction, neon, expression) \
  static inline Vec \
  name (Vec a, Vec b) \
  { \
    const Vec mask = (Vec) (expression); \
  \
    return (a & mask) | (b & ~mask); \
  }
#endif

SIMD_CHOOSE (simd_min8, VecU8, min_epu8, vminq_u8, a < b)
SIMD_CHOOSE (simd_max8, VecU8, max_epu8, vmaxq_u8, a > b)
SIMD_CHOOSE (simd_min16, VecU16, min_epu16, vminq_u16, a < b)
SIMD_CHOOSE (simd_max16, VecU16, max_epu16, vmaxq_u16, a > b)
SIMD_CHOOSE (simd_min_i16, VecI16, min_epi16, vminq_s16, a < b)
SIMD_CHOOSE (simd_max_i16, VecI16, max_epi16, vmaxq_s16, a > b)
SIMD_CHOOSE (simd_min32, VecU32, min_epu32, vminq_u32, a < b)

/* a < b ? all ones : 0 */
static inline VecU16
simd_less16 (VecU16 a, VecU16 b)
{
#if defined (__AVX2__) && !defined (__AVX512BW__)
  return ~(VecU16) (simd_min16 (a, b) == b);
#else
  return (VecU16) (a < b);
#endif
}

/* Returns cost < *best ? new_index : index; *best becomes the minimum. */
static inline VecU16
simd_keep_best16 (VecU16 cost, VecU16 * best, VecU16 new_index, VecU16 index)
{
#if defined (__AVX512BW__)
  __mmask32 less = _mm512_cmplt_epu16_mask ((__m512i) cost, (__m512i) *best);

  *best = simd_min16 (cost, *best);
  return (VecU16) _mm512_mask_mov_epi16 ((__m512i) index, less,
      (__m512i) new_index);
#elif defined (__AVX2__)
  VecU16 least = simd_min16 (cost, *best);
  __m256i same = _mm256_cmpeq_epi16 ((__m256i) least, (__m256i) *best);

  *best = least;
  return (VecU16) _mm256_blendv_epi8 ((__m256i) new_index, (__m256i) index,
      same);
#else
  VecU16 less = (VecU16) (cost < *best);

  *best = (cost & less) | (*best & ~less);
  return (new_index & less) | (index & ~less);
#endif
}

/* A mask with a Boolean per 16-bit lane, in the fastest representation. */
#if defined (__AVX512BW__)
typedef __mmask32 SimdMask16;

static inline SimdMask16
simd_mask_less16 (VecU16 a, VecU16 b)
{
  return _mm512_cmplt_epu16_mask ((__m512i) a, (__m512i) b);
}

static inline SimdMask16
simd_mask_equal16 (VecU16 a, VecU16 b)
{
  return _mm512_cmpeq_epi16_mask ((__m512i) a, (__m512i) b);
}

/* mask ? a : b */
static inline VecU16
simd_select16 (SimdMask16 mask, VecU16 a, VecU16 b)
{
  return (VecU16) _mm512_mask_mov_epi16 ((__m512i) b, mask, (__m512i) a);
}
#else
typedef VecU16 SimdMask16;

static inline SimdMask16
simd_mask_less16 (VecU16 a, VecU16 b)
{
#if defined (__AVX2__)
  __m256i not_less = _mm256_cmpeq_epi16 (_mm256_max_epu16 ((__m256i) a,
          (__m256i) b), (__m256i) a);

  return ~(VecU16) not_less;
#else
  return (VecU16) (a < b);
#endif
}

static inline SimdMask16
simd_mask_equal16 (VecU16 a, VecU16 b)
{
  return (VecU16) (a == b);
}

static inline VecU16
simd_select16 (SimdMask16 mask, VecU16 a, VecU16 b)
{
  return (a & mask) | (b & ~mask);
}
#endif

/* a > b, signed. */
static inline SimdMask16
simd_mask_greater_i16 (VecI16 a, VecI16 b)
{
#if defined (__AVX512BW__)
  return _mm512_cmpgt_epi16_mask ((__m512i) a, (__m512i) b);
#else
  return (VecU16) (a > b);
#endif
}

/* mask ? a + b : a */
static inline VecU16
simd_add_where16 (SimdMask16 mask, VecU16 a, VecU16 b)
{
#if defined (__AVX512BW__)
  return (VecU16) _mm512_mask_add_epi16 ((__m512i) a, mask, (__m512i) a,
      (__m512i) b);
#else
  return a + (b & mask);
#endif
}

/* One bit per lane, the first lane lowest. */
static inline uint32_t
simd_mask_bits16 (SimdMask16 mask)
{
#if defined (__AVX512BW__)
  return mask;
#elif defined (__AVX2__)
  return (uint32_t) _mm_movemask_epi8 (_mm_packs_epi16 (_mm256_castsi256_si128
          ((__m256i) mask), _mm256_extracti128_si256 ((__m256i) mask, 1)));
#elif defined (__SSE2__)
  return (uint32_t) _mm_movemask_epi8 (_mm_packs_epi16 ((__m128i) mask,
          _mm_setzero_si128 ()));
#elif defined (__aarch64__)
  const VecU16 bit = { 1, 2, 4, 8, 16, 32, 64, 128 };

  return vaddvq_u16 (mask & bit);
#else
  uint32_t bits = 0;

  for (int i = 0; i < SIMD_BYTES / 2; i++)
    bits |= (uint32_t) (mask[i] & 1) << i;
  return bits;
#endif
}

static inline VecU32
simd_keep_best32 (VecU32 cost, VecU32 * best, VecU32 new_index, VecU32 index)
{
  VecU32 less = (VecU32) (cost < *best);

  *best = simd_min32 (cost, *best);
  return (new_index & less) | (index & ~less);
}

#if defined (__AVX2__)
/* Lanes of two vectors, by indices from 0 to twice the lanes - 1. */
static inline VecI32
simd_pick32 (VecI32 low, VecI32 high, VecI32 index)
{
#if defined (__AVX512BW__)
  return (VecI32) _mm512_permutex2var_epi32 ((__m512i) low, (__m512i) index,
      (__m512i) high);
#else
  /* the highest bit of a lane chooses the vector */
  return (VecI32) _mm256_blendv_ps ((__m256) _mm256_permutevar8x32_epi32 (
          (__m256i) low, (__m256i) index),
      (__m256) _mm256_permutevar8x32_epi32 ((__m256i) high, (__m256i) index),
      (__m256) _mm256_slli_epi32 ((__m256i) index, 28));
#endif
}
#endif

/* Loads unsigned bytes or words into lanes of twice the width. */
static inline VecU16
simd_widen8 (const uint8_t * p)
{
#if defined (__AVX512BW__)
  return (VecU16) _mm512_cvtepu8_epi16 (_mm256_loadu_si256 ((const void *) p));
#elif defined (__AVX2__)
  return (VecU16) _mm256_cvtepu8_epi16 (_mm_loadu_si128 ((const void *) p));
#elif defined (__aarch64__)
  return (VecU16) vmovl_u8 (vld1_u8 (p));
#else
  HalfVecU8 v;

  memcpy (&v, p, sizeof (v));
  return __builtin_convertvector (v, VecU16);
#endif
}

static inline VecU32
simd_widen16 (const uint16_t * p)
{
#if defined (__AVX512BW__)
  return (VecU32) _mm512_cvtepu16_epi32 (_mm256_loadu_si256 (
          (const void *) p));
#elif defined (__AVX2__)
  return (VecU32) _mm256_cvtepu16_epi32 (_mm_loadu_si128 ((const void *) p));
#elif defined (__aarch64__)
  return (VecU32) vmovl_u16 (vld1_u16 (p));
#else
  HalfVecU16 v;

  memcpy (&v, p, sizeof (v));
  return __builtin_convertvector (v, VecU32);
#endif
}

static inline VecU32
simd_widen8_to_32 (const uint8_t * p)
{
#if defined (__aarch64__)
  uint32_t bytes;

  memcpy (&bytes, p, sizeof (bytes));
  return (VecU32) vmovl_u16 (vget_low_u16 (vmovl_u8 (vcreate_u8 (bytes))));
#else
  typedef uint8_t Quarter __attribute__ ((vector_size (SIMD_BYTES / 4)));
  Quarter v;

  memcpy (&v, p, sizeof (v));
  return __builtin_convertvector (v, VecU32);
#endif
}

/* The low halves of all lanes. */
static inline HalfVecU8
simd_narrow16 (VecU16 v)
{
#if defined (__aarch64__)
  return (HalfVecU8) vmovn_u16 (v);
#else
  return __builtin_convertvector (v, HalfVecU8);
#endif
}

static inline HalfVecU16
simd_narrow32 (VecU32 v)
{
#if defined (__aarch64__)
  return (HalfVecU16) vmovn_u32 (v);
#else
  return __builtin_convertvector (v, HalfVecU16);
#endif
}

/* The sums of the halves of all lanes, of a and then of b. */
static inline VecU16
simd_add_halves32 (VecU32 a, VecU32 b)
{
#if defined (__AVX512BW__)
  const VecU16 low = { 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28,
    30, 32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62
  };

  return (VecU16) _mm512_permutex2var_epi16 ((__m512i) a, (__m512i) low,
      (__m512i) b) + (VecU16) _mm512_permutex2var_epi16 ((__m512i) a,
      (__m512i) (low + 1), (__m512i) b);
#elif defined (__AVX2__)
  return (VecU16) _mm256_permute4x64_epi64 (_mm256_hadd_epi16 ((__m256i) a,
          (__m256i) b), 0xd8);
#elif defined (__aarch64__)
  return (VecU16) vpaddq_u16 ((uint16x8_t) a, (uint16x8_t) b);
#else
  return SIMD_SHUFFLE ((VecU16) a, (VecU16) b, 0, 2, 4, 6, 8, 10, 12, 14)
      + SIMD_SHUFFLE ((VecU16) a, (VecU16) b, 1, 3, 5, 7, 9, 11, 13, 15);
#endif
}

/* Shifts by one lane across vectors: lane i gets lane i - 1 (simd_before) or
 * i + 1 (simd_behind) of v, the outermost lane that of the adjacent vector. */
static inline VecU16
simd_before16 (VecU16 before, VecU16 v)
{
#if defined (__AVX512BW__)
  return (VecU16) _mm512_alignr_epi8 ((__m512i) v,
      _mm512_alignr_epi64 ((__m512i) v, (__m512i) before, 6), 14);
#elif defined (__AVX2__)
  return (VecU16) _mm256_alignr_epi8 ((__m256i) v,
      _mm256_permute2x128_si256 ((__m256i) before, (__m256i) v, 0x21), 14);
#else
  return SIMD_SHUFFLE (before, v, 7, 8, 9, 10, 11, 12, 13, 14);
#endif
}

static inline VecU16
simd_behind16 (VecU16 v, VecU16 behind)
{
#if defined (__AVX512BW__)
  return (VecU16) _mm512_alignr_epi8 (_mm512_alignr_epi64 ((__m512i) behind,
          (__m512i) v, 2), (__m512i) v, 2);
#elif defined (__AVX2__)
  return (VecU16) _mm256_alignr_epi8 (_mm256_permute2x128_si256 ((__m256i) v,
          (__m256i) behind, 0x21), (__m256i) v, 2);
#else
  return SIMD_SHUFFLE (v, behind, 1, 2, 3, 4, 5, 6, 7, 8);
#endif
}

static inline VecU32
simd_before32 (VecU32 before, VecU32 v)
{
#if defined (__AVX512BW__)
  return (VecU32) _mm512_alignr_epi32 ((__m512i) v, (__m512i) before, 15);
#elif defined (__AVX2__)
  return (VecU32) _mm256_alignr_epi8 ((__m256i) v,
      _mm256_permute2x128_si256 ((__m256i) before, (__m256i) v, 0x21), 12);
#else
  return SIMD_SHUFFLE (before, v, 3, 4, 5, 6);
#endif
}

/* Whether any byte is nonzero. */
static inline bool
simd_any8 (VecU8 a)
{
#if defined (__AVX512BW__)
  return _mm512_test_epi8_mask ((__m512i) a, (__m512i) a) != 0;
#elif defined (__AVX2__)
  return !_mm256_testz_si256 ((__m256i) a, (__m256i) a);
#elif defined (__aarch64__)
  return vmaxvq_u32 ((uint32x4_t) a) != 0;
#else
  uint64_t words[SIMD_BYTES / 8], any = 0;

  memcpy (words, &a, sizeof (a));
  for (int i = 0; i < SIMD_BYTES / 8; i++)
    any |= words[i];
  return any != 0;
#endif
}

/* a + b, at most 255. */
static inline VecU8
simd_add_saturated8 (VecU8 a, VecU8 b)
{
#if defined (__AVX512BW__)
  return (VecU8) _mm512_adds_epu8 ((__m512i) a, (__m512i) b);
#elif defined (__AVX2__)
  return (VecU8) _mm256_adds_epu8 ((__m256i) a, (__m256i) b);
#elif defined (__aarch64__)
  return (VecU8) vqaddq_u8 (a, b);
#else
  VecU8 sum = a + b;

  return sum | (VecU8) (sum < a);
#endif
}

/* a + b, from -32768 to 32767. */
static inline VecI16
simd_add_saturated_i16 (VecI16 a, VecI16 b)
{
#if defined (__AVX512BW__)
  return (VecI16) _mm512_adds_epi16 ((__m512i) a, (__m512i) b);
#elif defined (__AVX2__)
  return (VecI16) _mm256_adds_epi16 ((__m256i) a, (__m256i) b);
#elif defined (__SSE2__)
  return (VecI16) _mm_adds_epi16 ((__m128i) a, (__m128i) b);
#elif defined (__aarch64__)
  return (VecI16) vqaddq_s16 (a, b);
#else
  const VecI16 sum = (VecI16) ((VecU16) a + (VecU16) b);
  const VecI16 overflow = ((a ^ sum) & (b ^ sum)) >> 15;

  /* beyond the end on the side of a */
  return (sum & ~overflow) | (((a >> 15) ^ INT16_MAX) & overflow);
#endif
}

/* |a - b| of bytes. */
static inline VecU8
simd_absdiff8 (VecU8 a, VecU8 b)
{
#if defined (__AVX512BW__)
  return (VecU8) _mm512_sub_epi8 (_mm512_max_epu8 ((__m512i) a, (__m512i) b),
      _mm512_min_epu8 ((__m512i) a, (__m512i) b));
#elif defined (__AVX2__)
  return (VecU8) _mm256_sub_epi8 (_mm256_max_epu8 ((__m256i) a, (__m256i) b),
      _mm256_min_epu8 ((__m256i) a, (__m256i) b));
#elif defined (__aarch64__)
  return (VecU8) vabdq_u8 (a, b);
#else
  VecU8 greater = (VecU8) (a > b);

  return ((a - b) & greater) | ((b - a) & ~greater);
#endif
}

/* Number of ones of each byte.  AVX has faster ways for sums of several
 * (cost/cost-simd.h). */
static inline VecU8
simd_count_ones8 (VecU8 a)
{
#if defined (__AVX2__)
  const VecU8 low = a & 15, high = (VecU8) ((VecU16) a >> 4) & 15;
  const __m128i ones = _mm_setr_epi8 (0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3,
      3, 4);
#if defined (__AVX512BW__)
  const __m512i table = _mm512_broadcast_i32x4 (ones);

  return (VecU8) _mm512_shuffle_epi8 (table, (__m512i) low)
      + (VecU8) _mm512_shuffle_epi8 (table, (__m512i) high);
#else
  const __m256i table = _mm256_broadcastsi128_si256 (ones);

  return (VecU8) _mm256_shuffle_epi8 (table, (__m256i) low)
      + (VecU8) _mm256_shuffle_epi8 (table, (__m256i) high);
#endif
#elif defined (__aarch64__)
  return (VecU8) vcntq_u8 (a);
#else
  a -= a >> 1 & 0x55;
  a = (a & 0x33) + (a >> 2 & 0x33);
  return (a & 0x0f) + (a >> 4);
#endif
}

/* XOR with this before bytes are compared by simd_where_greater8(). */
#if defined (__AVX512BW__)
#define SIMD_ORDER8 0
#else
#define SIMD_ORDER8 0x80
#endif

/* a > b ? kept : 0 */
static inline VecU8
simd_where_greater8 (VecU8 kept, VecU8 a, VecU8 b)
{
#if defined (__AVX512BW__)
  return (VecU8) _mm512_maskz_mov_epi8 (_mm512_cmpgt_epu8_mask ((__m512i) a,
          (__m512i) b), (__m512i) kept);
#else
  return kept & (VecU8) ((VecI8) a > (VecI8) b);
#endif
}

/* A table of 64 bytes. */
typedef struct
{
#if defined (__AVX2__)
  VecU8 quarter[4];             /* repeated in every 16 bytes */
#elif defined (__aarch64__)
  uint8x16x4_t entries;
#else
  uint8_t entry[64];
#endif
} SimdTable64;

static inline SimdTable64
simd_table64 (const uint8_t * entries)
{
  SimdTable64 t;

#if defined (__AVX2__)
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < SIMD_BYTES; j += 16)
      memcpy ((uint8_t *) &t.quarter[i] + j, entries + 16 * i, 16);
  }
#elif defined (__aarch64__)
  for (int i = 0; i < 4; i++)
    t.entries.val[i] = vld1q_u8 (entries + 16 * i);
#else
  memcpy (t.entry, entries, sizeof (t.entry));
#endif
  return t;
}

/* The entry of each index; indices above 63 get the last one. */
static inline VecU8
simd_table64_get (const SimdTable64 * t, VecU8 index)
{
  const VecU8 i = simd_min8 (index, simd_set8 (63));

  /* A shuffle uses the lower four bits, */
#if defined (__AVX512BW__)
  const __mmask64 odd = _mm512_test_epi8_mask ((__m512i) i,
      _mm512_set1_epi8 (16));
  const __mmask64 high = _mm512_test_epi8_mask ((__m512i) i,
      _mm512_set1_epi8 (32));
  __m512i q[4];

  for (int j = 0; j < 4; j += 2) {
    q[j] = _mm512_shuffle_epi8 ((__m512i) t->quarter[j], (__m512i) i);
    q[j] = _mm512_mask_shuffle_epi8 (q[j], odd, (__m512i) t->quarter[j + 1],
        (__m512i) i);
  }
  return (VecU8) _mm512_mask_mov_epi8 (q[0], high, q[2]);
#elif defined (__AVX2__)
  /* and a blend the highest bit. */
  const __m256i odd = (__m256i) ((VecU16) i << 3);
  const __m256i high = (__m256i) ((VecU16) i << 2);
  __m256i q[4];

  for (int j = 0; j < 4; j++)
    q[j] = _mm256_shuffle_epi8 ((__m256i) t->quarter[j], (__m256i) i);
  return (VecU8) _mm256_blendv_epi8 (_mm256_blendv_epi8 (q[0], q[1], odd),
      _mm256_blendv_epi8 (q[2], q[3], odd), high);
#elif defined (__aarch64__)
  return (VecU8) vqtbl4q_u8 (t->entries, i);
#else
  uint8_t places[SIMD_BYTES];

  simd_store8 (places, i);
  for (int j = 0; j < SIMD_BYTES; j++)
    places[j] = t->entry[places[j]];
  return simd_load8 (places);
#endif
}

/* With SIMD_HAS_PAIRS:
 *
 * simd_pairs: low byte times low byte plus high byte times high byte of each
 *   16-bit lane, of unsigned and signed bytes, from -32768 to 32767.
 * simd_interleave8: alternating bytes of a and b, from the lower (0) or the
 *   upper (1) half of every 16 bytes.
 * simd_scale_i16: (a b + 16384) >> 15 of signed lanes.
 * simd_pack_i8, simd_pack_u8: signed lanes of two vectors, from -128 to 127 or
 *   0 to 255, in the order that simd_interleave8() separated.
 * simd_in_order16: two such vectors in the order of bytes. */
#if defined (__AVX2__)
#define SIMD_HAS_PAIRS 1
SIMD_BINARY (simd_pairs, VecU16, maddubs_epi16)
SIMD_BINARY (simd_interleave8_lower, VecU16, unpacklo_epi8)
SIMD_BINARY (simd_interleave8_upper, VecU16, unpackhi_epi8)
SIMD_BINARY (simd_scale_i16, VecU16, mulhrs_epi16)
SIMD_BINARY (simd_pack_i8, VecU16, packs_epi16)
SIMD_BINARY (simd_pack_u8, VecU16, packus_epi16)

static inline VecU16
simd_interleave8 (VecU8 a, VecU8 b, int half)
{
  return half == 0 ? simd_interleave8_lower ((VecU16) a, (VecU16) b)
      : simd_interleave8_upper ((VecU16) a, (VecU16) b);
}

static inline void
simd_in_order16 (VecU16 v[2])
{
#if defined (__AVX512BW__)
  const __m512i lower = _mm512_setr_epi64 (0, 1, 8, 9, 2, 3, 10, 11);
  const __m512i upper = _mm512_setr_epi64 (4, 5, 12, 13, 6, 7, 14, 15);
  const __m512i a = (__m512i) v[0], b = (__m512i) v[1];

  v[0] = (VecU16) _mm512_permutex2var_epi64 (a, lower, b);
  v[1] = (VecU16) _mm512_permutex2var_epi64 (a, upper, b);
#else
  const __m256i a = (__m256i) v[0], b = (__m256i) v[1];

  v[0] = (VecU16) _mm256_permute2x128_si256 (a, b, 0x20);
  v[1] = (VecU16) _mm256_permute2x128_si256 (a, b, 0x31);
#endif
}
#else
#define SIMD_HAS_PAIRS 0
#endif

#endif /* STEREO_SIMD_H */
