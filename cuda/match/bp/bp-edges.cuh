/* gst-stereomatching: edges of bp on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Each pixel of a level has a record of jump and M for the four messages that
 * it sends.  bp-edges.cu computes those of level 0 and the left view of level 1
 * before the steps; the step that computes the data costs of another level
 * computes its records and the left view of the next one.
 */

#ifndef STEREO_BP_EDGES_CUH
#define STEREO_BP_EDGES_CUH

#include "match/bp/bp-words.cuh"

namespace
{

/*
 * Jump and M of the four messages of a pixel, in the order of registers: down,
 * up, right, left.  A record has
 *   int8     two words, the bytes of the jumps and of the M
 *   half     four, 16 bits each
 *   float    eight
 */
template < class F > struct Bounds
{
  static const int words = F::bytes ? 2 : F::packed ? 4 : 8;
  uint32_t w[words];

  /* Of message i, in both halves if packed. */
  __device__ __forceinline__ uint32_t of (int i, int first) const
  {
    if (F::bytes)
      return __byte_perm (w[first], 0, 0x4040 | i * 0x0101);
    if (F::packed)
      return __byte_perm (w[2 * first + i / 2], 0, i % 2 == 0 ? 0x1010
          : 0x3232);
    return w[4 * first + i];
  }

  __device__ __forceinline__ uint32_t jump (int i) const
  {
    return of (i, 0);
  }

  __device__ __forceinline__ uint32_t largest (int i) const
  {
    return of (i, 1);
  }

  /* Of messages 2 i and 2 i + 1, in both halves. */
  __device__ __forceinline__ uint32_t both (int i, int first) const
  {
    if (F::bytes)
      return __byte_perm (w[first], 0, 0x4040 | (2 * i + 1) << 8 | 2 * i);
    return w[2 * first + i];
  }

  /* Cost of a change by all words of a lane. */
  __device__ __forceinline__ uint32_t across (int i) const
  {
    return min2 < F > (jump (i) * F::words, largest (i));
  }
};

/* The record of a pixel by its differences to the neighbours below, above,
 * right and left. */
__device__ __forceinline__ void
store_record (int precision, const uint2 * table, const uint32_t (&g)[4],
    uint8_t * records, size_t pixel)
{
  uint2 t[4];

#pragma unroll
  for (int j = 0; j < 4; j++)
    t[j] = table[g[j]];
  if (precision == STEREO_BP_PRECISION_INT8) {
    ((uint2 *) records)[pixel] = make_uint2 (t[0].x | t[1].x << 8
        | t[2].x << 16 | t[3].x << 24, t[0].y | t[1].y << 8 | t[2].y << 16
        | t[3].y << 24);
  } else if (precision == STEREO_BP_PRECISION_HALF) {
    ((uint4 *) records)[pixel] = make_uint4 (t[0].x | t[1].x << 16,
        t[2].x | t[3].x << 16, t[0].y | t[1].y << 16, t[2].y | t[3].y << 16);
  } else {
    ((uint4 *) records)[2 * pixel] = make_uint4 (t[0].x, t[1].x, t[2].x,
        t[3].x);
    ((uint4 *) records)[2 * pixel + 1] = make_uint4 (t[0].y, t[1].y, t[2].y,
        t[3].y);
  }
}

template < class F > __device__ __forceinline__ Bounds < F >
load_bounds (const BpArgs & a, const BpLevel & level, int x, int y)
{
  const size_t pixel = (size_t) y * level.width + x;
  Bounds < F > b;

  if (level.edges == NULL) {
#pragma unroll
    for (int i = 0; i < b.words; i++)
      b.w[i] = a.bounds[i];
  } else if (F::bytes) {
    const uint2 record = __ldcg ((const uint2 *) level.edges + pixel);

    b.w[0] = record.x;
    b.w[1] = record.y;
  } else {
#pragma unroll
    for (int i = 0; i < b.words / 4; i++) {
      const uint4 part = __ldcg ((const uint4 *) level.edges
          + pixel * (b.words / 4) + i);

#pragma unroll
      for (int j = 0; j < 4; j++)
        b.w[4 * i + j] = word (part, j);
    }
  }
  return b;
}

__device__ __forceinline__ uint32_t
guide_at (const BpLevel & level, int x, int y)
{
  return __ldcg (level.guide + (size_t) min (y, level.height - 1)
      * level.width + min (x, level.width - 1));
}

/* The records of level l, and the left view of the next coarser level. */
template < class F > __device__ __forceinline__ void
edge_step (const BpArgs & a, int l)
{
  const BpLevel & level = a.level[l];
  const BpLevel & next = a.level[l + 1 < a.n_levels ? l + 1 : l];
  const int thread = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  const int threads = (int) (gridDim.x * blockDim.x);

#pragma unroll 1
  for (int i = thread; i < level.width * level.height; i += threads) {
    const int y = i / level.width, x = i - y * level.width;
    const uint32_t own = guide_at (level, x, y);
    const uint32_t g[4] = {
      stereo_difference_max (own, guide_at (level, x, y + 1)),
      stereo_difference_max (own, guide_at (level, x, max (y - 1, 0))),
      stereo_difference_max (own, guide_at (level, x + 1, y)),
      stereo_difference_max (own, guide_at (level, max (x - 1, 0), y))
    };

    store_record (F::precision, a.table, g, level.edges, (size_t) i);
  }
  if (l + 1 == a.n_levels)
    return;
#pragma unroll 1
  for (int i = thread; i < next.width * next.height; i += threads) {
    const int y = i / next.width, x = i - y * next.width;

    next.guide[i] = stereo_bp_mean (guide_at (level, 2 * x, 2 * y),
        guide_at (level, 2 * x + 1, 2 * y), guide_at (level, 2 * x,
            2 * y + 1), guide_at (level, 2 * x + 1, 2 * y + 1));
  }
}

}                               // namespace

#endif /* STEREO_BP_EDGES_CUH */
