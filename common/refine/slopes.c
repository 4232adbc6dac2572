/* gst-stereomatching: slopes of a disparity map
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "refine/refine-cpu.h"

#include "core/cpu.h"

/* The slope at element i, step elements apart from its neighbours; n is the
 * number of neighbours on the side that has fewer of them. */
static int
slope_at (int unit, const uint16_t * codes, size_t i, size_t step, int n)
{
  StereoSlopeSums sums = { 0, 0 };

  for (int k = STEREO_SLOPE_STEP; k <= STEREO_SLOPE_REACH && k <= n;
      k += STEREO_SLOPE_STEP)
    stereo_slope_add (&sums, unit, k, codes[i], codes[i - (size_t) k * step],
        codes[i + (size_t) k * step]);
  return stereo_slope (&sums, unit);
}

static void
slope_rows (const void *context, StereoSpan span)
{
  const StereoRefineJob *job = context;
  const int unit = job->k->unit, width = job->k->width;
  const StereoMap *map = job->map;

  for (int y = span.begin; y < span.end; y++) {
    const size_t row = (size_t) y * map->stride;
    const int bottom = job->k->height - 1 - y, rows = y < bottom ? y : bottom;
    int16_t *along_x = stereo_slope_row (job->work, 0, y);
    int16_t *along_y = stereo_slope_row (job->work, 1, y);

    for (int x = 0; x < width; x++) {
      const size_t i = row + (size_t) x;
      const int right = width - 1 - x, columns = x < right ? x : right;
      const bool valid = map->data[i] != STEREO_INVALID;

      along_x[x] = valid ? (int16_t) slope_at (unit, map->data, i, 1, columns)
          : 0;
      along_y[x] = valid ? (int16_t) slope_at (unit, map->data, i, map->stride,
          rows) : 0;
    }
  }
}

StereoStatus
stereo_refine_slopes_cpu (StereoQueue * queue, const StereoRefineConstants * k,
    const StereoRefineWork * work, const StereoMap * map)
{
  const StereoRefineJob job = {.k = k,.work = work,.map = map };

  stereo_cpu_for (queue, k->height, 0, slope_rows, &job);
  return STEREO_OK;
}
