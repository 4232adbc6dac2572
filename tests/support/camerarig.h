/* gst-stereomatching: two cameras that are not aligned, and what they see
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A simulation for tests of the alignment, which shares no code with it: points
 * of an ideal, rectified pair are seen by two turned, distorted cameras.
 */

#ifndef CAMERARIG_H
#define CAMERARIG_H

#include "geometry/align.h"

#include <math.h>
#include <string.h>

#define RADIANS(degrees) ((degrees) * 3.14159265358979323846 / 180)

typedef struct
{
  int width;
  int height;
  double focal_length;          /* of the ideal views, pixels */
  /* of the left and the right camera */
  double turn[2][3];            /* rotation vector, radians */
  double zoom[2];               /* ratio of its focal length */
  double offset[2];             /* of its principal point in y, pixels */
  double k1[2];                 /* ideal = seen (1 + k1 r^2) */
} CameraRig;

/* How matches are made. */
typedef struct
{
  int n;
  double noise;                 /* of rows, pixels */
  double outliers;              /* share */
  double min_disparity;
  double max_disparity;
  uint64_t seed;
} CameraScene;

/* ------------------------------------------------------------------- random */

static inline double
rig_random (uint64_t * seed)
{
  *seed = *seed * UINT64_C (6364136223846793005) + 1442695040888963407u;
  return (double) (*seed >> 11) / 9007199254740992.0;
}

/* Of about normal distribution. */
static inline double
rig_normal (uint64_t * seed)
{
  double sum = -6;

  for (int i = 0; i < 12; i++)
    sum += rig_random (seed);
  return sum;
}

/* ------------------------------------------------------------------ cameras */

/* Turns a ray by a rotation vector, or back with sign = -1. */
static inline void
rig_turn (const double w[3], double sign, double ray[3])
{
  const double angle = sqrt (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  double axis[3], along = 0, out[3];

  if (angle == 0)
    return;
  for (int i = 0; i < 3; i++) {
    axis[i] = w[i] / angle;
    along += axis[i] * ray[i];
  }
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;

    out[i] = ray[i] * cos (angle) + sign * (axis[j] * ray[k]
        - axis[k] * ray[j]) * sin (angle) + axis[i] * along
        * (1 - cos (angle));
  }
  memcpy (ray, out, sizeof (out));
}

/* From a pixel of the camera to one of the ideal view. */
static inline void
rig_idealize (const CameraRig * r, int view, double *x, double *y)
{
  const double cx = (r->width - 1) / 2.0, cy = (r->height - 1) / 2.0;
  const double u = (*x - cx) / r->focal_length;
  const double v = (*y - cy) / r->focal_length;
  const double stretch = 1 + r->k1[view] * (u * u + v * v);
  double ray[3] = { u * stretch / r->zoom[view], (v * stretch
        - r->offset[view] / r->focal_length) / r->zoom[view], 1
  };

  rig_turn (r->turn[view], 1, ray);
  *x = cx + r->focal_length * ray[0] / ray[2];
  *y = cy + r->focal_length * ray[1] / ray[2];
}

/* And back: the inverse, found by iteration. */
static inline void
rig_see (const CameraRig * r, int view, double *x, double *y)
{
  double u = *x, v = *y;

  for (int i = 0; i < 40; i++) {
    double a = u, b = v;

    rig_idealize (r, view, &a, &b);
    u += *x - a;
    v += *y - b;
  }
  *x = u;
  *y = v;
}

/* From a pixel of a view to one of the corrected view. */
static inline void
rig_correct (const StereoCorrection * c, int view, double *x, double *y)
{
  double u = *x, v = *y;

  for (int i = 0; i < 20 && c != NULL; i++) {
    double a, b;

    stereo_correction_source (c, view == 1, u, v, &a, &b);
    u += *x - a;
    v += *y - b;
  }
  *x = u;
  *y = v;
}

/* ------------------------------------------------------------------ matches */

/* Row of a match that has the same ideal row in both views: of left pixel
 * (x, y), in corrected views. */
static inline void
rig_partner (const CameraRig * r, const StereoCorrection * applied, double x,
    double y, double disparity, double *xr, double *yr)
{
  if (applied != NULL)
    stereo_correction_source (applied, false, x, y, &x, &y);
  rig_idealize (r, 0, &x, &y);
  *xr = x - disparity;
  *yr = y;
  rig_see (r, 1, xr, yr);
  rig_correct (applied, 1, xr, yr);
}

/* applied: the correction of the views in which matches are found, or NULL. */
static inline void
rig_match (const CameraRig * r, const StereoCorrection * applied,
    CameraScene * scene, StereoRowMatch * matches)
{
  for (int i = 0; i < scene->n; i++) {
    StereoRowMatch *m = &matches[i];
    const double share = rig_random (&scene->seed);
    const double disparity = scene->min_disparity + (scene->max_disparity
        - scene->min_disparity) * share * share;
    double x, y;

    memset (m, 0, sizeof (*m));
    m->x = (int32_t) (rig_random (&scene->seed) * r->width);
    m->y = (int32_t) (rig_random (&scene->seed) * r->height);
    rig_partner (r, applied, m->x, m->y, disparity, &x, &y);
    y += scene->noise * rig_normal (&scene->seed);
    if (rig_random (&scene->seed) < scene->outliers) {
      x = m->x + (rig_random (&scene->seed) - 0.5) * r->width / 2;
      y = m->y + (rig_random (&scene->seed) - 0.5) * r->height / 4;
    }
    m->dx = (int32_t) floor ((x - m->x) * 256 + 0.5);
    m->dy = (int32_t) floor ((y - m->y) * 256 + 0.5);
    m->variance = (int32_t) (scene->noise * scene->noise * 65536);
    m->hamming = 20;
    m->correlation = 1000;
  }
}

/* ------------------------------------------------------------------- result */

#define RIG_POINTS (9 * 7 * 3)

/* Absolute rows of corrected views over the image, in ascending order. */
static inline void
rig_rows (const CameraRig * r, const StereoCorrection * c, double least,
    double most, double rows[RIG_POINTS])
{
  for (int i = 0; i < RIG_POINTS; i++) {
    const double x = (r->width - 1) * (i % 9) / 8.0;
    const double y = (r->height - 1) * (i / 9 % 7) / 6.0;
    double xr, yr, row;
    int at = i;

    rig_partner (r, c, x, y, least + (most - least) * (i / 63) / 2.0, &xr,
        &yr);
    row = fabs (yr - y);
    for (; at > 0 && rows[at - 1] > row; at--)
      rows[at] = rows[at - 1];
    rows[at] = row;
  }
}

static inline double
rig_rows_95 (const CameraRig * r, const StereoCorrection * c, double least,
    double most)
{
  double rows[RIG_POINTS];

  rig_rows (r, c, least, most, rows);
  return rows[RIG_POINTS * 95 / 100];
}

#endif /* CAMERARIG_H */
