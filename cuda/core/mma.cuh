/* gst-stereomatching: warp-level integer matrix multiply-accumulate
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * C = A B + start for bytes, with exact 32-bit sums.  They are unsigned, except
 * that those of B may be signed (_signed).  A has 16 rows, B 8 columns, both 16
 * (or 32) deep.  With g = lane / 4 and t = lane % 4, a lane holds
 *
 *   a[0]: A[g][4 t .. 4 t + 3]        a[1]: A[g + 8][4 t .. 4 t + 3]
 *   b:    B[4 t .. 4 t + 3][g]
 *   c[0], c[1]: C[g][2 t], C[g][2 t + 1]
 *   c[2], c[3]: C[g + 8][2 t], C[g + 8][2 t + 1]
 *
 * lowest byte first (PTX ISA, "Matrix fragments for mma.m16n8k16 and
 * mma.m16n8k32").
 */

#ifndef STEREO_MMA_CUH
#define STEREO_MMA_CUH

#include <stdint.h>

/* stereo_mma_16() and stereo_mma_32() for a type of the bytes of B; the latter
 * is for the two halves of a depth of 32.  start, the addend, is a separate
 * operand so that a constant need not be copied. */
#if __CUDA_ARCH__ >= 800
#define STEREO_DEFINE_MMA(suffix, type) \
  static __device__ __forceinline__ void \
  stereo_mma_16##suffix (int (&c)[4], const uint32_t (&a)[2], uint32_t b, \
      const int (&start)[4]) \
  { \
    asm ("mma.sync.aligned.m16n8k16.row.col.s32.u8." type ".s32 " \
        "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};" \
        : "=r" (c[0]), "=r" (c[1]), "=r" (c[2]), "=r" (c[3]) \
        : "r" (a[0]), "r" (a[1]), "r" (b), "r" (start[0]), "r" (start[1]), \
        "r" (start[2]), "r" (start[3])); \
  } \
  static __device__ __forceinline__ void \
  stereo_mma_32##suffix (int (&c)[4], const uint32_t (&a)[2], \
      const uint32_t (&a2)[2], uint32_t b, uint32_t b2, \
      const int (&start)[4]) \
  { \
    asm ("mma.sync.aligned.m16n8k32.row.col.s32.u8." type ".s32 " \
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, " \
        "{%10, %11, %12, %13};" \
        : "=r" (c[0]), "=r" (c[1]), "=r" (c[2]), "=r" (c[3]) \
        : "r" (a[0]), "r" (a[1]), "r" (a2[0]), "r" (a2[1]), "r" (b), \
        "r" (b2), "r" (start[0]), "r" (start[1]), "r" (start[2]), \
        "r" (start[3])); \
  }
#else
#define STEREO_DEFINE_MMA(suffix, type) \
  static __device__ __forceinline__ void \
  stereo_mma_16##suffix (int (&c)[4], const uint32_t (&a)[2], uint32_t b, \
      const int (&start)[4]) \
  { \
    asm ("mma.sync.aligned.m8n8k16.row.col.s32.u8." type ".s32 " \
        "{%0, %1}, {%2}, {%3}, {%4, %5};" \
        : "=r" (c[0]), "=r" (c[1]) \
        : "r" (a[0]), "r" (b), "r" (start[0]), "r" (start[1])); \
    asm ("mma.sync.aligned.m8n8k16.row.col.s32.u8." type ".s32 " \
        "{%0, %1}, {%2}, {%3}, {%4, %5};" \
        : "=r" (c[2]), "=r" (c[3]) \
        : "r" (a[1]), "r" (b), "r" (start[2]), "r" (start[3])); \
  } \
  static __device__ __forceinline__ void \
  stereo_mma_32##suffix (int (&c)[4], const uint32_t (&a)[2], \
      const uint32_t (&a2)[2], uint32_t b, uint32_t b2, \
      const int (&start)[4]) \
  { \
    stereo_mma_16##suffix (c, a, b, start); \
    stereo_mma_16##suffix (c, a2, b2, c); \
  }
#endif

STEREO_DEFINE_MMA (, "u8")
STEREO_DEFINE_MMA (_signed, "s8")

#endif /* STEREO_MMA_CUH */
