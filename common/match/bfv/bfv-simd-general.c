/* gst-stereomatching: matching of bfv for all settings, with vectors
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Loads of prefix sums at the ends of arms are scalar, the rest of a row is in
 * vectors.  Sum and count share a word, so that one subtraction serves both.
 */

#include "match/bfv/bfv-simd-strip.h"

#include "match/bfv/bfv-simd-costs.h"

typedef struct
{
  const BfvPixels *pixels;
  uint16_t *cost;               /* one row */
  uint32_t *left_arms;          /* rows x left_stride */
  uint32_t *right_arms;         /* phases x rows x arms_stride */
  uint32_t *arms;               /* overlap, strip_height x left_stride */
  uint32_t *other_arms;         /* overlap of any other row */
  uint32_t *prefix;             /* of one row */
  /* Sums and counts (pack ()), 4 bytes each or 8 if wide: of all rows above
   * (rows + 1), of a row, and of winners. */
  void *above;
  void *sums;
  void *left_best;              /* strip_height x left_stride */
  void *last;                   /* same size: of the previous disparity, */
  void *before;                 /* and of the neighbours of winners */
  void *after;
  void *right_best;             /* phases x strip_height x right_stride */
  uint32_t *left_index;
  uint32_t *right_index;
} Strip;

static void
allocate_strip (const StereoBfvConstants * k, const BfvLayout * l,
    StereoSubArena * c, Strip * s)
{
  size_t rows = (size_t) l->rows, height = (size_t) l->strip_height;
  size_t phases = (size_t) l->phases, sum = k->wide ? 8 : 4;

  s->cost = stereo_take (c, l->left_stride, 2);
  s->left_arms = stereo_take (c, rows * l->left_stride, 4);
  s->right_arms = stereo_take (c, phases * rows * l->arms_stride, 4);
  s->arms = stereo_take (c, height * l->left_stride, 4);
  s->other_arms = stereo_take (c, l->left_stride, 4);
  s->prefix = stereo_take (c, l->left_stride + 1, 4);
  s->above = stereo_take (c, (rows + 1) * l->left_stride, sum);
  s->sums = stereo_take (c, l->left_stride, sum);
  s->left_best = stereo_take (c, height * l->left_stride, sum);
  s->last = stereo_take (c, height * l->left_stride, sum);
  s->before = stereo_take (c, height * l->left_stride, sum);
  s->after = stereo_take (c, height * l->left_stride, sum);
  s->right_best = stereo_take (c, phases * height * l->right_stride, sum);
  s->left_index = stereo_take (c, height * l->left_stride, 4);
  s->right_index = stereo_take (c, phases * height * l->right_stride, 4);
}

ALWAYS_INLINE uint64_t
pack (uint64_t sum, uint64_t count, bool wide)
{
  return sum | count << (wide ? 32 : 16);
}

ALWAYS_INLINE uint64_t
get_sum (const void *sums, size_t i, bool wide)
{
  return wide ? ((const uint64_t *) sums)[i] : ((const uint32_t *) sums)[i];
}

ALWAYS_INLINE void
put_sum (void *sums, size_t i, uint64_t sum, bool wide)
{
  if (wide)
    ((uint64_t *) sums)[i] = sum;
  else
    ((uint32_t *) sums)[i] = (uint32_t) sum;
}

static void
load_arms (const BfvJob * job, const BfvRows * rows, const Strip * s)
{
  const StereoBfvConstants *k = job->k;
  const BfvLayout *l = job->l;

  for (int v = rows->first; v < rows->end; v++) {
    size_t r = (size_t) (v - rows->first);
    const uint32_t *from = job->m->left_arms
        + (size_t) (v * k->sampling_y) * (size_t) k->width;
    uint32_t *to = s->left_arms + r * l->left_stride;

    for (int u = 0; u < k->grid_width; u++)
      to[u] = stereo_bfv_grid_arms (k, from[u * k->sampling_x], u, v);
    for (int p = 0; p < l->phases; p++) {
      to = s->right_arms + ((size_t) p * (size_t) l->rows + r)
          * l->arms_stride + l->before;
      for (int j = -l->before; j < l->phase_width + l->after; j++)
        to[j] = bfv_right_arms_at (k, job->m, p, j, v);
    }
  }
}

/* Computes the sums above row v + 1 from those above row v. */
ALWAYS_INLINE void
add_row (const BfvJob * job, const BfvDisparity * disparity,
    const BfvRows * rows,
    const BfvColumns * columns, int v, const Strip * s, bool wide)
{
  const BfvLayout *l = job->l;
  size_t r = (size_t) (v - rows->first);
  const uint32_t *a = s->left_arms + r * l->left_stride;
  const uint32_t *b = s->right_arms + ((size_t) disparity->phase
      * (size_t) l->rows + r) * l->arms_stride + l->before - disparity->offset;
  bool own = v >= rows->top && v < rows->bottom;
  uint32_t *restrict arms = own ? s->arms + (size_t) (v - rows->top)
      * l->left_stride : s->other_arms;
  const uint16_t *restrict cost = s->cost;
  uint32_t *restrict prefix = s->prefix, sum = 0;
  void *above = s->above;
  size_t at = r * l->left_stride, below = at + l->left_stride;
  uint32_t begin = (uint32_t) columns->first, n = (uint32_t) columns->end;
  int from = columns->first - l->reach_x, to = columns->end + l->reach_x;

  if (from < 0)
    from = 0;
  if (to > job->k->grid_width)
    to = job->k->grid_width;
  bfv_cost_row16 (job, disparity, rows, v, from, to, s->pixels, s->cost);
  for (uint32_t u = begin; u < n; u += SIMD_BYTES / 4)
    simd_store16 (arms + u, (VecU16) simd_min8 ((VecU8) simd_load16 (a + u),
            (VecU8) simd_load16 (b + u)));
  prefix[from] = 0;
  for (int u = from; u < to; u++)
    prefix[u + 1] = sum += cost[u];
  for (uint32_t u = begin; u < n; u++) {
    uint32_t first = u - (arms[u] & 0xff);
    uint32_t end = u + 1 + (arms[u] >> 8 & 0xff);

    put_sum (above, below + u, get_sum (above, at + u, wide)
        + pack (prefix[end] - prefix[first], end - first, wide), wide);
  }
}

/* Sums over the regions of row v. */
ALWAYS_INLINE void
sum_columns (const BfvJob * job, const BfvRows * rows,
    const BfvColumns * columns, int v, const Strip * s, bool wide)
{
  size_t stride = job->l->left_stride, n = (size_t) columns->end;
  const uint32_t *restrict arms = s->arms + (size_t) (v - rows->top) * stride;
  const void *above = s->above;
  void *sums = s->sums;
  size_t r = (size_t) (v - rows->first);

  for (size_t u = (size_t) columns->first; u < n; u++) {
    size_t top = (r - (arms[u] >> 16 & 0xff)) * stride + u;
    size_t bottom = (r + 1 + (arms[u] >> 24)) * stride + u;

    put_sum (sums, u, get_sum (above, bottom, wide) - get_sum (above, top,
            wide), wide);
  }
}

ALWAYS_INLINE bool
is_less (uint64_t a, uint64_t b, bool wide)
{
  if (wide)
    return (a & 0xffffffff) * (b >> 32) < (b & 0xffffffff) * (a >> 32);
  return (uint32_t) (a & 0xffff) * (uint32_t) (b >> 16)
      < (uint32_t) (b & 0xffff) * (uint32_t) (a >> 16);
}

/* Updates n winners of the right view. */
ALWAYS_INLINE void
take_right (const void *restrict sums, size_t from, void *restrict best,
    uint32_t * restrict winner, size_t to, int n, int index, bool wide)
{
  for (size_t i = 0; i < (size_t) n; i++) {
    uint64_t a = get_sum (sums, from + i, wide);
    uint64_t b = get_sum (best, to + i, wide);
    bool less = is_less (a, b, wide);

    put_sum (best, to + i, less ? a : b, wide);
    winner[to + i] = less ? (uint32_t) index : winner[to + i];
  }
}

/* Updates n winners of the left view and their neighbours. */
ALWAYS_INLINE void
take_left (const Strip * s, size_t from, size_t to, int n, int index,
    bool wide)
{
  const void *restrict sums = s->sums;
  void *restrict best = s->left_best, *restrict last = s->last;
  void *restrict before = s->before, *restrict after = s->after;
  uint32_t *restrict winner = s->left_index;

  for (size_t i = 0; i < (size_t) n; i++) {
    uint64_t a = get_sum (sums, from + i, wide);
    uint64_t b = get_sum (best, to + i, wide);
    uint64_t previous = get_sum (last, to + i, wide);
    uint64_t old = get_sum (before, to + i, wide);
    uint64_t next = get_sum (after, to + i, wide);
    uint32_t w = winner[to + i];
    bool less = is_less (a, b, wide);

    put_sum (after, to + i, w + 1 == (uint32_t) index ? a : next, wide);
    put_sum (before, to + i, less ? previous : old, wide);
    put_sum (last, to + i, a, wide);
    put_sum (best, to + i, less ? a : b, wide);
    winner[to + i] = less ? (uint32_t) index : w;
  }
}

ALWAYS_INLINE void
match_tile (const BfvJob * job, const BfvDisparity * disparity,
    const BfvRows * rows,
    const BfvColumns * columns, const Strip * s, bool wide)
{
  const BfvLayout *l = job->l;
  int first = stereo_clamp_int (disparity->first, columns->first, columns->end);
  int end = stereo_clamp_int (disparity->end, columns->first, columns->end);

  for (int v = rows->first; v < rows->end; v++)
    add_row (job, disparity, rows, columns, v, s, wide);
  for (int v = rows->top; v < rows->bottom; v++) {
    size_t r = (size_t) (v - rows->top);
    size_t right = ((size_t) disparity->phase * (size_t) l->strip_height + r)
        * l->right_stride;

    sum_columns (job, rows, columns, v, s, wide);
    take_left (s, (size_t) columns->first, r * l->left_stride
        + (size_t) columns->first, columns->end - columns->first,
        disparity->index, wide);
    if (first < end)
      take_right (s->sums, (size_t) first, s->right_best, s->right_index,
          right + (size_t) (first - disparity->offset), end - first,
          disparity->index, wide);
  }
}

ALWAYS_INLINE StereoBfvMean
get_mean (const void *sums, size_t i, bool wide)
{
  uint64_t sum = get_sum (sums, i, wide);

  if (wide)
    return (StereoBfvMean) { (uint32_t) sum, (uint32_t) (sum >> 32) };
  return (StereoBfvMean) { (uint32_t) sum & 0xffff, (uint32_t) sum >> 16 };
}

/* The winners of row v, which is row r of the strip. */
ALWAYS_INLINE void
store_row (const BfvJob * job, int v, size_t r, const Strip * s, bool wide)
{
  const StereoBfvConstants *k = job->k;
  const StereoWinners *w = job->winners;
  const BfvLayout *l = job->l;
  int y = v * k->sampling_y;

  bfv_clear_rows (job, v);
  for (int u = 0; u < k->grid_width; u++) {
    size_t at = r * l->left_stride + (size_t) u;

    stereo_bfv_store_left (k, w, u * k->sampling_x, y, s->left_index[at],
        get_mean (s->before, at, wide), get_mean (s->left_best, at, wide),
        get_mean (s->after, at, wide));
  }
  for (int p = 0; p < l->phases && w->right != NULL; p++) {
    const uint32_t *from = s->right_index + ((size_t) p
        * (size_t) l->strip_height + r) * l->right_stride;
    int n = bfv_n_phase_columns (k, p);

    for (int j = 0; j < n; j++)
      stereo_winner_store_right (w, j * k->sampling_x + p, y,
          from[j] == STEREO_INVALID ? STEREO_NO_WINNER : from[j]);
  }
}

ALWAYS_INLINE void
general_match_impl (const BfvJob * job, const BfvRows * rows, const Strip * s,
    bool wide)
{
  const StereoBfvConstants *k = job->k;
  const BfvLayout *l = job->l;
  size_t left_size = (size_t) l->strip_height * l->left_stride;
  size_t right_size = (size_t) l->phases * (size_t) l->strip_height
      * l->right_stride;

  /* Every candidate is less than 1 / 0. */
  for (size_t i = 0; i < left_size; i++) {
    put_sum (s->left_best, i, 1, wide);
    s->left_index[i] = STEREO_INVALID;
  }
  for (size_t i = 0; i < right_size; i++) {
    put_sum (s->right_best, i, 1, wide);
    s->right_index[i] = STEREO_INVALID;
  }
  for (int u = 0; u < k->grid_width; u++)
    put_sum (s->above, (size_t) u, 0, wide);

  for (int u = 0; u < k->grid_width; u += l->tile_width) {
    BfvColumns columns = bfv_tile_at (k, l, u);

    for (int index = k->first_index; index < k->end_index; index++) {
      BfvDisparity disparity;

      bfv_set_disparity (k, index, &disparity);
      match_tile (job, &disparity, rows, &columns, s, wide);
    }
  }

  for (int v = rows->top; v < rows->bottom; v++)
    store_row (job, v, (size_t) (v - rows->top), s, wide);
}

static size_t
general_bytes (const StereoBfvConstants * k, const BfvLayout * l)
{
  StereoSubArena arena = { NULL, 0 };
  Strip strip;

  allocate_strip (k, l, &arena, &strip);
  return arena.size;
}

static void
general_match (const BfvJob * job, const BfvRows * rows,
    const BfvPixels * pixels, StereoSubArena memory)
{
  Strip s = {.pixels = pixels };

  allocate_strip (job->k, job->l, &memory, &s);
  load_arms (job, rows, &s);
  if (job->k->wide)
    general_match_impl (job, rows, &s, true);
  else
    general_match_impl (job, rows, &s, false);
}

const BfvMatcher SIMD_NAME (stereo_bfv_general_) = {
  .row_multiple = 16,
  .bytes = general_bytes,
  .match = general_match,
};
