/* gst-stereomatching: cameras, and how a pair of them is rectified
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A calibration says where the two cameras are and what their lenses do.  A
 * rectification is where the pixels of a rectified view come from: from there
 * on both cameras look in the same direction, at right angles to the line
 * through both, and a point is on the same row of both views.
 *
 * All in double precision, and on the host.  A pixel's centre has whole
 * coordinates.
 */

#ifndef STEREO_CAMERA_H
#define STEREO_CAMERA_H

#include "stereo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a lens distorts.  With a point's (x, y) = (X / Z, Y / Z):
 *
 * Brown: r = x x + y y, c = (1 + k1 r + k2 r^2 + k3 r^3) / (1 + k4 r + k5 r^2
 * + k6 r^3), x' = x c + 2 p1 x y + p2 (r + 2 x x) + s1 r + s2 r^2, and y' = y c
 * + p1 (r + 2 y y) + 2 p2 x y + s3 r + s4 r^2; the coefficients in the order k1
 * k2 p1 p2 k3 k4 k5 k6 s1 s2 s3 s4, with zeros for what a model has not.
 *
 * Fisheye (Kannala and Brandt, 2006): a = atan (sqrt (r)), (x', y') = (x, y) a
 * (1 + k1 a^2 + k2 a^4 + k3 a^6 + k4 a^8) / sqrt (r); the coefficients in the
 * order k1 k2 k3 k4. */
typedef enum
{
  STEREO_LENS_BROWN = 0,
  STEREO_LENS_FISHEYE
} StereoLens;

#define STEREO_MAX_COEFFICIENTS 12

typedef struct
{
  StereoLens lens;
  int width;                    /* of its images, or 0 when not known */
  int height;
  double fx;                    /* pixels */
  double fy;
  double cx;
  double cy;
  double k[STEREO_MAX_COEFFICIENTS];
} StereoCamera;

enum
{
  STEREO_LEFT,
  STEREO_RIGHT,
  STEREO_N_VIEWS
};

/* Matrices row by row. */
typedef struct
{
  bool has_camera[STEREO_N_VIEWS];
  StereoCamera camera[STEREO_N_VIEWS];
  /* A point X of the left camera is R X + T of the right one. */
  bool has_pose;
  double rotation[9];
  double translation[3];
  /* The rotation that rectifies a view, and its projection; where there are
   * none, they are computed. */
  bool has_rectification[STEREO_N_VIEWS];
  double rectifying[STEREO_N_VIEWS][9];
  double projection[STEREO_N_VIEWS][12];
  double unit;                  /* metres for one in translation */
} StereoCalibration;

/* Where the pixels of a rectified view come from, and its camera. */
typedef struct
{
  int width;
  int height;
  StereoCamera camera;          /* that took the images */
  double to_ray[9];             /* from (u, v, 1) to the camera's X, Y, Z */
  double focal_length;          /* of the rectified camera, in pixels */
  double cx;
  double cy;
  double baseline;              /* metres; 0 when not known */
  double doffs;                 /* right cx - left cx; 0 when not known */
} StereoRectification;

/*
 * Rectifies the view STEREO_LEFT or STEREO_RIGHT, for images of this size:
 * that of the calibration, if that says so, or a whole multiple.
 *
 * A view without a rectification in the calibration gets that of Bouguet, which
 * turns both cameras by half of what is between them, and one focal length for
 * both, the mean of fy.  alpha = -1 keeps it; from 0, where all pixels have a
 * source, to 1, where all source pixels are seen, it is scaled, as OpenCV's
 * stereoRectify() does it.
 *
 * STEREO_ERROR_ARGUMENT, and why says what is wrong with the calibration.
 */
STEREO_CHECKED StereoStatus stereo_rectification_init (StereoRectification *
    self, const StereoCalibration * calibration, int view, int width,
    int height, double alpha, StereoMessage * why);

/* Where pixel (u, v) of the rectified view is in the image; false when it is
 * behind the camera. */
bool stereo_rectification_source (const StereoRectification * self, double u,
    double v, double *x, double *y);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_CAMERA_H */
