/* gst-stereomatching: tests of esaw or esmp (ALGORITHM) on all devices
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "cases.h"
#include "minima.h"
#include "core/testing-cuda.h"

#include <math.h>

static const char algorithm[] = ALGORITHM;
static const bool with_messages = ALGORITHM[2] == 'm';

/* ------------------------------------------------------------------- oracle */

/*
 * An independent implementation of docs/algorithms/esaw.md and esmp.md, pixel
 * by pixel.  It shares no code with the library.  Besides integer costs it
 * computes real ones, without rounding.
 */

typedef struct
{
  int width, height, n, min, passes, metric;
  bool color;
  int cost;                     /* 0 = census, 1 = luma, 2 = rgb */
  double base, gamma_color, gamma_distance, threshold, weight, jump,
      truncation;
} Oracle;

/* Luma, with the border repeated outside the image. */
static int
oracle_luma (const Oracle * o, const TestImage * image, int x, int y)
{
  x = x < 0 ? 0 : x >= o->width ? o->width - 1 : x;
  y = y < 0 ? 0 : y >= o->height ? o->height - 1 : y;
  return test_image_luma (image, o->color, x, y);
}

/* Census and gradient difference of two pixels, 0 to 248. */
static int
oracle_census (const Oracle * o, const TestImage * left,
    const TestImage * right, int x, int xr, int y)
{
  int bits = 0, slope[2];

  for (int dy = -2; dy <= 2; dy++) {
    for (int dx = -2; dx <= 2; dx++)
      bits += (oracle_luma (o, left, x + dx, y + dy)
          < oracle_luma (o, left, x, y))
          != (oracle_luma (o, right, xr + dx, y + dy)
          < oracle_luma (o, right, xr, y));
  }
  for (int side = 0; side < 2; side++) {
    const TestImage *image = side == 0 ? left : right;
    int at = side == 0 ? x : xr;

    slope[side] = (int) floor ((oracle_luma (o, image, at + 1, y)
            - oracle_luma (o, image, at - 1, y) + 256) / 2.0);
  }
  return 8 * bits + 7 * (int) fmin (abs (slope[0] - slope[1]), 8);
}

/* The 8-bit cost of a pixel and index; *real: without rounding. */
static int
oracle_cost (const Oracle * o, const TestImage * left, const TestImage * right,
    int x, int y, int d, double *real)
{
  int lowest = d > 0 ? d : 0, highest = o->width - 1 + (d < 0 ? d : 0);
  int difference, limit, gain, sum, channels = o->cost == 2 ? 3 : 1;

  x = x < lowest ? lowest : x > highest ? highest : x;
  if (o->cost == 0) {
    *real = fmin (oracle_census (o, left, right, x, x - d, y),
        floor (8 * o->threshold + 0.5));
    return (int) *real;
  }
  if (o->cost == 2) {
    int l[3], r[3];

    test_image_rgb (left, x, y, l);
    test_image_rgb (right, x - d, y, r);
    difference = abs (l[0] - r[0]) + abs (l[1] - r[1]) + abs (l[2] - r[2]);
  } else {
    difference = abs (test_image_luma (left, o->color, x, y)
        - test_image_luma (right, o->color, x - d, y));
  }
  *real = 255 * fmin (difference / (o->threshold * channels), 1);
  limit = (int) floor (o->threshold * channels);
  gain = limit > 0 ? (int) floor (65280 / (o->threshold * channels)) : 0;
  sum = difference <= limit ? difference * gain : 65280;
  return (sum + 128) / 256;
}

/* The support weight in 1/256; *real: without rounding, 0 to 1. */
static int
oracle_weight (const Oracle * o, const TestImage * left, int x, int y, int qx,
    int qy, int step, double *real)
{
  int p[3], q[3], d[3];
  double difference, place;

  *real = 0;
  if (qx < 0 || qy < 0 || qx >= o->width || qy >= o->height)
    return 0;
  if (o->color) {
    test_image_rgb (left, x, y, p);
    test_image_rgb (left, qx, qy, q);
  } else {
    p[0] = p[1] = p[2] = test_image_luma (left, false, x, y);
    q[0] = q[1] = q[2] = test_image_luma (left, false, qx, qy);
  }
  for (int c = 0; c < 3; c++)
    d[c] = abs (p[c] - q[c]);
  switch (o->metric) {
    case 0:
      place = difference = fmax (d[0], fmax (d[1], d[2]));
      break;
    case 1:
      difference = sqrt ((d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / 3.0);
      place = o->color ? floor (3 * difference + 0.5) / 3 : d[0];
      break;
    default:
      place = difference = (d[0] + d[1] + d[2]) / 3.0;
  }
  *real = exp (-(difference / o->gamma_color + step / o->gamma_distance));
  return (int) fmin (255, floor (256 * exp (-(place / o->gamma_color
                  + step / o->gamma_distance)) + 0.5));
}

/* Messages for all disparities of one pixel, by brute force. */
static void
oracle_messages (int n, const double *cost, double jump, double truncation,
    double *message)
{
  for (int i = 0; i < n; i++) {
    message[i] = cost[i];
    for (int j = 0; j < n; j++)
      message[i] = fmin (message[i],
          cost[j] + fmin (jump * abs (i - j), truncation));
  }
}

/* A smoothness cost in units of the data cost, without rounding.  A census bit
 * is 8 units, the truncation of a difference is 255. */
static double
oracle_price (const Oracle * o, double smoothness)
{
  double range = o->cost == 0 ? o->weight / 8 : o->weight * o->threshold / 255;

  return range > 0 ? smoothness / range : 1e9;
}

/* The same as an integer; values beyond the range count as infinite. */
static double
oracle_units (const Oracle * o, double smoothness, bool fine)
{
  double price = oracle_price (o, smoothness) * (fine ? 2 : 1);

  return price >= 255 ? 255 : floor (price + 0.5);
}

typedef struct
{
  double *integer;              /* integer values */
  double *real;
} Volume;

static Volume
volume_new (size_t size)
{
  Volume v = {
    malloc (size * sizeof (double)), malloc (size * sizeof (double))
  };

  REQUIRE (v.integer != NULL && v.real != NULL);
  return v;
}

static void
volume_free (Volume * v)
{
  free (v->integer);
  free (v->real);
}

/* The oracle's result for a pixel. */
typedef struct
{
  int winner;                   /* index, -1 = no possible disparity */
  int right;                    /* index for the pixel of the right view */
  int code;                     /* in sixteenths of a pixel */
  double excess;                /* unrounded cost of the winner above the */
                                /* best cost, of 255 */
  Minima minima;
} Found;

/* The sixteenths at which two lines of opposite slopes meet, the steeper one
 * through the lowest of three sums and its worse neighbour. */
static int
oracle_fraction (double a, double c, double b)
{
  double rise = fmax (a, b) - c;

  return rise > 0 ? (int) floor (8 * (a - b) / rise + 0.5) : 0;
}

/* Winners of both views from the sums of a row. */
static void
oracle_winners (const Oracle * o, const int *indices, int n,
    const double *sums, Found * row)
{
  for (int x = 0; x < o->width; x++) {
    const double *c = sums + x * n;
    double lowest = 1e9;
    long whole[512];
    int best = 0;

    for (int i = 1; i < n; i++)
      best = c[i] < c[best] ? i : best;
    for (int i = 0; i < n; i++)
      whole[i] = (long) c[i];
    REQUIRE (n <= 512);
    row[x].minima = find_minima (whole, n);
    row[x].winner = indices[best];
    row[x].code = 16 * indices[best];
    if (best > 0 && best < n - 1)
      row[x].code += oracle_fraction (c[best - 1], c[best], c[best + 1]);

    for (int i = 0; i < n; i++) {
      int xl = x + o->min + indices[i];

      if (xl >= 0 && xl < o->width && sums[xl * n + i] < lowest) {
        lowest = sums[xl * n + i];
        row[x].right = indices[i];
      }
    }
  }
}

/* Constants from parameters, and the step sizes of the passes. */
static Oracle
oracle_init (const TestImage * left, const TestImage * right,
    const StereoParams * params, int *steps)
{
  Oracle o = { left->image.width, left->image.height };

  o.n = (int) param (params, "num-disparities");
  o.min = (int) param (params, "min-disparity");
  o.base = param (params, "base");
  o.gamma_color = param (params, "gamma-color");
  o.gamma_distance = param (params, "gamma-distance");
  o.threshold = param (params, "cost-threshold");
  o.metric = (int) param (params, "color-metric");
  o.color = format_has_color (left->image.format)
      && format_has_color (right->image.format);
  o.cost = (int) param (params, "cost");
  if (o.cost == 2 && !o.color)
    o.cost = 1;
  if (with_messages) {
    double share = param (params, "disc-truncation");

    o.weight = param (params, "data-weight");
    o.jump = param (params, "disc-single-jump");
    o.truncation = share * o.n;
  }
  for (unsigned i = 0; i < (unsigned) param (params, "iterations"); i++) {
    int s = (int) floor (pow (o.base, i) + 0.5);

    if (s < (o.width > o.height ? o.width : o.height)
        && exp (-s / o.gamma_distance) >= 1.0 / 4096)
      steps[o.passes++] = s;
  }
  /* at least one pass, without neighbours inside the image */
  if (o.passes == 0)
    steps[o.passes++] = o.width + o.height;
  return o;
}

/* The input of the aggregation: messages or plain costs. */
static void
oracle_inputs (const Oracle * o, size_t pixels, size_t n, bool fine,
    const Volume * now, Volume * next)
{
  if (!with_messages) {
    memcpy (next->integer, now->integer, pixels * n * sizeof (double));
    memcpy (next->real, now->real, pixels * n * sizeof (double));
    return;
  }
  for (size_t p = 0; p < pixels; p++) {
    oracle_messages ((int) n, now->integer + p * n,
        oracle_units (o, o->jump, fine),
        oracle_units (o, o->truncation, fine), next->integer + p * n);
    oracle_messages ((int) n, now->real + p * n, oracle_price (o, o->jump),
        oracle_price (o, o->truncation), next->real + p * n);
  }
}

/* A pass over the neighbours at distance dx or dy. */
typedef struct
{
  int dx;
  int dy;
  bool last;
  bool refine;                  /* keeps fractions of costs from here on */
} Pass;

/* Aggregates a pixel in a pass. */
static void
oracle_aggregate (const Oracle * o, const TestImage * left, size_t p,
    const Pass * pass, size_t n, const Volume * next, Volume * now)
{
  const int dx = pass->dx, dy = pass->dy;
  const bool last = pass->last, refine = pass->refine;
  int x = (int) p % o->width, y = (int) p / o->width, u[2], total, a[2];
  double real[2], least = 1e9;
  size_t q[2];

  for (int side = 0; side < 2; side++) {
    int qx = x + (side ? dx : -dx), qy = y + (side ? dy : -dy);

    u[side] = oracle_weight (o, left, x, y, qx, qy, dx + dy, &real[side]);
    q[side] = u[side] > 0 || real[side] > 0
        ? (size_t) (qy * o->width + qx) : p;
  }
  total = 256 + u[0] + u[1];
  for (int side = 0; side < 2; side++)
    a[side] = (int) floor (256.0 * u[side] / total + 0.5);
  for (size_t i = 0; i < n; i++) {
    double sum = (256 - a[0] - a[1]) * next->integer[p * n + i]
        + a[0] * next->integer[q[0] * n + i]
        + a[1] * next->integer[q[1] * n + i];

    now->integer[p * n + i] = last || refine ? sum : floor ((sum + 128) / 256);
    least = fmin (least, sum);
    now->real[p * n + i] = (next->real[p * n + i] + real[0]
        * next->real[q[0] * n + i] + real[1] * next->real[q[1] * n + i])
        / (1 + real[0] + real[1]);
  }
  for (size_t i = 0; i < n && refine && !last; i++)
    now->integer[p * n + i] = fmin (255, floor ((now->integer[p * n + i]
                - least + 64) / 128));
}

static void
oracle_match (const TestImage * left, const TestImage * right,
    const StereoParams * params, Found * found)
{
  int indices[512], steps[16];
  Oracle o = oracle_init (left, right, params, steps);
  size_t pixels = (size_t) (o.width * o.height), n = 0;
  Volume now, next;
  bool fine = false;

  for (int i = 0; i < o.n; i++) {
    if (abs (o.min + i) < o.width)
      indices[n++] = i;
  }
  for (size_t p = 0; p < pixels; p++)
    found[p] = (Found) { -1, -1, -1, 0, { -1, -1 } };
  if (n == 0)
    return;
  now = volume_new (pixels * n);
  next = volume_new (pixels * n);

  for (size_t p = 0; p < pixels; p++) {
    for (size_t i = 0; i < n; i++)
      now.integer[p * n + i] = oracle_cost (&o, left, right,
          (int) p % o.width, (int) p / o.width, o.min + indices[i],
          &now.real[p * n + i]);
  }
  for (int t = 0; t < 2 * o.passes; t++) {
    const Pass pass = {
      t % 2 == 0 ? steps[t / 2] : 0, t % 2 == 0 ? 0 : steps[t / 2],
      t == 2 * o.passes - 1, with_messages && t == 3
    };

    oracle_inputs (&o, pixels, n, fine, &now, &next);
    for (size_t p = 0; p < pixels; p++)
      oracle_aggregate (&o, left, p, &pass, n, &next, &now);
    fine |= pass.refine;
  }

  for (int y = 0; y < o.height; y++)
    oracle_winners (&o, indices, (int) n, now.integer
        + (size_t) (y * o.width) * n, found + y * o.width);
  for (size_t p = 0; p < pixels; p++) {
    const double *r = now.real + p * n;
    double best_real = r[0];

    for (size_t i = 1; i < n; i++)
      best_real = fmin (best_real, r[i]);
    found[p].excess = r[found[p].winner - indices[0]] - best_real;
  }
  volume_free (&now);
  volume_free (&next);
}

/* -------------------------------------------------------------------- cases */

#define N_OWN 7

static const char *const own_names[N_OWN] = {
  "iterations", "base", "gamma-color", "gamma-distance", "cost-threshold",
  "color-metric", "cost"
};

typedef struct
{
  int width, height;
  StereoFormat left, right;
  int n, min;
  Fill fill;
  double own[N_OWN];
  double weight, jump, truncation;      /* with messages only */
} Case;

static const Case usual = {
  30, 22, STEREO_FORMAT_GRAY8, STEREO_FORMAT_GRAY8, 10, 0, FILL_SHIFTED,
  {4, 2.0, 12, 20, 31, 0, 0}, 0.267, 1, 1
};

/* Cost and parameters of the paper. */
static const Case papers = {
  30, 22, STEREO_FORMAT_GRAY8, STEREO_FORMAT_GRAY8, 10, 0, FILL_SHIFTED,
  {4, 2.0, 17, 36, 12, 0, 1}, 0.15, 1, 0.0375
};

/* Post-processing of the winners. */
typedef enum
{
  RESULT_INDICES,               /* none: whole disparities */
  RESULT_FRACTIONS,             /* subpixel interpolation */
  RESULT_CHECKED,               /* and left-right consistency check */
  N_RESULTS
} Result;

static StereoParams *
case_params (const Case * c, Result result)
{
  StereoParams *params = params_new (algorithm, "num-disparities",
      (double) c->n, "min-disparity", (double) c->min, "disparity-scale",
      result == RESULT_INDICES ? 1.0 : 16.0, "invalid-value", 65535.0,
      "median", 0.0, "subpixel", (double) (result != RESULT_INDICES),
      "lr-max-diff", result == RESULT_CHECKED ? 1.0 : -1.0, "speckle-size",
      0.0, "fill", 0.0, "refine", 0.0, NULL);

  for (int i = 0; i < N_OWN; i++)
    REQUIRE (stereo_params_set (params, own_names[i], c->own[i],
            NULL) == STEREO_OK);
  if (with_messages) {
    REQUIRE (stereo_params_set (params, "data-weight", c->weight,
            NULL) == STEREO_OK);
    REQUIRE (stereo_params_set (params, "disc-single-jump", c->jump,
            NULL) == STEREO_OK);
    REQUIRE (stereo_params_set (params, "disc-truncation", c->truncation,
            NULL) == STEREO_OK);
  }
  return params;
}

/* The expected code of a pixel. */
static int
expected_code (const Case * c, const Found * row, int x, Result result)
{
  int partner = x - c->min - row[x].winner;

  if (row[x].winner < 0)
    return 65535;
  if (result == RESULT_INDICES)
    return row[x].winner;
  if (result == RESULT_CHECKED && (partner < 0 || partner >= c->width
          || row[partner].right < 0
          || abs (row[partner].right - row[x].winner) > 1))
    return 65535;
  return row[x].code;
}

/* Compares every device with the oracle, and the oracle's integers with its
 * real numbers. */
static void
check_images (const Case * c, const TestImage * left, const TestImage * right)
{
  size_t pixels = (size_t) (c->width * c->height);
  SCOPED (free_scoped) Found *found = malloc (pixels * sizeof (*found));
  SCOPED (free_scoped) int *codes = malloc (pixels * sizeof (*codes));
  SCOPED (free_scoped) Minima *minima = malloc (pixels * sizeof (*minima));
  StereoParams *params = case_params (c, RESULT_INDICES);

  REQUIRE (found != NULL && codes != NULL && minima != NULL);
  oracle_match (left, right, params, found);
  /* rounding of costs, weights and sums: a few levels of 255; fine messages are
   * truncated in the middle of the range */
  for (size_t p = 0; p < pixels; p++) {
    if (!with_messages)
      CHECK_DOUBLE (found[p].excess, <=, 2 + 1.5 * c->own[0]);
  }
  for (int result = 0; result < N_RESULTS; result++) {
    stereo_params_free (&params);
    params = case_params (c, (Result) result);
    for (int y = 0; y < c->height; y++) {
      for (int x = 0; x < c->width; x++)
        codes[y * c->width + x] = expected_code (c, found + y * c->width, x,
            (Result) result);
    }
    check_codes (algorithm, params, left, right, codes);
  }
  for (size_t p = 0; p < pixels; p++)
    minima[p] = found[p].minima;
  check_minima (algorithm, params, left, right, minima);
  stereo_params_free (&params);
}

static void
check_case (const Case * c, Random * random)
{
  SCOPED_IMAGE left, right;

  CASE_IMAGES (c, &left, &right, random);
  check_images (c, &left, &right);
}

/* -------------------------------------------------------------------- tests */

static const Views views = {
  30, 22, STEREO_FORMAT_GRAY8, STEREO_FORMAT_GRAY8, 10, 0, FILL_SHIFTED
};

static void
check_views (const Views * v, int i, Random * random)
{
  Case c = i % 4 == 3 ? papers : usual;

  CASE_SET_VIEWS (&c, v);
  check_case (&c, random);
}

/* Long passes too, in colour. */
static void
check_size (const Views * v, int i, Random * random)
{
  Case c = usual;

  check_views (v, i, random);
  CASE_SET_VIEWS (&c, v);
  c.own[0] = 8;
  c.left = c.right = STEREO_FORMAT_BGR;
  check_case (&c, random);
}

/* All colour metrics and costs. */
static void
check_format (const Views * v, int i, Random * random)
{
  Case c = usual;

  CASE_SET_VIEWS (&c, v);
  c.own[5] = (double) (i % 3);
  c.own[6] = (double) (i % 3 == 0 ? 0 : 1 + i % 2);
  check_case (&c, random);
}

VIEWS_TEST (test_fills, each_fill, views, check_views)
VIEWS_TEST (test_sizes, each_size, views, check_size)
VIEWS_TEST (test_disparities, each_range, views, check_views)
VIEWS_TEST (test_formats, each_format, views, check_format)

TEST (test_parameters)
{
  static const double sets[][N_OWN] = {
    {1, 2.6, 17, 36, 12, 0, 1}, {2, 2.6, 17, 36, 12, 1, 1},
    {3, 1.0, 17, 36, 12, 2, 0}, {12, 1.0, 17, 36, 12, 0, 2},
    {12, 4.0, 17, 1000, 12, 0, 1}, {5, 2.6, 0.1, 36, 12, 0, 0},
    {5, 2.6, 255, 1000, 12, 1, 2}, {5, 2.6, 17, 0.1, 12, 0, 0},
    {5, 2.6, 17, 0.3, 12, 2, 1}, {5, 1.9, 17, 36, 0.1, 0, 1},
    {5, 1.9, 17, 36, 1, 0, 1}, {5, 1.9, 17, 36, 1.5, 0, 2},
    {5, 1.9, 17, 36, 0.4, 1, 2}, {5, 1.9, 17, 36, 255, 0, 1},
    {5, 1.9, 17, 36, 255, 2, 2}, {5, 1.9, 17, 36, 17, 1, 2},
    {5, 1.9, 17, 36, 12.7, 2, 2}, {9, 1.3, 40, 60, 33.3, 0, 1},
    {5, 1.9, 17, 36, 0.1, 0, 0}, {5, 1.9, 17, 36, 8.3, 1, 0},
    {7, 2.3, 12, 20, 255, 2, 0}
  };
  Random random = { 4 };

  for (size_t i = 0; i < sizeof (sets) / sizeof (sets[0]); i++) {
    Case c = usual;

    memcpy (c.own, sets[i], sizeof (c.own));
    c.n = 7;
    c.height = 15;
    check_case (&c, &random);
    c.fill = FILL_RANDOM;
    c.left = c.right = STEREO_FORMAT_BGR;
    check_case (&c, &random);
  }
}

TEST (test_messages)
{
  /* data weight, cost of a jump, truncation */
  static const double sets[][3] = {
    {0.15, 1, 0.0375}, {0.15, 1, 1}, {0.15, 0.01, 1}, {0.15, 0.05, 0.02},
    {0.15, 0, 0.0375}, {0.15, 0.2, 0}, {0, 1, 0.0375}, {10, 1, 0.0375},
    {10, 0.1, 1}, {1, 2.5, 0.7}, {10, 100, 1}, {0.15, 0.3, 0.05}
  };
  Random random = { 12 };

  if (!with_messages)
    SKIP ("ESAW has no messages");
  for (size_t i = 0; i < sizeof (sets) / sizeof (sets[0]); i++) {
    Case c = usual;

    c.weight = sets[i][0];
    c.jump = sets[i][1];
    c.truncation = sets[i][2];
    c.own[6] = (double) (i % 3 == 1);
    c.n = i % 2 ? 29 : 21;
    c.width = 40;
    c.height = 12;
    check_case (&c, &random);
    c.fill = FILL_RANDOM;
    check_case (&c, &random);
  }
}

/* If all disparities cost the same, aggregation changes nothing and the first
 * one wins. */
TEST (test_equal_costs)
{
  Random random = { 6 };
  Case c = papers;
  SCOPED_PARAMS *params;
  SCOPED_IMAGE left, right;
  SCOPED (free_scoped) int *first = NULL;

  c.width = 75;
  c.height = 33;
  c.own[0] = 7;
  c.own[4] = 3;
  c.left = c.right = STEREO_FORMAT_RGB;
  params = case_params (&c, RESULT_INDICES);
  CASE_IMAGES (&c, &left, &right, &random);
  for (int y = 0; y < c.height; y++) {
    memset (test_image_row (&right, y), 255, right.row_bytes);
    for (size_t i = 0; i < left.row_bytes; i++)
      test_image_row (&left, y)[i] = (uint8_t) (random_next (&random) & 127);
  }
  first = calloc ((size_t) (c.width * c.height), sizeof (*first));
  REQUIRE (first != NULL);
  check_codes (algorithm, params, &left, &right, first);
}

/* More than a block of CUDA or a thread searches at once. */
TEST (test_parts)
{
  static const int numbers[] = { 129, 144, 161, 250, 300 };
  Random random = { 18 };

  for (size_t i = 0; i < sizeof (numbers) / sizeof (numbers[0]); i++) {
    Case c = usual;

    c.width = numbers[i] + 9;
    c.height = 2;
    c.n = numbers[i];
    c.fill = i % 2 ? FILL_RANDOM : FILL_RAMP;
    check_case (&c, &random);
  }
}

/* The winner of most pixels is next to the border of two parts: of 2 or 3
 * threads, and of 128 disparities.  Views are the same ramp but for noise, so
 * that costs are above 0. */
TEST (test_borders_of_parts)
{
  static const int winners[] = { 47, 48, 71, 72, 95, 96, 127, 128 };
  Random random = { 19 };

  for (int i = 0; i < 2 * 8; i++) {
    const uint32_t noise = i < 8 ? 3 : 15;
    Case c = usual;
    SCOPED_IMAGE left, right;

    c.width = 160;
    c.height = 2;
    c.n = 144;
    c.min = -winners[i % 8];
    c.own[4] = 255;
    c.own[6] = 1;
    init_pair (&left, &right, c.left, c.right, c.width, c.height, FILL_RAMP,
        &random);
    for (int p = 0; p < c.width * c.height; p++)
      test_image_row (&right, p / c.width)[p % c.width]
          ^= (uint8_t) (random_next (&random) & noise);
    check_images (&c, &left, &right);
  }
}

/* As many disparities as fit a warp, and more, which ESMP on CUDA rejects with
 * a message. */
TEST (test_many_disparities)
{
  static const int numbers[] = { 250, 260, 500, 512, 600 };
  Random random = { 8 };

  for (size_t i = 0; i < sizeof (numbers) / sizeof (numbers[0]); i++) {
    Case c = usual;
    SCOPED_PARAMS *params;
    SCOPED_IMAGE left, right, map, expected;

    c.width = 620;
    c.height = 9;
    c.n = numbers[i];
    params = case_params (&c, (Result) (i % N_RESULTS));
    CASE_IMAGES (&c, &left, &right, &random);
    test_image_init (&map, STEREO_FORMAT_GRAY16_LE, c.width, c.height, 0);
    test_image_init (&expected, STEREO_FORMAT_GRAY16_LE, c.width, c.height,
        0);
    match (0, params, algorithm, &left, &right, &expected);
    for (size_t d = 1; d < devices_count (); d++) {
      StereoDevice *device = devices_get (d);

      if (with_messages && c.n > 512
          && strcmp (stereo_device_backend (device), "cuda") == 0) {
        StereoMatcherConfig config = { sizeof (StereoMatcherConfig), c.width,
            c.height, c.left, c.right,
          STEREO_FORMAT_GRAY16_LE
        };
        StereoMatcher *matcher = NULL;

        REQUIRE (stereo_matcher_new (stereo_algorithm_find (algorithm),
                device, &matcher) == STEREO_OK);
        CHECK_INT (stereo_matcher_configure (matcher, &config, params), ==,
            STEREO_ERROR_UNSUPPORTED);
        CHECK_CONTAINS (stereo_matcher_error (matcher), "512");
        CHECK_CONTAINS (stereo_matcher_error (matcher), "600");
        stereo_matcher_free (&matcher);
        continue;
      }
      match (d, params, algorithm, &left, &right, &map);
      CHECK (first_difference (&map, &expected) == NULL);
    }
  }
}

/* Views that occupy a whole GPU, where ESAW computes costs and the first two
 * passes at once. */
TEST (test_first_passes)
{
  static const double bases[] = { 2.3, 1, 3.1, 4, 1.6 };
  Random random = { 31 };
  StereoDevice *cuda;
  int multiprocessors;

  if (with_messages)
    SKIP ("ESMP has separate passes");
  if (!devices_have_cuda ())
    SKIP ("no CUDA device");
  cuda = devices_get (devices_count () - 1);
  multiprocessors = stereo_cuda_pretend_multiprocessors (cuda, 1);
  for (size_t i = 0; i < sizeof (bases) / sizeof (bases[0]); i++) {
    Case c = usual;

    c.width = random_range (&random, 130, 260);
    c.height = random_range (&random, 300, 340);
    c.n = random_range (&random, 1, 40);
    c.min = random_range (&random, -20, 20);
    c.own[1] = bases[i];
    check_case (&c, &random);
    c.own[4] = 3;
    c.fill = FILL_RANDOM;
    check_case (&c, &random);
  }
  (void) stereo_cuda_pretend_multiprocessors (cuda, multiprocessors);
}

KERNEL_MAIN (bench (algorithm, argc, argv))
