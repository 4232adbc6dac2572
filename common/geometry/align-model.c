/* gst-stereomatching: the cameras of a correction
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "geometry/align-model.h"

#include "geometry/matrix3.h"

#include <string.h>

/* Terms of series, which are exact to a double up to 1. */
#define N_TERMS 18

double
stereo_align_exp (double x)
{
  double sum = 1;

  for (int i = N_TERMS; i > 0; i--)
    sum = 1 + sum * x / i;
  return sum;
}

/* sum (-u)^i / (2 i + first)! and its derivative by u: sin (t) / t of u = t^2
 * with first = 1, and (1 - cos (t)) / t^2 with first = 2. */
static double
alternating_series (double u, int first, double *slope)
{
  double sum = 0, derivative = 0;

  for (int i = N_TERMS / 2; i >= 0; i--) {
    const double next = (2.0 * i + first + 1) * (2.0 * i + first + 2);

    derivative = -(sum + u * derivative) / next;
    sum = 1 - u * sum / next;
  }
  /* so far without the factor of the first term, 1 / first! */
  *slope = first == 2 ? derivative / 2 : derivative;
  return first == 2 ? sum / 2 : sum;
}

/* The matrix of the cross product with w. */
static void
make_cross (const double w[3], double m[9])
{
  const double cross[9] = { 0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0 };

  memcpy (m, cross, sizeof (cross));
}

/* Rodrigues' formula, I + a W + b W^2, and its derivatives by w. */
static void
make_rotation (const double w[3], StereoAlignCamera * c)
{
  const double u = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
  double da, db, cross[9], square[9];
  const double a = alternating_series (u, 1, &da);
  const double b = alternating_series (u, 2, &db);

  make_cross (w, cross);
  stereo_matrix3_multiply (cross, cross, square);
  for (int i = 0; i < 9; i++)
    c->rotation[i] = (i % 4 == 0) + a * cross[i] + b * square[i];
  for (int k = 0; k < 3; k++) {
    const double axis[3] = { k == 0, k == 1, k == 2 };
    double unit[9], left[9], right[9];

    make_cross (axis, unit);
    stereo_matrix3_multiply (unit, cross, left);
    stereo_matrix3_multiply (cross, unit, right);
    for (int i = 0; i < 9; i++)
      c->by_turn[k][i] = 2 * w[k] * (da * cross[i] + db * square[i])
          + a * unit[i] + b * (left[i] + right[i]);
  }
}

static void
init_camera (StereoAlignModel * m, int view, const double t[STEREO_ALIGN_N])
{
  StereoAlignCamera *c = &m->camera[view];
  const double side = view == STEREO_LEFT ? -0.5 : 0.5;
  const double pitch = t[STEREO_CORRECTION_PITCH] / m->scale;
  const double yaw = (t[STEREO_CORRECTION_COMMON_YAW]
      + side * t[STEREO_CORRECTION_YAW]) * m->scale;
  const double turn[3] = { side * pitch, yaw, t[STEREO_CORRECTION_COMMON_ROLL]
        + side * t[STEREO_CORRECTION_ROLL]
  };

  make_rotation (turn, c);
  c->by_focal[0] = -side * pitch;
  c->by_focal[1] = yaw;
  c->by_focal[2] = 0;
  c->side = side;
  c->focal = m->f * stereo_align_exp (side * t[STEREO_CORRECTION_ZOOM]);
  c->inverse_focal = 1 / c->focal;
  c->offset = side * t[STEREO_CORRECTION_OFFSET];
  c->k = t[STEREO_CORRECTION_COMMON_K1] + side * t[STEREO_CORRECTION_K1];
}

/* Shifts columns so that the centre of each view stays where it is, and rows of
 * both views so that it does so on average. */
static void
hold_center (StereoAlignModel * m)
{
  double x[STEREO_N_VIEWS], y[STEREO_N_VIEWS];

  for (int view = 0; view < STEREO_N_VIEWS; view++)
    stereo_align_correct (m, view, m->cx, m->cy, &x[view], &y[view]);
  for (int view = 0; view < STEREO_N_VIEWS; view++) {
    m->camera[view].shift_x = -x[view];
    m->camera[view].shift_y = -(y[0] + y[1]) / 2;
  }
}

void
stereo_align_model_init (StereoAlignModel * m, const StereoAlignViews * views,
    const double values[STEREO_ALIGN_N])
{
  m->scale = stereo_align_exp (values[STEREO_CORRECTION_FOCAL]);
  m->inverse_scale = 1 / m->scale;
  m->f = views->focal_length * m->scale;
  m->inverse_square = 1 / (m->f * m->f);
  m->cx = (views->width - 1) * 0.5;
  m->cy = (views->height - 1) * 0.5;
  init_camera (m, STEREO_LEFT, values);
  init_camera (m, STEREO_RIGHT, values);
  hold_center (m);
}

/* ------------------------------------------------------------------- points */

/* A point on its way. */
typedef struct
{
  double square;                /* of the radius, in f */
  double x;                     /* in fv, undistorted */
  double y;
  double ray[3];                /* turned */
  double inverse;               /* 1 / ray[2] */
  double row;                   /* ray[1] / ray[2] */
} Ray;

static Ray
make_ray (const StereoAlignModel * m, const StereoAlignCamera * c, double x,
    double y)
{
  const double u = x - m->cx, v = y - m->cy;
  const double square = (u * u + v * v) * m->inverse_square;
  const double s = 1 + c->k * square, *r = c->rotation;
  Ray ray = {.square = square,.x = u * s * c->inverse_focal,
    .y = (v * s - c->offset) * c->inverse_focal
  };

  for (int i = 0; i < 3; i++)
    ray.ray[i] = r[3 * i] * ray.x + r[3 * i + 1] * ray.y + r[3 * i + 2];
  ray.inverse = 1 / ray.ray[2];
  ray.row = ray.ray[1] * ray.inverse;
  return ray;
}

void
stereo_align_correct (const StereoAlignModel * m, int view, double x, double y,
    double *X, double *Y)
{
  const Ray r = make_ray (m, &m->camera[view], x, y);

  *X = m->f * r.ray[0] * r.inverse;
  *Y = m->f * r.row;
}

/* The derivative of the row for a change of the turned ray. */
static double
row_change (const Ray * r, double d1, double d2)
{
  return (d1 - r->row * d2) * r->inverse;
}

/* The same for a change of (x, y). */
static double
row_of_change (const StereoAlignCamera * c, const Ray * r, double dx,
    double dy)
{
  return row_change (r, c->rotation[3] * dx + c->rotation[4] * dy,
      c->rotation[6] * dx + c->rotation[7] * dy);
}

/* Derivatives of the row of one view, in f. */
typedef struct
{
  double turn[3];
  double log_f;
  double zoom;                  /* log of fv / f */
  double offset;
  double k;
} RowChanges;

static RowChanges
differentiate (const StereoAlignModel * m, const StereoAlignCamera * c,
    double x, double y, const Ray * r)
{
  const double u = (x - m->cx) * c->inverse_focal;
  const double v = (y - m->cy) * c->inverse_focal;
  const double loss = -2 * c->k * r->square;
  RowChanges d;

  for (int i = 0; i < 3; i++) {
    const double *t = c->by_turn[i];

    d.turn[i] = row_change (r, t[3] * r->x + t[4] * r->y + t[5],
        t[6] * r->x + t[7] * r->y + t[8]);
  }
  d.zoom = row_of_change (c, r, -r->x, -r->y);
  d.log_f = row_of_change (c, r, u * loss - r->x, v * loss - r->y)
      + d.turn[0] * c->by_focal[0] + d.turn[1] * c->by_focal[1];
  d.offset = row_of_change (c, r, 0, -c->inverse_focal);
  d.k = row_of_change (c, r, u * r->square, v * r->square);
  return d;
}

static void
add_jacobian (const StereoAlignModel * m, const StereoAlignCamera * c,
    const RowChanges * d, double sign, double j[STEREO_ALIGN_N])
{
  const double f = sign * m->f, half = f * c->side;

  j[STEREO_CORRECTION_PITCH] += half * d->turn[0] * m->inverse_scale;
  j[STEREO_CORRECTION_YAW] += half * d->turn[1] * m->scale;
  j[STEREO_CORRECTION_ROLL] += half * d->turn[2];
  j[STEREO_CORRECTION_ZOOM] += half * d->zoom;
  j[STEREO_CORRECTION_COMMON_ROLL] += f * d->turn[2];
  j[STEREO_CORRECTION_COMMON_YAW] += f * d->turn[1] * m->scale;
  j[STEREO_CORRECTION_FOCAL] += f * d->log_f;
  j[STEREO_CORRECTION_OFFSET] += half * d->offset;
  j[STEREO_CORRECTION_K1] += half * d->k;
  j[STEREO_CORRECTION_COMMON_K1] += f * d->k;
}

double
stereo_align_row (const StereoAlignModel * m, const StereoAlignPoint * p,
    double jacobian[STEREO_ALIGN_N])
{
  const StereoAlignCamera *left = &m->camera[STEREO_LEFT];
  const StereoAlignCamera *right = &m->camera[STEREO_RIGHT];
  const Ray a = make_ray (m, left, p->xl, p->yl);
  const Ray b = make_ray (m, right, p->xr, p->yr);
  const double row = m->f * (b.row - a.row);

  if (jacobian != NULL) {
    const RowChanges da = differentiate (m, left, p->xl, p->yl, &a);
    const RowChanges db = differentiate (m, right, p->xr, p->yr, &b);

    memset (jacobian, 0, STEREO_ALIGN_N * sizeof (*jacobian));
    jacobian[STEREO_CORRECTION_FOCAL] = row;
    add_jacobian (m, left, &da, -1, jacobian);
    add_jacobian (m, right, &db, 1, jacobian);
  }
  return row;
}

/* ------------------------------------------------------------------ inverse */

/* The t <= 1 or >= 1 with t (1 + k t^2) = 1, by Newton's method; where there is
 * none, where the distorted radius is largest. */
static double
undo_distortion (double k)
{
  double t = 1;

  for (int i = 0; i < 8; i++) {
    const double slope = 1 + 3 * k * t * t;

    if (!(slope > 0.05))
      break;
    t -= (t * (1 + k * t * t) - 1) / slope;
  }
  return t;
}

void
stereo_align_source (const StereoAlignModel * m, int view, double u, double v,
    double *x, double *y)
{
  const StereoAlignCamera *c = &m->camera[view];
  const double *r = c->rotation;
  const double X = (u - m->cx - c->shift_x) / m->f;
  const double Y = (v - m->cy - c->shift_y) / m->f;
  const double z = r[2] * X + r[5] * Y + r[8];
  const double dx = (r[0] * X + r[3] * Y + r[6]) / z * c->focal;
  const double dy = (r[1] * X + r[4] * Y + r[7]) / z * c->focal + c->offset;
  const double t = undo_distortion (c->k * (dx * dx + dy * dy)
      / (m->f * m->f));

  *x = m->cx + dx * t;
  *y = m->cy + dy * t;
}
