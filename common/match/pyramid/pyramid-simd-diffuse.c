/* gst-stereomatching: vector diffusion of a pyramid level
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* All steps of a diffusion process a tile together, each step one row behind
 * the one before. */

#include "match/pyramid/pyramid-simd.h"

#include <string.h>

/* Columns on either side of a tile that take part: whole vectors. */
#define APRON 16

/* Steps of one pass over the tile; their border fits the ends of rows. */
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

/* Diffusion of a tile. */
typedef struct
{
  Tile tile;
  const StereoPyramidLevel *level;
  StereoPyramidField from;
  StereoPyramidField to;
  bool vertical;
  int steps;
  bool mean;
  int first;                    /* index range of vectors in rows */
  int end;
  DiffusionScratch *s;
} Diffusion;

typedef struct
{
  VecF32 dx;
  VecF32 dy;
  VecF32 confidence;
} Values;

/* Stores the result of step `done` at index i: as input of the next step, or as
 * values after the last one. */
ALWAYS_INLINE void
store_step (const Diffusion * d, int done, int y, int i, Values v, bool last,
    bool vertical)
{
  if (last) {
    simd_store_f32 (d->s->value[VALUE_DX] + i, v.dx);
    if (vertical)
      simd_store_f32 (d->s->value[VALUE_DY] + i, v.dy);
    simd_store_f32 (d->s->value[VALUE_CONFIDENCE] + i, v.confidence);
  } else {
    float (*row)[ROW_SIZE] = d->s->weighted[done][RING (y, 3)];

    simd_store_f32 (row[WEIGHT] + i, v.confidence);
    simd_store_f32 (row[WEIGHTED_DX] + i, v.confidence * v.dx);
    if (vertical)
      simd_store_f32 (row[WEIGHTED_DY] + i, v.confidence * v.dy);
    simd_store_f32 (row[WEIGHTED_WEIGHT] + i, v.confidence * v.confidence);
  }
}

/* Repeats the ends of a row that store_step() has stored. */
ALWAYS_INLINE void
repeat_step_ends (const Diffusion * d, int done, int y, bool last,
    bool vertical)
{
  float (*row)[ROW_SIZE] = last ? d->s->value
      : d->s->weighted[done][RING (y, 3)];

  for (int v = 0; v < (last ? N_VALUES : N_WEIGHTED); v++) {
    if (vertical || v != (last ? VALUE_DY : WEIGHTED_DY))
      repeat_ends_f32 (&d->tile, d->level, 1, row[v]);
  }
}

ALWAYS_INLINE void
load_row_impl (const Diffusion * d, int y, bool last, bool vertical)
{
  size_t offset = (size_t) y * d->level->stride;

  for (int i = d->first; i < d->end; i += LANES) {
    size_t p = offset + (size_t) (d->tile.x + i - EDGE);
    Values v = {
      .dx = simd_load_f32 (d->from.dx + p),
      .dy = vertical ? simd_load_f32 (d->from.dy + p) : simd_set_f32 (0.0f),
      .confidence = simd_load_f32 (d->from.confidence + p)
    };

    __builtin_prefetch (d->from.dx + d->level->stride + p);
    __builtin_prefetch (d->from.confidence + d->level->stride + p);
    store_step (d, 0, y, i, v, last, vertical);
  }
  repeat_step_ends (d, 0, y, last, vertical);
}

/* stereo_pyramid_cross() of a plane of three rows. */
ALWAYS_INLINE VecF32
cross_of (const float *up, const float *own, const float *down, int i)
{
  return ((simd_load_f32 (own + i - 1) + simd_load_f32 (own + i + 1))
      + (simd_load_f32 (up + i) + simd_load_f32 (down + i)))
      + simd_load_f32 (own + i);
}

/* Row y of step `done` from the result of the step before. */
ALWAYS_INLINE void
step_row_impl (const Diffusion * d, int done, int y, bool last, bool vertical)
{
  float (*ring)[N_WEIGHTED][ROW_SIZE] = d->s->weighted[done - 1];
  float (*own)[ROW_SIZE] = ring[RING (y, 3)];
  float (*up)[ROW_SIZE] = y > 0 ? ring[RING (y - 1, 3)] : own;
  float (*down)[ROW_SIZE] = y + 1 < d->level->height ? ring[RING (y + 1, 3)]
      : own;

  for (int i = d->first; i < d->end; i += LANES) {
    VecF32 r = 1.0f / cross_of (up[WEIGHT], own[WEIGHT], down[WEIGHT], i);
    Values v = {
      .dx = cross_of (up[WEIGHTED_DX], own[WEIGHTED_DX], down[WEIGHTED_DX], i)
          * r,
      .dy = simd_set_f32 (0.0f),
      .confidence = cross_of (up[WEIGHTED_WEIGHT], own[WEIGHTED_WEIGHT],
          down[WEIGHTED_WEIGHT], i) * r
    };

    if (vertical)
      v.dy = cross_of (up[WEIGHTED_DY], own[WEIGHTED_DY], down[WEIGHTED_DY], i)
          * r;
    store_step (d, done, y, i, v, last, vertical);
  }
  repeat_step_ends (d, done, y, last, vertical);
}

ALWAYS_INLINE void
process_row (const Diffusion * d, int done, int y, bool last, bool vertical)
{
  if (done == 0)
    load_row_impl (d, y, last, vertical);
  else
    step_row_impl (d, done, y, last, vertical);
}

static void
step_row (const Diffusion * d, int done, int y)
{
  bool last = done == d->steps;

  if (d->vertical && last)
    process_row (d, done, y, true, true);
  else if (d->vertical)
    process_row (d, done, y, false, true);
  else if (last)
    process_row (d, done, y, true, false);
  else
    process_row (d, done, y, false, false);
}

ALWAYS_INLINE float *
plane_of (const StereoPyramidField * field, int value)
{
  return value == VALUE_DX ? field->dx
      : value == VALUE_DY ? field->dy : field->confidence;
}

/* Stores the values of row y without a mean. */
static void
store_values (const Diffusion * d, int y)
{
  size_t offset = (size_t) y * d->level->stride + (size_t) d->tile.x;

  for (int v = 0; v < N_VALUES; v++) {
    float *plane = plane_of (&d->to, v);

    if (v != VALUE_DY || d->vertical)
      memcpy (plane + offset, d->s->value[v] + EDGE,
          (size_t) d->tile.width * sizeof (float));
  }
}

/* Sums of three columns from row y of the values. */
static void
sum_values (const Diffusion * d, int y)
{
  int end = vectors_end (&d->tile);

  for (int v = 0; v < N_VALUES; v++) {
    const float *value = d->s->value[v];
    float *sums = d->s->sums[RING (y, 3)][v];

    if (v == VALUE_DY && !d->vertical)
      continue;
    for (int i = EDGE; i < end; i += LANES)
      simd_store_f32 (sums + i, (simd_load_f32 (value + i - 1)
              + simd_load_f32 (value + i + 1)) + simd_load_f32 (value + i));
  }
}

/* The mean in row y. */
static void
mean_row (const Diffusion * d, int y)
{
  size_t offset = (size_t) y * d->level->stride + (size_t) d->tile.x;
  int end = vectors_end (&d->tile);

  for (int v = 0; v < N_VALUES; v++) {
    const float *own = d->s->sums[RING (y, 3)][v];
    const float *up = y > 0 ? d->s->sums[RING (y - 1, 3)][v] : own;
    const float *down = y + 1 < d->level->height
        ? d->s->sums[RING (y + 1, 3)][v] : own;
    float *plane = plane_of (&d->to, v);

    if (v == VALUE_DY && !d->vertical)
      continue;
    for (int i = EDGE; i < end; i += LANES)
      simd_store_f32 (plane + offset + (i - EDGE), ((simd_load_f32 (up + i)
                  + simd_load_f32 (down + i)) + simd_load_f32 (own + i))
          * STEREO_PYRAMID_NINTH);
  }
}

/* The mean is one row behind the last step. */
static void
diffuse_tile (Diffusion * d)
{
  int y0 = d->tile.y, y1 = d->tile.y + d->tile.height;
  int apron = d->steps + d->mean, first, end;

  get_columns (&d->tile, d->level, APRON, &first, &end);
  d->first = row_index (&d->tile, first);
  d->end = row_index (&d->tile, end);
  for (int t = y0 - apron; t < y1 + apron + d->mean; t++) {
    for (int done = 0; done <= d->steps; done++) {
      int y = t - done;
      int around = d->steps - done + d->mean;

      if (y < 0 || y >= d->level->height || y < y0 - around
          || y >= y1 + around)
        continue;
      step_row (d, done, y);
      if (done == d->steps && d->mean)
        sum_values (d, y);
      else if (done == d->steps)
        store_values (d, y);
    }
    if (d->mean && t - d->steps - 1 >= y0 && t - d->steps - 1 < y1)
      mean_row (d, t - d->steps - 1);
  }
}

typedef struct
{
  const StereoPyramidArgs *a;
  Tiling tiling;
  const StereoPyramidField *from;
  const StereoPyramidField *to;
  int steps;
  bool mean;
} DiffusionJob;

static void
diffuse_tiles (const void *context, StereoSpan span)
{
  const DiffusionJob *job = context;

  for (int t = span.begin; t < span.end; t++) {
    DiffusionScratch scratch;
    Diffusion d = {
      .tile = get_tile (&job->tiling, job->a->level, t),
      .level = job->a->level, .from = *job->from, .to = *job->to,
      .vertical = job->a->k->vertical, .steps = job->steps, .mean = job->mean,
      .s = &scratch
    };

    diffuse_tile (&d);
  }
}

/* The number of passes is odd, so that the last one writes to a->to. */
StereoStatus
STAGE (diffuse) (const StereoPyramidArgs * a)
{
  int passes = (a->level->diffusion + MAX_STEPS - 1) / MAX_STEPS | 1;
  int left = a->level->diffusion;

  for (int i = 0; i < passes; i++) {
    DiffusionJob job = {
      .a = a, .tiling = make_tiling (a->queue, a->level),
      .from = i % 2 ? a->to : a->from, .to = i % 2 ? a->from : a->to,
      .steps = left / (passes - i), .mean = i == passes - 1
    };

    stereo_cpu_for (a->queue, job.tiling.n, job.tiling.chunk, diffuse_tiles,
        &job);
    left -= job.steps;
  }
  return STEREO_OK;
}
