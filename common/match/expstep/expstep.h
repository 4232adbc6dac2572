/* gst-stereomatching: aggregation with exponential step sizes
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Common part of ESAW and ESMP, after
 *
 *   W. Yu, T. Chen, F. Franchetti, J. C. Hoe: "High performance stereo vision
 *   designed for massively data parallel platforms", IEEE Transactions on
 *   Circuits and Systems for Video Technology 20 (11), 2010
 *
 * Costs are aggregated in passes.  A pass has a step s and runs along rows,
 * then along columns: the new cost of a pixel is a weighted mean of its cost
 * and of those of the pixels s before and s after it, for each disparity.
 * Weights decrease with the colour difference in the left view and with s.
 * Steps grow exponentially, so that few passes cover a large window.
 *
 * All arithmetic is integer, so that all implementations give the same result:
 *
 *   C  matching cost, 0 to 255.  Costs of words (cost/words.h) are truncated at
 *        min (248, floor (8 cost_threshold + 1/2)).
 *      Differences of luma or RGB from 0 to cost_threshold map to 0 to 255:
 *        (min (difference, limit) gain + (difference > limit ? excess : 0)
 *            + 128) >> 8
 *   u  weight of a neighbour before normalization, 0 to 255 for 0 to 1, from a
 *      table by colour difference; 0 outside the image.  The pixel itself has
 *      256.
 *   a  weight of a neighbour, floor ((512 u + t) / (2 t)) with
 *      t = 256 + u + u': a + a' <= 170, and the pixel has 256 - a - a'.
 *   C' (sum of the three weights times C + 128) >> 8.  The last pass omits
 *      rounding and shift: winners are selected from sums, 0 to 65280.
 *
 * The lowest sum wins; on a tie the lowest disparity.  For the right pixel
 * (x, y) the candidates are the sums of the left pixels (x + d, y).
 *
 * With messages (ESMP), the costs of a pixel are replaced before each pass
 * along rows or columns by
 *
 *   M (d) = min over d' of C (d') + min (jump |d - d'|, truncation)
 *
 * Messages reduce the resolution of costs.  Their second pass along columns,
 * if it is not the last one, therefore ends with
 *
 *   C' = min (255, (sum - smallest sum of the pixel + 64) >> 7)
 *
 * which are costs above the minimum of the pixel in steps half as large.  A
 * constant over the disparities of a pixel does not affect winners, and costs
 * truncated here are above half of cost_threshold.  From there on jump and
 * truncation are doubled.
 *
 * Columns without a partner repeat the cost of the nearest column with one.
 */

#ifndef STEREO_EXPSTEP_H
#define STEREO_EXPSTEP_H

#include "match/algorithm.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STEREO_EXPSTEP_MAX_PASSES 12

/* With messages, passes before this one have coarser costs. */
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
  double data_weight;           /* the last three with messages only */
  double disc_single_jump;
  double disc_truncation;
} StereoExpstepParams;

/* The common rows of both parameter tables. */
#define STEREO_EXPSTEP_PARAM_ROWS(i, b, gc, gd, ct) \
  STEREO_PARAM_UINT_ROW (StereoExpstepParams, iterations, "iterations", \
      "Number of passes (exponential steps)", i, 1, \
      STEREO_EXPSTEP_MAX_PASSES), \
  STEREO_PARAM_DOUBLE_ROW (StereoExpstepParams, base, "base", \
      "Growth of the step size: pass k uses round(base^k) pixels", b, 1.0, \
      4.0), \
  STEREO_PARAM_DOUBLE_ROW (StereoExpstepParams, gamma_color, "gamma-color", \
      "Colour difference at which a support weight falls to 1/e, in 8-bit " \
      "levels", gc, 0.1, 255.0), \
  STEREO_PARAM_DOUBLE_ROW (StereoExpstepParams, gamma_distance, \
      "gamma-distance", \
      "Distance at which a support weight falls to 1/e, in pixels", gd, 0.1, \
      1000.0), \
  STEREO_PARAM_DOUBLE_ROW (StereoExpstepParams, cost_threshold, \
      "cost-threshold", \
      "Truncation of the matching cost, in 8-bit levels (census: in bits, at " \
      "most 31)", ct, 0.1, 255.0), \
  STEREO_PARAM_ENUM_ROW (StereoExpstepParams, color_metric, "color-metric", \
      "Colour distance for the support weights (max = maximum, rms = root " \
      "mean square, mean = mean over channels)", STEREO_COLOR_METRIC_MAX, \
      stereo_color_metric_values)

typedef struct
{
  int step;                     /* pixels, from 1 */
  /* u by colour difference: in grey levels with one channel or the metric max,
   * otherwise in thirds of a level. */
  uint8_t weight[768];
} StereoExpstepPass;

/* Constants of all stages, passed by value. */
typedef struct
{
  int width;
  int height;
  int channels;
  int min_disparity;
  int first_index;              /* as in StereoSearch */
  int end_index;
  int metric;                   /* STEREO_COLOR_METRIC_MAX with one channel */
  bool uses_words;              /* otherwise: */
  int cost_channels;            /* difference: sum over 1 or 3 channels */
  int limit;                    /* see above; of words in units of C */
  int gain;
  int excess;
  bool winners;                 /* of the left view, */
  bool right_winners;           /* and of the right view */
  bool messages;
  /* In units of C, 0 to 255: before and after costs get finer. */
  int jump[2];
  int truncation[2];
} StereoExpstepConstants;

/* Device memory.  A plane has `height` rows of `pitch` elements. */
typedef struct
{
  size_t pitch;
  /* Luma, then R, G and B; NULL if unused.  On the CPU planes have a margin of
   * 64 elements at both ends. */
  uint8_t *left[4];
  uint8_t *right[4];
  uint8_t *volume[2];           /* costs of a chunk, in a layout of the
                                 * backend */
  uint8_t *weights;             /* of all passes, or NULL if not stored */
  int ranges;                   /* of disparities, in match(); else 0 */
  int bands;                    /* of rows, in match() */
  int part_chunk;               /* disparities that a part takes at once */
  size_t worker_bytes;          /* of a volume, for each thread */
  int cascade;                  /* CUDA: first passes that cost() runs, */
  int cascade_step;             /* and the step of the last one */
  int slots;                    /* CPU, with messages: rows in volume[0], */
  int lag;                      /* maximum distance of threads in rows, */
  uint32_t *progress;           /* and progress of the parts of a sweep */
  void *best;                   /* winners, in a layout of the backend */
  size_t best_pitch[2];         /* elements of its rows: left and right view */
  uint16_t *sums;               /* CPU: last sums of a row, for each thread */
  uint32_t *neighbors;          /* CUDA, several chunks: sums of the neighbours
                                 * of the winner, */
  uint16_t *last_sum;           /* and of the previous disparity; */
  uint32_t *seconds;            /* second minimum, and in the high half the
                                 * lowest sum but for the previous disparity */
  /* Of the frame: words of both views, if any, and winners or NULL. */
  StereoWords words[2];
  const StereoWinners *winners;
} StereoExpstepWork;

/* Disparity indices first to first + count - 1, processed together. */
typedef struct
{
  int first;
  int count;
} StereoExpstepChunk;

/*
 * Stage table "esaw" and "esmp".  A backend has match, or cost with rows and
 * columns, or cost with iterate, which combines rows and columns.
 *
 * With last = true, columns and iterate update the winners and leave the
 * volume undefined.  Chunks are in ascending order.
 */
typedef struct
{
  /* Declares the work memory.  Returns the number of disparities in a chunk,
   * or -n if at most n disparities are supported. */
  int (*plan) (const StereoSearch * search,
      const StereoExpstepConstants * k, const StereoExpstepPass * passes,
      int n_passes, StereoExpstepWork * work, StereoArena * arena);
  /* Copies the views and computes stored weights. */
  StereoStatus (*prepare) (const StereoMatchFrame * frame,
      const StereoExpstepConstants * k, const StereoExpstepPass * passes,
      int n_passes, const StereoExpstepWork * work);
  /* Computes C, or M with messages, into volume[0], or runs the first
   * work->cascade passes, an even number, as well. */
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
  /* All passes, if plan() set work->ranges. */
  StereoStatus (*match) (StereoQueue * queue,
      const StereoExpstepConstants * k, const StereoExpstepPass * passes,
      int n_passes, const StereoExpstepWork * work);
  /* Stores the winners in the outputs of the frame. */
  StereoStatus (*finish) (const StereoMatchFrame * frame,
      const StereoExpstepConstants * k, const StereoExpstepWork * work);
} StereoExpstepStages;

typedef struct
{
  StereoExpstepConstants constants;
  int n_passes;
  StereoExpstepPass passes[STEREO_EXPSTEP_MAX_PASSES];
  StereoExpstepWork work;
  int chunk;
} StereoExpstepPlan;

/* Sets passes and constants; messages are off. */
void stereo_expstep_constants (const StereoSearch * search,
    const StereoExpstepParams * params, StereoExpstepPlan * plan);

/* Second part of plan() of an algorithm, after the constants. */
StereoStatus stereo_expstep_plan (const StereoSearch * search,
    const StereoExpstepStages * stages, StereoExpstepPlan * plan,
    StereoArena * arena, StereoMessage * why);

/* run() of both algorithms. */
StereoStatus stereo_expstep_run (const StereoMatchFrame * frame,
    const void *stages);

extern const StereoParamDefault stereo_expstep_defaults[];

/* The common members of both algorithms. */
#define STEREO_EXPSTEP_ALGORITHM \
  .reference = "W. Yu, T. Chen, F. Franchetti, J. C. Hoe: High performance " \
      "stereo vision designed for massively data parallel platforms, IEEE " \
      "TCSVT 20 (11), 2010", \
  .uses_color = true, \
  .refines = true, \
  .checks_mutually = true, \
  .defaults = stereo_expstep_defaults, \
  .params_size = sizeof (StereoExpstepParams), \
  .plan_size = sizeof (StereoExpstepPlan), \
  .run = stereo_expstep_run

const StereoExpstepStages *stereo_expstep_stages_cpu (StereoSimd simd);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_EXPSTEP_H */
