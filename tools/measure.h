/* gst-stereomatching: errors of disparity maps
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * measure.h: how far a disparity map is from the truth.
 *
 * Maps are in pixels; a value that is not finite means that there is no
 * disparity.  A region is a mask of one byte a pixel, any value but 0 counts.
 * A pixel whose truth is unknown never counts.
 *
 * bad-T  |d - truth| > T, strictly, as the Middlebury benchmarks count
 * D1     |d - truth| > 3 and |d - truth| > 5 % of truth, as KITTI 2015 counts
 *
 * in percent of the pixels of the region, where a pixel without a disparity is
 * bad.  The mean and the root mean square of |d - truth|, in pixels, are over
 * the pixels that have a disparity.
 */

#ifndef MEASURE_H
#define MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEASURE_N_BAD 4

/* 0.5, 1, 2 and 4 pixels. */
extern const double measure_thresholds[MEASURE_N_BAD];

typedef struct
{
  size_t pixels;                /* of the region; the rest is NAN when 0 */
  size_t matched;               /* those that have a disparity */
  double bad[MEASURE_N_BAD];    /* percent */
  double d1;                    /* percent */
  double mean;                  /* pixels; NAN when matched is 0 */
  double rms;                   /* pixels; NAN when matched is 0 */
  double density;               /* matched, in percent */
} Measure;

/* n pixels.  mask NULL: all of them. */
void measure_map (const float *map, const float *truth, const uint8_t * mask,
    size_t n, Measure * result);

/*
 * How well a confidence tells good from bad: the area under the curve of bad-1,
 * in percent, over the share of the pixels that are looked at, the most
 * confident ones first.  It is the mean of bad-1 of the first 1, 2, ... pixels
 * of the region; those of equal confidence come in with their own mean.  ideal
 * is what a confidence would have that puts all good pixels first.  NAN without
 * pixels.
 */
void measure_auc (const float *map, const uint16_t * confidence,
    const float *truth, const uint8_t * mask, size_t n, double *auc,
    double *ideal);

/* Percent of the n pixels that have a disparity. */
double measure_density (const float *map, size_t n);

/* The names of the figures of a Measure: "bad-0.5", ..., "d1", "mean", "rms",
 * "density"; NULL past the last one.  Less is better but for density. */
const char *measure_name (size_t index);
double measure_value (const Measure * measure, size_t index);

#endif /* MEASURE_H */
