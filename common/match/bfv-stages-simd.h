/* gst-stereomatching: bfv's stages with vector instructions
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Each in a file of its own, with the bytes of work memory that it takes; they
 * use it one after the other.
 *
 * For the files that are compiled for each instruction set.
 */

#ifndef STEREO_BFV_STAGES_SIMD_H
#define STEREO_BFV_STAGES_SIMD_H

#include "match/bfv-simd.h"
#include "simd/simd.h"

size_t SIMD_NAME (stereo_bfv_crosses_bytes_) (const StereoBfvConstants * k);
StereoStatus SIMD_NAME (stereo_bfv_crosses_) (StereoQueue * queue,
    const StereoBfvConstants * k, const StereoBfvViews * views,
    const StereoBfvMemory * m);

/* There have to be disparities. */
size_t SIMD_NAME (stereo_bfv_match_bytes_) (const StereoBfvConstants * k,
    unsigned n_threads);
StereoStatus SIMD_NAME (stereo_bfv_match_) (StereoQueue * queue,
    const StereoBfvConstants * k, const StereoBfvViews * views,
    const StereoBfvMemory * m, const StereoWinners * winners);

size_t SIMD_NAME (stereo_bfv_vote_bytes_) (const StereoBfvConstants * k,
    unsigned n_threads);
StereoStatus SIMD_NAME (stereo_bfv_vote_) (StereoQueue * queue,
    const StereoBfvConstants * k, const StereoBfvMemory * m,
    const StereoWinners * winners, const StereoMap * map);

#endif /* STEREO_BFV_STAGES_SIMD_H */
