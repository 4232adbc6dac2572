/* gst-stereomatching: surfaces of rendered scenes
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "elements/testsrc/gststereoscene-private.h"

#include <math.h>

/* Width of the sampling filter, in pixels. */
#define SOFTNESS 1.3

/* ----------------------------------------------------------------- sampling */

/* Bilinear sample at (s, t), in 1/256 texel of level 0, modulo the size. */
static inline void
sample (const GstStereoTexture * texture, guint level, guint32 s, guint32 t,
    guint32 rgb[3])
{
  guint32 bits = 9 - level, mask = (TEXTURE_SIZE >> level) - 1;
  const GstStereoTexel *row0, *row1;
  guint32 x0, x1, fx, fy;

  /* a texel is centred between those that it averages */
  s = (((s + 128) & (TEXTURE_SIZE * 256 - 1)) >> level) - 128;
  t = (((t + 128) & (TEXTURE_SIZE * 256 - 1)) >> level) - 128;
  x0 = (s >> 8) & mask;
  x1 = (x0 + 1) & mask;
  fx = s & 255;
  fy = t & 255;
  row0 = texture->level[level] + (((t >> 8) & mask) << bits);
  row1 = texture->level[level] + ((((t >> 8) + 1) & mask) << bits);
  for (guint c = 0; c < 3; c++) {
    guint32 upper = row0[x0].c[c] * (256 - fx) + row0[x1].c[c] * fx;
    guint32 lower = row1[x0].c[c] * (256 - fx) + row1[x1].c[c] * fx;

    rgb[c] = ((upper >> 8) * (256 - fy) + (lower >> 8) * fy) >> 8;
  }
}

static inline guint32
to_texel (gdouble s)
{
  return (guint32) (gint64) (s * 256 + 4294967296.0);
}

/* Trilinear sample for a pixel as large as `footprint` texels. */
static inline void
sample_reduced (const GstStereoTexture * texture, gdouble footprint, gdouble s,
    gdouble t, guint32 rgb[3])
{
  guint32 other[3], part, s8 = to_texel (s), t8 = to_texel (t);
  guint level = 0;

  while (footprint >= 2 && level < TEXTURE_LEVELS - 1) {
    footprint /= 2;
    level++;
  }
  sample (texture, level, s8, t8, rgb);
  part = footprint <= 1 ? 0 : footprint >= 2 ? 256
      : (guint32) (256 * (footprint - 1));
  if (part > 0 && level < TEXTURE_LEVELS - 1) {
    sample (texture, level + 1, s8, t8, other);
    for (guint c = 0; c < 3; c++)
      rgb[c] = (rgb[c] * (256 - part) + other[c] * part) >> 8;
  }
}

/* ----------------------------------------------------------------- surfaces */

/* The point of an ellipsoid that a view shows at (x, y), scaled to the unit
 * sphere. */
static inline void
ellipsoid_point (const GstStereoSurface * e, gdouble position, gdouble x,
    gdouble y, gdouble point[3])
{
  gdouble k = position * e->depth / e->radius;
  gdouble p = (x + position * e->d0 - e->x0) / e->radius;
  gdouble q = (y - e->y0) / e->radius;
  gdouble square = (1 - q * q) * (1 + k * k) - p * p;
  gdouble w = (sqrt (MAX (square, 0)) - p * k) / (1 + k * k);

  point[0] = p + k * w;
  point[1] = q;
  point[2] = w;
}

gdouble
gst_stereo_surface_disparity (const GstStereoSurface * surface,
    gdouble position, gdouble x, gdouble y)
{
  gdouble point[3], d;

  if (surface->shape == SHAPE_ELLIPSOID) {
    ellipsoid_point (surface, position, x, y, point);
    return surface->d0 + surface->depth * point[2];
  }
  d = surface->d[0] + surface->d[2] * y;
  return (d + surface->d[1] * x) / (1 - position * surface->d[1]);
}

/* atan2 (u, w) with an error below 1e-4 radians. */
static inline gdouble
approximate_atan2 (gdouble u, gdouble w)
{
  gdouble a = fabs (u), b = fabs (w);
  gdouble z = MIN (a, b) / MAX (MAX (a, b), 1e-9), q = z * z;
  gdouble r = z * (0.99997726 + q * (-0.33262347 + q * (0.19354346
              + q * (-0.11643287 + q * (0.05265332 + q * -0.01172120)))));

  r = a > b ? G_PI / 2 - r : r;
  r = w < 0 ? G_PI - r : r;
  return u < 0 ? -r : r;
}

static inline void
store_color (guint16 * rgb, const guint32 color[3], guint32 light)
{
  for (guint c = 0; c < 3; c++) {
    guint32 value = (color[c] * light) >> 8;

    rgb[c] = (guint16) MIN (value, 65280);
  }
}

static void
shade_flat (const GstStereoSurface * surface, gdouble position, gdouble y,
    gint x, gint n, guint16 * rgb)
{
  guint32 light = (guint32) (256 * surface->light), color[3];
  guint32 s = to_texel (x + position * surface->d[0] + surface->s_offset);
  guint32 t = to_texel (y + surface->t_offset);

  for (gint i = 0; i < n; i++, s += 256, rgb += 3) {
    sample (surface->texture, 0, s, t, color);
    store_color (rgb, color, light);
  }
}

static void
shade_plane (const GstStereoSurface * p, gdouble position, gdouble y, gint x,
    gint n, guint16 * rgb)
{
  guint32 light = (guint32) (256 * p->light), color[3];
  /* a pixel of the right view may cover several of the left one */
  gdouble stretch = MAX (1, 1 / (1 - p->d[1]));

  for (gint i = 0; i < n; i++, rgb += 3) {
    gdouble v = x + i, left, inverse, s, t, along, across;

    left = v + position * gst_stereo_surface_disparity (p, position, v, y);
    inverse = 1 / MAX (linear (p->w, left, y), 1e-3);
    s = linear (p->s, left, y) * inverse;
    t = linear (p->t, left, y) * inverse;
    along = (fabs (p->s[1] - s * p->w[1]) + fabs (p->t[1] - t * p->w[1]))
        * inverse * stretch;
    /* rows are the same in both views */
    across = (fabs (p->s[2] - s * p->w[2]) + fabs (p->t[2] - t * p->w[2]))
        * inverse * 0.5;
    sample_reduced (p->texture, SOFTNESS * MAX (along, across), s + p->s_offset,
        t + p->t_offset, color);
    store_color (rgb, color, light);
  }
}

static void
shade_ellipsoid (const GstStereoSurface * e, gdouble position, gdouble y,
    gint x, gint n, guint16 * rgb)
{
  gdouble k = e->depth / e->radius;
  gdouble turn = sqrt (1 + k * k);
  gdouble scale = e->texels_per_radian / e->radius;
  guint32 color[3];

  for (gint i = 0; i < n; i++, rgb += 3) {
    gdouble point[3], u, v, facing, round, light;

    ellipsoid_point (e, position, x + i, y, point);
    /* the smaller cosine of incidence of the two views */
    facing = MIN (point[2], (point[2] + k * point[0]) / turn);
    light = 0.55 - 0.35 * point[0] - 0.4 * point[1] + 0.45 * point[2];
    /* the axis is tilted */
    u = 0.94 * point[0] + 0.342 * point[1];
    v = 0.94 * point[1] - 0.342 * point[0];
    round = sqrt (MAX (1 - v * v, 0.0));
    sample_reduced (e->texture,
        SOFTNESS * scale / (MAX (facing, 0.1) * MAX (round, 0.1)),
        e->texels_per_radian * approximate_atan2 (u, point[2]) + e->s_offset,
        e->texels_per_radian * v + e->t_offset, color);
    store_color (rgb, color, (guint32) (256 * CLAMP (light, 0.35, 1.2)));
  }
}

void
gst_stereo_surface_shade (const GstStereoSurface * surface, gdouble position,
    gdouble y, gint x, gint n, guint16 * rgb)
{
  switch (surface->shape) {
    case SHAPE_FLAT:
      shade_flat (surface, position, y, x, n, rgb);
      break;
    case SHAPE_PLANE:
      shade_plane (surface, position, y, x, n, rgb);
      break;
    case SHAPE_ELLIPSOID:
      shade_ellipsoid (surface, position, y, x, n, rgb);
      break;
  }
}
