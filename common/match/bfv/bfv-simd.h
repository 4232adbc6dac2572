/* gst-stereomatching: private to the CPU stages of cross-based regions
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_BFV_SIMD_H
#define STEREO_BFV_SIMD_H

#include "match/bfv/bfv.h"

/* bfv-simd.c, compiled once for each. */
extern const StereoBfvStages stereo_bfv_stages_generic;
extern const StereoBfvStages stereo_bfv_stages_avx2;
extern const StereoBfvStages stereo_bfv_stages_avx512;

/* Each stage has its own layout and needs nothing of the others. */
struct StereoBfvWork
{
  void *memory;
};

STEREO_CHECK_WORK (StereoBfvWork);

/* bfv-cpu.c: plain stages, also the fallback of vector stages. */
size_t stereo_bfv_work_bytes (const StereoBfvConstants * k);
StereoStatus stereo_bfv_match_cpu (StereoQueue * queue,
    const StereoBfvConstants * k, const StereoBfvViews * views,
    const StereoBfvMemory * m, const StereoWinners * winners);
StereoStatus stereo_bfv_vote_cpu (StereoQueue * queue,
    const StereoBfvConstants * k, const StereoBfvMemory * m,
    const StereoWinners * winners, const StereoMap * map);

typedef struct
{
  uint16_t *index;              /* grid: that of a voter, or STEREO_INVALID */
  uint8_t *mismatch;            /* width x height: may receive a vote */
} StereoBfvVotes;

/* Lays out votes in memory; both may be NULL.  Returns the size in bytes. */
size_t stereo_bfv_allocate_votes (const StereoBfvConstants * k, void *memory,
    StereoBfvVotes * votes);

/* Before the vote, and after it. */
void stereo_bfv_collect_votes (StereoQueue * queue,
    const StereoBfvConstants * k,
    const StereoWinners * winners, const StereoMap * map,
    const StereoBfvVotes * votes);
void stereo_bfv_fill_border (StereoQueue * queue, const StereoBfvConstants * k,
    const StereoWinners * winners, const StereoBfvVotes * votes,
    const StereoMap * map);

#ifdef STEREO_SIMD_NAME
#include "simd/simd.h"

/* Vector stages of one instruction set, with the bytes of work memory that each
 * needs.  They run one after the other and share the memory. */
size_t SIMD_NAME (stereo_bfv_crosses_bytes_) (const StereoBfvConstants * k);
StereoStatus SIMD_NAME (stereo_bfv_crosses_) (StereoQueue * queue,
    const StereoBfvConstants * k, const StereoBfvViews * views,
    const StereoBfvMemory * m);

/* At least one disparity must be searched. */
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

#endif

#endif /* STEREO_BFV_SIMD_H */
