/* gst-stereomatching: vector correlation of a pyramid level
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/pyramid/pyramid-simd.h"

/* ----------------------------------------------------------------- moments */

/* A row of pixels: R in the low half and G in the high half of rg, and B. */
typedef struct
{
  int32_t rg[ROW_SIZE];
  int32_t b[ROW_SIZE];
} ALIGNED PixelRow;

ALWAYS_INLINE void
store_pixels (PixelRow * row, int i, VecI32 r, VecI32 g, VecI32 b)
{
  simd_store_i32 (row->rg + i, r | g << 16);
  simd_store_i32 (row->b + i, b);
}

static void
repeat_pixels (const Tile * tile, const StereoPyramidLevel * level,
    PixelRow * row)
{
  repeat_ends (tile, level, 3, row->rg);
  repeat_ends (tile, level, 3, row->b);
}

/* Row y, clamped, of the left view. */
static void
unpack_row (const Tile * tile, const StereoPyramidLevel * level, int y,
    PixelRow * row)
{
  const uint32_t *words;
  int first, end;

  y = stereo_clamp_int (y, 0, level->height - 1);
  words = level->left + (size_t) y * level->stride;
  get_columns (tile, level, LANES, &first, &end);
  for (int x = first; x < end; x += LANES) {
    VecI32 word = simd_load_i32 (words + x);

    __builtin_prefetch (words + level->stride + x);
    store_pixels (row, row_index (tile, x), word & 0x3ff, word >> 10 & 0x3ff,
        word >> 20);
  }
  repeat_pixels (tile, level, row);
}

/* stereo_pyramid_target(). */
ALWAYS_INLINE VecI32
target_of (VecF32 at, int n)
{
  at = simd_max_f32 (at, simd_set_f32 (0.0f));
  at = simd_min_f32 (at, simd_set_f32 ((float) (n - 1)));
  return (VecI32) (at + 196608.0f) - 0x48400000;
}

/* stereo_pyramid_between() of one field. */
ALWAYS_INLINE VecI32
between (VecI32 p00, VecI32 p10, VecI32 p01, VecI32 p11, VecF32 ax, VecF32 ay)
{
  VecF32 left = simd_to_f32 (p00), below_left = simd_to_f32 (p01);
  VecF32 above = left + ax * (simd_to_f32 (p10) - left);
  VecF32 below = below_left + ax * (simd_to_f32 (p11) - below_left);

  return simd_round_i32 (above + ay * (below - above));
}

/* Row y, clamped, of the warped right view. */
ALWAYS_INLINE void
warp_row_impl (const Tile * tile, const StereoPyramidLevel * level,
    const StereoPyramidField * from, int y, PixelRow * row, bool vertical)
{
  const VecF32 part = simd_set_f32 (1.0f / 64.0f);
  const int stride = (int) level->stride, n = stride * level->height;
  const float *dx, *dy;
  int first, end;

  y = stereo_clamp_int (y, 0, level->height - 1);
  dx = from->dx + (size_t) y * level->stride;
  dy = vertical ? from->dy + (size_t) y * level->stride : NULL;
  get_columns (tile, level, LANES, &first, &end);
  for (int x = first; x < end; x += LANES) {
    VecF32 here = simd_to_f32 (simd_count_i32 () + x);
    VecI32 px = target_of (here + simd_load_f32 (dx + x), level->width);
    VecI32 offset = px >> 6;
    VecF32 ax = simd_to_f32 (px & 63) * part;
    VecI32 p00, p10, p01, p11;
    VecI32 r, g, b;

    __builtin_prefetch (dx + level->stride + x);
    __builtin_prefetch (level->right + (size_t) (y + 1) * level->stride
        + (size_t) offset[0]);
    if (vertical) {
      VecI32 py = target_of (simd_set_f32 ((float) y) + simd_load_f32 (dy + x),
          level->height);
      VecI32 line = py >> 6;
      VecF32 ay = simd_to_f32 (py & 63) * part;
      VecI32 down = (VecI32) (line < level->height - 1) & stride;

      offset += line * stride;
      p00 = simd_gather_near_pairs_i32 (level->right, n, offset, &p10);
      p01 = simd_gather_near_pairs_i32 (level->right, n, offset + down, &p11);
      r = between (p00 & 0x3ff, p10 & 0x3ff, p01 & 0x3ff, p11 & 0x3ff, ax,
          ay);
      g = between (p00 >> 10 & 0x3ff, p10 >> 10 & 0x3ff, p01 >> 10 & 0x3ff,
          p11 >> 10 & 0x3ff, ax, ay);
      b = between (p00 >> 20, p10 >> 20, p01 >> 20, p11 >> 20, ax, ay);
    } else {
      VecF32 r0, g0, b0;

      p00 = simd_gather_near_pairs_i32 (level->right
          + (size_t) y * level->stride, stride, offset, &p10);
      r0 = simd_to_f32 (p00 & 0x3ff);
      g0 = simd_to_f32 (p00 >> 10 & 0x3ff);
      b0 = simd_to_f32 (p00 >> 20);
      r = simd_round_i32 (r0 + ax * (simd_to_f32 (p10 & 0x3ff) - r0));
      g = simd_round_i32 (g0 + ax * (simd_to_f32 (p10 >> 10 & 0x3ff) - g0));
      b = simd_round_i32 (b0 + ax * (simd_to_f32 (p10 >> 20) - b0));
    }
    store_pixels (row, row_index (tile, x), r, g, b);
  }
  repeat_pixels (tile, level, row);
}

/* Filters the products of two rows, b moved by `move` columns, by [1 3 4 3 1]
 * for the columns of the tile and, if wider, one more vector on either side. */
ALWAYS_INLINE void
sum_row (const PixelRow * a, const PixelRow * b, int move, int end,
    bool wider, float *sums)
{
  int32_t product[ROW_SIZE] ALIGNED;
  int before = EDGE - (wider ? LANES : 0), after = end + (wider ? LANES : 0);

  for (int i = EDGE - LANES; i < end + LANES; i += LANES) {
    VecI32 p = simd_pairs_i32 (simd_load_i32 (a->rg + i),
        simd_load_i32 (b->rg + i + move));

    p += simd_pairs_i32 (simd_load_i32 (a->b + i),
        simd_load_i32 (b->b + i + move));
    simd_store_i32 (product + i, p);
  }
  for (int i = before; i < after; i += LANES) {
    VecI32 e = simd_load_i32 (product + i - 2)
        + simd_load_i32 (product + i + 2);
    VecI32 f = simd_load_i32 (product + i - 1)
        + simd_load_i32 (product + i + 1);

    simd_store_f32 (sums + i, simd_to_f32 ((e + f) + ((f
                    + (simd_load_i32 (product + i) << 1)) << 1)));
  }
}

/* stereo_pyramid_five() of five rows at column i. */
ALWAYS_INLINE VecF32
sum_columns (float *const rows[5], int i)
{
  VecF32 e = simd_load_f32 (rows[0] + i) + simd_load_f32 (rows[4] + i);
  VecF32 f = simd_load_f32 (rows[1] + i) + simd_load_f32 (rows[3] + i);

  return (e + f) + 2.0f * (f + 2.0f * simd_load_f32 (rows[2] + i));
}

ALWAYS_INLINE VecF32
inverse_of (VecF32 moment)
{
  return 1.0f / simd_max_f32 (moment, simd_set_f32 (1.0f));
}

static void
prepare_tile (const StereoPyramidArgs * a, const Tile * tile)
{
  float sums[5][ROW_SIZE] ALIGNED;
  PixelRow left;
  float *inverse = a->inverse;
  size_t stride = a->level->stride;
  int end = vectors_end (tile);

  for (int j = tile->y - 2; j < tile->y + tile->height + 2; j++) {
    int y = j - 2;
    float *rows[5];

    unpack_row (tile, a->level, j, &left);
    sum_row (&left, &left, 0, end, false, sums[RING (j, 5)]);
    if (y < tile->y)
      continue;
    for (int i = 0; i < 5; i++)
      rows[i] = sums[RING (y - 2 + i, 5)];
    for (int i = EDGE; i < end; i += LANES)
      simd_store_f32 (inverse + (size_t) y * stride
          + (size_t) (tile->x + i - EDGE), inverse_of (sum_columns (rows,
                  i)));
  }
}

static void
prepare_tiles (const void *context, StereoSpan span)
{
  const TileJob *job = context;

  for (int t = span.begin; t < span.end; t++) {
    Tile tile = get_tile (&job->tiling, job->a->level, t);

    prepare_tile (job->a, &tile);
  }
}

StereoStatus
STAGE (prepare) (const StereoPyramidArgs * a)
{
  return for_tiles (a, 1, prepare_tiles);
}

/* ------------------------------------------------------------- correlation */

enum
{
  MOVE_NONE,
  MOVE_LEFT,
  MOVE_RIGHT,
  MOVE_UP,
  MOVE_DOWN,
  N_MOVES
};

/* Rows of a tile; ring buffers. */
typedef struct
{
  PixelRow left;
  PixelRow warped[3];
  float own[5][ROW_SIZE];       /* moments of the warped view, along rows */
  float moved[N_MOVES][5][ROW_SIZE];    /* of both views, one moved */
  float inverse[3][ROW_SIZE];
} ALIGNED Scratch;

/* stereo_pyramid_correlation(). */
ALWAYS_INLINE VecF32
correlation_of (VecF32 moment, VecF32 il, VecF32 ir)
{
  return simd_min_f32 (((moment * moment) * ir) * il, simd_set_f32 (1.0f));
}

/* stereo_pyramid_parabola(). */
ALWAYS_INLINE VecF32
follow_parabola (VecF32 low, VecF32 middle, VecF32 high, float step,
    VecF32 * trust)
{
  const VecF32 one = simd_set_f32 (1.0f);
  VecF32 slope = (high - low) * 0.5f;
  VecF32 curve = (high + low) * 0.5f - middle;
  VecI32 curved = (VecI32) (curve < simd_set_f32 (-STEREO_PYRAMID_FLAT));
  VecF32 way = (slope * -0.5f) / curve, top;

  way = simd_min_f32 (way, simd_set_f32 (step));
  way = simd_max_f32 (way, simd_set_f32 (-step));
  top = (curve * way + slope) * way + middle;
  *trust = 0.3f * top + 0.7f;
  if (simd_any_greater_f32 (top, one)) {
    VecI32 beyond = (VecI32) (top > one);
    VecF32 rise = top - middle;

    *trust = simd_select_f32 (beyond, one, *trust);
    beyond &= (VecI32) (rise > simd_set_f32 (1e-10f));
    way = simd_select_f32 (beyond, way * ((one - middle) / rise), way);
  }
  *trust = simd_select_f32 (curved, *trust, simd_set_f32 (0.4f));
  return (VecF32) ((VecI32) way & curved);
}

ALWAYS_INLINE void
correlate_row (const StereoPyramidArgs * a, const Tile * tile, int y,
    Scratch * s, bool vertical)
{
  const StereoPyramidField from = *a->from, to = *a->to;
  const float step = a->step, *inverse = a->inverse;
  const bool first = a->first;
  size_t offset = (size_t) y * a->level->stride + (size_t) tile->x;
  const float *own = s->inverse[RING (y, 3)];
  const float *up = s->inverse[RING (y - 1, 3)];
  const float *down = s->inverse[RING (y + 1, 3)];
  int end = vectors_end (tile);
  float *rows[N_MOVES][5];

  for (int m = 0; m < (vertical ? N_MOVES : MOVE_UP); m++) {
    for (int i = 0; i < 5; i++)
      rows[m][i] = s->moved[m][RING (y - 2 + i, 5)];
  }

  for (int i = EDGE; i < end; i += LANES) {
    size_t p = offset + (size_t) (i - EDGE);
    VecF32 il = simd_load_f32 (inverse + p), trust;
    VecF32 c = correlation_of (sum_columns (rows[MOVE_NONE], i), il,
        simd_load_f32 (own + i));
    VecF32 low = correlation_of (sum_columns (rows[MOVE_LEFT], i), il,
        simd_load_f32 (own + i - 1));
    VecF32 high = correlation_of (sum_columns (rows[MOVE_RIGHT], i), il,
        simd_load_f32 (own + i + 1));

    simd_store_f32 (to.dx + p, simd_load_f32 (from.dx + p)
        + follow_parabola (low, c, high, step, &trust));
    if (vertical) {
      VecF32 trust_y;

      low = correlation_of (sum_columns (rows[MOVE_UP], i), il,
          simd_load_f32 (up + i));
      high = correlation_of (sum_columns (rows[MOVE_DOWN], i), il,
          simd_load_f32 (down + i));
      simd_store_f32 (to.dy + p, simd_load_f32 (from.dy + p)
          + follow_parabola (low, c, high, step, &trust_y));
      trust = trust * trust_y;
    }
    if (!first)
      trust = 0.75f * simd_load_f32 (from.confidence + p) + 0.25f * trust;
    simd_store_f32 (to.confidence + p, trust);
  }
}

/* Row j of the warped view completes row j of its own sums, row j - 1 of the
 * sums with the left view, row j - 2 of the inverses and row j - 3 of the
 * results. */
ALWAYS_INLINE void
correlate_tile_impl (const StereoPyramidArgs * a, const Tile * tile,
    Scratch * s, bool vertical)
{
  int end = vectors_end (tile);
  int y0 = tile->y, y1 = tile->y + tile->height;

  for (int j = y0 - 3; j < y1 + 3; j++) {
    PixelRow *warped = &s->warped[RING (j, 3)];
    const PixelRow *same = &s->warped[RING (j - 1, 3)];
    const PixelRow *above = &s->warped[RING (j - 2, 3)];
    int slot = RING (j - 1, 5);
    float *rows[5];

    warp_row_impl (tile, a->level, a->from, j, warped, vertical);
    sum_row (warped, warped, 0, end, true, s->own[RING (j, 5)]);
    if (j < y0 - 1)
      continue;

    unpack_row (tile, a->level, j - 1, &s->left);
    sum_row (&s->left, same, 0, end, false, s->moved[MOVE_NONE][slot]);
    sum_row (&s->left, same, -1, end, false, s->moved[MOVE_LEFT][slot]);
    sum_row (&s->left, same, 1, end, false, s->moved[MOVE_RIGHT][slot]);
    if (vertical) {
      sum_row (&s->left, above, 0, end, false, s->moved[MOVE_UP][slot]);
      sum_row (&s->left, warped, 0, end, false, s->moved[MOVE_DOWN][slot]);
    }

    if (j < y0 + 1)
      continue;
    for (int i = 0; i < 5; i++)
      rows[i] = s->own[RING (j - 4 + i, 5)];
    for (int i = EDGE - LANES; i < end + LANES; i += LANES)
      simd_store_f32 (s->inverse[RING (j - 2, 3)] + i,
          inverse_of (sum_columns (rows, i)));

    if (j - 3 >= y0)
      correlate_row (a, tile, j - 3, s, vertical);
  }
}

static void
correlate_tiles (const void *context, StereoSpan span)
{
  const TileJob *job = context;
  Scratch scratch;

  for (int t = span.begin; t < span.end; t++) {
    Tile tile = get_tile (&job->tiling, job->a->level, t);

    if (job->a->k->vertical)
      correlate_tile_impl (job->a, &tile, &scratch, true);
    else
      correlate_tile_impl (job->a, &tile, &scratch, false);
  }
}

StereoStatus
STAGE (correlate) (const StereoPyramidArgs * a)
{
  return for_tiles (a, 1, correlate_tiles);
}
