/* gst-stereomatching: a filter for disparity maps over time
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Recursive temporal filter: the last step of a matcher if the parameter
 * temporal is above 0.  Its state is the previous output map, the previous left
 * view, and the age of each pixel: the number of frames for which it has kept a
 * disparity that differs from the measured one.  A pixel has the measured
 * disparity n and the previous disparity o:
 *
 *   n invalid     The output is invalid.  The state keeps o for up to temporal
 *                 frames.
 *   o invalid     The output is n.
 *   |n - o| <= 3  If |n - o| <= 1 and the left view is unchanged at the pixel,
 *                 the output is the mean, which reduces noise.  Otherwise it is
 *                 n, so that moving objects leave no trail.
 *   |n - o| > 3   A jump.  The output is o while o is plausible, for up to
 *                 temporal consecutive frames, and n after that.
 *
 * The current views decide whether o is plausible.  C (d) is the sum of
 * absolute differences of 3x3 pixels of the left view and, at disparity d, of
 * the right view.  o is plausible
 *
 *   if   4 C (o) <= 3 C (n)        the views support o,
 *   or   C (o) <= 2 C (n) + 36     the views do not contradict o, and
 *        - the left view is unchanged, or
 *        - n has no origin: none of the eight pixels at an offset of 4 columns,
 *          4 rows or both had a previous disparity within one pixel of n.
 *
 * A moving edge takes its disparity from nearby pixels and changes the view
 * where it covers or uncovers the background, so the filter follows it at once.
 *
 * Disparities are codes of a StereoMap, unit codes per pixel; C (d) rounds them
 * to whole pixels, halves up.  Views are compared in luma, or in green if the
 * matcher uses colour.  "Unchanged" means a difference of at most 16 levels at
 * the pixel for the mean, and a sum of at most 36 over 3x3 pixels for a jump.
 * Views and maps repeat their border.  The mean of two codes is rounded towards
 * n.
 */

#ifndef STEREO_TEMPORAL_H
#define STEREO_TEMPORAL_H

#include "cost/search.h"
#include "image/view.h"
#include "refine/output.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Maximum of the parameter temporal. */
#define STEREO_MAX_TEMPORAL 16

/* The channel that is compared: luma or green. */
typedef struct
{
  const uint8_t *data;
  size_t stride;                /* bytes */
  int step;                     /* bytes per pixel */
} StereoTemporalView;

/* A frame, passed by value; all in device memory. */
typedef struct
{
  int width;
  int height;
  int unit;                     /* codes per pixel of disparity, up to 256 */
  uint64_t inverse;             /* 2^32 / unit, rounded up: exact quotients of
                                 * 17-bit numbers */
  int min_disparity;
  int frames;                   /* the parameter, 1 to STEREO_MAX_TEMPORAL */
  bool first;                   /* first frame: past is undefined */
  StereoTemporalView left;
  StereoTemporalView right;
  StereoMap map;                /* measured disparities */
  StereoMap past;               /* previous output, with remembered codes */
  StereoMap next;               /* the same of this frame */
  uint8_t *past_view;           /* left views of past and next */
  uint8_t *next_view;
  uint8_t *age;                 /* frames that o has replaced n */
  size_t stride;                /* of the maps and of the last three, in
                                 * elements */
} StereoTemporalFrame;

/* Stage table "temporal". */
typedef struct
{
  /* Selects the compared channel of a view. */
  StereoTemporalView (*view) (const StereoView * view, int channels);
  /* Writes next, next_view, age and the output of a frame. */
  StereoStatus (*filter) (StereoQueue * queue,
      const StereoTemporalFrame * frame, const StereoOutput * output);
} StereoTemporalStages;

/* State of a matcher between frames. */
typedef struct
{
  StereoTemporalFrame frame;    /* first, left and right change per frame */
} StereoTemporalPlan;

/* Declares the buffers, plan->frame.map for the matcher's codes among them, and
 * resets the state.  frames is the parameter temporal, above 0. */
void stereo_temporal_plan (const StereoSearch * search, int unit,
    unsigned frames, StereoTemporalPlan * plan, StereoArena * arena);

/* Discards all previous frames. */
void stereo_temporal_reset (StereoTemporalPlan * plan);

/* Filters plan->frame.map into output.  All frames use one queue, in order. */
StereoStatus stereo_temporal_run (StereoQueue * queue,
    const StereoTemporalStages * stages, StereoTemporalPlan * plan,
    int channels, const StereoView * left, const StereoView * right,
    const StereoOutput * output);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_TEMPORAL_H */
