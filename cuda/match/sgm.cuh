/* gst-stereomatching: what the kernels of sgm share
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A pixel's disparities are with `lanes` threads of a warp, `own` of them with
 * each, in pairs of 16 bits: word p of a lane has its disparities p and
 * p + own / 2, so that the words beside it have their neighbours.  L lies in
 * memory like that, costs in bytes: word w has those of p = 2 w and 2 w + 1,
 * p + own / 2 two bytes above p.
 *
 * Behind the last disparity costs are 255, the highest there is: L there is
 * nowhere below that of the last one, and changes nothing.
 */

#ifndef STEREO_SGM_CUH
#define STEREO_SGM_CUH

#include "core/device.cuh"
#include "core/launch.cuh"
#include "core/queue-cuda.h"
#include "match/sgm-pixel.h"

/* What the last of the sweeps leaves. */
struct SgmWinners
{
  StereoWinners winners;
  StereoMap map;
  StereoOutput output;
  bool refine;
  bool encode;
};

/* The ways through the image; each is swept to and fro: sweep 2 way is the
 * one to, 2 way + 1 the one fro (stereo_sgm_sweeps). */
enum SgmWay
{
  SGM_ROWS, SGM_COLUMNS, SGM_DOWN_RIGHT, SGM_DOWN_LEFT
};

/* Tiles are as large as strips are wide. */
#define SGM_TILE STEREO_SGM_STRIP

struct SgmArgs
{
  StereoSgmConstants k;
  StereoSgmViews views;
  uint8_t *costs;
  uint32_t *steps;              /* of each sweep, of all pixels: step_word () */
  /* L of each sweep where it comes into a tile through its first row and
   * through its first column, of all pixels there: of tile row after tile row,
   * and of tile column after tile column. */
  uint32_t *into_rows[STEREO_SGM_MAX_SWEEPS];
  uint32_t *into_columns[STEREO_SGM_MAX_SWEEPS];
  uint32_t *sums;               /* of the tiles that are worked on, for want of
                                 * shared memory */
};

/* How disparities are dealt out to lanes. */
template < int LANES, int OWN > struct SgmShape
{
  static const int lanes = LANES;
  static const int own = OWN;
  static const int n = LANES * OWN;
  static const int pairs = OWN / 2;
  static const int words = n / 2;       /* of a pixel's L */
  static const int segment = 64 / OWN;  /* pixels that are loaded together */
};

/* Sums of so many disparities fit any device's shared memory; else blocks may
 * leave them in memory, and there are not more of them than that. */
const int sgm_max_shared_anywhere = 64;
const int sgm_blocks_without_shared = 264;

static __device__ __forceinline__ uint32_t
both (uint32_t value)
{
  return value | value << 16;
}

/* Whole words of a lane, aligned to their size, 16 bytes at most. */
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

/* Paths of a way, and pixels of each: diagonal ones go on at the other side,
 * where they begin anew, so that there are as many as there are columns. */
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

/* Calls call (lanes, own) for the disparities of a problem. */
#define SGM_FOR_SHAPE(n, call) \
  do { \
    if ((n) <= 32) \
      call (4, 8); \
    else if ((n) <= 64) \
      call (8, 8); \
    else if ((n) <= 128) \
      call (16, 8); \
    else if ((n) <= 256) \
      call (32, 8); \
    else if ((n) <= 512) \
      call (32, 16); \
    else \
      call (32, 32); \
  } while (0)

/* Launches.  sgm-costs.cu: the costs of all pixels. */
void stereo_sgm_find_costs_cuda (StereoQueue * queue, const SgmArgs & a);

/* sgm-steps.cu: the steps of all sweeps; right winners begin with none. */
void stereo_sgm_find_steps_cuda (StereoQueue * queue, const SgmArgs & a,
    const SgmWinners & w);

/* sgm-ahead.cu: all sweeps, which leave their L in front of each tile. */
void stereo_sgm_look_ahead_cuda (StereoQueue * queue, const SgmArgs & a);

/* sgm-tiles.cu: the shared memory that a block needs at least; and all sweeps
 * of each tile, and the winners. */
size_t stereo_sgm_tile_bytes_cuda (const StereoSgmConstants & k);
void stereo_sgm_match_tiles_cuda (StereoQueue * queue, const SgmArgs & a,
    const SgmWinners & w);

#endif /* STEREO_SGM_CUH */
