/* gst-stereomatching: vector sweeps of semi-global matching
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/sgm/sgm-simd.h"

#include <string.h>

/* Infinite L: more than any cost plus penalty, within 16 bits. */
#define INFINITE_L 0xf000

/* Maximum vectors of a pixel whose L stays in registers, or nearly. */
#define FEW_VECTORS 8

/* -------------------------------------------------------------------- steps */

/* Costs, L and sums of a pixel. */
typedef struct
{
  const uint8_t *costs;
  uint16_t *l;
  uint16_t *sums;
} Pixel;

/* L of three predecessors.  b and e are undefined where they have no weight. */
typedef struct
{
  const uint16_t *a;
  const uint16_t *b;
  const uint16_t *e;
  StereoSgmWeights weights;
} Predecessors;

/* Replaces invalid lanes of the last vector by INFINITE_L. */
ALWAYS_INLINE VecU16
mask_tail (VecU16 tail, VecU16 v)
{
  return (v & tail) | (~tail & INFINITE_L);
}

ALWAYS_INLINE void
add_to_sums (uint16_t * sums, VecU16 l, Sums what)
{
  if (what == MORE_OF_SUMS)
    l += simd_load16 (sums);
  if (what != NO_SUMS)
    simd_store16 (sums, l);
}

/* L of a pixel without a predecessor.  Returns its minimum. */
ALWAYS_INLINE VecU16
start_path (VecU16 tail, int n, const Pixel * pixel, Sums what)
{
  VecU16 least = simd_set16 (UINT16_MAX);

  for (int i = 0; i < n; i++) {
    VecU16 c = simd_widen8 (pixel->costs + i * LANES);

    if (i == n - 1)
      c = mask_tail (tail, c);
    simd_store16 (pixel->l + i * LANES, c);
    least = simd_min16 (least, c);
    add_to_sums (pixel->sums + i * LANES, c, what);
  }
  return least_lane (least);
}

/* L of a pixel after q, whose minimum is m in all lanes; l may be q.  Returns
 * the minimum of L.  Neighbours come from registers, because a load would wait
 * for two stores. */
ALWAYS_INLINE VecU16
step_path (VecU16 tail, int n, const uint16_t * q, VecU16 m,
    StereoSgmPenalty p, const Pixel * pixel, Sums what)
{
  const VecU16 p1 = simd_set16 (p.p1), jump = m + simd_set16 (p.p2);
  const VecU16 infinite = simd_set16 (INFINITE_L);
  VecU16 least = simd_set16 (UINT16_MAX), last = infinite;
  VecU16 here = simd_load16 (q);

  for (int i = 0; i < n; i++) {
    VecU16 next = i + 1 < n ? simd_load16 (q + (i + 1) * LANES) : infinite;
    VecU16 best = simd_min16 (here, jump);

    best = simd_min16 (best, simd_min16 (simd_before16 (last, here),
            simd_behind16 (here, next)) + p1);
    best += simd_widen8 (pixel->costs + i * LANES) - m;
    if (i == n - 1)
      best = mask_tail (tail, best);
    simd_store16 (pixel->l + i * LANES, best);
    least = simd_min16 (least, best);
    add_to_sums (pixel->sums + i * LANES, best, what);
    last = here;
    here = next;
  }
  return least_lane (least);
}

/* q of three predecessors; returns m. */
ALWAYS_INLINE VecU16
average_predecessors (VecU16 tail, int n, const Predecessors * p, uint16_t * q)
{
  VecU16 wa = simd_set16 (p->weights.a), wb = simd_set16 (p->weights.b);
  VecU16 we = simd_set16 (p->weights.e);
  VecU16 least = simd_set16 (UINT16_MAX);

  for (int i = 0; i < n; i++) {
    VecU16 v = (simd_load16 (p->a + i * LANES) * wa
        + simd_load16 (p->b + i * LANES) * wb
        + simd_load16 (p->e + i * LANES) * we + 32) >> 6;

    if (i == n - 1)
      v = mask_tail (tail, v);
    simd_store16 (q + i * LANES, v);
    least = simd_min16 (least, v);
  }
  return least_lane (least);
}

/* The straight predecessor at a, and its neighbours with weights wb and we,
 * `size` elements before and after it. */
ALWAYS_INLINE Predecessors
predecessors_of (const uint16_t * a, size_t size, uint8_t wb, uint8_t we)
{
  return (Predecessors) {
    a, wb ? a - size : a, we ? a + size : a, {64u - wb - we, wb, we}
  };
}

/* L of a pixel after three predecessors; scratch is used for many vectors. */
ALWAYS_INLINE void
step_three (VecU16 tail, int n, Predecessors p, StereoSgmPenalty penalty,
    uint16_t * scratch, const Pixel * pixel, Sums what)
{
  uint16_t few[FEW_VECTORS * LANES];
  uint16_t *q = n <= FEW_VECTORS ? few : scratch;
  VecU16 m = average_predecessors (tail, n, &p, q);

  step_path (tail, n, q, m, penalty, pixel, what);
}

/* ------------------------------------------------------------------- memory */

static uint16_t *
scratch_at (const Band * b, int index)
{
  return b->task->work->scratch + pixels (b->task, b->worker * N_SCRATCH
      + index);
}

/* L of row j of a tile, which shares memory with row j - 2, from BORDER columns
 * before the tile on. */
static uint16_t *
line_at (const Band * b, int sweep, int j)
{
  return scratch_at (b, (2 * sweep + (j & 1)) * (TILE + BORDER));
}

/* L of the last columns of row j in the previous tile. */
static uint16_t *
border_at (const Band * b, bool up, int sweep, int j)
{
  return scratch_at (b, N_LINES + ((up * MAX_VERTICAL + sweep) * BAND + j)
      * BORDER);
}

/* L of a horizontal sweep: two columns take turns, but the leftward sweep keeps
 * the first column of each tile. */
static uint16_t *
column_at (const Band * b, bool right, int x, int j)
{
  const Task *t = b->task;

  if (right || x % TILE != 0)
    return scratch_at (b, N_LINES + N_BORDERS + (2 * right + (x & 1)) * BAND
        + j);
  return t->work->tile_checkpoints + (size_t) ((x / TILE * t->n_threads
          + b->worker) * BAND + j) * (size_t) t->n_padded;
}

static uint16_t *
average_at (const Band * b)
{
  return scratch_at (b, N_SCRATCH - 1);
}

/* ------------------------------------------------------------------- ranges */

void
SGM (move_paths) (const Task * t, uint16_t * l, int n, uint32_t from,
    uint32_t to)
{
  const int begin = stereo_range_begin (from), end = stereo_range_end (from);
  const int new_begin = stereo_range_begin (to);
  const int size = stereo_range_end (to) - new_begin;
  const int first = begin > new_begin ? begin - new_begin : 0;
  const int past = end - new_begin < size ? end - new_begin : size;
  const int shift = new_begin - begin;

  if (from == to)
    return;
  for (int i = 0; i < n; i++, l += t->n_padded) {
    if (first < past)
      memmove (l + first, l + first + shift, (size_t) (past - first)
          * sizeof (*l));
    for (int j = 0; j < size; j++)
      l[j] = j >= first && j < past ? l[j] : STEREO_SGM_NO_PATH;
  }
}

/* -------------------------------------------------------- horizontal sweeps */

/* m of a pixel's L. */
ALWAYS_INLINE VecU16
least_of (int n, const uint16_t * l)
{
  VecU16 least = simd_set16 (UINT16_MAX);

  for (int i = 0; i < n; i++)
    least = simd_min16 (least, simd_load16 (l + i * LANES));
  return least_lane (least);
}

/* A column of the band in the sweep to the right or to the left. */
ALWAYS_INLINE void
sweep_column (Band * b, int n, bool three, int x, bool right, Sums what)
{
  const Task *t = b->task;
  const StereoSgmConstants *k = t->k;
  const VecU16 tail = b->window.tail;
  const int from = right ? WEST : EAST, before = right ? x - 1 : x + 1;
  const size_t size = pixels (t, 1), stride = input_stride (k);
  const bool first = before < 0 || before >= k->width;
  const bool least_known = right || before % TILE != 0;
  const uint8_t *inputs = input_at (b, three ? MAX_VERTICAL * from : from, 0)
      + x;
  const uint16_t *a = first ? NULL : column_at (b, right, before, 0);
  Pixel pixel = {
    costs_at (b, x, 0), column_at (b, right, x, 0), sums_at (b, x, 0)
  };

  for (int j = 0; j < b->rows; j++) {
    VecU16 least;

    if (first) {
      least = start_path (tail, n, &pixel, what);
      b->least[right][j] = least[0];
    } else if (three) {
      step_three (tail, n, predecessors_of (a, size, inputs[BAND * stride],
              inputs[2 * BAND * stride]), k->penalty[inputs[0]],
          average_at (b), &pixel, what);
    } else {
      least = least_known ? simd_set16 (b->least[right][j]) : least_of (n, a);
      least = step_path (tail, n, a, least, k->penalty[inputs[0]], &pixel,
          what);
      b->least[right][j] = least[0];
    }
    pixel.costs += t->row;
    pixel.sums += t->row;
    pixel.l += size;
    inputs += stride;
    a = first ? NULL : a + size;
  }
}

ALWAYS_INLINE void
sweep_columns_impl (Band * b, int n, Range r, bool right, Sums what)
{
  for (int i = 0; i < r.x1 - r.x0; i++) {
    const int x = right ? r.x0 + i : r.x1 - 1 - i;

    if (b->task->k->three)
      sweep_column (b, n, true, x, right, what);
    else
      sweep_column (b, n, false, x, right, what);
  }
}

void
SGM (sweep_columns) (Band * b, Range r, bool right, Sums sums)
{
  const Task *t = b->task;
  const int tile = r.x0 / TILE, next = tile + (right ? 1 : -1);

  if (right) {
    WITH_VECTORS (b, n, sweep_columns_impl (b, n, r, true, MORE_OF_SUMS));
  } else if (sums == NO_SUMS) {
    WITH_VECTORS (b, n, sweep_columns_impl (b, n, r, false, NO_SUMS));
  } else {
    WITH_VECTORS (b, n, sweep_columns_impl (b, n, r, false, FIRST_OF_SUMS));
  }
  if (next >= 0 && next < t->n_tiles && r.x0 < r.x1)
    SGM (move_paths) (t, column_at (b, right, right ? r.x1 - 1 : r.x0, 0),
        b->rows, range_word (t, b->index, tile),
        range_word (t, b->index, next));
}

/* The two paths alternate, as the steps of one depend on each other.  The
 * second path at a pixel adds to the sums of the first. */
ALWAYS_INLINE void
sweep_paths_impl (const Band * b, int n, int j)
{
  const Task *t = b->task;
  const VecU16 tail = b->window.tail;
  const int width = t->k->width;
  VecU16 m[2];

  for (int i = 0; i < width; i++) {
    for (int right = 1; right >= 0; right--) {
      const int x = right ? i : width - 1 - i;
      const Pixel pixel = {
        costs_at (b, x, j), column_at (b, right, 1, j), sums_at (b, x, j)
      };
      const uint8_t g = input_at (b, right ? WEST : EAST, j)[x];

      if (i == 0)
        m[right] = start_path (tail, n, &pixel,
            !right && width == 1 ? MORE_OF_SUMS : FIRST_OF_SUMS);
      else if (2 * i + !right < width)
        m[right] = step_path (tail, n, pixel.l, m[right],
            t->k->penalty[g], &pixel, FIRST_OF_SUMS);
      else
        m[right] = step_path (tail, n, pixel.l, m[right],
            t->k->penalty[g], &pixel, MORE_OF_SUMS);
    }
  }
}

void
SGM (sweep_paths) (const Band * b, int j)
{
  WITH_VECTORS (b, n, sweep_paths_impl (b, n, j));
}

/* ---------------------------------------------------------- vertical sweeps */

Range
SGM (tile_range) (const Task * t, int tile, int j, bool up)
{
  int x = tile * TILE - t->skew * (up ? BAND - 1 - j : j);

  return clip_range (t, x, x + TILE);
}

/* L of the upward sweeps in the uppermost processed row of each column. */
static uint16_t *
upper_at (const Task * t, int sweep, int x)
{
  return t->work->lines + (size_t) sweep * t->line + pixels (t, x);
}

/* L of a band's last row in the sweeps down. */
static uint16_t *
checkpoint_at (const Task * t, int band, int sweep, int x)
{
  return t->work->checkpoints + (size_t) (band * t->n_vertical + sweep)
      * t->line + pixels (t, x);
}

/* A range of a row in a sweep down or up; pointers are for its first column. */
typedef struct
{
  Range range;
  const uint8_t *costs;
  uint16_t *sums;
  const uint16_t *before;       /* L of the previous row, NULL: none */
  uint16_t *l;
  const uint8_t *inputs;        /* of the first predecessor */
} Row;

ALWAYS_INLINE void
sweep_row (const Band * b, int n, bool three, const Row * r, int dx, Sums what)
{
  const Task *t = b->task;
  const StereoSgmConstants *k = t->k;
  const size_t size = pixels (t, 1), stride = BAND * input_stride (k);
  const VecU16 tail = b->window.tail;
  const uint16_t *before = r->before;
  const uint8_t *inputs = r->inputs;
  Pixel pixel = { r->costs, r->l, r->sums };

  for (int x = r->range.x0; x < r->range.x1; x++, inputs++) {
    if (before == NULL || (!three && (x + dx < 0 || x + dx >= k->width))) {
      start_path (tail, n, &pixel, what);
    } else if (three) {
      step_three (tail, n, predecessors_of (before, size, inputs[stride],
              inputs[2 * stride]), k->penalty[inputs[0]], average_at (b),
          &pixel, what);
    } else {
      const uint16_t *q = before + dx * (ptrdiff_t) size;

      step_path (tail, n, q, least_of (n, q), k->penalty[inputs[0]], &pixel,
          what);
    }
    pixel.costs += size;
    pixel.sums = what == NO_SUMS ? NULL : pixel.sums + size;
    pixel.l += size;
    before = before == NULL ? NULL : before + size;
  }
}

static void
sweep_any_row (const Band * b, const Row * r, int dx)
{
  const Task *t = b->task;

  if (r->sums == NULL && t->k->three) {
    WITH_VECTORS (b, n, sweep_row (b, n, true, r, dx, NO_SUMS));
  } else if (r->sums == NULL) {
    WITH_VECTORS (b, n, sweep_row (b, n, false, r, dx, NO_SUMS));
  } else if (t->k->three) {
    WITH_VECTORS (b, n, sweep_row (b, n, true, r, dx, MORE_OF_SUMS));
  } else {
    WITH_VECTORS (b, n, sweep_row (b, n, false, r, dx, MORE_OF_SUMS));
  }
}

/* L of row j of a tile in a sweep, at column x of it or of its border. */
static uint16_t *
tile_line (const Band * b, int tile, int j, bool up, int sweep, int x)
{
  const Task *t = b->task;
  const int shift = t->skew * (up ? BAND - 1 - j : j);

  return line_at (b, sweep, j) + pixels (t, x - tile * TILE + shift + BORDER);
}

/* L of the row before row j of the tile, at column x. */
static const uint16_t *
line_before (const Band * b, int tile, int j, bool up, int sweep, int x)
{
  const Task *t = b->task;

  if (up)
    return j + 1 < b->rows ? tile_line (b, tile, j + 1, up, sweep, x)
        : b->index + 1 < t->n_bands ? upper_at (t, sweep, x) : NULL;
  return j > 0 ? tile_line (b, tile, j - 1, up, sweep, x)
      : b->index > 0 ? checkpoint_at (t, b->index - 1, sweep, x) : NULL;
}

/* Restores the border of row j from the previous tile, and saves that of the
 * next one. */
static void
keep_aside (const Band * b, int j, bool up, int sweep)
{
  uint16_t *line = line_at (b, sweep, j), *border = border_at (b, up, sweep, j);
  const size_t bytes = pixels (b->task, BORDER) * sizeof (*line);

  memcpy (line, border, bytes);
  memcpy (border, line + pixels (b->task, TILE), bytes);
}

/* A contiguous range of row j of a tile in a sweep down or up; costs as for
 * sweep_tile_row. */
static void
sweep_range (const Band * b, int tile, int j, bool up, int sweep, Range range,
    const uint8_t * costs)
{
  const Task *t = b->task;
  const int x = range.x0, from = up ? SOUTH : NORTH;
  const int predecessor = predecessors[from][sweep];
  Row r = {
    .range = range,
    .costs = costs != NULL ? costs : costs_at (b, x, j),
    .sums = costs != NULL ? NULL : sums_at (b, x, j),
    .before = line_before (b, tile, j, up, sweep, x),
    .l = up && j == 0 ? upper_at (t, sweep, x)
        : costs != NULL && j == t->band_rows - 1
        ? checkpoint_at (t, b->index, sweep, x)
        : tile_line (b, tile, j, up, sweep, x),
    .inputs = (t->k->three ? weights_at (b, from, 0, j)
        : input_at (b, predecessor, j)) + x,
  };

  sweep_any_row (b, &r, neighbors[predecessor].dx);
  /* the rows of L for another band */
  if (up ? j == 0 && b->index > 0 : costs != NULL && j == t->band_rows - 1)
    SGM (move_paths) (t, r.l, range.x1 - range.x0,
        range_word (t, b->index, tile),
        range_word (t, b->index + (up ? -1 : 1), tile));
}

void
SGM (sweep_tile_row) (const Band * b, int tile, int j, bool up,
    const uint8_t * costs)
{
  const Task *t = b->task;
  const Range range = SGM (tile_range) (t, tile, j, up);

  for (int i = 0; i < t->n_vertical; i++) {
    int x1;

    for (int x = range.x0; x < range.x1; x = x1) {
      /* sums have room for two tiles if not kept */
      x1 = costs != NULL ? range.x1 : (x / (2 * TILE) + 1) * 2 * TILE;
      x1 = x1 < range.x1 ? x1 : range.x1;
      sweep_range (b, tile, j, up, i, (Range) { x, x1 }, costs);
    }
    if (t->skew > 0 && !(up && j == 0))
      keep_aside (b, j, up, i);
  }
}
