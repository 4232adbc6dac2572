/* gst-stereomatching: tests of vcbw on all devices
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "cases.h"
#include "minima.h"

#include <math.h>

/* ------------------------------------------------------------------- oracle */

/*
 * An independent implementation of docs/algorithms/vcbw.md, pixel by pixel.  It
 * shares no code with the library.
 */

typedef struct
{
  int width, height, n, min, radius, tau, bits, cost, lr_max_diff;
  double gamma, alpha, beta;
  bool nine;
  bool color;
  bool subpixel;
  int row_weight[64], column_weight[64];
} Oracle;

enum
{
  CENSUS,
  LUMA,
  RGB
};

static void
oracle_weights (const Oracle * o, int parts, int *weight)
{
  double part[64], total = 0;
  int rest = parts;

  for (int k = 0; k <= o->radius; k++)
    total += exp (-k / o->gamma);
  for (int k = 0; k <= o->radius; k++) {
    part[k] = parts * exp (-k / o->gamma) / total;
    weight[k] = (int) floor (part[k]);
    part[k] -= weight[k];
    rest -= weight[k];
  }
  for (; rest > 0; rest--) {
    int best = 0;

    for (int k = 0; k <= o->radius; k++) {
      if (part[k] > part[best])
        best = k;
    }
    weight[best]++;
    part[best] -= 1;
  }
  if (weight[0] == 256) {
    weight[0] = 255;
    weight[1]++;
  }
}

/* Luma; the border repeats outside the image. */
static int
oracle_luma (const Oracle * o, const TestImage * image, int x, int y)
{
  return test_image_luma (image, o->color, limit_to (x, 0, o->width - 1),
      limit_to (y, 0, o->height - 1));
}

/* Census cost: 8 per differing comparison, plus 7 per level of gradient
 * difference, up to 8 levels. */
static int
oracle_census (const Oracle * o, const TestImage * left,
    const TestImage * right, int xl, int xr, int y)
{
  int cost = 0, slope[2];

  for (int dy = -2; dy <= 2; dy++) {
    for (int dx = -2; dx <= 2; dx++) {
      bool l = oracle_luma (o, left, xl + dx, y + dy)
          < oracle_luma (o, left, xl, y);
      bool r = oracle_luma (o, right, xr + dx, y + dy)
          < oracle_luma (o, right, xr, y);

      cost += l != r ? 8 : 0;
    }
  }
  slope[0] = (oracle_luma (o, left, xl + 1, y) - oracle_luma (o, left, xl - 1,
          y) + 256) / 2;
  slope[1] = (oracle_luma (o, right, xr + 1, y) - oracle_luma (o, right,
          xr - 1, y) + 256) / 2;
  return cost + 7 * limit_to (abs (slope[0] - slope[1]), 0, 8);
}

/* The truncated cost D at any column and row, also outside the image. */
static int
oracle_cost (const Oracle * o, const TestImage * left,
    const TestImage * right, int x, int y, int d)
{
  int xl = limit_to (x, d > 0 ? d : 0, o->width - 1 + (d < 0 ? d : 0));
  int l[3], r[3], sum;

  y = limit_to (y, 0, o->height - 1);
  if (o->cost == CENSUS) {
    sum = oracle_census (o, left, right, xl, xl - d, y);
    return limit_to (sum, 0, o->bits) * (255 / o->bits);
  }
  test_image_rgb (left, xl, y, l);
  test_image_rgb (right, xl - d, y, r);
  if (o->color && o->cost == RGB)
    sum = abs (l[0] - r[0]) + abs (l[1] - r[1]) + abs (l[2] - r[2]);
  else
    sum = 3 * abs (oracle_luma (o, left, xl, y)
        - oracle_luma (o, right, xl - d, y));

  if (o->tau <= 85)
    return (sum < 3 * o->tau ? sum : 3 * o->tau) * (255 / (3 * o->tau));
  return sum / 3 < o->tau ? sum / 3 : o->tau;
}

/* The four quadrants of all pixels for one disparity: as integers, and without
 * rounding, both in units of 64 D. */
static void
oracle_quadrants (const Oracle * o, const TestImage * left,
    const TestImage * right, int d, int *v, double *exact)
{
  int r = o->radius, w = o->width, h = o->height;
  size_t row = (size_t) (w + 2 * r);
  SCOPED (free_scoped) int *cost
      = malloc (row * (size_t) (h + 2 * r) * sizeof (int));
  double total = 0;

  REQUIRE (cost != NULL);
  for (int y = -r; y < h + r; y++)
    for (int x = -r; x < w + r; x++)
      cost[(size_t) (y + r) * row + (size_t) (x + r)] =
          oracle_cost (o, left, right, x, y, d);
  for (int k = 0; k <= r; k++)
    total += exp (-k / o->gamma);

  for (int y = 0; y < h; y++) {
    for (int x = 0; x < w; x++) {
      for (int q = 0; q < 4; q++) {
        int dx = q < 2 ? -1 : 1, dy = q % 2 == 0 ? 1 : -1, sum = 0;
        double real = 0;

        for (int j = 0; j <= r; j++) {
          int average = 128;

          for (int i = 0; i <= r; i++) {
            int c = cost[(size_t) (y + dy * j + r) * row
                + (size_t) (x + dx * i + r)];

            average += o->row_weight[i] * c;
            real += exp (-(i + j) / o->gamma) * c;
          }
          sum += o->column_weight[j] * (average >> 8);
        }
        v[(y * w + x) * 4 + q] = sum;
        exact[(y * w + x) * 4 + q] = 64 * real / total / total;
      }
    }
  }
}

static double
least (double a, double b, double c, double d)
{
  return fmin (fmin (a, b), fmin (c, d));
}

/* The cost of a pixel for one disparity, as an integer and without rounding. */
static void
oracle_windows (const Oracle * o, const int *q, const double *e, int *cost,
    double *real)
{
  int top = o->tau <= 85 ? 3 * o->tau * (255 / (3 * o->tau)) : o->tau;
  double full = q[0] + q[1] + q[2] + q[3];
  double half = 2 * least (q[0] + q[1], q[2] + q[3], q[0] + q[2], q[1] + q[3]);
  double quarter = 4 * least (q[0], q[1], q[2], q[3]);
  double real_full = e[0] + e[1] + e[2] + e[3];
  double real_half = 2 * least (e[0] + e[1], e[2] + e[3], e[0] + e[2],
      e[1] + e[3]);
  double real_quarter = 4 * least (e[0], e[1], e[2], e[3]);

  if (o->cost == CENSUS)
    top = o->bits * (255 / o->bits);
  *cost = (int) quarter;
  *real = real_quarter;
  if (o->nine) {
    *cost = (int) fmin (full, fmin (half + floor (o->alpha * top * 256 + 0.5),
            quarter + floor (o->beta * top * 256 + 0.5)));
    *real = fmin (real_full, fmin (real_half + o->alpha * top * 256,
            real_quarter + o->beta * top * 256));
  }
}

static Oracle
oracle_params (const TestImage * left, const TestImage * right,
    const StereoParams * params)
{
  Oracle o = { left->image.width, left->image.height };

  o.n = (int) param (params, "num-disparities");
  o.min = (int) param (params, "min-disparity");
  o.radius = (int) param (params, "radius");
  o.gamma = param (params, "gamma-distance");
  o.tau = (int) floor (param (params, "cost-threshold") + 0.5);
  o.bits = limit_to ((int) floor (8 * param (params, "cost-threshold") + 0.5),
      0, 248);
  o.alpha = param (params, "edge-penalty");
  o.beta = param (params, "corner-penalty");
  o.nine = param (params, "windows") == 0;
  o.cost = (int) param (params, "cost");
  o.subpixel = param (params, "subpixel") != 0;
  o.lr_max_diff = (int) param (params, "lr-max-diff");
  o.color = format_has_color (left->image.format)
      && format_has_color (right->image.format);
  oracle_weights (&o, 256, o.row_weight);
  oracle_weights (&o, 64, o.column_weight);
  return o;
}

/* The winner of a pixel of the left or right view: the index with the lowest
 * costs[index][pixel], -1 = none. */
static int
oracle_winner (const Oracle * o, const int *costs, int x, int y, bool right)
{
  int pixels = o->width * o->height, best = -1, lowest = 0;

  for (int i = 0; i < o->n; i++) {
    int column = right ? x + o->min + i : x, cost;

    if (abs (o->min + i) >= o->width || column < 0 || column >= o->width)
      continue;
    cost = costs[i * pixels + y * o->width + column];
    if (best < 0 || cost < lowest) {
      best = i;
      lowest = cost;
    }
  }
  return best;
}

/* The code of a pixel, in sixteenths or whole pixels; -1 = invalid. */
static int
oracle_code (const Oracle * o, const int *costs, int x, int y)
{
  int i = oracle_winner (o, costs, x, y, false), other, p, q, quotient;
  const int *c = costs + i * o->width * o->height + y * o->width + x;

  if (i < 0)
    return -1;
  if (o->lr_max_diff >= 0) {
    int partner = x - o->min - i;

    if (partner < 0 || partner >= o->width)
      return -1;
    other = oracle_winner (o, costs, partner, y, true);
    if (other < 0 || abs (other - i) > o->lr_max_diff)
      return -1;
  }
  if (!o->subpixel)
    return i;
  if (i == 0 || i == o->n - 1 || abs (o->min + i - 1) >= o->width
      || abs (o->min + i + 1) >= o->width)
    return 16 * i;
  p = c[-o->width * o->height] - c[o->width * o->height];
  q = (p > 0 ? c[-o->width * o->height] : c[o->width * o->height]) - c[0];
  if (q == 0)
    return 16 * i;
  /* Two lines of opposite slopes, the steeper one through the worse neighbour,
   * meet at 16 p / 2 q: floor of that + 1/2. */
  quotient = (16 * p + q) / (2 * q);
  if (quotient * 2 * q > 16 * p + q)
    quotient--;
  return 16 * i + limit_to (quotient, -8, 8);
}

/* The minima of a pixel of the left view. */
static Minima
oracle_minima (const Oracle * o, const int *costs, int p)
{
  long own[512];
  int n = 0;

  REQUIRE (o->n <= 512);
  for (int i = 0; i < o->n; i++) {
    if (abs (o->min + i) < o->width)
      own[n++] = costs[i * o->width * o->height + p];
  }
  return find_minima (own, n);
}

/* Computes codes, -1 = none, and minima.  excess: unrounded cost of the winner
 * above the best cost, in levels of D. */
static void
oracle_match (const TestImage * left, const TestImage * right,
    const StereoParams * params, int *code, double *excess, Minima * minima)
{
  Oracle o = oracle_params (left, right, params);
  int pixels = o.width * o.height;
  size_t count = (size_t) pixels * (size_t) o.n;
  SCOPED (free_scoped) int *v = malloc ((size_t) pixels * 4 * sizeof (int));
  SCOPED (free_scoped) double *exact
      = malloc ((size_t) pixels * 4 * sizeof (double));
  SCOPED (free_scoped) int *costs = calloc (count, sizeof (int));
  SCOPED (free_scoped) double *real = calloc (count, sizeof (double));

  REQUIRE (v && exact && costs && real);
  for (int i = 0; i < o.n; i++) {
    if (abs (o.min + i) >= o.width)
      continue;
    oracle_quadrants (&o, left, right, o.min + i, v, exact);
    for (int p = 0; p < pixels; p++)
      oracle_windows (&o, v + 4 * p, exact + 4 * p, &costs[i * pixels + p],
          &real[i * pixels + p]);
  }
  for (int p = 0; p < pixels; p++) {
    int winner = oracle_winner (&o, costs, p % o.width, p / o.width, false);

    code[p] = oracle_code (&o, costs, p % o.width, p / o.width);
    minima[p] = oracle_minima (&o, costs, p);
    excess[p] = 0;
    for (int i = 0; i < o.n && winner >= 0; i++) {
      if (abs (o.min + i) < o.width)
        excess[p] = fmax (excess[p], (real[winner * pixels + p]
                - real[i * pixels + p]) / 256);
    }
  }
}

/* -------------------------------------------------------------------- cases */

typedef struct
{
  int width, height;
  StereoFormat left, right;
  double n, min, radius, gamma, tau, alpha, beta, windows;
  Fill fill;
  double cost, subpixel, lr_max_diff;
} Case;

static StereoParams *
case_params (const Case * c)
{
  /* with these scales and an invalid value above all indices the map contains
   * the codes, except index 0 of one case */
  return params_new ("vcbw", "num-disparities", c->n, "min-disparity", c->min,
      "radius", c->radius, "gamma-distance", c->gamma, "cost-threshold",
      c->tau, "edge-penalty", c->alpha, "corner-penalty", c->beta, "windows",
      c->windows, "disparity-scale", c->subpixel ? 16.0 : 1.0, "invalid-value",
      65535.0, "cost", c->cost, "subpixel", c->subpixel, "lr-max-diff",
      c->lr_max_diff, "speckle-size", 0.0, "fill",
      c->lr_max_diff < 0 ? 1.0 : 0.0, "median", 0.0, "refine", 0.0, NULL);
}

/* Compares all devices with the oracle. */
static void
check_images (const Case * c, const TestImage * left, const TestImage * right)
{
  SCOPED_PARAMS *params = case_params (c);
  size_t pixels = (size_t) (c->width * c->height);
  SCOPED (free_scoped) int *winner = malloc (pixels * sizeof (int));
  SCOPED (free_scoped) double *excess = malloc (pixels * sizeof (double));
  SCOPED (free_scoped) Minima *minima = malloc (pixels * sizeof (*minima));

  REQUIRE (winner && excess && minima);
  oracle_match (left, right, params, winner, excess, minima);
  for (size_t p = 0; p < pixels; p++) {
    /* of 240: error of quantised weights and averages; larger for the larger
     * penalties of census costs */
    CHECK_DOUBLE (excess[p], <=, c->cost == CENSUS ? 5 : 4);
  }
  check_codes ("vcbw", params, left, right, winner);
  if (c->lr_max_diff >= 0)
    check_minima ("vcbw", params, left, right, minima);
}

static void
check_one (const Case * c, Random * random)
{
  SCOPED_IMAGE left, right;

  CASE_IMAGES (c, &left, &right, random);
  check_images (c, &left, &right);
}

static void
check_case (const Case * c, Random * random)
{
  /* the paper, typical settings, and some between */
  static const double kinds[][3] = {
    {RGB, 0, -1}, {CENSUS, 1, 1}, {CENSUS, 0, -1}, {LUMA, 1, 0}, {RGB, 1, -1},
    {RGB, 0, 2}, {LUMA, 0, -1}, {CENSUS, 1, -1}
  };
  static size_t next;
  Random same = *random;
  Case kind = *c;

  check_one (c, random);
  for (int i = 0; i < 2; i++) {
    const double *k = kinds[1 + (i == 0 ? 0 : 1 + next++ % 6)];

    kind.cost = k[0];
    kind.subpixel = k[1];
    kind.lr_max_diff = k[2];
    check_one (&kind, &same);
  }
}

/* of the paper */
static const Case usual = {
  24, 20, STEREO_FORMAT_GRAY8, STEREO_FORMAT_GRAY8, 10, 0, 16, 5, 20, 0.02,
  0.04, 0, FILL_SHIFTED, RGB, 0, -1
};

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
VIEWS_TEST (test_sizes, each_size, views, check_views)
VIEWS_TEST (test_disparities, each_range, views, check_views)
VIEWS_TEST (test_formats, each_format, views, check_views)

TEST (test_parameters)
{
  static const struct
  {
    double radius, gamma, tau, alpha, beta, windows;
  } sets[] = {
    {1, 5, 20, 0.02, 0.04, 0}, {2, 5, 20, 0.02, 0.04, 0},
    {15, 3, 20, 0.02, 0.04, 1}, {17, 5, 20, 0.02, 0.04, 0},
    {31, 9, 20, 0.02, 0.04, 0}, {32, 100, 20, 0.02, 0.04, 0},
    {32, 100, 20, 0, 0, 1}, {16, 0.1, 20, 0.02, 0.04, 0},
    {1, 0.1, 20, 0.02, 0.04, 0}, {16, 1, 20, 0.02, 0.04, 0},
    {16, 2.5, 20, 0.02, 0.04, 0}, {16, 2.9, 20, 1, 1, 0},
    {16, 5, 1, 0.02, 0.04, 0}, {16, 5, 85, 0.02, 0.04, 0},
    {16, 5, 86, 0.02, 0.04, 0}, {16, 5, 255, 1, 1, 0},
    {16, 5, 255, 0, 0, 1}, {16, 5, 20.5, 0, 1, 0}, {5, 20, 33, 1, 0, 0}
  };
  Random random = { 4 };

  for (size_t i = 0; i < sizeof (sets) / sizeof (sets[0]); i++) {
    Case c = usual;

    c.radius = sets[i].radius;
    c.gamma = sets[i].gamma;
    c.tau = sets[i].tau;
    c.alpha = sets[i].alpha;
    c.beta = sets[i].beta;
    c.windows = sets[i].windows;
    c.n = 7;
    c.height = 9;
    check_case (&c, &random);
    c.fill = FILL_RANDOM;
    c.left = c.right = STEREO_FORMAT_BGR;
    check_case (&c, &random);
  }
}

/* A case with uniqueness whose disparities the CPU processes in lanes. */
static Case
lanes_case (void)
{
  Case c = usual;

  c.gamma = 3.5;
  c.tau = 31;
  c.cost = CENSUS;
  c.subpixel = 1;
  c.lr_max_diff = 1;
  return c;
}

/* Chunks of disparities in the lanes of vectors, and of warps. */
TEST (test_uniqueness)
{
  static const int numbers[] = { 22, 24, 32, 33, 45, 64, 65, 90, 128, 130 };
  const int n_numbers = (int) (sizeof (numbers) / sizeof (numbers[0]));
  Random random = { 15 };

  for (int i = 0; i < 2 * n_numbers; i++) {
    Case c = lanes_case ();

    c.n = numbers[i % n_numbers];
    c.width = (int) c.n + random_range (&random, 1, 90);
    c.height = random_range (&random, 1, 7);
    c.min = i % 3 ? 0 : -floor (c.n / 2);
    c.fill = i % 2 ? FILL_RANDOM : FILL_SHIFTED;
    c.alpha = 0.08;
    c.beta = 0.16;
    check_one (&c, &random);
  }
}

/* A blurred texture in both views, with noise, so that costs are above 0. */
static void
fill_blurred (const TestImage * left, const TestImage * right, Random * random)
{
  for (int y = 0; y < left->image.height; y++) {
    uint8_t *row = test_image_row (left, y);
    int a = 0, b = 0;

    for (int x = 0; x < left->image.width; x++) {
      const int next = random_range (random, 0, 255);

      row[x] = (uint8_t) ((a + b + next) / 3);
      a = b;
      b = next;
    }
    for (int x = 0; x < left->image.width; x++)
      test_image_row (right, y)[x] = (uint8_t) (row[x] / 2
          + random_range (random, 0, 90));
  }
}

/* The winner of most pixels is next to a border of two chunks, and its
 * neighbours are the next best. */
TEST (test_borders_of_chunks)
{
  static const int winners[] = { 15, 16, 31, 32, 63, 64 };
  Random random = { 16 };

  for (int i = 0; i < (int) (sizeof (winners) / sizeof (winners[0])); i++) {
    Case c = lanes_case ();
    SCOPED_IMAGE left, right;

    c.n = 96;
    c.min = -winners[i];
    c.width = 140;
    c.height = 5;
    init_pair (&left, &right, c.left, c.right, c.width, c.height, FILL_BLACK,
        &random);
    fill_blurred (&left, &right, &random);
    check_images (&c, &left, &right);
  }
}

/* Census costs of sizes that make the CPU process disparities in lanes: several
 * tiles and chunks, negative and positive disparities beyond the border, and
 * weights that are too large for it. */
TEST (test_many_disparities)
{
  Random random = { 12 };

  for (int i = 0; i < 32; i++) {
    Case c = usual;
    SCOPED_IMAGE left, right;
    SCOPED_PARAMS *params;

    c.width = random_range (&random, 1, i % 4 == 0 ? 80 : 300);
    c.height = random_range (&random, 1, i % 8 == 0 ? 400 : 60);
    c.fill = i % 3 == 0 ? FILL_RANDOM : FILL_SHIFTED;
    c.n = random_range (&random, 15, 150);
    c.min = random_range (&random, -90, 20);
    c.gamma = i % 8 == 5 ? 0.5 : i % 8 == 6 ? 1.2 : 3.5;
    c.radius = i % 8 == 7 ? 20 : random_range (&random, 1, 16);
    c.tau = i % 4 == 3 ? 12 : 31;
    c.alpha = 0.08;
    c.beta = i % 5 == 0 ? 1 : 0.16;
    c.windows = i % 8 == 4;
    c.cost = CENSUS;
    c.subpixel = i % 2;
    c.lr_max_diff = i % 3 - 1;
    params = case_params (&c);
    CASE_IMAGES (&c, &left, &right, &random);
    check_devices ("vcbw", params, &left, &right, STEREO_FORMAT_GRAY16_LE);
  }
}

/* Kernels for GPUs with little shared memory. */
TEST (test_small_shared_memory)
{
  static const int limits[] = { 64 << 10, 99 << 10 };
  Random random = { 10 };

  if (!devices_have_cuda ())
    SKIP ("no CUDA device");
  for (int i = 0; i < 36; i++) {
    Case c = usual;
    SCOPED_IMAGE left, right;
    SCOPED_PARAMS *params;

    c.width = random_range (&random, 1, 300);
    c.height = random_range (&random, 1, 150);
    c.left = c.right = i % 2 ? STEREO_FORMAT_RGB : STEREO_FORMAT_GRAY8;
    c.radius = i % 4 < 2 ? 16 : 32;
    c.cost = i % 3;
    c.subpixel = i / 3 % 2;
    c.lr_max_diff = i / 3 % 2 ? 1 : -1;
    c.n = random_range (&random, 1, 100);
    c.min = random_range (&random, -50, 20);
    params = case_params (&c);
    REQUIRE (stereo_params_set (params, "min-confidence", i % 2 ? 0.8 : 0,
            NULL) == STEREO_OK);
    CASE_IMAGES (&c, &left, &right, &random);
    check_shared_limit ("vcbw", params, &left, &right, limits[i / 18]);
  }
}

KERNEL_MAIN (bench (ALGORITHM, argc, argv))
