/* gst-stereomatching: cross-based regions with vector instructions
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_BFV_SIMD_H
#define STEREO_BFV_SIMD_H

#include "match/bfv.h"

/* bfv-simd.c, compiled once for each. */
extern const StereoBfvStages stereo_bfv_stages_generic;
extern const StereoBfvStages stereo_bfv_stages_avx2;
extern const StereoBfvStages stereo_bfv_stages_avx512;

/* bfv.c: the plain ones, which the others fall back on. */
size_t stereo_bfv_scratch_cpu (const StereoBfvConstants * k,
    unsigned n_threads);
StereoStatus stereo_bfv_crosses_cpu (StereoQueue * queue,
    const StereoBfvConstants * k, const StereoView * left,
    const StereoView * right, const StereoBfvMemory * m);
StereoStatus stereo_bfv_match_cpu (StereoQueue * queue,
    const StereoBfvConstants * k, const StereoView * left,
    const StereoView * right, const StereoBfvMemory * m);
StereoStatus stereo_bfv_check_cpu (StereoQueue * queue,
    const StereoBfvConstants * k, const StereoBfvMemory * m);
StereoStatus stereo_bfv_vote_cpu (StereoQueue * queue,
    const StereoBfvConstants * k, const StereoBfvMemory * m);
StereoStatus stereo_bfv_border_cpu (StereoQueue * queue,
    const StereoBfvConstants * k, const StereoBfvMemory * m,
    const StereoMap * map, const StereoOutput * output);

#endif /* STEREO_BFV_SIMD_H */
