/* gst-stereomatching: variable center-biased windows
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Local matching with nine windows for every pixel, after
 *
 *   J. Lu, G. Lafruit, F. Catthoor: "Fast variable center-biased windowing for
 *   high-speed stereo on programmable graphics hardware", ICIP 2007
 *
 * All arithmetic is integer, so that all implementations give the same result
 * for any order of summation:
 *
 *   D  matching cost of a pixel, 0 to 255: the difference of the two views,
 *      truncated at cost_threshold and scaled (stereo_vcbw_scaled).  It is the
 *      cost of words (cost/words.h; not in the paper), the absolute difference
 *      of luma, or the mean of three channel differences, computed from their
 *      sum.  A column without a partner repeats the nearest column with one;
 *      rows and columns outside the image repeat the nearest one inside.
 *   H  weighted mean of radius + 1 costs to the left, and another one to the
 *      right, each including the pixel itself:
 *        (sum row_weight[k] D[x -+ k] + 128) >> 8
 *      The weights are proportional to exp (-k / gamma_distance) and add up to
 *      256, so that H fits a byte.
 *   V  weighted sums of both H downwards and upwards, with weights that add up
 *      to 64: V0 to V3, one for each quadrant, 0 to 16320.
 *   C  cost of a disparity, 16 bits:
 *        min (V0 + V1 + V2 + V3,
 *             2 min (half windows, sums of two adjacent quadrants) + edge,
 *             4 min (V0, V1, V2, V3) + corner)
 *      With four windows the penalties are 0, so that the smallest quadrant
 *      is the minimum.
 *
 * The smallest C wins; on a tie the lowest disparity.  C of the left pixel
 * (x, y) at d is also the cost of the right pixel (x - d, y), so the winners of
 * both views come from the same costs.  Rounding costs less than 0.01 points
 * of bad pixels on Middlebury v2.
 */

#ifndef STEREO_VCBW_H
#define STEREO_VCBW_H

#include "match/algorithm.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STEREO_VCBW_MAX_RADIUS 32

enum
{
  STEREO_VCBW_WINDOWS_NINE = 0,
  STEREO_VCBW_WINDOWS_FOUR
};

typedef struct
{
  unsigned radius;
  double gamma_distance;
  double cost_threshold;
  double edge_penalty;
  double corner_penalty;
  int windows;
} StereoVcbwParams;

/* Constants of all stages, passed by value. */
typedef struct
{
  int width;
  int height;
  int channels;                 /* of the views */
  int min_disparity;
  int first_index;              /* as in StereoSearch */
  int end_index;
  StereoCostKind cost;
  /* Distances with a weight above 0, up to STEREO_VCBW_MAX_RADIUS. */
  int row_radius;
  int column_radius;
  /* By distance, with at least three zeros after the last one. */
  uint8_t row_weight[STEREO_VCBW_MAX_RADIUS + 4];
  uint8_t column_weight[STEREO_VCBW_MAX_RADIUS + 4];
  /* The cost is luma and the views have three channels (stereo_luma). */
  bool needs_luma;
  /* D = min (difference, limit) * gain.  The difference is the cost of words or
   * the sum over the channels; with third, a third of it, rounded down. */
  int limit;
  int gain;
  bool third;
  int edge;                     /* penalties, in units of C: 0 to 65280 */
  int corner;
} StereoVcbwConstants;

/* Current winners are words C << 16 | index: the smaller word is better. */
#define STEREO_VCBW_INDEX_BITS 16

/* Work memory of the compute backend. */
typedef struct StereoVcbwWork StereoVcbwWork;

/*
 * Stage table "vcbw".  A backend has either match, which needs no cost plane in
 * memory, or the four stages before it; match takes precedence.  Views, words
 * and outputs are those of the frame.
 */
typedef struct
{
  /* Declares the work memory. */
  StereoStatus (*plan) (const StereoSearch * search,
      const StereoVcbwConstants * k, StereoVcbwWork * work,
      StereoArena * arena, StereoMessage * why);

  /* Computes D of one disparity index. */
  StereoStatus (*cost) (const StereoMatchFrame * frame,
      const StereoVcbwConstants * k, int index,
      const StereoVcbwWork * work);
  /* Computes both H from D. */
  StereoStatus (*rows) (const StereoMatchFrame * frame,
      const StereoVcbwConstants * k, const StereoVcbwWork * work);
  /* Computes V and C from H and updates the winners. */
  StereoStatus (*columns) (const StereoMatchFrame * frame,
      const StereoVcbwConstants * k, int index,
      const StereoVcbwWork * work);
  /* Stores the winners in the outputs of the frame. */
  StereoStatus (*finish) (const StereoMatchFrame * frame,
      const StereoVcbwConstants * k, const StereoVcbwWork * work);

  StereoStatus (*match) (const StereoMatchFrame * frame,
      const StereoVcbwConstants * k, const StereoVcbwWork * work);
} StereoVcbwStages;

/* Public for tests that call stages. */
void stereo_vcbw_constants (const StereoSearch * search,
    const StereoVcbwParams * params, StereoVcbwConstants * constants);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_VCBW_H */
