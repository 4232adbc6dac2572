/* gst-stereomatching: subsampled chroma of virtual views, with vectors
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Compiled once for each instruction set. */

#include "geometry/view-simd.h"

/* Sums of adjacent lanes of two vectors. */
ALWAYS_INLINE VecI32
add_pairs (VecI32 a, VecI32 b)
{
#if SIMD_BYTES == 64
  return SIMD_SHUFFLE (a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20,
      22, 24, 26, 28, 30) + SIMD_SHUFFLE (a, b, 1, 3, 5, 7, 9, 11,
      13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
#elif SIMD_BYTES == 32
  return SIMD_SHUFFLE (a, b, 0, 2, 4, 6, 8, 10, 12, 14)
      + SIMD_SHUFFLE (a, b, 1, 3, 5, 7, 9, 11, 13, 15);
#else
  return SIMD_SHUFFLE (a, b, 0, 2, 4, 6)
      + SIMD_SHUFFLE (a, b, 1, 3, 5, 7);
#endif
}

int
SIMD_NAME (stereo_view_load_pairs_) (const uint8_t * luma,
    const uint8_t * u, const uint8_t * v, int chroma_bytes, int width,
    uint32_t * words)
{
  /* of interleaved U and V; unused with planes */
  const uint8_t *first = u < v ? u : v;
  int x = 0;

  for (; x + 2 * LANES <= width; x += 2 * LANES) {
    VecI32 chroma, twice[2];

    if (chroma_bytes == 1) {
      chroma = read_codes (u + x / 2, 1) | read_codes (v + x / 2, 1) << 8;
    } else {
      chroma = read_codes (first + x, 2);
      if (first == v)
        chroma = chroma >> 8 | (chroma & 0xff) << 8;
    }
    repeat (chroma << 8, twice);
    store (words + x, read_codes (luma + x, 1) | twice[0]);
    store (words + x + LANES, read_codes (luma + x + LANES, 1) | twice[1]);
  }
  return x;
}

/* Sums of two rows: U in the low half, V in the high half. */
ALWAYS_INLINE VecI32
add_chroma (const uint32_t * upper, const uint32_t * lower)
{
  const VecI32 a = load (upper), b = load (lower);

  return (a >> 8 & 0xff) + (b >> 8 & 0xff) + (a & 0xff0000) + (b & 0xff0000);
}

int
SIMD_NAME (stereo_view_store_pairs_) (const uint32_t * upper,
    const uint32_t * lower, int width, uint8_t * u, uint8_t * v,
    int chroma_bytes)
{
  uint8_t *first = u < v ? u : v;
  int x = 0;

  for (; x + 2 * LANES <= width; x += 2 * LANES) {
    const VecI32 sum = add_pairs (add_chroma (upper + x, lower + x),
        add_chroma (upper + x + LANES, lower + x + LANES));
    const VecI32 mean = (sum + 0x20002) >> 2 & 0xff00ff;

    if (chroma_bytes == 1) {
      const Quarter8 us = __builtin_convertvector (mean, Quarter8);
      const Quarter8 vs = __builtin_convertvector (mean >> 16, Quarter8);

      memcpy (u + x / 2, &us, sizeof (us));
      memcpy (v + x / 2, &vs, sizeof (vs));
    } else {
      const VecI32 pair = first == u ? mean | mean >> 8
          : mean >> 16 | (mean & 0xff) << 8;
      const HalfVecU16 both = simd_narrow32 ((VecU32) pair);

      memcpy (first + x, &both, sizeof (both));
    }
  }
  return x;
}
