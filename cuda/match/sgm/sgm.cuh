/* gst-stereomatching: common code of the sgm kernels
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The disparities of a pixel are distributed over `lanes` threads of a warp,
 * `own` per lane, in pairs of 16 bits: word p of a lane has its disparities p
 * and p + own / 2, so that adjacent words have their neighbours.  L has the
 * same layout in memory.  Costs are bytes: word w has those of p = 2 w and 2 w
 * + 1, and p + own / 2 two bytes above p.
 *
 * Beyond the last disparity costs are 255, the maximum.  L there is never below
 * that of the last disparity, so it has no effect.
 *
 * With ranges, disparities count from the begin of the range of a tile, a
 * multiple of `own`.  A tile, or a strip in the first pass, is processed by as
 * few lanes as cover its largest range.  Beyond a range costs are 255, too.
 */

#ifndef STEREO_SGM_CUH
#define STEREO_SGM_CUH

#include "core/device.cuh"
#include "core/launch.cuh"
#include "core/queue-cuda.h"
#include "match/sgm/sgm-formula.h"

/* Destination of the winners. */
struct SgmWinners
{
  StereoWinners winners;
  StereoMap map;
  StereoOutput output;
  bool refine;
  bool encode;
};

/* Orientations.  Each has a forward sweep, 2 way, and a backward sweep,
 * 2 way + 1 (stereo_sgm_sweeps). */
enum SgmWay
{
  SGM_ROWS, SGM_COLUMNS, SGM_DOWN_RIGHT, SGM_DOWN_LEFT
};

/* Three predecessors, if not one, and ranges of disparities. */
enum SgmMode
{
  SGM_ONE, SGM_THREE, SGM_RANGES
};

/* Tiles have the width of strips. */
#define SGM_TILE STEREO_SGM_STRIP

struct SgmArgs
{
  StereoSgmConstants k;
  StereoSgmViews views;
  uint8_t *costs;
  uint32_t *steps;              /* of each sweep, of all pixels: see
                                 * sgm_step_word() */
  /* L of each sweep where it enters tiles, through their first rows and first
   * columns: for all pixels of each tile row, and of each tile column. */
  uint32_t *into_rows[STEREO_SGM_MAX_SWEEPS];
  uint32_t *into_columns[STEREO_SGM_MAX_SWEEPS];
  int words;                    /* of a pixel's L in memory */
  uint32_t *sums;               /* of the current tiles, if they exceed shared
                                 * memory */
};

/* Distribution of disparities over lanes. */
template < int LANES, int OWN > struct SgmShape
{
  static const int lanes = LANES;
  static const int own = OWN;
  static const int n = LANES * OWN;
  static const int pairs = OWN / 2;
  static const int words = n / 2;       /* of a pixel's L */
  static const int segment = 64 / OWN;  /* pixels loaded together */
};

/* The disparities of a tile. */
struct SgmWindow
{
  int begin;                    /* from the first one of the search */
  int n;
};

static __device__ __forceinline__ SgmWindow
sgm_window (const SgmArgs & a, int x, int y)
{
  const uint32_t range = stereo_sgm_range (&a.k, &a.views,
      min (x, a.k.width - 1), min (y, a.k.height - 1));
  const SgmWindow window = { stereo_range_begin (range),
    stereo_range_end (range) - stereo_range_begin (range)
  };

  return window;
}

/* Whether n disparities are processed in this shape.  Above 256 disparities
 * searches have one shape only. */
template < class S > __device__ __forceinline__ bool
sgm_fits (int n)
{
  return S::own > 8 || (n <= S::n && (S::lanes <= 4 || n > S::n / 2));
}

/* Words of a pixel's L in memory. */
template < class S, SgmMode MODE > __device__ __forceinline__ int
sgm_words (const SgmArgs & a)
{
  return MODE == SGM_RANGES ? a.words : S::words;
}

/* Disparities whose sums fit the shared memory of any device; and the maximum
 * number of blocks that keep them in global memory. */
const int sgm_max_shared_anywhere = 64;
const int sgm_blocks_without_shared = 264;

/* Words of a lane, aligned to their size, up to 16 bytes. */
template < int N > __device__ __forceinline__ void
load_words (const void *from, uint32_t (&v)[N])
{
  if constexpr (N == 2) {
    const uint2 w = *(const uint2 *) from;

    v[0] = w.x;
    v[1] = w.y;
  } else {
#pragma unroll
    for (int i = 0; i < N; i += 4) {
      const uint4 w = ((const uint4 *) from)[i / 4];

      v[i] = w.x;
      v[i + 1] = w.y;
      v[i + 2] = w.z;
      v[i + 3] = w.w;
    }
  }
}

template < int N > __device__ __forceinline__ void
store_words (void *to, const uint32_t (&v)[N])
{
  if constexpr (N == 2) {
    *(uint2 *) to = make_uint2 (v[0], v[1]);
  } else {
#pragma unroll
    for (int i = 0; i < N; i += 4)
      ((uint4 *) to)[i / 4] = make_uint4 (v[i], v[i + 1], v[i + 2], v[i + 3]);
  }
}

/* Paths of an orientation, and pixels of a path.  Diagonal paths that leave the
 * image restart at the opposite side, so their number is the width. */
static __host__ __device__ __forceinline__ int
sgm_paths (const StereoSgmConstants & k, int way)
{
  return way == SGM_ROWS ? k.height : k.width;
}

static __host__ __device__ __forceinline__ int
sgm_length (const StereoSgmConstants & k, int way)
{
  return way == SGM_ROWS ? k.width : k.height;
}

static __host__ __device__ __forceinline__ int
sgm_tiles (int pixels)
{
  return (pixels + SGM_TILE - 1) / SGM_TILE;
}

/* Expands call (lanes, own) for n disparities. */
#define SGM_FOR_SHAPE(n, call) \
  do { \
    if ((n) <= 16) { \
      call (2, 8); \
    } else if ((n) <= 32) { \
      call (4, 8); \
    } else if ((n) <= 64) { \
      call (8, 8); \
    } else if ((n) <= 128) { \
      call (16, 8); \
    } else if ((n) <= 256) { \
      call (32, 8); \
    } else if ((n) <= 512) { \
      call (32, 16); \
    } else { \
      call (32, 32); \
    } \
  } while (0)

/* sgm-costs.cu: launches the costs of all pixels. */
void stereo_sgm_find_costs_cuda (StereoQueue * queue, const SgmArgs & a);

/* sgm-steps.cu: the step words of all sweeps; clears the right winners. */
void stereo_sgm_find_steps_cuda (StereoQueue * queue, const SgmArgs & a,
    const SgmWinners & w);

/* sgm-ahead.cu: all sweeps, to save L where they enter tiles. */
void stereo_sgm_look_ahead_cuda (StereoQueue * queue, const SgmArgs & a);

/* sgm-tiles.cu: the minimum shared memory of a block; and all sweeps and the
 * winners of each tile. */
size_t stereo_sgm_tile_bytes_cuda (const StereoSgmConstants & k);
void stereo_sgm_match_tiles_cuda (StereoQueue * queue, const SgmArgs & a,
    const SgmWinners & w);

/* sgm-tiles-one.cu, sgm-tiles-three.cu and sgm-tiles-ranges.cu: the same in
 * one mode. */
void stereo_sgm_match_tiles_one_cuda (StereoQueue * queue, const SgmArgs & a,
    const SgmWinners & w);
void stereo_sgm_match_tiles_three_cuda (StereoQueue * queue,
    const SgmArgs & a, const SgmWinners & w);
void stereo_sgm_match_tiles_ranges_cuda (StereoQueue * queue,
    const SgmArgs & a, const SgmWinners & w);

#endif /* STEREO_SGM_CUH */
