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

/*
 * Hole filling skips rows without a valid code; rows[] flags the others.
 * Readers of a filled map replace a skipped row by the nearest flagged row
 * above, otherwise below.  rows is NULL for any other map.
 */
static __device__ __forceinline__ int
filled_row (const uint8_t * rows, int height, int y)
{
  int from = y;

  if (rows == NULL || rows[y] != 0)
    return y;
  while (from >= 0 && rows[from] == 0)
    from--;
  if (from < 0) {
    from = y;
    while (from < height - 1 && rows[from] == 0)
      from++;
  }
  return from;
}

static __device__ __forceinline__ const uint16_t *
map_row (const StereoMap & map, int y)
{
  return map.data + (size_t) y * map.stride;
}

static inline const uint8_t *
rows_of (const StereoRefineConstants * k, const StereoRefineWork * work,
    const StereoMap * map)
{
  return k->fill && map->data == work->filled.data ? work->rows : NULL;
}

/* Stages of weighted.cu. */
StereoStatus stereo_cuda_weigh (StereoQueue * queue,
    const StereoRefineConstants * k, const StereoView * left,
    const StereoRefineWork * work);
StereoStatus stereo_cuda_finish_weighted (StereoQueue * queue,
    const StereoRefineConstants * k, const StereoView * left,
    const StereoRefineWork * work, const StereoMap * map,
    const StereoOutput * output);

#endif /* STEREO_REFINE_CUH */
