/* gst-stereomatching: processing chain of a matcher
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The operation behind a matcher, with the inputs left and right and an output
 * for each StereoResult.  run() converts the views, computes the words of the
 * cost, runs the algorithm, then refines its winners or applies the median
 * filter, encodes the result and applies the temporal filter.
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
  StereoMirroredView views[2];
  StereoWinners winners;        /* left is NULL without check=mutual */
} StereoChainMirror;

/* State of the operation. */
typedef struct
{
  const StereoAlgorithm *algorithm;
  const StereoConvertStages *converting;
  const StereoMedianStages *medians;
  const StereoTemporalStages *filtering;
  /* Only of algorithms with winners, as is all refinement. */
  const StereoWordsStages *words[STEREO_N_COSTS];
  const StereoRefineStages *refining;
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
  StereoTemporalPlan temporal;  /* only if common.temporal is above 0 */
  int temporal_unit;
} StereoChain;

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

/* Declares its views, which are used only while it is matched. */
void stereo_chain_plan_mirrored_views (StereoChain * chain, size_t alignment,
    StereoArena * arena);

/* Matches the mirrored pair of the frame.  The words of the frame are the same
 * afterwards. */
StereoStatus stereo_chain_match_mirrored (const StereoChain * chain,
    const StereoMatchFrame * frame);

#endif /* STEREO_CHAIN_H */
