/* gst-stereomatching: matching costs for sgm on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A thread computes the costs of `own` disparities for neighbouring pixels of a
 * row, which share most of their partners. */

#include "cost/cost.cuh"
#include "match/sgm/sgm.cuh"

namespace
{

const int threads = 256;
const int pixels_per_thread = 8;

/* C of index i at pixel (x, y), for any position; 255 beyond the search.
 * USES_WORDS: the cost does, otherwise it may. */
template < bool USES_WORDS > __device__ __forceinline__ uint32_t
cost_at (const SgmArgs & a, int x, int y, int i)
{
  const int d = a.k.min_disparity + a.k.first_index + i;
  const int xl = stereo_partner_column (a.k.width, x, d);

  if (i >= a.k.n)
    return 255;
  if (USES_WORDS)
    return stereo_words_cost (stereo_word_at (&a.views.left_words, xl, y),
        stereo_word_at (&a.views.right_words, xl - d, y));
  return stereo_sgm_cost (&a.k, &a.views, xl, y, d);
}

/* The cost words of index `first` and those after it at pixel (x, y). */
template < int OWN, bool USES_WORDS > __device__ __forceinline__ void
find_words (const SgmArgs & a, int x, int y, int first,
    uint32_t (&words)[OWN / 4])
{
  /* The last two words are new, and the others move down: a loop is small, but
   * cannot index registers. */
#pragma unroll 1
  for (int i = first; i < first + OWN / 2; i += 4) {
#pragma unroll
    for (int w = 0; w < OWN / 4 - 2; w++)
      words[w] = words[w + 2];
#pragma unroll
    for (int w = 0; w < 2; w++)
      words[OWN / 4 - 2 + w] = cost_at < USES_WORDS > (a, x, y, i + 2 * w)
          | cost_at < USES_WORDS > (a, x, y, i + 2 * w + 1) << 8
          | cost_at < USES_WORDS > (a, x, y, i + 2 * w + OWN / 2) << 16
          | cost_at < USES_WORDS > (a, x, y, i + 2 * w + 1 + OWN / 2) << 24;
  }
}

/* Cost words of the pixels from x0 on, for disparities from d0 on.  All pixels
 * exist.  With BORDER the first pixels of the row may have no partner. */
template < int LANES, int OWN, bool BORDER > __device__ __forceinline__ void
find_word_costs (const SgmArgs & a, int x0, int y, int index,
    uint8_t * target)
{
  const int d0 = a.k.min_disparity + a.k.first_index + index;
  const int d1 = d0 + OWN - 1;
  uint32_t right[pixels_per_thread + OWN - 1], first[OWN / 4] = { };

  /* of the first column with a partner, for columns without */
  if (BORDER)
    find_words < OWN, true > (a, 0, y, index, first);
#pragma unroll
  for (int i = 0; i < pixels_per_thread + OWN - 1; i++)
    right[i] = stereo_word_at (&a.views.right_words,
        BORDER ? max (x0 - d1 + i, 0) : x0 - d1 + i, y);
#pragma unroll
  for (int j = 0; j < pixels_per_thread; j++) {
    const uint32_t left = stereo_word_at (&a.views.left_words, x0 + j, y);
    uint32_t words[OWN / 4];

#pragma unroll
    for (int w = 0; w < OWN / 4; w++) {
      /* the partner at the first disparity of the word */
      const uint32_t *own = right + j + OWN - 1 - 2 * w;
      const uint32_t partners[4] = { own[0], own[-1], own[-OWN / 2],
        own[-OWN / 2 - 1]
      };

      words[w] = words_cost_bytes (left, partners);
      if (BORDER) {
        const uint32_t indices = (2 * w) * 0x01010101u + 0x0100
            + OWN / 2 * 0x01010000u + 0x01000000;
        const uint32_t n_partners = min (max (x0 + j + 1 - d0, 0), OWN);
        const uint32_t without = __vcmpgeu4 (indices,
            n_partners * 0x01010101u);

        words[w] = (first[w] & without) | (words[w] & ~without);
      }
    }
    store_words (target + j * (LANES * OWN), words);
  }
}

/* The costs of a lane beyond the range of n pixels. */
template < int LANES, int OWN > __device__ __forceinline__ void
store_nothing (int n, uint8_t * target)
{
  uint32_t words[OWN / 4];

#pragma unroll
  for (int w = 0; w < OWN / 4; w++)
    words[w] = ~0u;
  for (int j = 0; j < n; j++)
    store_words (target + j * (LANES * OWN), words);
}

template < int LANES, int OWN > __global__ void
__launch_bounds__ (threads) find_costs (const __grid_constant__ SgmArgs a)
{
  const StereoSgmConstants & k = a.k;
  const int lane = threadIdx.x % LANES, y = blockIdx.y;
  const int x0 = (blockIdx.x * (threads / LANES) + threadIdx.x / LANES)
      * pixels_per_thread;
  uint8_t *target = a.costs + ((size_t) y * k.width + x0) * (LANES * OWN)
      + lane * OWN;

  pdl_wait ();
  if (x0 >= k.width)
    return;

  /* the pixels of a thread are in one tile */
  const SgmWindow window = sgm_window (a, x0, y);
  const int index = window.begin + lane * OWN;
  const int d0 = k.min_disparity + k.first_index + index;

  if (k.ranges && lane * OWN >= window.n) {
    store_nothing < LANES, OWN > (min (pixels_per_thread, k.width - x0),
        target);
  } else if (k.cost != STEREO_COST_WORDS || index + OWN > k.n
      || x0 + pixels_per_thread > k.width
      || x0 + pixels_per_thread - 1 > k.width - 1 + d0) {
    for (int x = x0; x < min (x0 + pixels_per_thread, k.width); x++) {
      uint32_t words[OWN / 4] = { };

      find_words < OWN, false > (a, x, y, index, words);
      store_words (target, words);
      target += LANES * OWN;
    }
  } else if (x0 < d0 + OWN - 1) {
    find_word_costs < LANES, OWN, true > (a, x0, y, index, target);
  } else {
    find_word_costs < LANES, OWN, false > (a, x0, y, index, target);
  }
}

template < int LANES, int OWN > void
launch_costs (StereoQueue * queue, const SgmArgs & a)
{
  const int wide = threads / LANES * pixels_per_thread;

  launch_overlapping (queue, dim3 ((a.k.width + wide - 1) / wide, a.k.height),
      threads, 0, find_costs < LANES, OWN >, a);
}

}                               // namespace

void
stereo_sgm_find_costs_cuda (StereoQueue * queue, const SgmArgs & a)
{
#define LAUNCH(lanes, own) launch_costs < lanes, own > (queue, a)
  SGM_FOR_SHAPE (a.k.n, LAUNCH);
#undef LAUNCH
}
