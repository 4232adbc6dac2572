/* gst-stereomatching: packed arithmetic of bp on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Arithmetic.  With int8 and half, words hold two values of 16 bits: v (i) and
 * v (i + W) of a lane with W words.  min (a + b, c) of both is one instruction.
 * Numbers are integers in every precision, so no order changes a result: half
 * is kept as integers with 11 significant bits, float as whole words.
 *
 * Memory.  A level's messages are eight planes: one for each direction and
 * colour of the checkerboard, so that an iteration reads four planes and writes
 * the other four, in order.  A plane has rows of pixels, a pixel its
 * disparities, a multiple of 16 bytes.  The order of bytes lets one instruction
 * unpack each word: v (2i), v (2i + 1), v (2i + W), v (2i + 1 + W).  Data costs
 * have one plane per colour; those of level 0 are bytes in the same order, of
 * 16 bits with float.
 */

#ifndef STEREO_BP_WORDS_CUH
#define STEREO_BP_WORDS_CUH

#include "match/bp/bp.cuh"
#include "core/device.cuh"

namespace
{

/* Threads of a multiprocessor, and maximum of a block. */
const int max_threads = 768;

/* Layout of the values of a lane in W words, and in memory. */
template < int PRECISION, int W > struct Format
{
  static const int precision = PRECISION;
  static const bool packed = PRECISION != STEREO_BP_PRECISION_FLOAT;
  static const bool bytes = PRECISION == STEREO_BP_PRECISION_INT8;
  static const int words = W;
  static const int values = packed ? 2 * W : W;
  /* parts of 16 bytes of a message, of a data cost */
  static const int message_parts = bytes ? W / 8 : W / 4;
  static const int data_parts = W / 4;
  static const int level_0_parts = W / 8;
  /* maximum of a block */
  static const int threads = W <= 8 ? max_threads : 256;
};

/* min (a + b, c) */
template < class F > __device__ __forceinline__ uint32_t
add_min (uint32_t a, uint32_t b, uint32_t c)
{
  return F::packed ? __viaddmin_u16x2 (a, b, c) : __viaddmin_u32 (a, b, c);
}

template < class F > __device__ __forceinline__ uint32_t
min2 (uint32_t a, uint32_t b)
{
  return F::packed ? __vminu2 (a, b) : min (a, b);
}

template < class F > __device__ __forceinline__ uint32_t
min3 (uint32_t a, uint32_t b, uint32_t c)
{
  return F::packed ? __vimin3_u16x2 (a, b, c) : __vimin3_u32 (a, b, c);
}

/* Masks the disparities of a word beyond the last one. */
template < class F > __device__ __forceinline__ uint32_t
with_padding (uint32_t w, int i, int valid, uint32_t padding)
{
  if (!F::packed)
    return i < valid ? w : padding;
  if (i >= valid)
    return splat_u16 (padding);
  return i + F::words < valid ? w : (w & 0xffffu) | padding << 16;
}

template < class F > __device__ __forceinline__ uint32_t
least_of (const uint32_t (&p)[F::words])
{
  uint32_t m = p[0];

#pragma unroll
  for (int i = 1; i + 1 < F::words; i += 2)
    m = min3 < F > (m, p[i], p[i + 1]);
  return min2 < F > (m, p[F::words - 1]);
}

template < class F, int LANES > __device__ __forceinline__ uint32_t
least_of_lanes (uint32_t m)
{
#pragma unroll
  for (int lane = 1; lane < LANES; lane *= 2)
    m = min2 < F > (m, __shfl_xor_sync (0xffffffffu, m, lane));
  return m;
}

/* The halves of two words, side by side. */
__device__ __forceinline__ uint32_t
low_halves (uint32_t a, uint32_t b)
{
  return __byte_perm (a, b, 0x5410);
}

__device__ __forceinline__ uint32_t
high_halves (uint32_t a, uint32_t b)
{
  return __byte_perm (a, b, 0x7632);
}

/* ----------------------------------------------------------------- storage */

/* Two words of half as many bits each, and back. */
template < class F > __device__ __forceinline__ void
unpack_halves (const uint4 (&parts)[F::level_0_parts],
    uint32_t (&p)[F::words])
{
#pragma unroll
  for (int i = 0; i < F::words; i++) {
    const uint32_t w = word (parts[i / 8], i / 2 % 4);

    if (F::packed)
      p[i] = i % 2 == 0 ? w & 0x00ff00ffu : __byte_perm (w, 0, 0x4341);
    else
      p[i] = i % 2 == 0 ? w & 0xffffu : w >> 16;
  }
}

template < class F > __device__ __forceinline__ void
pack_halves (const uint32_t (&p)[F::words], uint4 (&parts)[F::level_0_parts])
{
#pragma unroll
  for (int i = 0; i < F::words; i += 2)
    word (parts[i / 8], i / 2 % 4) = p[i] + (F::packed ? 256 : 65536)
        * p[i + 1];
}

template < class F > __device__ __forceinline__ void
unpack (const uint4 (&parts)[F::message_parts], uint32_t (&p)[F::words])
{
  if constexpr (F::bytes) {
    unpack_halves < F > (parts, p);
  } else {
#pragma unroll
    for (int i = 0; i < F::words; i++)
      p[i] = word (parts[i / 4], i % 4);
  }
}

/* Rounds to 11 bits, ties to even, for up to 4095. */
__device__ __forceinline__ uint32_t
round_halves (uint32_t w)
{
  uint32_t large = w >> 11 & 0x00010001u;

  return (w + (w >> 1 & large)) & ~large;
}

template < class F > __device__ __forceinline__ void
pack (const uint32_t (&p)[F::words], uint4 (&parts)[F::message_parts])
{
  if constexpr (F::bytes) {
    pack_halves < F > (p, parts);
  } else {
#pragma unroll
    for (int i = 0; i < F::words; i++)
      word (parts[i / 4], i % 4) = F::precision == STEREO_BP_PRECISION_HALF
          ? round_halves (p[i]) : p[i];
  }
}

/* The pixel and disparities of a lane. */
struct Place
{
  int x;
  int y;
  int group;
  int valid;                    /* number of disparities, may be negative */
};

/* The messages of pixels with this x + y, in their plane. */
__device__ __forceinline__ unsigned
message_offset (const BpArgs & a, const BpLevel & level, int x, int y,
    int group)
{
  return (unsigned) y * level.row
      + (unsigned) (x >> 1) * (unsigned) a.message_parts + (unsigned) group;
}

__device__ __forceinline__ uint4 *
message_at (const BpArgs & a, const BpLevel & level, int direction, int x,
    int y, int group)
{
  return level.messages[2 * direction + ((x + y) & 1)]
      + message_offset (a, level, x, y, group);
}

/* parts: of a lane */
__device__ __forceinline__ uint4 *
data_at (const BpArgs & a, const BpLevel & level, int parts, int x, int y,
    int group)
{
  int pixel = (((x + y) & 1) * level.height + y) * level.pitch + (x >> 1);

  return (uint4 *) level.data
      + (size_t) pixel * (size_t) (parts * a.groups) + group;
}

template < int PARTS > __device__ __forceinline__ void
load_parts (const BpArgs & a, const uint4 * from, uint4 (&parts)[PARTS])
{
#pragma unroll
  for (int i = 0; i < PARTS; i++)
    parts[i] = __ldcg (from + i * a.groups);
}

template < int PARTS > __device__ __forceinline__ void
store_parts (const BpArgs & a, uint4 * to, const uint4 (&parts)[PARTS])
{
#pragma unroll
  for (int i = 0; i < PARTS; i++)
    __stcg (to + i * a.groups, parts[i]);
}

template < int PARTS > __device__ __forceinline__ void
clear_parts (uint4 (&parts)[PARTS])
{
#pragma unroll
  for (int i = 0; i < PARTS; i++)
    parts[i] = make_uint4 (0, 0, 0, 0);
}

}                               // namespace

#endif /* STEREO_BP_WORDS_CUH */
