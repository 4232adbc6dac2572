/* gst-stereomatching: sweeps of sgm on CUDA that others follow
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/sgm-sweep.cuh"

namespace
{

/* All ways at once, those with the longest paths first. */
template < class S, bool THREE > __global__ void
__launch_bounds__ (SgmBlock < S, THREE >::team)
look_ahead (const __grid_constant__ SgmArgs a)
{
  typedef SgmBlock < S, THREE > Block;
  extern __shared__ uint4 shared[];
  int way = SGM_ROWS, block = blockIdx.x;

  for (;; way++) {
    const int blocks = (sgm_paths (a.k, way) + Block::paths - 1)
        / Block::paths;

    if (block < blocks)
      break;
    block -= blocks;
  }

  SgmSweeper < S, THREE > sweeper (a, *(SgmTeamMemory < S, THREE > *) shared,
      way, block * Block::paths, 1);
  const int n_segments = (sweeper.length + S::segment - 1) / S::segment;

  sweeper.look_forward (0);
  sweeper.go_on (0);
  for (int segment = 0; segment + 1 < n_segments; segment++) {
    sweeper.look_forward (segment + 1);
#pragma unroll
    for (int j = 0; j < S::segment; j++)
      sweeper.advance (segment, j);
    if (sweeper.inside)
      store_words (sweeper.checkpoint (segment + 1), sweeper.l);
    sweeper.go_on (segment + 1);
  }
}

/* Makes both L the sums, the first of which may have those before in it. */
template < class S, bool THREE > struct Adder
{
  typedef SgmSweeper < S, THREE > Sweeper;

  __device__ __forceinline__ void
  begin (const Sweeper &)
  {
  }

  __device__ __forceinline__ void
  take (const Sweeper & s, int, int i, uint32_t * other)
  {
    uint32_t l[S::pairs];

    load_words (other, l);
#pragma unroll
    for (int p = 0; p < S::pairs; p++)
      l[p] += s.l[p];
    if (s.inside)
      store_words (SgmSums < S, THREE >::address (s, i), l);
  }

  __device__ __forceinline__ void
  finish (const Sweeper &, int, SgmSharedMemory < S, THREE > &)
  {
  }

  __device__ __forceinline__ void
  end (const Sweeper &)
  {
  }
};

template < class S, bool THREE > __global__ void
__launch_bounds__ (2 * SgmBlock < S, THREE >::team)
sweep (const __grid_constant__ SgmArgs a, int way, bool first)
{
  extern __shared__ uint4 shared[];
  Adder < S, THREE > adder;

  sgm_to_and_fro (a, way, !first, adder,
      *(SgmSharedMemory < S, THREE > *) shared);
}

template < class S, bool THREE > void
launch_ahead (const SgmArgs & a, int n_ways, cudaStream_t stream)
{
  typedef SgmBlock < S, THREE > Block;
  const size_t bytes = sizeof (SgmTeamMemory < S, THREE >);
  int blocks = 0;

  for (int way = 0; way < n_ways; way++)
    blocks += (sgm_paths (a.k, way) + Block::paths - 1) / Block::paths;
  if (cudaFuncSetAttribute (look_ahead < S, THREE >,
          cudaFuncAttributeMaxDynamicSharedMemorySize, (int) bytes)
      != cudaSuccess)
    return;
  look_ahead < S, THREE > <<<blocks, Block::team, bytes, stream>>> (a);
}

template < class S, bool THREE > void
launch (const SgmArgs & a, int way, bool first, cudaStream_t stream)
{
  sgm_launch_teams < S, THREE > (sweep < S, THREE >, sgm_paths (a.k, way),
      stream, a, way, first);
}

}                               // namespace

void
stereo_sgm_look_ahead_cuda (const SgmArgs & a, int n_ways, cudaStream_t stream)
{
#define LAUNCH(lanes, own, three) \
  launch_ahead < SgmShape < lanes, own >, three > (a, n_ways, stream)
  SGM_FOR_SHAPE (a.k, LAUNCH);
#undef LAUNCH
}

void
stereo_sgm_sweep_cuda (const SgmArgs & a, int way, bool first,
    cudaStream_t stream)
{
#define LAUNCH(lanes, own, three) \
  launch < SgmShape < lanes, own >, three > (a, way, first, stream)
  SGM_FOR_SHAPE (a.k, LAUNCH);
#undef LAUNCH
}
