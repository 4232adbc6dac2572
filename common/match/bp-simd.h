/* gst-stereomatching: belief propagation with vector instructions
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_BP_SIMD_H
#define STEREO_BP_SIMD_H

#include "match/bp.h"

/* bp-simd.c, compiled once for each. */
extern const StereoBpStages stereo_bp_stages_generic;
extern const StereoBpStages stereo_bp_stages_avx2;
extern const StereoBpStages stereo_bp_stages_avx512;

#endif /* STEREO_BP_SIMD_H */
