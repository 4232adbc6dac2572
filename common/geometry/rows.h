/* gst-stereomatching: matches between two views that need not be aligned
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The operation "rows" finds some hundred points of the left view in the right
 * one, to 1/256 pixel in both directions.  geometry/align.h computes from them
 * whether corresponding points are on the same row.  Stages, on luma of 8 bits:
 *
 * halve     A pyramid: (a + b + c + d + 2) >> 2 of 2x2 pixels.  Level 0 is the
 *           view; the last level is about 480 pixels wide.
 * corners   On the last level: the pixel of each cell with the largest score
 *           det / (trace + 1) of its structure tensor: central differences,
 *           summed over 5x5 pixels.  There are about 1000 cells in the left
 *           view and 2250 in the right one.
 * describe  256 comparisons of pixels of the smoothed 21x21 neighbourhood.
 * match     The nearest descriptor of the other view in both directions, if the
 *           second nearest is clearly farther away.  Offsets have either sign,
 *           so swapped views match, too.
 * refine    Lucas-Kanade on 13x13 pixels, from the last level to level 0, with
 *           a factor of brightness.
 *
 * All sums are integers.  The score is in float and the solution of three
 * equations in double, each operation rounded by itself, so all backends give
 * the same bytes.  Literature: Harris and Stephens 1988 (structure tensor),
 * Calonder et al. 2010 (binary descriptors), Lucas and Kanade 1981.
 */

#ifndef STEREO_ROWS_H
#define STEREO_ROWS_H

#include "core/operation.h"
#include "geometry/align.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The size of the output: a row of 32-bit words for the counts and one for each
 * possible match. */
#define STEREO_ROWS_WORDS 16
#define STEREO_MAX_LEFT_CORNERS 1536
#define STEREO_MAX_RIGHT_CORNERS 4096
#define STEREO_ROWS_HEIGHT (1 + STEREO_MAX_LEFT_CORNERS)

/*
 * Inputs "left" and "right", of any format of a view and the same size; output
 * "matches", STEREO_FORMAT_U32 of STEREO_ROWS_WORDS x STEREO_ROWS_HEIGHT.  No
 * parameters: NULL.
 *
 * The first row of the output is a StereoRowsHeader.  Each of the n_matches
 * rows after it is a StereoRowMatch (geometry/align.h), in the order of the
 * cells of the left view.  Further rows are 0.
 */
extern const StereoOp stereo_rows_op;

/* An output in host memory. */
static inline StereoImage
stereo_rows_output (void *memory)
{
  const StereoImage output = {
    .format = STEREO_FORMAT_U32,
    .width = STEREO_ROWS_WORDS,
    .height = STEREO_ROWS_HEIGHT,
    .memory = STEREO_MEMORY_HOST,
    .plane = {memory},
    .stride = {sizeof (uint32_t) * STEREO_ROWS_WORDS},
  };

  return output;
}

/* The first row of the output. */
typedef struct
{
  int32_t n_matches;
  int32_t n_corners[2];         /* of the left and the right view */
  int32_t n_levels;             /* halvings */
  int32_t reserved[STEREO_ROWS_WORDS - 4];      /* 0 */
} StereoRowsHeader;

/* ------------------------------------------------------------------- stages */

#define STEREO_ROWS_MAX_LEVELS 6

/* Corners keep this distance from the border of the last level, in pixels. */
#define STEREO_CORNER_BORDER 12

typedef struct
{
  int32_t x;                    /* pixels of the last level; -1 = no corner */
  int32_t y;
  uint64_t descriptor[4];
} StereoCorner;

/* The nearest corner of the other view. */
typedef struct
{
  int32_t other;                /* its index; -1 = none */
  int32_t distance;             /* bits that differ */
  int32_t second;               /* the smallest distance of corners that are
                                 * more than 2 pixels away from it */
} StereoCornerNearest;

/* A view of one byte per pixel. */
typedef struct
{
  int width;
  int height;
  uint8_t *pixels;              /* read-only on level 0 */
  size_t stride;                /* bytes */
} StereoRowsImage;

/* The cells of a view: squares from the border on, row by row. */
typedef struct
{
  int size;                     /* pixels */
  int columns;
  int rows;
} StereoRowsCells;

/* A pair, its pyramids, and the memory of the stages. */
typedef struct
{
  int n_levels;                 /* halvings: the last level has this index */
  StereoRowsImage pyramid[2][STEREO_ROWS_MAX_LEVELS + 1];
  StereoRowsCells cells[2];
  float *scores[2];             /* of the pixels of the last level */
  StereoCorner *corners[2];     /* by cell; a backend may remove gaps */
  int32_t *n_corners;           /* of both views; without gaps: of corners[] */
  StereoCornerNearest *nearest[2];      /* by corner */
  StereoRowMatch *refined;      /* by left corner; hamming < 0 = none */
  const int8_t *pattern;        /* 256 times x, y, x, y: pixels to compare */
  uint8_t *out;                 /* the output */
  size_t out_stride;            /* bytes */
} StereoRowsFrame;

/* Stage table "rows". */
typedef struct
{
  /* Levels 1 to n_levels of both pyramids from level 0. */
  StereoStatus (*halve) (StereoQueue * queue, const StereoRowsFrame * frame);
  StereoStatus (*corners) (StereoQueue * queue, const StereoRowsFrame * frame);
  StereoStatus (*describe) (StereoQueue * queue,
      const StereoRowsFrame * frame);
  StereoStatus (*match) (StereoQueue * queue, const StereoRowsFrame * frame);
  StereoStatus (*refine) (StereoQueue * queue, const StereoRowsFrame * frame);
} StereoRowsStages;

#ifdef __cplusplus
}
#endif

#endif /* STEREO_ROWS_H */
