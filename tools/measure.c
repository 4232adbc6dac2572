/* gst-stereomatching: errors of disparity maps
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "measure.h"

#include <math.h>
#include <stdlib.h>

const double measure_thresholds[MEASURE_N_BAD] = { 0.5, 1.0, 2.0, 4.0 };

void
measure_map (const float *map, const float *truth, const uint8_t * mask,
    size_t n, Measure * result)
{
  size_t pixels = 0, matched = 0, d1 = 0, bad[MEASURE_N_BAD] = { 0 };
  double sum = 0, squares = 0, part;

  for (size_t i = 0; i < n; i++) {
    double error = INFINITY;

    if ((mask != NULL && mask[i] == 0) || !isfinite (truth[i]))
      continue;
    pixels++;
    if (isfinite (map[i])) {
      error = fabs ((double) map[i] - (double) truth[i]);
      matched++;
      sum += error;
      squares += error * error;
    }
    for (int t = 0; t < MEASURE_N_BAD; t++)
      bad[t] += error > measure_thresholds[t];
    d1 += error > 3 && error > 0.05 * fabs ((double) truth[i]);
  }

  part = 100 / (double) pixels;
  result->pixels = pixels;
  result->matched = matched;
  for (int t = 0; t < MEASURE_N_BAD; t++)
    result->bad[t] = pixels > 0 ? part * (double) bad[t] : NAN;
  result->d1 = pixels > 0 ? part * (double) d1 : NAN;
  result->density = pixels > 0 ? part * (double) matched : NAN;
  result->mean = matched > 0 ? sum / (double) matched : NAN;
  result->rms = matched > 0 ? sqrt (squares / (double) matched) : NAN;
}

/* Adds the area of the next pixels, some of them bad, to area. */
static void
add_pixels (size_t pixels, size_t bad, size_t * all, size_t * all_bad,
    double *area)
{
  for (size_t i = 1; i <= pixels; i++)
    *area += ((double) *all_bad + (double) bad * (double) i / (double) pixels)
        / (double) (*all + i);
  *all += pixels;
  *all_bad += bad;
}

void
measure_auc (const float *map, const uint16_t * confidence,
    const float *truth, const uint8_t * mask, size_t n, double *auc,
    double *ideal)
{
  size_t(*counts)[2] = calloc (65536, sizeof (*counts));
  size_t pixels = 0, bad = 0, all = 0, all_bad = 0;
  double area = 0, best = 0;

  *auc = *ideal = NAN;
  if (counts == NULL)
    return;
  for (size_t i = 0; i < n; i++) {
    if ((mask != NULL && mask[i] == 0) || !isfinite (truth[i]))
      continue;
    pixels++;
    counts[confidence[i]][0]++;
    if (!isfinite (map[i])
        || fabs ((double) map[i] - (double) truth[i]) > 1) {
      counts[confidence[i]][1]++;
      bad++;
    }
  }
  for (size_t c = 65536; c-- > 0;)
    add_pixels (counts[c][0], counts[c][1], &all, &all_bad, &area);
  free (counts);
  if (pixels == 0)
    return;
  all = all_bad = 0;
  add_pixels (pixels - bad, 0, &all, &all_bad, &best);
  add_pixels (bad, bad, &all, &all_bad, &best);
  *auc = 100 * area / (double) pixels;
  *ideal = 100 * best / (double) pixels;
}

double
measure_density (const float *map, size_t n)
{
  size_t matched = 0;

  for (size_t i = 0; i < n; i++)
    matched += isfinite (map[i]) != 0;
  return n > 0 ? 100.0 * (double) matched / (double) n : NAN;
}

static const char *const names[] = {
  "bad-0.5", "bad-1", "bad-2", "bad-4", "d1", "mean", "rms", "density"
};

const char *
measure_name (size_t index)
{
  return index < sizeof (names) / sizeof (names[0]) ? names[index] : NULL;
}

double
measure_value (const Measure * measure, size_t index)
{
  if (index < MEASURE_N_BAD)
    return measure->bad[index];
  switch (index - MEASURE_N_BAD) {
    case 0:
      return measure->d1;
    case 1:
      return measure->mean;
    case 2:
      return measure->rms;
    default:
      return measure->density;
  }
}
