/* gst-stereomatching: plain selection of displacements in a pyramid
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/pyramid/pyramid-cpu.h"

#include "core/cpu.h"
#include "match/pyramid/pyramid-formula.h"

/* ------------------------------------------------------------------- census */

static uint32_t
census_at (const StereoPyramidLevel * level, const uint32_t * view, int x,
    int y)
{
  const int center = stereo_pyramid_brightness (view[(size_t) y
          * level->stride + (size_t) x]);
  uint32_t bits = 0;

  for (int i = 0; i < 25; i++) {
    const int u = stereo_clamp_int (x + i % 5 - 2, 0, level->width - 1);
    const int v = stereo_clamp_int (y + i / 5 - 2, 0, level->height - 1);

    if (i != 12)
      bits = bits << 1 | (stereo_pyramid_brightness (view[(size_t) v
                  * level->stride + (size_t) u]) > center);
  }
  return bits;
}

static void
census_rows (const void *context, StereoSpan span)
{
  const StereoPyramidArgs *a = context;
  const StereoPyramidLevel *level = a->level;

  for (int y = span.begin; y < span.end; y++) {
    for (int x = 0; x < level->width; x++) {
      const size_t p = (size_t) y * level->stride + (size_t) x;

      level->census[0][p] = census_at (level, level->left, x, y);
      level->census[1][p] = census_at (level, level->right, x, y);
    }
  }
}

StereoStatus
stereo_pyramid_census_cpu (const StereoPyramidArgs * a)
{
  StereoPyramidArgs level = *a;

  for (int i = 0; i < a->k->n_levels; i++) {
    level.level = &a->level[i];
    stereo_cpu_for (a->queue, level.level->height, 0, census_rows, &level);
  }
  return STEREO_OK;
}

/* ---------------------------------------------------------------- selection */

#define TILE 32
#define BORDER STEREO_PYRAMID_WINDOW
#define SIDE (TILE + 2 * BORDER)

typedef struct
{
  int x, y;                     /* of the level */
  uint8_t error[SIDE][SIDE];    /* of a candidate */
  uint16_t lowest[TILE][TILE];
  uint8_t best[TILE][TILE];
} Tile;

/* Offset of the pixel whose displacement a candidate of (x, y) has. */
static size_t
source_of (const StereoPyramidLevel * level, StereoPyramidCandidate c, int x,
    int y)
{
  return (size_t) stereo_clamp_int (y + c.y, 0, level->height - 1)
      * level->stride
      + (size_t) stereo_clamp_int (x + c.x, 0, level->width - 1);
}

static void
compute_errors (const StereoPyramidArgs * a, StereoPyramidCandidate c,
    Tile * tile)
{
  const StereoPyramidLevel *level = a->level;

  for (int j = 0; j < SIDE; j++) {
    const int y = stereo_clamp_int (tile->y - BORDER + j, 0,
        level->height - 1);

    for (int i = 0; i < SIDE; i++) {
      const int x = stereo_clamp_int (tile->x - BORDER + i, 0,
          level->width - 1);
      const size_t q = source_of (level, c, x, y);

      tile->error[j][i] = (uint8_t) stereo_pyramid_error (
          level->census[0][(size_t) y * level->stride + (size_t) x],
          level->census[1], (int) level->stride, level->width, level->height,
          x, y, a->from->dx[q] + (float) c.add,
          a->k->vertical ? a->from->dy[q] : 0.0f);
    }
  }
}

static void
compare_candidate (Tile * tile, int candidate)
{
  for (int j = 0; j < TILE; j++) {
    for (int i = 0; i < TILE; i++) {
      unsigned sum = 0;

      for (int w = 0; w < 25; w++)
        sum += tile->error[j + w / 5][i + w % 5];
      if (candidate == 0 || sum < tile->lowest[j][i]) {
        tile->lowest[j][i] = (uint16_t) sum;
        tile->best[j][i] = (uint8_t) candidate;
      }
    }
  }
}

static void
store_selected (const StereoPyramidArgs * a, const Tile * tile)
{
  const StereoPyramidLevel *level = a->level;
  const StereoPyramidField *from = a->from, *to = a->to;

  for (int y = tile->y; y < tile->y + TILE && y < level->height; y++) {
    for (int x = tile->x; x < tile->x + TILE && x < level->width; x++) {
      const StereoPyramidCandidate c = stereo_pyramid_candidate (
          tile->best[y - tile->y][x - tile->x]);
      const size_t q = source_of (level, c, x, y);
      const size_t p = (size_t) y * level->stride + (size_t) x;

      to->dx[p] = from->dx[q] + (float) c.add;
      if (a->k->vertical)
        to->dy[p] = from->dy[q];
      to->confidence[p] = from->confidence[q];
    }
  }
}

static void
select_tiles (const void *context, StereoSpan span)
{
  const StereoPyramidArgs *a = context;
  const int columns = (a->level->width + TILE - 1) / TILE;

  for (int t = span.begin; t < span.end; t++) {
    Tile tile;

    tile.x = t % columns * TILE;
    tile.y = t / columns * TILE;
    for (int i = 0; i < STEREO_PYRAMID_CANDIDATES; i++) {
      compute_errors (a, stereo_pyramid_candidate (i), &tile);
      compare_candidate (&tile, i);
    }
    store_selected (a, &tile);
  }
}

StereoStatus
stereo_pyramid_select_cpu (const StereoPyramidArgs * a)
{
  const int columns = (a->level->width + TILE - 1) / TILE;
  const int rows = (a->level->height + TILE - 1) / TILE;

  stereo_cpu_for (a->queue, columns * rows, 0, select_tiles, a);
  return STEREO_OK;
}
