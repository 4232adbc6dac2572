/* gst-stereomatching: per-pixel arithmetic for the host and CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_PIXEL_H
#define STEREO_PIXEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__
#define STEREO_INLINE static __host__ __device__ __forceinline__
#else
#define STEREO_INLINE static inline
#endif

/* The offset of column x of row y in a plane whose rows are stride apart; x and
 * stride have the same unit.  Planes in device memory are below 4 GiB: offsets
 * of 64 bits would take several times as many instructions there. */
STEREO_INLINE size_t
stereo_plane_offset (int x, int y, size_t stride)
{
#ifdef __CUDA_ARCH__
  return (uint32_t) y * (uint32_t) stride + (uint32_t) x;
#else
  return (size_t) y * stride + (size_t) x;
#endif
}

/* Luma of 8-bit R, G, B: 0.2989 R + 0.5870 G + 0.1140 B, rounded.  Grey keeps
 * its value. */
STEREO_INLINE uint8_t
stereo_luma (uint8_t r, uint8_t g, uint8_t b)
{
  return (uint8_t) ((19589u * r + 38470u * g + 7471u * b + 32768u) >> 16);
}

/* The byte at an address if shift is 0; otherwise bits shift to shift + 7 of a
 * 16-bit little-endian word. */
STEREO_INLINE uint8_t
stereo_sample (const uint8_t * at, int shift)
{
  return shift == 0 ? at[0] : (uint8_t) ((at[0] | at[1] << 8) >> shift);
}

/* YUV to RGB matrix with STEREO_YUV_BITS fractional bits.  Coefficients fit 16
 * bits, sums of products with 8-bit samples 32 bits. */
typedef struct
{
  int16_t black;                /* luma of black, an integer */
  int16_t y;
  int16_t red_v;
  int16_t green_u;
  int16_t green_v;
  int16_t blue_u;
} StereoYuv;

#define STEREO_YUV_BITS 13

/* Rounds a sum and clamps it to 0 to 255.  Without its fraction it fits 16
 * bits, which vectors clamp fast. */
STEREO_INLINE uint8_t
stereo_yuv_channel (int32_t sum)
{
  int16_t value = (int16_t) ((sum + (1 << (STEREO_YUV_BITS - 1)))
      >> STEREO_YUV_BITS);

  value = value > 0 ? value : 0;
  return (uint8_t) (value < 255 ? value : 255);
}

/* u and v are Cb - 128 and Cr - 128. */
STEREO_INLINE uint8_t
stereo_yuv_red (const StereoYuv * k, int16_t y, int16_t v)
{
  return stereo_yuv_channel ((int16_t) (y - k->black) * k->y + v * k->red_v);
}

STEREO_INLINE uint8_t
stereo_yuv_green (const StereoYuv * k, int16_t y, int16_t u, int16_t v)
{
  return stereo_yuv_channel ((int16_t) (y - k->black) * k->y
      + u * k->green_u + v * k->green_v);
}

STEREO_INLINE uint8_t
stereo_yuv_blue (const StereoYuv * k, int16_t y, int16_t u)
{
  return stereo_yuv_channel ((int16_t) (y - k->black) * k->y + u * k->blue_u);
}

STEREO_INLINE uint32_t
stereo_min_u32 (uint32_t a, uint32_t b)
{
  return a < b ? a : b;
}

STEREO_INLINE uint32_t
stereo_max_u32 (uint32_t a, uint32_t b)
{
  return a > b ? a : b;
}

STEREO_INLINE int
stereo_clamp_int (int x, int lowest, int highest)
{
  return x < lowest ? lowest : x > highest ? highest : x;
}

#define STEREO_SORT2_(a, b) \
  do { \
    uint32_t low_ = stereo_min_u32 (a, b); \
    b = stereo_max_u32 (a, b); \
    a = low_; \
  } while (0)

/* The median of nine values, by the exchange network of 19 steps (J. L. Smith,
 * "Implementing median filters in XC4000E FPGAs", Xcell 23, 1996).  Changes
 * v. */
STEREO_INLINE uint32_t
stereo_median9 (uint32_t v[9])
{
  STEREO_SORT2_ (v[1], v[2]);
  STEREO_SORT2_ (v[4], v[5]);
  STEREO_SORT2_ (v[7], v[8]);
  STEREO_SORT2_ (v[0], v[1]);
  STEREO_SORT2_ (v[3], v[4]);
  STEREO_SORT2_ (v[6], v[7]);
  STEREO_SORT2_ (v[1], v[2]);
  STEREO_SORT2_ (v[4], v[5]);
  STEREO_SORT2_ (v[7], v[8]);
  STEREO_SORT2_ (v[0], v[3]);
  STEREO_SORT2_ (v[5], v[8]);
  STEREO_SORT2_ (v[4], v[7]);
  STEREO_SORT2_ (v[3], v[6]);
  STEREO_SORT2_ (v[1], v[4]);
  STEREO_SORT2_ (v[2], v[5]);
  STEREO_SORT2_ (v[4], v[7]);
  STEREO_SORT2_ (v[4], v[2]);
  STEREO_SORT2_ (v[6], v[4]);
  STEREO_SORT2_ (v[4], v[2]);
  return v[4];
}

#endif /* STEREO_PIXEL_H */
