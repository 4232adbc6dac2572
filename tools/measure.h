/* gst-stereomatching: errors of disparity maps
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * measure.h: errors of a disparity map against ground truth.
 *
 * Maps are in pixels; values that are not finite are invalid.  A region is a
 * mask of one byte per pixel, 0 = outside.  Pixels without ground truth never
 * count.
 *
 * bad-T  |d - truth| > T, strictly, as the Middlebury benchmarks count
 * D1     |d - truth| > 3 and |d - truth| > 5 % of truth, as KITTI 2015 counts
 *
 * in percent of the pixels of the region; invalid pixels are bad.  The mean and
 * the root mean square of |d - truth|, in pixels, are over the valid pixels.
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
  size_t pixels;                /* of the region; the rest is NAN if 0 */
  size_t matched;               /* valid pixels */
  double bad[MEASURE_N_BAD];    /* percent */
  double d1;                    /* percent */
  double mean;                  /* pixels; NAN if matched is 0 */
  double rms;                   /* pixels; NAN if matched is 0 */
  double density;               /* matched, in percent */
} Measure;

/* n pixels.  mask NULL: all of them. */
void measure_map (const float *map, const float *truth, const uint8_t * mask,
    size_t n, Measure * result);

/*
 * The area under the curve of bad-1 over the fraction of the most confident
 * pixels, in percent: the mean of bad-1 of the 1, 2, ... most confident pixels
 * of the region; pixels of equal confidence count with their mean.  ideal is
 * the area of a perfect ranking.  NAN without pixels.
 */
void measure_auc (const float *map, const uint16_t * confidence,
    const float *truth, const uint8_t * mask, size_t n, double *auc,
    double *ideal);

/* The percentage of valid pixels. */
double measure_density (const float *map, size_t n);

/* The names of the figures of a Measure: "bad-0.5", ..., "d1", "mean", "rms",
 * "density"; NULL past the last one.  Less is better, except for density. */
const char *measure_name (size_t index);
double measure_value (const Measure * measure, size_t index);

#endif /* MEASURE_H */
