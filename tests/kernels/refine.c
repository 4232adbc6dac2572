/* gst-stereomatching: tests of refinement on all devices
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Winners of all kinds go through the steps of refine.h on every device, and
 * the maps have to be those of an oracle that does one step after the other on
 * plain arrays: neighbours by search, components by flooding, medians by
 * sorting.
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
} Case;

typedef struct
{
  uint32_t *left, *right;       /* as in StereoWinners, without padding */
  uint8_t *pixels;
} Scene;

static void
make_scene (const Case * c, Scene * s, Random * random)
{
  int pixels = c->width * c->height;

  s->left = malloc ((size_t) pixels * 4);
  s->right = malloc ((size_t) pixels * 4);
  s->pixels = malloc ((size_t) (pixels * c->channels));
  REQUIRE (s->left != NULL && s->right != NULL && s->pixels != NULL);
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
      default:
        index = x * c->n / (c->width + y / 4);
        break;
    }
    fraction = index == 0 || index == c->n - 1 || c->unit == 1 ? 0
        : random_range (random, -c->unit / 2, c->unit / 2);
    s->left[i] = (uint32_t) index | ((uint32_t) fraction & 255) << 16
        | (uint32_t) random_range (random, 1, 255) << 24;
    s->right[i] = STEREO_NO_WINNER;
    if (c->kind == 4)
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
  for (int i = 0; i < pixels * c->channels; i++)
    s->pixels[i] = (uint8_t) (i / (5 * c->channels) % 3 * 9
        + random_range (random, 0, 1 + 50 * (i % 7 == 0)));
}

static void
free_scene (Scene * s)
{
  free (s->left);
  free (s->right);
  free (s->pixels);
}

/* ------------------------------------------------------------------- oracle */

#define NONE (-1)

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
      || s->right[i - x + partner] == STEREO_NO_WINNER)
    return false;
  return abs ((int) (s->right[i - x + partner] & 0xffff) - index)
      <= c->params.lr_max_diff;
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

static void
oracle_fill (const Case * c, const int *map, int *filled)
{
  for (int y = 0; y < c->height; y++) {
    for (int x = 0; x < c->width; x++) {
      const int *row = map + y * c->width;
      int l = x, r = x, value = NONE;

      while (l >= 0 && row[l] == NONE)
        l--;
      while (r < c->width && row[r] == NONE)
        r++;
      if (l >= 0)
        value = row[l];
      if (r < c->width && (value == NONE || row[r] < value))
        value = row[r];
      filled[y * c->width + x] = value;
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

static int
by_code (const void *a, const void *b)
{
  const int *p = a, *q = b;

  return (p[0] > q[0]) - (p[0] < q[0]);
}

static int
oracle_weighted (const Case * c, const Scene * s, const int *map, int radius,
    int i)
{
  int x = i % c->width, y = i / c->width, n = 0, whole = 0, sum = 0;
  int items[225][2];

  for (int v = y - radius; v <= y + radius; v++) {
    for (int u = x - radius; u <= x + radius; u++) {
      int j = v * c->width + u, difference = 0;

      if (u < 0 || v < 0 || u >= c->width || v >= c->height)
        continue;
      for (int k = 0; k < c->channels; k++) {
        int d = abs (s->pixels[i * c->channels + k]
            - s->pixels[j * c->channels + k]);

        difference = d > difference ? d : difference;
      }
      items[n][0] = map[j];
      items[n][1] = (int) lround (255 * exp (-difference / 10.0));
      whole += items[n++][1];
    }
  }
  qsort (items, (size_t) n, sizeof (items[0]), by_code);
  for (int k = 0; k < n; k++) {
    sum += items[k][1];
    if (2 * sum >= whole)
      return items[k][0];
  }
  return NONE;
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
  SCOPED (free_scoped) int *weighted = malloc ((size_t) pixels * sizeof (int));
  bool empty = true;

  REQUIRE (map != NULL && filled != NULL && weighted != NULL);
  for (int i = 0; i < pixels; i++)
    map[i] = oracle_valid (c, s, i) ? (int) (s->left[i] & 0xffff) * c->unit
        + (int8_t) (s->left[i] >> 16 & 255) : NONE;
  oracle_speckles (c, map);
  for (int i = 0; i < pixels; i++) {
    confidence[i] = map[i] == NONE ? 0 : (int) (s->left[i] >> 24);
    empty = empty && map[i] == NONE;
  }
  oracle_fill (c, map, filled);
  for (int i = 0; i < pixels; i++)
    weighted[i] = c->params.refine != STEREO_REFINE_NONE && map[i] == NONE
        ? oracle_weighted (c, s, filled, 7, i) : filled[i];
  for (int i = 0; i < pixels; i++) {
    int code = map[i];

    if (c->params.fill && !empty)
      code = c->params.refine == STEREO_REFINE_ALL
          ? oracle_weighted (c, s, weighted, 3, i)
          : c->median ? oracle_median (c, weighted, i) : weighted[i];
    if (confidence[i] < c->least)
      code = NONE;
    disparity[i] = oracle_encode (c, code);
  }
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
    .n_threads = 1,.unit = c->unit,.winners = true,
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
rig_run (const Rig * rig)
{
  CHECK_INT (stereo_refine_check (rig->queue, rig->stages, &rig->plan,
          &rig->winners, &rig->outputs[1]), ==, STEREO_OK);
  CHECK_INT (stereo_refine_finish (rig->queue, rig->stages, &rig->plan,
          &rig->left, &rig->outputs[0]), ==, STEREO_OK);
}

static void
rig_close (Rig * rig, const StageBench * b)
{
  stagebench_free (b, rig->memory);
  stagebench_free (b, rig->winners.left);
  stagebench_free (b, rig->winners.right);
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
        "lr %d, speckles %u, fill %d, median %d, refine %d, confidence %d: %s "
        "at (%d, %d) is %d, not %d\n", stereo_device_name (b->device),
        c->width, c->height,
        c->n, c->min, c->unit, c->channels, c->kind, c->params.lr_max_diff,
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
    rig_run (&rig);
    stagebench_finish (&b);
    compare (&b, c, &rig.outputs[0], "disparity", disparity, 1);
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
        : random_range (random, 0, 3),
  };

  c.params.lr_max_diff = random_range (random, -1, 2);
  c.params.speckle_size = speckles[random_range (random, 0, 5)];
  c.params.fill = random_range (random, 0, 4) > 0;
  c.params.refine = random_range (random, 0, 2);
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

/* Codes so far apart that medians are long searched for. */
TEST (test_wide_ranges)
{
  static const int ns[] = { 256, 1000, 4095 };
  Random random = { 5 };

  for (int k = 0; k < 6; k++) {
    Case c = {.width = 500,.height = 100,.channels = 1,.n = ns[k / 2],
      .unit = 16,.scale = 16,.bytes = 2,.kind = 1
    };

    /* filled ones as well */
    c.params = (StereoRefineParams) {.lr_max_diff = k % 2 ? 1 : -1,
      .fill = true,.refine = STEREO_REFINE_ALL
    };
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
  const int64_t p = (int64_t) a - b, q = (int64_t) a + b - 2 * (int64_t) c;
  const uint32_t m = a < b ? a : b;

  for (int unit = 2; unit <= 16; unit *= 2) {
    const int64_t f = q == 0 ? 0 : floor_div (2 * unit * p + 2 * q, 4 * q);

    CHECK_INT (stereo_winner_fraction (unit, a, c, b), ==, f);
    CHECK_INT (f, >=, -unit / 2);
    CHECK_INT (f, <=, unit / 2);
  }
  CHECK_INT (stereo_winner_uniqueness (a, c, b), ==,
      m == 0 ? 1 : 1 + 254 * (m - c) / m);
}

TEST (test_winners)
{
  Random random = { 3 };
  StereoWinners w = {.unit = 16,.first_index = 2,.last_index = 7 };
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
  CHECK_INT (stereo_winner_word (&w, 2, 0, 10, 20) & 0xffffff, ==, 2);
  CHECK_INT (stereo_winner_word (&w, 7, 30, 10, 0) & 0xffffff, ==, 7);
  CHECK_INT (stereo_winner_word (&w, 2, 0, 10, 20) >> 24, ==, 128);
  CHECK_INT (stereo_winner_word (&w, 7, 20, 10, 0) >> 24, ==, 128);
  word = stereo_winner_word (&w, 5, 30, 10, 20);
  CHECK_INT (stereo_winner_index (word), ==, 5);
  CHECK_INT (stereo_winner_code (16, word), ==, 5 * 16 + 3);
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

/* -------------------------------------------------------------------- bench */

static void
bench_refine (size_t device, int width, int height)
{
  static const struct
  {
    const char *name;
    int refine;
  } kinds[] = { {"L S F M", 0}, {"L S F Wf M", 1}, {"L S F Wf W", 2} };
  StageBench b = stagebench_open (device);
  const int runs = b.cuda ? 20 : 1;
  Random random = { 4 };

  for (int k = 0; k < 3; k++) {
    Case c = {.width = width,.height = height,.channels = 1,.n = 128,
      .unit = 16,.median = true,.scale = 16,.bytes = 2,.kind = 3
    };
    uint64_t best = UINT64_MAX;
    Scene scene;
    Rig rig;

    c.params = (StereoRefineParams) {.lr_max_diff = 1,.speckle_size = 50,
      .fill = true,.refine = kinds[k].refine
    };
    make_scene (&c, &scene, &random);
    rig_open (&rig, &b, &c, &scene);
    for (int i = 0; i < (b.cuda ? 20 : 2); i++) {
      uint64_t ns;

      stagebench_finish (&b);
      for (int r = 0; r < runs; r++)
        rig_run (&rig);
      ns = stagebench_finish (&b);
      best = ns < best ? ns : best;
    }
    printf ("%-28s %4dx%-4d %-10s  min %9.2f us, %7.2f ns a pixel\n",
        stereo_device_name (b.device), width, height, kinds[k].name,
        (double) best / runs / 1e3, (double) best / runs / (width * height));
    rig_close (&rig, &b);
    free_scene (&scene);
  }
  stagebench_close (&b);
}

KERNEL_MAIN (bench_devices (bench_refine, argc, argv))
