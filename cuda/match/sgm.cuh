/* gst-stereomatching: what the kernels of sgm share
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A pixel's disparities are with `lanes` threads of a warp, `own` of them with
 * each, in pairs of 16 bits: word p of a lane has its disparities p and
 * p + own / 2, so that the words beside it have their neighbours.  Sums and L
 * lie in memory like that, costs in bytes: word w has those of p = 2 w and
 * 2 w + 1, p + own / 2 two bytes above p.
 *
 * Behind the last disparity costs are 255, the highest there is: L there is
 * nowhere below that of the last one, and changes nothing.
 */

#ifndef STEREO_SGM_CUH
#define STEREO_SGM_CUH

#include "core/device.cuh"
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

/* The ways through the image; each is swept to and fro. */
enum SgmWay
{
  SGM_ROWS, SGM_COLUMNS, SGM_DOWN_RIGHT, SGM_DOWN_LEFT, SGM_MAX_WAYS
};

struct SgmArgs
{
  StereoSgmConstants k;
  StereoSgmViews views;
  uint8_t *costs;
  uint32_t *sums;
  uint32_t *checkpoints[SGM_MAX_WAYS];  /* L of the sweep to, before each
                                         * segment */
};

/* How disparities are dealt out to lanes. */
template < int LANES, int OWN > struct SgmShape
{
  static const int lanes = LANES;
  static const int own = OWN;
  static const int n = LANES * OWN;
  static const int pairs = OWN / 2;
  /* pixels of a path, of which shared memory holds some */
  static const int segment = n > 512 ? 1 : 64 / OWN;
};

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

/* Calls call (lanes, own, three) for the disparities of a problem. */
#define SGM_FOR_SHAPE(k, call) \
  do { \
    if ((k).three) { \
      if ((k).n <= 32) \
        call (4, 8, true); \
      else if ((k).n <= 64) \
        call (8, 8, true); \
      else if ((k).n <= 128) \
        call (16, 8, true); \
      else if ((k).n <= 256) \
        call (16, 16, true); \
      else if ((k).n <= 512) \
        call (16, 32, true); \
      else \
        call (32, 32, true); \
    } else { \
      if ((k).n <= 32) \
        call (4, 8, false); \
      else if ((k).n <= 64) \
        call (8, 8, false); \
      else if ((k).n <= 128) \
        call (16, 8, false); \
      else if ((k).n <= 256) \
        call (32, 8, false); \
      else if ((k).n <= 512) \
        call (32, 16, false); \
      else \
        call (32, 32, false); \
    } \
  } while (0)

/* Launches.  sgm-costs.cu: the costs of all pixels. */
void stereo_sgm_find_costs_cuda (const SgmArgs & a, cudaStream_t stream);

/* sgm-sweeps.cu: sweeps to, of the first ways, which leave checkpoints; and the
 * sweeps to and fro of a way, added to the sums, or with `first` the sums. */
void stereo_sgm_look_ahead_cuda (const SgmArgs & a, int n_ways,
    cudaStream_t stream);
void stereo_sgm_sweep_cuda (const SgmArgs & a, int way, bool first,
    cudaStream_t stream);

/* sgm-last.cu: those along the rows, which find the winners. */
void stereo_sgm_sweep_last_cuda (const SgmArgs & a, const SgmWinners & w,
    cudaStream_t stream);

#endif /* STEREO_SGM_CUH */
