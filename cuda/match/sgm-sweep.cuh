/* gst-stereomatching: sweeps of semi-global matching on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A block has a few paths side by side, or a strip of them.  The sweeps to and
 * fro along them are to be added up, but they meet every pixel at different
 * times.  So a sweep to goes ahead and leaves its L in front of every segment.
 * Then one team of threads does the segments of the sweep to once more, from
 * the last one to the first, and leaves its L and the sums so far in shared
 * memory; the other team, a segment behind it, does the sweep fro and takes
 * them.
 */

#ifndef STEREO_SGM_SWEEP_CUH
#define STEREO_SGM_SWEEP_CUH

#include "match/sgm-path.cuh"

/* Paths of a block. */
template < class S, bool THREE > struct SgmBlock
{
  static const int paths = THREE ? STEREO_SGM_STRIP
      : S::lanes < 8 ? SGM_WARP / S::lanes : 4;
  static const int team = paths * S::lanes;     /* threads */
  static const int words = S::n / 2;    /* of a pixel's L */
};

/* A team's own part of shared memory. */
template < class S, bool THREE > struct SgmTeamMemory
{
  typedef SgmBlock < S, THREE > Block;

  SgmStep steps[2][Block::paths][S::segment];
  /* L of two pixels of each path, in turn */
  __align__ (16) uint32_t l[THREE ? 2 : 1][THREE ? Block::paths : 1]
      [THREE ? Block::words : 1];
};

/* A team's thread. */
template < class S, bool THREE > struct SgmSweeper
{
  typedef SgmBlock < S, THREE > Block;

  const SgmArgs & a;
  SgmTeamMemory < S, THREE > &memory;
  const int way, step;
  const int lane, place, length;
  int path;
  bool inside;                  /* else it does what another one does, too */
  int parity;                   /* of the pixel before in memory.l */
  uint32_t l[S::pairs];
  uint32_t costs[S::segment][S::own / 4];
  /* Those of the segment after it. All loads of a segment come together, and
   * are waited for together: one by one they would wait for each other. */
  uint32_t more_costs[S::segment][S::own / 4];
  SgmSurroundings around[(S::segment + S::lanes - 1) / S::lanes];

  __device__ __forceinline__
  SgmSweeper (const SgmArgs & args, SgmTeamMemory < S, THREE > &mine,
      int the_way, int first_path, int the_step)
  : a (args), memory (mine), way (the_way), step (the_step),
    lane (threadIdx.x % S::lanes),
    place (threadIdx.x / S::lanes % Block::paths),
    length (sgm_length (args.k, the_way)), parity (0)
  {
    const int n_paths = sgm_paths (a.k, way);

    path = first_path + place;
    inside = path < n_paths;
    path = min (path, n_paths - 1);
#pragma unroll
    for (int p = 0; p < S::pairs; p++)
      l[p] = 0;
    show ();
  }

  __device__ __forceinline__ size_t
  pixel (int i) const
  {
    const SgmPlace p = sgm_place (a.k, way, path, i);

    return (size_t) (p.y * a.k.width + p.x);
  }

  __device__ __forceinline__ void
  wait_for_team () const
  {
    if (!THREE)
      __syncwarp ();
    else if (step > 0)
      asm volatile ("bar.sync 1, %0;"::"n" (Block::team):"memory");
    else
      asm volatile ("bar.sync 2, %0;"::"n" (Block::team):"memory");
  }

  /* Lets those beside it see L. */
  __device__ __forceinline__ void
  show ()
  {
    if (THREE) {
      store_words (memory.l[parity][place] + lane * S::pairs, l);
      wait_for_team ();
    }
  }

  __device__ __forceinline__ void
  load_costs (int segment)
  {
#pragma unroll
    for (int j = 0; j < S::segment; j++)
      load_words (a.costs + pixel (min (segment * S::segment + j,
                  length - 1)) * S::n + lane * S::own, more_costs[j]);
  }

  /* Begins to load what is needed of a segment, while there is one before. */
  __device__ __forceinline__ void
  look_forward (int segment)
  {
    look_around (segment);
    load_costs (segment);
  }

  __device__ __forceinline__ void
  go_on (int segment)
  {
#pragma unroll
    for (int j = 0; j < S::segment; j++) {
#pragma unroll
      for (int w = 0; w < S::own / 4; w++)
        costs[j][w] = more_costs[j][w];
    }
    make_steps (segment);
  }

  /* The views around a segment; what follows from them is for another time,
   * when they are there. */
  __device__ __forceinline__ void
  look_around (int segment)
  {
#pragma unroll
    for (int r = 0; r * S::lanes < S::segment; r++)
      around[r] = sgm_look_around < THREE > (a, way, path, min (segment
              * S::segment + r * S::lanes + lane, length - 1), step);
  }

  __device__ __forceinline__ void
  make_steps (int segment)
  {
#pragma unroll
    for (int r = 0; r * S::lanes < S::segment; r++) {
      const int j = r * S::lanes + lane;

      if (j < S::segment)
        memory.steps[segment % 2][place][j] = sgm_make_step < THREE > (a,
            around[r]);
    }
    wait_for_team ();
  }

  /* L of pixel j of a segment. */
  __device__ __forceinline__ void
  advance (int segment, int j)
  {
    const SgmStep s = memory.steps[segment % 2][place][j];

    if (THREE) {
      const int at = lane * S::pairs;

      sgm_average < S > (l, memory.l[parity][max (place - 1, 0)] + at,
          memory.l[parity][min (place + 1, Block::paths - 1)] + at, s);
      parity ^= 1;
    }
    sgm_advance < S > (l, costs[j], s);
    show ();
  }

  __device__ __forceinline__ uint32_t *
  checkpoint (int segment) const
  {
    return a.checkpoints[way] + ((size_t) segment * sgm_paths (a.k, way)
        + path) * Block::words + lane * S::pairs;
  }
};

template < class S, bool THREE > struct SgmSharedMemory
{
  typedef SgmBlock < S, THREE > Block;

  SgmTeamMemory < S, THREE > team[2];
  /* L of the sweep to, in two segments */
  __align__ (16) uint32_t l[2][S::segment][Block::paths][Block::words];
};

/* The sums of a segment so far, of all pixels with the same predecessors. */
template < class S, bool THREE > struct SgmSums
{
  uint32_t sums[S::segment][S::pairs];

  static __device__ __forceinline__ uint32_t *
  address (const SgmSweeper < S, THREE > &s, int i)
  {
    return s.a.sums + s.pixel (i) * SgmBlock < S, THREE >::words
        + s.lane * S::pairs;
  }

  __device__ __forceinline__ void
  load (const SgmSweeper < S, THREE > &s, int segment)
  {
#pragma unroll
    for (int j = 0; j < S::segment; j++)
      load_words (address (s, min (segment * S::segment + j, s.length - 1)),
          sums[j]);
  }

  /* Adds them to a segment of L in shared memory. */
  __device__ __forceinline__ void
  add (uint32_t * l, int stride) const
  {
#pragma unroll
    for (int j = 0; j < S::segment; j++) {
      uint32_t sum[S::pairs];

      load_words (l + j * stride, sum);
#pragma unroll
      for (int p = 0; p < S::pairs; p++)
        sum[p] += sums[j][p];
      store_words (l + j * stride, sum);
    }
  }
};

/* A segment of the sweep to, once more, and with `more` the sums so far.
 * `coming` is L before it, and becomes that before the next one. */
template < class S, bool THREE > __device__ __forceinline__ void
sgm_repeat (SgmSweeper < S, THREE > &sweeper, int segment, bool more,
    uint32_t (&coming)[S::pairs], SgmSharedMemory < S, THREE > &shared)
{
  typedef SgmBlock < S, THREE > Block;
  uint32_t *l = shared.l[segment % 2][0][sweeper.place]
      + sweeper.lane * S::pairs;
  SgmSums < S, THREE > sums;

#pragma unroll
  for (int p = 0; p < S::pairs; p++)
    sweeper.l[p] = coming[p];
  sweeper.show ();
  if (more)
    sums.load (sweeper, segment);
  if (segment > 0)
    sweeper.look_forward (segment - 1);
  if (segment > 1)
    load_words (sweeper.checkpoint (segment - 1), coming);
#pragma unroll
  for (int j = 0; j < S::segment; j++) {
    if (segment * S::segment + j < sweeper.length) {
      sweeper.advance (segment, j);
      store_words (l + j * Block::paths * Block::words, sweeper.l);
    }
  }
  if (more)
    sums.add (l, Block::paths * Block::words);
  if (segment > 0)
    sweeper.go_on (segment - 1);
}

/* A segment of the sweep fro: sink takes both L. */
template < class S, bool THREE, class Sink > __device__ __forceinline__ void
sgm_return (SgmSweeper < S, THREE > &sweeper, int segment, Sink & sink,
    SgmSharedMemory < S, THREE > &shared)
{
  if (segment > 0)
    sweeper.look_forward (segment - 1);
#pragma unroll
  for (int j = S::segment - 1; j >= 0; j--) {
    const int i = segment * S::segment + j;

    if (i < sweeper.length) {
      sweeper.advance (segment, j);
      sink.take (sweeper, j, i, shared.l[segment % 2][j][sweeper.place]
          + sweeper.lane * S::pairs);
    }
  }
  sink.finish (sweeper, segment, shared);
  if (segment > 0)
    sweeper.go_on (segment - 1);
}

template < class S, bool THREE, class Sink > __device__ __forceinline__ void
sgm_to_and_fro (const SgmArgs & a, int way, bool more, Sink & sink,
    SgmSharedMemory < S, THREE > &shared)
{
  typedef SgmBlock < S, THREE > Block;

  const int team = threadIdx.x / Block::team;
  SgmSweeper < S, THREE > sweeper (a, shared.team[team], way,
      blockIdx.x * Block::paths, team == 0 ? 1 : -1);
  const int n_segments = (sweeper.length + S::segment - 1) / S::segment;
  uint32_t coming[S::pairs] = { };

  sweeper.look_forward (n_segments - 1);
  if (team == 0 && n_segments > 1)
    load_words (sweeper.checkpoint (n_segments - 1), coming);
  if (team == 1)
    sink.begin (sweeper);
  sweeper.go_on (n_segments - 1);
  for (int segment = n_segments - 1; segment >= -1; segment--) {
    if (team == 0 && segment >= 0)
      sgm_repeat (sweeper, segment, more, coming, shared);
    if (team == 1 && segment + 1 < n_segments)
      sgm_return (sweeper, segment + 1, sink, shared);
    __syncthreads ();
  }
  if (team == 1)
    sink.end (sweeper);
}

/* Block and shared memory of such a kernel. */
template < class S, bool THREE, class Kernel, class... Arguments > void
sgm_launch_teams (Kernel kernel, int n_paths, cudaStream_t stream,
    const Arguments &... arguments)
{
  typedef SgmBlock < S, THREE > Block;
  const size_t bytes = sizeof (SgmSharedMemory < S, THREE >);

  if (cudaFuncSetAttribute (kernel,
          cudaFuncAttributeMaxDynamicSharedMemorySize, (int) bytes)
      != cudaSuccess)
    return;
  kernel <<<(n_paths + Block::paths - 1) / Block::paths, 2 * Block::team,
      bytes, stream>>> (arguments...);
}

#endif /* STEREO_SGM_SWEEP_CUH */
