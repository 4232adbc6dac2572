/* gst-stereomatching: disparity ranges from a match of half size
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * An algorithm with ranges first matches the views at half size, then searches
 * only disparities near those of that map.
 *
 * Views of half size have the means of 2x2 pixels, rounded; (w + 1) / 2 columns
 * and (h + 1) / 2 rows, where the last ones repeat the edge of a view of odd
 * size.  Their disparities are floor (d / 2) for each d of the search.
 *
 * Tiles of STEREO_RANGE_TILE x STEREO_RANGE_TILE pixels divide the left view,
 * from its upper left corner on.  With l and h the least and the largest
 * disparity of the half-size map over the tile and STEREO_RANGE_BORDER pixels
 * around it, clipped at the image, the range of a tile has the disparities from
 *
 *   2 l - STEREO_RANGE_MARGIN  to  2 h + STEREO_RANGE_MARGIN
 *
 * widened on both sides to multiples of stereo_range_step() disparities after
 * the first one of the search, then clipped to the search.  A tile without a
 * valid disparity has the whole search.
 */

#ifndef STEREO_RANGE_H
#define STEREO_RANGE_H

#include "image/pixel.h"
#include "image/view.h"
#include "refine/map.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STEREO_RANGE_TILE 32
#define STEREO_RANGE_BORDER 40
#define STEREO_RANGE_MARGIN 3
#define STEREO_RANGE_STEP 8

/* Fewer disparities are always searched in full: their ranges are hardly
 * smaller. */
#define STEREO_RANGE_LEAST 48

/* The range of each tile, row by row, in device memory: begin | end << 16, with
 * begin < end.  They count disparities from the first one of the search. */
typedef struct
{
  uint32_t *tiles;              /* NULL: no ranges */
  int columns;
} StereoRanges;

/* Writable planes of a view of half size. */
typedef struct
{
  uint8_t *plane[3];
  size_t stride;                /* bytes */
} StereoHalfView;

/* Constants of the stages, passed by value. */
typedef struct
{
  int width;                    /* of the view; the half-size map has half */
  int height;
  int channels;
  int n;                        /* disparities of the search */
  int first;                    /* twice the least disparity of the half-size
                                 * map, minus the first one of the search */
} StereoRangeConstants;

/* Stage table "range". */
typedef struct
{
  /* A view at half size. */
  StereoStatus (*halve) (StereoQueue * queue, const StereoRangeConstants * k,
      const StereoView * view, const StereoHalfView * half);
  /* The range of each tile, from indices of the half-size map. */
  StereoStatus (*find) (StereoQueue * queue, const StereoRangeConstants * k,
      const StereoMap * map, const StereoRanges * ranges);
} StereoRangeStages;

STEREO_INLINE int
stereo_range_half (int size)
{
  return (size + 1) / 2;
}

STEREO_INLINE int
stereo_range_tiles (int size)
{
  return (size + STEREO_RANGE_TILE - 1) / STEREO_RANGE_TILE;
}

#ifdef __cplusplus
}
#endif

#endif /* STEREO_RANGE_H */
