/* gst-stereomatching: sweeps of sgm on CUDA that save L at tiles
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/sgm/sgm-sweep.cuh"

namespace
{

/* Resident blocks of a multiprocessor: 32 for 8.0 and 9.0, fewer for others. */
#if defined (__CUDA_ARCH__) && __CUDA_ARCH__ != 800 && __CUDA_ARCH__ < 900
const int max_blocks = 16;
#else
const int max_blocks = 32;
#endif

/* Paths of a block. */
template < class S, bool THREE > struct Block
{
  static const int paths = THREE ? STEREO_SGM_STRIP
      : S::lanes < 8 ? SGM_WARP / S::lanes : 4;
  static const int threads = paths * S::lanes;
  /* all blocks of four sweeps at 1920x1080 are resident */
  static const int wanted = (threads < 512 ? 768 : 1024) / threads;
  static const int per_multiprocessor = S::own > 8 ? 1
      : wanted < max_blocks ? wanted : max_blocks;
};

template < class S, bool THREE, bool DIAGONAL >
__device__ __forceinline__ void
sweep_along (const SgmArgs & a, int sweep, int block,
    SgmShown < S, Block < S, THREE >::paths > *shown)
{
  typedef Block < S, THREE > B;
  const StereoSgmConstants & k = a.k;
  const int way = sweep / 2;
  const int n_tiles = sgm_tiles (sgm_length (k, way));
  const SgmDirection direction = sgm_direction (sweep);
  SgmSweeper < S, THREE, B::paths > sweeper (a, 0, shown);
  const int path = block * B::paths + sweeper.place;
  const bool inside = path < sgm_paths (k, way);
  const int own_path = min (path, sgm_paths (k, way) - 1);
  const int begin = sweep % 2 ? n_tiles * SGM_TILE - 1 : 0;
  const int x = way == SGM_ROWS ? begin : own_path;
  const int y = way == SGM_ROWS ? own_path : begin;
  const SgmSource < S > source (a, sweep, sweeper.lane);
  SgmTrack < DIAGONAL > front (k, sweep, x, y, 0, k.width);
  SgmTrack < true > here (k, sweep, x, y, 0, k.width);
  /* the last column of a tile */
  const int leaving = direction.dx > 0 ? SGM_TILE - 1 : 0;
  SgmSegment < S > segment, next;
  /* the last tile has no successor, except in diagonals a neighbour */
  const int end = DIAGONAL ? n_tiles : n_tiles - 1;

  if (end == 0)
    return;
  sweeper.show ();
  source.load (k, front, segment);
  for (int tile = 0; tile < end; tile++) {
#pragma unroll
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
    if (!inside || tile + 1 == n_tiles)
      continue;
    const int to = sweep % 2 ? n_tiles - 2 - tile : tile + 1;

    if (way == SGM_ROWS)
      sweeper.store (a.into_columns[sweep] + ((size_t) to * k.height + path)
          * S::words);
    else
      sweeper.store (a.into_rows[sweep] + ((size_t) to * k.width
              + (DIAGONAL ? here.x : path)) * S::words);
  }
}

template < class S, bool THREE > int
sgm_blocks (const StereoSgmConstants & k, int sweep)
{
  return (sgm_paths (k, sweep / 2) + Block < S, THREE >::paths - 1)
      / Block < S, THREE >::paths;
}

/* All sweeps, those with the longest paths first. */
template < class S, bool THREE > __global__ void
__launch_bounds__ (Block < S, THREE >::threads,
    Block < S, THREE >::per_multiprocessor)
look_ahead (const __grid_constant__ SgmArgs a)
{
  typedef Block < S, THREE > B;
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
  if (THREE || sweep / 2 <= SGM_COLUMNS)
    sweep_along < S, THREE, false > (a, sweep, block, shown);
  else
    sweep_along < S, THREE, true > (a, sweep, block, shown);
}

template < class S, bool THREE > void
launch_ahead (StereoQueue * queue, const SgmArgs & a)
{
  int blocks = 0;

  for (int sweep = 0; sweep < a.k.n_sweeps; sweep++)
    blocks += sgm_blocks < S, THREE > (a.k, sweep);
  sgm_launch (queue, blocks, Block < S, THREE >::threads,
      THREE ? sizeof (SgmShown < S, Block < S, THREE >::paths >) : 0,
      look_ahead < S, THREE >, a);
}

}                               // namespace

void
stereo_sgm_look_ahead_cuda (StereoQueue * queue, const SgmArgs & a)
{
#define LAUNCH(lanes, own) \
  a.k.three ? launch_ahead < SgmShape < lanes, own >, true > (queue, a) \
  : launch_ahead < SgmShape < lanes, own >, false > (queue, a)
  SGM_FOR_SHAPE (a.k.n, LAUNCH);
#undef LAUNCH
}
