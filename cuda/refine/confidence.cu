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

/* Whether the samples of all pixels of the block are inside the image. */
__device__ __forceinline__ bool
block_is_inside (const ConfidenceArgs & a, int radius)
{
  const int x = (int) (blockIdx.x * blockDim.x);
  const int y = (int) (blockIdx.y * blockDim.y);

  return x >= radius && x + (int) blockDim.x + radius <= a.k.width
      && y >= radius && y + (int) blockDim.y + radius <= a.k.height;
}

/* The share of a ring that supports the code of (x, y).  inside: all samples
 * are inside the image */
template < int CHANNELS, int RING > __device__ __forceinline__ uint32_t
ring_share (const ConfidenceArgs & a, int x, int y, uint32_t center,
    unsigned code, bool inside)
{
  const int radius = STEREO_CONFIDENCE_RADIUS (RING);
  const int step = STEREO_CONFIDENCE_STEP (RING);
  const int limit = stereo_vote_limit (a.k.unit);
  const int tolerance = stereo_vote_tolerance (a.k.unit);
  uint32_t supporting = 0, whole = 0;

#pragma unroll 1
  for (int dy = -radius; dy <= radius; dy += step) {
    const int v = y + dy;

    if (!inside && (unsigned) v >= (unsigned) a.k.height)
      continue;
    const uint16_t *codes = &map_at (a.work.map, x, v);
    const uint32_t *slopes = &slopes_at (a.work, x, v);
    const auto *colors = color_at < CHANNELS > (a.left, x, v);

#pragma unroll
    for (int dx = -radius; dx <= radius; dx += step) {
      if (!inside && (unsigned) (x + dx) >= (unsigned) a.k.width)
        continue;
      const uint32_t weight = color_weight (color_halvings < CHANNELS > (a.k,
              center, colors[dx] & 0xffffff), weight_origin);
      const int from = codes[dx];
      /* stereo_confidence_supports (), by a difference from 0 on */
      const int difference = from + slope_carry_plus (slopes[dx],
          slope_offset (dx, dy), limit) + (tolerance - limit - (int) code);

      whole += weight;
      if (from != STEREO_INVALID && (unsigned) difference <= 2u * tolerance)
        supporting += weight;
    }
  }
  /* without the exponents of the origin of weights */
  return stereo_confidence_share (supporting & 0xffffff, whole & 0xffffff);
}

template < int CHANNELS, int RING > __device__ __forceinline__ uint32_t
find_share (const ConfidenceArgs & a, int x, int y, uint32_t center,
    unsigned code)
{
  return block_is_inside (a, STEREO_CONFIDENCE_RADIUS (RING))
      ? ring_share < CHANNELS, RING > (a, x, y, center, code, true)
      : ring_share < CHANNELS, RING > (a, x, y, center, code, false);
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
    const uint32_t near = find_share < CHANNELS, 0 > (a, x, y, center, code);
    const uint32_t far = find_share < CHANNELS, 1 > (a, x, y, center, code);

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
