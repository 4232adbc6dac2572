/* gst-stereomatching: from winners to a disparity map
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * What becomes of the winners of an algorithm that refines, step by step.  Each
 * step is there only if the parameters say so; codes are those of a StereoMap,
 * unit to a pixel.
 *
 *   check      A pixel x with winner d is invalid unless x - d is a column of
 *              the right view and its winner there differs from d by
 *              lr-max-diff at most, in whole disparities.  The others get
 *              their code.
 *   speckles   Two of the four neighbours belong together if both are valid
 *              and their codes are unit apart at most.  Components of fewer
 *              than speckle-size pixels become invalid.
 *   confidence  The clearness of the winners that are valid now (refine/
 *              winner-pixel.h), 0 for all other pixels; as a result, 1 is 255.
 *   vote       The algorithm's own step, if it has one.
 *   fill       An invalid pixel takes the lower one of the nearest valid codes
 *              to the left and to the right in its row, the only one where
 *              there is one.  A row without any takes what the row above has
 *              then, if any row above has one, else the row below.
 *   weigh      The weighted median of 15x15 for the pixels that were filled,
 *              of the map as it is after that step.
 *   median     3x3, or for all pixels the weighted median of 7x7.
 *
 * Without fill, the map is done before that step: invalid pixels stay so, and
 * there is no median.
 *
 * Weighted median: pixel j of the window, which ends at the image's border,
 * has the weight w (j) = round (255 exp (-D / 10)), D being the largest
 * difference of a channel between j and the centre in the left view.  It is
 * the smallest code v for which the weights of codes up to v are half of all
 * or more.  Pixels that are still invalid have no weight, and if all are the
 * result is invalid.
 */

#ifndef STEREO_REFINE_H
#define STEREO_REFINE_H

#include "core/algorithm.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STEREO_REFINE_FILLED_RADIUS 7
#define STEREO_REFINE_ALL_RADIUS 3

/* What the stages need to know, passed by value. */
typedef struct
{
  int width;
  int height;
  int channels;
  int unit;
  int min_disparity;
  int lr_max_diff;              /* -1: no check */
  int speckle_size;             /* 0 or 1: none are */
  bool fill;
  bool median;                  /* 3x3, unless refine is STEREO_REFINE_ALL */
  int refine;                   /* StereoRefine */
  uint8_t weight[256];          /* w by D */
  float halvings;               /* of w, from one D to the next */
} StereoRefineConstants;

/* Device memory between the stages.  Those without a use are NULL. */
typedef struct
{
  StereoMap map;                /* after speckles, with holes */
  StereoMap filled;
  StereoMap weighted;
  uint32_t *labels;             /* of components, width x height */
  uint32_t *sizes;              /* of components, by label */
  uint64_t *ends;               /* CPU: where runs of a row end */
  uint8_t *rows;                /* CUDA: whether a row has valid codes */
} StereoRefineWork;

/* Stage table "refine". */
typedef struct
{
  /* Declares the work memory. */
  void (*plan) (const StereoRefineConstants * k, StereoRefineWork * work,
      StereoArena * arena);
  /* Winners to work->map: check and speckles. */
  StereoStatus (*check) (StereoQueue * queue, const StereoRefineConstants * k,
      const StereoWinners * winners, const StereoRefineWork * work);
  /* The confidence of the pixels of work->map, to GRAY8 or GRAY16_LE. */
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
  /* The last median, if fill says that there may be one, and the codes of the
   * output. */
  StereoStatus (*finish) (StereoQueue * queue, const StereoRefineConstants * k,
      const StereoView * left, const StereoRefineWork * work,
      const StereoMap * map, const StereoOutput * output);
} StereoRefineStages;

/* What a matcher keeps. */
typedef struct
{
  StereoRefineConstants constants;
  StereoRefineWork work;
} StereoRefinePlan;

/* Whether winners are wanted: else the parameters ask for no more than a map
 * of whole disparities, with or without a median. */
bool stereo_refine_wanted (const StereoRefineParams * params);

/* The unit of a StereoSearch. */
int stereo_refine_unit (const StereoRefineParams * params,
    int num_disparities);

/* Fills plan, and adds the buffers it needs. */
void stereo_refine_plan (const StereoSearch * search,
    const StereoRefineParams * params, bool median,
    const StereoRefineStages * stages, StereoRefinePlan * plan,
    StereoArena * arena);

/* All steps, from frame->winners to output, the disparity's.  confidence is
 * NULL if it is not wanted. */
StereoStatus stereo_refine_run (const StereoAlgorithm * algorithm,
    const StereoMatchFrame * frame, const void *algorithm_stages,
    const StereoRefineStages * stages, const StereoRefinePlan * plan,
    const StereoOutput * output, const StereoOutput * confidence);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_REFINE_H */
