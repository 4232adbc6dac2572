/* gst-stereomatching: vector stages of semi-global matching
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Vectors cover disparities.  The sums of a whole image would be large, so they
 * exist for a band of rows at most.  The downward sweeps run twice: first over
 * the image, to save their L at the lower end of every band, then band by band,
 * from the last one up, together with all other sweeps.
 *
 * A thread processes one band at a time: first to the left, then from tile to
 * tile to the right.  All other sweeps of a tile and its winners follow while
 * its costs and sums are in the cache.  If the sums do not fit, the leftward
 * sweep saves its L at tile borders and runs again in each tile.  The upward
 * sweeps continue those of the band below, which is a few tiles ahead.
 * Diagonals read the next column, so with them each row of a tile begins one
 * column before the row swept before.
 *
 * The right view is mirrored, so that the partners of a pixel are in the order
 * of their disparities.
 *
 * Costs, L and sums of a pixel begin at the first disparity of its window, the
 * range of its tile.  L that leave a tile are moved to the next window when
 * they are complete.
 */

#ifndef STEREO_SGM_SIMD_H
#define STEREO_SGM_SIMD_H

#include "match/sgm/sgm-cpu.h"

#include "core/cpu.h"
#include "core/progress.h"
#include "cost/cost-simd.h"
#include "match/sgm/sgm-formula.h"

#define LANES (SIMD_BYTES / 2)

/* Rows of a band and columns of a tile: a strip.  With four paths a band has
 * fewer rows, so that the bands of several threads fit a cache. */
#define BAND STEREO_SGM_STRIP
#define BAND_ONE 8
#define TILE STEREO_SGM_STRIP

/* Columns before a tile that its diagonal sweeps read. */
#define BORDER 2

/* Maximum bytes of the costs and sums of a band to keep them: a processor's
 * cache, or with four paths, which access memory row by row, a limit for all
 * threads.  Otherwise the last two tiles are kept, and the leftward sweep runs
 * twice. */
#define MAX_KEPT_BYTES (3 << 19)
#define MAX_KEPT_BYTES_ONE (64 << 20)

/* Vertical and diagonal sweeps in either direction. */
#define MAX_VERTICAL 3

/* Executes `statement` with n, the number of vectors of a pixel, a constant for
 * common numbers. */
#define WITH_VECTORS(b, n, statement) \
  switch ((b)->window.n_vectors) { \
    case 1: { enum { n = 1 }; statement; break; } \
    case 2: { enum { n = 2 }; statement; break; } \
    case 3: { enum { n = 3 }; statement; break; } \
    case 4: { enum { n = 4 }; statement; break; } \
    case 8: { enum { n = 8 }; statement; break; } \
    default: { const int n = (b)->window.n_vectors; statement; } \
  }

/* Scratch memory of a thread, in pixels of L: two rows of a tile per sweep,
 * their borders, two columns of the band to the right and to the left, an
 * average. */
#define N_LINES (2 * MAX_VERTICAL * (TILE + BORDER))
#define N_BORDERS (2 * MAX_VERTICAL * BAND * BORDER)
#define N_SCRATCH (N_LINES + N_BORDERS + 4 * BAND + 1)

/* Constants and memory of a frame, in the form that the stages use. */
typedef struct
{
  const StereoSgmConstants *k;
  const StereoSgmViews *views;
  const StereoSgmWork *work;
  const StereoSgmResult *result;
  int n_threads;
  int n_padded;                 /* bytes of a pixel's costs */
  size_t line;                  /* elements of a line, n_padded to a pixel */
  size_t row;                   /* elements of a row of sums or costs */
  bool keeps_sums;              /* of a whole band */
  bool by_rows;                 /* both horizontal paths run together */
  int column_mask;              /* maps columns to those of sums and costs */
  int n_bands;
  int band_rows;
  int n_tiles;                  /* of a band */
  int skew;                     /* columns between the tiles of two rows */
  int n_vertical;               /* sweeps down, and as many up */
  size_t mirror_stride;
  int n_planes;                 /* of the mirrored view */
  SimdTable64 similarity;
  VecU8 not_first;              /* pixels that do not begin, end strips */
  VecU8 not_last;
} Task;

/* The disparities of a tile: begin <= i < end. */
typedef struct
{
  int begin;
  int end;
  int n_vectors;                /* of 16-bit lanes */
  VecU16 tail;                  /* valid lanes of the last vector */
} Window;

/* A band, and the thread that processes it. */
typedef struct
{
  const Task *task;
  Window window;                /* of the current tile */
  int worker;
  int index;                    /* from the top */
  int y0;
  int rows;
  uint16_t least[2][BAND];      /* m of the paths to the left, right */
} Band;

/* Columns x0 to x1 - 1 of a row. */
typedef struct
{
  int x0;
  int x1;
} Range;

/* Use of the L of a pixel. */
typedef enum
{
  NO_SUMS,
  FIRST_OF_SUMS,
  MORE_OF_SUMS
} Sums;

/* Neighbours, with a row of step inputs each: differences g.  With three
 * predecessors a sweep has g of the straight predecessor and the weights of the
 * two others in their place. */
enum
{
  NORTH, SOUTH, WEST, EAST,
  NORTH_WEST, NORTH_EAST, SOUTH_WEST, SOUTH_EAST,
  N_NEIGHBORS
};

static const StereoSgmSweep neighbors[N_NEIGHBORS] = {
  [NORTH] = {0, -1},[SOUTH] = {0, 1},[WEST] = {-1, 0},[EAST] = {1, 0},
  [NORTH_WEST] = {-1, -1},[NORTH_EAST] = {1, -1},
  [SOUTH_WEST] = {-1, 1},[SOUTH_EAST] = {1, 1},
};

/* The predecessors A, B and E of the sweeps from the first four neighbours.
 * Vertical sweeps without diagonals have only the first. */
static const int predecessors[4][MAX_VERTICAL] = {
  [NORTH] = {NORTH, NORTH_WEST, NORTH_EAST},
  [SOUTH] = {SOUTH, SOUTH_WEST, SOUTH_EAST},
  [WEST] = {WEST, NORTH_WEST, SOUTH_WEST},
  [EAST] = {EAST, NORTH_EAST, SOUTH_EAST},
};

/* Rows of step inputs of a row of pixels. */
ALWAYS_INLINE int
n_inputs (const StereoSgmConstants * k)
{
  return k->three ? 4 * MAX_VERTICAL : k->n_sweeps == 8 ? N_NEIGHBORS : 4;
}

/* Bytes of such a row; vectors are stored up to its end. */
ALWAYS_INLINE size_t
input_stride (const StereoSgmConstants * k)
{
  return stereo_round_up ((size_t) k->width, 64);
}

/* Columns before the mirrored view. */
ALWAYS_INLINE int
sgm_mirror_front (const StereoSgmConstants * k)
{
  int d = k->min_disparity + k->first_index;

  return d < 0 ? -d : 0;
}

ALWAYS_INLINE Range
clip_range (const Task * t, int x0, int x1)
{
  return (Range) { x0 < 0 ? 0 : x0, x1 < t->k->width ? x1 : t->k->width };
}

/* The range of a tile as a word of StereoRanges. */
ALWAYS_INLINE uint32_t
range_word (const Task * t, int band, int tile)
{
  return stereo_sgm_range (t->k, t->views, tile * TILE, band * t->band_rows);
}

/* Enters a tile of the band. */
ALWAYS_INLINE void
set_window (Band * b, int tile)
{
  const uint32_t word = range_word (b->task, b->index, tile);
  Window *w = &b->window;
  int n;

  w->begin = stereo_range_begin (word);
  w->end = stereo_range_end (word);
  n = w->end - w->begin;
  w->n_vectors = (n + LANES - 1) / LANES;
  n -= (w->n_vectors - 1) * LANES;
  for (int i = 0; i < LANES; i++)
    w->tail[i] = i < n ? UINT16_MAX : 0;
}

/* Elements of n pixels. */
ALWAYS_INLINE size_t
pixels (const Task * t, int n)
{
  return (size_t) n * (size_t) t->n_padded;
}

/* Offset of the sums and costs of column x in row j of the band. */
ALWAYS_INLINE size_t
band_offset (const Band * b, int x, int j)
{
  const Task *t = b->task;

  return (size_t) (b->worker * BAND + j) * t->row
      + pixels (t, x & t->column_mask);
}

ALWAYS_INLINE uint16_t *
sums_at (const Band * b, int x, int j)
{
  return b->task->work->sums + band_offset (b, x, j);
}

ALWAYS_INLINE uint8_t *
costs_at (const Band * b, int x, int j)
{
  return b->task->work->costs + band_offset (b, x, j);
}

/* Step inputs of row j of the band: of a neighbour, or with three predecessors
 * as weights_at(). */
ALWAYS_INLINE uint8_t *
input_at (const Band * b, int input, int j)
{
  const Task *t = b->task;

  return t->work->differences + (size_t) ((b->worker * n_inputs (t->k)
          + input) * BAND + j) * input_stride (t->k);
}

ALWAYS_INLINE uint8_t *
weights_at (const Band * b, int from, int predecessor, int j)
{
  return input_at (b, MAX_VERTICAL * from + predecessor, j);
}

/* Least lane, in all lanes. */
ALWAYS_INLINE VecU16
least_lane (VecU16 v)
{
#if defined (__AVX2__)
  __m128i low;
#if defined (__AVX512BW__)
  __m256i half = _mm256_min_epu16 (_mm512_castsi512_si256 ((__m512i) v),
      _mm512_extracti64x4_epi64 ((__m512i) v, 1));
#else
  __m256i half = (__m256i) v;
#endif

  low = _mm_minpos_epu16 (_mm_min_epu16 (_mm256_castsi256_si128 (half),
          _mm256_extracti128_si256 (half, 1)));
#if defined (__AVX512BW__)
  return (VecU16) _mm512_broadcastw_epi16 (low);
#else
  return (VecU16) _mm256_broadcastw_epi16 (low);
#endif
#else
  uint16_t lanes[LANES], least;

  memcpy (lanes, &v, sizeof (v));
  least = lanes[0];
  for (int i = 1; i < LANES; i++)
    least = lanes[i] < least ? lanes[i] : least;
  return simd_set16 (least);
#endif
}

/* Functions of the other files, for each instruction set. */
#define SGM(name) SIMD_NAME (stereo_sgm_##name##_)

/* sgm-simd-costs.c: mirrors rows of the right view; and the costs of pixels in
 * row j of the band, n_padded bytes each.  Columns without a partner have the
 * cost of the nearest column that has one, for each disparity. */
void SGM (mirror_rows) (const void *task, StereoSpan span);
void SGM (find_costs) (const Band * b, Range r, int j, uint8_t * out);

/* sgm-simd-weights.c: the step inputs of a band, for the sweeps down or for
 * all. */
void SGM (find_inputs) (const Band * b, bool down);

/* sgm-simd-sweep.c: the horizontal sweep of a band over a range; both
 * horizontal paths of row j; and the sweeps up or down over row j of a tile,
 * without sums if costs replace those of the band. */
void SGM (sweep_columns) (Band * b, Range r, bool right, Sums sums);
void SGM (sweep_paths) (const Band * b, int j);
void SGM (sweep_tile_row) (const Band * b, int tile, int j, bool up,
    const uint8_t * costs);
/* Columns of row j of a tile in the sweeps down or up. */
Range SGM (tile_range) (const Task * t, int tile, int j, bool up);
/* Moves the L of n pixels from the range of a tile to that of another one. */
void SGM (move_paths) (const Task * t, uint16_t * l, int n, uint32_t from,
    uint32_t to);

/* sgm-simd-winners.c: the winners of row j, for both views; before the first
 * column of a row, and after the last one, the right winners. */
void SGM (find_winners) (const Band * b, Range r, int j);
bool SGM (wants_right) (const Task * t);
void SGM (clear_right) (const Band * b, int j);
void SGM (store_right) (const Band * b, int j);
/* Elements of the right winners of a row. */
size_t SGM (right_elements) (const StereoSgmConstants * k);

#endif /* STEREO_SGM_SIMD_H */
