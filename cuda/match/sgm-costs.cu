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

/* The words of a lane's costs at pixel (x, y). */
template < int LANES, int OWN > __device__ __forceinline__ void
find_words (const SgmArgs & a, int x, int y, uint32_t (&words)[OWN / 4])
{
  const int first = threadIdx.x % LANES * OWN;

#pragma unroll
  for (int w = 0; w < OWN / 4; w++)
    words[w] = cost_at (a, x, y, first + 2 * w)
        | cost_at (a, x, y, first + 2 * w + 1) << 8
        | cost_at (a, x, y, first + 2 * w + OWN / 2) << 16
        | cost_at (a, x, y, first + 2 * w + 1 + OWN / 2) << 24;
}

/* Gradients of this pixel and the one to the left, in the lower bytes. */
__device__ __forceinline__ uint32_t
two_gradients (const uint32_t * right)
{
  return __byte_perm (right[0], right[-1], 0x0073);
}

/* Differences of gradients, in both halves of a word, as far as they count. */
__device__ __forceinline__ uint32_t
cut_levels (uint32_t levels)
{
  return __vminu2 (levels, both (STEREO_CENSUS_MAX_LEVELS));
}

/* A word of costs: of a left pixel with the right one of the word's first
 * disparity and that to the left of it, and of those HALF columns to the left
 * of them.  stereo_census_cost() of four at a time. */
template < int HALF > __device__ __forceinline__ uint32_t
census_costs (uint32_t left, const uint32_t * right)
{
  const uint32_t levels = __vabsdiffu4 (__byte_perm (left, 0, 0x3333),
      __byte_perm (two_gradients (right), two_gradients (right - HALF),
          0x5410));
  /* of the disparities in even bytes, and in odd ones */
  const uint32_t even = cut_levels (__byte_perm (levels, 0, 0x4240));
  const uint32_t odd = cut_levels (__byte_perm (levels, 0, 0x4341));
  uint32_t bits[4];

#pragma unroll
  for (int i = 0; i < 4; i++)
    bits[i] = __popc ((left ^ right[-(i / 2 * HALF + i % 2)]) & 0xffffff);
  /* products and sums go where shifts do not */
  return STEREO_CENSUS_BIT_COST * ((bits[0] + 65536 * bits[2])
      + 256 * (bits[1] + 65536 * bits[3]))
      + STEREO_CENSUS_LEVEL_COST * (even + 256 * odd);
}

/* Those of the pixels from x0 on, of disparities from d0 on: all of them have
 * words, and partners but for the first ones of a row, with BORDER. */
template < int LANES, int OWN, bool BORDER > __device__ __forceinline__ void
find_abreast (const SgmArgs & a, int x0, int y, int d0, uint8_t * target)
{
  const int d1 = d0 + OWN - 1;
  uint32_t right[abreast + OWN - 1], first[OWN / 4];

  /* of the first column that has a partner, for those that have none */
  if (BORDER)
    find_words < LANES, OWN > (a, 0, y, first);
#pragma unroll
  for (int i = 0; i < abreast + OWN - 1; i++)
    right[i] = stereo_census_word (&a.views.right_census,
        BORDER ? max (x0 - d1 + i, 0) : x0 - d1 + i, y);
#pragma unroll
  for (int j = 0; j < abreast; j++) {
    const uint32_t left = stereo_census_word (&a.views.left_census, x0 + j, y);
    uint32_t words[OWN / 4];

#pragma unroll
    for (int w = 0; w < OWN / 4; w++) {
      words[w] = census_costs < OWN / 2 > (left, right + j + OWN - 1 - 2 * w);
      if (BORDER) {
        const uint32_t indices = (2 * w) * 0x01010101u + 0x0100
            + OWN / 2 * 0x01010000u + 0x01000000;
        const uint32_t partners = min (max (x0 + j + 1 - d0, 0), OWN);
        const uint32_t without = __vcmpgeu4 (indices, partners * 0x01010101u);

        words[w] = (first[w] & without) | (words[w] & ~without);
      }
    }
    store_words (target + j * (LANES * OWN), words);
  }
}

template < int LANES, int OWN > __global__ void
__launch_bounds__ (threads) find_costs (const __grid_constant__ SgmArgs a)
{
  const StereoSgmConstants & k = a.k;
  const int lane = threadIdx.x % LANES, y = blockIdx.y;
  const int x0 = (blockIdx.x * (threads / LANES) + threadIdx.x / LANES)
      * abreast;
  const int d0 = k.min_disparity + k.first_index + lane * OWN;
  uint8_t *target = a.costs + ((size_t) y * k.width + x0) * (LANES * OWN)
      + lane * OWN;

  pdl_wait ();
  if (x0 >= k.width)
    return;
  if (k.cost != STEREO_COST_CENSUS || (lane + 1) * OWN > k.n
      || x0 + abreast > k.width || x0 + abreast - 1 > k.width - 1 + d0) {
    for (int x = x0; x < min (x0 + abreast, k.width); x++) {
      uint32_t words[OWN / 4];

      find_words < LANES, OWN > (a, x, y, words);
      store_words (target, words);
      target += LANES * OWN;
    }
  } else if (x0 < d0 + OWN - 1) {
    find_abreast < LANES, OWN, true > (a, x0, y, d0, target);
  } else {
    find_abreast < LANES, OWN, false > (a, x0, y, d0, target);
  }
}

template < int LANES, int OWN > void
launch (StereoQueue * queue, const SgmArgs & a)
{
  const int wide = threads / LANES * abreast;

  launch_overlapping (queue, dim3 ((a.k.width + wide - 1) / wide, a.k.height),
      threads, 0, find_costs < LANES, OWN >, a);
}

}                               // namespace

void
stereo_sgm_find_costs_cuda (StereoQueue * queue, const SgmArgs & a)
{
#define LAUNCH(lanes, own) launch < lanes, own > (queue, a)
  SGM_FOR_SHAPE (a.k.n, LAUNCH);
#undef LAUNCH
}
