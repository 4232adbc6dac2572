/* gst-stereomatching: tests of sgm on all devices
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "cases.h"
#include "minima.h"

#include <limits.h>
#include <math.h>

/* The property "range". */
#define AUTO 0.0
#define FULL 1.0
#define HALF_SIZE 2.0

/* ------------------------------------------------------------------- oracle */

/*
 * An independent implementation of docs/algorithms/sgm.md, path by path over
 * whole cost volumes.  It shares no code with the library.  It has whole
 * disparities and no refinement, so that winners are the map.
 */

/* The disparities of a tile, from begin to end - 1. */
typedef struct
{
  int begin, end;
} OracleRange;

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
  const OracleRange *ranges;    /* of tiles of 32x32, or NULL */
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

static bool
in_range (const Oracle * o, int x, int y, int i)
{
  const OracleRange *r;

  if (o->ranges == NULL)
    return true;
  r = &o->ranges[y / 32 * ((o->width + 31) / 32) + x / 32];
  return i >= r->begin && i < r->end;
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
  for (int i = 0; i < o->n; i++) {
    if (!in_range (o, px, py, i) || !in_range (o, x, y, i))
      q[i] = 1 << 20;
    m = q[i] < m ? q[i] : m;
  }
  for (int i = 0; i < o->n && m < 1 << 20; i++) {
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

/* The disparities that are valid in both views. */
static OracleRange
valid_disparities (const Oracle * o)
{
  const int first = limit_to (1 - o->width - o->min, 0, o->n);

  return (OracleRange) { first, limit_to (o->width - o->min, first, o->n) };
}

/* The left index of lowest sum, and for a right pixel that of lowest sum among
 * its partners, -1 if it has none. */
static int
left_winner (const Oracle * o, int x, int y)
{
  const int *s = at (o, o->sum, x, y);
  int best = -1;

  for (int d = 0; d < o->n; d++) {
    if (in_range (o, x, y, d) && (best < 0 || s[d] < s[best]))
      best = d;
  }
  return best;
}

static int
right_winner (const Oracle * o, int x, int y)
{
  int best = -1, least = INT_MAX;

  for (int d = 0; d < o->n; d++) {
    const int xl = x + o->min + d;

    if (xl >= 0 && xl < o->width && in_range (o, xl, y, d)
        && at (o, o->sum, xl, y)[d] < least) {
      least = at (o, o->sum, xl, y)[d];
      best = d;
    }
  }
  return best;
}

/* The minima of a left pixel. */
static Minima
left_minima (const Oracle * o, int x, int y)
{
  long sums[512];
  int n = 0;

  REQUIRE (o->n <= 512);
  for (int d = 0; d < o->n; d++) {
    if (in_range (o, x, y, d))
      sums[n++] = at (o, o->sum, x, y)[d];
  }
  return find_minima (sums, n);
}

/* Winning indices, -1 if no disparity is valid in both views.  May be NULL:
 * right: of the right view; minima: of the left view. */
static void
oracle_match (Oracle * o, int *indices, int *right, Minima * minima)
{
  static const int sweeps[8][2] = {
    {1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, 1}, {1, -1}, {-1, -1}
  };
  const OracleRange valid = valid_disparities (o);
  const int first = valid.begin, end = valid.end, n = o->n, min = o->min;
  size_t size;

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
    int best = left_winner (o, i % o->width, i / o->width);

    indices[i] = best < 0 ? -1 : first + best;
    if (minima != NULL)
      minima[i] = left_minima (o, i % o->width, i / o->width);
    if (right != NULL) {
      best = right_winner (o, i % o->width, i / o->width);
      right[i] = best < 0 ? -1 : first + best;
    }
  }
  free (o->volume);
  free (o->sum);
  free (o->luma);
  o->n = n;
  o->min = min;
}

/* ------------------------------------------------------ range by half size */

/* The mean of 2x2 pixels of a view, rounded, as GRAY8 or RGB. */
static void
halve_image (const Oracle * o, const TestImage * from, TestImage * to)
{
  const int width = (o->width + 1) / 2, height = (o->height + 1) / 2;

  test_image_init (to, o->color ? STEREO_FORMAT_RGB : STEREO_FORMAT_GRAY8,
      width, height, 0);
  for (int i = 0; i < width * height; i++) {
    int sum[3] = { 2, 2, 2 };

    for (int j = 0; j < 4; j++) {
      const int x = limit_to (i % width * 2 + j % 2, 0, o->width - 1);
      const int y = limit_to (i / width * 2 + j / 2, 0, o->height - 1);
      int rgb[3];

      if (o->color)
        test_image_rgb (from, x, y, rgb);
      else
        rgb[0] = test_image_luma (from, false, x, y);
      for (int c = 0; c < (o->color ? 3 : 1); c++)
        sum[c] += rgb[c];
    }
    for (int c = 0; c < (o->color ? 3 : 1); c++)
      test_image_row (to, i / width)[i % width * (o->color ? 3 : 1) + c] =
          (uint8_t) (sum[c] / 4);
  }
}

/* The pixels that are connected to one by steps of at most one disparity; they
 * are listed in order. */
static int
flood (const Oracle * o, const int *map, int start, int *seen, int *order)
{
  const int dx[4] = { 1, -1, 0, 0 }, dy[4] = { 0, 0, 1, -1 };
  int n = 0;

  order[n++] = start;
  seen[start] = 1;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 4; j++) {
      const int x = order[i] % o->width + dx[j];
      const int y = order[i] / o->width + dy[j], p = y * o->width + x;

      if (x < 0 || y < 0 || x >= o->width || y >= o->height || seen[p]
          || map[p] < 0 || abs (map[p] - map[order[i]]) > 1)
        continue;
      seen[p] = 1;
      order[n++] = p;
    }
  }
  return n;
}

/* Invalidates what the right view contradicts, then speckles below 50
 * pixels. */
static void
check_map (const Oracle * o, const int *right, int *map)
{
  const int pixels = o->width * o->height;
  SCOPED (free_scoped) int *seen = calloc ((size_t) pixels, sizeof (int));
  SCOPED (free_scoped) int *order = calloc ((size_t) pixels, sizeof (int));

  REQUIRE (seen != NULL && order != NULL);
  for (int i = 0; i < pixels; i++) {
    const int x = i % o->width - map[i] - o->min;
    const int other = x < 0 || x >= o->width ? -1
        : right[i - i % o->width + x];

    if (other < 0 || abs (other - map[i]) > 1)
      map[i] = -1;
  }
  for (int i = 0; i < pixels; i++) {
    int n;

    if (map[i] < 0 || seen[i])
      continue;
    n = flood (o, map, i, seen, order);
    for (int j = 0; j < n && n < 50; j++)
      map[order[j]] = -1;
  }
}

/* The lower of the nearest valid values to the left and to the right; rows
 * without any take the row above, those before the first one that row. */
static void
fill_map (const Oracle * o, int *map)
{
  int last = -1;

  for (int y = 0; y < o->height; y++) {
    int *row = map + y * o->width, valid = 0;

    for (int x = 0; x < o->width; x++)
      valid += row[x] >= 0;
    for (int x = 0, left = -1; x < o->width && valid > 0; x++) {
      int right = x;

      while (right < o->width && row[right] < 0)
        right++;
      if (right == x)
        left = row[x];
      else if (right == o->width)
        row[x] = -2 - left;
      else
        row[x] = -2 - (left >= 0 && left < row[right] ? left : row[right]);
    }
    for (int x = 0; x < o->width; x++)
      row[x] = row[x] < -1 ? -2 - row[x] : row[x];
    if (valid > 0) {
      for (int above = last + 1; last < 0 && above < y; above++)
        memcpy (map + above * o->width, row, (size_t) o->width * sizeof (int));
      last = y;
    } else if (last >= 0) {
      memcpy (row, row - o->width, (size_t) o->width * sizeof (int));
    }
  }
}

static int
compare_ints (const void *a, const void *b)
{
  return *(const int *) a - *(const int *) b;
}

/* The 3x3 median of a map without holes; edges are repeated. */
static int
median_at (const Oracle * o, const int *map, int x, int y)
{
  int v[9];

  for (int i = 0; i < 9; i++)
    v[i] = map[limit_to (y + i / 3 - 1, 0, o->height - 1) * o->width
        + limit_to (x + i % 3 - 1, 0, o->width - 1)];
  qsort (v, 9, sizeof (int), compare_ints);
  return v[4];
}

/* A multiple of step at or below v. */
static int
floor_to (int v, int step)
{
  return (int) floor ((double) v / step) * step;
}

/* The range of a tile from a filled map of half size. */
static OracleRange
tile_range (const Oracle * o, const Oracle * half, const int *map, int tile_x,
    int tile_y)
{
  const OracleRange valid = valid_disparities (o);
  const int first = o->min + valid.begin, n = valid.end - valid.begin;
  const int step = n > 512 ? 32 : n > 256 ? 16 : 8;
  int least = INT_MAX, most = INT_MIN;
  OracleRange r;

  for (int y = 0; y < half->height; y++) {
    for (int x = 0; x < half->width; x++) {
      /* the tile and 40 pixels around it */
      if (2 * x < 32 * tile_x - 40 || 2 * x >= 32 * tile_x + 72
          || 2 * y < 32 * tile_y - 40 || 2 * y >= 32 * tile_y + 72
          || map[y * half->width + x] < 0)
        continue;
      r.begin = half->min + median_at (half, map, x, y);
      least = r.begin < least ? r.begin : least;
      most = r.begin > most ? r.begin : most;
    }
  }
  if (least > most)
    return (OracleRange) { 0, n };
  r.begin = limit_to (floor_to (2 * least - 3 - first, step), 0, n);
  r.end = limit_to (-floor_to (-(2 * most + 4 - first), step), 0, n);
  return r.begin < r.end ? r : (OracleRange) { 0, n };
}

/* The ranges of the tiles of a view, row by row. */
static OracleRange *
find_ranges (const Oracle * o)
{
  const int columns = (o->width + 31) / 32, rows = (o->height + 31) / 32;
  const int width = (o->width + 1) / 2, height = (o->height + 1) / 2;
  const size_t pixels = (size_t) width * (size_t) height;
  OracleRange *ranges = calloc ((size_t) (columns * rows), sizeof (*ranges));
  SCOPED (free_scoped) int *map = calloc (pixels, sizeof (int));
  SCOPED (free_scoped) int *right_map = calloc (pixels, sizeof (int));
  SCOPED_IMAGE left, right;
  Oracle half = *o;

  REQUIRE (ranges != NULL && map != NULL && right_map != NULL);
  halve_image (o, o->left, &left);
  halve_image (o, o->right, &right);
  half.left = &left;
  half.right = &right;
  half.width = width;
  half.height = height;
  half.min = (int) floor (o->min / 2.0);
  half.n = (int) floor ((o->min + o->n - 1) / 2.0) - half.min + 1;
  oracle_match (&half, map, right_map, NULL);
  check_map (&half, right_map, map);
  fill_map (&half, map);
  for (int i = 0; i < columns * rows; i++)
    ranges[i] = tile_range (o, &half, map, i % columns, i / columns);
  return ranges;
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
  bool half_size;               /* range=half-size */
} Case;

static const Case usual = { 45, 37, STEREO_FORMAT_RGB, STEREO_FORMAT_RGB, 13,
  0, 3, 4, 96, 768, 104, true, 0, FILL_SHIFTED, false
};

static StereoParams *
case_params (const Case * c)
{
  return params_new ("sgm", "num-disparities", (double) c->n, "min-disparity",
      (double) c->min, "predecessors", (double) c->predecessors,
      "paths", (double) c->paths, "p1", c->p1, "p2", c->p2, "p2-min",
      c->p2_min, "adaptive-penalty", c->adaptive ? 1.0 : 0.0, "cost",
      (double) c->cost, "range", c->half_size ? HALF_SIZE : FULL,
      "disparity-scale", 1.0, "invalid-value", 65535.0, "subpixel", 0.0,
      "lr-max-diff", -1.0, "speckle-size", 0.0, "fill", 0.0, "refine", 0.0,
      "median", 0.0, NULL);
}

/* Compares the map of each device with the oracle's; minima: and the
 * uniqueness. */
static void
check_results (const Case * c, const TestImage * left, const TestImage * right,
    bool minima)
{
  size_t pixels = (size_t) c->width * (size_t) c->height;
  SCOPED (free_scoped) int *expected = malloc (pixels * sizeof (int));
  SCOPED (free_scoped) Minima *found = malloc (pixels * sizeof (*found));
  SCOPED (free_scoped) OracleRange *ranges = NULL;
  SCOPED_PARAMS *params = case_params (c);
  Oracle o = {
    .width = c->width, .height = c->height, .n = c->n, .min = c->min,
    .three = c->predecessors == 3, .adaptive = c->adaptive, .cost = c->cost,
    .color = format_has_color (c->left) && format_has_color (c->right),
    .n_paths = c->paths, .p1 = (int) c->p1, .p2 = (int) c->p2,
    .p2_min = (int) c->p2_min, .left = left, .right = right,
  };
  OracleRange valid = valid_disparities (&o);

  REQUIRE (expected != NULL && found != NULL);
  if (c->half_size && o.three && valid.end - valid.begin >= 48)
    o.ranges = ranges = find_ranges (&o);
  oracle_match (&o, expected, NULL, found);
  check_codes ("sgm", params, left, right, expected);
  if (minima)
    check_minima ("sgm", params, left, right, found);
}

static void
check_images (const Case * c, const TestImage * left, const TestImage * right)
{
  check_results (c, left, right, false);
}

static void
check_case (const Case * c, Random * random)
{
  SCOPED_IMAGE left, right;

  CASE_IMAGES (c, &left, &right, random);
  check_images (c, &left, &right);
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

/* The same with the uniqueness, for one of the ways. */
static void
check_uniqueness (const Views * v, int i, Random * random)
{
  SCOPED_IMAGE left, right;
  Case c = usual;

  CASE_SET_VIEWS (&c, v);
  c.predecessors = i % 3 == 0 ? 3 : 1;
  c.paths = i % 3 == 1 ? 8 : 4;
  CASE_IMAGES (&c, &left, &right, random);
  check_results (&c, &left, &right, true);
}

VIEWS_TEST (test_fills, each_fill, views, check_views)
VIEWS_TEST (test_uniqueness_fills, each_fill, views, check_uniqueness)
VIEWS_TEST (test_uniqueness_sizes, each_size, views, check_uniqueness)
VIEWS_TEST (test_uniqueness_disparities, each_range, views, check_uniqueness)
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

static void
check_half_size (const Views * v, int i, Random * random)
{
  Case c = usual;

  (void) i;
  CASE_SET_VIEWS (&c, v);
  c.half_size = true;
  check_case (&c, random);
}

static void
check_half_size_of_64 (const Views * v, int i, Random * random)
{
  Views wide = *v;

  wide.n = 64;
  wide.width += 60;
  check_half_size (&wide, i, random);
}

static const Views wide_views = {
  99, 70, STEREO_FORMAT_GRAY8, STEREO_FORMAT_GRAY8, 64, 0, FILL_SHIFTED
};

VIEWS_TEST (test_half_size_fills, each_fill, wide_views, check_half_size)
VIEWS_TEST (test_half_size_sizes, each_size, wide_views, check_half_size_of_64)
VIEWS_TEST (test_half_size_disparities, each_range, wide_views,
    check_half_size)
VIEWS_TEST (test_half_size_formats, each_format, wide_views, check_half_size)

/* A plane at disparity 3, and a square before it at most of the others. */
static void
fill_square (const TestImage * left, const TestImage * right, int d,
    Random * random)
{
  const int width = left->image.width, height = left->image.height;

  for (int y = 0; y < height; y++) {
    uint8_t *l = test_image_row (left, y), *r = test_image_row (right, y);

    for (int x = 0; x < width; x++)
      l[x] = r[x] = (uint8_t) random_next (random);
    for (int x = 3; x < width; x++)
      r[x - 3] = l[x];
    for (int x = width / 2; x < width && y >= 32 && y < 96; x++)
      r[x - d] = l[x];
  }
}

/* Paths lead from tiles to others with disjoint and overlapping ranges. */
TEST (test_half_size_borders)
{
  static const struct
  {
    int n, d, cost;
  } sets[] = { {48, 40, 0}, {64, 20, 1}, {100, 90, 0}, {150, 70, 1} };
  Random random = { 8 };

  for (size_t i = 0; i < sizeof (sets) / sizeof (sets[0]); i++) {
    Case c = usual;
    SCOPED_IMAGE left, right;

    c.width = 297;
    c.height = 161;
    c.left = c.right = STEREO_FORMAT_GRAY8;
    c.n = sets[i].n;
    c.cost = sets[i].cost;
    c.half_size = true;
    init_pair (&left, &right, c.left, c.right, c.width, c.height, FILL_BLACK,
        &random);
    fill_square (&left, &right, sets[i].d, &random);
    check_results (&c, &left, &right, true);
  }
}

/* With refinement, which uses right winners and neighbouring costs, all devices
 * have the same map.  The range restricts it. */
TEST (test_half_size_refined)
{
  Random random = { 9 };

  for (int i = 0; i < 4; i++) {
    SCOPED_IMAGE left, right, full, ranged;
    SCOPED_PARAMS *params = params_new ("sgm", "num-disparities",
        i % 2 ? 200.0 : 70.0, "range", HALF_SIZE, "cost", i / 2 ? 3.0 : 0.0,
        "disparity-scale", 16.0, NULL);

    init_pair (&left, &right, STEREO_FORMAT_GRAY8, STEREO_FORMAT_GRAY8, 330,
        130, FILL_BLACK, &random);
    fill_square (&left, &right, 60, &random);
    check_devices ("sgm", params, &left, &right, STEREO_FORMAT_GRAY16_LE);

    test_image_init (&full, STEREO_FORMAT_GRAY16_LE, 330, 130, 0);
    test_image_init (&ranged, STEREO_FORMAT_GRAY16_LE, 330, 130, 0);
    match (0, params, "sgm", &left, &right, &ranged);
    CHECK (stereo_params_set (params, "range", FULL, NULL) == STEREO_OK);
    match (0, params, "sgm", &left, &right, &full);
    CHECK (first_difference (&full, &ranged) != NULL);
  }
}

/* range=auto. */
TEST (test_auto_range)
{
  static const struct
  {
    int width, height, n;
    double range;
  } cases[] = {
    {1920, 1080, 128, HALF_SIZE},
    {1920, 1080, 127, FULL},
    {1919, 1080, 128, FULL},
  };
  const size_t last = devices_count () - 1;
  Random random = { 12 };

  for (int i = 0; i < 3; i++) {
    const int width = cases[i].width, height = cases[i].height;
    SCOPED_IMAGE left, right, expected, found;
    SCOPED_PARAMS *params = params_new ("sgm", "num-disparities",
        (double) cases[i].n, "range", cases[i].range, "cost", 0.0, "refine",
        0.0, NULL);

    init_pair (&left, &right, STEREO_FORMAT_GRAY8, STEREO_FORMAT_GRAY8, width,
        height, FILL_SHIFTED, &random);
    test_image_init (&expected, STEREO_FORMAT_GRAY8, width, height, 0);
    test_image_init (&found, STEREO_FORMAT_GRAY8, width, height, 0);
    match (last, params, "sgm", &left, &right, &expected);
    CHECK (stereo_params_set (params, "range", AUTO, NULL) == STEREO_OK);
    match (last, params, "sgm", &left, &right, &found);
    CHECK (first_difference (&expected, &found) == NULL);
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
        "fill", 0.0, "refine", 0.0, "median", 0.0, "range",
        i / n_sets < 3 ? FULL : HALF_SIZE, "min-confidence",
        i % 2 ? 0.7 : 0.0, NULL);

    init_pair (&left, &right, format, format, width, height, FILL_SHIFTED,
        &random);
    check_shared_limit ("sgm", params, &left, &right,
        sets[i % n_sets].kib << 10);
  }
}

KERNEL_MAIN (bench (ALGORITHM, argc, argv))
