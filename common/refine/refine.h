/* gst-stereomatching: from winners to a disparity map
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Post-processing steps after winner-take-all, in this order.  The parameters
 * enable each step.  Codes are those of a StereoMap: unit codes per pixel.
 *
 *   mutual       With check=mutual, the mirrored pair, with exchanged views,
 *                was matched, too.  A right pixel takes the winner of that
 *                matching if the left winner at its partner differs from it by
 *                at most lr-max-diff whole disparities, and otherwise keeps its
 *                own.
 *   consistency  Left-right consistency check.  Pixel x with winner d is valid
 *                if x - d is a column of the right view whose winner differs
 *                from d by at most lr-max-diff whole disparities.
 *   speckles     Speckle filter.  4-connected neighbours are connected if both
 *                are valid and their codes differ by at most unit.  Components
 *                smaller than speckle-size pixels become invalid.
 *   vote         The algorithm's own step (StereoAlgorithm.vote), if any.
 *   fill         Row fill.  An invalid pixel takes the lower of the codes to
 *                its left and right in the row, each the lower median of the
 *                nearest STEREO_FILL_REACH valid codes on that side; with
 *                refine=none, of the nearest one.  A row without valid codes
 *                copies the filled row above it; rows above the first valid row
 *                copy that row.
 *   slopes       Slopes of the map with holes (refine/slope-formula.h).
 *   vote fill    Replaces the row fill of each invalid pixel by a weighted vote
 *                of valid pixels at up to 64 pixels around, carried along their
 *                slopes.  Sample j weighs w (j), an eighth of that if the right
 *                view contradicts it (refine/fill-formula.h).  Pixels with a
 *                total weight below STEREO_VOTE_MIN_WEIGHT keep the row fill.
 *                The best index d has the largest h (d - 1) + 2 h (d)
 *                + h (d + 1), where h is the weight of the votes for an index,
 *                the lowest such d on a tie.  The result is the weighted median
 *                of the votes within 1.5 pixels of d.
 *   slopes       Slopes of the filled map.
 *   median       3x3 median, or the slanted median of all pixels: the weighted
 *                median of the window's codes, each carried to the centre along
 *                its slopes, by at most 2 pixels.  The window is that of
 *                stereo_slanted_first ().  If it has no weight, the code stays.
 *   confidence   Probability that the result is right
 *                (refine/confidence-formula.h); 0 for invalid pixels.
 *   invalidate   Pixels with a confidence below min-confidence become invalid;
 *                without fill, also those of other results that are invalid in
 *                the map.
 *
 * refine=none has fill and 3x3 median, refine=filled slopes, vote fill and 3x3
 * median, refine=all everything, with the slanted median.  If fill is false,
 * the steps from fill to median are skipped.  If median is false, there is no
 * 3x3 median.
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
#include "refine/fill-formula.h"
#include "refine/output.h"
#include "refine/winner-formula.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The slanted median: its window, and the largest change of a code along its
 * plane, in pixels. */
#define STEREO_SLANTED_RADIUS 5
#define STEREO_SLANTED_SAMPLES 44
#define STEREO_SLANTED_LIMIT 2

/* The first column of row b of the window, from the centre; the row has every
 * second one up to -stereo_slanted_first (-b), or none.  The window has the
 * pixels of odd rows and columns, and eight near ones.  It does not have the
 * centre, whose own error would weigh most.  A row has an even number of
 * pixels. */
STEREO_INLINE int
stereo_slanted_first (int b)
{
  if (b % 2 != 0)
    return -STEREO_SLANTED_RADIUS;
  return b == 0 ? -3 : b == 2 ? -2 : b == -2 ? 0 : STEREO_SLANTED_RADIUS + 1;
}

/* Right winners of the consistency check. */
typedef enum
{
  STEREO_CHECK_SINGLE = 0,
  STEREO_CHECK_MUTUAL
} StereoCheck;

/* Pixels that the edge-preserving filters process. */
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
  int check;                    /* StereoCheck */
  unsigned speckle_size;
  bool fill;
  int refine;                   /* StereoRefine */
  double min_confidence;
} StereoRefineParams;

#define STEREO_MIN_CONFIDENCE_DESCRIPTION \
    "Invalidate pixels with a confidence below this, even if fill is true " \
    "(0 = off)"

#define STEREO_SPECKLE_DESCRIPTION \
    "Invalidate connected regions smaller than this, in pixels (0 = off)"
#define STEREO_FILL_DESCRIPTION \
    "Fill invalid pixels; if false, they keep invalid-value and no median " \
    "is applied"
#define STEREO_REFINE_DESCRIPTION \
    "Refinement by colour: none; filled = fill by weighted votes; all = " \
    "filled, then weighted median of all pixels instead of the 3x3 median"

extern const StereoEnumValue stereo_refine_values[STEREO_REFINE_ALL + 1];
extern const StereoParamSpec stereo_refine_params[];

/* Further ones, of algorithms whose costs depend on which view is the left one;
 * for others, a second matching finds the same right winners. */
extern const StereoParamSpec stereo_check_params[];

/* Constants of the stages, passed by value. */
typedef struct
{
  int width;
  int height;
  int channels;
  int unit;
  int num_disparities;
  int min_disparity;
  int lr_max_diff;              /* -1: no check */
  int speckle_size;             /* 0 or 1: no speckle filter */
  bool fill;
  bool median;                  /* 3x3, unless refine is STEREO_REFINE_ALL */
  int refine;                   /* StereoRefine */
  unsigned n_threads;           /* as in StereoSearch */
  uint8_t weight[256];          /* w by D */
  float halvings;               /* log2 of w per step of D, negated */
  int min_confidence;           /* 0 to 255; 0: no threshold */
} StereoRefineConstants;

/* The fill of a row is the median of this many valid codes on each side. */
static inline int
stereo_refine_fill_reach (const StereoRefineConstants * k)
{
  return k->refine == STEREO_REFINE_NONE ? 1 : STEREO_FILL_REACH;
}

/* Whether finish() filters its map. */
static inline bool
stereo_refine_has_median (const StereoRefineConstants * k)
{
  return k->fill && k->median && k->refine != STEREO_REFINE_ALL;
}

/* Device memory shared by the stages.  Unused buffers are NULL. */
typedef struct
{
  StereoMap map;                /* after the speckle filter, with holes */
  StereoMap filled;
  StereoMap final;              /* the result, for the confidence */
  int16_t *slopes[2];           /* of a map along x and y, 1/256 code per pixel,
                                 * with the stride of maps; 0 where invalid.
                                 * CUDA: pairs of both in slopes[0] */
  uint32_t *labels;             /* component of each pixel, width x height */
  uint32_t *sizes;              /* pixels of each component, by label */
  uint64_t *ends;               /* CPU: bit mask of the ends of runs */
  uint32_t *undecided;          /* CUDA: see refine.cu */
  uint32_t *votes;              /* CPU: stereo_refine_vote_words() for each
                                 * worker */
  uint32_t *n_holes;            /* CUDA: invalid pixels of each row */
  uint32_t *holes;              /* CUDA: the invalid pixels, x in the lower
                                 * halves of words and y in the upper ones */
  uint32_t *all_holes;          /* CUDA: their number */
  uint8_t *confidence;          /* of each pixel, width x height */
} StereoRefineWork;

/* Stage table "refine". */
typedef struct
{
  /* Declares the work memory. */
  void (*plan) (const StereoRefineConstants * k, StereoRefineWork * work,
      StereoArena * arena);
  /* Updates winners->right by the winners of the mirrored pair, with the layout
   * of winners->left. */
  StereoStatus (*confirm) (StereoQueue * queue,
      const StereoRefineConstants * k, const StereoWinners * winners,
      const uint32_t * mirrored);
  /* Winners to work->map: consistency check and speckle filter. */
  StereoStatus (*check) (StereoQueue * queue, const StereoRefineConstants * k,
      const StereoWinners * winners, const StereoRefineWork * work);
  /* work->map to work->filled: the fill of the row.  Once per check(). */
  StereoStatus (*fill) (StereoQueue * queue, const StereoRefineConstants * k,
      const StereoRefineWork * work);
  /* Slopes of map, work->map or work->filled, to work->slopes. */
  StereoStatus (*slopes) (StereoQueue * queue, const StereoRefineConstants * k,
      const StereoRefineWork * work, const StereoMap * map);
  /* Updates work->filled where work->map is invalid.  work->slopes are those
   * of work->map. */
  StereoStatus (*vote_fill) (StereoQueue * queue,
      const StereoRefineConstants * k, const StereoView * left,
      const StereoWinners * winners, const StereoRefineWork * work);
  /* The 3x3 median of map if fill and median are set and refine is not
   * STEREO_REFINE_ALL, otherwise map; to output, and to final if not NULL. */
  StereoStatus (*finish) (StereoQueue * queue, const StereoRefineConstants * k,
      const StereoRefineWork * work, const StereoMap * map,
      const StereoMap * final, const StereoOutput * output);
  /* The slanted median of work->filled, whose slopes are work->slopes; to
   * output, and to final if not NULL. */
  StereoStatus (*slanted_median) (StereoQueue * queue,
      const StereoRefineConstants * k, const StereoView * left,
      const StereoRefineWork * work, const StereoMap * final,
      const StereoOutput * output);
  /* Confidence of work->final, to work->confidence if min_confidence is set,
   * and to output, as GRAY8 or GRAY16_LE, if not NULL.  work->slopes are those
   * of work->map. */
  StereoStatus (*confidence) (StereoQueue * queue,
      const StereoRefineConstants * k, const StereoView * left,
      const StereoWinners * winners, const StereoRefineWork * work,
      const StereoOutput * output);
  /* Invalidates pixels of output by work->confidence, if min_confidence is
   * set, and by work->map, unless it is filled. */
  StereoStatus (*invalidate) (StereoQueue * queue,
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

/* Whether the mirrored pair is matched, too. */
bool stereo_refine_is_mutual (const StereoRefineParams * params);

/* StereoSearch.unit for these parameters. */
int stereo_refine_unit (const StereoRefineParams * params,
    int num_disparities);

/* Fills plan and declares its buffers. */
void stereo_refine_plan (const StereoSearch * search,
    const StereoRefineParams * params, bool median,
    const StereoRefineStages * stages, StereoRefinePlan * plan,
    StereoArena * arena);

/* Whether the steps compute the confidence, which uses the uniqueness of
 * winners.  confidence: its output, or NULL. */
bool stereo_refine_is_rated (const StereoRefinePlan * plan,
    const StereoOutput * confidence);

/* Runs the steps before the vote; the vote updates plan->work.map.  mirrored:
 * the winners of the mirrored pair, or NULL. */
StereoStatus stereo_refine_check (StereoQueue * queue,
    const StereoRefineStages * stages, const StereoRefinePlan * plan,
    const StereoWinners * winners, const uint32_t * mirrored);

/* Runs the steps after the vote.  confidence may be NULL. */
StereoStatus stereo_refine_finish (StereoQueue * queue,
    const StereoRefineStages * stages, const StereoRefinePlan * plan,
    const StereoView * left, const StereoWinners * winners,
    const StereoOutput * output, const StereoOutput * confidence);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_REFINE_H */
