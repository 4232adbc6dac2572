/* gst-stereomatching: tests of sgm on all devices
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "cases.h"

#include <math.h>

/* ------------------------------------------------------------------- oracle */

/*
 * An independent implementation of docs/algorithms/sgm.md, path by path over
 * whole cost volumes.  It shares no code with the library.  It has whole
 * disparities and no refinement, so that winners are the map.
 */

typedef struct
{
  int width, height, n, min;
  bool three, color, adaptive;
  int cost;                     /* 0 = census, 1 = luma, 2 = RGB */
  int n_paths, p1, p2, p2_min;
  const TestImage *left, *right;
  int (*luma)[2];               /* of both views */
  int *volume;                  /* path costs L of one direction */
  int *sum;
} Oracle;

static int
luma (const Oracle * o, int view, int x, int y)
{
  x = limit_to (x, 0, o->width - 1);
  y = limit_to (y, 0, o->height - 1);
  return o->luma[y * o->width + x][view];
}

static int
census (const Oracle * o, int x, int y, int xr)
{
  int bits = 0, gl, gr;

  for (int j = -2; j <= 2; j++) {
    for (int i = -2; i <= 2; i++) {
      bool l = luma (o, 0, x + i, y + j) < luma (o, 0, x, y);
      bool r = luma (o, 1, xr + i, y + j) < luma (o, 1, xr, y);

      bits += l != r;
    }
  }
  gl = (int) floor ((luma (o, 0, x + 1, y) - luma (o, 0, x - 1, y) + 256)
      / 2.0);
  gr = (int) floor ((luma (o, 1, xr + 1, y) - luma (o, 1, xr - 1, y) + 256)
      / 2.0);
  return 8 * bits + 7 * (abs (gl - gr) < 8 ? abs (gl - gr) : 8);
}

static int
oracle_cost (const Oracle * o, int x, int y, int d)
{
  int xl = limit_to (x, d > 0 ? d : 0, o->width - 1 + (d < 0 ? d : 0));
  int l[3], r[3];

  if (o->cost == 0)
    return census (o, xl, y, xl - d);
  if (o->cost == 1 || !o->color)
    return abs (luma (o, 0, xl, y) - luma (o, 1, xl - d, y));
  test_image_rgb (o->left, xl, y, l);
  test_image_rgb (o->right, xl - d, y, r);
  return (abs (l[0] - r[0]) + abs (l[1] - r[1]) + abs (l[2] - r[2])) / 3;
}

/* Largest channel difference in the left view. */
static int
change (const Oracle * o, int x, int y, int x2, int y2)
{
  int a[3], b[3], most = 0;

  if (!o->color)
    return abs (luma (o, 0, x, y) - luma (o, 0, x2, y2));
  test_image_rgb (o->left, x, y, a);
  test_image_rgb (o->left, x2, y2, b);
  for (int c = 0; c < 3; c++)
    most = abs (a[c] - b[c]) > most ? abs (a[c] - b[c]) : most;
  return most;
}

static int *
at (const Oracle * o, int *volume, int x, int y)
{
  return volume + ((size_t) y * (size_t) o->width + (size_t) x)
      * (size_t) o->n;
}

static double
similarity (int g)
{
  double u = floor (255 * exp (-g / 12.0) + 0.5);

  return u < 1 ? 1 : u;
}

/* A pixel and its straight predecessor. */
typedef struct
{
  int x;
  int y;
  int px;
  int py;
  bool horizontal;
} Step;

/* The weight of the neighbour on a side (-1 or 1) of the predecessor, in 64ths,
 * or with t = 0 its similarity, if it is in the same strip; strips are across
 * the sweep. */
static int
neighbor_weight (const Oracle * o, const Step * step, int side, double t)
{
  int bx = step->px + (step->horizontal ? 0 : side);
  int by = step->py + (step->horizontal ? side : 0);
  int place = step->horizontal ? step->py : step->px;
  double u;

  if (bx < 0 || by < 0 || bx >= o->width || by >= o->height
      || place / 16 != (place + side) / 16)
    return 0;
  u = similarity (change (o, step->x, step->y, bx, by));
  return (int) (t == 0 ? u : floor ((128 * u + t) / (2 * t)));
}

/* Path cost L of one pixel in direction (dx, dy). */
static void
oracle_pixel (Oracle * o, int x, int y, int dx, int dy)
{
  int *l = at (o, o->volume, x, y), px = x - dx, py = y - dy;
  int *q = malloc ((size_t) o->n * sizeof (int)), m = 1 << 30, g, p1, p2;

  REQUIRE (q != NULL);
  for (int i = 0; i < o->n; i++)
    l[i] = oracle_cost (o, x, y, o->min + i);
  if (px < 0 || py < 0 || px >= o->width || py >= o->height) {
    free (q);
    return;
  }

  g = change (o, x, y, px, py);
  p2 = o->p2;
  if (o->adaptive) {
    p2 = (int) floor (4.0 * o->p2 / (g > 4 ? g : 4) + 0.5);
    p2 = p2 < o->p2_min ? o->p2_min : p2;
  }
  p1 = o->p1 < p2 ? o->p1 : p2;
  memcpy (q, at (o, o->volume, px, py), (size_t) o->n * sizeof (int));
  if (o->three) {
    const Step step = { x, y, px, py, dy == 0 };
    const int ox = step.horizontal ? 0 : 1, oy = step.horizontal ? 1 : 0;
    double t = similarity (g) + neighbor_weight (o, &step, -1, 0)
        + neighbor_weight (o, &step, 1, 0);
    int wb = neighbor_weight (o, &step, -1, t);
    int we = neighbor_weight (o, &step, 1, t);

    for (int i = 0; i < o->n; i++) {
      int sum = (64 - wb - we) * q[i] + 32;

      if (wb > 0)
        sum += wb * at (o, o->volume, px - ox, py - oy)[i];
      if (we > 0)
        sum += we * at (o, o->volume, px + ox, py + oy)[i];
      q[i] = sum / 64;
    }
  }
  for (int i = 0; i < o->n; i++)
    m = q[i] < m ? q[i] : m;
  for (int i = 0; i < o->n; i++) {
    int best = m + p2 < q[i] ? m + p2 : q[i];

    if (i > 0 && q[i - 1] + p1 < best)
      best = q[i - 1] + p1;
    if (i + 1 < o->n && q[i + 1] + p1 < best)
      best = q[i + 1] + p1;
    l[i] += best - m;
  }
  free (q);
}

static void
oracle_sweep (Oracle * o, int dx, int dy)
{
  size_t size = (size_t) o->width * (size_t) o->height * (size_t) o->n;

  /* rows and columns in path order, so that predecessors come first */
  for (int j = 0; j < o->height; j++) {
    for (int i = 0; i < o->width; i++) {
      int x = dx < 0 ? o->width - 1 - i : i, y = dy < 0 ? o->height - 1 - j : j;

      if (dy != 0)
        oracle_pixel (o, x, y, dx, dy);
    }
  }
  for (int i = 0; i < o->width && dy == 0; i++) {
    for (int y = 0; y < o->height; y++)
      oracle_pixel (o, dx < 0 ? o->width - 1 - i : i, y, dx, dy);
  }
  for (size_t i = 0; i < size; i++)
    o->sum[i] += o->volume[i];
}

/* Winning indices, -1 if no disparity is valid in both views. */
static void
oracle_match (Oracle * o, int *indices)
{
  static const int sweeps[8][2] = {
    {1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, 1}, {1, -1}, {-1, -1}
  };
  int first = 1 - o->width - o->min, end = o->width - o->min, n = o->n;
  int min = o->min;
  size_t size;

  first = limit_to (first, 0, n);
  end = limit_to (end, first, n);
  o->min += first;
  o->n = end - first;
  size = (size_t) o->width * (size_t) o->height * (size_t) o->n;
  o->volume = calloc (size + 1, sizeof (int));
  o->sum = calloc (size + 1, sizeof (int));
  o->luma = malloc ((size_t) o->width * (size_t) o->height
      * sizeof (*o->luma));
  REQUIRE (o->volume != NULL && o->sum != NULL && o->luma != NULL);
  for (int i = 0; i < o->width * o->height; i++) {
    o->luma[i][0] = test_image_luma (o->left, o->color, i % o->width,
        i / o->width);
    o->luma[i][1] = test_image_luma (o->right, o->color, i % o->width,
        i / o->width);
  }
  for (int i = 0; i < (o->three ? 4 : o->n_paths) && o->n > 0; i++)
    oracle_sweep (o, sweeps[i][0], sweeps[i][1]);
  for (int i = 0; i < o->width * o->height; i++) {
    const int *s = at (o, o->sum, i % o->width, i / o->width);
    int best = 0;

    for (int d = 1; d < o->n; d++)
      best = s[d] < s[best] ? d : best;
    indices[i] = o->n > 0 ? first + best : -1;
  }
  free (o->volume);
  free (o->sum);
  free (o->luma);
  o->n = n;
  o->min = min;
}

/* -------------------------------------------------------------------- cases */

typedef struct
{
  int width, height;
  StereoFormat left, right;
  int n, min;
  int predecessors, paths;      /* predecessors 1 or 3, paths 4 or 8 */
  double p1, p2, p2_min;
  bool adaptive;
  int cost;
  Fill fill;
} Case;

static const Case usual = { 45, 37, STEREO_FORMAT_RGB, STEREO_FORMAT_RGB, 13,
  0, 3, 4, 96, 768, 104, true, 0, FILL_SHIFTED
};

static StereoParams *
case_params (const Case * c)
{
  return params_new ("sgm", "num-disparities", (double) c->n, "min-disparity",
      (double) c->min, "predecessors", (double) c->predecessors,
      "paths", (double) c->paths, "p1", c->p1, "p2", c->p2, "p2-min",
      c->p2_min, "adaptive-penalty", c->adaptive ? 1.0 : 0.0, "cost",
      (double) c->cost, "disparity-scale", 1.0, "invalid-value", 65535.0,
      "subpixel", 0.0, "lr-max-diff", -1.0, "speckle-size", 0.0, "fill", 0.0,
      "refine", 0.0, "median", 0.0, NULL);
}

/* Compares the map of each device with the oracle's. */
static void
check_case (const Case * c, Random * random)
{
  size_t pixels = (size_t) c->width * (size_t) c->height;
  SCOPED (free_scoped) int *expected = malloc (pixels * sizeof (int));
  SCOPED_PARAMS *params = case_params (c);
  SCOPED_IMAGE left, right;
  Oracle o = {
    .width = c->width, .height = c->height, .n = c->n, .min = c->min,
    .three = c->predecessors == 3, .adaptive = c->adaptive, .cost = c->cost,
    .color = format_has_color (c->left) && format_has_color (c->right),
    .n_paths = c->paths, .p1 = (int) c->p1, .p2 = (int) c->p2,
    .p2_min = (int) c->p2_min, .left = &left, .right = &right,
  };

  REQUIRE (expected != NULL);
  CASE_IMAGES (c, &left, &right, random);
  oracle_match (&o, expected);
  check_codes ("sgm", params, &left, &right, expected);
}

/* The case with all numbers of paths and predecessors. */
static void
check_ways (Case * c, Random * random)
{
  static const int ways[][2] = { {3, 4}, {1, 4}, {1, 8} };

  for (size_t i = 0; i < sizeof (ways) / sizeof (ways[0]); i++) {
    c->predecessors = ways[i][0];
    c->paths = ways[i][1];
    check_case (c, random);
  }
}

static const Views views = {
  45, 37, STEREO_FORMAT_GRAY8, STEREO_FORMAT_GRAY8, 13, 0, FILL_SHIFTED
};

static void
check_views (const Views * v, int i, Random * random)
{
  Case c = usual;

  (void) i;
  CASE_SET_VIEWS (&c, v);
  check_ways (&c, random);
}

VIEWS_TEST (test_fills, each_fill, views, check_views)
VIEWS_TEST (test_sizes, each_size, views, check_views)
VIEWS_TEST (test_disparities, each_range, views, check_views)
VIEWS_TEST (test_formats, each_format, views, check_views)

TEST (test_parameters)
{
  static const struct
  {
    double p1, p2, p2_min;
    bool adaptive;
    int cost;
  } sets[] = {
    {0, 0, 0, false, 0}, {0, 768, 0, true, 0}, {768, 768, 768, true, 0},
    {768, 768, 768, false, 2}, {20, 10, 5, true, 0}, {10, 100, 20, true, 1},
    {10, 100, 20, true, 2}, {5, 768, 768, false, 1}, {96, 768, 104, false, 0}
  };
  Random random = { 4 };

  for (size_t i = 0; i < sizeof (sets) / sizeof (sets[0]); i++) {
    Case c = usual;

    c.p1 = sets[i].p1;
    c.p2 = sets[i].p2;
    c.p2_min = sets[i].p2_min;
    c.adaptive = sets[i].adaptive;
    c.cost = sets[i].cost;
    check_ways (&c, &random);
    c.left = STEREO_FORMAT_NV12;
    c.fill = FILL_RANDOM;
    check_ways (&c, &random);
  }
}

/* The largest number of disparities in CUDA kernels, with winners of both
 * views, on GPUs with more and less shared memory, compared with the first
 * device. */
TEST (test_cuda)
{
  static const struct
  {
    int n, kib;
  } sets[] = {
    {32, 227}, {64, 48}, {128, 227}, {128, 64}, {256, 227}, {256, 48},
    {512, 227}, {512, 99}, {1024, 227}
  };
  const int n_sets = (int) (sizeof (sets) / sizeof (sets[0]));
  Random random = { 11 };

  if (!devices_have_cuda ())
    SKIP ("no CUDA device");
  for (int i = 0; i < 6 * n_sets; i++) {
    const int most = sets[i % n_sets].n;
    const int n = random_range (&random, most / 2 + 1, most);
    const int width = random_range (&random, n / 2 + 1, 2 * n + 50);
    const int height = random_range (&random, 1, 40);
    const int way = i / n_sets % 3;
    const StereoFormat format = i % 2 ? STEREO_FORMAT_RGB
        : STEREO_FORMAT_GRAY8;
    SCOPED_IMAGE left, right;
    SCOPED_PARAMS *params = params_new ("sgm", "num-disparities", (double) n,
        "min-disparity", (double) random_range (&random, -n / 2, n / 4),
        "predecessors", way == 0 ? 3.0 : 1.0, "paths", way == 1 ? 4.0 : 8.0,
        "p1", (double) random_range (&random, 0, 768), "disparity-scale", 16.0,
        "invalid-value", 65535.0, "lr-max-diff", 1.0, "speckle-size", 0.0,
        "fill", 0.0, "refine", 0.0, "median", 0.0, NULL);

    init_pair (&left, &right, format, format, width, height, FILL_SHIFTED,
        &random);
    check_shared_limit ("sgm", params, &left, &right,
        sets[i % n_sets].kib << 10);
  }
}

KERNEL_MAIN (bench (ALGORITHM, argc, argv))
