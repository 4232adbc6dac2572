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
 * All numbers are integers, multiples of a unit of cost that
 * stereo_bp_constants() chooses, and all sums are exact.  The result does not
 * depend on the order, so every implementation is bit-exact.  `precision` sets
 * the unit and the storage of numbers:
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
 *   words: their cost (cost/words.h), 8 for a bit: not the paper's
 *   luma: in units of 1/256 grey level, of 256 luma, or that smoothed
 *   rgb: 256 times the sum of three channels'; of views of one channel as luma
 *
 * Data cost of level l + 1.  The sum of the (one, two or) four pixels of level
 * l below it, (2x, 2y) to (2x + 1, 2y + 1), minus the smallest such sum of the
 * pixel's disparities, at most max_data; with half then rounded to 11
 * significant bits, to nearest, ties to even (stereo_bp_round_half), which is
 * fp16.  That of level 0 is not rounded.
 *
 * Messages.  Each pixel sends four for every disparity: up (to y - 1), down,
 * left and right.  Initially they are 0 on the coarsest level, and on other
 * levels those of the parent (x / 2, y / 2).
 *
 * Iteration t = 0, 1, ... of a level updates in place the pixels with
 * 1 <= x <= width - 2, 1 <= y <= height - 2 and x + y + t odd
 * (stereo_bp_sends).  These read only pixels of the other checkerboard colour,
 * so their order does not matter.  Pixels of the frame are never updated: they
 * keep the messages of the coarser level.  With U, D, L, R the messages sent
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
 * Edges (an extension of the paper).  jump and M are jump[g] and
 * max_message[g], with g the difference of sender and receiver in the left
 * view, the largest of its channels: disparity changes cost less at colour
 * edges.  The left view of a coarser level is the mean of 2x2 pixels of the
 * finer one, (a + b + c + d + 2) >> 2; columns and rows beyond the image repeat
 * its border.  Messages from a coarser level may exceed M of an edge.
 *
 * Result.  The belief of a pixel is A = U + D + L + R + C of level 0; that of a
 * pixel of the frame is the one of the nearest pixel off the frame (x and y
 * clamped).  When the image has no pixel off the frame (a side is shorter than
 * 3) it is C.  Pixels of the left view take the disparity with the smallest
 * belief, on a tie the lowest.  A at (x, y, d) is also the belief of pixel
 * (x - d, y) of the right view at d.  The costs of winners have 16 bits: with
 * float they are A >> 7.
 *
 * Bounds.  m <= 3 M + the smallest C of the pixel, which is 0 above level 0.
 * Values above m + M have no effect, so h may be truncated there before the
 * minimum over v' is taken, and jump k may be truncated at M.
 *   int8 and half: sums of four pixels' data costs are below 2^16, 4 M + C and
 *     3 M + C + jump below 2^15: 16 bits do.
 *     Beliefs are below 2^15, too.
 *   float: sums of four data costs are at most 2^24, 4 M + C and 3 M + C + jump
 *     at most 2^23.  Single precision holds all integers up to 2^24, so sums
 *     are exact.  A h + jump k beyond that is rounded, and still exceeds m + M.
 * A data cost that reaches max_data is far from winning: the truncation changes
 * no message of its level (4 M), and is never reached below 4^3 pixels.
 *
 * Smoothing of luma with a Gaussian, for n_taps > 1: along rows
 * (sum of taps[|i|] luma (x + i) + 128) >> 8, 16 bits, then along columns
 * (sum of taps[|i|] row (y + i) + 2^15) >> 16, over |i| < n_taps.  Rows and
 * columns beyond the image repeat its edge.  The taps of both sides add up to
 * 2^16, so the sums fit 32 unsigned bits.
 */

#ifndef STEREO_BP_H
#define STEREO_BP_H

#include "match/algorithm.h"

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

/* Constants of a search, passed to kernels by value. */
typedef struct
{
  int width;
  int height;
  int channels;                 /* of both views */
  StereoCostKind cost;
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
  /* by g, descending */
  uint32_t max_message[256];    /* M, 0 to 2^20 */
  uint32_t jump[256];           /* 0 to M */
  int n_taps;                   /* 1: views are not smoothed */
  uint32_t taps[STEREO_BP_MAX_TAPS];
} StereoBpConstants;

/* Work memory of the backend; all levels are in the matcher's arena. */
typedef struct StereoBpWork StereoBpWork;

/* Arguments of the stages.  Input views, words and the output are those
 * of the frame. */
typedef struct
{
  const StereoMatchFrame *frame;
  const StereoBpConstants *k;
  const StereoBpWork *work;
  int level;
  int t;                        /* iteration */
} StereoBpArgs;

typedef StereoStatus (*StereoBpStage) (const StereoBpArgs * a);

/* Stage table "bp".  Stages that a fused stage replaces may be NULL. */
typedef struct
{
  /* Declares the work memory; may refuse with STEREO_ERROR_UNSUPPORTED. */
  StereoStatus (*plan) (const StereoSearch * search,
      const StereoBpConstants * k, StereoBpWork * work, StereoArena * arena,
      StereoMessage * why);
  /* Luma, copied or smoothed; the left view of all levels. */
  StereoBpStage prepare;
  /* Data costs of a level >= 1, in ascending order of levels. */
  StereoBpStage data;
  /* Initial messages of a level, in descending order of levels. */
  StereoBpStage start;
  /* Iteration t of a level. */
  StereoBpStage iterate;
  /* Winner-take-all. */
  StereoBpStage finish;

  /* Optional: data() of all levels. */
  StereoBpStage pyramid;
  /* Optional: start() and all iterations of a level. */
  StereoBpStage descend;
  /* Optional: all stages but plan, for a whole frame. */
  StereoBpStage match;
} StereoBpStages;

/* Computes the constants of a search. */
void stereo_bp_constants (const StereoSearch * search,
    const StereoBpParams * params, StereoBpConstants * constants);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_BP_H */
