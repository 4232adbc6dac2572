/* gst-stereomatching: SIMD slopes of a disparity map
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Compiled once for each instruction set.
 *
 * The sums of slope-formula.h have common factors: with k = 2 j, the products
 * are 2 s and the squares 8 q, where s is the sum of j (b - a) and q that of
 * j j.  The slope is 64 s / q, rounded; |s| is at most 1280 and q at most 30.
 */

#include "core/cpu.h"
#include "refine/refine-cpu.h"
#include "refine/stages-simd.h"
#include "simd/simd.h"

#define LANES (SIMD_BYTES / 2)
#define CHUNK 512
#define REACH STEREO_SLOPE_REACH
#define PAIRS (STEREO_SLOPE_REACH / STEREO_SLOPE_STEP)

/* Sums of the pixels of a chunk: s and q. */
typedef struct
{
  int16_t s[CHUNK];
  int16_t q[CHUNK];
} Sums;

/* The sums of n pixels, and of up to LANES - 1 more, from their outermost of
 * n_pairs pairs to the nearest; neighbours are step elements apart. */
ALWAYS_INLINE void
add_pairs (int unit, const uint16_t * codes, ptrdiff_t step, int n_pairs,
    int n, Sums * sums)
{
  const VecU16 range = simd_set16 ((uint16_t) (4 * unit));
  const VecU16 last = simd_set16 ((uint16_t) (STEREO_INVALID - 1 - 4 * unit));
  const VecU16 tolerance = simd_set16 ((uint16_t) (2 * unit));

  for (int i = 0; i < n; i += LANES) {
    const VecU16 center = simd_load16 (codes + i);
    /* Both codes of a pair are from low to high, and so not invalid. */
    const VecU16 low = simd_max16 (center, range) - range;
    const VecU16 high = simd_min16 (center, last) + range;
    VecU16 s = { 0 }, q = { 0 };

    for (int j = n_pairs; j > 0; j--) {
      const ptrdiff_t offset = j * STEREO_SLOPE_STEP * step;
      const VecU16 a = simd_load16 (codes + i - offset);
      const VecU16 b = simd_load16 (codes + i + offset);
      const VecU16 bend = a + b - 2 * center + (uint16_t) unit;
      const VecU16 mask = (VecU16) (simd_min16 (simd_max16 (a, low), high)
          == a) & (VecU16) (simd_min16 (simd_max16 (b, low), high) == b)
          & (VecU16) (simd_min16 (bend, tolerance) == bend);

      s += (b - a) * simd_set16 ((uint16_t) j) & mask;
      q += simd_set16 ((uint16_t) (j * j)) & mask;
    }
    simd_store16 (sums->s + i, s);
    simd_store16 (sums->q + i, q);
  }
}

/*
 * The slopes of n pixels.  |slope| is floor ((128 |s| + q) / (2 q)), and s is 0
 * if q is.  Half a unit more in the dividend keeps the quotient at least 1/120
 * away from whole numbers; it is below 2^14, and single precision exact to
 * 2^-9.
 */
static void
divide_sums (int unit, const uint16_t * restrict codes,
    const Sums * restrict sums, int n, int16_t * restrict slopes)
{
  const int limit = 128 * unit - 1;

#pragma omp simd
  for (int i = 0; i < n; i++) {
    const int s = sums->s[i], q = sums->q[i];
    const int magnitude = (int) (((float) (128 * (s < 0 ? -s : s) + q) + 0.5f)
        / (float) (2 * q + (q == 0)));
    const int most = magnitude < limit ? magnitude : limit;
    const int slope = s < 0 ? -most : most;

    slopes[i] = (int16_t) (codes[i] == STEREO_INVALID ? 0 : slope);
  }
}

/* The slopes of n pixels from (x, y) on along the row. */
static void
slope_along_x (const StereoRefineJob * job, int x, int y, int n)
{
  const uint16_t *row = stereo_map_row (job->map, y);
  const int width = job->k->width;
  const int first = x < REACH ? x : REACH;
  const int behind = width - x - n < REACH ? width - x - n : REACH;
  uint16_t codes[CHUNK + 2 * REACH];
  Sums sums;

  memset (codes, 0xff, sizeof (codes));
  memcpy (codes + REACH - first, row + x - first,
      (size_t) (first + n + behind) * sizeof (uint16_t));
  add_pairs (job->k->unit, codes + REACH, 1, PAIRS, n, &sums);
  divide_sums (job->k->unit, codes + REACH, &sums, n,
      stereo_slope_row (job->work, 0, y) + x);
}

/* Along the columns. */
static void
slope_along_y (const StereoRefineJob * job, int x, int y, int n)
{
  const uint16_t *codes = stereo_map_row (job->map, y) + x;
  const int bottom = job->k->height - 1 - y, rows = y < bottom ? y : bottom;
  const int n_pairs = rows < REACH ? rows / STEREO_SLOPE_STEP : PAIRS;
  Sums sums;

  add_pairs (job->k->unit, codes, (ptrdiff_t) job->map->stride, n_pairs, n,
      &sums);
  divide_sums (job->k->unit, codes, &sums, n,
      stereo_slope_row (job->work, 1, y) + x);
}

static void
slope_rows (const void *context, StereoSpan span)
{
  const StereoRefineJob *job = context;
  const int width = job->k->width;

  for (int y = span.begin; y < span.end; y++) {
    for (int x = 0; x < width; x += CHUNK) {
      const int n = width - x < CHUNK ? width - x : CHUNK;

      slope_along_x (job, x, y, n);
      slope_along_y (job, x, y, n);
    }
  }
}

StereoStatus
SIMD_NAME (stereo_slopes_) (StereoQueue * queue,
    const StereoRefineConstants * k, const StereoRefineWork * work,
    const StereoMap * map)
{
  const StereoRefineJob job = {.k = k,.work = work,.map = map };

  stereo_cpu_for (queue, k->height, 0, slope_rows, &job);
  return STEREO_OK;
}
