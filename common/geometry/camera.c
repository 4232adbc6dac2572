/* gst-stereomatching: camera models and stereo rectification
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "geometry/camera.h"

#include "core/backend.h"
#include "geometry/lens.h"
#include "geometry/matrix3.h"

#include <math.h>
#include <string.h>

#define MAX_ITERATIONS 200
/* As few as OpenCV runs, so that the centres are equal. */
#define CENTER_ITERATIONS 5
#define GRID 9                  /* sample points per side, as in OpenCV */

/* -------------------------------------------------------------- rectifying */

static StereoStatus
fail_above (StereoMessage * why)
{
  return stereo_fail (why, STEREO_ERROR_ARGUMENT,
      "one camera is above the other: turn the images by 90 degrees, and "
      "calibrate them so");
}

/* Rotates each camera by half of the rotation between them, then both until the
 * baseline is horizontal. */
static StereoStatus
rectifying_rotations (const StereoCalibration * c, double rotations[2][9],
    StereoMessage * why)
{
  double half[9], back[9], axis[3], t[3], w[3], level[9], angle, length;

  stereo_rotation_to_vector (c->rotation, axis);
  for (int i = 0; i < 3; i++)
    axis[i] /= -2;
  stereo_rotation_from_vector (axis, half);
  stereo_matrix3_transpose (half, back);
  stereo_matrix3_apply (half, c->translation, t);
  if (!(stereo_vector3_norm (t) > 0))
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "both cameras are in the same place: the translation is 0");
  if (fabs (t[1]) > fabs (t[0]))
    return fail_above (why);

  /* t cross (1 or -1, 0, 0) */
  w[0] = 0;
  w[1] = t[0] < 0 ? -t[2] : t[2];
  w[2] = t[0] < 0 ? t[1] : -t[1];
  length = stereo_vector3_norm (w);
  angle = acos (fmin (fabs (t[0]) / stereo_vector3_norm (t), 1));
  for (int i = 0; i < 3; i++)
    w[i] = length > 0 ? w[i] * angle / length : 0;
  stereo_rotation_from_vector (w, level);
  stereo_matrix3_multiply (level, back, rotations[STEREO_LEFT]);
  stereo_matrix3_multiply (level, half, rotations[STEREO_RIGHT]);
  return STEREO_OK;
}

/* Projects a pixel of an image with focal length f and principal point 0. */
static void
rectified (const StereoCamera * camera, const double rotation[9], double f,
    double u, double v, int n_iterations, double *x, double *y)
{
  double ray[3], turned[3];

  stereo_lens_unproject (camera, u, v, n_iterations, ray);
  stereo_matrix3_apply (rotation, ray, turned);
  *x = f * turned[0] / turned[2];
  *y = f * turned[1] / turned[2];
}

/* The principal point that centres the corners of both images, on average. */
static void
choose_center (const StereoCamera cameras[2], double rotations[2][9], double f,
    double center[2])
{
  center[0] = center[1] = 0;
  for (int view = 0; view < 2; view++) {
    double right = cameras[view].width - 1, bottom = cameras[view].height - 1;

    for (int corner = 0; corner < 4; corner++) {
      double x, y;

      rectified (&cameras[view], rotations[view], f, corner % 2 * right,
          corner / 2 * bottom, CENTER_ITERATIONS, &x, &y);
      center[0] += (right / 2 - x) / 8;
      center[1] += (bottom / 2 - y) / 8;
    }
  }
}

/* Scales of the rectified image: inner keeps only pixels with a source, outer
 * keeps every pixel of the image. */
static void
choose_scales (const StereoCamera * camera, const double rotation[9], double f,
    const double center[2], double *inner, double *outer)
{
  double right = camera->width - 1, bottom = camera->height - 1;
  /* left, top, right, bottom */
  double in[4] = { -INFINITY, -INFINITY, INFINITY, INFINITY };
  double out[4] = { INFINITY, INFINITY, -INFINITY, -INFINITY };
  double room[4] = { center[0], center[1], right - center[0],
    bottom - center[1]
  };

  for (int i = 0; i < GRID * GRID; i++) {
    int column = i % GRID, row = i / GRID;
    double x, y;

    rectified (camera, rotation, f, column * right / (GRID - 1),
        row * bottom / (GRID - 1), MAX_ITERATIONS, &x, &y);
    out[0] = fmin (out[0], x);
    out[1] = fmin (out[1], y);
    out[2] = fmax (out[2], x);
    out[3] = fmax (out[3], y);
    if (column == 0)
      in[0] = fmax (in[0], x);
    if (row == 0)
      in[1] = fmax (in[1], y);
    if (column == GRID - 1)
      in[2] = fmin (in[2], x);
    if (row == GRID - 1)
      in[3] = fmin (in[3], y);
  }
  for (int i = 0; i < 4; i++) {
    double sign = i < 2 ? -1 : 1;

    *inner = fmax (*inner, room[i] / (sign * in[i]));
    *outer = fmin (*outer, room[i] / (sign * out[i]));
  }
}

/* Computes rotations and projections of a calibration without them. */
static StereoStatus
compute (const StereoCalibration * c, const StereoCamera cameras[2],
    double alpha, double rotations[2][9], double projections[2][12],
    StereoMessage * why)
{
  double f = (cameras[0].fy + cameras[1].fy) / 2, center[2];
  double inner = 0, outer = INFINITY;
  StereoStatus status = rectifying_rotations (c, rotations, why);

  if (status != STEREO_OK)
    return status;
  choose_center (cameras, rotations, f, center);
  for (int view = 0; view < 2; view++)
    choose_scales (&cameras[view], rotations[view], f, center, &inner, &outer);
  if (alpha >= 0)
    f *= inner * (1 - alpha) + outer * alpha;
  if (!(f > 0 && isfinite (f) && isfinite (center[0])
          && isfinite (center[1])))
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "no rectified view can be computed: the distortion of the lenses has "
        "no inverse within the image");
  for (int view = 0; view < 2; view++) {
    const double p[12] = { f, 0, center[0], 0, 0, f, center[1], 0, 0, 0, 1, 0 };

    memcpy (projections[view], p, sizeof (p));
  }
  projections[STEREO_RIGHT][3] = -f * stereo_vector3_norm (c->translation);
  return STEREO_OK;
}

/* --------------------------------------------------------------------- size */

/* Adapts a camera to images whose size is an integer multiple of the
 * calibrated one. */
static StereoStatus
scale_camera (StereoCamera * camera, int width, int height, double scale[2],
    StereoMessage * why)
{
  if ((camera->width == 0 && !(camera->cx >= -0.5
              && camera->cx <= width - 0.5))
      || (camera->height == 0 && !(camera->cy >= -0.5
              && camera->cy <= height - 0.5)))
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "its principal point, (%g, %g), is outside of these images of %dx%d: "
        "calibrate the cameras for this size, or bring the images to the "
        "calibrated size", camera->cx, camera->cy, width, height);
  if (camera->width == 0)
    camera->width = width;
  if (camera->height == 0)
    camera->height = height;
  if (camera->width < 1 || camera->height < 1 || width % camera->width != 0
      || height % camera->height != 0)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "it is for images of %dx%d, and these are %dx%d: calibrate the cameras "
        "for this size, or bring the images to that one or to a whole multiple",
        camera->width, camera->height, width, height);
  scale[0] = width / camera->width;
  scale[1] = height / camera->height;
  camera->fx *= scale[0];
  camera->skew *= scale[0];
  camera->fy *= scale[1];
  camera->cx = (camera->cx + 0.5) * scale[0] - 0.5;
  camera->cy = (camera->cy + 0.5) * scale[1] - 0.5;
  camera->width = width;
  camera->height = height;
  return STEREO_OK;
}

static void
scale_projection (double p[12], const double scale[2])
{
  p[0] *= scale[0];
  p[1] *= scale[0];
  p[2] = (p[2] + 0.5) * scale[0] - 0.5;
  p[3] *= scale[0];
  p[4] *= scale[1];
  p[5] *= scale[1];
  p[6] = (p[6] + 0.5) * scale[1] - 0.5;
  p[7] *= scale[1];
}

/* -------------------------------------------------------------------- views */

static StereoStatus
check (const StereoCalibration * c, int view, StereoMessage * why)
{
  static const char *const names[] = { "left", "right" };
  const bool computed = !c->has_rectification[view];

  for (int v = 0; v < 2; v++) {
    const StereoCamera *camera = &c->camera[v];

    if (!c->has_camera[v] && (v == view || computed))
      return stereo_fail (why, STEREO_ERROR_ARGUMENT,
          "there is no camera matrix of the %s camera%s", names[v],
          v == view ? "" : ", and no rectification of the other one");
    if (c->has_camera[v] && !(camera->fx > 0 && camera->fy > 0))
      return stereo_fail (why, STEREO_ERROR_ARGUMENT,
          "the focal length of the %s camera is not above 0", names[v]);
    if (c->has_camera[v] && stereo_lens_check (camera, why) != STEREO_OK)
      return STEREO_ERROR_ARGUMENT;
  }
  if (computed && !c->has_pose)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "there is neither a rectification of the %s camera, nor the rotation "
        "and the translation between the cameras to compute it from",
        names[view]);
  if (computed && c->has_rectification[!view])
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "there is a rectification of the %s camera, but none of the %s one: "
        "both are needed, or none", names[!view], names[view]);
  if (!stereo_is_rotation (computed ? c->rotation : c->rectifying[view]))
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "the rotation %s is no rotation", computed ? "between the cameras"
        : "that rectifies a camera");
  return STEREO_OK;
}

/* The horizontal field of view in degrees, 0 if alpha determines the focal
 * length. */
static double
field_of_view (const StereoCalibration * c, int view,
    const StereoRectifiedShape * shape)
{
  bool wide = shape->projection != STEREO_PROJECTION_PLANE;

  for (int v = 0; v < 2; v++)
    wide = wide || ((v == view || !c->has_rectification[view])
        && stereo_lens_is_wide (c->camera[v].lens));
  return shape->field_of_view == 0 && wide ? STEREO_WIDE_FIELD_OF_VIEW
      : shape->field_of_view;
}

/* Projections of this field of view, in degrees. */
static void
choose_projections (const StereoCalibration * c, int width, int height,
    double degrees, double projections[2][12])
{
  double f = width / 2.0 / tan (degrees * acos (-1) / 360), baseline = 0;

  if (c->has_pose)
    baseline = stereo_vector3_norm (c->translation);
  else if (c->projection[STEREO_RIGHT][0] > 0)
    baseline = fabs (c->projection[STEREO_RIGHT][3]
        / c->projection[STEREO_RIGHT][0]);
  for (int view = 0; view < 2; view++) {
    const double p[12] = { f, 0, (width - 1) / 2.0, view == STEREO_RIGHT
          ? -f * baseline : 0, 0, f, (height - 1) / 2.0, 0, 0, 0, 1, 0
    };

    memcpy (projections[view], p, sizeof (p));
  }
}

/* Rotations and projections of both views; those in the calibration if it has
 * them.  scale is that of the images. */
static StereoStatus
choose_rectification (const StereoCalibration * c,
    const StereoCamera cameras[2], int view, double degrees, double alpha,
    double scale[2][2], double rotations[2][9], double projections[2][12],
    StereoMessage * why)
{
  if (c->has_rectification[view]) {
    if (fabs (c->projection[STEREO_RIGHT][7])
        > fabs (c->projection[STEREO_RIGHT][3]))
      return fail_above (why);
    for (int v = 0; v < 2; v++) {
      memcpy (rotations[v], c->rectifying[v], sizeof (rotations[v]));
      memcpy (projections[v], c->projection[v], sizeof (projections[v]));
      scale_projection (projections[v], scale[v]);
    }
    return STEREO_OK;
  }
  return degrees > 0 ? rectifying_rotations (c, rotations, why)
      : compute (c, cameras, alpha, rotations, projections, why);
}

StereoStatus
stereo_rectification_init (StereoRectification * self,
    const StereoCalibration * c, int view, int width, int height,
    const StereoRectifiedShape * shape, StereoMessage * why)
{
  double rotations[2][9], projections[2][12], scale[2][2] = { {1, 1}, {1, 1} };
  double left[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, product[9];
  double degrees = field_of_view (c, view, shape);
  StereoCamera cameras[2];
  StereoStatus status = check (c, view, why);

  if (status == STEREO_OK && !(degrees >= 0
          && degrees <= STEREO_MAX_FIELD_OF_VIEW))
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "expected a field of view of at most %d degrees, got %g",
        STEREO_MAX_FIELD_OF_VIEW, degrees);
  memcpy (cameras, c->camera, sizeof (cameras));
  for (int v = 0; v < 2 && status == STEREO_OK; v++) {
    if (c->has_camera[v])
      status = scale_camera (&cameras[v], width, height, scale[v], why);
  }
  if (status == STEREO_OK)
    status = choose_rectification (c, cameras, view, degrees, shape->alpha,
        scale, rotations, projections, why);
  if (status != STEREO_OK)
    return status;
  if (degrees > 0)
    choose_projections (c, width, height, degrees, projections);

  for (int i = 0; i < 9 && shape->projection == STEREO_PROJECTION_PLANE; i++)
    left[i] = projections[view][i / 3 * 4 + i % 3];
  stereo_matrix3_multiply (left, rotations[view], product);
  *self = (StereoRectification) {
    .projection = shape->projection,
    .width = width,
    .height = height,
    .camera = cameras[view],
    .focal_length = projections[view][0],
    .cx = projections[view][2],
    .cy = projections[view][6],
  };
  if (!(self->focal_length > 0)
      || !stereo_matrix3_invert (product, self->to_ray))
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "the projection matrix of the rectified view has no focal length");
  if ((!c->has_rectification[view]
          || (c->has_rectification[0] && c->has_rectification[1]))
      && projections[1][0] > 0) {
    self->baseline = fabs (projections[1][3] / projections[1][0]) * c->unit;
    self->doffs = projections[1][2] - projections[0][2];
  }
  return STEREO_OK;
}

/* The ray of a pixel in coordinates of the rectified view; false if it would be
 * a second one of the same direction. */
static bool
cylinder_ray (const StereoRectification * self, double u, double v,
    double ray[3])
{
  double angle = (v - self->cy) / self->focal_length;

  ray[0] = (u - self->cx) / self->focal_length;
  ray[1] = sin (angle);
  ray[2] = cos (angle);
  return fabs (angle) <= acos (-1);
}

bool
stereo_rectification_source (const StereoRectification * self, double u,
    double v, double *x, double *y)
{
  double pixel[3] = { u, v, 1 };
  double ray[3], dx, dy;

  if (self->projection == STEREO_PROJECTION_CYLINDER
      && !cylinder_ray (self, u, v, pixel))
    return false;
  stereo_matrix3_apply (self->to_ray, pixel, ray);
  if (!stereo_lens_project (&self->camera, ray, &dx, &dy))
    return false;
  *x = self->camera.fx * dx + self->camera.skew * dy + self->camera.cx;
  *y = self->camera.fy * dy + self->camera.cy;
  return isfinite (*x) && isfinite (*y);
}
