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

/* Stages lay it out as they like, one after the other. */
struct StereoBfvWork
{
  void *memory;
};

STEREO_CHECK_WORK (StereoBfvWork);

/* bfv.c: the plain ones, which the others fall back on. */
size_t stereo_bfv_work_bytes (const StereoBfvConstants * k);
StereoStatus stereo_bfv_match_cpu (StereoQueue * queue,
    const StereoBfvConstants * k, const StereoBfvViews * views,
    const StereoBfvMemory * m, const StereoWinners * winners);
StereoStatus stereo_bfv_vote_cpu (StereoQueue * queue,
    const StereoBfvConstants * k, const StereoBfvMemory * m,
    const StereoWinners * winners, const StereoMap * map);

/* What votes, and for what, before any pixel gets a vote. */
typedef struct
{
  uint16_t *index;              /* of valid pixels, else STEREO_INVALID; the
                                 * grid */
  uint8_t *mismatch;            /* width x height: whether it may get a vote */
} StereoBfvVotes;

/* Finds places in memory, which may be NULL, as votes may, and returns how
 * many bytes they take. */
size_t stereo_bfv_make_votes (const StereoBfvConstants * k, void *memory,
    StereoBfvVotes * votes);

/* Before and after the vote: fills in votes, and fills holes. */
void stereo_bfv_call_cpu (StereoQueue * queue, const StereoBfvConstants * k,
    const StereoWinners * winners, const StereoMap * map,
    const StereoBfvVotes * votes);
void stereo_bfv_border_cpu (StereoQueue * queue, const StereoBfvConstants * k,
    const StereoWinners * winners, const StereoBfvVotes * votes,
    const StereoMap * map);

#endif /* STEREO_BFV_SIMD_H */
