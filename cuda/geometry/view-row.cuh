/* gst-stereomatching: rows of disparities of synthesised views, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Steps 1, 2 and 5 of view.h for a row of disparities and a bit mask of its
 * valid pixels, both private to a block.
 *
 * Rows hold disparities times SCALE, which makes the shift of a pixel the upper
 * half of one product and leaves the lowest bits for flags.
 */

#ifndef STEREO_VIEW_ROW_CUH
#define STEREO_VIEW_ROW_CUH

#include "geometry/view-formula.h"

/* Disparities have 24 bits with sign; positions, which have 20, are multiplied
 * by the rest of 65536. */
#define SCALE_BITS 4
#define SCALE (1 << SCALE_BITS)
#define POSITION_BITS (16 - SCALE_BITS)

/* In the lowest bits of a marked row. */
#define FLAGS (SCALE - 1)
#define EDGE 1

/* Offset that gives the left view priority when both are projected. */
#define PREFERRED (1 << 28)

/* Not projected to; smaller than every disparity. */
#define NONE (-(1 << 29))

/* Elements before and after each row.  BEYOND joins no disparity, and is at
 * most NONE even if preferred.  Rows are aligned to 16 bytes. */
#define MARGIN 4
#define BEYOND (-(1 << 30))

namespace
{

/* ---------------------------------------------------------------- registers */

/* Hides the origin of a value from the compiler, which then keeps it in a
 * register instead of reloading or recomputing it for every pixel. */
__device__ __forceinline__ uint32_t
keep_value (uint32_t value)
{
  asm volatile ("":"+r" (value));
  return value;
}

/* The same for an address of shared memory. */
__device__ __forceinline__ int32_t *
keep_address (void *shared)
{
  return (int32_t *) __cvta_shared_to_generic (keep_value
      ((uint32_t) __cvta_generic_to_shared (shared)));
}

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

/* Calls function with the first and the last pixel of each run of clear bits; a
 * thread processes runs, or parts, of RUN pixels. */
#define RUN 16

template <typename Function>
__device__ __forceinline__ void
for_each_unset (const uint32_t * bits, int width, Function function)
{
  for (int i = threadIdx.x; i < (width + RUN - 1) / RUN; i += blockDim.x) {
    uint32_t unset = ~((const uint16_t *) bits)[i] & ((1u << RUN) - 1);

#pragma unroll 1
    while (unset != 0) {
      /* adding its lowest bit clears a run */
      const uint32_t rest = unset & (unset + (unset & -unset));
      const uint32_t run = unset ^ rest;

      function (RUN * i + __ffs ((int) run) - 1, RUN * i + 31
          - __clz ((int) run));
      unset = rest;
    }
  }
}

/* --------------------------------------------------------------------- rows */

__device__ __forceinline__ bool
joined (int32_t a, int32_t b, int32_t join)
{
  return (uint32_t) (a - b + join) <= (uint32_t) (2 * join);
}

/* Up to three elements after the row are cleared, too. */
__device__ __forceinline__ void
clear_row (int32_t * row, int width)
{
#pragma unroll 1
  for (int x = 4 * threadIdx.x; x < width; x += 4 * blockDim.x)
    *(int4 *) (row + x) = make_int4 (NONE, NONE, NONE, NONE);
}

/* The upper half of a b + c, with one product; the compiler would use three. */
__device__ __forceinline__ int32_t
multiply_high (int32_t a, int32_t b, int64_t c)
{
  int64_t sum;

  asm ("mad.wide.s32 %0, %1, %2, %3;":"=l" (sum):"r" (a), "r" (b), "l" (c));
  return (int32_t) (sum >> 32);
}

/* Removes the offset PREFERRED. */
__device__ __forceinline__ int32_t
unprefer (int32_t e)
{
  return e >= PREFERRED / 2 ? e - PREFERRED : e;
}

/* Step 1.  all: every pixel of this thread is valid.  Synchronizes the block
 * before and after the fill. */
__device__ __forceinline__ void
fill_row (const uint32_t * bits, int32_t * row, int width, bool all)
{
  if (!__syncthreads_or (!all))
    return;
  for_each_unset (bits, width, [=] (int first, int last) {
    const int l = find_before (bits, first);
    const int r = find_behind (bits, width, last);
    const int32_t before = l >= 0 ? unprefer (row[l]) : INT32_MAX;
    const int32_t behind = r < width ? unprefer (row[r]) : INT32_MAX;
    const int32_t e = l < 0 && r >= width ? 0 : min (before, behind);

#pragma unroll 1
    for (int x = first; x <= last; x++)
      row[x] = e;
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

    /* a last group reads some of the margin */
    if (x < width) {
      const int4 four[2] = { *(const int4 *) (row + x),
        *(const int4 *) (row + x + 4)
      };

#pragma unroll
      for (int i = 0; i < GROUP; i++)
        set -= (&four[i / 4].x)[i % 4] == NONE ? 1u << i : 0;
      set |= ALL_OF_GROUP & ALL_OF_GROUP << min (width - x, GROUP);
    }
    write_group (bits, x, set);
    known &= set;
  }
  fill_row (bits, row, width, known == ALL_OF_GROUP);
}

/* Four pixels of a row from x on, and their neighbours. */
struct Pixels
{
  int32_t e[6];

  __device__ __forceinline__ Pixels (const int32_t * row, int x)
  {
    const int4 four = *(const int4 *) (row + x);

    e[0] = row[x - 1];
    e[1] = four.x;
    e[2] = four.y;
    e[3] = four.z;
    e[4] = four.w;
    e[5] = row[x + 4];
  }
};

/* Step 5: stores the pixels with their flags. */
__device__ __forceinline__ void
mark_pixels (const Pixels & pixels, int32_t join, int32_t * marked)
{
  const int32_t *e = pixels.e;
  int32_t four[4];

#pragma unroll
  for (int i = 0; i < 4; i++)
    four[i] = e[i + 1] + (max (e[i], e[i + 2]) - e[i + 1] > join ? EDGE : 0);
  *(int4 *) marked = make_int4 (four[0], four[1], four[2], four[3]);
}

/* A projection to position q by step 2, with `more' added to disparities.
 * multiply_high() returns where a pixel moves, relative to itself, plus 383:
 * half of the sum of two, or one, by 256 is the first pixel at or after the end
 * of the first and the start of the second. */
struct Projection
{
  int32_t factor;
  int64_t addend;
  int32_t more;

  __device__ __forceinline__ Projection (int32_t q, int32_t offset,
      int32_t more)
  : factor (-q << POSITION_BITS),
    addend (((int64_t) (offset + 383) << 32) + (1ll << 31) - 1),
    more (more)
  {
  }
};

/* Atomic maximum of z and the pixels.  Two elements after z are accessible. */
__device__ __forceinline__ void
project_pixels (const Pixels & pixels, int x, int width, int32_t join,
    const Projection & to, int32_t * z)
{
  const int32_t *e = pixels.e;
  int32_t place[6], end[5], start[5];
  int begin[4], count[4];
  bool many = false;

#pragma unroll
  for (int i = 0; i < 6; i++)
    place[i] = multiply_high (to.factor, e[i], to.addend);
#pragma unroll
  for (int i = 0; i < 5; i++) {
    const int32_t middle = (place[i] + place[i + 1]) >> 9;
    const bool one = joined (e[i], e[i + 1], join);

    end[i] = one ? middle : place[i] >> 8;
    start[i] = one ? middle : place[i + 1] >> 8;
  }
#pragma unroll
  for (int i = 0; i < 4; i++) {
    begin[i] = max (min (x + i - 1 + start[i], width), 0);
    count[i] = min (x + i + end[i + 1], width) - begin[i];
    /* mostly all pixels; without branches */
    atomicMax (z + begin[i], count[i] > 0 ? e[i + 1] + to.more : NONE);
    atomicMax (z + begin[i] + 1, count[i] > 1 ? e[i + 1] + to.more : NONE);
    many |= count[i] > 2;
  }
  if (!many)
    return;
#pragma unroll
  for (int i = 0; i < 4; i++) {
#pragma unroll 1
    for (int v = 2; v < count[i]; v++)
      atomicMax (z + begin[i] + v, e[i + 1] + to.more);
  }
}

/* A thread processes four pixels, the last one some of the margin, which covers
 * nothing. */
#define FOR_EACH_FOUR(pixel, width) \
  for (int pixel = 4 * threadIdx.x; pixel < (width); pixel += 4 * blockDim.x)

__device__ __forceinline__ void
project_row (const int32_t * marked, int width, int32_t join,
    const Projection & to, int32_t * z)
{
#pragma unroll 1
  FOR_EACH_FOUR (x, width) {
    Pixels pixels (marked, x);

#pragma unroll
    for (int i = 0; i < 6; i++)
      pixels.e[i] &= ~FLAGS;
    project_pixels (pixels, x, width, join, to, z);
  }
}

}                               // namespace

#endif /* STEREO_VIEW_ROW_CUH */
