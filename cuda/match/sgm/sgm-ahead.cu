/* gst-stereomatching: sweeps of sgm on CUDA that save L at tiles
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/sgm/sgm-sweep.cuh"

namespace
{

/* Resident blocks of a multiprocessor, at least: 32 for 8.0 and from 9.0 on,
 * where 24 are used. */
#if defined (__CUDA_ARCH__) && __CUDA_ARCH__ != 800 && __CUDA_ARCH__ < 900
const int max_blocks = 16;
#else
const int max_blocks = 32;
#endif

/* Paths of a block. */
template < class S, SgmMode MODE > struct Block
{
  static const int paths = MODE != SGM_ONE ? STEREO_SGM_STRIP
      : S::lanes < 8 ? SGM_WARP / S::lanes : 4;
  static const int threads = paths * S::lanes;
  /* all blocks of four sweeps at 1920x1080 are resident */
  static const int wanted = (threads < 512 ? 768 : 1024) / threads;
  static const int per_multiprocessor = S::own > 8 ? 1
      : wanted < max_blocks ? wanted : max_blocks;
};

template < class S, SgmMode MODE, bool DIAGONAL >
__device__ __forceinline__ void
sweep_along (const SgmArgs & a, int sweep, int block,
    SgmShown < S, Block < S, MODE >::paths > *shown)
{
  typedef Block < S, MODE > B;
  const StereoSgmConstants & k = a.k;
  const int way = sweep / 2;
  const int n_tiles = sgm_tiles (sgm_length (k, way));
  const SgmDirection direction = sgm_direction (sweep);
  SgmSweeper < S, MODE, B::paths > sweeper (a, 0, shown);
  const int path = block * B::paths + sweeper.place;
  const bool inside = path < sgm_paths (k, way);
  const int own_path = min (path, sgm_paths (k, way) - 1);
  const int begin = sweep % 2 ? n_tiles * SGM_TILE - 1 : 0;
  const int x = way == SGM_ROWS ? begin : own_path;
  const int y = way == SGM_ROWS ? own_path : begin;
  const SgmSource < S, MODE > source (a, sweep, sweeper.lane);
  SgmTrack < DIAGONAL > front (k, sweep, x, y, 0, k.width);
  SgmTrack < true > here (k, sweep, x, y, 0, k.width);
  /* the last column of a tile */
  const int leaving = direction.dx > 0 ? SGM_TILE - 1 : 0;
  SgmSegment < S > segment, next;
  /* the last tile has no successor, except in diagonals a neighbour */
  const int end = DIAGONAL ? n_tiles : n_tiles - 1;

  if (end == 0)
    return;
  if (MODE == SGM_RANGES)
    sweeper.window = sgm_window (a, x, y);
  sweeper.show ();
  source.load (k, front, segment);
  for (int tile = 0; tile < end; tile++) {
    /* twice, so that both segments stay in their registers */
#pragma unroll 2
    for (int part = 0; part < SGM_TILE / S::segment; part++) {
      if (part + 1 < SGM_TILE / S::segment || tile + 1 < end)
        source.load (k, front, next);
#pragma unroll
      for (int j = 0; j < S::segment; j++) {
        sweeper.advance (segment, j);
        if (DIAGONAL) {
          const bool leaves = here.x % SGM_TILE == leaving;
          const bool valid = inside && here.y < k.height;
          const int to = here.x + direction.dx;

          here.next (k);
          if (leaves && valid && here.x == to && here.y >= 0
              && here.y < k.height)
            sweeper.store (a.into_columns[sweep] + ((size_t) (to / SGM_TILE)
                    * k.height + here.y) * S::words);
        }
      }
      segment = next;
    }
    sweeper.settle ();
    const int to = sweep % 2 ? n_tiles - 2 - tile : tile + 1;

    if (MODE == SGM_RANGES) {
      sweeper.enter (a, way == SGM_ROWS ? to * SGM_TILE : x,
          way == SGM_ROWS ? y : to * SGM_TILE);
      if (tile + 1 < end)
        sweeper.show ();
    }
    if (!inside || tile + 1 == n_tiles)
      continue;
    if (way == SGM_ROWS)
      sweeper.store (a.into_columns[sweep] + ((size_t) to * k.height + path)
          * sgm_words < S, MODE > (a));
    else
      sweeper.store (a.into_rows[sweep] + ((size_t) to * k.width
              + (DIAGONAL ? here.x : path)) * sgm_words < S, MODE > (a));
  }
}

template < class S, SgmMode MODE > int
sgm_blocks (const StereoSgmConstants & k, int sweep)
{
  return (sgm_paths (k, sweep / 2) + Block < S, MODE >::paths - 1)
      / Block < S, MODE >::paths;
}

/* Sweeps a strip in this shape, if it is that of its largest range. */
template < class S >
__device__ __forceinline__ void
sweep_strip (const SgmArgs & a, int sweep, int block, int n, void *shown)
{
  if (sgm_fits < S > (n)
      && threadIdx.x < Block < S, SGM_RANGES >::threads)
    sweep_along < S, SGM_RANGES, false > (a, sweep, block,
        (SgmShown < S, STEREO_SGM_STRIP > *) shown);
}

/* The largest range of a strip. */
__device__ __forceinline__ int
find_largest_range (const SgmArgs & a, int sweep, int block)
{
  __shared__ int most;
  const bool rows = sweep / 2 == SGM_ROWS;
  const int length = rows ? a.k.width : a.k.height;

  if (threadIdx.x == 0)
    most = 0;
  __syncthreads ();
  for (int i = threadIdx.x * STEREO_RANGE_TILE; i < length;
      i += blockDim.x * STEREO_RANGE_TILE)
    atomicMax (&most, sgm_window (a, rows ? i : block * STEREO_SGM_STRIP,
            rows ? block * STEREO_SGM_STRIP : i).n);
  __syncthreads ();
  return most;
}

template < class S >
__device__ __forceinline__ void
sweep_ranges (const SgmArgs & a, int sweep, int block, void *shown)
{
  const int n = find_largest_range (a, sweep, block);

  sweep_strip < S > (a, sweep, block, n, shown);
  if constexpr (S::own == 8) {
    if constexpr (S::lanes > 4)
      sweep_strip < SgmShape < 4, 8 >> (a, sweep, block, n, shown);
    if constexpr (S::lanes > 8)
      sweep_strip < SgmShape < 8, 8 >> (a, sweep, block, n, shown);
    if constexpr (S::lanes > 16)
      sweep_strip < SgmShape < 16, 8 >> (a, sweep, block, n, shown);
  }
}

/* All sweeps, those with the longest paths first. */
template < class S, SgmMode MODE > __global__ void
__launch_bounds__ (Block < S, MODE >::threads,
    Block < S, MODE >::per_multiprocessor)
look_ahead (const __grid_constant__ SgmArgs a)
{
  typedef Block < S, MODE > B;
  extern __shared__ uint4 shared[];
  SgmShown < S, B::paths > *shown = (SgmShown < S, B::paths > *) shared;
  int sweep = 0, block = blockIdx.x;

  pdl_wait ();
  for (;; sweep++) {
    const int blocks = (sgm_paths (a.k, sweep / 2) + B::paths - 1) / B::paths;

    if (block < blocks)
      break;
    block -= blocks;
  }
  if constexpr (MODE == SGM_RANGES)
    sweep_ranges < S > (a, sweep, block, shown);
  else if (MODE != SGM_ONE || sweep / 2 <= SGM_COLUMNS)
    sweep_along < S, MODE, false > (a, sweep, block, shown);
  else
    sweep_along < S, MODE, true > (a, sweep, block, shown);
}

template < class S, SgmMode MODE > void
launch_ahead (StereoQueue * queue, const SgmArgs & a)
{
  int blocks = 0;

  for (int sweep = 0; sweep < a.k.n_sweeps; sweep++)
    blocks += sgm_blocks < S, MODE > (a.k, sweep);
  sgm_launch (queue, blocks, Block < S, MODE >::threads,
      MODE != SGM_ONE ? sizeof (SgmShown < S, Block < S, MODE >::paths >) : 0,
      look_ahead < S, MODE >, a);
}

}                               // namespace

void
stereo_sgm_look_ahead_cuda (StereoQueue * queue, const SgmArgs & a)
{
#define LAUNCH(lanes, own) \
  typedef SgmShape < lanes, own > Shape; \
  if (a.k.ranges) \
    launch_ahead < Shape, SGM_RANGES > (queue, a); \
  else if (a.k.three) \
    launch_ahead < Shape, SGM_THREE > (queue, a); \
  else \
    launch_ahead < Shape, SGM_ONE > (queue, a)
  SGM_FOR_SHAPE (a.k.n, LAUNCH);
#undef LAUNCH
}
