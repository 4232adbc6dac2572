/* gst-stereomatching: a step of semi-global matching on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_SGM_PATH_CUH
#define STEREO_SGM_PATH_CUH

#include "match/sgm/sgm.cuh"

#define SGM_WARP 32
#define SGM_ALL 0xffffffffu

/* Infinite L: more than any L, and plus a penalty within 16 bits. */
#define SGM_INFINITE 0xf0f0f0f0u

/* The direction of a sweep. */
struct SgmDirection
{
  int dx;
  int dy;
};

static __device__ __forceinline__ SgmDirection
sgm_direction (int sweep)
{
  const int way = sweep / 2, step = sweep % 2 ? -1 : 1;
  const SgmDirection direction = {
    way == SGM_COLUMNS ? 0 : way == SGM_DOWN_LEFT ? -step : step,
    way == SGM_ROWS ? 0 : step
  };

  return direction;
}

/* A step in a word: P2 in the lower half, above it the weights of the
 * neighbours of the straight predecessor, a byte each.  Without a predecessor
 * P2 is 0, which makes L equal to C. */
static __device__ __forceinline__ uint32_t
sgm_step_word (uint32_t p2, uint32_t b, uint32_t e)
{
  return p2 | b << 16 | e << 24;
}

static __device__ __forceinline__ uint32_t
sgm_step_p2 (uint32_t step)
{
  return __byte_perm (step, 0, 0x1010);
}

/* The minimum over the lanes of a pixel. */
template < int LANES > __device__ __forceinline__ uint32_t
sgm_least_word (uint32_t v)
{
#if __CUDA_ARCH__ >= 800
  if constexpr (LANES == SGM_WARP) {
    return __reduce_min_sync (SGM_ALL, v);
  } else if constexpr (LANES == SGM_WARP / 2) {
    const bool upper = threadIdx.x & LANES;
    const uint32_t a = __reduce_min_sync (SGM_ALL, upper ? SGM_ALL : v);
    const uint32_t b = __reduce_min_sync (SGM_ALL, upper ? v : SGM_ALL);

    return upper ? b : a;
  } else
#endif
  if constexpr (LANES >= 4) {
    /* one latency for three shuffles */
    const int i = LANES / 4;
    const uint32_t a = __shfl_xor_sync (SGM_ALL, v, i);
    const uint32_t b = __shfl_xor_sync (SGM_ALL, v, 2 * i);
    const uint32_t c = __shfl_xor_sync (SGM_ALL, v, 3 * i);

    return sgm_least_word < i > (min (min (v, a), min (b, c)));
  } else {
    return LANES == 1 ? v : min (v, __shfl_xor_sync (SGM_ALL, v, 1));
  }
}

/* The minimum over the disparities of a pixel, in both halves. */
template < class S > __device__ __forceinline__ uint32_t
sgm_least (const uint32_t (&v)[S::pairs])
{
  uint32_t m = v[0];

#pragma unroll
  for (int p = 1; p + 1 < S::pairs; p += 2)
    m = __vimin3_u16x2 (m, v[p], v[p + 1]);
  m = __vminu2 (m, v[S::pairs - 1]);
  m = __vminu2 (m, __byte_perm (m, m, 0x1032));
  return sgm_least_word < S::lanes > (m);
}

/* Replaces q by L plus the returned minimum of q.  p1 is the maximum P1. */
template < class S > __device__ __forceinline__ uint32_t
sgm_advance (uint32_t (&q)[S::pairs], const uint32_t (&costs)[S::own / 4],
    uint32_t step, uint32_t p1)
{
  const int last = S::pairs - 1, lane = threadIdx.x % S::lanes;
  const uint32_t p2 = sgm_step_p2 (step), own_p1 = __vminu2 (p1, p2);
  const uint32_t m = sgm_least < S > (q), jump = m + p2;
  uint32_t before = __shfl_up_sync (SGM_ALL, q[last], 1, S::lanes);
  uint32_t after = __shfl_down_sync (SGM_ALL, q[0], 1, S::lanes);
  uint32_t old;

  before = __byte_perm (lane == 0 ? SGM_INFINITE : before, q[last], 0x5432);
  after = __byte_perm (q[0], lane == S::lanes - 1 ? SGM_INFINITE : after,
      0x5432);
  old = before;
#pragma unroll
  for (int p = 0; p <= last; p++) {
    const uint32_t c = __byte_perm (costs[p / 2], 0, p % 2 ? 0x4341 : 0x4240);
    const uint32_t neighbor = __vminu2 (old, p < last ? q[p + 1] : after);

    old = q[p];
    /* the sums are small, so no half carries */
    q[p] = c + __vimin3_u16x2 (old, jump, neighbor + own_p1);
  }
  return m;
}

/* Replaces q, L of the straight predecessor, by the average with its neighbours
 * b and e. */
template < class S > __device__ __forceinline__ void
sgm_average (uint32_t (&q)[S::pairs], const uint32_t (&b)[S::pairs],
    const uint32_t (&e)[S::pairs], uint32_t step)
{
  const uint32_t weight_b = step >> 16 & 255, weight_e = step >> 24;
  const uint32_t weight = 64 - weight_b - weight_e;

#pragma unroll
  for (int p = 0; p < S::pairs; p++)
    /* products of both halves: the sum of each is below 65536 */
    q[p] = (weight * q[p] + weight_b * b[p] + weight_e * e[p]
        + splat_u16 (32)) >> 6 & splat_u16 (0x3ff);
}

#endif /* STEREO_SGM_PATH_CUH */
