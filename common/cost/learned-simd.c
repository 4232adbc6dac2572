/* gst-stereomatching: words of the learned cost, with vectors
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "cost/learned-cpu.h"

#if defined (__AVX2__)
#include "cost/learned-bytes.h"
#elif defined (__ARM_FEATURE_DOTPROD)
#include "cost/learned-dot.h"
#else
#include "cost/learned-words.h"
#endif

void
SIMD_NAME (stereo_learned_row_) (const StereoNetwork * network, int width,
    const uint8_t * const line[5], uint8_t * const target[3])
{
  LearnedWeights weights;

  learned_prepare (network, &weights);
  for (int x = 0; x < width; x += LEARNED_BLOCK)
    learned_block (&weights, x, line, target);
}
