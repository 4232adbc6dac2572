/* gst-stereomatching: per-pixel arithmetic of row measurement
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The same on the host and in CUDA. */

#ifndef STEREO_ROWS_FORMULA_H
#define STEREO_ROWS_FORMULA_H

#include "geometry/rows.h"
#include "image/pixel.h"

/* Half the width of the structure tensor, of a descriptor, of a patch of
 * Lucas-Kanade, and of the photometric sums, in pixels. */
#define STEREO_TENSOR_RADIUS 2
#define STEREO_DESCRIPTOR_RADIUS 10
#define STEREO_PATCH_RADIUS 6
#define STEREO_PHOTO_RADIUS 8

#define STEREO_DESCRIPTOR_SIZE (2 * STEREO_DESCRIPTOR_RADIUS + 1)
#define STEREO_PATCH_SIZE (2 * STEREO_PATCH_RADIUS + 1)
#define STEREO_PATCH_PIXELS (STEREO_PATCH_SIZE * STEREO_PATCH_SIZE)

/* Smallest score of a corner, and bits of a match. */
#define STEREO_MIN_SCORE 150.0f
#define STEREO_MAX_HAMMING 70
#define STEREO_NO_HAMMING 999

/* Steps of Lucas-Kanade on each level. */
#define STEREO_PATCH_STEPS 6

/* Smallest squared correlation, 1/1024, and largest distance from the corner of
 * the right view on the last level, 1/256 pixel. */
#define STEREO_MIN_CORRELATION 700
#define STEREO_MAX_MOVE (3 * 256)

/* det / (trace + 1) of the tensor with sums a = xx, b = yy and c = xy, at most
 * 25 x 255^2: exact in float. */
STEREO_INLINE float
stereo_corner_score (int32_t a, int32_t b, int32_t c)
{
  const float fa = (float) a, fb = (float) b, fc = (float) c;
  const float ab = fa * fb, cc = fc * fc;

  return (ab - cc) / (fa + fb + 1.0f);
}

/* A pixel of the next level. */
STEREO_INLINE uint8_t
stereo_rows_mean (int a, int b, int c, int d)
{
  return (uint8_t) ((a + b + c + d + 2) >> 2);
}

/* Whether two corners may match.  Offsets are limited to a third of the width
 * and a sixth of the height of the last level. */
STEREO_INLINE bool
stereo_corners_near (const StereoRowsImage * last, int dx, int dy)
{
  const int most_x = last->width / 3, most_y = last->height / 6;

  return dx >= -most_x && dx <= most_x && dy >= -most_y && dy <= most_y;
}

/* Whether the nearest corner is a match: close, and clearly nearer than the
 * second one. */
STEREO_INLINE bool
stereo_corner_is_match (const StereoCornerNearest * n)
{
  return n->other >= 0 && n->distance <= STEREO_MAX_HAMMING
      && n->distance * 256 <= n->second * 220;
}

/* ------------------------------------------------------------ Lucas-Kanade */

/* Sums over the left patch: l = grey level, x and y = central differences
 * (twice the gradient). */
typedef struct
{
  int32_t l;
  int32_t x;
  int32_t y;
  int32_t xx;
  int32_t xy;
  int32_t yy;
  int32_t xl;
  int32_t yl;
  int32_t ll;
} StereoPatchSums;

/* Sums over the right patch: r = grey level in 1/16, at most 4080. */
typedef struct
{
  int32_t r;
  int32_t xr;
  int32_t yr;
  int32_t lr;
  int64_t rr;
} StereoPatchRight;

/* The inverse of the normal equations of (dx, dy, gain), with the mean
 * eliminated: two rows of the adjugate matrix, and the determinant. */
typedef struct
{
  double c00;
  double c01;
  double c02;
  double c11;
  double c12;
  double det;
} StereoPatchInverse;

/* N sum (a b) - sum (a) sum (b), exact. */
STEREO_INLINE double
stereo_patch_moment (int64_t ab, int64_t a, int64_t b)
{
  return (double) (STEREO_PATCH_PIXELS * ab - a * b);
}

/* False if the patch has too little texture. */
STEREO_INLINE bool
stereo_patch_invert (const StereoPatchSums * s, StereoPatchInverse * v)
{
  const double a00 = stereo_patch_moment (s->xx, s->x, s->x);
  const double a01 = stereo_patch_moment (s->xy, s->x, s->y);
  const double a11 = stereo_patch_moment (s->yy, s->y, s->y);
  const double a02 = stereo_patch_moment (s->xl, s->x, s->l);
  const double a12 = stereo_patch_moment (s->yl, s->y, s->l);
  const double a22 = stereo_patch_moment (s->ll, s->l, s->l);

  v->c00 = a11 * a22 - a12 * a12;
  v->c01 = a02 * a12 - a01 * a22;
  v->c02 = a01 * a12 - a02 * a11;
  v->c11 = a00 * a22 - a02 * a02;
  v->c12 = a01 * a02 - a00 * a12;
  v->det = a00 * v->c00 + a01 * v->c01 + a02 * v->c02;
  return v->det > 0 && a22 > 0;
}

/* Rounds to the nearest integer, ties to even; |x| < 2^20. */
STEREO_INLINE int
stereo_patch_round (double x)
{
  /* adding 1.5 * 2^52 leaves no bits for a fraction */
  const double shift = 6755399441055744.0;

  return (int) (x + shift - shift);
}

STEREO_INLINE int
stereo_patch_limit (int step)
{
  return step > 256 ? 256 : step < -256 ? -256 : step;
}

/* The next step in 1/256 pixel, at most a pixel; false if it diverges. */
STEREO_INLINE bool
stereo_patch_step (const StereoPatchSums * s, const StereoPatchRight * r,
    const StereoPatchInverse * v, int *step_x, int *step_y)
{
  /* difference 16 L - R of the patches, against each unknown */
  const int64_t d = 16 * (int64_t) s->l - r->r;
  const double b0 = stereo_patch_moment (16 * (int64_t) s->xl - r->xr, s->x,
      d);
  const double b1 = stereo_patch_moment (16 * (int64_t) s->yl - r->yr, s->y,
      d);
  const double b2 = stereo_patch_moment (16 * (int64_t) s->ll - r->lr, s->l,
      d);
  /* 2 for the double gradient, 1/16 for levels, 256 for the unit */
  const double x = (v->c00 * b0 + v->c01 * b1 + v->c02 * b2) / v->det * 32.0;
  const double y = (v->c01 * b0 + v->c11 * b1 + v->c12 * b2) / v->det * 32.0;

  if (!(x > -1024 && x < 1024 && y > -1024 && y < 1024))
    return false;
  *step_x = stereo_patch_limit (stereo_patch_round (x));
  *step_y = stereo_patch_limit (stereo_patch_round (y));
  return true;
}

/* Squared correlation in 1/1024, and the variance of dy in 1/65536 pixel^2. */
STEREO_INLINE void
stereo_patch_quality (const StereoPatchSums * s, const StereoPatchRight * r,
    const StereoPatchInverse * v, int32_t * correlation, int32_t * variance)
{
  const double n = STEREO_PATCH_PIXELS;
  const double vl = stereo_patch_moment (s->ll, s->l, s->l);
  const double vr = stereo_patch_moment (r->rr, r->r, r->r);
  const double cv = stereo_patch_moment (r->lr, s->l, r->r);
  double cc, residual, var;

  *correlation = 0;
  *variance = 0;
  if (!(vr > 0) || !(cv > 0))
    return;
  cc = cv * cv / (vl * vr);
  /* of a pixel, levels^2; a quarter level is what rounding leaves */
  residual = vl * (1 - cc) / (n * n);
  residual = residual < 0.25 ? 0.25 : residual;
  var = v->c11 / v->det * n * 4 * residual * 65536.0;
  *correlation = (int32_t) (1024 * cc);
  *variance = (int32_t) (var < 1e9 ? var : 1e9);
}

/* Weights of the four pixels of a position, in 1/65536, and its whole part. */
typedef struct
{
  int x;
  int y;
  int w00;
  int w01;
  int w10;
  int w11;
} StereoPatchPlace;

/* The first pixel of the right patch.  False if it is not inside. */
STEREO_INLINE bool
stereo_patch_place (const StereoRowsImage * image, int x, int y, int dx,
    int dy, StereoPatchPlace * p)
{
  const int at_x = ((x - STEREO_PATCH_RADIUS) * 256) + dx;
  const int at_y = ((y - STEREO_PATCH_RADIUS) * 256) + dy;
  const int fx = at_x & 255, fy = at_y & 255;

  p->x = at_x >> 8;
  p->y = at_y >> 8;
  p->w00 = (256 - fx) * (256 - fy);
  p->w01 = fx * (256 - fy);
  p->w10 = (256 - fx) * fy;
  p->w11 = fx * fy;
  return p->x >= 0 && p->y >= 0 && p->x + STEREO_PATCH_SIZE + 1 <= image->width
      && p->y + STEREO_PATCH_SIZE + 1 <= image->height;
}

/* A pixel of the right patch in 1/16 level; at: its upper left neighbour. */
STEREO_INLINE int
stereo_patch_pixel (const StereoPatchPlace * p, const uint8_t * at,
    size_t stride)
{
  return (at[0] * p->w00 + at[1] * p->w01 + at[stride] * p->w10
      + at[stride + 1] * p->w11 + 2048) >> 12;
}

/* Whether the left patch and its gradients are inside. */
STEREO_INLINE bool
stereo_patch_inside (const StereoRowsImage * image, int x, int y, int radius)
{
  return x - radius - 1 >= 0 && y - radius - 1 >= 0
      && x + radius + 1 < image->width && y + radius + 1 < image->height;
}

/* Whether a match is still near its corner, after these steps on the last
 * level. */
STEREO_INLINE bool
stereo_patch_stays (int dx, int dy)
{
  return dx >= -STEREO_MAX_MOVE && dx <= STEREO_MAX_MOVE
      && dy >= -STEREO_MAX_MOVE && dy <= STEREO_MAX_MOVE;
}

/* The position of a corner on level 0. */
STEREO_INLINE int
stereo_corner_position (int at, int n_levels)
{
  return (at << n_levels) + ((1 << n_levels) >> 1);
}

/* The whole pixel of the right view that shows a point of the left view. */
STEREO_INLINE int
stereo_match_pixel (int at, int offset)
{
  return at + ((offset + 128) >> 8);
}

#endif /* STEREO_ROWS_FORMULA_H */
