/* gst-stereomatching: what bfv's ways of matching a strip share
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The grid is cut into strips of whole rows, and a strip into tiles of columns
 * (bfv-match-simd.c).
 *
 * With sampling the right view is taken apart into phases, one for each
 * remainder of a column by sampling_x: at disparity d all partners are in one
 * phase, side by side.
 *
 * For the files that are compiled for each instruction set.
 */

#ifndef STEREO_BFV_STRIP_SIMD_H
#define STEREO_BFV_STRIP_SIMD_H

#include "match/bfv.h"
#include "cost/partner.h"
#include "simd/simd.h"

/* Bytes or elements behind a row that vectors may read or write. */
#define BFV_MARGIN 64
/* Columns that tiles are made of. */
#define BFV_LANES 32

typedef struct BfvWay BfvWay;

/* Sizes that all strips have in common. */
typedef struct
{
  const BfvWay *way;
  int reach_x;                  /* of arms, in steps */
  int reach_y;
  int phases;                   /* of the right view: sampling_x */
  int phase_width;              /* columns of the first one, the widest */
  /* Columns that disparities reach before and behind a phase. */
  int before;
  int behind;
  int tile_width;               /* columns of the grid done at a time */
  int strip_height;             /* rows of the grid */
  int n_strips;
  int rows;                     /* with those that regions reach, at most */
  /* Elements of rows: pixels and sums of the left view, pixels of a phase, and
   * arms of a phase. */
  size_t left_stride;
  size_t right_stride;
  size_t arms_stride;
} BfvLayout;

/* All that a strip needs. */
typedef struct
{
  const StereoBfvConstants *k;
  const BfvLayout *l;
  const StereoBfvViews *views;
  const StereoBfvMemory *m;
  const StereoWinners *winners;
} BfvJob;

/* What the costs of a strip are made of, and those of one row. */
typedef struct
{
  uint8_t *left[4];             /* planes, sampled: rows x left_stride */
  uint8_t *right[4];            /* phases x rows x right_stride */
  uint8_t *luma;                /* one row of the image */
  uint8_t *cost;                /* from element BFV_MARGIN on */
} BfvPixels;

/* The rows that a strip reads, first to end, and those it is for. */
typedef struct
{
  int first;
  int end;
  int top;
  int bottom;
} BfvRows;

/* Columns of the grid, of a tile. */
typedef struct
{
  int first;
  int end;
} BfvColumns;

/* One disparity. */
typedef struct
{
  int index;
  int d;
  int phase;
  int shift;                    /* column u matches column u - shift of it */
  int first;                    /* columns of the grid with a partner */
  int end;
} BfvShift;

/* A way of matching. */
struct BfvWay
{
  /* Strips are as many rows high, or a multiple. */
  int row_step;
  /* NULL: always.  reach_x and reach_y of the layout are there. */
  bool (*suits) (const StereoBfvConstants * k, const BfvLayout * l);
  /* Work memory for each thread, a multiple of 64. */
  size_t (*bytes) (const StereoBfvConstants * k, const BfvLayout * l);
  /* Stores the winners of a strip. */
  void (*match) (const BfvJob * job, const BfvRows * rows,
      const BfvPixels * pixels, StereoSubArena memory);
};

/* bfv-transposed-simd.c; it suits nothing without AVX-512. */
extern const BfvWay SIMD_NAME (stereo_bfv_transposed_);
/* bfv-general-simd.c */
extern const BfvWay SIMD_NAME (stereo_bfv_general_);

/* Rounded up, whatever the sign. */
static inline int
bfv_divide_up (int n, int by)
{
  return n >= 0 ? (n + by - 1) / by : -(-n / by);
}

static inline BfvColumns
bfv_tile_at (const StereoBfvConstants * k, const BfvLayout * l, int first)
{
  BfvColumns columns = { first, first + l->tile_width };

  if (columns.end > k->grid_width)
    columns.end = k->grid_width;
  return columns;
}

/* Columns of the right view that are in a phase. */
static inline int
bfv_phase_columns (const StereoBfvConstants * k, int phase)
{
  return phase < k->width ? (k->width - 1 - phase) / k->sampling_x + 1 : 0;
}

/* Column x of the right view is column j of a phase. */
static inline uint32_t
bfv_right_arms_at (const StereoBfvConstants * k, const StereoBfvMemory * m,
    int phase, int j, int v)
{
  /* Beyond the ends of the image, its first and last column */
  int x = stereo_clamp_int (j * k->sampling_x + phase, 0, k->width - 1);

  return m->right_arms[(size_t) v * (size_t) k->width + (size_t) x];
}

static inline void
bfv_make_shift (const StereoBfvConstants * k, int index, BfvShift * s)
{
  s->index = index;
  s->d = k->min_disparity + index;
  s->shift = bfv_divide_up (s->d, k->sampling_x);
  s->phase = s->shift * k->sampling_x - s->d;
  s->first = s->shift > 0 ? s->shift : 0;
  s->end = stereo_partner_last (k->width, s->d) / k->sampling_x + 1;
  if (s->first > k->grid_width)
    s->first = k->grid_width;
  if (s->end < s->first)
    s->end = s->first;
}

/* Clears the winners of the rows of the image from row v of the grid to the
 * next one, but for the right ones of row v, all of which are stored. */
static inline void
bfv_clear_rows (const BfvJob * job, int v)
{
  const StereoBfvConstants *k = job->k;
  const StereoWinners *w = job->winners;
  const size_t width = (size_t) k->width;

  for (int y = v * k->sampling_y; y < (v + 1) * k->sampling_y
      && y < k->height; y++) {
    memset (w->left + (size_t) y * w->left_stride, 0xff,
        width * sizeof (*w->left));
    if (w->right != NULL && y > v * k->sampling_y)
      memset (w->right + (size_t) y * w->right_stride, 0xff,
          width * sizeof (*w->right));
  }
}

#endif /* STEREO_BFV_STRIP_SIMD_H */
