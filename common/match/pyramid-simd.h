/* gst-stereomatching: correlation over a pyramid with vector instructions
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_PYRAMID_SIMD_H
#define STEREO_PYRAMID_SIMD_H

#include "match/pyramid.h"

/* pyramid-simd.c, compiled once for each. */
extern const StereoPyramidStages stereo_pyramid_stages_generic;
extern const StereoPyramidStages stereo_pyramid_stages_avx2;
extern const StereoPyramidStages stereo_pyramid_stages_avx512;

#endif /* STEREO_PYRAMID_SIMD_H */
