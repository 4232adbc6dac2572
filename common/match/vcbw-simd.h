/* gst-stereomatching: variable center-biased windows with vector instructions
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_VCBW_SIMD_H
#define STEREO_VCBW_SIMD_H

#include "match/vcbw.h"

/* vcbw-simd.c, compiled once for each. */
extern const StereoVcbwStages stereo_vcbw_stages_generic;
extern const StereoVcbwStages stereo_vcbw_stages_avx2;
extern const StereoVcbwStages stereo_vcbw_stages_avx512;

#endif /* STEREO_VCBW_SIMD_H */
