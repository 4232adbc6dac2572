/* gst-stereomatching: a filter for disparity maps over time
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The last step of a matcher, if the parameter temporal is above 0: recursive,
 * from the map of the frame before as it came out of here, its left view, and
 * for how many frames each pixel has kept its disparity against what was found.
 * For a pixel with disparity n now and o before:
 *
 *   none now     The result has none.  o is remembered for temporal frames.
 *   none before  n.
 *   no jump      n and o are 3 pixels apart at most.  If it is one at most, and
 *                the left view is what it was here, their mean: noise becomes
 *                less.  Else n: what moves is not dragged.
 *   a jump       n, or o if that is still believed, for temporal frames in a
 *                row at most.
 *
 * o is a hypothesis that the views of now can refute.  With C (d) the sum of
 * absolute differences of 3x3 pixels here in the left view and at disparity d
 * in the right view, o is believed
 *
 *   if   4 C (o) <= 3 C (n)          the views speak for it,
 *   or   C (o) <= 2 C (n) + 36       they hardly speak against it, and
 *        - the left view is still what it was here, or
 *        - n comes out of nowhere: none of the eight pixels 4 columns, 4 rows
 *          or both away had a disparity within a pixel of it.
 *
 * An edge that moves brings its disparity from nearby, and what it covers or
 * uncovers looks different: it is followed at once.
 *
 * Disparities are codes of a StereoMap, unit to a pixel; in C (d) they are
 * rounded to whole pixels, halves up.  Views are compared in luma, or in green
 * where the matcher takes colour.  "What it was": 16 levels at most at the
 * pixel for a mean, and for a belief a sum of 36 over 3x3 pixels.  Columns and
 * rows outside of an image or map repeat its edge.  A mean between two codes
 * is the one nearer to n.
 */

#ifndef STEREO_TEMPORAL_H
#define STEREO_TEMPORAL_H

#include "core/algorithm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a back end finds the bytes that are compared: luma or green. */
typedef struct
{
  const uint8_t *data;
  size_t stride;                /* bytes */
  int step;                     /* bytes from pixel to pixel */
} StereoTemporalView;

/* A frame, passed by value; all in device memory. */
typedef struct
{
  int width;
  int height;
  int unit;                     /* codes for a pixel of disparity, up to 256 */
  uint64_t inverse;             /* 2^32 / unit, rounded up: with numbers of 17
                                 * bits its product is exact, shifted by 32 */
  int min_disparity;
  int frames;                   /* the parameter, 1 to STEREO_MAX_TEMPORAL */
  bool first;                   /* nothing was before: past has no meaning */
  StereoTemporalView left;
  StereoTemporalView right;
  StereoMap map;                /* what was found */
  StereoMap past;               /* what the frame before came to, */
  StereoMap next;               /* and this one does: with what is remembered */
  uint8_t *past_view;           /* the left views that belong to them */
  uint8_t *next_view;
  uint8_t *age;                 /* frames against what was found */
  size_t stride;                /* bytes, of the last three */
} StereoTemporalFrame;

/* Stage table "temporal". */
typedef struct
{
  /* Which bytes of a view are compared. */
  StereoTemporalView (*view) (const StereoView * view, int channels);
  /* One frame: fills next, next_view, age and the output. */
  StereoStatus (*filter) (StereoQueue * queue,
      const StereoTemporalFrame * frame, const StereoOutput * output);
} StereoTemporalStages;

/* What a matcher keeps from frame to frame. */
typedef struct
{
  StereoTemporalFrame frame;    /* of which first, left and right change */
} StereoTemporalPlan;

/* Declares the state, which is empty then, and the map that the matcher leaves
 * its codes in, plan->frame.map.  frames is the parameter, not 0. */
void stereo_temporal_plan (const StereoSearch * search, int unit,
    unsigned frames, StereoTemporalPlan * plan, StereoArena * arena);

/* Forgets the frames before. */
void stereo_temporal_reset (StereoTemporalPlan * plan);

/* The next frame, from plan->frame.map to output.  Frames have to come in
 * order, in one queue. */
StereoStatus stereo_temporal_run (StereoQueue * queue,
    const StereoTemporalStages * stages, StereoTemporalPlan * plan,
    int channels, const StereoView * left, const StereoView * right,
    const StereoOutput * output);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_TEMPORAL_H */
