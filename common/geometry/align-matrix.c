/* gst-stereomatching: symmetric matrices of the parameters of a correction
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "geometry/align-matrix.h"

#include <math.h>

#define N STEREO_ALIGN_N

/* m = L L', with L lower triangular. */
static bool
decompose (const StereoAlignMatrix * m, StereoAlignMatrix * lower)
{
  for (int i = 0; i < N; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = m->at[i][j];

      for (int k = 0; k < j; k++)
        sum -= lower->at[i][k] * lower->at[j][k];
      if (i == j && !(sum > 0))
        return false;
      lower->at[i][j] = i == j ? sqrt (sum) : sum / lower->at[j][j];
    }
  }
  return true;
}

bool
stereo_align_invert (const StereoAlignMatrix * m, StereoAlignMatrix * inverse)
{
  StereoAlignMatrix lower;

  if (!decompose (m, &lower))
    return false;
  for (int column = 0; column < N; column++) {
    double x[N];

    for (int i = 0; i < N; i++) {
      double sum = i == column;

      for (int k = 0; k < i; k++)
        sum -= lower.at[i][k] * x[k];
      x[i] = sum / lower.at[i][i];
    }
    for (int i = N - 1; i >= 0; i--) {
      for (int k = i + 1; k < N; k++)
        x[i] -= lower.at[k][i] * x[k];
      x[i] /= lower.at[i][i];
    }
    for (int i = 0; i < N; i++)
      inverse->at[i][column] = x[i];
  }
  return true;
}

void
stereo_align_multiply (const StereoAlignMatrix * m, const double v[N],
    double product[N])
{
  for (int i = 0; i < N; i++) {
    double sum = 0;

    for (int j = 0; j < N; j++)
      sum += m->at[i][j] * v[j];
    product[i] = sum;
  }
}

double
stereo_align_variance (const StereoAlignMatrix * m, const double v[N])
{
  double product[N], sum = 0;

  stereo_align_multiply (m, v, product);
  for (int i = 0; i < N; i++)
    sum += v[i] * product[i];
  return sum;
}

void
stereo_align_add (StereoAlignMatrix * a, double factor,
    const StereoAlignMatrix * b)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a->at[i][j] += factor * b->at[i][j];
}
