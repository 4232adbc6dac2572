/* gst-stereomatching: rows of disparities of synthesised views, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Steps 1 and 2 of view.h for a row of disparities and a bit mask of its valid
 * pixels, both private to a block.
 */

#ifndef STEREO_VIEW_ROW_CUH
#define STEREO_VIEW_ROW_CUH

#include "geometry/view-formula.h"

/* Elements before and after each row.  BEYOND is below every disparity and
 * joins none.  Rows are aligned to 16 bytes. */
#define MARGIN 4
#define BEYOND (-(1 << 29))

/* Offset that gives the left view priority when both are projected. */
#define PREFERRED (1 << 26)

namespace
{

/* --------------------------------------------------------------------- bits */

/* The last pixel before x whose bit is set, or -1. */
__device__ __forceinline__ int
find_before (const uint32_t * bits, int x)
{
  int i = x >> 5;
  uint32_t m = bits[i] & ((1u << (x & 31)) - 1);

  while (m == 0 && i > 0)
    m = bits[--i];
  return m != 0 ? 32 * i + 31 - __clz ((int) m) : -1;
}

/* The first pixel after x whose bit is set; at least width if there is none. */
__device__ __forceinline__ int
find_behind (const uint32_t * bits, int width, int x)
{
  const int last = (width - 1) >> 5;
  int i = x >> 5;
  uint32_t m = bits[i] & ~((2u << (x & 31)) - 1);

  while (m == 0 && i < last)
    m = bits[++i];
  return m != 0 ? 32 * i + __ffs ((int) m) - 1 : width;
}

__device__ __forceinline__ bool
has_bit (const uint32_t * bits, int x)
{
  return bits[x >> 5] >> (x & 31) & 1;
}

#define ALL_BITS 0xffffffffu
#define ALL_OF_GROUP 0xffu

/* Writes the bits of a warp and returns them.  Bits after the row must be
 * set. */
__device__ __forceinline__ uint32_t
write_bits (uint32_t * bits, int x, bool set)
{
  const uint32_t ballot = __ballot_sync (ALL_BITS, set);

  if (x % 32 == 0)
    bits[(uint32_t) x >> 5] = ballot;
  return ballot;
}

/* Warps stay converged: the loop runs to a multiple of 32. */
#define FOR_EACH_PIXEL(pixel, width) \
  for (int pixel = threadIdx.x; pixel < (((width) + 31) & ~31); \
      pixel += blockDim.x)

/* Pixels per thread and step in loops without neighbours: one byte of bits. */
#define GROUP 8
#define FOR_EACH_GROUP(pixel, width) \
  for (int pixel = GROUP * threadIdx.x; pixel < (((width) + 31) & ~31); \
      pixel += GROUP * blockDim.x)

__device__ __forceinline__ void
write_group (uint32_t * bits, int x, uint32_t set)
{
  ((uint8_t *) bits)[(uint32_t) x / GROUP] = (uint8_t) set;
}

/* Calls function for each pixel whose bit is clear. */
template <typename Function>
__device__ __forceinline__ void
for_each_unset (const uint32_t * bits, int width, Function function)
{
  const int lane = threadIdx.x % 32, n_warps = blockDim.x / 32;
  const int n = (width + 31) / 32;

  for (int first = threadIdx.x / 32; first < n; first += 32 * n_warps) {
    const int own = first + lane * n_warps;
    const uint32_t word = own < n ? bits[own] : ALL_BITS;
    uint32_t words = __ballot_sync (ALL_BITS, word != ALL_BITS);

    for (; words != 0; words &= words - 1) {
      const int i = __ffs ((int) words) - 1;
      const uint32_t set = __shfl_sync (ALL_BITS, word, i);
      const int x = 32 * (first + i * n_warps) + lane;

      if (x < width && (set >> lane & 1) == 0)
        function (x);
    }
  }
}

/* --------------------------------------------------------------------- rows */

__device__ __forceinline__ bool
joined (int32_t a, int32_t b, int32_t join)
{
  return (uint32_t) (a - b + join) <= (uint32_t) (2 * join);
}

__device__ __forceinline__ void
clear_row (int32_t * row, int width)
{
  for (int x = 4 * threadIdx.x; x < width; x += 4 * blockDim.x) {
    /* the row's end is that of a margin */
    if (x + 4 <= width)
      *(int4 *) (row + x) = make_int4 (STEREO_VIEW_NONE, STEREO_VIEW_NONE,
          STEREO_VIEW_NONE, STEREO_VIEW_NONE);
    else
      for (int i = x; i < width; i++)
        row[i] = STEREO_VIEW_NONE;
  }
}

/* stereo_view_shift() by the upper half of a product; exact, since positions
 * have 21 bits with sign. */
__device__ __forceinline__ int32_t
shift (int32_t q, int32_t e)
{
  return (__mulhi (q << 10, e << 7) + 1) >> 1;
}

/* Removes the offset PREFERRED. */
__device__ __forceinline__ int32_t
unprefer (int32_t e)
{
  return e > PREFERRED / 2 ? e - PREFERRED : e;
}

/* Step 1.  all: every pixel of this thread is valid.  Synchronizes the block
 * before and after the fill. */
__device__ __forceinline__ void
fill_row (const uint32_t * bits, int32_t * row, int width, bool all)
{
  if (!__syncthreads_or (!all))
    return;
  for_each_unset (bits, width, [=] (int x) {
    const int l = find_before (bits, x), r = find_behind (bits, width, x);
    const int32_t before = l >= 0 ? unprefer (row[l]) : INT32_MAX;
    const int32_t behind = r < width ? unprefer (row[r]) : INT32_MAX;

    row[x] = l < 0 && r >= width ? 0 : min (before, behind);
  });
  __syncthreads ();
}

/* Step 1 for a projected row; computes its bits. */
__device__ __forceinline__ void
complete_row (uint32_t * bits, int32_t * row, int width)
{
  uint32_t known = ALL_OF_GROUP;

  FOR_EACH_GROUP (x, width) {
    uint32_t set = ALL_OF_GROUP;

    if (x + GROUP <= width) {
      const int4 four[2] = { *(const int4 *) (row + x),
        *(const int4 *) (row + x + 4)
      };

#pragma unroll
      for (int i = 0; i < GROUP; i++)
        set -= (&four[i / 4].x)[i % 4] == STEREO_VIEW_NONE ? 1u << i : 0;
    } else {
#pragma unroll 1
      for (int i = 0; x + i < width; i++)
        set -= row[x + i] == STEREO_VIEW_NONE ? 1u << i : 0;
    }
    write_group (bits, x, set);
    known &= set;
  }
  fill_row (bits, row, width, known == ALL_OF_GROUP);
}

/* Atomic maximum of e with pixels begin to end - 1.  The first two, mostly all,
 * need no branch.  The element after the row is accessible. */
__device__ __forceinline__ void
cover (int32_t * z, int width, int begin, int end, int32_t e)
{
  int32_t *at = z + min (begin, width - 1);

  atomicMax (at, begin < end ? e : STEREO_VIEW_NONE);
  atomicMax (at + 1, begin + 1 < end ? e : STEREO_VIEW_NONE);
#pragma unroll 1
  for (begin += 2; begin < end; begin++)
    atomicMax (&z[begin], e);
}

/* Step 2: projects row to z, with `more` added to its disparities.  A thread
 * processes four pixels. */
template <bool Whole>
__device__ __forceinline__ void
project_row (const int32_t * row, int width, int32_t join, int32_t q,
    int32_t offset, int32_t more, int32_t * z)
{
#pragma unroll 1
  for (int x = 4 * threadIdx.x; x < width; x += 4 * blockDim.x) {
    const int4 four = *(const int4 *) (row + x);
    const int32_t e[6] = { row[x - 1], four.x, four.y, four.z, four.w,
      row[x + 4]
    };
    const int32_t first = 256 * x - 256 + offset;
    int32_t place[6], begin[5], end[5];

#pragma unroll
    for (int i = 0; i < 6; i++)
      place[i] = first + 256 * i - (Whole ? e[i] : shift (q, e[i]));
    /* twice the places between pixels, rounded up to pixels: half of a sum and
     * then 1/256 of it is the sum by 512 */
#pragma unroll
    for (int i = 0; i < 5; i++) {
      const bool one = joined (e[i], e[i + 1], join);
      const int32_t here = place[i], next = place[i + 1];

      end[i] = min ((here + 510 + (one ? next : here + 256)) >> 9, width);
      begin[i] = max ((next + 510 + (one ? here : next - 256)) >> 9, 0);
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
      cover (z, width, begin[i], x + i < width ? end[i + 1] : 0,
          e[i + 1] + more);
  }
}

}                               // namespace

#endif /* STEREO_VIEW_ROW_CUH */
