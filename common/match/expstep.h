/* gst-stereomatching: aggregation with exponential step sizes
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * What ESAW and ESMP have in common, after
 *
 *   W. Yu, T. Chen, F. Franchetti, J. C. Hoe: "High performance stereo vision
 *   designed for massively data parallel platforms", IEEE Transactions on
 *   Circuits and Systems for Video Technology 20 (11), 2010
 *
 * Costs are aggregated in passes.  Each has a step s and runs twice, along
 * rows, then along columns: a pixel's new cost is a weighted mean of its own
 * and of those s pixels before and behind it, for every disparity alike.  The
 * weights fall off with the difference of colour in the left view and with s.
 * Steps grow exponentially, so that few passes cover a large window.
 *
 * The arithmetic is integer throughout, so that every implementation is
 * bit-exact:
 *
 *   C  cost.  That of census words (cost/census.h) is cut off at
 *        min (248, floor (8 cost_threshold + 1/2)),
 *      which with 31 or more is no limit.  That of luma or colours is 0 to 255
 *      for 0 to cost_threshold:
 *        (min (difference, limit) gain + (difference > limit ? excess : 0)
 *            + 128) >> 8
 *   u  weight of a neighbour before normalisation, 0 to 255 for 0 to 1, from a
 *      table by the difference of colour; 0 outside the image.  The pixel
 *      itself has 256.
 *   a  weight of one neighbour: (512 u + t) / (2 t), rounded down, with t = 256
 *      + u + u'; so the two neighbours have a + a' <= 170 parts of 256, and the
 *      pixel has the rest.
 *   C' (sum of the three weights times C + 128) >> 8: a byte again.  The last
 *      pass of all skips the rounding and the shift: the costs that compete
 *      are the sums, 0 to 65280.
 *
 * The lowest sum wins, on a tie the lowest disparity.  For the right view's
 * pixel (x, y) the sums of the left view's (x + d, y) compete.
 *
 * With messages (ESMP), before each of the passes along rows and columns the
 * costs of a pixel are replaced by
 *
 *   M (d) = min over d' of C (d') + min (jump |d - d'|, truncation)
 *
 * As messages cost resolution, there the second pass along columns (if it is
 * not the last) ends with C' = min (255, (sum - smallest sum of the pixel + 64)
 * >> 7) instead: costs above the pixel's smallest one, in steps half as large.
 * What is constant over a pixel's disparities has no influence on any winner,
 * and what is cut off is as unlikely a winner as half of cost_threshold.  From
 * there on jump and truncation count twice.
 *
 * Columns without a partner in the other view repeat the cost of the nearest
 * column that has one.
 */

#ifndef STEREO_EXPSTEP_H
#define STEREO_EXPSTEP_H

#include "core/algorithm.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STEREO_EXPSTEP_MAX_PASSES 12

/* Passes before this one have coarser costs, with messages. */
#define STEREO_EXPSTEP_FINE_PASS 2

enum
{
  STEREO_COLOR_METRIC_MAX = 0,
  STEREO_COLOR_METRIC_RMS,
  STEREO_COLOR_METRIC_MEAN
};

extern const StereoEnumValue stereo_color_metric_values[3];

typedef struct
{
  unsigned iterations;
  double base;
  double gamma_color;
  double gamma_distance;
  double cost_threshold;
  int color_metric;
  double data_weight;           /* these three with messages only */
  double disc_single_jump;
  double disc_truncation;
} StereoExpstepParams;

/* The rows of a parameter table that both algorithms have. */
#define STEREO_EXPSTEP_PARAM_ROWS(i, b, gc, gd, ct) \
  STEREO_PARAM_UINT_ROW (StereoExpstepParams, iterations, "iterations", \
      "Passes along rows and columns; those whose step has no weight left " \
      "are skipped", i, 1, STEREO_EXPSTEP_MAX_PASSES), \
  STEREO_PARAM_DOUBLE_ROW (StereoExpstepParams, base, "base", \
      "Growth of the step from pass to pass: base to the power of 0, 1, 2, " \
      "..., rounded, in pixels", b, 1.0, 4.0), \
  STEREO_PARAM_DOUBLE_ROW (StereoExpstepParams, gamma_color, "gamma-color", \
      "Difference of colour at which a weight has fallen to 1/e, in levels " \
      "of 8 bits", gc, 0.1, 255.0), \
  STEREO_PARAM_DOUBLE_ROW (StereoExpstepParams, gamma_distance, \
      "gamma-distance", \
      "Distance at which a weight has fallen to 1/e, in pixels", gd, 0.1, \
      1000.0), \
  STEREO_PARAM_DOUBLE_ROW (StereoExpstepParams, cost_threshold, \
      "cost-threshold", \
      "Difference at which the matching cost is cut off: bits of a census, " \
      "of which 31 are all, or levels of 8 bits", ct, 0.1, 255.0), \
  STEREO_PARAM_ENUM_ROW (StereoExpstepParams, color_metric, "color-metric", \
      "Difference of two colours, for the weights", STEREO_COLOR_METRIC_MAX, \
      stereo_color_metric_values)

/* One step. */
typedef struct
{
  int step;                     /* pixels, from 1 */
  /* u by the difference of colour: of one channel or, with the metric max, the
   * largest of three, in grey levels; with the others, in thirds of one. */
  uint8_t weight[768];
} StereoExpstepPass;

/* What the stages need to know, passed by value. */
typedef struct
{
  int width;
  int height;
  int channels;
  int min_disparity;
  int first_index;              /* as in StereoSearch */
  int end_index;
  int metric;                   /* STEREO_COLOR_METRIC_MAX with one channel */
  bool census;                  /* costs are those of census words; else: */
  int cost_channels;            /* difference = sum over so many channels */
  int limit;                    /* see above; of a census in units of C */
  int gain;
  int excess;
  bool winners;                 /* frames may want those of the left view, */
  bool right_winners;           /* and those of the right view, too */
  bool messages;
  /* In units of C, 0 to 255: in the first passes, and once they are finer. */
  int jump[2];
  int truncation[2];
} StereoExpstepConstants;

/* Device memory.  A plane has `height` rows of `pitch` elements. */
typedef struct
{
  size_t pitch;
  /* Luma in [0]; with three channels R, G, B follow.  The CPU's planes have 64
   * more elements in front and behind; those it has no use for are NULL. */
  uint8_t *left[4];
  uint8_t *right[4];
  uint8_t *volume[2];           /* costs of a chunk, laid out as it likes */
  uint8_t *weights;             /* of all passes, or NULL if made anew */
  int ranges;                   /* for match(), if not 0: in how many ranges */
  int bands;                    /* of disparities and bands of rows the work */
  int part_chunk;               /* is cut, how many disparities a part takes */
  size_t worker_bytes;          /* at once, and what a volume has for each */
  int slots;                    /* CPU, with messages: rows in volume[0], */
  int lag;                      /* how many of them threads may be apart, */
  uint32_t *progress;           /* and how far the parts of the rows are */
  void *best;                   /* winners so far, laid out as it likes */
  size_t best_pitch[2];         /* elements of its rows: left and right view */
  uint16_t *sums;               /* CPU: last sums of a row, for each worker */
  uint32_t *beside;             /* CUDA: what goes with the winners, if there */
  uint16_t *last_sum;           /* are several chunks */
  /* The frame's: census words of the left and right view, or nothing; what it
   * wants to have instead of a map, or NULL. */
  StereoCensus census[2];
  const StereoWinners *winners;
} StereoExpstepWork;

/* Disparities first, first + 1, ..., first + count - 1: those that are worked
 * on at once. */
typedef struct
{
  int first;
  int count;
} StereoExpstepChunk;

/*
 * Stage table "esaw" and "esmp".  A back end fills match, or cost with rows and
 * columns, or cost with iterate, which is both.
 *
 * columns and iterate get last = true in the last pass; they then update the
 * winners and leave the volume undefined.  Chunks come in ascending order.
 */
typedef struct
{
  /* Declares the work memory and returns how many disparities make a chunk;
   * -n when n disparities are the most it can do. */
  int (*plan) (const StereoSearch * search,
      const StereoExpstepConstants * k, const StereoExpstepPass * passes,
      int n_passes, StereoExpstepWork * work, StereoArena * arena);
  /* Copies what is needed of the views; weights, if work has room for them. */
  StereoStatus (*prepare) (const StereoMatchFrame * frame,
      const StereoExpstepConstants * k, const StereoExpstepPass * passes,
      int n_passes, const StereoExpstepWork * work);
  /* C (with messages M) into volume[0]. */
  StereoStatus (*cost) (StereoQueue * queue, const StereoExpstepConstants * k,
      const StereoExpstepWork * work, const StereoExpstepChunk * chunk);
  /* volume[0] to volume[1]. */
  StereoStatus (*rows) (StereoQueue * queue, const StereoExpstepConstants * k,
      const StereoExpstepPass * pass, int index,
      const StereoExpstepWork * work, const StereoExpstepChunk * chunk);
  /* volume[1] to volume[0]. */
  StereoStatus (*columns) (StereoQueue * queue,
      const StereoExpstepConstants * k, const StereoExpstepPass * pass,
      int index, bool last, const StereoExpstepWork * work,
      const StereoExpstepChunk * chunk);
  /* volume[index % 2] to volume[1 - index % 2]. */
  StereoStatus (*iterate) (StereoQueue * queue,
      const StereoExpstepConstants * k, const StereoExpstepPass * pass,
      int index, bool last, const StereoExpstepWork * work,
      const StereoExpstepChunk * chunk);
  /* Used if plan() set work->ranges: everything between prepare and finish. */
  StereoStatus (*match) (StereoQueue * queue,
      const StereoExpstepConstants * k, const StereoExpstepPass * passes,
      int n_passes, const StereoExpstepWork * work);
  /* Winners to what the frame wants. */
  StereoStatus (*finish) (const StereoMatchFrame * frame,
      const StereoExpstepConstants * k, const StereoExpstepWork * work);
} StereoExpstepStages;

/* What plan() of an algorithm fills in. */
typedef struct
{
  StereoExpstepConstants constants;
  int n_passes;
  StereoExpstepPass passes[STEREO_EXPSTEP_MAX_PASSES];
  StereoExpstepWork work;
  int chunk;
} StereoExpstepPlan;

/* Passes and constants for parameters; no messages. */
void stereo_expstep_constants (const StereoSearch * search,
    const StereoExpstepParams * params, StereoExpstepPlan * plan);

/* The rest of an algorithm's plan(), after the constants. */
StereoStatus stereo_expstep_plan (const StereoSearch * search,
    const StereoExpstepStages * stages, StereoExpstepPlan * plan,
    StereoArena * arena, StereoMessage * why);

/* An algorithm's run(). */
StereoStatus stereo_expstep_run (const StereoMatchFrame * frame,
    const void *stages);

/* The table for the CPU. */
const StereoExpstepStages *stereo_expstep_stages_cpu (StereoSimd simd);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_EXPSTEP_H */
