/* gst-stereomatching: semi-global matching with vector instructions
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_SGM_SIMD_H
#define STEREO_SGM_SIMD_H

#include "match/sgm.h"

/* The stage without vectors, for searches of no disparity, too. */
StereoStatus stereo_sgm_finish (StereoQueue * queue,
    const StereoSgmConstants * k, const StereoSgmWork * work,
    const StereoSgmResult * result);

/* sgm-simd.c, compiled once for each. */
extern const StereoSgmStages stereo_sgm_stages_generic;
extern const StereoSgmStages stereo_sgm_stages_avx2;
extern const StereoSgmStages stereo_sgm_stages_avx512;

#endif /* STEREO_SGM_SIMD_H */
