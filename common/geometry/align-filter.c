/* gst-stereomatching: the correction over time
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The parameters are a random walk.  Each pair is fitted with the prediction as
 * its prior, and its information counts a quarter (STEREO_ALIGN_INFLATION).  If
 * the pair alone contradicts the prediction, the walk is wider for this step.
 * If many more of its matches agree with a fit of the pair alone, the cameras
 * have moved suddenly: the third such pair in a row restarts the filter.
 */

#include "geometry/align-private.h"

#include <math.h>
#include <string.h>

#define N STEREO_ALIGN_N

/* Sudden motion: the ratio of the matches that agree with the pair alone to
 * those that agree with the prediction, the least difference, the least number,
 * and the pairs in a row before a restart. */
#define MOTION_RATIO 1.25
#define MOTION_MATCHES 10
#define MOTION_MIN 30
#define MOTION_PAIRS 3

/* Contradiction: a mean deviation of the rows in standard deviations, to which
 * 0.02 pixels are added, and the factor of the walk. */
#define CONTRADICTION 1.2
#define CLEAR_CONTRADICTION 3.0
#define ROW_SIGMA 0.02
#define WALK_FACTOR 30.0
#define MAX_MISMATCH 4.0

/* A correction from an earlier run is trusted like a tenth of the tolerance. */
#define SAVED_SIGMA 0.1

/* Keeps covariances positive definite. */
#define SMALLEST_VARIANCE 1e-16

/* Standard deviation of the walk after a second. */
static void
get_walk (const StereoAlignViews * views, double walk[N])
{
  const double values[N] = {
    [STEREO_CORRECTION_PITCH] = 0.001 * STEREO_ALIGN_DEGREE,
    [STEREO_CORRECTION_YAW] = 0.001 * STEREO_ALIGN_DEGREE,
    [STEREO_CORRECTION_ROLL] = 0.001 * STEREO_ALIGN_DEGREE,
    [STEREO_CORRECTION_ZOOM] = 2e-5,
    [STEREO_CORRECTION_COMMON_ROLL] = 0.0004 * STEREO_ALIGN_DEGREE,
    [STEREO_CORRECTION_COMMON_YAW] = 0.0004 * STEREO_ALIGN_DEGREE,
    [STEREO_CORRECTION_FOCAL] = 3e-4,
    [STEREO_CORRECTION_OFFSET] = 5e-6 * views->width,
    [STEREO_CORRECTION_K1] = 5e-5,
    [STEREO_CORRECTION_COMMON_K1] = 5e-5,
  };

  memcpy (walk, values, sizeof (values));
}

void
stereo_align_filter_reset (StereoAlignFilter * f)
{
  memset (f, 0, sizeof (*f));
}

/* The covariance of cameras that have not been seen. */
static void
set_prior (StereoAlignFilter * f, const StereoAlignViews * views,
    bool focal_known, double factor)
{
  double sigma[N];

  stereo_align_prior_sigma (views, focal_known, sigma);
  memset (&f->covariance, 0, sizeof (f->covariance));
  for (int i = 0; i < N; i++)
    f->covariance.at[i][i] = factor * factor * sigma[i] * sigma[i];
}

void
stereo_align_filter_set (StereoAlignFilter * f, const StereoAlignViews * views,
    bool focal_known, const double values[N])
{
  stereo_align_filter_reset (f);
  memcpy (f->values, values, sizeof (f->values));
  set_prior (f, views, focal_known, SAVED_SIGMA);
  f->n = 1;
}

/* Widens the covariance by a walk, no further than the prior. */
static void
add_walk (StereoAlignFilter * f, const StereoAlignViews * views,
    bool focal_known, double seconds, double factor)
{
  double walk[N], sigma[N], scale[N];

  get_walk (views, walk);
  stereo_align_prior_sigma (views, focal_known, sigma);
  for (int i = 0; i < N; i++) {
    const double step = factor * walk[i];
    double *variance = &f->covariance.at[i][i];

    *variance += step * step * seconds;
    scale[i] = fmin (1, sigma[i] / sqrt (*variance));
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      f->covariance.at[i][j] *= scale[i] * scale[j];
}

/* Fits the pair with the prediction as its prior. */
static bool
fit_prediction (const StereoAlignFilter * f, const StereoAlignPair * p,
    StereoAlignPrior * prior, StereoAlignFit * fit)
{
  StereoAlignMatrix covariance = f->covariance;

  for (int i = 0; i < N; i++)
    covariance.at[i][i] += SMALLEST_VARIANCE;
  memcpy (prior->mean, f->values, sizeof (prior->mean));
  return stereo_align_invert (&covariance, &prior->information)
      && stereo_align_fit (&p->views, &p->matches, prior, f->values, fit);
}

/* Matches whose rows agree with the parameters, to a pixel. */
static size_t
count_agreeing (const StereoAlignPair * p, const double values[N])
{
  const double limit = fmax (1, p->views.width * 0.001);
  StereoAlignModel model;
  size_t n = 0;

  stereo_align_model_init (&model, &p->views, values);
  for (size_t i = 0; i < p->matches.n; i++)
    n += fabs (stereo_align_row (&model, &p->matches.points[i], NULL)) < limit;
  return n;
}

/* The root mean square of the rows by which the pair alone deviates from the
 * prediction, in standard deviations. */
static double
find_mismatch (const StereoAlignFilter * f, const StereoAlignPair * p,
    const StereoAlignField * field)
{
  double predicted[STEREO_ALIGN_FIELD], alone[STEREO_ALIGN_FIELD];
  double jacobian[STEREO_ALIGN_FIELD][N], sum = 0;
  StereoAlignMatrix covariance = f->covariance;

  stereo_align_add (&covariance, STEREO_ALIGN_INFLATION
      * STEREO_ALIGN_INFLATION, &p->fit.covariance);
  stereo_align_field_rows (field, &p->views, f->values, predicted, jacobian);
  stereo_align_field_rows (field, &p->views, p->fit.values, alone, NULL);
  for (int i = 0; i < STEREO_ALIGN_FIELD; i++) {
    const double change = alone[i] - predicted[i];

    sum += change * change / (stereo_align_variance (&covariance, jacobian[i])
        + ROW_SIGMA * ROW_SIGMA);
  }
  return sqrt (sum / STEREO_ALIGN_FIELD);
}

/* Moves the state to the fit, whose data count a quarter. */
static void
take_fit (StereoAlignFilter * f, const StereoAlignPrior * prior,
    const StereoAlignFit * fit)
{
  const double part = 1 / (STEREO_ALIGN_INFLATION * STEREO_ALIGN_INFLATION);
  StereoAlignMatrix full = prior->information, reduced = prior->information;
  StereoAlignMatrix covariance;
  double step[N], pull[N];

  stereo_align_add (&full, 1, &fit->data);
  stereo_align_add (&reduced, part, &fit->data);
  if (!stereo_align_invert (&reduced, &covariance))
    return;
  /* what the data alone pull is full x step, where the prior pulls nothing */
  for (int i = 0; i < N; i++)
    step[i] = fit->values[i] - f->values[i];
  stereo_align_multiply (&full, step, pull);
  for (int i = 0; i < N; i++)
    pull[i] *= part;
  stereo_align_multiply (&covariance, pull, step);
  for (int i = 0; i < N; i++)
    f->values[i] += step[i];
  f->covariance = covariance;
}

/* Starts again with the fit of a pair alone. */
static void
restart (StereoAlignFilter * f, const StereoAlignPair * p)
{
  stereo_align_filter_reset (f);
  memcpy (f->values, p->fit.values, sizeof (f->values));
  stereo_align_add (&f->covariance, STEREO_ALIGN_INFLATION
      * STEREO_ALIGN_INFLATION, &p->fit.covariance);
  f->n = 1;
}

void
stereo_align_filter_add (StereoAlignFilter * f, const StereoAlignPair * p,
    bool focal_known, const StereoAlignField * field, double seconds)
{
  StereoAlignPrior prior;
  StereoAlignFit fit;
  size_t n, n_alone;
  double mismatch;

  if (f->n == 0) {
    restart (f, p);
    return;
  }
  add_walk (f, &p->views, focal_known, seconds, 1);
  if (!fit_prediction (f, p, &prior, &fit))
    return;
  n = count_agreeing (p, fit.values);
  n_alone = count_agreeing (p, p->fit.values);
  if (n_alone >= MOTION_MIN
      && (double) n_alone > MOTION_RATIO * (double) n + MOTION_MATCHES) {
    if (++f->n_contradicting >= MOTION_PAIRS)
      restart (f, p);
    return;
  }
  f->n_contradicting = 0;
  mismatch = find_mismatch (f, p, field);
  f->mismatch = mismatch < CLEAR_CONTRADICTION
      ? 0.7 * f->mismatch + 0.3 * mismatch : mismatch;
  if (f->mismatch > CONTRADICTION) {
    add_walk (f, &p->views, focal_known, seconds, WALK_FACTOR
        * fmin (f->mismatch, MAX_MISMATCH));
    if (!fit_prediction (f, p, &prior, &fit))
      return;
  }
  take_fit (f, &prior, &fit);
  f->n++;
}
