/* gst-stereomatching: setting memory to ones
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_ONES_CUH
#define STEREO_ONES_CUH

#include "core/device.cuh"
#include "core/launch.cuh"

namespace
{

const int ones_threads = 256;
const int ones_at_once = 4;     /* words per thread */

__global__ void __launch_bounds__ (ones_threads)
ones_kernel (size_t n, unsigned long long *words)
{
  const size_t first = (size_t) blockIdx.x * (ones_threads * ones_at_once)
      + threadIdx.x;

  pdl_start_concurrent (true);
#pragma unroll
  for (int i = 0; i < ones_at_once; i++) {
    if (first + i * ones_threads < n)
      words[first + i * ones_threads] = ~0ull;
  }
  pdl_end_concurrent (true);
}

/* Sets n words to ones (no winner).  May overlap the previous kernel, which
 * must not use the words, and must not call pdl_launch_dependents () before all
 * kernels that use them have finished. */
void
set_ones (StereoQueue * queue, unsigned long long *words, size_t n)
{
  const size_t in_block = ones_threads * ones_at_once;

  launch_overlapping (queue, (unsigned) ((n + in_block - 1) / in_block),
      ones_threads, 0, ones_kernel, n, words);
}

}                               // namespace

#endif /* STEREO_ONES_CUH */
