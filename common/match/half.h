/* gst-stereomatching: the half-size match of a matcher
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Algorithms with ranges match the views at half size first, with their own
 * parameters and cost, whole disparities, the left-right check, speckle filter,
 * row fill and 3x3 median.  The map yields the ranges (match/range.h).  With
 * check=mutual so do the views of the mirrored pair, for its ranges.
 */

#ifndef STEREO_HALF_H
#define STEREO_HALF_H

#include "match/chain.h"

/* Makes chain->half if the algorithm has ranges. */
StereoStatus stereo_half_new (StereoChain * chain);

void stereo_half_free (StereoChain ** half);

/* Configures it for the search of the chain.  own: the algorithm's
 * parameters. */
void stereo_half_configure (StereoChain * chain, const void *own);

/* Declares the ranges. */
void stereo_half_plan_ranges (StereoChain * chain, StereoArena * arena);

/* Declares the buffers of the half-size match, which share memory with those of
 * the algorithm behind the mark of the arena.  No others may follow. */
StereoStatus stereo_half_plan (StereoChain * chain, const void *own,
    size_t alignment, StereoArena * arena, StereoMessage * why);

/* Sets the ranges of a frame, which has the views, and those of the mirrored
 * pair, if the search has any. */
StereoStatus stereo_half_run (const StereoChain * chain,
    StereoMatchFrame * frame);

#endif /* STEREO_HALF_H */
