/* gst-stereomatching: vector resampling between pyramid levels
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/pyramid/pyramid-simd.h"

#include <string.h>

/* --------------------------------------------------------------- downsample */

/* Fine columns under a tile of the coarse level, at most 1.5 times as many, and
 * their neighbours. */
#define FINE_SIZE (TILE_WIDTH * 3 / 2 + 64)
/* Rows of six taps and up to two skipped rows. */
#define FINE_ROWS 8

typedef struct
{
  int base;                     /* first column of the fine level */
  int count;                    /* of columns */
  int32_t column[TILE_WIDTH];   /* of the tile, from base */
  int32_t part[TILE_WIDTH];
  int32_t field[3][FINE_SIZE];
  uint32_t smooth[3][FINE_SIZE];
  /* Filtered rows. */
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

/* Filters row y, clamped, of the fine level. */
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
      VecI32 next, at = simd_gather_near_pairs_i32 (smooth, FINE_SIZE,
          simd_load_i32 (s->column + i), &next);

      simd_store_i32 (sums[c] + i, (at << 6)
          + (next - at) * simd_load_i32 (s->part + i));
    }
  }
}

/* stereo_pyramid_smaller() of six rows of sums.  589824 is 9 * 2^16, and the
 * product with 7282 is a ninth for 0 to 32767. */
ALWAYS_INLINE VecI32
smaller_field (const int32_t (*const row[6])[TILE_WIDTH], const int32_t tap[6],
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
      simd_store_i32 (words + x, smaller_field (row, tap, 0, x)
          | smaller_field (row, tap, 1, x) << STEREO_PYRAMID_G_SHIFT
          | smaller_field (row, tap, 2, x) << STEREO_PYRAMID_B_SHIFT);
    if (tile->x + tile->width == coarse->width)
      memset (words + tile->width, 0, (coarse->stride
              - (size_t) coarse->width) * sizeof (*words));
  }
}

static void
downsample_tiles (const void *context, StereoSpan span)
{
  const TileJob *job = context;
  const StereoPyramidLevel *fine = job->a->source, *coarse = job->a->level;

  for (int t = span.begin; t < span.end; t++) {
    Tile tile = get_tile (&job->tiling, coarse, t / 2);

    if (t % 2)
      downsample_tile (fine, coarse, &tile, fine->right, coarse->right);
    else
      downsample_tile (fine, coarse, &tile, fine->left, coarse->left);
  }
}

StereoStatus
STAGE (downsample) (const StereoPyramidArgs * a)
{
  return for_tiles (a, 2, downsample_tiles);
}

/* ----------------------------------------------------------------- upsample */

typedef struct
{
  int stride;                   /* of the coarse level */
  int32_t column[TILE_WIDTH];
  int32_t next[TILE_WIDTH];     /* the column after, or the last one */
  float part[TILE_WIDTH];
} ALIGNED UpsampleScratch;

/* Interpolates between two rows of the coarse plane. */
ALWAYS_INLINE void
upsample_row (const float *above, const float *below, const Tile * tile,
    const UpsampleScratch * s, float part, float scale, float *to)
{
  for (int i = 0; i < tile->width; i += LANES) {
    VecI32 column = simd_load_i32 (s->column + i);
    VecI32 next = simd_load_i32 (s->next + i);
    VecF32 ax = simd_load_f32 (s->part + i);
    VecF32 p00 = simd_gather_near_f32 (above, s->stride, column);
    VecF32 p10 = simd_gather_near_f32 (above, s->stride, next);
    VecF32 p01 = simd_gather_near_f32 (below, s->stride, column);
    VecF32 p11 = simd_gather_near_f32 (below, s->stride, next);
    VecF32 a = p00 + ax * (p10 - p00), b = p01 + ax * (p11 - p01);

    simd_store_f32 (to + i, (a + part * (b - a)) * scale);
  }
}

static void
upsample_tile (const StereoPyramidArgs * a, const Tile * tile)
{
  const StereoPyramidLevel *coarse = a->source, *fine = a->level;
  const StereoPyramidField *from = a->from, *to = a->to;
  UpsampleScratch s;

  s.stride = (int) coarse->stride;
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
    if (a->k->vertical)
      upsample_row (from->dy + above, from->dy + below, tile, &s, part,
          fine->scale_y, to->dy + p);
    upsample_row (from->confidence + above, from->confidence + below, tile, &s,
        part, 1.0f, to->confidence + p);
  }
}

static void
upsample_tiles (const void *context, StereoSpan span)
{
  const TileJob *job = context;

  for (int t = span.begin; t < span.end; t++) {
    Tile tile = get_tile (&job->tiling, job->a->level, t);

    upsample_tile (job->a, &tile);
  }
}

StereoStatus
STAGE (upsample) (const StereoPyramidArgs * a)
{
  return for_tiles (a, 1, upsample_tiles);
}
