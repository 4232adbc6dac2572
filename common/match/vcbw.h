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
 * The arithmetic is integer throughout, so that every implementation is
 * bit-exact, in whatever order it adds:
 *
 *   D  matching cost of a pixel, 0 to 255: what the two views differ by, cut
 *      off at cost_threshold and scaled up (stereo_vcbw_scaled).  That is the
 *      cost of their census words (cost/census.h), which is not of the paper,
 *      or the absolute difference of luma, or the mean of three channels', kept
 *      as their sum.  Columns without a partner in the right view repeat the
 *      nearest one that has one; so do rows and columns beyond the image.
 *   H  weighted mean of radius + 1 costs to the left (and another one to the
 *      right), both with the pixel itself: (sum row_weight[k] D[x -+ k] + 128)
 *      >> 8.  The weights fall off as exp (-k / gamma_distance) and add up to
 *      256, so H is a byte again.
 *   V  the same downwards and upwards from both H, with weights that add up to
 *      64 and no shift: 0 to 16320.  Four values V0..V3, one for each quadrant
 *      around the pixel.
 *   C  the cost of a disparity, in units of 4 V, of 16 bits:
 *        min (V0 + V1 + V2 + V3,
 *             2 min (half windows, sums of two adjacent quadrants) + edge,
 *             4 min (V0, V1, V2, V3) + corner)
 *      The four windows variant is the same without penalties: the smallest
 *      quadrant is then never above the others.
 *
 * The smallest C wins, on a tie the lowest disparity.  C at (x, y, d) is also
 * what the pixel (x - d, y) of the right view has for d, so the winners of both
 * views come from the same costs.  Against real numbers these roundings cost
 * less than 0.01 points of bad pixels on Middlebury v2.
 */

#ifndef STEREO_VCBW_H
#define STEREO_VCBW_H

#include "core/algorithm.h"

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

/* What the stages need to know, passed by value. */
typedef struct
{
  int width;
  int height;
  int channels;                 /* of the views */
  int min_disparity;
  int first_index;              /* as in StereoSearch */
  int end_index;
  StereoCost cost;
  /* Distances with a weight above 0, up to STEREO_VCBW_MAX_RADIUS. */
  int row_radius;
  int column_radius;
  /* At distance k, with at least three zeros behind the last one. */
  uint8_t row_weight[STEREO_VCBW_MAX_RADIUS + 4];
  uint8_t column_weight[STEREO_VCBW_MAX_RADIUS + 4];
  /* Luma is compared, of views of three channels (stereo_luma). */
  bool needs_luma;
  /* D = min (difference, limit) * gain, where difference is the cost of the
   * census words, or the sum of three channels' (of one channel's; if third is
   * set a third of the sum, rounded down). */
  int limit;
  int gain;
  bool third;
  int edge;                     /* penalties, in units of C: 0 to 65280 */
  int corner;
} StereoVcbwConstants;

/* The largest C: without penalties, 4 * 64 * 255. */
#define STEREO_VCBW_MAX_COST 65280

/* A winner so far: C << 16 | index, so that the smaller word is the better
 * one. */
#define STEREO_VCBW_INDEX_BITS 16

/* Work memory, of the back end. */
typedef struct StereoVcbwWork StereoVcbwWork;

/*
 * Stage table "vcbw".  A back end fills either the next four or match, which
 * does it all without a slice in memory; with both, match is used.  Views,
 * census words and where the result goes are those of the frame.
 */
typedef struct
{
  /* Declares the work memory. */
  StereoStatus (*plan) (const StereoSearch * search,
      const StereoVcbwConstants * k, StereoVcbwWork * work,
      StereoArena * arena, StereoMessage * why);

  /* D for one disparity index. */
  StereoStatus (*cost) (const StereoMatchFrame * frame,
      const StereoVcbwConstants * k, int index,
      const StereoVcbwWork * work);
  /* Both H from D. */
  StereoStatus (*rows) (const StereoMatchFrame * frame,
      const StereoVcbwConstants * k, const StereoVcbwWork * work);
  /* V and C from H; keeps the better winners, or just C if index is the first
   * one. */
  StereoStatus (*columns) (const StereoMatchFrame * frame,
      const StereoVcbwConstants * k, int index,
      const StereoVcbwWork * work);
  /* Winners to where the frame wants them. */
  StereoStatus (*finish) (const StereoMatchFrame * frame,
      const StereoVcbwConstants * k, const StereoVcbwWork * work);

  StereoStatus (*match) (const StereoMatchFrame * frame,
      const StereoVcbwConstants * k, const StereoVcbwWork * work);
} StereoVcbwStages;

/* The constants for a search; for tests that call stages. */
void stereo_vcbw_constants (const StereoSearch * search,
    const StereoVcbwParams * params, StereoVcbwConstants * constants);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_VCBW_H */
