/* gst-stereomatching: weights of exponential step sizes, with vectors
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/expstep/expstep-simd.h"

#include "core/cpu.h"
#include "match/expstep/expstep-formula.h"

ALWAYS_INLINE void
raw_weights_metric (const uint8_t * const a[3], const uint8_t * const b[3],
    const uint8_t * table, int n, uint8_t * u, int metric)
{
  uint16_t place[256];

  for (int x0 = 0; x0 < n; x0 += 256) {
    int m = n - x0 < 256 ? n - x0 : 256;

    for (int x = 0; x < m; x++) {
      int d[3];

      for (int c = 0; c < 3; c++)
        d[c] = a[c][x0 + x] - b[c][x0 + x];
      place[x] = (uint16_t) stereo_expstep_difference (metric, d[0], d[1],
          d[2]);
    }
    for (int x = 0; x < m; x++)
      u[x0 + x] = table[place[x]];
  }
}

/* Entries of a SimdTable64, and tables for all differences. */
#define ENTRIES 64
#define MAX_TABLES (256 / ENTRIES)

/* The number of tables, after which all weights are the same, usually 0. */
static int
count_tables (const uint8_t * table)
{
  int n = MAX_TABLES;

  while (n > 1 && memcmp (table + (n - 1) * ENTRIES - 1,
          table + (n - 1) * ENTRIES, 256 - (n - 1) * ENTRIES) == 0)
    n--;
  return n;
}

/* The metric max; up to SIMD_BYTES - 1 pixels more. */
static void
raw_weights_max (const uint8_t * const a[3], const uint8_t * const b[3],
    const uint8_t * table, int n, uint8_t * u, int channels)
{
  const int n_tables = count_tables (table);
  SimdTable64 tables[MAX_TABLES];

  for (int i = 0; i < n_tables; i++)
    tables[i] = simd_table64 (table + i * ENTRIES);
  for (int x = 0; x < n; x += SIMD_BYTES) {
    VecU8 d = simd_absdiff8 (simd_load8 (a[0] + x), simd_load8 (b[0] + x));
    VecU8 weight;

    for (int c = 1; c < channels; c++)
      d = simd_max8 (d, simd_absdiff8 (simd_load8 (a[c] + x),
              simd_load8 (b[c] + x)));
    weight = simd_table64_get (&tables[0], d);
    for (int i = 1; i < n_tables; i++) {
      const VecU8 first = simd_set8 ((uint8_t) (i * ENTRIES));
      const VecU8 above = (VecU8) (d >= first);

      weight = (weight & ~above)
          | (simd_table64_get (&tables[i], d - first) & above);
    }
    simd_store8 (u + x, weight);
  }
}

/* Writes up to SIMD_BYTES - 1 more weights. */
static void
raw_weights (const StereoExpstepConstants * k, const StereoExpstepWork * work,
    const uint8_t * table, size_t at_a, size_t at_b, int n, uint8_t * u)
{
  const uint8_t *a[3], *b[3];

  for (int c = 0; c < 3; c++) {
    const uint8_t *plane = stereo_expstep_left (k, work,
        k->channels == 1 ? 0 : c);

    a[c] = plane + at_a;
    b[c] = plane + at_b;
  }
  if (k->metric == STEREO_COLOR_METRIC_MAX)
    raw_weights_max (a, b, table, n, u, k->channels);
  else if (k->metric == STEREO_COLOR_METRIC_MEAN)
    raw_weights_metric (a, b, table, n, u, STEREO_COLOR_METRIC_MEAN);
  else
    raw_weights_metric (a, b, table, n, u, STEREO_COLOR_METRIC_RMS);
}

/* floor ((512 u + t) / (2 t)) with one reciprocal.  Quotients are multiples of
 * 1 / (2 t) > 0.0006; all errors, including the offset, are below 0.0002. */
static void
normalize (const uint8_t * u, const uint8_t * v, int n, uint8_t * before,
    uint8_t * after)
{
  for (int x = 0; x < n; x++) {
    int a = u[x], b = v[x], t = 256 + a + b;
    float r = 1.0f / (float) (2 * t);

    before[x] = (uint8_t) (int) ((float) (512 * a + t) * r + 1e-4f);
    after[x] = (uint8_t) (int) ((float) (512 * b + t) * r + 1e-4f);
  }
}

static void
make_row_weights (const StereoExpstepConstants * k,
    const StereoExpstepPass * pass, const StereoExpstepWork * work, int y,
    ExpstepWeightMemory * m, uint8_t * before, uint8_t * after)
{
  int s = pass->step < k->width ? pass->step : k->width;
  size_t row = (size_t) y * work->pitch;

  raw_weights (k, work, pass->weight, row, row + (size_t) s, k->width - s,
      m->raw[1]);
  memset (m->raw[0], 0, (size_t) s);
  memset (m->raw[1] + (k->width - s), 0, (size_t) s);
  memcpy (m->raw[0] + s, m->raw[1], (size_t) (k->width - s));
  normalize (m->raw[0], m->raw[1], k->width, before, after);
  memset (before + k->width, 0, work->pitch - (size_t) k->width);
  memset (after + k->width, 0, work->pitch - (size_t) k->width);
}

static void
make_column_weights (const StereoExpstepConstants * k,
    const StereoExpstepPass * pass, const StereoExpstepWork * work, int y,
    ExpstepWeightMemory * m, uint8_t * before, uint8_t * after)
{
  int s = pass->step;
  size_t row = (size_t) y * work->pitch, width = (size_t) k->width;
  size_t offset = (size_t) s * work->pitch;

  if (y >= s)
    raw_weights (k, work, pass->weight, row, row - offset, k->width,
        m->raw[0]);
  else
    memset (m->raw[0], 0, width);
  if (y + s < k->height)
    raw_weights (k, work, pass->weight, row, row + offset, k->width,
        m->raw[1]);
  else
    memset (m->raw[1], 0, width);
  normalize (m->raw[0], m->raw[1], k->width, before, after);
  memset (before + width, 0, work->pitch - width);
  memset (after + width, 0, work->pitch - width);
}

ExpstepRowWeights
expstep_make_weights (const StereoExpstepConstants * k,
    const StereoExpstepPass * pass,
    bool columns, const StereoExpstepWork * work, int y,
    ExpstepWeightMemory * m)
{
  if (columns)
    make_column_weights (k, pass, work, y, m, m->made[0], m->made[1]);
  else
    make_row_weights (k, pass, work, y, m, m->made[0], m->made[1]);
  return (ExpstepRowWeights) { m->made[0], m->made[1], 0 };
}

typedef struct
{
  const StereoExpstepConstants *k;
  const StereoExpstepPass *passes;
  int n_passes;
  const StereoExpstepWork *work;
} WeightsJob;

static void
weight_rows (const void *context, StereoSpan span)
{
  const WeightsJob *job = context;
  const StereoExpstepConstants *k = job->k;
  const StereoExpstepWork *work = job->work;
  ExpstepWeightMemory m;

  for (int i = 0; i < job->n_passes; i++) {
    for (int y = span.begin; y < span.end; y++) {
      make_row_weights (k, &job->passes[i], work, y, &m,
          expstep_weights_at (k, work, i, false, 0, y),
          expstep_weights_at (k, work, i, false, 1, y));
      make_column_weights (k, &job->passes[i], work, y, &m,
          expstep_weights_at (k, work, i, true, 0, y),
          expstep_weights_at (k, work, i, true, 1, y));
    }
  }
}

StereoStatus
expstep_prepare_weights (const StereoMatchFrame * frame,
    const StereoExpstepConstants * k,
    const StereoExpstepPass * passes, int n_passes,
    const StereoExpstepWork * work)
{
  WeightsJob job = {.k = k,.passes = passes,.n_passes = n_passes,.work = work };
  StereoStatus status = stereo_expstep_prepare_cpu (frame, k, work);

  if (status == STEREO_OK && work->weights != NULL)
    stereo_cpu_for (frame->queue, k->height, 0, weight_rows, &job);
  return status;
}
