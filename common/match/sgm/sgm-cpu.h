/* gst-stereomatching: semi-global matching on the CPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_SGM_CPU_H
#define STEREO_SGM_CPU_H

#include "match/sgm/sgm.h"

/* Plain stage, also used for empty searches. */
StereoStatus stereo_sgm_finish (StereoQueue * queue,
    const StereoSgmConstants * k, const StereoSgmViews * views,
    const StereoSgmWork * work, const StereoSgmResult * result);

/* sgm-simd.c, for each instruction set. */
extern const StereoSgmStages stereo_sgm_stages_generic;
extern const StereoSgmStages stereo_sgm_stages_avx2;
extern const StereoSgmStages stereo_sgm_stages_avx512;

#endif /* STEREO_SGM_CPU_H */
