/* gst-stereomatching: cross-based regions and bitwise fast voting
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Local matching with a support region of its own shape for every pixel, after
 *
 *   K. Zhang, J. Lu, Q. Yang, G. Lafruit, R. Lauwereins, L. Van Gool:
 *   "Real-time and accurate stereo: a scalable approach with bitwise fast
 *   voting on CUDA", IEEE TCSVT 21 (7), 2011
 *
 * All arithmetic is integer, and exact.  S_x and S_y are sampling_x and
 * sampling_y; the sampled grid has grid_width x grid_height points, (u, v)
 * being pixel (S_x u, S_y v) of the left view.  The right view is read at all
 * columns of the rows S_y v.
 *
 *   phi    Two pixels of a view are similar when no channel differs by more
 *          than arm_threshold; what is outside the image is similar to none.
 *   arm    Along each of four directions from p, with p_i at distance i: the
 *          smallest i from 1 to arm_length for which neither p_(i + 1) nor
 *          p_(i + 2) is similar to p, arm_length if there is none, and 0 when
 *          p_1 is outside the image.  So an arm never leaves the image, is at
 *          least 1 inside of it, and steps over a single outlier.
 *   cross  The four arms of a pixel in a word: left | right << 8 | up << 16 |
 *          down << 24.  Matching counts them in steps of the grid, ceil (arm /
 *          S) (stereo_bfv_sample_arms), cut off at the end of the grid.
 *   U (p)  The support region: all pixels on the horizontal arms of the pixels
 *          on the vertical arms of p.
 *   e      Matching cost of left column x and right column x - d, from 0 to
 *          cost_threshold, one of three:
 *            census  (62 C + 128) >> 8 of their words (cost/census.h), 0 to 60
 *            rgb     the sum of three absolute differences, cut off
 *            luma    three times that of luma, cut off
 *          For a column without a partner it is that of the nearest column that
 *          has one, on a sampled point or not (cost/partner.h).
 *   overlap  Matching uses, at every grid point, the arms that the crosses of
 *          the pixel and of its partner have in common, the smaller of the two
 *          arm by arm.  The cross of a missing partner is that of the nearest
 *          column's partner; the pixel's own cross stays its own.
 *   A, n   Sum of e over the grid points of U (p), made of overlapped crosses,
 *          and their number: H is the sum over the horizontal arms and N the
 *          number of points there, A and n the sums of H and N over the
 *          vertical arms.  For 16-bit arithmetic modulo 2^16 both are exact as
 *          long as (2 l_x + 1) (2 l_y + 1) cost_threshold < 65536, l being
 *          arm_length in steps of the grid; else wide is set.
 *   winner  Of the left view, at a grid point: the index with the smallest
 *          A / n.  Of the right view, at column x' and row v: the one with the
 *          smallest A / n of all grid points whose partner is x', or none when
 *          there is no such point.  On a tie the lowest index.  Quotients are
 *          compared by products (stereo_bfv_less), never divided.  What
 *          refinement gets as the costs beside a winner is the whole part of
 *          A 2^shift / n (stereo_bfv_quotient); with sampling_x > 1 there are
 *          none, and 65535 stands in for them.  Pixels that are not sampled
 *          have no winner.
 *
 * Then the winners are refined (refine/refine.h).  This is the vote between
 * speckles and fill:
 *
 *   valid  A pixel that has a code, and votes: for the index of its winner.
 *   mismatch  A pixel x without one that the right view covers: x' + d = x for
 *          some x' of its row with winner d there, or both x - 1 and x + 1 are
 *          covered so.  Without right winners, all are.
 *   vote   An invalid pixel takes the vote of the valid ones in its U (p), made
 *          of the left view's own crosses: with vote_all, or where only some
 *          pixels are sampled, every one, else only mismatches.  Bitwise: a bit
 *          is set if it is set in more than half of the votes; then the result
 *          is clamped to the indices searched.  Histogram: the most frequent
 *          index, on a tie the lowest.  Without any vote it stays invalid.
 *   border  With vote_all and if holes are filled: a pixel without a code takes
 *          the lower one of the nearest codes to the left and to the right in
 *          its row, the only one if there is one, and the winner at the grid
 *          point (x / S_x, y / S_y) if there is none.  Then pixels left of the
 *          first valid grid point of row y / S_y take the code of the pixel at
 *          that column.
 *
 * When no disparity is searched (first_index = end_index), there are no
 * winners.
 */

#ifndef STEREO_BFV_H
#define STEREO_BFV_H

#include "core/algorithm.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STEREO_BFV_MAX_ARM 64
#define STEREO_BFV_MAX_SAMPLING 8

enum
{
  STEREO_BFV_VOTE_NONE = 0,
  STEREO_BFV_VOTE_BITWISE,
  STEREO_BFV_VOTE_HISTOGRAM
};

enum
{
  STEREO_BFV_VOTE_FOR_MISMATCHES = 0,
  STEREO_BFV_VOTE_FOR_ALL
};

typedef struct
{
  unsigned arm_threshold;
  unsigned arm_length;
  unsigned cost_threshold;
  unsigned sampling_x;
  unsigned sampling_y;
  int vote;
  int vote_for;
} StereoBfvParams;

/* What the stages need to know, passed by value. */
typedef struct
{
  int width;
  int height;
  int channels;                 /* of the views, whose crosses are made */
  StereoCost cost;              /* rgb only with three channels */
  int min_disparity;
  int first_index;              /* as in StereoSearch */
  int end_index;
  int unit;
  int bits;                     /* of end_index - 1, 0 to 14 */
  int arm_threshold;            /* 0 to 255 */
  int arm_length;               /* 1 to STEREO_BFV_MAX_ARM */
  int cost_threshold;           /* 1 to 765; the largest e */
  int shift;                    /* the largest for which cost_threshold 2^shift
                                 * fits 16 bits */
  int sampling_x;               /* 1 to STEREO_BFV_MAX_SAMPLING */
  int sampling_y;
  int grid_width;               /* ceil (width / sampling_x) */
  int grid_height;              /* ceil (height / sampling_y) */
  int vote;                     /* STEREO_BFV_VOTE_... */
  bool vote_all;
  bool border;
  bool wide;                    /* A needs 32 bits, and its products 64 */
} StereoBfvConstants;

/* What is matched.  Census words only if they are the cost. */
typedef struct
{
  StereoView left;
  StereoView right;
  StereoCensus left_census;
  StereoCensus right_census;
} StereoBfvViews;

/* Work memory, of the back end. */
typedef struct StereoBfvWork StereoBfvWork;

/* Device memory between the stages; rows follow each other without a gap. */
typedef struct
{
  uint32_t *left_arms;          /* width x height */
  uint32_t *right_arms;         /* width x grid_height, in steps of the grid,
                                 * not cut off; matching is the last to read
                                 * them */
  const StereoBfvWork *work;
} StereoBfvMemory;

/* Stage table "bfv". */
typedef struct
{
  /* Declares the work memory that the stages share. */
  StereoStatus (*plan) (const StereoSearch * search,
      const StereoBfvConstants * k, StereoBfvWork * work,
      StereoArena * arena, StereoMessage * why);

  /* left_arms and right_arms. */
  StereoStatus (*crosses) (StereoQueue * queue, const StereoBfvConstants * k,
      const StereoBfvViews * views, const StereoBfvMemory * memory);
  /* Winners of both views, of the right one unless winners->right is NULL,
   * from the views and the arms.  When no disparity is searched it only says
   * so. */
  StereoStatus (*match) (StereoQueue * queue, const StereoBfvConstants * k,
      const StereoBfvViews * views, const StereoBfvMemory * memory,
      const StereoWinners * winners);
  /* Codes for pixels of the map that have none.  left_arms are those that
   * crosses () made. */
  StereoStatus (*vote) (StereoQueue * queue, const StereoBfvConstants * k,
      const StereoBfvMemory * memory, const StereoWinners * winners,
      const StereoMap * map);
} StereoBfvStages;

/* The constants for a search; for tests that call stages. */
void stereo_bfv_constants (const StereoSearch * search,
    const StereoBfvParams * params, StereoBfvConstants * constants);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_BFV_H */
