/* gst-stereomatching: source views of a matcher, in device memory
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_IMAGE_VIEW_H
#define STEREO_IMAGE_VIEW_H

#include "core/backend.h"

/*
 * channels 1: plane[0] holds 8-bit luma.
 * channels 3: 8-bit R, G, B.  CPU: three planes of the same stride.  CUDA:
 * 32-bit words 0xXXBBGGRR in plane[0].
 */
typedef struct
{
  const uint8_t *plane[3];
  size_t stride;                /* bytes */
} StereoView;

#endif /* STEREO_IMAGE_VIEW_H */
