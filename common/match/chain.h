/* gst-stereomatching: processing chain of a matcher
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The operation behind a matcher, with the inputs left and right and an output
 * for each StereoResult.  run() converts the views, computes the words of the
 * cost, runs the algorithm, then refines its winners or applies the median
 * filter, encodes the result and applies the temporal filter.  With ranges, the
 * half-size match comes before the words or at the same time (match/half.h).
 *
 * The temporal filter works on disparity codes.  Algorithms with winners have
 * them after refinement.  For other algorithms they are the GRAY16_LE codes, so
 * that the first frame is the same with and without the filter.
 */

#ifndef STEREO_CHAIN_H
#define STEREO_CHAIN_H

#include "core/image.h"
#include "core/operation.h"
#include "cost/words.h"
#include "image/convert.h"
#include "match/algorithm.h"
#include "match/range.h"
#include "refine/median.h"
#include "refine/refine.h"
#include "refine/temporal.h"

/* Conversion of an input image to a view. */
typedef struct
{
  const StereoFormatInfo *info;
  StereoYuv yuv;
  bool convert;                 /* otherwise plane 0 is the view */
  uint8_t *converted;           /* all planes, contiguous */
  size_t converted_stride;
} StereoChainSide;

/* Matching of the mirrored pair, for check=mutual: its left view is the
 * mirrored right view and vice versa, so that disparities keep their sign. */
typedef struct
{
  StereoMirroredView views[2];  /* used only while it is matched */
  StereoWinners winners;        /* left is NULL without check=mutual */
} StereoChainMirror;

typedef struct StereoChain StereoChain;

/* State of the operation. */
struct StereoChain
{
  const StereoAlgorithm *algorithm;
  const StereoConvertStages *converting;
  const StereoMedianStages *medians;
  const StereoTemporalStages *filtering;
  /* Only of algorithms with winners, as is all refinement. */
  const StereoWordsStages *words[STEREO_N_COSTS];
  const StereoRefineStages *refining;
  const StereoRangeStages *ranging;
  const void *stages;           /* of the algorithm */
  void *plan;                   /* of the algorithm */

  StereoMatcherConfig config;
  StereoSearch search;
  StereoCommonParams common;
  StereoRefineParams refine;
  StereoNetwork network;
  StereoChainSide sides[2];
  StereoMap map;
  void *words_memory[2];
  StereoWinners winners;
  StereoChainMirror mirror;
  StereoRefinePlan refinement;
  bool votes;                   /* the algorithm, during refinement */
  StereoTemporalPlan temporal;  /* only if common.temporal is above 0 */
  int temporal_unit;

  /* Of algorithms with ranges, otherwise NULL: the chain of the half-size
   * match, which has no inputs, outputs or temporal filter. */
  StereoChain *half;
  StereoHalfView half_views[2];
  StereoMirroredView half_mirrored[2];  /* of full size; check=mutual */
  StereoRangeConstants range;
  StereoRanges ranges;          /* only if search.ranges */
  StereoRanges mirrored_ranges; /* of the mirrored pair; check=mutual */
};

extern const StereoOp stereo_chain_op;

/* Looks up the stage tables of a device; false if one is missing. */
bool stereo_chain_find_stages (StereoChain * chain,
    const StereoDevice * device);

/* Sets the search from config, common and refine, which must be set.  own: the
 * algorithm's parameters. */
void stereo_chain_make_search (StereoChain * chain, const void *own,
    unsigned n_threads);

/* Declares the winners of the mirrored pair, if it is matched. */
void stereo_chain_plan_mirrored_winners (StereoChain * chain,
    StereoArena * arena);

/* Declares its views. */
void stereo_chain_plan_mirrored_views (const StereoChain * chain,
    size_t alignment, StereoMirroredView views[2], StereoArena * arena);

/* Mirrors the views of a frame to those of the mirrored pair, in the memory of
 * views. */
StereoStatus stereo_chain_mirror_views (const StereoChain * chain,
    const StereoMatchFrame * frame, const StereoMirroredView views[2],
    StereoMatchFrame * mirrored);

/* What the algorithm computes of a frame before it runs. */
StereoStatus stereo_chain_prepare (const StereoChain * chain,
    const StereoMatchFrame * frame);

/* Matches the mirrored pair of the frame.  The words of the frame are the same
 * afterwards. */
StereoStatus stereo_chain_match_mirrored (const StereoChain * chain,
    const StereoMatchFrame * frame);

/* Declares the buffers of matching and refinement.  own: as above. */
StereoStatus stereo_chain_plan_matching (StereoChain * chain, const void *own,
    size_t alignment, StereoArena * arena, StereoMessage * why);

/* Runs everything between conversion and temporal filter; output: the
 * disparity.  frame has the views, and no results but the confidence. */
StereoStatus stereo_chain_match_views (const StereoChain * chain,
    StereoMatchFrame * frame, const StereoOutput * output);

#endif /* STEREO_CHAIN_H */
