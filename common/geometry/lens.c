/* gst-stereomatching: models of lenses
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "geometry/lens.h"

#include "core/backend.h"
#include "geometry/matrix3.h"

#include <math.h>

#define FISHEYE_ITERATIONS 200
#define MAX_XI 100              /* of a parabolic mirror it is 1 */

/* ----------------------------------------------------------- narrow lenses */

static void
distort_brown (const double k[STEREO_MAX_COEFFICIENTS], double x, double y,
    double *dx, double *dy)
{
  double r = x * x + y * y;
  double c = (1 + r * (k[0] + r * (k[1] + r * k[4])))
      / (1 + r * (k[5] + r * (k[6] + r * k[7])));

  *dx = x * c + 2 * k[2] * x * y + k[3] * (r + 2 * x * x)
      + r * (k[8] + r * k[9]);
  *dy = y * c + k[2] * (r + 2 * y * y) + 2 * k[3] * x * y
      + r * (k[10] + r * k[11]);
}

static double
distort_angle (const double k[STEREO_MAX_COEFFICIENTS], double a)
{
  double a2 = a * a;

  return a * (1 + a2 * (k[0] + a2 * (k[1] + a2 * (k[2] + a2 * k[3]))));
}

/* Projects a ray beside or behind the camera. */
static bool
project_behind (const StereoCamera * camera, const double ray[3], double *dx,
    double *dy)
{
  double r = sqrt (ray[0] * ray[0] + ray[1] * ray[1]), scale;

  if (camera->lens != STEREO_LENS_FISHEYE || !(r > 0))
    return false;
  scale = distort_angle (camera->k, atan2 (r, ray[2])) / r;
  *dx = ray[0] * scale;
  *dy = ray[1] * scale;
  return true;
}

static bool
project_narrow (const StereoCamera * camera, const double ray[3], double *x,
    double *y)
{
  double r, scale;

  if (!(ray[2] > 0))
    return project_behind (camera, ray, x, y);
  *x = ray[0] / ray[2];
  *y = ray[1] / ray[2];
  if (camera->lens == STEREO_LENS_BROWN) {
    distort_brown (camera->k, *x, *y, x, y);
    return true;
  }
  r = sqrt (*x * *x + *y * *y);
  scale = r > 0 ? distort_angle (camera->k, atan (r)) / r : 1;
  *x *= scale;
  *y *= scale;
  return true;
}

/* Inverts distort_brown() at (x0, y0) by fixed-point iteration. */
static void
undistort_brown (const double k[STEREO_MAX_COEFFICIENTS], double x0, double y0,
    int n_iterations, double ray[3])
{
  double x = x0, y = y0;

  for (int i = 0; i < n_iterations; i++) {
    double r = x * x + y * y;
    double c = (1 + r * (k[5] + r * (k[6] + r * k[7])))
        / (1 + r * (k[0] + r * (k[1] + r * k[4])));
    double dx = 2 * k[2] * x * y + k[3] * (r + 2 * x * x)
        + r * (k[8] + r * k[9]);
    double dy = k[2] * (r + 2 * y * y) + 2 * k[3] * x * y
        + r * (k[10] + r * k[11]);

    x = (x0 - dx) * c;
    y = (y0 - dy) * c;
  }
  ray[0] = x;
  ray[1] = y;
}

static void
undistort_fisheye (const double k[STEREO_MAX_COEFFICIENTS], double x0,
    double y0, double ray[3])
{
  double r = sqrt (x0 * x0 + y0 * y0), a = r;

  for (int i = 0; i < FISHEYE_ITERATIONS; i++)
    a += (r - distort_angle (k, a)) / 2;
  a = fmin (fmax (a, 0), 1.55);
  ray[0] = r > 0 ? x0 * tan (a) / r : 0;
  ray[1] = r > 0 ? y0 * tan (a) / r : 0;
}

void
stereo_lens_unproject (const StereoCamera * camera, double u, double v,
    int n_iterations, double ray[3])
{
  double x = (u - camera->cx) / camera->fx, y = (v - camera->cy) / camera->fy;

  if (camera->lens == STEREO_LENS_FISHEYE)
    undistort_fisheye (camera->k, x, y, ray);
  else
    undistort_brown (camera->k, x, y, n_iterations, ray);
  ray[2] = 1;
}

/* -------------------------------------------------------------- wide lenses */

bool
stereo_lens_is_wide (StereoLens lens)
{
  return lens == STEREO_LENS_OMNI || lens == STEREO_LENS_DOUBLE_SPHERE
      || lens == STEREO_LENS_EXTENDED;
}

/* Whether Brown's distortion with k1 k2 p1 p2 k3 does not fold back yet at a
 * squared radius. */
static bool
is_unfolded (const double k[STEREO_MAX_COEFFICIENTS], double r)
{
  return 1 + r * (3 * k[0] + r * (5 * k[1] + r * 7 * k[4])) > 0;
}

static bool
project_omni (const StereoCamera * camera, const double ray[3], double *x,
    double *y)
{
  double length = stereo_vector3_norm (ray), xi = camera->xi;
  double z = ray[2] / length, x0, y0;

  /* the part of the sphere that is seen once */
  if (!(z > -fmin (xi, xi > 0 ? 1 / xi : 0)))
    return false;
  x0 = ray[0] / length / (z + xi);
  y0 = ray[1] / length / (z + xi);
  distort_brown (camera->k, x0, y0, x, y);
  return is_unfolded (camera->k, x0 * x0 + y0 * y0);
}

/* The slope of the limit in the double sphere and the extended model. */
static double
limit_of (double alpha)
{
  return alpha <= 0.5 ? alpha / (1 - alpha) : (1 - alpha) / alpha;
}

static bool
project_double_sphere (const StereoCamera * camera, const double ray[3],
    double *x, double *y)
{
  double alpha = camera->alpha, xi = camera->xi, w1 = limit_of (alpha);
  double w2 = (w1 + xi) / sqrt (2 * w1 * xi + xi * xi + 1);
  double d1 = stereo_vector3_norm (ray), z = xi * d1 + ray[2];
  double d2 = stereo_vector3_norm ((const double[]) { ray[0], ray[1], z });
  double scale = alpha * d2 + (1 - alpha) * z;

  if (!(ray[2] > -w2 * d1) || !(scale > 0))
    return false;
  *x = ray[0] / scale;
  *y = ray[1] / scale;
  return true;
}

static bool
project_extended (const StereoCamera * camera, const double ray[3], double *x,
    double *y)
{
  double alpha = camera->alpha, beta = camera->beta;
  double d = sqrt (beta * (ray[0] * ray[0] + ray[1] * ray[1]) + ray[2]
      * ray[2]);
  double scale = alpha * d + (1 - alpha) * ray[2];

  if (!(ray[2] > -limit_of (alpha) * d) || !(scale > 0))
    return false;
  *x = ray[0] / scale;
  *y = ray[1] / scale;
  return true;
}

/* --------------------------------------------------------------- all lenses */

bool
stereo_lens_project (const StereoCamera * camera, const double ray[3],
    double *x, double *y)
{
  switch (camera->lens) {
    case STEREO_LENS_OMNI:
      return project_omni (camera, ray, x, y);
    case STEREO_LENS_DOUBLE_SPHERE:
      return project_double_sphere (camera, ray, x, y);
    case STEREO_LENS_EXTENDED:
      return project_extended (camera, ray, x, y);
    default:
      return project_narrow (camera, ray, x, y);
  }
}

StereoStatus
stereo_lens_check (const StereoCamera * camera, StereoMessage * why)
{
  const StereoLens lens = camera->lens;

  if (lens == STEREO_LENS_OMNI && !(camera->xi >= 0 && camera->xi <= MAX_XI))
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "expected xi from 0 to %d in the omnidirectional model, got %g", MAX_XI,
        camera->xi);
  if (lens == STEREO_LENS_DOUBLE_SPHERE && !(camera->xi > -1
          && camera->xi <= 1))
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "expected xi above -1 and up to 1 in the double sphere model, got %g",
        camera->xi);
  if ((lens == STEREO_LENS_DOUBLE_SPHERE || lens == STEREO_LENS_EXTENDED)
      && !(camera->alpha >= 0 && camera->alpha <= 1))
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "expected alpha from 0 to 1, got %g", camera->alpha);
  if (lens == STEREO_LENS_EXTENDED && !(camera->beta > 0))
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "expected beta above 0 in the extended unified model, got %g",
        camera->beta);
  return STEREO_OK;
}
