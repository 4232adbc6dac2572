/* gst-stereomatching: tests of the rectification operation
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/runner.h"
#include "geometry/rectify.h"
#include "harness.h"

#include <math.h>

static const StereoFormat formats[] = { STEREO_FORMAT_GRAY8, STEREO_FORMAT_RGB,
  STEREO_FORMAT_BGRX, STEREO_FORMAT_NV12, STEREO_FORMAT_I420,
  STEREO_FORMAT_Y444
};

#define N_FORMATS (sizeof (formats) / sizeof (formats[0]))

/* --------------------------------------------------------------- cameras */

/* Two rectified cameras of this size. */
static StereoCalibration
ideal_cameras (int width, int height)
{
  StereoCalibration c = {.has_pose = true,.unit = 1 };

  for (int v = 0; v < 2; v++) {
    c.has_camera[v] = true;
    c.camera[v] = (StereoCamera) {
      .width = width,
      .height = height,
      .fx = 500,
      .fy = 500,
      .cx = (width - 1) / 2.0,
      .cy = (height - 1) / 2.0,
    };
  }
  for (int i = 0; i < 9; i += 4)
    c.rotation[i] = 1;
  c.translation[0] = -0.12;
  return c;
}

/* Two different cameras with distortion, rotated against each other. */
static StereoCalibration
distorted_cameras (int width, int height, StereoLens lens)
{
  static const double brown[2][12] = {
    {-0.28, 0.07, 0.002, -0.001, 0.01, 0.02, -0.01, 0.003, 0.001, 0, -0.002,
        0.0001},
    {-0.27, 0.09, -0.0005, 0.0009}
  };
  static const double fisheye[2][12] = {
    {-0.01, 0.02, -0.01, 0.002}, {0.01, -0.004, 0.003, 0}
  };
  StereoCalibration c = ideal_cameras (width, height);

  for (int v = 0; v < 2; v++) {
    c.camera[v].lens = lens;
    c.camera[v].fx = width * (0.83 + 0.01 * v);
    c.camera[v].fy = width * 0.84;
    c.camera[v].cx += 3 - 9 * v;
    c.camera[v].cy -= 4 - 5 * v;
    memcpy (c.camera[v].k, lens == STEREO_LENS_BROWN ? brown[v] : fisheye[v],
        sizeof (brown[v]));
  }
  /* rotation by 0.02 about y, then 0.01 about z */
  c.rotation[0] = cos (0.02) * cos (0.01);
  c.rotation[1] = -sin (0.01);
  c.rotation[2] = sin (0.02) * cos (0.01);
  c.rotation[3] = cos (0.02) * sin (0.01);
  c.rotation[4] = cos (0.01);
  c.rotation[5] = sin (0.02) * sin (0.01);
  c.rotation[6] = -sin (0.02);
  c.rotation[7] = 0;
  c.rotation[8] = cos (0.02);
  c.translation[1] = 0.004;
  c.translation[2] = -0.002;
  return c;
}

static const StereoRectifiedShape cropped = {.alpha = 0 };

static StereoRectification
rectification (const StereoCalibration * c, int view, int width, int height,
    double alpha)
{
  const StereoRectifiedShape shape = {.alpha = alpha };
  StereoRectification r;
  StereoMessage why = { "" };

  if (stereo_rectification_init (&r, c, view, width, height, &shape, &why)
      != STEREO_OK) {
    fprintf (stderr, "%s\n", why.text);
    exit (1);
  }
  return r;
}

/* Projects a point in left camera coordinates into a camera, with the published
 * lens models, term by term. */
static void
project (const StereoCalibration * c, int view, const double point[3],
    double uv[2])
{
  const StereoCamera *camera = &c->camera[view];
  const double *k = camera->k;
  double p[3], x, y, r, x1, y1;

  for (int i = 0; i < 3; i++)
    p[i] = view == 0 ? point[i] : c->rotation[3 * i] * point[0]
        + c->rotation[3 * i + 1] * point[1] + c->rotation[3 * i + 2] * point[2]
        + c->translation[i];
  x = p[0] / p[2];
  y = p[1] / p[2];
  r = x * x + y * y;
  if (camera->lens == STEREO_LENS_FISHEYE) {
    double a = atan2 (sqrt (p[0] * p[0] + p[1] * p[1]), p[2]);
    double d = a + k[0] * pow (a, 3) + k[1] * pow (a, 5) + k[2] * pow (a, 7)
        + k[3] * pow (a, 9);

    x1 = r > 0 ? x / sqrt (r) * d : x;
    y1 = r > 0 ? y / sqrt (r) * d : y;
  } else {
    double radial = (1 + k[0] * r + k[1] * pow (r, 2) + k[4] * pow (r, 3))
        / (1 + k[5] * r + k[6] * pow (r, 2) + k[7] * pow (r, 3));

    x1 = x * radial + 2 * k[2] * x * y + k[3] * (r + 2 * pow (x, 2)) + k[8] * r
        + k[9] * pow (r, 2);
    y1 = y * radial + k[2] * (r + 2 * pow (y, 2)) + 2 * k[3] * x * y
        + k[10] * r + k[11] * pow (r, 2);
  }
  uv[0] = camera->fx * x1 + camera->cx;
  uv[1] = camera->fy * y1 + camera->cy;
}

/* The pixel of the rectified view whose source is this position, by search. */
static void
rectified_pixel (const StereoRectification * r, const double uv[2],
    double pixel[2])
{
  pixel[0] = uv[0];
  pixel[1] = uv[1];
  for (int i = 0; i < 300; i++) {
    double x, y;

    REQUIRE (stereo_rectification_source (r, pixel[0], pixel[1], &x, &y));
    pixel[0] += (uv[0] - x) / 2;
    pixel[1] += (uv[1] - y) / 2;
  }
}

/* ---------------------------------------------------------------- geometry */

/* Points in space have the same row in both rectified views, and a disparity
 * that corresponds to their depth along the rectified axis. */
TEST (test_rows)
{
  static const double alphas[] = { -1, 0, 0.3, 1 };
  Random random = { 1 };

  for (int i = 0; i < 200; i++) {
    StereoLens lens = i % 2 ? STEREO_LENS_FISHEYE : STEREO_LENS_BROWN;
    StereoCalibration c = distorted_cameras (640, 480, lens);
    double z = random_range (&random, 100, 1000) / 100.0;
    double point[3] = { random_range (&random, -40, 40) / 100.0 * z,
      random_range (&random, -30, 30) / 100.0 * z, z
    };
    double pixels[2][2], depth;
    StereoRectification r[2];

    for (int v = 0; v < 2; v++) {
      double uv[2];

      r[v] = rectification (&c, v, 640, 480, alphas[i % 4]);
      project (&c, v, point, uv);
      rectified_pixel (&r[v], uv, pixels[v]);
    }
    CHECK_DOUBLE (fabs (pixels[0][1] - pixels[1][1]), <, 1e-6);
    CHECK_DOUBLE (fabs (r[0].focal_length - r[1].focal_length), <, 1e-9);
    CHECK_DOUBLE (fabs (r[0].baseline - sqrt (0.12 * 0.12 + 0.004 * 0.004
                + 0.002 * 0.002)), <, 1e-12);
    CHECK_DOUBLE (r[0].doffs, ==, 0);
    depth = r[0].focal_length * r[0].baseline / (pixels[0][0] - pixels[1][0]);
    /* the rectified axis is rotated by a few hundredths */
    CHECK_DOUBLE (fabs (depth / z - 1), <, 0.04);
  }
}

/* alpha = 0: every pixel has a source; alpha = 1: every corner is visible. */
TEST (test_alpha)
{
  for (int lens = 0; lens < 2; lens++) {
    StereoCalibration c = distorted_cameras (640, 480, (StereoLens) lens);
    double f[3];

    for (int v = 0; v < 2; v++) {
      StereoRectification inner = rectification (&c, v, 640, 480, 0);
      StereoRectification outer = rectification (&c, v, 640, 480, 1);

      for (int i = 0; i < 640; i++) {
        for (int side = 0; side < 4; side++) {
          double u = side < 2 ? i : side == 2 ? 0 : 639;
          double w = side == 0 ? 0 : side == 1 ? 479 : i * 479 / 639.0;
          double x, y;

          REQUIRE (stereo_rectification_source (&inner, u, w, &x, &y));
          /* not exact: nine points per side determine the rectangle */
          CHECK (x > -1 && y > -1 && x < 640 && y < 480);
        }
      }
      for (int corner = 0; corner < 4; corner++) {
        const double uv[2] = { corner % 2 * 639, corner / 2 * 479 };
        double pixel[2];

        rectified_pixel (&outer, uv, pixel);
        CHECK (pixel[0] > -0.01 && pixel[0] < 639.01);
        CHECK (pixel[1] > -0.01 && pixel[1] < 479.01);
      }
    }
    f[0] = rectification (&c, 0, 640, 480, 0).focal_length;
    f[1] = rectification (&c, 0, 640, 480, 0.5).focal_length;
    f[2] = rectification (&c, 0, 640, 480, 1).focal_length;
    CHECK_DOUBLE (f[0], >, f[2]);
    CHECK_DOUBLE (fabs (f[1] - (f[0] + f[2]) / 2), <, 1e-9);
  }
}

/* Images of twice the size have twice the focal length and the same centre. */
TEST (test_sizes)
{
  StereoCalibration c = distorted_cameras (320, 240, STEREO_LENS_BROWN);
  StereoRectification small = rectification (&c, 1, 320, 240, 0);
  StereoRectification large = rectification (&c, 1, 640, 480, 0);
  StereoMessage why;

  CHECK_DOUBLE (fabs (large.focal_length / small.focal_length - 2), <, 0.01);
  for (int i = 0; i < 100; i++) {
    double x[2], y[2], u = i * 3.1, v = i * 2.3;
    StereoCalibration given = c;

    /* a given projection is scaled exactly */
    for (int view = 0; view < 2; view++) {
      const double p[12] = { 280, 0, 161, 0, 0, 280, 118, 0, 0, 0, 1, 0 };

      given.has_rectification[view] = true;
      memcpy (given.rectifying[view], c.rotation, sizeof (c.rotation));
      memcpy (given.projection[view], p, sizeof (p));
    }
    small = rectification (&given, 1, 320, 240, 0);
    large = rectification (&given, 1, 640, 480, 0);
    REQUIRE (stereo_rectification_source (&small, u, v, &x[0], &y[0]));
    REQUIRE (stereo_rectification_source (&large, 2 * u + 0.5, 2 * v + 0.5,
            &x[1], &y[1]));
    CHECK_DOUBLE (fabs (2 * x[0] + 0.5 - x[1]), <, 1e-9);
    CHECK_DOUBLE (fabs (2 * y[0] + 0.5 - y[1]), <, 1e-9);
  }
  CHECK_INT (stereo_rectification_init (&small, &c, 0, 480, 360, &cropped,
          &why), ==, STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (why.text, "for images of 320x240, and these are 480x360");
}

static void
check_refused (StereoCalibration c, const char *text)
{
  StereoRectification r;
  StereoMessage why = { "" };

  CHECK_INT (stereo_rectification_init (&r, &c, 0, 64, 48, &cropped, &why), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (why.text, text);
}

TEST (test_errors)
{
  StereoCalibration c = ideal_cameras (64, 48);

  c.has_camera[1] = false;
  check_refused (c, "no camera matrix of the right camera");
  c = ideal_cameras (64, 48);
  c.has_pose = false;
  check_refused (c, "neither a rectification of the left camera, nor the "
      "rotation and the translation");
  c = ideal_cameras (64, 48);
  c.rotation[4] = 2;
  check_refused (c, "is no rotation");
  c = ideal_cameras (64, 48);
  c.translation[0] = 0;
  check_refused (c, "in the same place");
  c.translation[1] = 1;
  check_refused (c, "one camera is above the other");
  for (int v = 0; v < 2; v++) {
    const double p[12] = { 500, 0, 31, 0, 0, 500, 23, v * -60, 0, 0, 1, 0 };

    c.has_rectification[v] = true;
    memcpy (c.rectifying[v], c.rotation, sizeof (c.rotation));
    memcpy (c.projection[v], p, sizeof (p));
  }
  check_refused (c, "one camera is above the other");
  c = ideal_cameras (64, 48);
  c.camera[0].fx = NAN;
  check_refused (c, "focal length of the left camera is not above 0");
}

/* Without a focal length of the right view. */
TEST (test_unknown_baseline)
{
  const double left[12] = { 500, 0, 31, 0, 0, 500, 23, 0, 0, 0, 1, 0 };
  StereoCalibration c = ideal_cameras (64, 48);
  StereoRectification r;

  c.has_rectification[0] = c.has_rectification[1] = true;
  memcpy (c.rectifying[0], c.rotation, sizeof (c.rotation));
  memcpy (c.rectifying[1], c.rotation, sizeof (c.rotation));
  memcpy (c.projection[0], left, sizeof (left));
  memset (c.projection[1], 0, sizeof (c.projection[1]));
  r = rectification (&c, 0, 64, 48, -1);
  CHECK_DOUBLE (r.baseline, ==, 0);
  CHECK_DOUBLE (r.doffs, ==, 0);
}

/* ------------------------------------------------------------- wide lenses */

static const StereoLens wide[] = { STEREO_LENS_FISHEYE, STEREO_LENS_OMNI,
  STEREO_LENS_DOUBLE_SPHERE, STEREO_LENS_EXTENDED
};

#define N_WIDE (sizeof (wide) / sizeof (wide[0]))

static StereoCalibration
wide_cameras (StereoLens lens)
{
  const int width = 640;
  StereoCalibration c = distorted_cameras (width, 480, lens
      == STEREO_LENS_OMNI ? STEREO_LENS_BROWN : STEREO_LENS_FISHEYE);

  for (int v = 0; v < 2; v++) {
    StereoCamera *camera = &c.camera[v];
    double focal = lens == STEREO_LENS_OMNI ? 0.6 : 0.28;

    camera->lens = lens;
    camera->fx = width * (focal + 0.01 * v);
    camera->fy = width * focal;
    camera->xi = lens == STEREO_LENS_OMNI ? 1.2 - 0.1 * v : -0.2 + 0.05 * v;
    camera->alpha = 0.6 - 0.15 * v;
    camera->beta = 1.1 - 0.2 * v;
    if (lens == STEREO_LENS_OMNI) {
      const double k[STEREO_MAX_COEFFICIENTS] = { -0.1 + 0.02 * v, 0.02,
        0.001, -0.002
      };

      memcpy (camera->k, k, sizeof (k));
      camera->skew = 1.5;
    }
  }
  return c;
}

/* Projects a point in left camera coordinates, step by step as in the papers of
 * Mei and Rives (2007), Usenko et al. (2018) and Khomutenko et al. (2016). */
static void
project_wide (const StereoCalibration * c, int view, const double point[3],
    double uv[2])
{
  const StereoCamera *camera = &c->camera[view];
  const double *k = camera->k;
  double p[3], mx, my, r2, d1, d2;

  for (int i = 0; i < 3; i++)
    p[i] = view == 0 ? point[i] : c->rotation[3 * i] * point[0]
        + c->rotation[3 * i + 1] * point[1] + c->rotation[3 * i + 2] * point[2]
        + c->translation[i];
  r2 = pow (p[0], 2) + pow (p[1], 2);
  d1 = sqrt (r2 + pow (p[2], 2));
  switch (camera->lens) {
    case STEREO_LENS_OMNI:
      /* onto the unit sphere, seen from a point xi above its centre */
      mx = (p[0] / d1) / (p[2] / d1 + camera->xi);
      my = (p[1] / d1) / (p[2] / d1 + camera->xi);
      r2 = mx * mx + my * my;
      d1 = 1 + k[0] * r2 + k[1] * pow (r2, 2);
      d2 = mx * d1 + 2 * k[2] * mx * my + k[3] * (r2 + 2 * mx * mx);
      my = my * d1 + k[2] * (r2 + 2 * my * my) + 2 * k[3] * mx * my;
      mx = d2;
      break;
    case STEREO_LENS_DOUBLE_SPHERE:
      d2 = sqrt (r2 + pow (camera->xi * d1 + p[2], 2));
      mx = p[0] / (camera->alpha * d2 + (1 - camera->alpha)
          * (camera->xi * d1 + p[2]));
      my = p[1] * mx / p[0];
      break;
    case STEREO_LENS_EXTENDED:
      d2 = sqrt (camera->beta * r2 + pow (p[2], 2));
      mx = p[0] / (camera->alpha * d2 + (1 - camera->alpha) * p[2]);
      my = p[1] * mx / p[0];
      break;
    default:
      d2 = acos (p[2] / d1);
      d2 += k[0] * pow (d2, 3) + k[1] * pow (d2, 5) + k[2] * pow (d2, 7)
          + k[3] * pow (d2, 9);
      mx = d2 * p[0] / sqrt (r2);
      my = d2 * p[1] / sqrt (r2);
      break;
  }
  uv[0] = camera->fx * mx + camera->skew * my + camera->cx;
  uv[1] = camera->fy * my + camera->cy;
}

static double
apart (const StereoRectification * r, const double pixel[2],
    const double uv[2])
{
  double x, y;

  return stereo_rectification_source (r, pixel[0], pixel[1], &x, &y)
      ? hypot (x - uv[0], y - uv[1]) : INFINITY;
}

/* The pixel of the rectified view whose source is this position: the best one
 * of a grid, then Newton's method with differences. */
static void
search_pixel (const StereoRectification * r, const double uv[2],
    double pixel[2])
{
  double least = INFINITY, step = 1e-4;

  for (int i = 0; i < 65 * 49; i++) {
    const double at[2] = { i % 65 * 10, i / 65 * 10 };

    if (apart (r, at, uv) < least) {
      least = apart (r, at, uv);
      memcpy (pixel, at, sizeof (at));
    }
  }
  for (int i = 0; i < 30; i++) {
    double x, y, xu, yu, xv, yv, determinant;

    REQUIRE (stereo_rectification_source (r, pixel[0], pixel[1], &x, &y));
    REQUIRE (stereo_rectification_source (r, pixel[0] + step, pixel[1], &xu,
            &yu));
    REQUIRE (stereo_rectification_source (r, pixel[0], pixel[1] + step, &xv,
            &yv));
    xu = (xu - x) / step;
    yu = (yu - y) / step;
    xv = (xv - x) / step;
    yv = (yv - y) / step;
    determinant = xu * yv - xv * yu;
    pixel[0] += (yv * (uv[0] - x) - xv * (uv[1] - y)) / determinant;
    pixel[1] += (xu * (uv[1] - y) - yu * (uv[0] - x)) / determinant;
  }
}

/* The distance of a point from the line through both cameras. */
static double
distance_from_baseline (const StereoCalibration * c, const double p[3])
{
  double b[3], cross[3];

  for (int i = 0; i < 3; i++)
    b[i] = -(c->rotation[i] * c->translation[0] + c->rotation[3 + i]
        * c->translation[1] + c->rotation[6 + i] * c->translation[2]);
  for (int i = 0; i < 3; i++)
    cross[i] = p[(i + 1) % 3] * b[(i + 2) % 3] - p[(i + 2) % 3] * b[(i + 1)
        % 3];
  return sqrt (cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2])
      / sqrt (b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
}

static StereoRectification
shaped (const StereoCalibration * c, int view, StereoProjection projection,
    double degrees)
{
  const StereoRectifiedShape shape = {.projection = projection,
    .field_of_view = degrees
  };
  StereoRectification r;
  StereoMessage why = { "" };

  if (stereo_rectification_init (&r, c, view, 640, 480, &shape, &why)
      != STEREO_OK) {
    fprintf (stderr, "%s\n", why.text);
    exit (1);
  }
  return r;
}

/* Points have the same row in both views, and their disparity is that of the
 * depth: on a plane along the axis, on a cylinder from the baseline. */
static void
check_point (const StereoCalibration * c, StereoProjection projection,
    const double point[3])
{
  double pixels[2][2], depth, x, y;
  StereoRectification r[2];

  for (int v = 0; v < 2; v++) {
    double uv[2];

    r[v] = shaped (c, v, projection, 140);
    project_wide (c, v, point, uv);
    search_pixel (&r[v], uv, pixels[v]);
    CHECK_DOUBLE (apart (&r[v], pixels[v], uv), <, 1e-9);
  }
  CHECK_DOUBLE (fabs (pixels[0][1] - pixels[1][1]), <, 1e-6);
  depth = r[0].focal_length * r[0].baseline / (pixels[0][0] - pixels[1][0]);
  x = (pixels[0][0] - r[0].cx) / r[0].focal_length;
  y = projection == STEREO_PROJECTION_PLANE ? (pixels[0][1] - r[0].cy)
      / r[0].focal_length : 0;
  CHECK_DOUBLE (fabs (depth * sqrt (1 + x * x + y * y) / sqrt (point[0]
              * point[0] + point[1] * point[1] + point[2] * point[2]) - 1), <,
      1e-6);
  if (projection == STEREO_PROJECTION_CYLINDER)
    CHECK_DOUBLE (fabs (depth / distance_from_baseline (c, point) - 1), <,
        1e-6);
}

TEST (test_wide)
{
  Random random = { 1 };

  for (size_t i = 0; i < 40 * N_WIDE; i++) {
    StereoCalibration c = wide_cameras (wide[i % N_WIDE]);
    bool cylinder = i / N_WIDE % 2;
    double angle = random_range (&random, -950, 950) / 1000.0;
    double depth = random_range (&random, 100, 500) / 100.0;
    double x = random_range (&random, -150, 150) / 100.0 * depth;

    /* 95 degrees up and down; on the plane 36 */
    angle *= cylinder ? 1.745 : 0.66;
    check_point (&c, cylinder ? STEREO_PROJECTION_CYLINDER
        : STEREO_PROJECTION_PLANE, (const double[3]) { x, depth * sin (angle),
          depth * cos (angle) });
  }
}

/* The field of view determines the focal length, and is 90 degrees if none is
 * given. Rays that a lens does not see have no source. */
TEST (test_field_of_view)
{
  for (size_t i = 0; i < N_WIDE; i++) {
    StereoCalibration c = wide_cameras (wide[i]);
    StereoRectification r = shaped (&c, 0, STEREO_PROJECTION_PLANE, 60);
    double x, y;

    CHECK_DOUBLE (fabs (r.focal_length - 320 * sqrt (3)), <, 1e-9);
    CHECK_DOUBLE (fabs (r.cx - 319.5), <, 1e-9);
    CHECK_DOUBLE (fabs (r.cy - 239.5), <, 1e-9);
    CHECK (stereo_rectification_source (&r, 319.5, 239.5, &x, &y));
    r = shaped (&c, 0, STEREO_PROJECTION_CYLINDER, 0);
    CHECK_DOUBLE (fabs (r.focal_length - 320), <, 1e-9);
    CHECK (stereo_rectification_source (&r, 319.5, 239.5 + 320 * 1.6, &x, &y));
    /* the opposite direction, and one turn more */
    if (wide[i] != STEREO_LENS_FISHEYE)
      CHECK (!stereo_rectification_source (&r, 319.5, 239.5 + 320 * 3.1, &x,
              &y));
    CHECK (!stereo_rectification_source (&r, 319.5, 239.5 + 320 * 6.3, &x, &y));
  }
}

/* The angle from the axis beyond which a lens has no image. */
static void
check_limit (StereoLens lens, double xi, double alpha, double beta, double k1,
    double limit)
{
  StereoCalibration c = ideal_cameras (640, 480);
  StereoRectification r;
  double x, y;

  c.camera[0].lens = c.camera[1].lens = lens;
  c.camera[0].xi = xi;
  c.camera[0].alpha = alpha;
  c.camera[0].beta = c.camera[1].beta = beta;
  c.camera[0].k[0] = k1;
  r = shaped (&c, 0, STEREO_PROJECTION_CYLINDER, 90);
  for (int sign = -1; sign <= 1; sign += 2) {
    CHECK (stereo_rectification_source (&r, 319.5, 239.5 + sign * 320
            * (limit - 1e-6), &x, &y));
    CHECK (!stereo_rectification_source (&r, 319.5, 239.5 + sign * 320
            * (limit + 1e-6), &x, &y));
  }
}

TEST (test_limits)
{
  const double w = 0.45 / 0.55, w2 = (w - 0.2) / sqrt (-0.4 * w + 1.04);

  check_limit (STEREO_LENS_OMNI, 0.8, 0, 0, 0, acos (-0.8));
  check_limit (STEREO_LENS_OMNI, 1.25, 0, 0, 0, acos (-0.8));
  /* the radius is tan (angle / 2), and its distortion greatest at sqrt (1 /
   * 0.9) */
  check_limit (STEREO_LENS_OMNI, 1, 0, 0, -0.3, 2 * atan (1 / sqrt (0.9)));
  /* the limits of an alpha and of 1 - alpha are equal */
  check_limit (STEREO_LENS_DOUBLE_SPHERE, -0.2, 0.45, 0, 0, acos (-w2));
  check_limit (STEREO_LENS_DOUBLE_SPHERE, -0.2, 0.55, 0, 0, acos (-w2));
  check_limit (STEREO_LENS_EXTENDED, 0, 0.45, 1.2, 0, acos (-1)
      - atan (sqrt ((1 - w * w) / 1.2) / w));
}

/* The models contain the pinhole: with these parameters they are one. */
TEST (test_wide_pinhole)
{
  StereoCalibration plain = distorted_cameras (640, 480, STEREO_LENS_BROWN);

  for (int v = 0; v < 2; v++)
    memset (plain.camera[v].k, 0, sizeof (plain.camera[v].k));
  for (size_t i = 1; i < N_WIDE; i++) {
    StereoCalibration c = plain;
    StereoRectification ours, pinhole;

    c.camera[0].lens = c.camera[1].lens = wide[i];
    c.camera[0].beta = c.camera[1].beta = 1;
    ours = shaped (&c, 1, STEREO_PROJECTION_PLANE, 70);
    pinhole = shaped (&plain, 1, STEREO_PROJECTION_PLANE, 70);
    for (int p = 0; p < 100; p++) {
      double x[2], y[2];

      REQUIRE (stereo_rectification_source (&ours, 6.3 * p, 4.7 * p, x, y));
      REQUIRE (stereo_rectification_source (&pinhole, 6.3 * p, 4.7 * p, x + 1,
              y + 1));
      CHECK_DOUBLE (fabs (x[0] - x[1]), <, 1e-9);
      CHECK_DOUBLE (fabs (y[0] - y[1]), <, 1e-9);
    }
  }
}

static void
check_wide_refused (StereoLens lens, double xi, double alpha, double beta,
    double degrees, const char *text)
{
  const StereoRectifiedShape shape = {.field_of_view = degrees };
  StereoCalibration c = wide_cameras (lens);
  StereoMessage why = { "" };
  StereoRectification r;

  c.camera[1].xi = xi;
  c.camera[1].alpha = alpha;
  c.camera[1].beta = beta;
  CHECK_INT (stereo_rectification_init (&r, &c, 0, 640, 480, &shape, &why), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (why.text, text);
}

TEST (test_wide_errors)
{
  check_wide_refused (STEREO_LENS_OMNI, -0.1, 0, 0, 90, "xi from 0 to 100");
  check_wide_refused (STEREO_LENS_OMNI, NAN, 0, 0, 90, "xi from 0 to 100");
  check_wide_refused (STEREO_LENS_DOUBLE_SPHERE, -1, 0.5, 0, 90,
      "xi above -1 and up to 1");
  check_wide_refused (STEREO_LENS_DOUBLE_SPHERE, 0, 1.01, 0, 90,
      "alpha from 0 to 1, got 1.01");
  check_wide_refused (STEREO_LENS_EXTENDED, 0, -0.5, 1, 90,
      "alpha from 0 to 1");
  check_wide_refused (STEREO_LENS_EXTENDED, 0, 0.5, 0, 90, "beta above 0");
  check_wide_refused (STEREO_LENS_EXTENDED, 0, 0.5, 1, 176,
      "field of view of at most 175 degrees, got 176");
  check_wide_refused (STEREO_LENS_EXTENDED, 0, 0.5, 1, -1, "got -1");
}

/* ------------------------------------------------------------------- remap */

static void
remap_with (size_t device, const StereoRectifyParams * params,
    const TestImage * image, TestImage * view)
{
  StereoPortSetup setup = { image->image.format, image->image.width,
    image->image.height, image->n_planes
  };
  const StereoImage *inputs[] = { &image->image }, *outputs[] = {
    &view->image
  };
  SCOPED (stereo_runner_free) StereoRunner *runner = NULL;

  REQUIRE (stereo_runner_new (&stereo_rectify_op, devices_get (device),
          &runner, NULL) == STEREO_OK);
  REQUIRE (stereo_runner_configure (runner, &setup, &setup, params)
      == STEREO_OK);
  REQUIRE (stereo_runner_process (runner, inputs, outputs, NULL) == STEREO_OK);
  REQUIRE (stereo_runner_sync (runner) == STEREO_OK);
  CHECK (test_image_intact (view));
}

static void
remap (size_t device, const StereoRectification * r, const uint8_t border[4],
    const TestImage * image, TestImage * view)
{
  StereoRectifyParams params = {.rectification = r };

  memcpy (params.border, border, sizeof (params.border));
  remap_with (device, &params, image, view);
}

static int
count_differences (const TestImage * a, const TestImage * b)
{
  int n = 0;

  for (int p = 0; p < a->n_planes; p++)
    for (int y = 0; y < plane_rows (a, p); y++)
      n += memcmp (plane_row (a, p, y), plane_row (b, p, y),
          plane_row_bytes (a, p)) != 0;
  return n;
}

static void
fill (TestImage * image, Random * random)
{
  for (int p = 0; p < image->n_planes; p++) {
    for (int y = 0; y < plane_rows (image, p); y++) {
      for (size_t x = 0; x < plane_row_bytes (image, p); x++)
        plane_row (image, p, y)[x] = (uint8_t) random_next (random);
    }
  }
}

/* Bytes per sample, and samples per row, of a plane. */
static int
sample_bytes (const TestImage * image, int plane)
{
  if (plane == 0)
    return (int) format_bytes (image->image.format);
  return image->image.format == STEREO_FORMAT_NV12 ? 2 : 1;
}

/* A sample, or the border colour. */
static double
byte_at (const TestImage * image, int plane, int x, int y, int i,
    const uint8_t border[4])
{
  int bytes = sample_bytes (image, plane);

  if (x < 0 || y < 0 || x >= (int) plane_row_bytes (image, plane) / bytes
      || y >= plane_rows (image, plane))
    return border[plane + i];
  return plane_row (image, plane, y)[x * bytes + i];
}

/* Compares a view with bilinear interpolation in floating point.  The tolerance
 * is the rounding of the table and of the result. */
static void
check_view (const StereoRectification * r, const TestImage * image,
    const TestImage * view, const uint8_t border[4])
{
  double worst = 0;

  for (int p = 0; p < image->n_planes; p++) {
    bool small = plane_rows (image, p) < image->image.height;
    int bytes = sample_bytes (image, p);

    for (int v = 0; v < plane_rows (image, p); v++) {
      for (int u = 0; u < (int) plane_row_bytes (image, p) / bytes; u++) {
        double x = 0, y = 0;

        for (int i = 0; i < (small ? 4 : 1); i++) {
          double sx, sy;

          REQUIRE (stereo_rectification_source (r, small ? fmin (2 * u + i % 2,
                      r->width - 1) : u, small ? fmin (2 * v + i / 2,
                      r->height - 1) : v, &sx, &sy));
          x += small ? sx / 8 - 0.0625 : sx;
          y += small ? sy / 8 - 0.0625 : sy;
        }
        for (int i = 0; i < bytes; i++) {
          int x0 = (int) floor (x), y0 = (int) floor (y);
          double fx = x - x0, fy = y - y0;
          double exact = (byte_at (image, p, x0, y0, i, border) * (1 - fx)
              + byte_at (image, p, x0 + 1, y0, i, border) * fx) * (1 - fy)
              + (byte_at (image, p, x0, y0 + 1, i, border) * (1 - fx)
              + byte_at (image, p, x0 + 1, y0 + 1, i, border) * fx) * fy;
          double got = plane_row (view, p, v)[u * bytes + i];

          worst = fmax (worst, fabs (got - exact));
        }
      }
    }
  }
  /* 1/512 of a pixel in two directions in noise, and the rounding of the
   * result */
  CHECK_DOUBLE (worst, <, 0.5 + 2 * 255 / 512.0 + 0.51);
}

/* All devices and formats are within the tolerance, and all devices are
 * equal. */
TEST (test_devices)
{
  static const int sizes[][2] = { {67, 45}, {128, 96}, {64, 48} };
  const uint8_t border[4] = { 200, 17, 90, 255 };
  Random random = { 5 };

  for (size_t i = 0; i < 3 * 2 * N_FORMATS; i++) {
    const int *size = sizes[i % 3];
    StereoFormat format = formats[i / 6];
    StereoCalibration c = distorted_cameras (size[0], size[1], i / 3 % 2
        ? STEREO_LENS_FISHEYE : STEREO_LENS_BROWN);
    StereoRectification r = rectification (&c, (int) (i % 2), size[0],
        size[1], i % 3 == 0 ? 1 : 0);
    SCOPED_IMAGE image, view, other;

    test_image_init (&image, format, size[0], size[1], i % 5);
    test_image_init (&view, format, size[0], size[1], i % 7);
    test_image_init (&other, format, size[0], size[1], 0);
    fill (&image, &random);
    remap (0, &r, border, &image, &view);
    check_view (&r, &image, &view, border);
    for (size_t d = 1; d < devices_count (); d++) {
      fill (&other, &random);
      remap (d, &r, border, &image, &other);
      CHECK_INT (count_differences (&view, &other), ==, 0);
    }
  }
}

/* The identity returns the image; an offset of the principal point shifts
 * it. */
TEST (test_exact)
{
  const uint8_t border[4] = { 9, 9, 9, 9 };
  Random random = { 7 };

  for (size_t i = 0; i < 2 * N_FORMATS; i++) {
    int shift_x = i % 2 ? 4 : 0, shift_y = i % 2 ? -2 : 0;
    StereoCalibration c = ideal_cameras (64, 48);
    StereoRectification r;
    SCOPED_IMAGE image, view;

    r = rectification (&c, 0, 64, 48, -1);
    CHECK_DOUBLE (fabs (r.cx - 31.5), <, 1e-9);
    if (i % 2) {
      const double p[12] = { 500, 0, 31.5, 0, 0, 500, 23.5, 0, 0, 0, 1, 0 };

      c.camera[0].cx += shift_x;
      c.camera[0].cy += shift_y;
      c.has_rectification[0] = true;
      memcpy (c.rectifying[0], c.rotation, sizeof (c.rotation));
      memcpy (c.projection[0], p, sizeof (p));
      r = rectification (&c, 0, 64, 48, -1);
    }
    test_image_init (&image, formats[i / 2], 64, 48, 0);
    test_image_init (&view, formats[i / 2], 64, 48, 0);
    fill (&image, &random);
    for (size_t d = 0; d < devices_count (); d++) {
      int wrong = 0;

      remap (d, &r, border, &image, &view);
      for (int p = 0; p < view.n_planes; p++) {
        bool small = plane_rows (&view, p) < 48;
        int bytes = sample_bytes (&view, p);

        for (int v = 0; v < plane_rows (&view, p); v++)
          for (int u = 0; u < (int) plane_row_bytes (&view, p) / bytes; u++)
            for (int b = 0; b < bytes; b++)
              wrong += plane_row (&view, p, v)[u * bytes + b]
                  != (int) byte_at (&image, p, u + (small ? shift_x / 2
                      : shift_x), v + (small ? shift_y / 2 : shift_y), b,
                  border);
      }
      CHECK_INT (wrong, ==, 0);
    }
  }
}

/* ------------------------------------------------------------- corrections */

static const StereoCorrection correction = {
  .serial = 1,
  .width = 124,
  .height = 92,
  .focal_length = 110,
  .values = {
        [STEREO_CORRECTION_PITCH] = 0.02,
        [STEREO_CORRECTION_YAW] = -0.01,
        [STEREO_CORRECTION_ROLL] = 0.03,
        [STEREO_CORRECTION_ZOOM] = 0.01,
        [STEREO_CORRECTION_OFFSET] = -1.5,
        [STEREO_CORRECTION_K1] = 0.02,
      },
};

/* An image whose bytes are x + y shows where a pixel comes from.  The grid is
 * accurate to a tenth of a pixel, and coarse for the lens of such small
 * views. */
TEST (test_corrected)
{
  StereoCalibration c = distorted_cameras (124, 92, STEREO_LENS_BROWN);
  SCOPED_IMAGE image, view;

  test_image_init (&image, STEREO_FORMAT_GRAY8, 124, 92, 3);
  test_image_init (&view, STEREO_FORMAT_GRAY8, 124, 92, 0);
  for (int y = 0; y < 92; y++)
    for (int x = 0; x < 124; x++)
      plane_row (&image, 0, y)[x] = (uint8_t) (x + y);
  for (size_t i = 0; i < 4 * devices_count (); i++) {
    StereoRectification r = rectification (&c, (int) (i % 2), 124, 92, 0);
    StereoRectifyParams params = {
      .rectification = i / 2 % 2 ? &r : NULL,
      .correction = &correction,
      .view = (int) (i % 2),
    };
    double worst = 0;
    int inside = 0;

    remap_with (i / 4, &params, &image, &view);
    for (int v = 0; v < 92; v++) {
      for (int u = 0; u < 124; u++) {
        double x, y;

        stereo_correction_source (&correction, i % 2, u, v, &x, &y);
        if (params.rectification != NULL)
          REQUIRE (stereo_rectification_source (&r, x, y, &x, &y));
        if (x < 0.2 || y < 0.2 || x > 122.8 || y > 90.8)
          continue;
        inside++;
        worst = fmax (worst, fabs (plane_row (&view, 0, v)[u] - x - y));
      }
    }
    CHECK_INT (inside, >, 124 * 92 / 2);
    CHECK_DOUBLE (worst, <, 0.5 + (params.rectification != NULL ? 0.5 : 0.1));
  }
}

/* Beside nodes that the lens has no image of, pixels are border or right, not
 * from another place of the image. */
TEST (test_corrected_limit)
{
  StereoCalibration c = ideal_cameras (640, 480);
  StereoRectification r;
  StereoCorrection small = {.width = 640,.height = 480 };
  const StereoRectifyParams params = {.rectification = &r,
    .correction = &small
  };
  int shown = 0, wrong = 0;
  SCOPED_IMAGE image, view;

  /* an image of directions up to 60 degrees, 77 pixels around the centre */
  for (int v = 0; v < 2; v++) {
    c.camera[v].lens = STEREO_LENS_OMNI;
    c.camera[v].fx = c.camera[v].fy = 200;
    c.camera[v].xi = 1;
    c.camera[v].k[0] = -1;
  }
  r = shaped (&c, 0, STEREO_PROJECTION_PLANE, 150);
  small.focal_length = r.focal_length;
  small.values[STEREO_CORRECTION_ROLL] = 0.02;
  test_image_init (&image, STEREO_FORMAT_GRAY8, 640, 480, 0);
  test_image_init (&view, STEREO_FORMAT_GRAY8, 640, 480, 0);
  for (int y = 0; y < 480; y++)
    for (int x = 0; x < 640; x++)
      plane_row (&image, 0, y)[x] = (uint8_t) (50 + x / 4);
  remap_with (0, &params, &image, &view);
  for (int v = 0; v < 480; v++) {
    for (int u = 0; u < 640; u++) {
      const int value = plane_row (&view, 0, v)[u];
      double x, y;

      stereo_correction_source (&small, false, u, v, &x, &y);
      shown += value > 0;
      wrong += value > 0 && (!stereo_rectification_source (&r, x, y, &x, &y)
          || fabs (50 + x / 4 - value) > 2);
    }
  }
  CHECK_INT (shown, >, 10000);
  CHECK_INT (wrong, ==, 0);
}

/* All devices are equal in all formats, and nothing to correct is a copy. */
TEST (test_corrected_devices)
{
  StereoCalibration c = distorted_cameras (124, 92, STEREO_LENS_BROWN);
  StereoRectification r = rectification (&c, 1, 124, 92, 0);
  Random random = { 11 };

  for (size_t i = 0; i < 3 * N_FORMATS; i++) {
    StereoRectifyParams params = {
      .rectification = i % 3 == 1 ? &r : NULL,
      .correction = i % 3 < 2 ? &correction : NULL,
      .view = (int) (i % 2),
      .border = {200, 17, 90, 255},
    };
    SCOPED_IMAGE image, view, other;

    test_image_init (&image, formats[i / 3], 124, 92, i % 5);
    test_image_init (&view, formats[i / 3], 124, 92, i % 7);
    test_image_init (&other, formats[i / 3], 124, 92, 0);
    fill (&image, &random);
    remap_with (0, &params, &image, &view);
    CHECK (i % 3 < 2 || count_differences (&image, &view) == 0);
    for (size_t d = 1; d < devices_count (); d++) {
      fill (&other, &random);
      remap_with (d, &params, &image, &other);
      CHECK_INT (count_differences (&view, &other), ==, 0);
    }
  }
}

/* -------------------------------------------------------------------- times */

#define RUNS 60

static void
bench_device (size_t index, StereoFormat format, int width, int height)
{
  StereoDevice *device = devices_get (index);
  StereoCalibration c = distorted_cameras (width, height, STEREO_LENS_BROWN);
  StereoRectification r = rectification (&c, 0, width, height, 0);
  StereoRectifyParams params = {.rectification = &r };
  StereoPortSetup setup = { format, width, height, 1 };
  StereoRunner *runner = NULL;
  StereoMatcherStats stats;
  StereoImage images[2];
  SCOPED_IMAGE host;
  uint64_t best = UINT64_MAX;
  Random random = { 1 };

  test_image_init (&host, format, width, height, 0);
  fill (&host, &random);
  for (int i = 0; i < 2; i++) {
    size_t bytes = host.image.stride[0] * (size_t) height;

    images[i] = host.image;
    images[i].memory = STEREO_MEMORY_DEVICE;
    REQUIRE (stereo_device_alloc (device, bytes, &images[i].plane[0], NULL)
        == STEREO_OK);
    REQUIRE (stereo_device_copy (device, images[i].plane[0],
            host.image.plane[0], bytes, NULL) == STEREO_OK);
  }
  REQUIRE (stereo_runner_new (&stereo_rectify_op, device, &runner, NULL)
      == STEREO_OK);
  REQUIRE (stereo_runner_configure (runner, &setup, &setup, &params)
      == STEREO_OK);
  for (int i = 0; i < RUNS; i++) {
    const StereoImage *inputs[] = { &images[0] }, *outputs[] = { &images[1] };

    REQUIRE (stereo_runner_process (runner, inputs, outputs, NULL)
        == STEREO_OK);
    REQUIRE (stereo_runner_sync (runner) == STEREO_OK);
    stereo_runner_get_stats (runner, &stats);
    best = stats.last_ns < best ? stats.last_ns : best;
  }
  printf ("%-28s %4dx%-4d %-6s min %9.2f us\n", stereo_device_name (device),
      width, height, stereo_format_name (format), (double) best / 1e3);
  stereo_runner_free (&runner);
  for (int i = 0; i < 2; i++)
    stereo_device_free (device, &images[i].plane[0]);
}

static void
bench_rectify (size_t device, int width, int height)
{
  bench_device (device, STEREO_FORMAT_GRAY8, width, height);
  bench_device (device, STEREO_FORMAT_RGBX, width, height);
}

KERNEL_MAIN (bench_devices (bench_rectify, argc, argv))
