/* gst-stereomatching: quality metrics of images
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "quality.h"

#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW 11
#define SIGMA 1.5

static double
to_decibel (double sum_of_squares, size_t n)
{
  return 10 * log10 (255.0 * 255.0 * (double) n / sum_of_squares);
}

double
quality_psnr (const uint8_t * a, const uint8_t * b, size_t n)
{
  double sum = 0;

  for (size_t i = 0; i < n; i++)
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  return to_decibel (sum, n);
}

double
quality_psnr_of_change (const uint8_t * a, const uint8_t * a_before,
    const uint8_t * b, const uint8_t * b_before, size_t n)
{
  double sum = 0;

  for (size_t i = 0; i < n; i++) {
    const int d = a[i] - a_before[i] - (b[i] - b_before[i]);

    sum += d * d;
  }
  return to_decibel (sum, n);
}

/* -------------------------------------------------------------------- SSIM */

/* Weighted means over a window. */
enum
{
  A, B, AA, BB, AB, N_MEANS
};

static double
luma (const uint8_t * rgb)
{
  return (299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2] + 500) / 1000;
}

/* Sums to 1. */
static void
make_weights (double weights[WINDOW])
{
  double sum = 0;

  for (int i = 0; i < WINDOW; i++) {
    const double x = i - WINDOW / 2;

    weights[i] = exp (-x * x / (2 * SIGMA * SIGMA));
    sum += weights[i];
  }
  for (int i = 0; i < WINDOW; i++)
    weights[i] /= sum;
}

/* The weighted means of the columns of the windows that begin in row y. */
static void
mean_of_columns (const uint8_t * a, const uint8_t * b, int width, int y,
    const double weights[WINDOW], double (*means)[N_MEANS])
{
  memset (means, 0, (size_t) width * sizeof (*means));
  for (int i = 0; i < WINDOW; i++) {
    const size_t row = 3 * (size_t) (y + i) * (size_t) width;

    for (int x = 0; x < width; x++) {
      const double p = luma (a + row + 3 * x), q = luma (b + row + 3 * x);
      const double values[N_MEANS] = { p, q, p * p, q * q, p * q };

      for (int m = 0; m < N_MEANS; m++)
        means[x][m] += weights[i] * values[m];
    }
  }
}

static double
similarity (const double m[N_MEANS])
{
  const double c1 = 0.01 * 255 * 0.01 * 255, c2 = 0.03 * 255 * 0.03 * 255;
  const double va = m[AA] - m[A] * m[A], vb = m[BB] - m[B] * m[B];
  const double covariance = m[AB] - m[A] * m[B];

  return (2 * m[A] * m[B] + c1) * (2 * covariance + c2)
      / ((m[A] * m[A] + m[B] * m[B] + c1) * (va + vb + c2));
}

double
quality_ssim (const uint8_t * a, const uint8_t * b, int width, int height)
{
  const int columns = width - WINDOW + 1, rows = height - WINDOW + 1;
  double weights[WINDOW], sum = 0;
  double (*means)[N_MEANS];

  if (columns < 1 || rows < 1)
    return NAN;
  means = cli_resize (NULL, (size_t) width * sizeof (*means));
  make_weights (weights);
  for (int y = 0; y < rows; y++) {
    mean_of_columns (a, b, width, y, weights, means);
    for (int x = 0; x < columns; x++) {
      double m[N_MEANS] = { 0 };

      for (int i = 0; i < WINDOW; i++) {
        for (int k = 0; k < N_MEANS; k++)
          m[k] += weights[i] * means[x + i][k];
      }
      sum += similarity (m);
    }
  }
  free (means);
  return sum / ((double) columns * rows);
}
