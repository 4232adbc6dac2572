/* gst-stereomatching: strips of bfv's matching with vector instructions
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The grid is divided into strips of whole rows, and a strip into tiles of
 * columns (bfv-simd-match.c).  The right view is divided into phases, one for
 * each remainder of a column by sampling_x: all partners at a disparity are
 * adjacent in one phase.
 */

#ifndef STEREO_BFV_SIMD_STRIP_H
#define STEREO_BFV_SIMD_STRIP_H

#include "match/bfv/bfv.h"
#include "cost/partner.h"
#include "simd/simd.h"

/* Bytes or elements after a row that vectors may read or write. */
#define BFV_MARGIN 64
/* The width of a tile is a multiple of this. */
#define BFV_LANES 32

typedef struct BfvMatcher BfvMatcher;

typedef struct
{
  const BfvMatcher *matcher;
  int reach_x;                  /* of arms, in steps */
  int reach_y;
  int phases;                   /* of the right view: sampling_x */
  int phase_width;              /* columns of the first one, the widest */
  /* Columns that disparities reach before and after a phase. */
  int before;
  int after;
  int tile_width;               /* columns of the grid */
  int n_steps;                  /* of row_multiple rows */
  int strip_steps;              /* at most */
  int strip_height;             /* rows of the grid, at most */
  int rows;                     /* including those of support regions */
  /* Elements per row: pixels and sums of the left view, pixels of a phase,
   * arms of a phase. */
  size_t left_stride;
  size_t right_stride;
  size_t arms_stride;
} BfvLayout;

typedef struct
{
  const StereoBfvConstants *k;
  const BfvLayout *l;
  const StereoBfvViews *views;
  const StereoBfvMemory *m;
  const StereoWinners *winners;
} BfvJob;

/* Sampled planes of a strip, and the costs of one row. */
typedef struct
{
  uint8_t *left[4];             /* planes, sampled: rows x left_stride */
  uint8_t *right[4];            /* phases x rows x right_stride */
  uint8_t *luma;                /* one row of the image */
  uint8_t *cost;                /* from element BFV_MARGIN on */
} BfvPixels;

/* The rows that a strip reads, first to end - 1, and those that it computes. */
typedef struct
{
  int first;
  int end;
  int top;
  int bottom;
} BfvRows;

/* Grid columns of a tile. */
typedef struct
{
  int first;
  int end;
} BfvColumns;

/* One disparity, and where its partners are in the right view. */
typedef struct
{
  int index;
  int d;
  int phase;
  int offset;                   /* column u matches column u
      - disparity of it */
  int first;                    /* columns of the grid with a partner */
  int end;
} BfvDisparity;

/* Implementation of matching a strip. */
struct BfvMatcher
{
  /* The height of strips is a multiple of this. */
  int row_multiple;
  /* NULL: always.  Only reach_x and reach_y of the layout are set. */
  bool (*supports) (const StereoBfvConstants * k, const BfvLayout * l);
  /* Work memory of a thread, a multiple of 64 bytes. */
  size_t (*bytes) (const StereoBfvConstants * k, const BfvLayout * l);
  void (*match) (const BfvJob * job, const BfvRows * rows,
      const BfvPixels * pixels, StereoSubArena memory);
};

/* bfv-simd-transposed.c; it supports nothing without AVX2 or NEON. */
extern const BfvMatcher SIMD_NAME (stereo_bfv_transposed_);
/* bfv-simd-general.c */
extern const BfvMatcher SIMD_NAME (stereo_bfv_general_);

/* ceil (n / by) for any n and positive by. */
static inline int
bfv_ceil_div (int n, int by)
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

static inline int
bfv_n_phase_columns (const StereoBfvConstants * k, int phase)
{
  return phase < k->width ? (k->width - 1 - phase) / k->sampling_x + 1 : 0;
}

/* Arms at column j of a phase of the right view. */
static inline uint32_t
bfv_right_arms_at (const StereoBfvConstants * k, const StereoBfvMemory * m,
    int phase, int j, int v)
{
  /* Beyond the ends of the image, its first and last column */
  int x = stereo_clamp_int (j * k->sampling_x + phase, 0, k->width - 1);

  return m->right_arms[(size_t) v * (size_t) k->width + (size_t) x];
}

static inline void
bfv_set_disparity (const StereoBfvConstants * k, int index, BfvDisparity * s)
{
  s->index = index;
  s->d = k->min_disparity + index;
  s->offset = bfv_ceil_div (s->d, k->sampling_x);
  s->phase = s->offset * k->sampling_x - s->d;
  s->first = s->offset > 0 ? s->offset : 0;
  s->end = stereo_partner_last (k->width, s->d) / k->sampling_x + 1;
  if (s->first > k->grid_width)
    s->first = k->grid_width;
  if (s->end < s->first)
    s->end = s->first;
}

/* Clears the winners of the image rows from row v of the grid to the next one,
 * except the right winners of row v, which are all stored. */
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

#endif /* STEREO_BFV_SIMD_STRIP_H */
