/* gst-stereomatching: the last sweeps of sgm on CUDA, and the winners
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The sweep to the left has all sums of a pixel, one pixel of a row after
 * another, so it finds the winners of both views. As x falls the disparities of
 * a right pixel fall, too: the candidates move from register to register, and
 * the one at the lowest disparity is a winner.
 */

#include "match/sgm-sweep.cuh"
#include "refine/output.h"
#include "refine/winner-pixel.h"

namespace
{

template < class S, bool THREE > struct Finder
{
  typedef SgmSweeper < S, THREE > Sweeper;
  typedef SgmSharedMemory < S, THREE > Shared;

  const SgmWinners & w;
  uint32_t *const best;         /* of a segment, of each path */
  const bool right;
  uint32_t candidates[S::own];  /* as stereo_winner_right_word() */

  __device__ __forceinline__ void
  store_right (const Sweeper & s, int x, uint32_t word)
  {
    if (s.inside && x >= 0 && x < s.a.k.width)
      stereo_winner_store_right (&w.winners, x, s.path, word);
  }

  __device__ __forceinline__ void
  begin (const Sweeper & s)
  {
    const StereoSgmConstants & k = s.a.k;

#pragma unroll
    for (int i = 0; i < S::own; i++)
      candidates[i] = STEREO_NO_WINNER;
    /* right pixels beyond the partner of the last left one */
    for (int x = k.width - k.min_disparity - k.first_index + s.lane;
        right && x < k.width; x += S::lanes)
      store_right (s, x, STEREO_NO_WINNER);
  }

  /* The candidates of the column one to the left. */
  __device__ __forceinline__ void
  compete (const Sweeper & s, int x, const uint32_t (&words)[S::own])
  {
    const int n = s.a.k.n - s.lane * S::own;
    uint32_t next = __shfl_down_sync (SGM_ALL, candidates[0], 1, S::lanes);

    next = s.lane == S::lanes - 1 ? STEREO_NO_WINNER : next;
#pragma unroll
    for (int i = 0; i < S::own; i++)
      candidates[i] = min (i + 1 < S::own ? candidates[i + 1] : next,
          i < n ? words[i] : STEREO_NO_WINNER);
    if (s.lane == 0)
      store_right (s, x - s.a.k.min_disparity - s.a.k.first_index,
          candidates[0]);
  }

  __device__ __forceinline__ void
  take (const Sweeper & s, int j, int i, uint32_t * other)
  {
    const uint32_t index = s.a.k.first_index + s.lane * S::own;
    uint32_t l[S::pairs], words[S::own], least = STEREO_NO_WINNER;

    load_words (other, l);
#pragma unroll
    for (int p = 0; p < S::pairs; p++) {
      l[p] += s.l[p];
      words[p] = l[p] << 16 | (index + p);
      words[p + S::pairs] = (l[p] & 0xffff0000) | (index + p + S::pairs);
      least = min (least, min (words[p], words[p + S::pairs]));
    }
    store_words (other, l);
    least = sgm_least_word < S::lanes > (least);
    if (s.lane == 0)
      best[s.place * S::segment + j] = least;
    if (right)
      compete (s, i, words);
  }

  /* The sum of index i of a pixel. */
  static __device__ __forceinline__ uint32_t
  sum_at (const uint32_t * pixel, int i)
  {
    const int own = i % S::own;

    return pixel[i / S::own * S::pairs + own % S::pairs]
        >> (own < S::pairs ? 0 : 16) & 0xffff;
  }

  /* The winners of a segment's left pixels; each lane does one. */
  __device__ __forceinline__ void
  finish (const Sweeper & s, int segment, Shared & shared)
  {
    const StereoSgmConstants & k = s.a.k;

    s.wait_for_team ();
    for (int j = s.lane; j < S::segment; j += S::lanes) {
      const uint32_t *pixel = shared.l[segment % 2][j][s.place];
      const int x = segment * S::segment + j;
      const uint32_t word = best[s.place * S::segment + j];
      const unsigned index = word & 0xffff;
      const int i = (int) index - k.first_index;

      if (!s.inside || x >= k.width)
        continue;
      if (w.refine)
        stereo_winner_store (&w.winners, x, s.path, index,
            sum_at (pixel, max (i - 1, 0)), word >> 16,
            sum_at (pixel, min (i + 1, k.n - 1)));
      else
        stereo_store_index (&w.map, w.encode ? &w.output : NULL, x, s.path,
            index);
    }
    s.wait_for_team ();
  }

  /* Right pixels to the left of the partner of the first left one. */
  __device__ __forceinline__ void
  end (const Sweeper & s)
  {
    const int x = -(s.a.k.min_disparity + s.a.k.first_index);

    if (!right)
      return;
#pragma unroll
    for (int i = 0; i < S::own; i++) {
      if (s.lane > 0 || i > 0)
        store_right (s, x - s.lane * S::own - i, candidates[i]);
    }
    for (int left = x - S::n - s.lane; left >= 0; left -= S::lanes)
      store_right (s, left, STEREO_NO_WINNER);
  }
};

template < class S, bool THREE > __global__ void
__launch_bounds__ (2 * SgmBlock < S, THREE >::team)
sweep (const __grid_constant__ SgmArgs a, const __grid_constant__ SgmWinners w)
{
  extern __shared__ uint4 shared[];
  __shared__ uint32_t best[SgmBlock < S, THREE >::paths * S::segment];
  Finder < S, THREE > finder = { w, best, w.refine && w.winners.right != NULL,
    { }
  };

  sgm_to_and_fro (a, SGM_ROWS, true, finder,
      *(SgmSharedMemory < S, THREE > *) shared);
}

template < class S, bool THREE > void
launch (const SgmArgs & a, const SgmWinners & w, cudaStream_t stream)
{
  sgm_launch_teams < S, THREE > (sweep < S, THREE >, sgm_paths (a.k, SGM_ROWS),
      stream, a, w);
}

}                               // namespace

void
stereo_sgm_sweep_last_cuda (const SgmArgs & a, const SgmWinners & w,
    cudaStream_t stream)
{
#define LAUNCH(lanes, own, three) \
  launch < SgmShape < lanes, own >, three > (a, w, stream)
  SGM_FOR_SHAPE (a.k, LAUNCH);
#undef LAUNCH
}
