/* gst-stereomatching: tests of the operation that matches unaligned views
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/runner.h"
#include "geometry/rows.h"
#include "harness.h"
#include "texture.h"

#include <math.h>
#include <stdlib.h>

/* ---------------------------------------------------------------------- rig */

/* A pair and its output. */
typedef struct
{
  TestImage left;
  TestImage right;
  TestImage out;
} Rig;

static void
open_output (Rig * rig)
{
  test_image_init (&rig->out, STEREO_FORMAT_U32, STEREO_ROWS_WORDS,
      STEREO_ROWS_HEIGHT, 12);
}

static void
open_rig (Rig * rig, StereoFormat left, StereoFormat right, int width,
    int height, Fill fill, Random * random)
{
  init_pair (&rig->left, &rig->right, left, right, width, height, fill,
      random);
  open_output (rig);
}

/* A texture whose points move by (dx, dy) pixels. */
static void
open_moved (Rig * rig, int width, int height, double dx, double dy)
{
  test_image_init (&rig->left, STEREO_FORMAT_GRAY8, width, height, 5);
  test_image_init (&rig->right, STEREO_FORMAT_GRAY8, width, height, 9);
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) {
      test_image_row (&rig->left, y)[x] = texture_grey (x, y);
      test_image_row (&rig->right, y)[x] = texture_grey (x - dx, y - dy);
    }
  }
  open_output (rig);
}

static void
close_rig (Rig * rig)
{
  test_image_clear (&rig->left);
  test_image_clear (&rig->right);
  test_image_clear (&rig->out);
}

static StereoStatus
configure (StereoRunner * runner, const Rig * rig)
{
  const StereoPortSetup in[] = { stereo_port_setup_of (&rig->left.image),
    stereo_port_setup_of (&rig->right.image)
  };
  const StereoPortSetup out = { STEREO_FORMAT_U32, rig->out.image.width,
    rig->out.image.height, 1
  };

  return stereo_runner_configure (runner, in, &out, NULL);
}

static StereoRunner *
new_runner (size_t device)
{
  StereoRunner *runner = NULL;

  REQUIRE (stereo_runner_new (&stereo_rows_op, devices_get (device), &runner,
          NULL) == STEREO_OK);
  return runner;
}

static void
run (size_t device, Rig * rig)
{
  SCOPED (stereo_runner_free) StereoRunner *runner = new_runner (device);
  const StereoImage *in[] = { &rig->left.image, &rig->right.image };
  const StereoImage *out[] = { &rig->out.image };

  for (int y = 0; y < STEREO_ROWS_HEIGHT; y++)
    memset (test_image_row (&rig->out, y), 0xee, rig->out.row_bytes);
  REQUIRE (configure (runner, rig) == STEREO_OK);
  REQUIRE (stereo_runner_process (runner, in, out, NULL) == STEREO_OK);
  REQUIRE (stereo_runner_sync (runner) == STEREO_OK);
  CHECK (test_image_intact (&rig->out));
}

static StereoRowsHeader
header_of (const Rig * rig)
{
  StereoRowsHeader header;

  memcpy (&header, test_image_row (&rig->out, 0), sizeof (header));
  return header;
}

static StereoRowMatch
match_at (const Rig * rig, int i)
{
  StereoRowMatch match;

  memcpy (&match, test_image_row (&rig->out, 1 + i), sizeof (match));
  return match;
}

/* ------------------------------------------------------------------- oracle */

/* A plane of bytes that is 0 outside. */
typedef struct
{
  int width;
  int height;
  uint8_t *bytes;
} Plane;

static int
grey (const Plane * p, int x, int y)
{
  return p->bytes[y * p->width + x];
}

static Plane
plane_new (int width, int height)
{
  return (Plane) {
  width, height, calloc ((size_t) width * (size_t) height, 1)};
}

static Plane
plane_of (const TestImage * image)
{
  Plane p = plane_new (image->image.width, image->image.height);

  for (int i = 0; i < p.width * p.height; i++)
    p.bytes[i] = (uint8_t) test_image_luma (image, false, i % p.width,
        i / p.width);
  return p;
}

static Plane
plane_half (const Plane * p)
{
  Plane half = plane_new (p->width / 2, p->height / 2);

  for (int y = 0; y < half.height; y++)
    for (int x = 0; x < half.width; x++)
      half.bytes[y * half.width + x] = (uint8_t) ((grey (p, 2 * x, 2 * y)
              + grey (p, 2 * x + 1, 2 * y) + grey (p, 2 * x, 2 * y + 1)
              + grey (p, 2 * x + 1, 2 * y + 1) + 2) / 4);
  return half;
}

typedef struct
{
  int x;
  int y;
  bool bits[256];
} OracleCorner;

typedef struct
{
  int n;
  OracleCorner *corners;
} OracleView;

static float
oracle_score (const Plane * p, int x, int y)
{
  long long xx = 0, yy = 0, xy = 0;

  for (int v = y - 2; v <= y + 2; v++) {
    for (int u = x - 2; u <= x + 2; u++) {
      const int gx = grey (p, u + 1, v) - grey (p, u - 1, v);
      const int gy = grey (p, u, v + 1) - grey (p, u, v - 1);

      xx += gx * gx;
      yy += gy * gy;
      xy += gx * gy;
    }
  }
  {
    const float first = (float) xx * (float) yy;
    const float second = (float) xy * (float) xy;

    return (first - second) / (float) (xx + yy + 1);
  }
}

static int
oracle_smooth (const Plane * p, int x, int y)
{
  static const int weights[3] = { 1, 2, 1 };
  int sum = 0;

  for (int v = -1; v <= 1; v++)
    for (int u = -1; u <= 1; u++)
      sum += weights[u + 1] * weights[v + 1] * grey (p, x + u, y + v);
  return sum;
}

/* The comparisons are fixed by the generator that rows.c names. */
static void
oracle_describe (const Plane * p, OracleCorner * c)
{
  unsigned long seed = 12345;

  for (int bit = 0; bit < 256; bit++) {
    int at[4], values[2];

    for (int k = 0; k < 4; k++) {
      at[k] = -10;
      for (int half = 0; half < 2; half++) {
        seed = (seed * 1664525ul + 1013904223ul) & 0xfffffffful;
        at[k] += (int) (seed / 65536 % 11);
      }
    }
    for (int k = 0; k < 2; k++)
      values[k] = oracle_smooth (p, c->x + at[2 * k], c->y + at[2 * k + 1]);
    c->bits[bit] = values[0] < values[1];
  }
}

static OracleView
oracle_corners (const Plane * p, int cell)
{
  const int border = 12;
  OracleView view = { 0, calloc (5000, sizeof (OracleCorner)) };

  for (int y0 = border; y0 < p->height - border; y0 += cell) {
    for (int x0 = border; x0 < p->width - border; x0 += cell) {
      float best = 150;
      int x = -1, y = -1;
      bool peak = true;

      for (int i = 0; i < cell * cell; i++) {
        const int u = x0 + i % cell, v = y0 + i / cell;

        if (u < p->width - border && v < p->height - border
            && oracle_score (p, u, v) > best) {
          best = oracle_score (p, u, v);
          x = u;
          y = v;
        }
      }
      for (int i = 0; x >= 0 && i < 9; i++)
        peak &= oracle_score (p, x - 1 + i % 3, y - 1 + i / 3) <= best;
      if (x >= 0 && peak) {
        OracleCorner *c = &view.corners[view.n++];

        c->x = x;
        c->y = y;
        oracle_describe (p, c);
      }
    }
  }
  return view;
}

static int
oracle_distance (const Plane * p, const OracleCorner * a,
    const OracleCorner * b)
{
  int n = 0;

  if (abs (a->x - b->x) > p->width / 3 || abs (a->y - b->y) > p->height / 6)
    return 999;
  for (int i = 0; i < 256; i++)
    n += a->bits[i] != b->bits[i];
  return n;
}

/* The nearest corner, first of equal ones; -1 if none is near enough. */
static int
oracle_nearest (const Plane * p, const OracleCorner * a,
    const OracleView * others)
{
  int best = -1, distance = 999;

  for (int i = 0; i < others->n; i++) {
    if (oracle_distance (p, a, &others->corners[i]) < distance) {
      distance = oracle_distance (p, a, &others->corners[i]);
      best = i;
    }
  }
  return best;
}

/* The partner of a left corner, -1 if it has none. */
static int
oracle_partner (const Plane * p, const OracleView views[2], int i)
{
  const OracleCorner *a = &views[0].corners[i], *b;
  const int j = oracle_nearest (p, a, &views[1]);
  int distance, second = 999;

  if (j < 0)
    return -1;
  b = &views[1].corners[j];
  distance = oracle_distance (p, a, b);
  for (int k = 0; k < views[1].n; k++) {
    const OracleCorner *c = &views[1].corners[k];

    if ((abs (c->x - b->x) > 2 || abs (c->y - b->y) > 2)
        && oracle_distance (p, a, c) < second)
      second = oracle_distance (p, a, c);
  }
  return distance <= 70 && 256 * distance <= 220 * second
      && oracle_nearest (p, b, &views[0]) == i ? j : -1;
}

/* Sums of products of the patches: L, its gradients, and R at (dx, dy). */
typedef struct
{
  long double mean[4];
  long double product[4][4];    /* of deviations from the mean */
} OraclePatch;

/* 1/16 levels of the right view, rounded as in rows.h. */
static int
oracle_right (const Plane * p, int x, int y, int fx, int fy)
{
  const int sum = grey (p, x, y) * (256 - fx) * (256 - fy)
      + grey (p, x + 1, y) * fx * (256 - fy)
      + grey (p, x, y + 1) * (256 - fx) * fy
      + grey (p, x + 1, y + 1) * fx * fy;

  return (int) floor (sum / 4096.0 + 0.5);
}

static bool
oracle_patch (const Plane planes[2], int x, int y, int dx, int dy,
    OraclePatch * patch)
{
  const Plane *l = &planes[0], *r = &planes[1];
  const int left = (int) floor (dx / 256.0), top = (int) floor (dy / 256.0);
  long double values[169][4];
  int n = 0;

  memset (patch, 0, sizeof (*patch));
  if (x < 7 || y < 7 || x + 7 >= l->width || y + 7 >= l->height
      || x - 6 + left < 0 || y - 6 + top < 0 || x + 8 + left > r->width
      || y + 8 + top > r->height)
    return false;
  for (int v = y - 6; v <= y + 6; v++) {
    for (int u = x - 6; u <= x + 6; u++, n++) {
      values[n][0] = grey (l, u, v);
      values[n][1] = (grey (l, u + 1, v) - grey (l, u - 1, v)) / 2.0L;
      values[n][2] = (grey (l, u, v + 1) - grey (l, u, v - 1)) / 2.0L;
      values[n][3] = oracle_right (r, u + left, v + top, dx - 256 * left,
          dy - 256 * top) / 16.0L;
    }
  }
  for (int i = 0; i < 4 * n; i++)
    patch->mean[i % 4] += values[i / 4][i % 4] / n;
  for (int i = 0; i < n; i++)
    for (int a = 0; a < 4; a++)
      for (int b = 0; b < 4; b++)
        patch->product[a][b] += (values[i][a] - patch->mean[a])
            * (values[i][b] - patch->mean[b]);
  return true;
}

/* Whether (dx, dy) is a minimum: the step that the patches ask for, solved by
 * elimination, in 1/256 pixel. */
static bool
oracle_step (const OraclePatch * p, long double step[2])
{
  /* unknowns: x, y, gain; L - R = gx x + gy y + gain L */
  static const int of[3] = { 1, 2, 0 };
  long double m[3][4];

  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++)
      m[i][j] = p->product[of[i]][of[j]];
    m[i][3] = p->product[of[i]][0] - p->product[of[i]][3];
  }
  for (int i = 0; i < 3; i++) {
    if (!(m[i][i] > 1e-6L))
      return false;
    for (int k = 0; k < 3; k++) {
      const long double factor = m[k][i] / m[i][i];

      for (int j = 0; k != i && j < 4; j++)
        m[k][j] -= factor * m[i][j];
    }
  }
  step[0] = 256 * m[0][3] / m[0][0];
  step[1] = 256 * m[1][3] / m[1][1];
  return true;
}

/* Refines a pair of corners with all steps in long double, rounded to 1/256
 * pixel.  False if the match is lost. */
static bool
oracle_refine (Plane pyramids[][2], int n_levels, int x, int y, int *dx,
    int *dy, OraclePatch * patch)
{
  const int start_x = *dx, start_y = *dy;

  for (int level = n_levels; level >= 0; level--) {
    const int scale = 1 << level;

    for (int i = 0; i < 6; i++) {
      long double step[2];
      int move[2];

      if (!oracle_patch (pyramids[level], x / scale, y / scale, *dx, *dy,
              patch) || !oracle_step (patch, step))
        return false;
      if (fabsl (step[0]) >= 1024 || fabsl (step[1]) >= 1024)
        return false;
      for (int k = 0; k < 2; k++)
        move[k] = (int) fminl (fmaxl (rintl (step[k]), -256), 256);
      *dx += move[0];
      *dy += move[1];
      if (abs (move[0]) <= 1 && abs (move[1]) <= 1)
        break;
    }
    if (!oracle_patch (pyramids[level], x / scale, y / scale, *dx, *dy, patch))
      return false;
    if (level == n_levels && (abs (*dx - start_x) > 768
            || abs (*dy - start_y) > 768))
      return false;
    *dx *= level > 0 ? 2 : 1;
    *dy *= level > 0 ? 2 : 1;
  }
  return true;
}

/* Compares one match with its refinement in long double, and its quality with
 * the statistics of the patch. */
static void
check_match (const StereoRowMatch * m, int dx, int dy,
    const OraclePatch * patch)
{
  const long double variance_l = patch->product[0][0];
  const long double variance_r = patch->product[3][3];
  const long double covariance = patch->product[0][3];
  const long double squared = covariance * covariance / (variance_l
      * variance_r);

  CHECK_INT (m->dx, ==, dx);
  CHECK_INT (m->dy, ==, dy);
  CHECK_INT (abs (m->correlation - (int) (1024 * squared)), <=, 1);
  CHECK_INT (m->variance, >=, 0);
}

/* Sums of 17x17 pixels. */
static void
check_photo (const Plane * p, int x, int y, const StereoRowMatch * m, int view)
{
  long sums[4] = { 0 };

  for (int v = y - 8; v <= y + 8; v++) {
    for (int u = x - 8; u <= x + 8; u++) {
      const long c = grey (p, u, v), r = grey (p, u + 1, v);
      const long l = grey (p, u - 1, v), b = grey (p, u, v + 1);
      const long t = grey (p, u, v - 1);

      sums[0] += c;
      sums[1] += c * c;
      sums[2] += (r - c) * (r - c) + (b - c) * (b - c);
      sums[3] += (r - 2 * c + l) * (r - 2 * c + l)
          + (b - 2 * c + t) * (b - 2 * c + t);
    }
  }
  CHECK_INT (m->sum[view], ==, sums[0]);
  CHECK_INT (m->squares[view], ==, sums[1]);
  CHECK_INT (m->first[view], ==, sums[2]);
  CHECK_INT (m->second[view], ==, sums[3]);
}

static bool
has_photo (const Plane * p, int x, int y)
{
  return x >= 9 && y >= 9 && x + 9 < p->width && y + 9 < p->height;
}

static void
check_exposure (Plane planes[2], const StereoRowMatch * m)
{
  const int x = m->x + (int) floor (m->dx / 256.0 + 0.5);
  const int y = m->y + (int) floor (m->dy / 256.0 + 0.5);

  if (has_photo (&planes[0], m->x, m->y) && has_photo (&planes[1], x, y)) {
    check_photo (&planes[0], m->x, m->y, m, 0);
    check_photo (&planes[1], x, y, m, 1);
  } else {
    CHECK_INT (m->squares[0] | m->squares[1] | m->first[0] | m->first[1], ==,
        0);
  }
}

/* Compares an output with the oracle.  Returns the number of matches. */
static int
check_output (const Rig * rig)
{
  const StereoRowsHeader header = header_of (rig);
  const int n_levels = (int) fmax (0, floor (log2 (rig->left.image.width
              / 480.0) + 0.5));
  Plane pyramids[8][2] = { {plane_of (&rig->left), plane_of (&rig->right)} };
  OracleView views[2];
  const Plane *last = pyramids[n_levels];
  int cell, n = 0;

  for (int level = 1; level <= n_levels; level++)
    for (int view = 0; view < 2; view++)
      pyramids[level][view] = plane_half (&pyramids[level - 1][view]);
  cell = (int) fmax (8, floor (sqrt (last->width * last->height / 1000.0)
          + 0.5));
  views[0] = oracle_corners (&last[0], cell);
  views[1] = oracle_corners (&last[1], cell * 2 / 3 < 6 ? 6 : cell * 2 / 3);
  CHECK_INT (header.n_levels, ==, n_levels);
  CHECK_INT (header.n_corners[0], ==, views[0].n);
  CHECK_INT (header.n_corners[1], ==, views[1].n);
  for (int i = 0; i < views[0].n; i++) {
    const int j = oracle_partner (last, views, i);
    const OracleCorner *a = &views[0].corners[i], *b = &views[1].corners[j];
    const int middle = n_levels > 0 ? 1 << (n_levels - 1) : 0;
    const int x = (a->x << n_levels) + middle, y = (a->y << n_levels)
        + middle;
    OraclePatch patch;
    StereoRowMatch m;
    int dx, dy;

    if (j < 0)
      continue;
    dx = 256 * (b->x - a->x);
    dy = 256 * (b->y - a->y);
    if (!oracle_refine (pyramids, n_levels, x, y, &dx, &dy, &patch)
        || !(patch.product[3][3] > 0) || !(patch.product[0][3] > 0)
        || 1024 * patch.product[0][3] * patch.product[0][3]
        < 700 * patch.product[0][0] * patch.product[3][3])
      continue;
    m = match_at (rig, n++);
    CHECK_INT (m.x, ==, x);
    CHECK_INT (m.y, ==, y);
    CHECK_INT (m.hamming, ==, oracle_distance (last, a, b));
    check_match (&m, dx, dy, &patch);
    check_exposure (pyramids[0], &m);
  }
  CHECK_INT (header.n_matches, ==, n);
  for (int i = 0; i < 2; i++) {
    free (views[i].corners);
    for (int level = 0; level <= n_levels; level++)
      free (pyramids[level][i].bytes);
  }
  return n;
}

/* -------------------------------------------------------------------- tests */

TEST (test_matches_are_those_of_the_oracle)
{
  static const struct
  {
    int width;
    int height;
    double dx;
    double dy;
  } cases[] = {
    {320, 200, -7.3, 1.6}, {330, 211, 12.25, -4}, {700, 420, -21.5, 6.75},
    {1400, 500, -60.3, 3.1},
  };

  for (size_t i = 0; i < sizeof (cases) / sizeof (cases[0]); i++) {
    Rig rig;

    open_moved (&rig, cases[i].width, cases[i].height, cases[i].dx,
        cases[i].dy);
    run (0, &rig);
    CHECK_INT (check_output (&rig), >, 50);
    close_rig (&rig);
  }
}

TEST (test_other_contents_are_those_of_the_oracle)
{
  Random random = { 7 };

  for (int fill = 0; fill < N_FILLS; fill++) {
    Rig rig;

    open_rig (&rig, STEREO_FORMAT_GRAY8, STEREO_FORMAT_GRAY8, 203, 151,
        (Fill) fill, &random);
    run (0, &rig);
    (void) check_output (&rig);
    close_rig (&rig);
  }
}

TEST (test_luma_of_any_format)
{
  static const StereoFormat formats[] = { STEREO_FORMAT_RGB,
    STEREO_FORMAT_NV12, STEREO_FORMAT_GRAY16_LE, STEREO_FORMAT_YUY2,
    STEREO_FORMAT_P010_10LE
  };
  Random random = { 3 };

  for (size_t i = 0; i < sizeof (formats) / sizeof (formats[0]); i++) {
    Rig rig;

    open_rig (&rig, formats[i], STEREO_FORMAT_GRAY8, 180, 120, FILL_SHIFTED,
        &random);
    run (0, &rig);
    (void) check_output (&rig);
    close_rig (&rig);
  }
}

/* Compares the outputs of all devices. */
static void
check_devices (Rig * rig)
{
  const size_t bytes = 64 * (size_t) STEREO_ROWS_HEIGHT;
  uint8_t *first = malloc (bytes);

  REQUIRE (first != NULL);
  for (size_t device = 0; device < devices_count (); device++) {
    run (device, rig);
    for (int y = 0; y < STEREO_ROWS_HEIGHT; y++) {
      uint8_t *row = first + 64 * (size_t) y;

      if (device == 0)
        memcpy (row, test_image_row (&rig->out, y), 64);
      CHECK (memcmp (row, test_image_row (&rig->out, y), 64) == 0);
    }
  }
  free (first);
}

TEST (test_all_devices_agree)
{
  static const int sizes[][2] = { {1, 1}, {2, 3}, {24, 24}, {25, 25},
    {26, 40}, {64, 65}, {127, 90}, {320, 240}, {681, 260}, {1920, 1080},
    {16384, 25}, {25, 3000}, {1500, 26}
  };
  Random random = { 11 };

  for (size_t i = 0; i < sizeof (sizes) / sizeof (sizes[0]); i++) {
    Rig rig;

    open_rig (&rig, STEREO_FORMAT_GRAY8, STEREO_FORMAT_GRAY8, sizes[i][0],
        sizes[i][1], FILL_SHIFTED, &random);
    check_devices (&rig);
    close_rig (&rig);
    open_moved (&rig, sizes[i][0], sizes[i][1], -5.4, 0.8);
    check_devices (&rig);
    close_rig (&rig);
  }
}

TEST (test_all_devices_agree_on_any_content)
{
  Random random = { 12 };

  for (int fill = 0; fill < N_FILLS; fill++) {
    Rig rig;

    open_rig (&rig, STEREO_FORMAT_RGB, STEREO_FORMAT_NV12, 401, 301,
        (Fill) fill, &random);
    check_devices (&rig);
    close_rig (&rig);
  }
}

/* Ties: a pattern that repeats. */
TEST (test_all_devices_agree_on_ties)
{
  Rig rig;

  open_moved (&rig, 700, 300, 0, 0);
  for (int y = 0; y < 300; y++) {
    for (int x = 0; x < 700; x++) {
      const uint8_t grey = (uint8_t) (x / 10 % 2 != y / 10 % 2 ? 200 : 40);

      test_image_row (&rig.left, y)[x] = grey;
      test_image_row (&rig.right, y)[x] = grey;
    }
  }
  check_devices (&rig);
  CHECK_INT (header_of (&rig).n_corners[0], >, 100);
  close_rig (&rig);
}

TEST (test_offsets_are_exact_to_a_fraction_of_a_pixel)
{
  static const double offsets[][2] = { {-10.5, 0.25}, {30.3, -3.7}, {0, 9.9} };

  for (int i = 0; i < 3; i++) {
    int n_exact = 0;
    Rig rig;

    open_moved (&rig, 960, 540, offsets[i][0], offsets[i][1]);
    run (0, &rig);
    CHECK_INT (header_of (&rig).n_matches, >, 100);
    for (int k = 0; k < header_of (&rig).n_matches; k++) {
      const StereoRowMatch m = match_at (&rig, k);

      n_exact += fabs (m.dx / 256.0 - offsets[i][0]) < 0.1
          && fabs (m.dy / 256.0 - offsets[i][1]) < 0.1;
    }
    CHECK_INT (10 * n_exact, >, 9 * header_of (&rig).n_matches);
    close_rig (&rig);
  }
}

TEST (test_differences_are_refused)
{
  SCOPED (stereo_runner_free) StereoRunner *runner = new_runner (0);
  Rig rig;

  open_moved (&rig, 40, 30, 0, 0);
  rig.right.image.width = 39;
  CHECK (configure (runner, &rig) == STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (stereo_runner_message (runner)->text, "39x30");
  rig.right.image.width = 40;
  rig.out.image.height--;
  CHECK (configure (runner, &rig) == STEREO_ERROR_ARGUMENT);
  rig.out.image.height++;
  CHECK (configure (runner, &rig) == STEREO_OK);
  close_rig (&rig);
}

/* ---------------------------------------------------------------- benchmark */

#define RUNS 40

/* An image in device memory. */
static StereoImage
upload (StereoDevice * device, const TestImage * host)
{
  StereoImage image = host->image;
  const size_t bytes = image.stride[0] * (size_t) image.height;

  image.memory = STEREO_MEMORY_DEVICE;
  REQUIRE (stereo_device_alloc (device, bytes, &image.plane[0], NULL)
      == STEREO_OK);
  REQUIRE (stereo_device_copy (device, image.plane[0], host->image.plane[0],
          bytes, NULL) == STEREO_OK);
  return image;
}

static void
bench_device (size_t index, int width, int height)
{
  StereoDevice *device = devices_get (index);
  StereoRunner *runner = new_runner (index);
  StereoImage images[3];
  const StereoImage *in[] = { &images[0], &images[1] }, *out[] = {
    &images[2]
  };
  StereoMatcherStats stats;
  uint64_t best = UINT64_MAX, ns;
  const char *name;
  Rig rig;

  open_moved (&rig, width, height, -width / 30.0, 2.3);
  REQUIRE (configure (runner, &rig) == STEREO_OK);
  images[0] = upload (device, &rig.left);
  images[1] = upload (device, &rig.right);
  images[2] = upload (device, &rig.out);
  for (int i = 0; i < RUNS; i++) {
    REQUIRE (stereo_runner_process (runner, in, out, NULL) == STEREO_OK);
    REQUIRE (stereo_runner_sync (runner) == STEREO_OK);
    stereo_runner_get_stats (runner, &stats);
    best = stats.last_ns < best ? stats.last_ns : best;
  }
  stereo_runner_set_profiling (runner, true);
  REQUIRE (stereo_runner_process (runner, in, out, NULL) == STEREO_OK);
  REQUIRE (stereo_runner_sync (runner) == STEREO_OK);
  printf ("%-28s %-8s %u threads %4dx%-4d min %9.2f us:",
      stereo_device_name (device),
      stereo_simd_name (stereo_device_simd (device)),
      stereo_device_threads (device), width, height, (double) best / 1e3);
  for (size_t i = 0; stereo_runner_get_stage (runner, i, &name, &ns); i++)
    printf (" %s %.1f", name, (double) ns / 1e3);
  printf ("\n");
  for (int i = 0; i < 3; i++)
    stereo_device_free (device, &images[i].plane[0]);
  stereo_runner_free (&runner);
  close_rig (&rig);
}

KERNEL_MAIN (bench_devices (bench_device, argc, argv))
