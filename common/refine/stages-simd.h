/* gst-stereomatching: SIMD refinement stages
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Stages of StereoRefineStages in files of their own, which are compiled once
 * per instruction set. */

#ifndef STEREO_REFINE_STAGES_SIMD_H
#define STEREO_REFINE_STAGES_SIMD_H

#include "refine/refine.h"
#include "simd/simd.h"

StereoStatus SIMD_NAME (stereo_slopes_) (StereoQueue * queue,
    const StereoRefineConstants * k, const StereoRefineWork * work,
    const StereoMap * map);
StereoStatus SIMD_NAME (stereo_vote_fill_) (StereoQueue * queue,
    const StereoRefineConstants * k, const StereoView * left,
    const StereoWinners * winners, const StereoRefineWork * work);
StereoStatus SIMD_NAME (stereo_slanted_median_) (StereoQueue * queue,
    const StereoRefineConstants * k, const StereoView * left,
    const StereoRefineWork * work, const StereoMap * final,
    const StereoOutput * output);
StereoStatus SIMD_NAME (stereo_confidence_) (StereoQueue * queue,
    const StereoRefineConstants * k, const StereoView * left,
    const StereoWinners * winners, const StereoRefineWork * work,
    const StereoOutput * output);

#endif /* STEREO_REFINE_STAGES_SIMD_H */
