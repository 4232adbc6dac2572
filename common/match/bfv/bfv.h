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
 * All arithmetic is integer and exact.  S_x and S_y are sampling_x and
 * sampling_y.  The sampled grid has grid_width x grid_height points; point
 * (u, v) is pixel (S_x u, S_y v) of the left view.  The right view is read at
 * all columns of the rows S_y v.
 *
 *   phi    Two pixels of a view are similar if no channel differs by more
 *          than arm_threshold.  No pixel is similar to one outside the image.
 *   arm    Along each of four directions from p, with p_i at distance i: the
 *          smallest i from 1 to arm_length for which neither p_(i + 1) nor
 *          p_(i + 2) is similar to p, arm_length if there is none, and 0 if
 *          p_1 is outside the image.  An arm stays inside the image, has a
 *          length of at least 1 there, and skips single outliers.
 *   cross  The four arms of a pixel in a word: left | right << 8 | up << 16 |
 *          down << 24.  Matching measures them in steps of the grid, ceil (arm
 *          / S) (stereo_bfv_sample_arms), clipped to the grid.
 *   U (p)  The support region: all pixels on the horizontal arms of the pixels
 *          on the vertical arms of p.
 *   e      Matching cost of left column x and right column x - d, from 0 to
 *          cost_threshold, one of three:
 *            words   (62 C + 128) >> 8 (cost/words.h), 0 to 60
 *            rgb     the sum of three absolute differences, truncated
 *            luma    three times the luma difference, truncated
 *          A column without a partner takes the cost of the nearest column with
 *          one, whether that is a grid point or not (cost/partner.h).
 *   overlap  At every grid point, matching uses the overlap of the crosses of
 *          the pixel and of its partner: the shorter arm in each direction.  A
 *          missing partner is replaced by that of the nearest column with one;
 *          the pixel keeps its own cross.
 *   A, n   Sum of e over the grid points of U (p), formed from overlaps, and
 *          their number.  H and N are sum and number over the horizontal arms;
 *          A and n are the sums of H and N over the vertical arms.  16-bit
 *          arithmetic modulo 2^16 is exact if
 *            (2 l_x + 1) (2 l_y + 1) cost_threshold < 65536
 *          for arm_length = l steps of the grid; otherwise wide is set.
 *   winner  In the left view, at a grid point: the index with the smallest
 *          A / n.  In the right view, at column x' and row v: the index with
 *          the smallest A / n of all grid points whose partner is x', or none
 *          if there is no such point.  The lowest index wins a tie.  Quotients
 *          are compared by products (stereo_bfv_less).  Refinement gets the
 *          neighbouring costs of a winner as floor (A 2^shift / n)
 *          (stereo_bfv_quotient), or 65535 if sampling_x > 1.  Pixels off the
 *          grid have no winner.
 *
 * Refinement follows (refine/refine.h), with this vote between speckle filter
 * and hole filling:
 *
 *   valid  A pixel with a code; it votes for the index of its winner.
 *   mismatch  A pixel x without a code that the right view covers: x' + d = x
 *          for an x' in its row with winner d, or both x - 1 and x + 1 are
 *          covered that way.  Without right winners, every pixel without a
 *          code.
 *   vote   An invalid pixel takes the vote of the valid pixels in its U (p),
 *          formed from the left view's crosses: every invalid pixel with
 *          vote_all or sampling, otherwise only mismatches.  Bitwise: a bit is
 *          set if more than half of the votes have it; the result is clamped to
 *          the indices searched.  Histogram: the most frequent index, the
 *          lowest one on a tie.  A pixel without votes stays invalid.
 *   border  With vote_all and hole filling: a pixel without a code takes the
 *          lower one of the nearest codes to its left and right, or the only
 *          one, or else the winner at the grid point (x / S_x, y / S_y).  Then
 *          pixels left of the first valid grid point of row y / S_y take the
 *          code at its column.
 *
 * If no disparity is searched (first_index = end_index), there are no winners.
 */

#ifndef STEREO_BFV_H
#define STEREO_BFV_H

#include "match/algorithm.h"

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

/* Constants of all stages, passed by value. */
typedef struct
{
  int width;
  int height;
  int channels;                 /* of the views */
  StereoCostKind cost;          /* rgb only with three channels */
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

/* Input of matching; words only if the cost uses them. */
typedef struct
{
  StereoView left;
  StereoView right;
  StereoWords left_words;
  StereoWords right_words;
} StereoBfvViews;

/* Work memory of the compute backend. */
typedef struct StereoBfvWork StereoBfvWork;

/* Device memory between the stages; rows are contiguous. */
typedef struct
{
  uint32_t *left_arms;          /* width x height */
  uint32_t *right_arms;         /* width x grid_height, in steps of the grid,
                                 * not clipped; last used by matching */
  const StereoBfvWork *work;
} StereoBfvMemory;

/* Stage table "bfv". */
typedef struct
{
  /* Declares the work memory that the stages share. */
  StereoStatus (*plan) (const StereoSearch * search,
      const StereoBfvConstants * k, StereoBfvWork * work,
      StereoArena * arena, StereoMessage * why);

  /* Computes left_arms and right_arms. */
  StereoStatus (*crosses) (StereoQueue * queue, const StereoBfvConstants * k,
      const StereoBfvViews * views, const StereoBfvMemory * memory);
  /* Stores the winners of both views, of the right one unless winners->right
   * is NULL; none if no disparity is searched. */
  StereoStatus (*match) (StereoQueue * queue, const StereoBfvConstants * k,
      const StereoBfvViews * views, const StereoBfvMemory * memory,
      const StereoWinners * winners);
  /* Votes for pixels of the map without a code. */
  StereoStatus (*vote) (StereoQueue * queue, const StereoBfvConstants * k,
      const StereoBfvMemory * memory, const StereoWinners * winners,
      const StereoMap * map);
} StereoBfvStages;

/* Public for tests that call stages. */
void stereo_bfv_constants (const StereoSearch * search,
    const StereoBfvParams * params, StereoBfvConstants * constants);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_BFV_H */
