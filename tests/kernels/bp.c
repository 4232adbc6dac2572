/* gst-stereomatching: tests of bp on all devices
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "bp-paper.h"
#include "cases.h"
#include "minima.h"
#include "core/testing-cuda.h"

#include <math.h>

enum
{
  INT8,
  HALF,
  FLOAT
};

enum
{
  CENSUS,
  LUMA,
  RGB
};

/* ------------------------------------------------------------------- oracle */

/*
 * An independent implementation of the integer arithmetic in
 * docs/algorithms/bp.md, pixel by pixel.  It shares no code with the library.
 * Messages are stored at the receiver, and minima are taken over all pairs of
 * disparities.
 */

typedef struct
{
  int width, height, n, min;    /* disparities with a valid column only */
  int first;                    /* index of the first of them */
  int iterations, levels, precision, cost;
  bool color;                   /* whether the cost uses colour */
  double smoothing, edge_scale;
  long limit, gain, top, m, jump;
} Oracle;

typedef struct
{
  int w, h;
  int (*pixel)[3];              /* of the left view; grey for luma costs */
  long *data;
  long *from[4];                /* from below, above, right, left */
} Level;

static long
nearest (double x)
{
  return (long) floor (x + 0.5);
}

/* Rounds to 11 significant bits, using floating-point rounding of the host. */
static long
eleven_bits (long x)
{
  int exponent;
  double mantissa = frexp ((double) x, &exponent);

  return (long) ldexp (nearbyint (ldexp (mantissa, 11)), exponent - 11);
}

static void
oracle_init (Oracle * o, const StereoParams * params, bool color, int width,
    int height)
{
  static const double steps[] = { 255, 4088, 1048576 };
  static const double cost_steps[] = { 254, 255, 32768 };
  static const long tops[] = { 16383, 16376, 4194304 };
  int n = (int) param (params, "num-disparities"), end = n;
  double truncation = param (params, "max-disc-term");
  double slope = param (params, "disc-single-jump"), cost, unit, one = 256;

  memset (o, 0, sizeof (*o));
  o->width = width;
  o->height = height;
  o->min = (int) param (params, "min-disparity");
  while (o->first < n && o->min + o->first <= -width)
    o->first++;
  while (end > o->first && o->min + end - 1 >= width)
    end--;
  o->min += o->first;
  o->n = end - o->first;
  o->iterations = (int) param (params, "iterations");
  o->levels = (int) param (params, "levels");
  o->precision = (int) param (params, "precision");
  o->smoothing = param (params, "smoothing");
  o->edge_scale = param (params, "edge-scale");
  o->cost = (int) param (params, "cost");
  o->color = color && (o->edge_scale > 0 || o->cost == RGB);
  if (o->cost == RGB && !o->color)
    o->cost = LUMA;
  o->top = tops[o->precision];

  if (!(truncation > 0))
    truncation = n / 7.5;
  /* 1/8 bit, 1/256 level, 1/256 level of the sum of three channels */
  if (o->cost != LUMA)
    one = o->cost == CENSUS ? 8 : 3 * 256;
  o->limit = nearest (one * param (params, "max-data-term"));
  if (o->cost == CENSUS && o->limit > 248)
    o->limit = 248;
  cost = param (params, "data-weight") * (double) o->limit / one;
  unit = truncation / steps[o->precision];
  if (cost / cost_steps[o->precision] > unit)
    unit = cost / cost_steps[o->precision];
  if (cost > 0 && cost / 8 < unit)
    unit = cost / 8;
  if (unit < 1e-300)
    unit = 1e-300;
  if (slope / unit > steps[o->precision]) {
    o->jump = (long) steps[o->precision];
  } else if (slope >= unit) {
    o->jump = (long) (slope / unit);
    unit = slope / (double) o->jump;
  } else {
    o->jump = slope > 0;
  }
  o->m = nearest (truncation / unit);
  if ((double) o->m > steps[o->precision] || truncation / unit > 2e9)
    o->m = (long) steps[o->precision];
  if (o->limit > 0)
    o->gain = nearest (cost / unit / (double) o->limit * 65536);
}

static long
stored (const Oracle * o, long x)
{
  return o->precision == HALF ? eleven_bits (x) : x;
}

/* 256 times luma, after the Gaussian filter. */
static long *
oracle_view (const Oracle * o, const TestImage * image)
{
  size_t pixels = (size_t) (o->width * o->height);
  long *rows = malloc (pixels * sizeof (long));
  long *view = malloc (pixels * sizeof (long));
  long tap[64] = { 65536 };
  int reach = 0;

  REQUIRE (rows && view);
  if (o->smoothing >= 0.1) {
    double total = 1;

    reach = (int) ceil (4 * o->smoothing);
    for (int i = 1; i <= reach; i++)
      total += 2 * exp (-0.5 * (i / o->smoothing) * (i / o->smoothing));
    for (int i = 1; i <= reach; i++) {
      tap[i] = nearest (65536 * exp (-0.5 * (i / o->smoothing) * (i
                  / o->smoothing)) / total);
      tap[0] -= 2 * tap[i];
    }
  }
  for (int y = 0; y < o->height; y++) {
    for (int x = 0; x < o->width; x++) {
      long sum = 128;

      for (int i = -reach; i <= reach; i++)
        sum += tap[abs (i)]
            * test_image_luma (image, o->color, limit_to (x + i, 0,
                    o->width - 1), y);
      rows[y * o->width + x] = sum / 256;
    }
  }
  for (int y = 0; y < o->height; y++) {
    for (int x = 0; x < o->width; x++) {
      long sum = 32768;

      for (int i = -reach; i <= reach; i++)
        sum += tap[abs (i)]
            * rows[limit_to (y + i, 0, o->height - 1) * o->width + x];
      view[y * o->width + x] = sum / 65536;
    }
  }
  free (rows);
  return view;
}

/* change: difference between the sending and the receiving pixel. */
static void
oracle_message (const Oracle * o, const long *a, const long *b, const long *c,
    const long *data, int change, long *target, long *h)
{
  double weight = 1;
  long least = 0, m, jump;
  int reach;

  if (o->edge_scale > 0)
    weight = 1 / (1 + change / o->edge_scale);
  weight = weight < 0.1 ? 0.1 : weight;
  m = stored (o, nearest (weight * (double) o->m));
  jump = nearest (weight * (double) o->jump);
  jump = jump > m ? m : jump;
  /* larger disparity differences are truncated at m */
  reach = jump > 0 ? (int) (m / jump) + 1 : o->n;

  for (int v = 0; v < o->n; v++) {
    h[v] = a[v] + b[v] + c[v] + data[v];
    least = v == 0 || h[v] < least ? h[v] : least;
  }
  for (int v = 0; v < o->n; v++) {
    long best = m;

    for (int w = limit_to (v - reach, 0, v); w < o->n && w <= v + reach; w++) {
      long sum = h[w] - least + jump * labs ((long) (v - w));

      best = sum < best ? sum : best;
    }
    target[v] = stored (o, best);
  }
}

/* Largest channel difference between two pixels of a level. */
static int
change (const Level * level, int x, int y, int x2, int y2)
{
  const int *a = level->pixel[y * level->w + x];
  const int *b = level->pixel[y2 * level->w + x2];
  int most = 0;

  for (int c = 0; c < 3; c++)
    most = abs (a[c] - b[c]) > most ? abs (a[c] - b[c]) : most;
  return most;
}

static void
oracle_level (const Oracle * o, Level * level)
{
  SCOPED (free_scoped) long *h = malloc ((size_t) o->n * sizeof (long));
  int n = o->n, row = level->w * n;

  REQUIRE (h != NULL);
  for (int t = 0; t < o->iterations; t++) {
    for (int y = 1; y <= level->h - 2; y++) {
      for (int x = 1; x <= level->w - 2; x++) {
        int at = (y * level->w + x) * n;
        long *in[4];

        if ((x + y + t) % 2 == 0)
          continue;
        for (int side = 0; side < 4; side++)
          in[side] = level->from[side] + at;
        oracle_message (o, in[0], in[2], in[3], level->data + at,
            change (level, x, y, x, y - 1), in[0] - row, h);
        oracle_message (o, in[1], in[2], in[3], level->data + at,
            change (level, x, y, x, y + 1), in[1] + row, h);
        oracle_message (o, in[0], in[1], in[2], level->data + at,
            change (level, x, y, x - 1, y), in[2] - n, h);
        oracle_message (o, in[0], in[1], in[3], level->data + at,
            change (level, x, y, x + 1, y), in[3] + n, h);
      }
    }
  }
}

static Level
new_level (const Oracle * o, int w, int h)
{
  Level level = { w, h };
  size_t volume = (size_t) (w * h) * (size_t) o->n;

  level.data = calloc (volume + 1, sizeof (long));
  level.pixel = calloc ((size_t) (w * h), sizeof (*level.pixel));
  REQUIRE (level.data != NULL && level.pixel != NULL);
  for (int side = 0; side < 4; side++) {
    level.from[side] = calloc (volume + 1, sizeof (long));
    REQUIRE (level.from[side] != NULL);
  }
  return level;
}

static void
free_level (Level * level)
{
  free (level->data);
  free (level->pixel);
  for (int side = 0; side < 4; side++)
    free (level->from[side]);
}

/* A pixel's outgoing messages are those of its parent. */
static void
oracle_inherit (const Oracle * o, const Level * parent, Level * level)
{
  static const int dx[] = { 0, 0, 1, -1 }, dy[] = { 1, -1, 0, 0 };

  for (int side = 0; side < 4; side++) {
    for (int y = 0; y < level->h; y++) {
      for (int x = 0; x < level->w; x++) {
        int xs = x + dx[side], ys = y + dy[side];
        int xp = xs / 2 - dx[side], yp = ys / 2 - dy[side];

        if (xs >= 0 && ys >= 0 && xs < level->w && ys < level->h
            && xp >= 0 && yp >= 0 && xp < parent->w && yp < parent->h)
          memcpy (level->from[side] + (y * level->w + x) * o->n,
              parent->from[side] + (yp * parent->w + xp) * o->n,
              (size_t) o->n * sizeof (long));
      }
    }
  }
}

/* Luma; the border repeats outside the image. */
static int
luma (const Oracle * o, const TestImage * image, int x, int y)
{
  return test_image_luma (image, o->color, limit_to (x, 0, o->width - 1),
      limit_to (y, 0, o->height - 1));
}

/* Difference of the 5x5 census and gradient of two pixels. */
static long
census (const Oracle * o, const TestImage * left, const TestImage * right,
    int xl, int xr, int y)
{
  int bits = 0, levels;

  for (int j = -2; j <= 2; j++) {
    for (int i = -2; i <= 2; i++) {
      bool l = luma (o, left, xl + i, y + j) < luma (o, left, xl, y);
      bool r = luma (o, right, xr + i, y + j) < luma (o, right, xr, y);

      bits += l != r;
    }
  }
  levels = abs ((luma (o, left, xl + 1, y) - luma (o, left, xl - 1, y) + 256)
      / 2 - (luma (o, right, xr + 1, y) - luma (o, right, xr - 1, y) + 256)
      / 2);
  return 8 * bits + 7 * (levels < 8 ? levels : 8);
}

static long
channels (const TestImage * left, const TestImage * right, int xl, int xr,
    int y)
{
  int l[3], r[3];

  test_image_rgb (left, xl, y, l);
  test_image_rgb (right, xr, y, r);
  return 256 * (abs (l[0] - r[0]) + abs (l[1] - r[1]) + abs (l[2] - r[2]));
}

static void
oracle_data (const Oracle * o, const TestImage * left,
    const TestImage * right, Level * level)
{
  long *l = oracle_view (o, left), *r = oracle_view (o, right);

  for (int y = 0; y < o->height; y++) {
    for (int x = 0; x < o->width; x++) {
      int *pixel = level->pixel[y * o->width + x];

      pixel[0] = pixel[1] = pixel[2] = luma (o, left, x, y);
      if (o->color)
        test_image_rgb (left, x, y, pixel);
      for (int v = 0; v < o->n; v++) {
        int d = o->min + v;
        int xl = limit_to (x, d > 0 ? d : 0, o->width - 1 + (d < 0 ? d : 0));
        long t = labs (l[y * o->width + xl] - r[y * o->width + xl - d]);

        if (o->cost == CENSUS)
          t = census (o, left, right, xl, xl - d, y);
        else if (o->cost == RGB)
          t = channels (left, right, xl, xl - d, y);
        t = t < o->limit ? t : o->limit;
        level->data[(y * o->width + x) * o->n + v] =
            nearest ((double) (t * o->gain) / 65536);
      }
    }
  }
  free (l);
  free (r);
}

static void
oracle_sum (const Oracle * o, const Level * below, Level * level)
{
  for (int y = 0; y < below->h; y++)
    for (int x = 0; x < below->w; x++)
      for (int v = 0; v < o->n; v++)
        level->data[(y / 2 * level->w + x / 2) * o->n + v] +=
            below->data[(y * below->w + x) * o->n + v];
  for (int p = 0; p < level->w * level->h; p++) {
    long *data = level->data + p * o->n, least = data[0];

    for (int v = 0; v < o->n; v++)
      least = data[v] < least ? data[v] : least;
    for (int v = 0; v < o->n; v++) {
      data[v] -= least;
      data[v] = stored (o, data[v] < o->top ? data[v] : o->top);
    }
  }
  for (int y = 0; y < level->h; y++) {
    for (int x = 0; x < level->w; x++) {
      for (int c = 0; c < 3; c++) {
        int sum = 2;

        for (int i = 0; i < 4; i++)
          sum += below->pixel[limit_to (2 * y + i / 2, 0, below->h - 1)
              * below->w + limit_to (2 * x + i % 2, 0, below->w - 1)][c];
        level->pixel[y * level->w + x][c] = sum / 4;
      }
    }
  }
}

/* The belief of pixel (x, y) in disparity v. */
static long
belief (const Oracle * o, const Level * level, int x, int y, int v)
{
  bool messages = o->width > 2 && o->height > 2;
  int xi = messages ? limit_to (x, 1, o->width - 2) : x;
  int yi = messages ? limit_to (y, 1, o->height - 2) : y;
  int at = (yi * o->width + xi) * o->n + v;
  long sum = level->data[at];

  for (int side = 0; side < 4 && messages; side++)
    sum += level->from[side][at];
  return sum;
}

/* The same, scaled as for subpixel interpolation. */
static long
belief_16 (const Oracle * o, const Level * level, int x, int y, int v)
{
  return belief (o, level, x, y, v) / (o->precision == FLOAT ? 128 : 1);
}

/* The winner v in sixteenths, or -1 if the right view's winner differs by more
 * than one. */
static int
oracle_refine (const Oracle * o, const Level * level, int x, int y, int v)
{
  int xr = x - (o->min + v), other = -1;
  long a, b, c, least = 0;
  double divisor;

  if (xr < 0 || xr >= o->width)
    return -1;
  for (int i = 0; i < o->n; i++) {
    int xl = xr + o->min + i;

    if (xl < 0 || xl >= o->width)
      continue;
    a = belief_16 (o, level, xl, y, i);
    if (other < 0 || a < least) {
      least = a;
      other = i;
    }
  }
  if (abs (other - v) > 1)
    return -1;
  if (v == 0 || v == o->n - 1)
    return 16 * (o->first + v);
  a = belief_16 (o, level, x, y, v - 1);
  c = belief_16 (o, level, x, y, v);
  b = belief_16 (o, level, x, y, v + 1);
  divisor = 2.0 * (double) ((a > b ? a : b) - c);
  return 16 * (o->first + v) + (divisor > 0
      ? (int) floor (16.0 * (double) (a - b) / divisor + 0.5) : 0);
}

/* The winner v and its better neighbour, which the uniqueness compares; the
 * winner itself if it has none. */
static Minima
oracle_minima (const Oracle * o, const Level * level, int x, int y, int v)
{
  const long least = belief_16 (o, level, x, y, v);
  long second = -1;

  for (int i = v - 1; i <= v + 1; i += 2) {
    const long other = i < 0 || i >= o->n ? -1 : belief_16 (o, level, x, y, i);

    if (other >= 0 && (second < 0 || other < second))
      second = other;
  }
  return (Minima) { least, second < 0 ? least : second };
}

/* Winning indices, in sixteenths with a check; -1 = no candidate or failed
 * check.  minima: of all pixels. */
static void
oracle_match (const TestImage * left, const TestImage * right,
    const StereoParams * params, int *winner, Minima * minima)
{
  Oracle o;
  Level level[10];
  int levels = 1;
  bool check = param (params, "lr-max-diff") >= 0;

  oracle_init (&o, params, format_has_color (left->image.format)
      && format_has_color (right->image.format), left->image.width,
      left->image.height);
  for (int p = 0; p < o.width * o.height; p++) {
    winner[p] = -1;
    minima[p] = (Minima) { -1, -1 };
  }
  if (o.n == 0)
    return;

  level[0] = new_level (&o, o.width, o.height);
  oracle_data (&o, left, right, &level[0]);
  for (; levels < o.levels; levels++) {
    const Level *below = &level[levels - 1];

    if (below->w <= 4 || below->h <= 4)
      break;
    level[levels] = new_level (&o, (below->w + 1) / 2, (below->h + 1) / 2);
    oracle_sum (&o, below, &level[levels]);
  }
  for (int i = levels - 1; i >= 0; i--) {
    if (i < levels - 1)
      oracle_inherit (&o, &level[i + 1], &level[i]);
    oracle_level (&o, &level[i]);
  }

  for (int y = 0; y < o.height; y++) {
    for (int x = 0; x < o.width; x++) {
      long least = 0;
      int best = -1;

      for (int v = 0; v < o.n; v++) {
        long sum = belief (&o, &level[0], x, y, v);

        if (best < 0 || sum < least) {
          least = sum;
          best = v;
        }
      }
      winner[y * o.width + x] = check
          ? oracle_refine (&o, &level[0], x, y, best) : o.first + best;
      minima[y * o.width + x] = oracle_minima (&o, &level[0], x, y, best);
    }
  }
  for (int i = 0; i < levels; i++)
    free_level (&level[i]);
}

/* -------------------------------------------------------------------- cases */

/* The parameters that tables of cases list. */
typedef struct
{
  double iterations, levels, weight, max_data, max_disc, jump, smoothing;
} Settings;

typedef struct
{
  int width, height;
  StereoFormat left, right;
  double n, min;
  Settings s;
  double precision;
  Fill fill;
  double cost, edge_scale;
  bool refined;                 /* interpolated and checked */
} Case;

static const Case usual = {
  24, 20, STEREO_FORMAT_GRAY8, STEREO_FORMAT_GRAY8, 10, 0,
  {7, 5, 0.1, 15, 0, 1, 0}, INT8, FILL_SHIFTED, LUMA, 0, false
};

static StereoParams *
case_params (const Case * c)
{
  return params_new ("bp", "num-disparities", c->n, "min-disparity", c->min,
      "iterations", c->s.iterations, "levels", c->s.levels, "data-weight",
      c->s.weight, "max-data-term", c->s.max_data, "max-disc-term",
      c->s.max_disc, "disc-single-jump", c->s.jump, "smoothing",
      c->s.smoothing, "precision", c->precision, "cost", c->cost,
      "edge-scale", c->edge_scale,
      "subpixel", c->refined ? 1.0 : 0.0, "lr-max-diff",
      c->refined ? 1.0 : -1.0, "speckle-size", 0.0, "fill",
      c->refined ? 0.0 : 1.0, "median", 0.0, "refine", 0.0,
      "disparity-scale", c->refined ? 16.0 : 1.0, "invalid-value", 65535.0,
      NULL);
}

/* Compares all devices with the oracle, with one precision. */
static void
check_precision (const Case * c, Random * random)
{
  SCOPED_IMAGE left, right;
  SCOPED_PARAMS *params = case_params (c);
  SCOPED (free_scoped) int *winner
      = malloc ((size_t) (c->width * c->height) * sizeof (int));
  SCOPED (free_scoped) Minima *minima
      = malloc ((size_t) (c->width * c->height) * sizeof (*minima));

  REQUIRE (winner != NULL && minima != NULL);
  CASE_IMAGES (c, &left, &right, random);
  oracle_match (&left, &right, params, winner, minima);
  check_codes ("bp", params, &left, &right, winner);
  if (c->refined)
    check_minima ("bp", params, &left, &right, minima);
}

/* Parameters beyond the paper. */
static void
draw_robust (Case * c, Random * random)
{
  static const double scales[] = { 0, 10, 10, 0.5, 200, 1e-300 };

  c->cost = random_range (random, CENSUS, RGB);
  c->edge_scale = scales[random_range (random, 0, 5)];
  c->refined = random_range (random, 0, 3) > 0;
  if (random_range (random, 0, 1))
    c->left = c->right = STEREO_FORMAT_RGB;
}

static void
check_case (const Case * c, Random * random)
{
  Case each = *c;

  for (int precision = INT8; precision <= FLOAT; precision++) {
    each.precision = precision;
    check_precision (&each, random);
    draw_robust (&each, random);
    check_precision (&each, random);
    each = *c;
  }
}

/* The defaults: census, edges, winners of both views. */
TEST (test_robust)
{
  Random random = { 13 };

  for (int i = 0; i < 24; i++) {
    Case c = usual;

    c.width = random_range (&random, 1, 80);
    c.height = random_range (&random, 1, 40);
    c.n = random_range (&random, 1, 30);
    c.min = random_range (&random, -12, 8);
    c.s.weight = 0.046875;
    c.s.max_data = i % 4 ? 31 : 12.3;
    c.s.max_disc = 4;
    c.s.iterations = 3;
    c.fill = i % 3 ? FILL_SHIFTED : (Fill) random_range (&random, 0,
        N_FILLS - 1);
    c.precision = i % 3;
    c.cost = i % 6 ? CENSUS : RGB;
    c.edge_scale = 10;
    c.refined = true;
    if (i % 2)
      c.left = c.right = STEREO_FORMAT_RGB;
    check_precision (&c, &random);
  }
}

static const Views views = {
  24, 20, STEREO_FORMAT_GRAY8, STEREO_FORMAT_GRAY8, 10, 0, FILL_SHIFTED
};

static void
check_views (const Views * v, int i, Random * random)
{
  Case c = usual;

  (void) i;
  CASE_SET_VIEWS (&c, v);
  check_case (&c, random);
}

VIEWS_TEST (test_fills, each_fill, views, check_views)
VIEWS_TEST (test_disparities, each_range, views, check_views)
VIEWS_TEST (test_formats, each_format, views, check_views)

TEST (test_sizes)
{
  static const int sizes[][2] = {
    {1, 1}, {1, 9}, {9, 1}, {2, 2}, {2, 40}, {40, 2}, {3, 3}, {3, 4}, {4, 3},
    {3, 50}, {50, 3}, {4, 4}, {5, 5}, {6, 5}, {15, 17}, {16, 16}, {17, 15},
    {31, 33}, {33, 64}, {65, 7}, {7, 65}, {66, 34}, {129, 5}, {130, 66}
  };
  Random random = { 2 };

  for (size_t i = 0; i < sizeof (sizes) / sizeof (sizes[0]); i++) {
    Case c = usual;

    c.width = sizes[i][0];
    c.height = sizes[i][1];
    c.n = 6;
    c.s.levels = 10;
    c.s.iterations = 3;
    c.fill = FILL_RANDOM;
    check_case (&c, &random);
    c.s.levels = 1 + i % 4;
    c.s.iterations = 2;
    check_case (&c, &random);
  }
}

TEST (test_many_disparities)
{
  static const int numbers[] = { 64, 128, 255, 256, 257, 512, 1024 };
  Random random = { 4 };

  for (size_t i = 0; i < sizeof (numbers) / sizeof (numbers[0]); i++) {
    Case c = usual;

    c.n = numbers[i];
    c.min = i % 3 ? 0 : -numbers[i] / 2;
    c.width = numbers[i] + 7;
    c.height = 2;
    c.s.iterations = 2;
    c.fill = i % 2 ? FILL_RANDOM : FILL_SHIFTED;
    check_case (&c, &random);
  }
}

/* Images that the CPU divides between vectors and rows, with more iterations
 * than it does per pass. */
TEST (test_many_iterations)
{
  static const struct
  {
    int width, height, n, min, iterations;
  } searches[] = {
    {300, 7, 70, 0, 7}, {259, 8, 68, -34, 8}, {271, 6, 71, 8, 5},
    {140, 66, 67, -3, 7}, {61, 70, 5, 0, 9}, {130, 40, 9, -4, 17},
    /* several windows of coarser levels, too */
    {300, 66, 68, 0, 6}, {530, 13, 66, -2, 7}
  };
  Random random = { 14 };

  for (size_t i = 0; i < sizeof (searches) / sizeof (searches[0]); i++) {
    Case c = usual;

    c.width = searches[i].width;
    c.height = searches[i].height;
    c.n = searches[i].n;
    c.min = searches[i].min;
    c.s.iterations = searches[i].iterations;
    c.s.levels = 3;
    c.fill = FILL_SHIFTED;
    check_case (&c, &random);
  }
}

/* CUDA rejects too many disparities in configure(); elements with backend=auto
 * then fall back to the CPU. */
TEST (test_too_many_disparities)
{
  Case c = usual;
  SCOPED_PARAMS *params;
  StereoMatcher *matcher = NULL;
  StereoMatcherConfig config = { sizeof (StereoMatcherConfig), 1040, 4,
      STEREO_FORMAT_GRAY8,
    STEREO_FORMAT_GRAY8, STEREO_FORMAT_GRAY16_LE
  };

  c.n = 1025;
  params = case_params (&c);
  for (size_t i = 0; i < devices_count (); i++) {
    StereoDevice *device = devices_get (i);
    bool cuda = strcmp (stereo_device_backend (device), "cuda") == 0;

    REQUIRE (stereo_matcher_new (stereo_algorithm_find ("bp"), device,
            &matcher) == STEREO_OK);
    CHECK_INT (stereo_matcher_configure (matcher, &config, params), ==,
        cuda ? STEREO_ERROR_UNSUPPORTED : STEREO_OK);
    if (cuda) {
      CHECK_CONTAINS (stereo_matcher_error (matcher), "1024");
      CHECK_CONTAINS (stereo_matcher_error (matcher), "1025");
    }
    stereo_matcher_free (&matcher);
  }
}

TEST (test_parameters)
{
  static const Settings sets[] = {
    {5, 5, 0.07, 15, 1.7, 1, 0.7}, {1, 1, 0.1, 15, 0, 1, 0},
    {1, 2, 0.1, 15, 0, 1, 0.1}, {2, 3, 0.1, 15, 0, 1, 0.09},
    {3, 2, 0, 15, 0, 1, 0}, {3, 2, 10, 255, 0, 1, 0},
    {3, 2, 10, 255, 1000, 100, 0}, {3, 2, 10, 255, 1e-6, 100, 0},
    {3, 2, 1e-6, 255, 1000, 1, 0}, {3, 2, 0.1, 0, 5, 1, 0},
    {3, 2, 0.1, 0.001, 5, 1, 0}, {3, 2, 0.1, 0.004, 5, 1, 0},
    {3, 2, 0.1, 0.1, 5, 1, 1.5}, {3, 2, 0.1, 15.5, 5, 0, 0},
    {3, 2, 0.1, 15.3, 5, 1e-9, 0}, {3, 2, 0.1, 20, 5, 0.01, 0},
    {3, 2, 0.1, 20, 5, 4.9, 0}, {3, 2, 0.1, 20, 5, 5.1, 0},
    {3, 2, 0.1, 20, 1000, 0.3, 0}, {3, 2, 0.1, 20, 300, 1, 0},
    {20, 3, 0.1, 15, 0, 1, 0}, {3, 2, 0.05, 40, 2, 0.7, 10},
    {9, 1, 0.1, 15, 3, 0.25, 3.3}, {8, 4, 0.3, 15, 3, 0.25, 0},
    /* the smallest positive double */
    {3, 2, 5e-324, 1, 0, 1, 0}, {3, 2, 0, 15, 5e-324, 0, 0},
    {3, 2, 5e-324, 255, 5e-324, 5e-324, 0}, {3, 2, 0.1, 15, 5e-324, 5e-324, 0}
  };
  Random random = { 5 };

  for (size_t i = 0; i < sizeof (sets) / sizeof (sets[0]); i++) {
    Case c = usual;

    c.s = sets[i];
    c.n = 11;
    check_case (&c, &random);
    c.fill = FILL_RANDOM;
    check_case (&c, &random);
  }
}

/* Values above 2048, which are rounded in fp16, in data costs and messages. */
TEST (test_half_rounding)
{
  Random random = { 12 };

  for (int i = 0; i < 6; i++) {
    Case c = usual;

    c.width = 190 + i;
    c.height = 171 - i;
    c.n = 12;
    c.s.levels = 7;
    c.s.iterations = 4;
    c.s.max_data = i % 2 ? 15 : 150;
    /* large data costs in level 2; or large ones and a coarse unit in level
     * 4 */
    c.s.max_disc = (i < 3 ? 1.6 : 25.5) * c.s.max_data;
    c.s.weight = i < 3 ? 0.1 : 0.02;
    c.s.max_disc = c.s.max_disc * c.s.weight * 10;
    c.s.jump = fmin (100, c.s.max_disc / (3 + i));
    c.precision = HALF;
    c.fill = i % 3 ? FILL_RANDOM : FILL_SHIFTED;
    check_precision (&c, &random);
  }
}

/* Compared with the paper in floating point: the belief of the winner is as
 * good as the best, within the rounding error of single precision. */
TEST (test_paper)
{
  static const struct
  {
    Settings s;
    double n;
  } sets[] = {
    {{7, 5, 0.07, 15, 1.7, 1, 0}, 10}, {{7, 5, 0.07, 15, 1.7, 1, 0.7}, 10},
    {{7, 5, 0.1, 15, 0, 1, 0}, 30}, {{7, 5, 0.1, 15, 0, 1, 0}, 16},
    {{7, 5, 0.4, 40, 5, 1, 2}, 20}
  };
  Random random = { 10 };

  for (size_t i = 0; i < sizeof (sets) / sizeof (sets[0]); i++) {
    Case c = usual;
    SCOPED_IMAGE left, right, map;
    SCOPED_PARAMS *params;
    PaperBp paper;
    int *expected, different = 0;
    float *belief;

    c.width = 101;
    c.height = 67;
    c.n = sets[i].n;
    c.s = sets[i].s;
    c.precision = FLOAT;
    params = case_params (&c);
    /* rows without padding */
    test_image_init (&left, c.left, c.width, c.height, 0);
    test_image_init (&right, c.right, c.width, c.height, 0);
    fill_pair (&left, &right, c.fill, &random);
    test_image_init (&map, STEREO_FORMAT_GRAY16_LE, c.width, c.height, 0);
    expected = malloc ((size_t) (c.width * c.height) * sizeof (int));
    REQUIRE (expected != NULL);

    paper = (PaperBp) {
    c.width, c.height, (int) c.n, 0, (int) c.s.iterations, (int) c.s.levels,
          c.s.weight, c.s.max_data, c.s.max_disc > 0 ? c.s.max_disc : c.n / 7.5,
          c.s.jump, c.s.smoothing, false};
    paper_bp (&paper, left.image.plane[0], right.image.plane[0], expected,
        &belief);
    match (0, params, "bp", &left, &right, &map);
    for (int p = 0; p < c.width * c.height; p++) {
      int code = code_at (&map, p % c.width, p / c.width);

      different += code != expected[p];
      REQUIRE (code < (int) c.n);
      /* smoothed views are rounded to 1/256 grey level, twice */
      CHECK_DOUBLE (belief[p * (int) c.n + code], <=,
          belief[p * (int) c.n + expected[p]] + (c.s.smoothing > 0 ? 0.05
              : 0.001));
    }
    printf ("  %d of %d pixels differ\n", different, c.width * c.height);
    CHECK_INT (different, <=, c.width * c.height / 200);
    free (expected);
    free (belief);
  }
}

/* ------------------------------------------------------------------- limits */

static unsigned n_logged;
static char told[256];

static void
record_log (StereoLogLevel level, const char *text, void *data)
{
  (void) data;
  if (level == STEREO_LOG_WARNING) {
    n_logged++;
    snprintf (told, sizeof (told), "%s", text);
  }
}

/* Omits levels that do not fit.  The log mentions it once, if more than the
 * default of 5 are requested. */
TEST (test_too_many_levels)
{
  Case c = usual;
  Random random = { 11 };
  StereoParams *params;
  SCOPED_IMAGE left, right, map;
  SCOPED (stereo_device_unref) StereoDevice *device = NULL;
  SCOPED (stereo_matcher_free) StereoMatcher *matcher = NULL;
  StereoMatcherConfig config = { sizeof (StereoMatcherConfig), 24, 20,
      STEREO_FORMAT_GRAY8,
    STEREO_FORMAT_GRAY8,
    STEREO_FORMAT_GRAY16_LE
  };

  CASE_IMAGES (&c, &left, &right, &random);
  test_image_init (&map, STEREO_FORMAT_GRAY16_LE, c.width, c.height, 0);
  REQUIRE (stereo_device_new_cpu (1, STEREO_SIMD_AUTO, &device,
          NULL) == STEREO_OK);
  stereo_device_set_log (device, record_log, NULL);
  REQUIRE (stereo_matcher_new (stereo_algorithm_find ("bp"), device,
          &matcher) == STEREO_OK);

  for (int levels = 1; levels <= 10; levels++) {
    c.s.levels = levels;
    params = case_params (&c);
    n_logged = 0;
    CHECK_INT (stereo_matcher_configure (matcher, &config, params), ==,
        STEREO_OK);
    CHECK_STRING (stereo_matcher_error (matcher), "");
    for (int i = 0; i < 3; i++) {
      REQUIRE (stereo_matcher_process (matcher, &left.image, &right.image,
              &map.image, NULL) == STEREO_OK);
      REQUIRE (stereo_matcher_sync (matcher) == STEREO_OK);
    }
    /* four levels: 24x20, 12x10, 6x5, 3x3 */
    CHECK_INT (n_logged, ==, levels > 5);
    if (levels > 5)
      CHECK_CONTAINS (told, "levels");
    stereo_params_free (&params);
  }
}

/* A GPU with too little memory for the messages is rejected in configure(),
 * after which a smaller size works. */
TEST (test_too_little_memory)
{
  Case c = usual;
  SCOPED_PARAMS *params = NULL;
  SCOPED (stereo_matcher_free) StereoMatcher *matcher = NULL;
  StereoMatcherConfig config = { sizeof (StereoMatcherConfig), 16384, 16384,
      STEREO_FORMAT_GRAY8,
    STEREO_FORMAT_GRAY8, STEREO_FORMAT_GRAY16_LE
  };

  if (!devices_have_cuda ())
    SKIP ("no CUDA device");
  c.n = 256;
  c.precision = FLOAT;
  params = case_params (&c);
  REQUIRE (stereo_matcher_new (stereo_algorithm_find ("bp"),
          devices_get (devices_count () - 1), &matcher) == STEREO_OK);
  CHECK_INT (stereo_matcher_configure (matcher, &config, params), ==,
      STEREO_ERROR_MEMORY);
  CHECK_CONTAINS (stereo_matcher_error (matcher), "free");
  config.width = config.height = 64;
  CHECK_INT (stereo_matcher_configure (matcher, &config, params), ==,
      STEREO_OK);
}

/* GPUs without grid synchronization compute the same map. */
TEST (test_separate_steps)
{
  Random random = { 12 };
  StereoDevice *cuda;

  if (!devices_have_cuda ())
    SKIP ("no CUDA device");
  cuda = devices_get (devices_count () - 1);
  stereo_cuda_pretend_cooperative (cuda, false);
  for (int i = 0; i < 12; i++) {
    Case c = usual;

    c.width = random_range (&random, 1, 70);
    c.height = random_range (&random, 1, 40);
    c.n = random_range (&random, 1, 40);
    c.s.iterations = random_range (&random, 1, 4);
    c.precision = i % 3;
    check_case (&c, &random);
  }
  stereo_cuda_pretend_cooperative (cuda, true);
}

KERNEL_MAIN (bench (ALGORITHM, argc, argv))
