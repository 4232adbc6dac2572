/* gst-stereomatching: simulated limits of CUDA devices, for tests
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_TESTING_CUDA_H
#define STEREO_TESTING_CUDA_H

#include "stereo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Simulates a GPU with at most this much shared memory per block.  No effect
 * in a build without CUDA. */
void stereo_cuda_pretend_shared_limit (StereoDevice * device, int bytes);

/* Simulates a GPU with or without cooperative launches.  No effect in a build
 * without CUDA. */
void stereo_cuda_pretend_cooperative (StereoDevice * device, bool cooperative);

/* Simulates a GPU with n multiprocessors.  Returns how many it has; 1 in a
 * build without CUDA. */
int stereo_cuda_pretend_multiprocessors (StereoDevice * device, int n);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_TESTING_CUDA_H */
