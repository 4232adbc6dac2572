/* gst-stereomatching: common code of the refinement kernels
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_REFINE_CUH
#define STEREO_REFINE_CUH

#include "refine/refine.h"

#include "core/device.cuh"
#include "core/launch.cuh"
#include "core/queue-cuda.h"
#include "cost/difference.h"
#include "refine/output.h"
#include "refine/slope-formula.h"

static __device__ __forceinline__ uint16_t &
map_at (const StereoMap & map, int x, int y)
{
  return map.data[stereo_plane_offset (x, y, map.stride)];
}

static inline StereoMap
map_or_none (const StereoMap * map)
{
  return map != NULL ? *map : StereoMap { NULL, 0 };
}

/* Stores a final code.  final.data may be NULL. */
static __device__ __forceinline__ void
refine_store (const StereoMap & final, const StereoOutput & output, int x,
    int y, unsigned code)
{
  if (final.data != NULL)
    map_at (final, x, y) = (uint16_t) code;
  stereo_store_raw (&output, x, y, stereo_output_from_map (&output, code));
}

/* ------------------------------------------------------------------- slopes */

/* The slopes of a pixel: along x in the lower half of the word, along y in the
 * upper one. */
static __device__ __forceinline__ uint32_t &
slopes_at (const StereoRefineWork & work, int x, int y)
{
  return ((uint32_t *) work.slopes[0])[stereo_plane_offset (x, y,
          work.map.stride)];
}

/* An offset of at most 127, negated, as the second operand of a dot product. */
static __host__ __device__ __forceinline__ constexpr uint32_t
slope_offset (int dx, int dy)
{
  return ((uint32_t) -dx & 255) | ((uint32_t) -dy & 255) << 8;
}

/* stereo_slope_carry () plus limit: both limits take one instruction. */
static __device__ __forceinline__ int
slope_carry_plus (uint32_t slopes, uint32_t offset, int limit)
{
  return __viaddmin_s32_relu (__dp2a_lo ((int) slopes, (int) offset, 128) >> 8,
      limit, 2 * limit);
}

/* ------------------------------------------------------------------- stages */

StereoStatus stereo_cuda_fill (StereoQueue * queue,
    const StereoRefineConstants * k, const StereoRefineWork * work);
StereoStatus stereo_cuda_slopes (StereoQueue * queue,
    const StereoRefineConstants * k, const StereoRefineWork * work,
    const StereoMap * map);
StereoStatus stereo_cuda_vote_fill (StereoQueue * queue,
    const StereoRefineConstants * k, const StereoView * left,
    const StereoWinners * winners, const StereoRefineWork * work);
StereoStatus stereo_cuda_slanted_median (StereoQueue * queue,
    const StereoRefineConstants * k, const StereoView * left,
    const StereoRefineWork * work, const StereoMap * final,
    const StereoOutput * output);
StereoStatus stereo_cuda_confidence (StereoQueue * queue,
    const StereoRefineConstants * k, const StereoView * left,
    const StereoWinners * winners, const StereoRefineWork * work,
    const StereoOutput * output);

#endif /* STEREO_REFINE_CUH */
