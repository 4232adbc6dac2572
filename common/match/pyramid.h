/* gst-stereomatching: correlation over an image pyramid
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Coarse-to-fine search for displacements that are real numbers, in both
 * directions of the image, after
 *
 *   T. Xu, P. Cockshott, S. Oehler: "Acceleration of stereo-matching on
 *   multi-core CPU and GPU", HPCC 2014
 *
 * Every pixel (x, y) of the left view has a displacement (dx, dy), which says
 * that it is at (x + dx, y + dy) in the right view, and a confidence c.  On
 * every level of the pyramid, from the coarsest to the finest, some iterations
 * move the displacements to where the views correlate better:
 *
 *   warp        the right view is resampled with the displacements so far
 *   correlate   the left view with the warped one, and with the same moved by
 *               one pixel to either side, up and down
 *   polynomial  parabolas through the three correlations in each direction;
 *               (dx, dy) follows them to the top, but no further than `step`
 *   diffuse     several means over neighbours, weighted with the confidence,
 *               and one that is not
 *
 * The arithmetic, which pyramid-pixel.h has as functions.  "Exact" values are
 * integers (or integers over a power of two) that fit 24 bits, so that it does
 * not matter in which order, with which type, fused or not, they are computed.
 * All else is IEEE single precision, rounded after each operation, in the
 * order written here; 1/x and x/y are correctly rounded.
 *
 *   word        A pixel of a view is a word of three fields: of R, G and B.
 *               Level 0 has 2.5 R, 3.5 G and 1.5 B, rounded up; for luma
 *               R = G = B.  The squares of these factors are in the proportion
 *               of 0.30 to 0.59 to 0.11, so that the product of two pixels,
 *               the sum of the products of their fields, has the weights of
 *               luminance.  Exact, at most 1351182.
 *   G           the weights [1 3 4 3 1] in rows and in columns: a Gaussian of
 *               sigma 1.08 with a sum of 144.
 *   level + 1   sizes are divided by sqrt (2), rounded down.  The view under G,
 *               resampled bilinearly at multiples of 1/64 pixel, rounded to a
 *               whole field once, half up: integers below 2^31.
 *   warp        at multiples of 1/64 pixel, coordinates clamped, bilinearly,
 *               rounded to a whole field, half to even.  Exact.
 *   border      views, warped or not, repeat their outermost pixels.  (They do
 *               so before they are multiplied: a product beyond the border is
 *               that of L (clamp (x)) and W (clamp (x + move)).)
 *   moments     sums of products under G: rows first, exact; then columns,
 *               (e + f) + 2 (f + 2 h2) with e = h0 + h4 and f = h1 + h3.
 *   correlation c = min (((p * p) * ir) * il, 1) where p is the moment of the
 *               left with the (moved) warped view; il and ir are 1 / max (s, 1)
 *               with the moments s of the views with themselves, il where the
 *               left pixel is, ir where the moved one is.
 *   polynomial  stereo_pyramid_parabola()
 *   confidence  of an iteration, the product of both parabolas'; then
 *               0.75 c + 0.25 new, but new at the very first iteration
 *   diffusion   with the sums of five values ((left + right) + (up + down)) +
 *               own: r = 1 / sum (c); dx = sum (c * dx) * r, dy likewise,
 *               c = sum (c * c) * r.  Neighbours beyond the border repeat the
 *               outermost pixel of the same step.
 *   mean        (left + right) + own in rows, (up + down) + own of these, times
 *               1/9; neighbours as before.
 *   level - 1   displacements resampled bilinearly, at multiples of 1/64 pixel,
 *               then multiplied by the ratio of the sizes; the confidence
 *               resampled.
 *   check       The same again with the views exchanged, the start negated.  A
 *               pixel gets the confidence 0, and is invalid, if x + dx is
 *               below -1/2 or not below width - 1/2, or the sum of dx and that
 *               of the other field, at the pixel nearest to (x + dx, y + dy),
 *               is more than lr-max-diff; dy likewise.
 *   fill        An invalid pixel takes dx and dy of the nearest valid one to
 *               the left or to the right in its row, whichever has the lower
 *               disparity; it keeps its own where the row has none.
 *
 * A confidence is 0.16 at least, unless it is 0, and 1 (and a rounding) at
 * most.  Nothing is ever divided by zero.
 *
 * Against the published method: three channels are correlated as one vector
 * with the weights of luminance, instead of the mean of three correlations,
 * and a parabola has to be curved by 2^-17 at least.  What that is worth is in
 * docs/algorithms/pyramid.md.
 */

#ifndef STEREO_PYRAMID_H
#define STEREO_PYRAMID_H

#include "core/algorithm.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STEREO_PYRAMID_MAX_LEVELS 20

/* No level but level 0 is narrower or lower than this. */
#define STEREO_PYRAMID_MIN_SIZE 24

typedef struct
{
  unsigned levels;
  unsigned max_iterations;
  unsigned fine_iterations;
  unsigned diffusion;
  unsigned fine_diffusion;
  bool vertical_search;
  double max_step;
  int lr_max_diff;
  bool fill;
} StereoPyramidParams;

/* One size of the views, and what is done there. */
typedef struct
{
  int width;
  int height;
  size_t stride;                /* elements of a row of every buffer of this
                                 * level: a multiple of 32, above the width */
  uint32_t *left;               /* words */
  uint32_t *right;
  int iterations;               /* at least 1 */
  int diffusion;                /* steps in an iteration, may be 0 */
  /* Between this level and the next coarser one; not set at the coarsest.
   * What upsample multiplies displacements with, this one's size over that
   * one's; and both of stereo_pyramid_ratio(): of downsample, positions in this
   * level's pixels, and of upsample, positions in the other one's. */
  float scale_x;
  float scale_y;
  uint32_t downsample_x;
  uint32_t downsample_y;
  uint32_t upsample_x;
  uint32_t upsample_y;
} StereoPyramidLevel;

/* What the stages need to know, passed by value. */
typedef struct
{
  int channels;                 /* of the views, 1 or 3 */
  bool vertical;                /* dy is searched for, else it is not touched
                                 * and there is no plane of it */
  float max_step;               /* pixels */
  float start;                  /* dx at the coarsest level before anything is
                                 * known, in its pixels */
  int n_levels;                 /* 1 to STEREO_PYRAMID_MAX_LEVELS */
  bool check;                   /* against the other view's field */
  float max_diff;               /* of that, pixels */
  bool fill;                    /* what fails it, else it stays invalid */
} StereoPyramidConstants;

/* A field of displacements with confidences: planes with the stride of the
 * level that they belong to. */
typedef struct
{
  float *dx;
  float *dy;                    /* NULL without a vertical search */
  float *confidence;
} StereoPyramidField;

/*
 * Stage table "pyramid".  A back end fills all stages but the one that says
 * "optional", which is NULL if it has not got it.  Where it has, it is used in
 * place of the ones that it names.
 */
typedef struct
{
  /* Words of level 0 from both views. */
  StereoStatus (*start) (StereoQueue * queue,
      const StereoPyramidConstants * k, const StereoView * left,
      const StereoView * right, const StereoPyramidLevel * level);
  /* Words of a level, both views, from the next finer one. */
  StereoStatus (*downsample) (StereoQueue * queue,
      const StereoPyramidConstants * k, const StereoPyramidLevel * fine,
      const StereoPyramidLevel * coarse);
  /* A field with k->start, 0 and confidence 0 everywhere. */
  StereoStatus (*clear) (StereoQueue * queue,
      const StereoPyramidConstants * k, const StereoPyramidLevel * level,
      const StereoPyramidField * field);
  /* il of a level: its left view does not change over the iterations. */
  StereoStatus (*prepare) (StereoQueue * queue,
      const StereoPyramidConstants * k, const StereoPyramidLevel * level,
      float *inverse);
  /* Warps, correlates and follows the parabolas: from one field to the other.
   * first says that there is no confidence yet. */
  StereoStatus (*correlate) (StereoQueue * queue,
      const StereoPyramidConstants * k, const StereoPyramidLevel * level,
      const float *inverse, float step, bool first,
      const StereoPyramidField * from, const StereoPyramidField * to);
  /* level->diffusion steps, then the mean: from one field to the other.  The
   * first one may get changed. */
  StereoStatus (*diffuse) (StereoQueue * queue,
      const StereoPyramidConstants * k, const StereoPyramidLevel * level,
      const StereoPyramidField * from, const StereoPyramidField * to);
  /* The field of a level from that of the next coarser one. */
  StereoStatus (*upsample) (StereoQueue * queue,
      const StereoPyramidConstants * k, const StereoPyramidLevel * coarse,
      const StereoPyramidLevel * fine, const StereoPyramidField * from,
      const StereoPyramidField * to);
  /* Level 0: confidence 0 where field fails the check against back, that of
   * the right view. */
  StereoStatus (*check) (StereoQueue * queue,
      const StereoPyramidConstants * k, const StereoPyramidLevel * level,
      const StereoPyramidField * back, const StereoPyramidField * field);
  /* Level 0: displacements for pixels with confidence 0. */
  StereoStatus (*fill) (StereoQueue * queue,
      const StereoPyramidConstants * k, const StereoPyramidLevel * level,
      const StereoPyramidField * field);
  /* Codes from the field of level 0, by StereoResult, but where NULL: of -dx,
   * of -dy (of 0 without a vertical search), of the confidence.  Pixels with
   * confidence 0 have the former two only with k->fill. */
  StereoStatus (*finish) (StereoQueue * queue,
      const StereoPyramidConstants * k, const StereoPyramidLevel * level,
      const StereoPyramidField * field, const StereoOutput * const *results);

  /* Optional: prepare, and correlate and diffuse for all iterations of a
   * level.  The result goes where the input was, to field; other is as large,
   * and free.  first is that of the first iteration.  Steps are those of
   * stereo_pyramid_step(). */
  StereoStatus (*iterate) (StereoQueue * queue,
      const StereoPyramidConstants * k, const StereoPyramidLevel * level,
      float *inverse, bool first, const StereoPyramidField * field,
      const StereoPyramidField * other);
} StereoPyramidStages;

/* The constants for a search, and the levels but for their buffers (level has
 * room for STEREO_PYRAMID_MAX_LEVELS); for tests that call stages. */
void stereo_pyramid_constants (const StereoSearch * search,
    const StereoPyramidParams * params, StereoPyramidConstants * constants,
    StereoPyramidLevel * level);

/* Stages for any CPU (pyramid-check.c). */
StereoStatus stereo_pyramid_check_cpu (StereoQueue * queue,
    const StereoPyramidConstants * k, const StereoPyramidLevel * level,
    const StereoPyramidField * back, const StereoPyramidField * field);
StereoStatus stereo_pyramid_fill_cpu (StereoQueue * queue,
    const StereoPyramidConstants * k, const StereoPyramidLevel * level,
    const StereoPyramidField * field);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_PYRAMID_H */
