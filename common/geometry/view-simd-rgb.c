/* gst-stereomatching: pixels of three bytes of virtual views, with vectors
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Compiled once for each instruction set; those without a shuffle of bytes use
 * the plain code. */

#include "geometry/view-simd.h"

#if defined (__AVX2__)

/* Shuffles the bytes of each 16; -1 becomes 0. */
ALWAYS_INLINE VecI32
shuffle_bytes (VecI32 v, __m128i order)
{
#if defined (__AVX512BW__)
  return (VecI32) _mm512_shuffle_epi8 ((__m512i) v,
      _mm512_broadcast_i32x4 (order));
#else
  return (VecI32) _mm256_shuffle_epi8 ((__m256i) v,
      _mm256_broadcastsi128_si256 (order));
#endif
}

/* Moves the words of each 12 bytes to 16 bytes. */
ALWAYS_INLINE VecI32
widen_rgb24 (VecI32 v)
{
#if SIMD_BYTES == 64
  return SIMD_SHUFFLE (v, v, 0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 8, 9, 10, 11,
      11);
#else
  return SIMD_SHUFFLE (v, v, 0, 1, 2, 2, 3, 4, 5, 5);
#endif
}

/* The reverse. */
ALWAYS_INLINE VecI32
narrow_rgb24 (VecI32 v)
{
#if SIMD_BYTES == 64
  return SIMD_SHUFFLE (v, v, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 15, 15,
      15, 15);
#else
  return SIMD_SHUFFLE (v, v, 0, 1, 2, 4, 5, 6, 7, 7);
#endif
}

int
SIMD_NAME (stereo_view_load_rgb24_) (const uint8_t * bytes, int width,
    uint32_t * words)
{
  const __m128i order = _mm_setr_epi8 (0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1,
      9, 10, 11, -1);
  int x = 0;

  for (; 3 * x + SIMD_BYTES <= 3 * width; x += LANES)
    store (words + x, shuffle_bytes (widen_rgb24 (load (bytes + 3 * x)),
            order));
  return x;
}

/* Each store writes bytes that the next one, or that of a pixel, replaces. */
int
SIMD_NAME (stereo_view_store_rgb24_) (const uint32_t * words, int width,
    uint8_t * bytes)
{
  const __m128i order = _mm_setr_epi8 (0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14,
      -1, -1, -1, -1);
  int x = 0;

  for (; 3 * x + SIMD_BYTES <= 3 * width; x += LANES)
    store (bytes + 3 * x, narrow_rgb24 (shuffle_bytes (load (words + x),
                order)));
  return x;
}

#endif
