/* gst-stereomatching: YUV to RGB matrices
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_COLORIMETRY_H
#define STEREO_COLORIMETRY_H

#include "image/pixel.h"
#include "stereo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* NULL for an unknown colorimetry. */
const StereoYuv *stereo_colorimetry_yuv (StereoColorimetry colorimetry);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_COLORIMETRY_H */
