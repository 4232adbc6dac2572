/* gst-stereomatching: camera models and stereo rectification
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A calibration describes the poses and lenses of two cameras.  A rectification
 * maps the pixels of a rectified view to those of an image: in rectified views
 * both cameras look in the same direction, perpendicular to the baseline, and a
 * scene point is on the same row of both.
 *
 * Computed in double precision on the host.  Pixel centres have integer
 * coordinates.
 */

#ifndef STEREO_CAMERA_H
#define STEREO_CAMERA_H

#include "stereo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Lens distortion of a point (x, y) = (X / Z, Y / Z):
 *
 * Brown: r = x x + y y, c = (1 + k1 r + k2 r^2 + k3 r^3) / (1 + k4 r + k5 r^2
 * + k6 r^3), x' = x c + 2 p1 x y + p2 (r + 2 x x) + s1 r + s2 r^2, and y' = y c
 * + p1 (r + 2 y y) + 2 p2 x y + s3 r + s4 r^2; the coefficients are k1 k2
 * p1 p2 k3 k4 k5 k6 s1 s2 s3 s4; those that a model does not have are 0.
 *
 * Fisheye (Kannala and Brandt, 2006): a = atan (sqrt (r)), (x', y') = (x, y) a
 * (1 + k1 a^2 + k2 a^4 + k3 a^6 + k4 a^8) / sqrt (r); the coefficients are
 * k1 k2 k3 k4.
 *
 * The others project rays (X, Y, Z), with d = sqrt (X X + Y Y + Z Z):
 *
 * Omnidirectional (Mei and Rives, 2007): (x, y) = (X, Y) / (Z + xi d) with
 * Z / d > -min (xi, 1 / xi), then Brown with k1 k2 p1 p2 k3.
 *
 * Double sphere (Usenko, Demmel and Cremers, 2018): z = xi d + Z, (x, y) =
 * (X, Y) / (alpha sqrt (X X + Y Y + z z) + (1 - alpha) z) with Z > -w2 d, w2 =
 * (w1 + xi) / sqrt (2 w1 xi + xi xi + 1), and w1 = alpha / (1 - alpha) up to
 * alpha = 1/2, its inverse above.
 *
 * Extended unified (Khomutenko, Garcia and Martinet, 2016): e = sqrt (beta
 * (X X + Y Y) + Z Z), (x, y) = (X, Y) / (alpha e + (1 - alpha) Z) with Z >
 * -w1 e. */
typedef enum
{
  STEREO_LENS_BROWN = 0,
  STEREO_LENS_FISHEYE,
  STEREO_LENS_OMNI,
  STEREO_LENS_DOUBLE_SPHERE,
  STEREO_LENS_EXTENDED
} StereoLens;

#define STEREO_MAX_COEFFICIENTS 12

typedef struct
{
  StereoLens lens;
  int width;                    /* of its images; 0 = unknown */
  int height;
  double fx;                    /* pixels */
  double fy;
  double cx;
  double cy;
  double skew;                  /* columns per unit of y */
  double k[STEREO_MAX_COEFFICIENTS];
  double xi;                    /* of the models that have them */
  double alpha;
  double beta;
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
  /* A point X of the left camera is R X + T in the right one. */
  bool has_pose;
  double rotation[9];
  double translation[3];
  /* The rectifying rotation and projection; computed if missing. */
  bool has_rectification[STEREO_N_VIEWS];
  double rectifying[STEREO_N_VIEWS][9];
  double projection[STEREO_N_VIEWS][12];
  double unit;                  /* of translation, in metres */
} StereoCalibration;

/* What a rectified view is a picture on.  The columns of both are x / depth.
 * Plane: rows are y / depth, and depth is along the optical axis.  Cylinder
 * around the baseline: rows are angles about it, and depth is the distance from
 * it. */
typedef enum
{
  STEREO_PROJECTION_PLANE = 0,
  STEREO_PROJECTION_CYLINDER
} StereoProjection;

typedef struct
{
  StereoProjection projection;
  double field_of_view;         /* horizontal, in degrees; 0 = by alpha */
  double alpha;
} StereoRectifiedShape;

/* Beyond this, pixels of a plane at its edge are 23 times as large as in its
 * centre. */
#define STEREO_MAX_FIELD_OF_VIEW 175
/* That of wide lenses and cylinders if none is given. */
#define STEREO_WIDE_FIELD_OF_VIEW 90

/* The mapping of a rectified view, and its camera. */
typedef struct
{
  StereoProjection projection;
  int width;
  int height;
  StereoCamera camera;          /* that took the images */
  /* to the camera's X, Y, Z: from (u, v, 1), or from a ray of the cylinder */
  double to_ray[9];
  double focal_length;          /* of the rectified camera, in pixels */
  double cx;
  double cy;
  double baseline;              /* metres; 0 = unknown */
  double doffs;                 /* right cx - left cx; 0 = unknown */
} StereoRectification;

/*
 * Computes the rectification of view STEREO_LEFT or STEREO_RIGHT for images of
 * this size: the size in the calibration or a multiple of it.  Without a size,
 * the principal points have to be inside the images.
 *
 * A view without a rectification in the calibration gets Bouguet's, which turns
 * each camera by half of the relative rotation, with the mean fy of both as the
 * focal length.  alpha scales it as in OpenCV's stereoRectify(): 0 = crop to
 * valid pixels, 1 = keep all source pixels, -1 = keep the focal length.
 *
 * With a field of view, the focal length is that of a view of this width, and
 * the principal point is the centre; projections in the calibration are not
 * used, rotations are.  Wide lenses (see lens.h) and cylinders always have a
 * field of view, by default STEREO_WIDE_FIELD_OF_VIEW.
 *
 * STEREO_ERROR_ARGUMENT if the calibration or the field of view is invalid.
 */
STEREO_CHECKED StereoStatus stereo_rectification_init (StereoRectification *
    self, const StereoCalibration * calibration, int view, int width,
    int height, const StereoRectifiedShape * shape, StereoMessage * why);

/* The position of pixel (u, v) of the rectified view in the image; false if the
 * lens has no image of it. */
bool stereo_rectification_source (const StereoRectification * self, double u,
    double v, double *x, double *y);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_CAMERA_H */
