/* gst-stereomatching: disparity ranges from a match of half size, on the CPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/range.h"

#include "core/cpu.h"
#include "match/range-formula.h"

typedef struct
{
  const StereoRangeConstants *k;
  const StereoView *view;
  const StereoHalfView *half;
  const StereoMap *map;
  const StereoRanges *ranges;
} RangeJob;

/* Means of two rows of a view. */
static void
halve_row (const uint8_t * restrict upper, const uint8_t * restrict lower,
    int width, uint8_t * restrict target)
{
  const int n = width / 2;

#pragma omp simd
  for (int x = 0; x < n; x++)
    target[x] = (uint8_t) stereo_range_mean (upper[2 * x], upper[2 * x + 1],
        lower[2 * x], lower[2 * x + 1]);
  if (width % 2 != 0)
    target[n] = (uint8_t) stereo_range_mean (upper[2 * n], upper[2 * n],
        lower[2 * n], lower[2 * n]);
}

static void
halve_rows (const void *context, StereoSpan span)
{
  const RangeJob *job = context;
  const StereoRangeConstants *k = job->k;
  const size_t stride = job->view->stride;

  for (int y = span.begin; y < span.end; y++) {
    const size_t upper = (size_t) (2 * y) * stride;
    const size_t lower = 2 * y + 1 < k->height ? upper + stride : upper;

    for (int c = 0; c < k->channels; c++)
      halve_row (job->view->plane[c] + upper, job->view->plane[c] + lower,
          k->width, job->half->plane[c] + (size_t) y * job->half->stride);
  }
}

static StereoStatus
range_halve_cpu (StereoQueue * queue, const StereoRangeConstants * k,
    const StereoView * view, const StereoHalfView * half)
{
  const RangeJob job = {.k = k,.view = view,.half = half };

  stereo_cpu_for (queue, stereo_range_half (k->height), 0, halve_rows, &job);
  return STEREO_OK;
}

static void
find_rows (const void *context, StereoSpan span)
{
  const RangeJob *job = context;
  const StereoRangeConstants *k = job->k;
  const int columns = job->ranges->columns;

  for (int i = span.begin; i < span.end; i++) {
    const StereoRangeSpan rows = stereo_range_span (i,
        stereo_range_half (k->height));

    for (int j = 0; j < columns; j++) {
      const StereoRangeSpan across = stereo_range_span (j,
          stereo_range_half (k->width));
      int least = STEREO_INVALID, most = -1;

      for (int y = rows.begin; y < rows.end; y++) {
        const uint16_t *row = job->map->data + (size_t) y * job->map->stride;

        for (int x = across.begin; x < across.end; x++) {
          if (row[x] == STEREO_INVALID)
            continue;
          least = row[x] < least ? row[x] : least;
          most = row[x] > most ? row[x] : most;
        }
      }
      job->ranges->tiles[i * columns + j] = stereo_range_word (k, least, most);
    }
  }
}

static StereoStatus
range_find_cpu (StereoQueue * queue, const StereoRangeConstants * k,
    const StereoMap * map, const StereoRanges * ranges)
{
  const RangeJob job = {.k = k,.map = map,.ranges = ranges };

  stereo_cpu_for (queue, stereo_range_tiles (k->height), 0, find_rows, &job);
  return STEREO_OK;
}

static const StereoRangeStages stages = {
  .halve = range_halve_cpu,
  .find = range_find_cpu,
};

const void *
stereo_range_stages_cpu (StereoSimd simd)
{
  (void) simd;
  return &stages;
}
