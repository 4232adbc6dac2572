/* gst-stereomatching: parts of ESAW on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_ESAW_CUH
#define STEREO_ESAW_CUH

#include "match/expstep/expstep.cuh"

namespace
{

/* The index of the first pixel of a group of 16 disparities. */
__device__ __forceinline__ size_t
volume_at (const ExpstepArgs & a, int group)
{
  return (size_t) group * (size_t) a.k.height * a.pitch;
}

}                               // namespace

/* esaw-cascade.cu: the step of the second pass if costs and the first two
 * passes can be computed at once, otherwise 0. */
int esaw_cascade_step (const StereoExpstepConstants * k,
    const StereoExpstepPass * passes, int n_passes);

/* Computes them, into volume[0]; false if separate kernels are faster. */
bool esaw_launch_cascade (StereoQueue * queue,
    const StereoExpstepConstants * k, const StereoExpstepWork * work,
    const StereoExpstepChunk * chunk);

#endif /* STEREO_ESAW_CUH */
