/* gst-stereomatching: vector stages of the correlation over a pyramid
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The arithmetic is that of pyramid-formula.h.  Threads process tiles of a
 * level.  A tile is processed from top to bottom with ring buffers of a few
 * rows, so that all intermediate values stay in the second-level cache.  Its
 * rows are too short for hardware to prefetch the next one: loops that read a
 * level do.
 */

#ifndef STEREO_PYRAMID_SIMD_H
#define STEREO_PYRAMID_SIMD_H

#include "match/pyramid/pyramid-cpu.h"

#include "core/cpu.h"
#include "match/pyramid/pyramid-formula.h"
#include "simd/simd-float.h"

#include <limits.h>

#define LANES SIMD_LANES32
#define ALIGNED __attribute__ ((aligned (SIMD_ALIGNMENT)))

#define TILE_WIDTH 256
#define MAX_TILE_HEIGHT 256
#define MIN_TILE_HEIGHT 16
/* Columns on either side of a tile in its rows: at least two vectors. */
#define EDGE 32
#define ROW_SIZE (EDGE + TILE_WIDTH + 2 * EDGE)

/* Index of row y in a ring buffer of n rows. */
#define RING(y, n) (((y) + 8 * (n)) % (n))

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
  int chunk;                    /* tiles per task */
} Tiling;

/* Smaller levels run on one thread. */
#define MIN_PARALLEL_PIXELS 8192

/* The tallest tiles that keep all threads busy. */
static inline Tiling
make_tiling (const StereoQueue * queue, const StereoPyramidLevel * level)
{
  Tiling t;
  int rows, threads = level->width * level->height < MIN_PARALLEL_PIXELS
      ? 1 : stereo_cpu_threads (queue);

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

static inline Tile
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

/* Context of a loop over the tiles of a->level. */
typedef struct
{
  const StereoPyramidArgs *a;
  Tiling tiling;
} TileJob;

/* Calls body for the tiles of a->level, `times` times the number of tiles. */
static inline StereoStatus
for_tiles (const StereoPyramidArgs * a, int times, StereoPoolBody body)
{
  TileJob job = { a, make_tiling (a->queue, a->level) };

  stereo_cpu_for (a->queue, times * job.tiling.n, job.tiling.chunk, body,
      &job);
  return STEREO_OK;
}

/* Index of column x of the image in the rows of a tile. */
ALWAYS_INLINE int
row_index (const Tile * tile, int x)
{
  return x - tile->x + EDGE;
}

/* End index of the vectors that cover the columns of the tile. */
ALWAYS_INLINE int
vectors_end (const Tile * tile)
{
  return EDGE + (tile->width + LANES - 1) / LANES * LANES;
}

/* Columns first <= x < end of the image: the tile and up to `around` columns on
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

/* Repeats the outermost columns of the image `around` times. */
#define DEFINE_REPEAT_ENDS(name, Lane) \
  ALWAYS_INLINE void \
  name (const Tile * tile, const StereoPyramidLevel * level, int around, \
      Lane * row) \
  { \
    int last = row_index (tile, level->width - 1); \
  \
    for (int i = 1; tile->x == 0 && i <= around; i++) \
      row[EDGE - i] = row[EDGE]; \
    for (int i = 1; last < EDGE + TILE_WIDTH + EDGE && i <= around; i++) \
      row[last + i] = row[last]; \
  }

DEFINE_REPEAT_ENDS (repeat_ends, int32_t)
DEFINE_REPEAT_ENDS (repeat_ends_f32, float)
DEFINE_REPEAT_ENDS (repeat_ends_u16, uint16_t)

/* Stages, for each instruction set. */
#define STAGE(name) SIMD_NAME (stereo_pyramid_##name##_)

StereoStatus STAGE (prepare) (const StereoPyramidArgs * a);
StereoStatus STAGE (correlate) (const StereoPyramidArgs * a);
StereoStatus STAGE (diffuse) (const StereoPyramidArgs * a);
StereoStatus STAGE (census) (const StereoPyramidArgs * a);
StereoStatus STAGE (select) (const StereoPyramidArgs * a);
StereoStatus STAGE (downsample) (const StereoPyramidArgs * a);
StereoStatus STAGE (upsample) (const StereoPyramidArgs * a);

#endif /* STEREO_PYRAMID_SIMD_H */
