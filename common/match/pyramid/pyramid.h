/* gst-stereomatching: correlation over an image pyramid
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Coarse-to-fine search for subpixel displacements in both directions of the
 * image, after
 *
 *   T. Xu, P. Cockshott, S. Oehler: "Acceleration of stereo-matching on
 *   multi-core CPU and GPU", HPCC 2014
 *
 * Every pixel (x, y) of the left view has a displacement (dx, dy) to its
 * partner at (x + dx, y + dy) in the right view, and a confidence c.  From the
 * coarsest level of the pyramid to the finest, iterations move displacements
 * towards higher correlation:
 *
 *   warp        resample the right view at the current displacements
 *   correlate   the left view with the warped one, and with the warped one
 *               moved by one pixel left, right, up and down
 *   polynomial  parabolas through the three correlations in each direction;
 *               (dx, dy) moves to their maximum, by at most `step`
 *   diffuse     several means over neighbours, weighted by the confidence,
 *               then an unweighted one
 *   select      after the iterations of a level: the best displacement nearby
 *
 * Arithmetic (functions in pyramid-formula.h).  "Exact" values are integers, or
 * integers over a power of two, that fit 24 bits: order, type and fusing do not
 * change them.  Everything else is IEEE single precision, rounded after each
 * operation, in the order written here; 1/x and x/y are correctly rounded.
 *
 *   word        A pixel of a view is a word of three fields: R, G and B.
 *               Level 0 has 2.5 R, 3.5 G and 1.5 B, rounded up; for luma
 *               R = G = B.  The squares of these factors have the proportion
 *               0.30 to 0.59 to 0.11, so the product of two pixels, the sum
 *               of the products of their fields, has the weights of
 *               luminance.  Exact, at most 1351182.
 *   G           the weights [1 3 4 3 1] in rows and in columns: a Gaussian of
 *               sigma 1.08 with a sum of 144.
 *   level + 1   sizes are divided by sqrt (2), rounded down.  The view under G,
 *               resampled bilinearly at multiples of 1/64 pixel, rounded to a
 *               whole field once, half up: integers below 2^31.
 *   warp        at multiples of 1/64 pixel, coordinates clamped, bilinearly,
 *               rounded to a whole field, half to even.  Exact.
 *   border      views, warped or not, repeat their outermost pixels before
 *               multiplication: a product beyond the border is that of
 *               L (clamp (x)) and W (clamp (x + move)).
 *   moments     sums of products under G: rows first, exact; then columns,
 *               (e + f) + 2 (f + 2 h2) with e = h0 + h4 and f = h1 + h3.
 *   correlation c = min (((p * p) * ir) * il, 1), p the moment of the left
 *               with the (moved) warped view; il and ir are 1 / max (s, 1)
 *               with the moments s of the views with themselves, il at the
 *               left pixel, ir at the moved one.
 *   polynomial  stereo_pyramid_parabola()
 *   confidence  new is the product of both parabolas' trust; then
 *               c = 0.75 c + 0.25 new, or new in the very first iteration
 *   diffusion   with the sums of five values ((left + right) + (up + down)) +
 *               own: r = 1 / sum (c); dx = sum (c * dx) * r, dy likewise,
 *               c = sum (c * c) * r.  Neighbours beyond the border repeat the
 *               outermost pixel of the same step.
 *   mean        (left + right) + own in rows, (up + down) + own of these, times
 *               1/9; neighbours as before.
 *   census      bit i is set if neighbour i of the 5x5 window, in rows from top
 *               to bottom without the centre, is brighter than the centre:
 *               3 R + 4 G + 2 B of the words.
 *   selection   After the iterations of a level, selection-passes times.  Each
 *               pixel takes one of the displacements of
 *               stereo_pyramid_candidate(): its own, those of its neighbours,
 *               and its own with dx changed.  Candidate i of pixel q has the
 *               error e (q) = the number of census bits by which q and the
 *               pixel nearest to q + displacement in the right view differ, or
 *               24 if that is outside.  A pixel takes dx, dy and c of the
 *               candidate whose sum of e over 5x5 pixels, repeated beyond the
 *               border, is lowest; the first of them.
 *   level - 1   displacements resampled bilinearly, at multiples of 1/64 pixel,
 *               then multiplied by the ratio of the sizes; the confidence
 *               resampled.
 *   check       A second search has the views exchanged and the start negated.
 *               A pixel is invalid, with confidence 0, unless x + dx is in
 *               [-1/2, width - 1/2) and the sum of dx and of the other
 *               field's dx, at the pixel nearest to (x + dx, y + dy), is at
 *               most lr-max-diff; dy likewise.
 *   winners     The code of a disparity is floor ((-dx - min-disparity) unit
 *               + 1/2), limited to the range.  The winner of a left pixel has
 *               the index nearest to it, the fraction that is left, and the
 *               uniqueness stereo_pyramid_uniqueness() of the confidence; that
 *               of a right pixel has the index alone.  refine/refine.h makes
 *               a map of them.  An invalid pixel has no winner.
 *   fill        An invalid pixel takes dy of the nearest valid pixel to
 *               the left or right in its row, of the two the one with the
 *               lower disparity; without any it keeps its own.
 *
 * A confidence is 0 or at least 0.16, and at most 1 (plus rounding).  No
 * divisor is 0.
 *
 * Differences to the published method: the three channels are correlated as
 * one vector with the weights of luminance, instead of a mean of three
 * correlations, and a parabola needs a curvature of at least 2^-17.
 * docs/algorithms/pyramid.md compares the results.
 */

#ifndef STEREO_PYRAMID_H
#define STEREO_PYRAMID_H

#include "match/algorithm.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STEREO_PYRAMID_MAX_LEVELS 20

/* Smallest width and height of the levels above 0. */
#define STEREO_PYRAMID_MIN_SIZE 24

typedef struct
{
  unsigned levels;
  unsigned max_iterations;
  unsigned fine_iterations;
  unsigned diffusion;
  unsigned fine_diffusion;
  unsigned selection_passes;
  bool vertical_search;
  double max_step;
  int lr_max_diff;
  unsigned speckle_size;
  bool fill;
  int refine;                   /* StereoRefine */
  double min_confidence;
} StereoPyramidParams;

/* A level of the pyramid. */
typedef struct
{
  int width;
  int height;
  size_t stride;                /* elements of a row in all buffers: a multiple
                                 * of 32, above the width */
  uint32_t *left;               /* words */
  uint32_t *right;
  uint32_t *census[2];          /* of the left and the right view */
  int iterations;               /* at least 1 */
  int diffusion;                /* steps per iteration, may be 0 */
  /* Relation to the next coarser level; unset at the coarsest.  scale: this
   * size over that one, a factor of displacements in upsample.  The others are
   * stereo_pyramid_ratio(), of positions in pixels of this level (downsample)
   * and of the coarser one (upsample). */
  float scale_x;
  float scale_y;
  uint32_t downsample_x;
  uint32_t downsample_y;
  uint32_t upsample_x;
  uint32_t upsample_y;
} StereoPyramidLevel;

/* Constants of a search, passed to kernels by value. */
typedef struct
{
  int channels;                 /* of the views, 1 or 3 */
  bool vertical;                /* search dy; otherwise it has no plane */
  float max_step;               /* pixels of the level */
  float start;                  /* initial dx at the coarsest level, in its
                                 * pixels */
  int n_levels;                 /* 1 to STEREO_PYRAMID_MAX_LEVELS */
  int selection_passes;
  bool check;                   /* left-right consistency check */
  float max_diff;               /* its tolerance, pixels */
  bool fill;                    /* fill the vertical displacement of
                                 * inconsistent pixels */
  float min_confidence;         /* of valid results of finish() */
  int unit;                     /* of winners, as in StereoSearch */
  int num_disparities;
  int min_disparity;
} StereoPyramidConstants;

/* A field of displacements with confidences: planes with the stride of its
 * level. */
typedef struct
{
  float *dx;
  float *dy;                    /* NULL without a vertical search */
  float *confidence;
} StereoPyramidField;

/* Arguments of the stages.  All stages use queue, k and level; the stage table
 * names the others. */
typedef struct
{
  StereoQueue *queue;
  const StereoPyramidConstants *k;
  const StereoPyramidLevel *level;
  const StereoPyramidLevel *source;     /* the level to resample from */
  const StereoView *left;
  const StereoView *right;
  float *inverse;               /* il of the level */
  float step;                   /* maximum update */
  bool first;                   /* no confidence exists yet */
  const StereoPyramidField *from;
  const StereoPyramidField *to;
  const StereoPyramidField *back;       /* of the right view */
  const StereoWinners *winners; /* NULL without refinement */
  const StereoOutput *const *results;   /* by StereoResult; NULL entries are
                                         * not wanted */
} StereoPyramidArgs;

typedef StereoStatus (*StereoPyramidStage) (const StereoPyramidArgs * a);

/* Stage table "pyramid".  Every backend has all stages but the optional one,
 * which is NULL if absent. */
typedef struct
{
  /* Words of level 0 from left and right. */
  StereoPyramidStage start;
  /* Words of both views from the next finer level, source. */
  StereoPyramidStage downsample;
  /* Sets the field `to` to k->start, 0 and confidence 0. */
  StereoPyramidStage clear;
  /* Computes inverse, which is constant over the iterations of a level. */
  StereoPyramidStage prepare;
  /* Warps, correlates and follows the parabolas: inverse, step, first, from,
   * to. */
  StereoPyramidStage correlate;
  /* level->diffusion steps, then the mean: from, to.  May change from. */
  StereoPyramidStage diffuse;
  /* Census of both views of all levels; level is the finest one. */
  StereoPyramidStage census;
  /* Selects displacements by the census: from, to. */
  StereoPyramidStage select;
  /* The field `to` of a level from the field `from` of the next coarser one,
   * source. */
  StereoPyramidStage upsample;
  /* Level 0: sets the confidence of `to` to 0 where it is inconsistent with
   * `from`, the field of the right view. */
  StereoPyramidStage check;
  /* Level 0: fills displacements of `to` where the confidence is 0. */
  StereoPyramidStage fill;
  /* Level 0: winners of the fields `from` and `back`. */
  StereoPyramidStage winners;
  /* Encodes the field `from` of level 0 in results: -dx, -dy (0 without a
   * vertical search) and the confidence.  Displacements with a confidence
   * below k->min_confidence are invalid. */
  StereoPyramidStage finish;

  /* Optional: prepare, and correlate and diffuse for all iterations of a
   * level, with the steps of stereo_pyramid_step().  The result replaces the
   * input, `from`; `to` is scratch memory.  first refers to the first
   * iteration. */
  StereoPyramidStage iterate;

  /* Whether the two searches run at the same time: the queue has both(). */
  bool concurrent;
} StereoPyramidStages;

/* Computes the constants of a search, and the levels except their buffers;
 * level has room for STEREO_PYRAMID_MAX_LEVELS. */
void stereo_pyramid_constants (const StereoSearch * search,
    const StereoPyramidParams * params, StereoPyramidConstants * constants,
    StereoPyramidLevel * level);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_PYRAMID_H */
