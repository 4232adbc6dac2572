/* gst-stereomatching: variable center-biased windows with vector instructions
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Compiled once for each instruction set, with STEREO_SIMD_NAME its name.
 *
 * The image is cut into tiles that threads take one by one.  For one disparity
 * after another a thread computes the costs of a row of its tile, averages
 * them to both sides, keeps the averages of all rows, and combines those; the
 * winners stay in the tile.  All of it fits the second level cache.
 *
 * Winners of the right view are spread over the tiles of as many columns as
 * there are disparities.  Where they are wanted a thread takes whole rows of
 * tiles, from left to right, and keeps the right winners of these rows.
 *
 * Of many disparities census costs are matched another way
 * (vcbw-lanes-simd.c).
 *
 * An average over two neighbouring taps is one multiply-add of byte pairs
 * where the machine has it (SIMD_HAS_PAIRS).  Even and odd pixels are kept
 * apart in 16-bit lanes; a load one byte further pairs the other neighbours,
 * so nothing is ever shuffled.
 */

#include "match/vcbw-simd.h"

#include "core/cpu.h"
#include "cost/census-simd.h"
#include "cost/partner.h"
#include "match/vcbw-lanes.h"
#include "match/vcbw-pixel.h"
#include "match/vcbw-window-simd.h"
#include "refine/output.h"
#include "refine/winner-pixel.h"
#include "simd/simd.h"

#define STAGES SIMD_NAME (stereo_vcbw_stages_)
#define IN_LANES SIMD_NAME (stereo_vcbw_lanes_)

#define LANES (SIMD_BYTES / 2)

#define TILE_WIDTH 128
#define MAX_TILE_HEIGHT 128
#define MIN_TILE_HEIGHT 16
/* Room for the taps at both ends of a row, and for a vector more. */
#define MARGIN 64
#define MAX_TAP_PAIRS (STEREO_VCBW_MAX_RADIUS / 2 + 1)
#define MAX_ROWS (MAX_TILE_HEIGHT + 2 * STEREO_VCBW_MAX_RADIUS + 1)

/* Winners so far of the left view.  For each vector of pixels two vectors: even
 * and odd.  The last three are the costs beside the winner, and those of the
 * disparity before this one. */
#define TILE_PIXELS (MAX_TILE_HEIGHT * TILE_WIDTH)
typedef struct
{
  uint16_t cost[TILE_PIXELS];
  uint16_t index[TILE_PIXELS];
  uint16_t before[TILE_PIXELS];
  uint16_t after[TILE_PIXELS];
  uint16_t previous[TILE_PIXELS];
} Best;

/* What one thread works with. */
typedef struct
{
  uint8_t cost[MARGIN + TILE_WIDTH + MARGIN + SIMD_ALIGNMENT];
  /* H of the row before and of this one, to the left and to the right. */
  uint8_t left[2][TILE_WIDTH];
  uint8_t right[2][TILE_WIDTH];
  /* The same for all rows.  With pairs, for each vector of pixels two vectors:
   * even and odd pixels, this row in the low byte and the row before in the
   * high one.  Otherwise the bytes themselves. */
  uint8_t left_rows[MAX_ROWS][2 * TILE_WIDTH];
  uint8_t right_rows[MAX_ROWS][2 * TILE_WIDTH];
  Best best;
} __attribute__ ((aligned (SIMD_ALIGNMENT))) Scratch;

/* Winners so far of the right view, for the rows of a row of tiles: their even
 * columns and their odd ones, costs and indices, with a margin at both ends. */
typedef struct
{
  uint16_t *data;               /* NULL: not wanted */
  size_t pitch;                 /* elements of one of the four, with margins */
} RightBest;

/* Weights of one direction in all lanes. */
typedef struct
{
  bool pairs;                   /* simd_pairs() can do it */
  /* Of taps 2 i and 2 i + 1: the nearer one in the low or in the high byte. */
  VecU16 near_low[MAX_TAP_PAIRS];
  VecU16 near_high[MAX_TAP_PAIRS];
  VecU16 single[STEREO_VCBW_MAX_RADIUS + 1];
} Taps;

typedef struct
{
  Taps row;
  Taps column;
} Weights;

typedef struct
{
  int x;
  int y;
  int width;                    /* that is inside of the image */
  int height;
} Tile;

/* What the threads work on. */
typedef struct Job Job;
struct Job
{
  const StereoMatchFrame *frame;
  const StereoVcbwConstants *k;
  Weights weights;
  void (*match_tile) (const Job *, const Tile *, int, Scratch *, RightBest);
  int columns;                  /* of tiles */
  int height;                   /* of a tile */
  bool winners;                 /* of the left view, with what is beside them */
  bool right_winners;
  uint8_t *scratch;             /* worker_bytes for each worker */
  size_t worker_bytes;
};

static void
make_taps (const uint8_t * weight, Taps * taps)
{
  taps->pairs = SIMD_HAS_PAIRS;
  for (int i = 0; i < MAX_TAP_PAIRS; i++) {
    unsigned near = weight[2 * i], far = weight[2 * i + 1];

    taps->near_low[i] = simd_set16 (near | far << 8);
    taps->near_high[i] = simd_set16 (far | near << 8);
    /* 255 * (near + far) < 32768, and no weight is negative as a signed byte */
    if (near + far > 128 || near > 127 || far > 127)
      taps->pairs = false;
  }
  for (int i = 0; i <= STEREO_VCBW_MAX_RADIUS; i++)
    taps->single[i] = simd_set16 (weight[i]);
}

/* ----------------------------------------------------------------- D, a row */

/* Row y of both views; no pointers where census words are compared. */
typedef struct
{
  const StereoMatchFrame *frame;
  int y;
  const uint8_t *left[3];
  const uint8_t *right[3];
} Rows;

ALWAYS_INLINE Rows
rows_at (const StereoMatchFrame * frame, int y, StereoCost cost)
{
  const int planes[] = { [STEREO_COST_LUMA] = 1, [STEREO_COST_RGB] = 3 };
  Rows r = { .frame = frame, .y = y };

  for (int c = 0; cost != STEREO_COST_CENSUS && c < planes[cost]; c++) {
    r.left[c] = frame->left.plane[c] + (size_t) y * frame->left.stride;
    r.right[c] = frame->right.plane[c] + (size_t) y * frame->right.stride;
  }
  return r;
}

ALWAYS_INLINE VecU16
scale_difference (VecU16 sum, const StereoVcbwConstants * k, StereoCost cost)
{
  if (cost == STEREO_COST_RGB && k->third)
    sum = sum / 3;
  return simd_min16 (sum, simd_set16 ((unsigned) k->limit))
      * (uint16_t) k->gain;
}

/* D of SIMD_BYTES pixels. */
ALWAYS_INLINE VecU16
cost_vector (const StereoVcbwConstants * k, const Rows * rows, ptrdiff_t x,
    ptrdiff_t d, StereoCost cost)
{
  VecU16 even = { 0 }, odd = { 0 };

  if (cost == STEREO_COST_CENSUS) {
    const VecU8 limit = (VecU8) { 0 } + (uint8_t) k->limit;
    const SimdCensus p = simd_census_load (&rows->frame->left_census, (int) x,
        rows->y);
    const SimdCensus q = simd_census_load (&rows->frame->right_census,
        (int) (x - d), rows->y);

    /* no byte gets above 255 */
    return (VecU16) simd_min8 (simd_census_cost (&p, &q), limit)
        * (uint16_t) k->gain;
  }
  for (int c = 0; c < (cost == STEREO_COST_RGB ? 3 : 1); c++) {
    VecU16 difference =
        (VecU16) simd_absdiff8 ((VecU8) simd_load16 (rows->left[c] + x),
        (VecU8) simd_load16 (rows->right[c] + x - d));

    even += difference & 0xff;
    odd += difference >> 8;
  }
  return scale_difference (even, k, cost)
      | scale_difference (odd, k, cost) << 8;
}

ALWAYS_INLINE uint8_t
cost_pixel (const StereoVcbwConstants * k, const Rows * rows, ptrdiff_t x,
    ptrdiff_t d, StereoCost cost)
{
  uint32_t sum = 0;

  if (cost == STEREO_COST_CENSUS)
    return (uint8_t) stereo_vcbw_scaled (k, stereo_census_cost (
            stereo_census_word (&rows->frame->left_census, (int) x, rows->y),
            stereo_census_word (&rows->frame->right_census, (int) (x - d),
                rows->y)), false);
  for (int c = 0; c < (cost == STEREO_COST_RGB ? 3 : 1); c++) {
    int difference = rows->left[c][x] - rows->right[c][x - d];

    sum += (uint32_t) (difference < 0 ? -difference : difference);
  }
  return (uint8_t) stereo_vcbw_scaled (k, sum, cost == STEREO_COST_RGB);
}

/* D of columns x0 - row_radius to x0 + TILE_WIDTH + row_radius - 1 at row y,
 * for disparity d, into row[0], ... */
ALWAYS_INLINE void
cost_row_of (const StereoMatchFrame * frame, const StereoVcbwConstants * k,
    int x0, int y, int d, uint8_t * row, StereoCost cost)
{
  const Rows rows = rows_at (frame, y, cost);
  int from = x0 - k->row_radius, to = x0 + TILE_WIDTH + k->row_radius - 1;
  /* columns that are wanted and have a partner */
  int a = stereo_partner_column (k->width, from, d);
  int b = stereo_partner_column (k->width, to, d);
  int x = a;

  /* When both are on one side of what has a partner, a = b is one end of it. */
  if (b < from || a > to) {
    memset (row, cost_pixel (k, &rows, a, d, cost), (size_t) (to - from + 1));
    return;
  }

  for (; x + SIMD_BYTES <= b + 1; x += SIMD_BYTES)
    simd_store16 (row + (x - from), cost_vector (k, &rows, x, d, cost));
  if (x <= b && b + 1 - a >= SIMD_BYTES) {
    x = b + 1 - SIMD_BYTES;
    simd_store16 (row + (x - from), cost_vector (k, &rows, x, d, cost));
    x = b + 1;
  }
  for (; x <= b; x++)
    row[x - from] = cost_pixel (k, &rows, x, d, cost);

  memset (row, row[a - from], (size_t) (a - from));
  memset (row + (b - from) + 1, row[b - from], (size_t) (to - b));
}

static void
cost_row (const StereoMatchFrame * frame, const StereoVcbwConstants * k, int x0,
    int y, int d, uint8_t * row)
{
  if (k->cost == STEREO_COST_CENSUS)
    cost_row_of (frame, k, x0, y, d, row, STEREO_COST_CENSUS);
  else if (k->channels == 3 && !k->needs_luma)
    cost_row_of (frame, k, x0, y, d, row, STEREO_COST_RGB);
  else
    cost_row_of (frame, k, x0, y, d, row, STEREO_COST_LUMA);
}

/* ----------------------------------------------------------------- H, a row */

/* cost points to the tile's first column. */
ALWAYS_INLINE void
average_row_pairs (const uint8_t * cost, const Taps * w, int radius,
    uint8_t * left, uint8_t * right)
{
#if SIMD_HAS_PAIRS
  for (int x = 0; x < TILE_WIDTH; x += SIMD_BYTES) {
    VecU16 left_even = simd_set16 (128), left_odd = left_even;
    VecU16 right_even = left_even, right_odd = left_even;

    for (int t = 0; t <= radius; t += 2) {
      VecU16 high = w->near_high[t / 2], low = w->near_low[t / 2];

      left_even += simd_pairs (simd_load16 (cost + x - t - 1), high);
      left_odd += simd_pairs (simd_load16 (cost + x - t), high);
      right_even += simd_pairs (simd_load16 (cost + x + t), low);
      right_odd += simd_pairs (simd_load16 (cost + x + t + 1), low);
    }
    simd_store16 (left + x, left_even >> 8 | (left_odd & 0xff00));
    simd_store16 (right + x, right_even >> 8 | (right_odd & 0xff00));
  }
#else
  (void) cost, (void) w, (void) radius, (void) left, (void) right;
#endif
}

ALWAYS_INLINE void
average_row_single (const uint8_t * cost, const Taps * w, int radius,
    uint8_t * left, uint8_t * right)
{
  for (int x = 0; x < TILE_WIDTH; x += SIMD_BYTES) {
    VecU16 left_even = simd_set16 (128), left_odd = left_even;
    VecU16 right_even = left_even, right_odd = left_even;

    for (int t = 0; t <= radius; t++) {
      VecU16 l = simd_load16 (cost + x - t), r = simd_load16 (cost + x + t);

      left_even += (l & 0xff) * w->single[t];
      left_odd += (l >> 8) * w->single[t];
      right_even += (r & 0xff) * w->single[t];
      right_odd += (r >> 8) * w->single[t];
    }
    simd_store16 (left + x, left_even >> 8 | (left_odd & 0xff00));
    simd_store16 (right + x, right_even >> 8 | (right_odd & 0xff00));
  }
}

/* A row of H with the row before it, interleaved as left_rows wants it. */
ALWAYS_INLINE void
pair_rows (const uint8_t * row, const uint8_t * before, uint8_t * target)
{
  for (int x = 0; x < TILE_WIDTH; x += SIMD_BYTES) {
    VecU16 low = simd_load16 (row + x), high = simd_load16 (before + x);

    simd_store16 (target + 2 * x, (low & 0xff) | high << 8);
    simd_store16 (target + 2 * x + SIMD_BYTES, low >> 8 | (high & 0xff00));
  }
}

/* ------------------------------------------------------------------ V and C */

/* One quadrant at SIMD_BYTES pixels: even and odd ones. */
typedef struct
{
  VecU16 even;
  VecU16 odd;
} Quadrant;

/* Keeps the better of a winner and C of an index. */
ALWAYS_INLINE void
take_winner (VecU16 cost, VecU16 new_index, uint16_t * best, uint16_t * index)
{
  VecU16 kept = simd_load16 (best);

  simd_store16 (index, simd_keep_best16 (cost, &kept, new_index,
          simd_load16 (index)));
  simd_store16 (best, kept);
}

/* The same, with the costs beside it. */
ALWAYS_INLINE void
take_winner_beside (VecU16 cost, VecU16 new_index, Best * b, int at)
{
  VecU16 kept = simd_load16 (b->cost + at);
  VecU16 index = simd_load16 (b->index + at);
  VecU16 previous = simd_load16 (b->previous + at);
  SimdMask16 less = simd_mask_less16 (cost, kept);
  SimdMask16 was_last = simd_mask_equal16 (index + 1, new_index);

  simd_store16 (b->cost + at, simd_min16 (cost, kept));
  simd_store16 (b->index + at, simd_select16 (less, new_index, index));
  simd_store16 (b->before + at, simd_select16 (less, previous,
          simd_load16 (b->before + at)));
  simd_store16 (b->after + at, simd_select16 (was_last, cost,
          simd_load16 (b->after + at)));
  simd_store16 (b->previous + at, cost);
}

/* Both vertical averages of one side: rows is the row of the pixel. */
ALWAYS_INLINE void
average_column_pairs (const uint8_t * rows, const Taps * w, int radius,
    Quadrant * down, Quadrant * up)
{
#if SIMD_HAS_PAIRS
  const ptrdiff_t stride = 2 * TILE_WIDTH;

  down->even = down->odd = up->even = up->odd = (VecU16) { 0 };
  for (int t = 0; t <= radius; t += 2) {
    VecU16 high = w->near_high[t / 2], low = w->near_low[t / 2];
    const uint8_t *below = rows + (t + 1) * stride;
    const uint8_t *above = rows - t * stride;

    down->even += simd_pairs (simd_load16 (below), high);
    down->odd += simd_pairs (simd_load16 (below + SIMD_BYTES), high);
    up->even += simd_pairs (simd_load16 (above), low);
    up->odd += simd_pairs (simd_load16 (above + SIMD_BYTES), low);
  }
#else
  (void) rows, (void) w, (void) radius, (void) down, (void) up;
#endif
}

ALWAYS_INLINE void
average_column_single (const uint8_t * rows, const Taps * w, int radius,
    Quadrant * down, Quadrant * up)
{
  const ptrdiff_t stride = 2 * TILE_WIDTH;

  down->even = down->odd = up->even = up->odd = (VecU16) { 0 };
  for (int t = 0; t <= radius; t++) {
    VecU16 below = simd_load16 (rows + t * stride);
    VecU16 above = simd_load16 (rows - t * stride);

    down->even += (below & 0xff) * w->single[t];
    down->odd += (below >> 8) * w->single[t];
    up->even += (above & 0xff) * w->single[t];
    up->odd += (above >> 8) * w->single[t];
  }
}

/* ------------------------------------------------ winners of the right view */

/* Columns of the right view of one row, even ones (0) or odd ones (1). */
ALWAYS_INLINE uint16_t *
right_costs (RightBest right, int row, int odd)
{
  return right.data + ((size_t) row * 4 + 2 * (size_t) odd) * right.pitch
      + LANES;
}

ALWAYS_INLINE uint16_t *
right_indices (RightBest right, int row, int odd)
{
  return right_costs (right, row, odd) + right.pitch;
}

static size_t
right_pitch (int width)
{
  return ((size_t) width / 2 + 1 + 3 * LANES - 1) / LANES * LANES;
}

/* C of the left columns x, x + 2, x + 4, ... of a row, of which those from
 * `end` on do not count. */
ALWAYS_INLINE void
take_right_winner (VecU16 cost, VecU16 new_index, int x, int end, int d,
    int width, RightBest right, int row)
{
  int from = x - d, odd = from & 1, place = (from - odd) / 2;

  if (from + 2 * (LANES - 1) < 0 || from >= width)
    return;
  if (x + 2 * (LANES - 1) >= end) {
    uint16_t lanes[LANES];

    simd_store16 (lanes, cost);
    for (int i = 0; i < LANES; i++) {
      if (x + 2 * i >= end)
        lanes[i] = 0xffff;
    }
    cost = simd_load16 (lanes);
  }
  take_winner (cost, new_index, right_costs (right, row, odd) + place,
      right_indices (right, row, odd) + place);
}

/* All rows to the frame's winners.  Without a candidate a word is all ones. */
static void
store_right (const Job * job, RightBest right, int y, int rows)
{
  const StereoWinners *w = job->frame->winners;

  for (int row = 0; row < rows; row++) {
    uint32_t *words = w->right + (size_t) (y + row) * w->right_stride;

    for (int odd = 0; odd < 2; odd++) {
      const uint16_t *cost = right_costs (right, row, odd);
      const uint16_t *index = right_indices (right, row, odd);

      for (int i = 0; 2 * i + odd < job->k->width; i++)
        words[2 * i + odd] = stereo_winner_right_word (index[i], cost[i]);
    }
  }
}

/* --------------------------------------------------------------------- tile */

/* Both H of the rows of a tile, and of column_radius rows more on each side. */
ALWAYS_INLINE void
average_rows (const Job * job, const Tile * tile, int d, Scratch * s,
    int row_radius, int column_radius, bool pairs)
{
  const StereoVcbwConstants *k = job->k;
  const Taps *taps = &job->weights.row;
  int last = k->height - 1, n_rows = tile->height + 2 * column_radius;
  int current = 0, previous_y = -1;

  for (int j = 0; j < n_rows; j++) {
    int y = stereo_clamp_int (tile->y - column_radius + j, 0, last);
    int before = j > 0 ? current : 0;

    /* Beyond the image the same row comes again. */
    if (y != previous_y) {
      const uint8_t *cost = s->cost + MARGIN;

      if (j > 0)
        current = !current;
      cost_row (job->frame, k, tile->x, y, d, s->cost + MARGIN - row_radius);
      if (pairs)
        average_row_pairs (cost, taps, row_radius, s->left[current],
            s->right[current]);
      else
        average_row_single (cost, taps, row_radius, s->left[current],
            s->right[current]);
      previous_y = y;
    }
    if (pairs) {
      pair_rows (s->left[current], s->left[before], s->left_rows[j]);
      pair_rows (s->right[current], s->right[before], s->right_rows[j]);
    } else {
      memcpy (s->left_rows[j], s->left[current], TILE_WIDTH);
      memcpy (s->right_rows[j], s->right[current], TILE_WIDTH);
    }
  }
  if (pairs) {
    /* The last pixel's pair below; its other half weighs nothing. */
    pair_rows (s->left[current], s->left[current], s->left_rows[n_rows]);
    pair_rows (s->right[current], s->right[current], s->right_rows[n_rows]);
  }
}

/* One disparity over one tile. */
ALWAYS_INLINE void
match_tile_of (const Job * job, const Tile * tile, int index, Scratch * s,
    RightBest right, int row_radius, int column_radius, bool pairs,
    bool winners)
{
  const VecU16 new_index = simd_set16 ((unsigned) index);
  const Taps *taps = &job->weights.column;
  Best *b = &s->best;
  VcbwPenalties penalties;
  int d = job->k->min_disparity + index, end = tile->x + tile->width;

  vcbw_make_penalties (job->k, &penalties);
  average_rows (job, tile, d, s, row_radius, column_radius, pairs);

  for (int j = 0; j < tile->height; j++) {
    const uint8_t *l = s->left_rows[j + column_radius];
    const uint8_t *r = s->right_rows[j + column_radius];

    for (int x = 0; x < TILE_WIDTH; x += SIMD_BYTES) {
      int at = j * TILE_WIDTH + x;
      Quadrant q[4];            /* left down, left up, right down, right up */
      VecU16 even, odd;

      if (pairs) {
        average_column_pairs (l + 2 * x, taps, column_radius, &q[0], &q[1]);
        average_column_pairs (r + 2 * x, taps, column_radius, &q[2], &q[3]);
      } else {
        average_column_single (l + x, taps, column_radius, &q[0], &q[1]);
        average_column_single (r + x, taps, column_radius, &q[2], &q[3]);
      }
      even = vcbw_combine (&penalties, q[0].even, q[1].even, q[2].even,
          q[3].even);
      odd = vcbw_combine (&penalties, q[0].odd, q[1].odd, q[2].odd, q[3].odd);
      if (winners) {
        take_winner_beside (even, new_index, b, at);
        take_winner_beside (odd, new_index, b, at + LANES);
      } else {
        take_winner (even, new_index, b->cost + at, b->index + at);
        take_winner (odd, new_index, b->cost + at + LANES,
            b->index + at + LANES);
      }
      if (winners && right.data != NULL) {
        take_right_winner (even, new_index, tile->x + x, end, d,
            job->k->width, right, j);
        take_right_winner (odd, new_index, tile->x + x + 1, end, d,
            job->k->width, right, j);
      }
    }
  }
}

/* Constant arguments let the compiler unroll the radii of the defaults, and of
 * the paper's parameters. */
static void
match_tile_default (const Job * job, const Tile * tile, int index,
    Scratch * s, RightBest right)
{
  match_tile_of (job, tile, index, s, right, 16, 12, SIMD_HAS_PAIRS, true);
}

static void
match_tile_paper (const Job * job, const Tile * tile, int index,
    Scratch * s, RightBest right)
{
  match_tile_of (job, tile, index, s, right, 16, 15, SIMD_HAS_PAIRS, false);
}

static void
match_tile_winners (const Job * job, const Tile * tile, int index,
    Scratch * s, RightBest right)
{
  match_tile_of (job, tile, index, s, right, job->k->row_radius,
      job->k->column_radius, SIMD_HAS_PAIRS, true);
}

static void
match_tile_pairs (const Job * job, const Tile * tile, int index,
    Scratch * s, RightBest right)
{
  match_tile_of (job, tile, index, s, right, job->k->row_radius,
      job->k->column_radius, SIMD_HAS_PAIRS, false);
}

static void
match_tile_single (const Job * job, const Tile * tile, int index,
    Scratch * s, RightBest right)
{
  if (job->winners)
    match_tile_of (job, tile, index, s, right, job->k->row_radius,
        job->k->column_radius, false, true);
  else
    match_tile_of (job, tile, index, s, right, job->k->row_radius,
        job->k->column_radius, false, false);
}

static void
choose_match_tile (Job * job)
{
  int row = job->k->row_radius, column = job->k->column_radius;

  if (!job->weights.row.pairs || !job->weights.column.pairs)
    job->match_tile = match_tile_single;
  else if (job->winners)
    job->match_tile = row == 16 && column == 12 ? match_tile_default
        : match_tile_winners;
  else
    job->match_tile = row == 16 && column == 15 ? match_tile_paper
        : match_tile_pairs;
}

/* Where a pixel of a row of a tile is among its winners. */
ALWAYS_INLINE int
place_of (int x)
{
  int in_vector = x % SIMD_BYTES;

  return x - in_vector + in_vector % 2 * LANES + in_vector / 2;
}

static void
store_tile (const Job * job, const Tile * tile, const Best * best)
{
  const StereoMatchFrame *frame = job->frame;
  const StereoWinners *w = frame->winners;
  bool empty = job->k->first_index == job->k->end_index;

  for (int j = 0; j < tile->height; j++) {
    int y = tile->y + j, row = j * TILE_WIDTH;

    if (w != NULL) {
      uint32_t *words = w->left + (size_t) y * w->left_stride
          + (size_t) tile->x;

      for (int x = 0; x < tile->width; x++) {
        int at = row + place_of (x);

        words[x] = empty ? STEREO_NO_WINNER : stereo_winner_word (w,
            best->index[at], best->before[at], best->cost[at],
            best->after[at]);
      }
      continue;
    }
    for (int x = 0; x < tile->width; x++)
      stereo_store_index (&frame->map, frame->output, tile->x + x, y,
          empty ? STEREO_INVALID : best->index[row + place_of (x)]);
  }
}

/* -------------------------------------------------------------------- image */

/* Tall tiles waste less at their ends, but every thread wants some. */
static int
choose_tile_height (const StereoVcbwConstants * k, int threads, int columns)
{
  int height = MAX_TILE_HEIGHT;

  while (height > MIN_TILE_HEIGHT
      && columns * ((k->height + height - 1) / height) < 3 * threads)
    height /= 2;
  return height;
}

/* As many rows of tiles for each thread, none taller than the others. */
static int
choose_band_height (const StereoVcbwConstants * k, int threads)
{
  int bands = (k->height + MAX_TILE_HEIGHT - 1) / MAX_TILE_HEIGHT;
  int height;

  bands = (bands + threads - 1) / threads * threads;
  height = (k->height + bands - 1) / bands;
  return height > MIN_TILE_HEIGHT ? height : MIN_TILE_HEIGHT;
}

static void
match_one_tile (const Job * job, int column, int row, Scratch * s,
    RightBest right)
{
  const StereoVcbwConstants *k = job->k;
  Tile tile = { column * TILE_WIDTH, row * job->height, TILE_WIDTH,
    job->height
  };

  if (tile.x + tile.width > k->width)
    tile.width = k->width - tile.x;
  if (tile.y + tile.height > k->height)
    tile.height = k->height - tile.y;
  memset (s->best.cost, 0xff,
      sizeof (uint16_t) * TILE_WIDTH * (size_t) tile.height);
  for (int index = k->first_index; index < k->end_index; index++)
    job->match_tile (job, &tile, index, s, right);
  store_tile (job, &tile, &s->best);
}

static void
match_tiles (const void *context, StereoSpan span)
{
  const Job *job = context;
  Scratch *s = (Scratch *) (job->scratch
      + (size_t) span.worker * job->worker_bytes);

  for (int i = span.begin; i < span.end; i++)
    match_one_tile (job, i % job->columns, i / job->columns, s,
        (RightBest) { NULL, 0 });
}

static void
match_bands (const void *context, StereoSpan span)
{
  const Job *job = context;
  uint8_t *memory = job->scratch + (size_t) span.worker * job->worker_bytes;
  RightBest right = { (uint16_t *) (memory + sizeof (Scratch)),
    right_pitch (job->k->width)
  };

  for (int i = span.begin; i < span.end; i++) {
    int y = i * job->height, rows = job->k->height - y;

    rows = rows < job->height ? rows : job->height;
    memset (right.data, 0xff,
        4 * sizeof (uint16_t) * right.pitch * (size_t) rows);
    for (int column = 0; column < job->columns; column++)
      match_one_tile (job, column, i, (Scratch *) memory, right);
    store_right (job, right, y, rows);
  }
}

/* A multiple of SIMD_ALIGNMENT. */
static size_t
worker_bytes (int width, bool right_winners)
{
  size_t right = 4 * sizeof (uint16_t) * right_pitch (width) * MAX_TILE_HEIGHT;

  return sizeof (Scratch) + (right_winners ? right : 0);
}

struct StereoVcbwWork
{
  uint8_t *scratch;             /* worker_bytes() for each thread */
  uint8_t *luma;                /* of both views, if that is needed */
};

STEREO_CHECK_WORK (StereoVcbwWork);

/* Luma of colour, for STEREO_COST_LUMA: one view behind the other. */
typedef struct
{
  const StereoView *views[2];
  uint8_t *luma;
  int width;
  int height;
} Luma;

static void
luma_rows (const void *context, StereoSpan span)
{
  const Luma *l = context;

  for (int i = span.begin; i < span.end; i++) {
    const StereoView *view = l->views[i / l->height];
    size_t from = (size_t) (i % l->height) * view->stride;
    uint8_t *target = l->luma + (size_t) i * (size_t) l->width;

    for (int x = 0; x < l->width; x++)
      target[x] = stereo_luma (view->plane[0][from + (size_t) x],
          view->plane[1][from + (size_t) x],
          view->plane[2][from + (size_t) x]);
  }
}

/* The same frame with views of luma. */
static StereoMatchFrame
with_luma (const StereoMatchFrame * frame, const StereoVcbwConstants * k,
    uint8_t * memory)
{
  StereoMatchFrame result = *frame;
  Luma l = { { &frame->left, &frame->right }, memory, k->width, k->height };

  stereo_cpu_for (frame->queue, 2 * k->height, 0, luma_rows, &l);
  result.left.plane[0] = memory;
  result.right.plane[0] = memory + (size_t) k->width * (size_t) k->height;
  result.left.stride = result.right.stride = (size_t) k->width;
  return result;
}

static StereoStatus
match_cpu (const StereoMatchFrame * frame, const StereoVcbwConstants * k,
    const StereoVcbwWork * work)
{
  const StereoWinners *w = frame->winners;
  int threads = stereo_cpu_threads (frame->queue), rows;
  Job job = {.frame = frame,.k = k,.scratch = work->scratch };
  StereoMatchFrame luma;

  if (IN_LANES.suits (k)) {
    IN_LANES.match (frame, k, work->scratch);
    return STEREO_OK;
  }
  job.winners = w != NULL;
  job.right_winners = w != NULL && w->right != NULL;
  job.worker_bytes = worker_bytes (k->width, frame->search->right_winners);
  if (k->needs_luma) {
    luma = with_luma (frame, k, work->luma);
    job.frame = &luma;
  }
  job.columns = (k->width + TILE_WIDTH - 1) / TILE_WIDTH;
  job.height = job.right_winners ? choose_band_height (k, threads)
      : choose_tile_height (k, threads, job.columns);
  rows = (k->height + job.height - 1) / job.height;
  make_taps (k->row_weight, &job.weights.row);
  make_taps (k->column_weight, &job.weights.column);
  choose_match_tile (&job);

  if (job.right_winners)
    stereo_cpu_for (frame->queue, rows, 1, match_bands, &job);
  else
    stereo_cpu_for (frame->queue, job.columns * rows, 1, match_tiles, &job);
  return STEREO_OK;
}

static StereoStatus
plan_cpu (const StereoSearch * search, const StereoVcbwConstants * k,
    StereoVcbwWork * work, StereoArena * arena, StereoMessage * why)
{
  (void) why;
  stereo_arena_add (arena, (void **) &work->scratch, search->n_threads,
      IN_LANES.suits (k) ? IN_LANES.worker_bytes (search, k)
      : worker_bytes (k->width, search->right_winners));
  if (k->needs_luma)
    stereo_arena_add (arena, (void **) &work->luma, 2 * (size_t) k->width
        * (size_t) k->height, 1);
  return STEREO_OK;
}

const StereoVcbwStages STAGES = {
  .plan = plan_cpu,
  .match = match_cpu,
};
