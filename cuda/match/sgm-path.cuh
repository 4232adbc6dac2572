/* gst-stereomatching: a step of semi-global matching on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_SGM_PATH_CUH
#define STEREO_SGM_PATH_CUH

#include "match/sgm.cuh"

#define SGM_WARP 32
#define SGM_ALL 0xffffffffu

/* More than any L; a penalty more still fits 16 bits. */
#define SGM_NOWHERE 0xf0f0f0f0u

/* Where pixel i of a path is. */
struct SgmPlace
{
  int x;
  int y;
};

static __device__ __forceinline__ SgmPlace
sgm_place (const StereoSgmConstants & k, int way, int path, int i)
{
  SgmPlace p = { way == SGM_ROWS ? i : path, way == SGM_ROWS ? path : i };

  if (way >= SGM_DOWN_RIGHT) {
    p.x = (way == SGM_DOWN_RIGHT ? path + i : path - i) % k.width;
    p.x += p.x < 0 ? k.width : 0;
  }
  return p;
}

/* What a step needs to know of a pixel, in both halves of a word, or weights of
 * the predecessors beside the straight one. */
struct __align__ (16) SgmStep
{
  uint32_t p1;
  uint32_t p2;
  uint32_t b;
  uint32_t e;
};

/* A pixel and its predecessors in the left view; false where there is none. */
struct SgmSurroundings
{
  uint32_t pixel, straight, b, e;
  bool has_straight, has_b, has_e;
};

/* Pixel i of a path, whose predecessor is i - step.  b and e are those of the
 * paths beside it in its strip. */
template < bool THREE > __device__ __forceinline__ SgmSurroundings
sgm_look_around (const SgmArgs & a, int way, int path, int i, int step)
{
  const StereoSgmConstants & k = a.k;
  const StereoView *view = &a.views.left;
  const int before = i - step;
  const SgmPlace p = sgm_place (k, way, path, i);
  SgmSurroundings s = { };
  SgmPlace q;

  s.pixel = stereo_view_pixel (view, k.channels, p.x, p.y);
  if (before < 0 || before >= sgm_length (k, way))
    return s;
  q = sgm_place (k, way, path, before);
  /* a diagonal that begins anew at the other side */
  if (way >= SGM_DOWN_RIGHT
      && p.x - q.x != (way == SGM_DOWN_RIGHT ? step : -step))
    return s;
  s.has_straight = true;
  s.straight = stereo_view_pixel (view, k.channels, q.x, q.y);
  if (!THREE)
    return s;
  s.has_b = path % STEREO_SGM_STRIP > 0;
  s.has_e = path % STEREO_SGM_STRIP < STEREO_SGM_STRIP - 1
      && path + 1 < sgm_paths (k, way);
  if (s.has_b) {
    q = sgm_place (k, way, path - 1, before);
    s.b = stereo_view_pixel (view, k.channels, q.x, q.y);
  }
  if (s.has_e) {
    q = sgm_place (k, way, path + 1, before);
    s.e = stereo_view_pixel (view, k.channels, q.x, q.y);
  }
  return s;
}

/* Without a predecessor p2 is 0: then L is C, whatever was before. */
template < bool THREE > __device__ __forceinline__ SgmStep
sgm_make_step (const SgmArgs & a, const SgmSurroundings & s)
{
  const StereoSgmConstants & k = a.k;
  SgmStep step = { };

  if (!s.has_straight)
    return step;
  const uint32_t g = stereo_sgm_difference (k.channels, s.pixel, s.straight);
  const StereoSgmPenalty penalty = k.penalty[g];

  step.p1 = both (penalty.p1);
  step.p2 = both (penalty.p2);
  if (THREE) {
    const StereoSgmWeights w = stereo_sgm_weights (k.likeness[g], s.has_b
        ? k.likeness[stereo_sgm_difference (k.channels, s.pixel, s.b)] : 0,
        s.has_e ? k.likeness[stereo_sgm_difference (k.channels, s.pixel,
                s.e)] : 0);

    step.b = w.b;
    step.e = w.e;
  }
  return step;
}

/* The least of all lanes of a pixel. */
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
  {
#pragma unroll
    for (int i = LANES / 2; i > 0; i /= 2)
      v = min (v, __shfl_xor_sync (SGM_ALL, v, i));
    return v;
  }
}

/* The least disparity of all lanes of a pixel, in both halves. */
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

/* L after q, in place of it. */
template < class S > __device__ __forceinline__ void
sgm_advance (uint32_t (&q)[S::pairs], const uint32_t (&costs)[S::own / 4],
    const SgmStep & step)
{
  const int last = S::pairs - 1, lane = threadIdx.x % S::lanes;
  const uint32_t m = sgm_least < S > (q), jump = m + step.p2;
  uint32_t before = __shfl_up_sync (SGM_ALL, q[last], 1, S::lanes);
  uint32_t after = __shfl_down_sync (SGM_ALL, q[0], 1, S::lanes);
  uint32_t old;

  before = __byte_perm (lane == 0 ? SGM_NOWHERE : before, q[last], 0x5432);
  after = __byte_perm (q[0], lane == S::lanes - 1 ? SGM_NOWHERE : after,
      0x5432);
  old = before;
#pragma unroll
  for (int p = 0; p <= last; p++) {
    const uint32_t c = __byte_perm (costs[p / 2], 0, p % 2 ? 0x4341 : 0x4240);
    const uint32_t beside = __vminu2 (old, p < last ? q[p + 1] : after);

    old = q[p];
    /* no half borrows or carries: best >= m, and the sum is small */
    q[p] = c + __vimin3_u16x2 (old, jump, beside + step.p1) - m;
  }
}

/* q of three predecessors: the straight one in place of it, those beside it at
 * addresses. */
template < class S > __device__ __forceinline__ void
sgm_average (uint32_t (&q)[S::pairs], const uint32_t * at_b,
    const uint32_t * at_e, const SgmStep & step)
{
  uint32_t b[S::pairs], e[S::pairs];
  const uint32_t weight = 64 - step.b - step.e;

  load_words (at_b, b);
  load_words (at_e, e);
#pragma unroll
  for (int p = 0; p < S::pairs; p++)
    /* products of both halves: the sum of each is below 65536 */
    q[p] = (weight * q[p] + step.b * b[p] + step.e * e[p] + both (32)) >> 6
        & both (0x3ff);
}

#endif /* STEREO_SGM_PATH_CUH */
