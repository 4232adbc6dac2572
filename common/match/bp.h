/* gst-stereomatching: hierarchical belief propagation
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Global matching by min-sum belief propagation on a pyramid, after
 *
 *   P. F. Felzenszwalb, D. P. Huttenlocher: "Efficient belief propagation for
 *   early vision", CVPR 2004
 *   S. Grauer-Gray, J. Cavazos: "Optimizing and auto-tuning belief propagation
 *   on the GPU", LCPC 2010; S. Grauer-Gray: "Optimizing global stereo matching
 *   on NVIDIA GPUs"
 *
 * Every number is an integer, a multiple of one unit of cost that
 * stereo_bp_constants() chooses, and all sums are exact.  So the result does
 * not depend on any order, and every implementation is bit-exact.  What
 * `precision` changes is how fine the unit is and how numbers are kept:
 *
 *                 messages up to      data cost      data cost of the other
 *                 (max_message M)     of level 0     levels (max_data)
 *   int8          255, a byte         254            16383, 16 bits
 *   half          4088, fp16          255            16376, fp16
 *   float         2^20, fp32          2^15           2^22, fp32
 *
 * Levels.  Level 0 is the image; level l + 1 has half the width and height,
 * rounded up.
 *
 * Data cost of level 0.  For disparity d column x of the left view is compared
 * with x - d of the right one; columns without a partner: cost/partner.h.  With
 * t = min (difference, difference_limit) the data cost is
 * (t gain + 2^15) >> 16.  The difference is
 *   census: the cost of the words (cost/census.h), 8 for a bit: not the paper's
 *   luma: in units of 1/256 grey level, of 256 luma, or that smoothed
 *   rgb: 256 times the sum of three channels'; of views of one channel as luma
 *
 * Data cost of level l + 1.  The sum of the (one, two or) four pixels of level
 * l below it, (2x, 2y) to (2x + 1, 2y + 1), minus the smallest such sum of the
 * pixel's disparities, at most max_data; with half then rounded to 11
 * significant bits, to nearest, ties to even (stereo_bp_round_half), which is
 * fp16.  That of level 0 is not rounded, as nobody keeps it.
 *
 * Messages.  Each pixel has four for every disparity: those it sends up (to
 * y - 1), down, left and right.  They are 0 on the coarsest level; on the
 * others each pixel starts with those of its parent (x / 2, y / 2).
 *
 * Iteration t = 0, 1, ... of a level updates in place the pixels with
 * 1 <= x <= width - 2, 1 <= y <= height - 2 and x + y + t odd
 * (stereo_bp_sends).  Those read only pixels of the other colour, so their
 * order does not matter.  Pixels of the frame never send: their messages stay
 * as they came from the coarser level.  With U, D, L, R the messages sent
 * towards the pixel (up from y + 1, down from y - 1, left from x + 1, right
 * from x - 1) and C its data cost:
 *
 *   up    = message (U + L + R + C)      down  = message (D + L + R + C)
 *   left  = message (U + D + L + C)      right = message (U + D + R + C)
 *
 *   message (h) (v) = min (m + M, min over v' of h (v') + jump |v - v'|) - m,
 *       m = min over v of h (v),                                      0 to M
 *
 * with half rounded as above (M itself is such a number, so none exceeds it).
 * Subtracting the minimum where the paper subtracts the mean changes h by a
 * constant for each message, hence no result, and bounds the messages.
 *
 * Edges, which are not of the paper.  jump and M are those of max_message[g]
 * and jump[g], with g the difference of the pixel and the one that the message
 * goes to in the left view, the largest of its channels: a change of disparity
 * costs less where the colour changes.  The left view of a coarser level is
 * that below it averaged over 2x2 pixels, (a + b + c + d + 2) >> 2, whose
 * columns and rows beyond the image repeat its border.  Messages that come from
 * a coarser level may exceed what edges allow for, and stay so.
 *
 * Result.  The belief of a pixel is A = U + D + L + R + C of level 0; that of a
 * pixel of the frame is the one of the nearest pixel off the frame (x and y
 * clamped).  When the image has no pixel off the frame (a side is shorter than
 * 3) it is C.  Pixels of the left view take the disparity with the smallest
 * belief, on a tie the lowest.  A at (x, y, d) is also what the pixel
 * (x - d, y) of the right view has for d, so the winners of both views come
 * from the same beliefs.  The costs of winners have 16 bits: with float they
 * are A >> 7.
 *
 * Bounds.  m <= 3 M + the smallest C of the pixel, which is 0 above level 0.
 * Whatever exceeds m + M leaves no trace, so h may be cut off there before the
 * minimum over v' is taken, and jump k may be cut off at M.
 *   int8 and half: sums of four pixels' data costs are below 2^16, 4 M + C and
 *     3 M + C + jump below 2^15: 16 bits do.
 *     Beliefs are below 2^15, too.
 *   float: sums of four data costs are at most 2^24, 4 M + C and 3 M + C + jump
 *     at most 2^23.  Single precision holds all integers up to 2^24, so sums
 *     are exact.  A h + jump k beyond that is rounded, and still exceeds m + M.
 * A data cost that reaches max_data is far from winning: where the cut could
 * change a message on its own level (4 M), or below 4^3 pixels, there is none.
 *
 * Smoothing of luma with a Gaussian, for n_taps > 1: along rows
 * (sum of taps[|i|] luma (x + i) + 128) >> 8, 16 bits, then along columns
 * (sum of taps[|i|] row (y + i) + 2^15) >> 16, over |i| < n_taps.  Rows and
 * columns beyond the image repeat its edge.  The taps of both sides add up to
 * 2^16, so the sums fit 32 unsigned bits.
 */

#ifndef STEREO_BP_H
#define STEREO_BP_H

#include "core/algorithm.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STEREO_BP_MAX_LEVELS 10
/* For sigma = 10: ceil (4 sigma) + 1. */
#define STEREO_BP_MAX_TAPS 41

enum
{
  STEREO_BP_PRECISION_INT8 = 0,
  STEREO_BP_PRECISION_HALF,
  STEREO_BP_PRECISION_FLOAT
};

typedef struct
{
  unsigned iterations;
  unsigned levels;
  double data_weight;
  double max_data_term;
  double max_disc_term;
  double disc_single_jump;
  double edge_scale;
  double smoothing;
  int precision;
} StereoBpParams;

typedef struct
{
  int width;
  int height;
} StereoBpSize;

/* What the stages need to know, passed by value. */
typedef struct
{
  int width;
  int height;
  int channels;                 /* of both views */
  StereoCost cost;              /* STEREO_COST_RGB only of three channels */
  int min_disparity;
  int first_index;              /* as in StereoSearch; disparities outside */
  int end_index;                /* have no messages */
  int precision;
  int iterations;               /* for each level */
  int n_levels;                 /* 1 or more; the coarsest one's sides are at
                                 * least 3 pixels, unless it is level 0 */
  StereoBpSize level[STEREO_BP_MAX_LEVELS];
  bool winners;                 /* as in StereoSearch */
  bool right_winners;
  uint32_t difference_limit;
  uint32_t gain;                /* difference_limit gain + 2^15 < 2^32 */
  uint32_t max_data;
  bool edges;                   /* else all entries are equal */
  /* By g, the first one the largest: */
  uint32_t max_message[256];    /* M, 0 to 2^20 */
  uint32_t jump[256];           /* 0 to M */
  int n_taps;                   /* 1: views are not smoothed */
  uint32_t taps[STEREO_BP_MAX_TAPS];
} StereoBpConstants;

/* Work memory, of the back end; all levels are in the matcher's one arena. */
typedef struct StereoBpWork StereoBpWork;

/* Stage table "bp".  NULL is what a fused stage replaces.  Views, census words
 * and where the result goes are those of the frame. */
typedef struct
{
  /* Declares the work memory; may refuse with STEREO_ERROR_UNSUPPORTED. */
  StereoStatus (*plan) (const StereoSearch * search,
      const StereoBpConstants * k, StereoBpWork * work, StereoArena * arena,
      StereoMessage * why);
  /* Luma, copied or smoothed; the left view of all levels. */
  StereoStatus (*prepare) (const StereoMatchFrame * frame,
      const StereoBpConstants * k, const StereoBpWork * work);
  /* Data cost of a level >= 1; levels come in ascending order. */
  StereoStatus (*data) (const StereoMatchFrame * frame,
      const StereoBpConstants * k, int level, const StereoBpWork * work);
  /* First messages of a level, which come in descending order. */
  StereoStatus (*start) (const StereoMatchFrame * frame,
      const StereoBpConstants * k, int level, const StereoBpWork * work);
  /* Iteration t. */
  StereoStatus (*iterate) (const StereoMatchFrame * frame,
      const StereoBpConstants * k, int level, int t,
      const StereoBpWork * work);
  /* Winners to where the frame wants them. */
  StereoStatus (*finish) (const StereoMatchFrame * frame,
      const StereoBpConstants * k, const StereoBpWork * work);

  /* Optional.  All of data(). */
  StereoStatus (*pyramid) (const StereoMatchFrame * frame,
      const StereoBpConstants * k, const StereoBpWork * work);
  /* Optional.  start() and all iterations of a level. */
  StereoStatus (*descend) (const StereoMatchFrame * frame,
      const StereoBpConstants * k, int level, const StereoBpWork * work);
  /* Optional.  A whole frame instead of all stages above but plan; they may
   * then be NULL. */
  StereoStatus (*match) (const StereoMatchFrame * frame,
      const StereoBpConstants * k, const StereoBpWork * work);
} StereoBpStages;

/* The constants for a search; for tests that call stages. */
void stereo_bp_constants (const StereoSearch * search,
    const StereoBpParams * params, StereoBpConstants * constants);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_BP_H */
