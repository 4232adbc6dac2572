/* gst-stereomatching: the cameras that agree with matches
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "geometry/align-fit.h"

#include <math.h>
#include <string.h>

#define N STEREO_ALIGN_N

/* Random triples: the most, and the probability that none of those so far was
 * of matches that all agree, at which no more are drawn. */
#define N_TRIPLES 300
#define ENOUGH 1e-4
#define LARGEST_SLOPE_X 0.09
#define LARGEST_SLOPE_Y 0.05

/* Error of a row in addition to that of its match, in pixels. */
#define ROW_SIGMA 0.06

/* Limit of a row, in expected errors. */
#define DEVIATIONS 4.0

/* Gauss-Newton. */
#define N_STEPS 26
#define MIN_LAST_STEPS 4
#define MAX_LAST_STEPS 8
#define SMALL_STEP 0.002        /* pixels */
#define LARGEST_FOCAL 0.4       /* log */

/* The limit of predicted rows, at the start. */
#define PREDICTED_LIMIT 0.75

void
stereo_align_prior_sigma (const StereoAlignViews * views, bool focal_known,
    double sigma[N])
{
  const double values[N] = {
    [STEREO_CORRECTION_PITCH] = 2 * STEREO_ALIGN_DEGREE,
    [STEREO_CORRECTION_YAW] = 1 * STEREO_ALIGN_DEGREE,
    [STEREO_CORRECTION_ROLL] = 2 * STEREO_ALIGN_DEGREE,
    [STEREO_CORRECTION_ZOOM] = 0.02,
    [STEREO_CORRECTION_COMMON_ROLL] = 0.5 * STEREO_ALIGN_DEGREE,
    [STEREO_CORRECTION_COMMON_YAW] = 0.5 * STEREO_ALIGN_DEGREE,
    [STEREO_CORRECTION_FOCAL] = focal_known ? 0.01 : 0.25,
    [STEREO_CORRECTION_OFFSET] = 0.005 * views->width,
    [STEREO_CORRECTION_K1] = 0.02,
    [STEREO_CORRECTION_COMMON_K1] = 0.05,
  };

  memcpy (sigma, values, sizeof (values));
}

void
stereo_align_prior_init (StereoAlignPrior * prior,
    const StereoAlignViews * views, bool focal_known)
{
  double sigma[N];

  memset (prior, 0, sizeof (*prior));
  stereo_align_prior_sigma (views, focal_known, sigma);
  for (int i = 0; i < N; i++)
    prior->information.at[i][i] = 1 / (sigma[i] * sigma[i]);
}

static void
swap_values (double *a, double *b)
{
  const double value = *a;

  *a = *b;
  *b = value;
}

double
stereo_align_select (double *v, size_t n, size_t k)
{
  size_t begin = 0, end = n;

  while (end - begin > 1) {
    const double pivot = v[begin + (end - begin) / 2];
    size_t less = begin, i = begin, more = end;

    /* less than the pivot | equal | not seen yet | more */
    while (i < more) {
      if (v[i] < pivot)
        swap_values (&v[i++], &v[less++]);
      else if (v[i] > pivot)
        swap_values (&v[i], &v[--more]);
      else
        i++;
    }
    if (k >= less && k < more)
      return pivot;
    if (k < less)
      end = less;
    else
      begin = more;
  }
  return v[begin];
}

/* ------------------------------------------------------------------ triples */

/* dy = c[0] + c[1] x + c[2] y, from the centre; x is the mean of both views. */
typedef struct
{
  double c[3];
} Plane;

typedef struct
{
  double x;
  double y;
  double dy;
} Offset;

static Offset
get_offset (const StereoAlignViews * views, const StereoAlignPoint * p)
{
  return (Offset) {
    (p->xl + p->xr) / 2 - (views->width - 1) * 0.5,
        p->yl - (views->height - 1) * 0.5, p->yr - p->yl
  };
}

/* How well matches agree, with a limit in pixels. */
static double
rate_plane (const StereoAlignViews * views, const StereoAlignMatches * m,
    const Plane * plane, double limit)
{
  double sum = 0;

  for (size_t i = 0; i < m->n; i++) {
    const Offset o = get_offset (views, &m->points[i]);
    const double error = (o.dy - plane->c[0] - plane->c[1] * o.x
        - plane->c[2] * o.y) / limit;
    const double score = 1 - error * error;

    sum += score > 0 ? score : 0;
  }
  return sum;
}

/* The plane through the next three random matches; false if they are close to a
 * line, or if it is implausibly steep. */
static bool
draw_plane (const StereoAlignViews * views, const StereoAlignMatches * m,
    uint32_t * seed, Plane * plane)
{
  Offset o[3];
  double x1, y1, d1, x2, y2, d2, det;

  for (int k = 0; k < 3; k++) {
    *seed = *seed * 1664525u + 1013904223u;
    o[k] = get_offset (views, &m->points[(*seed >> 8) % (uint32_t) m->n]);
  }
  x1 = o[1].x - o[0].x;
  y1 = o[1].y - o[0].y;
  d1 = o[1].dy - o[0].dy;
  x2 = o[2].x - o[0].x;
  y2 = o[2].y - o[0].y;
  d2 = o[2].dy - o[0].dy;
  det = x1 * y2 - x2 * y1;
  if (fabs (det) < views->width * (double) views->height * 0.02)
    return false;
  plane->c[1] = (d1 * y2 - d2 * y1) / det;
  plane->c[2] = (x1 * d2 - x2 * d1) / det;
  plane->c[0] = o[0].dy - plane->c[1] * o[0].x - plane->c[2] * o[0].y;
  return fabs (plane->c[1]) <= LARGEST_SLOPE_X
      && fabs (plane->c[2]) <= LARGEST_SLOPE_Y;
}

/* Keeps the better plane; the first one wins ties. */
static void
consider_plane (const StereoAlignViews * views, const StereoAlignMatches * m,
    const Plane * plane, double limit, Plane * best, double *best_rating)
{
  const double rating = rate_plane (views, m, plane, limit);

  if (rating > *best_rating * 1.0001) {
    *best_rating = rating;
    *best = *plane;
  }
}

/* Parameters of the plane that most matches agree with. */
static void
find_start (const StereoAlignViews * views, const StereoAlignMatches * m,
    double limit, double values[N])
{
  const Plane level = { {0} };
  Plane best = level, plane = level;
  double rating = 0, missed = 1;
  uint32_t seed = 99;

  consider_plane (views, m, &level, limit, &best, &rating);
  for (size_t i = 0; i < m->n; i++)
    m->scratch[i] = m->points[i].yr - m->points[i].yl;
  plane.c[0] = stereo_align_select (m->scratch, m->n, m->n / 2);
  consider_plane (views, m, &plane, limit, &best, &rating);
  for (int i = 2; i < N_TRIPLES && missed > ENOUGH; i++) {
    const double share = rating / (double) m->n;

    if (!draw_plane (views, m, &seed, &plane))
      continue;
    consider_plane (views, m, &plane, limit, &best, &rating);
    missed *= 1 - share * share * share;
  }
  memset (values, 0, N * sizeof (*values));
  values[STEREO_CORRECTION_PITCH] = best.c[0] / views->focal_length;
  values[STEREO_CORRECTION_ROLL] = -best.c[1];
  values[STEREO_CORRECTION_ZOOM] = best.c[2];
}

/* ------------------------------------------------------------- Gauss-Newton */

/* Sets limits for errors of the expected size; returns their median. */
static double
set_limits (const StereoAlignMatches * m)
{
  for (size_t i = 0; i < m->n; i++)
    m->scratch[i] = m->limits[i] = DEVIATIONS * sqrt (m->points[i].variance
        + ROW_SIGMA * ROW_SIGMA);
  return stereo_align_select (m->scratch, m->n, m->n / 2);
}

/* Rows of all points, with derivatives. */
static void
find_rows (const StereoAlignViews * views, const StereoAlignMatches * m,
    const double values[N], bool derivatives)
{
  StereoAlignModel model;

  stereo_align_model_init (&model, views, values);
  for (size_t i = 0; i < m->n; i++)
    m->rows[i] = stereo_align_row (&model, &m->points[i],
        derivatives ? m->jacobian[i] : NULL);
}

/* Ratio of errors and their expected size, of rows below the limit: the median,
 * as a standard deviation, at least 1. */
static double
find_excess (const StereoAlignMatches * m, double limit)
{
  const double near = limit > PREDICTED_LIMIT ? limit : PREDICTED_LIMIT;
  size_t n = 0;
  double excess;

  for (size_t i = 0; i < m->n; i++) {
    if (fabs (m->rows[i]) < near)
      m->scratch[n++] = fabs (m->rows[i]) / m->limits[i];
  }
  excess = n > 8 ? 1.4826 * DEVIATIONS
      * stereo_align_select (m->scratch, n, n / 2) : 1;
  return excess > 1 ? excess : 1;
}

/* The normal equations of the matches: information, and its product with the
 * step. */
static void
sum_matches (const StereoAlignMatches * m, double limit, double excess,
    StereoAlignMatrix * data, double right[N])
{
  memset (data, 0, sizeof (*data));
  memset (right, 0, N * sizeof (*right));
  for (size_t i = 0; i < m->n; i++) {
    const double *j = m->jacobian[i], row = m->rows[i];
    const double own = excess * m->limits[i];
    const double most = own > limit ? own : limit;
    const double q = 1 - row * row / (most * most);
    const double weight = q * q / (own * own / (DEVIATIONS * DEVIATIONS)
        + limit * limit / 9);

    if (!(q > 0))
      continue;
    for (int a = 0; a < N; a++) {
      const double product = weight * j[a];

      right[a] -= product * row;
      for (int b = 0; b <= a; b++)
        data->at[a][b] += product * j[b];
    }
  }
  for (int a = 0; a < N; a++)
    for (int b = a + 1; b < N; b++)
      data->at[a][b] = data->at[b][a];
}

/* Moves fit->values; false if the equations cannot be solved. */
static bool
move_values (const StereoAlignPrior * prior, double right[N],
    StereoAlignFit * fit, double step[N])
{
  StereoAlignMatrix sum = fit->data;
  double distance[N], pull[N];

  for (int i = 0; i < N; i++)
    distance[i] = prior->mean[i] - fit->values[i];
  stereo_align_multiply (&prior->information, distance, pull);
  for (int i = 0; i < N; i++)
    right[i] += pull[i];
  stereo_align_add (&sum, 1, &prior->information);
  if (!stereo_align_invert (&sum, &fit->covariance))
    return false;
  stereo_align_multiply (&fit->covariance, right, step);
  for (int i = 0; i < N; i++)
    fit->values[i] += step[i];
  fit->values[STEREO_CORRECTION_FOCAL] = fmin (LARGEST_FOCAL,
      fmax (-LARGEST_FOCAL, fit->values[STEREO_CORRECTION_FOCAL]));
  return true;
}

/* The largest change of a row, in pixels. */
static double
find_largest_change (const StereoAlignMatches * m, const double step[N])
{
  double largest = 0;

  for (size_t i = 0; i < m->n; i++) {
    double change = 0;

    for (int a = 0; a < N; a++)
      change += m->jacobian[i][a] * step[a];
    change = fabs (change);
    largest = change > largest ? change : largest;
  }
  return largest;
}

static size_t
count_fitting (const StereoAlignMatches * m)
{
  size_t n = 0;

  for (size_t i = 0; i < m->n; i++)
    n += fabs (m->rows[i]) < m->limits[i];
  return n;
}

bool
stereo_align_fit (const StereoAlignViews * views, const StereoAlignMatches * m,
    const StereoAlignPrior * prior, const double *start, StereoAlignFit * fit)
{
  const double threshold = fmax (1.5, views->width * 0.004);
  double limit = start != NULL ? PREDICTED_LIMIT : 2.5 * threshold;
  double median;
  int last = 0;

  memset (fit, 0, sizeof (*fit));
  if (m->n < STEREO_ALIGN_MIN_MATCHES)
    return false;
  if (start != NULL)
    memcpy (fit->values, start, sizeof (fit->values));
  else
    find_start (views, m, threshold, fit->values);
  median = set_limits (m);
  for (int i = 0; i < N_STEPS; i++) {
    const double next = 0.55 * limit;
    double right[N], step[N], change;

    find_rows (views, m, fit->values, true);
    fit->excess = find_excess (m, limit);
    sum_matches (m, limit, fit->excess, &fit->data, right);
    if (!move_values (prior, right, fit, step))
      return false;
    change = find_largest_change (m, step);
    if (limit > 0) {
      if (change < limit / 3)
        limit = next > fit->excess * median && next > 0.3 ? next : 0;
    } else if (++last >= MAX_LAST_STEPS
        || (last >= MIN_LAST_STEPS && change < SMALL_STEP)) {
      break;
    }
  }
  find_rows (views, m, fit->values, false);
  for (size_t i = 0; i < m->n; i++)
    m->limits[i] *= fit->excess;
  fit->n_fitting = count_fitting (m);
  return true;
}
