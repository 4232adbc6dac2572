/* gst-stereomatching: alignment of two views
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * What elements use of the alignment in addition to stereo.h: matches of
 * another thread or device, and corrections as a grid.  Computed in double
 * precision on the host.
 *
 * A matcher of a pipeline:
 *
 *   runs the operation "rows" (geometry/rows.h) on every n-th pair, or on each
 *     pair while stereo_alignment_is_urgent();
 *   waits for it, and calls stereo_alignment_add() with the correction that had
 *     been applied to this pair;
 *   reads stereo_alignment_get_report() and stereo_alignment_get_correction(),
 *     and sends the correction upstream if its serial is a new one.
 */

#ifndef STEREO_ALIGN_H
#define STEREO_ALIGN_H

#include "geometry/camera.h"
#include "stereo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A point of both views.  The sums are those of 17x17 pixels around the whole
 * positions in both views, indexed by STEREO_LEFT and STEREO_RIGHT; all are 0
 * if a view has too few pixels around it. */
typedef struct
{
  int32_t x;                    /* pixels, in the left view */
  int32_t y;
  int32_t dx;                   /* 1/256 pixel: right - left */
  int32_t dy;
  int32_t variance;             /* of dy, 1/65536 pixel^2 */
  int32_t hamming;              /* distance of the descriptors, in bits */
  int32_t correlation;          /* squared, 1/1024 */
  int32_t reserved;             /* 0 */
  int32_t sum[STEREO_N_VIEWS];  /* of grey levels */
  int32_t squares[STEREO_N_VIEWS];      /* of grey levels */
  int32_t first[STEREO_N_VIEWS];        /* of squared first differences, */
  int32_t second[STEREO_N_VIEWS];       /* and second ones, in x and y */
} StereoRowMatch;

/* Pixels of the sums of a match. */
#define STEREO_ROW_MATCH_PIXELS (17 * 17)

/*
 * Adds the matches of a pair: measures, updates the report and the correction.
 *
 * width, height: of the views, at least 1.  A new size resets the state.
 * applied: the correction that stereorectify had applied to this pair, by which
 *   matches are taken back to the uncorrected views; NULL = none.
 * seconds: the time of the pair, of any origin.  NAN = unknown: 0.1 s after the
 *   previous one.
 *
 * Takes less than 2 ms for 400 matches, and allocates memory only if there are
 * more matches than ever before.  STEREO_ERROR_ARGUMENT if the size is invalid,
 * does not fit the focal length, or differs from that of `applied`.
 */
STEREO_CHECKED StereoStatus stereo_alignment_add (StereoAlignment * self,
    int width, int height, const StereoRowMatch * matches, size_t n_matches,
    const StereoCorrection * applied, double seconds, StereoMessage * why);

/* Whether a focal length, in pixels, is plausible for views of this width, as
 * stereo_alignment_add() demands. */
bool stereo_alignment_accepts_focal_length (double focal_length, int width);

/* Whether the next pair should be measured, whatever the interval: the first
 * three, and while a sudden change is being confirmed. */
bool stereo_alignment_is_urgent (const StereoAlignment * self);

/* --------------------------------------------------------------- correction */

/* The distance of the nodes of a grid, in pixels, and their unit: 1/65536
 * pixel, so that rounding them does not matter. */
#define STEREO_GRID_STEP 16
#define STEREO_GRID_UNIT 65536
#define STEREO_GRID_NONE INT32_MIN

/* Number of nodes for `size` pixels: at 0, 16, 32, ..., the last one is outside
 * or at the last pixel. */
static inline int
stereo_grid_nodes (int size)
{
  return (size - 1) / STEREO_GRID_STEP + 2;
}

/* A source position, in 1/STEREO_GRID_UNIT pixel, clamped to 32 bits.  Without
 * a source, both are STEREO_GRID_NONE. */
typedef struct
{
  int32_t x;
  int32_t y;
} StereoGridNode;

/*
 * Writes stereo_grid_nodes (width) x stereo_grid_nodes (height) nodes, row by
 * row: the source positions of pixels (0, 0), (16, 0), ... of view STEREO_LEFT
 * or STEREO_RIGHT, corrected.
 *
 * rectification: that of the same view and size, which is applied before the
 *   correction, so that sources are positions in its image; NULL = none.
 *   Positions that it does not see have no source.
 */
void stereo_correction_grid (const StereoCorrection * correction, int view,
    const StereoRectification * rectification, StereoGridNode * nodes);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_ALIGN_H */
