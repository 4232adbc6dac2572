/* gst-stereomatching: correlation over a pyramid with vector instructions
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Compiled once for each instruction set, with STEREO_SIMD_NAME its name.
 *
 * Levels are cut into tiles, which threads take one by one.  A tile is walked
 * from top to bottom; what the rows before have left is kept in rings of few
 * rows, so that all intermediate values stay in the second level cache, and
 * all steps of a diffusion go down the tile together, each one row behind the
 * one before.
 *
 * The arithmetic is that of pyramid-pixel.h.
 */

#include "match/pyramid-simd.h"

#include "core/cpu.h"
#include "refine/output.h"
#include "match/pyramid-pixel.h"
#include "simd/simd-float.h"

#include <limits.h>

#define STAGES SIMD_NAME (stereo_pyramid_stages_)

#define LANES SIMD_LANES32
#define ALIGNED __attribute__ ((aligned (SIMD_ALIGNMENT)))

#define TILE_WIDTH 256
#define MAX_TILE_HEIGHT 256
#define MIN_TILE_HEIGHT 16
/* Columns to either side of a tile in its rows: two vectors at least. */
#define EDGE 32
#define ROW_SIZE (EDGE + TILE_WIDTH + 2 * EDGE)
/* Those that take part in a diffusion: whole vectors. */
#define APRON 16

/* ------------------------------------------------------------------- tiles */

typedef struct
{
  int x;                        /* of the image */
  int y;
  int width;
  int height;
} Tile;

typedef struct
{
  int columns;
  int n;
  int tile_height;
  int chunk;                    /* tiles done at a time */
} Tiling;

/* Below so many pixels a second thread is not worth waiting for. */
#define FEW_PIXELS 8192

/* Enough tiles for all threads, but no lower than it takes. */
static Tiling
make_tiling (const StereoQueue * queue, const StereoPyramidLevel * level)
{
  Tiling t;
  int rows, threads = level->width * level->height < FEW_PIXELS ? 1
      : stereo_cpu_threads (queue);

  t.columns = (level->width + TILE_WIDTH - 1) / TILE_WIDTH;
  t.tile_height = 2 * MAX_TILE_HEIGHT;
  t.chunk = threads == 1 ? INT_MAX : 1;
  do {
    t.tile_height /= 2;
    rows = (level->height + t.tile_height - 1) / t.tile_height;
    t.n = t.columns * rows;
  } while (t.tile_height > MIN_TILE_HEIGHT
      && threads > 1 && t.n < 2 * threads);
  return t;
}

static Tile
get_tile (const Tiling * t, const StereoPyramidLevel * level, int i)
{
  Tile tile;

  tile.x = i % t->columns * TILE_WIDTH;
  tile.y = i / t->columns * t->tile_height;
  tile.width = level->width - tile.x;
  if (tile.width > TILE_WIDTH)
    tile.width = TILE_WIDTH;
  tile.height = level->height - tile.y;
  if (tile.height > t->tile_height)
    tile.height = t->tile_height;
  return tile;
}

/* What the threads of a loop work on. */
typedef struct
{
  const StereoPyramidConstants *k;
  const Tiling *tiling;
  const StereoView *left;
  const StereoView *right;
  const StereoPyramidLevel *level;
  const StereoPyramidLevel *coarse;
  const StereoPyramidLevel *fine;
  const float *inverse;
  float *made;                  /* inverses, by prepare */
  float step;
  bool first;
  const StereoPyramidField *from;
  const StereoPyramidField *to;
  int steps;
  bool mean;
  const StereoPyramidField *field;
  const StereoOutput *const *results;
} Job;

/* The place of column x of the image in a tile's rows. */
ALWAYS_INLINE int
place (const Tile * tile, int x)
{
  return x - tile->x + EDGE;
}

/* The end of the tile's columns there, and that of the vectors over them. */
ALWAYS_INLINE int
vectors_end (const Tile * tile)
{
  return EDGE + (tile->width + LANES - 1) / LANES * LANES;
}

/* The columns that are in the image of the tile and `around` more of them to
 * either side. */
ALWAYS_INLINE void
get_columns (const Tile * tile, const StereoPyramidLevel * level, int around,
    int *first, int *end)
{
  *first = tile->x > around ? tile->x - around : 0;
  *end = tile->x + tile->width + around;
  if (*end > level->width)
    *end = level->width;
}

/* Repeats the outermost columns of a row in `around` places to either side,
 * where the image ends. */
ALWAYS_INLINE void
repeat_ends (const Tile * tile, const StereoPyramidLevel * level, int around,
    int32_t * row)
{
  int last = place (tile, level->width - 1);

  for (int i = 1; tile->x == 0 && i <= around; i++)
    row[EDGE - i] = row[EDGE];
  for (int i = 1; last < EDGE + TILE_WIDTH + EDGE && i <= around; i++)
    row[last + i] = row[last];
}

ALWAYS_INLINE void
repeat_ends_f32 (const Tile * tile, const StereoPyramidLevel * level,
    float *row)
{
  int last = place (tile, level->width - 1);

  if (tile->x == 0)
    row[EDGE - 1] = row[EDGE];
  if (last < EDGE + TILE_WIDTH + EDGE)
    row[last + 1] = row[last];
}

/* ----------------------------------------------------------------- moments */

/* A row of pixels: R in the low and G in the high half of a word, and B. */
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

/* The left view's row y, which is clamped. */
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

    store_pixels (row, place (tile, x), word & 0x3ff, word >> 10 & 0x3ff,
        word >> 20);
  }
  repeat_pixels (tile, level, row);
}

/* stereo_pyramid_target() */
ALWAYS_INLINE VecI32
target (VecF32 at, int n)
{
  at = simd_max_f32 (at, simd_set_f32 (0.0f));
  at = simd_min_f32 (at, simd_set_f32 ((float) (n - 1)));
  return (VecI32) (at + 196608.0f) - 0x48400000;
}

/* stereo_pyramid_between() of one field */
ALWAYS_INLINE VecI32
between (VecI32 p00, VecI32 p10, VecI32 p01, VecI32 p11, VecF32 ax, VecF32 ay)
{
  VecF32 left = simd_to_f32 (p00), below_left = simd_to_f32 (p01);
  VecF32 above = left + ax * (simd_to_f32 (p10) - left);
  VecF32 below = below_left + ax * (simd_to_f32 (p11) - below_left);

  return simd_round_i32 (above + ay * (below - above));
}

/* The warped right view's row y, which is clamped. */
ALWAYS_INLINE void
warp_row_kind (const Tile * tile, const StereoPyramidLevel * level,
    const StereoPyramidField * from, int y, PixelRow * row, bool vertical)
{
  const VecF32 part = simd_set_f32 (1.0f / 64.0f);
  const float *dx, *dy;
  int first, end;

  y = stereo_clamp_int (y, 0, level->height - 1);
  dx = from->dx + (size_t) y * level->stride;
  dy = vertical ? from->dy + (size_t) y * level->stride : NULL;
  get_columns (tile, level, LANES, &first, &end);
  for (int x = first; x < end; x += LANES) {
    VecF32 here = simd_to_f32 (simd_count_i32 () + x);
    VecI32 px = target (here + simd_load_f32 (dx + x), level->width);
    VecI32 offset = px >> 6;
    VecF32 ax = simd_to_f32 (px & 63) * part;
    VecI32 p00, p10, p01, p11;
    VecI32 r, g, b;

    if (vertical) {
      VecI32 py = target (simd_set_f32 ((float) y) + simd_load_f32 (dy + x),
          level->height);
      VecI32 line = py >> 6;
      VecF32 ay = simd_to_f32 (py & 63) * part;
      VecI32 down = (VecI32) (line < level->height - 1)
          & (int32_t) level->stride;

      offset += line * (int32_t) level->stride;
      p00 = simd_gather_pairs_i32 (level->right, offset, &p10);
      p01 = simd_gather_pairs_i32 (level->right, offset + down, &p11);
      r = between (p00 & 0x3ff, p10 & 0x3ff, p01 & 0x3ff, p11 & 0x3ff, ax,
          ay);
      g = between (p00 >> 10 & 0x3ff, p10 >> 10 & 0x3ff, p01 >> 10 & 0x3ff,
          p11 >> 10 & 0x3ff, ax, ay);
      b = between (p00 >> 20, p10 >> 20, p01 >> 20, p11 >> 20, ax, ay);
    } else {
      VecF32 r0, g0, b0;

      p00 = simd_gather_pairs_i32 (level->right + (size_t) y * level->stride,
          offset, &p10);
      r0 = simd_to_f32 (p00 & 0x3ff);
      g0 = simd_to_f32 (p00 >> 10 & 0x3ff);
      b0 = simd_to_f32 (p00 >> 20);
      r = simd_round_i32 (r0 + ax * (simd_to_f32 (p10 & 0x3ff) - r0));
      g = simd_round_i32 (g0 + ax * (simd_to_f32 (p10 >> 10 & 0x3ff) - g0));
      b = simd_round_i32 (b0 + ax * (simd_to_f32 (p10 >> 20) - b0));
    }
    store_pixels (row, place (tile, x), r, g, b);
  }
  repeat_pixels (tile, level, row);
}

/* The products of two rows of pixels, b moved by `move` columns, under [1 3 4
 * 3 1]; for the columns of the tile, and a vector more to either side where
 * `wider`. */
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

/* The sums of five rows at column i: stereo_pyramid_five() */
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

/* A ring of rows: row y is in its place modulo the number of rows. */
#define RING(y, n) (((y) + 8 * (n)) % (n))

static void
prepare_tile (const Tile * tile, const StereoPyramidLevel * level,
    float *inverse)
{
  float sums[5][ROW_SIZE] ALIGNED;
  PixelRow left;
  int end = vectors_end (tile);

  for (int j = tile->y - 2; j < tile->y + tile->height + 2; j++) {
    int y = j - 2;
    float *rows[5];

    unpack_row (tile, level, j, &left);
    sum_row (&left, &left, 0, end, false, sums[RING (j, 5)]);
    if (y < tile->y)
      continue;
    for (int i = 0; i < 5; i++)
      rows[i] = sums[RING (y - 2 + i, 5)];
    for (int i = EDGE; i < end; i += LANES)
      simd_store_f32 (inverse + (size_t) y * level->stride
          + (size_t) (tile->x + i - EDGE), inverse_of (sum_columns (rows,
                  i)));
  }
}

static void
prepare_tiles (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoPyramidLevel *level = job->level;
  float *inverse = job->made;
  const Tiling *tiling = job->tiling;

  for (int t = span.begin; t < span.end; t++) {
    Tile tile = get_tile (tiling, level, t);

    prepare_tile (&tile, level, inverse);
  }
}

static StereoStatus
prepare (StereoQueue * queue, const StereoPyramidConstants * k,
    const StereoPyramidLevel * level, float *inverse)
{
  Tiling tiling = make_tiling (queue, level);
  Job job = {.level = level,.made = inverse,.tiling = &tiling };

  (void) k;
  stereo_cpu_for (queue, tiling.n, tiling.chunk, prepare_tiles, &job);
  return STEREO_OK;
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

/* What one thread works with. */
typedef struct
{
  PixelRow left;
  PixelRow warped[3];
  float own[5][ROW_SIZE];       /* sums of the warped view with itself */
  float moved[N_MOVES][5][ROW_SIZE];    /* of the left one with it, moved */
  float inverse[3][ROW_SIZE];
} ALIGNED Scratch;

/* stereo_pyramid_correlation() */
ALWAYS_INLINE VecF32
correlation (VecF32 moment, VecF32 il, VecF32 ir)
{
  return simd_min_f32 (((moment * moment) * ir) * il, simd_set_f32 (1.0f));
}

/* stereo_pyramid_parabola() */
ALWAYS_INLINE VecF32
parabola (VecF32 low, VecF32 middle, VecF32 high, float step, VecF32 * trust)
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
correlate_row (const Tile * tile, const StereoPyramidLevel * level,
    const float *inverse, float step, bool first,
    const StereoPyramidField * from, const StereoPyramidField * to, int y,
    Scratch * s, bool vertical)
{
  size_t offset = (size_t) y * level->stride + (size_t) tile->x;
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
    VecF32 c = correlation (sum_columns (rows[MOVE_NONE], i), il,
        simd_load_f32 (own + i));
    VecF32 low = correlation (sum_columns (rows[MOVE_LEFT], i), il,
        simd_load_f32 (own + i - 1));
    VecF32 high = correlation (sum_columns (rows[MOVE_RIGHT], i), il,
        simd_load_f32 (own + i + 1));

    simd_store_f32 (to->dx + p, simd_load_f32 (from->dx + p) + parabola (low,
            c, high, step, &trust));
    if (vertical) {
      VecF32 trust_y;

      low = correlation (sum_columns (rows[MOVE_UP], i), il,
          simd_load_f32 (up + i));
      high = correlation (sum_columns (rows[MOVE_DOWN], i), il,
          simd_load_f32 (down + i));
      simd_store_f32 (to->dy + p, simd_load_f32 (from->dy + p)
          + parabola (low, c, high, step, &trust_y));
      trust = trust * trust_y;
    }
    if (!first)
      trust = 0.75f * simd_load_f32 (from->confidence + p) + 0.25f * trust;
    simd_store_f32 (to->confidence + p, trust);
  }
}

/* With row j of the warped view there is one more row of its sums with itself,
 * of sums with the left view in row j - 1, of inverses in row j - 2, and of
 * results in row j - 3. */
ALWAYS_INLINE void
correlate_tile_kind (const Tile * tile, const StereoPyramidLevel * level,
    const float *inverse, float step, bool first,
    const StereoPyramidField * from, const StereoPyramidField * to,
    Scratch * s, bool vertical)
{
  int end = vectors_end (tile);
  int y0 = tile->y, y1 = tile->y + tile->height;

  for (int j = y0 - 3; j < y1 + 3; j++) {
    PixelRow *warped = &s->warped[RING (j, 3)];
    const PixelRow *same = &s->warped[RING (j - 1, 3)];
    const PixelRow *above = &s->warped[RING (j - 2, 3)];
    int place5 = RING (j - 1, 5);
    float *rows[5];

    warp_row_kind (tile, level, from, j, warped, vertical);
    sum_row (warped, warped, 0, end, true, s->own[RING (j, 5)]);
    if (j < y0 - 1)
      continue;

    unpack_row (tile, level, j - 1, &s->left);
    sum_row (&s->left, same, 0, end, false, s->moved[MOVE_NONE][place5]);
    sum_row (&s->left, same, -1, end, false, s->moved[MOVE_LEFT][place5]);
    sum_row (&s->left, same, 1, end, false, s->moved[MOVE_RIGHT][place5]);
    if (vertical) {
      sum_row (&s->left, above, 0, end, false, s->moved[MOVE_UP][place5]);
      sum_row (&s->left, warped, 0, end, false, s->moved[MOVE_DOWN][place5]);
    }

    if (j < y0 + 1)
      continue;
    for (int i = 0; i < 5; i++)
      rows[i] = s->own[RING (j - 4 + i, 5)];
    for (int i = EDGE - LANES; i < end + LANES; i += LANES)
      simd_store_f32 (s->inverse[RING (j - 2, 3)] + i,
          inverse_of (sum_columns (rows, i)));

    if (j - 3 >= y0)
      correlate_row (tile, level, inverse, step, first, from, to, j - 3, s,
          vertical);
  }
}

static void
correlate_tile (const Tile * tile, const StereoPyramidLevel * level,
    const float *inverse, float step, bool first,
    const StereoPyramidField * from, const StereoPyramidField * to,
    bool vertical)
{
  Scratch scratch;

  if (vertical)
    correlate_tile_kind (tile, level, inverse, step, first, from, to,
        &scratch, true);
  else
    correlate_tile_kind (tile, level, inverse, step, first, from, to,
        &scratch, false);
}

static void
correlate_tiles (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoPyramidConstants *k = job->k;
  const StereoPyramidLevel *level = job->level;
  const float *inverse = job->inverse;
  float step = job->step;
  bool first = job->first;
  const StereoPyramidField *from = job->from;
  const StereoPyramidField *to = job->to;
  const Tiling *tiling = job->tiling;

  for (int t = span.begin; t < span.end; t++) {
    Tile tile = get_tile (tiling, level, t);

    correlate_tile (&tile, level, inverse, step, first, from, to,
        k->vertical);
  }
}

static StereoStatus
correlate (StereoQueue * queue, const StereoPyramidConstants * k,
    const StereoPyramidLevel * level, const float *inverse, float step,
    bool first, const StereoPyramidField * from,
    const StereoPyramidField * to)
{
  Tiling tiling = make_tiling (queue, level);
  Job job = {.k = k,.level = level,.inverse = inverse,.step = step,
    .first = first,.from = from,.to = to,.tiling = &tiling
  };

  stereo_cpu_for (queue, tiling.n, tiling.chunk, correlate_tiles, &job);
  return STEREO_OK;
}

/* --------------------------------------------------------------- diffusion */

/* Steps that are done together: their apron fits the rows' ends. */
#define MAX_STEPS 10

/* The confidence, and its products with dx, dy and itself. */
enum
{
  WEIGHT,
  WEIGHTED_DX,
  WEIGHTED_DY,
  WEIGHTED_WEIGHT,
  N_WEIGHTED
};

enum
{
  VALUE_DX,
  VALUE_DY,
  VALUE_CONFIDENCE,
  N_VALUES
};

typedef struct
{
  float weighted[MAX_STEPS][3][N_WEIGHTED][ROW_SIZE];
  float value[N_VALUES][ROW_SIZE];      /* of one row, after the last step */
  float sums[3][N_VALUES][ROW_SIZE];    /* of three columns */
} ALIGNED DiffusionScratch;

/* A tile on its way through the steps. */
typedef struct
{
  Tile tile;
  const StereoPyramidLevel *level;
  const StereoPyramidField *from;
  const StereoPyramidField *to;
  int steps;
  bool mean;
  int first;                    /* places in rows, of vectors */
  int end;
  DiffusionScratch *s;
} Diffusion;

/* Stores what step `done` came to at place i, for the next one, or as values
 * if it was the last. */
ALWAYS_INLINE void
store_step (const Diffusion * d, int done, int y, int i, VecF32 dx,
    VecF32 dy, VecF32 confidence, bool last, bool vertical)
{
  if (last) {
    simd_store_f32 (d->s->value[VALUE_DX] + i, dx);
    if (vertical)
      simd_store_f32 (d->s->value[VALUE_DY] + i, dy);
    simd_store_f32 (d->s->value[VALUE_CONFIDENCE] + i, confidence);
  } else {
    float (*row)[ROW_SIZE] = d->s->weighted[done][RING (y, 3)];

    simd_store_f32 (row[WEIGHT] + i, confidence);
    simd_store_f32 (row[WEIGHTED_DX] + i, confidence * dx);
    if (vertical)
      simd_store_f32 (row[WEIGHTED_DY] + i, confidence * dy);
    simd_store_f32 (row[WEIGHTED_WEIGHT] + i, confidence * confidence);
  }
}

/* After a row was stored by store_step(): its ends. */
ALWAYS_INLINE void
finish_row (const Diffusion * d, int done, int y, bool last, bool vertical)
{
  float (*row)[ROW_SIZE] = last ? d->s->value
      : d->s->weighted[done][RING (y, 3)];

  for (int v = 0; v < (last ? N_VALUES : N_WEIGHTED); v++) {
    if (vertical || v != (last ? VALUE_DY : WEIGHTED_DY))
      repeat_ends_f32 (&d->tile, d->level, row[v]);
  }
}

ALWAYS_INLINE void
load_row_kind (const Diffusion * d, int y, bool last, bool vertical)
{
  size_t offset = (size_t) y * d->level->stride;

  for (int i = d->first; i < d->end; i += LANES) {
    size_t p = offset + (size_t) (d->tile.x + i - EDGE);

    store_step (d, 0, y, i, simd_load_f32 (d->from->dx + p),
        vertical ? simd_load_f32 (d->from->dy + p) : simd_set_f32 (0.0f),
        simd_load_f32 (d->from->confidence + p), last, vertical);
  }
  finish_row (d, 0, y, last, vertical);
}

/* stereo_pyramid_cross() of a plane of three rows. */
ALWAYS_INLINE VecF32
cross (const float *up, const float *own, const float *down, int i)
{
  return ((simd_load_f32 (own + i - 1) + simd_load_f32 (own + i + 1))
      + (simd_load_f32 (up + i) + simd_load_f32 (down + i)))
      + simd_load_f32 (own + i);
}

/* Row y of step `done`, from what the one before left. */
ALWAYS_INLINE void
step_row_kind (const Diffusion * d, int done, int y, bool last, bool vertical)
{
  float (*ring)[N_WEIGHTED][ROW_SIZE] = d->s->weighted[done - 1];
  float (*own)[ROW_SIZE] = ring[RING (y, 3)];
  float (*up)[ROW_SIZE] = y > 0 ? ring[RING (y - 1, 3)] : own;
  float (*down)[ROW_SIZE] = y + 1 < d->level->height ? ring[RING (y + 1, 3)]
      : own;

  for (int i = d->first; i < d->end; i += LANES) {
    VecF32 r = 1.0f / cross (up[WEIGHT], own[WEIGHT], down[WEIGHT], i);
    VecF32 dx = cross (up[WEIGHTED_DX], own[WEIGHTED_DX],
        down[WEIGHTED_DX], i) * r;
    VecF32 dy = simd_set_f32 (0.0f);

    if (vertical)
      dy = cross (up[WEIGHTED_DY], own[WEIGHTED_DY], down[WEIGHTED_DY], i)
          * r;
    store_step (d, done, y, i, dx, dy, cross (up[WEIGHTED_WEIGHT],
            own[WEIGHTED_WEIGHT], down[WEIGHTED_WEIGHT], i) * r, last,
        vertical);
  }
  finish_row (d, done, y, last, vertical);
}

static void
step_row (const Diffusion * d, int done, int y, bool vertical)
{
  bool last = done == d->steps;

  if (done == 0) {
    if (last)
      load_row_kind (d, y, true, vertical);
    else if (vertical)
      load_row_kind (d, y, false, true);
    else
      load_row_kind (d, y, false, false);
  } else if (vertical) {
    if (last)
      step_row_kind (d, done, y, true, true);
    else
      step_row_kind (d, done, y, false, true);
  } else {
    if (last)
      step_row_kind (d, done, y, true, false);
    else
      step_row_kind (d, done, y, false, false);
  }
}

ALWAYS_INLINE float *
plane_of (const StereoPyramidField * field, int value)
{
  return value == VALUE_DX ? field->dx
      : value == VALUE_DY ? field->dy : field->confidence;
}

/* Values without a mean are the result. */
static void
put_row (const Diffusion * d, int y, bool vertical)
{
  size_t offset = (size_t) y * d->level->stride + (size_t) d->tile.x;

  for (int v = 0; v < N_VALUES; v++) {
    float *plane = plane_of (d->to, v);

    if (v != VALUE_DY || vertical)
      memcpy (plane + offset, d->s->value[v] + EDGE,
          (size_t) d->tile.width * sizeof (float));
  }
}

/* Sums of three columns from row y of the values. */
static void
sum_values (const Diffusion * d, int y, bool vertical)
{
  int end = vectors_end (&d->tile);

  for (int v = 0; v < N_VALUES; v++) {
    const float *value = d->s->value[v];
    float *sums = d->s->sums[RING (y, 3)][v];

    if (v == VALUE_DY && !vertical)
      continue;
    for (int i = EDGE; i < end; i += LANES)
      simd_store_f32 (sums + i, (simd_load_f32 (value + i - 1)
              + simd_load_f32 (value + i + 1)) + simd_load_f32 (value + i));
  }
}

/* The mean in row y. */
static void
mean_row (const Diffusion * d, int y, bool vertical)
{
  size_t offset = (size_t) y * d->level->stride + (size_t) d->tile.x;
  int end = vectors_end (&d->tile);

  for (int v = 0; v < N_VALUES; v++) {
    const float *own = d->s->sums[RING (y, 3)][v];
    const float *up = y > 0 ? d->s->sums[RING (y - 1, 3)][v] : own;
    const float *down = y + 1 < d->level->height
        ? d->s->sums[RING (y + 1, 3)][v] : own;
    float *plane = plane_of (d->to, v);

    if (v == VALUE_DY && !vertical)
      continue;
    for (int i = EDGE; i < end; i += LANES)
      simd_store_f32 (plane + offset + (i - EDGE), ((simd_load_f32 (up + i)
                  + simd_load_f32 (down + i)) + simd_load_f32 (own + i))
          * STEREO_PYRAMID_NINTH);
  }
}

/* Each step is one row behind the one before it, and so is the mean. */
static void
diffuse_tile (Diffusion * d, bool vertical)
{
  int y0 = d->tile.y, y1 = d->tile.y + d->tile.height;
  int apron = d->steps + d->mean, first, end;

  get_columns (&d->tile, d->level, APRON, &first, &end);
  d->first = place (&d->tile, first);
  d->end = place (&d->tile, end);
  for (int t = y0 - apron; t < y1 + apron + d->mean; t++) {
    for (int done = 0; done <= d->steps; done++) {
      int y = t - done;
      int around = d->steps - done + d->mean;

      if (y < 0 || y >= d->level->height || y < y0 - around
          || y >= y1 + around)
        continue;
      step_row (d, done, y, vertical);
      if (done == d->steps && d->mean)
        sum_values (d, y, vertical);
      else if (done == d->steps)
        put_row (d, y, vertical);
    }
    if (d->mean && t - d->steps - 1 >= y0 && t - d->steps - 1 < y1)
      mean_row (d, t - d->steps - 1, vertical);
  }
}

static void
diffuse_some_tiles (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoPyramidConstants *k = job->k;
  const StereoPyramidLevel *level = job->level;
  int steps = job->steps;
  bool mean = job->mean;
  const StereoPyramidField *from = job->from;
  const StereoPyramidField *to = job->to;
  const Tiling *tiling = job->tiling;

  for (int t = span.begin; t < span.end; t++) {
    DiffusionScratch scratch;
    Diffusion d = {.level = level,.from = from,.to = to,.steps = steps,
      .mean = mean,.s = &scratch
    };

    d.tile = get_tile (tiling, level, t);
    if (k->vertical)
      diffuse_tile (&d, true);
    else
      diffuse_tile (&d, false);
  }
}

static void
diffuse_some (StereoQueue * queue, const StereoPyramidConstants * k,
    const StereoPyramidLevel * level, int steps, bool mean,
    const StereoPyramidField * from, const StereoPyramidField * to)
{
  Tiling tiling = make_tiling (queue, level);
  Job job = {.k = k,.level = level,.steps = steps,.mean = mean,
    .from = from,.to = to,.tiling = &tiling
  };

  stereo_cpu_for (queue, tiling.n, tiling.chunk, diffuse_some_tiles, &job);
}

/* An odd number of parts, so that the last one comes to the right field. */
static StereoStatus
diffuse (StereoQueue * queue, const StereoPyramidConstants * k,
    const StereoPyramidLevel * level, const StereoPyramidField * from,
    const StereoPyramidField * to)
{
  int parts = (level->diffusion + MAX_STEPS - 1) / MAX_STEPS | 1;
  int left = level->diffusion;

  for (int i = 0; i < parts; i++) {
    int steps = left / (parts - i);

    diffuse_some (queue, k, level, steps, i == parts - 1,
        i % 2 ? to : from, i % 2 ? from : to);
    left -= steps;
  }
  return STEREO_OK;
}

/* ------------------------------------------------------------- other levels */

static void
start_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoPyramidConstants *k = job->k;
  const StereoView *left = job->left;
  const StereoView *right = job->right;
  const StereoPyramidLevel *level = job->level;

  for (int y = span.begin; y < span.end; y++) {
    for (int side = 0; side < 2; side++) {
      const StereoView *view = side ? right : left;
      uint32_t *restrict words = (side ? level->right : level->left)
          + (size_t) y * level->stride;
      size_t row = (size_t) y * view->stride;
      const uint8_t *r = view->plane[0] + row;
      const uint8_t *g = k->channels == 3 ? view->plane[1] + row : r;
      const uint8_t *b = k->channels == 3 ? view->plane[2] + row : r;

      for (int x = 0; x < level->width; x++)
        words[x] = stereo_pyramid_word (r[x], g[x], b[x]);
      for (size_t x = (size_t) level->width; x < level->stride; x++)
        words[x] = 0;
    }
  }
}

static StereoStatus
start (StereoQueue * queue, const StereoPyramidConstants * k,
    const StereoView * left, const StereoView * right,
    const StereoPyramidLevel * level)
{
  Job job = {.k = k,.left = left,.right = right,.level = level };

  stereo_cpu_for (queue, level->height, 0, start_rows, &job);
  return STEREO_OK;
}

/* Fine columns that a tile of the next level comes from, at most 1.5 times as
 * many, and those around it. */
#define FINE_SIZE (TILE_WIDTH * 3 / 2 + 64)
/* Rows that six taps need, and the ones that two of them skip. */
#define FINE_ROWS 8

typedef struct
{
  /* Columns of the fine level, from `base`, and where the tile's are in it. */
  int base;
  int count;
  int32_t column[TILE_WIDTH];
  int32_t part[TILE_WIDTH];
  int32_t field[3][FINE_SIZE];
  uint32_t smooth[3][FINE_SIZE];
  /* Sums under the taps of a row. */
  int32_t row[FINE_ROWS][3][TILE_WIDTH];
} ALIGNED DownsampleScratch;

static void
downsample_columns (const StereoPyramidLevel * fine, const Tile * tile,
    DownsampleScratch * s)
{
  int first = stereo_pyramid_position (tile->x, fine->downsample_x,
      fine->width) >> 6;

  s->base = first - 2;
  for (int i = 0; i < tile->width; i++) {
    int px = stereo_pyramid_position (tile->x + i, fine->downsample_x,
        fine->width);

    s->column[i] = (px >> 6) - s->base;
    s->part[i] = px & 63;
  }
  for (int i = tile->width; i < TILE_WIDTH; i++)
    s->column[i] = s->part[i] = 0;
  s->count = s->column[tile->width - 1] + 4;
}

/* Row y of the fine level, which is clamped, under the taps. */
static void
downsample_row (const StereoPyramidLevel * fine, const uint32_t * view, int y,
    const Tile * tile, DownsampleScratch * s, int32_t (*sums)[TILE_WIDTH])
{
  const uint32_t *words = view
      + (size_t) stereo_clamp_int (y, 0, fine->height - 1) * fine->stride;
  int from = s->base < 0 ? -s->base : 0;
  int to = s->base + s->count > fine->width ? fine->width - s->base
      : s->count;

  for (int i = from; i < to; i++) {
    uint32_t word = words[s->base + i];

    s->field[0][i] = (int32_t) stereo_pyramid_r (word);
    s->field[1][i] = (int32_t) stereo_pyramid_g (word);
    s->field[2][i] = (int32_t) stereo_pyramid_b (word);
  }
  for (int c = 0; c < 3; c++) {
    int32_t *field = s->field[c];
    uint32_t *smooth = s->smooth[c];

    for (int i = 0; i < from; i++)
      field[i] = field[from];
    for (int i = to; i < s->count; i++)
      field[i] = field[to - 1];
    for (int i = 2; i < s->count - 2; i += LANES) {
      VecI32 e = simd_load_i32 (field + i - 2) + simd_load_i32 (field + i + 2);
      VecI32 f = simd_load_i32 (field + i - 1) + simd_load_i32 (field + i + 1);

      simd_store_i32 (smooth + i, (e + f) + ((f
                  + (simd_load_i32 (field + i) << 1)) << 1));
    }
    for (int i = 0; i < tile->width; i += LANES) {
      VecI32 next, at = simd_gather_pairs_i32 (smooth,
          simd_load_i32 (s->column + i), &next);

      simd_store_i32 (sums[c] + i, (at << 6)
          + (next - at) * simd_load_i32 (s->part + i));
    }
  }
}

/* stereo_pyramid_smaller() of six rows of sums: 589824 is 9 * 2^16, and this
 * gives a ninth of 0 to 32767. */
ALWAYS_INLINE VecI32
smaller (const int32_t (*const row[6])[TILE_WIDTH], const int32_t tap[6],
    int c, int x)
{
  VecI32 sum = simd_set_i32 (294912);

  for (int i = 0; i < 6; i++)
    sum += simd_load_i32 (row[i][c] + x) * tap[i];
  return (sum >> 16) * 7282 >> 16;
}

static void
downsample_tile (const StereoPyramidLevel * fine,
    const StereoPyramidLevel * coarse, const Tile * tile,
    const uint32_t * view, uint32_t * target_view)
{
  DownsampleScratch s;
  int next = -3;

  downsample_columns (fine, tile, &s);
  for (int y = tile->y; y < tile->y + tile->height; y++) {
    int py = stereo_pyramid_position (y, fine->downsample_y, fine->height);
    int top = (py >> 6) - 2;
    const int32_t (*row[6])[TILE_WIDTH];
    int32_t tap[6];
    uint32_t *words = target_view + (size_t) y * coarse->stride
        + tile->x;

    if (next < top)
      next = top;
    for (; next < top + 6; next++)
      downsample_row (fine, view, next, tile, &s,
          s.row[RING (next, FINE_ROWS)]);
    for (int i = 0; i < 6; i++) {
      row[i] = (const int32_t (*)[TILE_WIDTH]) s.row[RING (top + i,
              FINE_ROWS)];
      tap[i] = (int32_t) stereo_pyramid_tap (i, (uint32_t) py & 63u);
    }

    for (int x = 0; x < tile->width; x += LANES)
      simd_store_i32 (words + x, smaller (row, tap, 0, x)
          | smaller (row, tap, 1, x) << STEREO_PYRAMID_G_SHIFT
          | smaller (row, tap, 2, x) << STEREO_PYRAMID_B_SHIFT);
    if (tile->x + tile->width == coarse->width)
      memset (words + tile->width, 0, (coarse->stride
              - (size_t) coarse->width) * sizeof (*words));
  }
}

static void
downsample_tiles (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoPyramidLevel *fine = job->fine;
  const StereoPyramidLevel *coarse = job->coarse;
  const Tiling *tiling = job->tiling;

  for (int t = span.begin; t < span.end; t++) {
    Tile tile = get_tile (tiling, coarse, t / 2);

    if (t % 2)
      downsample_tile (fine, coarse, &tile, fine->right, coarse->right);
    else
      downsample_tile (fine, coarse, &tile, fine->left, coarse->left);
  }
}

static StereoStatus
downsample (StereoQueue * queue, const StereoPyramidConstants * k,
    const StereoPyramidLevel * fine, const StereoPyramidLevel * coarse)
{
  Tiling tiling = make_tiling (queue, coarse);
  Job job = {.fine = fine,.coarse = coarse,.tiling = &tiling };

  (void) k;
  stereo_cpu_for (queue, 2 * tiling.n, tiling.chunk, downsample_tiles, &job);
  return STEREO_OK;
}

static StereoStatus
clear (StereoQueue * queue, const StereoPyramidConstants * k,
    const StereoPyramidLevel * level, const StereoPyramidField * field)
{
  size_t n = level->stride * (size_t) level->height;

  (void) queue;
  for (size_t p = 0; p < n; p++) {
    field->dx[p] = k->start;
    field->confidence[p] = 0.0f;
    if (k->vertical)
      field->dy[p] = 0.0f;
  }
  return STEREO_OK;
}

typedef struct
{
  int32_t column[TILE_WIDTH];
  int32_t next[TILE_WIDTH];     /* the column after, or the last one */
  float part[TILE_WIDTH];
} ALIGNED UpsampleScratch;

/* Between two rows of the coarse plane. */
ALWAYS_INLINE void
upsample_row (const float *above, const float *below, const Tile * tile,
    const UpsampleScratch * s, float part, float scale, float *to)
{
  for (int i = 0; i < tile->width; i += LANES) {
    VecI32 column = simd_load_i32 (s->column + i);
    VecI32 next = simd_load_i32 (s->next + i);
    VecF32 ax = simd_load_f32 (s->part + i);
    VecF32 p00 = simd_gather_f32 (above, column);
    VecF32 p01 = simd_gather_f32 (below, column);
    VecF32 a = p00 + ax * (simd_gather_f32 (above, next) - p00);
    VecF32 b = p01 + ax * (simd_gather_f32 (below, next) - p01);

    simd_store_f32 (to + i, (a + part * (b - a)) * scale);
  }
}

static void
upsample_tile (const StereoPyramidConstants * k,
    const StereoPyramidLevel * coarse, const StereoPyramidLevel * fine,
    const StereoPyramidField * from, const StereoPyramidField * to,
    const Tile * tile)
{
  UpsampleScratch s;

  for (int i = 0; i < TILE_WIDTH; i++) {
    int px = stereo_pyramid_position (tile->x + i, fine->upsample_x,
        coarse->width);

    s.column[i] = px >> 6;
    s.next[i] = s.column[i] + 1 < coarse->width ? s.column[i] + 1
        : coarse->width - 1;
    s.part[i] = (float) (px & 63) * (1.0f / 64.0f);
  }
  for (int y = tile->y; y < tile->y + tile->height; y++) {
    int py = stereo_pyramid_position (y, fine->upsample_y, coarse->height);
    float part = (float) (py & 63) * (1.0f / 64.0f);
    size_t above = (size_t) (py >> 6) * coarse->stride;
    size_t below = (py >> 6) + 1 < coarse->height ? above + coarse->stride
        : above;
    size_t p = (size_t) y * fine->stride + (size_t) tile->x;

    upsample_row (from->dx + above, from->dx + below, tile, &s, part,
        fine->scale_x, to->dx + p);
    if (k->vertical)
      upsample_row (from->dy + above, from->dy + below, tile, &s, part,
          fine->scale_y, to->dy + p);
    upsample_row (from->confidence + above, from->confidence + below, tile, &s,
        part, 1.0f, to->confidence + p);
  }
}

static void
upsample_tiles (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoPyramidConstants *k = job->k;
  const StereoPyramidLevel *coarse = job->coarse;
  const StereoPyramidLevel *fine = job->fine;
  const StereoPyramidField *from = job->from;
  const StereoPyramidField *to = job->to;
  const Tiling *tiling = job->tiling;

  for (int t = span.begin; t < span.end; t++) {
    Tile tile = get_tile (tiling, fine, t);

    upsample_tile (k, coarse, fine, from, to, &tile);
  }
}

static StereoStatus
upsample (StereoQueue * queue, const StereoPyramidConstants * k,
    const StereoPyramidLevel * coarse, const StereoPyramidLevel * fine,
    const StereoPyramidField * from, const StereoPyramidField * to)
{
  Tiling tiling = make_tiling (queue, fine);
  Job job = {.k = k,.coarse = coarse,.fine = fine,.from = from,.to = to,
    .tiling = &tiling
  };

  stereo_cpu_for (queue, tiling.n, tiling.chunk, upsample_tiles, &job);
  return STEREO_OK;
}

/* sure is the confidence if pixels without any are invalid, else NULL. */
static void
encode_row (const StereoOutput * output, const float *row, float sign,
    const float *sure, int y, int width)
{
  StereoOutput o;

  if (output == NULL)
    return;
  o = *output;
  for (int x = 0; x < width; x++)
    stereo_store_value (&o, x, y, sign * row[x]);
  for (int x = 0; sure != NULL && x < width; x++) {
    if (!(sure[x] > 0.0f))
      stereo_store_raw (&o, x, y, (uint16_t) o.invalid);
  }
}

static void
finish_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoPyramidConstants *k = job->k;
  const StereoPyramidLevel *level = job->level;
  const StereoPyramidField *field = job->field;
  const StereoOutput *const *results = job->results;

  for (int y = span.begin; y < span.end; y++) {
    size_t p = (size_t) y * level->stride;
    const float *sure = k->fill ? NULL : field->confidence + p;

    encode_row (results[STEREO_RESULT_DISPARITY], field->dx + p, -1.0f, sure,
        y, level->width);
    encode_row (results[STEREO_RESULT_VERTICAL],
        (k->vertical ? field->dy : field->dx) + p, k->vertical ? -1.0f : 0.0f,
        sure, y, level->width);
    encode_row (results[STEREO_RESULT_CONFIDENCE], field->confidence + p,
        1.0f, NULL, y, level->width);
  }
}

static StereoStatus
finish (StereoQueue * queue, const StereoPyramidConstants * k,
    const StereoPyramidLevel * level, const StereoPyramidField * field,
    const StereoOutput * const *results)
{
  Job job = {.k = k,.level = level,.field = field,.results = results };

  stereo_cpu_for (queue, level->height, 0, finish_rows, &job);
  return STEREO_OK;
}

extern const StereoPyramidStages STAGES;
const StereoPyramidStages STAGES = {
  .start = start,
  .downsample = downsample,
  .clear = clear,
  .prepare = prepare,
  .correlate = correlate,
  .diffuse = diffuse,
  .upsample = upsample,
  .check = stereo_pyramid_check_cpu,
  .fill = stereo_pyramid_fill_cpu,
  .finish = finish,
};
