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
 * An average over two neighbouring taps is one multiply-add of byte pairs
 * where the machine has it (SIMD_HAS_PAIRS).  Even and odd pixels are kept
 * apart in 16-bit lanes; a load one byte further pairs the other neighbours,
 * so nothing is ever shuffled.
 */

#include "match/vcbw-simd.h"

#include "core/cpu.h"
#include "refine/output.h"
#include "simd/simd.h"

#define STAGES SIMD_NAME (stereo_vcbw_stages_)

#define LANES (SIMD_BYTES / 2)

#define TILE_WIDTH 128
#define MAX_TILE_HEIGHT 128
#define MIN_TILE_HEIGHT 16
/* Room for the taps at both ends of a row, and for a vector more. */
#define MARGIN 64
#define MAX_TAP_PAIRS (STEREO_VCBW_MAX_RADIUS / 2 + 1)
#define MAX_ROWS (MAX_TILE_HEIGHT + 2 * STEREO_VCBW_MAX_RADIUS + 1)

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
  /* Winners so far.  For each vector of pixels two vectors: even and odd. */
  uint16_t best[MAX_TILE_HEIGHT * TILE_WIDTH];
  uint16_t index[MAX_TILE_HEIGHT * TILE_WIDTH];
} __attribute__ ((aligned (SIMD_ALIGNMENT))) Scratch;

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
  int height;
} Tile;

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

ALWAYS_INLINE VecU16
scale_difference (VecU16 sum, const StereoVcbwConstants * k, bool color)
{
  if (color && k->third)
    sum = sum / 3;
  return simd_min16 (sum, simd_set16 ((unsigned) k->limit))
      * (uint16_t) k->gain;
}

/* D of SIMD_BYTES pixels. */
ALWAYS_INLINE VecU16
cost_vector (const StereoVcbwConstants * k, const uint8_t * const left[3],
    const uint8_t * const right[3], ptrdiff_t x, ptrdiff_t d, bool color)
{
  VecU16 even = { 0 }, odd = { 0 };

  for (int c = 0; c < (color ? 3 : 1); c++) {
    VecU16 difference =
        (VecU16) simd_absdiff8 ((VecU8) simd_load16 (left[c] + x),
        (VecU8) simd_load16 (right[c] + x - d));

    even += difference & 0xff;
    odd += difference >> 8;
  }
  return scale_difference (even, k, color)
      | scale_difference (odd, k, color) << 8;
}

ALWAYS_INLINE uint8_t
cost_pixel (const StereoVcbwConstants * k, const uint8_t * const left[3],
    const uint8_t * const right[3], ptrdiff_t x, ptrdiff_t d, bool color)
{
  int sum = 0;

  for (int c = 0; c < (color ? 3 : 1); c++) {
    int difference = left[c][x] - right[c][x - d];

    sum += difference < 0 ? -difference : difference;
  }
  if (color && k->third)
    sum /= 3;
  return (uint8_t) ((sum < k->limit ? sum : k->limit) * k->gain);
}

/* D of columns x0 - radius to x0 + TILE_WIDTH + radius - 1 at row y, for
 * disparity d, into row[0], ... */
ALWAYS_INLINE void
cost_row_kind (const StereoVcbwConstants * k, const StereoView * left,
    const StereoView * right, int x0, int y, int d, uint8_t * row, bool color)
{
  const uint8_t *l[3] = { NULL }, *r[3] = { NULL };
  /* Columns that have a partner, and the ones wanted */
  int first = d > 0 ? d : 0, last = (d < 0 ? d : 0) + k->width - 1;
  int from = x0 - k->radius, to = x0 + TILE_WIDTH + k->radius - 1;
  int a = stereo_clamp_int (from, first, last);
  int b = stereo_clamp_int (to, first, last);
  int x = a;

  for (int c = 0; c < (color ? 3 : 1); c++) {
    l[c] = left->plane[c] + (size_t) y * left->stride;
    r[c] = right->plane[c] + (size_t) y * right->stride;
  }

  /* When both are on one side of what has a partner, a = b is one end of it. */
  if (b < from || a > to) {
    memset (row, cost_pixel (k, l, r, a, d, color), (size_t) (to - from + 1));
    return;
  }

  for (; x + SIMD_BYTES <= b + 1; x += SIMD_BYTES)
    simd_store16 (row + (x - from), cost_vector (k, l, r, x, d, color));
  if (x <= b && b + 1 - a >= SIMD_BYTES) {
    x = b + 1 - SIMD_BYTES;
    simd_store16 (row + (x - from), cost_vector (k, l, r, x, d, color));
    x = b + 1;
  }
  for (; x <= b; x++)
    row[x - from] = cost_pixel (k, l, r, x, d, color);

  memset (row, row[a - from], (size_t) (a - from));
  memset (row + (b - from) + 1, row[b - from], (size_t) (to - b));
}

static void
cost_row (const StereoVcbwConstants * k, const StereoView * left,
    const StereoView * right, int x0, int y, int d, uint8_t * row)
{
  if (k->channels == 3)
    cost_row_kind (k, left, right, x0, y, d, row, true);
  else
    cost_row_kind (k, left, right, x0, y, d, row, false);
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

/* Penalties in all lanes, and the largest sums that they can be added to; what
 * is beyond that never wins against the full window. */
typedef struct
{
  VecU16 edge;
  VecU16 edge_room;
  VecU16 corner;
  VecU16 corner_room;
} Penalties;

static void
make_penalties (const StereoVcbwConstants * k, Penalties * p)
{
  p->edge = simd_set16 ((unsigned) k->edge);
  p->edge_room = simd_set16 (0xffffu - (unsigned) k->edge);
  p->corner = simd_set16 ((unsigned) k->corner);
  p->corner_room = simd_set16 (0xffffu - (unsigned) k->corner);
}

/* v: left down, left up, right down, right up */
ALWAYS_INLINE void
take_winner (const Penalties * p, VecU16 v0, VecU16 v1, VecU16 v2, VecU16 v3,
    VecU16 new_index, uint16_t * best, uint16_t * index)
{
  VecU16 left = v0 + v1, right = v2 + v3, down = v0 + v2, up = v1 + v3;
  VecU16 edge = simd_min16 (simd_min16 (left, right), simd_min16 (down, up));
  VecU16 corner = simd_min16 (simd_min16 (v0, v1), simd_min16 (v2, v3));
  VecU16 kept = simd_load16 (best);

  edge = simd_min16 (edge << 1, p->edge_room) + p->edge;
  corner = simd_min16 (corner << 2, p->corner_room) + p->corner;
  simd_store16 (index, simd_keep_best16 (simd_min16 (left + right,
              simd_min16 (edge, corner)), &kept, new_index,
          simd_load16 (index)));
  simd_store16 (best, kept);
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

/* --------------------------------------------------------------------- tile */

/* One disparity over one tile. */
ALWAYS_INLINE void
match_tile_kind (const StereoVcbwConstants * k, const StereoView * left,
    const StereoView * right, const Tile * tile, int index,
    const Weights * w, Scratch * s, int radius, bool pairs)
{
  const VecU16 index_vector = simd_set16 ((unsigned) index);
  Penalties penalties;
  int d = k->min_disparity + index, last = k->height - 1;
  int n_rows = tile->height + 2 * radius;
  int current = 0, previous_y = -1;

  make_penalties (k, &penalties);

  for (int j = 0; j < n_rows; j++) {
    int y = stereo_clamp_int (tile->y - radius + j, 0, last);
    int before = j > 0 ? current : 0;

    /* Beyond the image the same row comes again. */
    if (y != previous_y) {
      if (j > 0)
        current = !current;
      cost_row (k, left, right, tile->x, y, d, s->cost + MARGIN - radius);
      if (pairs)
        average_row_pairs (s->cost + MARGIN, &w->row, radius, s->left[current],
            s->right[current]);
      else
        average_row_single (s->cost + MARGIN, &w->row, radius, s->left[current],
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

  for (int j = 0; j < tile->height; j++) {
    const uint8_t *l = s->left_rows[j + radius];
    const uint8_t *r = s->right_rows[j + radius];
    uint16_t *best = s->best + j * TILE_WIDTH;
    uint16_t *best_index = s->index + j * TILE_WIDTH;

    for (int x = 0; x < TILE_WIDTH; x += SIMD_BYTES) {
      Quadrant q[4];            /* left down, left up, right down, right up */

      if (pairs) {
        average_column_pairs (l + 2 * x, &w->column, radius, &q[0], &q[1]);
        average_column_pairs (r + 2 * x, &w->column, radius, &q[2], &q[3]);
      } else {
        average_column_single (l + x, &w->column, radius, &q[0], &q[1]);
        average_column_single (r + x, &w->column, radius, &q[2], &q[3]);
      }
      take_winner (&penalties, q[0].even, q[1].even, q[2].even, q[3].even,
          index_vector, best + x, best_index + x);
      take_winner (&penalties, q[0].odd, q[1].odd, q[2].odd, q[3].odd,
          index_vector, best + x + LANES, best_index + x + LANES);
    }
  }
}

/* Constant arguments let the compiler unroll the usual radius. */
static void
match_tile_pairs_16 (const StereoVcbwConstants * k, const StereoView * left,
    const StereoView * right, const Tile * tile, int index,
    const Weights * w, Scratch * s)
{
  match_tile_kind (k, left, right, tile, index, w, s, 16, SIMD_HAS_PAIRS);
}

static void
match_tile_pairs (const StereoVcbwConstants * k, const StereoView * left,
    const StereoView * right, const Tile * tile, int index,
    const Weights * w, Scratch * s)
{
  match_tile_kind (k, left, right, tile, index, w, s, k->radius,
      SIMD_HAS_PAIRS);
}

static void
match_tile_single (const StereoVcbwConstants * k, const StereoView * left,
    const StereoView * right, const Tile * tile, int index,
    const Weights * w, Scratch * s)
{
  match_tile_kind (k, left, right, tile, index, w, s, k->radius, false);
}

static void
store_tile (const StereoVcbwConstants * k, const Tile * tile,
    const Scratch * s, const StereoMap * map, const StereoOutput * output)
{
  bool empty = k->first_index == k->end_index;
  int width = k->width - tile->x < TILE_WIDTH ? k->width - tile->x : TILE_WIDTH;

  for (int j = 0; j < tile->height; j++) {
    for (int x = 0; x < width; x++) {
      int in_vector = x % SIMD_BYTES;
      int place = j * TILE_WIDTH + x - in_vector + in_vector % 2 * LANES
          + in_vector / 2;
      unsigned index = empty ? STEREO_INVALID : s->index[place];

      stereo_store_index (map, output, tile->x + x, tile->y + j, index);
    }
  }
}

/* Tall tiles waste less at their ends, but every thread wants some. */
static int
choose_tile_height (const StereoVcbwConstants * k, int threads)
{
  int columns = (k->width + TILE_WIDTH - 1) / TILE_WIDTH;
  int height = MAX_TILE_HEIGHT;

  while (height > MIN_TILE_HEIGHT
      && columns * ((k->height + height - 1) / height) < 3 * threads)
    height /= 2;
  return height;
}

/* What the threads work on. */
typedef struct
{
  const StereoVcbwConstants *k;
  const StereoView *left;
  const StereoView *right;
  const StereoMap *map;
  const StereoOutput *output;
  Scratch *scratch;             /* one for each worker */
  Weights weights;
  void (*match_tile) (const StereoVcbwConstants *, const StereoView *,
      const StereoView *, const Tile *, int, const Weights *, Scratch *);
  int columns;                  /* of tiles */
  int height;                   /* of a tile */
} Job;

static void
match_tiles (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoVcbwConstants *k = job->k;
  Scratch *s = job->scratch + span.worker;

  for (int i = span.begin; i < span.end; i++) {
    Tile tile = { i % job->columns * TILE_WIDTH, i / job->columns
          * job->height, job->height };

    if (tile.y + tile.height > k->height)
      tile.height = k->height - tile.y;
    memset (s->best, 0xff,
        sizeof (uint16_t) * TILE_WIDTH * (size_t) tile.height);
    for (int index = k->first_index; index < k->end_index; index++)
      job->match_tile (k, job->left, job->right, &tile, index, &job->weights,
          s);
    store_tile (k, &tile, s, job->map, job->output);
  }
}

static StereoStatus
match_cpu (StereoQueue * queue, const StereoVcbwConstants * k,
    const StereoView * left, const StereoView * right, const StereoMap * map,
    const StereoOutput * output, void *scratch)
{
  Job job = {.k = k,.left = left,.right = right,.map = map,.output = output,
    .scratch = scratch
  };
  int rows;

  job.height = choose_tile_height (k, stereo_cpu_threads (queue));
  job.columns = (k->width + TILE_WIDTH - 1) / TILE_WIDTH;
  rows = (k->height + job.height - 1) / job.height;
  make_taps (k->row_weight, &job.weights.row);
  make_taps (k->column_weight, &job.weights.column);
  if (!job.weights.row.pairs || !job.weights.column.pairs)
    job.match_tile = match_tile_single;
  else if (k->radius == 16)
    job.match_tile = match_tile_pairs_16;
  else
    job.match_tile = match_tile_pairs;

  stereo_cpu_for (queue, job.columns * rows, 1, match_tiles, &job);
  return STEREO_OK;
}

static size_t
match_scratch_cpu (const StereoProblem * problem)
{
  return problem->n_threads * sizeof (Scratch);
}

const StereoVcbwStages STAGES = {
  .match = match_cpu,
  .match_scratch = match_scratch_cpu,
};
