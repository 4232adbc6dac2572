/* gst-stereomatching: ESAW and ESMP with vector instructions
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_EXPSTEP_SIMD_H
#define STEREO_EXPSTEP_SIMD_H

#include "match/expstep.h"

/* expstep-simd.c, compiled once for each. */
extern const StereoExpstepStages stereo_expstep_stages_generic;
extern const StereoExpstepStages stereo_expstep_stages_avx2;
extern const StereoExpstepStages stereo_expstep_stages_avx512;

#endif /* STEREO_EXPSTEP_SIMD_H */
