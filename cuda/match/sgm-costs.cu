/* gst-stereomatching: matching costs for sgm on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A thread makes the costs of `own` disparities for a few pixels of a row, side
 * by side, which have most of their partners in common. */

#include "match/sgm.cuh"

namespace
{

const int threads = 256;
const int abreast = 8;

/* C of index i at pixel (x, y), of any cost and wherever that is. */
__device__ __forceinline__ uint32_t
cost_at (const SgmArgs & a, int x, int y, int i)
{
  const int d = a.k.min_disparity + a.k.first_index + i;
  const int xl = stereo_partner_column (a.k.width, x, d);

  if (i >= a.k.n)
    return 255;
  if (a.k.cost == STEREO_COST_CENSUS)
    return stereo_census_cost (stereo_census_word (&a.views.left_census, xl,
            y), stereo_census_word (&a.views.right_census, xl - d, y));
  return stereo_sgm_difference_cost (a.k.cost, a.k.channels,
      stereo_view_pixel (&a.views.left, a.k.channels, xl, y),
      stereo_view_pixel (&a.views.right, a.k.channels, xl - d, y));
}

template < int OWN > __device__ __forceinline__ void
store_costs (const uint32_t (&c)[OWN], uint8_t * target)
{
  uint32_t words[OWN / 4];

#pragma unroll
  for (int w = 0; w < OWN / 4; w++)
    /* products and sums go where shifts do not */
    words[w] = c[2 * w] + (c[2 * w + 1] << 8)
        + ((c[2 * w + OWN / 2] + (c[2 * w + 1 + OWN / 2] << 8)) << 16);
  store_words (target, words);
}

template < int LANES, int OWN > __global__ void
__launch_bounds__ (threads) find_costs (const __grid_constant__ SgmArgs a)
{
  const StereoSgmConstants & k = a.k;
  const int lane = threadIdx.x % LANES, y = blockIdx.y;
  const int x0 = (blockIdx.x * (threads / LANES) + threadIdx.x / LANES)
      * abreast;
  const int d0 = k.min_disparity + k.first_index + lane * OWN;
  const int d1 = d0 + OWN - 1;
  uint8_t *target = a.costs + ((size_t) y * k.width + x0) * (LANES * OWN)
      + lane * OWN;

  if (x0 >= k.width)
    return;
  if (k.cost != STEREO_COST_CENSUS || (lane + 1) * OWN > k.n || x0 < d1
      || x0 + abreast > k.width || x0 + abreast - 1 > k.width - 1 + d0) {
    for (int x = x0; x < min (x0 + abreast, k.width); x++) {
      uint32_t c[OWN];

#pragma unroll
      for (int i = 0; i < OWN; i++)
        c[i] = cost_at (a, x, y, lane * OWN + i);
      store_costs < OWN > (c, target);
      target += LANES * OWN;
    }
    return;
  }

  uint32_t bits[abreast + OWN - 1], gradients[abreast + OWN - 1];

#pragma unroll
  for (int i = 0; i < abreast + OWN - 1; i++) {
    const uint32_t right = stereo_census_word (&a.views.right_census,
        x0 - d1 + i, y);

    bits[i] = right & 0xffffff;
    gradients[i] = right >> 24;
  }
#pragma unroll
  for (int j = 0; j < abreast; j++) {
    const uint32_t left = stereo_census_word (&a.views.left_census, x0 + j, y);
    uint32_t c[OWN];

    /* stereo_census_cost() of words that are in two parts */
#pragma unroll
    for (int i = 0; i < OWN; i++)
      c[i] = STEREO_CENSUS_BIT_COST * __popc ((left & 0xffffff)
          ^ bits[j + OWN - 1 - i]) + STEREO_CENSUS_LEVEL_COST * min (__usad (
              left >> 24, gradients[j + OWN - 1 - i], 0),
          (unsigned) STEREO_CENSUS_MAX_LEVELS);
    store_costs < OWN > (c, target + j * (LANES * OWN));
  }
}

template < int LANES, int OWN > void
launch (const SgmArgs & a, cudaStream_t stream)
{
  const int wide = threads / LANES * abreast;

  find_costs < LANES, OWN > <<<dim3 ((a.k.width + wide - 1) / wide,
      a.k.height), threads, 0, stream>>> (a);
}

}                               // namespace

void
stereo_sgm_find_costs_cuda (const SgmArgs & a, cudaStream_t stream)
{
#define LAUNCH(lanes, own, three) launch < lanes, own > (a, stream)
  SGM_FOR_SHAPE (a.k, LAUNCH);
#undef LAUNCH
}
