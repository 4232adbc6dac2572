/* gst-stereomatching: a right camera that is not aligned
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "elements/testsrc/gststereodisturbance.h"

#include <math.h>
#include <string.h>

/* Below this standard deviation, in pixels, a filter has no effect. */
#define MIN_BLUR 0.1

/* Standard deviations on each side of a Gaussian filter. */
#define BLUR_REACH 3

/* Pixels on each side of a position that a cubic needs. */
#define CUBIC_REACH 2

/* Distance of a part from its view, relative to the size of the view. */
#define MAX_MARGIN 1.0

gboolean
gst_stereo_disturbance_is_set (const GstStereoDisturbance * d)
{
  return d->roll != 0 || d->pitch != 0 || d->yaw != 0 || d->zoom != 1
      || d->rows != 0 || d->k1 != 0 || d->blur >= MIN_BLUR;
}

/* ------------------------------------------------------------------ mapping */

/* Taylor series, exact in double precision up to 45 degrees. */
static void
find_sine (gdouble degrees, gdouble * sine, gdouble * cosine)
{
  gdouble a, term, power = 1;

  degrees = CLAMP (degrees, -GST_STEREO_MAX_ROTATION, GST_STEREO_MAX_ROTATION);
  a = degrees * (G_PI / 180);
  *sine = 0;
  *cosine = 0;
  for (guint n = 0; n < 20; n++) {
    term = n % 4 < 2 ? power : -power;
    if (n % 2 == 0)
      *cosine += term;
    else
      *sine += term;
    power *= a / (n + 1);
  }
}

void
gst_stereo_warp_init (GstStereoWarp * self, const GstStereoDisturbance * d,
    gint width, gint height)
{
  gdouble sx, cx, sy, cy, sz, cz;

  find_sine (d->pitch, &sx, &cx);
  find_sine (d->yaw, &sy, &cy);
  /* turns the image clockwise */
  find_sine (-d->roll, &sz, &cz);
  *self = (GstStereoWarp) {
    .rotation = {
          cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx,
          sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx,
          -sy, cy * sx, cy * cx},
    .f = MAX (width, height),
    .cx = 0.5 * (width - 1),
    .cy = 0.5 * (height - 1),
    .rows = d->rows,
    .zoom = d->zoom,
    .k1 = d->k1,
  };
}

/* The position in the undisturbed view of a pixel of the disturbed one; far
 * outside if it is behind the camera. */
static void
find_source (const GstStereoWarp * self, gdouble u, gdouble v, gdouble * x,
    gdouble * y)
{
  const gdouble *r = self->rotation, nearest = 1e-3;
  gdouble a = (u - self->cx) / self->f;
  gdouble b = (v - self->cy - self->rows) / self->f;
  gdouble s = (1 + self->k1 * (a * a + b * b)) / self->zoom;
  gdouble z;

  a *= s;
  b *= s;
  z = MAX (r[6] * a + r[7] * b + r[8], nearest);
  *x = self->cx + self->f * (r[0] * a + r[1] * b + r[2]) / z;
  *y = self->cy + self->f * (r[3] * a + r[4] * b + r[5]) / z;
}

static void
include (gdouble value, gdouble range[2])
{
  range[0] = MIN (range[0], value);
  range[1] = MAX (range[1], value);
}

static void
set_range (const gdouble range[2], gint size, gint reach, gint * from,
    gint * length)
{
  gdouble first = MAX (range[0], -MAX_MARGIN * size);
  gdouble last = MIN (range[1], (1 + MAX_MARGIN) * size);

  /* a view may look past the part that can be rendered */
  first = MIN (first, (1 + MAX_MARGIN) * size);
  last = MAX (last, first);
  *from = (gint) floor (first) - reach;
  *length = (gint) ceil (last) + reach + 1 - *from;
}

GstStereoUndisturbed
gst_stereo_warp_part (const GstStereoWarp * self, gint width, gint height,
    gdouble blur)
{
  gdouble xs[2] = { 1e9, -1e9 }, ys[2] = { 1e9, -1e9 }, x, y;
  gint reach = CUBIC_REACH;
  GstStereoUndisturbed part = { 0, };

  /* the extremes of a continuous mapping are on the border */
  for (gint u = 0; u < width; u++) {
    for (gint i = 0; i < 2; i++) {
      find_source (self, u, i * (height - 1), &x, &y);
      include (x, xs);
      include (y, ys);
    }
  }
  for (gint v = 0; v < height; v++) {
    for (gint i = 0; i < 2; i++) {
      find_source (self, i * (width - 1), v, &x, &y);
      include (x, xs);
      include (y, ys);
    }
  }
  if (blur >= MIN_BLUR)
    reach += (gint) ceil (BLUR_REACH * blur);
  set_range (xs, width, reach, &part.x, &part.width);
  set_range (ys, height, reach, &part.y, &part.height);
  return part;
}

/* ------------------------------------------------------------ interpolation */

/* Weights of the pixels -1, 0, 1 and 2 at t between 0 and 1 (Catmull and Rom,
 * 1974). */
static inline void
find_weights (gdouble t, gdouble w[4])
{
  w[0] = 0.5 * t * (-1 + t * (2 - t));
  w[1] = 1 + 0.5 * t * t * (-5 + 3 * t);
  w[2] = 0.5 * t * (1 + t * (4 - 3 * t));
  w[3] = 0.5 * t * t * (t - 1);
}

static void
interpolate (const GstStereoUndisturbed * from, gdouble x, gdouble y,
    guint16 * rgb)
{
  gdouble wx[4], wy[4], sum[3] = { 0, };
  gdouble left, top;

  x = CLAMP (x - from->x, 1, from->width - 3);
  y = CLAMP (y - from->y, 1, from->height - 3);
  left = floor (x);
  top = floor (y);
  find_weights (x - left, wx);
  find_weights (y - top, wy);
  for (gint i = 0; i < 4; i++) {
    const guint16 *p = from->rgb + 3 * (((gsize) top + i - 1) * from->width
        + (gsize) left - 1);

    for (guint c = 0; c < 3; c++)
      sum[c] += wy[i] * (wx[0] * p[c] + wx[1] * p[3 + c] + wx[2] * p[6 + c]
          + wx[3] * p[9 + c]);
  }
  for (guint c = 0; c < 3; c++)
    rgb[c] = (guint16) CLAMP (floor (sum[c] + 0.5), 0, 65280);
}

void
gst_stereo_warp_row (const GstStereoWarp * self,
    const GstStereoUndisturbed * from, gint y, gint width, guint16 * rgb)
{
  for (gint x = 0; x < width; x++, rgb += 3) {
    gdouble sx, sy;

    find_source (self, x, y, &sx, &sy);
    interpolate (from, sx, sy, rgb);
  }
}

/* --------------------------------------------------------------------- blur */

#define MAX_BLUR_REACH (BLUR_REACH * GST_STEREO_MAX_BLUR)

/* exp (-x) for 0 <= x <= 50. */
static gdouble
decay (gdouble x)
{
  gdouble term = 1, sum = 0;

  for (guint n = 1; n < 12; n++) {
    sum += term;
    term *= x / 256 / n;
  }
  sum = 1 / sum;
  for (guint i = 0; i < 8; i++)
    sum *= sum;
  return sum;
}

/* Weights of the distances 0 to the returned one, whose sum over both sides is
 * 65536. */
static gint
make_kernel (gdouble sigma, guint32 kernel[])
{
  gint reach = MIN ((gint) ceil (BLUR_REACH * sigma), MAX_BLUR_REACH);
  gdouble weights[MAX_BLUR_REACH + 1], total = 0;
  guint32 rest = 65536;

  for (gint i = 0; i <= reach; i++) {
    weights[i] = decay (MIN (0.5 * i * i / (sigma * sigma), 50));
    total += (i == 0 ? 1 : 2) * weights[i];
  }
  for (gint i = 1; i <= reach; i++) {
    kernel[i] = (guint32) (65536 * weights[i] / total + 0.5);
    rest -= 2 * kernel[i];
  }
  kernel[0] = rest;
  return reach;
}

/* Filters n pixels that are `step` values apart, and uses a line of n + 2 reach
 * pixels. */
static void
blur_line (guint16 * at, gint n, gsize step, const guint32 * kernel,
    gint reach, guint16 * line)
{
  for (gint i = -reach; i < n + reach; i++)
    memcpy (line + 3 * (i + reach), at + step * CLAMP (i, 0, n - 1),
        3 * sizeof (*line));
  for (gint i = 0; i < n; i++, at += step) {
    const guint16 *center = line + 3 * (i + reach);

    for (gint c = 0; c < 3; c++) {
      guint64 sum = 32768 + (guint64) kernel[0] * center[c];

      for (gint k = 1; k <= reach; k++)
        sum += (guint64) kernel[k] * (center[c - 3 * k] + center[c + 3 * k]);
      at[c] = (guint16) (sum >> 16);
    }
  }
}

void
gst_stereo_undisturbed_blur (GstStereoUndisturbed * self, gdouble sigma)
{
  guint32 kernel[MAX_BLUR_REACH + 1];
  guint16 *line;
  gint reach;

  if (sigma < MIN_BLUR)
    return;
  reach = make_kernel (sigma, kernel);
  line = g_new (guint16, 3 * (gsize) (MAX (self->width, self->height)
          + 2 * reach));
  for (gint y = 0; y < self->height; y++)
    blur_line (self->rgb + 3 * (gsize) y * self->width, self->width, 3, kernel,
        reach, line);
  for (gint x = 0; x < self->width; x++)
    blur_line (self->rgb + 3 * (gsize) x, self->height,
        3 * (gsize) self->width, kernel, reach, line);
  g_free (line);
}
