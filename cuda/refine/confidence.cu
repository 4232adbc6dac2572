/* gst-stereomatching: confidence of a disparity map, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "refine/refine.cuh"
#include "refine/weight.cuh"

#include "refine/confidence-formula.h"

namespace
{

struct ConfidenceArgs
{
  StereoRefineConstants k;
  StereoView left;
  StereoWinners winners;
  StereoRefineWork work;
  StereoOutput output;          /* data is NULL if it is not wanted */
};

/* The share of a ring that supports the code of (x, y). */
template < int CHANNELS, int RING > __device__ __forceinline__ uint32_t
ring_share (const ConfidenceArgs & a, int x, int y, uint32_t center,
    unsigned code)
{
  const int radius = STEREO_CONFIDENCE_RADIUS (RING);
  const int step = STEREO_CONFIDENCE_STEP (RING);
  const int limit = stereo_vote_limit (a.k.unit);
  uint32_t supporting = 0, whole = 0;

#pragma unroll 1
  for (int dy = -radius; dy <= radius; dy += step) {
    const int v = y + dy;

    if (v < 0 || v >= a.k.height)
      continue;
#pragma unroll
    for (int dx = -radius; dx <= radius; dx += step) {
      const int u = x + dx;

      if (u < 0 || u >= a.k.width)
        continue;
      const uint32_t weight = pixel_weight < CHANNELS > (a.k, center,
          stereo_view_pixel (&a.left, CHANNELS, u, v));

      whole += weight;
      if (stereo_confidence_supports (a.k.unit, map_at (a.work.map, u, v),
              slope_carry (slopes_at (a.work, u, v), slope_offset (dx, dy),
                  limit), code))
        supporting += weight;
    }
  }
  return stereo_confidence_share (supporting, whole);
}

template < int CHANNELS > __global__ void
__launch_bounds__ (256)
confidence_kernel (const __grid_constant__ ConfidenceArgs a)
{
  int x, y;
  uint8_t confidence = 0;

  pdl_wait ();
  if (!stereo_own_pixel (a.k.width, a.k.height, &x, &y))
    return;
  const unsigned code = map_at (a.work.final, x, y);

  if (code != STEREO_INVALID) {
    const uint32_t center = stereo_view_pixel (&a.left, CHANNELS, x, y);
    const uint32_t ratio = stereo_confidence_ratio (a.k.unit,
        map_at (a.work.map, x, y),
        a.winners.left[(size_t) y * a.winners.left_stride + x]);
    const uint32_t near = ring_share < CHANNELS, 0 > (a, x, y, center, code);
    const uint32_t far = ring_share < CHANNELS, 1 > (a, x, y, center, code);

    confidence = stereo_confidence (stereo_confidence_key (ratio, near, far));
  }
  if (a.k.min_confidence > 0)
    a.work.confidence[(size_t) y * a.k.width + x] = confidence;
  if (a.output.data != NULL)
    stereo_store_raw (&a.output, x, y, stereo_output_confidence (&a.output,
            confidence));
}

}                               // namespace

StereoStatus
stereo_cuda_confidence (StereoQueue * queue, const StereoRefineConstants * k,
    const StereoView * left, const StereoWinners * winners,
    const StereoRefineWork * work, const StereoOutput * output)
{
  const ConfidenceArgs args = { *k, *left, *winners, *work,
    output != NULL ? *output : StereoOutput { }
  };

  return run_kernel (queue, "confidence_kernel", true,
      stereo_pixel_grid (k->width, k->height), stereo_pixel_block, 0,
      k->channels == 1 ? confidence_kernel < 1 > : confidence_kernel < 3 >,
      args);
}
