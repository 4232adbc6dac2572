/* gst-stereomatching: the report of a pair
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "geometry/align-private.h"

#include <math.h>

#define DEGREES 57.29577951308232

/* Unknown: fewer matches that fit, a smaller share of them, or a larger
 * uncertainty of rows, in pixels. */
#define MIN_FITTING 20
#define MIN_SHARE 0.35
#define MAX_SIGMA 1.0

/* Off: rows of more pixels and standard deviations. */
#define MAX_ROWS 0.5
#define MAX_DEVIATIONS 3.0

/* The same view: this share of the matches moved by at most SAME_OFFSET, in
 * 1/256 pixels. */
#define SAME_SHARE 0.95
#define SAME_OFFSET 4

/* Not in step: at least this number of matches, whose errors are larger than
 * expected by at least this factor. */
#define MIN_STEP_MATCHES 60
#define MAX_EXCESS 4.0

/* Swapped: this share of the disparities is below -1, and they do not grow
 * downwards, as in most scenes whose disparities a rotation makes negative: the
 * correlation of disparity and row is less. */
#define SWAPPED_SHARE 0.8
#define SWAPPED_CORRELATION 0.25

static bool
is_fitting (const StereoAlignPair * p, size_t i)
{
  return fabs (p->matches.rows[i]) < p->matches.limits[i];
}

/* ---------------------------------------------------------------- exposure */

typedef struct
{
  int64_t pixels;
  int64_t sum[STEREO_N_VIEWS];
  double variance[STEREO_N_VIEWS];
  int64_t first[STEREO_N_VIEWS];
  int64_t second[STEREO_N_VIEWS];
} Photo;

static Photo
sum_photo (const StereoAlignPair * p)
{
  const int64_t n = STEREO_ROW_MATCH_PIXELS;
  Photo photo = { 0 };

  for (size_t i = 0; i < p->matches.n; i++) {
    const StereoRowMatch *m = &p->found[i];

    if (!is_fitting (p, i) || m->first[STEREO_LEFT] == 0)
      continue;
    photo.pixels += n;
    for (int view = 0; view < STEREO_N_VIEWS; view++) {
      photo.sum[view] += m->sum[view];
      photo.variance[view] += (double) (n * m->squares[view]
          - (int64_t) m->sum[view] * m->sum[view]);
      photo.first[view] += m->first[view];
      photo.second[view] += m->second[view];
    }
  }
  return photo;
}

/* Energy of second differences, relative to first ones. */
static double
get_sharpness (const Photo * p, int view)
{
  return (double) p->second[view] / (double) p->first[view];
}

static void
report_photo (const StereoAlignPair * pair, StereoAlignmentReport * r)
{
  const Photo p = sum_photo (pair);

  if (p.pixels == 0 || p.first[STEREO_RIGHT] == 0
      || p.second[STEREO_LEFT] == 0)
    return;
  r->contrast = sqrt (p.variance[STEREO_RIGHT] / p.variance[STEREO_LEFT]);
  r->brightness = (double) (p.sum[STEREO_RIGHT] - p.sum[STEREO_LEFT])
      / (double) p.pixels;
  r->sharpness = sqrt (get_sharpness (&p, STEREO_RIGHT)
      / get_sharpness (&p, STEREO_LEFT));
}

/* -------------------------------------------------------------- disparities */

/* Fills scratch with the disparities of fitting matches, in the views as they
 * were measured. */
static size_t
list_disparities (const StereoAlignPair * p)
{
  size_t n = 0;

  for (size_t i = 0; i < p->matches.n; i++) {
    if (is_fitting (p, i))
      p->matches.scratch[n++] = -p->found[i].dx / 256.0;
  }
  return n;
}

static double
get_quantile (const StereoAlignPair * p, size_t n, double part)
{
  return stereo_align_select (p->matches.scratch, n,
      (size_t) ((double) (n - 1) * part + 0.5));
}

static void
report_disparities (const StereoAlignPair * p,
    double disparities[STEREO_ALIGN_DISPARITIES], StereoAlignmentReport * r)
{
  const size_t n = list_disparities (p);

  if (n == 0)
    return;
  disparities[0] = get_quantile (p, n, 0.1);
  disparities[1] = get_quantile (p, n, 0.5);
  disparities[2] = get_quantile (p, n, 0.9);
  r->min_disparity = get_quantile (p, n, 0.02);
  r->max_disparity = get_quantile (p, n, 0.98);
}

/* Correlation of n disparities with the rows of the matches that fit. */
static double
correlate_rows (const StereoAlignPair * p, const double *disparities,
    size_t n)
{
  double mean_d = 0, mean_y = 0, dd = 0, dy = 0, yy = 0;
  size_t k = 0;

  for (int pass = 0; pass < 2; pass++) {
    k = 0;
    for (size_t i = 0; i < p->matches.n; i++) {
      const double y = p->matches.points[i].yl;

      if (!is_fitting (p, i))
        continue;
      if (pass == 0) {
        mean_d += disparities[k++] / (double) n;
        mean_y += y / (double) n;
      } else {
        const double d = disparities[k++] - mean_d;

        dd += d * d;
        dy += d * (y - mean_y);
        yy += (y - mean_y) * (y - mean_y);
      }
    }
  }
  return dd > 0 && yy > 0 ? dy / sqrt (dd * yy) : 0;
}

/* Whether disparities are negative beyond what the rotation between the views
 * explains. */
static bool
is_swapped (const StereoAlignPair * p, double sigma)
{
  StereoAlignModel model;
  double *d = p->matches.scratch;
  size_t n = 0, n_negative = 0;

  stereo_align_model_init (&model, &p->views, p->fit.values);
  for (size_t i = 0; i < p->matches.n; i++) {
    const StereoAlignPoint *m = &p->matches.points[i];
    double xl, xr, y;

    if (!is_fitting (p, i))
      continue;
    stereo_align_correct (&model, STEREO_LEFT, m->xl, m->yl, &xl, &y);
    stereo_align_correct (&model, STEREO_RIGHT, m->xr, m->yr, &xr, &y);
    n_negative += xl - xr < -1;
    d[n++] = xl - xr;
  }
  return n > 0 && (double) n_negative > SWAPPED_SHARE * (double) n
      && correlate_rows (p, d, n) < SWAPPED_CORRELATION
      && stereo_align_select (d, n, n / 2) < -3 * sigma;
}

static bool
is_same_view (const StereoAlignPair * p)
{
  size_t n = 0;

  for (size_t i = 0; i < p->matches.n; i++)
    n += p->found[i].dx >= -SAME_OFFSET && p->found[i].dx <= SAME_OFFSET
        && p->found[i].dy >= -SAME_OFFSET && p->found[i].dy <= SAME_OFFSET;
  return (double) n >= SAME_SHARE * (double) p->matches.n;
}

/* --------------------------------------------------------------------- rows */

/* The standard deviation of a parameter, inflated. */
static double
get_sigma (const StereoAlignPair * p, StereoCorrectionParam param)
{
  return STEREO_ALIGN_INFLATION * sqrt (p->fit.covariance.at[param][param]);
}

/* Returns whether rows are off somewhere. */
static bool
report_rows (const StereoAlignPair * p,
    const double disparities[STEREO_ALIGN_DISPARITIES],
    StereoAlignmentReport * r)
{
  double rows[STEREO_ALIGN_FIELD], sigma[STEREO_ALIGN_FIELD];
  double jacobian[STEREO_ALIGN_FIELD][STEREO_ALIGN_N];
  const int center = STEREO_ALIGN_FIELD / 2;
  StereoAlignField field;
  bool off = false;

  stereo_align_field_init (&field, &p->views, disparities,
      p->applied != NULL ? &p->applied_model : NULL);
  stereo_align_field_rows (&field, &p->views, p->fit.values, rows, jacobian);
  stereo_align_field_sigma (jacobian, &p->fit.covariance, sigma);
  for (int i = 0; i < STEREO_ALIGN_FIELD; i++) {
    sigma[i] *= STEREO_ALIGN_INFLATION;
    off |= fabs (rows[i]) > MAX_ROWS
        && fabs (rows[i]) > MAX_DEVIATIONS * sigma[i];
  }
  r->offset = rows[center];
  r->offset_sigma = sigma[center];
  r->rows_median = stereo_align_field_quantile (rows, 0.5);
  r->rows_95 = stereo_align_field_quantile (rows, 0.05);
  r->rows_max = stereo_align_field_quantile (rows, 0);
  r->rows_sigma = stereo_align_field_quantile (sigma, 0.05);
  return off;
}

/* Rotations and zoom, less those that were corrected before. */
static void
report_cameras (const StereoAlignPair * p, StereoAlignmentReport * r)
{
  static const double none[STEREO_ALIGN_N] = { 0 };
  const double *v = p->fit.values;
  const double *a = p->applied != NULL ? p->applied->values : none;
  const double scale = stereo_align_exp (v[STEREO_CORRECTION_FOCAL]);
  const double applied_scale = stereo_align_exp (a[STEREO_CORRECTION_FOCAL]);

  r->roll = (a[STEREO_CORRECTION_ROLL] - v[STEREO_CORRECTION_ROLL]) * DEGREES;
  r->roll_sigma = get_sigma (p, STEREO_CORRECTION_ROLL) * DEGREES;
  r->zoom = stereo_align_exp (v[STEREO_CORRECTION_ZOOM]
      - a[STEREO_CORRECTION_ZOOM]) - 1;
  r->zoom_sigma = get_sigma (p, STEREO_CORRECTION_ZOOM);
  r->keystone = (v[STEREO_CORRECTION_YAW] * scale
      - a[STEREO_CORRECTION_YAW] * applied_scale) * DEGREES;
  r->keystone_sigma = get_sigma (p, STEREO_CORRECTION_YAW) * scale * DEGREES;
  r->disparity_sigma = get_sigma (p, STEREO_CORRECTION_YAW)
      * p->views.focal_length * scale * scale;
}

/* ------------------------------------------------------------------ verdict */

static void
init_report (const StereoAlignPair * p, StereoAlignmentReport * r)
{
  *r = (StereoAlignmentReport) {
    .struct_size = sizeof (*r),
    .status = STEREO_ALIGNMENT_UNKNOWN,
    .serial = p->applied != NULL ? p->applied->serial : 0,
    .n_matches = (unsigned) p->matches.n,
    .n_fitting = p->fitted ? (unsigned) p->fit.n_fitting : 0,
  };
  r->rows_median = r->rows_95 = r->rows_max = r->rows_sigma = NAN;
  r->offset = r->offset_sigma = r->roll = r->roll_sigma = NAN;
  r->zoom = r->zoom_sigma = r->keystone = r->keystone_sigma = NAN;
  r->disparity_sigma = r->contrast = r->brightness = r->sharpness = NAN;
  r->min_disparity = r->max_disparity = NAN;
}

static StereoAlignmentStatus
choose_status (const StereoAlignPair * p, const StereoAlignmentReport * r,
    bool off)
{
  if (p->matches.n >= MIN_STEP_MATCHES && p->fit.excess > MAX_EXCESS)
    return STEREO_ALIGNMENT_NOT_IN_STEP;
  if (p->fit.n_fitting < MIN_FITTING
      || (double) p->fit.n_fitting < MIN_SHARE * (double) p->matches.n
      || !(r->rows_sigma <= MAX_SIGMA))
    return STEREO_ALIGNMENT_UNKNOWN;
  if (is_same_view (p))
    return STEREO_ALIGNMENT_SAME_VIEW;
  if (is_swapped (p, r->disparity_sigma))
    return STEREO_ALIGNMENT_SWAPPED;
  return off ? STEREO_ALIGNMENT_OFF : STEREO_ALIGNMENT_OK;
}

void
stereo_align_judge (const StereoAlignPair * p,
    double disparities[STEREO_ALIGN_DISPARITIES], StereoAlignmentReport * r)
{
  bool off;

  init_report (p, r);
  if (!p->fitted || p->fit.n_fitting == 0)
    return;
  report_disparities (p, disparities, r);
  report_cameras (p, r);
  report_photo (p, r);
  off = report_rows (p, disparities, r);
  r->status = choose_status (p, r, off);
}
