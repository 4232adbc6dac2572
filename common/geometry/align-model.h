/* gst-stereomatching: the cameras of a correction
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Each view has a pinhole camera with a radial distortion k1 and the centre of
 * the image as its principal point, except for a vertical offset.  Correcting a
 * view undoes the distortion, turns the camera, and gives it the common focal
 * length f:
 *
 *   (x, y)  -> s = 1 + k (x x + y y) / f^2, from the centre
 *           -> P = R (x s / fv, (y s - offset) / fv, 1)
 *           -> (X, Y) = f (P0 / P2, P1 / P2)
 *
 * Each view gets half of the difference of the cameras, and all of what is
 * common.  Pitch, yaw and common yaw are scaled by the focal length, so that
 * they cause the same offset and keystone for any f.
 *
 * Sums, products, quotients and square roots only, in a fixed order: the same
 * doubles on all machines.
 */

#ifndef STEREO_ALIGN_MODEL_H
#define STEREO_ALIGN_MODEL_H

#include "geometry/align.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STEREO_ALIGN_N STEREO_N_CORRECTIONS
#define STEREO_ALIGN_DEGREE 0.017453292519943295        /* in radians */

/* A point of both views, uncorrected, in pixels. */
typedef struct
{
  double xl;
  double yl;
  double xr;
  double yr;
  double variance;              /* of yr - yl, pixels^2 */
} StereoAlignPoint;

typedef struct
{
  int width;
  int height;
  double focal_length;          /* that parameters are relative to, pixels */
} StereoAlignViews;

typedef struct
{
  double rotation[9];
  double by_turn[3][9];         /* derivatives of the rotation */
  double by_focal[3];           /* of the turn, by the log of f */
  double focal;                 /* fv */
  double inverse_focal;
  double offset;
  double k;
  double side;                  /* -0.5 left, 0.5 right */
  double shift_x;               /* pixels, so that the centre is held */
  double shift_y;
} StereoAlignCamera;

typedef struct
{
  double f;                     /* of corrected views */
  double scale;                 /* f / focal_length */
  double inverse_scale;
  double inverse_square;        /* 1 / f^2 */
  double cx;
  double cy;
  StereoAlignCamera camera[STEREO_N_VIEWS];
} StereoAlignModel;

void stereo_align_model_init (StereoAlignModel * model,
    const StereoAlignViews * views, const double values[STEREO_ALIGN_N]);

/* The position of a point in the corrected view, in pixels from the centre that
 * is not held. */
void stereo_align_correct (const StereoAlignModel * model, int view, double x,
    double y, double *X, double *Y);

/* The row of a point in the corrected right view minus that in the left one.
 * jacobian: its derivatives by the parameters, or NULL. */
double stereo_align_row (const StereoAlignModel * model,
    const StereoAlignPoint * point, double jacobian[STEREO_ALIGN_N]);

/* The point of the view that pixel (u, v) of the corrected view shows. */
void stereo_align_source (const StereoAlignModel * model, int view, double u,
    double v, double *x, double *y);

/* exp() for |x| <= 1. */
double stereo_align_exp (double x);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_ALIGN_MODEL_H */
