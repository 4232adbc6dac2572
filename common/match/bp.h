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
 * with x - d of the right one.  A column without a partner repeats the nearest
 * one that has one (stereo_bp_column).  A view is in units of 1/256 grey level:
 * 256 luma, or that smoothed (see below).  With t = min (|difference|,
 * difference_limit) the data cost is (t gain + 2^15) >> 16.
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
 * Result.  Pixels off the frame take the disparity with the smallest U + D + L
 * + R + C of level 0, on a tie the lowest.  A pixel of the frame takes that of
 * the nearest one off the frame (x and y clamped).  When the image has no pixel
 * off the frame (a side is shorter than 3) all pixels take the smallest C.
 *
 * Bounds.  m <= 3 M + the smallest C of the pixel, which is 0 above level 0.
 * Whatever exceeds m + M leaves no trace, so h may be cut off there before the
 * minimum over v' is taken, and jump k may be cut off at M.
 *   int8 and half: sums of four pixels' data costs are below 2^16, 4 M + C and
 *     3 M + C + jump below 2^15: 16 bits do.
 *   float: sums of four data costs are at most 2^24, 4 M + C and 3 M + C + jump
 *     at most 2^23.  Single precision holds all integers up to 2^24, so sums
 *     are exact.  A h + jump k beyond that is rounded, and still exceeds m + M.
 * A data cost that reaches max_data is far from winning: where the cut could
 * change a message on its own level (4 M), or below 4^3 pixels, there is none.
 *
 * Smoothing with a Gaussian, for n_taps > 1: along rows
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
  int min_disparity;
  int first_index;              /* as in StereoSearch; disparities outside */
  int end_index;                /* have no messages */
  int precision;
  int iterations;               /* for each level */
  int n_levels;                 /* 1 or more; the coarsest one's sides are at
                                 * least 3 pixels, unless it is level 0 */
  StereoBpSize level[STEREO_BP_MAX_LEVELS];
  uint32_t difference_limit;    /* in 1/256 grey level, 0 to 65280 */
  uint32_t gain;                /* difference_limit gain + 2^15 < 2^32 */
  uint32_t max_data;
  uint32_t max_message;         /* M, 0 to 2^20 */
  uint32_t jump;                /* 0 to M */
  int n_taps;                   /* 1: views are not smoothed */
  uint32_t taps[STEREO_BP_MAX_TAPS];
} StereoBpConstants;

/* Device memory, laid out as the back end likes; what it has no use for is
 * NULL.  All levels are in the matcher's one arena. */
typedef struct
{
  void *left;                   /* prepared views */
  void *right;
  void *data[STEREO_BP_MAX_LEVELS];
  void *messages[STEREO_BP_MAX_LEVELS];
  void *scratch[4];
} StereoBpWork;

/* Stage table "bp".  NULL is what a fused stage replaces. */
typedef struct
{
  /* Declares the work memory; may refuse with STEREO_ERROR_UNSUPPORTED. */
  StereoStatus (*plan) (const StereoSearch * search,
      const StereoBpConstants * k, StereoBpWork * work, StereoArena * arena,
      StereoMessage * why);
  /* Views, copied or smoothed. */
  StereoStatus (*prepare) (StereoQueue * queue, const StereoBpConstants * k,
      const StereoView * left, const StereoView * right,
      const StereoBpWork * work);
  /* Data cost of a level >= 1; levels come in ascending order. */
  StereoStatus (*data) (StereoQueue * queue, const StereoBpConstants * k,
      int level, const StereoBpWork * work);
  /* First messages of a level, which come in descending order. */
  StereoStatus (*start) (StereoQueue * queue, const StereoBpConstants * k,
      int level, const StereoBpWork * work);
  /* Iteration t. */
  StereoStatus (*iterate) (StereoQueue * queue, const StereoBpConstants * k,
      int level, int t, const StereoBpWork * work);
  /* Disparities to a map, or to codes if output is not NULL. */
  StereoStatus (*finish) (StereoQueue * queue, const StereoBpConstants * k,
      const StereoBpWork * work, const StereoMap * map,
      const StereoOutput * output);

  /* Optional.  All of data(). */
  StereoStatus (*pyramid) (StereoQueue * queue, const StereoBpConstants * k,
      const StereoBpWork * work);
  /* Optional.  start() and all iterations of a level. */
  StereoStatus (*descend) (StereoQueue * queue, const StereoBpConstants * k,
      int level, const StereoBpWork * work);
  /* Optional.  A whole frame, from views to a map or codes, instead of all
   * stages above but plan; they may then be NULL. */
  StereoStatus (*match) (StereoQueue * queue, const StereoBpConstants * k,
      const StereoView * left, const StereoView * right,
      const StereoBpWork * work, const StereoMap * map,
      const StereoOutput * output);
} StereoBpStages;

/* The constants for a search; for tests that call stages. */
void stereo_bp_constants (const StereoSearch * search,
    const StereoBpParams * params, StereoBpConstants * constants);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_BP_H */
