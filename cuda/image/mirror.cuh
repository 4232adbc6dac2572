/* gst-stereomatching: mirror images, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_MIRROR_CUH
#define STEREO_MIRROR_CUH

#include "core/backend.h"

/* Images of the same size.  A target may be its source. */
struct StereoMirrorImages
{
  int width, height;
  int n;                        /* 1 or 2 */
  const uint8_t *source[2];
  uint8_t *target[2];
  size_t source_stride, target_stride;  /* bytes */
};

/* Reverses the rows of images of bytes, or of 32-bit words. */
StereoStatus stereo_cuda_mirror_bytes (StereoQueue * queue,
    const StereoMirrorImages & images);
StereoStatus stereo_cuda_mirror_words (StereoQueue * queue,
    const StereoMirrorImages & images);

#endif /* STEREO_MIRROR_CUH */
