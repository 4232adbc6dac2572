/* gst-stereomatching: what tests may ask of a CUDA device
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

/* Lets stages believe that a block of threads can have no more shared memory
 * than this, as on other GPUs.  Without effect in a build without CUDA. */
void stereo_cuda_pretend_shared_limit (StereoDevice * device, int bytes);

/* Lets stages believe that the blocks of a kernel can't wait for each other.
 * Without effect in a build without CUDA. */
void stereo_cuda_pretend_cooperative (StereoDevice * device, bool cooperative);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_TESTING_CUDA_H */
