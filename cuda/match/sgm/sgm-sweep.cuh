/* gst-stereomatching: sweeps of semi-global matching on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_SGM_SWEEP_CUH
#define STEREO_SGM_SWEEP_CUH

#include "match/sgm/sgm-path.cuh"

/*
 * The pixels of a path in order, from (x, y) on.  Pixels beyond the right or
 * lower edge of the image are clamped to it.
 */
template < bool DIAGONAL > struct SgmTrack
{
  int first;                    /* pixel of the line */
  int i;
  int step;
  int last;
  int stride;

  __device__ __forceinline__
  SgmTrack (const StereoSgmConstants & k, int sweep, int x, int y, int, int)
  {
    const SgmDirection d = sgm_direction (sweep);
    const bool row = d.dy == 0;

    first = row ? min (y, k.height - 1) * k.width : min (x, k.width - 1);
    i = row ? x : y;
    step = d.dx + d.dy;
    last = (row ? k.width : k.height) - 1;
    stride = row ? 1 : k.width;
  }

  __device__ __forceinline__ int
  next (const StereoSgmConstants &)
  {
    const int pixel = first + min (i, last) * stride;

    i += step;
    return pixel;
  }
};

/* Diagonal paths that leave the columns x0 to x1 - 1 continue at the opposite
 * side. */
template <> struct SgmTrack < true >
{
  int x, y;
  SgmDirection direction;
  int edge, other;

  __device__ __forceinline__
  SgmTrack (const StereoSgmConstants &, int sweep, int the_x, int the_y,
      int x0, int x1)
  : x (the_x), y (the_y), direction (sgm_direction (sweep)),
    edge (direction.dx > 0 ? x1 : x0 - 1),
    other (direction.dx > 0 ? x0 : x1 - 1)
  {
  }

  __device__ __forceinline__ int
  next (const StereoSgmConstants & k)
  {
    const int pixel = min (y, k.height - 1) * k.width + min (x, k.width - 1);

    x += direction.dx;
    x = x == edge ? other : x;
    y += direction.dy;
    return pixel;
  }
};

/* Input of the steps of consecutive pixels, loaded together to overlap their
 * latencies. */
template < class S > struct SgmSegment
{
  uint32_t costs[S::segment][S::own / 4];
  uint32_t steps[S::segment];
};

/* Memory that the segments of a sweep are loaded from. */
template < class S, SgmMode MODE > struct SgmSource
{
  const uint8_t *costs;         /* of this lane */
  const uint32_t *steps;
  const int stride;             /* bytes of a pixel's costs */

  __device__ __forceinline__
  SgmSource (const SgmArgs & a, int sweep, int lane)
  : costs (a.costs + lane * S::own),
    steps (a.steps + (size_t) sweep * a.k.height * a.k.width),
    stride (2 * sgm_words < S, MODE > (a))
  {
    /* keeps the pointers in registers: recomputing them for each pixel takes as
     * long as the sweep */
    asm ("":"+l" (costs), "+l" (steps));
    __builtin_assume (__isGlobal (costs) && __isGlobal (steps));
  }

  template < class TRACK > __device__ __forceinline__ void
  load (const StereoSgmConstants & k, TRACK & track,
      SgmSegment < S > &segment) const
  {
#pragma unroll
    for (int j = 0; j < S::segment; j++) {
      const int pixel = track.next (k);

      load_words (costs + (int64_t) pixel * stride, segment.costs[j]);
      segment.steps[j] = steps[pixel];
    }
  }
};

/* L of the current and the previous pixel of each path, for its neighbours. */
template < class S, int PATHS > struct SgmShown
{
  uint32_t l[2][PATHS][S::words];
};

/*
 * A thread of a team that sweeps along a few paths.  L is l minus base.  With
 * three predecessors a team has the paths of a strip.
 */
template < class S, SgmMode MODE, int PATHS > struct SgmSweeper
{
  /* neighbouring paths exchange L through shared memory, unless the team is a
   * warp */
  static const bool shows = MODE != SGM_ONE && PATHS * S::lanes > SGM_WARP;

  const int lane = threadIdx.x % S::lanes;
  const int place = threadIdx.x / S::lanes % PATHS;
  const int team;
  const uint32_t p1;
  SgmShown < S, PATHS > *shown;
  uint32_t base = 0;
  uint32_t l[S::pairs];
  int parity = 0;               /* of the last shown L */
  SgmWindow window = { 0, 0 };  /* of the current tile; only with ranges */

  __device__ __forceinline__
  SgmSweeper (const SgmArgs & a, int the_team, SgmShown < S, PATHS > *of_team)
  : team (the_team), p1 (splat_u16 (a.k.penalty[0].p1)), shown (of_team)
  {
    clear ();
  }

  __device__ __forceinline__ void
  clear ()
  {
#pragma unroll
    for (int p = 0; p < S::pairs; p++)
      l[p] = 0;
    base = 0;
  }

  /* Shows L to the neighbouring paths. */
  __device__ __forceinline__ void
  show ()
  {
    if (!shows)
      return;
    store_words (shown->l[parity][place] + lane * S::pairs, l);
    /* a barrier of the team; barrier 0 is that of __syncthreads () */
    asm volatile ("bar.sync %0, %1;"::"r" (team + 1),
        "n" (PATHS * S::lanes):"memory");
  }

  /* Finds L of the neighbouring paths.  At an end of the strip, L of the path
   * itself replaces the missing one. */
  __device__ __forceinline__ void
  find_neighbors (uint32_t (&before)[S::pairs], uint32_t (&behind)[S::pairs])
  {
    if constexpr (shows) {
      const int at = lane * S::pairs;

      load_words (shown->l[parity][max (place - 1, 0)] + at, before);
      load_words (shown->l[parity][min (place + 1, PATHS - 1)] + at, behind);
      parity ^= 1;
    } else {
#pragma unroll
      for (int p = 0; p < S::pairs; p++) {
        before[p] = __shfl_up_sync (SGM_ALL, l[p], S::lanes);
        behind[p] = __shfl_down_sync (SGM_ALL, l[p], S::lanes);
      }
    }
  }

  /* Moves L of the pixels before a tile to its range.  Both ranges begin at
   * multiples of `own`. */
  __device__ __forceinline__ void
  enter (const SgmArgs & a, int x, int y)
  {
    if constexpr (MODE == SGM_RANGES) {
      const SgmWindow next = sgm_window (a, x, y);
      const int from = lane + (next.begin - window.begin) / S::own;
      const bool common = from >= 0 && from * S::own < window.n
          && lane * S::own < next.n;

#pragma unroll
      for (int p = 0; p < S::pairs; p++) {
        const uint32_t moved = __shfl_sync (SGM_ALL, l[p],
            from & (S::lanes - 1), S::lanes);

        l[p] = common ? moved : splat_u16 (STEREO_SGM_NO_PATH);
      }
      window = next;
    }
  }

  __device__ __forceinline__ void
  take (const uint32_t * from)
  {
    load_words (from + lane * S::pairs, l);
    base = 0;
  }

  __device__ __forceinline__ void
  store (uint32_t * to) const
  {
    uint32_t v[S::pairs];

#pragma unroll
    for (int p = 0; p < S::pairs; p++)
      v[p] = l[p] - base;
    store_words (to + lane * S::pairs, v);
  }

  __device__ __forceinline__ void
  advance (const SgmSegment < S > &segment, int j)
  {
    if (MODE != SGM_ONE) {
      uint32_t before[S::pairs], behind[S::pairs];

      find_neighbors (before, behind);
      sgm_average < S > (l, before, behind, segment.steps[j]);
    }
    base = sgm_advance < S > (l, segment.costs[j], segment.steps[j], p1);
    if (MODE != SGM_ONE) {
      settle ();
      show ();
    }
  }

  /* Subtracts base from l, before it overflows. */
  __device__ __forceinline__ void
  settle ()
  {
#pragma unroll
    for (int p = 0; p < S::pairs; p++)
      l[p] -= base;
    base = 0;
  }
};

template < typename... Parameters, typename... Arguments > void
sgm_launch (StereoQueue * queue, dim3 blocks, int threads, size_t shared_bytes,
    void (*kernel) (Parameters...), const Arguments &... arguments)
{
  /* errors appear where launches are checked */
  (void) cudaFuncSetAttribute (kernel,
      cudaFuncAttributeMaxDynamicSharedMemorySize, (int) shared_bytes);
  launch_overlapping (queue, blocks, threads, shared_bytes, kernel,
      arguments...);
}

#endif /* STEREO_SGM_SWEEP_CUH */
