/* gst-stereomatching: from winners to a disparity map
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Post-processing steps after winner-take-all, in this order.  The parameters
 * enable each step.  Codes are those of a StereoMap: unit codes per pixel.
 *
 *   consistency  Left-right consistency check.  Pixel x with winner d is valid
 *                if x - d is a column of the right view whose winner differs
 *                from d by at most lr-max-diff whole disparities.
 *   speckles     Speckle filter.  4-connected neighbours are connected if both
 *                are valid and their codes differ by at most unit.  Components
 *                smaller than speckle-size pixels become invalid.
 *   confidence   Uniqueness of the valid winners (refine/winner-formula.h), 0
 *                for all other pixels.  Written to the confidence output, and
 *                kept for the last step.
 *   vote         The algorithm's own step (StereoAlgorithm.vote), if any.
 *   fill         Hole filling.  An invalid pixel takes the lower of the nearest
 *                valid codes to its left and right in the row.  A row without
 *                valid codes copies the filled row above it; rows above the
 *                first valid row copy that row.
 *   weigh        15x15 weighted median of the filled map, for filled pixels.
 *   median       3x3 median, or 7x7 weighted median of all pixels.
 *   threshold    Pixels with a confidence below min-confidence become invalid:
 *                among them all that were filled or voted for.
 *
 * If fill is false, fill, weigh and median are skipped.
 *
 * Weighted median: the window is cropped at the image border.  Pixel j has the
 * weight w (j) = round (255 exp (-D / 10)), where D is the largest channel
 * difference between j and the centre in the left view.  The result is the
 * smallest code v such that codes up to v have at least half of the total
 * weight.  Invalid pixels have no weight; if all are invalid, so is the result.
 */

#ifndef STEREO_REFINE_H
#define STEREO_REFINE_H

#include "core/params.h"
#include "cost/search.h"
#include "image/view.h"
#include "refine/output.h"
#include "refine/winner-formula.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STEREO_REFINE_FILLED_RADIUS 7
#define STEREO_REFINE_ALL_RADIUS 3

/* Pixels that the weighted median filters. */
typedef enum
{
  STEREO_REFINE_NONE = 0,
  STEREO_REFINE_FILLED,
  STEREO_REFINE_ALL
} StereoRefine;

/* Parameters shared by all algorithms with refinement. */
typedef struct
{
  int cost;                     /* of stereo_costs */
  bool subpixel;
  int lr_max_diff;
  unsigned speckle_size;
  bool fill;
  int refine;                   /* StereoRefine */
  double min_confidence;
} StereoRefineParams;

#define STEREO_MIN_CONFIDENCE_DESCRIPTION \
    "Invalidate pixels with a confidence below this, even if fill is true " \
    "(0 = off)"

extern const StereoParamSpec stereo_refine_params[];

/* Constants of the stages, passed by value. */
typedef struct
{
  int width;
  int height;
  int channels;
  int unit;
  int min_disparity;
  int lr_max_diff;              /* -1: no check */
  int speckle_size;             /* 0 or 1: no speckle filter */
  bool fill;
  bool median;                  /* 3x3, unless refine is STEREO_REFINE_ALL */
  int refine;                   /* StereoRefine */
  uint8_t weight[256];          /* w by D */
  float halvings;               /* log2 of w per step of D, negated */
  int min_confidence;           /* 0 to 255; 0: no threshold */
} StereoRefineConstants;

/* Device memory shared by the stages.  Unused buffers are NULL. */
typedef struct
{
  StereoMap map;                /* after the speckle filter, with holes */
  StereoMap filled;
  StereoMap weighted;
  uint32_t *labels;             /* component of each pixel, width x height */
  uint32_t *sizes;              /* pixels of each component, by label */
  uint64_t *ends;               /* CPU: bit mask of the ends of runs */
  uint8_t *rows;                /* CUDA: whether a row has valid codes */
  uint8_t *confidence;          /* of each pixel, width x height */
} StereoRefineWork;

/* Stage table "refine". */
typedef struct
{
  /* Declares the work memory. */
  void (*plan) (const StereoRefineConstants * k, StereoRefineWork * work,
      StereoArena * arena);
  /* Winners to work->map: consistency check and speckle filter. */
  StereoStatus (*check) (StereoQueue * queue, const StereoRefineConstants * k,
      const StereoWinners * winners, const StereoRefineWork * work);
  /* Confidence of the pixels of work->map, as GRAY8 or GRAY16_LE. */
  StereoStatus (*confidence) (StereoQueue * queue,
      const StereoRefineConstants * k, const StereoWinners * winners,
      const StereoRefineWork * work, const StereoOutput * output);
  /* work->map to work->filled. */
  StereoStatus (*fill) (StereoQueue * queue, const StereoRefineConstants * k,
      const StereoRefineWork * work);
  /* work->filled to work->weighted: the weighted median where work->map is
   * invalid. */
  StereoStatus (*weigh) (StereoQueue * queue, const StereoRefineConstants * k,
      const StereoView * left, const StereoRefineWork * work);
  /* Final median (only if fill is set), then encoding. */
  StereoStatus (*finish) (StereoQueue * queue, const StereoRefineConstants * k,
      const StereoView * left, const StereoRefineWork * work,
      const StereoMap * map, const StereoOutput * output);
  /* Invalidates pixels of output by work->confidence. */
  StereoStatus (*threshold) (StereoQueue * queue,
      const StereoRefineConstants * k, const StereoRefineWork * work,
      const StereoOutput * output);
} StereoRefineStages;

/* State of a matcher. */
typedef struct
{
  StereoRefineConstants constants;
  StereoRefineWork work;
} StereoRefinePlan;

/* Whether any step other than the 3x3 median is enabled. */
bool stereo_refine_wanted (const StereoRefineParams * params);

/* StereoSearch.unit for these parameters. */
int stereo_refine_unit (const StereoRefineParams * params,
    int num_disparities);

/* Fills plan and declares its buffers. */
void stereo_refine_plan (const StereoSearch * search,
    const StereoRefineParams * params, bool median,
    const StereoRefineStages * stages, StereoRefinePlan * plan,
    StereoArena * arena);

/* Runs the steps before the vote; the vote updates plan->work.map.  confidence
 * may be NULL. */
StereoStatus stereo_refine_check (StereoQueue * queue,
    const StereoRefineStages * stages, const StereoRefinePlan * plan,
    const StereoWinners * winners, const StereoOutput * confidence);

/* Runs the steps after the vote. */
StereoStatus stereo_refine_finish (StereoQueue * queue,
    const StereoRefineStages * stages, const StereoRefinePlan * plan,
    const StereoView * left, const StereoOutput * output);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_REFINE_H */
