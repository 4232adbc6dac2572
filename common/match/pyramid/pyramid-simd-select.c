/* gst-stereomatching: vector selection of displacements in a pyramid
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A tile is processed candidate by candidate.  The sums of errors along rows
 * are in a ring of as many rows as the window has. */

#include "match/pyramid/pyramid-simd.h"

#include <string.h>

/* ------------------------------------------------------------------- census */

/* Brightness of row y, clamped, and of the columns around the tile. */
static void
load_brightness (const StereoPyramidLevel * level, const uint32_t * view,
    const Tile * tile, int y, int32_t * row)
{
  const uint32_t *words = view
      + (size_t) stereo_clamp_int (y, 0, level->height - 1) * level->stride;
  int first, end;

  get_columns (tile, level, STEREO_PYRAMID_CENSUS_RADIUS, &first, &end);
  for (int x = first; x < end; x++)
    row[row_index (tile, x)] = stereo_pyramid_brightness (words[x]);
  repeat_ends (tile, level, STEREO_PYRAMID_CENSUS_RADIUS, row);
}

static void
census_row (const Tile * tile, int32_t (*ring)[ROW_SIZE], int y,
    uint32_t * words)
{
  const int32_t *rows[5];

  for (int j = 0; j < 5; j++)
    rows[j] = ring[RING (y + j - 2, 5)] + EDGE - 2;
  for (int x = 0; x < tile->width; x += LANES) {
    const VecI32 center = simd_load_i32 (rows[2] + x + 2);
    VecI32 bits = { 0 };

    /* a comparison is -1 where it holds */
#pragma GCC unroll 25
    for (int i = 0; i < 25; i++) {
      if (i != 12)
        bits = (bits << 1) - (VecI32) (simd_load_i32 (rows[i / 5] + x + i % 5)
            > center);
    }
    simd_store_i32 (words + x, bits);
  }
}

static void
census_tiles (const void *context, StereoSpan span)
{
  const TileJob *job = context;
  const StereoPyramidLevel *level = job->a->level;
  int32_t ring[5][ROW_SIZE] ALIGNED = { {0} };

  for (int t = span.begin; t < span.end; t++) {
    const Tile tile = get_tile (&job->tiling, level, t / 2);
    const uint32_t *view = t % 2 ? level->right : level->left;

    for (int y = tile.y - 2; y < tile.y + tile.height + 2; y++) {
      load_brightness (level, view, &tile, y, ring[RING (y, 5)]);
      if (y - 2 >= tile.y)
        census_row (&tile, ring, y - 2, level->census[t % 2]
            + (size_t) (y - 2) * level->stride + tile.x);
    }
  }
}

StereoStatus
STAGE (census) (const StereoPyramidArgs * a)
{
  StereoPyramidArgs level = *a;
  StereoStatus status = STEREO_OK;

  for (int i = 0; i < a->k->n_levels && status == STEREO_OK; i++) {
    level.level = &a->level[i];
    status = for_tiles (&level, 2, census_tiles);
  }
  return status;
}

/* ---------------------------------------------------------------- selection */

/* Rows of a part of a tile. */
#define PART 32
#define WINDOW STEREO_PYRAMID_WINDOW
/* Rows around it whose displacements candidates have. */
#define MARGIN (WINDOW + STEREO_PYRAMID_REACH)

/* Rows of a part of a plane, repeated beyond the level. */
typedef float PartRows[PART + 2 * MARGIN][ROW_SIZE];

/* Sums of errors, above the candidate: the lowest is the best, and of equal
 * ones the first. */
#define KEY_BITS 5

typedef struct
{
  PartRows dx;
  PartRows dy;
  PartRows confidence;
  uint16_t error[ROW_SIZE];     /* of a row, a sum of two bytes */
  uint16_t sums[5][ROW_SIZE];   /* of five columns */
  uint16_t best[PART][TILE_WIDTH];      /* keys */
} ALIGNED SelectScratch;

typedef struct
{
  const StereoPyramidArgs *a;
  Tile tile;                    /* at most PART rows */
  int first;                    /* index range of vectors in rows */
  int end;
  int inside_begin;             /* of them, without dy: see find_inside() */
  int inside_end;
  SelectScratch *s;
} Selection;

static void
load_part (const Selection * d, const float *plane, PartRows rows)
{
  const StereoPyramidLevel *level = d->a->level;
  const int left = d->tile.x - EDGE;
  const int from = left < 0 ? -left : 0;
  const int to = left + ROW_SIZE > level->width ? level->width - left
      : ROW_SIZE;

  for (int j = 0; j < d->tile.height + 2 * MARGIN; j++) {
    const float *row = plane + (size_t) stereo_clamp_int (d->tile.y - MARGIN
        + j, 0, level->height - 1) * level->stride;

    memcpy (rows[j] + from, row + left + from, (size_t) (to - from)
        * sizeof (float));
    for (int i = 0; i < from; i++)
      rows[j][i] = row[0];
    for (int i = to; i < ROW_SIZE; i++)
      rows[j][i] = row[level->width - 1];
  }
}

/* The largest |add| of a candidate. */
#define LARGEST_ADD 2

/* Finds the indices of vectors in rows for which all candidates are so far
 * inside a row that a table around each is, too. */
static void
find_inside (Selection * d)
{
  const int around = LARGEST_ADD + STEREO_PYRAMID_REACH + 2 * LANES;
  const int x0 = d->tile.x - EDGE, width = d->a->level->width;
  float low[ROW_SIZE] ALIGNED, high[ROW_SIZE] ALIGNED;
  int begin = ROW_SIZE, end = 0;

  memcpy (low, d->s->dx[0], sizeof (low));
  memcpy (high, d->s->dx[0], sizeof (high));
  for (int j = 1; j < d->tile.height + 2 * MARGIN; j++) {
    for (int i = 0; i < ROW_SIZE; i += LANES) {
      const VecF32 dx = simd_load_f32 (d->s->dx[j] + i);

      simd_store_f32 (low + i, simd_min_f32 (simd_load_f32 (low + i), dx));
      simd_store_f32 (high + i, simd_max_f32 (simd_load_f32 (high + i), dx));
    }
  }
  while (begin > 0 && (float) (x0 + begin - 1 - around) + low[begin - 1] >= 0)
    begin--;
  while (end < ROW_SIZE
      && (float) (x0 + end + around) + high[end] <= (float) width)
    end++;
  begin = stereo_clamp_int (begin + STEREO_PYRAMID_REACH, d->first, d->end);
  d->inside_begin = d->first + (begin - d->first + LANES - 1) / LANES * LANES;
  d->inside_end = stereo_clamp_int (end - STEREO_PYRAMID_REACH, 0, d->end);
}

/* The pixel that contains `at`. */
ALWAYS_INLINE VecI32
round_position (VecF32 at)
{
  return ((VecI32) (at + 196608.0f) - 0x48400000
      + STEREO_PYRAMID_ONE / 2) >> 6;
}

/* The pixel nearest to `at` among n; outside: -1 in lanes without one. */
ALWAYS_INLINE VecI32
nearest_of (VecF32 at, int n, VecI32 * outside)
{
  const VecF32 zero = { 0 };

  *outside |= ~((VecI32) (at >= zero - 0.5f)
      & (VecI32) (at < zero + ((float) n - 0.5f)));
  at = simd_min_f32 (simd_max_f32 (at, zero), zero + (float) (n - 1));
  return round_position (at);
}

/* The errors of a candidate in row y of the level for the vectors at begin <= i
 * < end. */
ALWAYS_INLINE void
find_errors (const Selection * d, StereoPyramidCandidate c, int y,
    bool vertical, int begin, int end)
{
  const StereoPyramidLevel *level = d->a->level;
  const int j = y + c.y - d->tile.y + MARGIN;
  const uint32_t *left = level->census[0] + (size_t) y * level->stride;
  const float *right = (const float *) (const void *) level->census[1];
  /* locals, because the store of errors might change what pointers lead to */
  const int width = level->width, height = level->height;
  const int stride = (int) level->stride;
  const int n = vertical ? stride * height : stride;
  const int x0 = d->tile.x - EDGE;
  uint16_t *error = d->s->error;
  const float *dx = d->s->dx[j] + c.x, *dy = d->s->dy[j] + c.x;
  const VecF32 add = simd_set_f32 ((float) c.add);

  if (!vertical)
    right += (size_t) y * level->stride;
  for (int i = begin; i < end; i += LANES) {
    const int x = x0 + i;
    VecI32 outside = { 0 }, bits, ones;
    HalfVecU16 half;
    const VecF32 at = simd_to_f32 (simd_count_i32 () + x)
        + (simd_load_f32 (dx + i) + add);
    VecI32 index = nearest_of (at, width, &outside);

    if (vertical)
      index += nearest_of (simd_set_f32 ((float) y) + simd_load_f32 (dy + i),
          height, &outside) * stride;
    bits = simd_load_i32 (left + x) ^ (VecI32) simd_gather_near_f32 (right, n,
        index);
    bits |= outside & ((1 << STEREO_PYRAMID_CENSUS_BITS) - 1);
    ones = (VecI32) simd_count_ones8 ((VecU8) bits);
    half = simd_narrow32 ((VecU32) (ones + (ones >> 16)));
    memcpy (error + i, &half, sizeof (half));
  }
}

/* Entries of a row at two vectors of positions, as simd_gather_near_f32(). */
ALWAYS_INLINE void
get_pair (const float *row, const VecF32 at[2], VecI32 entries[2])
{
  VecI32 index[2], in_table[2];
  const float *table[2];

  for (int v = 0; v < 2; v++) {
    const int begin = (index[v] = round_position (at[v]))[0] - LANES / 2;

    in_table[v] = index[v] - begin;
    table[v] = row + begin;
  }
  if (simd_fits_table (in_table[0] | in_table[1])) {
    for (int v = 0; v < 2; v++)
      entries[v] = (VecI32) simd_look_up_f32 (table[v], in_table[v]);
  } else {
    for (int v = 0; v < 2; v++)
      entries[v] = (VecI32) simd_gather_f32 (row, index[v]);
  }
}

/* The errors of a candidate in row y of the level inside the row.  Returns the
 * index of the first vector that is not processed. */
static int
find_errors_inside (const Selection * d, StereoPyramidCandidate c, int y)
{
  const StereoPyramidLevel *level = d->a->level;
  const size_t offset = (size_t) y * level->stride;
  const int end = d->inside_end, x0 = d->tile.x - EDGE;
  const uint32_t *left = level->census[0] + offset + x0;
  const float *right = (const float *) (const void *) (level->census[1]
      + offset);
  const float *dx = d->s->dx[y + c.y - d->tile.y + MARGIN] + c.x;
  const VecF32 add = simd_set_f32 ((float) c.add);
  VecF32 x = simd_to_f32 (simd_count_i32 () + (x0 + d->inside_begin));
  uint16_t *error = d->s->error;
  int i;

  for (i = d->inside_begin; i + 2 * LANES <= end; i += 2 * LANES) {
    const VecF32 at[2] = {
      x + (simd_load_f32 (dx + i) + add),
      x + (float) LANES + (simd_load_f32 (dx + i + LANES) + add)
    };
    VecI32 entries[2];
    VecU8 ones[2];

    get_pair (right, at, entries);
    for (int v = 0; v < 2; v++)
      ones[v] = simd_count_ones8 ((VecU8) (entries[v]
              ^ simd_load_i32 (left + i + v * LANES)));
    simd_store16 (error + i, simd_add_halves32 ((VecU32) ones[0],
            (VecU32) ones[1]));
    x += (float) (2 * LANES);
  }
  return i;
}

static void
find_row_errors (const Selection * d, StereoPyramidCandidate c, int y)
{
  if (d->a->k->vertical) {
    find_errors (d, c, y, true, d->first, d->end);
  } else {
    find_errors (d, c, y, false, d->first, d->inside_begin);
    find_errors (d, c, y, false, find_errors_inside (d, c, y), d->end);
  }
  repeat_ends_u16 (&d->tile, d->a->level, WINDOW, d->s->error);
}

static void
sum_errors (const Selection * d, int y)
{
  const uint16_t *error = d->s->error;
  uint16_t *sums = d->s->sums[RING (y, 5)];

  for (int i = EDGE; i < EDGE + d->tile.width; i += 2 * LANES) {
    const VecU16 sum = simd_load16 (error + i - 2) + simd_load16 (error + i - 1)
        + simd_load16 (error + i) + simd_load16 (error + i + 1)
        + simd_load16 (error + i + 2);

    simd_store16 (sums + i, (sum & 255) + (sum >> 8));
  }
}

/* Compares a candidate with those before in row y. */
static void
compare_row (const Selection * d, int candidate, int y)
{
  uint16_t *best = d->s->best[y - d->tile.y];
  const uint16_t *rows[5];

  for (int j = 0; j < 5; j++)
    rows[j] = d->s->sums[RING (stereo_clamp_int (y - 2 + j, 0,
                d->a->level->height - 1), 5)] + EDGE;
  for (int i = 0; i < d->tile.width; i += 2 * LANES) {
    const VecU16 sum = simd_load16 (rows[0] + i) + simd_load16 (rows[1] + i)
        + simd_load16 (rows[2] + i) + simd_load16 (rows[3] + i)
        + simd_load16 (rows[4] + i);

    simd_store16 (best + i, simd_min16 (simd_load16 (best + i),
            (sum << KEY_BITS) + (uint16_t) candidate));
  }
}

static void
try_candidate (const Selection * d, int candidate)
{
  const StereoPyramidCandidate c = stereo_pyramid_candidate (candidate);
  const int y0 = d->tile.y, y1 = d->tile.y + d->tile.height;

  for (int y = y0 - WINDOW; y < y1 + WINDOW; y++) {
    if (y >= 0 && y < d->a->level->height) {
      find_row_errors (d, c, y);
      sum_errors (d, y);
    }
    if (y - WINDOW >= y0)
      compare_row (d, candidate, y - WINDOW);
  }
}

static void
store_part (const Selection * d)
{
  const StereoPyramidField *to = d->a->to;

  for (int j = 0; j < d->tile.height; j++) {
    const size_t row = (size_t) (d->tile.y + j) * d->a->level->stride
        + (size_t) d->tile.x;

    for (int i = 0; i < d->tile.width; i++) {
      const StereoPyramidCandidate c = stereo_pyramid_candidate (
          d->s->best[j][i] % (1 << KEY_BITS));
      const int v = j + MARGIN + c.y, u = i + EDGE + c.x;

      to->dx[row + (size_t) i] = d->s->dx[v][u] + (float) c.add;
      if (d->a->k->vertical)
        to->dy[row + (size_t) i] = d->s->dy[v][u];
      to->confidence[row + (size_t) i] = d->s->confidence[v][u];
    }
  }
}

static void
select_part (Selection * d)
{
  const StereoPyramidArgs *a = d->a;

  load_part (d, a->from->dx, d->s->dx);
  if (a->k->vertical)
    load_part (d, a->from->dy, d->s->dy);
  else
    find_inside (d);
  load_part (d, a->from->confidence, d->s->confidence);
  memset (d->s->best, 0xff, sizeof (d->s->best));
  for (int i = 0; i < STEREO_PYRAMID_CANDIDATES; i++)
    try_candidate (d, i);
  store_part (d);
}

static void
select_tiles (const void *context, StereoSpan span)
{
  const TileJob *job = context;
  const StereoPyramidLevel *level = job->a->level;
  SelectScratch scratch;

  for (int t = span.begin; t < span.end; t++) {
    const Tile tile = get_tile (&job->tiling, level, t);
    Selection d = {.a = job->a,.tile = tile,.s = &scratch };
    int first, end;

    /* whole vectors */
    get_columns (&tile, level, EDGE / 2, &first, &end);
    d.first = row_index (&tile, first);
    d.end = row_index (&tile, end);
    for (int y = tile.y; y < tile.y + tile.height; y += PART) {
      d.tile.y = y;
      d.tile.height = tile.y + tile.height - y < PART
          ? tile.y + tile.height - y : PART;
      select_part (&d);
    }
  }
}

StereoStatus
STAGE (select) (const StereoPyramidArgs * a)
{
  return for_tiles (a, 1, select_tiles);
}
