/* gst-stereomatching: tests of pyramid on all devices
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "cases.h"

#include <math.h>

/* ------------------------------------------------------------------- oracle */

/*
 * An independent implementation of docs/algorithms/pyramid.md, a whole image at
 * a time.  It shares no code with the library.  Steps that are exact there use
 * double precision here; others are rounded to single precision as described.
 */

typedef struct
{
  int width, height;
  double *v;
} Image;

typedef struct
{
  int levels, max_iterations, fine_iterations, diffusion, fine_diffusion;
  bool vertical;
  double max_step;
  int n, min;
  int lr_max_diff;
  bool fill;
  int passes;
} Settings;

/* Rounds to single precision, in which everything is stored. */
static double
single (double v)
{
  volatile float f = (float) v;

  return f;
}

static Image
image_new (int width, int height)
{
  Image image = { width, height, calloc ((size_t) (width * height),
        sizeof (double))
  };

  REQUIRE (image.v != NULL);
  return image;
}

static double *
pixel (const Image * image, int x, int y)
{
  return &image->v[limit_to (y, 0, image->height - 1) * image->width
      + limit_to (x, 0, image->width - 1)];
}

/* The position of pixel i of n in an image of m, in 1/64 pixel, clamped to the
 * image. */
static int
oracle_position (int i, int n, int m)
{
  double at = floor ((2 * i + 1) * 32.0 * m / n + 0.5) - 32;

  return limit_to ((int) at, 0, 64 * (m - 1));
}

/* Bilinear interpolation at a fractional position, without rounding. */
static double
between (const Image * image, double x, double y)
{
  int i = (int) floor (x), j = (int) floor (y);
  double a = x - i, b = y - j;

  return (1 - b) * ((1 - a) * *pixel (image, i, j)
      + a * *pixel (image, i + 1, j))
      + b * ((1 - a) * *pixel (image, i, j + 1)
      + a * *pixel (image, i + 1, j + 1));
}

static const double kernel[5] = { 1, 3, 4, 3, 1 };

static Image
oracle_smaller (const Image * image)
{
  Image next = image_new ((int) (image->width / sqrt (2)),
      (int) (image->height / sqrt (2)));
  Image smooth = image_new (image->width, image->height);

  for (int y = 0; y < image->height; y++) {
    for (int x = 0; x < image->width; x++) {
      for (int j = -2; j <= 2; j++) {
        for (int i = -2; i <= 2; i++)
          *pixel (&smooth, x, y) += kernel[i + 2] * kernel[j + 2]
              * *pixel (image, x + i, y + j);
      }
    }
  }
  for (int y = 0; y < next.height; y++) {
    for (int x = 0; x < next.width; x++)
      *pixel (&next, x, y) = floor (between (&smooth,
              oracle_position (x, next.width, image->width) / 64.0,
              oracle_position (y, next.height, image->height) / 64.0) / 144
          + 0.5);
  }
  free (smooth.v);
  return next;
}

/* x + d, clamped to n pixels and rounded to 1/64. */
static double
oracle_target (int x, double d, int n)
{
  double at = single (x + d);

  at = at < 0 ? 0 : at > n - 1 ? n - 1 : at;
  return rint (at * 64) / 64;
}

/* Moment of two images under the kernel, the second one shifted by (mx, my), at
 * a pixel that may be outside the image. */
static double
oracle_moment (const Image a[3], const Image b[3], int x, int y, int mx,
    int my)
{
  double row[5] = { 0 }, e, f;

  for (int j = 0; j < 5; j++) {
    for (int i = 0; i < 5; i++) {
      for (int c = 0; c < 3; c++)
        row[j] += kernel[i] * *pixel (&a[c], x + i - 2, y + j - 2)
            * *pixel (&b[c], x + i - 2 + mx, y + j - 2 + my);
    }
  }
  e = single (row[0] + row[4]);
  f = single (row[1] + row[3]);
  return single (single (e + f) + 2 * single (f + 2 * row[2]));
}

static double
oracle_inverse (double moment)
{
  return single (1 / (moment < 1 ? 1 : moment));
}

static double
oracle_correlation (const Image left[3], const Image warped[3], int x, int y,
    int mx, int my)
{
  double p = oracle_moment (left, warped, x, y, mx, my);
  double ir = oracle_inverse (oracle_moment (warped, warped, x + mx, y + my,
          0, 0));
  double il = oracle_inverse (oracle_moment (left, left, x, y, 0, 0));
  double c = single (single (single (p * p) * ir) * il);

  return c > 1 ? 1 : c;
}

static double
oracle_parabola (double l, double c, double r, double step, double *trust)
{
  double b = single (r - l) / 2;
  double a = single (single (r + l) / 2 - c);
  double way, top;

  *trust = single (0.4);
  if (a >= -1.0 / 131072)
    return 0;
  way = single (-b / 2 / a);
  way = way > step ? step : way < -step ? -step : way;
  top = single (single (single (single (a * way) + b) * way) + c);
  *trust = single (single (single (0.3) * top) + single (0.7));
  if (top > 1) {
    *trust = 1;
    if (single (top - c) > single (1e-10))
      way = single (way * single (single (1 - c) / single (top - c)));
  }
  return way;
}

static void
oracle_iteration (const Settings * s, const Image left[3],
    const Image right[3], double step, bool first, Image field[3])
{
  int width = left[0].width, height = left[0].height;
  Image warped[3], next[3];

  for (int c = 0; c < 3; c++) {
    warped[c] = image_new (width, height);
    next[c] = image_new (width, height);
    for (int y = 0; y < height; y++) {
      for (int x = 0; x < width; x++)
        *pixel (&warped[c], x, y) = rint (between (&right[c],
                oracle_target (x, *pixel (&field[0], x, y), width),
                oracle_target (y, *pixel (&field[1], x, y), height)));
    }
  }
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) {
      double c = oracle_correlation (left, warped, x, y, 0, 0);
      double trust_x, trust_y = 1;
      double dx = oracle_parabola (oracle_correlation (left, warped, x, y, -1,
              0), c, oracle_correlation (left, warped, x, y, 1, 0), step,
          &trust_x);
      double dy = !s->vertical ? 0
          : oracle_parabola (oracle_correlation (left, warped, x, y, 0, -1),
          c, oracle_correlation (left, warped, x, y, 0, 1), step, &trust_y);
      double trust = single (trust_x * trust_y);

      *pixel (&next[0], x, y) = single (*pixel (&field[0], x, y) + dx);
      *pixel (&next[1], x, y) = single (*pixel (&field[1], x, y) + dy);
      *pixel (&next[2], x, y) = first ? trust
          : single (single (0.75 * *pixel (&field[2], x, y)) + 0.25 * trust);
    }
  }
  for (int c = 0; c < 3; c++) {
    free (warped[c].v);
    free (field[c].v);
    field[c] = next[c];
  }
}

/* Sum of a field over five pixels, weighted by confidence. */
static double
oracle_cross (const Image * c, const Image * v, int x, int y)
{
  static const int at[5][2] = { {-1, 0}, {1, 0}, {0, -1}, {0, 1}, {0, 0} };
  double p[5];

  for (int i = 0; i < 5; i++)
    p[i] = single (*pixel (c, x + at[i][0], y + at[i][1])
        * (v ? *pixel (v, x + at[i][0], y + at[i][1]) : 1));
  return single (single (single (p[0] + p[1]) + single (p[2] + p[3])) + p[4]);
}

static void
oracle_diffusion (Image field[3])
{
  Image next[3];

  for (int c = 0; c < 3; c++) {
    next[c] = image_new (field[c].width, field[c].height);
    for (int y = 0; y < field[c].height; y++) {
      for (int x = 0; x < field[c].width; x++)
        *pixel (&next[c], x, y) = single (oracle_cross (&field[2], &field[c],
                x, y) * single (1 / oracle_cross (&field[2], NULL, x, y)));
    }
  }
  for (int c = 0; c < 3; c++) {
    free (field[c].v);
    field[c] = next[c];
  }
}

static void
oracle_mean (Image * image)
{
  Image next = image_new (image->width, image->height);

  for (int y = 0; y < image->height; y++) {
    for (int x = 0; x < image->width; x++) {
      double row[3];

      for (int j = 0; j < 3; j++)
        row[j] = single (single (*pixel (image, x - 1, y + j - 1)
                + *pixel (image, x + 1, y + j - 1)) + *pixel (image, x,
                y + j - 1));
      *pixel (&next, x, y) = single (single (single (row[0] + row[2])
              + row[1]) * single (1.0 / 9));
    }
  }
  free (image->v);
  *image = next;
}

static Image
oracle_larger (const Image * image, int width, int height, double scale)
{
  Image next = image_new (width, height);

  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) {
      int px = oracle_position (x, width, image->width);
      int py = oracle_position (y, height, image->height);
      double row[2];

      for (int j = 0; j < 2; j++) {
        double a = *pixel (image, px / 64, py / 64 + j);
        double b = *pixel (image, px / 64 + 1, py / 64 + j);

        row[j] = single (a + single (px % 64 / 64.0 * single (b - a)));
      }
      *pixel (&next, x, y) = single (single (row[0] + single (py % 64 / 64.0
                  * single (row[1] - row[0]))) * scale);
    }
  }
  free (image->v);
  return next;
}

/* Brightness of a pixel, for the census. */
static double
oracle_brightness (const Image view[3], int x, int y)
{
  return 3 * *pixel (&view[0], x, y) + 4 * *pixel (&view[1], x, y)
      + 2 * *pixel (&view[2], x, y);
}

/* The census of 5x5 pixels. */
static Image
oracle_census (const Image view[3])
{
  Image census = image_new (view[0].width, view[0].height);

  for (int y = 0; y < census.height; y++) {
    for (int x = 0; x < census.width; x++) {
      double own = oracle_brightness (view, x, y);

      for (int i = 0; i < 25; i++)
        *pixel (&census, x, y) = 2 * *pixel (&census, x, y)
            + (oracle_brightness (view, x + i % 5 - 2, y + i / 5 - 2) > own);
    }
  }
  return census;
}

/* Number of different bits. */
static int
oracle_differences (double a, double b)
{
  unsigned bits = (unsigned) a ^ (unsigned) b;
  int n = 0;

  for (; bits != 0; bits /= 2)
    n += bits % 2;
  return n;
}

/* Offsets of the displacements that a pixel selects from, and what is added to
 * dx. */
static int
oracle_candidates (int candidates[21][3])
{
  static const int around[8][2] = {
    {1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}, {1, -1}, {-1, 1}
  };
  int n = 1;

  memset (candidates, 0, 21 * sizeof (candidates[0]));
  for (int radius = 3; radius <= 6; radius += 3) {
    for (int i = 0; i < 8; i++, n++) {
      candidates[n][0] = radius * around[i][0];
      candidates[n][1] = radius * around[i][1];
    }
  }
  for (int way = 1; way <= 2; way++) {
    candidates[n++][2] = way;
    candidates[n++][2] = -way;
  }
  return n;
}

/* The errors of all pixels with a candidate. */
static void
oracle_errors (const Image census[2], const int c[3], const Image field[3],
    Image * errors)
{
  int width = errors->width, height = errors->height;

  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) {
      double dx = single (*pixel (&field[0], x + c[0], y + c[1]) + c[2]);
      double dy = *pixel (&field[1], x + c[0], y + c[1]);
      double at_x = single (x + dx), at_y = single (y + dy);

      *pixel (errors, x, y) = at_x < -0.5 || at_x >= width - 0.5
          || at_y < -0.5 || at_y >= height - 0.5 ? 24
          : oracle_differences (*pixel (&census[0], x, y), *pixel (&census[1],
              (int) floor (oracle_target (x, dx, width) + 0.5),
              (int) floor (oracle_target (y, dy, height) + 0.5)));
    }
  }
}

static void
oracle_selection (const Image census[2], Image field[3])
{
  int width = field[0].width, height = field[0].height, candidates[21][3];
  int n = oracle_candidates (candidates);
  Image errors = image_new (width, height), best = image_new (width, height);
  Image next[3];

  for (int c = 0; c < 3; c++)
    next[c] = image_new (width, height);
  for (int k = 0; k < n; k++) {
    oracle_errors (census, candidates[k], field, &errors);
    for (int y = 0; y < height; y++) {
      for (int x = 0; x < width; x++) {
        double sum = 0;

        for (int i = 0; i < 25; i++)
          sum += *pixel (&errors, x + i % 5 - 2, y + i / 5 - 2);
        if (k > 0 && sum >= *pixel (&best, x, y))
          continue;
        *pixel (&best, x, y) = sum;
        for (int c = 0; c < 3; c++)
          *pixel (&next[c], x, y) = single (*pixel (&field[c],
                  x + candidates[k][0], y + candidates[k][1])
              + (c == 0 ? candidates[k][2] : 0));
      }
    }
  }
  for (int c = 0; c < 3; c++) {
    free (field[c].v);
    field[c] = next[c];
  }
  free (errors.v);
  free (best.v);
}

static void
oracle_selections (const Settings * s, const Image left[3],
    const Image right[3], Image field[3])
{
  Image census[2] = { oracle_census (left), oracle_census (right) };

  for (int i = 0; i < s->passes; i++)
    oracle_selection (census, field);
  free (census[0].v);
  free (census[1].v);
}

static double
oracle_step (const Settings * s, int done, int iterations)
{
  int half = iterations / 2, k = half - done / 2;
  double part;

  if (done < 2 || k >= 7 || half < 2)
    return single (s->max_step);
  part = single (single (single ((k - 1) * (double) 0.9f) / (half - 1))
      + single (0.1));
  if (part < single (0.01))
    part = single (0.01);
  return single (single (s->max_step) * part);
}

/* Fills field with dx, dy and the confidence, before the check. direction is -1
 * if the views are exchanged. */
static void
oracle_search (const Settings * s, int direction, const TestImage * left,
    const TestImage * right, bool color, Image field[3])
{
  static const double factor[3] = { 2.5, 3.5, 1.5 };
  Image view[2][20][3];
  int n = 1, nearest = limit_to (0, s->min, s->min + s->n - 1);

  for (int side = 0; side < 2; side++) {
    const TestImage *image = side ? right : left;
    int width = image->image.width, height = image->image.height;

    for (int c = 0; c < 3; c++) {
      view[side][0][c] = image_new (width, height);
      for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
          int rgb[3] = { 0 };

          if (color)
            test_image_rgb (image, x, y, rgb);
          else
            rgb[c] = test_image_luma (image, false, x, y);
          *pixel (&view[side][0][c], x, y) = ceil (factor[c] * rgb[c]);
        }
      }
    }
    for (n = 1; s->levels == 0 || n < s->levels; n++) {
      const Image *before = view[side][n - 1];

      if (floor (before->width / sqrt (2)) < 24
          || floor (before->height / sqrt (2)) < 24)
        break;
      for (int c = 0; c < 3; c++)
        view[side][n][c] = oracle_smaller (&before[c]);
    }
  }

  for (int l = n - 1; l >= 0; l--) {
    const Image *lv = view[0][l], *rv = view[1][l];
    int width = lv->width, height = lv->height;
    int iterations = s->max_iterations;

    if (l == n - 1) {
      for (int c = 0; c < 3; c++)
        field[c] = image_new (width, height);
      for (int p = 0; p < width * height; p++)
        field[0].v[p] = single (-nearest * direction * single ((double) width
                / view[0][0]->width));
    } else {
      double sx = single ((double) width / field[0].width);
      double sy = single ((double) height / field[0].height);

      field[0] = oracle_larger (&field[0], width, height, sx);
      field[1] = oracle_larger (&field[1], width, height, sy);
      field[2] = oracle_larger (&field[2], width, height, 1);
    }
    if (l <= 5 && s->fine_iterations * (l + 1) < iterations)
      iterations = s->fine_iterations * (l + 1);
    for (int m = 0; m < iterations; m++) {
      oracle_iteration (s, lv, rv, oracle_step (s, m, iterations),
          l == n - 1 && m == 0, field);
      for (int i = 0; i < (l < 2 ? s->fine_diffusion : s->diffusion); i++)
        oracle_diffusion (field);
      for (int c = 0; c < 3; c++)
        oracle_mean (&field[c]);
    }
    oracle_selections (s, lv, rv, field);
  }
  for (int l = 0; l < n; l++) {
    for (int c = 0; c < 6; c++)
      free (view[c / 3][l][c % 3].v);
  }
}

/* Left-right consistency check within lr_max_diff pixels. */
static bool
oracle_agrees (const Settings * s, Image field[3], Image back[3], int x,
    int y)
{
  double dx = *pixel (&field[0], x, y), dy = *pixel (&field[1], x, y);
  double at_x = single (x + dx), at_y = single (y + dy);
  int qx = (int) floor (oracle_target (x, dx, field[0].width) + 0.5);
  int qy = (int) floor (oracle_target (y, dy, field[0].height) + 0.5);

  return at_x >= -0.5 && at_x < field[0].width - 0.5 && at_y >= -0.5
      && at_y < field[0].height - 0.5
      && fabs (single (dx + *pixel (&back[0], qx, qy))) <= s->lr_max_diff
      && fabs (single (dy + *pixel (&back[1], qx, qy))) <= s->lr_max_diff;
}

/* Fills vertical displacements of holes with that of the nearest valid pixel on
 * the left or on the right, whichever points further to the right. */
static void
oracle_fill (Image field[3])
{
  int width = field[0].width;

  for (int y = 0; y < field[0].height; y++) {
    for (int x = 0; x < width; x++) {
      int l = x, r = x, from;

      while (l >= 0 && *pixel (&field[2], l, y) == 0)
        l--;
      while (r < width && *pixel (&field[2], r, y) == 0)
        r++;
      if (l == x || (l < 0 && r == width))
        continue;
      from = l < 0 ? r : r == width ? l
          : *pixel (&field[0], r, y) > *pixel (&field[0], l, y) ? r : l;
      *pixel (&field[1], x, y) = *pixel (&field[1], from, y);
    }
  }
}

/* The disparity in sixteenths of a pixel, from the start of the range. */
static int
oracle_code (const Settings * s, double dx)
{
  double v = floor (single (single (single (-dx - s->min) * 16) + 0.5));

  return v < 0 ? 0 : v > 16 * (s->n - 1) ? 16 * (s->n - 1) : (int) v;
}

/* Codes of all pixels, -1 where there is none.  Holes take the lower code of
 * the nearest valid pixels to their left and right; rows without any that of
 * the row above, or of the first row that has some. */
static void
oracle_codes (const Settings * s, Image field[3], Image * codes)
{
  int width = codes->width, height = codes->height, first = -1;

  for (int i = 0; i < width * height; i++)
    codes->v[i] = field[2].v[i] == 0 ? -1 : oracle_code (s, field[0].v[i]);
  for (int y = 0; s->fill && y < height; y++) {
    bool any = false;

    for (int x = 0; x < width; x++) {
      int l = x, r = x;

      if (field[2].v[y * width + x] != 0) {
        any = true;
        continue;
      }
      while (l >= 0 && field[2].v[y * width + l] == 0)
        l--;
      while (r < width && field[2].v[y * width + r] == 0)
        r++;
      if (l >= 0)
        *pixel (codes, x, y) = oracle_code (s, field[0].v[y * width + l]);
      if (r < width && (l < 0 || oracle_code (s, field[0].v[y * width + r])
              < *pixel (codes, x, y)))
        *pixel (codes, x, y) = oracle_code (s, field[0].v[y * width + r]);
    }
    if (any && first < 0)
      first = y;
    for (int x = 0; x < width && !any && first >= 0; x++)
      *pixel (codes, x, y) = *pixel (codes, x, y - 1);
  }
  for (int i = 0; i < first * width; i++)
    codes->v[i] = codes->v[first * width + i % width];
}

static void
oracle (const Settings * s, const TestImage * left, const TestImage * right,
    bool color, Image field[3])
{
  Image back[3];

  oracle_search (s, 1, left, right, color, field);
  if (s->lr_max_diff < 0)
    return;
  oracle_search (s, -1, right, left, color, back);
  for (int y = 0; y < field[0].height; y++) {
    for (int x = 0; x < field[0].width; x++) {
      if (!oracle_agrees (s, field, back, x, y))
        *pixel (&field[2], x, y) = 0;
    }
  }
  if (s->fill)
    oracle_fill (field);
  for (int c = 0; c < 3; c++)
    free (back[c].v);
}

/* ---------------------------------------------------------------- matching */

typedef struct
{
  int width, height;
  StereoFormat left, right;
  Fill fill;
  Settings s;
} Case;

static const Case usual = {
  70, 57, STEREO_FORMAT_RGB, STEREO_FORMAT_RGB, FILL_SHIFTED,
  {0, 22, 2, 5, 10, true, 1.0, 16, 0, 1, true, 2}
};

#define SCALE 256

static StereoParams *
case_params (const Case * c)
{
  return params_new ("pyramid", "levels", (double) c->s.levels,
      "max-iterations", (double) c->s.max_iterations,
      "fine-iterations", (double) c->s.fine_iterations,
      "diffusion", (double) c->s.diffusion,
      "fine-diffusion", (double) c->s.fine_diffusion,
      "vertical-search", (double) c->s.vertical, "max-step", c->s.max_step,
      "num-disparities", (double) c->s.n,
      "min-disparity", (double) c->s.min, "lr-max-diff",
      (double) c->s.lr_max_diff, "fill", (double) c->s.fill,
      "selection-passes", (double) c->s.passes, "speckle-size", 0.0,
      "refine", 0.0,
      "disparity-scale", (double) SCALE,
      "invalid-value", 65535.0, NULL);
}

/* The three results. */
typedef struct
{
  TestImage map[STEREO_N_RESULTS];
} Maps;

static void
maps_init (Maps * maps, int width, int height)
{
  for (int r = 0; r < STEREO_N_RESULTS; r++)
    test_image_init (&maps->map[r], STEREO_FORMAT_GRAY16_LE, width, height,
        (size_t) (2 * r));
}

static void
maps_clear (Maps * maps)
{
  for (int r = 0; r < STEREO_N_RESULTS; r++)
    test_image_clear (&maps->map[r]);
}

static void
match_all (size_t device, const StereoParams * params,
    const TestImage * left, const TestImage * right, Maps * maps)
{
  TestImage *const results[STEREO_N_RESULTS] = { &maps->map[0], &maps->map[1],
    &maps->map[2]
  };

  match_results (device, params, "pyramid", left, right, results);
}

/* floor (value * scale + offset + 0.5) in single precision, clamped */
static void
put_value (TestImage * map, int x, int y, double value, double scale,
    double offset, int highest, int invalid)
{
  double code = floor (single (single (single (value * scale) + offset)
          + 0.5));
  int v = code < 0 ? 0 : code > highest ? highest : (int) code;

  put_code (map, x, y, (unsigned) (v == invalid ? v - 1 : v));
}

/* Without check and holes, real numbers are encoded and the confidence is the
 * method's.  Otherwise the chain works on codes, and has its own confidence. */
static bool
is_refined (const Case * c)
{
  return c->s.lr_max_diff >= 0 || !c->s.fill;
}

static void
expected_maps (const Case * c, const TestImage * left,
    const TestImage * right, Maps * maps)
{
  TestImage *disparity = &maps->map[STEREO_RESULT_DISPARITY];
  double scale = c->s.n > 1 ? SCALE : 0;
  Image codes = image_new (c->width, c->height), field[3];

  oracle (&c->s, left, right, format_has_color (c->left)
      && format_has_color (c->right), field);
  oracle_codes (&c->s, field, &codes);
  for (int y = 0; y < c->height; y++) {
    for (int x = 0; x < c->width; x++) {
      double code = *pixel (&codes, x, y);

      if (!is_refined (c))
        put_value (disparity, x, y, -*pixel (&field[0], x, y), scale,
            -c->s.min * scale, (c->s.n - 1) * SCALE, 65535);
      else
        put_code (disparity, x, y, code < 0 ? 65535
            : (unsigned) code * SCALE / 16);
      if (c->s.fill || *pixel (&field[2], x, y) > 0)
        put_value (&maps->map[STEREO_RESULT_VERTICAL], x, y,
            -*pixel (&field[1], x, y), SCALE, 32768, 65535, 65535);
      else
        put_code (&maps->map[STEREO_RESULT_VERTICAL], x, y, 65535);
      put_value (&maps->map[STEREO_RESULT_CONFIDENCE], x, y,
          *pixel (&field[2], x, y), 65535, 0, 65535, -1);
    }
  }
  for (int i = 0; i < 3; i++)
    free (field[i].v);
  free (codes.v);
}

/* Compares all devices with the oracle. */
static void
check_against (const Case * c, Random * random)
{
  SCOPED_IMAGE left, right;
  Maps maps, expected;
  SCOPED_PARAMS *params = case_params (c);

  CASE_IMAGES (c, &left, &right, random);
  maps_init (&maps, c->width, c->height);
  maps_init (&expected, c->width, c->height);
  expected_maps (c, &left, &right, &expected);
  for (size_t d = 0; d < devices_count (); d++) {
    match_all (d, params, &left, &right, &maps);
    for (int r = 0; r < STEREO_N_RESULTS; r++) {
      const char *difference = r == STEREO_RESULT_CONFIDENCE
          && is_refined (c) ? NULL : first_difference (&maps.map[r],
          &expected.map[r]);

      char where[80];

      snprintf (where, sizeof (where), "%s, %s",
          stereo_device_name (devices_get (d)),
          stereo_result_name ((StereoResult) r));
      report_difference ("pyramid", params, &left, &right, where, difference);
    }
  }
  maps_clear (&maps);
  maps_clear (&expected);
}

/* -------------------------------------------------------------------- tests */

static const Views views = {
  70, 57, STEREO_FORMAT_GRAY8, STEREO_FORMAT_GRAY8, 16, 0, FILL_SHIFTED
};

static void
check_views (const Views * v, int i, Random * random)
{
  Case c = usual;

  c.width = v->width;
  c.height = v->height < 40 ? 40 : v->height;
  c.left = v->left;
  c.right = v->right;
  c.fill = v->fill;
  c.s.n = v->n;
  c.s.min = v->min;
  c.s.vertical = i % 2;
  check_against (&c, random);
}

VIEWS_TEST (test_fills, each_fill, views, check_views)
VIEWS_TEST (test_disparities, each_range, views, check_views)
VIEWS_TEST (test_formats, each_format, views, check_views)

TEST (test_sizes)
{
  static const int sizes[][2] = {
    {1, 1}, {1, 9}, {9, 1}, {2, 2}, {3, 5}, {23, 200}, {33, 34}, {34, 33},
    {35, 34}, {31, 32}, {64, 64}, {48, 90}, {129, 49}, {1, 300}, {300, 2},
    {257, 24}, {258, 25}, {36, 150}
  };
  Random random = { 2 };

  for (size_t i = 0; i < sizeof (sizes) / sizeof (sizes[0]); i++) {
    Case c = usual;

    c.width = sizes[i][0];
    c.height = sizes[i][1];
    c.fill = i % 2 ? FILL_SHIFTED : FILL_RANDOM;
    c.s.vertical = i % 3 != 2;
    check_against (&c, &random);
  }
}

TEST (test_parameters)
{
  static const Settings sets[] = {
    {1, 22, 2, 5, 10, true, 1.0, 16, 0, -1, true},
    {2, 22, 2, 5, 10, true, 1.0, 16, 0, -1, true},
    {20, 22, 2, 5, 10, true, 1.0, 16, 0, -1, true},
    {0, 1, 2, 5, 10, true, 1.0, 16, 0, -1, true},
    {0, 3, 1, 5, 10, true, 1.0, 16, 0, -1, false},
    {0, 7, 5, 5, 10, false, 1.0, 16, 0, -1, true},
    {2, 25, 50, 5, 1, true, 1.0, 16, 0, -1, true},
    {0, 22, 2, 0, 0, true, 1.0, 16, 0, -1, true},
    {0, 22, 2, 1, 11, true, 1.0, 16, 0, -1, true},
    {0, 4, 1, 50, 20, true, 1.0, 16, 0, -1, true},
    {0, 4, 1, 31, 9, false, 1.0, 16, 0, -1, true},
    {0, 22, 2, 5, 10, true, 4.0, 16, 0, -1, true},
    {0, 22, 2, 5, 10, true, 0.01, 16, 0, -1, true},
    {0, 22, 2, 5, 10, true, 0.3, 16, 0, -1, true},
    {0, 22, 2, 5, 10, true, 1.0, 16, 0, 0, true},
    {0, 22, 2, 5, 10, true, 1.0, 16, 0, 0, false},
    {0, 22, 2, 5, 10, false, 1.0, 16, 3, 1, false},
    {0, 7, 5, 5, 10, false, 1.0, 16, -9, 2, true},
    {0, 22, 2, 1, 1, true, 4.0, 16, 0, 64, false},
    {0, 22, 2, 5, 10, true, 1.0, 16, 0, -1, true, 1},
    {0, 22, 2, 5, 10, false, 1.0, 16, -3, -1, true, 2},
    {0, 4, 2, 2, 2, true, 1.0, 16, 0, -1, true, 5},
    {0, 4, 2, 2, 2, false, 1.0, 16, 0, 1, true, 2},
    {0, 4, 2, 2, 2, true, 1.0, 16, 0, 1, false, 2},
    {0, 4, 2, 0, 0, false, 1.0, 16, 0, 0, true, 3},
  };
  Random random = { 3 };

  for (size_t i = 0; i < sizeof (sets) / sizeof (sets[0]); i++) {
    Case c = usual;

    c.s = sets[i];
    c.fill = i % 2 ? FILL_SHIFTED : FILL_RANDOM;
    check_against (&c, &random);
  }
}

/* Without fill, pixels without a disparity have no vertical one. */
static void
check_vertical (const StereoParams * params, const Maps * maps)
{
  double fill = 0, invalid = 0;
  int n = 0;

  CHECK (stereo_params_get (params, "fill", &fill)
      && stereo_params_get (params, "invalid-value", &invalid));
  for (int y = 0; fill == 0 && y < maps->map[0].image.height; y++) {
    const uint16_t *disparity = (const uint16_t *)
        test_image_row (&maps->map[STEREO_RESULT_DISPARITY], y);
    const uint16_t *vertical = (const uint16_t *)
        test_image_row (&maps->map[STEREO_RESULT_VERTICAL], y);

    for (int x = 0; x < maps->map[0].image.width; x++)
      n += disparity[x] == invalid && vertical[x] != invalid;
  }
  CHECK_INT (n, ==, 0);
}

/* All devices have the same refined maps and confidences. */
static void
check_refined (const StereoParams * params, const TestImage * left,
    const TestImage * right)
{
  const int width = left->image.width, height = left->image.height;
  Maps maps, first;

  maps_init (&maps, width, height);
  maps_init (&first, width, height);
  match_all (0, params, left, right, &first);
  check_vertical (params, &first);
  for (size_t d = 1; d < devices_count (); d++) {
    match_all (d, params, left, right, &maps);
    for (int r = 0; r < STEREO_N_RESULTS; r++)
      report_difference ("pyramid", params, left, right,
          stereo_result_name ((StereoResult) r),
          first_difference (&maps.map[r], &first.map[r]));
  }
  maps_clear (&maps);
  maps_clear (&first);
}

TEST (test_refinement)
{
  static const struct
  {
    double refine, speckles, fill, min_confidence, vertical, n, scale;
  } sets[] = {
    {0, 50, 1, 0, 0, 16, 256},
    {1, 0, 1, 0, 1, 16, 16},
    {1, 20, 1, 0.5, 0, 16, 256},
    {2, 50, 1, 0, 0, 16, 16},
    {2, 50, 1, 0.8, 1, 40, 16},
    {2, 0, 0, 0.6, 1, 16, 16},
    {0, 100, 0, 0, 1, 16, 16},
    {2, 10, 1, 0, 1, 9000, 4},
  };
  Random random = { 5 };

  for (size_t i = 0; i < sizeof (sets) / sizeof (sets[0]); i++) {
    Case c = usual;
    SCOPED_IMAGE left, right;
    SCOPED_PARAMS *params = params_new ("pyramid", "refine", sets[i].refine,
        "speckle-size", sets[i].speckles, "fill", sets[i].fill,
        "min-confidence", sets[i].min_confidence, "vertical-search",
        sets[i].vertical, "num-disparities", sets[i].n, "disparity-scale",
        sets[i].scale, NULL);

    c.width = 150;
    c.height = 90;
    c.fill = i % 2 ? FILL_SHIFTED : FILL_RANDOM;
    CASE_IMAGES (&c, &left, &right, &random);
    check_refined (params, &left, &right);
  }
}

/* As large as a GPU needs to have work for all multiprocessors. */
TEST (test_large_images)
{
  Random random = { 6 };
  SCOPED_PARAMS *params = params_new ("pyramid", "num-disparities", 16.0, NULL);
  SCOPED_IMAGE left, right;
  Case c = usual;

  c.width = 700;
  c.height = 660;
  c.fill = FILL_SHIFTED;
  CASE_IMAGES (&c, &left, &right, &random);
  check_refined (params, &left, &right);
}

/* A continuous texture: waves of 4 to 60 pixels in all directions, the short
 * ones with larger amplitudes.  Short waves run diagonally, so that rows and
 * columns have contrast alike. */
static double
texture (double x, double y)
{
  double sum = 0;

  for (int i = 0; i < 24; i++) {
    double angle = 0.785 + i * 2.39996, length = 4 + 2.4 * i;

    sum += cos (6.2831853 * (x * cos (angle) + y * sin (angle)) / length
        + i * i) * (i < 4 ? 16 : 3);
  }
  return sum;
}

static void
fill_texture (const TestImage * image, double dx, double dy)
{
  size_t bytes = format_bytes (image->image.format);

  for (int y = 0; y < image->image.height; y++) {
    for (size_t i = 0; i < image->row_bytes; i++) {
      double v = floor (128.5 + texture ((double) (i / bytes) + dx
              + 9.0 * (double) (i % bytes), y + dy));

      test_image_row (image, y)[i] = (uint8_t) (v < 0 ? 0 : v > 255 ? 255 : v);
    }
  }
}

/* The method of the paper, whose displacements are the finest. */
static StereoParams *
shift_params (bool vertical)
{
  return params_new ("pyramid", "num-disparities", 40.0, "min-disparity",
      -20.0, "disparity-scale", (double) SCALE, "max-iterations", 22.0,
      "vertical-search", (double) vertical, "diffusion", 5.0,
      "fine-diffusion", 10.0, "selection-passes", 0.0, "refine", 0.0,
      "lr-max-diff", -1.0, "speckle-size", 0.0, NULL);
}

/* The right view is the left one shifted by whole and fractional pixels. */
static void
check_shift (size_t device, StereoFormat format, double dx, double dy,
    bool vertical)
{
  const int width = 320, height = 240, border = 30;
  SCOPED_IMAGE left, right;
  Maps maps;
  StereoParams *params = shift_params (vertical);
  double worst_x = 0, worst_y = 0, least = 1;

  test_image_init (&left, format, width, height, 0);
  test_image_init (&right, format, width, height, 0);
  maps_init (&maps, width, height);
  fill_texture (&left, 0, 0);
  fill_texture (&right, dx, dy);
  match_all (device, params, &left, &right, &maps);
  for (int y = border; y < height - border; y++) {
    for (int x = border; x < width - border; x++) {
      double ex = fabs (code_at (&maps.map[STEREO_RESULT_DISPARITY], x, y)
          / (double) SCALE - 20 - dx);
      double ey = fabs ((code_at (&maps.map[STEREO_RESULT_VERTICAL], x, y)
              - 32768) / (double) SCALE - dy);
      double c = code_at (&maps.map[STEREO_RESULT_CONFIDENCE], x, y) / 65535.0;

      worst_x = ex > worst_x ? ex : worst_x;
      worst_y = ey > worst_y ? ey : worst_y;
      least = c < least ? c : least;
    }
  }
  printf ("  %6.2f, %6.2f: errors up to %.3f, %.3f, confidence from %.3f\n",
      dx, dy, worst_x, worst_y, least);
  CHECK_DOUBLE (worst_x, <, 0.1);
  CHECK_DOUBLE (worst_y, <, 0.1);
  CHECK_DOUBLE (least, >, 0.9);
  stereo_params_free (&params);
  maps_clear (&maps);
}

TEST (test_shifts)
{
  static const double shifts[][2] = {
    {0, 0}, {1, 0}, {-1, 0}, {4, 0}, {10, 0}, {-10, 0}, {0, 3}, {0, -10},
    {10, 10}, {-7, 5}, {0.5, 0}, {2.25, 0}, {-3.7, 0}, {9.9, 0}, {0, 0.5},
    {0, -6.3}, {5.5, -4.5}, {-8.2, 9.6}
  };
  size_t last = devices_count () - 1;

  for (size_t i = 0; i < sizeof (shifts) / sizeof (shifts[0]); i++) {
    double dx = shifts[i][0], dy = shifts[i][1];

    check_shift (last, STEREO_FORMAT_GRAY8, dx, dy, true);
    check_shift (last, STEREO_FORMAT_RGB, dx, dy, true);
    if (dy == 0)
      check_shift (last, STEREO_FORMAT_RGB, dx, 0, false);
  }
}

/* Vertical displacements and the confidence must be 0; horizontal ones too if
 * `still`. */
static void
check_blank (const TestImage * left, const TestImage * right, bool still)
{
  const int width = left->image.width, height = left->image.height;
  Case c = usual;
  Maps maps;
  StereoParams *params;

  /* the confidence of the search */
  c.s.lr_max_diff = -1;
  params = case_params (&c);
  maps_init (&maps, width, height);
  for (size_t d = 0; d < devices_count (); d++) {
    match_all (d, params, left, right, &maps);
    for (int i = 0; i < width * height; i++) {
      int x = i % width, y = i / width;

      if (still)
        CHECK_INT (code_at (&maps.map[STEREO_RESULT_DISPARITY], x, y), ==, 0);
      CHECK_INT (code_at (&maps.map[STEREO_RESULT_VERTICAL], x, y), ==, 32768);
      CHECK_INT (code_at (&maps.map[STEREO_RESULT_CONFIDENCE], x, y), <=,
          65535 / 6);
    }
  }
  stereo_params_free (&params);
  maps_clear (&maps);
}

/* Without texture displacements are 0 and the confidence is low. */
TEST (test_no_texture)
{
  static const int levels[][2] = {
    {0, 0}, {255, 255}, {128, 128}, {0, 255}, {255, 0}, {1, 0}, {90, 91}
  };

  for (size_t i = 0; i < sizeof (levels) / sizeof (levels[0]); i++) {
    SCOPED_IMAGE left, right;

    test_image_init (&left, STEREO_FORMAT_RGB, 100, 80, 0);
    test_image_init (&right, STEREO_FORMAT_RGB, 100, 80, 0);
    memset (left.image.plane[0], levels[i][0], 100 * 80 * 3);
    memset (right.image.plane[0], levels[i][1], 100 * 80 * 3);
    check_blank (&left, &right, true);
  }
}

/* One view black: displacements stay bounded, with low confidence. */
TEST (test_one_view_black)
{
  Random random = { 8 };

  for (int side = 0; side < 2; side++) {
    Case c = usual;
    SCOPED_IMAGE left, right;

    CASE_IMAGES (&c, &left, &right, &random);
    for (int y = 0; y < c.height; y++)
      memset (test_image_row (side ? &right : &left, y), 0,
          (size_t) (3 * c.width));
    check_blank (&left, &right, false);
  }
}

KERNEL_MAIN (bench (ALGORITHM, argc, argv))
