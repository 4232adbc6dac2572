/* gst-stereomatching: vectors of virtual views
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Vectors of 32-bit words, for the files that are compiled once for each
 * instruction set.
 */

#ifndef STEREO_VIEW_SIMD_H
#define STEREO_VIEW_SIMD_H

#include "geometry/view-cpu.h"

#include "geometry/view-formula.h"
#include "simd/simd.h"

#define LANES (SIMD_BYTES / 4)

typedef uint8_t Quarter8 __attribute__ ((vector_size (SIMD_BYTES / 4)));

ALWAYS_INLINE VecI32
load (const void *at)
{
  VecI32 v;

  memcpy (&v, at, sizeof (v));
  return v;
}

ALWAYS_INLINE void
store (void *at, VecI32 v)
{
  memcpy (at, &v, sizeof (v));
}

ALWAYS_INLINE VecI32
all (int32_t value)
{
  return (VecI32) { 0 } + value;
}

ALWAYS_INLINE VecI32
count (void)
{
#if SIMD_BYTES == 64
  return (VecI32) { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
#elif SIMD_BYTES == 32
  return (VecI32) { 0, 1, 2, 3, 4, 5, 6, 7 };
#else
  return (VecI32) { 0, 1, 2, 3 };
#endif
}

/* A Boolean for each lane, in the fastest representation. */
#if defined (__AVX512BW__)
typedef __mmask16 Mask;

#define COMPARE(name, instruction, expression) \
  ALWAYS_INLINE Mask \
  name (VecI32 a, VecI32 b) \
  { \
    return _mm512_##instruction##_mask ((__m512i) a, (__m512i) b); \
  }
#else
typedef VecI32 Mask;

#define COMPARE(name, instruction, expression) \
  ALWAYS_INLINE Mask \
  name (VecI32 a, VecI32 b) \
  { \
    return (Mask) (expression); \
  }
#endif

COMPARE (equal, cmpeq_epi32, a == b)
COMPARE (less, cmplt_epi32, a < b)
/* as numbers without sign */
COMPARE (within, cmple_epu32, (VecU32) a <= (VecU32) b)
COMPARE (beyond, cmpgt_epu32, (VecU32) a > (VecU32) b)

ALWAYS_INLINE VecI32
choose (Mask mask, VecI32 a, VecI32 b)
{
#if defined (__AVX512BW__)
  return (VecI32) _mm512_mask_blend_epi32 (mask, (__m512i) b, (__m512i) a);
#elif defined (__AVX2__)
  return (VecI32) _mm256_blendv_epi8 ((__m256i) b, (__m256i) a, (__m256i) mask);
#else
  return (a & mask) | (b & ~mask);
#endif
}

/* mask ? a : 0 */
ALWAYS_INLINE VecI32
keep (Mask mask, VecI32 a)
{
#if defined (__AVX512BW__)
  return (VecI32) _mm512_maskz_mov_epi32 (mask, (__m512i) a);
#else
  return a & mask;
#endif
}

ALWAYS_INLINE bool
any (Mask mask)
{
#if defined (__AVX512BW__)
  return mask != 0;
#else
  return simd_any8 ((VecU8) mask);
#endif
}

/* Whether all lanes are equal. */
ALWAYS_INLINE bool
same (VecI32 a, VecI32 b)
{
#if defined (__AVX512BW__)
  return _mm512_cmpneq_epi32_mask ((__m512i) a, (__m512i) b) == 0;
#else
  return !simd_any8 ((VecU8) (a ^ b));
#endif
}

/* One bit for each lane. */
ALWAYS_INLINE unsigned
get_bits (Mask mask)
{
#if defined (__AVX512BW__)
  return mask;
#elif defined (__AVX2__)
  return (unsigned) _mm256_movemask_ps ((__m256) mask);
#elif defined (__SSE2__)
  return (unsigned) _mm_movemask_ps ((__m128) mask);
#else
  unsigned bits = 0;

  for (int i = 0; i < LANES; i++)
    bits |= (mask[i] & 1u) << i;
  return bits;
#endif
}

ALWAYS_INLINE VecI32
larger (VecI32 a, VecI32 b)
{
#if defined (__AVX512BW__)
  return (VecI32) _mm512_max_epi32 ((__m512i) a, (__m512i) b);
#elif defined (__AVX2__)
  return (VecI32) _mm256_max_epi32 ((__m256i) a, (__m256i) b);
#else
  return choose (less (b, a), a, b);
#endif
}

ALWAYS_INLINE VecI32
smaller (VecI32 a, VecI32 b)
{
#if defined (__AVX512BW__)
  return (VecI32) _mm512_min_epi32 ((__m512i) a, (__m512i) b);
#elif defined (__AVX2__)
  return (VecI32) _mm256_min_epi32 ((__m256i) a, (__m256i) b);
#else
  return choose (less (a, b), a, b);
#endif
}

/* -join <= a - b <= join */
ALWAYS_INLINE Mask
joined (VecI32 a, VecI32 b, VecI32 join)
{
  return within (a - b + join, join + join);
}

/* A factor of stereo_view_shift(). */
typedef struct
{
  int32_t q;
  bool narrow;                  /* products with disparities have 32 bits */
} Factor;

ALWAYS_INLINE Factor
make_factor (int32_t q, const StereoViewRow * row)
{
  const int64_t size = row->highest > -row->lowest ? row->highest
      : -row->lowest;
  const Factor f = { q, (q < 0 ? -q : q) * size < INT32_MAX - 32768 };

  return f;
}

/* Otherwise q is high 65536 + low, and a disparity a 256 + b. */
ALWAYS_INLINE VecI32
shift (Factor f, VecI32 e)
{
  const VecI32 high = all (f.q >> 16), low = all (f.q & 0xffff);
  VecI32 below;

  if (f.narrow)
    return (e * f.q + 32768) >> 16;
  below = (VecI32) ((VecU32) (low * (e & 255) + 32768) >> 8);
  return high * e + ((low * (e >> 8) + below) >> 8);
}

/* LANES codes of 1 or 2 bytes. */
ALWAYS_INLINE VecI32
read_codes (const uint8_t * at, int bytes)
{
  return (VecI32) (bytes == 1 ? simd_widen8_to_32 (at)
      : simd_widen16 ((const uint16_t *) (const void *) at));
}

/* Repeats each lane twice. */
ALWAYS_INLINE void
repeat (VecI32 e, VecI32 twice[2])
{
#if SIMD_BYTES == 64
  twice[0] = SIMD_SHUFFLE (e, e, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5,
      6, 6, 7, 7);
  twice[1] = SIMD_SHUFFLE (e, e, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12,
      13, 13, 14, 14, 15, 15);
#elif SIMD_BYTES == 32
  twice[0] = SIMD_SHUFFLE (e, e, 0, 0, 1, 1, 2, 2, 3, 3);
  twice[1] = SIMD_SHUFFLE (e, e, 4, 4, 5, 5, 6, 6, 7, 7);
#else
  twice[0] = SIMD_SHUFFLE (e, e, 0, 0, 1, 1);
  twice[1] = SIMD_SHUFFLE (e, e, 2, 2, 3, 3);
#endif
}

/* As many lanes of two vectors, from the second one of a on. */
ALWAYS_INLINE VecI32
next_lanes (VecI32 a, VecI32 b)
{
#if SIMD_BYTES == 64
  return SIMD_SHUFFLE (a, b, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
      16);
#elif SIMD_BYTES == 32
  return SIMD_SHUFFLE (a, b, 1, 2, 3, 4, 5, 6, 7, 8);
#else
  return SIMD_SHUFFLE (a, b, 1, 2, 3, 4);
#endif
}

/* The same from the last one of a on. */
ALWAYS_INLINE VecI32
previous_lanes (VecI32 a, VecI32 b)
{
#if SIMD_BYTES == 64
  return SIMD_SHUFFLE (a, b, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
      28, 29, 30);
#elif SIMD_BYTES == 32
  return SIMD_SHUFFLE (a, b, 7, 8, 9, 10, 11, 12, 13, 14);
#else
  return SIMD_SHUFFLE (a, b, 3, 4, 5, 6);
#endif
}

/* Stages in files of their own: see StereoViewRows. */
bool SIMD_NAME (stereo_view_fetch_) (const StereoViewFrame * f,
    const StereoViewShot * shot, const StereoViewRow * left,
    const StereoViewRow * right, const int32_t * z,
    const StereoViewColors * colors);
int SIMD_NAME (stereo_view_load_rgb24_) (const uint8_t * bytes, int width,
    uint32_t * words);
int SIMD_NAME (stereo_view_store_rgb24_) (const uint32_t * words, int width,
    uint8_t * bytes);
int SIMD_NAME (stereo_view_load_pairs_) (const uint8_t * luma,
    const uint8_t * u, const uint8_t * v, int chroma_bytes, int width,
    uint32_t * words);
int SIMD_NAME (stereo_view_store_pairs_) (const uint32_t * upper,
    const uint32_t * lower, int width, uint8_t * u, uint8_t * v,
    int chroma_bytes);

#endif /* STEREO_VIEW_SIMD_H */
