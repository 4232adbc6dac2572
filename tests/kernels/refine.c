/* gst-stereomatching: tests of refinement on all devices
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Winners of all kinds go through the steps of refine.h on every device, and
 * the maps have to be those of an oracle that does one step after the other on
 * plain arrays: neighbours by search, components by flooding, medians by
 * sorting, votes by comparing all pairs.
 */

#include "refine/refine.h"
#include "refine/winner-formula.h"
#include "stagebench.h"

#include <math.h>

static const int sizes[][2] = {
  {1, 1}, {1, 2}, {2, 1}, {1, 40}, {40, 1}, {2, 2}, {3, 3}, {7, 5}, {31, 17},
  {32, 16}, {33, 16}, {32, 17}, {64, 33}, {65, 31}, {127, 3}, {130, 50},
  {257, 19}, {16, 15}, {15, 16}, {16, 14}, {24, 40}
};

#define N_SIZES (sizeof (sizes) / sizeof (sizes[0]))

/* ------------------------------------------------------------------ winners */

typedef struct
{
  int width, height, channels;
  int n, min;                   /* disparities */
  int unit;
  StereoRefineParams params;
  bool median;
  unsigned scale;
  int bytes;                    /* of a pixel of the output */
  uint32_t invalid;
  int kind;                     /* of winners */
  int least;                    /* confidence of a valid pixel, 0 to 255 */
  bool unrated;                 /* without an output for confidences */
} Case;

typedef struct
{
  uint32_t *left, *right;       /* as in StereoWinners, without padding */
  uint32_t *mirrored;           /* left winners of the mirrored pair */
  int *partners;                /* right winners, by the oracle */
  uint8_t *pixels;
} Scene;

/* Whether the pixel has no winner. */
static bool
is_hole (const Case * c, int x, int y, Random * random)
{
  switch (c->kind) {
    case 4:
      return true;
    case 5:
      /* a strip at the left, bands as of occlusions, and single pixels */
      return x < c->n / 2 || (x + y / 16 * 7) % 100 < 8
          || random_range (random, 0, 49) == 0;
    case 6:
      /* whole rows */
      return y % 5 < 3 || x < 2 || random_range (random, 0, 3) == 0;
    case 7:
      /* all but one */
      return x != c->width / 2 || y != c->height / 3;
    case 8:
      return random_range (random, 0, 4) == 0;
    default:
      return false;
  }
}

/* Winners of the mirrored pair: near those of the right view, other ones, and
 * none. */
static void
make_mirrored (const Case * c, Scene * s, Random * random)
{
  for (int i = 0; i < c->width * c->height; i++) {
    int x = i % c->width, index = (int) (s->right[i] & 0xffff);

    if (index == (int) STEREO_INVALID || random_range (random, 0, 9) == 0)
      index = random_range (random, 0, c->n - 1);
    index += random_range (random, -2, 2) / 2;
    s->mirrored[i - x + c->width - 1 - x] = random_range (random, 0, 19) == 0
        || index < 0 || index >= c->n ? STEREO_NO_WINNER
        : (uint32_t) index | random_next (random) << 16;
  }
}

static void
make_scene (const Case * c, Scene * s, Random * random)
{
  int pixels = c->width * c->height;

  s->left = malloc ((size_t) pixels * 4);
  s->right = malloc ((size_t) pixels * 4);
  s->mirrored = malloc ((size_t) pixels * 4);
  s->partners = malloc ((size_t) pixels * sizeof (int));
  s->pixels = malloc ((size_t) (pixels * c->channels));
  REQUIRE (s->left != NULL && s->right != NULL && s->mirrored != NULL
      && s->partners != NULL && s->pixels != NULL);
  for (int i = 0; i < pixels; i++) {
    int x = i % c->width, y = i / c->width, index, fraction;

    /* patches of any size, noise, slopes, or all of these */
    switch (c->kind == 3 ? random_range (random, 0, 9) == 0 : c->kind) {
      case 0:
        index = (x / 9 * 5 + y / 6 * 3) % c->n;
        break;
      case 1:
        index = random_range (random, 0, c->n - 1);
        break;
      case 8:
        /* the highest ones, of slanted stripes */
        index = c->n - 1 - (x + y) / 2 % 4;
        break;
      default:
        index = x * c->n / (c->width + y / 4);
        break;
    }
    fraction = index == 0 || index == c->n - 1 || c->unit == 1 ? 0
        : random_range (random, -c->unit / 2, c->unit / 2);
    s->left[i] = (uint32_t) index | ((uint32_t) fraction & 255) << 16
        | (uint32_t) random_range (random, 0, 254) << 24;
    s->right[i] = STEREO_NO_WINNER;
    if (is_hole (c, x, y, random))
      s->left[i] = STEREO_NO_WINNER;
  }
  for (int i = 0; i < pixels; i++) {
    int x = i % c->width, index = (int) (s->left[i] & 0xffff);
    int partner = x - index - c->min;

    if (index != (int) STEREO_INVALID && partner >= 0 && partner < c->width)
      s->right[i - x + partner] = (uint32_t) random_range (random, 0, 65535)
          << 16 | (uint32_t) index;
    if (random_range (random, 0, 40) == 0)
      s->right[i] = (uint32_t) random_range (random, 0, c->n - 1);
  }
  make_mirrored (c, s, random);
  for (int i = 0; i < pixels * c->channels; i++)
    s->pixels[i] = (uint8_t) (i / (5 * c->channels) % 3 * 9
        + random_range (random, 0, 1 + 50 * (i % 7 == 0)));
}

static void
free_scene (Scene * s)
{
  free (s->left);
  free (s->right);
  free (s->mirrored);
  free (s->partners);
  free (s->pixels);
}

/* ------------------------------------------------------------------- oracle */

#define NONE (-1)

static bool
is_mutual (const Case * c)
{
  return c->params.check == STEREO_CHECK_MUTUAL && c->params.lr_max_diff >= 0;
}

/* The right winner of a pixel: that of the mirrored pair if the left view
 * confirms it. */
static int
oracle_partner (const Case * c, const Scene * s, int i)
{
  int x = i % c->width, row = i - x;
  int own = s->right[i] == STEREO_NO_WINNER ? NONE
      : (int) (s->right[i] & 0xffff);
  uint32_t word = s->mirrored[row + c->width - 1 - x];
  int index = (int) (word & 0xffff), back = x + index + c->min;

  if (!is_mutual (c) || word == STEREO_NO_WINNER || back < 0
      || back >= c->width || s->left[row + back] == STEREO_NO_WINNER)
    return own;
  return abs ((int) (s->left[row + back] & 0xffff) - index)
      <= c->params.lr_max_diff ? index : own;
}

static bool
oracle_valid (const Case * c, const Scene * s, int i)
{
  int x = i % c->width, index = (int) (s->left[i] & 0xffff);
  int partner = x - (index + c->min);

  if (s->left[i] == STEREO_NO_WINNER)
    return false;
  if (c->params.lr_max_diff < 0)
    return true;
  if (partner < 0 || partner >= c->width
      || s->partners[i - x + partner] == NONE)
    return false;
  return abs (s->partners[i - x + partner] - index) <= c->params.lr_max_diff;
}

/* The pixels of the component of i, in list; 0 if it was seen before. */
static int
flood (const Case * c, const int *map, int i, bool * seen, int *list)
{
  int n = 0;

  if (map[i] == NONE || seen[i])
    return 0;
  seen[i] = true;
  list[n++] = i;
  for (int k = 0; k < n; k++) {
    int x = list[k] % c->width, y = list[k] / c->width;
    int beside[4] = { x > 0 ? list[k] - 1 : -1,
      x < c->width - 1 ? list[k] + 1 : -1,
      y > 0 ? list[k] - c->width : -1,
      y < c->height - 1 ? list[k] + c->width : -1
    };

    for (int b = 0; b < 4; b++) {
      int j = beside[b];

      if (j < 0 || map[j] == NONE || seen[j]
          || abs (map[j] - map[list[k]]) > c->unit)
        continue;
      seen[j] = true;
      list[n++] = j;
    }
  }
  return n;
}

static void
oracle_speckles (const Case * c, int *map)
{
  int pixels = c->width * c->height;
  SCOPED (free_scoped) bool *seen = calloc ((size_t) pixels, sizeof (bool));
  SCOPED (free_scoped) int *list = malloc ((size_t) pixels * sizeof (int));
  SCOPED (free_scoped) int *before = malloc ((size_t) pixels * sizeof (int));

  REQUIRE (seen != NULL && list != NULL && before != NULL);
  memcpy (before, map, (size_t) pixels * sizeof (int));
  for (int i = 0; i < pixels; i++) {
    int n = flood (c, before, i, seen, list);

    for (int k = 0; k < n && n < (int) c->params.speckle_size; k++)
      map[list[k]] = NONE;
  }
}

static int
compare_ints (const void *a, const void *b)
{
  const int *p = a, *q = b;

  return (*p > *q) - (*p < *q);
}

/* The lower median of the first valid codes from element i of a row on, at most
 * three of them, or one with refine=none. */
static int
oracle_side (const Case * c, const int *row, int i, int step)
{
  int found[3], n = 0, most = c->params.refine == STEREO_REFINE_NONE ? 1 : 3;

  for (; i >= 0 && i < c->width && n < most; i += step) {
    if (row[i] != NONE)
      found[n++] = row[i];
  }
  qsort (found, (size_t) n, sizeof (int), compare_ints);
  return n == 0 ? NONE : found[(n - 1) / 2];
}

static void
oracle_fill (const Case * c, const int *map, int *filled)
{
  for (int y = 0; y < c->height; y++) {
    for (int x = 0; x < c->width; x++) {
      const int *row = map + y * c->width;
      int l = oracle_side (c, row, x, -1), r = oracle_side (c, row, x, 1);

      filled[y * c->width + x] = row[x] != NONE ? row[x] : l == NONE ? r
          : r == NONE || l < r ? l : r;
    }
  }
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 1; k < c->height; k++) {
      int y = pass == 0 ? k : c->height - 1 - k;
      int from = pass == 0 ? y - 1 : y + 1;

      if (filled[y * c->width] == NONE)
        memcpy (filled + y * c->width, filled + from * c->width,
            (size_t) c->width * sizeof (int));
    }
  }
}

/* The code at (x, y), or NONE outside. */
static int
map_at (const Case * c, const int *map, int x, int y)
{
  return x < 0 || y < 0 || x >= c->width || y >= c->height ? NONE
      : map[y * c->width + x];
}

/* Slope in 1/256 code, with codes in sixteenths: tolerances of 64 and 16. */
static int
oracle_slope (const Case * c, const int *map, int x, int y, int dx, int dy)
{
  int center = map_at (c, map, x, y), top = 0, bottom = 0;
  int limit = c->unit * 2048 / 16 - 1, rounded;

  for (int k = 2; k <= 8 && center != NONE; k += 2) {
    int p = map_at (c, map, x + k * dx, y + k * dy);
    int m = map_at (c, map, x - k * dx, y - k * dy);

    if (p == NONE || m == NONE || 16 * abs (p - center) > 64 * c->unit
        || 16 * abs (m - center) > 64 * c->unit
        || abs (p + m - 2 * center) > c->unit)
      continue;
    top += 256 * k * (p - m);
    bottom += 2 * k * k;
  }
  if (bottom == 0)
    return 0;
  rounded = (int) floor ((double) abs (top) / bottom + 0.5);
  rounded = rounded > limit ? limit : rounded;
  return top < 0 ? -rounded : rounded;
}

/* A map with its slopes along x and y. */
typedef struct
{
  const int *map;
  int *slopes[2];
} Sloped;

static Sloped
sloped_new (const Case * c, const int *map)
{
  int pixels = c->width * c->height;
  Sloped s = {.map = map };

  for (int axis = 0; axis < 2; axis++) {
    s.slopes[axis] = malloc ((size_t) pixels * sizeof (int));
    REQUIRE (s.slopes[axis] != NULL);
    for (int i = 0; i < pixels; i++)
      s.slopes[axis][i] = oracle_slope (c, map, i % c->width, i / c->width,
          axis == 0, axis == 1);
  }
  return s;
}

static void
sloped_free (Sloped * s)
{
  free (s->slopes[0]);
  free (s->slopes[1]);
}

/* What the code at (u, v) becomes at the pixel (x, y). */
static int
oracle_carried (const Case * c, const Sloped * map, int u, int v, int x, int y,
    int limit)
{
  int j = v * c->width + u;
  double change = (-(double) map->slopes[0][j] * (u - x)
      - (double) map->slopes[1][j] * (v - y)) / 256;
  int whole = (int) floor (change + 0.5);

  whole = whole > limit ? limit : whole < -limit ? -limit : whole;
  return map->map[j] + whole;
}

static int
oracle_difference (const Case * c, const Scene * s, int i, int j)
{
  int difference = 0;

  for (int k = 0; k < c->channels; k++) {
    int d = abs (s->pixels[i * c->channels + k]
        - s->pixels[j * c->channels + k]);

    difference = d > difference ? d : difference;
  }
  return difference;
}

static int
oracle_weight (const Case * c, const Scene * s, int i, int j)
{
  return (int) lround (255 * exp (-oracle_difference (c, s, i, j) / 10.0));
}

static int
clip_code (const Case * c, int code)
{
  int highest = c->unit * (c->n - 1);

  return code < 0 ? 0 : code > highest ? highest : code;
}

static int
by_code (const void *a, const void *b)
{
  const int *p = a, *q = b;

  return (p[0] > q[0]) - (p[0] < q[0]);
}

/* The smallest code with half of the weight; items are codes and weights. */
static int
median_of_items (int items[][2], int n)
{
  int whole = 0, sum = 0;

  qsort (items, (size_t) n, sizeof (items[0]), by_code);
  for (int k = 0; k < n; k++)
    whole += items[k][1];
  for (int k = 0; k < n; k++) {
    sum += items[k][1];
    if (2 * sum >= whole)
      return items[k][0];
  }
  return NONE;
}

/* Collects the votes for a pixel; returns their number. */
static int
oracle_votes (const Case * c, const Scene * s, const Sloped * map, int i,
    int votes[][2])
{
  int x = i % c->width, y = i / c->width, n = 0;

  for (int v = y - 64; v <= y + 64; v += 8) {
    for (int u = x - 64; u <= x + 64; u += 8) {
      bool far = abs (u - x) > 32 || abs (v - y) > 32;
      int code, index, partner, weight;

      /* every 8 pixels up to 32, every 32 pixels beyond */
      if ((far && ((u - x) % 32 != 0 || (v - y) % 32 != 0))
          || map_at (c, map->map, u, v) == NONE)
        continue;
      code = clip_code (c, oracle_carried (c, map, u, v, x, y, 4 * c->unit));
      index = (int) floor ((double) code / c->unit + 0.5);
      partner = x - index - c->min;
      weight = oracle_weight (c, s, i, v * c->width + u);
      if (c->params.lr_max_diff >= 0 && partner >= 0 && partner < c->width
          && s->partners[i - x + partner] != NONE
          && index > s->partners[i - x + partner] + 1)
        weight /= 8;
      votes[n][0] = code;
      votes[n++][1] = weight;
    }
  }
  return n;
}

/* The code that the votes of a pixel decide for, or NONE. */
static int
oracle_vote (const Case * c, const Scene * s, const Sloped * map, int i)
{
  int votes[289][2], near[289][2];
  int n = oracle_votes (c, s, map, i, votes), n_near = 0, whole = 0;
  int best = 0, most = 0;
  SCOPED (free_scoped) int *sums = calloc ((size_t) c->n, sizeof (int));

  REQUIRE (sums != NULL);
  for (int k = 0; k < n; k++) {
    int index = (int) floor ((double) votes[k][0] / c->unit + 0.5);

    whole += votes[k][1];
    for (int d = index - 1; d <= index + 1; d++) {
      if (d >= 0 && d < c->n)
        sums[d] += (d == index ? 2 : 1) * votes[k][1];
    }
  }
  if (whole < 64)
    return NONE;
  for (int d = 0; d < c->n; d++) {
    best = sums[d] > most ? d : best;
    most = sums[d] > most ? sums[d] : most;
  }
  for (int k = 0; k < n; k++) {
    if (2 * abs (votes[k][0] - c->unit * best) > 3 * c->unit)
      continue;
    near[n_near][0] = votes[k][0];
    near[n_near++][1] = votes[k][1];
  }
  return median_of_items (near, n_near);
}

/* Whether the window of the slanted median has a pixel. */
static bool
oracle_window_has (int a, int b)
{
  static const int near[][2] = { {-3, 0}, {-1, 0}, {1, 0}, {3, 0}, {-2, 2},
    {0, 2}, {0, -2}, {2, -2}
  };

  for (size_t i = 0; i < sizeof (near) / sizeof (near[0]); i++) {
    if (a == near[i][0] && b == near[i][1])
      return true;
  }
  return abs (a) % 2 == 1 && abs (b) % 2 == 1;
}

/* The weighted median of the window, or the code of the pixel if all weights
 * are 0. */
static int
oracle_slanted (const Case * c, const Scene * s, const Sloped * map, int i)
{
  int x = i % c->width, y = i / c->width, n = 0, whole = 0, items[121][2];

  for (int b = -5; b <= 5; b++) {
    for (int a = -5; a <= 5; a++) {
      if (!oracle_window_has (a, b)
          || map_at (c, map->map, x + a, y + b) == NONE)
        continue;
      items[n][0] = clip_code (c, oracle_carried (c, map, x + a, y + b, x, y,
              2 * c->unit));
      items[n][1] = oracle_weight (c, s, i, i + b * c->width + a);
      whole += items[n++][1];
    }
  }
  return whole == 0 ? map->map[i] : median_of_items (items, n);
}

/* The share of a ring that supports a code, of 255. */
static int
oracle_share (const Case * c, const Scene * s,
    const Sloped * map, int i, int code,
    int radius, int step)
{
  int x = i % c->width, y = i / c->width, whole = 0, supporting = 0;

  for (int v = y - radius; v <= y + radius; v += step) {
    for (int u = x - radius; u <= x + radius; u += step) {
      int weight;

      if (u < 0 || v < 0 || u >= c->width || v >= c->height)
        continue;
      weight = oracle_weight (c, s, i, v * c->width + u);
      whole += weight;
      if (map_at (c, map->map, u, v) != NONE
          && 2 * abs (oracle_carried (c, map, u, v, x, y, 4 * c->unit) - code)
          <= 3 * c->unit)
        supporting += weight;
    }
  }
  return 255 * supporting / whole;
}

/* map: before holes were filled; code: of the result */
static int
oracle_confidence (const Case * c, const Scene * s, const Sloped * map, int i,
    int code)
{
  static const int values[32] = {
    50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 81, 81, 81, 81, 160,
    161, 161, 161, 170, 182, 191, 198, 206, 217, 230, 243, 251, 254, 254
  };
  int ratio = map->map[i] == NONE ? 64 : 16 + (int) (s->left[i] >> 24);
  int key, m, bit;

  if (code == NONE)
    return 0;
  key = ratio * (oracle_share (c, s, map, i, code, 8, 2) + 32)
      * (oracle_share (c, s, map, i, code, 32, 8) + 64) / 512 + 1;
  m = (int) floor (log2 (key));
  bit = m > 0 ? key / (1 << (m - 1)) % 2 : 0;
  return values[2 * m + bit < 31 ? 2 * m + bit : 31];
}

static int
oracle_median (const Case * c, const int *map, int i)
{
  int x = i % c->width, y = i / c->width, items[9][2];

  for (int k = 0; k < 9; k++) {
    int u = x + k % 3 - 1, v = y + k / 3 - 1;

    u = u < 0 ? 0 : u >= c->width ? c->width - 1 : u;
    v = v < 0 ? 0 : v >= c->height ? c->height - 1 : v;
    items[k][0] = map[v * c->width + u];
  }
  qsort (items, 9, sizeof (items[0]), by_code);
  return items[4][0];
}

static int
oracle_encode (const Case * c, int code)
{
  double d = (double) code / c->unit, value;
  int highest = c->bytes == 1 ? 255 : 65535, result;

  if (code == NONE)
    return (int) c->invalid;
  value = c->bytes == 2 ? d * c->scale : c->n > 1 ? d * 255 / (c->n - 1) : 0;
  result = (int) floor (value + 0.5 + 1e-9);
  if (result == (int) c->invalid)
    result += result < highest ? 1 : -1;
  return result;
}

static void
oracle (const Case * c, const Scene * s, int *disparity, int *confidence)
{
  int pixels = c->width * c->height;
  SCOPED (free_scoped) int *map = malloc ((size_t) pixels * sizeof (int));
  SCOPED (free_scoped) int *filled = malloc ((size_t) pixels * sizeof (int));
  SCOPED (free_scoped) int *voted = malloc ((size_t) pixels * sizeof (int));
  Sloped holes, whole;
  bool empty = true;

  REQUIRE (map != NULL && filled != NULL && voted != NULL);
  for (int i = 0; i < pixels; i++)
    s->partners[i] = oracle_partner (c, s, i);
  for (int i = 0; i < pixels; i++)
    map[i] = oracle_valid (c, s, i) ? (int) (s->left[i] & 0xffff) * c->unit
        + (int8_t) (s->left[i] >> 16 & 255) : NONE;
  oracle_speckles (c, map);
  holes = sloped_new (c, map);
  oracle_fill (c, map, filled);
  for (int i = 0; i < pixels; i++) {
    voted[i] = c->params.refine != STEREO_REFINE_NONE && map[i] == NONE
        ? oracle_vote (c, s, &holes, i) : NONE;
    voted[i] = voted[i] == NONE ? filled[i] : voted[i];
    empty = empty && map[i] == NONE;
  }
  whole = sloped_new (c, voted);
  for (int i = 0; i < pixels; i++) {
    int code = map[i];

    if (c->params.fill && !empty)
      code = c->params.refine == STEREO_REFINE_ALL
          ? oracle_slanted (c, s, &whole, i)
          : c->median ? oracle_median (c, voted, i) : voted[i];
    confidence[i] = oracle_confidence (c, s, &holes, i, code);
    if (confidence[i] < c->least)
      code = NONE;
    disparity[i] = oracle_encode (c, code);
  }
  sloped_free (&holes);
  sloped_free (&whole);
}

/* -------------------------------------------------------------- the devices */

/* What a device needs for one case. */
typedef struct
{
  const StereoRefineStages *stages;
  StereoRefinePlan plan;
  StereoArena arena;
  void *memory;
  StereoWinners winners;
  uint32_t *mirrored;           /* NULL without check=mutual */
  StereoQueue *queue;
  StereoView left;
  StereoSearch search;
  StereoOutput outputs[2];
} Rig;

static void
rig_open (Rig * rig, const StageBench * b, const Case * c, const Scene * s)
{
  size_t pixels = (size_t) (c->width * c->height);
  unsigned span = (unsigned) c->n - 1;

  memset (rig, 0, sizeof (*rig));
  rig->stages = b->device->klass->stages (b->device, "refine");
  REQUIRE (rig->stages != NULL);
  rig->search = (StereoSearch) {
    .width = c->width,.height = c->height,.channels = c->channels,
    .num_disparities = c->n,.min_disparity = c->min,.end_index = c->n,
    .n_threads = b->device->n_threads,.unit = c->unit,.winners = true,
  };
  stereo_arena_reset (&rig->arena);
  stereo_refine_plan (&rig->search, &c->params, c->median, rig->stages,
      &rig->plan, &rig->arena);
  rig->memory = stagebench_up (b, NULL, rig->arena.size);
  stereo_arena_bind (&rig->arena, rig->memory);
  rig->winners = (StereoWinners) {
    .left = stagebench_up (b, s->left, 4 * pixels),
    .left_stride = (size_t) c->width,
    .right = c->params.lr_max_diff < 0 ? NULL
        : stagebench_up (b, s->right, 4 * pixels),
    .right_stride = (size_t) c->width,
    .unit = c->unit,.last_index = c->n - 1
  };
  rig->mirrored = is_mutual (c) ? stagebench_up (b, s->mirrored, 4 * pixels)
      : NULL;
  rig->queue = b->queue;
  rig->left = stagebench_view (b, s->pixels, c->width, c->height,
      c->channels);
  for (int i = 0; i < 2; i++)
    rig->outputs[i] = (StereoOutput) {
      .data = stagebench_up (b, NULL, (pixels + 16) * 2),
      .stride = (size_t) (c->width * c->bytes),
      .invalid = c->invalid,.bytes = (uint8_t) c->bytes,
      .gain = c->bytes == 2 ? c->scale : 510,
      .divisor = (c->bytes == 2 ? 1 : span > 0 ? 2 * span : 1)
          * (unsigned) c->unit,
    };
}

static void
rig_run (const Rig * rig, bool rated)
{
  CHECK_INT (stereo_refine_check (rig->queue, rig->stages, &rig->plan,
          &rig->winners, rig->mirrored), ==, STEREO_OK);
  CHECK_INT (stereo_refine_finish (rig->queue, rig->stages, &rig->plan,
          &rig->left, &rig->winners, &rig->outputs[0],
          rated ? &rig->outputs[1] : NULL), ==, STEREO_OK);
}

static void
rig_close (Rig * rig, const StageBench * b)
{
  stagebench_free (b, rig->memory);
  stagebench_free (b, rig->winners.left);
  stagebench_free (b, rig->winners.right);
  stagebench_free (b, rig->mirrored);
  stagebench_free (b, rig->left.plane[0]);
  for (int i = 0; i < 2; i++)
    stagebench_free (b, rig->outputs[i].data);
}

static void
compare (const StageBench * b, const Case * c, const StereoOutput * output,
    const char *what, const int *expected, int factor)
{
  size_t pixels = (size_t) (c->width * c->height);
  SCOPED (free_scoped) uint8_t *got = malloc ((pixels + 16) * 2);

  REQUIRE (got != NULL);
  stagebench_down (b, got, output->data, (pixels + 16) * 2);
  for (size_t i = 0; i < pixels; i++) {
    int value = c->bytes == 1 ? got[i] : got[2 * i] | got[2 * i + 1] << 8;

    if (value == expected[i] * factor)
      continue;
    fprintf (stderr, "%s, %dx%d, n %d, min %d, unit %d, channels %d, kind %d, "
        "lr %d, check %d, speckles %u, fill %d, median %d, refine %d, "
        "confidence %d: %s at (%d, %d) is %d, not %d\n",
        stereo_device_name (b->device), c->width, c->height, c->n, c->min,
        c->unit, c->channels, c->kind, c->params.lr_max_diff, c->params.check,
        c->params.speckle_size, c->params.fill, c->median, c->params.refine,
        c->least, what, (int) i % c->width, (int) i / c->width, value,
        expected[i] * factor);
    test_failures++;
    break;
  }
  /* what is behind stays */
  for (size_t i = pixels * (size_t) c->bytes; i < (pixels + 16) * 2; i++)
    CHECK_INT (got[i], ==, 0x5a);
}

static void
check_case (const Case * c, Random * random)
{
  size_t pixels = (size_t) (c->width * c->height);
  SCOPED (free_scoped) int *disparity = malloc (pixels * sizeof (int));
  SCOPED (free_scoped) int *confidence = malloc (pixels * sizeof (int));
  Scene scene;

  REQUIRE (disparity != NULL && confidence != NULL);
  make_scene (c, &scene, random);
  oracle (c, &scene, disparity, confidence);
  for (size_t d = 0; d < devices_count (); d++) {
    StageBench b = stagebench_open (d);
    Rig rig;

    rig_open (&rig, &b, c, &scene);
    rig_run (&rig, !c->unrated);
    stagebench_finish (&b);
    compare (&b, c, &rig.outputs[0], "disparity", disparity, 1);
    if (!c->unrated)
      compare (&b, c, &rig.outputs[1], "confidence", confidence,
          c->bytes == 1 ? 1 : 257);
    rig_close (&rig, &b);
    stagebench_close (&b);
  }
  free_scene (&scene);
}

static Case
random_case (size_t size, Random * random)
{
  static const int ns[] = { 1, 2, 3, 16, 64 };
  static const unsigned speckles[] = { 0, 1, 2, 9, 50, 65535 };
  static const int kinds[] = { 0, 1, 2, 3, 5, 5, 6, 7 };
  Case c = {
    .width = sizes[size][0],.height = sizes[size][1],
    .channels = random_range (random, 0, 1) ? 3 : 1,
    .n = ns[random_range (random, 0, 4)],
    .min = random_range (random, 0, 2) ? 0 : random_range (random, -20, 20),
    .unit = 1 << random_range (random, 0, 4),
    .median = random_range (random, 0, 3) > 0,
    .scale = (unsigned) random_range (random, 1, 256),
    .bytes = random_range (random, 1, 2),
    .invalid = (uint32_t) random_range (random, 0, 255),
    .kind = random_range (random, 0, 20) == 0 ? 4
        : kinds[random_range (random, 0, 7)],
  };

  c.params.lr_max_diff = random_range (random, -1, 2);
  c.params.check = random_range (random, 0, 1);
  c.params.speckle_size = speckles[random_range (random, 0, 5)];
  c.params.fill = random_range (random, 0, 4) > 0;
  c.params.refine = random_range (random, 0, 2);
  c.unrated = random_range (random, 0, 3) == 0;
  return c;
}

TEST (test_chain)
{
  Random random = { 1 };

  for (size_t i = 0; i < N_SIZES; i++) {
    for (int k = 0; k < 12 && test_failures == 0; k++) {
      Case c = random_case (i, &random);

      check_case (&c, &random);
    }
  }
}

/* Every threshold, and at both sides of it; each before and after the steps
 * that fill pixels. */
TEST (test_min_confidence)
{
  Random random = { 6 };

  for (int least = 0; least <= 255 && test_failures == 0; least++) {
    Case c = random_case ((size_t) random_range (&random, 0,
            (int) N_SIZES - 1), &random);

    c.least = least;
    c.params.min_confidence = (least - (least > 0 && least % 2 ? 0.5 : 0))
        / 255;
    check_case (&c, &random);
  }
}

/* Components of single columns and rows, which cross tiles. */
TEST (test_thin)
{
  Random random = { 7 };

  for (int i = 0; i < 16; i++) {
    /* 1x40 and 40x1 */
    Case c = random_case (3 + (size_t) i % 2, &random);

    c.kind = 2;
    c.n = 2;
    c.params.lr_max_diff = -1;
    c.params.speckle_size = 9 + (unsigned) i;
    check_case (&c, &random);
  }
}

/* Components that wind through many tiles. */
TEST (test_large)
{
  Random random = { 2 };

  for (int k = 0; k < 4; k++) {
    Case c = {.width = 700,.height = 210,.channels = 1,.n = 40,.unit = 16,
      .median = true,.scale = 16,.bytes = 2,.kind = k
    };

    c.params = (StereoRefineParams) {.lr_max_diff = 1,
      .speckle_size = k == 1 ? 3 : 50,.fill = true,.refine = k % 3
    };
    check_case (&c, &random);
  }
}

/* Codes so far apart that medians are long searched for, with 15 bits and with
 * 16, and up to the highest ones. */
TEST (test_wide_ranges)
{
  static const int ns[] = { 256, 257, 1000, 2046, 2047, 4092, 4095 };
  Random random = { 5 };

  for (int k = 0; k < 2 * (int) (sizeof (ns) / sizeof (ns[0])); k++) {
    Case c = {.width = 300,.height = 70,.channels = k % 3 ? 1 : 3,
      .n = ns[k / 2],.unit = 16,.scale = 1,.bytes = 2,.kind = k % 2 ? 1 : 6
    };

    /* filled ones as well */
    c.params = (StereoRefineParams) {.lr_max_diff = k % 2 ? 1 : -1,
      .fill = true,.refine = STEREO_REFINE_ALL
    };
    check_case (&c, &random);
  }
}

/* Codes that differ from invalid ones by less than neighbours do. */
TEST (test_highest_codes)
{
  Random random = { 10 };

  for (int k = 0; k < 4; k++) {
    Case c = {.width = 60,.height = 30,.channels = 1,.n = 4095,.unit = 16,
      .scale = 1,.bytes = 2,.kind = 8
    };

    c.params = (StereoRefineParams) {.lr_max_diff = -1,.fill = true,
      .refine = STEREO_REFINE_ALL
    };
    check_case (&c, &random);
  }
}

/* Votes for pixels whose partners are beyond the ends of the right view. */
TEST (test_partners_outside)
{
  static const int mins[] = { -8, -15, 0, 8 };
  Random random = { 11 };

  for (int k = 0; k < 16; k++) {
    Case c = {.width = 40,.height = 70,.channels = 1,.n = 16,.min = mins[k % 4],
      .unit = 1 + 15 * (k % 2),.scale = 1,.bytes = 2,.kind = k < 8 ? 5 : 6
    };

    c.params = (StereoRefineParams) {.lr_max_diff = 1,.fill = true,
      .refine = STEREO_REFINE_FILLED
    };
    check_case (&c, &random);
  }
}

/* As many disparities as there are. */
TEST (test_most_disparities)
{
  Random random = { 8 };

  for (int k = 0; k < 4; k++) {
    Case c = {.width = 130,.height = 40,.channels = 1,
      .n = STEREO_MAX_DISPARITIES,.unit = 1 + k % 2,.scale = 1,.bytes = 2,
      .kind = k < 2 ? 6 : 1
    };

    c.params = (StereoRefineParams) {.lr_max_diff = k < 2 ? -1 : 1,
      .fill = true,.refine = STEREO_REFINE_ALL
    };
    check_case (&c, &random);
  }
}

/* Every kind of hole with every kind of refinement. */
TEST (test_holes)
{
  Random random = { 9 };

  for (int k = 0; k < 36; k++) {
    Case c = random_case (N_SIZES - 1 - (size_t) k % 9, &random);

    c.kind = 4 + k % 4;
    c.params.fill = true;
    c.params.refine = k / 4 % 3;
    check_case (&c, &random);
  }
}

/* ------------------------------------------------------------------ winners */

static int64_t
floor_div (int64_t a, int64_t b)
{
  return a / b - (a % b != 0 && a < 0);
}

static void
check_winner (uint32_t a, uint32_t c, uint32_t b)
{
  StereoWinners w = {.unit = 16,.first_index = 2,.last_index = 7,
    .uniqueness = true
  };
  const int64_t p = (int64_t) a - b, q = (int64_t) (a > b ? a : b) - c;
  const uint32_t m = a < b ? a : b;

  for (int unit = 2; unit <= 16; unit *= 2) {
    const int64_t f = q == 0 ? 0 : floor_div (2 * unit * p + 2 * q, 4 * q);

    CHECK_INT (stereo_winner_fraction (unit, a, c, b), ==, f);
    CHECK_INT (f, >=, -unit / 2);
    CHECK_INT (f, <=, unit / 2);
  }
  CHECK_INT (stereo_winner_neighbor (&w, 5, a, c, b), ==, m);
  CHECK_INT (stereo_winner_word (&w, 5, a, c, b, m) >> 24, ==,
      m == 0 ? 0 : 254 * (m - c) / m);
  w.uniqueness = false;
  CHECK_INT (stereo_winner_word (&w, 5, a, c, b, m) >> 24, ==, 0);
}

TEST (test_winners)
{
  Random random = { 3 };
  StereoWinners w = {.unit = 16,.first_index = 2,.last_index = 7,
    .uniqueness = true
  };
  uint32_t word;

  check_winner (0, 0, 0);
  check_winner (65535, 0, 65535);
  check_winner (65535, 0, 0);
  check_winner (1, 0, 65535);
  check_winner (65535, 65535, 65535);
  for (int i = 0; i < 2000000; i++) {
    const int bits = random_range (&random, 1, 16);
    const uint32_t mask = (1u << bits) - 1;
    const uint32_t c = random_next (&random) & mask;

    check_winner (c + (random_next (&random) & (65535 - c)), c,
        c + (random_next (&random) & mask & (65535 - c)));
  }

  /* the first and the last one have no neighbour */
  CHECK_INT (stereo_winner_word (&w, 2, 0, 10, 20, 40) & 0xffffff, ==, 2);
  CHECK_INT (stereo_winner_word (&w, 7, 30, 10, 0, 40) & 0xffffff, ==, 7);
  CHECK_INT (stereo_winner_neighbor (&w, 2, 0, 10, 20), ==, 20);
  CHECK_INT (stereo_winner_neighbor (&w, 7, 20, 10, 0), ==, 20);
  w.last_index = 2;
  CHECK_INT (stereo_winner_neighbor (&w, 2, 0, 10, 0), ==, 10);
  w.last_index = 7;
  word = stereo_winner_word (&w, 5, 30, 10, 20, 40);
  CHECK_INT (word >> 24, ==, 190);
  CHECK_INT (stereo_winner_index (word), ==, 5);
  CHECK_INT (stereo_winner_code (16, word), ==, 5 * 16 + 4);
}

/* Codes always have room for invalid ones. */
TEST (test_unit)
{
  StereoRefineParams p = {.subpixel = true };

  CHECK_INT (stereo_refine_unit (&p, 64), ==, 16);
  CHECK_INT (stereo_refine_unit (&p, 4095), ==, 16);
  CHECK_INT (stereo_refine_unit (&p, 4096), ==, 8);
  CHECK_INT (stereo_refine_unit (&p, STEREO_MAX_DISPARITIES), ==, 2);
  p.subpixel = false;
  CHECK_INT (stereo_refine_unit (&p, 64), ==, 1);
}

/* Any step alone needs the stages. */
TEST (test_wanted)
{
  const StereoRefineParams none = {.lr_max_diff = -1,.fill = true };
  StereoRefineParams p = none;

  CHECK (!stereo_refine_wanted (&p));
  p.speckle_size = 1;           /* no region is smaller */
  CHECK (!stereo_refine_wanted (&p));
  p.speckle_size = 2;
  CHECK (stereo_refine_wanted (&p));
  p = none, p.subpixel = true;
  CHECK (stereo_refine_wanted (&p));
  p = none, p.lr_max_diff = 0;
  CHECK (stereo_refine_wanted (&p));
  p = none, p.fill = false;
  CHECK (stereo_refine_wanted (&p));
  p = none, p.refine = STEREO_REFINE_FILLED;
  CHECK (stereo_refine_wanted (&p));
  p = none, p.min_confidence = 0.01;
  CHECK (stereo_refine_wanted (&p));
}

/* A second matching is for the check. */
TEST (test_mutual)
{
  StereoRefineParams p = {.lr_max_diff = 0,.check = STEREO_CHECK_MUTUAL };

  CHECK (stereo_refine_is_mutual (&p));
  p.check = STEREO_CHECK_SINGLE;
  CHECK (!stereo_refine_is_mutual (&p));
  p.check = STEREO_CHECK_MUTUAL;
  p.lr_max_diff = -1;
  CHECK (!stereo_refine_is_mutual (&p));
}

/* -------------------------------------------------------------------- bench */

static StereoStatus
bench_check (const Rig * r)
{
  return stereo_refine_check (r->queue, r->stages, &r->plan, &r->winners,
      NULL);
}

static StereoStatus
bench_confirm (const Rig * r)
{
  return r->stages->confirm (r->queue, &r->plan.constants, &r->winners,
      r->mirrored);
}

/* The fill lists the holes of one check. */
static StereoStatus
bench_fill (const Rig * r)
{
  const StereoStatus status = bench_check (r);

  return status != STEREO_OK ? status
      : r->stages->fill (r->queue, &r->plan.constants, &r->plan.work);
}

static StereoStatus
bench_slopes (const Rig * r)
{
  return r->stages->slopes (r->queue, &r->plan.constants, &r->plan.work,
      &r->plan.work.map);
}

static StereoStatus
bench_vote_fill (const Rig * r)
{
  return r->stages->vote_fill (r->queue, &r->plan.constants, &r->left,
      &r->winners, &r->plan.work);
}

static StereoStatus
bench_slanted_median (const Rig * r)
{
  return r->stages->slanted_median (r->queue, &r->plan.constants, &r->left,
      &r->plan.work, &r->plan.work.final, &r->outputs[0]);
}

static StereoStatus
bench_confidence (const Rig * r)
{
  return r->stages->confidence (r->queue, &r->plan.constants, &r->left,
      &r->winners, &r->plan.work, &r->outputs[1]);
}

static StereoStatus
bench_chain (const Rig * r)
{
  const StereoStatus status = bench_check (r);

  return status != STEREO_OK ? status
      : stereo_refine_finish (r->queue, r->stages, &r->plan, &r->left,
      &r->winners, &r->outputs[0], NULL);
}

/* In the order of the chain: each has the results of those before it. */
static const struct
{
  const char *name;
  StereoRefine refine;
  StereoStatus (*run) (const Rig * rig);
} benches[] = {
  {"M", STEREO_REFINE_ALL, bench_confirm},
  {"L S", STEREO_REFINE_ALL, bench_check},
  {"L S F3", STEREO_REFINE_ALL, bench_fill},
  {"slopes", STEREO_REFINE_ALL, bench_slopes},
  {"Fv", STEREO_REFINE_ALL, bench_vote_fill},
  {"Ws", STEREO_REFINE_ALL, bench_slanted_median},
  {"confidence", STEREO_REFINE_ALL, bench_confidence},
  {"L S F M", STEREO_REFINE_NONE, bench_chain},
  {"L S Fv M", STEREO_REFINE_FILLED, bench_chain},
  {"L S Fv Ws", STEREO_REFINE_ALL, bench_chain},
};

static void
bench_step (const StageBench * b, const Rig * rig, size_t i, int pixels)
{
  const int runs = b->cuda ? 20 : 1;
  uint64_t best = UINT64_MAX;

  for (int k = 0; k < (b->cuda ? 20 : 2); k++) {
    uint64_t ns;

    stagebench_finish (b);
    for (int r = 0; r < runs; r++)
      REQUIRE (benches[i].run (rig) == STEREO_OK);
    ns = stagebench_finish (b);
    best = ns < best ? ns : best;
  }
  printf ("  %-10s  min %9.2f us, %7.2f ns a pixel\n", benches[i].name,
      (double) best / runs / 1e3, (double) best / runs / pixels);
}

static void
bench_refine (size_t device, int width, int height)
{
  StageBench b = stagebench_open (device);
  Random random = { 4 };

  for (int channels = 1; channels <= 3; channels += 2) {
    Case c = {.width = width,.height = height,.channels = channels,.n = 128,
      .unit = 16,.median = true,.scale = 16,.bytes = 2,.kind = 5
    };
    Scene scene;

    printf ("%s, %dx%d, %d channels\n", stereo_device_name (b.device), width,
        height, channels);
    make_scene (&c, &scene, &random);
    for (size_t i = 0; i < sizeof (benches) / sizeof (benches[0]);) {
      Rig rig;

      c.params = (StereoRefineParams) {.lr_max_diff = 1,.speckle_size = 50,
        .fill = true,.refine = benches[i].refine,.check = STEREO_CHECK_MUTUAL
      };
      rig_open (&rig, &b, &c, &scene);
      for (StereoRefine refine = benches[i].refine; i < sizeof (benches)
          / sizeof (benches[0]) && benches[i].refine == refine; i++)
        bench_step (&b, &rig, i, width * height);
      rig_close (&rig, &b);
    }
    free_scene (&scene);
  }
  stagebench_close (&b);
}

KERNEL_MAIN (bench_devices (bench_refine, argc, argv))
